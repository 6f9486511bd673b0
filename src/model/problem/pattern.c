// SPDX-License-Identifier: Apache-2.0
// Sparsity of a compiled model, fixed once.
//   G  row e: the entries that its rows can have, body by body
//   M  diagonal, with full 3x3 inertia blocks where products of inertia exist, and what mass elements couple
//   S  what the rows of constraints and forces can have, and every diagonal
#include "model/model.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    HolModel *m;
    unsigned *mask; // per body: union of the masks of the equation at hand
    int *list, n;   // bodies touched
} Build;

static void touch(Build *b, int body, unsigned mask) {
    if (body == 0)
        return;
    mask &= (1u << b->m->def.bodies[body].nv) - 1;
    if (!b->mask[body] && mask)
        b->list[b->n++] = body;
    b->mask[body] |= mask;
}

static void touch_row(Build *b, int row) {
    const HolRow *r = &b->m->sys.rows[row];
    unsigned ma, mb, va, vb;
    r->kind->mask(r, &ma, &mb, &va, &vb);
    touch(b, r->a, ma);
    touch(b, r->b, mb);
}

static int compare_ints(const void *x, const void *y) {
    return *(const int *)x - *(const int *)y;
}

static int list_index(const Build *b, int body) {
    for (int i = 0; i < b->n; i++)
        if (b->list[i] == body)
            return i;
    return -1;
}

static void equation_bodies(Build *b, HolEquation *e) {
    HolModel *m = b->m;
    b->n = 0;
    for (int i = 0; i < e->n_terms; i++)
        touch_row(b, m->sys.terms[e->first_term + i].row);
    for (int i = 0; e->law && i < e->law->n; i++)
        touch_row(b, e->law->factors[i].row);
    int n_slots = e->expr ? hol_expr_slot_count(e->expr) : 0;
    const int *slots = e->expr ? hol_expr_slots(e->expr) : NULL;
    for (int i = 0; i < n_slots; i++)
        if (m->sys.slots[slots[i]].type == HOL_SLOT_VALUE)
            touch_row(b, m->sys.slots[slots[i]].row);
    qsort(b->list, (size_t)b->n, sizeof(int), compare_ints); // body order = order of v
    e->n_bodies = b->n;
    e->bodies = HOL_NEW(&m->arena, int, b->n + 1);
    e->pos = hol_arena_alloc(&m->arena, sizeof(int[6]) * (size_t)(b->n + 1));
    e->term_a = HOL_NEW(&m->arena, int, 2 * (e->n_terms + n_slots) + 1);
    if (m->arena.failed)
        return;
    e->term_b = e->term_a + e->n_terms;
    e->slot_a = e->term_b + e->n_terms;
    e->slot_b = e->slot_a + n_slots;
    int at = 0;
    for (int i = 0; i < b->n; i++) {
        e->bodies[i] = b->list[i];
        for (int k = 0; k < 6; k++)
            e->pos[i][k] = (b->mask[b->list[i]] >> k) & 1 ? at++ : -1;
    }
    for (int i = 0; i < e->n_terms; i++) {
        const HolRow *r = &m->sys.rows[m->sys.terms[e->first_term + i].row];
        e->term_a[i] = list_index(b, r->a);
        e->term_b[i] = list_index(b, r->b);
    }
    for (int i = 0; i < n_slots; i++) {
        const HolSlot *s = &m->sys.slots[slots[i]];
        int value = s->type == HOL_SLOT_VALUE;
        e->slot_a[i] = value ? list_index(b, m->sys.rows[s->row].a) : -1;
        e->slot_b[i] = value ? list_index(b, m->sys.rows[s->row].b) : -1;
    }
    for (int i = 0; e->law && i < e->law->n; i++) {
        HolFactor *f = &e->law->factors[i];
        f->a = list_index(b, m->sys.rows[f->row].a);
        f->b = list_index(b, m->sys.rows[f->row].b);
    }
    for (int i = 0; i < b->n; i++)
        b->mask[b->list[i]] = 0;
}

static int build_G(Build *b) {
    HolModel *m = b->m;
    int nnz = 0, n = m->sys.n_equations;
    for (int i = 0; i < n; i++) {
        HolEquation *e = &m->sys.equations[i];
        equation_bodies(b, e);
        if (m->arena.failed)
            return 0;
        e->g_start = nnz;
        for (int k = 0; k < e->n_bodies; k++)
            for (int c = 0; c < 6; c++)
                nnz += e->pos[k][c] >= 0;
    }
    int *ptr = HOL_NEW(&m->arena, int, n + 1), *idx = HOL_NEW(&m->arena, int, nnz + 1);
    if (!ptr || !idx)
        return 0;
    for (int i = 0; i < n; i++) {
        const HolEquation *e = &m->sys.equations[i];
        ptr[i] = e->g_start;
        for (int k = 0; k < e->n_bodies; k++)
            for (int c = 0; c < 6; c++)
                if (e->pos[k][c] >= 0)
                    idx[e->g_start + e->pos[k][c]] = m->def.bodies[e->bodies[k]].v + c;
    }
    ptr[n] = nnz;
    m->problem.G = (HolPattern){n, m->problem.nv, nnz, ptr, idx};
    return 1;
}

// a mass that is zero has no entry: the solver then knows
static int has_mass(const HolModel *m, const HolBody *b, int c) {
    const int rotation = c >= hol_body_size(m->space, b->def.type)->linear;
    return rotation ? b->J[m->space == HOL_PLANAR ? 0 : 4 * (c - 3)] != 0 : b->def.mass != 0;
}

// ---- S ----

void hol_tangent_place(HolTangentPlaces *p, int row, int column) {
    if (p->failed)
        return;
    if (p->n == p->capacity && !HOL_GROW(p->arena, p->pairs, p->n, p->capacity)) {
        p->failed = 1;
        return;
    }
    p->pairs[p->n++] = ((uint64_t)column << 32) | (uint64_t)row;
}

enum { MANY_PAIRS = 64 }; // of a column: more are not put in order by insertion

static int pattern_compare(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// The pairs in the order of their columns and, inside a column, of their rows: counted into columns,
// which have few entries as a rule and are put in order by insertion.
static void pattern_sort(const uint64_t *pairs, int n, int nv, int *first, uint64_t *sorted) {
    memset(first, 0, sizeof *first * ((size_t)nv + 1));
    for (int i = 0; i < n; i++)
        first[(pairs[i] >> 32) + 1]++;
    for (int c = 0; c < nv; c++)
        first[c + 1] += first[c];
    for (int i = 0; i < n; i++) {
        const int c = (int)(pairs[i] >> 32);
        sorted[first[c]++] = pairs[i];
    }
    for (int c = 0, begin = 0; c < nv; begin = first[c++]) {
        if (first[c] - begin > MANY_PAIRS) {
            qsort(sorted + begin, (size_t)(first[c] - begin), sizeof *sorted, pattern_compare);
            continue;
        }
        for (int i = begin + 1; i < first[c]; i++) {
            const uint64_t pair = sorted[i];
            int k = i;
            for (; k > begin && sorted[k - 1] > pair; k--)
                sorted[k] = sorted[k - 1];
            sorted[k] = pair;
        }
    }
}

// a body's own entries: the diagonal, in space all of its rotations
static void place_body(HolTangentPlaces *p, const HolBody *b) {
    for (int c = 0; c < b->nv; c++)
        hol_tangent_place(p, b->v + c, b->v + c);
    for (int c = 3; b->nv == 6 && c < 6; c++)
        for (int r = 3; r < 6; r++)
            hol_tangent_place(p, b->v + r, b->v + c);
}

static int pattern_place_of(const HolPattern *S, uint64_t pair) {
    const int column = (int)(pair >> 32), row = (int)(pair & 0xffffffffu);
    int low = S->ptr[column], high = S->ptr[column + 1] - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (S->idx[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// pattern by columns of the sorted pairs
static int pattern_of(HolModel *m, const uint64_t *pairs, int n, HolPattern *S) {
    const int nv = m->problem.nv;
    int *ptr = HOL_NEW(&m->arena, int, nv + 1), *idx, nnz = 0;
    for (int i = 0; i < n; i++)
        nnz += i == 0 || pairs[i] != pairs[i - 1];
    idx = HOL_NEW(&m->arena, int, nnz + 1);
    if (!ptr || !idx)
        return 0;
    nnz = 0;
    for (int i = 0, column = 0; i <= n; i++) {
        for (int next = i < n ? (int)(pairs[i] >> 32) : nv; column < next;)
            ptr[++column] = nnz;
        if (i < n && (i == 0 || pairs[i] != pairs[i - 1]))
            idx[nnz++] = (int)(pairs[i] & 0xffffffffu);
    }
    *S = (HolPattern){nv, nv, nnz, ptr, idx};
    return 1;
}

// ---- M ----

static void place_inertia(const HolModel *m, HolTangentPlaces *p, const HolBody *b) {
    for (int c = 0; c < b->nv; c++)
        if (c >= 3 && !b->diagonal)
            for (int r = 3; r < 6; r++)
                hol_tangent_place(p, b->v + r, b->v + c);
        else if (has_mass(m, b, c))
            hol_tangent_place(p, b->v + c, b->v + c);
}

static void place_masses(const HolModel *m, HolTangentPlaces *p) {
    for (int i = 0; i < m->masses.n; i++) {
        const HolMassElement *e = &m->masses.list[i];
        for (int c = 0; c < e->n; c++)
            for (int r = 0; r < e->n; r++)
                if (e->kind->couples(m, e->data, r, c))
                    hol_tangent_place(p, e->v + r, e->v + c);
    }
}

static int build_M(HolModel *m) {
    HolArena scratch = {0};
    HolTangentPlaces p = {.arena = &scratch};
    for (int i = 1; i < m->def.n_bodies; i++)
        place_inertia(m, &p, &m->def.bodies[i]);
    place_masses(m, &p);
    uint64_t *sorted = HOL_NEW(&scratch, uint64_t, p.n + 1);
    int *first = HOL_NEW(&scratch, int, m->problem.nv + 1), ok = sorted && first && !p.failed;
    if (ok) {
        pattern_sort(p.pairs, p.n, m->problem.nv, first, sorted);
        ok = pattern_of(m, sorted, p.n, &m->problem.M);
    }
    hol_arena_free(&scratch);
    m->sys.mass = HOL_NEW(&m->arena, double, ok ? m->problem.M.nnz + 1 : 1);
    m->sys.weight = HOL_NEW(&m->arena, double, m->def.n_bodies + 1);
    m->sys.places = HOL_NEW(&m->arena, HolPlace, m->def.n_bodies + 1);
    m->arena.failed |= !ok; // it was memory
    return !m->arena.failed && (!m->masses.n || hol_masses_fill(m));
}

static int build_S(HolModel *m) {
    HolArena scratch = {0};
    HolTangentPlaces p = {.arena = &scratch};
    hol_tangent_record(m, &p);
    const int from_walk = p.n;
    m->sys.body_first = HOL_NEW(&m->arena, int, m->def.n_bodies + 1);
    for (int i = 1; i < m->def.n_bodies && m->sys.body_first; i++) {
        m->sys.body_first[i] = p.n - from_walk;
        place_body(&p, &m->def.bodies[i]);
    }
    m->sys.tangent_to = HOL_NEW(&m->arena, int, p.n + 1);
    uint64_t *sorted = HOL_NEW(&scratch, uint64_t, p.n + 1);
    int *first = HOL_NEW(&scratch, int, m->problem.nv + 1);
    int ok = m->sys.body_first && m->sys.tangent_to && sorted && first && !p.failed;
    if (ok) {
        pattern_sort(p.pairs, p.n, m->problem.nv, first, sorted);
        ok = pattern_of(m, sorted, p.n, &m->problem.S);
    }
    for (int i = 0; i < p.n && ok; i++)
        m->sys.tangent_to[i] = pattern_place_of(&m->problem.S, p.pairs[i]);
    m->sys.body_to = m->sys.tangent_to + from_walk;
    m->sys.tangent_elements = p.elements;
    if (ok && m->masses.n) // (recorded last)
        hol_masses_places(m, m->sys.body_to);
    hol_arena_free(&scratch);
    m->arena.failed |= !ok; // it was memory
    return ok;
}

// scratch sizes of expressions
static void measure_expr(HolModel *m, const HolExpr *e) {
    if (!e)
        return;
    if (hol_expr_work(e) > m->sys.expr_work)
        m->sys.expr_work = hol_expr_work(e);
    if (hol_expr_slot_count(e) > m->sys.max_slots)
        m->sys.max_slots = hol_expr_slot_count(e);
}

static void measure_equation(HolModel *m, const HolEquation *e) {
    measure_expr(m, e->expr);
    for (int i = 0; e->law && i < e->law->n; i++)
        measure_expr(m, e->law->factors[i].c);
    if (e->law) {
        measure_expr(m, e->law->whole);
        measure_expr(m, e->law->rest);
    }
}

// rows that series evaluate one by one: all active ones but those of batched equations only
static void mark_single_rows(const HolModel *m, unsigned char *single) {
    for (int i = 0; i < m->batch.n_loads; i++)
        single[m->sys.elements[m->batch.loads[i]].row] = 1;
    for (int i = 0; i < m->sys.n_active_slots; i++) {
        HolSlotType t = m->sys.slots[i].type;
        if (t == HOL_SLOT_VALUE || t == HOL_SLOT_RATE || t == HOL_SLOT_ACCELERATION)
            single[m->sys.slots[i].row] = 1;
    }
    for (int i = 0; i < m->sys.n_equations; i++)
        for (int t = 0; m->sys.lambda_series[i] >= 0 && t < m->sys.equations[i].n_terms; t++)
            single[m->sys.terms[m->sys.equations[i].first_term + t].row] = 1;
}

// which coefficients of a row exist and move
static void mark_entries(HolModel *m) {
    for (int i = 0; i < m->sys.n_rows; i++) {
        HolRow *r = &m->sys.rows[i];
        unsigned mask[2], vary[2];
        int body[2] = {r->a, r->b};
        r->kind->mask(r, &mask[0], &mask[1], &vary[0], &vary[1]);
        for (int s = 0; s < 2; s++) {
            unsigned has = (1u << m->def.bodies[body[s]].nv) - 1;
            r->mask[s] = (unsigned char)(mask[s] & has);
            r->vary[s] = (unsigned char)(vary[s] & has);
        }
    }
}

// memory for the series of rows
static int measure_rows(HolModel *m) {
    unsigned char *single = HOL_NEW(&m->arena, unsigned char, m->sys.n_rows + 1);
    if (!single)
        return 0;
    mark_single_rows(m, single);
    for (int i = 0; i < m->sys.n_rows; i++) {
        HolRow *r = &m->sys.rows[i];
        r->jet = m->sys.jet_series;
        if (single[i])
            m->sys.jet_series += r->kind->series + r->more + 1 + (m->space == HOL_PLANAR ? 6 : 12);
    }
    return 1;
}

int hol_patterns_build(HolModel *m) {
    Build b = {.m = m};
    b.mask = HOL_NEW(&m->arena, unsigned, m->def.n_bodies);
    b.list = HOL_NEW(&m->arena, int, m->def.n_bodies);
    mark_entries(m);
    if (!hol_beams_build(m) || !hol_modals_arrange(m) || !hol_springs_build(m))
        return 0;
    if (!b.mask || !b.list || !build_G(&b) || !hol_batches_build(m) || !build_M(m) ||
        !hol_point_rows_build(m) || !hol_space_rows_build(m) || !build_S(m))
        return 0;
    if (!measure_rows(m))
        return 0;
    for (int i = 0; i < m->sys.n_equations; i++)
        measure_equation(m, &m->sys.equations[i]);
    for (int i = 0; i < m->sys.n_elements; i++)
        measure_expr(m, m->sys.elements[i].expr);
    for (int i = 0; i < m->sys.nw; i++)
        measure_expr(m, m->sys.implicit[i]->expr);
    for (int i = 0; i < m->out.n_columns; i++)
        measure_expr(m, m->out.columns[i].expr);
    return 1;
}
