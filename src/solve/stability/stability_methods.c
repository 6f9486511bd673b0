// SPDX-License-Identifier: Apache-2.0
// Methods held against a spectrum: every method and scheme of the registry, and the step that accuracy
// needs. On x'' + omega^2 x = 0 a step multiplies the motion by the eigenvalue z of its map next to
// exp(i omega h); with y = omega h
//   arg(z)/y - 1 = c_p y^p (frequency),   ln|z|/y = c_q y^q (amplitude)
// for small y. Over the time T the phase is off by omega T c_p y^p, so that
//   h = 1/omega (tol/(c_p omega T))^(1/p), and the same with c_q.
#include "base/field.h"
#include "math/dense.h"
#include "solve/stability/stability.h"

#include <complex.h>
#include <math.h>
#include <string.h>

// ---- variants ----

// the option that names a formula; NULL: the method has none
static const HolField *variants_words(const HolStepper *stepper) {
    for (const HolField *f = stepper->options; f && f->key; f++)
        if (strcmp(f->key, "scheme") == 0 || strcmp(f->key, "set") == 0)
            return f;
    return NULL;
}

static char *variants_word(const HolField *f, HolMethodOptions *o) {
    return f->offset == offsetof(HolMethodOptions, set) ? o->set : o->scheme;
}

static void variants_put(HolVariant *v, const HolStepper *stepper, const HolMethodOptions *own,
                         const HolField *field, const char *word) {
    HolMethodOptions mine = *own;
    *v = (HolVariant){.stepper = stepper, .options = hol_sim_options().method};
    snprintf(v->options.name, sizeof v->options.name, "%s", stepper->name);
    v->own = strcmp(own->name, stepper->name) == 0;
    if (field) {
        const char *given = variants_word(field, &mine);
        snprintf(variants_word(field, &v->options), field->size, "%s", word);
        v->own &= strcmp(given[0] ? given : field->fallback, word) == 0;
    }
    if (v->own) {
        v->options = *own;
        if (field)
            snprintf(variants_word(field, &v->options), field->size, "%s", word);
    }
    if (stepper->map)
        stepper->map(&v->options, &v->map);
    if (v->map.refused)
        v->options.force = 1;
}

int hol_variants(const HolMethodOptions *own, const char *name, HolArena *arena, HolVariant **out) {
    int n = 0;
    for (int pass = 0; pass < 2; pass++) {
        if (pass && !(*out = HOL_NEW(arena, HolVariant, n + 1)))
            return -1;
        n = 0;
        for (const HolStepper *const *p = hol_steppers; *p; p++) {
            const HolField *f = variants_words(*p);
            if (name && strcmp(name, (*p)->name) != 0)
                continue;
            for (const HolWord *w = f ? f->words : NULL; w && w->name; w++, n++)
                if (pass)
                    variants_put(&(*out)[n], *p, own, f, w->name);
            if (!f && pass)
                variants_put(&(*out)[n], *p, own, NULL, NULL);
            n += f == NULL;
        }
    }
    return n;
}

int hol_variant_fits(int holonomic, int rolling, const HolStepMap *map) {
    const double most = 1 + 1e-6;
    return (!holonomic || map->constrained <= most) && (!rolling || map->rolling <= most);
}

// ---- accuracy ----

// errors of frequency and amplitude at omega h = y
static int order_errors(const HolStepMap *map, double y, double e[2]) {
    enum { MOST = 8 };
    const double A[4] = {0, -y * y, 1, 0};
    double R[MOST * MOST], work[(12 + 1) * MOST * MOST + 64], re[MOST], im[MOST], least = INFINITY;
    const double complex exact = cexp(y * I);
    if (hol_map_size(map, 1, 1) > MOST || !hol_map_matrix(map, 1, 1, A, R, work) ||
        hol_dense_eigenvalues(hol_map_size(map, 1, 1), R, re, im) != 0)
        return 0;
    for (int i = 0; i < hol_map_size(map, 1, 1); i++) {
        const double complex z = re[i] + im[i] * I;
        if (cabs(z - exact) < least) {
            least = cabs(z - exact);
            e[0] = fabs(carg(z / exact)) / y;
            e[1] = fabs(log(cabs(z))) / y;
        }
    }
    return isfinite(e[0]) && isfinite(e[1]);
}

// ---- tuning constants ----
static const double LEAST_ERROR = 1e-10; // above round-off
static const double LEAST_Y = 0.05, MOST_Y = 6, Y_RATIO = 0.8, MOST_ERROR = 0.05;

// power laws {c, p} of both errors between the two smallest y at which they can be measured
static void order_fit(const HolStepMap *map, double most, double *const law[2]) {
    double before[2] = {0}, y_before = 0, e[2] = {0};
    int open[2] = {1, 1};
    for (double y = most; y > LEAST_Y && (open[0] || open[1]); y *= Y_RATIO) {
        if (!order_errors(map, y, e))
            continue;
        for (int i = 0; i < 2; i++) {
            open[i] &= e[i] >= LEAST_ERROR;
            if (open[i] && before[i] > 0 && before[i] < MOST_ERROR) {
                law[i][1] = fmax(1, round(log(before[i] / e[i]) / log(y_before / y)));
                law[i][0] = e[i] / pow(y, law[i][1]);
            }
            before[i] = e[i];
        }
        y_before = y;
    }
}

HolMapOrder hol_map_order(const HolStepMap *map) {
    HolMapOrder o = {{0}, {0}};
    const double A[4] = {0, -1, 1, 0};
    double work[13 * 64 + 64];
    HolArena arena = {0};
    HolSpectrum s;
    HolError ignored;
    if (map->kind == HOL_MAP_NONE ||
        hol_spectrum(1, 1, A, NULL, 0, &arena, &s, &ignored) != HOL_OK) {
        hol_arena_free(&arena);
        return o;
    }
    const double limit = hol_stable_step(map, &s, INFINITY, 0, INFINITY, NULL, work).strict;
    hol_arena_free(&arena);
    if (!(limit > 0))
        return o;
    order_fit(map, fmin(MOST_Y, 0.9 * limit), (double *const[]){o.frequency, o.growth});
    return o;
}

double hol_accuracy_step(const HolMapOrder *o, double omega, double span, double tol) {
    double h = INFINITY;
    const double *const law[] = {o->frequency, o->growth};
    for (int i = 0; i < 2 && omega > 0 && span > 0; i++)
        if (law[i][0] > 0)
            h = fmin(h, pow(tol / (law[i][0] * omega * span), 1 / law[i][1]) / omega);
    return h;
}
