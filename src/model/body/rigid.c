// SPDX-License-Identifier: Apache-2.0
// A rigid body: place of its centre of mass and orientation. Plane: x, y, angle. Space: r and a
// quaternion p, velocities r' and omega in body axes (docs/theory/coordinates.md, section 3). The fast
// path of all walks over bodies (kinematics.c, body_series.c, batch/).
#include "math/vec.h"
#include "model/body/body.h"
#include "model/quantity.h"

#include <math.h>
#include <string.h>

static void rigid_frame(HolSpace space, const double *q, HolFrame *f) {
    f->r[0] = q[0];
    f->r[1] = q[1];
    if (space == HOL_PLANAR) {
        const double c = cos(q[2]), s = sin(q[2]);
        f->c = c;
        f->s = s;
        f->angle = q[2];
        memcpy(f->A, (const double[9]){c, -s, 0, s, c, 0, 0, 0, 1}, sizeof f->A);
        return;
    }
    const Mat3 A = q_matrix(q_load(q + 3));
    f->r[2] = q[2];
    memcpy(f->p, q + 3, sizeof f->p);
    memcpy(f->A, A.m, sizeof f->A);
}

static void rigid_start(HolSpace space, const HolBodyDef *d, double *q, double *v) {
    const int n = space == HOL_PLANAR ? 2 : 3;
    memcpy(q, d->position, sizeof(double) * (size_t)n);
    memcpy(v, d->velocity, sizeof(double) * (size_t)n);
    if (space == HOL_PLANAR) {
        q[2] = d->angle;
        v[2] = d->omega[0];
        return;
    }
    const Vec3 o = v3_load(d->omega);
    memcpy(q + 3, d->quaternion, sizeof d->quaternion);
    v3_store(v + 3, d->omega_is_body ? o : m3_tmulv(q_matrix(q_load(d->quaternion)), o));
}

const HolBodyKind hol_body_rigid = {
    .name = "rigid",
    .placed = 1,
    .turns = 1,
    .owner = HOL_OF_RIGID,
    .size = {{3, 3, 2}, {7, 6, 3}},
    .frame = rigid_frame,
    .start = rigid_start,
};
