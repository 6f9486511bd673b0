// SPDX-License-Identifier: Apache-2.0
// Where a curve c(s) of the plane is met: the greatest value of
//     phi = -|p - c|^2/2,  phi' = c'.(p - c),  phi'' = c''.(p - c) - |c'|^2      nearest to p
//     phi = p.c,           phi' = p.c',        phi'' = p.c''                     facing p
// over all samples, then Newton between its neighbours, safeguarded by bisection. The result depends
// on the place alone, not on what was asked before.
// Samples are passed over by groups whose circle cannot hold a better one. A formula is evaluated
// once or twice: Newton comes close on the polynomial of degree 5 that has its point, slope and second
// derivative at both samples.
#include "model/curve/curve.h"

#include <math.h>

// ---- samples ----

const HolCurveGroup *hol_curve_groups(HolModel *m, const HolCurveSample *at, int n) {
    const int groups = n / HOL_CURVE_GROUP;
    HolCurveGroup *g = HOL_NEW(&m->arena, HolCurveGroup, groups);
    for (int i = 0; g && i < groups; i++) {
        const HolCurveSample *first = at + i * HOL_CURVE_GROUP, *last = first + HOL_CURVE_GROUP;
        for (int k = 0; k < 2; k++)
            g[i].x[k] = 0.5 * (first->x[k] + last->x[k]);
        for (const HolCurveSample *a = first; a <= last; a++)
            g[i].radius = fmax(g[i].radius, hypot(a->x[0] - g[i].x[0], a->x[1] - g[i].x[1]));
        g[i].radius *= 1 + 1e-12;
    }
    return g;
}

static double foot_value(const double x[2], const double p[2], int facing) {
    const double dx = p[0] - x[0], dy = p[1] - x[1];
    return facing ? p[0] * x[0] + p[1] * x[1] : -dx * dx - dy * dy;
}

// no sample of the group has a larger value; reach: |p|
static double foot_bound(const HolCurveGroup *g, const double p[2], int facing, double reach) {
    const double value = foot_value(g->x, p, facing);
    if (facing)
        return value + g->radius * reach;
    const double d = sqrt(-value) - g->radius;
    return d > 0 ? -d * d * (1 - 1e-12) : 0;
}

// the best sample, the first one of equals
static int foot_sample(const HolCurve *c, const double p[2], int facing) {
    const int groups = hol_curve_samples(c) / HOL_CURVE_GROUP;
    const double reach = hypot(p[0], p[1]);
    int best = 0, likely = 0;
    double most = -INFINITY;
    for (int g = 0; g < groups; g++) {
        const double bound = foot_bound(&c->groups[g], p, facing, reach);
        if (bound > most) {
            most = bound;
            likely = g;
        }
    }
    most = -INFINITY;
    for (int n = -1; n < groups; n++) {
        const int g = n < 0 ? likely : n, from = g * HOL_CURVE_GROUP;
        if (n == likely || (n >= 0 && foot_bound(&c->groups[g], p, facing, reach) < most))
            continue;
        for (int i = from; i <= from + HOL_CURVE_GROUP; i++) {
            const double value = foot_value(c->samples[i].x, p, facing);
            if (value > most || (value == most && i < best)) {
                most = value;
                best = i;
            }
        }
    }
    return best;
}

// the top of the parabola over sample k and its neighbours, in samples from k on
static double foot_top(const HolCurve *c, const double p[2], int facing, int k) {
    if (k == 0 || k == hol_curve_samples(c))
        return 0;
    const double left = foot_value(c->samples[k - 1].x, p, facing);
    const double here = foot_value(c->samples[k].x, p, facing);
    const double right = foot_value(c->samples[k + 1].x, p, facing), bend = left - 2 * here + right;
    return bend < 0 ? 0.5 * (left - right) / bend : 0;
}

// ---- Newton ----

static double foot_slope(const HolCurveSample *a, const double p[2], int facing, double *second) {
    const double e[2] = {facing ? p[0] : p[0] - a->x[0], facing ? p[1] : p[1] - a->x[1]};
    *second =
        a->dd[0] * e[0] + a->dd[1] * e[1] - (facing ? 0 : a->d[0] * a->d[0] + a->d[1] * a->d[1]);
    return a->d[0] * e[0] + a->d[1] * e[1];
}

static HolCurveSample foot_exact(const HolCurve *c, double s) {
    double x[3], d[3], dd[3];
    hol_curve_at(c, s, x, d, dd);
    return (HolCurveSample){{x[0], x[1]}, {d[0], d[1]}, {dd[0], dd[1]}};
}

// between sample k and the next, h apart, at part u; third: third derivative
static HolCurveSample foot_between(const HolCurveSample *k, double h, double u, double third[2]) {
    HolCurveSample out;
    for (int i = 0; i < 2; i++) {
        const double d0 = h * k[0].d[i], d1 = h * k[1].d[i];
        const double e0 = 0.5 * h * h * k[0].dd[i], e1 = 0.5 * h * h * k[1].dd[i];
        // c = x0 + d0 u + e0 u^2 + (p + (q + r u) u) u^3 with value A, slope B, bend C left at u = 1
        const double A = k[1].x[i] - k[0].x[i] - d0 - e0, B = d1 - d0 - 2 * e0, C = 2 * (e1 - e0);
        const double p = 10 * A - 4 * B + 0.5 * C, q = -15 * A + 7 * B - C;
        const double r = 6 * A - 3 * B + 0.5 * C, uu = u * u;
        out.x[i] = k[0].x[i] + (d0 + (e0 + (p + (q + r * u) * u) * u) * u) * u;
        out.d[i] = (d0 + (2 * e0 + (3 * p + (4 * q + 5 * r * u) * u) * u) * u) / h;
        out.dd[i] = (2 * e0 + (6 * p + 12 * q * u + 20 * r * uu) * u) / (h * h);
        third[i] = (6 * p + 24 * q * u + 60 * r * uu) / (h * h * h);
    }
    return out;
}

// a place close to the foot, u samples from sample k on, at most one; third derivative there
static double foot_close(const HolCurve *c, const double p[2], int facing, int k, double u,
                         double third[2]) {
    enum { ROUNDS = 4 };
    const int n = hol_curve_samples(c);
    const double h = (c->to - c->from) / n, s0 = hol_curve_place(c, k, n);
    for (int i = 0; i < ROUNDS; i++) {
        const int left = u < 0 ? k - 1 : k;
        double second;
        if (left < 0 || left >= n || fabs(u) > 1)
            break;
        const HolCurveSample a = foot_between(c->samples + left, h, u < 0 ? u + 1 : u, third);
        const double first = foot_slope(&a, p, facing, &second);
        const double step = second < 0 ? -first / (second * h) : 0;
        if (!(fabs(u + step) <= 1))
            break;
        u += step;
        if (fabs(step) < 1e-6)
            break;
    }
    return s0 + u * h;
}

HolCurveFoot hol_curve_foot(const HolCurve *c, const double p[2], int facing) {
    enum { ROUNDS = 80 };
    const int n = hol_curve_samples(c), k = foot_sample(c, p, facing);
    const double span = c->to - c->from, s0 = hol_curve_place(c, k, n);
    const double top = foot_top(c, p, facing, k);
    // (an open curve goes on behind its ends)
    double lo = s0 - (k == 0 && !c->closed ? span : span / n);
    double hi = s0 + (k == n && !c->closed ? span : span / n);
    double third[2] = {0}, shortcut = 1e-13 * span;
    HolCurveFoot foot = {.s = s0 + top * span / n};
    if (c->formula[0]) {
        foot.s = foot_close(c, p, facing, k, top, third);
        shortcut = third[0] != 0 || third[1] != 0 ? 1e-9 * span : shortcut;
    }
    for (int i = 0; i < ROUNDS; i++) {
        double second;
        foot.at = foot_exact(c, foot.s);
        const double first = foot_slope(&foot.at, p, facing, &second);
        if (first > 0)
            lo = foot.s;
        else
            hi = foot.s;
        const double step = second < 0 ? -first / second : INFINITY, next = foot.s + step;
        if (fabs(step) <= shortcut) { // so short that a few terms lead over it
            for (int j = 0; j < 2; j++) {
                const double bend = foot.at.dd[j] + 0.5 * step * third[j];
                foot.at.x[j] += step * (foot.at.d[j] + 0.5 * step * foot.at.dd[j]);
                foot.at.d[j] += step * bend;
                foot.at.dd[j] += step * third[j];
            }
            foot.s = next;
            break;
        }
        foot.s = next > lo && next < hi ? next : 0.5 * (lo + hi);
        if (hi - lo <= 4e-16 * (fabs(foot.s) + span))
            break;
    }
    if (c->closed && foot.s < c->from)
        foot.s += span;
    else if (c->closed && foot.s >= c->to)
        foot.s -= span;
    return foot;
}

double hol_curve_bend(const HolCurve *c, double s, double side) {
    double d[3], dd[3];
    hol_curve_at(c, s, NULL, d, dd);
    const double speed = hypot(d[0], d[1]);
    return side * (d[0] * dd[1] - d[1] * dd[0]) / (speed * speed * speed);
}
