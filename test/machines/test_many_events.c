// SPDX-License-Identifier: Apache-2.0
// 100,000 impacts of an elastic ball, and as many of a sampled switch: the memory of the run does not grow
// (a run keeps the events of one time only), and impact k is still at (2 k - 1) sqrt(2 h/g).
#include "text_run.h"

#include <unistd.h>

enum { MANY = 100000 };
static const double HEIGHT = 1e-3, GRAVITY = 9.81;

typedef struct Count {
    long impacts, others, early, late; // early, late: resident pages after a tenth, and at the end
    double last;                       // time of the last impact
    int failed;
} Count;

static long resident_pages(void) {
    long size = 0, resident = -1;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%ld %ld", &size, &resident) != 2)
        resident = -1;
    if (f)
        fclose(f);
    return resident;
}

static HolStatus count_events(void *user, HolSim *s, int what, double t, HolError *err) {
    Count *c = user;
    HolEvent line;
    (void)t;
    (void)err;
    for (int i = 0; what == HOL_AT_EVENT && hol_sim_event(s, i, &line); i++) {
        if (strcmp(line.kind, "impact") != 0) {
            c->others++;
            continue;
        }
        c->last = line.time;
        c->impacts++;
    }
    const long n = c->impacts + c->others;
    if (what == HOL_AT_EVENT && n == MANY / 10)
        c->early = resident_pages();
    return HOL_OK;
}

static Count run_many(const char *text, const char *method, double end) {
    TextRun r = {.model = parse_model(text)};
    HolSimOptions o = hol_sim_options();
    Count c = {0};
    snprintf(o.method.name, sizeof o.method.name, "%s", method);
    o.tolerance = 1e-9;
    o.end = end;
    o.output_step = end;
    o.max_events = 2 * MANY;
    if (hol_sim_create(r.model, &o, &r.sim, &r.err) != HOL_OK ||
        hol_sim_run(r.sim, end, count_events, &c, &r.err) != HOL_OK)
        fail_msg("%s: %s", method, r.err.text);
    c.late = resident_pages();
    close_text(&r);
    return c;
}

static void require_no_growth(const Count *c, const char *method) {
    const long page = sysconf(_SC_PAGESIZE);
    if (c->early > 0 && (c->late - c->early) * page > 64 * 1024)
        fail_msg("%s: %ld kB more at the end than after %d events", method,
                 (c->late - c->early) * page / 1024, MANY / 10);
}

static void test_impacts(void **state) {
    (void)state;
    static const char *const methods[] = {"taylor", "rk853"};
    const double half = sqrt(2 * HEIGHT / GRAVITY);
    char text[600];
    snprintf(text, sizeof text,
             "holonom: 1\nname: ball\nspace: planar\ngravity: [0, %.17g]\nbodies:\n"
             "  - {name: ball, mass: 1, inertia: 1, position: [0, %.17g]}\ncontacts:\n"
             "  - {name: floor, between: [{body: ground, line: {normal: [0, 1]}}, "
             "{body: ball, circle: {radius: 0.1}}], stiffness: rigid, restitution: 1}\n",
             -GRAVITY, HEIGHT + 0.1);
    for (int m = 0; m < 2; m++) {
        const Count c = run_many(text, methods[m], 2 * half * MANY);
        assert_int_equal(c.impacts, MANY);
        if (!(fabs(c.last / ((2.0 * MANY - 1) * half) - 1) <= 3e-8))
            fail_msg("%s: the last impact at %.15g, not %.15g", methods[m], c.last,
                     (2.0 * MANY - 1) * half);
        require_no_growth(&c, methods[m]);
    }
}

static void test_samples(void **state) {
    (void)state;
    static const char text[] =
        "holonom: 1\nname: sampled\nspace: planar\ndiscrete: {u: 0}\nbodies:\n"
        "  - {name: b, mass: 1, inertia: 1, position: [1, 0]}\njoints:\n"
        "  - {name: rail, type: prismatic, between: [ground, b], axis: [1, 0]}\nforces:\n"
        "  - {name: push, type: force, acts_on: b, value: [u, 0]}\nevents:\n"
        "  - {name: tick, every: 0.001, set: {u: \"-b.x - 0.1*b.vx\"}}\n";
    const Count c = run_many(text, "taylor", 0.001 * MANY);
    assert_true(c.others >= MANY);
    require_no_growth(&c, "taylor");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_impacts),
                                       cmocka_unit_test(test_samples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
