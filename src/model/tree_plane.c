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
#include "model/tree_plane.h"

HOL_INLINE void add_products(Sums *e, HolLanes c, HolLanes s, const Record *y) {
    e->sc += s * y->omega;
    e->ss += c * y->omega;
    e->cP_sQ += c * y->P;
    e->cP_sQ -= s * y->Q;
}

// Sums of order k without its newest coefficients; those of order k + 1 likewise, of which all is
// known: coefficients are read once for two orders
HOL_INLINE Sums sum_two(const Arrays *a, int k, long g, const int two) {
    const long groups = a->groups;
    const Record *first = a->records + g, *last = first + k * groups;
    Sums now = {{0}, {0}, {0}}, next = now;
    Record before = *last;
    for (int j = 1; j < k; j++) {
        const Record *x = first + j * groups, y = *(last - j * groups);
        add_products(&now, x->c, x->s, &y);
        if (two)
            add_products(&next, x->c, x->s, &before);
        before = y;
    }
    if (two && k > 0) {
        add_products(&next, last->c, last->s, &before);
        a->early[g] = next;
    }
    return now;
}

// what lower orders give; the newest coefficients, which come late, last
HOL_INLINE void sum_group(const Arrays *a, int k, long g, int order) {
    const Record *first = a->records + g, *last = first + k * a->groups;
    const Coefficients *of = &a->coefficients[g];
    Sums e = k > 0 && k % 2 == 0 ? a->early[g]
             : k + 1 < order     ? sum_two(a, k, g, 1)
                                 : sum_two(a, k, g, 0);
    if (k > 0) { // (P and Q of order -1 are none)
        e.sc += last->s * first->omega;
        e.ss += last->c * first->omega;
    }
    add_products(&e, first->c, first->s, last);
    const double next = k + 1;
    const HolLanes kc = -next * e.sc, ks = next * e.ss;
    a->known[g] = (Known){kc, ks, of->fx_of[0] * kc + of->fx_of[1] * ks,
                          of->fy_of[0] * kc + of->fy_of[1] * ks,
                          of->t_of[0] * kc + of->t_of[1] * ks + e.cP_sQ};
}

HOL_WIDE static void sum_groups(const Arrays *a, int k, int order) {
    for (long g = 0; g < a->groups; g++)
        sum_group(a, k, g, order);
}

static int plane_start(const HolModel *m, HolTreeMemory *s, const double *rate) {
    if (!hol_plane_articulate(m, s, rate))
        return 0;
    sum_groups(arrays_of(s), 0, s->order);
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
    const int next = k + 1, goes_on = next < s->order;
    Motion before = {.y = {k ? 0 : -m->gravity[0], k ? 0 : -m->gravity[1]}};
    w.motion[0] = before;
    for (int g = 0; g < groups; g++) {
        const int first = g * HOL_LANES, n = links - first;
        before = n >= HOL_LANES ? find_group(&w, first, HOL_LANES, before)
                                : find_group(&w, first, n, before);
        if (goes_on && g > 0 && !a->late[g - 1])
            sum_group(a, next, g - 1, s->order);
    }
    if (goes_on)
        sum_group(a, next, groups - 1, s->order);
    for (int g = 0; goes_on && a->n_late && g < groups; g++)
        if (a->late[g])
            sum_group(a, next, g, s->order);
}

static void plane_order(const HolModel *m, HolTreeMemory *s, int k) {
    to_root(m, s, k);
    from_root(m, s, k);
}

const HolTreeForm hol_tree_plane = {.size = hol_plane_size,
                                    .memory = hol_plane_memory,
                                    .start = plane_start,
                                    .order = plane_order,
                                    .reach = hol_plane_reach,
                                    .sides = hol_plane_sides,
                                    .state = hol_plane_state};
