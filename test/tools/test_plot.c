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
#ifdef HOL_HAVE_CAIRO
#include <cairo.h>
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
}

static void assert_no_part(void) {
    DIR *directory = opendir(".");
    for (struct dirent *e; (e = readdir(directory));)
        assert_null(strstr(e->d_name, ".part-"));
    closedir(directory);
}

#ifdef HOL_HAVE_CAIRO
// the next stroke of the first colour with the width of a curve, or NULL
static const char *curve_stroke(const char *svg) {
    for (; (svg = strstr(svg, "<path style=\"")); svg++) {
        const char *end = strstr(svg, "/>"), *width = strstr(svg, "stroke-width:1.2;");
        const char *color = strstr(svg, "stroke:rgb(12.15"); // 0x1f of 255
        if (width && color && width < end && color < end)
            return strstr(svg, " d=\"M ");
    }
    return NULL;
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
    assert_non_null(strstr(svg, "width=\"480pt\" height=\"300pt\" viewBox=\"0 0 480 300\""));
    // the gap splits the curve; both pieces lie on one straight line
    double p[4][2];
    const char *first = curve_stroke(svg);
    assert_non_null(first);
    const char *second = curve_stroke(first);
    assert_non_null(second);
    assert_null(curve_stroke(second));
    for (int k = 0; k < 2; k++)
        assert_int_equal(sscanf(k ? second : first, " d=\"M %lf %lf L %lf %lf \"", &p[2 * k][0],
                                &p[2 * k][1], &p[2 * k + 1][0], &p[2 * k + 1][1]),
                         4);
    double slope = (p[1][1] - p[0][1]) / (p[1][0] - p[0][0]);
    assert_true(slope < 0); // up is smaller y
    for (int k = 2; k < 4; k++)
        assert_true(fabs(p[k][1] - p[0][1] - slope * (p[k][0] - p[0][0])) < 0.05);
    assert_true(fabs(p[3][0] - p[0][0] - 4 * (p[1][0] - p[0][0])) < 0.05);
    free(svg);
}

// many points are reduced, and a spike of one of them survives
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
    assert_true(length < 250000);
    double highest = 1e9, top = 1e9;
    int points = 0;
    for (const char *p = strchr(curve_stroke(svg), 'L'); p && *p == 'L'; points++) {
        double u, v;
        int used;
        assert_int_equal(sscanf(p + 1, "%lf %lf %n", &u, &v, &used), 2);
        highest = fmin(highest, v);
        if (u > 300)
            top = fmin(top, v);
        p += used + 1;
    }
    assert_true(points > 1000);
    assert_true(highest < top - 50);
    free(svg);
    free(x);
    free(y);
}

// ---- pixels ----

typedef struct Pixels {
    cairo_surface_t *surface;
    const unsigned char *data;
    int width, height, stride;
    int left, top, right, bottom; // the frame, found as the longest dark lines
} Pixels;

static unsigned color_at(const Pixels *p, int x, int y) {
    uint32_t value;
    memcpy(&value, p->data + (size_t)y * (size_t)p->stride + 4 * (size_t)x, 4);
    return value & 0xffffff;
}

static int is_dark(const Pixels *p, int x, int y) {
    unsigned c = color_at(p, x, y);
    return (c >> 16) < 128 && (c >> 8 & 255) < 128 && (c & 255) < 128;
}

// dark pixels in a box of pixels
static int ink(const Pixels *p, int left, int top, int right, int bottom) {
    int n = 0;
    for (int y = top; y < bottom; y++)
        for (int x = left; x < right; x++)
            n += is_dark(p, x, y);
    return n;
}

static void find_frame(Pixels *p) {
    p->left = p->top = -1;
    for (int x = 0; x < p->width; x++)
        if (ink(p, x, 0, x + 1, p->height) > p->height / 2) {
            p->left = p->left < 0 ? x : p->left;
            p->right = x;
        }
    for (int y = 0; y < p->height; y++)
        if (ink(p, 0, y, p->width, y + 1) > p->width / 2) {
            p->top = p->top < 0 ? y : p->top;
            p->bottom = y;
        }
    assert_true(p->left > 0 && p->top >= 0 && p->right > p->left && p->bottom > p->top);
}

static Pixels read_pixels(const char *path) {
    Pixels p = {.surface = cairo_image_surface_create_from_png(path)};
    assert_int_equal(cairo_surface_status(p.surface), CAIRO_STATUS_SUCCESS);
    p.data = cairo_image_surface_get_data(p.surface);
    p.width = cairo_image_surface_get_width(p.surface);
    p.height = cairo_image_surface_get_height(p.surface);
    p.stride = cairo_image_surface_get_stride(p.surface);
    find_frame(&p);
    return p;
}

// whether the curve of the first colour goes through (x, y), with these ranges of the axes
static int passes(const Pixels *p, double x, double y, const double ranges[4]) {
    double u = (x - ranges[0]) / (ranges[1] - ranges[0]);
    double v = (y - ranges[2]) / (ranges[3] - ranges[2]);
    int column = (int)lround(p->left + u * (p->right - p->left));
    int row = (int)lround(p->bottom - v * (p->bottom - p->top));
    for (int dy = -1; dy <= 1; dy++)
        if (color_at(p, column, row + dy) == 0x1f6fb5)
            return 1;
    return 0;
}

static void test_png(void **state) {
    (void)state;
    HolCurve curve;
    HolPanel panel;
    HolError err;
    HolPlot plot = simple_plot(&panel, &curve);
    plot.width = 300;
    plot.height = 200;
    plot.scale = 4;
    curve.label = NULL;
    assert_int_equal(hol_plot_write(&plot, "a.png", &err), HOL_OK);
    Pixels p = read_pixels("a.png");
    assert_int_equal(p.width, 1200);
    assert_int_equal(p.height, 800);
    const double ranges[4] = {0, 4, -2, 42}; // of the data, y with 5 % above and below
    assert_true(passes(&p, 0.5, 5, ranges) && passes(&p, 3.5, 35, ranges));
    assert_true(passes(&p, 0.9, 9, ranges) && passes(&p, 3.1, 31, ranges));
    assert_false(passes(&p, 1.2, 12, ranges) || passes(&p, 2, 20, ranges));
    // title, label of the x axis, label of the y axis, numbers of both
    int title = ink(&p, 0, 0, p.width, p.top - 4);
    int below = ink(&p, 0, p.bottom + 4, p.width, p.height);
    int name = ink(&p, 0, 0, 18 * 4, p.height), numbers = ink(&p, 19 * 4, 0, p.left - 4, p.height);
    assert_true(title > 200 && below > 1000 && name > 100 && numbers > 500);
    cairo_surface_destroy(p.surface);
    plot.title = plot.x_label = panel.label = NULL;
    assert_int_equal(hol_plot_write(&plot, "b.png", &err), HOL_OK);
    p = read_pixels("b.png");
    assert_int_equal(ink(&p, 0, 0, p.width, p.top - 4), 0);
    assert_int_equal(ink(&p, 0, 0, 18 * 4, p.height), 0);
    assert_in_range(ink(&p, 0, p.bottom + 4, p.width, p.height), 500, below - 500);
    cairo_surface_destroy(p.surface);
    // the size in pt, as pixels a metre
    size_t length;
    char *png = read_all("a.png", &length);
#ifdef HOL_HAVE_ZLIB
    const unsigned char *density = (const unsigned char *)png + 33;
    assert_memory_equal(density + 4, "pHYs", 4);
    assert_int_equal(density[10] << 8 | density[11], 11339); // 4 * 72 / 0.0254
    assert_int_equal(density[16], 1);
#endif
    free(png);
}

// numbers of many digits must not run into the label of their axis, nor out of the picture
static void test_long_numbers(void **state) {
    (void)state;
    static const double long_ys[] = {158.88821, 158.88824, 158.88822, 158.88830, 158.88835};
    static const double long_xs[] = {100000.1, 100000.2, 100000.3, 100000.4, 100000.5};
    HolPanel panel;
    HolCurve curve;
    HolPlot plot = simple_plot(&panel, &curve);
    HolError err;
    curve.x = long_xs;
    curve.y = long_ys;
    assert_int_equal(hol_plot_write(&plot, "long.png", &err), HOL_OK);
    Pixels p = read_pixels("long.png");
    assert_true(ink(&p, 0, 0, 17 * 3, p.height) > 100);               // the label
    assert_int_equal(ink(&p, 18 * 3, 0, 21 * 3, p.height), 0);        // free
    assert_true(ink(&p, 21 * 3, 0, p.left - 4 * 3, p.height) > 1000); // the numbers
    assert_int_equal(ink(&p, p.width - 3, 0, p.width, p.height), 0);  // the last of the x axis
    cairo_surface_destroy(p.surface);
}

// a few points far apart: the legend does not lie on the line between them
static void test_legend(void **state) {
    (void)state;
    static const double x[] = {0, 6, 6.01, 10}, y[] = {0, 0, 5, 10};
    HolCurve curve = {.label = "legend", .x = x, .y = y, .n = 4};
    HolPanel panel = {.curves = &curve, .n_curves = 1};
    HolPlot plot = hol_plot();
    plot.panels = &panel;
    plot.n_panels = 1;
    plot.scale = 2;
    HolError err;
    assert_int_equal(hol_plot_write(&plot, "legend.png", &err), HOL_OK);
    Pixels p = read_pixels("legend.png");
    const double ranges[4] = {0, 10, -0.5, 10.5};
    for (double at = 6.2; at < 9.9; at += 0.1)
        assert_true(passes(&p, at, 5 + (at - 6.01) * 5 / 3.99, ranges));
    cairo_surface_destroy(p.surface);
}

static void assert_same_files(const char *a, const char *b) {
    size_t n, m;
    char *one = read_all(a, &n), *two = read_all(b, &m);
    assert_int_equal(n, m);
    assert_memory_equal(one, two, n);
    free(one);
    free(two);
}

// the same plot gives the same bytes; text that is none does not spoil it
static void test_same_bytes(void **state) {
    (void)state;
    HolCurve curve;
    HolPanel panel;
    HolError err;
    HolPlot plot = simple_plot(&panel, &curve);
    plot.title = "bad \xff\xc3 \xed\xa0\x80 \x01 text^2 (\xce\xb1^ )";
    for (int k = 0; k < 2; k++) {
        assert_int_equal(hol_plot_write(&plot, k ? "two.svg" : "one.svg", &err), HOL_OK);
        assert_int_equal(hol_plot_write(&plot, k ? "two.png" : "one.png", &err), HOL_OK);
    }
    assert_same_files("one.svg", "two.svg");
    assert_same_files("one.png", "two.png");
    plot.title = "other";
    assert_int_equal(hol_plot_write(&plot, "two.png", &err), HOL_OK);
    size_t n, m;
    char *one = read_all("one.png", &n), *two = read_all("two.png", &m);
    assert_true(n != m || memcmp(one, two, n) != 0);
    free(one);
    free(two);
}

// a full device is an error, for both formats
static void test_full_device(void **state) {
    (void)state;
    HolCurve curve;
    HolPanel panel;
    HolError err;
    HolPlot plot = simple_plot(&panel, &curve);
    if (access("/dev/full", W_OK) != 0)
        skip();
    assert_int_equal(hol_plot_write(&plot, "/dev/full", &err), HOL_ERR_FILE);
    assert_non_null(strstr(err.text, "No space left"));
    assert_int_equal(symlink("/dev/full", "full.png"), 0);
    assert_int_equal(hol_plot_write(&plot, "full.png", &err), HOL_ERR_FILE);
    assert_non_null(strstr(err.text, "No space left"));
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
    assert_no_part();
}

#else

// a build without cairo says what to install, and touches no file
static void test_unsupported(void **state) {
    (void)state;
    HolCurve curve;
    HolPanel panel;
    HolError err;
    HolPlot plot = simple_plot(&panel, &curve);
    assert_int_equal(hol_plot_write(&plot, "a.svg", &err), HOL_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.text, "libcairo2-dev"));
    assert_int_not_equal(access("a.svg", F_OK), 0);
    assert_no_part();
}
#endif

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
        cmocka_unit_test(test_round_trip),  cmocka_unit_test(test_foreign_files),
        cmocka_unit_test(test_view),        cmocka_unit_test(test_axes),
#ifdef HOL_HAVE_CAIRO
        cmocka_unit_test(test_svg),         cmocka_unit_test(test_long_numbers),
        cmocka_unit_test(test_reduction),   cmocka_unit_test(test_png),
        cmocka_unit_test(test_legend),      cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_full_device), cmocka_unit_test(test_plot_errors),
#else
        cmocka_unit_test(test_unsupported),
#endif
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
