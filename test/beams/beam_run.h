// SPDX-License-Identifier: Apache-2.0
// Models of beams as text: where they rest, how they vibrate, where they are at a time.
#ifndef TEST_BEAM_RUN_H
#define TEST_BEAM_RUN_H

#include "holonom/holonom.h"
#include "holonom/modes.h"
#include "json_values.h"

#include <math.h>

#define BEAM_REF HOL_SOURCE_DIR "/test/ref/beams/"

static inline HolSim *beam_open(const char *text, HolModel **m, double tolerance,
                                const char *method) {
    HolError err = {0};
    HolSimOptions o;
    HolSim *s = NULL;
    if (hol_model_parse(text, strlen(text), "beam.yaml", NULL, 0, m, &o, &err) != HOL_OK)
        fail_msg("%s\n%s", err.text, text);
    if (tolerance > 0)
        o.tolerance = tolerance;
    if (method)
        snprintf(o.method.name, sizeof o.method.name, "%s", method);
    if (hol_sim_create(*m, &o, &s, &err) != HOL_OK || hol_sim_assemble(s, &err) != HOL_OK)
        fail_msg("%s", err.text);
    return s;
}

// a value of the present state, "rod.end.x"
static inline double beam_value(HolSim *s, const char *wanted) {
    char name[160];
    double value;
    for (int i = 0; hol_sim_final(s, i, name, sizeof name, &value); i++)
        if (strcmp(name, wanted) == 0)
            return value;
    fail_msg("there is no %s", wanted);
    return 0;
}

// where the end of the rod rests: x, y, z (plane: angle)
static inline void beam_rest(const char *text, double tip[3]) {
    HolModel *m = NULL;
    HolSim *s = beam_open(text, &m, 0, NULL);
    HolEquilibriumOptions o = hol_equilibrium_options();
    HolEquilibria *list = NULL;
    HolError err = {0};
    o.starts = 0;
    if (hol_equilibrium_find(s, &o, &list, &err) != HOL_OK)
        fail_msg("%s\n%s", err.text, text);
    hol_equilibria_show(list, 0, s, &err);
    tip[0] = beam_value(s, "rod.end.x");
    tip[1] = beam_value(s, "rod.end.y");
    tip[2] = beam_value(s, hol_model_space(m) == HOL_PLANAR ? "rod.end.angle" : "rod.end.z");
    hol_equilibria_destroy(list);
    hol_sim_destroy(s);
    hol_model_destroy(m);
}

// squares of the lowest frequencies at the start (or where it rests), negative where it is unstable;
// their number
static inline int beam_squares(const char *text, int at_rest, double *out, int most) {
    HolModel *m = NULL;
    HolSim *s = beam_open(text, &m, 0, NULL);
    HolModesOptions o = hol_modes_options();
    HolModes *modes = NULL;
    HolError err = {0};
    if (at_rest) {
        HolEquilibriumOptions rest = hol_equilibrium_options();
        HolEquilibria *list = NULL;
        rest.starts = 0;
        if (hol_equilibrium_find(s, &rest, &list, &err) != HOL_OK)
            fail_msg("%s\n%s", err.text, text);
        hol_equilibria_destroy(list);
    }
    o.count = 2 * most;
    if (hol_sim_modes(s, &o, &modes, &err) != HOL_OK)
        fail_msg("%s\n%s", err.text, text);
    int n = 0;
    for (int i = 0; i < modes->n_modes && n < most; i++) {
        const HolMode *mode = modes->modes[i];
        if (mode->imag > 0 || mode->real > 0)
            out[n++] = mode->imag * mode->imag - mode->real * mode->real;
    }
    hol_modes_destroy(modes);
    hol_sim_destroy(s);
    hol_model_destroy(m);
    return n;
}

#endif
