// SPDX-License-Identifier: Apache-2.0
// Supports and grips are made of equations that may be open (HolEquation.mode): the terms of the row,
// and a hidden coordinate z of mass 1 that takes its place.
//   closed   sum of the terms = hold       z is free, without force, and stays zero
//   open     z = 0                         the multiplier is zero
// So every matrix keeps its pattern and its rank, whatever the modes are.
#include "model/mode/mode.h"

#include <stdio.h>
#include <string.h>

// ---- expressions over a list of slots ----

typedef struct SlotNames {
    HolModel *m;
    const int *slots;
} SlotNames;

static void resolve_slot_name(void *context, const char *name, HolSymbol *out,
                              char suggestion[64]) {
    const SlotNames *names = context;
    suggestion[0] = 0;
    *out = (HolSymbol){0};
    int i;
    if (sscanf(name, "a%d", &i) == 1 && i >= 0 && i < HOL_GRIP_NAMES) {
        out->type = HOL_SYMBOL_SLOT;
        out->slot = names->slots[i];
    }
}

HolExpr *hol_compile_slots(HolModel *m, const char *text, const int *slots) {
    SlotNames names = {m, slots};
    const HolExprScope scope = {.context = &names, .resolve = resolve_slot_name, .has_time = 1};
    HolExprError error = {0};
    return hol_compile_room(m, hol_expr_compile(&m->arena, text, &scope, &error));
}

int hol_unknown_slot(HolModel *m, const HolExpr *expr) {
    char name[32];
    if (!expr || !HOL_GROW(&m->arena, m->def.variables, m->def.n_variables, m->def.cap_variables))
        return 0;
    snprintf(name, sizeof name, "load__%d", m->sys.nw);
    m->def.variables[m->def.n_variables] =
        (HolVariable){.def = {.name = hol_arena_text(&m->arena, name)},
                      .expr = (HolExpr *)expr,
                      .implicit = m->sys.nw++,
                      .state = 1};
    return hol_slot(m, HOL_SLOT_VARIABLE, 0, 0, 0, m->def.n_variables++);
}

// ---- equations that may be open ----

static int add_moded_equation(HolModel *m, const char *name, const HolTerm *terms, int n,
                              int holonomic) {
    HolTerm all[HOL_GRIP_NAMES + 1];
    const int body = hol_add_hidden(m, name);
    if (body < 0)
        return -1;
    const HolRow row = hol_row_new(m, &hol_row_coordinate, 0, body);
    memcpy(all, terms, sizeof *terms * (size_t)n);
    all[n] = (HolTerm){hol_add_row(m, &row), 1};
    if (all[n].row < 0)
        return -1;
    const int e =
        hol_add_equation(m, hol_arena_text(&m->arena, name), all, n + 1, NULL, 0, holonomic);
    if (e >= 0)
        m->sys.equations[e].mode = m->sys.n_modes++;
    return e;
}

int hol_add_support(HolModel *m, const HolSupportParts *parts) {
    const int e = add_moded_equation(m, parts->name, parts->terms, parts->n_terms, 1);
    if (e < 0 || !HOL_GROW(&m->arena, m->ev.supports, m->ev.n_supports, m->ev.cap_supports))
        return -1;
    HolSupportEntry *s = &m->ev.supports[m->ev.n_supports];
    *s = (HolSupportEntry){.hold = parts->hold};
    s->info = (HolSupport){m->sys.equations[e].owner, e, parts->restitution, -1, -1, NULL};
    return m->ev.n_supports++;
}

int hol_add_grip(HolModel *m, const HolGripParts *parts) {
    if (!HOL_GROW(&m->arena, m->ev.grips, m->ev.n_grips, m->ev.cap_grips))
        return -1;
    HolGripEntry *g = &m->ev.grips[m->ev.n_grips];
    *g = (HolGripEntry){.sign = parts->sign};
    for (int i = 0; i < parts->n_rows; i++) {
        const HolTerm terms[2] = {{parts->row[i], parts->scale[i]},
                                  {parts->minus[i] - 1, -parts->scale[i]}};
        const int e =
            add_moded_equation(m, parts->name, terms, parts->minus[i] ? 2 : 1, parts->holonomic);
        if (e < 0)
            return -1;
        if (i == 0)
            g->info.row = e;
        g->row[i] = parts->row[i];
        g->minus[i] = parts->minus[i];
        g->lean[i] = parts->lean[i];
        if ((g->apart[i] = hol_given_new(m, 0)) < 0)
            return -1;
        if (parts->n_rows > 1 && (g->aim[i] = hol_given_new(m, 0)) < 0)
            return -1;
        g->scale[i] = parts->scale[i];
        g->element[i] = parts->elements[i];
    }
    if (parts->n_rows > 1 &&
        ((g->stop = hol_given_new(m, 0)) < 0 || (g->most = hol_given_new(m, 0)) < 0 ||
         (g->until = hol_given_new(m, 0)) < 0))
        return -1;
    if ((g->share = hol_given_new(m, 0)) < 0)
        return -1;
    g->measure = parts->measure;
    g->info.name = m->sys.equations[g->info.row].owner;
    g->info.rows = parts->n_rows;
    g->info.support = parts->support;
    g->info.driven = parts->driven;
    g->info.friction = parts->friction;
    g->info.smooth_start = parts->smooth_start;
    g->capacity_text = hol_arena_text(&m->arena, parts->capacity);
    memcpy(g->slots, parts->slots, sizeof g->slots);
    if (parts->support >= 0)
        m->ev.supports[parts->support].info.grip = m->ev.n_grips;
    return m->ev.n_grips++;
}
