// SPDX-License-Identifier: Apache-2.0
// The HTML report, seen from inside: rows are kept in memory while the run goes on and written into
// the page template at the end (docs/report-data.md describes the data).
#ifndef HOL_REPORT_H
#define HOL_REPORT_H

#include "base/arena.h"
#include "base/error.h"
#include "base/name_table.h"
#include "holonom/json.h"
#include "holonom/tools.h"
#include "io/atomic_file.h"

#include <stdint.h>

// the page; size 0 when it was not built (made by web/build.mjs, or empty by CMake)
extern const unsigned char hol_report_template[];
extern const size_t hol_report_template_size;

enum { HOL_REPORT_POSE_MAX = 7, HOL_REPORT_REMARKS = 32 };

typedef struct HolReportColumn {
    const char *name, *unit;
    int all;     // index in the row of all columns, -1: none
    int row;     // index in the row of results (an expression of `outputs:`), -1: none
    int chosen;  // named in `outputs:`
    double base; // numbers are stored relative to it; chosen at the end
} HolReportColumn;

typedef struct HolReportMesh {
    int column;       // behind the columns of samples
    long count;       // numbers: 9 a triangle
    const float *xyz; // in the report's arena
} HolReportMesh;

// the largest impulses of a joint, and when they were
typedef struct HolReportImpulse {
    char joint[64];
    long n;
    double size[3], time[3]; // force, torque, effort
} HolReportImpulse;

// friction of a joint or contact, by the last event of its name
typedef struct HolReportGrip {
    const char *name;
    int holds, shared; // it sticks; shared with others
    double since;
} HolReportGrip;

// all events counted, the first ones kept
enum { HOL_REPORT_KINDS = 16 };
typedef struct HolReportEvents {
    HolEvent *list;
    int n, cap;
    long seen;
    struct {
        char kind[8];
        long n;
    } kinds[HOL_REPORT_KINDS]; // in order of their first
    HolReportGrip *grips;
    int n_grips, cap_grips;
    HolNameTable names; // of the grips
} HolReportEvents;

struct HolReport {
    HolArena arena;
    const HolModel *model;
    HolSimOptions options;
    HolAtomicFile place;
    FILE *file;               // of the page while it is written
    HolReportColumn *columns; // time is not among them
    int n_columns, cap_columns;
    double share;                     // of the largest file, when it holds several runs
    int n_bodies;                     // of the model, the ground included
    int (*pose)[HOL_REPORT_POSE_MAX]; // columns of the pose of each body, -1: none
    HolReportMesh *meshes;            // one a body, count 0: none
    double *time;                     // samples
    double *values;                   // samples x n_columns
    int n_samples, capacity;
    int max_samples;   // thinned to half when reached
    long seen, stride; // rows given so far; one of `stride` is kept
    double *last;      // values of the last row given, which is always kept
    double last_time;
    int last_pending; // it is not among the samples yet
    int dropped;      // columns left out because the model is large
    const char *remarks[HOL_REPORT_REMARKS];
    int n_remarks;
    const HolCertificate *certificate; // NULL: none
    HolReportEvents events;
    HolReportImpulse *impulses; // one a joint that had some
    int n_impulses, cap_impulses;
    HolNameTable impulse_names;
    const HolModes *modes; // NULL: a run; else the samples are their shapes in turn
    double mode_time;      // of one of them on the page, the next begins 1 later
};

// ---- report.c: one run of a page, and the page ----
// what is needed to keep rows; `stored` (ended by a name NULL): the columns of a stored result
// instead of those of the model
HolStatus hol_report_begin(const HolModel *m, const HolSimOptions *o, const HolColumn *stored,
                           int runs, HolReport **out, HolError *err);
void hol_report_end(HolReport *r); // free it
typedef struct HolReportRun {
    HolReport *report;
    const HolStats *stats; // may be NULL
    const HolCheck *check; // may be NULL
    const char *label;     // NULL: method and step
} HolReportRun;
// the page with all runs, complete or not there at all
HolStatus hol_report_write(const char *path, const HolReportRun *runs, int n, HolError *err);

// ---- report_json.c ----
void hol_report_model(const HolReport *r, HolJson *j); // bodies, joints, springs, forces

// ---- report_contact.c ----
void hol_report_contacts(const HolModel *m, HolJson *j); // the shapes that may touch

// ---- report_event.c ----
// an event is counted, and kept for the table while there is room; 0: out of memory
int hol_report_count(HolReport *r, const HolEvent *event);
void hol_report_events(const HolReport *r, HolJson *j); // the table

// ---- report_summary.c ----
void hol_report_summary(const HolReport *r, const HolStats *stats, const HolCheck *check,
                        HolJson *j);

// ---- report_block.c ----
int hol_report_constant(const HolReport *r, int column); // 1: all samples equal the base
size_t hol_report_block_size(const HolReport *r);        // bytes before compression
const char *hol_report_encoding(size_t bytes);
HolStatus hol_report_block(HolReport *r, HolError *err); // base64 text to r->file

// ---- report_mesh.c ----
// triangles of an STL file (binary or text), in the arena; *count = numbers, 9 a triangle
HolStatus hol_report_mesh(HolArena *arena, const char *path, const float **xyz, long *count,
                          HolError *err);

#endif
