// SPDX-License-Identifier: Apache-2.0
// Newton for the tangent schemes on mechanisms of few degrees of freedom d. Increments of a step,
//   dq = E xi + normal part,   dv = E zeta + Eu xi + normal part,
// with a basis E of the tangent space (G E = 0, E^T M E = 1) and Eu, the normal velocity that goes
// with a change of position (G Eu = -B E, B = (G v + gt)_q). The motion near the iterate is then
//   d/dt (xi, zeta) = A (xi, zeta),  A = [-W 1; -Kr -Cr],  Kr = E^T (K E + C Eu),  Cr = E^T C E
// where W stems from rotating axes: q' = T(q) v changes by T (zeta + N xi), and W = -2 N for Euler
// parameters. With c_k, d_k the weights of the new derivatives in q^ and v^, the equations are
//   xi   - h c_1 (zeta + N xi) - h^2 c_2 da = r_q
//   zeta - h d_1 da            - h^2 d_2 dj = r_v,   da, dj = second rows of A, A A + A'
// dense and small; A' comes from differences over the last steps.
// What it pays: with the complex saddle point of tangent_complex.c in its place, the flyball
// governor takes 1.46 times the instructions at step 0.005 (bench/instructions.sh) and at tolerance
// 1e-4, Andrews' mechanism 1.20 times at step 5e-4. Not everywhere: the stiff double pendulum takes
// 0.85 times as many at tolerance 1e-5.
#include "math/dense.h"
#include "solve/method/tangent/tangent.h"
#include "solve/run/error_test.h"
#include "solve/run/run.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST = 12, SPARE = 6 }; // degrees of freedom at most; beyond nv - m for redundant rows

int hol_tangent_reduced_create(HolSim *s, Tangent *m) {
    TangentReduced *t = &m->reduced;
    const int least = s->nv - s->m;
    t->dof = -1;
    if (least > MOST || s->nn || s->nw || m->euclid || s->nv == 0)
        return 1;
    t->columns = (least > 0 ? least : 0) + SPARE + 1;
    if (t->columns > MOST + 1)
        t->columns = MOST + 1;
    if (t->columns > s->nv)
        t->columns = s->nv;
    const int d = t->columns;
    t->E = HOL_NEW(&s->arena, double, s->nv *d);
    t->Eu = HOL_NEW(&s->arena, double, s->nv *d);
    t->ME = HOL_NEW(&s->arena, double, s->nv *d);
    t->G = HOL_NEW(&s->arena, double, s->p->G.nnz + 1);
    t->rate = HOL_NEW(&s->arena, double, s->m + 1);
    t->x = HOL_NEW(&s->arena, double, s->nv + s->m + 1);
    t->q = HOL_NEW(&s->arena, double, s->nq + 1);
    t->A = HOL_NEW(&s->arena, double, 4 * d * d);
    t->N = HOL_NEW(&s->arena, double, d *d);
    t->A2 = HOL_NEW(&s->arena, double, 2 * d * d);
    t->last[0] = HOL_NEW(&s->arena, double, 4 * d * d);
    t->last[1] = HOL_NEW(&s->arena, double, 4 * d * d);
    t->P = HOL_NEW(&s->arena, double, 4 * d * d);
    t->pivot = HOL_NEW(&s->arena, int, 2 * d);
    t->dof = 0;
    return !s->arena.failed;
}

static double tangent_reduced_dot(const double *a, const double *b, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

// ---- basis ----

// Column k of E: its part in the tangent space, orthogonal to those before it, of length one.
// Returns what was left of its length, 0: nothing.
static double make_column(HolSim *s, Tangent *m, int k) {
    TangentReduced *t = &m->reduced;
    const int nv = s->nv;
    double *e = t->E + (size_t)k * (size_t)nv, *me = t->ME + (size_t)k * (size_t)nv, left = 1;
    memset(t->x, 0, sizeof *t->x * (size_t)(nv + s->m));
    hol_mul_columns(&s->p->M, m->M, e, 1, t->x);
    const double before = sqrt(fabs(tangent_reduced_dot(e, t->x, nv)));
    hol_kkt_solve_motion(s->mass, t->x, 0);
    memcpy(e, t->x, sizeof *e * (size_t)nv);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < k; i++) {
            const double c = tangent_reduced_dot(t->ME + (size_t)i * (size_t)nv, e, nv);
            const double *ei = t->E + (size_t)i * (size_t)nv;
            for (int l = 0; l < nv; l++)
                e[l] -= c * ei[l];
        }
        memset(me, 0, sizeof *me * (size_t)nv);
        hol_mul_columns(&s->p->M, m->M, e, 1, me);
        const double length = sqrt(fmax(0, tangent_reduced_dot(e, me, nv)));
        if (pass == 0)
            left = before > 0 ? length / before : 0;
        if (!(length > 0) || left < 1e-7)
            return 0;
        for (int l = 0; l < nv; l++) {
            e[l] /= length;
            me[l] /= length;
        }
    }
    return left;
}

// A first basis: tangent parts of arbitrary vectors (always the same), until one depends on those
// before it.
static void find_basis(HolSim *s, Tangent *m) {
    TangentReduced *t = &m->reduced;
    unsigned long long seed = 88172645463325252ULL;
    int k = 0;
    for (; k < t->columns; k++) {
        double *e = t->E + (size_t)k * (size_t)s->nv;
        for (int i = 0; i < s->nv; i++) {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            e[i] = ((double)(seed >> 11) * 0x1p-53 - 0.5) * s->reach[i];
        }
        if (make_column(s, m, k) < 1e-7)
            break;
    }
    // the last column only shows that the basis is complete
    t->dof = k == 0 || (k == t->columns && k < s->nv) ? -1 : k;
}

// The basis follows the motion: old columns, brought into the new tangent space.
static int follow_basis(HolSim *s, Tangent *m) {
    TangentReduced *t = &m->reduced;
    if (t->dof > 0) {
        int good = 1;
        for (int k = 0; k < t->dof && good; k++)
            good = make_column(s, m, k) > 1e-3;
        if (good)
            return 1;
        t->dof = 0;
    }
    t->known = 0;
    find_basis(s, m);
    return t->dof > 0;
}

// ---- matrices ----

// What a change of position along e does: y = N e, and the right-hand side [0; -B e] in t->x. By
// differences, since B has entries where G is always zero.
static void change_along(HolSim *s, Tangent *m, const HolState *x, const double *e, double *y) {
    const HolProblem *p = s->p;
    TangentReduced *t = &m->reduced;
    const int nv = s->nv;
    const double step = 1e-7 / fmax(hol_norm_near(s, e), DBL_MIN);
    double *r = t->x;
    for (int i = 0; i < nv; i++)
        y[i] = step * e[i];
    p->retract(p, s->work, x->q, y, t->q);
    memset(r, 0, sizeof *r * (size_t)(nv + s->m));
    if (s->m) {
        p->jacobian(p, s->work, &(HolPoint){.t = x->t, .q = t->q}, t->G);
        p->velocity_rhs(p, s->work, &(HolPoint){.t = x->t, .q = t->q}, r + nv);
        hol_mul_rows(&p->G, t->G, x->v, 1, r + nv);
        for (int i = 0; i < s->m; i++)
            r[nv + i] = (t->rate[i] - r[nv + i]) / step;
    }
    if (s->plain)
        return;
    // (q' is no position: as large as a small one)
    double most = 0;
    p->qdot(p, s->work, t->q, x->v, m->qdd);
    for (int i = 0; i < s->nq; i++)
        if (s->driver->coordinate[i] < 0)
            most = fmax(most, fabs(m->qdd[i] - m->qd[i]));
    const int small = most > 0 && isfinite(most) ? -20 - ilogb(most) : 0;
    for (int i = 0; i < s->nq; i++)
        t->q[i] = x->q[i] - ldexp(m->qdd[i] - m->qd[i], small);
    p->minus(p, s->work, x->q, t->q, y);
    for (int i = 0; i < nv; i++)
        y[i] = ldexp(y[i], -small) / step;
}

// stiffness = K e + C eu, damping = C e
static void products(const HolPattern *S, const double *K, const double *C, const double *e,
                     const double *eu, double *stiffness, double *damping) {
    memset(stiffness, 0, sizeof *stiffness * (size_t)S->rows);
    memset(damping, 0, sizeof *damping * (size_t)S->rows);
    for (int j = 0; j < S->cols; j++) {
        const double x = e[j], u = eu[j];
        for (int l = S->ptr[j]; l < S->ptr[j + 1]; l++) {
            stiffness[S->idx[l]] += K[l] * x + C[l] * u;
            damping[S->idx[l]] += C[l] * x;
        }
    }
}

// Kr, Cr, N; A is d rows -W 1 over d rows -Kr -Cr (row-major)
static void tangent_reduced_reduce(HolSim *s, Tangent *m, const HolState *x) {
    TangentReduced *t = &m->reduced;
    const HolProblem *p = s->p;
    const int nv = s->nv, d = t->dof;
    if (!s->plain)
        p->qdot(p, s->work, x->q, x->v, m->qd);
    if (s->m) {
        p->velocity_rhs(p, s->work, HOL_AT(x), t->rate);
        hol_mul_rows(&p->G, m->G, x->v, 1, t->rate);
    }
    memset(t->A, 0, sizeof *t->A * (size_t)(4 * d * d));
    memset(t->N, 0, sizeof *t->N * (size_t)(d * d));
    for (int k = 0; k < d; k++) {
        const double *e = t->E + (size_t)k * (size_t)nv;
        double *eu = t->Eu + (size_t)k * (size_t)nv, *y = m->v_guess;
        change_along(s, m, x, e, y);
        for (int i = 0; i < d && !s->plain; i++) {
            t->N[i * d + k] = tangent_reduced_dot(t->ME + (size_t)i * (size_t)nv, y, nv);
            t->A[i * 2 * d + k] = 2 * t->N[i * d + k];
        }
        // normal velocity of a change of position
        if (s->m)
            hol_kkt_solve_motion(s->mass, t->x, 1);
        memcpy(eu, t->x, sizeof *eu * (size_t)nv);
        products(&p->S, m->K, m->C, e, eu, y, m->v_last);
        for (int i = 0; i < d; i++) {
            const double *ei = t->E + (size_t)i * (size_t)nv;
            t->A[(d + i) * 2 * d + k] = -tangent_reduced_dot(ei, y, nv);
            t->A[(d + i) * 2 * d + d + k] = -tangent_reduced_dot(ei, m->v_last, nv);
        }
        t->A[k * 2 * d + d + k] = 1;
    }
}

// A' from A at the ends of the last steps (the basis E is carried along the motion)
static double rate_of(const TangentReduced *t, int i, double time) {
    const double h = time - t->time[0], k = t->time[0] - t->time[1];
    if (t->known == 0 || !(h > 0))
        return 0;
    const double first = (t->A[i] - t->last[0][i]) / h;
    if (t->known == 1)
        return first;
    return first + h * (first - (t->last[0][i] - t->last[1][i]) / k) / (h + k);
}

// A belongs to the end of an accepted step
static void tangent_reduced_keep(TangentReduced *t, double time) {
    if (t->known > 0 && !(time > t->time[0]))
        return;
    double *oldest = t->last[1];
    t->last[1] = t->last[0];
    t->last[0] = oldest;
    t->time[1] = t->time[0];
    t->time[0] = time;
    memcpy(oldest, t->A, sizeof *oldest * (size_t)(4 * t->dof * t->dof));
    t->known = t->known < 2 ? t->known + 1 : 2;
}

// second rows of A A + A'
static void tangent_reduced_square(TangentReduced *t, double time) {
    const int d = t->dof, n = 2 * d;
    const double *lower = t->A + d * n;
    for (int i = 0; i < d; i++)
        for (int j = 0; j < n; j++) {
            double sum = rate_of(t, (d + i) * n + j, time);
            for (int l = 0; l < n; l++)
                sum += lower[i * n + l] * t->A[l * n + j];
            t->A2[i * n + j] = sum;
        }
}

HolStatus hol_tangent_reduced_factor(HolSim *s, Tangent *m, const HolState *x, double h) {
    TangentReduced *t = &m->reduced;
    const TangentFormula *f = &m->f;
    if (!follow_basis(s, m))
        return HOL_ERR_SINGULAR;
    tangent_reduced_reduce(s, m, x);
    t->time_A = x->t;
    tangent_reduced_square(t, x->t);
    const int d = t->dof, n = 2 * d;
    // (zeta over the unit of time near h: pivots are chosen among numbers without units)
    t->unit = ldexp(1, ilogb(h));
    for (int i = 0; i < d; i++)
        for (int j = 0; j < n; j++) {
            const double a = t->A[(d + i) * n + j], b = t->A2[i * n + j];
            const double column = j < d ? 1 : 1 / t->unit;
            const double first = j < d ? t->N[i * d + j] : j == d + i;
            // column-major for the factorization
            t->P[j * n + i] = (i == j) - h * (f->c1[1] * first + h * f->c1[2] * a) * column;
            t->P[j * n + d + i] =
                (d + i == j) - h * (f->d1[1] * a + h * f->d1[2] * b) * column * t->unit;
        }
    return hol_dense_lu(n, t->P, t->pivot) ? HOL_ERR_SINGULAR : HOL_OK;
}

void hol_tangent_reduced_accepted(HolSim *s, Tangent *m) {
    TangentReduced *t = &m->reduced;
    if (t->dof <= 0 || !t->ready)
        return;
    if (t->time_A == s->x.t)
        tangent_reduced_keep(t, s->x.t);
    else
        t->known = 0;
}

// ---- solve ----

// y := y - E c, c = its coordinates
static void split(const HolSim *s, const TangentReduced *t, double *y, double *c) {
    const size_t nv = (size_t)s->nv;
    for (int k = 0; k < t->dof; k++)
        c[k] = tangent_reduced_dot(t->ME + (size_t)k * nv, y, s->nv);
    for (int k = 0; k < t->dof; k++)
        for (size_t i = 0; i < nv; i++)
            y[i] -= c[k] * t->E[(size_t)k * nv + i];
}

void hol_tangent_reduced_solve(HolSim *s, Tangent *m, double h, double *dq, double *dv) {
    TangentReduced *t = &m->reduced;
    const TangentFormula *f = &m->f;
    const int d = t->dof, n = 2 * d, nv = s->nv;
    double y[2 * MOST + 2], force[MOST + 1], *x = t->x;
    split(s, t, dq, y);
    split(s, t, dv, y + d);
    // what the normal parts change in the accelerations
    memset(x, 0, sizeof *x * (size_t)nv);
    hol_mul_columns(&s->p->S, m->K, dq, -1, x);
    hol_mul_columns(&s->p->S, m->C, dv, -1, x);
    for (int i = 0; i < d; i++)
        force[i] = tangent_reduced_dot(t->E + (size_t)i * (size_t)nv, x, nv);
    for (int i = 0; i < d; i++) {
        double jerk = 0;
        for (int k = 0; k < d; k++)
            jerk += t->A[(d + i) * n + d + k] * force[k];
        y[i] += h * h * f->c1[2] * force[i];
        y[d + i] += h * (f->d1[1] * force[i] + h * f->d1[2] * jerk);
    }
    for (int i = d; i < n; i++)
        y[i] *= t->unit;
    hol_dense_lu_solve(n, t->P, t->pivot, y);
    for (int i = d; i < n; i++)
        y[i] /= t->unit;
    for (int k = 0; k < d; k++) {
        const double *e = t->E + (size_t)k * (size_t)nv, *eu = t->Eu + (size_t)k * (size_t)nv;
        for (int i = 0; i < nv; i++) {
            dq[i] += y[k] * e[i];
            dv[i] += y[d + k] * e[i] + y[k] * eu[i];
        }
    }
}
