// SPDX-License-Identifier: Apache-2.0
// The columns of results, from the table of quantities. All default columns first; `outputs:` selects from
// them by name or adds expressions. Values: measure.c.
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
        if ((q->uses & HOL_USE_COLUMN) && hol_quantity_of(q, owner, m->space))
            columns_add_column(m, name, q, (HolColumnInfo){.type = type, .index = index});
}

static void add_variable(HolModel *m, int i) {
    const HolQuantity *q = hol_quantity_find(HOL_OF_VARIABLE, m->space, "");
    const HolExpr *expr = hol_variable_expr(m, i);
    columns_add_column(m, m->def.variables[i].def.name, q,
                       (HolColumnInfo){.type = HOL_COLUMN_EXPR, .expr = expr});
}

static void default_columns(HolModel *m) {
    add_columns(m, "", HOL_OF_RUN, HOL_COLUMN_TIME, 0);
    for (int i = 1; i < m->def.n_bodies; i++)
        add_columns(m, m->def.bodies[i].def.name, hol_quantity_body(m->def.bodies[i].def.type),
                    HOL_COLUMN_STATE, i);
    for (int i = 0; i < m->def.n_joints; i++)
        add_columns(m, m->def.joints[i].def.name, HOL_OF_JOINT, HOL_COLUMN_REACTION, i);
    for (int i = 0; i < m->def.n_motions; i++)
        add_columns(m, m->def.motions[i].def.name, HOL_OF_MOTION, HOL_COLUMN_EFFORT,
                    m->def.motions[i].constraint);
    for (int i = 0; i < m->def.n_constraints; i++)
        add_columns(m, m->def.constraints[i].def.name, HOL_OF_CONSTRAINT, HOL_COLUMN_EFFORT,
                    m->def.constraints[i].constraint);
    for (int i = 0; i < m->def.n_variables; i++)
        if (m->def.variables[i].def.value)
            add_variable(m, i);
    add_columns(m, "energy", HOL_OF_ENERGY, HOL_COLUMN_ENERGY, 0);
    add_columns(m, "constraint", HOL_OF_RESIDUAL, HOL_COLUMN_RESIDUAL, 0);
    add_columns(m, "step", HOL_OF_STEP, HOL_COLUMN_STEP, 0);
    m->out.n_default = m->out.n_columns;
}

static int columns_find_column(const HolModel *m, const char *name) {
    for (int i = 0; i < m->out.n_default; i++)
        if (!strcmp(m->out.columns[i].name, name))
            return i;
    return -1;
}

int hol_columns_build(HolModel *m, HolError *err) {
    int ok = 1, n = 0;
    default_columns(m);
    int count = m->def.n_outputs ? m->def.n_outputs + 1 : m->out.n_default;
    m->out.selected = HOL_NEW(&m->arena, int, count + 1);
    if (m->arena.failed)
        return 0;
    for (int i = 0; !m->def.n_outputs && i < m->out.n_default; i++)
        m->out.selected[n++] = i;
    if (m->def.n_outputs)
        m->out.selected[n++] = 0;
    for (int i = 0; i < m->def.n_outputs; i++) {
        const struct HolOutput *o = &m->def.outputs[i];
        int c = columns_find_column(m, o->text);
        if (c < 0) {
            char what[120];
            snprintf(what, sizeof what, "output '%.60s'", o->text);
            HolExpr *e = hol_compile_expr(m, o->text, what, o->line, o->column, err);
            if (!e) {
                ok = 0;
                continue;
            }
            c = m->out.n_columns;
            columns_add_column(m, o->text, NULL,
                               (HolColumnInfo){.type = HOL_COLUMN_EXPR, .expr = e});
        }
        if (c != 0)
            m->out.selected[n++] = c;
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
