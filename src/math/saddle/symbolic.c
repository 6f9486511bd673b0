// SPDX-License-Identifier: Apache-2.0
// Symbolic LDL^T: elimination tree, its postorder, counts and the pattern of L, see ordering.h.
//
// parent(j) = smallest row index of column j of L below the diagonal. Row i of L is the union of
// the tree paths from each neighbour k < i up to i, so L is found in time proportional to its
// entries.
#include "math/saddle/ordering.h"

// parent of every column in the order given by perm / inverse
static void elimination_tree(const HolGraph *g, const int *perm, const int *inverse, int *parent,
                             int *ancestor) {
    for (int i = 0; i < g->n; i++) {
        parent[i] = ancestor[i] = -1;
        for (int k = g->ptr[perm[i]]; k < g->ptr[perm[i] + 1]; k++) {
            int j = inverse[g->idx[k]];
            if (j >= i)
                continue;
            // climb to the root with path compression
            while (j >= 0 && j != i) {
                int up = ancestor[j];
                ancestor[j] = i;
                if (up < 0)
                    parent[j] = i;
                j = up;
            }
        }
    }
}

// order[k] = node visited k-th, children before parents
static void postorder(int n, const int *parent, int *head, int *next, int *stack, int *order) {
    for (int i = 0; i < n; i++)
        head[i] = -1;
    for (int i = n - 1; i >= 0; i--)
        if (parent[i] >= 0) {
            next[i] = head[parent[i]];
            head[parent[i]] = i;
        }
    int out = 0;
    for (int root = 0; root < n; root++) {
        if (parent[root] >= 0)
            continue;
        int depth = 0;
        stack[0] = root;
        while (depth >= 0) {
            int v = stack[depth], child = head[v];
            if (child >= 0) {
                head[v] = next[child];
                stack[++depth] = child;
            } else {
                order[out++] = v;
                depth--;
            }
        }
    }
}

static void symbolic_invert(int n, const int *perm, int *inverse) {
    for (int i = 0; i < n; i++)
        inverse[perm[i]] = i;
}

int hol_symbolic_count(HolArena *scratch, const HolGraph *g, int *perm, double most,
                       HolSymbolic *out) {
    int n = g->n;
    int *inverse = HOL_NEW(scratch, int, n + 1), *parent = HOL_NEW(scratch, int, n + 1);
    int *head = HOL_NEW(scratch, int, n + 1), *next = HOL_NEW(scratch, int, n + 1);
    int *stack = HOL_NEW(scratch, int, n + 1), *order = HOL_NEW(scratch, int, n + 1);
    int *count = HOL_NEW(scratch, int, n + 1);
    if (!inverse || !parent || !head || !next || !stack || !order || !count)
        return 0;
    symbolic_invert(n, perm, inverse);
    elimination_tree(g, perm, inverse, parent, stack);
    postorder(n, parent, head, next, stack, order);
    for (int i = 0; i < n; i++)
        order[i] = perm[order[i]];
    for (int i = 0; i < n; i++)
        perm[i] = order[i];
    symbolic_invert(n, perm, inverse);
    elimination_tree(g, perm, inverse, parent, stack);
    // column counts by walking the row subtrees
    int *mark = head;
    double walked = 0; // so many entries need walked^2 / 2 n updates and more
    for (int i = 0; i < n; i++)
        mark[i] = -1;
    for (int i = 0; i < n; i++) {
        if (walked * walked > 2.0 * n * most)
            return 0;
        mark[i] = i;
        for (int k = g->ptr[perm[i]]; k < g->ptr[perm[i] + 1]; k++)
            for (int j = inverse[g->idx[k]]; j < i && mark[j] != i; j = parent[j]) {
                mark[j] = i;
                count[j]++;
                walked++;
            }
    }
    *out =
        (HolSymbolic){.n = n, .perm = perm, .inverse = inverse, .count = count, .parent = parent};
    for (int j = 0; j < n; j++) {
        out->nnz += count[j];
        out->updates += 0.5 * (double)count[j] * (count[j] + 1.0);
    }
    return 1;
}

// columns of leaves in the order of the rows they update first; returns their number
static int leaves_by_row(const HolSymbolic *s, int n, const unsigned char *leaf, int *head,
                         int *next, int *list) {
    int count = 0;
    for (int i = 0; i <= s->n; i++)
        head[i] = -1;
    for (int i = s->n - 1; i >= 0; i--)
        if (s->perm[i] < n && leaf[s->perm[i]] == 1) {
            int row = s->parent[i] >= 0 ? s->parent[i] : s->n; // free bodies last
            next[i] = head[row];
            head[row] = i;
        }
    for (int row = 0; row <= s->n; row++)
        for (int i = head[row]; i >= 0; i = next[i])
            list[count++] = i;
    return count;
}

// counting sort of the leaves of one tile, list[first .. end-1], behind order[place]
static void sort_tile(const HolSymbolic *s, const int *list, int first, int end, int most,
                      int *start, int *order) {
    for (int c = 0; c < most + 2; c++)
        start[c] = 0;
    for (int l = first; l < end; l++)
        start[s->count[list[l]] + 1]++;
    for (int c = 0; c <= most; c++)
        start[c + 1] += start[c];
    for (int l = first; l < end; l++)
        order[start[s->count[list[l]]]++] = s->perm[list[l]];
}

// the members of one half keep their order; returns their number
static int pick_half(const HolSymbolic *s, const unsigned char *half, int wanted, const int *from,
                     int n, int *to) {
    int count = 0;
    for (int i = 0; i < n; i++)
        if ((half ? half[s->perm[from[i]]] : HOL_TOP) == wanted)
            to[count++] = from[i];
    return count;
}

int hol_symbolic_group(HolArena *scratch, int n, const unsigned char *leaf,
                       const unsigned char *half, HolSymbolic *out) {
    int N = out->n, most = 0, place = 0;
    int *order = HOL_NEW(scratch, int, N + 1), *list = HOL_NEW(scratch, int, N + 1);
    int *head = HOL_NEW(scratch, int, N + 2), *next = HOL_NEW(scratch, int, N + 1);
    for (int i = 0; i < N; i++)
        most = out->count[i] > most ? out->count[i] : most;
    int *start = HOL_NEW(scratch, int, most + 2);
    if (!order || !list || !head || !next || !start)
        return 0;
    int leaves = leaves_by_row(out, n, leaf, head, next, list), *chosen = next;
    for (int h = 0; h <= HOL_TOP; h++) {
        int count = pick_half(out, half, h, list, leaves, chosen);
        for (int first = 0; first < count; first += HOL_TILE) {
            int end = first + HOL_TILE < count ? first + HOL_TILE : count;
            sort_tile(out, chosen, first, end, most, start, order + place);
            place += end - first;
        }
    }
    // the rest behind them as it was: unknowns, then multipliers
    for (int late = 0; late < 2; late++) { // massless unknowns (2) stay among the multipliers
        int rest = 0;
        for (int i = 0; i < N; i++) {
            int v = out->perm[i], class = v >= n ? 2 : leaf[v];
            if (class != 1 && (class == 2) == late)
                list[rest++] = i;
        }
        for (int h = 0; h <= HOL_TOP; h++) {
            int count = pick_half(out, half, h, list, rest, chosen);
            for (int i = 0; i < count; i++)
                order[place++] = out->perm[chosen[i]];
        }
    }
    for (int i = 0; i < N; i++)
        out->perm[i] = order[i];
    return 1;
}

int hol_symbolic_fill(HolArena *keep, HolArena *scratch, const HolGraph *g, HolSymbolic *out) {
    int n = out->n;
    int *perm = HOL_NEW(keep, int, n + 1), *inverse = HOL_NEW(keep, int, n + 1);
    int *Lp = HOL_NEW(keep, int, n + 2), *Li = HOL_NEW(keep, int, out->nnz + 1);
    int *parent = HOL_NEW(scratch, int, n + 1), *mark = HOL_NEW(scratch, int, n + 1);
    if (!perm || !inverse || !Lp || !Li || !parent || !mark)
        return 0;
    for (int i = 0; i < n; i++)
        perm[i] = out->perm[i];
    symbolic_invert(n, perm, inverse);
    elimination_tree(g, perm, inverse, parent, mark);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < n; i++)
            mark[i] = -1;
        for (int i = 0; i < n; i++) {
            mark[i] = i;
            for (int k = g->ptr[perm[i]]; k < g->ptr[perm[i] + 1]; k++)
                for (int j = inverse[g->idx[k]]; j < i && mark[j] != i; j = parent[j]) {
                    mark[j] = i;
                    if (pass == 0)
                        Lp[j + 2]++; // becomes the start of column j after the sums
                    else
                        Li[Lp[j + 1]++] = i;
                }
        }
        if (pass == 0)
            for (int j = 0; j < n; j++)
                Lp[j + 2] += Lp[j + 1];
    }
    out->perm = perm;
    out->inverse = inverse;
    out->Lp = Lp;
    out->Li = Li;
    return 1;
}
