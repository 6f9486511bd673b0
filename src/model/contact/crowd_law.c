// SPDX-License-Identifier: Apache-2.0
// The normal force of contacts among many bodies (docs/theory/contact.md, section 20). That of Hunt and
// Crossley, F = k d^n (1 + a d'), with a = z/u0 from the restitution e by (51). Pairs are too many to
// remember their speed u0 of touch. It follows from depth d and rate d': of two bodies of effective
// mass m that nothing else acts on, with x = d'/u0,
//     k d^(n+1)/(n+1) = m u0^2 h(x),   h(x) = (z (1 - x) - log((1 + z)/(1 + z x)))/z^2
// h is zero at x = 1 (touch) and, which is (51), at x = -e (separation), and h' = -x/(1 + z x). Hence
//     F = k d^n (1 + z x),   x = s sqrt(h(x)),   s = d'/sqrt(k d^(n+1)/((n + 1) m))
// x has the sign of s, so that the damping takes energy in every motion, and a body at rest has x = 0. The
// root of f(x) = x^2 - s^2 h(x) on its side: f is convex, Newton's method goes down to it.
#include "model/contact/crowd.h"

#include <math.h>

enum { LAW_MOST = 60 };           // iterations; three or four are usual
static const double SMALL = 1e-3; // z below which h is a series

static double law_height(double z, double x) {
    if (z < SMALL) {
        double sum = 0, power = 1, xj = x;
        for (int j = 2; j < 9; j++, power *= -z) {
            xj *= x;
            sum += power * (1 - xj) / j;
        }
        return sum;
    }
    return (z * (1 - x) - log1p(z * (1 - x) / (1 + z * x))) / (z * z);
}

double hol_crowd_top(double z) {
    return law_height(z, 0);
}

static double law_ratio(const HolCrowd *c, double s) {
    const double start = fabs(s) * sqrt(c->top);
    double x = s > 0 ? fmin(1, start) : -fmin(c->e, start);
    if (x == 0)
        return 0;
    for (int i = 0; i < LAW_MOST; i++) {
        const double f = x * x - s * s * law_height(c->z, x),
                     slope = x * (2 + s * s / (1 + c->z * x)), change = f / slope;
        x -= change;
        if (!(fabs(change) > 1e-15))
            break;
    }
    return fmax(-c->e, fmin(1, x));
}

HolCrowdForce hol_crowd_law(const HolCrowd *c, double R, double mass, double d, double rate) {
    const double n = c->n_law, k = c->k > 0 ? c->k : 4.0 / 3 * c->modulus * sqrt(R);
    const double elastic = k * (n == 1.5 ? d * sqrt(d) : pow(d, n));
    HolCrowdForce out = {.potential = elastic * d / (n + 1)};
    double factor = 1;
    if (c->z > 0 && rate != 0 && mass > 0 && out.potential > 0)
        factor += c->z * law_ratio(c, rate / sqrt(out.potential / mass));
    else if (c->a > 0)
        factor = fmax(1 + c->a * rate, 0);
    out.F = elastic * factor;
    out.damping = elastic * (factor - 1) * rate;
    return out;
}
