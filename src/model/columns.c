// SPDX-License-Identifier: Apache-2.0
// The columns of results, from the table of quantities. All default columns first; `outputs:` selects from
// them by name or adds expressions. Values: measure.c.
#include "model/contact/contact.h"
#include "model/mode/mode.h"
#include "model/model.h"
#include "model/quantity.h"

#include <stdio.h>
#include <string.h>

static void columns_add_column(HolModel *m, const char *owner, const HolQuantity *q,
                               HolColumnInfo column) {
    const char *part = !q ? "" : q->column ? q->column : q->name;
    char name[160];
    snprintf(name, sizeof name, "%s%s%s", owner, *owner && *part ? "." : "", part);
    if (!HOL_GROW(&m->arena, m->out.columns, m->out.n_columns, m->out.cap_columns))
        return;
    column.name = hol_arena_text(&m->arena, name);
    column.unit = q ? q->unit : "";
    column.quantity = q;
    m->out.columns[m->out.n_columns++] = column;
}

// all columns of one owner
static void add_columns(HolModel *m, const char *name, int owner, HolColumnType type, int index) {
    for (const HolQuantity *q = hol_quantities; q->name; q++)
        if ((q->uses & HOL_USE_COLUMN) && !(q->uses & HOL_USE_ARGUMENT) &&
            hol_quantity_of(q, owner, m->space))
            columns_add_column(m, name, q, (HolColumnInfo){.type = type, .index = index});
}

static void add_variable(HolModel *m, int i) {
    const HolQuantity *q = hol_quantity_find(HOL_OF_VARIABLE, m->space, "");
    const HolExpr *expr = hol_variable_expr(m, i);
    columns_add_column(m, m->def.variables[i].def.name, q,
                       (HolColumnInfo){.type = HOL_COLUMN_EXPR, .expr = expr});
}

// a number by its name alone: a state, an input, a discrete value
static void add_slot(HolModel *m, const char *name, int slot) {
    const HolQuantity *q = hol_quantity_find(HOL_OF_VARIABLE, m->space, "");
    const HolExpr *expr = hol_expr_slot(&m->arena, slot);
    columns_add_column(m, name, q, (HolColumnInfo){.type = HOL_COLUMN_EXPR, .expr = expr});
}

static void add_contact(HolModel *m, const HolContact *c) {
    for (const HolQuantity *q = hol_quantities; q->name; q++)
        if (hol_quantity_of(q, HOL_OF_CONTACT, m->space))
            columns_add_column(
                m, c->name, q,
                (HolColumnInfo){.type = HOL_COLUMN_EXPR, .expr = c->measures[q->axis]});
}

static void default_columns(HolModel *m) {
    add_columns(m, "", HOL_OF_RUN, HOL_COLUMN_TIME, 0);
    for (int i = 1; i < hol_visible_bodies(m); i++)
        add_columns(m, m->def.bodies[i].def.name, hol_quantity_body(m->def.bodies[i].def.type),
                    HOL_COLUMN_STATE, i);
    for (int i = 0; i < m->beams.n; i++) {
        const HolBeam *b = &m->beams.list[i];
        for (int node = b->first; node <= b->first + b->n; node++)
            add_columns(m, m->def.bodies[node].def.name, HOL_OF_NODE, HOL_COLUMN_NODE, node);
        add_columns(m, b->name, HOL_OF_BEAM, HOL_COLUMN_BEAM, i);
    }
    for (int i = 0; i < m->def.n_joints; i++)
        add_columns(m, m->def.joints[i].def.name, HOL_OF_JOINT, HOL_COLUMN_REACTION, i);
    for (int i = 0; i < m->def.n_joints; i++) {
        const int owners = (m->def.joints[i].def.friction.given ? HOL_OF_FRICTION : 0) |
                           (hol_joint_has_stop(m, i) ? HOL_OF_STOP : 0);
        if (owners)
            add_columns(m, m->def.joints[i].def.name, owners, HOL_COLUMN_MODE, i);
    }
    for (int i = 0; i < m->def.n_motions; i++)
        add_columns(m, m->def.motions[i].def.name, HOL_OF_MOTION, HOL_COLUMN_EFFORT,
                    m->def.motions[i].constraint);
    for (int i = 0; i < m->touch.n; i++)
        if (!m->touch.list[i].hidden)
            add_contact(m, &m->touch.list[i]);
    for (int i = 0; i < m->def.n_constraints; i++)
        add_columns(m, m->def.constraints[i].def.name, HOL_OF_CONSTRAINT, HOL_COLUMN_EFFORT,
                    m->def.constraints[i].constraint);
    for (int i = 0; i < m->def.n_variables; i++)
        if (m->def.variables[i].def.value)
            add_variable(m, i);
    for (int i = 0; i < m->def.n_states; i++)
        add_slot(m, m->def.states[i].def.name,
                 hol_slot(m, HOL_SLOT_RATE, m->def.states[i].row, 0, 0, 0));
    for (int i = 0; i < m->def.n_given; i++)
        if (m->def.given[i].kind != HOL_GIVEN_OWN)
            add_slot(m, m->def.given[i].name, hol_slot(m, HOL_SLOT_GIVEN, 0, 0, 0, i));
    const int losses = m->ev.n_supports || hol_model_heats(m);
    add_columns(m, "energy", HOL_OF_ENERGY | (losses ? HOL_OF_LOSS : 0), HOL_COLUMN_ENERGY, 0);
    add_columns(m, "constraint", HOL_OF_RESIDUAL, HOL_COLUMN_RESIDUAL, 0);
    add_columns(m, "step", HOL_OF_STEP, HOL_COLUMN_STEP, 0);
    m->out.n_default = m->out.n_columns;
}

enum { FEW_OUTPUTS = 32 }; // that are searched one by one

// the ends of beams by their other names: for `outputs:` and the state at the end of a run
static void add_aliases(HolModel *m) {
    for (int kind = 0; kind < 2; kind++) // states first, as above
        for (int i = 0; i < m->beams.n; i++)
            for (int end = 0; end < 2; end++) {
                const HolBeam *b = &m->beams.list[i];
                char name[HOL_OWNER_LENGTH];
                snprintf(name, sizeof name, "%.200s.%s", b->name, end ? "end" : "start");
                add_columns(m, name, kind ? HOL_OF_NODE : HOL_OF_RIGID,
                            kind ? HOL_COLUMN_NODE : HOL_COLUMN_STATE, b->first + end * b->n);
            }
    m->out.n_known = m->out.n_columns;
    for (int i = 0; m->def.n_outputs > FEW_OUTPUTS && i < m->out.n_known; i++)
        hol_name_table_add(&m->out.names, &m->arena, m->out.columns[i].name, NULL, i);
}

static int columns_find_column(const HolModel *m, const char *name) {
    if (m->out.names.n)
        return hol_name_table_number(&m->out.names, name);
    for (int i = 0; i < m->out.n_known; i++)
        if (!strcmp(m->out.columns[i].name, name))
            return i;
    return -1;
}

static const HolQuantity *columns_quantity(const HolModel *m, int owner, const char *name) {
    for (const HolQuantity *q = hol_quantities; q->name; q++)
        if ((q->uses & HOL_USE_OUTPUT) && hol_quantity_of(q, owner, m->space) &&
            strcmp(q->name, name) == 0)
            return q;
    return NULL;
}

// a column that is there on request, by itself: of a joint, of a bushing; 0: it is none
static int columns_request(HolModel *m, const char *text) {
    char owner[HOL_OWNER_LENGTH];
    const size_t length = strlen(text);
    for (size_t n = length; n > 0 && length < sizeof owner; n--) {
        if (text[n] != '.')
            continue;
        memcpy(owner, text, n);
        owner[n] = 0;
        const int joint = hol_joint_find(m, owner);
        const HolQuantity *q = columns_quantity(m, HOL_OF_JOINT, text + n + 1);
        if (joint >= 0 && q) {
            columns_add_column(m, owner, q,
                               (HolColumnInfo){.type = HOL_COLUMN_REACTION, .index = joint});
            return 1;
        }
        q = columns_quantity(m, HOL_OF_FORCE, text + n + 1);
        const int force = q ? hol_name_table_number(&m->def.names.force_names, owner) : -1;
        if (force >= 0 && hol_kind_takes(m->def.forces[force].kind, "matrix")) {
            columns_add_column(m, owner, q,
                               (HolColumnInfo){.type = HOL_COLUMN_LOAD, .index = force});
            return 1;
        }
    }
    return 0;
}

// outputs with a fraction of a beam: "rod.at(0.5).My", "rod.deflection(0.5)"; -1: it is none
static int columns_fraction(HolModel *m, const char *text) {
    char name[HOL_OWNER_LENGTH];
    int beam, node, c = -1;
    HolColumnInfo column = {.type = HOL_COLUMN_BEAM};
    const HolQuantity *q = NULL;
    if (hol_beam_deflection_of(m, text, &beam, &node)) {
        for (q = hol_quantities; q->source != HOL_FROM_BEAM || q->axis != 1;)
            q++;
        column.index = beam;
        column.node = node;
    } else if (hol_beam_canonical(m, text, name, sizeof name) &&
               (c = columns_find_column(m, name)) >= 0) {
        column = m->out.columns[c];
        q = column.quantity;
    } else
        return -1;
    columns_add_column(m, text, NULL, column);
    HolColumnInfo *made = &m->out.columns[m->out.n_columns - 1];
    made->quantity = q;
    made->unit = q ? q->unit : "";
    return m->out.n_columns - 1;
}

// the column of an output; -1: a problem
static int columns_output(HolModel *m, const struct HolOutput *o, HolError *err) {
    char what[120];
    const int c = columns_find_column(m, o->text);
    if (c >= 0)
        return c;
    if (columns_request(m, o->text))
        return m->out.n_columns - 1;
    const int fraction = m->beams.n ? columns_fraction(m, o->text) : -1;
    if (fraction >= 0)
        return fraction;
    snprintf(what, sizeof what, "output '%.60s'", o->text);
    HolExpr *e = hol_compile_expr(m, o->text, what, o->line, o->column, err);
    if (!e)
        return -1;
    columns_add_column(m, o->text, NULL, (HolColumnInfo){.type = HOL_COLUMN_EXPR, .expr = e});
    return m->out.n_columns - 1;
}

// `all` in `outputs:` are the default columns; none comes twice
int hol_columns_build(HolModel *m, HolError *err) {
    int ok = 1, n = 0;
    default_columns(m);
    add_aliases(m);
    const int most = m->def.n_outputs + m->out.n_columns + 1;
    m->out.selected = HOL_NEW(&m->arena, int, most + 1);
    unsigned char *taken = HOL_NEW(&m->arena, unsigned char, most + 1);
    if (m->arena.failed)
        return 0;
    m->out.selected[n++] = 0;
    taken[0] = 1;
    for (int i = 0; i < (m->def.n_outputs ? m->def.n_outputs : 1); i++) {
        const struct HolOutput *o = m->def.n_outputs ? &m->def.outputs[i] : NULL;
        const int all = !o || strcmp(o->text, "all") == 0;
        const int one = all ? 0 : columns_output(m, o, err);
        ok &= one >= 0;
        for (int c = all ? 1 : one; c >= 0 && c < (all ? m->out.n_default : one + 1); c++) {
            if (!taken[c])
                m->out.selected[n++] = c;
            taken[c] = 1;
        }
    }
    m->out.n_selected = n;
    return ok && !m->arena.failed;
}

void hol_select_columns(const HolModel *m, const double *all, double *out) {
    for (int i = 0; i < m->out.n_selected; i++)
        out[i] = all[m->out.selected[i]];
}

int hol_model_column_count(const HolModel *m) {
    return m && m->frozen ? m->out.n_selected : 0;
}

HolColumn hol_model_column(const HolModel *m, int i) {
    if (i < 0 || i >= hol_model_column_count(m))
        return (HolColumn){0};
    const HolColumnInfo *c = &m->out.columns[m->out.selected[i]];
    return (HolColumn){c->name, c->unit};
}

int hol_model_all_column_count(const HolModel *m) {
    return m && m->frozen ? m->out.n_default : 0;
}

HolColumn hol_model_all_column(const HolModel *m, int i) {
    if (i < 0 || i >= hol_model_all_column_count(m))
        return (HolColumn){0};
    return (HolColumn){m->out.columns[i].name, m->out.columns[i].unit};
}
