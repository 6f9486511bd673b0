// SPDX-License-Identifier: Apache-2.0
// What the files of the run driver share: sim.c (create), steps.c (steps), step_check.c,
// kinks.c, failure.c, track.c (dense output, energy, residuals), options.c
// (defaults, validation). Private to them.
#ifndef HOL_SOLVE_DRIVER_H
#define HOL_SOLVE_DRIVER_H

#include "math/zero/isolate.h"
#include "solve/run/control.h"
#include "solve/sim.h"

// at a stop time, where the step ends; at a kink of the forces that it led over
enum { HOL_JUMP_NONE, HOL_JUMP_STOP, HOL_JUMP_KINK };

// from .. to: no step is longer there; reach: the last end of this one and those before it
typedef struct HolPulse {
    double from, to, step, reach;
} HolPulse;

// the last number before a jump, and the first one behind it
typedef struct HolJump {
    double t, after;
} HolJump;

enum { HOL_RESTART = 1, HOL_RESTART_EVENT = 2 };

struct HolSimDriver {
    HolControl control;
    int adaptive;  // error-controlled
    int started;   // stepper->start was called
    int restart;   // HOL_RESTART..: start again, behind a stop time or at an event
    double origin; // fixed step: x.t = origin + k step
    long k;
    int off_grid;       // fixed step: x.t is beyond that, where a kink ended a step
    double usual;       // fixed step: smoothed pivot growth of the accepted positions
    double *stop_times; // copy, ascending
    int n_stop_times, next_stop;
    double energy, power; // total energy and power of non-conservative forces at s->x
    double kinetic_most;  // largest kinetic energy so far
    double speed_most;    // largest velocity so far
    double potential_low, potential_high; // of the potential energy so far
    double surprise;                      // largest of an accepted step, HolProblemExtras ..
    const char *surprised;                // .. and whose
    double step_work;                     // of these in the last step
    double node_work; // the same from nodes inside it, for step number node_step
    long node_step;
    double energy_size; // largest energy and change of it so far
    int parts;          // in which the work of the last step was integrated; 0: by the usual rule
    int driven_nodes;   // its nodes are reported states
    long refine_from;   // step from which on refining may be worth while again
    int *coordinate;    // nq: velocity coordinate i with q_k' = v_i, or -1
    double *qd0, *qd1, *d; // nq, nq + nv, nv scratch of dense output
    double *switches;      // samples of the switching functions, see kinks.c
    HolZeroBasis *basis;   // of the search for their zeros; NULL: there are none
    int switched;          // the one that changed its sign last
    int kinks;             // how many were met one right behind the other
    double last_kink;      // time of the last one
    int *held; // fixed step, of each switching function: steps that a law may hold, see sticking.c
    double *held_at;     // .. and when it is zero
    double *was;         // their values at s->x, and scratch
    HolState place[2];   // scratch: where they are zero
    int creep_steps;     // error control: since the time creep_from,
    double creep_from;   // .. which is looked at every so many steps
    int creeps;          // how many times in a row a law held something at rest meanwhile
    int fresh;           // 1: no step was made since the start
    int tiny_steps;      // how many were asked for in a row that are lost in round-off
    int held_steps;      // next to nothing of the run in a row, on a kink or right behind it
    int left_kink;       // 1: the run started where it left a kink
    double ahead;        // time to a kink that was found; 0: none is known of
    double reach;        // length of the step that found it
    double at_kink;      // step to go on with behind it; 0: there is none
    double without_kink; // the same if there was none
    int over_kink;       // 1: the candidate leads over it; the stepper knows nothing of it
    int crossed;         // 1: the last step did
    int pushed;     // 1: rates of drives jump at the end of the candidate; velocities do not yet
    HolJump *jumps; // roots of switching functions of time alone, ascending
    int n_jumps, next_jump;
    double often;     // about how many switches of time the run has, also those that were not found
    double unseen;    // switches of time were searched up to here only; INFINITY: all of them
    HolPulse *pulses; // of laws of time alone, ascending
    int n_pulses;
    int jump;         // HOL_JUMP_..: a, lambda may jump at the end of the last step
    int rows_before;  // 1: rows at a jump are those before it
    HolError reason;  // why the last attempt failed
    double drive_end; // time at which a drive ends; INFINITY: none
    char drive_reason[256];
    int refused;     // 1: because the problem does not allow its state
    double last_row; // of hol_sim_run: time of the last row of results; NAN: none yet
    long next_row;   // number of the next output time; 0: not begun
    int in_run;      // 1: it goes on: what is reached has had its rows
};

// sim.c: limits of steps, as the method at work has them
void hol_driver_limits(HolSim *s);

// steps.c: assembles and starts the method, once
HolStatus hol_start_run(HolSim *s, HolError *err);
// the method from s->x on, which is consistent, with its first step
HolStatus hol_start_stepper(HolSim *s, HolError *err);

// options.c: everything about the options that can be wrong; one line a problem
HolStatus hol_sim_options_check(const HolSimOptions *o, const HolStepper *stepper, HolError *err);

// track.c
void hol_sim_probe(HolSim *s);                              // s->plain and driver->coordinate
void hol_sim_dense(HolSim *s, double theta, HolState *out); // state inside the last step
// cubic Hermite between two states
void hol_between(HolSim *s, const HolState *x0, const HolState *x1, double theta, HolState *out);
void hol_track_start(HolSim *s);                       // scales and energy at the start
void hol_track_moved(HolSim *s, const HolState *from); // the start was moved: so is its energy
void hol_track_step(HolSim *s, const HolStepResult *result); // after a step was accepted
void hol_track_jump(HolSim *s);                              // after velocities jumped

// step_check.c: is s->next, a step of size h, fit to be accepted? Raises result->error where a
// shorter step would be
HolStatus hol_check_candidate(HolSim *s, double h, HolStepResult *result);

// A constraint that jumps would take bodies with it, without any force: an error that names it.
// before: constraints of s->x, into s->r1. jump: those of x differ from `before` (NULL: zero)
void hol_constraints_before(HolSim *s);
HolStatus hol_constraints_jump(HolSim *s, const HolState *x, const double *before, HolError *err);
// Rates of drives that jump (since hol_constraints_before, to t) push bodies in no time, which is work.
int hol_rates_jump(HolSim *s, double t);
int hol_rates_jump_between(HolSim *s); // the same from s->x to s->next
// velocities of s->x on the constraints, at a factored position; what `jumped` rates do is counted
HolStatus hol_project_rates(HolSim *s, int jumped, HolError *err);

// warnings.c: stats->warnings
void hol_run_warnings(const HolSim *s, HolStats *stats);
void hol_remark_state(HolSim *s); // what the problem has to say about s->x

// failure.c
// How singular the position is where s->mass was factored last: growth of the pivots, about
// 1/distance^2; redundant rows say nothing about it
double hol_singularity(const HolSim *s);
int hol_stands_singular(HolSim *s); // s->x is so close to one that steps fail; factors s->mass
// what at the start has no value, in the place of err's text
void hol_start_failed(HolSim *s, HolError *err);
// err: the next step would come to where a drive ends
HolStatus hol_drive_ends(HolSim *s, HolError *err);
// err: the step of size h from s->x failed, for the driver's reason
HolStatus hol_run_failed(HolSim *s, HolStatus status, double h, HolError *err);

// kinks.c
int hol_kinks_create(HolSim *s); // 0: no memory
void hol_kinks_keep(HolSim *s, HolKeeper *k);
// the part of the step from s->x to s->next that leads to just behind the first kink; 1: there is
// none, or the stepper looks for them itself
double hol_candidate_kink(HolSim *s);
// time to the first kink as the accelerations of s->x lead there; INFINITY: none within h
double hol_kink_ahead(HolSim *s, double h);
int hol_stands_on_kink(HolSim *s); // s->x, exactly
// So close that accelerations alone lead over a kink: they miss h^2/2 of their rate, a small part of
// what the tolerance leaves of the step that met it, at least h
double hol_kink_close(const HolSim *s, double h);
// where the accelerations of s->x lead in the time h
void hol_extrapolate(HolSim *s, double h, HolState *out);
// s->next = that, on the constraints, behind a kink at *h, which is known to `vague`; *h becomes
// the time it lies ahead, `most` at most
HolStatus hol_cross_kink(HolSim *s, double *h, double vague, double most, HolError *err);
// an accepted step to s->next may have led over a jump of rates unseen
void hol_passed_kink(HolSim *s);
// A force that jumps back as soon as the motion gives way holds it at the jump (friction by the
// sign of a velocity): there are only kinks then, and no method gets anywhere.
HolStatus hol_count_kink(HolSim *s, HolError *err);
// s->x stands on a kink, or right behind one
int hol_is_held(HolSim *s);
// after an accepted step: too many in a row that are next to nothing of the run, at the same kink
HolStatus hol_count_held(HolSim *s, HolError *err);
// err: that a law holds the motion, and how
HolStatus hol_sticks(HolSim *s, const char *how, HolError *err);

// sticking.c: the same with fixed steps
int hol_sticking_create(HolSim *s); // 0: no memory
void hol_sticking_keep(HolSim *s, HolKeeper *k);
HolStatus hol_sticking_step(HolSim *s, HolError *err); // after a step: does a law hold s->x?
// after a step of size h from s->x failed: is that why?
HolStatus hol_sticking_failed(HolSim *s, double h, HolError *err);

// with error control, after a step: do they only creep on because a law holds what is at rest?
HolStatus hol_sticking_creeps(HolSim *s, HolError *err);
HolStatus hol_sticking_ends(HolSim *s, HolError *err); // no step is short enough: is that why?

// steps.c: the time that steps take, added to the statistics
typedef struct HolStopwatch {
    double cpu, wall;
} HolStopwatch;
void hol_stopwatch_start(HolSim *s, HolStopwatch *w);
void hol_stopwatch_stop(HolSim *s, const HolStopwatch *w);
HolStatus hol_settle_due(HolSim *s,
                         HolError *err); // the event that the step ended at; HOL_EVENT: it stops
HolStatus hol_sim_step_untimed(HolSim *s, double t_end, HolError *err);

// time_switches.c: times at which the law of a force changes
HolStatus hol_jumps_create(HolSim *s, HolError *err);
// the next of them or of the stop times behind s->x.t; INFINITY: none
double hol_next_stop(const HolSim *s);
void hol_passed_stop(HolSim *s);         // s->x.t is there
double hol_behind_jump(const HolSim *s); // the first time behind s->x.t that lies beyond its jump
// the time at which a step from s->x ends at the latest, lest it pass a pulse; INFINITY: any
double hol_pulse_limit(const HolSim *s);
// crowd_step.c: the part of a step h that contacts among many bodies allow
double hol_crowd_limit(HolSim *s, double h);

#endif
