// SPDX-License-Identifier: Apache-2.0
// Theorem 3.1 of the coordinate-split paper: how fast Newton's iteration of CS and of CM converges.
// One step from rest of dae-alpha, rho = 0, on the unit circle g = (|q|^2 - 1)/2:
//   r(q) = q - q0 - b f(q),  b = h^2/2,      P r = 0  <=>  r + q nu = 0,   nu = -q.r(q) on the circle
// In the direction T along the circle the whole matrix is T.r_q T + nu, that of CM T.r_q T alone, so
// that near the solution an iteration of CM leaves
//   rate = |nu| / |1 - b T.f_q T|                                                            (R1)
// of the error; CS, with a new matrix each time, converges quadratically. Observed: the error after n
// iterations over that after n - 1, against the iterated solution.
#include "tools/papers/paper004.h"

#include <math.h>

typedef struct RateCase {
    const char *what, *model;
    double eps, steps; // h = steps eps
    int spring;
} RateCase;

// stiff force over the unit mass, and its derivative along T
static void rates_force(const RateCase *c, const double *q, const double *T, double *f,
                        double *along) {
    const double k = 1 / (c->eps * c->eps);
    if (!c->spring) {
        f[0] = -k * q[0];
        f[1] = -1;
        *along = -k * T[0] * T[0];
        return;
    }
    const double l0 = 0.4, d[2] = {q[0], q[1] + 0.5}, l = hypot(d[0], d[1]);
    const double part = 1 - l0 / l, across = (T[0] * d[0] + T[1] * d[1]) / l;
    f[0] = -k * part * d[0];
    f[1] = -k * part * d[1] - 1;
    *along = -k * (part + l0 / l * across * across);
}

// (R1) at the solution q of a step from q0
static double rates_predicted(const RateCase *c, const double *q0, const double *q) {
    const double h = c->steps * c->eps, b = h * h / 2, T[2] = {-q[1], q[0]};
    double f[2], along, nu = 0;
    rates_force(c, q, T, f, &along);
    for (int i = 0; i < 2; i++)
        nu -= q[i] * (q[i] - q0[i] - b * f[i]);
    return fabs(nu) / fabs(1 - b * along);
}

static HolPaperRun rates_step(HolPaper *p, const RateCase *c, const char *iteration, int n) {
    const double h = c->steps * c->eps;
    return hol_paper_run(p, c->model,
                         "eps=%g method=dae-alpha .rho=0 .iteration=%s .newton_iterations=%d "
                         ".predictor=1 step=%g end=%g",
                         c->eps, iteration, n, h, h);
}

static double rates_observed(HolPaper *p, const RateCase *c, const char *iteration, int n,
                             const double *solution) {
    double error[2];
    for (int i = 0; i < 2; i++)
        error[i] = hol_paper_distance(rates_step(p, c, iteration, n - 1 + i).q, solution, 2);
    return error[1] / error[0];
}

void hol_paper_004_rates(HolPaper *p) {
    static const char *const spring = "papers/circle-spring.yaml";
    static const char *const linear = "papers/circle-linear-force.yaml";
    const RateCase cases[] = {{"spring, eps = 1e-2, h = 10 eps", spring, 1e-2, 10, 1},
                              {"spring, eps = 1e-4, h = 10 eps", spring, 1e-4, 10, 1},
                              {"spring, eps = 1e-4, h = 100 eps", spring, 1e-4, 100, 1},
                              {"linear force, eps = 1e-2, h = 10 eps", linear, 1e-2, 10, 0},
                              {"linear force, eps = 1e-4, h = 100 eps", linear, 1e-4, 100, 0}};
    const double q0[2] = {sqrt(1 - 0.999 * 0.999), -0.999};
    hol_paper_table(p,
                    "Theorem 3.1: what an iteration leaves of the error, one step from rest, "
                    "dae-alpha, rho = 0: CM observed (by theory), CS observed",
                    "papers/circle-spring.yaml, papers/circle-linear-force.yaml");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const RateCase *c = &cases[i];
        const HolPaperRun solution = rates_step(p, c, "newton", 40);
        const double theory = rates_predicted(c, q0, solution.q);
        // (late enough to be near the solution, before round-off)
        const double cm = rates_observed(p, c, "cm", theory > 0.1 ? 6 : 2, solution.q);
        const double cs = rates_observed(p, c, "cs", theory > 0.1 ? 3 : 2, solution.q);
        hol_paper_row(
            p, &(HolPaperRow){
                   .what = c->what,
                   .printed = "CM better than CS",
                   .computed = hol_paper_text(p, "%.3g (%.3g), %.1e", cm, theory, cs),
                   .verdict = fmax(cm, cs) < 1e-3 ? HOL_VERDICT_NONE : hol_paper_verdict(cm < cs),
                   .why = c->spring ? "the reaction of the compressed spring is what CM leaves out"
                                    : "hardly a reaction: both converge at once"});
    }
}
