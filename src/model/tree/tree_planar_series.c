// SPDX-License-Identifier: Apache-2.0
// Series of a plane tree of hinges, in global axes (docs/theory/trees.md, section 8.1). With theta
// the angle of a link, c and s its cosine and sine, R the rotation by it, y the acceleration of its
// joint (less gravity), F and T force and torque there, delta the vector from its joint to that of
// a child and h that to its centre of mass, both in its own axes:
//   y_c = y + R'' delta,   F = m y + R'' mh + sum F_c,
//   T   = I theta'' + c P - s Q + sum T_c,
//   P   = mh x y + sum delta_c x F_c,   Q = mh . y + sum delta_c . F_c
// All is linear but c' = -s theta', s' = c theta' and c P - s Q: four products of series a link,
// for four links at once. With theta''_k = alpha and the known parts kc, ks of R''_k,
//   c''_k = kc - s_0 alpha,   s''_k = ks + c_0 alpha,
// a link needs F = B alpha + N y + f, T = A alpha + B y + t. The torque T of its hinge is tau, so
//   alpha = (tau - t - B y)/A,   F = (N - B B^T/A) y + f + B (tau - t)/A
// go to its parent: one pass to the root and one back for each order. What kc and ks of a link add
// to its children's y, and through them to f and t, is linear and found once (f_of, t_of). A link
// waits for little of the one before it: with b = B/A, E the derivative of y by theta''_p and w the
// known part of R'' delta,
//   alpha = (tau - t)/A - b (y_p + w) - (b E) theta''_p,   E F = E f - (b E) (t - tau)
#include "model/tree/tree_planar.h"

#include <string.h>

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

static int tree_planar_series_plane_start(const HolModel *m, HolTreeMemory *s) {
    if (!hol_plane_articulate(m, s))
        return 0;
    sum_groups(planar_arrays_of(s), 0, s->order);
    return 1;
}

// ---- order k ----

// (what a link hands to the one before it goes by registers)
HOL_WIDE static void tree_planar_series_to_root(const HolModel *m, const HolTreeMemory *s, int k) {
    const Arrays *a = planar_arrays_of(s);
    double *all = (double *)a->known, fx_next = 0, fy_next = 0, t_next = 0;
    const int links = hol_tree_links(m);
    for (int i = links - 1; i >= 0; i--) {
        const Link *l = &a->links[i];
        const double *h = number(a->hinges, HINGE, i, 0);
        const double bx = h[BX * HOL_LANES], by = h[BY * HOL_LANES], bE = h[BE * HOL_LANES];
        double *known = all + place_of(i);
        const double tau = l->driven ? hol_tree_drive(m, s, i, k) : 0;
        const double fx = known[FX] + fx_next, fy = known[FY] + fy_next, t = known[T] + t_next;
        fx_next = known[FX] = (fx + bx * tau) - bx * t;
        fy_next = known[FY] = (fy + by * tau) - by * t;
        known[T] = (tau - t) * h[INVERSE * HOL_LANES];
        t_next = (h[EX * HOL_LANES] * fx + h[EY * HOL_LANES] * fy + bE * tau) - bE * t +
                 (l->turns ? tau : t);
        if (!l->follows) {
            double *up = all + l->up_at; // (of the ground it may be among the last four)
            if (l->up < links) {
                up[FX] += fx_next;
                up[FY] += fy_next;
                up[T] += t_next;
            }
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

typedef struct Group { // what the walk needs of four links or less
    const Known *known;
    const Hinges *h;
    const Shapes *f;
    const Link *l;
    Record *record; // of order k + 1
    double *rates;  // likewise
} Group;

HOL_INLINE Group group_at(const Walk *w, int first) {
    const int g = first / HOL_LANES;
    return (Group){&w->a->known[g],     &w->a->hinges[g], &w->a->shapes[g],
                   w->a->links + first, &w->records[g],   w->rates + first};
}

// what a group finds, with alpha, y of its links; P and Q without those of children
HOL_INLINE Record record_of(const Walk *w, const Group *g, HolLanes alpha, HolLanes x, HolLanes y) {
    const Shapes *f = g->f;
    const HolLanes kc = g->known->kc, ks = g->known->ks;
    return (Record){alpha * w->part, (kc - f->s * alpha) * w->part2, (ks + f->c * alpha) * w->part2,
                    f->hx * y - f->hy * x, f->hx * x + f->hy * y};
}

// what links add to P and Q of their parents, by the force F that the hinge leaves
typedef struct Parts {
    HolLanes P, Q;
} Parts;

HOL_INLINE Parts tree_planar_series_parts_of(const Group *g, HolLanes x, HolLanes y) {
    const Shapes *f = g->f;
    const HolLanes Fx = g->known->fx + f->Nxx * x + f->Nxy * y,
                   Fy = g->known->fy + f->Nxy * x + f->Nyy * y;
    return (Parts){f->dx * Fy - f->dy * Fx, f->dx * Fx + f->dy * Fy};
}

// n links from `first` on, a group of four or less: alpha and y one after the other, all else side
// by side
HOL_INLINE Motion tree_planar_series_find_group(const Walk *w, int first, const int n,
                                                Motion before) {
    const Group g = group_at(w, first);
    const Link *l = g.l;
    const double *all = (const double *)w->a->known;
    double kc_up[HOL_LANES] = {0}, ks_up[HOL_LANES] = {0};
    double xs[HOL_LANES] = {0}, ys[HOL_LANES] = {0}, alphas[HOL_LANES] = {0};
    for (int i = 0; i < n; i++) {
        kc_up[i] = all[l[i].up_at + KC];
        ks_up[i] = all[l[i].up_at + KS];
    }
    const HolLanes kc = together(kc_up), ks = together(ks_up);
    const HolLanes wx = kc * g.f->dx - ks * g.f->dy, wy = ks * g.f->dx + kc * g.f->dy;
    const HolLanes alone = g.known->t - (g.h->bx * wx + g.h->by * wy);
    for (int i = 0; i < n; i++) {
        const Motion up = l[i].follows ? before : w->motion[l[i].up_slot];
        const double swung = g.h->bx[i] * up.y[0] + g.h->by[i] * up.y[1];
        alphas[i] = l[i].turns ? (alone[i] - swung) - g.h->bE[i] * up.alpha : up.alpha;
        xs[i] = (up.y[0] + wx[i]) + g.h->Ex[i] * up.alpha;
        ys[i] = (up.y[1] + wy[i]) + g.h->Ey[i] * up.alpha;
        before = (Motion){{xs[i], ys[i]}, alphas[i]};
        w->motion[l[i].slot] = before;
        g.rates[i] = (alphas[i] - up.alpha) * w->part;
    }
    const HolLanes x = together(xs), y = together(ys);
    const Parts parts = tree_planar_series_parts_of(&g, x, y);
    *g.record = record_of(w, &g, together(alphas), x, y);
    double *found = (double *)w->records;
    for (int i = 0; i < n; i++) {
        double p = parts.P[i], q = parts.Q[i];
        if (!l[i].turns) { // F has B alpha, too
            const Bodies *b = &w->a->bodies[first / HOL_LANES];
            p += (g.f->dx[i] * b->By[i] - g.f->dy[i] * b->Bx[i]) * alphas[i];
            q += (g.f->dx[i] * b->Bx[i] + g.f->dy[i] * b->By[i]) * alphas[i];
        }
        found[l[i].up_at + P] += p;
        found[l[i].up_at + Q] += q;
    }
    return before;
}

HOL_INLINE HolLanes of_children(HolLanes a) {
    return __builtin_shufflevector(a, (HolLanes){0, 0, 0, 0}, 1, 2, 3, 4);
}

// The same for links of a chain that all turn, each the parent of the next: what parents and
// children give each other stays in registers of four numbers. (What is written of links behind the
// last one is in the place of the next order, or in none.)
HOL_INLINE Motion find_chain(const Walk *w, int first, Motion before) {
    const Group g = group_at(w, first);
    const HolLanes none = {0}, up_kc = first ? g.known[-1].kc : none,
                   up_ks = first ? g.known[-1].ks : none;
    const HolLanes kc = plane_above(up_kc, g.known->kc), ks = plane_above(up_ks, g.known->ks);
    const HolLanes wx = kc * g.f->dx - ks * g.f->dy, wy = ks * g.f->dx + kc * g.f->dy;
    const HolLanes alone = g.known->t - (g.h->bx * wx + g.h->by * wy);
    const HolLanes up_alpha = before.alpha * (HolLanes){1, 1, 1, 1};
    double xs[HOL_LANES], ys[HOL_LANES], alphas[HOL_LANES];
    for (int i = 0; i < HOL_LANES; i++) {
        const Motion up = before;
        const double swung = g.h->bx[i] * up.y[0] + g.h->by[i] * up.y[1];
        alphas[i] = (alone[i] - swung) - g.h->bE[i] * up.alpha;
        xs[i] = (up.y[0] + wx[i]) + g.h->Ex[i] * up.alpha;
        ys[i] = (up.y[1] + wy[i]) + g.h->Ey[i] * up.alpha;
        before = (Motion){{xs[i], ys[i]}, alphas[i]};
        if (g.l[i].kept)
            w->motion[g.l[i].slot] = before;
    }
    const HolLanes x = together(xs), y = together(ys), alpha = together(alphas);
    const HolLanes rates = (alpha - plane_above(up_alpha, alpha)) * w->part;
    memcpy(g.rates, &rates, sizeof rates);
    const Parts parts = tree_planar_series_parts_of(&g, x, y);
    Record found = record_of(w, &g, alpha, x, y);
    found.P += of_children(parts.P);
    found.Q += of_children(parts.Q);
    *g.record = found;
    if (first) {
        g.record[-1].P += parts.P[0] * (HolLanes){0, 0, 0, 1};
        g.record[-1].Q += parts.Q[0] * (HolLanes){0, 0, 0, 1};
    }
    return before;
}

// Coefficient k, and group by group what the next order knows, once a group's children have passed:
// links wait for those before them, sums for memory.
HOL_WIDE static void tree_planar_series_from_root(const HolModel *m, const HolTreeMemory *s,
                                                  int k) {
    const Arrays *a = planar_arrays_of(s);
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
        before = a->chain[g]      ? find_chain(&w, first, before)
                 : n >= HOL_LANES ? tree_planar_series_find_group(&w, first, HOL_LANES, before)
                                  : tree_planar_series_find_group(&w, first, n, before);
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
    tree_planar_series_to_root(m, s, k);
    tree_planar_series_from_root(m, s, k);
}

static void plane_keep(const HolModel *m, HolTreeMemory *s, HolKeeper *k) {
    hol_tree_keep_arrays(k, s->arrays, sizeof(Arrays), hol_plane_size(m, s->order));
}

const HolTreeForm hol_tree_plane = {.size = hol_plane_size,
                                    .keep = plane_keep,
                                    .memory = hol_plane_memory,
                                    .start = tree_planar_series_plane_start,
                                    .order = plane_order,
                                    .accelerate = hol_plane_accelerate,
                                    .reach = hol_plane_reach,
                                    .sides = hol_plane_sides,
                                    .state = hol_plane_state};
