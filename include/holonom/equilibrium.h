// SPDX-License-Identifier: Apache-2.0
// Static equilibria: where a mechanism rests, and whether it stays there.
#ifndef HOLONOM_EQUILIBRIUM_H
#define HOLONOM_EQUILIBRIUM_H

#include "holonom/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct HolEquilibriumOptions {
    size_t size; ///< set by hol_equilibrium_options, see error.h
    double at;   ///< drives and forces as at this time [s]; NAN: the start of the run
    int starts; ///< random positions from which others are looked for; -1: as the model's size allows
    /// called now and then: position number `start` of `starts`, steps so far
    void (*progress)(void *user, int start, int starts, long iterations);
    void *user;
} HolEquilibriumOptions;

HOL_API void hol_equilibrium_options_sized(HolEquilibriumOptions *out, size_t room);
static inline HolEquilibriumOptions hol_equilibrium_options(void) {
    HolEquilibriumOptions options;
    hol_equilibrium_options_sized(&options, sizeof options);
    return options;
}

/// One of them. The texts and numbers belong to the list.
typedef struct HolEquilibrium {
    size_t size;     ///< set by hol_equilibria_get, see error.h
    double energy;   ///< potential energy [J]; NAN: none is known
    double residual; ///< largest force that nothing balances [N, N m]
    double moved;    ///< largest displacement or rotation from where the search began [m, rad]
    int stable;      ///< 1: it returns after every small disturbance, or nothing can move
    int unstable;    ///< directions in which it leaves
    int neutral;     ///< directions in which nothing pulls
    const char *unstable_text, *neutral_text; ///< one a line, named by bodies
    int initial;                              ///< 1: the position in which the search began
    const double *q;                          ///< positions, as of HolView
    int nq;
} HolEquilibrium;

typedef struct HolEquilibria HolEquilibria;

/// Equilibria of the mechanism of a run: drives held as at a time, velocities zero. The run is
/// assembled if it is not yet, and must not have taken a step. The first of the list is the position of
/// the run if it is at rest, else the one that it falls to; the others follow by energy. The run
/// itself is left at the first. HOL_ERR_CONVERGE: there is none, or none was found; HOL_INTERRUPTED.
HOL_API HolStatus hol_equilibrium_find(HolSim *s, const HolEquilibriumOptions *o,
                                       HolEquilibria **out, HolError *err);
HOL_API int hol_equilibria_count(const HolEquilibria *list);
HOL_API void hol_equilibria_get_sized(const HolEquilibria *list, int i, HolEquilibrium *out,
                                      size_t room);
static inline HolEquilibrium hol_equilibria_get(const HolEquilibria *list, int i) {
    HolEquilibrium one;
    hol_equilibria_get_sized(list, i, &one, sizeof one);
    return one;
}

/// Puts the run for which they were found at one of them, at rest: hol_sim_view and hol_sim_final
/// look at it.
HOL_API HolStatus hol_equilibria_show(const HolEquilibria *list, int i, HolSim *s, HolError *err);
HOL_API void hol_equilibria_destroy(HolEquilibria *list);

/// The model file `from`, of which m was read, with other positions q of its bodies and no velocities,
/// as the file `to` ("-": standard output). All else stays as it is written.
HOL_API HolStatus hol_model_write_positions(const HolModel *m, const char *from, const char *to,
                                            const double *q, HolError *err);

#ifdef __cplusplus
}
#endif
#endif
