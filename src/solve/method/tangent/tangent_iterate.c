// SPDX-License-Identifier: Apache-2.0
// One step of a tangent scheme (docs/theory/tangent.md, section 9). Unknown are q1, v1 with
//   M (q1 (-) q^) + G1^T mu = 0,  g(q1) = 0;     M (v1 - v^) + G1^T nu = 0,  G1 v1 + gt = 0
// where a1, lambda1 and the jerk j1 in q^, v^ follow from q1, v1 (metric euclid: 1 instead of M).
// Sweep: q, v, a, j are corrected in turn, each from its true residual with the one factorization
// made at the predicted position. It contracts like (h omega)^2/3. Where that is slow, Newton's
// method multiplies the residuals at the iterate by P^-1 (tangent_newton.c).
#include "base/thread_pool.h"
#include "math/simd.h"
#include "solve/method/tangent/tangent.h"
#include "solve/run/corrector.h"
#include "solve/run/error_test.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_SWEEPS = 60, MAX_NEWTON = 40 };

static void tangent_iterate_copy(double *to, const double *from, int n) {
    memcpy(to, from, sizeof *to * (size_t)n);
}

// ---- iterations ----

// in units of what round-off is a part of
static double change(const HolSim *s, const TangentNode *to, const double *dq, const double *dv) {
    const double by = hol_norm_fast(s, dv); // (from rest all of v is new)
    return fmax(hol_norm_near(s, dq) / s->test->grain,
                by / fmax(1, by + hol_norm_fast(s, to->x.v)));
}

// q towards q^; 1: it hardly moved
static int approach(HolSim *s, Tangent *m, const double *q, double *out) {
    const HolProblem *p = s->p;
    if (p->extras->settle)
        return p->extras->settle(p, s->work, q, m->q_hat, out);
    p->minus(p, s->work, q, m->q_hat, m->dq);
    hol_sim_defect(s, s->nv, NULL, NULL, m->dq);
    p->retract(p, s->work, q, m->dq, out);
    return hol_norm_near(s, m->dq) < 1e-12;
}

// q1 on the coordinates' own manifold (|p| = 1) next to q^, from the old q
static void tangent_iterate_settle(HolSim *s, Tangent *m, const TangentNode *from,
                                   TangentNode *to) {
    if (s->plain)
        hol_sim_assign(s, to->x.q, m->q_hat, s->nq);
    else if (!approach(s, m, from->x.q, to->x.q))
        for (int k = 1; k < 6 && !approach(s, m, to->x.q, to->x.q); k++)
            continue;
}

// v1 := q' of m->qd in velocity coordinates, by the displacement in a time near h
static void rates_to_velocities(HolSim *s, Tangent *m, double h, TangentNode *to) {
    const int e = ilogb(h);
    if (s->plain) {
        tangent_iterate_copy(to->x.v, m->qd, s->nv);
        return;
    }
    for (int i = 0; i < s->nq; i++)
        m->qdd[i] = to->x.q[i] - ldexp(m->qd[i], e);
    s->p->minus(s->p, s->work, to->x.q, m->qdd, to->x.v);
    for (int i = 0; i < s->nv; i++)
        to->x.v[i] = ldexp(to->x.v[i], -e);
}

// The formulas at the predicted accelerations give the first q1, v1; the factorization is made
// there.
static HolStatus tangent_iterate_begin(HolSim *s, Tangent *m, const TangentNode *from, double h,
                                       TangentNode *to, HolError *err) {
    to->x.t = from->x.t + h;
    if (m->stiff || s->nn) { // (otherwise the first push sets all of them)
        memset(m->mu, 0, sizeof(double) * (size_t)s->m);
        memset(m->nu, 0, sizeof(double) * (size_t)s->m);
    }
    m->pushed_q = m->pushed_v = 0;
    hol_tangent_fixed_parts(s, m, from, h);
    if (m->stiff && !m->from_old && hol_tangent_predict_motion(s, m, from, h)) {
        tangent_iterate_settle(s, m, from, to);
        rates_to_velocities(s, m, h, to);
        HolStatus status = hol_tangent_factor(s, m, to->x.t, to->x.q, err);
        if (status || (m->pair.saddle && !s->redundant))
            return status;
        hol_tangent_project(s, m, to, 1);
        return m->moved > 1e-3 ? hol_tangent_factor(s, m, to->x.t, to->x.q, err) : HOL_OK;
    }
    if (m->stiff) {
        tangent_iterate_copy(to->x.q, from->x.q, s->nq);
        tangent_iterate_copy(to->x.v, from->x.v, s->nv);
        return hol_tangent_factor(s, m, to->x.t, to->x.q, err);
    }
    if (s->plain) {
        hol_tangent_first_formulas(s, m, to, h);
        return hol_tangent_factor(s, m, to->x.t, to->x.q, err);
    }
    hol_tangent_formula_v(s, m, to, h);
    hol_sim_assign(s, to->x.v, m->v_hat, s->nv);
    if (s->plain) {
        hol_tangent_formula_q(s, m, to, m->v_hat, h);
    } else {
        hol_tangent_first_position(s, m, from, h); // q1' and q1'' need one
        for (int k = 0; k < 2; k++) {
            tangent_iterate_settle(s, m, from, to);
            hol_tangent_formula_q(s, m, to, m->v_hat, h);
        }
    }
    tangent_iterate_settle(s, m, from, to);
    return hol_tangent_factor(s, m, to->x.t, to->x.q, err);
}

// Constraint residuals left by the last increment: removed by plain projections.
static HolStatus polish(HolSim *s, Tangent *m, TangentNode *to, int passes, HolError *err) {
    HolStatus status = HOL_OK;
    m->correction = 1e-15;
    for (int pass = 0; pass < passes && !status; pass++) {
        hol_tangent_project(s, m, to, 3);
        status = hol_tangent_accelerate(s, m, to, err);
    }
    return status;
}

// v as the new accelerations give it, minus the old normal part
typedef struct Guess {
    const Tangent *m;
    double *v;
} Guess;

static void guess_loop(void *context, int first, int end) {
    const Guess *g = context;
    double *restrict guess = g->m->v_guess;
    const double *restrict v = g->v, *restrict hat = g->m->v_hat, *restrict last = g->m->v_last;
    for (int i = first; i < end; i++)
        guess[i] = v[i] + (hat[i] - last[i]);
}

// q^, v^ and the guess of v at the iterate; returns the guess. The first sweep starts from the
// formulas at the accelerations that are still the predicted ones
static const double *sweep_formulas(HolSim *s, Tangent *m, double h, const TangentNode *to, int k) {
    if (s->plain && k > 0) {
        hol_tangent_formulas(s, m, to, h);
        return m->v_guess;
    }
    if (k > 0) {
        hol_tangent_formula_v(s, m, to, h);
        hol_pool_loop(s->pool, s->nv, guess_loop, &(Guess){m, to->x.v});
    }
    const double *guess = k > 0 ? m->v_guess : to->x.v;
    m->still = k == 0 && s->plain;
    if (!m->still)
        hol_tangent_formula_q(s, m, to, guess, h);
    return guess;
}

// The guess and its correction become v, their difference from the old one dv; the largest of all
// three, by halves. Piece by piece, so that what is compared is in the cache
typedef struct Largest {
    double correction, dv, v;
} Largest;

typedef struct Correction {
    const double *guess; // may be v
    const double *scale; // reciprocals
    double *v, *dv;
    int n;
    Largest most[2];
} Correction;

static void correct_half(void *context, int part) {
    enum { PIECE = 512 };
    Correction *c = context;
    const int first = hol_share_begin(c->n, 2, part), last = hol_share_begin(c->n, 2, part + 1);
    Largest *most = &c->most[part];
    for (int begin = first, end; begin < last; begin = end) {
        end = begin + PIECE < last ? begin + PIECE : last;
        double *v = c->v, *dv = c->dv;
        const double *guess = c->guess, *scale = c->scale + begin;
        const int n = end - begin;
        most->correction = hol_larger(most->correction, hol_largest_over(dv + begin, scale, n));
        HOL_INDEPENDENT
        for (int i = begin; i < end; i++) {
            const double new = guess[i] + dv[i];
            dv[i] = new - v[i];
            v[i] = new;
        }
        most->dv = hol_larger(most->dv, hol_largest_over(dv + begin, scale, n));
        most->v = hol_larger(most->v, hol_largest_over(v + begin, scale, n));
    }
}

// v corrected by m->dv; the correction and the change that it makes, as parts of v
static Largest correct_velocity(const HolSim *s, Tangent *m, const double *guess, double *v) {
    Correction c = {.guess = guess, .scale = s->test->fast, .v = v, .dv = m->dv, .n = s->nv};
    hol_pool_run(s->pool, 2, correct_half, &c);
    const double size = fmax(1, hol_larger(c.most[0].v, c.most[1].v));
    return (Largest){hol_larger(c.most[0].correction, c.most[1].correction) / size,
                     hol_larger(c.most[0].dv, c.most[1].dv) / size, size};
}

// 1: converged; 0: contracts too slowly; negative: status
static int sweep_until_converged(HolSim *s, Tangent *m, double h, TangentNode *to, HolError *err) {
    HolSequence sequence = hol_sequence_begin(fmax(1e-3, 10 * m->rate), m->round_off);
    HolStatus status;
    for (int k = 0; k < MAX_SWEEPS; k++) {
        s->stats.newton_iterations++;
        const double *guess = sweep_formulas(s, m, h, to, k);
        hol_tangent_position(s, m, to);
        hol_tangent_move(s, m, to, m->e);
        hol_tangent_velocity(s, m, to, guess);
        m->still = 0;
        double *const hat = m->v_hat; // the next sweep's last one
        m->v_hat = m->v_last;
        m->v_last = hat;
        // the first sweep only projects what the predicted accelerations gave: its change says
        // nothing about them
        const Largest by = correct_velocity(s, m, guess, to->x.v);
        const double dq = m->way / s->test->grain, e = fmax(dq, by.dv);
        const int verdict =
            k == 0 ? 0 : hol_sequence_verdict(&sequence, e, k < 4 ? 0.6 : 0.35, m->enough);
        // corrections leave constraints open by their size times the distance to the factorization
        // (what polishes them corrects the accelerations too)
        const int polished = verdict > 0 && 10 * m->moved * fmax(dq, by.correction) > 1e-15;
        if (!polished && (status = hol_tangent_accelerate(s, m, to, err)))
            return status;
        if (verdict > 0) {
            m->iterations = k + 1;
            // unseen for a while: doubted more
            m->rate = fmin(1, k > 1 && sequence.previous > 10 * sequence.round_off ? sequence.rate
                                                                                   : 2 * m->rate);
            m->round_off = 0.95 * sequence.round_off; // looked at again after a while
            if (polished && (status = polish(s, m, to, e > 1e-9 ? 2 : 1, err)))
                return status;
            return 1;
        }
        if (verdict < 0)
            return 0;
        if (k > 1 && sequence.rate > 0.1 && m->moved > 1e-3 &&
            (status = hol_tangent_factor(s, m, to->x.t, to->x.q, err)))
            return status;
        if (s->nw && (status = hol_tangent_factor(s, m, to->x.t, to->x.q, err)))
            return status;
    }
    return 0;
}

static int newton_until_converged(HolSim *s, Tangent *m, double h, TangentNode *to, HolError *err) {
    HolSequence sequence = hol_sequence_begin(m->newton_rate, m->round_off);
    m->correction = 1e-3 * fmin(1e-9, m->newton_enough);
    HolStatus status;
    int fresh = 0;
    if ((status = hol_tangent_accelerate(s, m, to, err)))
        return status;
    for (int k = 0; k < MAX_NEWTON; k++) {
        s->stats.newton_iterations++;
        if (m->newton_h != h || (k == 0 && m->reduced.dof > 0) ||
            (k > 1 && sequence.rate > 0.4 && !fresh)) {
            if ((status = hol_tangent_newton_factor(s, m, &to->x, h, err)))
                return (int)status;
            fresh = 4;
        }
        fresh -= fresh > 0;
        hol_tangent_formula_v(s, m, to, h);
        hol_tangent_formula_q(s, m, to, to->x.v, h);
        hol_tangent_position(s, m, to);
        hol_tangent_velocity(s, m, to, to->x.v);
        hol_tangent_newton_solve(s, m, h, m->e, m->dv);
        const double e = change(s, to, m->e, m->dv);
        const int verdict = hol_sequence_verdict(&sequence, e, k < 4 ? 5 : 0.95, m->newton_enough);
        for (int i = 0; i < s->nv; i++)
            to->x.v[i] += m->dv[i];
        hol_tangent_move(s, m, to, m->e);
        if (verdict > 0) {
            // unseen for a while: doubted more
            m->iterations = k + 1;
            m->round_off = 0.95 * sequence.round_off;
            m->newton_rate = fmin(0.5, k > 0 ? 2 * sequence.slowest : 2 * m->newton_rate);
            if (s->nw || m->moved > 1e-4)
                status = hol_tangent_factor(s, m, to->x.t, to->x.q, err);
            if (!status)
                status = polish(s, m, to, e > 1e-6 ? 2 : 1, err);
            return status ? (int)status : 1;
        }
        if (verdict < 0)
            return 0;
        if ((s->nw || m->moved > 1e-4) &&
            (status = hol_tangent_factor(s, m, to->x.t, to->x.q, err)))
            return status;
        if ((status = hol_tangent_accelerate(s, m, to, err)))
            return status;
    }
    return 0;
}

// The last increment m->e of q, order 6, and what the increments left of constraint residuals.
static HolStatus end_complex(HolSim *s, Tangent *m, const TangentNode *from, double h,
                             TangentNode *to, HolError *err) {
    if (m->pair.sixth) {
        hol_tangent_move(s, m, to, m->e);
        hol_tangent_sixth(s, m, from, h, to);
    } else {
        s->p->retract(s->p, s->work, to->x.q, m->e, to->x.q);
    }
    HolStatus status = hol_tangent_factor(s, m, to->x.t, to->x.q, err);
    if (status || !m->pair.sixth)
        return status ? status : polish(s, m, to, 1, err);
    hol_tangent_project(s, m, to, 3);
    hol_tangent_smooth(s, m, to);
    return HOL_OK;
}

// The same for all levels at once, with the complex matrix.
static int complex_until_converged(HolSim *s, Tangent *m, const TangentNode *from, double h,
                                   TangentNode *to, HolError *err) {
    HolSequence sequence = hol_sequence_begin(m->newton_rate, m->round_off);
    HolStatus status;
    int fresh = 0;
    for (int k = 0; k < MAX_NEWTON; k++) {
        s->stats.newton_iterations++;
        if (m->pair.h != h || (k > 1 && sequence.rate > 0.4 && !fresh)) {
            if (!hol_tangent_complex_factor(s, m, &to->x, h))
                return 0;
            fresh = 4;
        }
        fresh -= fresh > 0;
        hol_tangent_complex_increments(s, m, to, h);
        const double e = change(s, to, m->e, m->dv);
        const int verdict = hol_sequence_verdict(&sequence, e, k < 4 ? 5 : 0.95, m->newton_enough);
        for (int i = 0; i < s->nv; i++)
            to->x.v[i] += m->dv[i];
        if (verdict > 0) {
            m->iterations = k + 1;
            m->round_off = 0.95 * sequence.round_off;
            m->newton_rate = fmin(0.5, k > 0 ? 2 * sequence.slowest : 4 * m->newton_rate);
            status = end_complex(s, m, from, h, to, err);
            return status ? (int)status : 1;
        }
        if (verdict < 0)
            return 0;
        hol_tangent_move(s, m, to, m->e);
    }
    return 0;
}

// (time, step and the worst row are the driver's to add)
static HolStatus not_converged(const TangentNode *to, HolError *err) {
    hol_error_set(err, HOL_ERR_CONVERGE,
                  "the iteration for the new positions and velocities did not converge");
    if (err)
        err->time = to->x.t;
    return HOL_ERR_CONVERGE;
}

// Where a force jumps the accelerations at the result may be others than those that led to it, and
// there is no solution. v of the result against the formula with its own accelerations, but for
// what constraints add.
static int agrees(HolSim *s, Tangent *m, double h, const TangentNode *to) {
    if (!s->p->extras->n_switches)
        return 1;
    hol_tangent_formula_v(s, m, to, h);
    hol_sim_add(s, s->nv, to->x.v, -1, m->v_hat, m->dv);
    hol_tangent_tangential(s, m, m->dv);
    return hol_norm_fast(s, m->dv) <= 1e-6 * fmax(1, hol_norm_fast(s, to->x.v));
}

HolStatus hol_tangent_solve(HolSim *s, Tangent *m, const TangentNode *from, double h,
                            TangentNode *to, HolError *err) {
    m->from_old = 0;
    m->pair.error = 0;
    to->has_s = 0;
    for (int attempt = 0; attempt < 3; attempt++) {
        // Newton is kept until a plain sweep, tried now and then, contracts again
        if (m->stiff && attempt == 0 && ++m->stiff_steps >= m->stiff_retry) {
            m->stiff_steps = 0;
            m->stiff = 0;
        }
        const int stiff = m->stiff;
        if (stiff && m->pair.saddle)
            hol_tangent_set_formula(m);
        hol_tangent_predict(s, m, from, h, to);
        HolStatus status = tangent_iterate_begin(s, m, from, h, to, err);
        if (status)
            return status;
        // redundant rows: extrapolation would make the null part of the multipliers grow
        if (s->nw && hol_kkt_is_regularized(s->mass)) {
            tangent_iterate_copy(to->x.lambda, from->x.lambda, s->m);
            tangent_iterate_copy(to->ld, from->ld, s->m);
        }
        hol_kkt_minimum_norm(s->mass, to->x.lambda);
        if (m->f.jerk)
            hol_kkt_minimum_norm(s->mass, to->ld);
        int done = !stiff ? sweep_until_converged(s, m, h, to, err)
                   : m->pair.saddle && !s->redundant
                       ? complex_until_converged(s, m, from, h, to, err)
                       : newton_until_converged(s, m, h, to, err);
        if (done < 0)
            return (HolStatus)done;
        if (done && isfinite(hol_max_abs(to->x.a, s->nv)) && agrees(s, m, h, to)) {
            hol_tangent_rate_predictor(s, m, h, to);
            if (m->f.lag != 0)
                hol_tangent_lag(s, m, from, h, to);
            return HOL_OK;
        }
        if (stiff) {
            // once more from the old state
            if (m->from_old)
                break;
            m->from_old = 1;
            m->newton_h = m->pair.h = 0;
            continue;
        }
        m->stiff = 1;
        const long least = m->pair.saddle ? 100 : 20;
        m->stiff_retry = m->stiff_retry < least  ? least
                         : m->stiff_retry < 2000 ? 2 * m->stiff_retry
                                                 : 2000;
        if (m->stiff_retry >= 160 && m->f.order == 4)
            hol_note(s, "tangent: the forces are stiff for this step, Newton iterations are used; "
                        "scheme obreshkov3 damps fast transients, hermite does not");
        m->rate = 0.3;
    }
    m->newton_h = 0;
    return not_converged(to, err);
}
