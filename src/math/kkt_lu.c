// SPDX-License-Identifier: Apache-2.0
// Saddle-point backend for Newton matrices: P [S Gt^T; G -E] P^T = L D U in a fixed order, on the
// symmetric pattern of K + K^T, without pivoting.
//
// S = M + h(..) + h^2(..) is close to the mass matrix for the steps that are taken, so the safe
// order (order.h) serves as for LDL^T. For column j, with c the unscaled column and r the unscaled
// row,
//     l = c / d_j,  u = r / d_j,   d_i -= l_i r_i,   L(b,a) -= c_b u_a,   U(a,b) -= l_a r_b.
// A pivot that lost nearly all of what it was formed from means a singular matrix or one that needs
// pivoting: the factorization is given up, and another backend takes over.
#include "math/kkt_ldl.h"

#include <math.h>
#include <string.h>

// part of its terms' magnitude a pivot must keep
static const double KEEP = 1e-8;

static void *lu_create(HolKkt *k) {
    return k->nw == 0 ? hol_ldl_analyze(k, 1) : NULL;
}

static void load_values(const HolKkt *k, HolLdl *f, double eps) {
    const double *upper = hol_kkt_upper(k);
    memset(f->Lx, 0, sizeof(double) * (size_t)f->nnz);
    memset(f->Ux, 0, sizeof(double) * (size_t)f->nnz);
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

// updates of column j's entry p on the entries behind it
static inline void update(const HolLdl *f, int p, int end, double l, double u) {
    int count = end - p - 1, start = f->run[p];
    const double *column = f->Lx + p + 1, *row = f->Ux + p + 1;
    if (start >= 0) {
        double *to_L = f->Lx + start, *to_U = f->Ux + start;
#pragma GCC ivdep
        for (int b = 0; b < count; b++) {
            to_L[b] -= u * column[b];
            to_U[b] -= l * row[b];
        }
    } else {
        const int *list = f->list + (-1 - start);
        double *Lx = f->Lx, *Ux = f->Ux;
#pragma GCC ivdep
        for (int b = 0; b < count; b++) {
            Lx[list[b]] -= u * column[b];
            Ux[list[b]] -= l * row[b];
        }
    }
}

// N when all pivots hold, else the place of the first that does not
static int eliminate(const HolKkt *k, HolLdl *f, double eps, double *growth) {
    const int *restrict Lp = f->Lp, *restrict Li = f->Li;
    double *restrict D = f->D, *restrict size = f->size;
    double worst = 0;
    for (int j = 0; j < f->N; j++) {
        double d = D[j], pivot = fabs(d);
        if (!(pivot > KEEP * size[j])) {
            // a dependent row has the pivot -eps, give or take round-off
            if (eps == 0 || j < k->n || isnan(d))
                return j;
            if (pivot < 0.5 * eps)
                d = -eps;
        }
        double inverse = 1.0 / d;
        f->inverse[j] = inverse;
        if (size[j] > worst * pivot)
            worst = size[j] / pivot;
        int end = Lp[j + 1];
        for (int p = Lp[j]; p < end; p++) {
            double l = f->Lx[p] * inverse, u = f->Ux[p] * inverse, product = l * f->Ux[p];
            D[Li[p]] -= product;
            size[Li[p]] += fabs(product);
            update(f, p, end, l, u);
            f->Lx[p] = l;
            f->Ux[p] = u;
        }
    }
    if (worst > *growth)
        *growth = worst;
    return f->N;
}

static int lu_factor(HolKkt *k, void *factors, double eps) {
    HolLdl *f = factors;
    double ignored = 0;
    load_values(k, f, eps);
    int done = eliminate(k, f, eps, eps > 0 ? &ignored : &k->stats.last_growth);
    return done < f->N ? f->perm[done] + 1 : 0;
}

static void lu_solve(HolKkt *k, void *factors, double *x) {
    const HolLdl *f = factors;
    const int *restrict Lp = f->Lp, *restrict Li = f->Li, *restrict perm = f->perm;
    const double *restrict Lx = f->Lx;
    double *restrict y = f->y;
    int N = f->N;
    double free_size = 0, x_size = 0, ignored = 0;
    for (int i = 0; i < N; i++)
        y[i] = x[perm[i]];
    for (int j = 0, p = 0; j < N; j++) {
        double yj = y[j];
        for (int end = Lp[j + 1]; p < end; p++)
            y[Li[p]] -= Lx[p] * yj;
    }
    hol_ldl_backward(f, f->Ux, N - 1, k->n, x, &ignored, &ignored);
    hol_ldl_backward(f, f->Ux, k->n - 1, 0, x, &free_size, &x_size);
    k->free_size = free_size;
    k->x_size = x_size;
}

const HolKktBackend hol_kkt_lu = {"lu", lu_create, lu_factor, lu_solve, NULL};
