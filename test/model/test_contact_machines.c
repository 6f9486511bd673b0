// SPDX-License-Identifier: Apache-2.0
// Machines with many contact events against the listed events of the reference problems: the
// woodpecker toy (small angles), a slider-crank with play in a bearing.
#include "text_run.h"

#include <stdio.h>

enum { MOST = 64 };
typedef struct Events {
    HolEvent list[MOST];
    double values[MOST][4];
    const char *const *columns; // four, whose values are kept behind each event
    int n;
    TextRun *run;
} Events;

static HolStatus keep(void *user, HolSim *s, int what, double t, HolError *err) {
    Events *e = user;
    (void)t;
    (void)err;
    for (int i = 0; what == HOL_AT_EVENT && e->n < MOST && hol_sim_event(s, i, &e->list[e->n]);
         i++) {
        for (int k = 0; k < 4; k++)
            e->values[e->n][k] = text_value(e->run, e->columns[k]);
        e->n++;
    }
    return HOL_OK;
}

// events of models/NAME up to the time `end`
static void run_file(const char *name, const char *method, double tolerance, double end,
                     const char *const columns[4], Events *e) {
    TextRun r = {0};
    char path[200];
    snprintf(path, sizeof path, "models/%s", name);
    HolSimOptions o = hol_sim_options();
    if (hol_model_load(path, NULL, 0, &r.model, &o, &r.err) != HOL_OK)
        fail_msg("%s", r.err.text);
    snprintf(o.method.name, sizeof o.method.name, "%s", method);
    o.tolerance = tolerance;
    o.end = end;
    o.output_step = end;
    if (hol_sim_create(r.model, &o, &r.sim, &r.err) != HOL_OK)
        fail_msg("%s", r.err.text);
    *e = (Events){.columns = columns, .run = &r};
    if (hol_sim_run(r.sim, end, keep, e, &r.err) != HOL_OK)
        fail_msg("%s: %s", method, r.err.text);
    close_text(&r);
}

static const struct {
    const char *method;
    double tolerance, time, state;
} machines[] = {{"taylor", 1e-12, 1e-11, 1e-8},
                {"tangent", 1e-11, 1e-9, 1e-8},
                {"rk853", 1e-11, 1e-9, 1e-8},
                {"taylor", 1e-8, 3e-8, 3e-7}};
enum { MACHINES = sizeof machines / sizeof *machines };

typedef struct Line {
    double time;
    const char *name, *kind;
    double vy, sleeve, bird; // behind it: speed of the sleeve, both rates
} Line;

static void test_woodpecker(void **state) {
    (void)state;
    static const char *const columns[4] = {"sleeve.vy", "sleeve.omega", "bird.omega", "sleeve.y"};
    static const Line lines[] = {
        {0.019811178939636697, "nose", "impact", -0.09377519167868494, 22.878503279572215,
         -8.455588684110305},
        {0.02039070047798895, "top", "impact", 0.07225667474861379, 0, -6.246388756615176},
        {0.02039070047798895, "top", "slip", 0.07225667474861379, 0, -6.246388756615176},
        {0.022245391272, "top", "lift", 0.05302650577, 0, -6.240672359},
        {0.05753380196, "low", "impact", -0.2877100947, 0, -6.27071399},
        {0.060262535991, "low", "impact", -0.3137079239, 0, -6.274969895},
        {0.060262535991, "low", "slip", -0.3137079239, 0, -6.274969895},
        {0.10638265814, "low", "stick", 0, 0, -10.50379929},
        {0.1459760651437556, "low", "slip", 0, 0, 17.574666205576033},
        // the next cycle
        {0.0058207572348098775 + 0.1459760651437556, "low", "lift", -0.028593661700738286, 0,
         17.41731332857101},
        {0.01670982528064349 + 0.1459760651437556, "top", "impact", -0.12246689716092347, 0,
         16.70945211491617}};
    const int n = sizeof lines / sizeof *lines;
    for (int i = 0; i < MACHINES; i++) {
        Events e;
        run_file("woodpecker-small.yaml", machines[i].method, machines[i].tolerance, 0.164, columns,
                 &e);
        assert_int_equal(e.n, n);
        for (int k = 0; k < n; k++) {
            const Line *l = &lines[k];
            assert_string_equal(e.list[k].name, l->name);
            assert_string_equal(e.list[k].kind, l->kind);
            const double dt = e.list[k].time - l->time,
                         dv = fmax(fabs(e.values[k][0] - l->vy),
                                   fmax(fabs(e.values[k][1] - l->sleeve),
                                        fabs(e.values[k][2] - l->bird)));
            if (fabs(dt) > machines[i].time || dv > machines[i].state * (1 + fabs(l->bird)))
                fail_msg("%s: event %d off by %.2e s, %.2e", machines[i].method, k, dt, dv);
        }
        // what it falls in a period: both impacts of the sleeve's top
        assert_true(fabs(e.values[n - 1][3] + 0.0026160961361094415 + 0.019445379284718657) <
                    machines[i].state);
    }
}

static void test_clearance(void **state) {
    (void)state;
    static const char *const columns[4] = {"rod.angle", "slider.x", "rod.omega", "slider.vx"};
    static const double events[8][5] = {
        {0.0011364301602, -0.04933736927, 0.17, -42.9773817, 0},
        {0.002196276982, -0.09406224269, 0.168636331, -41.6078029, -2.46503531},
        {0.0036280639409, -0.1509402086, 0.1651069256, -37.5343905, -2.46503531},
        {0.0056868984616, -0.2365949227, 0.1585431401, -35.6255309, -4.59147075},
        {0.0071013248117, -0.2816201854, 0.1520488429, -27.8532526, -4.59147075},
        {0.0080523306195, -0.3126418741, 0.1476884306, -35.5813201, -4.60161424},
        {0.0082503813651, -0.3195650292, 0.1467770775, -34.3291736, -4.60161424},
        {0.0094272813349, -0.3535407725, 0.1405959278, -22.7034269, -5.98977397}};
    for (int i = 0; i < MACHINES; i++) {
        Events e;
        double impulse = 0;
        run_file("clearance.yaml", machines[i].method, machines[i].tolerance, 0.0095, columns, &e);
        assert_int_equal(e.n, 8);
        for (int k = 0; k < 8; k++) {
            assert_string_equal(e.list[k].name, "pin");
            assert_string_equal(e.list[k].kind, k % 2 ? "lift" : "touch");
            // (the reference holds to 2.4e-11 s, and what is told is the state just behind)
            const double limit = fmax(machines[i].time, 2e-10);
            if (fabs(e.list[k].time - events[k][0]) > limit)
                fail_msg("%s: event %d off by %.2e s", machines[i].method, k,
                         e.list[k].time - events[k][0]);
            for (int c = 0; c < 4; c++)
                if (!(fabs(e.values[k][c] - events[k][1 + c]) <=
                      (machines[i].tolerance < 1e-10 ? 2e-6 : 2e-4) * (1 + fabs(events[k][1 + c]))))
                    fail_msg("%s: event %d, %s %.12g", machines[i].method, k, columns[c],
                             e.values[k][c]);
            // the slider has a contact alone: its momentum is the impulse's part along x, which
            // is nearly all of it in the first contact
            impulse += k % 2 ? e.list[k].impulse_n : 0;
            assert_true(k % 2 == 0 ? e.list[k].loss == 0 : e.list[k].loss > 0);
        }
        assert_true(e.list[1].impulse_n >= 0.14 * 2.46503531 && impulse > 0.14 * 5.98977397);
        assert_true(fabs(e.list[1].impulse_n - 0.346444544013) < 1e-7);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_woodpecker),
        cmocka_unit_test(test_clearance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
