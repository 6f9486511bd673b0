// SPDX-License-Identifier: Apache-2.0
// Benchmarks: problems with accuracy limits, runs of ours and of the peer programs, and the choice
// of the cheapest run that meets a limit.
#ifndef HOL_CLI_BENCH_H
#define HOL_CLI_BENCH_H

#include <holonom/tools.h>

#include <stdio.h>

enum { BENCH_WATCH = 3, BENCH_LIMITS = 3, BENCH_PEERS = 6 };
#define BENCH_JOINTS_CLOSED 1e-10 // [m] what every run of ours keeps
enum { BENCH_LONG = -1 };         // repeats of bench_measure, for a median
#define BENCH_NEAR 1.3    // settings this close to the cheapest are refined, ours and the peers'
enum { BENCH_FINER = 8 }; // parts of the way to the next coarser setting, likewise

// what a run must meet; INFINITY: not judged
typedef struct BenchLimit {
    double drift;   // largest energy drift [J]
    double error;   // largest error of what is watched
    double goal_ms; // CPU time wanted, 0: none
} BenchLimit;

// how the error is found
typedef enum BenchError {
    BENCH_NO_ERROR,  // energy alone
    BENCH_END,       // distance from the values `last` at the end
    BENCH_FOUR_BAR,  // the same, from the exact reduction to one angle
    BENCH_SAMPLES,   // largest error over the samples of a reference file
    BENCH_REFERENCE, // largest difference of all angles from a tight run at the end
} BenchError;

// end values of a tight run (bench_reference.c)
typedef struct BenchReference {
    double *value;
    int n;
    char file[64]; // where the peers read them
} BenchReference;

typedef struct BenchProblem {
    const char *name, *title;
    const char *file;      // embedded model file, or NULL
    const char *generator; // `holonom generate` name, with n parts
    int n;
    double end;                     // [s]
    const char *watch[BENCH_WATCH]; // result columns
    BenchError error;
    double last[BENCH_WATCH];        // BENCH_END
    const char *samples;             // BENCH_SAMPLES: embedded file ...
    const char *column[BENCH_WATCH]; // ... and its columns
    BenchLimit limit[BENCH_LIMITS];
    const char *peer;         // name in the peer programs, NULL: they do not have it
    const char *peer_option;  // appended to their variant, or NULL
    double peer_last[3];      // their end point
    double peer_scale[3];     // error = max or norm of scaled differences
    const char *published;    // times that others published, or NULL
    int stiff;                // only methods for stiff motion are tried
    BenchReference reference; // BENCH_REFERENCE, while the problem is measured
} BenchProblem;

typedef struct BenchRun {
    char method[48], setting[48];
    double best, median, setup; // CPU seconds of the loop; of load, compile, create, assemble
    long steps;
    double drift, violation, error;
    int ok;
} BenchRun;

// cheapest runs of one problem: [limit]
typedef struct BenchResult {
    const BenchProblem *problem;
    BenchRun ours[BENCH_LIMITS];
    BenchRun peers[BENCH_PEERS][BENCH_LIMITS];
    int asked[BENCH_PEERS]; // the peer has this problem
    int tried;
} BenchResult;

// how much effort
typedef struct BenchEffort {
    int quick, verbose; // verbose: every run tried, on stderr
    const char *peers;  // folder of the peer programs, NULL: without peers
} BenchEffort;

extern const BenchProblem bench_problems[]; // ends with name NULL
extern const char *const bench_peer_names[BENCH_PEERS];
const char *bench_embedded(const char *name);
// text of the model (malloc)
char *bench_model_text(const char *file, const char *generator, int n);
void bench_end_values(const BenchProblem *p, double *last);
int bench_limit_count(const BenchProblem *p);
int bench_meets(const BenchRun *r, const BenchLimit *limit);
double bench_cpu_now(void);

// ours
HolStatus bench_load(const BenchProblem *p, HolModel **m, double *cpu, HolError *err);
// one or more runs; `repeats` 0: as many as a steady figure needs; `cap`: seconds after which a
// run is given up, 0: none
int bench_measure(const BenchProblem *p, const HolModel *m, const HolSimOptions *o, int repeats,
                  double cap, BenchRun *out);
int bench_sweep_ours(const BenchProblem *p, const BenchEffort *effort, BenchResult *out);
// peers
int bench_peer_installed(const BenchEffort *effort, int peer);
void bench_sweep_peers(const BenchProblem *p, const BenchEffort *effort, BenchResult *out);

// the reference of a problem that needs one; 0: it could not be made
int bench_reference_make(BenchProblem *p);
void bench_reference_free(BenchProblem *p);
double bench_reference_error(const BenchProblem *p, HolSim *s);

// scaling with the size of the mechanism
typedef struct BenchScale {
    const char *generator;
    const char *method;
    int n, bodies;
    long steps;
    double us_per_step_body, ratio; // elapsed; ratio to the smallest size of the same kind
    double cpu_per_step_body;       // of all threads [us]
    double bytes_per_body;
    double load, check; // [s]
} BenchScale;
int bench_scale(const BenchEffort *effort, BenchScale *out, int most);

// printing
void bench_print_tried(const char *problem, const char *who, const BenchRun *r);
enum { BENCH_TEXT, BENCH_MARKDOWN, BENCH_JSON };
void bench_print_result(const BenchResult *r, FILE *to);
void bench_print_markdown(const BenchResult *r, int n, const BenchEffort *effort, FILE *to);
void bench_print_json(const BenchResult *r, int n, const BenchScale *scale, int n_scale, FILE *to);
void bench_print_scale(const BenchScale *s, int n, int markdown, FILE *to);

#endif
