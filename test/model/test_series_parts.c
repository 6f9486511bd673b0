// SPDX-License-Identifier: Apache-2.0
// The series of large mechanisms are evaluated in two parts that threads may share: no body gets
// moments from the joints of both parts, few joints lie between, whatever the order in which bodies
// and joints are written; one thread and two give the same bits; the motion keeps its energy.
#include "base/float_mode.h"
#include "base/thread_pool.h"
#include "model/batch/batch.h"
#include "solve/sim.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BODIES = 1201, LINE = 160 };

// a chain of rods that begin with different velocities; its i-th line tells of rod (i step) mod
// BODIES
static HolModel *chain(int space, int step) {
    char *text = malloc((size_t)LINE * (2 * BODIES + 4)), *at = text;
    HolSimOptions o;
    HolError err = {0};
    HolModel *m = NULL;
    assert_non_null(text);
    at += sprintf(at, "holonom: 1\nspace: %s\ngravity: [0, %s]\nbodies:\n",
                  space ? "spatial" : "planar", space ? "0, -9.81" : "-9.81");
    for (int i = 0; i < BODIES; i++) {
        int rod = (int)((long)i * step % BODIES);
        at += sprintf(
            at, "- {name: r%d, mass: 1, inertia: %s, position: [%g, 0%s], velocity: [0, %s%d]}\n",
            rod, space ? "[0.01, 0.09, 0.08]" : "0.08", rod + 0.5, space ? ", 0" : "",
            space ? "0, " : "", rod % 3);
    }
    at += sprintf(at, "joints:\n");
    for (int i = 0; i < BODIES; i++) {
        int rod = (int)((long)i * step % BODIES);
        char before[16] = "ground";
        if (rod > 0)
            sprintf(before, "r%d", rod - 1);
        at += sprintf(at, "- {name: j%d, type: revolute, bodies: [%s, r%d], at: [%d, 0%s]%s}\n",
                      rod, before, rod, rod, space ? ", 0" : "",
                      !space    ? ""
                      : rod % 2 ? ", axis: [0, 1, 1]"
                                : ", axis: [0, 1, 0]");
    }
    if (hol_model_parse(text, strlen(text), "chain", NULL, 0, &m, &o, &err) != HOL_OK)
        fail_msg("%s", err.text);
    free(text);
    return m;
}

static double energy_of(const HolSim *s) {
    double kinetic, potential, power;
    hol_model_energy(
        s->p, s->work,
        &(HolPoint){.t = s->x.t, .q = s->x.q, .v = s->x.v, .lambda = s->x.lambda, .w = s->x.w},
        &kinetic, &potential, &power);
    return kinetic + potential;
}

// energy at the start and at the end
static HolSim *run(HolModel *m, const char *method, int threads, double energy[2]) {
    HolSimOptions o = hol_sim_options();
    HolError err = {0};
    HolSim *s = NULL;
    snprintf(o.method.name, sizeof o.method.name, "%s", method);
    o.step = 0.00005;
    o.threads = threads;
    o.end = 0.0003;
    if (hol_sim_create(m, &o, &s, &err) != HOL_OK || hol_sim_assemble(s, &err) != HOL_OK)
        fail_msg("%s", err.text);
    energy[0] = energy_of(s);
    const unsigned mode = hol_float_mode();
    if (hol_sim_advance(s, o.end, &err) != HOL_OK)
        fail_msg("%s", err.text);
    assert_int_equal(hol_float_mode() & HOL_NO_DENORMALS, mode & HOL_NO_DENORMALS); // put back
    energy[1] = energy_of(s);
    return s;
}

// which parts touch each place of the moments; the joints of both parts, and those between
static void check_parts(const HolModel *m, int most_between) {
    int series = (m->space == HOL_PLANAR ? HOL_SERIES_PLANE : HOL_SERIES_SPACE) - HOL_LEADING;
    size_t places = (size_t)(m->batch.n_groups * series * HOL_LANES);
    unsigned char *touched = calloc(places, 1);
    int joints[HOL_JET_PARTS + 1] = {0};
    assert_non_null(touched);
    assert_int_equal(m->batch.parts, HOL_JET_PARTS);
    for (int b = 0; b < m->batch.n_lists; b++)
        for (int part = 0; part <= HOL_JET_PARTS; part++) {
            const HolBatchList *list = &m->batch.lists[b];
            joints[part] += list->count[part];
            for (int c = list->part[part]; part < HOL_JET_PARTS && c < list->part[part + 1]; c++)
                for (int l = 0; l < 2 * HOL_LANES; l++)
                    touched[list->frame[c][l / HOL_LANES][l % HOL_LANES]] |=
                        (unsigned char)(1 << part);
        }
    for (size_t i = 0; i < places; i++)
        assert_true(touched[i] != 3);
    assert_true(joints[0] > BODIES / 3 && joints[1] > BODIES / 3);
    assert_true(joints[HOL_JET_PARTS] > 0 && joints[HOL_JET_PARTS] <= most_between);
    free(touched);
}

// the same bits from one thread and from two; `kept`: change of the energy, relative
static void check_bits(HolModel *m, const char *method, double kept) {
    double one[2], two[2];
    HolSim *a = run(m, method, 1, one), *b = run(m, method, 2, two);
    assert_true(!a->pool && b->pool);
    assert_memory_equal(a->x.q, b->x.q, sizeof(double) * (size_t)a->p->nq);
    assert_memory_equal(a->x.v, b->x.v, sizeof(double) * (size_t)a->p->nv);
    assert_memory_equal(a->x.lambda, b->x.lambda, sizeof(double) * (size_t)a->m);
    assert_memory_equal(one, two, sizeof one);
    assert_true(one[0] > 100);
    if (!(fabs(one[1] - one[0]) < kept * one[0]))
        fail_msg("%s: energy %.17g at the start, %g more at the end", method, one[0],
                 one[1] - one[0]);
    hol_sim_destroy(a);
    hol_sim_destroy(b);
}

static void check_chain(int space, int step) {
    HolModel *m = chain(space, step);
    check_parts(m, space ? 3 : 1); // the rows of one joint
    check_bits(m, "taylor", 1e-9); // joint coordinates
    m->extras.tree_series = NULL;
    check_bits(m, "taylor", 1e-10);
    check_bits(m, "tangent", 1e-6); // falls by 16 with half the step
    check_bits(m, "newmark", 1e-2);
    hol_model_destroy(m);
}

static void test_plane(void **state) {
    (void)state;
    check_chain(0, 1);
    check_chain(0, 500);
}

static void test_space(void **state) {
    (void)state;
    check_chain(1, 1);
    check_chain(1, 500);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plane), cmocka_unit_test(test_space)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
