// SPDX-License-Identifier: Apache-2.0
// Once all kinds are built: places in q and v, holonomic equations first, derivatives of their
// expressions; then the lists of implicit variables and of unwrapped angles.
#include "model/model.h"

// derivatives of the equations' expressions by their coordinates, for the series of G
static int derive_equations(HolModel *m, HolError *err) {
    for (int i = 0; i < m->sys.n_equations; i++) {
        HolEquation *e = &m->sys.equations[i];
        int n = e->expr ? hol_expr_slot_count(e->expr) : 0;
        if (!e->expr)
            continue;
        if (hol_expr_calls(e->expr)) {
            hol_problem_error(m, err, 0, 0,
                              "'%s': a function of the program cannot be part of a constraint or "
                              "motion, which needs its second derivatives",
                              e->owner);
            return 0;
        }
        e->partial = HOL_NEW(&m->arena, const HolExpr *, n + 1);
        for (int k = 0; e->partial && k < n; k++) {
            if (m->sys.slots[hol_expr_slots(e->expr)[k]].type != HOL_SLOT_VALUE)
                continue;
            e->partial[k] = hol_expr_derivative(&m->arena, e->expr, k);
            if (!e->partial[k] && !m->arena.failed)
                hol_problem_error(m, err, 0, 0, "'%s': the expression has too many operations",
                                  e->owner);
            if (!e->partial[k])
                return 0;
        }
    }
    return !m->arena.failed;
}

// holonomic equations first; indices kept elsewhere follow
static int sort_equations(HolModel *m) {
    int n = m->sys.n_equations, k = 0;
    int *place = HOL_NEW(&m->arena, int, n + 1);
    HolEquation *sorted = HOL_NEW(&m->arena, HolEquation, n + 1);
    if (!place || !sorted)
        return 0;
    for (int pass = 1; pass >= 0; pass--)
        for (int i = 0; i < n; i++)
            if (m->sys.equations[i].holonomic == pass) {
                sorted[k] = m->sys.equations[i];
                place[i] = k++;
            }
    m->sys.equations = sorted;
    m->sys.cap_equations = n + 1;
    for (int i = 0; i < m->def.n_joints; i++)
        for (int e = 0; e < m->def.joints[i].n_equations; e++)
            m->def.joints[i].equations[e] = place[m->def.joints[i].equations[e]];
    for (int i = 0; i < m->def.n_motions; i++)
        m->def.motions[i].constraint = place[m->def.motions[i].constraint];
    for (int i = 0; i < m->def.n_constraints; i++)
        m->def.constraints[i].constraint = place[m->def.constraints[i].constraint];
    for (int i = 0; i < m->ev.n_supports; i++)
        m->ev.supports[i].info.row = place[m->ev.supports[i].info.row];
    for (int i = 0; i < m->ev.n_grips; i++)
        m->ev.grips[i].info.row = place[m->ev.grips[i].info.row];
    for (int i = 0; i < m->sys.n_slots; i++)
        if (m->sys.slots[i].type == HOL_SLOT_MULTIPLIER)
            m->sys.slots[i].index = place[m->sys.slots[i].index];
    return 1;
}

static int index_ranges(HolModel *m) {
    int q = 0, v = 0;
    for (int i = 1; i < m->def.n_bodies; i++) {
        HolBody *b = &m->def.bodies[i];
        b->q = q;
        b->v = v;
        q += b->nq;
        v += b->nv;
    }
    m->problem.nq = q;
    m->problem.nv = v;
    int *body = HOL_NEW(&m->arena, int, v + 1);
    for (int i = 1; body && i < m->def.n_bodies; i++)
        for (int k = 0; k < m->def.bodies[i].nv; k++)
            body[m->def.bodies[i].v + k] = i;
    m->extras.body = body;
    m->sys.states = HOL_NEW(&m->arena, int, m->def.n_states + 1);
    for (int i = 0; m->sys.states && i < m->def.n_states; i++)
        m->sys.states[i] = m->def.bodies[m->def.states[i].body].v;
    return body && m->sys.states;
}

static int gather_implicit(HolModel *m) {
    m->sys.implicit = HOL_NEW(&m->arena, const HolVariable *, m->sys.nw + 1);
    if (!m->sys.implicit)
        return 0;
    for (int i = 0; i < m->def.n_variables; i++)
        if (m->def.variables[i].implicit >= 0)
            m->sys.implicit[m->def.variables[i].implicit] = &m->def.variables[i];
    return 1;
}

// the row that each unwrapped angle belongs to (others may share it)
static int gather_angles(HolModel *m) {
    int *rows = HOL_NEW(&m->arena, int, m->sys.n_memory + 1);
    if (!rows)
        return 0;
    for (int i = m->sys.n_rows - 1; i >= 0; i--)
        if (m->sys.rows[i].memory >= 0)
            rows[m->sys.rows[i].memory] = i;
    m->sys.memory_rows = rows;
    return 1;
}

int hol_equations_arrange(HolModel *m, HolError *err) {
    return index_ranges(m) && sort_equations(m) && derive_equations(m, err);
}

int hol_unknowns_gather(HolModel *m) {
    return gather_implicit(m) && gather_angles(m);
}
