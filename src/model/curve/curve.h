// SPDX-License-Identifier: Apache-2.0
// Smooth curves c(s), in axes of the body they are used on (docs/theory/rows.md, section 4).
//   points   s is the length of the chords up to a point; each coordinate is a cubic spline of s,
//            natural, or periodic where the curve is closed: tangent and curvature are continuous
//   formula  each coordinate is an expression of s, from <= s <= to
#ifndef HOL_MODEL_CURVE_H
#define HOL_MODEL_CURVE_H

#include "model/expr/expr.h"
#include "model/model.h"

// plane: the curve at equal steps of s, and circles about HOL_CURVE_GROUP steps each
typedef struct HolCurveSample {
    double x[2], d[2], dd[2]; // point, first and second derivative by s
} HolCurveSample;
typedef struct HolCurveGroup {
    double x[2], radius;
} HolCurveGroup;
enum { HOL_CURVE_GROUP = 16 };

typedef struct HolCurve {
    const char *name;
    int dimensions; // 2 or 3
    int n;          // knots; of a closed curve the last is the first again
    int closed;
    const double *s;     // of the knots, from 0; NULL: a formula
    double from, to;     // of s
    double length;       // of the chords
    double outward;      // plane, closed: 1 when it runs counter-clockwise, else -1
    HolTableDef axis[3]; // coordinates as tables NAME.x ..
    const struct HolSpline *spline[3];
    const char *formula[3];
    const HolExpr *expr[3], *first[3]; // coordinates and their derivatives over HOL_CURVE_SLOT
    const HolCurveSample *samples;     // hol_curve_samples + 1 of them
    const HolCurveGroup *groups;       // hol_curve_samples / HOL_CURVE_GROUP of them
} HolCurve;

// slot of s in the expressions of a curve by itself (0 would be time), memory to evaluate one
enum { HOL_CURVE_SLOT = 1, HOL_CURVE_NODES = 400, HOL_CURVE_WORK = 9 * HOL_CURVE_NODES };

const HolCurve *hol_curve_find(const HolModel *m, const char *name); // NULL: none
// point, first and second derivative by s (each may be NULL)
void hol_curve_at(const HolCurve *c, double s, double point[3], double first[3], double second[3]);
// where `cost` is least over the curve, sampled and refined
typedef double HolCurveCost(const void *context, const HolCurve *c, double s);
double hol_curve_least(const HolCurve *c, HolCurveCost *cost, const void *context);
double hol_curve_nearest(const HolCurve *c, const double point[3]);
int hol_curve_samples(const HolCurve *c);
double hol_curve_place(const HolCurve *c, int i, int n); // s at part i of n
// curve_foot.c (plane): the point nearest to `at`, or, facing, the one farthest along the
// direction `at`; the best of all samples, then Newton
typedef struct HolCurveFoot {
    double s;
    HolCurveSample at;
} HolCurveFoot;
HolCurveFoot hol_curve_foot(const HolCurve *c, const double at[2], int facing);
const HolCurveGroup *hol_curve_groups(HolModel *m, const HolCurveSample *at, int n);
// curvature to the side on which a body lies: side * (x' y'' - y' x'')/|c'|^3
double hol_curve_bend(const HolCurve *c, double s, double side);

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
