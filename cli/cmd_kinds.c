// SPDX-License-Identifier: Apache-2.0
// `holonom kinds`: every joint, force and method with its fields, printed from the library's
// tables.
#include "commands.h"

static int cmd_kinds_run(const CliArgs *args) {
    int markdown = cli_value(args, "--markdown") != NULL;
    int schema = cli_value(args, "--schema") != NULL;
    if (markdown && schema) {
        fprintf(stderr, "holonom kinds: choose one of --markdown and --schema\n");
        return CLI_USAGE;
    }
    hol_kinds_print(markdown ? HOL_KINDS_MARKDOWN
                    : schema ? HOL_KINDS_SCHEMA
                             : HOL_KINDS_TEXT,
                    cli_put, stdout);
    return CLI_OK;
}

static const CliOption options[] = {
    {"--markdown", NULL, NULL, NULL, "the reference of the model format (docs/format.md)"},
    {"--schema", NULL, NULL, NULL, "a JSON schema, for completion and checks in editors"},
    {0},
};

const CliCommand cli_kinds = {
    .name = "kinds",
    .arguments = "",
    .help = "list every joint, force and method with its fields",
    .options = options,
    .run = cmd_kinds_run,
};
