// SPDX-License-Identifier: Apache-2.0
// Rows and bodies four at a time: the tables that batch.c builds and the passes over all bodies and
// joints walk. Vector types appear here and in tree/, never in row.h or model.h.
#ifndef HOL_MODEL_BATCH_H
#define HOL_MODEL_BATCH_H

#include "math/simd.h"
#include "model/model.h"

_Static_assert((int)HOL_LANES == (int)HOL_JET_GROUP, "series of bodies lie side by side in lanes");

// order j of the leading, of the rotation series of bodies 4 group .. 4 group + 3
static inline HolLanes *hol_jet_leading(const HolJets *J, int group, int j) {
    return (HolLanes *)J->leading + j * J->slab + (long)group * HOL_LEADING;
}

static inline HolLanes *hol_jet_turning(const HolJets *J, int group, int j) {
    return (HolLanes *)J->turning + j * J->slab + (long)group * (J->series - HOL_LEADING);
}

typedef struct HolBatchList HolBatchList;

// Series of equations of one kind, four side by side (batch_series.c): stage k (values into rhs,
// products with lambda), and what lambda_k adds once it is known.
typedef struct HolRowBatch {
    int rows;   // equations a lane stands for: 1, or 2 (3) along x, y (, z) between the same points
    int series; // series of a chunk
    // chunks first .. end-1 of a list
    void (*stage)(const HolModel *m, HolModelWork *w, const HolBatchList *list, int first, int end,
                  int k, double *rhs);
    void (*set)(HolModelWork *w, const HolBatchList *list, int first, int end, int k,
                const double *lambda);
    const struct HolRowBatch *whole; // optional: for the row with those along the other axes
} HolRowBatch;

enum { HOL_BATCHES = 5 }; // kinds at most

// Rows of one kind for batch_series.c, four joints side by side in a chunk; arrays by chunks, each
// read by the passes that need it. An empty lane has equation -1 and stands between ground and
// ground.
struct HolBatchList {
    const HolRowBatch *batch;
    int (*frame)[2][HOL_LANES];    // rotation series of a, b at order 0, in doubles
    int (*equation)[HOL_LANES];    // the first of the joint's rows
    int (*moment)[2][HOL_LANES];   // space: moments of a, b, in lanes
    int *shape;                    // its geometry, which chunks may share:
    HolLanes *s;                   // points (dot rows: axes) in the axes of a, b: 2 x 2 (3)
    HolLanes *direction;           // single point rows: the global direction, 2 (3)
    HolLanes (*arm)[2][HOL_LANES]; // space: s lane by lane
    int part[HOL_JET_PARTS + 2];   // first chunk of each part, of those between, and the end
    int count[HOL_JET_PARTS + 1];  // joints in each
    long own;                      // first series of chunk 0, in lanes
};

// Four bodies side by side, for body_series.c; arrays by groups.
typedef struct HolBodyLanes {
    int (*place)[HOL_LANES]; // velocity coordinates (linear, then rotation), -1: none: 3 (6)
    int (*start)[HOL_LANES]; // first position coordinate, -1: none
    unsigned char *turns;    // one of them is a rigid body
    unsigned char *diagonal; // all four inertias are
    HolLanes *weight;        // mass times gravity: 2 (3)
    HolLanes *inertia;       // space: xx yy zz xy xz yz
} HolBodyLanes;

#endif
