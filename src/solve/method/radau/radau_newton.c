// SPDX-License-Identifier: Apache-2.0
// The stages of a step. Unknown are the rates r_i = x' at the stages,
//   x_i = x_0 + h sum a_ij r_j,    0 = r_0 + h sum a_ij F(t_j, x_j, r_j) - r_i
// Newton's method with K = dF/dx, C = dF/dx', which vary over the step: they are differenced at the
// predicted middle stage and, in between, linear in time with those of the step before:
//   dr_i - h sum_k a_ik C_k dr_k - h^2 sum_jk a_ij K_j a_jk dr_k = residual_i
// First guess: the polynomial of the last step, extrapolated.
#include "solve/constraint/project.h"
#include "solve/method/radau/radau.h"
#include "solve/run/corrector.h"
#include "solve/run/error_test.h"

#include "math/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_ITERATIONS = 12, MOST_FULL = 30 };

// ---- derivatives ----

static HolStatus radau_newton_evaluate(HolSim *s, Radau *m, HolChartPoint *at, int same,
                                       HolError *err) {
    HolStatus status = hol_chart_move(s, &m->chart, at, same, err);
    return status ? status : hol_chart_accelerate(s, &m->chart, at, same, m->f, err);
}

// K and C at a point whose F is known
static HolStatus radau_newton_differentiate(HolSim *s, Radau *m, const HolChartPoint *at,
                                            RadauRates *to, HolError *err) {
    const int d = m->chart.dof;
    HolChartPoint *probe = &m->probe;
    to->t = at->t;
    s->stats.jacobians++;
    for (int k = 0; k < 2 * d; k++) {
        probe->t = at->t;
        memcpy(probe->x, at->x, sizeof at->x);
        memcpy(probe->rate, at->rate, sizeof at->rate);
        memcpy(probe->q, at->q, sizeof *at->q * (size_t)s->nq);
        double *moved = k < d ? &probe->x[k] : &probe->rate[k - d];
        const double before = *moved;
        // small for the coordinate and for what it moves
        const double unit = m->scale[k % d] > 0 ? 1 / m->scale[k % d] : 1;
        *moved += 1e-7 * fmax(fabs(before), k < d ? unit : unit * s->test->most / s->test->length);
        const double step = *moved - before;
        HolStatus status = radau_newton_evaluate(s, m, probe, k > d, err);
        if (status)
            return status;
        double *column = k < d ? to->K + k : to->C + k - d;
        for (int i = 0; i < d; i++)
            column[i * d] = (probe->F[i] - at->F[i]) / step;
    }
    return HOL_OK;
}

// the same, as the newest of those kept
static HolStatus add_rates(HolSim *s, Radau *m, const HolChartPoint *at, HolError *err) {
    const int keep = m->table.s > 4 ? RADAU_PAST : 2;
    while (m->n_rates > 0 && !(m->rates[0].t < at->t)) { // those of a step that was given up
        m->n_rates--;
        memmove(m->rates, m->rates + 1, sizeof *m->rates * (size_t)m->n_rates);
    }
    m->n_rates = m->n_rates < keep ? m->n_rates + 1 : keep;
    memmove(m->rates + 1, m->rates, sizeof *m->rates * (size_t)(m->n_rates - 1));
    return radau_newton_differentiate(s, m, at, &m->rates[0], err);
}

// derivatives at the stages from those kept: the polynomial in time through them
static void blend_rates(Radau *m, double h) {
    const int entries = m->chart.dof * m->chart.dof;
    for (int k = 0; k < m->table.s; k++) {
        RadauRates *to = &m->at_stage[k];
        to->t = m->start.t + m->table.c[k] * h;
        for (int i = 0; i < m->n_rates; i++) {
            const RadauRates *from = &m->rates[i];
            double w = 1;
            for (int j = 0; j < m->n_rates; j++)
                if (j != i)
                    w *= (to->t - m->rates[j].t) / (from->t - m->rates[j].t);
            for (int e = 0; e < entries; e++) {
                to->K[e] = (i ? to->K[e] : 0) + w * from->K[e];
                to->C[e] = (i ? to->C[e] : 0) + w * from->C[e];
            }
        }
    }
}

static HolStatus radau_newton_factor(Radau *m, double h, HolError *err) {
    const RadauTable *a = &m->table;
    const int d = m->chart.dof, stages = a->s, n = d * stages;
    for (int k = 0; k < stages; k++)
        for (int i = 0; i < stages; i++)
            for (int col = 0; col < d; col++)
                for (int row = 0; row < d; row++) {
                    double sum = a->A[i][k] * m->at_stage[k].C[row * d + col];
                    for (int j = 0; j < stages; j++)
                        sum += h * a->A[i][j] * a->A[j][k] * m->at_stage[j].K[row * d + col];
                    m->P[(k * d + col) * n + i * d + row] = (i == k && row == col) - h * sum;
                }
    if (hol_dense_lu(n, m->P, m->pivot))
        return hol_error_set(err, HOL_ERR_CONVERGE,
                             "at time %.10g Newton's matrix of the stages is singular", m->start.t);
    return HOL_OK;
}

// ---- stages ----

// rates of the stages continue those of the last step
static void radau_newton_predict(Radau *m, double h) {
    const RadauTable *a = &m->table;
    const int d = m->chart.dof;
    const int extrapolate = m->have_last && h <= 2.5 * m->last_h;
    double w[RADAU_STAGES + 1];
    for (int i = 0; i < a->s; i++) {
        if (extrapolate)
            hol_radau_interpolate(a, 1 + a->c[i] * h / m->last_h, w);
        for (int k = 0; k < d; k++) {
            double r = m->start.rate[k] + (extrapolate ? 0 : a->c[i] * h * m->start.F[k]);
            if (extrapolate) {
                r = w[0] * m->last_start[1][k];
                for (int j = 0; j < a->s; j++)
                    r += w[j + 1] * m->last_rate[j][k];
            }
            m->stage[i].rate[k] = r;
        }
    }
}

// x of the stages from their rates
static void integrate(Radau *m, double h) {
    const RadauTable *a = &m->table;
    for (int i = 0; i < a->s; i++)
        for (int k = 0; k < m->chart.dof; k++) {
            double sum = 0;
            for (int j = 0; j < a->s; j++)
                sum += a->A[i][j] * m->stage[j].rate[k];
            m->stage[i].x[k] = m->start.x[k] + h * sum;
        }
}

// y: changes of the rates become changes of x, in units of q: their size
static double radau_newton_size_of(const Radau *m, double h, const double *y) {
    const RadauTable *a = &m->table;
    const int d = m->chart.dof;
    double largest = 0;
    for (int i = 0; i < a->s; i++) {
        double position = 0, velocity = 0;
        for (int k = 0; k < d; k++) {
            double sum = 0;
            for (int j = 0; j < a->s; j++)
                sum += a->A[i][j] * y[j * d + k];
            position += m->scale[k] * m->scale[k] * sum * sum;
            if (i == a->s - 1)
                velocity += m->scale[k] * m->scale[k] * y[i * d + k] * y[i * d + k];
        }
        largest = fmax(largest, h * sqrt(fmax(position, velocity)));
    }
    return largest;
}

static HolStatus evaluate_stages(HolSim *s, Radau *m, double h, int first, HolError *err) {
    const RadauTable *a = &m->table;
    for (int i = 0; i < a->s; i++) {
        HolChartPoint *stage = &m->stage[i];
        stage->t = m->start.t + a->c[i] * h;
        if (first) // next to the stage before
            memcpy(stage->q, i ? m->stage[i - 1].q : m->start.q, sizeof *stage->q * (size_t)s->nq);
        HolStatus status = radau_newton_evaluate(s, m, stage, 0, err);
        if (status)
            return status;
    }
    return HOL_OK;
}

static void residuals(const Radau *m, double h, double *r) {
    const RadauTable *a = &m->table;
    const int d = m->chart.dof;
    for (int i = 0; i < a->s; i++)
        for (int k = 0; k < d; k++) {
            double sum = 0;
            for (int j = 0; j < a->s; j++)
                sum += a->A[i][j] * m->stage[j].F[k];
            r[i * d + k] = m->start.rate[k] + h * sum - m->stage[i].rate[k];
        }
}

// Newton's matrix: before the first iteration, in a full iteration before each
static HolStatus radau_newton_prepare(HolSim *s, Radau *m, double h, int full, HolError *err) {
    const int stages = m->table.s;
    HolStatus status = HOL_OK;
    if (full) {
        for (int i = 0; i < stages && !status; i++)
            status = radau_newton_differentiate(s, m, &m->stage[i], &m->at_stage[i], err);
    } else {
        status = add_rates(s, m, &m->stage[stages / 2], err);
        if (!status && stages > 4)
            status = add_rates(s, m, &m->stage[stages - 1], err);
        blend_rates(m, h);
    }
    return status ? status : radau_newton_factor(m, h, err);
}

// from the rates at hand
static HolStatus radau_newton_iterate(HolSim *s, Radau *m, double h, int full, HolError *err) {
    const int d = m->chart.dof, stages = m->table.s, most = full ? MOST_FULL : MOST_ITERATIONS;
    HolCorrector c = {.enough = m->enough,
                      .cap = 0.9,
                      .expected = fmin(fmax(2 * m->rate, 0.2), 0.9),
                      .still = 0.9,
                      .near = m->enough / 9};
    double y[RADAU_UNKNOWNS], least = INFINITY;
    for (int n = 0; n < most; n++) {
        integrate(m, h);
        HolStatus status = evaluate_stages(s, m, h, n == 0, err);
        if (!status && (n == 0 || full))
            status = radau_newton_prepare(s, m, h, full, err);
        if (status)
            return status;
        residuals(m, h, y);
        hol_dense_lu_solve(d * stages, m->P, m->pivot, y);
        s->stats.newton_iterations++;
        const double size = radau_newton_size_of(m, h, y);
        if (!isfinite(size))
            break;
        for (int i = 0; i < stages; i++)
            for (int k = 0; k < d; k++)
                m->stage[i].rate[k] += y[i * d + k];
        c.slow = n > 1 && !full ? 0.9 : INFINITY;
        const HolVerdict verdict = hol_corrector_verdict(&c, size);
        least = n > 0 ? fmin(least, c.rate) : least;
        m->iterations = n + 1;
        const int stands = n > 1 && c.rate > 0.3 && size < 1e-9 && least < 0.3;
        if (verdict == HOL_CONVERGED || size < 1e-15 || stands) {
            integrate(m, h);
            m->rate = n > 0 ? fmin(c.rate, 0.5) : fmin(0.5, 2 * m->rate);
            return HOL_OK;
        }
        if (verdict == HOL_HOPELESS)
            break;
    }
    return hol_error_set(err, HOL_ERR_CONVERGE,
                         "at time %.10g the iteration of the stages does not converge", m->start.t);
}

HolStatus hol_radau_solve(HolSim *s, Radau *m, double h, HolError *err) {
    radau_newton_predict(m, h);
    HolStatus status = radau_newton_iterate(s, m, h, 0, err);
    if (status == HOL_OK)
        return status;
    m->n_rates = 0;
    if (!(s->o.step > 0))
        return status;
    // a given step cannot be shortened: from constant rates, with the derivatives of every iterate
    for (int i = 0; i < m->table.s; i++)
        memcpy(m->stage[i].rate, m->start.rate, sizeof m->start.rate);
    return radau_newton_iterate(s, m, h, 1, err);
}

// (of much lower order than the stages: it overstates the error)
double hol_radau_error(HolSim *s, const Radau *m, double h) {
    static const double SHARE = 100;
    const RadauTable *a = &m->table;
    const int d = m->chart.dof;
    const RadauRates *r = &m->at_stage[0];
    double P[HOL_CHART_DOF * HOL_CHART_DOF], ex[HOL_CHART_DOF], er[HOL_CHART_DOF], y[HOL_CHART_DOF];
    int pivot[HOL_CHART_DOF];
    const double g = h * a->gamma;
    for (int k = 0; k < d; k++) {
        ex[k] = g * m->start.rate[k];
        er[k] = g * m->start.F[k];
        for (int i = 0; i < a->s; i++) {
            ex[k] += h * a->e[i] * m->stage[i].rate[k];
            er[k] += a->z[i] * (m->stage[i].rate[k] - m->start.rate[k]);
        }
    }
    for (int i = 0; i < d; i++) {
        y[i] = er[i];
        for (int k = 0; k < d; k++) {
            y[i] += g * r->K[i * d + k] * ex[k];
            P[k * d + i] = (i == k) - g * (r->C[i * d + k] + g * r->K[i * d + k]);
        }
    }
    if (hol_dense_lu(d, P, pivot))
        return INFINITY;
    hol_dense_lu_solve(d, P, pivot, y);
    // bodies move by E x
    double *dq = s->r1, *dv = s->r2;
    memset(dq, 0, sizeof *dq * (size_t)s->nv);
    memset(dv, 0, sizeof *dv * (size_t)s->nv);
    for (int k = 0; k < d; k++) {
        const double *E = m->probe.E + (size_t)k * (size_t)s->nv, x = ex[k] + g * y[k];
        for (int i = 0; i < s->nv; i++) {
            dq[i] += E[i] * x;
            dv[i] += E[i] * y[k];
        }
    }
    const HolChartPoint *end = &m->stage[a->s - 1];
    hol_error_test_candidate(s, &(HolState){.t = end->t, .q = end->q, .v = end->v});
    return hol_larger(hol_norm_q(s, dq), hol_norm_v(s, dv)) / hol_error_limit(s, h, SHARE);
}
