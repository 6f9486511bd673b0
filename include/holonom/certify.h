// SPDX-License-Identifier: Apache-2.0
// Certified digits: a run compared with a second, independent one.
#ifndef HOLONOM_CERTIFY_H
#define HOLONOM_CERTIFY_H

#include "holonom/result.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// Certified digits: a run and a second, independent one, compared column by column
// ---------------------------------------------------------------------------------------------

/// What is said about a column: nothing (it describes the run, not the motion), a bound of its
/// error, or that it is not determined (reactions of redundant constraints).
typedef enum HolClaim { HOL_CLAIM_NONE, HOL_CLAIM_BOUND, HOL_CLAIM_NOT_UNIQUE } HolClaim;

typedef struct HolCertifiedColumn {
    const char *name, *unit;
    HolClaim claim;
    int asked;         ///< 1: one of the results, 0: for the report only
    double size;       ///< its largest value, at least 1e-3 of the largest of its kind
    double difference; ///< largest between the two runs
    double bound;      ///< of its error over the whole run; INFINITY: none can be given
    int digits;        ///< that may be printed, of numbers as large as `size`
    int lost_turn;     ///< 1: the runs differ by whole turns
    /// The bound over time, in steps: mark_bound[i] from mark_time[i] on.
    const double *mark_time, *mark_bound;
    int n_marks;
} HolCertifiedColumn;

struct HolCertificate {
    double accuracy; ///< asked for; 0: none
    double reached;  ///< largest bound of the results, as a part of their sizes; INFINITY: no claim
    double until;    ///< time up to which `accuracy` (without one: any claim) holds
    double doubling; ///< [s] in which errors double; NAN: they do not grow like that
    int runs;        ///< that were made in all
    double cpu_seconds; ///< of all runs
    /// Of the run that is reported, and of the one beside it.
    const HolSimOptions *options, *second;
    const HolCertifiedColumn *const *columns;
    int n_columns;
    char text[512];     ///< what it says, in one line
    char warnings[512]; ///< sentences, a line each
    HolSim *sim;        ///< the run that is reported, at its end
};

/// Who wants the rows. Every function may be NULL.
typedef struct HolCertifyObserver {
    size_t size; ///< set by hol_certify_observer, see error.h
    int all;     ///< 1: rows and bounds of all columns too, for a report
    /// The run to be reported begins, perhaps anew: rows told so far are void.
    HolStatus (*begin)(void *user, HolSim *s, const HolSimOptions *o, HolError *err);
    HolStatus (*step)(void *user, HolSim *s, double t, HolError *err);
    /// A row, the bounds of its errors (NAN: no claim is made, INFINITY: none can be made), and all
    /// columns as hol_sim_row_all gives them (NULL when not asked for).
    HolStatus (*row)(void *user, const double *row, const double *bounds, const double *all,
                     HolError *err);
    void *user;
    const volatile int *stop; ///< as of hol_sim_stop_flag; NULL: none
    /// Events of the reported run, as of HOL_AT_EVENT: hol_sim_event lists them.
    HolStatus (*event)(void *user, HolSim *s, double t, HolError *err);
} HolCertifyObserver;

HOL_API void hol_certify_observer_sized(HolCertifyObserver *out, size_t room);
/// Wants nothing.
static inline HolCertifyObserver hol_certify_observer(void) {
    HolCertifyObserver observer;
    hol_certify_observer_sized(&observer, sizeof observer);
    return observer;
}

/// Runs the model with the options and beside it, in step, once more: another method, or ten times
/// the tolerance, or twice the fixed step. The tighter one is reported; what the two differ by
/// bounds its error. With o->accuracy > 0 the tolerance is chosen, and both are repeated with
/// smaller ones until the bounds are below it. HOL_INACCURATE: that was not possible; *out says
/// what was. *out is given with every status that left rows, else NULL.
HOL_API HolStatus hol_certify(const HolModel *m, const HolSimOptions *o,
                              const HolCertifyObserver *observer, HolCertificate **out,
                              HolError *err);
HOL_API void hol_certificate_destroy(HolCertificate *c); ///< NULL is fine
/// The object `certificate` of `run --json`.
HOL_API void hol_certificate_json(const HolCertificate *c, FILE *to);

#ifdef __cplusplus
}
#endif

#endif
