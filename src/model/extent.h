// SPDX-License-Identifier: Apache-2.0
// What the error test asks of a model: its size, and which velocity coordinates are measured
// together.
#ifndef HOL_MODEL_EXTENT_H
#define HOL_MODEL_EXTENT_H

#include "model/model.h"

// m: what cos(pi/2), or assembly, leaves of zero
#define HOL_NO_LENGTH 1e-12

typedef enum {
    HOL_GROUP_TRANSLATION,
    HOL_GROUP_ROTATION,
    HOL_GROUP_SCALAR,
    HOL_GROUP_STATE,
    HOL_GROUP_PARAMETER // of a curve
} HolGroupKind;

// Velocity coordinates v .. v+n-1 of one body that share a scale: translations together, rotations
// in space about each axis of the body for itself (a rotor spins about one of them).
typedef struct HolGroup {
    int v, q, n; // q: -1 where they are no integrals of v
    int body, axis;
    HolGroupKind kind;
    int part; // free part of the model it travels with, from 1; 0: none, or joined to the ground
    double mass;
    double span; // of a parameter
} HolGroup;

// the largest link: attachments of joints and forces in their bodies, lengths of springs and
// distances; else what the bodies span; 0: no length is known
double hol_model_length(const HolModel *m, HolModelWork *w, double t, const double *q);
// at most four a body; part: scratch of 2 n_bodies. Returns how many; *parts: free parts
int hol_model_groups(const HolModel *m, int *part, HolGroup *out, int *parts);

#endif
