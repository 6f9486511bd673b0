// SPDX-License-Identifier: Apache-2.0
// Planar models of models/ against closed forms and against reduced equations: values from
// high-order solvers of the minimal equations, or a plain Runge-Kutta loop written out here.
#include "ref_compare.h"

// minimal coordinates with an explicit Runge-Kutta method of order 8 and 5 solvers agree on these
// digits
static void test_double_pendula(void **state) {
    (void)state;
    const RefExpected free_motion[] = {{"rod1.angle", -1.9801147372529, 1e-9},
                                       {"rod2.angle", -6.1267044508533, 1e-9},
                                       {"rod1.omega", 1.7423598782291, 1e-8},
                                       {"rod2.omega", -3.4333226142016, 1e-8},
                                       {"energy.total", -15.62681836904, 1e-9}};
    ref_expect_at("double-pendulum.yaml", "step=0.0025", 2, free_motion, 5);
    const RefExpected rods[] = {{"rod1.angle", -2.97858180966401, 1e-9},
                                {"rod2.angle", -2.29755427550335, 1e-9},
                                {"rod1.x", -0.49337156357601, 1e-9},
                                {"rod2.y", -0.46122287042794, 1e-9}};
    ref_expect_at("papers/alpha-double-pendulum.yaml", "step=0.001", 1, rods, 4);
    // the start layer of 0.1 ms must be resolved or damped; error control does it
    const RefExpected stiff[] = {{"rod1.angle", 4.64047818322133, 1e-6},
                                 {"rod2.angle", 4.64049670168853, 1e-6},
                                 {"rod1.omega", -1.62989245408377, 1e-5},
                                 {"rod2.omega", -1.63025271538026, 1e-5}};
    ref_expect_at("stiff-double-pendulum.yaml", "tolerance=1e-8", 2, stiff, 4);
}

static void test_paper_problems(void **state) {
    (void)state;
    const RefExpected pendulum[] = {{"mass.x", 0.6185801137750821, 1e-8},
                                    {"mass.y", -0.7857217337213006, 1e-8},
                                    {"mass.vx", 1.860329642333288, 1e-7},
                                    {"mass.vy", 1.464593471741568, 1e-7}};
    ref_expect_at("papers/pendulum.yaml", "step=0.005", 4, pendulum, 4);
    const RefExpected alpha[] = {{"mass.x", -0.986291751131875, 1e-9},
                                 {"mass.y", -0.165010853125545, 1e-9}};
    ref_expect_at("papers/alpha-pendulum.yaml", "step=0.0025", 1, alpha, 2);
    const RefExpected spring[] = {{"mass.x", -0.632820974847, 1e-6},
                                  {"mass.y", 0.733637925217, 1e-6},
                                  {"mass.vx", -0.998654869584, 1e-5},
                                  {"mass.vy", 3.082235821594, 1e-5},
                                  {"energy.total", 5, 1e-6}};
    ref_expect_at("papers/stiff-spring-pendulum.yaml", "step=0.001", 5, spring, 5);
    const RefExpected linear[] = {{"mass.x", 0.018660033471, 1e-8}};
    ref_expect_at("papers/circle-linear-force.yaml", "step=1e-5", 0.02, linear, 1);
    const RefExpected circle[] = {{"mass.x", -0.044688235925, 1e-8}};
    ref_expect_at("papers/circle-spring.yaml", "step=1e-4", 0.1, circle, 1);
    const RefExpected bushing[] = {{"body.angle", 0.149385793041, 1e-6},
                                   {"body.x", 0.954759140522, 1e-6},
                                   {"body.y", 0.297380200398, 1e-6}};
    ref_expect_at("papers/bushing-pendulum.yaml", "step=3.1415926535897933e-7",
                  0.0012566370614359172, bushing, 3);
    const RefExpected two[] = {{"b.y", -0.042168328890, 1e-8}, {"b.angle", 0, 1e-12}};
    ref_expect_at("papers/two-body-bushing.yaml", "step=5e-5", 0.1, two, 2);
}

// ten links: end of the fifth link at 1 s, from two other programs that agree to these digits
static void test_chain(void **state) {
    (void)state;
    const RefExpected chain[] = {{"link5.right.x", 2.772592693, 1e-6},
                                 {"link5.right.y", -4.138105399, 1e-6},
                                 {"energy.total", 0, 1e-5}};
    ref_expect_at("chain.yaml", "step=0.002", 1, chain, 3);
}

// angle of the driven pendulum: m L^2 a'' = T0 sin(w t) - m g L sin(a), by Runge-Kutta with small
// steps
static double driven_acceleration(double t, double a) {
    return 0.1 * sin(0.1 * t) - 9.8 * sin(a);
}

static void test_driven_pendulum(void **state) {
    (void)state;
    RefRun r = ref_open("driven-pendulum.yaml", "step=0.025", NULL);
    double a = 0, w = 0, h = 1.0 / 512, t = 0;
    RefWorst angle = {0}, force = {0};
    for (int second = 1; second <= 50; second++) {
        for (int i = 0; i < 512; i++, t += h) {
            double k1 = driven_acceleration(t, a), w2 = w + h / 2 * k1;
            double k2 = driven_acceleration(t + h / 2, a + h / 2 * w), w3 = w + h / 2 * k2;
            double k3 = driven_acceleration(t + h / 2, a + h / 2 * w2), w4 = w + h * k3;
            double k4 = driven_acceleration(t + h, a + h * w3);
            a += h / 6 * (w + 2 * w2 + 2 * w3 + w4);
            w += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
        }
        ref_advance(&r, second);
        ref_note(&angle, ref_value(&r, "rod.angle") - a, second);
        // force of the ground on the bar: m (acceleration of the mass - g)
        double acceleration = driven_acceleration(second, a);
        ref_note(&force, ref_value(&r, "O.fx") - (cos(a) * acceleration - sin(a) * w * w), second);
        ref_note(&force, ref_value(&r, "O.fy") - (sin(a) * acceleration + cos(a) * w * w + 9.8),
                 second);
    }
    ref_require("driven pendulum, angle", angle, 1e-7);
    ref_require("driven pendulum, reaction", force, 1e-6);
    ref_close(&r);
}

// ---- pin friction: the torque depends on the reaction, which depends on the torque ----

typedef struct Pin {
    double reaction, friction, a1, a2;
} Pin;

// accelerations of the two rods with the friction of the ground pin, by fixed-point iteration on it
static Pin pin_friction(const double y[4]) {
    const double m1 = 3, m2 = 0.3, L1 = 1, L2 = 1.5, k1 = 400, k2 = 3e5, c1 = 15, c2 = 5e4,
                 g = 9.81;
    const double mu = 0.5, r = 0.1, ws = 0.1, free_angle = 4.71238898038469;
    double t1 = y[0], t2 = y[1], w1 = y[2], w2 = y[3];
    double A = 4 * L1 * L1 * (m1 / 3 + m2), B = 2 * m2 * L1 * L2 * cos(t1 - t2),
           C = 4.0 / 3 * m2 * L2 * L2;
    double T2 = k2 * (t1 - t2) + c2 * (w1 - w2), sn = 2 * m2 * L1 * L2 * sin(t1 - t2);
    Pin p = {0};
    for (int i = 0; i < 30; i++) {
        double r1 =
            k1 * (free_angle - t1) - c1 * w1 - T2 - sn * w2 * w2 - (m1 + 2 * m2) * g * L1 * cos(t1);
        double r2 = T2 + sn * w1 * w1 - m2 * g * L2 * cos(t2), D = A * C - B * B;
        r1 += p.friction;
        p.a1 = (C * r1 - B * r2) / D;
        p.a2 = (A * r2 - B * r1) / D;
        double ax1 = -L1 * (sin(t1) * p.a1 + cos(t1) * w1 * w1),
               ay1 = L1 * (cos(t1) * p.a1 - sin(t1) * w1 * w1);
        double ax2 = 2 * ax1 - L2 * (sin(t2) * p.a2 + cos(t2) * w2 * w2);
        double ay2 = 2 * ay1 + L2 * (cos(t2) * p.a2 - sin(t2) * w2 * w2);
        double fx = m1 * ax1 + m2 * ax2, fy = m1 * ay1 + m2 * ay2 + (m1 + m2) * g;
        p.reaction = sqrt(fx * fx + fy * fy + 1e-6);
        p.friction = -mu * r * p.reaction * tanh(w1 / ws);
    }
    return p;
}

static void pin_rates(const double y[4], double out[4]) {
    Pin p = pin_friction(y);
    out[0] = y[2];
    out[1] = y[3];
    out[2] = p.a1;
    out[3] = p.a2;
}

// classical Runge-Kutta; the step resolves the fast mode (1e5 1/s)
static void pin_step(double y[4], double h) {
    double k[4][4], x[4];
    const double at[4] = {0, 0.5, 0.5, 1};
    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < 4; i++)
            x[i] = y[i] + (s ? at[s] * h * k[s - 1][i] : 0);
        pin_rates(x, k[s]);
    }
    for (int i = 0; i < 4; i++)
        y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
}

static void test_pin_friction(void **state) {
    (void)state;
    double y[4] = {6.283185307179586, 6.283185307179586, 1, 1};
    for (int i = 0; i < 20000; i++)
        pin_step(y, 0.1 / 20000);
    Pin p = pin_friction(y);
    const RefExpected end[] = {{"rod1.angle", y[0], 1e-6},     {"rod2.angle", y[1], 1e-6},
                               {"rod1.omega", y[2], 1e-5},     {"rod2.omega", y[3], 1e-5},
                               {"reaction", p.reaction, 1e-3}, {"friction", p.friction, 1e-4}};
    ref_expect_at("papers/double-pendulum-friction.yaml", "step=1e-4", 0.1, end, 6);
}

// the crank is driven, so that everything has a closed form: with the crank angle a and the rod's
// angle b, L1 sin a + L2 sin b = 0, x = L1 cos a + L2 cos b
static void test_slider_crank(void **state) {
    (void)state;
    RefRun r = ref_open("slider-crank.yaml", "step=1e-4", NULL);
    const double L1 = 0.15, L2 = 0.30, w = 150, m3 = 0.075552;
    RefWorst position = {0}, velocity = {0}, acceleration = {0}, force = {0};
    for (int i = 0; i <= 50; i++) {
        double t = 0.1 * i / 50, a = w * t;
        ref_advance(&r, t);
        double sb = -L1 / L2 * sin(a), cb = sqrt(1 - sb * sb);
        double wb = -L1 / L2 * w * cos(a) / cb;
        double eb = (L1 / L2 * w * w * sin(a) + wb * wb * sb) / cb;
        double x = L1 * cos(a) + L2 * cb, vx = -L1 * w * sin(a) - L2 * sb * wb;
        double ax = -L1 * w * w * cos(a) - L2 * (cb * wb * wb + sb * eb);
        ref_note(&position, ref_value(&r, "slider.x") - x, t);
        ref_note(&position, ref_value(&r, "crank.angle") - a, t);
        ref_note(&velocity, ref_value(&r, "slider.vx") - vx, t);
        ref_note(&velocity, ref_value(&r, "rod.omega") - wb, t);
        ref_note(&acceleration, ref_value(&r, "slider.ax") - ax, t);
        // the wrist pushes the slider along x; the guide balances it across
        ref_note(&force, ref_value(&r, "wrist.fx") - m3 * ax, t);
        ref_note(&force, ref_value(&r, "wrist.fy") + ref_value(&r, "guide.fy"), t);
    }
    ref_require("slider-crank position", position, 1e-12);
    ref_require("slider-crank velocity", velocity, 1e-9);
    ref_require("slider-crank acceleration", acceleration, 1e-7);
    ref_require("slider-crank force", force, 1e-8);
    ref_close(&r);
}

// s = g sin(slope) t^2/3; friction m g sin(slope)/3 up the slope, normal force m g cos(slope)
static void test_rolling_disc(void **state) {
    (void)state;
    RefRun r = ref_open("rolling-disc.yaml", NULL);
    const double slope = 0.3490658503988659, R = 0.3, m = 2, g = 9.81;
    double cs = cos(slope), sn = sin(slope);
    RefWorst position = {0}, force = {0};
    for (int i = 0; i <= 30; i++) {
        double t = 0.1 * i, s = g * sn * t * t / 3;
        ref_advance(&r, t);
        ref_note(&position, ref_value(&r, "disc.x") - (R * sn + s * cs), t);
        ref_note(&position, ref_value(&r, "disc.y") - (R * cs - s * sn), t);
        ref_note(&position, ref_value(&r, "disc.angle") + s / R, t);
        ref_note(&force, ref_value(&r, "contact.fx") - (m * g * cs * sn - m * g * sn / 3 * cs), t);
        ref_note(&force, ref_value(&r, "contact.fy") - (m * g * cs * cs + m * g * sn / 3 * sn), t);
    }
    ref_require("rolling disc position", position, 1e-10);
    ref_require("rolling disc force", force, 1e-9);
    ref_close(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_double_pendula), cmocka_unit_test(test_paper_problems),
        cmocka_unit_test(test_chain),          cmocka_unit_test(test_driven_pendulum),
        cmocka_unit_test(test_pin_friction),   cmocka_unit_test(test_slider_crank),
        cmocka_unit_test(test_rolling_disc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
