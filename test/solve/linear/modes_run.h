// SPDX-License-Identifier: Apache-2.0
// Modes of models in tests: a file or a text at a time, and a search for an eigenvalue.
#ifndef TEST_MODES_RUN_H
#define TEST_MODES_RUN_H

#include <holonom/holonom.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct ModesRun {
    HolModel *model;
    HolSim *sim;
    HolModes *modes;
    HolStatus status;
    HolError err;
} ModesRun;

static inline void modes_run_close(ModesRun *r) {
    hol_modes_destroy(r->modes);
    hol_sim_destroy(r->sim);
    hol_model_destroy(r->model);
    *r = (ModesRun){0};
}

static inline void modes_run_look(ModesRun *r, const HolSimOptions *o, double at, int count) {
    HolModesOptions how = hol_modes_options();
    how.count = count;
    if (hol_sim_create(r->model, o, &r->sim, &r->err) != HOL_OK ||
        hol_sim_assemble(r->sim, &r->err) != HOL_OK ||
        (at > 0 && hol_sim_advance(r->sim, at, &r->err) != HOL_OK))
        fail_msg("%s", r->err.text);
    r->status = hol_sim_modes(r->sim, &how, &r->modes, &r->err);
}

// with a setting "KEY=VALUE" or NULL
static inline ModesRun modes_of_file(const char *file, const char *setting, double at) {
    ModesRun r = {0};
    HolSimOptions o;
    HolSetting set[4];
    char path[512], text[128] = "";
    int n = 0;
    snprintf(path, sizeof path, "%s/%s", HOL_SOURCE_DIR, file);
    if (setting)
        snprintf(text, sizeof text, "%s", setting);
    for (char *part = strtok(text, " "); part; part = strtok(NULL, " ")) {
        char *equal = strchr(part, '=');
        *equal = 0;
        set[n++] = (HolSetting){part, equal + 1};
    }
    if (hol_model_load(path, set, n, &r.model, &o, &r.err) != HOL_OK)
        fail_msg("%s", r.err.text);
    modes_run_look(&r, &o, at, 1000);
    if (r.status != HOL_OK)
        fail_msg("%s: %s", file, r.err.text);
    return r;
}

static inline ModesRun modes_of_text(const char *text, double at) {
    ModesRun r = {0};
    HolSimOptions o;
    if (hol_model_parse(text, strlen(text), "text", NULL, 0, &r.model, &o, &r.err) != HOL_OK)
        fail_msg("%s", r.err.text);
    modes_run_look(&r, &o, at, 1000);
    if (r.status != HOL_OK)
        fail_msg("%s", r.err.text);
    return r;
}

// the mode nearest to an eigenvalue; fails when it is farther than `part` of it
static inline const HolMode *mode_at(const HolModes *m, double real, double imag, double part) {
    const HolMode *best = NULL;
    double least = INFINITY;
    for (int i = 0; i < m->n_modes; i++) {
        const double off = hypot(m->modes[i]->real - real, m->modes[i]->imag - imag);
        if (off < least) {
            least = off;
            best = m->modes[i];
        }
    }
    if (!best)
        fail_msg("no mode at all instead of %.12g + %.12g i", real, imag);
    if (!(least <= part * hypot(real, imag)))
        fail_msg("%.15g + %.15g i instead of %.15g + %.15g i: off by %.2e", best->real, best->imag,
                 real, imag, least / hypot(real, imag));
    return best;
}

// a planar chain of n equal rods of length l and mass 1 hanging along the unit vector x, y
static inline char *hanging_rods(int n, double l, double g, double x, double y) {
    const size_t room = 1000 + 400 * (size_t)n;
    char *text = malloc(room);
    assert_non_null(text);
    size_t k = 0;
#define ADD(...) k += (size_t)snprintf(text + k, room - k, __VA_ARGS__)
    ADD("holonom: 1\nspace: planar\ngravity: [%.17g, %.17g]\nbodies:\n", g * x, g * y);
    for (int i = 0; i < n; i++)
        ADD("- {name: r%d, mass: 1, inertia: %.17g, position: [%.17g, %.17g], points: {t: [%.17g, "
            "%.17g], b: [%.17g, %.17g]}}\n",
            i + 1, l * l / 12, (i + 0.5) * l * x, (i + 0.5) * l * y, -l / 2 * x, -l / 2 * y,
            l / 2 * x, l / 2 * y);
    ADD("joints:\n- {type: revolute, between: [ground, r1.t]}\n");
    for (int i = 1; i < n; i++)
        ADD("- {type: revolute, between: [r%d.b, r%d.t]}\n", i, i + 1);
    ADD("simulation: {end: 1, tolerance: 1e-8}\n");
#undef ADD
    return text;
}

#endif
