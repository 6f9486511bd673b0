// SPDX-License-Identifier: Apache-2.0
// Compliant contacts (docs/theory/contact.md, section 20). With the gap g, its rate u and d = -g
//     F = k max(d, 0)^n max(1 - a u, 0)                      Hunt and Crossley, never a pull
// where a is given, or follows from the restitution e at the speed u0 of touch, a = z/u0,
//     (1 + e) z = log((1 + z)/(1 - e z))                     (51), exact for every k, n and mass
// Friction is smooth: with the sliding velocity s at the contact point
//     T = -mu(|s|) F s / sqrt(|s|^2 + speed^2)
// Rows: the gap; in the plane the sliding speed; on a plane in space its two components; of two
// spheres the three global components w of the relative velocity, s = w - u n, where T acts along
// these and with +c u along the gap.
#include "model/contact/contact.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

double hol_contact_damping(double e) {
    double low = 0, high = 1 / e;
    if (!(e < 1))
        return 0;
    // (below the root the difference is negative; it has a double root at zero)
    for (int i = 0; i < 200 && high - low > 1e-16 * high; i++) {
        const double z = 0.5 * (low + high);
        if (log1p(z) - log1p(-e * z) < (1 + e) * z)
            low = z;
        else
            high = z;
    }
    return 0.5 * (low + high);
}

// ---- expressions over names of the contact ----

typedef struct LawName {
    const char *name;
    int slot;
    const HolExpr *expr; // or NULL
} LawName;

enum { LAW_NAMES = 8 };

static void law_resolve(void *context, const char *name, HolSymbol *out, char suggestion[64]) {
    const LawName *names = context;
    suggestion[0] = 0;
    *out = (HolSymbol){0};
    for (int i = 0; i < LAW_NAMES && names[i].name; i++)
        if (strcmp(names[i].name, name) == 0) {
            *out = (HolSymbol){names[i].expr ? HOL_SYMBOL_EXPR : HOL_SYMBOL_SLOT, 0, names[i].slot,
                               names[i].expr};
            return;
        }
}

static HolExpr *law_compile(HolModel *m, LawName *names, const char *text) {
    const HolExprScope scope = {.context = names, .resolve = law_resolve, .has_time = 1};
    HolExprError error = {0};
    return hol_compile_room(m, hol_expr_compile(&m->arena, text, &scope, &error));
}

static int law_element(HolModel *m, const HolContact *c, int what, int row, const HolExpr *e) {
    const int i = e ? hol_add_element(m, what, row, 0, 0, 0, e) : -1;
    if (i >= 0) {
        m->sys.elements[i].owner = c->name;
        m->sys.elements[i].friction = what == HOL_FRICTION_ELEMENT;
    }
    return i >= 0;
}

// mu at the speed that the text `speed` gives
static void law_coefficient(const HolFrictionDef *f, const char *speed, char *out, size_t size) {
    const double rise = isnan(f->mu_static) ? 0 : f->mu_static - f->mu;
    if (rise > 0 && f->stribeck > 0)
        snprintf(out, size, "(%.17g+%.17g*exp(-%s/%.17g))", f->mu, rise, speed, f->stribeck);
    else
        snprintf(out, size, "%.17g", f->mu);
}

// friction as -c times each component of the sliding velocity; sets the measures
static int law_friction(HolModel *m, HolContact *c, LawName *names) {
    static const char *const sums[] = {"", "w0^2", "w0^2+w1^2", "w0^2+w1^2+w2^2-u^2"};
    static const char *const slips[] = {"w0", "w1", "w2"};
    const HolFrictionDef *f = &c->def->friction;
    char text[600], mu[200], speed[120];
    int ok = 1;
    snprintf(speed, sizeof speed, "sqrt(max(%s,0)+1e-24)", sums[c->n_slip]);
    if (!f->given) {
        c->measures[4] = hol_expr_constant(&m->arena, 0);
    } else {
        law_coefficient(f, speed, mu, sizeof mu);
        snprintf(text, sizeof text, "%s*F/sqrt(%s+%.17g)", mu, sums[c->n_slip],
                 f->speed * f->speed);
        names[6] = (LawName){"c", 0, law_compile(m, names, text)};
        for (int k = 0; k < c->n_slip; k++) {
            snprintf(text, sizeof text, "-c*%s", slips[k]);
            ok &= law_element(m, c, HOL_FRICTION_ELEMENT, c->slip[k], law_compile(m, names, text));
        }
        if (c->n_slip == 3) {
            snprintf(text, sizeof text, "%.17g*c*u", c->sign);
            ok &= law_element(m, c, HOL_FRICTION_ELEMENT, c->row, law_compile(m, names, text));
        }
        if (c->n_slip == 1)
            snprintf(text, sizeof text, "-c*w0*%.17g", c->slip_sign);
        else
            snprintf(text, sizeof text, "c*%s", speed);
        c->measures[4] = law_compile(m, names, text);
    }
    if (c->n_slip == 1)
        snprintf(text, sizeof text, "w0*%.17g", c->slip_sign);
    else
        snprintf(text, sizeof text, "%s", speed);
    c->measures[2] = law_compile(m, names, text);
    if (c->n_slip == 1 && f->given)
        snprintf(text, sizeof text, "if(g<0,if(w0*%.17g<0,-2,2),0)", c->slip_sign);
    else
        snprintf(text, sizeof text, "if(g<0,%d,0)", f->given ? 2 : 1);
    c->measures[5] = law_compile(m, names, text);
    return ok && c->measures[2] && c->measures[4] && c->measures[5];
}

// a piece of a polyline: no force outside its range
static int law_ranges(HolModel *m, HolContact *c, LawName *names, HolExpr **force) {
    char text[200];
    for (int i = 0; i < 2 && *force; i++) {
        if (c->range[i] < 0)
            continue;
        names[3] = (LawName){"F", 0, *force};
        names[4] = (LawName){"s", hol_slot(m, HOL_SLOT_VALUE, c->range[i], 0, 0, 0), NULL};
        if (isfinite(c->from[i]) && isfinite(c->to[i]))
            snprintf(text, sizeof text, "if(s<%.17g,0,if(s<%.17g,if(g>%.17g,F,0),0))", c->from[i],
                     c->to[i], -c->depth);
        else if (isfinite(c->from[i]))
            snprintf(text, sizeof text, "if(s<%.17g,0,F)", c->from[i]);
        else
            snprintf(text, sizeof text, "if(s<%.17g,F,0)", c->to[i]);
        *force = law_compile(m, names, text);
    }
    memset(names + 3, 0, 2 * sizeof *names);
    return *force != NULL;
}

const HolExpr *hol_contact_join(HolModel *m, const char *text, const HolExpr *A, const HolExpr *B,
                                const HolExpr *G, const HolExpr *H) {
    LawName names[LAW_NAMES + 1] = {{"A", 0, A}, {"B", 0, B}, {"G", 0, G}, {"H", 0, H}};
    return A && B && G && H ? law_compile(m, names, text) : NULL;
}

int hol_contact_compliant(HolModel *m, HolContact *c, HolError *err) {
    (void)err;
    static const char *const slips[] = {"w0", "w1", "w2"};
    LawName names[LAW_NAMES + 1] = {{0}};
    char text[300];
    const LawName raw[] = {{"x", hol_slot(m, HOL_SLOT_VALUE, c->row, 0, 0, 0), NULL},
                           {"r", hol_slot(m, HOL_SLOT_RATE, c->row, 0, 0, 0), NULL},
                           {NULL, 0, NULL}};
    memcpy(names, raw, sizeof raw);
    snprintf(text, sizeof text, "%.17g*x+(%.17g)", c->sign, c->constant);
    c->measures[0] = law_compile(m, names, text);
    snprintf(text, sizeof text, "%.17g*r", c->sign);
    c->measures[1] = law_compile(m, names, text);
    names[0] = (LawName){"g", 0, c->measures[0]};
    names[1] = (LawName){"u", 0, c->measures[1]};
    names[2] = (LawName){"a", hol_slot(m, HOL_SLOT_GIVEN, 0, 0, 0, c->damping), NULL};
    snprintf(text, sizeof text, "%.17g*max(-g,0)^%.17g*max(1-a*u,0)", c->k, c->n);
    HolExpr *force = m->arena.failed ? NULL : law_compile(m, names, text);
    if (!force || !law_ranges(m, c, names, &force))
        return 0;
    c->measures[3] = force;
    names[2] = (LawName){"F", 0, force};
    for (int k = 0; k < c->n_slip; k++)
        names[3 + k] = (LawName){slips[k], hol_slot(m, HOL_SLOT_RATE, c->slip[k], 0, 0, 0), NULL};
    // (the next name is that of friction: the list has no hole)
    for (int k = c->n_slip; k < 3; k++)
        names[3 + k] = names[2];
    snprintf(text, sizeof text, "%.17g*F", c->sign);
    return law_element(m, c, HOL_CONTACT_ELEMENT, c->row, law_compile(m, names, text)) &&
           law_friction(m, c, names);
}

// ---- along a run ----

// the smaller mass of the two bodies; 0: neither has one
static double law_mass(const HolModel *m, const HolContact *c) {
    const double a = c->a.body ? m->def.bodies[c->a.body].def.mass : 0,
                 b = c->b.body ? m->def.bodies[c->b.body].def.mass : 0;
    return a > 0 && b > 0 ? fmin(a, b) : fmax(a, b);
}

// what the rate of a contact's gap may be by round-off alone: speeds that cancel, with arms between the
// two bodies
static double law_noise(const HolModel *m, const HolModelWork *w, const HolContact *c) {
    const HolAttach *side[2] = {&c->a, &c->b};
    const int places = m->space == HOL_PLANAR ? 2 : 3;
    double arm = 0, speed = 0, turn = 0;
    for (int k = 0; k < places; k++)
        arm += fabs(w->frames[c->a.body].r[k] - w->frames[c->b.body].r[k]) + fabs(c->a.at[k]) +
               fabs(c->b.at[k]);
    for (int i = 0; i < 2; i++) {
        const HolBody *body = &m->def.bodies[side[i]->body];
        for (int k = 0; k < body->nv; k++)
            *(k < places ? &speed : &turn) += fabs(w->v[body->v + k]);
    }
    return 64 * DBL_EPSILON * (speed + turn * arm);
}

// The speed at the touch: of a contact that is apart, what it has; of one that was apart at the last accepted
// state, between the two: with a constant acceleration the square changes evenly along the way, or, where it
// went there and back (both gaps may be round-off), by the acceleration; of one that was pressed, what is
// known. 0: nothing
static double law_touch_speed(const HolModelWork *w, const HolContact *c, double t, double gap,
                              double speed) {
    const double a = w->given[c->damping], last = w->given[c->last_gap],
                 u = w->given[c->last_speed], h = t - w->given[c->last_time];
    if (gap >= 0)
        return speed;
    if (last >= 0 && u < 0 && speed > 0 && h > 0)
        return sqrt(
            fmax(0.5 * fmin(u * u, speed * speed), speed * speed + 2 * gap * (speed - u) / h));
    if (last >= 0)
        return speed > 0 ? sqrt(u * u + last / (last - gap) * (speed * speed - u * u)) : 0;
    return last < 0 && a > 0 ? c->z / a : 0;
}

void hol_contacts_begin(const HolModel *m, HolModelWork *w) {
    for (int i = 0; i < m->touch.n; i++)
        if (m->touch.list[i].z > 0)
            w->given[m->touch.list[i].last_gap] = NAN;
}

void hol_contacts_accept(const HolModel *m, HolModelWork *w, double t, const double *q,
                         const double *v) {
    // of the kinetic energy: what is stored in a contact that begins at rest. Its speed at the touch is lost
    // in round-off; its damping is that of the speed it has, up to there
    const double touch = 1e-12;
    hol_model_position(m, w, t, q);
    hol_model_velocity(m, w, v);
    for (int i = 0; i < m->touch.n; i++) {
        const HolContact *c = &m->touch.list[i];
        if (!(c->z > 0))
            continue;
        const double gap = c->sign * hol_row_value(m, w, c->row) + c->constant;
        const double speed = -c->sign * hol_row_rate(m, w, c->row);
        const double stored = gap < 0 ? c->k * pow(-gap, c->n + 1) / (c->n + 1) : 0;
        double *last = &w->given[c->last_gap], at_touch = law_touch_speed(w, c, t, gap, speed);
        int found = gap >= 0 || *last >= 0;
        if (speed > 2 * at_touch && stored <= touch * law_mass(m, c) * speed * speed) {
            at_touch = speed;
            found = 1;
        }
        if (found && at_touch > law_noise(m, w, c))
            w->given[c->damping] = c->z / at_touch;
        *last = gap;
        w->given[c->last_speed] = speed;
        w->given[c->last_time] = t;
    }
    w->have_slots_q = w->have_slots_v = 0;
}
