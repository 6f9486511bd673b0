// SPDX-License-Identifier: Apache-2.0
// One step of the explicit family: Newton's iteration for a_n, lambda_n, w_n (explicit.h).
//
//   [ M(q_n) - c f_v   G(q_n)^T   -f_w ] [da     ]   [ f - M a - G(q_n)^T lambda ]
//   [ G(q_{n+1}) D      0          0   ] [dlambda] = [ -g(q_{n+1},t_{n+1}) / r   ]
//   [ -(W_a + c W_v)   -W_lambda  I-W_w] [dw     ]   [ W - w                     ]
// c = dv/da, r = dq_{n+1}/da; a velocity row reads (B + r/c' (B v)_q) da = -(B v' + b)/c' with the
// extrapolated velocity v' and c' = dv'/da. Everything
// but the forces' velocity dependence, the constraints and W is linear: without those one solve
// with M is exact and no iteration is made. Convergence is judged by r da and c da, never by the
// jerk or the snap, which are 1/h and 1/h^2 times round-off.
#include "solve/constraint/project.h"
#include "solve/method/explicit/explicit.h"
#include "solve/run/error_test.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- tuning constants ----
enum { MOST = 30 };                      // iterations
static const double SLOW = 0.3;          // contraction from which the matrix is made anew
static const double NEARLY = 1e4;        // round-offs: stagnation below is convergence
static const double V_ROUND_OFF = 1e-15; // relative round-off of velocities

static double weighted(double w, double now, double before) {
    return w * now + (1 - w) * before;
}

static void follow3(const HolExplicit *m, int n, double h, const double *a, double *v_out) {
    const HolExplicitSet *c = &m->set;
    const HolExplicitPoint *p = &m->now;
    for (int i = 0; i < n; i++) {
        double v = p->v[i] + h * weighted(c->beta, a[i], p->a[i]);
        m->next.v[i] = m->rate[0][i] = v;
        m->rate[1][i] = weighted(c->alpha, a[i], p->a[i]);
        if (v_out)
            v_out[i] = p->v[i] + h * weighted(c->beta_out, a[i], p->a[i]);
    }
}

static void follow4(const HolExplicit *m, int n, double h, const double *a, double *v_out) {
    const HolExplicitSet *c = &m->set;
    const HolExplicitPoint *p = &m->now;
    for (int i = 0; i < n; i++) {
        double j = ((a[i] - p->a[i]) / h - (1 - c->gamma) * p->j[i]) / c->gamma;
        double v = p->v[i] + h * (p->a[i] + h / 2 * weighted(c->beta, j, p->j[i]));
        m->next.v[i] = m->rate[0][i] = v;
        m->next.j[i] = j;
        m->rate[1][i] = a[i];
        m->rate[2][i] = weighted(c->alpha, j, p->j[i]);
        if (v_out)
            v_out[i] = p->v[i] + h * (p->a[i] + h / 2 * weighted(c->beta_out, j, p->j[i]));
    }
}

static void follow5(const HolExplicit *m, int n, double h, const double *a, double *v_out) {
    const HolExplicitSet *c = &m->set;
    const HolExplicitPoint *p = &m->now;
    for (int i = 0; i < n; i++) {
        double s =
            ((a[i] - p->a[i] - h * p->j[i]) / (h * h / 2) - (1 - c->gamma) * p->s[i]) / c->gamma;
        double j = p->j[i] + h * weighted(c->zeta, s, p->s[i]);
        double common = weighted(c->beta, s, p->s[i]);
        double v = p->v[i] + h * (p->a[i] + h / 2 * (p->j[i] + h / 3 * common));
        m->next.v[i] = m->rate[0][i] = v;
        m->next.j[i] = m->rate[2][i] = j;
        m->next.s[i] = s;
        m->rate[1][i] = a[i];
        m->rate[3][i] = weighted(c->alpha, s, p->s[i]);
        common = weighted(c->beta_out, s, p->s[i]);
        if (v_out)
            v_out[i] = p->v[i] + h * (p->a[i] + h / 2 * (p->j[i] + h / 3 * common));
    }
}

// q_{n+1} = q_n + ((q_n - q_p) + h^2 a), in this order of summation
static void follow_central(HolSim *s, double h, const double *a, double *v_out, double *ahead) {
    HolExplicit *m = s->method;
    const double *q = s->next.q, *before = s->x.q;
    for (int i = 0; i < s->nv; i++) {
        double last = s->plain ? q[i] - before[i] : m->now.increment[i];
        m->next.increment[i] = last + h * h * a[i];
        if (s->plain)
            ahead[i] = q[i] + m->next.increment[i];
        double across = s->plain ? ahead[i] - before[i] : last + m->next.increment[i];
        m->next.v[i] = across / (2 * h);
        if (v_out)
            v_out[i] = m->next.v[i];
    }
    if (!s->plain)
        s->p->retract(s->p, s->work, q, m->next.increment, ahead);
}

void hol_explicit_follow(HolSim *s, double h, const double *a, double *v_out, double *ahead) {
    HolExplicit *m = s->method;
    if (m->set.central) {
        follow_central(s, h, a, v_out, ahead);
        return;
    }
    if (m->set.degree == 3)
        follow3(m, s->nv, h, a, v_out);
    else if (m->set.degree == 4)
        follow4(m, s->nv, h, a, v_out);
    else
        follow5(m, s->nv, h, a, v_out);
    hol_explicit_move(s, s->next.q, h, m->rate, ahead);
}

static void explicit_newton_set_scales(HolExplicit *m, double h) {
    const HolExplicitSet *c = &m->set;
    if (c->degree == 3) {
        m->c = c->beta_out * h;
        m->r = h * h * (c->beta + c->alpha / 2);
        m->c_row = h * (c->beta + 1 + hol_explicit_extrapolation(c));
    } else if (c->degree == 4) {
        m->c = c->beta_out * h / (2 * c->gamma);
        m->r = h * h * (c->beta / 2 + c->gamma / 2 + c->alpha / 6) / c->gamma;
        m->c_row = h * (1 + (c->beta + 1 + hol_explicit_extrapolation(c)) / (2 * c->gamma));
    } else {
        m->c = c->beta_out * h / (3 * c->gamma);
        m->r = h * h * (c->beta / 3 + c->gamma / 2 + c->zeta / 3 + c->alpha / 12) / c->gamma;
        m->c_row = h * (1 + (c->beta / 3 + c->zeta + 1. / 3) / c->gamma);
    }
    if (c->central)
        m->r = h * h;
}

// ---- equations ----

// mass and Jacobian at q_n, and the first iterate
static void explicit_newton_begin(HolSim *s, double h) {
    HolExplicit *m = s->method;
    const HolProblem *p = s->p;
    HolState *x = &s->next;
    memcpy(x->q, m->now.ahead, (size_t)s->nq * sizeof *x->q);
    memset(m->M, 0, (size_t)p->M.nnz * sizeof *m->M);
    p->mass(p, s->work, HOL_AT(x), 1, 0, m->M);
    if (s->m)
        p->jacobian(p, s->work, HOL_AT(x), m->Gt);
    for (int i = 0; i < s->nv; i++)
        m->next.a[i] = m->now.a[i] + (m->set.degree > 3 ? h * m->now.j[i] : 0) +
                       (m->set.degree > 4 ? h * h / 2 * m->now.s[i] : 0);
    if (s->m)
        memcpy(x->lambda, s->x.lambda, (size_t)s->m * sizeof *x->lambda);
    if (s->nw)
        memcpy(x->w, s->x.w, (size_t)s->nw * sizeof *x->w);
}

// velocity at t_{n+1} for the velocity rows
static void extrapolate(HolSim *s, double h) {
    HolExplicit *m = s->method;
    const HolExplicitPoint *p = &m->now, *x = &m->next;
    const double ka = hol_explicit_extrapolation(&m->set);
    for (int i = 0; i < s->nv; i++) {
        double v = x->v[i] + h * x->a[i];
        if (m->set.degree == 3)
            v += h * ka * (x->a[i] - p->a[i]);
        else if (m->set.degree == 4)
            v += h * h / 2 * (x->j[i] + ka * (x->j[i] - p->j[i]));
        else
            v += h * h / 2 * (x->j[i] + h / 3 * x->s[i]);
        m->v_row[i] = v;
    }
}

static int explicit_newton_evaluate(HolSim *s, double h) {
    HolExplicit *m = s->method;
    const HolProblem *p = s->p;
    HolState *x = &s->next;
    double *r = m->residual;
    const int nv = s->nv;
    hol_explicit_follow(s, h, m->next.a, x->v, m->next.ahead);
    p->force(p, s->work, HOL_AT(x), r);
    s->stats.force_evaluations++;
    memcpy(s->f, r, (size_t)nv * sizeof *r);
    hol_mul_columns(&p->M, m->M, m->next.a, -1, r);
    if (s->m)
        hol_mul_rows_transposed(&p->G, m->Gt, x->lambda, -1, r);
    if (s->nn) {
        extrapolate(s, h);
        p->velocity_rhs(p, s->work, &(HolPoint){.t = x->t + h, .q = m->next.ahead}, r + nv);
        p->jacobian(p, s->work, &(HolPoint){.t = x->t + h, .q = m->next.ahead}, m->G);
        hol_mul_rows(&p->G, m->G, m->v_row, 1, r + nv);
        for (int i = s->nh; i < s->m; i++)
            r[nv + i] = -r[nv + i] / m->c_row;
    }
    if (s->nh) {
        p->constraint(p, s->work, &(HolPoint){.t = x->t + h, .q = m->next.ahead}, r + nv);
        for (int i = 0; i < s->nh; i++)
            r[nv + i] = -r[nv + i] / m->r;
    }
    if (s->nw) {
        double *row = r + nv + s->m;
        p->variables(
            p, s->work,
            &(HolPoint){
                .t = x->t, .q = x->q, .v = x->v, .a = m->next.a, .lambda = x->lambda, .w = x->w},
            &(HolAlgebraic){.r = row});
        for (int i = 0; i < s->nw; i++)
            row[i] = -row[i];
    }
    return isfinite(hol_max_abs(r, nv + s->m + s->nw));
}

static void explicit_newton_fill_border(HolSim *s) {
    HolExplicit *m = s->method;
    const HolProblem *p = s->p;
    const HolState *x = &s->next;
    const int n = s->nw * s->nv;
    double *A, *L, *W, *F, *Jq = m->J, *Jv = Jq + n, *unused = s->rhs;
    hol_kkt_border(m->kkt, &A, &L, &W, &F);
    p->variables(
        p, s->work,
        &(HolPoint){
            .t = x->t, .q = x->q, .v = x->v, .a = m->next.a, .lambda = x->lambda, .w = x->w},
        &(HolAlgebraic){.r = unused, .Jq = Jq, .Jv = Jv, .Ja = A, .Jl = L, .Jw = W, .fw = F});
    for (int i = 0; i < n; i++)
        A[i] += m->c * Jv[i];
}

// lower rows: at the next position
static void fill_rows(HolSim *s, double h) {
    HolExplicit *m = s->method;
    const HolProblem *p = s->p;
    const HolPattern *P = &p->G;
    double *G = hol_kkt_G(m->kkt);
    memcpy(hol_kkt_Gt(m->kkt), m->Gt, (size_t)P->nnz * sizeof *G);
    p->jacobian(p, s->work, &(HolPoint){.t = s->next.t + h, .q = m->next.ahead}, G);
    if (m->width && s->nh) {
        hol_explicit_columns(s, h, m->next.a, G);
        hol_explicit_follow(s, h, m->next.a, s->next.v, m->next.ahead);
    }
    if (s->nn) {
        memset(m->G, 0, (size_t)P->nnz * sizeof *G);
        p->velocity_jacobian(
            p, s->work, &(HolPoint){.t = s->next.t + h, .q = m->next.ahead, .v = m->v_row}, m->G);
        for (int k = P->ptr[s->nh]; k < P->ptr[s->m]; k++)
            G[k] += m->r / m->c_row * m->G[k];
    }
}

static HolStatus explicit_newton_renew(HolSim *s, double h, HolError *err) {
    HolExplicit *m = s->method;
    const HolProblem *p = s->p;
    const HolState *x = &s->next;
    double *S = hol_kkt_S(m->kkt);
    memset(S, 0, (size_t)p->S.nnz * sizeof *S);
    p->tangent(p, s->work,
               &(HolPoint){
                   .t = x->t, .q = x->q, .v = x->v, .a = m->next.a, .lambda = x->lambda, .w = x->w},
               m->c, 0, S);
    m->smooth = hol_max_abs(S, p->S.nnz) == 0;
    p->mass(p, s->work, HOL_AT(x), 1, 1, S);
    if (s->m)
        fill_rows(s, h);
    if (s->nw)
        explicit_newton_fill_border(s);
    s->stats.jacobians++;
    s->stats.factorizations++;
    const int bad = hol_kkt_factor(m->kkt);
    return bad ? hol_singular_error(s, x->t, bad, err) : HOL_OK;
}

// ---- iteration ----

// the last correction over what round-off allows
static double explicit_newton_correct(HolSim *s) {
    HolExplicit *m = s->method;
    HolState *x = &s->next;
    const int nv = s->nv, n = nv + s->m + s->nw;
    double *d = s->rhs;
    memcpy(d, m->residual, (size_t)n * sizeof *d);
    hol_kkt_solve(m->kkt, d);
    s->stats.newton_iterations++;
    if (!isfinite(hol_max_abs(d, n)))
        return NAN;
    for (int i = 0; i < nv; i++)
        m->next.a[i] += d[i];
    for (int i = 0; i < s->m; i++)
        x->lambda[i] += d[nv + i];
    for (int i = 0; i < s->nw; i++)
        x->w[i] += d[nv + s->m + i];
    const double size = hol_norm_near(s, d), q = s->test->grain, v = hol_norm_near(s, x->v);
    const double noise = s->nh ? 4 * DBL_EPSILON * q * fabs(m->c) / m->r : 0;
    double relative = fmax(m->r * size / (4 * DBL_EPSILON * q),
                           fabs(m->c) * size / (V_ROUND_OFF * v + noise + DBL_MIN));
    // w may depend on lambda, whose round-off is that of positions over h^2: it counts as long as
    // it contracts
    const double change = hol_max_abs(d + nv + s->m, s->nw);
    if (s->nw && change < SLOW * m->w_change)
        relative = fmax(relative, change / (8 * DBL_EPSILON * (1 + hol_max_abs(x->w, s->nw))));
    m->w_change = change;
    return relative;
}

static HolStatus explicit_newton_not_finite(HolError *err) {
    return hol_error_set(err, HOL_ERR_CONVERGE, "a force or constraint is not a finite number");
}

// M a = f: nothing to iterate
static int solve_at_once(HolSim *s) {
    HolExplicit *m = s->method;
    memcpy(m->next.a, s->f, (size_t)s->nv * sizeof *s->f);
    hol_kkt_solve(m->kkt, m->next.a);
    s->stats.newton_iterations++;
    return isfinite(hol_max_abs(m->next.a, s->nv));
}

static HolStatus explicit_newton_finish(HolSim *s, double h) {
    HolExplicit *m = s->method;
    hol_explicit_follow(s, h, m->next.a, s->next.v, m->next.ahead);
    memcpy(s->next.a, m->next.a, (size_t)s->nv * sizeof *s->next.a);
    return HOL_OK;
}

HolStatus hol_explicit_solve(HolSim *s, double h, HolError *err) {
    HolExplicit *m = s->method;
    explicit_newton_set_scales(m, h);
    explicit_newton_begin(s, h);
    double before = INFINITY, size = INFINITY;
    m->w_change = INFINITY;
    for (int n = 0; n < MOST; n++) {
        if (!explicit_newton_evaluate(s, h))
            return explicit_newton_not_finite(err);
        const double rate = size / before;
        if (n == 0 || rate > SLOW) {
            HolStatus status = explicit_newton_renew(s, h, err);
            if (status != HOL_OK)
                return status;
        }
        if (m->smooth && !s->m && !s->nw)
            return solve_at_once(s) ? explicit_newton_finish(s, h)
                                    : explicit_newton_not_finite(err);
        before = size;
        size = explicit_newton_correct(s);
        if (isnan(size))
            return explicit_newton_not_finite(err);
        // what the next correction would be, from the contraction seen
        const double left = size < before && n > 0 ? size * size / before : size;
        if (left <= 1 || (size < NEARLY && size > SLOW * before))
            return explicit_newton_finish(s, h);
    }
    return hol_error_set(err, HOL_ERR_CONVERGE, "Newton's iteration did not converge");
}
