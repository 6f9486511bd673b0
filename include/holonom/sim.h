// SPDX-License-Identifier: Apache-2.0
// One run: steps, states, what assembly found.
#ifndef HOLONOM_SIM_H
#define HOLONOM_SIM_H

#include "holonom/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// Simulation: one run. A HolSim belongs to one thread at a time (it starts helpers of its own);
// runs of one compiled model may go on in several threads at once.
// ---------------------------------------------------------------------------------------------

typedef struct HolSim HolSim;

/// Read-only view of the present state.
typedef struct HolView {
    double t, h; ///< time, size of the step that led here
    int nq, nv, m, nw;
    const double *q, *v, *a, *lambda, *w;
} HolView;

/// A line of the table of events.
typedef struct HolEvent {
    double time;
    char name[64]; ///< of the joint, contact or event
    char kind[8];  ///< touch impact lift stick slip stop rest user
    double speed_before, speed_after, impulse_n, impulse_t, loss;
    double sensitivity; ///< error of the time by that of the function that became zero
} HolEvent;

/// What an impact (or a reset by an event) asked of a joint: the integral of its reaction, in the sense
/// and the axes of the columns JOINT.fx .. JOINT.tz. Those of stops and contacts stand in HolEvent.
typedef struct HolImpulse {
    size_t size; ///< set by hol_sim_impulse, see error.h
    double time; ///< of the event
    char event
        [64]; ///< the first at this time that made velocities jump; all impulses at one time add up
    char joint[64]; ///< or drive, or constraint
    double fx, fy, fz, tx, ty,
        tz;        ///< N s, N m s: on the second body, global axes, about the first place
    double effort; ///< of a drive or constraint, along its coordinate
} HolImpulse;

typedef struct HolStats {
    size_t size; ///< set by hol_sim_stats, see error.h
    long steps, rejected, newton_iterations, jacobians, factorizations, force_evaluations;
    long error_test_failures, convergence_failures;
    long
        overruled; ///< steps accepted with the whole tolerance, because shorter ones were no better
    double cpu_seconds, wall_seconds;                      ///< of the integration loop
    double energy_initial, energy_final, energy_max_drift; ///< drift = total - initial - work
    double work; ///< of non-conservative forces and driven constraints
    double residual_position, residual_velocity,
        residual_acceleration; ///< largest absolute over accepted steps
    double h_min, h_max, h_last;
    double kkt_growth;   ///< largest pivot growth seen
    long regularized;    ///< factorizations by the redundancy-tolerant path
    char note[1024];     ///< remarks for the user (stiffness noticed, graded start, ...), lines
    char warnings[1024]; ///< what makes the results doubtful, a sentence a line
    char method[32];     ///< at work; `auto` until the run has started
    char choice[512];    ///< `auto`: why this method, a sentence; "": one was named
    double friction_heat, impact_loss; ///< energy that friction and impacts took so far
    long events;                       ///< lines of the table of events so far
    double contraction; ///< ratio of two corrections of Newton's iteration, geometric mean of those
                        ///< above round-off; NAN: none was seen
    double contraction_most; ///< the largest
} HolStats;

HOL_API HolStatus hol_sim_create(const HolModel *m, const HolSimOptions *o, HolSim **out,
                                 HolError *err);
/// A run of a C user's own problem from q0, v0 (projected onto the constraints first).
HOL_API HolStatus hol_sim_create_problem(const HolProblem *p, const double *q0, const double *v0,
                                         const HolSimOptions *o, HolSim **out, HolError *err);
/// Assemble: consistent q0, v0, a0, lambda0. Called by the first advance when not called before.
HOL_API HolStatus hol_sim_assemble(HolSim *s, HolError *err);
/// One accepted step, not beyond t_end.
HOL_API HolStatus hol_sim_step(HolSim *s, double t_end, HolError *err);
/// Steps until t_end; HOL_INTERRUPTED when the stop flag was set.
HOL_API HolStatus hol_sim_advance(HolSim *s, double t_end, HolError *err);
/// What hol_sim_run reports: a step was accepted that ends at t; a row of results is due at t; events
/// happened at t (hol_sim_event).
enum { HOL_AT_STEP, HOL_AT_ROW, HOL_AT_EVENT };
typedef HolStatus (*HolObserver)(void *user, HolSim *s, int what, double t, HolError *err);
/// Steps until `end` and calls the observer for rows of results: at the start, at every multiple of
/// `output_step` (0: every step) and where the run ends, whatever ends it. An observer that returns
/// other than HOL_OK ends it too.
HOL_API HolStatus hol_sim_run(HolSim *s, double end, HolObserver observer, void *user,
                              HolError *err);
/// Events of the last time at which there were some: i from 0; returns 0 past the end.
HOL_API int hol_sim_event(const HolSim *s, int i, HolEvent *out);
HOL_API int hol_sim_impulse_sized(const HolSim *s, int i, HolImpulse *out, size_t room);
/// Impulses of joints, drives and constraints at that time, those other than zero: i from 0; returns 0
/// past the end.
static inline int hol_sim_impulse(const HolSim *s, int i, HolImpulse *out) {
    return hol_sim_impulse_sized(s, i, out, sizeof *out);
}
/// State at time t inside the last step (dense output); arrays may be NULL.
HOL_API HolStatus hol_sim_interpolate(HolSim *s, double t, double *q, double *v, double *a,
                                      double *lambda, double *w);
HOL_API double hol_sim_time(const HolSim *s); ///< of the last accepted state
/// About how many times laws switch by time alone from start to end of the run; a step ends at each.
HOL_API double hol_sim_switch_count(const HolSim *s);
HOL_API void hol_sim_view_sized(HolSim *s, HolView *out, size_t room);
HOL_API void hol_sim_stats_sized(const HolSim *s, HolStats *out, size_t room);
/// The present state; its arrays hold until the next call that takes the run. (Reactions that no
/// one asked for so far are computed now: the run is not const.)
static inline HolView hol_sim_view(HolSim *s) {
    HolView view;
    hol_sim_view_sized(s, &view, sizeof view);
    return view;
}

static inline HolStats hol_sim_stats(const HolSim *s) {
    HolStats stats;
    hol_sim_stats_sized(s, &stats, sizeof stats);
    return stats;
}

/// The whole run as bytes, for hol_sim_restore: a run that takes them goes on to the last bit as this
/// one would, also in another process. `*size` becomes their number; `bytes` NULL asks for it alone,
/// room: how many there is place for. Starts the run where it has not begun. Of method bdf, whose
/// library keeps its history to itself, the bytes hold the last start of the method and the times
/// that steps were asked for since. What a C user's problem remembers in its workspace is not saved.
HOL_API HolStatus hol_sim_save(HolSim *s, void *bytes, size_t room, size_t *size, HolError *err);
/// Takes a saved run: of the same model (or problem), method, step and tolerance; others are refused
/// and leave the run as it was. Method bdf makes the saved steps again, which takes as long as they
/// took, and refuses when their bits differ (the run then stands where they led). Bytes of unknown origin are no safer than a program of unknown
/// origin: their checksum tells damage, not intent.
HOL_API HolStatus hol_sim_restore(HolSim *s, const void *bytes, size_t size, HolError *err);
/// A second run that goes on as this one would; the caller destroys it. The stop flag is not copied.
HOL_API HolStatus hol_sim_copy(HolSim *s, HolSim **out, HolError *err);
/// Goes on from another time, positions (nq) and velocities (nv), either NULL: as they are. They are put
/// onto the constraints; the energy balance and the grid of fixed steps begin anew.
HOL_API HolStatus hol_sim_set_state(HolSim *s, double t, const double *q, const double *v,
                                    HolError *err);

/// *flag != 0 ends advance and run after the present step. The flag is only read; set it from a
/// signal handler or another thread (there as a volatile or an atomic int).
HOL_API void hol_sim_stop_flag(HolSim *s, const volatile int *flag);
/// All "BODY.quantity" values of the present state: i from 0; returns 0 past the end.
HOL_API int hol_sim_final(HolSim *s, int i, char *name, size_t size, double *value);
HOL_API void hol_sim_destroy(HolSim *s);

// ---------------------------------------------------------------------------------------------
// What assembly and check found
// ---------------------------------------------------------------------------------------------

typedef struct HolDependentRow {
    char joint[64];
    int row;
    char on[256];
    int always;
} HolDependentRow;

typedef struct HolCheck {
    size_t size; ///< set by hol_sim_check, see error.h
    int bodies, joints, coordinates, velocities, constraints, rank, redundant, dof;
    double residual_position, residual_velocity, residual_acceleration; ///< initial, as written
    double moved_position, moved_velocity; ///< largest change assembly made
    char moved_what[128];                  ///< coordinate that moved most
    int n_dependent;
    HolDependentRow dependent[64]; ///< first 64 dependent rows, by joint name
    int n_moved;
    struct {
        char name[64];
        double from, to;
    } moved[64];
    int singular; ///< rank here is below the rank nearby
} HolCheck;

HOL_API HolStatus hol_sim_check_sized(HolSim *s, HolCheck *out, size_t room, HolError *err);
static inline HolStatus hol_sim_check(HolSim *s, HolCheck *out, HolError *err) {
    return hol_sim_check_sized(s, out, sizeof *out, err);
}

#ifdef __cplusplus
}
#endif
#endif
