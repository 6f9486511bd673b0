// SPDX-License-Identifier: Apache-2.0
// Vectors and quaternions, four numbers side by side, dense kernels, rank and dependencies of rows.
#include "math/dense.h"
#include "math/saddle/kkt.h"
#include "math/simd_sincos.h"
#include "math/vec.h"

#include <lapacke.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define PI 3.14159265358979323846

static double random_value(unsigned *state) {
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / 8388608.0 - 1.0;
}

static Vec3 random_vector(unsigned *state) {
    double x = random_value(state), y = random_value(state), z = random_value(state);
    return v3(x, y, z);
}

static void assert_near(double a, double b, double tolerance) {
    if (!(fabs(a - b) <= tolerance))
        print_error("%.17g is not %.17g\n", a, b);
    assert_true(fabs(a - b) <= tolerance);
}

static void assert_vector(Vec3 a, Vec3 b, double tolerance) {
    assert_near(v3_norm(v3_sub(a, b)), 0, tolerance);
}

static void assert_matrix(Mat3 a, Mat3 b, double tolerance) {
    for (int i = 0; i < 9; i++)
        assert_near(a.m[i], b.m[i], tolerance);
}

static void test_vectors(void **state) {
    (void)state;
    unsigned seed = 1;
    double stored[3];
    for (int i = 0; i < 50; i++) {
        Vec3 a = random_vector(&seed), b = random_vector(&seed), p = v3_perpendicular(a);
        assert_near(v3_dot(v3_cross(a, b), a), 0, 1e-15);
        assert_vector(v3_cross(a, b), m3_mulv(m3_skew(a), b), 1e-15);
        assert_near(v3_dot(p, a), 0, 1e-15);
        assert_near(v3_norm(p), 1, 1e-15);
        v3_store(stored, v3_add(a, v3_scale(b, 2)));
        assert_vector(v3_sub(v3_load(stored), a), v3_scale(b, 2), 1e-15);
    }
    assert_near(v3_norm(v3_perpendicular(v3(0, 0, 0))), 1, 0);
    assert_near(v3_norm(v3_perpendicular(v3(0, 0, -3))), 1, 0);
}

static void test_matrices(void **state) {
    (void)state;
    unsigned seed = 2;
    Mat3 a, b;
    for (int i = 0; i < 9; i++) {
        a.m[i] = random_value(&seed);
        b.m[i] = random_value(&seed);
    }
    Vec3 v = random_vector(&seed);
    assert_vector(m3_mulv(m3_mul(a, b), v), m3_mulv(a, m3_mulv(b, v)), 1e-15);
    assert_vector(m3_tmulv(a, v), m3_mulv(m3_transpose(a), v), 0);
    assert_matrix(m3_tmul(a, b), m3_mul(m3_transpose(a), b), 0);
    assert_matrix(m3_mul(a, m3_identity()), a, 0);
    assert_vector(m3_column(&a, 1), m3_mulv(a, v3(0, 1, 0)), 0);
    assert_matrix(m3_columns(m3_column(&a, 0), m3_column(&a, 1), m3_column(&a, 2)), a, 0);
}

static void test_quaternions(void **state) {
    (void)state;
    unsigned seed = 3;
    for (int i = 0; i < 200; i++) {
        // from far beyond a turn down to tiny angles
        Vec3 phi = v3_scale(random_vector(&seed), pow(10, 1 - i % 12)), v = random_vector(&seed);
        Quat p = q_exp(phi), r = q_exp(random_vector(&seed));
        assert_near(p.w * p.w + p.x * p.x + p.y * p.y + p.z * p.z, 1, 1e-15);
        Mat3 A = q_matrix(p);
        assert_matrix(m3_tmul(A, A), m3_identity(), 4e-15);
        assert_vector(m3_mulv(A, phi), phi, 1e-14 * (1 + v3_norm(phi)));
        assert_vector(q_rotate(p, v), m3_mulv(A, v), 4e-15);
        assert_matrix(q_matrix(q_mul(p, r)), m3_mul(A, q_matrix(r)), 4e-15);
        assert_matrix(q_matrix(q_conj(p)), m3_transpose(A), 0);
        assert_matrix(q_matrix(q_from_matrix(A)), A, 4e-15);
        double angle = v3_norm(phi);
        assert_matrix(q_matrix(q_axis_angle(phi, angle)), A, 1e-14);
        if (angle < 3.1)
            assert_vector(q_log(p), phi, 4e-15 * (1 + angle) * angle);
        double stored[4];
        q_store(stored, q_normalize((Quat){3 * p.w, 3 * p.x, 3 * p.y, 3 * p.z}));
        assert_matrix(q_matrix(q_load(stored)), A, 4e-15);
    }
    // a quarter turn about z takes x to y
    assert_vector(q_rotate(q_axis_angle(v3(0, 0, 2), PI / 2), v3(1, 0, 0)), v3(0, 1, 0), 1e-15);
    // half turns, where the trace is smallest
    for (int axis = 0; axis < 3; axis++) {
        Vec3 e = v3(axis == 0, axis == 1, axis == 2);
        Mat3 A = q_matrix(q_axis_angle(e, PI));
        assert_matrix(q_matrix(q_from_matrix(A)), A, 1e-15);
    }
    // p' = 1/2 p omega (body axes) is what exp integrates: difference quotient
    Quat p = q_exp(v3(0.3, -0.2, 0.5)), small = q_mul(p, q_exp(v3(1e-6, 2e-6, -1e-6)));
    Quat rate = q_mul(p, (Quat){0, 0.5, 1.0, -0.5});
    assert_near((small.x - p.x) / 1e-6, rate.x, 1e-5);
    assert_near((small.w - p.w) / 1e-6, rate.w, 1e-5);
}

static void test_dense_lu(void **state) {
    (void)state;
    // both sides of the crossover between own loops and the library
    for (int n = 1; n <= 90; n = n * 2 + 1) {
        static double a[90 * 90], kept[90 * 90], x[90], b[90];
        int pivot[90];
        unsigned seed = (unsigned)n;
        for (int i = 0; i < n * n; i++)
            kept[i] = a[i] = random_value(&seed);
        for (int i = 0; i < n; i++)
            b[i] = x[i] = random_value(&seed);
        assert_int_equal(hol_dense_lu(n, a, pivot), 0);
        hol_dense_lu_solve(n, a, pivot, x);
        for (int i = 0; i < n; i++) {
            double sum = -b[i];
            for (int j = 0; j < n; j++)
                sum += kept[j * n + i] * x[j];
            assert_near(sum, 0, 1e-10);
        }
    }
    double singular[4] = {0, 0, 1, 2};
    int pivot[2];
    assert_int_equal(hol_dense_lu(2, singular, pivot), 1);
}

// ---- rank ----

typedef struct Rows {
    HolArena arena;
    HolPattern G;
    int *ptr, *idx;
    double *val;
} Rows;

static Rows new_rows(int columns, int rows, int entries) {
    Rows r = {0};
    r.ptr = HOL_NEW(&r.arena, int, rows + 1);
    r.idx = HOL_NEW(&r.arena, int, entries);
    r.val = HOL_NEW(&r.arena, double, entries);
    r.G = (HolPattern){0, columns, 0, r.ptr, r.idx};
    return r;
}

static void entry(Rows *r, int column, double value) {
    r->idx[r->G.nnz] = column;
    r->val[r->G.nnz++] = value;
}

static void end_row(Rows *r) {
    r->ptr[++r->G.rows] = r->G.nnz;
}

// planar revolute between bodies a and b, b = -1: ground; arms from the angles
static void revolute(Rows *r, int a, double angle_a, int b, double angle_b) {
    for (int axis = 0; axis < 2; axis++) {
        entry(r, 3 * a + axis, 1);
        entry(r, 3 * a + 2, axis ? cos(angle_a) : -sin(angle_a));
        if (b >= 0) {
            entry(r, 3 * b + axis, -1);
            entry(r, 3 * b + 2, axis ? cos(angle_b) : -sin(angle_b));
        }
        end_row(r);
    }
}

// true when row i is a combination of the rows listed for it, by a dense least-squares fit
static void check_combination(const Rows *r, int row, int count, const int *on) {
    int n = r->G.cols;
    HolArena a = {0};
    double *A = HOL_NEW(&a, double, n *(count + 1)), *b = HOL_NEW(&a, double, n + count + 1);
    for (int k = 0; k < count; k++)
        for (int p = r->ptr[on[k]]; p < r->ptr[on[k] + 1]; p++)
            A[k * n + r->idx[p]] = r->val[p];
    for (int p = r->ptr[row]; p < r->ptr[row + 1]; p++)
        b[r->idx[p]] = r->val[p];
    double *kept = HOL_NEW(&a, double, n), *columns = HOL_NEW(&a, double, n *(count + 1));
    memcpy(kept, b, sizeof(double) * (size_t)n);
    memcpy(columns, A, sizeof(double) * (size_t)n * (size_t)count);
    if (count)
        assert_int_equal(LAPACKE_dgels(LAPACK_COL_MAJOR, 'N', n, count, 1, A, n, b, n), 0);
    for (int i = 0; i < n; i++) {
        double sum = -kept[i];
        for (int k = 0; k < count; k++)
            sum += columns[k * n + i] * b[k];
        assert_near(sum, 0, 1e-9);
    }
    hol_arena_free(&a);
}

static int rank_of(Rows *r, unsigned char **dependent, int **on_ptr, int **on) {
    *dependent = HOL_NEW(&r->arena, unsigned char, r->G.rows + 1);
    return hol_rank_rows(&r->arena, &r->G, r->val, 1e-9, 1 << 20, *dependent, on_ptr, on);
}

static void test_rank_small(void **state) {
    (void)state;
    unsigned char *dependent;
    int *on_ptr, *on;
    Rows r = new_rows(20, 10, 60);
    // component one: a row, its multiple, an independent one, the sum of both
    entry(&r, 0, 1), entry(&r, 1, 2), end_row(&r);
    entry(&r, 0, -3), entry(&r, 1, -6), end_row(&r);
    entry(&r, 1, 1), entry(&r, 2, 1), end_row(&r);
    entry(&r, 0, 1), entry(&r, 1, 3), entry(&r, 2, 1), end_row(&r);
    // component two: independent; then an empty row, and two rows of very small values
    entry(&r, 10, 1), entry(&r, 11, 1), end_row(&r);
    end_row(&r);
    entry(&r, 15, 1e-12), entry(&r, 16, 1e-12), end_row(&r);
    entry(&r, 15, 1e-12), entry(&r, 16, -1e-12), end_row(&r);
    assert_int_equal(rank_of(&r, &dependent, &on_ptr, &on), 5);
    int count = 0;
    for (int i = 0; i < r.G.rows; i++) {
        count += dependent[i];
        if (!dependent[i])
            assert_int_equal(on_ptr[i + 1], on_ptr[i]);
        else
            check_combination(&r, i, on_ptr[i + 1] - on_ptr[i], on + on_ptr[i]);
        for (int e = on_ptr[i]; e < on_ptr[i + 1]; e++)
            assert_false(dependent[on[e]]);
    }
    assert_int_equal(count, 3);
    assert_true(dependent[5]);
    assert_int_equal(on_ptr[6], on_ptr[5]);
    assert_false(dependent[4] || dependent[6] || dependent[7]);
    hol_arena_free(&r.arena);
}

// chain of n bodies in a pattern of angles; the last one also on the ground when closed
static Rows chain_rows(int n, int close) {
    Rows r = new_rows(3 * n, 2 * n + 20, 8 * n + 80);
    for (int i = 0; i < n; i++)
        revolute(&r, i, 0.3 + 0.7 * (i % 5), i - 1, 0.3 + 0.7 * ((i + 4) % 5));
    if (close)
        revolute(&r, n - 1, -0.4, -1, 0);
    return r;
}

// dense and sparse paths: chains, loops, and copies of rows
static void test_rank_chains(void **state) {
    (void)state;
    static const int bodies[] = {2, 40, 400, 1500};
    for (int c = 0; c < 4; c++)
        for (int copies = 0; copies < 3; copies++) {
            unsigned char *dependent;
            int *on_ptr, *on, n = bodies[c], found = 0;
            Rows r = chain_rows(n, n > 2);
            int full = r.G.rows;
            for (int k = 0; k < copies; k++) {
                // 2 * (row 2k+1) - row 2k; both touch the same columns but for the axis
                int a = 2 * k, b = 2 * k + 1;
                double *dense = HOL_NEW(&r.arena, double, 3 * n);
                for (int p = r.ptr[a]; p < r.ptr[a + 1]; p++)
                    dense[r.idx[p]] -= r.val[p];
                for (int p = r.ptr[b]; p < r.ptr[b + 1]; p++)
                    dense[r.idx[p]] += 2 * r.val[p];
                for (int j = 0; j < 3 * n; j++)
                    if (dense[j] != 0)
                        entry(&r, j, dense[j]);
                end_row(&r);
            }
            assert_int_equal(rank_of(&r, &dependent, &on_ptr, &on), full);
            for (int i = 0; i < r.G.rows; i++)
                if (dependent[i]) {
                    found++;
                    assert_in_range(on_ptr[i + 1] - on_ptr[i], 2, 2);
                    if (n <= 400)
                        check_combination(&r, i, 2, on + on_ptr[i]);
                }
            assert_int_equal(found, copies);
            // large components: the combination of the first dependent row alone, the same flags
            unsigned char *flags = HOL_NEW(&r.arena, unsigned char, r.G.rows + 1);
            int *few_ptr, *few, told = 0;
            assert_int_equal(hol_rank_rows(&r.arena, &r.G, r.val, 1e-9, 1, flags, &few_ptr, &few),
                             full);
            assert_memory_equal(flags, dependent, (size_t)r.G.rows);
            for (int i = 0; i < r.G.rows; i++) {
                const int length = few_ptr[i + 1] - few_ptr[i];
                if (!dependent[i] || n <= 40)
                    continue;
                assert_int_equal(length, told++ ? 0 : 2);
            }
            hol_arena_free(&r.arena);
        }
}

// a row of parallelograms: flat (all angles zero) each loop loses one row, upright none
static void test_rank_four_bars(void **state) {
    (void)state;
    for (int flat = 0; flat < 2; flat++)
        for (int N = 1; N <= 200; N = 5 * N + 1) {
            unsigned char *dependent;
            int *on_ptr, *on, found = 0;
            Rows r = new_rows(3 * (2 * N + 1), 2 * (3 * N + 1), 8 * (3 * N + 1));
            double rocker = flat ? 0 : 1.1;
            for (int i = 0; i <= N; i++) {
                revolute(&r, 2 * i, rocker + PI, -1, 0);
                if (i == N)
                    break;
                revolute(&r, 2 * i, rocker, 2 * i + 1, 0);
                revolute(&r, 2 * i + 1, 0, 2 * i + 2, rocker + PI);
            }
            int rank = rank_of(&r, &dependent, &on_ptr, &on);
            assert_int_equal(rank, r.G.rows - (flat ? N : 0));
            for (int i = 0; i < r.G.rows; i++)
                if (dependent[i]) {
                    found++;
                    assert_true(on_ptr[i + 1] > on_ptr[i]);
                    if (N <= 60)
                        check_combination(&r, i, on_ptr[i + 1] - on_ptr[i], on + on_ptr[i]);
                }
            assert_int_equal(found, r.G.rows - rank);
            hol_arena_free(&r.arena);
        }
}

// sparse and dense decide alike on random sparse rows with many dependencies
static void test_rank_random(void **state) {
    (void)state;
    for (unsigned trial = 0; trial < 6; trial++) {
        // 330 rows in 250 columns: at least 80 depend; joined in one component by a common column
        int m = 330, n = 250, rank = 0;
        unsigned seed = 100 + trial;
        Rows r = new_rows(n, m, 6 * m);
        HolArena a = {0};
        double *A = HOL_NEW(&a, double, m *n), *sigma = HOL_NEW(&a, double, n + m);
        double *b = HOL_NEW(&a, double, m + n);
        for (int i = 0; i < m; i++) {
            int last = 0;
            entry(&r, 0, 1);
            for (int k = 0; k < 3; k++) {
                int column = last + 1 + (int)(30 * fabs(random_value(&seed)) * (trial + 1));
                if (column >= n)
                    break;
                last = column;
                entry(&r, column, random_value(&seed) > 0 ? 1 : -1);
            }
            end_row(&r);
            double length = sqrt(r.ptr[i + 1] - r.ptr[i]);
            for (int p = r.ptr[i]; p < r.ptr[i + 1]; p++)
                A[r.idx[p] * m + i] = r.val[p] / length;
        }
        unsigned char *dependent;
        int *on_ptr, *on, found = 0;
        int result = rank_of(&r, &dependent, &on_ptr, &on);
        LAPACKE_dgelsd(LAPACK_COL_MAJOR, m, n, 1, A, m, b, m, sigma, 1e-11, &rank);
        assert_int_equal(result, rank);
        for (int i = 0; i < m; i++)
            found += dependent[i];
        assert_int_equal(found, m - rank);
        for (int i = 0; i < m; i += 7)
            if (dependent[i])
                check_combination(&r, i, on_ptr[i + 1] - on_ptr[i], on + on_ptr[i]);
        hol_arena_free(&a);
        hol_arena_free(&r.arena);
    }
}

// units in the last place of the true value, which a long double has nearly
static double units_off(double value, long double exact) {
    const double size = fabs((double)exact);
    return fabs((double)(value - exact)) / (nextafter(size, 2) - size);
}

static void test_lanes_turn(void **state) {
    (void)state;
    static const double ranges[] = {0.8, 4, 1000, 99999, 3e5}; // the last one beyond the fast way
    unsigned seed = 7;
    for (int k = 0; k < 5; k++)
        for (int i = 0; i < 20000; i++) {
            HolLanes angle = {0}, c, s;
            for (int l = 0; l < HOL_LANES; l++) // quarter turns among them
                angle[l] =
                    k == 1 && l == 3 ? (i - 10000) * (PI / 2) : ranges[k] * random_value(&seed);
            lanes_turn(angle, &c, &s);
            for (int l = 0; l < HOL_LANES; l++) {
                assert_true(units_off(c[l], cosl(angle[l])) < 0.8);
                assert_true(units_off(s[l], sinl(angle[l])) < 0.8);
            }
        }
    HolLanes c, s, odd = {NAN, 0, -0.0, -INFINITY};
    lanes_turn(odd, &c, &s);
    assert_true(isnan(c[0]) && isnan(s[0]) && isnan(c[3]) && isnan(s[3]));
    assert_true(c[1] == 1 && s[1] == 0 && s[2] == 0 && signbit(s[2]));
}

static void test_lanes_larger(void **state) {
    (void)state;
    const HolLanes a = {0, 2, NAN, 1e-310}, b = {1, INFINITY, 3, 0};
    const HolLanes ab = lanes_larger(lanes_abs(a), b), ba = lanes_larger(b, lanes_abs(-a));
    for (int l = 0; l < HOL_LANES; l++)
        assert_true(l == 2 ? isnan(ab[l]) && isnan(ba[l]) : ab[l] == ba[l]);
    assert_true(ab[0] == 1 && ab[1] == INFINITY && ab[3] == 1e-310);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors),        cmocka_unit_test(test_matrices),
        cmocka_unit_test(test_quaternions),    cmocka_unit_test(test_dense_lu),
        cmocka_unit_test(test_rank_small),     cmocka_unit_test(test_rank_chains),
        cmocka_unit_test(test_rank_four_bars), cmocka_unit_test(test_rank_random),
        cmocka_unit_test(test_lanes_turn),     cmocka_unit_test(test_lanes_larger),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
