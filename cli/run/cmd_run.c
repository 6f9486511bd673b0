// SPDX-License-Identifier: Apache-2.0
// `holonom run`: its options, and the messages about the run. The run itself: run_job.c.
#include "commands.h"
#include "run/run_checkpoint.h"
#include "run/run_job.h"
#include "run/run_replay.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int cmd_run_is_stdout(const char *file) {
    return file && strcmp(file, "-") == 0;
}

static const char *usage_problem(const CliArgs *args) {
    const char *file = cli_value(args, "--output"), *report = cli_value(args, "--report");
    if (cli_value(args, "--step") && cli_value(args, "--tolerance"))
        return "--step fixes the step and --tolerance controls it: give one of them";
    if (cli_value(args, "--accuracy") && cli_value(args, "--tolerance"))
        return "--accuracy chooses the tolerance: give one of them";
    if (cmd_run_is_stdout(file) && cli_value(args, "--json"))
        return "'-o -' and --json both want standard output: give -o a file name";
    if (cmd_run_is_stdout(report) && cli_value(args, "--json"))
        return "'--report -' and --json both want standard output: give --report a file name";
    return run_checkpoint_usage(args);
}

// the exit code, 0: all is well
static int wrong_usage(const CliArgs *args) {
    const char *problem = usage_problem(args);
    if (problem)
        fprintf(stderr, "holonom run: %s\n", problem);
    HolError err = {0};
    const HolStatus status = problem ? HOL_OK : cli_files_apart(args, NULL, &err);
    if (status)
        cli_report(&err);
    return problem ? CLI_USAGE : cli_exit_code(status);
}

static void cmd_run_tell(const RunJob *r, const CliArgs *args) {
    const RunSummary *out = &r->out;
    const int ran = r->begun,
              early = out->status && out->status != HOL_INACCURATE && out->status != HOL_EVENT;
    if (ran && !cli_value(args, "--quiet"))
        run_summary_print(out, stderr);
    if (ran)
        run_summary_warnings(out, stderr);
    if (early)
        cli_report(&out->err);
    run_checkpoint_tell(r, stderr);
    if (ran && early && (r->rows > 0 || r->checkpoint) && out->file &&
        !(r->checkpoint && run_checkpoint_left(r)) && out->status != HOL_ERR_FILE &&
        strcmp(out->file, "-") != 0)
        fprintf(stderr, "holonom: results up to t = %.9g s are in %s\n", out->t_reached, out->file);
    if (cli_value(args, "--json"))
        run_summary_json(out, stdout);
}

static int cmd_run_run(const CliArgs *args) {
    if (cli_value(args, "--replay"))
        return run_replay(args);
    if (args->n_words == 0)
        return cli_usage_error(args->command, "missing argument", args->command->arguments);
    const int wrong = wrong_usage(args);
    if (wrong)
        return wrong;
    RunJob *r = calloc(1, sizeof *r);
    if (!r) {
        fprintf(stderr, "holonom: out of memory\n");
        return CLI_FAILED;
    }
    run_job_catch_signals();
    r->out.path = args->words[0];
    r->progress = isatty(STDERR_FILENO) && !cli_value(args, "--quiet");
    r->progress_lines = cli_value(args, "--progress") != NULL;
    run_job_run(r, args);
    cmd_run_tell(r, args);
    int code = cli_exit_code(r->out.status);
    run_job_free(r);
    return code;
}

static const CliOption options[] = {
    {"--method", NULL, "NAME", "the model's, or tangent", "integration method ('holonom kinds')"},
    {"--set", NULL, "KEY=VALUE", NULL,
     "change a parameter or an option, such as L=2, method.beta=1/4"},
    {"--input", NULL, "NAME=FILE.csv", NULL,
     "an input of the model from columns 'time' and NAME, linear between rows"},
    {"--step", NULL, "H", NULL, "fixed step size [s]"},
    {"--tolerance", NULL, "TOL", "1e-6", "control the step by the local error instead"},
    {"--accuracy", NULL, "A", NULL,
     "error of the results, as a part of their size: chooses the tolerance, and certifies"},
    {"--certify", NULL, NULL, NULL, "a second run beside it bounds the error of every result"},
    {"--end", NULL, "T", "the model's", "end time [s]"},
    {"--output-step", NULL, "DT", "every step", "spacing of the results [s]"},
    {"--output", "-o", "FILE", NULL, "results, FILE.csv or FILE.h5; - is standard output (CSV)"},
    {"--checkpoint", NULL, "FILE", NULL,
     "keep the run in FILE and its rows in OUTPUT.part, so that it outlives its process"},
    {"--every", NULL, "SECONDS", "60", "time between two checkpoints; 0: after every step"},
    {"--resume", NULL, "FILE", NULL,
     "go on from a checkpoint: the same command line, the same bits as without a break"},
    {"--replay", NULL, "RESULT", NULL,
     "in place of MODEL: repeat a stored result from its manifest and compare every bit"},
    {"--cache", NULL, "DIR", NULL, "keep what is computed of modal bodies in this folder"},
    {"--within", NULL, "DIR", NULL,
     "read files that the model names from this folder and below, and from nowhere else"},
    {"--report", NULL, "FILE.html", NULL, "a page with animation and charts; - is standard output"},
    {"--json", NULL, NULL, NULL, "print one object about the run on standard output"},
    {"--quiet", "-q", NULL, NULL, "no summary and no progress line"},
    {"--yes", NULL, NULL, NULL,
     "also a run of more than 1e9 steps, 1e8 rows or 1e7 switches of time, which is refused"},
    {"--progress", NULL, NULL, NULL,
     "lines 'progress TIME END STEP' on standard error, for programs that watch"},
    {0},
};

const CliCommand cli_run = {
    .name = "run",
    .arguments = "MODEL",
    .n_optional = 1,
    .help = "simulate a model: motion, reactions, energy, constraint residuals",
    .more =
        "MODEL is a YAML or JSON file, or - for standard input. Without -o and --json the results\n"
        "go to standard output as CSV, unless that is a terminal. --replay RESULT exits with 0 "
        "when\n"
        "the result is repeated bit by bit, with 1 when not; -o keeps what was repeated.",
    .options = options,
    .run = cmd_run_run,
};
