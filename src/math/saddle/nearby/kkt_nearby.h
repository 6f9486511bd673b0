// SPDX-License-Identifier: Apache-2.0
// A large Newton matrix solved by that of its bodies alone and rounds of corrections (kkt_nearby.c).
#ifndef HOL_MATH_KKT_NEARBY_H
#define HOL_MATH_KKT_NEARBY_H

#include "math/saddle/kkt_backend.h"

extern const HolKktBackend hol_kkt_nearby;

// may it pay for S of this system, with what the masses of this pattern leave of it?
int hol_kkt_nearby_suits(const HolKkt *k, const HolPattern *M);
// the system of the bodies alone that holds the present factorization; NULL: it is KLU's, or k is of
// another kind
const HolKkt *hol_kkt_nearby_inner(const HolKkt *k);
// entries of L in the order that KLU was given; of its plan
long hol_klu_entries(const HolKkt *k);

#endif
