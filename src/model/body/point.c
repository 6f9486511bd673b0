// SPDX-License-Identifier: Apache-2.0
// A point mass: a place without an orientation; its axes are the global ones.
#include "model/body/body.h"
#include "model/quantity.h"

#include <string.h>

static void point_frame(HolSpace space, const double *q, HolFrame *f) {
    memcpy(f->r, q, sizeof(double) * (space == HOL_PLANAR ? 2 : 3));
}

static void point_start(HolSpace space, const HolBodyDef *d, double *q, double *v) {
    const size_t bytes = sizeof(double) * (space == HOL_PLANAR ? 2 : 3);
    memcpy(q, d->position, bytes);
    memcpy(v, d->velocity, bytes);
}

const HolBodyKind hol_body_point = {
    .name = "point",
    .placed = 1,
    .owner = HOL_OF_POINT_MASS,
    .size = {{2, 2, 2}, {3, 3, 3}},
    .frame = point_frame,
    .start = point_start,
};
