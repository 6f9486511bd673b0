// SPDX-License-Identifier: Apache-2.0
// `holonom reproduce`: the tables of the papers behind the methods, computed now.
#include "commands.h"

static int cmd_reproduce_run(const CliArgs *args) {
    const int markdown = cli_value(args, "--markdown") != NULL;
    const int json = cli_value(args, "--json") != NULL;
    HolError err;
    if (markdown && json) {
        fprintf(stderr, "holonom reproduce: choose one of --markdown and --json\n");
        return CLI_USAGE;
    }
    const HolStatus status =
        hol_reproduce(args->n_words ? args->words[0] : NULL, cli_value(args, "--quick") != NULL,
                      markdown ? HOL_REPRODUCE_MARKDOWN
                      : json   ? HOL_REPRODUCE_JSON
                               : HOL_REPRODUCE_TEXT,
                      cli_put, stdout, &err);
    if (status != HOL_OK)
        cli_report(&err);
    return cli_exit_code(status);
}

static const CliOption options[] = {
    {"--markdown", NULL, NULL, NULL, "tables in Markdown (docs/papers.md, docs/methods.md)"},
    {"--json", NULL, NULL, NULL, "machine-readable"},
    {"--quick", NULL, NULL, NULL, "leave out what takes more than a few seconds"},
    {0},
};

const CliCommand cli_reproduce = {
    .name = "reproduce",
    .arguments = "[PAPER]",
    .n_optional = 1,
    .help = "the papers' tables: printed, computed now, corrected",
    .more = "PAPER is 000, 001, 002, 003 or 004 (all of them when left out), or 'methods': every\n"
            "method measured on the same problems.",
    .options = options,
    .run = cmd_reproduce_run,
};
