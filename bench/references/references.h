// SPDX-License-Identifier: Apache-2.0
// Reference problems of friction, stops, contacts and events: closed forms, series with 32 digits, or two
// independent integrators. Each is run by several methods at a fine and at a coarse tolerance; event
// times, states and the ledger are compared with what is allowed:
//     fine     tolerance 1e-11 (taylor 1e-12), times 1e-9 s (taylor 1e-11 s), states 1e-8
//     coarse   tolerance 1e-8, both 3e-7
//     ledger   energy.numerical: across an event 1e-12, over the run 30 tolerance, of the energy
// A state x counts with max(1, |x|). What the reference itself does not know (trust) is added.
// Shared by the program bench/references.c and by test/contact/test_contact_references.c.
#ifndef BENCH_REFERENCES_H
#define BENCH_REFERENCES_H

#include <stdio.h>

#include <holonom/holonom.h>

enum { RF_SETTINGS = 8, RF_EVENTS = 20, RF_VALUES = 6, RF_STATES = 24, RF_MOST = 40 };

// ---- problems.c: the list ----

// a column, or a field of the event: event.before .after .impulse .loss
typedef struct RfValue {
    const char *name;
    double value;
} RfValue;

typedef struct RfEvent {
    double time;              // NAN: not known
    const char *kind, *name;  // name NULL: any
    RfValue value[RF_VALUES]; // behind it
} RfEvent;

typedef struct RfState {
    double time;
    const char *name;
    double value;
} RfState;

typedef struct RfProblem {
    const char *name, *title;
    const char *model;                // file, from the source folder
    HolSetting settings[RF_SETTINGS]; // until a key is NULL
    double end;
    double time_trust, state_trust; // of the reference
    RfEvent events[RF_EVENTS];      // until a kind is NULL; those at the start do not count
    int more;                       // 1: others follow, up to the last one:
    RfEvent last;                   // kind NULL: not said
    RfState states[RF_STATES];      // by time; until a name is NULL
    const char *message;            // the run must fail with this in its message
    const char *but;                // a method that is not tried; NULL: all are
} RfProblem;

extern const RfProblem rf_problems[]; // at most RF_MOST
extern const int rf_problem_count;

// ---- run.c ----

typedef struct RfTrial {
    const char *method;
    double tolerance, time, state; // allowed
} RfTrial;

enum { RF_FINE = 4, RF_COARSE = 6, RF_ROUGH = 5 };
// taylor tangent rk853 radau; the same, rk4 and bdf; others, which are shown and need not hold
extern const RfTrial rf_fine[RF_FINE], rf_coarse[RF_COARSE], rf_rough[RF_ROUGH];

typedef struct RfRun {
    int done;           // the events are those of the list, in their order
    int refused;        // the method takes no such model
    HolError err;       // why not
    int events;         // compared
    double time, state; // largest errors, beyond the trust
    char where_time[80], where_state[80];
    double across, drift; // of the ledger: jump at an event, over the run; both of the energy
    long steps;
} RfRun;

void rf_run(const char *root, const RfProblem *p, const RfTrial *t, RfRun *out);
// 1: all within what is allowed, or refused; else `why` says what is not
int rf_holds(const RfTrial *t, const RfRun *r, char *why, size_t room);
// largest of error / allowed over times, states and the ledger of a run that is done
double rf_worst(const RfTrial *t, const RfRun *r);

// a run with these rows and threads: the state at its end; returns its length, 0: it failed
int rf_bits(const char *root, const RfProblem *p, const RfTrial *t, double output_step, int threads,
            double *out, int room, HolError *err);
// 1: the same bits for several rows and threads
int rf_same_bits(const char *root, const RfProblem *p, const RfTrial *t, HolError *err);
// problems of all families of events: friction, stop, rigid contact, compliant contact, user event
enum { RF_BITS = 6, RF_METHODS_OF_BITS = 3 }; // (taylor, tangent, rk853)
extern const char *const rf_bits_of[RF_BITS];
const RfProblem *rf_problem(const char *name); // NULL: none

// ---- orders.c: slopes across events, by two fixed steps ----

enum { RF_FAMILIES = 5, RF_ORDERS = 15 };

typedef struct RfFamily {
    const char *title, *model;
    double value; // of b.x at 0.5 s, closed form
    int located;  // by fixed steps too
} RfFamily;

typedef struct RfOrder {
    const char *method;
    double order, step; // expected; the longer step
} RfOrder;

extern const RfFamily rf_families[RF_FAMILIES];
extern const RfOrder rf_orders[RF_ORDERS];
// slope between errors with the step and a quarter of it; 0: a run failed
int rf_slope(const char *root, const RfFamily *f, const RfOrder *o, double error[2], double *slope,
             HolError *err);
// below the order by 0.2; 1.8 for compliant contacts, which fixed steps do not locate
double rf_least_slope(const RfFamily *f, const RfOrder *o);

// ---- print.c ----

// runs all and writes the page; rough: also those methods. Returns how many do not hold
int rf_print_page(FILE *to, const char *root, int rough);

#endif
