// SPDX-License-Identifier: Apache-2.0
// Series of a tree of hinges (tree_orders.c): what is kept of links, and arithmetic of vectors and
// matrices in four lanes. Vectors have the last lane zero or told; matrices stand by columns.
#ifndef HOL_MODEL_TREE_ARRAYS_H
#define HOL_MODEL_TREE_ARRAYS_H

#include "model/tree.h"

typedef struct TreeRecord { // order j of a link
    HolLanes turn;          // c_(j+1), s_(j+1), phi'_j
    HolLanes omega;         // omega_j
    HolLanes carried;       // C^T omega_p, order j+1, and C^T (y_p + ..), order j: x, y of both
    HolLanes load;          // F_j, T_j: x, y of both
} TreeRecord;

typedef struct TreeHinge { // both walks
    HolLanes UT;           // column of the articulated inertia; last: 1
    HolLanes UF;           // last: 1/U_z; 0: does not turn
    HolLanes PT, PF;       // both as the parent sees them: C UT + arm x C UF, C UF
    int up, kind, driven;
    int slot, up_slot; // of TreeMotion
} TreeHinge;

typedef struct TreeFrame { // the walk to the root
    HolLanes C[3];
} TreeFrame;

typedef struct TreeSymmetric {
    HolLanes diagonal, others; // xx yy zz, xy yz zx
} TreeSymmetric;

typedef struct TreeInertia { // the walk back
    HolLanes Ct[3];          // columns of C^T
    TreeSymmetric A, N;      // what the parent sees, without the hinge: T by alpha and F by y
    HolLanes D[3];           // T by y; transposed F by alpha
} TreeInertia;

typedef struct TreeLoad { // T and F that the link needs with its children, and the parent with its
                          // bias
    HolLanes T; // z: without bias and drive. Last: both; after the walk to the root u of phi''
    HolLanes F;
} TreeLoad;

typedef struct TreeKnown { // parts of order n that are known
    HolLanes forth;        // S C^T (..) of omega and y, x, y of both
    HolLanes back;         // S^T (..) of F and T, x, y of both
    HolLanes swung;        // C^T B_p delta
} TreeKnown;

typedef struct TreeSums { // the same and W, from all but the newest coefficients
    HolLanes forth, back;
    HolLanes squares, others; // W: xx yy zz, xy yz zx; last: c_(n+1) and the known part of s_(n+1)
} TreeSums;

typedef struct TreeMotion { // of a parent, until its last child has passed
    HolLanes alpha, y;
    HolLanes squares, others;
} TreeMotion;

typedef struct TreeArrays { // by links; records by orders, then links
    long stride;            // of an order
    TreeRecord *records;
    TreeHinge *hinges;
    TreeFrame *frames;
    TreeInertia *inertia;
    TreeLoad *loads;
    TreeKnown *known;
    TreeMotion *motion; // by slots; the first one is ground
    TreeSums *sums;     // NULL: summed in passing
    int summed;         // links whose sums of the next order are there
} TreeArrays;

static inline TreeArrays *arrays_of(const HolTreeMemory *s) {
    return s->arrays;
}

HOL_INLINE HolLanes load3(const double *a) {
    return (HolLanes){a[0], a[1], a[2], 0};
}

typedef long Places __attribute__((vector_size(32)));

HOL_INLINE HolLanes next3(HolLanes a) { // y z x
    return __builtin_shuffle(a, (Places){1, 2, 0, 3});
}

HOL_INLINE HolLanes last3(HolLanes a) { // z x y
    return __builtin_shuffle(a, (Places){2, 0, 1, 3});
}

HOL_INLINE HolLanes swapped(HolLanes a) { // in pairs
    return __builtin_shuffle(a, (Places){1, 0, 3, 2});
}

HOL_INLINE HolLanes low(HolLanes a) { // the first two
    return __builtin_shuffle(a, (HolLanes){0, 0, 0, 0}, (Places){0, 1, 4, 5});
}

HOL_INLINE HolLanes high(HolLanes a) { // the last two in their place
    return __builtin_shuffle(a, (HolLanes){0, 0, 0, 0}, (Places){2, 3, 4, 5});
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
    return __builtin_shuffle(x, y, (Places){0, 4, 2, 6}) +
           __builtin_shuffle(x, y, (Places){1, 5, 3, 7});
}

// all of it; last: as the one before
HOL_INLINE HolLanes transposed_times(const HolLanes *columns, HolLanes a) {
    const HolLanes xy = transposed_halves(columns, a);
    const HolLanes z = columns[2] * a, zz = z + swapped(z);
    return __builtin_shuffle(xy, zz, (Places){0, 1, 4, 5}) +
           __builtin_shuffle(xy, zz, (Places){2, 3, 6, 7});
}

HOL_INLINE HolLanes symmetric_times(const TreeSymmetric *s, HolLanes a) {
    return s->diagonal * a + s->others * next3(a) + last3(s->others) * last3(a);
}

// a by c and s: those of S C^T (..) with the sum over c and that over s
HOL_INLINE HolLanes turned(HolLanes by_s) {
    return (HolLanes){1, -1, 1, -1} * swapped(by_s);
}

// B a = W a - (tr W) a
HOL_INLINE HolLanes swing(HolLanes squares, HolLanes others, HolLanes a) {
    return others * next3(a) + last3(others) * last3(a) - (next3(squares) + last3(squares)) * a;
}

// omega x I omega = sum over W: I as xx yy zz and xy yz zx
HOL_INLINE HolLanes gyroscopic(HolLanes squares, HolLanes others, const HolLanes *I) {
    const HolLanes yz = next3(others), zx = last3(others);
    const HolLanes Iyz = next3(I[1]), Izx = last3(I[1]);
    return (last3(I[0]) - next3(I[0])) * yz + Izx * others - I[1] * zx +
           Iyz * (next3(squares) - last3(squares));
}

// ---- tree_start.c ----
size_t hol_tree_orders_size(const HolModel *m, int order);
void hol_tree_orders_memory(const HolModel *m, HolTreeMemory *s);
// frames of the start, then the articulated inertia; 0: a joint without inertia
int hol_tree_articulate(const HolModel *m, const HolTreeMemory *s, const double *rate);

#endif
