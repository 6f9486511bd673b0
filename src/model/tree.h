// SPDX-License-Identifier: Apache-2.0
// A model that is a tree of bodies: its links, and series of its motion in joint coordinates
// (tree_series.c, tree_space.c, tree_plane.c).
#ifndef HOL_MODEL_TREE_H
#define HOL_MODEL_TREE_H

#include "math/lanes.h"
#include "math/vec.h"
#include "model/model.h"

typedef struct HolTreeLink {
    int body, parent; // parents come first; 0: ground
    int joint;        // -1: none
    int free;         // 1: no joint, x are its own coordinates
    int up;           // link of the parent, -1: ground
    int first, n;     // its coordinates
    int turn, slide;  // index of angle and displacement among x, -1: none
    int row[2];       // rows of turn and slide
    double sign;      // -1: the joint counts from the body to the parent
    double sa[3], sb[3], z[3];
    Quat Ra, Rb;  // space: joint frame in the axes of both
    double angle; // plane: angle of the body against the parent at phi = 0
} HolTreeLink;

// A link as its series need it. A spring on its joint: torque -k (phi - s0) - c phi'.
typedef struct HolTreeShape {
    int up, turn; // link of the parent, -1: ground; its coordinate, -1: it does not turn
    double sign, k, s0, c;
    double mass;
    double arm[3];     // from the joint of the parent to its own, in the parent's joint frame
    double mh[3];      // mass times the way from its joint to its centre of mass
    double inertia[6]; // about its joint: xx yy zz xy xz yz; plane: the first
    double C[9];       // space: joint frame of the parent from its own at phi = 0
    double angle;      // plane: of the joint frame at phi = 0 against that of the parent
} HolTreeShape;

// Series of one instant: order + 2 records of each link, one an order.
typedef struct HolTreeMemory {
    int order;       // coefficients of x'' there may be
    double *x;       // by links: angle at the start
    HolLanes *reach; // scratch, 10 a link
    void *records, *factors, *scratch;
} HolTreeMemory;

// bodies at x, x', x''; residual: what they leave of the constraints on the three levels
typedef struct HolTreeMotion {
    const double *x, *rate, *second;
    double *q, *v, *a, *residual;
} HolTreeMotion;

// what plane and space do in their own way
typedef struct HolTreeKind {
    size_t record, factor, scratch; // bytes a link (a record: a link and order)
    // velocities of the start, then the factors; 0: a joint without inertia
    int (*start)(const HolModel *m, HolTreeMemory *s, const double *rate);
    void (*order)(const HolModel *m, HolTreeMemory *s, int k); // coefficient k of x''
    // coefficients first .. first+n-1 of phi' of a link
    void (*rates)(const HolModel *m, const HolTreeMemory *s, int link, int first, int n,
                  double *out);
    // largest turn and way that small turns of the joints make, four at once: turns[link];
    // scratch: 6 a link (state: 10)
    void (*reach)(const HolModel *m, const HolTreeMemory *s, const HolLanes *turns,
                  HolLanes *scratch, HolLanes *most);
    // see HolTreeSeries.state; scratch as above
    void (*state)(const HolModel *m, HolLanes *scratch, const HolTreeMotion *to);
} HolTreeKind;

extern const HolTreeKind hol_tree_space, hol_tree_plane;

// ---- tree_series.c ----
int hol_tree_series_build(HolModel *m); // 0: out of memory

#endif
