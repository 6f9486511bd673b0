// SPDX-License-Identifier: Apache-2.0
// Bodies of a tree of hinges from its joint coordinates, link by link from the root: positions,
// velocities, accelerations, and what is left of the constraints of the hinges.
#include "model/tree.h"

#include <math.h>
#include <string.h>

typedef struct Place { // of a body, in global axes
    Quat p;
    Mat3 A;
    Vec3 r, v, a, w, alpha;
} Place;

// A_b = A_a R_a Rot_z(phi) R_b^T: a quaternion that has no jumps, for phi has none
static Quat orientation(const HolTreeLink *l, Quat pa, double phi, double side) {
    const Quat turn = {side * cos(0.5 * phi), 0, 0, side * sin(0.5 * phi)};
    return q_normalize(q_mul(q_mul(pa, q_mul(l->Ra, turn)), q_conj(l->Rb)));
}

void hol_tree_sides(const HolModel *m, HolTreeMemory *s, const double *x, const double *q) {
    for (int i = 0; i < m->n_bodies - 1; i++) {
        const HolTreeLink *l = &m->tree[i];
        const double phi = l->turn >= 0 ? l->sign * x[l->turn] : 0, *own = q + l->q + 3;
        const Quat up = l->up >= 0 ? q_load(q + m->tree[l->up].q + 3) : q_identity();
        const Quat p = orientation(l, up, phi, 1);
        s->side[i] = p.w * own[0] + p.x * own[1] + p.y * own[2] + p.z * own[3] < 0 ? -1 : 1;
    }
}

static inline double larger(double most, Vec3 a) {
    const double x = fabs(a.x), y = fabs(a.y), z = fabs(a.z);
    most = x > most ? x : most;
    most = y > most ? y : most;
    return z > most ? z : most;
}

// its part across a unit vector
static inline Vec3 across(Vec3 a, Vec3 z) {
    return v3_sub(a, v3_scale(z, v3_dot(a, z)));
}

HOL_WIDE static void move_bodies(const HolModel *m, const HolTreeMemory *s,
                                 const HolTreeMotion *to) {
    _Static_assert(sizeof(Place) <= HOL_TREE_LANES * sizeof(HolLanes), "a slot");
    Place *places = (Place *)s->slots;
    places[0] = (Place){.p = q_identity(), .A = m3_identity()};
    double most[3] = {0};
    for (int i = 0; i < m->n_bodies - 1; i++) {
        const HolTreeLink *l = &m->tree[i];
        const Place *p = &places[m->tree_shapes[i].up_slot];
        Place *b = &places[m->tree_shapes[i].slot];
        double *q = to->q + l->q, *v = to->v + l->v, *a = to->a + l->v;
        const int turns = l->turn >= 0;
        const double phi = turns ? l->sign * to->x[l->turn] : 0,
                     dphi = turns ? l->sign * to->rate[l->turn] : 0,
                     ddphi = turns ? l->sign * to->second[l->turn] : 0;
        b->p = orientation(l, p->p, phi, s->side[i]);
        b->A = q_matrix(b->p);
        const Vec3 z = m3_mulv(p->A, v3_load(l->z));
        const Vec3 la = m3_mulv(p->A, v3_load(l->sa)), lb = m3_mulv(b->A, v3_load(l->sb));
        const Vec3 turned_z = v3_scale(z, dphi);
        // as they are stored: in the axes of the body
        const Vec3 w = m3_tmulv(b->A, v3_add(p->w, turned_z));
        const Vec3 alpha =
            m3_tmulv(b->A, v3_add(v3_add(p->alpha, v3_scale(z, ddphi)), v3_cross(p->w, turned_z)));
        b->w = m3_mulv(b->A, w);
        b->alpha = m3_mulv(b->A, alpha);
        // of the joint, and from the body to it: place, velocity and acceleration
        const Vec3 swing_a = v3_cross(p->w, la), swing_b = v3_cross(b->w, lb);
        const Vec3 joint[3] = {
            v3_add(p->r, la), v3_add(p->v, swing_a),
            v3_add(p->a, v3_add(v3_cross(p->alpha, la), v3_cross(p->w, swing_a)))};
        const Vec3 arm[3] = {lb, swing_b, v3_add(v3_cross(b->alpha, lb), v3_cross(b->w, swing_b))};
        b->r = v3_sub(joint[0], arm[0]);
        b->v = v3_sub(joint[1], arm[1]);
        b->a = v3_sub(joint[2], arm[2]);
        const Vec3 now[3] = {b->r, b->v, b->a};
        for (int k = 0; k < 3; k++)
            most[k] = larger(most[k], v3_sub(v3_add(now[k], arm[k]), joint[k]));
        // the axis of the hinge in both, and how its frame turns
        const Vec3 zb = m3_mulv(b->A, v3_load(l->zb));
        most[0] = larger(most[0], v3_cross(z, zb));
        most[1] = larger(most[1], across(v3_sub(b->w, p->w), zb));
        const Vec3 rest = v3_sub(v3_sub(b->alpha, p->alpha), v3_cross(p->w, turned_z));
        most[2] = larger(most[2], across(rest, zb));
        v3_store(q, b->r);
        q_store(q + 3, b->p);
        v3_store(v, b->v);
        v3_store(v + 3, w);
        v3_store(a, b->a);
        v3_store(a + 3, alpha);
    }
    memcpy(to->residual, most, sizeof most);
}

void hol_tree_state(const HolModel *m, const HolTreeMemory *s, const HolTreeMotion *to) {
    move_bodies(m, s, to);
}
