// SPDX-License-Identifier: Apache-2.0
// The canvas that writes SVG 1.1: paths, circles and text in a sans-serif font.
#include "tools/plot/plot.h"

#include <string.h>

typedef struct Svg {
    int clips, clipped;
} Svg;

static int svg_begin(HolCanvas *c) {
    Svg *svg = HOL_NEW(c->arena, Svg, 1);
    c->data = svg;
    fprintf(c->file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.10gpt\" height=\"%.10gpt\" "
            "viewBox=\"0 0 %.10g %.10g\" font-family=\"Helvetica, Arial, 'Liberation Sans', "
            "'DejaVu Sans', sans-serif\">\n<rect width=\"100%%\" height=\"100%%\" "
            "fill=\"#fff\"/>\n",
            c->width, c->height, c->width, c->height);
    return svg != NULL;
}

static void svg_line(HolCanvas *c, const HolPoint2 *p, long n, const HolPen *pen) {
    if (n < 2)
        return;
    fprintf(c->file, "<path fill=\"none\" stroke=\"#%06x\" stroke-width=\"%.3g\"", pen->color,
            pen->width);
    if (pen->dash) {
        fputs(" stroke-dasharray=\"", c->file);
        for (int i = 0; pen->dash[i] > 0; i++)
            fprintf(c->file, "%s%.3g", i ? " " : "", pen->dash[i]);
        fputc('"', c->file);
    }
    fputs(" stroke-linejoin=\"round\" d=\"M", c->file);
    for (long i = 0; i < n; i++)
        fprintf(c->file, "%s%.2f %.2f", i ? (i % 8 ? "L" : "\nL") : "", p[i].x, p[i].y);
    fputs("\"/>\n", c->file);
}

static void svg_disc(HolCanvas *c, HolPoint2 at, double radius, unsigned color) {
    fprintf(c->file, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.3g\" fill=\"#%06x\"/>\n", at.x, at.y,
            radius, color);
}

// XML text; what follows ^ up to a space is raised
static void plot_svg_put_text(FILE *f, const char *text) {
    int raised = 0;
    for (; *text; text++) {
        if (*text == '^' && text[1] && text[1] != ' ' && !raised) {
            fputs("<tspan dy=\"-0.4em\" font-size=\"75%\">", f);
            raised = 1;
            continue;
        }
        if (raised && strchr(" ,/;)]", *text)) {
            fputs("</tspan><tspan dy=\"0.3em\">", f);
            raised = 2;
        }
        if (*text == '<' || *text == '&')
            fputs(*text == '<' ? "&lt;" : "&amp;", f);
        else if ((unsigned char)*text >= 32)
            fputc(*text, f);
    }
    if (raised)
        fputs("</tspan>", f);
}

static void svg_text(HolCanvas *c, HolPoint2 at, double size, HolAnchor anchor, int upward,
                     const char *text) {
    static const char *const anchors[] = {"start", "middle", "end"};
    fprintf(c->file, "<text x=\"%.2f\" y=\"%.2f\" font-size=\"%.3g\" text-anchor=\"%s\"", at.x,
            at.y, size, anchors[anchor]);
    if (upward)
        fprintf(c->file, " transform=\"rotate(-90 %.2f %.2f)\"", at.x, at.y);
    fputc('>', c->file);
    plot_svg_put_text(c->file, text);
    fputs("</text>\n", c->file);
}

static void svg_clip(HolCanvas *c, const double *box) {
    Svg *svg = c->data;
    if (svg->clipped)
        fputs("</g>\n", c->file);
    svg->clipped = box != NULL;
    if (box) {
        fprintf(c->file,
                "<clipPath id=\"clip%d\"><rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" "
                "height=\"%.2f\"/></clipPath>\n<g clip-path=\"url(#clip%d)\">\n",
                svg->clips, box[0], box[1], box[2] - box[0], box[3] - box[1], svg->clips);
        svg->clips++;
    }
}

static void svg_end(HolCanvas *c) {
    svg_clip(c, NULL);
    fputs("</svg>\n", c->file);
}

const HolCanvasKind hol_canvas_svg = {
    .ending = ".svg",
    .begin = svg_begin,
    .line = svg_line,
    .disc = svg_disc,
    .text = svg_text,
    .clip = svg_clip,
    .end = svg_end,
};
