// SPDX-License-Identifier: Apache-2.0
// A model that is a tree of bodies: its links, and series of its motion in joint coordinates
// (tree_series.c, tree_spatial_series.c).
#ifndef HOL_MODEL_TREE_H
#define HOL_MODEL_TREE_H

#include "math/simd.h"
#include "math/vec.h"
#include "model/model.h"

typedef struct HolTreeLink {
    int body, parent;                 // parents come first; 0: ground
    int free;                         // 1: no joint, x are its own coordinates
    int up;                           // link of the parent, -1: ground
    int first, n;                     // its coordinates
    int q, v;                         // where those of the body begin
    int turn, slide;                  // index of angle and displacement among x, -1: none
    int row[2];                       // rows of angle and displacement
    double sign;                      // -1: the joint counts from the body to the parent
    double sa[3], sb[3], z[3], zb[3]; // the joint and its axis in the axes of both
    Quat Ra, Rb;                      // space: joint frame in the axes of both
    double angle;                     // plane: angle of the body against the parent at phi = 0
} HolTreeLink;

// A torque on a hinge, of time and of angles and rates of hinges.
typedef struct HolTreeLaw {
    int link;
    const HolExpr *expr;
} HolTreeLaw;

// What links of one kind have in common, vectors in four lanes.
typedef struct HolTreeKind {
    HolLanes arm;        // from the joint of the parent to its own, in the parent's joint frame
    HolLanes centre;     // from its joint to its centre of mass
    HolLanes mh;         // the same times the mass
    HolLanes inertia[2]; // about its joint: xx yy zz, xy yz zx
    // space
    HolLanes C[3];          // rows: joint frame of the parent from its own at phi = 0
    HolLanes turned[2];     // quaternion x y z w of the body in the parent: by cos and sin of phi/2
    HolLanes sa, sb, z, zb; // HolTreeLink
    double mass;
} HolTreeKind;

// A link as its series need it, step by step: small.
typedef struct HolTreeShape {
    int up, turn;       // link of the parent, -1: ground; its coordinate, -1: it does not turn
    int kind;           // among those of the model: links are often alike
    int slot, up_slot;  // of what children ask for; 0 is that of ground
    int driven;         // 1: there is a spring on its joint, or a law
    int q, v;           // where those of the body begin
    double sign, angle; // see HolTreeLink
} HolTreeShape;

// Springs on the joint of a link: torque free - k phi - c phi'
typedef struct HolTreeSpring {
    double k, free, c;
} HolTreeSpring;

// Series of one instant
typedef struct HolTreeMemory {
    const struct HolTreeForm *form;
    HolThreadPool *pool; // threads to share loops with; NULL: none
    int order;           // coefficients of x'' there may be
    double *x;           // by links: angle at the start, set before `start` as are its rates
    double *side;        // by links: sign of the quaternion; plane: whole turns beside x
    double *torque;      // by links: laws, at the present order
    double *rates;       // coefficients of phi': by orders, then links (hol_tree_stride)
    double *given;       // series of the slots of laws, order + 2 each
    double *values;      // series of the laws, order + 2 each
    double *laws;        // what their expressions keep
    HolLanes *slots;     // scratch, HOL_TREE_LANES a slot
    HolLanes *reach;     // the same for `reach` and `sizes`, which may run beside `state`
    void *arrays;        // TreeArrays of tree_spatial.h, in the plane those of tree_planar.h
    void *lanes;         // the same where they began, for `form` as chosen at first
    void *series;        // the same for m->tree_form, where that was another
} HolTreeMemory;

// bodies at x, x', x''; residual: what they leave of the constraints on the three levels
typedef struct HolTreeMotion {
    const double *x, *rate, *second;
    double *q, *v, *a, *residual;
} HolTreeMotion;

static inline int hol_tree_links(const HolModel *m) {
    return m->def.n_bodies - 1;
}

// groups of four links, with a place for the ground behind them; odd, so that the orders of a group
// are not all in one set of a cache
static inline size_t hol_tree_groups(const HolModel *m) {
    return ((size_t)hol_tree_links(m) / HOL_LANES + 1) | 1;
}

// turns of a link among those of the joints, in two lanes
HOL_INLINE HolLanes hol_tree_turns(const HolTreeShape *l, const double *x, const double *y) {
    const HolLanes none = {0};
    return l->turn < 0 ? none : l->sign * (HolLanes){x[l->turn], y ? y[l->turn] : 0, 0, 0};
}

// lays bytes out at *at, where there is a place, and counts them
static inline void *hol_tree_lay_out(char **at, size_t *size, size_t bytes) {
    void *here = *at;
    bytes = (bytes + 63) / 64 * 64;
    *size += bytes;
    if (*at)
        *at += bytes;
    return here;
}

// keeps the numbers of arrays behind their head
static inline void hol_tree_keep_arrays(HolKeeper *k, void *arrays, size_t head, size_t size) {
    head = (head + 63) / 64 * 64;
    hol_keep(k, "arrays", (char *)arrays + head, size - head);
}

// numbers of links between two orders of a link; odd, so that these are not all in one set of a
// cache
static inline long hol_tree_stride(const HolModel *m) {
    return hol_tree_links(m) | 1;
}

// coefficient k of the torque on the joint of a link
static inline double hol_tree_drive(const HolModel *m, const HolTreeMemory *s, int i, int k) {
    const HolTreeSpring *l = &m->tree.springs[i];
    const double *r = s->rates + i + k * hol_tree_stride(m);
    const double phi = k ? r[-hol_tree_stride(m)] / k : s->x[i];
    return s->torque[i] + (k ? 0 : l->free) - l->k * phi - l->c * r[0];
}

enum { HOL_TREE_LANES = 9 };

// Series of trees in space and in the plane
// largest displacements and rotations of bodies over the scales of positions and of velocities
typedef struct HolTreeReach {
    HolLanes q, v;
} HolTreeReach;

HOL_INLINE void hol_tree_widen(HolTreeReach *most, const HolBodyScales *scale, int body,
                               HolLanes way, HolLanes turn) {
    most->q =
        lanes_larger(most->q, lanes_larger(way * scale->place[body], turn * scale->angle[body]));
    most->v =
        lanes_larger(most->v, lanes_larger(way * scale->speed[body], turn * scale->rate[body]));
}

typedef struct HolTreeForm {
    size_t (*size)(const HolModel *m, int order); // bytes of s->arrays; then their layout
    void (*memory)(const HolModel *m, HolTreeMemory *s);
    // velocities of the start, then the factors; 0: a joint without inertia
    int (*start)(const HolModel *m, HolTreeMemory *s);
    void (*order)(const HolModel *m, HolTreeMemory *s, int k); // coefficient k of x''
    // coefficient 0 without all that others would need (-1: too many digits would be lost); NULL:
    // by start and order
    int (*accelerate)(const HolModel *m, HolTreeMemory *s);
    // Largest rotation and displacement, over the scales, that small rotations x and y of the
    // joints make (first two lanes; y may be NULL), or, with x NULL, coefficients first .. first+3
    // of the angles
    void (*reach)(const HolModel *m, const HolTreeMemory *s, const HolBodyScales *scale,
                  const double *x, const double *y, int first, HolTreeReach *most);
    // see HolTreeSeries
    void (*sides)(const HolModel *m, HolTreeMemory *s, const double *x, const double *q);
    void (*state)(const HolModel *m, const HolTreeMemory *s, const HolTreeMotion *to);
    void (*keep)(const HolModel *m, HolTreeMemory *s, HolKeeper *k); // all of s->arrays
    const struct HolTreeForm *now; // in memory of order 1, for `accelerate` alone; NULL: this one
} HolTreeForm;

extern const HolTreeForm
    hol_tree_space; // tree_spatial_series.c, tree_spatial_start.c, tree_bodies.c
extern const HolTreeForm hol_tree_space_now; // tree_acceleration.c
extern const HolTreeForm hol_tree_plane;     // tree_planar_series.c and others

// ---- tree_bodies.c ----
void hol_tree_sides(const HolModel *m, HolTreeMemory *s, const double *x, const double *q);
void hol_tree_state(const HolModel *m, const HolTreeMemory *s, const HolTreeMotion *to);
// ---- tree_series.c ----
int hol_tree_series_build(HolModel *m); // 0: out of memory

#endif
