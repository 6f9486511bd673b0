// SPDX-License-Identifier: Apache-2.0
// Completing a HolProblem: what a C user did not supply is replaced by finite differences, so that
// steppers see a full table. Checks sizes and required functions.
#ifndef HOL_SOLVE_PROBLEM_H
#define HOL_SOLVE_PROBLEM_H

#include "base/arena.h"
#include "holonom/holonom.h"

// A problem whose every function except jet_start/jet_rhs/jet_set/jet_eval/jet_norm, accept,
// energy, row_name and variables (when nw = 0) is non-NULL and whose patterns are all explicit.
// When `p` is already complete it is returned itself. Work memory of the completion is appended to
// p's work. NULL with err set on bad input.
const HolProblem *hol_problem_complete(HolArena *arena, const HolProblem *p, HolError *err);

#endif
