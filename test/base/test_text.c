// SPDX-License-Identifier: Apache-2.0
// Numbers to and from text, names, characters, and the nearest word.
#include "base/text.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_numbers_read(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double value;
    } good[] = {{"0", 0},      {"-1.5e3", -1500}, {".5", 0.5},         {"2.", 2},
                {"+7", 7},     {"1E+2", 100},     {"1e-02", 0.01},     {"00012", 12},
                {"-.5e1", -5}, {"0.1", 0.1},      {"1e400", INFINITY}, {"1e-400", 0}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        double value = -77;
        assert_int_equal(hol_text_number(good[i].text, strlen(good[i].text), &value), 1);
        assert_true(value == good[i].value);
    }
    static const char *const bad[] = {"",     "-",   ".",     "e5",  "1e",  "1e+", "1.2.3", "1 ",
                                      " 1",   "1x",  "0x1",   "inf", "nan", "--1", "1e5.",  "1,5",
                                      "1e2e", "+-1", "1e+-2", "/",   ":",   "1/",  "1:"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double value = -77;
        assert_int_equal(hol_text_number(bad[i], strlen(bad[i]), &value), 0);
        assert_true(value == -77);
    }
    double value = 0; // the length counts, not the end of the string
    assert_int_equal(hol_text_number("12345", 3, &value), 1);
    assert_true(value == 123);
    char digits[600]; // 511 characters are read, 512 are not
    memset(digits, '0', sizeof digits);
    assert_int_equal(hol_text_number(digits, 511, &value), 1);
    assert_int_equal(hol_text_number(digits, 512, &value), 0);
}

static void check_print(double value, const char *expected) {
    char text[HOL_NUMBER_SIZE];
    const int length = hol_text_print_number(value, text);
    assert_int_equal(length, strlen(text));
    assert_string_equal(text, expected);
}

static void test_numbers_printed(void **state) {
    (void)state;
    check_print(0.1, "0.1");
    check_print(0, "0");
    check_print(-2.5, "-2.5");
    check_print(1e-9, "1e-09");
    check_print(1.0 / 3, "0.3333333333333333");
    check_print(0.1 + 0.2, "0.30000000000000004");
    check_print(INFINITY, "inf");
    check_print(-INFINITY, "-inf");
    check_print(NAN, "nan");
    check_print(5e-324, "5e-324");
    check_print(3e-320, "3e-320");
    check_print(DBL_MIN, "2.2250738585072014e-308");
    check_print(DBL_MAX, "1.7976931348623157e+308");
    uint64_t x = 88172645463325252u; // any bits read back
    for (int i = 0; i < 2000; i++) {
        char text[HOL_NUMBER_SIZE];
        double value, back = 0;
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        memcpy(&value, &x, sizeof value);
        if (!isfinite(value))
            continue;
        assert_int_equal(hol_text_number(text, (size_t)hol_text_print_number(value, text), &back),
                         1);
        assert_true(back == value);
    }
}

static void test_names(void **state) {
    (void)state;
    static const char *const good[] = {"a", "z", "A", "Z", "_", "a0", "a9", "_x1", "Rod_2b"};
    static const char *const bad[] = {"",   "0a", "9",  "a.b", "a-b", "a b",      "a[",
                                      "a{", "a@", "a`", "a/",  "a:",  "\xc3\xa4", "a\xc3",
                                      "-",  "[",  "@",  "`",   "{"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_int_equal(hol_text_is_name(good[i], strlen(good[i])), 1);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(hol_text_is_name(bad[i], strlen(bad[i])), 0);
    assert_int_equal(hol_text_is_name("a.b", 1), 1);
}

static void test_characters(void **state) {
    (void)state;
    const char *text = "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80z"; // 1, 2, 3, 4 and 1 bytes
    assert_int_equal(hol_text_characters(text, strlen(text)), 5);
    assert_int_equal(hol_text_characters(text, 3), 2);
    assert_int_equal(hol_text_characters(text, 0), 0);
    assert_int_equal(hol_text_characters("\x7f\x80\xbf\xc0", 4), 2);
}

static const char *nearest(const char *word, const char *a, const char *b, const char *c) {
    const char *const list[] = {a, b, c};
    const char *found = hol_nearest_word(word, list, 3);
    return found ? found : "none";
}

static void test_nearest(void **state) {
    (void)state;
    assert_string_equal(nearest("mas", "mass", "inertia", NULL), "mass");
    assert_string_equal(nearest("masss", "mass", "inertia", NULL), "mass");
    assert_string_equal(nearest("mess", "mass", "inertia", NULL), "mass");
    assert_string_equal(nearest("amss", "mass", "inertia", NULL), "mass"); // neighbours swapped
    assert_string_equal(nearest("masx", "mast", "mass", "masx"), "masx");  // the same word wins
    assert_string_equal(nearest("msa", "mass", "inertia", NULL),
                        "none"); // two edits in three letters
    // at least one edit, one in three letters of longer words
    assert_string_equal(nearest("abcde", "abcxy", "", NULL), "none");
    assert_string_equal(nearest("abcdef", "abcdxy", "", NULL), "abcdxy");
    assert_string_equal(nearest("abcdef", "abcxyz", "", NULL), "none");
    assert_string_equal(nearest("abcdefgh", "abcdexyz", "", NULL), "none");
    assert_string_equal(nearest("abcdefghi", "abcdefxyz", "", NULL), "abcdefxyz");
    // length: cut off early, the longer and the shorter alike
    assert_string_equal(nearest("abc", "abcde", "a", NULL), "none");
    assert_string_equal(nearest("abcdefghi", "abcdefghixyz", "", NULL), "abcdefghixyz");
    // another case costs an eighth: nearer than another letter; every letter of another case is near
    assert_string_equal(nearest("Mass", "mars", "mass", "moss"), "mass");
    assert_string_equal(nearest("MASS", "mars", "mass", NULL), "mass");
    assert_string_equal(nearest("ZAza", "zaZA", "xxxx", NULL), "zaZA");
    // every letter replaced is not near; of two the nearer, of two equal ones the first
    assert_string_equal(nearest("x", "y", "z", NULL), "none");
    assert_string_equal(nearest("ab", "ba", "b", "a"), "ba");
    assert_string_equal(nearest("radius", "radiux", "radixx", "radiuy"), "radiux");
    assert_string_equal(nearest("radius", "radixx", "radiux", "radiuy"), "radiux");
    // longest word: 64 letters
    char a[80], b[80];
    memset(a, 'a', sizeof a);
    memset(b, 'a', sizeof b);
    a[64] = b[64] = 0;
    b[5] = 'b';
    assert_ptr_equal(nearest(a, b, NULL, NULL), b);
    a[64] = 'a', a[65] = 0;
    assert_string_equal(nearest(a, b, NULL, NULL), "none");
    assert_string_equal(nearest(b, a, NULL, NULL), "none");
    assert_string_equal(nearest("", "a", NULL, NULL), "none");
    assert_null(hol_nearest_word(NULL, NULL, 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_read), cmocka_unit_test(test_numbers_printed),
        cmocka_unit_test(test_names),        cmocka_unit_test(test_characters),
        cmocka_unit_test(test_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
