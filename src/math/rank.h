// SPDX-License-Identifier: Apache-2.0
// Rank of one connected component too large for a dense QR (internal to rank.c).
#ifndef HOL_MATH_RANK_H
#define HOL_MATH_RANK_H

#include "base/arena.h"
#include "holonom/holonom.h" // HolPattern

// called for each dependent row: `count` rows and coefficients of its combination
typedef int (*HolDependency)(void *user, int row, int count, const int *on,
                             const double *coefficient);

// Sparse QR of G^T, rows of G of unit length; a row whose part outside the span of the rows before
// it (in a fill-reducing order) is shorter than tol is dependent. The first `most` of these are reported
// with their combinations, the others without. Returns the rank, -1 without memory.
int hol_rank_sparse(HolArena *scratch, const HolPattern *G, const double *val, double tol, int most,
                    HolDependency report, void *user);

#endif
