// SPDX-License-Identifier: Apache-2.0
// Every quantity of the table, in the plane and in space: known to expressions by its name and its
// synonyms, equal to the column of the same name, with the unit that the table says.
#include "text_run.h"

#include "io/result/column_unit.h"
#include "model/quantity.h"

#include <math.h>

static const char *const texts[2] = {
    "holonom: 1\nspace: planar\ngravity: [0.3, -9.8]\nbodies:\n"
    "  - {name: rod, mass: 1, inertia: 0.4, position: [0.5, 0], omega: 0.3, points: {tip: [0.5, "
    "0]}}\n"
    "  - {name: slider, mass: 2, inertia: 0.1, position: [3, 1], velocity: [0.2, 0]}\n"
    "  - {name: p, type: point, mass: 1, position: [1.7, 1], velocity: [0.3, 0.4]}\n"
    "  - {name: q, type: coordinate, mass: 1, position: 0.4, velocity: 0.1}\n"
    "  - {name: r, type: coordinate, mass: 2, position: 0.4}\n"
    "joints:\n"
    "  - {name: J, type: revolute, between: [ground, {body: rod, at: [-0.5, 0]}]}\n"
    "  - {name: S, type: prismatic, between: [{body: ground, at: [0, 1], axis: [1, 0]}, slider]}\n"
    "contacts: [{name: K, between: [{body: slider, point: {}}, {body: rod, circle: {radius: 3}}], "
    "stiffness: 10}]\n",
    "holonom: 1\nspace: spatial\ngravity: [0.3, -9.8, 1]\nbodies:\n"
    "  - {name: rod, mass: 1, inertia: [0.4, 0.5, 0.6], position: [0.5, 0, 0], omega: [0, 0, 0.3], "
    "points: {tip: [0.5, 0, 0]}}\n"
    "  - {name: slider, mass: 2, inertia: [0.1, 0.1, 0.1], position: [3, 1, 0], velocity: [0.2, 0, "
    "0]}\n"
    "  - {name: hung, mass: 1, inertia: [1, 1, 1], position: [5, 0, 0], omega: [0.3, 0, 0]}\n"
    "  - {name: ball, mass: 1, inertia: [1, 1, 1], position: [7, 0, 0], omega: [0.3, 0.2, 0]}\n"
    "  - {name: p, type: point, mass: 1, position: [1.7, 1, 0.3], velocity: [0.3, 0.4, 0.2]}\n"
    "  - {name: q, type: coordinate, mass: 1, position: 0.4, velocity: 0.1}\n"
    "  - {name: r, type: coordinate, mass: 2, position: 0.4}\n"
    "joints:\n"
    "  - {name: J, type: revolute, between: [{body: ground, axis: [0, 0, 1]}, {body: rod, at: "
    "[-0.5, 0, 0]}]}\n"
    "  - {name: S, type: prismatic, between: [{body: ground, at: [0, 1, 0], axis: [1, 0, 0]}, "
    "slider]}\n"
    "  - {name: U, type: universal, between: [{body: ground, at: [5, 0, 0], axis: [0, 0, 1]}, "
    "{body: hung, axis: [1, 0, 0]}]}\n"
    "  - {name: B, type: spherical, between: [{body: ground, at: [7, 0, 0]}, ball]}\n"
    "contacts: [{name: K, between: [{body: slider, point: {}}, {body: rod, sphere: {radius: 3}}], "
    "stiffness: 10, friction: {mu: 0.2}}]\n"};

static const char rest[] =
    "motions: [{name: M, joint: S, value: 3 + 0.2*time}]\n"
    "constraints: [{name: c, equation: q - r^2 - 0.24}]\n"
    "variables: [{name: u, value: 2*time + rod.vy}]\n"
    "forces:\n"
    "  - {name: F, type: spring_damper, between: [rod.tip, p], stiffness: 3, damping: 0.2}\n"
    "  - {name: T, type: torsion_spring_damper, joint: J, stiffness: 2}\n";

// something that has the quantity
static const char *owner_of(const HolQuantity *q, int owner) {
    switch (owner) {
    case HOL_OF_RIGID:
        return "rod.";
    case HOL_OF_POINT_MASS:
        return "p.";
    case HOL_OF_PLACE:
        return q->level == HOL_SLOT_ACCELERATION ? "ground." : "rod.tip.";
    case HOL_OF_COORDINATE:
        return "q.";
    case HOL_OF_JOINT:
        if (q->source == HOL_FROM_JOINT_TURN)
            return q->axis < 2 ? "U." : "B.";
        return q->source == HOL_FROM_JOINT_DISPLACEMENT ? "S." : "J.";
    case HOL_OF_FORCE:
        return strcmp(q->name, "angle") == 0 ? "T." : "F.";
    case HOL_OF_MOTION:
        return "M.";
    case HOL_OF_CONSTRAINT:
        return "c.";
    case HOL_OF_VARIABLE:
        return "u";
    case HOL_OF_CONTACT:
        return "K.";
    case HOL_OF_ENERGY:
        return "energy.";
    case HOL_OF_RESIDUAL:
        return "constraint.";
    case HOL_OF_STEP:
        return "step.";
    default:
        return "";
    }
}

static int find_column(const HolModel *m, const char *name) {
    for (int i = 0; i < hol_model_column_count(m); i++)
        if (strcmp(hol_model_column(m, i).name, name) == 0)
            return i;
    return -1;
}

// one name: alone, and as an expression
static void check_name(int space, const HolQuantity *q, int owner, const char *name) {
    char text[4000], full[64];
    double row[8];
    const int expression = (q->uses & HOL_USE_EXPRESSION) != 0;
    snprintf(full, sizeof full, "%s%s", owner_of(q, owner), name);
    int n = snprintf(text, sizeof text, "%s%soutputs: [%s", texts[space], rest, full);
    snprintf(text + n, sizeof text - (size_t)n, expression ? ", \"1*%s\"]\n" : "]\n", full);
    TextRun r = open_text(text, "tangent", 1e-6);
    advance_text(&r, 0.05);
    assert_int_equal(r.status, HOL_OK);
    assert_int_equal(hol_sim_row(r.sim, 0.05, row, &r.err), HOL_OK);
    const int alone = find_column(r.model, full);
    assert_true(alone >= 0 && isfinite(row[alone]));
    // (the default column of time comes before)
    const HolColumn column = hol_column_with_unit(r.model, alone);
    const char *unit = q->unit ? q->unit : owner == HOL_OF_JOINT ? "rad/s" : "m/s";
    if (strcmp(column.unit, unit) != 0)
        fail_msg("%s: unit '%s', the table says '%s'", full, column.unit, unit);
    if (expression) {
        const double other = row[hol_model_column_count(r.model) - 1];
        if (!(fabs(other - row[alone]) <= 1e-12 * (1 + fabs(other))))
            fail_msg("%s is %.17g as a column, %.17g in an expression", full, row[alone], other);
    }
    close_text(&r);
}

static void check_owner(int space, const HolQuantity *q, int owner) {
    check_name(space, q, owner, q->name);
    if (q->column)
        check_name(space, q, owner, q->column);
    for (const char *word = q->also; *word;) {
        char name[32];
        const int length = (int)strcspn(word, " ");
        snprintf(name, sizeof name, "%.*s", length, word);
        check_name(space, q, owner, name);
        word += length + (word[length] == ' ');
    }
}

static void test_every_quantity(void **state) {
    (void)state;
    for (int space = 0; space < 2; space++)
        for (const HolQuantity *q = hol_quantities; q->name; q++)
            for (int owner = 1; owner <= HOL_OF_CONTACT; owner *= 2)
                if ((owner <= HOL_OF_STEP || owner == HOL_OF_CONTACT) &&
                    hol_quantity_of(q, q->owners & owner, space ? HOL_SPATIAL : HOL_PLANAR) &&
                    !(q->source == HOL_FROM_LOAD && q->axis == 1)) // of what turns: test_places
                    check_owner(space, q, owner);
}

// one meaning a name, and a help for every line
static void test_names_are_unique(void **state) {
    (void)state;
    assert_non_null(hol_quantities[0].help);
    for (const HolQuantity *q = hol_quantities; q->name; q++) {
        assert_true(q->help || q[-1].owners == q->owners);
        assert_true(q->unit || !(q->uses & HOL_USE_COLUMN));
        for (const HolQuantity *o = q + 1; o->name; o++)
            if ((o->owners & q->owners) && (o->spaces & q->spaces) && strcmp(o->name, q->name) == 0)
                fail_msg("%s stands twice", q->name);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_quantity),
                                       cmocka_unit_test(test_names_are_unique)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
