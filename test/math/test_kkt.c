// SPDX-License-Identifier: Apache-2.0
// Saddle-point solvers: every backend against LAPACK on chains, loops, redundant rows, inactive
// rows, borders, unsymmetric blocks and massless unknowns.
#include "math/saddle/kkt.h"
#include "math/saddle/kkt_block.h" // size of the factors
#include "math/saddle/kkt_complex.h"

#include <complex.h>
#include <lapacke.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char *const kinds[] = {"auto", "dense", "sparse", "ldl", "lu"};
enum { KINDS = 5 };

typedef struct System {
    HolArena arena;
    int n, m, nw;
    HolPattern S, G;
    double *Sv, *Gv, *Gtv; // Gtv NULL: equal to G
    double *A, *L, *W, *F;
    unsigned char *inactive;
} System;

static double random_value(unsigned *state) {
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / 8388608.0 - 1.0;
}

// patterns with room for `rows` rows of at most `width` entries
static System new_system(int n, int rows, int width, int block) {
    System s = {.n = n, .m = 0};
    int *Sp = HOL_NEW(&s.arena, int, n + 1), *Si = HOL_NEW(&s.arena, int, n *block);
    s.Sv = HOL_NEW(&s.arena, double, n *block);
    int nnz = 0;
    // S = blocks I + 0.3 (ones - I)/block: positive definite
    for (int j = 0; j < n; j++) {
        for (int i = j / block * block; i < n && i < j / block * block + block; i++) {
            Si[nnz] = i;
            s.Sv[nnz++] = i == j ? 1.0 + 0.1 * (j % 7) : 0.3 / block;
        }
        Sp[j + 1] = nnz;
    }
    s.S = (HolPattern){n, n, nnz, Sp, Si};
    int *Gp = HOL_NEW(&s.arena, int, rows + 1), *Gi = HOL_NEW(&s.arena, int, rows *width);
    s.Gv = HOL_NEW(&s.arena, double, rows *width);
    s.G = (HolPattern){0, n, 0, Gp, Gi};
    return s;
}

static void add_entry(System *s, int column, double value) {
    ((int *)s->G.idx)[s->G.nnz] = column;
    s->Gv[s->G.nnz++] = value;
}

static void end_row(System *s) {
    s->m = ++s->G.rows;
    ((int *)s->G.ptr)[s->m] = s->G.nnz;
}

// planar revolute between bodies a and b (-1: ground) with lever arms
static void revolute(System *s, int a, int b, unsigned *seed) {
    for (int axis = 0; axis < 2; axis++) {
        int low = a < b ? a : b, high = a < b ? b : a;
        for (int side = 0; side < 2; side++) {
            int body = side ? high : low;
            if (body < 0)
                continue;
            add_entry(s, 3 * body + axis, body == a ? -1 : 1);
            add_entry(s, 3 * body + 2, random_value(seed));
        }
        end_row(s);
    }
}

static System chain(int bodies, int close, unsigned seed) {
    System s = new_system(3 * bodies, 2 * bodies + 8, 6, 1);
    for (int i = 0; i < bodies; i++)
        revolute(&s, i - 1, i, &seed);
    if (close)
        revolute(&s, bodies - 1, -1, &seed);
    return s;
}

// a copy of row `row` times factor, plus times other of row `second` (-1: none)
static void add_combination(System *s, int row, double factor, int second, double other) {
    for (int j = 0; j < s->n; j++) {
        double value = 0;
        for (int part = 0; part < 2; part++) {
            int r = part ? second : row;
            if (r < 0)
                continue;
            for (int p = s->G.ptr[r]; p < s->G.ptr[r + 1]; p++)
                if (s->G.idx[p] == j)
                    value += s->Gv[p] * (part ? other : factor);
        }
        if (value != 0)
            add_entry(s, j, value);
    }
    end_row(s);
}

// dense K, column-major
static double *dense_matrix(System *s) {
    int n = s->n, m = s->m, nw = s->nw, N = n + m + nw;
    double *K = HOL_NEW(&s->arena, double, N *N);
    for (int j = 0; j < n; j++)
        for (int p = s->S.ptr[j]; p < s->S.ptr[j + 1]; p++)
            K[j * N + s->S.idx[p]] = s->Sv[p];
    for (int i = 0; i < m; i++) {
        int off = s->inactive && s->inactive[i];
        for (int p = s->G.ptr[i]; p < s->G.ptr[i + 1] && !off; p++) {
            K[s->G.idx[p] * N + n + i] = s->Gv[p];
            K[(n + i) * N + s->G.idx[p]] = s->Gtv ? s->Gtv[p] : s->Gv[p];
        }
        if (off)
            K[(n + i) * N + n + i] = 1;
    }
    for (int i = 0; i < nw; i++) {
        for (int j = 0; j < n; j++) {
            K[j * N + n + m + i] = -s->A[i * n + j];
            K[(n + m + i) * N + j] = -s->F[j * nw + i];
        }
        for (int j = 0; j < m; j++)
            K[(n + j) * N + n + m + i] = -s->L[i * m + j];
        for (int j = 0; j < nw; j++)
            K[(n + m + j) * N + n + m + i] = (i == j) - s->W[i * nw + j];
    }
    return K;
}

// minimum-norm least-squares solution by LAPACK (the plain solution when K is regular)
static void reference(System *s, double *b) {
    int N = s->n + s->m + s->nw, rank;
    double *K = dense_matrix(s), *sigma = HOL_NEW(&s->arena, double, N);
    assert_int_equal(LAPACKE_dgelsd(LAPACK_COL_MAJOR, N, N, 1, K, N, b, N, sigma, 1e-9, &rank), 0);
}

static HolKkt *make_kkt(System *s, const char *kind, int symmetric) {
    HolKkt *k = hol_kkt_create(&s->arena, &s->S, &s->G, s->nw, symmetric, kind);
    assert_non_null(k);
    memcpy(hol_kkt_S(k), s->Sv, sizeof(double) * (size_t)s->S.nnz);
    memcpy(hol_kkt_G(k), s->Gv, sizeof(double) * (size_t)s->G.nnz);
    if (s->Gtv)
        memcpy(hol_kkt_Gt(k), s->Gtv, sizeof(double) * (size_t)s->G.nnz);
    if (s->nw) {
        double *A, *L, *W, *F;
        size_t n = (size_t)s->n, m = (size_t)s->m, nw = (size_t)s->nw;
        hol_kkt_border(k, &A, &L, &W, &F);
        memcpy(A, s->A, sizeof(double) * nw * n);
        memcpy(L, s->L, sizeof(double) * nw * m);
        memcpy(W, s->W, sizeof(double) * nw * nw);
        memcpy(F, s->F, sizeof(double) * n * nw);
    }
    if (s->inactive)
        hol_kkt_inactive(k, s->inactive);
    return k;
}

// b = K x for a random x: always consistent
static double *consistent_rhs(System *s, unsigned seed) {
    int N = s->n + s->m + s->nw;
    double *K = dense_matrix(s), *b = HOL_NEW(&s->arena, double, N);
    for (int j = 0; j < N; j++) {
        double x = random_value(&seed);
        for (int i = 0; i < N; i++)
            b[i] += K[j * N + i] * x;
    }
    return b;
}

static double difference(int n, const double *a, const double *b) {
    double d = 0, size = 1;
    for (int i = 0; i < n; i++) {
        d = isnan(a[i]) ? INFINITY : fmax(d, fabs(a[i] - b[i]));
        size = fmax(size, fabs(b[i]));
    }
    return d / size;
}

// every kind against the reference; redundant: 0 must not be found, 1 is told, 2 must be found, 3
// may be
static void check_all(System *s, int symmetric, int redundant, double tolerance) {
    int N = s->n + s->m + s->nw;
    double *b = consistent_rhs(s, 11), *expected = HOL_NEW(&s->arena, double, N);
    double *x = HOL_NEW(&s->arena, double, N);
    memcpy(expected, b, sizeof(double) * (size_t)N);
    reference(s, expected);
    for (int kind = 0; kind < KINDS; kind++) {
        HolKkt *k = make_kkt(s, kinds[kind], symmetric);
        hol_kkt_set_redundant(k, redundant == 1);
        // twice: the second factorization takes the path without pivot search
        for (int repeat = 0; repeat < 2; repeat++) {
            assert_int_equal(hol_kkt_factor(k), 0);
            memcpy(x, b, sizeof(double) * (size_t)N);
            hol_kkt_solve(k, x);
            double d = difference(N, x, expected);
            if (!(d < tolerance))
                print_error("kind %s (%s): difference %g\n", kinds[kind], hol_kkt_stats(k).solver,
                            d);
            assert_true(d < tolerance);
        }
        assert_int_equal(hol_kkt_stats(k).factorizations, 2);
        if (redundant == 2) // found by itself
            assert_true(hol_kkt_stats(k).regularized == 2);
        if (redundant == 0)
            assert_true(hol_kkt_stats(k).regularized == 0);
        hol_kkt_destroy(k);
    }
}

static void test_chains(void **state) {
    (void)state;
    for (int bodies = 1; bodies <= 40; bodies += 3)
        for (int close = 0; close <= (bodies > 3); close++) {
            System s = chain(bodies, close, (unsigned)bodies);
            check_all(&s, 1, 0, 1e-8);
            hol_arena_free(&s.arena);
        }
}

static void test_block_mass(void **state) {
    (void)state;
    for (int block = 2; block <= 12; block += 2) {
        unsigned seed = 5;
        System s = new_system(24, 12, 24, block);
        for (int i = 0; i < 12; i++) {
            for (int j = i; j < 24; j += 3)
                add_entry(&s, j, random_value(&seed));
            end_row(&s);
        }
        check_all(&s, 1, 0, 1e-9);
        hol_arena_free(&s.arena);
    }
}

// S gains entries between the angles of neighbouring bodies (symmetric, positive definite)
static void couple_angles(System *s) {
    int *Sp = HOL_NEW(&s->arena, int, s->n + 1), *Si = HOL_NEW(&s->arena, int, 3 * s->n), nnz = 0;
    double *Sv = HOL_NEW(&s->arena, double, 3 * s->n);
    for (int j = 0; j < s->n; j++) {
        for (int i = j - 3; i <= j + 3; i += 3)
            if (i >= 0 && i < s->n && (i == j || j % 3 == 2)) {
                Si[nnz] = i;
                Sv[nnz++] = i == j ? s->Sv[j] : 0.2;
            }
        Sp[j + 1] = nnz;
    }
    s->S = (HolPattern){s->n, s->n, nnz, Sp, Si};
    s->Sv = Sv;
}

static void test_redundant_minimum_norm(void **state) {
    (void)state;
    for (int given = 1; given <= 2; given++)
        for (int bodies = 3; bodies <= 15; bodies += 4) {
            System s = chain(bodies, 0, (unsigned)bodies + 3);
            couple_angles(&s);
            add_combination(&s, 1, 2.0, -1, 0);
            add_combination(&s, 3, 1.0, -1, 0);
            add_combination(&s, 0, 0.7, 5, -1.3);
            check_all(&s, 1, given, 2e-9);
            // Newton matrices: S no longer symmetric
            for (int p = 0; p < s.S.nnz; p++)
                s.Sv[p] *= 1 + 0.1 * (p % 3);
            check_all(&s, 0, given, 2e-9);
            hol_arena_free(&s.arena);
        }
}

// an inconsistent right-hand side must neither blow up the multipliers nor the unknowns
static void test_redundant_inconsistent(void **state) {
    (void)state;
    System s = chain(5, 0, 9);
    add_combination(&s, 2, 1.0, -1, 0);
    int N = s.n + s.m;
    double *b = consistent_rhs(&s, 4), *expected = HOL_NEW(&s.arena, double, N);
    double *x = HOL_NEW(&s.arena, double, N);
    memcpy(expected, b, sizeof(double) * (size_t)N);
    reference(&s, expected);
    b[N - 1] += 1e-6; // rows 2 and the copy now disagree; least squares shares it
    for (int kind = 0; kind < KINDS; kind++) {
        HolKkt *k = make_kkt(&s, kinds[kind], 1);
        hol_kkt_set_redundant(k, 1);
        assert_int_equal(hol_kkt_factor(k), 0);
        memcpy(x, b, sizeof(double) * (size_t)N);
        hol_kkt_solve(k, x);
        assert_true(difference(N, x, expected) < 1e-5);
        hol_kkt_destroy(k);
    }
    hol_arena_free(&s.arena);
}

// rank of G drops on the way and comes back: regularized only there
static void test_passing_singularity(void **state) {
    (void)state;
    System s = chain(4, 0, 2);
    add_combination(&s, 3, 1.0, -1, 0);
    int last = s.G.nnz - 1, N = s.n + s.m;
    double kept = s.Gv[last], *x = HOL_NEW(&s.arena, double, N);
    for (int kind = 0; kind < KINDS; kind++) {
        HolKkt *k = make_kkt(&s, kinds[kind], 1);
        for (int step = -3; step <= 3; step++) {
            s.Gv[last] = hol_kkt_G(k)[last] = kept + 0.01 * step;
            double *b = consistent_rhs(&s, 8), *expected = HOL_NEW(&s.arena, double, N);
            memcpy(expected, b, sizeof(double) * (size_t)N);
            reference(&s, expected);
            assert_int_equal(hol_kkt_factor(k), 0);
            memcpy(x, b, sizeof(double) * (size_t)N);
            hol_kkt_solve(k, x);
            assert_true(difference(N, x, expected) < 1e-8);
            assert_int_equal(hol_kkt_stats(k).regularized, step >= 0);
        }
        hol_kkt_destroy(k);
    }
    hol_arena_free(&s.arena);
}

// a state that is not a number fails, and does no lasting harm
static void test_not_finite(void **state) {
    (void)state;
    System s = chain(4, 1, 2);
    int N = s.n + s.m;
    for (int kind = 0; kind < KINDS; kind++) {
        HolKkt *k = make_kkt(&s, kinds[kind], 1);
        double *b = consistent_rhs(&s, 8), *expected = HOL_NEW(&s.arena, double, N);
        memcpy(expected, b, sizeof(double) * (size_t)N);
        reference(&s, expected);
        const char *solver = hol_kkt_stats(k).solver;
        hol_kkt_G(k)[3] = NAN;
        assert_int_not_equal(hol_kkt_factor(k), 0);
        hol_kkt_G(k)[3] = s.Gv[3];
        hol_kkt_S(k)[1] = NAN;
        assert_int_not_equal(hol_kkt_factor(k), 0);
        hol_kkt_S(k)[1] = s.Sv[1];
        assert_int_equal(hol_kkt_factor(k), 0);
        hol_kkt_solve(k, b);
        assert_true(difference(N, b, expected) < 1e-9);
        assert_string_equal(hol_kkt_stats(k).solver, solver);
        hol_kkt_destroy(k);
    }
    hol_arena_free(&s.arena);
}

// every failing allocation is reported, and nothing leaks (seen by the sanitizers)
static void test_no_memory(void **state) {
    (void)state;
    System s = chain(30, 1, 2);
    for (int kind = 0; kind < KINDS; kind++) {
        int created = 0;
        for (long n = 0; n < 60 && !created; n++) {
            HolArena arena = {0};
            hol_arena_fail_after(n);
            HolKkt *k = hol_kkt_create(&arena, &s.S, &s.G, 0, 1, kinds[kind]);
            hol_arena_fail_after(-1);
            created = k && !arena.failed && n > 20;
            hol_kkt_destroy(k);
            hol_arena_free(&arena);
        }
        assert_true(created);
    }
    hol_arena_free(&s.arena);
}

static void test_inactive_rows(void **state) {
    (void)state;
    System s = chain(7, 1, 6);
    s.inactive = HOL_NEW(&s.arena, unsigned char, s.m);
    s.inactive[2] = s.inactive[9] = s.inactive[s.m - 1] = 1;
    check_all(&s, 1, 0, 1e-9);
    check_all(&s, 1, 1, 1e-8);
    // and back: all rows active again
    HolKkt *k = make_kkt(&s, "auto", 1);
    assert_int_equal(hol_kkt_factor(k), 0);
    hol_kkt_inactive(k, NULL);
    s.inactive = NULL;
    int N = s.n + s.m;
    double *x = consistent_rhs(&s, 1), *expected = consistent_rhs(&s, 1);
    reference(&s, expected);
    assert_int_equal(hol_kkt_factor(k), 0);
    hol_kkt_solve(k, x);
    assert_true(difference(N, x, expected) < 1e-9);
    hol_kkt_destroy(k);
    hol_arena_free(&s.arena);
}

static double *random_block(System *s, int count, double size, unsigned *seed) {
    double *block = HOL_NEW(&s->arena, double, count);
    for (int i = 0; i < count; i++)
        block[i] = size * random_value(seed);
    return block;
}

static void add_border(System *s, int nw, unsigned seed) {
    s->nw = nw;
    s->A = random_block(s, nw * s->n, 0.5, &seed);
    s->L = random_block(s, nw * s->m, 0.5, &seed);
    s->W = random_block(s, nw * nw, 0.2, &seed);
    s->F = random_block(s, nw * s->n, 0.5, &seed);
}

static void test_border(void **state) {
    (void)state;
    for (int bodies = 1; bodies <= 21; bodies += 5) {
        System s = chain(bodies, 0, 3);
        add_border(&s, 1 + bodies % 3, 17);
        check_all(&s, 1, 0, 1e-8);
        hol_arena_free(&s.arena);
    }
}

static void test_unsymmetric(void **state) {
    (void)state;
    for (int bodies = 2; bodies <= 22; bodies += 5) {
        unsigned seed = 21;
        System s = chain(bodies, 0, 3);
        s.Gtv = HOL_NEW(&s.arena, double, s.G.nnz);
        for (int p = 0; p < s.G.nnz; p++)
            s.Gtv[p] = s.Gv[p] * (1 + 0.2 * random_value(&seed));
        check_all(&s, 0, 0, 1e-8);
        check_all(&s, 1, 0, 1e-8); // Gt set apart makes a symmetric start unsymmetric
        hol_arena_free(&s.arena);
    }
    // S with an unsymmetric pattern that couples bodies
    unsigned seed = 2;
    System s = chain(10, 0, 3);
    int *Sp = HOL_NEW(&s.arena, int, s.n + 1), *Si = HOL_NEW(&s.arena, int, 3 * s.n), nnz = 0;
    s.Sv = HOL_NEW(&s.arena, double, 3 * s.n);
    for (int j = 0; j < s.n; j++) {
        for (int i = j; i < s.n && i <= j + 6; i += 3) {
            Si[nnz] = i;
            s.Sv[nnz++] = i == j ? 2 : 0.5 * random_value(&seed);
        }
        Sp[j + 1] = nnz;
    }
    s.S = (HolPattern){s.n, s.n, nnz, Sp, Si};
    check_all(&s, 0, 0, 1e-8);
    hol_arena_free(&s.arena);
}

// nearly massless unknowns under large forces: S^-1 r1 is huge, the motion is not
static void test_light(void **state) {
    (void)state;
    for (int close = 0; close < 2; close++)
        for (double mass = 1e-4; mass > 1e-13; mass *= 1e-2) {
            System s = chain(5, close, 13);
            s.Sv[3 * 2 + 2] = mass;
            s.Sv[3 * 4] = s.Sv[3 * 1] = mass;
            // below 1e-11 of the others a mass may look like a loss of rank: right, but regularized
            check_all(&s, 1, mass > 1e-11 ? 0 : 3, 1e-8);
            check_all(&s, 0, mass > 1e-11 ? 0 : 3, 1e-8);
            hol_arena_free(&s.arena);
        }
}

// a Newton matrix far from the mass matrix: vanishing diagonal, strong coupling
static void test_indefinite(void **state) {
    (void)state;
    for (double diagonal = 1e-2; diagonal > 1e-17; diagonal *= 1e-3) {
        System s = new_system(9, 4, 3, 3);
        for (int p = 0; p < s.S.nnz; p++)
            s.Sv[p] = 1 + 0.3 * (p % 5) - 0.2 * (p % 7);
        s.Sv[0] = s.Sv[13] = diagonal;
        for (int i = 0; i < 3; i++) {
            add_entry(&s, i, 1);
            add_entry(&s, i + 3, -1.5);
            end_row(&s);
        }
        check_all(&s, 0, 0, 1e-8);
        hol_arena_free(&s.arena);
    }
}

// unknowns without mass that the constraints hold; and one that nothing holds fails in all kinds
static void test_massless(void **state) {
    (void)state;
    System s = chain(5, 0, 13);
    s.Sv[3 * 2 + 2] = 0;
    s.Sv[3 * 4] = 0;
    check_all(&s, 1, 0, 1e-8);
    hol_arena_free(&s.arena);
    System free_unknown = new_system(3, 1, 3, 1);
    add_entry(&free_unknown, 0, 1);
    end_row(&free_unknown);
    free_unknown.Sv[2] = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        HolKkt *k = make_kkt(&free_unknown, kinds[kind], 1);
        assert_int_not_equal(hol_kkt_factor(k), 0);
        hol_kkt_destroy(k);
    }
    hol_arena_free(&free_unknown.arena);
}

// a hub with many arms, where the safe order would fill in
static void test_star(void **state) {
    (void)state;
    unsigned seed = 77;
    System s = new_system(3 * 31, 60, 6, 1);
    for (int i = 1; i <= 30; i++)
        revolute(&s, 0, i, &seed);
    check_all(&s, 1, 0, 1e-8);
    hol_arena_free(&s.arena);
}

static void test_empty_parts(void **state) {
    (void)state;
    System no_rows = new_system(4, 1, 1, 2);
    check_all(&no_rows, 1, 0, 1e-12);
    hol_arena_free(&no_rows.arena);
}

static void test_scales(void **state) {
    (void)state;
    // units far apart must not look like rank loss
    System s = chain(6, 0, 31);
    for (int j = 0; j < s.n; j++)
        s.Sv[j] *= j % 3 == 2 ? 1e-6 : (j / 3 % 2 ? 1e3 : 1e-2);
    for (int i = 0; i < s.m; i++)
        for (int p = s.G.ptr[i]; p < s.G.ptr[i + 1]; p++)
            s.Gv[p] *= s.G.idx[p] % 3 == 2 ? 1e-3 : 1;
    check_all(&s, 1, 0, 1e-6);
    hol_arena_free(&s.arena);
}

static void test_no_allocation(void **state) {
    (void)state;
    System s = chain(50, 1, 3);
    double *b = consistent_rhs(&s, 3);
    for (int kind = 0; kind < KINDS; kind++) {
        HolKkt *k = make_kkt(&s, kinds[kind], 1);
        hol_kkt_factor(k);
        size_t before = s.arena.total;
        for (int i = 0; i < 5; i++) {
            hol_kkt_factor(k);
            hol_kkt_solve(k, b);
        }
        assert_true(s.arena.total == before);
        hol_kkt_destroy(k);
    }
    hol_arena_free(&s.arena);
}

// the fill of L and the memory of the positions grow linearly with a chain
static void test_linear_growth(void **state) {
    (void)state;
    size_t bytes[2];
    long values[2];
    for (int i = 0; i < 2; i++) {
        System s = chain(i ? 1000 : 100, 0, 3);
        size_t before = s.arena.total;
        HolKkt *k = make_kkt(&s, "ldl", 1);
        assert_ptr_equal(k->backend, &hol_kkt_ldl);
        values[i] = ((const HolFactors *)k->factors)->n_values;
        bytes[i] = s.arena.total - before;
        hol_kkt_destroy(k);
        hol_arena_free(&s.arena);
    }
    // a joint is a block of two columns: a triangle of its own and a square for the next joint
    assert_in_range(values[0], 450, 600);
    assert_in_range(values[1], 10 * values[0] - 100, 10 * values[0] + 100);
    assert_true(bytes[1] < 11 * bytes[0]);
}

// the complex saddle point against its own matrix, multiplied out
static void test_complex_saddle(void **state) {
    (void)state;
    System s = chain(7, 0, 5);
    couple_angles(&s);
    const int n = s.n, N = s.n + s.m;
    unsigned seed = 11;
    double *C = HOL_NEW(&s.arena, double, s.S.nnz), *K = HOL_NEW(&s.arena, double, s.S.nnz);
    double *B = HOL_NEW(&s.arena, double, s.G.nnz), *x = HOL_NEW(&s.arena, double, 2 * N);
    double complex *r = HOL_NEW(&s.arena, double complex, N);
    const double complex tau = 0.3 + 0.17 * I;
    for (int p = 0; p < s.S.nnz; p++) {
        C[p] = 0.4 * s.Sv[p];
        K[p] = 0.7 * s.Sv[p];
    }
    for (int p = 0; p < s.G.nnz; p++)
        B[p] = 0.2 * random_value(&seed);
    for (int i = 0; i < 2 * N; i++)
        x[i] = random_value(&seed);
    for (int i = 0; i < N; i++)
        r[i] = x[2 * i] + I * x[2 * i + 1];
    HolComplexSaddle *k = hol_complex_saddle_create(&s.arena, NULL, &s.S, &s.G);
    assert_non_null(k);
    assert_int_equal(hol_complex_saddle_factor(k, s.Sv, C, K, s.Gv, B, creal(tau), cimag(tau)), 0);
    hol_complex_saddle_solve(k, x);
    for (int j = 0; j < n; j++)
        for (int p = s.S.ptr[j]; p < s.S.ptr[j + 1]; p++)
            r[s.S.idx[p]] -=
                (s.Sv[p] + tau * C[p] + tau * tau * K[p]) * (x[2 * j] + I * x[2 * j + 1]);
    for (int i = 0; i < s.m; i++)
        for (int p = s.G.ptr[i]; p < s.G.ptr[i + 1]; p++) {
            const int j = s.G.idx[p], row = n + i;
            r[row] -= (s.Gv[p] + tau * B[p]) * (x[2 * j] + I * x[2 * j + 1]);
            r[j] -= s.Gv[p] * (x[2 * row] + I * x[2 * row + 1]);
        }
    for (int i = 0; i < N; i++)
        assert_true(cabs(r[i]) < 1e-11);
    hol_arena_free(&s.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_block_mass),
        cmocka_unit_test(test_redundant_minimum_norm),
        cmocka_unit_test(test_redundant_inconsistent),
        cmocka_unit_test(test_passing_singularity),
        cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_inactive_rows),
        cmocka_unit_test(test_border),
        cmocka_unit_test(test_unsymmetric),
        cmocka_unit_test(test_light),
        cmocka_unit_test(test_indefinite),
        cmocka_unit_test(test_massless),
        cmocka_unit_test(test_star),
        cmocka_unit_test(test_empty_parts),
        cmocka_unit_test(test_scales),
        cmocka_unit_test(test_no_allocation),
        cmocka_unit_test(test_linear_growth),
        cmocka_unit_test(test_complex_saddle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
