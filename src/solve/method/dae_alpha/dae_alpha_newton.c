// SPDX-License-Identifier: Apache-2.0
// The nonlinear system of one dae-alpha step: residuals, corrector, and what to try when it does
// not converge. The matrix (dae_alpha_matrix.c) is kept while it contracts well enough. Corrections
// are measured in theta and h v over the bounds of the step: round-off with a fixed step, a
// thousandth of the tolerance under error control.
#include "solve/constraint/project.h"
#include "solve/method/dae_alpha/dae_alpha.h"
#include "solve/run/corrector.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- equations ----

// the position multiplier of a non-holonomic row follows its velocity multiplier
static void link_multipliers(HolSim *s) {
    HolDaeAlpha *m = s->method;
    for (int i = s->nh; i < s->m; i++)
        m->nu[i] = m->bh / m->gh * m->mu_h[i];
}

// first iterate of the given degree
static void dae_alpha_newton_begin(HolSim *s, const HolAlphaCorrector *k, int degree) {
    HolDaeAlpha *m = s->method;
    const double *v = s->x.v;
    const double by_v = degree > 0 ? k->h : 0, by_a = degree > 1 ? k->h : 0;
    for (int i = 0; i < s->nv; i++) {
        m->theta[i] = by_v * v[i] + 0.5 * by_a * by_a * m->a_start[i];
        s->next.v[i] = v[i] + by_a * m->a_start[i];
    }
    for (int i = 0; i < s->m; i++) {
        m->nu[i] = k->b * s->x.lambda[i];
        m->mu_h[i] = k->d * s->x.lambda[i];
    }
    link_multipliers(s);
    if (s->nw)
        memcpy(s->next.w, s->x.w, (size_t)s->nw * sizeof(double));
}

static void move(HolSim *s, const double *theta) {
    if (s->plain)
        for (int i = 0; i < s->nv; i++)
            s->next.q[i] = s->x.q[i] + theta[i];
    else
        s->p->retract(s->p, s->work, s->x.q, theta, s->next.q);
}

// r1 and h r2 without multipliers, as right-hand sides
static void dynamics(HolSim *s, const HolAlphaCorrector *k, double *r1, double *r2) {
    HolDaeAlpha *m = s->method;
    const HolProblem *p = s->p;
    const HolState *x = &s->next;
    p->force(p, s->work, HOL_AT(x), m->f);
    s->stats.force_evaluations++;
    memset(m->M, 0, (size_t)p->M.nnz * sizeof(double));
    p->mass(p, s->work, HOL_AT(x), 1, 0, m->M);
    for (int i = 0; i < s->nv; i++) {
        m->a1[i] = m->theta[i] - m->theta_hat[i];
        m->a2[i] = x->v[i] - m->v_hat[i];
        r1[i] = k->b * m->f[i];
        r2[i] = k->d * m->f[i];
    }
    hol_mul_columns(&p->M, m->M, m->a1, -1, r1);
    hol_mul_columns(&p->M, m->M, m->a2, -k->h, r2);
    for (int i = 0; i < s->nv; i++) {
        m->a1[i] /= k->b;
        m->a2[i] /= k->c;
    }
}

static int dae_alpha_newton_evaluate(HolSim *s, const HolAlphaCorrector *k) {
    HolDaeAlpha *m = s->method;
    const HolProblem *p = s->p;
    const HolState *x = &s->next;
    const int nv = s->nv, nh = s->nh;
    double *r1 = m->residual, *r2 = r1 + nv, *position = r2 + nv, *velocity = position + nh,
           *border = velocity + s->m;
    move(s, m->theta);
    dynamics(s, k, r1, r2);
    if (s->m) {
        p->jacobian(p, s->work, HOL_AT(x), m->G);
        hol_mul_rows_transposed(&p->G, m->G_up, m->nu, -1, r1);
        hol_mul_rows_transposed(&p->G, m->G_up, m->mu_h, -1, r2);
        p->velocity_rhs(p, s->work, HOL_AT(x), velocity);
        hol_mul_rows(&p->G, m->G, x->v, 1, velocity);
    }
    if (nh)
        p->constraint(p, s->work, HOL_AT(x), position);
    for (int i = 0; i < nh; i++)
        position[i] = -position[i];
    for (int i = 0; i < s->m; i++)
        velocity[i] *= -k->h;
    for (int i = 0; m->left_out.count && i < nh + s->m; i++)
        position[i] = m->inactive[i] ? 0 : position[i];
    if (s->nw) {
        for (int i = 0; i < s->m; i++)
            m->lambda2[i] = m->mu_h[i] / k->d;
        p->variables(
            p, s->work,
            &(HolPoint){
                .t = x->t, .q = x->q, .v = x->v, .a = m->a2, .lambda = m->lambda2, .w = x->w},
            &(HolAlgebraic){.r = border});
        for (int i = 0; i < s->nw; i++)
            border[i] = -border[i];
    }
    return isfinite(hol_max_abs(r1, 2 * nv + nh + s->m + s->nw));
}

// ---- corrector ----

// solve and update; returns the correction over its bounds, NaN when something is not finite
static double dae_alpha_newton_iterate(HolSim *s, const HolAlphaCorrector *k) {
    HolDaeAlpha *m = s->method;
    const int nv = s->nv, nh = s->nh, n = 2 * nv + nh + s->m + s->nw;
    const double *scale = s->test->near;
    double *d = m->d, size = 0;
    memcpy(d, m->residual, (size_t)n * sizeof(double));
    hol_kkt_solve(m->kkt, d);
    s->stats.newton_iterations++;
    if (!isfinite(hol_max_abs(d, n)))
        return NAN;
    for (int i = 0; i < nv; i++) {
        m->theta[i] += d[i];
        s->next.v[i] += d[nv + i] / k->h;
        size = fmax(size, fabs(d[i]) * scale[i] / k->bound_q);
        size = fmax(size, fabs(d[nv + i]) * scale[i] / k->bound_v);
    }
    for (int i = 0; i < nh; i++)
        m->nu[i] += d[2 * nv + i];
    for (int i = 0; i < s->m; i++)
        m->mu_h[i] += d[2 * nv + nh + i];
    link_multipliers(s);
    for (int i = 0; i < s->nw; i++)
        s->next.w[i] += d[n - s->nw + i];
    return size;
}

static HolStatus dae_alpha_newton_not_finite(HolError *err) {
    return hol_error_set(err, HOL_ERR_CONVERGE, "a force or constraint is not a finite number");
}

// Large forces that a reaction balances leave round-off in r1 and r2: corrections below it mean
// nothing. At the first iterate.
static void raise_bounds(HolSim *s, HolAlphaCorrector *k) {
    HolDaeAlpha *m = s->method;
    const HolPattern *P = &s->p->M;
    double noise = 0;
    for (int j = 0; j < s->nv; j++)
        for (int e = P->ptr[j]; e < P->ptr[j + 1]; e++)
            if (P->idx[e] == j && m->M[e] > 0)
                noise = fmax(noise, DBL_EPSILON * fabs(m->f[j]) / m->M[e] * s->test->near[j]);
    k->bound_q = fmax(k->bound_q, fmin(k->b * noise, 1e-12));
    k->bound_v = fmax(k->bound_v, fmin(k->d * noise, 1e-12));
}

// A new matrix costs about three iterations; it should then gain two digits each.
static int is_worth_renewing(double rate, double size) {
    const double left = fmax(size, 1);
    const double present = log(left * rate / fmax(1 - rate, 0.01)) / -log(fmin(rate, 0.99));
    return present > 3 + log(left) / log(100);
}

static HolStatus dae_alpha_newton_correct(HolSim *s, HolAlphaCorrector *k, HolError *err) {
    HolDaeAlpha *m = s->method;
    const int fixed = m->tolerance <= 0;
    HolCorrector c = {.enough = 1,
                      .cap = 0.999,
                      .still = 0.5,
                      .near = fixed ? 5 : 1,
                      .slow = INFINITY,
                      .rate = -1};
    double size = INFINITY, last = 0; // the last one that did not end the iteration in vain
    int done = 0;
    for (int n = 1; n <= k->most && !done; n++) {
        if (!dae_alpha_newton_evaluate(s, k))
            return dae_alpha_newton_not_finite(err);
        if (n == 1)
            raise_bounds(s, k);
        if (!m->has_jacobian || k->full) {
            HolStatus status = hol_dae_alpha_renew(s, k, err);
            if (status != HOL_OK)
                return status;
        }
        size = dae_alpha_newton_iterate(s, k);
        if (isnan(size))
            return dae_alpha_newton_not_finite(err);
        const double before = c.before;
        if (n > 1 && before > 300)
            hol_contraction_seen(s, size / before);
        c.expected = hol_corrector_expected(m->rate); // (a new matrix has shown none)
        done = hol_corrector_verdict(&c, size) == HOL_CONVERGED;
        if (!done && n > 1 && before > 0) {
            done = c.rate >= 0.9 && size <= 300 && fixed;
            if (!done && ((c.rate >= 0.9 && !k->full) || (c.rate >= 2 && k->full && n > 8)))
                break;
            if (!done && is_worth_renewing(c.rate, size))
                m->has_jacobian = 0;
        }
        done = done || size <= (fixed ? 0.1 : 1e-3);
        last = size;
    }
    if (!done && !(fixed && size <= 1e4))
        return hol_error_set(err, HOL_ERR_CONVERGE, "Newton's iteration did not converge");
    // a ratio of two corrections at round-off says nothing about the matrix
    if (c.rate >= 0 && (!fixed || last > 300))
        m->rate = fmax(c.rate, 0.5 * m->rate);
    move(s, m->theta);
    return HOL_OK;
}

static HolStatus dae_alpha_newton_correct_exactly(HolSim *s, const HolAlphaCorrector *k, int count,
                                                  HolError *err) {
    for (int n = 0; n < count; n++) {
        if (!dae_alpha_newton_evaluate(s, k))
            return dae_alpha_newton_not_finite(err);
        HolStatus status = hol_dae_alpha_renew(s, k, err);
        if (status != HOL_OK)
            return status;
        if (isnan(dae_alpha_newton_iterate(s, k)))
            return dae_alpha_newton_not_finite(err);
    }
    move(s, ((HolDaeAlpha *)s->method)->theta);
    return HOL_OK;
}

// As published: one matrix a step, from its first iterate, until positions and h v change by less than
// a tolerance. What is left of the constraints is of its size.
static HolStatus dae_alpha_newton_correct_published(HolSim *s, const HolAlphaCorrector *k,
                                                    HolError *err) {
    HolDaeAlpha *m = s->method;
    const int most = m->newton_most > 0 ? m->newton_most : k->most;
    double before = 0;
    m->has_jacobian = 0;
    for (int n = 1; n <= most; n++) {
        if (!dae_alpha_newton_evaluate(s, k))
            return dae_alpha_newton_not_finite(err);
        HolStatus status = n == 1 ? hol_dae_alpha_renew(s, k, err) : HOL_OK;
        if (status != HOL_OK)
            return status;
        if (isnan(dae_alpha_newton_iterate(s, k)))
            return dae_alpha_newton_not_finite(err);
        const double size = hol_max_abs(m->d, 2 * s->nv);
        if (n > 1)
            hol_contraction_seen(s, size / before);
        before = size;
        if (size <= m->newton_tolerance) {
            move(s, m->theta);
            return HOL_OK;
        }
    }
    return hol_error_set(err, HOL_ERR_CONVERGE,
                         "Newton's iteration did not reach newton_tolerance %g in %d iterations",
                         m->newton_tolerance, most);
}

// G of the predicted point, for the forces of the whole step
static void freeze_split(HolSim *s, double h) {
    HolDaeAlpha *m = s->method;
    if (m->iteration == HOL_ALPHA_CMP1) {
        for (int i = 0; i < s->nv; i++)
            m->d[i] = h * s->x.v[i];
        move(s, m->d);
    } else {
        move(s, m->theta_predicted);
    }
    s->p->jacobian(s->p, s->work, HOL_AT(&s->next), m->G_up);
}

HolStatus hol_dae_alpha_solve(HolSim *s, double h, HolError *err) {
    HolDaeAlpha *m = s->method;
    HolAlphaCorrector k = {
        .h = h, .b = m->bh * h * h, .c = m->gh * h, .d = m->gh * h * h, .most = 10};
    const double way = h * hol_norm_near(s, s->x.v), size = fmax(s->test->grain, way);
    if (m->tolerance > 0) {
        // (much finer than the test: what is left goes into phi, whose changes it rests on)
        k.bound_q = fmax(1e-7 * m->tolerance, 20 * DBL_EPSILON * size);
        k.bound_v = fmax(1e-8 * m->tolerance, 20 * DBL_EPSILON * size);
    } else {
        k.bound_q = 4 * DBL_EPSILON * size;
        k.bound_v = DBL_EPSILON * fmax(0.01, way);
    }
    for (int i = 0; i < s->nv; i++)
        m->theta_predicted[i] = h * s->x.v[i] + 0.5 * h * h * m->a_start[i];
    if (s->m && m->iteration >= HOL_ALPHA_CMP)
        freeze_split(s, h);
    dae_alpha_newton_begin(s, &k, m->predictor >= 0 ? m->predictor : m->degree);
    if (m->iterations > 0)
        return dae_alpha_newton_correct_exactly(s, &k, m->iterations, err);
    if (m->newton_tolerance > 0)
        return dae_alpha_newton_correct_published(s, &k, err);
    if (m->newton_most > 0)
        k.most = m->newton_most;
    if (fabs(h / m->h_jacobian - 1) > 0.25)
        m->has_jacobian = 0;
    // where the last matrices did not serve the next step, none is kept for a while
    if (m->wait > 0) {
        m->wait--;
        m->has_jacobian = 0;
    }
    const int fresh = !m->has_jacobian;
    const long jacobians = s->stats.jacobians;
    HolStatus status = dae_alpha_newton_correct(s, &k, err);
    if (!fresh && s->stats.jacobians > jacobians)
        m->wait = 5;
    if (m->newton_most > 0) {
        m->has_jacobian = m->has_jacobian && status == HOL_OK && m->rate <= 0.1;
        return status;
    }
    if (status == HOL_ERR_CONVERGE && !fresh) {
        m->has_jacobian = 0;
        dae_alpha_newton_begin(s, &k, m->predictor >= 0 ? m->predictor : m->degree);
        status = dae_alpha_newton_correct(s, &k, err);
    }
    // a new matrix every iteration, first from there, then from the old positions
    k.full = 1;
    k.most = m->iteration == HOL_ALPHA_CM ? 100 : 25;
    for (int degree = 1; status == HOL_ERR_CONVERGE && degree >= 0; degree--) {
        if (degree == 1 && m->tolerance > 0 && m->iteration != HOL_ALPHA_CM)
            continue;
        dae_alpha_newton_begin(s, &k, degree);
        status = dae_alpha_newton_correct(s, &k, err);
        m->has_jacobian = 0;
    }
    if (status != HOL_OK || m->rate > 0.1)
        m->has_jacobian = 0;
    return status;
}
