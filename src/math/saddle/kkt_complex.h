// SPDX-License-Identifier: Apache-2.0
// Complex saddle points of implicit formulas with a conjugate pair of roots:
//
//     [ M + tau C + tau^2 K   G^T ] [u  ]   [r1]      M, C, K real on one pattern (by columns),
//     [ G + tau B              0  ] [eta] = [r2]      G, B real on one (by rows), tau complex
//
// L D U in a fixed order found once, without pivoting. For Re tau > 0 and |arg tau| < pi/4 the
// upper left block of a mechanism whose M, C, K are semidefinite is accretive, so that pivots of
// unknowns do not vanish; that the others hold is watched.
#ifndef HOL_MATH_SADDLE_COMPLEX_H
#define HOL_MATH_SADDLE_COMPLEX_H

#include "base/arena.h"
#include "base/state/keeper.h"
#include "holonom/holonom.h" // HolPattern

struct HolKktPlans; // kkt_plan.h

typedef struct HolComplexSaddle HolComplexSaddle;

// NULL: no memory. plans: see hol_kkt_create_planned
HolComplexSaddle *hol_complex_saddle_create(HolArena *arena, struct HolKktPlans *plans,
                                            const HolPattern *S, const HolPattern *G);
// 0 = ok, otherwise 1 + index (in n + m) of a pivot that lost its digits
int hol_complex_saddle_factor(HolComplexSaddle *k, const double *M, const double *C,
                              const double *K, const double *G, const double *B, double tau_re,
                              double tau_im);
// in place; x holds n + m pairs (re, im), 16-byte aligned
void hol_complex_saddle_solve(HolComplexSaddle *k, double *x);
void hol_complex_saddle_keep(HolComplexSaddle *k, HolKeeper *w); // the present factorization

#endif
