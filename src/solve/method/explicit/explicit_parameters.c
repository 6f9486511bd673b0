// SPDX-License-Identifier: Apache-2.0
// Parameters of the conditionally explicit family: named sets, orders, and stability before a run.
//
// Eliminating v, j, s leaves a linear multistep formula rho(E) q = h^2 sigma(E) q'', E the shift:
//   degree 3  rho = l (l-1)^2,  sigma = [(al+2be) l^2 - (2al+2be-3) l + al-1]/2
//   degree 4  rho = l (l-1)^2 (l-1+1/ga)
//   degree 5  rho = l (l-1)^2 (l^2 - (2-(2ze+1)/ga) l + 1+(1-2ze)/ga)
// Stable at omega h = O: all roots of rho + O^2 sigma in the unit disc. In constrained directions
// a and lambda obey sigma(E) a = 0, in those of velocity rows nu(E) a = 0.
#include "solve/linear/step_map.h"
#include "solve/method/explicit/explicit.h"

#include <complex.h>
#include <math.h>
#include <string.h>

// ---- tuning constants ----
enum { ROOT_ROUNDS = 200 };            // of the simultaneous iteration for roots
static const double ROOT_MOVE = 1e-16; // movement of a root that ends it
static const double ROOT_ZERO = 1e-13; // relative: leading coefficients below are zero
static const double UNIT_ROOT = 1e-7;  // distance from 1 at which a root counts as 1
static const double EQUAL = 1e-9;      // difference of two parameters that count as equal
static const double UNSTABLE = 1e-10;  // a radius beyond 1 by this is unstable
static const double FIRST_OMEGA = 0.02, OMEGA_SPACING = 0.01, MOST_OMEGA = 4; // search of omega h,
static const double OMEGA_DIGITS = 1e-9; // and how well its limit is found
static const double USELESS = 0.1;       // sets with a smaller limit of omega h are refused

enum { O3, CD, G3_43, G3_2, O4S, O4D, G4_14, G4_34, G4_54, O5A, O5B, O5C, G5_45, G5_1, G5_OPT };

// o*: damped parasites, the others as published; the first of a degree is its default.
// beta_out = NAN: beta
static const HolExplicitSet sets[] = {
    [O3] = {3, 0, 7. / 6, 1. / 2, 1, 1, 5. / 12},
    [CD] = {3, 0, 1, 1. / 2, 1, 1, NAN},
    [G3_43] = {3, 0, 4. / 3, 1. / 2, 1, 1, NAN},
    [G3_2] = {3, 0, 2, 1. / 2, 1, 1, NAN},
    [O4S] = {4, 0, 3. / 2, 5. / 6, 1, 1, 3. / 4},
    [O4D] = {4, 0, 5. / 6, 5. / 6, 1, 1, NAN},
    [G4_14] = {4, 0, 1. / 4, 1. / 3, 1. / 2, 1, NAN},
    [G4_34] = {4, 0, 3. / 4, 1. / 3, 1. / 2, 1, NAN},
    [G4_54] = {4, 0, 5. / 4, 1. / 3, 1. / 2, 1, NAN},
    [O5A] = {5, 0, 3. / 2, 7. / 4, 3. / 2, 1, NAN},
    [O5B] = {5, 0, 1. / 2, 7. / 4, 3. / 2, 1, NAN},
    [O5C] = {5, 0, 3. / 4, 3. / 2, 5. / 4, 3. / 4, NAN},
    [G5_45] = {5, 0, 4. / 5, 1, 1, 1, NAN},
    [G5_1] = {5, 0, 1, 1, 1, 1, NAN},
    [G5_OPT] = {5, 0, 6. / 5, 1. / 4, 1. / 3, 1. / 2, NAN},
};

static const HolExplicitSet classical = {3, 1, 1, 0.5, 1, 1, 0.5};

const HolWord hol_explicit3_words[] = {
    {"o3", O3, NULL}, {"cd", CD, NULL}, {"g3_43", G3_43, NULL}, {"g3_2", G3_2, NULL}, {0}};
const HolWord hol_explicit4_words[] = {{"o4s", O4S, NULL},     {"o4d", O4D, NULL},
                                       {"g4_14", G4_14, NULL}, {"g4_34", G4_34, NULL},
                                       {"g4_54", G4_54, NULL}, {0}};
const HolWord hol_explicit5_words[] = {{"o5a", O5A, NULL},
                                       {"o5b", O5B, NULL},
                                       {"o5c", O5C, NULL},
                                       {"g5_45", G5_45, NULL},
                                       {"g5_1", G5_1, NULL},
                                       {"g5_opt", G5_OPT, NULL},
                                       {0}};
const HolWord hol_explicit_start_words[] = {
    {"auto", HOL_START_STEADY, NULL}, {"s1", HOL_START_TRUE, NULL},   {"s2", HOL_START_TRUE, NULL},
    {"s3", HOL_START_STEADY, NULL},   {"zero", HOL_START_ZERO, NULL}, {0}};
const HolWord hol_explicit_projection_words[] = {{"none", HOL_EXPLICIT_RAW, NULL},
                                                 {"velocity", HOL_EXPLICIT_VELOCITY, NULL},
                                                 {"full", HOL_EXPLICIT_FULL, NULL},
                                                 {0}};

// ---- polynomials: coefficients by rising power ----

enum { DEGREE_MAX = 5 };

// largest |root| by simultaneous iteration (Weierstrass); multiple roots to sqrt(round-off)
static double largest_root(const double *p, int degree) {
    double scale = 0;
    for (int i = 0; i <= degree; i++)
        scale = fmax(scale, fabs(p[i]));
    while (degree > 0 && fabs(p[degree]) <= ROOT_ZERO * scale)
        degree--;
    double complex z[DEGREE_MAX], guess = 1;
    for (int i = 0; i < degree; i++)
        z[i] = guess *= 0.4 + 0.9 * I;
    for (int round = 0; round < ROOT_ROUNDS; round++) {
        double moved = 0;
        for (int i = 0; i < degree; i++) {
            double complex value = p[degree], product = p[degree];
            for (int k = degree - 1; k >= 0; k--)
                value = value * z[i] + p[k];
            for (int k = 0; k < degree; k++)
                product *= k == i ? 1 : z[i] - z[k];
            if (cabs(product) < 1e-300)
                continue;
            z[i] -= value / product;
            moved = fmax(moved, cabs(value / product));
        }
        if (moved < ROOT_MOVE)
            break;
    }
    double largest = 0;
    for (int i = 0; i < degree; i++)
        largest = fmax(largest, cabs(z[i]));
    return largest;
}

static void explicit_parameters_multiply(const double *a, int na, const double *b, int nb,
                                         double *out) {
    for (int i = 0; i <= na + nb; i++)
        out[i] = 0;
    for (int i = 0; i <= na; i++)
        for (int k = 0; k <= nb; k++)
            out[i + k] += a[i] * b[k];
}

// rho without its double root 1 and its root 0; degree - 3 powers
static int parasitic(const HolExplicitSet *c, double *p) {
    const double ga = c->gamma, ze = c->zeta;
    p[0] = 1;
    if (c->degree == 4) {
        p[0] = 1 / ga - 1;
        p[1] = 1;
    } else if (c->degree == 5) {
        p[0] = 1 + (1 - 2 * ze) / ga;
        p[1] = (2 * ze + 1) / ga - 2;
        p[2] = 1;
    }
    return c->degree - 3;
}

static void sigma_of(const HolExplicitSet *c, double *p) {
    const double al = c->alpha, be = c->beta, ga = c->gamma, ze = c->zeta;
    if (c->degree == 3) {
        p[2] = (al + 2 * be) / 2;
        p[1] = -(2 * al + 2 * be - 3) / 2;
        p[0] = (al - 1) / 2;
    } else if (c->degree == 4) {
        p[3] = (al + 3 * be + 3 * ga) / (6 * ga);
        p[2] = -(3 * al + 6 * be - 7) / (6 * ga);
        p[1] = (3 * al + 3 * be - 3 * ga - 2) / (6 * ga);
        p[0] = -(al - 1) / (6 * ga);
    } else {
        p[4] = (al + 4 * be + 6 * ga + 4 * ze) / (12 * ga);
        p[3] = -(4 * al + 12 * be + 6 * ga - 12 * ze - 15) / (12 * ga);
        p[2] = (6 * al + 12 * be - 6 * ga - 12 * ze + 5) / (12 * ga);
        p[1] = -(4 * al + 4 * be - 6 * ga + 4 * ze - 5) / (12 * ga);
        p[0] = (al - 1) / (12 * ga);
    }
}

double hol_explicit_extrapolation(const HolExplicitSet *c) {
    if (c->degree == 3)
        return 5. / 12;
    return c->degree == 4 ? c->gamma - 0.5 + 1. / 3 - (2 * c->gamma - 1) / 12 : 0;
}

// the extrapolated velocity is held at zero: with B = be l + 1-be, C = ga l + 1-ga,
// Z = ze l + 1-ze, K = l + ka (l-1), d = l-1, the accelerations obey nu(E) a = 0,
//   degree 3  nu = l B + d K,   degree 4  nu = l^2 C + d/2 (l B + d K)
//   degree 5  nu = l^2 ((C + Z) d/2 + Z) + d^2/6 (l B + d K)
static double velocity_root(const HolExplicitSet *c) {
    const double ka = hol_explicit_extrapolation(c), be = c->beta, ga = c->gamma, ze = c->zeta;
    const double d[2] = {-1, 1}, dd[3] = {1, -2, 1};
    const double tail[3] = {ka, 1 - be - (1 + 2 * ka), be + 1 + ka}; // l B + d K
    const double half[2] = {(2 - ga - ze) / 2, (ga + ze) / 2};       // (C + Z)/2
    double p[DEGREE_MAX + 1] = {0}, head[3];
    if (c->degree == 3)
        return largest_root(tail, 2);
    if (c->degree == 4) {
        explicit_parameters_multiply(d, 1, tail, 2, p);
        for (int i = 0; i < 4; i++)
            p[i] /= 2;
        p[2] += 1 - ga;
        p[3] += ga;
        return largest_root(p, 3);
    }
    explicit_parameters_multiply(dd, 2, tail, 2, p);
    explicit_parameters_multiply(half, 1, d, 1, head);
    head[0] += 1 - ze;
    head[1] += ze;
    for (int i = 0; i < 5; i++)
        p[i] = p[i] / 6 + (i >= 2 ? head[i - 2] : 0);
    return largest_root(p, 4);
}

static double radius(const double *rho, const double *sigma, int degree, double omega) {
    double p[DEGREE_MAX + 1];
    for (int i = 0; i <= degree; i++)
        p[i] = rho[i] + (i < degree ? omega * omega * sigma[i] : 0);
    return largest_root(p, degree);
}

// first omega h at which a root leaves the unit disc
static double stability_limit(const HolExplicitSet *c) {
    const double ones[4] = {0, 1, -2, 1}, slack = 1 + UNSTABLE, first = FIRST_OMEGA,
                 spacing = OMEGA_SPACING;
    double other[3], rho[DEGREE_MAX + 1], sigma[DEGREE_MAX];
    explicit_parameters_multiply(ones, 3, other, parasitic(c, other), rho);
    sigma_of(c, sigma);
    if (!(radius(rho, sigma, c->degree, first) <= slack))
        return 0;
    double lo = first, hi = first;
    while (hi < MOST_OMEGA) {
        hi = lo + spacing;
        if (!(radius(rho, sigma, c->degree, hi) <= slack))
            break;
        lo = hi;
    }
    while (hi - lo > OMEGA_DIGITS) {
        double mid = (lo + hi) / 2;
        if (radius(rho, sigma, c->degree, mid) <= slack)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

// ---- orders ----

static int equal(double a, double b) {
    return fabs(a - b) < EQUAL;
}

static void find_orders(const HolExplicitSet *c, HolExplicitLimits *limits) {
    const double al = c->alpha, be = c->beta, ga = c->gamma, ze = c->zeta;
    int base = c->degree - 2, q = base, corrected;
    if (c->degree == 3) {
        q += equal(be, 0.5) ? equal(al, 7. / 6) ? 2 : 1 : 0;
        corrected = equal(c->beta_out, be - 1. / 12);
    } else if (c->degree == 4) {
        q += equal(be, ga - 1. / 6) ? equal(al, 1 + ga / 2) ? 2 : 1 : 0;
        corrected = equal(c->beta_out, be - (2 * ga - 1) / 12);
    } else {
        q += equal(be, (3 * ga - ze) / 2) ? equal(al, ga + 0.9) ? 2 : 1 : 0;
        corrected = equal(c->beta_out, be - (ga - ze) / 4 - 1. / 30);
    }
    limits->order_q = q;
    limits->order_v = q == base + 2 && !corrected ? q - 1 : q;
}

HolExplicitLimits hol_explicit_limits(const HolExplicitSet *set) {
    HolExplicitLimits limits;
    double p[3], sigma[DEGREE_MAX];
    limits.parasite = largest_root(p, parasitic(set, p));
    sigma_of(set, sigma);
    limits.sigma = largest_root(sigma, set->degree - 1);
    limits.velocity = velocity_root(set);
    limits.omega = limits.parasite > 1 + UNIT_ROOT ? 0 : stability_limit(set);
    find_orders(set, &limits);
    return limits;
}

// ---- options ----

static int override(double given, double *value) {
    if (isnan(given))
        return 0;
    *value = given;
    return 1;
}

static void explicit_parameters_set(const HolMethodOptions *o, int degree, HolExplicitSet *set) {
    const HolWord *words[] = {hol_explicit3_words, hol_explicit4_words, hol_explicit5_words};
    int index = words[degree - 3]->value;
    hol_word_value(words[degree - 3], o->set, &index);
    *set = sets[index];
    int changed = override(o->alpha, &set->alpha);
    changed |= override(o->beta, &set->beta);
    changed |= override(o->gamma, &set->gamma);
    changed |= override(o->zeta, &set->zeta);
    if (changed)
        set->beta_out = NAN;
    if (!override(o->beta_out, &set->beta_out) && isnan(set->beta_out))
        set->beta_out = set->beta;
}

static HolStatus read_set(const HolSim *s, int degree, HolExplicitSet *set, HolError *err) {
    explicit_parameters_set(&s->o.method, degree, set);
    if (!isfinite(set->alpha) || !isfinite(set->beta) || !isfinite(set->zeta) ||
        !isfinite(set->beta_out) || !isfinite(set->gamma) || !(set->gamma > 0))
        return hol_error_set(err, HOL_ERR_INPUT,
                             "method %s: alpha = %g, beta = %g, gamma = %g, zeta = %g: they must "
                             "be finite, and gamma positive",
                             s->stepper->name, set->alpha, set->beta, set->gamma, set->zeta);
    return HOL_OK;
}

// why a set must not be used here; 0: it may
static int objection(const HolSim *s, const HolExplicitLimits *l, char *why, size_t size) {
    if (l->parasite > 1 + UNIT_ROOT)
        snprintf(why, size, "a parasitic root of size %.6g grows at every step size", l->parasite);
    else if (l->parasite > 1 - UNIT_ROOT)
        snprintf(why, size,
                 "a parasitic root of size 1 is not damped: weakly unstable, and any viscous "
                 "damping makes it grow");
    else if (l->omega < USELESS)
        snprintf(why, size, "stable only up to omega h = %.3g", l->omega);
    else if (s->nh && l->sigma > 1 - UNIT_ROOT)
        snprintf(why, size,
                 "unfit for constraints: a and lambda obey sigma(E) a = 0, which has a root of "
                 "size %.6g",
                 l->sigma);
    else if (s->nn && l->velocity > 1 - UNIT_ROOT)
        snprintf(why, size,
                 "unfit for non-holonomic constraints: the accelerations have a root of size %.6g",
                 l->velocity);
    else
        return 0;
    return 1;
}

static void read_start(HolSim *s, HolExplicit *m) {
    const char *word = s->o.method.start;
    const int steady =
        m->limits.order_q == m->set.degree && !(m->set.degree == 4 && equal(m->set.gamma, 0.5));
    int start = steady ? HOL_START_STEADY : HOL_START_TRUE;
    if (strcmp(word, "auto") != 0)
        hol_word_value(hol_explicit_start_words, word, &start);
    m->start = (HolExplicitStart)start;
    m->differences = !strcmp(word, "s2");
}

static void explicit_parameters_read_projection(HolSim *s, HolExplicit *m) {
    int projection = HOL_EXPLICIT_FIRST;
    hol_word_value(hol_explicit_projection_words, s->o.method.projection, &projection);
    m->projection = (HolExplicitProjection)projection;
}

HolStatus hol_explicit_parameters(HolSim *s, HolExplicit *m, int degree, HolError *err) {
    if (degree == 2)
        m->set = classical;
    else if (read_set(s, degree, &m->set, err) != HOL_OK)
        return HOL_ERR_INPUT;
    m->limits = hol_explicit_limits(&m->set);
    char why[192];
    const HolExplicitSet *c = &m->set;
    if (objection(s, &m->limits, why, sizeof why)) {
        if (!s->o.method.force)
            return hol_error_set(err, HOL_ERR_INPUT,
                                 "method %s with alpha = %g, beta = %g, gamma = %g, zeta = %g is "
                                 "refused: %s; take the default set, or force: true",
                                 s->stepper->name, c->alpha, c->beta, c->gamma, c->zeta, why);
        hol_note(s, "%s: forced although %s", s->stepper->name, why);
    }
    read_start(s, m);
    explicit_parameters_read_projection(s, m);
    hol_note(s, "%s: order %d, stable while omega h < %.5g (no damping)", s->stepper->name,
             m->limits.order_v < m->limits.order_q ? m->limits.order_v : m->limits.order_q,
             m->limits.omega);
    return HOL_OK;
}

void hol_explicit_map(const HolMethodOptions *o, int degree, HolStepMap *out) {
    HolExplicitSet set = classical;
    if (degree > 2)
        explicit_parameters_set(o, degree, &set);
    const HolExplicitLimits limits = hol_explicit_limits(&set);
    *out = (HolStepMap){.kind = degree == 2 ? HOL_MAP_CENTRAL : HOL_MAP_EXPLICIT,
                        .degree = set.degree,
                        .alpha = set.alpha,
                        .beta = set.beta,
                        .gamma = set.gamma,
                        .zeta = set.zeta,
                        .beta_out = set.beta_out,
                        .constrained = limits.sigma,
                        .rolling = limits.velocity,
                        .refused = limits.parasite > 1 - UNIT_ROOT || limits.omega < USELESS};
}
