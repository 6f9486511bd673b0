// SPDX-License-Identifier: Apache-2.0
// The modes behind an event, on the level of accelerations. For each element whose mode is open to
// question: a support is closed (g'' = 0, N >= 0) or open (N = 0, g'' >= 0); a grip at rest sticks
// (|T| <= capacity) or slips (s s'' >= 0). A set of modes is tried by solving the equations with it;
// the element that is violated most changes, until none is. What fired decides degenerate cases: the
// old mode of a support that lifts or of a grip that breaks away is excluded, because at that instant
// both alternatives satisfy the equations. When changing one by one runs in circles, all combinations
// are tried (few elements).
#include "solve/constraint/project.h"
#include "solve/event/share.h"
#include "solve/run/error_test.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CHANGES = 63, MOST_COMBINATIONS = 20000, MOST_TURNS = 40 };
static const double MOVED = 1e-6; // the same: a row that is held cannot move
static const double SLACK = 1e-8; // of the terms that a row's acceleration or force is made of

void hol_modes_apply(HolSim *s, const int *mode) {
    const HolNonsmooth *ns = s->events->ns;
    for (int i = 0; i < ns->n_supports; i++)
        if (ns->support_mode(s->p, s->work, i) != mode[i])
            ns->set_support(s->p, s->work, i, mode[i]);
    for (int i = 0; i < ns->n_grips; i++)
        if (ns->grip_mode(s->p, s->work, i) != mode[ns->n_supports + i])
            ns->set_grip(s->p, s->work, HOL_AT(&s->x), i, mode[ns->n_supports + i]);
}

// a grip of several rows that begins to slip
static int starts(const HolEvents *e, const int *mode, int grip) {
    const int at = e->ns->n_supports + grip;
    return e->ns->grips[grip].rows > 1 && e->free_to[at] && mode[at] == HOL_SLIP;
}

static HolStatus solve_modes(HolSim *s, HolError *err) {
    HolStatus status = hol_mass_factor(s, s->x.t, s->x.q, err);
    return status == HOL_OK ? hol_accelerate(s, &s->x, 1, err) : status;
}

HolStatus hol_modes_try(HolSim *s, const int *mode, HolError *err) {
    const HolEvents *e = s->events;
    hol_modes_apply(s, mode);
    hol_share_set_apart(s);
    for (int i = 0; i < e->ns->n_grips; i++)
        if (starts(e, mode, i))
            hol_slip_lean(s, i);
    HolStatus status = solve_modes(s, err);
    for (int pass = 0, turns = 1; pass < MOST_TURNS && turns && status == HOL_OK; pass++) {
        turns = 0;
        for (int i = 0; i < e->ns->n_grips; i++)
            if (starts(e, mode, i) && hol_slip_turn(s, i)) {
                hol_slip_lean(s, i);
                turns = 1;
            }
        if (turns)
            status = solve_modes(s, err);
    }
    if (status == HOL_OK)
        hol_share_find(s);
    return status;
}

// acceleration of a row with the coefficients c, and the size of what it is the sum of: of its terms,
// and of what the largest reaction, or a force along it, would do
static double row_acceleration(HolSim *s, int row, const double *c, double force, double *size) {
    HolClosedRow r;
    double sum = 0, terms = 0, *y = s->events->Y;
    memset(y, 0, sizeof *y * (size_t)(s->nv + s->m + s->nw));
    memcpy(y, c, sizeof *y * (size_t)s->nv);
    hol_kkt_solve(s->mass, y);
    for (int k = 0; k < s->nv; k++)
        terms += c[k] * y[k];
    terms = fabs(terms) * (hol_max_abs(s->x.lambda, s->m) + force);
    s->events->ns->closed_row(s->p, s->work, HOL_AT(&s->x), row, NULL, &r);
    for (int k = 0; k < s->nv; k++) {
        sum += c[k] * s->x.a[k];
        terms += fabs(c[k] * s->x.a[k]);
    }
    *size = terms + fabs(r.gamma) + DBL_MIN;
    return sum + r.gamma;
}

static double support_violation(HolSim *s, int i, int mode) {
    HolEvents *e = s->events;
    const HolSupport *support = &e->ns->supports[i];
    double size;
    if (mode == HOL_CLOSED)
        return s->x.lambda[support->row] / (hol_max_abs(s->x.lambda, s->m) + DBL_MIN);
    const double a = row_acceleration(s, support->row, e->C + i * s->nv, 0, &size);
    return -a / size;
}

// Another grip breaks away at this instant: one that shares its load and has reached its capacity, too,
// goes with it (both alternatives satisfy the equations here).
static int goes_with_another(const HolEvents *e, int grip) {
    for (int i = 0; i < e->ns->n_grips; i++)
        if (i != grip && e->barred[e->ns->n_supports + i] &&
            e->old_mode[e->ns->n_supports + i] == HOL_STICK)
            return 1;
    return 0;
}

// What a grip that breaks away lacked where its event was located: a force that rises within few roundings of
// the time is met a little early, and does not yet accelerate it. In parts of the forces
static double lacked(const HolSim *s, int grip, double rubs) {
    const HolEvents *e = s->events;
    double most = 0;
    for (int i = 0; i < e->n && e->barred[e->ns->n_supports + grip]; i++)
        if (e->ns->watches[i].kind == HOL_WATCH_CONE && e->ns->watches[i].of == grip)
            most = fmax(most, 2 * e->values[i]);
    return most / (hol_max_abs(s->x.lambda, s->m) + rubs + DBL_MIN);
}

// what the grip becomes where it is violated
static double grip_violation(HolSim *s, int i, int mode, int *becomes) {
    HolEvents *e = s->events;
    const HolGrip *g = &e->ns->grips[i];
    const int row = hol_grip_row(e, i);
    double size;
    *becomes = mode;
    if (mode == HOL_STICK) {
        const double lambda = s->x.lambda[g->row];
        double T = fabs(lambda);
        for (int k = 1; k < g->rows; k++)
            T = hypot(T, s->x.lambda[g->row + k]);
        const double capacity = e->ns->capacity(s->p, s->work, HOL_AT(&s->x), i);
        const double most = goes_with_another(e, i) ? capacity * (1 - 4 * SLACK) : capacity;
        if (e->share->group[i]) { // (joints and drives move it: it cannot stick)
            const double a = row_acceleration(s, g->row, e->C + row * s->nv, 0, &size);
            size += hol_share_size(e->share, i) * (T + capacity);
            *becomes = a > 0 || g->rows > 1 ? HOL_SLIP : -HOL_SLIP;
            if (fabs(a) > MOVED * size)
                return fabs(a) / size;
        }
        *becomes = lambda > 0 || g->rows > 1 ? HOL_SLIP : -HOL_SLIP;
        return (T - most) / (fmax(T, hol_max_abs(s->x.lambda, s->m) * SLACK) + most + DBL_MIN);
    }
    if (abs(mode) != HOL_SLIP)
        return 0;
    if (g->rows > 1) {
        *becomes = HOL_STICK;
        return e->barred[e->ns->n_supports + i] ? 0 : -e->excess[i];
    }
    const double rubs = e->ns->slip_force(s->p, s->work, HOL_AT(&s->x), i),
                 a = row_acceleration(s, g->row, e->C + row * s->nv, rubs, &size);
    *becomes = e->barred[e->ns->n_supports + i] ? -mode : HOL_STICK;
    return -(mode > 0 ? 1 : -1) * a / size - lacked(s, i, rubs);
}

static double element_violation(HolSim *s, int i, int mode, int *becomes) {
    const HolEvents *e = s->events;
    if (i >= e->ns->n_supports)
        return grip_violation(s, i - e->ns->n_supports, mode, becomes);
    *becomes = mode == HOL_CLOSED || e->barred[i] ? HOL_OPEN : HOL_CLOSED;
    return e->barred[i] ? 0 : support_violation(s, i, mode);
}

// the friction of a support that opens ends; one that closes begins by sticking, or by its speed
static void follow_support(HolSim *s, int *mode, int support) {
    HolEvents *e = s->events;
    const int grip = e->ns->supports[support].grip, rub = e->ns->supports[support].rub;
    if (rub >= 0) { // a stop that is closed holds alone
        const int at = e->ns->n_supports + rub;
        e->free_to[at] = mode[support] == HOL_OPEN && !e->ns->grips[rub].driven;
        mode[at] = e->free_to[at] ? HOL_STICK : HOL_FREE;
    }
    if (grip < 0)
        return;
    int *m = &mode[e->ns->n_supports + grip];
    if (mode[support] == HOL_OPEN) {
        *m = HOL_FREE;
        return;
    }
    if (*m != HOL_FREE)
        return;
    const int row = hol_grip_row(e, grip);
    double speed = 0;
    for (int k = 0; k < e->ns->grips[grip].rows; k++)
        speed = fmax(speed, fabs(e->u[row + k]));
    const int at_rest = speed <= e->speed_noise[row];
    *m = at_rest ? HOL_STICK : e->u[row] > 0 || e->ns->grips[grip].rows > 1 ? HOL_SLIP : -HOL_SLIP;
    e->free_to[e->ns->n_supports + grip] = (unsigned char)at_rest;
}

// the element violated most, -1: none
static int worst_element(HolSim *s, const int *mode, int *becomes) {
    const HolEvents *e = s->events;
    const int n = e->ns->n_supports + e->ns->n_grips;
    int worst = -1;
    double most = SLACK;
    for (int i = 0; i < n; i++) {
        int to;
        if (!e->free_to[i])
            continue;
        const double v = element_violation(s, i, mode[i], &to);
        if (v > most && to != mode[i]) {
            most = v;
            worst = i;
            *becomes = to;
        }
    }
    return worst;
}

static int was_tried(HolEvents *e, const int *mode, int n) {
    for (int k = 0; k < e->n_tried; k++)
        if (!memcmp(e->tried + k * n, mode, sizeof *mode * (size_t)n))
            return 1;
    if (e->n_tried < MOST_CHANGES)
        memcpy(e->tried + e->n_tried++ * n, mode, sizeof *mode * (size_t)n);
    return 0;
}

// ---- all combinations ----

static int next_combination(const HolEvents *e, int *mode, int n) {
    for (int i = 0; i < n; i++) {
        const int support = i < e->ns->n_supports;
        if (!e->free_to[i])
            continue;
        if (support) {
            mode[i] = mode[i] == HOL_CLOSED || e->barred[i] ? HOL_OPEN : HOL_CLOSED;
            if (mode[i] == HOL_CLOSED)
                return 1;
        } else {
            const int first = e->barred[i] ? HOL_SLIP : HOL_STICK;
            const int back = e->ns->grips[i - e->ns->n_supports].rows > 1 ? first : -HOL_SLIP;
            mode[i] = mode[i] == HOL_STICK ? HOL_SLIP : mode[i] == HOL_SLIP ? back : first;
            if (mode[i] != first)
                return 1;
        }
    }
    return 0;
}

static HolStatus no_mode(HolSim *s, HolError *err) {
    const HolEvents *e = s->events;
    const int n = e->ns->n_supports + e->ns->n_grips;
    int closed[HOL_PAINLEVE_MOST];
    for (int i = 0; i < n && n <= HOL_PAINLEVE_MOST; i++)
        closed[i] = i < e->ns->n_supports && (e->free_to[i] || e->mode[i] != HOL_OPEN);
    if (n <= HOL_PAINLEVE_MOST && hol_painleve(s, closed, 1, err) != HOL_OK)
        return HOL_ERR_STEP;
    char names[200] = "";
    size_t used = 0;
    for (int i = 0; i < e->ns->n_supports + e->ns->n_grips && used < 150; i++)
        if (e->free_to[i] || i < e->ns->n_supports || abs(e->mode[i]) == HOL_SLIP)
            used +=
                (size_t)snprintf(names + used, sizeof names - used, "%s'%s'", used ? ", " : "",
                                 i < e->ns->n_supports ? e->ns->supports[i].name
                                                       : e->ns->grips[i - e->ns->n_supports].name);
    hol_error_set(
        err, HOL_ERR_STEP,
        "time %.9g: %s at %s have no solution here (friction too large for this position); use "
        "%s",
        s->x.t, e->ns->n_supports ? "rigid contact and friction" : "motion and friction", names,
        e->ns->n_supports ? "a compliant contact (stiffness: ..), law: smooth, or less friction"
                          : "less friction (mu, or radius), or law: smooth");
    if (err)
        err->time = s->x.t;
    return HOL_ERR_STEP;
}

// A grip beside a stop: none where the stop is closed, and free to stick or slip where it opens. 0: this
// combination counts once, with the first mode of such a grip
static int with_stops(const HolEvents *e, int *mode) {
    for (int i = 0; i < e->ns->n_supports; i++) {
        const int at = e->ns->n_supports + e->ns->supports[i].rub;
        if (e->ns->supports[i].rub < 0 || mode[i] == HOL_OPEN || !e->free_to[at])
            continue;
        if (mode[at] != (e->barred[at] ? HOL_SLIP : HOL_STICK))
            return 0;
        mode[at] = HOL_FREE;
    }
    return 1;
}

static void free_beside_stops(HolEvents *e, const int *mode) {
    for (int i = 0; i < e->ns->n_supports; i++) {
        const int rub = e->ns->supports[i].rub, at = e->ns->n_supports + rub;
        if (rub >= 0 && e->free_to[i] && mode[at] == HOL_FREE && !e->ns->grips[rub].driven)
            e->free_to[at] = 1;
    }
}

static HolStatus try_all(HolSim *s, int *mode, HolError *err) {
    HolEvents *e = s->events;
    const int n = e->ns->n_supports + e->ns->n_grips;
    double combinations = 1;
    free_beside_stops(e, mode);
    for (int i = 0; i < n; i++) {
        if (!e->free_to[i])
            continue;
        combinations *= i < e->ns->n_supports ? 2 : 3;
        mode[i] = i < e->ns->n_supports ? HOL_OPEN : e->barred[i] ? HOL_SLIP : HOL_STICK;
    }
    if (combinations > MOST_COMBINATIONS)
        return no_mode(s, err);
    do {
        int to, ok = 1;
        for (int i = 0; i < e->ns->n_supports; i++) {
            const int grip = e->ns->supports[i].grip;
            if (grip >= 0 && mode[i] == HOL_OPEN && mode[e->ns->n_supports + grip] != HOL_FREE &&
                e->free_to[e->ns->n_supports + grip])
                ok = mode[e->ns->n_supports + grip] == HOL_STICK; // counted once, as free
        }
        int used[256];
        if (!ok || n > 256)
            continue;
        memcpy(used, mode, sizeof *mode * (size_t)n);
        for (int i = 0; i < e->ns->n_supports; i++)
            if (used[i] == HOL_OPEN && e->ns->supports[i].grip >= 0)
                used[e->ns->n_supports + e->ns->supports[i].grip] = HOL_FREE;
        if (with_stops(e, used) && hol_modes_try(s, used, NULL) == HOL_OK &&
            worst_element(s, used, &to) < 0) {
            memcpy(mode, used, sizeof *mode * (size_t)n);
            return HOL_OK;
        }
    } while (next_combination(e, mode, n));
    return no_mode(s, err);
}

HolStatus hol_select_modes(HolSim *s, HolError *err) {
    HolEvents *e = s->events;
    const int n = e->ns->n_supports + e->ns->n_grips;
    int *mode = e->mode;
    e->n_tried = 0;
    for (int change = 0; change < MOST_CHANGES && !was_tried(e, mode, n); change++) {
        int to, worst;
        const HolStatus status = hol_modes_try(s, mode, err);
        if (status != HOL_OK && status != HOL_ERR_CONVERGE)
            return status;
        if (status != HOL_OK)
            break;
        worst = worst_element(s, mode, &to);
        if (worst < 0)
            return hol_painleve(s, mode, 0, err);
        mode[worst] = to;
        if (worst >= e->ns->n_supports && to == HOL_SLIP)
            hol_slip_from(s, worst - e->ns->n_supports);
        if (worst < e->ns->n_supports)
            follow_support(s, mode, worst);
    }
    return try_all(s, mode, err);
}
