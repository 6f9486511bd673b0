// SPDX-License-Identifier: Apache-2.0
// Letters as strokes, so that pictures in pixels need no font library. A glyph is a list of
// strokes: l = straight pieces, s = a smooth curve that starts and ends at its first and last point
// and touches the middles of the sides between (quadratic B-spline), o = the same, closed.
// Units of 1/20 of the font size: capitals 14 high, small letters 10, down to -4.
#include "tools/plot/plot.h"

#include <stdlib.h>
#include <string.h>

typedef struct Glyph {
    unsigned code; // Unicode
    int advance;
    const char *strokes;
} Glyph;

static const Glyph glyphs[] = {
    {' ', 6, ""},
    {'!', 4, "l 1 14 1 5 l 1 0.6 1 0"},
    {'"', 7, "l 1 14 1 10 l 4 14 4 10"},
    {'#', 12, "l 2 0 4 14 l 6 0 8 14 l 0 5 10 5 l 0 9 10 9"},
    {'$', 11, "s 8 11.5 7 13 0 13 0 7.5 8 7 8 1 1 1 0 2.5 l 4 -1 4 15"},
    {'%', 15, "o 0 7.5 5 7.5 5 14 0 14 o 7 0 12 0 12 6.5 7 6.5 l 2 0 10 14"},
    {'&', 13, "l 11 0 2 10 s 2 10 2 14 7 14 7 10 0 7 0 0 7 0 10 7"},
    {'\'', 4, "l 1 14 1 10"},
    {'(', 6, "s 4 16 0 11 0 2 4 -3"},
    {')', 6, "s 0 16 4 11 4 2 0 -3"},
    {'*', 8, "l 3 8 3 14 l 0.5 9.5 5.5 12.5 l 0.5 12.5 5.5 9.5"},
    {'+', 11, "l 1 5.5 9 5.5 l 5 1.5 5 9.5"},
    {',', 5, "l 1.6 0.6 0.6 -2.5"},
    {'-', 8, "l 1 5.5 6 5.5"},
    {'.', 5, "l 1 0 1 0.5"},
    {'/', 8, "l 0 -1 6 15"},
    {'0', 11, "o 0 0 8 0 8 14 0 14"},
    {'1', 11, "l 1 11 4.5 14 4.5 0"},
    {'2', 11, "s 0 10.5 0 14 8 14 8 8 0 0 l 0 0 8 0"},
    {'3', 11, "s 0.3 12 1 14 8 14 8 7.5 3 7.5 s 3 7.5 8.5 7.5 8.5 0 1 0 0 2"},
    {'4', 11, "l 6 0 6 14 0 4 9 4"},
    {'5', 11, "l 7.5 14 1 14 0.5 7.5 s 0.5 7.5 2 9 8 9 8 0 1 0 0 2"},
    {'6', 11, "o 0 0 8 0 8 8.5 0 8.5 s 7 13 5.5 14.5 0 14 0 4.25"},
    {'7', 11, "l 0 14 8 14 3 0"},
    {'8', 11, "o 0.5 7.5 7.5 7.5 7.5 14 0.5 14 o 0 0 8 0 8 7.5 0 7.5"},
    {'9', 11, "o 0 5.5 8 5.5 8 14 0 14 s 1 1 2.5 -0.5 8 0 8 9.75"},
    {':', 5, "l 1 0 1 0.5 l 1 8 1 8.5"},
    {';', 5, "l 1.6 0.6 0.6 -2.5 l 1.6 8 1.6 8.5"},
    {'<', 11, "l 9 10 1 5.5 9 1"},
    {'=', 11, "l 1 4 9 4 l 1 7.5 9 7.5"},
    {'>', 11, "l 1 10 9 5.5 1 1"},
    {'?', 10, "s 0 11.5 0 14 7 14 7 8.5 3.5 7 3.5 4 l 3.5 0.5 3.5 0"},
    {'@', 16, "o 4 3 10 3 10 10 4 10 s 10 10 10 3 14 3 14 14 0 15 0 -2 7 -2 11 -1"},
    {'A', 12, "l 0 0 5 14 10 0 l 1.8 5 8.2 5"},
    {'B', 12,
     "l 4 0 0 0 0 14 4 14 s 4 14 8.5 14 8.5 7.5 4 7.5 l 0 7.5 5 7.5 s 5 7.5 10 7.5 10 0 4 0"},
    {'C', 12, "s 10 3 9 0 0 0 0 14 9 14 10 11"},
    {'D', 13, "l 4 0 0 0 0 14 4 14 s 4 14 10.5 14 10.5 0 4 0"},
    {'E', 11, "l 8 14 0 14 0 0 8 0 l 0 7.3 7 7.3"},
    {'F', 10, "l 8 14 0 14 0 0 l 0 7.3 7 7.3"},
    {'G', 14, "s 10.5 11 9.5 14 0 14 0 0 9 0 10.5 4 l 10.5 2.5 10.5 6.5 6.5 6.5"},
    {'H', 12, "l 0 0 0 14 l 9.5 0 9.5 14 l 0 7.3 9.5 7.3"},
    {'I', 5, "l 1 0 1 14"},
    {'J', 9, "l 6 14 6 4 s 6 4 6 0 0 0 0 3"},
    {'K', 11, "l 0 0 0 14 l 9 14 0 5 l 3.5 8.5 9 0"},
    {'L', 10, "l 0 14 0 0 7.5 0"},
    {'M', 15, "l 0 0 0 14 6 4 12 14 12 0"},
    {'N', 13, "l 0 0 0 14 9.5 0 9.5 14"},
    {'O', 14, "o 0 0 11 0 11 14 0 14"},
    {'P', 12, "l 0 0 0 14 5 14 s 5 14 9 14 9 6.5 5 6.5 l 5 6.5 0 6.5"},
    {'Q', 14, "o 0 0 11 0 11 14 0 14 l 7 4 11 -1"},
    {'R', 12, "l 0 0 0 14 5 14 s 5 14 9 14 9 6.5 5 6.5 l 0 6.5 5 6.5 9.5 0"},
    {'S', 12, "s 9 11.5 8 14 0 14 0 8 9 7.5 9 0 1 0 0 2.5"},
    {'T', 11, "l 0 14 10 14 l 5 14 5 0"},
    {'U', 13, "l 0 14 0 5 s 0 5 0 0 10 0 10 5 l 10 5 10 14"},
    {'V', 12, "l 0 14 5 0 10 14"},
    {'W', 17, "l 0 14 3.5 0 7 14 10.5 0 14 14"},
    {'X', 11, "l 0 0 9 14 l 0 14 9 0"},
    {'Y', 12, "l 0 14 5 6.5 10 14 l 5 6.5 5 0"},
    {'Z', 11, "l 0 14 9 14 0 0 9 0"},
    {'[', 6, "l 3 16 0 16 0 -3 3 -3"},
    {'\\', 8, "l 0 15 6 -1"},
    {']', 6, "l 0 16 3 16 3 -3 0 -3"},
    {'^', 9, "l 0 8 3 14 6 8"},
    {'_', 10, "l 0 -2 9 -2"},
    {'`', 6, "l 1 14 3 11.5"},
    {'a', 11, "o 0 0 8 0 8 10 0 10 l 8 0 8 10"},
    {'b', 11, "l 0 0 0 14 o 0 0 8 0 8 10 0 10"},
    {'c', 10, "s 8 2.2 7 0 0 0 0 10 7 10 8 7.8"},
    {'d', 11, "l 8 0 8 14 o 0 0 8 0 8 10 0 10"},
    {'e', 11, "l 0 5.2 8 5.2 s 8 5.2 8 10 0 10 0 0 6.5 0 7.8 2.2"},
    {'f', 7, "s 6 14 2 14.5 2 10 l 2 10 2 0 l 0 10 5 10"},
    {'g', 11, "o 0 0 8 0 8 10 0 10 l 8 10 8 0 s 8 0 8 -4 1.5 -4 0.5 -2.5"},
    {'h', 11, "l 0 0 0 14 s 0 6 1 10 8 10 8 5 l 8 5 8 0"},
    {'i', 4, "l 1 0 1 10 l 1 13.4 1 13.8"},
    {'j', 5, "l 2 10 2 -1 s 2 -1 2 -4 -0.8 -4 l 2 13.4 2 13.8"},
    {'k', 10, "l 0 0 0 14 l 7 10 0 3.5 l 2.6 6 7.5 0"},
    {'l', 4, "l 1 0 1 14"},
    {'m', 16,
     "l 0 0 0 10 s 0 6 1 10 6.5 10 6.5 5 l 6.5 5 6.5 0 s 6.5 6 7.5 10 13 10 13 5 l 13 5 13 0"},
    {'n', 11, "l 0 0 0 10 s 0 6 1 10 8 10 8 5 l 8 5 8 0"},
    {'o', 12, "o 0 0 9 0 9 10 0 10"},
    {'p', 11, "l 0 10 0 -4 o 0 0 8 0 8 10 0 10"},
    {'q', 11, "l 8 10 8 -4 o 0 0 8 0 8 10 0 10"},
    {'r', 7, "l 0 0 0 10 s 0 6 1 10 5 10"},
    {'s', 10, "s 7 8.2 6 10 0 10 0 5.5 7.3 5.3 7.3 0 1 0 0 1.8"},
    {'t', 8, "l 2 13 2 3 s 2 3 2 0 5.5 0 l 0 10 5 10"},
    {'u', 11, "l 0 10 0 5 s 0 5 0 0 7 0 8 4 l 8 10 8 0"},
    {'v', 10, "l 0 10 4 0 8 10"},
    {'w', 15, "l 0 10 3 0 6 10 9 0 12 10"},
    {'x', 10, "l 0 0 7.5 10 l 0 10 7.5 0"},
    {'y', 10, "l 0 10 4 0 l 8 10 4 0 s 4 0 2.5 -4 0 -4"},
    {'z', 10, "l 0 10 7 10 0 0 7 0"},
    {'{', 7, "s 5 16 1 16 3.5 7 0.5 6.5 s 0.5 6.5 3.5 6 1 -3 5 -3"},
    {'|', 5, "l 1.5 -3 1.5 16"},
    {'}', 7, "s 0.5 16 4.5 16 2 7 5 6.5 s 5 6.5 2 6 4.5 -3 0.5 -3"},
    {'~', 11, "s 1 5 2 8 7 4 9 7"},
    {0xb0, 7, "o 0 9.5 4.5 9.5 4.5 14 0 14"},
    {0xb5, 11, "l 0 10 0 -4 s 0 5 0 0 7 0 8 4 l 8 10 8 0"},
    {0xb7, 5, "l 1 5.3 1 5.8"},
    {0xd7, 11, "l 2 2.5 8 8.5 l 2 8.5 8 2.5"},
    {0x2013, 11, "l 1 5.5 9 5.5"},
    {0x2212, 11, "l 1 5.5 9 5.5"},
    {0x2215, 8, "l 0 -1 6 15"},
    {0, 10, "l 0 0 7 0 7 10 0 10 0 0"}, // any other character
};

// next character of UTF-8 text; bytes that are none stand for themselves
static unsigned next_code(const char **text) {
    const unsigned char *p = (const unsigned char *)*text;
    int more = *p >= 0xf0 ? 3 : *p >= 0xe0 ? 2 : *p >= 0xc0 ? 1 : 0;
    unsigned code = more == 3 ? *p & 7u : more == 2 ? *p & 15u : more == 1 ? *p & 31u : *p;
    p++;
    for (; more > 0 && (*p & 0xc0) == 0x80; more--)
        code = code << 6 | (*p++ & 63u);
    *text = (const char *)p;
    return code;
}

typedef struct Pen {
    double x, y, size;
    void (*stroke)(void *to, const HolPoint2 *points, int n);
    void *to;
} Pen;

enum { CONTROLS = 24, PIECES = 6, POINTS = CONTROLS * (PIECES + 1) };

static HolPoint2 plot_font_middle(HolPoint2 a, HolPoint2 b) {
    return (HolPoint2){(a.x + b.x) / 2, (a.y + b.y) / 2};
}

// quadratic Bezier from a by c to b, without its first point
static int bend(HolPoint2 a, HolPoint2 c, HolPoint2 b, HolPoint2 *out) {
    for (int i = 1; i <= PIECES; i++) {
        double t = (double)i / PIECES, s = 1 - t;
        out[i - 1] = (HolPoint2){s * s * a.x + 2 * s * t * c.x + t * t * b.x,
                                 s * s * a.y + 2 * s * t * c.y + t * t * b.y};
    }
    return PIECES;
}

static int smooth(const HolPoint2 *p, int n, int closed, HolPoint2 *out) {
    int m = 0;
    HolPoint2 from = closed ? plot_font_middle(p[n - 1], p[0]) : p[0];
    out[m++] = from;
    for (int i = closed ? 0 : 1; i < (closed ? n : n - 1); i++) {
        HolPoint2 to = closed      ? plot_font_middle(p[i], p[(i + 1) % n])
                       : i < n - 2 ? plot_font_middle(p[i], p[i + 1])
                                   : p[n - 1];
        m += bend(from, p[i], to, out + m);
        from = to;
    }
    return m;
}

static void draw_stroke(const Pen *pen, char kind, const HolPoint2 *controls, int n) {
    HolPoint2 points[POINTS];
    int m = n;
    if (kind == 'l')
        memcpy(points, controls, (size_t)n * sizeof *points);
    else
        m = smooth(controls, n, kind == 'o', points);
    pen->stroke(pen->to, points, m);
}

static void draw_glyph(const Pen *pen, const Glyph *g) {
    const char *p = g->strokes;
    while (*p) {
        char kind = *p++;
        HolPoint2 controls[CONTROLS];
        int n = 0;
        while (*p && *p != 'l' && *p != 's' && *p != 'o' && n < CONTROLS) {
            char *end;
            double x = strtod(p, &end), y = strtod(end, &end);
            controls[n++] = (HolPoint2){pen->x + x / 20 * pen->size, pen->y + y / 20 * pen->size};
            p = end + strspn(end, " ");
        }
        draw_stroke(pen, kind, controls, n);
    }
}

static const Glyph *plot_font_find(unsigned code) {
    const Glyph *g = glyphs;
    while (g->code && g->code != code)
        g++;
    return g;
}

double hol_font_text(const char *text, void (*stroke)(void *to, const HolPoint2 *points, int n),
                     void *to) {
    Pen pen = {.size = 1, .stroke = stroke, .to = to};
    int raised = 0;
    while (*text) {
        if (*text == '^' && text[1] && text[1] != ' ' && !raised) {
            text++;
            raised = 1;
            pen.y = 0.38;
            pen.size = 0.75;
            continue;
        }
        if (raised && strchr(" ,/;)]", *text)) {
            raised = 0;
            pen.y = 0;
            pen.size = 1;
        }
        unsigned code = next_code(&text);
        // superscripts as characters of their own
        int small = code == 0xb2 || code == 0xb3;
        const Glyph *g = plot_font_find(small ? code - 0xb2 + '2' : code);
        Pen here = pen;
        if (small) {
            here.y = 0.35;
            here.size = 0.65;
        }
        if (stroke)
            draw_glyph(&here, g);
        pen.x += g->advance / 20.0 * here.size;
    }
    return pen.x;
}
