// SPDX-License-Identifier: Apache-2.0
// Saddle-point systems: choice of the factorization, regularization and refinement, see kkt.h.
//
// When the plain factorization meets a vanishing pivot, K_eps = K - diag(0, eps I) is factored and
//     K_eps d = b - K y,   y += d
// repeated: the proximal iteration. With C = G S^-1 Gt^T a mode of C with eigenvalue c shrinks its
// error by p = eps/(c + eps) a round; for c = 0 nothing changes x, but round-off and inconsistent
// right-hand sides feed the multiplier's null-space part. It is removed at the end by powers of
// P = eps (C + eps)^-1, which keeps the null space and damps the rest: lambda -= P^j lambda. What
// remains are the minimum-norm multipliers.
#include "math/kkt_backend.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { REFINE_ROUNDS = 6, CLEAN_ROUNDS = 3, DENSE_LIMIT = 12 };

// eps relative to the size of diag(G S^-1 Gt^T)
static const double REGULARIZE = 1e-10;

static int copy_pattern(HolArena *a, const HolPattern *from, int columns, HolPattern *to) {
    int *ptr = HOL_NEW(a, int, columns + 1), *idx = HOL_NEW(a, int, from->nnz + 1);
    if (!ptr || !idx)
        return 0;
    if (from->ptr)
        memcpy(ptr, from->ptr, sizeof(int) * (size_t)(columns + 1));
    if (from->nnz)
        memcpy(idx, from->idx, sizeof(int) * (size_t)from->nnz);
    *to = (HolPattern){from->rows, from->cols, from->nnz, ptr, idx};
    return 1;
}

static const HolKktBackend *general_backend(const HolKkt *k, const char *kind) {
    if (kind && strcmp(kind, "dense") == 0)
        return &hol_kkt_dense;
    if (kind && strcmp(kind, "sparse") == 0)
        return &hol_kkt_klu;
    return k->N <= DENSE_LIMIT ? &hol_kkt_dense : &hol_kkt_klu;
}

// the old backend stays when the new one cannot be made
static int use_backend(HolKkt *k, const HolKktBackend *backend) {
    void *factors = backend->create(k);
    if (!factors)
        return 0;
    if (k->factors && k->backend->destroy)
        k->backend->destroy(k->factors);
    k->backend = backend;
    k->factors = factors;
    k->stats.solver = backend->name;
    return 1;
}

static int alloc_values(HolKkt *k) {
    HolArena *a = k->arena;
    int n = k->n, m = k->m, nw = k->nw;
    k->Sv = HOL_NEW(a, double, k->S.nnz + 1);
    k->Gv = HOL_NEW(a, double, k->G.nnz + 1);
    k->inactive = HOL_NEW(a, unsigned char, m + 1);
    k->b = HOL_NEW(a, double, k->N + 1);
    k->r = HOL_NEW(a, double, k->N + 1);
    k->mu = HOL_NEW(a, double, k->N + 1);
    k->scale = HOL_NEW(a, double, k->N + 1);
    if (nw) {
        k->A = HOL_NEW(a, double, nw *n + 1);
        k->L = HOL_NEW(a, double, nw *m + 1);
        k->W = HOL_NEW(a, double, nw *nw);
        k->F = HOL_NEW(a, double, n *nw + 1);
    }
    int *diagonal = HOL_NEW(a, int, n + 1);
    if (a->failed)
        return 0;
    for (int j = 0; j < n; j++) {
        diagonal[j] = -1;
        for (int p = k->S.ptr[j]; p < k->S.ptr[j + 1]; p++)
            if (k->S.idx[p] == j)
                diagonal[j] = p;
    }
    k->S_diagonal = diagonal;
    return 1;
}

HolKkt *hol_kkt_create(HolArena *arena, const HolPattern *S, const HolPattern *G, int nw,
                       int symmetric, const char *kind) {
    HolKkt *k = HOL_NEW(arena, HolKkt, 1);
    if (!k)
        return NULL;
    k->arena = arena;
    k->n = S->cols;
    k->m = G->rows;
    k->nw = nw;
    k->N = k->n + k->m + nw;
    k->symmetric = symmetric && nw == 0;
    if (!copy_pattern(arena, S, k->n, &k->S) || !copy_pattern(arena, G, k->m, &k->G) ||
        !alloc_values(k))
        return NULL;
    int wants_ldl = !kind || strcmp(kind, "auto") == 0 || strcmp(kind, "ldl") == 0;
    if (k->symmetric && wants_ldl && use_backend(k, &hol_kkt_ldl))
        return k;
    return use_backend(k, general_backend(k, kind)) ? k : NULL;
}

void hol_kkt_destroy(HolKkt *k) {
    if (k && k->factors && k->backend->destroy)
        k->backend->destroy(k->factors);
    if (k)
        k->factors = NULL;
}

double *hol_kkt_S(HolKkt *k) {
    return k->Sv;
}

double *hol_kkt_G(HolKkt *k) {
    return k->Gv;
}

double *hol_kkt_Gt(HolKkt *k) {
    if (!k->Gtv)
        k->Gtv = HOL_NEW(k->arena, double, k->G.nnz + 1);
    // without symmetry only LU serves
    k->symmetric = 0;
    if (k->backend == &hol_kkt_ldl && !use_backend(k, general_backend(k, NULL)))
        return NULL;
    return k->Gtv;
}

void hol_kkt_border(HolKkt *k, double **A, double **L, double **W, double **F) {
    *A = k->A;
    *L = k->L;
    *W = k->W;
    *F = k->F;
}

void hol_kkt_inactive(HolKkt *k, const unsigned char *flags) {
    k->any_inactive = 0;
    for (int i = 0; i < k->m; i++) {
        k->inactive[i] = flags ? flags[i] != 0 : 0;
        k->any_inactive |= k->inactive[i];
    }
}

void hol_kkt_set_redundant(HolKkt *k, int redundant) {
    k->redundant = redundant;
}

HolKktStats hol_kkt_stats(const HolKkt *k) {
    return k->stats;
}

static double max_abs(const double *x, int n) {
    double size = 0;
    for (int i = 0; i < n; i++)
        size = fabs(x[i]) > size ? fabs(x[i]) : size;
    return size;
}

// magnitude standing for S_jj: the largest entry of the column, or 0
static double column_size(const HolKkt *k, int j) {
    double size = 0;
    for (int p = k->S.ptr[j]; p < k->S.ptr[j + 1]; p++)
        size = fabs(k->Sv[p]) > size ? fabs(k->Sv[p]) : size;
    return size;
}

// c_i = sum_j |G_ij Gt_ij| / s_j, the diagonal of G S^-1 Gt^T as far as S is diagonal
static double row_size(const HolKkt *k, int i, const double *s) {
    const double *upper = hol_kkt_upper(k);
    double c = 0;
    for (int p = k->G.ptr[i]; p < k->G.ptr[i + 1]; p++)
        c += fabs(k->Gv[p] * upper[p]) / s[k->G.idx[p]];
    return c;
}

// s_j of all unknowns into k->scale; empty columns take the largest s
static void column_sizes(HolKkt *k) {
    double largest = 0;
    for (int j = 0; j < k->n; j++) {
        k->scale[j] = column_size(k, j);
        largest = k->scale[j] > largest ? k->scale[j] : largest;
    }
    if (!(largest > 0) || !isfinite(largest))
        largest = 1;
    for (int j = 0; j < k->n; j++)
        if (!(k->scale[j] > 1e-14 * largest))
            k->scale[j] = largest;
}

static double regularization(HolKkt *k) {
    double smallest = INFINITY, largest = 0;
    column_sizes(k);
    for (int i = 0; i < k->m; i++) {
        double c = k->inactive[i] ? 0 : row_size(k, i, k->scale);
        if (c > 0) {
            smallest = fmin(smallest, c);
            largest = fmax(largest, c);
        }
    }
    return largest > 0 ? REGULARIZE * sqrt(smallest * largest) : REGULARIZE;
}

static int all_finite(const double *x, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * 0.0;
    return sum == 0;
}

// a power of two near 1/sqrt(s), for positive finite s: half the exponent, sign turned
static inline double inverse_root(double s) {
    uint64_t bits;
    memcpy(&bits, &s, sizeof bits);
    int64_t exponent = (int64_t)(bits >> 52 & 0x7ff) - 1023;
    bits = (uint64_t)(1023 - exponent / 2) << 52;
    memcpy(&s, &bits, sizeof s);
    return s;
}

void hol_kkt_scaling(HolKkt *k) {
    column_sizes(k);
    for (int i = 0; i < k->m; i++) {
        double c = row_size(k, i, k->scale);
        k->scale[k->n + i] = c > 0 && isfinite(c) && !k->inactive[i] ? inverse_root(c) : 1.0;
    }
    for (int j = 0; j < k->n; j++)
        k->scale[j] = inverse_root(k->scale[j]);
    for (int i = k->n + k->m; i < k->N; i++)
        k->scale[i] = 1.0;
}

// the matrix with -eps I; a backend that only fails on S is replaced by LU with pivoting, unless the
// values themselves are broken
static int factor_tolerant(HolKkt *k, int failed) {
    k->S_size = max_abs(k->Sv, k->S.nnz);
    k->G_size = max_abs(k->Gv, k->G.nnz);
    if (!all_finite(k->Sv, k->S.nnz) || !all_finite(k->Gv, k->G.nnz))
        return failed ? failed : 1;
    int ldl = k->backend == &hol_kkt_ldl;
    if (k->redundant || failed > k->n || !ldl) {
        k->eps = regularization(k);
        k->stats.regularized += !k->redundant;
        failed = k->backend->factor(k, k->factors, k->eps);
    }
    return failed;
}

int hol_kkt_factor(HolKkt *k) {
    int failed = 0;
    k->stats.factorizations++;
    for (int attempt = 0; attempt < 2; attempt++) {
        k->eps = 0;
        if (!k->redundant && (failed = k->backend->factor(k, k->factors, 0.0)) == 0)
            return 0;
        if ((failed = factor_tolerant(k, failed)) == 0)
            return 0;
        if (k->backend != &hol_kkt_ldl || !all_finite(k->Sv, k->S.nnz) ||
            !all_finite(k->Gv, k->G.nnz) || !use_backend(k, general_backend(k, NULL)))
            break;
    }
    return failed;
}

// r = b - K y with E = 0
static void residual(const HolKkt *k, const double *b, const double *y, double *r) {
    int n = k->n, m = k->m, nw = k->nw;
    const double *upper = hol_kkt_upper(k);
    memcpy(r, b, sizeof(double) * (size_t)k->N);
    for (int j = 0; j < n; j++)
        for (int p = k->S.ptr[j]; p < k->S.ptr[j + 1]; p++)
            r[k->S.idx[p]] -= k->Sv[p] * y[j];
    for (int i = 0; i < m; i++) {
        if (k->inactive[i]) {
            r[n + i] -= y[n + i];
            continue;
        }
        double sum = 0, lambda = y[n + i];
        for (int p = k->G.ptr[i]; p < k->G.ptr[i + 1]; p++) {
            sum += k->Gv[p] * y[k->G.idx[p]];
            r[k->G.idx[p]] -= upper[p] * lambda;
        }
        r[n + i] -= sum;
    }
    for (int i = 0; i < nw; i++) {
        double sum = y[n + m + i];
        for (int j = 0; j < n; j++)
            sum -= k->A[i * n + j] * y[j];
        for (int j = 0; j < m; j++)
            sum -= k->L[i * m + j] * y[n + j];
        for (int j = 0; j < nw; j++)
            sum -= k->W[i * nw + j] * y[n + m + j];
        r[n + m + i] -= sum;
        for (int j = 0; j < n; j++)
            r[j] += k->F[j * nw + i] * y[n + m + i];
    }
}

// mu = P^j lambda, the null-space part of the multipliers; returns its size
static double null_part(HolKkt *k, const double *lambda, double size) {
    int n = k->n, m = k->m, quick = 0;
    for (int i = 0; i < m; i++)
        k->mu[n + i] = k->inactive[i] ? 0 : -k->eps * lambda[i];
    for (int round = 1;; round++) {
        memset(k->mu, 0, sizeof(double) * (size_t)n);
        k->backend->solve(k, k->factors, k->mu);
        double part = max_abs(k->mu + n, m);
        // a small part shows that P damps the rest strongly: two applications do
        if (round == CLEAN_ROUNDS || (round == 2 && quick) || part < 1e-15 * size)
            return part;
        quick = round == 1 && part < 1e-6 * size;
        for (int i = 0; i < m; i++)
            k->mu[n + i] *= k->inactive[i] ? 0 : -k->eps;
    }
}

// lambda -= P^j lambda, again when so much was taken out that its round-off matters
static void clean_multipliers(HolKkt *k, double *lambda) {
    int m = k->m;
    for (int repeat = 0; repeat < CLEAN_ROUNDS; repeat++) {
        double size = max_abs(lambda, m);
        if (!(size > 0))
            return;
        double part = null_part(k, lambda, size);
        for (int i = 0; i < m; i++)
            lambda[i] -= k->mu[k->n + i];
        if (part < 1e-7 * max_abs(lambda, m))
            return;
    }
}

static void solve_refined(HolKkt *k, double *x) {
    int n = k->n, m = k->m;
    memcpy(k->b, x, sizeof(double) * (size_t)k->N);
    k->backend->solve(k, k->factors, x);
    double r1_last = INFINITY, r2_last = INFINITY;
    double b1 = max_abs(k->b, n), b2 = max_abs(k->b + n, m + k->nw);
    for (int round = 0; round < REFINE_ROUNDS; round++) {
        residual(k, k->b, x, k->r);
        double r1 = max_abs(k->r, n), r2 = max_abs(k->r + n, m + k->nw);
        // stop at round-off, or when neither equation gains any more
        double x_size = max_abs(x, n), lambda_size = max_abs(x + n, m);
        double floor1 = 4e-16 * (b1 + k->S_size * x_size + k->G_size * lambda_size);
        double floor2 = 4e-16 * (b2 + k->G_size * x_size);
        if ((r1 <= floor1 && r2 <= floor2) || !(r1 < 0.25 * r1_last || r2 < 0.25 * r2_last))
            break;
        r1_last = r1 < r1_last ? r1 : r1_last;
        r2_last = r2 < r2_last ? r2 : r2_last;
        k->backend->solve(k, k->factors, k->r);
        for (int i = 0; i < k->N; i++)
            x[i] += k->r[i];
    }
    if (k->nw == 0)
        clean_multipliers(k, x + n);
}

void hol_kkt_solve(HolKkt *k, double *x) {
    k->stats.solves++;
    if (k->eps > 0)
        solve_refined(k, x);
    else
        k->backend->solve(k, k->factors, x);
}

// ---- maps of the LU backends ----

int hol_kkt_map_alloc(HolKkt *k, HolKktMap *map) {
    int border = k->nw * (k->n + k->m + k->nw + k->n);
    map->S = HOL_NEW(k->arena, int, k->S.nnz + 1);
    map->G = HOL_NEW(k->arena, int, k->G.nnz + 1);
    map->Gt = HOL_NEW(k->arena, int, k->G.nnz + 1);
    map->E = HOL_NEW(k->arena, int, k->m + 1);
    map->border = HOL_NEW(k->arena, int, border + 1);
    return map->S && map->G && map->Gt && map->E && map->border;
}

static void fill_border(HolKkt *k, const int *at, double *value) {
    int n = k->n, m = k->m, nw = k->nw;
    const double *D = k->scale;
    for (int i = 0; i < nw; i++)
        for (int j = 0; j < n; j++)
            value[*at++] = -k->A[i * n + j] * D[j];
    for (int i = 0; i < nw; i++)
        for (int j = 0; j < m; j++)
            value[*at++] = -k->L[i * m + j] * D[n + j];
    for (int i = 0; i < nw; i++)
        for (int j = 0; j < nw; j++)
            value[*at++] = (i == j ? 1.0 : 0.0) - k->W[i * nw + j];
    for (int j = 0; j < n; j++)
        for (int i = 0; i < nw; i++)
            value[*at++] = -k->F[j * nw + i] * D[j];
}

void hol_kkt_map_fill(HolKkt *k, const HolKktMap *map, double eps, double *value) {
    const double *D = k->scale, *upper = hol_kkt_upper(k);
    for (int j = 0; j < k->n; j++)
        for (int p = k->S.ptr[j]; p < k->S.ptr[j + 1]; p++)
            value[map->S[p]] = k->Sv[p] * D[k->S.idx[p]] * D[j];
    for (int i = 0; i < k->m; i++) {
        double d = k->inactive[i] ? 0.0 : D[k->n + i];
        for (int p = k->G.ptr[i]; p < k->G.ptr[i + 1]; p++) {
            double dj = D[k->G.idx[p]] * d;
            value[map->G[p]] = k->Gv[p] * dj;
            value[map->Gt[p]] = upper[p] * dj;
        }
        value[map->E[i]] = k->inactive[i] ? 1.0 : -eps * d * d;
    }
    fill_border(k, map->border, value);
}
