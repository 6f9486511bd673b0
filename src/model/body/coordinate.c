// SPDX-License-Identifier: Apache-2.0
// A scalar coordinate with a generalized mass: a number without a place. States, modes of elastic parts
// and open contacts are such bodies too.
#include "model/body/body.h"
#include "model/quantity.h"

static void coordinate_frame(HolSpace space, const double *q, HolFrame *f) {
    (void)space;
    f->r[0] = q[0];
}

static void coordinate_start(HolSpace space, const HolBodyDef *d, double *q, double *v) {
    (void)space;
    q[0] = d->position[0];
    v[0] = d->velocity[0];
}

const HolBodyKind hol_body_coordinate = {
    .name = "coordinate",
    .owner = HOL_OF_COORDINATE,
    .size = {{1, 1, 1}, {1, 1, 1}},
    .frame = coordinate_frame,
    .start = coordinate_start,
};
