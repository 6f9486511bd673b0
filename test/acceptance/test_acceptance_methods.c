// SPDX-License-Identifier: Apache-2.0
// What every registered method promises, on model files of all sorts (planar, spatial, redundant,
// singular, driven, non-holonomic, with variables):
//   no step allocates: malloc and its relatives are counted for the whole process, libraries
//   included (under the address sanitizer only the library's own arenas are);
//   two runs of the same model give the same bits.
#include "ref_compare.h"
#include "solve/auto/auto.h"
#include "solve/sim.h"

// ---- counting allocations ----

static long allocations;

#ifndef __SANITIZE_ADDRESS__
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t n, size_t size) {
    allocations++;
    return __libc_calloc(n, size);
}

void *realloc(void *old, size_t size) {
    allocations++;
    return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    allocations++;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size) {
    allocations++;
    *out = __libc_memalign(alignment, size);
    return *out ? 0 : 12;
}
#endif

static long counted(const HolSim *s) {
    return allocations + hol_arena_count() + (long)s->arena.total;
}

// ---- runs ----

typedef struct Subject {
    const char *model, *step, *end;
    double t;
} Subject;

static const Subject subjects[] = {
    {"pendulum.yaml", "step=0.002", "0.2", 0.2},
    {"double-pendulum.yaml", "step=0.001", "0.1", 0.1},
    {"andrews.yaml", "step=1e-6", "1e-4", 1e-4},
    {"four-bar.yaml", "step=0.005", "2", 2},
    {"bricard.yaml", "step=0.005", "0.3", 0.3},
    {"spinning-top.yaml", "step=0.001", "0.1", 0.1},
    {"slider-crank.yaml", "step=1e-4", "0.01", 0.01},
    {"rolling-wheel.yaml", "step=0.002", "0.2", 0.2},
    {"papers/double-pendulum-friction.yaml", "step=0.0005", "0.05", 0.05},
};
enum { N_SUBJECTS = sizeof subjects / sizeof *subjects };

// 1: created; 0: this method does not take this model and says so
static int open_run(const Subject *x, const char *method, const char *size, RefRun *r) {
    char path[1024], name[256];
    HolError err = {0};
    char step[32];
    snprintf(step, sizeof step, "%s", size);
    char *equal = strchr(step, '=');
    *equal = 0;
    HolSetting settings[] = {{"method", method}, {step, equal + 1}, {"end", x->end}};
    snprintf(name, sizeof name, "models/%s", x->model);
    ref_path(name, path, sizeof path);
    *r = (RefRun){0};
    if (hol_model_load(path, settings, 3, &r->model, &r->options, &err) != HOL_OK)
        fail_msg("%s", err.text);
    HolStatus status = hol_sim_create(r->model, &r->options, &r->sim, &err);
    if (status == HOL_OK)
        return 1;
    // (bdf chooses its steps itself)
    if ((status != HOL_ERR_UNSUPPORTED && strcmp(method, "bdf") != 0) || !err.text[0])
        fail_msg("%s with %s: %s", x->model, method, err.text);
    hol_model_destroy(r->model);
    return 0;
}

// state after the run, appended to out; allocations of the steps behind the first two
static long run_counted(const Subject *x, const char *method, const char *size, double *out,
                        HolStatus *status) {
    RefRun r;
    if (!open_run(x, method, size, &r)) {
        *status = HOL_ERR_UNSUPPORTED;
        return 0;
    }
    HolError err = {0};
    *status = HOL_OK;
    for (int k = 0; k < 2 && *status == HOL_OK; k++)
        *status = hol_sim_step(r.sim, x->t, &err);
    long before = counted(r.sim);
    if (*status == HOL_OK)
        *status = hol_sim_advance(r.sim, x->t, &err);
    // a pilot of `auto` is a run of its own
    long after = r.sim->choice && r.sim->choice->pilots ? before : counted(r.sim);
    HolView v = hol_sim_view(r.sim);
    memcpy(out, v.q, (size_t)v.nq * sizeof *out);
    memcpy(out + v.nq, v.v, (size_t)v.nv * sizeof *out);
    memcpy(out + v.nq + v.nv, v.lambda, (size_t)v.m * sizeof *out);
    out[v.nq + v.nv + v.m] = v.t;
    hol_sim_destroy(r.sim);
    hol_model_destroy(r.model);
    return after - before;
}

static void test_method(void **state) {
    const HolStepper *stepper = *state;
    enum { MOST = 400 };
    int ran = 0;
    for (int i = 0; i < N_SUBJECTS; i++)
        for (int adaptive = 0; adaptive <= stepper->adaptive; adaptive++) {
            double first[MOST] = {0}, second[MOST] = {0};
            HolStatus status;
            const char *size = adaptive ? "tolerance=1e-6" : subjects[i].step;
            long used = run_counted(&subjects[i], stepper->name, size, first, &status);
            if (status == HOL_ERR_UNSUPPORTED)
                continue;
            ran += status == HOL_OK;
            // IDA brings its own memory and sets vectors up as its order grows
            if (used && strcmp(stepper->name, "bdf") != 0)
                fail_msg("%s, %s, %s: %ld allocations in steps", stepper->name, subjects[i].model,
                         size, used);
            run_counted(&subjects[i], stepper->name, size, second, &status);
            assert_memory_equal(first, second, sizeof first);
        }
    // the model with friction is stiff: not every method gets through it with this step
    assert_true(ran >= N_SUBJECTS - 1);
}

// the counter counts
static void test_counter(void **state) {
    (void)state;
    RefRun r;
    long before = allocations + hol_arena_count();
    assert_true(open_run(&subjects[0], "tangent", "step=0.01", &r));
    assert_true(allocations + hol_arena_count() > before);
    double total = (double)r.sim->arena.total;
    hol_arena_alloc(&r.sim->arena, 8);
    assert_true((double)r.sim->arena.total > total);
    hol_sim_destroy(r.sim);
    hol_model_destroy(r.model);
}

int main(void) {
    struct CMUnitTest tests[64];
    size_t n = 0;
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(test_counter);
    for (const HolStepper *const *p = hol_steppers; *p && n < 64; p++)
        tests[n++] = (struct CMUnitTest){(*p)->name, test_method, NULL, NULL, (void *)*p};
    return _cmocka_run_group_tests("methods", tests, n, NULL, NULL);
}
