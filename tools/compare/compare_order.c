// SPDX-License-Identifier: Apache-2.0
// Observed orders: fixed steps h = T/(40 2^j), so that the times of the reference are ends of steps
// (of the coarsest, T/10 and T/20, every fourth and second one), and
//   p = log2( E(h) / E(h/2) )
// of positions, velocities and multipliers: the middle one of the three finest pairs whose errors
// are above what the reference and round-off leave (which grows with 1/h: seen where errors no
// longer fall), and below what a step too coarse makes of them.
#include "solve/sim.h"
#include "tools/compare/compare.h"

#include <math.h>
#include <string.h>

static const double FLOOR = 1e-12;     // errors below are round-off
static const double ABOVE_FLOOR = 30;  // the finer one of a pair
static const double TOO_COARSE = 0.05; // the coarser one of a pair
static const double MOST_CPU = 0.3;    // [s] a run

static double order_median(const double *p, int n) {
    if (n < 3)
        return n == 0 ? NAN : p[0];
    return fmax(fmin(p[0], p[1]), fmin(fmax(p[0], p[1]), p[2]));
}

static double order_of(const HolComparedOrder *o, int what, double floor) {
    int least = 0, n = 0;
    double p[3];
    for (int i = 1; i < o->n; i++)
        if (o->error[i][what] < o->error[least][what])
            least = i; // from there on round-off grows
    for (int i = least; i > 0 && n < 3; i--) {
        const double coarse = o->error[i - 1][what], fine = o->error[i][what];
        if (fine > ABOVE_FLOOR * floor && coarse < TOO_COARSE)
            p[n++] = log2(coarse / fine);
    }
    return order_median(p, n);
}

static void order_measure(HolComparing *c, const HolSeries *s, double until, HolComparedOrder *o) {
    const double span = c->base.end - c->base.start, floor = fmax(FLOOR, c->out.agreement);
    *o = (HolComparedOrder){.method = s->name, .options = &s->options};
    for (int j = -2; j < 16 && o->n < HOL_ORDER_STEPS; j++) {
        HolCompareJob job = {.model = c->model,
                             .options = s->options,
                             .times = c->times,
                             .seconds = until - hol_compare_now(),
                             .cpu = MOST_CPU,
                             .stop = c->how.stop,
                             .on_steps = 1,
                             .reference = &c->reference,
                             .sizes = &c->sizes};
        // (where the time was cut, there are fewer than 40 times)
        job.options.step = span / c->times / ldexp(1, j);
        if (job.seconds <= 0 || hol_compare_stopped(c))
            break;
        hol_compare_say(c, "order of %s, step %.3g", s->name, job.options.step);
        const HolStatus status = hol_compare_run(&job, &c->arena);
        if (status == HOL_INTERRUPTED || status == HOL_ERR_INPUT || status == HOL_ERR_UNSUPPORTED)
            break;
        if (status || !(job.error[0] < 1)) { // too coarse; begin anew
            o->n = 0;
            continue;
        }
        if (!c->sizes.unique || c->sizes.m == 0)
            job.error[2] = NAN;
        o->step[o->n] = job.options.step;
        memcpy(o->error[o->n++], job.error, sizeof job.error);
        if (job.error[0] < floor && job.error[1] < floor && !(job.error[2] >= floor))
            break;
    }
    o->position = order_of(o, 0, floor);
    o->velocity = order_of(o, 1, floor);
    o->multipliers = order_of(o, 2, floor);
}

HolStatus hol_compare_orders(HolComparing *c, HolError *err) {
    HolComparedOrder *list = HOL_NEW(&c->arena, HolComparedOrder, HOL_COMPARE_SERIES);
    if (!list)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    c->out.orders = list;
    int left = 0;
    for (int i = 0; i < c->n_series; i++)
        left += c->series[i].by_step;
    for (int i = 0; i < c->n_series; i++) {
        c->series[i].options.end = c->base.end;
        if (!c->series[i].by_step)
            continue;
        if (hol_compare_stopped(c))
            return HOL_INTERRUPTED;
        const double now = hol_compare_now();
        order_measure(c, &c->series[i], now + 1.5 * (c->deadline - now) / left--,
                      &list[c->out.n_orders++]);
    }
    if (!c->sizes.unique)
        hol_compare_remark(c, "Constraints are redundant: multipliers are not unique, and have no "
                              "order.");
    return HOL_OK;
}
