// SPDX-License-Identifier: Apache-2.0
// Tables for the jets of many bodies and joints at once: which equations are plain rows of a kind
// that jets_batch.c takes four at a time, and the constants of four bodies side by side. Neighbours
// in the model stay neighbours in memory.
#include "model/model.h"

// batches keep no coefficient series, which the reactions in expressions need
static int reaction_used(const HolModel *m, int joint) {
    for (int i = 0; m->nw && joint >= 0 && i < m->n_active_slots; i++)
        if (m->slots[i].type == HOL_SLOT_REACTION && m->slots[i].joint == joint)
            return 1;
    return 0;
}

static const HolRow *plain_row(const HolModel *m, int equation) {
    const HolEquation *e = &m->equations[equation];
    const HolTerm *t = &m->terms[e->first_term];
    int plain = e->holonomic && e->n_terms == 1 && !e->expr && t->coef == 1 &&
                m->rows[t->row].kind->batch && !reaction_used(m, e->joint);
    return plain ? &m->rows[t->row] : NULL;
}

// do the rows from here share their points and run along x, y (, z) in this order?
static int whole_point(const HolModel *m, int equation, const HolRow *r) {
    const HolRowBatch *whole = r->kind->batch->whole;
    for (int i = 0; whole && i < whole->rows; i++) {
        const HolRow *o = equation + i < m->n_equations ? plain_row(m, equation + i) : NULL;
        if (!o || o->kind != r->kind || o->a != r->a || o->b != r->b)
            return 0;
        for (int c = 0; c < 3; c++)
            if (o->sa[c] != r->sa[c] || o->sb[c] != r->sb[c] || o->ua[c] != (c == i ? 1 : 0))
                return 0;
    }
    return whole != NULL;
}

static struct HolBatchList *list_of(HolModel *m, const HolRowBatch *batch) {
    for (int i = 0; i < m->n_batches; i++)
        if (m->batches[i].batch == batch)
            return &m->batches[i];
    m->batches[m->n_batches] = (struct HolBatchList){.batch = batch};
    return &m->batches[m->n_batches++];
}

static void fill_lane(HolChunk *c, int lane, int equation, const HolRow *r) {
    int dot = r->kind == &hol_row_dot3;
    c->equation[lane] = equation;
    for (int side = 0; side < 2; side++) {
        c->body[side][lane] = side ? r->b : r->a;
        const double *s = dot ? (side ? r->ub : r->ua) : (side ? r->sb : r->sa);
        for (int i = 0; i < 3; i++)
            c->s[side][i][lane] = c->arm[side][lane][i] = s[i];
    }
    for (int i = 0; i < 3; i++)
        c->direction[i][lane] = dot ? 0 : r->ua[i];
}

// pass 0 counts, pass 1 fills
static void take_equations(HolModel *m, int pass) {
    for (int i = 0; i < m->n_equations;) {
        const HolRow *r = plain_row(m, i);
        if (!r) {
            if (pass)
                m->lambda_series[i] = m->n_lambda_series++;
            i++;
            continue;
        }
        const HolRowBatch *batch = whole_point(m, i, r) ? r->kind->batch->whole : r->kind->batch;
        struct HolBatchList *list = list_of(m, batch);
        if (pass)
            fill_lane(&list->chunks[list->n / HOL_LANES], list->n % HOL_LANES, i, r);
        list->n++;
        for (int k = 0; pass && k < batch->rows; k++)
            m->lambda_series[i + k] = -1;
        m->batched += pass ? batch->rows : 0;
        i += batch->rows;
    }
}

static int make_chunks(HolModel *m) {
    for (int b = 0; b < m->n_batches; b++) {
        struct HolBatchList *list = &m->batches[b];
        list->n_chunks = (list->n + HOL_LANES - 1) / HOL_LANES;
        list->n = 0;
        if (!(list->chunks = HOL_NEW(&m->arena, HolChunk, list->n_chunks)))
            return 0;
        for (int i = 0; i < list->n_chunks; i++) {
            HolChunk *c = &list->chunks[i];
            c->own = m->batch_series;
            m->batch_series += list->batch->series;
            for (int l = 0; l < HOL_LANES; l++)
                c->equation[l] = -1;
        }
    }
    return 1;
}

static int make_body_lanes(HolModel *m) {
    m->n_body_lanes = (m->n_bodies + HOL_LANES - 1) / HOL_LANES;
    if (!(m->body_lanes = HOL_NEW(&m->arena, HolBodyLanes, m->n_body_lanes)))
        return 0;
    for (int i = 0; i < m->n_body_lanes * HOL_LANES; i++) {
        HolBodyLanes *g = &m->body_lanes[i / HOL_LANES];
        int lane = i % HOL_LANES, moves = i > 0 && i < m->n_bodies;
        if (lane == 0)
            g->diagonal = 1;
        for (int c = 0; c < 6; c++)
            g->place[c][lane] = moves && c < m->bodies[i].nv ? m->bodies[i].v + c : -1;
        if (!moves || m->bodies[i].def.type == HOL_COORDINATE)
            continue;
        const HolBody *b = &m->bodies[i];
        g->turns |= b->def.type == HOL_RIGID;
        for (int c = 0; c < (m->space == HOL_PLANAR ? 2 : 3); c++)
            g->weight[c][lane] = b->def.mass * m->gravity[c];
        if (b->nv == 6) {
            g->diagonal &= b->diagonal;
            for (int c = 0; c < 9; c++)
                g->inertia[c][lane] = b->J[c];
        }
    }
    return 1;
}

int hol_batches_build(HolModel *m) {
    m->lambda_series = HOL_NEW(&m->arena, int, m->n_equations + 1);
    if (!m->lambda_series)
        return 0;
    take_equations(m, 0);
    if (!make_chunks(m))
        return 0;
    take_equations(m, 1);
    return make_body_lanes(m);
}
