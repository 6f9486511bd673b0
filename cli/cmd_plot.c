// SPDX-License-Identifier: Apache-2.0
// `holonom plot`: columns of stored results over time or over another column, as a picture for a paper. Columns with
// different units stand in panels of their own; results differ by their dashes.
#include "commands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RESULTS = 16, MOST_COLUMNS = 32, MOST_CURVES = 128 };

typedef struct Plotting {
    HolResult *results[MOST_RESULTS];
    int n_results;
    char names[MOST_COLUMNS][128];
    int n_names;
    HolCurve curves[MOST_COLUMNS][MOST_CURVES]; // a panel each
    HolPanel panels[MOST_COLUMNS];
    const char *units[MOST_COLUMNS];
    char labels[MOST_COLUMNS][160];
    char legend[MOST_CURVES][256];
    int n_legend;
    int n_panels;
    const char *x; // the column of the x axis, NULL: time
    char x_label[160];
    int markers;
} Plotting;

static int cmd_plot_find_column(const HolResult *r, const char *name) {
    for (int i = 0; i < hol_result_column_count(r); i++)
        if (strcmp(hol_result_column(r, i).name, name) == 0)
            return i;
    return -1;
}

static int cmd_plot_fail(const char *text, const char *word) {
    fprintf(stderr, "holonom plot: %s '%s'\n", text, word);
    return CLI_USAGE;
}

// a,b,"c" with commas inside brackets kept: interp(t,x) is one column
static int split_columns(Plotting *p, const char *list) {
    while (*list) {
        size_t n = 0;
        int depth = 0;
        while (list[n] && (list[n] != ',' || depth > 0)) {
            depth += list[n] == '(' || list[n] == '[';
            depth -= list[n] == ')' || list[n] == ']';
            n++;
        }
        if (p->n_names == MOST_COLUMNS || n >= sizeof p->names[0])
            return cmd_plot_fail("too many or too long columns", list);
        if (n > 0)
            snprintf(p->names[p->n_names++], sizeof p->names[0], "%.*s", (int)n, list);
        list += n + (list[n] == ',');
    }
    return p->n_names ? CLI_OK : cmd_plot_fail("no column in", list);
}

static int unknown_column(const HolResult *r, const char *path, const char *name) {
    int n = hol_result_column_count(r);
    const char **list = calloc((size_t)n + 1, sizeof *list);
    fprintf(stderr, "holonom plot: %s has no column '%s'", path, name);
    for (int i = 0; list && i < n; i++)
        list[i] = hol_result_column(r, i).name;
    const char *near = list ? cli_nearest(name, list) : NULL;
    if (near)
        fprintf(stderr, "; did you mean '%s'?", near);
    fputc('\n', stderr);
    if (!near)
        for (int i = 0; list && i < n; i++)
            fprintf(stderr, "%s%s", list[i], i + 1 < n ? (i % 8 == 7 ? ",\n" : ", ") : "\n");
    free(list);
    return CLI_USAGE;
}

// the panel of a unit, made when it is not there yet
static int panel_of(Plotting *p, const char *unit) {
    for (int k = 0; k < p->n_panels; k++)
        if (strcmp(p->units[k], unit) == 0)
            return k;
    p->units[p->n_panels] = unit;
    p->panels[p->n_panels].curves = p->curves[p->n_panels];
    return p->n_panels++;
}

static int add_curve(Plotting *p, int result, int name, const char *path) {
    const HolResult *r = p->results[result];
    int column = cmd_plot_find_column(r, p->names[name]);
    if (column < 0)
        return unknown_column(r, path, p->names[name]);
    const int x = p->x ? cmd_plot_find_column(r, p->x) : 0;
    if (x < 0)
        return unknown_column(r, path, p->x);
    HolColumn c = hol_result_column(r, column), over = hol_result_column(r, x);
    if (p->x && !p->x_label[0])
        snprintf(p->x_label, sizeof p->x_label, "%s%s%s", p->x,
                 over.unit && strcmp(over.unit, "1") ? " / " : "",
                 over.unit && strcmp(over.unit, "1") ? over.unit : "");
    HolPanel *panel = &p->panels[panel_of(p, c.unit && strcmp(c.unit, "1") != 0 ? c.unit : "")];
    if (p->n_legend == MOST_CURVES)
        return cmd_plot_fail("too many curves:", p->names[name]);
    char *label = p->legend[p->n_legend++];
    if (p->n_results > 1 && p->n_names > 1)
        snprintf(label, sizeof p->legend[0], "%s, %s", c.name, hol_result_label(r));
    else
        snprintf(label, sizeof p->legend[0], "%s", p->n_results > 1 ? hol_result_label(r) : c.name);
    // one column of several results: colours distinguish them, else dashes do
    HolCurve curve = {.label = label,
                      .x = hol_result_values(r, x),
                      .y = hol_result_values(r, column),
                      .n = hol_result_row_count(r),
                      .color = p->n_names > 1 ? name : result,
                      .dash = p->n_names > 1 ? result : 0,
                      .markers = p->markers};
    p->curves[panel - p->panels][panel->n_curves++] = curve;
    return CLI_OK;
}

static void name_panels(Plotting *p, int log) {
    for (int k = 0; k < p->n_panels; k++) {
        HolPanel *panel = &p->panels[k];
        const char *unit = p->units[k];
        int one = panel->n_curves == p->n_results && p->n_panels >= 1;
        // a panel with one column names it; its legend is needed for several results only
        const char *name = "";
        for (int i = 0; one && i < p->n_names; i++) {
            int column = cmd_plot_find_column(p->results[0], p->names[i]);
            const char *u = hol_result_column(p->results[0], column).unit;
            if (strcmp(u && strcmp(u, "1") != 0 ? u : "", unit) == 0)
                name = p->names[i];
        }
        snprintf(p->labels[k], sizeof p->labels[k], "%s%s%s", name, name[0] && unit[0] ? " / " : "",
                 unit);
        panel->label = p->labels[k];
        panel->log_y = log;
        if (one && p->n_results == 1)
            p->curves[k][0].label = NULL;
    }
}

static int number_option(const CliArgs *args, const char *name, double *value) {
    const char *text = cli_value(args, name);
    char *end;
    if (!text)
        return CLI_OK;
    *value = strtod(text, &end);
    return *end || end == text ? cmd_plot_fail("not a number:", text) : CLI_OK;
}

static int cmd_plot_draw(Plotting *p, const CliArgs *args) {
    double width = 0, height = 0;
    HolPlot plot = hol_plot();
    plot.x_label = p->x ? p->x_label : "time / s";
    plot.log_x = cli_value(args, "--log-x") != NULL;
    plot.equal = cli_value(args, "--equal") != NULL;
    plot.title = cli_value(args, "--title");
    int code = number_option(args, "--from", &plot.from);
    if (!code)
        code = number_option(args, "--to", &plot.to);
    if (!code)
        code = number_option(args, "--width", &width);
    if (!code)
        code = number_option(args, "--height", &height);
    if (code)
        return code;
    if (plot.from >= plot.to)
        return cmd_plot_fail("--to must lie behind --from:", cli_value(args, "--to"));
    if (!(width >= 0 && width < 10000 && height >= 0 && height < 10000))
        return cmd_plot_fail("a picture is at most 10000 pt wide and high:", "--width, --height");
    plot.width = (int)width;
    plot.height = (int)height;
    name_panels(p, cli_value(args, "--log") != NULL);
    plot.panels = p->panels;
    plot.n_panels = p->n_panels;
    HolError err = {0};
    HolStatus status = hol_plot_write(&plot, cli_value(args, "--output"), &err);
    if (status)
        cli_report(&err);
    return cli_exit_code(status);
}

static int cmd_plot_collect(Plotting *p, const CliArgs *args) {
    HolError err = {0};
    int code = split_columns(p, cli_value(args, "--columns"));
    p->x = cli_value(args, "--x");
    p->markers = cli_value(args, "--points") ? 2 : 0;
    const HolStatus apart = code ? HOL_OK : cli_files_apart(args, NULL, &err);
    if (apart) {
        cli_report(&err);
        return cli_exit_code(apart);
    }
    for (int i = 0; !code && i < args->n_words; i++) {
        HolStatus status = hol_result_read(args->words[i], &p->results[i], &err);
        cli_remark(status ? "" : hol_result_remark(p->results[i]));
        if (status)
            cli_report(&err);
        code = cli_exit_code(status);
        p->n_results++;
    }
    for (int k = 0; !code && k < p->n_names; k++)
        for (int i = 0; !code && i < p->n_results; i++)
            code = add_curve(p, i, k, args->words[i]);
    return code;
}

static int cmd_plot_run(const CliArgs *args) {
    if (!cli_value(args, "--columns") || !cli_value(args, "--output"))
        return cmd_plot_fail("give the columns and the picture:", "--columns a,b -o FILE.svg");
    if (args->n_words > MOST_RESULTS)
        return cmd_plot_fail("too many results:", args->words[MOST_RESULTS]);
    Plotting *p = calloc(1, sizeof *p);
    if (!p) {
        fprintf(stderr, "holonom: out of memory\n");
        return CLI_FAILED;
    }
    int code = cmd_plot_collect(p, args);
    if (!code)
        code = cmd_plot_draw(p, args);
    for (int i = 0; i < p->n_results; i++)
        hol_result_destroy(p->results[i]);
    free(p);
    return code;
}

static const CliOption options[] = {
    {"--columns", "-c", "A,B,...", NULL, "columns of the results; units get panels of their own"},
    {"--output", "-o", "FILE", NULL,
     "the picture, FILE.svg or FILE.png; - is standard output (SVG)"},
    {"--x", NULL, "COLUMN", "time", "the column of the x axis: a path, a phase plane"},
    {"--equal", NULL, NULL, NULL, "a unit is as long in x as in y (columns of one unit)"},
    {"--points", NULL, NULL, NULL, "a mark for every row in place of lines"},
    {"--log", NULL, NULL, NULL, "logarithmic y axes"},
    {"--log-x", NULL, NULL, NULL, "logarithmic x axis"},
    {"--from", NULL, "T", NULL, "first time [s] or value of the x axis shown"},
    {"--to", NULL, "T", NULL, "the last one"},
    {"--title", NULL, "TEXT", NULL, "a title above the picture"},
    {"--width", NULL, "PT", "480", "width [pt]"},
    {"--height", NULL, "PT", "300 for one panel", "height [pt]"},
    {0},
};

const CliCommand cli_plot = {
    .name = "plot",
    .arguments = "RESULT...",
    .n_arguments = 1,
    .n_optional = 1000,
    .help = "columns of stored results over time or another column as SVG or PNG, for papers",
    .more = "RESULT is FILE.csv or FILE.h5; several are drawn into one picture. Units are known "
            "from\nHDF5 files and from a CSV file's FILE.csv.json.",
    .options = options,
    .run = cmd_plot_run,
};
