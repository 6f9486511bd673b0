// SPDX-License-Identifier: Apache-2.0
// What happens at the ends of ranges. Knots of tables of time are known before the run. A run that
// leaves a table is refused (outside: error) or gets a remark (hold, line). A bushing in space
// rotates by less than 0.9 of a turn (its rotation vector is not smooth at a whole one).
#include "model/contact/contact.h"
#include "model/model.h"
#include "model/row/row_spatial.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

// ---- expressions with tables ----

static int count_tables(const HolModel *m, const HolExpr *e) {
    return e && !hol_uses_implicit(m, e) ? hol_expr_table_count(e) : 0;
}

static void ranges_gather(HolModel *m, const HolExpr *e) {
    const int n = count_tables(m, e);
    if (!n)
        return;
    m->sys.looked_up[m->sys.n_looked_up++] = e;
    m->sys.n_lookups += n;
}

// an element of each bushing with a rotation
static int gather_turns(HolModel *m) {
    int *list = HOL_NEW(&m->arena, int, m->def.n_forces + 1), n = 0;
    for (int i = 0; list && i < m->sys.n_elements; i++) {
        const HolElement *e = &m->sys.elements[i];
        if (m->sys.rows[e->row].kind == &hol_row_rotation3 &&
            (!n || m->sys.elements[list[n - 1]].force != e->force))
            list[n++] = i;
    }
    m->sys.turns = list;
    m->sys.n_turns = n;
    return list != NULL;
}

int hol_limits_build(HolModel *m) {
    const int most = m->sys.n_elements + m->sys.n_equations + m->sys.nw;
    m->sys.looked_up = HOL_NEW(&m->arena, const HolExpr *, most + 1);
    if (!m->sys.looked_up)
        return 0;
    for (int i = 0; i < m->sys.n_elements; i++)
        ranges_gather(m, m->sys.elements[i].expr);
    for (int i = 0; i < m->sys.n_equations; i++)
        ranges_gather(m, hol_equation_expr(&m->sys.equations[i]));
    for (int i = 0; i < m->sys.nw; i++)
        ranges_gather(m, m->sys.implicit[i]->expr);
    return gather_turns(m);
}

static double model_next_kink(const HolProblem *p, double t, int jumps_only) {
    const HolModel *m = p->user;
    double next = INFINITY;
    for (int i = 0; i < m->sys.n_looked_up; i++)
        next = fmin(next, hol_expr_next_knot(m->sys.looked_up[i], t, jumps_only));
    for (int i = 0; i < m->ev.n_events; i++) // (those of time alone: solve/event/clocks.c)
        if (m->ev.events[i].when && !m->ev.events[i].of_time)
            next = fmin(next, hol_expr_next_knot(m->ev.events[i].when, t, 1));
    return next;
}

static double model_behind_kink(const HolProblem *p, double t) {
    const HolModel *m = p->user;
    double behind = t;
    for (int i = 0; i < m->sys.n_looked_up; i++)
        behind = fmax(behind, hol_expr_behind_knot(m->sys.looked_up[i], t));
    for (int i = 0; i < m->ev.n_events; i++)
        if (m->ev.events[i].when && !m->ev.events[i].of_time)
            behind = fmax(behind, hol_expr_behind_knot(m->ev.events[i].when, t));
    return behind;
}

// ---- states ----

// beyond the range by more than round-off and the width of a kink
static int is_left(const HolTableUse *u) {
    const double slack =
        1e-9 * (u->last - u->first) + 8 * DBL_EPSILON * fmax(fabs(u->first), fabs(u->last));
    return u->argument > u->last + slack || u->argument < u->first - slack;
}

static void say_left(const HolTableUse *u, double t, int refused, char *text, size_t size) {
    const int above = u->argument > u->last;
    const double end = above ? u->last : u->first;
    if (refused)
        snprintf(text, size,
                 "table '%s' would be left: its argument goes %s its %s x, %.9g (outside: error)",
                 u->table, above ? "above" : "below", above ? "last" : "first", end);
    else
        snprintf(text, size,
                 "table '%s' is left by time %.6g: its argument %.6g is %s its %s x, %.6g; %s",
                 u->table, t, u->argument, above ? "above" : "below", above ? "last" : "first", end,
                 u->outside == HOL_OUTSIDE_LINE ? "it goes on straight" : "its end value is held");
}

static int judge_tables(const HolModel *m, HolModelWork *w, int accepted, char *text, size_t size) {
    int number = 0;
    for (int i = 0; i < m->sys.n_looked_up; i++) {
        const HolExpr *e = m->sys.looked_up[i];
        hol_expr_value(e, w->slot, w->expr);
        for (int k = 0; k < hol_expr_table_count(e); k++, number++) {
            const HolTableUse u = hol_expr_table_use(e, k, w->expr);
            const int refused = u.outside == HOL_OUTSIDE_ERROR;
            if (u.outside == HOL_OUTSIDE_PERIODIC || refused == accepted || !is_left(&u) ||
                (accepted && w->outside[number]))
                continue;
            w->outside[number] = (unsigned char)accepted;
            say_left(&u, w->t, refused, text, size);
            return 1;
        }
    }
    return 0;
}

// rotation of a bushing from its free orientation, and the relative rate of its bodies
static void turn_of(const HolModel *m, const HolModelWork *w, const HolRow *r, double *angle,
                    double *rate) {
    double v[2][6];
    hol_body_velocity(m, r->a, w->v, v[0]);
    hol_body_velocity(m, r->b, w->v, v[1]);
    const Vec3 a = m3_mulv(frame_A(&w->frames[r->a]), v3_load(v[0] + 3));
    const Vec3 b = m3_mulv(frame_A(&w->frames[r->b]), v3_load(v[1] + 3));
    *angle = v3_norm(hol_rotation3(r, &w->frames[r->a], &w->frames[r->b]));
    *rate = v3_norm(v3_sub(b, a));
}

// The angle is known up to a whole turn: from 0.9 of one a step must not lead beyond 1.1.
static int judge_turns(const HolModel *m, HolModelWork *w, int accepted, char *text, size_t size) {
    static const double TURN = 2 * M_PI;
    for (int i = 0; i < m->sys.n_turns; i++) {
        const HolElement *e = &m->sys.elements[m->sys.turns[i]];
        double angle, rate, *last = w->turned + 2 * i;
        turn_of(m, w, &m->sys.rows[e->row], &angle, &rate);
        const double way = fmax(rate, last[1]) * (w->t - w->turned_t);
        const int far = angle > 0.9 * TURN, fast = way > 0.2 * TURN && last[0] + way > 0.9 * TURN;
        if (accepted) {
            last[0] = angle;
            last[1] = rate;
        } else if (far || fast) {
            snprintf(
                text, size, "bushing '%.60s' turns %s", m->def.forces[e->force].def.name,
                far ? "by more than 0.9 of a turn from its free orientation: its torque is not "
                      "defined at a whole one; use a torsion spring about a joint"
                    : "too far in a step to be followed");
            return 1;
        }
    }
    if (accepted)
        w->turned_t = w->t;
    return 0;
}

static int model_judge(const HolProblem *p, void *work, double t, const double *q, const double *v,
                       const double *vars, int accepted, char *text, size_t size) {
    const HolModel *m = p->user;
    HolModelWork *w = work;
    hol_slots_at(p, w, t, q, v, vars);
    if (!accepted && hol_contact_upright(m, w, text, size))
        return 1;
    return judge_turns(m, w, accepted, text, size) || judge_tables(m, w, accepted, text, size);
}

// ---- the start ----

// In space whole turns count from the angle at which a joint is said to start.
static void begin_turns(const HolModel *m, HolModelWork *w) {
    for (int i = 0; i < m->def.n_joints; i++) {
        const HolJoint *j = &m->def.joints[i];
        if (isnan(j->def.start_angle) || j->coordinate < 0 || !j->coordinate_is_angle)
            continue;
        const HolRow *r = &m->sys.rows[j->coordinate];
        if (r->memory >= 0)
            w->memory[r->memory] = j->def.start_angle;
    }
}

static int starts_at_angles(const HolModel *m) {
    for (int i = 0; i < m->def.n_joints; i++)
        if (!isnan(m->def.joints[i].def.start_angle))
            return 1;
    return 0;
}

// A drive's start value beside the joint as it is written; in space whole turns of it are counted
// from the drive.
static void model_begin(const HolProblem *p, void *work, double t, const double *q,
                        void (*say)(void *to, const char *text), void *to) {
    static const double NOTICED = 1e-6; // rad, m
    const HolModel *m = p->user;
    HolModelWork *w = work;
    begin_turns(m, w);
    if (m->touch.damped)
        hol_contacts_begin(m, w);
    hol_model_position(m, w, t, q);
    hol_slots_position(m, w, m->sys.n_active_slots);
    for (int i = 0; i < m->def.n_motions; i++) {
        const HolMotion *d = &m->def.motions[i];
        if (d->def.speed)
            continue;
        const HolJoint *j = &m->def.joints[d->joint];
        const HolRow *r = &m->sys.rows[j->coordinate];
        const double start = hol_expr_value(m->sys.equations[d->constraint].expr, w->slot, w->expr);
        const double turn = 2 * M_PI, written = hol_row_value(m, w, j->coordinate);
        const double turns = j->coordinate_is_angle ? round((start - written) / turn) : 0;
        const double off = start - written - turns * turn;
        if (r->memory >= 0 && isfinite(turns))
            w->memory[r->memory] += turns * turn;
        if (!(fabs(off) > NOTICED))
            continue;
        char text[240];
        snprintf(
            text, sizeof text,
            "motion '%.60s' starts at %.6g %s, joint '%.60s' is written at %.6g: assembly %s by "
            "%.3g",
            d->def.name, start, j->coordinate_is_angle ? "rad" : "m", j->def.name,
            written + turns * turn,
            j->coordinate_is_angle ? "turned its bodies" : "shifted its bodies", off);
        say(to, text);
    }
    w->have_slots_q = 0;
}

// a step of floor may lie in the function of an event
static int events_step(const HolModel *m) {
    for (int i = 0; i < m->ev.n_events; i++)
        if (m->ev.events[i].when && hol_expr_table_count(m->ev.events[i].when))
            return 1;
    return 0;
}

void hol_limits_functions(HolModel *m) {
    const int knots = m->sys.n_looked_up || events_step(m);
    m->extras.begin =
        m->def.n_motions || starts_at_angles(m) || m->touch.damped ? model_begin : NULL;
    m->extras.next_kink = knots ? model_next_kink : NULL;
    m->extras.behind_kink = model_behind_kink;
    int rims = 0;
    for (int i = 0; i < m->touch.n; i++)
        rims |= m->touch.list[i].rim;
    m->extras.judge = m->sys.n_looked_up || m->sys.n_turns || rims ? model_judge : NULL;
}
