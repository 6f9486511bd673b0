// SPDX-License-Identifier: Apache-2.0
// The DAE alpha-method paper, section 4.3: flexible slider-crank (slider_crank.c), its frequencies,
// damping of the rod's vibration, Table 2.
#include "tools/papers/paper002.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct SliderRun {
    const char *iteration;
    double rho;
    int rate; // steps a second
    double end;
    double newton_tolerance; // 0: round-off
    int newton_most;
    int predictor; // 0: the method's own
} SliderRun;

static HolPaperRun slider_watched(HolPaper *p, HolPaperWatch watch, void *user,
                                  const HolProblem *problem, const SliderRun *r) {
    double q[HOL_SLIDER_N] = {0}, v[HOL_SLIDER_N] = {0};
    HolSimOptions o = hol_sim_options();
    snprintf(o.method.name, sizeof o.method.name, "dae-alpha");
    snprintf(o.method.iteration, sizeof o.method.iteration, "%s", r->iteration);
    o.method.rho = r->rho;
    o.method.newton_tolerance = r->newton_tolerance;
    o.method.newton_most = r->newton_most;
    if (r->predictor)
        o.method.predictor = r->predictor;
    o.step = 1.0 / r->rate;
    o.end = r->end;
    q[2] = 0.45;
    return hol_paper_problem(p, watch, user, problem, q, v, &o);
}

static HolPaperRun slider(HolPaper *p, const HolProblem *problem, const char *iteration, double rho,
                          int rate, double end) {
    return slider_watched(p, NULL, NULL, problem, &(SliderRun){iteration, rho, rate, end, 0, 0, 0});
}

static void write_model(HolPaper *p) {
    static const double modulus[2] = {0.2e12, 3.4e9};
    hol_paper_table(p, "Section 4.3: flexible slider-crank, rho = 3/4, h = 1/500 s", "");
    for (int i = 0; i < 2; i++) {
        const HolSlider d = hol_slider_data(modulus[i], 4);
        const HolProblem problem = hol_slider_problem(&d);
        const double omega = hol_slider_frequency(&d);
        hol_paper_row(p, &(HolPaperRow){.what = hol_paper_text(
                                            p, "E = %g: largest frequency [rad/s]", modulus[i]),
                                        .printed = "1.3e4",
                                        .value = omega,
                                        .digits = 6,
                                        .why = i ? "the modulus that gives the printed frequency"
                                                 : "steel; the paper does not give its modulus"});
        const HolPaperRun r = slider(p, &problem, "newton", 0.75, 500, 0.1);
        hol_paper_row(p,
                      &(HolPaperRow){.what = hol_paper_text(p, "E = %g: phi1 at 0.1 s", modulus[i]),
                                     .value = r.q[0],
                                     .digits = 12});
        hol_paper_row(
            p, &(HolPaperRow){.what = hol_paper_text(p, "E = %g: energy at 0.1 s", modulus[i]),
                              .value = hol_slider_energy(&problem, r.q, r.v),
                              .digits = 12});
        if (i)
            hol_paper_row(p, &(HolPaperRow){.what = "h = 1/2000 s over one period of it",
                                            .printed = "1",
                                            .value = omega / (2000 * 2 * acos(-1)),
                                            .digits = 3});
    }
    for (int k = 2; k <= 8; k *= 2) {
        const HolSlider d = hol_slider_data(3.4e9, k);
        hol_paper_row(p, &(HolPaperRow){.what = hol_paper_text(
                                            p, "E = 3.4e9, k = %d elements: largest frequency", k),
                                        .value = hol_slider_frequency(&d),
                                        .digits = 6});
    }
    hol_paper_missing(p, "coordinates: 2 k + 5", "13",
                      "with the paper's constraints the rod's frame is tangent at the crank pin: "
                      "2 k + 3 = 11 are left");
}

// ---- Figs. 8 to 12 ----

// Energy of modes, averaged over 0.3 to 0.4 s (the torque has ended) and over the last tenth of a
// second: the rigid motion, the first bending mode, the others together
typedef struct SliderModes {
    const HolProblem *problem;
    double rigid[2], first[2], high[2];
    int n[2];
} SliderModes;

static int slider_watch_modes(void *user, const HolView *x) {
    SliderModes *m = user;
    const int k = x->t > 0.9 ? 1 : 0;
    double omega[HOL_SLIDER_N], energy[HOL_SLIDER_N];
    if (x->t < 0.301 || (x->t > 0.401 && x->t <= 0.9))
        return 0;
    const int count = hol_slider_modes(m->problem, x->q, x->v, omega, energy);
    for (int i = 0; i < count; i++)
        *(i == 0 ? &m->rigid[k] : i == 1 ? &m->first[k] : &m->high[k]) += energy[i];
    m->n[k]++;
    return 0;
}

static SliderModes slider_modes(HolPaper *p, const HolProblem *problem, const char *iteration,
                                double rho, int rate, HolPaperRun *run) {
    SliderModes m = {.problem = problem};
    *run = slider_watched(p, slider_watch_modes, &m, problem,
                          &(SliderRun){iteration, rho, rate, 1, 0, 0, 0});
    for (int k = 0; k < 2; k++) {
        m.rigid[k] /= m.n[k];
        m.first[k] /= m.n[k];
        m.high[k] /= m.n[k];
    }
    return m;
}

static void write_damping(HolPaper *p) {
    static const struct {
        const char *what, *iteration;
        double rho;
        int rate;
    } rows[] = {{"Fig. 10: rho = 0.75, h = 1/500", "newton", 0.75, 500},
                {"Fig. 10: rho = 0.5, h = 1/500", "newton", 0.5, 500},
                {"Fig. 10: rho = 0, h = 1/500", "newton", 0, 500},
                {"Fig. 11: rho = 0.75, h = 1/300", "newton", 0.75, 300},
                {"Fig. 11: rho = 0.75, h = 1/750", "newton", 0.75, 750},
                {"Fig. 12: rho = 0.75, h = 1/500, CM (cmp)", "cmp", 0.75, 500},
                {"(ours) rho = 1, h = 1/8000", "newton", 1, 8000}};
    enum { ROWS = sizeof rows / sizeof *rows, MOST_DAMPED = 2, CM = 5 };
    const HolSlider d = hol_slider_data(3.4e9, 4);
    const HolProblem problem = hol_slider_problem(&d);
    SliderModes m[ROWS];
    HolPaperRun run[ROWS];
    hol_paper_table(p,
                    "Figs. 8 to 12: slider-crank, E = 3.4e9, mean energy of modes from 0.9 to 1 s "
                    "[J]: rigid motion, first bending mode, all others",
                    "");
    for (int i = 0; i < ROWS && !p->quick; i++)
        m[i] = slider_modes(p, &problem, rows[i].iteration, rows[i].rho, rows[i].rate, &run[i]);
    for (int i = 0; i < ROWS; i++) {
        HolPaperRow row = {.what = rows[i].what, .verdict = HOL_VERDICT_NONE, .computed = "-"};
        const int is_reference = i == ROWS - 1;
        if (!is_reference)
            row.printed = i == CM ? "dissipates high modes faster" : "only high modes are removed";
        if (is_reference)
            row.why = "undamped, steps that resolve all modes: what there is to remove";
        if (!p->quick) {
            // what rho = 0 leaves of the other modes is bent by the motion, it does not vibrate
            const double still = m[MOST_DAMPED].high[1],
                         left = (m[i].high[1] - still) / (m[ROWS - 1].high[1] - still),
                         kept = m[i].first[1] / m[ROWS - 1].first[1];
            row.computed =
                hol_paper_text(p, "%.4f, %.2e, %.3e", m[i].rigid[1], m[i].first[1], m[i].high[1]);
            if (!is_reference)
                row.why = hol_paper_text(p,
                                         "%.0f %% of the first mode are left, %.0f %% of what the "
                                         "others vibrate",
                                         100 * kept, 100 * left);
            if (!is_reference)
                row.verdict =
                    hol_paper_verdict(i == CM ? m[i].high[1] - still < 0.9 * (m[0].high[1] - still)
                                              : kept > 0.8 && left < 0.4);
        }
        hol_paper_row(p, &row);
    }
    HolPaperRow row = {.what = "Fig. 8: phi2 of CM minus that of index 2 at 1 s [rad]",
                       .printed = "preserved",
                       .value = p->quick ? NAN : fabs(run[CM].q[1] - run[0].q[1]),
                       .digits = 2};
    row.verdict = hol_paper_verdict(row.value < 1e-3);
    hol_paper_row(p, &row);
}

// The sheet of another implementation has 0.3230846 for CM
static void write_frozen(HolPaper *p) {
    static const struct {
        const char *what, *iteration;
    } rows[] = {{"index 2", "newton"},
                {"cmp: P at q + h v + h^2 a/2", "cmp"},
                {"cmp1: P at q + h v", "cmp1"}};
    const HolSlider d = hol_slider_data(3.4e9, 4);
    const HolProblem problem = hol_slider_problem(&d);
    hol_paper_table(p, "Where P is frozen: energy at 1 s [J], rho = 3/4, h = 1/500", "");
    for (int i = 0; i < 3; i++) {
        const SliderRun r = {rows[i].iteration, 0.75, 500, 1, 0, 0, 0};
        const HolPaperRun run = slider_watched(p, NULL, NULL, &problem, &r);
        hol_paper_row(p, &(HolPaperRow){.what = rows[i].what,
                                        .value = hol_slider_energy(&problem, run.q, run.v),
                                        .digits = 8,
                                        .why = i == 2 ? "a P of first order: another discrete "
                                                        "solution than the line above"
                                                      : NULL});
    }
}

// ---- Table 2 ----

// steps a second from which on the run of 1 s converges, also with the next number of the list; 0:
// with none
static int fewest_steps(HolPaper *p, const HolProblem *problem, const char *iteration,
                        double tolerance, int most) {
    static const int rates[] = {25,  30,  40,  50,  60,  75,  100, 125, 150, 175,
                                200, 250, 300, 350, 400, 500, 600, 800, 1000};
    int first = 0;
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        const SliderRun r = {iteration, 0.75, rates[i], 1, tolerance, most, 1};
        const int fine = slider_watched(p, NULL, NULL, problem, &r).status == HOL_OK;
        if (fine && first)
            return first;
        first = fine ? rates[i] : 0;
    }
    return first;
}

static const char *slider_rate_text(HolPaper *p, int rate) {
    return rate ? hol_paper_text(p, "1/%d", rate) : "below 1/1000";
}

static void write_table_2(HolPaper *p) {
    static const char *const printed[3][2] = {
        {"1/100", "1/175"}, {"1/250", "1/500"}, {"1/400", "1/800"}};
    const HolSlider d = hol_slider_data(3.4e9, 4);
    const HolProblem problem = hol_slider_problem(&d);
    hol_paper_table(p,
                    "Table 2: slider-crank, largest step for which Newton converges (one matrix a "
                    "step, 4 iterations, from q + h v)",
                    "");
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++) {
            const char *iteration = k ? "newton" : "cmp1";
            const double tolerance = pow(10, -5 - 2 * i);
            const int ours = p->quick ? 0 : fewest_steps(p, &problem, iteration, tolerance, 4),
                      patient = p->quick ? 0 : fewest_steps(p, &problem, iteration, tolerance, 10);
            hol_paper_row(
                p, &(HolPaperRow){
                       .what = hol_paper_text(p, "%s, Newton tolerance 1e-%d",
                                              k ? "index 2" : "CM (cmp1)", 5 + 2 * i),
                       .printed = printed[i][k],
                       .computed = p->quick ? "-" : slider_rate_text(p, ours),
                       .verdict = p->quick ? HOL_VERDICT_NONE
                                           : hol_paper_verdict(atoi(printed[i][k] + 2) == ours),
                       .why = p->quick ? NULL
                                       : hol_paper_text(
                                             p,
                                             "with 10 iterations: %s; cap, start and test are "
                                             "not printed, these come closest",
                                             slider_rate_text(p, patient))});
        }
}

void hol_paper_002_slider(HolPaper *p) {
    write_model(p);
    write_damping(p);
    write_frozen(p);
    write_table_2(p);
}
