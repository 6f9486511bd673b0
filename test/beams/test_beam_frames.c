// SPDX-License-Identifier: Apache-2.0
// Frames, cables and vibrations against closed forms: L-frames in space, the elastic catenary, buckling of a
// portal, frequencies with masses at the end, of strings, hanging chains, rings, continuous and damped
// rods; modal bodies at rest and in vibration.
#include "beam_run.h"
#include "rod_bvp.h"

static void close_to(const char *what, double x, double expected, double part) {
    if (!(fabs(x - expected) <= part * fabs(expected)))
        fail_msg("%s: %.10g instead of %.10g, %.2e", what, x, expected, fabs(x / expected - 1));
}

// errors with n and 2n elements: the finer one, and the order
static void falls(const char *what, double coarse, double fine, double most, double order) {
    if (!(coarse <= most) || !(log2(coarse / fine) >= order))
        fail_msg("%s: errors %.2e, %.2e", what, coarse, fine);
}

// a root of f between a and b
static double root(double (*f)(double x, const double *p), const double *p, double a, double b) {
    double fa = f(a, p);
    for (int i = 0; i < 200; i++) {
        const double c = 0.5 * (a + b), fc = f(c, p);
        if ((fc > 0) == (fa > 0))
            a = c, fa = fc;
        else
            b = c;
    }
    return 0.5 * (a + b);
}

// ---- statics ----

static void test_corner(void **state) {
    (void)state;
    static const double K[6] = {1e5, 5e4, 5e4, 1.3, 2, 3};
    Rod d = {.n = 2, .p = {1, 0, 0, 0}, .P = {1, -0.5, -1.5}};
    RodState end;
    for (int i = 0; i < 6; i++)
        d.C[7 * i] = 1 / K[i];
    d.piece[0].length = 1;
    d.piece[1].length = 0.8;
    d.piece[1].turn[2] = M_PI / 2;
    assert_true(rod_rest(d, 4, &end));
    double e[2];
    for (int k = 0; k < 2; k++) {
        char text[1500];
        double x[3];
        snprintf(
            text, sizeof text,
            "holonom: 1\nspace: spatial\nbodies:\n"
            "  - {name: leg, type: beam, from: ground, to: [1, 0, 0], elements: %d, stiffness: "
            "{EA: 1.0e5, GA: 5.0e4, GJ: 1.3, EIy: 2, EIz: 3}, mass_per_length: 1, rotary: "
            "1.0e-3}\n"
            "  - {name: rod, type: beam, from: leg.end, to: [1, 0.8, 0], elements: %d, "
            "stiffness: {EA: 1.0e5, GA: 5.0e4, GJ: 1.3, EIy: 2, EIz: 3}, mass_per_length: 1, "
            "rotary: 1.0e-3}\n"
            "forces: [{type: force, acts_on: rod.end, value: [1, -0.5, -1.5]}]\n",
            4 << k, 4 << k);
        beam_rest(text, x);
        e[k] = v3_norm(v3_sub(v3_load(x), rod_at(end.x))) / 1.8;
    }
    falls("L-frame", e[0], e[1], 2e-5, 3.8);
}

// elastic catenary between two hooks at one height: H from the span
static double catenary_span(double H, const double *p) {
    const double L = p[0], w = p[1], EA = p[2], span = p[3], V = w * L / 2;
    return H * L / EA + 2 * H / w * asinh(V / H) - span;
}

static void test_catenary(void **state) {
    (void)state;
    static const double cables[][4] = {// length, weight, EA, span
                                       {1.2, 2, 1e4, 1},
                                       {1.02, 2, 30, 1}, // stretches by some percent
                                       {2.5, 2, 1e4, 1}};
    for (int i = 0; i < 3; i++) {
        const double *p = cables[i], L = p[0], w = p[1], EA = p[2], V = w * L / 2;
        const double H = root(catenary_span, p, 1e-3, 1e3);
        const double sag = L / 2 / EA * (V - w * L / 4) + H / w * (hypot(1, V / H) - 1);
        double e[2];
        for (int k = 0; k < 2; k++) {
            char text[1000];
            snprintf(text, sizeof text,
                     "holonom: 1\nspace: planar\ngravity: [0, -10]\nbodies:\n"
                     "  - {name: rod, type: beam, from: [0, 0], to: [1, 0], elements: %d, length: "
                     "%.17g, natural: straight, stiffness: {EA: %g, EI: 1.0e-7}, mass_per_length: "
                     "0.2, rotary: 1.0e-6, damping: {mass: 1}}\n"
                     "joints: [{type: revolute, between: [ground, rod.start]}, {name: hook, type: "
                     "revolute, between: [{body: ground, at: [1, 0]}, rod.end]}]\n",
                     20 << k, L, EA);
            HolModel *m = NULL;
            HolSim *s = beam_open(text, &m, 0, NULL);
            HolEquilibriumOptions o = hol_equilibrium_options();
            HolEquilibria *list = NULL;
            HolError err = {0};
            o.starts = 0;
            if (hol_equilibrium_find(s, &o, &list, &err) != HOL_OK)
                fail_msg("%s", err.text);
            char name[32];
            snprintf(name, sizeof name, "rod.node%d.y", 10 << k);
            e[k] = fabs(beam_value(s, name) + sag) / sag;
            hol_equilibria_destroy(list);
            hol_sim_destroy(s);
            hol_model_destroy(m);
        }
        falls("elastic catenary, sag", e[0], e[1], 5e-4, 3.2);
    }
}

// k L tan k L = 6 (EI_b/L_b)/(EI/L): a portal on hinges that sways
static double portal(double x, const double *p) {
    return x * tan(x) - p[0];
}

static double portal_square(double P, int n) {
    char text[3000];
    double w = 0;
    snprintf(
        text, sizeof text,
        "holonom: 1\nspace: planar\nparameters: {P: %.17g}\nbodies:\n"
        "  - {name: left, type: beam, from: [0, 0], to: [0, 1], elements: %d, stiffness: {EA: "
        "1.0e8, EI: 1}, mass_per_length: 1, rotary: 1.0e-4}\n"
        "  - {name: right, type: beam, from: [1.5, 0], to: [1.5, 1], elements: %d, stiffness: {EA: "
        "1.0e8, EI: 1}, mass_per_length: 1, rotary: 1.0e-4}\n"
        "  - {name: top, type: beam, from: left.end, to: right.end, elements: %d, stiffness: {EA: "
        "1.0e8, EI: 2}, mass_per_length: 1, rotary: 1.0e-4}\n"
        "joints: [{type: revolute, between: [ground, left.start]}, {type: revolute, between: "
        "[{body: ground, at: [1.5, 0]}, right.start]}]\n"
        "forces: [{type: force, acts_on: left.end, value: [0, -P]}, {type: force, acts_on: "
        "right.end, value: [0, -P]}]\n",
        P, n, n, n);
    assert_int_equal(beam_squares(text, 1, &w, 1), 1);
    return w;
}

static void test_portal(void **state) {
    (void)state;
    const double ratio = 6 * (2 / 1.5), x = root(portal, &ratio, 0.1, 1.57), exact = x * x;
    double e[2];
    for (int k = 0; k < 2; k++) {
        const int n = 4 << k;
        const double a = 0.98 * exact, b = 0.995 * exact, fa = portal_square(a, n),
                     fb = portal_square(b, n);
        e[k] = fabs((b - fb * (b - a) / (fb - fa)) / exact - 1);
    }
    falls("portal, buckling load", e[0], e[1], 2e-5, 2);
}

// ---- vibrations ----

#define BEAM                                                                                       \
    "holonom: 1\nspace: planar\nbodies:\n  - {name: rod, type: beam, from: [0, 0], to: [1, 0], "

static double frequency(const char *text, int at_rest, int which) {
    double w[8];
    assert_true(beam_squares(text, at_rest, w, which + 1) > which);
    return sqrt(w[which]);
}

static double tip_mass(double b, const double *p) {
    return 1 + cos(b) * cosh(b) + p[0] * b * (cos(b) * sinh(b) - sin(b) * cosh(b));
}

static void test_tip_mass(void **state) {
    (void)state;
    const double ratio = 2.5,
                 b[2] = {root(tip_mass, &ratio, 0.5, 2), root(tip_mass, &ratio, 3, 4.6)};
    for (int mode = 0; mode < 2; mode++) {
        double e[2];
        for (int k = 0; k < 2; k++) {
            char text[1000];
            snprintf(text, sizeof text,
                     BEAM
                     "elements: %d, stiffness: {EA: 1.0e5, EI: 1}, mass_per_length: 1, rotary: "
                     "1.0e-6}\n  - {name: lump, type: rigid, mass: 2.5, inertia: 1.0e-9, "
                     "position: [1, 0]}\n"
                     "joints: [{type: fixed, between: [ground, rod.start]}, {type: fixed, "
                     "between: [rod.end, lump]}]\n",
                     8 << k);
            e[k] = fabs(frequency(text, 0, mode) / (b[mode] * b[mode]) - 1);
        }
        falls("mass at the end", e[0], e[1], mode ? 6e-4 : 3e-5, 1.9);
    }
}

static double disc(double b, const double *p) {
    return b * tan(b) - p[0];
}

static void test_torsion(void **state) {
    (void)state;
    const double ratio = 0.02 / 0.03, b = root(disc, &ratio, 0.1, 1.5),
                 expected = b * sqrt(3 / 0.02);
    double e[2];
    for (int k = 0; k < 2; k++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "holonom: 1\nspace: spatial\nbodies:\n  - {name: rod, type: beam, from: ground, "
                 "to: [0.6, 0, 0.8], elements: %d, stiffness: {EA: 1.0e7, GJ: 3, EI: 1.0e5}, "
                 "mass_per_length: 1, rotary: [0.02, 0.01, 0.01]}\n  - {name: wheel, mass: 1.0e-3, "
                 "inertia: [0.03, 0.03, 0.03], position: [0.6, 0, 0.8]}\n"
                 "joints: [{type: fixed, between: [rod.end, wheel]}]\n",
                 4 << k);
        e[k] = fabs(frequency(text, 0, 0) / expected - 1);
    }
    falls("torsion with a wheel", e[0], e[1], 3e-4, 1.7);
}

static void test_strings(void **state) {
    (void)state;
    static const double zeros[2] = {2.404825557695773, 5.520078110286311};
    for (int mode = 0; mode < 2; mode++) {
        double e[2], f[2];
        for (int k = 0; k < 2; k++) {
            char text[1000];
            snprintf(
                text, sizeof text,
                "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n  - {name: rod, type: "
                "beam, from: [0, 0], to: [0, -1], elements: %d, stiffness: {EA: 1.0e5, EI: "
                "1.0e-7}, mass_per_length: 0.2, rotary: 1.0e-8}\n"
                "joints: [{type: revolute, between: [ground, rod.start]}]\n",
                32 << k);
            e[k] = fabs(frequency(text, 1, mode) / (zeros[mode] / 2 * sqrt(9.81)) - 1);
            snprintf(text, sizeof text,
                     BEAM "elements: %d, stiffness: {EA: 1.0e7, EI: 0.5}, mass_per_length: 0.2, "
                          "rotary: 1.0e-8}\n"
                          "joints: [{type: revolute, between: [ground, rod.start]}, {type: slot, "
                          "between: [{body: ground, axis: [1, 0]}, rod.end]}]\n"
                          "forces: [{type: force, acts_on: rod.end, value: [200, 0]}]\n",
                     8 << k);
            const double q = (mode + 1) * M_PI;
            f[k] = fabs(frequency(text, 1, mode) /
                            sqrt((0.5 * pow(q, 4) + 200 * q * q) / 0.2 / (1 + 200 / 1e7)) -
                        1);
        }
        falls("hanging chain", e[0], e[1], 2e-4, mode ? 3.5 : 0);
        falls("taut stiff string", f[0], f[1], mode ? 1.5e-2 : 1.3e-3, 4);
    }
}

// n^2 (n^2-1)^2/(n^2+1) EI/(m R^4), each twice
static void test_ring(void **state) {
    (void)state;
    double e[2][2];
    for (int k = 0; k < 2; k++) {
        char text[800];
        double w[8];
        snprintf(
            text, sizeof text,
            "holonom: 1\nspace: planar\nbodies: [{name: rod, type: beam, from: [0, 0], curve: "
            "{arc: {radius: 1, angle: \"2*pi\"}}, elements: %d, stiffness: {EA: 1.0e7, EI: 1}, "
            "mass_per_length: 1, rotary: 1.0e-8}]\n"
            "joints: [{type: fixed, between: [rod.start, rod.end]}]\n",
            16 << k);
        assert_int_equal(beam_squares(text, 0, w, 4), 4);
        for (int j = 0; j < 2; j++) {
            const double n = 2 + j, exact = n * n * (n * n - 1) * (n * n - 1) / (n * n + 1);
            e[j][k] = fmax(fabs(sqrt(w[2 * j] / exact) - 1), fabs(sqrt(w[2 * j + 1] / exact) - 1));
        }
    }
    falls("free ring, 2 waves", e[0][0], e[0][1], 4e-3, 3.8);
    falls("free ring, 3 waves", e[1][0], e[1][1], 1.6e-2, 3.8);
}

static void test_two_spans(void **state) {
    (void)state;
    double e[2];
    for (int k = 0; k < 2; k++) {
        char text[1000];
        snprintf(text, sizeof text,
                 BEAM
                 "elements: %d, stiffness: {EA: 1.0e6, EI: 1}, mass_per_length: 1, rotary: "
                 "1.0e-8}\njoints: [{type: revolute, between: [ground, rod.start]}, {type: slot, "
                 "between: [{body: ground, axis: [1, 0]}, rod.at(0.5)]}, {type: slot, between: "
                 "[{body: ground, axis: [1, 0]}, rod.end]}]\n",
                 8 << k);
        e[k] = fabs(frequency(text, 0, 0) / (4 * M_PI * M_PI) - 1);
    }
    falls("two spans", e[0], e[1], 1.4e-2, 3.8);
}

// Kelvin-Voigt: ratio time omega/2; of the mass: mass/(2 omega)
static void test_damping(void **state) {
    (void)state;
    static const char text[] =
        BEAM "elements: 8, stiffness: {EA: 1.0e6, EI: 1}, mass_per_length: 1, rotary: 1.0e-8, "
             "damping: {time: 2.0e-3, mass: 0.3}}\njoints: [{type: fixed, between: [ground, "
             "rod.start]}]\n";
    HolModel *m = NULL;
    HolSim *s = beam_open(text, &m, 0, NULL);
    HolModesOptions o = hol_modes_options();
    HolModes *modes = NULL;
    HolError err = {0};
    o.count = 3;
    assert_int_equal(hol_sim_modes(s, &o, &modes, &err), HOL_OK);
    for (int i = 0; i < 3; i++) {
        const HolMode *x = modes->modes[i];
        const double square = x->real * x->real + x->imag * x->imag;
        close_to("damping", -2 * x->real, 2e-3 * square + 0.3, 1e-8);
    }
    hol_modes_destroy(modes);
    hol_sim_destroy(s);
    hol_model_destroy(m);
}

// ---- modal bodies ----

#define MODAL                                                                                      \
    "{name: rod, type: modal, from: [0, 0, 0], to: [1, 0, 0], elements: 12, stiffness: {EA: "      \
    "1.0e6, GJ: 1, EIy: 1, EIz: 4}, mass_per_length: 1, rotary: 1.0e-7, modes: 16}"

static void test_modal(void **state) {
    (void)state;
    static const char held[] =
        "holonom: 1\nspace: spatial\nbodies: [" MODAL
        ", {name: lump, mass: 2.5, inertia: [1.0e-9, 1.0e-9, 1.0e-9], position: [1, 0, 0]}]\n"
        "joints: [{type: fixed, between: [ground, rod.start]}, {type: fixed, between: [rod.end, "
        "lump]}]\n";
    const double ratio = 2.5, b = root(tip_mass, &ratio, 0.5, 2);
    close_to("modal rod with a mass at its end", frequency(held, 0, 0), b * b, 2e-5);
    close_to("the same across", frequency(held, 0, 1), 2 * b * b, 2e-5);
    static const char pulled[] =
        "holonom: 1\nspace: spatial\nbodies: [" MODAL "]\njoints: [{type: fixed, between: [ground, "
        "rod.start]}]\nforces: [{type: force, acts_on: rod.end, value: [0, 2.0e-4, -1.0e-4]}, "
        "{type: "
        "torque, acts_on: rod.end, value: [0, 0, 3.0e-4]}]\n";
    double x[3];
    beam_rest(pulled, x);
    close_to("modal rod at rest, y", x[1], 2e-4 / 12 + 3e-4 / 8, 1e-6);
    close_to("modal rod at rest, z", x[2], -1e-4 / 3, 1e-6);
    // by its weight: the modes carry it, not the interface
    static const char heavy[] =
        "holonom: 1\nspace: spatial\ngravity: [0, 1.0e-3, -1.0e-3]\nbodies: [" MODAL
        "]\njoints: [{type: fixed, between: [ground, rod.start]}]\n";
    beam_rest(heavy, x);
    close_to("modal rod under its weight, y", x[1], 1e-3 / 32, 1e-5);
    close_to("modal rod under its weight, z", x[2], -1e-3 / 8, 1e-5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_corner),  cmocka_unit_test(test_catenary),
        cmocka_unit_test(test_portal),  cmocka_unit_test(test_tip_mass),
        cmocka_unit_test(test_torsion), cmocka_unit_test(test_strings),
        cmocka_unit_test(test_ring),    cmocka_unit_test(test_two_spans),
        cmocka_unit_test(test_damping), cmocka_unit_test(test_modal),
    };
    return cmocka_run_group_tests_name("frames, cables, vibrations", tests, NULL, NULL);
}
