// SPDX-License-Identifier: Apache-2.0
// Options of every method in the registry, set in C: every word of its table is taken, other words,
// numbers out of range and options of other methods are refused with a message that names them.
#include "probe.h"
#include "solve/sim.h"

#include <math.h>
#include <string.h>

static const char text[] = "holonom: 1\nspace: planar\ngravity: [0, -9.8]\n"
                           "bodies: [{name: b, mass: 1, inertia: 0.1, position: [1, 0]}]\n"
                           "joints: [{name: J, type: revolute, between: [ground, {body: b, at: "
                           "[-1, 0]}]}]\n";

static HolSimOptions options_of(const HolStepper *s) {
    HolSimOptions o = hol_sim_options();
    snprintf(o.method.name, sizeof o.method.name, "%s", s->name);
    if (s->adaptive != HOL_STEP_ADAPTIVE)
        o.step = 0.01;
    return o;
}

static HolStatus try_options(const HolModel *m, const HolSimOptions *o, HolError *err) {
    HolSim *sim = NULL;
    *err = (HolError){0};
    HolStatus status = hol_sim_create(m, o, &sim, err);
    assert_int_equal(status == HOL_OK, sim != NULL);
    hol_sim_destroy(sim);
    return status;
}

static void put_word(HolSimOptions *o, const HolField *f, const char *word) {
    snprintf((char *)&o->method + f->offset, f->size, "%s", word);
}

static void put_number(HolSimOptions *o, const HolField *f, double value) {
    const int whole = (int)value;
    memcpy((char *)&o->method + f->offset,
           f->type == HOL_FIELD_NUMBER ? (void *)&value : (void *)&whole, f->size);
}

static void expect_refusal(const HolModel *m, const HolSimOptions *o, const char *key,
                           const char *why) {
    HolError err;
    if (try_options(m, o, &err) != HOL_ERR_INPUT)
        fail_msg("%s: %s was not refused", o->method.name, key);
    if (!strstr(err.text, key) || !strstr(err.text, why))
        fail_msg("%s: '%s' names no '%s' or '%s'", o->method.name, err.text, key, why);
}

// words: bdf without its library is refused whatever the options
static void check_words(const HolModel *m, const HolStepper *s, const HolField *f) {
    char key[40];
    HolError err;
    HolSimOptions o = options_of(s);
    snprintf(key, sizeof key, "method.%s", f->key);
    if (try_options(m, &o, &err) == HOL_ERR_UNSUPPORTED)
        return;
    put_word(&o, f, "nonsense");
    for (const HolWord *w = f->words; w && w->name; w++)
        expect_refusal(m, &o, key, w->name);
    for (const HolWord *w = f->words; w && w->name; w++) {
        o = options_of(s);
        put_word(&o, f, w->name);
        o.method.force = 1; // sets that are refused otherwise
        HolStatus status = try_options(m, &o, &err);
        if (status && strcmp(w->name, "joints") != 0 &&
            !strstr(err.text, "belongs to error control"))
            fail_msg("%s with %s: %s was refused: %s", s->name, f->key, w->name, err.text);
    }
}

static void check_range(const HolModel *m, const HolStepper *s, const HolField *f) {
    char key[40];
    HolSimOptions o = options_of(s);
    snprintf(key, sizeof key, "method.%s", f->key);
    if (f->range == HOL_RANGE_ANY)
        return;
    put_number(&o, f, f->range == HOL_RANGE_POSITIVE ? -1 : f->high + 1);
    expect_refusal(m, &o, key, f->takes ? f->takes : "must be");
    put_number(&o, f, f->range == HOL_RANGE_POSITIVE ? -2 : f->low - 1);
    if (!(f->range == HOL_RANGE_ZERO_OR && f->low == 1)) // 0 is automatic
        expect_refusal(m, &o, key, f->takes ? f->takes : "must be");
}

static void test_own_options(void **state) {
    (void)state;
    HolModel *m = parse_model(text);
    for (const HolStepper *const *s = hol_steppers; *s; s++)
        for (const HolField *f = (*s)->options; f->key; f++) {
            if (f->type == HOL_FIELD_WORD)
                check_words(m, *s, f);
            else if (f->type != HOL_FIELD_SWITCH)
                check_range(m, *s, f);
        }
    hol_model_destroy(m);
}

// what another method takes
static void test_other_options(void **state) {
    (void)state;
    HolModel *m = parse_model(text);
    int n = 0;
    for (const HolStepper *const *s = hol_steppers; *s; s++)
        for (const HolStepper *const *other = hol_steppers; *other; other++)
            for (const HolField *f = (*other)->options; f->key; f++) {
                HolSimOptions o = options_of(*s);
                const int unnamed = !strcmp((*s)->name, "auto"); // then they are those of tangent
                if (hol_field_find((*s)->options, f->key) || f->type == HOL_FIELD_SWITCH ||
                    (unnamed && hol_field_find(hol_stepper_find("tangent")->options, f->key)))
                    continue;
                if (f->type == HOL_FIELD_WORD)
                    put_word(&o, f, f->words[0].name);
                else
                    put_number(&o, f, 3);
                char quoted[40];
                snprintf(quoted, sizeof quoted, "'%s'", f->key);
                expect_refusal(m, &o, quoted, "has no parameter");
                n++;
            }
    assert_true(n > 100);
    hol_model_destroy(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_own_options),
                                       cmocka_unit_test(test_other_options)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
