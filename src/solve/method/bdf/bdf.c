// SPDX-License-Identifier: Apache-2.0
// Method bdf: backward differentiation formulas of order 1 to 5 with error control (SUNDIALS IDA)
// on the stabilized index-2 equations (ggl, ggl-star) or on those reduced by a coordinate split
// (cs, cm, cmp, cmf); see bdf_equations.c.
//
// The integrator keeps its own pace: a step of the driver is one of its steps, or the part of one
// up to the time the driver asked for, the rest of which the next step takes up. It never passes a
// stop time or the end of the run. What is reported is the integrator's polynomial, projected onto
// the constraints, with accelerations and multipliers from the acceleration equations; the
// integrator's own history stays as it is. After a failure it starts again at order 1 from the last
// reported state. It fails at some singular positions: another method leads
// over them (bdf_cross.c).
// The library allocates memory inside its steps; so do changes of the coordinate split.
#include "solve/method/bdf/bdf.h"
#include "solve/constraint/project.h"
#include "solve/event/event.h"
#include "solve/method_options.h"
#include "solve/run/run.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const HolWord formulation_words[] = {{"ggl", HOL_BDF_GGL, NULL},
                                            {"ggl-star", HOL_BDF_GGL_STAR, NULL},
                                            {"cs", HOL_BDF_CS, NULL},
                                            {"cm", HOL_BDF_CM, NULL},
                                            {"cmp", HOL_BDF_CMP, NULL},
                                            {"cmf", HOL_BDF_CMF, NULL},
                                            {0}};

// the integrator is stuck when its step falls below this part of its largest one
static const double STUCK = 0.01;

#ifdef HOL_HAVE_SUNDIALS

// ---- create ----

static HolStatus bdf_read_options(HolSim *s, HolBdf *b, HolError *err) {
    const HolMethodOptions *o = &s->o.method;
    // (forces from reactions, as friction, need multipliers among the unknowns)
    b->formulation = s->nw ? HOL_BDF_GGL_STAR : HOL_BDF_CS;
    hol_word_value(formulation_words, o->formulation, &b->formulation);
    b->multipliers = b->formulation <= HOL_BDF_GGL_STAR;
    b->curvature = b->formulation <= HOL_BDF_CS;
    const int position = !strcmp(o->control, "position");
    b->published = position || !strcmp(o->control, "local");
    b->velocity_test = !position && s->o.error.velocities;
    if (s->o.step > 0)
        return hol_error_set(err, HOL_ERR_INPUT,
                             "bdf chooses its steps itself: give a tolerance, not a fixed step "
                             "(max_step limits it)");
    if (s->nw && !b->multipliers)
        return hol_error_set(err, HOL_ERR_UNSUPPORTED,
                             "bdf with formulation %s has no multipliers among its unknowns and "
                             "takes no algebraic variables; use ggl-star",
                             formulation_words[b->formulation].name);
    return HOL_OK;
}

static HolStatus bdf_create(HolSim *s, HolError *err) {
    HolBdf *b = HOL_NEW(&s->arena, HolBdf, 1);
    if (!b)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    s->method = b;
    b->s = s;
    b->nq = s->nq;
    b->nv = s->nv;
    b->nw = s->nw;
    HolStatus status = bdf_read_options(s, b, err);
    if (status == HOL_OK)
        status = hol_bdf_kinematics(b, err);
    return status;
}

static void bdf_destroy(HolSim *s) {
    hol_bdf_ida_destroy(s->method);
}

// ---- start ----

static HolStatus bdf_start(HolSim *s, HolError *err) {
    HolBdf *b = s->method;
    HolStatus status = HOL_OK;
    if (hol_event_dependent(s))
        return hol_error_set(err, HOL_ERR_UNSUPPORTED,
                             "time %.9g: more contacts are closed than determine where the bodies "
                             "are (a box on four corners), which bdf does not take; use taylor, "
                             "tangent or rk853",
                             s->x.t);
    // which rows are redundant is known only now
    if (s->redundant && s->nw && hol_accelerate(s, &s->x, 0, NULL) == HOL_OK &&
        hol_loads_not_unique(s, &s->x))
        return hol_error_set(
            err, HOL_ERR_UNSUPPORTED,
            "bdf leaves redundant constraint rows out, and friction or variables depend "
            "on their reactions; use auto or another method, or joints without "
            "redundant rows ('holonom check' names them)");
    if (!b->ida) {
        const int order = s->o.method.order ? s->o.method.order : 5;
        status = hol_bdf_prepare(b, err);
        if (status == HOL_OK && !hol_bdf_cross_create(b))
            status = hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
        if (status == HOL_OK)
            status = hol_bdf_pattern(b, err);
        if (status == HOL_OK)
            status = hol_bdf_ida_create(b, order, err);
    }
    if (status == HOL_OK)
        status = hol_bdf_first_split(b, err);
    if (status == HOL_OK)
        status = hol_bdf_ida_start(b, s->o.initial_step, err);
    b->broken = b->crossing = 0;
    s->h = INFINITY; // the integrator decides
    return status;
}

// ---- step ----

// the state at t inside the integrator's last step, onto the constraints
static HolStatus bdf_take_state(HolSim *s, double t, HolState *x, HolError *err) {
    HolBdf *b = s->method;
    const double *y = hol_bdf_ida_state(b, t);
    const long forces = s->stats.force_evaluations;
    if (!y)
        return hol_error_set(err, HOL_ERR_CONVERGE, "time %.17g is outside the last step", t);
    x->t = t;
    hol_bdf_position(b, y, x->q);
    memcpy(x->v, y + b->nq, sizeof(double) * (size_t)b->nv);
    if (b->nw)
        memcpy(x->w, y + b->n_wide - b->nw, sizeof(double) * (size_t)b->nw);
    HolStatus status = hol_project_position(s, t, x->q, 1, err);
    if (status == HOL_OK)
        status = hol_project_velocity(s, t, x->q, x->v, err);
    if (status == HOL_OK)
        status = hol_accelerate(s, x, 1, err);
    // the count is that of the method: residuals, one force each
    s->stats.force_evaluations = forces;
    return status;
}

// the integrator must not look beyond stop times, nor beyond the end of the run on the way there
static double limit_of(const HolSim *s, double target) {
    const double stop = hol_next_stop(s);
    double limit = INFINITY;
    if (stop < INFINITY)
        limit = stop - 4 * DBL_EPSILON * fmax(fabs(stop), stop - s->x.t);
    if (target <= s->o.end * (1 + 4 * DBL_EPSILON) && s->o.end < limit)
        limit = s->o.end;
    return fmin(limit, hol_pulse_limit(s));
}

// at a singular position a step of another method, behind which the integrator starts again;
// 0: none
static int lead_across(HolSim *s, double target, HolStepResult *result) {
    HolBdf *b = s->method;
    const double h =
        hol_stands_singular(s) ? hol_bdf_cross(b, fmin(limit_of(s, target), target) - s->x.t) : 0;
    if (!(h > 0))
        return 0;
    result->h_used = h;
    result->h_next = INFINITY;
    b->crossing = b->broken = 1;
    b->done = 1;
    hol_note(s, "singular positions were passed by Runge-Kutta steps");
    return 1;
}

// the integrator's steps shrink where they should not: the closer it comes to a singular position,
// the fewer digits of the accelerations are left
static int is_stuck(const HolBdf *b) {
    return !b->broken && b->t <= b->s->x.t && b->h_last < STUCK * b->h_since;
}

static HolStatus bdf_step(HolSim *s, double h, HolStepResult *result, HolError *err) {
    HolBdf *b = s->method;
    const double target = s->x.t + h;
    const double slack = 16 * DBL_EPSILON * fmax(fabs(target), fabs(s->x.t));
    HolStatus status = HOL_OK;
    if (is_stuck(b) && lead_across(s, target, result))
        return HOL_OK;
    b->done = 0;
    if (b->broken) {
        status = hol_bdf_first_split(b, err);
        if (status == HOL_OK)
            status = hol_bdf_ida_start(b, b->crossing ? s->o.initial_step : h, err);
    }
    b->crossing = 0;
    if (status == HOL_OK && b->t <= s->x.t + slack) {
        status = hol_bdf_ida_step(b, limit_of(s, target), target, err);
        if (status == HOL_OK && !(b->t > s->x.t + slack) && b->t < target - slack)
            status = hol_error_set(err, HOL_ERR_CONVERGE,
                                   "the steps of bdf are too small to move time on");
    }
    double t = b->t;
    if (t >= target - slack)
        t = fmin(t, target);
    else
        result->h_used = t - s->x.t;
    if (status == HOL_OK)
        status = bdf_take_state(s, t, &s->next, err);
    b->broken = status != HOL_OK;
    result->h_next = INFINITY;
    const int failed = status == HOL_ERR_CONVERGE || status == HOL_ERR_SINGULAR;
    return failed && lead_across(s, target, result) ? HOL_OK : status;
}

// steps as the integrator counts them
static void bdf_accepted(HolSim *s) {
    HolBdf *b = s->method;
    s->stats.steps += b->done - 1;
    s->stats.h_min = b->h_least;
    s->stats.h_max = b->h_most;
}

static void bdf_dense(HolSim *s, double theta, HolState *out) {
    const HolBdf *b = s->method;
    const double t = s->prev.t + theta * (s->x.t - s->prev.t);
    if (b->crossing) {
        hol_between(s, &s->prev, &s->x, theta, out);
        return;
    }
    if (bdf_take_state(s, t, out, NULL) == HOL_OK)
        return;
    // no consistent state there: between the ends
    const double rest = 1 - theta;
    for (int i = 0; i < s->nq; i++)
        out->q[i] = rest * s->prev.q[i] + theta * s->x.q[i];
    for (int i = 0; i < s->nv; i++) {
        out->v[i] = rest * s->prev.v[i] + theta * s->x.v[i];
        out->a[i] = rest * s->prev.a[i] + theta * s->x.a[i];
    }
    for (int i = 0; i < s->m; i++)
        out->lambda[i] = rest * s->prev.lambda[i] + theta * s->x.lambda[i];
    for (int i = 0; i < s->nw; i++)
        out->w[i] = rest * s->prev.w[i] + theta * s->x.w[i];
}

// beside what the integrator holds: embed/replay.c
static void bdf_keep(HolSim *s, HolKeeper *k) {
    HolBdf *b = s->method;
    HOL_KEEP(k, b->t);
    HOL_KEEP(k, b->broken);
    HOL_KEEP(k, b->h_least);
    HOL_KEEP(k, b->h_most);
    HOL_KEEP(k, b->h_last);
    HOL_KEEP(k, b->h_since);
    HOL_KEEP(k, b->done);
    HOL_KEEP(k, b->crossing);
}

#else

static HolStatus bdf_create(HolSim *s, HolError *err) {
    (void)s;
    return hol_error_set(err, HOL_ERR_UNSUPPORTED,
                         "this build has no SUNDIALS, which the method bdf needs: build with "
                         "HOLONOM_SUNDIALS=ON (Debian: libsundials-dev), or use another method");
}

static HolStatus bdf_start(HolSim *s, HolError *err) {
    return bdf_create(s, err);
}

static HolStatus bdf_step(HolSim *s, double h, HolStepResult *result, HolError *err) {
    (void)h, (void)result;
    return bdf_create(s, err);
}

#endif

static const HolWord control_words[] = {
    {"state", 0, NULL}, {"local", 0, NULL}, {"position", 0, NULL}, {0}};

static const HolField bdf_options[] = {
    {HOL_OPTION_WORD(formulation), .words = formulation_words, .fallback = "cs",
     .help = "form of the constrained equations; with forces from reactions (friction): ggl-star"},
    {HOL_OPTION_INTEGER(order), .words = hol_order_words, .range = HOL_RANGE_ZERO_OR, .low = 1,
     .high = 5, .takes = "1 to 5, or 0 (automatic, up to 5)", .fallback = "auto",
     .help = "highest order of the formula"},
    {HOL_OPTION_WORD(control), .words = control_words, .fallback = "state",
     .help = "what the tolerance bounds; state: the error of the run (one test for all methods); "
             "local: the error of positions and velocities of each step, as published; position: "
             "the same of positions alone"},
    {0},
};

const HolStepper hol_stepper_bdf = {
    .name = "bdf",
    .replayed = 1,
    .help =
        "backward differentiation formulas, order 1-5, by SUNDIALS IDA: for stiff, damped motion",
    .options = bdf_options,
    .create = bdf_create,
    .start = bdf_start,
    .step = bdf_step,
#ifdef HOL_HAVE_SUNDIALS
    .accepted = bdf_accepted,
    .dense = bdf_dense,
    .destroy = bdf_destroy,
    .keep = bdf_keep,
#endif
    .adaptive = HOL_STEP_ADAPTIVE,
    .over_kinks = 1,
    .closes = 1,
};
