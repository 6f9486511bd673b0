// SPDX-License-Identifier: Apache-2.0
// The conditionally explicit paper: Tables 3 and 5, figures 4 to 9. Stability limits by bisection
// on the running code (Adams-Bashforth, which the library does not have, from its matrix), growth
// of the weakly unstable sets, long runs, orders with zero and with true derivatives at the start.
#include "tools/papers/paper003/paper003.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PENDULUM "papers/explicit-pendulum.yaml"
#define OSCILLATOR "papers/explicit-oscillator.yaml"

static const HolMultistep g4_54 = {4, 5. / 4, 1. / 3, 0.5, 1}, g5_45 = {5, 4. / 5, 1, 1, 1};

// ---- Table 3 and other stability limits, on the running code ----

static double stepper_limit(HolPaper *p, const char *settings, double low, double high) {
    char text[200];
    snprintf(text, sizeof text, "x.velocity=1 %s", settings);
    return hol_paper_limit(p, 0, 60, low, high, 20000, OSCILLATOR, text);
}

// the methods that figures 4 and 7 draw beside the paper's
static void write_other_limits(HolPaper *p) {
    double low = 0.3, high = 0.6;
    while (high - low > 1e-8) {
        const double mid = (low + high) / 2;
        *(hol_formula_adams_radius(4, mid) < 1 + 1e-12 ? &low : &high) = mid;
    }
    hol_paper_row(p, &(HolPaperRow){.what = "Adams-Bashforth 4, from its matrix",
                                    .value = low,
                                    .digits = 7,
                                    .why = "drawn in figures 4 and 7 without a number"});
    hol_paper_row(p, &(HolPaperRow){.what = "Adams-Bashforth 5, from its matrix: radius - 1 at "
                                            "omega h = 0.1",
                                    .value = hol_formula_adams_radius(5, 0.1) - 1,
                                    .digits = 3,
                                    .why = "no limit: it grows from omega h = 0 on"});
    const double largest =
        hol_paper_largest(p, 0, 2, OSCILLATOR, "method=hht .alpha=-0.1 step=1e4 end=1e7");
    hol_paper_row(p, &(HolPaperRow){.what = "hht, alpha = -0.1: largest |x| with omega h = 1e4",
                                    .printed = "unconditionally stable",
                                    .value = largest,
                                    .digits = 4,
                                    .verdict = hol_paper_verdict(largest < 2)});
}

static void paper003_stability_write_limits(HolPaper *p) {
    static const struct {
        const char *what, *settings, *printed, *why;
        double exact, low, high;
    } rows[] = {
        {"degree 3, alpha = 1", "method=explicit3 .set=cd", "2", NULL, 2, 1.9, 2.1},
        {"degree 3, alpha = 4/3", "method=explicit3 .set=g3_43", "1.549", NULL, 1.5491933385, 1.5,
         1.6},
        {"degree 3, alpha = 2", "method=explicit3 .set=g3_2", "1.154", NULL, 1.1547005384, 1.1,
         1.2},
        {"degree 4, alpha = 1/4", "method=explicit4 .set=g4_14 .force=true", "1.264911", NULL,
         1.2649110641, 1.2, 1.3},
        {"degree 4, alpha = 3/4", "method=explicit4 .set=g4_34 .force=true", "1.7310020041",
         "it is sqrt(3)", 1.7320508076, 1.65, 1.8},
        {"rk3", "method=rk3", NULL, "\"slightly\" below degree 4, alpha = 3/4: the same limit",
         1.7320508076, 1.7, 1.8},
        {"rk4", "method=rk4", NULL, NULL, 2.8284271247, 2.75, 2.9},
        {"(ours) o3", "method=explicit3 .set=o3", NULL, NULL, 1.7320508076, 1.65, 1.8},
        {"(ours) o4s", "method=explicit4 .set=o4s", NULL, NULL, 1.4142135624, 1.35, 1.5},
        {"(ours) o4d", "method=explicit4 .set=o4d", NULL, NULL, 1.8973665961, 1.8, 2},
        {"(ours) o5a", "method=explicit5 .set=o5a", NULL, NULL, 1.4142135624, 1.35, 1.5},
        {"(ours) o5b", "method=explicit5 .set=o5b", NULL, NULL, 1.7320508076, 1.65, 1.8},
        {"(ours) o5c", "method=explicit5 .set=o5c", NULL, NULL, 1.7320508076, 1.65, 1.8},
    };
    hol_paper_table(p, "Table 3 and figures 4, 7: largest stable omega h, by bisection",
                    OSCILLATOR);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const int run = !p->quick || i == 0 || i == 10;
        const double value =
            run ? stepper_limit(p, rows[i].settings, rows[i].low, rows[i].high) : NAN;
        hol_paper_row(p, &(HolPaperRow){.what = rows[i].what,
                                        .printed = rows[i].printed,
                                        .value = value,
                                        .digits = 5,
                                        .right = rows[i].exact,
                                        .verdict = rows[i].printed
                                                       ? hol_paper_verdict(
                                                             fabs(value / rows[i].exact - 1) < 2e-3)
                                                       : HOL_VERDICT_NONE,
                                        .why = rows[i].why});
    }
    write_other_limits(p);
}

// ---- section 4.3: the vibration at four steps ----

static void write_vibration(HolPaper *p) {
    static const struct {
        const char *h, *printed;
    } rows[] = {{"2.1", "unstable / unstable / unstable"},
                {"2.0", "stable / unstable / unstable"},
                {"1.54", "stable / stable / unstable"},
                {"1.15", "stable / stable / stable"}};
    static const char *const sets[] = {"cd", "g3_43", "g3_2"};
    hol_paper_table(
        p,
        "Figures 5 and 6: vibration, omega = 1, over 1000 s, alpha = 1 / 4/3 / 2 (bound "
        "of |x|: 2)",
        OSCILLATOR);
    for (int i = 0; i < 4; i++) {
        const char *word[3];
        for (int k = 0; k < 3; k++)
            word[k] = hol_paper_largest(p, 0, 2, OSCILLATOR,
                                        "method=explicit3 .set=%s .start=zero step=%s end=1000",
                                        sets[k], rows[i].h) < 2
                          ? "stable"
                          : "unstable";
        const char *computed = hol_paper_text(p, "%s / %s / %s", word[0], word[1], word[2]);
        hol_paper_row(
            p, &(HolPaperRow){.what = hol_paper_text(p, "h = %s", rows[i].h),
                              .printed = rows[i].printed,
                              .computed = computed,
                              .verdict = hol_paper_verdict(!strcmp(computed, rows[i].printed))});
    }
}

// ---- Table 5 and the weakly unstable sets ----

static void write_unstable(HolPaper *p) {
    static const double steps[] = {0.1, 0.01, 0.001};
    static const char *const radii[] = {"1.0033389", "1.00003333389", "1.000000333333389"};
    static const char *const times[] = {"500", "5000", "50000"};
    hol_paper_table(p, "Table 5: alpha = 5/4, spectral radius and where it shows", "");
    for (int i = 0; i < 3; i++) {
        const double t = p->quick && i == 2 ? NAN : hol_formula_break(&g4_54, steps[i]);
        hol_paper_row(p, &(HolPaperRow){.what = hol_paper_text(p, "radius, omega h = %g", steps[i]),
                                        .printed = radii[i],
                                        .value = hol_formula_radius(&g4_54, steps[i]),
                                        .digits = 15});
        hol_paper_row(
            p, &(HolPaperRow){
                   .what = hol_paper_text(p, "h = %g: error above 0.05 at [s]", steps[i]),
                   .printed = times[i],
                   .value = t,
                   .digits = 5,
                   .verdict = t > 0.5 * 500 * pow(10, i) ? HOL_VERDICT_NEAR : HOL_VERDICT_DIFFERS,
                   .why = "\"approximate\" in the paper"});
    }
    for (int i = 0; i < 2; i++) {
        const double t = hol_formula_break(&g4_54, steps[i]);
        hol_paper_row(p, &(HolPaperRow){.what = hol_paper_text(
                                            p, "Fig. 8: h = %g, seen within 1000 s", steps[i]),
                                        .printed = i ? "no" : "yes",
                                        .computed = t < 1000 ? "yes" : "no",
                                        .verdict = hol_paper_verdict((t < 1000) == !i)});
    }
    const HolMultistep shifted[2] = {{4, 5. / 4, 1. / 3, 0.5005, 1},
                                     {4, 5. / 4, 1. / 3 + 0.01, 0.5005, 1}};
    hol_paper_row(p,
                  &(HolPaperRow){.what = "gamma + 0.0005: radius - 1 at omega h = 0.001",
                                 .printed = "<0",
                                 .value = hol_formula_radius(&shifted[0], 0.001) - 1,
                                 .digits = 1,
                                 .verdict = fabs(hol_formula_radius(&shifted[0], 0.001) - 1) < 1e-14
                                                ? HOL_VERDICT_NEAR
                                                : HOL_VERDICT_DIFFERS,
                                 .why = "round-off level: formally 4e-17 above"});
    double low = 0.01, high = 0.2;
    while (high - low > 1e-7) {
        const double mid = (low + high) / 2;
        *(hol_formula_radius(&shifted[1], mid) < 1 + 1e-13 ? &low : &high) = mid;
    }
    hol_paper_row(p, &(HolPaperRow){.what = "and beta + 0.01: stable below omega h",
                                    .printed = "0.07",
                                    .value = low,
                                    .right = low,
                                    .digits = 6});
    for (int i = 0; i < 2; i++) {
        double energy;
        hol_formula_pendulum(1, &shifted[i], 1e-3, &energy);
        hol_paper_row(
            p, &(HolPaperRow){.what = i ? "and beta + 0.01: the same"
                                        : "gamma + 0.0005: energy error of the pendulum, h = 1e-3",
                              .printed = "8.67e-7 or worse",
                              .value = energy,
                              .digits = 3,
                              .verdict = hol_paper_verdict(energy > 4e-7),
                              .why = "\"precision similar to alpha = 1/4 or worse\""});
    }
    hol_paper_row(p, &(HolPaperRow){.what = "degree 5, 4/5: radius at omega h = 0.5",
                                    .printed = "<1",
                                    .value = hol_formula_radius(&g5_45, 0.5),
                                    .digits = 6,
                                    .why = "\"stable up to 0.6\": matrix (74) has 3/4 for 3/8; the "
                                           "root near -1 grows like 1 + 4/15 (omega h)^2"});
    hol_paper_row(
        p, &(HolPaperRow){
               .what = "the same from matrix (74) as printed, at 0.6 and 0.7",
               .printed = "stable to 0.6",
               .computed = hol_paper_text(p, "%.4g, %.4g", hol_formula_printed_radius(&g5_45, 0.6),
                                          hol_formula_printed_radius(&g5_45, 0.7)),
               .corrected = hol_paper_text(p, "%.4g, %.4g", hol_formula_radius(&g5_45, 0.6),
                                           hol_formula_radius(&g5_45, 0.7)),
               .verdict = hol_paper_verdict(hol_formula_printed_radius(&g5_45, 0.6) <= 1),
               .why = "nearly 1, then a jump: where the 0.6 may come from (third row of "
                      "the matrix added: it is not printed)"});
    hol_paper_row(p,
                  &(HolPaperRow){.what = "degree 5: stable step over that of central differences",
                                 .printed = "about half",
                                 .computed = "none is stable",
                                 .corrected = "0.707",
                                 .verdict = HOL_VERDICT_DIFFERS,
                                 .why = "corrected: the library's set o5a, sqrt(2)/2"});
    const HolMultistep optimal = {5, 6. / 5, 1. / 4, 1. / 3, 1. / 2};
    hol_paper_row(
        p, &(HolPaperRow){.what = "degree 5 \"optimal\": radius for omega h -> 0",
                          .printed = "unstable",
                          .value = hol_formula_radius(&optimal, 1e-4),
                          .digits = 3,
                          .verdict = hol_paper_verdict(hol_formula_radius(&optimal, 1e-4) > 1)});
}

static int watch_bound(void *user, const HolView *x) {
    return !(fabs(x->q[0]) <= *(const double *)user);
}

static void write_long_runs(HolPaper *p) {
    static const struct {
        const char *what, *settings, *why;
    } rows[] = {{"degree 5, 4/5, 1, 1, 1", "method=explicit5 .set=g5_45 .start=zero .force=true",
                 "weakly unstable"},
                {"degree 5, all ones", "method=explicit5 .set=g5_1 .start=zero .force=true",
                 "weakly unstable"},
                {"(ours) o5a", "method=explicit5 .set=o5a", "the same as after 10 s"}};
    hol_paper_table(p, "Long runs: pendulum, h = 1e-2, energy error after 3000 s [J]", PENDULUM);
    for (int i = 0; i < 3; i++) {
        const double error = hol_explicit_energy(p, rows[i].settings, 1e-2, 3000);
        hol_paper_row(p, &(HolPaperRow){.what = rows[i].what,
                                        .printed = i == 0 ? "stable" : NULL,
                                        .value = error,
                                        .digits = 3,
                                        .verdict = i == 0 ? hol_paper_verdict(error < 1e-3)
                                                          : HOL_VERDICT_NONE,
                                        .why = rows[i].why});
    }
    for (int i = 0; i < 2; i++) {
        const double h = i ? 0.1 : 0.5;
        double bound = 10;
        const HolPaperRun r = hol_paper_watch(
            p, watch_bound, &bound, OSCILLATOR,
            "method=explicit5 .set=g5_45 .start=zero .force=true step=%g end=4000", h);
        hol_paper_row(p, &(HolPaperRow){.what = hol_paper_text(
                                            p, "vibration, 4/5, h = %g: |x| > 10 at [s]", h),
                                        .printed = "stable",
                                        .value = r.status == HOL_OK ? INFINITY : r.t,
                                        .digits = 4,
                                        .verdict = hol_paper_verdict(r.status == HOL_OK)});
    }
}

// ---- orders, with zero and with true derivatives at the start ----

static double order(HolPaper *p, const char *settings) {
    double e[2];
    for (int i = 0; i < 2; i++) {
        const HolPaperRun r = hol_paper_run(p, PENDULUM, "theta0=1 omega0=2 %s step=%.17g end=2",
                                            settings, 0.005 / (1 << i));
        e[i] = fabs(r.q[0] - 0.8186018870414516);
    }
    return log2(e[0] / e[1]);
}

static void paper003_stability_write_orders(HolPaper *p) {
    static const struct {
        const char *what, *settings, *printed, *why;
    } rows[] = {
        {"degree 3, beta = 0.6", "method=explicit3 .alpha=1 .beta=0.6 .beta_out=0.6 .force=true",
         "1", NULL},
        {"degree 3, beta = 1/2", "method=explicit3 .set=g3_43", "2", NULL},
        {"degree 4, gamma = 1, beta = 2/3 gamma",
         "method=explicit4 .alpha=1.25 .beta=0.6666666666666666 .gamma=1 "
         ".beta_out=0.6666666666666666 "
         ".force=true",
         "3", "the condition is beta = gamma - 1/6, not 2/3 gamma; they agree at gamma = 1/2"},
        {"degree 4, gamma = 1, beta = gamma - 1/6",
         "method=explicit4 .alpha=1.25 .beta=0.8333333333333334 .gamma=1 "
         ".beta_out=0.8333333333333334 "
         ".force=true",
         "2", "the condition is beta = gamma - 1/6, not 2/3 gamma"},
        {"degree 4, 5/4", "method=explicit4 .set=g4_54 .force=true", "3", "fourth, with true jerk"},
        {"degree 4, 3/4", "method=explicit4 .set=g4_34 .force=true", "3", NULL},
        {"degree 5, 4/5", "method=explicit5 .set=g5_45 .force=true", "3",
         "fourth, with true start"},
        {"(ours) o3", "method=explicit3 .set=o3", NULL, NULL},
        {"(ours) o4s", "method=explicit4 .set=o4s", NULL, NULL},
        {"(ours) o5a", "method=explicit5 .set=o5a", NULL, NULL},
    };
    hol_paper_table(p, "Order in x from theta(0) = 1, theta'(0) = 2", PENDULUM);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[160];
        const double claimed = rows[i].printed ? rows[i].printed[0] - '0' : 0;
        if (rows[i].printed && i > 3) {
            snprintf(text, sizeof text, "%s .start=zero", rows[i].settings);
            const double zero = order(p, text);
            hol_paper_row(
                p, &(HolPaperRow){.what = hol_paper_text(p, "%s, zero start", rows[i].what),
                                  .printed = rows[i].printed,
                                  .value = zero,
                                  .digits = 3,
                                  .verdict = hol_paper_verdict(fabs(zero - claimed) < 0.3),
                                  .why = "zero jerk and snap are wrong unless the pendulum starts "
                                         "at rest from the horizontal: order 2"});
        }
        const double value = order(p, rows[i].settings);
        hol_paper_row(
            p, &(HolPaperRow){.what = hol_paper_text(p, "%s, true derivatives", rows[i].what),
                              .printed = rows[i].printed,
                              .value = value,
                              .digits = 3,
                              .verdict = rows[i].printed
                                             ? hol_paper_verdict(fabs(value - claimed) < 0.3)
                                             : HOL_VERDICT_NONE,
                              .why = rows[i].why});
    }
}

void hol_paper_003_stability(HolPaper *p) {
    paper003_stability_write_limits(p);
    write_vibration(p);
    write_unstable(p);
    write_long_runs(p);
    paper003_stability_write_orders(p);
}
