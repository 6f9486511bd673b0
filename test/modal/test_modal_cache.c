// SPDX-License-Identifier: Apache-2.0
// The cache of modal bodies: the same bits with and without it, nothing written unless it is asked for,
// files that are damaged, stale or hostile are computed anew.
#include "base/sha256.h"
#include "holonom/holonom.h"
#include "model/model.h"

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define PENDULUM "models/modal-pendulum.yaml"
enum { HEAD = 16 + 64 + 64, SIZES = 8 * 4, BYTES = 1 << 20 };

static char folder[64];

static int cache_setup(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/holonom-cache-XXXXXX");
    return mkdtemp(folder) ? 0 : 1;
}

// the only file of the folder; the number of files
static int cache_file(char path[400]) {
    DIR *d = opendir(folder);
    int n = 0;
    for (struct dirent *e; d && (e = readdir(d));)
        if (e->d_name[0] != '.') {
            snprintf(path, 400, "%s/%s", folder, e->d_name);
            n++;
        }
    if (d)
        closedir(d);
    return n;
}

static void cache_empty(void) {
    char path[400];
    while (cache_file(path) > 0)
        if (unlink(path) != 0 && rmdir(path) != 0)
            fail_msg("%s cannot be removed", path);
}

static int cache_teardown(void **state) {
    (void)state;
    cache_empty();
    return rmdir(folder);
}

static HolModel *cache_load(const char *model, const HolSetting *set, int n, const char *cache,
                            HolSimOptions *o) {
    HolModel *m = NULL;
    HolError err = {0};
    HolLoadOptions how = hol_load_options();
    how.cache = cache;
    if (hol_model_load_how(model, set, n, &how, &m, o, &err) != HOL_OK)
        fail_msg("%s", err.text);
    return m;
}

static void cache_same(const char *what, const double *a, const double *b, long n) {
    assert_true((a == NULL) == (b == NULL));
    if (a && memcmp(a, b, sizeof *a * (size_t)n) != 0)
        fail_msg("%s has other bits", what);
}

static void cache_compare(const HolModel *ma, const HolModel *mb) {
    assert_int_equal(ma->modals.n, mb->modals.n);
    for (int j = 0; j < ma->modals.n; j++) {
        const HolModal *a = &ma->modals.list[j], *b = &mb->modals.list[j];
        const long n = a->nf;
        const int plane = ma->space == HOL_PLANAR;
        assert_int_equal(a->nf, b->nf);
        assert_int_equal(a->n_nodes, b->n_nodes);
        assert_int_equal(a->n_edges, b->n_edges);
        assert_int_equal(a->n_interfaces, b->n_interfaces);
        cache_same("mass", &a->mass, &b->mass, 1);
        cache_same("length", &a->length, &b->length, 1);
        cache_same("s0", a->s0, b->s0, 2);
        cache_same("stiffness", a->stiffness, b->stiffness, n);
        cache_same("damping", a->damping, b->damping, n);
        cache_same("J1", a->J1, b->J1, 6 * n);
        cache_same("J2", a->J2, b->J2, 6 * n * n);
        cache_same("C1", a->C1, b->C1, 3 * n * n);
        cache_same("C", a->C, b->C, 2 * n);
        cache_same("b", a->b, b->b, n);
        cache_same("h", a->h, b->h, n);
        cache_same("B", a->B, b->B, n * n);
        cache_same("nodes", a->nodes, b->nodes, 3L * a->n_nodes);
        cache_same("shapes", a->shapes, b->shapes, 3L * a->n_nodes * n);
        assert_memory_equal(a->edges, b->edges, sizeof *a->edges * (size_t)a->n_edges);
        for (int i = 0; i < a->n_interfaces; i++) {
            assert_string_equal(a->interfaces[i].name, b->interfaces[i].name);
            cache_same("x", a->interfaces[i].x, b->interfaces[i].x, 3);
            cache_same("move", a->interfaces[i].move, b->interfaces[i].move, 3 * n);
            cache_same("turn", a->interfaces[i].turn, b->interfaces[i].turn, (plane ? 1 : 3) * n);
        }
        const HolBodyDef *fa = &ma->def.bodies[a->body].def, *fb = &mb->def.bodies[b->body].def;
        cache_same("position", fa->position, fb->position, 3);
        cache_same("inertia", fa->inertia, fb->inertia, 6);
        cache_same("origin", fa->points[0].at, fb->points[0].at, 3);
    }
}

static int cache_remarks(const HolModel *m) {
    int n = 0;
    for (int i = 0; i < hol_model_remark_count(m); i++)
        n += strcmp(hol_model_remark(m, i)->kind, "cache") == 0;
    return n;
}

// loads with the cache and compares with the bits without it; the number of remarks about it
static int cache_try(const char *model) {
    HolSimOptions o;
    HolModel *plain = cache_load(model, NULL, 0, NULL, &o),
             *m = cache_load(model, NULL, 0, folder, &o);
    const int remarks = cache_remarks(m);
    cache_compare(plain, m);
    hol_model_destroy(m);
    hol_model_destroy(plain);
    return remarks;
}

// all numbers of a short run
static void cache_run(const HolModel *m, HolSimOptions o, double *out, int n) {
    HolSim *s = NULL;
    HolError err = {0};
    char name[160];
    o.step = 1e-4;
    if (hol_sim_create(m, &o, &s, &err) != HOL_OK ||
        hol_sim_run(s, 0.01, NULL, NULL, &err) != HOL_OK)
        fail_msg("%s", err.text);
    for (int i = 0; i < n; i++)
        if (!hol_sim_final(s, i, name, sizeof name, &out[i]))
            out[i] = 0;
    hol_sim_destroy(s);
}

static void test_same_bits(void **state) {
    (void)state;
    char path[400];
    double a[60], b[60];
    HolSimOptions o;
    assert_int_equal(cache_try(PENDULUM), 0); // made
    assert_int_equal(cache_file(path), 1);
    struct stat before, after;
    assert_int_equal(stat(path, &before), 0);
    assert_int_equal(cache_try(PENDULUM), 0); // read
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino); // and not written again
    HolModel *m = cache_load(PENDULUM, NULL, 0, NULL, &o);
    cache_run(m, o, a, 60);
    hol_model_destroy(m);
    m = cache_load(PENDULUM, NULL, 0, folder, &o);
    cache_run(m, o, b, 60);
    hol_model_destroy(m);
    assert_memory_equal(a, b, sizeof a);
    cache_empty();
}

static const char *cache_model(const char *text) {
    static char path[400];
    snprintf(path, sizeof path, "%s.yaml", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    return path;
}

// members in plane and space; other damping is no other entry, other modes are one
static void test_members(void **state) {
    (void)state;
    static const char *const texts[] = {
        "holonom: 1\nspace: planar\nbodies: [{name: rod, type: modal, from: [0, 0], to: [1, 0.5], "
        "elements: 6, section: {rectangle: [0.02, 0.01]}, material: {E: 2.0e11, nu: 0.3, rho: "
        "7800}, modes: 3, keep: 5, damping: [0.01, 0.02]}]\n",
        "holonom: 1\nspace: spatial\nbodies: [{name: f, type: modal, nodes: [[0, 0, 0], [1, 0, 0], "
        "[1, 1, 0.3]], members: [[1, 2], [2, 3]], elements: 3, section: {circle: 0.02}, material: "
        "{E: 2.0e11, nu: 0.3, rho: 7800}, interfaces: {a: 1, b: [2, 3]}, modes: 3, position: [1, "
        "2, 3], orientation: {axis: [1, 2, 3], angle: 0.7}}]\n"};
    char path[400];
    for (int i = 0; i < 2; i++) {
        const char *model = cache_model(texts[i]);
        assert_int_equal(cache_try(model), 0);
        assert_int_equal(cache_file(path), 1);
        assert_int_equal(cache_try(model), 0);
        unlink(model);
        cache_empty();
    }
    HolSimOptions o;
    const HolSetting damped = {"rod.damping", "0.05"}, more = {"rod.modes", "2"};
    hol_model_destroy(cache_load(PENDULUM, NULL, 0, folder, &o));
    HolModel *m = cache_load(PENDULUM, &damped, 1, folder, &o),
             *plain = cache_load(PENDULUM, &damped, 1, NULL, &o);
    cache_compare(plain, m);
    assert_int_equal(cache_file(path), 1);
    hol_model_destroy(m);
    hol_model_destroy(plain);
    hol_model_destroy(cache_load(PENDULUM, &more, 1, folder, &o));
    assert_int_equal(cache_file(path), 2);
    cache_empty();
}

static size_t cache_read(const char *path, char *text) {
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    const size_t n = fread(text, 1, BYTES, f);
    fclose(f);
    assert_true(n > HEAD + SIZES && n < BYTES);
    return n;
}

static void cache_write(const char *path, char *text, size_t n, int sign) {
    char hash[65];
    if (sign && n > HEAD) {
        hol_sha256_text(text + HEAD, n - HEAD, hash);
        memcpy(text + 80, hash, 64);
    }
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fwrite(text, 1, n, f);
    fclose(f);
}

// a changed copy: refused with a remark, the bits of the computation, and the file is whole again
static void cache_refused(const char *path, char *text, size_t n, int sign) {
    cache_write(path, text, n, sign);
    assert_int_equal(cache_try(PENDULUM), 1);
    assert_int_equal(cache_try(PENDULUM), 0);
}

static void test_hostile(void **state) {
    (void)state;
    static char whole[BYTES], text[BYTES];
    char path[400];
    assert_int_equal(cache_try(PENDULUM), 0);
    assert_int_equal(cache_file(path), 1);
    const size_t n = cache_read(path, whole);
    // cut off, longer, empty, one bit changed in each part
    static const size_t cut[] = {0, 1, 15, HEAD - 1, HEAD, HEAD + SIZES, 1000};
    for (size_t i = 0; i < sizeof cut / sizeof *cut; i++) {
        memcpy(text, whole, n);
        cache_refused(path, text, cut[i], 0);
        cache_refused(path, text, cut[i], 1);
    }
    memcpy(text, whole, n);
    cache_refused(path, text, n + 8, 1);
    static const size_t places[] = {3, 20, 100, HEAD + 1, HEAD + 9, HEAD + 40, 2000};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        memcpy(text, whole, n);
        text[places[i]] ^= 4;
        cache_refused(path, text, n, 0);
    }
    // sizes that lie under a right hash
    for (int k = 0; k < 6; k++)
        for (int j = 0; j < 4; j++) {
            const int32_t lie[] = {0, -1, INT32_MAX, 7};
            int32_t size;
            memcpy(&size, whole + HEAD + 4 * k, 4);
            if (size == lie[j])
                continue;
            memcpy(text, whole, n);
            memcpy(text + HEAD + 4 * k, &lie[j], 4);
            cache_refused(path, text, n, 1);
        }
    // numbers that are none, a node that is not there
    const double nan = (double)NAN;
    memcpy(text, whole, n);
    memcpy(text + HEAD + SIZES + 8 * 20, &nan, 8);
    cache_refused(path, text, n, 1);
    const int32_t outside = 1000000;
    memcpy(text, whole, n);
    memcpy(text + n - 4, &outside, 4);
    cache_refused(path, text, n, 1);
    // another entry's file under this name
    memcpy(text, whole, n);
    text[16] = text[16] == 'a' ? 'b' : 'a';
    cache_refused(path, text, n, 1);
    cache_empty();
}

// a file that holds is read: its numbers, not those of the matrices
static void test_is_read(void **state) {
    (void)state;
    static char text[BYTES];
    char path[400];
    HolSimOptions o;
    assert_int_equal(cache_try(PENDULUM), 0);
    cache_file(path);
    const size_t n = cache_read(path, text);
    double omega;
    memcpy(&omega, text + HEAD + SIZES + 8 * 13, 8);
    omega *= 2;
    memcpy(text + HEAD + SIZES + 8 * 13, &omega, 8);
    cache_write(path, text, n, 1);
    HolModel *m = cache_load(PENDULUM, NULL, 0, folder, &o);
    assert_true(m->modals.list[0].stiffness[0] == m->modals.list[0].mass * omega * omega);
    hol_model_destroy(m);
    cache_empty();
}

// what is no file is not read, not removed, and nothing is written through it
static void test_no_file(void **state) {
    (void)state;
    char path[400], other[200];
    struct stat info;
    assert_int_equal(cache_try(PENDULUM), 0);
    cache_file(path);
    unlink(path);
    snprintf(other, sizeof other, "%s.other", folder);
    assert_int_equal(symlink(other, path), 0);
    assert_int_equal(cache_try(PENDULUM), 2);
    assert_int_not_equal(stat(other, &info), 0);
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(cache_try(PENDULUM), 2);
    rmdir(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(cache_try(PENDULUM), 2);
    cache_empty();
    // a folder that cannot be
    HolModel *m = NULL;
    HolSimOptions o;
    HolError err = {0};
    HolLoadOptions how = hol_load_options();
    how.cache = "/dev/null/cache";
    assert_int_equal(hol_model_load_how(PENDULUM, NULL, 0, &how, &m, &o, &err), HOL_ERR_FILE);
    assert_null(m);
    how.cache = PENDULUM;
    assert_int_equal(hol_model_load_how(PENDULUM, NULL, 0, &how, &m, &o, &err), HOL_ERR_FILE);
    assert_non_null(strstr(err.text, "is no folder"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits), cmocka_unit_test(test_members),
        cmocka_unit_test(test_hostile),   cmocka_unit_test(test_is_read),
        cmocka_unit_test(test_no_file),
    };
    return cmocka_run_group_tests_name("modal cache", tests, cache_setup, cache_teardown);
}
