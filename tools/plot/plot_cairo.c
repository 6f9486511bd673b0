// SPDX-License-Identifier: Apache-2.0
// The canvas of the plots, by cairo: lines, discs and text become SVG or the pixels of a PNG. This
// is the only file that knows cairo. Letters in SVG are outlines, so that a picture looks the same
// in every viewer and in print. Widths of text do not depend on hints or pixels, so that both
// formats have the same layout.
#include "tools/plot/plot.h"

#ifdef HOL_HAVE_CAIRO
#include "tools/plot/cairo_library.h"

#include <math.h>
#include <string.h>
#ifdef HOL_HAVE_ZLIB
#include <zlib.h>
#endif

// fontconfig answers with what is nearest to Helvetica on this machine
static const char *const canvas_font = "Helvetica";
// what follows ^ in a text: size and height, as parts of the size of the text
static const double raised_size = 0.72, raised_height = 0.38;
// the bytes of a PNG file before the chunk pHYs: its signature and the chunk IHDR
enum { PNG_HEAD = 33 };

struct HolCanvas {
    HolArena *arena;
    FILE *file;
    int format;
    double scale; // pixels a pt
    int clipped;
    size_t written; // bytes of PNG so far
    cairo_surface_t *surface;
    cairo_t *cairo;
    // SVG is kept until it is complete
    char *text;
    size_t length, room;
};

HolStatus hol_canvas_ready(HolError *err) {
    return hol_cairo_ready(err);
}

// ---- bytes ----

static cairo_status_t canvas_keep(void *closure, const unsigned char *bytes, unsigned length) {
    HolCanvas *c = closure;
    if (c->room < c->length + length + 1) {
        size_t room = 2 * c->room + length + 4096;
        char *text = hol_arena_alloc(c->arena, room);
        if (!text)
            return CAIRO_STATUS_NO_MEMORY;
        if (c->length > 0)
            memcpy(text, c->text, c->length);
        c->text = text;
        c->room = room;
    }
    memcpy(c->text + c->length, bytes, length);
    c->length += length;
    c->text[c->length] = 0;
    return CAIRO_STATUS_SUCCESS;
}

// cairo numbers its surfaces through the life of the program, and names a group of the SVG by
// that number: without the name, the same plot gives the same bytes
static void canvas_put_svg(const HolCanvas *c) {
    const char *at = c->text ? c->text : "";
    const char *name = strstr(at, " id=\"surface"), *rest = name ? strchr(name, '>') : NULL;
    if (rest) {
        fwrite(at, 1, (size_t)(name - at), c->file);
        at = rest;
    }
    fputs(at, c->file);
}

#ifdef HOL_HAVE_ZLIB
static void big_endian(unsigned long value, unsigned char out[4]) {
    for (int i = 0; i < 4; i++)
        out[i] = (unsigned char)(value >> (24 - 8 * i));
}
#endif

// pixels a metre, so that the picture has its size in pt when printed; cairo does not write them
static void canvas_put_density(const HolCanvas *c) {
#ifdef HOL_HAVE_ZLIB
    unsigned char chunk[21] = {0, 0, 0, 9, 'p', 'H', 'Y', 's'};
    big_endian((unsigned long)lround(c->scale * 72 / 0.0254), chunk + 8);
    memcpy(chunk + 12, chunk + 8, 4);
    chunk[16] = 1;
    big_endian(crc32(0, chunk + 4, 13), chunk + 17);
    fwrite(chunk, 1, sizeof chunk, c->file);
#else
    (void)c;
#endif
}

static cairo_status_t canvas_put_png(void *closure, const unsigned char *bytes, unsigned length) {
    HolCanvas *c = closure;
    size_t head = c->written < PNG_HEAD ? PNG_HEAD - c->written : 0;
    if (head > length)
        head = length;
    c->written += length;
    fwrite(bytes, 1, head, c->file);
    if (head > 0 && c->written >= PNG_HEAD)
        canvas_put_density(c);
    fwrite(bytes + head, 1, length - head, c->file);
    return ferror(c->file) ? CAIRO_STATUS_WRITE_ERROR : CAIRO_STATUS_SUCCESS;
}

// ---- begin and end ----

static void canvas_begin(HolCanvas *c) {
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_set_font_options(c->cairo, options);
    cairo_font_options_destroy(options);
    cairo_select_font_face(c->cairo, canvas_font, CAIRO_FONT_SLANT_NORMAL,
                           CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_line_join(c->cairo, CAIRO_LINE_JOIN_ROUND);
    cairo_set_source_rgb(c->cairo, 1, 1, 1);
    cairo_paint(c->cairo);
}

static void canvas_release(HolCanvas *c) {
    cairo_destroy(c->cairo);
    cairo_surface_destroy(c->surface);
}

// what cairo could not do; a failed write is seen again when the file is closed
static HolStatus canvas_status(cairo_status_t status, HolError *err) {
    if (status == CAIRO_STATUS_SUCCESS || status == CAIRO_STATUS_WRITE_ERROR)
        return HOL_OK;
    if (status == CAIRO_STATUS_NO_MEMORY)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    return hol_error_set(err, HOL_ERR_INPUT, "the picture could not be drawn: %s",
                         cairo_status_to_string(status));
}

HolStatus hol_canvas_open(HolCanvas **out, HolArena *arena, int format, const double size[2],
                          double scale, FILE *file, HolError *err) {
    HolCanvas *c = HOL_NEW(arena, HolCanvas, 1);
    *out = NULL;
    if (!c)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    *c = (HolCanvas){.arena = arena, .file = file, .format = format, .scale = scale};
    if (format == HOL_PLOT_SVG) {
        c->surface = cairo_svg_surface_create_for_stream(canvas_keep, c, size[0], size[1]);
#if CAIRO_VERSION >= CAIRO_VERSION_ENCODE(1, 15, 10)
        cairo_svg_surface_set_document_unit(c->surface, CAIRO_SVG_UNIT_PT);
#endif
        c->cairo = cairo_create(c->surface);
    } else {
        c->surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)lround(size[0] * scale),
                                                (int)lround(size[1] * scale));
        c->cairo = cairo_create(c->surface);
        cairo_scale(c->cairo, scale, scale);
    }
    canvas_begin(c);
    HolStatus status = canvas_status(cairo_status(c->cairo), err);
    if (status)
        canvas_release(c);
    else
        *out = c;
    return status;
}

HolStatus hol_canvas_close(HolCanvas *c, HolError *err) {
    cairo_status_t status = cairo_status(c->cairo);
    if (status == CAIRO_STATUS_SUCCESS && c->format == HOL_PLOT_PNG) {
        status = cairo_surface_write_to_png_stream(c->surface, canvas_put_png, c);
    } else if (status == CAIRO_STATUS_SUCCESS) {
        cairo_surface_finish(c->surface);
        status = cairo_surface_status(c->surface);
        if (status == CAIRO_STATUS_SUCCESS)
            canvas_put_svg(c);
    }
    canvas_release(c);
    return canvas_status(status, err);
}

// ---- drawing ----

static void canvas_color(HolCanvas *c, unsigned color) {
    cairo_set_source_rgb(c->cairo, (color >> 16 & 255) / 255.0, (color >> 8 & 255) / 255.0,
                         (color & 255) / 255.0);
}

void hol_canvas_line(HolCanvas *c, const HolPoint2 *points, long n, const HolPen *pen) {
    int dashes = 0;
    if (n < 2)
        return;
    while (pen->dash && pen->dash[dashes] > 0)
        dashes++;
    cairo_set_dash(c->cairo, pen->dash, dashes, 0);
    cairo_set_line_width(c->cairo, pen->width);
    canvas_color(c, pen->color);
    for (long i = 0; i < n; i++)
        cairo_line_to(c->cairo, points[i].x, points[i].y);
    cairo_stroke(c->cairo);
}

void hol_canvas_box(HolCanvas *c, const double box[4], const HolPen *pen) {
    cairo_rectangle(c->cairo, box[0], box[1], box[2] - box[0], box[3] - box[1]);
    canvas_color(c, pen->color);
    if (pen->width > 0) {
        cairo_set_dash(c->cairo, NULL, 0, 0);
        cairo_set_line_width(c->cairo, pen->width);
        cairo_stroke(c->cairo);
    } else {
        cairo_fill(c->cairo);
    }
}

void hol_canvas_disc(HolCanvas *c, HolPoint2 at, double radius, unsigned color) {
    canvas_color(c, color);
    cairo_new_sub_path(c->cairo);
    cairo_arc(c->cairo, at.x, at.y, radius, 0, 2 * acos(-1));
    cairo_fill(c->cairo);
}

void hol_canvas_clip(HolCanvas *c, const double *box) {
    if (c->clipped)
        cairo_restore(c->cairo);
    c->clipped = box != NULL;
    if (box) {
        cairo_save(c->cairo);
        cairo_rectangle(c->cairo, box[0], box[1], box[2] - box[0], box[3] - box[1]);
        cairo_clip(c->cairo);
    }
}

// ---- text ----

// the bytes of the character at `text` (UTF-8, RFC 3629); 0: it is not one
static int character_length(const unsigned char *text) {
    static const struct {
        unsigned char low, high;
        int more;
        unsigned char next_low, next_high; // of the second byte
    } kinds[] = {
        {0x20, 0x7e, 0, 0, 0},       {0xc2, 0xdf, 1, 0x80, 0xbf}, {0xe0, 0xe0, 2, 0xa0, 0xbf},
        {0xe1, 0xec, 2, 0x80, 0xbf}, {0xed, 0xed, 2, 0x80, 0x9f}, {0xee, 0xef, 2, 0x80, 0xbf},
        {0xf0, 0xf0, 3, 0x90, 0xbf}, {0xf1, 0xf3, 3, 0x80, 0xbf}, {0xf4, 0xf4, 3, 0x80, 0x8f},
    };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (*text < kinds[k].low || *text > kinds[k].high)
            continue;
        for (int i = 1; i <= kinds[k].more; i++)
            if (i == 1 ? text[i] < kinds[k].next_low || text[i] > kinds[k].next_high
                       : text[i] < 0x80 || text[i] > 0xbf)
                return 0;
        return kinds[k].more + 1;
    }
    return 0;
}

// the next piece of one height, less than `size` bytes, and whether what follows it is raised;
// bytes that are no text become '?', and control characters are left out. Returns where the text
// goes on.
static const char *next_piece(const char *text, int *raised, char *piece, size_t size) {
    size_t n = 0;
    for (; *text && n + 5 < size; text++) {
        if (*raised && strchr(" ,/;)]", *text)) {
            *raised = 0;
            break;
        }
        if (!*raised && *text == '^' && text[1] && text[1] != ' ') {
            *raised = 1;
            text++;
            break;
        }
        int length = character_length((const unsigned char *)text);
        if (length > 0) {
            memcpy(piece + n, text, (size_t)length);
            n += (size_t)length;
            text += length - 1;
        } else if ((unsigned char)*text >= 32 && *text != 127) {
            piece[n++] = '?';
        }
    }
    piece[n] = 0;
    return text;
}

// goes along the text from the origin, and draws it where `draw` is set; the distance gone
static double walk_text(HolCanvas *c, const char *text, double size, int draw) {
    char piece[256];
    double x = 0;
    for (int raised = 0; *text;) {
        cairo_text_extents_t extents;
        double y = raised ? -raised_height * size : 0;
        cairo_set_font_size(c->cairo, raised ? raised_size * size : size);
        text = next_piece(text, &raised, piece, sizeof piece);
        cairo_text_extents(c->cairo, piece, &extents);
        if (draw && piece[0]) {
            cairo_move_to(c->cairo, x, y);
            cairo_show_text(c->cairo, piece);
            cairo_new_path(c->cairo);
        }
        x += extents.x_advance;
    }
    return x;
}

double hol_canvas_text_width(HolCanvas *c, double size, const char *text) {
    return walk_text(c, text, size, 0);
}

void hol_canvas_text(HolCanvas *c, HolPoint2 at, double size, HolAnchor anchor, int upward,
                     const char *text) {
    double width = walk_text(c, text, size, 0);
    cairo_save(c->cairo);
    cairo_translate(c->cairo, at.x, at.y);
    if (upward)
        cairo_rotate(c->cairo, -0.5 * acos(-1));
    cairo_translate(c->cairo,
                    anchor == HOL_START    ? 0
                    : anchor == HOL_MIDDLE ? -width / 2
                                           : -width,
                    0);
    canvas_color(c, 0);
    walk_text(c, text, size, 1);
    cairo_restore(c->cairo);
}

#else // a build without cairo says so, and draws nothing

HolStatus hol_canvas_ready(HolError *err) {
    return hol_error_set(err, HOL_ERR_UNSUPPORTED,
                         "this build draws no pictures: it was made without cairo (Debian: "
                         "install libcairo2-dev and build again)");
}

HolStatus hol_canvas_open(HolCanvas **out, HolArena *arena, int format, const double size[2],
                          double scale, FILE *file, HolError *err) {
    (void)arena, (void)format, (void)size, (void)scale, (void)file;
    *out = NULL;
    return hol_canvas_ready(err);
}

HolStatus hol_canvas_close(HolCanvas *c, HolError *err) {
    (void)c;
    return hol_canvas_ready(err);
}

void hol_canvas_line(HolCanvas *c, const HolPoint2 *points, long n, const HolPen *pen) {
    (void)c, (void)points, (void)n, (void)pen;
}

void hol_canvas_box(HolCanvas *c, const double box[4], const HolPen *pen) {
    (void)c, (void)box, (void)pen;
}

void hol_canvas_disc(HolCanvas *c, HolPoint2 at, double radius, unsigned color) {
    (void)c, (void)at, (void)radius, (void)color;
}

void hol_canvas_clip(HolCanvas *c, const double *box) {
    (void)c, (void)box;
}

double hol_canvas_text_width(HolCanvas *c, double size, const char *text) {
    (void)c, (void)text;
    return size;
}

void hol_canvas_text(HolCanvas *c, HolPoint2 at, double size, HolAnchor anchor, int upward,
                     const char *text) {
    (void)c, (void)at, (void)size, (void)anchor, (void)upward, (void)text;
}
#endif
