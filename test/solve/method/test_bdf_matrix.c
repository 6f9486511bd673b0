// SPDX-License-Identifier: Apache-2.0
// The equations of the method bdf from inside: their matrix against central differences of the
// residual for every formulation, the coordinate split's identities, the solution by two saddle points.
#include "ref_compare.h"
#include "run.h"

#ifdef HOL_HAVE_SUNDIALS
#include "solve/constraint/project.h"
#include "solve/method/bdf/bdf.h"

enum { LARGEST = 400 };

static unsigned seed = 1;

static double noise(void) {
    seed = seed * 1664525u + 1013904223u;
    return (double)(seed >> 8) / 8388608.0 - 1;
}

static HolSim *open_model(const char *file, const char *formulation, HolModel **model) {
    char path[1024];
    HolError err = {0};
    HolSimOptions o;
    HolSim *s = NULL;
    ref_path(file, path, sizeof path);
    const HolSetting set[] = {{"method", "bdf"},
                              {"method.formulation", formulation},
                              {"step", "0"},
                              {"tolerance", "1e-6"}};
    if (hol_model_load(path, set, 4, model, &o, &err) != HOL_OK ||
        hol_sim_create(*model, &o, &s, &err) != HOL_OK || hol_sim_assemble(s, &err) != HOL_OK ||
        s->stepper->start(s, &err) != HOL_OK)
        fail_msg("%s %s: %s", file, formulation, err.text);
    return s;
}

// rows of the wide matrix times x, then P on the two blocks it reduces
static void multiply(HolBdf *b, const double *x, double *out) {
    double wide[LARGEST] = {0};
    for (int c = 0; c < b->n; c++)
        for (int k = b->ptr[c]; k < b->ptr[c + 1]; k++)
            wide[b->idx[k]] += b->val[k] * x[c];
    if (b->multipliers) {
        memcpy(out, wide, sizeof(double) * (size_t)b->n);
        return;
    }
    HolBdfSplit *sq = b->ha == b->ma ? &b->split_v : &b->split_q;
    const int free_q = b->nv - b->ha, free_v = b->nv - b->ma, r2 = b->nv + b->quaternions;
    hol_bdf_split_project(sq, wide, out);
    memcpy(out + free_q, wide + b->nv, sizeof(double) * (size_t)b->quaternions);
    hol_bdf_split_project(&b->split_v, wide + r2, out + free_q + b->quaternions);
    memcpy(out + free_q + b->quaternions + free_v, wide + r2 + b->nv,
           sizeof(double) * (size_t)(b->ma + b->ha));
}

static void check_matrix(const char *file, const char *formulation) {
    HolModel *model = NULL;
    HolSim *s = open_model(file, formulation, &model);
    HolBdf *b = s->method;
    double y[LARGEST], yp[LARGEST], x[LARGEST], plus[LARGEST], minus[LARGEST], near_y[LARGEST],
        near_p[LARGEST], exact[LARGEST], slope[LARGEST];
    const double cj = 7, e = 1e-5;
    assert_true(b->n_wide <= LARGEST);
    hol_bdf_start_values(b, y, yp);
    // off the constraints and off the unit quaternions, with multipliers of order one
    for (int i = 0; i < b->n; i++) {
        y[i] += 0.02 * noise() + (i >= b->nq + b->nv ? noise() : 0);
        yp[i] += 0.3 * noise();
        x[i] = noise();
    }
    b->frozen = 0;
    assert_int_equal(hol_bdf_residual(b, 0, y, yp, plus), 0);
    assert_int_equal(hol_bdf_jacobian(b, 0, cj, y, yp), 0);
    multiply(b, x, exact);
    // cmp: P stays; cm drops the change of P on purpose, so it is compared with P fixed, too
    b->frozen = b->formulation == HOL_BDF_CMP || b->formulation == HOL_BDF_CM;
    for (int i = 0; i < b->n; i++)
        slope[i] = 0;
    static const double weight[2] = {8, -1};
    for (int k = 1; k <= 2; k++) {
        for (int side = 0; side < 2; side++) {
            const double step = (side ? -k : k) * e;
            for (int i = 0; i < b->n; i++) {
                near_y[i] = y[i] + step * x[i];
                near_p[i] = yp[i] + cj * step * x[i];
            }
            assert_int_equal(hol_bdf_residual(b, 0, near_y, near_p, side ? minus : plus), 0);
        }
        for (int i = 0; i < b->n; i++)
            slope[i] += weight[k - 1] * (plus[i] - minus[i]) / (12 * e);
    }
    double largest = 0, size = 0;
    int worst = 0;
    for (int i = 0; i < b->n; i++) {
        size = fmax(size, fabs(slope[i]));
        if (fabs(slope[i] - exact[i]) > largest) {
            largest = fabs(slope[i] - exact[i]);
            worst = i;
        }
    }
    if (!(largest <= 1e-8 * (1 + size)))
        fail_msg("%s %s: row %d of %d: %.12g, by differences %.12g", file, formulation, worst, b->n,
                 exact[worst], slope[worst]);
    hol_sim_destroy(s);
    hol_model_destroy(model);
}

static const char *const formulations[] = {"ggl", "ggl-star", "cs", "cm", "cmp"};

static void test_matrix(void **state) {
    (void)state;
    static const char *const files[] = {"models/pendulum.yaml",      "models/double-pendulum.yaml",
                                        "models/andrews.yaml",       "models/flyball.yaml",
                                        "models/bricard.yaml",       "models/heavy-top.yaml",
                                        "models/four-bar.yaml",      "models/rolling-disc.yaml",
                                        "models/rolling-wheel.yaml", "models/slider-crank.yaml"};
    for (size_t f = 0; f < sizeof files / sizeof *files; f++)
        for (int k = 0; k < 5; k++)
            check_matrix(files[f], formulations[k]);
}

// P G^T = 0, P X = I, r + G^T s = 0 on Y, and the same numbers after a factorization with fixed Y
static void test_split(void **state) {
    (void)state;
    static const char *const files[] = {"models/double-pendulum.yaml", "models/andrews.yaml",
                                        "models/bricard.yaml", "models/rolling-wheel.yaml"};
    for (int f = 0; f < 4; f++) {
        HolModel *model = NULL;
        HolSim *s = open_model(files[f], "cs", &model);
        HolBdf *b = s->method;
        HolBdfSplit *p = &b->split_v;
        double r[LARGEST], s1[LARGEST], out[LARGEST], again[LARGEST], full[LARGEST];
        s->p->jacobian(s->p, s->work, HOL_AT(&s->x), b->G);
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < b->nv; i++)
                r[i] = noise();
            hol_bdf_split_multipliers(p, r, s1);
            hol_bdf_split_project(p, r, out);
            memset(full, 0, sizeof full);
            for (int i = 0; i < b->ma; i++)
                full[b->row[i]] = s1[i];
            hol_mul_rows_transposed(&s->p->G, b->G, full, 1, r);
            for (int i = 0; i < b->nv; i++)
                if (p->is_dependent[i])
                    close_to(r[i], 0, 1e-11);
            for (int k = 0; k < b->nv - b->ma; k++)
                close_to(r[p->free_column[k]], out[k], 1e-11);
            memset(r, 0, sizeof r);
            for (int k = 0; k < b->nv - b->ma; k++)
                r[p->free_column[k]] = k + 1;
            hol_bdf_split_project(p, r, out);
            for (int k = 0; k < b->nv - b->ma; k++)
                close_to(out[k], k + 1, 1e-12);
            memset(r, 0, sizeof r);
            for (int i = 0; i < s->m; i++)
                full[i] = noise();
            hol_mul_rows_transposed(&s->p->G, b->G, full, 1, r);
            hol_bdf_split_project(p, r, again);
            for (int k = 0; k < b->nv - b->ma; k++)
                close_to(again[k], 0, 1e-10);
            assert_int_equal(hol_bdf_split_factor(p, b->G), 0);
        }
        assert_true(p->ratio >= 1 && p->ratio < 1 + 1e-9);
        hol_sim_destroy(s);
        hol_model_destroy(model);
    }
}

// the two saddle points of large systems, with refinement, against the whole matrix: rotations,
// rows of velocities alone, redundant rows
static void check_saddle(const char *file, const char *formulation) {
    HolModel *model = NULL;
    HolSim *s = open_model(file, formulation, &model);
    HolBdf *b = s->method;
    double y[LARGEST], yp[LARGEST], F[LARGEST], x[LARGEST], rest[LARGEST], unit[LARGEST];
    const double cj = 1000; // (steps that are short beside the motion)
    hol_bdf_start_values(b, y, yp);
    assert_true(hol_bdf_saddle_create(b));
    assert_int_equal(hol_bdf_jacobian(b, 0, cj, y, yp), 0);
    hol_bdf_saddle_take(b, cj, y);
    assert_int_equal(hol_bdf_saddle_factor(b), 0);
    for (int i = 0; i < b->n_wide; i++) {
        F[i] = noise();
        unit[i] = i >= b->nq && i < b->nq + b->nv ? cj : 1;
    }
    if (hol_bdf_saddle_solve(b, F, unit, x))
        fail_msg("%s %s: no convergence", file, formulation);
    memcpy(rest, F, sizeof rest);
    double size[LARGEST];
    for (int i = 0; i < b->n_wide; i++)
        size[i] = fabs(F[i]);
    for (int c = 0; c < b->n_wide; c++)
        for (int k = b->ptr[c]; k < b->ptr[c + 1]; k++) {
            rest[b->idx[k]] -= b->val[k] * x[c];
            size[b->idx[k]] += fabs(b->val[k] * x[c]);
        }
    for (int i = 0; i < b->n_wide; i++)
        if (!(fabs(rest[i]) <= 1e-7 * size[i]))
            fail_msg("%s %s: row %d of %d: %g of %g is left", file, formulation, i, b->n_wide,
                     rest[i], size[i]);
    hol_sim_destroy(s);
    hol_model_destroy(model);
}

static void test_saddle(void **state) {
    (void)state;
    static const char *const files[] = {"models/andrews.yaml",  "models/flyball.yaml",
                                        "models/bricard.yaml",  "models/heavy-top.yaml",
                                        "models/four-bar.yaml", "models/rolling-disc.yaml",
                                        "models/chain3d.yaml",  "models/rolling-wheel.yaml"};
    for (size_t f = 0; f < sizeof files / sizeof *files; f++)
        for (int k = 0; k < 5; k++)
            check_saddle(files[f], formulations[k]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_matrix), cmocka_unit_test(test_split),
                                       cmocka_unit_test(test_saddle)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void) {
    return 0;
}
#endif
