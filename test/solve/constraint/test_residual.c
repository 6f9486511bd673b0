// SPDX-License-Identifier: Apache-2.0
// What unknowns and multipliers leave over of a saddle point, in tiles: against one product after
// the other, for bodies joined in order, out of order, and all to one; the same bits from one
// thread and from two.
#include "base/thread_pool.h"
#include "solve/constraint/project.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static double random_value(unsigned *state) {
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / 8388608.0 - 1.0;
}

static double *random_vector(HolArena *a, int n, unsigned seed) {
    double *x = HOL_NEW(a, double, n + 1);
    for (int i = 0; i < n; i++)
        x[i] = random_value(&seed);
    return x;
}

enum { CHAIN, SHUFFLED, STAR, KINDS };

// the two bodies of joint i; -1: ground
static void joined(int kind, int bodies, int i, int body[2]) {
    const int k = kind == SHUFFLED ? (int)((long)i * 7 % bodies) : i; // 7 does not divide `bodies`
    body[0] = k == 0 ? -1 : kind == STAR ? 0 : k - 1;
    body[1] = k;
}

// planar bodies, two rows a joint; M diagonal or coupled in each body
static void make_patterns(HolArena *a, int kind, int bodies, int coupled, HolProblem *p) {
    const int n = 3 * bodies, m = 2 * bodies;
    int *Mp = HOL_NEW(a, int, n + 1), *Mi = HOL_NEW(a, int, 3 * n + 1), nnz = 0;
    int *Gp = HOL_NEW(a, int, m + 1), *Gi = HOL_NEW(a, int, 4 * m + 1);
    for (int j = 0; j < n; j++) {
        for (int i = coupled ? j / 3 * 3 : j; i < (coupled ? j / 3 * 3 + 3 : j + 1); i++)
            Mi[nnz++] = i;
        Mp[j + 1] = nnz;
    }
    p->M = (HolPattern){n, n, nnz, Mp, Mi};
    nnz = 0;
    for (int i = 0; i < m; i++) {
        int body[2];
        joined(kind, bodies, i / 2, body);
        for (int side = body[0] < 0; side < 2; side++) {
            Gi[nnz++] = 3 * body[side] + i % 2;
            Gi[nnz++] = 3 * body[side] + 2;
        }
        Gp[i + 1] = nnz;
    }
    p->G = (HolPattern){m, n, nnz, Gp, Gi};
}

// all results of a run with so many threads into out; against plain products
static void check_run(int kind, int bodies, int coupled, int threads, double *out) {
    HolProblem p = hol_problem_def();
    p.symmetric_mass = 1;
    HolSim s = {.p = &p, .nv = 3 * bodies, .m = 2 * bodies};
    HolArena *a = &s.arena;
    const int n = s.nv, m = s.m;
    make_patterns(a, kind, bodies, coupled, &p);
    s.pool = threads > 1 ? hol_pool_create(a, threads) : NULL;
    assert_true(hol_products_prepare(&s) && hol_residual_prepare(&s));
    assert_true((s.tiles == NULL) == (kind == STAR && bodies > 1000));
    double *M = random_vector(a, p.M.nnz, 1), *G = random_vector(a, p.G.nnz, 2);
    for (int j = 0; j < n; j++) // symmetric
        for (int k = p.M.ptr[j]; k < p.M.ptr[j + 1]; k++)
            M[k] = 1.0 / (1 + j / 3 + p.M.idx[k] % 3 + j % 3);
    const double *x = random_vector(a, n, 3), *z = random_vector(a, n, 4),
                 *l = random_vector(a, m, 5), *start = random_vector(a, n, 6),
                 *rows = random_vector(a, m, 7);
    double *want = HOL_NEW(a, double, n + m), *d = HOL_NEW(a, double, n + 1);
    for (int way = 0; way < 16; way++) {
        const int with_z = way & 1, with_l = way & 2, with_u = way & 4;
        const double c = (way & 8 ? 1 : -1) * (way & 2 ? 1 : 0);
        double *r = out + way * (n + m), *r2 = r + n;
        memcpy(r2, rows, sizeof *r * (size_t)m);
        hol_sim_residual(&s,
                         &(HolResidual){M, G, x, with_z ? z : NULL, with_l ? l : NULL,
                                        with_u ? x : NULL, way & 8 ? start : NULL, c, r, r2, d});
        for (int i = 0; i < n; i++) {
            want[i] = way & 8 ? start[i] : 0;
            d[i] = with_z ? x[i] - z[i] : x[i];
        }
        for (int i = 0; i < m; i++)
            want[n + i] = with_u ? c * rows[i] : rows[i];
        hol_mul_columns(&p.M, M, d, -1, want);
        if (with_l)
            hol_mul_rows_transposed(&p.G, G, l, -1, want);
        if (with_u)
            hol_mul_rows(&p.G, G, x, -1, want + n);
        for (int i = 0; i < n + m; i++)
            assert_true(fabs(r[i] - want[i]) <= 1e-12);
    }
    hol_pool_destroy(s.pool);
    hol_arena_free(a);
}

static void test_residual(void **state) {
    (void)state;
    static const int bodies[] = {1, 90, 1201};
    for (int b = 0; b < 3; b++)
        for (int kind = 0; kind < KINDS; kind++)
            for (int coupled = 0; coupled < 2; coupled++) {
                HolArena a = {0};
                const int n = 16 * 5 * bodies[b];
                double *one = HOL_NEW(&a, double, n), *two = HOL_NEW(&a, double, n);
                check_run(kind, bodies[b], coupled, 1, one);
                check_run(kind, bodies[b], coupled, 2, two);
                assert_memory_equal(one, two, sizeof(double) * (size_t)n);
                hol_arena_free(&a);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_residual)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
