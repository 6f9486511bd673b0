// SPDX-License-Identifier: Apache-2.0
// Large models with few degrees of freedom: as many random vectors of the tangent space span it. In a basis
// N with N^T M N = 1 the operator of sparse.c is a small dense matrix, A = [N 0; 0 N]^T M (..) [N 0; 0 N].
#include "solve/linear/modes.h"
#include "solve/linear/sparse/sparse.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

static const double ZERO = 1e-7;        // eigenvalues below this part of the largest are zero
static const double ZERO_MOVING = 1e-5; // the same where differences enter
static const double NULL_PART = 1e-8;   // pivots of A below this part of the largest are zero
static const double DEPENDENT = 1e-9;   // what is left of a vector that the others span

typedef struct Few {
    HolSparse *o;
    int k;               // basis vectors
    double *N;           // n x k
    double *A;           // 2 k x 2 k
    double *re, *im, *V; // its eigenvalues and vectors
} Few;

// N by random vectors, orthonormal in the mass metric
static void few_basis(Few *f, int dof) {
    HolSparse *o = f->o;
    for (int k = 0; k < dof; k++) {
        double *x = f->N + (size_t)o->n * (size_t)f->k, norm = 1;
        hol_sparse_start(o, 100u + (unsigned)k, x);
        const double before = sqrt(hol_sparse_product(o, x, x));
        for (int pass = 0; pass < 2; pass++) {
            for (int j = 0; j < f->k; j++) {
                const double *z = f->N + (size_t)o->n * (size_t)j, c = hol_sparse_product(o, x, z);
                for (int i = 0; i < o->n; i++)
                    x[i] -= c * z[i];
            }
            norm = sqrt(fmax(0, hol_sparse_product(o, x, x)));
        }
        if (!(norm > DEPENDENT * before))
            continue;
        for (int i = 0; i < o->n; i++)
            x[i] /= norm;
        f->k++;
    }
}

// column of A from (d', z')
static void few_column(Few *f, const double *rate, double *out) {
    for (int half = 0; half < 2; half++)
        for (int j = 0; j < f->k; j++)
            out[half * f->k + j] =
                hol_sparse_product(f->o, f->N + (size_t)f->o->n * (size_t)j, rate + half * f->o->n);
}

static void few_lift(const Few *f, const double *c, double *out) {
    memset(out, 0, sizeof *out * (size_t)f->o->n);
    for (int j = 0; j < f->k; j++)
        for (int i = 0; i < f->o->n; i++)
            out[i] += c[j] * f->N[(size_t)f->o->n * (size_t)j + (size_t)i];
}

static int few_matrix(Few *f, HolArena *arena) {
    const int n = f->o->n, size = 2 * f->k;
    double *x = HOL_NEW(arena, double, 2 * n + 1), *y = HOL_NEW(arena, double, 2 * n + 1);
    double *copy = HOL_NEW(arena, double, size *size + 1);
    f->A = HOL_NEW(arena, double, size *size + 1);
    f->re = HOL_NEW(arena, double, size + 1);
    f->im = HOL_NEW(arena, double, size + 1);
    f->V = HOL_NEW(arena, double, size *size + 1);
    if (arena->failed)
        return 0;
    for (int j = 0; j < size; j++) {
        memset(x, 0, sizeof *x * 2 * (size_t)n);
        memcpy(x + (j < f->k ? 0 : n), f->N + (size_t)n * (size_t)(j % f->k),
               sizeof *x * (size_t)n);
        hol_sparse_first_order(f->o, x, y);
        few_column(f, y, f->A + size * j);
    }
    memcpy(copy, f->A, sizeof *copy * (size_t)(size * size));
    return !hol_dense_eigenvectors(size, copy, f->re, f->im, f->V);
}

static HolMode *few_mode(HolModesMade *m, const Few *f, int i, HolArena *arena) {
    const int n = f->o->n, size = 2 * f->k;
    const double *d[2] = {0}, *z[2] = {0}, *Mz[2] = {0};
    for (int part = 0; part < (f->im[i] > 0 ? 2 : 1); part++) {
        double *room = HOL_NEW(arena, double, 3 * n + 1);
        if (!room)
            return NULL;
        few_lift(f, f->V + size * (i + part), room);
        few_lift(f, f->V + size * (i + part) + f->k, room + n);
        hol_sparse_velocity(f->o, room, room + n);
        hol_sparse_multiply(f->o, f->o->M, room + n, room + 2 * n);
        d[part] = room;
        z[part] = room + n;
        Mz[part] = room + 2 * n;
    }
    HolMode *out = hol_mode_make(m, d, z, Mz);
    if (out)
        hol_mode_value(out, f->re[i], f->im[i] > 0 ? f->im[i] : 0);
    return out;
}

static void few_mass(const void *user, const double *x, double *y) {
    const HolSparse *o = user;
    hol_sparse_multiply(o, o->M, x, y);
}

// the null space of A
static int few_free(HolModesMade *m, const Few *f, double largest, double zero, HolArena *arena) {
    const int size = 2 * f->k, n = f->o->n;
    const double scale = fmax(fmax(largest, 1e4 * zero), 1e-300);
    const double part = fmax(NULL_PART, 10 * pow(zero / scale, 2));
    double *T = HOL_NEW(arena, double, size *size + 1), *Q = HOL_NEW(arena, double, size *size + 1);
    double *tau = HOL_NEW(arena, double, size + 1);
    int *order = HOL_NEW(arena, int, size + 1);
    if (arena->failed)
        return 0;
    for (int j = 0; j < size; j++)
        for (int i = 0; i < size; i++)
            T[size * i + j] =
                f->A[size * j + i] / scale * (j < f->k ? 1 : scale) / (i < f->k ? 1 : scale);
    const int rank = hol_dense_null_space(size, size, T, part, Q, order, tau);
    if (rank < 0 || rank == size)
        return rank >= 0;
    double *D = HOL_NEW(arena, double, (size_t)n *(size_t)(size - rank) + 1);
    if (!D)
        return 0;
    for (int j = 0; j < size - rank; j++)
        few_lift(f, Q + size * (rank + j), D + (size_t)n * (size_t)j);
    return hol_modes_free(m, D, size - rank, few_mass, f->o);
}

// the rate below which an eigenvalue is zero: round-off of N^T K N, of forces, and a part of the largest
static double few_zero(const Few *f, double largest) {
    const HolSparse *o = f->o;
    const HolPattern *P = &o->s->p->S;
    double noise = 0, rate = 0;
    for (int k = 0; k < f->k; k++) {
        const double *x = f->N + (size_t)o->n * (size_t)k;
        double sum = 0;
        for (int j = 0; j < o->n; j++)
            for (int e = P->ptr[j]; e < P->ptr[j + 1]; e++)
                sum += fabs(x[P->idx[e]] * o->K[e] * x[j]);
        noise = fmax(noise, sum);
    }
    for (int i = 0; i < o->n; i++) {
        noise = fmax(noise, fabs(o->x->a[i]) / o->s->reach[i]);
        rate = fmax(rate, fabs(o->x->v[i]) / o->s->reach[i]);
    }
    return fmax(sqrt(1e-13 * noise), (o->moving ? ZERO_MOVING : ZERO) * fmax(largest, rate));
}

HolStatus hol_sparse_few(HolModesMade *m, const HolModesOptions *how, HolSparse *o, HolError *err) {
    HolModes *out = &m->modes;
    Few f = {.o = o, .N = HOL_NEW(o->arena, double, (size_t)o->n *(size_t)o->dof + 1)};
    double largest = 0;
    if (!f.N)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    few_basis(&f, o->dof);
    out->dof = out->positions = f.k;
    if (f.k && !few_matrix(&f, o->arena))
        return hol_error_set(
            err, HOL_ERR_SINGULAR,
            "at time %.10g the eigenvalues could not be computed; memory may be short", m->x->t);
    const int size = 2 * f.k;
    int *order = HOL_NEW(o->arena, int, size + 1), n = 0;
    m->list = HOL_NEW(&m->arena, const HolMode *, size + 1);
    if (m->arena.failed || o->arena->failed)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    for (int i = 0; i < size; i++)
        largest = fmax(largest, hypot(f.re[i], f.im[i]));
    const double zero = few_zero(&f, largest);
    for (int i = 0; i < size; i++) {
        const double mine = hypot(f.re[i], f.im[i]);
        if (f.im[i] < 0 || mine <= zero)
            continue;
        int k = n++;
        for (; k > 0 && hypot(f.re[order[k - 1]], f.im[order[k - 1]]) > mine; k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    for (int k = 0; k < n && out->n_modes < how->count; k++)
        m->list[out->n_modes++] = few_mode(m, &f, order[k], o->arena);
    out->modes = m->list;
    out->n_all = n;
    if (n) {
        out->omega_max = largest;
        out->fastest = out->n_modes == n ? m->list[n - 1] : few_mode(m, &f, order[n - 1], o->arena);
    }
    return !f.k || few_free(m, &f, largest, zero, o->arena)
               ? HOL_OK
               : hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
}

int hol_sparse_few_largest(HolSparse *o, double *omega) {
    Few f = {.o = o, .N = HOL_NEW(o->arena, double, (size_t)o->n *(size_t)o->dof + 1)};
    *omega = 0;
    if (!f.N)
        return 0;
    few_basis(&f, o->dof);
    if (f.k && !few_matrix(&f, o->arena))
        return 0;
    for (int i = 0; i < 2 * f.k; i++)
        *omega = fmax(*omega, hypot(f.re[i], f.im[i]));
    return 1;
}
