// SPDX-License-Identifier: Apache-2.0
// Series of a tree of hinges in space, by links, each in the joint frame of its own hinge (z along
// the axis) as it stands at the start of the series. With S the turn by -psi about z, psi = phi -
// phi_0, C the frame of the hinge in that of the parent at psi = 0, y the acceleration of the joint
// (less gravity), F and T force and torque there, W = omega omega^T, B = W - tr W, and delta the
// way from the parent's joint to this one:
//   omega = S C^T omega_p + phi' z,   alpha = omega' (in the turning frame),
//   y = S C^T (y_p + alpha_p x delta + B_p delta),
//   F = m y + alpha x mh + B mh + sum C_c S_c^T F_c,
//   T = I alpha + mh x y + omega x I omega + sum (C_c S_c^T T_c + delta_c x C_c S_c^T F_c)
// c' = -s phi', s' = c phi' for the cosine and sine of psi. Products of series: Cauchy. Coefficient
// n: lower orders give the parts of S C^T (..) and S^T (..) that are known; one walk to the root
// and one back solve for phi''_n with the articulated inertia of order 0,
//   T = A alpha + D y, F = D^T alpha + N y.
// The walk back also finds what the next order knows: a link and all it needs pass by twice an
// order. Of a large tree, the products of all but the newest coefficients, which wait for nothing,
// are summed by a second thread while the first one walks (stage).
// Vectors stand in four lanes, the last one zero or told; matrices by columns.
#include "base/team.h"
#include "model/tree_arrays.h"

#include <string.h>

// TreeSums over products of coefficients without those that the walk to n finds: omega_n, phi'_n,
// carried_(n-1), load_(n-1).
HOL_INLINE TreeSums convolve(const TreeArrays *a, int link, int n) {
    const long stride = a->stride;
    const TreeRecord *R = a->records + link, *last = R + (n - 1) * stride;
    if (n == 0)
        return (TreeSums){{0}, {0}, {0}, {0}};
    HolLanes next = R->turn * last->turn[2];
    HolLanes squares = {0}, others = {0}, pc = {0}, ps = {0}, lc = {0}, ls = {0};
    for (int j = 1; j < n; j++) {
        const TreeRecord *x = R + j * stride, *y = last - j * stride;
        const HolLanes omega = y[stride].omega;
        const double c = x->turn[0], sn = x->turn[1];
        squares += x->omega * omega;
        others += x->omega * next3(omega);
        next += x->turn * y->turn[2];
        pc += c * y->carried;
        ps += sn * y->carried;
        lc += c * y->load;
        ls += sn * y->load;
    }
    const double part = 1.0 / (n + 1), c = -next[1] * part, sn = next[0] * part;
    pc += c * low(R->omega);
    return (TreeSums){pc + turned(ps), lc - turned(ls), squares + c * (HolLanes){0, 0, 0, 1},
                      others + sn * (HolLanes){0, 0, 0, 1}};
}

HOL_WIDE static void sum_up(const TreeArrays *a, int n, int first, int end) {
    for (int i = first; i < end; i++)
        a->sums[i] = convolve(a, i, n);
}

HOL_WIDE static void to_root(const HolModel *m, const HolTreeMemory *s, int first, int end) {
    const TreeArrays *a = arrays_of(s);
    for (int i = end - 1; i >= first; i--) {
        const TreeHinge *h = &a->hinges[i];
        const HolLanes *C = a->frames[i].C;
        TreeLoad *t = &a->loads[i];
        const double u = ((h->driven ? s->torque[i] : 0) - t->T[2]) * h->UF[3];
        const HolLanes T = t->T + t->T[3] * (HolLanes){0, 0, 1, -1}, F = t->F;
        t->T = T + h->UT * u;
        t->F = F + h->UF * u;
        if (h->up < 0)
            continue;
        // (u and the products wait for each other as little as can be)
        const HolLanes seen = times(C, F);
        TreeLoad *up = &a->loads[h->up];
        up->T += times(C, T) + cross(m->tree_kinds[h->kind].arm, seen) + h->PT * u;
        up->F += seen + h->PF * u;
    }
}

HOL_INLINE void keep(HolLanes *to, HolLanes a, const int large) {
    if (large)
        lanes_stream(to, a);
    else
        *to = a;
}

typedef struct Walk { // what is the same for all links
    const HolModel *m;
    const HolTreeMemory *s;
    const TreeArrays *a;
    int n;
    double before, part, after, next_part; // n, n + 1 and their inverses
} Walk;

typedef struct Link { // all that belongs to one
    int i;
    const TreeHinge *hinge;
    const HolTreeKind *kind;
    const TreeInertia *inertia;
    const TreeMotion *up;
    TreeMotion *own;
    TreeLoad *load;
    TreeKnown *known;
    TreeRecord *first, *now; // orders 0 and n
    double *rate;            // order n
} Link;

typedef struct Newest { // coefficients that are found at a link: omega_n and those of n - 1
    HolLanes omega, carried, load;
} Newest;

HOL_INLINE Link link_at(const Walk *w, int i) {
    const TreeArrays *a = w->a;
    const TreeHinge *h = &a->hinges[i];
    const long order = w->n * a->stride;
    return (Link){i,
                  h,
                  &w->m->tree_kinds[h->kind],
                  &a->inertia[i],
                  &a->motion[h->up_slot],
                  &a->motion[h->slot],
                  &a->loads[i],
                  &a->known[i],
                  &a->records[i],
                  &a->records[i + order],
                  &w->s->rates[i + order]};
}

// omega at the start
HOL_INLINE Newest start_link(const Walk *w, const Link *l) {
    const int up = l->hinge->up;
    HolLanes omega = *l->rate * (HolLanes){0, 0, 1, 0};
    if (up >= 0)
        omega += times(l->inertia->Ct, w->a->records[up].omega);
    l->now->omega = omega;
    return (Newest){.omega = omega};
}

// phi'' of order n - 1
HOL_INLINE Newest find_link(const Walk *w, const Link *l, const int large) {
    const TreeHinge *h = l->hinge;
    const TreeInertia *f = l->inertia;
    const TreeLoad *t = l->load;
    const TreeKnown *known = l->known;
    const HolLanes spin = w->before * low(known->forth), carry = known->swung + high(known->forth);
    const HolLanes pull = h->UT * spin + h->UF * carry + (h->PT * l->up->alpha + h->PF * l->up->y);
    const double second = t->T[3] - (pull[0] + pull[1] + pull[2]) * h->UF[3];
    HolLanes alpha = times(f->Ct, l->up->alpha);
    HolLanes y = times(f->Ct, l->up->y + cross(l->up->alpha, l->kind->arm));
    const HolLanes T = t->T + symmetric_times(&f->A, alpha) + times(f->D, y);
    const HolLanes F = t->F + symmetric_times(&f->N, y), halves = transposed_halves(f->D, alpha);
    const HolLanes load = __builtin_shuffle(F + halves + high(halves), T, (Places){0, 1, 4, 5}) -
                          known->back; // x and y are all that turns
    y += known->swung;
    const HolLanes carried = {alpha[0] * w->part, alpha[1] * w->part, y[0], y[1]};
    alpha += spin + second * (HolLanes){0, 0, 1, 0};
    y += high(known->forth);
    const HolLanes omega = alpha * w->part;
    TreeRecord *last = l->now - w->a->stride;
    keep(&last->carried, carried, large);
    keep(&last->load, load, large);
    keep(&l->now->omega, omega, large);
    *l->rate = second * w->part;
    l->own->alpha = alpha;
    l->own->y = y;
    return (Newest){omega, carried, load};
}

HOL_INLINE double spring_torque(const Walk *w, const Link *l) {
    const HolTreeSpring *spring = &w->m->tree_springs[l->i];
    const double torque = -spring->c * *l->rate;
    return w->n ? torque - spring->k * l->rate[-w->a->stride] * w->part
                : torque - spring->k * w->s->x[l->i] + spring->free;
}

// what is known of order n
HOL_INLINE void prepare_link(const Walk *w, const Link *l, Newest newest, const int large) {
    const int n = w->n;
    const TreeInertia *f = l->inertia;
    const TreeSums sums = large ? w->a->sums[l->i] : convolve(w->a, l->i, n);
    const HolLanes start = l->first->omega, omega = newest.omega, once = start * omega;
    const double rate = *l->rate, first_rate = n ? l->first->turn[2] : rate;
    const double c = sums.squares[3], sn = sums.others[3] + rate * w->next_part;
    keep(&l->now->turn, (HolLanes){c, sn, rate, rate}, large);
    const HolLanes squares = sums.squares + (n ? once + once : once);
    const HolLanes others =
        sums.others + start * next3(omega) + (n ? omega * next3(start) : (HolLanes){0});
    l->own->squares = squares;
    l->own->others = others;
    // (c_1 = 0, s_1 = phi'_0)
    const HolLanes forth = sums.forth + turned(first_rate * newest.carried + sn * low(start));
    const HolLanes back = sums.back - turned(first_rate * newest.load);
    const HolLanes swung = times(f->Ct, swing(l->up->squares, l->up->others, l->kind->arm));
    const HolLanes spin = w->after * low(forth), carry = high(forth) + swung;
    *l->known = (TreeKnown){forth, back, swung};
    const double drive = l->hinge->driven ? spring_torque(w, l) : 0;
    const HolLanes bias = high(back) + symmetric_times(&f->A, spin) + times(f->D, carry);
    l->load->T = gyroscopic(squares, others, l->kind->inertia) +
                 (HolLanes){bias[0], bias[1], -drive, drive + bias[2]};
    l->load->F = swing(squares, others, l->kind->mh) + low(back) + transposed_times(f->D, spin) +
                 symmetric_times(&f->N, carry);
}

// order n - 1 found, order n prepared
HOL_INLINE void walk_from_root(const HolModel *m, const HolTreeMemory *s, int n, int first, int end,
                               const int large) {
    const Walk w = {m, s, arrays_of(s), n, n, n ? 1.0 / n : 0, n + 1, 1.0 / (n + 1)};
    for (int i = first; i < end; i++) {
        const Link l = link_at(&w, i);
        const Newest newest = n ? find_link(&w, &l, large) : start_link(&w, &l);
        if (n < s->order)
            prepare_link(&w, &l, newest, large);
    }
    if (large)
        lanes_streamed();
}

HOL_WIDE static void from_root(const HolModel *m, const HolTreeMemory *s, int n, int first,
                               int end) {
    walk_from_root(m, s, n, first, end, 0);
}

HOL_WIDE static void from_root_with_sums(const HolModel *m, const HolTreeMemory *s, int n,
                                         int first, int end) {
    walk_from_root(m, s, n, first, end, 1);
}

static int tree_start(const HolModel *m, HolTreeMemory *s, const double *rate) {
    TreeArrays *a = arrays_of(s);
    if (!hol_tree_articulate(m, s, rate))
        return 0;
    a->motion[0] = (TreeMotion){.y = -load3(m->gravity)};
    from_root(m, s, 0, 0, hol_tree_links(m));
    a->summed = 0;
    return 1;
}

typedef struct Order {
    const HolModel *m;
    HolTreeMemory *s;
    int n;     // that is found
    int stage; // 0, 1, 2
    int cut;   // links before it are the first half: no parent of theirs is in the second
} Order;

// The halves are walked one after the other, second, first, first, second; the sums of the next
// order of the half that waits are due.
static void stage(void *context, int part) {
    const Order *o = context;
    const HolTreeMemory *s = o->s;
    TreeArrays *a = arrays_of(s);
    const int next = o->n + 1, links = hol_tree_links(o->m), goes_on = next < s->order;
    if (o->stage == 0 && part == 0)
        to_root(o->m, s, o->cut, links);
    else if (o->stage == 0 && goes_on)
        sum_up(a, next, a->summed, o->cut);
    else if (o->stage == 1 && part == 0) {
        to_root(o->m, s, 0, o->cut);
        from_root_with_sums(o->m, s, next, 0, o->cut);
    } else if (o->stage == 1 && goes_on)
        sum_up(a, next, o->cut, links);
    else if (o->stage == 2 && part == 0)
        from_root_with_sums(o->m, s, next, o->cut, links);
    else if (o->stage == 2 && next + 1 < s->order)
        sum_up(a, next + 1, 0, a->summed);
}

static void tree_order(const HolModel *m, HolTreeMemory *s, int k) {
    TreeArrays *a = arrays_of(s);
    if (a->sums) {
        Order o = {m, s, k, 0, hol_tree_links(m) / 2};
        for (; o.stage < 3; o.stage++) {
            if (o.stage == 2)
                a->summed = o.cut * 3 / 4;
            hol_team_run(s->team, 2, stage, &o);
        }
    } else {
        to_root(m, s, 0, hol_tree_links(m));
        from_root(m, s, k + 1, 0, hol_tree_links(m));
    }
    a->motion[0].y = (HolLanes){0, 0, 0, 0};
}

// ---- what small turns do ----

HOL_WIDE static void reach(const HolModel *m, const HolTreeMemory *s, const double *x,
                           const double *y, int first, HolLanes *most) {
    const TreeArrays *a = arrays_of(s);
    const double *r = s->rates + (first - 1) * a->stride;
    const HolLanes share = {1.0 / first, 1.0 / (first + 1), 1.0 / (first + 2), 1.0 / (first + 3)};
    HolLanes *ground = s->reach;
    memset(ground, 0, 6 * sizeof *ground);
    *most = (HolLanes){0};
    for (int i = 0; i < hol_tree_links(m); i++, r++) {
        const HolTreeShape *l = &m->tree_shapes[i];
        const TreeHinge *hinge = &a->hinges[i];
        const HolTreeKind *kind = &m->tree_kinds[hinge->kind];
        const HolLanes *Ct = a->inertia[i].Ct, arm = kind->arm;
        // turn, way of the joint
        const HolLanes *turn = s->reach + (long)HOL_TREE_LANES * hinge->up_slot, *way = turn + 3;
        HolLanes *mine = s->reach + (long)HOL_TREE_LANES * hinge->slot, to[6];
        const HolLanes by[6] = {turn[0],
                                turn[1],
                                turn[2],
                                way[0] + turn[1] * arm[2] - turn[2] * arm[1],
                                way[1] + turn[2] * arm[0] - turn[0] * arm[2],
                                way[2] + turn[0] * arm[1] - turn[1] * arm[0]};
        for (int k = 0; k < 3; k++) {
            to[k] = Ct[0][k] * by[0] + Ct[1][k] * by[1] + Ct[2][k] * by[2];
            to[3 + k] = Ct[0][k] * by[3] + Ct[1][k] * by[4] + Ct[2][k] * by[5];
        }
        const HolLanes own =
            x ? hol_tree_turns(l, x, y)
              : (HolLanes){r[0], r[a->stride], r[2 * a->stride], r[3 * a->stride]} * share;
        to[2] += own;
        memcpy(mine, to, sizeof to);
        const HolLanes h = kind->centre;
        const HolLanes dx = to[3] + to[1] * h[2] - to[2] * h[1],
                       dy = to[4] + to[2] * h[0] - to[0] * h[2],
                       dz = to[5] + to[0] * h[1] - to[1] * h[0];
        *most = lanes_larger(*most, lanes_larger(lanes_abs(dx), lanes_abs(dy)));
        *most = lanes_larger(*most, lanes_larger(lanes_abs(dz), lanes_abs(own)));
    }
}

static void tree_reach(const HolModel *m, const HolTreeMemory *s, const double *x, const double *y,
                       int first, HolLanes *most) {
    reach(m, s, x, y, first, most);
}

const HolTreeForm hol_tree_space = {.size = hol_tree_orders_size,
                                    .memory = hol_tree_orders_memory,
                                    .start = tree_start,
                                    .order = tree_order,
                                    .reach = tree_reach,
                                    .sides = hol_tree_sides,
                                    .state = hol_tree_state};
