// SPDX-License-Identifier: Apache-2.0
// `--input NAME=FILE.csv`: an input from a file, linear between rows; inputs by `--set`.
#include "run.h"

#include <stdlib.h>
#include <unistd.h>

static const char text[] = "{holonom: 1, space: planar, inputs: {u: 0, w: 0},"
                           " bodies: [{name: x, type: coordinate, mass: 1, position: 0}],"
                           " forces: [{type: expression, on: x, value: u}],"
                           " simulation: {end: 3, tolerance: 1e-10}}";

static char path[] = "/tmp/test_input_XXXXXX";

static int write_file(void **state) {
    (void)state;
    const char rows[] = "time,u,other\n0,0,1\n1,1,1\n2,1,1\n";
    const int f = mkstemp(path);
    const int bad = f < 0 || write(f, rows, sizeof rows - 1) != (ssize_t)sizeof rows - 1;
    close(f);
    return bad;
}

static int remove_file(void **state) {
    (void)state;
    return unlink(path);
}

static double value(HolSim *s, const char *name) {
    double v = NAN;
    assert_int_equal(hol_sim_value(s, name, &v, NULL), HOL_OK);
    return v;
}

static void inputs_follow_files(void **state) {
    (void)state;
    static const char *const methods[] = {"taylor", "tangent", "rk853", "radau"};
    const HolSetting setting = {"input_file.u", path};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        HolModel *m = NULL;
        HolSim *s = NULL;
        HolSimOptions o;
        HolError err;
        if (hol_model_parse(text, strlen(text), "m", &setting, 1, &m, &o, &err) != HOL_OK)
            fail_msg("%s", err.text);
        snprintf(o.method.name, sizeof o.method.name, "%s", methods[i]);
        assert_int_equal(hol_sim_create(m, &o, &s, &err), HOL_OK);
        // x'' = t up to 1, then 1 for good
        assert_int_equal(hol_sim_advance(s, 1, &err), HOL_OK);
        close_to(value(s, "x"), 1. / 6, 1e-8);
        assert_int_equal(hol_sim_advance(s, 1.5, &err), HOL_OK);
        close_to(value(s, "u"), 1, 1e-12);
        assert_int_equal(hol_sim_advance(s, 3, &err), HOL_OK);
        close_to(value(s, "x"), 1. / 6 + 0.5 * 2 + 2, 1e-7);
        assert_int_equal(hol_model_input_count(m), 1); // w is left
        assert_int_equal(hol_sim_set_input(s, "u", 1, &err), HOL_ERR_INPUT);
        hol_sim_destroy(s);
        hol_model_destroy(m);
    }
}

// what spreadsheets and other programs write: u(0.5) = 0.5, or what is said
static void files_of_other_programs(void **state) {
    (void)state;
    static const struct {
        const char *rows, *says;
    } files[] = {
        {"\xef\xbb\xbftime,u\r\n0,0\r\n1,1\r\n", NULL},                   // byte order mark
        {"time , u \n0,0\n\n1, 1\n\n  \n", NULL},                         // blanks
        {"time,note,u\n0,\"first, \"\"a\"\"\",0\n1,,1", NULL},            // texts
        {"\"time\",\"u\"\n\"0\",\"0\"\n\"1\",\"1\"\n", NULL},             // quotes
        {"time,u\n0,0\n0.5,\n1,1\n", "line 3: column 2 (u) should be a"}, // a gap
        {"time,u\n0,0\n0.5,nan\n1,1\n", "line 3: column 2 (u) should be a"},
        {"time,u\n0,0\n0,5,1\n", "line 3 has more than the 2 entries"},
        {"time,u\n0,0\n1\n2,0\n", "line 3 has less than the 2 entries"},
        {"time,u\n0,0\n\n2,1\n1,0\n", "line 5: x must increase, and 1 does not"},
        {"time,u,u\n0,0,1\n1,1,1\n", "has 2 columns 'u'"},
        {"time;u\n0;0\n1;1\n", "separate columns by commas"},
        {"", "first line should have the names"},
    };
    char name[] = "/tmp/test_input_XXXXXX";
    const int f = mkstemp(name);
    assert_true(f >= 0);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const size_t length = strlen(files[i].rows);
        assert_int_equal(ftruncate(f, 0), 0);
        assert_int_equal(pwrite(f, files[i].rows, length, 0), (ssize_t)length);
        const HolSetting setting = {"input_file.u", name};
        HolModel *m = NULL;
        HolSim *s = NULL;
        HolSimOptions o;
        HolError err;
        const HolStatus status =
            hol_model_parse(text, strlen(text), "m", &setting, 1, &m, &o, &err);
        if (files[i].says) {
            if (status != HOL_ERR_INPUT || !strstr(err.text, files[i].says))
                fail_msg("file %zu: '%s' lacks '%s'", i, err.text, files[i].says);
            continue;
        }
        if (status != HOL_OK)
            fail_msg("file %zu: %s", i, err.text);
        assert_int_equal(hol_sim_create(m, &o, &s, &err), HOL_OK);
        assert_int_equal(hol_sim_advance(s, 0.5, &err), HOL_OK);
        close_to(value(s, "u"), 0.5, 1e-12);
        hol_sim_destroy(s);
        hol_model_destroy(m);
    }
    close(f);
    unlink(name);
    // a folder is no table
    HolModel *m = NULL;
    HolSimOptions o;
    HolError err;
    const HolSetting folder = {"input_file.u", "/tmp"};
    assert_int_equal(hol_model_parse(text, strlen(text), "m", &folder, 1, &m, &o, &err),
                     HOL_ERR_INPUT);
    assert_non_null(strstr(err.text, "cannot read '/tmp': Is a directory"));
}

static void inputs_by_set(void **state) {
    (void)state;
    HolModel *m = NULL;
    HolSim *s = NULL;
    HolSimOptions o;
    const HolSetting setting = {"u", "2"};
    assert_int_equal(hol_model_parse(text, strlen(text), "m", &setting, 1, &m, &o, NULL), HOL_OK);
    assert_int_equal(hol_sim_create(m, &o, &s, NULL), HOL_OK);
    assert_int_equal(hol_sim_advance(s, 1, NULL), HOL_OK);
    close_to(value(s, "x"), 1, 1e-9);
    hol_sim_destroy(s);
    hol_model_destroy(m);
}

// of a part, by its whole name
static void input_of_a_part(void **state) {
    (void)state;
    char part[] = "/tmp/test_input_part_XXXXXX", table[] = "/tmp/test_input_table_XXXXXX",
         whole[300];
    const int f = mkstemp(part), g = mkstemp(table);
    assert_true(f >= 0 && g >= 0);
    static const char rows[] = "time,left.u\n0,1\n1,3\n";
    assert_int_equal(write(f, text, strlen(text)), (ssize_t)strlen(text));
    assert_int_equal(write(g, rows, strlen(rows)), (ssize_t)strlen(rows));
    close(f);
    close(g);
    snprintf(whole, sizeof whole, "holonom: 1\nspace: planar\nparts: [{name: left, file: %s}]\n",
             part);
    HolModel *m = NULL;
    HolSim *s = NULL;
    HolSimOptions o;
    HolError err;
    const HolSetting setting = {"input_file.left.u", table};
    if (hol_model_parse(whole, strlen(whole), "m", &setting, 1, &m, &o, &err) != HOL_OK)
        fail_msg("%s", err.text);
    assert_int_equal(hol_sim_create(m, &o, &s, NULL), HOL_OK);
    assert_int_equal(hol_sim_advance(s, 0.5, NULL), HOL_OK);
    close_to(value(s, "left.u"), 2, 1e-12);
    hol_sim_destroy(s);
    hol_model_destroy(m);
    unlink(part);
    unlink(table);
}

static void mistakes_are_named(void **state) {
    (void)state;
    static const struct {
        const char *key, *value, *says;
    } bad[] = {{"input_file.v", path, "--input v: there is no input 'v'"},
               {"input_file.u", "/nonexistent/u.csv", "/nonexistent/u.csv"},
               {"input_file.w", path, "no column 'w'"},
               {"input_file.u", "[1, 2]", "the name of a CSV file"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        HolModel *m = NULL;
        HolSimOptions o;
        HolError err;
        const HolSetting setting = {bad[i].key, bad[i].value};
        assert_int_equal(hol_model_parse(text, strlen(text), "m", &setting, 1, &m, &o, &err),
                         HOL_ERR_INPUT);
        assert_null(m);
        if (!strstr(err.text, bad[i].says))
            fail_msg("'%s' lacks '%s'", err.text, bad[i].says);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_follow_files), cmocka_unit_test(files_of_other_programs),
        cmocka_unit_test(inputs_by_set), cmocka_unit_test(input_of_a_part),
        cmocka_unit_test(mistakes_are_named)};
    return cmocka_run_group_tests(tests, write_file, remove_file);
}
