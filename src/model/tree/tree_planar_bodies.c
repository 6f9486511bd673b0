// SPDX-License-Identifier: Apache-2.0
// A plane tree of hinges: the bodies that follow from the joints, and how far small rotations of
// the joints move them (tree_planar_series.c has the notation).
#include "model/tree/tree_planar.h"

#include <math.h>
#include <string.h>

// ---- effects of small rotations ----

// (a chain's go from link to link by registers)
HOL_INLINE void tree_planar_bodies_reach(const HolModel *m, const HolTreeMemory *s,
                                         const HolBodyScales *scale, const double *x,
                                         const double *y, int first, HolTreeReach *most,
                                         const int given) {
    typedef struct Way { // rotation of a link, displacement of its joint
        HolLanes turn, x, y;
    } Way;
    const Arrays *a = planar_arrays_of(s);
    const long stride = hol_tree_stride(m);
    const double *r = s->rates + (first - 1) * stride;
    const HolLanes share = {1.0 / first, 1.0 / (first + 1), 1.0 / (first + 2), 1.0 / (first + 3)};
    Way *ways = (Way *)s->reach, way = {0};
    ways[0] = way;
    HolTreeReach all = {0};
    for (int i = 0; i < hol_tree_links(m); i++, r++) {
        const HolTreeShape *shape = &m->tree.shapes[i];
        const Link *l = &a->links[i];
        const double *hinge = number(a->hinges, HINGE, i, 0), *f = number(a->shapes, SHAPE, i, 0);
        if (!l->follows)
            way = ways[l->up_slot];
        const HolLanes own =
            given ? hol_tree_turns(shape, x, y)
                  : (HolLanes){r[0], r[stride], r[2 * stride], r[3 * stride]} * share;
        way.x += way.turn * hinge[EX * HOL_LANES];
        way.y += way.turn * hinge[EY * HOL_LANES];
        way.turn += own;
        ways[l->slot] = way;
        const HolLanes h = m->tree.kinds[shape->kind].centre;
        const double c = f[C * HOL_LANES], sn = f[S * HOL_LANES];
        const HolLanes dx = way.x - way.turn * (sn * h[0] + c * h[1]),
                       dy = way.y + way.turn * (c * h[0] - sn * h[1]);
        hol_tree_widen(&all, scale, m->tree.links[i].body,
                       lanes_larger(lanes_abs(dx), lanes_abs(dy)),
                       lanes_larger(lanes_abs(own), lanes_abs(way.turn)));
    }
    *most = all;
}

HOL_WIDE static void reach_given(const HolModel *m, const HolTreeMemory *s,
                                 const HolBodyScales *scale, const double *x, const double *y,
                                 HolTreeReach *most) {
    tree_planar_bodies_reach(m, s, scale, x, y, 1, most, 1);
}

HOL_WIDE static void reach_coefficients(const HolModel *m, const HolTreeMemory *s,
                                        const HolBodyScales *scale, int first, HolTreeReach *most) {
    tree_planar_bodies_reach(m, s, scale, NULL, NULL, first, most, 0);
}

void hol_plane_reach(const HolModel *m, const HolTreeMemory *s, const HolBodyScales *scale,
                     const double *x, const double *y, int first, HolTreeReach *most) {
    if (x)
        reach_given(m, s, scale, x, y, most);
    else
        reach_coefficients(m, s, scale, first, most);
}

// ---- bodies ----

// whole turns that the angle of a body has beside those of its joints
void hol_plane_sides(const HolModel *m, HolTreeMemory *s, const double *x, const double *q) {
    const double turn = 6.283185307179586477;
    for (int i = 0; i < hol_tree_links(m); i++) {
        const HolTreeLink *l = &m->tree.links[i];
        const double up = l->up >= 0 ? q[m->tree.links[l->up].q + 2] : 0;
        const double phi = l->turn >= 0 ? l->sign * x[l->turn] : 0;
        s->side[i] = turn * rint((q[l->q + 2] - up - l->angle - phi) / turn);
    }
}

typedef struct Place { // of a body: x, y, and rotation
    double r[3], v[3], a[3];
    double theta, c, s; // without whole turns beside those of the joints
    double h[2];        // from its joint to its centre of mass
} Place;

HOL_INLINE double tree_planar_bodies_larger(double most, double a) {
    return a > most ? a : most;
}

// x, y on the three levels of a point at `arm` from a place that rotates, in global axes
HOL_INLINE void tree_planar_bodies_swing(const Place *p, const double arm[2], double out[3][2]) {
    const double w = p->v[2], alpha = p->a[2], x = arm[0], y = arm[1];
    out[0][0] = x;
    out[0][1] = y;
    out[1][0] = -w * y;
    out[1][1] = w * x;
    out[2][0] = -alpha * y - w * w * x;
    out[2][1] = alpha * x - w * w * y;
}

HOL_WIDE static void tree_planar_bodies_move_bodies(const HolModel *m, const HolTreeMemory *s,
                                                    const HolTreeMotion *to) {
    _Static_assert(sizeof(Place) <= HOL_TREE_LANES * sizeof(HolLanes), "a slot");
    const Arrays *a = planar_arrays_of(s);
    Place *places = (Place *)s->slots;
    double most[3] = {0};
    places[0] = (Place){.c = 1};
    for (int i = 0; i < hol_tree_links(m); i++) {
        const HolTreeShape *l = &m->tree.shapes[i];
        const HolTreeKind *kind = &m->tree.kinds[l->kind];
        const Place *p = &places[l->up_slot];
        Place *b = &places[l->slot];
        const int turns = l->turn >= 0;
        const double phi = turns ? l->sign * to->x[l->turn] : 0;
        b->theta = p->theta + l->angle + phi;
        b->r[2] = p->r[2] + l->angle + phi + s->side[i];
        b->v[2] = p->v[2] + (turns ? l->sign * to->rate[l->turn] : 0);
        b->a[2] = p->a[2] + (turns ? l->sign * to->second[l->turn] : 0);
        const int known = b->theta == *number(a->bodies, BODY, i, THETA); // the series begin here
        b->c = known ? *number(a->shapes, SHAPE, i, C) : cos(b->theta);
        b->s = known ? *number(a->shapes, SHAPE, i, S) : sin(b->theta);
        b->h[0] = b->c * kind->centre[0] - b->s * kind->centre[1];
        b->h[1] = b->s * kind->centre[0] + b->c * kind->centre[1];
        // from the parent's centre to the joint, and from the joint to the body's
        const double arm[2] = {p->c * kind->arm[0] - p->s * kind->arm[1] - p->h[0],
                               p->s * kind->arm[0] + p->c * kind->arm[1] - p->h[1]};
        double joint[3][2], own[3][2];
        tree_planar_bodies_swing(p, arm, joint);
        tree_planar_bodies_swing(b, b->h, own);
        const double *const up[3] = {p->r, p->v, p->a};
        double *const now[3] = {b->r, b->v, b->a};
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < 2; j++) {
                joint[k][j] += up[k][j];
                now[k][j] = joint[k][j] + own[k][j];
                most[k] =
                    tree_planar_bodies_larger(most[k], fabs(now[k][j] - own[k][j] - joint[k][j]));
            }
        memcpy(to->q + l->q, b->r, sizeof b->r);
        memcpy(to->v + l->v, b->v, sizeof b->v);
        memcpy(to->a + l->v, b->a, sizeof b->a);
    }
    memcpy(to->residual, most, sizeof most);
}

void hol_plane_state(const HolModel *m, const HolTreeMemory *s, const HolTreeMotion *to) {
    tree_planar_bodies_move_bodies(m, s, to);
}
