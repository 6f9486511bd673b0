// SPDX-License-Identifier: Apache-2.0
// Modes: the motion next to a state of a run, linearized on the constraints.
#ifndef HOLONOM_MODES_H
#define HOLONOM_MODES_H

#include "holonom/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct HolModesOptions {
    size_t size; ///< set by hol_modes_options, see error.h
    int count;   ///< how many at most, the lowest ones (20); large models: these and the highest
    double tolerance; ///< relative accuracy of eigenvalues found by iteration (1e-10)
} HolModesOptions;

HOL_API void hol_modes_options_sized(HolModesOptions *out, size_t room);
static inline HolModesOptions hol_modes_options(void) {
    HolModesOptions options;
    hol_modes_options_sized(&options, sizeof options);
    return options;
}

/// One mode, or a conjugate pair of them (imag > 0); overdamped ones are two. Made by the library.
typedef struct HolMode {
    double real, imag;   ///< eigenvalue [1/s]
    double frequency_hz; ///< |imag| / 2 pi
    double damping;      ///< -real / |eigenvalue|
    const double *shape; ///< real and imaginary part of each coordinate, the largest is 1
    const double *share; ///< of each body in the kinetic energy
    char text[256];      ///< who moves, in words
} HolMode;

/// Made by hol_sim_modes; read-only.
typedef struct HolModes {
    double time;
    int dof;            ///< degrees of freedom (of velocities)
    int positions;      ///< freedoms of positions; more than dof with non-holonomic constraints
    const char *axes;   ///< in which the state is frozen: "transport", "global", "body", "frame"
    double constancy;   ///< below 1e-6: the eigenvalues hold for all times
    int moving, steady; ///< steady: at rest, or constant in these axes
    int n_coordinates, n_bodies;
    const char *const *coordinates; ///< "rod.x"; rotations in space "rod.rx", about global axes
    const int *body_of;             ///< of each coordinate, from 0
    const char *const *bodies;
    const HolMode *const *modes;        ///< by |eigenvalue|, lowest first
    int n_modes, n_all;                 ///< those here, and all there are (-1: not counted)
    const HolMode *const *free_motions; ///< eigenvalue zero: shape, share and text
    int n_free;
    double omega_max;       ///< largest |eigenvalue|
    const HolMode *fastest; ///< its mode; NULL: there is none
    const double *M, *C,
        *K;          ///< reduced matrices, dof x dof, dof x dof, dof x positions, by columns;
                     ///< NULL for large models
    const double *N; ///< increments of the coordinates in velocities, n_coordinates x positions
    char note[512];  ///< what is worth a remark, lines
    double length;   ///< size of the model [m]: a rotation of 1 rad counts as so much displacement
} HolModes;

/// The modes at the run's present state (the start, or where hol_sim_advance led; drives stand
/// still at this time).
HOL_API HolStatus hol_sim_modes(HolSim *s, const HolModesOptions *o, HolModes **out, HolError *err);
HOL_API void hol_modes_destroy(HolModes *m);
/// Positions q (as of HolView) of the run, moved by amplitude * Re(shape exp(i phase)) along a mode or
/// free motion of `m` and put back onto the constraints, for pictures.
HOL_API HolStatus hol_modes_positions(HolSim *s, const HolModes *m, const HolMode *mode,
                                      double amplitude, double phase, double *q, HolError *err);

#ifdef __cplusplus
}
#endif
#endif
