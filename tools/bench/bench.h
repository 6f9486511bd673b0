// SPDX-License-Identifier: Apache-2.0
// Benchmarks: problems with accuracy limits, runs of ours and of the peer programs, and the choice
// of the cheapest run that meets a limit.
#ifndef HOL_BENCH_H
#define HOL_BENCH_H

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "holonom/tools.h"

enum { HOL_BENCH_WATCH = 3, HOL_BENCH_LIMITS = 3, HOL_BENCH_PEERS = 6 };
#define HOL_BENCH_JOINTS_CLOSED 1e-10 // [m] what every run of ours keeps
enum { HOL_BENCH_LONG = -1 };         // repeats of hol_bench_measure, for a median
#define HOL_BENCH_NEAR 1.3 // settings this close to the cheapest are refined, ours and the peers'
enum { HOL_BENCH_FINER = 8 }; // parts of the way to the next coarser setting, likewise

// what a run must meet; INFINITY: not judged
typedef struct HolBenchLimit {
    double drift;   // largest energy drift [J]
    double error;   // largest error of what is watched
    double goal_ms; // CPU time wanted, 0: none
} HolBenchLimit;

// how the error is found
typedef enum HolBenchError {
    HOL_BENCH_NO_ERROR,  // energy alone
    HOL_BENCH_END,       // distance from the values `last` at the end
    HOL_BENCH_FOUR_BAR,  // the same, from the exact reduction to one angle
    HOL_BENCH_SAMPLES,   // largest error over the samples of a reference file
    HOL_BENCH_REFERENCE, // largest difference of all angles from a tight run at the end
} HolBenchError;

// end values of a tight run (bench_reference.c)
typedef struct HolBenchReference {
    double *value;
    int n;
    char file[64]; // where the peers read them
} HolBenchReference;

typedef struct HolBenchProblem {
    const char *name, *title;
    const char *file;      // embedded model file, or NULL
    const char *generator; // `holonom generate` name, with n parts
    int n;
    double end;                         // [s]
    const char *watch[HOL_BENCH_WATCH]; // result columns
    HolBenchError error;
    double last[HOL_BENCH_WATCH];        // HOL_BENCH_END
    const char *samples;                 // HOL_BENCH_SAMPLES: embedded file ...
    const char *column[HOL_BENCH_WATCH]; // ... and its columns
    HolBenchLimit limit[HOL_BENCH_LIMITS];
    const char *peer;            // name in the peer programs, NULL: they do not have it
    const char *peer_option;     // appended to their variant, or NULL
    double peer_last[3];         // their end point
    double peer_scale[3];        // error = max or norm of scaled differences
    const char *published;       // times that others published, or NULL
    int stiff;                   // only methods for stiff motion are tried
    HolBenchReference reference; // HOL_BENCH_REFERENCE, while the problem is measured
} HolBenchProblem;

typedef struct HolBenchRun {
    char method[48], setting[48];
    double best, median, setup; // CPU seconds of the loop; of load, compile, create, assemble
    long steps;
    double drift, violation, error;
    int ok;
} HolBenchRun;

// cheapest runs of one problem: [limit]
typedef struct HolBenchResult {
    const HolBenchProblem *problem;
    HolBenchRun ours[HOL_BENCH_LIMITS];
    HolBenchRun peers[HOL_BENCH_PEERS][HOL_BENCH_LIMITS];
    int asked[HOL_BENCH_PEERS]; // the peer has this problem
    int tried;
} HolBenchResult;

// the time that a run may take (bench_watch.c)
typedef struct HolBenchWatch HolBenchWatch;

// how much effort
typedef struct HolBenchEffort {
    int quick, verbose; // verbose: every run tried is told
    const char *peers;  // folder of the peer programs, NULL: without peers
    HolPut say;         // progress, and what failed
    HolBenchWatch *watch;
} HolBenchEffort;

extern const HolBenchProblem hol_bench_problems[]; // ends with name NULL
extern const char *const hol_bench_peer_names[HOL_BENCH_PEERS];
const char *hol_bench_embedded(const char *name);
// text of the model, in the arena; NULL: no memory
const char *hol_bench_model_text(HolArena *arena, const char *file, const char *generator, int n);
void hol_bench_end_values(const HolBenchProblem *p, double *last);
int hol_bench_limit_count(const HolBenchProblem *p);
int hol_bench_meets(const HolBenchRun *r, const HolBenchLimit *limit);
double hol_bench_cpu_now(void);

// a thread that ends runs which take too long; NULL: no memory, or no thread
HolBenchWatch *hol_bench_watch_start(HolArena *arena);
void hol_bench_watch_stop(HolBenchWatch *w); // NULL is fine
// what the run looks at: not 0 when its time is over
const volatile int *hol_bench_watch_flag(const HolBenchWatch *w);
// the present run may go on for so many seconds from now; 0: no limit
void hol_bench_watch_set(HolBenchWatch *w, double seconds);

// ours
HolStatus hol_bench_load(const HolBenchProblem *p, HolModel **m, double *cpu, HolError *err);
// one or more runs; `repeats` 0: as many as a steady figure needs; `cap`: seconds after which a
// run is given up, 0: none
int hol_bench_measure(const HolBenchProblem *p, const HolModel *m, const HolSimOptions *o,
                      HolBenchWatch *watch, int repeats, double cap, HolBenchRun *out);
int hol_bench_sweep_ours(const HolBenchProblem *p, const HolBenchEffort *effort,
                         HolBenchResult *out);
// peers
int hol_bench_peer_installed(const HolBenchEffort *effort, int peer);
void hol_bench_sweep_peers(const HolBenchProblem *p, const HolBenchEffort *effort,
                           HolBenchResult *out);

// the reference of a problem that needs one, in the arena; 0: it could not be made
int hol_bench_reference_make(HolBenchProblem *p, const HolBenchEffort *effort, HolArena *arena);
void hol_bench_reference_free(HolBenchProblem *p); // removes its file
double hol_bench_reference_error(const HolBenchProblem *p, HolSim *s);

// scaling with the size of the mechanism
typedef struct HolBenchScale {
    const char *generator;
    const char *method;
    int n, bodies;
    long steps;
    double us_per_step_body, ratio; // elapsed; ratio to the smallest size of the same kind
    double cpu_per_step_body;       // of all threads [us]
    double bytes_per_body;
    double load, check; // [s]
} HolBenchScale;
int hol_bench_scale(const HolBenchEffort *effort, HolBenchScale *out, int most);

// printing
void hol_bench_print_tried(const HolBenchEffort *effort, const HolBenchProblem *p, const char *who,
                           const HolBenchRun *r);
void hol_bench_print_result(const HolBenchResult *r, const HolPut *to);
void hol_bench_print_markdown(const HolBenchResult *r, int n, const HolBenchEffort *effort,
                              const HolPut *to);
void hol_bench_print_json(const HolBenchResult *r, int n, const HolBenchScale *scale, int n_scale,
                          const HolPut *to);
void hol_bench_print_scale(const HolBenchScale *s, int n, int markdown, const HolPut *to);

#endif
