// SPDX-License-Identifier: Apache-2.0
// Rank of large sparse G by multifrontal QR of G^T: G^T = Q R with R^T R = G G^T, but the pivots
// are found without squaring the condition.
//
// Column j of G^T is row j of G in fill-reducing order. Its front holds all rows (of G^T, partly
// eliminated) that begin with column j. One reflection makes row j of R, |R_jj| being the distance
// of row j of G from the span of the rows before it; the other rows go to the parent's front, first
// reduced to at most as many as they have columns. A dependent column has no pivot: its front
// passes on all rows. Dependencies: R11 c = R1j.
//
// A column of G with very many entries, a body that carries thousands of joints, makes G G^T full.
// Rows that are independent without such columns are so with them: that is tried first.
#include "math/rank.h"
#include "math/saddle/ordering.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CROWDED = 300 }; // entries of a column

typedef struct SparseQr {
    HolSymbolic s;
    int *parent, *where;    // tree; local column of a row in the present front
    int *lead_ptr, *lead;   // columns of G whose first row (in the order) is j
    int *col_ptr, *col_row; // G by columns: rows in the new order
    double *col_val;
    double *diagonal, *R;  // R by rows, pattern of L
    int *rows;             // rows handed to the parent
    double *stack, *front; // contributions waiting, and the present front, by columns
} SparseQr;

// G by columns with rows renumbered, and the columns grouped by their first row
static int rank_sparse_columns_of(HolArena *a, const HolPattern *G, const double *val,
                                  SparseQr *q) {
    int n = G->cols, m = G->rows;
    q->col_ptr = HOL_NEW(a, int, n + 2);
    q->col_row = HOL_NEW(a, int, G->nnz + 1);
    q->col_val = HOL_NEW(a, double, G->nnz + 1);
    q->lead_ptr = HOL_NEW(a, int, m + 2);
    q->lead = HOL_NEW(a, int, n + 1);
    if (a->failed)
        return 0;
    for (int k = 0; k < G->nnz; k++)
        q->col_ptr[G->idx[k] + 2]++;
    for (int c = 0; c < n; c++)
        q->col_ptr[c + 2] += q->col_ptr[c + 1];
    for (int i = 0; i < m; i++)
        for (int k = G->ptr[i]; k < G->ptr[i + 1]; k++) {
            int at = q->col_ptr[G->idx[k] + 1]++;
            q->col_row[at] = q->s.inverse[i];
            q->col_val[at] = val[k];
        }
    for (int pass = 0; pass < 2; pass++) {
        for (int c = 0; c < n; c++) {
            int first = m;
            for (int k = q->col_ptr[c]; k < q->col_ptr[c + 1]; k++)
                first = q->col_row[k] < first ? q->col_row[k] : first;
            if (first == m)
                continue;
            if (pass == 0)
                q->lead_ptr[first + 2]++;
            else
                q->lead[q->lead_ptr[first + 1]++] = c;
        }
        if (pass == 0)
            for (int i = 0; i < m; i++)
                q->lead_ptr[i + 2] += q->lead_ptr[i + 1];
    }
    return 1;
}

// peak of the stack and the largest front, walking the tree without numbers; held, incoming: zeroed
static int size_memory(HolArena *a, SparseQr *q, long *held, int *incoming) {
    long now = 0, peak = 0, front = 0;
    for (int j = 0; j < q->s.n; j++) {
        int k = q->s.Lp[j + 1] - q->s.Lp[j];
        int rows = incoming[j] + q->lead_ptr[j + 1] - q->lead_ptr[j];
        int pass = rows < k ? rows : k;
        front = (long)rows * (k + 1) > front ? (long)rows * (k + 1) : front;
        // the children's blocks go, the own one comes
        long own = (long)pass * k;
        now += own - held[j];
        peak = now > peak ? now : peak;
        if (q->parent[j] >= 0) {
            incoming[q->parent[j]] += pass;
            held[q->parent[j]] += own;
        }
    }
    q->stack = HOL_NEW(a, double, peak + 1);
    q->front = HOL_NEW(a, double, front + 1);
    return q->stack && q->front;
}

// front of column j: original rows, then the blocks of the children from the stack; returns its
// rows
static int assemble_front(SparseQr *q, int j, int *waiting, int *count, long *top) {
    const int *Lp = q->s.Lp, *Li = q->s.Li;
    int k = Lp[j + 1] - Lp[j], rows = q->lead_ptr[j + 1] - q->lead_ptr[j], first_child = *count;
    q->where[j] = 0;
    for (int p = Lp[j]; p < Lp[j + 1]; p++)
        q->where[Li[p]] = 1 + p - Lp[j];
    while (first_child > 0 && q->parent[waiting[first_child - 1]] == j) {
        int c = waiting[--first_child];
        rows += q->rows[c];
        *top -= (long)q->rows[c] * (Lp[c + 1] - Lp[c]);
    }
    memset(q->front, 0, sizeof(double) * (size_t)rows * (size_t)(k + 1));
    int r = 0;
    for (int e = q->lead_ptr[j]; e < q->lead_ptr[j + 1]; e++, r++)
        for (int p = q->col_ptr[q->lead[e]]; p < q->col_ptr[q->lead[e] + 1]; p++)
            q->front[(long)q->where[q->col_row[p]] * rows + r] = q->col_val[p];
    const double *block = q->stack + *top;
    for (int w = first_child; w < *count; w++) {
        int c = waiting[w];
        for (int p = Lp[c]; p < Lp[c + 1]; p++, block += q->rows[c])
            memcpy(q->front + (long)q->where[Li[p]] * rows + r, block,
                   sizeof(double) * (size_t)q->rows[c]);
        r += q->rows[c];
    }
    *count = first_child;
    return rows;
}

// reflection that zeroes column c below row r, applied to the columns after it
static void reflect(double *front, int rows, int columns, int c, int r) {
    double *v = front + (long)c * rows + r, square = 0;
    int length = rows - r;
    for (int i = 1; i < length; i++)
        square += v[i] * v[i];
    if (square == 0)
        return;
    double norm = sqrt(square + v[0] * v[0]), head = v[0] > 0 ? v[0] + norm : v[0] - norm;
    double factor = 2 / (square + head * head);
    for (int j = c + 1; j < columns; j++) {
        double *x = front + (long)j * rows + r, sum = head * x[0];
        for (int i = 1; i < length; i++)
            sum += v[i] * x[i];
        sum *= factor;
        x[0] -= sum * head;
        for (int i = 1; i < length; i++)
            x[i] -= sum * v[i];
    }
    v[0] = v[0] > 0 ? -norm : norm;
    for (int i = 1; i < length; i++)
        v[i] = 0;
}

// row j of R from its front; pushes what remains. Returns 1 when row j is independent
static int eliminate_front(SparseQr *q, int j, int rows, double tol, long *top) {
    int k = q->s.Lp[j + 1] - q->s.Lp[j], used = 0;
    double *front = q->front, square = 0;
    for (int r = 0; r < rows; r++)
        square += front[r] * front[r];
    if (sqrt(square) > tol) {
        used = 1;
        reflect(front, rows, k + 1, 0, 0);
        q->diagonal[j] = front[0];
        for (int c = 0; c < k; c++)
            q->R[q->s.Lp[j] + c] = front[(long)(c + 1) * rows];
    }
    // more rows than columns: triangularize
    if (rows - used > k)
        for (int c = 0; c < k; c++)
            reflect(front, rows, k + 1, c + 1, used + c);
    q->rows[j] = rows - used < k ? rows - used : k;
    for (int c = 0; c < k; c++) {
        memcpy(q->stack + *top, front + (long)(c + 1) * rows + used,
               sizeof(double) * (size_t)q->rows[j]);
        *top += q->rows[j];
    }
    return used;
}

// R11 c = R1j by back substitution over the columns of R; c is zero on entry and on return
static int dependency(SparseQr *q, int j, const int *row_ptr, const int *row_entry,
                      const int *owner, double *c, int *on, double *coefficient,
                      HolDependency report, void *user) {
    int count = 0;
    for (int e = row_ptr[j]; e < row_ptr[j + 1]; e++)
        c[owner[row_entry[e]]] = q->R[row_entry[e]];
    for (int i = j - 1; i >= 0; i--) {
        if (c[i] == 0)
            continue;
        double x = q->diagonal[i] != 0 ? c[i] / q->diagonal[i] : 0;
        c[i] = 0;
        for (int e = row_ptr[i]; e < row_ptr[i + 1]; e++)
            c[owner[row_entry[e]]] -= x * q->R[row_entry[e]];
        if (x != 0) {
            on[count] = q->s.perm[i];
            coefficient[count++] = x;
        }
    }
    return report(user, q->s.perm[j], count, on, coefficient);
}

static int rank_sparse_ascending(const void *a, const void *b) {
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

// the last of the first `most` dependent rows
static int last_told(const SparseQr *q, int most, int *rows) {
    int n = 0;
    for (int j = 0; j < q->s.n; j++)
        if (q->diagonal[j] == 0)
            rows[n++] = q->s.perm[j];
    qsort(rows, (size_t)n, sizeof *rows, rank_sparse_ascending);
    return n > most ? most > 0 ? rows[most - 1] : -1 : q->s.n;
}

static int report_dependencies(HolArena *a, SparseQr *q, int most, HolDependency report,
                               void *user) {
    int m = q->s.n, nnz = (int)q->s.nnz;
    int *row_ptr = HOL_NEW(a, int, m + 2), *row_entry = HOL_NEW(a, int, nnz + 1);
    int *owner = HOL_NEW(a, int, nnz + 1), *on = HOL_NEW(a, int, m + 1);
    double *c = HOL_NEW(a, double, m + 1), *coefficient = HOL_NEW(a, double, m + 1);
    if (a->failed)
        return 0;
    // entries of R by columns
    for (int p = 0; p < nnz; p++)
        row_ptr[q->s.Li[p] + 2]++;
    for (int i = 0; i < m; i++)
        row_ptr[i + 2] += row_ptr[i + 1];
    for (int j = 0; j < m; j++)
        for (int p = q->s.Lp[j]; p < q->s.Lp[j + 1]; p++) {
            row_entry[row_ptr[q->s.Li[p] + 1]++] = p;
            owner[p] = j;
        }
    const int last = last_told(q, most, on);
    for (int j = 0; j < m; j++) {
        if (q->diagonal[j] != 0)
            continue;
        if (q->s.perm[j] <= last
                ? !dependency(q, j, row_ptr, row_entry, owner, c, on, coefficient, report, user)
                : !report(user, q->s.perm[j], 0, on, coefficient))
            return 0;
    }
    return 1;
}

// order, pattern of R, and all memory of the numerical phase
static int analyze(HolArena *a, const HolPattern *G, const double *val, SparseQr *q) {
    int m = G->rows, n = G->cols;
    int *perm = HOL_NEW(a, int, m + 1), *identity = HOL_NEW(a, int, n + 2);
    HolGraph graph;
    if (!perm || !identity)
        return 0;
    for (int j = 0; j <= n; j++)
        identity[j] = j;
    HolPattern diagonal = {n, n, n, identity, identity};
    if (!hol_graph_rows(a, &diagonal, G, &graph) || !hol_minimum_degree(&graph, perm) ||
        !hol_symbolic_count(a, &graph, perm, INFINITY, &q->s) ||
        !hol_symbolic_fill(a, a, &graph, &q->s) || !rank_sparse_columns_of(a, G, val, q))
        return 0;
    q->parent = HOL_NEW(a, int, m + 1);
    q->where = HOL_NEW(a, int, m + 1);
    q->rows = HOL_NEW(a, int, m + 1);
    q->diagonal = HOL_NEW(a, double, m + 1);
    q->R = HOL_NEW(a, double, q->s.nnz + 1);
    int *incoming = HOL_NEW(a, int, m + 1);
    long *held = HOL_NEW(a, long, m + 1);
    if (a->failed)
        return 0;
    for (int j = 0; j < m; j++)
        q->parent[j] = q->s.Lp[j + 1] > q->s.Lp[j] ? q->s.Li[q->s.Lp[j]] : -1;
    return size_memory(a, q, held, incoming);
}

static int rank_sparse_eliminate(HolArena *scratch, const HolPattern *G, const double *val,
                                 double tol, SparseQr *q) {
    int *waiting = HOL_NEW(scratch, int, G->rows + 1), count = 0, rank = 0;
    if (!waiting || !analyze(scratch, G, val, q))
        return -1;
    long top = 0;
    for (int j = 0; j < G->rows; j++) {
        int rows = assemble_front(q, j, waiting, &count, &top);
        rank += eliminate_front(q, j, rows, tol, &top);
        waiting[count++] = j;
    }
    return rank;
}

// 1: the rows are independent without columns of more than CROWDED entries; 0: nothing is known
static int rank_sparse_apart(const HolPattern *G, const double *val, double tol) {
    HolArena a = {0};
    int *entries = HOL_NEW(&a, int, G->cols + 1), crowded = 0;
    for (int k = 0; entries && k < G->nnz; k++)
        crowded |= ++entries[G->idx[k]] > CROWDED;
    int *ptr = crowded ? HOL_NEW(&a, int, G->rows + 2) : NULL;
    int *idx = crowded ? HOL_NEW(&a, int, G->nnz + 1) : NULL;
    double *values = crowded ? HOL_NEW(&a, double, G->nnz + 1) : NULL;
    int full = 0, n = 0;
    if (ptr && idx && values) {
        for (int i = 0; i < G->rows; i++) {
            for (int k = G->ptr[i]; k < G->ptr[i + 1]; k++)
                if (entries[G->idx[k]] <= CROWDED) {
                    idx[n] = G->idx[k];
                    values[n++] = val[k];
                }
            ptr[i + 1] = n;
        }
        const HolPattern few = {G->rows, G->cols, n, ptr, idx};
        SparseQr q = {0};
        full = rank_sparse_eliminate(&a, &few, values, tol, &q) == G->rows;
    }
    hol_arena_free(&a);
    return full;
}

int hol_rank_sparse(HolArena *scratch, const HolPattern *G, const double *val, double tol, int most,
                    HolDependency report, void *user) {
    SparseQr q = {0};
    if (rank_sparse_apart(G, val, tol))
        return G->rows;
    const int rank = rank_sparse_eliminate(scratch, G, val, tol, &q);
    if (rank < 0)
        return -1;
    if (rank < G->rows && !report_dependencies(scratch, &q, most, report, user))
        return -1;
    return rank;
}
