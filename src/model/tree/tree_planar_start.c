// SPDX-License-Identifier: Apache-2.0
// Series of a plane tree of hinges: their memory, and order 0 (tree_planar_series.c has the
// equations).
#include "math/simd_sincos.h"
#include "model/tree/tree_planar.h"

#include <string.h>

// ---- memory ----

static size_t tree_planar_start_lay_out_all(const HolModel *m, int order, char *at, Arrays *a) {
    const size_t groups = hol_tree_groups(m), links = groups * HOL_LANES;
    size_t size = 0;
    (void)hol_tree_lay_out(&at, &size, sizeof *a);
    a->groups = (long)groups;
    a->records = hol_tree_lay_out(&at, &size, groups * (size_t)(order + 2) * sizeof(Record));
    a->coefficients = hol_tree_lay_out(&at, &size, groups * sizeof(Coefficients));
    a->hinges = hol_tree_lay_out(&at, &size, groups * sizeof(Hinges));
    a->shapes = hol_tree_lay_out(&at, &size, groups * sizeof(Shapes));
    a->known = hol_tree_lay_out(&at, &size, groups * sizeof(Known));
    a->links = hol_tree_lay_out(&at, &size, links * sizeof(Link));
    a->bodies = hol_tree_lay_out(&at, &size, groups * sizeof(Bodies));
    a->ways = hol_tree_lay_out(&at, &size, groups * sizeof(Ways));
    a->late = hol_tree_lay_out(&at, &size, groups * sizeof(int));
    a->chain = hol_tree_lay_out(&at, &size, groups * sizeof(int));
    a->early = hol_tree_lay_out(&at, &size, groups * sizeof(Sums));
    return size;
}

size_t hol_plane_size(const HolModel *m, int order) {
    Arrays none;
    return tree_planar_start_lay_out_all(m, order, NULL, &none);
}

static void set_up_links(const HolModel *m, const Arrays *a) {
    const int links = hol_tree_links(m);
    for (int i = 0; i < links; i++) {
        const HolTreeShape *shape = &m->tree.shapes[i];
        const HolTreeKind *kind = &m->tree.kinds[shape->kind];
        const int up = shape->up >= 0 ? shape->up : links;
        a->links[i] = (Link){.up = up,
                             .up_at = place_of(up),
                             .slot = shape->slot,
                             .up_slot = shape->up_slot,
                             .driven = (unsigned char)shape->driven,
                             .turns = shape->turn >= 0,
                             .follows = shape->up == i - 1}; // (-1: the ground)
        *number(a->shapes, SHAPE, i, DX) = kind->arm[0];
        *number(a->shapes, SHAPE, i, DY) = kind->arm[1];
        *number(a->shapes, SHAPE, i, HX) = kind->mh[0];
        *number(a->shapes, SHAPE, i, HY) = kind->mh[1];
        *number(a->shapes, SHAPE, i, INERTIA) = kind->inertia[0][2];
        *number(a->shapes, SHAPE, i, MASS) = kind->mass;
    }
}

static void find_late(const HolModel *m, Arrays *a) {
    a->n_late = 0;
    memset(a->late, 0, sizeof *a->late * (size_t)a->groups);
    for (int i = 0; i < hol_tree_links(m); i++) {
        const int up = m->tree.shapes[i].up;
        if (up >= 0 && i / HOL_LANES > up / HOL_LANES + 1)
            a->late[up / HOL_LANES] = 1;
    }
    for (int g = 0; g < a->groups; g++)
        a->n_late += a->late[g];
}

static void find_chains(const Arrays *a, int links) {
    for (int i = 0; i < links; i++) {
        const int g = i / HOL_LANES;
        a->chain[g] =
            (i % HOL_LANES == 0 || a->chain[g]) && a->links[i].turns && a->links[i].follows;
        if (!a->links[i].follows && a->links[i].up < links)
            a->links[a->links[i].up].kept = 1;
    }
}

void hol_plane_memory(const HolModel *m, HolTreeMemory *s) {
    Arrays *a = planar_arrays_of(s);
    (void)tree_planar_start_lay_out_all(m, s->order, s->arrays, a);
    set_up_links(m, a);
    find_late(m, a);
    find_chains(a, hol_tree_links(m));
}

// ---- order 0 ----

// (a chain's sums go from link to link by registers)
void hol_plane_sum_angles(const HolModel *m, const HolTreeMemory *s) {
    const Arrays *a = planar_arrays_of(s);
    double(*turns)[2] = (double(*)[2])s->slots; // theta, theta'
    double theta = 0, omega = 0;
    turns[0][0] = turns[0][1] = 0;
    for (int i = 0; i < hol_tree_links(m); i++) {
        const HolTreeShape *shape = &m->tree.shapes[i];
        const Link *l = &a->links[i];
        if (!l->follows) {
            theta = turns[l->up_slot][0];
            omega = turns[l->up_slot][1];
        }
        *number(a->bodies, BODY, i, THETA) = theta += shape->angle + s->x[i];
        *number(a->records, GROUP / HOL_LANES, i, 0) = omega += s->rates[i];
        if (l->kept) {
            turns[l->slot][0] = theta;
            turns[l->slot][1] = omega;
        }
    }
}

// four links at once: their own inertia, and what begins their series
HOL_WIDE static void turn_groups(const Arrays *a) {
    for (long g = 0; g < a->groups; g++) {
        Shapes *f = &a->shapes[g];
        Bodies *b = &a->bodies[g];
        Record *r = &a->records[g];
        const HolLanes none = {0};
        HolLanes c, s;
        lanes_turn(b->theta, &c, &s);
        f->c = c;
        f->s = s;
        *b = (Bodies){
            f->inertia, -(s * f->hx + c * f->hy), c * f->hx - s * f->hy, f->mass, f->mass, none,
            b->theta};
        a->coefficients[g] = (Coefficients){{f->hx, -f->hy}, {f->hy, f->hx}, {none, none}};
        *r = (Record){r->omega, -s * r->omega, c * r->omega, none, none};
    }
}

void hol_plane_add_seen(const Arrays *a, int up, Seen seen) {
    const double body[] = {seen.A, seen.Bx, seen.By, seen.Nxx, seen.Nyy, seen.Nxy};
    double *known = (double *)a->known + place_of(up);
    for (int k = 0; k < 6; k++)
        *number(a->bodies, BODY, up, A + k) += body[k];
    known[FX] += seen.fx;
    known[FY] += seen.fy;
    known[T] += seen.t;
}

// (a chain's inertia goes from link to link by registers)
HOL_WIDE static int tree_planar_start_articulate(const Arrays *a, int links) {
    Seen from = {0};
    for (int i = links - 1; i >= 0; i--) {
        const Link *l = &a->links[i];
        double *b = number(a->bodies, BODY, i, A), *hinge = number(a->hinges, HINGE, i, 0),
               *shape = number(a->shapes, SHAPE, i, 0);
        const double *up = number(a->shapes, SHAPE, l->up, 0);
        const double all = b[A * HOL_LANES] + from.A, Bx = b[B_X * HOL_LANES] + from.Bx,
                     By = b[B_Y * HOL_LANES] + from.By;
        if (l->turns && !(all > 0))
            return 0;
        const double Nxx = b[N_XX * HOL_LANES] + from.Nxx, Nyy = b[N_YY * HOL_LANES] + from.Nyy,
                     Nxy = b[N_XY * HOL_LANES] + from.Nxy;
        const double dx = shape[DX * HOL_LANES], dy = shape[DY * HOL_LANES];
        const int grounded = l->up == links;
        const double c = grounded ? 0 : up[C * HOL_LANES], s = grounded ? 0 : up[S * HOL_LANES];
        const double Ex = -(s * dx + c * dy), Ey = c * dx - s * dy;
        // (all that can be is done before 1/A is there)
        const double NEx = Nxx * Ex + Nxy * Ey, NEy = Nxy * Ex + Nyy * Ey, r = Bx * Ex + By * Ey;
        const double inverse = l->turns ? 1 / all : 0, bx = Bx * inverse, by = By * inverse,
                     bE = r * inverse;
        from = (Seen){NEx * Ex + NEy * Ey - r * bE,
                      NEx - Bx * bE,
                      NEy - By * bE,
                      Nxx - Bx * bx,
                      Nyy - By * by,
                      Nxy - Bx * by,
                      0,
                      0,
                      0};
        hinge[EX * HOL_LANES] = Ex;
        hinge[EY * HOL_LANES] = Ey;
        hinge[BX * HOL_LANES] = bx;
        hinge[BY * HOL_LANES] = by;
        hinge[BE * HOL_LANES] = bE;
        hinge[INVERSE * HOL_LANES] = inverse;
        shape[NXX * HOL_LANES] = from.Nxx;
        shape[NYY * HOL_LANES] = from.Nyy;
        shape[NXY * HOL_LANES] = from.Nxy;
        b[B_X * HOL_LANES] = Bx;
        b[B_Y * HOL_LANES] = By;
        if (!l->turns) {
            from.A += all + 2 * r;
            from.Bx += Bx;
            from.By += By;
        }
        if (!l->follows || grounded) {
            if (!grounded)
                hol_plane_add_seen(a, l->up, from);
            from = (Seen){0};
        }
    }
    return 1;
}

// what kc and ks of a link do to f and t by its children: theirs is added, four at once
HOL_WIDE static void add_coefficients(const Arrays *a, int links) {
    enum { COEFFICIENT = sizeof(Coefficients) / sizeof(HolLanes) };
    for (int first = 0; first < links; first += HOL_LANES) {
        const Shapes *f = &a->shapes[first / HOL_LANES];
        const Hinges *h = &a->hinges[first / HOL_LANES];
        const Bodies *b = &a->bodies[first / HOL_LANES];
        const HolLanes dx = f->dx, dy = f->dy;
        HolLanes Bx = f->Nxx * h->Ex + f->Nxy * h->Ey, By = f->Nxy * h->Ex + f->Nyy * h->Ey;
        const int n = links - first < HOL_LANES ? links - first : HOL_LANES;
        for (int i = 0; i < n; i++)
            if (!a->links[first + i].turns) {
                Bx[i] += b->Bx[i];
                By[i] += b->By[i];
            }
        const HolLanes of[] = {f->Nxx * dx + f->Nxy * dy, f->Nxy * dx - f->Nxx * dy,
                               f->Nxy * dx + f->Nyy * dy, f->Nyy * dx - f->Nxy * dy,
                               Bx * dx + By * dy,         By * dx - Bx * dy};
        for (int i = 0; i < n; i++) {
            double *up = number(a->coefficients, COEFFICIENT, a->links[first + i].up, 0);
            for (int k = 0; k < COEFFICIENT; k++)
                up[k * HOL_LANES] += of[k][i];
        }
    }
}

int hol_plane_articulate(const HolModel *m, HolTreeMemory *s) {
    Arrays *a = planar_arrays_of(s);
    hol_plane_sum_angles(m, s);
    turn_groups(a);
    if (!tree_planar_start_articulate(a, hol_tree_links(m)))
        return 0;
    add_coefficients(a, hol_tree_links(m));
    return 1;
}
