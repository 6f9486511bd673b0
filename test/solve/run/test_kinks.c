// SPDX-License-Identifier: Apache-2.0
// Kinks and jumps of the forces with every method that controls its error: piecewise linear
// oscillators x'' = a - k x against their exact motion, which goes from one piece to the next at
// roots of closed forms. And forces that hold the motion at a jump.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "holonom/holonom.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- exact motion ----

typedef struct Point {
    double t, x, v;
} Point;

// x'' = a - k x as long as the side stays the same
typedef struct Law {
    int (*side)(Point p);
    void (*piece)(int side, double *k, double *a);
} Law;

static Point move(Point p, double k, double a, double s) {
    if (k == 0)
        return (Point){p.t + s, p.x + s * p.v + s * s * a / 2, p.v + s * a};
    const double w = sqrt(k), c = cos(w * s), z = sin(w * s), d = p.x - a / k;
    return (Point){p.t + s, a / k + d * c + p.v / w * z, -d * w * z + p.v * c};
}

static Point exact(const Law *law, Point p, double end, double *most_x, double *most_v) {
    const double ds = 1e-4 * (end - p.t);
    *most_x = *most_v = 0;
    while (p.t < end) {
        const Point ahead = move(p, 0, 0, 1e-12);
        double k, a, s = 0;
        // (from a side's edge: where the motion goes)
        const int side = law->side(p) ? law->side(p) : law->side(ahead);
        law->piece(side, &k, &a);
        Point q = p;
        while (q.t < end && (s == 0 || law->side(q) == side)) {
            s += ds;
            q = move(p, k, a, s);
            *most_x = fmax(*most_x, fabs(q.x));
            *most_v = fmax(*most_v, fabs(q.v));
        }
        double lo = s - ds, hi = q.t > end ? end - p.t : s;
        if (q.t > end && law->side(move(p, k, a, hi)) == side)
            return move(p, k, a, hi);
        for (int i = 0; i < 80; i++) {
            const double mid = (lo + hi) / 2;
            if (mid == 0 || law->side(move(p, k, a, mid)) == side)
                lo = mid;
            else
                hi = mid;
        }
        p = move(p, k, a, hi);
    }
    return p;
}

// a ball on a one-sided spring
static int bounce_side(Point p) {
    return p.x < 0 ? 1 : 2;
}
static void bounce_piece(int side, double *k, double *a) {
    *k = side == 1 ? 1000 : 0;
    *a = -9.81;
}

// free between -1 and 1
static int clearance_side(Point p) {
    return p.x > 1 ? 1 : p.x < -1 ? 2 : 3;
}
static void clearance_piece(int side, double *k, double *a) {
    *k = side == 3 ? 0 : 40;
    *a = side == 3 ? 0 : side == 1 ? 40 : -40;
}

// potential |x|
static int edge_side(Point p) {
    return p.x > 0 ? 1 : 2;
}
static void edge_piece(int side, double *k, double *a) {
    *k = 0;
    *a = side == 1 ? -1 : 1;
}

// a spring with dry friction, from rest: comes to rest at turning points only, and goes on
static int friction_side(Point p) {
    return p.v > 0 ? 1 : p.v < 0 ? 2 : p.x > 0 ? 2 : 1;
}
static void friction_piece(int side, double *k, double *a) {
    *k = 1;
    *a = side == 1 ? -0.1 : 0.1;
}

static int wave_side(Point p) {
    return sin(7 * p.t) >= 0 ? 1 : 2;
}
static void wave_piece(int side, double *k, double *a) {
    *k = 0;
    *a = side == 1 ? 1 : -1;
}

static int pulse_side(Point p) {
    return p.t > 1 && p.t < 1.001 ? 1 : 2;
}
static void pulse_piece(int side, double *k, double *a) {
    *k = 0;
    *a = side == 1 ? 1000 : 0;
}

static int saturated_side(Point p) {
    return 3 * p.x > 1 ? 1 : 3 * p.x < -1 ? 2 : 3;
}
static void saturated_piece(int side, double *k, double *a) {
    *k = side == 3 ? 3 : 0;
    *a = side == 3 ? 0 : side == 1 ? -1 : 1;
}

// a spring as long as the load is on
static int until_side(Point p) {
    return p.t < 0.473 ? 1 : 2;
}
static void until_piece(int side, double *k, double *a) {
    *k = 4;
    *a = side == 1 ? 3 : -1;
}

#define COORDINATE(start, speed, law, rest)                                                        \
    "holonom: 1\nspace: planar\nbodies: [{name: x, type: coordinate, mass: 1, position: " start    \
    ", velocity: " speed "}]\nforces: [{name: f, type: expression, on: x, value: '" law            \
    "'}]\nsimulation: {" rest "}\n"
#define SLIDE(start, speed, law, rest)                                                             \
    "holonom: 1\nspace: planar\nbodies: [{name: b, mass: 1, inertia: 0.1, position: [" start       \
    ", 0], velocity: [" speed ", 0]}]\n"                                                           \
    "joints: [{name: S, type: prismatic, between: [ground, b], axis: [1, 0]}]\n"                   \
    "forces: [{name: f, type: force, on: b, value: ['" law "', 0]}]\nsimulation: {" rest "}\n"

typedef struct Case {
    const char *name, *text;
    Law law;
    Point start;
    double end;
} Case;

static const Case cases[] = {
    {"bounce",
     COORDINATE("1", "0", "-9.81 + if(x < 0, -1000*x, 0)", "end: 5"),
     {bounce_side, bounce_piece},
     {0, 1, 0},
     5},
    {"clearance",
     SLIDE("0", "3", "if(b.x > 1, -40*(b.x-1), if(b.x < -1, -40*(b.x+1), 0))", "end: 5"),
     {clearance_side, clearance_piece},
     {0, 0, 3},
     5},
    {"edge", COORDINATE("1", "0", "-sign(x)", "end: 7"), {edge_side, edge_piece}, {0, 1, 0}, 7},
    {"friction",
     SLIDE("1", "0", "-b.x - 0.1*sign(b.vx)", "end: 7"),
     {friction_side, friction_piece},
     {0, 1, 0},
     7},
    {"wave",
     COORDINATE("0", "0", "sign(sin(7*time))", "end: 7"),
     {wave_side, wave_piece},
     {0, 0, 0},
     7},
    {"pulse",
     COORDINATE("0", "0", "if(time > 1 && time < 1.001, 1000, 0)", "end: 3"),
     {pulse_side, pulse_piece},
     {0, 0, 0},
     3},
    {"saturated",
     COORDINATE("2", "0", "max(-1, min(1, -3*x))", "end: 7"),
     {saturated_side, saturated_piece},
     {0, 2, 0},
     7},
    {"until",
     SLIDE("0", "0", "if(time < 0.473, 3, -1) - 4*b.x", "end: 3"),
     {until_side, until_piece},
     {0, 0, 0},
     3},
};
enum { CASES = sizeof cases / sizeof *cases };

// ---- runs ----

typedef struct Ended {
    HolStatus status;
    HolModel *m;
    HolSim *s;
    HolError err;
} Ended;

static Ended run_with(const char *text, const char *method, const char *name, const char *value) {
    HolSetting set[] = {{"method", method}, {name, value}};
    HolSimOptions o;
    Ended r = {0};
    if (hol_model_parse(text, strlen(text), "kink.yaml", set, 2, &r.m, &o, &r.err))
        fail_msg("%s: %s", method, r.err.text);
    r.status = hol_sim_create(r.m, &o, &r.s, &r.err);
    if (r.status == HOL_ERR_UNSUPPORTED && !strcmp(method, "bdf"))
        return r; // (a build without SUNDIALS)
    if (r.status)
        fail_msg("%s: %s", method, r.err.text);
    o.max_steps = 100000;
    r.status = hol_sim_advance(r.s, o.end, &r.err);
    return r;
}

static void end(Ended *r) {
    hol_sim_destroy(r->s);
    hol_model_destroy(r->m);
}

static const char *const fine[] = {"tangent", "taylor", "radau",     "rk3",      "rk4",
                                   "rk853",   "bdf",    "explicit4", "explicit5"};
static const char *const second_order[] = {"newmark",   "hht",       "generalized-alpha",
                                           "dae-alpha", "explicit3", "central-differences"};

// error over tolerance at the end, each of x and v over its largest value
static double achieved(const Case *c, const char *method, const char *tolerance, long *steps,
                       Ended *r) {
    double most_x, most_v;
    const Point p = exact(&c->law, c->start, c->end, &most_x, &most_v);
    *r = run_with(c->text, method, "tolerance", tolerance);
    if (!r->s)
        return 0;
    *steps = hol_sim_stats(r->s).steps;
    if (r->status)
        return INFINITY;
    const HolView view = hol_sim_view(r->s);
    return fmax(fabs(view.q[0] - p.x) / most_x, fabs(view.v[0] - p.v) / most_v) / atof(tolerance);
}

static void within(const char *const *methods, int n, const char *const *tolerances) {
    const int verbose = getenv("KINKS_VERBOSE") != NULL;
    int bad = 0;
    for (int k = 0; k < CASES; k++)
        for (int i = 0; i < n; i++) {
            if (verbose)
                printf("%-10s %-20s", cases[k].name, methods[i]);
            for (int j = 0; j < 3; j++) {
                Ended r;
                long steps = 0;
                const double e = achieved(&cases[k], methods[i], tolerances[j], &steps, &r);
                if (verbose)
                    printf(" %10.3g (%5ld)", e, steps);
                if (!(e <= 30)) {
                    bad++;
                    if (!verbose)
                        print_error("%s, %s, %s: %g times the tolerance, %ld steps %s\n",
                                    cases[k].name, methods[i], tolerances[j], e, steps, r.err.text);
                }
                if (verbose && r.status)
                    printf(" %.200s", r.err.text);
                end(&r);
            }
            if (verbose)
                printf("\n");
        }
    assert_int_equal(bad, 0);
}

static void high_order(void **state) {
    (void)state;
    static const char *const tolerances[] = {"1e-4", "1e-6", "1e-8"};
    within(fine, sizeof fine / sizeof *fine, tolerances);
}

static void low_order(void **state) {
    (void)state;
    static const char *const tolerances[] = {"1e-3", "1e-4", "1e-5"};
    within(second_order, sizeof second_order / sizeof *second_order, tolerances);
}

// ---- fixed steps ----

// the series of taylor ends at kinks between points of the grid: exact but for round-off
static void fixed_steps(void **state) {
    (void)state;
    static const char *const steps[] = {"0.1", "0.05", "0.013"};
    for (int k = 0; k < CASES; k++)
        for (int j = 0; j < 3; j++) {
            double most_x, most_v;
            const Point p = exact(&cases[k].law, cases[k].start, cases[k].end, &most_x, &most_v);
            if (!strcmp(cases[k].name, "bounce") && j < 2)
                continue; // steps that the series does not reach over
            Ended r = run_with(cases[k].text, "taylor", "step", steps[j]);
            if (r.status)
                fail_msg("%s, step %s: %s", cases[k].name, steps[j], r.err.text);
            const HolView view = hol_sim_view(r.s);
            const double e = fmax(fabs(view.q[0] - p.x) / most_x, fabs(view.v[0] - p.v) / most_v);
            if (!(e < 1e-8))
                fail_msg("%s, step %s: off by %g", cases[k].name, steps[j], e);
            end(&r);
        }
}

// ---- forces that hold the motion ----

typedef struct Held {
    const char *name, *text;
    double time, x;  // where it comes to rest
    const char *law; // named
    const char *not_for[3];
} Held;

static const Held helds[] = {
    {"block", SLIDE("0", "2", "-3*sign(b.vx)", "end: 2"), 2. / 3, 2. / 3, "'f'", {NULL}},
    {"reaction",
     "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
     "bodies: [{name: b, mass: 1, inertia: 1e-3, velocity: [2, 0]}]\n"
     "joints: [{name: S, type: prismatic, between: [ground, b], axis: [1, 0]}]\n"
     "forces: [{name: fr, type: force, on: b, value: [\"-0.3*abs(S.fy)*sign(b.vx)\", 0]}]\n"
     "simulation: {end: 2}\n",
     2 / 2.943,
     2 / 2.943,
     "'fr'",
     {"radau", "bdf", NULL}},
    {"space",
     "holonom: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
     "bodies: [{name: b, mass: 1, inertia: [0.1, 0.1, 0.1], velocity: [2, 0, 0]}]\n"
     "joints: [{name: S, type: prismatic, bodies: [ground, b], at: [0, 0, 0], axis: [1, 0, 0]}]\n"
     "forces: [{name: fr, type: force, on: b, value: [\"-3*sign(b.vx)\", 0, 0]}]\n"
     "simulation: {end: 3}\n",
     2. / 3,
     2. / 3,
     "'fr'",
     {NULL}},
    // from rest on a belt of 0.5 m/s, held by a spring: x = 0.3 (1 - cos(w t)), w^2 = 10
    {"belt",
     SLIDE("0", "0", "3*sign(0.5 - b.vx) - 10*b.x", "end: 10"),
     0.17554472666,
     0.0450490243,
     "'f'",
     {NULL}},
    {"pushed", SLIDE("0", "0", "time - 3*sign(b.vx)", "end: 2"), 0, 0, "'f'", {NULL}},
};

static void holds(const Held *c, const char *method) {
    for (int i = 0; i < 3 && c->not_for[i]; i++)
        if (!strcmp(c->not_for[i], method))
            return;
    Ended r = run_with(c->text, method, "tolerance", "1e-6");
    if (!r.s) {
        end(&r);
        return;
    }
    const double t = hol_sim_time(r.s), x = hol_sim_view(r.s).q[0];
    if (r.status != HOL_ERR_STEP || fabs(t - c->time) > 3e-5 || fabs(x - c->x) > 3e-5 ||
        !strstr(r.err.text, "sticks") || !strstr(r.err.text, c->law) ||
        hol_sim_stats(r.s).steps > 5000)
        fail_msg("%s, %s: status %d at %.9g, x = %.9g, %ld steps: %s", c->name, method, r.status, t,
                 x, hol_sim_stats(r.s).steps, r.err.text);
    end(&r);
}

static void sticking(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof helds / sizeof *helds; k++) {
        for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
            holds(&helds[k], fine[i]);
        for (size_t i = 0; i < sizeof second_order / sizeof *second_order; i++)
            holds(&helds[k], second_order[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(high_order),
        cmocka_unit_test(low_order),
        cmocka_unit_test(fixed_steps),
        cmocka_unit_test(sticking),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
