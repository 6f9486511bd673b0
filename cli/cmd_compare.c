// SPDX-License-Identifier: Apache-2.0
// `holonom compare`: which method is the cheapest on this model, at several accuracies.
#include "commands.h"
#include "run/run_job.h"

#include <holonom/json.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_LIMITS = 16 };

// ---- table ----

static void cmd_compare_setting(const HolSimOptions *o, char *out, size_t size) {
    if (o->step > 0)
        snprintf(out, size, "step %.3g s", o->step);
    else
        snprintf(out, size, "tolerance %.2g", o->tolerance);
}

static void cmd_compare_print_limit(const HolComparison *c, const HolComparedLimit *l) {
    printf("\n  error below %g", l->limit);
    if (!l->judged || l->n_runs == 0) {
        printf(l->judged ? ": no run\n" : ": not judged\n");
        return;
    }
    printf("\n    %-26s %-18s %11s %10s %11s %10s\n", "method", "setting", "cpu [ms]", "of best",
           "error", "drift [J]");
    const double best = c->runs[l->best].cpu_seconds;
    for (int i = 0; i < l->n_runs; i++) {
        const HolComparedRun *r = &c->runs[l->runs[i]];
        char setting[48];
        cmd_compare_setting(r->options, setting, sizeof setting);
        printf("    %-26s %-18s %11.4g %10.3g %11.2e %10.2e\n", r->method, setting,
               1e3 * r->cpu_seconds, r->cpu_seconds / best, r->error, r->drift);
    }
}

static void cmd_compare_print_order(double order) {
    if (isnan(order))
        printf(" %11s", "-");
    else
        printf(" %11.2f", order);
}

static void cmd_compare_print_orders(const HolComparison *c) {
    if (c->n_orders == 0)
        return;
    printf("\n  observed orders, fixed steps\n    %-26s %11s %11s %11s %18s\n", "method",
           "position", "velocity", "multipliers", "finest step");
    for (int i = 0; i < c->n_orders; i++) {
        const HolComparedOrder *o = &c->orders[i];
        printf("    %-26s", o->method);
        cmd_compare_print_order(o->position);
        cmd_compare_print_order(o->velocity);
        cmd_compare_print_order(o->multipliers);
        if (o->n > 0)
            printf(" %16.3g s", o->step[o->n - 1]);
        printf("\n");
    }
}

static void cmd_compare_print_lines(const char *text) {
    while (*text) {
        const size_t length = strcspn(text, "\n");
        printf("  %.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

static void cmd_compare_print(const HolComparison *c) {
    printf("%s, %g to %g s: %d runs in %.1f s\n", c->model, c->start, c->end, c->n_runs,
           c->seconds);
    if (c->reference[0])
        printf("  reference: %s at %g and %s at %g agree to %.2g of the sizes\n",
               c->reference[0]->method.name, c->reference[0]->tolerance,
               c->reference[1]->method.name, c->reference[1]->tolerance, c->agreement);
    cmd_compare_print_lines(c->remarks);
    for (int i = 0; i < c->n_limits; i++)
        cmd_compare_print_limit(c, &c->limits[i]);
    cmd_compare_print_orders(c);
}

// ---- JSON ----

static void cmd_compare_json_options(HolJson *j, const HolSimOptions *o) {
    const HolMethodOptions *m = &o->method;
    const struct {
        const char *key, *value;
    } words[] = {{"scheme", m->scheme},
                 {"metric", m->metric},
                 {"iteration", m->iteration},
                 {"formulation", m->formulation},
                 {"projection", m->projection},
                 {"start", m->start},
                 {"set", m->set}};
    hol_json_begin(j, "options", '{', HOL_JSON_ROW);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].value[0])
            hol_json_text(j, words[i].key, words[i].value);
    if (m->order > 0)
        hol_json_integer(j, "order", m->order);
    if (o->step > 0)
        hol_json_number(j, "step", o->step);
    else
        hol_json_number(j, "tolerance", o->tolerance);
    hol_json_end(j);
}

static void cmd_compare_json_run(HolJson *j, const char *key, const HolComparedRun *r) {
    const HolSimOptions *o = r->options;
    hol_json_begin(j, key, '{', HOL_JSON_ROW);
    hol_json_text(j, "method", o->method.name);
    hol_json_text(j, "name", r->method);
    cmd_compare_json_options(j, o);
    hol_json_number(j, "tolerance", o->step > 0 ? NAN : o->tolerance);
    hol_json_number(j, "step", o->step > 0 ? o->step : NAN);
    hol_json_number(j, "cpu_seconds", r->cpu_seconds);
    hol_json_number(j, "error", r->error);
    hol_json_number(j, "position", r->position);
    hol_json_number(j, "velocity", r->velocity);
    hol_json_number(j, "drift", r->drift);
    hol_json_integer(j, "steps", r->steps);
    hol_json_integer(j, "rejected", r->rejected);
    hol_json_integer(j, "force_evaluations", r->force_evaluations);
    hol_json_integer(j, "repeats", r->repeats);
    hol_json_bool(j, "front", r->front);
    hol_json_text(j, "at_work", r->at_work);
    hol_json_text(j, "status",
                  r->status == HOL_INTERRUPTED ? "stopped"
                  : r->status                  ? "failed"
                                               : "ok");
    hol_json_end(j);
}

static void cmd_compare_json_limits(HolJson *j, const HolComparison *c) {
    hol_json_begin(j, "limits", '[', HOL_JSON_LINES);
    for (int i = 0; i < c->n_limits; i++) {
        const HolComparedLimit *l = &c->limits[i];
        hol_json_begin(j, NULL, '{', HOL_JSON_LINES);
        hol_json_number(j, "limit", l->limit);
        hol_json_bool(j, "judged", l->judged);
        if (l->best >= 0)
            cmd_compare_json_run(j, "best", &c->runs[l->best]);
        else
            hol_json_raw(j, "best", "null");
        hol_json_begin(j, "runs", '[', HOL_JSON_LINES);
        for (int k = 0; k < l->n_runs; k++)
            cmd_compare_json_run(j, NULL, &c->runs[l->runs[k]]);
        hol_json_end(j);
        hol_json_end(j);
    }
    hol_json_end(j);
}

static void cmd_compare_json_orders(HolJson *j, const HolComparison *c) {
    hol_json_begin(j, "orders", '[', HOL_JSON_LINES);
    for (int i = 0; i < c->n_orders; i++) {
        const HolComparedOrder *o = &c->orders[i];
        hol_json_begin(j, NULL, '{', HOL_JSON_LINES);
        hol_json_text(j, "method", o->options->method.name);
        hol_json_text(j, "name", o->method);
        hol_json_number(j, "position", o->position);
        hol_json_number(j, "velocity", o->velocity);
        hol_json_number(j, "multipliers", o->multipliers);
        hol_json_begin(j, "steps", '[', HOL_JSON_LINES);
        for (int k = 0; k < o->n; k++) {
            hol_json_begin(j, NULL, '{', HOL_JSON_ROW);
            hol_json_number(j, "step", o->step[k]);
            hol_json_number(j, "position", o->error[k][0]);
            hol_json_number(j, "velocity", o->error[k][1]);
            hol_json_number(j, "multipliers", o->error[k][2]);
            hol_json_end(j);
        }
        hol_json_end(j);
        hol_json_end(j);
    }
    hol_json_end(j);
}

static void cmd_compare_json(const HolComparison *c, HolStatus status) {
    HolJson j = {.put = cli_put, .to = stdout, .full = 1};
    hol_json_begin(&j, NULL, '{', HOL_JSON_LINES);
    hol_json_text(&j, "model", c->model);
    hol_json_number(&j, "start", c->start);
    hol_json_number(&j, "end", c->end);
    hol_json_number(&j, "asked_end", c->asked_end);
    hol_json_begin(&j, "reference", '{', HOL_JSON_LINES);
    hol_json_begin(&j, "methods", '[', HOL_JSON_ROW);
    for (int i = 0; i < 2 && c->reference[i]; i++)
        hol_json_text(&j, NULL, c->reference[i]->method.name);
    hol_json_end(&j);
    hol_json_begin(&j, "tolerances", '[', HOL_JSON_ROW);
    for (int i = 0; i < 2 && c->reference[i]; i++)
        hol_json_number(&j, NULL, c->reference[i]->tolerance);
    hol_json_end(&j);
    hol_json_number(&j, "agreement", c->reference[0] ? c->agreement : NAN);
    hol_json_end(&j);
    cmd_compare_json_limits(&j, c);
    hol_json_begin(&j, "runs", '[', HOL_JSON_LINES);
    for (int i = 0; i < c->n_runs; i++)
        cmd_compare_json_run(&j, NULL, &c->runs[i]);
    hol_json_end(&j);
    cmd_compare_json_orders(&j, c);
    hol_json_begin(&j, "remarks", '[', HOL_JSON_LINES);
    hol_json_lines(&j, c->remarks);
    hol_json_end(&j);
    hol_json_number(&j, "wall_seconds", c->seconds);
    hol_json_text(&j, "status", status ? "interrupted" : "ok");
    hol_json_end(&j);
    putchar('\n');
}

// ---- the verb ----

static int cmd_compare_wrong(const char *problem, const char *word) {
    fprintf(stderr, "holonom compare: %s '%s'\n", problem, word);
    return CLI_USAGE;
}

static int cmd_compare_limits(const char *text, double *limits, int *n) {
    const char *at = text;
    while (*at) {
        char *end;
        if (*n == MOST_LIMITS)
            return cmd_compare_wrong("too many limits:", text);
        limits[*n] = strtod(at, &end);
        if (end == at || (*end && *end != ','))
            return cmd_compare_wrong("--limits wants numbers such as 1e-3,1e-6, not", text);
        ++*n;
        at = end + (*end == ',');
    }
    return *n ? CLI_OK : cmd_compare_wrong("--limits wants numbers such as 1e-3,1e-6, not", text);
}

typedef struct CompareProgress {
    double began, drawn;
} CompareProgress;

static void cmd_compare_draw(void *user, const char *text) {
    CompareProgress *p = user;
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    const double now = (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
    p->began = p->began > 0 ? p->began : now;
    if (now - p->began < 1 || now - p->drawn < 0.2)
        return;
    fprintf(stderr, "\r  %.0f s: %s\033[K", now - p->began, text);
    fflush(stderr);
    p->drawn = now;
}

static int cmd_compare_options(const CliArgs *args, HolCompareOptions *how, double *limits) {
    const char *seconds = cli_value(args, "--seconds");
    how->methods = cli_value(args, "--methods");
    how->orders = cli_value(args, "--order") != NULL;
    if (cli_value(args, "--limits")) {
        const int code = cmd_compare_limits(cli_value(args, "--limits"), limits, &how->n_limits);
        if (code)
            return code;
        how->limits = limits;
    }
    if (seconds) {
        char *end;
        how->seconds = strtod(seconds, &end);
        if (end == seconds || *end || !(how->seconds >= 1 && how->seconds <= 1e6))
            return cmd_compare_wrong("--seconds wants a number from 1 on, not", seconds);
    }
    const char *files[] = {cli_value(args, "--output"), cli_value(args, "--plot")};
    for (int i = 0; i < 2; i++)
        if (files[i] && strcmp(files[i], "-") == 0)
            return cmd_compare_wrong("standard output has the table: give a file name, not", "-");
    const char *file = files[0], *dot = file ? strrchr(file, '.') : NULL;
    if (file && (!dot || strcmp(dot, ".csv") != 0))
        return cmd_compare_wrong("the runs are written as CSV: give a name ending in .csv, not",
                                 file);
    return CLI_OK;
}

static HolStatus cmd_compare_files(const CliArgs *args, const HolComparison *c, HolError *err) {
    const char *csv = cli_value(args, "--output"), *plot = cli_value(args, "--plot");
    HolStatus status = csv ? hol_comparison_csv(c, csv, err) : HOL_OK;
    return status || !plot ? status : hol_comparison_plot(c, plot, err);
}

static HolStatus cmd_compare_files_apart(const CliArgs *args, const HolModel *m, HolError *err) {
    const char *outputs[] = {cli_value(args, "--output"), cli_value(args, "--plot")};
    return hol_files_apart(m, args->words, args->n_words, outputs, 2, err);
}

static int cmd_compare_run(const CliArgs *args) {
    double limits[MOST_LIMITS];
    CompareProgress progress = {0};
    HolCompareOptions how = hol_compare_options();
    int code = cmd_compare_options(args, &how, limits);
    if (code)
        return code;
    HolModel *model = NULL;
    HolSimOptions options;
    HolComparison *c = NULL;
    HolError err = {0}, problem = {0};
    run_job_catch_signals();
    how.stop = run_job_stop_flag();
    how.user = &progress;
    how.say = isatty(STDERR_FILENO) ? cmd_compare_draw : NULL;
    HolStatus status = cli_load(args, &model, &options, &err);
    if (!status)
        status = cmd_compare_files_apart(args, model, &err);
    if (!status)
        status = hol_compare(model, &options, &how, &c, &err);
    if (progress.drawn > 0)
        fprintf(stderr, "\r\033[K");
    if (c && cli_value(args, "--json"))
        cmd_compare_json(c, status);
    else if (c)
        cmd_compare_print(c);
    const HolStatus written = c ? cmd_compare_files(args, c, &problem) : HOL_OK;
    if (status == HOL_INTERRUPTED)
        fprintf(stderr, "holonom: interrupted, this is what was found so far\n");
    else if (status)
        cli_report(&err);
    if (written)
        cli_report(&problem);
    hol_comparison_destroy(c);
    hol_model_destroy(model);
    return cli_exit_code(status ? status : written);
}

static const CliOption options_table[] = {
    {"--methods", NULL, "A,B,...", "all",
     "methods, with a variant if wanted: taylor,tangent:obreshkov3,radau:5"},
    {"--limits", NULL, "E,E,...", "1e-3,1e-6,1e-9", "errors that the methods must keep"},
    {"--order", NULL, NULL, NULL, "observed orders with fixed steps too"},
    {"--set", NULL, "KEY=VALUE", NULL, "change a parameter or an option, such as L=2"},
    {"--end", NULL, "T", "the model's", "end time [s]"},
    {"--seconds", NULL, "S", "45", "time that it may take"},
    {"--cache", NULL, "DIR", NULL, "keep what is computed of modal bodies in this folder"},
    {"--json", NULL, NULL, NULL, "print one object on standard output"},
    {"--output", "-o", "FILE.csv", NULL, "every run, a line each"},
    {"--plot", NULL, "FILE", NULL, "error over CPU time with the front, FILE.svg or FILE.png"},
    {0},
};

const CliCommand cli_compare = {
    .name = "compare",
    .arguments = "MODEL",
    .n_arguments = 1,
    .help = "work and precision of all methods on a model: which is the cheapest",
    .more = "Every method runs over tolerances and fixed steps. The error is the largest one over "
            "40 times\nand all positions and velocities, as a part of their sizes, against a "
            "reference on which two\nindependent methods agree. CPU time is that of the "
            "integration alone, with one thread.",
    .options = options_table,
    .run = cmd_compare_run,
};
