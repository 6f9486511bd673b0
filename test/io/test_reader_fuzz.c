// SPDX-License-Identifier: Apache-2.0
// Mutated model files and failing memory: the reader must answer with a model or with a message,
// never crash, and leave nothing behind (run under the address sanitizer to see leaks).
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "holonom/holonom.h"

// parts are found beside it
#define PARSED HOL_SOURCE_DIR "/models/fuzz.yaml"

enum { TEXT = 16384, ROUNDS = 150 };

// small generator with a fixed start: every run tries the same files
static uint64_t random_state = 88172645463325252u;

static unsigned random_below(unsigned n) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)(random_state >> 33) % n;
}

static size_t read_text(const char *path, char *text) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t n = fread(text, 1, TEXT, file);
    fclose(file);
    return n;
}

// one parse: a model without problems, or problems without a model
static int try_parse(const char *text, size_t n) {
    HolModel *model = NULL;
    HolSimOptions options;
    static HolError error;
    HolStatus status = hol_model_parse(text, n, PARSED, NULL, 0, &model, &options, &error);
    if (status == HOL_OK) {
        assert_non_null(model);
        assert_int_equal(error.problems, 0);
    } else {
        assert_null(model);
        assert_true(error.problems > 0 && error.text[0]);
        assert_int_equal(error.status, status);
    }
    hol_model_destroy(model);
    return status == HOL_OK;
}

// ---- mutations ----------------------------------------------------------------------------

typedef size_t Mutation(char *text, size_t n);

static size_t flip_bytes(char *text, size_t n) {
    for (unsigned i = 0, count = 1 + random_below(4); i < count; i++)
        text[random_below((unsigned)n)] = (char)random_below(256);
    return n;
}

// bytes that mean something to YAML and to expressions
static size_t put_signs(char *text, size_t n) {
    static const char signs[] = "[]{}:,-&*!|>'\"%@#?\n\t .^/()=<e0";
    for (unsigned i = 0, count = 1 + random_below(3); i < count; i++)
        text[random_below((unsigned)n)] = signs[random_below(sizeof signs - 1)];
    return n;
}

static size_t truncate_text(char *text, size_t n) {
    (void)text;
    return random_below((unsigned)n);
}

// a piece is taken out
static size_t cut_piece(char *text, size_t n) {
    size_t from = random_below((unsigned)n), length = random_below(60);
    if (from + length > n)
        length = n - from;
    memmove(text + from, text + from + length, n - from - length);
    return n - length;
}

// a piece is written over another place
static size_t copy_piece(char *text, size_t n) {
    size_t length = random_below(40), from = random_below((unsigned)(n - length));
    memmove(text + random_below((unsigned)(n - length)), text + from, length);
    return n;
}

static Mutation *const mutations[] = {flip_bytes, put_signs, truncate_text, cut_piece, copy_piece};
enum { MUTATIONS = sizeof mutations / sizeof *mutations };

static void fuzz_file(const char *path) {
    static char original[TEXT], text[TEXT];
    size_t n = read_text(path, original);
    if (n < 200 || n == TEXT)
        return;
    for (int round = 0; round < ROUNDS; round++) {
        memcpy(text, original, n);
        size_t length = mutations[round % MUTATIONS](text, n);
        try_parse(text, length);
    }
}

static void fuzz_folder(const char *folder) {
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (const struct dirent *entry; (entry = readdir(dir));) {
        char path[600];
        if (!strstr(entry->d_name, ".yaml"))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        fuzz_file(path);
    }
    closedir(dir);
}

static void test_mutated_models(void **state) {
    (void)state;
    fuzz_folder(HOL_SOURCE_DIR "/models");
}

static void test_mutated_bad_files(void **state) {
    (void)state;
    fuzz_folder(HOL_SOURCE_DIR "/test/bad");
}

// every prefix of a file
static void test_prefixes(void **state) {
    (void)state;
    static char text[TEXT];
    size_t n = read_text(HOL_SOURCE_DIR "/models/driven-pendulum.yaml", text);
    for (size_t length = 0; length <= n; length++)
        try_parse(text, length);
    assert_true(try_parse(text, n));
}

// bytes that are no YAML at all, and depth without end
static void test_noise(void **state) {
    (void)state;
    static char text[TEXT];
    for (int round = 0; round < 200; round++) {
        size_t n = random_below(300);
        for (size_t i = 0; i < n; i++)
            text[i] = (char)random_below(256);
        try_parse(text, n);
    }
    memset(text, '[', TEXT);
    assert_false(try_parse(text, TEXT));
    memset(text, '{', TEXT);
    assert_false(try_parse(text, TEXT));
    memset(text, '-', TEXT);
    assert_false(try_parse(text, TEXT));
    for (size_t i = 0; i + 1 < TEXT; i += 2)
        memcpy(text + i, "- ", 2);
    assert_false(try_parse(text, TEXT));
    // an expression of many brackets
    size_t n = (size_t)snprintf(text, TEXT, "holonom: 1\nspace: planar\nparameters: {a: \"");
    memset(text + n, '(', TEXT - n);
    memcpy(text + TEXT - 3, "\"}\n", 3);
    assert_false(try_parse(text, TEXT));
}

// ---- memory -------------------------------------------------------------------------------

// the n-th system allocation fails: a clean refusal, until reading needs fewer
static void fail_memory(const char *file) {
    static char text[TEXT];
    size_t n = read_text(file, text);
    int refused = 0;
    for (long i = 0;; i++) {
        HolModel *model = NULL;
        HolSimOptions options;
        HolError error;
        assert_true(i < 10000);
        hol_arena_fail_after(i);
        HolStatus status = hol_model_parse(text, n, PARSED, NULL, 0, &model, &options, &error);
        hol_arena_fail_after(-1);
        if (status == HOL_OK) {
            hol_model_destroy(model);
            break;
        }
        assert_null(model);
        assert_true(status == HOL_ERR_MEMORY || strstr(error.text, "out of memory"));
        refused++;
    }
    assert_true(refused > 2);
}

static void test_memory_failures(void **state) {
    (void)state;
    fail_memory(HOL_SOURCE_DIR "/models/flyball.yaml");
    fail_memory(HOL_SOURCE_DIR "/models/excavator.yaml"); // parts, an include, solids
    fail_memory(HOL_SOURCE_DIR "/models/carousel.yaml");  // repeats, joints at the start
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prefixes),        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_mutated_models),  cmocka_unit_test(test_mutated_bad_files),
        cmocka_unit_test(test_memory_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
