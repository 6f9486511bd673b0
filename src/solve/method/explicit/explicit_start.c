// SPDX-License-Identifier: Apache-2.0
// How the explicit family starts, at the beginning and after every change of the step.
//
// Derivatives j, s, x5 of the acceleration: from the Taylor series with the factorization of the
// acceleration equations, or (start: s2, and problems without series) from accelerations on four
// Runge-Kutta states around t:
//   j = (8 (a1 - a-1) - (a2 - a-2))/(12 h),  s = (16 (a1 + a-1) - (a2 + a-2) - 30 a0)/(12 h^2),
//   x5 = ((a2 - a-2) - 2 (a1 - a-1))/(2 h^3)
// zero    j = s = 0 (the published start; second order unless the true values vanish)
// true    degree 4: j, degree 5: j, s; first position by Taylor
// steady  what the recursion carries in steady motion, and the first position by its own formula:
//   degree 3  v + h^2/12 j, a_p = a - h j + h^2/2 s
//   degree 4  j - (ga-1/2) h s, j_p = that - h s, v + (2ga-1)/24 h^3 s
//   degree 5  s - (ze-1/2) h x5, s_p = that - h x5, j - ((ga-ze)/2 + 1/12) h^2 x5,
//             v + ((ga-ze)/24 + 1/180) h^4 x5
#include "solve/constraint/project.h"
#include "solve/method/explicit/explicit.h"

#include <math.h>
#include <string.h>

static void explicit_start_copy(double *to, const double *from, int n) {
    if (n > 0)
        memcpy(to, from, (size_t)n * sizeof *to);
}

// how many derivatives of the acceleration the start needs
static int derivatives_needed(const HolExplicit *m) {
    if (m->start == HOL_START_ZERO || (m->start == HOL_START_TRUE && m->set.degree == 3))
        return 0;
    if (m->start == HOL_START_TRUE)
        return m->set.degree - 3;
    return m->set.degree == 5 ? 3 : 2;
}

// ---- derivatives ----

// s->mass is factored at m->base, whose a, lambda, w solve the acceleration equations
static HolStatus by_jets(HolSim *s, int count, HolError *err) {
    HolExplicit *m = s->method;
    const HolProblem *p = s->p;
    const HolState *x = &m->base;
    double *r = s->rhs, factorial = 1;
    p->extras->series_start(p, s->work, x->t, x->q, x->v);
    p->extras->series_rhs(p, s->work, 0, r);
    p->extras->series_set(p, s->work, 0, x->a, x->lambda, x->w);
    for (int k = 1; k <= count; k++) {
        p->extras->series_rhs(p, s->work, k, r);
        hol_kkt_solve(s->mass, r);
        p->extras->series_set(p, s->work, k, r, r + s->nv, r + s->nv + s->m);
        factorial *= k;
        for (int i = 0; i < s->nv; i++)
            m->derivative[k - 1][i] = factorial * r[i];
        if (!isfinite(hol_max_abs(r, s->nv)))
            return hol_error_set(err, HOL_ERR_SINGULAR,
                                 "at time %.10g the derivatives of the accelerations are not "
                                 "finite numbers",
                                 x->t);
    }
    return HOL_OK;
}

static HolStatus by_differences(HolSim *s, double h, HolError *err) {
    HolExplicit *m = s->method;
    HolState *x = &m->probe;
    for (int side = -1; side <= 1; side += 2) {
        hol_state_copy(s, x, &m->base);
        for (int n = 1; n <= 4; n++) {
            HolStatus status = hol_rk4_step(s, &m->rk, x, side * h / 2, err);
            if (status != HOL_OK)
                return status;
            if (n % 2 == 0)
                explicit_start_copy(m->a_near[side < 0 ? n / 2 - 1 : n / 2 + 1], x->a, s->nv);
        }
    }
    const double *m1 = m->a_near[0], *m2 = m->a_near[1], *p1 = m->a_near[2], *p2 = m->a_near[3];
    for (int i = 0; i < s->nv; i++) {
        double odd1 = p1[i] - m1[i], odd2 = p2[i] - m2[i], even1 = p1[i] + m1[i],
               even2 = p2[i] + m2[i];
        m->derivative[0][i] = (8 * odd1 - odd2) / (12 * h);
        m->derivative[1][i] = (16 * even1 - even2 - 30 * m->base.a[i]) / (12 * h * h);
        m->derivative[2][i] = (odd2 - 2 * odd1) / (2 * h * h * h);
    }
    return HOL_OK;
}

static HolStatus find_derivatives(HolSim *s, double h, HolError *err) {
    HolExplicit *m = s->method;
    const int count = derivatives_needed(m);
    for (int k = 0; k < 3; k++)
        memset(m->derivative[k], 0, (size_t)s->nv * sizeof(double));
    if (count == 0)
        return HOL_OK;
    return m->differences ? by_differences(s, h, err) : by_jets(s, count, err);
}

// a consistent copy of s->x; s->mass is factored there
static HolStatus explicit_start_settle(HolSim *s, HolError *err) {
    HolExplicit *m = s->method;
    HolState *x = &m->base;
    hol_state_copy(s, x, &s->x);
    HolStatus status = hol_mass_factor(s, x->t, x->q, err);
    if (status == HOL_OK && s->stats.steps > 0 && m->projection != HOL_EXPLICIT_RAW)
        status = hol_project_velocity(s, x->t, x->q, x->v, err);
    return status == HOL_OK ? hol_accelerate(s, x, 1, err) : status;
}

// ---- the values carried, and the rates of the first position ----

static void set_plain(HolSim *s) {
    HolExplicit *m = s->method;
    explicit_start_copy(m->now.j, m->derivative[0], s->nv);
    explicit_start_copy(m->now.s, m->derivative[1], s->nv);
    explicit_start_copy(m->rate[0], m->now.v, s->nv);
    explicit_start_copy(m->rate[1], m->now.a, s->nv);
    explicit_start_copy(m->rate[2], m->now.j, s->nv);
    explicit_start_copy(m->rate[3], m->now.s, s->nv);
}

static void set_steady(HolSim *s, double h) {
    HolExplicit *m = s->method;
    const HolExplicitSet *c = &m->set;
    const double *j = m->derivative[0], *d4 = m->derivative[1], *d5 = m->derivative[2];
    const double rest = 1 - c->alpha;
    set_plain(s);
    for (int i = 0; i < s->nv; i++) {
        if (c->degree == 3) {
            double before = m->now.a[i] - h * j[i] + h * h / 2 * d4[i];
            m->now.v[i] += h * h / 12 * j[i];
            m->rate[1][i] = c->alpha * m->now.a[i] + rest * before;
            m->rate[2][i] = m->rate[3][i] = 0;
        } else if (c->degree == 4) {
            m->now.j[i] = j[i] - (c->gamma - 0.5) * h * d4[i];
            m->now.v[i] += (2 * c->gamma - 1) / 24 * h * h * h * d4[i];
            m->rate[2][i] = m->now.j[i] - rest * h * d4[i];
            m->rate[3][i] = 0;
        } else {
            m->now.s[i] = d4[i] - (c->zeta - 0.5) * h * d5[i];
            m->now.j[i] = j[i] - ((c->gamma - c->zeta) / 2 + 1. / 12) * h * h * d5[i];
            m->now.v[i] += ((c->gamma - c->zeta) / 24 + 1. / 180) * h * h * h * h * d5[i];
            m->rate[2][i] = m->now.j[i];
            m->rate[3][i] = m->now.s[i] - rest * h * d5[i];
        }
        m->rate[0][i] = m->now.v[i];
    }
}

HolStatus hol_explicit_begin(HolSim *s, double h, HolError *err) {
    HolExplicit *m = s->method;
    HolStatus status = explicit_start_settle(s, err);
    if (status == HOL_OK)
        status = find_derivatives(s, h, err);
    if (status != HOL_OK)
        return status;
    explicit_start_copy(m->now.v, m->base.v, s->nv);
    explicit_start_copy(m->now.a, m->base.a, s->nv);
    if (m->start == HOL_START_STEADY)
        set_steady(s, h);
    else
        set_plain(s);
    hol_explicit_move(s, s->x.q, h, m->rate, m->now.ahead);
    for (int i = 0; i < s->nv; i++)
        m->now.increment[i] = h * (m->rate[0][i] + h / 2 * m->rate[1][i]);
    if (s->nh && m->projection != HOL_EXPLICIT_RAW) {
        explicit_start_copy(m->near[0], m->now.ahead, s->nq);
        status = hol_project_position(s, s->x.t + h, m->now.ahead, 0, err);
        s->p->minus(s->p, s->work, m->now.ahead, m->near[0], m->scratch);
        for (int i = 0; i < s->nv; i++)
            m->now.increment[i] += m->scratch[i];
    }
    m->h = h;
    m->fresh = 0;
    return status;
}
