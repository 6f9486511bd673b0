// SPDX-License-Identifier: Apache-2.0
// dae-alpha against reference values of an independent prototype, and its iterations against each
// other and against a second, dense implementation with the projector written out.
#include "alpha_run.h"
#include "tools/papers/paper002.h"

#include <stdlib.h>

static const double PI = 3.14159265358979323846;
static const char *const iterations[] = {"newton", "cs", "cs-qr", "cm"};

static const Point pendulum_data = {.gravity = -9.81};
static const double side[2] = {1, 0};

// ---- reference values ----

static void pendulum_values(void **state) {
    (void)state;
    static const struct {
        double rho, alpha, q[2], v[2], lambda;
        const char *iteration;
    } rows[] = {
        {0,
         NAN,
         {-0.9857280653926, -0.1683454219675},
         {-0.3050113579452, 1.785960391891},
         4.93415503938,
         "newton"},
        {0.5,
         NAN,
         {-0.9861652816729, -0.1657650060264},
         {-0.2988686846244, 1.778022561101},
         4.876841427551,
         "newton"},
        {1,
         NAN,
         {-0.9862124407863, -0.1654842035915},
         {-0.298157849406, 1.776888512744},
         4.869630927115,
         "newton"},
        {NAN,
         -0.1,
         {-0.9861845602188, -0.1656502737274},
         {-0.2985710247659, 1.777516741309},
         4.873739607728,
         "newton"},
        {0.5,
         NAN,
         {-0.9861480918437, -0.1658672389382},
         {-0.2990203531899, 1.77779742768},
         4.87713447947,
         "cmp"},
    };
    HolProblem p = point_problem(&pendulum_data, 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        HolSimOptions o = alpha_options(rows[i].rho, 0.01, rows[i].iteration);
        o.method.alpha = rows[i].alpha;
        Result r = alpha_run(&p, side, NULL, 100, 0, &o);
        assert_int_equal(r.status, HOL_OK);
        close_all(r.q, rows[i].q, 2, 2e-13);
        close_all(r.v, rows[i].v, 2, 5e-13);
        close_one(r.lambda[0], rows[i].lambda, 5e-12);
        assert_true(r.stats.residual_position < 1e-15);
        assert_true(r.stats.residual_velocity < 5e-15);
    }
    // the multipliers of the projections, and the first step
    HolSimOptions o = alpha_options(0.5, 0.01, "newton");
    Result r = alpha_run(&p, side, NULL, 100, 0, &o);
    const double b = 4.0 / 9 * 2 / 3 * 1e-4, c = 5.0 / 6 * 2 / 3 * 1e-2;
    close_one(r.mu[0] / c, 4.870427297458, 1e-11);
    close_one(r.nu[0] / b, 5.072655708241, 1e-9);
    r = alpha_run(&p, side, NULL, 1, 0, &o);
    close_all(r.q, (double[]){0.9999998797049, -0.0004904999409953}, 2, 1e-13);
    close_all(r.phi, (double[]){-0.01443541036931, -9.809992919431}, 2, 1e-13);
    close_all(r.a, (double[]){-0.009623606912872, -9.809995279621}, 2, 1e-13);
    close_one(r.lambda[0], 0.01443541210582, 1e-12);
    close_one(r.nu[0], 1.202951177939e-07, 1e-9);
    close_one(r.mu[0], 4.811804421163e-05, 1e-9);
}

// accelerations from the velocity multipliers: another discrete method, in the dense implementation
static void pendulum_from_mu(void **state) {
    (void)state;
    HolProblem p = point_problem(&pendulum_data, 1);
    Dense d = {.form = INDEX2};
    dense_method(&d, 0, 1.0 / 3);
    dense_start(&d, &p, side, 0.01);
    for (int i = 0; i < 100; i++)
        dense_step(&d, 6, 1);
    close_all(d.q, (double[]){-0.986167995029, -0.1657488629839}, 2, 2e-12);
    close_all(d.v, (double[]){-0.298845649431, 1.778063569287}, 2, 2e-12);
    close_one(d.lambda[0], 4.87320539273, 1e-11);
}

static void double_pendulum_values(void **state) {
    (void)state;
    HolProblem p = rods_problem();
    double q[6];
    rods_start(q);
    HolSimOptions o = alpha_options(0, 0.005, "newton");
    Result r = alpha_run(&p, q, NULL, 200, 0, &o);
    close_all(r.q,
              (double[]){-0.4931789483745, -0.08230750196815, -2.976224975865, -1.252646063407,
                         -0.4630955096615, -2.299255175015},
              6, 1e-12);
    for (size_t i = 0; i < 4; i++) {
        o = alpha_options(0.75, 0.005, iterations[i]);
        r = alpha_run(&p, q, NULL, 200, 0, &o);
        close_all(r.q,
                  (double[]){-0.4933428748795, -0.08131917243579, -2.978228640008, -1.252522104449,
                             -0.4615213195041, -2.297742488362},
                  6, 1e-12);
        close_all(r.lambda,
                  (double[]){-8.865624973244, -3.671995651596, -3.530663076495, -1.065673017445}, 4,
                  1e-11);
    }
    // the start
    HolSim *s = NULL;
    HolError err;
    const double rest[6] = {0};
    assert_int_equal(hol_sim_create_problem(&p, q, rest, &o, &s, &err), HOL_OK);
    assert_int_equal(hol_sim_assemble(s, &err), HOL_OK);
    close_all(hol_sim_view(s).lambda,
              (double[]){0.5741598477897, -2.83677539489, 0.5741598477897, 0.7685507897809}, 4,
              1e-12);
    hol_sim_destroy(s);
}

static void spring_pendulum_values(void **state) {
    (void)state;
    static const struct {
        double rho, q[2], E;
    } rows[] = {{0, {-0.6752635828374, 0.7392483321678}, 0.1298786847376},
                {0.5, {-0.6172978425809, 0.6978525891842}, 4.201841278015},
                {0.75, {-0.596146630342, 0.6805933123872}, 4.934406229426},
                {1, {-0.5940136117679, 0.6795937155042}, 5.004360722582}};
    const Point data = {.gravity = 1, .k = 1000, .l0 = 1};
    HolProblem p = point_problem(&data, 0);
    const double q[2] = {0.9, 0};
    for (size_t i = 0; i < 4; i++) {
        HolSimOptions o = alpha_options(rows[i].rho, 0.01, "newton");
        Result r = alpha_run(&p, q, NULL, 500, 0, &o);
        close_all(r.q, rows[i].q, 2, 2e-11);
        close_one(spring_pendulum_energy(r.q, r.v, 1000), rows[i].E, 2e-10);
    }
    // damping grows with the step: h = 0.1
    const double coarse[4] = {-0.048, -0.016, 0.261, 5.883};
    for (size_t i = 0; i < 4; i++) {
        HolSimOptions o = alpha_options(rows[i].rho, 0.1, "newton");
        Result r = alpha_run(&p, q, NULL, 50, 0, &o);
        assert_int_equal(r.status, HOL_OK);
        assert_true(fabs(spring_pendulum_energy(r.q, r.v, 1000) - coarse[i]) < 6e-4);
    }
}

static const Bushing bushing_data = {1e10, 1};
static const double bushing_start[3] = {0.8, 0.6, 0};

static Result bushing_run(double rho, int N, const char *iteration) {
    HolProblem p = bushing_problem(&bushing_data);
    HolSimOptions o = alpha_options(rho, 40 * PI * 1e-5 / N, iteration);
    Result r = alpha_run(&p, bushing_start, NULL, N, 0, &o);
    assert_int_equal(r.status, HOL_OK);
    return r;
}

static double bushing_ratio(const Result *r) {
    const double rest[3] = {0};
    return bushing_energy(&bushing_data, r->q, r->v) /
           bushing_energy(&bushing_data, bushing_start, rest);
}

static void bushing_values(void **state) {
    (void)state;
    static const struct {
        double rho, q[3], ratio;
    } rows[] = {{0, {0.97193509608, -0.23524916368, -0.16589962803}, 0.0801263334258},
                {0.5, {0.98326078562, -0.18220380748, 0.32373088356}, 0.797216318316},
                {0.75, {0.9869443538, -0.16106161089, 0.3773893997}, 0.933455864657}};
    for (size_t k = 0; k < 4; k++)
        for (size_t i = 0; i < 3; i++) {
            Result r = bushing_run(rows[i].rho, 500, iterations[k]);
            close_all(r.q, rows[i].q, 3, 2e-11);
            close_one(bushing_ratio(&r), rows[i].ratio, 5e-11);
            if (rows[i].rho == 0.5) {
                close_all(r.v, (double[]){6499.5006722, 35074.481843, -25420.202803}, 3, 1e-10);
                close_one(1e-10 * r.lambda[0], 0.027994687382, 1e-10);
            }
        }
}

static void slider_values(void **state) {
    (void)state;
    static const struct {
        double E, q[3], w4, lambda[2], energy;
    } rows[] = {{0.2e12,
                 {0.252496808978, -0.125249866561, 0.442894130374},
                 3.46487351946e-06,
                 {0.02786074882, 0.5244290613},
                 0.0504973465972},
                {3.4e9,
                 {0.252457462725, -0.124970154294, 0.442896333473},
                 -7.46877084924e-05,
                 {0.2200992036, 0.5273205096},
                 0.050489053185}};
    const double phi0[11] = {
        69.762211858, -525.98725448, 0,           28.87120029,  562.00764058, 68.356916373,
        538.98339021, 107.86203814,  529.9821009, 147.33184457, 528.08368812};
    double q0[HOL_SLIDER_N] = {0}, q[2][HOL_SLIDER_N], v[2][HOL_SLIDER_N];
    q0[2] = 0.45;
    for (size_t i = 0; i < 2; i++) {
        HolSlider data = hol_slider_data(rows[i].E, 4);
        HolProblem p = hol_slider_problem(&data);
        for (int k = 0; k < 2; k++) {
            HolSimOptions o = alpha_options(0.75, 1.0 / 500, iterations[k]);
            Result r = alpha_run(&p, q0, NULL, 50, 0, &o);
            assert_int_equal(r.status, HOL_OK);
            close_all(r.q, rows[i].q, 3, 5e-11);
            close_one(r.q[9], rows[i].w4, 2e-9);
            close_all(r.lambda, rows[i].lambda, 2, 2e-9);
            close_one(hol_slider_energy(&p, r.q, r.v), rows[i].energy, 1e-10);
            memcpy(q[k], r.q, sizeof q[k]);
            memcpy(v[k], r.v, sizeof v[k]);
            Dense d = {.p = &p};
            memcpy(d.q, q0, sizeof q0);
            dense_accelerate(&d);
            close_all(d.phi, phi0, 11, 1e-10);
        }
        assert_true(gap(q[0], q[1], data.n) < 1e-12);
        assert_true(gap(v[0], v[1], data.n) < 1e-9);
    }
}

// ---- equivalences ----

// newton and cs (and cm, converged) give the same discrete solution
static void same_solution(void **state) {
    (void)state;
    HolProblem circle = point_problem(&pendulum_data, 1), rods = rods_problem();
    double q[6];
    rods_start(q);
    for (int k = 1; k < 4; k++) {
        HolSimOptions a = alpha_options(0.5, 0.01, "newton"), b = a;
        snprintf(b.method.iteration, sizeof b.method.iteration, "%s", iterations[k]);
        Result x = alpha_run(&circle, side, NULL, 100, 0, &a);
        Result y = alpha_run(&circle, side, NULL, 100, 0, &b);
        assert_true(gap(x.q, y.q, 2) < 1e-13);
        assert_true(gap(x.v, y.v, 2) < 1e-13);
        assert_true(gap(x.lambda, y.lambda, 1) < 1e-12);
        a.step = b.step = 0.005;
        a.method.rho = b.method.rho = 0.75;
        x = alpha_run(&rods, q, NULL, 200, 0, &a);
        y = alpha_run(&rods, q, NULL, 200, 0, &b);
        assert_true(gap(x.q, y.q, 6) < 1e-13);
        assert_true(gap(x.v, y.v, 6) < 2e-13);
        x = bushing_run(0.5, 500, "newton");
        y = bushing_run(0.5, 500, iterations[k]);
        assert_true(gap(x.q, y.q, 3) < 1e-13);
        assert_true(gap(x.v, y.v, 3) < 1e-13 * 4e4);
    }
}

// hht(-1/3) is rho = 1/2; hht(0) has the q and v of rho = 1
static void same_method(void **state) {
    (void)state;
    HolProblem p = rods_problem();
    double q[6];
    rods_start(q);
    const double rho[2] = {0.5, 1}, alpha[2] = {-1.0 / 3, 0};
    for (int i = 0; i < 2; i++) {
        HolSimOptions o = alpha_options(rho[i], 0.005, "newton");
        Result x = alpha_run(&p, q, NULL, 200, 0, &o);
        o.method.rho = NAN;
        o.method.alpha = alpha[i];
        Result y = alpha_run(&p, q, NULL, 200, 0, &o);
        assert_true(gap(x.q, y.q, 6) < 2e-13);
        assert_true(gap(x.v, y.v, 6) < 2e-12);
        assert_true(gap(x.lambda, y.lambda, 4) < 2e-11);
        if (i == 0)
            assert_true(gap(x.a, y.a, 6) < 5e-11);
    }
}

// every iterate of the first step, against explicit P or multipliers in dense matrices
static void same_iterates(const HolProblem *p, const double *q, double h, const int *Y) {
    static const struct {
        const char *iteration;
        Form forms[2];
        int count;
    } rows[] = {{"newton", {INDEX2, INDEX2}, 1},
                {"cs", {SPLIT, SPLIT}, 1},
                {"cm", {SPLIT_NO_H, INDEX2_NO_H}, 2},
                {"cmp", {SPLIT_FROZEN, SPLIT_FROZEN}, 1}};
    double distinct = 0, previous[MOST] = {0};
    for (size_t i = 0; i < 4; i++)
        for (int n = 1; n <= 4; n++) {
            HolSimOptions o = alpha_options(0.5, h, rows[i].iteration);
            o.method.newton_iterations = n;
            o.method.predictor = 1;
            Result r = alpha_run(p, q, NULL, 1, 0, &o);
            assert_int_equal(r.status, HOL_OK);
            for (int k = 0; k < rows[i].count; k++) {
                Dense d = {.form = rows[i].forms[k]};
                memcpy(d.Y, Y, sizeof(int) * (size_t)p->nh);
                dense_method(&d, 0, 1.0 / 3);
                dense_start(&d, p, q, h);
                dense_step(&d, n, 0);
                close_all(r.q, d.q, p->nv, 4e-14);
                close_all(r.v, d.v, p->nv, 4e-13);
            }
            if (n == 2) {
                distinct = fmax(distinct, i ? gap(previous, r.q, p->nv) : 0);
                memcpy(previous, r.q, sizeof previous);
            }
        }
    // the iterations differ by far more than they are compared with
    assert_true(distinct > 1e-9);
}

static void iterates(void **state) {
    (void)state;
    HolProblem bushing = bushing_problem(&bushing_data);
    // the split of the library: x carries the larger entry of G
    same_iterates(&bushing, bushing_start, 40 * PI * 1e-5 / 60, (int[]){0});
    Point data = {.gravity = -9.81, .k = 300, .l0 = 0.4, .anchor = {0, -0.5}};
    HolProblem circle = point_problem(&data, 1);
    same_iterates(&circle, (double[]){0.8, -0.6}, 0.05, (int[]){0});
}

// whole runs: as many iterations with cm as with multipliers and no H, sample by sample
static void iterates_of_a_run(void **state) {
    (void)state;
    HolProblem p = bushing_problem(&bushing_data);
    HolSimOptions o = alpha_options(0.5, 40 * PI * 1e-5 / 200, "cm");
    o.method.newton_iterations = 6;
    o.method.predictor = 1;
    Result r = alpha_run(&p, bushing_start, NULL, 100, 0, &o);
    Dense d = {.form = INDEX2_NO_H};
    dense_method(&d, 0, 1.0 / 3);
    dense_start(&d, &p, bushing_start, o.step);
    for (int i = 0; i < 100; i++)
        dense_step(&d, 6, 0);
    assert_true(gap(r.q, d.q, 3) < 2e-13);
    close_all(r.v, d.v, 3, 1e-12);
}

// ---- contraction ----

// error after n full Newton iterations over that after n - 1, in a step from rest at the angle 0.01
static double contraction(const Point *data, double h, const char *iteration, int n) {
    HolProblem p = point_problem(data, 1);
    const double q[2] = {sin(0.01), -cos(0.01)};
    HolSimOptions o = alpha_options(0, h, strcmp(iteration, "cmp") ? "newton" : "cmp");
    Result exact = alpha_run(&p, q, NULL, 1, 0, &o), r[2];
    assert_int_equal(exact.status, HOL_OK);
    for (int i = 0; i < 2; i++) {
        o = alpha_options(0, h, iteration);
        o.method.newton_iterations = n - 1 + i;
        o.method.predictor = 1;
        r[i] = alpha_run(&p, q, NULL, 1, 0, &o);
    }
    return gap(r[1].q, exact.q, 2) / gap(r[0].q, exact.q, 2);
}

// rows P (I + b K + H(s)) and G of the position equations at q, for q = q* solving them with q^
static void position_matrix(const HolProblem *p, const double *q, const double *q_hat, double b,
                            int with_H, HolSplit *split, double J[2][2]) {
    static const int ptr[2] = {0, 2}, idx[2] = {0, 1};
    const HolPattern pattern = {1, 2, 2, ptr, idx};
    double G[2], f[2], r[2], s[1], K[4] = {1, 0, 0, 1}, column[2];
    p->jacobian(p, NULL, &(HolPoint){.t = 0, .q = q}, G);
    p->force(p, NULL, &(HolPoint){.t = 0, .q = q, .v = q}, f);
    for (int i = 0; i < 2; i++)
        r[i] = q[i] - q_hat[i] - b * f[i];
    assert_int_equal(hol_split_factor(split, &pattern, G), 0);
    hol_split_multipliers(split, r, s);
    s[0] = with_H ? s[0] / b : 0;
    p->tangent(p, NULL, &(HolPoint){.t = 0, .q = q, .v = q, .a = q, .lambda = s}, 0, b, K);
    for (int j = 0; j < 2; j++) {
        double unused[1];
        column[0] = K[2 * j];
        column[1] = K[2 * j + 1];
        hol_split_reduce(split, &pattern, G, column, unused, &J[0][j]);
        J[1][j] = G[j];
    }
}

// spectral radius of I - J(q* + offset)^-1 J*(q*), offset of 1e-3 along the circle or across it;
// q* at the angle 0.01 and at rest, rho = 0
static double chord_rate(const Point *data, double h, int with_H, int across) {
    HolProblem p = point_problem(data, 1);
    const double b = 0.5 * h * h;
    Dense d = {.q = {sin(0.01), -cos(0.01)}, .p = &p};
    HolArena arena = {0};
    HolSplit split;
    static const int ptr[2] = {0, 2}, idx[2] = {0, 1};
    const HolPattern pattern = {1, 2, 2, ptr, idx};
    double q_hat[2], q[2], J0[2][2], J1[2][2];
    dense_accelerate(&d);
    for (int i = 0; i < 2; i++)
        q_hat[i] = d.q[i] - b * d.phi[i];
    q[0] = d.q[0] + 1e-3 * (across ? d.q[0] : -d.q[1]);
    q[1] = d.q[1] + 1e-3 * (across ? d.q[1] : d.q[0]);
    assert_true(hol_split_create(&arena, 2, 1, &split));
    assert_int_equal(hol_split_choose(&split, &pattern, d.q, NULL), 1);
    assert_int_equal(split.Y[0], 1);
    position_matrix(&p, d.q, q_hat, b, 1, &split, J1);
    position_matrix(&p, q, q_hat, b, with_H, &split, J0);
    hol_arena_free(&arena);
    // A = I - J0^-1 J1
    const double det = J0[0][0] * J0[1][1] - J0[0][1] * J0[1][0];
    double A[2][2];
    for (int j = 0; j < 2; j++) {
        A[0][j] = (j == 0) - (J0[1][1] * J1[0][j] - J0[0][1] * J1[1][j]) / det;
        A[1][j] = (j == 1) - (J0[0][0] * J1[1][j] - J0[1][0] * J1[0][j]) / det;
    }
    const double mean = (A[0][0] + A[1][1]) / 2, product = A[0][0] * A[1][1] - A[0][1] * A[1][0];
    const double under = mean * mean - product;
    return under < 0 ? sqrt(product) : fabs(mean) + sqrt(under);
}

static void contractions(void **state) {
    (void)state;
    const double k = 1e8, eps = 1e-4;
    const Point spring = {.gravity = -1, .k = k, .l0 = 0.4, .anchor = {0, -0.5}};
    const Point radial = {.gravity = -1, .k = k, .l0 = 0.9};
    const Point linear = {.gravity = -1, .k_x = k};
    // matrix kept from a point 1e-3 away: along the circle 3e-3 against 0.5, and 1e-3 against 0.998
    assert_true(fabs(chord_rate(&spring, 100 * eps, 1, 0) - 3e-3) < 3e-4);
    assert_true(fabs(chord_rate(&spring, 100 * eps, 0, 0) - 0.5) < 1e-3);
    assert_true(chord_rate(&spring, 100 * eps, 1, 1) < 7e-3);
    assert_true(fabs(chord_rate(&spring, 100 * eps, 0, 1) - 0.5) < 5e-3);
    for (int across = 0; across < 2; across++) {
        assert_true(fabs(chord_rate(&radial, 100 * eps, 1, across) - 1e-3) < 1e-5);
        assert_true(fabs(chord_rate(&radial, 100 * eps, 0, across) - 0.998) < 1e-4);
    }
    // full Newton. A reaction of 0.1/eps^2 on the slow manifold: without H the error is halved at
    // best
    assert_true(fabs(contraction(&spring, 100 * eps, "cm", 5) - 0.5) < 0.002);
    assert_true(contraction(&spring, 100 * eps, "cs", 2) < 1e-4);
    assert_true(contraction(&spring, 100 * eps, "cs-qr", 2) < 1e-4);
    assert_true(contraction(&spring, 100 * eps, "newton", 2) < 1e-3);
    assert_true(contraction(&spring, 10 * eps, "cmp", 2) < 1e-3);
    // b k/10 / (1 + b k/10), b = h^2/2
    assert_true(fabs(contraction(&radial, 100 * eps, "cm", 5) - 500.0 / 501) < 1e-3);
    assert_true(fabs(contraction(&radial, 10 * eps, "cm", 5) - 5.0 / 6) < 1e-3);
    // P frozen at the predictor is exact for its own system, but that predictor is poor here
    assert_true(contraction(&spring, 100 * eps, "cmp", 2) > 0.1);
    assert_true(contraction(&spring, 100 * eps, "cmp", 6) < 1e-5);
    // without a reaction cm is as good as cs
    assert_true(contraction(&linear, 100 * eps, "cm", 2) < 1e-4);
    assert_true(contraction(&linear, 100 * eps, "cs", 2) < 1e-4);
}

// ---- energy of the bushing problem (table 1 of the paper, which a second-order method cannot
// give) ----

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void bushing_energies(void **state) {
    (void)state;
    static const double rho[3] = {0, 0.5, 0.75};
    static const int N[3] = {200, 500, 1200};
    static const double newton[3][3] = {
        {0.0125, 0.0801, 0.7296}, {0.158, 0.797, 0.980}, {0.513, 0.933, 0.994}};
    static const double cmp[3][3] = {
        {0.0122, 0.0756, 0.718}, {0.119, 0.740, 0.974}, {0.355, 0.880, 0.989}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            Result r = bushing_run(rho[i], N[j], "newton");
            assert_true(fabs(bushing_ratio(&r) - newton[i][j]) < 6e-4);
            r = bushing_run(rho[i], N[j], "cmp");
            assert_true(fabs(bushing_ratio(&r) - cmp[i][j]) < 6e-4);
        }
    // over steps 4 % around: the numbers are no accident of one step
    for (int i = 0; i < 3; i++) {
        double ratio[9];
        for (int k = 0; k < 9; k++) {
            Result r = bushing_run(rho[i], 480 + 5 * k, "newton");
            ratio[k] = bushing_ratio(&r);
        }
        qsort(ratio, 9, sizeof *ratio, ascending);
        assert_true(fabs(ratio[4] - newton[i][1]) < 0.01);
        assert_true(ratio[8] - ratio[0] < 0.05);
    }
}

// h^3 damping: -log(E/E0) falls by about (1200/500)^3 = 13.8
static void damping_order(void **state) {
    (void)state;
    Result coarse = bushing_run(0.75, 500, "cs"), fine = bushing_run(0.75, 1200, "cs");
    const double ratio = log(bushing_ratio(&coarse)) / log(bushing_ratio(&fine));
    assert_true(ratio > 10 && ratio < 16);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(pendulum_values),
                                       cmocka_unit_test(pendulum_from_mu),
                                       cmocka_unit_test(double_pendulum_values),
                                       cmocka_unit_test(spring_pendulum_values),
                                       cmocka_unit_test(bushing_values),
                                       cmocka_unit_test(slider_values),
                                       cmocka_unit_test(same_solution),
                                       cmocka_unit_test(same_method),
                                       cmocka_unit_test(iterates),
                                       cmocka_unit_test(iterates_of_a_run),
                                       cmocka_unit_test(contractions),
                                       cmocka_unit_test(bushing_energies),
                                       cmocka_unit_test(damping_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
