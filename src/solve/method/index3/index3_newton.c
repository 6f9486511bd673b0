// SPDX-License-Identifier: Apache-2.0
// The nonlinear system of one index-3 step: predictor, residuals, Newton matrix, corrector.
//
// Newton matrix for (A, lambda, w), with b = beta h^2, c = gamma h:
//   [ kappa M + b [(M a)_q + (G^T lambda)_q - f_q] - c f_v     G^T      -f_w   ]
//   [ G D  (non-holonomic: B + b/c (B v + b)_q)                0         0     ]
//   [ -(kappa W_a + c W_v + b W_q)                            -W_lambda  I-W_w ]
// One factorization is kept while |h/h_J - 1| <= 1/4 and the contraction xi stays below 0.1.
// D is the derivative of the retraction (retraction.h).
// Redundant rows are left out (redundant.h); their multipliers stay as predicted, the others take
// the rest.
// Corrector test with d the correction of A and x = A1 - A0, norms scaled by the coordinates:
//   xi/(1-xi) |d| <= 1e-3 min( sqrt(n) eps/(C h^2), max(|x|, 1e-3 |A|) ),  or |d| at round-off;
// with a fixed step |d| has to reach round-off, 4 macheps max(1,|q|)/b.
// An accepted step of error control has e2 at round-off, too. A few more iterations of all
// equations keep what the corrector left in e1, which always points the same way, from adding up;
// then [S G^T; G 0] [dA; dlambda] = [0; e2] is repeated with the matrix at hand, one evaluation of
// the constraints each.
#include "solve/constraint/project.h"
#include "solve/method/index3/index3.h"
#include "solve/run/corrector.h"
#include "solve/run/error_test.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct Corrector {
    double h, b, c; // step, beta h^2, gamma h
    double floor;   // |d| that is round-off
    double near;    // |d| that is round-off when it no longer contracts
    double stuck;   // |d| that is small enough when the iterations are used up
    int most;       // iterations
    int full;       // a new matrix every iteration
} Corrector;

double hol_index3_limit(const HolSim *s, double h) {
    const HolIndex3 *m = s->method;
    return m->local ? m->tolerance : hol_error_limit(s, h, hol_second_order_share);
}

// ---- predictor ----

void hol_index3_history(HolSim *s) {
    HolIndex3 *m = s->method;
    double *oldest = m->u[HOL_INDEX3_POINTS - 1];
    for (int i = HOL_INDEX3_POINTS - 1; i > 0; i--) {
        m->u[i] = m->u[i - 1];
        m->time[i] = m->time[i - 1];
    }
    m->u[0] = oldest;
    m->time[0] = s->x.t;
    for (int i = 0; i < s->nv; i++)
        oldest[i] = m->A[i];
    for (int i = 0; i < s->m; i++)
        oldest[s->nv + i] = s->x.lambda[i];
    for (int i = 0; i < s->nw; i++)
        oldest[s->nv + s->m + i] = s->x.w[i];
    if (m->points < HOL_INDEX3_POINTS)
        m->points++;
}

// Newton's divided differences on the true times, evaluated by Horner's rule
static void index3_newton_predict(HolSim *s, double t1) {
    HolIndex3 *m = s->method;
    int n = s->nv + s->m + s->nw;
    const int most = m->smooth ? HOL_INDEX3_POINTS - 1 : m->degree;
    int degree = most < m->points - 1 ? most : m->points - 1;
    for (int i = 0; i <= degree; i++)
        memcpy(m->table[i], m->u[i], (size_t)n * sizeof(double));
    for (int j = 1; j <= degree; j++)
        for (int i = degree; i >= j; i--) {
            double width = m->time[i] - m->time[i - j];
            for (int k = 0; k < n; k++)
                m->table[i][k] = (m->table[i][k] - m->table[i - 1][k]) / width;
        }
    if (degree > m->degree)
        degree = m->degree;
    memcpy(m->predicted, m->table[degree], (size_t)n * sizeof(double));
    for (int i = degree - 1; i >= 0; i--) {
        double distance = t1 - m->time[i];
        for (int k = 0; k < n; k++)
            m->predicted[k] = m->predicted[k] * distance + m->table[i][k];
    }
}

// Predictors of all degrees from the table of the last step, against the A that it found. Where the
// motion is smooth a higher degree comes closer.
void hol_index3_judge_predictor(HolSim *s) {
    HolIndex3 *m = s->method;
    const int most = m->points < HOL_INDEX3_POINTS ? m->points : HOL_INDEX3_POINTS;
    double product = 1;
    int best = 0;
    memcpy(m->predicted, m->A_new, (size_t)s->nv * sizeof(double)); // what is missing
    for (int d = 0; d < most; d++) {
        for (int i = 0; i < s->nv; i++)
            m->predicted[i] -= product * m->table[d][i];
        const double miss = hol_norm_near(s, m->predicted);
        m->missed[d] = m->missed[d] > 0 ? sqrt(m->missed[d] * miss) : miss;
        best = m->missed[d] < m->missed[best] ? d : best;
        product *= s->x.t - m->time[d];
    }
    m->degree = best;
}

// the predicted unknowns become the first iterate
static void index3_newton_begin(HolSim *s) {
    const HolIndex3 *m = s->method;
    const double *u = m->predicted;
    memcpy(m->A_new, u, (size_t)s->nv * sizeof(double));
    if (s->m)
        memcpy(s->next.lambda, u + s->nv, (size_t)s->m * sizeof(double));
    // a border keeps multipliers from being brought to the least norm: no extrapolation of those
    // that no equation corrects
    for (int i = 0; s->nw && m->left_out.count && i < s->m; i++)
        s->next.lambda[i] = m->left_out.rows[i] ? s->x.lambda[i] : s->next.lambda[i];
    if (s->nw)
        memcpy(s->next.w, u + s->nv + s->m, (size_t)s->nw * sizeof(double));
}

// ---- equations ----

// q1, v1, a1 of the present A1
static void index3_newton_follow(HolSim *s, const Corrector *k) {
    const HolIndex3 *m = s->method;
    for (int i = 0; i < s->nv; i++) {
        s->next.v[i] = m->v_hat[i] + k->c * m->A_new[i];
        s->next.a[i] = m->kappa * m->A_new[i] + m->a_known[i];
    }
    double *to = s->plain ? s->next.q : m->theta;
    for (int i = 0; i < s->nv; i++)
        to[i] = m->q_hat[i] + k->b * m->A_new[i];
    if (!s->plain)
        s->p->retract(s->p, s->work, s->x.q, m->theta, s->next.q);
}

// index 1 and 2: all rows on a lower level, with Baumgarte's feedback
static void lower_rows(HolSim *s, const Corrector *k) {
    HolIndex3 *m = s->method;
    const HolProblem *p = s->p;
    const HolState *x = &s->next;
    const double feed = m->baumgarte;
    double *row = m->residual + s->nv, *position = m->lower, *velocity = m->lower + s->m;
    memset(position, 0, sizeof *position * (size_t)s->m);
    if (s->nh)
        p->constraint(p, s->work, HOL_AT(x), position);
    p->velocity_rhs(p, s->work, HOL_AT(x), velocity);
    hol_mul_rows(&p->G, m->G, x->v, 1, velocity);
    if (m->index == 1) {
        p->acceleration_rhs(p, s->work, HOL_AT(x), row);
        hol_mul_rows(&p->G, m->G, x->a, 1, row);
    }
    for (int i = 0; i < s->m; i++)
        row[i] = m->index == 2
                     ? -(velocity[i] + feed * position[i]) / k->c
                     : -(row[i] + 2 * feed * velocity[i] + feed * feed * position[i]) / m->kappa;
}

// e2 on its two levels, with the sign of a right-hand side; non-holonomic rows with the G in m->G.
// Rows left out read zero.
static void constraint_rows(HolSim *s, const Corrector *k) {
    HolIndex3 *m = s->method;
    const HolProblem *p = s->p;
    const HolState *x = &s->next;
    double *row = m->residual + s->nv;
    if (m->index < 3) {
        lower_rows(s, k);
        return;
    }
    if (s->nn) {
        p->velocity_rhs(p, s->work, HOL_AT(x), row);
        hol_mul_rows(&p->G, m->G, x->v, 1, row);
        for (int i = s->nh; i < s->m; i++)
            row[i] = -row[i] / k->c;
    }
    if (s->nh) {
        p->constraint(p, s->work, HOL_AT(x), row);
        for (int i = 0; i < s->nh; i++)
            row[i] = -row[i] / k->b;
    }
    for (int i = 0; m->left_out.count && i < s->m; i++)
        row[i] = m->left_out.rows[i] ? 0 : row[i];
}

static int index3_newton_evaluate(HolSim *s, const Corrector *k) {
    HolIndex3 *m = s->method;
    const HolProblem *p = s->p;
    const HolState *x = &s->next;
    double *r = m->residual;
    int nv = s->nv;
    index3_newton_follow(s, k);
    // e1, with the sign of a right-hand side
    p->force(p, s->work, HOL_AT(x), r);
    s->stats.force_evaluations++;
    memset(m->M, 0, (size_t)p->M.nnz * sizeof(double));
    p->mass(p, s->work, HOL_AT(x), 1, 0, m->M);
    hol_mul_columns(&p->M, m->M, x->a, -1, r);
    if (s->m) {
        p->jacobian(p, s->work, HOL_AT(x), m->G);
        hol_mul_rows_transposed(&p->G, m->G, x->lambda, -1, r);
    }
    constraint_rows(s, k);
    for (int i = 0; m->apart && i < s->nw; i++)
        r[nv + s->m + i] = m->w_given[i] - x->w[i];
    if (s->nw && !m->apart) {
        double *row = r + nv + s->m;
        p->variables(p, s->work, HOL_AT(x), &(HolAlgebraic){.r = row});
        for (int i = 0; i < s->nw; i++)
            row[i] = -row[i];
    }
    return isfinite(hol_max_abs(r, nv + s->m + s->nw));
}

static void index3_newton_fill_border(HolSim *s, const Corrector *k) {
    HolIndex3 *m = s->method;
    const HolProblem *p = s->p;
    const HolState *x = &s->next;
    double *A, *L, *W, *F;
    int n = s->nw * s->nv;
    double *Jq = m->J, *Jv = Jq + n, *Ja = Jv + n, *unused = m->residual + s->nv + s->m;
    hol_kkt_border(m->kkt, &A, &L, &W, &F);
    p->variables(
        p, s->work, HOL_AT(x),
        &(HolAlgebraic){.r = unused, .Jq = Jq, .Jv = Jv, .Ja = Ja, .Jl = L, .Jw = W, .fw = F});
    if (m->apart) { // w is given
        memset(A, 0, sizeof *A * (size_t)n);
        memset(L, 0, sizeof *L * (size_t)s->nw * (size_t)s->m);
        memset(W, 0, sizeof *W * (size_t)s->nw * (size_t)s->nw);
        for (int i = 0; i < s->nw; i++)
            unused[i] = m->w_given[i] - x->w[i];
        return;
    }
    for (int i = 0; i < s->nw; i++)
        unused[i] = -unused[i];
    for (int i = 0; i < n; i++)
        A[i] = m->kappa * Ja[i] + k->c * Jv[i] + k->b * Jq[i];
}

static void fill_jacobian_rows(HolSim *s, const Corrector *k) {
    HolIndex3 *m = s->method;
    const HolPattern *P = &s->p->G;
    double *G = hol_kkt_G(m->kkt);
    memcpy(G, m->G, (size_t)P->nnz * sizeof(double));
    if (m->index != 2 && s->nn == 0 && m->chart.width == 0)
        return;
    // the block below is no longer the transpose of that above: positions turn with theta,
    // velocity rows move with q1
    memcpy(hol_kkt_Gt(m->kkt), m->G, (size_t)P->nnz * sizeof(double));
    if (m->index == 1)
        return;
    if (m->chart.width && m->index == 3) {
        hol_retraction_update(s, &m->chart, s->x.q, m->theta);
        hol_retraction_columns(&m->chart, P, 0, s->nh, G);
    }
    if (s->nn == 0 && m->index == 3)
        return;
    memset(m->B, 0, (size_t)P->nnz * sizeof(double));
    s->p->velocity_jacobian(s->p, s->work, HOL_AT(&s->next), m->B);
    for (int j = m->index == 2 ? 0 : P->ptr[s->nh]; j < P->ptr[s->m]; j++)
        G[j] += k->b / k->c * m->B[j];
}

// the matrix at the present iterate (evaluate() was called for it)
static HolStatus index3_newton_renew(HolSim *s, const Corrector *k, HolError *err) {
    HolIndex3 *m = s->method;
    const HolProblem *p = s->p;
    const HolState *x = &s->next;
    double *S = hol_kkt_S(m->kkt);
    memset(S, 0, (size_t)p->S.nnz * sizeof(double));
    p->mass(p, s->work, HOL_AT(x), m->kappa, 1, S);
    p->tangent(p, s->work, HOL_AT(x), k->c, k->b, S);
    if (s->m)
        fill_jacobian_rows(s, k);
    if (s->nw)
        index3_newton_fill_border(s, k);
    s->stats.jacobians++;
    s->stats.factorizations++;
    int bad = hol_kkt_factor(m->kkt);
    m->has_jacobian = bad == 0;
    m->h_jacobian = k->h;
    m->rate = -1;
    return bad ? hol_singular_error(s, x->t, bad, err) : HOL_OK;
}

// ---- corrector ----

// solve with the residuals and update; returns |d|, NaN when something is not finite
static double update(HolSim *s) {
    HolIndex3 *m = s->method;
    int nv = s->nv, n = nv + s->m + s->nw;
    double *d = s->rhs;
    memcpy(d, m->residual, (size_t)n * sizeof(double));
    hol_kkt_solve(m->kkt, d);
    if (!isfinite(hol_max_abs(d, n)))
        return NAN;
    for (int i = 0; i < nv; i++)
        m->A_new[i] += d[i];
    for (int i = 0; i < s->m; i++)
        s->next.lambda[i] += d[nv + i];
    for (int i = 0; i < s->nw; i++)
        s->next.w[i] += d[nv + s->m + i];
    return hol_norm_near(s, d);
}

static double index3_newton_iterate(HolSim *s) {
    s->stats.newton_iterations++;
    return update(s);
}

// bound on the error left in A1
static double bound(HolSim *s, const Corrector *k) {
    HolIndex3 *m = s->method;
    const double c = m->newton_c;
    // fixed step: the part of A tangent to the constraints is known better than round-off of q / b,
    // and what is left in it would add up in v
    if (m->newton_tolerance > 0)
        return m->newton_tolerance / k->b;
    if (m->tolerance <= 0)
        return fmin(k->floor, fmax(0.02 * k->floor, 1e-12 * hol_norm_near(s, m->A_new)));
    for (int i = 0; i < s->nv; i++)
        s->r1[i] = m->A_new[i] - m->A_start[i];
    const double by_motion = fmax(hol_norm_near(s, s->r1), c * hol_norm_near(s, m->A_new));
    const double by_error = hol_index3_limit(s, k->h) / (fabs(m->error_q) * k->h * k->h);
    return c * (m->published ? by_error : fmin(by_error, by_motion));
}

static HolStatus index3_newton_not_finite(HolError *err) {
    return hol_error_set(err, HOL_ERR_CONVERGE, "a force or constraint is not a finite number");
}

static HolStatus index3_newton_correct(HolSim *s, const Corrector *k, HolError *err) {
    HolIndex3 *m = s->method;
    HolCorrector c = {
        .cap = 0.9, .still = 0.5, .near = k->near, .slow = k->full ? INFINITY : 0.9, .rate = -1};
    double size = INFINITY;
    HolVerdict verdict = HOL_GO_ON;
    for (int n = 1; n <= k->most && verdict == HOL_GO_ON; n++) {
        if (!index3_newton_evaluate(s, k))
            return index3_newton_not_finite(err);
        if (!m->has_jacobian || k->full) {
            HolStatus status = index3_newton_renew(s, k, err);
            if (status != HOL_OK)
                return status;
        }
        size = index3_newton_iterate(s);
        if (isnan(size))
            return index3_newton_not_finite(err);
        const double before = c.before;
        // (a new matrix has shown none; the published test needs two corrections)
        c.expected = m->published ? -1 : hol_corrector_expected(m->rate);
        c.enough = bound(s, k);
        if (m->newton_tolerance > 0) {
            verdict = size <= c.enough ? HOL_CONVERGED : HOL_GO_ON;
            c.before = size;
        } else if (size <= k->floor && (m->tolerance > 0 || size <= c.enough))
            verdict = HOL_CONVERGED;
        else
            verdict = hol_corrector_verdict(&c, size);
        if (n > 1 && before > k->near)
            hol_contraction_seen(s, size / before);
        // on the way to round-off a better matrix is worth its price
        if (verdict == HOL_GO_ON && n > 1 && m->tolerance <= 0 && c.rate > 0.05 && size > k->near)
            m->has_jacobian = 0;
    }
    if (verdict != HOL_CONVERGED && !(size <= k->stuck))
        return hol_error_set(err, HOL_ERR_CONVERGE, "Newton's iteration did not converge");
    index3_newton_follow(s, k);
    // a ratio of two corrections at round-off says nothing about the matrix
    if (c.rate >= 0 && c.before > k->near)
        m->rate = fmax(c.rate, 0.5 * m->rate);
    return HOL_OK;
}

static HolStatus index3_newton_correct_exactly(HolSim *s, const Corrector *k, int count,
                                               HolError *err) {
    for (int n = 0; n < count; n++) {
        if (!index3_newton_evaluate(s, k))
            return index3_newton_not_finite(err);
        HolStatus status = index3_newton_renew(s, k, err);
        if (status != HOL_OK)
            return status;
        if (isnan(index3_newton_iterate(s)))
            return index3_newton_not_finite(err);
    }
    index3_newton_follow(s, k);
    return HOL_OK;
}

// ---- a step ----

static Corrector corrector(const HolIndex3 *m, double h) {
    return (Corrector){.h = h, .b = m->beta * h * h, .c = m->gamma * h, .most = 10};
}

// correct all equations, or the constraints alone; returns |d|, NaN: something is not finite
static double improve(HolSim *s, const Corrector *k, int all) {
    HolIndex3 *m = s->method;
    double size = NAN;
    if (all) {
        if (index3_newton_evaluate(s, k))
            size = index3_newton_iterate(s);
    } else {
        memset(m->residual, 0, sizeof(double) * (size_t)(s->nv + s->m + s->nw));
        if (s->nn)
            s->p->jacobian(s->p, s->work, HOL_AT(&s->next), m->G);
        constraint_rows(s, k);
        size = update(s);
    }
    index3_newton_follow(s, k);
    return size;
}

// iterations of all equations before those of the constraints alone
enum { COMPLETE = 2 };

// the constraints of s->next to round-off, but those left out
static HolStatus settle_kept_rows(HolSim *s, const Corrector *k, HolError *err) {
    const double grain = s->test->grain, floor = 4 * DBL_EPSILON * grain / k->b;
    double before = INFINITY;
    int fresh = 0;
    for (int n = 0; n < 30; n++) {
        const double size = improve(s, k, n < COMPLETE), rate = n ? size / before : 1;
        if (isnan(size))
            return index3_newton_not_finite(err);
        // left is rate * size; where even a new matrix does not contract it is round-off
        if (fmin(fmax(rate, 0.03), 1) * size <= floor ||
            (fresh && rate > 0.5 && size <= 1e-12 * grain / k->b))
            return HOL_OK;
        fresh = n && rate > 0.3;
        if (fresh) {
            HolStatus status = index3_newton_evaluate(s, k) ? index3_newton_renew(s, k, err)
                                                            : index3_newton_not_finite(err);
            if (status != HOL_OK)
                return status;
        }
        before = size;
    }
    return hol_error_set(err, HOL_ERR_CONVERGE, "the positions did not converge");
}

// rows left out that the others hardly determine are taken in for others; *changed: so many
static HolStatus exchange_rows(HolSim *s, const Corrector *k, int most, int *changed,
                               HolError *err) {
    HolIndex3 *m = s->method;
    const HolKeptRows kept = {m->kkt, s->nv + s->m + s->nw, 0, s->nv};
    HolStatus status = HOL_OK;
    *changed = 0;
    while (status == HOL_OK && *changed < m->left_out.count &&
           hol_left_out_exchange(s, &m->left_out, &kept, m->G, most)) {
        (*changed)++;
        hol_kkt_inactive(m->kkt, m->left_out.rows);
        status = index3_newton_evaluate(s, k) ? index3_newton_renew(s, k, err)
                                              : index3_newton_not_finite(err);
    }
    return status;
}

HolStatus hol_index3_settle(HolSim *s, double h, HolError *err) {
    HolIndex3 *m = s->method;
    const Corrector k = corrector(m, h);
    const double scale = s->test->grain;
    const double small = 32 * DBL_EPSILON * scale;
    HolStatus status = s->m ? settle_kept_rows(s, &k, err) : HOL_OK;
    if (status != HOL_OK || !m->left_out.count)
        return status;
    // a few a step will do, unless they are met badly
    int changed;
    double off = hol_left_out_residual(s, &m->left_out, s->next.t, s->next.q);
    status = exchange_rows(s, &k, off > small ? m->left_out.count : 4, &changed, err);
    if (status == HOL_OK && (changed || off > small))
        status = settle_kept_rows(s, &k, err);
    if (status != HOL_OK)
        return status;
    off = hol_left_out_residual(s, &m->left_out, s->next.t, s->next.q);
    if (off > 1e-12 * scale)
        return hol_error_set(err, HOL_ERR_CONVERGE, "redundant constraints are not met together");
    return HOL_OK;
}

static HolStatus solve_step(HolSim *s, double h, HolError *err) {
    HolIndex3 *m = s->method;
    const double scale = s->test->grain;
    Corrector k = corrector(m, h);
    k.floor = (m->tolerance > 0 ? 20 : 4) * DBL_EPSILON * scale / k.b;
    k.near = 50 * k.floor;
    k.stuck = m->tolerance > 0 ? 1e-11 * scale / k.b : k.near;
    if (m->newton_most > 0)
        k.most = m->newton_most;
    if (m->newton_tolerance > 0)
        k.stuck = 0;
    index3_newton_predict(s, s->next.t);
    index3_newton_begin(s);
    if (m->iterations > 0)
        return index3_newton_correct_exactly(s, &k, m->iterations, err);
    if (fabs(h / m->h_jacobian - 1) > 0.25)
        m->has_jacobian = 0;
    int fresh = !m->has_jacobian;
    HolStatus status = index3_newton_correct(s, &k, err);
    if (status != HOL_OK && !fresh && !m->newton_most) {
        m->has_jacobian = 0;
        index3_newton_begin(s);
        status = index3_newton_correct(s, &k, err);
    }
    if (status == HOL_ERR_CONVERGE && m->tolerance <= 0 && !m->newton_most) {
        // no smaller step to fall back to: a new matrix every iteration, from the old accelerations
        memcpy(m->predicted, m->u[0], (size_t)(s->nv + s->m + s->nw) * sizeof(double));
        index3_newton_begin(s);
        k.full = 1;
        k.most = 25;
        k.stuck = 1e-11 * scale / k.b;
        status = index3_newton_correct(s, &k, err);
        m->has_jacobian = 0;
    }
    if (status != HOL_OK || m->rate > 0.1)
        m->has_jacobian = 0;
    return status;
}

// w* at the candidate, into m->w_given; *change: as part of its size
static HolStatus renew_given(HolSim *s, double *change, HolError *err) {
    HolIndex3 *m = s->method;
    HolState *x = &m->star;
    hol_state_copy(s, x, &s->next);
    HolStatus status = hol_mass_factor(s, x->t, x->q, err);
    if (status == HOL_OK)
        status = hol_project_velocity(s, x->t, x->q, x->v, err);
    if (status == HOL_OK)
        status = hol_accelerate(s, x, 1, err);
    const double size = hol_max_abs(x->w, s->nw);
    *change = size > 0 ? hol_max_difference(x->w, m->w_given, s->nw) / size : 0;
    memcpy(m->w_given, x->w, sizeof *x->w * (size_t)s->nw);
    return status;
}

HolStatus hol_index3_solve(HolSim *s, double h, HolError *err) {
    enum { MOST = 20 };
    HolIndex3 *m = s->method;
    double change = 1;
    if (!m->apart)
        return solve_step(s, h, err);
    const double enough = m->tolerance > 0 ? fmin(1e-6, 1e-2 * m->tolerance) : 1e-13;
    index3_newton_predict(s, s->next.t);
    memcpy(m->w_given, m->predicted + s->nv + s->m, sizeof(double) * (size_t)s->nw);
    HolStatus status = HOL_OK;
    for (int n = 0; n < MOST && status == HOL_OK; n++) {
        status = solve_step(s, h, err);
        if (change <= enough || status != HOL_OK)
            return status;
        status = renew_given(s, &change, err);
    }
    if (status == HOL_OK && change > 1e3 * enough)
        status = hol_error_set(err, HOL_ERR_CONVERGE,
                               "the forces that depend on reactions did not converge");
    return status;
}
