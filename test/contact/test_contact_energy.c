// SPDX-License-Identifier: Apache-2.0
// Impacts with friction never add energy (src/solve/event/impact_energy.c): Kane's double pendulum, whose
// tip hits a floor. Newton's restitution would add energy; expected are the impulses of Poisson's law,
// by the two freedoms of the pendulum: compression and restitution each slide or stick.
#include "text_run.h"

typedef struct Fall {
    double a, b, w1, w2, e, mu; // angles and rates of both rods
    double normal, along, loss; // impulses
} Fall;

static const Fall falls[] = {
    // sticks, restitution sticks
    {0.8370284162509243, 0.4794979853553232, -1.6564631274099801, -0.5371066809026681, 0.9, 0.5,
     8.37871291191637, -2.8117716516008695, 0.7926615179530829},
    // sticks, then slides back
    {-0.5254311638370402, -0.34988468332832445, 0.8957181926748241, 0.38423386301609863, 0.9, 0.3,
     8.783179757069618, 2.3292034009532863, 0.302518916003768},
    // slides, then sticks
    {-0.12817643338320384, -0.8596916897773053, 0.23216105146607102, 2.342282952074936, 0.9, 0.3,
     1.285519257961821, -0.08616212579745064, 0.4376932460670151},
    // slides, then slides back
    {-0.678191758140561, -0.8776985621198836, 1.7896768473823315, 2.8561725554281256, 0.9, 0.5,
     2.1079088237053165, -0.05547128483435043, 2.123244112593384},
};
enum { FALLS = sizeof falls / sizeof *falls };

static void pendulum_text(const Fall *f, char *text, size_t size) {
    const double s1 = sin(f->a), c1 = cos(f->a), s2 = sin(f->b), c2 = cos(f->b), h = c1 + c2;
    snprintf(
        text, size,
        "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nground: {points: {O: [0, %.17g]}}\n"
        "bodies:\n  - {name: p, mass: 1, inertia: 1/12, position: [%.17g, %.17g], angle: %.17g, "
        "omega: %.17g, velocity: [%.17g, %.17g], points: {top: [0, 0.5], end: [0, -0.5]}}\n"
        "  - {name: q, mass: 1, inertia: 1/12, position: [%.17g, %.17g], angle: %.17g, omega: "
        "%.17g, velocity: [%.17g, %.17g], points: {top: [0, 0.5], end: [0, -0.5]}}\n"
        "joints:\n  - {name: O, type: revolute, between: [ground.O, p.top]}\n"
        "  - {name: A, type: revolute, between: [p.end, q.top]}\n"
        "contacts:\n  - {name: tip, between: [{body: ground, line: {normal: [0, 1]}}, {body: q, "
        "point: {at: end}}], stiffness: rigid, restitution: %g, friction: {mu: %g}}\n",
        h, 0.5 * s1, h - 0.5 * c1, f->a, f->w1, 0.5 * f->w1 * c1, 0.5 * f->w1 * s1, s1 + 0.5 * s2,
        h - c1 - 0.5 * c2, f->b, f->w2, f->w1 * c1 + 0.5 * f->w2 * c2,
        f->w1 * s1 + 0.5 * f->w2 * s2, f->e, f->mu);
}

static void test_kane(void **state) {
    (void)state;
    static const char *const methods[] = {"taylor", "rk853", "tangent", "newmark", "bdf"};
    for (int k = 0; k < FALLS; k++)
        for (int i = 0; i < 5; i++) {
            const Fall *f = &falls[k];
            char text[2000];
            HolEvent e;
            pendulum_text(f, text, sizeof text);
            TextRun r = open_text(text, methods[i], 1e-9);
            advance_text(&r, 1e-13);
            assert_int_equal(r.status, HOL_OK);
            assert_true(hol_sim_event(r.sim, 0, &e));
            assert_string_equal(e.kind, "impact");
            assert_true(fabs(e.impulse_n - f->normal) < 1e-11);
            assert_true(fabs(e.impulse_t - f->along) < 1e-11);
            assert_true(fabs(e.loss - f->loss) < 1e-11);
            expect_text(&r, "energy.impact", f->loss, 1e-11);
            expect_text(&r, "energy.numerical", 0, 1e-11);
            assert_non_null(strstr(hol_sim_stats(r.sim).note, "Poisson"));
            close_text(&r);
        }
}

// whatever falls on the floor: no impact gives energy, and the ledger closes
static void test_never_adds(void **state) {
    (void)state;
    for (int k = 0; k < 300; k++) {
        static const double restitution[] = {0, 0.5, 0.9, 1}, friction[] = {0.05, 0.3, 0.5, 1};
        const Fall f = {uniform(-1.2, 1.2),
                        uniform(-1.2, 1.2),
                        uniform(-3, 3),
                        uniform(-3, 3),
                        restitution[k % 4],
                        friction[k / 4 % 4],
                        0,
                        0,
                        0};
        char text[2000];
        HolEvent e;
        pendulum_text(&f, text, sizeof text);
        TextRun r = open_text(text, "taylor", 1e-9);
        advance_text(&r, 0);
        // (some positions have no solution with so much friction)
        if (r.status == HOL_OK) {
            for (int i = 0; hol_sim_event(r.sim, i, &e); i++)
                assert_true(e.loss >= -1e-12);
            expect_text(&r, "energy.numerical", 0, 1e-9);
            assert_true(text_value(&r, "tip.speed") > -1e-12);
        }
        close_text(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kane),
        cmocka_unit_test(test_never_adds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
