// SPDX-License-Identifier: Apache-2.0
// Reference problems of friction and stops in joints: closed forms, or series with 32 digits. Event
// times and states with several methods and tolerances, the energy ledger, and the same bits whatever
// rows are asked for.
#include "event_run.h"

#define PLANE "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
#define INCLINE "holonom: 1\nspace: planar\ngravity: [-9.81*sin(0.2), -9.81*cos(0.2)]\n"
#define GUIDE(friction)                                                                            \
    "joints:\n  - {name: guide, type: prismatic, between: [{body: ground, axis: [1, 0]}, b], "     \
    "friction: " friction "}\n"
#define OSCILLATOR(friction)                                                                       \
    PLANE "bodies:\n  - {name: b, mass: 1, inertia: 1, position: [0.27, 0]}\n" GUIDE(              \
        friction) "forces:\n  - {type: spring_damper, between: [{body: ground, at: [-1, 0]}, b], " \
                  "stiffness: 100, length: 1}\n"
#define BLOCK(friction)                                                                            \
    INCLINE "bodies:\n  - {name: b, mass: 2, inertia: 1}\n" GUIDE(                                 \
        friction) "forces:\n  - {type: force, acts_on: b, value: [12*sin(3*time), 0]}\n"
#define BELT(friction)                                                                             \
    PLANE "bodies:\n  - {name: belt, mass: 1, inertia: 1, velocity: [0.2, 0]}\n"                   \
          "  - {name: b, mass: 1, inertia: 1, velocity: [0.2, 0]}\n"                               \
          "joints:\n  - {name: drive, type: prismatic, between: [{body: ground, axis: [1, 0]}, "   \
          "belt]}\n  - {name: grip, type: prismatic, between: [{body: belt, axis: [1, 0]}, b], "   \
          "friction: " friction "}\n"                                                              \
          "motions:\n  - {joint: drive, value: 0.2*time}\n"                                        \
          "forces:\n  - {type: spring_damper, between: [{body: ground, at: [-1, 0]}, b], "         \
          "stiffness: 20, length: 1}\n"

static const char journal[] =
    PLANE "bodies:\n  - {name: rod, mass: 1, inertia: 1/12, position: [0.5*sin(1.2), "
          "-0.5*cos(1.2)], angle: 1.2, points: {top: [0, 0.5]}}\n"
          "joints:\n  - {name: O, type: revolute, between: [ground, rod.top], friction: {mu: 0.3, "
          "radius: 0.05}}\n";
static const char door[] =
    PLANE "bodies:\n  - {name: rod, mass: 2, inertia: 2*0.64/12, position: [0.4*sin(1.5), "
          "-0.4*cos(1.5)], angle: 1.5, points: {top: [0, 0.4]}}\n"
          "joints:\n  - {name: O, type: revolute, between: [ground, rod.top], limits: {min: 0.5, "
          "restitution: 0.6}}\n";
static const char slider_crank[] =
    PLANE "parameters: {f: 0.5, w: 20, be: \"-asin(0.1*sin(f)/0.3)\", wr: "
          "\"-0.1*cos(f)*w/(0.3*cos(be))\"}\nbodies:\n"
          "  - {name: crank, mass: 0.5, inertia: 0.005/12, position: [0.05*cos(f), 0.05*sin(f)], "
          "angle: f, omega: w, velocity: [-0.05*sin(f)*w, 0.05*cos(f)*w], points: {O: [-0.05, 0], "
          "A: [0.05, 0]}}\n"
          "  - {name: rod, mass: 0.6, inertia: 0.054/12, position: [0.1*cos(f)+0.15*cos(be), "
          "0.1*sin(f)+0.15*sin(be)], angle: be, omega: wr, velocity: "
          "[-0.1*sin(f)*w-0.15*sin(be)*wr, 0.1*cos(f)*w+0.15*cos(be)*wr], points: {A: [-0.15, 0], "
          "B: [0.15, 0]}}\n"
          "  - {name: slider, mass: 0.4, inertia: 0.01, position: [0.1*cos(f)+0.3*cos(be), 0], "
          "velocity: [-0.1*sin(f)*w-0.3*sin(be)*wr, 0]}\n"
          "joints:\n  - {name: O, type: revolute, between: [ground, crank.O]}\n"
          "  - {name: A, type: revolute, between: [crank.A, rod.A]}\n"
          "  - {name: B, type: revolute, between: [rod.B, slider]}\n"
          "  - {name: guide, type: prismatic, between: [{body: ground, axis: [1, 0]}, slider], "
          "friction: {mu: 0.2}}\n";

typedef struct Column {
    const char *name;
    double value;
} Column;

typedef struct Reference {
    const char *name, *text;
    double end;
    struct {
        const char *kind;
        double time;
    } event[18];      // those behind the start
    Column column[6]; // at the end
} Reference;

// what does not load its joints: also for methods that take no algebraic variables
static const Reference plain[] = {
    {"oscillator",
     OSCILLATOR("{constant: 0.25*9.81}"),
     0.5,
     {{"slip", 0.314159265358979324}},
     {{"b.x", 0.031193344779614219}}},
    {"oscillator comes to rest",
     OSCILLATOR("{constant: 0.25*9.81}"),
     4,
     {{"slip", 0.314159265358979324},
      {"slip", 2 * 0.314159265358979324},
      {"slip", 3 * 0.314159265358979324},
      {"slip", 4 * 0.314159265358979324},
      {"slip", 5 * 0.314159265358979324},
      {"stick", 1.88495559215387594}},
     {{"b.x", -0.0243}, {"guide.friction", -2.43}, {"energy.friction", 3.6154755}}},
    {"incline_block_equal",
     BLOCK("{constant: 0.3*2*9.81*cos(0.2)}"),
     0.6,
     {{"slip", 0.312199355858756343}},
     {{"b.x", 0.0286932226356221005}, {"b.vx", 0.248446225203330634}}},
    {"door_stop",
     door,
     1.25,
     {{"impact", 0.338045609309436411},
      {"impact", 0.842033678578277845},
      {"impact", 1.20771279585202394}},
     {{"energy.impact", 4.05255832769760809 + 1.45892099797113891 + 0.525211559269610008}}},
};

static const Reference loaded[] = {
    {"coulomb_oscillator",
     OSCILLATOR("{mu: 0.25}"),
     4,
     {{"slip", 0.314159265358979324},
      {"slip", 2 * 0.314159265358979324},
      {"slip", 3 * 0.314159265358979324},
      {"slip", 4 * 0.314159265358979324},
      {"slip", 5 * 0.314159265358979324},
      {"stick", 1.88495559215387594}},
     {{"b.x", -0.0243}, {"guide.friction", -2.43}, {"energy.friction", 3.6154755}, {"b.vx", 0}}},
    {"incline_block",
     BLOCK("{mu: 0.3, mu_static: 0.35}"),
     6,
     {{"slip", 0.36264317837478461},
      {"stick", 0.951714104516411406},
      {"slip", 1.12661981650998915},
      {"slip", 2.69773433794037624},
      {"stick", 2.94029911504249449},
      {"slip", 3.22101491890318464},
      {"slip", 4.79212944033357174},
      {"stick", 5.03469421743568998},
      {"slip", 5.31541002129638014}},
     {{"b.x", -6.04155336594929577}}},
    {"incline_block_equal",
     BLOCK("{mu: 0.3}"),
     0.6,
     {{"slip", 0.312199355858756343}},
     {{"b.x", 0.0286932226356221005}, {"b.vx", 0.248446225203330634}}},
    {"belt_limit_cycle",
     BELT("{mu: 0.25, mu_static: 0.4}"),
     2.663481481976643,
     {{"slip", 0.981}, {"stick", 0.981 + 0.946731481976643096}},
     {{"b.x", 0.1962}, {"b.vx", 0.2}}},
    {"belt_stribeck",
     BELT("{mu: 0.25, mu_static: 0.4, stribeck: 0.1}"),
     2.5,
     {{"slip", 0.981}, {"stick", 1.97843424605876258}},
     {{"b.x", 0.0271462263147295423 + 0.2 * (2.5 - 1.97843424605876258)}}},
    {"slider_crank_friction",
     slider_crank,
     0.95,
     {{"slip", 0.162162194015073034},
      {"slip", 0.314089911500739458},
      {"slip", 0.584948455032562991},
      {"slip", 0.777154357053883349},
      {"slip", 0.938656069633423899}},
     {{NULL, 0}}},
    {"slider_crank_friction at 0.5",
     slider_crank,
     0.5,
     {{"slip", 0.162162194015073034}, {"slip", 0.314089911500739458}},
     {{"crank.angle", 8.26091312915822243},
      {"crank.omega", 9.02050443440726982},
      {"guide.use", 1}}},
    {"pendulum_journal at 1",
     journal,
     1,
     {{"slip", 0.8920774975182281}},
     {{"rod.angle", -1.02128055020664726}, {"rod.omega", 1.36651659120224134}}},
    {"pendulum_journal",
     journal,
     14,
     {{"slip", 0.8920774975182281},
      {"slip", 1.77105598404872407},
      {"slip", 2.63925017717545937},
      {"slip", 3.49846436949350303},
      {"slip", 4.35014038592413381},
      {"slip", 5.1954550983726556},
      {"slip", 6.03538729631634243},
      {"slip", 6.87076507340547285},
      {"slip", 7.70230037181839818},
      {"slip", 8.53061481396419543},
      {"slip", 9.35625948566258918},
      {"slip", 10.1797304462410959},
      {"slip", 11.0014811848435807},
      {"slip", 11.8219328854947947},
      {"slip", 12.6414831306530796},
      {"stick", 13.4605135200189248}},
     {{"rod.angle", 0.023903087351260696}, {"energy.friction", 3.12623402653173874}}},
    {"door_stop",
     door,
     1.25,
     {{"impact", 0.338045609309436411},
      {"impact", 0.842033678578277845},
      {"impact", 1.20771279585202394}},
     {{"energy.impact", 4.05255832769760809 + 1.45892099797113891 + 0.525211559269610008}}},
};

typedef struct Trial {
    const char *method;
    double tolerance, time, state; // limits of errors
} Trial;
static const Trial fine[] = {
    {"taylor", 1e-12, 1e-11, 1e-8}, {"tangent", 1e-11, 1e-9, 1e-8}, {"rk853", 1e-11, 1e-9, 1e-8}};
static const Trial coarse[] = {
    {"taylor", 1e-8, 3e-7, 3e-7}, {"tangent", 1e-8, 3e-7, 3e-7}, {"rk853", 1e-8, 3e-7, 3e-7}};

static void check_reference(const Reference *f, const Trial *t) {
    EventRun e;
    char what[100];
    int n = 0, i = 0;
    snprintf(what, sizeof what, "%s, %s %g", f->name, t->method, t->tolerance);
    event_run(
        &e, f->text,
        (EventRunOptions){
            .method = t->method, .tolerance = t->tolerance, .end = f->end, .output_step = f->end});
    event_run_ok(&e, what);
    while (i < e.n && e.line[i].time == 0) // (modes of the start)
        i++;
    for (; n < 18 && f->event[n].kind; n++, i++) {
        if (i >= e.n)
            fail_msg("%s: no event %d", what, n);
        if (strcmp(e.line[i].kind, f->event[n].kind) ||
            !(fabs(e.line[i].time - f->event[n].time) <= t->time))
            fail_msg("%s, event %d: %s at %.15g, expected %s at %.15g (off by %.2e)", what, n,
                     e.line[i].kind, e.line[i].time, f->event[n].kind, f->event[n].time,
                     e.line[i].time - f->event[n].time);
    }
    while (i < e.n && fabs(e.line[i].time - f->end) <= t->time) // (the next one, by round-off)
        i++;
    if (i != e.n)
        fail_msg("%s: %d events too many, %s at %.15g", what, e.n - i, e.line[i].kind,
                 e.line[i].time);
    for (n = 0; n < 6 && f->column[n].name; n++)
        expect_text(&e.run, f->column[n].name, f->column[n].value, t->state);
    // the ledger: across an event to round-off, over the run to the tolerance
    if (!(e.step_up <= 1e-12 * e.energy))
        fail_msg("%s: ledger open at an event by %.2e of %.2e J", what, e.step_up, e.energy);
    if (!(e.numerical <= 30 * t->tolerance * e.energy))
        fail_msg("%s: ledger open by %.2e of %.2e J", what, e.numerical, e.energy);
    close_text(&e.run);
}

static void test_fine(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof loaded / sizeof *loaded; i++)
        for (size_t k = 0; k < sizeof fine / sizeof *fine; k++)
            check_reference(&loaded[i], &fine[k]);
}

static void test_coarse(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof loaded / sizeof *loaded; i++)
        for (size_t k = 0; k < sizeof coarse / sizeof *coarse; k++)
            check_reference(&loaded[i], &coarse[k]);
}

// (methods that take no forces from reactions)
static void test_plain(void **state) {
    (void)state;
    static const Trial trials[] = {{"radau", 1e-11, 1e-9, 1e-8}, {"radau", 1e-8, 3e-7, 3e-7}};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        for (size_t k = 0; k < sizeof trials / sizeof *trials; k++)
            check_reference(&plain[i], &trials[k]);
}

// impacts of the door: speeds, impulses about the hinge (0.7 m from the stop), losses; then it rests
static void test_door(void **state) {
    (void)state;
    static const double impacts[][4] = {
        {-5.44810276052053422, 3.26886165631232053, 5.31319735883145433, 4.05255832769760809},
        {-3.26886165631232053, 1.96131699378739232, 3.1879184152988726, 1.45892099797113891},
        {-1.96131699378739232, 1.17679019627243539, 1.91275104917932356, 0.525211559269610008},
        {-1.17679019627243539, 0.706074117763461235, 1.14765062950759414, 0.189076161337059603}};
    for (size_t k = 0; k < sizeof fine / sizeof *fine; k++) {
        EventRun e;
        event_run(&e, door,
                  (EventRunOptions){.method = fine[k].method,
                                    .tolerance = fine[k].tolerance,
                                    .end = 2,
                                    .output_step = 0.5});
        event_run_ok(&e, fine[k].method);
        for (int i = 0; i < 4; i++) {
            const HolEvent *l = &e.line[i];
            assert_true(fabs(l->speed_before - impacts[i][0]) <= fine[k].state);
            assert_true(fabs(l->speed_after - impacts[i][1]) <= fine[k].state);
            assert_true(fabs(l->impulse_n - 0.7 * impacts[i][2]) <= fine[k].state);
            assert_true(fabs(l->loss - impacts[i][3]) <= 10 * fine[k].state);
        }
        assert_string_equal(e.line[e.n - 1].kind, "rest");
        assert_true(fabs(e.line[e.n - 1].time - 1.84669362557910841) <= 1e-8);
        expect_text(&e.run, "rod.angle", 0.5, 1e-14);
        expect_text(&e.run, "O.stop", 0.7 * 5.37504518137969307, 1e-9);
        expect_text(&e.run, "energy.impact", 6.33212238702751264, 1e-8);
        assert_true(e.step_up <= 1e-12 * e.energy);
        close_text(&e.run);
    }
}

// rows and threads change no bit
static void test_same_bits(void **state) {
    (void)state;
    static const char *const texts[] = {slider_crank, BELT("{mu: 0.25, mu_static: 0.4}"), door};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t k = 0; k < sizeof coarse / sizeof *coarse; k++) {
            static const struct {
                double output_step;
                int threads;
            } with[] = {{1, 1}, {0.013, 1}, {0, 2}};
            double first[12] = {0};
            for (int n = 0; n < 3; n++) {
                EventRun e;
                event_run(&e, texts[i],
                          (EventRunOptions){.method = coarse[k].method,
                                            .tolerance = 1e-8,
                                            .end = 1,
                                            .output_step = with[n].output_step,
                                            .threads = with[n].threads});
                event_run_ok(&e, coarse[k].method);
                const HolView x = hol_sim_view(e.run.sim);
                if (n == 0)
                    memcpy(first, x.q, sizeof *first * (size_t)(x.nq < 12 ? x.nq : 12));
                else
                    assert_memory_equal(first, x.q,
                                        sizeof *first * (size_t)(x.nq < 12 ? x.nq : 12));
                close_text(&e.run);
            }
        }
}

// the order of every method is kept across a reversal that is no point of its grid
static double error_with(const char *method, double step) {
    EventRun e;
    event_run(&e, OSCILLATOR("{constant: 0.25*9.81}"),
              (EventRunOptions){.method = method, .step = step, .end = 0.5, .output_step = 0.5});
    event_run_ok(&e, method);
    const double error = fabs(text_value(&e.run, "b.x") - 0.031193344779614219);
    close_text(&e.run);
    return error;
}

static void test_orders(void **state) {
    (void)state;
    static const struct {
        const char *method;
        double order, step;
    } with[] = {{"newmark", 2, 1e-3},
                {"hht", 2, 1e-3},
                {"generalized-alpha", 2, 1e-3},
                {"dae-alpha", 2, 1e-3},
                {"tangent", 4, 1e-2},
                {"rk4", 4, 5e-3},
                {"rk3", 3, 5e-3},
                {"explicit3", 3, 2e-3},
                {"explicit4", 4, 5e-3},
                {"central-differences", 2, 1e-3},
                {"explicit5", 4, 1e-2},
                {"radau", 5, 5e-2},
                {"ab4", 4, 2e-3},
                {"ab5", 5, 2e-3},
                {"rk853", 8, 5e-2}};
    for (size_t i = 0; i < sizeof with / sizeof *with; i++) {
        const double coarse = error_with(with[i].method, with[i].step),
                     fine = error_with(with[i].method, with[i].step / 4);
        const double slope = log(coarse / fine) / log(4);
        if (!(slope > with[i].order - 0.2))
            fail_msg("%s: errors %.2e, %.2e: order %.2f across an event", with[i].method, coarse,
                     fine, slope);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fine),      cmocka_unit_test(test_coarse),
        cmocka_unit_test(test_plain),     cmocka_unit_test(test_door),
        cmocka_unit_test(test_same_bits), cmocka_unit_test(test_orders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
