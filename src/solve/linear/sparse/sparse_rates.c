// SPDX-License-Identifier: Apache-2.0
// Hd = (G v + g_t)_q of a large model, every entry: a row depends on all coordinates of the bodies it joins,
// also where G has a zero. Differences of fourth order; columns that share no row are moved together.
#include "solve/linear/linear_parts.h"
#include "solve/linear/sparse/sparse.h"

#include <math.h>
#include <string.h>

static const double PLACE[4] = {-2, -1, 1, 2};
static const double WEIGHT[4] = {1. / 12, -2. / 3, 2. / 3, -1. / 12};
static const double INCREMENT = 1e-3; // of differences, part of the size of a coordinate

// first[b] .. first[b + 1]: coordinates of body b (they stand together); owner: the body of each
static int sparse_rates_bodies(const HolSim *s, HolArena *arena, int **first, int **owner) {
    const int *body = s->p->extras->body;
    int n = 0;
    *first = HOL_NEW(arena, int, s->nv + 2);
    *owner = HOL_NEW(arena, int, s->nv + 1);
    if (arena->failed)
        return 0;
    for (int i = 0; i < s->nv; i++) {
        if (i == 0 || body[i] != body[i - 1])
            (*first)[n++] = i;
        (*owner)[i] = n - 1;
    }
    (*first)[n] = s->nv;
    return n;
}

// the pattern of Hd: all coordinates of the bodies of a row
static int sparse_rates_pattern(HolSparse *o, const int *first, const int *owner, int bodies) {
    const HolPattern *G = &o->s->p->G;
    int *mark = HOL_NEW(o->arena, int, bodies + 1), *ptr = HOL_NEW(o->arena, int, o->m + 1),
        *idx = NULL;
    for (int pass = 0; pass < 2; pass++) {
        int n = 0;
        if (o->arena->failed)
            return 0;
        memset(mark, 0, sizeof *mark * (size_t)bodies);
        for (int i = 0; i < o->m; i++) {
            ptr[i] = n;
            for (int e = G->ptr[i]; e < G->ptr[i + 1]; e++) {
                const int b = owner[G->idx[e]];
                if (mark[b] == i + 1)
                    continue;
                mark[b] = i + 1;
                for (int k = first[b]; k < first[b + 1]; k++, n++)
                    if (idx)
                        idx[n] = k;
            }
        }
        ptr[o->m] = n;
        if (!idx)
            idx = HOL_NEW(o->arena, int, n + 1);
        o->H = (HolPattern){.rows = o->m, .cols = o->n, .nnz = n, .ptr = ptr, .idx = idx};
    }
    o->Hd = HOL_NEW(o->arena, double, o->H.nnz + 1);
    return !o->arena->failed;
}

// Colours of columns, so that none of a colour meet in a row; how many, 0: no memory.
static int sparse_rates_colours(const HolSparse *o, HolArena *arena, int *colour) {
    const HolPattern *H = &o->H;
    int *ptr = HOL_NEW(arena, int, o->n + 2), *row = HOL_NEW(arena, int, H->nnz + 1);
    int *used = HOL_NEW(arena, int, o->n + 1), most = 0; // used[c] = j + 1: a neighbour of j has c
    if (arena->failed)
        return 0;
    for (int e = 0; e < H->nnz; e++)
        ptr[H->idx[e] + 2]++;
    for (int j = 0; j < o->n; j++)
        ptr[j + 2] += ptr[j + 1];
    for (int i = 0; i < o->m; i++)
        for (int e = H->ptr[i]; e < H->ptr[i + 1]; e++)
            row[ptr[H->idx[e] + 1]++] = i;
    memset(colour, -1, sizeof *colour * (size_t)o->n);
    for (int j = 0; j < o->n; j++) {
        int c = 0;
        for (int k = ptr[j]; k < ptr[j + 1]; k++)
            for (int e = H->ptr[row[k]]; e < H->ptr[row[k] + 1]; e++)
                if (colour[H->idx[e]] >= 0)
                    used[colour[H->idx[e]]] = j + 1;
        while (used[c] == j + 1)
            c++;
        colour[j] = c;
        most = c + 1 > most ? c + 1 : most;
    }
    return most;
}

int hol_sparse_rate_jacobian(HolSparse *o) {
    HolSim *s = o->s;
    int *first, *owner, *colour = HOL_NEW(o->arena, int, o->n + 1);
    double *q = HOL_NEW(o->arena, double, s->nq + 1), *d = HOL_NEW(o->arena, double, o->n + 1);
    double *values = HOL_NEW(o->arena, double, s->p->G.nnz + 1);
    double *out = HOL_NEW(o->arena, double, o->m + 1);
    const int bodies = o->arena->failed ? 0 : sparse_rates_bodies(s, o->arena, &first, &owner);
    if (!bodies || !sparse_rates_pattern(o, first, owner, bodies))
        return 0;
    const int colours = sparse_rates_colours(o, o->arena, colour);
    for (int c = 0; c < colours; c++)
        for (int k = 0; k < 4; k++) {
            for (int j = 0; j < o->n; j++)
                d[j] = colour[j] == c ? PLACE[k] * INCREMENT * s->reach[j] : 0;
            s->p->retract(s->p, s->work, o->x->q, d, q);
            hol_linear_rate(s, &(HolPoint){.t = o->x->t, .q = q, .v = o->x->v}, o->x->v, 0, values,
                            out);
            for (int i = 0; i < o->m; i++)
                for (int e = o->H.ptr[i]; e < o->H.ptr[i + 1]; e++)
                    if (colour[o->H.idx[e]] == c)
                        o->Hd[e] += WEIGHT[k] / (INCREMENT * s->reach[o->H.idx[e]]) * out[i];
        }
    return colours > 0;
}
