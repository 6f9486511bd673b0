// SPDX-License-Identifier: Apache-2.0
// Runs that look right and could be wrong: rotation without angular acceleration, whole turns
// between two steps, constraints that contradict each other, mechanisms that close on another
// branch, kinks, fast motion on short steps, rows between steps. Compared with exact solutions.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "holonom/holonom.h"
#include "problem/problem_extras.h"

#include <math.h>
#include <string.h>

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
    if (hol_model_parse(text, strlen(text), "trap.yaml", set, 2, &r.m, &o, &r.err) ||
        hol_sim_create(r.m, &o, &r.s, &r.err))
        fail_msg("%s: %s", method, r.err.text);
    r.status = hol_sim_advance(r.s, o.end, &r.err);
    return r;
}

static Ended run_text(const char *text, const char *method, const char *tolerance) {
    return run_with(text, method, "tolerance", tolerance);
}

static void end(Ended *r) {
    hol_sim_destroy(r->s);
    hol_model_destroy(r->m);
}

// q[i] at the end against the exact value
static void expect(const char *text, const char *method, const char *tolerance, int i, double exact,
                   double most) {
    Ended r = run_text(text, method, tolerance);
    if (r.status)
        fail_msg("%s %s: %s", method, tolerance, r.err.text);
    const double q = hol_sim_view(r.s).q[i];
    if (!(fabs(q - exact) <= most))
        fail_msg("%s %s: q[%d] = %.12g, exact %.12g", method, tolerance, i, q, exact);
    end(&r);
}

// its quaternion turns 24 times; accelerations and their rates are zero
static void steady_rotation(void **state) {
    (void)state;
    static const char text[] = "holonom: 1\nspace: spatial\n"
                               "bodies:\n"
                               "  - {name: r, mass: 1, inertia: [0.1, 0.1, 0.05], "
                               "omega: [0, 0, 100]}\n"
                               "simulation: {end: 3}\n";
    expect(text, "tangent", "1e-6", 3, cos(150), 1e-4);
    expect(text, "tangent", "1e-9", 3, cos(150), 1e-6);
}

// a nut falls by m g p / (m p + J/p) ..: z = -g t^2 / 2 / (1 + J / (m p^2)), p: way per radian
static void whole_turns_in_a_step(void **state) {
    (void)state;
    static const char text[] = "holonom: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
                               "bodies: [{name: n, mass: 2, inertia: [0.1, 0.1, 0.05]}]\n"
                               "joints: [{name: S, type: screw, bodies: [ground, n], "
                               "at: [0, 0, 0], axis: [0, 0, 1], pitch: 0.1}]\n"
                               "simulation: {end: 3}\n";
    static const char *const methods[] = {"newmark", "hht",   "dae-alpha", "rk853", "explicit5",
                                          "tangent", "radau", "taylor",    "rk4"};
    const double z = -9.81 * 9 / 2 / (1 + 0.05 / (2 * 0.1 * 0.1));
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        expect(text, methods[i], "1e-6", 2, z, 1e-4);
}

// the first output of the row at the end, and of one inside the last step, against exact(t)
static void expect_output(const char *text, const char *method, double (*exact)(double),
                          double most) {
    Ended r = run_text(text, method, "1e-6");
    if (r.status)
        fail_msg("%s: %s", method, r.err.text);
    const double t = hol_sim_view(r.s).t, h = hol_sim_stats(r.s).h_last;
    for (int i = 0; i < 2; i++) {
        double row[8] = {0}, at = t - 0.6 * i * h;
        assert_int_equal(hol_sim_row(r.s, at, row, &r.err), HOL_OK);
        if (!(fabs(row[1] - exact(at)) <= most))
            fail_msg("%s: %.9g at %g, exact %.9g", method, row[1], at, exact(at));
    }
    end(&r);
}

static double swing(double t) {
    return 20 * sin(t);
}

static double late_swing(double t) {
    return 20 * sin(t - 5);
}

static double steady(double t) {
    return 20 * t;
}

// a joint and a spring on it count the same turns; a run may start late; rows lie inside steps
static void counted_turns(void **state) {
    (void)state;
#define SPINNING(rest)                                                                             \
    "holonom: 1\nspace: spatial\n"                                                                 \
    "bodies: [{name: r, mass: 1, inertia: [1, 1, 1], omega: [0, 0, 20]}]\n"                        \
    "joints: [{name: h, type: revolute, bodies: [ground, r], at: [0, 0, 0], axis: [0, 0, 1]}]\n"   \
    "outputs: [h.angle]\n" rest
#define SPRING "forces: [{type: torsion_spring_damper, joint: h, stiffness: 1, angle: 0}]\n"
    static const char *const methods[] = {"tangent", "taylor", "rk853", "radau", "dae-alpha"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        const double most = i == 4 ? 0.1 : 2e-3;
        expect_output(SPINNING(SPRING "simulation: {end: 20}\n"), methods[i], swing, most);
        expect_output(SPINNING(SPRING "simulation: {start: 5, end: 10}\n"), methods[i], late_swing,
                      most);
    }
    expect_output(SPINNING("simulation: {end: 5}\n"), "hht", steady, 1e-6);
    expect_output(SPINNING("simulation: {end: 5}\n"), "explicit5", steady, 1e-6);
}

static void contradiction(void **state) {
    (void)state;
    static const char text[] =
        "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
        "bodies: [{name: a, mass: 1, inertia: 0.1, position: [0.5, 0], points: {l: [-0.5, 0]}}]\n"
        "joints: [{name: A, type: revolute, between: [ground, a.l]}]\n"
        "motions:\n"
        "  - {name: d1, joint: A, value: \"sin(time)\"}\n"
        "  - {name: d2, joint: A, value: \"sin(time) + step(time, 1, 0, 2, 0.1)\"}\n"
        "simulation: {end: 3}\n";
    static const char *const methods[] = {"tangent", "taylor", "rk3",       "rk4",    "rk853",
                                          "bdf",     "radau",  "dae-alpha", "newmark"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        Ended r = run_text(text, methods[i], "1e-6");
        const double t = hol_sim_view(r.s).t;
        const int named = strstr(r.err.text, "at d1") || strstr(r.err.text, "at d2");
        if (!r.status || t < 1 || t > 1.05 || !named)
            fail_msg("%s: status %d at %g: %s", methods[i], r.status, t, r.err.text);
        if (!strcmp(methods[i], "tangent"))
            assert_non_null(strstr(r.err.text, "contradict"));
        end(&r);
    }
}

// a driven mechanism without a degree of freedom
static void other_branch(void **state) {
    (void)state;
    static const char text[] =
        "holonom: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  - {name: c, mass: 1, inertia: [0.01, 0.02, 0.02], position: [0.1, 0, 0], "
        "points: {e: [0.1, 0, 0]}}\n"
        "  - {name: k, mass: 1, inertia: [0.05, 0.05, 0.01], position: [1, 0.2, 0.5], "
        "points: {e: [0, 0, 0.3]}}\n"
        "joints:\n"
        "  - {name: A, type: revolute, bodies: [ground, c], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  - {name: B, type: revolute, bodies: [ground, k], at: [1, 0.2, 0], axis: [0, 1, 0]}\n"
        "  - {name: R, type: distance, between: [c.e, k.e]}\n"
        "motions: [{name: m, joint: A, value: \"6*time\"}]\n"
        "simulation: {end: 3}\n";
    static const char *const tolerances[] = {"1e-4", "1e-5", "1e-6", "1e-7", "1e-8", "1e-9"};
    for (int i = 0; i < 6; i++)
        expect(text, "tangent", tolerances[i], 9, 0.4949973193, 1e-9);
}

// a slide with drag meets a one-sided spring at x = 1 and leaves it again
static void one_sided_spring(void **state) {
    (void)state;
    static const char text[] =
        "holonom: 1\nspace: planar\n"
        "bodies: [{name: b, mass: 1, inertia: 0.1, velocity: [3, 0]}]\n"
        "joints: [{name: S, type: prismatic, between: [ground, b], axis: [1, 0]}]\n"
        "forces: [{type: force, on: b, value: [\"if(b.x > 1, -100*(b.x-1), 0) - 0.5*b.vx\", 0]}]\n"
        "simulation: {end: 2}\n";
    const double w = sqrt(100 - 0.0625), touch = 2 * log(1.2), leave = touch + M_PI / w;
    const double out = 2.5 * exp(-0.25 * M_PI / w);
    const double x = 1 - 2 * out * (1 - exp(-0.5 * (2 - leave)));
    expect(text, "tangent", "1e-4", 0, x, 3e-4);
    expect(text, "tangent", "1e-6", 0, x, 1e-5);
    expect(text, "tangent", "1e-8", 0, x, 1e-7);
    expect(text, "radau", "1e-6", 0, x, 1e-6);
    expect(text, "dae-alpha", "1e-6", 0, x, 1e-4);
    expect(text, "rk853", "1e-8", 0, x, 1e-6);
    expect(text, "taylor", "1e-8", 0, x, 1e-6);
}

// at rest under dry friction: the forces of neither side at the start
static void start_on_a_kink(void **state) {
    (void)state;
    static const char text[] = "holonom: 1\nspace: planar\n"
                               "bodies: [{name: b, type: point, mass: 1}]\n"
                               "forces: [{type: force, on: b, value: [\"5 - 2*sign(b.vx)\", 0]}]\n"
                               "simulation: {end: 10}\n";
    expect(text, "tangent", "1e-6", 0, 150, 1e-4);
    expect(text, "taylor", "1e-6", 0, 150, 1e-4);
    expect(text, "rk853", "1e-6", 0, 150, 1e-3);
}

// many kinks, each of them met; and a stiff stop that is left again and again
static void many_kinks(void **state) {
    (void)state;
    static const char square[] =
        "holonom: 1\nspace: planar\n"
        "bodies: [{name: b, type: point, mass: 1}]\n"
        "forces: [{type: force, on: b, value: [\"sign(sin(7*time))\", 0]}]\n"
        "simulation: {end: 10}\n";
    static const char bounce[] =
        "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
        "bodies: [{name: b, type: point, mass: 1, position: [0, 1]}]\n"
        "forces: [{type: force, on: b, value: [0, \"if(b.y < 0, -1e6*b.y, 0)\"]}]\n"
        "simulation: {end: 10}\n";
    static const char *const methods[] = {"tangent", "taylor", "rk853"};
    double x = 0, v = 0, t = 0;
    for (int i = 0; t < 10; i++) {
        const double next = fmin(10, (i + 1) * M_PI / 7), h = next - t, a = i % 2 ? -1 : 1;
        x += h * v + h * h * a / 2;
        v += h * a;
        t = next;
    }
    for (int i = 0; i < 3; i++) {
        expect(square, methods[i], "1e-6", 0, x, 1e-4);
        Ended r = run_text(bounce, methods[i], "1e-6");
        const HolStats stats = hol_sim_stats(r.s);
        if (r.status || stats.steps > 1100 || fabs(hol_sim_view(r.s).q[1] - 0.995) > 1e-3)
            fail_msg("%s: %ld steps to %g: %s", methods[i], stats.steps, hol_sim_view(r.s).q[1],
                     r.err.text);
        end(&r);
    }
}

// positions within the tolerance are not enough where steps are short
static void fast_vibration(void **state) {
    (void)state;
    static const char text[] =
        "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
        "bodies:\n"
        "  - {name: a, mass: 1, inertia: 1/12, position: [0.5, 0], points: {l: [-0.5, 0], "
        "r: [0.5, 0]}}\n"
        "  - {name: b, mass: 1, inertia: 1/12, position: [1.5, 0], points: {l: [-0.5, 0]}}\n"
        "joints:\n"
        "  - {name: A, type: revolute, between: [ground, a.l]}\n"
        "  - {name: B, type: revolute, between: [a.r, b.l]}\n"
        "forces: [{type: torsion_spring_damper, joint: B, stiffness: 1e6, damping: 1e3}]\n"
        "simulation: {end: 0.2}\n";
    Ended r = run_text(text, "taylor", "1e-6");
    assert_int_equal(r.status, HOL_OK);
    assert_true(hol_sim_stats(r.s).energy_max_drift < 0.05);
    end(&r);
}

// all levels at round-off in rows inside steps too, and the run does not notice them
static void rows_between_steps(void **state) {
    (void)state;
    static const char *const methods[] = {"tangent",   "taylor",  "rk3",   "rk4",       "rk853",
                                          "dae-alpha", "newmark", "radau", "explicit5", "bdf"};
    static const char text[] =
        "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
        "bodies: [{name: a, mass: 1, inertia: 0.1, position: [0.5, 0], points: {l: [-0.5, 0]}}]\n"
        "joints: [{name: A, type: revolute, between: [ground, a.l]}]\n"
        "outputs: [constraint.position, constraint.velocity, constraint.acceleration]\n"
        "simulation: {end: 2}\n";
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        HolSetting set[] = {{"method", methods[i]}, {"tolerance", "1e-5"}};
        Ended plain = run_text(text, methods[i], "1e-5"), r = {0};
        HolSimOptions o;
        if (hol_model_parse(text, strlen(text), "trap.yaml", set, 2, &r.m, &o, &r.err) ||
            hol_sim_create(r.m, &o, &r.s, &r.err))
            fail_msg("%s: %s", methods[i], r.err.text);
        double before = 0, row[8];
        while (hol_sim_view(r.s).t < o.end) {
            if (hol_sim_step(r.s, o.end, &r.err))
                fail_msg("%s: %s", methods[i], r.err.text);
            const double t = hol_sim_view(r.s).t, inside = before + 0.37 * (t - before);
            assert_int_equal(hol_sim_row(r.s, inside, row, &r.err), HOL_OK);
            for (int k = 0; k < 3; k++)
                if (!(row[k + 1] < 1e-12))
                    fail_msg("%s at %g: residual %d is %g", methods[i], inside, k, row[k + 1]);
            before = t;
        }
        assert_memory_equal(hol_sim_view(r.s).q, hol_sim_view(plain.s).q, 3 * sizeof(double));
        end(&r);
        end(&plain);
    }
}

// energy that the drive of work_between_steps has given
static double given(double t) {
    const double phi = 2 * sin(3 * t), rate = 6 * cos(3 * t);
    return 0.6 / 2 * (rate * rate - 36) + 2 * 9.81 * 0.5 * sin(phi);
}

static void work_between_steps(void **state) {
    (void)state;
    static const char *const methods[] = {"tangent", "taylor", "rk4", "rk853", "radau"};
    static const char text[] =
        "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
        "bodies: [{name: a, mass: 2, inertia: 0.1, position: [0.5, 0], points: {l: [-0.5, 0]}}]\n"
        "joints: [{name: A, type: revolute, between: [ground, a.l]}]\n"
        "motions: [{name: drive, joint: A, value: \"2*sin(3*time)\"}]\n"
        "outputs: [energy.work]\n"
        "simulation: {end: 2, max_step: 0.1}\n";
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        expect_output(text, methods[i], given, 1e-3);
}

// rows are no effort of the method, and energy.work goes on from step to step
static void rows_are_free(void **state) {
    (void)state;
    static const char *const methods[] = {"tangent", "rk4", "rk853", "radau"};
    static const char text[] =
        "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
        "bodies: [{name: a, mass: 2, inertia: 0.1, position: [0.5, 0], points: {l: [-0.5, 0]}}]\n"
        "joints: [{name: A, type: revolute, between: [ground, a.l]}]\n"
        "motions: [{name: drive, joint: A, value: \"2*sin(3*time)\"}]\n"
        "outputs: [energy.work]\nsimulation: {end: 1}\n";
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        HolModel *model = NULL;
        HolSim *s = NULL;
        HolSimOptions o;
        HolError err = {0};
        double row[2], before = 0, from = 0;
        const HolSetting set[] = {{"method", methods[i]}, {"tolerance", "1e-5"}};
        assert_int_equal(hol_model_parse(text, strlen(text), "text", set, 2, &model, &o, &err),
                         HOL_OK);
        assert_int_equal(hol_sim_create(model, &o, &s, &err), HOL_OK);
        while (from < o.end) {
            assert_int_equal(hol_sim_step(s, o.end, &err), HOL_OK);
            const HolStats stats = hol_sim_stats(s);
            const double to = hol_sim_view(s).t;
            assert_int_equal(hol_sim_row(s, from + 1e-9 * (to - from), row, &err), HOL_OK);
            assert_true(fabs(row[1] - before) < 1e-6);
            const HolStats after = hol_sim_stats(s);
            assert_int_equal(after.factorizations, stats.factorizations);
            assert_int_equal(after.force_evaluations, stats.force_evaluations);
            assert_int_equal(hol_sim_row(s, to, row, &err), HOL_OK);
            before = row[1];
            from = to;
        }
        hol_sim_destroy(s);
        hol_model_destroy(model);
    }
}

// driven beyond what its lengths allow, and by a force that ends
static void named_failures(void **state) {
    (void)state;
    static const char reach[] =
        "holonom: 1\nspace: planar\n"
        "ground: {points: {O: [0, 0], D: [2.5, 0]}}\n"
        "bodies:\n"
        "  - {name: a, mass: 1, inertia: 0.1, position: [0.45, 0.2], angle: 0.4, "
        "points: {l: [-0.5, 0], r: [0.5, 0]}}\n"
        "  - {name: b, mass: 1, inertia: 0.1, position: [1.4, 0.4], angle: 0.1, "
        "points: {l: [-0.5, 0], r: [0.5, 0]}}\n"
        "  - {name: c, mass: 1, inertia: 0.1, position: [2.2, 0.4], angle: -0.8, "
        "points: {l: [-0.5, 0], r: [0.5, 0]}}\n"
        "joints:\n"
        "  - {name: A, type: revolute, between: [ground.O, a.l]}\n"
        "  - {name: B, type: revolute, between: [a.r, b.l]}\n"
        "  - {name: C, type: revolute, between: [b.r, c.l]}\n"
        "  - {name: D, type: revolute, between: [ground.D, c.r]}\n"
        "motions: [{name: drive, joint: A, value: \"0.4 + time\"}]\n"
        "simulation: {end: 3}\n";
    static const char force[] = "holonom: 1\nspace: planar\n"
                                "bodies: [{name: far, mass: 1, inertia: 0.1}]\n"
                                "forces: [{type: force, on: far, value: [\"sqrt(1 - time)\", 0]}]\n"
                                "simulation: {end: 3}\n";
    static const char *const methods[] = {"tangent", "taylor", "rk853", "newmark", "dae-alpha"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        Ended r = run_text(reach, methods[i], "1e-6");
        if (!r.status || !strstr(r.err.text, "end of its reach") || !strstr(r.err.text, "'drive'"))
            fail_msg("%s: %s", methods[i], r.err.text);
        end(&r);
        r = run_text(force, methods[i], "1e-6");
        if (!r.status || !strstr(r.err.text, "square root of -") ||
            !strstr(r.err.text, "(trap.yaml:4:"))
            fail_msg("%s: %s", methods[i], r.err.text);
        end(&r);
    }
}

// a first step that is refused leaves no candidate: the residual told is that of the start
static void refused_at_once(void **state) {
    (void)state;
    static const char text[] = "holonom: 1\nspace: planar\n"
                               "bodies: [{name: a, mass: 1, inertia: 0.1, position: [0.5, 0], "
                               "omega: 300}]\n"
                               "joints: [{name: j, type: revolute, bodies: [ground, a], "
                               "at: [0, 0]}]\n"
                               "forces: [{type: torsion_spring_damper, joint: j, "
                               "stiffness: 10000}]\n"
                               "simulation: {end: 1, step: 0.2, method: taylor}\n";
    HolSimOptions o;
    Ended r = {0};
    if (hol_model_parse(text, strlen(text), "trap.yaml", NULL, 0, &r.m, &o, &r.err) ||
        hol_sim_create(r.m, &o, &r.s, &r.err))
        fail_msg("%s", r.err.text);
    r.status = hol_sim_advance(r.s, o.end, &r.err);
    if (!r.status || !strstr(r.err.text, "residual") || strstr(r.err.text, "residual 0.5"))
        fail_msg("%s", r.err.text);
    end(&r);
}

// q''' of a tumbling body against differences of q'' along the motion with constant jerk
static void third_derivative(void **state) {
    (void)state;
    static const char text[] = "holonom: 1\nspace: spatial\n"
                               "bodies: [{name: b, mass: 1, inertia: [0.1, 0.2, 0.3]}]\n"
                               "simulation: {end: 0.1}\n";
    Ended r = run_text(text, "tangent", "1e-6");
    const HolProblem *p = hol_model_problem(r.m);
    const double v[6] = {1, -2, 3, 0.7, -1.1, 0.9}, a[6] = {0.5, 2, -1, -0.8, 0.3, 1.7};
    const double j[6] = {2, 1, -3, 1.2, -0.6, 0.4}, e = 1e-4;
    double q[7], exact[7], side[2][7], moved[7];
    memcpy(q, hol_sim_view(r.s).q, sizeof q);
    assert_non_null(p->extras->qdddot);
    void *work = test_calloc(1, p->work_size + 64);
    void *aligned = (char *)work + (64 - (uintptr_t)work % 64) % 64;
    assert_int_equal(p->work_init(p, aligned), HOL_OK);
    p->retract(p, aligned, q, v, q); // somewhere
    p->extras->qdddot(p, aligned, q, v, a, j, exact);
    for (int k = 0; k < 2; k++) {
        double d[6], vk[6], ak[6], h = k ? e : -e;
        for (int i = 0; i < 6; i++) {
            d[i] = h * v[i] + h * h / 2 * a[i];
            vk[i] = v[i] + h * a[i] + h * h / 2 * j[i];
            ak[i] = a[i] + h * j[i];
        }
        p->retract(p, aligned, q, d, moved);
        p->qddot(p, aligned, moved, vk, ak, side[k]);
    }
    for (int i = 0; i < 7; i++)
        assert_true(fabs((side[1][i] - side[0][i]) / (2 * e) - exact[i]) < 1e-6);
    test_free(work);
    end(&r);
}

// a torque 5 sqrt(t) on a disc: theta = 5/J 4/15 t^(5/2); with its own series and as a constrained
// body (the other force, which is nothing, keeps it from joint angles)
static void no_series_at_the_start(void **state) {
    (void)state;
    static const char wheel[] = "holonom: 1\nspace: planar\ngravity: [0, 0]\n"
                                "bodies: [{name: d, mass: 1, inertia: 0.5}]\n"
                                "joints: [{name: h, type: revolute, bodies: [ground, d], "
                                "at: [0, 0]}]\n"
                                "forces:\n"
                                "  - {name: t, type: torque, joint: h, value: \"5*sqrt(time)\"}\n"
                                "%s"
                                "simulation: {end: 1}\n";
    static const char *const others[] = {
        "", "  - {name: f, type: force, on: d, value: [\"1e-200*time\", \"0\"]}\n"};
    for (int i = 0; i < 2; i++) {
        char text[800];
        snprintf(text, sizeof text, wheel, others[i]);
        expect(text, "taylor", "1e-6", 2, 5 / 0.5 * 4 / 15, 1e-4);
        expect(text, "taylor", "1e-9", 2, 5 / 0.5 * 4 / 15, 1e-6);
    }
}

static void not_a_time(void **state) {
    (void)state;
    static const char text[] = "holonom: 1\nspace: planar\n"
                               "bodies: [{name: b, mass: 1, inertia: 0.1, velocity: [3, 0]}]\n"
                               "simulation: {end: 1}\n";
    Ended r = run_text(text, "tangent", "1e-6");
    assert_int_equal(hol_sim_advance(r.s, NAN, &r.err), HOL_ERR_INPUT);
    assert_int_equal(hol_sim_step(r.s, NAN, &r.err), HOL_ERR_INPUT);
    end(&r);
}

// a wheel that is accelerated by 2 1/s^2 up to a time between two steps, then braked by it
static void fixed_steps_meet_a_kink(void **state) {
    (void)state;
    static const char text[] =
        "holonom: 1\nspace: planar\nbodies: [{name: w, mass: 1, inertia: 0.5}]\n"
        "joints: [{name: j, type: revolute, bodies: [ground, w], at: [0, 0]}]\n"
        "forces: [{type: torque, joint: j, value: \"if(time<0.473,1,-1)\"}]\n"
        "simulation: {end: 1}\n";
    static const char *const steps[] = {"0.1", "0.03", "0.473", "0.01"};
    const double rest = 1 - 0.473, exact = 0.473 * 0.473 + 2 * 0.473 * rest - rest * rest;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        Ended r = run_with(text, "taylor", "step", steps[i]);
        if (r.status || hol_sim_time(r.s) != 1)
            fail_msg("step %s: %s", steps[i], r.err.text);
        const double off = hol_sim_view(r.s).q[2] - exact;
        if (!(fabs(off) < 1e-9))
            fail_msg("step %s: %g off", steps[i], off);
        end(&r);
    }
}

// two trees on the ground, of five links together, one of them on a spring away from the origin
static void driven_roots(void **state) {
    (void)state;
    static const char text[] = "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
                               "  - {name: a, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
                               "  - {name: b, mass: 1, inertia: 0.1, position: [3.5, 0]}\n"
                               "  - {name: c, mass: 1, inertia: 0.1, position: [4.5, 0]}\n"
                               "  - {name: d, mass: 1, inertia: 0.1, position: [5.5, 0]}\n"
                               "  - {name: e, mass: 1, inertia: 0.1, position: [6.5, 0]}\n"
                               "joints:\n"
                               "  - {name: ja, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
                               "  - {name: jb, type: revolute, bodies: [ground, b], at: [3, 0]}\n"
                               "  - {name: jc, type: revolute, bodies: [b, c], at: [4, 0]}\n"
                               "  - {name: jd, type: revolute, bodies: [c, d], at: [5, 0]}\n"
                               "  - {name: je, type: revolute, bodies: [d, e], at: [6, 0]}\n"
                               "forces: [{type: torsion_spring_damper, joint: jb, stiffness: 10}]\n"
                               "simulation: {end: 1}\n";
    Ended one = run_text(text, "taylor", "1e-10"), other = run_text(text, "rk853", "1e-11");
    assert_true(!one.status && !other.status);
    const HolStats stats = hol_sim_stats(one.s);
    assert_true(stats.energy_max_drift < 1e-7 && stats.rejected == 0);
    const HolView x = hol_sim_view(one.s), y = hol_sim_view(other.s);
    for (int i = 0; i < x.nq; i++)
        if (!(fabs(x.q[i] - y.q[i]) < 1e-8))
            fail_msg("q[%d]: %.12g and %.12g", i, x.q[i], y.q[i]);
    end(&one);
    end(&other);
}

static void expect_drift(const char *text, const char *method, const char *name, const char *value,
                         double most) {
    Ended r = run_with(text, method, name, value);
    if (r.status)
        fail_msg("%s: %s", method, r.err.text);
    const HolStats stats = hol_sim_stats(r.s);
    if (!(stats.energy_max_drift < most && fabs(stats.work) > 0.1))
        fail_msg("%s: drift %g, work %g", method, stats.energy_max_drift, stats.work);
    end(&r);
}

// a torque that jumps at a stop time works on either side with its own value
static void work_at_stop_times(void **state) {
    (void)state;
    static const char text[] =
        "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
        "bodies: [{name: r, mass: 1, inertia: 0.08, position: [0.5, 0]}]\n"
        "joints: [{name: j, type: revolute, bodies: [ground, r], at: [0, 0]}]\n"
        "forces: [{type: torque, joint: j, value: \"if(time<0.5,1,-1)\"}]\n"
        "simulation: {end: 1, stop_times: [0.5]}\n";
    expect_drift(text, "bdf", "tolerance", "1e-9", 1e-6);
    expect_drift(text, "explicit5", "step", "1e-3", 1e-8);
    expect_drift(text, "hht", "step", "1e-3", 1e-4);
    expect_drift(text, "dae-alpha", "step", "5e-4", 1e-4);
}

// a drive works with its own effort inside long steps, too
static void work_of_drives(void **state) {
    (void)state;
    static const char text[] = "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
                               "  - {name: a, mass: 1, inertia: 0.08, position: [0.5, 0]}\n"
                               "  - {name: b, mass: 1, inertia: 0.08, position: [1.5, 0]}\n"
                               "joints:\n"
                               "  - {name: ja, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
                               "  - {name: jb, type: revolute, bodies: [a, b], at: [1, 0]}\n"
                               "motions: [{name: m, joint: ja, value: \"2*time^2\"}]\n"
                               "simulation: {end: 1.5}\n";
    expect_drift(text, "radau", "tolerance", "1e-6", 1e-6);
    expect_drift(text, "radau", "tolerance", "1e-10", 1e-9);
    expect_drift(text, "explicit5", "tolerance", "1e-8", 1e-5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steady_rotation),    cmocka_unit_test(whole_turns_in_a_step),
        cmocka_unit_test(contradiction),      cmocka_unit_test(other_branch),
        cmocka_unit_test(one_sided_spring),   cmocka_unit_test(counted_turns),
        cmocka_unit_test(start_on_a_kink),    cmocka_unit_test(many_kinks),
        cmocka_unit_test(fast_vibration),     cmocka_unit_test(named_failures),
        cmocka_unit_test(rows_between_steps), cmocka_unit_test(third_derivative),
        cmocka_unit_test(not_a_time),         cmocka_unit_test(no_series_at_the_start),
        cmocka_unit_test(refused_at_once),    cmocka_unit_test(work_between_steps),
        cmocka_unit_test(rows_are_free),      cmocka_unit_test(fixed_steps_meet_a_kink),
        cmocka_unit_test(driven_roots),       cmocka_unit_test(work_at_stop_times),
        cmocka_unit_test(work_of_drives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
