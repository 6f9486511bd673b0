// SPDX-License-Identifier: Apache-2.0
// Series of a plane tree of hinges (tree_planar_series.c): what is kept of links, four of them side
// by side.
#ifndef HOL_MODEL_TREE_PLANE_H
#define HOL_MODEL_TREE_PLANE_H

#include "model/tree/tree.h"

typedef struct Record { // of four links
    HolLanes omega;     // order j
    HolLanes c, s;      // order j + 1
    HolLanes P, Q;      // order j - 1
} Record;

typedef struct Coefficients { // of four links: of kc and of ks
    HolLanes fx_of[2], fy_of[2], t_of[2];
} Coefficients;

typedef struct Hinges { // of four links, at the start of the series
    HolLanes bx, by;    // b = B/A; 0: does not turn
    HolLanes Ex, Ey;    // derivative of y by theta'' of the parent: R_p delta rotated by 90 degrees
    HolLanes bE;
    HolLanes inverse; // 1/A; 0: does not turn
} Hinges;

typedef struct Shapes {      // of four links, likewise
    HolLanes dx, dy, hx, hy; // delta and mh
    HolLanes c, s;           // order 0
    HolLanes Nxx, Nyy, Nxy;  // with those of the children, less B B^T/A
    HolLanes inertia, mass;
} Shapes;

typedef struct Known { // of four links, at the present order
    HolLanes kc, ks;
    HolLanes fx, fy; // with those of the children
    HolLanes t;      // likewise; then (tau - t)/A
} Known;

typedef struct Sums { // of four links: products of coefficients
    HolLanes sc, ss;  // s omega, c omega
    HolLanes cP_sQ;   // c P - s Q
} Sums;

typedef struct Ways { // of four links: acceleration of the joint by the rotation of the parent
    HolLanes x, y;
} Ways;

typedef struct Link {
    int up;            // its parent; behind the last link: the ground
    int up_at;         // numbers of its parent in their groups
    int slot, up_slot; // of Motion
    unsigned char driven, turns;
    unsigned char follows; // its parent is the link before it
    unsigned char kept;    // a link asks for its motion later
} Link;

typedef struct Bodies { // of four links, with those of the children
    HolLanes A, Bx, By;
    HolLanes Nxx, Nyy, Nxy;
    HolLanes theta;
} Bodies;

typedef struct Seen { // what a parent sees of a link, with all that hangs on it
    double A, Bx, By, Nxx, Nyy, Nxy;
    double fx, fy, t; // of accelerations without series
} Seen;

typedef struct Motion { // of a parent, until its last child has passed
    double y[2], alpha;
} Motion;

typedef struct Arrays {
    long groups; // of four links
    int n_late;  // groups with children beyond the next one
    int *late;
    int *chain; // 1: a group of links that turn, each following the one before it (behind the last
                // link of all some without mass fill it up)
    Record *records; // by orders, then groups
    Coefficients *coefficients;
    Hinges *hinges;
    Shapes *shapes;
    Known *known;
    Link *links;
    Bodies *bodies;
    Ways *ways;  // of accelerations without series
    Sums *early; // of an even order, found with those of the order before
} Arrays;

static inline Arrays *planar_arrays_of(const HolTreeMemory *s) {
    return s->arrays;
}

enum { // numbers of a link in groups of records and of known parts, which are of one size
    P = 3 * HOL_LANES,
    Q = 4 * HOL_LANES,
    KC = 0,
    KS = HOL_LANES,
    FX = 2 * HOL_LANES,
    FY = 3 * HOL_LANES,
    T = 4 * HOL_LANES,
    GROUP = sizeof(Record) / sizeof(double),
    BX = 0, // in groups of hinges
    BY,
    EX,
    EY,
    BE,
    INVERSE,
    HINGE,
    DX = 0, // in groups of shapes
    DY,
    HX,
    HY,
    C,
    S,
    NXX,
    NYY,
    NXY,
    INERTIA,
    MASS,
    SHAPE = sizeof(Shapes) / sizeof(HolLanes),
    A = 0, // in groups of bodies
    B_X,
    B_Y,
    N_XX,
    N_YY,
    N_XY,
    THETA,
    BODY,
    WAY = sizeof(Ways) / sizeof(HolLanes)
};

_Static_assert(sizeof(Known) == sizeof(Record), "one place for both");

static inline int place_of(int i) {
    return i / HOL_LANES * GROUP + i % HOL_LANES;
}

// number k of link i in groups of n lanes
HOL_INLINE double *number(void *groups, int n, int i, int k) {
    return (double *)groups + (i / HOL_LANES * n + k) * HOL_LANES + i % HOL_LANES;
}

// of the parents in a chain: each link follows the one before it
HOL_INLINE HolLanes plane_above(HolLanes group_before, HolLanes group) {
    return __builtin_shufflevector(group_before, group, 3, 4, 5, 6);
}

// ---- tree_planar_series.c ----
// ---- tree_planar_acceleration.c ----
int hol_plane_accelerate(const HolModel *m, HolTreeMemory *s);
// ---- tree_planar_start.c ----
void hol_plane_sum_angles(const HolModel *m, const HolTreeMemory *s);
// to a parent that is not the link before (by value: what a chain hands on stays in registers)
void hol_plane_add_seen(const Arrays *a, int up, Seen seen);
size_t hol_plane_size(const HolModel *m, int order);
void hol_plane_memory(const HolModel *m, HolTreeMemory *s);
// angles, rates and factors; 0: a joint without inertia
int hol_plane_articulate(const HolModel *m, HolTreeMemory *s);
// ---- tree_planar_bodies.c ----
void hol_plane_reach(const HolModel *m, const HolTreeMemory *s, const HolBodyScales *scale,
                     const double *x, const double *y, int first, HolTreeReach *most);
void hol_plane_sides(const HolModel *m, HolTreeMemory *s, const double *x, const double *q);
void hol_plane_state(const HolModel *m, const HolTreeMemory *s, const HolTreeMotion *to);

#endif
