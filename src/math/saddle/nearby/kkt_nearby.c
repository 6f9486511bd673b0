// SPDX-License-Identifier: Apache-2.0
// Saddle-point backend for large Newton matrices that fill up when they are factored: nets and grids
// whose springs or rods couple the bodies in S (docs/theory/saddle-point.md, section 5).
//
// With S = S0 + E, S0 of the mass matrix' pattern, P = [S0 Gt^T; G 0] fills far less than K. Then
//     y = P^-1 (b - [E x; 0]),  x the unknowns of y,
// is one equation for x, (1 + T) x = [P^-1 b]_x with T = [P^-1 E]_x of the size of the step squared
// times the stiffness: GMRES solves it to round-off in a few rounds. Every y meets the rows of G. A
// trial with each factorization tells whether it does; where it does not, K is factored by KLU.
#include "math/saddle/nearby/kkt_nearby.h"

#include "math/saddle/kkt_block.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- tuning constants ----
enum { NEARBY_FROM = 3000 };      // unknowns and multipliers
enum { LESS = 4 };                // entries of P's factors, so many times: fewer than those of K's
enum { ROUNDS = 24, CYCLES = 4 }; // directions that are kept; how often they are begun anew
static const double TRIAL = 1e-5; // part that the trial must come down to within ROUNDS
static const double ENOUGH = 1e-15,
                    ROUND_OFF = 1e-12; // of the solution: sought, accepted where no round gains
enum { MOST_SKIPPED = 63 };            // factorizations without a trial after one that failed

typedef struct NearbyFactors {
    HolKkt *inner; // P
    int *S_from;   // by entry of S0: the entry of S
    int rest;      // entries of E: in S, row, column
    int *E_from, *E_row, *E_column;
    double *S, *G, *Gt; // values of the present factorization; Gt NULL until it is apart
    void *direct;       // KLU
    int is_direct;      // 1: holds the present factorization
    int skip, skipped;  // trials that are left out, and already were
    double *basis;      // ROUNDS + 1 directions of n
    double *x, *r;      // n
    double *b, *y;      // N
    double H[ROUNDS + 1][ROUNDS], turn[ROUNDS][2], g[ROUNDS + 1];
} NearbyFactors;

// ---- analysis ----

// S0 and E; 0: M has entries that S has not, or no memory
static int nearby_split(HolKkt *k, NearbyFactors *f, const HolPattern *M) {
    int *at = HOL_NEW(k->arena, int, k->n + 1), found = 0;
    f->S_from = HOL_NEW(k->arena, int, M->nnz + 1);
    f->E_from = HOL_NEW(k->arena, int, k->S.nnz + 1);
    f->E_row = HOL_NEW(k->arena, int, k->S.nnz + 1);
    f->E_column = HOL_NEW(k->arena, int, k->S.nnz + 1);
    if (k->arena->failed)
        return 0;
    for (int j = 0; j < k->n; j++) {
        for (int p = M->ptr[j]; p < M->ptr[j + 1]; p++)
            at[M->idx[p]] = p + 1;
        for (int p = k->S.ptr[j]; p < k->S.ptr[j + 1]; p++) {
            const int i = k->S.idx[p];
            if (at[i]) {
                f->S_from[at[i] - 1] = p;
                at[i] = 0;
                found++;
                continue;
            }
            f->E_from[f->rest] = p;
            f->E_row[f->rest] = i;
            f->E_column[f->rest++] = j;
        }
    }
    return found == M->nnz && f->rest > 0;
}

static void nearby_destroy(void *factors) {
    NearbyFactors *f = factors;
    hol_kkt_destroy(f->inner);
    if (f->direct)
        hol_kkt_klu.destroy(f->direct);
}

static long nearby_entries(const HolKkt *inner) {
    const HolFactors *f = inner->factors;
    return f->n_values;
}

static int nearby_numbers(HolKkt *k, NearbyFactors *f) {
    HolArena *a = k->arena;
    const size_t n = (size_t)k->n, N = (size_t)k->N;
    f->S = HOL_NEW(a, double, k->S.nnz + 1);
    f->G = HOL_NEW(a, double, k->G.nnz + 1);
    f->Gt = HOL_NEW(a, double, k->G.nnz + 1);
    f->basis = HOL_NEW(a, double, (ROUNDS + 1) * n + 1);
    f->x = HOL_NEW(a, double, n + 1);
    f->r = HOL_NEW(a, double, n + 1);
    f->b = HOL_NEW(a, double, N + 1);
    f->y = HOL_NEW(a, double, N + 1);
    return !a->failed;
}

static void *nearby_create(HolKkt *k) {
    NearbyFactors *f = HOL_NEW(k->arena, NearbyFactors, 1);
    if (!f || !k->mass || !nearby_split(k, f, k->mass))
        return NULL;
    f->inner = hol_kkt_create_planned(k->arena, k->plans, k->mass, &k->G, 0, 0, "lu");
    f->direct = hol_kkt_klu.create(k);
    if (f->inner && f->direct && f->inner->backend == &hol_kkt_lu &&
        LESS * nearby_entries(f->inner) < hol_klu_entries(k) && nearby_numbers(k, f))
        return f;
    nearby_destroy(f);
    return NULL;
}

// ---- the equation for x ----

// out = [sign E x; 0], or that much more
static void nearby_couple(const NearbyFactors *f, const double *x, double sign, double *out) {
    for (int e = 0; e < f->rest; e++)
        out[f->E_row[e]] += sign * f->S[f->E_from[e]] * x[f->E_column[e]];
}

// to = (1 + T) from, both over the sizes of the unknowns
static void nearby_apply(HolKkt *k, NearbyFactors *f, const double *from, double *to) {
    for (int i = 0; i < k->n; i++)
        f->r[i] = k->reach[i] * from[i];
    memset(f->y, 0, sizeof(double) * (size_t)k->N);
    nearby_couple(f, f->r, 1, f->y);
    hol_kkt_solve_motion(f->inner, f->y, 2);
    for (int i = 0; i < k->n; i++)
        to[i] = from[i] + k->near[i] * f->y[i];
}

static double nearby_dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

// direction j + 1 from j: column j of H, turned to a triangle; returns what is left of the residual
static double nearby_direction(HolKkt *k, NearbyFactors *f, int j) {
    const int n = k->n;
    double *next = f->basis + (size_t)(j + 1) * (size_t)n, *h = f->H[0] + j;
    nearby_apply(k, f, next - n, next);
    for (int i = 0; i <= j; i++) {
        const double *v = f->basis + (size_t)i * (size_t)n, part = nearby_dot(n, v, next);
        h[i * ROUNDS] = part;
        for (int l = 0; l < n; l++)
            next[l] -= part * v[l];
    }
    const double length = sqrt(nearby_dot(n, next, next));
    for (int l = 0; l < n && length > 0; l++)
        next[l] /= length;
    for (int i = 0; i < j; i++) {
        const double up = h[i * ROUNDS], low = h[(i + 1) * ROUNDS], *t = f->turn[i];
        h[i * ROUNDS] = t[0] * up + t[1] * low;
        h[(i + 1) * ROUNDS] = t[0] * low - t[1] * up;
    }
    const double corner = hypot(h[j * ROUNDS], length), c = corner > 0 ? h[j * ROUNDS] / corner : 1,
                 s = corner > 0 ? length / corner : 0;
    f->turn[j][0] = c;
    f->turn[j][1] = s;
    h[j * ROUNDS] = corner;
    f->g[j + 1] = -s * f->g[j];
    f->g[j] *= c;
    return fabs(f->g[j + 1]);
}

// x += about (1 + T)^-1 r; r shall come down to `part` of itself. Returns the part that it comes to
static double nearby_cycle(HolKkt *k, NearbyFactors *f, double *x, double part, int most) {
    const int n = k->n;
    double c[ROUNDS], left = INFINITY;
    for (int i = 0; i < n; i++)
        f->basis[i] = k->near[i] * f->r[i];
    const double size = sqrt(nearby_dot(n, f->basis, f->basis));
    if (!(size > 0) || !isfinite(size))
        return size > 0 ? INFINITY : 0;
    for (int i = 0; i < n; i++)
        f->basis[i] /= size;
    f->g[0] = size;
    int count = 0;
    while (count < most && !(left <= part * size))
        left = nearby_direction(k, f, count++);
    for (int i = count - 1; i >= 0; i--) {
        c[i] = f->g[i];
        for (int j = i + 1; j < count; j++)
            c[i] -= f->H[i][j] * c[j];
        c[i] /= f->H[i][i];
    }
    for (int j = 0; j < count; j++)
        for (int i = 0; i < n; i++)
            x[i] += c[j] * k->reach[i] * f->basis[(size_t)j * (size_t)n + (size_t)i];
    return left / size;
}

static double nearby_size(const HolKkt *k, const double *x) {
    double size = 0;
    for (int i = 0; i < k->n; i++)
        size = fmax(size, fabs(x[i]) * k->near[i]);
    return size;
}

// largest unknown of S^-1 b, without constraints: round-off is a part of it
static double nearby_free(const HolKkt *k, const NearbyFactors *f, const double *b) {
    double size = 0;
    for (int i = 0; i < k->n; i++)
        if (k->S_diagonal[i] >= 0 && f->S[k->S_diagonal[i]] != 0)
            size = fmax(size, fabs(b[i] / f->S[k->S_diagonal[i]]) * k->near[i]);
    return size;
}

// y = K^-1 b, all N; 0: it did not come to round-off
static int nearby_rounds(HolKkt *k, NearbyFactors *f, const double *b, double *y) {
    const double unbound = nearby_free(k, f, b);
    double last = INFINITY;
    memset(f->x, 0, sizeof(double) * (size_t)k->n);
    for (int cycle = 0; cycle <= CYCLES; cycle++) {
        memcpy(f->y, b, sizeof(double) * (size_t)k->N);
        nearby_couple(f, f->x, -1, f->y);
        hol_kkt_solve(f->inner, f->y);
        for (int i = 0; i < k->n; i++)
            f->r[i] = f->y[i] - f->x[i];
        const double size = nearby_size(k, f->r), all = nearby_size(k, f->y);
        const int gained = size < 0.25 * last;
        if (size <= ENOUGH * all || (!gained && size <= ROUND_OFF * fmax(all, unbound))) {
            memcpy(y, f->y, sizeof(double) * (size_t)k->N);
            return 1;
        }
        if (!gained || cycle == CYCLES)
            break;
        last = size;
        nearby_cycle(k, f, f->x, fmin(0.1, 0.3 * ENOUGH * all / size), ROUNDS);
    }
    return 0;
}

// ---- backend ----

// does it converge? For displacements up and down
static int nearby_trial(HolKkt *k, NearbyFactors *f) {
    unsigned state = 1;
    for (int i = 0; i < k->n; i++) {
        state = state * 1664525u + 1013904223u;
        f->r[i] = k->reach[i] * ((state >> 16 & 1) ? 1 : -1);
    }
    memset(f->x, 0, sizeof(double) * (size_t)k->n);
    return nearby_cycle(k, f, f->x, TRIAL, ROUNDS) <= TRIAL;
}

static int nearby_factor_inner(HolKkt *k, NearbyFactors *f) {
    HolKkt *inner = f->inner;
    for (int e = 0; e < inner->S.nnz; e++)
        inner->Sv[e] = k->Sv[f->S_from[e]];
    memcpy(inner->Gv, k->Gv, sizeof(double) * (size_t)k->G.nnz);
    if (k->Gtv && hol_kkt_Gt(inner))
        memcpy(inner->Gtv, k->Gtv, sizeof(double) * (size_t)k->G.nnz);
    hol_kkt_inactive(inner, k->inactive);
    hol_kkt_reach(inner, k->reach, k->near);
    hol_kkt_share(inner, k->pool);
    return hol_kkt_factor(inner) == 0 && !hol_kkt_is_regularized(inner);
}

static int nearby_factor(HolKkt *k, void *factors, double eps) {
    NearbyFactors *f = factors;
    f->is_direct = 1;
    if (eps == 0 && f->skipped >= f->skip) {
        memcpy(f->S, k->Sv, sizeof(double) * (size_t)k->S.nnz);
        memcpy(f->G, k->Gv, sizeof(double) * (size_t)k->G.nnz);
        if (k->Gtv)
            memcpy(f->Gt, k->Gtv, sizeof(double) * (size_t)k->G.nnz);
        f->is_direct = !nearby_factor_inner(k, f) || !nearby_trial(k, f);
        f->skip = !f->is_direct ? 0 : f->skip < MOST_SKIPPED ? 2 * f->skip + 1 : MOST_SKIPPED;
        f->skipped = 0;
    } else {
        f->skipped++;
    }
    if (f->is_direct)
        return hol_kkt_klu.factor(k, f->direct, eps);
    k->stats.last_growth = f->inner->stats.last_growth;
    return 0;
}

// the matrix that was given, by KLU: the rounds do not converge after all. 0 = ok
static int nearby_turn_direct(HolKkt *k, NearbyFactors *f) {
    double *S = k->Sv, *G = k->Gv, *Gt = k->Gtv;
    k->Sv = f->S;
    k->Gv = f->G;
    k->Gtv = Gt ? f->Gt : NULL;
    const int status = hol_kkt_klu.factor(k, f->direct, 0);
    k->Sv = S;
    k->Gv = G;
    k->Gtv = Gt;
    f->is_direct = 1;
    f->skip = 1;
    return status;
}

static void nearby_solve(HolKkt *k, void *factors, const double *b, double *x) {
    NearbyFactors *f = factors;
    if (!f->is_direct) {
        memcpy(f->b, b, sizeof(double) * (size_t)k->N);
        if (nearby_rounds(k, f, f->b, x)) {
            k->free_size = k->x_size = 0; // (refined already)
            return;
        }
        b = f->b;
        if (nearby_turn_direct(k, f)) { // told as what is not finite
            for (int i = 0; i < k->N; i++)
                x[i] = NAN;
            return;
        }
    }
    hol_kkt_klu.solve(k, f->direct, b, x);
}

static void nearby_keep(HolKkt *k, void *factors, HolKeeper *w) {
    NearbyFactors *f = factors;
    HOL_KEEP(w, f->is_direct);
    HOL_KEEP(w, f->skip);
    HOL_KEEP(w, f->skipped);
    HOL_KEEP_ARRAY(w, f->S, k->S.nnz);
    HOL_KEEP_ARRAY(w, f->G, k->G.nnz);
    HOL_KEEP_ARRAY(w, f->Gt, k->G.nnz);
    hol_kkt_keep(f->inner, w);
    hol_kkt_klu.keep(k, f->direct, w);
}

const HolKktBackend hol_kkt_nearby = {"nearby",     nearby_create,  nearby_factor,
                                      nearby_solve, nearby_destroy, nearby_keep};

int hol_kkt_nearby_suits(const HolKkt *k, const HolPattern *M) {
    return k->N >= NEARBY_FROM && k->nw == 0 && k->m > 0 && M->cols == k->n && M->nnz < k->S.nnz;
}

const HolKkt *hol_kkt_nearby_inner(const HolKkt *k) {
    const NearbyFactors *f = k->active == &hol_kkt_nearby ? k->active_factors : NULL;
    return f && !f->is_direct ? f->inner : NULL;
}
