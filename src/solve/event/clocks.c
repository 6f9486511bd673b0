// SPDX-License-Identifier: Apache-2.0
// Events whose functions depend on time alone (when: "abs(time - 3) < 1e-3", "mod(time, 0.3) - 0.1"):
// when they happen is known before the first step, and steps end there as at regular times. No step is
// too long for them.
//
// A function is cut where it may jump or bend: at the steps of floor and at the zeros of its switching
// functions, each cut by those before it. Between the cuts intervals are halved while their bounds
// contain zero, down to the 2^17th part of the run; then different signs at the ends are one zero, by
// bisection down to neighbouring numbers. An event is where the function comes to be zero from one
// side, or jumps across zero; where it leaves zero is none. Functions with more zeros than that
// (sin(1e6*time) over an hour) are watched by steps, as functions of the motion are.
#include "solve/event/event.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

// ---- tuning constants ----
static const double FINEST = 1.0 / (1 << 17); // intervals, of the run
static const double EVALUATIONS = 4e5;        // of one function; all of them:
static const double ALL_EVALUATIONS = 1e7;
static const double MOST_OPEN = 1 << 14;       // intervals whose bounds are left to contain zero
static const double MOMENT = 1e-10;            // of the run: zero by round-off
static const double AT_START = 1e-14;          // of the run: too near to the start to count
static const double BESIDE = 16 * DBL_EPSILON; // of a time: where round-off may have it
enum { ITSELF = -1, MOST_KNOTS = 200000 };

typedef struct Change {
    double t; // the first number behind it
    int from, to;
} Change;

typedef struct Cell {
    double lo, hi;
} Cell;

typedef struct CellList {
    Cell *cell;
    int n, room;
} CellList;

typedef struct ClockSearch {
    HolSim *s;
    HolArena scratch;
    int event;
    double t0, t1;
    double left; // evaluations of all functions
    CellList cuts, now, halves;
    Change *changes;
    int n_changes, room_changes;
    int lost; // 1: too many zeros
} ClockSearch;

static double clock_at(const ClockSearch *c, int part, double t) {
    return c->s->events->ns->clock_value(c->s->p, c->s->work, c->event, part, t);
}

static int sign_at(const ClockSearch *c, int part, double t) {
    const double x = clock_at(c, part, t);
    return (x > 0) - (x < 0);
}

static void add_cell(ClockSearch *c, CellList *list, double lo, double hi) {
    if (HOL_GROW(&c->scratch, list->cell, list->n, list->room))
        list->cell[list->n++] = (Cell){lo, hi};
}

// a switching function cuts there; the function itself changes
static void add_change(ClockSearch *c, int part, double t, int from, int to) {
    if (part != ITSELF)
        add_cell(c, &c->cuts, nextafter(t, -INFINITY), t);
    else if (HOL_GROW(&c->scratch, c->changes, c->n_changes, c->room_changes))
        c->changes[c->n_changes++] = (Change){t, from, to};
}

// the first number between lo and hi with another sign than at lo
static double clock_sign_change(const ClockSearch *c, int part, double lo, double hi, int at_lo) {
    for (;;) {
        const double mid = 0.5 * (lo + hi);
        if (!(mid > lo && mid < hi))
            return hi;
        if (sign_at(c, part, mid) != at_lo)
            hi = mid;
        else
            lo = mid;
    }
}

static void clock_refine(ClockSearch *c, int part, Cell cell) {
    const int from = sign_at(c, part, cell.lo), to = sign_at(c, part, cell.hi);
    if (from == to)
        return;
    const double first = clock_sign_change(c, part, cell.lo, cell.hi, from);
    if (!from || !to || sign_at(c, part, first) != 0) {
        add_change(c, part, first, from, to);
        return;
    }
    add_change(c, part, first, from, 0);
    add_change(c, part, clock_sign_change(c, part, first, cell.hi, 0), 0, to);
}

// 1: zero may lie inside
static int clock_is_open(const ClockSearch *c, int part, Cell cell) {
    double lo, hi;
    c->s->events->ns->clock_bounds(c->s->p, c->s->work, c->event, part, cell.lo, cell.hi, &lo, &hi);
    return lo <= 0 && hi >= 0 && (lo < 0 || hi > 0);
}

// part of the event's function, between the cuts and at them
static void search_part(ClockSearch *c, int part) {
    double left = fmin(EVALUATIONS, c->left), open = 0, start = c->t0;
    const int n_cuts = c->cuts.n;
    c->now.n = c->halves.n = 0;
    for (int k = 0; k <= n_cuts; k++) {
        const Cell cut = k < n_cuts ? c->cuts.cell[k] : (Cell){c->t1, c->t1};
        if (cut.lo > start)
            add_cell(c, &c->halves, start, cut.lo);
        if (k < n_cuts && part == ITSELF && cut.hi > start)
            clock_refine(c, part, (Cell){fmax(start, cut.lo), cut.hi});
        start = fmax(start, cut.hi);
    }
    while (c->halves.n && !c->scratch.failed && left > 0) {
        const CellList done = c->now;
        c->now = c->halves;
        c->halves = (CellList){done.cell, 0, done.room};
        for (int k = 0; k < c->now.n && left > 0; k++) {
            const Cell cell = c->now.cell[k];
            const double mid = 0.5 * (cell.lo + cell.hi);
            left -= 1;
            if (!clock_is_open(c, part, cell))
                continue;
            if (cell.hi - cell.lo > FINEST * (c->t1 - c->t0) && mid > cell.lo && mid < cell.hi) {
                add_cell(c, &c->halves, cell.lo, mid);
                add_cell(c, &c->halves, mid, cell.hi);
            } else {
                open += 1;
                clock_refine(c, part, cell);
            }
        }
    }
    c->left -= fmin(EVALUATIONS, c->left) - left;
    c->lost |= part == ITSELF && (!(left > 0) || open > MOST_OPEN);
}

static int clock_by_place(const void *a, const void *b) {
    const Cell *x = a, *y = b;
    return x->lo < y->lo ? -1 : x->lo > y->lo;
}

static int clock_by_time(const void *a, const void *b) {
    const Change *x = a, *y = b;
    return x->t < y->t ? -1 : x->t > y->t;
}

static void cut_at_knots(ClockSearch *c) {
    const HolNonsmooth *ns = c->s->events->ns;
    double t = c->t0;
    for (int n = 0; n < MOST_KNOTS && !c->scratch.failed; n++) {
        const double knot = ns->clock_knot(c->s->p, c->event, t);
        const double beside = BESIDE * fmax(fabs(knot), fabs(t));
        if (!(knot < c->t1) || !(knot > t))
            break;
        add_cell(c, &c->cuts, knot - beside, knot + beside);
        t = knot;
    }
}

// an event: it comes to be zero, or jumps across; not where it is zero for a moment and turns back
static int is_event(const ClockSearch *c, int i) {
    const Change *x = &c->changes[i], *next = i + 1 < c->n_changes ? x + 1 : NULL;
    const double span = c->t1 - c->t0;
    const int way = c->s->events->ns->events[c->event].direction;
    if (!x->from || x->t <= c->t0 + AT_START * span || (way && way != -x->from))
        return 0;
    return x->to || !next || next->from || next->to != x->from || next->t - x->t > MOMENT * span;
}

static void search_event(ClockSearch *c) {
    HolEvents *e = c->s->events;
    const int k = c->event, parts = e->ns->clock_parts(c->s->p, k);
    c->cuts.n = c->n_changes = c->lost = 0;
    cut_at_knots(c);
    for (int i = 0; i < parts && !c->scratch.failed; i++) {
        search_part(c, i);
        if (c->cuts.n)
            qsort(c->cuts.cell, (size_t)c->cuts.n, sizeof *c->cuts.cell, clock_by_place);
    }
    search_part(c, ITSELF);
    if (c->lost)
        hol_note(
            c->s,
            "event '%s': its function of time has more zeros than are found before the run: it "
            "is watched by steps, which may miss some",
            e->ns->events[k].name);
    if (c->lost || c->scratch.failed)
        return;
    if (c->n_changes)
        qsort(c->changes, (size_t)c->n_changes, sizeof *c->changes, clock_by_time);
    e->clock[k] = HOL_NEW(&c->s->arena, double, c->n_changes + 1);
    e->n_clock[k] = 0;
    for (int i = 0; i < c->n_changes && e->clock[k]; i++)
        if (is_event(c, i))
            e->clock[k][e->n_clock[k]++] = fmin(c->changes[i].t, c->s->o.end);
}

HolStatus hol_clocks_create(HolSim *s, HolError *err) {
    HolEvents *e = s->events;
    const double span = s->o.end - s->o.start;
    if (!e)
        return HOL_OK;
    e->clocked = INFINITY;
    if (!e->ns->clock_parts)
        return HOL_OK;
    // (a zero that round-off has behind the end is at the end)
    const double slack = BESIDE * fmax(fabs(s->o.start), fabs(s->o.end));
    ClockSearch c = {.s = s, .t0 = s->o.start, .t1 = s->o.end + slack, .left = ALL_EVALUATIONS};
    for (int k = 0; k < e->ns->n_events; k++) {
        e->n_clock[k] = -1;
        c.event = k;
        if (e->ns->clock_parts(s->p, k) >= 0 && span > 0 && isfinite(span))
            search_event(&c);
        if (e->n_clock[k] >= 0)
            e->clocked = s->o.end;
    }
    const int failed = c.scratch.failed || s->arena.failed;
    hol_arena_free(&c.scratch);
    return failed ? hol_error_set(err, HOL_ERR_MEMORY, "out of memory") : HOL_OK;
}

int hol_is_clock(const HolSim *s, int event) {
    const HolEvents *e = s->events;
    return e->n_clock[event] >= 0 && s->x.t < e->clocked;
}

double hol_clock_next(const HolEvents *e, int k) {
    return e->every[k] < e->n_clock[k] ? e->clock[k][e->every[k]] : INFINITY;
}
