// SPDX-License-Identifier: Apache-2.0
// The coordinate-split paper: BDF of order 2 on highly oscillatory problems, five formulations.
// The entries of its tables are lost in the text at hand; its claims are checked. Counts of a
// single run scatter by a factor of two, so that medians and ranges over nine tolerances in 0.8
// .. 1.25 times the one named are given.
#include "papers/papers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FORMS = 5, RUNS = 9 };
static const char *const forms[FORMS] = {"ggl", "ggl-star", "cs", "cm", "cmp"};

typedef struct Case {
    const char *what, *model, *settings;
    double tolerance;
} Case;

static const Case cases[] = {
    {"Table 4.1: linear force, eps = 1e-5, tolerance 1e-3", "papers/circle-linear-force.yaml",
     "eps=1e-5 end=0.25", 1e-3},
    {"Table 4.1: linear force, eps = 1e-6, tolerance 1e-3", "papers/circle-linear-force.yaml",
     "eps=1e-6 end=0.25", 1e-3},
    {"Table 4.2: spring, eps = 1e-5, tolerance 1e-3", "papers/circle-spring.yaml",
     "eps=1e-5 end=0.005", 1e-3},
    {"Table 4.2: spring, eps = 1e-6, tolerance 1e-3", "papers/circle-spring.yaml",
     "eps=1e-6 end=0.005", 1e-3},
    {"Table 4.2: spring, eps = 1e-6, tolerance 1e-4", "papers/circle-spring.yaml",
     "eps=1e-6 end=0.005", 1e-4},
    {"Table 4.3: bushing, 5 constraints, eps = 1e-6, tolerance 1e-3",
     "papers/two-body-bushing.yaml", "eps=1e-6 end=0.1", 1e-3},
    {"Table 4.4: bushing, 4 constraints, eps = 1e-6, tolerance 1e-3",
     "papers/two-body-bushing-free.yaml", "eps=1e-6 end=0.1", 1e-3},
};

typedef struct Counts {
    int finished;
    double steps[RUNS], evaluations[RUNS], failures[RUNS]; // ascending
} Counts;

static void sort(double *a, int n) {
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && a[k] < a[k - 1]; k--) {
            const double t = a[k];
            a[k] = a[k - 1];
            a[k - 1] = t;
        }
}

static Counts count(HolPaper *p, const Case *c, const char *form, int runs) {
    Counts n = {0};
    for (int k = 0; k < runs; k++) {
        const double factor = pow(1.25, (k - (runs - 1) / 2.) / (RUNS / 2));
        const HolPaperRun r = hol_paper_run(p, c->model,
                                            "%s method=bdf .formulation=%s .order=2 "
                                            ".control=position tolerance=%.6g max_steps=5000",
                                            c->settings, form, c->tolerance * factor);
        if (r.status != HOL_OK)
            continue;
        n.steps[n.finished] = (double)r.stats.steps;
        n.evaluations[n.finished] = (double)r.stats.force_evaluations;
        n.failures[n.finished++] = (double)r.stats.convergence_failures;
    }
    sort(n.steps, n.finished);
    sort(n.evaluations, n.finished);
    sort(n.failures, n.finished);
    return n;
}

static void write_counts(HolPaper *p) {
    const int runs = p->quick ? 3 : RUNS;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Counts n[FORMS];
        hol_paper_table(p, cases[i].what, cases[i].model);
        for (int k = 0; k < FORMS; k++) {
            n[k] = count(p, &cases[i], forms[k], runs);
            const int m = n[k].finished, mid = m / 2;
            hol_paper_row(
                p, &(HolPaperRow){
                       .what = hol_paper_text(p, "%s: steps, evaluations, convergence failures",
                                              forms[k]),
                       .printed = "(lost)",
                       .computed =
                           m ? hol_paper_text(
                                   p, "%g [%g, %g], %g, %g%s", n[k].steps[mid], n[k].steps[0],
                                   n[k].steps[m - 1], n[k].evaluations[mid], n[k].failures[mid],
                                   m < runs ? hol_paper_text(p, " (%d of %d finish)", m, runs) : "")
                             : "none finishes"});
        }
        // the claim: CM needs least work; only where its range lies below the others' is it shown
        const Counts *cm = &n[3], *cmp = &n[4], *cs = &n[2];
        const int proper =
            cm->finished && cs->finished && cm->evaluations[cm->finished - 1] < cs->evaluations[0];
        const int frozen = cmp->finished && cs->finished &&
                           cmp->evaluations[cmp->finished - 1] < cs->evaluations[0];
        hol_paper_row(p,
                      &(HolPaperRow){
                          .what = "CM needs fewer evaluations than CS, beyond the scatter",
                          .printed = "in all cases",
                          .computed = hol_paper_text(p, "term dropped (cm): %s; P frozen (cmp): %s",
                                                     proper ? "yes" : "no", frozen ? "yes" : "no"),
                          .verdict = hol_paper_verdict(proper && frozen)});
    }
}

// order k of BDF in q, by tightening the tolerance: error ~ tolerance^1, steps ~
// tolerance^(-1/(k+1))
static void write_orders(HolPaper *p) {
    static const double q1[2] = {-0.986291751131875, -0.165010853125545};
    hol_paper_table(p, "Order of BDF from steps and errors at tolerances 1e-5 and 1e-8, pendulum",
                    "papers/alpha-pendulum.yaml");
    for (int order = 1; order <= 2; order++)
        for (int form = 0; form < 3; form += 2) {
            double e[2], n[2];
            for (int k = 0; k < 2; k++) {
                const HolPaperRun r = hol_paper_run(
                    p, "papers/alpha-pendulum.yaml",
                    "method=bdf .formulation=%s .order=%d tolerance=%g end=1", forms[form], order,
                    order == 1 ? (k ? 1e-6 : 1e-4) : (k ? 1e-8 : 1e-5));
                e[k] = hol_paper_distance(r.q, q1, 2);
                n[k] = (double)r.stats.steps;
            }
            hol_paper_row(
                p, &(HolPaperRow){.what = hol_paper_text(p, "order %d, %s", order, forms[form]),
                                  .printed = order == 1 ? "1" : "2",
                                  .value = log(e[0] / e[1]) / log(n[1] / n[0]),
                                  .digits = 3});
        }
}

// conservative motion: energy kept at T by each formulation
static void write_energy(HolPaper *p) {
    hol_paper_table(p,
                    "\"CM achieves the strongest damping\": error of the angle, linear force, "
                    "eps = 1e-3, 0.02 s",
                    "papers/circle-linear-force.yaml");
    for (int k = 0; k < FORMS; k++) {
        const HolPaperRun r = hol_paper_run(
            p, "papers/circle-linear-force.yaml",
            "eps=1e-3 method=bdf .formulation=%s .order=2 tolerance=1e-6 end=0.02", forms[k]);
        hol_paper_row(p, &(HolPaperRow){.what = hol_paper_text(p, "%s, tolerance 1e-6", forms[k]),
                                        .value = fabs(atan2(r.q[0], -r.q[1]) - 0.01866111653533),
                                        .digits = 2});
    }
}

void hol_paper_004(HolPaper *p) {
    hol_paper_chapter(
        p, "004",
        "An efficient Newton-type iteration for the numerical solution of highly oscillatory "
        "constrained multibody dynamic systems (SIAM J. Sci. Comput. 19, 1998)",
        "Method `bdf` (SUNDIALS IDA in place of DASSL), order 2, error test on positions. The "
        "numbers of Tables 4.1 to 4.4 are lost in the text at hand; each line gives the median "
        "[range] over nine tolerances: differences inside the brackets mean nothing.");
    // a build without SUNDIALS has no bdf
    hol_paper_run(p, "papers/alpha-pendulum.yaml", "method=bdf tolerance=1e-3 end=0.01");
    if (p->status == HOL_ERR_UNSUPPORTED) {
        p->status = HOL_OK;
        hol_paper_table(p, "Tables 4.1 to 4.4", "");
        hol_paper_row(p, &(HolPaperRow){.what = "all of them",
                                        .computed = "-",
                                        .why = "this build has no SUNDIALS, hence no bdf"});
        return;
    }
    write_counts(p);
    write_orders(p);
    write_energy(p);
}
