// SPDX-License-Identifier: Apache-2.0
// Residuals of a saddle point for given unknowns and multipliers, both rows in one pass over G:
//     r1 = start - M (x - z) - G^T l,     r2 = c r2 - G u
// Large systems are bound by memory here. So G goes by rows for both products, tile by tile: a tile
// begins the r1 of the columns that its rows are the first to touch, then adds its rows, while all
// that is in the cache. Long systems are passed in two parts, which threads may share; rows of the
// second part that touch columns of the first come after both. The tiles depend on the pattern
// only: the sums are the same with one thread and with two.
#include "base/thread_pool.h"
#include "math/simd.h"
#include "solve/constraint/project.h"

#include <stdlib.h>
#include <string.h>

// rows of a tile, of a block; rows from which on there are parts
enum { TILE = 256, BLOCK = 16, LONG = 2000, PARTS = 2 };

typedef struct Run { // first .. end-1
    int first, end;
} Run;

typedef struct Tile {
    int column, column_end; // runs of columns
    int row, row_end;       // blocks of rows
} Tile;

// Some rows one after the other. Alike joints have their columns at the same distances from the
// first one: these are kept once, and stay in the cache.
typedef struct Block {
    int first, end;
    int start, column; // its values in G, the column of the first
    int shape;         // in `shapes`: where each row ends, then the distances
} Block;

struct HolTiles {
    int diagonal;        // 1: M is
    int parts;           // walked side by side
    int part[PARTS + 2]; // their tiles; those behind the last part come after
    Tile *tile;
    Run *columns;
    Block *rows;
    int *shapes, shapes_end;
};

// ---- tiles ----

static int is_diagonal(const HolPattern *M) {
    for (int j = 0; j < M->cols; j++)
        if (M->ptr[j] != j || M->idx[j] != j)
            return 0;
    return M->nnz == M->cols;
}

// rows by the first column they touch: neighbours in the mechanism, however joints are numbered
static void order_rows(const HolPattern *G, int *start, int *order) {
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < G->rows; i++) {
            int least = G->ptr[i] < G->ptr[i + 1] ? G->cols : 0;
            for (int k = G->ptr[i]; k < G->ptr[i + 1]; k++)
                least = G->idx[k] < least ? G->idx[k] : least;
            if (pass)
                order[start[least]++] = i;
            else
                start[least + 1]++;
        }
        for (int j = 0; !pass && j < G->cols; j++)
            start[j + 1] += start[j];
    }
}

// the part of every row, PARTS: after them; returns how many these are
static int residual_divide(const HolPattern *G, const int *order, unsigned char *part,
                           unsigned char *touched) {
    int cut = G->rows / PARTS, after = 0;
    for (int o = 0; o < G->rows; o++) {
        const int i = order[o];
        part[i] = o >= cut;
        for (int k = G->ptr[i]; k < G->ptr[i + 1]; k++)
            if (o < cut)
                touched[G->idx[k]] = 1;
            else if (touched[G->idx[k]])
                part[i] = PARTS;
        after += part[i] == PARTS;
    }
    return after;
}

static void add_run(Run *runs, int *n, int begin, int i) {
    if (*n > begin && runs[*n - 1].end == i)
        runs[*n - 1].end++;
    else
        runs[(*n)++] = (Run){i, i + 1};
}

static void residual_add_row(Block *rows, int *n, int begin, int i) {
    Block *last = &rows[*n - 1];
    if (*n > begin && last->end == i && i - last->first < BLOCK)
        last->end++;
    else
        rows[(*n)++] = (Block){.first = i, .end = i + 1};
}

// like one of the last few blocks, or a new one
static void find_shape(const HolPattern *G, struct HolTiles *t, int block) {
    enum { FEW = 32 };
    Block *b = &t->rows[block];
    const int n = b->end - b->first, count = G->ptr[b->end] - G->ptr[b->first];
    int *own = t->shapes + t->shapes_end;
    b->start = G->ptr[b->first];
    b->column = count > 0 ? G->idx[b->start] : 0;
    for (int i = 0; i < n; i++)
        own[i] = G->ptr[b->first + i + 1] - b->start;
    for (int k = 0; k < count; k++)
        own[n + k] = G->idx[b->start + k] - b->column;
    for (const Block *o = b - 1; o >= t->rows && o >= b - FEW; o--)
        if (o->end - o->first == n &&
            memcmp(t->shapes + o->shape, own, sizeof *own * (size_t)n) == 0 &&
            memcmp(t->shapes + o->shape + n, own + n, sizeof *own * (size_t)count) == 0) {
            b->shape = o->shape;
            return;
        }
    b->shape = t->shapes_end;
    t->shapes_end += n + count;
}

static int residual_ascending(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

// rows of a tile in ascending order; tile_of (by columns): which tile begins it, -1: none yet
static void add_tile(const HolPattern *G, struct HolTiles *t, int tile, int *rows, int n,
                     int *blocks, int *tile_of) {
    qsort(rows, (size_t)n, sizeof *rows, residual_ascending);
    t->tile[tile].row = *blocks;
    for (int r = 0; r < n; r++) {
        residual_add_row(t->rows, blocks, t->tile[tile].row, rows[r]);
        for (int k = G->ptr[rows[r]]; k < G->ptr[rows[r] + 1]; k++)
            if (tile_of[G->idx[k]] < 0)
                tile_of[G->idx[k]] = tile;
    }
    t->tile[tile].row_end = *blocks;
    for (int b = t->tile[tile].row; b < *blocks; b++)
        find_shape(G, t, b);
}

static void make_tiles(const HolPattern *G, const int *order, const unsigned char *part,
                       struct HolTiles *t, int *tile_of) {
    int tiles = 0, blocks = 0, columns = 0, rows[TILE];
    for (int j = 0; j < G->cols; j++)
        tile_of[j] = -1;
    for (int p = 0; p <= PARTS; p++) {
        t->part[p] = tiles;
        int n = 0;
        for (int o = 0; o < G->rows; o++) {
            if (part[order[o]] == p)
                rows[n++] = order[o];
            if (n == TILE) {
                add_tile(G, t, tiles++, rows, n, &blocks, tile_of);
                n = 0;
            }
        }
        if (n > 0 || (p == 0 && tiles == 0)) // (no rows: columns there are)
            add_tile(G, t, tiles++, rows, n, &blocks, tile_of);
    }
    t->part[PARTS + 1] = tiles;
    // columns by tiles, those without rows to the first: counted, then placed in ascending order
    for (int j = 0; j < G->cols; j++) {
        tile_of[j] = tile_of[j] < 0 ? 0 : tile_of[j];
        t->tile[tile_of[j]].column_end++;
    }
    for (int i = 0; i < tiles; i++) {
        t->tile[i].column = columns;
        columns += t->tile[i].column_end;
        t->tile[i].column_end = t->tile[i].column;
    }
    for (int j = 0; j < G->cols; j++) {
        Tile *own = &t->tile[tile_of[j]];
        add_run(t->columns, &own->column_end, own->column, j);
    }
}

int hol_residual_prepare(HolSim *s) {
    const HolPattern *G = &s->p->G;
    const int m = G->rows;
    if (!s->p->symmetric_mass)
        return 1;
    struct HolTiles *t = HOL_NEW(&s->arena, struct HolTiles, 1);
    HolArena scratch = {0};
    unsigned char *part = HOL_NEW(&scratch, unsigned char, m + 1);
    unsigned char *touched = HOL_NEW(&scratch, unsigned char, s->nv + 1);
    int *column = HOL_NEW(&scratch, int, s->nv + 2), *order = HOL_NEW(&scratch, int, m + 1);
    if (t) {
        t->tile = HOL_NEW(&s->arena, Tile, m / TILE + PARTS + 2);
        t->columns = HOL_NEW(&s->arena, Run, s->nv + 1);
        t->rows = HOL_NEW(&s->arena, Block, m + 1);
        t->shapes = HOL_NEW(&s->arena, int, m + G->nnz + 1);
    }
    const int ok = t && !scratch.failed && !s->arena.failed;
    if (ok) {
        order_rows(G, column, order);
        t->parts = m >= LONG ? PARTS : 1;
        const int after = t->parts > 1 ? residual_divide(G, order, part, touched) : 0;
        t->diagonal = is_diagonal(&s->p->M);
        make_tiles(G, order, part, t, column);
        // (where everything touches everything, products by rows cannot be shared)
        s->tiles = after > m / 16 ? NULL : t;
    }
    hol_arena_free(&scratch);
    return ok;
}

// ---- walk ----

typedef struct Walk {
    const HolSim *s;
    const struct HolTiles *t;
    const HolResidual *a;
} Walk;

static void begin_columns(const Walk *w, Run run) {
    const HolResidual *a = w->a;
    const HolPattern *M = &w->s->p->M;
    const double *restrict x = a->x, *restrict z = a->z, *restrict A = a->M;
    double *r = a->r1;
    if (w->t->diagonal && a->start) {
        for (int j = run.first; j < run.end; j++)
            r[j] = a->start[j] - A[j] * (z ? x[j] - z[j] : x[j]);
    } else if (w->t->diagonal) {
        for (int j = run.first; j < run.end; j++)
            r[j] = 0 - A[j] * (z ? x[j] - z[j] : x[j]);
    } else {
        for (int j = run.first; j < run.end; j++) {
            double y = a->start ? a->start[j] : 0;
            for (int k = M->ptr[j]; k < M->ptr[j + 1]; k++)
                y -= A[k] * (z ? x[M->idx[k]] - z[M->idx[k]] : x[M->idx[k]]);
            r[j] = y;
        }
    }
}

// G of a block's rows, from its first column on
typedef struct Rows {
    int n;
    const int *ends;
    const double *G;
} Rows;

HOL_INLINE void residual_multiply(Rows b, const double *restrict l, const double *restrict u,
                                  double c, double *restrict r1, double *restrict r2) {
    const int *restrict distance = b.ends + b.n;
    for (int i = 0, k = 0; i < b.n; i++) {
        const double force = l ? l[i] : 0;
        double sum = 0;
        for (const int end = b.ends[i]; k < end; k++) {
            const double g = b.G[k];
            const int j = distance[k];
            if (u)
                sum += g * u[j];
            if (l)
                r1[j] -= g * force;
        }
        if (u)
            r2[i] = c > 0 ? r2[i] - sum : c < 0 ? -(r2[i] + sum) : -sum;
    }
}

// (not inlined: a compiler that knows where u and r1 come from adds the column to every distance)
__attribute__((noinline)) static void residual_add_rows(Rows b, const double *l, const double *u,
                                                        double c, double *r1, double *r2) {
    if (l && u)
        residual_multiply(b, l, u, c, r1, r2);
    else if (l)
        residual_multiply(b, l, NULL, c, r1, r2);
    else
        residual_multiply(b, NULL, u, c, r1, r2);
}

static void walk_tiles(const Walk *w, int first, int end) {
    const struct HolTiles *t = w->t;
    const HolResidual *a = w->a;
    for (const Tile *tile = t->tile + first; tile < t->tile + end; tile++) {
        for (int r = tile->column; a->x && r < tile->column_end; r++)
            begin_columns(w, t->columns[r]);
        if (!a->l && !a->u)
            continue;
        for (const Block *b = t->rows + tile->row; b < t->rows + tile->row_end; b++)
            residual_add_rows((Rows){b->end - b->first, t->shapes + b->shape, a->G + b->start},
                              a->l ? a->l + b->first : NULL, a->u ? a->u + b->column : NULL, a->c,
                              a->l ? a->r1 + b->column : NULL, a->u ? a->r2 + b->first : NULL);
    }
}

static void walk_part(void *context, int part) {
    const Walk *w = context;
    walk_tiles(w, w->t->part[part], w->t->part[part + 1]);
}

// without tiles, one product after the other
static void plain_residual(const HolSim *s, const HolResidual *a) {
    const double *x = a->x;
    if (a->z)
        hol_sim_add(s, s->nv, x, -1, a->z, a->scratch);
    if (x)
        hol_sim_balance(s, a->M, a->z ? a->scratch : x, a->G, a->l, a->start, a->r1);
    if (!a->u)
        return;
    if (a->c == 0)
        memset(a->r2, 0, sizeof(double) * (size_t)s->m);
    if (a->c <= 0)
        hol_sim_defect(s, s->m, a->G, a->u, a->r2);
    else
        hol_sim_mul_G(s, a->G, a->u, -1, a->r2);
}

void hol_sim_residual(const HolSim *s, const HolResidual *a) {
    if (!a->x && !a->l && !a->u)
        return;
    if (!s->tiles) {
        plain_residual(s, a);
        return;
    }
    Walk w = {s, s->tiles, a};
    hol_pool_run(s->pool, w.t->parts, walk_part, &w);
    walk_tiles(&w, w.t->part[w.t->parts], w.t->part[PARTS + 1]);
}
