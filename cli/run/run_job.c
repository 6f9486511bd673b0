// SPDX-License-Identifier: Apache-2.0
// A run: load, assemble, integrate, write. A certified run may begin anew (another method beside
// it, smaller tolerances): its files are then begun anew too.
#include "run/run_job.h"

#include "commands.h"
#include "run/run_checkpoint.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// set by the signal handler, read by the integration: the only way into a running step
static volatile int stop_requested;

static void run_job_request_stop(int signal_number) {
    (void)signal_number;
    stop_requested = 1;
}

void run_job_catch_signals(void) {
    struct sigaction action = {.sa_handler = run_job_request_stop, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    static const int stops[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU};
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
        struct sigaction before;
        // (what is ignored stays so: nohup)
        if (sigaction(stops[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(stops[i], &action, NULL);
    }
}

const volatile int *run_job_stop_flag(void) {
    return &stop_requested;
}

static double run_job_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// a line that overwrites itself, when a person watches and the run takes more than a second
static void draw_progress(RunJob *r, double t, double h) {
    double now = run_job_seconds();
    if (r->progress_lines && now - r->told > 0.2) {
        fprintf(stderr, "progress %.9g %.9g %.3g\n", t, r->out.options.end, h);
        r->told = now;
    }
    if (!r->progress || now - r->began < 1 || now - r->drawn < 0.2)
        return;
    double done = t - r->out.options.start, left = r->out.options.end - t;
    fprintf(stderr, "\r  time %.6g of %g s, step %.3g s", t, r->out.options.end, h);
    if (r->certify)
        fprintf(stderr, ", with a second run at tolerance %g", r->out.options.tolerance);
    fprintf(stderr, ", about %.0f s to go\033[K", done > 0 ? (now - r->began) * left / done : 0.0);
    fflush(stderr);
    r->drawn = now;
}

static void clear_progress(RunJob *r) {
    if (r->drawn > 0)
        fprintf(stderr, "\r\033[K");
    r->drawn = 0;
}

// ---- files ----

// a file that could not be written is what the user must know first
static void file_failed(RunSummary *out, HolStatus status, const HolError *err) {
    if (!status)
        return;
    out->status = status;
    out->err = *err;
}

static void drop_files(RunJob *r) {
    hol_result_close(r->writer, 0, NULL);
    hol_report_close(r->report, NULL, NULL, 0, NULL);
    r->writer = NULL;
    r->report = NULL;
}

static HolStatus open_files(RunJob *r, HolError *err) {
    RunSummary *out = &r->out;
    HolStatus status = HOL_OK;
    if (out->report)
        status = hol_report_open(out->report, r->model, &out->options, &r->report, err);
    if (!status && out->file)
        status = r->certify ? hol_result_open_certified(out->file, r->model, &out->options,
                                                        &r->writer, err)
                            : hol_result_open(out->file, r->model, &out->options, &r->writer, err);
    if (status)
        drop_files(r);
    else
        r->begun = 1;
    return status;
}

// close the files: what they hold is complete
static void finish_files(RunJob *r) {
    RunSummary *out = &r->out;
    const HolCheck *check = out->checked ? &out->check : NULL;
    const char *message =
        out->status == HOL_INACCURATE ? hol_status_text(out->status) : out->err.text;
    HolError err = {0};
    // (a run that ended before its first row leaves an earlier result alone)
    const int keep = out->status != HOL_ERR_FILE && r->rows > 0;
    hol_result_summary(r->writer, &out->stats, check, out->status, message);
    hol_result_certificate(r->writer, out->certificate);
    file_failed(out, hol_result_close(r->writer, keep, &err), &err);
    r->writer = NULL;
    if (!r->report)
        return;
    if (out->status && out->status != HOL_INACCURATE) // the certificate says that
        hol_report_remark(r->report, out->err.text);
    hol_report_certify(r->report, out->certificate);
    HolStatus status = hol_report_close(r->report, &out->stats, check,
                                        out->status != HOL_ERR_FILE && r->rows > 0, &err);
    r->report = NULL;
    file_failed(out, status, &err);
}

// ---- rows ----

// one row for the file, the page and the object; bounds may be NULL
static HolStatus run_job_put_row(RunJob *r, const double *row, const double *bounds,
                                 const double *all, HolError *err) {
    HolStatus status = HOL_OK;
    r->rows++;
    extremes_row(&r->out.extremes, row);
    if (r->writer)
        status = bounds ? hol_result_certified_row(r->writer, row, bounds, err)
                        : hol_result_row(r->writer, row, err);
    if (r->checkpoint)
        status = run_checkpoint_row(r, row, err);
    if (!status && r->report)
        status = hol_report_row(r->report, all, row, err);
    if (!status)
        r->out.rows++;
    return status;
}

static HolStatus run_job_event(RunJob *r, const HolEvent *event, HolError *err) {
    HolStatus status = run_events_event(&r->out.events, event, err);
    if (!status && r->writer)
        status = hol_result_event(r->writer, event, err);
    if (!status && r->checkpoint)
        status = run_checkpoint_event(r, event, err);
    return status || !r->report ? status : hol_report_event(r->report, event, err);
}

static HolStatus run_job_impulse(RunJob *r, const HolImpulse *impulse, HolError *err) {
    HolStatus status = run_events_impulse(&r->out.events, impulse, err);
    if (!status && r->writer)
        status = hol_result_impulse(r->writer, impulse, err);
    if (!status && r->checkpoint)
        status = run_checkpoint_impulse(r, impulse, err);
    return status || !r->report ? status : hol_report_impulse(r->report, impulse, err);
}

// lines of the tables
static HolStatus run_job_lines(RunJob *r, const HolSim *s, HolError *err) {
    HolEvent event;
    HolImpulse impulse;
    HolStatus status = HOL_OK;
    for (int i = 0; !status && hol_sim_event(s, i, &event); i++)
        status = run_job_event(r, &event, err);
    for (int i = 0; !status && hol_sim_impulse(s, i, &impulse); i++)
        status = run_job_impulse(r, &impulse, err);
    return status;
}

static HolStatus observe(void *user, HolSim *s, int what, double t, HolError *err) {
    RunJob *r = user;
    if (what == HOL_AT_STEP) {
        draw_progress(r, t, hol_sim_view(s).h);
        return r->checkpoint ? run_checkpoint_step(r, s, err) : HOL_OK;
    }
    if (what == HOL_AT_EVENT)
        return run_job_lines(r, s, err);
    if (!r->wants_rows || (r->checkpoint && run_checkpoint_left(r)))
        return HOL_OK;
    HolStatus status = hol_sim_row(s, t, r->row, err);
    if (!status && r->report)
        status = hol_sim_row_all(s, t, r->all, err);
    return status ? status : run_job_put_row(r, r->row, NULL, r->all, err);
}

// ---- certified ----

// The same for laws that switch more often by time alone than anyone means.
static HolStatus refuse_switches(const RunJob *r, const HolSim *s, HolError *err) {
    static const double MOST_SWITCHES = 1e7;
    const double n = hol_sim_switch_count(s);
    if (r->yes || !(n > MOST_SWITCHES))
        return HOL_OK;
    *err = (HolError){.status = HOL_ERR_INPUT, .problems = 1};
    snprintf(
        err->text, sizeof err->text,
        "forces switch about %.2g times by time alone from %g to %g s, and a step ends at each "
        "(floor, mod, sign, if .. of time): --yes if that is meant",
        n, r->out.options.start, r->out.options.end);
    return HOL_ERR_INPUT;
}

static HolStatus begin_certified(void *user, HolSim *s, const HolSimOptions *o, HolError *err) {
    RunJob *r = user;
    RunSummary *out = &r->out;
    drop_files(r);
    out->options = *o;
    out->rows = 0;
    run_events_reset(&out->events);
    extremes_reset(&out->extremes);
    out->checked = hol_sim_check(s, &out->check, NULL) == HOL_OK;
    const HolStatus status = refuse_switches(r, s, err);
    return status ? status : open_files(r, err);
}

static HolStatus certified_row(void *user, const double *row, const double *bounds,
                               const double *all, HolError *err) {
    return run_job_put_row(user, row, bounds, all, err);
}

static HolStatus certified_step(void *user, HolSim *s, double t, HolError *err) {
    (void)err;
    draw_progress(user, t, hol_sim_view(s).h);
    return HOL_OK;
}

static HolStatus certified_event(void *user, HolSim *s, double t, HolError *err) {
    (void)t;
    return run_job_lines(user, s, err);
}

static HolStatus run_certified(RunJob *r) {
    RunSummary *out = &r->out;
    HolCertifyObserver observer = hol_certify_observer();
    observer.all = out->report != NULL;
    observer.begin = begin_certified;
    observer.step = certified_step;
    observer.row = certified_row;
    observer.event = certified_event;
    observer.user = r;
    observer.stop = &stop_requested;
    HolStatus status =
        hol_certify(r->model, &out->options, &observer, &out->certificate, &out->err);
    out->sim = out->certificate ? out->certificate->sim : NULL;
    return status;
}

// ---- the run ----

static HolStatus run_plain(RunJob *r) {
    RunSummary *out = &r->out;
    if (r->checkpoint)
        return run_checkpoint_run(r, observe, &out->err);
    HolStatus status = open_files(r, &out->err);
    return status ? status : hol_sim_run(out->sim, out->options.end, observe, r, &out->err);
}

// a fixed step that the method cannot take is told before the run, not after it blew up
static void warn_of_step(RunSummary *out) {
    HolError ignored;
    if (!(out->options.step > 0) ||
        hol_step_limit(out->model, &out->options, &out->limit, &ignored))
        return;
    if (out->limit.warning[0])
        fprintf(stderr, "holonom: warning: %s\n", out->limit.warning);
}

// A run of more steps or rows than anyone means ends before it begins, unless --yes says so: a unit
// mistaken by 1e6 would take days, and fill a disk. No step is longer than max_step.
static HolStatus refuse_endless(RunJob *r, const CliArgs *args) {
    static const double MOST_STEPS = 1e9, MOST_ROWS = 1e8;
    const HolSimOptions *o = &r->out.options;
    const double longest = o->step > 0 ? o->step : o->max_step;
    const double span = o->end - o->start, steps = longest > 0 ? span / longest : 0;
    const double rows = !r->wants_rows ? 0 : o->output_step > 0 ? span / o->output_step : steps;
    const int by_steps = steps > MOST_STEPS && !(o->max_steps > 0 && (double)o->max_steps < steps);
    if (cli_value(args, "--yes") || (!by_steps && !(rows > MOST_ROWS)))
        return HOL_OK;
    const int by_output = !by_steps && o->output_step > 0;
    HolError *err = &r->out.err;
    *err = (HolError){.status = HOL_ERR_INPUT, .problems = 1};
    snprintf(err->text, sizeof err->text,
             "the run from %g to %g s has %s%.3g %s (%s %g s): --yes if that is meant", o->start,
             o->end, by_output || o->step > 0 ? "" : "at least ", by_steps ? steps : rows,
             by_steps ? "steps" : "rows of results",
             by_output     ? "output_step"
             : o->step > 0 ? "step"
                           : "max_step",
             by_output ? o->output_step : longest);
    return HOL_ERR_INPUT;
}

// what the results need before the integration; a wrong model or method ends here
static HolStatus run_job_prepare(RunJob *r, const CliArgs *args) {
    RunSummary *out = &r->out;
    HolStatus status = cli_load(args, &r->model, &out->options, &out->err);
    out->model = r->model;
    if (!status)
        status = cli_files_apart(args, r->model, &out->err);
    if (status)
        return status;
    r->certify = out->options.accuracy > 0 || cli_value(args, "--certify");
    if (r->certify && run_checkpoint_wanted(args)) {
        out->err = (HolError){.status = HOL_ERR_INPUT, .problems = 1};
        snprintf(out->err.text, sizeof out->err.text,
                 "the model asks for an accuracy, which a run with checkpoints does not certify: "
                 "--tolerance in its place");
        return HOL_ERR_INPUT;
    }
    const char *report = out->report = cli_value(args, "--report");
    const int json = cli_value(args, "--json") != NULL;
    out->file = cli_value(args, "--output");
    if (!out->file && !report && !json && !isatty(STDOUT_FILENO))
        out->file = "-";
    r->wants_rows = out->file || report || json;
    r->yes = cli_value(args, "--yes") != NULL;
    if ((status = refuse_endless(r, args)))
        return status;
    r->row = calloc((size_t)hol_model_column_count(r->model) + 1, sizeof *r->row);
    r->all = calloc((size_t)hol_model_all_column_count(r->model) + 1, sizeof *r->all);
    if (!r->row || !r->all || !extremes_create(&out->extremes, r->model))
        return cli_no_memory(&out->err);
    if (json && (status = run_events_keep(&out->events, &out->err)))
        return status;
    if (r->certify) // makes its own runs
        return HOL_OK;
    status = hol_sim_create(r->model, &out->options, &out->sim, &out->err);
    if (!status)
        status = refuse_switches(r, out->sim, &out->err);
    if (!status) {
        hol_sim_stop_flag(out->sim, &stop_requested);
        status = hol_sim_assemble(out->sim, &out->err);
    }
    if (!status)
        out->checked = hol_sim_check(out->sim, &out->check, NULL) == HOL_OK;
    if (!status && run_checkpoint_wanted(args))
        status = run_checkpoint_open(r, args, &out->err);
    return status;
}

HolStatus run_job_run(RunJob *r, const CliArgs *args) {
    RunSummary *out = &r->out;
    out->status = run_job_prepare(r, args);
    if (out->status)
        return out->status;
    warn_of_step(out);
    r->began = run_job_seconds();
    out->status = r->certify ? run_certified(r) : run_plain(r);
    clear_progress(r);
    if (!out->sim || !r->begun) {
        r->began = 0;
        return out->status;
    }
    out->t_reached = hol_sim_time(out->sim);
    if (out->status == HOL_INTERRUPTED)
        snprintf(out->err.text, sizeof out->err.text, "interrupted at t = %.9g s", out->t_reached);
    out->stats = hol_sim_stats(out->sim);
    if (r->checkpoint)
        run_checkpoint_finish(r);
    else
        finish_files(r);
    HolError err = {0};
    file_failed(out, run_events_finish(&out->events, &err), &err);
    return out->status;
}

void run_job_free(RunJob *r) {
    run_checkpoint_free(r);
    if (r->out.certificate) // its run is the one
        hol_certificate_destroy(r->out.certificate);
    else
        hol_sim_destroy(r->out.sim);
    hol_model_destroy(r->model);
    extremes_free(&r->out.extremes);
    run_events_free(&r->out.events);
    free(r->row);
    free(r->all);
    free(r);
}
