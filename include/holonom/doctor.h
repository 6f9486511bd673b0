// SPDX-License-Identifier: Apache-2.0
// The doctor (libholonom_tools): what is wrong or remarkable about a model, and what cures it.
#ifndef HOLONOM_DOCTOR_H
#define HOLONOM_DOCTOR_H

#include "holonom/holonom.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// Everything lives as long as the diagnosis. Joints, motions and constraints are named as in the
// model; directions are global, at the start.
// ---------------------------------------------------------------------------------------------

/// A scalar condition: whose, and what it holds ("rotation about x").
typedef struct HolDoctorRow {
    const char *joint, *row;
} HolDoctorRow;

/// A minimal dependent set: any of its rows follows from the others.
typedef struct HolDoctorSet {
    const HolDoctorRow *rows;
    int n_rows;
    int always;                ///< 1: in every position nearby, 0: in this position only
    const char *const *unique; ///< joints of the loop whose reactions are unique
    int n_unique;
    const char *text; ///< one sentence
} HolDoctorSet;

/// A change of a joint; those of one loop belong together.
typedef struct HolDoctorChange {
    const char *joint, *from, *to; ///< kinds; to "none": left out
    int has_axis;
    double axis
        [3]; ///< the new axis, where the new kind needs one; universal: the one in the second body
    int verified; ///< 1: applied to the model, the loop has lost its redundancy and kept its motion
} HolDoctorChange;

/// A loop that cannot move because a joint is slightly out of line.
typedef struct HolDoctorLock {
    const char *joint, *text;
    double degrees, offset; ///< how much its axis is turned, how far it runs beside the place [m]
    double axis[3], at[3];  ///< where it belongs
    int verified;           ///< 1: put there, the loop moves
} HolDoctorLock;

/// A closed loop of joints, or joints that depend on each other across several loops.
typedef struct HolDoctorLoop {
    const char *const *joints;
    int n_joints;
    int across; ///< 1: several loops together
    const HolDoctorSet *const *sets;
    int n_sets;
    const HolDoctorChange *const *changes;
    int n_changes;
    const HolDoctorLock *lock; ///< NULL: it is not locked
    double singular_distance;  ///< of this loop; 1 where across
} HolDoctorLoop;

typedef struct HolDiagnosis {
    size_t size;           ///< bytes that the library filled
    const HolCheck *check; ///< what assembly found; all zero where it failed
    const HolDoctorLoop *const *loops;
    int n_loops;
    const char *const *motions; ///< a sentence each free motion
    int n_motions;
    /// Smallest singular value of a loop's closing conditions over its largest: 0 in a singular
    /// position, 1 without loops; no unit has an influence on it.
    double singular_distance;
    const HolRemark *const *warnings; ///< remarks of the model, then suspicious data
    int n_warnings;
} HolDiagnosis;

/// Assembles the model and looks at it. Also after a failure *out may hold warnings, which often say
/// why; it is NULL only without memory or model.
HOL_API HolStatus hol_diagnose(const HolModel *m, const HolSimOptions *o, const HolDiagnosis **out,
                               HolError *err);
HOL_API void hol_diagnosis_destroy(const HolDiagnosis *d); ///< NULL is fine

#ifdef __cplusplus
}
#endif
#endif
