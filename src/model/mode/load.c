// SPDX-License-Identifier: Apache-2.0
// Sizes in loads of friction (docs/theory/friction.md). |x| of a reaction x has a kink where x passes
// through zero, which happens wherever a motion in space is one of a plane, and no direction where it
// is zero but for round-off. In its place stands
//   x^2 / sqrt(x^2 + e^2),   e = SMALL times the largest load of the joint so far
// which differs from |x| by e^2/2|x|: less than round-off of the load, but for the time that x takes
// to pass e, where it is smooth. A series does not see that place before it is there: steps end behind
// it, where
//   y = d.x + e,   d = x/(|x| + e) behind the last step
// becomes negative. y is an algebraic variable, since reactions are no functions of the state; d and
// the size so far are constant while a step lasts. Of methods that search events on their own dense
// output alone; others meet the bend by their error test (d = 0), and reactions of some are too rough
// to tell the side.
#include "model/mode/mode.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double SMALL = 1e-10;
static const double LEAST = 1e-150; // e, before there is a load

int hol_load_begin(HolModel *m, int *slots) {
    const int given = hol_given_new(m, 0);
    slots[HOL_LOAD_SIZE] = given < 0 ? 0 : hol_slot(m, HOL_SLOT_GIVEN, 0, 0, 0, given);
    return given >= 0;
}

int hol_load_grows(HolModel *m, const int *slots, double per) {
    if (!HOL_GROW(&m->arena, m->ev.loads, m->ev.n_loads, m->ev.cap_loads))
        return 0;
    m->ev.loads[m->ev.n_loads++] =
        (HolLoadSize){m->sys.slots[slots[HOL_LOAD_SIZE]].index, m->sys.nw - 1, per};
    return 1;
}

// the variable y
static int norm_side(HolModel *m, const HolLoadNorm *v, const char *const *x, const int *slots) {
    int of[HOL_GRIP_NAMES];
    char text[500] = "";
    size_t used = 0;
    memcpy(of, slots, sizeof of);
    for (int i = 0; i < v->n; i++) {
        of[HOL_LOAD_ALONG + i] = hol_slot(m, HOL_SLOT_GIVEN, 0, 0, 0, v->along[i]);
        used += (size_t)snprintf(text + used, sizeof text - used, "a%d*(%s)+", HOL_LOAD_ALONG + i,
                                 x[i]);
    }
    snprintf(text + used, sizeof text - used, "%.17g*a%d+%.17g", SMALL, HOL_LOAD_SIZE, LEAST);
    return hol_unknown_slot(m, hol_compile_slots(m, text, of));
}

int hol_load_norm(HolModel *m, int *slots, int number, double per, const char *const *x, int n,
                  char *out, size_t size) {
    char square[400] = "";
    size_t used = 0;
    if (!HOL_GROW(&m->arena, m->ev.norms, m->ev.n_norms, m->ev.cap_norms))
        return 0;
    HolLoadNorm *v = &m->ev.norms[m->ev.n_norms++];
    *v = (HolLoadNorm){.n = n, .size = m->sys.slots[slots[HOL_LOAD_SIZE]].index};
    for (int i = 0; i < n; i++) {
        v->x[i] = hol_compile_slots(m, x[i], slots);
        v->along[i] = hol_given_new(m, 0);
        used +=
            (size_t)snprintf(square + used, sizeof square - used, "%s(%s)^2", i ? "+" : "", x[i]);
        if (!v->x[i] || v->along[i] < 0)
            return 0;
    }
    slots[HOL_LOAD_SIDE + number] = norm_side(m, v, x, slots);
    // (both sides have the same value, but for round-off: they are a place where a step ends)
    used = strlen(out);
    snprintf(out + used, size - used,
             "%sif(a%d<0,%.17g*(%s)/sqrt(%s+(%.17g*a%d)^2+%.17g),(%s)*(%.17g/"
             "sqrt(%s+(%.17g*a%d)^2+%.17g)))",
             used ? "+" : "", HOL_LOAD_SIDE + number, per, square, square, SMALL, HOL_LOAD_SIZE,
             LEAST * LEAST, square, per, square, SMALL, HOL_LOAD_SIZE, LEAST * LEAST);
    return 1;
}

static void norm_turns(HolModelWork *w, const HolLoadNorm *v, int sides) {
    double x[3] = {0}, square = 0;
    for (int i = 0; i < v->n && sides; i++) {
        x[i] = hol_expr_value(v->x[i], w->slot, w->expr);
        square += x[i] * x[i];
    }
    for (int i = 0; i < v->n; i++)
        w->given[v->along[i]] = x[i] / (sqrt(square) + SMALL * w->given[v->size] + LEAST);
}

void hol_load_sizes(const HolProblem *p, void *work, const HolPoint *at, int sides) {
    const HolModel *m = p->user;
    HolModelWork *w = work;
    for (int i = 0; i < m->ev.n_loads; i++) {
        const HolLoadSize *l = &m->ev.loads[i];
        const double size = l->per * fabs(at->w[l->variable]);
        if (size > w->given[l->given])
            w->given[l->given] = size;
    }
    if (m->ev.n_norms > 0 && sides)
        hol_modes_slots(m, w, at);
    for (int i = 0; i < m->ev.n_norms; i++)
        norm_turns(w, &m->ev.norms[i], sides);
    if (m->ev.n_norms > 0)
        hol_modes_forget(w);
}
