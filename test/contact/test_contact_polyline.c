// SPDX-License-Identifier: Apache-2.0
// Rigid contact with polylines: around edges without an impact, off them, into hollows, down stairs; closed
// forms in turned frames, from micrometres to thousands of kilometres, by several methods.
#include "text_run.h"

static const double G = 9.81;

static const char *const rubbing[] = {"taylor", "tangent", "rk853", "generalized-alpha", "newmark"};
static const char *const smooth[] = {"taylor", "tangent", "rk853", "generalized-alpha",
                                     "radau",  "bdf"};
enum { RUBBING = sizeof rubbing / sizeof *rubbing, SMOOTH = sizeof smooth / sizeof *smooth };

static int of_second_order(const char *method) {
    return !strcmp(method, "generalized-alpha") || !strcmp(method, "newmark");
}

static double limit_of(const char *method, double limit) {
    return of_second_order(method) ? 300 * limit : limit;
}

typedef struct Frame {
    double turn, scale;
} Frame;

static const Frame frames[] = {{0, 1}, {0.7, 1}, {2.5, 1e-6}, {-1, 1e6}};
enum { FRAMES = sizeof frames / sizeof *frames, SLOW_FRAMES = 2 }; // (of methods with short steps)

static int frames_of(const char *method) {
    return of_second_order(method) ? SLOW_FRAMES : FRAMES;
}

static void turn(const Frame *f, double x, double y, double out[2]) {
    out[0] = f->scale * (cos(f->turn) * x - sin(f->turn) * y);
    out[1] = f->scale * (sin(f->turn) * x + cos(f->turn) * y);
}

// a body of mass 1 next to a polyline of the ground; radius 0: a point
static TextRun open_track(const char *method, const Frame *f, const double (*line)[2], int n,
                          const double start[5], double radius, double inertia, const char *law) {
    char text[4000], shape[80];
    double x[2], v[2], g[2];
    turn(f, start[0], start[1], x);
    turn(f, start[2], start[3], v);
    turn(f, 0, -G, g);
    int at = snprintf(
        text, sizeof text,
        "holonom: 1\nspace: planar\ngravity: [%.17g, %.17g]\nbodies:\n"
        "  - {name: d, mass: 1, inertia: %.17g, position: [%.17g, %.17g], velocity: [%.17g, "
        "%.17g], omega: %.17g}\ncontacts:\n  - {name: k, stiffness: rigid%s, between: [{body: "
        "ground, polyline: [",
        g[0], g[1], inertia * f->scale * f->scale, x[0], x[1], v[0], v[1], start[4], law);
    for (int i = 0; i < n; i++) {
        turn(f, line[i][0], line[i][1], x);
        at += snprintf(text + at, sizeof text - (size_t)at, "%s[%.17g, %.17g]", i ? ", " : "", x[0],
                       x[1]);
    }
    snprintf(shape, sizeof shape, radius > 0 ? "circle: {radius: %.17g}" : "point: {at: [%g, 0]}",
             radius * f->scale);
    snprintf(text + at, sizeof text - (size_t)at, "]}, {body: d, %s}]}\n", shape);
    return open_text(text, method, 1e-10);
}

static void expect_state(TextRun *r, const Frame *f, const char *method, const double state[4],
                         double limit) {
    static const char *const names[4] = {"d.x", "d.y", "d.vx", "d.vy"};
    double x[4];
    turn(f, state[0], state[1], x);
    turn(f, state[2], state[3], x + 2);
    for (int i = 0; i < 4; i++)
        expect_text(r, names[i], x[i], limit_of(method, limit) * f->scale);
}

// number of events of a kind in the steps up to time t, and the time of the last one
static int count_events(TextRun *r, double t, const char *kind, double *last) {
    int n = 0;
    while (hol_sim_time(r->sim) < t) {
        const long before = hol_sim_stats(r->sim).events;
        HolEvent e;
        r->status = hol_sim_step(r->sim, t, &r->err);
        if (r->status != HOL_OK)
            fail_msg("%s", r->err.text);
        for (int i = 0; hol_sim_stats(r->sim).events > before && hol_sim_event(r->sim, i, &e); i++)
            if (!strcmp(e.kind, kind)) {
                n++;
                *last = e.time;
            }
    }
    return n;
}

// ---- around an edge ----

// time on the corner up to the angle a: R da/v, v^2 = v0^2 + 2 g R (1 - cos a)/k, by Simpson's rule
static double corner_time(double v0, double R, double k, double a) {
    double sum = 0;
    const int n = 2000;
    for (int i = 0; i <= n; i++) {
        const double weight = i == 0 || i == n ? 1 : i % 2 ? 4 : 2;
        sum += weight * R / sqrt(v0 * v0 + 2 * G * R * (1 - cos(a * i / n)) / k);
    }
    return sum * a / n / 3;
}

// along a table with v0 = 1, around its edge, down a slope of 20 degrees; k: 1 + J/(m R^2) where it rolls
static void edge_at(double R, double k, double end, double out[4]) {
    const double a = M_PI / 9, v1 = sqrt(1 + 2 * G * R * (1 - cos(a)) / k),
                 t = end - 0.5 - corner_time(1, R, k, a), f = G * sin(a) / k,
                 s = v1 * t + f * t * t / 2, v = v1 + f * t;
    out[0] = R * sin(a) + s * cos(a);
    out[1] = R * cos(a) - s * sin(a);
    out[2] = v * cos(a);
    out[3] = -v * sin(a);
}

static const double table[3][2] = {{-3, 0}, {0, 0}, {3.7587704831436335, -1.3680805733026749}};

static void test_edge_slides(void **state) {
    (void)state;
    const double R = 0.5, start[5] = {-0.5, R, 1, 0, 0}, a = 0.1;
    double end[4];
    edge_at(R, 1, 1.2, end);
    for (int i = 0; i < SMOOTH; i++)
        for (int j = 0; j < frames_of(smooth[i]); j++) {
            TextRun r = open_track(smooth[i], &frames[j], table, 3, start, R, 0.1, "");
            // on the corner: N = m (g cos a - v^2/R)
            advance_text(&r, 0.5 + corner_time(1, R, 1, a));
            const double v2 = 1 + 2 * G * R * (1 - cos(a)), size = frames[j].scale;
            expect_text(&r, "k.force", size * (G * cos(a) - v2 / R),
                        size * limit_of(smooth[i], 1e-7));
            expect_text(&r, "k.slip", size * sqrt(v2), size * limit_of(smooth[i], 1e-8));
            expect_text(&r, "k.gap", 0, size * 1e-14);
            expect_text(&r, "k.state", 1, 0);
            advance_text(&r, 1.2);
            expect_state(&r, &frames[j], smooth[i], end, 1e-9);
            expect_text(&r, "energy.numerical", 0, size * size * limit_of(smooth[i], 1e-9));
            expect_text(&r, "energy.impact", 0, 0);
            close_text(&r);
        }
}

static void test_edge_rolls(void **state) {
    (void)state;
    const double R = 0.5, start[5] = {-0.5, R, 1, 0, -2};
    double end[4];
    edge_at(R, 1.5, 1.2, end);
    for (int i = 0; i < RUBBING; i++)
        for (int j = 0; j < frames_of(rubbing[i]); j++) {
            double last;
            TextRun r = open_track(rubbing[i], &frames[j], table, 3, start, R, R * R / 2,
                                   ", friction: {mu: 0.5}");
            advance_text(&r, 0.1);
            assert_int_equal(count_events(&r, 1.1, "stick", &last), 0); // (nothing happens)
            advance_text(&r, 1.2);
            expect_state(&r, &frames[j], rubbing[i], end, 1e-9);
            expect_text(&r, "k.state", 1, 0);
            expect_text(&r, "energy.friction", 0, 0);
            expect_text(&r, "energy.impact", 0, 0);
            close_text(&r);
        }
}

// it leaves a corner of 90 degrees where g cos a = v^2/R: cos a = (2 + v0^2/(g R))/3
static void test_edge_lifts(void **state) {
    (void)state;
    const double R = 0.5, start[5] = {-0.5, R, 1, 0, 0}, line[3][2] = {{-3, 0}, {0, 0}, {0, -5}};
    const double c = (2 + 1 / (G * R)) / 3, a = acos(c), lift = 0.5 + corner_time(1, R, 1, a),
                 t = 1.2 - lift, v = sqrt(G * R * c);
    const double end[4] = {R * sin(a) + v * c * t, R * c - v * sin(a) * t - G * t * t / 2, v * c,
                           -v * sin(a) - G * t};
    for (int i = 0; i < SMOOTH; i++)
        for (int j = 0; j < frames_of(smooth[i]); j++) {
            double last = 0;
            TextRun r = open_track(smooth[i], &frames[j], line, 3, start, R, 0.1, "");
            assert_int_equal(count_events(&r, 1.1, "lift", &last), 1);
            assert_true(fabs(last - lift) < limit_of(smooth[i], 1e-9));
            advance_text(&r, 1.2);
            expect_state(&r, &frames[j], smooth[i], end, 1e-8);
            close_text(&r);
        }
}

// too fast for the corner: it leaves where the edge begins and flies
static void test_edge_leaves(void **state) {
    (void)state;
    const double R = 0.5, start[5] = {-0.6, R, 3, 0, 0}, t = 0.15;
    const double end[4] = {3 * t, R - G * t * t / 2, 3, -G * t};
    for (int i = 0; i < SMOOTH; i++) {
        double last = 0;
        TextRun r = open_track(smooth[i], &frames[1], table, 3, start, R, 0.1, "");
        assert_int_equal(count_events(&r, 0.3, "lift", &last), 1);
        assert_true(fabs(last - 0.2) < 1e-9);
        advance_text(&r, 0.35);
        expect_state(&r, &frames[1], smooth[i], end, 1e-9);
        close_text(&r);
    }
}

// ---- points ----

// a block slides off the end of a table with friction 0.3
static void test_block_leaves_table(void **state) {
    (void)state;
    static const double lines[2][3][2] = {{{-3, 0}, {-1, 0}, {0, 0}}, {{-3, 0}, {0, 0}, {0, -9}}};
    const double a = 0.3 * G, start[5] = {-0.5, 0, 2, 0, 0}, v = sqrt(4 - a), t = 0.6 - (2 - v) / a;
    const double end[4] = {v * t, -G * t * t / 2, v, -G * t};
    for (int i = 0; i < RUBBING; i++)
        for (int j = 0; j < 2 * FRAMES; j++) {
            double last = 0;
            TextRun r = open_track(rubbing[i], &frames[j % FRAMES], lines[j / FRAMES], 3, start, 0,
                                   0.1, ", friction: {mu: 0.3}");
            assert_int_equal(count_events(&r, 0.5, "lift", &last), 1);
            assert_true(fabs(last - (2 - v) / a) < 1e-9);
            advance_text(&r, 0.6);
            expect_state(&r, &frames[j % FRAMES], rubbing[i], end, 1e-9);
            const double size = frames[j % FRAMES].scale;
            expect_text(&r, "energy.friction", a * 0.5 * size * size, 1e-9 * size * size);
            close_text(&r);
        }
}

// down stairs of 1 x 0.5 with restitution 0.8: parabola after parabola
static void test_stairs(void **state) {
    (void)state;
    enum { STEPS = 6, POINTS = 2 * STEPS + 2 };
    double line[POINTS][2] = {{-2, 0}}, start[5] = {-0.5, 0.4, 2.3, 0, 0}, now[4], t = 0;
    const double e = 0.8, end = 3;
    int hits = 0;
    for (int i = 0; i < STEPS; i++)
        for (int k = 0; k < 2; k++) {
            line[2 * i + 1 + k][0] = i;
            line[2 * i + 1 + k][1] = -0.5 * (i + k);
        }
    line[POINTS - 1][0] = 30;
    line[POINTS - 1][1] = -0.5 * STEPS;
    memcpy(now, start, sizeof now);
    for (int level = 0; level <= STEPS; level++) { // the step on which it lands next
        const double y = -0.5 * level, fall = now[3] + sqrt(now[3] * now[3] + 2 * G * (now[1] - y)),
                     dt = fall / G, x = now[0] + now[2] * dt;
        if (x > level && level < STEPS)
            continue;
        if (t + dt > end)
            break;
        now[0] = x;
        now[1] = y;
        now[3] = e * (G * dt - now[3]);
        t += dt;
        hits++;
        level--; // (it may land there again)
    }
    assert_true(hits >= 3);
    const double dt = end - t,
                 state_[4] = {now[0] + now[2] * dt, now[1] + now[3] * dt - G * dt * dt / 2, now[2],
                              now[3] - G * dt};
    for (int i = 0; i < SMOOTH; i++)
        for (int j = 0; j < frames_of(smooth[i]); j++) {
            double last = 0;
            TextRun r = open_track(smooth[i], &frames[j], (const double(*)[2])line, POINTS, start,
                                   0, 0.1, ", restitution: 0.8");
            assert_int_equal(count_events(&r, end - 0.01, "impact", &last), hits);
            assert_true(fabs(last - t) < 1e-9);
            advance_text(&r, end);
            expect_state(&r, &frames[j], smooth[i], state_, 1e-8);
            close_text(&r);
        }
}

// ---- hollows ----

// falls onto one side of a V of 90 degrees, slides to the bottom, stays there
static void test_groove(void **state) {
    (void)state;
    const double R = 0.5, start[5] = {-1, 2.4, 0, 0, 0}, line[3][2] = {{-4, 4}, {0, 0}, {4, 4}},
                 end[4] = {0, R * M_SQRT2, 0, 0};
    const double t1 = sqrt(2 * (1.4 - R * M_SQRT2) / G), u = G * t1 / M_SQRT2, a = G / M_SQRT2,
                 t2 = t1 + (sqrt(u * u + 2 * a * M_SQRT2) - u) / a;
    for (int i = 0; i < SMOOTH; i++)
        for (int j = 0; j < frames_of(smooth[i]); j++) {
            double last = 0;
            TextRun r = open_track(smooth[i], &frames[j], line, 3, start, R, 0.1, "");
            assert_int_equal(count_events(&r, 1, "impact", &last), 2);
            assert_true(fabs(last - t2) < 1e-9);
            advance_text(&r, 1.5);
            expect_state(&r, &frames[j], "taylor", end, 1e-14);
            expect_text(&r, "k.force", frames[j].scale * G * M_SQRT2, frames[j].scale * 1e-9);
            expect_text(&r, "energy.impact",
                        frames[j].scale * frames[j].scale * G * (2.4 - R * M_SQRT2),
                        frames[j].scale * frames[j].scale * 1e-8);
            close_text(&r);
        }
}

// rolls down 30 degrees into the hollow of the floor, where it sticks: L about the new contact stays
static void test_rolls_into_hollow(void **state) {
    (void)state;
    const double a = M_PI / 6, R = 0.5, k = 1.5, way = 2 - R * tan(a / 2), f = G * sin(a) / k,
                 t1 = sqrt(2 * way / f), v = f * t1 * (cos(a) + 0.5) / k;
    const double line[3][2] = {{-4 * cos(a), 4 * sin(a)}, {0, 0}, {10, 0}};
    const double start[5] = {-2 * cos(a) + R * sin(a), 2 * sin(a) + R * cos(a), 0, 0, 0};
    const double end[4] = {start[0] + way * cos(a) + v * (1.5 - t1), R, v, 0};
    for (int i = 0; i < RUBBING; i++)
        for (int j = 0; j < frames_of(rubbing[i]); j++) {
            double last = 0;
            TextRun r = open_track(rubbing[i], &frames[j], line, 3, start, R, R * R / 2,
                                   ", friction: {mu: 0.9}");
            assert_int_equal(count_events(&r, 1.2, "impact", &last), 1);
            assert_true(fabs(last - t1) < 1e-9);
            advance_text(&r, 1.5);
            expect_state(&r, &frames[j], rubbing[i], end, 1e-9);
            close_text(&r);
        }
}

// an event too many, at a seam of a track without friction: the message names the contact
static void test_seam_is_named(void **state) {
    (void)state;
    TextRun r = {.model = parse_model(
                     "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
                     "  - {name: d, mass: 1, inertia: 1, position: [-0.5, 0.1], velocity: [1, 0]}\n"
                     "contacts:\n  - {name: track, stiffness: rigid, between: [{body: ground, "
                     "polyline: [[-2, 0], [0, 0], [2, -0.2]]}, {body: d, circle: {radius: 0.1}}]}\n"
                     "events: [{name: a, when: time - 0.1}, {name: b, when: time - 0.1}]\n")};
    HolSimOptions o = hol_sim_options();
    o.end = 2;
    o.max_events = 1;
    assert_int_equal(hol_sim_create(r.model, &o, &r.sim, &r.err), HOL_OK);
    advance_text(&r, 2);
    assert_int_equal(r.status, HOL_ERR_STEP);
    assert_true(fabs(r.err.time - 0.5) < 1e-9);
    assert_non_null(strstr(r.err.text, "the last at 'track'"));
    close_text(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edge_slides),
        cmocka_unit_test(test_edge_rolls),
        cmocka_unit_test(test_edge_lifts),
        cmocka_unit_test(test_edge_leaves),
        cmocka_unit_test(test_block_leaves_table),
        cmocka_unit_test(test_stairs),
        cmocka_unit_test(test_groove),
        cmocka_unit_test(test_rolls_into_hollow),
        cmocka_unit_test(test_seam_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
