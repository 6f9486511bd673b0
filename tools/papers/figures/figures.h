// SPDX-License-Identifier: Apache-2.0
// The curve figures of the papers: a figure is panels of curves, a curve a quantity along a run of an
// embedded model (or points), drawn by the plot library into DIR/PAPER-figNUMBER.svg.
#ifndef HOL_PAPERS_FIGURES_H
#define HOL_PAPERS_FIGURES_H

#include "tools/papers/papers.h"

enum { HOL_FIGURE_PANELS = 6, HOL_FIGURE_CURVES = 8 };

typedef struct HolFigures {
    HolPaper *p;
    const char *dir;
    int png; // pictures as PNG beside SVG
    void (*drawn)(void *to, const char *path, const char *title);
    void *to;
} HolFigures;

typedef struct HolFigure {
    HolFigures *all;
    HolPaper *p;
    HolArena arena;
    const char *paper, *number;
    HolPlot plot;
    HolPanel panels[HOL_FIGURE_PANELS];
    HolCurve curves[HOL_FIGURE_PANELS][HOL_FIGURE_CURVES];
} HolFigure;

typedef double (*HolFigureValue)(const HolView *x, const void *data);

// a curve along a run
typedef struct HolTrace {
    const char *label, *model;
    HolFigureValue y, x; // x NULL: time
    const void *data;
    double bound; // the run ends where |y| passes it; 0: it does not
    long every;   // steps between two points; 0: 1
    int color, dash, markers;
} HolTrace;

// an empty figure with room in `f`; its end is hol_figure_draw
void hol_figure_begin(HolFigure *f, HolFigures *all, const char *paper, const char *number,
                      const char *title, const char *x_label);
void hol_figure_panel(HolFigure *f, const char *label, double low, double high);
void hol_figure_trace(HolFigure *f, const HolTrace *trace, const char *settings, ...)
    __attribute__((format(printf, 3, 4)));
// the same for a problem written in C
void hol_figure_problem(HolFigure *f, const HolTrace *trace, const HolProblem *problem,
                        const double *q, const double *v, const HolSimOptions *o);
// y(x) at n places from `from` to `to`
void hol_figure_function(HolFigure *f, const char *label, double (*y)(double x, const void *data),
                         const void *data, double from, double to, int n, int color, int dash);
void hol_figure_draw(HolFigure *f);

// values: a coordinate, a velocity, a multiplier; data: its number as int
double hol_figure_q(const HolView *x, const void *number);
double hol_figure_v(const HolView *x, const void *number);
double hol_figure_lambda(const HolView *x, const void *number);
extern const int hol_figure_index[12]; // 0, 1, 2 ..

void hol_figures_000(HolFigures *f);
void hol_figures_000_models(HolFigures *f);
void hol_figures_001(HolFigures *f);
void hol_figures_002(HolFigures *f);
void hol_figures_003(HolFigures *f);
void hol_figures_004(HolFigures *f);

#endif
