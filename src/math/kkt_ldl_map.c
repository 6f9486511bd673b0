// SPDX-License-Identifier: Apache-2.0
// Analysis of the static LDL^T: order, pattern of L, and the positions all numbers come from and go
// to. Done once, so that a factorization never searches.
#include "math/kkt_ldl.h"
#include "math/order.h"

// LU in an order with less fill is faster when the safe order needs so many times its updates
static const double FILL_LIMIT = 6;

// pattern of L in the safe order, leaves first; 0: no memory, or one body carries so many joints
// that its elimination fills the matrix
static int find_pattern(HolKkt *k, HolArena *scratch, const unsigned char *leaf, HolSymbolic *s) {
    HolGraph graph;
    HolSymbolic joined;
    int *perm = HOL_NEW(scratch, int, k->N + 1), *other = HOL_NEW(scratch, int, k->N + 1);
    return perm && other && hol_graph_saddle(scratch, &k->S, &k->G, &graph) &&
           hol_order_saddle(scratch, &k->S, &k->G, &graph, HOL_ORDER_SAFE, perm) &&
           hol_symbolic_count(scratch, &graph, perm, s) &&
           hol_order_saddle(scratch, &k->S, &k->G, &graph, HOL_ORDER_JOINED, other) &&
           hol_symbolic_count(scratch, &graph, other, &joined) &&
           s->updates <= 1000 + FILL_LIMIT * joined.updates &&
           hol_symbolic_group(scratch, k->n, leaf, s) &&
           hol_symbolic_fill(k->arena, scratch, &graph, s);
}

// leaves: unknowns coupled to nothing but multipliers. S may be given by one triangle, so entries
// count for their row and their column
static int find_leaves(const HolKkt *k, unsigned char *leaf) {
    int count = 0;
    for (int j = 0; j < k->n; j++)
        leaf[j] = k->S.ptr[j] == k->S.ptr[j + 1] ? 2 : k->S_diagonal[j] >= 0; // 2: massless
    for (int j = 0; j < k->n; j++)
        for (int p = k->S.ptr[j]; p < k->S.ptr[j + 1]; p++)
            if (k->S.idx[p] != j)
                leaf[j] = leaf[k->S.idx[p]] = 0;
    for (int j = 0; j < k->n; j++)
        count += leaf[j] == 1;
    return count;
}

// position of (row, column) in the pattern of L, in any order of the two
static int find_entry(const HolLdl *f, int row, int column) {
    if (row < column) {
        int swap = row;
        row = column;
        column = swap;
    }
    int low = f->Lp[column], high = f->Lp[column + 1] - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (f->Li[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int alloc_numbers(HolKkt *k, HolLdl *f) {
    HolArena *a = k->arena;
    int N = f->N;
    f->Lx = HOL_NEW(a, double, f->nnz + 1);
    f->D = HOL_NEW(a, double, N + 1);
    f->size = HOL_NEW(a, double, N + 1);
    f->inverse = HOL_NEW(a, double, N + 1);
    f->sign = HOL_NEW(a, double, N + 1);
    f->y = HOL_NEW(a, double, N + 1);
    f->G = HOL_NEW(a, double, k->G.nnz + 1);
    f->S_diagonal = HOL_NEW(a, int, N + 1);
    f->source = HOL_NEW(a, int, f->Lp[f->leaves] + 1);
    f->S_from = HOL_NEW(a, int, k->S.nnz + 1);
    f->S_to = HOL_NEW(a, int, k->S.nnz + 1);
    f->G_from = HOL_NEW(a, int, k->G.nnz + 1);
    f->G_to = HOL_NEW(a, int, k->G.nnz + 1);
    f->run = HOL_NEW(a, int, f->nnz + 1);
    f->group = HOL_NEW(a, HolLdlGroup, f->leaves + 1);
    f->row_group = HOL_NEW(a, HolLdlGroup, k->m + 1);
    f->row = HOL_NEW(a, int, k->m + 1);
    f->row_column = HOL_NEW(a, int, f->Lp[f->leaves] + 1);
    f->row_source = HOL_NEW(a, int, f->Lp[f->leaves] + 1);
    f->row_value = HOL_NEW(a, double, f->Lp[f->leaves] + 1);
    return !a->failed;
}

static void map_values(const HolKkt *k, HolLdl *f) {
    for (int i = 0; i < f->N; i++) {
        f->S_diagonal[i] = f->perm[i] < k->n ? k->S_diagonal[f->perm[i]] : -1;
        f->sign[i] = f->perm[i] < k->n ? 1 : -1;
    }
    // where the multipliers begin
    while (f->unknowns < f->N && f->sign[f->unknowns] > 0)
        f->unknowns++;
    for (int upper = 0; upper < 2; upper++) {
        for (int j = 0; j < k->n; j++)
            for (int p = k->S.ptr[j]; p < k->S.ptr[j + 1]; p++) {
                int row = f->at[k->S.idx[p]], column = f->at[j];
                if (row == column || (row < column) != upper)
                    continue;
                f->S_from[f->S_count] = p;
                f->S_to[f->S_count++] = find_entry(f, row, column);
            }
        if (!upper)
            f->S_lower = f->S_count;
    }
    for (int i = 0; i < k->m; i++)
        for (int p = k->G.ptr[i]; p < k->G.ptr[i + 1]; p++) {
            int column = f->at[k->G.idx[p]], to = find_entry(f, f->at[k->n + i], column);
            if (column < f->leaves) {
                f->source[to] = p;
            } else {
                f->G_from[f->G_count] = p;
                f->G_to[f->G_count++] = to;
            }
        }
}

// groups of leaf columns with equal counts; the entries by rows, rows grouped likewise
static int map_leaves(const HolKkt *k, HolLdl *f, HolArena *scratch) {
    for (int j = 0; j < f->leaves; j++) {
        int count = f->Lp[j + 1] - f->Lp[j];
        if (!f->groups || f->group[f->groups - 1].count != count)
            f->group[f->groups++] = (HolLdlGroup){j, j, count};
        f->group[f->groups - 1].end = j + 1;
    }
    int most = 0, entries = 0;
    int *count = HOL_NEW(scratch, int, k->m + 1);
    if (!count)
        return 0;
    for (int i = 0; i < k->m; i++) {
        for (int p = k->G.ptr[i]; p < k->G.ptr[i + 1]; p++)
            count[i] += f->at[k->G.idx[p]] < f->leaves;
        most = count[i] > most ? count[i] : most;
    }
    for (int c = 1; c <= most; c++) {
        HolLdlGroup group = {f->rows, f->rows, c};
        // in the order of elimination: neighbours in memory
        for (int at = f->leaves; at < f->N; at++) {
            int i = f->perm[at] - k->n;
            if (i < 0 || count[i] != c)
                continue;
            f->row[f->rows++] = at;
            for (int p = k->G.ptr[i]; p < k->G.ptr[i + 1]; p++)
                if (f->at[k->G.idx[p]] < f->leaves) {
                    f->row_column[entries] = f->at[k->G.idx[p]];
                    f->row_source[entries++] = p;
                }
        }
        group.end = f->rows;
        if (group.end > group.first)
            f->row_group[f->row_groups++] = group;
    }
    return 1;
}

// places in `list` for the leaf columns; returns their number
static int place_leaf_targets(HolLdl *f) {
    int listed = 0;
    for (int j = 0; j < f->leaves; j++)
        for (int p = f->Lp[j]; p < f->Lp[j + 1]; p++) {
            f->run[p] = -1 - listed;
            listed += f->Lp[j + 1] - p - 1;
        }
    return listed;
}

// targets of every (column j, row a): pass 0 finds runs and counts the rest, pass 1 lists it
static int map_targets(HolLdl *f, HolArena *scratch, int pass, int listed) {
    int N = f->N;
    int *where = HOL_NEW(scratch, int, N + 1); // position of a row in the target column
    int *row_ptr = HOL_NEW(scratch, int, N + 2), *row_entry = HOL_NEW(scratch, int, f->nnz + 1);
    int *end = HOL_NEW(scratch, int, f->nnz + 1);
    if (!where || !row_ptr || !row_entry || !end)
        return -1;
    // entries of L by rows
    for (int p = 0; p < f->nnz; p++)
        row_ptr[f->Li[p] + 2]++;
    for (int i = 0; i < N; i++)
        row_ptr[i + 2] += row_ptr[i + 1];
    for (int j = 0; j < N; j++)
        for (int p = f->Lp[j]; p < f->Lp[j + 1]; p++) {
            row_entry[row_ptr[f->Li[p] + 1]++] = p;
            end[p] = f->Lp[j + 1];
        }
    int leaf_end = f->Lp[f->leaves];
    for (int c = f->leaves; c < N; c++) {
        for (int p = f->Lp[c]; p < f->Lp[c + 1]; p++)
            where[f->Li[p]] = p;
        for (int e = row_ptr[c]; e < row_ptr[c + 1]; e++) {
            int p = row_entry[e], count = end[p] - p - 1;
            if (count == 0)
                continue;
            int first = where[f->Li[p + 1]];
            if (pass == 0 && p >= leaf_end) {
                int contiguous = where[f->Li[end[p] - 1]] - first == count - 1;
                f->run[p] = contiguous ? first : -1 - listed;
                listed += contiguous ? 0 : count;
            } else if (pass == 1 && f->run[p] < 0) {
                for (int b = 0; b < count; b++)
                    f->list[-1 - f->run[p] + b] = where[f->Li[p + 1 + b]];
            }
        }
    }
    return listed;
}

static int build(HolKkt *k, HolLdl *f, HolArena *scratch, int lu) {
    HolSymbolic s;
    unsigned char *leaf = HOL_NEW(scratch, unsigned char, k->n + 1);
    if (!leaf)
        return 0;
    f->leaves = lu ? 0 : find_leaves(k, leaf);
    if (!find_pattern(k, scratch, leaf, &s))
        return 0;
    f->N = k->N;
    f->nnz = s.nnz;
    f->perm = s.perm;
    f->at = s.inverse;
    f->Lp = s.Lp;
    f->Li = s.Li;
    if (!alloc_numbers(k, f))
        return 0;
    if (lu && !(f->Ux = HOL_NEW(k->arena, double, f->nnz + 1)))
        return 0;
    map_values(k, f);
    if (!map_leaves(k, f, scratch))
        return 0;
    int leaf_listed = place_leaf_targets(f), listed = map_targets(f, scratch, 0, leaf_listed);
    if (listed < 0 || !(f->list = HOL_NEW(k->arena, int, listed + 1)))
        return 0;
    return map_targets(f, scratch, 1, 0) >= 0;
}

HolLdl *hol_ldl_analyze(HolKkt *k, int lu) {
    HolLdl *f = HOL_NEW(k->arena, HolLdl, 1);
    HolArena scratch = {0};
    int ok = f && build(k, f, &scratch, lu);
    hol_arena_free(&scratch);
    return ok ? f : NULL;
}
