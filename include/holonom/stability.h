// SPDX-License-Identifier: Apache-2.0
// Stability: the fastest mode along the motion and the largest stable step of every method.
#ifndef HOLONOM_STABILITY_H
#define HOLONOM_STABILITY_H

#include "holonom/sim.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct HolStabilityOptions {
    size_t size;              ///< set by hol_stability_options, see error.h
    const char *method;       ///< this one only; NULL: all
    double from, to;          ///< part of the motion; NAN: that of the run
    int points;               ///< along it, equally spaced; 0: 11 (large models fewer)
    const volatile int *stop; ///< as of hol_sim_stop_flag; NULL: none
    /// Told as the work goes on, part from 0 to 1; NULL: not.
    void (*progress)(void *user, double part);
    void *user;
} HolStabilityOptions;

HOL_API void hol_stability_options_sized(HolStabilityOptions *out, size_t room);
/// All methods, the whole run.
static inline HolStabilityOptions hol_stability_options(void) {
    HolStabilityOptions options;
    hol_stability_options_sized(&options, sizeof options);
    return options;
}

/// The linearized motion at one time. Made by the library.
typedef struct HolStabilityPoint {
    double time;
    double omega_max;          ///< largest |eigenvalue| [rad/s]; 0: nothing vibrates or decays
    double real, imag;         ///< that eigenvalue, imag >= 0
    const char *const *bodies; ///< that move in its mode, the one with the largest share first
    int n_bodies;
    double spin;          ///< largest angular velocity of a body in space [rad/s]; 0 in the plane
    const char *spinning; ///< whose; NULL: none
    double constancy;     ///< of the axes, as in HolModes; above 1e-6: eigenvalues of this instant
} HolStabilityPoint;

/// Limits of the step of a method, INFINITY: none. Made by the library.
typedef struct HolStabilityMethod {
    HolMethodOptions options;            ///< name and parameters
    int own;                             ///< 1: as the model has it
    double largest_stable_step;          ///< growth up to 1e-7 a step
    double largest_stable_step_this_run; ///< growth up to 30 times over the run
    double accuracy_step;                ///< that the tolerance needs for the modes that take part
    double at_time;            ///< where the first of them is smallest; NAN: there is no limit
    const char *const *bodies; ///< that move in the mode which grows beyond it
    int n_bodies;
} HolStabilityMethod;

/// Made by hol_stability; read-only.
typedef struct HolStability {
    double from, to;                        ///< of the motion that was looked at
    double tolerance;                       ///< behind the accuracy steps
    const HolStabilityPoint *const *points; ///< by time
    int n_points;
    const HolStabilityMethod *const *methods; ///< in the order of `holonom kinds`
    int n_methods;
    int fastest;      ///< point of the largest omega_max, -1: none
    double spin_step; ///< 0.5/spin, a limit of its own of methods that have one; INFINITY: none
    double spin_time;
    char note[1024]; ///< what is worth a remark, lines
} HolStability;

/// Runs the model once (error-controlled, whatever the options' step is) and linearizes along the
/// motion. A motion that fails on its way is looked at up to there.
HOL_API HolStatus hol_stability(const HolModel *m, const HolSimOptions *o,
                                const HolStabilityOptions *options, HolStability **out,
                                HolError *err);
HOL_API void hol_stability_destroy(HolStability *s); ///< NULL is fine
/// Spectral radius of one step h of a method, where its limit was found (else at the fastest
/// point); NAN: it has no fixed step.
HOL_API double hol_stability_radius(const HolStability *s, int method, double h);
/// The object of `stability --json`.
HOL_API void hol_stability_json(const HolStability *s, FILE *to);

/// What a fixed step is held against before the run.
typedef struct HolStepLimit {
    size_t size;       ///< set by hol_step_limit, see error.h
    double limit;      ///< largest stable step at the start; INFINITY: none below twice the step
    double spin_step;  ///< 0.5/spin of methods that have a limit; INFINITY: none
    double real, imag; ///< eigenvalue of the mode that grows beyond it
    char bodies[256];  ///< that move in it, or spin
    char warning[512]; ///< a sentence; empty: the step of the options is below 0.98 of both
} HolStepLimit;

/// Of the method and step of the options at the start. Costs milliseconds; models of more than 6000
/// velocities are left out (limit NAN), as are options without a fixed step.
HOL_API HolStatus hol_step_limit_sized(const HolModel *m, const HolSimOptions *o, HolStepLimit *out,
                                       size_t room, HolError *err);
static inline HolStatus hol_step_limit(const HolModel *m, const HolSimOptions *o, HolStepLimit *out,
                                       HolError *err) {
    return hol_step_limit_sized(m, o, out, sizeof *out, err);
}

#ifdef __cplusplus
}
#endif
#endif
