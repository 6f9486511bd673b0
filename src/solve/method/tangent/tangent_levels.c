// SPDX-License-Identifier: Apache-2.0
// The parts of a tangent step: the formulas for q^ and v^, and the three levels at an iterate,
//   position      M (q1 (-) q^) + G1^T mu = 0,  g(q1) = 0
//   velocity      M (v1 - v^) + G1^T nu = 0,    G1 v1 + gt = 0
//   acceleration  M a1 + G1^T lambda1 = f1,     G1 a1 + gamma = 0, and its rate for the jerk
// each corrected from its true residual with a factorization of [M G^T; G 0] made nearby
// (metric euclid: 1 instead of M in the first two).
#include "base/thread_pool.h"
#include "math/simd.h"
#include "solve/method/tangent/tangent.h"
#include "solve/run/error_test.h"

#include <math.h>
#include <string.h>

static void tangent_levels_copy(double *to, const double *from, int n) {
    memcpy(to, from, sizeof *to * (size_t)n);
}

// ---- formulas ----

// out = base + h (c1 first + h c2 second)
typedef struct Formula {
    const double *base, *first, *second; // second NULL: none
    double h, c1, c2, *out;
} Formula;

static void tangent_levels_formula_loop(void *context, int first, int end) {
    const Formula f = *(const Formula *)context;
    HOL_INDEPENDENT
    for (int i = first; i < end; i++)
        f.out[i] =
            f.base[i] + f.h * (f.c1 * f.first[i] + (f.second ? f.h * f.c2 * f.second[i] : 0));
}

// By differences of q'' along the motion where the problem does not know it; plain coordinates: the
// jerk.
void hol_tangent_third(HolSim *s, Tangent *m, const TangentNode *from, double *out) {
    const HolProblem *p = s->p;
    const int nv = s->nv, nq = s->nq;
    if (s->plain) {
        tangent_levels_copy(out, from->j, nv);
        return;
    }
    if (p->extras->qdddot) {
        p->extras->qdddot(p, s->work, from->x.q, from->x.v, from->x.a, from->j, out);
        return;
    }
    const double *v = from->x.v, e = 1e-4 / (1 / s->test->span + hol_norm_near(s, v));
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

// out = base + h (c1 q' + h c2 q'') at x, but with the velocities v
static void formula_of_q(HolSim *s, Tangent *m, const HolState *x, const double *v,
                         const double *base, double h, double c1, double c2, double *out) {
    const HolProblem *p = s->p;
    const double *qd = v, *qdd = x->a;
    if (!s->plain && p->extras->formula) {
        p->extras->formula(p, s->work, &(HolFormula){x->q, v, x->a, base, h, c1, c2, out});
        return;
    }
    if (!s->plain) {
        p->qdot(p, s->work, x->q, v, m->qd);
        p->qddot(p, s->work, x->q, v, x->a, m->qdd);
        qd = m->qd;
        qdd = m->qdd;
    }
    hol_pool_loop(s->pool, s->nq, tangent_levels_formula_loop,
                  &(Formula){base, qd, qdd, h, c1, c2, out});
}

// What the old state contributes to q^ and v^.
void hol_tangent_fixed_parts(HolSim *s, Tangent *m, const TangentNode *from, double h) {
    const TangentFormula *f = &m->f;
    const HolState *x = &from->x;
    const double *d = f->d0;
    formula_of_q(s, m, x, x->v, x->q, h, f->c0[1], f->c0[2], m->q_base);
    if (f->c0[3] != 0) {
        if (f->lag != 0) // j stands beside a: along q' as v does
            s->p->qdot(s->p, s->work, x->q, from->j, m->e);
        else
            hol_tangent_third(s, m, from, m->e);
        hol_sim_add(s, s->nq, m->q_base, h * h * h * f->c0[3], m->e, m->q_base);
    }
    hol_pool_loop(s->pool, s->nv, tangent_levels_formula_loop,
                  &(Formula){x->v, x->a, d[2] != 0 ? from->j : NULL, h, d[1], d[2], m->v_base});
}

void hol_tangent_first_position(HolSim *s, Tangent *m, const TangentNode *from, double h) {
    formula_of_q(s, m, &from->x, from->x.v, from->x.q, h, 1, 0.5, m->q_hat);
}

// both formulas, plain coordinates: v^, from it v with the normal part of the last sweep, q^
typedef struct Formulas {
    const Tangent *m;
    const HolState *x;
    const double *j; // NULL: does not enter
    double h;
} Formulas;

static void formulas_loop(void *context, int first, int end) {
    const Formulas *f = context;
    const Tangent *m = f->m;
    const double h = f->h, *c = m->f.c1, *d = m->f.d1, *restrict j = f->j;
    const double *restrict v = f->x->v, *restrict a = f->x->a, *restrict last = m->v_last;
    const double *restrict v_base = m->v_base, *restrict q_base = m->q_base;
    double *restrict v_hat = m->v_hat, *restrict guess = m->v_guess, *restrict q_hat = m->q_hat;
    for (int i = first; i < end; i++) {
        const double hat = v_base[i] + h * (d[1] * a[i] + (j ? h * d[2] * j[i] : 0));
        v_hat[i] = hat;
        guess[i] = v[i] + (hat - last[i]);
        q_hat[i] = q_base[i] + h * (c[1] * guess[i] + h * c[2] * a[i]);
    }
}

void hol_tangent_formulas(HolSim *s, Tangent *m, const TangentNode *to, double h) {
    hol_pool_loop(s->pool, s->nv, formulas_loop,
                  &(Formulas){m, &to->x, m->f.jerk ? to->j : NULL, h});
}

// v1 = v^ and q1 = q^ of it, the first iterate
static void first_formulas_loop(void *context, int first, int end) {
    const Formulas *f = context;
    const Tangent *m = f->m;
    const double h = f->h, *c = m->f.c1, *d = m->f.d1, *restrict j = f->j, *restrict a = f->x->a;
    const double *restrict v_base = m->v_base, *restrict q_base = m->q_base;
    double *restrict v_hat = m->v_hat, *restrict v = f->x->v, *restrict q = f->x->q;
    for (int i = first; i < end; i++) {
        v[i] = v_hat[i] = v_base[i] + h * (d[1] * a[i] + (j ? h * d[2] * j[i] : 0));
        q[i] = q_base[i] + h * (c[1] * v[i] + h * c[2] * a[i]);
    }
}

void hol_tangent_first_formulas(HolSim *s, Tangent *m, TangentNode *to, double h) {
    hol_pool_loop(s->pool, s->nv, first_formulas_loop,
                  &(Formulas){m, &to->x, m->f.jerk ? to->j : NULL, h});
}

void hol_tangent_formula_v(const HolSim *s, Tangent *m, const TangentNode *to, double h) {
    const double *d = m->f.d1, *jerk = m->f.jerk ? to->j : NULL;
    hol_pool_loop(s->pool, s->nv, tangent_levels_formula_loop,
                  &(Formula){m->v_base, to->x.a, jerk, h, d[1], d[2], m->v_hat});
}

void hol_tangent_formula_q(HolSim *s, Tangent *m, const TangentNode *to, const double *v,
                           double h) {
    formula_of_q(s, m, &to->x, v, m->q_base, h, m->f.c1[1], m->f.c1[2], m->q_hat);
}

// ---- levels ----

static void find_G(HolSim *s, Tangent *m, const HolState *x) {
    s->p->jacobian(s->p, s->work, HOL_AT(x), m->G_own);
    m->G = m->G_own;
}

HolStatus hol_tangent_factor(HolSim *s, Tangent *m, double t, const double *q, HolError *err) {
    const HolProblem *p = s->p;
    HolStatus status = hol_mass_factor(s, t, q, err);
    if (status)
        return status;
    m->G = hol_kkt_G(s->mass);
    if (!p->constant_mass || !m->has_M)
        hol_sim_assign(s, m->M, hol_kkt_S(s->mass), p->M.nnz);
    m->has_M = 1;
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
            tangent_levels_copy(S, m->M, p->M.nnz);
        tangent_levels_copy(hol_kkt_G(own[k]), m->G, p->G.nnz);
        s->stats.factorizations++;
        const int bad = hol_kkt_factor(own[k]);
        if (bad)
            return hol_singular_error(s, t, bad, err);
    }
    return HOL_OK;
}

// r1 = -(metric matrix) (x - z) - G^T l, r2 = -(r2 + G u); z, l NULL: zero; u NULL: r2 stays
static void metric_residual(const HolSim *s, Tangent *m, const double *x, const double *z,
                            const double *l, const double *u, double *r) {
    double *r2 = r + s->nv, *d = z ? m->dq : NULL;
    if (m->still) {
        memset(r, 0, sizeof *r * (size_t)s->nv);
        x = z = NULL;
    }
    if (!m->euclid || m->still) {
        hol_sim_residual(s, &(HolResidual){m->M, m->G, x, z, l, u, NULL, -1, r, r2, d});
        return;
    }
    for (int i = 0; i < s->nv; i++)
        r[i] = z ? z[i] - x[i] : -x[i];
    if (l)
        hol_sim_mul_GT(s, m->G, l, -1, r);
    if (u)
        hol_sim_defect(s, s->m, m->G, u, r2);
}

// rows behind the holonomic ones and the border
static void clear_rest(const HolSim *s, double *r, int from) {
    memset(r + from, 0, sizeof *r * (size_t)(s->nv + s->m + s->nw - from));
}

// mu or nu is advanced; the first time it was zero
static void tangent_levels_push(const HolSim *s, int rows, const double *by, int *pushed,
                                double *mu) {
    if (*pushed)
        hol_sim_add(s, rows, mu, 1, by, mu);
    else
        hol_sim_assign(s, mu, by, rows);
    *pushed = 1;
}

// Increment e of the position row at q1; mu is advanced.
void hol_tangent_position(HolSim *s, Tangent *m, const TangentNode *to) {
    const HolProblem *p = s->p;
    const int nv = s->nv;
    double *r = m->r;
    const double *x = to->x.q, *z = m->q_hat, *mu = s->m && m->pushed_q ? m->mu : NULL;
    clear_rest(s, r, nv + s->nh);
    if (!s->plain) {
        p->minus(p, s->work, x, z, m->dq);
        x = m->dq;
        z = NULL;
    }
    metric_residual(s, m, x, z, mu, NULL, r);
    if (s->m) {
        p->constraint(p, s->work, HOL_AT(&to->x), r + nv);
        hol_sim_defect(s, s->nh, m->G, NULL, r + nv);
    }
    hol_kkt_solve_apart(m->position, r, m->e, 1);
    tangent_levels_push(s, s->nh, m->e + nv, &m->pushed_q, m->mu);
}

// Increment dv of the velocity row at v; nu is advanced. G is that at q1.
void hol_tangent_velocity(HolSim *s, Tangent *m, const TangentNode *to, const double *v) {
    const HolProblem *p = s->p;
    const int nv = s->nv;
    double *r = m->r;
    clear_rest(s, r, nv + s->m);
    if (s->m)
        p->velocity_rhs(p, s->work, HOL_AT(&to->x), r + nv);
    metric_residual(s, m, v, m->v_hat, s->m && m->pushed_v ? m->nu : NULL, s->m ? v : NULL, r);
    hol_kkt_solve_apart(m->velocity, r, m->dv, 1);
    tangent_levels_push(s, s->m, m->dv + nv, &m->pushed_v, m->nu);
}

static void acceleration_rhs(HolSim *s, const HolState *x, double *r) {
    const HolProblem *p = s->p;
    p->force(p, s->work, HOL_AT(x), r);
    s->stats.force_evaluations++;
    if (s->m)
        p->acceleration_rhs(p, s->work, HOL_AT(x), r + s->nv);
    hol_sim_defect(s, s->m, NULL, NULL, r + s->nv);
}

// The acceleration equations (level 0) or their rate (1): right-hand side. The series at hand was
// begun at its q, v.
static void acceleration_jet(HolSim *s, const TangentNode *to, int level, double *r) {
    const HolProblem *p = s->p;
    if (level == 1)
        p->extras->series_set(p, s->work, 0, to->x.a, to->x.lambda, to->x.w);
    if (level == 2)
        p->extras->series_set(p, s->work, 1, to->j, to->ld, to->x.w);
    p->extras->series_rhs(p, s->work, level, r);
    s->stats.force_evaluations += level == 0;
}

void hol_tangent_right_sides(HolSim *s, Tangent *m, const TangentNode *to, double *A, double *J) {
    const HolProblem *p = s->p;
    if (hol_has_jets(p)) {
        p->extras->series_start(p, s->work, to->x.t, to->x.q, to->x.v);
        acceleration_jet(s, to, 0, A);
        acceleration_jet(s, to, 1, J);
    } else {
        acceleration_rhs(s, &to->x, A);
        hol_jerk_rhs(s, &to->x, m->r);
        tangent_levels_copy(J, m->r, s->nv + s->m);
    }
}

// [M G^T; G 0] [a; lambda] = m->r at the iterate: corrected with the kept factorization, once;
// where forces are stiff, until nothing changes, for the next level magnifies what is left.
static void tangent_levels_correct(HolSim *s, Tangent *m, double *a, double *lambda) {
    const int nv = s->nv, rows = s->m;
    const size_t bytes = sizeof(double) * (size_t)(nv + rows);
    double *r = m->r, *d = m->change;
    const int passes = m->stiff && m->moved > 0 ? 5 : 1;
    if (passes > 1)
        memcpy(m->rhs, r, bytes);
    for (int pass = 0; pass < passes; pass++) {
        if (pass > 0)
            memcpy(r, m->rhs, bytes);
        hol_sim_residual(s, &(HolResidual){m->M, m->G, a, NULL, lambda, a, r, 1, r, r + nv, NULL});
        hol_kkt_solve_apart(s->mass, r, d, passes > 1 ? 2 : 1);
        hol_sim_add(s, nv, a, 1, d, a);
        hol_sim_add(s, rows, lambda, 1, d + nv, lambda);
        if (passes > 1 &&
            hol_norm_near(s, d) * fmin(1, 10 * m->moved) < m->correction * hol_norm_near(s, a))
            break;
    }
}

// a, lambda and the jerk at (q1, v1), corrected by their residuals with the kept factorization.
HolStatus hol_tangent_accelerate(HolSim *s, Tangent *m, TangentNode *to, HolError *err) {
    const HolProblem *p = s->p;
    HolState *x = &to->x;
    double *r = m->r;
    if (s->nw) {
        HolStatus status = hol_accelerate(s, x, 0, err);
        return status || !m->f.jerk ? status : hol_jerk(s, x, to->j, to->ld, err);
    }
    if (!p->constant_mass) {
        memset(m->M, 0, sizeof *m->M * (size_t)p->M.nnz);
        p->mass(p, s->work, HOL_AT(x), 1.0, 0, m->M);
    }
    const int jets = m->f.jerk && hol_has_jets(p);
    if (jets)
        p->extras->series_start(p, s->work, x->t, x->q, x->v);
    for (int level = 0; level <= m->f.jerk; level++) {
        double *a = level ? to->j : x->a, *lambda = level ? to->ld : x->lambda;
        if (jets)
            acceleration_jet(s, to, level, r);
        else if (level == 0)
            acceleration_rhs(s, x, r);
        else
            hol_jerk_rhs(s, x, r);
        if (level == 0)
            hol_sim_assign(s, m->curvature, r + s->nv, s->m);
        tangent_levels_correct(s, m, a, lambda);
    }
    return HOL_OK;
}

// a := the nearest solution of G a = b; passes as in hol_tangent_project
static void tangent_levels_meet(HolSim *s, Tangent *m, const double *b, double *a, int passes) {
    const int nv = s->nv;
    double *r = m->r, left = INFINITY;
    for (int pass = 0; pass < passes && left > 1e-16 * hol_norm_near(s, a); pass++) {
        memset(r, 0, sizeof *r * (size_t)nv);
        tangent_levels_copy(r + nv, b, s->m);
        hol_sim_mul_G(s, m->G, a, -1, r + nv);
        hol_kkt_solve_motion(s->mass, r, 1);
        for (int i = 0; i < nv; i++)
            a[i] += r[i];
        left = 10 * hol_norm_near(s, r) * m->moved;
    }
}

void hol_tangent_smooth(HolSim *s, Tangent *m, TangentNode *to) {
    const HolProblem *p = s->p;
    const int nv = s->nv;
    double *r = m->r, *rhs = m->rhs;
    if (s->m == 0)
        return;
    p->extras->series_start(p, s->work, to->x.t, to->x.q, to->x.v);
    acceleration_jet(s, to, 0, rhs);
    tangent_levels_copy(m->curvature, rhs + nv, s->m);
    tangent_levels_meet(s, m, m->curvature, to->x.a, 4);
    // the multipliers that come closest
    memset(r + nv, 0, sizeof *r * (size_t)s->m);
    hol_sim_balance(s, m->M, to->x.a, m->G, to->x.lambda, rhs, r);
    hol_kkt_solve_motion(s->mass, r, 2);
    for (int i = 0; i < s->m; i++)
        to->x.lambda[i] += r[nv + i];
    acceleration_jet(s, to, 1, rhs);
    tangent_levels_meet(s, m, rhs + nv, to->j, 1);
}

void hol_tangent_snap(HolSim *s, Tangent *m, TangentNode *to) {
    s->p->extras->series_start(s->p, s->work, to->x.t, to->x.q, to->x.v);
    for (int level = 0; level <= 2; level++)
        acceleration_jet(s, to, level, m->r);
    hol_kkt_solve_motion(s->mass, m->r, 1);
    tangent_levels_copy(to->s, m->r, s->nv);
    to->has_s = 1;
}

void hol_tangent_residuals(HolSim *s, Tangent *m, const HolState *x, double residual[3]) {
    const HolProblem *p = s->p;
    double *r = m->r;
    p->constraint(p, s->work, HOL_AT(x), r);
    residual[0] = hol_sim_max_abs(s, r, s->nh);
    p->velocity_rhs(p, s->work, HOL_AT(x), r);
    hol_sim_residual(s, &(HolResidual){.G = m->G, .u = x->v, .c = -1, .r2 = r});
    residual[1] = hol_sim_max_abs(s, r, s->m);
    hol_sim_residual(s, &(HolResidual){.G = m->G, .u = x->a, .c = 1, .r2 = m->curvature});
    residual[2] = hol_sim_max_abs(s, m->curvature, s->m);
}

// q1 := q1 (+) dq, v1 := v, with G there
void hol_tangent_move(HolSim *s, Tangent *m, TangentNode *to, const double *dq) {
    const HolProblem *p = s->p;
    p->retract(p, s->work, to->x.q, dq, to->x.q);
    if (s->m)
        find_G(s, m, &to->x);
    m->way = hol_norm_near(s, dq);
    m->moved += m->way;
}

// q1 and v1 onto the constraints, with the factorization at hand: one correction each, or as many
// as change something (`passes` at most).
void hol_tangent_project(HolSim *s, Tangent *m, TangentNode *to, int passes) {
    const HolProblem *p = s->p;
    const int nv = s->nv;
    double *r = m->r, change = 0;
    if (!s->m)
        return;
    memset(r, 0, sizeof *r * (size_t)(nv + s->m + s->nw));
    // what a correction leaves: its size times the distance from the factorization
    for (int pass = 0; pass < passes && (pass == 0 || change * m->moved > 1e-16); pass++) {
        p->constraint(p, s->work, HOL_AT(&to->x), r + nv);
        hol_sim_defect(s, s->nh, m->G, NULL, r + nv);
        hol_kkt_solve_apart(m->position, r, m->e, 0);
        p->retract(p, s->work, to->x.q, m->e, to->x.q);
        const double way = hol_norm_near(s, m->e);
        change = 10 * way;
        m->moved += way;
    }
    find_G(s, m, &to->x);
    for (int pass = 0; pass < passes && (pass == 0 || change * m->moved > 1e-16); pass++) {
        p->velocity_rhs(p, s->work, HOL_AT(&to->x), r + nv);
        hol_sim_residual(s, &(HolResidual){.G = m->G, .u = to->x.v, .c = -1, .r2 = r + nv});
        hol_kkt_solve_apart(m->velocity, r, m->change, 0);
        hol_sim_add(s, nv, to->x.v, 1, m->change, to->x.v);
        change = 10 * hol_norm_fast(s, m->change);
    }
}
