// SPDX-License-Identifier: Apache-2.0
// What one step of a method does to a linear system (docs/theory/stability.md):
//   x' = A x,  x = (xi, zeta): np coordinates of position, nz of velocity     ->     y1 = R(h, A) y
// y is x itself, or x and what a method remembers of the step before. A method tells its map by
// HolStepper.map; the matrix follows in amplification.c, the largest stable step in stable_step.c.
// With time in units of the step, h = 1 and A = [h A11, A12; h^2 A21, h A22]: eigenvalues of R do
// not change and stay accurate.
#ifndef HOL_SOLVE_STEP_MAP_H
#define HOL_SOLVE_STEP_MAP_H

#include "base/arena.h"
#include "base/error.h"

enum { HOL_MAP_TERMS = 32 };

typedef enum HolMapKind {
    HOL_MAP_NONE,     // no fixed step
    HOL_MAP_RATIONAL, // den(Z)^-1 num(Z), Z = hA
    HOL_MAP_ENDS,     // formulas of the derivatives at both ends, see method/tangent/tangent.h
    HOL_MAP_SERIES,   // xi to degree `order`, zeta to one less
    HOL_MAP_CENTRAL,  // central differences: y = (xi, increment of the step before)
    HOL_MAP_EXPLICIT, // conditionally explicit: y = (xi, v, a[, j, s] of the instant before)
    HOL_MAP_ALPHA,    // alpha-methods: y = (xi, zeta, algorithmic acceleration)
    HOL_MAP_ADAMS     // Adams-Bashforth: y = x of the last `order` instants, newest first
} HolMapKind;

typedef struct HolStepMap {
    HolMapKind kind;
    double num[HOL_MAP_TERMS], den[HOL_MAP_TERMS]; // RATIONAL: by rising powers
    int n_num, n_den;                              // how many
    double c0[4], c1[3], d0[3], d1[3];             // ENDS: [0] unused
    int order;                                     // SERIES, ADAMS (its weights in num)
    int degree;                                    // EXPLICIT: 3, 4, 5
    double alpha, beta, gamma, zeta, beta_out;     // EXPLICIT, ALPHA
    double alpha_m, alpha_f;                       // ALPHA
    // Largest root of the recursion in directions that holonomic, non-holonomic rows hold; it does
    // not depend on h. Above 1: unfit for such rows. 0: none
    double constrained, rolling;
    int refused;  // 1: runs take it with force: true only
    int a_stable; // 1: |R| <= 1 for every motion that does not grow by itself
} HolStepMap;

// entries of y
int hol_map_size(const HolStepMap *map, int np, int nz);
// doubles that hol_map_matrix and hol_map_radius need as scratch
size_t hol_map_work(const HolStepMap *map, int np, int nz);
// R at h = 1, by columns; 0: the step cannot be made (a matrix is singular)
int hol_map_matrix(const HolStepMap *map, int np, int nz, const double *A, double *R, double *work);
// A in units of the step h
void hol_map_scale(int np, int nz, const double *A, double h, double *scaled);
// spectral radius of R with the step h; INFINITY: the step cannot be made
double hol_map_radius(const HolStepMap *map, int np, int nz, const double *A, double h,
                      double *work);
// |num(z)/den(z)| of a rational map
double hol_map_modulus(const HolStepMap *map, double re, double im);

// ---- stable_step.c ----

// A part of the system that no other part acts on: np + nz unknowns.
typedef struct HolLinearBlock {
    int np, nz;
    const double *A;      // (np + nz)^2 by columns
    const double *shape;  // rows x np by columns: xi of the whole system; NULL: itself
    double largest;       // |eigenvalue|
    double end;           // steps up to here are of interest
    double growth;        // largest real part of an eigenvalue, 0: none grows
    int zero;             // eigenvalues zero: neutral motions
    int second;           // 1: one mode x'' + c x' + k x = 0
    double omega2, decay; // k, c of it
    int eigenvalue;       // 1 + number of the eigenvalue it stands for; 0: it is a part of its own
} HolLinearBlock;

typedef struct HolSpectrum {
    int np, nz, n;   // n = np + nz
    double *re, *im; // eigenvalues of A, by falling modulus
    double largest, growth;
    double least; // eigenvalues up to here are zero
    int zero;     // how many are
    HolLinearBlock *block;
    int n_block;
    int cut; // 1: not all that couples is in the blocks
} HolSpectrum;

// Eigenvalues and independent parts of x' = A x; those up to `zero` are zero. M (nz x nz): of the
// velocities, NULL: not known
HolStatus hol_spectrum(int np, int nz, const double *A, const double *M, double zero,
                       HolArena *arena, HolSpectrum *out, HolError *err);
// the spectrum of one mode, of an eigenvalue that was found otherwise
HolStatus hol_spectrum_of(double re, double im, HolArena *arena, HolSpectrum *out, HolError *err);

typedef struct HolStableStep {
    double strict; // growth up to 1e-7 a step; INFINITY: no limit
    double run;    // growth up to 30 times over the run
    int block;     // that crosses, -1: none
    int mode;      // eigenvalue of a rational map that crosses, -1: see block
} HolStableStep;

// The last limit of a single mode, kept from one call to the next of the same map.
typedef struct HolLimitMemory {
    int known;
    double ratio, omega_h;
} HolLimitMemory;

// The first step at which the map grows, from small steps upwards; up to `most` (INFINITY: no
// bound). span: of the run, INFINITY: the two limits are the same; steps > 0: the run has so many.
// memory: NULL: none
HolStableStep hol_stable_step(const HolStepMap *map, const HolSpectrum *s, double span,
                              double steps, double most, HolLimitMemory *memory, double *work);
size_t hol_stable_step_work(const HolStepMap *map, const HolSpectrum *s);
// spectral radius of the whole system with the step h
double hol_spectrum_radius(const HolStepMap *map, const HolSpectrum *s, double h, double *work);

#endif
