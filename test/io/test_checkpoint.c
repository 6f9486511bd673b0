// SPDX-License-Identifier: Apache-2.0
// A run that ends in the middle and is resumed gives the bytes of one that nobody disturbed: every
// method of the registry with fixed and controlled steps, events, CSV and HDF5; stored at every stage
// of its end; checkpoints that are damaged, cut off or of another run are refused, with the reason.
#include "io/checkpoint/checkpoint.h"
#include "run.h"
#include "solve/sim.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char place[64] = "/tmp/holonom-test-XXXXXX";

static int enter(void **state) {
    (void)state;
    return !mkdtemp(place) || chdir(place) != 0;
}

static int leave(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", place);
    return chdir("/") != 0 || system(command) != 0;
}

static HolModel *load(const char *name, HolSimOptions *o) {
    HolModel *m = NULL;
    HolError err;
    char path[256];
    snprintf(path, sizeof path, HOL_SOURCE_DIR "/models/%s.yaml", name);
    if (hol_model_load(path, NULL, 0, &m, o, &err) != HOL_OK)
        fail_msg("%s: %s", name, err.text);
    return m;
}

// ---- runs ----

typedef struct Job {
    HolCheckpoint *c;
    HolResultWriter *w; // of a run without checkpoints
    const HolModel *m;
    long stop, steps; // after so many steps it is saved and left; 0: never
    int left;
} Job;

static HolStatus watch(void *user, HolSim *s, int what, double t, HolError *err) {
    static double row[2000];
    static const char own[] = "own";
    Job *j = user;
    HolStatus status = HOL_OK;
    if (what == HOL_AT_ROW && !j->left) {
        assert_true(hol_model_column_count(j->m) <= 2000);
        status = hol_sim_row(s, t, row, err);
        if (!status)
            status = j->c ? hol_checkpoint_row(j->c, row, err) : hol_result_row(j->w, row, err);
    }
    if (what != HOL_AT_STEP || !j->c || ++j->steps != j->stop)
        return status;
    j->left = 1;
    status = hol_checkpoint_save(j->c, s, own, sizeof own, err);
    return status ? status : HOL_INTERRUPTED;
}

// the undisturbed result; 0: the method does not take the model
static int undisturbed(const HolModel *m, const HolSimOptions *o, const char *result) {
    HolSim *s = NULL;
    HolError err;
    Job j = {.m = m};
    if (hol_sim_create(m, o, &s, &err) != HOL_OK || hol_sim_assemble(s, &err) != HOL_OK) {
        hol_sim_destroy(s);
        return 0;
    }
    assert_int_equal(hol_result_open(result, m, o, &j.w, &err), HOL_OK);
    const HolStatus status = hol_sim_run(s, o->end, watch, &j, &err);
    const HolStats stats = hol_sim_stats(s);
    hol_result_summary(j.w, &stats, NULL, status, err.text);
    if (hol_result_close(j.w, status == HOL_OK || status == HOL_EVENT, &err) != HOL_OK)
        fail_msg("%s", err.text);
    hol_sim_destroy(s);
    return status == HOL_OK || status == HOL_EVENT;
}

// one life of a run: from the checkpoint on (or anew), for `stop` steps or to the end; 1: it ended
static int live(const HolModel *m, const HolSimOptions *o, const char *result, int resume,
                long stop) {
    HolSim *s = NULL;
    HolError err;
    Job j = {.m = m, .stop = stop};
    assert_int_equal(hol_sim_create(m, o, &s, &err), HOL_OK);
    assert_int_equal(hol_sim_assemble(s, &err), HOL_OK);
    HolStatus status = resume ? hol_checkpoint_resume("ck", NULL, result, m, o, s, &j.c, &err)
                              : hol_checkpoint_begin("ck", result, m, o, &j.c, &err);
    if (status != HOL_OK)
        fail_msg("%s, %s: %s", o->method.name, result, err.text);
    size_t size;
    assert_true(!resume || (hol_checkpoint_own(j.c, &size) && size == 4));
    status = hol_sim_run(s, o->end, watch, &j, &err);
    if (!j.left) {
        const HolStats stats = hol_sim_stats(s);
        if (hol_checkpoint_end(j.c, s, status, NULL, "own", 4, &err) != HOL_OK ||
            hol_checkpoint_finish(j.c, &stats, NULL, &err) != HOL_OK)
            fail_msg("%s: %s", o->method.name, err.text);
        assert_int_equal(hol_checkpoint_state(j.c), HOL_CHECKPOINT_FINISHED);
    }
    hol_checkpoint_destroy(j.c);
    hol_sim_destroy(s);
    return !j.left;
}

static void same_bytes(const char *a, const char *b, const char *what) {
    char x[65], y[65];
    uint64_t n, k;
    assert_true(hol_file_sha256(a, x, &n));
    assert_true(hol_file_sha256(b, y, &k));
    if (n != k || strcmp(x, y) != 0)
        fail_msg("%s: other bytes (%llu, %llu)", what, (unsigned long long)n,
                 (unsigned long long)k);
}

static void same_numbers(const char *a, const char *b) {
    HolResult *x, *y;
    HolError err;
    assert_int_equal(hol_result_read(a, &x, &err), HOL_OK);
    assert_int_equal(hol_result_read(b, &y, &err), HOL_OK);
    assert_int_equal(hol_result_row_count(x), hol_result_row_count(y));
    assert_int_equal(hol_result_column_count(x), hol_result_column_count(y));
    for (int i = 0; i < hol_result_column_count(x); i++)
        assert_memory_equal(hol_result_values(x, i), hol_result_values(y, i),
                            sizeof(double) * (size_t)hol_result_row_count(x));
    assert_string_equal(hol_result_remark(y), "");
    hol_result_destroy(x);
    hol_result_destroy(y);
}

static int goes_on(const HolModel *m, const HolSimOptions *o, const char *what) {
    unlink("ck");
    if (!undisturbed(m, o, "a.csv"))
        return 0;
    for (int life = 0; life < 200 && !live(m, o, "b.csv", life > 0, 1 + 7 * life); life++)
        assert_int_equal(access("b.csv.part", F_OK), 0);
    same_bytes("a.csv", "b.csv", what);
    assert_int_equal(access("b.csv.part", F_OK), -1);
    unlink("b.csv");
    return 1;
}

static int set_options(const HolStepper *stepper, int adaptive, HolSimOptions *o) {
    o->method = hol_sim_options().method;
    snprintf(o->method.name, sizeof o->method.name, "%s", stepper->name);
    o->step = adaptive ? 0 : o->end / 60;
    o->tolerance = adaptive ? 1e-5 : 0;
    o->output_step = adaptive ? o->end / 37 : 0; // rows inside of steps
    return adaptive ? stepper->adaptive != HOL_STEP_FIXED : stepper->adaptive != HOL_STEP_ADAPTIVE;
}

static void every_method(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double end;
    } models[] = {{"double-pendulum", 0.5}, {"four-bar", 0.5}, {"driven-pendulum", 2}};
    int done[64] = {0};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        HolSimOptions o;
        HolModel *m = load(models[i].name, &o);
        o.end = models[i].end;
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
        if (done[k] < 1)
            fail_msg("%s: no run", hol_steppers[k]->name);
}

static void machines(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double end;
    } models[] = {{"bouncing-ball", 2.2},
                  {"friction-hinge", 1.5},
                  {"newtons-cradle", 0.5},
                  {"pid-cart", 0.4},
                  {"bricard", 0.5},
                  {"rolling-disc", 0.5},
                  {"stiff-double-pendulum", 0.1}};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        HolSimOptions o;
        HolModel *m = load(models[i].name, &o);
        o.end = models[i].end;
        assert_int_equal(goes_on(m, &o, models[i].name), 1);
        snprintf(o.method.name, sizeof o.method.name, "auto");
        o.step = 0;
        o.tolerance = 1e-6;
        assert_int_equal(goes_on(m, &o, models[i].name), 1);
        hol_model_destroy(m);
    }
}

static void hdf5(void **state) {
    (void)state;
    HolSimOptions o;
    HolModel *m = load("double-pendulum", &o);
    HolError err;
    HolResultWriter *w;
    if (hol_result_open("a.h5", m, &o, &w, &err) == HOL_ERR_UNSUPPORTED)
        skip();
    hol_result_close(w, 0, NULL);
    unlink("ck");
    o.end = 1;
    assert_int_equal(undisturbed(m, &o, "a.h5"), 1);
    for (int life = 0; life < 50 && !live(m, &o, "b.h5", life > 0, 1 + 60 * life); life++)
        assert_int_equal(access("b.h5", F_OK), -1);
    same_numbers("a.h5", "b.h5");
    assert_int_equal(access("b.h5.part", F_OK), -1);
    hol_model_destroy(m);
}

// ---- the end, stage by stage ----

static void copy_file(const char *from, const char *to) {
    char command[256];
    snprintf(command, sizeof command, "cp -p %s %s", from, to);
    assert_int_equal(system(command), 0);
}

static void end_in_stages(void **state) {
    (void)state;
    static const char *const results[] = {"b.csv", "b.h5"};
    HolSimOptions o;
    HolModel *m = load("pendulum", &o);
    HolError err;
    o.end = 0.3;
    for (int i = 0; i < 2; i++) {
        const char *result = results[i], *other = i ? "a.h5" : "a.csv";
        char part[32];
        snprintf(part, sizeof part, "%s.part", result);
        HolResultWriter *w = NULL;
        if (hol_result_open(other, m, &o, &w, &err) == HOL_ERR_UNSUPPORTED)
            continue;
        hol_result_close(w, 0, NULL);
        unlink("ck");
        assert_int_equal(undisturbed(m, &o, other), 1);
        assert_int_equal(live(m, &o, result, 0, 3), 0);
        // killed with the last checkpoint written, and nothing else done
        HolSim *s = NULL;
        Job j = {.m = m};
        assert_int_equal(hol_sim_create(m, &o, &s, &err), HOL_OK);
        assert_int_equal(hol_checkpoint_resume("ck", NULL, result, m, &o, s, &j.c, &err), HOL_OK);
        assert_int_equal(hol_sim_run(s, o.end, watch, &j, &err), HOL_OK);
        assert_int_equal(hol_checkpoint_end(j.c, s, HOL_OK, NULL, "own", 4, &err), HOL_OK);
        hol_checkpoint_destroy(j.c);
        hol_sim_destroy(s);
        copy_file("ck", "ck-end");
        copy_file(part, "part-end");
        for (int stage = 0; stage < 5; stage++) {
            if (stage == 1 || stage == 2)
                copy_file("ck-end", "ck"); // 1: the result has its name, 2: and RESULT.part is left
            if (stage == 2)
                copy_file("part-end", part);
            if (stage == 1 && i == 1)
                continue;   // (of HDF5 RESULT.part goes behind the mark)
            if (stage == 4) // 3: finished, 4: and the result is gone
                unlink(result);
            assert_int_equal(hol_sim_create(m, &o, &s, &err), HOL_OK);
            j = (Job){.m = m};
            if (hol_checkpoint_resume("ck", NULL, result, m, &o, s, &j.c, &err) != HOL_OK)
                fail_msg("%s, stage %d: %s", result, stage, err.text);
            if (hol_checkpoint_state(j.c) == HOL_CHECKPOINT_UNDER_WAY) {
                assert_int_equal(stage, 4);
                assert_int_equal(hol_sim_run(s, o.end, watch, &j, &err), HOL_OK);
                assert_int_equal(hol_checkpoint_end(j.c, s, HOL_OK, NULL, "own", 4, &err), HOL_OK);
            }
            const HolStats stats = hol_sim_stats(s);
            if (hol_checkpoint_finish(j.c, &stats, NULL, &err) != HOL_OK)
                fail_msg("%s, stage %d: %s", result, stage, err.text);
            hol_checkpoint_destroy(j.c);
            hol_sim_destroy(s);
            if (i)
                same_numbers(other, result);
            else
                same_bytes(other, result, "stage");
            assert_int_equal(access(part, F_OK), -1);
        }
    }
    hol_model_destroy(m);
}

// ---- what is refused ----

static HolStatus refused(const HolModel *m, const HolSimOptions *o, const char *text) {
    HolSim *s = NULL;
    HolError err;
    HolCheckpoint *c = NULL;
    assert_int_equal(hol_sim_create(m, o, &s, &err), HOL_OK);
    const HolStatus status = hol_checkpoint_resume("ck", NULL, "b.csv", m, o, s, &c, &err);
    assert_null(c);
    if (!strstr(err.text, text))
        fail_msg("'%s' does not occur in: %s", text, err.text);
    hol_sim_destroy(s);
    return status;
}

static void damaged(void **state) {
    (void)state;
    HolSimOptions o;
    HolModel *m = load("pendulum", &o);
    unlink("ck");
    assert_int_equal(live(m, &o, "b.csv", 0, 5), 0);
    struct stat info;
    assert_int_equal(stat("ck", &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    const long size = (long)info.st_size;
    unsigned char *bytes = malloc((size_t)size);
    FILE *f = fopen("ck", "rb");
    assert_true(bytes && f && fread(bytes, 1, (size_t)size, f) == (size_t)size);
    fclose(f);
    for (long at = 0; at < size; at += 1 + size / 97)
        for (int cut = 0; cut < 2; cut++) {
            f = fopen("ck", "wb");
            assert_non_null(f);
            bytes[at] ^= 0x10;
            fwrite(bytes, 1, cut ? (size_t)at : (size_t)size, f);
            bytes[at] ^= 0x10;
            fclose(f);
            const HolStatus status = refused(m, &o, "cannot resume ck");
            assert_true(status == HOL_ERR_FILE || status == HOL_ERR_INPUT);
        }
    // rows that are damaged or cut off
    f = fopen("ck", "wb");
    fwrite(bytes, 1, (size_t)size, f);
    fclose(f);
    free(bytes);
    copy_file("b.csv.part", "kept");
    f = fopen("b.csv.part", "r+b");
    fseek(f, 40, SEEK_SET);
    fputc('9', f);
    fclose(f);
    assert_int_equal(refused(m, &o, "SHA-256 does not fit"), HOL_ERR_FILE);
    copy_file("kept", "b.csv.part");
    assert_int_equal(truncate("b.csv.part", 100), 0);
    assert_int_equal(refused(m, &o, "shorter"), HOL_ERR_FILE);
    unlink("b.csv.part");
    assert_int_equal(refused(m, &o, "cannot read b.csv.part"), HOL_ERR_FILE);
    assert_int_equal(symlink("kept", "b.csv.part"), 0);
    assert_int_equal(refused(m, &o, "b.csv.part"), HOL_ERR_FILE);
    unlink("b.csv.part");
    copy_file("kept", "b.csv.part");
    // others could have written it
    assert_int_equal(chmod("ck", 0622), 0);
    assert_int_equal(refused(m, &o, "others than you"), HOL_ERR_FILE);
    assert_int_equal(chmod("ck", 0600), 0);
    assert_int_equal(live(m, &o, "b.csv", 1, 0), 1);
    hol_model_destroy(m);
}

static void another_run(void **state) {
    (void)state;
    HolSimOptions o;
    HolModel *m = load("pendulum", &o), *other;
    unlink("ck");
    unlink("b.csv.part");
    assert_int_equal(live(m, &o, "b.csv", 0, 5), 0);
    HolSimOptions changed = o;
    changed.end *= 2;
    assert_int_equal(refused(m, &changed, "option end"), HOL_ERR_INPUT);
    changed = o;
    changed.step = 0;
    changed.tolerance = 1e-7;
    assert_int_equal(refused(m, &changed, "option step"), HOL_ERR_INPUT);
    HolSimOptions theirs;
    other = load("double-pendulum", &theirs);
    assert_int_equal(refused(other, &theirs, "the model's text"), HOL_ERR_INPUT);
    hol_model_destroy(other);
    // an unfinished run is not begun anew
    HolCheckpoint *c = NULL;
    HolError err;
    assert_int_equal(hol_checkpoint_begin("ck", "b.csv", m, &o, &c, &err), HOL_ERR_FILE);
    assert_non_null(strstr(err.text, "did not come to its end"));
    assert_null(c);
    assert_int_equal(live(m, &o, "b.csv", 1, 0), 1);
    // a run that never came to a checkpoint leaves nothing
    assert_int_equal(hol_checkpoint_begin("ck2", "d.csv", m, &o, &c, &err), HOL_OK);
    hol_checkpoint_destroy(c);
    assert_int_equal(access("d.csv.part", F_OK), -1);
    // wrong calls
    assert_int_equal(hol_checkpoint_begin(NULL, "d.csv", m, &o, &c, &err), HOL_ERR_INPUT);
    assert_int_equal(hol_checkpoint_begin("ck", "-", m, &o, &c, &err), HOL_ERR_INPUT);
    assert_int_equal(hol_checkpoint_begin("x.csv.part", "x.csv", m, &o, &c, &err), HOL_ERR_INPUT);
    assert_int_equal(hol_checkpoint_begin("x.csv", "x.csv", m, &o, &c, &err), HOL_ERR_INPUT);
    assert_int_equal(hol_checkpoint_begin("/no/ck", "x.csv", m, &o, &c, &err), HOL_ERR_FILE);
    assert_int_equal(hol_checkpoint_save(NULL, NULL, NULL, 0, &err), HOL_ERR_INPUT);
    assert_int_equal(hol_checkpoint_end(NULL, NULL, HOL_OK, NULL, NULL, 0, &err), HOL_ERR_INPUT);
    assert_int_equal(hol_checkpoint_finish(NULL, NULL, NULL, &err), HOL_ERR_INPUT);
    assert_int_equal(access("x.csv.part", F_OK), -1);
    hol_model_destroy(m);
}

// every allocation of begin, save, end, finish and resume fails once: an error, and the run goes on
static void without_memory(void **state) {
    (void)state;
    HolSimOptions o;
    HolModel *m = load("pendulum", &o);
    HolError err;
    int failed = 0;
    o.end = 0.2;
    unlink("ck");
    unlink("b.csv.part");
    assert_int_equal(undisturbed(m, &o, "a.csv"), 1);
    for (long n = 0; n < 60; n++) {
        const int resume = access("ck", F_OK) == 0;
        HolSim *s = NULL;
        Job j = {.m = m, .stop = resume ? 0 : 3};
        assert_int_equal(hol_sim_create(m, &o, &s, &err), HOL_OK);
        assert_int_equal(hol_sim_assemble(s, &err), HOL_OK);
        hol_arena_fail_after(n);
        HolStatus status = resume ? hol_checkpoint_resume("ck", NULL, "b.csv", m, &o, s, &j.c, &err)
                                  : hol_checkpoint_begin("ck", "b.csv", m, &o, &j.c, &err);
        const int to_run = hol_checkpoint_state(j.c) == HOL_CHECKPOINT_UNDER_WAY;
        if (!status && to_run)
            status = hol_sim_run(s, o.end, watch, &j, &err);
        if (!status && to_run && !j.left)
            status = hol_checkpoint_end(j.c, s, HOL_OK, NULL, "own", 4, &err);
        const HolStats stats = hol_sim_stats(s);
        if (!status && !j.left)
            status = hol_checkpoint_finish(j.c, &stats, NULL, &err);
        hol_arena_fail_after(-1);
        if (status != HOL_OK && status != HOL_INTERRUPTED && status != HOL_ERR_MEMORY)
            fail_msg("allocation %ld, status %d: %s", n, status, err.text);
        failed += status == HOL_ERR_MEMORY;
        if (status == HOL_ERR_MEMORY)
            assert_non_null(strstr(err.text, "memory"));
        hol_checkpoint_destroy(j.c);
        hol_sim_destroy(s);
        if (status == HOL_OK && !j.left) { // the end was reached
            same_bytes("a.csv", "b.csv", "without memory");
            unlink("ck");
            unlink("b.csv");
        }
    }
    assert_true(failed > 10);
    unlink("ck");
    unlink("b.csv.part");
    hol_model_destroy(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method),   cmocka_unit_test(machines), cmocka_unit_test(hdf5),
        cmocka_unit_test(end_in_stages),  cmocka_unit_test(damaged),  cmocka_unit_test(another_run),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
