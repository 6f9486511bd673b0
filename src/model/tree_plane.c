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

typedef struct Shape {       // of four links, at the start of the series
    HolLanes c, s;           // order 0
    HolLanes dx, dy, hx, hy; // delta and mh
    HolLanes bx, by;         // B/A; 0: does not turn
    HolLanes Nxx, Nyy, Nxy;  // with those of the children, less B B^T/A
    HolLanes Bx, By;         // B where it does not turn, else 0
} Shape;

typedef struct Known { // of four links, at the present order
    HolLanes kc, ks;
    HolLanes fx, fy; // with those of the children
    HolLanes t;      // likewise; then (tau - t)/A
} Known;

typedef struct Link { // likewise
    double E[2];      // derivative of y by theta'' of the parent: R_p delta turned
    double b[2], bE;  // B/A, and its product with E
    double inverse;   // 1/A; 0: does not turn
    double A, B[2], N[3], theta;
    int at, up_at;     // numbers of the link and of its parent in their groups; those behind the
                       // last link are the ground's
    int slot, up_slot; // of Motion
    int driven, turns;
    int follows; // 1: its parent is the link before it
} Link;

typedef struct Motion { // of a parent, until its last child has passed
    double y[2], alpha;
} Motion;

typedef struct Arrays {
    long groups;     // of four links
    Record *records; // by orders, then groups
    Coefficients *coefficients;
    Shape *shapes;
    Known *known;
    Link *links;
} Arrays;

static int links_of(const HolModel *m) {
    return m->n_bodies - 1;
}

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
    SHAPE = sizeof(Shape) / sizeof(HolLanes)
};

_Static_assert(sizeof(Known) == sizeof(Record), "one place for both");

static int place_of(int i) {
    return i / HOL_LANES * GROUP + i % HOL_LANES;
}

// ---- memory ----

static size_t rounded(size_t bytes) {
    return (bytes + 63) / 64 * 64;
}

// with one for the ground (an odd number: the orders of a link are not all in one set of a cache)
static size_t groups_of(const HolModel *m) {
    return ((size_t)links_of(m) / HOL_LANES + 1) | 1;
}

static size_t plane_size(const HolModel *m, int order) {
    const size_t groups = groups_of(m);
    return rounded(sizeof(Arrays)) + rounded(groups * (size_t)(order + 2) * sizeof(Record)) +
           rounded(groups * sizeof(Coefficients)) + rounded(groups * sizeof(Shape)) +
           rounded(groups * sizeof(Known)) + rounded(groups * HOL_LANES * sizeof(Link));
}

static void plane_memory(const HolModel *m, HolTreeMemory *s, void *memory) {
    const size_t groups = groups_of(m);
    char *at = memory;
    Arrays *a = memory;
    s->arrays = a;
    a->groups = (long)groups;
    at += rounded(sizeof *a);
    a->records = (Record *)at;
    at += rounded(groups * (size_t)(s->order + 2) * sizeof(Record));
    a->coefficients = (Coefficients *)at;
    at += rounded(groups * sizeof(Coefficients));
    a->shapes = (Shape *)at;
    at += rounded(groups * sizeof(Shape));
    a->known = (Known *)at;
    at += rounded(groups * sizeof(Known));
    a->links = (Link *)at;
}

// ---- order 0 ----

// number k of link i in groups of n lanes
HOL_INLINE double *number(void *groups, int n, int i, int k) {
    return (double *)groups + (i / HOL_LANES * n + k) * HOL_LANES + i % HOL_LANES;
}

HOL_INLINE double *coefficient(const Arrays *a, int i, int k) {
    return number(a->coefficients, sizeof(Coefficients) / sizeof(HolLanes), i, k);
}

HOL_INLINE void shape_of(const Arrays *a, int i, const double *numbers, int first, int n) {
    for (int k = 0; k < n; k++)
        *number(a->shapes, SHAPE, i, first + k) = numbers[k];
}

HOL_WIDE static void turn_links(const HolModel *m, const HolTreeMemory *s, const double *rate) {
    const Arrays *a = arrays_of(s);
    const int links = links_of(m);
    typedef struct Turn {
        double theta, omega, c, s;
    } Turn;
    Turn *turns = (Turn *)s->slots;
    turns[0] = (Turn){.c = 0};
    for (int i = 0; i < links; i++) {
        const HolTreeShape *shape = &m->tree_shapes[i];
        const HolTreeKind *kind = &m->tree_kinds[shape->kind];
        Link *l = &a->links[i];
        l->turns = shape->turn >= 0;
        l->driven = shape->driven;
        l->slot = shape->slot;
        l->follows = shape->up == i - 1; // (-1: the ground)
        l->up_slot = shape->up >= 0 ? m->tree_shapes[shape->up].slot : 0;
        l->at = place_of(i);
        l->up_at = place_of(shape->up >= 0 ? shape->up : links);
        const Turn up = turns[l->up_slot];
        const double dphi = l->turns ? shape->sign * rate[shape->turn] : 0;
        const double theta = up.theta + m->tree[i].angle + s->x[i], omega = up.omega + dphi;
        const double c = cos(theta), sn = sin(theta);
        const double dx = kind->arm[0], dy = kind->arm[1], hx = kind->mh[0], hy = kind->mh[1];
        turns[l->slot] = (Turn){theta, omega, c, sn};
        l->theta = theta;
        l->E[0] = -(up.s * dx + up.c * dy);
        l->E[1] = up.c * dx - up.s * dy;
        l->A = kind->inertia[0][2];
        l->B[0] = -(sn * hx + c * hy);
        l->B[1] = c * hx - sn * hy;
        l->N[0] = l->N[1] = shape->mass;
        l->N[2] = 0;
        shape_of(a, i, (double[]){c, sn, dx, dy, hx, hy}, 0, 6);
        const double own[] = {hx, -hy, hy, hx, 0, 0};
        for (int k = 0; k < 6; k++)
            *coefficient(a, i, k) = own[k];
        double *r = (double *)a->records + l->at;
        r[OMEGA] = omega;
        r[COS] = -sn * omega;
        r[SIN] = c * omega;
        r[P] = r[Q] = 0;
        s->rates[i] = dphi;
    }
}

// what a parent sees, N (y + alpha E + kc delta + ks delta turned) + B alpha ..., is added to it
HOL_INLINE void add_to_parent(const Arrays *a, const Link *l, const HolLanes d, int up) {
    Link *to = &a->links[up];
    const double *E = l->E, *N = l->N;
    const double own = l->turns ? 0 : 1; // the part of A and B that the hinge leaves
    const double seen[2] = {own * l->B[0] + N[0] * E[0] + N[2] * E[1],
                            own * l->B[1] + N[2] * E[0] + N[1] * E[1]};
    to->A += own * (l->A + l->B[0] * E[0] + l->B[1] * E[1]) + seen[0] * E[0] + seen[1] * E[1];
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
    for (int i = links_of(m) - 1; i >= 0; i--) {
        const HolTreeShape *shape = &m->tree_shapes[i];
        Link *l = &a->links[i];
        if (l->turns && !(l->A > 0))
            return 0;
        l->inverse = l->turns ? 1 / l->A : 0;
        l->b[0] = l->B[0] * l->inverse;
        l->b[1] = l->B[1] * l->inverse;
        l->bE = l->b[0] * l->E[0] + l->b[1] * l->E[1];
        l->N[0] -= l->B[0] * l->b[0];
        l->N[1] -= l->B[1] * l->b[1];
        l->N[2] -= l->B[0] * l->b[1];
        const double stiff = l->turns ? 0 : 1;
        shape_of(a, i,
                 (double[]){l->b[0], l->b[1], l->N[0], l->N[1], l->N[2], stiff * l->B[0],
                            stiff * l->B[1]},
                 6, 7);
        if (shape->up >= 0)
            add_to_parent(a, l, m->tree_kinds[shape->kind].arm, shape->up);
    }
    return 1;
}

static int plane_start(const HolModel *m, HolTreeMemory *s, const double *rate) {
    turn_links(m, s, rate);
    return articulate(m, arrays_of(s));
}

// ---- order k ----

typedef struct Order {
    const Arrays *a;
    int k;
} Order;

HOL_WIDE static void sum_up(void *context, int first, int end) {
    const Arrays *a = ((const Order *)context)->a;
    const int k = ((const Order *)context)->k;
    const double next = k + 1;
    for (int g = first; g < end; g++) {
        const Record *x = a->records + g, *y = x + k * a->groups;
        const Coefficients *of = &a->coefficients[g];
        HolLanes sc = {0}, ss = {0}, cP = {0}, sQ = {0};
        for (int j = 0; j <= k; j++, x += a->groups, y -= a->groups) {
            sc += x->s * y->omega;
            ss += x->c * y->omega;
            cP += x->c * y->P;
            sQ += x->s * y->Q;
        }
        const HolLanes kc = -next * sc, ks = next * ss;
        a->known[g] = (Known){kc, ks, of->fx_of[0] * kc + of->fx_of[1] * ks,
                              of->fy_of[0] * kc + of->fy_of[1] * ks,
                              of->t_of[0] * kc + of->t_of[1] * ks + (cP - sQ)};
    }
}

static double drive_of(const HolModel *m, const HolTreeMemory *s, int i, int k) {
    const HolTreeShape *l = &m->tree_shapes[i];
    const double *r = s->rates + i + k * hol_tree_stride(m);
    const double phi = k ? r[-hol_tree_stride(m)] / k : s->x[i];
    return s->torque[i] + (k ? 0 : l->free) - l->k * phi - l->c * r[0];
}

HOL_WIDE static void to_root(const HolModel *m, const HolTreeMemory *s, int k) {
    const Arrays *a = arrays_of(s);
    double *all = (double *)a->known;
    for (int i = links_of(m) - 1; i >= 0; i--) {
        const Link *l = &a->links[i];
        double *known = all + l->at, *up = all + l->up_at;
        const double tau = l->driven ? drive_of(m, s, i, k) : 0;
        const double off = tau - known[T], fx = known[FX], fy = known[FY];
        const double fx_up = fx + l->b[0] * off, fy_up = fy + l->b[1] * off;
        up[T] += (l->E[0] * fx + l->E[1] * fy + (l->turns ? tau : known[T])) + l->bE * off;
        up[FX] += fx_up;
        up[FY] += fy_up;
        known[FX] = fx_up;
        known[FY] = fy_up;
        known[T] = off * l->inverse;
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
    const Shape *f = &w->a->shapes[first / HOL_LANES];
    const double *all = (const double *)w->a->known;
    double kc_up[HOL_LANES] = {0}, ks_up[HOL_LANES] = {0};
    double xs[HOL_LANES] = {0}, ys[HOL_LANES] = {0}, alphas[HOL_LANES] = {0}, ups[HOL_LANES] = {0};
    HolLanes kc, ks, x, y, alpha, above;
    for (int i = 0; i < n; i++) {
        kc_up[i] = all[l[i].up_at + KC];
        ks_up[i] = all[l[i].up_at + KS];
    }
    kc = together(kc_up);
    ks = together(ks_up);
    const HolLanes wx = kc * f->dx - ks * f->dy, wy = ks * f->dx + kc * f->dy;
    const HolLanes alone = known->t - (f->bx * wx + f->by * wy);
    for (int i = 0; i < n; i++) {
        const Motion up = l[i].follows ? before : w->motion[l[i].up_slot];
        const double swung = l[i].b[0] * up.y[0] + l[i].b[1] * up.y[1];
        alphas[i] = l[i].turns ? (alone[i] - swung) - l[i].bE * up.alpha : up.alpha;
        xs[i] = (up.y[0] + wx[i]) + l[i].E[0] * up.alpha;
        ys[i] = (up.y[1] + wy[i]) + l[i].E[1] * up.alpha;
        ups[i] = up.alpha;
        before = (Motion){{xs[i], ys[i]}, alphas[i]};
        w->motion[l[i].slot] = before;
        w->rates[first + i] = (alphas[i] - up.alpha) * w->part;
    }
    x = together(xs);
    y = together(ys);
    alpha = together(alphas);
    above = together(ups);
    const HolLanes Fx = known->fx + f->Nxx * x + f->Nxy * y + f->Bx * above,
                   Fy = known->fy + f->Nxy * x + f->Nyy * y + f->By * above;
    const HolLanes toP = f->dx * Fy - f->dy * Fx, toQ = f->dx * Fx + f->dy * Fy;
    w->records[first / HOL_LANES] = (Record){alpha * w->part, (known->kc - f->s * alpha) * w->part2,
                                             (known->ks + f->c * alpha) * w->part2,
                                             f->hx * y - f->hy * x, f->hx * x + f->hy * y};
    double *found = (double *)w->records;
    for (int i = 0; i < n; i++) {
        found[l[i].up_at + P] += toP[i];
        found[l[i].up_at + Q] += toQ[i];
    }
    return before;
}

HOL_WIDE static void from_root(const HolModel *m, const HolTreeMemory *s, int k) {
    const Arrays *a = arrays_of(s);
    const Walk w = {a,
                    (Motion *)s->slots,
                    a->records + (k + 1) * a->groups,
                    s->rates + (k + 1) * hol_tree_stride(m),
                    1.0 / (k + 1),
                    1.0 / ((k + 1) * (k + 2))};
    const int links = links_of(m), whole = links / HOL_LANES * HOL_LANES;
    Motion before = {.y = {k ? 0 : -m->gravity[0], k ? 0 : -m->gravity[1]}};
    w.motion[0] = before;
    for (int first = 0; first < whole; first += HOL_LANES)
        before = find_group(&w, first, HOL_LANES, before);
    if (whole < links)
        (void)find_group(&w, whole, links - whole, before);
}

static void plane_order(const HolModel *m, HolTreeMemory *s, int k) {
    const Arrays *a = arrays_of(s);
    hol_team_loop(s->team, (int)a->groups, sum_up, &(Order){a, k});
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
    memset(s->slots, 0, 3 * sizeof *s->slots); // by slots: turn, way of the joint
    *most = (HolLanes){0};
    for (int i = 0; i < links_of(m); i++, r++) {
        const HolTreeShape *shape = &m->tree_shapes[i];
        const Link *l = &a->links[i];
        const HolLanes *up = s->slots + (long)HOL_TREE_LANES * l->up_slot;
        HolLanes *mine = s->slots + (long)HOL_TREE_LANES * l->slot;
        const HolLanes own =
            x ? (shape->turn >= 0 ? shape->sign * x[shape->turn] : 0) * (HolLanes){1, 0, 0, 0}
              : (HolLanes){r[0], r[stride], r[2 * stride], r[3 * stride]} * share;
        const HolLanes turn = up[0] + own, wx = up[1] + up[0] * l->E[0],
                       wy = up[2] + up[0] * l->E[1];
        const double *h = (const double *)&m->tree_kinds[shape->kind].centre;
        const double c = *number(a->shapes, SHAPE, i, 0), sn = *number(a->shapes, SHAPE, i, 1);
        const HolLanes dx = wx - turn * (sn * h[0] + c * h[1]),
                       dy = wy + turn * (c * h[0] - sn * h[1]);
        mine[0] = turn;
        mine[1] = wx;
        mine[2] = wy;
        *most = lanes_larger(*most, lanes_larger(lanes_abs(dx), lanes_abs(dy)));
        *most = lanes_larger(*most, lanes_abs(own));
    }
}

static void plane_sizes(const HolModel *m, const HolTreeMemory *s, int first,
                        double out[HOL_LANES]) {
    HolLanes most;
    reach(m, s, NULL, first, &most);
    memcpy(out, &most, sizeof most);
}

static double plane_reach(const HolModel *m, const HolTreeMemory *s, const double *x) {
    HolLanes most;
    reach(m, s, x, 1, &most);
    return most[0];
}

// ---- bodies ----

// whole turns that the angle of a body has beside those of its joints
static void plane_sides(const HolModel *m, HolTreeMemory *s, const double *x, const double *q) {
    const double turn = 6.283185307179586477;
    for (int i = 0; i < links_of(m); i++) {
        const HolTreeLink *l = &m->tree[i];
        const double up = l->up >= 0 ? q[m->tree[l->up].q + 2] : 0;
        const double phi = l->turn >= 0 ? l->sign * x[l->turn] : 0;
        s->side[i] = turn * rint((q[l->q + 2] - up - l->angle - phi) / turn);
    }
}

typedef struct Place { // of a body: x, y, and turning
    double r[3], v[3], a[3];
    double theta, c, s; // without whole turns beside those of the joints
} Place;

HOL_INLINE double larger(double most, double a) {
    return a > most ? a : most;
}

HOL_WIDE static void move_bodies(const HolModel *m, const HolTreeMemory *s,
                                 const HolTreeMotion *to) {
    _Static_assert(sizeof(Place) <= HOL_TREE_LANES * sizeof(HolLanes), "a slot");
    const Arrays *a = arrays_of(s);
    Place *places = (Place *)s->slots;
    double most[3] = {0};
    places[0] = (Place){.c = 1};
    for (int i = 0; i < links_of(m); i++) {
        const HolTreeLink *l = &m->tree[i];
        const Place *p = &places[l->up >= 0 ? m->tree_shapes[l->up].slot : 0];
        Place *b = &places[m->tree_shapes[i].slot];
        const int turns = l->turn >= 0;
        const double phi = turns ? l->sign * to->x[l->turn] : 0;
        const double w = p->v[2] + (turns ? l->sign * to->rate[l->turn] : 0);
        const double alpha = p->a[2] + (turns ? l->sign * to->second[l->turn] : 0);
        b->theta = p->theta + l->angle + phi;
        b->r[2] = p->r[2] + l->angle + phi + s->side[i];
        b->v[2] = w;
        b->a[2] = alpha;
        const int known = b->theta == a->links[i].theta; // the series begin here
        b->c = known ? *number(a->shapes, SHAPE, i, 0) : cos(b->theta);
        b->s = known ? *number(a->shapes, SHAPE, i, 1) : sin(b->theta);
        // from the parent to the joint, and from the body to it
        const double pa[2] = {p->c * l->sa[0] - p->s * l->sa[1], p->s * l->sa[0] + p->c * l->sa[1]};
        const double pb[2] = {b->c * l->sb[0] - b->s * l->sb[1], b->s * l->sb[0] + b->c * l->sb[1]};
        const double wp = p->v[2], ap = p->a[2];
        const double joint[3][2] = {
            {p->r[0] + pa[0], p->r[1] + pa[1]},
            {p->v[0] - wp * pa[1], p->v[1] + wp * pa[0]},
            {p->a[0] - ap * pa[1] - wp * wp * pa[0], p->a[1] + ap * pa[0] - wp * wp * pa[1]}};
        const double arm[3][2] = {{pb[0], pb[1]},
                                  {-w * pb[1], w * pb[0]},
                                  {-alpha * pb[1] - w * w * pb[0], alpha * pb[0] - w * w * pb[1]}};
        double *now[3] = {b->r, b->v, b->a};
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < 2; j++) {
                now[k][j] = joint[k][j] - arm[k][j];
                most[k] = larger(most[k], fabs(now[k][j] + arm[k][j] - joint[k][j]));
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
                                    .sizes = plane_sizes,
                                    .sides = plane_sides,
                                    .state = plane_state};
