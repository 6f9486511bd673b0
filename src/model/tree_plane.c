// SPDX-License-Identifier: Apache-2.0
// Series of a tree of hinges in the plane, by links, in axes that do not turn. With the absolute
// angle theta of a link, c = cos theta, s = sin theta, omega = theta', alpha = omega', y the
// acceleration of its joint (less gravity) and F the force there, for a link with children c:
//   c' = -s omega,  s' = c omega,  y_c = y + delta_c'',  delta_c = (c dx - s dy, s dx + c dy)
//   F = m (y + h'') + sum F_c,  I alpha + c A - s B = Q - sum Q_c,   products of series,
//   A = mh x y + sum d_c x F_c,  B = mh . y + sum d_c . F_c      (mh, d_c in the axes of the link)
// Coefficient k: what is known of lower orders gives biases, then one walk to the root and one back
// solve for alpha_k, with the matrices of order 0:
//   T = J alpha + K y + tau,  F = K alpha + N y + f;   M = N - K K^T/J  is what the parent sees.
#include "model/tree.h"

#include <math.h>
#include <string.h>

typedef struct Record { // order j of a link
    HolLanes turn;      // c_j, s_j, c_j, s_j
    HolLanes load;      // omega_{j+1}, omega_{j+1}, A_j, B_j
} Record;

typedef struct Factor {
    double M[3], K[2], inverse; // xx yy xy
    double arm[2], lever[2];    // d of its joint and mh, as they stand
    double theta, omega;        // at the start
} Factor;

typedef struct Scratch {
    double cb, sb;    // known parts of c'', s''
    double f[2], tau; // of a link with its children
    double u, alpha, y[2];
    double torque; // of its joint
} Scratch;

static Record *record(const HolTreeMemory *s, int link) {
    return (Record *)s->records + (long)link * (s->order + 2);
}

// omega_k
static double omega(const Record *R, const Factor *f, int k) {
    return k ? R[k - 1].load[0] : f->omega;
}

static void plane_rates(const HolModel *m, const HolTreeMemory *s, int link, int first, int n,
                        double *out) {
    const Factor *factors = s->factors;
    const int up = m->tree_shapes[link].up;
    const Record *R = record(s, link), *above = record(s, up < 0 ? 0 : up);
    for (int k = 0; k < n; k++) {
        out[k] = omega(R, &factors[link], first + k);
        if (up >= 0)
            out[k] -= omega(above, &factors[up], first + k);
    }
}

static void turn_at_start(const HolModel *m, HolTreeMemory *s, const double *rate) {
    Factor *factors = s->factors;
    for (int i = 0; i < m->n_bodies - 1; i++) {
        const HolTreeShape *l = &m->tree_shapes[i];
        Factor *f = &factors[i], *up = l->up >= 0 ? &factors[l->up] : NULL;
        const double x = s->x[i], dx = l->sign * rate[l->turn];
        f->theta = (up ? up->theta : 0) + l->angle + x;
        f->omega = (up ? up->omega : 0) + dx;
        const double c = cos(f->theta), sn = sin(f->theta), w = f->omega;
        Record *R = record(s, i);
        R[0].turn = (HolLanes){c, sn, c, sn};
        R[1].turn = (HolLanes){-sn * w, c * w, -sn * w, c * w};
        f->lever[0] = c * l->mh[0] - sn * l->mh[1];
        f->lever[1] = sn * l->mh[0] + c * l->mh[1];
        f->arm[0] = l->arm[0];
        f->arm[1] = l->arm[1];
        if (up) {
            const HolLanes t = record(s, l->up)[0].turn;
            f->arm[0] = t[0] * l->arm[0] - t[1] * l->arm[1];
            f->arm[1] = t[1] * l->arm[0] + t[0] * l->arm[1];
        }
    }
}

static int plane_start(const HolModel *m, HolTreeMemory *s, const double *rate) {
    Factor *factors = s->factors;
    const int n = m->n_bodies - 1;
    turn_at_start(m, s, rate);
    for (int i = 0; i < n; i++) { // J in `inverse` for now, N in M
        const HolTreeShape *l = &m->tree_shapes[i];
        Factor *f = &factors[i];
        f->inverse = l->inertia[0];
        f->K[0] = -f->lever[1];
        f->K[1] = f->lever[0];
        f->M[0] = f->M[1] = l->mass;
        f->M[2] = 0;
    }
    for (int i = n - 1; i >= 0; i--) {
        const HolTreeShape *l = &m->tree_shapes[i];
        Factor *f = &factors[i];
        if (!(f->inverse > 0))
            return 0;
        f->inverse = 1 / f->inverse;
        f->M[0] -= f->K[0] * f->K[0] * f->inverse;
        f->M[1] -= f->K[1] * f->K[1] * f->inverse;
        f->M[2] -= f->K[0] * f->K[1] * f->inverse;
        if (l->up < 0)
            continue;
        Factor *up = &factors[l->up];
        const double across[2] = {-f->arm[1], f->arm[0]};
        const double Md[2] = {f->M[0] * across[0] + f->M[2] * across[1],
                              f->M[2] * across[0] + f->M[1] * across[1]};
        up->inverse += across[0] * Md[0] + across[1] * Md[1];
        for (int k = 0; k < 2; k++)
            up->K[k] += Md[k];
        for (int k = 0; k < 3; k++)
            up->M[k] += f->M[k];
    }
    return 1;
}

// what lower orders give of order k, link by link
HOL_WIDE static void known_parts(const HolModel *m, HolTreeMemory *s, int k) {
    Scratch *scratch = s->scratch;
    const Factor *factors = s->factors;
    for (int i = 0; i < m->n_bodies - 1; i++) {
        const HolTreeShape *l = &m->tree_shapes[i];
        const Factor *f = &factors[i];
        const Record *R = record(s, i);
        Scratch *t = &scratch[i];
        HolLanes sum = {R[k + 1].turn[0] * f->omega, R[k + 1].turn[1] * f->omega, 0, 0};
        for (int j = 1; j <= k; j++)
            sum += R[j].turn * R[k - j].load;
        t->sb = (k + 1) * sum[0];
        t->cb = -(k + 1) * sum[1];
        t->tau = sum[2] - sum[3];
        t->f[0] = t->cb * l->mh[0] - t->sb * l->mh[1];
        t->f[1] = t->sb * l->mh[0] + t->cb * l->mh[1];
        t->torque = 0;
        if (l->k != 0 || l->c != 0) {
            double rate[2];
            plane_rates(m, s, i, k ? k - 1 : 0, 2, rate);
            const double phi = k ? rate[0] / k : s->x[i] - l->s0;
            t->torque = -l->k * phi - l->c * rate[k > 0];
        }
    }
}

static void to_root(const HolModel *m, HolTreeMemory *s) {
    Scratch *scratch = s->scratch;
    const Factor *factors = s->factors;
    for (int i = m->n_bodies - 2; i >= 0; i--) {
        const HolTreeShape *l = &m->tree_shapes[i];
        const Factor *f = &factors[i];
        Scratch *t = &scratch[i];
        t->u = (t->torque - t->tau) * f->inverse;
        t->f[0] += f->K[0] * t->u;
        t->f[1] += f->K[1] * t->u;
        if (l->up < 0)
            continue;
        Scratch *up = &scratch[l->up];
        const double b[2] = {up->cb * l->arm[0] - up->sb * l->arm[1],
                             up->sb * l->arm[0] + up->cb * l->arm[1]};
        const double F[2] = {t->f[0] + f->M[0] * b[0] + f->M[2] * b[1],
                             t->f[1] + f->M[2] * b[0] + f->M[1] * b[1]};
        up->f[0] += F[0];
        up->f[1] += F[1];
        up->tau += t->torque + f->arm[0] * F[1] - f->arm[1] * F[0];
    }
}

static void from_root(const HolModel *m, HolTreeMemory *s, int k) {
    Scratch *scratch = s->scratch;
    const Factor *factors = s->factors;
    for (int i = 0; i < m->n_bodies - 1; i++) {
        const HolTreeShape *l = &m->tree_shapes[i];
        const Factor *f = &factors[i];
        Scratch *t = &scratch[i];
        Record *R = record(s, i);
        if (l->up < 0) {
            t->y[0] = k ? 0 : -m->gravity[0];
            t->y[1] = k ? 0 : -m->gravity[1];
        } else {
            const Scratch *up = &scratch[l->up];
            t->y[0] = up->y[0] + up->cb * l->arm[0] - up->sb * l->arm[1] - f->arm[1] * up->alpha;
            t->y[1] = up->y[1] + up->sb * l->arm[0] + up->cb * l->arm[1] + f->arm[0] * up->alpha;
        }
        t->alpha = t->u - (f->K[0] * t->y[0] + f->K[1] * t->y[1]) * f->inverse;
        const double next = t->alpha / (k + 1);
        R[k].load = (HolLanes){next, next, l->mh[0] * t->y[1] - l->mh[1] * t->y[0],
                               l->mh[0] * t->y[0] + l->mh[1] * t->y[1]};
        const double part = 1.0 / ((k + 1) * (k + 2));
        const double c = (t->cb - R[0].turn[1] * t->alpha) * part,
                     sn = (t->sb + R[0].turn[0] * t->alpha) * part;
        R[k + 2].turn = (HolLanes){c, sn, c, sn};
        if (l->up < 0)
            continue;
        const double F[2] = {f->M[0] * t->y[0] + f->M[2] * t->y[1] + t->f[0],
                             f->M[2] * t->y[0] + f->M[1] * t->y[1] + t->f[1]};
        record(s, l->up)[k].load += (HolLanes){0, 0, l->arm[0] * F[1] - l->arm[1] * F[0],
                                               l->arm[0] * F[0] + l->arm[1] * F[1]};
    }
}

static void plane_order(const HolModel *m, HolTreeMemory *s, int k) {
    known_parts(m, s, k);
    to_root(m, s);
    from_root(m, s, k);
}

HOL_WIDE static void plane_reach(const HolModel *m, const HolTreeMemory *s, const HolLanes *turns,
                                 HolLanes *scratch, HolLanes *most) {
    const Factor *factors = s->factors;
    *most = (HolLanes){0};
    for (int i = 0; i < m->n_bodies - 1; i++) {
        const HolTreeShape *l = &m->tree_shapes[i];
        const Factor *f = &factors[i];
        HolLanes *way = scratch + 3 * i; // turn, displacement of its joint
        way[0] = turns[i];
        way[1] = way[2] = (HolLanes){0};
        if (l->up >= 0) {
            const HolLanes *up = scratch + 3 * l->up;
            way[0] += up[0];
            way[1] = up[1] - f->arm[1] * up[0];
            way[2] = up[2] + f->arm[0] * up[0];
        }
        const double part = l->mass > 0 ? 1 / l->mass : 0;
        const HolLanes x = way[1] - f->lever[1] * part * way[0],
                       y = way[2] + f->lever[0] * part * way[0];
        *most = lanes_larger(*most, lanes_abs(way[0]));
        *most = lanes_larger(*most, lanes_larger(lanes_abs(x), lanes_abs(y)));
    }
}

// ---- bodies ----

typedef struct Place { // of a body: angle, its axes; velocities and accelerations
    double q[3], v[3], a[3], c, s;
} Place;

static void plane_state(const HolModel *m, HolLanes *scratch, const HolTreeMotion *to) {
    static const Place ground = {.c = 1};
    Place *places = (Place *)scratch;
    double most[3] = {0};
    for (int i = 0; i < m->n_bodies - 1; i++) {
        const HolTreeLink *l = &m->tree[i];
        const HolBody *body = &m->bodies[l->body];
        const Place *p = l->up >= 0 ? &places[l->up] : &ground;
        Place *b = &places[i];
        const double phi = l->sign * to->x[l->turn], dphi = l->sign * to->rate[l->turn],
                     ddphi = l->sign * to->second[l->turn];
        b->q[2] = p->q[2] + l->angle + phi;
        b->v[2] = p->v[2] + dphi;
        b->a[2] = p->a[2] + ddphi;
        b->c = cos(b->q[2]);
        b->s = sin(b->q[2]);
        const double la[2] = {p->c * l->sa[0] - p->s * l->sa[1], p->s * l->sa[0] + p->c * l->sa[1]};
        const double lb[2] = {b->c * l->sb[0] - b->s * l->sb[1], b->s * l->sb[0] + b->c * l->sb[1]};
        const double wp = p->v[2], wb = b->v[2];
        // of the joint, on either side: its place, velocity and acceleration
        const double joint[3][2] = {{p->q[0] + la[0], p->q[1] + la[1]},
                                    {p->v[0] - wp * la[1], p->v[1] + wp * la[0]},
                                    {p->a[0] - p->a[2] * la[1] - wp * wp * la[0],
                                     p->a[1] + p->a[2] * la[0] - wp * wp * la[1]}};
        const double arm[3][2] = {
            {lb[0], lb[1]},
            {-wb * lb[1], wb * lb[0]},
            {-b->a[2] * lb[1] - wb * wb * lb[0], b->a[2] * lb[0] - wb * wb * lb[1]}};
        double *level[3] = {b->q, b->v, b->a};
        for (int k = 0; k < 3; k++)
            for (int e = 0; e < 2; e++) {
                level[k][e] = joint[k][e] - arm[k][e];
                most[k] = fmax(most[k], fabs(level[k][e] + arm[k][e] - joint[k][e]));
            }
        memcpy(to->q + body->q, b->q, sizeof b->q);
        memcpy(to->v + body->v, b->v, sizeof b->v);
        memcpy(to->a + body->v, b->a, sizeof b->a);
    }
    memcpy(to->residual, most, sizeof most);
}

const HolTreeKind hol_tree_plane = {.record = sizeof(Record),
                                    .factor = sizeof(Factor),
                                    .scratch = sizeof(Scratch),
                                    .start = plane_start,
                                    .order = plane_order,
                                    .rates = plane_rates,
                                    .reach = plane_reach,
                                    .state = plane_state};
