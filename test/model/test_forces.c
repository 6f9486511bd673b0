// SPDX-License-Identifier: Apache-2.0
// Every force kind, in the plane and in space, with constant parameters and with expressions of
// time, coordinates and rates, in global and body axes, at points, between bodies and about joints:
// stiffness and damping matrices against differences, energy against power. A kind is covered the
// moment it is registered. Then known values, and algebraic variables that need the accelerations
// and reactions.
#include "kind_models.h"
#include "model_texts.h"

static int check_variant(const HolKind *kind, HolSpace space, Variant x) {
    HolModel *m = force_model(kind, space, x);
    char name[120];
    if (!m)
        return 0;
    snprintf(name, sizeof name,
             "%s in %s (values %d, frame %d, expressions %d, joint %d, ground %d, several %d)",
             kind->name, space == HOL_PLANAR ? "the plane" : "space", x.n_value, x.frame,
             x.expressions, x.joint, x.ground, x.several);
    Probe b = probe_open(m, name);
    assert_true(m->def.forces[0].n_elements > 0);
    for (int i = 0; i < 2; i++) {
        shake(&b, 0.2);
        check_problem(&b);
    }
    probe_close(&b);
    return 1;
}

static void test_every_kind(void **state) {
    (void)state;
    for (const HolKind *const *list = hol_force_kinds, *k; (k = *list); list++)
        for (int s = 0; s < 2; s++)
            for (int expressions = 0; expressions < 2; expressions++)
                for (int frame = 0; frame < 2; frame++) {
                    int made = 0;
                    if (!(k->spaces & (s ? HOL_IN_SPACE : HOL_IN_PLANE)))
                        continue;
                    for (int i = 0; i < 24; i++) {
                        Variant x = {1 + i % 3, frame, expressions, i / 3 % 2, i / 6 % 2, i / 12};
                        made += check_variant(k, s ? HOL_SPATIAL : HOL_PLANAR, x);
                    }
                    if (!made)
                        fail_msg("%s: no model was made", k->name);
                }
}

// ---- known values ----

static void expect(const char *text, int i, double expected) {
    Probe b = probe_open(parse_model(text), text);
    double *f = HOL_NEW(&b.arena, double, b.nv + 1);
    eval_force(&b, &b.x, f);
    compare(&b, "force", f + i, &expected, 1, 1e-14);
    probe_close(&b);
}

#define BALL                                                                                       \
    "holonom: 1\nspace: planar\nbodies: [{name: p, mass: 2, inertia: 1, position: [3, 4], "        \
    "velocity: [1, 2], angle: 0.5, omega: 0.3}]\n"
#define TOP                                                                                        \
    "holonom: 1\nspace: spatial\nbodies: [{name: p, mass: 2, inertia: [1, 2, 3], position: [3, "   \
    "4, 0], velocity: [1, 2, 0], omega_body: [0.1, 0.2, 0.3]}]\n"

static void test_known_values(void **state) {
    (void)state;
    // 10 (5 - 2) + 0.5 (3 1 + 4 2)/5 + 1 = 32.1 towards the origin
    const char *spring = "forces: [{type: spring_damper, between: [ground, p], stiffness: 10, "
                         "length: 2, damping: 0.5, force: 1}]\n";
    char text[1000];
    for (int s = 0; s < 2; s++) {
        snprintf(text, sizeof text, "%s%s", s ? TOP : BALL, spring);
        expect(text, 0, -32.1 * 0.6);
        expect(text, 1, -32.1 * 0.8);
    }
    expect(BALL "forces: [{type: torsion_spring_damper, between: [ground, p], stiffness: 7, angle: "
                "0.1, damping: 2}]\n",
           2, -7 * 0.4 - 2 * 0.3);
    expect(BALL "forces: [{type: force, on: {body: p, at: [0, 1]}, value: [1, 0], frame: body}]\n",
           0, cos(0.5));
    expect(BALL "forces: [{type: force, on: {body: p, at: [0, 1]}, value: [1, 0], frame: body}]\n",
           2, -1);
    expect(BALL "forces: [{type: force, on: {body: p, at: [0, 1]}, value: [1, 0]}]\n", 2,
           -cos(0.5));
    expect(BALL "forces: [{type: torque, on: p, value: \"2*p.omega\"}]\n", 2, 0.6);
    expect(BALL "forces: [{type: expression, on: p.y, value: \"p.x*p.vy\"}]\n", 1, 6);
    expect(BALL
           "forces: [{type: bushing, between: [ground, p], stiffness: [2, 3], damping: [1, 1]}]\n",
           1, -14);
    expect(TOP "forces: [{type: torque, on: p, value: [0, 0, 5], frame: body}]\n", 5,
           5 + (1 - 2) * 0.1 * 0.2);
    // a small turn about each axis meets the rotational stiffness of that axis
    expect("holonom: 1\nspace: spatial\nbodies: [{name: p, mass: 2, inertia: [1, 1, 1], "
           "omega_body: [0, 2, 0]}]\n"
           "forces: [{type: bushing, between: [ground, p], stiffness: 1, rotational_stiffness: [1, "
           "2, 3], rotational_damping: [4, 5, 6]}]\n",
           4, -10);
}

// a free length without a stiffness, and laws longer than any buffer one might think of
static void test_odd_laws(void **state) {
    (void)state;
    expect(
        BALL
        "forces: [{type: spring_damper, between: [ground, p], length: \"1+time\", damping: 1}]\n",
        0, -0.6 * 2.2);
    static char text[40000];
    int n = snprintf(text, sizeof text,
                     "%sforces: [{type: spring_damper, between: [ground, p], stiffness: \"1 + time",
                     BALL);
    for (int i = 0; i < 1500; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, " + 0*p.x + 1");
    snprintf(text + n, sizeof text - (size_t)n, "\", length: 2}]\n");
    expect(text, 0, -1501 * 3 * 0.6);
    n = snprintf(text, sizeof text, "%sconstraints: [{name: long, equation: \"p.x", BALL);
    for (int i = 0; i < 1500; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, " + 0.5*p.y + 1");
    snprintf(text + n, sizeof text - (size_t)n, "\"}]\n");
    Probe b = probe_open(parse_model(text), "long constraint");
    double g;
    eval_constraint(&b, &b.x, &g);
    assert_true(fabs(g - (3 + 1500 * 3)) < 1e-9);
    check_problem(&b);
    probe_close(&b);
}

// a constraint of time alone moves nothing: said so
static void test_constraint_without_coordinate(void **state) {
    (void)state;
    static const char *const text = BALL "constraints: [{name: no, equation: \"sin(time)\"}]\n";
    HolModel *m = NULL;
    HolError err = {0};
    HolSimOptions o;
    assert_int_equal(hol_model_parse(text, strlen(text), "no.yaml", NULL, 0, &m, &o, &err),
                     HOL_ERR_INPUT);
    assert_null(m);
    assert_non_null(strstr(err.text, "does not depend on any coordinate"));
}

// ---- algebraic variables ----

static void test_implicit_variables(void **state) {
    (void)state;
    for (int i = 0; i < N_IMPLICIT_TEXTS; i++) {
        Probe b = probe_open(parse_model(implicit_texts[i]), implicit_texts[i]);
        assert_true(b.nw > 0);
        for (int k = 0; k < 3; k++) {
            shake(&b, 0.1);
            check_problem(&b);
        }
        probe_close(&b);
    }
}

// a variable without circle is no unknown, whatever the order of writing
static void test_explicit_variables(void **state) {
    (void)state;
    static const char *const text =
        SLIDER "variables:\n"
               "  - {name: y, value: \"u*z + time\"}\n"
               "  - {name: u, value: \"0.3*sin(z) + block.x\"}\n"
               "  - {name: z, value: \"0.1*crank.omega\"}\n"
               "forces: [{type: torque, on: crank, value: \"y - z\"}]\n";
    Probe b = probe_open(parse_model(text), "explicit variables");
    assert_int_equal(b.nw, 0);
    shake(&b, 0.1);
    check_problem(&b);
    double z = 0.1 * b.x.v[2], u = 0.3 * sin(z) + b.x.q[3], *f = HOL_NEW(&b.arena, double, b.nv);
    double expected = u * z + b.x.t - z;
    eval_force(&b, &b.x, f);
    compare(&b, "torque", f + 2, &expected, 1, 1e-14);
    probe_close(&b);
}

// every allocation fails once: the status says so, nothing is left, nothing falls over
static void test_out_of_memory(void **state) {
    (void)state;
    for (int i = 0; i < N_CONSTRAINT_TEXTS + N_IMPLICIT_TEXTS; i++) {
        const char *text =
            i < N_CONSTRAINT_TEXTS ? constraint_texts[i] : implicit_texts[i - N_CONSTRAINT_TEXTS];
        HolStatus status = HOL_ERR_MEMORY;
        for (long n = 1; n < 1000 && status != HOL_OK; n++) {
            HolModel *m = NULL;
            HolError err = {0};
            HolSimOptions o;
            hol_arena_fail_after(n);
            status = hol_model_parse(text, strlen(text), "test.yaml", NULL, 0, &m, &o, &err);
            hol_arena_fail_after(-1);
            if (status != HOL_OK && (status != HOL_ERR_MEMORY || m))
                fail_msg("allocation %ld: status %d: %s", n, status, err.text);
            hol_model_destroy(m);
        }
        assert_int_equal(status, HOL_OK);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind),
        cmocka_unit_test(test_known_values),
        cmocka_unit_test(test_odd_laws),
        cmocka_unit_test(test_constraint_without_coordinate),
        cmocka_unit_test(test_implicit_variables),
        cmocka_unit_test(test_explicit_variables),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
