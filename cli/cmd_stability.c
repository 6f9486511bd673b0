// SPDX-License-Identifier: Apache-2.0
// `holonom stability`: the fastest mode along the motion, the largest stable step of every method
// and the step its accuracy needs.
#include "commands.h"
#include "run/run_job.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double cmd_stability_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct CmdStabilityWatch {
    double began, drawn;
} CmdStabilityWatch;

static void cmd_stability_progress(void *user, double part) {
    CmdStabilityWatch *w = user;
    const double now = cmd_stability_seconds();
    if (now - w->began < 1 || now - w->drawn < 0.2 || !isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r  %.0f %% of the motion, %.0f s\033[K", 100 * part, now - w->began);
    fflush(stderr);
    w->drawn = now;
}

// ---- text ----

static const char *cmd_stability_step(double h, char *room) {
    if (isfinite(h))
        snprintf(room, 24, "%.5g", h);
    else
        snprintf(room, 24, "-");
    return room;
}

static void cmd_stability_names(const char *const *names, int n) {
    for (int i = 0; i < n; i++)
        printf("%s%s", i ? ", " : "", names[i]);
}

static void cmd_stability_points(const HolStability *s) {
    int spins = 0;
    for (int i = 0; i < s->n_points; i++)
        spins |= s->points[i]->spin > 0;
    printf("\n  %12s  %14s  %28s  %s%s\n", "time [s]", "omega_max", "eigenvalue [1/s]",
           spins ? "spin [rad/s]  " : "", "who moves");
    for (int i = 0; i < s->n_points; i++) {
        const HolStabilityPoint *p = s->points[i];
        char value[64];
        if (p->imag > 0)
            snprintf(value, sizeof value, "%.5g +- %.8g i", p->real, p->imag);
        else
            snprintf(value, sizeof value, "%.8g", p->real);
        printf("  %12.6g  %14.8g  %28s  ", p->time, p->omega_max, value);
        if (spins)
            printf("%12.6g  ", p->spin);
        cmd_stability_names(p->bodies, p->n_bodies);
        printf("%s\n", i == s->fastest ? "  <- largest" : "");
    }
}

static void cmd_stability_name(const HolMethodOptions *o, char *out, size_t size) {
    const char *word = o->scheme[0] ? o->scheme : o->set;
    snprintf(out, size, "%s%s%s", o->name, word[0] ? ", " : "", word);
    if (o->order)
        snprintf(out + strlen(out), size - strlen(out), ", order %d", o->order);
}

static void cmd_stability_methods(const HolStability *s) {
    printf("\n  %-32s  %12s  %12s  %12s  %10s  %s\n", "largest step [s] of", "stable",
           "in this run", "accurate", "at time", "what grows beyond");
    for (int i = 0; i < s->n_methods; i++) {
        const HolStabilityMethod *m = s->methods[i];
        char name[96], a[24], b[24], c[24], d[24];
        cmd_stability_name(&m->options, name, sizeof name);
        printf("%c %-32s  %12s  %12s  %12s  %10s  ", m->own ? '*' : ' ', name,
               cmd_stability_step(m->largest_stable_step, a),
               cmd_stability_step(m->largest_stable_step_this_run, b),
               cmd_stability_step(m->accuracy_step, c), cmd_stability_step(m->at_time, d));
        cmd_stability_names(m->bodies, m->n_bodies);
        printf("%s\n", m->options.force && !m->own ? "  (needs force: true)" : "");
    }
    printf(
        "\n  -: no limit. stable: growth up to 1e-7 a step; in this run: up to 30 times over it;\n"
        "  accurate: phase and amplitude of the vibrations that take part within %g. *: the "
        "model's own\n",
        s->tolerance);
}

static void cmd_stability_print(const HolModel *model, const HolStability *s) {
    printf("%s, time %g to %g s\n", hol_model_name(model), s->from, s->to);
    cmd_stability_points(s);
    cmd_stability_methods(s);
    if (isfinite(s->spin_step))
        printf("  Bodies spin: methods that have a limit also need steps below %.4g s (0.5 rad a "
               "step, at time %.6g)\n",
               s->spin_step, s->spin_time);
    if (s->note[0])
        printf("\n%s\n", s->note);
}

// ---- options ----

// 0 and a message: it is no number of that range
static int cmd_stability_number(const CliArgs *args, const char *option, double least, int whole,
                                double *out) {
    const char *text = cli_value(args, option);
    char *end;
    if (!text)
        return 1;
    errno = 0;
    *out = strtod(text, &end);
    if (end != text && !*end && isfinite(*out) && *out >= least && (!whole || *out == floor(*out)))
        return 1;
    if (whole)
        fprintf(stderr, "holonom stability: %s wants a whole number of %g or more; this is '%s'\n",
                option, least, text);
    else
        fprintf(stderr, "holonom stability: %s wants a number; this is '%s'\n", option, text);
    return 0;
}

static int cmd_stability_run(const CliArgs *args) {
    HolModel *model = NULL;
    HolStability *result = NULL;
    HolSimOptions options = {0};
    HolError err = {0};
    HolStabilityOptions how = hol_stability_options();
    CmdStabilityWatch watch = {.began = cmd_stability_seconds()};
    const char *plot = cli_value(args, "--plot");
    double points = 0;
    if (!cmd_stability_number(args, "--from", -INFINITY, 0, &how.from) ||
        !cmd_stability_number(args, "--to", -INFINITY, 0, &how.to) ||
        !cmd_stability_number(args, "--points", 1, 1, &points))
        return CLI_USAGE;
    how.points = points > 1e6 ? 1000000 : (int)points;
    how.method = cli_value(args, "--method");
    how.stop = run_job_stop_flag();
    how.progress = cmd_stability_progress;
    how.user = &watch;
    run_job_catch_signals();
    HolStatus status = cli_load(args, &model, &options, &err);
    if (!status)
        status = cli_files_apart(args, model, &err);
    if (!status)
        status = hol_stability(model, &options, &how, &result, &err);
    if (watch.drawn > 0)
        fprintf(stderr, "\r\033[K");
    if (!status && plot)
        status = hol_stability_plot(result, hol_model_name(model), plot, &err);
    if (!status && cli_value(args, "--json"))
        hol_stability_json(result, stdout);
    else if (!status && !(plot && strcmp(plot, "-") == 0))
        cmd_stability_print(model, result);
    if (status)
        cli_report(&err);
    hol_stability_destroy(result);
    hol_model_destroy(model);
    return cli_exit_code(status);
}

static const CliOption cmd_stability_options[] = {
    {"--method", NULL, "NAME", "all", "this method only, with all its schemes"},
    {"--from", NULL, "T", "the start", "beginning of the part of the motion to look at [s]"},
    {"--to", NULL, "T", "the end", "its end [s]"},
    {"--points", NULL, "N", "11", "times at which the motion is linearized"},
    {"--set", NULL, "KEY=VALUE", NULL, "change a parameter or an option, such as L=2"},
    {"--cache", NULL, "DIR", NULL, "keep what is computed of modal bodies in this folder"},
    {"--json", NULL, NULL, NULL, "print one object on standard output"},
    {"--plot", NULL, "FILE.svg", NULL, "omega_max over time, spectral radius over the step"},
    {0},
};

const CliCommand cli_stability = {
    .name = "stability",
    .arguments = "MODEL",
    .n_arguments = 1,
    .help = "omega_max along the motion and the largest stable step of every method",
    .more = "The motion is computed once and linearized at its start, at equally spaced times and\n"
            "where omega_max peaks. Each method's own one-step map tells which steps grow.",
    .options = cmd_stability_options,
    .run = cmd_stability_run,
};
