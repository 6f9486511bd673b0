// SPDX-License-Identifier: Apache-2.0
// The nonlinear system of one dae-alpha step: equations, Newton matrix, corrector.
//
// Unknowns theta, y = h v, nu, h mu, w; b = bh h^2, c = gh h, d = gh h^2. The matrix is one saddle
// point of twice the size, rows r1, h r2, g, h (G v + gt), w - W:
//   [ M + b K1       (b/h) C     G^T   [0 N^T]       -b f_w ]    K1 = (M a1)_q + H(nu/b) - f_q
//   [ d K2           M + c C     0     G^T           -d f_w ]    K2 = (M a2)_q + H(mu/c) - f_q
//   [ G D            0           0     0              0     ]    C = -f_v,  B = (G v + gt)_q
//   [ h B D          G           0     0              0     ]    N = (bh/gh) G, non-holonomic rows
// a1 = (theta - theta^)/b, a2 = (v - v^)/c. D is the derivative of the retraction (chart.h).
// Coordinate split: premultiplied by P (P G^T = 0) these equations are
//   P (M + b K1) dtheta + ... = -P r1,
// the system of the split form when H(nu) is replaced by H(s(r1)); nu itself drops out. So cs is
// this iteration with H(s), cm without H, and cmp with G^T of the predicted point above.
#include "solve/dae_alpha.h"
#include "solve/project.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct Corrector {
    double h, b, c, d;       // step, bh h^2, gh h, gh h^2
    double bound_q, bound_v; // correction of q and of h v that is small enough
    int most;                // iterations
    int full;                // a new matrix every iteration
} Corrector;

// ---- memory ----

// columns theta_j: rows r1, h r2 in pattern S each; columns h v_j the same
static int double_S(HolArena *a, const HolPattern *S, HolPattern *out) {
    const int n = S->cols;
    int *ptr = HOL_NEW(a, int, 2 * n + 1), *idx = HOL_NEW(a, int, 4 * S->nnz + 1);
    if (a->failed)
        return 0;
    int at = 0;
    for (int j = 0; j < 2 * n; j++) {
        const int column = j % n;
        ptr[j] = at;
        for (int half = 0; half < 2; half++)
            for (int k = S->ptr[column]; k < S->ptr[column + 1]; k++)
                idx[at++] = S->idx[k] + half * n;
    }
    ptr[2 * n] = at;
    *out = (HolPattern){2 * n, 2 * n, at, ptr, idx};
    return 1;
}

// rows g in pattern G; rows h (G v + gt) in pattern G twice
static int double_G(HolArena *a, const HolPattern *G, int n, int nh, int m, HolPattern *out) {
    int *ptr = HOL_NEW(a, int, nh + m + 1), *idx = HOL_NEW(a, int, 3 * G->nnz + 1);
    if (a->failed)
        return 0;
    int at = 0;
    for (int i = 0; i < nh + m; i++) {
        const int row = i < nh ? i : i - nh, copies = i < nh ? 1 : 2;
        ptr[i] = at;
        for (int half = 0; half < copies; half++)
            for (int k = G->ptr[row]; k < G->ptr[row + 1]; k++)
                idx[at++] = G->idx[k] + half * n;
    }
    ptr[nh + m] = at;
    *out = (HolPattern){nh + m, 2 * n, at, ptr, idx};
    return 1;
}

static void alloc_vectors(HolSim *s, HolDaeAlpha *m) {
    HolArena *a = &s->arena;
    const int nv = s->nv, nw = s->nw;
    double **vectors[] = {&m->a,    &m->a_new,     &m->a_start, &m->change,
                          &m->jerk, &m->theta,     &m->v_hat,   &m->theta_predicted,
                          &m->f,    &m->theta_hat, &m->a1,      &m->a2,
                          &m->size};
    double **multipliers[] = {&m->nu, &m->mu_h, &m->lambda1, &m->lambda2};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = HOL_NEW(a, double, nv + 1);
    for (size_t i = 0; i < sizeof multipliers / sizeof *multipliers; i++)
        *multipliers[i] = HOL_NEW(a, double, s->m + 1);
    m->residual = HOL_NEW(a, double, 2 * nv + s->nh + s->m + nw + 1);
    m->d = HOL_NEW(a, double, 2 * nv + s->nh + s->m + nw + 1);
    m->M = HOL_NEW(a, double, s->p->M.nnz + 1);
    m->K = HOL_NEW(a, double, s->p->S.nnz + 1);
    m->C = HOL_NEW(a, double, s->p->S.nnz + 1);
    m->G = HOL_NEW(a, double, s->p->G.nnz + 1);
    m->B = HOL_NEW(a, double, s->p->G.nnz + 1);
    m->G_up = m->iteration == HOL_ALPHA_CMP ? HOL_NEW(a, double, s->p->G.nnz + 1) : m->G;
    m->J = HOL_NEW(a, double, nw *(4 * nv + s->m) + 1);
}

HolStatus hol_dae_alpha_alloc(HolSim *s, HolError *err) {
    HolDaeAlpha *m = s->method;
    HolPattern S2, G2;
    alloc_vectors(s, m);
    int ok = !s->arena.failed && double_S(&s->arena, &s->p->S, &S2) &&
             double_G(&s->arena, &s->p->G, s->nv, s->nh, s->m, &G2) &&
             hol_chart_create(s, &m->chart);
    if (ok && m->iteration == HOL_ALPHA_CS)
        ok = hol_split_create(&s->arena, s->nv, s->m, &m->split);
    if (ok)
        m->kkt = hol_kkt_create(&s->arena, &S2, &G2, s->nw, 0, s->o.linear_solver);
    if (!ok || !m->kkt || !hol_kkt_Gt(m->kkt) || s->arena.failed)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    return HOL_OK;
}

// ---- equations ----

// the position multiplier of a non-holonomic row follows its velocity multiplier
static void link_multipliers(HolSim *s) {
    HolDaeAlpha *m = s->method;
    for (int i = s->nh; i < s->m; i++)
        m->nu[i] = m->bh / m->gh * m->mu_h[i];
}

// first iterate of the given degree
static void begin(HolSim *s, const Corrector *k, int degree) {
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
static void dynamics(HolSim *s, const Corrector *k, double *r1, double *r2) {
    HolDaeAlpha *m = s->method;
    const HolProblem *p = s->p;
    const HolState *x = &s->next;
    p->force(p, s->work, x->t, x->q, x->v, x->w, m->f);
    s->stats.force_evaluations++;
    memset(m->M, 0, (size_t)p->M.nnz * sizeof(double));
    p->mass(p, s->work, x->t, x->q, 1, 0, m->M);
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

static int evaluate(HolSim *s, const Corrector *k) {
    HolDaeAlpha *m = s->method;
    const HolProblem *p = s->p;
    const HolState *x = &s->next;
    const int nv = s->nv, nh = s->nh;
    double *r1 = m->residual, *r2 = r1 + nv, *position = r2 + nv, *velocity = position + nh,
           *border = velocity + s->m;
    move(s, m->theta);
    dynamics(s, k, r1, r2);
    if (s->m) {
        p->jacobian(p, s->work, x->t, x->q, m->G);
        hol_mul_rows_transposed(&p->G, m->G_up, m->nu, -1, r1);
        hol_mul_rows_transposed(&p->G, m->G_up, m->mu_h, -1, r2);
        p->velocity_rhs(p, s->work, x->t, x->q, velocity);
        hol_mul_rows(&p->G, m->G, x->v, 1, velocity);
    }
    if (nh)
        p->constraint(p, s->work, x->t, x->q, position);
    for (int i = 0; i < nh; i++)
        position[i] = -position[i];
    for (int i = 0; i < s->m; i++)
        velocity[i] *= -k->h;
    if (s->nw) {
        for (int i = 0; i < s->m; i++)
            m->lambda2[i] = m->mu_h[i] / k->d;
        p->variables(p, s->work, x->t, x->q, x->v, m->a2, m->lambda2, x->w, border, NULL, NULL,
                     NULL, NULL, NULL, NULL);
        for (int i = 0; i < s->nw; i++)
            border[i] = -border[i];
    }
    return isfinite(hol_max_abs(r1, 2 * nv + nh + s->m + s->nw));
}

// ---- matrix ----

// the split for G at the present iterate; chosen anew when it has become bad
static int renew_split(HolSim *s, const Corrector *k) {
    HolDaeAlpha *m = s->method;
    const HolPattern *G = &s->p->G, *S = &s->p->S;
    if (m->has_split && !hol_split_factor(&m->split, G, m->G) &&
        hol_split_growth(&m->split, G, m->G) <= 10)
        return 1;
    // size of a coordinate: inertia and stiffness felt in this step, without the multipliers
    memset(m->K, 0, (size_t)S->nnz * sizeof(double));
    memset(m->lambda1, 0, (size_t)s->m * sizeof(double));
    s->p->mass(s->p, s->work, s->next.t, s->next.q, 1, 1, m->K);
    s->p->tangent(s->p, s->work, s->next.t, s->next.q, s->next.v, m->a1, m->lambda1, s->next.w,
                  k->c, k->b, m->K);
    for (int j = 0; j < s->nv; j++) {
        m->size[j] = 0;
        for (int e = S->ptr[j]; e < S->ptr[j + 1]; e++)
            if (S->idx[e] == j)
                m->size[j] = sqrt(fabs(m->K[e]));
    }
    hol_split_choose(&m->split, G, m->G, m->size);
    m->has_split = 1;
    return !hol_split_factor(&m->split, G, m->G);
}

// multipliers of the curvature terms H, divided by b and c
static int curvature(HolSim *s, const Corrector *k) {
    HolDaeAlpha *m = s->method;
    memset(m->lambda1, 0, (size_t)s->m * sizeof(double));
    memset(m->lambda2, 0, (size_t)s->m * sizeof(double));
    if (!s->m || m->iteration == HOL_ALPHA_CM || m->iteration == HOL_ALPHA_CMP)
        return 1;
    if (m->iteration == HOL_ALPHA_CS) {
        if (!renew_split(s, k))
            return 0;
        // -r1 and -h r2 from the residuals
        memcpy(s->r1, m->residual, (size_t)s->nv * sizeof(double));
        memcpy(s->r2, m->residual + s->nv, (size_t)s->nv * sizeof(double));
        hol_mul_rows_transposed(&s->p->G, m->G_up, m->nu, 1, s->r1);
        hol_mul_rows_transposed(&s->p->G, m->G_up, m->mu_h, 1, s->r2);
        hol_split_multipliers(&m->split, s->r1, m->lambda1);
        hol_split_multipliers(&m->split, s->r2, m->lambda2);
        for (int i = 0; i < s->m; i++) {
            m->lambda1[i] /= -k->b;
            m->lambda2[i] /= -k->d;
        }
        return 1;
    }
    for (int i = 0; i < s->m; i++) {
        m->lambda1[i] = m->nu[i] / k->b;
        m->lambda2[i] = m->mu_h[i] / k->d;
    }
    return 1;
}

static void tangent(HolSim *s, const double *a, const double *lambda, double cC, double cK,
                    double *S) {
    const HolState *x = &s->next;
    memset(S, 0, (size_t)s->p->S.nnz * sizeof(double));
    s->p->tangent(s->p, s->work, x->t, x->q, x->v, a, lambda, x->w, cC, cK, S);
}

// value += c * block (row half, column half) of the doubled S
static void add_block(HolSim *s, int row, int column, double c, const double *values) {
    HolDaeAlpha *m = s->method;
    const HolPattern *P = &s->p->S;
    double *S = hol_kkt_S(m->kkt) + 2 * P->nnz * column;
    for (int j = 0; j < s->nv; j++) {
        const int first = P->ptr[j], count = P->ptr[j + 1] - first;
        double *to = S + 2 * first + row * count;
        for (int e = 0; e < count; e++)
            to[e] += c * values[first + e];
    }
}

static void fill_S(HolSim *s, const Corrector *k) {
    HolDaeAlpha *m = s->method;
    const HolProblem *p = s->p;
    memset(hol_kkt_S(m->kkt), 0, 4 * (size_t)p->S.nnz * sizeof(double));
    memset(m->K, 0, (size_t)p->S.nnz * sizeof(double));
    p->mass(p, s->work, s->next.t, s->next.q, 1, 1, m->K);
    add_block(s, 0, 0, 1, m->K);
    add_block(s, 1, 1, 1, m->K);
    tangent(s, m->a1, m->lambda1, 0, 1, m->K);
    add_block(s, 0, 0, k->b, m->K);
    tangent(s, m->a2, m->lambda2, 0, 1, m->K);
    add_block(s, 1, 0, k->d, m->K);
    tangent(s, m->a2, m->lambda2, 1, 0, m->C);
    add_block(s, 0, 1, k->b / k->h, m->C);
    add_block(s, 1, 1, k->c, m->C);
}

static void fill_G(HolSim *s, const Corrector *k) {
    HolDaeAlpha *m = s->method;
    const HolPattern *P = &s->p->G;
    const int holonomic = P->ptr[s->nh];
    double *low = hol_kkt_G(m->kkt), *up = hol_kkt_Gt(m->kkt);
    memset(m->B, 0, (size_t)P->nnz * sizeof(double));
    s->p->velocity_jacobian(s->p, s->work, s->next.t, s->next.q, s->next.v, m->B);
    if (m->chart.width)
        hol_chart_update(s, &m->chart, s->x.q, m->theta);
    hol_chart_columns(&m->chart, P, 0, s->m, m->B);
    // position rows
    memcpy(low, m->G, (size_t)holonomic * sizeof(double));
    hol_chart_columns(&m->chart, P, 0, s->nh, low);
    memcpy(up, m->G_up, (size_t)holonomic * sizeof(double));
    low += holonomic;
    up += holonomic;
    for (int i = 0; i < s->m; i++) {
        const int first = P->ptr[i], count = P->ptr[i + 1] - first;
        const double link = i < s->nh ? 0 : m->bh / m->gh;
        for (int e = 0; e < count; e++) {
            low[2 * first + e] = k->h * m->B[first + e];
            up[2 * first + e] = link * m->G_up[first + e];
            low[2 * first + count + e] = m->G[first + e];
            up[2 * first + count + e] = m->G_up[first + e];
        }
    }
}

// algebraic variables: a = (v - v^)/c and lambda = mu/c move with y = h v and h mu
static void fill_border(HolSim *s, const Corrector *k) {
    HolDaeAlpha *m = s->method;
    const HolState *x = &s->next;
    const int nv = s->nv, nw = s->nw, n = nw * nv, rows = s->nh + s->m;
    double *A, *L, *W, *F;
    double *Jq = m->J, *Jv = Jq + n, *Ja = Jv + n, *fw = Ja + n, *Jl = fw + n;
    double *border = m->residual + 2 * nv + rows;
    hol_kkt_border(m->kkt, &A, &L, &W, &F);
    for (int i = 0; i < s->m; i++)
        m->lambda2[i] = m->mu_h[i] / k->d;
    s->p->variables(s->p, s->work, x->t, x->q, x->v, m->a2, m->lambda2, x->w, border, Jq, Jv, Ja,
                    Jl, W, fw);
    for (int i = 0; i < nw; i++) {
        border[i] = -border[i];
        for (int j = 0; j < nv; j++) {
            A[2 * nv * i + j] = Jq[nv * i + j];
            A[2 * nv * i + nv + j] = Jv[nv * i + j] / k->h + Ja[nv * i + j] / k->d;
        }
        for (int j = 0; j < rows; j++)
            L[rows * i + j] = j < s->nh ? 0 : Jl[s->m * i + j - s->nh] / k->d;
    }
    for (int j = 0; j < nv; j++)
        for (int i = 0; i < nw; i++) {
            F[nw * j + i] = k->b * fw[nw * j + i];
            F[nw * (nv + j) + i] = k->d * fw[nw * j + i];
        }
}

static HolStatus singular(const HolSim *s, int bad, HolError *err) {
    const int nv = s->nv, pivot = bad - 1;
    int shown = pivot;
    if (pivot >= nv && pivot < 2 * nv)
        shown = pivot - nv;
    else if (pivot >= 2 * nv + s->nh)
        shown = pivot - nv - s->nh;
    else if (pivot >= 2 * nv)
        shown = pivot - nv;
    return hol_singular_error(s, s->next.t, shown + 1, err);
}

// the matrix at the present iterate (evaluate() was called for it)
static HolStatus renew(HolSim *s, const Corrector *k, HolError *err) {
    HolDaeAlpha *m = s->method;
    m->has_jacobian = 0;
    if (!curvature(s, k))
        return hol_error_set(err, HOL_ERR_SINGULAR,
                             "at time %.10g no split of the coordinates was found", s->next.t);
    fill_S(s, k);
    if (s->m)
        fill_G(s, k);
    if (s->nw)
        fill_border(s, k);
    s->stats.jacobians++;
    s->stats.factorizations++;
    const int bad = hol_kkt_factor(m->kkt);
    m->has_jacobian = bad == 0;
    m->h_jacobian = k->h;
    m->rate = -1;
    return bad ? singular(s, bad, err) : HOL_OK;
}

// ---- corrector ----

// solve and update; returns the correction over its bounds, NaN when something is not finite
static double iterate(HolSim *s, const Corrector *k) {
    HolDaeAlpha *m = s->method;
    const int nv = s->nv, nh = s->nh, n = 2 * nv + nh + s->m + s->nw;
    double *d = m->d, size = 0;
    memcpy(d, m->residual, (size_t)n * sizeof(double));
    hol_kkt_solve(m->kkt, d);
    s->stats.newton_iterations++;
    if (!isfinite(hol_max_abs(d, n)))
        return NAN;
    for (int i = 0; i < nv; i++) {
        m->theta[i] += d[i];
        s->next.v[i] += d[nv + i] / k->h;
        size = fmax(size, fabs(d[i]) / (s->q_scale[i] * k->bound_q));
        size = fmax(size, fabs(d[nv + i]) / (s->q_scale[i] * k->bound_v));
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

static HolStatus not_finite(HolError *err) {
    return hol_error_set(err, HOL_ERR_CONVERGE, "a force or constraint is not a finite number");
}

// A new matrix costs about three iterations; it should then gain two digits each.
static int is_worth_renewing(double rate, double size) {
    const double left = fmax(size, 1);
    const double present = log(left * rate / fmax(1 - rate, 0.01)) / -log(fmin(rate, 0.99));
    return present > 3 + log(left) / log(100);
}

static HolStatus correct(HolSim *s, const Corrector *k, HolError *err) {
    HolDaeAlpha *m = s->method;
    const int fixed = m->tolerance <= 0;
    double before = 0, rate = -1, size = INFINITY;
    int done = 0;
    for (int n = 1; n <= k->most && !done; n++) {
        if (!evaluate(s, k))
            return not_finite(err);
        if (!m->has_jacobian || k->full) {
            HolStatus status = renew(s, k, err);
            if (status != HOL_OK)
                return status;
        }
        size = iterate(s, k);
        if (isnan(size))
            return not_finite(err);
        if (n == 1 && m->rate >= 0) {
            // the matrix has shown its contraction before
            const double expected = fmin(pow(fmax(m->rate, 1e-3), 0.8), 0.9);
            done = expected / (1 - expected) * size <= 1;
        } else if (n > 1 && before > 0) {
            rate = size / before;
            done = (rate < 0.999 && rate / (1 - rate) * size <= 1) ||
                   (rate >= 0.5 && size <= (fixed ? 5 : 1)) ||
                   (rate >= 0.9 && size <= 300 && fixed);
            if (!done && rate >= 0.9 && !k->full)
                break;
            if (!done && rate >= 2 && k->full && n > 8)
                break;
            if (!done && is_worth_renewing(rate, size))
                m->has_jacobian = 0;
        }
        done = done || size <= (fixed ? 0.1 : 1e-3);
        before = size;
    }
    if (!done && !(fixed && size <= 1e4))
        return hol_error_set(err, HOL_ERR_CONVERGE, "Newton's iteration did not converge");
    // a ratio of two corrections at round-off says nothing about the matrix
    if (rate >= 0 && (!fixed || before > 300))
        m->rate = fmax(rate, 0.5 * m->rate);
    move(s, m->theta);
    return HOL_OK;
}

static HolStatus correct_exactly(HolSim *s, const Corrector *k, int count, HolError *err) {
    for (int n = 0; n < count; n++) {
        if (!evaluate(s, k))
            return not_finite(err);
        HolStatus status = renew(s, k, err);
        if (status != HOL_OK)
            return status;
        if (isnan(iterate(s, k)))
            return not_finite(err);
    }
    move(s, ((HolDaeAlpha *)s->method)->theta);
    return HOL_OK;
}

// G of the predicted point, for the forces of the whole step
static void freeze_split(HolSim *s) {
    HolDaeAlpha *m = s->method;
    move(s, m->theta_predicted);
    s->p->jacobian(s->p, s->work, s->next.t, s->next.q, m->G_up);
}

HolStatus hol_dae_alpha_solve(HolSim *s, double h, HolError *err) {
    HolDaeAlpha *m = s->method;
    Corrector k = {.h = h, .b = m->bh * h * h, .c = m->gh * h, .d = m->gh * h * h, .most = 10};
    const double way = h * hol_max_abs(s->x.v, s->nv);
    if (m->tolerance > 0) {
        k.bound_q = fmax(1e-3 * m->tolerance, 20 * DBL_EPSILON * fmax(1, way));
        k.bound_v = fmax(1e-4 * m->tolerance, 20 * DBL_EPSILON * fmax(1, way));
    } else {
        k.bound_q = 4 * DBL_EPSILON * fmax(1, way);
        k.bound_v = 4 * DBL_EPSILON * fmax(0.01, way);
    }
    for (int i = 0; i < s->nv; i++)
        m->theta_predicted[i] = h * s->x.v[i] + 0.5 * h * h * m->a_start[i];
    if (s->m && m->iteration == HOL_ALPHA_CMP)
        freeze_split(s);
    begin(s, &k, m->predictor >= 0 ? m->predictor : m->degree);
    if (m->iterations > 0)
        return correct_exactly(s, &k, m->iterations, err);
    if (fabs(h / m->h_jacobian - 1) > 0.25)
        m->has_jacobian = 0;
    // where the last matrices did not serve the next step, none is kept for a while
    if (m->wait > 0) {
        m->wait--;
        m->has_jacobian = 0;
    }
    const int fresh = !m->has_jacobian;
    const long jacobians = s->stats.jacobians;
    HolStatus status = correct(s, &k, err);
    if (!fresh && s->stats.jacobians > jacobians)
        m->wait = 5;
    if (status == HOL_ERR_CONVERGE && !fresh) {
        m->has_jacobian = 0;
        begin(s, &k, m->predictor >= 0 ? m->predictor : m->degree);
        status = correct(s, &k, err);
    }
    // a new matrix every iteration, first from there, then from the old positions
    k.full = 1;
    k.most = m->iteration == HOL_ALPHA_CM ? 100 : 25;
    for (int degree = 1; status == HOL_ERR_CONVERGE && degree >= 0; degree--) {
        if (degree == 1 && m->tolerance > 0 && m->iteration != HOL_ALPHA_CM)
            continue;
        begin(s, &k, degree);
        status = correct(s, &k, err);
        m->has_jacobian = 0;
    }
    if (status != HOL_OK || m->rate > 0.1)
        m->has_jacobian = 0;
    return status;
}
