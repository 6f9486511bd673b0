// SPDX-License-Identifier: Apache-2.0
// Analyses of saddle-point patterns, kept for all runs of a model (kkt_plan.h).
#include "math/saddle/plan/kkt_plan.h"

#include <pthread.h>
#include <string.h>

enum { MOST_PLANS = 24 }; // patterns of one model; further ones belong to their systems alone

struct HolKktPlans {
    pthread_mutex_t lock;
    HolArena arena;
    HolKktPlan *first;
    int count;
};

HolKktPlans *hol_kkt_plans_create(void) {
    HolArena arena = {0};
    HolKktPlans *plans = HOL_NEW(&arena, HolKktPlans, 1);
    if (!plans)
        return NULL;
    pthread_mutex_init(&plans->lock, NULL);
    plans->arena = arena;
    return plans;
}

void hol_kkt_plan_destroy(HolKktPlan *p) {
    if (p && p->klu)
        hol_klu_plan_destroy(p->klu);
}

void hol_kkt_plans_destroy(HolKktPlans *plans) {
    if (!plans)
        return;
    for (HolKktPlan *p = plans->first; p; p = p->next)
        hol_kkt_plan_destroy(p);
    pthread_mutex_destroy(&plans->lock);
    HolArena arena = plans->arena; // they live in it
    hol_arena_free(&arena);
}

static int plan_same(const HolPattern *a, const HolPattern *b, int lines) {
    return a->rows == b->rows && a->cols == b->cols && a->nnz == b->nnz &&
           (!b->ptr || !memcmp(a->ptr, b->ptr, sizeof(int) * (size_t)(lines + 1))) &&
           (!b->nnz || !memcmp(a->idx, b->idx, sizeof(int) * (size_t)b->nnz));
}

static int plan_copy(HolArena *a, const HolPattern *from, int lines, HolPattern *to) {
    int *ptr = HOL_NEW(a, int, lines + 1), *idx = HOL_NEW(a, int, from->nnz + 1);
    if (!ptr || !idx)
        return 0;
    if (from->ptr)
        memcpy(ptr, from->ptr, sizeof(int) * (size_t)(lines + 1));
    if (from->nnz)
        memcpy(idx, from->idx, sizeof(int) * (size_t)from->nnz);
    *to = (HolPattern){from->rows, from->cols, from->nnz, ptr, idx};
    return 1;
}

static HolKktPlan *plan_new(HolArena *a, const HolPattern *S, const HolPattern *G, int nw) {
    HolKktPlan *p = HOL_NEW(a, HolKktPlan, 1);
    int *diagonal = HOL_NEW(a, int, S->cols + 1);
    if (!p || !diagonal || !plan_copy(a, S, S->cols, &p->S) || !plan_copy(a, G, G->rows, &p->G))
        return NULL;
    for (int j = 0; j < S->cols; j++) {
        diagonal[j] = -1;
        for (int e = p->S.ptr[j]; e < p->S.ptr[j + 1]; e++)
            if (p->S.idx[e] == j)
                diagonal[j] = e;
    }
    p->S_diagonal = diagonal;
    p->arena = a;
    p->nw = nw;
    return p;
}

static HolKktPlan *plan_find(HolKktPlans *plans, const HolPattern *S, const HolPattern *G, int nw) {
    HolKktPlan *p = plans->first;
    while (p && !(p->nw == nw && plan_same(&p->S, S, S->cols) && plan_same(&p->G, G, G->rows)))
        p = p->next;
    if (p || plans->count >= MOST_PLANS || !(p = plan_new(&plans->arena, S, G, nw)))
        return p;
    p->next = plans->first;
    plans->first = p;
    plans->count++;
    return p;
}

void hol_kkt_plan_begin(HolKkt *k) {
    if (k->plans)
        pthread_mutex_lock(&k->plans->lock);
}

void hol_kkt_plan_end(HolKkt *k) {
    if (!k->plans)
        return;
    k->arena->failed |= k->plans->arena.failed;
    k->plans->arena.failed = 0;
    pthread_mutex_unlock(&k->plans->lock);
}

HolKktPlan *hol_kkt_plan(HolKkt *k, const HolPattern *S, const HolPattern *G, int nw) {
    HolKktPlan *p = NULL;
    if (k->plans) {
        hol_kkt_plan_begin(k);
        p = plan_find(k->plans, S, G, nw);
        hol_kkt_plan_end(k);
        if (p || k->arena->failed)
            return p;
        k->plans = NULL;
    }
    return plan_new(k->arena, S, G, nw);
}
