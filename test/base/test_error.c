// SPDX-License-Identifier: Apache-2.0
// HolError: lines in order, counted when they no longer fit, never written behind the buffer.
#include "base/error.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_set_replaces(void **state) {
    (void)state;
    HolError e;
    memset(&e, 7, sizeof e);
    hol_error_clear(&e);
    assert_int_equal(e.status, HOL_OK);
    assert_int_equal(e.problems, 0);
    assert_int_equal(e.line, 0);
    assert_int_equal(e.column, 0);
    assert_true(e.time == 0);
    assert_string_equal(e.text, "");
    hol_error_add(&e, HOL_ERR_INPUT, "f", 3, 4, "first");
    assert_int_equal(hol_error_set(&e, HOL_ERR_MEMORY, "no %d", 5), HOL_ERR_MEMORY);
    assert_int_equal(e.status, HOL_ERR_MEMORY);
    assert_int_equal(e.problems, 1);
    assert_int_equal(e.line, 0);
    assert_int_equal(e.column, 0);
    assert_string_equal(e.text, "no 5");
}

static void test_without_error(void **state) {
    (void)state;
    hol_error_clear(NULL);
    assert_int_equal(hol_error_set(NULL, HOL_ERR_FILE, "%d", 1), HOL_ERR_FILE);
    assert_int_equal(hol_error_add(NULL, HOL_ERR_INPUT, "f", 1, 1, "%d", 1), HOL_ERR_INPUT);
}

static void test_places(void **state) {
    (void)state;
    HolError e = {0};
    assert_int_equal(hol_error_add(&e, HOL_ERR_INPUT, "m.yaml", 3, 14, "a %s", "word"),
                     HOL_ERR_INPUT);
    assert_string_equal(e.text, "m.yaml:3:14: error: a word");
    hol_error_add(&e, HOL_ERR_FILE, "m.yaml", 0, 9, "no line");
    hol_error_add(&e, HOL_ERR_FILE, "n.yaml", 1, 1, "line one");
    hol_error_add(&e, HOL_ERR_FILE, NULL, 8, 9, "no file");
    assert_string_equal(e.text, "m.yaml:3:14: error: a word\nm.yaml: error: no line\n"
                                "n.yaml:1:1: error: line one\nno file");
    // the first one counts
    assert_int_equal(e.status, HOL_ERR_INPUT);
    assert_int_equal(e.line, 3);
    assert_int_equal(e.column, 14);
    assert_int_equal(e.problems, 4);
}

// an error with bytes behind it that nobody may write
typedef struct Guarded {
    HolError e;
    unsigned char behind[2048];
} Guarded;

static void check_guard(const Guarded *g) {
    for (size_t i = 0; i < sizeof g->behind; i++)
        assert_int_equal(g->behind[i], 0xA5);
    assert_non_null(memchr(g->e.text, 0, sizeof g->e.text));
}

// lines of every length around the place where the buffer is full
static void test_full(void **state) {
    (void)state;
    static Guarded g;
    for (int length = 1; length < 700; length += 7) {
        char line[800];
        memset(&g, 0xA5, sizeof g);
        hol_error_clear(&g.e);
        memset(line, 'a' + length % 26, sizeof line);
        line[length] = 0;
        int added = 0;
        size_t used = 0;
        for (int i = 0; i < 20 + (int)sizeof g.e.text / (length + 1); i++, added++) {
            hol_error_add(&g.e, HOL_ERR_INPUT, NULL, 0, 0, "%s", line);
            const size_t now = strlen(g.e.text);
            if (now != used)
                // whole lines only
                assert_int_equal(now, used + (size_t)length + (used > 0));
            used = now;
        }
        check_guard(&g);
        assert_int_equal(g.e.problems, added);
        // as many as fit: there is no room for one more, give or take two bytes
        assert_true(used + (size_t)length + 4 > sizeof g.e.text);
        // a short one is not put behind those that are lost
        hol_error_add(&g.e, HOL_ERR_INPUT, NULL, 0, 0, "x");
        assert_int_equal(strlen(g.e.text), used);
        assert_int_equal(g.e.problems, added + 1);
    }
}

static void test_long_parts(void **state) {
    (void)state;
    static Guarded g;
    char file[3000], word[3000];
    memset(file, 'f', sizeof file);
    memset(word, 'w', sizeof word);
    file[sizeof file - 1] = word[sizeof word - 1] = 0;
    memset(&g, 0xA5, sizeof g);
    hol_error_clear(&g.e);
    hol_error_add(&g.e, HOL_ERR_INPUT, file, 1, 2, "%s", word);
    check_guard(&g);
    assert_int_equal(g.e.text[0], 'f');
    assert_int_equal(g.e.text[strlen(g.e.text) - 1], 'w');
    assert_int_equal(strlen(g.e.text), 511 + 1023);
    char longer[10000];
    memset(longer, 'l', sizeof longer);
    longer[sizeof longer - 1] = 0;
    hol_error_set(&g.e, HOL_ERR_INPUT, "%s", longer);
    check_guard(&g);
    assert_int_equal(strlen(g.e.text), sizeof g.e.text - 1);
}

static void test_status_texts(void **state) {
    (void)state;
    const HolStatus all[] = {
#define STATUS_NAME(name, value, text) name,
        HOL_STATUS_LIST(STATUS_NAME)
#undef STATUS_NAME
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            assert_int_equal(strcmp(hol_status_text(all[i]), hol_status_text(all[k])) == 0, i == k);
    assert_string_equal(hol_status_text((HolStatus)12345), "unknown status");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_set_replaces), cmocka_unit_test(test_without_error),
        cmocka_unit_test(test_places),       cmocka_unit_test(test_full),
        cmocka_unit_test(test_long_parts),   cmocka_unit_test(test_status_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
