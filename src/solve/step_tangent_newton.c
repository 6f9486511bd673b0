// SPDX-License-Identifier: Apache-2.0
// Newton for the tangent schemes where forces are stiff. On the tangent space the motion near the
// iterate is y' = A y, y = (dq, dv), A = [0 1; -M^-1 K, -M^-1 C] (through the saddle point, so that
// G dq = G dv = 0). The pair y1 = ... + b1 h y1' + b2 h^2 y1'' has the derivative
//   P = 1 - b1 (hA) - b2 (hA)^2 = (1 - hA/r)(1 - hA/conj r),   r complex,
// and by partial fractions, with c = 1/(1 - r/conj r),
//   P^-1 y = 2 Re [ c (1 - hA/r)^-1 y ].
// (1 - tau A)(x, u) = (dq, dv), tau = h/r, is one saddle point of the simple size:
//   (M + tau C + tau^2 K) u + G^T eta = M dv - tau K dq,   G u = G dv,   x = dq + tau u
// solved as a real system [Re -Im; Im Re] of twice the size.
// Newmark: (M + gamma h C + beta h^2 K) da = -(K dq + C dv); dq += beta h^2 da, dv += gamma h da.
#include "solve/step_tangent.h"

#include <complex.h>
#include <string.h>

// Pattern of [Re -Im; Im Re] and of [G 0; 0 G].
static int double_patterns(HolSim *s, HolPattern *S2, HolPattern *G2) {
    const HolPattern *S = &s->p->S, *G = &s->p->G;
    const int n = s->nv, m = s->m;
    int *sp = HOL_NEW(&s->arena, int, 2 * n + 1), *si = HOL_NEW(&s->arena, int, 4 * S->nnz + 1),
        *gp = HOL_NEW(&s->arena, int, 2 * m + 1), *gi = HOL_NEW(&s->arena, int, 2 * G->nnz + 1);
    if (!sp || !si || !gp || !gi)
        return 0;
    int k = 0;
    for (int j = 0; j < 2 * n; j++) {
        for (int half = 0; half < 2; half++)
            for (int l = S->ptr[j % n]; l < S->ptr[j % n + 1]; l++)
                si[k++] = S->idx[l] + half * n;
        sp[j + 1] = k;
    }
    *S2 = (HolPattern){.rows = 2 * n, .cols = 2 * n, .nnz = k, .ptr = sp, .idx = si};
    k = 0;
    for (int i = 0; i < 2 * m; i++) {
        for (int l = G->ptr[i % m]; l < G->ptr[i % m + 1]; l++)
            gi[k++] = G->idx[l] + (i / m) * n;
        gp[i + 1] = k;
    }
    *G2 = (HolPattern){.rows = 2 * m, .cols = 2 * n, .nnz = k, .ptr = gp, .idx = gi};
    return 1;
}

int hol_tangent_newton_create(HolSim *s, Tangent *m, HolError *err) {
    const int n = s->nv, nnz = s->p->S.nnz;
    m->MS = HOL_NEW(&s->arena, double, nnz + 1);
    m->C = HOL_NEW(&s->arena, double, nnz + 1);
    m->K = HOL_NEW(&s->arena, double, nnz + 1);
    m->Z = HOL_NEW(&s->arena, double, 2 * (n + s->m) + s->nw + 1);
    const char *kind = s->o.linear_solver[0] ? s->o.linear_solver : "auto";
    HolPattern S2, G2;
    if (m->f.root_re != 0) {
        if (double_patterns(s, &S2, &G2))
            m->newton = hol_kkt_create(&s->arena, &S2, &G2, 0, 0, kind);
    } else {
        m->newton = hol_kkt_create(&s->arena, &s->p->S, &s->p->G, 0, 0, kind);
    }
    if (m->newton && !s->arena.failed)
        return 1;
    hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    return 0;
}

static void fill_pair(HolSim *s, Tangent *m, double h) {
    const HolPattern *S = &s->p->S;
    const double complex tau = h / (m->f.root_re + m->f.root_im * I), tau2 = tau * tau;
    double *value = hol_kkt_S(m->newton), *G = hol_kkt_G(m->newton);
    for (int j = 0; j < 2 * s->nv; j++) {
        const int column = j % s->nv, imaginary = j >= s->nv;
        for (int half = 0; half < 2; half++)
            for (int l = S->ptr[column]; l < S->ptr[column + 1]; l++) {
                const double re = m->MS[l] + creal(tau) * m->C[l] + creal(tau2) * m->K[l],
                             im = cimag(tau) * m->C[l] + cimag(tau2) * m->K[l];
                *value++ = half == imaginary ? re : imaginary ? -im : im;
            }
    }
    memcpy(G, m->G, sizeof *G * (size_t)s->p->G.nnz);
    memcpy(G + s->p->G.nnz, m->G, sizeof *G * (size_t)s->p->G.nnz);
}

HolStatus hol_tangent_newton_factor(HolSim *s, Tangent *m, const HolState *x, double h,
                                    HolError *err) {
    const HolProblem *p = s->p;
    const size_t bytes = sizeof(double) * (size_t)p->S.nnz;
    memset(m->MS, 0, bytes);
    memset(m->C, 0, bytes);
    memset(m->K, 0, bytes);
    p->mass(p, s->work, x->t, x->q, 1.0, 1, m->MS);
    p->tangent(p, s->work, x->t, x->q, x->v, x->a, x->lambda, x->w, 1.0, 0.0, m->C);
    p->tangent(p, s->work, x->t, x->q, x->v, x->a, x->lambda, x->w, 0.0, 1.0, m->K);
    s->stats.jacobians++;
    if (m->reduced.dof >= 0) {
        HolStatus status = hol_tangent_reduced_factor(s, m, x, h);
        m->newton_h = status ? 0 : h;
        if (!status)
            return HOL_OK;
    }
    if (m->f.root_re != 0) {
        fill_pair(s, m, h);
    } else {
        double *S = hol_kkt_S(m->newton);
        for (int k = 0; k < p->S.nnz; k++)
            S[k] = m->MS[k] + m->gamma * h * m->C[k] + m->beta * h * h * m->K[k];
        memcpy(hol_kkt_G(m->newton), m->G, sizeof(double) * (size_t)p->G.nnz);
    }
    hol_kkt_set_redundant(m->newton, s->redundant);
    s->stats.factorizations++;
    const int bad = hol_kkt_factor(m->newton);
    if (bad) {
        m->newton_h = 0;
        // unknown or row of the simple system
        const int copies = m->f.root_re != 0 ? 2 : 1, beyond = bad - 1 - copies * s->nv;
        const int index = beyond < 0 ? (bad - 1) % s->nv : s->nv + beyond % s->m;
        return hol_singular_error(s, x->t, index + 1, err);
    }
    m->newton_h = h;
    return HOL_OK;
}

void hol_tangent_newton_solve(HolSim *s, Tangent *m, double h, double *dq, double *dv) {
    const HolPattern *S = &s->p->S, *G = &s->p->G;
    const int n = s->nv, rows = s->m;
    double *z = m->Z;
    if (m->reduced.dof > 0) {
        hol_tangent_reduced_solve(s, m, h, dq, dv);
        return;
    }
    memset(z, 0, sizeof *z * (size_t)(2 * (n + rows)));
    if (m->f.root_re == 0) {
        hol_mul_columns(S, m->K, dq, -1, z);
        hol_mul_columns(S, m->C, dv, -1, z);
        hol_kkt_solve(m->newton, z);
        for (int i = 0; i < n; i++) {
            dq[i] += m->beta * h * h * z[i];
            dv[i] += m->gamma * h * z[i];
        }
        return;
    }
    const double complex r = m->f.root_re + m->f.root_im * I, tau = h / r,
                         c = 1 / (1 - r / conj(r));
    hol_mul_columns(S, m->MS, dv, 1, z);
    hol_mul_columns(S, m->K, dq, -creal(tau), z);
    hol_mul_columns(S, m->K, dq, -cimag(tau), z + n);
    hol_mul_rows(G, m->G, dv, 1, z + 2 * n);
    hol_kkt_solve(m->newton, z);
    for (int i = 0; i < n; i++) {
        const double complex u = z[i] + z[n + i] * I;
        dq[i] = 2 * creal(c * (dq[i] + tau * u));
        dv[i] = 2 * creal(c * u);
    }
}
