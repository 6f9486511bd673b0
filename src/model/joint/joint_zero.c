// SPDX-License-Identifier: Apache-2.0
// The zero of an angle between two places (docs/theory/rows.md, section 4), in the plane and in
// space alike: where their x directions coincide, seen along the axis. x of a place is its key `x`,
// else the x axis of its body, made perpendicular to the axis; where the x axis of either body lies
// within 1 degree of the axis, both take y.
//     plane  sigma = theta_b - theta_a + psi_b - psi_a,  psi the angle of x in the body's axes
//     space  sigma = atan2((A_a y_a).(A_b x_b), (A_a x_a).(A_b x_b)),  y_a = z_a x x_a
#include "math/vec.h"
#include "model/model.h"

#include <math.h>

static double psi(const HolAttach *a) {
    if (a->has_x)
        return atan2(a->x[1], a->x[0]);
    return a->turned ? atan2(a->base[0][1], a->base[0][0]) : 0;
}

// x (0) or y (1) axis of the place's body
static Vec3 joint_zero_base(const HolAttach *a, int axis) {
    return a->turned ? v3_load(a->base[axis]) : v3(axis == 0, axis == 1, 0);
}

static int near_axis(Vec3 x, Vec3 z) {
    return fabs(v3_dot(x, z)) > cos(M_PI / 180) * v3_norm(x) * v3_norm(z);
}

static Vec3 joint_zero_across(Vec3 x, Vec3 z) {
    return v3_unit(v3_sub(x, v3_scale(z, v3_dot(x, z))));
}

int hol_zero_allowed(const HolAttach *a, const double axis[3]) {
    return !a->has_x || !near_axis(v3_load(a->x), v3_load(axis));
}

void hol_angle_zero(const HolModel *m, const HolAttach *a, const HolAttach *b, const double za[3],
                    const double zb[3], HolRow *row) {
    if (m->space == HOL_PLANAR) {
        row->c = psi(b) - psi(a);
        return;
    }
    const Vec3 z[2] = {v3_load(za), v3_load(zb)};
    const int use_y = (!a->has_x && near_axis(joint_zero_base(a, 0), z[0])) ||
                      (!b->has_x && near_axis(joint_zero_base(b, 0), z[1]));
    const Vec3 xa = joint_zero_across(a->has_x ? v3_load(a->x) : joint_zero_base(a, use_y), z[0]);
    v3_store(row->ua, xa);
    v3_store(row->wa, v3_cross(z[0], xa));
    v3_store(row->ub,
             joint_zero_across(b->has_x ? v3_load(b->x) : joint_zero_base(b, use_y), z[1]));
}
