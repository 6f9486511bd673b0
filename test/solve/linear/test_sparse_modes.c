// SPDX-License-Identifier: Apache-2.0
// Modes without dense matrices: against the closed-form matrices of long chains, and against the dense path
// for models of all kinds.
#include "modes_run.h"

#include "math/dense.h"
#include "solve/linear/modes.h"

#include <dirent.h>

#ifdef HOL_HAVE_ARPACK

// M, K and, for equal dampers c in the hinges, C of n hanging rods (l = 0.5, m = 1) in their angles
static void chain_matrices(int n, double c, double *M, double *K, double *C) {
    memset(K, 0, sizeof *K * (size_t)(n * n));
    memset(C, 0, sizeof *C * (size_t)(n * n));
    for (int i = 1; i <= n; i++) {
        for (int j = 1; j <= n; j++)
            M[n * (j - 1) + i - 1] = 0.25 * (n - (i > j ? i : j) + (i == j ? 1. / 3 : 0.5));
        K[(n + 1) * (i - 1)] = 9.81 * 0.5 * (n - i + 0.5);
        C[(n + 1) * (i - 1)] = i < n ? 2 * c : c;
        if (i < n)
            C[n * (i - 1) + i] = C[n * i + i - 1] = -c;
    }
}

// hinges of `text` get springs and dampers
static char *with_dampers(char *text, int n, double k, double c) {
    char *out = malloc(strlen(text) + 200 * (size_t)n + 100), *at = strstr(text, "simulation:");
    assert_non_null(out);
    size_t used = (size_t)(at - text);
    memcpy(out, text, used);
    used += (size_t)sprintf(out + used, "forces:\n");
    for (int i = 0; i < n; i++)
        used += (size_t)sprintf(out + used,
                                "- {type: torsion_spring_damper, joint: joint%d, stiffness: "
                                "%.17g, damping: %.17g}\n",
                                i + 1, k, c);
    strcpy(out + used, at);
    free(text);
    return out;
}

static void test_long_chain(void **state) {
    (void)state;
    enum { N = 150 };
    static double M[N * N], K[N * N], C[N * N], w[N];
    char *text = hanging_rods(N, 0.5, 9.81, 0, -1);
    chain_matrices(N, 0, M, K, C);
    assert_int_equal(hol_dense_symmetric_pair(N, K, M, w), 0);
    ModesRun r = modes_of_text(text, 0); // as a user's call goes
    assert_int_equal(r.modes->n_all, -1);
    assert_int_equal(r.modes->dof, N);
    assert_int_equal(r.modes->n_free, 0);
    assert_true(r.modes->n_modes >= 60 && !r.modes->M);
    for (int k = 0; k < r.modes->n_modes; k++) // none is missing
        if (!(fabs(r.modes->modes[k]->imag / sqrt(w[k]) - 1) < 1e-9))
            fail_msg("mode %d: %.12g, not %.12g", k + 1, r.modes->modes[k]->imag, sqrt(w[k]));
    assert_true(fabs(r.modes->omega_max / sqrt(w[N - 1]) - 1) < 1e-10);
    assert_true(r.modes->fastest->imag == r.modes->omega_max);
    modes_run_close(&r);
    free(text);
}

static void test_damped_chain(void **state) {
    (void)state;
    enum { N = 230 };
    const double c = 0.4;
    static double M[N * N], K[N * N], C[N * N], A[4 * N * N], re[2 * N], im[2 * N], copy[N * N];
    chain_matrices(N, c, M, K, C);
    memcpy(copy, M, sizeof copy);
    assert_int_equal(hol_dense_positive_solve(N, N, copy, K), 0);
    memcpy(copy, M, sizeof copy);
    assert_int_equal(hol_dense_positive_solve(N, N, copy, C), 0);
    double largest = 0;
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            A[2 * N * (N + j) + i] = i == j;
            A[2 * N * j + N + i] = -K[N * j + i];
            A[2 * N * (N + j) + N + i] = -C[N * j + i];
        }
    assert_int_equal(hol_dense_eigenvalues(2 * N, A, re, im), 0);
    char *text = with_dampers(hanging_rods(N, 0.5, 9.81, 0, -1), N, 0, c);
    ModesRun r = {0};
    HolSimOptions o;
    if (hol_model_parse(text, strlen(text), "text", NULL, 0, &r.model, &o, &r.err) != HOL_OK)
        fail_msg("%s", r.err.text);
    modes_run_look(&r, &o, 0, 12);
    if (r.status != HOL_OK)
        fail_msg("%s", r.err.text);
    assert_int_equal(r.modes->n_modes, 12);
    double reach = 0; // each is one of the list, and none smaller is missing
    for (int k = 0; k < 12; k++) {
        const HolMode *m = r.modes->modes[k];
        double least = INFINITY;
        for (int i = 0; i < 2 * N; i++)
            least = fmin(least, hypot(re[i] - m->real, im[i] - m->imag));
        reach = hypot(m->real, m->imag);
        if (!(least < 1e-7 * reach))
            fail_msg("mode %d: %.12g + %.12g i is none (%.1e)", k, m->real, m->imag, least);
    }
    int inside = 0;
    for (int i = 0; i < 2 * N; i++) {
        inside += im[i] >= 0 && hypot(re[i], im[i]) < reach * (1 - 1e-6);
        largest = fmax(largest, hypot(re[i], im[i]));
    }
    assert_int_equal(inside, 11);
    assert_true(fabs(r.modes->omega_max / largest - 1) < 1e-8);
    modes_run_close(&r);
    free(text);
}

// a free chain with springs in its hinges: two translations and a rotation are free
static void test_free_chain(void **state) {
    (void)state;
    enum { N = 160 };
    char *text = hanging_rods(N, 0.5, 0, 0, -1),
         *cut = strstr(text, "- {type: revolute, between: [ground");
    memmove(cut, strchr(cut, '\n') + 1, strlen(strchr(cut, '\n') + 1) + 1);
    text = with_dampers(text, N - 1, 2e6, 0);
    ModesRun r = modes_of_text(text, 0);
    assert_int_equal(r.modes->dof, N + 2);
    assert_int_equal(r.modes->n_free, 3);
    // a free beam: (4.730040744862704/L)^2 sqrt(EI/mu), EI = k l, mu = m/l, up to (l/L)^2
    const double L = N * 0.5, beam = sqrt(2e6 * 0.5 * 0.5);
    mode_at(r.modes, 0, pow(4.730040744862704 / L, 2) * beam, 2e-3);
    mode_at(r.modes, 0, pow(7.853204624095838 / L, 2) * beam, 2e-3);
    mode_at(r.modes, 0, pow(10.995607838001671 / L, 2) * beam, 2e-3);
    modes_run_close(&r);
    free(text);
}

// ---- against the dense path ----

// a double real eigenvalue may come out as a pair whose imaginary parts are round-off
static int eigenvalue_count(const HolModes *m) {
    int n = 0;
    for (int k = 0; k < m->n_modes; k++)
        n += m->modes[k]->imag > 0 ? 2 : 1;
    return n;
}

static void compare_paths(const char *path, double at, int *n) {
    HolModel *model = NULL;
    HolSim *s = NULL;
    HolSimOptions o;
    HolError err;
    HolModes *dense = NULL, *sparse = NULL;
    HolModesOptions how = hol_modes_options();
    if (hol_model_load(path, NULL, 0, &model, &o, &err) != HOL_OK ||
        hol_sim_create(model, &o, &s, &err) != HOL_OK || hol_sim_assemble(s, &err) != HOL_OK ||
        (at > 0 && hol_sim_advance(s, at * fmin(o.end, 1), &err) != HOL_OK))
        fail_msg("%s", err.text);
    const HolStatus status = hol_sim_modes_by(s, &how, 1, &sparse, &err);
    if (status == HOL_ERR_UNSUPPORTED) { // rolling, variables
        hol_sim_destroy(s);
        hol_model_destroy(model);
        return;
    }
    if (status != HOL_OK || hol_sim_modes_by(s, &how, 0, &dense, &err) != HOL_OK)
        fail_msg("%s: %s", path, err.text);
    if (sparse->dof != dense->dof)
        fail_msg("%s: %d degrees of freedom sparse, %d dense", path, sparse->dof, dense->dof);
    // (released from the horizontal, K_R is nilpotent: eps^(1/4) in place of zero depends on the basis)
    const int released = dense->n_modes == 0 && strstr(dense->note, "not in equilibrium");
    if (!released && (!dense->moving || !strcmp(dense->axes, "transport"))) {
        if (eigenvalue_count(sparse) != eigenvalue_count(dense) || sparse->n_free != dense->n_free)
            fail_msg("%s at %g: %d modes, %d free, not %d, %d", path, at, sparse->n_modes,
                     sparse->n_free, dense->n_modes, dense->n_free);
        for (int k = 0; k < dense->n_modes; k++)
            mode_at(sparse, dense->modes[k]->real, dense->modes[k]->imag, 2e-6);
        ++*n;
    }
    // the largest of a moving state, in the same axes
    HolArena arena = {0};
    HolLinear l;
    double omega, bound, largest = 0;
    hol_fill(s, &s->x);
    if (hol_linearize_in(s, &s->x, HOL_AXES_TRANSPORT, NULL, &arena, &l, &err) != HOL_OK ||
        hol_sparse_omega_max(s, &s->x, 1e-8, &omega, &bound, &err) != HOL_OK)
        fail_msg("%s: %s", path, err.text);
    const int size = l.np + l.nz;
    double *re = HOL_NEW(&arena, double, 2 * size + 2);
    if (size)
        assert_int_equal(hol_dense_eigenvalues(size, l.A, re, re + size), 0);
    for (int i = 0; i < size; i++)
        largest = fmax(largest, hypot(re[i], re[size + i]));
    const double zero = released ? 1e-3 : 1e-5; // eps^(1/4), as above, or eps^(1/2)
    if (!(fabs(omega - largest) <= 1e-6 * largest + zero))
        fail_msg("%s at %g: %.12g, not %.12g", path, at, omega, largest);
    hol_arena_free(&arena);
    hol_modes_destroy(dense);
    hol_modes_destroy(sparse);
    hol_sim_destroy(s);
    hol_model_destroy(model);
}

static void test_paths_agree(void **state) {
    (void)state;
    static const char *const folders[] = {"models", "models/adams", "models/modelica",
                                          "models/papers", "test/ref/linear"};
    int n = 0;
    for (int f = 0; f < 5; f++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", HOL_SOURCE_DIR, folders[f]);
        DIR *d = opendir(path);
        assert_non_null(d);
        for (struct dirent *e; (e = readdir(d));)
            if (strstr(e->d_name, ".yaml")) {
                snprintf(path, sizeof path, "%s/%s/%s", HOL_SOURCE_DIR, folders[f], e->d_name);
                compare_paths(path, 0, &n);
                compare_paths(path, 0.137, &n);
            }
        closedir(d);
    }
    assert_true(n >= 50);
}

// a moving chain of many degrees of freedom: Arnoldi with the turning of the null space
static void test_moving_chain(void **state) {
    (void)state;
    HolModel *model = NULL;
    HolSim *s = NULL;
    HolSimOptions o;
    HolError err;
    HolArena arena = {0};
    HolLinear l;
    char *text = hanging_rods(30, 0.5, 9.81, 1, 0); // along x, let fall along y
    char *g = strstr(text, "gravity: [");
    memset(g, ' ', strcspn(g, "\n"));
    memcpy(g, "gravity: [0, -9]", 16);
    if (hol_model_parse(text, strlen(text), "text", NULL, 0, &model, &o, &err) != HOL_OK ||
        hol_sim_create(model, &o, &s, &err) != HOL_OK || hol_sim_advance(s, 0.8, &err) != HOL_OK)
        fail_msg("%s", err.text);
    double omega, bound, largest = 0, re[200], im[200];
    hol_fill(s, &s->x);
    if (hol_linearize_in(s, &s->x, HOL_AXES_TRANSPORT, NULL, &arena, &l, &err) != HOL_OK ||
        hol_sparse_omega_max(s, &s->x, 1e-9, &omega, &bound, &err) != HOL_OK)
        fail_msg("%s", err.text);
    assert_int_equal(l.np, 30);
    assert_int_equal(hol_dense_eigenvalues(60, l.A, re, im), 0);
    for (int i = 0; i < 60; i++)
        largest = fmax(largest, hypot(re[i], im[i]));
    if (!(fabs(omega / largest - 1) < 1e-7 && bound < 1e-7))
        fail_msg("%.12g, not %.12g", omega, largest);
    hol_arena_free(&arena);
    hol_sim_destroy(s);
    hol_model_destroy(model);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_long_chain),   cmocka_unit_test(test_damped_chain),
        cmocka_unit_test(test_free_chain),   cmocka_unit_test(test_paths_agree),
        cmocka_unit_test(test_moving_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

// what is missing is said
static void test_missing(void **state) {
    (void)state;
    char *text = hanging_rods(150, 0.5, 9.81, 0, -1);
    ModesRun r = {0};
    HolSimOptions o;
    if (hol_model_parse(text, strlen(text), "text", NULL, 0, &r.model, &o, &r.err) != HOL_OK)
        fail_msg("%s", r.err.text);
    modes_run_look(&r, &o, 0, 12);
    assert_int_equal(r.status, HOL_ERR_UNSUPPORTED);
    assert_non_null(strstr(r.err.text, "libarpack2-dev"));
    assert_null(r.modes);
    modes_run_close(&r);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_missing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
