// SPDX-License-Identifier: Apache-2.0
// Series of a plane tree of hinges: their memory, and order 0 (tree_plane.c has the equations).
#include "base/team.h"
#include "model/tree_plane.h"

#include <math.h>
#include <string.h>

// ---- memory ----

// with one for the ground (an odd number: the orders of a link are not all in one set of a cache)
static size_t groups_of(const HolModel *m) {
    return ((size_t)hol_tree_links(m) / HOL_LANES + 1) | 1;
}

static size_t lay_out_all(const HolModel *m, int order, char *at, Arrays *a) {
    const size_t groups = groups_of(m), links = groups * HOL_LANES;
    size_t size = 0;
    (void)hol_tree_lay_out(&at, &size, sizeof *a);
    a->groups = (long)groups;
    a->records = hol_tree_lay_out(&at, &size, groups * (size_t)(order + 2) * sizeof(Record));
    a->coefficients = hol_tree_lay_out(&at, &size, groups * sizeof(Coefficients));
    a->hinges = hol_tree_lay_out(&at, &size, groups * sizeof(Hinges));
    a->shapes = hol_tree_lay_out(&at, &size, groups * sizeof(Shapes));
    a->known = hol_tree_lay_out(&at, &size, groups * sizeof(Known));
    a->links = hol_tree_lay_out(&at, &size, links * sizeof(Link));
    a->bodies = hol_tree_lay_out(&at, &size, links * sizeof(Body));
    a->late = hol_tree_lay_out(&at, &size, groups * sizeof(int));
    a->early = hol_tree_lay_out(&at, &size, groups * sizeof(Sums));
    return size;
}

size_t hol_plane_size(const HolModel *m, int order) {
    Arrays none;
    return lay_out_all(m, order, NULL, &none);
}

static void set_up_links(const HolModel *m, const Arrays *a) {
    const int links = hol_tree_links(m);
    for (int i = 0; i < links; i++) {
        const HolTreeShape *shape = &m->tree_shapes[i];
        const HolTreeKind *kind = &m->tree_kinds[shape->kind];
        a->links[i] = (Link){.up_at = place_of(shape->up >= 0 ? shape->up : links),
                             .slot = shape->slot,
                             .up_slot = shape->up_slot,
                             .driven = (unsigned char)shape->driven,
                             .turns = shape->turn >= 0,
                             .follows = shape->up == i - 1}; // (-1: the ground)
        *number(a->shapes, SHAPE, i, DX) = kind->arm[0];
        *number(a->shapes, SHAPE, i, DY) = kind->arm[1];
        *number(a->shapes, SHAPE, i, HX) = kind->mh[0];
        *number(a->shapes, SHAPE, i, HY) = kind->mh[1];
    }
}

static void find_late(const HolModel *m, Arrays *a) {
    a->n_late = 0;
    memset(a->late, 0, sizeof *a->late * (size_t)a->groups);
    for (int i = 0; i < hol_tree_links(m); i++) {
        const int up = m->tree_shapes[i].up;
        if (up >= 0 && i / HOL_LANES > up / HOL_LANES + 1)
            a->late[up / HOL_LANES] = 1;
    }
    for (int g = 0; g < a->groups; g++)
        a->n_late += a->late[g];
}

void hol_plane_memory(const HolModel *m, HolTreeMemory *s) {
    Arrays *a = arrays_of(s);
    (void)lay_out_all(m, s->order, s->arrays, a);
    set_up_links(m, a);
    find_late(m, a);
}

// ---- order 0 ----

HOL_INLINE double *coefficient(const Arrays *a, int i, int k) {
    return number(a->coefficients, sizeof(Coefficients) / sizeof(HolLanes), i, k);
}

static void sum_angles(const HolModel *m, const HolTreeMemory *s, const double *rate) {
    const Arrays *a = arrays_of(s);
    double(*turns)[2] = (double(*)[2])s->slots; // theta, theta'
    turns[0][0] = turns[0][1] = 0;
    for (int i = 0; i < hol_tree_links(m); i++) {
        const HolTreeShape *shape = &m->tree_shapes[i];
        const double *up = turns[a->links[i].up_slot];
        double *own = turns[a->links[i].slot];
        s->rates[i] = shape->turn >= 0 ? shape->sign * rate[shape->turn] : 0;
        own[0] = up[0] + shape->angle + s->x[i];
        own[1] = up[1] + s->rates[i];
        a->bodies[i].theta = own[0];
        *number(a->records, GROUP / HOL_LANES, i, 0) = own[1];
    }
}

typedef struct Start {
    const HolModel *m;
    const Arrays *a;
} Start;

HOL_WIDE static void turn_links(const HolModel *m, const Arrays *a, int first, int end) {
    for (int i = first; i < end; i++) {
        const HolTreeShape *shape = &m->tree_shapes[i];
        const HolTreeKind *kind = &m->tree_kinds[shape->kind];
        Body *b = &a->bodies[i];
        const double c = cos(b->theta), sn = sin(b->theta), hx = kind->mh[0], hy = kind->mh[1];
        *b = (Body){.A = kind->inertia[0][2],
                    .B = {-(sn * hx + c * hy), c * hx - sn * hy},
                    .N = {kind->mass, kind->mass, 0},
                    .theta = b->theta};
        *number(a->shapes, SHAPE, i, C) = c;
        *number(a->shapes, SHAPE, i, S) = sn;
        const double own[] = {hx, -hy, hy, hx, 0, 0};
        for (int k = 0; k < 6; k++)
            *coefficient(a, i, k) = own[k];
        double *r = (double *)a->records + place_of(i);
        r[COS] = -sn * r[OMEGA];
        r[SIN] = c * r[OMEGA];
        r[P] = r[Q] = 0;
    }
}

static void turn_loop(void *context, int first, int end) {
    const Start *s = context;
    turn_links(s->m, s->a, first, end);
}

// what a parent sees, N (y + alpha E + kc delta + ks delta turned) + B alpha ..., is added to it
HOL_INLINE void add_to_parent(const Arrays *a, const Body *b, int turns, const double *E,
                              HolLanes d, int up) {
    Body *to = &a->bodies[up];
    const double *N = b->N, own = turns ? 0 : 1; // the part of A and B that the hinge leaves
    const double seen[2] = {own * b->B[0] + N[0] * E[0] + N[2] * E[1],
                            own * b->B[1] + N[2] * E[0] + N[1] * E[1]};
    to->A += own * (b->A + b->B[0] * E[0] + b->B[1] * E[1]) + seen[0] * E[0] + seen[1] * E[1];
    to->B[0] += seen[0];
    to->B[1] += seen[1];
    for (int k = 0; k < 3; k++)
        to->N[k] += N[k];
    for (int k = 0; k < 2; k++) { // of kc, of ks
        const double x = k ? -d[1] : d[0], y = k ? d[0] : d[1];
        *coefficient(a, up, k) += N[0] * x + N[2] * y;
        *coefficient(a, up, 2 + k) += N[2] * x + N[1] * y;
        *coefficient(a, up, 4 + k) += seen[0] * x + seen[1] * y;
    }
}

HOL_WIDE static int articulate(const HolModel *m, const Arrays *a) {
    for (int i = hol_tree_links(m) - 1; i >= 0; i--) {
        const HolTreeShape *shape = &m->tree_shapes[i];
        const int turns = a->links[i].turns;
        Body *b = &a->bodies[i];
        if (turns && !(b->A > 0))
            return 0;
        const double inverse = turns ? 1 / b->A : 0;
        const double bx = b->B[0] * inverse, by = b->B[1] * inverse;
        const HolLanes d = m->tree_kinds[shape->kind].arm;
        const double c = shape->up >= 0 ? *number(a->shapes, SHAPE, shape->up, C) : 0,
                     s = shape->up >= 0 ? *number(a->shapes, SHAPE, shape->up, S) : 0;
        const double E[] = {-(s * d[0] + c * d[1]), c * d[0] - s * d[1]};
        *number(a->hinges, HINGE, i, EX) = E[0];
        *number(a->hinges, HINGE, i, EY) = E[1];
        *number(a->hinges, HINGE, i, BX) = bx;
        *number(a->hinges, HINGE, i, BY) = by;
        *number(a->hinges, HINGE, i, BE) = bx * E[0] + by * E[1];
        *number(a->hinges, HINGE, i, INVERSE) = inverse;
        *number(a->shapes, SHAPE, i, NXX) = b->N[0] -= b->B[0] * bx;
        *number(a->shapes, SHAPE, i, NYY) = b->N[1] -= b->B[1] * by;
        *number(a->shapes, SHAPE, i, NXY) = b->N[2] -= b->B[0] * by;
        if (shape->up >= 0)
            add_to_parent(a, b, turns, E, d, shape->up);
    }
    return 1;
}

int hol_plane_articulate(const HolModel *m, HolTreeMemory *s, const double *rate) {
    const Arrays *a = arrays_of(s);
    sum_angles(m, s, rate);
    hol_team_loop(s->team, hol_tree_links(m), turn_loop, &(Start){m, a});
    return articulate(m, a);
}
