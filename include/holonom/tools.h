// SPDX-License-Identifier: Apache-2.0
// What the command adds to the library (libholonom_tools): pages, pictures, the studio, lists of
// kinds, the tables of the papers, generated models, benchmarks.
#ifndef HOLONOM_TOOLS_H
#define HOLONOM_TOOLS_H

#include "holonom/holonom.h"
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

HOL_API const char *hol_tools_version(void); ///< version and what the tools contain, one line

// ---------------------------------------------------------------------------------------------
// Report: one HTML page that shows the run, offline and in any browser
// ---------------------------------------------------------------------------------------------

typedef struct HolReport HolReport;
/// HOL_ERR_UNSUPPORTED when the build has no page (no node at build time). The model must stay
/// until close. The path is taken as by hol_result_open, whatever its ending.
HOL_API HolStatus hol_report_open(const char *path, const HolModel *m, const HolSimOptions *o,
                                  HolReport **out, HolError *err);
/// One sample: `all` as hol_sim_row_all gives it, `row` as hol_sim_row gives it (may be NULL: then
/// the expressions in `outputs:` are left out). Long runs are thinned so that the file stays below
/// 20 MB; the page then says so.
HOL_API HolStatus hol_report_row(HolReport *r, const double *all, const double *row, HolError *err);
/// A line for the page's warnings, such as why a run ended early.
HOL_API void hol_report_remark(HolReport *r, const char *text);
/// Bands of errors and digits; the certificate must stay until close.
HOL_API void hol_report_certify(HolReport *r, const HolCertificate *c);
/// Write the page (commit = 1, beside and renamed) or nothing (0). stats and check may be NULL.
HOL_API HolStatus hol_report_close(HolReport *r, const HolStats *stats, const HolCheck *check,
                                   int commit, HolError *err);

/// The same page from stored results (*.h5, or *.csv with its manifest), several overlaid. Where a
/// result leaves out positions that the picture needs (by `outputs:`), the run is repeated from its
/// model and options; `remarks` (may be NULL) then says so and how well the stored columns agree.
HOL_API HolStatus hol_view_write(const char *const *results, int n, const char *path, char *remarks,
                                 size_t size, HolError *err);

// ---------------------------------------------------------------------------------------------
// Modes as files
// ---------------------------------------------------------------------------------------------

/// A row a mode: eigenvalue, frequency, damping, shares, shape.
HOL_API HolStatus hol_modes_write_csv(const HolModes *m, const char *path, HolError *err);
/// M.mtx, C.mtx, K.mtx, N.mtx (Matrix Market) and names.txt into the folder `dir`.
HOL_API HolStatus hol_modes_write_matrices(const HolModes *m, const char *dir, HolError *err);
/// A page on which the modes and free motions move, for a run of a model that stands where they were
/// found. As hol_report_open otherwise.
HOL_API HolStatus hol_modes_write_report(HolSim *s, const HolModel *model, const HolSimOptions *o,
                                         const HolModes *m, const char *path, HolError *err);

// ---------------------------------------------------------------------------------------------
// Plots for papers: panels over one x axis, as SVG or PNG
// ---------------------------------------------------------------------------------------------

/// One curve. Points with an x or y that is not finite (or not positive on a logarithmic axis) are
/// gaps.
typedef struct HolCurve {
    const char *label; ///< for the legend, NULL: none
    const double *x, *y;
    long n;
    int color;   ///< 0 .. 7 of the palette, then again from 0
    int dash;    ///< 0 solid, 1 .. 3
    int markers; ///< 0: a line; 1: a line with a mark at every point; 2: marks alone
} HolCurve;

typedef struct HolPanel {
    const char *label; ///< of the y axis
    int log_y;
    const HolCurve *curves;
    int n_curves;
} HolPanel;

typedef struct HolPlot {
    size_t size;       ///< set by hol_plot, see error.h
    const char *title; ///< NULL: none
    const char *x_label;
    int log_x;
    double from, to;   ///< range of x; NAN: that of the data
    int width, height; ///< [pt] of the picture; 0: 480 wide, 300 a panel
    double scale;      ///< PNG: pixels a pt; 0: 3
    const HolPanel *panels;
    int n_panels;
} HolPlot;

HOL_API void hol_plot_sized(HolPlot *out, size_t room);
/// No panels, the range of the data.
static inline HolPlot hol_plot(void) {
    HolPlot plot;
    hol_plot_sized(&plot, sizeof plot);
    return plot;
}

/// path *.svg or *.png, written beside and renamed; devices, pipes and "-" (standard output) are
/// written directly, as SVG when the name says nothing. Letters in SVG are outlines: the picture
/// looks the same everywhere. The same plot gives the same bytes on the same machine.
/// HOL_ERR_UNSUPPORTED when the build has no cairo.
HOL_API HolStatus hol_plot_write(const HolPlot *plot, const char *path, HolError *err);

// ---------------------------------------------------------------------------------------------
// Studio: a page on this machine to edit, run and compare models
// ---------------------------------------------------------------------------------------------

typedef struct HolStudio HolStudio;
typedef struct HolStudioOptions {
    size_t size;         ///< set by hol_studio_options, see error.h
    int port;            ///< on 127.0.0.1; 0: any free one
    const char *program; ///< path of the command `holonom`, which makes the runs
    const char *model;   ///< file to open with, or NULL
    const char *models;  ///< folder of the gallery, or NULL
    double seconds;      ///< longest run; 0: 60
} HolStudioOptions;

HOL_API void hol_studio_options_sized(HolStudioOptions *out, size_t room);
/// Any free port, no model, no gallery.
static inline HolStudioOptions hol_studio_options(void) {
    HolStudioOptions options;
    hol_studio_options_sized(&options, sizeof options);
    return options;
}

/// HOL_ERR_UNSUPPORTED when the build has no page or no libmicrohttpd.
HOL_API HolStatus hol_studio_open(const HolStudioOptions *o, HolStudio **out, HolError *err);
/// "http://127.0.0.1:PORT/TOKEN/": who has it may run models
HOL_API const char *hol_studio_address(const HolStudio *s);
/// Answers requests until *stop is not 0.
HOL_API HolStatus hol_studio_serve(HolStudio *s, const volatile int *stop, HolError *err);
/// Ends all runs and removes their files. NULL is fine.
HOL_API void hol_studio_close(HolStudio *s);

// ---------------------------------------------------------------------------------------------
// Kinds: every joint, force and method with its fields, from the tables
// ---------------------------------------------------------------------------------------------

enum { HOL_KINDS_TEXT, HOL_KINDS_MARKDOWN, HOL_KINDS_SCHEMA };
HOL_API void hol_kinds_print(int format, void (*put)(void *to, const char *text, size_t length),
                             void *to);

// ---------------------------------------------------------------------------------------------
// Reproduction: the tables of the papers behind the methods, computed now
// ---------------------------------------------------------------------------------------------

enum { HOL_REPRODUCE_TEXT, HOL_REPRODUCE_MARKDOWN, HOL_REPRODUCE_JSON };
/// paper: "000" to "004", "methods" (all methods on the same problems), or NULL for all papers.
/// quick: leave out what takes more than a few seconds (such values print as "-").
HOL_API HolStatus hol_reproduce(const char *paper, int quick, int format,
                                void (*put)(void *to, const char *text, size_t length), void *to,
                                HolError *err);

// ---------------------------------------------------------------------------------------------
// Generation: model files of mechanisms with many parts
// ---------------------------------------------------------------------------------------------

typedef struct HolGenerate {
    size_t size;           ///< set by hol_generate_options, see error.h
    const char *mechanism; ///< "four-bar", "chain", "chain3d", "stiff-row"
    int n;                 ///< parts, 1 to 1000000
    double length, mass;   ///< of a part [m], [kg]; 0: 1
    double end;            ///< of the simulation [s]; 0: the mechanism's own
    int ball_joints;       ///< chain3d: instead of hinges
} HolGenerate;

HOL_API void hol_generate_options_sized(HolGenerate *out, size_t room);
/// No mechanism, everything as the mechanism has it.
static inline HolGenerate hol_generate_options(void) {
    HolGenerate options;
    hol_generate_options_sized(&options, sizeof options);
    return options;
}

HOL_API HolStatus hol_generate(const HolGenerate *o,
                               void (*put)(void *to, const char *text, size_t length), void *to,
                               HolError *err);

// ---------------------------------------------------------------------------------------------
// Benchmarks: the published problems, ours and the peers' programs
// ---------------------------------------------------------------------------------------------

enum { HOL_BENCH_TEXT, HOL_BENCH_MARKDOWN, HOL_BENCH_JSON };
typedef struct HolBenchOptions {
    size_t size;         ///< set by hol_bench_options, see error.h
    const char *problem; ///< a name, the beginning of several, "scale", or NULL: all
    const char *peers;   ///< folder of the peer programs, which are started; NULL: without them
    int quick;           ///< fewer settings and only small mechanisms
    int verbose;         ///< tell every setting tried
    int format;          ///< HOL_BENCH_TEXT, ...
    void (*put)(void *to, const char *text, size_t length); ///< what was found
    void *to;
    void (*say)(void *to, const char *text, size_t length); ///< progress, failures; NULL: none
    void *to_say;
} HolBenchOptions;

HOL_API void hol_bench_options_sized(HolBenchOptions *out, size_t room);
/// All problems, without peers, as text.
static inline HolBenchOptions hol_bench_options(void) {
    HolBenchOptions options;
    hol_bench_options_sized(&options, sizeof options);
    return options;
}

/// Takes seconds to hours. Memory that is freed stays with the process afterwards (mallopt), so
/// that repeats find it mapped.
HOL_API HolStatus hol_bench(const HolBenchOptions *o, HolError *err);

#ifdef __cplusplus
}
#endif
#endif
