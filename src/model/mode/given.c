// SPDX-License-Identifier: Apache-2.0
// What a model has beyond its mechanism: values that are constant while the motion is smooth
// (discrete values, inputs, constants of elements with modes), and hidden coordinates. A hidden
// coordinate is a scalar of mass 1 that has no name in expressions, no columns and no energy.
#include "model/model.h"

#include <string.h>

int hol_given_find(const HolModel *m, const char *name) {
    return hol_name_table_number(&m->def.names.given_names, name);
}

static int given_add(HolModel *m, const HolGiven *given) {
    if (!HOL_GROW(&m->arena, m->def.given, m->def.n_given, m->def.cap_given))
        return -1;
    m->def.given[m->def.n_given] = *given;
    if (given->kind != HOL_GIVEN_OWN && given->name)
        hol_name_table_add(&m->def.names.given_names, &m->arena, given->name, NULL, m->def.n_given);
    return m->def.n_given++;
}

int hol_given_new(HolModel *m, double initial) {
    return given_add(m, &(HolGiven){.name = "", .initial = initial, .kind = HOL_GIVEN_OWN});
}

HolStatus hol_add_given(HolModel *m, const HolGiven *def, HolError *err) {
    HolGiven given = *def;
    const char *word = def->kind == HOL_GIVEN_INPUT ? "input" : "discrete value";
    int found;
    hol_parameter(m, def->name, &found);
    if (found || hol_given_find(m, def->name) >= 0) {
        hol_problem_error(m, err, def->line, def->column, "%s '%.64s': the name is taken", word,
                          def->name);
        return HOL_ERR_INPUT;
    }
    given.name = hol_arena_text(&m->arena, def->name);
    if (given_add(m, &given) < 0)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    return HOL_OK;
}

int hol_add_hidden(HolModel *m, const char *name) {
    if (!HOL_GROW(&m->arena, m->def.bodies, m->def.n_bodies, m->def.cap_bodies))
        return -1;
    HolBody *b = &m->def.bodies[m->def.n_bodies];
    *b = (HolBody){.def = hol_body_def(), .nq = 1, .nv = 1, .hidden = 1};
    b->def.name = hol_arena_text(&m->arena, name);
    b->def.type = HOL_COORDINATE;
    m->def.n_hidden++;
    return m->def.n_bodies++;
}
