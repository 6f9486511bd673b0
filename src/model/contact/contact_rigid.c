// SPDX-License-Identifier: Apache-2.0
// Rigid contacts (docs/theory/contact.md, section 20). The gap is a support: open, or closed with the
// force N = -lambda of its row. Friction acts along the rows of the sliding velocity w:
//   coulomb  a grip. Slip: T = -s mu(|v|) N with the sign s of the speed v, in space along -w/|w|;
//            stick: the rows are held, |T| <= mu_static N
//   smooth   T = -mu(|w|) N w / sqrt(|w|^2 + speed^2)
// N is an algebraic variable (docs/theory/variables.md, section 12), so that the reaction and the
// friction it causes are found together.
#include "model/contact/contact.h"
#include "model/mode/mode.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// a0 .. of the texts: sign s, N, gap rate, multiplier of the gap, sliding rates, multipliers of the
// grip, gap, where it begins to slip
enum { R_SIGN = 0, R_N, R_GAP_RATE, R_MULTIPLIER, R_SLIP, R_GRIP = 7, R_GAP = 10, R_LEAN };

typedef struct Rigid {
    HolModel *m;
    HolContact *c;
    int slots[HOL_GRIP_NAMES];
    char mu[240];    // coefficient of friction
    char speed[120]; // |w|
    char force[600]; // size of the friction force while it slips
    int elements[3], lean[3];
} Rigid;

// factor * text
static const HolExpr *rigid_expr(Rigid *r, double factor, const char *text) {
    char all[900];
    snprintf(all, sizeof all, "%.17g*(%s)", factor, text);
    return hol_compile_slots(r->m, all, r->slots);
}

static int rigid_element(Rigid *r, int row, double factor, const char *text) {
    const HolExpr *e = rigid_expr(r, factor, text);
    const int i = e ? hol_add_element(r->m, HOL_FRICTION_ELEMENT, row, 0, 0, 0, e) : -1;
    if (i >= 0) {
        r->m->sys.elements[i].owner = r->c->name;
        r->m->sys.elements[i].friction = 1;
    }
    return i;
}

// texts of |w|, mu(|w|) and of the force over |w|
static void rigid_texts(Rigid *r) {
    static const char *const squares[] = {"0", "a4^2", "a4^2+a5^2", "a4^2+a5^2+a6^2-a2^2"};
    const HolFrictionDef *f = &r->c->def->friction;
    const int smooth = f->law == HOL_FRICTION_SMOOTH;
    const double rise = isnan(f->mu_static) ? 0 : f->mu_static - f->mu;
    if (r->c->n_slip == 1 && !smooth)
        snprintf(r->speed, sizeof r->speed, "a0*a4*%.17g", r->c->slip_sign);
    else
        snprintf(r->speed, sizeof r->speed, "sqrt(%s+1e-24)", squares[r->c->n_slip]);
    if (rise > 0 && f->stribeck > 0)
        snprintf(r->mu, sizeof r->mu, "(%.17g+%.17g*exp(-(%s)/%.17g))", f->mu, rise, r->speed,
                 f->stribeck);
    else
        snprintf(r->mu, sizeof r->mu, "%.17g", f->mu);
    // (where it does not slip, nothing with a high derivative stands beside the zero in front)
    const int leans = r->c->n_slip == 2 && !smooth;
    snprintf(r->force, sizeof r->force, "%s%s*a1/sqrt(%s+%.17g)", smooth ? "" : "a0*", r->mu,
             leans ? "(a4+a11)^2+(a5+a12)^2+(1-a0^2)" : squares[r->c->n_slip],
             smooth ? f->speed * f->speed : 1e-60);
}

// friction along the rows
static int rigid_friction(Rigid *r) {
    HolContact *c = r->c;
    char text[700];
    if (c->n_slip == 1 && c->def->friction.law == HOL_FRICTION_COULOMB) {
        snprintf(text, sizeof text, "-a0*%s*a1", r->mu);
        return (r->elements[0] = rigid_element(r, c->slip[0], c->slip_sign, text)) >= 0;
    }
    for (int k = 0; k < c->n_slip; k++) {
        if (c->n_slip == 2 && c->def->friction.law == HOL_FRICTION_COULOMB)
            snprintf(text, sizeof text, "-%s*(a%d+a%d)", r->force, R_SLIP + k, R_LEAN + k);
        else
            snprintf(text, sizeof text, "-%s*a%d", r->force, R_SLIP + k);
        if ((r->elements[k] = rigid_element(r, c->slip[k], 1, text)) < 0)
            return 0;
    }
    snprintf(text, sizeof text, "%s*a2", r->force);
    return c->n_slip < 3 || rigid_element(r, c->row, c->sign, text) >= 0;
}

static int rigid_grip(Rigid *r, int support, int sign) {
    HolContact *c = r->c;
    const HolFrictionDef *f = &c->def->friction;
    const double mu_static = isnan(f->mu_static) ? f->mu : f->mu_static;
    char capacity[60];
    HolGripParts parts = {.name = c->name,
                          .n_rows = c->n_slip,
                          .support = support,
                          .friction = f->mu,
                          .smooth_start = !(mu_static > f->mu) || f->stribeck > 0,
                          .sign = sign,
                          .capacity = capacity,
                          .slots = r->slots};
    snprintf(capacity, sizeof capacity, "-%.17g*a3", mu_static);
    for (int k = 0; k < c->n_slip; k++) {
        parts.row[k] = c->slip[k];
        parts.scale[k] = c->slip_sign;
        parts.elements[k] = r->elements[k];
        parts.lean[k] = r->lean[k];
    }
    const int grip = hol_add_grip(r->m, &parts);
    if (grip < 0)
        return 0;
    r->m->ev.grips[grip].state = c->state;
    for (int k = 0; k < c->n_slip; k++)
        r->slots[R_GRIP + k] =
            hol_slot(r->m, HOL_SLOT_MULTIPLIER, 0, 0, 0, r->m->ev.grips[grip].info.row + k);
    return 1;
}

static int rigid_measures(Rigid *r) {
    HolContact *c = r->c;
    const HolFrictionDef *f = &c->def->friction;
    char text[800];
    const HolExpr **to = c->measures;
    if (!f->given)
        snprintf(text, sizeof text, "0");
    else if (f->law == HOL_FRICTION_COULOMB && c->n_slip == 1)
        snprintf(text, sizeof text, "-a0*%s*a1-a7", r->mu);
    else if (f->law == HOL_FRICTION_COULOMB)
        snprintf(text, sizeof text, "a0*%s*a1+sqrt(a7^2+a8^2)", r->mu);
    else
        snprintf(text, sizeof text, "%s%s*%s", c->n_slip == 1 ? "-" : "", r->force,
                 c->n_slip == 1 ? "a4" : r->speed);
    const double sign = f->law == HOL_FRICTION_SMOOTH ? c->slip_sign : 1;
    to[4] = rigid_expr(r, sign, text);
    to[2] = c->n_slip == 1 ? rigid_expr(r, c->slip_sign, "a4") : rigid_expr(r, 1, r->speed);
    to[1] = rigid_expr(r, c->sign, "a2");
    to[3] = rigid_expr(r, -1, "a3");
    to[5] = hol_expr_slot(&r->m->arena, hol_slot(r->m, HOL_SLOT_GIVEN, 0, 0, 0, c->state));
    snprintf(text, sizeof text, "%.17g*a10+(%.17g)", c->sign, c->constant);
    to[0] = rigid_expr(r, 1, text);
    return to[0] && to[1] && to[2] && to[3] && to[4] && to[5];
}

int hol_contact_rigid(HolModel *m, HolContact *c, HolError *err) {
    const HolContactDef *d = c->def;
    const HolFrictionDef *f = &d->friction;
    const HolTerm term = {c->row, c->sign};
    const HolSupportParts parts = {c->name, &term, 1, -c->constant,
                                   isnan(d->restitution) ? 0 : d->restitution};
    Rigid r = {.m = m, .c = c};
    if (f->given && f->law == HOL_FRICTION_COULOMB && c->n_slip == 3) {
        hol_problem_error(m, err, f->line, f->column,
                          "contact '%s': friction of two rigid spheres: use 'law: smooth'",
                          c->name);
        return 0;
    }
    const int support = hol_add_support(m, &parts);
    const int sign = hol_given_new(m, 0);
    c->state = hol_given_new(m, 0);
    if (support < 0 || sign < 0 || c->state < 0)
        return 0;
    const int coulomb = f->given && f->law == HOL_FRICTION_COULOMB;
    if (!coulomb)
        m->ev.supports[support].state = c->state;
    r.slots[R_SIGN] = hol_slot(m, HOL_SLOT_GIVEN, 0, 0, 0, sign);
    r.slots[R_GAP_RATE] = hol_slot(m, HOL_SLOT_RATE, c->row, 0, 0, 0);
    r.slots[R_MULTIPLIER] =
        hol_slot(m, HOL_SLOT_MULTIPLIER, 0, 0, 0, m->ev.supports[support].info.row);
    r.slots[R_GAP] = hol_slot(m, HOL_SLOT_VALUE, c->row, 0, 0, 0);
    for (int k = 0; k < c->n_slip && coulomb && c->n_slip > 1; k++) {
        r.lean[k] = hol_given_new(m, 0);
        r.slots[R_LEAN + k] = hol_slot(m, HOL_SLOT_GIVEN, 0, 0, 0, r.lean[k]);
    }
    for (int k = 0; k < c->n_slip; k++)
        r.slots[R_SLIP + k] = hol_slot(m, HOL_SLOT_RATE, c->slip[k], 0, 0, 0);
    if (f->given)
        r.slots[R_N] = hol_unknown_slot(m, rigid_expr(&r, -1, "a3"));
    rigid_texts(&r);
    if (m->arena.failed || (f->given && !rigid_friction(&r)) ||
        (coulomb && !rigid_grip(&r, support, sign)))
        return 0;
    return rigid_measures(&r);
}
