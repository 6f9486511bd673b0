// SPDX-License-Identifier: Apache-2.0
// `holonom sweep`: many runs over parameters, on all cores or under mpirun.
#include "commands.h"
#include "run/run_job.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct SweepTalk {
    int line;     // 1: a line that is drawn anew
    double drawn; // when
    int width;
} SweepTalk;

static double cmd_sweep_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void cmd_sweep_progress(void *user, const HolSweepCounts *c) {
    SweepTalk *talk = user;
    const double now = cmd_sweep_clock();
    if (!talk->line || now - talk->drawn < 0.2 || c->seconds < 1)
        return;
    talk->drawn = now;
    char text[120];
    snprintf(text, sizeof text, "%ld of %ld runs, %ld failed, about %.0f s left", c->done, c->runs,
             c->failed, c->left);
    fprintf(stderr, "\r%-*s", talk->width, text);
    talk->width = (int)strlen(text);
    fflush(stderr);
}

static void cmd_sweep_summary(const CliArgs *args, const HolSweepCounts *c) {
    const char *output = cli_value(args, "--output"), *report = cli_value(args, "--report");
    const double cpu = c->cpu_seconds;
    fprintf(stderr, "%ld runs", c->done);
    if (c->before)
        fprintf(stderr, " (%ld of them before)", c->before);
    fprintf(stderr, ", %ld failed; %.3g s with %d process%s, %.3g s of CPU time\n", c->failed,
            c->seconds, c->workers, c->workers == 1 ? "" : "es", cpu);
    if (output && strcmp(output, "-") != 0)
        fprintf(stderr, "results in %s\n", output);
    if (report)
        fprintf(stderr, "report in %s\n", report);
}

// 0: it is no number of processes
static int cmd_sweep_jobs(const char *text) {
    char *end;
    const long jobs = strtol(text, &end, 10);
    return *text && !*end && jobs >= 1 && jobs <= 1024 ? (int)jobs : 0;
}

static int cmd_sweep_run(const CliArgs *args) {
    const char *jobs = cli_value(args, "--jobs");
    SweepTalk talk = {.line = isatty(STDERR_FILENO) && !cli_value(args, "--quiet")};
    HolSweepOptions o = {.output = cli_value(args, "--output"),
                         .report = cli_value(args, "--report"),
                         .jobs = jobs ? cmd_sweep_jobs(jobs) : 0,
                         .resume = cli_value(args, "--resume") != NULL,
                         .progress = cmd_sweep_progress,
                         .user = &talk,
                         .stop = run_job_stop_flag(),
                         .cache = cli_value(args, "--cache")};
    if (jobs && !o.jobs)
        return cli_usage_error(args->command, "--jobs wants a number of processes, not", jobs);
    HolSweepCounts counts = {0};
    HolError err = {0};
    run_job_catch_signals();
    const HolStatus status = hol_sweep(args->words[0], &o, &counts, &err);
    if (talk.width)
        fprintf(stderr, "\r%-*s\r", talk.width, "");
    // (what is wrong with the study rank 0 says: mpirun ends it when another one fails before)
    if (hol_sweep_silent())
        return status == HOL_ERR_INPUT ? 0 : cli_exit_code(status);
    if (status)
        cli_report(&err);
    else if (!cli_value(args, "--quiet"))
        cmd_sweep_summary(args, &counts);
    return cli_exit_code(status);
}

static const CliOption cmd_sweep_options[] = {
    {"--output", "-o", "FILE", NULL,
     "one row a run, FILE.csv or FILE.h5 (else CSV on standard output)"},
    {"--jobs", "-j", "N", "one a core", "processes that do runs"},
    {"--resume", NULL, NULL, NULL, "go on with a sweep that did not come to its end"},
    {"--report", NULL, "FILE.html", NULL,
     "a page with parallel coordinates, scatter and histograms"},
    {"--cache", NULL, "DIR", NULL, "keep what is computed of modal bodies in this folder"},
    {"--quiet", "-q", NULL, NULL, "no summary and no progress line"},
    {0},
};

const CliCommand cli_sweep = {
    .name = "sweep",
    .arguments = "STUDY",
    .n_arguments = 1,
    .help = "many runs over parameters, on all cores or under mpirun",
    .more =
        "STUDY is a YAML file: model, vary, record (docs/sweep.md). Rows are the same whatever "
        "does\n"
        "the runs. A run that fails or crashes has a row that says so. FILE.journal keeps what is\n"
        "done; --resume goes on after a kill. 'mpirun -n 64 holonom sweep STUDY -o FILE' shares "
        "the\n"
        "runs between machines.",
    .options = cmd_sweep_options,
    .run = cmd_sweep_run,
};
