// SPDX-License-Identifier: Apache-2.0
// Options of a run: the `simulation:` section of a model file, and --set.
#ifndef HOLONOM_OPTIONS_H
#define HOLONOM_OPTIONS_H

#include "holonom/error.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// Simulation options (also the `simulation:` section of a model file and --set)
// ---------------------------------------------------------------------------------------------

typedef struct HolMethodOptions {
    char name[32];        ///< see `holonom kinds`
    char scheme[24];      ///< tangent: hermite newmark jfg obreshkov3 fox-goodwin trapezoidal
                          ///< linear-acceleration hht generalized-alpha; taylor: series stable
    char metric[16];      ///< tangent: mass euclid
    char iteration[16];   ///< dae-alpha: newton cs cm cmp cmp1
    char formulation[16]; ///< bdf: ggl ggl-star cs cm cmp cmf
    char projection[16];  ///< rk: none position full joints
    char start[16];       ///< explicit family: s1 s2 s3 zero; tangent: auto plain graded
    char set[16];         ///< explicit family: named parameter set
    double alpha, beta, gamma, zeta, rho; ///< NAN: the method's default
    double beta_out;                      ///< explicit family
    int order;                            ///< taylor, radau, bdf: 0 = automatic
    int force;                            ///< 1: accept parameters that are refused otherwise
    int newton_iterations; ///< index-3 methods: 0 = iterate to convergence, n = exactly n (to
                           ///< reproduce papers)
    int predictor; ///< index-3 methods: degree of the predictor 0..3; -1: the method's default (1);
                   ///< -2: as the smoothness of the motion asks for
    char control[16];  ///< index-3 methods, dae-alpha: proportional (default), local (the error of
                       ///< each step); bdf: state (default), local, position
    char stopping[16]; ///< index-3 methods under error control: settled (default), published
    double newton_tolerance; ///< index-3 methods, dae-alpha with a fixed step: correction of
                             ///< positions that ends the iteration; 0: round-off
    int newton_most;         ///< the same: most Newton iterations a step; 0: the method's own
    int index;        ///< index-3 methods, to compare: 2 velocity, 1 acceleration constraints; 0: 3
    double baumgarte; ///< index 1 and 2: rate at which drift is fed back [1/s]; 0: not at all
    double newton_c;  ///< index-3 methods under error control: c of the stopping test; 0: 1e-3
} HolMethodOptions;

/// What the error of a step is compared with (`simulation: {error: ..}`).
typedef struct HolErrorOptions {
    double relative; ///< in place of the tolerance; 0: the tolerance
    double absolute; ///< errors below are no errors [m, rad, m/s, rad/s]; 0: from the model's size
    int velocities;  ///< 1: those of velocities count
} HolErrorOptions;

typedef struct HolSimOptions {
    size_t size; ///< set by hol_sim_options, see error.h
    HolMethodOptions method;
    HolErrorOptions error;
    double start, end;                       ///< [s]
    double step;                             ///< fixed step; 0 or NAN: error-controlled
    double tolerance;                        ///< local error tolerance when step is not given
    double output_step;                      ///< spacing of results; 0: every accepted step
    double initial_step, max_step, min_step; ///< 0: automatic
    long max_steps;                          ///< 0: no limit
    const double *stop_times; ///< times that a step must hit (discontinuities), ascending
    int n_stop_times;
    double accuracy;        ///< of the results, for hol_certify; 0: none is asked for
    char linear_solver[16]; ///< auto, dense, sparse
    int threads; ///< that share the run; 0: two for models of many bodies. No effect on results
    double rest_speed; ///< a rebound below this speed is none [m/s, rad/s]; 0: from the tolerance
    char impact[16];   ///< several contacts: sequence (or ""), together
    long max_events;   ///< the run fails beyond
    char start_at
        [16]; ///< initial (or ""): the positions given; equilibrium: at rest, see equilibrium.h
    char painleve[16]; ///< a rigid contact has too much friction to slide: stop (or ""), jam
} HolSimOptions;

HOL_API void hol_sim_options_sized(HolSimOptions *out, size_t room); ///< room: sizeof *out
/// the method chosen from the model, tolerance 1e-6, end 1
static inline HolSimOptions hol_sim_options(void) {
    HolSimOptions options;
    hol_sim_options_sized(&options, sizeof options);
    return options;
}

HOL_API int hol_method_adaptive(const char *name); ///< 1: the method controls its steps if asked to

#ifdef __cplusplus
}
#endif
#endif
