// SPDX-License-Identifier: Apache-2.0
// Answers the solver's questions about elements with modes and events (problem/nonsmooth.h): modes,
// watches, rows as if they were closed, capacities, what events set.
#include "model/contact/crowd.h"
#include "model/mode/mode.h"

#include <math.h>
#include <string.h>

// slip of several rows has stopped below this part of a speed that is tiny from the start
static const double STOP_PART = 0.1;

static const HolModel *modes_model(const HolProblem *p) {
    return p->user;
}

// what was computed belongs to another mode now
void hol_modes_forget(HolModelWork *w) {
    w->have_q = w->have_v = 0;
    w->have_slots_q = w->have_slots_v = 0;
}

// ---- modes ----

static int support_mode(const HolProblem *p, const void *work, int i) {
    const HolModel *m = modes_model(p);
    const HolModelWork *w = work;
    return w->closed[m->sys.equations[m->ev.supports[i].info.row].mode];
}

static void set_support(const HolProblem *p, void *work, int i, int mode) {
    const HolModel *m = modes_model(p);
    HolModelWork *w = work;
    const int k = m->sys.equations[m->ev.supports[i].info.row].mode;
    w->closed[k] = (unsigned char)mode;
    w->hold[k] = mode == HOL_CLOSED ? m->ev.supports[i].hold : 0;
    if (m->ev.supports[i].state)
        w->given[m->ev.supports[i].state] = mode;
    hol_modes_forget(w);
}

static int grip_mode(const HolProblem *p, const void *work, int i) {
    const HolModel *m = modes_model(p);
    const HolModelWork *w = work;
    const HolGripEntry *g = &m->ev.grips[i];
    if (hol_grip_sticks(m, w, g))
        return HOL_STICK;
    const double sign = w->given[g->sign];
    return sign > 0 ? HOL_SLIP : sign < 0 ? -HOL_SLIP : HOL_FREE;
}

static double grip_value(const HolModel *m, HolModelWork *w, const HolGripEntry *g, int k) {
    const double minus = g->minus[k] ? hol_row_value(m, w, g->minus[k] - 1) : 0;
    return g->scale[k] * (hol_row_value(m, w, g->row[k]) - minus);
}

static void set_grip(const HolProblem *p, void *work, const HolPoint *at, int i, int mode) {
    const HolModel *m = modes_model(p);
    HolModelWork *w = work;
    const HolGripEntry *g = &m->ev.grips[i];
    hol_model_position(m, w, at->t, at->q);
    for (int k = 0; k < g->info.rows; k++) {
        const int number = m->sys.equations[g->info.row + k].mode;
        const HolRow *r = &m->sys.rows[g->row[k]];
        w->closed[number] = mode == HOL_STICK;
        w->hold[number] = mode == HOL_STICK && r->kind->holonomic ? grip_value(m, w, g, k) : 0;
        w->given[g->apart[k]] = 0;
        if (g->info.rows > 1)
            w->given[g->lean[k]] = w->given[g->most] = 0;
    }
    w->given[g->sign] = mode == HOL_SLIP ? 1 : mode == -HOL_SLIP ? -1 : 0;
    if (g->state)
        w->given[g->state] = mode;
    hol_modes_forget(w);
}

static int modes_is_apart(const HolProblem *p, const void *work, int i, int k) {
    return ((const HolModelWork *)work)->given[modes_model(p)->ev.grips[i].apart[k]] > 0;
}

static void modes_set_apart(const HolProblem *p, void *work, int i, int k, int apart) {
    const HolModel *m = modes_model(p);
    const HolGripEntry *g = &m->ev.grips[i];
    HolModelWork *w = work;
    w->closed[m->sys.equations[g->info.row + k].mode] = !apart;
    w->given[g->apart[k]] = apart;
    hol_modes_forget(w);
}

// ---- rows ----

static void closed_row(const HolProblem *p, void *work, const HolPoint *at, int row, double *c,
                       HolClosedRow *out) {
    const HolModel *m = modes_model(p);
    HolModelWork *w = work;
    const HolEquation *e = &m->sys.equations[row];
    hol_model_position(m, w, at->t, at->q);
    if (at->v)
        hol_model_velocity(m, w, at->v);
    if (c)
        memset(c, 0, sizeof *c * (size_t)p->nv);
    *out = (HolClosedRow){0};
    for (int k = 0; k < e->n_terms - 1; k++) {
        const HolTerm *t = &m->sys.terms[e->first_term + k];
        const HolRow *r = &m->sys.rows[t->row];
        const HolBody *body[2] = {&m->def.bodies[r->a], &m->def.bodies[r->b]};
        double(*beta)[6] = hol_row_coef(m, w, t->row);
        for (int side = 0; c && side < 2; side++)
            for (int i = 0; i < body[side]->nv; i++)
                c[body[side]->v + i] += t->coef * beta[side][i];
        if (r->kind->holonomic)
            out->value += t->coef * hol_row_value(m, w, t->row);
        if (at->v) {
            double va[6], vb[6];
            hol_body_velocity(m, r->a, at->v, va);
            hol_body_velocity(m, r->b, at->v, vb);
            out->gamma += t->coef * r->kind->gamma(r, &w->frames[r->a], &w->frames[r->b], va, vb);
        }
    }
    for (int i = 0; i < m->ev.n_supports; i++)
        if (m->ev.supports[i].info.row == row)
            out->value -= m->ev.supports[i].hold;
}

// rate of a grip's row k
static double grip_speed(const HolModel *m, HolModelWork *w, const HolGripEntry *g, int k) {
    const double minus = g->minus[k] ? hol_row_rate(m, w, g->minus[k] - 1) : 0;
    return g->scale[k] * (hol_row_rate(m, w, g->row[k]) - minus);
}

static double support_gap(const HolModel *m, HolModelWork *w, const HolSupportEntry *s) {
    const HolEquation *e = &m->sys.equations[s->info.row];
    double gap = -s->hold;
    for (int k = 0; k < e->n_terms - 1; k++) {
        const HolTerm *t = &m->sys.terms[e->first_term + k];
        gap += t->coef * hol_row_value(m, w, t->row);
    }
    return gap;
}

static double piece_reach(const HolModel *m, HolModelWork *w, int support, int end) {
    const HolSupportEntry *s = &m->ev.supports[support];
    return s->reach_row[end] < 0
               ? INFINITY
               : s->reach_sign[end] * (hol_row_value(m, w, s->reach_row[end]) - s->reach_from[end]);
}

static double modes_reach(const HolProblem *p, void *work, const HolPoint *at, int support,
                          int end) {
    hol_model_position(modes_model(p), work, at->t, at->q);
    return piece_reach(modes_model(p), work, support, end);
}

// ---- watches ----

void hol_modes_slots(const HolModel *m, HolModelWork *w, const HolPoint *at) {
    hol_model_position(m, w, at->t, at->q);
    hol_model_velocity(m, w, at->v);
    hol_slots_position(m, w, m->sys.n_slots);
    hol_slots_velocity(m, w, m->sys.n_slots);
    hol_slots_variables(m, w, m->sys.n_slots, at->a, at->lambda, at->w);
}

static double stick_force(const HolGripEntry *g, const double *lambda) {
    double sum = 0;
    for (int k = 0; k < g->info.rows; k++)
        sum += lambda[g->info.row + k] * lambda[g->info.row + k];
    return g->info.rows == 1 ? -lambda[g->info.row] : sqrt(sum);
}

static double slip_value(const HolModel *m, HolModelWork *w, const HolGripEntry *g) {
    if (w->given[g->sign] == 0) // driven, at rest: until it moves
        return -fabs(grip_speed(m, w, g, 0));
    if (g->info.rows == 1)
        return w->given[g->sign] * grip_speed(m, w, g, 0);
    double along = -w->given[g->stop];
    for (int k = 0; k < g->info.rows; k++)
        along += w->given[g->aim[k]] * (grip_speed(m, w, g, k) + w->given[g->lean[k]]);
    return along;
}

static void set_lean(const HolProblem *p, void *work, int i, const double *b, double until) {
    const HolGripEntry *g = &modes_model(p)->ev.grips[i];
    HolModelWork *w = work;
    for (int k = 0; k < g->info.rows; k++)
        w->given[g->lean[k]] = b[k];
    w->given[g->until] = until;
    hol_modes_forget(w);
}

static double modes_lean(const HolProblem *p, const void *work, int i) {
    const HolGripEntry *g = &modes_model(p)->ev.grips[i];
    const HolModelWork *w = work;
    double sum = 0;
    for (int k = 0; k < g->info.rows && g->info.rows > 1; k++)
        sum += w->given[g->lean[k]] * w->given[g->lean[k]];
    return sqrt(sum);
}

static double modes_aim(const HolProblem *p, void *work, const HolPoint *at, int i, double least,
                        double part) {
    const HolModel *m = modes_model(p);
    HolModelWork *w = work;
    const HolGripEntry *g = &m->ev.grips[i];
    double along[3], sum = 0;
    hol_model_position(m, w, at->t, at->q);
    hol_model_velocity(m, w, at->v);
    for (int k = 0; k < g->info.rows; k++) {
        along[k] = grip_speed(m, w, g, k) + w->given[g->lean[k]];
        sum += along[k] * along[k];
    }
    const double speed = sqrt(sum);
    double *most = &w->given[g->most], lean = 0, stop;
    *most = fmax(*most, speed);
    for (int k = 0; k < g->info.rows; k++)
        lean = fmax(lean, fabs(w->given[g->lean[k]]));
    for (int k = 0; k < g->info.rows && speed > w->given[g->until]; k++)
        w->given[g->lean[k]] = 0; // (it slips for good)
    const int begins = lean > 0 && speed <= w->given[g->until];
    stop = begins ? STOP_PART * fmin(lean, speed) : fmax(least, part * *most);
    w->given[g->stop] = !begins && speed < 2 * stop ? 4 * stop : stop; // (it has stopped already)
    hol_modes_forget(w);
    for (int k = 0; k < g->info.rows && sum > 0; k++)
        w->given[g->aim[k]] = along[k] / speed;
    return stop;
}

static double watch_value(const HolModel *m, HolModelWork *w, const HolPoint *at,
                          const HolWatch *watch) {
    const int of_grip = watch->kind == HOL_WATCH_SLIP || watch->kind == HOL_WATCH_CONE;
    const HolGripEntry *g = of_grip ? &m->ev.grips[watch->of] : NULL;
    switch (watch->kind) {
    case HOL_WATCH_GAP:
        return support_gap(m, w, &m->ev.supports[watch->of]);
    case HOL_WATCH_REACH:
        return piece_reach(m, w, watch->of, watch->side);
    case HOL_WATCH_FORCE:
        return -at->lambda[m->ev.supports[watch->of].info.row];
    case HOL_WATCH_SLIP:
        return slip_value(m, w, g);
    case HOL_WATCH_CONE:
        return hol_expr_value(g->capacity, w->slot, w->expr) -
               watch->side * stick_force(g, at->lambda);
    case HOL_WATCH_EVENT:
        return hol_expr_value(m->ev.events[watch->of].when, w->slot, w->expr);
    }
    return 1;
}

static void modes_watch(const HolProblem *p, void *work, const HolPoint *at,
                        const unsigned char *wanted, double *values) {
    const HolModel *m = modes_model(p);
    HolModelWork *w = work;
    hol_modes_slots(m, w, at);
    for (int i = 0; i < m->ev.nonsmooth.n_watches; i++)
        if (wanted[i])
            values[i] = watch_value(m, w, at, &m->ev.nonsmooth.watches[i]);
}

static double modes_capacity(const HolProblem *p, void *work, const HolPoint *at, int grip) {
    const HolModel *m = modes_model(p);
    hol_modes_slots(m, work, at);
    return hol_expr_value(m->ev.grips[grip].capacity, ((HolModelWork *)work)->slot,
                          ((HolModelWork *)work)->expr);
}

static double modes_slip_force(const HolProblem *p, void *work, const HolPoint *at, int grip) {
    const HolModel *m = modes_model(p);
    HolModelWork *w = work;
    const HolGripEntry *g = &m->ev.grips[grip];
    double sum = 0;
    hol_modes_slots(m, w, at);
    for (int k = 0; k < g->info.rows; k++) {
        const double f =
            hol_expr_value(m->sys.elements[g->element[k]].expr, w->slot, w->expr) / g->scale[k];
        sum += f * f;
    }
    return sqrt(sum);
}

static void set_share(const HolProblem *p, void *work, int grip, int group) {
    const HolModel *m = modes_model(p);
    const HolGripEntry *g = &m->ev.grips[grip];
    HolModelWork *w = work;
    w->given[g->share] = group;
    if (g->state && hol_grip_sticks(m, w, g))
        w->given[g->state] = group ? HOL_SHARED : HOL_STICK;
}

static int row_driven(const HolProblem *p, int row) {
    const HolModel *m = modes_model(p);
    for (int i = 0; i < m->def.n_motions; i++)
        if (m->def.motions[i].constraint == row)
            return 1;
    return 0;
}

int hol_model_heats(const HolModel *m) {
    for (int i = 0; i < m->sys.n_elements; i++)
        if (m->sys.elements[i].friction)
            return 1;
    return m->ev.n_grips > 0;
}

static double modes_heat(const HolProblem *p, void *work, const HolPoint *at) {
    const HolModel *m = modes_model(p);
    HolModelWork *w = work;
    double power = 0;
    hol_modes_slots(m, w, at);
    if (m->touch.n_crowds)
        power += hol_crowds_sums(m, w, at->v).heat;
    for (int i = 0; i < m->sys.n_elements; i++) {
        const HolElement *e = &m->sys.elements[i];
        if (e->friction && e->expr)
            power -= hol_expr_value(e->expr, w->slot, w->expr) * hol_row_rate(m, w, e->row);
    }
    return power;
}

static void pads_at(const HolProblem *p, void *work, const HolPoint *at, HolPadState *out) {
    const HolModel *m = modes_model(p);
    HolModelWork *w = work;
    hol_modes_slots(m, w, at);
    for (int i = 0; i < m->ev.n_pads; i++) {
        const HolExpr *const *of = m->ev.pads[i]->measures;
        out[i] = (HolPadState){hol_expr_value(of[0], w->slot, w->expr),
                               hol_expr_value(of[1], w->slot, w->expr),
                               hol_expr_value(of[3], w->slot, w->expr)};
    }
}

// ---- events of the user ----

static int event_set(const HolProblem *p, void *work, const HolPoint *at, int i, double *v) {
    const HolModel *m = modes_model(p);
    HolModelWork *w = work;
    const HolEventEntry *e = &m->ev.events[i];
    int finite = 1;
    hol_modes_slots(m, w, at);
    for (int k = 0; k < e->n_sets; k++) {
        const struct HolEventSet *s = &e->sets[k];
        const double value = s->row < 0 ? hol_expr_value(s->expr, w->slot, w->expr) : 0;
        finite &= isfinite(value) != 0;
        if (s->given >= 0)
            w->given[s->given] = value;
        else if (s->state >= 0)
            v[m->def.bodies[m->sys.rows[m->def.states[s->state].row].b].v] = value;
    }
    hol_modes_forget(w);
    return finite;
}

static int event_resets(const HolProblem *p, void *work, const HolPoint *at, int i, int k,
                        double *c, double *value) {
    const HolModel *m = modes_model(p);
    HolModelWork *w = work;
    const HolEventEntry *e = &m->ev.events[i];
    hol_modes_slots(m, w, at);
    for (int l = 0; l < e->n_sets; l++) {
        const struct HolEventSet *s = &e->sets[l];
        if (s->row < 0 || k-- > 0)
            continue;
        const HolRow *r = &m->sys.rows[s->row];
        const HolBody *body[2] = {&m->def.bodies[r->a], &m->def.bodies[r->b]};
        double(*beta)[6] = hol_row_coef(m, w, s->row);
        memset(c, 0, sizeof *c * (size_t)p->nv);
        for (int side = 0; side < 2; side++)
            for (int x = 0; x < body[side]->nv; x++)
                c[body[side]->v + x] += beta[side][x];
        *value = hol_expr_value(s->expr, w->slot, w->expr);
        return 1;
    }
    return 0;
}

const char *hol_model_first_mode(const HolModel *m) {
    if (m && m->ev.n_supports)
        return m->ev.supports[0].info.name;
    return m && m->ev.n_grips ? m->ev.grips[0].info.name : NULL;
}

// ---- tables ----

static void add_watch(HolWatch *list, int *n, HolWatchKind kind, int of, int side, int reactions) {
    list[(*n)++] = (HolWatch){kind, of, side, reactions};
}

static int uses_reactions(const HolModel *m, const HolExpr *e) {
    for (int i = 0; e && i < hol_expr_slot_count(e); i++) {
        const HolSlotType type = m->sys.slots[hol_expr_slots(e)[i]].type;
        if (type == HOL_SLOT_ACCELERATION || type == HOL_SLOT_REACTION ||
            type == HOL_SLOT_MULTIPLIER || type == HOL_SLOT_VARIABLE)
            return 1;
    }
    return 0;
}

static HolWatch *make_watches(HolModel *m, int *n) {
    HolWatch *list =
        HOL_NEW(&m->arena, HolWatch, 4 * m->ev.n_supports + 3 * m->ev.n_grips + m->ev.n_events + 1);
    *n = 0;
    for (int i = 0; list && i < m->ev.n_supports; i++) {
        add_watch(list, n, HOL_WATCH_GAP, i, 0, 0);
        add_watch(list, n, HOL_WATCH_FORCE, i, 0, 1);
        for (int k = 0; k < 2 && m->ev.supports[i].limited; k++)
            if (m->ev.supports[i].piece.ends[k])
                add_watch(list, n, HOL_WATCH_REACH, i, k, 0);
    }
    for (int i = 0; list && i < m->ev.n_grips; i++) {
        add_watch(list, n, HOL_WATCH_SLIP, i, 0, 0);
        add_watch(list, n, HOL_WATCH_CONE, i, 1, 1);
        if (m->ev.grips[i].info.rows == 1)
            add_watch(list, n, HOL_WATCH_CONE, i, -1, 1);
    }
    for (int i = 0; list && i < m->ev.n_events; i++)
        if (m->ev.events[i].when)
            add_watch(list, n, HOL_WATCH_EVENT, i, 0, uses_reactions(m, m->ev.events[i].when));
    return list;
}

// compliant contacts that have columns
static HolPad *make_pads(HolModel *m) {
    HolPad *list = HOL_NEW(&m->arena, HolPad, m->touch.n + 1);
    m->ev.pads = HOL_NEW(&m->arena, const HolContact *, m->touch.n + 1);
    m->ev.n_pads = 0;
    for (int i = 0; list && m->ev.pads && i < m->touch.n; i++) {
        const HolContact *c = &m->touch.list[i];
        if (c->hidden || c->def->stiffness == 0)
            continue;
        list[m->ev.n_pads] = (HolPad){c->name};
        m->ev.pads[m->ev.n_pads++] = c;
    }
    return list;
}

// friction along the coordinate that a stop stops, -1: none
static int rub_of(const HolModel *m, const HolSupport *s) {
    const int row = m->sys.terms[m->sys.equations[s->row].first_term].row;
    for (int i = 0; i < m->ev.n_grips && s->grip < 0; i++)
        if (m->ev.grips[i].info.support < 0 && m->ev.grips[i].info.rows == 1 &&
            m->ev.grips[i].row[0] == row)
            return i;
    return -1;
}

int hol_nonsmooth_build(HolModel *m, HolError *err) {
    HolEventTables *ev = &m->ev;
    HolNonsmooth *ns = &ev->nonsmooth;
    (void)err;
    const HolPad *pads = make_pads(m);
    const int heats = hol_model_heats(m);
    if (!ev->n_supports && !heats && !ev->n_events && !ev->n_pads && !ev->n_loads)
        return !m->arena.failed;
    HolSupport *supports = HOL_NEW(&m->arena, HolSupport, ev->n_supports + 1);
    HolGrip *grips = HOL_NEW(&m->arena, HolGrip, ev->n_grips + 1);
    HolEventInfo *events = HOL_NEW(&m->arena, HolEventInfo, ev->n_events + 1);
    if (m->arena.failed)
        return 0;
    for (int i = 0; i < ev->n_supports; i++) {
        supports[i] = ev->supports[i].info;
        supports[i].rub = rub_of(m, &supports[i]);
        supports[i].piece = ev->supports[i].limited ? &ev->supports[i].piece : NULL;
    }
    for (int i = 0; i < ev->n_grips; i++) {
        HolGripEntry *g = &ev->grips[i];
        grips[i] = g->info;
        g->capacity = hol_compile_slots(m, g->capacity_text, g->slots);
    }
    for (int i = 0; i < ev->n_events; i++) {
        const HolEventDef *d = &ev->events[i].def;
        events[i] = (HolEventInfo){d->name,        d->direction, d->stop,
                                   d->count,       d->every,     d->n_sets + d->n_resets > 0,
                                   d->n_resets > 0};
    }
    *ns = (HolNonsmooth){.n_supports = ev->n_supports,
                         .n_grips = ev->n_grips,
                         .n_pads = ev->n_pads,
                         .n_events = ev->n_events,
                         .heats = heats,
                         .supports = supports,
                         .grips = grips,
                         .pads = pads,
                         .events = events,
                         .support_mode = support_mode,
                         .grip_mode = grip_mode,
                         .set_support = set_support,
                         .set_grip = set_grip,
                         .is_apart = modes_is_apart,
                         .set_apart = modes_set_apart,
                         .set_lean = set_lean,
                         .lean = modes_lean,
                         .aim = modes_aim,
                         .slip_force = modes_slip_force,
                         .sizes = hol_load_sizes,
                         .closed_row = closed_row,
                         .reach = modes_reach,
                         .watch = modes_watch,
                         .capacity = modes_capacity,
                         .set_share = set_share,
                         .row_driven = row_driven,
                         .heat = modes_heat,
                         .pads_at = pads_at,
                         .event_set = event_set,
                         .event_resets = event_resets,
                         .n_impulses = m->def.n_joints + m->def.n_motions + m->def.n_constraints,
                         .impulse_name = hol_impulse_name,
                         .impulse = hol_impulse_of};
    hol_clocks_build(m, ns);
    ns->watches = make_watches(m, &ns->n_watches);
    m->extras.nonsmooth = ns;
    return !m->arena.failed;
}
