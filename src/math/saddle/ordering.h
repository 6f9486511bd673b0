// SPDX-License-Identifier: Apache-2.0
// Elimination orders for the saddle-point matrix [S G^T; G -E] and the symbolic factorization that
// belongs to them. Works on patterns only; done once, at creation.
#ifndef HOL_MATH_ORDER_H
#define HOL_MATH_ORDER_H

#include "base/arena.h"
#include "holonom/holonom.h" // HolPattern

// undirected graph without loops: the neighbours of v are idx[ptr[v] .. ptr[v+1])
typedef struct HolGraph {
    int n;
    int *ptr, *idx;
} HolGraph;

// graph of the n + m unknowns of the saddle-point matrix (pattern of K + K^T); 0 = no memory
int hol_graph_saddle(HolArena *arena, const HolPattern *S, const HolPattern *G, HolGraph *out);

// connected components of S: the unknown that stands for each of the n unknowns' component
void hol_components(const HolPattern *S, int *root);
// graph of the m rows of G: neighbours touch a common connected component of S (a common column
// when S is diagonal). 0 = no memory or too many edges
int hol_graph_rows(HolArena *arena, const HolPattern *S, const HolPattern *G, HolGraph *out);
// approximate minimum degree, perm[new] = old; 0 = no memory
int hol_minimum_degree(const HolGraph *g, int *perm);

typedef enum HolOrderKind {
    // every unknown of S before the multipliers that touch it: pivots are safe whenever S > 0 and G
    // has full rank; multipliers in minimum-degree order of G S^-1 G^T
    HOL_ORDER_SAFE,
    // each multiplier joined with one unknown it touches, minimum degree on the joined graph: less
    // fill when one body carries many joints or S couples bodies, but pivots depend on the position
    HOL_ORDER_JOINED,
    // unknowns that S couples to nothing first, all else in minimum-degree order: pivots are safe
    // where the rows of G are independent in those unknowns alone; refused (0) when they cannot be
    HOL_ORDER_LEAVES,
    // unknowns in the minimum-degree order of S + G^T G, each multiplier right behind the last
    // unknown that it touches: as safe as SAFE, and local where S couples long chains of bodies;
    // refused (0) with unknowns that have no entry in S, and when a row touches very many
    HOL_ORDER_BEHIND
} HolOrderKind;

// perm[new] = old, n + m entries; 0 = no memory, or the fill of this kind would be absurd
int hol_order_saddle(HolArena *scratch, const HolPattern *S, const HolPattern *G,
                     const HolGraph *graph, HolOrderKind kind, int *perm);

// The safe order in two halves and a few rows between them: half[i] is 0 or 1 for unknowns and
// multipliers that meet only their own half and the top, 2 for the top, which comes last. A long
// mechanism is cut in its middle. 0 = no memory, or there is no small cut
enum { HOL_TOP = 2 };
int hol_order_halves(HolArena *scratch, const HolPattern *S, const HolPattern *G, int *perm,
                     unsigned char *half);

// Pattern of L in the order perm, which is replaced by an equivalent one (postorder of the
// elimination tree: each column close to the ones it updates).
typedef struct HolSymbolic {
    int n;
    int *perm, *inverse; // new -> old, old -> new
    int *Lp, *Li;        // strictly lower part by columns, rows ascending; NULL when only counted
    long nnz;            // entries of L without the diagonal
    double updates;      // multiply-subtracts of a factorization
    int *count, *parent; // per column: entries below the diagonal, elimination tree (scratch)
} HolSymbolic;

// counts only (Lp, Li stay NULL); perm is replaced by its postorder. 0: no memory, or counted no further
// since there are certainly more updates than `most` (a bad order of a star would take quadratic time)
int hol_symbolic_count(HolArena *scratch, const HolGraph *graph, int *perm, double most,
                       HolSymbolic *out);
// An equivalent order that begins with the unknowns (old index below n): those flagged in `leaf`
// first, in the order of the rows they update, grouped by their count, so that long runs of columns
// look alike; tile by tile, so that all groups of a tile find their numbers in the cache. In each
// of these, one half after the other, then the top (half NULL: all is top). After
// hol_symbolic_count.
enum { HOL_TILE = 2048 }; // columns
int hol_symbolic_group(HolArena *scratch, int n, const unsigned char *leaf,
                       const unsigned char *half, HolSymbolic *out);
// fills Lp, Li and copies perm into `keep`; after hol_symbolic_count with the same out
int hol_symbolic_fill(HolArena *keep, HolArena *scratch, const HolGraph *graph, HolSymbolic *out);

#endif
