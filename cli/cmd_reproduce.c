// SPDX-License-Identifier: Apache-2.0
// `holonom reproduce`: the tables of the papers behind the methods, computed now.
#include "commands.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static void cmd_reproduce_drawn(void *to, const char *path, const char *title) {
    fprintf(to, "%s: %s\n", path, title);
    fflush(to);
}

static int cmd_reproduce_figures(const CliArgs *args) {
    const char *dir = cli_value(args, "--figures");
    HolError err;
    if (mkdir(dir, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "holonom reproduce: the folder '%s' cannot be made: %s\n", dir,
                strerror(errno));
        return CLI_FILE;
    }
    const HolStatus status =
        hol_reproduce_figures(args->n_words ? args->words[0] : NULL, dir,
                              cli_value(args, "--png") != NULL, cmd_reproduce_drawn, stdout, &err);
    if (status != HOL_OK)
        cli_report(&err);
    return cli_exit_code(status);
}

static int cmd_reproduce_run(const CliArgs *args) {
    const int markdown = cli_value(args, "--markdown") != NULL;
    const int json = cli_value(args, "--json") != NULL;
    HolError err;
    if (cli_value(args, "--png") && !cli_value(args, "--figures")) {
        fprintf(stderr, "holonom reproduce: --png belongs to --figures DIR\n");
        return CLI_USAGE;
    }
    if (cli_value(args, "--figures"))
        return cmd_reproduce_figures(args);
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
    {"--figures", NULL, "DIR", NULL,
     "draw the papers' curve figures into DIR/PAPER-figNUMBER.svg in place of tables"},
    {"--png", NULL, NULL, NULL, "with --figures: also as PNG"},
    {"--quick", NULL, NULL, NULL, "leave out what takes more than a few seconds"},
    {0},
};

const CliCommand cli_reproduce = {
    .name = "reproduce",
    .arguments = "[PAPER]",
    .words_are_names = 1,
    .n_optional = 1,
    .help = "the papers' tables: printed, computed now, corrected",
    .more = "PAPER is 000, 001, 002, 003 or 004 (all of them when left out), or 'methods': every\n"
            "method measured on the same problems.",
    .options = options,
    .run = cmd_reproduce_run,
};
