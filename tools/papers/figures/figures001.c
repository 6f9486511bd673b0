// SPDX-License-Identifier: Apache-2.0
// Figures 2 and 3 of the index-3 Newmark paper: the stiff double pendulum, gamma = 3/4, h = 0.001 s,
// beside the exact motion.
#include "tools/papers/figures/figures.h"

void hol_figures_001(HolFigures *all) {
    for (int k = 0; k < 2; k++) {
        HolFigure f;
        hol_figure_begin(&f, all, "001", k ? "3" : "2",
                         k ? "Angular velocity of the first body, gamma = 3/4, h = 0.001 s"
                           : "Orientation of the first body, gamma = 3/4, h = 0.001 s",
                         "time / s");
        hol_figure_panel(&f, k ? "rad/s" : "rad", 0, 0);
        HolTrace t = {.label = "newmark",
                      .model = "stiff-double-pendulum.yaml",
                      .y = k ? hol_figure_v : hol_figure_q,
                      .data = &hol_figure_index[2],
                      .color = 3};
        hol_figure_trace(&f, &t, "method=newmark .gamma=0.75 step=0.001 end=2");
        t.label = "exact";
        t.color = 0;
        t.dash = 1;
        hol_figure_trace(&f, &t, "method=tangent .start=graded step=0.001 end=2");
        hol_figure_draw(&f);
    }
}
