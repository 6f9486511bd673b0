// SPDX-License-Identifier: Apache-2.0
// A saved run goes on to the last bit: every method of the registry, fixed and error-controlled steps,
// over trees, loops, drives, redundant rows, rolling, kinks and algebraic variables. Restored into a
// fresh run, into one that has been elsewhere, and in another process.
#include "base/arena.h"
#include "run.h"
#include "solve/sim.h"

#include <stdlib.h>
#include <unistd.h>

// a law with kinks and a force from a reaction
static const char stick[] =
    "{holonom: 1, space: planar, gravity: [0, -9.81], ground: {points: {O: [0, 0]}},"
    " bodies: [{name: rod, mass: 1, inertia: 0.1, position: [0.5, 0], points: {top: [-0.5, 0]}},"
    "          {name: bob, mass: 2, inertia: 0.2, position: [1.5, 0], points: {a: [-0.5, 0]}}],"
    " joints: [{name: O, type: revolute, between: [ground.O, rod.top]},"
    "          {name: P, type: revolute, between: [{body: rod, at: [0.5, 0]}, bob.a]}],"
    " forces: [{type: torque, on: rod, value: '-0.5*abs(O.rate)*O.rate + max(0, O.angle)'},"
    "          {type: spring_damper, between: [ground.O, bob.a], stiffness: 30, damping: 1,"
    "           length: 1.2}],"
    " simulation: {end: 3, step: 0.01}}";
static const char border[] =
    "{holonom: 1, space: planar, gravity: [0, -9.81], ground: {points: {O: [0, 0]}},"
    " bodies: [{name: rod, mass: 1, inertia: 0.1, position: [0.5, 0], points: {top: [-0.5, 0]}}],"
    " joints: [{name: O, type: revolute, between: [ground.O, rod.top]}],"
    " variables: [{name: load, value: '0.1*sqrt(O.fx^2 + O.fy^2 + 1)'}],"
    " forces: [{type: torque, on: rod, value: '-load*O.rate/sqrt(O.rate^2 + 0.01)'}],"
    " simulation: {end: 2, step: 0.01}}";

static const struct {
    const char *name, *text; // a file of models/, or a text
    double end;
} models[] = {
    {"pendulum", NULL, 3},
    {"double-pendulum", NULL, 1},
    {"four-bar", NULL, 2},
    {"driven-pendulum", NULL, 9},
    {"bricard", NULL, 1},
    {"heavy-top", NULL, 0.05},
    {"rolling-disc", NULL, 0.6},
    {"slider-crank", NULL, 0.02},
    {"stiff-double-pendulum", NULL, 0.3},
    {"stick", stick, 2},
    {"border", border, 1},
};
enum { MODELS = sizeof models / sizeof *models, STEPS = 25 };

static HolModel *load(int i, HolSimOptions *o) {
    HolModel *m = NULL;
    HolError err;
    char path[256];
    snprintf(path, sizeof path, HOL_SOURCE_DIR "/models/%s.yaml", models[i].name);
    const HolStatus status = models[i].text
                                 ? hol_model_parse(models[i].text, strlen(models[i].text),
                                                   models[i].name, NULL, 0, &m, o, &err)
                                 : hol_model_load(path, NULL, 0, &m, o, &err);
    if (status != HOL_OK)
        fail_msg("%s: %s", models[i].name, err.text);
    o->end = models[i].end;
    return m;
}

// options of a run: fixed or error-controlled; 0: the method has no such mode
static int set_options(const HolStepper *stepper, int adaptive, HolSimOptions *o) {
    memset(&o->method, 0, sizeof o->method);
    o->method = hol_sim_options().method;
    snprintf(o->method.name, sizeof o->method.name, "%s", stepper->name);
    o->step = adaptive ? 0 : o->end / 200;
    o->tolerance = adaptive ? 1e-6 : 0;
    return adaptive ? stepper->adaptive != HOL_STEP_FIXED : stepper->adaptive != HOL_STEP_ADAPTIVE;
}

static HolSim *create(const HolModel *m, const HolSimOptions *o) {
    HolSim *s = NULL;
    HolError err;
    return hol_sim_create(m, o, &s, &err) == HOL_OK && hol_sim_step(s, o->end, &err) == HOL_OK
               ? s
               : (hol_sim_destroy(s), NULL);
}

static void *save(HolSim *s, size_t *size) {
    HolError err;
    if (hol_sim_save(s, NULL, 0, size, &err) != HOL_OK)
        fail_msg("%s", err.text);
    void *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(hol_sim_save(s, bytes, *size, size, &err), HOL_OK);
    return bytes;
}

// a number that differs when any bit of the run so far does: states, rows inside steps, counts
static uint64_t print_of(HolSim *s, const HolModel *m, double end, int steps) {
    static double row[2000];
    uint64_t print = HOL_KEEP_HASH_START;
    assert_true(hol_model_column_count(m) <= 2000);
    for (int i = 0; i < steps; i++) {
        const HolStatus status = hol_sim_step(s, end, NULL);
        const HolView x = hol_sim_view(s);
        print = hol_keep_hash(print, &status, sizeof status);
        print = hol_keep_hash(print, &x.t, sizeof x.t);
        print = hol_keep_hash(print, x.q, sizeof *x.q * (size_t)x.nq);
        print = hol_keep_hash(print, x.v, sizeof *x.v * (size_t)x.nv);
        print = hol_keep_hash(print, x.a, sizeof *x.a * (size_t)x.nv);
        print = hol_keep_hash(print, x.lambda, sizeof *x.lambda * (size_t)x.m);
        if (i % 3 == 1 && hol_sim_row(s, x.t - 0.3 * x.h, row, NULL) == HOL_OK)
            print = hol_keep_hash(print, row, sizeof *row * (size_t)hol_model_column_count(m));
    }
    const HolStats stats = hol_sim_stats(s);
    const long counts[] = {stats.steps,     stats.rejected,       stats.newton_iterations,
                           stats.jacobians, stats.factorizations, stats.force_evaluations};
    print = hol_keep_hash(print, counts, sizeof counts);
    return hol_keep_hash(print, &stats.energy_max_drift, sizeof stats.energy_max_drift);
}

// positions inside the last step: dense output is part of the run
static void inside(HolSim *s, double q[64]) {
    const HolView x = hol_sim_view(s);
    assert_true(x.nq <= 64);
    hol_sim_interpolate(s, x.t - 0.4 * x.h, q, NULL, NULL, NULL, NULL);
}

static int goes_on(const HolModel *m, const HolSimOptions *o, const char *what) {
    HolError err;
    HolSim *run = create(m, o);
    if (!run)
        return 0;
    size_t size;
    print_of(run, m, o->end, 7);
    void *bytes = save(run, &size);
    // a fresh run; one that has been elsewhere; a copy
    HolSim *others[3] = {NULL, create(m, o), NULL};
    assert_int_equal(hol_sim_create(m, o, &others[0], &err), HOL_OK);
    print_of(others[1], m, o->end, 17);
    if (hol_sim_copy(run, &others[2], &err) != HOL_OK)
        fail_msg("%s: %s", what, err.text);
    for (int i = 0; i < 2; i++)
        if (hol_sim_restore(others[i], bytes, size, &err) != HOL_OK)
            fail_msg("%s: %s", what, err.text);
    double q[4][64] = {{0}};
    inside(run, q[0]);
    for (int i = 0; i < 3; i++) {
        inside(others[i], q[i + 1]);
        assert_memory_equal(q[0], q[i + 1], sizeof q[0]);
    }
    const uint64_t expected = print_of(run, m, o->end, STEPS);
    for (int i = 0; i < 3; i++) {
        if (print_of(others[i], m, o->end, STEPS) != expected)
            fail_msg("%s: the restored run %d is another", what, i);
        hol_sim_destroy(others[i]);
    }
    free(bytes);
    hol_sim_destroy(run);
    return 1;
}

static void every_method_goes_on(void **state) {
    (void)state;
    int done[64] = {0}, bad = 0;
    for (int i = 0; i < MODELS; i++) {
        HolSimOptions o;
        HolModel *m = load(i, &o);
        for (int k = 0; hol_steppers[k]; k++)
            for (int adaptive = 0; adaptive < 2; adaptive++) {
                char what[128];
                snprintf(what, sizeof what, "%s, %s, %s", models[i].name, hol_steppers[k]->name,
                         adaptive ? "error control" : "fixed step");
                if (set_options(hol_steppers[k], adaptive, &o))
                    done[k] += goes_on(m, &o, what);
            }
        hol_model_destroy(m);
    }
    for (int k = 0; hol_steppers[k]; k++)
        if (done[k] < 6) {
            print_error("%s: %d runs only\n", hol_steppers[k]->name, done[k]);
            bad++;
        }
    assert_int_equal(bad, 0);
}

// ---- machines: friction, stops, contacts, events, states, beams ----

typedef struct Told { // rows and events of hol_sim_run
    uint64_t print;
    const HolModel *m;
    int events, rows;
} Told;

static HolStatus tell(void *user, HolSim *s, int what, double t, HolError *err) {
    static double row[2000];
    Told *told = user;
    HolEvent event;
    if (what == HOL_AT_ROW) {
        const HolStatus status = hol_sim_row(s, t, row, err);
        if (status != HOL_OK)
            return status;
        told->print =
            hol_keep_hash(told->print, row, sizeof *row * (size_t)hol_model_column_count(told->m));
        told->rows++;
    }
    for (int i = 0; what == HOL_AT_EVENT && hol_sim_event(s, i, &event); i++, told->events++) {
        told->print = hol_keep_hash(told->print, &event.time, sizeof event.time);
        told->print = hol_keep_hash(told->print, event.name, strlen(event.name));
        told->print = hol_keep_hash(told->print, &event.impulse_n, sizeof event.impulse_n);
    }
    return HOL_OK;
}

static Told told_from(HolSim *s, const HolModel *m, double end) {
    Told told = {.print = HOL_KEEP_HASH_START, .m = m};
    const HolStatus status = hol_sim_run(s, end, tell, &told, NULL);
    told.print = hol_keep_hash(told.print, &status, sizeof status);
    const HolStats stats = hol_sim_stats(s);
    const long counts[] = {stats.steps, stats.rejected, stats.force_evaluations, stats.events};
    told.print = hol_keep_hash(told.print, counts, sizeof counts);
    return told;
}

// saved at `part` of the run; how many events came behind, -1: the method does not take the model
static int machine_goes_on(const HolModel *m, const HolSimOptions *o, double part,
                           const char *what) {
    HolError err;
    HolSim *run = NULL, *fresh = NULL, *copy = NULL;
    size_t size;
    if (hol_sim_create(m, o, &run, &err) != HOL_OK ||
        hol_sim_run(run, part * o->end, NULL, NULL, &err) != HOL_OK) {
        hol_sim_destroy(run);
        return -1;
    }
    void *bytes = save(run, &size);
    assert_int_equal(hol_sim_create(m, o, &fresh, &err), HOL_OK);
    if (hol_sim_restore(fresh, bytes, size, &err) != HOL_OK ||
        hol_sim_copy(run, &copy, &err) != HOL_OK)
        fail_msg("%s: %s", what, err.text);
    const Told a = told_from(run, m, o->end), b = told_from(fresh, m, o->end),
               c = told_from(copy, m, o->end);
    if (a.print != b.print || a.print != c.print)
        fail_msg("%s: the restored run is another (%d, %d rows, %d, %d events)", what, a.rows,
                 b.rows, a.events, b.events);
    free(bytes);
    hol_sim_destroy(run);
    hol_sim_destroy(fresh);
    hol_sim_destroy(copy);
    return a.events;
}

static void machines_go_on(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double end, step;
        int runs, events; // at least: methods that take it, events behind what was saved
    } machines[] = {
        {"bouncing-ball", 2.2, 0.002, 30, 50},  {"friction-hinge", 1.5, 0.002, 25, 10},
        {"door-stop", 0.6, 0.001, 30, 10},      {"rocking-block", 0.8, 0.002, 25, 20},
        {"newtons-cradle", 0.5, 0.002, 30, 50}, {"clearance", 0.003, 5e-5, 25, 0},
        {"pid-cart", 0.4, 0.002, 30, 0},        {"dc-motor", 0.05, 0.0005, 30, 0},
        {"beam-pendulum", 2e-4, 1e-5, 20, 0},   {"cam-jump", 0.1, 2e-4, 30, 25},
        {"skate", 0.2, 0.005, 25, 0},
    };
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        char path[256], what[128];
        HolSimOptions o;
        HolModel *m = NULL;
        HolError err;
        int runs = 0, events = 0;
        snprintf(path, sizeof path, HOL_SOURCE_DIR "/models/%s.yaml", machines[i].name);
        if (hol_model_load(path, NULL, 0, &m, &o, &err) != HOL_OK)
            fail_msg("%s", err.text);
        o.end = machines[i].end;
        o.output_step = o.end / 20;
        for (int k = 0; hol_steppers[k]; k++)
            for (int adaptive = 0; adaptive < 2; adaptive++) {
                snprintf(what, sizeof what, "%s, %s, %s", machines[i].name, hol_steppers[k]->name,
                         adaptive ? "error control" : "fixed step");
                if (!set_options(hol_steppers[k], adaptive, &o))
                    continue;
                o.step = adaptive ? 0 : machines[i].step;
                o.tolerance = 1e-4;
                const int n = machine_goes_on(m, &o, (k + adaptive) % 2 ? 0.43 : 0.71, what);
                runs += n >= 0;
                events += n > 0 ? n : 0;
            }
        if (runs < machines[i].runs || events < machines[i].events)
            fail_msg("%s: %d runs, %d events only", machines[i].name, runs, events);
        hol_model_destroy(m);
    }
}

// A brake that comes to have too much friction, and jams: the end of a step stands at an event whose
// transition is still due. The run is saved behind every step.
static void events_that_are_due_go_on(void **state) {
    (void)state;
    static const char brake[] =
        "{holonom: 1, space: planar, bodies: [{name: drum, mass: 5, inertia: 20, omega: 300},"
        "  {name: cart, mass: 1, inertia: 1, position: [-0.25, 0.45], velocity: [1, 0]},"
        "  {name: lever, mass: 1, inertia: 0.03, position: [0, 0.15], velocity: [1, 0],"
        "   points: {pivot: [-0.25, 0.3], grip: [0.25, 0]}}],"
        " joints: [{name: axle, type: revolute, between: [ground, drum]},"
        "  {name: rail, type: prismatic, between: [{body: ground, at: [-0.25, 0.45],"
        "   axis: [1, 0]}, cart]}, {name: pivot, type: revolute, between: [cart, lever.pivot]}],"
        " contacts: [{name: shoe, between: [{body: lever, line: {normal: [0, -1]}},"
        "  {body: drum, circle: {radius: 0.15}}], stiffness: rigid, friction: {mu: 0.4}}],"
        " forces: [{type: force, acts_on: lever.grip, value: [0, -50]}],"
        " motions: [{name: push, joint: rail, value: time}],"
        " simulation: {end: 0.15, tolerance: 1e-8, painleve: jam}}";
    static const char *const methods[] = {"taylor", "tangent", "rk853"};
    for (int k = 0; k < 3; k++) {
        HolSimOptions o;
        HolModel *m = NULL;
        HolSim *run = NULL;
        HolError err;
        int due = 0;
        assert_int_equal(hol_model_parse(brake, strlen(brake), "brake", NULL, 0, &m, &o, &err),
                         HOL_OK);
        snprintf(o.method.name, sizeof o.method.name, "%s", methods[k]);
        assert_int_equal(hol_sim_create(m, &o, &run, &err), HOL_OK);
        while (hol_sim_step(run, o.end, &err) == HOL_OK && hol_sim_time(run) < o.end) {
            HolSim *other = NULL, *copy = NULL;
            size_t size;
            void *bytes = save(run, &size);
            assert_int_equal(hol_sim_create(m, &o, &other, &err), HOL_OK);
            assert_int_equal(hol_sim_restore(other, bytes, size, &err), HOL_OK);
            assert_int_equal(hol_sim_copy(run, &copy, &err), HOL_OK);
            const double loss = hol_sim_stats(copy).impact_loss;
            const uint64_t print = print_of(copy, m, o.end, 2);
            if (print_of(other, m, o.end, 2) != print)
                fail_msg("%s: another run behind %.9g s", methods[k], hol_sim_time(run));
            due += hol_sim_stats(copy).impact_loss > loss;
            assert_int_equal(hol_sim_restore(copy, bytes, size, &err), HOL_OK);
            if (print_of(copy, m, o.end, 2) != print || print_of(run, m, o.end, 2) != print)
                fail_msg("%s: the copy is another behind %.9g s", methods[k], hol_sim_time(run));
            assert_int_equal(hol_sim_restore(run, bytes, size, &err), HOL_OK);
            free(bytes);
            hol_sim_destroy(other);
            hol_sim_destroy(copy);
        }
        assert_true(due > 0 && hol_sim_time(run) == o.end);
        hol_sim_destroy(run);
        hol_model_destroy(m);
    }
}

// ---- another process ----

static HolSim *begun(int model, const char *method, int adaptive, HolModel **m, HolSimOptions *o) {
    *m = load(model, o);
    for (int k = 0; hol_steppers[k]; k++)
        if (!strcmp(hol_steppers[k]->name, method))
            assert_true(set_options(hol_steppers[k], adaptive, o));
    HolSim *s = NULL;
    assert_int_equal(hol_sim_create(*m, o, &s, NULL), HOL_OK);
    return s;
}

// argv: --restore FILE MODEL METHOD ADAPTIVE: the print of the run that goes on
static int child(char **argv) {
    HolModel *m;
    HolSimOptions o;
    HolSim *s = begun(atoi(argv[3]), argv[4], atoi(argv[5]), &m, &o);
    FILE *f = fopen(argv[2], "rb");
    static char bytes[1 << 22];
    const size_t size = f ? fread(bytes, 1, sizeof bytes, f) : 0;
    HolError err;
    if (!f || hol_sim_restore(s, bytes, size, &err) != HOL_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    printf("%016llx\n", (unsigned long long)print_of(s, m, o.end, STEPS));
    hol_sim_destroy(s);
    hol_model_destroy(m);
    fclose(f);
    return 0;
}

static void another_process(void **state) {
    (void)state;
    static const struct {
        int model;
        const char *method;
        int adaptive;
    } cases[] = {{2, "tangent", 1}, {4, "hht", 1}, {0, "taylor", 1}, {5, "auto", 1},
                 {8, "radau", 1},   {3, "bdf", 1}, {9, "rk853", 1},  {10, "dae-alpha", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        HolModel *m;
        HolSimOptions o;
        HolSim *s = begun(cases[i].model, cases[i].method, cases[i].adaptive, &m, &o);
        char path[] = "/tmp/test_save_XXXXXX", command[512], line[32] = "", own[32];
        size_t size;
        for (int k = 0; k < 9; k++)
            assert_int_equal(hol_sim_step(s, o.end, NULL), HOL_OK);
        void *bytes = save(s, &size);
        const int file = mkstemp(path);
        assert_true(write(file, bytes, size) == (ssize_t)size);
        close(file);
        char self[256];
        const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
        assert_true(n > 0);
        self[n] = 0;
        snprintf(command, sizeof command, "'%s' --restore %s %d %s %d", self, path, cases[i].model,
                 cases[i].method, cases[i].adaptive);
        FILE *f = popen(command, "r");
        assert_non_null(f);
        assert_non_null(fgets(line, sizeof line, f));
        assert_int_equal(pclose(f), 0);
        unlink(path);
        snprintf(own, sizeof own, "%016llx\n", (unsigned long long)print_of(s, m, o.end, STEPS));
        assert_string_equal(line, own);
        free(bytes);
        hol_sim_destroy(s);
        hol_model_destroy(m);
    }
}

// ---- what is refused ----

static void refused(HolSim *s, const void *bytes, size_t size, const char *text) {
    HolError err;
    const double t = hol_sim_time(s);
    assert_int_equal(hol_sim_restore(s, bytes, size, &err), HOL_ERR_INPUT);
    if (!strstr(err.text, text))
        fail_msg("'%s' lacks '%s'", err.text, text);
    assert_true(hol_sim_time(s) == t); // as it was
}

static void strange_bytes_are_refused(void **state) {
    (void)state;
    HolModel *m[3];
    HolSimOptions o[3];
    HolSim *s = begun(2, "tangent", 1, &m[0], &o[0]), *other = begun(0, "tangent", 1, &m[1], &o[1]),
           *method = begun(2, "hht", 1, &m[2], &o[2]);
    HolError err;
    size_t size, small = 0;
    assert_int_equal(hol_sim_step(s, 1, NULL), HOL_OK);
    unsigned char *bytes = save(s, &size);
    refused(s, bytes, 10, "not a saved run");
    refused(s, NULL, 0, "not a saved run");
    refused(s, bytes, size - 1, "damaged");
    bytes[size / 2] ^= 1;
    refused(s, bytes, size, "damaged");
    bytes[size / 2] ^= 1;
    bytes[12] = 9; // the version
    refused(s, bytes, size, "format 9");
    bytes[12] = 1;
    refused(other, bytes, size, "does not fit");
    refused(method, bytes, size, "method tangent");
    assert_int_equal(hol_sim_save(s, bytes, 7, &small, &err), HOL_ERR_INPUT);
    assert_true(small == size);
    // a parameter of the same model
    HolModel *longer = NULL;
    HolSimOptions ignored;
    const HolSetting setting = {"gravity", "[0, -1.6]"};
    assert_int_equal(hol_model_load(HOL_SOURCE_DIR "/models/four-bar.yaml", &setting, 1, &longer,
                                    &ignored, &err),
                     HOL_OK);
    HolSim *moon = NULL;
    assert_int_equal(hol_sim_create(longer, &o[0], &moon, &err), HOL_OK);
    refused(moon, bytes, size, "another model");
    assert_int_equal(hol_sim_restore(s, bytes, size, &err), HOL_OK);
    free(bytes);
    hol_sim_destroy(moon);
    hol_model_destroy(longer);
    hol_sim_destroy(s);
    hol_sim_destroy(other);
    hol_sim_destroy(method);
    for (int i = 0; i < 3; i++)
        hol_model_destroy(m[i]);
}

// bdf is computed again: what a run did not do itself is noticed
static void another_history_is_noticed(void **state) {
    (void)state;
    HolModel *m;
    HolSimOptions o;
    HolError err;
    size_t size;
    HolSim *s = begun(2, "bdf", 1, &m, &o), *other = NULL;
    if (hol_sim_step(s, o.end, &err) == HOL_ERR_UNSUPPORTED)
        skip(); // (built without SUNDIALS)
    for (int i = 0; i < 30; i++)
        hol_sim_step(s, o.end, NULL);
    unsigned char *bytes = save(s, &size);
    // the time that the steps were asked for, in the last 16 bytes of its record
    double target = 0;
    size_t at = 0;
    for (size_t i = 0; i + sizeof target <= size && !at; i++) {
        memcpy(&target, bytes + i, sizeof target);
        int64_t count = 0;
        if (target == o.end && i + 16 <= size)
            memcpy(&count, bytes + i + 8, sizeof count);
        at = count == 31 ? i + 8 : 0;
    }
    assert_true(at > 0);
    const int64_t fewer = 30;
    memcpy(bytes + at, &fewer, sizeof fewer);
    const uint64_t sum = hol_keep_sum(bytes, size - 8);
    memcpy(bytes + size - 8, &sum, sizeof sum);
    assert_int_equal(hol_sim_create(m, &o, &other, &err), HOL_OK);
    assert_int_equal(hol_sim_restore(other, bytes, size, &err), HOL_ERR_INPUT);
    assert_non_null(strstr(err.text, "computed again"));
    free(bytes);
    hol_sim_destroy(s);
    hol_sim_destroy(other);
    hol_model_destroy(m);
}

// ---- another state ----

static void a_state_is_set(void **state) {
    (void)state;
    HolModel *m;
    HolSimOptions o;
    HolError err;
    static const char *const methods[] = {"tangent", "taylor", "hht", "radau", "auto"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        HolSim *s = begun(0, methods[i], 1, &m, &o);
        assert_int_equal(hol_sim_advance(s, 1, &err), HOL_OK);
        const HolView x = hol_sim_view(s);
        double q[8], v[8], expected[8];
        memcpy(q, x.q, sizeof *q * (size_t)x.nq);
        memcpy(v, x.v, sizeof *v * (size_t)x.nv);
        assert_int_equal(hol_sim_advance(s, 2, &err), HOL_OK);
        memcpy(expected, hol_sim_view(s).q, sizeof *q * (size_t)x.nq);
        assert_int_equal(hol_sim_set_state(s, 1, q, v, &err), HOL_OK);
        assert_true(hol_sim_time(s) == 1);
        assert_int_equal(hol_sim_advance(s, 2, &err), HOL_OK);
        for (int k = 0; k < x.nq; k++)
            close_to(hol_sim_view(s).q[k], expected[k], 2e-4);
        // a state off the constraints is put onto them, one that is no number refused
        q[0] += 1e-3;
        assert_int_equal(hol_sim_set_state(s, 1, q, v, &err), HOL_OK);
        assert_true(hol_sim_stats(s).residual_position < 1e-9);
        q[0] = NAN;
        assert_int_equal(hol_sim_set_state(s, 1, q, v, &err), HOL_ERR_INPUT);
        hol_sim_destroy(s);
        hol_model_destroy(m);
    }
}

// ---- rows ----

typedef struct Rows {
    double t[128];
    int n;
} Rows;

static HolStatus count_row(void *user, HolSim *s, int what, double t, HolError *err) {
    Rows *r = user;
    (void)s;
    (void)err;
    if (what == HOL_AT_ROW)
        r->t[r->n++] = t;
    return HOL_OK;
}

// a run in two parts, the second one restored, has the rows of the whole
static void rows_go_on(void **state) {
    (void)state;
    HolModel *m;
    HolSimOptions o;
    Rows whole = {.n = 0}, parts = {.n = 0};
    size_t size;
    HolSim *s = begun(2, "tangent", 1, &m, &o), *next = NULL;
    hol_sim_destroy(s);
    o.output_step = 0.05;
    assert_int_equal(hol_sim_create(m, &o, &s, NULL), HOL_OK);
    assert_int_equal(hol_sim_create(m, &o, &next, NULL), HOL_OK);
    assert_int_equal(hol_sim_run(s, 1.23, count_row, &parts, NULL), HOL_OK);
    void *bytes = save(s, &size);
    assert_int_equal(hol_sim_restore(next, bytes, size, NULL), HOL_OK);
    assert_int_equal(hol_sim_run(next, 2, count_row, &parts, NULL), HOL_OK);
    assert_int_equal(hol_sim_set_state(s, 0, NULL, NULL, NULL), HOL_OK);
    assert_int_equal(hol_sim_run(s, 2, count_row, &whole, NULL), HOL_OK);
    assert_int_equal(whole.n, 41);
    assert_int_equal(parts.n, 42); // and the end of the first part
    for (int i = 0; i < whole.n; i++)
        close_to(parts.t[i < 25 ? i : i + 1], whole.t[i], 1e-12);
    free(bytes);
    hol_sim_destroy(s);
    hol_sim_destroy(next);
    hol_model_destroy(m);
}

int main(int argc, char **argv) {
    if (argc == 6 && !strcmp(argv[1], "--restore"))
        return child(argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_method_goes_on),
                                       cmocka_unit_test(machines_go_on),
                                       cmocka_unit_test(events_that_are_due_go_on),
                                       cmocka_unit_test(another_process),
                                       cmocka_unit_test(strange_bytes_are_refused),
                                       cmocka_unit_test(another_history_is_noticed),
                                       cmocka_unit_test(a_state_is_set),
                                       cmocka_unit_test(rows_go_on)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
