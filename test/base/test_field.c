// SPDX-License-Identifier: Apache-2.0
// Field tables: every default goes to its own place and nowhere else, ranges and lengths.
#include "base/field.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct Thing { // a guard between all members: what is not a field stays as it is
    long guard0;
    double number;
    long guard1;
    int integer;
    int guard2;
    long count;
    long guard3;
    int choice, guard4, flags, guard5, on, guard6, off, guard7;
    char word[8];
    long guard8;
    double vector[3];
    long guard9;
    const char *text;
    long guard10;
    const char *expression;
    long guard11;
    double named;
    const char *none;
    long own;
} Thing;

static const HolWord colours[] = {{"red", 3, NULL}, {"green", 5, NULL}, {0}};

static const HolField fields[] = {
    {.key = "number",
     .type = HOL_FIELD_NUMBER,
     .offset = offsetof(Thing, number),
     .fallback = "-1.5e3"},
    {.key = "integer",
     .type = HOL_FIELD_INTEGER,
     .offset = offsetof(Thing, integer),
     .fallback = "42"},
    {.key = "count",
     .type = HOL_FIELD_LONG,
     .offset = offsetof(Thing, count),
     .fallback = "5000000000"},
    {.key = "choice",
     .type = HOL_FIELD_CHOICE,
     .offset = offsetof(Thing, choice),
     .words = colours,
     .fallback = "green"},
    {.key = "flags",
     .type = HOL_FIELD_FLAGS,
     .offset = offsetof(Thing, flags),
     .words = colours,
     .fallback = "red"},
    {.key = "on", .type = HOL_FIELD_SWITCH, .offset = offsetof(Thing, on), .fallback = "true"},
    {.key = "off", .type = HOL_FIELD_SWITCH, .offset = offsetof(Thing, off), .fallback = "false"},
    {.key = "word",
     .type = HOL_FIELD_WORD,
     .offset = offsetof(Thing, word),
     .size = sizeof((Thing *)0)->word,
     .fallback = "longer than it"},
    {.key = "vector", .type = HOL_FIELD_VECTOR, .offset = offsetof(Thing, vector), .fallback = "2"},
    {.key = "text", .type = HOL_FIELD_TEXT, .offset = offsetof(Thing, text), .fallback = "a text"},
    {.key = "expression",
     .type = HOL_FIELD_EXPRESSION,
     .offset = offsetof(Thing, expression),
     .fallback = "2*x"},
    {.key = "named",
     .type = HOL_FIELD_NUMBER,
     .offset = offsetof(Thing, named),
     .words = colours,
     .fallback = "green"},
    {.key = "none", .type = HOL_FIELD_TEXT, .offset = offsetof(Thing, none)},
    {.key = "own", .type = HOL_FIELD_OWN, .offset = offsetof(Thing, own), .fallback = "1"},
    {0},
};

static void test_defaults(void **state) {
    (void)state;
    Thing got, want;
    memset(&got, 0x5A, sizeof got);
    memset(&want, 0x5A, sizeof want);
    hol_field_defaults(fields, &got);
    want.number = -1500;
    want.integer = 42;
    want.count = 5000000000;
    want.choice = 5;
    want.flags = 3;
    want.on = 1;
    want.off = 0;
    memcpy(want.word, "longer ", 8);
    want.vector[0] = 2;
    want.text = got.text;
    want.expression = got.expression;
    want.named = 5;
    assert_string_equal(got.text, "a text");
    assert_string_equal(got.expression, "2*x");
    assert_memory_equal(&got, &want, sizeof got);
}

static void test_find(void **state) {
    (void)state;
    for (const HolField *f = fields; f->key; f++)
        assert_ptr_equal(hol_field_find(fields, f->key), f);
    assert_null(hol_field_find(fields, "numbe"));
    assert_null(hol_field_find(fields, ""));
    int value = 77;
    assert_int_equal(hol_word_value(colours, "blue", &value), 0);
    assert_int_equal(hol_word_value(NULL, "red", &value), 0);
    assert_int_equal(value, 77);
    assert_int_equal(hol_word_value(colours, "green", &value), 1);
    assert_int_equal(value, 5);
    assert_int_equal(hol_word_value(colours, "red", &value), 1);
    assert_int_equal(value, 3);
}

// expected: NULL when it is in the range, else what it must be
static void check_range(HolFieldRange range, double value, const char *expected) {
    const HolField f = {.key = "f", .range = range, .low = -0.5, .high = 2};
    char why[64] = "";
    const int ok = hol_field_in_range(&f, value, why, sizeof why);
    assert_int_equal(ok, expected == NULL);
    assert_string_equal(why, expected ? expected : "");
}

static void test_ranges(void **state) {
    (void)state;
    const char *between = "must be between -0.5 and 2", *finite = "must be a finite number";
    for (int r = HOL_RANGE_ANY; r <= HOL_RANGE_NOT_ZERO; r++) {
        check_range((HolFieldRange)r, 1, NULL);
        check_range((HolFieldRange)r, NAN, finite);
        check_range((HolFieldRange)r, INFINITY, finite);
        check_range((HolFieldRange)r, -INFINITY, finite);
    }
    check_range(HOL_RANGE_ANY, -1e300, NULL);
    check_range(HOL_RANGE_ANY, 0, NULL);
    check_range(HOL_RANGE_NOT_NEGATIVE, 0, NULL);
    check_range(HOL_RANGE_NOT_NEGATIVE, -1e-300, "must not be negative");
    check_range(HOL_RANGE_POSITIVE, 1e-300, NULL);
    check_range(HOL_RANGE_POSITIVE, 0, "must be positive");
    check_range(HOL_RANGE_POSITIVE, -1, "must be positive");
    check_range(HOL_RANGE_NOT_ZERO, 0, "must not be zero");
    check_range(HOL_RANGE_NOT_ZERO, -1, NULL);
    check_range(HOL_RANGE_BETWEEN, -0.5, NULL);
    check_range(HOL_RANGE_BETWEEN, 2, NULL);
    check_range(HOL_RANGE_BETWEEN, -0.51, between);
    check_range(HOL_RANGE_BETWEEN, 2.01, between);
    // no more than the room there is
    const HolField f = {.range = HOL_RANGE_POSITIVE};
    char why[8] = "1234567";
    assert_int_equal(hol_field_in_range(&f, 0, why, 5), 0);
    assert_memory_equal(why,
                        "must\0"
                        "67",
                        8);
}

static void test_lengths(void **state) {
    (void)state;
    // smallest and largest count of a scalar, in the plane and in space
    static const int expected[][6] = {[HOL_LENGTH_ONE] = {1, 1, 1, 1, 1, 1},
                                      [HOL_LENGTH_SPACE] = {1, 1, 2, 2, 3, 3},
                                      [HOL_LENGTH_TURN] = {1, 1, 1, 1, 3, 3},
                                      [HOL_LENGTH_INERTIA] = {1, 1, 1, 1, 3, 6},
                                      [HOL_LENGTH_ONE_OR_SPACE] = {1, 1, 1, 2, 1, 3},
                                      [HOL_LENGTH_ONE_OR_TURN] = {1, 1, 1, 1, 1, 3},
                                      [HOL_LENGTH_SIZE] = {3, 3, 2, 3, 3, 3},
                                      [HOL_LENGTH_TWO] = {2, 2, 2, 2, 2, 2},
                                      [HOL_LENGTH_THREE] = {3, 3, 3, 3, 3, 3},
                                      [HOL_LENGTH_FOUR] = {4, 4, 4, 4, 4, 4}};
    for (int l = 0; l < (int)(sizeof expected / sizeof *expected); l++)
        for (int d = 1; d <= 3; d++) {
            int low = 0, high = 0;
            hol_field_lengths((HolFieldLength)l, d, &low, &high);
            assert_int_equal(low, expected[l][2 * (d - 1)]);
            assert_int_equal(high, expected[l][2 * (d - 1) + 1]);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_lengths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
