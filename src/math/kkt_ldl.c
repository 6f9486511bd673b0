// SPDX-License-Identifier: Apache-2.0
// Saddle-point backend for mass-matrix systems: P [S G^T; G -E] P^T = L D L^T in a fixed order.
//
// S > 0 makes D positive at unknowns and negative at multipliers; no pivoting is needed in the safe
// order (order.h). A factorization is one straight run over positions found by kkt_block_map.c: for
// each block of columns, with u the unscaled rows,
//     l = u D^-1,   d_a -= l_a . u_a,   L(b,a) -= l_b . u_a   for rows a < b below the block.
// Leaves, grouped by their number of rows, run through one unrolled loop a group. In a solve their
// forward part goes by rows, their backward part by columns: sums without waiting for stores. Each
// later pivot is compared with the sum of magnitudes that formed it: a ratio below HOL_KKT_PIVOT
// means that the row depends on the rows before it.
#include "math/kkt_block.h"

#include <math.h>
#include <string.h>

static void *ldl_create(HolKkt *k) {
    return hol_block_analyze(k, 0);
}

// values of S, G and -eps into the blocks and D, leaf columns excepted
static void load_values(const HolKkt *k, HolFactors *f, double eps) {
    memcpy(f->G, k->Gv, sizeof(double) * (size_t)k->G.nnz);
    if (k->any_inactive)
        for (int i = 0; i < k->m; i++)
            if (k->inactive[i])
                memset(f->G + k->G.ptr[i], 0,
                       sizeof(double) * (size_t)(k->G.ptr[i + 1] - k->G.ptr[i]));
    memset(f->Lx, 0, sizeof(double) * (size_t)f->n_values);
    // one triangle of S serves when both are there
    int S_count = f->S_count == 2 * f->S_lower ? f->S_lower : f->S_count;
    for (int e = 0; e < S_count; e++)
        f->Lx[f->S_to[e]] = k->Sv[f->S_from[e]];
    for (int e = 0; e < f->G_count; e++)
        f->Lx[f->G_to[e]] = f->G[f->G_from[e]];
    for (int i = f->leaves; i < f->unknowns; i++)
        f->D[i] = f->S_diagonal[i] >= 0 ? k->Sv[f->S_diagonal[i]] : 0;
    for (int i = f->unknowns; i < f->N; i++)
        f->D[i] = f->sign[i] < 0 ? -eps : 0;
    if (k->any_inactive)
        for (int i = 0; i < k->m; i++)
            if (k->inactive[i])
                f->D[f->at[k->n + i]] = -1;
}

// ---- factorization ----

// one group of leaf columns; returns the first column whose pivot fails, or the end
HOL_INLINE int leaf_columns(const HolKkt *k, HolFactors *f, const HolLeafGroup *g, int entry,
                            const int **targets, int count) {
    const int *restrict row = f->leaf_row + entry, *restrict source = f->leaf_source + entry;
    const int *restrict target = *targets;
    const double *restrict G = f->G;
    double *restrict value = f->leaf_value + entry, *restrict Lx = f->Lx, *restrict D = f->D;
    for (int j = g->first; j < g->end; j++, row += count, source += count, value += count) {
        double d = k->Sv[f->S_diagonal[j]];
        if (!(d > 0))
            return j;
        double inverse = 1.0 / d;
        f->inverse[j] = inverse;
        for (int a = 0; a < count; a++) {
            double u = G[source[a]], l = u * inverse;
            value[a] = l;
            D[row[a]] -= l * u;
            for (int b = a + 1; b < count; b++)
                Lx[*target++] -= l * G[source[b]];
        }
    }
    *targets = target;
    return g->end;
}

static int eliminate_leaves(const HolKkt *k, HolFactors *f) {
    int entry = 0;
    const int *target = f->leaf_target;
    for (const HolLeafGroup *g = f->group; g < f->group + f->groups; g++) {
        int done = 0;
#define CALL(constant) done = leaf_columns(k, f, g, entry, &target, constant)
        HOL_WITH_CONSTANT(g->count, CALL)
#undef CALL
        if (done < g->end)
            return done;
        entry += (g->end - g->first) * g->count;
    }
    for (int e = 0; e < entry; e++)
        f->row_value[e] = f->G[f->row_source[e]];
    return f->leaves;
}

// What pivots are compared with; eps > 0: round-off cannot spoil a multiplier's pivot, it is at
// least eps.
typedef struct Pivots {
    double eps, threshold, worst;
} Pivots;

// The block's own columns and the rows below: unscaled into u, scaled into L. Returns how many
// pivots hold
HOL_INLINE int factor_block(HolFactors *f, const HolBlock *b, Pivots *pivots, int width) {
    double *restrict L = f->Lx + b->at, *restrict D = f->D + b->first,
                     *restrict size = f->size + b->first, *restrict inverse = f->inverse + b->first,
                     *restrict u = f->unscaled;
    int all = width + b->rows;
    for (int i = 0; i < all; i++, L += width, u += width) {
        int own = i < width ? i : width;
        for (int c = 0; c < own; c++) { // u_c = a_c - sum_{e<c} l_e u(c, e)
            double sum = L[c];
            const double *other = f->unscaled + c * width;
            for (int e = 0; e < c; e++)
                sum -= L[e] * other[e];
            u[c] = sum;
            L[c] = sum * inverse[c];
        }
        if (i >= width)
            continue;
        double d = D[i], formed = size[i];
        for (int c = 0; c < i; c++) {
            double square = L[c] * u[c];
            d -= square;
            formed += fabs(square);
        }
        double pivot = d * f->sign[b->first + i];
        if (!(pivot > pivots->threshold * formed)) {
            if (pivots->eps == 0 || f->sign[b->first + i] > 0 || isnan(d))
                return i;
            d = -pivots->eps;
        }
        D[i] = d;
        inverse[i] = 1.0 / d;
        if (formed > pivots->worst * pivot)
            pivots->worst = formed / pivot;
    }
    return width;
}

// what the rows below do to each other's entries
HOL_INLINE void update_below(HolFactors *f, const HolBlock *b, int width) {
    const double *restrict L = f->Lx + b->at + width * width, *restrict u =
                                                                  f->unscaled + width * width;
    const int *restrict row = f->row_index + b->row, *restrict target = f->target + b->target;
    double *restrict Lx = f->Lx, *restrict D = f->D, *restrict size = f->size;
    for (int i = 0; i < b->rows; i++) {
        const double *ui = u + i * width, *li = L + i * width;
        double sum = 0, magnitude = 0;
        for (int c = 0; c < width; c++) {
            sum += li[c] * ui[c];
            magnitude += fabs(li[c] * ui[c]);
        }
        D[row[i]] -= sum;
        size[row[i]] += magnitude;
        for (int j = i + 1; j < b->rows; j++) {
            const double *lj = L + j * width;
            double product = 0;
            for (int c = 0; c < width; c++)
                product += lj[c] * ui[c];
            Lx[*target++] -= product;
        }
    }
}

// all blocks; N when all pivots hold, else the place of the first that does not
static int eliminate_blocks(HolFactors *f, double eps, double *growth) {
    Pivots pivots = {eps, eps > 0 ? 0 : HOL_KKT_PIVOT, 0};
    // up to here all terms had one sign
    for (int i = f->leaves; i < f->N; i++)
        f->size[i] = fabs(f->D[i]);
    for (const HolBlock *b = f->block; b < f->block + f->n_blocks; b++) {
        int done = 0;
#define CALL(width)                                                                                \
    done = factor_block(f, b, &pivots, width);                                                     \
    if (done == (width))                                                                           \
    update_below(f, b, width)
        HOL_WITH_CONSTANT(b->width, CALL)
#undef CALL
        if (done < b->width)
            return b->first + done;
    }
    if (pivots.worst > *growth)
        *growth = pivots.worst;
    return f->N;
}

static int ldl_factor(HolKkt *k, void *factors, double eps) {
    HolFactors *f = factors;
    double ignored = 0;
    load_values(k, f, eps);
    int done = eliminate_leaves(k, f);
    if (done == f->leaves)
        done = eliminate_blocks(f, eps, eps > 0 ? &ignored : &k->stats.last_growth);
    if (done < f->N)
        return f->perm[done] + 1;
    if (k->any_inactive)
        for (int i = 0; i < k->m; i++)
            if (k->inactive[i])
                f->inverse[f->at[k->n + i]] = 1;
    return 0;
}

// ---- solve ----

// y_i -= sum G_ij y_j over the leaves j of a group of rows; y_j is already divided by d_j
HOL_INLINE int forward_rows(const HolFactors *f, const HolLeafGroup *g, int entry, int count) {
    double *restrict y = f->y;
    const double *restrict v = f->row_value + entry;
    const int *restrict column = f->row_column + entry;
    for (int r = g->first; r < g->end; r++, column += count, v += count) {
        double sum = 0;
        for (int e = 0; e < count; e++)
            sum += v[e] * y[column[e]];
        y[f->row[r]] -= sum;
    }
    return entry + (g->end - g->first) * count;
}

// x_j = y_j - sum L_ij y_i for a group of leaf columns; *largest: the largest |x_j|
HOL_INLINE int backward_columns(const HolFactors *f, const HolLeafGroup *g, int entry, int count,
                                double *restrict x, double *largest) {
    const double *restrict y = f->y, *restrict value = f->leaf_value + entry;
    const int *restrict row = f->leaf_row + entry;
    double most = *largest;
    for (int j = g->first; j < g->end; j++, row += count, value += count) {
        double sum = y[j];
        for (int e = 0; e < count; e++)
            sum -= value[e] * y[row[e]];
        x[f->perm[j]] = sum;
        most = fabs(sum) > most ? fabs(sum) : most;
    }
    *largest = most;
    return entry + (g->end - g->first) * count;
}

static void ldl_solve(HolKkt *k, void *factors, const double *b, double *x) {
    const HolFactors *f = factors;
    const int *restrict perm = f->perm;
    double *restrict y = f->y, free_size = 0, x_size = 0;
    int N = f->N, leaves = f->leaves, entry = 0;
    for (int i = 0; i < leaves; i++) {
        y[i] = b[perm[i]] * f->inverse[i];
        free_size = fabs(y[i]) > free_size ? fabs(y[i]) : free_size;
    }
    for (int i = leaves; i < N; i++)
        y[i] = b[perm[i]];
    for (const HolLeafGroup *g = f->row_group; g < f->row_group + f->row_groups; g++) {
#define CALL(constant) entry = forward_rows(f, g, entry, constant)
        HOL_WITH_CONSTANT(g->count, CALL)
#undef CALL
    }
    hol_blocks_forward(f);
    hol_blocks_backward(f, f->Lx, x, &free_size, &x_size);
    entry = 0;
    for (const HolLeafGroup *g = f->group; g < f->group + f->groups; g++) {
#define CALL(constant) entry = backward_columns(f, g, entry, constant, x, &x_size)
        HOL_WITH_CONSTANT(g->count, CALL)
#undef CALL
    }
    k->free_size = free_size;
    k->x_size = x_size;
}

const HolKktBackend hol_kkt_ldl = {"ldl", ldl_create, ldl_factor, ldl_solve, NULL};
