// SPDX-License-Identifier: Apache-2.0
// One step of a tangent scheme. Unknown q1, v1 with
//   M (q1 (-) q^) + G1^T mu = 0,  g(q1) = 0;     M (v1 - v^) + G1^T nu = 0,  G1 v1 + gt = 0
// where a1, lambda1 and the jerk j1 in q^, v^ follow from q1, v1 (metric euclid: 1 instead of M).
// Sweep: q, v, a, j corrected in turn, each from its true residual with the one factorization made
// at the predicted position. It contracts like (h omega)^2/3. Where that is slow, Newton: the
// residuals at the iterate, seen through P^-1 (step_tangent_newton.c).
#include "solve/step_tangent.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_SWEEPS = 60, MAX_NEWTON = 40 };

static void copy(double *to, const double *from, int n) {
    memcpy(to, from, sizeof *to * (size_t)n);
}

// ---- formulas ----

// Third derivative of q by differences of q'' along the motion; plain coordinates: the jerk.
static void third_derivative(HolSim *s, Tangent *m, const TangentNode *from, double *out) {
    const HolProblem *p = s->p;
    const int nv = s->nv, nq = s->nq;
    if (s->plain) {
        copy(out, from->j, nv);
        return;
    }
    const double *v = from->x.v, e = 1e-4 / (1 + hol_max_abs(v, nv));
    double *side = m->qdd;
    memset(out, 0, sizeof *out * (size_t)nq);
    for (int sign = -1; sign <= 1; sign += 2) {
        for (int i = 0; i < nv; i++)
            m->dv[i] = sign * e * v[i];
        p->retract(p, s->work, from->x.q, m->dv, m->q_hat);
        for (int i = 0; i < nv; i++) {
            m->dv[i] = v[i] + sign * e * from->x.a[i];
            m->dq[i] = from->x.a[i] + sign * e * from->j[i];
        }
        p->qddot(p, s->work, m->q_hat, m->dv, m->dq, side);
        for (int i = 0; i < nq; i++)
            out[i] += sign * side[i] / (2 * e);
    }
}

// What the old state contributes to q^ and v^.
static void fixed_parts(HolSim *s, Tangent *m, const TangentNode *from, double h) {
    const HolProblem *p = s->p;
    const TangentFormula *f = &m->f;
    const HolState *x = &from->x;
    if (f->c0[3] != 0)
        third_derivative(s, m, from, m->q_base);
    else
        memset(m->q_base, 0, sizeof(double) * (size_t)s->nq);
    p->qdot(p, s->work, x->q, x->v, m->qd);
    p->qddot(p, s->work, x->q, x->v, x->a, m->qdd);
    for (int i = 0; i < s->nq; i++)
        m->q_base[i] = x->q[i] + h * (f->c0[1] * m->qd[i] +
                                      h * (f->c0[2] * m->qdd[i] + h * f->c0[3] * m->q_base[i]));
    for (int i = 0; i < s->nv; i++)
        m->v_base[i] =
            x->v[i] + h * (f->d0[1] * x->a[i] + (f->jerk ? h * f->d0[2] * from->j[i] : 0));
}

static void formula_v(const HolSim *s, Tangent *m, const TangentNode *to, double h) {
    const double *d = m->f.d1;
    for (int i = 0; i < s->nv; i++)
        m->v_hat[i] =
            m->v_base[i] + h * (d[1] * to->x.a[i] + (m->f.jerk ? h * d[2] * to->j[i] : 0));
}

static void formula_q(HolSim *s, Tangent *m, const TangentNode *to, const double *v, double h) {
    const HolProblem *p = s->p;
    const double *c = m->f.c1;
    p->qdot(p, s->work, to->x.q, v, m->qd);
    p->qddot(p, s->work, to->x.q, v, to->x.a, m->qdd);
    for (int i = 0; i < s->nq; i++)
        m->q_hat[i] = m->q_base[i] + h * (c[1] * m->qd[i] + h * c[2] * m->qdd[i]);
}

// ---- levels ----

static HolStatus factor_at(HolSim *s, Tangent *m, double t, const double *q, HolError *err) {
    const HolProblem *p = s->p;
    HolStatus status = hol_mass_factor(s, t, q, err);
    if (status)
        return status;
    copy(m->G, hol_kkt_G(s->mass), p->G.nnz);
    copy(m->M, hol_kkt_S(s->mass), p->M.nnz);
    m->moved = 0;
    HolKkt *own[2] = {m->position, m->velocity};
    for (int k = 0; k < 2; k++) {
        if (own[k] == s->mass || (k == 1 && own[1] == own[0]))
            continue;
        double *S = hol_kkt_S(own[k]);
        if (m->euclid)
            for (int i = 0; i < s->nv; i++)
                S[i] = 1;
        else
            copy(S, m->M, p->M.nnz);
        copy(hol_kkt_G(own[k]), m->G, p->G.nnz);
        s->stats.factorizations++;
        const int bad = hol_kkt_factor(own[k]);
        if (bad)
            return hol_singular_error(s, t, bad, err);
    }
    return HOL_OK;
}

// y += c (metric matrix) x
static void metric_mul(const HolSim *s, const Tangent *m, const double *x, double c, double *y) {
    if (m->euclid)
        for (int i = 0; i < s->nv; i++)
            y[i] += c * x[i];
    else
        hol_mul_columns(&s->p->M, m->M, x, c, y);
}

// Increment dq of the position row at q1; mu is advanced.
static void position_increment(HolSim *s, Tangent *m, const TangentNode *to) {
    const HolProblem *p = s->p;
    const int nv = s->nv;
    double *r = m->r;
    memset(r, 0, sizeof *r * (size_t)(nv + s->m + s->nw));
    p->minus(p, s->work, to->x.q, m->q_hat, m->dq);
    metric_mul(s, m, m->dq, -1, r);
    if (s->m) {
        hol_mul_rows_transposed(&p->G, m->G, m->mu, -1, r);
        p->constraint(p, s->work, to->x.t, to->x.q, r + nv);
        for (int i = 0; i < s->nh; i++)
            r[nv + i] = -r[nv + i];
    }
    hol_kkt_solve_motion(m->position, r, 1);
    copy(m->dq, r, nv);
    for (int i = 0; i < s->nh; i++)
        m->mu[i] += r[nv + i];
}

// Increment dv of the velocity row at v; nu is advanced. G is that at q1.
static void velocity_increment(HolSim *s, Tangent *m, const TangentNode *to, const double *v) {
    const HolProblem *p = s->p;
    const int nv = s->nv;
    double *r = m->r;
    memset(r, 0, sizeof *r * (size_t)(nv + s->m + s->nw));
    for (int i = 0; i < nv; i++)
        m->dv[i] = v[i] - m->v_hat[i];
    metric_mul(s, m, m->dv, -1, r);
    if (s->m) {
        hol_mul_rows_transposed(&p->G, m->G, m->nu, -1, r);
        p->velocity_rhs(p, s->work, to->x.t, to->x.q, r + nv);
        hol_mul_rows(&p->G, m->G, v, 1, r + nv);
        for (int i = 0; i < s->m; i++)
            r[nv + i] = -r[nv + i];
    }
    hol_kkt_solve_motion(m->velocity, r, 1);
    copy(m->dv, r, nv);
    for (int i = 0; i < s->m; i++)
        m->nu[i] += r[nv + i];
}

static void acceleration_rhs(HolSim *s, const HolState *x, double *r) {
    const HolProblem *p = s->p;
    p->force(p, s->work, x->t, x->q, x->v, x->w, r);
    s->stats.force_evaluations++;
    if (s->m)
        p->acceleration_rhs(p, s->work, x->t, x->q, x->v, r + s->nv);
    for (int i = 0; i < s->m; i++)
        r[s->nv + i] = -r[s->nv + i];
}

// The acceleration equations (level 0) or their rate (1): right-hand side. The series at hand was
// begun at its q, v.
static void acceleration_jet(HolSim *s, const TangentNode *to, int level, double *r) {
    const HolProblem *p = s->p;
    if (level == 1)
        p->jet_set(p, s->work, 0, to->x.a, to->x.lambda, to->x.w);
    p->jet_rhs(p, s->work, level, r);
    s->stats.force_evaluations += level == 0;
}

// [M G^T; G 0] [a; lambda] = m->r at the iterate: corrected with the kept factorization, once;
// where forces are stiff, until nothing changes, for the next level magnifies what is left.
static void correct(HolSim *s, Tangent *m, double *a, double *lambda) {
    const HolProblem *p = s->p;
    const int nv = s->nv, rows = s->m;
    const size_t bytes = sizeof(double) * (size_t)(nv + rows);
    double *r = m->r;
    const int passes = m->stiff && m->moved > 0 ? 5 : 1;
    if (passes > 1)
        memcpy(m->rhs, r, bytes);
    for (int pass = 0; pass < passes; pass++) {
        if (pass > 0)
            memcpy(r, m->rhs, bytes);
        hol_mul_columns(&p->M, m->M, a, -1, r);
        hol_mul_rows_transposed(&p->G, m->G, lambda, -1, r);
        hol_mul_rows(&p->G, m->G, a, -1, r + nv);
        hol_kkt_solve_motion(s->mass, r, passes > 1 ? 2 : 1);
        for (int i = 0; i < nv; i++)
            a[i] += r[i];
        for (int i = 0; i < rows; i++)
            lambda[i] += r[nv + i];
        if (passes > 1 &&
            hol_max_abs(r, nv) * fmin(1, 10 * m->moved) < m->correction * hol_max_abs(a, nv))
            break;
    }
}

// a, lambda and the jerk at (q1, v1), corrected by their residuals with the kept factorization.
static HolStatus accelerate(HolSim *s, Tangent *m, TangentNode *to, HolError *err) {
    const HolProblem *p = s->p;
    HolState *x = &to->x;
    double *r = m->r;
    if (s->nw) {
        HolStatus status = hol_accelerate(s, x, 0, err);
        return status || !m->f.jerk ? status : hol_jerk(s, x, to->j, to->ld, err);
    }
    // a model's mass matrix is constant
    if (!s->model) {
        memset(m->M, 0, sizeof *m->M * (size_t)p->M.nnz);
        p->mass(p, s->work, x->t, x->q, 1.0, 0, m->M);
    }
    const int jets = m->f.jerk && hol_has_jets(p);
    if (jets)
        p->jet_start(p, s->work, x->t, x->q, x->v);
    for (int level = 0; level <= m->f.jerk; level++) {
        double *a = level ? to->j : x->a, *lambda = level ? to->ld : x->lambda;
        if (jets)
            acceleration_jet(s, to, level, r);
        else if (level == 0)
            acceleration_rhs(s, x, r);
        else
            hol_jerk_rhs(s, x, r);
        if (level == 0)
            copy(m->curvature, r + s->nv, s->m);
        correct(s, m, a, lambda);
    }
    return HOL_OK;
}

void hol_tangent_residuals(HolSim *s, Tangent *m, const HolState *x, double residual[3]) {
    const HolProblem *p = s->p;
    double *r = m->r;
    p->constraint(p, s->work, x->t, x->q, r);
    residual[0] = hol_max_abs(r, s->nh);
    p->velocity_rhs(p, s->work, x->t, x->q, r);
    hol_mul_rows(&p->G, m->G, x->v, 1, r);
    residual[1] = hol_max_abs(r, s->m);
    copy(r, m->curvature, s->m);
    hol_mul_rows(&p->G, m->G, x->a, -1, r);
    residual[2] = hol_max_abs(r, s->m);
}

// q1 := q1 (+) dq, v1 := v, with G there
static void move(HolSim *s, Tangent *m, TangentNode *to, const double *dq) {
    const HolProblem *p = s->p;
    p->retract(p, s->work, to->x.q, dq, to->x.q);
    if (s->m)
        p->jacobian(p, s->work, to->x.t, to->x.q, m->G);
    m->moved += hol_max_abs(dq, s->nv);
}

// q1 and v1 onto the constraints, with the factorization at hand: one correction each, or as many
// as change something (`passes` at most).
static void project(HolSim *s, Tangent *m, TangentNode *to, int passes) {
    const HolProblem *p = s->p;
    const int nv = s->nv;
    const size_t bytes = sizeof(double) * (size_t)(nv + s->m + s->nw);
    double *r = m->r, change = 0;
    if (!s->m)
        return;
    // what a correction leaves: its size times the way from the factorization
    for (int pass = 0; pass < passes && (pass == 0 || change * m->moved > 1e-16); pass++) {
        memset(r, 0, bytes);
        p->constraint(p, s->work, to->x.t, to->x.q, r + nv);
        for (int i = 0; i < s->nh; i++)
            r[nv + i] = -r[nv + i];
        hol_kkt_solve_motion(m->position, r, 0);
        copy(m->e, r, nv);
        change = 10 * hol_max_abs(m->e, nv);
        p->retract(p, s->work, to->x.q, m->e, to->x.q);
        m->moved += hol_max_abs(m->e, nv);
    }
    p->jacobian(p, s->work, to->x.t, to->x.q, m->G);
    for (int pass = 0; pass < passes && (pass == 0 || change * m->moved > 1e-16); pass++) {
        memset(r, 0, bytes);
        p->velocity_rhs(p, s->work, to->x.t, to->x.q, r + nv);
        hol_mul_rows(&p->G, m->G, to->x.v, 1, r + nv);
        for (int i = 0; i < s->m; i++)
            r[nv + i] = -r[nv + i];
        hol_kkt_solve_motion(m->velocity, r, 0);
        for (int i = 0; i < nv; i++)
            to->x.v[i] += r[i];
        change = 10 * hol_max_abs(r, nv);
    }
}

// ---- iterations ----

static double change(const HolSim *s, const TangentNode *to, const double *dq, const double *dv) {
    return fmax(hol_max_abs(dq, s->nv) / (1 + hol_max_abs(to->x.q, s->nq)),
                hol_max_abs(dv, s->nv) / (1 + hol_max_abs(to->x.v, s->nv)));
}

// q1 on the coordinates' own manifold (|p| = 1) next to q^, from the old q
static void settle(HolSim *s, Tangent *m, const TangentNode *from, TangentNode *to) {
    const HolProblem *p = s->p;
    if (s->plain) {
        copy(to->x.q, m->q_hat, s->nq);
        return;
    }
    copy(to->x.q, from->x.q, s->nq);
    for (int k = 0; k < 6; k++) {
        p->minus(p, s->work, to->x.q, m->q_hat, m->dq);
        for (int i = 0; i < s->nv; i++)
            m->dq[i] = -m->dq[i];
        p->retract(p, s->work, to->x.q, m->dq, to->x.q);
        if (hol_max_abs(m->dq, s->nv) < 1e-12)
            break;
    }
}

// The formulas at the predicted accelerations give the first q1, v1; the factorization is made
// there.
static HolStatus begin(HolSim *s, Tangent *m, const TangentNode *from, double h, TangentNode *to,
                       HolError *err) {
    to->x.t = from->x.t + h;
    memset(m->mu, 0, sizeof(double) * (size_t)s->m);
    memset(m->nu, 0, sizeof(double) * (size_t)s->m);
    fixed_parts(s, m, from, h);
    if (m->stiff && (!m->has_back || m->predictor_error > 0.1)) {
        copy(to->x.q, from->x.q, s->nq);
        copy(to->x.v, from->x.v, s->nv);
        return factor_at(s, m, to->x.t, to->x.q, err);
    }
    if (m->stiff && hol_tangent_predict_motion(s, m, from, h)) {
        settle(s, m, from, to);
        // q' in velocity coordinates
        for (int i = 0; i < s->nq; i++)
            m->qdd[i] = to->x.q[i] - m->qd[i];
        s->p->minus(s->p, s->work, to->x.q, m->qdd, to->x.v);
        HolStatus status = factor_at(s, m, to->x.t, to->x.q, err);
        if (status)
            return status;
        project(s, m, to, 1);
        return m->moved > 1e-3 ? factor_at(s, m, to->x.t, to->x.q, err) : HOL_OK;
    }
    formula_v(s, m, to, h);
    copy(to->x.v, m->v_hat, s->nv);
    copy(to->x.q, from->x.q, s->nq);
    if (s->plain) {
        formula_q(s, m, to, m->v_hat, h);
    } else {
        // q1' and q1'' need a first q1: Taylor
        const HolProblem *p = s->p;
        p->qdot(p, s->work, from->x.q, from->x.v, m->qd);
        p->qddot(p, s->work, from->x.q, from->x.v, from->x.a, m->qdd);
        for (int i = 0; i < s->nq; i++)
            m->q_hat[i] = from->x.q[i] + h * (m->qd[i] + 0.5 * h * m->qdd[i]);
        for (int k = 0; k < 2; k++) {
            settle(s, m, from, to);
            formula_q(s, m, to, m->v_hat, h);
        }
    }
    settle(s, m, from, to);
    return factor_at(s, m, to->x.t, to->x.q, err);
}

// A sequence of changes and what it says about convergence.
typedef struct Sequence {
    double previous, rate;   // rate: contraction; expected one until two changes were seen
    double fastest, slowest; // contractions seen
    int count, stands;       // changes seen; how many of the last hardly shrank
    double round_off;        // changes up to here were round-off in earlier steps
    int mixed;               // 1: changes are not those of a plain iteration
} Sequence;

static Sequence begin_sequence(double expected_rate, double round_off) {
    return (Sequence){
        .previous = INFINITY, .rate = expected_rate, .fastest = 1, .round_off = round_off};
}

// 1 converged, 0 go on, -1 hopeless. `slowest`: contraction below which it is worth to go on,
// `enough`: error that may be left.
static int judge(Sequence *q, double e, double slowest, double enough) {
    if (!isfinite(e) || e > 1e3)
        return -1;
    if (q->count > 0)
        q->rate = e / q->previous;
    // round-off: where it contracted well before, it stands still now (how high depends on the
    // condition of the equations, which is poor near singular positions)
    q->stands = q->count > 1 && e > 0.4 * q->previous ? q->stands + 1 : 0;
    const int floor = (q->stands > 0 && (e < 2e-14 || (e < 1e-10 && q->rate > 0.9))) ||
                      (q->stands > 2 && e < 1e-7 && q->fastest < 0.2);
    if (q->count > 0) {
        q->fastest = fmin(q->fastest, q->rate);
        q->slowest = fmax(q->slowest, q->rate);
    }
    q->count++;
    const double expected = q->mixed ? fmax(q->rate, 0.1) : q->rate;
    if (e <= fmax(4e-16, q->round_off) || fmin(expected, 0.5) * e <= enough)
        return 1;
    if (floor) {
        q->round_off = fmin(1e-12, 2 * fmax(e, fmin(q->previous, 2 * e)));
        return 1;
    }
    const int may_be_floor = e < 1e-12 || (e < 1e-7 && q->fastest < 0.2 && q->stands <= 3);
    if (q->count > 2 && e > slowest * q->previous && !may_be_floor)
        return -1;
    q->previous = e;
    return 0;
}

// Constraint residuals left by the last increment: removed by plain projections.
static HolStatus polish(HolSim *s, Tangent *m, TangentNode *to, int passes, HolError *err) {
    HolStatus status = HOL_OK;
    m->correction = 1e-15;
    for (int pass = 0; pass < passes && !status; pass++) {
        project(s, m, to, 3);
        status = accelerate(s, m, to, err);
    }
    return status;
}

// Mixing serves slow contraction; at the floor of round-off it would amplify noise.
static int may_mix(Tangent *m, Sequence *q, double e) {
    if (e < 1e-13 || q->stands > 0 || (q->count > 1 && q->rate < 0.02)) {
        hol_tangent_mix_reset(&m->mix);
        return 0;
    }
    q->mixed |= m->mix.has_last; // the first call only stores
    return 1;
}

// The sweep's change (m->e, m->dv), already made, is replaced by the mixed one.
static void mix_sweep(HolSim *s, Tangent *m, TangentNode *to) {
    const int nv = s->nv;
    copy(m->qd, m->e, nv);
    copy(m->v_guess, m->dv, nv);
    hol_tangent_mix(s, &m->mix, 1 + hol_max_abs(to->x.q, s->nq), 1 + hol_max_abs(to->x.v, nv),
                    m->qd, m->v_guess);
    for (int i = 0; i < nv; i++) {
        m->qd[i] -= m->e[i];
        m->v_guess[i] -= m->dv[i];
        to->x.v[i] += m->v_guess[i];
        m->v_last[i] += m->v_guess[i]; // the normal part stays what it was
    }
    if (hol_max_abs(m->qd, nv) > 0)
        move(s, m, to, m->qd);
}

// 1: converged; 0: contracts too slowly; negative: status
static int sweep_until_converged(HolSim *s, Tangent *m, double h, TangentNode *to, HolError *err) {
    Sequence sequence = begin_sequence(fmax(1e-3, 10 * m->rate), m->round_off);
    hol_tangent_mix_reset(&m->mix);
    HolStatus status;
    for (int k = 0; k < MAX_SWEEPS; k++) {
        s->stats.newton_iterations++;
        // v as the new accelerations give it, minus the old normal part
        formula_v(s, m, to, h);
        for (int i = 0; i < s->nv; i++)
            m->v_guess[i] = to->x.v[i] + (k ? m->v_hat[i] - m->v_last[i] : 0);
        copy(m->v_last, m->v_hat, s->nv);
        formula_q(s, m, to, m->v_guess, h);
        position_increment(s, m, to);
        copy(m->e, m->dq, s->nv);
        move(s, m, to, m->e);
        velocity_increment(s, m, to, m->v_guess);
        for (int i = 0; i < s->nv; i++) {
            m->v_guess[i] += m->dv[i];
            m->dv[i] = m->v_guess[i] - to->x.v[i];
            to->x.v[i] = m->v_guess[i];
        }
        // the first sweep only projects what the predicted accelerations gave: its change says
        // nothing about them
        const double e = change(s, to, m->e, m->dv);
        const int verdict = k == 0 ? 0 : judge(&sequence, e, k < 4 ? 0.6 : 0.35, m->enough);
        if (k > 0 && verdict == 0 && may_mix(m, &sequence, e))
            mix_sweep(s, m, to);
        if ((status = accelerate(s, m, to, err)))
            return status;
        if (verdict > 0) {
            m->iterations = k + 1;
            // unseen for a while: doubted more
            m->rate = fmin(1, k > 1 && sequence.previous > 10 * sequence.round_off ? sequence.rate
                                                                                   : 2 * m->rate);
            m->round_off = 0.95 * sequence.round_off; // looked at again after a while
            if (e > 1e-13 && (status = polish(s, m, to, e > 1e-9 ? 2 : 1, err)))
                return status;
            return 1;
        }
        if (verdict < 0)
            return 0;
        if (k > 1 && sequence.rate > 0.1 && m->moved > 1e-3 &&
            (status = factor_at(s, m, to->x.t, to->x.q, err)))
            return status;
        if (s->nw && (status = factor_at(s, m, to->x.t, to->x.q, err)))
            return status;
    }
    return 0;
}

static int newton_until_converged(HolSim *s, Tangent *m, double h, TangentNode *to, HolError *err) {
    Sequence sequence = begin_sequence(m->newton_rate, m->round_off);
    hol_tangent_mix_reset(&m->mix);
    m->correction = 1e-3 * fmin(1e-9, m->newton_enough);
    HolStatus status;
    int fresh = 0;
    if ((status = accelerate(s, m, to, err)))
        return status;
    for (int k = 0; k < MAX_NEWTON; k++) {
        s->stats.newton_iterations++;
        if (m->newton_h != h || (k == 0 && m->reduced.dof > 0) ||
            (k > 1 && sequence.rate > 0.4 && !fresh)) {
            if ((status = hol_tangent_newton_factor(s, m, &to->x, h, err)))
                return (int)status;
            fresh = 4;
            hol_tangent_mix_reset(&m->mix);
        }
        fresh -= fresh > 0;
        formula_v(s, m, to, h);
        formula_q(s, m, to, to->x.v, h);
        position_increment(s, m, to);
        copy(m->e, m->dq, s->nv);
        velocity_increment(s, m, to, to->x.v);
        hol_tangent_newton_solve(s, m, h, m->e, m->dv);
        const double e = change(s, to, m->e, m->dv);
        const int verdict = judge(&sequence, e, k < 4 ? 5 : 0.95, m->newton_enough);
        if (verdict == 0 && (m->reduced.dof <= 0 || sequence.count > 3) && may_mix(m, &sequence, e))
            hol_tangent_mix(s, &m->mix, 1 + hol_max_abs(to->x.q, s->nq),
                            1 + hol_max_abs(to->x.v, s->nv), m->e, m->dv);
        for (int i = 0; i < s->nv; i++)
            to->x.v[i] += m->dv[i];
        move(s, m, to, m->e);
        if (verdict > 0) {
            // unseen for a while: doubted more
            m->iterations = k + 1;
            m->round_off = 0.95 * sequence.round_off;
            m->newton_rate = fmin(0.5, k > 0 ? 2 * sequence.slowest : 2 * m->newton_rate);
            if (s->nw || m->moved > 1e-4)
                status = factor_at(s, m, to->x.t, to->x.q, err);
            if (!status)
                status = polish(s, m, to, e > 1e-6 ? 2 : 1, err);
            return status ? (int)status : 1;
        }
        if (verdict < 0)
            return 0;
        if ((s->nw || m->moved > 1e-4) && (status = factor_at(s, m, to->x.t, to->x.q, err)))
            return status;
        if ((status = accelerate(s, m, to, err)))
            return status;
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

HolStatus hol_tangent_solve(HolSim *s, Tangent *m, const TangentNode *from, double h,
                            TangentNode *to, HolError *err) {
    for (int attempt = 0; attempt < 3; attempt++) {
        // Newton is kept until a plain sweep, tried now and then, contracts again
        if (m->stiff && attempt == 0 && ++m->stiff_steps >= m->stiff_retry) {
            m->stiff_steps = 0;
            m->stiff = 0;
        }
        const int stiff = m->stiff;
        hol_tangent_predict(s, m, from, h, to);
        HolStatus status = begin(s, m, from, h, to, err);
        if (status)
            return status;
        // redundant rows: extrapolation would make the null part of the multipliers grow
        hol_kkt_minimum_norm(s->mass, to->x.lambda);
        if (m->f.jerk)
            hol_kkt_minimum_norm(s->mass, to->ld);
        int done = stiff ? newton_until_converged(s, m, h, to, err)
                         : sweep_until_converged(s, m, h, to, err);
        if (done < 0)
            return (HolStatus)done;
        if (done && isfinite(hol_max_abs(to->x.a, s->nv))) {
            hol_tangent_rate_predictor(s, m, h, to);
            return HOL_OK;
        }
        if (stiff) {
            // once more from the old state
            if (m->predictor_error > 0.1)
                break;
            m->predictor_error = 1;
            m->newton_h = 0;
            continue;
        }
        m->stiff = 1;
        m->stiff_retry = m->stiff_retry < 20     ? 20
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
