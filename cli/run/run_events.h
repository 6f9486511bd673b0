// SPDX-License-Identifier: Apache-2.0
// What a summary says of events and impulses. Their lines go to files as the run goes on: here are a few
// numbers, however many there are, and for the object of --json a file without a name.
#ifndef HOL_CLI_RUN_EVENTS_H
#define HOL_CLI_RUN_EVENTS_H

#include <holonom/holonom.h>
#include <holonom/json.h>

enum { RUN_EVENT_KINDS = 9, RUN_EVENTS_RECENT = 16 };

typedef struct RunEventCount { // plain numbers: a checkpoint keeps them
    long n, kinds[RUN_EVENT_KINDS];
    double last; // time
    // of joints and contacts that stick, slip or lift the last line each, the oldest first
    int n_recent;
    HolEvent recent[RUN_EVENTS_RECENT];
    long n_impulses;
    double force;       // the largest
    HolImpulse impulse; // that has it
} RunEventCount;

typedef struct RunEvents {
    RunEventCount count;
    FILE *events, *impulses; // every line; NULL: not kept
    const char *lost;        // why they are not all there; NULL: they are
} RunEvents;

HolStatus run_events_keep(RunEvents *e, HolError *err);         // every line, from now on
void run_events_reset(RunEvents *e);                            // none so far
HolStatus run_events_finish(const RunEvents *e, HolError *err); // all that was kept is there
HolStatus run_events_event(RunEvents *e, const HolEvent *event, HolError *err);
HolStatus run_events_impulse(RunEvents *e, const HolImpulse *impulse, HolError *err);
// lines that are counted already
HolStatus run_events_old(void *events, const HolEvent *event, const HolImpulse *impulse,
                         HolError *err);
void run_events_print(const RunEvents *e, const HolStats *stats, FILE *to);
void run_events_print_impulses(const RunEvents *e, FILE *to); // the largest
void run_events_json(const RunEvents *e, HolJson *j);         // "events": [..], "impulses": [..]
void run_events_free(RunEvents *e);

#endif
