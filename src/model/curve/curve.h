// SPDX-License-Identifier: Apache-2.0
// Smooth curves through points, c(s), in axes of the body they are used on (docs/theory/rows.md,
// section 4). s is the length of the chords up to a point; each coordinate is a cubic spline of s,
// natural, or periodic where the curve is closed: tangent and curvature are continuous.
#ifndef HOL_MODEL_CURVE_H
#define HOL_MODEL_CURVE_H

#include "model/model.h"

typedef struct HolCurve {
    const char *name;
    int dimensions; // 2 or 3
    int n;          // knots; of a closed curve the last is the first again
    int closed;
    const double *s;     // of the knots, from 0
    double length;       // the last of them
    double outward;      // plane, closed: 1 when it runs counter-clockwise, else -1
    HolTableDef axis[3]; // coordinates as tables NAME.x ..
    const struct HolSpline *spline[3];
} HolCurve;

const HolCurve *hol_curve_find(const HolModel *m, const char *name); // NULL: none
// point, first and second derivative by s (each may be NULL)
void hol_curve_at(const HolCurve *c, double s, double point[3], double first[3], double second[3]);
// where `cost` is least over the curve, sampled and refined
typedef double HolCurveCost(const void *context, const HolCurve *c, double s);
double hol_curve_least(const HolCurve *c, HolCurveCost *cost, const void *context);
double hol_curve_nearest(const HolCurve *c, const double point[3]);

// ---- a curve in the equations of a joint ----
// Names that expressions of such a joint may use: curve__x .., their derivatives by s curve__dx ..,
// curve__phi, the angle of the second body against the first (plane)
typedef struct HolCurveUse {
    const HolCurve *curve;
    const HolExpr *point[3], *slope[3];
    int angle; // slot of curve__phi
} HolCurveUse;
int hol_curve_use(HolModel *m, const HolCurve *c, int slot, HolCurveUse *out);  // slot: of s
int hol_curve_symbol(const HolCurveUse *use, const char *name, HolSymbol *out); // 1: known

#endif
