// SPDX-License-Identifier: Apache-2.0
// Tables in expressions: what each interpolation promises (no overshoot, slopes, exact curves),
// what lies outside, where knots are kinks and when those of time come; then in runs against closed
// forms: knots are met by steps, ends of a table are told or refused, columns of files are read.
// Derivatives and series of every kind of table: test_expr_derivatives.c.
#include "model/expr/expr_internal.h"
#include "model/model.h"
#include "text_run.h"

#include <stdlib.h>

// ---- curves -------------------------------------------------------------------------------

enum { MOST = 40 };

typedef struct Curve {
    double x[MOST], y[MOST];
    HolTableDef def;
} Curve;

static const HolSpline *make(HolArena *arena, Curve *c, HolInterpolation interpolation,
                             HolOutside outside) {
    c->def =
        (HolTableDef){sizeof(HolTableDef), "c", c->x, c->y, c->def.n, interpolation, outside, 0, 0};
    const HolSpline *s = hol_spline_create(arena, &c->def);
    assert_non_null(s);
    return s;
}

static void random_curve(Curve *c, int n) {
    c->def.n = n;
    double x = uniform(-3, 3);
    for (int i = 0; i < n; i++) {
        c->x[i] = x += exp(uniform(-4, 2));
        // now and then level
        c->y[i] = i && uniform(0, 1) < 0.2 ? c->y[i - 1] : uniform(-1, 1) * exp(uniform(-3, 3));
    }
}

// the road of a wheel, 0 .. 0.05 m, which a natural spline leaves for -0.25 .. 0.36
static const double road_x[] = {0, 1, 1.1, 3}, road_y[] = {0, 0, 0.05, 0};

static void test_no_overshoot(void **state) {
    (void)state;
    HolArena arena = {0};
    for (int trial = 0; trial < 400; trial++) {
        Curve c;
        random_curve(&c, 2 + trial % (MOST - 2));
        if (trial == 0) {
            memcpy(c.x, road_x, sizeof road_x);
            memcpy(c.y, road_y, sizeof road_y);
            c.def.n = 4;
        }
        if (trial % 3 == 2)
            c.y[c.def.n - 1] = c.y[0];
        const HolSpline *s = make(&arena, &c, HOL_TABLE_MONOTONE,
                                  trial % 3 == 2 ? HOL_OUTSIDE_PERIODIC : HOL_OUTSIDE_HOLD);
        for (int i = 0; i + 1 < c.def.n; i++) {
            const double low = fmin(c.y[i], c.y[i + 1]), high = fmax(c.y[i], c.y[i + 1]);
            const double slack = 1e-14 * (fabs(low) + fabs(high));
            double last = c.y[i];
            for (int k = 0; k <= 50; k++) { // between its ends, in one direction
                const double x = c.x[i] + (c.x[i + 1] - c.x[i]) * k / 50;
                const double y = k < 50 ? hol_spline_value(s, x, NULL, NULL) : c.y[i + 1];
                assert_true(y >= low - slack && y <= high + slack);
                assert_true((y - last) * (c.y[i + 1] - c.y[i]) >= -slack * slack - 1e-300 ||
                            fabs(y - last) <= slack);
                last = y;
            }
        }
        for (int i = 1; i + 1 < c.def.n; i++) { // a continuous slope
            double left, right;
            hol_spline_value(s, nextafter(c.x[i], -INFINITY), &left, NULL);
            hol_spline_value(s, c.x[i], &right, NULL);
            const double steep = fabs(c.y[i] - c.y[i - 1]) / (c.x[i] - c.x[i - 1]) +
                                 fabs(c.y[i + 1] - c.y[i]) / (c.x[i + 1] - c.x[i]);
            assert_true(fabs(left - right) <= 1e-10 * (1 + steep));
        }
    }
    hol_arena_free(&arena);
}

// where neither limit acts, slopes are those of the parabola through three points: a parabola is
// met exactly between its second and its last but one point
static void test_exact_curves(void **state) {
    (void)state;
    HolArena arena = {0};
    Curve c = {.def = {.n = 7}};
    for (int i = 0; i < 7; i++) {
        c.x[i] = 1 + i + 0.2 * (i % 2);
        c.y[i] = c.x[i] * c.x[i];
    }
    const HolSpline *s = make(&arena, &c, HOL_TABLE_MONOTONE, HOL_OUTSIDE_LINE);
    for (double x = c.x[1]; x <= c.x[5]; x += 0.0371) {
        double slope, second;
        assert_true(fabs(hol_spline_value(s, x, &slope, &second) - x * x) < 1e-12);
        assert_true(fabs(slope - 2 * x) < 1e-11 && fabs(second - 2) < 1e-10);
    }
    const HolInterpolation kinds[] = {HOL_TABLE_MONOTONE, HOL_TABLE_LINEAR, HOL_TABLE_SPLINE};
    for (int i = 0; i < 7; i++)
        c.y[i] = 3 - 0.7 * c.x[i];
    for (int k = 0; k < 3; k++) { // straight lines by all of them, also outside
        s = make(&arena, &c, kinds[k], HOL_OUTSIDE_LINE);
        for (double x = -5; x < 15; x += 0.0913)
            assert_true(fabs(hol_spline_value(s, x, NULL, NULL) - (3 - 0.7 * x)) < 1e-13 * 10);
    }
    hol_arena_free(&arena);
}

// a periodic spline through a sine: of fourth order everywhere, also at the seam, and smooth there
static void test_periodic_spline(void **state) {
    (void)state;
    HolArena arena = {0};
    double worst[2];
    for (int half = 0; half < 2; half++) {
        Curve c = {.def = {.n = half ? 33 : 17}};
        const int n = c.def.n - 1;
        for (int i = 0; i <= n; i++) {
            c.x[i] = 0.3 + 2 * M_PI * i / n;
            c.y[i] = i < n ? sin(c.x[i]) : c.y[0];
        }
        const HolSpline *s = make(&arena, &c, HOL_TABLE_SPLINE, HOL_OUTSIDE_PERIODIC);
        worst[half] = 0;
        for (double x = -20; x < 30; x += 0.0173)
            worst[half] = fmax(worst[half], fabs(hol_spline_value(s, x, NULL, NULL) - sin(x)));
        double left[2], right[2];
        hol_spline_value(s, nextafter(c.x[n], 0), &left[0], &left[1]);
        hol_spline_value(s, c.x[0], &right[0], &right[1]);
        assert_true(fabs(left[0] - right[0]) < 1e-12 && fabs(left[1] - right[1]) < 1e-11);
    }
    assert_true(worst[1] < 1e-5 && log2(worst[0] / worst[1]) > 3.8);
    hol_arena_free(&arena);
}

static void test_outside(void **state) {
    (void)state;
    HolArena arena = {0};
    Curve c = {.x = {1, 2, 4}, .y = {5, 7, 6}, .def = {.n = 3}};
    const HolSpline *hold = make(&arena, &c, HOL_TABLE_LINEAR, HOL_OUTSIDE_HOLD);
    const HolSpline *line = make(&arena, &c, HOL_TABLE_LINEAR, HOL_OUTSIDE_LINE);
    double slope;
    assert_true(hol_spline_value(hold, -10, &slope, NULL) == 5 && slope == 0);
    assert_true(hol_spline_value(hold, 10, &slope, NULL) == 6 && slope == 0);
    assert_true(hol_spline_value(line, 0, &slope, NULL) == 3 && slope == 2);
    assert_true(hol_spline_value(line, 6, &slope, NULL) == 5 && slope == -0.5);
    c.y[2] = 5;
    const HolSpline *again = make(&arena, &c, HOL_TABLE_LINEAR, HOL_OUTSIDE_PERIODIC);
    for (int turn = -3; turn <= 3; turn++) {
        assert_true(fabs(hol_spline_value(again, 1.5 + 3 * turn, &slope, NULL) - 6) < 1e-14);
        assert_true(slope == 2);
        assert_true(fabs(hol_spline_value(again, 3 + 3 * turn, &slope, NULL) - 6) < 1e-14);
        assert_true(slope == -1);
    }
    hol_arena_free(&arena);
}

// ---- knots --------------------------------------------------------------------------------

static int any_change(const double *a, const double *b, int n) {
    for (int i = 0; i < n; i++)
        if (a[i] * b[i] < 0)
            return 1;
    return 0;
}

// between any two places a switching function changes its sign exactly where a knot lies between
// them, however many do
static void test_switches(void **state) {
    (void)state;
    HolArena arena = {0};
    for (int trial = 0; trial < 200; trial++) {
        Curve c;
        const int periodic = trial % 2;
        random_curve(&c, 2 + trial % (MOST - 2));
        c.y[c.def.n - 1] = c.y[0];
        const HolSpline *s =
            make(&arena, &c, HOL_TABLE_LINEAR, periodic ? HOL_OUTSIDE_PERIODIC : HOL_OUTSIDE_HOLD);
        const int n = hol_spline_switch_count(s);
        const double from = c.x[0], width = c.x[c.def.n - 1] - from;
        for (int k = 0; k < 200; k++) {
            double a = uniform(-1, 2), b = uniform(-1, 2), at_a[32], at_b[32];
            if (periodic && fabs(a - b) > 0.9)
                b = a + 0.9 * (b - a) / fabs(b - a);
            a = from + a * width;
            b = from + b * width;
            int between = 0;
            for (int turn = periodic ? -4 : 0; turn <= (periodic ? 4 : 0); turn++)
                for (int i = 0; i < c.def.n - periodic; i++) {
                    const double knot = c.x[i] + turn * width;
                    between += (knot - a) * (knot - b) < 0;
                }
            hol_spline_switches(s, a, at_a);
            hol_spline_switches(s, b, at_b);
            assert_int_equal(any_change(at_a, at_b, n), between > 0);
        }
        for (int i = 0; i < c.def.n; i++) { // zero at a knot
            double at[32];
            int zeros = 0;
            hol_spline_switches(s, c.x[i], at);
            for (int j = 0; j < n; j++)
                zeros += fabs(at[j]) <= 1e-14 * (fabs(c.x[i]) + width);
            assert_int_equal(zeros, 1);
        }
    }
    hol_arena_free(&arena);
}

static void no_names(void *context, const char *name, HolSymbol *out, char suggestion[64]) {
    (void)context, (void)suggestion;
    if (!strcmp(name, "time"))
        *out = (HolSymbol){.type = HOL_SYMBOL_SLOT, .slot = 0};
    if (!strcmp(name, "x"))
        *out = (HolSymbol){.type = HOL_SYMBOL_SLOT, .slot = 1};
}

// knots of tables of time are known beforehand, in both directions and without end
static void test_times(void **state) {
    (void)state;
    const double x[] = {0, 0.5, 2}, y[] = {1, 2, 1};
    const HolTableDef tables[] = {
        {sizeof(HolTableDef), "once", x, y, 3, HOL_TABLE_LINEAR, HOL_OUTSIDE_HOLD, 0, 0},
        {sizeof(HolTableDef), "again", x, y, 3, HOL_TABLE_LINEAR, HOL_OUTSIDE_PERIODIC, 0, 0}};
    const HolExprScope scope = {
        .resolve = no_names, .tables = tables, .n_tables = 2, .has_time = 1};
    const struct {
        const char *text;
        double t, next;
        int switches;
    } cases[] = {{"interp(once, time)", -1, 0, 0},
                 {"interp(once, time)", 0, 0.5, 0},
                 {"interp(once, time)", 0.5, 2, 0},
                 {"interp(once, time)", 2, INFINITY, 0},
                 {"interp(once, 3 - 2*time)", -1, 0.5, 0},
                 {"interp(once, 3 - 2*time)", 0.51, 1.25, 0},
                 {"interp(once, (time + 1)/4)", 1.5, 7, 0},
                 {"interp(again, time)", 101, 102, 0},
                 {"interp(again, time)", 102, 102.5, 0},
                 {"interp(again, -time)", 0, 1.5, 0},
                 {"interp(again, -time)", 1.6, 2, 0},
                 {"interp(once, time) + interp(again, time)", 2, 2.5, 0},
                 {"interp(once, time^2)", 0, INFINITY, 2},
                 {"interp(once, x)", 0, INFINITY, 2},
                 {"interp(once, time + x)", 0, INFINITY, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        HolArena arena = {0};
        HolExprError err;
        HolExpr *e = hol_expr_compile(&arena, cases[i].text, &scope, &err);
        assert_non_null(e);
        const double next = hol_expr_next_knot(e, cases[i].t, 0);
        if (!(next == cases[i].next || fabs(next - cases[i].next) < 1e-13 * (1 + fabs(next))))
            fail_msg("%s after %g: %.17g", cases[i].text, cases[i].t, next);
        assert_true(next > cases[i].t);
        assert_int_equal(hol_expr_switch_count(e), cases[i].switches);
        if (isfinite(next)) // and the next one lies behind it
            assert_true(hol_expr_next_knot(e, next, 0) > next + 0.1);
        hol_arena_free(&arena);
    }
    HolArena arena = {0};
    HolExprError err;
    const HolTableDef strict = {sizeof(HolTableDef), "s", x, y, 3, HOL_TABLE_LINEAR,
                                HOL_OUTSIDE_ERROR,   0,   0};
    const HolExprScope other = {
        .resolve = no_names, .tables = &strict, .n_tables = 1, .has_time = 1};
    assert_null(hol_expr_compile(&arena, "1 + interp(s, 2.5)", &other, &err));
    assert_string_equal(err.text, "table 's' has no value at 2.5: it reaches from 0 to 2");
    assert_non_null(hol_expr_compile(&arena, "1 + interp(s, 2)", &other, &err));
    hol_arena_free(&arena);
}

// ---- runs ---------------------------------------------------------------------------------

static const char *const methods[] = {"tangent", "taylor", "radau", "rk853", "bdf", "explicit4"};
enum { METHODS = sizeof methods / sizeof *methods, LOOKING = 4 };

// the force of corners integrated twice, piece by piece
static const double corner_x[] = {0, 0.31, 0.5, 0.507, 1.3}, corner_y[] = {1, -2, 3, 0, 2};

static void corners_at(double t, double *place, double *speed) {
    *place = *speed = 0;
    for (int i = 0; i < 4 && corner_x[i] < t; i++) {
        const double h = fmin(t, corner_x[i + 1]) - corner_x[i];
        const double slope = (corner_y[i + 1] - corner_y[i]) / (corner_x[i + 1] - corner_x[i]);
        *place += h * (*speed + h * (corner_y[i] / 2 + h * slope / 6));
        *speed += h * (corner_y[i] + h * slope / 2);
    }
    if (t > corner_x[4]) {
        const double h = t - corner_x[4];
        *place += h * (*speed + h * corner_y[4] / 2);
        *speed += h * corner_y[4];
    }
}

// a force by a table of time, and a spring that softens by a table of its place beside it: steps of
// every method end at the knots of time, and errors stay at the tolerance
static void test_force_of_time(void **state) {
    (void)state;
    static const char text[] =
        "holonom: 1\nspace: planar\n"
        "tables: {pull: {x: [0, 0.31, 0.5, 0.507, 1.3], y: [1, -2, 3, 0, 2], interpolation: "
        "linear}}\n"
        "bodies: [{name: p, type: point, mass: 1}]\n"
        "forces: [{type: force, on: p, value: ['interp(pull, time)', 0]}]\n";
    for (int m = 0; m < METHODS; m++) {
        TextRun r = open_text(text, methods[m], 1e-8);
        double met[5] = {1, 1, 1, 1, 1}, place, speed;
        while (r.status == HOL_OK && hol_sim_time(r.sim) < 2) {
            r.status = hol_sim_step(r.sim, 2, &r.err);
            for (int i = 1; i < 5; i++)
                met[i] = fmin(met[i], fabs(hol_sim_time(r.sim) - corner_x[i]));
        }
        assert_int_equal(r.status, HOL_OK);
        for (int i = 1; i < 5; i++)
            if (!(met[i] < 1e-14))
                fail_msg("%s passes knot %d by %g", methods[m], i, met[i]);
        corners_at(2, &place, &speed);
        const HolView x = hol_sim_view(r.sim);
        if (!(fabs(x.q[0] - place) < 3e-7 && fabs(x.v[0] - speed) < 3e-7))
            fail_msg("%s: %.12g %.12g, not %.12g %.12g", methods[m], x.q[0], x.v[0], place, speed);
        assert_non_null(strstr(hol_sim_stats(r.sim).note, "table 'pull' is left by time"));
        close_text(&r);
    }
    // a fixed step of the series ends there too; other fixed steps are those asked for
    for (int m = 0; m < 2; m++) {
        HolModel *model = parse_model(text);
        HolSimOptions o = hol_sim_options();
        HolSim *s = NULL;
        HolError err = {0};
        double place, speed;
        snprintf(o.method.name, sizeof o.method.name, "%s", m ? "rk4" : "taylor");
        o.step = 0.1;
        assert_int_equal(hol_sim_create(model, &o, &s, &err), HOL_OK);
        assert_int_equal(hol_sim_advance(s, 2, &err), HOL_OK);
        corners_at(2, &place, &speed);
        const double off = fabs(hol_sim_view(s).q[0] - place);
        assert_true(m ? hol_sim_stats(s).steps == 20 : off < 1e-12);
        hol_sim_destroy(s);
        hol_model_destroy(model);
    }
}

// a bump stop with clearance 0.2: free flight, then k (x - 0.2) as a table of x, back and away; by
// the methods that look for kinks
static void test_bump_stop(void **state) {
    (void)state;
    static const char text[] =
        "holonom: 1\nspace: planar\n"
        "tables: {stop: {x: [-0.2, 0.2, 1.2], y: [0, 0, 400], interpolation: linear, outside: "
        "line}}\n"
        "bodies: [{name: p, type: point, mass: 1, velocity: [2, 0]}]\n"
        "forces: [{type: force, on: p, value: ['-interp(stop, p.x)', 0]}]\n";
    // touches at 0.1 s, leaves after half a period of 20 rad/s with the speed turned round
    const double back = 0.1 + M_PI / 20, t = 0.6;
    for (int m = 0; m < LOOKING; m++) {
        TextRun r = open_text(text, methods[m], 1e-8);
        assert_int_equal(hol_sim_advance(r.sim, t, &r.err), HOL_OK);
        const HolView x = hol_sim_view(r.sim);
        const double off = fabs(x.q[0] - (0.2 - 2 * (t - back))) + fabs(x.v[0] + 2);
        if (!(off < 2e-6))
            fail_msg("%s: %g off", methods[m], off);
        // the clearance is free of force: nothing was lost on the way
        assert_non_null(strstr(hol_sim_stats(r.sim).note, "goes on straight"));
        close_text(&r);
    }
}

// many knots within what one step would be: a force by a table of place, which runs like time, y =
// 0 1 0 1 ..: over a pair of pieces the speed grows by 0.01 and the place by 0.02 v + 1e-4
static void test_many_knots(void **state) {
    (void)state;
    static char text[20000];
    enum { N = 200 };
    size_t at = (size_t)snprintf(text, sizeof text,
                                 "holonom: 1\nspace: planar\ntables: {saw: {interpolation: linear, "
                                 "outside: error, x: [");
    for (int i = 0; i <= N; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%g", i ? ", " : "", i * 0.01);
    at += (size_t)snprintf(text + at, sizeof text - at, "], y: [");
    for (int i = 0; i <= N; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%d", i ? ", " : "", i % 2);
    snprintf(text + at, sizeof text - at,
             "]}}\nbodies: [{name: p, type: point, mass: 1, velocity: [1, 0]}]\n"
             "forces: [{type: force, on: p, value: ['0', 'interp(saw, p.x)']}]\n");
    double place = 0, speed = 0;
    for (int i = 0; i < N / 2; i++) {
        place += 0.02 * speed + 1e-4;
        speed += 0.01;
    }
    for (int m = 0; m < LOOKING; m++) {
        TextRun r = open_text(text, methods[m], 1e-6);
        assert_int_equal(hol_sim_advance(r.sim, 2, &r.err), HOL_OK);
        const HolView x = hol_sim_view(r.sim);
        const double off[2] = {x.q[1] - place, x.v[1] - speed};
        if (!(fabs(off[0]) < 1e-5 && fabs(off[1]) < 1e-5))
            fail_msg("%s: %g, %g off", methods[m], off[0], off[1]);
        assert_true(hol_sim_stats(r.sim).steps >= N);
        close_text(&r);
    }
}

// a table that must not be left ends the run where its range does, by name
static void test_refused(void **state) {
    (void)state;
    static const char text[] =
        "holonom: 1\nspace: planar\n"
        "tables: {ramp: {x: [0, 1], y: [0, 0], interpolation: linear, outside: error}}\n"
        "bodies: [{name: p, type: point, mass: 1, velocity: [2, 0]}]\n"
        "forces: [{type: force, on: p, value: ['interp(ramp, p.x)', 0]}]\n";
    for (int m = 0; m < METHODS; m++) {
        TextRun r = open_text(text, methods[m], 1e-6);
        assert_int_equal(hol_sim_advance(r.sim, 3, &r.err), HOL_ERR_STEP);
        assert_non_null(strstr(r.err.text, "table 'ramp' would be left"));
        if (!(fabs(hol_sim_time(r.sim) - 0.5) < 1e-7))
            fail_msg("%s stopped at %.12g", methods[m], hol_sim_time(r.sim));
        close_text(&r);
    }
}

// ---- files and remarks --------------------------------------------------------------------

static void test_file(void **state) {
    (void)state;
    char model[1100], data[1100], folder[] = "/tmp/holonom_tables_XXXXXX";
    assert_non_null(mkdtemp(folder));
    snprintf(model, sizeof model, "%s/m.yaml", folder);
    snprintf(data, sizeof data, "%s/gas.csv", folder);
    FILE *f = fopen(data, "w");
    assert_non_null(f);
    fputs("angle,\"gas pressure\",other\r\n0,1,7\r\n0.5, 3 ,8\r\n2,1,9\r\n", f);
    fclose(f);
    f = fopen(model, "w");
    assert_non_null(f);
    fputs("holonom: 1\nspace: planar\n"
          "tables: {gas: {file: gas.csv, x: angle, y: gas pressure, outside: periodic}}\n"
          "bodies: [{name: p, type: point, mass: 1}]\n"
          "forces: [{type: force, on: p, value: ['interp(gas, time)', 0]}]\n",
          f);
    fclose(f);
    HolModel *m = NULL;
    HolError err = {0};
    if (hol_model_load(model, NULL, 0, &m, NULL, &err) != HOL_OK)
        fail_msg("%s", err.text);
    assert_int_equal(m->def.n_tables, 1);
    assert_int_equal(m->def.tables[0].n, 3);
    assert_true(m->def.tables[0].x[1] == 0.5 && m->def.tables[0].y[1] == 3 &&
                m->def.tables[0].y[2] == 1);
    assert_int_equal(m->def.tables[0].outside, HOL_OUTSIDE_PERIODIC);
    assert_int_equal(hol_model_remark_count(m), 1);
    const HolRemark *r = hol_model_remark(m, 0);
    assert_string_equal(r->kind, "table");
    assert_string_equal(r->name, "gas");
    assert_int_equal(r->line, 3);
    assert_null(hol_model_remark(m, 1));
    hol_model_destroy(m);
    remove(model);
    remove(data);
    remove(folder);
}

static void test_remark(void **state) {
    (void)state;
    TextRun r = open_text("holonom: 1\nspace: planar\ntables: {a: [[0, 0], [1, 1]], b: {x: [0, 1], "
                          "y: [0, 1], interpolation: monotone}}\n"
                          "bodies: [{name: p, type: point, mass: 1}]\n",
                          "tangent", 1e-6);
    const char *note = hol_sim_stats(r.sim).note;
    assert_non_null(strstr(note, "table 'a' does not say how it is interpolated"));
    assert_null(strstr(note, "table 'b'"));
    close_text(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_overshoot),
                                       cmocka_unit_test(test_exact_curves),
                                       cmocka_unit_test(test_periodic_spline),
                                       cmocka_unit_test(test_outside),
                                       cmocka_unit_test(test_switches),
                                       cmocka_unit_test(test_times),
                                       cmocka_unit_test(test_force_of_time),
                                       cmocka_unit_test(test_bump_stop),
                                       cmocka_unit_test(test_many_knots),
                                       cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_file),
                                       cmocka_unit_test(test_remark)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
