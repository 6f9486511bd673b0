// SPDX-License-Identifier: Apache-2.0
// Saddle-point backend: sparse LU (SuiteSparse KLU) of the scaled matrix D K D, border included.
//
// The order is found once from the pattern (ordering.h, the kind with less fill; the border last)
// and keeps K's diagonal as pivots where possible. The first factorization chooses pivots; later
// ones reuse them (no search, no allocation). When the smallest pivot falls far below the one the
// chosen sequence had at first, pivots are chosen anew; that is counted in `repivots`.
#include "math/saddle/nearby/kkt_nearby.h"
#include "math/saddle/ordering.h"
#include "math/saddle/plan/kkt_plan.h"

#include <math.h>
#include <string.h>
#include <suitesparse/klu.h>

// of the work of an order that needs no pivoting: what one that does may be counted with
static const double JOINED_PART = 0.2;

typedef struct HolKluPlan {
    int *ptr, *idx; // K by columns
    HolKktMap map;
    klu_common common;
    klu_symbolic *symbolic;
    long entries; // of L, if no pivot is chosen off the diagonal
} HolKluPlan;

typedef struct KluFactors {
    int *ptr, *idx; // as `map` and `symbolic`, of the plan
    double *value;
    double *x; // scaled right-hand side
    HolKktMap map;
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    double reference; // smallest pivot when the sequence was chosen
    double *chosen;   // values that it was chosen for
    int reused;       // 1: the present factorization has pivots that were chosen before
} KluFactors;

// one entry (row, column): counted in the first pass, placed in the second
static int kkt_klu_place(HolKluPlan *f, int pass, int row, int column) {
    if (pass == 0) {
        f->ptr[column + 2]++;
        return 0;
    }
    int at = f->ptr[column + 1]++;
    f->idx[at] = row;
    return at;
}

static void build_columns(const HolKkt *k, HolKluPlan *f, int pass) {
    int n = k->n, m = k->m, nw = k->nw, w = n + m;
    HolKktMap *map = &f->map;
    for (int j = 0; j < n; j++)
        for (int p = k->S.ptr[j]; p < k->S.ptr[j + 1]; p++)
            map->S[p] = kkt_klu_place(f, pass, k->S.idx[p], j);
    for (int i = 0; i < m; i++) {
        for (int p = k->G.ptr[i]; p < k->G.ptr[i + 1]; p++) {
            map->G[p] = kkt_klu_place(f, pass, n + i, k->G.idx[p]);
            map->Gt[p] = kkt_klu_place(f, pass, k->G.idx[p], n + i);
        }
        map->E[i] = kkt_klu_place(f, pass, n + i, n + i);
    }
    int *at = map->border;
    for (int i = 0; i < nw; i++)
        for (int j = 0; j < n; j++)
            *at++ = kkt_klu_place(f, pass, w + i, j);
    for (int i = 0; i < nw; i++)
        for (int j = 0; j < m; j++)
            *at++ = kkt_klu_place(f, pass, w + i, n + j);
    for (int i = 0; i < nw; i++)
        for (int j = 0; j < nw; j++)
            *at++ = kkt_klu_place(f, pass, w + i, w + j);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < nw; i++)
            *at++ = kkt_klu_place(f, pass, j, w + i);
}

// 1: perm is an order of this kind, and its updates are known; 0 perhaps where they are more than `most`
static int kkt_klu_try(const HolKkt *k, HolArena *scratch, const HolGraph *graph, HolOrderKind kind,
                       int *perm, double most, double *updates, long *entries) {
    HolSymbolic count;
    if (!hol_order_saddle(scratch, &k->S, &k->G, graph, kind, perm) ||
        !hol_symbolic_count(scratch, graph, perm, most, &count))
        return 0;
    *updates = count.updates;
    *entries = count.nnz;
    return 1;
}

// The order with less fill, border variables last; 0 = no memory. Orders that keep the diagonal as
// pivots (SAFE, BEHIND) keep their fill; what pivoting adds to the other is not in its count.
static int kkt_klu_choose_order(const HolKkt *k, HolArena *scratch, int *perm, long *entries) {
    static const HolOrderKind kept[] = {HOL_ORDER_SAFE, HOL_ORDER_BEHIND};
    const size_t bytes = sizeof(int) * (size_t)(k->n + k->m);
    HolGraph graph;
    double joined = INFINITY, best = INFINITY, updates;
    long nnz;
    int *other = HOL_NEW(scratch, int, k->N + 1);
    if (!other || !hol_graph_saddle(scratch, &k->S, &k->G, &graph))
        return 0;
    if (kkt_klu_try(k, scratch, &graph, HOL_ORDER_JOINED, perm, INFINITY, &updates, entries))
        joined = updates;
    for (int i = 0; i < 2; i++) {
        const double most = fmin(best, joined / JOINED_PART);
        if (kkt_klu_try(k, scratch, &graph, kept[i], other, most, &updates, &nnz) &&
            updates <= most && updates < best) {
            best = updates;
            *entries = nnz;
            memcpy(perm, other, bytes);
        }
    }
    for (int i = k->n + k->m; i < k->N; i++)
        perm[i] = i;
    return fmin(best, joined) < INFINITY;
}

static void klu_backend_destroy(void *factors) {
    KluFactors *f = factors;
    klu_free_numeric(&f->numeric, &f->common);
}

void hol_klu_plan_destroy(HolKluPlan *p) {
    klu_free_symbolic(&p->symbolic, &p->common);
}

static void klu_settings(klu_common *common) {
    klu_defaults(common);
    common->btf = 0;
    common->scale = -1; // scaled here, and the pattern needs no check
    common->tol = 0.01;
}

// order and pattern, once for a plan
static HolKluPlan *klu_plan(HolKkt *k) {
    HolArena *a = k->plan->arena;
    if (k->plan->klu)
        return k->plan->klu;
    HolKluPlan *f = HOL_NEW(a, HolKluPlan, 1);
    if (!f)
        return NULL;
    f->ptr = HOL_NEW(a, int, k->N + 2);
    if (!f->ptr || !hol_kkt_map_alloc(k, a, &f->map))
        return NULL;
    build_columns(k, f, 0);
    for (int j = 0; j < k->N; j++)
        f->ptr[j + 2] += f->ptr[j + 1];
    f->idx = HOL_NEW(a, int, f->ptr[k->N + 1] + 1);
    if (!f->idx)
        return NULL;
    build_columns(k, f, 1);
    klu_settings(&f->common);
    HolArena scratch = {0};
    int *perm = HOL_NEW(&scratch, int, k->N + 1);
    if (perm && kkt_klu_choose_order(k, &scratch, perm, &f->entries))
        f->symbolic = klu_analyze_given(k->N, f->ptr, f->idx, perm, perm, &f->common);
    if (scratch.failed) // (another factorization would hide it)
        a->failed = 1;
    hol_arena_free(&scratch);
    return k->plan->klu = f->symbolic ? f : NULL;
}

long hol_klu_entries(const HolKkt *k) {
    return k->plan->klu ? k->plan->klu->entries : 0;
}

static void *klu_backend_create(HolKkt *k) {
    hol_kkt_plan_begin(k);
    const HolKluPlan *plan = klu_plan(k);
    hol_kkt_plan_end(k);
    KluFactors *f = plan ? HOL_NEW(k->arena, KluFactors, 1) : NULL;
    if (!f)
        return NULL;
    const int nnz = plan->ptr[k->N];
    f->ptr = plan->ptr;
    f->idx = plan->idx;
    f->map = plan->map;
    f->symbolic = plan->symbolic;
    klu_settings(&f->common);
    f->x = HOL_NEW(k->arena, double, k->N + 1);
    f->value = HOL_NEW(k->arena, double, nnz + 1);
    f->chosen = HOL_NEW(k->arena, double, nnz + 1);
    return k->arena->failed ? NULL : f;
}

// smallest |pivot|, and where it sits in K
static double smallest_pivot(const HolKkt *k, const KluFactors *f, int *where) {
    const double *u = f->numeric->Udiag;
    double smallest = INFINITY;
    int at = 0;
    for (int i = 0; i < k->N; i++) {
        double size = fabs(u[i]);
        if (!(size >= smallest)) { // also catches NaN
            smallest = size;
            at = i;
        }
    }
    *where = f->symbolic->Q[at];
    return isnan(smallest) ? 0 : smallest;
}

static int choose_pivots(HolKkt *k, KluFactors *f) {
    klu_free_numeric(&f->numeric, &f->common);
    memcpy(f->chosen, f->value, sizeof *f->value * (size_t)f->ptr[k->N]);
    f->reused = 0;
    f->numeric = klu_factor(f->ptr, f->idx, f->value, f->symbolic, &f->common);
    if (f->numeric)
        return 0;
    int column = f->common.singular_col;
    return column >= 0 && column < k->N ? column + 1 : k->N;
}

static int klu_backend_factor(HolKkt *k, void *factors, double eps) {
    KluFactors *f = factors;
    hol_kkt_scaling(k);
    hol_kkt_map_fill(k, &f->map, eps, f->value);
    int where = 0, fresh = 0;
    double smallest = 0;
    if (f->numeric && klu_refactor(f->ptr, f->idx, f->value, f->symbolic, f->numeric, &f->common)) {
        f->reused = 1;
        smallest = smallest_pivot(k, f, &where);
    } else {
        fresh = 1;
    }
    // the sequence no longer fits: choose pivots again. With eps refinement makes up for a poor one
    int poor =
        eps > 0 ? !(smallest > 1e-300) : smallest < 1e-3 * f->reference || smallest < HOL_KKT_PIVOT;
    if (fresh || poor) {
        k->stats.repivots += !fresh;
        int status = choose_pivots(k, f);
        if (status)
            return status;
        smallest = smallest_pivot(k, f, &where);
        // a sequence found in a singular position is replaced at the next regular one
        f->reference = smallest < HOL_KKT_PIVOT || eps > 0 ? 1 : smallest;
    }
    if (eps == 0 && k->N)
        k->stats.last_growth = 1 / smallest;
    return smallest < (eps > 0 ? 1e-300 : HOL_KKT_PIVOT) ? where + 1 : 0;
}

static void klu_backend_solve(HolKkt *k, void *factors, const double *b, double *x) {
    KluFactors *f = factors;
    hol_kkt_scale(k, b, f->x, &k->free_size);
    klu_solve(f->symbolic, f->numeric, k->N, 1, f->x, &f->common);
    hol_kkt_unscale(k, f->x, x, &k->x_size);
}

// The library's own objects are made anew: pivots chosen for the same values, then the present values
static void klu_backend_keep(HolKkt *k, void *factors, HolKeeper *w) {
    KluFactors *f = factors;
    const int nnz = f->ptr[k->N], present = hol_keep_number(w, "klu", f->numeric != NULL, 0, 1);
    HOL_KEEP(w, f->reference);
    HOL_KEEP(w, f->reused);
    HOL_KEEP_ARRAY(w, f->value, nnz);
    HOL_KEEP_ARRAY(w, f->chosen, nnz);
    if (w->mode != HOL_KEEP_READ || w->wrong)
        return;
    klu_free_numeric(&f->numeric, &f->common);
    if (present)
        f->numeric = klu_factor(f->ptr, f->idx, f->chosen, f->symbolic, &f->common);
    if (present && f->reused &&
        !klu_refactor(f->ptr, f->idx, f->value, f->symbolic, f->numeric, &f->common))
        hol_keep_wrong(w, "klu");
}

const HolKktBackend hol_kkt_klu = {
    "klu",           klu_backend_create, klu_backend_factor, klu_backend_solve, klu_backend_destroy,
    klu_backend_keep};
