// SPDX-License-Identifier: Apache-2.0
// First-order states z' = s(t, q, v, z, ..): controllers, motors, pressures. z is carried as the
// velocity of a hidden scalar coordinate of mass 1 on which the generalized force s acts:
//     u' = z,   1 z' = s
// so that every method integrates it. u itself means nothing: no error test, energy, degree of
// freedom, mode or equilibrium asks for it (extent.c, measure.c, solve/linear, solve/equilibrium).
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int hol_state_find(const HolModel *m, const char *name) {
    return hol_name_table_number(&m->def.names.state_names, name);
}

static int state_name_taken(const HolModel *m, const char *name) {
    int found;
    hol_parameter(m, name, &found);
    return found || hol_given_find(m, name) >= 0 || hol_state_find(m, name) >= 0;
}

HolStatus hol_add_state(HolModel *m, const HolStateDef *def, HolError *err) {
    const char *name = def->name ? def->name : "";
    if (!hol_name_allowed(name)) {
        hol_problem_error(m, err, def->line, def->column,
                          "state name '%.64s' is not valid: use letters, digits and _, starting "
                          "with a letter, and no reserved word",
                          name);
        return HOL_ERR_INPUT;
    }
    if (state_name_taken(m, name)) {
        hol_problem_error(m, err, def->line, def->column, "state '%.64s': the name is taken", name);
        return HOL_ERR_INPUT;
    }
    if (!def->rate) {
        hol_problem_error(m, err, def->line, def->column, "state '%.64s' needs 'rate'", name);
        return HOL_ERR_INPUT;
    }
    if (!isfinite(def->initial)) {
        hol_problem_error(m, err, def->line, def->column,
                          "state '%.64s': its initial value is not a finite number", name);
        return HOL_ERR_INPUT;
    }
    if (!HOL_GROW(&m->arena, m->def.states, m->def.n_states, m->def.cap_states))
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory while building the model");
    HolFirstOrder *z = &m->def.states[m->def.n_states++];
    *z = (HolFirstOrder){.def = *def, .body = -1, .row = -1};
    z->def.name = hol_arena_text(&m->arena, name);
    z->def.rate = hol_arena_text(&m->arena, def->rate);
    if (z->def.name)
        hol_name_table_add(&m->def.names.state_names, &m->arena, z->def.name, NULL,
                           m->def.n_states - 1);
    return m->arena.failed ? hol_error_set(err, HOL_ERR_MEMORY, "out of memory") : HOL_OK;
}

int hol_states_declare(HolModel *m) {
    for (int i = 0; i < m->def.n_states; i++) {
        HolFirstOrder *z = &m->def.states[i];
        z->body = hol_add_hidden(m, z->def.name);
        if (z->body < 0)
            return 0;
        m->def.bodies[z->body].def.velocity[0] = z->def.initial;
        const HolRow row = hol_row_new(m, &hol_row_coordinate, 0, z->body);
        z->row = hol_add_row(m, &row);
        if (z->row < 0)
            return 0;
    }
    return 1;
}

int hol_states_compile(HolModel *m, HolError *err) {
    int ok = 1;
    for (int i = 0; i < m->def.n_states; i++) {
        const HolFirstOrder *z = &m->def.states[i];
        char what[120];
        if (!z->def.rate) // (of an element, which made it)
            continue;
        snprintf(what, sizeof what, "state '%.80s'", z->def.name);
        const HolExpr *e = hol_compile_expr(m, z->def.rate, what, z->def.line, z->def.column, err);
        const int power = m->sys.has_power; // (it does no work)
        ok &= e && hol_add_element(m, -1 - i, z->row, 0, 0, 0, e) >= 0;
        m->sys.has_power = power;
    }
    return ok;
}
