// SPDX-License-Identifier: Apache-2.0
// Every method on the same problems, one line each: orders in q, v and lambda (free double pendulum
// in the plane, heavy top in space), constraint residuals, error and time of a step (Andrews'
// mechanism), largest stable omega h and amplitude kept (linear vibration), and a stiff start
// (double pendulum with spring-dampers).
#include "tools/papers/papers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DOUBLE "double-pendulum.yaml"
#define TOP "heavy-top.yaml"
#define ANDREWS "andrews.yaml"
#define STIFF "stiff-double-pendulum.yaml"
#define OSCILLATOR "papers/explicit-oscillator.yaml"

typedef struct Method {
    const char *name, *settings, *use;
    int adaptive;  // measured with error control
    double coarse; // orders are measured with so many times the common step
} Method;

static const Method methods[] = {
    {"tangent, hermite", "method=tangent", "precise, any stiffness, all levels", 0, 1},
    {"tangent, jfg", "method=tangent .scheme=jfg", "as hermite, while omega h stays below 2.4", 0,
     1},
    {"tangent, obreshkov3", "method=tangent .scheme=obreshkov3",
     "stiff transients and noise that should die out", 0, 1},
    {"tangent, trapezoidal", "method=tangent .scheme=trapezoidal",
     "cheap, undamped, any stiffness, reactions without sawtooth", 0, 1},
    {"tangent, fox-goodwin", "method=tangent .scheme=fox-goodwin", "to compare with the paper", 0,
     1},
    {"tangent, hht, alpha -0.1", "method=tangent .scheme=hht",
     "fast vibrations fade, reactions without sawtooth", 0, 1},
    {"tangent, generalized-alpha, rho 0.8", "method=tangent .scheme=generalized-alpha",
     "as hht, less damping of slow motion", 0, 1},
    {"taylor", "method=taylor", "smooth motion: the fastest at every precision", 1, 1},
    {"newmark, gamma 1/2", "method=newmark .gamma=0.5", "no: reactions oscillate", 0, 1},
    {"newmark, gamma 3/4", "method=newmark .gamma=0.75", "to compare with other programs", 0, 1},
    {"hht, alpha -0.3", "method=hht .alpha=-0.3", "cheap steps, damped, stiff forces", 0, 1},
    {"generalized-alpha, rho 0.8", "method=generalized-alpha .rho=0.8",
     "as hht, less damping of slow motion", 0, 1},
    {"dae-alpha, rho 0.8", "method=dae-alpha .rho=0.8",
     "damped, with velocities on the constraints and second-order reactions", 0, 1},
    {"central-differences", "method=central-differences", "long runs of soft models, robust", 0, 1},
    {"explicit3, o3", "method=explicit3", "one force evaluation a step, slightly damped", 0, 1},
    {"explicit4, o4s", "method=explicit4", "one force evaluation a step", 0, 1},
    {"explicit5, o5a", "method=explicit5", "the best of the family: soft models, long runs", 0, 1},
    {"rk3", "method=rk3", "to compare with the paper", 0, 1},
    {"rk4", "method=rk4", "soft models, no history, discontinuities", 0, 1},
    {"ab4", "method=ab4", "to compare with the paper", 0, 1},
    {"ab5", "method=ab5", "to compare with the paper", 0, 1},
    {"rk853", "method=rk853", "soft models that have no Taylor series", 0, 16},
    {"radau, order 5", "method=radau .order=5",
     "stiff mechanisms of few degrees of freedom, precise and damped", 1, 1},
    {"bdf, cs, order 2", "method=bdf .order=2", "strongly damped motion that ends in slow motion",
     1, 1},
};

// ---- orders ----

typedef struct Error {
    double q, v, lambda, steps;
} Error;

static Error methods_compare(const HolPaperRun *r, const HolPaperRun *exact) {
    if (r->status != HOL_OK)
        return (Error){NAN, NAN, NAN, NAN};
    return (Error){hol_paper_distance(r->q, exact->q, r->nq),
                   hol_paper_distance(r->v, exact->v, r->nv),
                   hol_paper_distance(r->lambda, exact->lambda, r->m), (double)r->stats.steps};
}

static const char *orders(HolPaper *p, const Method *m, const char *model, double h, double end,
                          const HolPaperRun *exact) {
    Error e[2];
    for (int k = 0; k < 2; k++) {
        const HolPaperRun r = m->adaptive ? hol_paper_run(p, model, "%s tolerance=%g end=%g",
                                                          m->settings, k ? 1e-9 : 1e-6, end)
                                          : hol_paper_run(p, model, "%s step=%.17g end=%g",
                                                          m->settings, h / (1 + k), end);
        e[k] = methods_compare(&r, exact);
    }
    if (isnan(e[0].q) || isnan(e[1].q))
        return "fails";
    if (!strcmp(m->name, "taylor"))
        return "series";
    const double ratio = log(e[1].steps / e[0].steps);
    return hol_paper_text(p, "%.1f %.1f %.1f", log(e[0].q / e[1].q) / ratio,
                          log(e[0].v / e[1].v) / ratio, log(e[0].lambda / e[1].lambda) / ratio);
}

// ---- vibration: stability and damping ----

static const char *methods_limit(HolPaper *p, const Method *m) {
    char settings[160];
    if (m->adaptive)
        return "adaptive";
    snprintf(settings, sizeof settings, "x.velocity=1 wbar=0 %s", m->settings);
    if (hol_paper_largest(p, 0, 1e5, OSCILLATOR, "%s step=60 end=60000", settings) < INFINITY)
        return "none";
    return hol_paper_text(
        p, "%.3g",
        hol_paper_limit(p, 0, 30, 0.2, 12, p->quick ? 2000 : 10000, OSCILLATOR, settings));
}

// amplitude after 100 periods
static const char *amplitude(HolPaper *p, const Method *m) {
    const HolPaperRun r =
        m->adaptive ? hol_paper_run(p, OSCILLATOR,
                                    "x.velocity=1 wbar=0 %s tolerance=1e-6 end=628.2", m->settings)
                    : hol_paper_run(p, OSCILLATOR, "x.velocity=1 wbar=0 %s step=0.3 end=628.2",
                                    m->settings);
    const double kept = hypot(r.q[0], r.v[0]);
    return r.status != HOL_OK ? "fails" : kept < 1e3 ? hol_paper_text(p, "%.4f", kept) : "grows";
}

// ---- the line of a method ----

typedef struct Exact {
    HolPaperRun pendulum, top, andrews;
} Exact;

static void write_method(HolPaper *p, const Method *m, const Exact *exact) {
    const HolPaperRun andrews =
        m->adaptive ? hol_paper_run(p, ANDREWS, "%s tolerance=1e-8 end=0.03", m->settings)
                    : hol_paper_run(p, ANDREWS, "%s step=2e-5 end=0.03", m->settings);
    const HolStats *s = &andrews.stats;
    const HolPaperRun stiff =
        m->adaptive
            ? hol_paper_run(p, STIFF, "%s tolerance=1e-6 max_steps=200000 end=2", m->settings)
            : hol_paper_run(p, STIFF, "%s step=1e-3 end=2", m->settings);
    const double stiff_error = fabs(stiff.q[2] - 4.6404781832213311334);
    const int stiff_ok = stiff.status == HOL_OK && stiff_error < 1;
    const char *cells[] = {
        m->name,
        orders(p, m, DOUBLE, 0.005 * m->coarse, 2, &exact->pendulum),
        orders(p, m, TOP, 0.0025 * fmin(m->coarse, 8), 0.25, &exact->top),
        hol_paper_text(p, "%.0e %.0e %.0e", s->residual_position, s->residual_velocity,
                       s->residual_acceleration),
        andrews.status == HOL_OK
            ? hol_paper_text(p, "%.0e", fabs(andrews.q[2] - exact->andrews.q[2]))
            : "fails",
        hol_paper_text(p, "%.2g", 1e6 * s->cpu_seconds / (double)(s->steps > 0 ? s->steps : 1)),
        methods_limit(p, m),
        amplitude(p, m),
        stiff_ok ? hol_paper_text(p, "%.0e", stiff_error) : "fails",
        m->use,
    };
    p->sink->row(p->sink->to, sizeof cells / sizeof *cells, cells);
}

void hol_paper_methods(HolPaper *p) {
    static const char *const columns[] = {"method",
                                          "order q v lambda, plane",
                                          "order q v lambda, space",
                                          "residuals q v a",
                                          "error [rad]",
                                          "us a step",
                                          "largest omega h",
                                          "amplitude kept",
                                          "stiff start, error",
                                          "use it for"};
    Exact exact;
    hol_paper_chapter(
        p, "methods", "Methods side by side",
        "Orders: free double pendulum (h = 5e-3 and half) and heavy top (h = 2.5e-3 and half), "
        "from "
        "starts with non-zero jerk. Residuals (positions, velocities, accelerations), error of the "
        "crank angle and time of a step: Andrews' mechanism, h = 2e-5, 0.03 s. Largest stable "
        "omega "
        "h and amplitude kept of 1 after 100 periods with omega h = 0.3: linear vibration. Stiff "
        "start: double pendulum with spring-dampers (eigenvalue -1e5 1/s), h = 1e-3, error of the "
        "first angle at 2 s. Methods with error control (taylor, radau, bdf): tolerances 1e-6 and "
        "1e-9 "
        "for the order (error against number of steps), 1e-8 for Andrews, 1e-6 elsewhere.");
    exact.pendulum = hol_paper_run(p, DOUBLE, "method=taylor tolerance=1e-14 end=2");
    exact.top = hol_paper_run(p, TOP, "method=taylor tolerance=1e-14 end=0.25");
    exact.andrews = hol_paper_run(p, ANDREWS, "method=taylor tolerance=1e-14 end=0.03");
    p->sink->table(p->sink->to, "All methods on the same problems",
                   DOUBLE ", " TOP ", " ANDREWS ", " OSCILLATOR ", " STIFF,
                   sizeof columns / sizeof *columns, columns);
    for (size_t i = 0; i < sizeof methods / sizeof *methods && p->status == HOL_OK; i++) {
        write_method(p, &methods[i], &exact);
        if (p->status == HOL_ERR_UNSUPPORTED) // bdf without SUNDIALS
            p->status = HOL_OK;
    }
}
