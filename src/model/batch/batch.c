// SPDX-License-Identifier: Apache-2.0
// Tables for the series of many bodies and joints at once: which equations are plain rows of a kind
// that batch_series.c evaluates four at a time, and the constants of four bodies side by side.
// Neighbours in the model stay neighbours in memory.
//
// The joints of a large mechanism are divided in two parts with few joints between them. Bodies are
// numbered by their distance from one far end, and the nearer half makes one part. Ground belongs
// to both: the second part has its own copy, the last of the groups of bodies.
#include "model/batch/batch.h"
#include "base/thread_pool.h"

#include <string.h>

enum { BETWEEN = HOL_JET_PARTS };
enum { BLOCK = 64 }; // chunks of the longest list that are walked at once

// batches keep no coefficient series, which the reactions in expressions need
static int reaction_used(const HolModel *m, int joint) {
    for (int i = 0; m->sys.nw && joint >= 0 && i < m->sys.n_active_slots; i++)
        if (m->sys.slots[i].type == HOL_SLOT_REACTION && m->sys.slots[i].joint == joint)
            return 1;
    return 0;
}

static const HolRow *plain_row(const HolModel *m, int equation) {
    const HolEquation *e = &m->sys.equations[equation];
    if (!e->holonomic || e->n_terms != 1 || e->expr)
        return NULL;
    const HolTerm *t = &m->sys.terms[e->first_term];
    const int plain =
        t->coef == 1 && m->sys.rows[t->row].kind->batch && !reaction_used(m, e->joint);
    return plain ? &m->sys.rows[t->row] : NULL;
}

// do the rows from here share their points and run along x, y (, z) in this order?
static int whole_point(const HolModel *m, int equation, const HolRow *r) {
    const HolRowBatch *whole = r->kind->batch->whole;
    for (int i = 0; whole && i < whole->rows; i++) {
        const HolRow *o = equation + i < m->sys.n_equations ? plain_row(m, equation + i) : NULL;
        if (!o || o->kind != r->kind || o->a != r->a || o->b != r->b)
            return 0;
        for (int c = 0; c < 3; c++)
            if (o->sa[c] != r->sa[c] || o->sb[c] != r->sb[c] || o->ua[c] != (c == i ? 1 : 0))
                return 0;
    }
    return whole != NULL;
}

// ---- parts ----

// bodies that plain rows join, ground left out
typedef struct Graph {
    int *first, *other; // neighbours of body i: other[first[i]] .. other[first[i+1]-1]
    int *order, *seen;
} Graph;

static int make_graph(HolModel *m, Graph *g) {
    g->first = HOL_NEW(&m->arena, int, m->def.n_bodies + 2);
    g->other = HOL_NEW(&m->arena, int, 2 * m->sys.n_equations + 1);
    g->order = HOL_NEW(&m->arena, int, m->def.n_bodies);
    g->seen = HOL_NEW(&m->arena, int, m->def.n_bodies);
    if (!g->first || !g->other || !g->order || !g->seen)
        return 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < m->sys.n_equations; i++) {
            const HolRow *r = plain_row(m, i);
            if (!r || !r->a || !r->b)
                continue;
            for (int side = 0; side < 2; side++) {
                int body = side ? r->b : r->a;
                if (pass)
                    g->other[g->first[body + 1]++] = side ? r->a : r->b;
                else
                    g->first[body + 2]++;
            }
        }
        for (int i = 2; !pass && i < m->def.n_bodies + 2; i++)
            g->first[i] += g->first[i - 1];
    }
    return 1;
}

// bodies by their distance from `start`, then those it is not joined with; the farthest of the
// first
static int batch_walk(const HolModel *m, Graph *g, int start, int mark) {
    int n = 0, farthest = start;
    for (int root = 0; root < m->def.n_bodies; root++) {
        int from = root ? root : start, begin = n;
        if (g->seen[from] == mark)
            continue;
        g->seen[from] = mark;
        g->order[n++] = from;
        for (int i = begin; i < n; i++)
            for (int k = g->first[g->order[i]]; k < g->first[g->order[i] + 1]; k++)
                if (g->seen[g->other[k]] != mark) {
                    g->seen[g->other[k]] = mark;
                    g->order[n++] = g->other[k];
                }
        if (root == 0)
            farthest = g->order[n - 1];
    }
    return farthest;
}

// the part of each body; ground has none
static int *batch_divide(HolModel *m) {
    Graph g;
    int *part = HOL_NEW(&m->arena, int, m->def.n_bodies);
    if (!part || !make_graph(m, &g))
        return NULL;
    batch_walk(m, &g, batch_walk(m, &g, 1, 1), 2);
    for (int i = 0; i < m->def.n_bodies - 1; i++)
        part[g.order[i]] = i < m->def.n_bodies / 2;
    return part;
}

static int batch_part_of(const int *part, const HolRow *r) {
    int a = r->a ? r->a : r->b, b = r->b ? r->b : r->a;
    if (!part || (!a && !b))
        return 0;
    return part[a] == part[b] ? part[a] : BETWEEN;
}

// ---- joints ----

static HolBatchList *batch_list_of(HolModel *m, const HolRowBatch *batch) {
    for (int i = 0; i < m->batch.n_lists; i++)
        if (m->batch.lists[i].batch == batch)
            return &m->batch.lists[i];
    m->batch.lists[m->batch.n_lists] = (HolBatchList){.batch = batch};
    return &m->batch.lists[m->batch.n_lists++];
}

static int dim(const HolModel *m) { // of space
    return m->space == HOL_PLANAR ? 2 : 3;
}

static void join_lane(const HolModel *m, HolBatchList *list, int chunk, int lane, int side,
                      int body, int part) {
    if (body == 0 && part == 1) // the second ground
        body = (m->batch.n_groups - 1) * HOL_LANES;
    int turning = (m->space == HOL_PLANAR ? HOL_SERIES_PLANE : HOL_SERIES_SPACE) - HOL_LEADING;
    list->frame[chunk][side][lane] = body / HOL_LANES * turning * HOL_LANES + body % HOL_LANES;
    if (list->moment)
        list->moment[chunk][side][lane] = 3 * body;
}

static void fill_lane(const HolModel *m, HolBatchList *list, int joint, int part, int equation,
                      const HolRow *r) {
    int dot = r->kind == &hol_row_dot3, n = dim(m);
    int chunk = list->part[part] + joint / HOL_LANES, lane = joint % HOL_LANES;
    list->equation[chunk][lane] = equation;
    for (int side = 0; side < 2; side++) {
        join_lane(m, list, chunk, lane, side, side ? r->b : r->a, part);
        const double *s = dot ? (side ? r->ub : r->ua) : (side ? r->sb : r->sa);
        for (int i = 0; i < n; i++)
            list->s[(2 * chunk + side) * n + i][lane] = s[i];
    }
    for (int i = 0; list->direction && i < n; i++)
        list->direction[chunk * n + i][lane] = r->ua[i];
}

// Mechanisms of many equal parts repeat their geometry: equal chunks near each other share it.
static int share_shapes(HolModel *m, HolBatchList *list) {
    enum { NEAR = 8 };
    int n = dim(m), shapes = 0;
    size_t points = sizeof(HolLanes) * 2 * (size_t)n, line = sizeof(HolLanes) * (size_t)n;
    for (int c = 0; c < list->part[BETWEEN + 1]; c++) {
        const HolLanes *s = list->s + 2 * n * c;
        const HolLanes *d = list->direction ? list->direction + n * c : NULL;
        int i = shapes - 1;
        while (i >= 0 && i >= shapes - NEAR &&
               (memcmp(list->s + 2 * n * i, s, points) != 0 ||
                (list->direction && memcmp(list->direction + n * i, d, line) != 0)))
            i--;
        if (i < 0 || i < shapes - NEAR) {
            i = shapes++;
            memmove(list->s + 2 * n * i, s, points);
            if (list->direction)
                memmove(list->direction + n * i, d, line);
        }
        list->shape[c] = i;
    }
    if (m->space == HOL_PLANAR)
        return 1;
    list->arm = hol_arena_alloc(&m->arena, sizeof *list->arm * (size_t)shapes);
    for (int i = 0; list->arm && i < 2 * shapes; i++)
        for (int c = 0; c < 3; c++)
            for (int l = 0; l < HOL_LANES; l++)
                list->arm[i / 2][i % 2][l][c] = list->s[3 * i + c][l];
    return list->arm != NULL;
}

// pass 0 counts, pass 1 fills
static void take_equations(HolModel *m, const int *part, int pass) {
    for (int i = 0; i < m->sys.n_equations;) {
        const HolRow *r = plain_row(m, i);
        if (!r) {
            if (pass)
                m->sys.lambda_series[i] = m->sys.n_lambda_series++;
            i++;
            continue;
        }
        const HolRowBatch *batch = whole_point(m, i, r) ? r->kind->batch->whole : r->kind->batch;
        HolBatchList *list = batch_list_of(m, batch);
        int p = batch_part_of(part, r), joint = list->count[p]++;
        if (pass)
            fill_lane(m, list, joint, p, i, r);
        for (int k = 0; pass && k < batch->rows; k++)
            m->sys.lambda_series[i + k] = -1;
        m->batch.n_equations += pass ? batch->rows : 0;
        i += batch->rows;
    }
}

static int make_chunks(HolModel *m) {
    for (int b = 0; b < m->batch.n_lists; b++) {
        HolBatchList *list = &m->batch.lists[b];
        for (int p = 0; p <= BETWEEN; p++) {
            list->part[p + 1] = list->part[p] + (list->count[p] + HOL_LANES - 1) / HOL_LANES;
            list->count[p] = 0;
        }
        int n = list->part[BETWEEN + 1];
        if (m->batch.blocks < 1 + n / BLOCK)
            m->batch.blocks = 1 + n / BLOCK;
        list->shape = HOL_NEW(&m->arena, int, n);
        list->s = HOL_NEW(&m->arena, HolLanes, 2 * dim(m) * n);
        list->frame = hol_arena_alloc(&m->arena, sizeof *list->frame * (size_t)n);
        list->equation = hol_arena_alloc(&m->arena, sizeof *list->equation * (size_t)n);
        if (list->batch->whole)
            list->direction = HOL_NEW(&m->arena, HolLanes, dim(m) * n);
        if (m->space == HOL_SPATIAL)
            list->moment = hol_arena_alloc(&m->arena, sizeof *list->moment * (size_t)n);
        if (m->arena.failed)
            return 0;
        list->own = m->batch.series;
        m->batch.series += (long)n * list->batch->series;
        for (int p = 0; p <= BETWEEN; p++)
            for (int c = list->part[p]; c < list->part[p + 1]; c++)
                for (int l = 0; l < HOL_LANES; l++) {
                    list->equation[c][l] = -1;
                    join_lane(m, list, c, l, 0, 0, p);
                    join_lane(m, list, c, l, 1, 0, p);
                }
    }
    return 1;
}

// ---- bodies ----

static void fill_body(HolModel *m, int i) {
    const HolBody *b = &m->def.bodies[i];
    HolBodyLanes *all = m->batch.bodies;
    int g = i / HOL_LANES, lane = i % HOL_LANES, n = dim(m);
    all->start[g][lane] = b->q;
    for (int c = 0; c < b->nv; c++)
        all->place[3 * (n - 1) * g + c][lane] = b->v + c;
    if (!hol_body_placed(&b->def))
        return;
    all->turns[g] |= hol_body_turns(&b->def) != 0;
    for (int c = 0; c < n; c++)
        all->weight[n * g + c][lane] = b->def.mass * m->gravity[c];
    if (b->nv < 6)
        return;
    static const int entry[6] = {0, 4, 8, 1, 2, 5};
    all->diagonal[g] &= b->diagonal != 0;
    for (int c = 0; c < 6; c++)
        all->inertia[6 * g + c][lane] = b->J[entry[c]];
}

static int make_body_lanes(HolModel *m) {
    HolBodyLanes *all = m->batch.bodies;
    int n = m->batch.n_groups, places = 3 * (dim(m) - 1) * n;
    all->place = hol_arena_alloc(&m->arena, sizeof *all->place * (size_t)places);
    all->start = hol_arena_alloc(&m->arena, sizeof *all->start * (size_t)n);
    all->turns = HOL_NEW(&m->arena, unsigned char, n);
    all->diagonal = HOL_NEW(&m->arena, unsigned char, n);
    all->weight = HOL_NEW(&m->arena, HolLanes, dim(m) * n);
    if (m->space == HOL_SPATIAL)
        all->inertia = HOL_NEW(&m->arena, HolLanes, 6 * n);
    if (m->arena.failed)
        return 0;
    for (int l = 0; l < HOL_LANES; l++) {
        for (int i = 0; i < places; i++)
            all->place[i][l] = -1;
        for (int g = 0; g < n; g++)
            all->start[g][l] = -1;
    }
    for (int g = 0; g < n; g++)
        all->diagonal[g] = 1;
    for (int i = 1; i < m->def.n_bodies; i++)
        fill_body(m, i);
    return 1;
}

int hol_batches_build(HolModel *m) {
    const int *part = NULL;
    m->batch.n_groups = (m->def.n_bodies + HOL_LANES - 1) / HOL_LANES;
    m->batch.parts = 1;
    m->sys.lambda_series = HOL_NEW(&m->arena, int, m->sys.n_equations + 1);
    m->batch.lists = HOL_NEW(&m->arena, HolBatchList, HOL_BATCHES);
    m->batch.bodies = HOL_NEW(&m->arena, HolBodyLanes, 1);
    if (m->arena.failed)
        return 0;
    if (m->batch.n_groups >= HOL_JET_SHARE) {
        m->batch.n_groups++;
        m->batch.parts = HOL_JET_PARTS;
        if (!(part = batch_divide(m)))
            return 0;
    }
    for (int p = 1; p <= m->batch.parts; p++) {
        m->batch.group_part[p] = hol_share_begin(m->batch.n_groups, m->batch.parts, p);
        m->batch.equation_part[p] = hol_share_begin(m->sys.n_equations, m->batch.parts, p);
    }
    take_equations(m, part, 0);
    if (!make_chunks(m))
        return 0;
    take_equations(m, part, 1);
    for (int b = 0; b < m->batch.n_lists; b++)
        if (!share_shapes(m, &m->batch.lists[b]))
            return 0;
    return make_body_lanes(m);
}

// ---- equations straight from the frames ----

const HolDirectKind *const hol_direct_kinds[] = {&hol_direct_pins, &hol_direct_points,
                                                 &hol_direct_spatial, NULL};
