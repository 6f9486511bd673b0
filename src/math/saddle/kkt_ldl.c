// SPDX-License-Identifier: Apache-2.0
// Saddle-point backend for mass-matrix systems: P [S G^T; G -E] P^T = L D L^T in a fixed order.
//
// S > 0 makes D positive at unknowns and negative at multipliers; no pivoting is needed in the safe
// order (ordering.h). A factorization is one straight run over positions found by
// kkt_block_analysis.c: for each block of columns, with u the unscaled rows,
//     l = u D^-1,   d_a -= l_a . u_a,   L(b,a) -= l_b . u_a   for rows a < b below the block.
// Leaves, grouped by their number of rows, run through one unrolled loop a group. Each later pivot
// is compared with the sum of magnitudes that formed it: a ratio below HOL_KKT_PIVOT means that the
// row depends on the rows before it.
#include "base/thread_pool.h" // hol_share_begin
#include "math/saddle/kkt_block.h"
#include "math/saddle/ordering.h"

#include <math.h>
#include <string.h>

// G with inactive rows zero
static const double *active_rows(const HolKkt *k, const HolFactors *f) {
    return k->any_inactive ? f->G : k->Gv;
}

static void *ldl_create(HolKkt *k) {
    return hol_block_analyze(k, 0);
}

// values of S, G and -eps into the blocks and D, of leaves the inverse; the share of one thread
static void kkt_ldl_load_values(const HolKkt *k, HolFactors *f, double eps, int parts, int part) {
#define SHARE(n) i = hol_share_begin(n, parts, part), end = hol_share_begin(n, parts, part + 1)
    int SHARE(k->m), first = k->G.ptr[i], last = k->G.ptr[end];
    if (k->any_inactive)
        memcpy(f->G + first, k->Gv + first, sizeof(double) * (size_t)(last - first));
    for (; k->any_inactive && i < end; i++)
        if (k->inactive[i])
            memset(f->G + k->G.ptr[i], 0, sizeof(double) * (size_t)(k->G.ptr[i + 1] - k->G.ptr[i]));
    SHARE(f->n_values + f->shadow_values);
    memset(f->Lx + i, 0, sizeof(double) * (size_t)(end - i));
    for (SHARE(f->N + f->shadow); i < end; i++)
        if (i < f->leaves)
            f->inverse[i] = 1.0 / k->Sv[f->S_diagonal[i]];
        else
            f->D[i] = i >= f->N               ? 0
                      : i >= f->unknowns      ? (f->sign[i] < 0 ? -eps : 0)
                      : f->S_diagonal[i] >= 0 ? k->Sv[f->S_diagonal[i]]
                                              : 0;
#undef SHARE
}

// entries of S and G between columns that are not leaves, once all is loaded
static void kkt_ldl_scatter_values(const HolKkt *k, HolFactors *f, int parts, int part) {
    const double *G = active_rows(k, f);
    // one triangle of S serves when both are there
    int S_count = f->S_count == 2 * f->S_lower ? f->S_lower : f->S_count;
    int end = hol_share_begin(S_count, parts, part + 1);
    for (int e = hol_share_begin(S_count, parts, part); e < end; e++)
        f->Lx[f->S_to[e]] = k->Sv[f->S_from[e]];
    end = hol_share_begin(f->G_count, parts, part + 1);
    for (int e = hol_share_begin(f->G_count, parts, part); e < end; e++)
        f->Lx[f->G_to[e]] = G[f->G_from[e]];
    int entries = f->leaf_entries;
    end = hol_share_begin(entries, parts, part + 1);
    for (int e = hol_share_begin(entries, parts, part); e < end; e++)
        f->row_value[e] = G[f->row_source[e]] * f->inverse[f->at[f->row_column[e]]];
}

// ---- factorization ----

// one group of leaf columns; returns the first column whose pivot fails, or the end
HOL_INLINE int leaf_columns(const HolKkt *k, HolFactors *f, const HolLeafGroup *g, int entry,
                            const int **targets, int count) {
    const int *restrict row = f->leaf_row + entry, *restrict source = f->leaf_source + entry;
    const int *restrict target = *targets;
    const double *restrict G = active_rows(k, f);
    double *restrict value = f->leaf_value + entry, *restrict Lx = f->Lx, *restrict D = f->D;
    for (int j = g->first; j < g->end; j++, row += count, source += count, value += count) {
        double inverse = f->inverse[j];
        if (!(inverse > 0 && inverse < INFINITY))
            return j;
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

// the leaves of a part; returns the first column whose pivot fails, or N
static int eliminate_leaves(const HolKkt *k, HolFactors *f, const HolPart *part) {
    int entry = part->entry;
    const int *target = f->leaf_target + part->target;
    for (const HolLeafGroup *g = f->group + part->group; g < f->group + part->group_end; g++) {
        int done = 0;
#define CALL(constant) done = leaf_columns(k, f, g, entry, &target, constant)
        HOL_WITH_CONSTANT(g->count, CALL)
#undef CALL
        if (done < g->end)
            return done;
        entry += (g->end - g->first) * g->count;
    }
    return f->N;
}

// The block's own columns and the rows below: unscaled into u, scaled into L. Returns how many
// pivots hold
HOL_INLINE int kkt_ldl_factor_block(HolFactors *f, const HolSpot *b, double *unscaled,
                                    HolPivots *pivots, int width, int rows) {
    double *restrict L = f->Lx + b->at, *restrict D = f->D + b->first,
                     *restrict size = f->size + b->first, *restrict inverse = f->inverse + b->first,
                     *restrict u = unscaled;
    int all = width + rows;
    for (int i = 0, own = 0; i < all; i++, L += own, u += width) {
        own = i < width ? i : width;
        for (int c = 0; c < own; c++) { // u_c = a_c - sum_{e<c} l_e u(c, e)
            double sum = L[c];
            const double *other = unscaled + c * width;
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
        if (!(pivot > (pivots->eps > 0 ? 0 : HOL_KKT_PIVOT) * formed)) {
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
HOL_INLINE void kkt_ldl_update_below(HolFactors *f, const HolSpot *b, const double *unscaled,
                                     int width, int rows) {
    const double *restrict L = f->Lx + b->at + hol_triangle(width), *restrict u =
                                                                        unscaled + width * width;
    const int *restrict row = f->row_index + b->row, *restrict target = f->target + b->target;
    double *restrict Lx = f->Lx, *restrict D = f->D, *restrict size = f->size;
    for (int i = 0; i < rows; i++) {
        const double *ui = u + i * width, *li = L + i * width;
        double sum = 0, magnitude = 0;
        for (int c = 0; c < width; c++) {
            sum += li[c] * ui[c];
            magnitude += fabs(li[c] * ui[c]);
        }
        D[row[i]] -= sum;
        size[row[i]] += magnitude;
        for (int j = i + 1; j < rows; j++) {
            const double *lj = L + j * width;
            double product = 0;
            for (int c = 0; c < width; c++)
                product += lj[c] * ui[c];
            Lx[*target++] -= product;
        }
    }
}

// the blocks of a segment; N when all pivots hold, else the place of the first that does not
static int eliminate_blocks(HolFactors *f, const HolPart *part, int segment, double *unscaled,
                            HolPivots *pivots) {
    HolSpot spot = part->spot[segment];
    for (int i = part->block[segment]; i < part->block_end[segment]; i++) {
        const int rows = (int)f->block[i].rows, columns = (int)f->block[i].width;
        int done = 0;
#define CALL(width)                                                                                \
    done = kkt_ldl_factor_block(f, &spot, unscaled, pivots, width, rows);                          \
    if (done == (width)) {                                                                         \
        kkt_ldl_update_below(f, &spot, unscaled, width, rows);                                     \
        hol_spot_leave(&spot, width, rows);                                                        \
    }
        HOL_WITH_CONSTANT(columns, CALL)
#undef CALL
        if (done < columns)
            return spot.first + done;
    }
    return f->N;
}

// up to here all terms had one sign
static void start_sizes(HolFactors *f, int from, int to) {
    for (int i = from; i < to; i++)
        f->size[i] = fabs(f->D[i]);
}

// what comes before the halves: inactive rows, the leaves of the top
static int kkt_ldl_begin(HolKkt *k, HolFactors *f) {
    const HolPart *top = &f->part[HOL_TOP];
    for (int i = 0; k->any_inactive && i < k->m; i++)
        if (k->inactive[i])
            f->D[f->at[k->n + i]] = -1;
    int done = eliminate_leaves(k, f, top);
    for (int s = 1; s < 3; s++)
        start_sizes(f, top->first[s], top->end[s]);
    return done;
}

static int kkt_ldl_eliminate(HolKkt *k, HolFactors *f, int p, HolPivots *pivots) {
    const HolPart *part = &f->part[p];
    int N = f->N, done = N;
    if (p != HOL_TOP) {
        done = eliminate_leaves(k, f, part);
        for (int s = 1; s < 3; s++)
            start_sizes(f, part->first[s], part->end[s]);
        // rows of the top with the leaves of this half
        start_sizes(f, p == 1 ? N : N - f->shadow, p == 1 ? N + f->shadow : N);
    }
    for (int s = 0; s < 2 && done == N; s++)
        done = eliminate_blocks(f, part, s, f->unscaled[p], pivots);
    return done;
}

static const HolPartSteps steps = {kkt_ldl_load_values, kkt_ldl_scatter_values, kkt_ldl_begin,
                                   kkt_ldl_eliminate};

static int ldl_factor(HolKkt *k, void *factors, double eps) {
    HolFactors *f = factors;
    int failed = hol_parts_factor(k, f, eps, &steps);
    for (int i = 0; !failed && k->any_inactive && i < k->m; i++)
        if (k->inactive[i])
            f->inverse[f->at[k->n + i]] = 1;
    return failed;
}

static void ldl_solve(HolKkt *k, void *factors, const double *b, double *x) {
    hol_parts_solve(k, factors, b, x);
}

const HolKktBackend hol_kkt_ldl = {"ldl", ldl_create, ldl_factor, ldl_solve, NULL, hol_block_keep};
