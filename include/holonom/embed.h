// SPDX-License-Identifier: Apache-2.0
// A run inside a program: inputs, values by name, mechanics of the present state, rows in memory.
// (Saving and restoring: sim.h.)
#ifndef HOLONOM_EMBED_H
#define HOLONOM_EMBED_H

#include "holonom/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// Inputs and values
// ---------------------------------------------------------------------------------------------

/// An input of the model (`inputs:`) from the present time on. Forces may jump: the next step starts
/// anew with the accelerations behind the jump. A value that is no number is refused.
HOL_API HolStatus hol_sim_set_input(HolSim *s, const char *name, double value, HolError *err);
HOL_API int hol_model_input_count(const HolModel *m);
HOL_API const char *hol_model_input_name(const HolModel *m, int i); ///< "": there is none

/// A parameter of the model from the present time on, as an input: those that the file (or a setting)
/// lists under `tunable:`. All others are folded into constants when the model is compiled, and refused.
HOL_API HolStatus hol_sim_set_parameter(HolSim *s, const char *name, double value, HolError *err);

/// A number of the present state by name: every column of results ("rod.x", "O.fx", "energy.total"),
/// points ("rod.top.x"), joint coordinates ("O.angle", "O.rate"), lengths of springs, inputs, parameters.
HOL_API HolStatus hol_sim_value(HolSim *s, const char *name, double *value, HolError *err);
/// The same for repeated reads: look the name up once; handles hold for all runs of the model.
typedef struct HolHandle {
    int kind, index, part, body; ///< private
    double at[3];
} HolHandle;
HOL_API HolStatus hol_model_handle(const HolModel *m, const char *name, HolHandle *out,
                                   HolError *err);
HOL_API double hol_sim_read(HolSim *s, const HolHandle *handle); ///< NAN: the run has no state

/// Centre of mass [m] and orientation (3 x 3 by rows, body axes to global) of a body.
HOL_API HolStatus hol_sim_pose(HolSim *s, const char *body, double position[3],
                               double orientation[9], HolError *err);
/// Force and torque of a joint on its second body, global axes, at the joint.
HOL_API HolStatus hol_sim_reaction(HolSim *s, const char *joint, double force[3], double torque[3],
                                   HolError *err);

// ---------------------------------------------------------------------------------------------
// Mechanics in the free coordinates x of n joints (angle or displacement) that determine the motion,
// of trees and of loops:   M x'' + h = u,   u: forces and torques along x
// ---------------------------------------------------------------------------------------------

/// M (n x n) and h (n) at the present state; either may be NULL. The joints must be independent and
/// leave nothing free; forces that depend on reactions are not supported.
HOL_API HolStatus hol_sim_joint_space(HolSim *s, const char *const *joints, int n, double *M,
                                      double *h, HolError *err);
/// 6 x n by rows: velocity (3) and angular velocity (3), global axes, of "BODY" or "BODY.POINT" by x'.
HOL_API HolStatus hol_sim_jacobian(HolSim *s, const char *place, const char *const *joints, int n,
                                   double *J, HolError *err);
/// The u that a motion needs: x, x', x'' (n each) in, u out. The run stays where it is.
HOL_API HolStatus hol_sim_inverse_dynamics(HolSim *s, const char *const *joints, int n,
                                           const double *x, const double *rate,
                                           const double *acceleration, double *u, HolError *err);

// ---------------------------------------------------------------------------------------------
// For programs that look after other things between steps, and for other languages
// ---------------------------------------------------------------------------------------------

/// As hol_sim_advance, but returns after about `seconds` of wall time with HOL_OK and a time before
/// t_end: call it again. What is computed does not depend on it.
HOL_API HolStatus hol_sim_advance_some(HolSim *s, double t_end, double seconds, HolError *err);
/// As hol_sim_run in such pieces; *done = 1: it is over.
HOL_API HolStatus hol_sim_run_some(HolSim *s, double end, double seconds, HolObserver observer,
                                   void *user, int *done, HolError *err);

/// The rows of a run in memory. The run must stay until the recording is destroyed.
typedef struct HolRecording HolRecording;
HOL_API HolStatus hol_recording_create(HolSim *s, HolRecording **out, HolError *err);
/// hol_sim_run_some with every row recorded, as hol_sim_row has it.
HOL_API HolStatus hol_recording_run(HolRecording *r, double end, double seconds, int *done,
                                    HolError *err);
HOL_API long hol_recording_rows(const HolRecording *r);
HOL_API int hol_recording_columns(const HolRecording *r);
/// rows x columns, row by row; holds until the next run of the recording.
HOL_API const double *hol_recording_data(const HolRecording *r);
/// Events of the run so far: i from 0; returns 0 past the end.
HOL_API int hol_recording_event(const HolRecording *r, long i, HolEvent *out);
HOL_API int hol_recording_impulse_sized(const HolRecording *r, long i, HolImpulse *out,
                                        size_t room);
/// The same of impulses of joints.
static inline int hol_recording_impulse(const HolRecording *r, long i, HolImpulse *out) {
    return hol_recording_impulse_sized(r, i, out, sizeof *out);
}
/// Writes *.csv or *.h5 as hol_result_open does; status and message of the run go to its manifest.
HOL_API HolStatus hol_recording_write(HolRecording *r, const char *path, HolStatus status,
                                      const char *message, HolError *err);
HOL_API void hol_recording_destroy(HolRecording *r); ///< NULL is fine

HOL_API int hol_model_parameter_count(const HolModel *m);
HOL_API const char *hol_model_parameter_name(const HolModel *m, int i); ///< "": there is none
HOL_API double hol_model_parameter_value(const HolModel *m, int i);

/// Bytes of HolSimOptions in this library.
HOL_API size_t hol_sim_options_room(void);
/// Options as text, a YAML or JSON map of the keys of `simulation:`, over those that *o holds: a method
/// given replaces all of the one before, a tolerance a fixed step. `stop_times` is refused: the list
/// must stay with the program.
HOL_API HolStatus hol_sim_options_parse(HolSimOptions *o, const char *text, size_t length,
                                        HolError *err);
HOL_API double hol_sim_options_end(const HolSimOptions *o);

#ifdef __cplusplus
}
#endif
#endif
