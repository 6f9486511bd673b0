// SPDX-License-Identifier: Apache-2.0
// The Newton matrix of one dae-alpha step, and the memory of the method.
//
// Unknowns theta, y = h v, nu, h mu, w; b = bh h^2, c = gh h, d = gh h^2. One saddle point of twice
// the size, rows r1, h r2, g, h (G v + gt), w - W:
//   [ M + b K1       (b/h) C     G^T   [0 N^T]       -b f_w ]    K1 = (M a1)_q + H(nu/b) - f_q
//   [ d K2           M + c C     0     G^T           -d f_w ]    K2 = (M a2)_q + H(mu/c) - f_q
//   [ G D            0           0     0              0     ]    C = -f_v,  B = (G v + gt)_q
//   [ h B D          G           0     0              0     ]    N = (bh/gh) G, non-holonomic rows
// a1 = (theta - theta^)/b, a2 = (v - v^)/c. D is the derivative of the retraction (retraction.h).
// Coordinate split: premultiplied by P (P G^T = 0) these equations are
//   P (M + b K1) dtheta + ... = -P r1,
// the system of the split form when H(nu) is replaced by H(s(r1)); nu itself drops out. So cs is
// this iteration with H(s), cm without H, and cmp with G^T of the predicted point above.
#include "solve/constraint/project.h"
#include "solve/method/dae_alpha/dae_alpha.h"

#include <math.h>
#include <string.h>

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

static void dae_alpha_matrix_alloc_vectors(HolSim *s, HolDaeAlpha *m) {
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
    m->G_up = m->iteration >= HOL_ALPHA_CMP ? HOL_NEW(a, double, s->p->G.nnz + 1) : m->G;
    m->J = HOL_NEW(a, double, nw *(4 * nv + s->m) + 1);
    m->inactive = HOL_NEW(a, unsigned char, s->nh + s->m + 1);
}

static int is_split(const HolDaeAlpha *m) {
    return m->iteration == HOL_ALPHA_CS || m->iteration == HOL_ALPHA_CS_QR;
}

HolStatus hol_dae_alpha_alloc(HolSim *s, HolError *err) {
    HolDaeAlpha *m = s->method;
    HolPattern S2, G2;
    dae_alpha_matrix_alloc_vectors(s, m);
    int ok = !s->arena.failed && double_S(&s->arena, &s->p->S, &S2) &&
             double_G(&s->arena, &s->p->G, s->nv, s->nh, s->m, &G2) &&
             hol_retraction_create(s, &m->chart);
    if (ok && is_split(m))
        ok = hol_split_create(&s->arena, s->nv, s->m, &m->split);
    if (ok && m->iteration == HOL_ALPHA_CS_QR)
        ok = hol_split_orthogonal_create(&s->arena, &m->split);
    if (ok)
        m->kkt = hol_sim_kkt(s, &S2, &G2, s->nw, 0, s->o.linear_solver);
    if (!ok || !m->kkt || !hol_kkt_Gt(m->kkt) || !hol_second_order_create(s, &m->error))
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    return HOL_OK;
}

void hol_dae_alpha_leave_out(HolSim *s) {
    HolDaeAlpha *m = s->method;
    const unsigned char *rows = m->left_out.rows;
    for (int i = 0; m->left_out.count && i < s->m; i++) {
        m->inactive[s->nh + i] = rows[i];
        if (i < s->nh)
            m->inactive[i] = rows[i];
    }
    hol_kkt_inactive(m->kkt, m->left_out.count ? m->inactive : NULL);
    m->has_jacobian = 0;
}

// ---- matrix ----

// G of the present iterate; 0: the rows or coordinates chosen do not serve there
static int factor_split(HolSim *s) {
    HolDaeAlpha *m = s->method;
    const HolPattern *G = &s->p->G;
    if (m->iteration == HOL_ALPHA_CS_QR)
        return !hol_split_orthogonal_factor(&m->split, G, m->G);
    return !hol_split_factor(&m->split, G, m->G);
}

// the split for G at the present iterate; chosen anew when it has become bad
static int renew_split(HolSim *s, const HolAlphaCorrector *k) {
    HolDaeAlpha *m = s->method;
    const HolPattern *G = &s->p->G, *S = &s->p->S;
    if (m->has_split && factor_split(s) &&
        (m->iteration == HOL_ALPHA_CS_QR || hol_split_growth(&m->split, G, m->G) <= 10))
        return 1;
    // size of a coordinate: inertia and stiffness felt in this step, without the multipliers
    memset(m->K, 0, (size_t)S->nnz * sizeof(double));
    memset(m->lambda1, 0, (size_t)s->m * sizeof(double));
    s->p->mass(s->p, s->work, HOL_AT(&s->next), 1, 1, m->K);
    s->p->tangent(s->p, s->work,
                  &(HolPoint){.t = s->next.t,
                              .q = s->next.q,
                              .v = s->next.v,
                              .a = m->a1,
                              .lambda = m->lambda1,
                              .w = s->next.w},
                  k->c, k->b, m->K);
    for (int j = 0; j < s->nv; j++) {
        m->size[j] = 0;
        for (int e = S->ptr[j]; e < S->ptr[j + 1]; e++)
            if (S->idx[e] == j)
                m->size[j] = sqrt(fabs(m->K[e]));
    }
    hol_split_choose(&m->split, G, m->G, m->size);
    m->has_split = 1;
    return factor_split(s);
}

static void split_multipliers(HolSim *s, const double *r, double *out) {
    HolDaeAlpha *m = s->method;
    if (m->iteration == HOL_ALPHA_CS_QR)
        hol_split_orthogonal_multipliers(&m->split, &s->p->G, m->G, r, out);
    else
        hol_split_multipliers(&m->split, r, out);
}

// multipliers of the curvature terms H, divided by b and c
static int dae_alpha_matrix_curvature(HolSim *s, const HolAlphaCorrector *k) {
    HolDaeAlpha *m = s->method;
    memset(m->lambda1, 0, (size_t)s->m * sizeof(double));
    memset(m->lambda2, 0, (size_t)s->m * sizeof(double));
    if (!s->m || m->iteration >= HOL_ALPHA_CM)
        return 1;
    if (is_split(m)) {
        if (!renew_split(s, k))
            return 0;
        // -r1 and -h r2 from the residuals
        memcpy(s->r1, m->residual, (size_t)s->nv * sizeof(double));
        memcpy(s->r2, m->residual + s->nv, (size_t)s->nv * sizeof(double));
        hol_mul_rows_transposed(&s->p->G, m->G_up, m->nu, 1, s->r1);
        hol_mul_rows_transposed(&s->p->G, m->G_up, m->mu_h, 1, s->r2);
        split_multipliers(s, s->r1, m->lambda1);
        split_multipliers(s, s->r2, m->lambda2);
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

static void dae_alpha_matrix_tangent(HolSim *s, const double *a, const double *lambda, double cC,
                                     double cK, double *S) {
    const HolState *x = &s->next;
    memset(S, 0, (size_t)s->p->S.nnz * sizeof(double));
    s->p->tangent(s->p, s->work,
                  &(HolPoint){.t = x->t, .q = x->q, .v = x->v, .a = a, .lambda = lambda, .w = x->w},
                  cC, cK, S);
}

// value += c * block (row half, column half) of the doubled S
static void dae_alpha_add_block(HolSim *s, int row, int column, double c, const double *values) {
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

static void fill_S(HolSim *s, const HolAlphaCorrector *k) {
    HolDaeAlpha *m = s->method;
    const HolProblem *p = s->p;
    memset(hol_kkt_S(m->kkt), 0, 4 * (size_t)p->S.nnz * sizeof(double));
    memset(m->K, 0, (size_t)p->S.nnz * sizeof(double));
    p->mass(p, s->work, HOL_AT(&s->next), 1, 1, m->K);
    dae_alpha_add_block(s, 0, 0, 1, m->K);
    dae_alpha_add_block(s, 1, 1, 1, m->K);
    dae_alpha_matrix_tangent(s, m->a1, m->lambda1, 0, 1, m->K);
    dae_alpha_add_block(s, 0, 0, k->b, m->K);
    dae_alpha_matrix_tangent(s, m->a2, m->lambda2, 0, 1, m->K);
    dae_alpha_add_block(s, 1, 0, k->d, m->K);
    dae_alpha_matrix_tangent(s, m->a2, m->lambda2, 1, 0, m->C);
    dae_alpha_add_block(s, 0, 1, k->b / k->h, m->C);
    dae_alpha_add_block(s, 1, 1, k->c, m->C);
}

static void fill_G(HolSim *s, const HolAlphaCorrector *k) {
    HolDaeAlpha *m = s->method;
    const HolPattern *P = &s->p->G;
    const int holonomic = P->ptr[s->nh];
    double *low = hol_kkt_G(m->kkt), *up = hol_kkt_Gt(m->kkt);
    memset(m->B, 0, (size_t)P->nnz * sizeof(double));
    s->p->velocity_jacobian(s->p, s->work, HOL_AT(&s->next), m->B);
    if (m->chart.width)
        hol_retraction_update(s, &m->chart, s->x.q, m->theta);
    hol_retraction_columns(&m->chart, P, 0, s->m, m->B);
    // position rows
    memcpy(low, m->G, (size_t)holonomic * sizeof(double));
    hol_retraction_columns(&m->chart, P, 0, s->nh, low);
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
static void dae_alpha_matrix_fill_border(HolSim *s, const HolAlphaCorrector *k) {
    HolDaeAlpha *m = s->method;
    const HolState *x = &s->next;
    const int nv = s->nv, nw = s->nw, n = nw * nv, rows = s->nh + s->m;
    double *A, *L, *W, *F;
    double *Jq = m->J, *Jv = Jq + n, *Ja = Jv + n, *fw = Ja + n, *Jl = fw + n;
    double *border = m->residual + 2 * nv + rows;
    hol_kkt_border(m->kkt, &A, &L, &W, &F);
    for (int i = 0; i < s->m; i++)
        m->lambda2[i] = m->mu_h[i] / k->d;
    s->p->variables(
        s->p, s->work,
        &(HolPoint){.t = x->t, .q = x->q, .v = x->v, .a = m->a2, .lambda = m->lambda2, .w = x->w},
        &(HolAlgebraic){.r = border, .Jq = Jq, .Jv = Jv, .Ja = Ja, .Jl = Jl, .Jw = W, .fw = fw});
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
HolStatus hol_dae_alpha_renew(HolSim *s, const HolAlphaCorrector *k, HolError *err) {
    HolDaeAlpha *m = s->method;
    m->has_jacobian = 0;
    if (!dae_alpha_matrix_curvature(s, k))
        return hol_error_set(err, HOL_ERR_SINGULAR,
                             "at time %.10g no split of the coordinates was found", s->next.t);
    fill_S(s, k);
    if (s->m)
        fill_G(s, k);
    if (s->nw)
        dae_alpha_matrix_fill_border(s, k);
    s->stats.jacobians++;
    s->stats.factorizations++;
    const int bad = hol_kkt_factor(m->kkt);
    m->has_jacobian = bad == 0;
    m->h_jacobian = k->h;
    m->rate = -1;
    return bad ? singular(s, bad, err) : HOL_OK;
}
