// SPDX-License-Identifier: Apache-2.0
// What the saddle-point front (kkt.c) and its factorizations (kkt_dense.c, kkt_klu.c, kkt_ldl.c)
// share. A backend factors K with -eps I in the multiplier block; kkt.c decides when eps > 0 and
// refines.
#ifndef HOL_MATH_KKT_BACKEND_H
#define HOL_MATH_KKT_BACKEND_H

#include "base/state/keeper.h"
#include "math/saddle/kkt.h"

// a pivot smaller than this part of the magnitudes that formed it counts as zero
#define HOL_KKT_PIVOT 1e-11

typedef struct HolKktBackend {
    const char *name;
    // analyze the pattern; NULL: no memory, or this backend does not suit the pattern
    void *(*create)(HolKkt *k);
    // 0 = ok, otherwise 1 + index of the failing pivot; with eps > 0 small pivots are accepted
    int (*factor)(HolKkt *k, void *backend, double eps);
    void (*solve)(HolKkt *k, void *backend, const double *b, double *x); // b may be x
    void (*destroy)(void *backend);                                      // may be NULL
    // the numbers of the present factorization
    void (*keep)(HolKkt *k, void *backend, HolKeeper *w);
} HolKktBackend;

struct HolKkt {
    HolArena *arena;
    int n, m, nw, N; // N = n + m + nw
    int symmetric;
    HolPattern S, G;         // of the plan
    struct HolKktPlan *plan; // kkt_plan.h
    HolKktPlans *plans;      // that it belongs to; NULL: it is the system's own
    double *Sv, *Gv, *Gtv;   // values; Gtv stays NULL while Gt = G
    double *A, *L, *W, *F;   // border, NULL when nw = 0
    unsigned char *inactive; // m flags of the present factorization
    unsigned char *wanted;   // of the next one
    int flags_changed;
    int any_inactive, redundant;
    double regularize;                 // eps relative to the size of diag(G S^-1 Gt^T)
    double eps;                        // regularization in the present factorization
    double *S_kept, *G_kept, *Gt_kept; // values of the present factorization when eps > 0
    double *b, *r, *mu;    // N each: right-hand side, residual, multipliers of the null space
    double *scale;         // N: symmetric scaling of the LU backends
    const int *S_diagonal; // position of each diagonal entry in S.idx, -1 when absent
    const HolKktBackend *backend;
    void *factors;
    const HolKktBackend *spare; // takes over for one factorization when `backend` gives up, or NULL
    void *spare_factors;
    const HolKktBackend *active; // the one that holds the present factorization
    void *active_factors;
    const double *reach, *near; // sizes of the unknowns and their reciprocals, see hol_kkt_reach
    double *row_unit;           // m: what a row changes by when its unknowns change by their sizes
    const HolPattern *mass;     // hol_kkt_mass; NULL: not told
    struct HolTree *tree;       // an open tree of bodies is solved body by body; NULL: it is none
    int given_up;               // times in a row
    // largest unknown without constraints, S^-1 r1, and largest unknown of the last solve, over
    // their sizes: where the first is much larger, digits are lost
    double free_size, x_size;
    HolThreadPool *pool; // threads for large systems; NULL: none
    HolKktStats stats;
};

extern const HolKktBackend hol_kkt_dense, hol_kkt_klu, hol_kkt_lu, hol_kkt_ldl, hol_kkt_tree;

// Gt values in use
static inline const double *hol_kkt_upper(const HolKkt *k) {
    return k->Gtv ? k->Gtv : k->Gv;
}

// s_j, the size of column j of S, for all unknowns into k->scale (empty columns take the largest)
void hol_kkt_column_sizes(HolKkt *k);
// c_i = sum_j |G_ij Gt_ij| / s_j, the diagonal of G S^-1 Gt^T as far as S is diagonal
double hol_kkt_row_size(const HolKkt *k, int i, const double *s);

// Symmetric scaling D K D of the pivoting backends: powers of two near 1/sqrt(|S_jj|) and
// 1/sqrt((G S^-1 Gt^T)_ii), so that a pivot of a regular matrix is of order one
void hol_kkt_scaling(HolKkt *k);

// to = D from, and the largest |D^2 from| among the unknowns, which stands for S^-1 r1
void hol_kkt_scale(const HolKkt *k, const double *from, double *to, double *free_size);
// to = D from, and the largest unknown
void hol_kkt_unscale(const HolKkt *k, const double *from, double *to, double *x_size);

// Positions of all entries of K in a value array; the LU backends fill through it.
typedef struct HolKktMap {
    int *S, *G, *Gt; // by entry of the patterns
    int *E;          // m: diagonal of the multiplier block
    int *border;     // A, L, W, F in the order of the value arrays
} HolKktMap;

int hol_kkt_map_alloc(const HolKkt *k, HolArena *a, HolKktMap *map); // 0 = no memory
// value[map] = scaled K with -eps in the multiplier block; entries not in the map are left alone
void hol_kkt_map_fill(HolKkt *k, const HolKktMap *map, double eps, double *value);

#endif
