// SPDX-License-Identifier: Apache-2.0
// The page docs/scoreboard.md, and lines about what failed.
#include "scoreboard.h"

#include <string.h>

static const char head[] =
    "# Scoreboard\n\n"
    "Problems that others published, with their numbers beside ours. This page is the output of\n"
    "`make scoreboard`; the list of problems is `bench/scoreboard/problems.txt`: model, reference, "
    "which of our\n"
    "columns is compared with which of theirs, how far theirs can be trusted. Published values are "
    "compared at their\n"
    "own times; ours come from the dense output of steps that know nothing of those times.\n\n"
    "- **trust**: how far the published numbers are from the exact solution, found by an "
    "independent integration, or\n"
    "  half a unit of their last digit. For published numbers that are exact it is 1e-9.\n"
    "- **deviation**: largest difference of ours from theirs over all samples and columns of a "
    "signal (angles modulo\n"
    "  2 pi, quaternions up to sign). At tight tolerances it is the error of the published "
    "numbers, not ours.\n"
    "- **d/t**: largest deviation / trust over all signals of the problem, at the tightest "
    "tolerance.\n\n";

static const char head_rule[] = "A deviation above %.2f trust + growth tolerance size fails "
                                "(`scoreboard` and its test end with an error); size is\n"
                                "the signal's largest published value, growth is 30 unless the "
                                "list says otherwise (motions that magnify errors).\n\n";

// ---- tables ----

static const SbRun *print_last(const SbResult *r) {
    return &r->runs[SB_RUNS - 1];
}

static void print_deviations(FILE *to, const SbResult *results, int n) {
    fprintf(to, "## Deviations\n\nThe first signal of each problem; all of them stand below.\n\n"
                "| problem | what | published by | to [s] | signal | trust |");
    for (int k = 0; k < SB_RUNS; k++)
        fprintf(to, " %.0e |", sb_tolerances[k]);
    fprintf(to, " d/t | |\n|---|---|---|---|---|---|");
    for (int k = 0; k < SB_RUNS; k++)
        fprintf(to, "---|");
    fprintf(to, "---|---|\n");
    for (int i = 0; i < n; i++) {
        const SbResult *r = &results[i];
        const SbProblem *p = r->problem;
        int worst;
        const double ratio = sb_worst(r, SB_RUNS - 1, &worst);
        fprintf(to, "| %s | %s | %s | %g | %s | %.1e |", p->name, p->title, p->source, r->end,
                p->signals[0].name, p->signals[0].trust);
        for (int k = 0; k < SB_RUNS; k++)
            if (r->runs[k].done)
                fprintf(to, " %.1e |", r->runs[k].deviation[0]);
            else
                fprintf(to, " no end |");
        fprintf(to, " %.2f (%s) | %s |\n", ratio, p->signals[worst].name,
                r->failed ? "**fails**" : "holds");
    }
}

// "a / b / c" of the runs
static void print_three(FILE *to, const SbResult *r, double (*value)(const SbRun *run),
                        const char *format) {
    for (int k = 0; k < SB_RUNS; k++) {
        fprintf(to, k ? " / " : " ");
        if (r->runs[k].done)
            fprintf(to, format, value(&r->runs[k]));
        else
            fprintf(to, "-");
    }
    fprintf(to, " |");
}

static double print_cpu(const SbRun *run) {
    return run->cpu_ms;
}
static double print_steps(const SbRun *run) {
    return (double)run->stats.steps;
}
static double print_forces(const SbRun *run) {
    return (double)run->stats.force_evaluations;
}

static void print_method(FILE *to, const SbResult *r) {
    for (int k = 0; k < SB_RUNS; k++)
        if (!k || strcmp(r->runs[k].stats.method, r->runs[k - 1].stats.method))
            fprintf(to, "%s%s", k ? " / " : " ", r->runs[k].stats.method);
    fprintf(to, " |");
}

static void print_costs(FILE *to, const SbResult *results, int n) {
    fprintf(to, "\n## Cost\n\nAt tolerances");
    for (int k = 0; k < SB_RUNS; k++)
        fprintf(to, "%s %.0e", k ? " /" : "", sb_tolerances[k]);
    fprintf(to,
            ". CPU time from the creation of the run to its end, without reading\n"
            "the file and without rows of results: best of some repeats on a shared machine.\n\n"
            "| problem | method | CPU [ms] | steps | force evaluations |\n|---|---|---|---|---|\n");
    for (int i = 0; i < n; i++) {
        fprintf(to, "| %s |", results[i].problem->name);
        print_method(to, &results[i]);
        print_three(to, &results[i], print_cpu, "%.3g");
        print_three(to, &results[i], print_steps, "%.0f");
        print_three(to, &results[i], print_forces, "%.0f");
        fprintf(to, "\n");
    }
}

// "- **name**: text", lines of about 120 characters
static void print_item(FILE *to, const char *name, const char *text) {
    int column = fprintf(to, "- **%s**:", name);
    while (*text) {
        const int word = (int)strcspn(text, " ");
        if (column + 1 + word > 120)
            column = fprintf(to, "\n ") - 1;
        column += fprintf(to, " %.*s", word, text);
        text += word + (text[word] == ' ');
    }
    fprintf(to, "\n");
}

// the reasons that `auto` gives at the middle tolerance
static void print_choices(FILE *to, const SbResult *results, int n) {
    const int middle = SB_RUNS / 2;
    int any = 0;
    for (int i = 0; i < n; i++)
        any |= *results[i].runs[middle].stats.choice;
    if (!any)
        return;
    fprintf(to,
            "\n## Choices\n\nWhy the method of tolerance %.0e was chosen, in its own words.\n\n",
            sb_tolerances[middle]);
    for (int i = 0; i < n; i++)
        print_item(to, results[i].problem->name, results[i].runs[middle].stats.choice);
}

static void print_signals(FILE *to, const SbResult *results, int n) {
    fprintf(
        to,
        "\n## All signals\n\n*settled*: largest change of our own values from tolerance %.0e to "
        "%.0e, where the published numbers\ncannot tell.\n\n"
        "| problem | signal | columns | size | trust |",
        sb_tolerances[SB_RUNS - 2], sb_tolerances[SB_RUNS - 1]);
    for (int k = 0; k < SB_RUNS; k++)
        fprintf(to, " %.0e |", sb_tolerances[k]);
    fprintf(to, " settled |\n|---|---|---|---|---|");
    for (int k = 0; k < SB_RUNS; k++)
        fprintf(to, "---|");
    fprintf(to, "---|\n");
    for (int i = 0; i < n; i++)
        for (int s = 0; s < results[i].problem->n_signals; s++) {
            const SbSignal *signal = &results[i].problem->signals[s];
            fprintf(to, "| %s | %s | %d | %.3g | %.1e |", results[i].problem->name, signal->name,
                    signal->n, print_last(&results[i])->size[s], signal->trust);
            for (int k = 0; k < SB_RUNS; k++)
                fprintf(to, " %.1e |", results[i].runs[k].deviation[s]);
            fprintf(to, " %.1e |\n", results[i].settled[s]);
        }
}

static void print_traps(FILE *to, const SbResult *results, int n) {
    fprintf(to, "\n## Known traps in published references\n\n");
    for (int i = 0; i < n; i++) {
        const SbProblem *p = results[i].problem;
        for (int k = 0; k < p->n_traps; k++)
            print_item(to, p->name, p->traps[k]);
        if (p->except > 0) {
            char text[SB_TEXT];
            snprintf(
                text, sizeof text,
                "the sample at %g s stands apart: deviation %.1e, trust %.1e. It does not count "
                "among the others.",
                p->except, print_last(&results[i])->except, p->except_trust);
            print_item(to, p->name, text);
        }
    }
}

void sb_print_page(FILE *to, const SbResult *results, int n, const char *method) {
    int held = 0;
    for (int i = 0; i < n; i++)
        held += !results[i].failed;
    fputs(head, to);
    fprintf(to, head_rule, SB_MARGIN);
    fprintf(to, "%d problems, method `%s`, %d hold.\n\n", n, method, held);
    print_deviations(to, results, n);
    print_costs(to, results, n);
    print_choices(to, results, n);
    print_signals(to, results, n);
    print_traps(to, results, n);
}

// ---- failures ----

void sb_print_failures(FILE *to, const SbResult *results, int n) {
    for (int i = 0; i < n; i++) {
        const SbResult *r = &results[i];
        for (int k = 0; k < SB_RUNS; k++) {
            const SbRun *run = &r->runs[k];
            const char *name = r->problem->name;
            if (!run->done) {
                fprintf(to, "%s, tolerance %.0e: %s\n", name, sb_tolerances[k], run->err.text);
                continue;
            }
            for (int s = 0; s < r->problem->n_signals; s++)
                if (!(run->deviation[s] <= run->limit[s]))
                    fprintf(to, "%s, %s, tolerance %.0e: deviation %.3e at %g s, limit %.3e\n",
                            name, r->problem->signals[s].name, sb_tolerances[k], run->deviation[s],
                            run->time[s], run->limit[s]);
            if (!(run->except <= run->except_limit))
                fprintf(to, "%s, sample at %g s, tolerance %.0e: deviation %.3e, limit %.3e\n",
                        name, r->problem->except, sb_tolerances[k], run->except, run->except_limit);
        }
    }
}
