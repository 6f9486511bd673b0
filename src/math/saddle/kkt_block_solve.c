// SPDX-License-Identifier: Apache-2.0
// What the static factorizations share: the two halves and the top of a long mechanism, one after
// the other or side by side, and the solve. y of the top is loaded first, since the halves add to
// it; their rows of the top are summed, the top is solved, then the halves go back. The forward
// part of leaves goes by rows, their backward part by columns: sums without waiting for stores.
// Rows are loaded with what their leaves do to them: y is written once.
#include "base/thread_pool.h"
#include "math/saddle/kkt_block.h"
#include "math/saddle/ordering.h"

#include <math.h>
#include <string.h>

// ---- factorization ----

typedef struct Factoring {
    HolKkt *k;
    HolFactors *f;
    const HolPartSteps *steps;
    double eps;
    HolPivots pivots[3]; // by part
    int done[3];         // N, or the column that failed
} Factoring;

static void share_loading(void *context, int part) {
    const Factoring *c = context;
    c->steps->load(c->k, c->f, c->eps, 2, part);
}

static void share_scatter(void *context, int part) {
    const Factoring *c = context;
    c->steps->scatter(c->k, c->f, 2, part);
}

static void eliminate_half(void *context, int p) {
    Factoring *c = context;
    c->done[p] = c->steps->eliminate(c->k, c->f, p, &c->pivots[p]);
}

// what the second half did to the top
static void add_shadow(HolFactors *f) {
    for (int i = f->n_values - f->shadow_values; i < f->n_values; i++) {
        f->Lx[i] += f->Lx[i + f->shadow_values];
        if (f->Ux)
            f->Ux[i] += f->Ux[i + f->shadow_values];
    }
    hol_shadow_add(f, f->D);
    hol_shadow_add(f, f->size);
}

int hol_parts_factor(HolKkt *k, HolFactors *f, double eps, const HolPartSteps *steps) {
    Factoring c = {.k = k, .f = f, .steps = steps, .eps = eps};
    for (int p = 0; p < 3; p++)
        c.pivots[p] = (HolPivots){.eps = eps};
    if (f->halves) {
        hol_pool_run(k->pool, 2, share_loading, &c);
        hol_pool_run(k->pool, 2, share_scatter, &c);
    } else {
        steps->load(k, f, eps, 1, 0);
        steps->scatter(k, f, 1, 0);
    }
    int done = steps->begin(k, f);
    if (f->halves && done == f->N) {
        hol_pool_run(k->pool, 2, eliminate_half, &c);
        done = c.done[0] < f->N ? c.done[0] : c.done[1];
        add_shadow(f);
    }
    if (done == f->N)
        done = steps->eliminate(k, f, HOL_TOP, &c.pivots[HOL_TOP]);
    if (done < f->N)
        return f->perm[done] + 1;
    double worst = fmax(c.pivots[HOL_TOP].worst, fmax(c.pivots[0].worst, c.pivots[1].worst));
    if (eps == 0 && worst > k->stats.last_growth)
        k->stats.last_growth = worst;
    return 0;
}

// ---- solve ----

// y_i = b_i - sum L_ij b_j over the leaves j of a group of rows
HOL_INLINE int forward_rows(const HolFactors *f, const HolLeafGroup *g, int entry,
                            const double *restrict b, int count) {
    double *restrict y = f->y;
    const double *restrict v = f->row_value + entry;
    const int *restrict column = f->row_column + entry, *restrict row = f->row,
                        *restrict perm = f->perm;
    for (int r = g->first; r < g->end; r++, column += count, v += count) {
        double sum = 0;
        for (int e = 0; e < count; e++)
            sum += v[e] * b[column[e]];
        y[row[r]] = b[perm[row[r]]] - sum;
    }
    return entry + (g->end - g->first) * count;
}

// a solve: b, x may be the same. By part: the largest of x, and of what it were without constraints
typedef struct Solving {
    const HolFactors *f;
    const double *b, *near; // near: reciprocals of the sizes of the unknowns
    double *x;
    double free_size[3], x_size[3];
} Solving;

// x_j = b_j / d_j - sum L_ij y_i for a group of leaf columns
HOL_INLINE int backward_columns(Solving *c, int p, const HolLeafGroup *g, int entry, int count) {
    const HolFactors *f = c->f;
    const double *restrict y = f->y, *restrict value = f->leaf_value + entry, *b = c->b,
                           *near = c->near;
    const int *restrict row = f->leaf_row + entry;
    double most = c->x_size[p], most_free = c->free_size[p], *x = c->x;
    for (int j = g->first; j < g->end; j++, row += count, value += count) {
        const int at = f->perm[j];
        double sum = b[at] * f->inverse[j];
        const double without = fabs(sum) * near[at];
        most_free = without > most_free ? without : most_free;
        for (int e = 0; e < count; e++)
            sum -= value[e] * y[row[e]];
        x[at] = sum;
        sum = fabs(sum) * near[at];
        most = sum > most ? sum : most;
    }
    c->x_size[p] = most;
    c->free_size[p] = most_free;
    return entry + (g->end - g->first) * count;
}

// the columns of a part into y, leaves excepted, with what leaves do to them
static void kkt_block_solve_take(const HolFactors *f, int p, const double *b) {
    const HolPart *part = &f->part[p];
    int entry = part->row_entry;
    const int *restrict perm = f->perm;
    double *restrict y = f->y;
    for (int i = part->first[1]; i < part->end[1]; i++)
        y[i] = b[perm[i]];
    for (const HolLeafGroup *g = f->row_group + part->row_group,
                            *end = f->row_group + part->row_group_end;
         g < end; g++) {
#define CALL(constant) entry = forward_rows(f, g, entry, b, constant)
        HOL_WITH_CONSTANT(g->count, CALL)
#undef CALL
    }
}

static void kkt_block_solve_forward(const HolFactors *f, int p) {
    const HolPart *part = &f->part[p];
    hol_blocks_forward(f, part, 0);
    if (p == HOL_TOP && f->halves)
        hol_shadow_add(f, f->y);
    hol_blocks_forward(f, part, 1);
}

static void backward(Solving *c, int p) {
    const HolFactors *f = c->f;
    const HolPart *part = &f->part[p];
    for (int s = 1; s >= 0; s--)
        hol_blocks_backward(f, part, s, f->Ux ? f->Ux : f->Lx, c->near, c->x, &c->free_size[p],
                            &c->x_size[p]);
    if (p == HOL_TOP)
        for (int i = 0; i < f->shadow; i++)
            f->y[f->N + i] = f->y[f->N - f->shadow + i];
    int entry = part->entry;
    for (const HolLeafGroup *g = f->group + part->group, *end = f->group + part->group_end; g < end;
         g++) {
#define CALL(constant) entry = backward_columns(c, p, g, entry, constant)
        HOL_WITH_CONSTANT(g->count, CALL)
#undef CALL
    }
}

static void forward_half(void *context, int p) {
    Solving *c = context;
    if (p == 1)
        memset(c->f->y + c->f->N, 0, sizeof(double) * (size_t)c->f->shadow);
    kkt_block_solve_take(c->f, p, c->b);
    kkt_block_solve_forward(c->f, p);
}

static void backward_half(void *context, int p) {
    backward(context, p);
}

void hol_parts_solve(HolKkt *k, const HolFactors *f, const double *b, double *x) {
    Solving c = {.f = f, .b = b, .near = k->near, .x = x};
    kkt_block_solve_take(f, HOL_TOP, b);
    if (f->halves)
        hol_pool_run(k->pool, 2, forward_half, &c);
    kkt_block_solve_forward(f, HOL_TOP);
    backward(&c, HOL_TOP);
    if (f->halves)
        hol_pool_run(k->pool, 2, backward_half, &c);
    k->free_size = fmax(c.free_size[HOL_TOP], fmax(c.free_size[0], c.free_size[1]));
    k->x_size = fmax(c.x_size[HOL_TOP], fmax(c.x_size[0], c.x_size[1]));
}

void hol_block_keep(HolKkt *k, void *factors, HolKeeper *w) {
    HolFactors *f = factors;
    const int rows = f->N + f->shadow, values = f->n_values + f->shadow_values;
    HOL_KEEP_ARRAY(w, f->D, rows);
    HOL_KEEP_ARRAY(w, f->size, rows);
    HOL_KEEP_ARRAY(w, f->inverse, f->N);
    HOL_KEEP_ARRAY(w, f->Lx, values);
    HOL_KEEP_ARRAY(w, f->Ux, values);
    HOL_KEEP_ARRAY(w, f->G, k->G.nnz);
    HOL_KEEP_ARRAY(w, f->leaf_value, f->leaf_entries);
    HOL_KEEP_ARRAY(w, f->row_value, f->leaf_entries);
}
