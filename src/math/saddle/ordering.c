// SPDX-License-Identifier: Apache-2.0
// Elimination orders of [S G^T; G -E], see ordering.h.
//
// Safe order: the block (unknowns X, multipliers Y) eliminated so far is regular iff G_YX has full
// row rank. With every unknown of a row eliminated before the row this is the rank of G itself, in
// every position of the mechanism. Fill then lies in the graph of G S^-1 G^T only, where two rows
// are neighbours when they touch one connected component of S (one body); AMD orders that graph.
// Order behind: the same holds when only the unknowns that a row touches come before it.
// Joined order: a maximum matching pairs each multiplier with an unknown; AMD orders the pairs.
#include "math/saddle/ordering.h"

#include <string.h>
#include <suitesparse/amd.h>

// edges of the multiplier graph a row may have on average, beyond it the safe order is refused
enum { EDGE_LIMIT = 100 };

// neighbours with duplicates and loops removed, in place
static void graph_compact(HolGraph *g, int *mark) {
    for (int i = 0; i < g->n; i++)
        mark[i] = -1;
    int out = 0, begin = 0;
    for (int v = 0; v < g->n; v++) {
        int end = g->ptr[v + 1], first = out;
        for (int k = begin; k < end; k++) {
            int u = g->idx[k];
            if (u != v && mark[u] != v) {
                mark[u] = v;
                g->idx[out++] = u;
            }
        }
        begin = end;
        g->ptr[v] = first;
    }
    g->ptr[g->n] = out;
}

// graph from a list of edges (from[k], to[k]); both directions are stored
static int graph_from_edges(HolArena *a, int n, int edges, const int *from, const int *to,
                            HolGraph *g) {
    g->n = n;
    g->ptr = HOL_NEW(a, int, n + 2);
    g->idx = HOL_NEW(a, int, 2 * edges + 1);
    int *mark = HOL_NEW(a, int, n + 1);
    if (!g->ptr || !g->idx || !mark)
        return 0;
    // counts shifted by two, so that filling leaves ptr[v] at the start of v
    for (int k = 0; k < edges; k++) {
        g->ptr[from[k] + 1]++;
        g->ptr[to[k] + 1]++;
    }
    int sum = 0;
    for (int v = 0; v <= n; v++) {
        int count = g->ptr[v + 1];
        g->ptr[v + 1] = sum;
        sum += count;
    }
    for (int k = 0; k < edges; k++) {
        g->idx[g->ptr[from[k] + 1]++] = to[k];
        g->idx[g->ptr[to[k] + 1]++] = from[k];
    }
    g->ptr[0] = 0;
    graph_compact(g, mark);
    return 1;
}

int hol_graph_saddle(HolArena *arena, const HolPattern *S, const HolPattern *G, HolGraph *out) {
    int n = S->cols, m = G->rows, edges = 0;
    int *from = HOL_NEW(arena, int, S->nnz + G->nnz + 1);
    int *to = HOL_NEW(arena, int, S->nnz + G->nnz + 1);
    if (!from || !to)
        return 0;
    for (int j = 0; j < n; j++)
        for (int k = S->ptr[j]; k < S->ptr[j + 1]; k++)
            if (S->idx[k] != j) {
                from[edges] = S->idx[k];
                to[edges++] = j;
            }
    for (int i = 0; i < m; i++)
        for (int k = G->ptr[i]; k < G->ptr[i + 1]; k++) {
            from[edges] = n + i;
            to[edges++] = G->idx[k];
        }
    return graph_from_edges(arena, n + m, edges, from, to, out);
}

int hol_minimum_degree(const HolGraph *g, int *perm) {
    if (g->n == 0)
        return 1;
    double control[AMD_CONTROL];
    amd_defaults(control);
    int status = amd_order(g->n, g->ptr, g->idx, perm, control, NULL);
    return status == AMD_OK || status == AMD_OK_BUT_JUMBLED;
}

static int ordering_find_root(int *parent, int v) {
    while (parent[v] != v)
        v = parent[v] = parent[parent[v]];
    return v;
}

// order of the unknowns of S alone: as they come when S is (block) diagonal, else minimum degree
static int order_unknowns(HolArena *a, const HolPattern *S, int *perm) {
    int n = S->cols, edges = 0;
    for (int j = 0; j < n; j++)
        perm[j] = j;
    if (S->nnz <= 8 * n) // blocks up to about 6: nothing to gain
        return 1;
    int *from = HOL_NEW(a, int, S->nnz + 1), *to = HOL_NEW(a, int, S->nnz + 1);
    HolGraph g;
    if (!from || !to)
        return 0;
    for (int j = 0; j < n; j++)
        for (int k = S->ptr[j]; k < S->ptr[j + 1]; k++) {
            from[edges] = S->idx[k];
            to[edges++] = j;
        }
    return graph_from_edges(a, n, edges, from, to, &g) && hol_minimum_degree(&g, perm);
}

void hol_components(const HolPattern *S, int *root) {
    for (int j = 0; j < S->cols; j++)
        root[j] = j;
    for (int j = 0; j < S->cols; j++)
        for (int k = S->ptr[j]; k < S->ptr[j + 1]; k++)
            root[ordering_find_root(root, S->idx[k])] = ordering_find_root(root, j);
    for (int j = 0; j < S->cols; j++)
        root[j] = ordering_find_root(root, j);
}

// rows of G by component of S, each once: rows[ptr[c] .. ptr[c+1])
static void rows_by_component(const HolPattern *G, const int *root, int *last, int *ptr,
                              int *rows) {
    int n = G->cols, m = G->rows;
    for (int pass = 0; pass < 2; pass++) {
        for (int j = 0; j < n; j++)
            last[j] = -1;
        for (int i = 0; i < m; i++)
            for (int k = G->ptr[i]; k < G->ptr[i + 1]; k++) {
                int c = root[G->idx[k]];
                if (last[c] == i)
                    continue;
                last[c] = i;
                if (pass == 0)
                    ptr[c + 2]++; // becomes the start of c after the sums
                else
                    rows[ptr[c + 1]++] = i;
            }
        if (pass == 0)
            for (int c = 0; c < n; c++)
                ptr[c + 2] += ptr[c + 1];
    }
}

int hol_graph_rows(HolArena *a, const HolPattern *S, const HolPattern *G, HolGraph *out) {
    int n = S->cols;
    int *root = HOL_NEW(a, int, n + 1), *last = HOL_NEW(a, int, n + 1);
    int *ptr = HOL_NEW(a, int, n + 2), *rows = HOL_NEW(a, int, G->nnz + 1);
    if (!root || !last || !ptr || !rows)
        return 0;
    hol_components(S, root);
    rows_by_component(G, root, last, ptr, rows);
    double total = 0;
    for (int c = 0; c < n; c++)
        total += 0.5 * (double)(ptr[c + 1] - ptr[c]) * (ptr[c + 1] - ptr[c] - 1);
    if (total > 1e5 + EDGE_LIMIT * (double)G->rows)
        return 0;
    int edges = 0;
    int *from = HOL_NEW(a, int, total + 1), *to = HOL_NEW(a, int, total + 1);
    if (!from || !to)
        return 0;
    for (int c = 0; c < n; c++)
        for (int p = ptr[c]; p < ptr[c + 1]; p++)
            for (int r = p + 1; r < ptr[c + 1]; r++) {
                from[edges] = rows[p];
                to[edges++] = rows[r];
            }
    return graph_from_edges(a, G->rows, edges, from, to, out);
}

// An unknown without an entry in S has no pivot of its own: right behind the last multiplier that
// touches it, it gets one from those.
static int delay_massless(HolArena *a, const HolPattern *S, const HolPattern *G, int *perm) {
    int n = S->cols, m = G->rows, massless = 0, out = 0;
    for (int j = 0; j < n; j++)
        massless += S->ptr[j] == S->ptr[j + 1];
    if (!massless)
        return 1;
    int *last = HOL_NEW(a, int, n + 1), *order = HOL_NEW(a, int, n + m + 1),
        *first = HOL_NEW(a, int, m + 1), *next = HOL_NEW(a, int, n + 1);
    if (!last || !order || !first || !next)
        return 0;
    for (int k = 0; k < m; k++) // place in the order of the last row of each unknown, plus one
        for (int p = G->ptr[perm[n + k] - n]; p < G->ptr[perm[n + k] - n + 1]; p++)
            last[G->idx[p]] = k + 1;
    for (int j = n - 1; j >= 0; j--) // lists of the massless unknowns behind each row
        if (S->ptr[j] == S->ptr[j + 1]) {
            int k = last[j] ? last[j] - 1 : m - 1;
            if (m == 0)
                return 1;
            next[j] = first[k];
            first[k] = j + 1;
        }
    for (int k = 0; k < n; k++)
        if (S->ptr[perm[k]] != S->ptr[perm[k] + 1])
            order[out++] = perm[k];
    for (int k = 0; k < m; k++) {
        order[out++] = perm[n + k];
        for (int j = first[k]; j; j = next[j - 1])
            order[out++] = j - 1;
    }
    memcpy(perm, order, sizeof(int) * (size_t)(n + m));
    return 1;
}

static int order_safe(HolArena *a, const HolPattern *S, const HolPattern *G, int *perm) {
    int n = S->cols;
    HolGraph g;
    if (!order_unknowns(a, S, perm) || !hol_graph_rows(a, S, G, &g) ||
        !hol_minimum_degree(&g, perm + n))
        return 0;
    for (int i = 0; i < G->rows; i++)
        perm[n + i] += n;
    return delay_massless(a, S, G, perm);
}

// one augmenting path from row i, depth first without recursion; 1 when the matching grew
static int augment(const HolPattern *G, int i, int *row_of, int *col_of, int *seen, int *stack,
                   int *next, long *budget) {
    int depth = 0, stamp = i;
    stack[0] = i;
    next[0] = G->ptr[i];
    while (depth >= 0 && (*budget)-- > 0) {
        int r = stack[depth];
        if (next[depth] == G->ptr[r + 1]) {
            depth--;
            continue;
        }
        int c = G->idx[next[depth]++];
        if (seen[c] == stamp)
            continue;
        seen[c] = stamp;
        if (row_of[c] < 0) {
            // hand every column on the path to the row that found it
            for (; depth >= 0; depth--) {
                r = stack[depth];
                c = G->idx[next[depth] - 1];
                row_of[c] = r;
                col_of[r] = c;
            }
            return 1;
        }
        depth++;
        stack[depth] = row_of[c];
        next[depth] = G->ptr[row_of[c]];
    }
    return 0;
}

static int order_joined(HolArena *a, const HolPattern *G, const HolGraph *graph, int *perm) {
    int n = G->cols, m = G->rows, N = n + m;
    int *row_of = HOL_NEW(a, int, n + 1), *col_of = HOL_NEW(a, int, m + 1);
    int *seen = HOL_NEW(a, int, n + 1), *stack = HOL_NEW(a, int, m + 1);
    int *next = HOL_NEW(a, int, m + 1), *node = HOL_NEW(a, int, N + 1);
    int *from = HOL_NEW(a, int, graph->ptr[N] + 1), *to = HOL_NEW(a, int, graph->ptr[N] + 1);
    int *order = HOL_NEW(a, int, N + 1), *first = HOL_NEW(a, int, N + 1);
    if (!row_of || !col_of || !seen || !stack || !next || !node || !from || !to || !order || !first)
        return 0;
    for (int j = 0; j < n; j++)
        row_of[j] = seen[j] = -1;
    for (int i = 0; i < m; i++)
        col_of[i] = -1;
    // rows in excess search in vain; with many of them the rest stays unmatched
    long budget = 20000000;
    for (int i = 0; i < m; i++)
        augment(G, i, row_of, col_of, seen, stack, next, &budget);
    // nodes of the joined graph: unknowns (with their multiplier), then multipliers left alone
    int count = n, edges = 0;
    for (int j = 0; j < n; j++)
        first[node[j] = j] = j;
    for (int i = 0; i < m; i++) {
        node[n + i] = col_of[i] >= 0 ? col_of[i] : count++;
        if (col_of[i] < 0)
            first[node[n + i]] = n + i;
    }
    for (int v = 0; v < N; v++)
        for (int k = graph->ptr[v]; k < graph->ptr[v + 1]; k++)
            if (v < graph->idx[k]) {
                from[edges] = node[v];
                to[edges++] = node[graph->idx[k]];
            }
    HolGraph g;
    if (!graph_from_edges(a, count, edges, from, to, &g) || !hol_minimum_degree(&g, order))
        return 0;
    int out = 0;
    for (int k = 0; k < count; k++) {
        int v = first[order[k]];
        perm[out++] = v;
        if (v < n && row_of[v] >= 0)
            perm[out++] = n + row_of[v];
    }
    return 1;
}

// leaf[j]: S couples unknown j to nothing
static void ordering_find_leaves(const HolPattern *S, unsigned char *leaf) {
    for (int j = 0; j < S->cols; j++)
        leaf[j] = S->ptr[j + 1] > S->ptr[j];
    for (int j = 0; j < S->cols; j++)
        for (int k = S->ptr[j]; k < S->ptr[j + 1]; k++)
            if (S->idx[k] != j)
                leaf[j] = leaf[S->idx[k]] = 0;
}

// can every row have a leaf of its own?
static int leaves_suffice(HolArena *a, const HolPattern *G, const unsigned char *leaf) {
    int m = G->rows, nnz = 0;
    int *ptr = HOL_NEW(a, int, m + 1), *idx = HOL_NEW(a, int, G->nnz + 1);
    int *row_of = HOL_NEW(a, int, G->cols + 1), *col_of = HOL_NEW(a, int, m + 1);
    int *seen = HOL_NEW(a, int, G->cols + 1), *stack = HOL_NEW(a, int, m + 1);
    int *next = HOL_NEW(a, int, m + 1);
    if (!ptr || !idx || !row_of || !col_of || !seen || !stack || !next)
        return 0;
    for (int i = 0; i < m; i++) {
        for (int k = G->ptr[i]; k < G->ptr[i + 1]; k++)
            if (leaf[G->idx[k]])
                idx[nnz++] = G->idx[k];
        ptr[i + 1] = nnz;
    }
    const HolPattern only = {m, G->cols, nnz, ptr, idx};
    for (int j = 0; j < G->cols; j++)
        row_of[j] = seen[j] = -1;
    long budget = 1000000 + 100L * nnz;
    int matched = 0;
    while (matched < m && augment(&only, matched, row_of, col_of, seen, stack, next, &budget))
        matched++;
    return matched == m;
}

static int order_leaves(HolArena *a, const HolPattern *S, const HolPattern *G,
                        const HolGraph *graph, int *perm) {
    unsigned char *leaf = HOL_NEW(a, unsigned char, graph->n + 1);
    int *order = HOL_NEW(a, int, graph->n + 1), out = 0;
    if (!leaf || !order)
        return 0;
    ordering_find_leaves(S, leaf);
    if (!leaves_suffice(a, G, leaf) || !hol_minimum_degree(graph, order))
        return 0;
    for (int wanted = 1; wanted >= 0; wanted--)
        for (int k = 0; k < graph->n; k++)
            if (leaf[order[k]] == wanted)
                perm[out++] = order[k];
    return 1;
}

// edges of S + G^T G; -1: too many
static long behind_edges(const HolPattern *S, const HolPattern *G) {
    double total = S->nnz;
    for (int i = 0; i < G->rows; i++)
        total += 0.5 * (double)(G->ptr[i + 1] - G->ptr[i]) * (G->ptr[i + 1] - G->ptr[i]);
    for (int j = 0; j < S->cols; j++)
        if (S->ptr[j] == S->ptr[j + 1])
            return -1;
    return total > 1e5 + EDGE_LIMIT * (double)(S->cols + G->rows) ? -1 : (long)total;
}

static int order_behind(HolArena *a, const HolPattern *S, const HolPattern *G, int *perm) {
    const int n = S->cols, m = G->rows;
    const long most = behind_edges(S, G);
    int edges = 0, out = 0;
    HolGraph g;
    if (most < 0)
        return 0;
    int *from = HOL_NEW(a, int, most + 1), *to = HOL_NEW(a, int, most + 1);
    int *order = HOL_NEW(a, int, n + 1), *place = HOL_NEW(a, int, n + 1);
    int *first = HOL_NEW(a, int, n + 1), *next = HOL_NEW(a, int, m + 1);
    if (!from || !to || !order || !place || !first || !next)
        return 0;
    for (int j = 0; j < n; j++)
        for (int k = S->ptr[j]; k < S->ptr[j + 1]; k++, edges++) {
            from[edges] = S->idx[k];
            to[edges] = j;
        }
    for (int i = 0; i < m; i++)
        for (int k = G->ptr[i]; k < G->ptr[i + 1]; k++)
            for (int l = G->ptr[i]; l < k; l++, edges++) {
                from[edges] = G->idx[k];
                to[edges] = G->idx[l];
            }
    if (!graph_from_edges(a, n, edges, from, to, &g) || !hol_minimum_degree(&g, order))
        return 0;
    for (int k = 0; k < n; k++) {
        place[order[k]] = k;
        first[k] = -1;
    }
    for (int i = m - 1; i >= 0; i--) { // lists of the rows behind each place
        int last = n > 0 ? 0 : -1;
        for (int k = G->ptr[i]; k < G->ptr[i + 1]; k++)
            last = place[G->idx[k]] > last ? place[G->idx[k]] : last;
        if (last < 0)
            return 0;
        next[i] = first[last];
        first[last] = i;
    }
    for (int k = 0; k < n; k++) {
        perm[out++] = order[k];
        for (int i = first[k]; i >= 0; i = next[i])
            perm[out++] = n + i;
    }
    return 1;
}

int hol_order_saddle(HolArena *scratch, const HolPattern *S, const HolPattern *G,
                     const HolGraph *graph, HolOrderKind kind, int *perm) {
    return kind == HOL_ORDER_SAFE     ? order_safe(scratch, S, G, perm)
           : kind == HOL_ORDER_LEAVES ? order_leaves(scratch, S, G, graph, perm)
           : kind == HOL_ORDER_BEHIND ? order_behind(scratch, S, G, perm)
                                      : order_joined(scratch, G, graph, perm);
}
