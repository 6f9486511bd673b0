// SPDX-License-Identifier: Apache-2.0
// Numbers as text, the field tables (complete, consistent with the structs' defaults), and the
// reference and schema made from them.
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "holonom/tools.h"
#include "model/fields.h"
#include "solve/sim.h"

// ---- numbers ------------------------------------------------------------------------------

static void assert_prints(double value, const char *text) {
    char out[HOL_NUMBER_SIZE];
    assert_int_equal(hol_text_print_number(value, out), strlen(text));
    assert_string_equal(out, text);
}

static double number(const char *text) {
    double value = NAN;
    if (!hol_text_number(text, strlen(text), &value))
        return NAN;
    return value;
}

static void test_numbers(void **state) {
    (void)state;
    assert_prints(0.1, "0.1");
    assert_prints(1.0 / 3, "0.3333333333333333");
    assert_prints(-2, "-2");
    assert_prints(1e300, "1e+300");
    assert_prints(5e-324, "5e-324");
    assert_prints(0.1 + 0.2, "0.30000000000000004");
    assert_prints(INFINITY, "inf");
    assert_true(number("-1.5e3") == -1500 && number(".5") == 0.5 && number("2.") == 2);
    assert_true(number("+1E-2") == 0.01 && isinf(number("1e999")));
    const char *const bad[] = {"",    "-",  ".",  "e5",  "1e",    "1e+", "0x10", "inf",
                               "nan", "1 ", " 1", "1,5", "1.2.3", "--1", "1d3"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_true(isnan(number(bad[i])));
    // the length counts, not the end of the string
    double value;
    assert_true(hol_text_number("12345", 3, &value) && value == 123);
}

static void test_round_trip(void **state) {
    (void)state;
    uint64_t bits = 0x9E3779B97F4A7C15u;
    for (int i = 0; i < 20000; i++) {
        double value, back;
        char text[HOL_NUMBER_SIZE];
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        int n = hol_text_print_number(value, text);
        assert_true(n > 0 && n < HOL_NUMBER_SIZE);
        assert_true(hol_text_number(text, (size_t)n, &back));
        assert_memory_equal(&back, &value, sizeof value);
    }
}

static void test_other_locale(void **state) {
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8"};
    const char *set = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !set; i++)
        set = setlocale(LC_ALL, names[i]);
    if (!set)
        skip(); // no locale with a decimal comma is installed
    assert_prints(1.5, "1.5");
    assert_true(number("1.5") == 1.5);
    setlocale(LC_ALL, "C");
}

static void test_names(void **state) {
    (void)state;
    assert_true(hol_text_is_name("a_1", 3) && hol_text_is_name("_x", 2));
    assert_false(hol_text_is_name("1a", 2) || hol_text_is_name("", 0) ||
                 hol_text_is_name("a.b", 3) || hol_text_is_name("a-b", 3));
    assert_int_equal(hol_text_characters("a\xc3\xa9z", 4), 3);
}

// ---- tables -------------------------------------------------------------------------------

static const HolField *const tables[] = {
    hol_file_fields,       hol_body_fields,      hol_point_fields,        hol_shape_fields,
    hol_ref_fields,        hol_joint_fields,     hol_force_fields,        hol_motion_fields,
    hol_constraint_fields, hol_variable_fields,  hol_simulation_fields,   hol_method_fields,
    hol_material_fields,   hol_stiffness_fields, hol_beam_damping_fields, hol_arc_fields,
    hol_beam_fields};

static void check_table(const HolField *table) {
    for (const HolField *f = table; f->key; f++) {
        assert_non_null(f->help);
        assert_ptr_equal(hol_field_find(table, f->key), f); // no key twice
        assert_true(f->type != HOL_FIELD_OWN || f->form);
        // every word must fit, every default must be allowed
        for (const HolWord *w = f->words; w && w->name; w++)
            assert_true(f->type != HOL_FIELD_WORD || strlen(w->name) < f->size);
        double value;
        int word;
        char why[96];
        if (f->fallback && hol_text_number(f->fallback, strlen(f->fallback), &value))
            assert_true(hol_field_in_range(f, value, why, sizeof why));
        else if (f->fallback && f->words && f->type != HOL_FIELD_OWN)
            assert_true(hol_word_value(f->words, f->fallback, &word));
    }
}

static void test_tables(void **state) {
    (void)state;
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        check_table(tables[t]);
    for (const HolStepper *const *s = hol_steppers; *s; s++)
        check_table((*s)->options);
}

// keys of kinds stand in the tables
static void check_kinds(const HolKind *const *list, const HolField *table) {
    for (const HolKind *k; (k = *list); list++) {
        assert_non_null(k->help);
        assert_int_equal(hol_kind_takes(k, "joints"), k->couples[0] != HOL_COUPLES_NONE);
        assert_int_equal(!k->couples[0], !k->couples[1]);
        for (const char *const *key = k->fields; *key; key++)
            if (!hol_field_find(table, *key))
                fail_msg("%s: no field '%s'", k->name, *key);
    }
}

static void test_kinds_use_known_keys(void **state) {
    (void)state;
    check_kinds(hol_body_kinds, hol_body_fields);
    check_kinds(hol_joint_kinds, hol_joint_fields);
    check_kinds(hol_force_kinds, hol_force_fields);
}

// the table's default against the struct's own
static void check_default(const HolField *f, const char *table, const char *own) {
    size_t size = sizeof(double);
    if (f->type == HOL_FIELD_CHOICE || f->type == HOL_FIELD_FLAGS || f->type == HOL_FIELD_SWITCH ||
        f->type == HOL_FIELD_INTEGER)
        size = sizeof(int);
    else if (f->type == HOL_FIELD_WORD)
        size = strlen(f->fallback) + 1;
    else if (f->type == HOL_FIELD_LONG)
        size = sizeof(long);
    if (memcmp(table + f->offset, own + f->offset, size) != 0)
        fail_msg("default of '%s' differs", f->key);
}

static void check_defaults(const HolField *table, const void *own, size_t size) {
    char *object = calloc(1, size);
    assert_non_null(object);
    hol_field_defaults(table, object);
    for (const HolField *f = table; f->key; f++)
        if (f->fallback && f->type != HOL_FIELD_OWN)
            check_default(f, object, own);
    free(object);
}

static void test_defaults(void **state) {
    (void)state;
    HolBodyDef body = hol_body_def();
    HolJointDef joint = hol_joint_def("revolute");
    HolForceDef force = hol_force_def("force");
    HolSimOptions options = hol_sim_options();
    check_defaults(hol_body_fields, &body, sizeof body);
    check_defaults(hol_joint_fields, &joint, sizeof joint);
    check_defaults(hol_force_fields, &force, sizeof force);
    check_defaults(hol_simulation_fields, &options, sizeof options);
    check_defaults(hol_method_fields, &options.method, sizeof options.method);
    assert_true(isnan(joint.length));
}

// ---- reference and schema -----------------------------------------------------------------

typedef struct Text {
    char data[400000];
    size_t n;
} Text;

static void put(void *to, const char *text, size_t length) {
    Text *t = to;
    assert_true(t->n + length < sizeof t->data);
    memcpy(t->data + t->n, text, length);
    t->n += length;
    t->data[t->n] = 0;
}

static Text made, stored;

static void assert_same_as_file(int format, const char *path) {
    made.n = 0;
    hol_kinds_print(format, put, &made);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    stored.n = fread(stored.data, 1, sizeof stored.data - 1, file);
    stored.data[stored.n] = 0;
    fclose(file);
    if (made.n != stored.n || memcmp(made.data, stored.data, made.n) != 0)
        fail_msg("%s is out of date; write it again with `holonom kinds`", path);
}

static void test_documents(void **state) {
    (void)state;
    assert_same_as_file(HOL_KINDS_MARKDOWN, HOL_SOURCE_DIR "/docs/format.md");
    assert_same_as_file(HOL_KINDS_SCHEMA, HOL_SOURCE_DIR "/docs/model.schema.json");
}

static void test_text_lists_everything(void **state) {
    (void)state;
    made.n = 0;
    hol_kinds_print(HOL_KINDS_TEXT, put, &made);
    for (const HolKind *const *list = hol_joint_kinds, *k; (k = *list); list++)
        assert_non_null(strstr(made.data, k->name));
    for (const HolKind *const *list = hol_force_kinds, *k; (k = *list); list++)
        assert_non_null(strstr(made.data, k->name));
    for (const HolStepper *const *s = hol_steppers; *s; s++)
        assert_non_null(strstr(made.data, (*s)->name));
}

// the schema is JSON: it can be read by the model reader's YAML parser as one map
static void test_schema_is_json(void **state) {
    (void)state;
    made.n = 0;
    hol_kinds_print(HOL_KINDS_SCHEMA, put, &made);
    int depth = 0, in_string = 0;
    for (size_t i = 0; i < made.n; i++) {
        char c = made.data[i];
        if (in_string && c == '\\')
            i++;
        else if (c == '"')
            in_string = !in_string;
        else if (!in_string && (c == '{' || c == '['))
            depth++;
        else if (!in_string && (c == '}' || c == ']'))
            depth--;
        assert_true(depth > 0 || i + 2 >= made.n);
    }
    assert_int_equal(depth, 0);
    assert_false(in_string);
    assert_null(strstr(made.data, ",]"));
    assert_null(strstr(made.data, ", ,"));
    assert_null(strstr(made.data, "{,"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_other_locale),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_kinds_use_known_keys),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_documents),
        cmocka_unit_test(test_text_lists_everything),
        cmocka_unit_test(test_schema_is_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
