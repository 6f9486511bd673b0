// SPDX-License-Identifier: Apache-2.0
// Expressions of a model that have no value: named with their place in the file.
//
// Drives are functions of time alone, so that their domain is known before a run: it is searched at
// MANY times, and the end of it bisected. A quotient whose denominator passes zero is a pole when
// it grows as that is approached (sin(x)/x does not).
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Place { // of an expression in the file
    const char *kind, *name;
    int line, column;
} Place;

static Place place_of_element(const HolModel *m, const HolElement *e) {
    const int force = e->force;
    if (e->owner)
        return (Place){force == HOL_CONTACT_ELEMENT ? "contact" : "joint", e->owner, 0, 0};
    if (force < 0) {
        const HolStateDef *z = &m->def.states[-1 - force].def;
        return (Place){"state", z->name, z->line, z->column};
    }
    const HolForceDef *d = &m->def.forces[force].def;
    return (Place){"force", d->name ? d->name : d->type, d->line, d->column};
}

static Place place_of_equation(const HolModel *m, const char *owner) {
    for (int i = 0; i < m->def.n_motions; i++)
        if (m->def.motions[i].def.name && strcmp(m->def.motions[i].def.name, owner) == 0)
            return (Place){"motion", owner, m->def.motions[i].def.line,
                           m->def.motions[i].def.column};
    for (int i = 0; i < m->def.n_constraints; i++)
        if (m->def.constraints[i].def.name && strcmp(m->def.constraints[i].def.name, owner) == 0)
            return (Place){"constraint", owner, m->def.constraints[i].def.line,
                           m->def.constraints[i].def.column};
    return (Place){"joint", owner, 0, 0};
}

// "motion 'D' (m.yaml:8:5): a division by zero at time 1"
static void undefined_tell(const HolModel *m, Place at, const char *what, double t, char *out,
                           size_t size) {
    char where[256] = "";
    const char *file = hol_model_line(m, &at.line);
    if (at.line > 0)
        snprintf(where, sizeof where, " (%s:%d:%d)", file ? file : "", at.line, at.column);
    snprintf(out, size, "%s '%s'%s: %s at time %.9g", at.kind, at.name ? at.name : "", where, what,
             t);
}

int hol_model_fault(const HolProblem *p, void *work, double t, const double *q, const double *v,
                    const double *vars, int constraints_only, char *out, size_t size) {
    const HolModel *m = p->user;
    HolModelWork *w = work;
    char what[96];
    hol_slots_at(p, w, t, q, v, vars);
    for (int i = 0; i < m->sys.n_equations; i++) {
        const HolExpr *e = hol_equation_expr(&m->sys.equations[i]);
        if (e && hol_expr_fault(e, w->slot, 1, w->expr, what, sizeof what)) {
            undefined_tell(m, place_of_equation(m, m->sys.equations[i].owner), what, t, out, size);
            return 1;
        }
    }
    for (int i = 0; i < p->nw && !constraints_only; i++) {
        const HolVariable *u = m->sys.implicit[i];
        if (hol_expr_fault(u->expr, w->slot, 0, w->expr, what, sizeof what)) {
            undefined_tell(m, (Place){"variable", u->def.name, u->def.line, u->def.column}, what, t,
                           out, size);
            return 1;
        }
    }
    for (int i = 0; i < m->sys.n_elements && !constraints_only; i++) {
        const HolExpr *e = m->sys.elements[i].expr;
        if (e && hol_expr_fault(e, w->slot, 0, w->expr, what, sizeof what)) {
            undefined_tell(m, place_of_element(m, &m->sys.elements[i]), what, t, out, size);
            return 1;
        }
    }
    return 0;
}

int hol_model_may_fail(const HolModel *m) {
    for (int i = 0; i < m->sys.n_equations; i++) {
        const HolExpr *e = hol_equation_expr(&m->sys.equations[i]);
        if (e && hol_expr_may_fail(e))
            return 1;
    }
    return 0;
}

// ---- drives ----

static int of_time_alone(const HolExpr *e) {
    return e && hol_expr_slot_count(e) == 1 && hol_expr_slots(e)[0] == 0 && hol_expr_may_fail(e);
}

// the expression may end between a and b: there is no value at b, or a pole between them
static int may_end(const HolExpr *e, double a, double b, double *work) {
    return !isfinite(hol_expr_value(e, &b, work)) || hol_expr_pole(e, &a, &b, work);
}

// It ends at b, next to a: there is no value behind it either, or it has grown on the way there.
static int does_end(const HolExpr *e, double start, double a, double b, double step, double *work) {
    static const double GROWS = 1e6;
    const double behind = b + 1e-3 * step;
    if (!isfinite(hol_expr_value(e, &b, work)) && !isfinite(hol_expr_value(e, &behind, work)))
        return 1;
    return fabs(hol_expr_value(e, &a, work)) > GROWS * fabs(hol_expr_value(e, &start, work));
}

// the first time in (from, to] where e ends; INFINITY: none
static double end_of(const HolExpr *e, double from, double to, double *work) {
    enum { MANY = 4096 };
    const double step = (to - from) / MANY;
    for (int k = 0; k < MANY; k++) {
        const double start = from + step * k;
        double a = start, b = k + 1 < MANY ? from + step * (k + 1) : to;
        if (!may_end(e, a, b, work))
            continue;
        for (double middle = 0.5 * (a + b); middle > a && middle < b; middle = 0.5 * (a + b)) {
            if (may_end(e, a, middle, work))
                b = middle;
            else
                a = middle;
        }
        if (does_end(e, start, a, b, step, work))
            return b;
    }
    return INFINITY;
}

double hol_model_drive_end(const HolProblem *p, void *work, double from, double to, char *out,
                           size_t size) {
    const HolModel *m = p->user;
    HolModelWork *w = work;
    double first = INFINITY;
    for (int i = 0; i < m->sys.n_equations; i++) {
        const HolExpr *e = hol_equation_expr(&m->sys.equations[i]);
        if (!of_time_alone(e))
            continue;
        const double t = end_of(e, from, to, w->expr), behind = nextafter(t, INFINITY);
        char what[96] = "a pole";
        if (!(t < first))
            continue;
        first = t;
        if (!hol_expr_fault(e, &t, 0, w->expr, what, sizeof what))
            hol_expr_fault(e, &behind, 0, w->expr, what, sizeof what);
        undefined_tell(m, place_of_equation(m, m->sys.equations[i].owner), what, t, out, size);
    }
    return first;
}
