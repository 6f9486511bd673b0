// SPDX-License-Identifier: Apache-2.0
// Analysis of the static factorizations: order, blocks of L, and the positions all numbers come
// from and go to. Done once, so that a factorization never searches.
#include "math/saddle/ordering.h"
#include "math/saddle/plan/kkt_plan.h"

#include <errno.h>
#include <limits.h>
#include <math.h>

// LU in an order with less fill is faster when the safe order needs so many times its updates
static const double FILL_LIMIT = 6;

// unknowns and multipliers from which on a mechanism is cut in two
enum { HALVES_FROM = 3000 };

// part of a block's entries that may be zeros, so that columns of nearly the same rows join
static const double PADDING = 0.22;

// pattern of L in the safe order, leaves first; 0: no memory, or one body carries so many joints
// that its elimination fills the matrix
static int kkt_block_analysis_find_pattern(HolKkt *k, HolArena *scratch, const unsigned char *leaf,
                                           unsigned char **half, HolSymbolic *s) {
    HolGraph graph;
    HolSymbolic joined;
    int *perm = HOL_NEW(scratch, int, k->N + 1), *other = HOL_NEW(scratch, int, k->N + 1);
    *half = HOL_NEW(scratch, unsigned char, k->N + 1);
    if (!perm || !other || !*half || !hol_graph_saddle(scratch, &k->S, &k->G, &graph))
        return 0;
    if (k->N < HALVES_FROM || !hol_order_halves(scratch, &k->S, &k->G, perm, *half))
        *half = NULL;
    return (*half || hol_order_saddle(scratch, &k->S, &k->G, &graph, HOL_ORDER_SAFE, perm)) &&
           hol_symbolic_count(scratch, &graph, perm, INFINITY, s) &&
           hol_order_saddle(scratch, &k->S, &k->G, &graph, HOL_ORDER_JOINED, other) &&
           hol_symbolic_count(scratch, &graph, other, INFINITY, &joined) &&
           s->updates <= 1000 + FILL_LIMIT * joined.updates && s->nnz < INT_MAX / 4 &&
           hol_symbolic_group(scratch, k->n, leaf, *half, s) &&
           hol_symbolic_fill(k->plan->arena, scratch, &graph, s);
}

// leaves: unknowns coupled to nothing but multipliers. S may be given by one triangle, so entries
// count for their row and their column
static int kkt_block_analysis_find_leaves(const HolKkt *k, unsigned char *leaf) {
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

// ---- blocks ----

typedef struct Analysis {
    HolKkt *k;
    HolArena *arena; // of what is found
    HolFactors *f;
    HolSymbolic s;
    HolArena scratch;
    int *block_of; // by column
    HolSpot *spot; // by block; behind the last one, where all end
    int lu;
} Analysis;

static int column_count(const HolSymbolic *s, int j) {
    return s->Lp[j + 1] - s->Lp[j];
}

// does a part begin with column j?
static int begins_part(const HolFactors *f, int j) {
    for (int p = 0; p < 3; p++)
        if (j == f->part[p].first[1] || j == f->part[p].first[2])
            return 1;
    return 0;
}

// can column j join the block first .. j-1? Its rows must hold those of column j-1
static int joins(const Analysis *a, int first, int j, long entries) {
    const HolSymbolic *s = &a->s;
    int width = j - first + 1, below = column_count(s, j);
    if (width > HOL_BLOCK_WIDTH || begins_part(a->f, j) || column_count(s, j - 1) == 0 ||
        s->Li[s->Lp[j - 1]] != j)
        return 0;
    double full = 0.5 * width * (width - 1) + (double)width * below;
    return full - (double)(entries + below) <= PADDING * full;
}

// which blocks belong to which part
static void share_blocks(HolFactors *f, const HolSpot *spot) {
    for (int p = 0; p < 3; p++) {
        HolPart *part = &f->part[p];
        for (int s = 0; s < 2; s++) {
            int b = 0;
            while (b < f->n_blocks && spot[b].first < part->first[1 + s])
                b++;
            part->block[s] = b;
            part->spot[s] = spot[b];
            while (b < f->n_blocks && spot[b].first < part->end[1 + s])
                b++;
            part->block_end[s] = b;
            part->spot_end[s] = spot[b];
        }
    }
    if (f->halves)
        f->shadow_values = f->n_values - f->part[HOL_TOP].spot[1].at;
}

static int make_blocks(Analysis *a) {
    HolFactors *f = a->f;
    const HolSymbolic *s = &a->s;
    long values = 0, rows = 0, targets = 0;
    int most = 0;
    f->block = HOL_NEW(a->arena, HolBlock, f->N - f->leaves + 1);
    a->spot = HOL_NEW(&a->scratch, HolSpot, f->N - f->leaves + 1);
    a->block_of = HOL_NEW(&a->scratch, int, f->N + 1);
    if (!f->block || !a->spot || !a->block_of)
        return 0;
    a->spot[0].first = f->leaves;
    for (int j = f->leaves; j < f->N;) {
        HolBlock *b = &f->block[f->n_blocks];
        long entries = column_count(s, j);
        int end = j + 1;
        while (end < f->N && joins(a, j, end, entries))
            entries += column_count(s, end++);
        const unsigned below = (unsigned)column_count(s, end - 1);
        *b = (HolBlock){.width = (unsigned)(end - j) & 15, .rows = below & 0xfffffff};
        for (; j < end; j++)
            a->block_of[j] = f->n_blocks;
        values += hol_triangle((int)b->width) + (long)b->width * b->rows;
        rows += b->rows;
        targets += hol_pairs(b->rows);
        most = (int)b->rows > most ? (int)b->rows : most;
        if (values + rows + targets > INT_MAX / 2)
            return 0;
        a->spot[++f->n_blocks] = (HolSpot){j, (int)rows, (int)values, (int)targets};
    }
    f->n_values = (int)values;
    f->row_index = HOL_NEW(a->arena, int, rows + 1);
    f->target = HOL_NEW(a->arena, int, targets + 1);
    share_blocks(f, a->spot);
    f->most_rows = most;
    if (a->arena->failed)
        return 0;
    for (int b = 0; b < f->n_blocks; b++)
        for (int i = a->spot[b].row, p = s->Lp[a->spot[b + 1].first - 1]; i < a->spot[b + 1].row;)
            f->row_index[i++] = s->Li[p++];
    return 1;
}

// place of entry (row, column) among the values, in any order of the two; neither is a leaf
static int find_place(const Analysis *a, int row, int column) {
    const HolFactors *f = a->f;
    if (row < column) {
        int swap = row;
        row = column;
        column = swap;
    }
    const HolSpot *b = &a->spot[a->block_of[column]];
    int width = b[1].first - b->first, c = column - b->first, i = row - b->first;
    if (i < width)
        return b->at + hol_triangle(i) + c;
    const int *index = f->row_index + b->row;
    int low = 0, high = b[1].row - b->row - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (index[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return b->at + hol_triangle(width) + low * width + c;
}

static void map_targets(const Analysis *a) {
    HolFactors *f = a->f;
    int *target = f->target;
    for (const HolSpot *b = a->spot; b < a->spot + f->n_blocks; b++)
        for (int i = b->row; i < b[1].row; i++)
            for (int j = i + 1; j < b[1].row; j++)
                *target++ = find_place(a, f->row_index[j], f->row_index[i]);
}

// ---- values ----

static int kkt_block_analysis_map_values(Analysis *a) {
    const HolKkt *k = a->k;
    HolFactors *f = a->f;
    HolArena *arena = a->arena;
    f->S_from = HOL_NEW(arena, int, k->S.nnz + 1);
    f->S_to = HOL_NEW(arena, int, k->S.nnz + 1);
    f->G_from = HOL_NEW(arena, int, k->G.nnz + 1);
    f->G_to = HOL_NEW(arena, int, k->G.nnz + 1);
    if (arena->failed)
        return 0;
    for (int upper = 0; upper < 2; upper++) {
        for (int j = 0; j < k->n; j++)
            for (int p = k->S.ptr[j]; p < k->S.ptr[j + 1]; p++) {
                int row = f->at[k->S.idx[p]], column = f->at[j];
                if (row == column || (row < column) != upper)
                    continue;
                f->S_from[f->S_count] = p;
                f->S_to[f->S_count++] = find_place(a, row, column);
            }
        if (!upper)
            f->S_lower = f->S_count;
    }
    for (int i = 0; i < k->m; i++)
        for (int p = k->G.ptr[i]; p < k->G.ptr[i + 1]; p++) {
            int column = f->at[k->G.idx[p]];
            if (column < f->leaves)
                continue;
            f->G_from[f->G_count] = p;
            f->G_to[f->G_count++] = find_place(a, f->at[k->n + i], column);
        }
    return 1;
}

// ---- leaves ----

// by columns, in groups of equal counts
static int map_leaf_columns(Analysis *a) {
    const HolKkt *k = a->k;
    HolFactors *f = a->f;
    const HolSymbolic *s = &a->s;
    int entries = s->Lp[f->leaves], *place = HOL_NEW(&a->scratch, int, f->leaves + 1);
    long pairs = 0;
    for (int j = 0; j < f->leaves; j++)
        pairs += (long)column_count(s, j) * (column_count(s, j) - 1) / 2;
    if (pairs > INT_MAX / 2 || !place)
        return 0;
    f->group = HOL_NEW(a->arena, HolLeafGroup, f->leaves + 1);
    f->leaf_row = HOL_NEW(a->arena, int, entries + 1);
    f->leaf_source = HOL_NEW(a->arena, int, entries + 1);
    f->leaf_target = HOL_NEW(a->arena, int, pairs + 1);
    if (a->arena->failed)
        return 0;
    int *target = f->leaf_target;
    for (int j = 0, p = -1; j < f->leaves; j++) {
        int count = column_count(s, j), fresh = 0;
        while (p < 0 || j >= f->part[p].end[0]) {
            if (p >= 0)
                f->part[p].group_end = f->groups;
            HolPart *part = &f->part[++p];
            part->group = part->group_end = f->groups;
            part->entry = s->Lp[j];
            part->target = (int)(target - f->leaf_target);
            fresh = 1;
        }
        if (fresh || f->group[f->groups - 1].count != count)
            f->group[f->groups++] = (HolLeafGroup){j, j, count};
        f->part[p].group_end = f->groups;
        f->group[f->groups - 1].end = j + 1;
        place[j] = s->Lp[j];
        for (int p = s->Lp[j]; p < s->Lp[j + 1]; p++) {
            f->leaf_row[p] = s->Li[p];
            for (int o = p + 1; o < s->Lp[j + 1]; o++)
                *target++ = find_place(a, s->Li[o], s->Li[p]);
        }
    }
    // multipliers in the order of elimination: rows ascend in every column
    for (int at = f->leaves; at < f->N; at++) {
        int i = f->perm[at] - k->n;
        for (int p = i < 0 ? 0 : k->G.ptr[i]; i >= 0 && p < k->G.ptr[i + 1]; p++)
            if (f->at[k->G.idx[p]] < f->leaves)
                f->leaf_source[place[f->at[k->G.idx[p]]]++] = p;
    }
    return 1;
}

// by rows, tile by tile in groups of equal counts, each in the order of elimination: neighbours in
// memory
static int map_leaf_rows(Analysis *a) {
    const HolKkt *k = a->k;
    HolFactors *f = a->f;
    int leaf_entries = f->leaf_entries = a->s.Lp[f->leaves], most = 0, entries = 0, rows = 0;
    int *count = HOL_NEW(&a->scratch, int, k->m + 1), behind = f->N - f->unknowns;
    f->row_group = HOL_NEW(a->arena, HolLeafGroup, behind + 1);
    f->row = HOL_NEW(a->arena, int, behind + 1);
    f->row_column = HOL_NEW(a->arena, int, leaf_entries + 1);
    f->row_source = HOL_NEW(a->arena, int, leaf_entries + 1);
    if (!count || a->arena->failed)
        return 0;
    for (int i = 0; i < k->m; i++) {
        for (int p = k->G.ptr[i]; p < k->G.ptr[i + 1]; p++)
            count[i] += f->at[k->G.idx[p]] < f->leaves;
        most = count[i] > most ? count[i] : most;
    }
    for (HolPart *part = f->part; part < f->part + 3; part++) {
        part->row_group = f->row_groups;
        part->row_entry = entries;
        int end = part->end[2];
        for (int tile = part->first[2]; tile < end; tile += HOL_TILE)
            for (int c = 0; c <= most; c++) {
                HolLeafGroup group = {rows, rows, c};
                for (int at = tile; at < end && at < tile + HOL_TILE; at++) {
                    int i = f->perm[at] - k->n; // negative: massless
                    if ((i < 0 ? 0 : count[i]) != c)
                        continue;
                    f->row[rows++] = at;
                    for (int p = c ? k->G.ptr[i] : 0; c && p < k->G.ptr[i + 1]; p++)
                        if (f->at[k->G.idx[p]] < f->leaves) {
                            f->row_column[entries] = k->G.idx[p];
                            f->row_source[entries++] = p;
                        }
                }
                group.end = rows;
                if (group.end > group.first)
                    f->row_group[f->row_groups++] = group;
            }
        part->row_group_end = f->row_groups;
    }
    return 1;
}

// ---- all ----

static int kkt_block_analysis_signs(const Analysis *a) {
    HolFactors *f = a->f;
    f->sign = HOL_NEW(a->arena, double, f->N + 1);
    f->S_diagonal = HOL_NEW(a->arena, int, f->N + 1);
    if (a->arena->failed)
        return 0;
    for (int i = 0; i < f->N; i++) {
        f->S_diagonal[i] = f->perm[i] < a->k->n ? a->k->S_diagonal[f->perm[i]] : -1;
        f->sign[i] = f->perm[i] < a->k->n ? 1 : -1;
    }
    return 1;
}

// the columns of each part: in each of the segments one half after the other, then the top
static void make_parts(const HolKkt *k, HolFactors *f, const unsigned char *half) {
    while (f->unknowns < f->N && f->perm[f->unknowns] < k->n)
        f->unknowns++;
    const int begin[4] = {0, f->leaves, f->unknowns, f->N};
    f->halves = half != NULL;
    for (int s = 0; s < 3; s++)
        for (int p = 0, at = begin[s]; p < 3; p++) {
            f->part[p].first[s] = at;
            while (at < begin[s + 1] && (half ? half[f->perm[at]] : HOL_TOP) == p)
                at++;
            f->part[p].end[s] = at;
        }
    const HolPart *top = &f->part[HOL_TOP];
    f->shadow = f->halves ? top->end[2] - top->first[2] : 0;
}

static void move_from(int *index, int n, int from, int by) {
    for (int i = 0; i < n; i++)
        if (index[i] >= from)
            index[i] += by;
}

// what columns of the second half do to the top goes to its shadow
static void use_shadow(HolFactors *f) {
    const HolPart *part = &f->part[1], *top = &f->part[HOL_TOP];
    int row = top->first[2], value = f->n_values - f->shadow_values;
    for (int s = 0; f->halves && s < 2; s++) {
        const HolSpot *from = &part->spot[s], *to = &part->spot_end[s];
        move_from(f->row_index + from->row, to->row - from->row, row, f->shadow);
        move_from(f->target + from->target, to->target - from->target, value, f->shadow_values);
    }
    int entry = part->entry, target = part->target;
    for (int g = part->group; f->halves && g < part->group_end; g++) {
        int columns = f->group[g].end - f->group[g].first, count = f->group[g].count;
        int pairs = columns * (count * (count - 1) / 2);
        move_from(f->leaf_row + entry, columns * count, row, f->shadow);
        move_from(f->leaf_target + target, pairs, value, f->shadow_values);
        entry += columns * count;
        target += pairs;
    }
}

static int build(Analysis *a) {
    HolKkt *k = a->k;
    HolFactors *f = a->f;
    unsigned char *leaf = HOL_NEW(&a->scratch, unsigned char, k->n + 1), *half = NULL;
    if (!leaf)
        return 0;
    f->leaves = a->lu ? 0 : kkt_block_analysis_find_leaves(k, leaf);
    if (!kkt_block_analysis_find_pattern(k, &a->scratch, leaf, &half, &a->s))
        return 0;
    f->N = k->N;
    f->perm = a->s.perm;
    f->at = a->s.inverse;
    make_parts(k, f, half);
    if (!kkt_block_analysis_signs(a) || !make_blocks(a) || !kkt_block_analysis_map_values(a) ||
        !map_leaf_columns(a) || !map_leaf_rows(a))
        return 0;
    map_targets(a);
    use_shadow(f);
    return 1;
}

// the analysis, once for a plan
static const HolFactors *kkt_block_analysis_plan(HolKkt *k, int lu) {
    HolKktPlan *plan = k->plan;
    if (plan->block[lu].known)
        return plan->block[lu].factors;
    Analysis a = {.k = k, .arena = plan->arena, .f = HOL_NEW(plan->arena, HolFactors, 1), .lu = lu};
    errno = 0;
    const int ok = a.f && build(&a);
    // for want of memory, not of an order: another factorization would hide it
    if (!ok && errno == ENOMEM)
        plan->arena->failed = 1;
    hol_arena_free(&a.scratch);
    plan->block[lu].known = !plan->arena->failed;
    return plan->block[lu].factors = ok ? a.f : NULL;
}

// numbers of its own
HolFactors *hol_block_analyze(HolKkt *k, int lu) {
    HolArena *a = k->arena;
    hol_kkt_plan_begin(k);
    const HolFactors *plan = kkt_block_analysis_plan(k, lu);
    hol_kkt_plan_end(k);
    HolFactors *f = plan ? HOL_NEW(a, HolFactors, 1) : NULL;
    if (!f)
        return NULL;
    *f = *plan;
    const int rows = f->N + f->shadow, values = f->n_values + f->shadow_values;
    f->D = HOL_NEW(a, double, rows + 1);
    f->size = HOL_NEW(a, double, rows + 1);
    f->inverse = HOL_NEW(a, double, f->N + 1);
    f->y = HOL_NEW(a, double, rows + 1);
    f->G = HOL_NEW(a, double, k->G.nnz + 1);
    f->leaf_value = HOL_NEW(a, double, f->leaf_entries + 1);
    f->row_value = HOL_NEW(a, double, f->leaf_entries + 1);
    f->Lx = HOL_NEW(a, double, values + 1);
    f->Ux = lu ? HOL_NEW(a, double, values + 1) : NULL;
    for (int p = f->halves ? 0 : HOL_TOP; p <= HOL_TOP; p++)
        f->unscaled[p] =
            HOL_NEW(a, double, 2 * (f->most_rows + HOL_BLOCK_WIDTH) * HOL_BLOCK_WIDTH + 8);
    return a->failed ? NULL : f;
}
