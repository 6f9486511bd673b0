// SPDX-License-Identifier: Apache-2.0
// cairo, loaded for the first picture (base/library/library.h).
#ifndef HOL_PLOT_CAIRO_LIBRARY_H
#define HOL_PLOT_CAIRO_LIBRARY_H

#include "base/library/library.h"

#ifdef HOL_HAVE_CAIRO

#include <cairo-svg.h>
#include <cairo.h>

// HOL_ERR_UNSUPPORTED when it cannot be loaded; to be asked before anything else
HolStatus hol_cairo_ready(HolError *err);

#ifdef HOL_CAIRO_FILE

// clang-format off
#define HOL_CAIRO_FUNCTIONS(F) \
    F(cairo_arc) F(cairo_clip) F(cairo_create) F(cairo_destroy) F(cairo_fill) \
    F(cairo_font_options_create) F(cairo_font_options_destroy) \
    F(cairo_font_options_set_antialias) F(cairo_font_options_set_hint_metrics) \
    F(cairo_font_options_set_hint_style) F(cairo_image_surface_create) F(cairo_line_to) \
    F(cairo_move_to) F(cairo_new_path) F(cairo_new_sub_path) F(cairo_paint) \
    F(cairo_rectangle) F(cairo_restore) F(cairo_rotate) F(cairo_save) F(cairo_scale) \
    F(cairo_select_font_face) F(cairo_set_dash) F(cairo_set_font_options) \
    F(cairo_set_font_size) F(cairo_set_line_join) F(cairo_set_line_width) \
    F(cairo_set_source_rgb) F(cairo_show_text) F(cairo_status) F(cairo_status_to_string) \
    F(cairo_stroke) F(cairo_surface_destroy) F(cairo_surface_finish) \
    F(cairo_surface_status) F(cairo_surface_write_to_png_stream) \
    F(cairo_svg_surface_create_for_stream) F(cairo_svg_surface_set_document_unit) \
    F(cairo_text_extents) F(cairo_translate)
// clang-format on

typedef struct HolCairoLibrary {
    HOL_CAIRO_FUNCTIONS(HOL_LIBRARY_POINTER)
} HolCairoLibrary;

const HolCairoLibrary *hol_cairo(void);

#define cairo_arc(...) hol_cairo()->cairo_arc(__VA_ARGS__)
#define cairo_clip(...) hol_cairo()->cairo_clip(__VA_ARGS__)
#define cairo_create(...) hol_cairo()->cairo_create(__VA_ARGS__)
#define cairo_destroy(...) hol_cairo()->cairo_destroy(__VA_ARGS__)
#define cairo_fill(...) hol_cairo()->cairo_fill(__VA_ARGS__)
#define cairo_font_options_create(...) hol_cairo()->cairo_font_options_create(__VA_ARGS__)
#define cairo_font_options_destroy(...) hol_cairo()->cairo_font_options_destroy(__VA_ARGS__)
#define cairo_font_options_set_antialias(...)                                                      \
    hol_cairo()->cairo_font_options_set_antialias(__VA_ARGS__)
#define cairo_font_options_set_hint_metrics(...)                                                   \
    hol_cairo()->cairo_font_options_set_hint_metrics(__VA_ARGS__)
#define cairo_font_options_set_hint_style(...)                                                     \
    hol_cairo()->cairo_font_options_set_hint_style(__VA_ARGS__)
#define cairo_image_surface_create(...) hol_cairo()->cairo_image_surface_create(__VA_ARGS__)
#define cairo_line_to(...) hol_cairo()->cairo_line_to(__VA_ARGS__)
#define cairo_move_to(...) hol_cairo()->cairo_move_to(__VA_ARGS__)
#define cairo_new_path(...) hol_cairo()->cairo_new_path(__VA_ARGS__)
#define cairo_new_sub_path(...) hol_cairo()->cairo_new_sub_path(__VA_ARGS__)
#define cairo_paint(...) hol_cairo()->cairo_paint(__VA_ARGS__)
#define cairo_rectangle(...) hol_cairo()->cairo_rectangle(__VA_ARGS__)
#define cairo_restore(...) hol_cairo()->cairo_restore(__VA_ARGS__)
#define cairo_rotate(...) hol_cairo()->cairo_rotate(__VA_ARGS__)
#define cairo_save(...) hol_cairo()->cairo_save(__VA_ARGS__)
#define cairo_scale(...) hol_cairo()->cairo_scale(__VA_ARGS__)
#define cairo_select_font_face(...) hol_cairo()->cairo_select_font_face(__VA_ARGS__)
#define cairo_set_dash(...) hol_cairo()->cairo_set_dash(__VA_ARGS__)
#define cairo_set_font_options(...) hol_cairo()->cairo_set_font_options(__VA_ARGS__)
#define cairo_set_font_size(...) hol_cairo()->cairo_set_font_size(__VA_ARGS__)
#define cairo_set_line_join(...) hol_cairo()->cairo_set_line_join(__VA_ARGS__)
#define cairo_set_line_width(...) hol_cairo()->cairo_set_line_width(__VA_ARGS__)
#define cairo_set_source_rgb(...) hol_cairo()->cairo_set_source_rgb(__VA_ARGS__)
#define cairo_show_text(...) hol_cairo()->cairo_show_text(__VA_ARGS__)
#define cairo_status(...) hol_cairo()->cairo_status(__VA_ARGS__)
#define cairo_status_to_string(...) hol_cairo()->cairo_status_to_string(__VA_ARGS__)
#define cairo_stroke(...) hol_cairo()->cairo_stroke(__VA_ARGS__)
#define cairo_surface_destroy(...) hol_cairo()->cairo_surface_destroy(__VA_ARGS__)
#define cairo_surface_finish(...) hol_cairo()->cairo_surface_finish(__VA_ARGS__)
#define cairo_surface_status(...) hol_cairo()->cairo_surface_status(__VA_ARGS__)
#define cairo_surface_write_to_png_stream(...)                                                     \
    hol_cairo()->cairo_surface_write_to_png_stream(__VA_ARGS__)
#define cairo_svg_surface_create_for_stream(...)                                                   \
    hol_cairo()->cairo_svg_surface_create_for_stream(__VA_ARGS__)
#define cairo_svg_surface_set_document_unit(...)                                                   \
    hol_cairo()->cairo_svg_surface_set_document_unit(__VA_ARGS__)
#define cairo_text_extents(...) hol_cairo()->cairo_text_extents(__VA_ARGS__)
#define cairo_translate(...) hol_cairo()->cairo_translate(__VA_ARGS__)

#endif
#endif
#endif
