// SPDX-License-Identifier: Apache-2.0
// Newton for the tangent schemes where forces are stiff and degrees of freedom are many
// (docs/theory/tangent.md, section 9). On the tangent space the motion near the iterate is
// y' = A y, y = (dq, dv), A = [0 1; -M^-1 K, -M^-1 C] (through the saddle point, so that
// G dq = G dv = 0). The pair y1 = ... + b1 h y1' + b2 h^2 y1'' has the derivative
// 1 - b1 (hA) - b2 (hA)^2, whose roots are a conjugate pair. In its place stands (1 - g hA)^2 with
// g^2 = -b2, a real saddle point of the simple size used twice. It is equal for slow and for very
// fast motion. Between, it is off by (b1 - 2 g) z / (1 - g z)^2, at most 0.13 (hermite) and 0.18
// (obreshkov3), which costs the iteration little. With tau = g h, (1 - tau A)(x, u) = (dq, dv) is
//   (M + tau C + tau^2 K) u + G^T eta = M dv - tau K dq,   G u = G dv,   x = dq + tau u
// Newmark: (M + gamma h C + beta h^2 K) da = -(K dq + C dv); dq += beta h^2 da, dv += gamma h da,
// gamma and beta the parts d1[1], c1[2] of a1.
#include "solve/method/tangent/tangent.h"

#include <math.h>
#include <string.h>

// g of the double root; 0: newmark
static double root(const Tangent *m) {
    return m->f.jerk ? sqrt(-m->f.d1[2]) : 0;
}

int hol_tangent_newton_create(HolSim *s, Tangent *m) {
    const int nnz = s->p->S.nnz;
    m->MS = HOL_NEW(&s->arena, double, nnz + 1);
    m->C = HOL_NEW(&s->arena, double, nnz + 1);
    m->K = HOL_NEW(&s->arena, double, nnz + 1);
    m->Z = HOL_NEW(&s->arena, double, s->nv + s->m + 1);
    return !s->arena.failed && hol_tangent_newton_matrix(s, m, 0);
}

// A large system of few degrees of freedom has the reduced matrix, one of many the complex pair
// unless its rows are redundant, which shows later: no further ordering for them.
int hol_tangent_newton_matrix(HolSim *s, Tangent *m, int redundant) {
    const int reduced = s->nv + s->m > 1000 && m->reduced.dof >= 0;
    const char *kind = s->o.linear_solver[0] ? s->o.linear_solver : "auto";
    if (m->newton || reduced || (m->pair.saddle && !redundant))
        return 1;
    m->newton = hol_sim_kkt(s, &s->p->S, &s->p->G, 0, 0, kind);
    return m->newton && !s->arena.failed;
}

void hol_tangent_newton_matrices(HolSim *s, Tangent *m, const HolState *x) {
    const HolProblem *p = s->p;
    const size_t bytes = sizeof(double) * (size_t)p->S.nnz;
    memset(m->MS, 0, bytes);
    memset(m->C, 0, bytes);
    memset(m->K, 0, bytes);
    p->mass(p, s->work, HOL_AT(x), 1.0, 1, m->MS);
    if (p->extras->tangents) {
        p->extras->tangents(p, s->work, HOL_AT(x), m->C, m->K);
    } else {
        p->tangent(p, s->work, HOL_AT(x), 1.0, 0.0, m->C);
        p->tangent(p, s->work, HOL_AT(x), 0.0, 1.0, m->K);
    }
    s->stats.jacobians++;
}

HolStatus hol_tangent_newton_factor(HolSim *s, Tangent *m, const HolState *x, double h,
                                    HolError *err) {
    const HolProblem *p = s->p;
    hol_tangent_newton_matrices(s, m, x);
    m->reduced.ready = m->reduced.dof >= 0 && !hol_tangent_reduced_factor(s, m, x, h);
    if (m->reduced.ready) {
        m->newton_h = h;
        return HOL_OK;
    }
    m->newton_h = 0;
    if (!m->newton)
        return hol_error_set(err, HOL_ERR_CONVERGE,
                             "too many degrees of freedom for the reduced Newton matrix");
    const double tau = root(m) * h, c = m->f.jerk ? tau : m->f.d1[1] * h,
                 k = m->f.jerk ? tau * tau : m->f.c1[2] * h * h;
    double *S = hol_kkt_S(m->newton);
    for (int i = 0; i < p->S.nnz; i++)
        S[i] = m->MS[i] + c * m->C[i] + k * m->K[i];
    memcpy(hol_kkt_G(m->newton), m->G, sizeof(double) * (size_t)p->G.nnz);
    hol_kkt_set_redundant(m->newton, s->redundant);
    s->stats.factorizations++;
    const int bad = hol_kkt_factor(m->newton);
    if (bad) {
        m->newton_h = 0;
        return hol_singular_error(s, x->t, bad, err);
    }
    m->newton_h = h;
    return HOL_OK;
}

void hol_tangent_newton_solve(HolSim *s, Tangent *m, double h, double *dq, double *dv) {
    const HolPattern *S = &s->p->S, *G = &s->p->G;
    const int n = s->nv, rows = s->m;
    double *z = m->Z;
    if (m->reduced.ready) {
        hol_tangent_reduced_solve(s, m, h, dq, dv);
        return;
    }
    if (!m->f.jerk) {
        memset(z, 0, sizeof *z * (size_t)(n + rows));
        hol_mul_columns(S, m->K, dq, -1, z);
        hol_mul_columns(S, m->C, dv, -1, z);
        hol_kkt_solve_motion(m->newton, z, 1);
        for (int i = 0; i < n; i++) {
            dq[i] += m->f.c1[2] * h * h * z[i];
            dv[i] += m->f.d1[1] * h * z[i];
        }
        return;
    }
    const double tau = root(m) * h;
    for (int pass = 0; pass < 2; pass++) {
        memset(z, 0, sizeof *z * (size_t)(n + rows));
        hol_mul_columns(S, m->MS, dv, 1, z);
        hol_mul_columns(S, m->K, dq, -tau, z);
        hol_mul_rows(G, m->G, dv, 1, z + n);
        hol_kkt_solve_motion(m->newton, z, 1);
        for (int i = 0; i < n; i++) {
            dq[i] += tau * z[i];
            dv[i] = z[i];
        }
    }
}
