// SPDX-License-Identifier: Apache-2.0
// Dense output and local error of the tangent schemes, both from the data at the two ends.
//   q, v        quintic through (q, q', q'') and (v, a, j)
//   a, lambda   cubic through (a, j), (lambda, lambda'); linear where rows are redundant, because
//               the rate belongs to other multipliers
// Without the jerk (newmark): cubics through (q, q'), (v, a); a and lambda linear.
// Local error, with a''' = 12 (a0 - a1)/h^3 + 6 (j0 + j1)/h^2 from the cubic of a:
//   hermite     h^5/720 a''' (positions)
//   jfg         h^5/180 a'''
//   obreshkov3  h^4/72 a''
//   newmark     (beta - 1/6) h^3 a'; gamma other than 1/2: also (gamma - 1/2) h^2 a' in v
//   hht, generalized-alpha   (beta + lag/2 - 1/6) h^3 a'
// Where q is not plain, q'' and q''' stand in place of a and j: a steady rotation has neither a nor
// j, but its quaternion has all derivatives.
#include "base/thread_pool.h"
#include "math/saddle/kkt_complex.h"
#include "solve/method/tangent/tangent.h"
#include "solve/run/error_test.h"

#include <math.h>
#include <string.h>

// value at theta of the quintic with (y, y', y'') at 0 and 1, derivatives in units of the step h
static double quintic(double theta, double h, double y0, double d0, double s0, double y1, double d1,
                      double s1) {
    const double u = theta, u3 = u * u * u, w = 1 - theta, w3 = w * w * w;
    // Bernstein-like form: exact at both ends
    return w3 * (y0 * (1 + 3 * u + 6 * u * u) + h * d0 * u * (1 + 3 * u) +
                 0.5 * h * h * s0 * u * u) +
           u3 *
               (y1 * (1 + 3 * w + 6 * w * w) - h * d1 * w * (1 + 3 * w) + 0.5 * h * h * s1 * w * w);
}

static double cubic(double theta, double h, double y0, double d0, double y1, double d1) {
    const double u = theta, w = 1 - theta;
    return w * w * (y0 * (1 + 2 * u) + h * d0 * u) + u * u * (y1 * (1 + 2 * w) - h * d1 * w);
}

// q near q^ on the coordinates' own manifold, starting from out
static void tangent_dense_settle(HolSim *s, Tangent *m, double *out) {
    const HolProblem *p = s->p;
    for (int k = 0; k < 6; k++) {
        p->minus(p, s->work, out, m->q_hat, m->dq);
        for (int i = 0; i < s->nv; i++)
            m->dq[i] = -m->dq[i];
        p->retract(p, s->work, out, m->dq, out);
        if (hol_norm_near(s, m->dq) < 1e-12 * s->test->grain)
            break;
    }
}

void hol_tangent_dense(HolSim *s, double theta, HolState *out) {
    Tangent *m = s->method;
    const HolProblem *p = s->p;
    const HolState *x0 = &s->prev, *x1 = &s->x;
    const double h = x1->t - x0->t;
    const int jerk = m->f.jerk;
    double *d0 = m->qd, *d1 = m->qdd, *s0 = m->q_base, *s1 = m->v_guess;
    out->t = x0->t + theta * h;
    p->qdot(p, s->work, x0->q, x0->v, d0);
    p->qdot(p, s->work, x1->q, x1->v, d1);
    p->qddot(p, s->work, x0->q, x0->v, x0->a, s0);
    p->qddot(p, s->work, x1->q, x1->v, x1->a, s1);
    for (int i = 0; i < s->nq; i++)
        m->q_hat[i] = jerk ? quintic(theta, h, x0->q[i], d0[i], s0[i], x1->q[i], d1[i], s1[i])
                           : cubic(theta, h, x0->q[i], d0[i], x1->q[i], d1[i]);
    if (s->plain) {
        memcpy(out->q, m->q_hat, sizeof(double) * (size_t)s->nq);
    } else {
        memcpy(out->q, theta < 0.5 ? x0->q : x1->q, sizeof(double) * (size_t)s->nq);
        tangent_dense_settle(s, m, out->q);
    }
    const double *j0 = m->past[0].j, *j1 = m->from.j, *l0 = m->past[0].ld, *l1 = m->from.ld;
    for (int i = 0; i < s->nv; i++) {
        out->v[i] = jerk ? quintic(theta, h, x0->v[i], x0->a[i], j0[i], x1->v[i], x1->a[i], j1[i])
                         : cubic(theta, h, x0->v[i], x0->a[i], x1->v[i], x1->a[i]);
        out->a[i] = jerk ? cubic(theta, h, x0->a[i], j0[i], x1->a[i], j1[i])
                         : x0->a[i] + theta * (x1->a[i] - x0->a[i]);
    }
    for (int i = 0; i < s->m; i++)
        out->lambda[i] = jerk && !s->redundant
                             ? cubic(theta, h, x0->lambda[i], l0[i], x1->lambda[i], l1[i])
                             : x0->lambda[i] + theta * (x1->lambda[i] - x0->lambda[i]);
    for (int i = 0; i < s->nw; i++)
        out->w[i] = x0->w[i] + theta * (x1->w[i] - x0->w[i]);
}

void hol_tangent_tangential(HolSim *s, Tangent *m, double *e) {
    memset(m->r, 0, sizeof(double) * (size_t)(s->nv + s->m + s->nw));
    hol_sim_mul_M(s, m->M, e, 1, m->r);
    hol_kkt_solve_apart(s->mass, m->r, e, 1);
}

// the same of an error of positions, which non-holonomic rows do not take away
static void tangential_position(HolSim *s, Tangent *m, double *e) {
    if (!s->nn || m->euclid) {
        hol_tangent_tangential(s, m, e);
        return;
    }
    memset(m->r, 0, sizeof(double) * (size_t)(s->nv + s->m + s->nw));
    hol_sim_mul_M(s, m->M, e, 1, m->r);
    hol_kkt_solve_apart(m->position, m->r, e, 1);
}

// Next step by a PI controller: a rising error is answered before it fails.
static double tangent_dense_next_step(const HolSim *s, const Tangent *m, double h, double error,
                                      double exponent) {
    if (!(error > 1e-10))
        return 0; // the driver's own limits
    const double before = m->last_error > 0 ? fmax(m->last_error, 1e-4) : error;
    const double factor =
        0.75 * pow(error, -0.75 * exponent) * pow(before / error, 0.35 * exponent);
    // behind a stiff transient the error falls by many powers of ten: long leaps then
    double next = h * fmax(0.2, fmin(m->stiff && m->pair.saddle ? 5 : 2, factor));
    // shortened only to hit a time: the size reached before is kept when the error allows it
    if (h < s->h)
        next = fmax(next, fmin(s->h, 0.75 * h * pow(error, -exponent)));
    return next;
}

typedef struct Ends { // second and third derivatives at both ends
    const Tangent *m;
    double h;
    const double *a0, *j0, *a1, *j1;
    double *e;
} Ends;

static void error_loop(void *context, int first, int end) {
    const Ends d = *(const Ends *)context;
    const TangentFormula *f = &d.m->f;
    const double h = d.h;
    for (int i = first; i < end; i++) {
        const double da = d.a1[i] - d.a0[i];
        if (!f->jerk) {
            d.e[i] = f->error_q * h * h * da;
        } else if (f->order == 3) {
            d.e[i] = h * h * h / 72 * (d.j1[i] - d.j0[i]);
        } else {
            const double third = 6 * h * (d.j0[i] + d.j1[i]) - 12 * da; // h^3 a'''
            d.e[i] = h * h * third / (f->c0[3] != 0 ? 180 : 720);
        }
    }
}

// what the formula of q leaves out
static void formula_error(const HolSim *s, int n, const Ends *ends) {
    hol_pool_loop(s->pool, n, error_loop, (void *)ends);
}

// the same in coordinates of the velocities where q has others
static void turning_error(HolSim *s, Tangent *m, double h, double *e) {
    const HolProblem *p = s->p;
    const HolState *x0 = &m->from.x, *x1 = &m->to.x;
    double *a0 = m->qd, *a1 = m->qdd, *j0 = m->v_guess, *j1 = m->q_base;
    if (m->f.jerk) {
        hol_tangent_third(s, m, &m->from, j0);
        hol_tangent_third(s, m, &m->to, j1);
    }
    p->qddot(p, s->work, x0->q, x0->v, x0->a, a0);
    p->qddot(p, s->work, x1->q, x1->v, x1->a, a1);
    formula_error(s, s->nq, &(Ends){m, h, a0, j0, a1, j1, m->q_hat});
    hol_sim_add(s, s->nq, x1->q, -1, m->q_hat, m->q_hat);
    p->minus(p, s->work, x1->q, m->q_hat, e);
}

// Local error of v: hermite's h^5/720 a'''' from a''' of this step and of the last; the first step
// knows a''' alone. obreshkov3 h^4/72 a''', the Newmark family h^3/12 a''.
static void velocity_loop(void *context, int first, int end) {
    const Ends d = *(const Ends *)context;
    const Tangent *m = d.m;
    const double h = d.h, *restrict before = m->third_before;
    double *restrict third = m->third, *restrict ev = m->ev;
    const int known = m->third_h > 0, jerk = m->f.jerk;
    const double change = known ? 2 / (h + m->third_h) : 1 / h,
                 size = jerk ? h * h * h * h * h / 720 : m->f.error_v * h * h * h;
    for (int i = first; i < end; i++) {
        const double da = d.a1[i] - d.a0[i];
        third[i] = jerk ? (6 * h * (d.j0[i] + d.j1[i]) - 12 * da) / (h * h * h) : da / h;
        ev[i] = m->f.order == 3 ? h * h * h * h / 72 * third[i]
                                : size * change * (third[i] - (known ? before[i] : 0));
    }
}

// (e, m->ev) seen through the implicit operator, as a stiff step itself sees them
static void filter_errors(HolSim *s, Tangent *m, double h, const Ends *ends) {
    double *e = m->e;
    if (m->pair.h == h) {
        const double *j0 = ends->j0, *j1 = ends->j1;
        for (int i = 0; i < s->nv; i++)
            m->v_guess[i] = m->f.order == 3 ? h * h * h * h / 144 * (j0[i] + j1[i])
                                            : h * h * h * h / 720 * (j1[i] - j0[i]);
        // its rate e' follows from e and from that of which it is the rate: M e' = -(K d + C e)
        memset(m->r, 0, sizeof(double) * (size_t)s->nv);
        hol_mul_columns(&s->p->S, m->K, m->v_guess, -1, m->r);
        hol_mul_columns(&s->p->S, m->C, e, -1, m->r);
        hol_tangent_complex_filter(s, m, h, e, m->r, NULL, NULL);
        memcpy(m->ev, m->dv, sizeof(double) * (size_t)s->nv);
    } else if (m->newton_h == h) {
        hol_tangent_newton_solve(s, m, h, e, m->ev);
    }
}

// gamma other than 1/2: v is of first order
static void first_order_error(HolSim *s, Tangent *m, double h, double limit,
                              HolStepResult *result) {
    const double *a0 = m->from.x.a, *a1 = m->to.x.a;
    if (m->f.first_order == 0)
        return;
    for (int i = 0; i < s->nv; i++)
        m->e[i] = m->f.first_order * h * (a1[i] - a0[i]);
    hol_tangent_tangential(s, m, m->e);
    const double velocity = hol_norm_v(s, m->e) / limit;
    if (velocity > result->error) {
        result->error = velocity;
        result->exponent = 0.5;
    }
}

void hol_tangent_error(HolSim *s, Tangent *m, double h, HolStepResult *result) {
    static const double SHARE = 1, HARMLESS = 100, COARSE = 30;
    const Ends ends = {m, h, m->from.x.a, m->from.j, m->to.x.a, m->to.j, m->e};
    const double limit = hol_error_limit(s, h, SHARE);
    if (m->pair.error > 0) {
        m->error = result->error = fmax(m->pair.error, m->pair.error_v) / limit;
        result->h_next = tangent_dense_next_step(s, m, h, result->error, result->exponent);
        return;
    }
    hol_error_test_candidate(s, &m->to.x);
    if (s->plain)
        formula_error(s, s->nv, &ends);
    else
        turning_error(s, m, h, m->e);
    hol_pool_loop(s->pool, s->nv, velocity_loop, (void *)&ends);
    // What the projection takes away does no harm, but where all is driven there is nothing else,
    // and a step may not be so long that it closes on another branch
    const double whole = m->stiff ? 0 : hol_norm_q(s, m->e) / (HARMLESS * s->o.tolerance);
    tangential_position(s, m, m->e);
    hol_tangent_tangential(s, m, m->ev);
    if (m->stiff)
        filter_errors(s, m, h, &ends);
    const double position = hol_norm_q(s, m->e), velocity = hol_norm_v(s, m->ev);
    result->error = fmax(position, velocity) / limit;
    // What sweeps leave comes back in a''' and from there in the error of velocities: where that is
    // small beside the one of positions they need not be so fine
    m->enough = velocity > COARSE * position || m->stiff ? m->finest : 100 * m->finest;
    first_order_error(s, m, h, limit, result);
    result->error = fmax(result->error, whole);
    m->error = result->error;
    result->h_next = tangent_dense_next_step(s, m, h, result->error, result->exponent);
}

// ---- kept runs ----

static void tangent_keep_node(HolSim *s, TangentNode *n, int with_state, HolKeeper *k) {
    if (with_state)
        hol_state_keep(s, &n->x, k);
    HOL_KEEP_ARRAY(k, n->j, s->nv);
    HOL_KEEP_ARRAY(k, n->ld, s->m);
    HOL_KEEP_ARRAY(k, n->s, s->nv);
    HOL_KEEP(k, n->has_s);
}

static void tangent_keep_vectors(HolSim *s, Tangent *m, HolKeeper *k) {
    double *by_v[] = {m->guess[0], m->guess[1], m->v_base, m->v_hat,
                      m->v_last,   m->v_guess,  m->third,  m->third_before};
    double *by_q[] = {m->q_base, m->q_hat, m->qd, m->qdd}, *by_row[] = {m->mu, m->nu, m->curvature};
    double *solved[] = {m->r, m->dq, m->dv, m->e, m->change, m->ev};
    for (size_t i = 0; i < sizeof by_v / sizeof *by_v; i++)
        HOL_KEEP_ARRAY(k, by_v[i], s->nv);
    for (size_t i = 0; i < sizeof by_q / sizeof *by_q; i++)
        HOL_KEEP_ARRAY(k, by_q[i], s->nq);
    for (size_t i = 0; i < sizeof by_row / sizeof *by_row; i++)
        HOL_KEEP_ARRAY(k, by_row[i], s->m);
    for (size_t i = 0; i < sizeof solved / sizeof *solved; i++)
        HOL_KEEP_ARRAY(k, solved[i], s->nv + s->nq + s->m + s->nw);
    HOL_KEEP_ARRAY(k, m->G_own, s->p->G.nnz);
    HOL_KEEP_ARRAY(k, m->M, s->p->M.nnz);
    const int own = hol_keep_number(k, "G", m->G == m->G_own, 0, 1);
    if (k->mode == HOL_KEEP_READ)
        m->G = own ? m->G_own : hol_kkt_G(s->mass);
}

static void tangent_keep_newton(HolSim *s, Tangent *m, HolKeeper *k) {
    TangentReduced *t = &m->reduced;
    const int d = t->columns, nnz = s->p->S.nnz;
    double *by_column[] = {t->E, t->Eu, t->ME}, *small[] = {t->A, t->last[0], t->last[1], t->P};
    HOL_KEEP_ARRAY(k, m->MS, nnz);
    HOL_KEEP_ARRAY(k, m->C, nnz);
    HOL_KEEP_ARRAY(k, m->K, nnz);
    const int newton = hol_keep_number(k, "newton", m->newton != NULL, 0, 1);
    if (newton && !m->newton && !(hol_tangent_newton_matrix(s, m, s->redundant) && m->newton))
        hol_keep_wrong(k, "newton");
    if (newton && !k->wrong)
        hol_kkt_keep(m->newton, k);
    HOL_KEEP(k, t->ready);
    HOL_KEEP(k, t->dof);
    HOL_KEEP(k, t->time);
    HOL_KEEP(k, t->time_A);
    HOL_KEEP(k, t->unit);
    HOL_KEEP(k, t->known);
    for (size_t i = 0; i < sizeof by_column / sizeof *by_column; i++)
        HOL_KEEP_ARRAY(k, by_column[i], s->nv * d);
    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        HOL_KEEP_ARRAY(k, small[i], 4 * d * d);
    HOL_KEEP_ARRAY(k, t->N, d * d);
    HOL_KEEP_ARRAY(k, t->A2, 2 * d * d);
    HOL_KEEP_ARRAY(k, t->G, s->p->G.nnz);
    HOL_KEEP_ARRAY(k, t->pivot, 2 * d);
    HOL_KEEP(k, m->pair.h);
    HOL_KEEP(k, m->pair.sixth);
    HOL_KEEP(k, m->pair.error);
    HOL_KEEP(k, m->pair.error_v);
    HOL_KEEP_ARRAY(k, m->pair.B, s->p->G.nnz);
    if (m->pair.saddle)
        hol_complex_saddle_keep(m->pair.saddle, k);
}

static void tangent_keep_numbers(Tangent *m, HolKeeper *k) {
    double *numbers[] = {&m->way,         &m->third_h,   &m->rate,          &m->enough,
                         &m->finest,      &m->round_off, &m->correction,    &m->moved,
                         &m->newton_rate, &m->newton_h,  &m->newton_enough, &m->predictor_error,
                         &m->last_error,  &m->error,     &m->h_limit,       &m->h_growth};
    int *counts[] = {&m->damped,   &m->has_back, &m->guesses,   &m->has_M,
                     &m->pushed_q, &m->pushed_v, &m->still,     &m->stiff,
                     &m->graded,   &m->from_old, &m->iterations};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        hol_keep(k, "number", numbers[i], sizeof *numbers[i]);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        hol_keep(k, "count", counts[i], sizeof *counts[i]);
    HOL_KEEP(k, m->guess_error);
    HOL_KEEP(k, m->stiff_steps);
    HOL_KEEP(k, m->stiff_retry);
}

void hol_tangent_keep(HolSim *s, HolKeeper *k) {
    Tangent *m = s->method;
    // the formula that was in use
    const int damped = hol_keep_number(k, "formula", m->f.order != m->chosen.order, 0, 1);
    if (k->mode == HOL_KEEP_READ) {
        m->damped = damped;
        hol_tangent_set_formula(m);
    }
    tangent_keep_numbers(m, k);
    if (m->position != s->mass)
        hol_kkt_keep(m->position, k);
    if (m->velocity != s->mass && m->velocity != m->position)
        hol_kkt_keep(m->velocity, k);
    tangent_keep_node(s, &m->from, 0, k);
    tangent_keep_node(s, &m->to, 0, k);
    for (int i = 0; i < TANGENT_PAST; i++)
        tangent_keep_node(s, &m->past[i], i > 0, k);
    if (k->mode == HOL_KEEP_READ)
        m->past[0].x = s->prev;
    tangent_keep_vectors(s, m, k);
    tangent_keep_newton(s, m, k);
}
