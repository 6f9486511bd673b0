// SPDX-License-Identifier: Apache-2.0
// Series of a plane tree of hinges, in global axes. With theta the angle of a link, c and s its
// cosine and sine, R the turn by it, y the acceleration of its joint (less gravity), F and T force
// and torque there, delta the way from its joint to that of a child and h that to its centre of
// mass, both in its own axes:
//   y_c = y + R'' delta,   F = m y + R'' mh + sum F_c,
//   T   = I theta'' + c P - s Q + sum T_c,
//   P   = mh x y + sum delta_c x F_c,   Q = mh . y + sum delta_c . F_c
// All is linear but c' = -s theta', s' = c theta' and c P - s Q: four products of series a link,
// for four links at once. With theta''_k = alpha and the known parts of R''_k,
//   c''_k = kc - s_0 alpha,   s''_k = ks + c_0 alpha,
// a link asks for F = B alpha + N y + f, T = A alpha + B y + t. Its hinge, which gives way until
// T = tau, leaves
//   alpha = (tau - t - B y)/A,   F = (N - B B^T/A) y + f + B (tau - t)/A
// to its parent: a walk to the root and one back an order. What kc and ks of a link do to its
// children's y, and that to f and t, is linear in them and found once (f_of, t_of). A link waits
// for little of the one before it: with b = B/A, E the derivative of y by theta''_p and w the known
// part of R'' delta,
//   alpha = (tau - t)/A - b (y_p + w) - (b E) theta''_p,   E F = E f - (b E) (t - tau)
#include "base/team.h"
#include "model/tree.h"

#include <math.h>
#include <string.h>

typedef struct Record { // of four links
    HolLanes omega;     // order j
    HolLanes c, s;      // order j + 1
    HolLanes P, Q;      // order j - 1
} Record;

typedef struct Coefficients { // of four links: of kc and of ks
    HolLanes fx_of[2], fy_of[2], t_of[2];
} Coefficients;

typedef struct Hinges { // of four links, at the start of the series
    HolLanes bx, by;    // b = B/A; 0: does not turn
    HolLanes Ex, Ey;    // derivative of y by theta'' of the parent: R_p delta turned
    HolLanes bE;
    HolLanes inverse; // 1/A; 0: does not turn
} Hinges;

typedef struct Shapes {      // of four links, likewise
    HolLanes dx, dy, hx, hy; // delta and mh
    HolLanes c, s;           // order 0
    HolLanes Nxx, Nyy, Nxy;  // with those of the children, less B B^T/A
} Shapes;

typedef struct Known { // of four links, at the present order
    HolLanes kc, ks;
    HolLanes fx, fy; // with those of the children
    HolLanes t;      // likewise; then (tau - t)/A
} Known;

typedef struct Link {
    int up_at;         // numbers of its parent in their groups; those behind the last link are the
                       // ground's
    int slot, up_slot; // of Motion
    unsigned char driven, turns, follows; // follows: its parent is the link before it
} Link;

typedef struct Body { // with those of the children
    double A, B[2], N[3];
    double theta;
} Body;

typedef struct Motion { // of a parent, until its last child has passed
    double y[2], alpha;
} Motion;

typedef struct Arrays {
    long groups; // of four links
    int n_late;  // groups with children beyond the next one
    int *late;
    Record *records; // by orders, then groups
    Coefficients *coefficients;
    Hinges *hinges;
    Shapes *shapes;
    Known *known;
    Link *links;
    Body *bodies;
} Arrays;

static Arrays *arrays_of(const HolTreeMemory *s) {
    return s->arrays;
}

enum { // numbers of a link in groups of records and of known parts, which are of one size
    OMEGA = 0,
    COS = HOL_LANES,
    SIN = 2 * HOL_LANES,
    P = 3 * HOL_LANES,
    Q = 4 * HOL_LANES,
    KC = 0,
    KS = HOL_LANES,
    FX = 2 * HOL_LANES,
    FY = 3 * HOL_LANES,
    T = 4 * HOL_LANES,
    GROUP = sizeof(Record) / sizeof(double),
    BX = 0, // in groups of hinges
    BY,
    EX,
    EY,
    BE,
    INVERSE,
    HINGE,
    DX = 0, // in groups of shapes
    DY,
    HX,
    HY,
    C,
    S,
    NXX,
    NYY,
    NXY,
    SHAPE
};

_Static_assert(sizeof(Known) == sizeof(Record), "one place for both");

static int place_of(int i) {
    return i / HOL_LANES * GROUP + i % HOL_LANES;
}

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
    return size;
}

static size_t plane_size(const HolModel *m, int order) {
    Arrays none;
    return lay_out_all(m, order, NULL, &none);
}

// number k of link i in groups of n lanes
HOL_INLINE double *number(void *groups, int n, int i, int k) {
    return (double *)groups + (i / HOL_LANES * n + k) * HOL_LANES + i % HOL_LANES;
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

static void plane_memory(const HolModel *m, HolTreeMemory *s) {
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

// what lower orders give; the newest coefficients, which come late, last
HOL_INLINE void sum_group(const Arrays *a, int k, long g) {
    const long groups = a->groups;
    const Record *first = a->records + g, *last = first + k * groups;
    const Coefficients *of = &a->coefficients[g];
    HolLanes sc = {0}, ss = {0}, cP = {0}, sQ = {0};
    for (int j = 1; j < k; j++) {
        const Record *x = first + j * groups, *y = last - j * groups;
        sc += x->s * y->omega;
        ss += x->c * y->omega;
        cP += x->c * y->P;
        sQ += x->s * y->Q;
    }
    if (k > 0) { // (P and Q of order -1 are none)
        sc += last->s * first->omega;
        ss += last->c * first->omega;
    }
    sc += first->s * last->omega;
    ss += first->c * last->omega;
    cP += first->c * last->P;
    sQ += first->s * last->Q;
    const double next = k + 1;
    const HolLanes kc = -next * sc, ks = next * ss;
    a->known[g] = (Known){kc, ks, of->fx_of[0] * kc + of->fx_of[1] * ks,
                          of->fy_of[0] * kc + of->fy_of[1] * ks,
                          of->t_of[0] * kc + of->t_of[1] * ks + (cP - sQ)};
}

HOL_WIDE static void sum_groups(const Arrays *a, int k) {
    for (long g = 0; g < a->groups; g++)
        sum_group(a, k, g);
}

static int plane_start(const HolModel *m, HolTreeMemory *s, const double *rate) {
    const Arrays *a = arrays_of(s);
    sum_angles(m, s, rate);
    hol_team_loop(s->team, hol_tree_links(m), turn_loop, &(Start){m, a});
    if (!articulate(m, a))
        return 0;
    sum_groups(a, 0);
    return 1;
}

// ---- order k ----

static double drive_of(const HolModel *m, const HolTreeMemory *s, int i, int k) {
    const HolTreeSpring *l = &m->tree_springs[i];
    const double *r = s->rates + i + k * hol_tree_stride(m);
    const double phi = k ? r[-hol_tree_stride(m)] / k : s->x[i];
    return s->torque[i] + (k ? 0 : l->free) - l->k * phi - l->c * r[0];
}

// (what a link hands to the one before it goes by registers)
HOL_WIDE static void to_root(const HolModel *m, const HolTreeMemory *s, int k) {
    const Arrays *a = arrays_of(s);
    double *all = (double *)a->known, fx_next = 0, fy_next = 0, t_next = 0;
    for (int i = hol_tree_links(m) - 1; i >= 0; i--) {
        const Link *l = &a->links[i];
        const double *h = number(a->hinges, HINGE, i, 0);
        const double bx = h[BX * HOL_LANES], by = h[BY * HOL_LANES], bE = h[BE * HOL_LANES];
        double *known = all + place_of(i);
        const double tau = l->driven ? drive_of(m, s, i, k) : 0;
        const double fx = known[FX] + fx_next, fy = known[FY] + fy_next, t = known[T] + t_next;
        fx_next = known[FX] = (fx + bx * tau) - bx * t;
        fy_next = known[FY] = (fy + by * tau) - by * t;
        known[T] = (tau - t) * h[INVERSE * HOL_LANES];
        t_next = (h[EX * HOL_LANES] * fx + h[EY * HOL_LANES] * fy + bE * tau) - bE * t +
                 (l->turns ? tau : t);
        if (!l->follows) {
            double *up = all + l->up_at;
            up[FX] += fx_next;
            up[FY] += fy_next;
            up[T] += t_next;
            fx_next = fy_next = t_next = 0;
        }
    }
}

typedef struct Walk { // from the root, coefficient k of theta''
    const Arrays *a;
    Motion *motion;
    Record *records;    // of order k + 1
    double *rates;      // likewise
    double part, part2; // 1/(k+1), 1/((k+1)(k+2))
} Walk;

HOL_INLINE HolLanes together(const double *x) {
    return (HolLanes){x[0], x[1], x[2], x[3]};
}

// n links from `first` on, a group of four or less: alpha and y one after the other, all else side
// by side
HOL_INLINE Motion find_group(const Walk *w, int first, const int n, Motion before) {
    const Link *l = w->a->links + first;
    const Known *known = &w->a->known[first / HOL_LANES];
    const Hinges *h = &w->a->hinges[first / HOL_LANES];
    const Shapes *f = &w->a->shapes[first / HOL_LANES];
    const double *all = (const double *)w->a->known;
    double kc_up[HOL_LANES] = {0}, ks_up[HOL_LANES] = {0};
    double xs[HOL_LANES] = {0}, ys[HOL_LANES] = {0}, alphas[HOL_LANES] = {0};
    for (int i = 0; i < n; i++) {
        kc_up[i] = all[l[i].up_at + KC];
        ks_up[i] = all[l[i].up_at + KS];
    }
    const HolLanes kc = together(kc_up), ks = together(ks_up);
    const HolLanes wx = kc * f->dx - ks * f->dy, wy = ks * f->dx + kc * f->dy;
    const HolLanes alone = known->t - (h->bx * wx + h->by * wy);
    for (int i = 0; i < n; i++) {
        const Motion up = l[i].follows ? before : w->motion[l[i].up_slot];
        const double swung = h->bx[i] * up.y[0] + h->by[i] * up.y[1];
        alphas[i] = l[i].turns ? (alone[i] - swung) - h->bE[i] * up.alpha : up.alpha;
        xs[i] = (up.y[0] + wx[i]) + h->Ex[i] * up.alpha;
        ys[i] = (up.y[1] + wy[i]) + h->Ey[i] * up.alpha;
        before = (Motion){{xs[i], ys[i]}, alphas[i]};
        w->motion[l[i].slot] = before;
        w->rates[first + i] = (alphas[i] - up.alpha) * w->part;
    }
    const HolLanes x = together(xs), y = together(ys), alpha = together(alphas);
    const HolLanes Fx = known->fx + f->Nxx * x + f->Nxy * y,
                   Fy = known->fy + f->Nxy * x + f->Nyy * y;
    const HolLanes toP = f->dx * Fy - f->dy * Fx, toQ = f->dx * Fx + f->dy * Fy;
    w->records[first / HOL_LANES] = (Record){alpha * w->part, (known->kc - f->s * alpha) * w->part2,
                                             (known->ks + f->c * alpha) * w->part2,
                                             f->hx * y - f->hy * x, f->hx * x + f->hy * y};
    double *found = (double *)w->records;
    for (int i = 0; i < n; i++) {
        double p = toP[i], q = toQ[i];
        if (!l[i].turns) { // F has B alpha, too
            const double *B = w->a->bodies[first + i].B;
            p += (f->dx[i] * B[1] - f->dy[i] * B[0]) * alphas[i];
            q += (f->dx[i] * B[0] + f->dy[i] * B[1]) * alphas[i];
        }
        found[l[i].up_at + P] += p;
        found[l[i].up_at + Q] += q;
    }
    return before;
}

// Coefficient k, and group by group what the next order knows, once a group's children have passed:
// links wait for those before them, sums for memory.
HOL_WIDE static void from_root(const HolModel *m, const HolTreeMemory *s, int k) {
    const Arrays *a = arrays_of(s);
    const Walk w = {a,
                    (Motion *)s->slots,
                    a->records + (k + 1) * a->groups,
                    s->rates + (k + 1) * hol_tree_stride(m),
                    1.0 / (k + 1),
                    1.0 / ((k + 1) * (k + 2))};
    const int links = hol_tree_links(m), groups = (links + HOL_LANES - 1) / HOL_LANES;
    const int goes_on = k + 1 < s->order;
    Motion before = {.y = {k ? 0 : -m->gravity[0], k ? 0 : -m->gravity[1]}};
    w.motion[0] = before;
    for (int g = 0; g < groups; g++) {
        const int first = g * HOL_LANES, n = links - first;
        before = n >= HOL_LANES ? find_group(&w, first, HOL_LANES, before)
                                : find_group(&w, first, n, before);
        if (goes_on && g > 0 && !a->late[g - 1])
            sum_group(a, k + 1, g - 1);
    }
    if (goes_on)
        sum_group(a, k + 1, groups - 1);
    for (int g = 0; goes_on && a->n_late && g < groups; g++)
        if (a->late[g])
            sum_group(a, k + 1, g);
}

static void plane_order(const HolModel *m, HolTreeMemory *s, int k) {
    to_root(m, s, k);
    from_root(m, s, k);
}

// ---- what small turns do ----

HOL_WIDE static void reach(const HolModel *m, const HolTreeMemory *s, const double *x, int first,
                           HolLanes *most) {
    const Arrays *a = arrays_of(s);
    const long stride = hol_tree_stride(m);
    const double *r = s->rates + (first - 1) * stride;
    const HolLanes share = {1.0 / first, 1.0 / (first + 1), 1.0 / (first + 2), 1.0 / (first + 3)};
    memset(s->reach, 0, 3 * sizeof *s->reach); // by slots: turn, way of the joint
    *most = (HolLanes){0};
    for (int i = 0; i < hol_tree_links(m); i++, r++) {
        const HolTreeShape *shape = &m->tree_shapes[i];
        const Link *l = &a->links[i];
        const HolLanes *up = s->reach + (long)HOL_TREE_LANES * l->up_slot;
        HolLanes *mine = s->reach + (long)HOL_TREE_LANES * l->slot;
        const HolLanes own =
            x ? (shape->turn >= 0 ? shape->sign * x[shape->turn] : 0) * (HolLanes){1, 0, 0, 0}
              : (HolLanes){r[0], r[stride], r[2 * stride], r[3 * stride]} * share;
        const HolLanes turn = up[0] + own, wx = up[1] + up[0] * *number(a->hinges, HINGE, i, EX),
                       wy = up[2] + up[0] * *number(a->hinges, HINGE, i, EY);
        const double *h = (const double *)&m->tree_kinds[shape->kind].centre;
        const double c = *number(a->shapes, SHAPE, i, C), sn = *number(a->shapes, SHAPE, i, S);
        const HolLanes dx = wx - turn * (sn * h[0] + c * h[1]),
                       dy = wy + turn * (c * h[0] - sn * h[1]);
        mine[0] = turn;
        mine[1] = wx;
        mine[2] = wy;
        *most = lanes_larger(*most, lanes_larger(lanes_abs(dx), lanes_abs(dy)));
        *most = lanes_larger(*most, lanes_abs(own));
    }
}

static void plane_reach(const HolModel *m, const HolTreeMemory *s, const double *x, int first,
                        HolLanes *most) {
    reach(m, s, x, first, most);
}

// ---- bodies ----

// whole turns that the angle of a body has beside those of its joints
static void plane_sides(const HolModel *m, HolTreeMemory *s, const double *x, const double *q) {
    const double turn = 6.283185307179586477;
    for (int i = 0; i < hol_tree_links(m); i++) {
        const HolTreeLink *l = &m->tree[i];
        const double up = l->up >= 0 ? q[m->tree[l->up].q + 2] : 0;
        const double phi = l->turn >= 0 ? l->sign * x[l->turn] : 0;
        s->side[i] = turn * rint((q[l->q + 2] - up - l->angle - phi) / turn);
    }
}

typedef struct Place { // of a body: x, y, and turning
    double r[3], v[3], a[3];
    double theta, c, s; // without whole turns beside those of the joints
    double h[2];        // from its joint to its centre of mass
} Place;

HOL_INLINE double larger(double most, double a) {
    return a > most ? a : most;
}

// x, y on the three levels of a point at `arm` from a place that turns, in global axes
HOL_INLINE void swing(const Place *p, const double arm[2], double out[3][2]) {
    const double w = p->v[2], alpha = p->a[2], x = arm[0], y = arm[1];
    out[0][0] = x;
    out[0][1] = y;
    out[1][0] = -w * y;
    out[1][1] = w * x;
    out[2][0] = -alpha * y - w * w * x;
    out[2][1] = alpha * x - w * w * y;
}

HOL_WIDE static void move_bodies(const HolModel *m, const HolTreeMemory *s,
                                 const HolTreeMotion *to) {
    _Static_assert(sizeof(Place) <= HOL_TREE_LANES * sizeof(HolLanes), "a slot");
    const Arrays *a = arrays_of(s);
    Place *places = (Place *)s->slots;
    double most[3] = {0};
    places[0] = (Place){.c = 1};
    for (int i = 0; i < hol_tree_links(m); i++) {
        const HolTreeShape *l = &m->tree_shapes[i];
        const HolTreeKind *kind = &m->tree_kinds[l->kind];
        const Place *p = &places[l->up_slot];
        Place *b = &places[l->slot];
        const int turns = l->turn >= 0;
        const double phi = turns ? l->sign * to->x[l->turn] : 0;
        b->theta = p->theta + l->angle + phi;
        b->r[2] = p->r[2] + l->angle + phi + s->side[i];
        b->v[2] = p->v[2] + (turns ? l->sign * to->rate[l->turn] : 0);
        b->a[2] = p->a[2] + (turns ? l->sign * to->second[l->turn] : 0);
        const int known = b->theta == a->bodies[i].theta; // the series begin here
        b->c = known ? *number(a->shapes, SHAPE, i, C) : cos(b->theta);
        b->s = known ? *number(a->shapes, SHAPE, i, S) : sin(b->theta);
        b->h[0] = b->c * kind->centre[0] - b->s * kind->centre[1];
        b->h[1] = b->s * kind->centre[0] + b->c * kind->centre[1];
        // from the parent's centre to the joint, and from the joint to the body's
        const double arm[2] = {p->c * kind->arm[0] - p->s * kind->arm[1] - p->h[0],
                               p->s * kind->arm[0] + p->c * kind->arm[1] - p->h[1]};
        double joint[3][2], own[3][2];
        swing(p, arm, joint);
        swing(b, b->h, own);
        const double *const up[3] = {p->r, p->v, p->a};
        double *const now[3] = {b->r, b->v, b->a};
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < 2; j++) {
                joint[k][j] += up[k][j];
                now[k][j] = joint[k][j] + own[k][j];
                most[k] = larger(most[k], fabs(now[k][j] - own[k][j] - joint[k][j]));
            }
        memcpy(to->q + l->q, b->r, sizeof b->r);
        memcpy(to->v + l->v, b->v, sizeof b->v);
        memcpy(to->a + l->v, b->a, sizeof b->a);
    }
    memcpy(to->residual, most, sizeof most);
}

static void plane_state(const HolModel *m, const HolTreeMemory *s, const HolTreeMotion *to) {
    move_bodies(m, s, to);
}

const HolTreeForm hol_tree_plane = {.size = plane_size,
                                    .memory = plane_memory,
                                    .start = plane_start,
                                    .order = plane_order,
                                    .reach = plane_reach,
                                    .sides = plane_sides,
                                    .state = plane_state};
