// SPDX-License-Identifier: Apache-2.0
// Pictures of a stability analysis: FILE.svg has omega_max (and spin) over time above, and below the
// spectral radius of the conditionally stable methods over the step, in units of time that they share:
// two plots of different x axes, so two files: FILE.svg and FILE_radius.svg.
#include "base/arena.h"
#include "base/error.h"
#include "holonom/tools.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SAMPLES = 400, MOST_CURVES = 8 };

static HolStatus stability_plot_time(const HolStability *s, const char *title, const char *path,
                                     HolArena *arena, HolError *err) {
    const int n = s->n_points;
    double *t = HOL_NEW(arena, double, n + 1), *omega = HOL_NEW(arena, double, n + 1),
           *decay = HOL_NEW(arena, double, n + 1), *spin = HOL_NEW(arena, double, n + 1);
    int spins = 0, decays = 0;
    if (arena->failed)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    for (int i = 0; i < n; i++) {
        const HolStabilityPoint *p = s->points[i];
        t[i] = p->time;
        omega[i] = p->omega_max;
        decay[i] = -p->real;
        spin[i] = p->spin;
        spins |= p->spin > 0;
        decays |= p->real < -1e-6 * p->omega_max;
    }
    HolCurve curve[3] = {{.label = "omega_max", .x = t, .y = omega, .n = n, .markers = 1}};
    int curves = 1;
    if (decays)
        curve[curves++] =
            (HolCurve){.label = "decay", .x = t, .y = decay, .n = n, .color = 1, .dash = 1};
    if (spins)
        curve[curves++] =
            (HolCurve){.label = "spin", .x = t, .y = spin, .n = n, .color = 2, .dash = 2};
    const HolPanel panel = {.label = "fastest mode [rad/s]", .curves = curve, .n_curves = curves};
    HolPlot plot = hol_plot();
    plot.title = title;
    plot.x_label = "time [s]";
    plot.panels = &panel;
    plot.n_panels = 1;
    return hol_plot_write(&plot, path, err);
}

static void stability_plot_label(const HolMethodOptions *o, char *out, size_t size) {
    const char *word = o->scheme[0] ? o->scheme : o->set;
    snprintf(out, size, "%s%s%s", o->name, word[0] ? " " : "", word);
}

// radius of the methods with a limit, the longest of each method; up to twice the largest limit shown
static HolStatus stability_plot_radius(const HolStability *s, const char *title, const char *path,
                                       HolArena *arena, HolError *err) {
    HolCurve curve[MOST_CURVES];
    int chosen[MOST_CURVES], n = 0;
    double last = 0;
    for (int i = 0; i < s->n_methods; i++) {
        const HolStabilityMethod *m = s->methods[i];
        const double limit = m->largest_stable_step_this_run;
        if (!isfinite(limit) || limit <= 0)
            continue;
        int k = 0;
        while (k < n && strcmp(s->methods[chosen[k]]->options.name, m->options.name) != 0)
            k++;
        if (k < n && !m->own &&
            (s->methods[chosen[k]]->own ||
             s->methods[chosen[k]]->largest_stable_step_this_run >= limit))
            continue;
        if (k < MOST_CURVES)
            chosen[k] = i;
        n += k == n && n < MOST_CURVES;
    }
    for (int k = 0; k < n; k++)
        last = fmax(last, s->methods[chosen[k]]->largest_stable_step_this_run);
    double *h = HOL_NEW(arena, double, SAMPLES + 1);
    for (int i = 0; h && i < SAMPLES; i++)
        h[i] = 1.3 * last * (i + 1) / SAMPLES;
    for (int k = 0; k < n && h; k++) {
        double *y = HOL_NEW(arena, double, SAMPLES + 1);
        char *label = HOL_NEW(arena, char, 64);
        if (!y || !label)
            break;
        for (int i = 0; i < SAMPLES; i++) {
            const double radius = hol_stability_radius(s, chosen[k], h[i]);
            y[i] = radius <= 2 ? radius : NAN;
        }
        stability_plot_label(&s->methods[chosen[k]]->options, label, 64);
        curve[k] = (HolCurve){.label = label, .x = h, .y = y, .n = SAMPLES, .color = k};
    }
    if (arena->failed)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    const HolPanel panel = {.label = "spectral radius of a step", .curves = curve, .n_curves = n};
    HolPlot plot = hol_plot();
    plot.title = title;
    plot.x_label = "step [s]";
    plot.from = 0;
    plot.to = last > 0 ? 1.3 * last : 1;
    plot.panels = &panel;
    plot.n_panels = 1;
    return hol_plot_write(&plot, path, err);
}

HolStatus hol_stability_plot(const HolStability *s, const char *title, const char *path,
                             HolError *err) {
    HolArena arena = {0};
    char second[4096];
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    const int stem = dot && (!slash || dot > slash) ? (int)(dot - path) : (int)strlen(path);
    hol_error_clear(err);
    HolStatus status = stability_plot_time(s, title, path, &arena, err);
    if (snprintf(second, sizeof second, "%.*s_radius%s", stem, path, path + stem) >=
        (int)sizeof second)
        status = hol_error_set(err, HOL_ERR_FILE, "%.60s..: the name is too long", path);
    if (status == HOL_OK && strcmp(path, "-") != 0)
        status = stability_plot_radius(s, title, second, &arena, err);
    hol_arena_free(&arena);
    return status;
}
