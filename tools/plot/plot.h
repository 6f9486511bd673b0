// SPDX-License-Identifier: Apache-2.0
// Plots, seen from inside: the layout (plot.c, plot_axis.c) draws on a canvas (plot_cairo.c).
// Lengths in pt, origin at the top left, y downward.
#ifndef HOL_PLOT_H
#define HOL_PLOT_H

#include "base/arena.h"
#include "base/error.h"
#include "holonom/tools.h"

typedef struct HolPoint2 {
    double x, y;
} HolPoint2;

typedef struct HolPen {
    unsigned color; // 0xrrggbb
    double width;
    const double *dash; // lengths on, off, ...; ends with 0; NULL: solid
} HolPen;

typedef enum HolAnchor { HOL_START, HOL_MIDDLE, HOL_END } HolAnchor;

// ---- plot_cairo.c: the canvas ----
enum { HOL_PLOT_SVG, HOL_PLOT_PNG };
typedef struct HolCanvas HolCanvas;

// HOL_ERR_UNSUPPORTED when the build has no cairo
HolStatus hol_canvas_ready(HolError *err);
// a white canvas of size[0] x size[1] pt; scale: pixels a pt; the canvas lives in the arena
HolStatus hol_canvas_open(HolCanvas **out, HolArena *arena, int format, const double size[2],
                          double scale, FILE *file, HolError *err);
// everything into the file, whose own errors show when it is closed; the canvas is released
HolStatus hol_canvas_close(HolCanvas *c, HolError *err);
void hol_canvas_line(HolCanvas *c, const HolPoint2 *points, long n, const HolPen *pen);
// left, top, right, bottom: drawn by the pen, or filled when its width is 0
void hol_canvas_box(HolCanvas *c, const double box[4], const HolPen *pen);
void hol_canvas_disc(HolCanvas *c, HolPoint2 at, double radius, unsigned color);
// all that follows is cut at this box; NULL ends it
void hol_canvas_clip(HolCanvas *c, const double *box);
// one line of UTF-8 text with its base line at `at`; what follows ^ up to a space is raised
void hol_canvas_text(HolCanvas *c, HolPoint2 at, double size, HolAnchor anchor, int upward,
                     const char *text);
double hol_canvas_text_width(HolCanvas *c, double size, const char *text);

// ---- plot_axis.c ----
typedef struct HolAxis {
    double min, max; // the range shown; of log10 when log
    int log;
    int n; // ticks
    double tick[64];
    char label[64][24];
    int n_minor;
    double minor[256];
} HolAxis;
// the range widened by `margin` of its length, with about `wanted` ticks
void hol_axis_make(HolAxis *a, double min, double max, int log, double margin, int wanted);

#endif
