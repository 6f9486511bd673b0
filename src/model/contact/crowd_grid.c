// SPDX-License-Identifier: Apache-2.0
// Which balls are near each other, in a time that grows as their number: a grid of cells in a hash table,
// made anew at every position. A level holds the balls whose radii lie within a factor of two; its cells
// are 2.5 times its largest radius, so that balls of a pair with a gap below half of a radius lie in
// cells next to each other. A ball looks for others of its level in its own cell (behind it) and in one
// half of those around it, and for larger ones in all cells around it on their levels: each pair once. The
// order of pairs follows from positions alone.
#include "model/contact/crowd.h"

#include <math.h>
#include <stdint.h>

static const double CELL = 2.5;      // radii
static const double FARTHEST = 1e15; // cells; beyond they count as one
enum { AROUND = 27, HALF = 14 };     // cells around; the first ones are those of one half

// ---- memory ----

HolCrowdWork hol_crowd_work(const HolCrowd *c, void *memory) {
    const size_t n = (size_t)c->n;
    HolCrowdWork w;
    w.x = (double *)memory + c->work;
    w.v = w.x + 3 * n;
    w.w = w.v + 3 * n;
    w.f = w.w + 3 * n;
    w.t = w.f + 3 * n;
    w.cell = (long *)(w.t + 3 * n);
    w.next = (int *)(w.cell + 3 * n);
    w.head = w.next + n;
    return w;
}

size_t hol_crowd_work_size(const HolCrowd *c) {
    const size_t n = (size_t)c->n, ints = n + (size_t)c->table;
    return 15 * n + 3 * n * sizeof(long) / sizeof(double) + ints * sizeof(int) / sizeof(double) + 8;
}

void hol_crowd_levels(HolCrowd *c) {
    double most = 0;
    c->least = INFINITY;
    for (int i = 0; i < c->n; i++) {
        most = fmax(most, c->balls[i].radius);
        c->least = fmin(c->least, c->balls[i].radius);
    }
    for (int i = 0; i < c->n; i++) {
        HolCrowdBall *b = &c->balls[i];
        b->level = (int)fmin(HOL_CROWD_LEVELS - 1, floor(log2(most / b->radius)));
        c->cell[b->level] = fmax(c->cell[b->level], CELL * b->radius);
    }
    for (c->table = 16; c->table < 2 * c->n;)
        c->table *= 2;
}

// ---- cells ----

static long grid_index(double x, double cell) {
    const double at = floor(x / cell);
    return fabs(at) < FARTHEST ? (long)at : 0;
}

static int grid_hash(const HolCrowd *c, const long cell[3], int level) {
    uint64_t key = (uint64_t)cell[0] * 0x9e3779b97f4a7c15u + (uint64_t)level;
    key = (key ^ (key >> 29)) * 0xbf58476d1ce4e5b9u + (uint64_t)cell[1];
    key = (key ^ (key >> 32)) * 0x94d049bb133111ebu + (uint64_t)cell[2];
    key = (key ^ (key >> 29)) * 0x9e3779b97f4a7c15u;
    return (int)(key >> 40 & (uint64_t)(c->table - 1));
}

void hol_crowd_sort(const HolCrowd *c, HolCrowdWork *w) {
    for (int i = 0; i < c->table; i++)
        w->head[i] = -1;
    for (int i = c->n - 1; i >= 0; i--) { // (chains go upwards)
        const int level = c->balls[i].level;
        long *cell = w->cell + 3 * i;
        for (int k = 0; k < 3; k++)
            cell[k] = grid_index(w->x[3 * i + k], c->cell[level]);
        const int at = grid_hash(c, cell, level);
        w->next[i] = w->head[at];
        w->head[at] = i;
    }
}

typedef struct Search {
    const HolCrowd *c;
    const HolCrowdWork *w;
    double margin;
    HolCrowdVisit visit;
    void *context;
} Search;

// balls of a cell from `j` on that are near ball i
static void grid_chain(const Search *s, int i, int j, const long cell[3], int level) {
    const HolCrowdBall *balls = s->c->balls;
    const double *x = s->w->x + 3 * i;
    for (; j >= 0; j = s->w->next[j]) {
        const double *y = s->w->x + 3 * j;
        const long *other = s->w->cell + 3 * j;
        const double reach = balls[i].radius + balls[j].radius + s->margin;
        const double d[3] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]};
        if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < reach * reach && balls[j].level == level &&
            other[0] == cell[0] && other[1] == cell[1] && other[2] == cell[2] &&
            balls[i].body != balls[j].body)
            s->visit(s->context, i, j);
    }
}

// offsets 0 .. 26: the middle one is 13, those behind it are one half
static void grid_around(const Search *s, int i, const long at[3], int level, int first, int plane) {
    for (int o = first; o < AROUND; o++) {
        const long cell[3] = {at[0] + o % 3 - 1, at[1] + o / 3 % 3 - 1, at[2] + o / 9 - 1};
        if (!plane || cell[2] == at[2])
            grid_chain(s, i, s->w->head[grid_hash(s->c, cell, level)], cell, level);
    }
}

void hol_crowd_pairs(const HolCrowd *c, const HolCrowdWork *w, int plane, double margin,
                     HolCrowdVisit visit, void *context) {
    const Search s = {c, w, margin, visit, context};
    for (int i = 0; i < c->n; i++) {
        const int level = c->balls[i].level;
        const long *cell = w->cell + 3 * i;
        grid_chain(&s, i, w->next[i], cell, level); // (of its own cell those behind it)
        grid_around(&s, i, cell, level, HALF, plane);
        for (int l = level - 1; l >= 0; l--) {
            if (!(c->cell[l] > 0))
                continue;
            const long at[3] = {grid_index(w->x[3 * i], c->cell[l]),
                                grid_index(w->x[3 * i + 1], c->cell[l]),
                                grid_index(w->x[3 * i + 2], c->cell[l])};
            grid_around(&s, i, at, l, 0, plane);
        }
    }
}
