// SPDX-License-Identifier: Apache-2.0
// Where a grip of several rows begins to slip (docs/theory/friction.md). At rest its velocity w has no
// direction; the friction force is -F d with the direction d of the acceleration that it leaves,
//   a_t = W (f - F d) = c d,   c > 0,   so that   (c W^-1 + F) d = f,   |d| = 1
// f the force that would have to be held, W = C K^-1 C^T. |(c W^-1 + F)^-1 f| falls with c: one zero
// where |f| > F, none where it sticks. F and f depend on d by the loads, hence the iteration. From
// then on friction is opposite to w + b, b = d times a tiny speed: it has a direction from the start,
// and that of w as soon as there is one worth the name.
#include "solve/event/impact.h"
#include "solve/run/error_test.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = HOL_SLIP_ROWS, BISECTIONS = 200 };
static const double LATEST = 1e-4;       // of the span: how far a stop is thought on
static const double STRAIGHT = 1e-12;    // square of the part of an acceleration that turns
static const double SETTLED = 1e-13;     // change of a direction
static const double LEAN = 200;          // noises of the speed: size of b
static const double LEFT = 1e6;          // leans: it slips for good
static const double LEAN_TIME = 1e-13;   // of the span, at the acceleration of the friction force
static const double LEAST_FORCE = 1e-11; // of W: along directions that joints hold
static const double STOP = 20;           // noises of the speed: less is no speed
// Of the largest speed: slower, it has stopped. Less would be lost in the round-off of positions over
// the last steps, with methods whose velocities are differences; what is left of the motion is of the
// order of the square.
static const double STOP_PART = 3e-6, STOP_PART_FINE = 1e-7;

static double slip_length(const double *x, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

// W of the grip's rows and their accelerations, in the modes of the last solve
static void slip_rows(HolSim *s, int grip, double *W, double *a) {
    HolEvents *e = s->events;
    const HolGrip *g = &e->ns->grips[grip];
    const int n = g->rows, first = hol_grip_row(e, grip);
    for (int j = 0; j < n; j++) {
        const double *c = e->C + (first + j) * s->nv;
        HolClosedRow row;
        memset(e->Y, 0, sizeof *e->Y * (size_t)(s->nv + s->m + s->nw));
        memcpy(e->Y, c, sizeof *c * (size_t)s->nv);
        hol_kkt_solve(s->mass, e->Y);
        for (int i = 0; i < n; i++)
            W[i * n + j] = hol_impact_dot(e->C + (first + i) * s->nv, e->Y, s->nv);
        e->ns->closed_row(s->p, s->work, HOL_AT(&s->x), g->row + j, NULL, &row);
        a[j] = hol_impact_dot(c, s->x.a, s->nv) + row.gamma;
    }
}

// d = (c W^-1 + F)^-1 f = (c + F W)^-1 W f; its length
static double direction_at(const double *W, const double *f, int n, double c, double F, double *d) {
    double A[MOST * MOST];
    for (int i = 0; i < n; i++) {
        d[i] = 0;
        for (int j = 0; j < n; j++) {
            A[i * n + j] = F * W[i * n + j] + (i == j ? c : 0);
            d[i] += W[i * n + j] * f[j];
        }
    }
    return hol_solve_small(A, d, n) ? slip_length(d, n) : 0;
}

static void find_direction(const double *W, const double *f, int n, double F, double *d) {
    double low = 0, high = DBL_MIN;
    for (int i = 0; i < n; i++)
        high += fabs(W[i * n + i]) * (slip_length(f, n) + F);
    while (direction_at(W, f, n, high, F, d) > 1 && high < 1e300)
        high *= 4;
    for (int k = 0; k < BISECTIONS && high - low > DBL_EPSILON * high; k++) {
        const double c = 0.5 * (low + high);
        if (direction_at(W, f, n, c, F, d) > 1)
            low = c;
        else
            high = c;
    }
    const double length = direction_at(W, f, n, high, F, d);
    for (int i = 0; i < n; i++)
        d[i] /= length > 0 ? length : 1;
}

void hol_slip_from(HolSim *s, int grip) {
    HolEvents *e = s->events;
    const HolGrip *g = &e->ns->grips[grip];
    const double *T = s->x.lambda + g->row, size = slip_length(T, g->rows);
    for (int k = 0; k < g->rows; k++)
        e->lean[HOL_SLIP_ROWS * grip + k] = size > 0 ? T[k] / size : k == 0;
}

void hol_slip_lean(HolSim *s, int grip) {
    HolEvents *e = s->events;
    double b[HOL_SLIP_ROWS], *d = e->lean + HOL_SLIP_ROWS * grip;
    const int n = e->ns->grips[grip].rows;
    const double speed = LEAN * e->speed_noise[hol_grip_row(e, grip)] +
                         LEAN_TIME * s->test->span * e->lean_rate[grip];
    if (!(slip_length(d, n) > 0))
        d[0] = 1;
    for (int k = 0; k < n; k++)
        b[k] = fmax(speed, 1e-100) * d[k];
    e->ns->set_lean(s->p, s->work, grip, b, LEFT * fmax(speed, 1e-100));
}

int hol_slip_turns(const HolSim *s) {
    for (int i = 0; s->events && i < s->events->ns->n_grips; i++)
        if (s->events->ns->grips[i].rows > 1)
            return 1;
    return 0;
}

int hol_slip_slides(const HolSim *s) {
    for (int i = 0; s->events && i < s->events->ns->n_grips; i++)
        if (s->events->ns->grips[i].rows > 1 &&
            abs(s->events->ns->grip_mode(s->p, s->work, i)) == HOL_SLIP)
            return 1;
    return 0;
}

double hol_slip_ends(HolSim *s) {
    HolEvents *e = s->events;
    double first = INFINITY;
    for (int i = 0; e && i < e->ns->n_grips; i++) {
        const HolGrip *g = &e->ns->grips[i];
        double speed = 0, change = 0;
        if (g->rows == 1 || abs(e->ns->grip_mode(s->p, s->work, i)) != HOL_SLIP)
            continue;
        for (int k = 0; k < g->rows; k++) {
            HolClosedRow row;
            e->ns->closed_row(s->p, s->work, HOL_AT(&s->x), g->row + k, e->v, &row);
            const double w = hol_impact_dot(e->v, s->x.v, s->nv);
            speed += w * w;
            change += w * (hol_impact_dot(e->v, s->x.a, s->nv) + row.gamma);
        }
        if (change < 0)
            first = fmin(first, speed / -change);
    }
    return first;
}

int hol_slip_begins(const HolSim *s) {
    for (int i = 0; s->events && i < s->events->ns->n_grips; i++)
        if (s->events->ns->grips[i].rows > 1 && s->events->ns->lean(s->p, s->work, i) > 0)
            return 1;
    return 0;
}

int hol_slip_turn(HolSim *s, int grip) {
    HolEvents *e = s->events;
    const int n = e->ns->grips[grip].rows;
    double W[MOST * MOST], A[MOST * MOST], a[MOST], f[MOST], d[MOST], change = 0;
    double *now = e->lean + HOL_SLIP_ROWS * grip;
    const double F = e->ns->slip_force(s->p, s->work, HOL_AT(&s->x), grip);
    slip_rows(s, grip, W, a);
    memcpy(A, W, sizeof *A * (size_t)(n * n));
    memcpy(f, a, sizeof *f * (size_t)n);
    double trace = 0;
    for (int k = 0; k < n; k++)
        trace += fabs(W[k * n + k]);
    for (int k = 0; k < n; k++) // (other joints may leave fewer directions: the least force)
        A[k * n + k] += LEAST_FORCE * trace;
    if (!hol_solve_small(A, f, n))
        return 0;
    for (int k = 0; k < n; k++)
        f[k] += F * now[k];
    const double size = slip_length(f, n);
    e->excess[grip] = (size - F) / (size + F + DBL_MIN);
    const double rate = fabs(W[0]) * (size + F);
    const int grows = rate > 4 * e->lean_rate[grip];
    if (grows)
        e->lean_rate[grip] = rate;
    if (!(size > F)) { // as it would begin if the cone were reached
        for (int k = 0; k < n; k++)
            d[k] = size > 0 ? f[k] / size : now[k];
    } else {
        find_direction(W, f, n, F, d);
    }
    for (int k = 0; k < n; k++) {
        change = fmax(change, fabs(d[k] - now[k]));
        now[k] = d[k];
    }
    return grows || change > SETTLED;
}

int hol_slip_stopped(HolSim *s, int grip, double *late) {
    HolEvents *e = s->events;
    const int n = e->ns->grips[grip].rows, first = hol_grip_row(e, grip);
    double W[MOST * MOST], a[MOST], along = 0;
    const double speed = slip_length(e->u + first, n);
    *late = 0;
    if (speed > 2 * e->stop[grip])
        return 0;
    // With m = 1/W in all directions, F |w| + f.w falls at the rate (F^2 - f^2)/m, to zero. Where it
    // goes straight on, or others slip with it (f is not what acts on m alone): |w| at its own rate
    slip_rows(s, grip, W, a);
    const double m = W[0] > 0 ? 1 / W[0] : 0,
                 F = e->ns->slip_force(s->p, s->work, HOL_AT(&s->x), grip);
    double f2 = 0, rate = 0, a2 = 0;
    for (int k = 0; k < n && speed > 0; k++) {
        const double d = e->u[first + k] / speed, f = m * a[k] + F * d;
        along += f * d;
        f2 += f * f;
        rate -= a[k] * d;
        a2 += a[k] * a[k];
    }
    if (rate > 0 && (!(F * F > f2) || a2 - rate * rate < STRAIGHT * a2))
        *late = fmin(speed / rate, LATEST * s->test->span);
    else if (F * F > f2)
        *late = fmin(m * speed * (F + along) / (F * F - f2), LATEST * s->test->span);
    return 1;
}

void hol_slip_aim(HolSim *s) {
    HolEvents *e = s->events;
    for (int i = 0; i < e->n; i++) {
        const HolWatch *w = &e->ns->watches[i];
        if (w->kind == HOL_WATCH_SLIP && e->wanted[i] && e->ns->grips[w->of].rows > 1)
            e->stop[w->of] = e->ns->aim(s->p, s->work, HOL_AT(&s->x), w->of, STOP * e->noise[i],
                                        s->stepper->inside ? STOP_PART_FINE : STOP_PART);
    }
}
