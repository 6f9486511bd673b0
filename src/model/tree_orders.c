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
// k: lower orders give the parts of S C^T (..) and S^T (..) that are known, link by link; one walk
// to the root and one back solve for phi''_k with the articulated inertia of order 0,
//   T = A alpha + D y, F = D^T alpha + N y.
// Vectors stand in four lanes, the last one zero; matrices by columns.
#include "base/team.h"
#include "model/tree.h"

#include <math.h>
#include <string.h>

typedef struct Record { // order j of a link
    HolLanes turn;      // c_j, s_j, phi'_j
    HolLanes omega;     // omega_j
    HolLanes carried;   // C^T omega_p, order j+1, and C^T (y_p + ..), order j: x, y of both
    HolLanes load;      // F_j, T_j: x, y of both
} Record;

typedef struct Factor { // what each walk reads lies together
    HolLanes C[3];      // columns of C
    HolLanes UT, UF;    // column of the hinge
    HolLanes arm;       // delta
    double inverse;     // 1/U_z
    int up, driven;
    HolLanes Ct[3];                   // columns of C^T
    HolLanes A[3], D[3];              // what the parent sees, without the hinge: T by alpha and y,
    HolLanes Dt[3], N[3];             // F by alpha and y
    HolLanes mh, inertia[2], carried; // of the link; C^T omega_p at the start: x, y
} Factor;

typedef struct Scratch {
    HolLanes T, F;           // of the link with its children; then with the hinge's motion
    HolLanes bias_T, bias_F; // what known parts do to the parent
    double u, drive;         // of phi''; torque of the hinge
    HolLanes spin, carry;    // known parts of alpha and y
    HolLanes swing;          // C^T B_p delta, a part of carry
    HolLanes alpha, y;
    HolLanes squares, others; // W: xx yy zz, xy yz zx
} Scratch;

size_t hol_tree_record_size(void) {
    return sizeof(Record);
}

size_t hol_tree_factor_size(void) {
    return sizeof(Factor);
}

size_t hol_tree_scratch_size(void) {
    return sizeof(Scratch);
}

static Record *record(const HolTreeMemory *s, int link) {
    return (Record *)s->records + (long)link * (s->order + 2);
}

HOL_INLINE HolLanes load3(const double *a) {
    return (HolLanes){a[0], a[1], a[2], 0};
}

typedef long Places __attribute__((vector_size(32)));

HOL_INLINE HolLanes next3(HolLanes a) { // y z x
    return __builtin_shuffle(a, (Places){1, 2, 0, 3});
}

HOL_INLINE HolLanes last3(HolLanes a) { // z x y
    return __builtin_shuffle(a, (Places){2, 0, 1, 3});
}

HOL_INLINE HolLanes swapped(HolLanes a) { // in pairs
    return __builtin_shuffle(a, (Places){1, 0, 3, 2});
}

HOL_INLINE HolLanes low(HolLanes a) { // the first two
    return __builtin_shuffle(a, (HolLanes){0, 0, 0, 0}, (Places){0, 1, 4, 5});
}

HOL_INLINE HolLanes high(HolLanes a) { // the last two in their place
    return __builtin_shuffle(a, (HolLanes){0, 0, 0, 0}, (Places){2, 3, 4, 5});
}

HOL_INLINE HolLanes cross(HolLanes a, HolLanes b) {
    return next3(a * next3(b) - b * next3(a));
}

HOL_INLINE HolLanes times(const HolLanes *columns, HolLanes a) {
    return columns[0] * a[0] + columns[1] * a[1] + columns[2] * a[2];
}

// B a = W a - (tr W) a
HOL_INLINE HolLanes swing(HolLanes squares, HolLanes others, HolLanes a) {
    return others * next3(a) + last3(others) * last3(a) - (next3(squares) + last3(squares)) * a;
}

// omega x I omega = sum over W: I as xx yy zz and xy yz zx
HOL_INLINE HolLanes gyroscopic(HolLanes squares, HolLanes others, const HolLanes *I) {
    const HolLanes yz = next3(others), zx = last3(others);
    const HolLanes Iyz = next3(I[1]), Izx = last3(I[1]);
    return (last3(I[0]) - next3(I[0])) * yz + Izx * others - I[1] * zx +
           Iyz * (next3(squares) - last3(squares));
}

// ---- order 0 ----

HOL_INLINE void transpose(const HolLanes *a, HolLanes *out) {
    const HolLanes x = a[0], y = a[1], z = a[2];
    const HolLanes first = __builtin_shuffle(x, y, (Places){0, 4, 1, 5}),
                   last = __builtin_shuffle(x, y, (Places){2, 6, 3, 7});
    out[0] = __builtin_shuffle(first, z, (Places){0, 1, 4, 7});
    out[1] = __builtin_shuffle(first, z, (Places){2, 3, 5, 7});
    out[2] = __builtin_shuffle(last, z, (Places){0, 1, 6, 7});
}

static void turn_at_start(const HolModel *m, HolTreeMemory *s, const double *rate) {
    Factor *factors = s->factors;
    for (int i = 0; i < m->n_bodies - 1; i++) {
        const HolTreeShape *l = &m->tree_shapes[i];
        Factor *f = &factors[i];
        Record *R = record(s, i);
        const double dphi = l->turn >= 0 ? l->sign * rate[l->turn] : 0;
        const double c = cos(s->x[i]), sn = sin(s->x[i]);
        for (int k = 0; k < 3; k++) {
            const double x = l->C[3 * k], y = l->C[3 * k + 1];
            f->Ct[k] = (HolLanes){c * x + sn * y, c * y - sn * x, l->C[3 * k + 2], 0};
        }
        transpose(f->Ct, f->C);
        const HolLanes w =
            l->up >= 0 ? times(f->Ct, record(s, l->up)[0].omega) : (HolLanes){0, 0, 0, 0};
        f->carried = (HolLanes){w[0], w[1], 0, 0};
        f->arm = load3(l->arm);
        f->up = l->up;
        f->driven = l->driven;
        R[0].turn = (HolLanes){1, 0, dphi, 0};
        R[0].omega = (HolLanes){w[0], w[1], w[2] + dphi, 0};
    }
}

// (the joint frame turns with the body: C alone depends on phi_0)
static void own_inertia(const HolTreeShape *l, Factor *f) {
    const double *h = l->mh, *I = l->inertia;
    f->mh = load3(h);
    f->inertia[0] = load3(I);
    f->inertia[1] = (HolLanes){I[3], I[5], I[4], 0};
    f->A[0] = (HolLanes){I[0], I[3], I[4], 0};
    f->A[1] = (HolLanes){I[3], I[1], I[5], 0};
    f->A[2] = (HolLanes){I[4], I[5], I[2], 0};
    f->D[0] = (HolLanes){0, h[2], -h[1], 0};
    f->D[1] = (HolLanes){-h[2], 0, h[0], 0};
    f->D[2] = (HolLanes){h[1], -h[0], 0, 0};
    for (int k = 0; k < 3; k++)
        f->N[k] = (HolLanes){k == 0 ? l->mass : 0, k == 1 ? l->mass : 0, k == 2 ? l->mass : 0, 0};
}

// C a C^T
HOL_INLINE void in_parent(const Factor *f, const HolLanes *a, HolLanes *out) {
    HolLanes back[3];
    const HolLanes half[3] = {times(f->C, a[0]), times(f->C, a[1]), times(f->C, a[2])};
    transpose(half, back); // (C a)^T; its columns are rows
    const HolLanes turned[3] = {times(f->C, back[0]), times(f->C, back[1]), times(f->C, back[2])};
    transpose(turned, out);
}

// the articulated inertia of a link, about its joint, is added to that of its parent: y_c = y -
// arm x alpha, and T + arm x F
HOL_INLINE void add_to_parent(const Factor *f, Factor *up) {
    HolLanes A[3], D[3], N[3], Dt[3];
    in_parent(f, f->A, A);
    in_parent(f, f->D, D);
    in_parent(f, f->N, N);
    transpose(D, Dt);
    for (int k = 0; k < 3; k++) {
        D[k] += cross(f->arm, N[k]);
        A[k] += cross(f->arm, Dt[k]);
    }
    const double x = f->arm[0], y = f->arm[1], z = f->arm[2];
    A[0] -= D[1] * z - D[2] * y;
    A[1] -= D[2] * x - D[0] * z;
    A[2] -= D[0] * y - D[1] * x;
    for (int k = 0; k < 3; k++) {
        up->A[k] += A[k];
        up->D[k] += D[k];
        up->N[k] += N[k];
    }
}

HOL_WIDE static int articulate(const HolModel *m, HolTreeMemory *s) {
    Factor *factors = s->factors;
    for (int i = m->n_bodies - 2; i >= 0; i--) {
        const HolTreeShape *l = &m->tree_shapes[i];
        Factor *f = &factors[i];
        f->UT = f->UF = (HolLanes){0, 0, 0, 0};
        f->inverse = 0;
        if (l->turn >= 0) {
            f->UT = f->A[2];
            f->UF = (HolLanes){f->D[0][2], f->D[1][2], f->D[2][2], 0};
            if (!(f->UT[2] > 0))
                return 0;
            f->inverse = 1 / f->UT[2];
            for (int k = 0; k < 3; k++) {
                f->A[k] -= f->UT * (f->UT[k] * f->inverse);
                f->D[k] -= f->UT * (f->UF[k] * f->inverse);
                f->N[k] -= f->UF * (f->UF[k] * f->inverse);
            }
        }
        transpose(f->D, f->Dt);
        if (l->up >= 0)
            add_to_parent(f, &factors[l->up]);
    }
    return 1;
}

int hol_tree_start(const HolModel *m, HolTreeMemory *s, const double *rate) {
    turn_at_start(m, s, rate);
    for (int i = 0; i < m->n_bodies - 1; i++)
        own_inertia(&m->tree_shapes[i], (Factor *)s->factors + i);
    return articulate(m, s);
}

// ---- order k ----

typedef struct Order {
    const HolModel *m;
    HolTreeMemory *s;
    int k;
} Order;

// B delta of a link whose parent another thread may be at: its W, summed as there
HOL_INLINE HolLanes swing_of(const Record *R, int k, HolLanes arm) {
    HolLanes squares = R[0].omega * R[k].omega, others = R[0].omega * next3(R[k].omega);
    for (int j = 1; j <= k; j++) {
        squares += R[j].omega * R[k - j].omega;
        others += R[j].omega * next3(R[k - j].omega);
    }
    return swing(squares, others, arm);
}

// what lower orders give, link by link; c and s of order k + 1
HOL_WIDE static void known_parts(void *context, int first, int end) {
    const HolModel *m = ((const Order *)context)->m;
    const HolTreeMemory *s = ((const Order *)context)->s;
    const int k = ((const Order *)context)->k;
    Scratch *scratch = s->scratch;
    const Factor *factors = s->factors;
    const double next_order = k + 1, part = 1 / next_order;
    for (int i = first; i < end; i++) {
        const Factor *f = &factors[i];
        Record *R = record(s, i);
        Scratch *t = &scratch[i];
        HolLanes squares = R[0].omega * R[k].omega, others = R[0].omega * next3(R[k].omega);
        HolLanes next = R[0].turn * R[k].turn[2], pc = {0}, ps = {0}, lc = {0}, ls = {0};
        for (int j = 1; j <= k; j++) {
            const Record *a = &R[j], *b = &R[k - j];
            const double c = a->turn[0], sn = a->turn[1];
            squares += a->omega * b->omega;
            others += a->omega * next3(b->omega);
            next += a->turn * b->turn[2];
            pc += c * b->carried;
            ps += sn * b->carried;
            lc += c * b->load;
            ls += sn * b->load;
        }
        const double c = -next[1] * part, sn = next[0] * part;
        R[k + 1].turn = (HolLanes){c, sn, 0, 0};
        pc += c * f->carried;
        ps += sn * f->carried;
        t->squares = squares;
        t->others = others;
        t->T = gyroscopic(squares, others, f->inertia);
        t->F = swing(squares, others, f->mh);
        t->drive = 0;
        if (f->driven) {
            const HolTreeShape *l = &m->tree_shapes[i];
            const double phi = k ? R[k - 1].turn[2] / k : s->x[i], free = k ? 0 : l->free;
            t->drive = s->torque[i] + free - l->k * phi - l->c * R[k].turn[2];
        }
        // S C^T and S^T: the first by c and s, the second by c and -s
        const HolLanes flip = {1, -1, 1, -1};
        const HolLanes forth = pc + flip * swapped(ps), back = lc - flip * swapped(ls);
        const HolLanes spin = next_order * low(forth);
        HolLanes carry = high(forth), swung = {0, 0, 0, 0};
        if (f->up >= 0) {
            const Scratch *up = &scratch[f->up];
            swung = times(f->Ct, f->up >= first ? swing(up->squares, up->others, f->arm)
                                                : swing_of(record(s, f->up), k, f->arm));
            carry += swung;
            t->bias_T = high(back) + f->A[0] * spin[0] + f->A[1] * spin[1] + times(f->D, carry);
            t->bias_F = low(back) + f->Dt[0] * spin[0] + f->Dt[1] * spin[1] + times(f->N, carry);
        }
        t->spin = spin;
        t->carry = carry;
        t->swing = swung;
    }
}

HOL_WIDE static void to_root(const HolModel *m, HolTreeMemory *s) {
    Scratch *scratch = s->scratch;
    const Factor *factors = s->factors;
    for (int i = m->n_bodies - 2; i >= 0; i--) {
        const Factor *f = &factors[i];
        Scratch *t = &scratch[i];
        const int above = f->up;
        t->u = (t->drive - t->T[2]) * f->inverse;
        t->T += f->UT * t->u;
        t->F += f->UF * t->u;
        if (above < 0)
            continue;
        const HolLanes T = times(f->C, t->T + t->bias_T), F = times(f->C, t->F + t->bias_F);
        scratch[above].T += T + cross(f->arm, F);
        scratch[above].F += F;
    }
}

enum { AHEAD = 6 }; // links

HOL_WIDE static void from_root(const HolModel *m, HolTreeMemory *s, int k) {
    Scratch *scratch = s->scratch;
    const Factor *factors = s->factors;
    const double part = 1.0 / (k + 1);
    const HolLanes rest = {0, 0, 0, 0}, fall = load3(m->gravity);
    const int links = m->n_bodies - 1;
    for (int i = 0; i < links; i++) {
        const Factor *f = &factors[i];
        const int above = f->up, ahead = i + AHEAD < links ? i + AHEAD : i;
        // (far apart, so that the processor does not expect them)
        __builtin_prefetch(&record(s, ahead)[k].carried, 1);
        __builtin_prefetch(&record(s, ahead)[k + 1], 1);
        Scratch *t = &scratch[i];
        Record *R = record(s, i);
        HolLanes alpha = rest, y = rest;
        if (above >= 0) {
            const Scratch *up = &scratch[above];
            alpha = times(f->Ct, up->alpha);
            y = times(f->Ct, up->y + cross(up->alpha, f->arm));
        } else if (k == 0) {
            y = -times(f->Ct, fall);
        }
        R[k].carried =
            (HolLanes){alpha[0] * part, alpha[1] * part, y[0] + t->swing[0], y[1] + t->swing[1]};
        alpha += t->spin;
        y += t->carry;
        const HolLanes pull = f->UT * alpha + f->UF * y;
        const double second = t->u - (pull[0] + pull[1] + pull[2]) * f->inverse;
        const HolLanes T = t->T + times(f->A, alpha) + times(f->D, y);
        const HolLanes F = t->F + times(f->Dt, alpha) + times(f->N, y);
        R[k].load = __builtin_shuffle(F, T, (Places){0, 1, 4, 5});
        alpha += (HolLanes){0, 0, second, 0};
        t->alpha = alpha;
        t->y = y;
        R[k + 1].turn[2] = second * part;
        R[k + 1].omega = alpha * part;
    }
}

void hol_tree_order(const HolModel *m, HolTreeMemory *s, int k) {
    hol_team_loop(s->team, m->n_bodies - 1, known_parts, &(Order){m, s, k});
    to_root(m, s);
    from_root(m, s, k);
}

void hol_tree_rates(const HolTreeMemory *s, int link, int first, int n, double *out) {
    const Record *R = record(s, link) + first;
    for (int k = 0; k < n; k++)
        out[k] = R[k].turn[2];
}

// phi = x + h (r_0 + h sum_0), phi' = r_0 + h sum_1, phi'' = sum_2 with three sums of weight_k r_k
// h^(k-1), r_k the coefficients of phi'
HOL_WIDE static void evaluate(const HolModel *m, const HolTreeMemory *s, int n, double h,
                              const HolTreeMotion *to) {
    enum { MOST = 64 };
    HolLanes weight[MOST];
    for (int k = 0; k < n; k++)
        weight[k] = (HolLanes){1.0 / (k + 1), 1, k, 0};
    for (int i = 0; i < m->n_bodies - 1; i++) {
        const HolTreeShape *l = &m->tree_shapes[i];
        const Record *R = record(s, i);
        HolLanes sum = {0, 0, 0, 0};
        if (l->turn < 0)
            continue;
        for (int k = n - 1; k > 0; k--)
            sum = sum * h + R[k].turn[2] * weight[k];
        const double r = R[0].turn[2];
        if (to->q)
            to->q[l->turn] = l->sign * (s->x[i] + h * (r + h * sum[0]));
        if (to->v)
            to->v[l->turn] = l->sign * (r + h * sum[1]);
        if (to->a)
            to->a[l->turn] = l->sign * sum[2];
    }
}

void hol_tree_eval(const HolModel *m, const HolTreeMemory *s, int n, double h, double *x,
                   double *rate, double *second) {
    evaluate(m, s, n, h, &(HolTreeMotion){.q = x, .v = rate, .a = second});
}

// ---- what small turns do ----

HOL_WIDE static void reach(const HolModel *m, const HolTreeMemory *s, const HolLanes *turns,
                           HolLanes *scratch, HolLanes *most) {
    const Factor *factors = s->factors;
    *most = (HolLanes){0};
    for (int i = 0; i < m->n_bodies - 1; i++) {
        const HolTreeShape *l = &m->tree_shapes[i];
        const Factor *f = &factors[i];
        HolLanes *mine = scratch + 6 * i; // turn, way of the joint
        memset(mine, 0, 6 * sizeof *mine);
        for (int part = 0; part < 2 && l->up >= 0; part++) {
            const HolLanes *turn = scratch + 6 * l->up, *way = turn + 3;
            const double *d = l->arm;
            const HolLanes a[3] = {part ? way[0] + turn[1] * d[2] - turn[2] * d[1] : turn[0],
                                   part ? way[1] + turn[2] * d[0] - turn[0] * d[2] : turn[1],
                                   part ? way[2] + turn[0] * d[1] - turn[1] * d[0] : turn[2]};
            for (int k = 0; k < 3; k++)
                mine[3 * part + k] = f->Ct[0][k] * a[0] + f->Ct[1][k] * a[1] + f->Ct[2][k] * a[2];
        }
        mine[2] += turns[i];
        const double share = l->mass > 0 ? 1 / l->mass : 0;
        const double h[3] = {l->mh[0] * share, l->mh[1] * share, l->mh[2] * share};
        const HolLanes x = mine[3] + mine[1] * h[2] - mine[2] * h[1],
                       y = mine[4] + mine[2] * h[0] - mine[0] * h[2],
                       z = mine[5] + mine[0] * h[1] - mine[1] * h[0];
        *most = lanes_larger(*most, lanes_larger(lanes_abs(x), lanes_abs(y)));
        *most = lanes_larger(*most, lanes_larger(lanes_abs(z), lanes_abs(turns[i])));
    }
}

void hol_tree_reach(const HolModel *m, const HolTreeMemory *s, const HolLanes *turns,
                    HolLanes *scratch, HolLanes *most) {
    reach(m, s, turns, scratch, most);
}

// ---- bodies ----

typedef struct Place { // of a body, in global axes
    Quat p;
    Mat3 A;
    Vec3 r, v, a, w, alpha;
} Place;

// A_b = A_a R_a Rot_z(phi) R_b^T: a quaternion that has no jumps, for phi has none
static Quat orientation(const HolTreeLink *l, Quat pa, double phi, double side) {
    const Quat turn = {side * cos(0.5 * phi), 0, 0, side * sin(0.5 * phi)};
    return q_normalize(q_mul(q_mul(pa, q_mul(l->Ra, turn)), q_conj(l->Rb)));
}

void hol_tree_sides(const HolModel *m, HolTreeMemory *s, const double *x, const double *q) {
    for (int i = 0; i < m->n_bodies - 1; i++) {
        const HolTreeLink *l = &m->tree[i];
        const double phi = l->turn >= 0 ? l->sign * x[l->turn] : 0, *own = q + l->q + 3;
        const Quat up = l->up >= 0 ? q_load(q + m->tree[l->up].q + 3) : q_identity();
        const Quat p = orientation(l, up, phi, 1);
        s->side[i] = p.w * own[0] + p.x * own[1] + p.y * own[2] + p.z * own[3] < 0 ? -1 : 1;
    }
}

static inline double larger(double most, Vec3 a) {
    const double x = fabs(a.x), y = fabs(a.y), z = fabs(a.z);
    most = x > most ? x : most;
    most = y > most ? y : most;
    return z > most ? z : most;
}

// its part across a unit vector
static inline Vec3 across(Vec3 a, Vec3 z) {
    return v3_sub(a, v3_scale(z, v3_dot(a, z)));
}

void hol_tree_state(const HolModel *m, HolLanes *scratch, const HolTreeMotion *to) {
    const Place ground = {.p = q_identity(), .A = m3_identity()};
    _Static_assert(sizeof(Place) <= HOL_TREE_LANES * sizeof(HolLanes), "scratch of a link");
    Place *places = (Place *)scratch;
    double most[3] = {0};
    for (int i = 0; i < m->n_bodies - 1; i++) {
        const HolTreeLink *l = &m->tree[i];
        const Place *p = l->up >= 0 ? &places[l->up] : &ground;
        Place *b = &places[i];
        double *q = to->q + l->q, *v = to->v + l->v, *a = to->a + l->v;
        const int turns = l->turn >= 0;
        const double phi = turns ? l->sign * to->x[l->turn] : 0,
                     dphi = turns ? l->sign * to->rate[l->turn] : 0,
                     ddphi = turns ? l->sign * to->second[l->turn] : 0;
        b->p = orientation(l, p->p, phi, to->side[i]);
        b->A = q_matrix(b->p);
        const Vec3 z = m3_mulv(p->A, v3_load(l->z));
        const Vec3 la = m3_mulv(p->A, v3_load(l->sa)), lb = m3_mulv(b->A, v3_load(l->sb));
        const Vec3 turned_z = v3_scale(z, dphi);
        // as they are stored: in the axes of the body
        const Vec3 w = m3_tmulv(b->A, v3_add(p->w, turned_z));
        const Vec3 alpha =
            m3_tmulv(b->A, v3_add(v3_add(p->alpha, v3_scale(z, ddphi)), v3_cross(p->w, turned_z)));
        b->w = m3_mulv(b->A, w);
        b->alpha = m3_mulv(b->A, alpha);
        // of the joint, and from the body to it: place, velocity and acceleration
        const Vec3 swing_a = v3_cross(p->w, la), swing_b = v3_cross(b->w, lb);
        const Vec3 joint[3] = {
            v3_add(p->r, la), v3_add(p->v, swing_a),
            v3_add(p->a, v3_add(v3_cross(p->alpha, la), v3_cross(p->w, swing_a)))};
        const Vec3 arm[3] = {lb, swing_b, v3_add(v3_cross(b->alpha, lb), v3_cross(b->w, swing_b))};
        b->r = v3_sub(joint[0], arm[0]);
        b->v = v3_sub(joint[1], arm[1]);
        b->a = v3_sub(joint[2], arm[2]);
        const Vec3 now[3] = {b->r, b->v, b->a};
        for (int k = 0; k < 3; k++)
            most[k] = larger(most[k], v3_sub(v3_add(now[k], arm[k]), joint[k]));
        // the axis of the hinge in both, and how its frame turns
        const Vec3 zb = m3_mulv(b->A, q_rotate(l->Rb, v3(0, 0, 1)));
        most[0] = larger(most[0], v3_cross(z, zb));
        most[1] = larger(most[1], across(v3_sub(b->w, p->w), zb));
        const Vec3 rest = v3_sub(v3_sub(b->alpha, p->alpha), v3_cross(p->w, turned_z));
        most[2] = larger(most[2], across(rest, zb));
        v3_store(q, b->r);
        q_store(q + 3, b->p);
        v3_store(v, b->v);
        v3_store(v + 3, w);
        v3_store(a, b->a);
        v3_store(a + 3, alpha);
    }
    memcpy(to->residual, most, sizeof most);
}
