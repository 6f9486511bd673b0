// SPDX-License-Identifier: Apache-2.0
#include "system.h"
int sb_built_in(const char *name, const HolProblem **problem, const double **q0,
                const double **v0) {
    (void)name, (void)problem, (void)q0, (void)v0;
    return 0;
}
