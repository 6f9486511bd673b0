// SPDX-License-Identifier: Apache-2.0
// Saddle-point systems: choice of the factorization, regularization and refinement, see kkt.h
// (docs/theory/saddle-point.md, section 6).
//
// When the plain factorization meets a vanishing pivot, K_eps = K - diag(0, eps I) is factored and
//     K_eps d = b - K y,   y += d
// repeated: the proximal iteration. With C = G S^-1 Gt^T the error of a mode of C with eigenvalue c
// shrinks by p = eps/(c + eps) in each round; for c = 0 nothing changes x, but round-off and
// inconsistent right-hand sides feed the multiplier's null-space part. It is removed at the end by
// powers of P = eps (C + eps)^-1, which keeps the null space and damps the rest:
//     lambda -= P^j lambda.
// The result are the minimum-norm multipliers.
#include "math/saddle/nearby/kkt_nearby.h"
#include "math/saddle/plan/kkt_plan.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { REFINE_ROUNDS = 6, CLEAN_ROUNDS = 3, DENSE_LIMIT = 12, GIVE_UP = 8 };

// refine when the free motion S^-1 r1 of light bodies is so many times the constrained one
static const double CANCELLATION = 1e4;

// default eps, relative to the size of diag(G S^-1 Gt^T)

static void destroy_factors(const HolKktBackend *backend, void **factors) {
    if (*factors && backend->destroy)
        backend->destroy(*factors);
    *factors = NULL;
}

// the old backend stays when the new one cannot be made
static int use_backend(HolKkt *k, const HolKktBackend *backend) {
    void *factors = backend->create(k);
    if (!factors)
        return 0;
    destroy_factors(k->backend, &k->factors);
    k->active = k->backend = backend;
    k->active_factors = k->factors = factors;
    return 1;
}

static const HolKktBackend *pivoting_backend(const HolKkt *k) {
    return k->N <= DENSE_LIMIT ? &hol_kkt_dense : &hol_kkt_klu;
}

// the backend with pivoting behind a static one; 0 = no memory
static int have_spare(HolKkt *k) {
    if (!k->spare) {
        const HolKktBackend *spare = pivoting_backend(k);
        k->spare_factors = spare->create(k);
        k->spare = k->spare_factors ? spare : NULL;
    }
    return k->spare != NULL;
}

// the fastest backend that suits; a static LU has its spare from the start
static int choose_backend(HolKkt *k, const char *kind) {
    int automatic = !kind || strcmp(kind, "auto") == 0 || strcmp(kind, "ldl") == 0;
    if (kind && strcmp(kind, "dense") == 0)
        return use_backend(k, &hol_kkt_dense);
    if (kind && strcmp(kind, "sparse") == 0)
        return use_backend(k, &hol_kkt_klu);
    if (k->symmetric && automatic && use_backend(k, &hol_kkt_ldl))
        return 1;
    if (k->nw == 0 && use_backend(k, &hol_kkt_lu))
        return have_spare(k);
    return use_backend(k, pivoting_backend(k));
}

static int alloc_values(HolKkt *k) {
    HolArena *a = k->arena;
    int n = k->n, m = k->m, nw = k->nw;
    k->Sv = HOL_NEW(a, double, k->S.nnz + 1);
    k->Gv = HOL_NEW(a, double, k->G.nnz + 1);
    k->S_kept = HOL_NEW(a, double, k->S.nnz + 1);
    k->G_kept = HOL_NEW(a, double, k->G.nnz + 1);
    k->inactive = HOL_NEW(a, unsigned char, m + 1);
    k->wanted = HOL_NEW(a, unsigned char, m + 1);
    k->b = HOL_NEW(a, double, k->N + 1);
    k->r = HOL_NEW(a, double, k->N + 1);
    k->mu = HOL_NEW(a, double, k->N + 1);
    k->scale = HOL_NEW(a, double, k->N + 1);
    k->row_unit = HOL_NEW(a, double, m + 1);
    double *ones = HOL_NEW(a, double, n + 1);
    if (nw) {
        k->A = HOL_NEW(a, double, nw *n + 1);
        k->L = HOL_NEW(a, double, nw *m + 1);
        k->W = HOL_NEW(a, double, nw *nw);
        k->F = HOL_NEW(a, double, n *nw + 1);
    }
    if (a->failed)
        return 0;
    for (int j = 0; j < n; j++)
        ones[j] = 1;
    k->reach = k->near = ones;
    return 1;
}

HolKkt *hol_kkt_create_planned(HolArena *arena, HolKktPlans *plans, const HolPattern *S,
                               const HolPattern *G, int nw, int symmetric, const char *kind) {
    HolKkt *k = HOL_NEW(arena, HolKkt, 1);
    if (!k)
        return NULL;
    k->arena = arena;
    k->n = S->cols;
    k->m = G->rows;
    k->nw = nw;
    k->N = k->n + k->m + nw;
    k->symmetric = symmetric && nw == 0;
    k->regularize = HOL_KKT_REGULARIZATION;
    k->plans = plans;
    k->plan = hol_kkt_plan(k, S, G, nw);
    if (!k->plan)
        return NULL;
    k->S = k->plan->S;
    k->G = k->plan->G;
    k->S_diagonal = k->plan->S_diagonal;
    if (alloc_values(k) && choose_backend(k, kind))
        return k;
    hol_kkt_destroy(k);
    return NULL;
}

HolKkt *hol_kkt_create(HolArena *arena, const HolPattern *S, const HolPattern *G, int nw,
                       int symmetric, const char *kind) {
    return hol_kkt_create_planned(arena, NULL, S, G, nw, symmetric, kind);
}

void hol_kkt_destroy(HolKkt *k) {
    if (!k)
        return;
    destroy_factors(k->backend, &k->factors);
    destroy_factors(k->spare, &k->spare_factors);
    if (!k->plans)
        hol_kkt_plan_destroy(k->plan);
}

double *hol_kkt_S(HolKkt *k) {
    return k->Sv;
}

double *hol_kkt_G(HolKkt *k) {
    return k->Gv;
}

double *hol_kkt_Gt(HolKkt *k) {
    if (!k->Gtv) {
        k->Gtv = HOL_NEW(k->arena, double, k->G.nnz + 1);
        k->Gt_kept = HOL_NEW(k->arena, double, k->G.nnz + 1);
        if (!k->Gt_kept)
            return k->Gtv = NULL;
    }
    // without symmetry only LU serves
    k->symmetric = 0;
    if (k->backend == &hol_kkt_ldl && !choose_backend(k, NULL))
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
    for (int i = 0; i < k->m; i++)
        k->wanted[i] = flags ? flags[i] != 0 : 0;
    k->flags_changed = 1;
}

// flags act on the next factorization: solves with the present one still refer to its own
static void apply_flags(HolKkt *k) {
    k->any_inactive = k->flags_changed = 0;
    for (int i = 0; i < k->m; i++) {
        k->inactive[i] = k->wanted[i];
        k->any_inactive |= k->inactive[i];
    }
}

void hol_kkt_reach(HolKkt *k, const double *reach, const double *near) {
    k->reach = reach;
    k->near = near;
}

void hol_kkt_mass(HolKkt *k, const HolPattern *M) {
    if (k->backend != &hol_kkt_klu || !hol_kkt_nearby_suits(k, M))
        return;
    k->mass = M;
    if (!use_backend(k, &hol_kkt_nearby))
        k->mass = NULL;
}

void hol_kkt_share(HolKkt *k, HolThreadPool *pool) {
    k->pool = pool;
}

void hol_kkt_bodies(HolKkt *k, const int *body) {
    k->tree = k->symmetric && k->m ? hol_tree_analyze(k, body) : NULL;
}

void hol_kkt_set_redundant(HolKkt *k, int redundant) {
    k->redundant = redundant;
}

void hol_kkt_set_regularization(HolKkt *k, double part) {
    k->regularize = part;
}

HolKktStats hol_kkt_stats(const HolKkt *k) {
    HolKktStats stats = k->stats;
    stats.solver = k->active->name;
    return stats;
}

static double max_abs(const double *x, int n) {
    double size = 0;
    for (int i = 0; i < n; i++)
        size = fabs(x[i]) > size ? fabs(x[i]) : size;
    return size;
}

static double regularization(HolKkt *k) {
    double smallest = INFINITY, largest = 0;
    hol_kkt_column_sizes(k);
    for (int i = 0; i < k->m; i++) {
        double c = k->inactive[i] ? 0 : hol_kkt_row_size(k, i, k->scale);
        if (c > 0) {
            smallest = fmin(smallest, c);
            largest = fmax(largest, c);
        }
    }
    return largest > 0 ? k->regularize * sqrt(smallest * largest) : k->regularize;
}

static int all_finite(const double *x, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * 0.0;
    return sum == 0;
}

static int values_finite(const HolKkt *k) {
    return all_finite(k->Sv, k->S.nnz) && all_finite(k->Gv, k->G.nnz);
}

// plain factorization unless the rows are known to be redundant
static int factor_plain(HolKkt *k) {
    k->eps = 0;
    return k->redundant ? k->N + 1 : k->active->factor(k, k->active_factors, 0.0);
}

// with -eps I in the multiplier block
static int factor_tolerant(HolKkt *k) {
    memcpy(k->S_kept, k->Sv, sizeof(double) * (size_t)k->S.nnz);
    memcpy(k->G_kept, k->Gv, sizeof(double) * (size_t)k->G.nnz);
    if (k->Gtv)
        memcpy(k->Gt_kept, k->Gtv, sizeof(double) * (size_t)k->G.nnz);
    k->eps = regularization(k);
    k->stats.regularized += !k->redundant;
    return k->active->factor(k, k->active_factors, k->eps);
}

static int factor_any(HolKkt *k) {
    k->stats.factorizations++;
    if (k->flags_changed)
        apply_flags(k);
    if (k->tree && !k->redundant && hol_kkt_tree.factor(k, k->tree, 0) == 0) {
        k->eps = 0;
        k->active = &hol_kkt_tree;
        k->active_factors = k->tree;
        return 0;
    }
    int is_static = k->backend == &hol_kkt_ldl || k->backend == &hol_kkt_lu;
    k->active = k->backend;
    k->active_factors = k->factors;
    int failed = factor_plain(k);
    if (!failed) {
        k->given_up = 0;
        return 0;
    }
    if (!values_finite(k))
        return failed <= k->N ? failed : 1;
    // a row that depends on others is certain only where S needs no pivoting
    int row_failed = failed > k->n && (k->redundant || k->backend == &hol_kkt_ldl);
    if (!is_static || row_failed) {
        failed = factor_tolerant(k);
        if (!failed || !is_static)
            return failed;
    }
    if (!have_spare(k))
        return failed;
    k->active = k->spare;
    k->active_factors = k->spare_factors;
    failed = factor_plain(k);
    if (failed)
        failed = factor_tolerant(k);
    // the static order never works here: do not try it again
    if (++k->given_up >= GIVE_UP) {
        destroy_factors(k->backend, &k->factors);
        k->backend = k->spare;
        k->factors = k->spare_factors;
        k->spare = NULL;
        k->spare_factors = NULL;
    }
    return failed;
}

int hol_kkt_factor(HolKkt *k) {
    k->stats.last_growth = 0;
    int failed = factor_any(k);
    if (k->stats.last_growth > k->stats.growth)
        k->stats.growth = k->stats.last_growth;
    return failed;
}

// r = b - K y with E = 0
static void kkt_residual(const HolKkt *k, const double *b, const double *y, double *r) {
    int n = k->n, m = k->m, nw = k->nw;
    const double *Sv = k->eps > 0 ? k->S_kept : k->Sv, *Gv = k->eps > 0 ? k->G_kept : k->Gv;
    const double *upper = !k->Gtv ? Gv : (k->eps > 0 ? k->Gt_kept : k->Gtv);
    memcpy(r, b, sizeof(double) * (size_t)k->N);
    for (int j = 0; j < n; j++)
        for (int p = k->S.ptr[j]; p < k->S.ptr[j + 1]; p++)
            r[k->S.idx[p]] -= Sv[p] * y[j];
    for (int i = 0; i < m; i++) {
        if (k->inactive[i]) {
            r[n + i] -= y[n + i];
            continue;
        }
        double sum = 0, lambda = y[n + i];
        for (int p = k->G.ptr[i]; p < k->G.ptr[i + 1]; p++) {
            sum += Gv[p] * y[k->G.idx[p]];
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

// mu = P^j lambda, the null-space part of the multipliers; returns its size. With a border it is what the
// other unknowns need beside it, too
static double null_part(HolKkt *k, const double *lambda, double size) {
    int n = k->n, m = k->m, quick = 0;
    for (int i = 0; i < m; i++)
        k->mu[n + i] = k->inactive[i] ? 0 : -k->eps * lambda[i];
    for (int round = 1;; round++) {
        memset(k->mu, 0, sizeof(double) * (size_t)n);
        memset(k->mu + n + m, 0, sizeof(double) * (size_t)k->nw);
        k->active->solve(k, k->active_factors, k->mu, k->mu);
        double part = max_abs(k->mu + n, m);
        // a small part shows that P damps the rest strongly: two applications do
        if (round == CLEAN_ROUNDS || (round == 2 && quick) || part < 1e-15 * size)
            return part;
        quick = round == 1 && part < 1e-6 * size;
        for (int i = 0; i < m; i++)
            k->mu[n + i] *= k->inactive[i] ? 0 : -k->eps;
    }
}

// lambda -= P^j lambda, again when so much was taken out that its round-off matters. x: the solution that
// lambda is a part of, of which with a border all changes; or NULL
static void clean_multipliers(HolKkt *k, double *lambda, double *x) {
    int m = k->m;
    for (int repeat = 0; repeat < CLEAN_ROUNDS; repeat++) {
        double size = max_abs(lambda, m);
        if (!(size > 0))
            return;
        double part = null_part(k, lambda, size);
        for (int i = 0; i < m; i++)
            lambda[i] -= k->mu[k->n + i];
        for (int i = 0; i < k->N && x && k->nw; i++)
            x[i] -= i < k->n || i >= k->n + m ? k->mu[i] : 0;
        if (part < 1e-7 * max_abs(lambda, m))
            return;
    }
}

static int all_zero(const double *x, int n) {
    int zero = 1;
    for (int i = 0; i < n && zero; i++)
        zero = x[i] == 0;
    return zero;
}

// a border that couples nothing
static int border_clear(const HolKkt *k) {
    return k->nw == 0 || (all_zero(k->F, k->n * k->nw) && all_zero(k->L, k->nw * k->m) &&
                          all_zero(k->A, k->nw * k->n) && all_zero(k->W, k->nw * k->nw));
}

void hol_kkt_minimum_norm(HolKkt *k, double *lambda) {
    if (k->eps > 0 && border_clear(k))
        clean_multipliers(k, lambda, NULL);
}

// largest |x_i| / unit_i
static double max_over(const double *x, const double *unit, int n) {
    double size = 0;
    for (int i = 0; i < n; i++)
        size = fmax(size, fabs(x[i]) / unit[i]);
    return size;
}

// largest |x_i| unit_i
static double max_times(const double *x, const double *unit, int n) {
    double size = 0;
    for (int i = 0; i < n; i++)
        size = fmax(size, fabs(x[i]) * unit[i]);
    return size;
}

// k->row_unit; returns the largest entry of S as an energy
static double kkt_measure(HolKkt *k) {
    double size = 0;
    for (int i = 0; i < k->m; i++) {
        double unit = 0;
        for (int p = k->G.ptr[i]; p < k->G.ptr[i + 1]; p++)
            unit = fmax(unit, fabs(k->Gv[p]) * k->reach[k->G.idx[p]]);
        k->row_unit[i] = unit > 0 ? unit : 1;
    }
    for (int j = 0; j < k->n; j++)
        for (int p = k->S.ptr[j]; p < k->S.ptr[j + 1]; p++)
            size = fmax(size, fabs(k->Sv[p]) * k->reach[j] * k->reach[k->S.idx[p]]);
    return size;
}

// y += K_eps^-1 (b - K y) until round-off is reached or nothing is gained; x holds the first
// solution. A correction that made both residuals worse is taken back. Residuals of S x are
// compared as energies, those of rows over their units
static void kkt_refine(HolKkt *k, const double *b, double *x) {
    int n = k->n, m = k->m;
    double r1_last = INFINITY, r2_last = INFINITY;
    const double S_size = kkt_measure(k), *unit = k->row_unit;
    const double b1 = max_times(b, k->reach, n),
                 b2 = fmax(max_over(b + n, unit, m), max_abs(b + n + m, k->nw));
    for (int round = 0;; round++) {
        kkt_residual(k, b, x, k->r);
        double r1 = max_times(k->r, k->reach, n),
               r2 = fmax(max_over(k->r + n, unit, m), max_abs(k->r + n + m, k->nw));
        double x_size = max_times(x, k->near, n), lambda_size = max_times(x + n, unit, m);
        double floor1 = 4e-16 * (b1 + S_size * x_size + lambda_size);
        double floor2 = 4e-16 * (b2 + x_size);
        if (r1 > r1_last && r2 > r2_last && (r1 > floor1 || r2 > floor2)) {
            for (int i = 0; i < k->N; i++)
                x[i] -= k->mu[i];
            return;
        }
        if ((r1 <= floor1 && r2 <= floor2) || !(r1 < 0.25 * r1_last || r2 < 0.25 * r2_last) ||
            round == REFINE_ROUNDS)
            return;
        r1_last = r1 < r1_last ? r1 : r1_last;
        r2_last = r2 < r2_last ? r2 : r2_last;
        k->active->solve(k, k->active_factors, k->r, k->r);
        memcpy(k->mu, k->r, sizeof(double) * (size_t)k->N);
        for (int i = 0; i < k->N; i++)
            x[i] += k->r[i];
    }
}

int hol_kkt_is_regularized(const HolKkt *k) {
    return k->eps > 0;
}

void hol_kkt_solve_apart(HolKkt *k, const double *b, double *x, int rough) {
    k->stats.solves++;
    k->free_size = k->x_size = 0;
    k->active->solve(k, k->active_factors, b, x);
    if (k->eps > 0 ? !rough : rough < 2 && k->free_size > CANCELLATION * k->x_size)
        kkt_refine(k, b, x);
}

void hol_kkt_solve_motion(HolKkt *k, double *x, int rough) {
    memcpy(k->b, x, sizeof(double) * (size_t)k->N);
    hol_kkt_solve_apart(k, k->b, x, rough);
}

void hol_kkt_solve(HolKkt *k, double *x) {
    hol_kkt_solve_motion(k, x, 0);
    if (k->eps > 0)
        clean_multipliers(k, x + k->n, x);
}

// ---- kept factorizations ----

// by number in kept strings
static const HolKktBackend *const kkt_backends[] = {&hol_kkt_dense, &hol_kkt_klu, &hol_kkt_lu,
                                                    &hol_kkt_ldl, &hol_kkt_nearby};
enum { BACKENDS = sizeof kkt_backends / sizeof *kkt_backends };

static int kkt_backend_number(const HolKktBackend *backend) {
    for (int i = 0; i < BACKENDS; i++)
        if (kkt_backends[i] == backend)
            return i;
    return -1;
}

// backends as the kept ones were: made on demand, or given up for the spare; 1: there was a spare
static int kkt_keep_backends(HolKkt *k, HolKeeper *w) {
    const int upper = hol_keep_number(w, "upper", k->Gtv != NULL, 0, 1),
              backend = hol_keep_number(w, "backend", kkt_backend_number(k->backend), 0, BACKENDS),
              spare = hol_keep_number(w, "spare", k->spare != NULL, 0, 1),
              tree = hol_keep_number(w, "tree", k->tree != NULL, 0, 1);
    if (!hol_keep_reads(w) || w->wrong)
        return spare;
    if ((upper && !k->Gtv && !hol_kkt_Gt(k)) || tree != (k->tree != NULL))
        hol_keep_wrong(w, "upper");
    else if (kkt_backends[backend] != k->backend && !use_backend(k, kkt_backends[backend]))
        hol_keep_wrong(w, "backend");
    else if (spare && !have_spare(k))
        hol_keep_wrong(w, "spare");
    else if (!spare && k->spare && w->mode == HOL_KEEP_READ) { // its pivots were others
        destroy_factors(k->spare, &k->spare_factors);
        k->spare = NULL;
    }
    return spare;
}

static void kkt_keep_active(HolKkt *k, HolKeeper *w) {
    const int own = k->active == &hol_kkt_tree ? 2 : k->active == k->backend ? 0 : 1;
    const int active = hol_keep_number(w, "active", own, 0, 2);
    if (w->mode != HOL_KEEP_READ || w->wrong)
        return;
    k->active = active == 2 ? &hol_kkt_tree : active == 1 && k->spare ? k->spare : k->backend;
    k->active_factors = active == 2 && k->tree    ? (void *)k->tree
                        : active == 1 && k->spare ? k->spare_factors
                                                  : k->factors;
}

void hol_kkt_keep(HolKkt *k, HolKeeper *w) {
    const int spare = kkt_keep_backends(k, w);
    if (w->wrong)
        return;
    HOL_KEEP_ARRAY(w, k->Sv, k->S.nnz);
    HOL_KEEP_ARRAY(w, k->Gv, k->G.nnz);
    HOL_KEEP_ARRAY(w, k->Gtv, k->G.nnz);
    HOL_KEEP_ARRAY(w, k->S_kept, k->S.nnz);
    HOL_KEEP_ARRAY(w, k->G_kept, k->G.nnz);
    HOL_KEEP_ARRAY(w, k->Gt_kept, k->G.nnz);
    HOL_KEEP_ARRAY(w, k->A, k->nw * k->n);
    HOL_KEEP_ARRAY(w, k->L, k->nw * k->m);
    HOL_KEEP_ARRAY(w, k->W, k->nw * k->nw);
    HOL_KEEP_ARRAY(w, k->F, k->n * k->nw);
    HOL_KEEP_ARRAY(w, k->inactive, k->m);
    HOL_KEEP_ARRAY(w, k->wanted, k->m);
    HOL_KEEP_ARRAY(w, k->scale, k->N);
    HOL_KEEP_ARRAY(w, k->row_unit, k->m);
    HOL_KEEP(w, k->flags_changed);
    HOL_KEEP(w, k->any_inactive);
    HOL_KEEP(w, k->redundant);
    HOL_KEEP(w, k->regularize);
    HOL_KEEP(w, k->eps);
    HOL_KEEP(w, k->given_up);
    HOL_KEEP(w, k->free_size);
    HOL_KEEP(w, k->x_size);
    HOL_KEEP(w, k->stats.factorizations);
    HOL_KEEP(w, k->stats.solves);
    HOL_KEEP(w, k->stats.regularized);
    HOL_KEEP(w, k->stats.repivots);
    HOL_KEEP(w, k->stats.growth);
    HOL_KEEP(w, k->stats.last_growth);
    k->backend->keep(k, k->factors, w);
    if (spare)
        k->spare->keep(k, k->spare_factors, w);
    if (k->tree)
        hol_kkt_tree.keep(k, k->tree, w);
    kkt_keep_active(k, w);
}
