// SPDX-License-Identifier: Apache-2.0
// Complex L D U in a fixed order on the symmetric pattern of the matrix, see kkt_complex.h. For
// column j, with c the unscaled column, r the unscaled row and d the pivot,
//     l = c / d,  u = r / d,   d_i -= l_i r_i,   L(b,a) -= u_a c_b,   U(a,b) -= l_a r_b
// where every target (b,a) was found once. What it pays is measured in tangent_complex.c.
// An order with half the work whose pivots depend on the position is tried first where there is one;
// the safe order stands beside it.
#include "math/saddle/kkt_complex.h"

#include "math/saddle/ordering.h"
#include "math/saddle/plan/kkt_plan.h"
#include "math/simd.h"

#include <math.h>
#include <string.h>

// part of its terms' magnitude a pivot must keep; in a safe order it is small only where the forces
// are stiff, and digits are lost as the matrix loses them
static const double KEEP = 1e-9, KEEP_SAFE = 1e-13;
// targets that are kept: 256 MB of them
static const long MOST_TARGETS = 1L << 26;
// part of the safe order's work that the other may cost
static const double MUCH_LESS = 0.5;

typedef double Complex __attribute__((vector_size(16))); // re, im side by side

struct HolComplexSaddle {
    int n, N; // unknowns; with multipliers
    int nnz;  // entries of L
    int S_nnz, G_nnz;
    int *perm, *at; // new -> old, old -> new
    int *Lp, *Li;   // strictly lower part by columns, rows ascending
    Complex *L, *U; // L, and U transposed, on that pattern; unscaled while factoring
    Complex *D;     // pivots, then their inverses
    double *size;   // magnitudes the pivots were formed from
    Complex *y;     // permuted right-hand side
    int *S_to;      // by entry of S: place in L, or nnz + place in U, or 2 nnz + column of D
    int *G_to;      // by entry of G: place in L and U
    unsigned char *G_row_below; // 1: its multiplier comes after its unknown
    int *found;                 // targets of one entry, where they are not kept
    long *first;                // by entry p of L: its first target in `target`; nnz + 1 entries
    int *target;                // NULL: too many, they are found in each factorization
    double keep;                // of a pivot
    HolComplexSaddle *safe;     // the same matrix in the safe order; NULL: this is it
    int use_safe;               // 1: what was factored last
    HolArena *arena;            // of the first one: what is needed to make it,
    HolKktPlans *plans;
    HolKktPlan *plan;
    int made; // which is done when it is needed
};

// i a
HOL_INLINE Complex kkt_complex_turned(Complex a) {
    return (Complex){-a[1], a[0]};
}

HOL_INLINE Complex times(Complex a, Complex b) {
    return a[0] * b + a[1] * kkt_complex_turned(b);
}

HOL_INLINE double magnitude(Complex a) {
    return fabs(a[0]) + fabs(a[1]);
}

// ---- analysis ----

// position of (row, column) in the pattern of L, in any order of the two
static int kkt_complex_find_entry(const HolComplexSaddle *k, int row, int column) {
    int last = row > column ? row : column, j = row > column ? column : row;
    int low = k->Lp[j], high = k->Lp[j + 1] - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (k->Li[middle] < last)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// the cheapest of these orders, and its work; INFINITY: there is none
static double kkt_complex_cheapest(const HolComplexSaddle *k, const HolPattern *S,
                                   const HolPattern *G, const HolGraph *graph,
                                   const HolOrderKind *kinds, int n, HolArena *scratch,
                                   HolSymbolic *best) {
    HolSymbolic s;
    best->updates = INFINITY;
    for (int i = 0; i < n; i++) {
        int *perm = HOL_NEW(scratch, int, k->N + 1);
        if (perm && hol_order_saddle(scratch, S, G, graph, kinds[i], perm) &&
            hol_symbolic_count(scratch, graph, perm, best->updates, &s) &&
            s.updates < best->updates)
            *best = s;
    }
    return best->updates;
}

static int find_targets(HolComplexSaddle *k, HolArena *keep) {
    long count = 0;
    for (int j = 0; j < k->N; j++) {
        const long rows = k->Lp[j + 1] - k->Lp[j];
        count += rows * (rows - 1) / 2;
    }
    if (count > MOST_TARGETS)
        return 1;
    k->first = HOL_NEW(keep, long, k->nnz + 1);
    k->target = HOL_NEW(keep, int, count + 1);
    if (!k->first || !k->target)
        return 0;
    count = 0;
    for (int j = 0; j < k->N; j++)
        for (int p = k->Lp[j]; p < k->Lp[j + 1]; p++) {
            k->first[p] = count;
            for (int b = p + 1; b < k->Lp[j + 1]; b++)
                k->target[count++] = kkt_complex_find_entry(k, k->Li[b], k->Li[p]);
        }
    k->first[k->nnz] = count;
    return 1;
}

static void kkt_complex_map_values(HolComplexSaddle *k, const HolPattern *S, const HolPattern *G) {
    for (int j = 0; j < S->cols; j++)
        for (int p = S->ptr[j]; p < S->ptr[j + 1]; p++) {
            int row = k->at[S->idx[p]], column = k->at[j];
            k->S_to[p] = row == column
                             ? 2 * k->nnz + row
                             : kkt_complex_find_entry(k, row, column) + (row < column ? k->nnz : 0);
        }
    for (int i = 0; i < G->rows; i++)
        for (int p = G->ptr[i]; p < G->ptr[i + 1]; p++) {
            k->G_to[p] = kkt_complex_find_entry(k, k->at[k->n + i], k->at[G->idx[p]]);
            k->G_row_below[p] = k->at[k->n + i] > k->at[G->idx[p]];
        }
}

// the matrix in one order
static HolComplexSaddle *kkt_complex_make(HolArena *arena, HolArena *scratch, const HolPattern *S,
                                          const HolPattern *G, const HolGraph *graph,
                                          HolSymbolic *order, double keep) {
    HolComplexSaddle *k = HOL_NEW(arena, HolComplexSaddle, 1);
    if (!k || !hol_symbolic_fill(arena, scratch, graph, order))
        return NULL;
    k->n = S->cols;
    k->N = S->cols + G->rows;
    k->S_nnz = S->nnz;
    k->G_nnz = G->nnz;
    k->keep = keep;
    k->perm = order->perm;
    k->at = order->inverse;
    k->Lp = order->Lp;
    k->Li = order->Li;
    k->nnz = (int)order->nnz;
    if (!find_targets(k, arena))
        return NULL;
    k->S_to = HOL_NEW(arena, int, S->nnz + 1);
    k->G_to = HOL_NEW(arena, int, G->nnz + 1);
    k->G_row_below = HOL_NEW(arena, unsigned char, G->nnz + 1);
    if (!k->S_to || !k->G_to || !k->G_row_below)
        return NULL;
    kkt_complex_map_values(k, S, G);
    return k;
}

static HolComplexSaddle *kkt_complex_analyze(HolArena *arena, const HolPattern *S,
                                             const HolPattern *G) {
    static const HolOrderKind safe_kinds[] = {HOL_ORDER_SAFE, HOL_ORDER_BEHIND},
                              other_kinds[] = {HOL_ORDER_LEAVES, HOL_ORDER_JOINED};
    const HolComplexSaddle sizes = {.N = S->cols + G->rows};
    HolArena scratch = {0};
    HolGraph graph;
    HolSymbolic safe, other;
    HolComplexSaddle *k = NULL;
    if (hol_graph_saddle(&scratch, S, G, &graph)) {
        const double work =
            kkt_complex_cheapest(&sizes, S, G, &graph, safe_kinds, 2, &scratch, &safe);
        if (!isinf(work))
            k = kkt_complex_make(arena, &scratch, S, G, &graph, &safe, KEEP_SAFE);
        if ((k || isinf(work)) && kkt_complex_cheapest(&sizes, S, G, &graph, other_kinds, 2,
                                                       &scratch, &other) < MUCH_LESS * work) {
            HolComplexSaddle *quick = kkt_complex_make(arena, &scratch, S, G, &graph, &other, KEEP);
            if (quick)
                quick->safe = k;
            k = quick;
        }
    }
    arena->failed |= scratch.failed;
    hol_arena_free(&scratch);
    return k;
}

// a copy with numbers of its own
static HolComplexSaddle *kkt_complex_numbers(HolArena *arena, const HolComplexSaddle *plan) {
    HolComplexSaddle *k = plan ? HOL_NEW(arena, HolComplexSaddle, 1) : NULL;
    if (!k)
        return NULL;
    *k = *plan;
    // L, U and D in one piece, so that one index names an entry of any of them
    k->L = HOL_NEW(arena, Complex, 2 * (long)k->nnz + k->N + 1);
    k->size = HOL_NEW(arena, double, k->N + 1);
    k->y = HOL_NEW(arena, Complex, k->N + 1);
    k->found = k->target ? NULL : HOL_NEW(arena, int, k->N + 1);
    k->safe = kkt_complex_numbers(arena, plan->safe);
    if (arena->failed)
        return NULL;
    k->U = k->L + k->nnz;
    k->D = k->U + k->nnz;
    return k;
}

HolComplexSaddle *hol_complex_saddle_create(HolArena *arena, HolKktPlans *plans,
                                            const HolPattern *S, const HolPattern *G) {
    HolKkt holder = {.arena = arena, .plans = plans};
    HolKktPlan *plan = hol_kkt_plan(&holder, S, G, 0);
    HolComplexSaddle *k = plan ? HOL_NEW(arena, HolComplexSaddle, 1) : NULL;
    if (k)
        *k = (HolComplexSaddle){.arena = arena, .plans = holder.plans, .plan = plan};
    return k;
}

// the analysis, once for a plan, and numbers; 0: no memory
static int kkt_complex_need(HolComplexSaddle *k) {
    if (k->made)
        return 1;
    HolKkt holder = {.arena = k->arena, .plans = k->plans};
    HolKktPlan *plan = k->plan;
    hol_kkt_plan_begin(&holder);
    if (!plan->complex_known) {
        plan->complex = kkt_complex_analyze(plan->arena, &plan->S, &plan->G);
        plan->complex_known = !plan->arena->failed;
    }
    const HolComplexSaddle *found = plan->complex;
    hol_kkt_plan_end(&holder);
    const HolComplexSaddle *whole = kkt_complex_numbers(k->arena, found);
    if (!whole)
        return 0;
    *k = *whole;
    k->arena = holder.arena;
    k->plans = holder.plans;
    k->plan = plan;
    return k->made = 1;
}

// ---- numbers ----

static void kkt_complex_load(HolComplexSaddle *k, const double *M, const double *C, const double *K,
                             const double *G, const double *B, Complex tau) {
    const Complex square = times(tau, tau);
    memset(k->L, 0, sizeof *k->L * (2 * (size_t)k->nnz + (size_t)k->N));
    for (int p = 0; p < k->S_nnz; p++)
        k->L[k->S_to[p]] = (Complex){M[p], 0} + tau * C[p] + square * K[p];
    for (int p = 0; p < k->G_nnz; p++) {
        const Complex column = {G[p], 0}, row = column + tau * B[p];
        k->L[k->G_to[p]] = k->G_row_below[p] ? row : column;
        k->U[k->G_to[p]] = k->G_row_below[p] ? column : row;
    }
    for (int j = 0; j < k->N; j++)
        k->size[j] = magnitude(k->D[j]);
}

// where entries p+1 .. end of a column go in the column of p's row: both ascend
static void kkt_complex_find_targets(const HolComplexSaddle *k, int p, int end) {
    int at = k->Lp[k->Li[p]];
    for (int b = p + 1; b < end; b++, at++) {
        while (k->Li[at] != k->Li[b])
            at++;
        k->found[b - p - 1] = at;
    }
}

HOL_WIDE static int kkt_complex_factor(HolComplexSaddle *k) {
    Complex *restrict L = k->L, *restrict U = k->U, *restrict D = k->D;
    for (int j = 0; j < k->N; j++) {
        const double pivot = magnitude(D[j]);
        if (!(pivot > k->keep * k->size[j]))
            return 1 + k->perm[j];
        const Complex inverse =
            (Complex){D[j][0], -D[j][1]} / (D[j][0] * D[j][0] + D[j][1] * D[j][1]);
        D[j] = inverse;
        const int end = k->Lp[j + 1];
        for (int p = k->Lp[j]; p < end; p++) {
            const int *target = k->target ? k->target + k->first[p] - p - 1 : k->found - p - 1;
            if (!k->target)
                kkt_complex_find_targets(k, p, end);
            const Complex l = times(L[p], inverse), u = times(U[p], inverse),
                          product = times(l, U[p]), il = kkt_complex_turned(l),
                          iu = kkt_complex_turned(u);
            D[k->Li[p]] -= product;
            k->size[k->Li[p]] += magnitude(product);
            for (int b = p + 1; b < end; b++) {
                L[target[b]] -= L[b][0] * u + L[b][1] * iu;
                U[target[b]] -= U[b][0] * l + U[b][1] * il;
            }
            L[p] = l;
            U[p] = u;
        }
    }
    return 0;
}

int hol_complex_saddle_factor(HolComplexSaddle *k, const double *M, const double *C,
                              const double *K, const double *G, const double *B, double tau_re,
                              double tau_im) {
    const Complex tau = {tau_re, tau_im};
    if (!kkt_complex_need(k))
        return 1;
    kkt_complex_load(k, M, C, K, G, B, tau);
    const int bad = kkt_complex_factor(k);
    k->use_safe = bad && k->safe;
    if (!k->use_safe)
        return bad;
    kkt_complex_load(k->safe, M, C, K, G, B, tau);
    return kkt_complex_factor(k->safe);
}

HOL_WIDE void hol_complex_saddle_solve(HolComplexSaddle *whole, double *x) {
    const HolComplexSaddle *k = whole->use_safe ? whole->safe : whole;
    const int *restrict Lp = k->Lp, *restrict Li = k->Li, *restrict perm = k->perm;
    const Complex *restrict L = k->L, *restrict U = k->U, *restrict D = k->D;
    Complex *restrict y = k->y, *restrict out = (Complex *)x;
    for (int j = 0; j < k->N; j++)
        y[j] = out[perm[j]];
    for (int j = 0, p = 0; j < k->N; j++) {
        const Complex yj = y[j], iy = kkt_complex_turned(yj);
        for (int end = Lp[j + 1]; p < end; p++)
            y[Li[p]] -= L[p][0] * yj + L[p][1] * iy;
    }
    for (int j = k->N - 1; j >= 0; j--) {
        // sums of re U y and im U y, the latest result last: the other terms need not wait for it
        Complex by_re = {0}, by_im = {0};
        for (int p = Lp[j + 1] - 1, start = Lp[j]; p >= start; p--) {
            by_re += U[p][0] * y[Li[p]];
            by_im += U[p][1] * y[Li[p]];
        }
        y[j] = times(y[j], D[j]) - by_re - kkt_complex_turned(by_im);
        out[perm[j]] = y[j];
    }
}

static void kkt_complex_keep(HolComplexSaddle *k, HolKeeper *w) {
    HOL_KEEP_ARRAY(w, k->L, 2 * (long)k->nnz + k->N);
    HOL_KEEP_ARRAY(w, k->size, k->N);
    HOL_KEEP(w, k->use_safe);
    if (k->safe)
        kkt_complex_keep(k->safe, w);
}

void hol_complex_saddle_keep(HolComplexSaddle *k, HolKeeper *w) {
    const int made = hol_keep_number(w, "k->made", k->made, 0, 1);
    if (made && kkt_complex_need(k))
        kkt_complex_keep(k, w);
}
