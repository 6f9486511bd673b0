// SPDX-License-Identifier: Apache-2.0
// Machines with closed forms, as a user writes them: controllers, ropes and belts, cams, stops through
// linkages. Each runs with every method of the list at two tolerances; some at sizes of 1e-3 and 1e3 and in
// turned frames. Nothing here looks inside the solver.
#include "probe.h"

static const char *const methods[] = {"auto",    "taylor",    "rk853", "radau",
                                      "tangent", "dae-alpha", "bdf",   "explicit5"};
enum { METHODS = sizeof methods / sizeof *methods, MOST = 6 };

typedef struct Want {
    const char *column;
    double value, scale; // scale 0: the larger of 1 and the value
} Want;

typedef struct Trial {
    const char *method;
    double tolerance, limit;
} Trial;

static void check_columns(const HolModel *m, HolSim *sim, const Want *want, const Trial *trial) {
    double row[200];
    HolError err;
    const int n = hol_model_column_count(m);
    assert_true(n <= 200);
    assert_int_equal(hol_sim_row(sim, hol_sim_time(sim), row, &err), HOL_OK);
    for (int k = 0; k < MOST && want[k].column; k++) {
        int i = 0;
        while (i < n && strcmp(hol_model_column(m, i).name, want[k].column) != 0)
            i++;
        if (i == n)
            fail_msg("no column %s", want[k].column);
        const double scale = want[k].scale > 0 ? want[k].scale : fmax(1, fabs(want[k].value));
        if (!(fabs(row[i] - want[k].value) <= trial->limit * scale))
            fail_msg("%s, tolerance %g: %s is %.15g, expected %.15g (off by %.2e)", trial->method,
                     trial->tolerance, want[k].column, row[i], want[k].value,
                     row[i] - want[k].value);
    }
}

static void try_one(const char *text, double end, const Want *want, const Trial *trial) {
    HolModel *m = parse_model(text);
    HolSim *sim = NULL;
    HolError err;
    HolSimOptions o = hol_sim_options();
    snprintf(o.method.name, sizeof o.method.name, "%s", trial->method);
    o.tolerance = trial->tolerance;
    o.end = end;
    if (hol_sim_create(m, &o, &sim, &err) != HOL_OK || hol_sim_advance(sim, end, &err) != HOL_OK)
        fail_msg("%s, tolerance %g: %s", trial->method, trial->tolerance, err.text);
    check_columns(m, sim, want, trial);
    hol_sim_destroy(sim);
    hol_model_destroy(m);
}

static void try_all(const char *text, double end, const Want *want) {
    for (int k = 0; k < METHODS; k++) {
        const int second = !strcmp(methods[k], "dae-alpha"); // order: errors of many steps add up
        try_one(text, end, want, &(Trial){methods[k], 1e-6, second ? 3e-4 : 3e-5});
        if (!second)
            try_one(text, end, want, &(Trial){methods[k], 1e-9, 1e-7});
    }
}

static const double sizes[] = {1, 1e-3, 1e3};
enum { SIZES = 3, ROOM = 2600 };

#define HEAD "holonom: 1\nspace: planar\n"
#define SPACE "holonom: 1\nspace: spatial\n"

// ---- controllers ----

// z' = r - x; m x'' = Kp (r - x) + Ki z - Kd x' with poles -1, -2, -3 (m = 1: Kd 6, Kp 11, Ki 6)
static void test_pid_step(void **state) {
    (void)state;
    const double t = 1.4, a = exp(-t), b = exp(-2 * t), c = exp(-3 * t);
    // x = 1 + A a + B b + C c from x(0) = x'(0) = 0, x''(0) = 11
    const double A = 2.5, B = -8, C = 4.5;
    try_all(HEAD "bodies: [{name: cart, mass: 1, inertia: 1}]\n"
                 "joints: [{name: G, type: prismatic, between: [ground, cart], axis: [1, 0]}]\n"
                 "states: [{name: z, rate: \"1 - G.displacement\"}]\n"
                 "forces: [{type: force, acts_on: cart, value: [\"11*(1 - G.displacement) + 6*z - "
                 "6*G.speed\", 0]}]\noutputs: [G.displacement, G.speed]\n",
            t,
            (Want[MOST]){{"G.displacement", 1 + A * a + B * b + C * c, 0},
                         {"G.speed", -A * a - 2 * B * b - 3 * C * c, 0}});
}

// L i' = V - R i - k w, J w' = k i with R/L = 5, k^2/(L J) = 6: poles -2 and -3
static void test_motor_step(void **state) {
    (void)state;
    const double t = 0.7, w = 1 - 3 * exp(-2 * t) + 2 * exp(-3 * t);
    const double slope = 6 * (exp(-2 * t) - exp(-3 * t));
    // L = 0.1, R = 0.5, J = 0.2, k = sqrt(0.12); V/k is the final speed: V = k for 1 rad/s
    const double k = sqrt(0.12);
    char text[ROOM];
    snprintf(text, sizeof text,
             HEAD "parameters: {k: %.17g}\ninputs: {V: %.17g}\n"
                  "bodies: [{name: r, mass: 1, inertia: 0.2}]\n"
                  "joints: [{name: O, type: revolute, between: [ground, r]}]\n"
                  "states: [{name: i, rate: \"(V - 0.5*i - k*O.rate)/0.1\"}]\n"
                  "forces: [{name: M, type: torque, joint: O, value: \"k*i\"}]\n"
                  "outputs: [O.rate, i, M.torque]\n",
             k, k);
    try_all(
        text, t,
        (Want[MOST]){{"O.rate", w, 0}, {"i", 0.2 * slope / k, 0}, {"M.torque", 0.2 * slope, 0}});
}

// a state alone: the bodies stand still, and the methods must look at the state itself
static void test_state_alone(void **state) {
    (void)state;
    try_all(HEAD "bodies: [{name: c, type: coordinate}]\nstates: [{name: z, rate: \"2 - z\"}]\n"
                 "outputs: [z]\n",
            1.5, (Want[MOST]){{"z", 2 - 2 * exp(-1.5), 0}});
}

// beside bodies that are no tree of joints: a loop of two parallel guides, and a ball above a rigid floor.
// y = -t^2/2 there, z = t + t^3/6; the ball falls 1/2 in 1 s and rises with half the speed
static void test_state_in_loop(void **state) {
    (void)state;
    const double t = 1.2;
    try_all(HEAD "gravity: [0, -1]\nground: {points: {A: [1, 0]}}\n"
                 "bodies: [{name: b, mass: 1, inertia: 1, points: {A: [1, 0]}}]\n"
                 "joints:\n"
                 "  - {name: P, type: prismatic, between: [ground, b], axis: [0, 1]}\n"
                 "  - {name: Q, type: prismatic, between: [ground.A, b.A], axis: [0, 1]}\n"
                 "states: [{name: z, rate: \"1 - b.y\"}, {name: u, rate: \"-u\", initial: 1}]\n"
                 "outputs: [b.y, z, u]\n",
            t,
            (Want[MOST]){{"b.y", -t * t / 2, 0}, {"z", t + t * t * t / 6, 0}, {"u", exp(-t), 0}});
    try_all(
        HEAD
        "gravity: [0, -1]\n"
        "bodies: [{name: b, mass: 1, inertia: 1, position: [0, 1.5]}]\n"
        "contacts:\n"
        "  - name: floor\n"
        "    between: [{body: ground, line: {normal: [0, 1]}}, {body: b, circle: {radius: 1}}]\n"
        "    stiffness: rigid\n    restitution: 0.5\n"
        "states: [{name: u, rate: \"-u\", initial: 1}]\noutputs: [b.y, b.vy, u]\n",
        t, (Want[MOST]){{"b.y", 1.08, 0}, {"b.vy", 0.3, 0}, {"u", exp(-t), 0}});
}

// lags beside joints that leave other coordinates free, or none: u' = (w(x) - u)/tau
static void test_state_beside_joints(void **state) {
    (void)state;
    // x'' = -4 x - 5 x' + u, u' = -6 u from x = 1, u = 6: x = A e^-t + B e^-4t + C e^-6t, C (36 - 30 + 4) = 6
    const double C = 0.6, A = (4 + 2 * C) / 3, B = 1 - A - C, t = 1.3;
    const double a = exp(-t), b = exp(-4 * t), c = exp(-6 * t);
    try_all(HEAD "bodies: [{name: m, type: point, mass: 1, position: [1, 0]}]\n"
                 "joints: [{type: slot, between: [ground, m], axis: [1, 0]}]\n"
                 "forces: [{type: force, acts_on: m, value: [\"-4*m.x - 5*m.vx + u\", 0]}]\n"
                 "states: [{name: u, rate: \"-6*u\", initial: 6}]\noutputs: [m.x, m.vx, u]\n",
            t,
            (Want[MOST]){{"m.x", A * a + B * b + C * c, 0},
                         {"m.vx", -A * a - 4 * B * b - 6 * C * c, 0},
                         {"u", 6 * c, 0}});
    // a driven crank: u' = 50 (cos(2 t) - u)
    const double k = 50. / (50 * 50 + 4);
    try_all(
        HEAD
        "bodies: [{name: r, mass: 1, inertia: 0.1, position: [0.5, 0], points: {o: [-0.5, 0]}}]\n"
        "joints: [{name: O, type: revolute, between: [ground, r.o]}]\n"
        "motions: [{joint: O, value: \"2*time\"}]\n"
        "states: [{name: u, rate: \"50*(cos(O.angle) - u)\"}]\noutputs: [u]\n",
        t, (Want[MOST]){{"u", k * (50 * cos(2 * t) + 2 * sin(2 * t) - 50 * exp(-50 * t)), 0}});
}

// x'' = f(t), where the run starts on a knot or jump of f that time passes downwards
static void test_start_on_knots(void **state) {
    (void)state;
    static const struct {
        const char *law;
        double x, v; // at 1.5
    } given[] = {
        {"ceil(time)", 0.5 * 1.5 * 1.5 + 0.5 * 0.25, 2},
        {"floor(2 - time)", 0.5 * 1.5 * 1.5 - 0.5 * 0.25, 1},
        // 0.9 - t, from 0.9 on 1.8 - t
        {"mod(-time, 0.9)", 0.45 * 2.25 - 3.375 / 6 + 0.45 * 0.36, 1.35 - 1.125 + 0.54},
        // -1 + 2 t up to 1, then 2 - t
        {"interp(way, 2 - time)", -0.5 * 2.25 + 3.375 / 3 - 3 * 0.125 / 6, -1.5 + 2.25 - 3 * 0.125},
        {"interp(way, 0.7 - 0.4 + 0.7 + time)", 0.5 * 2.25 - 3.375 / 3 + 7 * 0.125 / 6,
         1.5 - 2.25 + 7 * 0.125},
    };
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        char text[ROOM];
        snprintf(text, sizeof text,
                 HEAD "tables: {way: {x: [0, 1, 2, 3], y: [0, 1, -1, 4], interpolation: linear}}\n"
                      "bodies: [{name: m, type: coordinate}]\n"
                      "forces: [{type: expression, acts_on: m, value: \"%s\"}]\n"
                      "outputs: [m.x, m.vx]\n",
                 given[i].law);
        try_all(text, 1.5, (Want[MOST]){{"m.x", given[i].x, 0}, {"m.vx", given[i].v, 0}});
    }
}

// A law that turns within 1/1000 of the speeds, v' = a - c tanh(v/e), on two parallel guides: its series at either
// side knows nothing of the other. t/e = (a u + c ln(a cosh u - c sinh u))/(a^2 - c^2), u = v/e
static double steep_time(double u) {
    const double a = 2, c = 0.5;
    const double log_of =
        fabs(u) + log((u < 0 ? a + c : a - c) + (u < 0 ? a - c : a + c) * exp(-2 * fabs(u))) -
        log(2);
    return 1e-3 * (a * u + c * log_of) / (a * a - c * c);
}

static void test_steep_law(void **state) {
    (void)state;
    double low = -2000, high = 2000; // u after 1 s from v = -1
    for (int k = 0; k < 100; k++) {
        const double u = (low + high) / 2;
        *(steep_time(u) - steep_time(-1000) < 1 ? &low : &high) = u;
    }
    try_all(HEAD
            "ground: {points: {A: [1, 0]}}\n"
            "bodies: [{name: b, mass: 1, inertia: 1, velocity: [0, -1], points: {A: [1, 0]}}]\n"
            "joints:\n"
            "  - {name: P, type: prismatic, between: [ground, b], axis: [0, 1]}\n"
            "  - {name: Q, type: prismatic, between: [ground.A, b.A], axis: [0, 1]}\n"
            "forces: [{type: force, acts_on: b, value: [0, \"2 - 0.5*tanh(b.vy/1e-3)\"]}]\n"
            "outputs: [b.vy]\n",
            1, (Want[MOST]){{"b.vy", 1e-3 * low, 0}});
}

// a held force every 0.05 s: the exact recursion
static void test_sampled(void **state) {
    (void)state;
    const double T = 0.05;
    double x = 1, v = 0;
    for (int k = 0; k < 40; k++) {
        const double u = -6 * x - 3 * v;
        x += v * T + u * T * T / 2;
        v += u * T;
    }
    try_all(HEAD "discrete: {u: 0}\nbodies: [{name: c, mass: 1, inertia: 1, position: [1, 0]}]\n"
                 "joints: [{type: prismatic, between: [ground, c], axis: [1, 0]}]\n"
                 "forces: [{type: force, acts_on: c, value: [u, 0]}]\n"
                 "events: [{every: 0.05, set: {u: \"-6*c.x - 3*c.vx\"}}]\noutputs: [c.x, c.vx]\n",
            2 - 1e-9, (Want[MOST]){{"c.x", x, 0}, {"c.vx", v, 0}});
}

// models/relay.yaml and models/sampled-cart.yaml: what their heads say
static void test_control_models(void **state) {
    (void)state;
    static const struct {
        const char *file;
        double end;
        Want want[MOST];
    } given[] = {
        {"relay",
         5,
         {{"cart.vx", 1.010594290473, 0}, {"cart.x", 4.658717299697, 0}, {"driven", 0, 0}}},
        {"sampled-cart", 1 - 1e-12, {{"cart.x", 0.7475920881253, 0}}},
        {"sampled-cart", 2 - 1e-12, {{"cart.x", 1.0226659776814, 0}}},
        {"sampled-cart",
         3 - 1e-12,
         {{"cart.x", 1.0107765237833, 0}, {"cart.vx", -0.0216853914434, 0}}},
    };
    static const char *const some[] = {"auto", "taylor", "radau", "tangent", "bdf"};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        for (size_t k = 0; k < sizeof some / sizeof *some; k++) {
            char path[400];
            HolModel *m = NULL;
            HolSim *sim = NULL;
            HolError err;
            HolSimOptions o = hol_sim_options();
            const HolSetting set = {"method", some[k]};
            snprintf(path, sizeof path, "%s/models/%s.yaml", HOL_SOURCE_DIR, given[i].file);
            if (hol_model_load(path, &set, 1, &m, &o, &err) != HOL_OK ||
                hol_sim_create(m, &o, &sim, &err) != HOL_OK ||
                hol_sim_advance(sim, given[i].end, &err) != HOL_OK)
                fail_msg("%s", err.text);
            check_columns(m, sim, given[i].want, &(Trial){some[k], o.tolerance, 1e-8});
            hol_sim_destroy(sim);
            hol_model_destroy(m);
        }
}

// a force that is a triangle of period 0.4 and size 1, from any phase: v and x by pieces
static void test_periodic_table(void **state) {
    (void)state;
    const double phases[] = {0, -0.13, 7.77}, end = 3.03;
    for (int p = 0; p < 3; p++) {
        double x = 0, v = 0, t = 0;
        while (t < end) { // from corner to corner: 0.1 and 0.3 of the period
            double at = fmod(fmod(t + phases[p], 0.4) + 0.4, 0.4);
            if (0.4 - at < 1e-12)
                at = 0;
            const int up = at < 0.1 - 1e-12 || at >= 0.3 - 1e-12;
            const double f = at < 0.1 - 1e-12 ? 10 * at : up ? 10 * (at - 0.4) : 10 * (0.2 - at);
            const double next = at < 0.1 - 1e-12 ? 0.1 : at < 0.3 - 1e-12 ? 0.3 : 0.4;
            const double h = fmin(next - at, end - t), slope = up ? 10 : -10;
            x += v * h + f * h * h / 2 + slope * h * h * h / 6;
            v += f * h + slope * h * h / 2;
            t += h;
        }
        char text[ROOM];
        snprintf(text, sizeof text,
                 HEAD
                 "tables: {w: {x: [0, 0.1, 0.3, 0.4], y: [0, 1, -1, 0], interpolation: linear, "
                 "outside: periodic}}\nbodies: [{name: c, type: coordinate}]\n"
                 "forces: [{type: expression, acts_on: c, value: \"interp(w, time + (%.17g))\"}]\n"
                 "outputs: [c.x, c.vx]\n",
                 phases[p]);
        try_all(text, end, (Want[MOST]){{"c.x", x, 0}, {"c.vx", v, 0}});
    }
}

// ---- ropes, belts, shafts ----

static void test_atwood(void **state) {
    (void)state;
    for (int k = 0; k < SIZES; k++) {
        const double s = sizes[k], t = 0.3 * sqrt(s), a = 9.81 / 5;
        char text[ROOM];
        snprintf(text, sizeof text,
                 HEAD "gravity: [0, -9.81]\nground: {points: {P: [0, %g], Q: [%g, %g]}}\nbodies:\n"
                      "  - {name: a, type: point, mass: 3, position: [0, %g]}\n"
                      "  - {name: b, type: point, mass: 2, position: [%g, %g]}\n"
                      "joints: [{name: C, type: cable, over: [a, ground.P, ground.Q, b]}]\n"
                      "outputs: [a.y, b.y, a.vy, C.fy]\n",
                 2 * s, s, 2 * s, s, s, s);
        // the rope pulls both up with 2 m1 m2 g/(m1 + m2)
        try_all(text, t,
                (Want[MOST]){{"a.y", s - a * t * t / 2, s},
                             {"b.y", s + a * t * t / 2, s},
                             {"a.vy", -a * t, sqrt(s)},
                             {"C.fy", 2.4 * 9.81, 0}});
    }
}

// a loose pulley between two parts of the rope: 2:1
static void test_tackle(void **state) {
    (void)state;
    const double a = 2 * 9.81 / 16, t = 0.4;
    try_all(SPACE
            "gravity: [0, 0, -9.81]\nground: {points: {A: [0, 0, 3], D: [1, 0, 3]}}\nbodies:\n"
            "  - {name: blk, type: point, mass: 4, position: [0, 0, 1]}\n"
            "  - {name: w, type: point, mass: 3, position: [1, 0, 1]}\n"
            "joints: [{type: cable, over: [ground.A, blk, ground.A, ground.D, w]}]\n"
            "outputs: [blk.z, w.z]\n",
            t, (Want[MOST]){{"blk.z", 1 + a * t * t / 2, 0}, {"w.z", 1 - a * t * t, 0}});
}

static void test_belts(void **state) {
    (void)state;
    const double a = 2 / (0.3 + 0.7 * 0.16), t = 1.5;
    for (int crossed = 0; crossed < 2; crossed++) {
        const double s = crossed ? -0.4 : 0.4;
        char text[ROOM];
        snprintf(text, sizeof text,
                 HEAD
                 "bodies:\n  - {name: a, mass: 1, inertia: 0.3}\n"
                 "  - {name: b, mass: 1, inertia: 0.7, position: [2, 0], angle: 0.4}\njoints:\n"
                 "  - {name: A, type: revolute, between: [ground, a]}\n"
                 "  - {name: B, type: revolute, between: [{body: ground, at: [2, 0]}, b]}\n"
                 "  - {type: belt, joints: [A, B], radii: [0.2, 0.5], crossed: %s}\n"
                 "forces: [{type: torque, acts_on: a, value: 2}]\n"
                 "outputs: [a.angle, b.angle, b.omega]\n",
                 crossed ? "true" : "false");
        try_all(text, t,
                (Want[MOST]){{"a.angle", a * t * t / 2, 0},
                             {"b.angle", 0.4 + s * a * t * t / 2, 0},
                             {"b.omega", s * a * t, 0}});
    }
    // a belt on an arm that turns about its first pulley, which stands still
    try_all(HEAD
            "bodies:\n  - {name: arm, mass: 1, inertia: 1}\n  - {name: p, mass: 1, inertia: 1}\n"
            "  - {name: q, mass: 1, inertia: 0.1, position: [1, 0]}\njoints:\n"
            "  - {name: O, type: revolute, between: [ground, arm]}\n"
            "  - {type: fixed, between: [ground, p]}\n"
            "  - {name: A, type: revolute, between: [arm, p]}\n"
            "  - {name: B, type: revolute, between: [{body: arm, at: [1, 0]}, q]}\n"
            "  - {type: belt, joints: [A, B], radii: [0.2, 0.5]}\n"
            "motions: [{joint: O, speed: 3}]\noutputs: [q.angle, q.x, B.angle]\n",
            2, (Want[MOST]){{"q.angle", 3.6, 0}, {"q.x", cos(6), 0}, {"B.angle", -2.4, 0}});
}

// Hooke's joint between shafts at the angle beta: tan(b) = cos(beta) tan(a); the drive's torque by power
static void test_hooke(void **state) {
    (void)state;
    const double betas[] = {0.3, 1, 1.3}, w = 2, t = 3, th = w * t;
    for (int k = 0; k < 3; k++) {
        const double c = cos(betas[k]), s = sin(betas[k]);
        const double den = cos(th) * cos(th) + c * c * sin(th) * sin(th), rate = w * c / den;
        const double slope = w * w * c * (1 - c * c) * sin(2 * th) / (den * den);
        char text[ROOM];
        snprintf(
            text, sizeof text,
            SPACE
            "bodies:\n  - {name: a, mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
            "  - {name: b, mass: 1, inertia: [0.2, 0.1, 0.1], orientation: {axis: [0, 0, 1], "
            "angle: %.17g}}\njoints:\n"
            "  - {name: A, type: revolute, between: [{body: ground, axis: [1, 0, 0]}, {body: a, "
            "axis: [1, 0, 0]}]}\n"
            "  - {name: B, type: revolute, between: [{body: ground, axis: [%.17g, %.17g, 0]}, "
            "{body: b, axis: [1, 0, 0]}]}\n"
            "  - {name: U, type: universal, between: [{body: a, axis: [0, 0, 1]}, {body: b, "
            "axis: [0, 1, 0]}]}\n"
            "motions: [{name: D, joint: A, value: \"2*time\"}]\n"
            "forces: [{type: torque, acts_on: b, frame: body, value: [-0.5, 0, 0]}]\n"
            "outputs: [b.omega_x, D.effort]\n",
            betas[k], c, s);
        try_all(text, t,
                (Want[MOST]){{"b.omega_x", rate, 0},
                             {"D.effort", (0.2 * rate * slope + 0.5 * rate) / w, 0}});
    }
}

// ---- curves, rolling, massless links ----

// an eccentric circle, its roller and its flat
static void test_cams(void **state) {
    (void)state;
    const double e = 0.02, R = 0.05, r = 0.01, t = 1.7, a = 3 * t;
    for (int k = 0; k < SIZES; k++)
        for (int flat = 0; flat < 2; flat++) {
            const double s = sizes[k], root = sqrt((R + r) * (R + r) - e * e * cos(a) * cos(a));
            const double y = flat ? R + e * sin(a) : e * sin(a) + root;
            const double vy = 3 * (e * cos(a) + (flat ? 0 : e * e * cos(a) * sin(a) / root));
            char text[ROOM], joint[200];
            if (flat)
                snprintf(joint, sizeof joint, "cam_flat, between: [cam, {body: f, axis: [0, -1]}]");
            else
                snprintf(joint, sizeof joint, "cam, between: [cam, f], radius: %g", r * s);
            snprintf(text, sizeof text,
                     HEAD
                     "curves: {c: {x: \"%g*(%g + %g*cos(s))\", y: \"%g*%g*sin(s)\", to: \"2*pi\", "
                     "closed: true}}\nbodies:\n"
                     "  - {name: cam, mass: 1, inertia: %g}\n"
                     "  - {name: f, mass: 1, inertia: %g, position: [0, %.17g]}\njoints:\n"
                     "  - {name: O, type: revolute, between: [ground, cam]}\n"
                     "  - {name: G, type: prismatic, between: [ground, f], axis: [0, 1]}\n"
                     "  - {name: K, curve: c, type: %s}\n"
                     "motions: [{joint: O, speed: 3}]\noutputs: [f.y, f.vy]\n",
                     s, e, R, s, R, 0.01 * s * s, 0.01 * s * s,
                     s * (flat ? R : sqrt((R + r) * (R + r) - e * e)), joint);
            try_all(text, t, (Want[MOST]){{"f.y", y * s, R * s}, {"f.vy", vy * s, R * s}});
        }
}

// a bead on a cycloid swings with one frequency, however far; on a helix it falls uniformly
static void test_beads(void **state) {
    (void)state;
    const double a = 0.25, t = 1.1, s0 = 1.2;
    const double arc = sin(s0 / 2) * cos(sqrt(9.81 / (4 * a)) * t), s = 2 * asin(arc);
    try_all(HEAD
            "gravity: [0, -9.81]\ncurves: {c: {x: \"0.25*(s + sin(s))\", y: \"0.25*(1 - cos(s))\", "
            "from: -3, to: 3}}\nbodies: [{name: b, type: point, mass: 1, position: "
            "[\"0.25*(1.2 + sin(1.2))\", \"0.25*(1 - cos(1.2))\"]}]\n"
            "joints: [{name: K, type: point_on_curve, between: [ground, b], curve: c}]\n"
            "outputs: [b.x, b.y, K.displacement]\n",
            t,
            (Want[MOST]){{"b.x", a * (s + sin(s)), 0},
                         {"b.y", a * (1 - cos(s)), 0},
                         {"K.displacement", s, 0}});
    const double fall = -9.81 * 0.1 / (0.25 + 0.01) * 0.8 * 0.8 / 2;
    try_all(SPACE "gravity: [0, 0, -9.81]\ncurves: {c: {x: \"0.5*cos(s)\", y: \"0.5*sin(s)\", z: "
                  "\"0.1*s\", from: -100, to: 10}}\n"
                  "bodies: [{name: b, type: point, mass: 1, position: [0.5, 0, 0]}]\n"
                  "joints: [{name: K, type: point_on_curve, between: [ground, b], curve: c}]\n"
                  "outputs: [b.x, b.z, K.displacement]\n",
            0.8,
            (Want[MOST]){
                {"b.x", 0.5 * cos(fall), 0}, {"b.z", 0.1 * fall, 0}, {"K.displacement", fall, 0}});
}

// a disc rolls down a slope: the rolling is a constraint of velocities, its force m g sin/3
static void test_rolling_velocity(void **state) {
    (void)state;
    const double x = 9.81 * sin(0.3) / 3 * 1.3 * 1.3;
    try_all(
        HEAD "gravity: [\"9.81*sin(0.3)\", \"-9.81*cos(0.3)\"]\n"
             "bodies: [{name: d, mass: 2, inertia: 0.09, position: [0, 0.3]}]\n"
             "joints: [{type: slot, between: [{body: ground, at: [0, 0.3]}, d], axis: [1, 0]}]\n"
             "constraints: [{name: roll, velocity: \"d.vx + 0.3*d.omega\"}]\n"
             "outputs: [d.x, d.angle, roll.lambda]\n",
        1.3,
        (Want[MOST]){
            {"d.x", x, 0}, {"d.angle", -x / 0.3, 0}, {"roll.lambda", 2 * 9.81 * sin(0.3) / 3, 0}});
}

static void test_links(void **state) {
    (void)state;
    static const char *const kinds[] = {"revolute_spherical", "revolute_revolute"};
    for (int k = 0; k < 2; k++) {
        char text[ROOM];
        snprintf(text, sizeof text,
                 SPACE
                 "bodies: [{name: b, mass: 1, inertia: [1, 1, 1], position: [1, 0, 0], velocity: "
                 "[0, 2, 0]}]\njoints: [{type: %s, between: [ground, b], axis: [0, 0, 1]}]\n"
                 "outputs: [b.x, b.y, b.z]\n",
                 kinds[k]);
        try_all(text, 1.3, (Want[MOST]){{"b.x", cos(2.6), 0}, {"b.y", sin(2.6), 0}, {"b.z", 0, 0}});
    }
}

// ---- stops ----

// A mass falls on a stop four times; the slide stands upright or at any angle. Sizes by similarity.
static void test_bounces(void **state) {
    (void)state;
    const double e = 0.7, first = sqrt(2 / 9.81), fast = sqrt(2 * 9.81);
    double last = first;
    for (int i = 1; i < 4; i++)
        last += 2 * fast * pow(e, i) / 9.81;
    const double up = fast * pow(e, 4), y = up * 0.05 - 9.81 * 0.05 * 0.05 / 2;
    const double turns[] = {0, 0.7, -2};
    for (int k = 0; k < SIZES; k++) {
        const double s = sizes[k], c = cos(turns[k]), d = sin(turns[k]);
        char text[ROOM];
        snprintf(text, sizeof text,
                 HEAD
                 "gravity: [%.17g, %.17g]\nbodies: [{name: b, mass: 2, inertia: %g, position: "
                 "[%.17g, %.17g], angle: 0.4}]\n"
                 "joints: [{name: G, type: prismatic, between: [ground, b], axis: [%.17g, %.17g], "
                 "limits: {min: 0, restitution: 0.7}}]\n"
                 "outputs: [G.displacement, G.speed, energy.impact]\n",
                 -9.81 * c, -9.81 * d, s * s, s * c, s * d, c, d);
        try_all(text, (last + 0.05) * sqrt(s),
                (Want[MOST]){{"G.displacement", y * s, s},
                             {"G.speed", (up - 9.81 * 0.05) * sqrt(s), sqrt(s)},
                             {"energy.impact", 2 * 9.81 * s * (1 - pow(e, 8)), 20 * s}});
    }
}

// bouncing to rest: all the energy is lost, and the stop carries the weight
static void test_bounce_to_rest(void **state) {
    (void)state;
    const double rest = sqrt(2 / 9.81) * 3; // (1 + e)/(1 - e) of the first fall
    try_all(HEAD
            "gravity: [0, -9.81]\nbodies: [{name: b, mass: 2, inertia: 1, position: [0, 1]}]\n"
            "joints: [{name: G, type: prismatic, between: [ground, b], axis: [0, 1], limits: {min: "
            "0, restitution: 0.5}}]\noutputs: [b.y, b.vy, G.stop, energy.impact]\n",
            1.2 * rest,
            (Want[MOST]){{"b.y", 0, 0},
                         {"b.vy", 0, 0},
                         {"G.stop", 2 * 9.81, 0},
                         {"energy.impact", 2 * 9.81, 0}});
}

// the second of two geared discs hits a stop: both turn back
static void test_stop_through_gear(void **state) {
    (void)state;
    try_all(HEAD
            "bodies:\n  - {name: a, mass: 1, inertia: 0.3}\n"
            "  - {name: b, mass: 1, inertia: 0.5, position: [1, 0]}\njoints:\n"
            "  - {name: A, type: revolute, between: [ground, a], rate: 1}\n"
            "  - {name: B, type: revolute, between: [{body: ground, at: [1, 0]}, b], limits: {min: "
            "-1.5, restitution: 0.4}}\n"
            "  - {type: gear, joints: [A, B], ratio: -2}\n"
            "outputs: [a.angle, b.angle, a.omega, energy.impact]\n",
            1.25,
            (Want[MOST]){{"a.angle", 0.55, 0},
                         {"b.angle", -1.1, 0},
                         {"a.omega", -0.4, 0},
                         {"energy.impact", 0.5 * 2.3 * 0.84, 0}});
}

// a slider between the stops of a free one: momentum is kept, the relative speed turns by e
static void test_stops_in_series(void **state) {
    (void)state;
    const double es[] = {0, 0.5, 1};
    for (int k = 0; k < 3; k++) {
        const double e = es[k], va = (1 + e) / 3, vb = (1 - 2 * e) / 3;
        char text[ROOM];
        snprintf(
            text, sizeof text,
            HEAD
            "bodies:\n  - {name: a, mass: 2, inertia: 1}\n"
            "  - {name: b, mass: 1, inertia: 1, velocity: [1, 0]}\njoints:\n"
            "  - {type: prismatic, between: [ground, a], axis: [1, 0]}\n"
            "  - {type: prismatic, between: [a, b], axis: [1, 0], limits: {min: -0.5, max: 0.5, "
            "restitution: %g}}\noutputs: [a.x, b.x, a.vx, b.vx, energy.impact]\n",
            e);
        try_all(text, 1,
                (Want[MOST]){{"a.vx", va, 0},
                             {"b.vx", vb, 0},
                             {"a.x", va / 2, 0},
                             {"b.x", 0.5 + vb / 2, 0},
                             {"energy.impact", (1 - e * e) / 3, 0}});
    }
}

// stops of a screw and of a hinge with a slanting axis
static void test_stops_in_space(void **state) {
    (void)state;
    const double a = 9.81 * 3 * 0.1 / (0.2 + 0.03), hit = sqrt(4 / a), w = 0.6 * a * hit;
    try_all(SPACE
            "gravity: [0, 0, -9.81]\nbodies: [{name: b, mass: 3, inertia: [1, 1, 0.2]}]\n"
            "joints: [{name: S, type: screw, between: [{body: ground, axis: [0, 0, 1]}, {body: b, "
            "axis: [0, 0, 1]}], pitch: 0.1, limits: {min: -2, restitution: 0.6}}]\n"
            "outputs: [S.angle, S.rate, b.z]\n",
            hit + 0.3,
            (Want[MOST]){{"S.angle", -2 + 0.3 * w - a * 0.045, 0},
                         {"S.rate", w - 0.3 * a, 0},
                         {"b.z", 0.1 * (-2 + 0.3 * w - a * 0.045), 0}});
    const double turn = 2 / 1.25, met = sqrt(2 / turn), back = -0.3 * turn * met;
    try_all(SPACE
            "bodies: [{name: b, mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0]}]\n"
            "joints: [{name: S, type: revolute, between: [{body: ground, axis: [0, 0.6, 0.8]}, "
            "{body: b, at: [-0.5, 0, 0], axis: [0, 0.6, 0.8]}], limits: {max: 1, restitution: "
            "0.3}}]\nforces: [{type: torque, joint: S, value: 2}]\noutputs: [S.angle, S.rate]\n",
            met + 0.4,
            (Want[MOST]){{"S.angle", 1 + back * 0.4 + turn * 0.08, 0},
                         {"S.rate", back + turn * 0.4, 0}});
}

// compliant stops, with and without damping: the force along the coordinate, and out again
static void test_compliant_stop(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double c = 2 * k, z = c / 2, w = sqrt(100 - z * z), t = 0.1;
        const double d = exp(-z * t) * sin(w * t) / w,
                     v = exp(-z * t) * (cos(w * t) - z / w * sin(w * t));
        char text[ROOM];
        snprintf(
            text, sizeof text,
            HEAD
            "bodies: [{name: b, mass: 1, inertia: 1}]\n"
            "joints: [{name: G, type: prismatic, between: [ground, b], axis: [1, 0], speed: 1, "
            "limits: {max: 0.2, stiffness: 100, damping: %g}}]\noutputs: [b.x, b.vx, G.stop]\n",
            c);
        try_all(
            text, 0.3,
            (Want[MOST]){{"b.x", 0.2 + d, 0}, {"b.vx", v, 0}, {"G.stop", -(100 * d + c * v), 10}});
        if (k == 0)
            try_all(text, 0.2 + M_PI / 10 + 0.3,
                    (Want[MOST]){{"b.x", -0.1, 0}, {"b.vx", -1, 0}, {"G.stop", 0, 0}});
    }
}

// ---- joint coordinates ----

static void test_coordinates(void **state) {
    (void)state;
    try_all(
        SPACE "bodies: [{name: b, mass: 1, inertia: [1, 1, 1], omega: [0.66, 0, 0.88]}]\n"
              "joints: [{name: S, type: spherical, between: [ground, b]}]\n"
              "outputs: [S.rx, S.ry, S.rz, S.rz_rate]\n",
        2,
        (Want[MOST]){{"S.rx", 1.32, 0}, {"S.ry", 0, 0}, {"S.rz", 1.76, 0}, {"S.rz_rate", 0.88, 0}});
    try_all(
        SPACE
        "bodies: [{name: b, mass: 2, inertia: [1, 1, 3], position: [0, 0, 0.3]}]\n"
        "joints: [{name: C, type: cylindrical, between: [{body: ground, axis: [0, 0, 1]}, {body: "
        "b, axis: [0, 0, 1]}], angle: 0.5}]\nforces:\n"
        "  - {type: force, acts_on: b, value: [0, 0, \"-8*C.displacement\"]}\n"
        "  - {type: torque, acts_on: b, value: [0, 0, \"-12*C.angle\"]}\n"
        "outputs: [C.angle, C.displacement, C.rate, C.speed]\n",
        1.7,
        (Want[MOST]){{"C.angle", 0.5 * cos(3.4), 0},
                     {"C.displacement", 0.3 * cos(3.4), 0},
                     {"C.rate", -sin(3.4), 0},
                     {"C.speed", -0.6 * sin(3.4), 0}});
}

// a start beyond half a turn, in space: turns count from there
static void test_start_angles(void **state) {
    (void)state;
    const double starts[] = {4, 7, -4, M_PI, -M_PI, 0.5};
    for (int k = 0; k < 6; k++) {
        char text[ROOM];
        snprintf(
            text, sizeof text,
            SPACE
            "bodies: [{name: b, mass: 1, inertia: [1, 1, 1]}]\n"
            "joints: [{name: O, type: revolute, between: [{body: ground, axis: [0, 0, 1]}, b], "
            "angle: %.17g, rate: 2}]\noutputs: [O.angle, b.wz]\n",
            starts[k]);
        try_all(text, 1, (Want[MOST]){{"O.angle", starts[k] + 2, 0}, {"b.wz", 2, 0}});
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pid_step),
                                       cmocka_unit_test(test_motor_step),
                                       cmocka_unit_test(test_state_alone),
                                       cmocka_unit_test(test_state_in_loop),
                                       cmocka_unit_test(test_state_beside_joints),
                                       cmocka_unit_test(test_start_on_knots),
                                       cmocka_unit_test(test_steep_law),
                                       cmocka_unit_test(test_sampled),
                                       cmocka_unit_test(test_control_models),
                                       cmocka_unit_test(test_periodic_table),
                                       cmocka_unit_test(test_atwood),
                                       cmocka_unit_test(test_tackle),
                                       cmocka_unit_test(test_belts),
                                       cmocka_unit_test(test_hooke),
                                       cmocka_unit_test(test_cams),
                                       cmocka_unit_test(test_beads),
                                       cmocka_unit_test(test_rolling_velocity),
                                       cmocka_unit_test(test_links),
                                       cmocka_unit_test(test_bounces),
                                       cmocka_unit_test(test_bounce_to_rest),
                                       cmocka_unit_test(test_stop_through_gear),
                                       cmocka_unit_test(test_stops_in_series),
                                       cmocka_unit_test(test_stops_in_space),
                                       cmocka_unit_test(test_compliant_stop),
                                       cmocka_unit_test(test_coordinates),
                                       cmocka_unit_test(test_start_angles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
