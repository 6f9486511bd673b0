// SPDX-License-Identifier: Apache-2.0
// Taylor series of the constrained equations, adaptive step, for smooth motion the fastest method
// (docs/theory/series.md, section 8).
//
// One factorization of [M G^T; G 0] at the start of the step serves all coefficients (series.c):
//   a_k, lambda_k for k = 0 .. P-2 give q_2 .. q_P.
// Step: h = min over j in {P-1, P} of (tol / |q_j|)^(1/j).
// End: Horner for q and v, then the projections of q and v with the factorization that the next
// step needs anyway.
// Dense output: the polynomial itself. Two sets of series alternate, so that the last step stays
// available.
// Check: the series leaves the constraints, and its accelerations the true ones, by about its own
// error; if that is much more than the tolerance the step is rejected and repeated shorter.
// Kinks: a sign change of a switching function ends the step there.
// References: Nedialkov and Pryce on DAETS; Jorba and Zou on Taylor integrators of ODEs.
#include "solve/method/taylor/taylor.h"
#include "solve/auto/auto.h"
#include "solve/chart/chart.h"
#include "solve/constraint/project.h"
#include "solve/event/event.h"
#include "solve/linear/step_map.h"
#include "solve/method/taylor/taylor_stable.h"
#include "solve/method_options.h"
#include "solve/run/error_test.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- tuning constants ----
const double hol_taylor_share = 4; // c of the error test (error_test.c)
enum {
    LOWEST = 6,      // order of a step
    LEAST_ORDER = 8, // automatic orders: from here
    MOST_ORDER = 24, // to here, STABLE_ORDER for the scheme `stable`
    STABLE_ORDER = 10,
    SWEEPS = 3,          // fixed-point sweeps for a step whose limit depends on it
    MOST_PASSES = 8,     // projections of positions at the end of a step
    VELOCITY_PASSES = 3, // the same of velocities
    EVERY = 8,           // stiffness is looked for in each such step,
    STIFF_STEPS = 200    // and noted after so many
};
static const double AIMED = 0.03;              // the order follows this part of the tolerance
static const double FIXED_TOLERANCE = 1e-13;   // in place of a tolerance, with a fixed step
static const double REGULARIZATION = 1e-12;    // of redundant rows: higher orders are not refined
static const double NEAR_SINGULAR = 100;       // growth of pivots next to a singular position,
static const double UNUSUAL = 4;               // and so many times more than usual in this run
static const double MEMORY = 0.95, NEW = 0.05; // weights of the usual growth: old and new value
// Next to a singular position digits are lost in the velocities of bodies that are slow beside the
// others: those are then measured by the fastest, as if they were so many times slower
static const double SLOW = 0.01;
static const double RISE = 1.15;    // growth of a step by which coefficients are judged
static const double FAR = 100;      // defects so far above the last terms are wrong coefficients
static const double SAFE = 30;      // part of a defect that counts as error
static const double OVERLONG = 0.3; // part of a fixed step that the series must allow
static const double STIFF = 0.02;   // steps below this part of the motion's time are stiff
static const double SINGULAR_PART = 0.01;   // of the tolerance there: such errors grow behind it
static const double SINGULAR_LEAST = 5e-13; // error next to a singular position, by root of growth
static const double ROUND_OFF = 1e-13;      // differences of accelerations below say nothing
static const double TREE_PART = 0.5;        // of the tolerance that closing a tree may move bodies
// a step next to a singular position: growth is compared at this part of it before its end
static const double APART = 0.1;
// it is shortened when its end lies so many parts of it before or behind the singular position,
static const double AHEAD = 0.4, BEHIND = 0.12;
// to this distance from it, not below this part
static const double LAND_BEFORE = 0.45, LAND_LEAST = 0.2;
// differences of accelerations are round-off when they are the same with so much shorter steps
static const double NOISE_SHORTER = 0.5, NOISE_SAME = 0.7, NOISE_FALLS = 0.5, NOISE_MOST = 2;
// and not so many times more than coordinates with other last digits make
static const double NOISE_DIGITS = 4, NOISE_FAR = 100;
static const double GROW = 4;           // the next attempt, by the step that the series allows
static const double BEHIND_KINK = 1e-6; // of a step: more than it ends behind one

typedef struct Taylor {
    TaylorTree *tree;  // series of joint coordinates in place of all below; NULL: not used
    int order;         // P: the highest coefficient of q
    int use;           // order taken in the present step: the one that allows the largest
    double usual;      // smoothed pivot growth of the accepted positions
    int last;          // order of the last accepted step, for dense output
    int done;          // coefficients a_0 .. a_{done-1} of the present series are there
    double h;          // step that the series at hand allows
    TaylorTerms terms; // last ones of the order taken
    double *x, *b;     // nv + m + nw: a solution, a right-hand side
    double *s0;        // switching functions at the start of a step
    double *joints;    // open trees: joint coordinates, NULL: none
    long slow;         // steps far shorter than the slow motion would allow
    int swapped;       // the candidate's series was started
    int on_kink;       // the last step led away from a kink
    int ends_on_kink;  // so does the candidate: what laws take as given may change with it
    int stale;         // the series at hand was begun before that
    // a refused attempt: its start, its length, how far accelerations differ over the scales
    // of velocities; round-off of these, over those of positions and velocities
    double refused_t, refused_h, refused_v, noise_q, noise_v;
} Taylor;

static HolStatus read_scheme(const HolSim *s, int *stable, HolError *err) {
    const char *word = s->o.method.scheme;
    const int order = s->o.method.order;
    *stable = !strcmp(word, "stable");
    if (*stable && order && order < HOL_STABLE_LEAST + 2)
        return hol_error_set(err, HOL_ERR_INPUT, "method.order %d: scheme stable takes %d to %d",
                             order, HOL_STABLE_LEAST + 2, HOL_TAYLOR_MAX);
    return *stable
               ? hol_tree_chart_needed(s, "method.scheme stable", "scheme series, or tangent,", err)
               : HOL_OK;
}

static int automatic_order(double aimed, int stable) {
    return stable ? STABLE_ORDER : (int)fmin(MOST_ORDER, fmax(LEAST_ORDER, ceil(7 - log10(aimed))));
}

static HolStatus taylor_create(HolSim *s, HolError *err) {
    const HolProblem *p = s->p;
    int order = s->o.method.order;
    if (!p->extras->series_start || !p->extras->series_memory || !p->extras->series_swap)
        return p->extras->crowd
                   ? hol_error_set(err, HOL_ERR_UNSUPPORTED,
                                   "taylor takes no contact among many bodies, which has no "
                                   "series: '%s'; use rk853",
                                   p->extras->crowd)
                   : hol_error_set(err, HOL_ERR_UNSUPPORTED,
                                   "taylor needs a problem with jets; use tangent for a C problem "
                                   "without them");
    Taylor *w = HOL_NEW(&s->arena, Taylor, 1);
    if (!w)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    s->method = w;
    double tol = s->o.step > 0 ? FIXED_TOLERANCE : s->o.tolerance;
    int stable = 0;
    HolStatus status = read_scheme(s, &stable, err);
    if (status != HOL_OK)
        return status;
    // (below what the step may have: terms of the highest orders are cheap)
    w->order = order ? order : automatic_order(s->o.step > 0 ? tol : AIMED * tol, stable);
    w->use = w->last = w->order;
    if (p->extras->tree_series && !p->extras->n_switches && !p->extras->nonsmooth) {
        w->tree = hol_taylor_tree_create(s, w->order, stable);
        return w->tree ? HOL_OK : hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    }
    w->x = HOL_NEW(&s->arena, double, s->nv + s->m + s->nw + 1);
    w->b = HOL_NEW(&s->arena, double, s->nv + s->m + s->nw + 1);
    w->s0 = HOL_NEW(&s->arena, double, p->extras->n_switches + 1);
    w->joints = p->extras->n_tree > 0 && !hol_sim_large(s)
                    ? HOL_NEW(&s->arena, double, p->extras->n_tree + 1)
                    : NULL;
    size_t bytes = p->extras->series_size(p, w->order);
    void *first = hol_arena_alloc(&s->arena, bytes), *second = hol_arena_alloc(&s->arena, bytes);
    if (s->arena.failed || !hol_project_prepare(s))
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    p->extras->series_memory(p, s->work, first, w->order);
    p->extras->series_swap(p, s->work);
    p->extras->series_memory(p, s->work, second, w->order);
    return HOL_OK;
}

// order 0 of a new series at x: accelerations and multipliers; s->mass is factored there
static HolStatus begin_series(HolSim *s, HolState *x, HolError *err) {
    const HolProblem *p = s->p;
    Taylor *w = s->method;
    p->extras->series_start(p, s->work, x->t, x->q, x->v);
    p->extras->series_rhs(p, s->work, 0, w->b);
    hol_sim_assign(s, s->gamma, w->b + s->nv, s->m);
    hol_sim_defect(s, s->m, NULL, NULL, s->gamma);
    if (s->nw) { // not linear: by Newton, which leaves the bordered matrix factored
        HolStatus status = hol_accelerate(s, x, 1, err);
        if (status != HOL_OK)
            return status;
    } else {
        hol_kkt_solve_apart(s->mass, w->b, w->x, 0);
        hol_sim_assign(s, x->a, w->x, s->nv);
        hol_sim_assign(s, x->lambda, w->x + s->nv, s->m);
    }
    p->extras->series_set(p, s->work, 0, x->a, x->lambda, x->w);
    s->stats.force_evaluations++;
    w->done = 1;
    return isfinite(hol_sim_max_abs(s, x->a, s->nv))
               ? HOL_OK
               : hol_error_set(err, HOL_ERR_SINGULAR, "the accelerations are not finite");
}

static HolStatus taylor_start(HolSim *s, HolError *err) {
    Taylor *w = s->method;
    if (w->tree)
        return hol_taylor_tree_start(s, w->tree, err);
    w->swapped = w->stale = 0;
    w->refused_t = NAN;
    hol_kkt_set_regularization(s->mass, REGULARIZATION);
    HolStatus status = hol_mass_factor(s, s->x.t, s->x.q, err);
    if (status == HOL_OK)
        status = begin_series(s, &s->x, err);
    s->h = s->o.step > 0 ? s->o.step : INFINITY;
    return status;
}

// ln of the step at which a term c h^k is tol
static double log_root(double c, int k, double log_tol) {
    return c > 0 ? (log_tol - log(c)) / k : c == 0 ? INFINITY : -INFINITY;
}

// what the error of a step h may be
static double taylor_allowed(const HolSim *s, double h, const TaylorLimit *tol) {
    return tol->singular ? fmax(tol->step, tol->least) : hol_error_limit(s, h, hol_taylor_share);
}

int hol_taylor_unit(const HolSim *s) {
    enum { MOST = 1000 / HOL_TAYLOR_MAX }; // (powers of the unit are numbers)
    const int unit = ilogb(s->test->span);
    return unit > MOST ? MOST : unit < -MOST ? -MOST : unit;
}

TaylorTerms hol_taylor_terms(const HolSim *s, const double q[4], const double v[4], int P) {
    const int unit = hol_taylor_unit(s);
    const double time = ldexp(1, unit);
    double power = ldexp(1, (P - 4) * unit);
    TaylorTerms c;
    for (int j = 0; j < 4; j++) {
        c.v[j] = (P - 3 + j) * v[j] * power;
        power *= time;
        c.q[j] = q[j] * power;
    }
    return c;
}

// h = exp(x) units for the error tol->step; what is allowed depends on h, which enters by a high
// root
static double with_share(const HolSim *s, double x, int k, const TaylorLimit *tol) {
    const int unit = hol_taylor_unit(s);
    double h = ldexp(exp(x), unit);
    for (int n = 0; n < SWEEPS && s->o.step <= 0 && h > 0 && isfinite(h); n++)
        h = ldexp(exp(x + log(taylor_allowed(s, h, tol) / tol->step) / k), unit);
    return h;
}

// would amplitudes of 1 have terms c3, c2 of orders k-3, k-2?
static int plausible(double c3, double c2, int k, double tol, double h) {
    const double x = h / (RISE * pow(tol, 1.0 / k)), power = pow(x, k - 3);
    return !(c3 * power > 1) && !(c2 * power * x > 1);
}

// (a fixed step is the user's: only its series must converge)
static double velocity_part(const HolSim *s, const TaylorLimit *tol) {
    return s->o.step > 0 ? 0 : tol->singular ? SLOW : 1;
}

double hol_taylor_allowed_one(const HolSim *s, double q, double v, int k, const TaylorLimit *tol) {
    const double log_tol = log(tol->step), part = velocity_part(s, tol);
    const int unit = hol_taylor_unit(s);
    const double by_q = log_root(ldexp(q, k * unit), k, log_tol),
                 by_v = log_root(ldexp(part * v, (k - 1) * unit), k - 1, log_tol);
    return with_share(s, fmin(by_q, by_v), k, tol);
}

double hol_taylor_allowed(const HolSim *s, const TaylorTerms *c, int P, const TaylorLimit *tol) {
    const double log_tol = log(tol->step), part = velocity_part(s, tol);
    const int unit = hol_taylor_unit(s);
    double x = INFINITY, h = 0;
    for (int j = 3; j >= 0; j--) {
        const int k = P - 3 + j;
        x = fmin(x, fmin(log_root(c->q[j], k, log_tol), log_root(part * c->v[j], k - 1, log_tol)));
        if (j == 3)
            continue;
        h = with_share(s, x, k, tol);
        const double way = ldexp(h, -unit);
        if (plausible(c->q[0], c->q[1], P, tol->step, way) &&
            plausible(part * c->v[0], part * c->v[1], P - 1, tol->step, way))
            break;
    }
    return h;
}

double hol_taylor_judge(const HolSim *s, double q, double v, double h, int P,
                        const TaylorTerms *c) {
    const double e = q * h * h / (P * (P - 1)), ev = v * h / (P - 1), most = fmax(e, ev) / SAFE;
    const double way = ldexp(h, -hol_taylor_unit(s));
    double last = 0, last_v = 0, power = pow(way, P - 3);
    for (int j = 0; c && j < 4; j++, power *= way) {
        last = fmax(last, c->q[j] * power);
        last_v = fmax(last_v, c->v[j] * power / way);
    }
    return !c || (e <= FAR * last && ev <= FAR * last_v) ? most : fmax(most, 0.5 * v * h);
}

// of order P and the three before it in the series at hand
static TaylorTerms terms_of(HolSim *s, int P) {
    double q[4], v[4];
    s->p->extras->series_sizes(s->p, s->work, &s->test->body, P - 3, 4, q, v);
    return hol_taylor_terms(s, q, v, P);
}

HolStatus hol_taylor_limit(const HolSim *s, int order, double allowed, double *h, HolError *err) {
    const int fixed = s->o.step > 0;
    if (!fixed && allowed < *h)
        *h = allowed;
    if (!(*h > 0))
        return hol_error_set(err, HOL_ERR_CONVERGE, "the Taylor series does not converge");
    if (fixed && s->o.method.order == 0 && allowed < OVERLONG * *h)
        return hol_error_set(
            err, HOL_ERR_CONVERGE,
            "the Taylor series of order %d does not converge over the step (it allows %.3g)", order,
            allowed);
    return HOL_OK;
}

void hol_taylor_watch(HolSim *s, double c2, double c4, double h, int count, long *slow) {
    const double motion = c4 > 0 && s->o.step <= 0 ? sqrt(c2 / c4) : 0; // (fixed: the user's)
    *slow = h < STIFF * motion ? *slow + count : 0;
    if (*slow == STIFF_STEPS && s->choice && s->choice->memory[HOL_AUTO_STIFF])
        s->choice->held = 1;
    else if (*slow == STIFF_STEPS)
        hol_note(s, "taylor: the step is held by stability, not accuracy: the model is stiff; "
                    "tangent (hermite or obreshkov3) takes larger steps");
}

static double growth_here(const HolSim *s) {
    return hol_kkt_stats(s->mass).last_growth;
}

static int near_singular(const HolSim *s) {
    const Taylor *w = s->method;
    double growth = growth_here(s);
    return growth > NEAR_SINGULAR && growth > UNUSUAL * w->usual;
}

// near a singular position nothing below the round-off it amplifies can be asked for
static double least_here(const HolSim *s) {
    return near_singular(s) ? SINGULAR_LEAST * sqrt(growth_here(s)) * s->test->grain : 0;
}

static void taylor_watch_stiffness(HolSim *s, double h) {
    Taylor *w = s->method;
    double q[3], v[3];
    if (s->stats.steps % EVERY)
        return;
    s->p->extras->series_sizes(s->p, s->work, &s->test->body, 1, 3, q, v);
    hol_taylor_watch(s, q[0], q[2], h, EVERY, &w->slow);
}

// The order that allows the largest step. In smooth motion that is the highest; near singular
// positions high coefficients lose their digits and a lower order goes further.
static void taylor_choose_order(HolSim *s, TaylorLimit *tol) {
    Taylor *w = s->method;
    const int P = w->order, low = P - 4 > LOWEST ? P - 4 : LOWEST;
    double q[5], v[5];
    s->p->extras->series_sizes(s->p, s->work, &s->test->body, P - 4, 5, q, v);
    w->terms = hol_taylor_terms(s, q + 1, v + 1, P);
    // coefficients of the motion allow longer steps with every order, those of round-off (small at
    // first, with a small radius of convergence) do not
    const double log_tol = log(fmax(tol->step, 1e-10));
    tol->singular = near_singular(s) && log_root(ldexp(q[0], (P - 4) * hol_taylor_unit(s)), P - 4,
                                                 log_tol) > log_root(w->terms.q[3], P, log_tol);
    w->h = hol_taylor_allowed(s, &w->terms, P, tol);
    w->use = P;
    if (low == P - 4 && hol_taylor_allowed_one(s, q[0], low * v[0], low, tol) <= w->h)
        return; // the usual case: no need to look further
    for (int j = LOWEST; j < P; j++) {
        const TaylorTerms c = terms_of(s, j);
        const double h = hol_taylor_allowed(s, &c, j, tol);
        if (h > w->h) {
            w->h = h;
            w->use = j;
            w->terms = c;
        }
    }
}

// complete the series, choose its order
static void taylor_complete_series(HolSim *s, TaylorLimit *tol) {
    const HolProblem *p = s->p;
    Taylor *w = s->method;
    int nv = s->nv, P = w->order;
    // the motion needs no minimum-norm multipliers, and what the regularization of redundant rows
    // changes in higher coefficients, about 1e-11 of them, is below the tolerance; so is what they
    // lose by cancellation, unless a singular position is near
    // (where friction holds, accelerations are what is left of forces that balance)
    const int rough = tol->step < 1e-12 || hol_events_stick(s) ? 0
                      : tol->step < 1e-8 || near_singular(s)   ? 1
                                                               : 2;
    for (; w->done < P - 1; w->done++) {
        p->extras->series_rhs(p, s->work, w->done, w->b);
        if (s->redundant && s->nw) { // (the motion may depend on reactions)
            memcpy(w->x, w->b, sizeof *w->b * (size_t)(s->nv + s->m + s->nw));
            hol_kkt_solve(s->mass, w->x);
        } else {
            hol_kkt_solve_apart(s->mass, w->b, w->x, rough);
        }
        p->extras->series_set(p, s->work, w->done, w->x, w->x + nv, w->x + nv + s->m);
        s->stats.newton_iterations++;
    }
    taylor_choose_order(s, tol);
}

// ---- kinks ----

static void switches_at(HolSim *s, double h, double *values) {
    const HolProblem *p = s->p;
    HolState *x = &s->mid;
    Taylor *w = s->method;
    if (h > 0)
        p->extras->series_eval(p, s->work, w->use - 2, h, x->q, x->v, NULL, NULL, x->w);
    else // (what the series began with, to the last bit)
        x = &s->x;
    p->extras->switches(p, s->work, s->x.t + h, x->q, x->v, x->w, values);
}

static void on_series(HolSim *s, const void *curve, double theta, double *values) {
    switches_at(s, theta * *(const double *)curve, values);
}

// shorten h to the first kink: the step ends just behind it
static double until_kink(HolSim *s, double h) {
    Taylor *w = s->method;
    int n = s->p->extras->n_switches;
    double tiny = 4 * DBL_EPSILON * fmax(fabs(s->x.t), fabs(h)) + 1e-14 * h;
    if (!n)
        return h;
    // exactly on a kink the series belongs to one side only: leave it by a step too short to
    // matter, unless that is where the motion stays
    switches_at(s, 0, w->s0);
    int on = 0;
    for (int i = 0; i < n; i++)
        on |= w->s0[i] == 0;
    if (on && !w->on_kink) {
        w->on_kink = 1;
        return fmin(h, 1e-13 * h + tiny);
    }
    w->on_kink = on;
    return h * hol_until_kink(s, 1, tiny / h, 0, on_series, &h);
}

// ---- end of the step ----

// zero where a projection has nothing to meet
static void clear_right_side(const HolSim *s, Taylor *w) {
    memset(w->b, 0, sizeof(double) * (size_t)(s->nv + s->m + s->nw));
}

// An open tree closes by its joint coordinates, at no cost, where that moves no body by more than a
// part of the tolerance: along a long tree joints add up, which projections do not let happen.
// Returns how far q was off, 0: it is left as it was
static double close_tree(HolSim *s, HolState *x) {
    const HolProblem *p = s->p;
    Taylor *w = s->method;
    hol_sim_assign(s, s->mid.q, x->q, s->nq);
    p->extras->tree_coordinates(p, s->work, x->t, x->q, w->joints);
    p->extras->tree_motion(p, s->work, w->joints, NULL, x->q, NULL, NULL, NULL);
    p->minus(p, s->work, x->q, s->mid.q, s->r1);
    const double way = hol_norm_q(s, s->r1);
    if (s->o.step > 0 || way <= TREE_PART * hol_error_limit(s, x->t - s->x.t, hol_taylor_share))
        return way;
    hol_sim_assign(s, x->q, s->mid.q, s->nq);
    return 0;
}

// q and v onto the constraints; leaves s->mass factored at the result. left: how far the series was
// off
static HolStatus close_step(HolSim *s, HolStepResult *result, double *left, HolError *err) {
    const HolProblem *p = s->p;
    Taylor *w = s->method;
    HolState *x = &s->next;
    int nv = s->nv;
    if (s->nonholonomic || !s->nh) {
        HolStatus status = hol_project_position(s, x->t, x->q, 1, err);
        *left = 0;
        return status;
    }
    *left = w->joints ? close_tree(s, x) : 0;
    HolStatus status = hol_mass_factor(s, x->t, x->q, err);
    const double scale = s->test->grain;
    double moved = 0, size = 0;
    clear_right_side(s, w);
    for (int pass = 0; status == HOL_OK && pass < MOST_PASSES; pass++) {
        p->constraint(p, s->work, HOL_AT(x), w->b + nv);
        const double g = hol_norm_rows(s, w->b + nv, s->nh);
        if (pass == 0)
            *left = fmax(*left, g);
        result->residual[0] = hol_sim_max_abs(s, w->b + nv, s->nh);
        if (g <= 2 * DBL_EPSILON * scale || (pass > 1 && size < 4 * DBL_EPSILON * scale))
            break;
        if (!isfinite(g) || pass == MOST_PASSES - 1)
            return hol_error_set(err, HOL_ERR_CONVERGE,
                                 "the positions do not come back onto the constraints");
        hol_sim_defect(s, s->nh, NULL, NULL, w->b + nv);
        hol_kkt_solve_apart(s->mass, w->b, w->x, 1); // Newton corrects itself
        p->retract(p, s->work, x->q, w->x, x->q);
        size = hol_norm_near(s, w->x);
        moved += size;
    }
    if (status == HOL_OK && moved > 1e-14 * scale)
        status = hol_mass_factor(s, x->t, x->q, err);
    return status;
}

// v onto G v + gt = 0 with the factorization at hand; the residual it leaves
static void close_velocity(HolSim *s, HolStepResult *result) {
    const HolProblem *p = s->p;
    Taylor *w = s->method;
    HolState *x = &s->next;
    int nv = s->nv, m = s->m;
    clear_right_side(s, w);
    p->velocity_rhs(p, s->work, HOL_AT(x), s->gamma);
    for (int pass = 0; pass < VELOCITY_PASSES; pass++) {
        hol_sim_assign(s, w->b + nv, s->gamma, m);
        hol_sim_defect(s, m, hol_kkt_G(s->mass), x->v, w->b + nv);
        result->residual[1] = hol_sim_max_abs(s, w->b + nv, m);
        if (hol_norm_rows(s, w->b + nv, m) <= 4 * DBL_EPSILON * hol_norm_near(s, x->v))
            return;
        hol_kkt_solve_apart(s->mass, w->b, w->x, 1); // the next pass corrects it
        hol_sim_add(s, nv, x->v, 1, w->x, x->v);
    }
}

// G a + gamma, with gamma from the constraint part of the order-0 right-hand side
static void measure_acceleration(HolSim *s, HolStepResult *result) {
    hol_sim_assign(s, s->g, s->gamma, s->m);
    hol_sim_mul_G(s, hol_kkt_G(s->mass), s->next.a, 1, s->g);
    result->residual[2] = hol_sim_max_abs(s, s->g, s->m);
    if (s->nonholonomic || !s->nh)
        hol_residuals(s, &s->next, &result->residual[0], &result->residual[1], NULL, NULL);
    result->has_residuals = 1;
}

// the state at the end of a step of size h, on the constraints; s->mass is factored there
static HolStatus end_at(HolSim *s, double h, HolStepResult *result, double *left, HolError *err) {
    const HolProblem *p = s->p;
    Taylor *w = s->method;
    s->next.t = s->x.t + h;
    p->extras->series_eval(p, s->work, w->use - 2, h, s->next.q, s->next.v, s->mid.a, NULL,
                           s->next.w);
    return close_step(s, result, left, err);
}

// A step must not end shortly before a singular position, nor at it: the next series would lose its
// digits and creep towards it. Pivots grow like 1/distance^2, so two of them show where it lies;
// when the next step could not cross it from here, this one ends half a step before it.
static HolStatus land(HolSim *s, double *h, int fixed, HolStepResult *result, double *left,
                      HolError *err) {
    HolStatus status = end_at(s, *h, result, left, err);
    if (status != HOL_OK || fixed || !near_singular(s))
        return status;
    double apart = APART * *h, at_end = growth_here(s), singular;
    status = end_at(s, *h - apart, result, left, err);
    if (status != HOL_OK)
        return status;
    double before = growth_here(s), ratio = sqrt(at_end / before);
    if (ratio > 1) // ahead
        singular = *h + apart / (ratio - 1);
    else // behind, or between the two
        singular = *h - apart - (ratio < 1 ? apart / (1 / ratio - 1) : *h);
    double beyond = *h - singular;
    if (beyond < -AHEAD * *h || beyond > BEHIND * *h)
        return end_at(s, *h, result, left, err);
    double shorter = singular - LAND_BEFORE * *h;
    *h = shorter > LAND_LEAST * *h ? shorter : LAND_LEAST * *h;
    return end_at(s, *h, result, left, err);
}

// Do the accelerations at the end of the refused step differ by about v (over scales of velocities)
// when its coordinates change in their last digits? A law that turns within the step, unseen by the
// series (tanh(v/1e-3)), also leaves a difference that no shorter step makes smaller: that is none.
static int is_round_off(HolSim *s, double v) {
    HolState *x = &s->mid;
    x->t = s->next.t;
    for (int i = 0; i < s->nq; i++)
        x->q[i] = s->next.q[i] * (1 + (i % 2 ? 1 : -1) * NOISE_DIGITS * DBL_EPSILON);
    for (int i = 0; i < s->nv; i++)
        x->v[i] = s->next.v[i] * (1 + (i % 3 ? 1 : -1) * NOISE_DIGITS * DBL_EPSILON);
    hol_sim_assign(s, x->lambda, s->next.lambda, s->m);
    hol_sim_assign(s, x->w, s->next.w, s->nw);
    HolError err;
    if (hol_accelerate(s, x, 0, &err) != HOL_OK)
        return 0;
    hol_sim_add(s, s->nv, x->a, -1, s->next.a, s->r1);
    return v < NOISE_FAR * hol_norm_v(s, s->r1);
}

// Round-off of stiff forces: the accelerations differ by as much however short the step is, where
// those of a wrong series differ by less and less. Seen in attempts from one state
static void look_for_noise(HolSim *s, Taylor *w, double h, double q, double v) {
    if (w->refused_t == s->x.t && h < NOISE_SHORTER * w->refused_h &&
        v > NOISE_SAME * w->refused_v) {
        if (!is_round_off(s, v))
            return;
        w->noise_q = fmax(w->noise_q, q);
        w->noise_v = fmax(w->noise_v, v);
    } else if (w->refused_t != s->x.t || v < NOISE_FALLS * w->refused_v) {
        w->refused_t = s->x.t;
        w->refused_h = h;
        w->refused_v = v;
    }
}

// The series' accelerations at the end of the step (in s->mid) against the true ones; `left`: how
// far it left the constraints. Over what the step may have
static double defect(HolSim *s, double h, double left, const TaylorLimit *tol) {
    Taylor *w = s->method;
    hol_error_test_candidate(s, &s->next);
    hol_sim_add(s, s->nv, s->mid.a, -1, s->next.a, s->r1);
    const int singular = tol->singular || near_singular(s); // where it starts, or where it ends
    const double by_q = hol_norm_q(s, s->r1), by_v = hol_norm_v(s, s->r1),
                 q = fmax(0, by_q - NOISE_MOST * w->noise_q),
                 v = fmax(0, by_v - NOISE_MOST * w->noise_v);
    const double e =
        hol_taylor_judge(s, q, (singular ? SLOW : 1) * v, h, w->use, singular ? NULL : &w->terms);
    const double off = fmax(left / 1000, e), limit = fmax(taylor_allowed(s, h, tol), least_here(s));
    const double part = off > ROUND_OFF ? off / (singular ? fmax(limit, tol->step) : limit) : 0;
    if (!singular && !(part <= 1))
        look_for_noise(s, w, h, by_q, by_v);
    return part;
}

static HolStatus taylor_step(HolSim *s, double h, HolStepResult *result, HolError *err) {
    const HolProblem *p = s->p;
    Taylor *w = s->method;
    int fixed = s->o.step > 0;
    double left = 0;
    if (w->tree)
        return hol_taylor_tree_step(s, w->tree, h, result, err);
    if (w->swapped) { // the last candidate was rejected: back to the series of s->x
        p->extras->series_swap(p, s->work);
        w->swapped = 0;
        HolStatus status = hol_mass_factor(s, s->x.t, s->x.q, err);
        if (status != HOL_OK)
            return status;
        w->done = w->order - 1;
    } else if (w->stale) { // (the damping of a contact follows from the speed of touch)
        HolStatus status = begin_series(s, &s->x, err);
        if (status != HOL_OK)
            return status;
    }
    w->stale = 0;
    TaylorLimit tol = {.step = fixed ? FIXED_TOLERANCE
                                     : (near_singular(s) ? SINGULAR_PART : 1) * s->o.tolerance,
                       .least = least_here(s)};
    taylor_complete_series(s, &tol);
    if (fixed)
        w->use = w->order;
    HolStatus status = hol_taylor_limit(s, w->order, w->h, &h, err);
    if (status != HOL_OK)
        return status;
    double smooth = h;
    h = until_kink(s, h);
    int kink = h < smooth;
    taylor_watch_stiffness(s, h);
    status = land(s, &h, fixed, result, &left, err);
    if (p->extras->series_work) {
        result->work = p->extras->series_work(p, s->work, w->use - 2, h);
        result->has_work = 1;
    }
    if (status == HOL_OK && s->m && !(kink && hol_rates_jump_next(s, BEHIND_KINK * h)))
        close_velocity(s, result);
    p->extras->series_swap(p, s->work);
    w->swapped = 1;
    if (status != HOL_OK)
        return status;
    status = begin_series(s, &s->next, err);
    if (status != HOL_OK)
        return status;
    measure_acceleration(s, result);
    result->h_used = h;
    result->kink = w->ends_on_kink = kink;
    result->h_next = GROW * w->h;
    result->exponent = 1.0 / w->use;
    const double off = fixed || kink ? 0 : defect(s, h, left, &tol);
    if (!(off <= 1)) // digits lost, or no series: shorter
        result->error = off;
    return HOL_OK;
}

static void taylor_accepted(HolSim *s) {
    Taylor *w = s->method;
    if (w->tree) {
        hol_taylor_tree_accepted(s, w->tree);
        return;
    }
    double growth = growth_here(s);
    w->swapped = 0;
    w->stale = w->ends_on_kink;
    w->last = w->use;
    w->noise_q *= MEMORY;
    w->noise_v *= MEMORY;
    if (growth > 0)
        w->usual = w->usual > 0 ? pow(w->usual, MEMORY) * pow(growth, NEW) : growth;
}

static void taylor_dense(HolSim *s, double theta, HolState *out) {
    const HolProblem *p = s->p;
    Taylor *w = s->method;
    if (w->tree) {
        hol_taylor_tree_dense(s, w->tree, theta, out);
        return;
    }
    p->extras->series_swap(p, s->work);
    p->extras->series_eval(p, s->work, w->last - 2, theta * (s->x.t - s->prev.t), out->q, out->v,
                           out->a, out->lambda, out->w);
    p->extras->series_swap(p, s->work);
}

// of the candidate: its series stands behind the one of its end (there are no events with `tree`)
static void taylor_inside(HolSim *s, double theta, HolState *out) {
    const HolProblem *p = s->p;
    Taylor *w = s->method;
    const double h = s->next.t - s->x.t;
    p->extras->series_swap(p, s->work);
    p->extras->series_eval(p, s->work, w->use - 2, theta * h, out->q, out->v, out->a, out->lambda,
                           out->w);
    p->extras->series_swap(p, s->work);
}

static double taylor_work(HolSim *s, double theta) {
    const HolProblem *p = s->p;
    Taylor *w = s->method;
    const double h = theta * (s->x.t - s->prev.t);
    if (w->tree)
        return hol_taylor_tree_work(s, w->tree, h);
    if (!p->extras->series_work)
        return NAN;
    p->extras->series_swap(p, s->work);
    const double work = p->extras->series_work(p, s->work, w->last - 2, h);
    p->extras->series_swap(p, s->work);
    return work;
}

static void taylor_turns(HolSim *s, const HolState *end) {
    const Taylor *w = s->method;
    if (w->tree)
        hol_taylor_tree_turns(s, w->tree, end);
}

static void taylor_keep(HolSim *s, HolKeeper *k) {
    Taylor *w = s->method;
    if (w->tree) {
        hol_taylor_tree_keep(s, w->tree, k);
        return;
    }
    HOL_KEEP(k, w->use); // (the series are kept by the model)
    HOL_KEEP(k, w->usual);
    HOL_KEEP(k, w->last);
    HOL_KEEP(k, w->done);
    HOL_KEEP(k, w->h);
    HOL_KEEP(k, w->terms);
    HOL_KEEP_ARRAY(k, w->s0, s->p->extras->n_switches);
    HOL_KEEP_ARRAY(k, w->joints, s->p->extras->n_tree);
    HOL_KEEP(k, w->slow);
    HOL_KEEP(k, w->swapped);
    HOL_KEEP(k, w->on_kink);
    HOL_KEEP(k, w->stale);
    HOL_KEEP(k, w->noise_q);
    HOL_KEEP(k, w->noise_v);
}

static void taylor_map(const HolMethodOptions *o, HolStepMap *out) {
    const int stable = !strcmp(o->scheme, "stable");
    const int order = o->order ? o->order : automatic_order(FIXED_TOLERANCE, stable);
    out->kind = stable ? HOL_MAP_RATIONAL : HOL_MAP_SERIES;
    out->order = order;
    if (!stable)
        return;
    const HolStableSum sum = hol_stable_sum(order - 2);
    double factorial = 1;
    out->n_num = sum.degree + 1;
    for (int k = 0; k < out->n_num; k++) {
        out->num[k] = sum.w[k] / factorial;
        factorial *= k + 1;
    }
}

static const HolWord scheme_words[] = {{"series", 0, NULL}, {"stable", 0, NULL}, {0}};

static const HolField taylor_options[] = {
    {HOL_OPTION_INTEGER(order), .words = hol_order_words, .range = HOL_RANGE_ZERO_OR,
     .low = HOL_TAYLOR_MIN, .high = HOL_TAYLOR_MAX, .takes = "6 to 30, or 0 (automatic)",
     .fallback = "auto", .help = "highest order of the series"},
    {HOL_OPTION_WORD(scheme), .words = scheme_words, .fallback = "series",
     .help = "how coefficients are summed"},
    {0},
};

const HolStepper hol_stepper_taylor = {
    .name = "taylor",
    .keep = taylor_keep,
    .help =
        "Taylor series of the constrained equations, adaptive step: the fastest for smooth motion",
    .options = taylor_options,
    .create = taylor_create,
    .start = taylor_start,
    .step = taylor_step,
    .accepted = taylor_accepted,
    .dense = taylor_dense,
    .inside = taylor_inside,
    .inside_reactions = 1,
    .turns = taylor_turns,
    .work = taylor_work,
    .adaptive = 1,
    .closes = 1,
    .unlimited = 1,
    .quadrature = 5,
    .map = taylor_map,
};
