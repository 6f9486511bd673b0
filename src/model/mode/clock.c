// SPDX-License-Identifier: Apache-2.0
// Events of the user whose functions depend on time alone: their values and bounds over an interval of
// time, without a motion (solve/event/clocks.c).
#include "model/mode/mode.h"

static int clock_is_time(const void *context, int slot) {
    return ((const HolModel *)context)->sys.slots[slot].type == HOL_SLOT_TIME;
}

// flags of the nodes of an expression of time alone; NULL: it is none, or there is no memory
static const unsigned char *clock_nodes(HolModel *m, const HolExpr *e) {
    const int n = e ? hol_expr_slot_count(e) : 0;
    for (int i = 0; i < n; i++)
        if (!clock_is_time(m, hol_expr_slots(e)[i]))
            return NULL;
    if (!n)
        return NULL;
    const int nodes = hol_expr_node_count(e);
    unsigned char *flags = HOL_NEW(&m->arena, unsigned char, nodes + hol_expr_switch_count(e) + 1);
    if (flags)
        hol_expr_switches_of(e, clock_is_time, m, flags, flags + nodes);
    return flags;
}

static int clock_parts(const HolProblem *p, int k) {
    const HolEventEntry *e = &((const HolModel *)p->user)->ev.events[k];
    return e->of_time ? hol_expr_switch_count(e->when) : -1;
}

static double clock_value(const HolProblem *p, void *work, int k, int i, double t) {
    const HolExpr *e = ((const HolModel *)p->user)->ev.events[k].when;
    HolModelWork *w = work;
    const double now = w->slot[0];
    w->slot[0] = t;
    const double value =
        i < 0 ? hol_expr_value(e, w->slot, w->expr) : hol_expr_switch(e, i, w->slot, w->expr);
    w->slot[0] = now;
    return value;
}

static void clock_bounds(const HolProblem *p, void *work, int k, int i, double t0, double t1,
                         double *lo, double *hi) {
    const HolEventEntry *e = &((const HolModel *)p->user)->ev.events[k];
    const HolInterval r = hol_expr_switch_range(e->when, e->of_time, i, (HolInterval){t0, t1},
                                                ((HolModelWork *)work)->expr);
    *lo = r.lo;
    *hi = r.hi;
}

static double clock_knot(const HolProblem *p, int k, double t) {
    return hol_expr_next_knot(((const HolModel *)p->user)->ev.events[k].when, t, 1);
}

void hol_clocks_build(HolModel *m, HolNonsmooth *ns) {
    for (int i = 0; i < m->ev.n_events; i++)
        m->ev.events[i].of_time = clock_nodes(m, m->ev.events[i].when);
    ns->clock_parts = clock_parts;
    ns->clock_value = clock_value;
    ns->clock_bounds = clock_bounds;
    ns->clock_knot = clock_knot;
}
