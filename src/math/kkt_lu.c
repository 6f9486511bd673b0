// SPDX-License-Identifier: Apache-2.0
// Saddle-point backend for Newton matrices: P [S Gt^T; G -E] P^T = L D U in a fixed order, on the
// symmetric pattern of K + K^T, without pivoting.
//
// S = M + h(..) + h^2(..) is close to the mass matrix for the steps that are taken, so the safe
// order (order.h) serves as for LDL^T. For each block of columns, with c the unscaled rows of L and
// r those of U (transposed),
//     l = c D^-1,  u = r D^-1,   d_a -= l_a . r_a,   L(b,a) -= l_b . r_a,   U(a,b) -= u_b . c_a.
// A pivot that lost nearly all of what it was formed from means a singular matrix or one that needs
// pivoting: the factorization is given up, and another backend takes over.
#include "math/kkt_block.h"

#include <math.h>
#include <string.h>

// part of its terms' magnitude a pivot must keep
static const double KEEP = 1e-8;

static void *lu_create(HolKkt *k) {
    return k->nw == 0 ? hol_block_analyze(k, 1) : NULL;
}

static void load_values(const HolKkt *k, HolFactors *f, double eps) {
    const double *upper = hol_kkt_upper(k);
    memset(f->Lx, 0, sizeof(double) * (size_t)f->n_values);
    memset(f->Ux, 0, sizeof(double) * (size_t)f->n_values);
    for (int e = 0; e < f->S_lower; e++)
        f->Lx[f->S_to[e]] = k->Sv[f->S_from[e]];
    for (int e = f->S_lower; e < f->S_count; e++)
        f->Ux[f->S_to[e]] = k->Sv[f->S_from[e]];
    // without leaves the list of G is complete and in order
    for (int e = 0; e < f->G_count; e++) {
        f->Lx[f->G_to[e]] = k->Gv[e];
        f->Ux[f->G_to[e]] = upper[e];
    }
    for (int i = 0; i < k->n; i++)
        f->D[i] = f->S_diagonal[i] >= 0 ? k->Sv[f->S_diagonal[i]] : 0;
    for (int i = k->n; i < f->N; i++)
        f->D[i] = -eps;
    if (k->any_inactive)
        for (int i = 0; i < k->m; i++)
            if (k->inactive[i]) {
                for (int p = k->G.ptr[i]; p < k->G.ptr[i + 1]; p++)
                    f->Lx[f->G_to[p]] = f->Ux[f->G_to[p]] = 0;
                f->D[f->at[k->n + i]] = 1;
            }
    for (int i = 0; i < f->N; i++)
        f->size[i] = fabs(f->D[i]);
}

typedef struct Pivots {
    int unknowns;
    double eps, worst;
} Pivots;

// the block's own columns and the rows below; returns how many pivots hold
HOL_INLINE int factor_block(HolFactors *f, const HolBlock *b, double *restrict row_of_U,
                            Pivots *pivots, int width) {
    double *restrict L = f->Lx + b->at, *restrict U = f->Ux + b->at, *restrict D = f->D + b->first,
                     *restrict size = f->size + b->first, *restrict inverse = f->inverse + b->first,
                     *restrict column = f->unscaled, *restrict row = row_of_U;
    int all = width + b->rows;
    for (int i = 0; i < all; i++, L += width, U += width, column += width, row += width) {
        int own = i < width ? i : width;
        for (int c = 0; c < own; c++) {
            double left = L[c], right = U[c];
            const double *column_c = f->unscaled + c * width, *row_c = row_of_U + c * width;
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
            if (pivots->eps == 0 || b->first + i < pivots->unknowns || isnan(d))
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
HOL_INLINE void update_below(HolFactors *f, const HolBlock *b, const double *row_of_U, int width) {
    const double *restrict L = f->Lx + b->at + width * width,
                           *restrict U = f->Ux + b->at + width * width,
                           *restrict column = f->unscaled + width * width,
                           *restrict row = row_of_U + width * width;
    const int *restrict index = f->row_index + b->row, *restrict target = f->target + b->target;
    double *restrict Lx = f->Lx, *restrict Ux = f->Ux;
    for (int i = 0; i < b->rows; i++) {
        const double *ri = row + i * width, *ci = column + i * width, *li = L + i * width;
        double sum = 0, magnitude = 0;
        for (int c = 0; c < width; c++) {
            sum += li[c] * ri[c];
            magnitude += fabs(li[c] * ri[c]);
        }
        f->D[index[i]] -= sum;
        f->size[index[i]] += magnitude;
        for (int j = i + 1; j < b->rows; j++) {
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

// N when all pivots hold, else the place of the first that does not
static int eliminate(const HolKkt *k, HolFactors *f, double eps, double *growth) {
    Pivots pivots = {k->n, eps, 0};
    for (const HolBlock *b = f->block; b < f->block + f->n_blocks; b++) {
        int done = 0;
        double *row_of_U = f->unscaled + b->width * (b->width + b->rows);
#define CALL(width)                                                                                \
    done = factor_block(f, b, row_of_U, &pivots, width);                                           \
    if (done == (width))                                                                           \
    update_below(f, b, row_of_U, width)
        HOL_WITH_CONSTANT(b->width, CALL)
#undef CALL
        if (done < b->width)
            return b->first + done;
    }
    if (pivots.worst > *growth)
        *growth = pivots.worst;
    return f->N;
}

static int lu_factor(HolKkt *k, void *factors, double eps) {
    HolFactors *f = factors;
    double ignored = 0;
    load_values(k, f, eps);
    int done = eliminate(k, f, eps, eps > 0 ? &ignored : &k->stats.last_growth);
    return done < f->N ? f->perm[done] + 1 : 0;
}

static void lu_solve(HolKkt *k, void *factors, const double *b, double *x) {
    const HolFactors *f = factors;
    double free_size = 0, x_size = 0;
    for (int i = 0; i < f->N; i++)
        f->y[i] = b[f->perm[i]];
    hol_blocks_forward(f);
    hol_blocks_backward(f, f->Ux, x, &free_size, &x_size);
    k->free_size = free_size;
    k->x_size = x_size;
}

const HolKktBackend hol_kkt_lu = {"lu", lu_create, lu_factor, lu_solve, NULL};
