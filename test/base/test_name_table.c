// SPDX-License-Identifier: Apache-2.0
// Names by hashing: each is found again, none twice, whatever the number.
#include "base/name_table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_many_names(void **state) {
    (void)state;
    enum { N = 5000 };
    HolArena arena = {0};
    HolNameTable names = {0};
    assert_null(hol_name_table_find(&names, "nobody"));
    for (int i = 0; i < N; i++) {
        char name[32];
        snprintf(name, sizeof name, "body_%d", i);
        HolNameEntry *e =
            hol_name_table_add(&names, &arena, hol_arena_text(&arena, name), &names + i, i + 1);
        assert_non_null(e);
        assert_string_equal(e->name, name);
        assert_true(e->value == 0);
        assert_int_equal(names.n, i + 1);
        // at most half full: a search always ends
        assert_true(2 * names.n <= names.n_slots);
    }
    for (int i = 0; i < N; i++) {
        char name[32];
        snprintf(name, sizeof name, "body_%d", i);
        const HolNameEntry *e = hol_name_table_find(&names, name);
        assert_non_null(e);
        assert_string_equal(e->name, name);
        assert_ptr_equal(e->item, &names + i);
        assert_int_equal(e->line, i + 1);
        assert_ptr_equal(e, &names.entries[i]); // in the order in which they came
    }
    assert_null(hol_name_table_find(&names, "body_5000"));
    assert_null(hol_name_table_find(&names, "body_"));
    assert_null(hol_name_table_find(&names, ""));
    hol_arena_free(&arena);
}

static void test_twice(void **state) {
    (void)state;
    HolArena arena = {0};
    HolNameTable names = {0};
    int first = 1, second = 2;
    HolNameEntry *e = hol_name_table_add(&names, &arena, "rod", &first, 3);
    assert_ptr_equal(hol_name_table_add(&names, &arena, "rod", &second, 8), e);
    assert_int_equal(names.n, 1);
    assert_ptr_equal(e->item, &first);
    assert_int_equal(e->line, 3);
    hol_arena_free(&arena);
}

static void test_no_memory(void **state) {
    (void)state;
    HolArena arena = {0};
    HolNameTable names = {0};
    arena.failed = 1;
    assert_null(hol_name_table_add(&names, &arena, "rod", NULL, 1));
    assert_null(hol_name_table_find(&names, "rod"));
    arena.failed = 0;
    // the slots fit, the entries do not
    int i = 0;
    for (; i < 40; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%d", i);
        const char *copy = hol_arena_text(&arena, name);
        arena.failed = names.n == names.capacity && i > 0;
        if (!hol_name_table_add(&names, &arena, copy, NULL, 1))
            break;
    }
    assert_int_equal(i, 8);
    assert_int_equal(names.n, 8);
    assert_null(hol_name_table_find(&names, "n8"));
    assert_non_null(hol_name_table_find(&names, "n7"));
    hol_arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_names),
        cmocka_unit_test(test_twice),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
