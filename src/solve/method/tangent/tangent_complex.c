// SPDX-License-Identifier: Apache-2.0
// Newton for the schemes y1 = .. + b1 h y1' + b2 h^2 y1'' on stiff mechanisms of many degrees of
// freedom, for all of q, v, a, j and their multipliers at once (docs/theory/tangent.md, section 9).
// Near the iterate the motion is y' = A y, y = (dq, dv), A = [0 1; -M^-1 K, -M^-1 C] through the
// saddle point. With the residuals rho of position, velocity, acceleration and jerk row and
// Q(z) = 1 - b1 z - b2 z^2, z = hA,
//   Q(z) dy = rho_P, rho_V + h (b1 + b2 z) rho_A + b2 h^2 rho_J.
// The roots of Q are a pair zeta, zeta*; by partial fractions dy = 2 Re(kappa (x, u)) with
// kappa = 1 / Q'(zeta), and one complex system of the simple size, tau = h / zeta,
//   (M + tau C + tau^2 K) u + G^T eta = (tau K rho_P - M b) / zeta
//   (G + tau B) u                     = w + B rho_P / zeta
//   b = rho_V + h (b1 + b2 zeta) rho_A + b2 h^2 rho_J
// Then
//   dv = 2 Re(kappa u),   h da = 2 Re(kappa zeta u),   dq = rho_P + h b1 dv + h^2 b2 da,
//   h^2 b2 dj = dv - h b1 da - rho_V,
// and likewise for the multipliers: residuals enter b unprojected, their normal part goes to eta.
// B = (G v + gt)_q: a change of position needs one of the velocities, G dv + B dq = 0, and stiff
// dampers act on it. w makes dv and da remove the constraint residuals of v and a.
// What it pays: with the double real root of tangent_newton.c in its place, 1650 stiff double
// pendula (holonom bench stiff-row) take 2.5 times the time at tolerance 1e-2 and 2.2 times at
// 3.2e-4, in as many steps.
#include "math/saddle/kkt_complex.h"
#include "solve/method/tangent/tangent.h"

#include <complex.h>
#include <math.h>
#include <string.h>

typedef double complex Number;

// b1, b2 and what follows from them
typedef struct Roots {
    double b1, b2;
    Number zeta, kappa;
} Roots;

static Roots find_roots(const TangentFormula *f) {
    const double b1 = f->d1[1], b2 = f->d1[2];
    const Number zeta = (-b1 + I * sqrt(-4 * b2 - b1 * b1)) / (2 * b2);
    return (Roots){b1, b2, zeta, 1 / (-b1 - 2 * b2 * zeta)};
}

// A coordinate without mass (the place on a curve) has no pivot in a short step: the complex matrix,
// which is eliminated in a fixed order, cannot be factored there
static int has_massless(const HolProblem *p, int nv) {
    for (int j = 0; j < nv; j++)
        if (p->M.ptr[j + 1] == p->M.ptr[j])
            return 1;
    return 0;
}

int hol_tangent_complex_create(HolSim *s, Tangent *m) {
    TangentComplex *c = &m->pair;
    const TangentFormula *f = &m->f;
    const int n = s->nv + s->m;
    // one pair of roots for positions and velocities; few degrees of freedom have a dense matrix
    if (!f->jerk || f->c1[1] != f->d1[1] || f->c1[2] != f->d1[2] || m->reduced.dof >= 0 || s->nn ||
        s->nw || m->euclid || has_massless(s->p, s->nv))
        return 1;
    c->saddle = hol_complex_saddle_create(&s->arena, s->p->extras->plans, &s->p->S, &s->p->G);
    double **each[] = {&c->P, &c->V, &c->A, &c->J};
    for (int i = 0; i < 4; i++)
        *each[i] = HOL_NEW(&s->arena, double, n + 1);
    c->z = HOL_NEW(&s->arena, double, 2 * n + 2);
    c->B = HOL_NEW(&s->arena, double, s->p->G.nnz + 1);
    return c->saddle && !s->arena.failed;
}

// K and C at the iterate, and the complex matrix for steps of size h
int hol_tangent_complex_factor(HolSim *s, Tangent *m, const HolState *x, double h) {
    TangentComplex *c = &m->pair;
    const Roots r = find_roots(&m->f);
    const Number tau = h / r.zeta;
    hol_tangent_newton_matrices(s, m, x);
    memset(c->B, 0, sizeof *c->B * (size_t)s->p->G.nnz);
    if (s->m)
        s->p->velocity_jacobian(s->p, s->work, HOL_AT(x), c->B);
    s->stats.factorizations++;
    c->h = 0;
    if (hol_complex_saddle_factor(c->saddle, m->MS, m->C, m->K, m->G, c->B, creal(tau), cimag(tau)))
        return 0;
    c->h = h;
    return 1;
}

// ---- residuals ----

// P, V, A, J := what is missing in the four rows (forces on top, constraints below)
static void find_residuals(HolSim *s, Tangent *m, const TangentNode *to, double h) {
    const HolProblem *p = s->p;
    TangentComplex *c = &m->pair;
    const HolState *x = &to->x;
    const int nv = s->nv;
    double *P = c->P, *V = c->V, *A = c->A, *J = c->J;
    hol_tangent_formula_v(s, m, to, h);
    hol_tangent_formula_q(s, m, to, x->v, h);
    p->minus(p, s->work, x->q, m->q_hat, m->dq);
    hol_tangent_right_sides(s, m, to, A, J);
    p->constraint(p, s->work, HOL_AT(x), P + nv);
    p->velocity_rhs(p, s->work, HOL_AT(x), V + nv);
    memset(P, 0, sizeof *P * (size_t)nv);
    memset(V, 0, sizeof *V * (size_t)nv);
    for (int j = 0; j < nv; j++)
        for (int k = p->M.ptr[j]; k < p->M.ptr[j + 1]; k++) {
            const int i = p->M.idx[k];
            P[i] -= m->M[k] * m->dq[j];
            V[i] += m->M[k] * (m->v_hat[j] - x->v[j]);
            A[i] -= m->M[k] * x->a[j];
            J[i] -= m->M[k] * to->j[j];
        }
    for (int i = 0; i < s->m; i++) {
        const double mu = m->mu[i], nu = m->nu[i], l = x->lambda[i], ld = to->ld[i];
        double v = 0, a = 0, j = 0;
        for (int k = p->G.ptr[i]; k < p->G.ptr[i + 1]; k++) {
            const int at = p->G.idx[k];
            const double g = m->G[k];
            P[at] -= g * mu;
            V[at] -= g * nu;
            A[at] -= g * l;
            J[at] -= g * ld;
            v += g * x->v[at];
            a += g * x->a[at];
            j += g * to->j[at];
        }
        P[nv + i] = -P[nv + i];
        V[nv + i] = -V[nv + i] - v;
        A[nv + i] -= a;
        J[nv + i] -= j;
    }
}

// ---- solve ----

// right-hand side of the complex system but for rho_P; constraint rows of P and V
static void tangent_complex_load(HolSim *s, Tangent *m, const Roots *r, double h) {
    TangentComplex *c = &m->pair;
    const int nv = s->nv;
    const Number by_V = -1 / r->zeta, by_A = by_V * h * (r->b1 + r->b2 * r->zeta),
                 by_J = by_V * h * h * r->b2;
    const Number from_v = (1 + I * creal(r->zeta) / cimag(r->zeta)) / (2 * r->kappa),
                 from_a = -I * h / (2 * cimag(r->zeta) * r->kappa);
    double *z = c->z;
    for (int i = 0; i < nv; i++) {
        const double V = c->V[i], A = c->A[i], J = c->J[i];
        z[2 * i] = creal(by_V) * V + creal(by_A) * A + creal(by_J) * J;
        z[2 * i + 1] = cimag(by_V) * V + cimag(by_A) * A + cimag(by_J) * J;
    }
    for (int i = nv; i < nv + s->m; i++) {
        const double v = c->V[i], a = c->A[i], j = c->J[i];
        z[2 * i] = creal(from_v) * v + creal(from_a) * a;
        z[2 * i + 1] = cimag(from_v) * v + cimag(from_a) * a;
        c->P[i] -= h * (r->b1 * v + h * r->b2 * a);
        c->V[i] -= h * (r->b1 * a + h * r->b2 * j);
    }
}

// z += factor K x in the unknowns
static void add_stiffness(const HolSim *s, const Tangent *m, Number factor, const double *x,
                          double *z) {
    const HolPattern *S = &s->p->S;
    for (int j = 0; j < S->cols; j++) {
        const double re = creal(factor) * x[j], im = cimag(factor) * x[j];
        for (int k = S->ptr[j]; k < S->ptr[j + 1]; k++) {
            z[2 * S->idx[k]] += re * m->K[k];
            z[2 * S->idx[k] + 1] += im * m->K[k];
        }
    }
}

// z += factor B x in the constraint rows
static void add_turning(const HolSim *s, const Tangent *m, Number factor, const double *x,
                        double *z) {
    const HolPattern *G = &s->p->G;
    for (int i = 0; i < G->rows; i++) {
        double sum = 0;
        for (int k = G->ptr[i]; k < G->ptr[i + 1]; k++)
            sum += m->pair.B[k] * x[G->idx[k]];
        z[2 * (s->nv + i)] += creal(factor) * sum;
        z[2 * (s->nv + i) + 1] += cimag(factor) * sum;
    }
}

// 2 Re(c z)
static inline double twice(Number c, const double *z) {
    return 2 * (creal(c) * z[0] - cimag(c) * z[1]);
}

void hol_tangent_complex_increments(HolSim *s, Tangent *m, TangentNode *to, double h) {
    TangentComplex *c = &m->pair;
    const Roots r = find_roots(&m->f);
    const int nv = s->nv;
    double *z = c->z;
    find_residuals(s, m, to, h);
    tangent_complex_load(s, m, &r, h);
    hol_kkt_solve_motion(m->position, c->P, 1);
    hol_kkt_solve_motion(m->velocity, c->V, 1);
    add_stiffness(s, m, h / (r.zeta * r.zeta), c->P, z);
    add_turning(s, m, 1 / r.zeta, c->P, z);
    hol_complex_saddle_solve(c->saddle, z);
    const Number first = r.kappa, second = r.kappa * r.zeta / h;
    for (int i = 0; i < nv; i++) {
        const double dv = twice(first, z + 2 * i), da = twice(second, z + 2 * i);
        m->dv[i] = dv;
        m->e[i] = c->P[i] + h * (r.b1 * dv + h * r.b2 * da);
        to->x.a[i] += da;
        to->j[i] += (dv - h * r.b1 * da - c->V[i]) / (h * h * r.b2);
    }
    m->pushed_q = m->pushed_v = 1;
    for (int i = 0; i < s->m; i++) {
        const double dn = twice(first, z + 2 * (nv + i)), dl = twice(second, z + 2 * (nv + i));
        m->mu[i] += c->P[nv + i];
        m->nu[i] += c->V[nv + i];
        to->x.lambda[i] += dl;
        to->ld[i] += (dn - h * r.b1 * dl - c->V[nv + i]) / (h * h * r.b2);
    }
}

// (e, dv) := D(z) Q(z)^-1 (e, e') with M e' = force in the tangent space and D = (1 - b1 z) / Q(z)
// = 1 + O(z^2): an error as the step itself sees it, with one power less of fast motion. With y =
// Q^-1 (e, e') = (.., y_v),  h a = z D y,  h^2 j = z^2 D y.
void hol_tangent_complex_filter(HolSim *s, Tangent *m, double h, double *e, double *force,
                                double *a, double *j) {
    TangentComplex *c = &m->pair;
    const Roots r = find_roots(&m->f);
    const int nv = s->nv;
    double *z = c->z, *dv = m->dv, *rate = c->A; // rate: z y
    for (int pass = 0; pass < 2; pass++) {
        // (z - zeta) (x, u) = (e, e'): x = (h u - e) / zeta
        memset(z + 2 * nv, 0, sizeof *z * (size_t)(2 * s->m));
        for (int i = 0; i < nv; i++) {
            z[2 * i] = -creal(1 / r.zeta) * force[i];
            z[2 * i + 1] = -cimag(1 / r.zeta) * force[i];
        }
        add_stiffness(s, m, h / (r.zeta * r.zeta), e, z);
        add_turning(s, m, 1 / r.zeta, e, z);
        hol_complex_saddle_solve(c->saddle, z);
        // 2 Re(residue (x, u)); what its multiples by z have beside 2 Re(residue zeta^k (x, u))
        const Number residue = r.kappa * (pass ? 1 - r.b1 * r.zeta : 1), once = residue * r.zeta,
                     squared = once * r.zeta;
        const double rest = 2 * creal(residue), rest_once = 2 * creal(once);
        for (int i = 0; pass == 1 && a && i < nv; i++) {
            a[i] += (twice(once, z + 2 * i) + rest * dv[i]) / h;
            j[i] += (twice(squared, z + 2 * i) + rest_once * dv[i] + rest * rate[i]) / (h * h);
        }
        const double from_e = 2 * creal(residue / r.zeta);
        for (int i = 0; i < nv; i++) {
            e[i] = h * twice(residue / r.zeta, z + 2 * i) - from_e * e[i];
            dv[i] = twice(residue, z + 2 * i);
            rate[i] = twice(once, z + 2 * i);
        }
        if (pass == 0) {
            memset(force, 0, sizeof *force * (size_t)nv);
            hol_mul_columns(&s->p->S, m->MS, dv, 1, force);
        }
    }
}
