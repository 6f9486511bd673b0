// SPDX-License-Identifier: Apache-2.0
// Saddle-point backend for Newton matrices: P [S Gt^T; G -E] P^T = L D U in a fixed order, on the
// symmetric pattern of K + K^T, without pivoting.
//
// S = M + h(..) + h^2(..) is close to the mass matrix for the steps that are taken, so the safe
// order (ordering.h) serves as for LDL^T. For each block of columns, with c the unscaled rows of L
// and r those of U (transposed),
//     l = c D^-1,  u = r D^-1,   d_a -= l_a . r_a,   L(b,a) -= l_b . r_a,   U(a,b) -= u_b . c_a.
// A pivot that lost nearly all of what it was formed from means a singular matrix or one that needs
// pivoting: the factorization is given up, and another backend takes over.
#include "base/thread_pool.h" // hol_share_begin
#include "math/saddle/kkt_block.h"
#include "math/saddle/ordering.h"

#include <math.h>
#include <string.h>

// part of its terms' magnitude a pivot must keep
static const double KEEP = 1e-8;

static void *lu_create(HolKkt *k) {
    return k->nw == 0 ? hol_block_analyze(k, 1) : NULL;
}

// values of S, G and -eps; the share of one thread
static void kkt_lu_load_values(const HolKkt *k, HolFactors *f, double eps, int parts, int part) {
    int all = f->n_values + f->shadow_values, first = hol_share_begin(all, parts, part),
        end = hol_share_begin(all, parts, part + 1);
    memset(f->Lx + first, 0, sizeof(double) * (size_t)(end - first));
    memset(f->Ux + first, 0, sizeof(double) * (size_t)(end - first));
    all = f->N + f->shadow;
    end = hol_share_begin(all, parts, part + 1);
    for (int i = hol_share_begin(all, parts, part); i < end; i++) {
        f->D[i] = i >= f->N               ? 0
                  : i >= k->n             ? -eps
                  : f->S_diagonal[i] >= 0 ? k->Sv[f->S_diagonal[i]]
                                          : 0;
        f->size[i] = fabs(f->D[i]);
    }
}

static void kkt_lu_scatter_values(const HolKkt *k, HolFactors *f, int parts, int part) {
    const double *upper = hol_kkt_upper(k);
    int end = hol_share_begin(f->S_count, parts, part + 1);
    for (int e = hol_share_begin(f->S_count, parts, part); e < end; e++)
        (e < f->S_lower ? f->Lx : f->Ux)[f->S_to[e]] = k->Sv[f->S_from[e]];
    // without leaves the list of G is complete and in order
    end = hol_share_begin(f->G_count, parts, part + 1);
    for (int e = hol_share_begin(f->G_count, parts, part); e < end; e++) {
        f->Lx[f->G_to[e]] = k->Gv[e];
        f->Ux[f->G_to[e]] = upper[e];
    }
}

static void drop_inactive(const HolKkt *k, HolFactors *f) {
    for (int i = 0; i < k->m; i++)
        if (k->inactive[i]) {
            for (int p = k->G.ptr[i]; p < k->G.ptr[i + 1]; p++)
                f->Lx[f->G_to[p]] = f->Ux[f->G_to[p]] = 0;
            f->D[f->at[k->n + i]] = f->size[f->at[k->n + i]] = 1;
        }
}

// the block's own columns and the rows below; returns how many pivots hold
HOL_INLINE int kkt_lu_factor_block(HolFactors *f, const HolSpot *b, double *restrict unscaled,
                                   double *restrict row_of_U, HolPivots *pivots, int unknowns,
                                   int width, int rows) {
    double *restrict L = f->Lx + b->at, *restrict U = f->Ux + b->at, *restrict D = f->D + b->first,
                     *restrict size = f->size + b->first, *restrict inverse = f->inverse + b->first,
                     *restrict column = unscaled, *restrict row = row_of_U;
    int all = width + rows;
    for (int i = 0, own = 0; i < all; i++, L += own, U += own, column += width, row += width) {
        own = i < width ? i : width;
        for (int c = 0; c < own; c++) {
            double left = L[c], right = U[c];
            const double *column_c = unscaled + c * width, *row_c = row_of_U + c * width;
            for (int e = 0; e < c; e++) {
                left -= L[e] * row_c[e];
                right -= U[e] * column_c[e];
            }
            column[c] = left;
            row[c] = right;
            L[c] = left * inverse[c];
            U[c] = right * inverse[c];
        }
        if (i >= width)
            continue;
        double d = D[i], formed = size[i];
        for (int c = 0; c < i; c++) {
            double product = L[c] * row[c];
            d -= product;
            formed += fabs(product);
        }
        double pivot = fabs(d);
        if (!(pivot > KEEP * formed)) {
            // a dependent row has the pivot -eps, give or take round-off
            if (pivots->eps == 0 || b->first + i < unknowns || isnan(d))
                return i;
            if (pivot < 0.5 * pivots->eps)
                d = -pivots->eps;
        }
        inverse[i] = 1.0 / d;
        if (formed > pivots->worst * pivot)
            pivots->worst = formed / pivot;
    }
    return width;
}

// what the rows below do to each other's entries
HOL_INLINE void kkt_lu_update_below(HolFactors *f, const HolSpot *b, const double *unscaled,
                                    const double *row_of_U, int width, int rows) {
    const double *restrict L = f->Lx + b->at + hol_triangle(width),
                           *restrict U = f->Ux + b->at + hol_triangle(width),
                           *restrict column = unscaled + width * width,
                           *restrict row = row_of_U + width * width;
    const int *restrict index = f->row_index + b->row, *restrict target = f->target + b->target;
    double *restrict Lx = f->Lx, *restrict Ux = f->Ux;
    for (int i = 0; i < rows; i++) {
        const double *ri = row + i * width, *ci = column + i * width, *li = L + i * width;
        double sum = 0, magnitude = 0;
        for (int c = 0; c < width; c++) {
            sum += li[c] * ri[c];
            magnitude += fabs(li[c] * ri[c]);
        }
        f->D[index[i]] -= sum;
        f->size[index[i]] += magnitude;
        for (int j = i + 1; j < rows; j++) {
            const double *lj = L + j * width, *uj = U + j * width;
            double left = 0, right = 0;
            for (int c = 0; c < width; c++) {
                left += lj[c] * ri[c];
                right += uj[c] * ci[c];
            }
            Lx[*target] -= left;
            Ux[*target++] -= right;
        }
    }
}

static int kkt_lu_begin(HolKkt *k, HolFactors *f) {
    if (k->any_inactive)
        drop_inactive(k, f);
    return f->N;
}

// a part's blocks; N when all pivots hold, else the place of the first that does not
static int kkt_lu_eliminate(HolKkt *k, HolFactors *f, int p, HolPivots *pivots) {
    const HolPart *part = &f->part[p];
    double *unscaled = f->unscaled[p];
    for (int s = 0; s < 2; s++) {
        HolSpot spot = part->spot[s];
        for (int i = part->block[s]; i < part->block_end[s]; i++) {
            const int rows = (int)f->block[i].rows, columns = (int)f->block[i].width;
            int done = 0;
            double *row_of_U = unscaled + columns * (columns + rows);
#define CALL(width)                                                                                \
    done = kkt_lu_factor_block(f, &spot, unscaled, row_of_U, pivots, k->n, width, rows);           \
    if (done == (width)) {                                                                         \
        kkt_lu_update_below(f, &spot, unscaled, row_of_U, width, rows);                            \
        hol_spot_leave(&spot, width, rows);                                                        \
    }
            HOL_WITH_CONSTANT(columns, CALL)
#undef CALL
            if (done < columns)
                return spot.first + done;
        }
    }
    return f->N;
}

static const HolPartSteps steps = {kkt_lu_load_values, kkt_lu_scatter_values, kkt_lu_begin,
                                   kkt_lu_eliminate};

static int lu_factor(HolKkt *k, void *factors, double eps) {
    return hol_parts_factor(k, factors, eps, &steps);
}

static void lu_solve(HolKkt *k, void *factors, const double *b, double *x) {
    hol_parts_solve(k, factors, b, x);
}

const HolKktBackend hol_kkt_lu = {"lu", lu_create, lu_factor, lu_solve, NULL, hol_block_keep};
