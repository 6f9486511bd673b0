// SPDX-License-Identifier: Apache-2.0
// A long mechanism cut in two (docs/theory/saddle-point.md, section 5): the rows of G in the order
// of their distance from one end (breadth first), cut where half of them are behind and the level
// between is narrow. Constrained minimum degree (CAMD) then orders both halves from their free ends
// towards the cut.
#include "math/saddle/ordering.h"

#include <suitesparse/camd.h>

// visits what is reachable from `from` and not marked with `stamp`; levels[i] begins at place i of
// `order`. Returns the number visited
static int breadth_first(const HolGraph *g, int from, int stamp, int *mark, int *order, int *levels,
                         int *n_levels) {
    int count = 1, level = 0, begin = 0;
    order[0] = from;
    mark[from] = stamp;
    while (begin < count) {
        int end = count;
        levels[level++] = begin;
        for (int i = begin; i < end; i++)
            for (int k = g->ptr[order[i]]; k < g->ptr[order[i] + 1]; k++)
                if (mark[g->idx[k]] != stamp) {
                    mark[g->idx[k]] = stamp;
                    order[count++] = g->idx[k];
                }
        begin = end;
    }
    levels[level] = count;
    *n_levels = level;
    return count;
}

// the level where a component that begins at place `behind` of m rows is to be cut: narrow, near
// the middle; -1: none. The cost is the longer half and the top, a dense matrix
static int find_cut(const int *levels, int n_levels, int behind, int m) {
    int best = -1;
    double least = 0;
    for (int l = 0; l < n_levels; l++) {
        int before = behind + levels[l], wide = levels[l + 1] - levels[l];
        int low = before, high = m - before - wide;
        double top = (double)wide * wide, cost = (low > high ? low : high) + top;
        if (low < 0.45 * m || high < 0.45 * m || top > m)
            continue;
        if (best < 0 || cost < least) {
            best = l;
            least = cost;
        }
    }
    return best;
}

// half of every row; 0: no small cut. order, mark (zeroed), levels: m + 1 each
static int cut_rows(const HolGraph *g, unsigned char *half, int *order, int *mark, int *levels) {
    int m = g->n, behind = 0, stamp = 0;
    for (int root = 0; root < m; root++) {
        if (mark[root])
            continue;
        int n_levels = 0, from = root, count = 0;
        for (int pass = 0; pass < 3; pass++) { // the last one visited is a far end
            count = breadth_first(g, from, ++stamp, mark, order, levels, &n_levels);
            from = order[count - 1];
        }
        int middle = behind < 0.45 * m && behind + count > 0.55 * m;
        int cut = middle ? find_cut(levels, n_levels, behind, m) : -1;
        if (middle && cut < 0)
            return 0;
        for (int i = 0; i < count; i++)
            if (middle)
                half[order[i]] = i < levels[cut] ? 0 : i < levels[cut + 1] ? HOL_TOP : 1;
            else
                half[order[i]] = behind >= 0.45 * m;
        behind += count;
    }
    return 1;
}

// the half that comes first in the model is half 0, as where loops over bodies are shared: a thread
// then finds what it left in its own cache
static void turn_halves(int m, unsigned char *half) {
    double sum[3] = {0}, count[3] = {0};
    for (int i = 0; i < m; i++) {
        sum[half[i]] += i;
        count[half[i]]++;
    }
    if (sum[0] * count[1] <= sum[1] * count[0])
        return;
    for (int i = 0; i < m; i++)
        if (half[i] != HOL_TOP)
            half[i] = !half[i];
}

// unknowns go with the rows that touch them, or what S couples them to; those without rows too
static int place_unknowns(HolArena *a, const HolPattern *S, const HolPattern *G,
                          unsigned char *half) {
    int n = S->cols, *parent = HOL_NEW(a, int, n + 1);
    unsigned char *of_root = HOL_NEW(a, unsigned char, n + 1);
    if (!parent || !of_root)
        return 0;
    hol_components(S, parent);
    for (int j = 0; j < n; j++)
        of_root[j] = HOL_TOP;
    for (int i = 0; i < G->rows; i++)
        for (int k = G->ptr[i]; k < G->ptr[i + 1]; k++)
            if (half[n + i] != HOL_TOP)
                of_root[parent[G->idx[k]]] = half[n + i];
    for (int j = 0; j < n; j++)
        half[j] = of_root[parent[j]];
    return 1;
}

int hol_order_halves(HolArena *a, const HolPattern *S, const HolPattern *G, int *perm,
                     unsigned char *half) {
    int n = S->cols, m = G->rows;
    HolGraph g;
    for (int j = 0; j < n; j++) {
        if (S->ptr[j] == S->ptr[j + 1]) // massless: not ordered by rows alone
            return 0;
        perm[j] = j;
    }
    int *order = HOL_NEW(a, int, m + 1), *mark = HOL_NEW(a, int, m + 1),
        *levels = HOL_NEW(a, int, m + 2), *set = HOL_NEW(a, int, m + 1);
    if (!order || !mark || !levels || !set || !hol_graph_rows(a, S, G, &g) ||
        !cut_rows(&g, half + n, order, mark, levels))
        return 0;
    turn_halves(m, half + n);
    if (!place_unknowns(a, S, G, half))
        return 0;
    for (int i = 0; i < m; i++)
        set[i] = half[n + i];
    double control[CAMD_CONTROL];
    camd_defaults(control);
    int status = camd_order(m, g.ptr, g.idx, perm + n, control, NULL, set);
    for (int i = 0; i < m; i++)
        perm[n + i] += n;
    return status == CAMD_OK || status == CAMD_OK_BUT_JUMBLED;
}
