// SPDX-License-Identifier: Apache-2.0
// Stored results read back, the page made from them, and plots: numbers are those of the run,
// pictures show the points where they belong, nothing is left half written.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "io/result/read_result.h"
#include "tools/plot/plot.h"
#include "tools/report/report.h"

#include <dirent.h>
#include <math.h>
#include <unistd.h>
#ifdef HOL_HAVE_ZLIB
#include <zlib.h>
#endif

static char place[64] = "/tmp/holonom-plot-XXXXXX";

static const char *const model_text =
    "holonom: 1\n"
    "name: \"Rod \\\"A\\\" </script>\"\n"
    "space: planar\n"
    "gravity: [0, -9.81]\n"
    "parameters: {L: 1}\n"
    "ground: {points: {O: [0, 0]}}\n"
    "bodies:\n"
    "  - {name: rod, mass: 1, inertia: \"L^2/12\", position: [\"L/2\", 0], points: {top: "
    "[\"-L/2\", 0]}}\n"
    "joints:\n"
    "  - {name: O, type: revolute, between: [ground.O, rod.top]}\n"
    "%s"
    "simulation: {end: 1, step: 0.01, method: {name: tangent, scheme: hermite}}\n";

typedef struct Table {
    double row[128][32];
    int rows, columns;
} Table;

typedef struct Storing {
    Table *kept;
    HolResultWriter *writer;
} Storing;

static HolStatus store_row(void *user, HolSim *s, int what, double t, HolError *err) {
    Storing *to = user;
    if (what != HOL_AT_ROW)
        return HOL_OK;
    double *row = to->kept->row[to->kept->rows++];
    HolStatus status = hol_sim_row(s, t, row, err);
    return status ? status : hol_result_row(to->writer, row, err);
}

// a run stored at `path`; what was written is kept in `kept`
static void store(const char *path, const char *outputs, const HolSetting *settings, int n,
                  Table *kept) {
    char text[2048];
    HolError err;
    HolModel *model;
    HolSimOptions options;
    HolSim *sim;
    HolResultWriter *writer;
    HolCheck check;
    snprintf(text, sizeof text, model_text, outputs);
    assert_int_equal(
        hol_model_parse(text, strlen(text), "rod.yaml", settings, n, &model, &options, &err),
        HOL_OK);
    assert_int_equal(hol_sim_create(model, &options, &sim, &err), HOL_OK);
    assert_int_equal(hol_sim_assemble(sim, &err), HOL_OK);
    assert_int_equal(hol_sim_check(sim, &check, &err), HOL_OK);
    assert_int_equal(hol_result_open(path, model, &options, &writer, &err), HOL_OK);
    kept->columns = hol_model_column_count(model);
    kept->rows = 0;
    Storing storing = {kept, writer};
    assert_int_equal(hol_sim_run(sim, options.end, store_row, &storing, &err), HOL_OK);
    HolStats stats = hol_sim_stats(sim);
    hol_result_summary(writer, &stats, &check, HOL_OK, NULL);
    hol_model_destroy(NULL);
    hol_sim_destroy(sim);
    hol_model_destroy(model); // the writer must not need it any more
    assert_int_equal(hol_result_close(writer, 1, &err), HOL_OK);
}

static void check_stored(const char *path) {
    static Table kept;
    HolError err;
    HolResult *r;
    store(path, "", &(HolSetting){"L", "2*0.6"}, 1, &kept);
    if (hol_result_read(path, &r, &err))
        fail_msg("%s", err.text);
    assert_int_equal(hol_result_column_count(r), kept.columns);
    assert_int_equal(hol_result_row_count(r), kept.rows);
    for (int c = 0; c < kept.columns; c++)
        for (int i = 0; i < kept.rows; i++) {
            double a = hol_result_values(r, c)[i], b = kept.row[i][c];
            assert_true(a == b || (isnan(a) && isnan(b)));
        }
    assert_string_equal(hol_result_column(r, 0).name, "time");
    assert_string_equal(hol_result_column(r, 0).unit, "s");
    assert_string_equal(hol_result_column(r, 1).unit, "m");
    assert_string_equal(hol_result_title(r), "Rod \"A\" </script>");
    assert_string_equal(hol_result_label(r), "tangent hermite, step 0.01 s, L = 2*0.6");
    const HolManifest *m = &r->manifest;
    assert_int_equal(m->n_settings, 1);
    assert_string_equal(m->settings[0].value, "2*0.6");
    assert_true(m->has_options && m->has_stats && m->has_check);
    assert_true(m->options.step == 0.01 && m->options.end == 1);
    assert_true(isnan(m->options.method.beta));
    assert_string_equal(m->options.method.scheme, "hermite");
    assert_int_equal(m->stats.steps, 100);
    // a row a step: together they tell all Newton iterations
    double iterations = 0;
    for (int i = 0; i < kept.rows; i++)
        iterations += hol_result_values(r, hol_result_find(r, "step.iterations"))[i];
    assert_true(iterations > 100 && iterations == (double)m->stats.newton_iterations);
    assert_int_equal(m->check.dof, 1);
    assert_string_equal(m->status, "ok");
    hol_result_destroy(r);
}

static void test_round_trip(void **state) {
    (void)state;
    check_stored("trip.csv");
    assert_int_equal(access("trip.csv.json", R_OK), 0);
#ifdef HOL_HAVE_HDF5
    check_stored("trip.h5");
#endif
}

static void write_text(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void expect_error(const char *path, const char *piece) {
    HolError err;
    HolResult *r;
    assert_true(hol_result_read(path, &r, &err) < 0);
    assert_null(r);
    if (!strstr(err.text, piece))
        fail_msg("'%s' is not in: %s", piece, err.text);
}

static void test_foreign_files(void **state) {
    (void)state;
    HolError err;
    HolResult *r;
    write_text("plain.csv", "time,\"a,\"\"b\"\"\",c\r\n0, 1.5 ,nan\r\n1,-inf,2e-3\r\n");
    assert_int_equal(hol_result_read("plain.csv", &r, &err), HOL_OK);
    assert_int_equal(hol_result_row_count(r), 2);
    assert_string_equal(hol_result_column(r, 1).name, "a,\"b\"");
    assert_string_equal(hol_result_column(r, 1).unit, "");
    assert_string_equal(hol_result_label(r), "plain.csv");
    assert_true(hol_result_values(r, 1)[0] == 1.5 && hol_result_values(r, 1)[1] == -INFINITY);
    assert_true(isnan(hol_result_values(r, 2)[0]) && hol_result_values(r, 2)[1] == 2e-3);
    hol_result_destroy(r);
    write_text("short.csv", "time,a,b\n0,1\n");
    expect_error("short.csv", "line 2");
    write_text("long.csv", "time,a\n0,1\n1,2,3\n");
    expect_error("long.csv", "line 3");
    write_text("word.csv", "time,a\n0,x\n");
    expect_error("word.csv", "should be a number");
    write_text("other.csv", "a,b\n0,1\n");
    expect_error("other.csv", "not 'time'");
    write_text("empty.csv", "time,a\n");
    expect_error("empty.csv", "no rows");
    write_text("broken.csv", "time\n0\n");
    write_text("broken.csv.json", "{\"holonom_result\": 2}");
    expect_error("broken.csv", "no manifest");
    expect_error("missing.csv", "No such file");
    expect_error("some.txt", "must end in");
#ifdef HOL_HAVE_HDF5
    write_text("text.h5", "time\n0\n");
    expect_error("text.h5", "no HDF5");
#endif
}

// ---- the page ----

static char *read_all(const char *path, size_t *length) {
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    rewind(f);
    char *text = calloc((size_t)size + 1, 1);
    assert_int_equal(fread(text, 1, (size_t)size, f), size);
    fclose(f);
    if (length)
        *length = (size_t)size;
    return text;
}

static int count(const char *text, const char *piece) {
    int n = 0;
    for (const char *p = text; (p = strstr(p, piece)); p++)
        n++;
    return n;
}

static void test_view(void **state) {
    (void)state;
    static Table kept;
    HolError err;
    char remarks[1024];
    if (hol_report_template_size == 0)
        skip();
    store("one.csv", "", NULL, 0, &kept);
    store("two.csv", "outputs: [rod.angle, \"2*rod.y\", energy.total]\n", &(HolSetting){"L", "2"},
          1, &kept);
    const char *both[] = {"one.csv", "two.csv"};
    if (hol_view_write(both, 2, "both.html", remarks, sizeof remarks, &err))
        fail_msg("%s", err.text);
    // the second has no rod.x: it was run again, and gave the same
    assert_null(strstr(remarks, "one.csv"));
    assert_non_null(strstr(remarks, "two.csv leaves out positions"));
    assert_non_null(strstr(remarks, "agree within 0 of"));
    char *page = read_all("both.html", NULL);
    assert_int_equal(count(page, "\"label\":\"tangent hermite, step 0.01 s"), 2);
    assert_int_equal(count(page, "L = 2\""), 1);
    assert_int_equal(count(page, "<script type=\"application/octet-stream\""), 2);
    assert_int_equal(count(page, "\"name\":\"2*rod.y\""), 1);
    assert_int_equal(count(page, "Newton iterations"), 2);
    free(page);
    // results of a changed model are told, not believed
    FILE *f = fopen("two.csv", "a");
    fputs("1.001,0,0,0\n", f);
    fclose(f);
    const char *changed[] = {"two.csv"};
    HolStatus status = hol_view_write(changed, 1, "changed.html", remarks, sizeof remarks, &err);
    assert_true(status != HOL_OK || !strstr(remarks, "agree within 0 of"));
    write_text("alone.csv", "time,rod.x\n0,1\n");
    const char *alone[] = {"alone.csv"};
    assert_int_equal(hol_view_write(alone, 1, "alone.html", NULL, 0, &err), HOL_ERR_FILE);
    assert_non_null(strstr(err.text, "alone.csv.json"));
    assert_int_equal(hol_view_write(both, 1, "no/such/place.html", NULL, 0, &err), HOL_ERR_FILE);
}

// ---- plots ----

static const double xs[] = {0, 1, 2, 3, 4}, ys[] = {0, 10, NAN, 30, 40};

static HolPlot simple_plot(HolPanel *panel, HolCurve *curve) {
    *curve = (HolCurve){.label = "a<b & c", .x = xs, .y = ys, .n = 5};
    *panel = (HolPanel){.label = "x / m", .curves = curve, .n_curves = 1};
    HolPlot plot = hol_plot();
    plot.title = "Title";
    plot.x_label = "time / s";
    plot.panels = panel;
    plot.n_panels = 1;
    return plot;
}

static void test_svg(void **state) {
    (void)state;
    HolCurve curve;
    HolPanel panel;
    HolError err;
    HolPlot plot = simple_plot(&panel, &curve);
    assert_int_equal(hol_plot_write(&plot, "a.svg", &err), HOL_OK);
    char *svg = read_all("a.svg", NULL);
    assert_non_null(strstr(svg, "<svg xmlns"));
    assert_non_null(strstr(svg, ">time / s</text>"));
    assert_non_null(strstr(svg, ">x / m</text>"));
    assert_non_null(strstr(svg, ">a&lt;b &amp; c</text>"));
    assert_non_null(strstr(svg, ">40</text>"));
    // the gap splits the curve; both pieces lie on one straight line
    double p[4][2];
    const char *first = strstr(svg, "stroke=\"#1f6fb5\" stroke-width=\"1.2\"");
    assert_non_null(first);
    const char *second = strstr(first + 1, "stroke=\"#1f6fb5\" stroke-width=\"1.2\"");
    assert_non_null(second);
    for (int k = 0; k < 2; k++)
        assert_int_equal(sscanf(strstr(k ? second : first, "d=\"M"), "d=\"M%lf %lfL%lf %lf\"",
                                &p[2 * k][0], &p[2 * k][1], &p[2 * k + 1][0], &p[2 * k + 1][1]),
                         4);
    double slope = (p[1][1] - p[0][1]) / (p[1][0] - p[0][0]);
    assert_true(slope < 0); // up is smaller y
    for (int k = 2; k < 4; k++)
        assert_true(fabs(p[k][1] - p[0][1] - slope * (p[k][0] - p[0][0])) < 0.05);
    assert_true(fabs(p[3][0] - p[0][0] - 4 * (p[1][0] - p[0][0])) < 0.05);
    free(svg);
    // a part of the time
    plot.from = 3;
    plot.to = 4;
    assert_int_equal(hol_plot_write(&plot, "a.svg", &err), HOL_OK);
    svg = read_all("a.svg", NULL);
    assert_null(strstr(svg, ">10</text>"));
    assert_non_null(strstr(svg, ">3.4</text>"));
    free(svg);
}

// many points are reduced, and a spike of one of them survives
// numbers of many digits must not run into the label of their axis
static void test_long_numbers(void **state) {
    (void)state;
    static const double long_ys[] = {158.88821, 158.88824, 158.88822, 158.88830, 158.88835};
    HolPanel panel;
    HolCurve curve;
    HolPlot plot = simple_plot(&panel, &curve);
    HolError err;
    curve.y = long_ys;
    assert_int_equal(hol_plot_write(&plot, "long.svg", &err), HOL_OK);
    char *text = read_all("long.svg", NULL);
    int found = 0;
    for (char *t = text; (t = strstr(t, "<text x=\"")); t++) {
        char *end = strstr(t, "</text>"), *number = strstr(t, ">158.88");
        if (!strstr(t, "text-anchor=\"end\"") || !number || number > end)
            continue;
        double x = strtod(t + 9, NULL), width = 0.5 * 9 * (double)(end - number - 1);
        assert_true(x - width > 20); // the label's letters end at 17 pt
        found++;
    }
    assert_true(found >= 3);
    free(text);
}

static void test_reduction(void **state) {
    (void)state;
    enum { N = 300000 };
    double *x = calloc(N, sizeof *x), *y = calloc(N, sizeof *y);
    for (int i = 0; i < N; i++) {
        x[i] = i;
        y[i] = sin(1e-3 * i);
    }
    y[123456] = 50;
    HolError err;
    HolCurve curve = {.x = x, .y = y, .n = N};
    HolPanel panel = {.curves = &curve, .n_curves = 1};
    HolPlot plot = hol_plot();
    plot.panels = &panel;
    plot.n_panels = 1;
    assert_int_equal(hol_plot_write(&plot, "many.svg", &err), HOL_OK);
    size_t length;
    char *svg = read_all("many.svg", &length);
    assert_true(length < 150000);
    double highest = 1e9, top = 1e9;
    for (const char *p = strchr(strstr(svg, "stroke=\"#1f6fb5\""), 'L'); p && *p == 'L';) {
        double u, v;
        int used;
        assert_int_equal(sscanf(p + 1, "%lf %lf%n", &u, &v, &used), 2);
        highest = fmin(highest, v);
        if (u > 300)
            top = fmin(top, v);
        p += used + 1;
        p += strspn(p, "\n");
    }
    assert_true(highest < top - 50);
    free(svg);
    free(x);
    free(y);
}

static uint32_t number(const unsigned char *p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void test_png(void **state) {
    (void)state;
    HolCurve curve;
    HolPanel panel;
    HolError err;
    HolPlot plot = simple_plot(&panel, &curve);
    plot.width = 300;
    plot.height = 200;
    plot.scale = 2;
    assert_int_equal(hol_plot_write(&plot, "a.png", &err), HOL_OK);
    size_t length;
    unsigned char *png = (unsigned char *)read_all("a.png", &length);
    assert_memory_equal(png, "\x89PNG\r\n\x1a\n", 8);
    assert_int_equal(number(png + 16), 600);
    assert_int_equal(number(png + 20), 400);
#ifdef HOL_HAVE_ZLIB
    // every chunk's sum is right; the data unpack to the whole image
    unsigned char *image = NULL;
    uLongf size = (600 * 3 + 1) * 400;
    for (size_t at = 8; at < length;) {
        uint32_t n = number(png + at);
        assert_int_equal(crc32(0, png + at + 4, n + 4), number(png + at + 8 + n));
        if (memcmp(png + at + 4, "IDAT", 4) == 0) {
            image = calloc(size, 1);
            assert_int_equal(uncompress(image, &size, png + at + 8, n), Z_OK);
        }
        at += 12 + n;
    }
    assert_int_equal(size, (600 * 3 + 1) * 400);
    long blue = 0, dark = 0;
    for (size_t y = 1; y < 400; y++) // each row is stored as its difference from the one above
        for (size_t i = 1; i <= 1800; i++)
            image[y * 1801 + i] = (unsigned char)(image[y * 1801 + i] + image[(y - 1) * 1801 + i]);
    for (size_t y = 0; y < 400; y++)
        for (size_t x = 0; x < 600; x++) {
            const unsigned char *p = image + y * 1801 + 1 + 3 * x;
            blue += p[0] == 0x1f && p[1] == 0x6f && p[2] == 0xb5;
            dark += p[0] < 128 && p[1] < 128 && p[2] < 128;
        }
    assert_in_range(blue, 200, 4000);   // the curve
    assert_in_range(dark, 1500, 20000); // frame and letters
    free(image);
#endif
    free(png);
}

static void test_axes(void **state) {
    (void)state;
    HolAxis a;
    hol_axis_make(&a, 0, 0.03, 0, 0, 6);
    assert_string_equal(a.label[1], "0.005");
    assert_int_equal(a.n, 7);
    hol_axis_make(&a, -2.5e-7, 2.5e-7, 0, 0, 4);
    assert_string_equal(a.label[a.n - 1], "2e\xe2\x88\x92"
                                          "7");
    hol_axis_make(&a, -4, 6, 0, 0, 5);
    assert_string_equal(a.label[0], "\xe2\x88\x92"
                                    "4");
    hol_axis_make(&a, log10(3e-5), log10(40), 1, 0.05, 8);
    assert_true(a.min == -5 && a.max == 2);
    assert_string_equal(a.label[0], "10^\xe2\x88\x92"
                                    "5");
    assert_true(a.n_minor > 40);
    hol_axis_make(&a, 5, 5, 0, 0.05, 5); // one value
    assert_true(a.min < 5 && a.max > 5 && a.n >= 2);
    hol_axis_make(&a, INFINITY, -INFINITY, 0, 0.05, 5); // nothing
    assert_true(a.min < a.max);
    // letters have a width, unknown ones too
    assert_true(hol_font_text("mm", NULL, NULL) > 1.9 * hol_font_text("m", NULL, NULL) - 1e-9);
    assert_true(hol_font_text("\xf0\x9f\x98\x80", NULL, NULL) > 0);
    assert_true(hol_font_text("10^5", NULL, NULL) < hol_font_text("105", NULL, NULL));
}

static void test_plot_errors(void **state) {
    (void)state;
    HolCurve curve;
    HolPanel panel;
    HolError err;
    HolPlot plot = simple_plot(&panel, &curve);
    assert_int_equal(hol_plot_write(&plot, "a.pdf", &err), HOL_ERR_INPUT);
    assert_int_equal(hol_plot_write(&plot, "no/such/a.svg", &err), HOL_ERR_FILE);
    plot.n_panels = 0;
    assert_int_equal(hol_plot_write(&plot, "none.svg", &err), HOL_ERR_INPUT);
    DIR *directory = opendir(".");
    for (struct dirent *e; (e = readdir(directory));)
        assert_null(strstr(e->d_name, ".part-"));
    closedir(directory);
}

static int enter(void **state) {
    (void)state;
    return !mkdtemp(place) || chdir(place) != 0;
}

static int leave(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", place);
    return chdir("/") != 0 || system(command) != 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),   cmocka_unit_test(test_foreign_files),
        cmocka_unit_test(test_view),         cmocka_unit_test(test_svg),
        cmocka_unit_test(test_long_numbers), cmocka_unit_test(test_reduction),
        cmocka_unit_test(test_png),          cmocka_unit_test(test_axes),
        cmocka_unit_test(test_plot_errors),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
