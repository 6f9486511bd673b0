// SPDX-License-Identifier: Apache-2.0
// `holonom run --replay RESULT [-o FILE]`: the run that the manifest of a result tells, and whether
// it gives the same bits.
#include "run/run_replay.h"
#include "commands.h"
#include "run/run_job.h"

#include <holonom/json.h>

#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *const replay_options[] = {"--replay", "--output", "--json", "--quiet", NULL};

// what the manifest says is not to be said again
static int replay_usage(const CliArgs *args) {
    if (args->n_words > 0)
        return cli_usage_error(args->command, "--replay has its own model; unexpected argument",
                               args->words[0]);
    for (int i = 0; i < args->n_given; i++) {
        int known = 0;
        for (int k = 0; replay_options[k]; k++)
            known |= strcmp(args->given[i].option->name, replay_options[k]) == 0;
        if (!known)
            return cli_usage_error(args->command, "--replay takes all from the manifest, without",
                                   args->given[i].option->name);
    }
    return CLI_OK;
}

typedef struct ReplayProgress {
    double began, drawn;
    int wanted;
} ReplayProgress;

static double replay_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void replay_draw(void *user, double t, double end) {
    ReplayProgress *p = user;
    const double now = p->wanted ? replay_seconds() : 0;
    if (!p->wanted || now - p->began < 1 || now - p->drawn < 0.2)
        return;
    fprintf(stderr, "\r  time %.6g of %g s, repeated\033[K", t, end);
    fflush(stderr);
    p->drawn = now;
}

static void replay_lines(const char *text) {
    while (*text) {
        const size_t length = strcspn(text, "\n");
        fprintf(stderr, "holonom: %.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

static void replay_json(const char *result, const HolReplay *r) {
    HolJson j = {.put = cli_put, .to = stdout, .full = 1};
    hol_json_begin(&j, NULL, '{', HOL_JSON_LINES);
    hol_json_text(&j, "result", result);
    hol_json_bool(&j, "same", r->same);
    hol_json_text(&j, "message", r->text);
    hol_json_begin(&j, "warnings", '[', HOL_JSON_LINES);
    hol_json_lines(&j, r->remarks);
    hol_json_end(&j);
    hol_json_end(&j);
    putchar('\n');
}

int run_replay(const CliArgs *args) {
    const char *result = cli_value(args, "--replay");
    const int quiet = cli_value(args, "--quiet") != NULL;
    int code = replay_usage(args);
    if (code)
        return code;
    HolError err = {0};
    ReplayProgress progress = {.began = replay_seconds(),
                               .wanted = isatty(STDERR_FILENO) && !quiet};
    HolReplay r = hol_replay_options();
    r.output = cli_value(args, "--output");
    r.stop = run_job_stop_flag();
    r.step = replay_draw;
    r.user = &progress;
    run_job_catch_signals();
    const HolStatus status = hol_replay(result, &r, &err);
    if (progress.drawn > 0)
        fprintf(stderr, "\r\033[K");
    if (status == HOL_INTERRUPTED)
        fprintf(stderr, "holonom: interrupted, nothing was compared\n");
    else if (status)
        cli_report(&err);
    if (status)
        return cli_exit_code(status);
    if (cli_value(args, "--json"))
        replay_json(result, &r);
    replay_lines(r.remarks);
    if (!quiet || !r.same)
        fprintf(stderr, "%s: %s\n", result, r.text);
    return r.same ? CLI_OK : CLI_DIFFERENT;
}
