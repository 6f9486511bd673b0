// SPDX-License-Identifier: Apache-2.0
// The columns of results: their names and units. All default columns first; `outputs:` selects from
// them by name or adds expressions. Values: measure.c.
#include "model/model.h"

#include <stdio.h>
#include <string.h>

static void columns_add_column(HolModel *m, const char *owner, const char *part, const char *unit,
                               HolColumnType type, int index, int number, const HolExpr *expr) {
    char name[160];
    snprintf(name, sizeof name, "%s%s%s", owner, *owner && *part ? "." : "", part);
    if (!HOL_GROW(&m->arena, m->out.columns, m->out.n_columns, m->out.cap_columns))
        return;
    m->out.columns[m->out.n_columns++] =
        (HolColumnInfo){hol_arena_text(&m->arena, name), unit, type, index, number, expr};
}

typedef struct {
    const char *name, *unit;
} Part;

static const Part scalar_parts[] = {{"x", "1"}, {"vx", "1/s"}, {"ax", "1/s^2"}, {0}};
static const Part point2_parts[] = {
    {"x", "m"}, {"y", "m"}, {"vx", "m/s"}, {"vy", "m/s"}, {"ax", "m/s^2"}, {"ay", "m/s^2"}, {0}};
static const Part point3_parts[] = {
    {"x", "m"},    {"y", "m"},      {"z", "m"},      {"vx", "m/s"},   {"vy", "m/s"},
    {"vz", "m/s"}, {"ax", "m/s^2"}, {"ay", "m/s^2"}, {"az", "m/s^2"}, {0}};
static const Part rigid2_parts[] = {
    {"x", "m"},         {"y", "m"},      {"angle", "rad"}, {"vx", "m/s"},        {"vy", "m/s"},
    {"omega", "rad/s"}, {"ax", "m/s^2"}, {"ay", "m/s^2"},  {"alpha", "rad/s^2"}, {0}};
static const Part rigid3_parts[] = {
    {"x", "m"},      {"y", "m"},         {"z", "m"},         {"qw", "1"},        {"qx", "1"},
    {"qy", "1"},     {"qz", "1"},        {"vx", "m/s"},      {"vy", "m/s"},      {"vz", "m/s"},
    {"wx", "rad/s"}, {"wy", "rad/s"},    {"wz", "rad/s"},    {"ax", "m/s^2"},    {"ay", "m/s^2"},
    {"az", "m/s^2"}, {"alx", "rad/s^2"}, {"aly", "rad/s^2"}, {"alz", "rad/s^2"}, {0}};
static const Part reaction2_parts[] = {{"fx", "N"}, {"fy", "N"}, {"tz", "N m"}, {0}};
static const Part reaction3_parts[] = {{"fx", "N"},   {"fy", "N"},   {"fz", "N"}, {"tx", "N m"},
                                       {"ty", "N m"}, {"tz", "N m"}, {0}};
static const Part energy_parts[] = {{"kinetic", "J"}, {"potential", "J"}, {"total", "J"},
                                    {"work", "J"},    {"numerical", "J"}, {0}};
static const Part residual_parts[] = {
    {"position", "m"}, {"velocity", "m/s"}, {"acceleration", "m/s^2"}, {0}};
static const Part step_parts[] = {{"size", "s"}, {"iterations", "1"}, {0}};

static void add_parts(HolModel *m, const char *owner, const Part *parts, HolColumnType type,
                      int index) {
    for (int i = 0; parts[i].name; i++)
        columns_add_column(m, owner, parts[i].name, parts[i].unit, type, index, i, NULL);
}

static const Part *body_parts(const HolModel *m, const HolBody *b) {
    int plane = m->space == HOL_PLANAR;
    if (b->def.type == HOL_COORDINATE)
        return scalar_parts;
    if (b->def.type == HOL_POINT)
        return plane ? point2_parts : point3_parts;
    return plane ? rigid2_parts : rigid3_parts;
}

static void default_columns(HolModel *m) {
    columns_add_column(m, "time", "", "s", HOL_COLUMN_TIME, 0, 0, NULL);
    for (int i = 1; i < m->def.n_bodies; i++)
        add_parts(m, m->def.bodies[i].def.name, body_parts(m, &m->def.bodies[i]), HOL_COLUMN_STATE,
                  i);
    for (int i = 0; i < m->def.n_joints; i++)
        add_parts(m, m->def.joints[i].def.name,
                  m->space == HOL_PLANAR ? reaction2_parts : reaction3_parts, HOL_COLUMN_REACTION,
                  i);
    for (int i = 0; i < m->def.n_motions; i++)
        columns_add_column(m, m->def.motions[i].def.name, "effort", "N | N m", HOL_COLUMN_EFFORT,
                           m->def.motions[i].constraint, 0, NULL);
    for (int i = 0; i < m->def.n_constraints; i++)
        columns_add_column(m, m->def.constraints[i].def.name, "lambda", "1", HOL_COLUMN_EFFORT,
                           m->def.constraints[i].constraint, 1, NULL);
    for (int i = 0; i < m->def.n_variables; i++)
        if (m->def.variables[i].def.value)
            columns_add_column(m, m->def.variables[i].def.name, "", "1", HOL_COLUMN_EXPR, 0, 0,
                               hol_variable_expr(m, i));
    add_parts(m, "energy", energy_parts, HOL_COLUMN_ENERGY, 0);
    add_parts(m, "constraint", residual_parts, HOL_COLUMN_RESIDUAL, 0);
    add_parts(m, "step", step_parts, HOL_COLUMN_STEP, 0);
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
            columns_add_column(m, o->text, "", "", HOL_COLUMN_EXPR, 0, 0, e);
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
