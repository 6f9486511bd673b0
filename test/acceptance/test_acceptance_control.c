// SPDX-License-Identifier: Apache-2.0
// Error control of `tangent` hermite on model files: the error of the positions at the end, against
// the Taylor-series method with tolerance 1e-13, follows the tolerance over 1e-3 .. 1e-9. The slope
// of log(error) over log(tolerance), by least squares, lies between 0.6 and 1.3, and fewer than
// 20 % of the steps are rejected in every run.
#include "ref_compare.h"

enum { LOOSE = 3, TIGHT = 9, MOST = 64 };

typedef struct Case {
    const char *model;
    double end;
    int loosest; // where the tolerance is above the motion itself nothing can follow it
} Case;

static double run_to(const Case *c, const char *method, const char *tolerance, double *q,
                     HolStats *stats) {
    RefRun r = ref_open(c->model, method, tolerance, NULL);
    ref_advance(&r, c->end);
    HolView v = hol_sim_view(r.sim);
    assert_true(v.nq <= MOST);
    double size = 0;
    for (int i = 0; i < v.nq; i++) {
        size = fmax(size, fabs(q[i] - v.q[i]) / fmax(1, fabs(v.q[i])));
        q[i] = v.q[i];
    }
    *stats = hol_sim_stats(r.sim);
    ref_close(&r);
    return size;
}

static void test_follows(void **state) {
    const Case *c = *state;
    double exact[MOST] = {0}, sx = 0, sy = 0, sxx = 0, sxy = 0;
    HolStats stats;
    run_to(c, "method=taylor", "tolerance=1e-13", exact, &stats);
    int n = 0;
    for (int k = c->loosest; k <= TIGHT; k++, n++) {
        char tolerance[32];
        double q[MOST];
        snprintf(tolerance, sizeof tolerance, "tolerance=1e-%d", k);
        memcpy(q, exact, sizeof q);
        double error = run_to(c, "method=tangent", tolerance, q, &stats);
        if (!((double)stats.rejected < 0.2 * (double)(stats.steps + stats.rejected)))
            fail_msg("%s at %s: %ld of %ld steps rejected", c->model, tolerance, stats.rejected,
                     stats.steps + stats.rejected);
        double x = -k, y = log10(error);
        sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    double slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
    if (!(slope > 0.6 && slope < 1.3))
        fail_msg("%s: the error goes as tolerance^%.2f", c->model, slope);
}

// clang-format off
static const Case cases[] = {
    {"pendulum.yaml", 10, LOOSE},       {"double-pendulum.yaml", 2, LOOSE},
    {"driven-pendulum.yaml", 100, 5},   {"andrews.yaml", 0.03, LOOSE},
    {"spinning-top.yaml", 1, LOOSE},    {"heavy-top.yaml", 0.2, LOOSE},
    {"flyball.yaml", 5, LOOSE},
};
// clang-format on

int main(void) {
    enum { N = sizeof cases / sizeof *cases };
    struct CMUnitTest tests[N];
    for (int i = 0; i < N; i++)
        tests[i] = (struct CMUnitTest){cases[i].model, test_follows, NULL, NULL, (void *)&cases[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
