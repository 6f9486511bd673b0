// SPDX-License-Identifier: Apache-2.0
// Contacts among many bodies: pairs by cells against all pairs, the law against the located contact of a
// pair, conservation, the ledger, bits, friction against the closed form.
#include "model/contact/crowd.h"
#include "text_run.h"

#include <stdlib.h>

// ---- cells ----

enum { BALLS = 400 };

typedef struct Found {
    unsigned char seen[BALLS][BALLS];
    int n, twice;
} Found;

static void see(void *context, int i, int j) {
    Found *f = context;
    f->n++;
    f->twice |= f->seen[i][j] || f->seen[j][i];
    f->seen[i][j] = f->seen[j][i] = 1;
}

static double random_number(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 24);
}

// radii between 1 and `ratio`, box of `size`; scale of all lengths
static void check_pairs(int plane, double ratio, double size, double scale) {
    static Found found;
    HolCrowdBall balls[BALLS];
    HolCrowd c = {.balls = balls, .n = BALLS};
    unsigned seed = 7;
    int expected = 0;
    for (int i = 0; i < BALLS; i++)
        balls[i] =
            (HolCrowdBall){.body = i + 1, .radius = scale * pow(ratio, random_number(&seed))};
    hol_crowd_levels(&c);
    double *memory = calloc(hol_crowd_work_size(&c), sizeof *memory);
    HolCrowdWork w = hol_crowd_work(&c, memory);
    for (int i = 0; i < BALLS; i++)
        for (int k = 0; k < 3; k++)
            w.x[3 * i + k] = plane && k == 2 ? 0 : scale * size * (random_number(&seed) - 0.5);
    memset(&found, 0, sizeof found);
    const double margin = 0.5 * c.least;
    hol_crowd_sort(&c, &w);
    hol_crowd_pairs(&c, &w, plane, margin, see, &found);
    for (int i = 0; i < BALLS; i++)
        for (int j = i + 1; j < BALLS; j++) {
            double sum = 0;
            for (int k = 0; k < 3; k++)
                sum += (w.x[3 * i + k] - w.x[3 * j + k]) * (w.x[3 * i + k] - w.x[3 * j + k]);
            const int near = sqrt(sum) < balls[i].radius + balls[j].radius + margin;
            expected += near;
            if (near != found.seen[i][j])
                fail_msg("balls %d and %d, ratio %g: %d", i, j, ratio, found.seen[i][j]);
        }
    assert_int_equal(found.n, expected);
    assert_int_equal(found.twice, 0);
    assert_true(expected > 100);
    free(memory);
}

static void test_pairs(void **state) {
    (void)state;
    check_pairs(0, 1, 12, 1);
    check_pairs(0, 3, 16, 1e-6);
    check_pairs(0, 40, 100, 1e6);
    check_pairs(1, 1, 40, 1);
    check_pairs(1, 20, 150, 1e-3);
}

// ---- the law ----

static const char *const pair_text =
    "holonom: 1\nspace: %s\nbodies:\n"
    "  - {name: a, mass: 1, inertia: %s, position: %s, velocity: %s}\n"
    "  - {name: b, mass: 2, inertia: %s, position: %s, velocity: %s}\n"
    "contacts:\n  - {name: c, %s, %s}\n"
    "outputs: [a.x, a.vx, b.x, b.vx, a.vy, energy.numerical]\n"
    "simulation: {end: 0.5}\n";

static void pair_model(char *out, size_t size, int plane, int crowd, const char *law) {
    // (the damping of a pair that turns differs: its speed of touch is known by the depth alone)
    const int centred = strstr(law, "restitution") != NULL;
    const char *inertia = plane ? "0.01" : "[0.01, 0.01, 0.01]";
    const char *shapes = plane ? (crowd ? "among: [{body: '*', circle: {radius: 0.1}}]"
                                        : "between: [{body: a, circle: {radius: 0.1}}, {body: b, "
                                          "circle: {radius: 0.1}}]")
                               : (crowd ? "among: [{body: '*', sphere: {radius: 0.1}}]"
                                        : "between: [{body: a, sphere: {radius: 0.1}}, {body: b, "
                                          "sphere: {radius: 0.1}}]");
    snprintf(out, size, pair_text, plane ? "planar" : "spatial", inertia,
             plane ? "[-0.15, 0]" : "[-0.15, 0, 0]", plane ? "[1, 0]" : "[1, 0, 0]", inertia,
             plane ? (centred ? "[0.15, 0]" : "[0.15, 0.03]")
                   : (centred ? "[0.15, 0, 0]" : "[0.15, 0.03, 0]"),
             plane ? "[-0.5, 0]" : "[-0.5, 0, 0]", shapes, law);
}

// the pair alone, whose damping follows from the speed of touch
static void test_as_pair(void **state) {
    (void)state;
    static const char *const laws[] = {
        "stiffness: 1e6",
        "stiffness: 1e6, restitution: 0.6",
        "stiffness: 1e5, restitution: 0.2, exponent: 1",
        "stiffness: 1e8, restitution: 0.95, exponent: 2",
        "stiffness: 1e6, dissipation: 0.4",
        "hertz: {E1: 1e8, nu1: 0.3, E2: 2e8, nu2: 0.2}, restitution: 0.7",
    };
    static const char *const methods[] = {"rk853", "radau", "tangent"};
    for (int plane = 0; plane < 2; plane++)
        for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
            char text[1200];
            pair_model(text, sizeof text, plane, 0, laws[i]);
            TextRun exact = open_text(text, "rk853", 1e-11);
            advance_text(&exact, 0.4);
            pair_model(text, sizeof text, plane, 1, laws[i]);
            for (int k = 0; k < 3; k++) {
                const double tolerance = k == 2 ? 1e-7 : 1e-9, limit = k == 2 ? 2e-6 : 2e-7;
                TextRun r = open_text(text, methods[k], tolerance);
                advance_text(&r, 0.4);
                expect_text(&r, "a.x", text_value(&exact, "a.x"), limit);
                expect_text(&r, "b.vx", text_value(&exact, "b.vx"), limit);
                expect_text(&r, "a.vy", text_value(&exact, "a.vy"), limit);
                expect_text(&r, "energy.numerical", 0, 30 * tolerance);
                close_text(&r);
            }
            close_text(&exact);
        }
}

// head on: the restitution, at any speed
static void test_restitution(void **state) {
    (void)state;
    for (double speed = 1e-3; speed < 50; speed *= 100)
        for (int i = 0; i < 3; i++) {
            const double e = i == 0 ? 0.05 : i == 1 ? 0.5 : 0.999;
            char text[1200];
            snprintf(
                text, sizeof text,
                "holonom: 1\nspace: spatial\nbodies:\n"
                "  - {name: a, mass: 1, inertia: [1, 1, 1], position: [-0.11, 0, 0], velocity: "
                "[%.17g, 0, 0]}\n"
                "  - {name: b, mass: 3, inertia: [1, 1, 1], position: [0.11, 0, 0]}\n"
                "contacts:\n  - {name: c, among: [{body: a, sphere: {radius: 0.1}}, {body: b, "
                "sphere: {radius: 0.1}}], stiffness: 1e7, restitution: %g}\n"
                "outputs: [a.vx, b.vx]\nsimulation: {end: %g}\n",
                speed, e, 0.1 / speed);
            TextRun r = open_text(text, "rk853", 1e-9);
            advance_text(&r, 0.1 / speed);
            const double after = text_value(&r, "b.vx") - text_value(&r, "a.vx");
            if (!(fabs(after / speed - e) < 1e-6))
                fail_msg("speed %g: %.9g, not %g", speed, after / speed, e);
            close_text(&r);
        }
}

// ---- conservation ----

enum { FREE = 12 };

// a cloud of balls and a plate that they hit, free in space
static char *cloud(void) {
    char *text = malloc(20000), *at = text;
    at += sprintf(at, "holonom: 1\nspace: spatial\nbodies:\n");
    for (int i = 0; i < FREE; i++)
        at += sprintf(
            at,
            "  - {name: g%d, mass: %g, inertia: [4e-4, 4e-4, 4e-4], position: [%g, %g, %g], "
            "velocity: [%g, %g, %g], omega: [%g, 3, -2]}\n",
            i, 1 + 0.1 * i, 0.21 * (i % 3), 0.22 * (i / 3 % 2), 0.11 + 0.21 * (i / 6), sin(3 * i),
            cos(5 * i), -0.5 + sin(7 * i), 5 * sin(i));
    at += sprintf(at,
                  "  - {name: plate, mass: 20, inertia: [1, 1, 2], position: [0, 0, -0.1]}\n"
                  "contacts:\n  - name: c\n    among: [{body: 'g*', sphere: {radius: 0.1}}]\n"
                  "    walls: [{body: plate, plane: {at: [0, 0, 0.1], normal: [0, 0, 1]}}]\n"
                  "    stiffness: 1e6\n    restitution: 0.7\n    friction: {mu: 0.3, speed: 0.02}\n"
                  "outputs: [energy.total, energy.work, energy.numerical");
    for (int i = 0; i <= FREE; i++) {
        static const char *const of[] = {"x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz"};
        for (int k = 0; k < 9; k++)
            at += i < FREE ? sprintf(at, ", g%d.%s", i, of[k]) : sprintf(at, ", plate.%s", of[k]);
    }
    sprintf(at, "]\nsimulation: {end: 1}\n");
    return text;
}

static void momenta(TextRun *r, double out[3]) {
    memset(out, 0, 3 * sizeof *out);
    for (int i = 0; i <= FREE; i++) {
        static const char *const of[] = {"x", "y", "z", "vx", "vy", "vz"};
        double x[6];
        for (int k = 0; k < 6; k++) {
            char name[40];
            if (i < FREE)
                snprintf(name, sizeof name, "g%d.%s", i, of[k]);
            else
                snprintf(name, sizeof name, "plate.%s", of[k]);
            x[k] = text_value(r, name);
        }
        for (int k = 0; k < 3; k++)
            out[k] += (i < FREE ? 1 + 0.1 * i : 20) * x[3 + k];
    }
}

static void test_conservation(void **state) {
    (void)state;
    char *text = cloud();
    static const char *const methods[] = {"rk853", "tangent", "generalized-alpha"};
    for (int i = 0; i < 3; i++) {
        const double tolerance = i == 0 ? 1e-7 : 1e-5;
        TextRun r = open_text(text, methods[i], tolerance);
        double first[3], last[3];
        advance_text(&r, 0);
        momenta(&r, first);
        const double energy = text_value(&r, "energy.total");
        advance_text(&r, 0.2);
        momenta(&r, last);
        for (int k = 0; k < 3; k++)
            if (!(fabs(last[k] - first[k]) < 1e-12))
                fail_msg("%s: momentum %d changed by %g", methods[i], k, last[k] - first[k]);
        assert_true(text_value(&r, "energy.total") < energy - 0.5); // (many have met)
        expect_text(&r, "energy.numerical", 0, 30 * tolerance * energy);
        if (i == 0) { // the same bits again
            TextRun third = open_text(text, methods[i], tolerance);
            advance_text(&third, 0.2);
            assert_true(text_value(&r, "g5.x") == text_value(&third, "g5.x"));
            assert_true(text_value(&r, "g7.wy") == text_value(&third, "g7.wy"));
            close_text(&third);
        }
        close_text(&r);
    }
    free(text);
}

// two spinning balls that rub: angular momentum of both, with their places
static void test_angular_momentum(void **state) {
    (void)state;
    static const char text[] =
        "holonom: 1\nspace: spatial\nbodies:\n"
        "  - {name: a, mass: 1, inertia: [4e-3, 4e-3, 4e-3], position: [-0.1, 0.02, 0], velocity: "
        "[1, 0, 0.2], omega: [3, -20, 9]}\n"
        "  - {name: b, mass: 2, inertia: [8e-3, 8e-3, 8e-3], position: [0.12, 0, 0.03], omega: [0, "
        "5, "
        "0], points: {p: [0.01, 0.02, 0]}}\n"
        "contacts:\n  - {name: c, among: [{body: a, sphere: {radius: 0.1}}, {body: b, sphere: "
        "{radius: "
        "0.1, at: p}}], stiffness: 1e6, restitution: 0.8, friction: {mu: 0.4, mu_static: 0.6, "
        "stribeck: 0.1}}\n"
        "variables:\n"
        "  - {name: Lx, value: 'a.y*a.vz - a.z*a.vy + 2*(b.y*b.vz - b.z*b.vy) + 4e-3*a.wx + "
        "8e-3*b.wx'}\n"
        "  - {name: Ly, value: 'a.z*a.vx - a.x*a.vz + 2*(b.z*b.vx - b.x*b.vz) + 4e-3*a.wy + "
        "8e-3*b.wy'}\n"
        "  - {name: Lz, value: 'a.x*a.vy - a.y*a.vx + 2*(b.x*b.vy - b.y*b.vx) + 4e-3*a.wz + "
        "8e-3*b.wz'}\n"
        "outputs: [Lx, Ly, Lz, a.wz, energy.numerical]\nsimulation: {end: 0.3}\n";
    TextRun r = open_text(text, "rk853", 1e-9);
    advance_text(&r, 0);
    const double x = text_value(&r, "Lx"), y = text_value(&r, "Ly"), z = text_value(&r, "Lz");
    advance_text(&r, 0.3);
    assert_true(fabs(text_value(&r, "a.wz") - 9) > 1); // (it was rubbed)
    expect_text(&r, "Lx", x, 1e-9);
    expect_text(&r, "Ly", y, 1e-9);
    expect_text(&r, "Lz", z, 1e-9);
    expect_text(&r, "energy.numerical", 0, 1e-7);
    close_text(&r);
}

// a ball thrown onto the floor without spin slides, then rolls with 5/7 of its speed
static void test_slip_to_roll(void **state) {
    (void)state;
    static const char *const methods[] = {"rk853", "radau", "bdf"};
    for (int i = 0; i < 3; i++) {
        TextRun r = open_text(
            "holonom: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
            "  - {name: a, mass: 1, inertia: [0.004, 0.004, 0.004], position: [0, 0, "
            "0.0999999953839], velocity: [0.5, 0, 0]}\n" // (its weight presses it in so far)
            "contacts:\n  - {name: c, among: [{body: a, sphere: {radius: 0.1}}], walls: [{body: "
            "ground, "
            "plane: {normal: [0, 0, 1]}}], stiffness: 9.89138e12, friction: {mu: 0.3, speed: "
            "1e-5}}\n"
            "outputs: [a.x, a.vx, a.wy, a.z]\nsimulation: {end: 0.1}\n",
            methods[i], 1e-6);
        advance_text(&r, 0.01);
        expect_text(&r, "a.vx", 0.5 - 0.3 * 9.81 * 0.01, 1e-4);
        advance_text(&r, 0.055);
        expect_text(&r, "a.vx", 0.5 * 5 / 7, 1e-4);
        expect_text(&r, "a.wy", 5 / 0.7 * 0.5, 1e-3);
        close_text(&r);
    }
}

static void test_refusals(void **state) {
    (void)state;
    char text[1200];
    HolError err;
    pair_model(text, sizeof text, 0, 1, "stiffness: 1e6");
    HolModel *m = parse_model(text);
    HolSimOptions o = hol_sim_options();
    HolSim *s = NULL;
    snprintf(o.method.name, sizeof o.method.name, "taylor");
    assert_int_equal(hol_sim_create(m, &o, &s, &err), HOL_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.text, "'c'"));
    snprintf(o.method.name, sizeof o.method.name, "auto");
    assert_int_equal(hol_sim_create(m, &o, &s, &err), HOL_OK);
    HolModes *modes = NULL;
    assert_int_equal(hol_sim_modes(s, NULL, &modes, &err), HOL_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.text, "among many bodies"));
    hol_sim_destroy(s);
    hol_model_destroy(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_as_pair),
        cmocka_unit_test(test_restitution),
        cmocka_unit_test(test_conservation),
        cmocka_unit_test(test_angular_momentum),
        cmocka_unit_test(test_slip_to_roll),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
