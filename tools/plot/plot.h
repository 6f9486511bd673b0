// SPDX-License-Identifier: Apache-2.0
// Plots, seen from inside: the layout (plot.c) draws on a canvas, of which there are two: SVG text
// and PNG pixels. Lengths in pt, origin at the top left, y downward.
#ifndef HOL_IO_PLOT_H
#define HOL_IO_PLOT_H

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

typedef struct HolCanvas HolCanvas;
typedef struct HolCanvasKind {
    const char *ending;         // of the file's name
    int (*begin)(HolCanvas *c); // 1 ok
    void (*line)(HolCanvas *c, const HolPoint2 *points, long n, const HolPen *pen);
    void (*disc)(HolCanvas *c, HolPoint2 at, double radius, unsigned color);
    void (*text)(HolCanvas *c, HolPoint2 at, double size, HolAnchor anchor, int upward,
                 const char *text);
    // lines and discs are cut at this rectangle; NULL ends it
    void (*clip)(HolCanvas *c, const double *box); // left, top, right, bottom
    void (*end)(HolCanvas *c);                     // everything into c->file
} HolCanvasKind;

struct HolCanvas {
    const HolCanvasKind *kind;
    HolArena *arena;
    FILE *file;
    double width, height; // pt
    double scale;         // pixels a pt
    void *data;
};

extern const HolCanvasKind hol_canvas_svg, hol_canvas_png;

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

// ---- plot_font.c: letters as strokes, for pixels ----
// draws one line of UTF-8 text with its base line at the origin by calling `stroke`; returns its
// width; size 1. stroke may be NULL.
double hol_font_text(const char *text, void (*stroke)(void *to, const HolPoint2 *points, int n),
                     void *to);

// ---- plot_png.c ----
// an image of 8-bit RGB as PNG
void hol_png_write(FILE *f, const unsigned char *rgb, int width, int height, double pixels_a_pt,
                   HolArena *arena);

#endif
