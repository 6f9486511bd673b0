// SPDX-License-Identifier: Apache-2.0
// Velocity constraints by expressions: see velocity_law.c. Equations that have a law (e->law) have
// no terms; position, velocity and frames in the work must be those asked for.
#ifndef HOL_MODEL_VELOCITY_LAW_H
#define HOL_MODEL_VELOCITY_LAW_H

#include "model/model.h"

// sum c rate + rest = 0; 0: a problem was added, or no memory
int hol_law_compile(HolModel *m, HolEquation *e, const HolExpr *whole, const char *what, int line,
                    int column, HolError *err);
void hol_law_jacobian(const HolModel *m, HolModelWork *w, const HolEquation *e, double *G);
double hol_law_rest(const HolModel *m, HolModelWork *w, const HolEquation *e);
double hol_law_gamma(const HolModel *m, HolModelWork *w, const HolEquation *e);
// row += d/dq (G v + rest), in the pattern of G
void hol_law_velocity_jacobian(const HolModel *m, HolModelWork *w, const HolEquation *e,
                               double *row);

#endif
