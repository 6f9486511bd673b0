// SPDX-License-Identifier: Apache-2.0
// Beam elements: forces, energies and derivatives against stored values and differences, the same in
// every moving frame, large turns; masses of the nodes; sections against closed forms.
#include "json_values.h"
#include "math/vec.h"
#include "model/body/beam.h"
#include "model_texts.h"
#include "probe.h"

#define REF HOL_SOURCE_DIR "/test/ref/beams/"

static void near(const char *what, const double *x, const double *expected, int n, double digits_) {
    const double scale = largest(expected, n);
    for (int i = 0; i < n; i++)
        if (!(fabs(x[i] - expected[i]) <= digits_ * scale))
            fail_msg("%s [%d]: %.15g instead of %.15g", what, i, x[i], expected[i]);
}

static HolFrame planar_frame(const double q[3]) {
    HolFrame f = {.r = {q[0], q[1]}};
    f.c = cos(q[2]);
    f.s = sin(q[2]);
    f.angle = q[2];
    return f;
}

static HolFrame spatial_frame(const double r[3], const double p[4]) {
    HolFrame f = {.r = {r[0], r[1], r[2]}};
    const Quat q = q_normalize(q_load(p));
    const Mat3 A = q_matrix(q);
    q_store(f.p, q);
    memcpy(f.A, A.m, sizeof f.A);
    return f;
}

static void test_planar_element(void **state) {
    (void)state;
    JsonFile f = json_open(REF "element_planar.json");
    double q[6], d0[3], v[6], x[36], expected[36], C[36];
    HolBeam2 e = {0};
    json_numbers(&f, "input/q", q, 6);
    json_numbers(&f, "input/d0", d0, 3);
    json_numbers(&f, "results/corrected/velocity", v, 6);
    const HolFrame a = planar_frame(q), b = planar_frame(q + 3);
    hol_beam2_make(&e, json_number(&f, "input/L"), json_number(&f, "input/EA"),
                   1 / json_number(&f, "input/GA"), json_number(&f, "input/EI"), d0, 0);
    hol_beam2_coordinates(&a, &b, x);
    near("d", x, expected, json_numbers(&f, "results/corrected/d", expected, 3), 1e-12);
    x[0] = hol_beam2_energy(&e, &a, &b);
    near("energy", x, expected, json_numbers(&f, "results/corrected/energy", expected, 1), 1e-12);
    hol_beam2_force(&e, &a, &b, v, v + 3, x);
    near("force", x, expected, json_numbers(&f, "results/corrected/force", expected, 6), 1e-12);
    hol_beam2_tangent(&e, &a, &b, v, v + 3, x, C);
    near("stiffness", x, expected, json_numbers(&f, "results/corrected/stiffness", expected, 36),
         1e-11);
    e.time = 0.01;
    hol_beam2_force(&e, &a, &b, v, v + 3, x);
    near("damped force", x, expected,
         json_numbers(&f, "results/corrected/damped_force_tau_0_01", expected, 6), 1e-12);
    json_close(&f);
}

static void test_spatial_element(void **state) {
    (void)state;
    JsonFile f = json_open(REF "element_spatial.json");
    double r[6], p[8], K[6], section[36] = {0}, d0[6], x[144], expected[144], by_columns[144];
    HolBeam3 e = {0};
    json_numbers(&f, "input/r", r, 6);
    json_numbers(&f, "input/quaternion", p, 8);
    json_numbers(&f, "input/stiffness_diag", K, 6);
    json_numbers(&f, "input/d0", d0, 6);
    for (int i = 0; i < 6; i++)
        section[7 * i] = 1 / K[i];
    const HolFrame a = spatial_frame(r, p), b = spatial_frame(r + 3, p + 4);
    assert_true(hol_beam3_make(&e, json_number(&f, "input/L"), section, d0, 0));
    hol_beam3_coordinates(&a, &b, x);
    near("d", x, expected, json_numbers(&f, "results/corrected/d", expected, 6), 1e-12);
    x[0] = hol_beam3_energy(&e, &a, &b);
    near("energy", x, expected, json_numbers(&f, "results/corrected/energy", expected, 1), 1e-12);
    hol_beam3_force(&e, &a, &b, NULL, NULL, x);
    near("force", x, expected, json_numbers(&f, "results/corrected/force", expected, 12), 1e-12);
    hol_beam3_tangent(&e, &a, &b, NULL, NULL, x, NULL);
    assert_int_equal(json_numbers(&f, "results/corrected/stiffness", by_columns, 144), 144);
    for (int i = 0; i < 144; i++)
        expected[i] = by_columns[12 * (i % 12) + i / 12];
    near("stiffness", x, expected, 144, 1e-11);
    json_close(&f);
}

// in general position and with large turns of the elements
static void test_differences(void **state) {
    (void)state;
    for (int i = 0; i < N_BEAM_TEXTS; i++) {
        Probe b = probe_open(parse_model(beam_texts[i]), beam_texts[i]);
        for (int k = 0; k < 4; k++) {
            shake(&b, k < 2 ? 0.3 : 0.9);
            check_problem(&b);
        }
        probe_close(&b);
    }
}

// rotate and move everything, with another constant velocity: forces turn with it
static void test_invariance(void **state) {
    (void)state;
    for (int trial = 0; trial < 20; trial++) {
        double section[36] = {0}, d0[6] = {0.5, 0.01, -0.02, 0.02, 0.1, -0.15}, p[12], v[12], r[9],
               turned[12], f[12], g[12], expected[12];
        HolBeam3 e = {0};
        for (int i = 0; i < 6; i++)
            section[7 * i] = 1 / uniform(1, 20);
        assert_true(hol_beam3_make(&e, 0.5, section, d0, 0.1));
        fill(p, 12, 1);
        fill(v, 12, 2);
        fill(r, 9, 1);
        const HolFrame a = spatial_frame(r, p), b = spatial_frame(r + 3, p + 4);
        const Quat turn = q_normalize(q_load(p + 8));
        const Vec3 way = v3(3, -1, 2), speed = v3(5, 2, -7);
        HolFrame moved[2];
        for (int s = 0; s < 2; s++) {
            double q[4], at[3];
            const HolFrame *from = s ? &b : &a;
            q_store(q, q_mul(turn, q_load(from->p)));
            v3_store(at, v3_add(way, q_rotate(turn, v3_load(from->r))));
            moved[s] = spatial_frame(at, q);
            v3_store(turned + 6 * s, v3_add(q_rotate(turn, v3_load(v + 6 * s)), speed));
            memcpy(turned + 6 * s + 3, v + 6 * s + 3, sizeof(double) * 3);
        }
        hol_beam3_force(&e, &a, &b, v, v + 6, f);
        hol_beam3_force(&e, &moved[0], &moved[1], turned, turned + 6, g);
        memcpy(expected, f, sizeof f);
        for (int s = 0; s < 2; s++)
            v3_store(expected + 6 * s, q_rotate(turn, v3_load(f + 6 * s)));
        near("moved", g, expected, 12, 1e-12);
    }
}

// in the plane both elements are the same
static void test_plane_in_space(void **state) {
    (void)state;
    const double EA = 90, GA = 40, EI = 7, d2[3] = {0.5, 0.02, 0.3},
                 d3[6] = {0.5, 0.02, 0, 0, 0, 0.3};
    double section[36] = {0}, f2[6], f3[12], v2[6], v3_[12] = {0};
    HolBeam2 plane = {0};
    HolBeam3 space = {0};
    for (int i = 0; i < 6; i++)
        section[7 * i] = 1.0 / (i == 0 ? EA : i == 1 ? GA : i == 5 ? EI : 3 + i);
    hol_beam2_make(&plane, 0.5, EA, 1 / GA, EI, d2, 0.2);
    assert_true(hol_beam3_make(&space, 0.5, section, d3, 0.2));
    // C of the residual bending depends on the curvature in space: the law of the plane is the same
    const double angles[3] = {0.3, 1.2, 2.8};
    for (int i = 0; i < 3; i++) {
        const double qa[3] = {0.1, 0.2, 0.4}, qb[3] = {0.55, 0.5, 0.4 + angles[i]};
        const HolFrame a = planar_frame(qa), b = planar_frame(qb);
        const double pa[4] = {cos(qa[2] / 2), 0, 0, sin(qa[2] / 2)},
                     pb[4] = {cos(qb[2] / 2), 0, 0, sin(qb[2] / 2)};
        const double ra[3] = {qa[0], qa[1], 0}, rb[3] = {qb[0], qb[1], 0};
        const HolFrame A = spatial_frame(ra, pa), B = spatial_frame(rb, pb);
        fill(v2, 6, 1);
        for (int s = 0; s < 2; s++) {
            memcpy(v3_ + 6 * s, v2 + 3 * s, sizeof(double) * 2);
            v3_[6 * s + 5] = v2[3 * s + 2];
        }
        hol_beam2_force(&plane, &a, &b, NULL, NULL, f2);
        hol_beam3_force(&space, &A, &B, NULL, NULL, f3);
        const double got[6] = {f3[0], f3[1], f3[5], f3[6], f3[7], f3[11]};
        near("plane and space", got, f2, 6, 1e-12);
        assert_true(fabs(hol_beam2_energy(&plane, &a, &b) - hol_beam3_energy(&space, &A, &B)) <
                    1e-12 * hol_beam2_energy(&plane, &a, &b));
    }
}

// mass, centre and moment of inertia of a straight rod are exact for every number of elements
static void test_masses(void **state) {
    (void)state;
    for (int n = 1; n <= 12; n++) {
        char text[600];
        snprintf(
            text, sizeof text,
            "holonom: 1\nspace: planar\nbodies: [{name: rod, type: beam, from: [0, 0], to: [3, "
            "0], elements: %d, stiffness: {EA: 1, EI: 1}, mass_per_length: 2, rotary: 0.1}]\n",
            n);
        HolModel *m = parse_model(text);
        double mass = 0, first = 0, second = 0, rotary = 0;
        assert_int_equal(m->def.n_bodies, n + 2);
        for (int i = 1; i < m->def.n_bodies; i++) {
            const HolBodyDef *d = &m->def.bodies[i].def;
            assert_true(d->mass > 0);
            mass += d->mass;
            first += d->mass * d->position[0];
            second += d->mass * d->position[0] * d->position[0];
            rotary += d->inertia[0];
        }
        assert_true(fabs(mass - 6) < 1e-13 && fabs(first - 9) < 1e-13 &&
                    fabs(rotary - 0.3) < 1e-14);
        assert_true(n == 1 || fabs(second - 18) < 1e-13);
        hol_model_destroy(m);
    }
}

static void test_sections(void **state) {
    (void)state;
    HolModel *m = parse_model(beam_texts[3]);
    HolBeamDef d;
    HolBeamSection s;
    HolError err = {0};
    hol_beam_def_make(&d);
    d.body.name = "rod";
    d.E = 200, d.nu = 0.25, d.rho = 3;
    d.shape = HOL_SECTION_CIRCLE;
    d.size[0] = 0.5;
    assert_true(hol_beam_section(m, &d, &s, &err));
    const double A = M_PI * 0.25, I = M_PI / 64;
    assert_true(fabs(1 / s.C[0] / (200 * A) - 1) < 1e-14);
    assert_true(fabs(1 / s.C[21] / (80 * 2 * I) - 1) < 1e-14);
    assert_true(fabs(1 / s.C[28] / (200 * I) - 1) < 1e-14);
    assert_true(fabs(1 / s.C[7] / (80 * A * 6 * 1.25 / (7 + 1.5)) - 1) < 1e-14);
    assert_true(fabs(s.mass / (3 * A) - 1) < 1e-14 && fabs(s.rotary[0] / (6 * I) - 1) < 1e-14);
    // a thin tube: Cowper's factor tends to 2(1+nu)/(4+3nu)
    d.shape = HOL_SECTION_TUBE;
    d.size[1] = 0.49999;
    assert_true(hol_beam_section(m, &d, &s, &err));
    const double area = M_PI * (0.25 - 0.49999 * 0.49999);
    assert_true(fabs(1 / s.C[7] / (80 * area * 2.5 / 4.75) - 1) < 1e-4);
    // a square: J = 0.1405770 a^4
    d.shape = HOL_SECTION_RECTANGLE;
    d.size[0] = d.size[1] = 2;
    assert_true(hol_beam_section(m, &d, &s, &err));
    assert_true(fabs(1 / s.C[21] / (80 * 0.14057701 * 16) - 1) < 1e-7);
    d.size[0] = 3, d.size[1] = 0.5; // height along up
    assert_true(hol_beam_section(m, &d, &s, &err));
    assert_true(fabs(1 / s.C[28] / (200 * 3 * 0.125 / 12) - 1) < 1e-14);
    assert_true(fabs(1 / s.C[35] / (200 * 0.5 * 27 / 12) - 1) < 1e-14);
    hol_model_destroy(m);
}

static double output(const HolModel *m, HolSim *s, const char *name) {
    double row[64];
    HolError err = {0};
    assert_true(hol_model_column_count(m) <= 64);
    assert_int_equal(hol_sim_row(s, 0, row, &err), HOL_OK);
    for (int i = 0; i < hol_model_column_count(m); i++)
        if (strcmp(hol_model_column(m, i).name, name) == 0)
            return row[i];
    fail_msg("there is no column %s", name);
    return 0;
}

// a cantilever at rest under a load: forces of the sections balance it, names of its places
static void test_outputs(void **state) {
    (void)state;
    static const char text[] =
        "holonom: 1\nspace: spatial\nground: {points: {O: [0, 0, 0]}}\n"
        "bodies: [{name: rod, type: beam, from: ground.O, to: [2, 0, 0], elements: 8, section: "
        "{rectangle: [0.1, 0.05]}, material: {E: 2e11, rho: 7800}}]\n"
        "forces: [{type: load, on: rod, per_length: [0, 0, -300]}, {type: force, on: rod.end, "
        "value: "
        "[1000, 0, 0]}]\n"
        "outputs: [rod.start.My, rod.start.N, rod.start.Vz, rod.start.fz, rod.start.stress_max, "
        "rod.start.stress_min, rod.at(0.5).My, rod.node4.My, rod.strain_energy, "
        "rod.deflection(0.5), "
        "rod.end.My, \"rod.at(0.25).z + 1\", rod.node2.z]\n";
    HolModel *m = parse_model(text);
    HolSimOptions o = hol_sim_options();
    HolEquilibriumOptions rest = hol_equilibrium_options();
    HolEquilibria *list = NULL;
    HolError err = {0};
    HolSim *s = NULL;
    assert_int_equal(hol_sim_create(m, &o, &s, &err), HOL_OK);
    rest.starts = 0;
    assert_int_equal(hol_equilibrium_find(s, &rest, &list, &err), HOL_OK);
    const double M = 300 * 2, end = 300 * 2 * 3.0 / 8 / 8; // (N w: 3e-3 of M)
    assert_true(fabs(fabs(output(m, s, "rod.start.My")) - M) < 0.01 * M);
    assert_true(fabs(output(m, s, "rod.start.N") - 1000) < 1);
    // the load on the first node passes by the section
    assert_true(fabs(fabs(output(m, s, "rod.start.Vz")) - (600 - end)) < 0.01);
    assert_true(fabs(output(m, s, "rod.end.My")) < 1e-6);
    assert_true(output(m, s, "rod.at(0.5).My") == output(m, s, "rod.node4.My"));
    assert_true(fabs(output(m, s, "rod.at(0.25).z + 1") - 1 - output(m, s, "rod.node2.z")) < 1e-15);
    const double W = 0.1 * 0.05 * 0.05 / 6, sum = output(m, s, "rod.start.stress_max"),
                 least = output(m, s, "rod.start.stress_min");
    assert_true(fabs((sum - least) / 2 - fabs(output(m, s, "rod.start.My")) / W) < 1e-6 * sum);
    assert_true(fabs((sum + least) / 2 - output(m, s, "rod.start.N") / 0.005) < 1e-6 * sum);
    // q^2 L^5/(40 EI), nearly; deflection at the middle from the chord: (17/24 - 1) q L^4/(16 EI)
    const double EI = 2e11 * 0.1 * 0.05 * 0.05 * 0.05 / 12;
    assert_true(fabs(output(m, s, "rod.strain_energy") / (300 * 300 * 32 / (40 * EI)) - 1) < 0.02);
    const double w = 300 * 16 / EI, middle = w * 17 / 384 - w / 16;
    assert_true(fabs(output(m, s, "rod.deflection(0.5)") / fabs(middle) - 1) < 0.02);
    hol_equilibria_destroy(list);
    hol_sim_destroy(s);
    hol_model_destroy(m);
}

// k and its derivatives on both sides of |phi| = 2 and against differences
static void test_k(void **state) {
    (void)state;
    for (double y = 0.01; y < 9; y *= 1.3) {
        double k[3], low[3], high[3], half = sqrt(y) / 2;
        const double h = 1e-4 * y;
        hol_beam_k(y, k);
        hol_beam_k(y - h, low);
        hol_beam_k(y + h, high);
        assert_true(fabs(k[0] - (1 - half / tan(half)) / y) < 1e-12);
        assert_true(fabs((high[0] - low[0]) / (2 * h) - k[1]) < 1e-6 * k[1]);
        assert_true(fabs((high[1] - low[1]) / (2 * h) - k[2]) < 1e-6 * k[2]);
    }
    double low[3], high[3];
    hol_beam_k(4 - 1e-12, low);
    hol_beam_k(4 + 1e-12, high);
    near("k at |phi| = 2", low, high, 3, 1e-12);
}

// the series of k and k' of y(t) = a + b t + c t^2, the square of an angle, to order 24 sum up to
// their values
static void test_powers(void **state) {
    (void)state;
    enum { ORDERS = 25 };
    for (int i = 0; i < 12; i++) {
        const double a = (double[]){0.02, 0.3, 1.5, 3.2}[i % 4], rate = uniform(-0.5, 0.5),
                     b = 2 * sqrt(a) * rate, c = rate * rate + uniform(0, 0.5),
                     y[2 * ORDERS] = {a, 0, b, 0, c}, t = 0.5;
        double own[20 * (ORDERS + 1)], value[3];
        assert_true(sizeof own >= sizeof(double) * hol_beam_powers_size(ORDERS));
        for (int derivative = 0; derivative < 2; derivative++) {
            hol_beam_k(y[0], value);
            double sum = value[derivative], power = t;
            const int from = 1 + 3 * derivative; // lower orders are made up for
            for (int n = 1; n < ORDERS; n++, power *= t) {
                if (n >= from)
                    sum += hol_beam_powers(own, ORDERS, y, 2, derivative, from, n) * power;
                for (int k = 1; n == from && k < from; k++)
                    sum += hol_beam_powers(own, ORDERS, y, 2, derivative, 0, k) * pow(t, k);
            }
            hol_beam_k(y[0] + b * t + c * t * t, value);
            near("series of k", &sum, value + derivative, 1, 1e-14);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planar_element),
        cmocka_unit_test(test_spatial_element),
        cmocka_unit_test(test_differences),
        cmocka_unit_test(test_invariance),
        cmocka_unit_test(test_plane_in_space),
        cmocka_unit_test(test_masses),
        cmocka_unit_test(test_sections),
        cmocka_unit_test(test_outputs),
        cmocka_unit_test(test_k),
        cmocka_unit_test(test_powers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
