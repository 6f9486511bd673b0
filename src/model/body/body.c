// SPDX-License-Identifier: Apache-2.0
// The registry of body kinds.
#include "model/body/body.h"

#include <string.h>

const HolBodyKind *const hol_bodies[] = {[HOL_RIGID] = &hol_body_rigid,
                                         [HOL_POINT] = &hol_body_point,
                                         [HOL_COORDINATE] = &hol_body_coordinate,
                                         NULL};

void hol_body_written(HolSpace space, const HolBodyDef *d, HolFrame *f) {
    double q[7] = {0}, v[6];
    memset(f, 0, sizeof *f);
    memcpy(f->r, d->position, sizeof f->r);
    f->p[0] = 1;
    f->A[0] = f->A[4] = f->A[8] = 1;
    hol_body_kind(d->type)->start(space, d, q, v);
    hol_body_kind(d->type)->frame(space, q, f);
}
