// SPDX-License-Identifier: Apache-2.0
// What is reported can be trusted:
//   the constraint residuals of every scheme of `tangent` on all three levels, at every step of
//   every model in models/, below 1e-11 of the size of q, v and a;
//   the same in rows between the steps;
//   reactions of redundant models are those of least norm and the same for every method;
//   the energy balance is right from the first row on, graded start included.
#include "ref_compare.h"
#include "solve/constraint/project.h"
#include "solve/run/run.h"

#include <dirent.h>

enum { MOST_FILES = 200, STEPS = 100 };

static char files[MOST_FILES][256];
static int n_files;

// *.yaml below models/`folder`, one level deep
static void collect(const char *folder, int deeper) {
    char name[300], path[1024];
    snprintf(name, sizeof name, "models/%s", folder);
    ref_path(name, path, sizeof path);
    DIR *d = opendir(path);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        size_t length = strlen(e->d_name);
        if (e->d_name[0] == '.' || length > 100)
            continue;
        if (length > 5 && strcmp(e->d_name + length - 5, ".yaml") == 0) {
            assert_true(n_files < MOST_FILES);
            snprintf(files[n_files++], sizeof files[0], "%s%s%.100s", folder, folder[0] ? "/" : "",
                     e->d_name);
        } else if (deeper && !strchr(e->d_name, '.') && strcmp(e->d_name, "parts") != 0) {
            collect(e->d_name, 0);
        }
    }
    closedir(d);
}

// ---- residuals ----

static void require_residuals(HolSim *s, const HolState *x, const char *file, const char *scheme) {
    double r[3],
        size[3] = {hol_max_abs(x->q, s->nq), hol_max_abs(x->v, s->nv), hol_max_abs(x->a, s->nv)};
    hol_residuals(s, x, &r[0], &r[1], &r[2], NULL);
    for (int level = 0; level < 3; level++)
        if (!(r[level] <= 1e-11 * fmax(1, size[level])))
            fail_msg("%s, %s: residual %.2e on level %d at t = %g (size %.2g)", file, scheme,
                     r[level], level, x->t, size[level]);
}

static void test_residuals(void **state) {
    const char *scheme = *state;
    char setting[64];
    snprintf(setting, sizeof setting, "method.scheme=%s", scheme);
    for (int i = 0; i < n_files; i++)
        for (int adaptive = 0; adaptive < 2; adaptive++) {
            RefRun r = adaptive
                           ? ref_open(files[i], "method=tangent", setting, "tolerance=1e-5", NULL)
                           : ref_open(files[i], "method=tangent", setting, NULL);
            HolError err = {0};
            for (int k = 0; k < STEPS && hol_sim_view(r.sim).t < r.options.end; k++) {
                if (hol_sim_step(r.sim, r.options.end, &err) != HOL_OK)
                    fail_msg("%s, %s: %s", files[i], scheme, err.text);
                if (!r.sim->driver->restart) // (at a jump: the accelerations are those before it)
                    require_residuals(r.sim, &r.sim->x, files[i], scheme);
            }
            ref_close(&r);
        }
}

// rows between steps lie on the constraints, too, and their accelerations and multipliers balance
// the forces: M a + G^T lambda = f
static void test_rows_between(void **state) {
    (void)state;
    const char *const models[] = {"double-pendulum.yaml", "spinning-top.yaml", "four-bar.yaml",
                                  "bricard.yaml", "rolling-wheel.yaml"};
    const char *const schemes[] = {"method.scheme=hermite", "method.scheme=newmark"};
    for (int i = 0; i < 10; i++) {
        RefRun r = ref_open(models[i / 2], schemes[i % 2], "step=0.01", NULL);
        HolError err = {0};
        double *all = calloc((size_t)hol_model_all_column_count(r.model), sizeof(double));
        for (int k = 0; k < 30; k++) {
            assert_int_equal(hol_sim_step(r.sim, 1, &err), HOL_OK);
            HolView v = hol_sim_view(r.sim);
            if (hol_sim_row_all(r.sim, v.t - 0.37 * v.h, all, &err) != HOL_OK)
                fail_msg("%s", err.text);
            require_residuals(r.sim, &r.sim->out, models[i / 2], schemes[i % 2]);
            const HolProblem *p = r.sim->p;
            HolState *x = &r.sim->out;
            double *f = r.sim->f, *M = calloc((size_t)p->M.nnz + 1, sizeof(double)),
                   *G = calloc((size_t)p->G.nnz + 1, sizeof(double));
            p->force(p, r.sim->work, &(HolPoint){.t = x->t, .q = x->q, .v = x->v, .w = x->w}, f);
            double size = hol_max_abs(f, r.sim->nv) + hol_max_abs(x->lambda, r.sim->m);
            p->mass(p, r.sim->work, &(HolPoint){.t = x->t, .q = x->q}, 1, 0, M);
            p->jacobian(p, r.sim->work, &(HolPoint){.t = x->t, .q = x->q}, G);
            hol_mul_columns(&p->M, M, x->a, -1, f);
            hol_mul_rows_transposed(&p->G, G, x->lambda, -1, f);
            if (!(hol_max_abs(f, r.sim->nv) < 1e-10 * (1 + size)))
                fail_msg("%s, %s: %.2e N of %.2e N are out of balance at t = %g", models[i / 2],
                         schemes[i % 2], hol_max_abs(f, r.sim->nv), size, x->t);
            free(M);
            free(G);
        }
        free(all);
        ref_close(&r);
    }
}

// ---- redundant rows ----

// Reactions of the Bricard mechanism at 10 s: least norm, hence of the size of the weight, and the
// same for every method within its accuracy.
static void test_bricard_reactions(void **state) {
    (void)state;
    static const struct {
        const char *method, *size;
        double limit; // of the deviation from the first one
    } runs[] = {{"method=taylor", "tolerance=1e-11", 0},
                {"method=tangent", "step=0.01", 1e-4},
                {"method=tangent", "tolerance=1e-7", 1e-3},
                {"method=hht", "step=0.002", 0.1},
                {"method=newmark", "tolerance=1e-7", 0.1},
                {"method=generalized-alpha", "step=0.002", 0.1}};
    enum { N = sizeof runs / sizeof *runs, ROWS = 11, MOST = 40 };
    static double first[ROWS][MOST];
    for (int i = 0; i < N; i++) {
        RefRun r = ref_open("bricard.yaml", runs[i].method, runs[i].size, NULL);
        int n = hol_model_all_column_count(r.model), found = 0;
        double *all = calloc((size_t)n, sizeof(double)), worst = 0, largest = 0;
        HolError err = {0};
        for (int k = 0; k < ROWS; k++) {
            ref_advance(&r, k);
            assert_int_equal(hol_sim_row_all(r.sim, k, all, &err), HOL_OK);
            found = 0;
            for (int c = 0; c < n; c++) {
                const char *name = hol_model_all_column(r.model, c).name;
                if (name[0] != 'J' || !strstr("fx fy fz tx ty tz", name + 3))
                    continue;
                if (i == 0)
                    first[k][found] = all[c];
                worst = fmax(worst, fabs(all[c] - first[k][found++]));
                largest = fmax(largest, fabs(all[c]));
            }
        }
        assert_int_equal(found, 36);
        if (!(largest < 60) || !(worst <= runs[i].limit))
            fail_msg("%s, %s: reactions up to %.4g N, off by %.2e", runs[i].method, runs[i].size,
                     largest, worst);
        free(all);
        ref_close(&r);
    }
}

// ---- energy ----

static double column_of(RefRun *r, double t, const char *name) {
    int n = hol_model_all_column_count(r->model);
    double *all = calloc((size_t)n, sizeof(double)), value = NAN;
    HolError err = {0};
    if (hol_sim_row_all(r->sim, t, all, &err) != HOL_OK)
        fail_msg("%s", err.text);
    for (int c = 0; c < n; c++)
        if (strcmp(hol_model_all_column(r->model, c).name, name) == 0)
            value = all[c];
    free(all);
    return value;
}

static void test_energy_rows(void **state) {
    (void)state;
    // before the first step nothing was lost or done
    RefRun r = ref_open("bricard.yaml", NULL);
    assert_true(fabs(column_of(&r, 0, "energy.total") + 29.43) < 1e-9);
    assert_true(column_of(&r, 0, "energy.numerical") == 0);
    assert_true(column_of(&r, 0, "energy.work") == 0);
    ref_close(&r);
    // a start that is graded: the work of the first step is summed over its parts
    r = ref_open("stiff-double-pendulum.yaml", "step=1e-3", "method.start=graded", NULL);
    ref_advance(&r, 0.1);
    HolStats s = hol_sim_stats(r.sim);
    assert_true(s.work < -7000 && s.energy_max_drift < 1e-6 * -s.work);
    ref_close(&r);
}

int main(void) {
    collect("", 1);
    assert_true(n_files > 30);
    const struct CMUnitTest tests[] = {
        {"residuals of hermite", test_residuals, NULL, NULL, (void *)"hermite"},
        {"residuals of newmark", test_residuals, NULL, NULL, (void *)"newmark"},
        {"residuals of jfg", test_residuals, NULL, NULL, (void *)"jfg"},
        {"residuals of obreshkov3", test_residuals, NULL, NULL, (void *)"obreshkov3"},
        cmocka_unit_test(test_rows_between),
        cmocka_unit_test(test_bricard_reactions),
        cmocka_unit_test(test_energy_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
