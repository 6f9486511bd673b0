// SPDX-License-Identifier: Apache-2.0
// Where a curve c(s) of the plane is met: the greatest value of
//     phi = -|p - c|^2/2,  phi' = c'.(p - c),  phi'' = c''.(p - c) - |c'|^2      nearest to p
//     phi = p.c,           phi' = p.c',        phi'' = p.c''                     facing p
// over all samples, then Newton between its neighbours, safeguarded by bisection. The result depends
// on the place alone, not on what was asked before.
#include "model/curve/curve.h"

#include <math.h>

static double foot_slope(const HolCurve *c, const double p[2], int facing, double s,
                         double *second) {
    double x[3], d[3], dd[3];
    hol_curve_at(c, s, x, d, dd);
    const double e[2] = {facing ? p[0] : p[0] - x[0], facing ? p[1] : p[1] - x[1]};
    *second = dd[0] * e[0] + dd[1] * e[1] - (facing ? 0 : d[0] * d[0] + d[1] * d[1]);
    return d[0] * e[0] + d[1] * e[1];
}

static double foot_value(const HolCurve *c, const double p[2], int facing, int i) {
    const double *x = c->samples + 2 * i, dx = p[0] - x[0], dy = p[1] - x[1];
    return facing ? p[0] * x[0] + p[1] * x[1] : -dx * dx - dy * dy;
}

// the best sample, and the top of the parabola over it and its neighbours, in samples
static int foot_sample(const HolCurve *c, const double p[2], int facing, double *top) {
    const int n = hol_curve_samples(c);
    int best = 0;
    double most = -INFINITY;
    for (int i = 0; i <= n; i++) {
        const double value = foot_value(c, p, facing, i);
        if (value > most) {
            most = value;
            best = i;
        }
    }
    *top = 0;
    if (best == 0 || best == n)
        return best;
    const double left = foot_value(c, p, facing, best - 1);
    const double right = foot_value(c, p, facing, best + 1), bend = left - 2 * most + right;
    if (bend < 0)
        *top = 0.5 * (left - right) / bend;
    return best;
}

double hol_curve_foot(const HolCurve *c, const double at[2], int facing) {
    enum { ROUNDS = 80 };
    double top;
    const int n = hol_curve_samples(c), k = foot_sample(c, at, facing, &top);
    const double span = c->to - c->from, s0 = hol_curve_place(c, k, n);
    // (an open curve goes on behind its ends)
    double lo = s0 - (k == 0 && !c->closed ? span : span / n);
    double hi = s0 + (k == n && !c->closed ? span : span / n), s = s0 + top * span / n;
    for (int i = 0; i < ROUNDS; i++) {
        double second;
        const double first = foot_slope(c, at, facing, s, &second);
        if (first > 0)
            lo = s;
        else
            hi = s;
        const double step = second < 0 ? -first / second : INFINITY;
        if (fabs(step) <= 4e-16 * (fabs(s) + span))
            break;
        const double next = s + step;
        s = next > lo && next < hi ? next : 0.5 * (lo + hi);
        if (hi - lo <= 4e-16 * (fabs(s) + span))
            break;
    }
    if (c->closed && s < c->from)
        s += span;
    else if (c->closed && s >= c->to)
        s -= span;
    return s;
}

double hol_curve_bend(const HolCurve *c, double s, double side) {
    double d[3], dd[3];
    hol_curve_at(c, s, NULL, d, dd);
    const double speed = hypot(d[0], d[1]);
    return side * (d[0] * dd[1] - d[1] * dd[0]) / (speed * speed * speed);
}
