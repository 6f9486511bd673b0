/* SPDX-License-Identifier: Apache-2.0 */
/* rod.h - the soft pendulum of bench/beams.c as peers know it: N rigid links with hinges and torsion springs EI/l,
 * L = 1, EI = 0.2, 1 kg/m, rotary inertia 2e-5 kg m, pinned at the origin, falls from the horizontal for 1 s.
 * The error is that of its tip against the limit of such chains: 16, 32, 64 and 96 links, extrapolated.
 *   mujoco_rod|simbody_rod -N links -m method (-h step | -tol tolerance)
 * prints: engine,method,links,step or tolerance,cpu_s,x,y,error */
#ifndef ROD_H
#define ROD_H
#include "bench.h"

static const double rod_EI = 0.2, rod_rotary = 2e-5, rod_tip[2] = {-0.829136, 0.171470};

static inline void rod_print(const char *engine, const bench_args *A, double cpu, double x,
                             double y) {
    printf("%s,%s,%d,%g,%.6g,%.10g,%.10g,%.3g\n", engine, A->method, A->N, A->h > 0 ? A->h : A->tol,
           cpu, x, y, fmax(fabs(x - rod_tip[0]), fabs(y - rod_tip[1])));
}
#endif
