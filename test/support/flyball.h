// SPDX-License-Identifier: Apache-2.0
// The flyball governor (models/flyball.yaml) against its reference; include after cmocka.h.
#ifndef HOL_TEST_FLYBALL_H
#define HOL_TEST_FLYBALL_H

#include "holonom/holonom.h"

#include <math.h>
#include <stdio.h>

// runs to t_end; largest distance of the slider's height from the reference, at its times
static double slider_error(HolSim *sim, double t_end) {
    HolError err;
    FILE *file = fopen(HOL_SOURCE_DIR "/test/ref/a05_flyball_exact.csv", "r");
    assert_non_null(file);
    char line[512];
    double worst = 0, q[64], t, s;
    int samples = 0;
    assert_true(hol_sim_view(sim).nq <= 64);
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "%lf,%*[^,],%lf", &t, &s) != 2 || t <= 0 || t > t_end)
            continue;
        while (hol_sim_view(sim).t < t)
            if (hol_sim_step(sim, t_end, &err))
                fail_msg("%s", err.text);
        hol_sim_interpolate(sim, t, q, NULL, NULL, NULL, NULL);
        worst = fmax(worst, fabs(q[7 + 2] - s));
        samples++;
    }
    fclose(file);
    assert_true(samples > 20);
    return worst;
}

#endif
