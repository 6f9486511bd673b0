// SPDX-License-Identifier: Apache-2.0
// What the kinds of forces share: force.c, force_bushing.c.
#ifndef HOL_MODEL_FORCE_H
#define HOL_MODEL_FORCE_H

#include "model/model.h"

typedef struct HolForceLaw { // expressions, NULL: none
    const char *stiffness, *damping, *free, *preload;
    const char *free_what; // what the free value is called
} HolForceLaw;

// between two places; a NULL: ground
HolRow hol_force_row(const HolModel *m, const HolRowKind *kind, const HolAttach *a,
                     const HolAttach *b);
HolExpr *hol_force_expr(HolModel *m, const HolForce *f, const char *what, const char *text,
                        HolError *err);
// E = -stiffness (sigma - free) - damping sigma' - preload along a row; free NULL: initial value
int hol_force_law(HolModel *m, HolForce *f, int row, const HolForceLaw *l, HolError *err);

// 1 when the place is not a point mass, which a torque would have no effect on
int hol_force_turns(HolModel *m, const HolForce *f, const HolAttach *place, HolError *err);

// ---- load.c ----
// force or torque of a force element as an expression: 1, or 0 when it has none
int hol_force_load(HolModel *m, const HolForce *f, int torque, HolSymbol *out);
int hol_drive_load(HolModel *m, const char *name, HolSymbol *out); // of a motion
// component of a joint's reaction in axes of its second body
int hol_joint_body_force(HolModel *m, const HolJoint *j, int axis, HolSymbol *out);
// size of the force or torque of a bushing (frames, velocities and slots are those of the state)
double hol_bushing_load(const HolModel *m, HolModelWork *w, int force, int torque);

#endif
