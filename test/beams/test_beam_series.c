// SPDX-License-Identifier: Apache-2.0
// Taylor series of beam elements against direct values. Both nodes follow polynomials of time: places of
// degree 3, angles of degree 3 (plane), angular velocities in body axes of degree 2 (space), whose frames
// are summed to order 60. The forces summed at t = h are compared with those of the frames at t = h: to order 14
// with a short h, and with a long one, at which order 14 is far from small, to the order that suffices there.
#include "json_values.h"
#include "math/vec.h"
#include "model/body/beam.h"
#include "probe.h"

enum { ORDERS = 60, LANES = 4 };

static double memory[2][(ORDERS + 4) * HOL_SERIES_SPACE * LANES];
static double own[20000];

static HolJets jets_new(int series, int order) {
    memset(memory, 0, sizeof memory);
    memset(own, 0, sizeof own);
    return (HolJets){.leading = memory[0],
                     .turning = memory[1],
                     .slab = HOL_SERIES_SPACE,
                     .series = series,
                     .order = order};
}

static double jets_sum(const HolJets *J, int body, int series, double h) {
    double s = 0;
    for (int j = ORDERS; j >= 0; j--)
        s = s * h + *hol_jet(J, body, series, j);
    return s;
}

static double jets_rate(const HolJets *J, int body, int series, double h) {
    double s = 0;
    for (int j = ORDERS; j >= 1; j--)
        s = s * h + j * *hol_jet(J, body, series, j);
    return s;
}

static void agree(const char *what, const double *sum, const double *expected, int n) {
    const double scale = largest(expected, n);
    for (int i = 0; i < n; i++)
        if (!(fabs(sum[i] - expected[i]) <= 1e-13 * scale))
            fail_msg("%s [%d]: %.16g instead of %.16g", what, i, sum[i], expected[i]);
}

// ---- plane ----

// angle of the second node against the first at the start, size of the rates
static void plane_motion(const HolJets *J, double turn, double rate) {
    for (int body = 0; body < 2; body++) {
        for (int s = 0; s < 3; s++)
            for (int j = 0; j <= 3; j++)
                *hol_jet(J, body, s == 2 ? HOL_S_THETA : s, j) = j ? uniform(-rate, rate)
                                                                   : (body ? (s == 0   ? 0.9
                                                                              : s == 1 ? 0.15
                                                                                       : turn)
                                                                           : 0.05 * s);
        double *angle = hol_jet(J, body, HOL_S_THETA, 0);
        *hol_jet(J, body, HOL_S_COS, 0) = cos(*angle);
        *hol_jet(J, body, HOL_S_SIN, 0) = sin(*angle);
        for (int n = 1; n <= ORDERS; n++) {
            double c = 0, s = 0;
            for (int i = 1; i <= n && i <= 3; i++) {
                const double u = i * *hol_jet(J, body, HOL_S_THETA, i);
                c -= u * *hol_jet(J, body, HOL_S_SIN, n - i) / n;
                s += u * *hol_jet(J, body, HOL_S_COS, n - i) / n;
            }
            *hol_jet(J, body, HOL_S_COS, n) = c;
            *hol_jet(J, body, HOL_S_SIN, n) = s;
        }
    }
}

// 0: all terms count; else only those up to `order`; returns the size of term 14 in units of the force
static double plane_compare(const HolBeam2 *e, const HolJets *J, int order, double h) {
    double sum[6] = {0}, term = 0, power = 1, out[6], expected[6], v[2][3];
    HolFrame f[2] = {0};
    for (int k = 0; k <= order; k++, power *= h) {
        hol_beam2_series(e, J, own, k, out);
        for (int i = 0; i < 6; i++)
            sum[i] += out[i] * power;
        if (k == 14)
            term = largest(out, 6) * power;
    }
    for (int body = 0; body < 2; body++) {
        f[body].r[0] = jets_sum(J, body, HOL_S_X, h);
        f[body].r[1] = jets_sum(J, body, HOL_S_Y, h);
        f[body].angle = jets_sum(J, body, HOL_S_THETA, h);
        f[body].c = cos(f[body].angle);
        f[body].s = sin(f[body].angle);
        for (int s = 0; s < 3; s++)
            v[body][s] = jets_rate(J, body, s == 2 ? HOL_S_THETA : s, h);
    }
    hol_beam2_force(e, &f[0], &f[1], v[0], v[1], expected);
    agree("planar forces", sum, expected, 6);
    return term / largest(expected, 6);
}

static void test_plane(void **state) {
    (void)state;
    static const double turns[] = {0, 0.02, 0.3, -1.4, 1.9, 2.6, -4};
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++)
        for (int damped = 0; damped < 2; damped++) {
            HolBeam2 e = {.body = {0, 1}};
            const double d0[3] = {1, 0.02, 0.1};
            hol_beam2_make(&e, 1, 40, 0.02, 3, d0, damped * 0.05);
            HolJets J = jets_new(HOL_SERIES_PLANE, 14);
            plane_motion(&J, turns[i], 0.7);
            plane_compare(&e, &J, 14, 0.04);
            J.order = ORDERS - 2;
            assert_true(plane_compare(&e, &J, J.order, 0.35) > 1e-10);
        }
}

// ---- space ----

static void space_motion(const HolJets *J, double turn, double rate) {
    for (int body = 0; body < 2; body++) {
        for (int c = 0; c < 3; c++) {
            for (int j = 0; j <= 3; j++)
                *hol_jet(J, body, HOL_S_R + c, j) =
                    j ? uniform(-rate, rate) : (body ? (c == 0 ? 0.9 : 0.1 * c) : 0.02 * c);
            for (int j = 0; j <= 2; j++)
                *hol_jet(J, body, HOL_S_OMEGA + c, j) = uniform(-rate, rate);
        }
        double p[4];
        q_store(p, body ? q_exp(v3_scale(v3_unit(v3(0.6, -0.5, 0.7)), turn)) : q_exp(v3(0, 0, 0)));
        for (int c = 0; c < 4; c++)
            *hol_jet(J, body, HOL_S_P + c, 0) = p[c];
        for (int n = 0; n <= ORDERS; n++) {
            Quat next = {0};
            for (int i = 0; n > 0 && i < n; i++) { // p' = p (0, omega)/2
                double x[4], w[4] = {0};
                for (int c = 0; c < 4; c++)
                    x[c] = *hol_jet(J, body, HOL_S_P + c, i);
                for (int c = 0; c < 3; c++)
                    w[1 + c] = *hol_jet(J, body, HOL_S_OMEGA + c, n - 1 - i);
                const Quat product = q_mul(q_load(x), q_load(w));
                double a[4], b[4];
                q_store(a, next);
                q_store(b, product);
                for (int c = 0; c < 4; c++)
                    a[c] += 0.5 / n * b[c];
                next = q_load(a);
            }
            if (n > 0) {
                q_store(p, next);
                for (int c = 0; c < 4; c++)
                    *hol_jet(J, body, HOL_S_P + c, n) = p[c];
            }
            double A[9] = {0}; // quadratic in p: of sums and differences of pairs of orders
            for (int i = 0; i <= n; i++) {
                double x[4], y[4];
                for (int c = 0; c < 4; c++) {
                    x[c] = *hol_jet(J, body, HOL_S_P + c, i);
                    y[c] = *hol_jet(J, body, HOL_S_P + c, n - i);
                }
                const double ww = x[0] * y[0], xx = x[1] * y[1], yy = x[2] * y[2], zz = x[3] * y[3];
                A[0] += ww + xx - yy - zz;
                A[4] += ww - xx + yy - zz;
                A[8] += ww - xx - yy + zz;
                A[1] += 2 * (x[1] * y[2] - x[0] * y[3]);
                A[3] += 2 * (x[1] * y[2] + x[0] * y[3]);
                A[2] += 2 * (x[1] * y[3] + x[0] * y[2]);
                A[6] += 2 * (x[1] * y[3] - x[0] * y[2]);
                A[5] += 2 * (x[2] * y[3] - x[0] * y[1]);
                A[7] += 2 * (x[2] * y[3] + x[0] * y[1]);
            }
            for (int c = 0; c < 9; c++)
                *hol_jet(J, body, HOL_S_A + c, n) = A[c];
        }
    }
}

static double space_compare(const HolBeam3 *e, const HolJets *J, int order, double h) {
    double sum[12] = {0}, term = 0, power = 1, out[12], expected[12], v[2][6];
    HolFrame f[2] = {0};
    for (int k = 0; k <= order; k++, power *= h) {
        hol_beam3_series(e, J, own, k, out);
        for (int i = 0; i < 12; i++)
            sum[i] += out[i] * power;
        if (k == 14)
            term = largest(out, 12) * power;
    }
    for (int body = 0; body < 2; body++) {
        double p[4];
        for (int c = 0; c < 4; c++)
            p[c] = jets_sum(J, body, HOL_S_P + c, h);
        const Quat q = q_normalize(q_load(p));
        const Mat3 A = q_matrix(q);
        q_store(f[body].p, q);
        memcpy(f[body].A, A.m, sizeof f[body].A);
        for (int c = 0; c < 3; c++) {
            f[body].r[c] = jets_sum(J, body, HOL_S_R + c, h);
            v[body][c] = jets_rate(J, body, HOL_S_R + c, h);
            v[body][3 + c] = jets_sum(J, body, HOL_S_OMEGA + c, h);
        }
    }
    hol_beam3_force(e, &f[0], &f[1], v[0], v[1], expected);
    agree("spatial forces", sum, expected, 12);
    return term / largest(expected, 12);
}

// a section with all couplings
static void coupled(double C[36]) {
    const double diagonal[6] = {1.0 / 40, 1.0 / 15, 1.0 / 12, 1.0 / 2, 1.0 / 3, 1.0 / 5};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            C[6 * i + j] =
                i == j ? diagonal[i]
                       : 0.08 * ((i + 2 * j + i * j) % 3 - 1) * sqrt(diagonal[i] * diagonal[j]);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++)
            C[6 * i + j] = C[6 * j + i];
}

static void test_space(void **state) {
    (void)state;
    static const double turns[] = {0, 0.02, 0.3, -1.2, 1.8, 2.6};
    double C[2][36] = {{0}};
    const double plain[6] = {1.0 / 40, 0, 0.05, 1.0 / 2, 1.0 / 3, 1.0 / 5};
    for (int i = 0; i < 6; i++)
        C[0][7 * i] = plain[i]; // (rigid in one shear)
    coupled(C[1]);
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++)
        for (int damped = 0; damped < 2; damped++)
            for (int section = 0; section < 2; section++) {
                HolBeam3 e = {.body = {0, 1}};
                const double d0[6] = {1, 0.02, -0.03, 0.1, -0.1, 0.2};
                assert_true(hol_beam3_make(&e, 1, C[section], d0, damped * 0.05));
                HolJets J = jets_new(HOL_SERIES_SPACE, 14);
                space_motion(&J, turns[i], 0.5);
                space_compare(&e, &J, 14, 0.03);
                J.order = ORDERS - 2;
                assert_true(space_compare(&e, &J, J.order, 0.45) > 1e-11);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plane), cmocka_unit_test(test_space)};
    return cmocka_run_group_tests_name("beam series", tests, NULL, NULL);
}
