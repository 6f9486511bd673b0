// SPDX-License-Identifier: Apache-2.0
// Largest natural frequencies of a constrained state, dense, by the linearization in the tangent
// space (planar and other plain problems, q' = v):
//   x = x_p + N al, v = v_p + N al' + X1 al, a = a_p + N al'' + 2 X1 al' + X2 al
//   X1 = -S Hd N,  X2 = -S (2 Hd X1 + Hdd N),  Hd = (G v + g_t)_q,  Hdd = (G a + gamma)_q
//   M_R = N^T M N,  C_R = N^T (C N + 2 M X1),  K_R = N^T (K N + C X1 + M X2)
//   K = (M a)_q + (G^T lambda)_q - f_q,  C = -f_v
// N: orthonormal null space of G; S: right inverse of G with L S = 0, L the left inverse of N that
// the metric gives: N^T (Euclid), M_R^-1 N^T M (mass). Frequencies: sqrt of the largest
// |eigenvalue| of M_R^-1 K_R; unreduced: of M^-1 K, which has no mechanical meaning. Eigenvalues of
// the damped system: of [0 I; -M_R^-1 K_R, -M_R^-1 C_R].
#include "tools/papers/papers.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

typedef struct Dense {
    int n, m, rank, d;    // d = n - rank
    double *M, *C, *K;    // n x n, columns
    double *G, *Hd, *Hdd; // m x n, columns
    double *N;            // n x d
    double *S;            // n x m
} Dense;

// out (r x c) = A (r x k) B (k x c), or A^T B with A (k x r)
static void frequency_multiply(int r, int k, int c, const double *A, int transposed,
                               const double *B, double *out) {
    for (int j = 0; j < c; j++)
        for (int i = 0; i < r; i++) {
            double sum = 0;
            for (int l = 0; l < k; l++)
                sum += (transposed ? A[k * i + l] : A[r * l + i]) * B[k * j + l];
            out[r * j + i] = sum;
        }
}

static void spread_columns(const HolPattern *P, const double *value, int n, double *out) {
    for (int j = 0; j < n; j++)
        if (!P->ptr)
            memcpy(out + n * j, value + n * j, sizeof(double) * (size_t)n);
        else
            for (int k = P->ptr[j]; k < P->ptr[j + 1]; k++)
                out[n * j + P->idx[k]] = value[k];
}

static void spread_rows(const HolPattern *P, const double *value, int m, int n, double *out) {
    for (int i = 0; i < m; i++) {
        const int first = P->ptr ? P->ptr[i] : n * i, last = P->ptr ? P->ptr[i + 1] : n * (i + 1);
        for (int k = first; k < last; k++)
            out[m * (P->ptr ? P->idx[k] : k - n * i) + i] = value[k];
    }
}

// G a + gamma(q, v) at q
static void frequency_rate(const HolProblem *p, void *work, const HolView *x, const double *q,
                           double *values, double *G, double *out) {
    memset(values, 0, sizeof(double) * (size_t)p->G.nnz);
    memset(G, 0, sizeof(double) * (size_t)(x->m * x->nv));
    p->jacobian(p, work, &(HolPoint){.t = x->t, .q = q}, values);
    spread_rows(&p->G, values, x->m, x->nv, G);
    p->acceleration_rhs(p, work, &(HolPoint){.t = x->t, .q = q, .v = x->v}, out);
    for (int j = 0; j < x->nv; j++)
        for (int i = 0; i < x->m; i++)
            out[i] += G[x->m * j + i] * x->a[j];
}

// Hdd by fourth-order differences
static void second_rate(const HolProblem *p, void *work, const HolView *x, HolArena *arena,
                        Dense *d) {
    static const double place[4] = {-2, -1, 1, 2}, weight[4] = {1. / 12, -2. / 3, 2. / 3, -1. / 12};
    double *q = HOL_NEW(arena, double, x->nq), *values = HOL_NEW(arena, double, p->G.nnz);
    double *G = HOL_NEW(arena, double, d->m * d->n), *out = HOL_NEW(arena, double, d->m);
    if (arena->failed)
        return;
    memcpy(q, x->q, sizeof(double) * (size_t)x->nq);
    for (int j = 0; j < d->n; j++) {
        const double e = 1e-3 * fmax(1e-2, fmin(1, fabs(q[j])));
        for (int k = 0; k < 4; k++) {
            q[j] = x->q[j] + place[k] * e;
            frequency_rate(p, work, x, q, values, G, out);
            for (int i = 0; i < d->m; i++)
                d->Hdd[d->m * j + i] += weight[k] / e * out[i];
        }
        q[j] = x->q[j];
    }
}

static int frequency_evaluate(const HolProblem *p, void *work, const HolView *x, HolArena *arena,
                              Dense *d) {
    const int n = d->n, m = d->m;
    double *S = HOL_NEW(arena, double, p->S.nnz ? p->S.nnz : n *n);
    double *values = HOL_NEW(arena, double, p->G.nnz ? p->G.nnz : m *n);
    double **square[] = {&d->M, &d->C, &d->K}, **flat[] = {&d->G, &d->Hd, &d->Hdd};
    for (int i = 0; i < 3; i++) {
        *square[i] = HOL_NEW(arena, double, n *n);
        *flat[i] = HOL_NEW(arena, double, m *n);
    }
    if (arena->failed)
        return 0;
    const size_t s_size = sizeof(double) * (size_t)p->S.nnz;
    p->mass(p, work, &(HolPoint){.t = x->t, .q = x->q}, 1, 1, S);
    spread_columns(&p->S, S, n, d->M);
    memset(S, 0, s_size);
    p->tangent(
        p, work,
        &(HolPoint){.t = x->t, .q = x->q, .v = x->v, .a = x->a, .lambda = x->lambda, .w = x->w}, 1,
        0, S);
    spread_columns(&p->S, S, n, d->C);
    memset(S, 0, s_size);
    p->tangent(
        p, work,
        &(HolPoint){.t = x->t, .q = x->q, .v = x->v, .a = x->a, .lambda = x->lambda, .w = x->w}, 0,
        1, S);
    spread_columns(&p->S, S, n, d->K);
    if (m == 0)
        return 1;
    p->jacobian(p, work, &(HolPoint){.t = x->t, .q = x->q}, values);
    spread_rows(&p->G, values, m, n, d->G);
    memset(values, 0, sizeof(double) * (size_t)p->G.nnz);
    p->velocity_jacobian(p, work, &(HolPoint){.t = x->t, .q = x->q, .v = x->v}, values);
    spread_rows(&p->G, values, m, n, d->Hd);
    second_rate(p, work, x, arena, d);
    return !arena->failed;
}

// N and S = G^+ from the singular values of G
static int null_space(HolArena *arena, Dense *d) {
    const int n = d->n, m = d->m;
    double *A = HOL_NEW(arena, double, m *n + 1), *s = HOL_NEW(arena, double, m + n);
    double *u = HOL_NEW(arena, double, m *m + 1), *vt = HOL_NEW(arena, double, n *n);
    d->N = HOL_NEW(arena, double, n *n);
    d->S = HOL_NEW(arena, double, n *m + 1);
    if (arena->failed)
        return 0;
    if (m) {
        memcpy(A, d->G, sizeof(double) * (size_t)(m * n));
        if (hol_dense_svd(m, n, A, s, u, vt))
            return 0;
    } else
        for (int i = 0; i < n; i++)
            vt[n * i + i] = 1;
    while (d->rank < m && d->rank < n && s[d->rank] > 1e-10 * s[0])
        d->rank++;
    d->d = n - d->rank;
    for (int k = 0; k < d->d; k++)
        for (int i = 0; i < n; i++)
            d->N[n * k + i] = vt[n * i + d->rank + k];
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++)
            for (int k = 0; k < d->rank; k++)
                d->S[n * j + i] += vt[n * i + k] * u[m * k + j] / s[k];
    return 1;
}

// sqrt of the largest |eigenvalue| of A^-1 B, and of the smallest; both are overwritten, A by its
// factors and B by A^-1 B; NAN when A is singular
static double frequency(HolArena *arena, int n, double *A, double *B, double *slowest) {
    int *pivot = HOL_NEW(arena, int, n);
    double *re = HOL_NEW(arena, double, n), *im = HOL_NEW(arena, double, n), most = 0;
    double *copy = HOL_NEW(arena, double, n *n), least = INFINITY;
    if (arena->failed || hol_dense_lu(n, A, pivot))
        return NAN;
    for (int j = 0; j < n; j++)
        hol_dense_lu_solve(n, A, pivot, B + n * j);
    memcpy(copy, B, sizeof(double) * (size_t)(n * n));
    if (hol_dense_eigenvalues(n, copy, re, im))
        return NAN;
    for (int i = 0; i < n; i++) {
        most = fmax(most, hypot(re[i], im[i]));
        least = fmin(least, hypot(re[i], im[i]));
    }
    *slowest = sqrt(least);
    return sqrt(most);
}

// the largest eigenvalue of M_R a + C_R v + K_R x = 0; M_K = M_R^-1 K_R
static void damped(HolArena *arena, int n, double *M_R, const double *M_K, double *C_R,
                   HolFrequencies *out) {
    const int N = 2 * n;
    int *pivot = HOL_NEW(arena, int, n);
    double *A = HOL_NEW(arena, double, N *N), *re = HOL_NEW(arena, double, N),
           *im = HOL_NEW(arena, double, N);
    out->eigenvalue_re = out->eigenvalue_im = NAN;
    if (arena->failed || hol_dense_lu(n, M_R, pivot))
        return;
    for (int j = 0; j < n; j++) {
        hol_dense_lu_solve(n, M_R, pivot, C_R + n * j);
        A[N * (n + j) + j] = 1;
        for (int i = 0; i < n; i++) {
            A[N * j + n + i] = -M_K[n * j + i];
            A[N * (n + j) + n + i] = -C_R[n * j + i];
        }
    }
    if (hol_dense_eigenvalues(N, A, re, im))
        return;
    int k = 0;
    for (int i = 1; i < N; i++)
        if (hypot(re[i], im[i]) > hypot(re[k], im[k]))
            k = i;
    out->eigenvalue_re = re[k];
    out->eigenvalue_im = im[k];
}

// S - N L S in the mass metric: L = M_R^-1 N^T M
static void mass_metric(HolArena *arena, Dense *d, const double *M_R) {
    const int n = d->n, m = d->m, k = d->d;
    double *A = HOL_NEW(arena, double, k *k), *MS = HOL_NEW(arena, double, n *m + 1);
    double *LS = HOL_NEW(arena, double, k *m + 1), *NLS = HOL_NEW(arena, double, n *m + 1);
    int *pivot = HOL_NEW(arena, int, k);
    if (arena->failed)
        return;
    memcpy(A, M_R, sizeof(double) * (size_t)(k * k));
    frequency_multiply(n, n, m, d->M, 0, d->S, MS);
    frequency_multiply(k, n, m, d->N, 1, MS, LS);
    if (hol_dense_lu(k, A, pivot))
        return;
    for (int j = 0; j < m; j++)
        hol_dense_lu_solve(k, A, pivot, LS + k * j);
    frequency_multiply(n, k, m, d->N, 0, LS, NLS);
    for (int i = 0; i < n * m; i++)
        d->S[i] -= NLS[i];
}

static double reduced(HolArena *arena, Dense *d, int mass, HolFrequencies *out) {
    const int n = d->n, m = d->m, k = d->d;
    double *X1 = HOL_NEW(arena, double, n *k), *X2 = HOL_NEW(arena, double, n *k);
    double *A = HOL_NEW(arena, double, n *k), *B = HOL_NEW(arena, double, n *k);
    double *R = HOL_NEW(arena, double, (m + 1) * k), *T = HOL_NEW(arena, double, (m + 1) * k);
    double *M_R = HOL_NEW(arena, double, k *k), *K_R = HOL_NEW(arena, double, k *k);
    double *M_copy = HOL_NEW(arena, double, k *k), *C_R = HOL_NEW(arena, double, k *k);
    if (arena->failed)
        return NAN;
    frequency_multiply(n, n, k, d->M, 0, d->N, A);
    frequency_multiply(k, n, k, d->N, 1, A, M_R);
    if (mass)
        mass_metric(arena, d, M_R);
    frequency_multiply(m, n, k, d->Hd, 0, d->N, R);
    frequency_multiply(n, m, k, d->S, 0, R, X1);
    for (int i = 0; i < n * k; i++)
        X1[i] = -X1[i];
    frequency_multiply(m, n, k, d->Hd, 0, X1, R);
    frequency_multiply(m, n, k, d->Hdd, 0, d->N, T);
    for (int i = 0; i < m * k; i++)
        R[i] = -(2 * R[i] + T[i]);
    frequency_multiply(n, m, k, d->S, 0, R, X2);
    frequency_multiply(n, n, k, d->K, 0, d->N, A);
    frequency_multiply(n, n, k, d->C, 0, X1, B);
    for (int i = 0; i < n * k; i++)
        A[i] += B[i];
    frequency_multiply(n, n, k, d->M, 0, X2, B);
    for (int i = 0; i < n * k; i++)
        A[i] += B[i];
    frequency_multiply(k, n, k, d->N, 1, A, K_R);
    frequency_multiply(n, n, k, d->C, 0, d->N, A);
    frequency_multiply(n, n, k, d->M, 0, X1, B);
    for (int i = 0; i < n * k; i++)
        A[i] += 2 * B[i];
    frequency_multiply(k, n, k, d->N, 1, A, C_R);
    memcpy(M_copy, M_R, sizeof(double) * (size_t)(k * k));
    const double largest = frequency(arena, k, M_R, K_R, &out->slowest);
    damped(arena, k, M_copy, K_R, C_R, out);
    return largest;
}

HolStatus hol_paper_frequencies(const HolModel *model, const HolView *x, HolFrequencies *out,
                                HolError *err) {
    const HolProblem *p = hol_model_problem(model);
    HolArena arena = {0};
    Dense d = {.n = x->nv, .m = x->m};
    void *work = hol_arena_alloc(&arena, p->work_size ? p->work_size : 1);
    HolStatus status = HOL_OK;
    if (!work || (p->work_init && p->work_init(p, work) != HOL_OK) || x->nq != x->nv ||
        !frequency_evaluate(p, work, x, &arena, &d) || !null_space(&arena, &d))
        status = hol_error_set(err, HOL_ERR_UNSUPPORTED, "no natural frequencies of this state");
    if (status == HOL_OK) {
        HolFrequencies other;
        out->reduced_euclid = reduced(&arena, &d, 0, out);
        out->reduced_mass = reduced(&arena, &d, 1, &other);
        out->unreduced = frequency(&arena, d.n, d.M, d.K, &other.slowest);
    }
    hol_arena_free(&arena);
    return status;
}

HolFrequencies hol_paper_start_frequencies(HolPaper *p, const char *model, const char *settings) {
    HolFrequencies f = {NAN, NAN, NAN, NAN, NAN, NAN};
    HolSimOptions o;
    HolSim *sim = NULL;
    HolModel *m = hol_paper_model(p, model, settings, &o);
    if (m)
        p->status = hol_sim_create(m, &o, &sim, p->err);
    if (sim && (p->status = hol_sim_assemble(sim, p->err)) == HOL_OK) {
        const HolView x = hol_sim_view(sim);
        p->status = hol_paper_frequencies(m, &x, &f, p->err);
    }
    hol_sim_destroy(sim);
    hol_model_destroy(m);
    return f;
}

double hol_paper_radius(int n, double *A) {
    double re[32], im[32], most = 0;
    if (n > 32 || hol_dense_eigenvalues(n, A, re, im))
        return NAN;
    for (int i = 0; i < n; i++)
        most = fmax(most, hypot(re[i], im[i]));
    return most;
}

double hol_paper_condition(int n, double *A) {
    double s[128];
    if (n > 128 || hol_dense_svd(n, n, A, s, NULL, NULL))
        return NAN;
    return s[n - 1] > 0 ? s[0] / s[n - 1] : INFINITY;
}
