// SPDX-License-Identifier: Apache-2.0
// Rank and dependent rows of a sparse matrix G, block by block of its connected components
// (docs/theory/saddle-point.md, section 6).
//
// Rows are scaled to unit length. Each component (rows joined by common columns: a loop or a chain
// of the mechanism) is decomposed by itself: G_c^T P = Q R, Householder QR with column pivoting,
// where |R_kk| <= tol ends the rank r. Row P(k), k >= r, is the combination c of rows P(0..r-1)
// with R11 c = R1k. Components beyond DENSE_ROWS go to the sparse QR of rank_sparse.c.
#include "math/rank.h"
#include "math/dense.h"
#include "math/saddle/kkt.h"

#include <math.h>
#include <stdlib.h>

enum { DENSE_ROWS = 300 };
static const double MOST_DENSE = 4e7; // entries of a component whose graph is full

// coefficients below this do not count as a dependency
static const double COEFFICIENT = 1e-6;

typedef struct Rank {
    HolArena *arena;
    unsigned char *dependent;
    int *first;          // head of each row's list of partners, -1: none
    int *partner, *next; // the lists
    int count, capacity, capacity_next;
    const int *global; // row of G for a row of the component at hand
} Rank;

static int add_dependency(void *user, int row, int count, const int *on,
                          const double *coefficient) {
    Rank *r = user;
    int global = r->global[row];
    r->dependent[global] = 1;
    for (int k = 0; k < count; k++) {
        if (!(fabs(coefficient[k]) > COEFFICIENT))
            continue;
        if (!HOL_GROW(r->arena, r->partner, r->count, r->capacity) ||
            !HOL_GROW(r->arena, r->next, r->count, r->capacity_next))
            return 0;
        r->partner[r->count] = r->global[on[k]];
        r->next[r->count] = r->first[global];
        r->first[global] = r->count++;
    }
    return 1;
}

static int rank_find_root(int *parent, int v) {
    while (parent[v] != v)
        v = parent[v] = parent[parent[v]];
    return v;
}

// rows of G grouped by component: rows[ptr[c] .. ptr[c+1]); returns the number of components, -1
// without memory
static int components(HolArena *a, const HolPattern *G, int **ptr, int **rows) {
    int m = G->rows, n = G->cols, count = 0;
    int *parent = HOL_NEW(a, int, n + m + 1), *label = HOL_NEW(a, int, n + m + 1);
    *ptr = HOL_NEW(a, int, m + 2);
    *rows = HOL_NEW(a, int, m + 1);
    if (a->failed)
        return -1;
    for (int v = 0; v < n + m; v++) {
        parent[v] = v;
        label[v] = -1;
    }
    for (int i = 0; i < m; i++)
        for (int k = G->ptr[i]; k < G->ptr[i + 1]; k++)
            parent[rank_find_root(parent, G->idx[k])] = rank_find_root(parent, n + i);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < m; i++) {
            int root = rank_find_root(parent, n + i);
            if (label[root] < 0)
                label[root] = count++;
            if (pass == 0)
                (*ptr)[label[root] + 2]++; // becomes the start after the sums
            else
                (*rows)[(*ptr)[label[root] + 1]++] = i;
        }
        if (pass == 0)
            for (int c = 0; c < count; c++)
                (*ptr)[c + 2] += (*ptr)[c + 1];
    }
    return count;
}

// the rows of one component as a matrix of its own: columns renumbered, rows of unit length
static int extract(HolArena *a, const HolPattern *G, const double *val, int count, const int *rows,
                   int *column_of, HolPattern *part, double **part_val) {
    int nnz = 0, cols = 0;
    for (int r = 0; r < count; r++)
        nnz += G->ptr[rows[r] + 1] - G->ptr[rows[r]];
    int *ptr = HOL_NEW(a, int, count + 1), *idx = HOL_NEW(a, int, nnz + 1);
    *part_val = HOL_NEW(a, double, nnz + 1);
    if (a->failed)
        return 0;
    nnz = 0;
    for (int r = 0; r < count; r++) {
        double square = 0;
        for (int k = G->ptr[rows[r]]; k < G->ptr[rows[r] + 1]; k++)
            square += val[k] * val[k];
        double scale = square > 0 ? 1 / sqrt(square) : 0;
        for (int k = G->ptr[rows[r]]; k < G->ptr[rows[r] + 1]; k++) {
            int c = G->idx[k];
            if (column_of[c] < 0)
                column_of[c] = cols++;
            idx[nnz] = column_of[c];
            (*part_val)[nnz++] = val[k] * scale;
        }
        ptr[r + 1] = nnz;
    }
    *part = (HolPattern){count, cols, nnz, ptr, idx};
    return 1;
}

static int rank_dense(HolArena *a, const HolPattern *G, const double *val, double tol, Rank *r) {
    int m = G->rows, n = G->cols > 0 ? G->cols : 1, rank = 0;
    double *A = HOL_NEW(a, double, (size_t)n *(size_t)m);
    double *work = HOL_NEW(a, double, hol_dense_qr_work(m));
    int *order = HOL_NEW(a, int, m);
    if (!A || !work || !order)
        return -1;
    for (int i = 0; i < m; i++)
        for (int k = G->ptr[i]; k < G->ptr[i + 1]; k++)
            A[(size_t)i * (size_t)n + (size_t)G->idx[k]] = val[k];
    if (hol_dense_qr(n, m, A, order, work))
        return -1;
    while (rank < m && rank < n && fabs(A[(size_t)rank * (size_t)n + (size_t)rank]) > tol)
        rank++;
    for (int k = rank; k < m; k++) {
        double *c = A + (size_t)k * (size_t)n; // R1k, becomes the coefficients
        hol_dense_upper_solve(n, rank, A, c);
        if (!add_dependency(r, order[k], rank, order, c))
            return -1;
    }
    return rank;
}

static int rank_ascending(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

// lists of partners in the form of the interface
static int rank_finish(HolArena *a, int m, const Rank *r, int **on_ptr, int **on) {
    int *ptr = HOL_NEW(a, int, m + 1), *out = HOL_NEW(a, int, r->count + 1), k = 0;
    if (!ptr || !out)
        return 0;
    for (int i = 0; i < m; i++) {
        for (int e = r->first[i]; e >= 0; e = r->next[e])
            out[k++] = r->partner[e];
        ptr[i + 1] = k;
        qsort(out + ptr[i], (size_t)(k - ptr[i]), sizeof(int), rank_ascending);
    }
    *on_ptr = ptr;
    *on = out;
    return 1;
}

static int rank_all(HolArena *scratch, const HolPattern *G, const double *val, double tol, int most,
                    Rank *r) {
    int *ptr, *rows, rank = 0;
    int count = components(scratch, G, &ptr, &rows);
    int *column_of = HOL_NEW(scratch, int, G->cols + 1);
    r->first = HOL_NEW(scratch, int, G->rows + 1);
    if (count < 0 || scratch->failed)
        return -1;
    for (int i = 0; i < G->rows; i++)
        r->first[i] = -1;
    for (int c = 0; c < G->cols; c++)
        column_of[c] = -1;
    for (int c = 0; c < count; c++) {
        int size = ptr[c + 1] - ptr[c], part_rank;
        HolArena local = {0};
        HolPattern part;
        double *part_val;
        r->global = rows + ptr[c];
        if (!extract(&local, G, val, size, r->global, column_of, &part, &part_val))
            part_rank = -1;
        else if (size <= DENSE_ROWS)
            part_rank = rank_dense(&local, &part, part_val, tol, r);
        else
            part_rank = hol_rank_sparse(&local, &part, part_val, tol, most, add_dependency, r);
        // (a body that carries hundreds of dependent rows: their graph is full)
        if (part_rank < 0 && !local.failed && (double)part.rows * part.cols <= MOST_DENSE)
            part_rank = rank_dense(&local, &part, part_val, tol, r);
        hol_arena_free(&local);
        if (part_rank < 0)
            return -1;
        rank += part_rank;
    }
    return rank;
}

int hol_rank_rows(HolArena *arena, const HolPattern *G, const double *val, double tol, int most,
                  unsigned char *dependent, int **on_ptr, int **on) {
    HolArena scratch = {0};
    Rank r = {.arena = &scratch, .dependent = dependent};
    for (int i = 0; i < G->rows; i++)
        dependent[i] = 0;
    int rank = rank_all(&scratch, G, val, tol, most, &r);
    if (rank >= 0 && !rank_finish(arena, G->rows, &r, on_ptr, on))
        rank = -1;
    hol_arena_free(&scratch);
    return rank;
}
