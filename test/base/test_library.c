// SPDX-License-Identifier: Apache-2.0
// Libraries loaded when they are needed: the symbols that are there, and what is said of those that
// are not.
#include "base/library/library.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_symbols(void **state) {
    (void)state;
    static const char *const names[] = {"cos", "hypot"}, *const more[] = {"cos", "no_such_thing"};
    struct {
        double (*cosine)(double);
        double (*length)(double, double);
    } table = {0};
    assert_int_equal(hol_library_load("libm.so.6", names, 2, &table), 1);
    assert_true(table.cosine(0) == 1 && table.length(3, 4) == 5);
    table.cosine = sin;
    assert_int_equal(hol_library_load("libm.so.6", more, 2, &table), 0);
    assert_true(table.cosine == sin); // nothing of it is taken
    assert_int_equal(hol_library_load("libno_such_thing.so.1", names, 2, &table), 0);
}

static void test_messages(void **state) {
    (void)state;
    HolError err = {0};
    assert_int_equal(hol_library_missing("libno_such_thing.so.1", "pictures need", &err),
                     HOL_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.text, "cannot load libno_such_thing.so.1, which pictures need"));
    assert_non_null(strstr(err.text, "No such file"));
    hol_library_missing("libm.so.6", "pictures need", &err);
    assert_non_null(strstr(err.text, "another version"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_symbols),
        cmocka_unit_test(test_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
