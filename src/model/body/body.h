// SPDX-License-Identifier: Apache-2.0
// Body kinds: what a body of the compiled model is. Nobody asks for the type of a body: what makes a
// difference is a member of its table, one file a kind (rigid.c, point.c, coordinate.c). Bodies of a
// file that are more than that (beam, modal) become bodies of these kinds, and elements between them:
// forces (force/) and masses that depend on positions (mass/mass.h).
//   coordinates  translations (or the value of a number), then rotations; velocities the same, rotations
//                in space about body axes
//   mass         constant: `mass` times 1 for the first `linear` velocities, inertia for rotations
#ifndef HOL_MODEL_BODY_H
#define HOL_MODEL_BODY_H

#include "base/visibility.h"
#include "holonom/model.h"
#include "model/row/row.h"

typedef struct HolBodySize {
    int nq, nv; // positions, velocities
    int linear; // of these, before rotations
} HolBodySize;

typedef struct HolBodyKind {
    const char *name;    // as `type:` says
    int placed;          // it has a place: weight, points, joints and forces at points
    int turns;           // it has an orientation: torques, joints that hold it
    int owner;           // quantities that expressions and columns know of it: HOL_OF_..
    HolBodySize size[2]; // in the plane, in space
    // the frame at coordinates q; values that never change stand in it already (identity)
    void (*frame)(HolSpace space, const double *q, HolFrame *f);
    // coordinates and velocities as written
    void (*start)(HolSpace space, const HolBodyDef *d, double *q, double *v);
} HolBodyKind;

extern const HolBodyKind hol_body_rigid, hol_body_point, hol_body_coordinate;
HOL_TOOLS extern const HolBodyKind *const hol_bodies[]; // by HolBodyType, ended by NULL

static inline const HolBodyKind *hol_body_kind(HolBodyType type) {
    return hol_bodies[type];
}

static inline int hol_body_placed(const HolBodyDef *d) {
    return hol_body_kind(d->type)->placed;
}

static inline int hol_body_turns(const HolBodyDef *d) {
    return hol_body_kind(d->type)->turns;
}

static inline const HolBodySize *hol_body_size(HolSpace space, HolBodyType type) {
    return &hol_body_kind(type)->size[space == HOL_SPATIAL];
}

// the frame of a body as written
void hol_body_written(HolSpace space, const HolBodyDef *d, HolFrame *f);

#endif
