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
/// A mark at an event of the run (the first 2000 have one), an impulse of a joint for the table of the
/// largest.
HOL_API HolStatus hol_report_event(HolReport *r, const HolEvent *event, HolError *err);
HOL_API HolStatus hol_report_impulse(HolReport *r, const HolImpulse *impulse, HolError *err);
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
// Stored results compared, and repeated
// ---------------------------------------------------------------------------------------------

typedef struct HolDiffColumn {
    const char *name, *unit;
    double first_time; ///< where it is first apart by more than the tolerance allows; NAN: nowhere
    double max, at;    ///< largest difference and its time; INFINITY: one of them is no number
    double scale;      ///< what the tolerance is a part of: the size of the column
    double between;    ///< error that interpolation may have made at most; 0: none was needed
    int judged;        ///< 0: it describes the run, not the motion, and a tolerance was given
} HolDiffColumn;

typedef struct HolDiff {
    double tolerance;
    double from, to;              ///< the time that both have [s]
    long rows, interpolated;      ///< times compared, and of these where a value lies between rows
    int within;                   ///< 1: nothing is apart
    const HolDiffColumn *columns; ///< those that both have, without time
    int n_columns;
    const char *const *only_first, *const *only_second; ///< names of columns
    int n_only_first, n_only_second;
    char text[512];    ///< what it says, in one line
    char remarks[512]; ///< sentences, a line each
} HolDiff;

/// Compares the columns that both results have. With tolerance 0 they are within it when every row
/// and every number is the same. With a tolerance: when they cover the same time and no column of
/// the motion is apart by more than `tolerance` of its size (its largest value, at least 1e-3 of the
/// largest of its kind, of energies all of it), p and -p being one orientation. Where the times differ, the result with
/// more rows is interpolated; what that may be off by does not count. The results must stay.
HOL_API HolStatus hol_diff(const HolResult *first, const HolResult *second, double tolerance,
                           HolDiff **out, HolError *err);
HOL_API void hol_diff_destroy(HolDiff *d); ///< NULL is fine

typedef struct HolReplay {
    size_t size;              ///< set by hol_replay_options, see error.h
    const char *output;       ///< where the repeated result goes; NULL: it is not kept
    const volatile int *stop; ///< as of hol_sim_stop_flag; NULL: none
    /// The run has come to t of `end`; may be NULL.
    void (*step)(void *user, double t, double end);
    void *user;
    int same;          ///< out: 1: repeated bit by bit
    char text[1024];   ///< out: what was found, in one line
    char remarks[512]; ///< out: sentences, a line each
} HolReplay;

HOL_API void hol_replay_options_sized(HolReplay *out, size_t room);
/// Nothing is kept, nothing told.
static inline HolReplay hol_replay_options(void) {
    HolReplay options;
    hol_replay_options_sized(&options, sizeof options);
    return options;
}

/// Repeats the run of a stored result from its manifest and compares: the bytes of CSV files, the
/// numbers of HDF5 files. HOL_OK also when they are not the same. HOL_ERR_FILE: the result cannot be
/// read, or has no manifest.
HOL_API HolStatus hol_replay(const char *result, HolReplay *r, HolError *err);

// ---------------------------------------------------------------------------------------------
// Comparison: work and precision of the methods on one model
// ---------------------------------------------------------------------------------------------

typedef struct HolComparedRun {
    const char *method;           ///< with its variant: "tangent obreshkov3"
    const HolSimOptions *options; ///< of the run: method, and step or tolerance
    HolStatus status;             ///< HOL_INTERRUPTED: ended, since it took far more than the best
    double cpu_seconds;           ///< of the integration alone, the best of `repeats`
    int repeats;
    double error; ///< the larger one of the next two; INFINITY: it did not get to the end
    double position, velocity; ///< errors as parts of the sizes
    double drift;              ///< of the energy, the largest [J]
    long steps, rejected, force_evaluations;
    int front;        ///< 1: no other run is both cheaper and more accurate
    char at_work[32]; ///< the method at its end: what `auto` has chosen
} HolComparedRun;

typedef struct HolComparedLimit {
    double limit;
    int judged;      ///< 0: the two references do not agree that far
    int best;        ///< the cheapest run that keeps it, -1: none
    const int *runs; ///< of every method the cheapest one that keeps it, the cheapest first
    int n_runs;
} HolComparedLimit;

enum { HOL_ORDER_STEPS = 12 };
typedef struct HolComparedOrder {
    const char *method;
    const HolSimOptions *options;
    double position, velocity, multipliers; ///< observed orders; NAN: they cannot be told
    int n;
    double step[HOL_ORDER_STEPS];
    double error[HOL_ORDER_STEPS][3]; ///< of positions, velocities, multipliers; NAN: not unique
} HolComparedOrder;

typedef struct HolComparison {
    const char *model;
    double start, end;                 ///< of what was compared [s]
    double asked_end;                  ///< of the run that was asked for
    const HolSimOptions *reference[2]; ///< two runs of independent methods; NULL: there are none
    double agreement;                  ///< what they differ by, as a part of the sizes
    const HolComparedLimit *limits;
    int n_limits;
    const HolComparedRun *runs;
    int n_runs;
    const HolComparedOrder *orders;
    int n_orders;
    double seconds;     ///< it took
    char remarks[2048]; ///< sentences, a line each
} HolComparison;

typedef struct HolCompareOptions {
    size_t size;          ///< set by hol_compare_options, see error.h
    const char *methods;  ///< "taylor,tangent:obreshkov3,bdf:ggl,radau:5"; NULL: all
    const double *limits; ///< of the error; NULL: 1e-3, 1e-6, 1e-9
    int n_limits;
    int orders;                                ///< 1: observed orders with fixed steps too
    double seconds;                            ///< that it may take; 0: 45
    const volatile int *stop;                  ///< as of hol_sim_stop_flag; NULL: none
    void (*say)(void *user, const char *text); ///< what is being done now; may be NULL
    void *user;
} HolCompareOptions;

HOL_API void hol_compare_options_sized(HolCompareOptions *out, size_t room);
/// All methods, three limits, no orders.
static inline HolCompareOptions hol_compare_options(void) {
    HolCompareOptions options;
    hol_compare_options_sized(&options, sizeof options);
    return options;
}

/// Runs the model by every method over tolerances and steps, against a reference that two
/// independent methods agree on. The error of a run is the largest one over 40 times and all
/// positions and velocities, as parts of their sizes. `o` gives start, end and what else the model
/// asks for; its method is not used. HOL_INTERRUPTED: what is there is in *out.
HOL_API HolStatus hol_compare(const HolModel *m, const HolSimOptions *o,
                              const HolCompareOptions *how, HolComparison **out, HolError *err);
HOL_API void hol_comparison_destroy(HolComparison *c); ///< NULL is fine
/// A line a run; path as in hol_plot_write, here *.csv or "-".
HOL_API HolStatus hol_comparison_csv(const HolComparison *c, const char *path, HolError *err);
/// Errors over CPU time, a curve a method, with the front of those that no run beats.
HOL_API HolStatus hol_comparison_plot(const HolComparison *c, const char *path, HolError *err);

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
    double low, high; ///< range of y; both 0: that of the data
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
    int equal; ///< 1: a unit is as long in x as in y (one panel, no logarithmic axis)
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

/// omega_max over time into `path` (as hol_plot_write), and the spectral radius of methods with a limit
/// over the step beside it, in NAME_radius.svg (not when path is "-").
HOL_API HolStatus hol_stability_plot(const HolStability *s, const char *title, const char *path,
                                     HolError *err);

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
/// The curve figures of a paper ("000" to "004", NULL: of all), computed now, as
/// dir/PAPER-figNUMBER.svg, with png also as .png. `drawn` (or NULL) hears of every file. dir must
/// exist. HOL_ERR_UNSUPPORTED when the build has no cairo.
HOL_API HolStatus hol_reproduce_figures(const char *paper, const char *dir, int png,
                                        void (*drawn)(void *to, const char *path,
                                                      const char *title),
                                        void *to, HolError *err);

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

// ---------------------------------------------------------------------------------------------
// Sweeps: many runs of a model (docs/sweep.md)
// ---------------------------------------------------------------------------------------------

typedef struct HolSweepCounts {
    long runs, done, failed; ///< of the study; done, and of those: failed or crashed
    long before;             ///< done by an earlier sweep that this one resumes
    int workers;             ///< processes that do runs
    double seconds, left;    ///< since the start; estimated to the end
    double cpu_seconds;      ///< of all runs done
} HolSweepCounts;

typedef struct HolSweepOptions {
    const char *output; ///< FILE.csv or FILE.h5; NULL or "-": CSV on standard output
    const char *report; ///< FILE.html; NULL: none
    int jobs;           ///< processes; 0: one a core
    int resume;         ///< 1: go on with a sweep that did not come to its end
    void (*progress)(void *user, const HolSweepCounts *counts); ///< after every run; NULL: none
    void *user;
    const volatile int *stop; ///< not 0: end, so that the sweep can be resumed; NULL: never
    const char *cache;        ///< folder, as of HolLoadOptions; NULL: none
} HolSweepOptions;

/// All runs of a study, by processes of their own: a run that crashes is a row that says so. Under
/// mpirun the ranks share the runs, and rank 0 writes. HOL_INTERRUPTED: stopped, to be resumed.
/// *counts may be NULL.
HOL_API HolStatus hol_sweep(const char *study, const HolSweepOptions *o, HolSweepCounts *counts,
                            HolError *err);
/// 1 in a process that mpirun began and that is not rank 0: it has nothing to say.
HOL_API int hol_sweep_silent(void);

#ifdef __cplusplus
}
#endif
#endif
