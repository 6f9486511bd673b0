// SPDX-License-Identifier: Apache-2.0
// Equilibria against closed forms: chains between supports (catenaries of rods), a toggle, a
// tensegrity prism, spring pendulums, flutter of Ziegler's column; scaled, turned, in space, redundant;
// and what has none.
#include "random_mechanisms.h"
#include "sample_problems.h"
#include "text_run.h"

#include "holonom/equilibrium.h"

#include <math.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;

typedef struct Rest {
    HolModel *model;
    HolSim *sim;
    HolEquilibria *list;
    HolStatus status;
    HolError err;
} Rest;

static Rest find_rest(const char *text, int starts, double at) {
    Rest r = {.model = parse_model(text)};
    HolEquilibriumOptions o = hol_equilibrium_options();
    o.starts = starts;
    o.at = at;
    assert_int_equal(hol_sim_create(r.model, NULL, &r.sim, &r.err), HOL_OK);
    r.status = hol_equilibrium_find(r.sim, &o, &r.list, &r.err);
    return r;
}

static void free_rest(Rest *r) {
    hol_equilibria_destroy(r->list);
    hol_sim_destroy(r->sim);
    hol_model_destroy(r->model);
}

static double value_of(Rest *r, const char *name) {
    char at[128];
    double value;
    if (r->status)
        fail_msg("%s", r->err.text);
    for (int i = 0; hol_sim_final(r->sim, i, at, sizeof at, &value); i++)
        if (!strcmp(at, name))
            return value;
    fail_msg("no value %s", name);
    return NAN;
}

static void expect_at(Rest *r, const char *name, double value, double limit) {
    const double x = value_of(r, name);
    if (!(fabs(x - value) <= limit))
        fail_msg("%s: %.16g, expected %.16g (off by %.2e)", name, x, value, x - value);
}

// ---- chains ----

// Rods of length l between supports `span` apart, gravity g at an angle `turn` from straight down,
// begun as a V. span 0: hung by one end, begun straight along x.
static char *chain_text(int n, double l, double span, double g, double turn) {
    const size_t size = 400 * (size_t)n + 1000;
    char *text = calloc(size, 1);
    size_t used = 0;
    double x = 0, y = 0;
    const double c = cos(turn), s = sin(turn), m = 0.8;
#define PUT(...) used += (size_t)snprintf(text + used, size - used, __VA_ARGS__)
    PUT("holonom: 1\nspace: planar\ngravity: [%.17g, %.17g]\n", g * s, -g * c);
    PUT("ground: {points: {B: [%.17g, %.17g]}}\nbodies:\n", span * c, span * s);
    for (int i = 0; i < n; i++) {
        const double tilt = span > 0 ? acos(span / (n * l)) : 0;
        const double a = i < n / 2 ? -tilt : tilt;
        const double px = x + l / 2 * cos(a), py = y + l / 2 * sin(a);
        PUT("- {name: r%d, mass: %.17g, inertia: %.17g, position: [%.17g, %.17g], angle: %.17g, "
            "points: {l: [%.17g, 0], r: [%.17g, 0]}}\n",
            i + 1, m, m * l * l / 12, c * px - s * py, s * px + c * py, a + turn, -l / 2, l / 2);
        x += l * cos(a);
        y += l * sin(a);
    }
    PUT("joints:\n- {type: revolute, between: [ground, r1.l]}\n");
    for (int i = 1; i < n; i++)
        PUT("- {type: revolute, between: [r%d.r, r%d.l]}\n", i, i + 1);
    if (span > 0)
        PUT("- {type: revolute, between: [ground.B, r%d.r]}\n", n);
#undef PUT
    return text;
}

// H with sum_i l cos th_i = span, tan th_i = (i - n/2 - 1/2)/H in units of the weight of a rod
static double catenary_force(int n, double ratio) {
    double low = 0, high = 1e6;
    for (int k = 0; k < 200; k++) {
        const double H = 0.5 * (low + high);
        double sum = 0;
        for (int i = 1; i <= n; i++)
            sum += cos(atan((i - 0.5 * n - 0.5) / H));
        if (sum / n < ratio)
            low = H;
        else
            high = H;
    }
    return 0.5 * (low + high);
}

static void expect_catenary(int n, double l, double g, double turn) {
    char *text = chain_text(n, l, 0.7 * n * l, g, turn), name[32];
    Rest r = find_rest(text, 0, NAN);
    const double H = catenary_force(n, 0.7);
    for (int i = 1; i <= n; i++) {
        snprintf(name, sizeof name, "r%d.angle", i);
        expect_at(&r, name, atan((i - 0.5 * n - 0.5) / H) + turn, 1e-10);
    }
    const HolEquilibrium one = hol_equilibria_get(r.list, 0);
    assert_true(one.stable);
    assert_int_equal(one.unstable + one.neutral, 0);
    assert_false(one.initial);
    assert_true(one.residual < 1e-10 * n * 0.8 * g);
    free_rest(&r);
    free(text);
}

static void test_catenary(void **state) {
    (void)state;
    expect_catenary(4, 0.5, 9.81, 0);
    expect_catenary(6, 0.5, 9.81, 0);
    expect_catenary(40, 0.5, 9.81, 0);
}

static void test_long_catenary(void **state) {
    (void)state;
    expect_catenary(1000, 0.5, 9.81, 0);
}

// in micrometres and kilometres, on the moon of a dwarf, in turned axes
static void test_scaled(void **state) {
    (void)state;
    expect_catenary(8, 1e-6, 9.81, 0);
    expect_catenary(8, 1e3, 9.81, 0.7);
    expect_catenary(8, 0.1, 1e-4, -2.1);
}

// hung by one end, begun in a horizontal line: all rods hang
static void test_hanging(void **state) {
    (void)state;
    char *text = chain_text(12, 0.5, 0, 9.81, 0), name[32];
    Rest r = find_rest(text, 0, NAN);
    for (int i = 1; i <= 12; i++) {
        snprintf(name, sizeof name, "r%d.y", i);
        expect_at(&r, name, -0.5 * (i - 0.5), 1e-10);
    }
    assert_true(hol_equilibria_get(r.list, 0).stable);
    free_rest(&r);
    free(text);
}

// ---- several equilibria ----

static const char *const toggle =
    "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
    "ground: {points: {A: [-0.5, 0], B: [0.5, 0]}}\n"
    "bodies: [{name: p, type: point, mass: 3, position: [0.02, 0.25]}]\nforces:\n"
    "- {type: spring_damper, between: [ground.A, p], stiffness: 2000, length: 0.6}\n"
    "- {type: spring_damper, between: [ground.B, p], stiffness: 2000, length: 0.6}\n";

// x = 0: 2 k (1 - L/s) y = -m g, s = sqrt(1/4 + y^2); the three roots in 40 digits
static void test_toggle(void **state) {
    (void)state;
    static const double y[] = {0.30538627608187185, -0.3541702241973343, 0.0374133071022123};
    Rest r = find_rest(toggle, 20, NAN);
    expect_at(&r, "p.x", 0, 1e-12);
    expect_at(&r, "p.y", y[0], 1e-12);
    int met[3] = {0};
    double energy = -INFINITY;
    for (int i = 0; i < hol_equilibria_count(r.list); i++) {
        const HolEquilibrium one = hol_equilibria_get(r.list, i);
        if (i > 0) {
            assert_true(one.energy >= energy);
            energy = one.energy;
        }
        for (int k = 0; k < 3; k++)
            if (fabs(one.q[0]) < 1e-10 && fabs(one.q[1] - y[k]) < 1e-10) {
                met[k]++;
                assert_int_equal(one.stable, k < 2);
                assert_int_equal(one.unstable, k == 2);
                if (k == 2) // omega^2 = -253.32245006317095
                    assert_non_null(strstr(one.unstable_text, "p.y 100 %, grows as exp(15.9161"));
            }
    }
    for (int k = 0; k < 3; k++)
        assert_int_equal(met[k], 1);
    free_rest(&r);
}

static void test_spring_pendulum(void **state) {
    (void)state;
    Rest r = find_rest("holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
                       "bodies: [{name: p, type: point, mass: 1.5, position: [0.2, -0.75]}]\n"
                       "forces: [{type: spring_damper, between: [ground, p], stiffness: 300, "
                       "length: 0.8}]\n",
                       20, NAN);
    expect_at(&r, "p.x", 0, 1e-12);
    expect_at(&r, "p.y", -0.8 - 1.5 * 9.81 / 300, 1e-12);
    int upright = 0;
    for (int i = 1; i < hol_equilibria_count(r.list); i++) {
        const HolEquilibrium one = hol_equilibria_get(r.list, i);
        upright += fabs(one.q[1] - (0.8 - 1.5 * 9.81 / 300)) < 1e-10 && one.unstable == 1;
    }
    assert_int_equal(upright, 1);
    free_rest(&r);
}

// A position that is at rest is the answer, also where it is unstable; a run prefers to start below.
static const char *const upright =
    "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
    "bodies: [{name: rod, mass: 1, inertia: 0.1, position: [0, 0.5]}]\n"
    "joints: [{type: revolute, between: [ground, {body: rod, at: [0, -0.5]}]}]\n"
    "simulation: {end: 1, start_at: equilibrium}\n";

static void test_upright(void **state) {
    (void)state;
    Rest r = find_rest(upright, 0, NAN);
    HolEquilibrium one = hol_equilibria_get(r.list, 0);
    char rate[64];
    assert_true(one.initial);
    assert_int_equal(one.unstable, 1);
    snprintf(rate, sizeof rate, "grows as exp(%.6g t)", sqrt(9.81 * 0.5 / (0.1 + 0.25)));
    assert_non_null(strstr(one.unstable_text, rate));
    assert_true(hol_equilibria_count(r.list) == 2);
    one = hol_equilibria_get(r.list, 1);
    assert_true(one.stable);
    assert_true(fabs(one.q[1] + 0.5) < 1e-12);
    assert_int_equal(hol_equilibria_show(r.list, 1, r.sim, &r.err), HOL_OK);
    expect_at(&r, "rod.y", -0.5, 1e-12);
    assert_int_equal(hol_equilibria_show(r.list, 2, r.sim, &r.err), HOL_ERR_INPUT);
    free_rest(&r);
}

static void test_start_at(void **state) {
    (void)state;
    HolModel *m = NULL;
    HolSim *s = NULL;
    HolSimOptions o;
    HolError err;
    assert_int_equal(hol_model_parse(upright, strlen(upright), "m", NULL, 0, &m, &o, &err), HOL_OK);
    assert_int_equal(hol_sim_create(m, &o, &s, &err), HOL_OK);
    assert_int_equal(hol_sim_advance(s, 1, &err), HOL_OK);
    const HolView v = hol_sim_view(s);
    assert_true(fabs(v.q[0]) < 1e-12 && fabs(v.q[1] + 0.5) < 1e-12);
    assert_non_null(strstr(hol_sim_stats(s).note, "starts at rest in a stable equilibrium"));
    hol_sim_destroy(s);
    hol_model_destroy(m);
}

// One of many rods stands, the others hang, lengths of all sizes: more freedoms than dense matrices take.
static void test_many(void **state) {
    (void)state;
    enum { RODS = 230, STANDS = 137 };
    char *text = calloc(200000, 1), name[16];
    size_t used = 0;
    used += (size_t)sprintf(text, "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n");
    for (int i = 1; i <= RODS; i++) {
        const double l = 0.1 + 0.01 * i, up = i == STANDS ? 1 : -1;
        used += (size_t)sprintf(text + used,
                                "- {name: r%d, mass: 1, inertia: %.17g, position: [%d, %.17g]}\n",
                                i, l * l / 12, i, up * l / 2);
    }
    used += (size_t)sprintf(text + used, "joints:\n");
    for (int i = 1; i <= RODS; i++)
        used += (size_t)sprintf(text + used,
                                "- {type: revolute, bodies: [ground, r%d], at: [%d, 0]}\n", i, i);
    used += (size_t)sprintf(text + used, "forces:\n");
    for (int i = 1; i < RODS; i++) // which touch each other softly
        used += (size_t)sprintf(
            text + used, "- {type: torsion_spring_damper, between: [r%d, r%d], stiffness: 1e-3}\n",
            i, i + 1);
    Rest r = find_rest(text, 0, NAN);
    assert_int_equal(r.status, HOL_OK);
    const HolEquilibrium one = hol_equilibria_get(r.list, 0);
    assert_true(one.initial);
    assert_int_equal(one.unstable, 1);
    assert_int_equal(one.neutral, 0);
    snprintf(name, sizeof name, "r%d.", STANDS);
    assert_non_null(strstr(one.unstable_text, name));
    // 3 g / (2 l), but for the springs
    const double rate = sqrt(1.5 * 9.81 / (0.1 + 0.01 * STANDS));
    assert_true(fabs(strtod(strstr(one.unstable_text, "exp(") + 4, NULL) - rate) < 1e-3);
    assert_true(hol_equilibria_count(r.list) > 1);
    assert_true(hol_equilibria_get(r.list, 1).stable);
    free_rest(&r);
    free(text);
}

// ---- tensegrity ----

// Prism of three struts from a fixed triangle to three points, tied by springs: at each point above
// the cable and the strut pull and push with forces of one and the same height, so that
// sin phi = sin(phi + 2 pi/3), phi = pi/6 whatever the springs are.
static void test_tensegrity(void **state) {
    (void)state;
    char text[4000];
    size_t used = 0;
    const double twist = 0.9, height = 0.8, R = 0.5;
    const double dx = R * cos(twist + 2 * PI / 3) - R, dy = R * sin(twist + 2 * PI / 3);
    const double strut = sqrt(dx * dx + dy * dy + height * height);
#define PUT(...) used += (size_t)snprintf(text + used, sizeof text - used, __VA_ARGS__)
    PUT("holonom: 1\nspace: spatial\ngravity: [0, 0, 0]\nground:\n  points:\n");
    for (int i = 0; i < 3; i++)
        PUT("    g%d: [%.17g, %.17g, 0]\n", i, R * cos(i * 2 * PI / 3), R * sin(i * 2 * PI / 3));
    PUT("bodies:\n");
    for (int i = 0; i < 3; i++)
        PUT("- {name: p%d, type: point, mass: 1, position: [%.17g, %.17g, %.17g]}\n", i,
            R * cos(i * 2 * PI / 3 + twist), R * sin(i * 2 * PI / 3 + twist), height);
    PUT("joints:\n");
    for (int i = 0; i < 3; i++) // to the point 120 degrees ahead
        PUT("- {type: distance, between: [ground.g%d, p%d], length: %.17g}\n", i, (i + 1) % 3,
            strut);
    PUT("forces:\n");
    for (int i = 0; i < 3; i++) {
        PUT("- {type: spring_damper, between: [ground.g%d, p%d], stiffness: 900, length: 0.4}\n", i,
            i);
        PUT("- {type: spring_damper, between: [p%d, p%d], stiffness: 500, length: 0.3}\n", i,
            (i + 1) % 3);
    }
#undef PUT
    Rest r = find_rest(text, 0, NAN);
    for (int i = 0; i < 3; i++) {
        char name[3][16];
        for (int k = 0; k < 3; k++)
            snprintf(name[k], sizeof name[k], "p%d.%c", i, "xyz"[k]);
        const double angle = atan2(value_of(&r, name[1]), value_of(&r, name[0]));
        assert_true(fabs(remainder(angle - i * 2 * PI / 3 - PI / 6, 2 * PI)) < 1e-10);
        expect_at(&r, name[2], value_of(&r, "p0.z"), 1e-10);
    }
    assert_true(hol_equilibria_get(r.list, 0).stable);
    free_rest(&r);
}

// ---- redundant, driven, rolling, in space ----

// A bar on three parallel cranks: k (th - 0.5) + (3 m_c/2 + m_b) g l sin th = 0
static void test_redundant(void **state) {
    (void)state;
    char text[3000];
    size_t used = 0;
#define PUT(...) used += (size_t)snprintf(text + used, sizeof text - used, __VA_ARGS__)
    PUT("holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
        "ground: {points: {A: [0, 0], B: [1, 0], C: [2, 0]}}\nbodies:\n");
    for (int i = 0; i < 3; i++)
        PUT("- {name: c%d, mass: 0.5, inertia: 0.01, position: [%d, -0.2], "
            "points: {t: [0, 0.2], b: [0, -0.2]}}\n",
            i + 1, i);
    PUT("- {name: bar, mass: 2, inertia: 0.7, position: [1, -0.4], "
        "points: {a: [-1, 0], b: [0, 0], c: [1, 0]}}\njoints:\n");
    for (int i = 0; i < 3; i++)
        PUT("- {name: %c, type: revolute, between: [ground.%c, c%d.t]}\n"
            "- {name: %c, type: revolute, between: [c%d.b, bar.%c]}\n",
            'A' + i, 'A' + i, i + 1, 'a' + i, i + 1, 'a' + i);
    PUT("forces: [{type: torsion_spring_damper, joint: A, stiffness: 20, angle: 0.5}]\n");
#undef PUT
    double low = 0, high = 0.5;
    for (int k = 0; k < 100; k++) {
        const double th = 0.5 * (low + high);
        if (20 * (th - 0.5) + (3 * 0.5 / 2 + 2) * 9.81 * 0.4 * sin(th) < 0)
            low = th;
        else
            high = th;
    }
    Rest r = find_rest(text, 3, NAN);
    expect_at(&r, "c1.angle", low, 1e-10);
    expect_at(&r, "c3.angle", low, 1e-10);
    expect_at(&r, "bar.angle", 0, 1e-10);
    assert_true(hol_equilibria_get(r.list, 0).stable);
    // minimum-norm reactions are finite and small
    const HolView v = hol_sim_view(r.sim);
    for (int i = 0; i < v.m; i++)
        assert_true(fabs(v.lambda[i]) < 100);
    free_rest(&r);
}

// a pendulum on a carriage that is led along x: it hangs below the carriage of that time
static void test_driven(void **state) {
    (void)state;
    const char *text =
        "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
        "- {name: cart, mass: 1, inertia: 1}\n"
        "- {name: rod, mass: 1, inertia: 0.1, position: [0.5, 0], points: {top: [-0.5, 0]}}\n"
        "joints:\n- {name: guide, type: prismatic, between: [{body: ground, axis: [1, 0]}, cart]}\n"
        "- {type: revolute, between: [cart, rod.top]}\n"
        "motions: [{joint: guide, value: \"3*sin(time) + 0.3*time\"}]\n";
    Rest r = find_rest(text, 0, 40);
    expect_at(&r, "rod.x", 3 * sin(40) + 12, 1e-10);
    expect_at(&r, "rod.y", -0.5, 1e-10);
    expect_at(&r, "cart.vx", 0, 0);
    assert_true(hol_sim_time(r.sim) == 40);
    free_rest(&r);
}

static void test_no_freedom(void **state) {
    (void)state;
    Rest r =
        find_rest("holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
                  "bodies: [{name: rod, mass: 1, inertia: 0.1, position: [0.5, 0]}]\n"
                  "joints: [{name: O, type: revolute, between: [ground, {body: rod, at: [-0.5, "
                  "0]}]}]\nmotions: [{joint: O, value: \"0.3 + time\"}]\n",
                  3, 1);
    expect_at(&r, "rod.x", 0.5 * cos(1.3), 1e-12);
    const HolEquilibrium one = hol_equilibria_get(r.list, 0);
    assert_true(one.stable);
    assert_int_equal(hol_equilibria_count(r.list), 1);
    free_rest(&r);
}

// A heavy body on a ball joint, centre of mass off all axes: it hangs below, and may turn about the
// vertical.
static void test_ball_joint(void **state) {
    (void)state;
    const double l = sqrt(0.3 * 0.3 + 0.2 * 0.2 + 0.1 * 0.1);
    Rest r =
        find_rest("holonom: 1\nspace: spatial\ngravity: [1, 2, -9]\n"
                  "bodies: [{name: b, mass: 2, inertia: [1, 2, 2.5], position: [0.3, 0.2, 0.1]}]\n"
                  "joints: [{type: spherical, bodies: [ground, b], at: [0, 0, 0]}]\n",
                  4, NAN);
    const double g = sqrt(86);
    expect_at(&r, "b.x", l * 1 / g, 1e-10);
    expect_at(&r, "b.y", l * 2 / g, 1e-10);
    expect_at(&r, "b.z", -l * 9 / g, 1e-10);
    HolEquilibrium one = hol_equilibria_get(r.list, 0);
    assert_int_equal(one.neutral, 1);
    assert_int_equal(one.unstable, 0);
    assert_false(one.stable);
    assert_non_null(strstr(one.neutral_text, "b."));
    free_rest(&r);
}

// reactions that depend on algebraic variables that depend on reactions
static void test_variables(void **state) {
    (void)state;
    const char *text =
        "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
        "bodies: [{name: rod, mass: 1, inertia: 0.1, position: [0.5, 0]}]\n"
        "joints: [{name: O, type: revolute, between: [ground, {body: rod, at: [-0.5, 0]}]}]\n"
        "variables: [{name: N, value: abs(O.fy)}]\n"
        "forces: [{type: torque, on: rod, value: \"0.05*N\"}]\n";
    // fy = m g at rest: 0.05 m g = m g x
    Rest r = find_rest(text, 0, NAN);
    expect_at(&r, "rod.x", 0.05, 1e-10);
    assert_true(hol_equilibria_get(r.list, 0).stable);
    free_rest(&r);
}

// A disc that may roll stands upright: it falls about its track as m g r/(A + m r^2), rolls and steers
// freely.
static void test_rolling(void **state) {
    (void)state;
    const char *text =
        "holonom: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
        "- {name: disc, mass: 2, inertia: [0.045, 0.09, 0.045], "
        "position: [0, 0, 0.3], omega: [0, 5, 0]}\n"
        "joints: [{type: rolling, radius: 0.3, between: [{body: ground, at: [0, 0, 0], "
        "axis: [0, 0, 1]}, {body: disc, axis: [0, 1, 0]}]}]\n";
    char rate[64];
    Rest r = find_rest(text, 0, NAN);
    const HolEquilibrium one = hol_equilibria_get(r.list, 0);
    assert_true(one.initial);
    assert_int_equal(one.unstable, 1);
    assert_int_equal(one.neutral, 2);
    snprintf(rate, sizeof rate, "exp(%.6g t)", sqrt(2 * 9.81 * 0.3 / (0.045 + 2 * 0.09)));
    assert_non_null(strstr(one.unstable_text, rate));
    free_rest(&r);
}

// a C user's problem has no energy and no names
static void test_problem(void **state) {
    (void)state;
    const SamplePlanar data = sample_pendulum_data(0, 0);
    const HolProblem p = sample_planar(&data);
    HolSim *s;
    HolEquilibria *list;
    HolError err;
    double q[3], v[3];
    sample_pendulum_start(2, 0.3, q, v);
    assert_int_equal(hol_sim_create_problem(&p, q, v, NULL, &s, &err), HOL_OK);
    assert_int_equal(hol_equilibrium_find(s, NULL, &list, &err), HOL_OK);
    const HolEquilibrium one = hol_equilibria_get(list, 0);
    assert_true(one.stable);
    assert_true(fabs(one.q[0]) < 1e-12 && fabs(one.q[1] + 1) < 1e-12);
    assert_true(isnan(one.energy));
    hol_equilibria_destroy(list);
    hol_sim_destroy(s);
}

// ---- forces that follow ----

static void expect_ziegler(double P, double c, int stable) {
    char text[1500];
    snprintf(text, sizeof text,
             "holonom: 1\nspace: planar\nbodies:\n"
             "- {name: bar1, mass: 2, inertia: 0, position: [0.5, 0], points: {i: [-0.5, 0]}}\n"
             "- {name: bar2, mass: 1, inertia: 0, position: [1, 0], points: {i: [-0.5, 0]}}\n"
             "joints:\n- {name: O, type: revolute, between: [ground, bar1.i]}\n"
             "- {name: Q, type: revolute, between: [bar1, bar2.i]}\nforces:\n"
             "- {type: torsion_spring_damper, joint: O, stiffness: 10, damping: %g}\n"
             "- {type: torsion_spring_damper, joint: Q, stiffness: 10, damping: %g}\n"
             "- {type: force, on: bar2, value: [%.17g, 0], frame: body}\n",
             c, c, -P);
    Rest r = find_rest(text, 0, NAN);
    if (r.status)
        fail_msg("%s", r.err.text);
    const HolEquilibrium one = hol_equilibria_get(r.list, 0);
    assert_int_equal(one.stable, stable);
    assert_int_equal(strstr(one.unstable_text, "flutter") != NULL, !stable);
    free_rest(&r);
}

// flutter at (7/2 - sqrt 2) k/l, with small equal dampers at 41/28 k/l
static void test_flutter(void **state) {
    (void)state;
    const double limit = 20 * (3.5 - sqrt(2)), damped = 20 * 41.0 / 28;
    expect_ziegler(limit * (1 - 1e-4), 0, 1);
    expect_ziegler(limit * (1 + 1e-4), 0, 0);
    expect_ziegler(damped * (1 - 1e-3), 1e-3, 1);
    expect_ziegler(damped * (1 + 1e-3), 1e-3, 0);
}

// ---- random mechanisms ----

// a run that begins there, with equations and assembly of its own, has no accelerations
static double largest_acceleration(const HolModel *m, const double *q) {
    HolSim *s;
    HolError err;
    const HolProblem *p = hol_model_problem(m);
    double *v = calloc((size_t)p->nv + 1, sizeof *v), most = 0;
    assert_int_equal(hol_sim_create_problem(p, q, v, NULL, &s, &err), HOL_OK);
    assert_int_equal(hol_sim_assemble(s, &err), HOL_OK);
    const HolView view = hol_sim_view(s);
    for (int i = 0; i < view.nv; i++)
        most = fmax(most, fabs(view.a[i]));
    hol_sim_destroy(s);
    free(v);
    return most;
}

// trees in plane and space, four-bars, slider-cranks, nets of springs, one-sided springs, of 1 cm to 10 m
static void test_random(void **state) {
    (void)state;
    static char text[100000];
    int stable = 0;
    for (int i = 0; i < 60; i++) {
        unsigned seed = 7919u * (unsigned)i + 13u;
        write_mechanism(text, sizeof text, &seed, i);
        Rest r = find_rest(text, -1, NAN);
        if (r.status)
            fail_msg("%d: %s", i, r.err.text);
        const HolEquilibrium one = hol_equilibria_get(r.list, 0);
        if (one.unstable)
            fail_msg("%d falls to an unstable equilibrium", i);
        const double a = largest_acceleration(r.model, one.q);
        if (!(a < 1e-8))
            fail_msg("%d: an acceleration of %g is left", i, a);
        stable += one.stable;
        free_rest(&r);
    }
    assert_true(stable >= 45);
}

// ---- none ----

static void expect_none(const char *text, const char *body, const char *why) {
    Rest r = find_rest(text, -1, NAN);
    assert_int_equal(r.status, HOL_ERR_CONVERGE);
    assert_null(r.list);
    if (!strstr(r.err.text, body) || !strstr(r.err.text, why))
        fail_msg("'%s' names neither %s nor %s", r.err.text, body, why);
    free_rest(&r);
}

static void test_none(void **state) {
    (void)state;
    expect_none("holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
                "- {name: ball, type: point, mass: 2}\n"
                "- {name: rod, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
                "joints: [{type: revolute, between: [ground, {body: rod, at: [-0.5, 0]}]}]\n",
                "'ball'", "a force of 19.62 N");
    expect_none("holonom: 1\nspace: planar\nbodies: [{name: shaft, mass: 1, inertia: 0.1}]\n"
                "joints: [{type: revolute, between: [ground, shaft]}]\n"
                "forces: [{type: torque, on: shaft, value: 3}]\n",
                "'shaft'", "a torque of 3 N m");
    // a torque beyond what the weight can hold: 6 N m against m g l = 4.905 N m
    expect_none("holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
                "bodies: [{name: arm, mass: 1, inertia: 0.1, position: [0.5, 0]}]\n"
                "joints: [{type: revolute, between: [ground, {body: arm, at: [-0.5, 0]}]}]\n"
                "forces: [{type: torque, on: arm, value: 6}]\n",
                "'arm'", "turn on and on");
}

// falls 50 of its sizes onto a spring that acts only there
static void test_far(void **state) {
    (void)state;
    Rest r =
        find_rest("holonom: 1\nspace: planar\ngravity: [0, -10]\n"
                  "bodies: [{name: ball, mass: 1, inertia: 0.1, position: [0, 50]}]\n"
                  "joints: [{type: prismatic, between: [{body: ground, axis: [0, 1]}, ball]}]\n"
                  "forces: [{type: force, on: ball, value: [0, \"1000*max(0, -ball.y)\"]}]\n",
                  0, NAN);
    expect_at(&r, "ball.y", -0.01, 1e-10);
    free_rest(&r);
}

static void test_arguments(void **state) {
    (void)state;
    HolEquilibria *list = NULL;
    HolEquilibriumOptions o = hol_equilibrium_options();
    HolError err;
    TextRun r = open_text(toggle, "tangent", 1e-6);
    assert_int_equal(hol_equilibrium_find(NULL, NULL, &list, &err), HOL_ERR_INPUT);
    assert_int_equal(hol_equilibrium_find(r.sim, NULL, NULL, &err), HOL_ERR_INPUT);
    o.at = INFINITY;
    assert_int_equal(hol_equilibrium_find(r.sim, &o, &list, &err), HOL_ERR_INPUT);
    const volatile int stop = 1;
    hol_sim_stop_flag(r.sim, &stop);
    assert_int_equal(hol_equilibrium_find(r.sim, NULL, &list, &err), HOL_INTERRUPTED);
    hol_sim_stop_flag(r.sim, NULL);
    advance_text(&r, 0.1);
    assert_int_equal(hol_equilibrium_find(r.sim, NULL, &list, &err), HOL_ERR_INPUT);
    assert_non_null(strstr(err.text, "has begun"));
    assert_null(list);
    assert_int_equal(hol_equilibria_count(NULL), 0);
    hol_equilibria_destroy(NULL);
    close_text(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_catenary),   cmocka_unit_test(test_long_catenary),
        cmocka_unit_test(test_scaled),     cmocka_unit_test(test_hanging),
        cmocka_unit_test(test_toggle),     cmocka_unit_test(test_spring_pendulum),
        cmocka_unit_test(test_many),       cmocka_unit_test(test_upright),
        cmocka_unit_test(test_start_at),   cmocka_unit_test(test_tensegrity),
        cmocka_unit_test(test_redundant),  cmocka_unit_test(test_driven),
        cmocka_unit_test(test_no_freedom), cmocka_unit_test(test_ball_joint),
        cmocka_unit_test(test_variables),  cmocka_unit_test(test_rolling),
        cmocka_unit_test(test_problem),    cmocka_unit_test(test_random),
        cmocka_unit_test(test_flutter),    cmocka_unit_test(test_none),
        cmocka_unit_test(test_far),        cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
