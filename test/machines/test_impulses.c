// SPDX-License-Identifier: Apache-2.0
// Impulses of joints at impacts. Closed forms: a rod on a hinge that strikes a wall (none at the hinge
// when it is struck at its centre of percussion) or its own stop, in rotated frames and at scales from
// micrometres to thousands of kilometres; an arm that is driven; a kick by an event; two hinges that
// share an axis. And the balance of momentum of each body, in random mechanisms.
#include "text_run.h"

enum { LINES = 64, COLUMNS = 2000, BODIES = 8, JOINTS = 12 };

typedef struct Watch {
    TextRun run;
    HolEvent event[LINES]; // of the last impact
    HolImpulse impulse[LINES];
    int n_events, n_impulses;
    int impacts;
    double before[COLUMNS], after[COLUMNS]; // rows on both sides of it
    double last;
    int pending;
    void (*check)(struct Watch *w); // at every impact
    void *user;
} Watch;

static HolStatus watch_row(void *user, HolSim *s, int what, double t, HolError *err) {
    Watch *w = user;
    if (what == HOL_AT_EVENT) {
        w->n_events = w->n_impulses = 0;
        while (w->n_events < LINES && hol_sim_event(s, w->n_events, &w->event[w->n_events]))
            w->n_events++;
        while (w->n_impulses < LINES &&
               hol_sim_impulse(s, w->n_impulses, &w->impulse[w->n_impulses]))
            w->n_impulses++;
        w->pending = w->n_impulses > 0;
    }
    if (what != HOL_AT_ROW)
        return HOL_OK;
    assert_true(hol_model_column_count(w->run.model) <= COLUMNS);
    memcpy(w->before, w->after, sizeof w->before);
    const HolStatus status = hol_sim_row(s, t, w->after, err);
    if (!status && w->pending && t == w->last) {
        w->impacts++;
        w->pending = 0;
        if (w->check)
            w->check(w);
    }
    w->last = t;
    return status;
}

static int watch_column(const Watch *w, const char *name) {
    for (int i = 0; i < hol_model_column_count(w->run.model); i++)
        if (!strcmp(hol_model_column(w->run.model, i).name, name))
            return i;
    fail_msg("no column %s", name);
    return 0;
}

static double watch_jump(const Watch *w, const char *column) {
    const int i = watch_column(w, column);
    return w->after[i] - w->before[i];
}

static HolImpulse watch_impulse(const Watch *w, const char *joint) {
    for (int i = 0; i < w->n_impulses; i++)
        if (!strcmp(w->impulse[i].joint, joint))
            return w->impulse[i];
    return (HolImpulse){0};
}

static void watch_run(Watch *w, const char *text, const char *method, double tolerance,
                      double end) {
    w->run = (TextRun){.model = parse_model(text)};
    w->last = NAN;
    HolSimOptions o = hol_sim_options();
    snprintf(o.method.name, sizeof o.method.name, "%s", method);
    o.tolerance = tolerance;
    o.end = end;
    o.output_step = end / 20;
    if (hol_sim_create(w->run.model, &o, &w->run.sim, &w->run.err) != HOL_OK ||
        hol_sim_run(w->run.sim, end, watch_row, w, &w->run.err) > HOL_EVENT)
        fail_msg("%s: %s\n%s", method, w->run.err.text, text);
}

static void near(const char *what, double x, double expected, double limit) {
    if (!(fabs(x - expected) <= limit))
        fail_msg("%s: %.15g, not %.15g (off by %.2e, allowed %.2e)", what, x, expected,
                 x - expected, limit);
}

// ---- a rod on a hinge ----

// hangs at phi (down: (sin phi, -cos phi)), is let go `back` before that
typedef struct Rod {
    double phi, back, scale, b; // b: distance of what it strikes
    double e;
} Rod;

static const double MASS = 2, INERTIA = 0.3, ARM = 0.5, GRAVITY = 9.81;

// head of the text; the rod's place of the hinge is (0, arm) in its axes
static int rod_text(char *text, size_t size, const Rod *r, const char *limits) {
    const double a = r->phi - r->back, c = ARM * r->scale;
    return snprintf(text, size,
                    "holonom: 1\nname: rod\nspace: planar\ngravity: [%.17g, %.17g]\nbodies:\n"
                    "  - {name: rod, mass: %g, inertia: %.17g, position: [%.17g, %.17g], angle: "
                    "%.17g, points: {top: [0, %.17g]}}\njoints:\n"
                    "  - {name: O, type: revolute, between: [ground, rod.top]%s}\n",
                    GRAVITY * r->scale * sin(r->phi), -GRAVITY * r->scale * cos(r->phi), MASS,
                    INERTIA * r->scale * r->scale, c * sin(a), -c * cos(a), a, c, limits);
}

static double rod_speed(const Rod *r) {
    return sqrt(2 * MASS * GRAVITY * ARM * (1 - cos(r->back)) / (INERTIA + MASS * ARM * ARM));
}

static void strike(const Rod *r, const char *method) {
    static Watch w;
    char text[1200];
    int n = rod_text(text, sizeof text, r, "");
    n += snprintf(text + n, sizeof text - (size_t)n,
                  "contacts:\n  - {name: wall, between: [{body: ground, line: {normal: [%.17g, "
                  "%.17g]}}, {body: rod, point: {at: [0, %.17g]}}], stiffness: rigid, "
                  "restitution: %g}\n"
                  "events:\n  - {when: \"rod.omega\", direction: falling, stop: true}\n",
                  -cos(r->phi), -sin(r->phi), (ARM - r->b) * r->scale, r->e);
    assert_true(n < (int)sizeof text);
    memset(&w, 0, sizeof w);
    watch_run(&w, text, method, 1e-11, 2);
    assert_true(w.impacts == 1);
    const double about = INERTIA + MASS * ARM * ARM, speed = (1 + r->e) * rod_speed(r);
    const double P = about * speed / r->b * r->scale,
                 F = (about / r->b - MASS * ARM) * speed * r->scale;
    const HolImpulse hinge = watch_impulse(&w, "O");
    const double limit = 1e-9 * P;
    near("impulse of the wall", w.event[0].impulse_n, P, limit);
    near("hinge along the blow", hinge.fx * cos(r->phi) + hinge.fy * sin(r->phi), F, limit);
    near("hinge across it", hinge.fx * sin(r->phi) - hinge.fy * cos(r->phi), 0, limit);
    near("torque of the hinge", hinge.tz, 0, limit * r->scale);
    assert_true(hinge.fz == 0 && hinge.tx == 0 && hinge.ty == 0 && hinge.effort == 0);
    if (w.n_impulses) {
        assert_string_equal(hinge.event, "wall");
        assert_true(hinge.time == w.event[0].time);
    }
    close_text(&w.run);
}

static const char *const methods[] = {"taylor", "tangent", "rk853", "radau"};

static void test_percussion(void **state) {
    (void)state;
    const double percussion = (INERTIA + MASS * ARM * ARM) / (MASS * ARM);
    const double at[] = {0.3, percussion, 1.1};
    for (int m = 0; m < 4; m++)
        for (int i = 0; i < 3; i++)
            strike(&(Rod){.phi = 0.3 * m, .back = 0.8, .scale = 1, .b = at[i], .e = 0.4},
                   methods[m]);
    const double scale[] = {1e-6, 1e-3, 1e3, 1e6};
    for (int i = 0; i < 4; i++)
        strike(&(Rod){.phi = 2.2 * i, .back = 0.5, .scale = scale[i], .b = 0.9, .e = 0.25},
               methods[i % 3]);
}

static void test_stop(void **state) {
    (void)state;
    static Watch w;
    for (int m = 0; m < 4; m++) {
        const Rod r = {.phi = 0.4 * m, .back = 0.7, .scale = 1, .e = 0.5};
        char text[1200], limits[80];
        snprintf(limits, sizeof limits, ", limits: {max: %.17g, restitution: 0.5}", r.phi);
        rod_text(text, sizeof text, &r, limits);
        memset(&w, 0, sizeof w);
        watch_run(&w, text, methods[m], 1e-11, 0.6);
        assert_true(w.impacts == 1);
        const double speed = 1.5 * rod_speed(&r), F = -MASS * ARM * speed;
        const HolImpulse hinge = watch_impulse(&w, "O");
        near("stop", w.event[0].impulse_n, (INERTIA + MASS * ARM * ARM) * speed, 1e-9);
        near("hinge x", hinge.fx, F * cos(r.phi), 1e-9);
        near("hinge y", hinge.fy, F * sin(r.phi), 1e-9);
        close_text(&w.run);
    }
}

// ---- an arm that is driven, with a flail on it ----

static void check_flail(Watch *w) {
    const double m2 = 0.7, I2 = 0.05, l = 0.6, k = 0.35, e = 0.3;
    const HolImpulse A = watch_impulse(w, "A"), O = watch_impulse(w, "O"),
                     motor = watch_impulse(w, "motor");
    const double turn = -(1 + e) * w->event[0].speed_before;
    const double x = w->after[watch_column(w, "rod.x")], y = w->after[watch_column(w, "rod.y")];
    const double angle = w->after[watch_column(w, "rod.angle")];
    const double vx = -turn * k * sin(angle), vy = turn * k * cos(angle);
    near("jump of the flail", watch_jump(w, "rod.omega"), turn, 1e-9);
    near("A.fx", A.fx, m2 * vx, 1e-9);
    near("A.fy", A.fy, m2 * vy, 1e-9);
    near("O.fx", O.fx, m2 * vx, 1e-9);
    near("O.fy", O.fy, m2 * vy, 1e-9);
    near("stop", w->event[0].impulse_n, (I2 + m2 * k * k) * turn, 1e-9);
    near("motor", motor.effort, I2 * turn + m2 * (x * vy - y * vx), 1e-9);
    near("the arm's end", hypot(x - k * cos(angle), y - k * sin(angle)), l, 1e-9);
    assert_true(motor.fx == 0 && motor.tz == 0);
}

static void test_driven(void **state) {
    (void)state;
    static Watch w;
    static const char text[] =
        "holonom: 1\nname: flail\nspace: planar\nbodies:\n"
        "  - {name: arm, mass: 3, inertia: 0.2, position: [0.3, 0], points: {o: [-0.3, 0], a: "
        "[0.3, "
        "0]}}\n"
        "  - {name: rod, mass: 0.7, inertia: 0.05, position: [0.9071539, 0.1677988], angle: 0.5,\n"
        "     points: {a: [-0.35, 0]}, omega: -6}\njoints:\n"
        "  - {name: O, type: revolute, between: [ground, arm.o]}\n"
        "  - {name: A, type: revolute, between: [arm.a, rod.a], limits: {min: 0, restitution: "
        "0.3}}\n"
        "motions:\n  - {name: motor, joint: O, value: \"2*time\"}\n";
    for (int m = 0; m < 3; m++) {
        memset(&w, 0, sizeof w);
        w.check = check_flail;
        watch_run(&w, text, methods[m], 1e-11, 0.25);
        assert_true(w.impacts >= 1);
        close_text(&w.run);
    }
}

// ---- a kick: an event sets the speed of the second of two rods, the first follows ----

static void test_reset(void **state) {
    (void)state;
    static Watch w;
    static const char text[] =
        "holonom: 1\nname: kick\nspace: planar\nbodies:\n"
        "  - {name: rod, mass: 2, inertia: 0.3, position: [0.5, 0], points: {o: [-0.5, 0]}}\n"
        "joints:\n  - {name: O, type: revolute, between: [ground, rod.o]}\n"
        "events:\n  - {name: kick, when: \"time - 0.25\", reset: {rod.omega: 4}}\n";
    watch_run(&w, text, "taylor", 1e-10, 1);
    assert_int_equal(w.impacts, 1);
    const HolImpulse O = watch_impulse(&w, "O");
    assert_string_equal(O.event, "kick");
    near("time", O.time, 0.25, 1e-12);
    near("O.fx", O.fx, 0, 1e-12); // (a pure torque turns it: the hinge gives what the centre needs)
    near("O.fy", O.fy, 2 * 0.5 * 4, 1e-12);
    close_text(&w.run);
}

// ---- hinges on one axis: each takes half, as of the reactions ----

static void test_redundant(void **state) {
    (void)state;
    static Watch w;
    static const char text[] =
        "holonom: 1\nname: door\nspace: spatial\ngravity: [0, 0, 0]\nbodies:\n"
        "  - {name: door, mass: 4, inertia: [1, 1, 2], position: [1, 0, 0], omega: [0, 0, 1],\n"
        "     velocity: [0, 1, 0]}\njoints:\n"
        "  - {name: up, type: revolute, bodies: [ground, door], at: [0, 0, 1], axis: [0, 0, 1],\n"
        "     limits: {max: 0.5, restitution: 0}}\n"
        "  - {name: low, type: revolute, bodies: [ground, door], at: [0, 0, -1], axis: [0, 0, "
        "1]}\n";
    watch_run(&w, text, "tangent", 1e-10, 1);
    assert_int_equal(w.impacts, 1);
    const HolImpulse up = watch_impulse(&w, "up"), low = watch_impulse(&w, "low");
    near("x of both", up.fx + low.fx, 4 * sin(0.5), 1e-9);
    near("y of both", up.fy + low.fy, -4 * cos(0.5), 1e-9);
    near("shared x", up.fx, low.fx, 1e-9);
    near("shared y", up.fy, low.fy, 1e-9);
    near("stop", w.event[0].impulse_n, 2 + 4, 1e-9);
    close_text(&w.run);
}

// ---- balance of momentum of each body, random mechanisms ----

typedef struct Machine {
    int space, n_bodies, n_joints;
    double mass[BODIES], inertia[BODIES][3], place[BODIES][3];
    int first[JOINTS], second[JOINTS]; // bodies; 0 is the ground
    double at[JOINTS][3], axis[JOINTS][3];
    int stop[JOINTS];   // 1: it has one, pushing along +
    double radius;      // of the spheres that touch the floor
    double worst;       // of all impacts, relative
    int stops, touches; // how many were seen
} Machine;

static double chance(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 24);
}

static double value_of(const Watch *w, const double *row, int body, const char *what) {
    char name[32];
    snprintf(name, sizeof name, "b%d.%s", body, what);
    return row[watch_column(w, name)];
}

static void turn_matrix(const Watch *w, const Machine *m, int body, double R[9]) {
    memset(R, 0, 9 * sizeof *R);
    R[0] = R[4] = R[8] = 1;
    if (!body)
        return;
    if (!m->space) {
        const double a = value_of(w, w->after, body, "angle");
        R[0] = R[4] = cos(a), R[1] = -sin(a), R[3] = sin(a);
        return;
    }
    const double p = value_of(w, w->after, body, "qw"), x = value_of(w, w->after, body, "qx"),
                 y = value_of(w, w->after, body, "qy"), z = value_of(w, w->after, body, "qz");
    const double r[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - p * z),     2 * (x * z + p * y),
                         2 * (x * y + p * z),     1 - 2 * (x * x + z * z), 2 * (y * z - p * x),
                         2 * (x * z - p * y),     2 * (y * z + p * x),     1 - 2 * (x * x + y * y)};
    memcpy(R, r, sizeof r);
}

static void center(const Watch *w, const Machine *m, int body, double r[3]) {
    r[0] = body ? value_of(w, w->after, body, "x") : 0;
    r[1] = body ? value_of(w, w->after, body, "y") : 0;
    r[2] = body && m->space ? value_of(w, w->after, body, "z") : 0;
}

static void cross(const double a[3], const double b[3], double out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static void turned(const double R[9], const double x[3], double out[3]) {
    for (int i = 0; i < 3; i++)
        out[i] = R[3 * i] * x[0] + R[3 * i + 1] * x[1] + R[3 * i + 2] * x[2];
}

// adds force F and torque T about the point P to what body b gets
static void push(const Watch *w, const Machine *m, int b, const double P[3], const double F[3],
                 const double T[3], double sign, double got[BODIES + 1][6]) {
    double r[3], arm[3], moment[3];
    center(w, m, b, r);
    for (int i = 0; i < 3; i++)
        arm[i] = P[i] - r[i];
    cross(arm, F, moment);
    for (int i = 0; i < 3; i++) {
        got[b][i] += sign * F[i];
        got[b][3 + i] += sign * (T[i] + moment[i]);
    }
}

// what each body's momentum changed by, minus the impulses that it got
static void check_balance(Watch *w) {
    Machine *m = w->user;
    double got[BODIES + 1][6] = {0}, most = 0;
    for (int i = 0; i < w->n_events; i++) // (nothing goes on approaching behind an impact)
        if (!(w->event[i].speed_after >= -1e-9))
            fail_msg("%s approaches at %g behind its impact", w->event[i].name,
                     w->event[i].speed_after);
    for (int j = 0; j < m->n_joints; j++) {
        char name[16];
        snprintf(name, sizeof name, "j%d", j);
        const HolImpulse x = watch_impulse(w, name);
        double R[9], r[3], P[3], F[3] = {x.fx, x.fy, x.fz}, T[3] = {x.tx, x.ty, x.tz};
        turn_matrix(w, m, m->first[j], R);
        center(w, m, m->first[j], r);
        turned(R, m->at[j], P); // (in axes of the first body)
        for (int i = 0; i < 3; i++)
            P[i] += r[i];
        push(w, m, m->second[j], P, F, T, 1, got);
        push(w, m, m->first[j], P, F, T, -1, got);
        most = fmax(most, hypot(hypot(F[0], F[1]), F[2]));
        for (int i = 0; i < w->n_events; i++)
            if (m->stop[j] && !strcmp(w->event[i].name, name) && w->event[i].impulse_n > 0) {
                double axis[3], none[3] = {0};
                turned(R, m->axis[j], axis);
                for (int k = 0; k < 3; k++)
                    axis[k] *= w->event[i].impulse_n;
                push(w, m, m->second[j], P, none, axis, 1, got);
                push(w, m, m->first[j], P, none, axis, -1, got);
                m->stops++;
            }
    }
    for (int b = 1; b <= m->n_bodies; b++) {
        static const char *const plane_v[] = {"vx", "vy", "omega"};
        static const char *const space_v[] = {"vx", "vy", "vz", "wx", "wy", "wz"};
        double d[6] = {0}, R[9];
        for (int i = 0; i < (m->space ? 6 : 3); i++) {
            const char *what = m->space ? space_v[i] : plane_v[i];
            d[m->space || i < 2 ? i : 5] =
                value_of(w, w->after, b, what) - value_of(w, w->before, b, what);
        }
        turn_matrix(w, m, b, R);
        double own[3] = {0}, L[3];
        for (int i = 0; i < 3; i++) // R J R^T w
            for (int k = 0; k < 3; k++)
                own[i] += R[3 * k + i] * d[3 + k] * m->inertia[b - 1][i];
        turned(R, own, L);
        double rest[6];
        for (int i = 0; i < 3; i++) {
            rest[i] = m->mass[b - 1] * d[i] - got[b][i];
            rest[3 + i] = L[i] - got[b][3 + i];
        }
        most = fmax(most, m->mass[b - 1] * hypot(hypot(d[0], d[1]), d[2]));
        // the floor gives the rest, at the lowest point of the sphere or circle
        char name[16];
        snprintf(name, sizeof name, "c%d", b);
        const int up = m->space ? 2 : 1;
        double N = 0, T = 0;
        for (int i = 0; i < w->n_events; i++)
            if (!strcmp(w->event[i].name, name)) {
                N += w->event[i].impulse_n;
                T += w->event[i].impulse_t;
                m->touches++;
            }
        const double arm[3] = {0, m->space ? 0 : -m->radius, m->space ? -m->radius : 0};
        double moment[3];
        cross(arm, rest, moment);
        // (a contact that stays closed while it would part more slowly than rest_speed is held: no event)
        double error = fmax(0, fabs(rest[up] - N) - 1e-3);
        if (!m->space)
            error = fmax(error, fabs(fabs(rest[0]) - fabs(T)));
        for (int i = 0; i < 3; i++)
            error = fmax(error, fabs(rest[3 + i] - moment[i]));
        m->worst = fmax(m->worst, error / (most + fabs(N) + 1));
    }
}

// a tree of bodies on the ground with some loops, stops and spheres that fall on the floor
static void build_machine(Machine *m, int space, unsigned seed, char *text, size_t size) {
    memset(m, 0, sizeof *m);
    m->space = space;
    m->n_bodies = 2 + (int)(4 * chance(&seed));
    m->radius = 0.1;
    const int up = space ? 2 : 1;
    int n = snprintf(text, size,
                     "holonom: 1\nname: random\nspace: %s\ngravity: [0, %s-9.81]\nbodies:\n",
                     space ? "spatial" : "planar", space ? "0, " : "");
    for (int b = 0; b < m->n_bodies; b++) {
        m->mass[b] = 0.5 + 2 * chance(&seed);
        for (int i = 0; i < 3; i++) {
            m->inertia[b][i] = 0.2 + 0.15 * chance(&seed);
            m->place[b][i] = space || i < 2 ? 2 * chance(&seed) - 1 : 0;
        }
        m->place[b][up] += 1;
        n += snprintf(text + n, size - (size_t)n,
                      "  - {name: b%d, mass: %.17g, position: [%.17g, %.17g", b + 1, m->mass[b],
                      m->place[b][0], m->place[b][1]);
        n += space ? snprintf(text + n, size - (size_t)n,
                              ", %.17g], inertia: [%.17g, %.17g, %.17g]}\n", m->place[b][2],
                              m->inertia[b][0], m->inertia[b][1], m->inertia[b][2])
                   : snprintf(text + n, size - (size_t)n, "], inertia: %.17g}\n", m->inertia[b][2]);
    }
    n += snprintf(text + n, size - (size_t)n, "joints:\n");
    for (int b = 1; b <= m->n_bodies; b++) {
        const int j = m->n_joints++, from = (int)(b * chance(&seed));
        const int kind = (int)(4 * chance(&seed));
        double at[3] = {0}, length = 0;
        m->first[j] = from, m->second[j] = b;
        for (int i = 0; i < 3; i++) {
            at[i] = space || i < 2 ? m->place[b - 1][i] + 0.8 * chance(&seed) - 0.4 : 0;
            m->at[j][i] = at[i] - (from ? m->place[from - 1][i] : 0);
            m->axis[j][i] = space ? chance(&seed) - 0.5 : i == 2;
            length += m->axis[j][i] * m->axis[j][i];
        }
        for (int i = 0; i < 3; i++)
            m->axis[j][i] /= sqrt(length);
        char of[16] = "ground", axis[100] = "";
        if (from)
            snprintf(of, sizeof of, "b%d", from);
        const char *type = kind == 3 ? "prismatic" : space && kind == 2 ? "spherical" : "revolute";
        if (kind == 3 && !space)
            snprintf(axis, sizeof axis, ", axis: [0.6, 0.8]");
        else if (space && kind != 2)
            snprintf(axis, sizeof axis, ", axis: [%.17g, %.17g, %.17g]", m->axis[j][0],
                     m->axis[j][1], m->axis[j][2]);
        m->stop[j] = kind == 0;
        char place[100];
        snprintf(place, sizeof place, space ? "%.17g, %.17g, %.17g" : "%.17g, %.17g", at[0], at[1],
                 at[2]);
        n += snprintf(text + n, size - (size_t)n,
                      "  - {name: j%d, type: %s, bodies: [%s, b%d], at: [%s]%s%s}\n", j, type, of,
                      b, place, axis, kind == 0 ? ", limits: {min: -0.2, restitution: 0.4}" : "");
    }
    if (m->n_bodies > 3 && chance(&seed) < 0.5) { // a loop
        const int j = m->n_joints++;
        m->first[j] = 1, m->second[j] = m->n_bodies;
        double length = 0;
        for (int i = 0; i < 3; i++)
            length += pow(m->place[m->n_bodies - 1][i] - m->place[0][i], 2);
        n += snprintf(text + n, size - (size_t)n,
                      "  - {name: j%d, type: distance, between: [b1, b%d], length: %.17g}\n", j,
                      m->n_bodies, sqrt(length));
    }
    n += snprintf(text + n, size - (size_t)n, "contacts:\n");
    for (int b = 1; b <= m->n_bodies; b++)
        n += snprintf(text + n, size - (size_t)n,
                      "  - {name: c%d, between: [{body: ground, %s: {at: [0, %s-0.3], normal: [0, "
                      "%s1]}}, {body: b%d, %s: "
                      "{radius: %g}}], stiffness: rigid, restitution: %g%s}\n",
                      b, space ? "plane" : "line", space ? "0, " : "", space ? "0, " : "", b,
                      space ? "sphere" : "circle", m->radius, b % 2 ? 0.5 : 0.0,
                      b % 3 ? "" : ", friction: {mu: 0.2}");
    assert_true(n < (int)size);
}

static void test_balance(void **state) {
    (void)state;
    static Watch w;
    static Machine m;
    static char text[8000];
    int impacts = 0, stops = 0, touches = 0;
    for (unsigned seed = 1; seed <= 60; seed++) {
        build_machine(&m, (int)(seed % 2), 7919 * seed, text, sizeof text);
        memset(&w, 0, sizeof w);
        w.check = check_balance;
        w.user = &m;
        watch_run(&w, text, methods[seed % 3], 1e-9, 0.8);
        if (!(m.worst <= 1e-9))
            fail_msg("seed %u, %s: momentum off by %.2e of the impulses\n%s", seed,
                     methods[seed % 3], m.worst, text);
        assert_true(w.impacts < 1000); // (rebounds on a contact that rests end too)
        impacts += w.impacts;
        stops += m.stops;
        touches += m.touches;
        close_text(&w.run);
    }
    print_message("%d impacts: %d stops, %d contacts\n", impacts, stops, touches);
    assert_true(impacts > 100 && stops > 20 && touches > 50);
}

// ---- what is kept ----

// a run that takes the bytes of another has its impulses too
static void test_saved(void **state) {
    (void)state;
    const Rod r = {.phi = 0.2, .back = 0.8, .scale = 1, .b = 0.9, .e = 0.4};
    char text[1200];
    int n = rod_text(text, sizeof text, &r, "");
    snprintf(
        text + n, sizeof text - (size_t)n,
        "contacts:\n  - {name: wall, between: [{body: ground, line: {normal: [%.17g, %.17g]}}, "
        "{body: rod, point: {at: [0, -0.4]}}], stiffness: rigid, restitution: 0.4}\n",
        -cos(r.phi), -sin(r.phi));
    TextRun a = open_text(text, "taylor", 1e-9);
    HolSim *copy = NULL;
    HolImpulse one, two;
    assert_false(hol_sim_impulse(a.sim, 0, &one));
    advance_text(&a, 0.6);
    assert_int_equal(hol_sim_copy(a.sim, &copy, &a.err), HOL_OK);
    assert_true(hol_sim_impulse(a.sim, 0, &one) && hol_sim_impulse(copy, 0, &two));
    assert_memory_equal(&one, &two, sizeof one);
    assert_false(hol_sim_impulse(copy, 1, &two) || hol_sim_impulse(NULL, 0, &two) ||
                 hol_sim_impulse(copy, -1, &two));
    hol_sim_destroy(copy);
    close_text(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_percussion), cmocka_unit_test(test_stop),
        cmocka_unit_test(test_driven),     cmocka_unit_test(test_reset),
        cmocka_unit_test(test_redundant),  cmocka_unit_test(test_balance),
        cmocka_unit_test(test_saved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
