// SPDX-License-Identifier: Apache-2.0
// The papers computed again: one file a paper fills tables of "printed, computed now, corrected",
// this header is what those files share. A run is a model file of models/ and settings, exactly as
// `holonom run models/FILE --set key=value ...` would do it.
#ifndef HOL_PAPERS_PAPERS_H
#define HOL_PAPERS_PAPERS_H

#include "base/arena.h"
#include "base/error.h"
#include "holonom/json.h"
#include "holonom/tools.h"

// ---- where tables go ----

typedef struct HolTableSink {
    void *to;
    void (*chapter)(void *to, const char *key, const char *title, const char *text);
    void (*table)(void *to, const char *title, const char *models, int n,
                  const char *const *columns);
    void (*row)(void *to, int n, const char *const *cells);
} HolTableSink;

// collects tables and prints them as text, Markdown or JSON (HOL_REPRODUCE_*)
typedef struct HolTablePrinter {
    HolArena arena;
    int format;
    void (*put)(void *to, const char *text, size_t length);
    void *to;
    HolJson json;
    int chapters; // so far
    const char *title, *models;
    int n_columns, n_rows, capacity;
    const char *const *columns;
    const char *const **rows;
} HolTablePrinter;

HolTableSink hol_table_printer(HolTablePrinter *t);
void hol_table_finish(HolTablePrinter *t);

// ---- a paper's tables ----

enum { HOL_PAPER_TEXTS = 24, HOL_PAPER_TEXT_SIZE = 400 };

typedef struct HolPaper {
    const HolTableSink *sink;
    int quick; // leave out what takes long: such values are NAN and print as "-"
    HolStatus status;
    HolError *err;
    int next_text;
    char text[HOL_PAPER_TEXTS][HOL_PAPER_TEXT_SIZE]; // of hol_paper_text, used in turn
} HolPaper;

typedef enum HolVerdict {
    HOL_VERDICT_AUTO, // from the digits printed, or none when nothing is printed
    HOL_VERDICT_AGREES,
    HOL_VERDICT_NEAR, // a unit or two of the last digit printed
    HOL_VERDICT_DIFFERS,
    HOL_VERDICT_NONE
} HolVerdict;

// one line: what, the paper's value, ours by the paper's recipe, the right one, and why
typedef struct HolPaperRow {
    const char *what;
    const char *printed;  // as printed ("7.72e-2", "<3e-14", "stable"); NULL: the paper gives none
    const char *computed; // NULL: `value` with `digits` digits
    double value;
    int digits;            // 0: 5
    const char *corrected; // NULL: `right` when it is not 0
    double right;
    const char *why;
    HolVerdict verdict;
} HolPaperRow;

void hol_paper_chapter(HolPaper *p, const char *key, const char *title, const char *text);
void hol_paper_table(HolPaper *p, const char *title, const char *models);
void hol_paper_row(HolPaper *p, const HolPaperRow *row);
// a printed value that cannot be computed again, and why
void hol_paper_missing(HolPaper *p, const char *what, const char *printed, const char *why);
// AGREES or DIFFERS
HolVerdict hol_paper_verdict(int agrees);
// formatted text, good for the next few calls
const char *hol_paper_text(HolPaper *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// ---- runs ----

enum { HOL_PAPER_MOST = 40 }; // coordinates or multipliers

typedef struct HolPaperRun {
    HolStatus status; // a failed run is a result like any other
    double t;         // reached
    int nq, nv, m;
    double q[HOL_PAPER_MOST], v[HOL_PAPER_MOST], a[HOL_PAPER_MOST], lambda[HOL_PAPER_MOST];
    HolStats stats;
} HolPaperRun;

// called at the start and after every step; other than 0 ends the run (status HOL_INTERRUPTED)
typedef int (*HolPaperWatch)(void *user, const HolView *x);

// Settings are words key=value; ".key" means "method.key". Wrong models and settings are errors of
// this library and end the reproduction.
HolPaperRun hol_paper_run(HolPaper *p, const char *model, const char *settings, ...)
    __attribute__((format(printf, 3, 4)));
HolPaperRun hol_paper_watch(HolPaper *p, HolPaperWatch watch, void *user, const char *model,
                            const char *settings, ...) __attribute__((format(printf, 5, 6)));
// the same for a problem written in C, from q, v; settings are options only
HolPaperRun hol_paper_problem(HolPaper *p, HolPaperWatch watch, void *user,
                              const HolProblem *problem, const double *q, const double *v,
                              const HolSimOptions *o);
// a compiled model, NULL when it failed (p->status); the caller destroys it
HolModel *hol_paper_model(HolPaper *p, const char *model, const char *settings,
                          HolSimOptions *options);

// largest |q[i]| over a run, INFINITY when the run fails or passes `bound`
double hol_paper_largest(HolPaper *p, int i, double bound, const char *model, const char *settings,
                         ...) __attribute__((format(printf, 5, 6)));
// the step size between low (stable) and high (unstable) at which max |q[i]| over `steps` steps
// passes `bound`, by bisection on the running code
double hol_paper_limit(HolPaper *p, int i, double bound, double low, double high, int steps,
                       const char *model, const char *settings);
double hol_paper_distance(const double *a, const double *b, int n);

// ---- linear algebra at one state ----

typedef struct HolFrequencies {
    double reduced_mass, reduced_euclid, unreduced; // largest sqrt |eigenvalue| [rad/s]
    double slowest;                                 // smallest, reduced, Euclidean metric [rad/s]
    double eigenvalue_re, eigenvalue_im; // the largest of the damped reduced system [1/s]
} HolFrequencies;

// largest natural frequencies of a model's state (tangent-space linearization, dense)
HolStatus hol_paper_frequencies(const HolModel *m, const HolView *x, HolFrequencies *out,
                                HolError *err);
// of a model's assembled start
HolFrequencies hol_paper_start_frequencies(HolPaper *p, const char *model, const char *settings);
// spectral radius and condition number of a dense column-major matrix (overwritten); NAN on failure
double hol_paper_radius(int n, double *A);
double hol_paper_condition(int n, double *A);

// ---- model files embedded at build time (cmake/papers.cmake) ----

typedef struct HolEmbeddedModel {
    const char *name;
    const unsigned char *text;
    size_t length;
} HolEmbeddedModel;
extern const HolEmbeddedModel hol_embedded_models[]; // ends with name NULL

// ---- chapters ----

void hol_paper_000(HolPaper *p);
void hol_paper_001(HolPaper *p);
void hol_paper_002(HolPaper *p);
void hol_paper_003(HolPaper *p);
void hol_paper_004(HolPaper *p);
void hol_paper_methods(HolPaper *p);

// the chapter of a key ("000" .. "004", "methods"; NULL: all papers) into any sink
HolStatus hol_reproduce_into(const char *key, int quick, const HolTableSink *sink, HolError *err);

#endif
