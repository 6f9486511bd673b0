// SPDX-License-Identifier: Apache-2.0
// `holonom run`: load, assemble, integrate, write. Results up to the last accepted step are
// complete whatever ends the run: its end, a numerical failure, or Ctrl-C.
#include "commands.h"
#include "outcome.h"

#include <float.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// set by the signal handler, read by the integration: the only way into a running step
static volatile int stop_requested;

static void request_stop(int signal_number) {
    (void)signal_number;
    stop_requested = 1;
}

// the first signal asks for an orderly end; a second one has its usual effect
static void catch_signals(void) {
    struct sigaction action = {.sa_handler = request_stop, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

// the end is nearer than time can tell
static int near_end(double t, double end) {
    return end - t <= 8 * DBL_EPSILON * fmax(fabs(end), fabs(t));
}

// the integration stands still: a failure, whatever the solver says
static HolStatus no_progress(Outcome *out, double t) {
    out->err.status = HOL_ERR_STEP;
    out->err.problems = 1;
    out->err.time = t;
    snprintf(out->err.text, sizeof out->err.text,
             "the integration stopped at t = %.9g s: the step no longer advances the time; try a "
             "larger --step or --tolerance, or another --method",
             t);
    return HOL_ERR_STEP;
}

typedef struct Run {
    Outcome out;
    HolModel *model;
    HolResultWriter *writer; // NULL: no results wanted
    HolReport *report;       // NULL: no page wanted
    double *row, *all;       // results, and all columns for the page, at an output time
    double last_row;         // time of the last row written
    long next;               // index of the next output time
    int progress;            // 1: draw a progress line
    int progress_lines;      // 1: a line each, for programs that watch
    double began, drawn, told;
} Run;

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// a line that overwrites itself, when a person watches and the run takes more than a second
static void draw_progress(Run *r, double t, double h) {
    double now = seconds();
    if (r->progress_lines && now - r->told > 0.2) {
        fprintf(stderr, "progress %.9g %.9g %.3g\n", t, r->out.options.end, h);
        r->told = now;
    }
    if (!r->progress || now - r->began < 1 || now - r->drawn < 0.2)
        return;
    double done = t - r->out.options.start, left = r->out.options.end - t;
    fprintf(stderr, "\r  time %.6g of %g s, step %.3g s, about %.0f s to go\033[K", t,
            r->out.options.end, h, done > 0 ? (now - r->began) * left / done : 0.0);
    fflush(stderr);
    r->drawn = now;
}

static void clear_progress(Run *r) {
    if (r->drawn > 0)
        fprintf(stderr, "\r\033[K");
    r->drawn = 0;
}

// one row of results at time t, for the file and the page
static HolStatus write_side(Run *r, double t) {
    Outcome *out = &r->out;
    HolStatus status = hol_sim_row(out->sim, t, r->row, &out->err);
    if (!status && r->writer)
        status = hol_result_row(r->writer, r->row, &out->err);
    if (!status && r->report) {
        status = hol_sim_row_all(out->sim, t, r->all, &out->err);
        if (!status)
            status = hol_report_row(r->report, r->all, r->row, &out->err);
    }
    if (!status) {
        r->last_row = t;
        out->rows++;
    }
    return status;
}

// at a jump two rows, left limit first
static HolStatus write_row(Run *r, double t) {
    HolStatus status = HOL_OK;
    if (!r->writer && !r->report)
        return HOL_OK;
    if (hol_sim_jump(r->out.sim, t)) {
        hol_sim_rows_before(r->out.sim, 1);
        status = write_side(r, t);
        hol_sim_rows_before(r->out.sim, 0);
    }
    return status ? status : write_side(r, t);
}

// start + k dt, where dt is a decimal like 0.1 as the double nearest to the decimal
static double output_time(const HolSimOptions *o, long k) {
    double per_second = round(1 / o->output_step);
    if (per_second >= 1 && fabs(per_second * o->output_step - 1) < 1e-14)
        return o->start + (double)k / per_second;
    return o->start + (double)k * o->output_step;
}

// every output time that the last step has passed; those that fall on its end take its exact time
static HolStatus write_due(Run *r, double now, double h) {
    const HolSimOptions *o = &r->out.options;
    if (!(o->output_step > 0))
        return write_row(r, now);
    for (;;) {
        double t = output_time(o, r->next);
        double near = 1e-6 * fmin(h, o->output_step);
        // the end itself is written when the run is over
        if (t > now + near || t > o->end - near || stop_requested)
            return HOL_OK;
        HolStatus status = write_row(r, fabs(t - now) <= near ? now : t);
        if (status)
            return status;
        r->next++;
    }
}

// integrate to the end, or to whatever stops it
static HolStatus integrate(Run *r) {
    Outcome *out = &r->out;
    HolStatus status = write_row(r, out->options.start);
    r->next = 1;
    double t = hol_sim_time(out->sim);
    while (!status && t < out->options.end) {
        if (stop_requested) {
            status = HOL_INTERRUPTED;
            break;
        }
        status = hol_sim_step(out->sim, out->options.end, &out->err);
        if (status)
            break;
        const double before = t;
        t = hol_sim_time(out->sim);
        if (t <= before && near_end(t, out->options.end))
            break;
        status = t > before ? write_due(r, t, t - before) : no_progress(out, t);
        draw_progress(r, t, t - before);
    }
    clear_progress(r);
    return status;
}

// a file that could not be written is what the user must know first
static void file_failed(Outcome *out, HolStatus status, const HolError *err) {
    if (!status)
        return;
    out->status = status;
    out->err = *err;
}

// close the files: the last accepted state is always in them
static void finish_results(Run *r) {
    Outcome *out = &r->out;
    HolError err = {0};
    double t = hol_sim_time(out->sim);
    if (out->status != HOL_ERR_FILE && t > r->last_row) {
        HolError saved = out->err;
        HolStatus status = write_row(r, t);
        err = out->err;
        out->err = saved;
        file_failed(out, status, &err);
    }
    out->stats = hol_sim_stats(out->sim);
    hol_result_summary(r->writer, &out->stats, out->checked ? &out->check : NULL, out->status,
                       out->err.text);
    file_failed(out, hol_result_close(r->writer, out->status != HOL_ERR_FILE, &err), &err);
    r->writer = NULL;
    if (!r->report)
        return;
    if (out->status)
        hol_report_remark(r->report, out->err.text);
    out->stats = hol_sim_stats(out->sim);
    HolStatus status = hol_report_close(r->report, &out->stats, out->checked ? &out->check : NULL,
                                        out->status != HOL_ERR_FILE, &err);
    r->report = NULL;
    file_failed(out, status, &err);
}

static HolStatus open_results(Run *r, const CliArgs *args) {
    Outcome *out = &r->out;
    const char *report = out->report = cli_value(args, "--report");
    out->file = cli_value(args, "--output");
    if (!out->file && !report && !cli_value(args, "--json") && !isatty(STDOUT_FILENO))
        out->file = "-";
    r->row = calloc((size_t)hol_model_column_count(r->model) + 1, sizeof *r->row);
    r->all = calloc((size_t)hol_model_all_column_count(r->model) + 1, sizeof *r->all);
    if (!r->row || !r->all)
        return HOL_ERR_MEMORY;
    HolStatus status = HOL_OK;
    if (report)
        status = hol_report_open(report, r->model, &out->options, &r->report, &out->err);
    if (!status && out->file)
        status = hol_result_open(out->file, r->model, &out->options, &r->writer, &out->err);
    if (status) {
        hol_report_close(r->report, NULL, NULL, 0, NULL);
        r->report = NULL;
    }
    return status;
}

static HolStatus simulate(Run *r, const CliArgs *args) {
    Outcome *out = &r->out;
    HolStatus status = cli_load(args, &r->model, &out->options, &out->err);
    out->model = r->model;
    if (!status)
        status = cli_files_apart(args, r->model, &out->err);
    if (status)
        return status;
    status = hol_sim_create(r->model, &out->options, &out->sim, &out->err);
    if (!status) {
        hol_sim_stop_flag(out->sim, &stop_requested);
        status = hol_sim_assemble(out->sim, &out->err);
    }
    if (!status)
        out->checked = hol_sim_check(out->sim, &out->check, NULL) == HOL_OK;
    if (!status)
        status = open_results(r, args);
    if (status)
        return status;
    r->began = seconds();
    out->status = integrate(r);
    out->t_reached = hol_sim_time(out->sim);
    if (out->status == HOL_INTERRUPTED)
        snprintf(out->err.text, sizeof out->err.text, "interrupted at t = %.9g s", out->t_reached);
    finish_results(r);
    out->stats = hol_sim_stats(out->sim);
    return out->status;
}

static int is_stdout(const char *file) {
    return file && strcmp(file, "-") == 0;
}

static const char *usage_problem(const CliArgs *args) {
    const char *file = cli_value(args, "--output"), *report = cli_value(args, "--report");
    if (cli_value(args, "--step") && cli_value(args, "--tolerance"))
        return "--step fixes the step and --tolerance controls it: give one of them";
    if (is_stdout(file) && cli_value(args, "--json"))
        return "'-o -' and --json both want standard output: give -o a file name";
    if (is_stdout(report) && cli_value(args, "--json"))
        return "'--report -' and --json both want standard output: give --report a file name";
    return NULL;
}

static int wrong_usage(const CliArgs *args) {
    const char *problem = usage_problem(args);
    if (problem)
        fprintf(stderr, "holonom run: %s\n", problem);
    HolError err = {0};
    if (!problem && cli_files_apart(args, NULL, &err)) {
        cli_report(&err);
        return 1;
    }
    return problem != NULL;
}

static void tell(const Run *r, const CliArgs *args) {
    const Outcome *out = &r->out;
    int ran = r->began > 0; // the integration was reached
    if (ran && !cli_value(args, "--quiet"))
        outcome_summary(out, stderr);
    if (out->status)
        cli_report(&out->err);
    if (ran && out->status && out->file && out->status != HOL_ERR_FILE &&
        strcmp(out->file, "-") != 0)
        fprintf(stderr, "holonom: results up to t = %.9g s are in %s\n", out->t_reached, out->file);
    if (cli_value(args, "--json"))
        outcome_json(out, stdout);
}

static int run(const CliArgs *args) {
    if (wrong_usage(args))
        return CLI_USAGE;
    Run *r = calloc(1, sizeof *r);
    if (!r) {
        fprintf(stderr, "holonom: out of memory\n");
        return CLI_FAILED;
    }
    catch_signals();
    r->out.path = args->words[0];
    r->progress = isatty(STDERR_FILENO) && !cli_value(args, "--quiet");
    r->progress_lines = cli_value(args, "--progress") != NULL;
    r->out.status = simulate(r, args);
    tell(r, args);
    int code = cli_exit_code(r->out.status);
    hol_sim_destroy(r->out.sim);
    hol_model_destroy(r->model);
    free(r->row);
    free(r->all);
    free(r);
    return code;
}

static const CliOption options[] = {
    {"--method", NULL, "NAME", "the model's, or tangent", "integration method ('holonom kinds')"},
    {"--set", NULL, "KEY=VALUE", NULL,
     "change a parameter or an option, such as L=2, method.beta=1/4"},
    {"--step", NULL, "H", NULL, "fixed step size [s]"},
    {"--tolerance", NULL, "TOL", "1e-6", "control the step by the local error instead"},
    {"--end", NULL, "T", "the model's", "end time [s]"},
    {"--output-step", NULL, "DT", "every step", "spacing of the results [s]"},
    {"--output", "-o", "FILE", NULL, "results, FILE.csv or FILE.h5; - is standard output (CSV)"},
    {"--report", NULL, "FILE.html", NULL, "a page with animation and charts; - is standard output"},
    {"--json", NULL, NULL, NULL, "print one object about the run on standard output"},
    {"--quiet", "-q", NULL, NULL, "no summary and no progress line"},
    {"--progress", NULL, NULL, NULL,
     "lines 'progress TIME END STEP' on standard error, for programs that watch"},
    {0},
};

const CliCommand cli_run = {
    .name = "run",
    .arguments = "MODEL",
    .n_arguments = 1,
    .help = "simulate a model: motion, reactions, energy, constraint residuals",
    .more =
        "MODEL is a YAML or JSON file, or - for standard input. Without -o and --json the results\n"
        "go to standard output as CSV, unless that is a terminal.",
    .options = options,
    .run = run,
};
