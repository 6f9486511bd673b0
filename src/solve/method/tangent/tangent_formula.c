// SPDX-License-Identifier: Apache-2.0
// The schemes of `tangent` as coefficients of the derivatives at both ends (tangent.h), the choice
// among them, and the methods whose accelerations belong to another instant:
//   hht(alpha), generalized-alpha(rho)   w1 (1-am) + am w0 = (1-af) a1 + af a0
//   q^ = q0 + h q0' + h^2 ((1/2-beta) w0 + beta w1),   v^ = v0 + h ((1-gamma) w0 + gamma w1)
//   HHT  am = 0, af = -alpha;   rho  am = (2 rho-1)/(rho+1), af = rho/(rho+1)
//   gamma = 1/2 - lag, beta = (1 - lag)^2/4, lag = am - af
// a1 meets the equations of motion and the constraints at the new instant itself. w is the
// acceleration at t + lag h. In its place stands j, w = a + lag h j, which does not depend on the
// step and begins as the jerk:
//   j1 = ((a1 - a0)/h - am j0)/(1 - am)
// so that a step of another size needs no correction. q^ and v^ are Newmark's, with
//   c1[2] = beta (1-af)/(1-am),  c0[2] = 1/2 - c1[2],  c0[3] = lag (1/2 - beta/(1-am)),
//   d1[1] = gamma (1-af)/(1-am), d0[1] = 1 - d1[1],    d0[2] = lag (1 - gamma/(1-am)).
// Local errors: with w = a + lag h a' + lag (am - 1/2) h^2 a'' in steady state,
//   q  (beta + lag/2 - 1/6) h^3 a',   v  (1/12 + lag (am - 1/2) - lag^2) h^3 a''.
#include "solve/linear/step_map.h"
#include "solve/method/tangent/tangent.h"
#include "solve/method_options.h"

#include <math.h>
#include <string.h>

static const TangentFormula formulas[] = {
    {.name = "hermite",
     .c0 = {0, 1.0 / 2, 1.0 / 12},
     .c1 = {0, 1.0 / 2, -1.0 / 12},
     .d0 = {0, 1.0 / 2, 1.0 / 12},
     .d1 = {0, 1.0 / 2, -1.0 / 12},
     .jerk = 1,
     .order = 4},
    {.name = "jfg",
     .c0 = {0, 1, 5.0 / 12, 1.0 / 12},
     .c1 = {0, 0, 1.0 / 12},
     .d0 = {0, 1.0 / 2, 1.0 / 12},
     .d1 = {0, 1.0 / 2, -1.0 / 12},
     .jerk = 1,
     .order = 4},
    {.name = "obreshkov3",
     .c0 = {0, 1.0 / 3},
     .c1 = {0, 2.0 / 3, -1.0 / 6},
     .d0 = {0, 1.0 / 3},
     .d1 = {0, 2.0 / 3, -1.0 / 6},
     .jerk = 1,
     .order = 3},
};

typedef struct NewmarkPreset {
    const char *name;
    double beta;
} NewmarkPreset;

static const NewmarkPreset presets[] = {{"newmark", 0.25},
                                        {"trapezoidal", 0.25},
                                        {"fox-goodwin", 1.0 / 12},
                                        {"linear-acceleration", 1.0 / 6}};

// ---- choice ----

static HolStatus newmark_formula(const HolMethodOptions *o, double beta, Tangent *m,
                                 HolError *err) {
    m->gamma = isnan(o->gamma) ? 0.5 : o->gamma;
    m->beta = isnan(o->beta) ? beta : o->beta;
    if (!(m->gamma >= 0.5 || o->force) || !(m->gamma > 0 && m->gamma <= 2) ||
        !(m->beta >= 0 && m->beta <= 2))
        return hol_error_set(err, HOL_ERR_INPUT,
                             "method tangent: gamma = %g, beta = %g: gamma must be at least 1/2 "
                             "(below it motion grows) and beta between 0 and 2",
                             m->gamma, m->beta);
    m->f = (TangentFormula){.name = "newmark",
                            .c0 = {0, 1, 0.5 - m->beta},
                            .c1 = {0, 0, m->beta},
                            .d0 = {0, 1 - m->gamma},
                            .d1 = {0, m->gamma},
                            .order = 2,
                            .error_q = fmax(fabs(m->beta - 1.0 / 6), 1.0 / 12),
                            .error_v = 1.0 / 12,
                            .first_order = m->gamma - 0.5};
    return HOL_OK;
}

static void alpha_formula(const char *name, double am, double af, Tangent *m) {
    const double lag = am - af;
    m->gamma = 0.5 - lag;
    m->beta = (1 - lag) * (1 - lag) / 4;
    const double by_q = m->beta * (1 - af) / (1 - am), by_v = m->gamma * (1 - af) / (1 - am);
    m->f = (TangentFormula){
        .name = name,
        .c0 = {0, 1, 0.5 - by_q, lag * (0.5 - m->beta / (1 - am))},
        .c1 = {0, 0, by_q},
        .d0 = {0, 1 - by_v, lag * (1 - m->gamma / (1 - am))},
        .d1 = {0, by_v},
        .order = 2,
        .lag = lag,
        .alpha_m = am,
        .error_q = fmax(fabs(m->beta + lag / 2 - 1.0 / 6), 1.0 / 12),
        .error_v = fmax(fabs(1.0 / 12 + lag * (am - 0.5) - lag * lag), 1.0 / 12),
    };
}

// what only other schemes take
static HolStatus refuse_foreign(const HolMethodOptions *o, const char *scheme, int newmark,
                                HolError *err) {
    const int hht = !strcmp(scheme, "hht"), general = !strcmp(scheme, "generalized-alpha");
    if (!newmark && (!isnan(o->beta) || !isnan(o->gamma)))
        return hol_error_set(err, HOL_ERR_INPUT,
                             "method tangent: scheme %s has no gamma or beta; use scheme newmark",
                             scheme);
    if (!hht && !isnan(o->alpha))
        return hol_error_set(err, HOL_ERR_INPUT,
                             "method tangent: scheme %s has no alpha; use scheme hht", scheme);
    if (!general && !isnan(o->rho))
        return hol_error_set(err, HOL_ERR_INPUT,
                             "method tangent: scheme %s has no rho; use scheme generalized-alpha",
                             scheme);
    return HOL_OK;
}

HolStatus hol_tangent_choose(const HolMethodOptions *o, Tangent *m, HolError *err) {
    const char *scheme = o->scheme[0] ? o->scheme : "hermite";
    const NewmarkPreset *preset = NULL;
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++)
        if (!strcmp(scheme, presets[i].name))
            preset = &presets[i];
    HolStatus status = refuse_foreign(o, scheme, preset != NULL, err);
    if (status)
        return status;
    if (preset && preset != presets && !isnan(o->beta) && o->beta != preset->beta)
        return hol_error_set(err, HOL_ERR_INPUT,
                             "method tangent: scheme %s means beta = %.6g; use scheme newmark for "
                             "beta = %.6g",
                             scheme, preset->beta, o->beta);
    if (preset)
        return newmark_formula(o, preset->beta, m, err);
    if (!strcmp(scheme, "hht")) {
        const double alpha = hol_option_number(hol_tangent_options, "alpha", o->alpha);
        alpha_formula("hht", 0, -alpha, m);
        return HOL_OK;
    }
    if (!strcmp(scheme, "generalized-alpha")) {
        const double rho = hol_option_number(hol_tangent_options, "rho", o->rho);
        alpha_formula("generalized-alpha", (2 * rho - 1) / (rho + 1), rho / (rho + 1), m);
        return HOL_OK;
    }
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++)
        if (!strcmp(scheme, formulas[i].name)) {
            m->f = formulas[i];
            return HOL_OK;
        }
    return hol_error_set(err, HOL_ERR_INPUT, "method tangent: scheme %s has no formula", scheme);
}

void hol_tangent_set_formula(Tangent *m) {
    const TangentFormula *f = m->damped > 0 ? &formulas[2] : &m->chosen;
    if (strcmp(f->name, m->f.name) != 0)
        m->pair.h = m->newton_h = 0;
    m->f = *f;
}

void hol_tangent_lag(const HolSim *s, const Tangent *m, const TangentNode *from, double h,
                     TangentNode *to) {
    const double am = m->f.alpha_m;
    for (int i = 0; i < s->nv; i++)
        to->j[i] = ((to->x.a[i] - from->x.a[i]) / h - am * from->j[i]) / (1 - am);
}

// ---- the map of a step, the table of options ----

void hol_tangent_map(const HolMethodOptions *o, HolStepMap *out) {
    HolError ignored;
    Tangent m = {0};
    if (hol_tangent_choose(o, &m, &ignored) != HOL_OK)
        return;
    if (m.f.lag != 0) {
        *out = (HolStepMap){.kind = HOL_MAP_ALPHA,
                            .alpha_m = m.f.alpha_m,
                            .alpha_f = m.f.alpha_m - m.f.lag,
                            .beta = m.beta,
                            .gamma = m.gamma,
                            .a_stable = 1};
        return;
    }
    out->kind = HOL_MAP_ENDS;
    memcpy(out->c0, m.f.c0, sizeof out->c0);
    memcpy(out->c1, m.f.c1, sizeof out->c1);
    memcpy(out->d0, m.f.d0, sizeof out->d0);
    memcpy(out->d1, m.f.d1, sizeof out->d1);
    out->a_stable =
        m.f.jerk ? strcmp(m.f.name, "jfg") != 0 : m.gamma >= 0.5 && 2 * m.beta >= m.gamma;
}

static const HolWord scheme_words[] = {{"hermite", 0, NULL},
                                       {"newmark", 0, NULL},
                                       {"jfg", 0, NULL},
                                       {"obreshkov3", 0, NULL},
                                       {"fox-goodwin", 0, NULL},
                                       {"trapezoidal", 0, NULL},
                                       {"linear-acceleration", 0, NULL},
                                       {"hht", 0, NULL},
                                       {"generalized-alpha", 0, NULL},
                                       {0}};
static const HolWord start_words[] = {
    {"auto", 0, NULL}, {"plain", 0, NULL}, {"graded", 0, NULL}, {0}};

const HolField hol_tangent_options[] = {
    {HOL_OPTION_WORD(scheme), .words = scheme_words, .fallback = "hermite",
     .help = "integration formula"},
    HOL_OPTION_METRIC,
    {HOL_OPTION_NUMBER(gamma), .fallback = "1/2", .help = "scheme newmark: at least 1/2"},
    {HOL_OPTION_NUMBER(beta), .range = HOL_RANGE_BETWEEN, .low = 0, .high = 2, .fallback = "1/4",
     .help = "scheme newmark"},
    HOL_OPTION_ALPHA("-0.1", "scheme hht: 0 no damping, -1/3 the most"),
    {HOL_OPTION_NUMBER(rho), .range = HOL_RANGE_BETWEEN, .low = 0, .high = 1, .fallback = "0.8",
     .help = "scheme generalized-alpha: what a step leaves of the fastest vibrations"},
    {HOL_OPTION_WORD(start), .words = start_words, .fallback = "auto",
     .help = "how the first steps are made"},
    HOL_OPTION_FORCE,
    {0},
};
