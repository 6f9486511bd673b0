// SPDX-License-Identifier: Apache-2.0
// Largest natural frequencies of a constrained state in a chart that is fixed in space, as the papers have
// them (planar and other plain problems, q' = v):
//   x = x_p + N al, v = v_p + N al' + X1 al, a = a_p + N al'' + 2 X1 al' + X2 al
//   X1 = -S Hd N,  X2 = -S (2 Hd X1 + Hdd N),  Hd = (G v + g_t)_q,  Hdd = (G a + gamma)_q
//   M_R = N^T M N,  C_R = N^T (C N + 2 M X1),  K_R = N^T (K N + C X1 + M X2)
// Matrices, N and S of the mass metric are those of solve/linear; S of the Euclidean metric is
// (1 - N (N^T N)^-1 N^T) S. Frequencies: sqrt of the largest |eigenvalue| of M_R^-1 K_R; unreduced: of
// M^-1 K, which has no mechanical meaning. Eigenvalues of the damped system: of
// [0 I; -M_R^-1 K_R, -M_R^-1 C_R]. `holonom modes` gives those that do not depend on the chart
// (docs/theory/linear.md, section 15).
#include "tools/papers/papers.h"

#include "math/dense.h"
#include "solve/linear/linear.h"

#include <math.h>
#include <string.h>

typedef struct Chart {
    HolSim *s;
    HolArena *arena;
    HolLinear l;
    double *Hdd; // m x n
} Chart;

static double *frequency_new(Chart *c, int rows, int cols) {
    return HOL_NEW(c->arena, double, rows *cols + 1);
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

// X (n x d) loses its part along N in the Euclidean metric
static int frequency_euclid(Chart *c, double *X) {
    const int n = c->l.n, d = c->l.nz;
    double *A = frequency_new(c, d, d), *B = frequency_new(c, d, d), *NB = frequency_new(c, n, d);
    if (c->arena->failed)
        return 0;
    hol_dense_multiply(d, n, d, c->l.N, 1, c->l.N, A);
    hol_dense_multiply(d, n, d, c->l.N, 1, X, B);
    if (hol_dense_positive_solve(d, d, A, B))
        return 0;
    hol_dense_multiply(n, d, d, c->l.N, 0, B, NB);
    for (int i = 0; i < n * d; i++)
        X[i] -= NB[i];
    return 1;
}

static double frequency_reduced(Chart *c, int mass, HolFrequencies *out) {
    const HolLinear *l = &c->l;
    const int n = l->n, m = l->m, k = l->nz;
    double *X1 = frequency_new(c, n, k), *X2 = frequency_new(c, n, k);
    double *A = frequency_new(c, n, k), *B = frequency_new(c, n, k);
    double *R = frequency_new(c, m, k), *T = frequency_new(c, m, k);
    double *M_R = frequency_new(c, k, k), *K_R = frequency_new(c, k, k);
    double *M_copy = frequency_new(c, k, k), *C_R = frequency_new(c, k, k);
    if (c->arena->failed)
        return NAN;
    memcpy(X1, l->X, sizeof *X1 * (size_t)(n * k));
    if (!mass && !frequency_euclid(c, X1))
        return NAN;
    hol_dense_multiply(m, n, k, l->Hd, 0, X1, R);
    hol_dense_multiply(m, n, k, c->Hdd, 0, l->N, T);
    for (int i = 0; i < m * k; i++)
        R[i] = -(2 * R[i] + T[i]);
    if (!hol_linear_lift(c->s, l, R, k, c->arena, X2) || (!mass && !frequency_euclid(c, X2)))
        return NAN;
    hol_dense_multiply(n, n, k, l->K, 0, l->N, A);
    hol_dense_multiply(n, n, k, l->C, 0, X1, B);
    for (int i = 0; i < n * k; i++)
        A[i] += B[i];
    hol_dense_multiply(n, n, k, l->M, 0, X2, B);
    for (int i = 0; i < n * k; i++)
        A[i] += B[i];
    hol_dense_multiply(k, n, k, l->N, 1, A, K_R);
    hol_dense_multiply(n, n, k, l->C, 0, l->N, A);
    hol_dense_multiply(n, n, k, l->M, 0, X1, B);
    for (int i = 0; i < n * k; i++)
        A[i] += 2 * B[i];
    hol_dense_multiply(k, n, k, l->N, 1, A, C_R);
    memcpy(M_R, l->M_R, sizeof *M_R * (size_t)(k * k));
    memcpy(M_copy, M_R, sizeof *M_R * (size_t)(k * k));
    const double largest = frequency(c->arena, k, M_R, K_R, &out->slowest);
    damped(c->arena, k, M_copy, K_R, C_R, out);
    return largest;
}

HolStatus hol_paper_frequencies(const HolModel *model, const HolView *x, HolFrequencies *out,
                                HolError *err) {
    HolArena arena = {0};
    Chart c = {.arena = &arena};
    const HolState at = {.t = x->t,
                         .q = (double *)x->q,
                         .v = (double *)x->v,
                         .a = (double *)x->a,
                         .lambda = (double *)x->lambda,
                         .w = (double *)x->w};
    HolStatus status = hol_sim_create(model, NULL, &c.s, err);
    if (status == HOL_OK)
        status = hol_sim_assemble(c.s, err);
    if (status == HOL_OK)
        status = hol_linearize_in(c.s, &at, HOL_AXES_TRANSPORT, NULL, &arena, &c.l, err);
    if (status == HOL_OK) {
        c.Hdd = frequency_new(&c, c.l.m, c.l.n);
        double *gamma_v = frequency_new(&c, c.l.m, c.l.n);
        HolFrequencies other;
        if (x->nq != x->nv || arena.failed)
            status =
                hol_error_set(err, HOL_ERR_UNSUPPORTED, "no natural frequencies of this state");
        else {
            if (c.l.m)
                hol_linear_second_jacobian(c.s, &at, &arena, c.Hdd, gamma_v);
            out->reduced_euclid = frequency_reduced(&c, 0, out);
            out->reduced_mass = frequency_reduced(&c, 1, &other);
            out->unreduced = frequency(&arena, c.l.n, c.l.M, c.l.K, &other.slowest);
        }
    }
    hol_sim_destroy(c.s);
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
