// SPDX-License-Identifier: Apache-2.0
// Drawing in a process of its own: see plot_apart.c.
#ifndef HOL_PLOT_APART_H
#define HOL_PLOT_APART_H

#include "base/error.h"

#include <stdio.h>

typedef HolStatus HolPlotDraw(void *user, FILE *file, HolError *err);

// what `draw` writes goes to the file `to`; it may take so many seconds of processor time
HolStatus hol_plot_apart(HolPlotDraw *draw, void *user, int seconds, FILE *to, HolError *err);

#endif
