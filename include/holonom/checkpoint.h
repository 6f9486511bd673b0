// SPDX-License-Identifier: Apache-2.0
// Public API: checkpoints. See holonom.h.
#ifndef HOLONOM_CHECKPOINT_H
#define HOLONOM_CHECKPOINT_H

#include "holonom/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// A run that outlives its process. Rows go to RESULT.part; hol_checkpoint_save puts them on the disk
// and the whole run into a file beside them, complete or not at all. Another process goes on from
// there to the last bit, and the result gets its name when the run is at its end.
//
//     hol_checkpoint_begin, or _resume (which fills the run)
//     hol_sim_run; its observer calls _row at HOL_AT_ROW, _event and _impulse at HOL_AT_EVENT, and
//     _save at HOL_AT_STEP when it is time
//     hol_checkpoint_end, _finish     or neither: the run can be resumed
//     hol_checkpoint_destroy
// ---------------------------------------------------------------------------------------------

typedef struct HolCheckpoint HolCheckpoint;

/// Where a run stands.
typedef enum HolCheckpointState {
    HOL_CHECKPOINT_UNDER_WAY, ///< hol_sim_run takes it on
    HOL_CHECKPOINT_AT_END,    ///< all steps are done: _finish
    HOL_CHECKPOINT_FINISHED   ///< and the result is there
} HolCheckpointState;

/// A new run. file: the checkpoint, result: *.csv or *.h5; m must outlive the checkpoint. A run
/// that did not come to its end in these two files is not begun anew: HOL_ERR_FILE.
HOL_API HolStatus hol_checkpoint_begin(const char *file, const char *result, const HolModel *m,
                                       const HolSimOptions *o, HolCheckpoint **out, HolError *err);
/// The run that is stored in `from`, into s, which is new. HOL_ERR_INPUT when it is one of another
/// model (or a file that it reads), other settings, options, result or version, and says which;
/// HOL_ERR_FILE when it is damaged or not there. A finished run whose result is gone begins anew.
/// Further checkpoints go to `to`; NULL: to `from`.
HOL_API HolStatus hol_checkpoint_resume(const char *from, const char *to, const char *result,
                                        const HolModel *m, const HolSimOptions *o, HolSim *s,
                                        HolCheckpoint **out, HolError *err);
HOL_API HolStatus hol_checkpoint_row(HolCheckpoint *c, const double *row, HolError *err);
/// Lines of the tables of events and impulses (hol_result_event), at HOL_AT_EVENT. They go to
/// RESULT_events.csv.part and RESULT_impulses.csv.part.
HOL_API HolStatus hol_checkpoint_event(HolCheckpoint *c, const HolEvent *event, HolError *err);
HOL_API HolStatus hol_checkpoint_impulse(HolCheckpoint *c, const HolImpulse *impulse,
                                         HolError *err);
/// All of them so far: events, then impulses, in their order; of each call one is NULL. An observer that
/// returns other than HOL_OK ends it. (Of a finished HDF5 result they stand in the file alone:
/// HOL_ERR_UNSUPPORTED.)
typedef HolStatus (*HolLineObserver)(void *user, const HolEvent *event, const HolImpulse *impulse,
                                     HolError *err);
HOL_API HolStatus hol_checkpoint_lines(HolCheckpoint *c, HolLineObserver put, void *user,
                                       HolError *err);
/// The run as it is now, and `size` bytes of the caller's own. For the observer of hol_sim_run, at
/// HOL_AT_STEP: the steps that follow are the same with it and without.
HOL_API HolStatus hol_checkpoint_save(HolCheckpoint *c, HolSim *s, const void *own, size_t size,
                                      HolError *err);
/// The same when hol_sim_run has ended, with the status and reason that it gave.
HOL_API HolStatus hol_checkpoint_end(HolCheckpoint *c, HolSim *s, HolStatus status,
                                     const HolError *reason, const void *own, size_t size,
                                     HolError *err);
/// The result with its manifest gets its name, RESULT.part goes. After hol_checkpoint_end.
HOL_API HolStatus hol_checkpoint_finish(HolCheckpoint *c, const HolStats *stats,
                                        const HolCheck *check, HolError *err);
HOL_API void
hol_checkpoint_destroy(HolCheckpoint *c); ///< leaves its files as they are; NULL is fine

HOL_API HolCheckpointState hol_checkpoint_state(const HolCheckpoint *c);
HOL_API long hol_checkpoint_row_count(const HolCheckpoint *c);
/// The caller's own bytes of the run that was resumed, NULL and 0 when there are none.
HOL_API const void *hol_checkpoint_own(const HolCheckpoint *c, size_t *size);
/// How hol_sim_run ended: status, and its reason in *reason (may be NULL). HOL_OK: it did not yet.
HOL_API HolStatus hol_checkpoint_outcome(const HolCheckpoint *c, HolError *reason);

#ifdef __cplusplus
}
#endif
#endif
