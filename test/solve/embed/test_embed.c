// SPDX-License-Identifier: Apache-2.0
// A run inside a program: inputs, values by name, joint-space mechanics, pieces, rows in memory,
// options as text.
#include "run.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

// a cart on a rail with a pole; u pushes the cart
static const char cart_pole[] =
    "{holonom: 1, name: Cart-pole, space: planar, gravity: [0, -9.81],"
    " parameters: {M: 1, m: 0.1, L: 0.5}, inputs: {u: 0}, ground: {points: {O: [0, 0]}},"
    " bodies: [{name: cart, mass: M, inertia: 0.1, position: [0, 0]},"
    "          {name: pole, mass: m, inertia: 'm*L^2/3', position: [0, L],"
    "           points: {foot: [0, '-L'], tip: [0, L]}}],"
    " joints: [{name: rail, type: prismatic, between: [{body: ground, at: [0, 0], axis: [1, 0]},"
    "           {body: cart, at: [0, 0], axis: [1, 0]}]},"
    "          {name: hinge, type: revolute, between: [cart, pole.foot]}],"
    " forces: [{name: push, type: force, on: cart, value: [u, 0]},"
    "          {name: k, type: spring_damper, between: [ground.O, pole.tip], stiffness: 0,"
    "           damping: 0.1, length: 1}],"
    " simulation: {end: 10, tolerance: 1e-9}}";
// a four-bar linkage: loops
static const char four_bar[] =
    "{holonom: 1, space: planar, gravity: [0, -9.81], ground: {points: {A: [0, 0], D: [2, 0]}},"
    " bodies: [{name: a, mass: 1, inertia: 0.1, position: [0, 0.5], angle: 1.5707963267948966,"
    "           points: {l: [-0.5, 0], r: [0.5, 0]}},"
    "          {name: b, mass: 2, inertia: 0.3, position: [1, 1.25], angle: 0.24497866312686414,"
    "           points: {l: [-1.0307764064044151, 0], r: [1.0307764064044151, 0]}},"
    "          {name: c, mass: 1, inertia: 0.2, position: [2, 0.75], angle: 1.5707963267948966,"
    "           points: {l: [-0.75, 0], r: [0.75, 0]}}],"
    " joints: [{name: A, type: revolute, between: [ground.A, a.l]},"
    "          {name: B, type: revolute, between: [a.r, b.l]},"
    "          {name: C, type: revolute, between: [b.r, c.r]},"
    "          {name: D, type: revolute, between: [ground.D, c.l]}],"
    " simulation: {end: 1, tolerance: 1e-9}}";

typedef struct Made {
    HolModel *m;
    HolSimOptions o;
    HolSim *s;
} Made;

static Made make(const char *text, const char *options) {
    Made x = {.m = NULL};
    HolError err;
    if (hol_model_parse(text, strlen(text), "test", NULL, 0, &x.m, &x.o, &err) != HOL_OK)
        fail_msg("%s", err.text);
    if (options && hol_sim_options_parse(&x.o, options, strlen(options), &err) != HOL_OK)
        fail_msg("%s", err.text);
    if (hol_sim_create(x.m, &x.o, &x.s, &err) != HOL_OK)
        fail_msg("%s", err.text);
    return x;
}

static void end(Made *x) {
    hol_sim_destroy(x->s);
    hol_model_destroy(x->m);
}

static double value(HolSim *s, const char *name) {
    double v = NAN;
    HolError err;
    if (hol_sim_value(s, name, &v, &err) != HOL_OK)
        fail_msg("%s", err.text);
    return v;
}

// ---- inputs ----

static void inputs_push(void **state) {
    (void)state;
    static const char *const methods[] = {"{method: tangent, step: 0.01}",
                                          "{method: taylor}",
                                          "{method: hht, step: 0.0005}",
                                          "{method: radau}",
                                          "{method: auto}",
                                          "{method: rk853}"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        Made x = make(cart_pole, methods[i]);
        HolError err;
        assert_int_equal(hol_model_input_count(x.m), 1);
        assert_string_equal(hol_model_input_name(x.m, 0), "u");
        // the cart and an upright pole: M x'' = u - (forces of the pole); at the start
        // (M + m) x'' + m L phi'' .. = u with phi = 0, phi' = 0
        assert_int_equal(hol_sim_set_input(x.s, "u", 2, &err), HOL_OK);
        const double a = 2 / (1 + 0.1 - 0.1 * 0.1 * 0.25 / (0.1 * 0.25 / 3 + 0.1 * 0.25));
        close_to(value(x.s, "cart.ax"), a, 1e-9);
        assert_int_equal(hol_sim_advance(x.s, 0.1, &err), HOL_OK);
        const double before = value(x.s, "cart.vx");
        assert_true(before > 0.1);
        // zero, then back: momentum of both stays while nothing pushes (the damper is inner: not
        // quite, it holds to the ground), so only the sign is tested, and that u is read back
        assert_int_equal(hol_sim_set_input(x.s, "u", -2, &err), HOL_OK);
        close_to(value(x.s, "u"), -2, 0);
        assert_int_equal(hol_sim_advance(x.s, 0.2, &err), HOL_OK);
        assert_true(value(x.s, "cart.vx") < 0.5 * before);
        assert_int_equal(hol_sim_set_input(x.s, "u", NAN, &err), HOL_ERR_INPUT);
        assert_int_equal(hol_sim_set_input(x.s, "w", 1, &err), HOL_ERR_INPUT);
        assert_non_null(strstr(err.text, "the model has u"));
        close_to(value(x.s, "u"), -2, 0);
        end(&x);
    }
}

// an input that is set to a constant acts as the same number written into the model
static void inputs_as_constants(void **state) {
    (void)state;
    static const char *const methods[] = {"{method: tangent, step: 0.01}", "{method: taylor}",
                                          "{method: rk853}"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        Made x = make(cart_pole, methods[i]), y = {.m = NULL};
        HolError err;
        char text[sizeof cart_pole + 4];
        const char *at = strstr(cart_pole, "{u: 0}");
        snprintf(text, sizeof text, "%.*s{u: 0.7}%s", (int)(at - cart_pole), cart_pole,
                 at + strlen("{u: 0}"));
        assert_int_equal(hol_model_parse(text, strlen(text), "t", NULL, 0, &y.m, &y.o, &err),
                         HOL_OK);
        y.o = x.o;
        assert_int_equal(hol_sim_create(y.m, &y.o, &y.s, &err), HOL_OK);
        assert_int_equal(hol_sim_set_input(x.s, "u", 0.7, &err), HOL_OK);
        assert_int_equal(hol_sim_advance(x.s, 1, &err), HOL_OK);
        assert_int_equal(hol_sim_advance(y.s, 1, &err), HOL_OK);
        assert_true(value(x.s, "pole.angle") == value(y.s, "pole.angle"));
        end(&x);
        end(&y);
    }
}

// a piecewise constant input against the same law of time in the model
static void inputs_switch(void **state) {
    (void)state;
    char text[sizeof cart_pole + 40];
    const char *at = strstr(cart_pole, "value: [u, 0]");
    snprintf(text, sizeof text, "%.*svalue: ['if(time < 0.3, 2, -1)', 0]%s", (int)(at - cart_pole),
             cart_pole, at + strlen("value: [u, 0]"));
    Made x = make(cart_pole, NULL), y = make(text, NULL);
    HolError err;
    assert_int_equal(hol_sim_set_input(x.s, "u", 2, &err), HOL_OK);
    assert_int_equal(hol_sim_advance(x.s, 0.3, &err), HOL_OK);
    assert_int_equal(hol_sim_set_input(x.s, "u", -1, &err), HOL_OK);
    assert_int_equal(hol_sim_advance(x.s, 1, &err), HOL_OK);
    assert_int_equal(hol_sim_advance(y.s, 1, &err), HOL_OK);
    close_to(value(x.s, "cart.x"), value(y.s, "cart.x"), 1e-8);
    close_to(value(x.s, "pole.angle"), value(y.s, "pole.angle"), 1e-7);
    end(&x);
    end(&y);
}

// ---- values ----

static void values_by_name(void **state) {
    (void)state;
    Made x = make(cart_pole, NULL);
    HolError err;
    static double row[200];
    assert_int_equal(hol_sim_set_input(x.s, "u", 1, &err), HOL_OK);
    assert_int_equal(hol_sim_advance(x.s, 0.7, &err), HOL_OK);
    // every column, as the rows have it
    assert_int_equal(hol_sim_row(x.s, 0.7, row, &err), HOL_OK);
    for (int i = 0; i < hol_model_column_count(x.m); i++) {
        const char *name = hol_model_column(x.m, i).name;
        HolHandle h;
        close_to(value(x.s, name), row[i], 1e-12 * (1 + fabs(row[i])));
        assert_int_equal(hol_model_handle(x.m, name, &h, &err), HOL_OK);
        close_to(hol_sim_read(x.s, &h), row[i], 1e-12 * (1 + fabs(row[i])));
    }
    // what is no column
    const double angle = value(x.s, "pole.angle"), px = value(x.s, "pole.x");
    close_to(value(x.s, "pole.tip.x"), px - 0.5 * sin(angle), 1e-12);
    close_to(value(x.s, "pole.tip.vx"),
             value(x.s, "pole.vx") - 0.5 * cos(angle) * value(x.s, "pole.omega"), 1e-12);
    close_to(value(x.s, "hinge.angle"), angle, 1e-12);
    close_to(value(x.s, "hinge.rate"), value(x.s, "pole.omega") - value(x.s, "cart.omega"), 1e-12);
    close_to(value(x.s, "rail.displacement"), value(x.s, "cart.x"), 1e-12);
    close_to(value(x.s, "k.length"), hypot(value(x.s, "pole.tip.x"), value(x.s, "pole.tip.y")),
             1e-12);
    close_to(value(x.s, "L"), 0.5, 0);
    close_to(value(x.s, "time"), 0.7, 0);
    double v, position[3], A[9], f[3], torque[3];
    assert_int_equal(hol_sim_value(x.s, "pole.xx", &v, &err), HOL_ERR_INPUT);
    assert_non_null(strstr(err.text, "did you mean 'pole.x'"));
    assert_int_equal(hol_sim_pose(x.s, "pole", position, A, &err), HOL_OK);
    close_to(position[0], px, 0);
    close_to(A[3], sin(angle), 1e-14);
    assert_int_equal(hol_sim_reaction(x.s, "hinge", f, torque, &err), HOL_OK);
    close_to(f[0], value(x.s, "hinge.fx"), 1e-12);
    close_to(f[1], value(x.s, "hinge.fy"), 1e-12);
    assert_int_equal(hol_sim_pose(x.s, "nobody", position, A, &err), HOL_ERR_INPUT);
    assert_int_equal(hol_sim_reaction(x.s, "nojoint", f, torque, &err), HOL_ERR_INPUT);
    end(&x);
}

// ---- mechanics in joint coordinates ----

// the textbook's equations of a cart-pole (foot at the cart, phi from the upright, counterclockwise)
static void joint_space_of_a_tree(void **state) {
    (void)state;
    static const char *const joints[] = {"rail", "hinge"};
    Made x = make(cart_pole, NULL);
    HolError err;
    double M[4], h[2], J[12];
    assert_int_equal(hol_sim_set_input(x.s, "u", 3, &err), HOL_OK);
    assert_int_equal(hol_sim_advance(x.s, 0.9, &err), HOL_OK);
    const double phi = value(x.s, "hinge.angle"), w = value(x.s, "hinge.rate"), m = 0.1, L = 0.5,
                 g = 9.81;
    assert_int_equal(hol_sim_joint_space(x.s, joints, 2, M, h, &err), HOL_OK);
    close_to(M[0], 1.1, 1e-12);
    close_to(M[1], -m * L * cos(phi), 1e-12);
    close_to(M[2], M[1], 1e-12);
    close_to(M[3], m * L * L * 4 / 3, 1e-12);
    // the damper to the ground at the tip
    const double tx = value(x.s, "pole.tip.x"), ty = value(x.s, "pole.tip.y"), r = hypot(tx, ty),
                 force = -0.1 * value(x.s, "k.rate");
    const double fx = force * tx / r, fy = force * ty / r;
    close_to(h[0], m * L * sin(phi) * w * w - 3 - fx, 1e-10);
    close_to(h[1], -m * g * L * sin(phi) - (fx * -2 * L * cos(phi) + fy * -2 * L * sin(phi)),
             1e-10);
    // motion of the tip
    assert_int_equal(hol_sim_jacobian(x.s, "pole.tip", joints, 2, J, &err), HOL_OK);
    const double expected[12] = {1, -2 * L * cos(phi), 0, -2 * L * sin(phi), 0, 0, 0, 0, 0, 0, 0,
                                 1};
    for (int i = 0; i < 12; i++)
        close_to(J[i], expected[i], 1e-12);
    // inverse dynamics: u = M x'' + h at the present state, and at another one
    const double at[2] = {value(x.s, "rail.displacement"), phi},
                 rate[2] = {value(x.s, "cart.vx"), w}, a[2] = {0.3, -2};
    double u[2];
    assert_int_equal(hol_sim_inverse_dynamics(x.s, joints, 2, at, rate, a, u, &err), HOL_OK);
    close_to(u[0], M[0] * a[0] + M[1] * a[1] + h[0], 1e-9);
    close_to(u[1], M[2] * a[0] + M[3] * a[1] + h[1], 1e-9);
    const double there[2] = {0.4, 2.5}, none[2] = {0, 0};
    const double t = hol_sim_time(x.s), q0 = value(x.s, "pole.x");
    assert_int_equal(hol_sim_inverse_dynamics(x.s, joints, 2, there, none, none, u, &err), HOL_OK);
    close_to(u[1], -m * g * L * sin(2.5), 1e-9);
    close_to(u[0], -3, 1e-9);
    assert_true(hol_sim_time(x.s) == t && value(x.s, "pole.x") == q0); // as it was
    // what is refused
    static const char *const same[] = {"hinge", "hinge"}, *const unknown[] = {"rail", "knee"};
    assert_int_equal(hol_sim_joint_space(x.s, joints, 1, M, h, &err), HOL_ERR_INPUT);
    assert_true(hol_sim_joint_space(x.s, same, 2, M, h, &err) != HOL_OK);
    assert_int_equal(hol_sim_joint_space(x.s, unknown, 2, M, h, &err), HOL_ERR_INPUT);
    end(&x);
}

// a loop: x'' = -h / M is what the run has
static void joint_space_of_a_loop(void **state) {
    (void)state;
    static const char *const joint[] = {"A"};
    Made x = make(four_bar, NULL);
    HolError err;
    double M, h, J[6], u;
    assert_int_equal(hol_sim_advance(x.s, 0.3, &err), HOL_OK);
    assert_int_equal(hol_sim_joint_space(x.s, joint, 1, &M, &h, &err), HOL_OK);
    close_to(-h / M, value(x.s, "a.alpha"), 1e-7);
    assert_int_equal(hol_sim_jacobian(x.s, "c.r", joint, 1, J, &err), HOL_OK);
    close_to(J[0] * value(x.s, "a.omega"), value(x.s, "c.r.vx"), 1e-9);
    close_to(J[5] * value(x.s, "a.omega"), value(x.s, "c.omega"), 1e-9);
    // at rest where the gravity torque is the derivative of the potential
    const double angle = value(x.s, "A.angle") + 0.2, none = 0, e = 1e-5;
    double V[2];
    assert_int_equal(hol_sim_inverse_dynamics(x.s, joint, 1, &angle, &none, &none, &u, &err),
                     HOL_OK);
    for (int i = 0; i < 2; i++) {
        double q[9], at = angle + (i ? e : -e);
        Made y = make(four_bar, NULL);
        // close the loop at the angle by a run of its own
        const double ax = cos(at), ay = sin(at), dx = 2 - ax, dy = -ay, d = hypot(dx, dy),
                     l = 2.0615528128088303, k = (l * l - 2.25 + d * d) / (2 * d),
                     s = sqrt(l * l - k * k);
        const double cx = ax + (dx * k - dy * s) / d, cy = ay + (dy * k + dx * s) / d;
        q[0] = ax / 2, q[1] = ay / 2, q[2] = at;
        q[3] = (ax + cx) / 2, q[4] = (ay + cy) / 2, q[5] = atan2(cy - ay, cx - ax);
        q[6] = (2 + cx) / 2, q[7] = cy / 2, q[8] = atan2(cy, cx - 2);
        const double v[9] = {0};
        assert_int_equal(hol_sim_set_state(y.s, 0, q, v, &err), HOL_OK);
        V[i] = value(y.s, "energy.potential");
        end(&y);
    }
    close_to(u, (V[1] - V[0]) / (2 * e), 1e-5);
    end(&x);
}

// ---- pieces, recordings ----

typedef struct Rows {
    double t[400];
    int n;
} Rows;

static HolStatus count_row(void *user, HolSim *s, int what, double t, HolError *err) {
    Rows *r = user;
    (void)s, (void)err;
    if (what == HOL_AT_ROW && r->n < 400)
        r->t[r->n++] = t;
    return HOL_OK;
}

static void pieces_change_nothing(void **state) {
    (void)state;
    Made x = make(cart_pole, "{end: 2, output_step: 0.05}"),
         y = make(cart_pole, "{end: 2, output_step: 0.05}");
    Rows whole = {.n = 0}, parts = {.n = 0};
    HolError err;
    int done = 0, calls = 0;
    assert_int_equal(hol_sim_set_input(x.s, "u", 1, &err), HOL_OK);
    assert_int_equal(hol_sim_set_input(y.s, "u", 1, &err), HOL_OK);
    assert_int_equal(hol_sim_run(x.s, 2, count_row, &whole, &err), HOL_OK);
    while (!done) {
        assert_int_equal(hol_sim_run_some(y.s, 2, 0, count_row, &parts, &done, &err), HOL_OK);
        calls++;
    }
    assert_true(calls > 5);
    assert_int_equal(whole.n, 41);
    assert_int_equal(parts.n, whole.n);
    for (int i = 0; i < whole.n; i++)
        assert_true(parts.t[i] == whole.t[i]);
    assert_true(value(x.s, "pole.angle") == value(y.s, "pole.angle"));
    while (hol_sim_time(y.s) < 3)
        assert_int_equal(hol_sim_advance_some(y.s, 3, 0, &err), HOL_OK);
    assert_int_equal(hol_sim_advance(x.s, 3, &err), HOL_OK);
    assert_true(value(x.s, "pole.angle") == value(y.s, "pole.angle"));
    end(&x);
    end(&y);
}

// an event with stop: true ends pieces as it ends a whole advance
static void pieces_end_at_a_stop(void **state) {
    (void)state;
    static const char stops[] = "holonom: 1\nspace: planar\nbodies: [{name: q, type: coordinate, "
                                "velocity: 1}]\nevents: [{when: q.x - 1.5, stop: true}]\n";
    for (int some = 0; some < 2; some++) {
        HolModel *m = NULL;
        HolSim *s = NULL;
        HolSimOptions o;
        HolError err;
        HolStatus status = HOL_OK;
        assert_int_equal(hol_model_parse(stops, strlen(stops), "m", NULL, 0, &m, &o, &err), HOL_OK);
        assert_int_equal(hol_sim_create(m, &o, &s, &err), HOL_OK);
        while (status == HOL_OK && hol_sim_time(s) < 3)
            status = some ? hol_sim_advance_some(s, 3, 0, &err) : hol_sim_advance(s, 3, &err);
        assert_int_equal(status, HOL_EVENT);
        assert_true(fabs(hol_sim_time(s) - 1.5) < 1e-12);
        hol_sim_destroy(s);
        hol_model_destroy(m);
    }
}

static void recordings_hold_rows(void **state) {
    (void)state;
    Made x = make(cart_pole, "{end: 20, output_step: 0.05}");
    HolRecording *r = NULL;
    HolError err;
    int done = 0;
    assert_int_equal(hol_recording_create(x.s, &r, &err), HOL_OK);
    while (!done)
        assert_int_equal(hol_recording_run(r, 20, 0.001, &done, &err), HOL_OK);
    assert_int_equal(hol_recording_rows(r), 401);
    const int n = hol_recording_columns(r);
    assert_int_equal(n, hol_model_column_count(x.m));
    close_to(hol_recording_data(r)[200 * n], 10, 1e-12);
    char path[] = "/tmp/test_embed_XXXXXX.csv", manifest[64];
    close(mkstemps(path, 4));
    if (hol_recording_write(r, path, HOL_OK, "", &err) != HOL_OK)
        fail_msg("%s", err.text);
    HolResult *read = NULL;
    assert_int_equal(hol_result_read(path, &read, &err), HOL_OK);
    assert_int_equal(hol_result_row_count(read), 401);
    assert_true(hol_result_values(read, 1)[400] == hol_recording_data(r)[400 * n + 1]);
    hol_result_destroy(read);
    unlink(path);
    snprintf(manifest, sizeof manifest, "%s.json", path);
    unlink(manifest);
    hol_recording_destroy(r);
    end(&x);
}

// ---- options as text ----

static void options_as_text(void **state) {
    (void)state;
    HolSimOptions o = hol_sim_options();
    HolError err;
    const char *good =
        "{\"end\": 7, \"step\": 0.01, \"method\": {\"name\": \"newmark\", \"beta\": 0.3}}";
    assert_int_equal(hol_sim_options_parse(&o, good, strlen(good), &err), HOL_OK);
    assert_true(o.end == 7 && o.step == 0.01 && o.method.beta == 0.3);
    assert_true(hol_sim_options_end(&o) == 7);
    // a tolerance takes the place of a step, a method that of all its parameters
    const char *other = "{tolerance: 1e-7, method: radau}";
    assert_int_equal(hol_sim_options_parse(&o, other, strlen(other), &err), HOL_OK);
    assert_true(o.step == 0 && o.tolerance == 1e-7 && isnan(o.method.beta));
    static const char *const bad[] = {
        "{ende: 3}", "{end: -1}", "{end: x}",          "{method: nix}",
        "[1]",       "{]",        "{stop_times: [1]}", "{step: 1, tolerance: 1}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(hol_sim_options_parse(&o, bad[i], strlen(bad[i]), &err), HOL_ERR_INPUT);
        if (!strstr(err.text, "options:1:"))
            fail_msg("%s: %s", bad[i], err.text);
        assert_true(o.end == 7 && o.tolerance == 1e-7);
    }
}

// ---- forces by name ----

// as the columns of results have them, for every kind
static void forces_by_name(void **state) {
    (void)state;
    static const char *const names[] = {"k.force",    "t.torque",   "push.force", "twist.torque",
                                        "gen.force",  "b.force",    "b.torque",   "drive.force",
                                        "P.f_body.x", "P.f_body.y", "P.t_body.z"};
    static const char text[] =
        "{holonom: 1, space: planar, gravity: [0, -9.81], ground: {points: {O: [0, 0]}},"
        " bodies: [{name: rod, mass: 1, inertia: 0.1, position: [0.5, 0], points: {l: [-0.5, 0],"
        "           r: [0.5, 0]}},"
        "          {name: bob, mass: 2, inertia: 0.2, position: [1.5, 0], points: {l: [-0.5, 0]}},"
        "          {name: x, type: coordinate, mass: 1}],"
        " joints: [{name: O, type: revolute, between: [ground.O, rod.l]},"
        "          {name: P, type: revolute, between: [rod.r, bob.l]}],"
        " motions: [{name: drive, joint: O, value: 'sin(3*time)'}],"
        " forces: [{name: k, type: spring_damper, between: [ground.O, bob], stiffness: 30,"
        "           damping: 1, length: 1.2, force: 'sin(time)'},"
        "          {name: t, type: torsion_spring_damper, joint: P, stiffness: 4, damping: 0.1},"
        "          {name: push, type: force, on: bob, value: ['2*time', 'bob.vx']},"
        "          {name: twist, type: torque, on: bob, value: '-0.1*bob.omega - 0.1'},"
        "          {name: gen, type: expression, on: x, value: '1 - x'},"
        "          {name: b, type: bushing, between: [ground.O, bob], stiffness: [3, 4],"
        "           damping: 0.1, rotational_stiffness: 2}],"
        " outputs: [%s], simulation: {end: 1, tolerance: 1e-9}}";
    char list[400] = "", with[sizeof text + 400], without[sizeof text + 400];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), ", %s", names[i]);
    snprintf(with, sizeof with, text, list + 2);
    snprintf(without, sizeof without, text, "rod.x");
    Made x = make(with, NULL), y = make(without, NULL);
    HolError err;
    double row[20];
    assert_int_equal(hol_sim_advance(x.s, 0.7, &err), HOL_OK);
    assert_int_equal(hol_sim_advance(y.s, 0.7, &err), HOL_OK);
    assert_int_equal(hol_sim_row(x.s, 0.7, row, &err), HOL_OK);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!(fabs(row[i + 1]) > 1e-3) && strcmp(names[i], "P.t_body.z") != 0)
            fail_msg("%s: %g", names[i], row[i + 1]);
        close_to(value(y.s, names[i]), row[i + 1], 1e-7 * (1 + fabs(row[i + 1])));
        close_to(value(x.s, names[i]), row[i + 1], 1e-10 * (1 + fabs(row[i + 1])));
    }
    double v;
    assert_int_equal(hol_sim_value(y.s, "k.torque", &v, &err), HOL_ERR_INPUT);
    end(&x);
    end(&y);
}

// ---- functions of the program ----

typedef struct Cubic {
    double k, b;
    long calls;
} Cubic;

static double cubic(void *user, const double *x) {
    Cubic *c = user;
    c->calls++;
    return c->k * x[0] + c->b * x[0] * x[0] * x[0] - 0.2 * x[1];
}

static void cubic_slopes(void *user, const double *x, double *out) {
    const Cubic *c = user;
    out[0] = c->k + 3 * c->b * x[0] * x[0];
    out[1] = -0.2;
}

static double nothing(void *user, const double *x) {
    (void)user;
    return x[0] < 0.3 ? 1 : NAN;
}

static const char called[] =
    "{holonom: 1, space: planar, gravity: [0, -9.81], ground: {points: {O: [0, 0]}},"
    " bodies: [{name: rod, mass: 1, inertia: 0.1, position: [0.5, 0], points: {l: [-0.5, 0],"
    "           r: [0.5, 0]}},"
    "          {name: bob, mass: 2, inertia: 0.2, position: [1.5, 0], points: {l: [-0.5, 0]}}],"
    " joints: [{name: O, type: revolute, between: [ground.O, rod.l]},"
    "          {name: P, type: revolute, between: [rod.r, bob.l]}],"
    " variables: [{name: held, value: '%s'}],"
    " forces: [{name: f, type: torque, on: bob, value: '-held*(1 + 0.1*sin(time))'}],"
    " simulation: {end: 1, tolerance: 1e-8}}";

static HolStatus call_model(const char *law, const HolFunctionDef *f, int n, Made *x,
                            HolError *err) {
    char text[sizeof called + 200];
    snprintf(text, sizeof text, called, law);
    *x = (Made){.m = NULL};
    return hol_model_parse_with(text, strlen(text), "called", NULL, 0, f, n, &x->m, &x->o, err);
}

static HolFunctionDef cubic_function(Cubic *c, int slopes) {
    HolFunctionDef f = hol_function_def();
    f.name = "cubic";
    f.arguments = 2;
    f.value = cubic;
    f.gradient = slopes ? cubic_slopes : NULL;
    f.user = c;
    return f;
}

// every method that can goes as with the same law in the file, whoever makes the slopes
static void functions_are_forces(void **state) {
    (void)state;
    static const char *const methods[] = {
        "auto",  "tangent", "newmark",   "hht", "radau",     "rk4",
        "rk853", "bdf",     "dae-alpha", "rk3", "explicit4", "central-differences"};
    HolError err;
    Made y;
    assert_int_equal(call_model("7*P.angle + 3*P.angle^3 + 0.2*P.rate", NULL, 0, &y, &err), HOL_OK);
    assert_int_equal(hol_sim_create(y.m, &y.o, &y.s, &err), HOL_OK);
    assert_int_equal(hol_sim_advance(y.s, 0.5, &err), HOL_OK);
    for (int slopes = 0; slopes < 2; slopes++) {
        Cubic c = {7, 3, 0};
        const HolFunctionDef f = cubic_function(&c, slopes);
        Made x;
        if (call_model("cubic(P.angle, -P.rate)", &f, 1, &x, &err) != HOL_OK)
            fail_msg("%s", err.text);
        for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
            snprintf(x.o.method.name, sizeof x.o.method.name, "%s", methods[i]);
            x.o.step = strcmp(methods[i], "bdf") && strcmp(methods[i], "auto") ? 2e-4 : 0;
            HolStatus status = hol_sim_create(x.m, &x.o, &x.s, &err);
            if (!status)
                status = hol_sim_advance(x.s, 0.5, &err);
            if (status)
                fail_msg("%s: %s", methods[i], err.text);
            close_to(value(x.s, "bob.angle"), value(y.s, "bob.angle"), 2e-5);
            hol_sim_destroy(x.s);
        }
        // series are not known of it
        snprintf(x.o.method.name, sizeof x.o.method.name, "taylor");
        x.o.step = 0;
        const HolStatus status = hol_sim_create(x.m, &x.o, &x.s, &err);
        assert_true(status != HOL_OK || hol_sim_advance(x.s, 0.5, &err) != HOL_OK);
        assert_true(c.calls > 1000);
        hol_sim_destroy(status ? NULL : x.s);
        hol_model_destroy(x.m);
    }
    end(&y);
}

static void functions_that_are_refused(void **state) {
    (void)state;
    Cubic c = {1, 1, 0};
    HolFunctionDef f = cubic_function(&c, 0), two[2];
    HolError err;
    Made x;
    static const struct {
        const char *law, *message;
    } wrong[] = {{"cubic(P.angle)", "cubic takes 2 arguments, got 1"},
                 {"cubic(P.angle, P.rate, 1)", "cubic takes 2 arguments, got 3"},
                 {"cubik(P.angle, 1)", "unknown function 'cubik'"},
                 {"cubic + 1", "'cubic' is a function"},
                 {"cubic(P.angle, 1", "missing ')' for cubic("},
                 {"cubic(P.angel, 1)", "unknown name 'P.angel'"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(call_model(wrong[i].law, &f, 1, &x, &err), HOL_ERR_INPUT);
        if (!strstr(err.text, wrong[i].message) || err.line != 1 || err.column < 100)
            fail_msg("%s: %s", wrong[i].law, err.text);
    }
    two[0] = two[1] = f;
    assert_int_equal(call_model("1", two, 2, &x, &err), HOL_ERR_INPUT);
    f.name = "sin";
    assert_int_equal(call_model("1", &f, 1, &x, &err), HOL_ERR_INPUT);
    f = cubic_function(&c, 0);
    f.value = NULL;
    assert_int_equal(call_model("1", &f, 1, &x, &err), HOL_ERR_INPUT);
    f = cubic_function(&c, 0);
    f.arguments = 17;
    assert_int_equal(call_model("1", &f, 1, &x, &err), HOL_ERR_INPUT);
    // constraints need second derivatives
    static const char circle[] =
        "{holonom: 1, space: planar, bodies: [{name: p, type: point, mass: 1, position: [1, 0]}],"
        " constraints: [{name: c, equation: 'cubic(p.x, p.y) - 1'}], simulation: {end: 1}}";
    f = cubic_function(&c, 0);
    HolSimOptions o;
    HolModel *m = NULL;
    assert_int_equal(
        hol_model_parse_with(circle, strlen(circle), "c", NULL, 0, &f, 1, &m, &o, &err),
        HOL_ERR_INPUT);
    assert_non_null(strstr(err.text, "cannot be part of a constraint"));
    // a value that is no number ends the run and names the function
    f.name = "nothing";
    f.arguments = 1;
    f.value = nothing;
    assert_int_equal(call_model("nothing(time)", &f, 1, &x, &err), HOL_OK);
    assert_int_equal(hol_sim_create(x.m, &x.o, &x.s, &err), HOL_OK);
    assert_true(hol_sim_advance(x.s, 1, &err) < 0);
    if (!strstr(err.text, "nothing"))
        fail_msg("%s", err.text);
    assert_true(hol_sim_time(x.s) < 0.31);
    end(&x);
}

// ---- parameters that change ----

static void parameters_change(void **state) {
    (void)state;
    static const char text[] =
        "{holonom: 1, space: planar, parameters: {k: 5, c: 0.3, m: 2}, tunable: [k, c],"
        " bodies: [{name: x, type: coordinate, mass: m, position: 1}],"
        " forces: [{type: expression, on: x, value: '-k*x - c*x.v'}], simulation: {end: 4,"
        " tolerance: 1e-9}}";
    Made x = make(text, NULL);
    HolError err;
    assert_int_equal(hol_model_parameter_count(x.m), 3);
    assert_int_equal(hol_sim_advance(x.s, 1, &err), HOL_OK);
    assert_int_equal(hol_sim_set_parameter(x.s, "k", 20, &err), HOL_OK);
    close_to(value(x.s, "k"), 20, 0);
    const double x0 = value(x.s, "x"), v0 = value(x.s, "x.v");
    assert_int_equal(hol_sim_advance(x.s, 2, &err), HOL_OK);
    // x'' = -10 x - 0.15 x'
    const double d = 0.075, w = sqrt(10 - d * d);
    close_to(value(x.s, "x"), exp(-d) * (x0 * cos(w) + (v0 + d * x0) / w * sin(w)), 1e-6);
    assert_int_equal(hol_sim_set_parameter(x.s, "m", 3, &err), HOL_ERR_INPUT);
    assert_non_null(strstr(err.text, "folded"));
    assert_int_equal(hol_sim_set_parameter(x.s, "kk", 3, &err), HOL_ERR_INPUT);
    assert_non_null(strstr(err.text, "did you mean 'k'"));
    assert_int_equal(hol_sim_set_parameter(x.s, "k", INFINITY, &err), HOL_ERR_INPUT);
    close_to(value(x.s, "k"), 20, 0);
    end(&x);
}

// ---- creation ----

static double cpu(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// the second run of a model searches no orders: at least 5 times cheaper than the first
static void creation_is_cheap(void **state) {
    (void)state;
    enum { LINKS = 120 };
    char *text = malloc(LINKS * 300), *at = text;
    assert_non_null(text);
    at += sprintf(at, "{holonom: 1, space: planar, gravity: [0, -9.81], bodies: [");
    for (int i = 0; i < LINKS; i++)
        at += sprintf(at,
                      "%s{name: b%d, mass: 1, inertia: 0.1, position: [%d.5, 0],"
                      " points: {l: [-0.5, 0], r: [0.5, 0]}}",
                      i ? ", " : "", i, i);
    at += sprintf(at, "], joints: [{type: revolute, between: [ground, b0.l]}");
    for (int i = 1; i < LINKS; i++)
        at += sprintf(at, ", {type: revolute, between: [b%d.r, b%d.l]}", i - 1, i);
    sprintf(at, "], simulation: {end: 1, step: 0.01, method: newmark}}");
    double first = INFINITY, later = INFINITY;
    double q[2] = {0};
    for (int round = 0; round < 4; round++) {
        Made x = {.m = NULL};
        HolError err;
        if (hol_model_parse(text, strlen(text), "t", NULL, 0, &x.m, &x.o, &err) != HOL_OK)
            fail_msg("%s", err.text);
        for (int i = 0; i < 8; i++) {
            const double begin = cpu();
            assert_int_equal(hol_sim_create(x.m, &x.o, &x.s, &err), HOL_OK);
            const double taken = cpu() - begin;
            if (i == 0)
                first = fmin(first, taken);
            else
                later = fmin(later, taken);
            if (round == 0 && i < 2) { // and it is the same run
                assert_int_equal(hol_sim_advance(x.s, 0.05, &err), HOL_OK);
                q[i] = value(x.s, "b7.angle");
            }
            hol_sim_destroy(x.s);
        }
        hol_model_destroy(x.m);
    }
    free(text);
    assert_true(q[0] == q[1]);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    if (!(first > 5 * later))
        fail_msg("the first run takes %.0f us to create, others %.0f us", 1e6 * first, 1e6 * later);
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(inputs_push),
                                       cmocka_unit_test(inputs_as_constants),
                                       cmocka_unit_test(inputs_switch),
                                       cmocka_unit_test(values_by_name),
                                       cmocka_unit_test(joint_space_of_a_tree),
                                       cmocka_unit_test(joint_space_of_a_loop),
                                       cmocka_unit_test(pieces_change_nothing),
                                       cmocka_unit_test(pieces_end_at_a_stop),
                                       cmocka_unit_test(recordings_hold_rows),
                                       cmocka_unit_test(options_as_text),
                                       cmocka_unit_test(forces_by_name),
                                       cmocka_unit_test(functions_are_forces),
                                       cmocka_unit_test(functions_that_are_refused),
                                       cmocka_unit_test(parameters_change),
                                       cmocka_unit_test(creation_is_cheap)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
