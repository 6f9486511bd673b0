// SPDX-License-Identifier: Apache-2.0
// Bodies of a tree of hinges from its joint coordinates, link by link from the root: positions,
// velocities, accelerations, and what is left of the constraints of the hinges.
#include "math/lanes_turn.h"
#include "model/tree_arrays.h"

#include <math.h>

typedef struct Place { // of a body, in global axes
    HolLanes A[3], r, v, a, w, alpha;
    Quat p;
} Place;

// A_b = A_a R_a Rot_z(phi) R_b^T: a quaternion that has no jumps, for phi has none
// (c, s: of half of phi)
HOL_INLINE Quat orientation(const HolTreeLink *l, Quat pa, double c, double s, double side) {
    const Quat turn = {side * c, 0, 0, side * s};
    const Quat p = q_mul(q_mul(pa, q_mul(l->Ra, turn)), q_conj(l->Rb));
    // to length 1, of which only round-off is missing
    const double scale = 1.5 - 0.5 * (p.w * p.w + p.x * p.x + p.y * p.y + p.z * p.z);
    return (Quat){p.w * scale, p.x * scale, p.y * scale, p.z * scale};
}

void hol_tree_sides(const HolModel *m, HolTreeMemory *s, const double *x, const double *q) {
    for (int i = 0; i < m->n_bodies - 1; i++) {
        const HolTreeLink *l = &m->tree[i];
        const double phi = l->turn >= 0 ? l->sign * x[l->turn] : 0, *own = q + l->q + 3;
        const Quat up = l->up >= 0 ? q_load(q + m->tree[l->up].q + 3) : q_identity();
        const Quat p = orientation(l, up, cos(0.5 * phi), sin(0.5 * phi), 1);
        s->side[i] = p.w * own[0] + p.x * own[1] + p.y * own[2] + p.z * own[3] < 0 ? -1 : 1;
    }
}

HOL_INLINE double dot3(HolLanes a, HolLanes b) {
    const HolLanes c = a * b;
    return c[0] + c[1] + c[2];
}

// its part across a unit vector
HOL_INLINE HolLanes across(HolLanes a, HolLanes z) {
    return a - z * dot3(a, z);
}

HOL_INLINE void keep_larger(HolLanes *most, HolLanes a) {
    *most = lanes_larger(*most, lanes_abs(a));
}

HOL_INLINE void store3(double *to, HolLanes a) {
    for (int k = 0; k < 3; k++)
        to[k] = a[k];
}

HOL_INLINE HolLanes half_turns(const HolModel *m, const double *x, int first) {
    double half[HOL_LANES] = {0};
    const int left = hol_tree_links(m) - first;
    for (int l = 0; l < HOL_LANES && l < left; l++) {
        const HolTreeShape *link = &m->tree_shapes[first + l];
        half[l] = link->turn >= 0 ? 0.5 * link->sign * x[link->turn] : 0;
    }
    return lanes_some(half, HOL_LANES);
}

HOL_WIDE static void move_bodies(const HolModel *m, const HolTreeMemory *s,
                                 const HolTreeMotion *to) {
    _Static_assert(sizeof(Place) <= HOL_TREE_LANES * sizeof(HolLanes), "a slot");
    Place *places = (Place *)s->slots;
    HolLanes most[3] = {{0}}, cosine = {0}, sine = {0}; // of half turns, four links
    places[0] = (Place){.p = q_identity(), .A = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
    for (int i = 0; i < hol_tree_links(m); i++) {
        const HolTreeLink *l = &m->tree[i];
        const Place *p = &places[m->tree_shapes[i].up_slot];
        Place *b = &places[m->tree_shapes[i].slot];
        const int turns = l->turn >= 0;
        const double dphi = turns ? l->sign * to->rate[l->turn] : 0,
                     ddphi = turns ? l->sign * to->second[l->turn] : 0;
        const HolLanes z = times(p->A, load3(l->z)), la = times(p->A, load3(l->sa));
        const int lane = i % HOL_LANES;
        if (lane == 0)
            lanes_turn(half_turns(m, to->x, i), &cosine, &sine);
        b->p = orientation(l, p->p, cosine[lane], sine[lane], s->side[i]);
        const Mat3 A = q_matrix(b->p);
        for (int k = 0; k < 3; k++)
            b->A[k] = (HolLanes){A.m[k], A.m[3 + k], A.m[6 + k], 0};
        const HolLanes lb = times(b->A, load3(l->sb)), turned_z = z * dphi;
        // as they are stored: in the axes of the body
        const HolLanes carried = cross(p->w, turned_z);
        const HolLanes w = transposed_times(b->A, p->w + turned_z);
        const HolLanes alpha = transposed_times(b->A, p->alpha + z * ddphi + carried);
        b->w = times(b->A, w);
        b->alpha = times(b->A, alpha);
        // of the joint, and from the body to it: place, velocity and acceleration
        const HolLanes swing_a = cross(p->w, la), swing_b = cross(b->w, lb);
        const HolLanes joint[3] = {p->r + la, p->v + swing_a,
                                   p->a + (cross(p->alpha, la) + cross(p->w, swing_a))};
        const HolLanes arm[3] = {lb, swing_b, cross(b->alpha, lb) + cross(b->w, swing_b)};
        b->r = joint[0] - arm[0];
        b->v = joint[1] - arm[1];
        b->a = joint[2] - arm[2];
        const HolLanes now[3] = {b->r, b->v, b->a};
        for (int k = 0; k < 3; k++)
            keep_larger(&most[k], now[k] + arm[k] - joint[k]);
        // the axis of the hinge in both, and how its frame turns
        const HolLanes zb = times(b->A, load3(l->zb));
        keep_larger(&most[0], cross(z, zb));
        keep_larger(&most[1], across(b->w - p->w, zb));
        keep_larger(&most[2], across(b->alpha - p->alpha - carried, zb));
        store3(to->q + l->q, b->r);
        q_store(to->q + l->q + 3, b->p);
        store3(to->v + l->v, b->v);
        store3(to->v + l->v + 3, w);
        store3(to->a + l->v, b->a);
        store3(to->a + l->v + 3, alpha);
    }
    for (int k = 0; k < 3; k++)
        to->residual[k] = fmax(most[k][0], fmax(most[k][1], most[k][2]));
}

void hol_tree_state(const HolModel *m, const HolTreeMemory *s, const HolTreeMotion *to) {
    move_bodies(m, s, to);
}
