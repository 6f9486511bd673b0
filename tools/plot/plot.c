// SPDX-License-Identifier: Apache-2.0
// Plots for papers: panels one below the other over a common x axis, with ticks inside the frame,
// labels with units, and a legend in the corner that covers least. Curves with many points are
// reduced to the smallest and largest value of each third of a pt, which looks the same.
#include "tools/plot/plot.h"
#include "base/sized.h"
#include "io/atomic_file.h"
#include "tools/plot/plot_apart.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static const unsigned colors[] = {0x1f6fb5, 0xd9731a, 0x2f8f4e, 0xc23b3b,
                                  0x7b53b0, 0x138a8a, 0x9a6b14, 0xb04b86};
static const double dashes[][6] = {{0}, {6, 3, 0}, {2, 2, 0}, {8, 2, 2, 2, 0}};
enum { COLORS = 8, DASHES = 4, MOST_POINTS = 20000, MOST_SECONDS = 10 };
static const double text_size = 10, small_size = 9;

typedef struct Frame { // one panel on the canvas
    HolCanvas *canvas;
    const HolPlot *plot;
    const HolPanel *panel;
    HolAxis x, y;
    double height; // of the canvas
    double left, top, right, bottom;
    double more_x, more_y; // added to the ranges on both sides, for axes of equal units
} Frame;

static double shown(double value, int log) {
    if (!log)
        return value;
    return value > 0 ? log10(value) : NAN;
}

static void extend(double value, double *min, double *max) {
    if (isfinite(value)) {
        *min = fmin(*min, value);
        *max = fmax(*max, value);
    }
}

static void x_range(const HolPlot *plot, double *min, double *max) {
    *min = INFINITY;
    *max = -INFINITY;
    for (int k = 0; k < plot->n_panels; k++)
        for (int i = 0; i < plot->panels[k].n_curves; i++) {
            const HolCurve *c = &plot->panels[k].curves[i];
            for (long j = 0; j < c->n; j++)
                extend(shown(c->x[j], plot->log_x), min, max);
        }
    if (isfinite(plot->from))
        *min = shown(plot->from, plot->log_x);
    if (isfinite(plot->to))
        *max = shown(plot->to, plot->log_x);
}

// of the points inside the range of x
static void y_range(const HolPlot *plot, const HolPanel *panel, const HolAxis *x, double *min,
                    double *max) {
    double slack = 1e-9 * (x->max - x->min);
    *min = INFINITY;
    *max = -INFINITY;
    for (int i = 0; i < panel->n_curves; i++) {
        const HolCurve *c = &panel->curves[i];
        for (long j = 0; j < c->n; j++) {
            double at = shown(c->x[j], plot->log_x);
            if (at >= x->min - slack && at <= x->max + slack)
                extend(shown(c->y[j], panel->log_y), min, max);
        }
    }
    if (panel->low < panel->high) {
        *min = shown(panel->low, panel->log_y);
        *max = shown(panel->high, panel->log_y);
        return;
    }
    // a residual that is 1e-57 by chance says nothing: not more than 16 powers of ten
    if (panel->log_y && *max - *min > 16)
        *min = *max - 16;
}

static HolPoint2 plot_place(const Frame *f, double x, double y) {
    double u = (x - f->x.min) / (f->x.max - f->x.min), v = (y - f->y.min) / (f->y.max - f->y.min);
    return (HolPoint2){f->left + u * (f->right - f->left), f->bottom - v * (f->bottom - f->top)};
}

// ---- curves ----

// points of one bin of x: at most first, lowest, highest, last, in their order
typedef struct Thin {
    HolPoint2 *out;
    long n;
    long bin;
    HolPoint2 first, low, high, last;
    int count, low_first;
} Thin;

static void plot_flush(Thin *t) {
    if (t->count == 0)
        return;
    t->out[t->n++] = t->first;
    if (t->count > 2) {
        t->out[t->n++] = t->low_first ? t->low : t->high;
        t->out[t->n++] = t->low_first ? t->high : t->low;
    }
    if (t->count > 1)
        t->out[t->n++] = t->last;
    t->count = 0;
}

static void plot_add(Thin *t, HolPoint2 p, int reduce) {
    long bin = reduce ? (long)floor(3 * p.x) : t->bin + 1;
    if (bin != t->bin)
        plot_flush(t);
    t->bin = bin;
    if (t->count++ == 0) {
        t->first = t->low = t->high = t->last = p;
        return;
    }
    if (p.y > t->low.y) {
        t->low = p;
        t->low_first = 0;
    }
    if (p.y < t->high.y) {
        t->high = p;
        t->low_first = 1;
    }
    t->last = p;
}

static void draw_curve(const Frame *f, const HolCurve *c, HolPoint2 *room) {
    HolCanvas *canvas = f->canvas;
    int dash = c->dash % DASHES;
    HolPen pen = {colors[c->color % COLORS], 1.2, dash ? dashes[dash] : NULL};
    Thin t = {.out = room, .bin = -1000000};
    int reduce = c->n > 2000, alone = 1;
    for (long j = 0; j < c->n; j++) {
        double x = shown(c->x[j], f->plot->log_x), y = shown(c->y[j], f->panel->log_y);
        if (isfinite(x) && isfinite(y)) {
            // far outside: kept near, so that numbers stay printable
            HolPoint2 p = plot_place(f, x, y);
            p.x = fmax(-1e4, fmin(1e4, p.x));
            p.y = fmax(-1e4, fmin(1e4, p.y));
            plot_add(&t, p, reduce);
        }
        if (!isfinite(x) || !isfinite(y) || t.n > MOST_POINTS - 8 || j + 1 == c->n) {
            plot_flush(&t);
            HolPoint2 last = t.n ? room[t.n - 1] : (HolPoint2){0, 0};
            // a single point between gaps would not be seen as a line
            if (c->markers < 2 && t.n == 1 && alone)
                hol_canvas_disc(canvas, last, 0.9, pen.color);
            else if (c->markers < 2)
                hol_canvas_line(canvas, room, t.n, &pen);
            int broken = !isfinite(x) || !isfinite(y);
            alone = broken;
            t.n = 0;
            if (!broken)
                room[t.n++] = last; // goes on from here
        }
    }
    for (long j = 0; c->markers && j < c->n; j++) {
        double x = shown(c->x[j], f->plot->log_x), y = shown(c->y[j], f->panel->log_y);
        if (isfinite(x) && isfinite(y))
            hol_canvas_disc(canvas, plot_place(f, x, y), 2.2, pen.color);
    }
}

// ---- frame, ticks, labels ----

static void segment(HolCanvas *c, double x0, double y0, double x1, double y1, unsigned color,
                    double width) {
    HolPoint2 p[2] = {{x0, y0}, {x1, y1}};
    HolPen pen = {color, width, NULL};
    hol_canvas_line(c, p, 2, &pen);
}

static void draw_grid(const Frame *f) {
    for (int i = 0; i < f->x.n; i++) {
        double x = plot_place(f, f->x.tick[i], f->y.min).x;
        segment(f->canvas, x, f->top, x, f->bottom, 0xe6e6e6, 0.5);
    }
    for (int i = 0; i < f->y.n; i++) {
        double y = plot_place(f, f->x.min, f->y.tick[i]).y;
        segment(f->canvas, f->left, y, f->right, y, 0xe6e6e6, 0.5);
    }
}

static void draw_frame(const Frame *f, int last) {
    HolCanvas *c = f->canvas;
    const double tick = 4, minor = 2;
    hol_canvas_box(c, (double[]){f->left, f->top, f->right, f->bottom},
                   &(HolPen){0x000000, 0.7, NULL});
    for (int i = 0; i < f->x.n; i++) {
        double x = plot_place(f, f->x.tick[i], f->y.min).x;
        segment(c, x, f->bottom, x, f->bottom - tick, 0, 0.7);
        if (last)
            hol_canvas_text(c, (HolPoint2){x, f->bottom + 4 + small_size}, small_size, HOL_MIDDLE,
                            0, f->x.label[i]);
    }
    for (int i = 0; i < f->x.n_minor; i++) {
        double x = plot_place(f, f->x.minor[i], f->y.min).x;
        segment(c, x, f->bottom, x, f->bottom - minor, 0, 0.5);
    }
    for (int i = 0; i < f->y.n; i++) {
        double y = plot_place(f, f->x.min, f->y.tick[i]).y;
        segment(c, f->left, y, f->left + tick, y, 0, 0.7);
        hol_canvas_text(c, (HolPoint2){f->left - 4, y + 0.35 * small_size}, small_size, HOL_END, 0,
                        f->y.label[i]);
    }
    for (int i = 0; i < f->y.n_minor; i++) {
        double y = plot_place(f, f->x.min, f->y.minor[i]).y;
        segment(c, f->left, y, f->left + minor, y, 0, 0.5);
    }
    if (f->panel->label && f->panel->label[0])
        hol_canvas_text(c, (HolPoint2){13, (f->top + f->bottom) / 2}, text_size, HOL_MIDDLE, 1,
                        f->panel->label);
}

// ---- legend ----

static HolPoint2 point_of(const Frame *f, const HolCurve *c, long j) {
    return plot_place(f, shown(c->x[j], f->plot->log_x), shown(c->y[j], f->panel->log_y));
}

// how many points of the curves a box would cover; few points stand for the lines between them
static long covered(const Frame *f, double left, double top, double width, double height) {
    long n = 0;
    for (int i = 0; i < f->panel->n_curves; i++) {
        const HolCurve *c = &f->panel->curves[i];
        long step = c->n / 2000 + 1;
        int parts = c->n < 200 && c->markers < 2 ? 16 : 1;
        for (long j = 0; j < c->n; j += step)
            for (int k = 0; k < (j > 0 ? parts : 1); k++) {
                HolPoint2 p = point_of(f, c, j);
                if (k > 0) {
                    HolPoint2 before = point_of(f, c, j - 1);
                    p.x += (before.x - p.x) * k / parts;
                    p.y += (before.y - p.y) * k / parts;
                }
                n += p.x > left && p.x < left + width && p.y > top && p.y < top + height;
            }
    }
    return n;
}

typedef struct Legend {
    double left, top, width, height;
    int n;
    long covers; // points of curves below it
} Legend;

static const double legend_line = 13, legend_sample = 22, legend_pad = 5;

// the corner that covers least
static Legend place_legend(const Frame *f) {
    Legend l = {.covers = -1};
    for (int i = 0; i < f->panel->n_curves; i++)
        if (f->panel->curves[i].label) {
            const char *label = f->panel->curves[i].label;
            l.width = fmax(l.width, hol_canvas_text_width(f->canvas, small_size, label));
            l.n++;
        }
    l.width += legend_sample + 3 * legend_pad;
    l.height = l.n * legend_line + legend_pad;
    if (l.height + 16 > f->bottom - f->top)
        l.n = 0;
    for (int k = 0; k < 4 && l.n > 0; k++) {
        double left = k % 2 ? f->left + 8 : f->right - 8 - l.width;
        double top = k < 2 ? f->top + 8 : f->bottom - 8 - l.height;
        long here = covered(f, left, top, l.width, l.height);
        if (l.covers < 0 || here < l.covers) {
            l.covers = here;
            l.left = left;
            l.top = top;
        }
    }
    return l;
}

static void draw_legend(const Frame *f) {
    HolCanvas *c = f->canvas;
    Legend l = place_legend(f);
    if (l.n == 0)
        return;
    // white ground, so that the grid does not disturb
    hol_canvas_box(c, (double[]){l.left, l.top, l.left + l.width, l.top + l.height},
                   &(HolPen){0xffffff, 0, NULL});
    double y = l.top + legend_pad + 4;
    for (int i = 0; i < f->panel->n_curves; i++) {
        const HolCurve *curve = &f->panel->curves[i];
        if (!curve->label)
            continue;
        int dash = curve->dash % DASHES;
        HolPen pen = {colors[curve->color % COLORS], 1.5, dash ? dashes[dash] : NULL};
        HolPoint2 p[2] = {{l.left + legend_pad, y}, {l.left + legend_pad + legend_sample, y}};
        if (curve->markers < 2)
            hol_canvas_line(c, p, 2, &pen);
        if (curve->markers)
            hol_canvas_disc(c, (HolPoint2){p[0].x + legend_sample / 2, y}, 2.2, pen.color);
        hol_canvas_text(c, (HolPoint2){p[1].x + legend_pad, y + 0.35 * small_size}, small_size,
                        HOL_START, 0, curve->label);
        y += legend_line;
    }
}

// ---- the whole picture ----

// place and y axis of panel k, with room for its legend
static void set_panel(Frame *f, int k, double top) {
    const HolPlot *plot = f->plot;
    double min, max, each = (f->height - top - 36) / plot->n_panels;
    f->panel = &plot->panels[k];
    f->top = top + k * each;
    f->bottom = top + (k + 1) * each - (k + 1 < plot->n_panels ? 10 : 0);
    y_range(plot, f->panel, &f->x, &min, &max);
    min -= f->more_y;
    max += f->more_y;
    int ticks = (int)((f->bottom - f->top) / 34);
    const int given = plot->equal || f->panel->low < f->panel->high;
    hol_axis_make(&f->y, min, max, f->panel->log_y, given ? 0 : 0.05, ticks);
    if (given)
        return;
    Legend l = place_legend(f);
    // no free corner: room above the curves
    if (l.n > 0 && l.covers > 0) {
        double share = (l.height + 10) / (f->bottom - f->top);
        hol_axis_make(&f->y, min, max + (max - min) * share / (1 - share), f->panel->log_y, 0.05,
                      ticks);
    }
}

static void set_x(Frame *f) {
    double min, max;
    x_range(f->plot, &min, &max);
    min -= f->more_x;
    max += f->more_x;
    hol_axis_make(&f->x, min, max, f->plot->log_x, 0, (int)((f->right - f->left) / 65));
}

// left: between the label of the y axis and the frame, the longest number of all panels
static void make_room(Frame *f, double top) {
    double widest = 0;
    for (int k = 0; k < f->plot->n_panels; k++) {
        set_panel(f, k, top);
        for (int i = 0; i < f->y.n; i++)
            widest = fmax(widest, hol_canvas_text_width(f->canvas, small_size, f->y.label[i]));
    }
    f->left = fmax(f->left, 26 + widest);
    // the last number of the x axis ends inside the picture
    if (f->x.n > 0) {
        double last = plot_place(f, f->x.tick[f->x.n - 1], f->y.min).x, right = f->right + 14;
        double half = 0.5 * hol_canvas_text_width(f->canvas, small_size, f->x.label[f->x.n - 1]);
        f->right -= fmax(0, last + half + 4 - right);
    }
    set_x(f);
}

// the range of the axis whose units are longer grows until they are equal, after a little room on
// all sides
static void make_equal(Frame *f, double top) {
    for (int round = 0; round < 2; round++) {
        set_x(f);
        set_panel(f, 0, top);
        const double x = f->x.max - f->x.min, y = f->y.max - f->y.min,
                     unit_x = (f->right - f->left) / x, unit_y = (f->bottom - f->top) / y;
        if (round == 0) {
            f->more_x = 0.04 * x;
            f->more_y = 0.04 * y;
        } else if (unit_x > unit_y) {
            f->more_x += ((f->right - f->left) / unit_y - x) / 2;
        } else {
            f->more_y += ((f->bottom - f->top) / unit_x - y) / 2;
        }
    }
    set_x(f);
}

// what the caller asked for, with the defaults filled in
typedef struct Picture {
    const HolPlot *plot;
    int format; // -1: the name does not say
    double size[2], scale;
    HolArena *arena;
} Picture;

static void plot_draw(const Picture *p, HolCanvas *c, Frame *f, HolPoint2 *room) {
    const HolPlot *plot = p->plot;
    double top = plot->title && plot->title[0] ? 26 : 10;
    *f = (Frame){
        .canvas = c, .plot = plot, .height = p->size[1], .left = 58, .right = p->size[0] - 14};
    set_x(f);
    make_room(f, top);
    if (plot->equal)
        make_equal(f, top);
    double middle = (f->left + f->right) / 2;
    if (top > 20)
        hol_canvas_text(c, (HolPoint2){middle, 17}, text_size + 1, HOL_MIDDLE, 0, plot->title);
    for (int k = 0; k < plot->n_panels; k++) {
        set_panel(f, k, top);
        draw_grid(f);
        hol_canvas_clip(c, (double[]){f->left, f->top, f->right, f->bottom});
        for (int i = 0; i < f->panel->n_curves; i++)
            draw_curve(f, &f->panel->curves[i], room);
        hol_canvas_clip(c, NULL);
        draw_frame(f, k + 1 == plot->n_panels);
        draw_legend(f);
    }
    if (plot->x_label)
        hol_canvas_text(c, (HolPoint2){middle, f->height - 7}, text_size, HOL_MIDDLE, 0,
                        plot->x_label);
}

static HolStatus draw_into(void *picture, FILE *file, HolError *err) {
    const Picture *p = picture;
    HolPoint2 *room = HOL_NEW(p->arena, HolPoint2, MOST_POINTS + 16);
    Frame *f = HOL_NEW(p->arena, Frame, 1);
    HolCanvas *canvas;
    if (!room || !f)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    HolStatus status = hol_canvas_open(&canvas, p->arena, p->format, p->size, p->scale, file, err);
    if (status)
        return status;
    plot_draw(p, canvas, f, room);
    return hol_canvas_close(canvas, err);
}

// by the ending of the name; -1: it has none of them
static int plot_format(const char *path) {
    static const char *const endings[] = {[HOL_PLOT_SVG] = ".svg", [HOL_PLOT_PNG] = ".png"};
    size_t n = strlen(path);
    for (int i = 0; i < 2; i++)
        if (n > 4 && strcasecmp(path + n - 4, endings[i]) == 0)
            return i;
    return -1;
}

static HolStatus set_size(Picture *p, HolError *err) {
    const HolPlot *plot = p->plot;
    p->size[0] = plot->width > 0 ? plot->width : plot->equal ? 420 : 480;
    p->size[1] = plot->height > 0 ? plot->height : plot->equal ? 400 : 90 + 210 * plot->n_panels;
    p->scale = plot->scale > 0 ? plot->scale : 3;
    if (plot->n_panels < 1)
        return hol_error_set(err, HOL_ERR_INPUT, "nothing to plot");
    if (plot->equal && (plot->n_panels > 1 || plot->log_x || plot->panels[0].log_y))
        return hol_error_set(err, HOL_ERR_INPUT,
                             "axes of equal units need one panel and no logarithmic axis; the "
                             "columns have %d units",
                             plot->n_panels);
    if (p->size[0] * p->scale > 20000 || p->size[1] * p->scale > 20000)
        return hol_error_set(err, HOL_ERR_INPUT, "the picture would be too large");
    return HOL_OK;
}

static HolStatus write_picture(Picture *p, const HolAtomicFile *place, HolError *err) {
    // a device or a pipe may have any name
    if (p->format < 0 && place->direct)
        p->format = HOL_PLOT_SVG;
    if (p->format < 0)
        return hol_error_set(err, HOL_ERR_INPUT, "'%s': a picture's name ends in .svg or .png",
                             place->path);
    FILE *file = hol_file_open(place, err);
    if (!file)
        return HOL_ERR_FILE;
    HolStatus status = hol_plot_apart(draw_into, p, MOST_SECONDS, file, err);
    HolStatus closed = hol_file_close(place, file, !status, err);
    return status ? status : closed;
}

void hol_plot_sized(HolPlot *out, size_t room) {
    const HolPlot plot = {.from = NAN, .to = NAN};
    hol_sized_make(out, room, &plot, sizeof plot);
}

HolStatus hol_plot_write(const HolPlot *given, const char *path, HolError *err) {
    HolPlot own = hol_plot(), *plot = &own;
    HolError problem;
    hol_error_clear(err);
    if (hol_sized_take(plot, sizeof *plot, given, "hol_plot", &problem))
        return hol_error_set(err, HOL_ERR_INPUT, "HolPlot: %s", problem.text);
    if (!path || (plot->n_panels > 0 && !plot->panels))
        return hol_error_set(err, HOL_ERR_INPUT, "a plot needs a path and its panels, not NULL");
    HolArena arena = {0};
    HolAtomicFile place;
    Picture picture = {.plot = plot, .format = plot_format(path), .arena = &arena};
    HolStatus status = hol_canvas_ready(err);
    if (!status)
        status = set_size(&picture, err);
    if (!status)
        status = hol_file_choose(&place, &arena, path, err);
    if (!status)
        status = write_picture(&picture, &place, err);
    hol_arena_free(&arena);
    return status;
}
