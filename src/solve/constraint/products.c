// SPDX-License-Identifier: Apache-2.0
// Products with the matrices of a run and sums of its vectors, shared by its threads. With threads
// G^T l goes by columns, whose entries are listed once: each y_j is summed by one thread, in the
// order of the rows as without threads, so that the bits are the same.
#include "base/thread_pool.h"
#include "math/simd.h"
#include "solve/constraint/project.h"

#include <string.h>

typedef struct Product {
    const HolSim *s;
    const double *A, *x;
    double c, *y;
} Product;

typedef struct Sum {
    const double *x, *z;
    double c, *y;
} Sum;

int hol_products_prepare(HolSim *s) {
    const HolPattern *G = &s->p->G;
    if (!s->pool)
        return 1;
    struct HolColumns *t = &s->G_columns;
    t->ptr = HOL_NEW(&s->arena, int, s->nv + 2);
    t->row = HOL_NEW(&s->arena, int, G->nnz + 1);
    t->entry = HOL_NEW(&s->arena, int, G->nnz + 1);
    if (!t->ptr || !t->row || !t->entry)
        return 0;
    for (int k = 0; k < G->nnz; k++)
        t->ptr[G->idx[k] + 2]++; // becomes the start of the column after the sums
    for (int j = 0; j < s->nv; j++)
        t->ptr[j + 2] += t->ptr[j + 1];
    for (int i = 0; i < G->rows; i++)
        for (int k = G->ptr[i]; k < G->ptr[i + 1]; k++) {
            int to = t->ptr[G->idx[k] + 1]++;
            t->row[to] = i;
            t->entry[to] = k;
        }
    return 1;
}

static void mass_loop(void *context, int first, int end) {
    const Product *a = context;
    const HolPattern *P = &a->s->p->M;
    for (int j = first; j < end; j++)
        for (int k = P->ptr[j]; k < P->ptr[j + 1]; k++)
            a->y[j] += a->A[k] * (a->c * a->x[P->idx[k]]);
}

void hol_sim_mul_M(const HolSim *s, const double *M, const double *x, double c, double *y) {
    if (s->pool && s->p->symmetric_mass)
        hol_pool_loop(s->pool, s->nv, mass_loop, &(Product){s, M, x, c, y});
    else
        hol_mul_columns(&s->p->M, M, x, c, y);
}

// row i of G x
static inline double row_product(const Product *a, int i) {
    const HolPattern *P = &a->s->p->G;
    double sum = 0;
    for (int k = P->ptr[i]; k < P->ptr[i + 1]; k++)
        sum += a->A[k] * a->x[P->idx[k]];
    return sum;
}

static void rows_loop(void *context, int first, int end) {
    const Product *a = context;
    for (int i = first; i < end; i++)
        a->y[i] += a->c * row_product(a, i);
}

void hol_sim_mul_G(const HolSim *s, const double *G, const double *x, double c, double *y) {
    if (s->pool)
        hol_pool_loop(s->pool, s->m, rows_loop, &(Product){s, G, x, c, y});
    else
        hol_mul_rows(&s->p->G, G, x, c, y);
}

static void columns_loop(void *context, int first, int end) {
    const Product *a = context;
    const struct HolColumns *t = &a->s->G_columns;
    for (int j = first; j < end; j++)
        for (int k = t->ptr[j]; k < t->ptr[j + 1]; k++)
            a->y[j] += a->A[t->entry[k]] * (a->c * a->x[t->row[k]]);
}

void hol_sim_mul_GT(const HolSim *s, const double *G, const double *l, double c, double *y) {
    if (s->pool)
        hol_pool_loop(s->pool, s->nv, columns_loop, &(Product){s, G, l, c, y});
    else
        hol_mul_rows_transposed(&s->p->G, G, l, c, y);
}

// the forces that are missing: y = start - M x - G^T l
typedef struct Balance {
    const HolSim *s;
    const double *M, *x, *G, *l, *start;
    double *y;
} Balance;

static void balance_loop(void *context, int first, int end) {
    const Balance *a = context;
    const HolPattern *M = &a->s->p->M;
    const struct HolColumns *t = &a->s->G_columns;
    for (int j = first; j < end; j++) {
        double y = a->start ? a->start[j] : 0;
        for (int k = M->ptr[j]; k < M->ptr[j + 1]; k++)
            y -= a->M[k] * a->x[M->idx[k]];
        for (int k = t->ptr[j]; a->l && k < t->ptr[j + 1]; k++)
            y -= a->G[t->entry[k]] * a->l[t->row[k]];
        a->y[j] = y;
    }
}

void hol_sim_balance(const HolSim *s, const double *M, const double *x, const double *G,
                     const double *l, const double *start, double *y) {
    if (s->pool && s->p->symmetric_mass) {
        hol_pool_loop(s->pool, s->nv, balance_loop, &(Balance){s, M, x, G, l, start, y});
        return;
    }
    const size_t bytes = sizeof *y * (size_t)s->nv;
    if (!start)
        memset(y, 0, bytes);
    else if (start != y)
        memcpy(y, start, bytes);
    hol_mul_columns(&s->p->M, M, x, -1, y);
    if (l)
        hol_mul_rows_transposed(&s->p->G, G, l, -1, y);
}

static void defect_loop(void *context, int first, int end) {
    const Product *a = context;
    for (int i = first; i < end; i++)
        a->y[i] = -(a->y[i] + row_product(a, i));
}

static void negate_loop(void *context, int first, int end) {
    double *y = ((const Product *)context)->y;
    for (int i = first; i < end; i++)
        y[i] = -y[i];
}

void hol_sim_defect(const HolSim *s, int rows, const double *G, const double *x, double *r) {
    hol_pool_loop(s->pool, rows, x ? defect_loop : negate_loop, &(Product){s, G, x, 0, r});
}

static void add_loop(void *context, int first, int end) {
    const Sum a = *(const Sum *)context;
    HOL_INDEPENDENT
    for (int i = first; i < end; i++)
        a.y[i] = a.x[i] + a.c * a.z[i];
}

void hol_sim_add(const HolSim *s, int n, const double *x, double c, const double *z, double *y) {
    hol_pool_loop(s->pool, n, add_loop, &(Sum){x, z, c, y});
}

static void products_copy_loop(void *context, int first, int end) {
    const Sum *a = context;
    memcpy(a->y + first, a->x + first, sizeof(double) * (size_t)(end - first));
}

void hol_sim_assign(const HolSim *s, double *to, const double *from, int n) {
    hol_pool_loop(s->pool, n, products_copy_loop, &(Sum){from, NULL, 0, to});
}

// hol_max_abs, four at a time
HOL_WIDE static double products_four_wide(const double *x, int n) {
    HolLanes most = {0}, four = {0};
    int i = 0;
    for (; i + HOL_LANES <= n; i += HOL_LANES) {
        memcpy(&four, x + i, sizeof four);
        most = lanes_larger(most, lanes_abs(four));
    }
    double rest = hol_max_abs(x + i, n - i),
           all[HOL_LANES + 1] = {most[0], most[1], most[2], most[3], rest};
    return hol_max_abs(all, HOL_LANES + 1);
}

double hol_largest(const double *x, int n) {
    return products_four_wide(x, n);
}

// largest |x_i - z_i| of each half
typedef struct Largest {
    const double *x, *z;
    int n;
    double most[2];
} Largest;

static void largest_half(void *context, int part) {
    Largest *a = context;
    int first = hol_share_begin(a->n, 2, part), end = hol_share_begin(a->n, 2, part + 1);
    a->most[part] = a->z ? hol_max_difference(a->x + first, a->z + first, end - first)
                         : products_four_wide(a->x + first, end - first);
}

double hol_sim_max_difference(const HolSim *s, const double *x, const double *z, int n) {
    if (!s->pool)
        return hol_max_difference(x, z, n);
    Largest a = {x, z, n, {0, 0}};
    hol_pool_run(s->pool, 2, largest_half, &a);
    return hol_larger(a.most[0], a.most[1]);
}

double hol_sim_max_abs(const HolSim *s, const double *x, int n) {
    return s->pool ? hol_sim_max_difference(s, x, NULL, n) : products_four_wide(x, n);
}
