// SPDX-License-Identifier: Apache-2.0
// Bodies of a tree of hinges from its joint coordinates, link by link from the root: positions,
// velocities, accelerations, and what is left of the constraints of the hinges.
#include "math/simd_sincos.h"
#include "model/tree/tree_spatial.h"

#include <math.h>

typedef struct Place { // of a body, in global axes
    HolLanes A[3], r, v, a, w, alpha;
    HolLanes p; // quaternion x y z w
} Place;

HOL_INLINE HolLanes product(HolLanes a, HolLanes b) { // of quaternions
    const HolLanes x = __builtin_shufflevector(b, b, 3, 2, 1, 0) * (HolLanes){1, -1, 1, -1},
                   y = __builtin_shufflevector(b, b, 2, 3, 0, 1) * (HolLanes){1, 1, -1, -1},
                   z = __builtin_shufflevector(b, b, 1, 0, 3, 2) * (HolLanes){-1, 1, 1, -1};
    return (b * a[3] + x * a[0]) + (y * a[1] + z * a[2]);
}

// A_b = A_a R_a Rot_z(phi) R_b^T: a quaternion that has no jumps, for phi has none
// (c, s: of half of phi)
HOL_INLINE HolLanes orientation(const HolTreeKind *kind, HolLanes up, double c, double s,
                                double side) {
    const HolLanes p = product(up, kind->turned[0] * (side * c) + kind->turned[1] * (side * s));
    // to length 1, of which only round-off is missing
    const HolLanes square = p * p, pair = square + swapped(square);
    return p * (1.5 - 0.5 * (pair[0] + pair[2]));
}

// columns: 2 v v_k + 2 w (v x e_k), and 1 - 2 (v^2 - v_k^2) on the diagonal
HOL_INLINE void matrix_of(HolLanes p, HolLanes *A) {
    const HolLanes v = p * (HolLanes){2, 2, 2, 0}, t = p * (2 * p[3]);
    const HolLanes x = v * p[0] +
                       __builtin_shufflevector(t, t, 0, 2, 1, 3) * (HolLanes){0, 1, -1, 0},
                   y = v * p[1] +
                       __builtin_shufflevector(t, t, 2, 1, 0, 3) * (HolLanes){-1, 0, 1, 0},
                   z = v * p[2] +
                       __builtin_shufflevector(t, t, 1, 0, 2, 3) * (HolLanes){1, -1, 0, 0};
    const HolLanes next = next3(v * p), diagonal = 1 - (next + next3(next));
    A[0] = __builtin_shufflevector(x, diagonal, 4, 1, 2, 3);
    A[1] = __builtin_shufflevector(y, diagonal, 0, 5, 2, 3);
    A[2] = __builtin_shufflevector(z, diagonal, 0, 1, 6, 3);
}

HOL_INLINE HolLanes load_quaternion(const double *q) {
    return (HolLanes){q[1], q[2], q[3], q[0]};
}

void hol_tree_sides(const HolModel *m, HolTreeMemory *s, const double *x, const double *q) {
    for (int i = 0; i < hol_tree_links(m); i++) {
        const HolTreeShape *l = &m->tree.shapes[i];
        const double phi = l->turn >= 0 ? l->sign * x[l->turn] : 0;
        const HolLanes up = l->up >= 0 ? load_quaternion(q + m->tree.shapes[l->up].q + 3)
                                       : (HolLanes){0, 0, 0, 1},
                       own = load_quaternion(q + l->q + 3),
                       p = orientation(&m->tree.kinds[l->kind], up, cos(0.5 * phi), sin(0.5 * phi),
                                       1) *
                           own;
        s->side[i] = p[0] + p[1] + p[2] + p[3] < 0 ? -1 : 1;
    }
}

HOL_INLINE double tree_bodies_dot3(HolLanes a, HolLanes b) {
    const HolLanes c = a * b;
    return c[0] + c[1] + c[2];
}

// its part across a unit vector
HOL_INLINE HolLanes tree_bodies_across(HolLanes a, HolLanes z) {
    return a - z * tree_bodies_dot3(a, z);
}

HOL_INLINE void tree_bodies_keep_larger(HolLanes *most, HolLanes a) {
    *most = lanes_larger(*most, lanes_abs(a));
}

HOL_INLINE void store3(double *to, HolLanes a) {
    for (int k = 0; k < 3; k++)
        to[k] = a[k];
}

HOL_INLINE HolLanes tree_bodies_half_turns(const HolModel *m, const double *x, int first) {
    double half[HOL_LANES] = {0};
    const int left = hol_tree_links(m) - first;
    for (int l = 0; l < HOL_LANES && l < left; l++) {
        const HolTreeShape *link = &m->tree.shapes[first + l];
        half[l] = link->turn >= 0 ? 0.5 * link->sign * x[link->turn] : 0;
    }
    return lanes_some(half, HOL_LANES);
}

HOL_WIDE static void tree_bodies_move_bodies(const HolModel *m, const HolTreeMemory *s,
                                             const HolTreeMotion *to) {
    _Static_assert(sizeof(Place) <= HOL_TREE_LANES * sizeof(HolLanes), "a slot");
    Place *places = (Place *)s->slots;
    HolLanes most[3] = {{0}}, cosine = {0}, sine = {0}; // of half turns, four links
    places[0] = (Place){.p = {0, 0, 0, 1}, .A = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
    for (int i = 0; i < hol_tree_links(m); i++) {
        const HolTreeShape *l = &m->tree.shapes[i];
        const HolTreeKind *kind = &m->tree.kinds[l->kind];
        const Place *p = &places[l->up_slot];
        Place *b = &places[l->slot];
        const int turns = l->turn >= 0;
        const double dphi = turns ? l->sign * to->rate[l->turn] : 0,
                     ddphi = turns ? l->sign * to->second[l->turn] : 0;
        const HolLanes z = times(p->A, kind->z), la = times(p->A, kind->sa);
        const int lane = i % HOL_LANES;
        if (lane == 0)
            lanes_turn(tree_bodies_half_turns(m, to->x, i), &cosine, &sine);
        b->p = orientation(kind, p->p, cosine[lane], sine[lane], s->side[i]);
        matrix_of(b->p, b->A);
        const HolLanes lb = times(b->A, kind->sb), turned_z = z * dphi;
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
            tree_bodies_keep_larger(&most[k], now[k] + arm[k] - joint[k]);
        // the axis of the hinge in both, and how its frame turns
        const HolLanes zb = times(b->A, kind->zb);
        tree_bodies_keep_larger(&most[0], cross(z, zb));
        tree_bodies_keep_larger(&most[1], tree_bodies_across(b->w - p->w, zb));
        tree_bodies_keep_larger(&most[2], tree_bodies_across(b->alpha - p->alpha - carried, zb));
        store3(to->q + l->q, b->r);
        const HolLanes turned = __builtin_shufflevector(b->p, b->p, 3, 0, 1, 2);
        memcpy(to->q + l->q + 3, &turned, sizeof turned);
        store3(to->v + l->v, b->v);
        store3(to->v + l->v + 3, w);
        store3(to->a + l->v, b->a);
        store3(to->a + l->v + 3, alpha);
    }
    for (int k = 0; k < 3; k++)
        to->residual[k] = fmax(most[k][0], fmax(most[k][1], most[k][2]));
}

void hol_tree_state(const HolModel *m, const HolTreeMemory *s, const HolTreeMotion *to) {
    tree_bodies_move_bodies(m, s, to);
}
