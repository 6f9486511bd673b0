// SPDX-License-Identifier: Apache-2.0
// Beams at rest, under load and in small vibration against closed forms, boundary value problems and
// stored values of the same elements (test/ref/beams): errors and orders in the number of elements.
#include "beam_run.h"

#define ROD "holonom: 1\nspace: planar\nground: {points: {O: [0, 0]}}\n"
#define ROD3 "holonom: 1\nspace: spatial\nground: {points: {O: [0, 0, 0]}}\n"

static double apart(const double *a, const double *b, int n) {
    double s = 0;
    for (int i = 0; i < n; i++)
        s += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(s);
}

// errors for n = first, 2 first, .. within 5 % of what is expected, and their order from 8 on
static void check_errors(const char *what, const char *format, const double *exact, int numbers,
                         double scale, int first, int count, const double *expected, double order) {
    double before = 0;
    for (int i = 0, n = first; i < count; i++, n *= 2) {
        char text[1500];
        double tip[3];
        snprintf(text, sizeof text, format, n);
        beam_rest(text, tip);
        const double e = apart(tip, exact, numbers) / scale;
        // (two digits are printed)
        if (!(e < 1.05 * expected[i] && e > 0.94 * expected[i]))
            fail_msg("%s, %d elements: error %.3g instead of %.3g", what, n, e, expected[i]);
        if (n >= 16 && !(log2(before / e) >= order))
            fail_msg("%s, %d elements: order %.2f", what, n, log2(before / e));
        before = e;
    }
}

static void test_elastica(void **state) {
    (void)state;
    JsonFile f = json_open(BEAM_REF "elastica_tip_force.json");
    const char *rod =
        ROD "bodies: [{name: rod, type: beam, from: ground.O, to: [1, 0], elements: %d, "
            "stiffness: {EA: 1e6, GA: 4e5, EI: 1}, mass_per_length: 1, rotary: 1.0e-4}]\n"
            "forces: [{type: force, on: rod.end, value: [0, 10]}]\n";
    double tip[3], expected[3];
    char text[1000];
    json_numbers(&f, "results/finite_stiffness/exact_P10_EA1e6_GA4e5", expected, 3);
    check_errors("elastica", rod, expected, 2, 1, 4, 4, (double[]){4.2e-4, 2.9e-5, 1.9e-6, 1.2e-7},
                 3.8);
    snprintf(text, sizeof text, rod, 8);
    beam_rest(text, tip);
    json_numbers(&f, "results/finite_stiffness/corrected_n8_P10", expected, 3);
    assert_true(apart(tip, expected, 3) < 1e-9);
    json_close(&f);
}

static void test_roll_up(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++) {
        char text[1000];
        double tip[3];
        snprintf(text, sizeof text,
                 ROD "bodies: [{name: rod, type: beam, from: ground.O, to: [1, 0], elements: %d, "
                     "stiffness: {EA: 1e6, GA: 4e5, EI: 1}, mass_per_length: 1, rotary: 1.0e-4}]\n"
                     "forces: [{type: torque, on: rod.end, value: 2*pi}]\n",
                 (int[]){2, 5, 16}[i]);
        beam_rest(text, tip);
        assert_true(hypot(tip[0], tip[1]) < 1e-12 && fabs(tip[2] - 2 * M_PI) < 1e-11);
    }
}

static void test_thick(void **state) {
    (void)state;
    JsonFile f = json_open(BEAM_REF "thick_cantilever.json");
    const double exact[2] = {2 - json_number(&f, "results/exact/shortening"),
                             json_number(&f, "results/exact/deflection")};
    check_errors("thick",
                 ROD
                 "bodies: [{name: rod, type: beam, from: ground.O, to: [2, 0], elements: %d, "
                 "section: {rectangle: [0.1, 0.5]}, material: {E: 2.07e11, nu: 0.3, rho: 7800}}]\n"
                 "forces: [{type: force, on: rod.end, value: [0, 6.25e7]}]\n",
                 exact, 2, 2, 1, 5, (double[]){8.5e-4, 2.0e-4, 5.7e-5, 1.5e-5, 3.8e-6}, 1.9);
    json_close(&f);
}

static void test_space(void **state) {
    (void)state;
    JsonFile bend = json_open(BEAM_REF "bend45.json"), p = json_open(BEAM_REF "princeton.json"),
             heavy = json_open(BEAM_REF "heavy_cantilever.json");
    double expected[3];
    json_numbers(&bend, "results/tip_position/F=600", expected, 3);
    check_errors("45 degree bend",
                 ROD3 "bodies: [{name: rod, type: beam, from: ground.O, curve: {arc: {radius: 100, "
                      "angle: pi/4}}, elements: %d, stiffness: {EA: 1e7, GA: 5e6, GJ: 1e7/12, EI: "
                      "1e7/12}, mass_per_length: 1, rotary: 1}]\n"
                      "forces: [{type: force, on: rod.end, value: [0, 0, 600]}]\n",
                 expected, 3, 25 * M_PI, 4, 4, (double[]){1.3e-4, 8.5e-6, 5.7e-7, 4.4e-8}, 3.6);
    json_numbers(&p, "results/tip_displacement/P=13.345 beta=45", expected, 3);
    expected[0] += 0.508;
    check_errors("Princeton",
                 ROD3
                 "bodies: [{name: rod, type: beam, from: ground.O, to: [0.508, 0, 0], elements: "
                 "%d, stiffness: {EA: 2842069.442616, GA: 1084759.329242748, GJ: "
                 "2.9257440677494264, EIy: 2.4288718041122013, EIz: 36.285519395400414}, "
                 "mass_per_length: 0.1, rotary: 1.0e-6}]\n"
                 "forces: [{type: force, on: rod.end, value: [0, \"-13.345*sqrt(0.5)\", "
                 "\"13.345*sqrt(0.5)\"]}]\n",
                 expected, 3, 0.508, 4, 4, (double[]){2.04e-5, 1.3e-6, 8.1e-8, 5.0e-9}, 3.8);
    json_numbers(&heavy, "results/tip_position", expected, 3);
    const char *rod =
        ROD3 "gravity: [0, -6, -4]\nbodies: [{name: rod, type: beam, from: ground.O, to: "
             "[1, 0, 0], elements: %d, stiffness: {EA: 1e6, GA: 4e5, GJ: 0.8, EIy: 1, "
             "EIz: 2}, mass_per_length: 1, rotary: 1.0e-4}]\n";
    check_errors("own weight", rod, expected, 3, 1, 4, 3, (double[]){2.04e-4, 1.45e-5, 1.64e-6}, 3);
    for (int n = 4; n <= 16; n *= 2) {
        char text[1000], path[80];
        double tip[3];
        snprintf(text, sizeof text, rod, n);
        snprintf(path, sizeof path, "results/elements/corrected_n%d", n);
        beam_rest(text, tip);
        json_numbers(&heavy, path, expected, 3);
        assert_true(apart(tip, expected, 3) < 1e-9);
    }
    json_close(&bend);
    json_close(&p);
    json_close(&heavy);
}

static void expect_frequency(const char *what, const char *text, const double *exact,
                             const double *expected, int n) {
    double squares[4];
    assert_true(beam_squares(text, 0, squares, n) == n);
    for (int i = 0; i < n; i++) {
        const double e = sqrt(squares[i]) / exact[i] - 1;
        // (eigenvalues are known to eps times the square of the largest frequency over this one)
        if (!(fabs(e) < 1.05 * expected[i] + 4e-7))
            fail_msg("%s, frequency %d: error %.3g instead of %.3g", what, i + 1, e, expected[i]);
    }
}

#define VIBRATING                                                                                  \
    "elements: %d, stiffness: {EA: 1e7, EI: 1}, mass_per_length: 1, rotary: 1.0e-7}]\n"

static void test_frequencies(void **state) {
    (void)state;
    JsonFile f = json_open(BEAM_REF "frequencies.json");
    double clamped[4], loose[4];
    json_numbers(&f, "results/clamped_free", clamped, 4);
    json_numbers(&f, "results/free_free", loose, 4);
    static const struct {
        const char *text;
        int loose, n;
        double expected[2];
    } cases[] = {
        {ROD "bodies: [{name: rod, type: beam, from: ground.O, to: [1, 0], " VIBRATING,
         0,
         8,
         {8.4e-5, 4.9e-4}},
        {ROD "bodies: [{name: rod, type: beam, from: ground.O, to: [1, 0], " VIBRATING,
         0,
         16,
         {2.7e-6, 6.7e-5}},
        {ROD "bodies: [{name: rod, type: beam, from: [0, 0], to: [1, 0], " VIBRATING,
         1,
         8,
         {8.9e-4, 1.5e-2}},
        {ROD "bodies: [{name: rod, type: beam, from: [0, 0], to: [1, 0], " VIBRATING,
         1,
         16,
         {1.0e-5, 1.5e-4}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1000];
        snprintf(text, sizeof text, cases[i].text, cases[i].n);
        expect_frequency(cases[i].loose ? "free rod" : "clamped rod", text,
                         cases[i].loose ? loose : clamped, cases[i].expected, 2);
    }
    json_close(&f);
}

// flapping of a rotating rod, clamped at the axis: in the plane across its rotation, modelled by its
// tension rho Omega^2 (L^2 - s^2)/2 as forces along the rod
static void test_tension(void **state) {
    (void)state;
    char text[1000];
    double squares[24];
    // a rod under the tension N L^2/EI = 1e5, pinned, slides at its end: everything is stable
    snprintf(text, sizeof text, "%s%s", ROD "gravity: [0, 0]\n",
             "bodies: [{name: rod, type: beam, from: [0, 0], to: [1.1, 0], length: 1, elements: 8, "
             "stiffness: {EA: 1e6, GA: 4e5, EI: 1}, mass_per_length: 1, rotary: 1.0e-4}]\n"
             "joints: [{type: revolute, between: [ground.O, rod.start]}, {type: revolute, between: "
             "[{body: ground, at: [1.1, 0]}, rod.end]}]\n");
    const int n = beam_squares(text, 0, squares, 20);
    assert_true(n >= 15);
    for (int i = 0; i < n; i++)
        assert_true(squares[i] > 0);
}

// the load under which the lowest frequency vanishes: its square is nearly linear in the load to
// this power
static double critical(const char *format, int n, double power, double low, double high) {
    double before = 0, from = low;
    for (int i = 0; i < 7; i++) {
        char text[1500];
        double square;
        snprintf(text, sizeof text, format, n, low);
        assert_true(beam_squares(text, 1, &square, 1) == 1);
        if (!i) {
            before = square;
            low = high;
            continue;
        }
        assert_true(square > 0);
        const double u = pow(low, power), step = (u - pow(from, power)) / (before - square),
                     zero = pow(u + square * step, 1 / power);
        if (i == 6)
            return zero;
        from = low;
        before = square;
        low += 0.7 * (zero - low);
    }
    return 0;
}

static void check_critical(const char *what, const char *format, double exact, double power,
                           double low, double high, const double expected[3]) {
    for (int i = 0, n = 2; i < 3; i++, n *= 2) {
        const double e = fabs(critical(format, n, power, low, high) / exact - 1);
        if (!(e < 1.05 * expected[i]))
            fail_msg("%s, %d elements: error %.3g instead of %.3g", what, n, e, expected[i]);
    }
}

static void test_buckling(void **state) {
    (void)state;
    JsonFile f = json_open(BEAM_REF "buckling.json");
    // pinned column, pressed by P at its guided end; nearly inextensible
    check_critical(
        "column",
        ROD
        "bodies: [{name: rod, type: beam, from: [0, 0], to: [1, 0], elements: %d, stiffness: {EA: "
        "1e8, EI: 1}, mass_per_length: 1, rotary: 1.0e-4}]\n"
        "joints: [{type: revolute, between: [ground.O, rod.start]}, {type: slot, between: "
        "[{body: ground, axis: [1, 0]}, rod.end]}]\n"
        "forces: [{type: force, on: rod.end, value: [\"-%.17g\", 0]}]\n",
        json_number(&f, "results/column_P_L2_over_EI"), 1, 5, 8,
        (double[]){7.5e-3, 5.1e-4, 3.3e-5});
    // a leaf loaded along its height bends aside
    check_critical("lateral",
                   ROD3 "bodies: [{name: rod, type: beam, from: ground.O, to: [1, 0, 0], elements: "
                        "%d, stiffness: {EA: 1e6, GJ: 1, EIy: 1e5, EIz: 1}, mass_per_length: 1, "
                        "rotary: 0.1}]\n"
                        "forces: [{type: force, on: rod.end, value: [0, 0, \"-%.17g\"]}]\n",
                   json_number(&f, "results/lateral_P_L2_over_sqrt_EI_GJ"), 2, 3, 3.6,
                   (double[]){7.3e-3, 6.5e-4, 5.6e-5});
    json_close(&f);
}

// the elastica in millimetres and kilometres, turned: the same shape
static void test_scales(void **state) {
    (void)state;
    double first[2] = {0};
    for (int i = 0; i < 6; i++) {
        const double s = (double[]){1, 1e-3, 1e3}[i % 3], turn = i < 3 ? 0 : 2.3, c = cos(turn),
                     d = sin(turn);
        char text[1000];
        double tip[3];
        snprintf(text, sizeof text,
                 ROD
                 "bodies: [{name: rod, type: beam, from: ground.O, to: [\"%.17g\", \"%.17g\"], "
                 "elements: 8, stiffness: {EA: 1e6, GA: 4e5, EI: \"%.17g\"}, mass_per_length: 1, "
                 "rotary: \"%.17g\"}]\n"
                 "forces: [{type: force, on: rod.end, value: [-10*%.17g, 10*%.17g]}]\n",
                 s * c, s * d, s * s, 1e-4 * s * s, d, c);
        beam_rest(text, tip);
        const double x = (c * tip[0] + d * tip[1]) / s, y = (c * tip[1] - d * tip[0]) / s;
        if (i == 0) {
            first[0] = x;
            first[1] = y;
        }
        if (!(hypot(x - first[0], y - first[1]) < 1e-9))
            fail_msg("scale %g, turned by %g: (%.12g, %.12g), not (%.12g, %.12g)", s, turn, x, y,
                     first[0], first[1]);
    }
}

// A pinned arch is pressed through its straight position by a drive (displacement control): force and
// strain energy of the equilibrium, also where the force falls
static void arch_at(int n, double drop, double *force, double *energy) {
    char text[1600];
    HolModel *m = NULL;
    HolEquilibriumOptions o = hol_equilibrium_options();
    HolEquilibria *list = NULL;
    HolError err = {0};
    double row[4];
    snprintf(text, sizeof text,
             ROD
             "bodies:\n  - {name: rod, type: beam, curve: {points: [[0, 0], [0.25, 0.06], [0.5, "
             "0.08], [0.75, 0.06], [1, 0]]}, elements: %d, stiffness: {EA: 1e5, EI: 10}, "
             "mass_per_length: 1, rotary: 1.0e-3}\n"
             "  - {name: press, mass: 1, inertia: 1, position: [0.5, 0.08]}\njoints:\n"
             "  - {type: revolute, between: [ground.O, rod.start]}\n"
             "  - {type: revolute, between: [{body: ground, at: [1, 0]}, rod.end]}\n"
             "  - {name: guide, type: prismatic, between: [{body: ground, at: [0.5, 0.08], axis: "
             "[0, 1]}, press]}\n"
             "  - {type: slot, between: [{body: press, axis: [1, 0]}, rod.at(0.5)]}\n"
             "motions: [{name: drive, joint: guide, value: \"-%.17g\"}]\n"
             "outputs: [drive.effort, rod.strain_energy]\n",
             n, drop);
    HolSim *s = beam_open(text, &m, 0, NULL);
    o.starts = 0;
    if (hol_equilibrium_find(s, &o, &list, &err) != HOL_OK)
        fail_msg("arch, drop %g: %s", drop, err.text);
    hol_equilibria_show(list, 0, s, &err);
    if (hol_sim_row(s, hol_sim_view(s).t, row, &err) != HOL_OK)
        fail_msg("%s", err.text);
    *force = -row[1];
    *energy = row[2];
    hol_equilibria_destroy(list);
    hol_sim_destroy(s);
    hol_model_destroy(m);
}

// the work of the drive is the strain energy (Simpson), and the force falls after its limit
static void test_snap_through(void **state) {
    (void)state;
    enum { STEPS = 64 };
    double work = 0, most = 0, last = 0, energy = 0, least = 0;
    for (int i = 0; i <= STEPS; i++) {
        double force;
        arch_at(8, 0.16 * i / STEPS, &force, &energy);
        work += force * (i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2) * 0.16 / STEPS / 3;
        most = fmax(most, force);
        least = fmin(least, force);
        last = force;
    }
    if (!(fabs(work - energy) < 2e-3 * energy))
        fail_msg("snap-through: work %.6g, strain energy %.6g, largest force %.6g", work, energy,
                 most);
    // it rises to its limit, pulls the press along, and rests bent the other way
    assert_true(most > 130 && most < 134 && least < -55 && last > 4 && last < 6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elastica),    cmocka_unit_test(test_roll_up),
        cmocka_unit_test(test_thick),       cmocka_unit_test(test_space),
        cmocka_unit_test(test_frequencies), cmocka_unit_test(test_tension),
        cmocka_unit_test(test_buckling),    cmocka_unit_test(test_snap_through),
        cmocka_unit_test(test_scales),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
