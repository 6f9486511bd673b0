// SPDX-License-Identifier: Apache-2.0
// What the files of the run driver share: sim.c (create), sim_run.c (steps), sim_check.c,
// sim_kink.c, sim_failure.c, sim_track.c (dense output, energy, residuals), sim_options.c
// (defaults, validation). Private to them.
#ifndef HOL_SOLVE_DRIVER_H
#define HOL_SOLVE_DRIVER_H

#include "solve/control.h"
#include "solve/sim.h"

struct HolSimDriver {
    HolControl control;
    int adaptive;  // error-controlled
    int started;   // stepper->start was called
    int restart;   // a stop time was hit: start again behind it
    double origin; // fixed step: x.t = origin + k step
    long k;
    int off_grid;       // fixed step: x.t is beyond that, where a kink ended a step
    double usual;       // fixed step: smoothed pivot growth of the accepted positions
    double *stop_times; // copy, ascending
    int n_stop_times, next_stop;
    double energy, power; // total energy and power of non-conservative forces at s->x
    double kinetic_most;  // largest kinetic energy so far
    double potential_low, potential_high; // of the potential energy so far
    double surprise;                      // largest of an accepted step, see HolProblem.surprise ..
    const char *surprised;                // .. and whose
    double step_work;                     // of these in the last step
    double node_work; // the same from nodes inside it, for step number node_step
    long node_step;
    int *coordinate;       // nq: velocity coordinate i with q_k' = v_i, or -1
    double *qd0, *qd1, *d; // nq, nq + nv, nv scratch of dense output
    double *switches;      // switching functions, twice
    int kinks;             // how many were met one right behind the other
    double last_kink;      // time of the last one
    int fresh;             // 1: no step was made since the start
    int tiny_steps;        // how many were asked for in a row that are lost in round-off
    int left_kink;         // 1: the last step led away from a kink
    double at_kink;        // step to go on with behind one; 0: there is none
    int over_kink;         // 1: the step leads over it
    HolError reason;       // why the last attempt failed
};

// sim_options.c: everything about the options that can be wrong; one line a problem
HolStatus hol_sim_options_check(const HolSimOptions *o, const HolStepper *stepper, HolError *err);

// sim_track.c
void hol_sim_probe(HolSim *s);                              // s->plain and driver->coordinate
void hol_sim_dense(HolSim *s, double theta, HolState *out); // state inside the last step
// cubic Hermite between two states
void hol_between(HolSim *s, const HolState *x0, const HolState *x1, double theta, HolState *out);
void hol_track_start(HolSim *s);                             // scales and energy at the start
void hol_track_step(HolSim *s, const HolStepResult *result); // after a step was accepted

// sim_check.c: is s->next, a step of size h, fit to be accepted? Raises result->error where a
// shorter step would be
HolStatus hol_check_candidate(HolSim *s, double h, HolStepResult *result);

// sim_warn.c: stats->warnings
void hol_run_warnings(const HolSim *s, HolStats *stats);

// sim_failure.c
// How singular the position is where s->mass was factored last: growth of the pivots, about
// 1/distance^2; redundant rows say nothing about it
double hol_singularity(const HolSim *s);
int hol_stands_singular(HolSim *s); // s->x is so close to one that steps fail; factors s->mass
// err: the step of size h from s->x failed, for the driver's reason
HolStatus hol_run_failed(HolSim *s, HolStatus status, double h, HolError *err);

// sim_kink.c: the part of the step from s->x to s->next that leads to just behind the first kink;
// 1: there is none, or the stepper looks for them itself
double hol_candidate_kink(HolSim *s);
int hol_stands_on_kink(HolSim *s); // s->x, exactly

#endif
