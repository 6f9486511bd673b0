// SPDX-License-Identifier: Apache-2.0
// Series of a tree of hinges (tree_spatial_series.c): what is kept of links, and arithmetic of
// vectors and matrices in four SIMD lanes. The last lane of a vector is zero unless a comment says
// otherwise; matrices are stored by columns.
#ifndef HOL_MODEL_TREE_ARRAYS_H
#define HOL_MODEL_TREE_ARRAYS_H

#include "model/tree/tree.h"

typedef struct TreeRecord { // order j of four links
    HolLanes c, s;          // order j + 1
    HolLanes rate;          // phi'_j
    HolLanes omega[3];      // omega_j
    HolLanes carried[4];    // C^T omega_p, order j+1, and C^T (y_p + ..), order j: x, y of both
    HolLanes load[4];       // F_j, T_j: x, y of both
} TreeRecord;

typedef struct TreeHinge { // the walk back; all but C^T both walks
    HolLanes Ct[3];        // columns of C^T
    HolLanes PT, PF;       // UT, UF as the parent sees them: C UT + arm x C UF, C UF
    int up, kind, driven;
    int slot, up_slot; // of TreeMotion
    int follows;       // 1: its parent is the link before it
} TreeHinge;

typedef struct TreeFrame { // the walk to the root
    HolLanes C[3];
    HolLanes UT; // column of the articulated inertia; last: 1
    HolLanes UF; // last: 1/U_z; 0: does not turn
} TreeFrame;

typedef struct TreeSymmetric {
    HolLanes diagonal, others; // xx yy zz, xy yz zx
} TreeSymmetric;

typedef struct TreeInertia { // as it is articulated
    TreeSymmetric A, N;      // what the parent sees, without the hinge: T by alpha and F by y
    HolLanes D[3];           // T by y; transposed F by alpha
} TreeInertia;

typedef struct TreeGroup { // the walk back: the same of four links side by side, by rows
    HolLanes Ct[9], D[9];
    HolLanes A[6], N[6]; // xx yy zz xy yz zx
    HolLanes UT[3], UF[3], inverse;
    HolLanes arm[3], mh[3], inertia[6]; // HolTreeKind
} TreeGroup;

typedef struct TreeLoad { // T and F that the link needs with its children, and the parent with its
                          // bias
    HolLanes T; // z: without bias and drive. Last: both; after the walk to the root u of phi''
    HolLanes F;
} TreeLoad;

typedef struct TreeKnown { // parts of order n that are known, of four links
    HolLanes forth[4];     // S C^T (..) of omega and y, x, y of both
    HolLanes back[4];      // S^T (..) of F and T, x, y of both
    HolLanes swung[3];     // C^T B_p delta
} TreeKnown;

typedef struct TreeSquares { // W of four links, order n
    HolLanes of[6];          // xx yy zz xy yz zx
} TreeSquares;

typedef struct TreeSums { // the same, from all but the newest coefficients
    HolLanes c, s;        // c_(n+1) and the known part of s_(n+1)
    HolLanes forth[4], back[4];
    TreeSquares W;
} TreeSums;

typedef struct TreeMotion { // of a parent, until its last child has passed
    HolLanes alpha, y;
} TreeMotion;

typedef struct TreeArrays { // by links, or by groups of four; records by orders, then groups
    long groups;            // of an order
    TreeRecord *records;
    TreeGroup *shapes;
    TreeHinge *hinges;
    TreeFrame *frames;
    TreeInertia *inertia;
    TreeLoad *loads;
    TreeKnown *known;
    TreeSquares *squares; // the link behind the last one is the ground
    int *chain;           // of groups: 1: each link follows the one before it
    TreeMotion *motion;   // by slots; the first one is ground
    TreeSums *sums;       // NULL: summed in passing
    int summed;           // groups whose sums of the next order are there
} TreeArrays;

static inline TreeArrays *spatial_arrays_of(const HolTreeMemory *s) {
    return s->arrays;
}

HOL_INLINE HolLanes load3(const double *a) {
    return (HolLanes){a[0], a[1], a[2], 0};
}

HOL_INLINE HolLanes next3(HolLanes a) { // y z x
    return __builtin_shufflevector(a, a, 1, 2, 0, 3);
}

HOL_INLINE HolLanes swapped(HolLanes a) { // in pairs
    return __builtin_shufflevector(a, a, 1, 0, 3, 2);
}

HOL_INLINE HolLanes cross(HolLanes a, HolLanes b) {
    return next3(a * next3(b) - b * next3(a));
}

HOL_INLINE HolLanes times(const HolLanes *columns, HolLanes a) {
    return columns[0] * a[0] + columns[1] * a[1] + columns[2] * a[2];
}

// x and y of the product with the transposed matrix, in two parts
HOL_INLINE HolLanes transposed_halves(const HolLanes *columns, HolLanes a) {
    const HolLanes x = columns[0] * a, y = columns[1] * a;
    return __builtin_shufflevector(x, y, 0, 4, 2, 6) + __builtin_shufflevector(x, y, 1, 5, 3, 7);
}

// all of it; last: as the one before
HOL_INLINE HolLanes transposed_times(const HolLanes *columns, HolLanes a) {
    const HolLanes xy = transposed_halves(columns, a);
    const HolLanes z = columns[2] * a, zz = z + swapped(z);
    return __builtin_shufflevector(xy, zz, 0, 1, 4, 5) +
           __builtin_shufflevector(xy, zz, 2, 3, 6, 7);
}

// rows become columns
HOL_INLINE void transpose3(const HolLanes *a, HolLanes *out) {
    const HolLanes x = a[0], y = a[1], z = a[2];
    const HolLanes first = __builtin_shufflevector(x, y, 0, 4, 1, 5),
                   last = __builtin_shufflevector(x, y, 2, 6, 3, 7);
    out[0] = __builtin_shufflevector(first, z, 0, 1, 4, 7);
    out[1] = __builtin_shufflevector(first, z, 2, 3, 5, 7);
    out[2] = __builtin_shufflevector(last, z, 0, 1, 6, 7);
}

HOL_INLINE void transpose4(const HolLanes a[4], HolLanes out[4]) {
    const HolLanes x = __builtin_shufflevector(a[0], a[1], 0, 4, 2, 6),
                   y = __builtin_shufflevector(a[0], a[1], 1, 5, 3, 7),
                   z = __builtin_shufflevector(a[2], a[3], 0, 4, 2, 6),
                   w = __builtin_shufflevector(a[2], a[3], 1, 5, 3, 7);
    out[0] = __builtin_shufflevector(x, z, 0, 1, 4, 5);
    out[1] = __builtin_shufflevector(y, w, 0, 1, 4, 5);
    out[2] = __builtin_shufflevector(x, z, 2, 3, 6, 7);
    out[3] = __builtin_shufflevector(y, w, 2, 3, 6, 7);
}

// displacement += rotation x arm, the same in four lanes
HOL_INLINE void add_way(const HolLanes *turn, HolLanes *way, HolLanes arm) {
    way[0] += turn[1] * arm[2] - turn[2] * arm[1];
    way[1] += turn[2] * arm[0] - turn[0] * arm[2];
    way[2] += turn[0] * arm[1] - turn[1] * arm[0];
}

// ---- four links side by side: vectors of three, matrices by rows ----

HOL_INLINE HolLanes group_dot(const HolLanes *a, const HolLanes *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// row k of a symmetric matrix xx yy zz xy yz zx times a
HOL_INLINE HolLanes group_symmetric(const HolLanes *s, const int k, const HolLanes *a) {
    return k == 0   ? s[0] * a[0] + s[3] * a[1] + s[5] * a[2]
           : k == 1 ? s[3] * a[0] + s[1] * a[1] + s[4] * a[2]
                    : s[5] * a[0] + s[4] * a[1] + s[2] * a[2];
}

// row k of B a = W a - (tr W) a
HOL_INLINE HolLanes group_swing(const HolLanes *w, const int k, const HolLanes *a) {
    return k == 0   ? w[3] * a[1] + w[5] * a[2] - (w[1] + w[2]) * a[0]
           : k == 1 ? w[3] * a[0] + w[4] * a[2] - (w[2] + w[0]) * a[1]
                    : w[5] * a[0] + w[4] * a[1] - (w[0] + w[1]) * a[2];
}

// row k of omega x I omega = sum over W
HOL_INLINE HolLanes group_gyroscopic(const HolLanes *w, const int k, const HolLanes *I) {
    return k == 0   ? (I[2] - I[1]) * w[4] + I[5] * w[3] - I[3] * w[5] + I[4] * (w[1] - w[2])
           : k == 1 ? (I[0] - I[2]) * w[5] + I[3] * w[4] - I[4] * w[3] + I[5] * (w[2] - w[0])
                    : (I[1] - I[0]) * w[3] + I[4] * w[5] - I[5] * w[4] + I[3] * (w[0] - w[1]);
}

// ---- tree_spatial_start.c ----
size_t hol_tree_orders_size(const HolModel *m, int order);
void hol_tree_orders_memory(const HolModel *m, HolTreeMemory *s);
// frames of the start, then the articulated inertia; 0: a joint without inertia
int hol_tree_articulate(const HolModel *m, const HolTreeMemory *s);

#endif
