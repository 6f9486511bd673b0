// SPDX-License-Identifier: Apache-2.0
// `holonom view`: the report page from stored results.
#include "commands.h"

#include <stdlib.h>
#include <string.h>

// RESULT.html for RESULT.csv
static char *default_path(const char *result) {
    size_t size = strlen(result) + 8;
    char *path = malloc(size);
    if (!path)
        return NULL;
    const char *slash = strrchr(result, '/'), *dot = strrchr(result, '.');
    size_t stem = dot && (!slash || dot > slash) ? (size_t)(dot - result) : strlen(result);
    snprintf(path, size, "%.*s.html", (int)stem, result);
    return path;
}

static int cmd_view_run(const CliArgs *args) {
    HolError err = {0};
    char remarks[2048];
    const char *given = cli_value(args, "--output");
    char *made = given ? NULL : default_path(args->words[0]);
    const char *path = given ? given : made;
    if (!path) {
        fprintf(stderr, "holonom: out of memory\n");
        return CLI_FAILED;
    }
    HolStatus status =
        hol_view_write(args->words, args->n_words, path, remarks, sizeof remarks, &err);
    if (remarks[0] && !cli_value(args, "--quiet"))
        fputs(remarks, stderr);
    if (status)
        cli_report(&err);
    else if (strcmp(path, "-") != 0)
        printf("%s\n", path);
    free(made);
    return cli_exit_code(status);
}

static const CliOption options[] = {
    {"--output", "-o", "FILE.html", "RESULT.html", "where the page goes; - is standard output"},
    {"--quiet", "-q", NULL, NULL, "no remarks"},
    {0},
};

const CliCommand cli_view = {
    .name = "view",
    .arguments = "RESULT...",
    .n_arguments = 1,
    .n_optional = 1000,
    .help = "a page with animation and charts from stored results, several overlaid",
    .more = "RESULT is FILE.h5, or FILE.csv with FILE.csv.json beside it, as 'holonom run -o' "
            "writes them.\nThe name of the page is printed. A result that leaves out positions of "
            "bodies (by outputs:)\nis completed by repeating its run.",
    .options = options,
    .run = cmd_view_run,
};
