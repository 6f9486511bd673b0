// SPDX-License-Identifier: Apache-2.0
// `holonom diff`: where and when two stored results part, column by column.
#include "commands.h"

#include <holonom/json.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void cmd_diff_names(const char *title, const char *const *names, int n) {
    enum { WIDTH = 76 };
    int at = n ? printf("  %-13s", title) : 0;
    for (int i = 0; i < n; i++) {
        if (at + (int)strlen(names[i]) > WIDTH)
            at = printf("\n  %-13s", "") - 1;
        at += printf("%s%s", names[i], i + 1 < n ? ", " : "\n");
    }
}

static void cmd_diff_lines(const char *text) {
    while (*text) {
        const size_t length = strcspn(text, "\n");
        printf("  %.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

// the columns that are apart; those that describe the run are told by --json
static void cmd_diff_table(const HolDiff *d) {
    int shown = 0;
    for (int i = 0; i < d->n_columns; i++) {
        const HolDiffColumn *c = &d->columns[i];
        if (!c->judged || isnan(c->first_time))
            continue;
        if (shown++ == 0)
            printf("  %-28s %14s %14s %14s %12s\n", "column", "parts at [s]", "most", "at [s]",
                   "of its size");
        printf("  %-28s %14.9g %14.6g %14.9g %12.3g\n", c->name, c->first_time, c->max, c->at,
               c->max / c->scale);
    }
}

static void cmd_diff_text(const CliArgs *args, const HolDiff *d) {
    printf("%s and %s: %s\n", args->words[0], args->words[1], d->text);
    printf("  compared      %d column%s at %ld times from %.9g to %.9g s", d->n_columns,
           d->n_columns == 1 ? "" : "s", d->rows, d->from, d->to);
    printf(d->tolerance > 0 ? ", tolerance %g\n" : ", every bit counts\n", d->tolerance);
    cmd_diff_table(d);
    cmd_diff_names("only first", d->only_first, d->n_only_first);
    cmd_diff_names("only second", d->only_second, d->n_only_second);
    cmd_diff_lines(d->remarks);
}

static void cmd_diff_json_names(HolJson *j, const char *key, const char *const *names, int n) {
    hol_json_begin(j, key, '[', HOL_JSON_ROW);
    for (int i = 0; i < n; i++)
        hol_json_text(j, NULL, names[i]);
    hol_json_end(j);
}

static void cmd_diff_json(const HolDiff *d) {
    HolJson j = {.put = cli_put, .to = stdout, .full = 1};
    hol_json_begin(&j, NULL, '{', HOL_JSON_LINES);
    hol_json_bool(&j, "within", d->within);
    hol_json_number(&j, "tolerance", d->tolerance);
    hol_json_number(&j, "from", d->from);
    hol_json_number(&j, "to", d->to);
    hol_json_integer(&j, "rows", d->rows);
    hol_json_integer(&j, "interpolated", d->interpolated);
    hol_json_begin(&j, "columns", '[', HOL_JSON_LINES);
    for (int i = 0; i < d->n_columns; i++) {
        const HolDiffColumn *c = &d->columns[i];
        hol_json_begin(&j, NULL, '{', HOL_JSON_ROW);
        hol_json_text(&j, "name", c->name);
        hol_json_number(&j, "first_time", c->first_time);
        hol_json_number(&j, "max", c->max);
        hol_json_number(&j, "at", c->at);
        hol_json_number(&j, "size", c->scale);
        hol_json_number(&j, "interpolation", c->between);
        hol_json_bool(&j, "judged", c->judged);
        hol_json_end(&j);
    }
    hol_json_end(&j);
    cmd_diff_json_names(&j, "only_first", d->only_first, d->n_only_first);
    cmd_diff_json_names(&j, "only_second", d->only_second, d->n_only_second);
    hol_json_begin(&j, "remarks", '[', HOL_JSON_LINES);
    hol_json_lines(&j, d->remarks);
    hol_json_end(&j);
    hol_json_text(&j, "message", d->text);
    hol_json_end(&j);
    putchar('\n');
}

static int cmd_diff_tolerance(const CliArgs *args, double *out) {
    const char *text = cli_value(args, "--tolerance");
    char *end;
    if (!text)
        return 1;
    *out = strtod(text, &end);
    if (end != text && !*end && *out >= 0 && isfinite(*out))
        return 1;
    fprintf(stderr, "holonom diff: --tolerance wants a number that is not negative, not '%s'\n",
            text);
    return 0;
}

static int cmd_diff_run(const CliArgs *args) {
    double tolerance = 0;
    if (!cmd_diff_tolerance(args, &tolerance))
        return CLI_USAGE;
    HolResult *results[2] = {0};
    HolDiff *d = NULL;
    HolError err = {0};
    HolStatus status = HOL_OK;
    for (int i = 0; !status && i < 2; i++)
        if (!(status = hol_result_read(args->words[i], &results[i], &err)))
            cli_remark(hol_result_remark(results[i]));
    if (!status)
        status = hol_diff(results[0], results[1], tolerance, &d, &err);
    int code = cli_exit_code(status);
    if (status) {
        cli_report(&err);
    } else {
        if (cli_value(args, "--json"))
            cmd_diff_json(d);
        else
            cmd_diff_text(args, d);
        code = d->within ? CLI_OK : CLI_DIFFERENT;
    }
    hol_diff_destroy(d);
    for (int i = 0; i < 2; i++)
        hol_result_destroy(results[i]);
    return code;
}

static const CliOption options[] = {
    {"--tolerance", NULL, "TOL", "0, every bit counts",
     "differences up to this part of a column's size do not count"},
    {"--json", NULL, NULL, NULL, "print one object on standard output"},
    {0},
};

const CliCommand cli_diff = {
    .name = "diff",
    .arguments = "RESULT RESULT",
    .n_arguments = 2,
    .help = "where and when two stored results part, column by column",
    .more = "RESULT is FILE.csv or FILE.h5, in any mix. Results with other times are interpolated "
            "where\nthat is needed, and it is said. Exit: 0 within the tolerance, 1 not.",
    .options = options,
    .run = cmd_diff_run,
};
