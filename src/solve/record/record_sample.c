// SPDX-License-Identifier: Apache-2.0
// Functionals over the dense motion of a step. A step is cut into pieces on which every signal is
// close to the polynomial of degree 4 through its values at the Chebyshev points
//
//     x_i = -cos(i pi/4),   p(x) = sum c_k T_k(x),
//     c_k = 2/(4 g_k) sum_i f(x_i) T_k(x_i)/g_i,   g = 2 at the ends of a sum, else 1;
//
// a piece is halved while c_4 is too large for what is asked. Integrals are those of p
// (Clenshaw-Curtis). A maximum of p that exceeds the largest value so far is looked for in the
// signal itself, by golden section with parabolas; the first zero of a condition by bisection, also
// before a maximum that is positive between two negative values.
#include "solve/record/record_internal.h"

#include <float.h>
#include <math.h>

// ---- tuning constants ----
static const double FLAT = 1e-2;       // part of the size that c_4 may be where extremes are sought
static const double INTEGRABLE = 1e-5; // the same for integrals: c_6 is about its 3/2nd power
static const double SAME = 1e-13;      // part of the size by which a larger value is none
enum { GRID = 32, REFINE = 40, BISECT = 60 };

typedef struct SamplePiece {
    double from, to;
    const double *at[HOL_RECORD_NODES]; // signals at the points
} SamplePiece;

static const double sample_points[HOL_RECORD_NODES] = {-1, -0.70710678118654752, 0,
                                                       0.70710678118654752, 1};

static double sample_time(const SamplePiece *p, double x) {
    return x <= -1 ? p->from : x >= 1 ? p->to : p->from + (p->to - p->from) * (1 + x) / 2;
}

// c_0 .. c_4 of the values f
static void sample_fit(const double f[HOL_RECORD_NODES], double c[HOL_RECORD_NODES]) {
    const double r = 0.70710678118654752;
    const double ends = (f[0] + f[4]) / 2, half = (f[4] - f[0]) / 2;
    c[0] = (ends + f[1] + f[2] + f[3]) / 4;
    c[1] = (half + r * (f[3] - f[1])) / 2;
    c[2] = (ends - f[2]) / 2;
    c[3] = (half - r * (f[3] - f[1])) / 2;
    c[4] = (ends - f[1] + f[2] - f[3]) / 4;
}

static double sample_polynomial(const double c[HOL_RECORD_NODES], double x) {
    double b1 = 0, b2 = 0;
    for (int k = HOL_RECORD_NODES - 1; k > 0; k--) {
        const double b = c[k] + 2 * x * b1 - b2;
        b2 = b1;
        b1 = b;
    }
    return c[0] + x * b1 - b2;
}

static int sample_is_extreme(const HolSignal *g) {
    return g->what == HOL_RECORD_MIN || g->what == HOL_RECORD_MAX ||
           (g->what == HOL_RECORD_TIME_WHEN && isnan(g->when));
}

static int sample_is_integral(const HolSignal *g) {
    return g->what == HOL_RECORD_MEAN || g->what == HOL_RECORD_RMS ||
           g->what == HOL_RECORD_INTEGRAL;
}

// what a larger value must exceed to count
static double sample_known(const HolSignal *g) {
    return g->what == HOL_RECORD_TIME_WHEN ? 0 : g->best + SAME * g->size;
}

// is the piece to be halved for the sake of this signal?
static int sample_is_rough(const HolSignal *g, const double f[], const double c[]) {
    double largest = f[0], size = g->size;
    for (int i = 0; i < HOL_RECORD_NODES; i++) {
        largest = fmax(largest, f[i]);
        size = fmax(size, fabs(f[i]));
    }
    if (!isfinite(size))
        return 0;
    if (sample_is_integral(g))
        return fabs(c[4]) > INTEGRABLE * size;
    // (where nothing larger can be, it may be as rough as it likes)
    return sample_is_extreme(g) && fabs(c[4]) > FLAT * size &&
           largest + 4 * (fabs(c[2]) + fabs(c[3]) + fabs(c[4])) > sample_known(g);
}

// ---- extremes ----

typedef struct SampleSearch {
    HolRecorder *r;
    HolSim *s;
    int k;
    double t, value; // of the largest found
} SampleSearch;

// Brent's search for the largest value between a and b, from m on
typedef struct SampleBrent {
    double a, b, x, w, v, fx, fw, fv; // bracket; the best three places
    double d, e;                      // the last two moves
} SampleBrent;

// the next place: by a parabola through the best three, or by golden section
static double sample_next(SampleBrent *z, double tolerance, int *parabola) {
    static const double GOLDEN = 0.3819660112501051;
    const double r = (z->x - z->w) * (z->fx - z->fv), u = (z->x - z->v) * (z->fx - z->fw);
    double p = (z->x - z->v) * u - (z->x - z->w) * r, q = 2 * (u - r);
    p = q > 0 ? -p : p;
    q = fabs(q);
    *parabola = fabs(p) < fabs(q * z->e / 2) && p > q * (z->a - z->x) && p < q * (z->b - z->x);
    z->e = *parabola ? z->d : (z->x < (z->a + z->b) / 2 ? z->b : z->a) - z->x;
    z->d = *parabola ? p / q : GOLDEN * z->e;
    if (fabs(z->d) < tolerance)
        z->d = z->d < 0 ? -tolerance : tolerance;
    return fmin(fmax(z->x + z->d, z->a), z->b);
}

static void sample_learn(SampleBrent *z, double t, double f) {
    if (f >= z->fx) {
        *(t >= z->x ? &z->a : &z->b) = z->x;
        z->v = z->w, z->fv = z->fw;
        z->w = z->x, z->fw = z->fx;
        z->x = t, z->fx = f;
        return;
    }
    *(t < z->x ? &z->a : &z->b) = t;
    if (f >= z->fw || z->w == z->x) {
        z->v = z->w, z->fv = z->fw;
        z->w = t, z->fw = f;
    } else if (f >= z->fv || z->v == z->x || z->v == z->w) {
        z->v = t, z->fv = f;
    }
}

static HolStatus sample_refine(SampleSearch *q, double a, double m, double b, HolError *err) {
    SampleBrent z = {.a = a, .b = b, .x = m, .w = m, .v = m, .d = b - a, .e = b - a};
    const double tolerance = 1e-9 * (b - a) + DBL_EPSILON * fabs(m);
    HolStatus status = hol_recorder_signal(q->r, q->s, q->k, m, &z.fx, err);
    z.fw = z.fv = z.fx;
    for (int i = 0; !status && i < REFINE && z.b - z.a > 4 * tolerance; i++) {
        int parabola;
        double f = 0;
        const double t = sample_next(&z, tolerance, &parabola);
        status = hol_recorder_signal(q->r, q->s, q->k, t, &f, err);
        const int still = parabola && fabs(f - z.fx) <= 4 * DBL_EPSILON * fabs(z.fx);
        sample_learn(&z, t, f);
        if (still) // the top is flatter than numbers are fine
            break;
    }
    q->t = z.x;
    q->value = z.fx;
    return status;
}

// the same polynomial in powers, its slope
static double sample_slope(const double c[], double x) {
    const double a1 = c[1] - 3 * c[3], a2 = 2 * c[2] - 8 * c[4], a3 = 4 * c[3], a4 = 8 * c[4];
    return a1 + x * (2 * a2 + x * (3 * a3 + x * 4 * a4));
}

// where the polynomial is largest if that is inside and not at an end, else NAN; and how large
static double sample_peak(const double c[], double *value) {
    double place = -1;
    *value = sample_polynomial(c, place);
    for (int i = 1; i <= GRID; i++) {
        const double x = -1 + 2.0 * i / GRID, y = sample_polynomial(c, x);
        if (y > *value) {
            *value = y;
            place = x;
        }
    }
    double low = fmax(-1, place - 2.0 / GRID), high = fmin(1, place + 2.0 / GRID);
    if (!(sample_slope(c, low) > 0 && sample_slope(c, high) < 0))
        return NAN;
    for (int i = 0; i < 40; i++) {
        const double middle = (low + high) / 2;
        *(sample_slope(c, middle) > 0 ? &low : &high) = middle;
    }
    *value = sample_polynomial(c, (low + high) / 2);
    return (low + high) / 2;
}

static HolStatus sample_extreme(HolRecorder *r, HolSim *s, int k, const SamplePiece *p,
                                const double f[], const double c[], HolError *err) {
    HolSignal *g = &r->signals[k];
    double value;
    double largest = f[0];
    for (int i = 1; i < HOL_RECORD_NODES; i++)
        largest = fmax(largest, f[i]);
    g->best = fmax(g->best, largest);
    if (g->best > largest + 4 * (fabs(c[2]) + fabs(c[3]) + fabs(c[4])))
        return HOL_OK;
    const double x = sample_peak(c, &value);
    if (isnan(x) || !(value > g->best + SAME * g->size))
        return HOL_OK;
    SampleSearch q = {.r = r, .s = s, .k = k};
    HolStatus status = sample_refine(&q, sample_time(p, x - 4.0 / GRID), sample_time(p, x),
                                     sample_time(p, x + 4.0 / GRID), err);
    if (!status)
        g->best = fmax(g->best, q.value);
    return status;
}

// ---- conditions ----

static int sample_holds(const HolSignal *g, double value) {
    return g->strict ? value > 0 : value >= 0;
}

// it does not hold at a and holds at b
static HolStatus sample_bisect(HolRecorder *r, HolSim *s, int k, double a, double b,
                               HolError *err) {
    HolStatus status = HOL_OK;
    for (int i = 0; !status && i < BISECT; i++) {
        const double m = (a + b) / 2;
        double value = 0;
        if (!(m > a && m < b))
            break;
        status = hol_recorder_signal(r, s, k, m, &value, err);
        if (sample_holds(&r->signals[k], value))
            b = m;
        else
            a = m;
    }
    r->signals[k].when = b;
    return status;
}

static HolStatus sample_condition(HolRecorder *r, HolSim *s, int k, const SamplePiece *p,
                                  const double f[], const double c[], HolError *err) {
    HolSignal *g = &r->signals[k];
    double value;
    const double x = sample_peak(c, &value);
    HolStatus status = HOL_OK;
    for (int i = 0; i + 1 < HOL_RECORD_NODES && !status && isnan(g->when); i++) {
        const double a = sample_time(p, sample_points[i]), b = sample_time(p, sample_points[i + 1]);
        // a maximum between these two points; beside a kink the polynomial misses it by its last terms
        const double near = 2 * (fabs(c[3]) + fabs(c[4]));
        if (!sample_holds(g, f[i + 1]) && !isnan(x) && value + near > 0 && x > sample_points[i] &&
            x <= sample_points[i + 1]) {
            SampleSearch q = {.r = r, .s = s, .k = k};
            const double low = sample_time(p, fmax(-1, x - 0.5)),
                         high = sample_time(p, fmin(1, x + 0.5));
            status = sample_refine(&q, low, sample_time(p, x), high, err);
            if (!status && sample_holds(g, q.value))
                status = sample_bisect(r, s, k, fmin(a, q.t), q.t, err);
        }
        if (!status && isnan(g->when) && sample_holds(g, f[i + 1]))
            status = sample_bisect(r, s, k, a, b, err);
    }
    return status;
}

// ---- pieces ----

static void sample_values(const SamplePiece *p, int k, double f[HOL_RECORD_NODES]) {
    for (int i = 0; i < HOL_RECORD_NODES; i++)
        f[i] = p->at[i][k];
}

static HolStatus sample_take(HolRecorder *r, HolSim *s, const SamplePiece *p, HolError *err) {
    HolStatus status = HOL_OK;
    for (int k = 0; k < r->n_signals && !status; k++) {
        HolSignal *g = &r->signals[k];
        double f[HOL_RECORD_NODES], c[HOL_RECORD_NODES];
        sample_values(p, k, f);
        sample_fit(f, c);
        for (int i = 0; i < HOL_RECORD_NODES; i++)
            g->size = fmax(g->size, fabs(f[i]));
        if (sample_is_integral(g)) // integrals of T_0, T_2, T_4: 2, -2/3, -2/15
            g->integral += (p->to - p->from) * (c[0] - c[2] / 3 - c[4] / 15);
        else if (g->what == HOL_RECORD_TIME_WHEN && isnan(g->when))
            status = sample_condition(r, s, k, p, f, c, err);
        else if (sample_is_extreme(g))
            status = sample_extreme(r, s, k, p, f, c, err);
    }
    return status;
}

static int sample_all_smooth(const HolRecorder *r, const SamplePiece *p) {
    for (int k = 0; k < r->n_signals; k++) {
        double f[HOL_RECORD_NODES], c[HOL_RECORD_NODES];
        sample_values(p, k, f);
        sample_fit(f, c);
        if (sample_is_rough(&r->signals[k], f, c))
            return 0;
    }
    return 1;
}

static HolStatus sample_piece(HolRecorder *r, HolSim *s, double from, double to,
                              const double *first, const double *last, int depth, HolError *err) {
    double *nodes = r->nodes + (size_t)(HOL_RECORD_NODES * depth) * (size_t)r->n_signals;
    SamplePiece p = {.from = from, .to = to, .at = {first, NULL, NULL, NULL, last}};
    HolStatus status = HOL_OK;
    for (int i = 1; i < HOL_RECORD_NODES - 1 && !status; i++) {
        double *values = nodes + (size_t)i * (size_t)r->n_signals;
        p.at[i] = values;
        status = hol_recorder_signals(r, s, sample_time(&p, sample_points[i]), values, err);
    }
    if (status)
        return status;
    const double m = sample_time(&p, 0);
    if (depth == HOL_RECORD_DEPTH || !(m > from && m < to) || sample_all_smooth(r, &p))
        return sample_take(r, s, &p, err);
    status = sample_piece(r, s, from, m, first, p.at[2], depth + 1, err);
    return status ? status : sample_piece(r, s, m, to, p.at[2], last, depth + 1, err);
}

HolStatus hol_recorder_step(HolRecorder *r, HolSim *s, double from, double to, const double *first,
                            const double *last, HolError *err) {
    return sample_piece(r, s, from, to, first, last, 0, err);
}
