// SPDX-License-Identifier: Apache-2.0
// The page docs/references.md. Figures of one run: largest error of event times [s], of states.
#include "references.h"

#include <math.h>
#include <string.h>

enum { WHY = 800 };

static const char head[] =
    "# References of friction, stops and contacts\n"
    "\n"
    "Problems with known answers (closed forms, series with 32 digits, or two integrators that "
    "agree), run by\n"
    "several methods. This page is the output of `make references`; the list of problems is\n"
    "`bench/references/problems.c`, their models are in `models` and `bench/references`. Compared "
    "are the kinds,\n"
    "names, order and times of events, states behind them (speeds, impulses, losses too) and at "
    "other times, and the\n"
    "ledger of energy. What a reference itself does not know is no error. Steps know nothing of "
    "the times that\n"
    "are compared.\n"
    "\n"
    "| tolerance | event times | states x, of max(1, \\|x\\|) | ledger across an event | over the "
    "run |\n"
    "|---|---|---|---|---|\n"
    "| 1e-11 | 1e-9 s | 1e-8 | 1e-12 of the energy | 30 tolerances of it |\n"
    "| 1e-12 (taylor) | 1e-11 s | 1e-8 | 1e-12 | 30 tolerances |\n"
    "| 1e-8 | 3e-7 s | 3e-7 | 1e-12 | 30 tolerances |\n"
    "\n"
    "A cell has the largest error of event times and that of states. `-`: the method takes no such "
    "model.\n";

typedef struct Page {
    FILE *to;
    const char *root;
    int failed;
} Page;

static void print_heads(Page *p, const char *first, const RfTrial *t, int n) {
    fprintf(p->to, "\n| problem | %s |", first);
    for (int i = 0; i < n; i++)
        fprintf(p->to, " %s |", t[i].method);
    fprintf(p->to, "\n|---|---|%s", strchr(first, '|') ? "---|" : "");
    for (int i = 0; i < n; i++)
        fprintf(p->to, "---|");
    fprintf(p->to, "\n");
}

static void print_run(Page *p, const RfProblem *problem, const RfTrial *t, const RfRun *r) {
    char why[WHY];
    if (!rf_holds(t, r, why, sizeof why)) {
        p->failed++;
        fprintf(stderr, "%s, %s %g: %s\n", problem->name, t->method, t->tolerance, why);
        fprintf(p->to, " **fails** |");
    } else if (r->refused) {
        fprintf(p->to, " - |");
    } else if (problem->message) {
        fprintf(p->to, " as said |");
    } else {
        fprintf(p->to, " %.0e, %.0e |", r->time, r->state);
    }
}

// largest values of a problem's runs: of the energy, of tolerances of it (fine, coarse)
typedef struct Ledger {
    double across, drift[2];
} Ledger;

static void print_table(Page *p, const RfTrial *t, int n, int coarse, Ledger *ledgers) {
    print_heads(p, "what | events", t, n);
    for (int i = 0; i < rf_problem_count; i++) {
        const RfProblem *problem = &rf_problems[i];
        RfRun run[RF_COARSE];
        for (int k = 0; k < n; k++) {
            rf_run(p->root, problem, &t[k], &run[k]);
            ledgers[i].across = fmax(ledgers[i].across, run[k].across);
            ledgers[i].drift[coarse] =
                fmax(ledgers[i].drift[coarse], run[k].drift / t[k].tolerance);
        }
        fprintf(p->to, "| %s | %s | %d |", problem->name, problem->title, run[0].events);
        for (int k = 0; k < n; k++)
            print_run(p, problem, &t[k], &run[k]);
        fprintf(p->to, "\n");
    }
}

static void print_ledgers(Page *p, const Ledger *ledgers) {
    fprintf(
        p->to,
        "\n## Ledger\n\n`energy.numerical` of all these runs: the largest jump at an event, of the "
        "energy, and the largest value\nover the run, in tolerances of the energy.\n\n"
        "| problem | across an event | over the run, 1e-11 | 1e-8 |\n|---|---|---|---|\n");
    for (int i = 0; i < rf_problem_count; i++)
        if (!rf_problems[i].message)
            fprintf(p->to, "| %s | %.0e | %.2g | %.2g |\n", rf_problems[i].name, ledgers[i].across,
                    ledgers[i].drift[0], ledgers[i].drift[1]);
}

static void print_rough(Page *p) {
    fprintf(p->to, "\n## Other methods at 1e-8\n\nMethods of second order, and an explicit one: "
                   "largest error of times, states and ledger over what is allowed.\n`no`: other "
                   "events, or the run ends early.\n");
    print_heads(p, "events", rf_rough, RF_ROUGH);
    for (int i = 0; i < rf_problem_count; i++) {
        if (rf_problems[i].message)
            continue;
        int events = 0;
        while (events < RF_EVENTS && rf_problems[i].events[events].kind)
            events++;
        fprintf(p->to, "| %s | %d |", rf_problems[i].name, events);
        for (int k = 0; k < RF_ROUGH; k++) {
            RfRun r;
            rf_run(p->root, &rf_problems[i], &rf_rough[k], &r);
            if (r.done || r.refused)
                fprintf(p->to, r.refused ? " - |" : " %.2g |", rf_worst(&rf_rough[k], &r));
            else
                fprintf(p->to, " no |");
        }
        fprintf(p->to, "\n");
    }
}

static void print_orders(Page *p) {
    static HolError err;
    fprintf(p->to, "\n## Orders across events\n\nA mass on a spring with fixed steps, its error at "
                   "0.5 s against the closed form, with a step and a quarter of\nit "
                   "(`bench/references/orders.c`). Touch and separation of compliant contacts are "
                   "kinks: steps end there under\nerror control, fixed ones lead over them with "
                   "second order.\n\n| method | order |");
    for (int f = 0; f < RF_FAMILIES; f++)
        fprintf(p->to, " %s |", rf_families[f].title);
    fprintf(p->to, "\n|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < RF_ORDERS; i++) {
        fprintf(p->to, "| %s | %g |", rf_orders[i].method, rf_orders[i].order);
        for (int f = 0; f < RF_FAMILIES; f++) {
            double error[2], slope;
            if (rf_slope(p->root, &rf_families[f], &rf_orders[i], error, &slope, &err))
                fprintf(p->to, " %.1f |", slope);
            else
                fprintf(p->to, " **fails** |");
            p->failed += !(slope > rf_least_slope(&rf_families[f], &rf_orders[i]));
        }
        fprintf(p->to, "\n");
    }
}

static void print_bits(Page *p) {
    static HolError err;
    fprintf(p->to,
            "\n## Same bits\n\nThe state at the end of these runs has the same bits with rows "
            "at every step, at the end alone or at 73 regular\ntimes, and with one thread and "
            "two, by");
    for (int k = 0; k < RF_METHODS_OF_BITS; k++)
        fprintf(p->to, "%s %s", k ? "," : "", rf_coarse[k].method);
    fprintf(p->to, ":");
    for (int i = 0; i < RF_BITS; i++) {
        int same = 1;
        for (int k = 0; k < RF_METHODS_OF_BITS; k++)
            same &= rf_same_bits(p->root, rf_problem(rf_bits_of[i]), &rf_coarse[k], &err);
        fprintf(p->to, "%s %s%s", i ? "," : "", rf_bits_of[i], same ? "" : " (**fails**)");
        p->failed += !same;
    }
    fprintf(p->to, ".\n");
}

int rf_print_page(FILE *to, const char *root, int rough) {
    static Ledger ledgers[RF_MOST];
    Page page = {.to = to, .root = root};
    memset(ledgers, 0, sizeof ledgers);
    fputs(head, to);
    fprintf(to, "\n## At 1e-11, taylor at 1e-12\n");
    print_table(&page, rf_fine, RF_FINE, 0, ledgers);
    fprintf(to, "\n## At 1e-8\n");
    print_table(&page, rf_coarse, RF_COARSE, 1, ledgers);
    print_ledgers(&page, ledgers);
    print_orders(&page);
    print_bits(&page);
    if (rough)
        print_rough(&page);
    return page.failed;
}
