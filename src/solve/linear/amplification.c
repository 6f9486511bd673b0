// SPDX-License-Identifier: Apache-2.0
// The matrix R of one step of a method on x' = A x, x = (xi, zeta), with time in units of the step
// (step_map.h). Derivatives of order k are rows of A^k: q_k those of xi, v_k those of zeta.
//   RATIONAL   R = den(A)^-1 num(A)
//   ENDS       [q_0 - sum c1_k q_k; v_0 - sum d1_k v_k] R = [q_0 + sum c0_k q_k; v_0 + sum d0_k v_k]
//   SERIES     xi1 = sum_{k<=P} q_k/k!,  zeta1 = sum_{k<P} v_k/k!
// The others move xi with a velocity that is a polynomial of time, xi' = A11 xi + A12 zeta(t), of
// which only the increment i = integral of zeta counts here:
//   xi1 = P xi + Q i,   P = (1 - A11/2)^-1 (1 + A11/2),   Q = (1 - A11/2)^-1 A12
// (A11 = 0: xi1 = xi + A12 i exactly; A11 is the turning of spatial axes), and zeta' = A21 xi + A22 zeta:
//   CENTRAL    a = (1 - A22/2)^-1 (A21 xi + A22 w),  w1 = w + a,  i = w1
//   EXPLICIT   v = V0 + c e, given out V0 + cf e, e = a - P0 (P0: the acceleration foreseen, V0: v then),
//              a = (1 - cf A22)^-1 (A21 xi + A22 (V0 - cf P0)), c = be, be/(2 ga), be/(3 ga),
//              i and j, s by the formulas of method/explicit/explicit.h
//   ALPHA      i = v + (1/2-be) A0 + be A1,  v1 = v + (1-ga) A0 + ga A1,
//              (1-am) A1 + am A0 = (1-af) a1 + af a0,  a = A21 xi + A22 v
// Blocks of rows of R are built as linear functions of y and put together at the end.
#include "math/dense.h"
#include "solve/linear/step_map.h"

#include <complex.h>
#include <math.h>
#include <string.h>

int hol_map_size(const HolStepMap *map, int np, int nz) {
    if (map->kind == HOL_MAP_ADAMS)
        return map->order * (np + nz);
    if (map->kind == HOL_MAP_EXPLICIT)
        return np + (map->degree - 1) * nz;
    return np + (map->kind == HOL_MAP_ALPHA ? 2 : 1) * nz;
}

enum { MAP_MATRICES = 12 };

size_t hol_map_work(const HolStepMap *map, int np, int nz) {
    const size_t n = (size_t)hol_map_size(map, np, nz);
    return (MAP_MATRICES + 1) * n * n + 4 * n + 4;
}

void hol_map_scale(int np, int nz, const double *A, double h, double *scaled) {
    const int n = np + nz;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            scaled[j * n + i] = A[j * n + i] * (i < np ? (j < np ? h : 1) : (j < np ? h * h : h));
}

// ---- small dense algebra, by columns ----

// C = A B, A rows x inner
static void map_multiply(int rows, int inner, int cols, const double *A, int lda, const double *B,
                         int ldb, double *C) {
    for (int j = 0; j < cols; j++) {
        double *c = C + (size_t)j * (size_t)rows;
        memset(c, 0, sizeof *c * (size_t)rows);
        for (int k = 0; k < inner; k++) {
            const double b = B[(size_t)j * (size_t)ldb + (size_t)k];
            const double *a = A + (size_t)k * (size_t)lda;
            if (b != 0)
                for (int i = 0; i < rows; i++)
                    c[i] += a[i] * b;
        }
    }
}

// C += f D, `count` numbers
static void map_add(size_t count, double f, const double *D, double *C) {
    for (size_t i = 0; i < count; i++)
        C[i] += f * D[i];
}

// B := L^-1 B, L n x n overwritten; 0: singular
static int map_solve(int n, double *L, int cols, double *B) {
    enum { MOST = 4096 };
    int pivot[MOST];
    if (n > MOST || hol_dense_lu(n, L, pivot) != 0)
        return 0;
    for (int j = 0; j < cols; j++)
        hol_dense_lu_solve(n, L, pivot, B + (size_t)j * (size_t)n);
    return 1;
}

static void map_identity(int n, double f, double *E) {
    memset(E, 0, sizeof *E * (size_t)n * (size_t)n);
    for (int i = 0; i < n; i++)
        E[(size_t)i * (size_t)n + (size_t)i] = f;
}

// ---- maps of x alone ----

static void map_polynomial(int n, const double *A, const double *p, int terms, double *out,
                           double *product) {
    map_identity(n, terms > 0 ? p[terms - 1] : 0, out);
    for (int k = terms - 2; k >= 0; k--) {
        map_multiply(n, n, n, A, n, out, n, product);
        memcpy(out, product, sizeof *out * (size_t)n * (size_t)n);
        for (int i = 0; i < n; i++)
            out[(size_t)i * (size_t)n + (size_t)i] += p[k];
    }
}

static int map_rational(const HolStepMap *map, int n, const double *A, double *R, double *work) {
    const size_t nn = (size_t)n * (size_t)n;
    map_polynomial(n, A, map->num, map->n_num, R, work);
    if (map->n_den <= 1)
        return 1;
    map_polynomial(n, A, map->den, map->n_den, work + nn, work);
    return map_solve(n, work + nn, n, R);
}

// left, right: sums of c_k A^k for rows of xi, of d_k A^k for rows of zeta
static void map_add_power(int n, int np, double c, double d, const double *power, double *to) {
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            to[j * n + i] += (i < np ? c : d) * power[j * n + i];
}

static int map_ends(const HolStepMap *map, int n, int np, const double *A, double *R,
                    double *work) {
    const size_t nn = (size_t)n * (size_t)n;
    double *left = work, *power = work + nn, *next = work + 2 * nn;
    map_identity(n, 1, left);
    map_identity(n, 1, R);
    map_identity(n, 1, power);
    for (int k = 1; k <= 3; k++) {
        map_multiply(n, n, n, A, n, power, n, next);
        memcpy(power, next, sizeof *power * nn);
        map_add_power(n, np, map->c0[k], k < 3 ? map->d0[k] : 0, power, R);
        if (k < 3)
            map_add_power(n, np, -map->c1[k], -map->d1[k], power, left);
    }
    return map_solve(n, left, n, R);
}

static int map_series(const HolStepMap *map, int n, int np, const double *A, double *R,
                      double *work) {
    const size_t nn = (size_t)n * (size_t)n;
    double *power = work, *next = work + nn, factor = 1;
    map_identity(n, 1, R);
    map_identity(n, 1, power);
    for (int k = 1; k <= map->order; k++) {
        factor /= k;
        map_multiply(n, n, n, A, n, power, n, next);
        memcpy(power, next, sizeof *power * nn);
        map_add_power(n, np, factor, k < map->order ? factor : 0, power, R);
    }
    return 1;
}

// x1 = x + Z sum b_j x_j; the others move on
static int map_adams(const HolStepMap *map, int n, const double *A, double *R) {
    const int N = map->order * n;
    memset(R, 0, sizeof *R * (size_t)N * (size_t)N);
    for (int j = 0; j < N; j++) {
        double *column = R + (size_t)j * (size_t)N;
        const int block = j / n, k = j % n;
        for (int i = 0; i < n; i++)
            column[i] = map->num[block] * A[k * n + i] + (j == i ? 1 : 0);
        if (j + n < N)
            column[j + n] = 1;
    }
    return 1;
}

// ---- maps with a memory: functions of y as blocks of rows ----

typedef struct MapParts {
    int np, nz, n, N; // n = np + nz, N entries of y
    const double *A11, *A21, *A22;
    double *P, *Q; // np x np, np x nz
    double *next;  // free scratch
} MapParts;

static double *map_take(MapParts *p, int rows, int cols) {
    double *r = p->next;
    p->next += (size_t)rows * (size_t)cols;
    memset(r, 0, sizeof *r * (size_t)rows * (size_t)cols);
    return r;
}

// rows x N: block number `place` of nz entries of y behind xi (place -1: xi itself), times f
static void map_pick(const MapParts *p, int place, double f, double *to) {
    const int rows = place < 0 ? p->np : p->nz, first = place < 0 ? 0 : p->np + place * p->nz;
    for (int i = 0; i < rows; i++)
        to[(size_t)(first + i) * (size_t)rows + (size_t)i] += f;
}

static int map_begin(MapParts *p, int np, int nz, int N, const double *A, double *work) {
    const int n = np + nz;
    *p = (MapParts){.np = np, .nz = nz, .n = n, .N = N, .next = work};
    p->A11 = A;
    p->A21 = A + np;
    p->A22 = A + (size_t)np * (size_t)n + np;
    p->P = map_take(p, np, np);
    p->Q = map_take(p, np, nz);
    double *left = map_take(p, np, np), *again = map_take(p, np, np);
    for (int j = 0; j < np; j++)
        for (int i = 0; i < np; i++) {
            const double half = A[j * n + i] / 2;
            left[j * np + i] = again[j * np + i] = (i == j) - half;
            p->P[j * np + i] = (i == j) + half;
        }
    for (int j = 0; j < nz; j++)
        memcpy(p->Q + (size_t)j * (size_t)np, A + (size_t)(np + j) * (size_t)n,
               sizeof *A * (size_t)np);
    return map_solve(np, left, np, p->P) && map_solve(np, again, nz, p->Q);
}

// to += A21 X + A22 V, X np x N, V nz x N
static void map_force(const MapParts *p, const double *X, const double *V, double *to) {
    for (int j = 0; j < p->N; j++) {
        double *t = to + (size_t)j * (size_t)p->nz;
        for (int k = 0; k < p->np; k++)
            for (int i = 0; i < p->nz; i++)
                t[i] += p->A21[(size_t)k * (size_t)p->n + (size_t)i] * X[j * p->np + k];
        for (int k = 0; k < p->nz; k++)
            for (int i = 0; i < p->nz; i++)
                t[i] += p->A22[(size_t)k * (size_t)p->n + (size_t)i] * V[j * p->nz + k];
    }
}

// nz x nz: d - c A22
static double *map_damping(MapParts *p, double d, double c) {
    double *L = map_take(p, p->nz, p->nz);
    for (int j = 0; j < p->nz; j++)
        for (int i = 0; i < p->nz; i++)
            L[j * p->nz + i] = (i == j ? d : 0) - c * p->A22[(size_t)j * (size_t)p->n + (size_t)i];
    return L;
}

// np x N: P X + Q inc
static double *map_moved(MapParts *p, const double *X, const double *inc) {
    double *x1 = map_take(p, p->np, p->N), *qi = map_take(p, p->np, p->N);
    map_multiply(p->np, p->np, p->N, p->P, p->np, X, p->np, x1);
    map_multiply(p->np, p->nz, p->N, p->Q, p->np, inc, p->nz, qi);
    map_add((size_t)p->np * (size_t)p->N, 1, qi, x1);
    return x1;
}

// rows of R: xi1, then blocks
static void map_put(const MapParts *p, const double *x1, const double *const *block, int blocks,
                    double *R) {
    for (int j = 0; j < p->N; j++) {
        double *r = R + (size_t)j * (size_t)p->N;
        memcpy(r, x1 + (size_t)j * (size_t)p->np, sizeof *r * (size_t)p->np);
        for (int b = 0; b < blocks; b++)
            memcpy(r + p->np + b * p->nz, block[b] + (size_t)j * (size_t)p->nz,
                   sizeof *r * (size_t)p->nz);
    }
}

static int map_central(MapParts *p, double *R) {
    double *X = map_take(p, p->np, p->N), *w = map_take(p, p->nz, p->N),
           *a = map_take(p, p->nz, p->N);
    map_pick(p, -1, 1, X);
    map_pick(p, 0, 1, w);
    map_force(p, X, w, a);
    if (!map_solve(p->nz, map_damping(p, 1, 0.5), p->N, a))
        return 0;
    map_add((size_t)p->nz * (size_t)p->N, 1, a, w);
    map_put(p, map_moved(p, X, w), (const double *const[]){w}, 1, R);
    return 1;
}

static int map_explicit(const HolStepMap *m, MapParts *p, double *R) {
    const int degree = m->degree;
    const double share = degree == 3 ? 1 : degree == 4 ? 2 * m->gamma : 3 * m->gamma;
    const double c = m->beta / share, cf = m->beta_out / share;
    const size_t all = (size_t)p->nz * (size_t)p->N;
    static const double taylor[] = {1, 1, 1. / 2, 1. / 6};
    double *X = map_take(p, p->np, p->N), *v = map_take(p, p->nz, p->N),
           *P0 = map_take(p, p->nz, p->N), *a = map_take(p, p->nz, p->N),
           *e = map_take(p, p->nz, p->N), *j = map_take(p, p->nz, p->N),
           *s = map_take(p, p->nz, p->N), *inc = map_take(p, p->nz, p->N);
    map_pick(p, -1, 1, X);
    for (int k = 0; k < degree - 1; k++) // places: v, a, j, s
        map_pick(p, k, taylor[k], v);
    for (int k = 1; k < degree - 1; k++)
        map_pick(p, k, taylor[k - 1], P0);
    memcpy(e, v, sizeof *e * all);
    map_add(all, -cf, P0, e);
    map_force(p, X, e, a);
    if (!map_solve(p->nz, map_damping(p, 1, cf), p->N, a))
        return 0;
    memcpy(e, a, sizeof *e * all);
    map_add(all, -1, P0, e);
    map_add(all, c, e, v);
    map_add(all, 1, v, inc);
    map_add(all, 0.5, a, inc);
    if (degree == 3) {
        map_add(all, -0.5 * (1 - m->alpha), e, inc);
    } else if (degree == 4) {
        map_pick(p, 2, 1, j);
        map_add(all, 1 / m->gamma, e, j);
        map_add(all, 1. / 6, j, inc);
        map_add(all, -(1 - m->alpha) / (6 * m->gamma), e, inc);
    } else {
        const double by = 2 / m->gamma; // change of s
        map_pick(p, 2, 1, j);
        map_pick(p, 3, 1, j);
        map_add(all, m->zeta * by, e, j);
        map_pick(p, 3, 1, s);
        map_add(all, by, e, s);
        map_add(all, 1. / 6, j, inc);
        map_add(all, 1. / 24, s, inc);
        map_add(all, -(1 - m->alpha) * by / 24, e, inc);
    }
    map_put(p, map_moved(p, X, inc), (const double *const[]){v, a, j, s}, degree - 1, R);
    return 1;
}

static int map_alpha(const HolStepMap *m, MapParts *p, double *R) {
    const double am = m->alpha_m, af = m->alpha_f, be = m->beta, ga = m->gamma;
    const size_t all = (size_t)p->nz * (size_t)p->N;
    double *X = map_take(p, p->np, p->N), *V = map_take(p, p->nz, p->N),
           *A1 = map_take(p, p->nz, p->N), *inc = map_take(p, p->nz, p->N),
           *v1 = map_take(p, p->nz, p->N), *a = map_take(p, p->nz, p->N);
    map_pick(p, -1, 1, X);
    map_pick(p, 0, 1, V);
    map_pick(p, 1, -am, A1);
    map_force(p, X, V, a);
    map_add(all, af, a, A1);
    memcpy(inc, V, sizeof *inc * all);
    memcpy(v1, V, sizeof *v1 * all);
    map_pick(p, 1, 0.5 - be, inc);
    map_pick(p, 1, 1 - ga, v1);
    memset(a, 0, sizeof *a * all);
    map_force(p, map_moved(p, X, inc), v1, a);
    map_add(all, 1 - af, a, A1);
    // (1-am) - (1-af) (be A21 Q + ga A22)
    double *L = map_damping(p, 1 - am, (1 - af) * ga), *KQ = map_take(p, p->nz, p->nz);
    map_multiply(p->nz, p->np, p->nz, p->A21, p->n, p->Q, p->np, KQ);
    map_add((size_t)p->nz * (size_t)p->nz, -(1 - af) * be, KQ, L);
    if (!map_solve(p->nz, L, p->N, A1))
        return 0;
    map_add(all, be, A1, inc);
    map_add(all, ga, A1, v1);
    map_put(p, map_moved(p, X, inc), (const double *const[]){v1, A1}, 2, R);
    return 1;
}

int hol_map_matrix(const HolStepMap *map, int np, int nz, const double *A, double *R,
                   double *work) {
    MapParts p;
    const int n = np + nz;
    switch (map->kind) {
    case HOL_MAP_NONE:
        return 0;
    case HOL_MAP_RATIONAL:
        return map_rational(map, n, A, R, work);
    case HOL_MAP_ENDS:
        return map_ends(map, n, np, A, R, work);
    case HOL_MAP_SERIES:
        return map_series(map, n, np, A, R, work);
    case HOL_MAP_ADAMS:
        return map_adams(map, n, A, R);
    case HOL_MAP_CENTRAL:
    case HOL_MAP_EXPLICIT:
    case HOL_MAP_ALPHA:
        break;
    }
    if (!map_begin(&p, np, nz, hol_map_size(map, np, nz), A, work))
        return 0;
    if (map->kind == HOL_MAP_CENTRAL)
        return map_central(&p, R);
    return map->kind == HOL_MAP_EXPLICIT ? map_explicit(map, &p, R) : map_alpha(map, &p, R);
}

double hol_map_radius(const HolStepMap *map, int np, int nz, const double *A, double h,
                      double *work) {
    const int n = np + nz, N = hol_map_size(map, np, nz);
    const size_t NN = (size_t)N * (size_t)N;
    double *R = work, *scaled = work + NN, *re = scaled + (size_t)n * (size_t)n, largest = 0;
    if (N == 0)
        return 0;
    hol_map_scale(np, nz, A, h, scaled);
    if (!hol_map_matrix(map, np, nz, scaled, R, re))
        return INFINITY;
    for (size_t i = 0; i < NN; i++)
        if (!isfinite(R[i]))
            return INFINITY;
    if (N == 2) { // (nearly all calls)
        const double half = (R[0] + R[3]) / 2, det = R[0] * R[3] - R[1] * R[2],
                     off = (R[0] - R[3]) / 2, under = off * off + R[1] * R[2];
        return under < 0 ? sqrt(fmax(det, 0)) : fabs(half) + sqrt(under);
    }
    double *im = re + N;
    if (hol_dense_eigenvalues(N, R, re, im) != 0)
        return INFINITY;
    for (int i = 0; i < N; i++)
        largest = fmax(largest, hypot(re[i], im[i]));
    return largest;
}

double hol_map_modulus(const HolStepMap *map, double re, double im) {
    const double complex z = re + im * I;
    double complex num = 0, den = map->n_den > 0 ? 0 : 1;
    for (int k = map->n_num - 1; k >= 0; k--)
        num = num * z + map->num[k];
    for (int k = map->n_den - 1; k >= 0; k--)
        den = den * z + map->den[k];
    return cabs(num) / cabs(den);
}
