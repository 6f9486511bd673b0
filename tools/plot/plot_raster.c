// SPDX-License-Identifier: Apache-2.0
// The canvas of pixels. A line's pixel is covered by 1/2 + w/2 - d, d its distance from the middle
// of the line, w the width in pixels, cut at 0 and 1; the pieces of one line are joined by the
// largest cover before they are mixed into the image, so that joints do not show.
#include "tools/plot/plot.h"

#include <math.h>
#include <string.h>

typedef struct Raster {
    int width, height;
    unsigned char *rgb;
    unsigned char *cover; // of the line being drawn
    int dirty[4];         // the part of it that is used: left, top, right, bottom
    double clip[4];       // pixels
} Raster;

static int raster_begin(HolCanvas *c) {
    Raster *r = HOL_NEW(c->arena, Raster, 1);
    if (!r)
        return 0;
    r->width = (int)lround(c->width * c->scale);
    r->height = (int)lround(c->height * c->scale);
    size_t pixels = (size_t)r->width * (size_t)r->height;
    r->rgb = hol_arena_alloc(c->arena, 3 * pixels);
    r->cover = hol_arena_alloc(c->arena, pixels);
    if (!r->rgb || !r->cover)
        return 0;
    memset(r->rgb, 255, 3 * pixels);
    r->clip[2] = r->width;
    r->clip[3] = r->height;
    c->data = r;
    return 1;
}

static void mark_dirty(Raster *r, int left, int top, int right, int bottom) {
    if (r->dirty[2] == 0) {
        r->dirty[0] = left, r->dirty[1] = top, r->dirty[2] = right, r->dirty[3] = bottom;
        return;
    }
    r->dirty[0] = left < r->dirty[0] ? left : r->dirty[0];
    r->dirty[1] = top < r->dirty[1] ? top : r->dirty[1];
    r->dirty[2] = right > r->dirty[2] ? right : r->dirty[2];
    r->dirty[3] = bottom > r->dirty[3] ? bottom : r->dirty[3];
}

// range of whole pixels around [lo, hi], inside [from, to)
static void pixel_range(double lo, double hi, double from, double to, int *a, int *b) {
    lo = fmax(floor(lo), floor(from));
    hi = fmin(ceil(hi) + 1, ceil(to));
    *a = lo < 0 ? 0 : (int)lo;
    *b = hi > *a ? (int)hi : *a;
}

// cover by the piece from p to q (pixels); width 0 and p == q gives a disc of radius `half`
static void cover_piece(Raster *r, HolPoint2 p, HolPoint2 q, double half) {
    double reach = half + 1;
    int left, right, top, bottom;
    if (!(fabs(p.x) < 1e7 && fabs(p.y) < 1e7 && fabs(q.x) < 1e7 && fabs(q.y) < 1e7))
        return;
    pixel_range(fmin(p.x, q.x) - reach, fmax(p.x, q.x) + reach, r->clip[0], r->clip[2], &left,
                &right);
    pixel_range(fmin(p.y, q.y) - reach, fmax(p.y, q.y) + reach, r->clip[1], r->clip[3], &top,
                &bottom);
    if (right <= left || bottom <= top)
        return;
    mark_dirty(r, left, top, right, bottom);
    double dx = q.x - p.x, dy = q.y - p.y, length2 = dx * dx + dy * dy;
    for (int y = top; y < bottom; y++) {
        unsigned char *row = r->cover + (size_t)y * (size_t)r->width;
        for (int x = left; x < right; x++) {
            double px = x + 0.5 - p.x, py = y + 0.5 - p.y;
            double s = length2 > 0 ? (px * dx + py * dy) / length2 : 0;
            s = s < 0 ? 0 : s > 1 ? 1 : s;
            double d = hypot(px - s * dx, py - s * dy), part = half + 0.5 - d;
            if (part <= 0)
                continue;
            // a line thinner than a pixel is a faint one
            part = fmin(part, fmin(1, 2 * half));
            unsigned char value = (unsigned char)(255 * part + 0.5);
            if (value > row[x])
                row[x] = value;
        }
    }
}

// the cover becomes colour, and is cleared
static void plot_raster_mix(Raster *r, unsigned color) {
    const unsigned parts[3] = {color >> 16 & 255, color >> 8 & 255, color & 255};
    for (int y = r->dirty[1]; y < r->dirty[3]; y++)
        for (int x = r->dirty[0]; x < r->dirty[2]; x++) {
            size_t at = (size_t)y * (size_t)r->width + (size_t)x;
            unsigned cover = r->cover[at];
            if (!cover)
                continue;
            for (int k = 0; k < 3; k++) {
                unsigned old = r->rgb[3 * at + (size_t)k];
                r->rgb[3 * at + (size_t)k] =
                    (unsigned char)((old * (255 - cover) + parts[k] * cover + 127) / 255);
            }
            r->cover[at] = 0;
        }
    memset(r->dirty, 0, sizeof r->dirty);
}

// a piece of a dashed line: the parts that are on; *phase = length done in the pattern
static void dashed_piece(Raster *r, HolPoint2 p, HolPoint2 q, double half, const double *dash,
                         double scale, int *k, double *left) {
    double length = hypot(q.x - p.x, q.y - p.y), done = 0;
    while (length > 0 && done < length) {
        double step = fmin(*left, length - done);
        if (*k % 2 == 0) {
            double a = done / length, b = (done + step) / length;
            HolPoint2 from = {p.x + a * (q.x - p.x), p.y + a * (q.y - p.y)};
            HolPoint2 to = {p.x + b * (q.x - p.x), p.y + b * (q.y - p.y)};
            cover_piece(r, from, to, half);
        }
        done += step;
        *left -= step;
        if (*left <= 1e-9) {
            *k = dash[*k + 1] > 0 ? *k + 1 : 0;
            *left = dash[*k] * scale;
        }
    }
}

static void raster_line(HolCanvas *c, const HolPoint2 *p, long n, const HolPen *pen) {
    Raster *r = c->data;
    double s = c->scale, half = 0.5 * pen->width * s;
    int k = 0;
    double left = pen->dash ? pen->dash[0] * s : 0;
    for (long i = 1; i < n; i++) {
        HolPoint2 a = {p[i - 1].x * s, p[i - 1].y * s}, b = {p[i].x * s, p[i].y * s};
        if (pen->dash)
            dashed_piece(r, a, b, half, pen->dash, s, &k, &left);
        else
            cover_piece(r, a, b, half);
    }
    plot_raster_mix(r, pen->color);
}

static void raster_disc(HolCanvas *c, HolPoint2 at, double radius, unsigned color) {
    HolPoint2 p = {at.x * c->scale, at.y * c->scale};
    cover_piece(c->data, p, p, radius * c->scale);
    plot_raster_mix(c->data, color);
}

// ---- text ----

typedef struct Writing {
    Raster *raster;
    HolPoint2 origin; // pixels
    double size, half, shift;
    int upward;
} Writing;

static void write_stroke(void *to, const HolPoint2 *points, int n) {
    const Writing *w = to;
    HolPoint2 last = {0, 0};
    for (int i = 0; i < n; i++) {
        double x = (points[i].x + w->shift) * w->size, y = points[i].y * w->size;
        HolPoint2 p = w->upward ? (HolPoint2){w->origin.x - y, w->origin.y - x}
                                : (HolPoint2){w->origin.x + x, w->origin.y - y};
        cover_piece(w->raster, i ? last : p, p, w->half);
        last = p;
    }
}

static void raster_text(HolCanvas *c, HolPoint2 at, double size, HolAnchor anchor, int upward,
                        const char *text) {
    Writing w = {.raster = c->data, .upward = upward, .size = size * c->scale};
    w.origin = (HolPoint2){at.x * c->scale, at.y * c->scale};
    w.half = 0.042 * w.size;
    double width = hol_font_text(text, NULL, NULL);
    w.shift = anchor == HOL_START ? 0 : anchor == HOL_MIDDLE ? -0.5 * width : -width;
    hol_font_text(text, write_stroke, &w);
    plot_raster_mix(c->data, 0x000000);
}

static void raster_clip(HolCanvas *c, const double *box) {
    Raster *r = c->data;
    for (int k = 0; k < 4; k++)
        r->clip[k] = box ? box[k] * c->scale : k == 2 ? r->width : k == 3 ? r->height : 0;
}

static void raster_end(HolCanvas *c) {
    const Raster *r = c->data;
    hol_png_write(c->file, r->rgb, r->width, r->height, c->scale, c->arena);
}

const HolCanvasKind hol_canvas_png = {
    .ending = ".png",
    .begin = raster_begin,
    .line = raster_line,
    .disc = raster_disc,
    .text = raster_text,
    .clip = raster_clip,
    .end = raster_end,
};
