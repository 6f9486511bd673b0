// SPDX-License-Identifier: Apache-2.0
// Series of a tree of hinges in space (docs/theory/trees.md, section 8.1), link by link, each in
// the joint frame of its own hinge (z along the axis) as it stands at the start of the series. With
// S the rotation by -psi about z, psi = phi - phi_0, C the frame of the hinge in that of the parent
// at psi = 0, y the acceleration of the joint (less gravity), F and T force and torque there,
// W = omega omega^T, B = W - tr W, and delta the vector from the parent's joint to this one:
//   omega = S C^T omega_p + phi' z,   alpha = omega' (in the rotating frame),
//   y = S C^T (y_p + alpha_p x delta + B_p delta),
//   F = m y + alpha x mh + B mh + sum C_c S_c^T F_c,
//   T = I alpha + mh x y + omega x I omega + sum (C_c S_c^T T_c + delta_c x C_c S_c^T F_c)
// c' = -s phi', s' = c phi' for the cosine and sine of psi. Products of series are Cauchy sums.
// Coefficient n: lower orders give the parts of S C^T (..) and S^T (..) that are known; one pass to
// the root and one back solve for phi''_n with the articulated inertia of order 0,
//   T = A alpha + D y, F = D^T alpha + N y.
// The pass back also finds the known parts of the next order, so that each order reads a link's
// data twice. Of a large tree, the products of all but the newest coefficients, which wait for
// nothing, are summed by a second thread while the first one passes along the tree (stage).
// What that pays, on a machine that others used as well: without it a step of a spatial chain of
// 10000 links took 0.82, 0.86 and 1.26 times the time by the clock (best steps of three runs), 0.9
// times the CPU time of both threads and 1.5 times that of the calling thread, which bounds the gain
// with two free cores. One thread does the starts of series (0.87 with 1000 links) and plane trees
// (0.95 to 0.99 with 10000).
// Quantities that links hand on to each other go link by link: vectors in four SIMD lanes, the last
// one zero unless a comment says otherwise, matrices by columns. All else is done for four links
// side by side.
#include "base/thread_pool.h"
#include "model/tree/tree_spatial.h"

#include <string.h>

// TreeSums over products of coefficients without those that the walk to n finds: omega_n, phi'_n,
// carried_(n-1), load_(n-1).
HOL_INLINE TreeSums convolve(const TreeArrays *a, long g, int n) {
    const long groups = a->groups;
    const TreeRecord *R = a->records + g, *last = R + (n - 1) * groups;
    const HolLanes none = {0};
    TreeSums e;
    e.c = e.s = none;
    for (int k = 0; k < 4; k++)
        e.forth[k] = e.back[k] = none;
    for (int k = 0; k < 6; k++)
        e.W.of[k] = none;
    if (n == 0)
        return e;
    HolLanes c_sum = R->c * last->rate, s_sum = R->s * last->rate;
    for (int j = 1; j < n; j++) {
        const TreeRecord *x = R + j * groups, *y = last - j * groups;
        const HolLanes *u = x->omega, *v = y[groups].omega, c = x->c, s = x->s;
        c_sum += c * y->rate;
        s_sum += s * y->rate;
        for (int k = 0; k < 3; k++) {
            e.W.of[k] += u[k] * v[k];
            e.W.of[3 + k] += u[k] * v[(k + 1) % 3];
        }
        for (int k = 0; k < 4; k += 2) {
            e.forth[k] += c * y->carried[k];
            e.forth[k] += s * y->carried[k + 1];
            e.forth[k + 1] += c * y->carried[k + 1];
            e.forth[k + 1] -= s * y->carried[k];
            e.back[k] += c * y->load[k];
            e.back[k] -= s * y->load[k + 1];
            e.back[k + 1] += c * y->load[k + 1];
            e.back[k + 1] += s * y->load[k];
        }
    }
    const double part = 1.0 / (n + 1);
    e.c = -part * s_sum;
    e.s = part * c_sum;
    e.forth[0] += e.c * R->omega[0];
    e.forth[1] += e.c * R->omega[1];
    return e;
}

HOL_WIDE static void sum_up(const TreeArrays *a, int n, int first, int end) {
    for (int g = first; g < end; g++)
        a->sums[g] = convolve(a, g, n);
}

// (what a link hands to the one before it goes by registers)
HOL_WIDE static void tree_spatial_series_to_root(const HolModel *m, const HolTreeMemory *s,
                                                 int first, int end) {
    const TreeArrays *a = spatial_arrays_of(s);
    const HolLanes none = {0};
    HolLanes T_next = none, F_next = none;
    for (int i = end - 1; i >= first; i--) {
        const TreeHinge *h = &a->hinges[i];
        const TreeFrame *f = &a->frames[i];
        TreeLoad *t = &a->loads[i];
        const HolLanes all = t->T + T_next, F = t->F + F_next;
        const double u = ((h->driven ? s->torque[i] : 0) - all[2]) * f->UF[3];
        const HolLanes T = all + t->T[3] * (HolLanes){0, 0, 1, -1};
        t->T = T + f->UT * u;
        t->F = F + f->UF * u;
        // (u and the products wait for each other as little as can be)
        const HolLanes seen = times(f->C, F);
        T_next = times(f->C, T) + cross(m->tree.kinds[h->kind].arm, seen) + h->PT * u;
        F_next = seen + h->PF * u;
        if (!h->follows || i == first) {
            if (h->up >= 0) {
                a->loads[h->up].T += T_next;
                a->loads[h->up].F += F_next;
            }
            T_next = F_next = none;
        }
    }
}

HOL_INLINE void tree_spatial_series_keep(HolLanes *to, const HolLanes *a, int n, const int large) {
    for (int k = 0; k < n; k++)
        if (large)
            lanes_stream(to + k, a[k]);
        else
            to[k] = a[k];
}

typedef struct Walk { // what is the same for all links
    const HolModel *m;
    const HolTreeMemory *s;
    const TreeArrays *a;
    int n;
    double before, part, after, next_part; // n, n + 1 and their inverses
} Walk;

typedef struct Newest { // coefficients that are found of a group: omega_n and those of n - 1
    HolLanes rate, omega[3], carried[4], load[4];
} Newest;

// omega at the start
HOL_INLINE Newest start_group(const Walk *w, long g, TreeMotion *before) {
    const int first = (int)g * HOL_LANES, left = hol_tree_links(w->m) - first;
    const HolLanes rates = lanes_some(w->s->rates + first, left);
    HolLanes omega[4], by[4];
    for (int i = 0; i < HOL_LANES; i++) {
        const TreeHinge *h = &w->a->hinges[first + i];
        const HolLanes up = h->follows ? before->alpha : w->a->motion[h->up_slot].alpha;
        omega[i] = times(h->Ct, up) + rates[i] * (HolLanes){0, 0, 1, 0};
        before->alpha = w->a->motion[h->slot].alpha = omega[i];
    }
    transpose4(omega, by);
    Newest e = {.rate = rates, .omega = {by[0], by[1], by[2]}};
    for (int k = 0; k < 3; k++)
        w->a->records[g].omega[k] = e.omega[k];
    return e;
}

// the coefficients that follow from C^T alpha_p with phi'' (turn: rotation) and C^T (y_p + ..)
// (way: displacement)
HOL_INLINE Newest newest_of(const Walk *w, long g, const HolLanes *T, const HolLanes *F,
                            const HolLanes *turn, const HolLanes *way, const int large) {
    const TreeArrays *a = w->a;
    const TreeGroup *f = &a->shapes[g];
    const TreeKnown *known = &a->known[g];
    HolLanes alpha[4], y[4];
    transpose4(turn, alpha);
    transpose4(way, y);
    Newest e;
    e.rate = alpha[3] * w->part;
    for (int k = 0; k < 2; k++) { // only x and y rotate
        e.carried[k] = alpha[k] * w->part;
        e.carried[2 + k] = y[k] + known->swung[k];
        e.load[k] = F[k] + group_symmetric(f->N, k, y) +
                    (f->D[k] * alpha[0] + f->D[3 + k] * alpha[1] + f->D[6 + k] * alpha[2]) -
                    known->back[k];
        e.load[2 + k] = T[k] + group_symmetric(f->A, k, alpha) + group_dot(f->D + 3 * k, y) -
                        known->back[2 + k];
    }
    e.omega[0] = (alpha[0] + w->before * known->forth[0]) * w->part;
    e.omega[1] = (alpha[1] + w->before * known->forth[1]) * w->part;
    e.omega[2] = (alpha[2] + alpha[3]) * w->part;
    TreeRecord *now = a->records + g + w->n * a->groups, *last = now - a->groups;
    tree_spatial_series_keep(last->carried, e.carried, 4, large);
    tree_spatial_series_keep(last->load, e.load, 4, large);
    tree_spatial_series_keep(now->omega, e.omega, 3, large);
    // (those behind the last link are in the place of the next order, or in none)
    memcpy(w->s->rates + g * HOL_LANES + w->n * hol_tree_stride(w->m), &e.rate, sizeof e.rate);
    return e;
}

// phi'' of order n - 1, one link after the other; *before: the motion of the last
HOL_INLINE Newest tree_spatial_series_find_group(const Walk *w, long g, TreeMotion *before,
                                                 const int large) {
    const TreeArrays *a = w->a;
    const TreeGroup *f = &a->shapes[g];
    const TreeKnown *known = &a->known[g];
    const int first = (int)g * HOL_LANES;
    const HolLanes none = {0};
    HolLanes Ts[4], Fs[4], T[4], F[4], turn[4], way[4];
    for (int i = 0; i < HOL_LANES; i++) {
        Ts[i] = a->loads[first + i].T;
        Fs[i] = a->loads[first + i].F;
    }
    transpose4(Ts, T);
    transpose4(Fs, F);
    // known parts of alpha and y, of two and three lanes
    const HolLanes spin[4] = {w->before * known->forth[0], w->before * known->forth[1], none, none};
    const HolLanes carry[4] = {known->swung[0] + known->forth[2], known->swung[1] + known->forth[3],
                               known->swung[2], none};
    const HolLanes alone =
        T[3] - (f->UT[0] * spin[0] + f->UT[1] * spin[1] + group_dot(f->UF, carry)) * f->inverse;
    HolLanes spins[4], carries[4], up_alpha = before->alpha, up_y = before->y;
    transpose4(spin, spins);
    transpose4(carry, carries);
    for (int i = 0; i < HOL_LANES; i++) {
        const TreeHinge *h = &a->hinges[first + i];
        if (!h->follows) {
            up_alpha = a->motion[h->up_slot].alpha;
            up_y = a->motion[h->up_slot].y;
        }
        const HolLanes pull = h->PT * up_alpha + h->PF * up_y;
        const double second = alone[i] - (pull[0] + pull[1] + pull[2]) * f->inverse[i];
        const HolLanes alpha = times(h->Ct, up_alpha),
                       y = times(h->Ct, up_y + cross(up_alpha, w->m->tree.kinds[h->kind].arm));
        turn[i] = alpha + second * (HolLanes){0, 0, 0, 1};
        way[i] = y;
        up_alpha = (alpha + spins[i]) + second * (HolLanes){0, 0, 1, 0};
        up_y = y + carries[i];
        a->motion[h->slot].alpha = up_alpha;
        a->motion[h->slot].y = up_y;
    }
    before->alpha = up_alpha;
    before->y = up_y;
    return newest_of(w, g, T, F, turn, way, large);
}

HOL_INLINE double spring_torque(const Walk *w, int i) {
    const HolTreeSpring *spring = &w->m->tree.springs[i];
    const long stride = hol_tree_stride(w->m);
    const double *rate = w->s->rates + i + w->n * stride, torque = -spring->c * *rate;
    return w->n ? torque - spring->k * rate[-stride] * w->part
                : torque - spring->k * w->s->x[i] + spring->free;
}

// W of the parents
HOL_INLINE TreeSquares squares_above(const TreeArrays *a, long g, const TreeSquares *own) {
    TreeSquares up;
    for (int k = 0; k < 6; k++) {
        const HolLanes before = g ? a->squares[g - 1].of[k] : (HolLanes){0};
        up.of[k] = __builtin_shufflevector(before, own->of[k], 3, 4, 5, 6);
    }
    for (int i = 0; !a->chain[g] && i < HOL_LANES; i++) {
        const int of = a->hinges[g * HOL_LANES + i].up;
        for (int k = 0; k < 6; k++)
            up.of[k][i] = of < 0 ? 0 : a->squares[of / HOL_LANES].of[k][of % HOL_LANES];
    }
    return up;
}

// T and F that the links ask for by what is known
HOL_INLINE void put_loads(const Walk *w, long g, const TreeSquares *W, const TreeKnown *known) {
    const TreeArrays *a = w->a;
    const TreeGroup *f = &a->shapes[g];
    const int first = (int)g * HOL_LANES;
    const HolLanes spin[2] = {w->after * known->forth[0], w->after * known->forth[1]};
    const HolLanes carry[3] = {known->forth[2] + known->swung[0], known->forth[3] + known->swung[1],
                               known->swung[2]};
    HolLanes T[4], F[4], drive = {0}, of[4];
    F[3] = drive;
    for (int i = 0; i < HOL_LANES; i++)
        if (a->hinges[first + i].driven)
            drive[i] = spring_torque(w, first + i);
    static const int row[3][2] = {{0, 3}, {3, 1}, {5, 4}}; // x and y of the rows of A
    for (int k = 0; k < 3; k++) {
        const HolLanes bias =
            f->A[row[k][0]] * spin[0] + f->A[row[k][1]] * spin[1] + group_dot(f->D + 3 * k, carry);
        T[k] = group_gyroscopic(W->of, k, f->inertia);
        F[k] = group_swing(W->of, k, f->mh) + (f->D[k] * spin[0] + f->D[3 + k] * spin[1]) +
               group_symmetric(f->N, k, carry);
        if (k < 2) {
            T[k] += bias + known->back[2 + k];
            F[k] += known->back[k];
        } else {
            T[k] -= drive;
            T[3] = drive + bias;
        }
    }
    transpose4(T, of);
    for (int i = 0; i < HOL_LANES; i++)
        a->loads[first + i].T = of[i];
    transpose4(F, of);
    for (int i = 0; i < HOL_LANES; i++)
        a->loads[first + i].F = of[i];
}

// what is known of order n
HOL_INLINE void prepare_group(const Walk *w, long g, const Newest *newest, const int large) {
    const TreeArrays *a = w->a;
    const int n = w->n;
    const TreeGroup *f = &a->shapes[g];
    const TreeSums e = large ? a->sums[g] : convolve(a, g, n);
    TreeRecord *start = &a->records[g], *now = start + n * a->groups;
    const HolLanes *u = start->omega, *v = newest->omega, rate = newest->rate;
    const HolLanes first_rate = n ? start->rate : rate, sn = e.s + rate * w->next_part;
    const HolLanes turns[3] = {e.c, sn, rate};
    tree_spatial_series_keep(&now->c, turns, 3, large);
    TreeSquares W;
    for (int k = 0; k < 3; k++) {
        const int next = (k + 1) % 3;
        W.of[k] = e.W.of[k] + u[k] * v[k];
        W.of[3 + k] = e.W.of[3 + k] + u[k] * v[next];
        if (n) {
            W.of[k] += u[k] * v[k];
            W.of[3 + k] += v[k] * u[next];
        }
    }
    for (int k = 0; k < 6; k++)
        a->squares[g].of[k] = W.of[k];
    const TreeSquares up = squares_above(a, g, &W);
    // (c_1 = 0, s_1 = phi'_0)
    TreeKnown known;
    for (int k = 0; k < 4; k += 2) {
        known.forth[k] = e.forth[k] + first_rate * newest->carried[k + 1];
        known.forth[k + 1] = e.forth[k + 1] - first_rate * newest->carried[k];
        known.back[k] = e.back[k] - first_rate * newest->load[k + 1];
        known.back[k + 1] = e.back[k + 1] + first_rate * newest->load[k];
    }
    known.forth[0] += sn * u[1];
    known.forth[1] -= sn * u[0];
    const HolLanes swing[3] = {group_swing(up.of, 0, f->arm), group_swing(up.of, 1, f->arm),
                               group_swing(up.of, 2, f->arm)};
    for (int k = 0; k < 3; k++)
        known.swung[k] = group_dot(f->Ct + 3 * k, swing);
    for (int k = 0; k < 4; k++) {
        a->known[g].forth[k] = known.forth[k];
        a->known[g].back[k] = known.back[k];
    }
    for (int k = 0; k < 3; k++)
        a->known[g].swung[k] = known.swung[k];
    put_loads(w, g, &W, &known);
}

// order n - 1 found, order n prepared
HOL_INLINE void walk_from_root(const HolModel *m, const HolTreeMemory *s, int n, int first, int end,
                               const int large) {
    const Walk w = {m, s, spatial_arrays_of(s), n, n, n ? 1.0 / n : 0, n + 1, 1.0 / (n + 1)};
    // (the first link of a piece follows the one before it, too)
    TreeMotion before = w.a->motion[first ? w.a->hinges[first * HOL_LANES - 1].slot : 0];
    for (int g = first; g < end; g++) {
        const Newest newest =
            n ? tree_spatial_series_find_group(&w, g, &before, large) : start_group(&w, g, &before);
        if (n < s->order)
            prepare_group(&w, g, &newest, large);
    }
    if (large)
        lanes_streamed();
}

HOL_WIDE static void tree_spatial_series_from_root(const HolModel *m, const HolTreeMemory *s, int n,
                                                   int first, int end) {
    walk_from_root(m, s, n, first, end, 0);
}

HOL_WIDE static void from_root_with_sums(const HolModel *m, const HolTreeMemory *s, int n,
                                         int first, int end) {
    walk_from_root(m, s, n, first, end, 1);
}

static int groups_of(const HolModel *m) {
    return (hol_tree_links(m) + HOL_LANES - 1) / HOL_LANES;
}

static int tree_start(const HolModel *m, HolTreeMemory *s) {
    TreeArrays *a = spatial_arrays_of(s);
    if (!hol_tree_articulate(m, s))
        return 0;
    a->motion[0] = (TreeMotion){{0}, {0}};
    tree_spatial_series_from_root(m, s, 0, 0, groups_of(m));
    a->motion[0].y = -load3(m->gravity);
    a->summed = 0;
    return 1;
}

typedef struct Order {
    const HolModel *m;
    HolTreeMemory *s;
    int n;     // that is found
    int stage; // 0, 1, 2
    int cut;   // groups before it are the first half: no parent of theirs is in the second
} Order;

// The halves are walked one after the other, second, first, first, second; the sums of the next
// order of the half that waits are due.
static void stage(void *context, int part) {
    const Order *o = context;
    const HolTreeMemory *s = o->s;
    TreeArrays *a = spatial_arrays_of(s);
    const int next = o->n + 1, links = hol_tree_links(o->m), groups = groups_of(o->m),
              cut_links = o->cut * HOL_LANES, goes_on = next < s->order;
    if (o->stage == 0 && part == 0)
        tree_spatial_series_to_root(o->m, s, cut_links, links);
    else if (o->stage == 0 && goes_on)
        sum_up(a, next, a->summed, o->cut);
    else if (o->stage == 1 && part == 0) {
        tree_spatial_series_to_root(o->m, s, 0, cut_links);
        from_root_with_sums(o->m, s, next, 0, o->cut);
    } else if (o->stage == 1 && goes_on)
        sum_up(a, next, o->cut, groups);
    else if (o->stage == 2 && part == 0)
        from_root_with_sums(o->m, s, next, o->cut, groups);
    else if (o->stage == 2 && next + 1 < s->order)
        sum_up(a, next + 1, 0, a->summed);
}

static void tree_order(const HolModel *m, HolTreeMemory *s, int k) {
    TreeArrays *a = spatial_arrays_of(s);
    if (a->sums) {
        Order o = {m, s, k, 0, groups_of(m) / 2};
        for (; o.stage < 3; o.stage++) {
            if (o.stage == 2)
                a->summed = o.cut * 3 / 4;
            hol_pool_run(s->pool, 2, stage, &o);
        }
    } else {
        tree_spatial_series_to_root(m, s, 0, hol_tree_links(m));
        tree_spatial_series_from_root(m, s, k + 1, 0, groups_of(m));
    }
    a->motion[0].y = (HolLanes){0, 0, 0, 0};
}

// ---- effects of small rotations ----

HOL_WIDE static void tree_spatial_series_reach(const HolModel *m, const HolTreeMemory *s,
                                               const HolBodyScales *scale, const double *x,
                                               const double *y, int first, HolTreeReach *most) {
    const TreeArrays *a = spatial_arrays_of(s);
    const long stride = hol_tree_stride(m);
    const double *r = s->rates + (first - 1) * stride;
    const HolLanes share = {1.0 / first, 1.0 / (first + 1), 1.0 / (first + 2), 1.0 / (first + 3)};
    HolLanes to[6]; // rotation, displacement of the joint; a chain's stay in registers
    memset(s->reach, 0, sizeof to);
    memset(to, 0, sizeof to);
    HolTreeReach all = {0};
    for (int i = 0; i < hol_tree_links(m); i++, r++) {
        const HolTreeShape *l = &m->tree.shapes[i];
        const TreeHinge *hinge = &a->hinges[i];
        const HolTreeKind *kind = &m->tree.kinds[hinge->kind];
        const HolLanes *Ct = hinge->Ct;
        const HolLanes *above = s->reach + (long)HOL_TREE_LANES * hinge->up_slot;
        HolLanes *mine = s->reach + (long)HOL_TREE_LANES * hinge->slot;
        for (int k = 0; !hinge->follows && k < 6; k++)
            to[k] = above[k];
        add_way(to, to + 3, kind->arm);
        const HolLanes by[6] = {to[0], to[1], to[2], to[3], to[4], to[5]};
        for (int k = 0; k < 3; k++) {
            to[k] = Ct[0][k] * by[0] + Ct[1][k] * by[1] + Ct[2][k] * by[2];
            to[3 + k] = Ct[0][k] * by[3] + Ct[1][k] * by[4] + Ct[2][k] * by[5];
        }
        const HolLanes own = x ? hol_tree_turns(l, x, y)
                               : (HolLanes){r[0], r[stride], r[2 * stride], r[3 * stride]} * share;
        to[2] += own;
        for (int k = 0; k < 6; k++)
            mine[k] = to[k];
        HolLanes way[3] = {to[3], to[4], to[5]};
        add_way(to, way, kind->centre);
        hol_tree_widen(&all, scale, m->tree.links[i].body, hol_lanes_largest3(way),
                       lanes_larger(lanes_abs(own), hol_lanes_largest3(to)));
    }
    *most = all;
}

static void tree_reach(const HolModel *m, const HolTreeMemory *s, const HolBodyScales *scale,
                       const double *x, const double *y, int first, HolTreeReach *most) {
    tree_spatial_series_reach(m, s, scale, x, y, first, most);
}

static void tree_orders_keep(const HolModel *m, HolTreeMemory *s, HolKeeper *k) {
    TreeArrays *a = s->arrays;
    HOL_KEEP(k, a->summed);
    hol_tree_keep_arrays(k, a, sizeof *a, hol_tree_orders_size(m, s->order));
}

const HolTreeForm hol_tree_space = {.size = hol_tree_orders_size,
                                    .keep = tree_orders_keep,
                                    .memory = hol_tree_orders_memory,
                                    .start = tree_start,
                                    .order = tree_order,
                                    .reach = tree_reach,
                                    .sides = hol_tree_sides,
                                    .state = hol_tree_state,
                                    .now = &hol_tree_space_now};
