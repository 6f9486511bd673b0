// SPDX-License-Identifier: Apache-2.0
// Events of the user: a function of the state whose zero ends a step, or regular times; and what they
// change: discrete values, inputs and states (`set`), velocities (`reset`).
#include "model/mode/mode.h"

#include <stdio.h>
#include <string.h>

static const char **copy_list(HolModel *m, const char *const *from, int n) {
    const char **to = HOL_NEW(&m->arena, const char *, n + 1);
    for (int i = 0; to && i < n; i++)
        to[i] = hol_arena_text(&m->arena, from[i]);
    return to;
}

HolStatus hol_add_event(HolModel *m, const HolEventDef *def, HolError *err) {
    const char *name = def->name ? def->name : hol_default_name(&m->arena, "event", m->ev.n_events);
    if (hol_name_table_number(&m->def.names.event_names, name) >= 0) {
        hol_problem_error(m, err, def->line, def->column, "there is already an event named '%.64s'",
                          name);
        return HOL_ERR_INPUT;
    }
    if (!(def->every > 0) == !def->when) {
        hol_problem_error(m, err, def->line, def->column,
                          "event '%.64s': give either when or every", name);
        return HOL_ERR_INPUT;
    }
    if (!HOL_GROW(&m->arena, m->ev.events, m->ev.n_events, m->ev.cap_events))
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    HolEventEntry *e = &m->ev.events[m->ev.n_events++];
    *e = (HolEventEntry){.def = *def};
    e->def.name = hol_arena_text(&m->arena, name);
    if (e->def.name)
        hol_name_table_add(&m->def.names.event_names, &m->arena, e->def.name, NULL,
                           m->ev.n_events - 1);
    e->def.when = hol_arena_text(&m->arena, def->when);
    e->def.set_names = copy_list(m, def->set_names, def->n_sets);
    e->def.set_values = copy_list(m, def->set_values, def->n_sets);
    e->def.reset_names = copy_list(m, def->reset_names, def->n_resets);
    e->def.reset_values = copy_list(m, def->reset_values, def->n_resets);
    return m->arena.failed ? hol_error_set(err, HOL_ERR_MEMORY, "out of memory") : HOL_OK;
}

// `name` is a discrete value, an input or a state: where it is kept
static int find_set(HolModel *m, const HolEventDef *d, const char *name, struct HolEventSet *out,
                    HolError *err) {
    out->given = hol_given_find(m, name);
    out->state = hol_state_find(m, name);
    if (out->given >= 0 || out->state >= 0)
        return 1;
    int parameter;
    hol_parameter(m, name, &parameter);
    hol_problem_error(m, err, d->line, d->column, "event '%s': '%.64s' cannot be set: it is %s",
                      d->name, name,
                      parameter ? "a parameter; only discrete values, inputs and states change"
                                : "no discrete value, input or state");
    return 0;
}

// `name` is a velocity: its row
static int find_reset(HolModel *m, const HolEventDef *d, const char *name, struct HolEventSet *out,
                      HolError *err) {
    HolError none = {0};
    const HolExpr *e = hol_compile_expr(m, name, "reset", d->line, d->column, &none);
    if (e && hol_expr_slot_count(e) == 1) {
        const HolSlot *s = &m->sys.slots[hol_expr_slots(e)[0]];
        if (s->type == HOL_SLOT_RATE) {
            out->row = s->row;
            return 1;
        }
    }
    hol_problem_error(
        m, err, d->line, d->column,
        "event '%s': '%.64s' is not a velocity: name BODY.vx, BODY.omega, JOINT.rate ..", d->name,
        name);
    return 0;
}

// A condition is 0 or 1 for long, and jumps: less a half it has its zero where it begins or ends to hold.
static const HolExpr *compile_when(HolModel *m, const HolEventDef *d, const char *what,
                                   HolError *err) {
    const HolExpr *e = hol_compile_expr(m, d->when, what, d->line, d->column, err);
    if (!e || !hol_expr_is_condition(e))
        return e;
    const size_t size = strlen(d->when) + 8;
    char *text = hol_arena_alloc(&m->arena, size);
    if (!text)
        return NULL;
    snprintf(text, size, "(%s)-0.5", d->when);
    return hol_compile_expr(m, text, what, d->line, d->column, err);
}

static int compile_event(HolModel *m, HolEventEntry *e, HolError *err) {
    const HolEventDef *d = &e->def;
    char what[120];
    int ok = 1;
    snprintf(what, sizeof what, "event '%.80s'", d->name);
    if (d->when) {
        e->when = compile_when(m, d, what, err);
        ok = e->when != NULL;
    }
    e->sets = HOL_NEW(&m->arena, struct HolEventSet, d->n_sets + d->n_resets + 1);
    for (int i = 0; e->sets && i < d->n_sets + d->n_resets; i++) {
        struct HolEventSet *s = &e->sets[e->n_sets++];
        const int reset = i >= d->n_sets, k = reset ? i - d->n_sets : i;
        *s = (struct HolEventSet){-1, -1, -1, NULL};
        ok &= reset ? find_reset(m, d, d->reset_names[k], s, err)
                    : find_set(m, d, d->set_names[k], s, err);
        s->expr = hol_compile_expr(m, reset ? d->reset_values[k] : d->set_values[k], what, d->line,
                                   d->column, err);
        ok &= s->expr != NULL;
    }
    return ok && !m->arena.failed;
}

int hol_user_events_compile(HolModel *m, HolError *err) {
    int ok = 1;
    for (int i = 0; i < m->ev.n_events; i++)
        ok &= compile_event(m, &m->ev.events[i], err);
    return ok;
}
