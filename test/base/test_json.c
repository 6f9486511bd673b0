// SPDX-License-Identifier: Apache-2.0
// The JSON writer: commas, layouts, escapes and numbers, byte by byte.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "holonom/json.h"

#include <math.h>

typedef struct Text {
    char text[4096];
    size_t length;
} Text;

static void add(void *to, const char *text, size_t length) {
    Text *t = to;
    assert_true(t->length + length < sizeof t->text);
    memcpy(t->text + t->length, text, length);
    t->length += length;
    t->text[t->length] = 0;
}

static void test_lines(void **state) {
    (void)state;
    Text t = {0};
    HolJson j = {.put = add, .to = &t};
    hol_json_begin(&j, NULL, '{', HOL_JSON_LINES);
    hol_json_text(&j, "a", "x");
    hol_json_begin(&j, "none", '[', HOL_JSON_LINES);
    hol_json_end(&j);
    hol_json_begin(&j, "list", '[', HOL_JSON_LINES);
    hol_json_integer(&j, NULL, -3);
    hol_json_bool(&j, NULL, 1);
    hol_json_begin(&j, NULL, '{', HOL_JSON_ROW);
    hol_json_text(&j, "b", NULL);
    hol_json_numbers(&j, "c", (double[]){1, 0.5}, 2);
    hol_json_end(&j);
    hol_json_end(&j);
    hol_json_lines(&j, "");
    hol_json_raw(&j, "raw", "{ }");
    hol_json_end(&j);
    assert_string_equal(t.text, "{\n"
                                "  \"a\": \"x\",\n"
                                "  \"none\": [],\n"
                                "  \"list\": [\n"
                                "    -3,\n"
                                "    true,\n"
                                "    {\"b\": null, \"c\": [1, 0.5]}\n"
                                "  ],\n"
                                "  \"raw\": { }\n"
                                "}");
}

static void test_tight(void **state) {
    (void)state;
    Text t = {0};
    HolJson j = {.put = add, .to = &t, .in_page = 1};
    hol_json_begin(&j, NULL, '{', HOL_JSON_TIGHT);
    hol_json_bool(&j, "a", 0);
    hol_json_wrap(&j);
    hol_json_begin(&j, "l", '[', HOL_JSON_TIGHT);
    hol_json_lines(&j, "one\n\n<two>\n");
    hol_json_numbers(&j, NULL, (double[]){1e-9, NAN, -INFINITY}, 3);
    hol_json_end(&j);
    hol_json_name(&j, "mine");
    add(&t, "7", 1);
    hol_json_end(&j);
    assert_string_equal(
        t.text, "{\"a\":false,\n\"l\":[\"one\",\"\\u003ctwo>\",[1e-09,null,null]],\"mine\":7}");
}

static void test_escapes(void **state) {
    (void)state;
    Text t = {0};
    HolJson j = {.put = add, .to = &t};
    hol_json_text(&j, NULL, "a\"b\\c\n\t\x01<\xc3\xa4");
    assert_string_equal(t.text, "\"a\\\"b\\\\c\\n\\t\\u0001<\xc3\xa4\"");
    t = (Text){0};
    hol_json_begin(&j, NULL, '{', HOL_JSON_ROW);
    hol_json_integer(&j, "say \"x\"", 1);
    hol_json_end(&j);
    assert_string_equal(t.text, "{\"say \\\"x\\\"\": 1}");
}

// 17 digits where they are asked for, else as few as read back the same
static void test_numbers(void **state) {
    (void)state;
    Text t = {0};
    HolJson j = {.put = add, .to = &t, .full = 1};
    hol_json_number(&j, NULL, 0.1);
    assert_string_equal(t.text, "0.10000000000000001");
    t = (Text){0};
    j.full = 0;
    hol_json_number(&j, NULL, 0.1);
    assert_string_equal(t.text, "0.1");
}

// an object for a place that has its comma and name already, indented as if inside another
static void test_bare(void **state) {
    (void)state;
    Text t = {0};
    HolJson j = {.put = add, .to = &t, .depth = 1, .bare = 1};
    hol_json_begin(&j, NULL, '{', HOL_JSON_LINES);
    hol_json_integer(&j, "a", 1);
    hol_json_integer(&j, "b", 2);
    hol_json_end(&j);
    assert_string_equal(t.text, "{\n    \"a\": 1,\n    \"b\": 2\n  }");
}

// deeper than the writer remembers: nothing is overwritten, and the depth is right again after it
static void test_depth(void **state) {
    (void)state;
    Text t = {0};
    HolJson j = {.put = add, .to = &t};
    for (int i = 0; i < HOL_JSON_DEPTH + 3; i++)
        hol_json_begin(&j, NULL, '[', HOL_JSON_TIGHT);
    for (int i = 0; i < HOL_JSON_DEPTH + 3; i++)
        hol_json_end(&j);
    assert_int_equal(j.depth, 0);
    assert_int_equal(t.length, 2 * (HOL_JSON_DEPTH + 3));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),   cmocka_unit_test(test_tight),
        cmocka_unit_test(test_escapes), cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_bare),    cmocka_unit_test(test_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
