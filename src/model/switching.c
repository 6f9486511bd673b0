// SPDX-License-Identifier: Apache-2.0
// Switching functions of a model: the values that if, abs, sign, min, max and tables compare, in
// the laws of forces, driven constraints and algebraic variables. A sign change of one is a kink or
// a jump (docs/theory/error-control.md, section 11).
// Switching functions of accelerations and reactions are left out (constant 1), because these are
// no functions of the state. Knots of a curve are passed by rows along it, of contacts that are near.
// Switching functions of time alone can be evaluated by themselves,
// without a position. Those in functions of events that depend on the motion too are no kinks: these groups
// stand behind the others.
#include "model/contact/contact.h"
#include "model/curve/curve.h"
#include "model/expr/expr.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LEFT_OUT, OF_STATE, OF_TIME };

// the force that an algebraic variable serves, or the variable itself
static const char *served(const HolModel *m, const HolVariable *variable) {
    for (int i = 0; i < m->sys.n_elements; i++) {
        const HolExpr *e = m->sys.elements[i].expr;
        for (int k = 0; e && k < hol_expr_slot_count(e); k++) {
            const HolSlot *slot = &m->sys.slots[hol_expr_slots(e)[k]];
            if (slot->type == HOL_SLOT_VARIABLE && &m->def.variables[slot->index] == variable)
                return hol_element_owner(m, &m->sys.elements[i]);
        }
    }
    return variable->def.name;
}

// expression number i of those that may switch, and whose it is; 0: there are no more
static int expression(const HolModel *m, int i, const HolExpr **expr, const char **owner) {
    if (i < m->sys.n_elements) {
        *expr = m->sys.elements[i].expr;
        *owner = hol_element_owner(m, &m->sys.elements[i]);
        return 1;
    }
    i -= m->sys.n_elements;
    if (i < m->sys.n_equations) {
        *expr = hol_equation_expr(&m->sys.equations[i]);
        *owner = m->sys.equations[i].owner;
        return 1;
    }
    i -= m->sys.n_equations;
    if (i >= m->sys.nw)
        return 0;
    *expr = m->sys.implicit[i]->expr;
    *owner = *expr && hol_expr_switch_count(*expr) ? served(m, m->sys.implicit[i]) : NULL;
    return 1;
}

// ---- which of them count ----

static int is_of_state(const void *context, int slot) {
    const HolModel *m = context;
    const HolSlotType type = m->sys.slots[slot].type;
    return type == HOL_SLOT_TIME || type == HOL_SLOT_VALUE || type == HOL_SLOT_RATE ||
           type == HOL_SLOT_VARIABLE || type == HOL_SLOT_GIVEN;
}

static int is_time(const void *context, int slot) {
    const HolSlotType type = ((const HolModel *)context)->sys.slots[slot].type;
    return type == HOL_SLOT_TIME;
}

// of time alone are nodes that depend on nothing else
static unsigned char *time_nodes(HolModel *m, const HolExpr *e) {
    const int n = hol_expr_switch_count(e);
    unsigned char *nodes = HOL_NEW(&m->arena, unsigned char, hol_expr_node_count(e) + n + 1);
    if (nodes)
        hol_expr_switches_of(e, is_time, m, nodes, nodes + hol_expr_node_count(e));
    return nodes;
}

// the number of a new time law, -1: e has no such parts, or there is no memory
static int add_time_law(HolModel *m, const HolExpr *e, const unsigned char *nodes) {
    if (!nodes || !hol_expr_may_hide(e, nodes))
        return -1;
    const int n = hol_expr_node_count(e);
    m->sys.time_laws[m->extras.n_time_laws] = (HolTimeLaw){e, nodes};
    if (n > m->extras.time_law_room)
        m->extras.time_law_room = n;
    return m->extras.n_time_laws++;
}

static int fill_group(HolModel *m, HolSwitchGroup *g, const HolExpr *e, const char *owner) {
    const int n = hol_expr_switch_count(e);
    unsigned char *known = HOL_NEW(&m->arena, unsigned char, hol_expr_node_count(e) + 2 * n + 2);
    if (!known)
        return 0;
    *g = (HolSwitchGroup){
        .expr = e, .owner = owner ? owner : "", .n = n, .kind = known, .curve = -1};
    unsigned char *of_time = known + n, *nodes = of_time + n;
    hol_expr_switches_of(e, is_of_state, m, nodes, g->kind);
    hol_expr_switches_of(e, is_time, m, nodes, of_time);
    for (int i = 0; i < n; i++) {
        g->kind[i] = of_time[i] ? OF_TIME : g->kind[i] ? OF_STATE : LEFT_OUT;
        g->n_time += of_time[i];
    }
    g->nodes = nodes;
    return 1;
}

// those of curves that contacts follow
static int curve_groups(HolModel *m) {
    for (int i = 0; i < m->touch.n; i++) {
        const HolContact *c = &m->touch.list[i];
        for (int k = 0; c->curve && k < 2; k++) {
            const HolExpr *e = c->curve->expr[k];
            HolSwitchGroup *g = &m->sys.switch_groups[m->sys.n_switch_groups];
            const int n = hol_expr_switch_count(e);
            if (!n)
                continue;
            *g = (HolSwitchGroup){.expr = e, .owner = c->name, .n = n, .curve = c->row};
            g->kind = HOL_NEW(&m->arena, unsigned char, n);
            if (!g->kind)
                return 0;
            memset(g->kind, OF_STATE, (size_t)n);
            m->extras.n_switches += n;
            m->sys.n_switch_groups++;
        }
    }
    return 1;
}

// ---- values ----

// a contact that is far away passes no knots
static void curve_switches(const HolModel *m, HolModelWork *w, const HolSwitchGroup *g,
                           double *values) {
    const HolRow *row = &m->sys.rows[g->curve];
    double x[HOL_CURVE_SLOT + 1] = {0}, work[HOL_CURVE_WORK];
    if (fabs(hol_row_value(m, w, g->curve)) > 0.05 * row->curve->length) {
        for (int i = 0; i < g->n; i++)
            values[i] = 1;
        return;
    }
    x[HOL_CURVE_SLOT] = hol_row_meet(row, &w->frames[row->a], &w->frames[row->b]);
    hol_expr_switches(g->expr, x, work, values);
}

static void switches(const HolProblem *p, void *work, double t, const double *q, const double *v,
                     const double *vars, double *values) {
    const HolModel *m = p->user;
    HolModelWork *w = work;
    hol_slots_at(p, w, t, q, v, vars);
    for (int k = 0; k < m->sys.n_switch_groups; k++) {
        const HolSwitchGroup *g = &m->sys.switch_groups[k];
        if (g->curve >= 0)
            curve_switches(m, w, g, values);
        else
            hol_expr_switches(g->expr, w->slot, w->expr, values);
        for (int i = 0; i < g->n; i++)
            if (g->kind[i] == LEFT_OUT)
                values[i] = 1;
        values += g->n;
    }
}

// ---- of time alone ----

static double time_switch(const HolProblem *p, void *work, int i, double t) {
    const HolModel *m = p->user;
    HolModelWork *w = work;
    const HolTimeSwitch at = m->sys.time_switches[i];
    const double now = w->slot[0];
    w->slot[0] = t;
    const double value =
        hol_expr_switch(m->sys.switch_groups[at.group].expr, at.i, w->slot, w->expr);
    w->slot[0] = now;
    return value;
}

static int time_switch_side(const HolProblem *p, void *work, int i, double t0, double t1) {
    const HolModel *m = p->user;
    const HolTimeSwitch at = m->sys.time_switches[i];
    const HolSwitchGroup *g = &m->sys.switch_groups[at.group];
    const HolInterval r = hol_expr_switch_range(g->expr, g->nodes, at.i, (HolInterval){t0, t1},
                                                ((HolModelWork *)work)->expr);
    return (r.lo > 0) - (r.hi < 0);
}

static int time_switch_law(const HolProblem *p, int i) {
    const HolModel *m = p->user;
    return m->sys.switch_groups[m->sys.time_switches[i].group].law;
}

static void time_law_widths(const HolProblem *p, void *work, int i, double t0, double t1,
                            double *widths) {
    const HolTimeLaw *law = &((const HolModel *)p->user)->sys.time_laws[i];
    hol_expr_time_widths(law->expr, law->nodes, (HolInterval){t0, t1}, ((HolModelWork *)work)->expr,
                         widths);
}

static int time_law(const HolProblem *p, void *work, int i, const double *widths, double t0,
                    double t1) {
    const HolTimeLaw *law = &((const HolModel *)p->user)->sys.time_laws[i];
    HolModelWork *w = work;
    return (int)hol_expr_hidden(law->expr, law->nodes, widths, (HolInterval){t0, t1}, w->slot,
                                w->expr);
}

static void switch_name(const HolProblem *p, int i, char *out, size_t size) {
    const HolModel *m = p->user;
    int k = 0;
    while (k < m->sys.n_switch_groups && i >= m->sys.switch_groups[k].n)
        i -= m->sys.switch_groups[k++].n;
    snprintf(out, size, "%s", k < m->sys.n_switch_groups ? m->sys.switch_groups[k].owner : "");
}

static int depends_on_time(const HolModel *m, const HolExpr *e) {
    for (int k = 0; k < hol_expr_slot_count(e); k++)
        if (is_time(m, hol_expr_slots(e)[k]))
            return 1;
    return 0;
}

static void number_time_switches(HolModel *m) {
    int n = 0;
    m->sys.time_switches = HOL_NEW(&m->arena, HolTimeSwitch, m->extras.n_time_switches + 1);
    const int groups = m->sys.n_switch_groups + m->sys.n_event_groups;
    for (int k = 0; k < groups && m->sys.time_switches; k++)
        for (int i = 0; i < m->sys.switch_groups[k].n; i++)
            if (m->sys.switch_groups[k].kind[i] == OF_TIME)
                m->sys.time_switches[n++] = (HolTimeSwitch){k, i};
}

// event i depends on time and on the motion
static int is_mixed(const HolModel *m, int i) {
    const HolEventEntry *e = &m->ev.events[i];
    return e->when && !e->of_time && depends_on_time(m, e->when);
}

// steps end where a function of an event jumps or bends by time alone, and are short at its pulses
static int event_groups(HolModel *m) {
    for (int i = 0; i < m->ev.n_events; i++) {
        const HolExpr *e = m->ev.events[i].when;
        if (!is_mixed(m, i))
            continue;
        HolSwitchGroup *g = &m->sys.switch_groups[m->sys.n_switch_groups + m->sys.n_event_groups];
        const int switches_too = hol_expr_switch_count(e) > 0;
        if (switches_too && !fill_group(m, g, e, m->ev.events[i].def.name))
            return 0;
        const int law = add_time_law(m, e, switches_too ? g->nodes : time_nodes(m, e));
        if (!switches_too)
            continue;
        g->law = law;
        m->extras.n_time_switches += g->n_time;
        m->sys.n_event_groups++;
    }
    return 1;
}

int hol_switches_build(HolModel *m) {
    const HolExpr *e;
    const char *owner;
    int groups = 0, timed = 0;
    for (int i = 0; expression(m, i, &e, &owner); i++) {
        groups += e && hol_expr_switch_count(e) > 0;
        timed += e && depends_on_time(m, e);
    }
    for (int i = 0; i < m->touch.n; i++)
        groups += m->touch.list[i].curve ? 2 : 0;
    for (int i = 0; i < m->ev.n_events; i++) {
        groups += is_mixed(m, i);
        timed += is_mixed(m, i);
    }
    m->sys.switch_groups = HOL_NEW(&m->arena, HolSwitchGroup, groups);
    m->sys.time_laws = HOL_NEW(&m->arena, HolTimeLaw, timed);
    for (int i = 0; expression(m, i, &e, &owner) && !m->arena.failed; i++) {
        HolSwitchGroup *g = &m->sys.switch_groups[m->sys.n_switch_groups];
        if (!e)
            continue;
        const int switches_too = hol_expr_switch_count(e) > 0, of_time = depends_on_time(m, e);
        if (switches_too && !fill_group(m, g, e, owner))
            return 0;
        const int law =
            of_time ? add_time_law(m, e, switches_too ? g->nodes : time_nodes(m, e)) : -1;
        if (!switches_too)
            continue;
        g->law = law;
        m->extras.switching_rows +=
            i >= m->sys.n_elements && i < m->sys.n_elements + m->sys.n_equations;
        m->extras.n_switches += g->n;
        m->extras.n_time_switches += g->n_time;
        m->sys.n_switch_groups++;
    }
    if (!m->arena.failed && !(curve_groups(m) && event_groups(m)))
        return 0;
    number_time_switches(m);
    m->extras.switches = switches;
    m->extras.switch_name = switch_name;
    m->extras.time_switch = time_switch;
    m->extras.time_switch_side = time_switch_side;
    m->extras.time_switch_law = time_switch_law;
    m->extras.time_law_widths = time_law_widths;
    m->extras.time_law = time_law;
    return !m->arena.failed;
}
