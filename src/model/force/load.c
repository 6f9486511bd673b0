// SPDX-License-Identifier: Apache-2.0
// Forces and reactions as quantities of expressions, written with those that are there already:
//     spring.force     stiffness (length - free) + damping rate + force     > 0: it pulls
//     spring.torque    the same of an angle
//     F.force          the value of a generalized force, the size of a vector; F.torque
//     drive.force      - lambda
//     joint.f_body.x   A^T f, axes of the second body
// Bushings: hol_bushing_load, for columns of results.
#include "base/text.h"
#include "model/force/force.h"
#include "model/quantity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LOAD_TEXT = 4096, LOAD_DEPTH = 8 };

static int load_symbol(HolModel *m, const HolForce *own, const char *text, HolSymbol *out) {
    const HolForce *outside = m->own_force;
    HolError error = {0};
    if (m->symbol_depth >= LOAD_DEPTH) // a law that uses its own force
        return 0;
    m->symbol_depth++;
    m->own_force = own;
    const HolExpr *e = hol_compile_expr(m, text, "force", 0, 0, &error);
    m->own_force = outside;
    m->symbol_depth--;
    if (!e)
        return 0;
    out->type = HOL_SYMBOL_EXPR;
    out->expr = e;
    return 1;
}

// the law of a spring, in its own words
static int load_law(HolModel *m, const HolForce *f, const char *word, HolSymbol *out) {
    const HolForceDef *d = &f->def;
    const char *free = strcmp(word, "angle") == 0 ? d->angle[0] : d->length;
    char number[HOL_NUMBER_SIZE], text[LOAD_TEXT];
    if (f->row < 0)
        return 0;
    hol_text_print_number(hol_row_initial(m, &m->sys.rows[f->row]), number);
    const int n = snprintf(text, sizeof text, "(%s)*(%s-(%s))+(%s)*rate+(%s)",
                           d->stiffness[0] ? d->stiffness[0] : "0", word, free ? free : number,
                           d->damping[0] ? d->damping[0] : "0", d->force ? d->force : "0");
    return n < (int)sizeof text && load_symbol(m, f, text, out);
}

// one value, or the length of a vector
static int load_value(HolModel *m, const HolForce *f, HolSymbol *out) {
    const HolForceDef *d = &f->def;
    char text[LOAD_TEXT];
    int n = 0;
    if (d->n_value == 1)
        return load_symbol(m, NULL, d->value[0], out);
    n = snprintf(text, sizeof text, "sqrt(");
    for (int i = 0; i < d->n_value && n < LOAD_TEXT; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%s(%s)^2", i ? "+" : "", d->value[i]);
    if (n < LOAD_TEXT)
        n += snprintf(text + n, sizeof text - (size_t)n, ")");
    return d->n_value > 1 && n < LOAD_TEXT && load_symbol(m, NULL, text, out);
}

int hol_force_load(HolModel *m, const HolForce *f, int torque, HolSymbol *out) {
    const int turns = (f->kind->flags & HOL_KIND_TORQUE) != 0;
    if (torque != turns)
        return 0;
    if (hol_kind_takes(f->kind, "length"))
        return load_law(m, f, "length", out);
    if (f->kind->flags & HOL_KIND_TURNS)
        return load_law(m, f, "angle", out);
    return hol_kind_takes(f->kind, "value") && load_value(m, f, out);
}

int hol_drive_load(HolModel *m, const char *name, HolSymbol *out) {
    char text[HOL_OWNER_LENGTH + 16];
    snprintf(text, sizeof text, "-%s.lambda", name);
    return load_symbol(m, NULL, text, out);
}

// column k of the rotation matrix of the second body, as texts of global components
int hol_joint_body_force(HolModel *m, const HolJoint *j, int axis, HolSymbol *out) {
    const char *b = m->def.bodies[j->b.body].def.name, *n = j->def.name;
    char text[LOAD_TEXT];
    if (j->b.body == 0 || !hol_body_turns(&m->def.bodies[j->b.body].def))
        snprintf(text, sizeof text, "%s.f%c", n, "xyz"[axis]);
    else if (m->space == HOL_PLANAR)
        snprintf(text, sizeof text,
                 axis ? "cos(%s.angle)*%s.fy-sin(%s.angle)*%s.fx"
                      : "cos(%s.angle)*%s.fx+sin(%s.angle)*%s.fy",
                 b, n, b, n);
    else {
        // A_ki = 2 q_i q_k + 2 q_w e_kil q_l (k != i), A_ii = 1 - 2 q_j^2 - 2 q_l^2
        const int i = axis, k = (axis + 1) % 3, l = (axis + 2) % 3;
        snprintf(text, sizeof text,
                 "(1-2*%1$s.q%4$c^2-2*%1$s.q%5$c^2)*%2$s.f%3$c"
                 "+2*(%1$s.q%3$c*%1$s.q%4$c+%1$s.qw*%1$s.q%5$c)*%2$s.f%4$c"
                 "+2*(%1$s.q%3$c*%1$s.q%5$c-%1$s.qw*%1$s.q%4$c)*%2$s.f%5$c",
                 b, n, "xyz"[i], "xyz"[k], "xyz"[l]);
    }
    return load_symbol(m, NULL, text, out);
}

double hol_bushing_load(const HolModel *m, HolModelWork *w, int force, int torque) {
    const HolForce *f = &m->def.forces[force];
    double along[6] = {0}, sum = 0;
    int rows[6], n = 0;
    for (int i = f->first_element; i < f->first_element + f->n_elements; i++) {
        const HolElement *e = &m->sys.elements[i];
        const HolRowKind *kind = m->sys.rows[e->row].kind;
        int k = 0;
        if (torque == (kind == &hol_row_line2 || kind == &hol_row_line3))
            continue;
        while (k < n && rows[k] != e->row)
            k++;
        if (k == 6)
            return NAN;
        if (k == n)
            rows[n++] = e->row;
        along[k] -= e->k * (hol_row_value(m, w, e->other) - e->s0);
        if (e->c != 0)
            along[k] -= e->c * hol_row_rate(m, w, e->other);
        if (e->expr)
            along[k] += hol_expr_value(e->expr, w->slot, w->expr);
    }
    for (int k = 0; k < n; k++)
        sum += along[k] * along[k];
    return sqrt(sum);
}
