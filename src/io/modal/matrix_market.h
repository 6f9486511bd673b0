// SPDX-License-Identifier: Apache-2.0
// Matrices as text in the Matrix Market exchange format: coordinate or array, real or integer, general
// or symmetric. Only square symmetric matrices are taken.
#ifndef HOL_IO_MATRIX_MARKET_H
#define HOL_IO_MATRIX_MARKET_H

#include "base/arena.h"
#include "base/error.h"

#include <stddef.h>

// The matrix by columns, both triangles, in the arena; NULL after an error "PATH:LINE: ..". most: rows
// that are allowed; text: ended with 0.
double *hol_matrix_market(HolArena *arena, const char *text, const char *path, int most, int *rows,
                          HolError *err);

#endif
