// SPDX-License-Identifier: Apache-2.0
// The graph of bodies and joints, and a basis of its loops. A spanning tree grows breadth first from the
// ground. Every other edge closes one loop: the shortest one through it over the tree and the edges that
// closed loops before it; edges come in the order of their loops through the tree. So each loop has
// an edge that no loop before it has, and loops are short.
#include "tools/doctor/doctor.h"

#include <stdlib.h>
#include <string.h>

typedef struct Graph {
    Doctor *d;
    int n;           // bodies
    int *ptr, *list; // edges of each body
    int *up;         // tree edge towards the root, -1: root
    int *depth;
    unsigned char *in; // edges that are part of the graph so far
    int *seen, *from;  // search: round in which a body was reached, by which edge
    int *queue, round;
} Graph;

static int graph_other(const DoctorEdge *e, int body) {
    return e->a == body ? e->b : e->a;
}

// ---- edges ----

// 1: the equation has no other bodies than those of the edge
static int graph_between(const Doctor *d, int equation, const DoctorEdge *e) {
    const HolEquation *q = &d->m->sys.equations[equation];
    for (int k = 0; k < q->n_bodies; k++)
        if (q->bodies[k] != e->a && q->bodies[k] != e->b)
            return 0;
    return q->n_bodies > 0;
}

static void graph_add_row(Doctor *d, int edge, int equation) {
    DoctorEdge *e = &d->edges[edge];
    if (e->n_rows < DOCTOR_ROWS && graph_between(d, equation, e)) {
        e->rows[e->n_rows++] = equation;
        d->edge_of[equation] = edge;
    }
}

static int graph_edges(Doctor *d) {
    const HolModel *m = d->m;
    int *edge_of_joint = HOL_NEW(&d->arena, int, m->def.n_joints + 1);
    d->edges = HOL_NEW(&d->arena, DoctorEdge, m->def.n_joints + 1);
    d->edge_of = HOL_NEW(&d->arena, int, m->sys.n_equations + 1);
    unsigned char *row_used = HOL_NEW(&d->arena, unsigned char, m->sys.n_rows + 1);
    if (d->arena.failed)
        return 0;
    for (int i = 0; i < m->sys.n_equations; i++)
        d->edge_of[i] = -1;
    for (int i = 0; i < m->def.n_joints; i++) {
        const HolJoint *j = &m->def.joints[i];
        edge_of_joint[i] = -1;
        if (j->kind->couples[0]) {
            for (int k = 0; k < 2; k++)
                row_used[j->coupled[k]] = 1;
            continue;
        }
        DoctorEdge *e = &d->edges[d->n_edges];
        *e = (DoctorEdge){.joint = i, .a = j->a.body, .b = j->b.body};
        edge_of_joint[i] = d->n_edges++;
        for (int k = 0; k < j->n_equations; k++)
            graph_add_row(d, edge_of_joint[i], j->equations[k]);
        e->n_own = e->n_rows;
    }
    for (int i = 0; i < m->def.n_motions; i++) {
        const int edge = edge_of_joint[m->def.motions[i].joint];
        row_used[m->def.joints[m->def.motions[i].joint].coordinate] = 1;
        if (edge >= 0)
            graph_add_row(d, edge, m->def.motions[i].constraint);
    }
    for (int i = 0; i < m->sys.n_slots; i++)
        if (m->sys.slots[i].type == HOL_SLOT_VALUE || m->sys.slots[i].type == HOL_SLOT_RATE)
            row_used[m->sys.slots[i].row] = 1;
    for (int i = 0; i < m->sys.n_elements; i++)
        row_used[m->sys.elements[i].row] = 1;
    for (int i = 0; i < d->n_edges; i++) {
        const HolJoint *j = &m->def.joints[d->edges[i].joint];
        d->edges[i].used = (j->coordinate >= 0 && row_used[j->coordinate]) ||
                           (j->coordinate2 >= 0 && row_used[j->coordinate2]);
    }
    return 1;
}

// ---- tree ----

static int graph_lists(Graph *g) {
    Doctor *d = g->d;
    g->ptr = HOL_NEW(&d->arena, int, g->n + 2);
    g->list = HOL_NEW(&d->arena, int, 2 * d->n_edges + 1);
    if (d->arena.failed)
        return 0;
    for (int i = 0; i < d->n_edges; i++) {
        g->ptr[d->edges[i].a + 1]++;
        g->ptr[d->edges[i].b + 1]++;
    }
    for (int b = 0; b < g->n; b++)
        g->ptr[b + 1] += g->ptr[b];
    int *at = HOL_NEW(&d->arena, int, g->n + 1);
    if (!at)
        return 0;
    memcpy(at, g->ptr, sizeof *at * (size_t)g->n);
    for (int i = 0; i < d->n_edges; i++) {
        g->list[at[d->edges[i].a]++] = i;
        g->list[at[d->edges[i].b]++] = i;
    }
    return 1;
}

static void graph_grow(Graph *g, int root) {
    Doctor *d = g->d;
    int head = 0, tail = 0;
    g->queue[tail++] = root;
    g->seen[root] = 1;
    g->up[root] = -1;
    g->depth[root] = 0;
    while (head < tail) {
        const int body = g->queue[head++];
        for (int k = g->ptr[body]; k < g->ptr[body + 1]; k++) {
            const int other = graph_other(&d->edges[g->list[k]], body);
            if (g->seen[other])
                continue;
            g->seen[other] = 1;
            g->up[other] = g->list[k];
            g->depth[other] = g->depth[body] + 1;
            g->in[g->list[k]] = 1;
            d->order[d->n_order++] = g->list[k];
            g->queue[tail++] = other;
        }
    }
}

static int graph_cycle_length(const Graph *g, const DoctorEdge *e) {
    int a = e->a, b = e->b, n = 1;
    while (a != b) {
        int *deeper = g->depth[a] >= g->depth[b] ? &a : &b;
        *deeper = graph_other(&g->d->edges[g->up[*deeper]], *deeper);
        n++;
    }
    return n;
}

// ---- loops ----

// shortest way from a to b over edges that are in; its edges lie in `from`
static int graph_search(Graph *g, int a, int b) {
    int head = 0, tail = 0;
    g->round++;
    g->queue[tail++] = b;
    g->seen[b] = g->round;
    g->from[b] = -1;
    while (head < tail) {
        const int body = g->queue[head++];
        if (body == a)
            return 1;
        for (int k = g->ptr[body]; k < g->ptr[body + 1]; k++) {
            const int edge = g->list[k], other = graph_other(&g->d->edges[edge], body);
            if (!g->in[edge] || g->seen[other] == g->round)
                continue;
            g->seen[other] = g->round;
            g->from[other] = edge;
            if (other == a)
                return 1;
            g->queue[tail++] = other;
        }
    }
    return 0;
}

static int graph_add_loop(Graph *g, int closing) {
    Doctor *d = g->d;
    const DoctorEdge *e = &d->edges[closing];
    if (!graph_search(g, e->b, e->a))
        return 1;
    int n = 1;
    for (int body = e->b; body != e->a; body = graph_other(&d->edges[g->from[body]], body))
        n++;
    DoctorLoop *loop = HOL_NEW(&d->arena, DoctorLoop, 1);
    if (!loop || !HOL_GROW(&d->arena, d->loops, d->n_loops, d->cap_loops))
        return 0;
    loop->edges = HOL_NEW(&d->arena, int, n);
    loop->sign = HOL_NEW(&d->arena, int, n);
    if (d->arena.failed)
        return 0;
    loop->edges[0] = closing;
    loop->sign[0] = 1;
    loop->n = 1;
    for (int body = e->b; body != e->a;) {
        const int edge = g->from[body];
        loop->sign[loop->n] = d->edges[edge].a == body ? 1 : -1;
        loop->edges[loop->n++] = edge;
        body = graph_other(&d->edges[edge], body);
    }
    d->loops[d->n_loops++] = loop;
    return 1;
}

typedef struct Chord {
    int edge, length;
} Chord;

static int graph_by_length(const void *a, const void *b) {
    const Chord *x = a, *y = b;
    return x->length != y->length ? (x->length > y->length) - (x->length < y->length)
                                  : (x->edge > y->edge) - (x->edge < y->edge);
}

int hol_doctor_graph(Doctor *d) {
    Graph g = {.d = d, .n = hol_visible_bodies(d->m)};
    if (!graph_edges(d) || !graph_lists(&g))
        return 0;
    g.up = HOL_NEW(&d->arena, int, g.n);
    g.depth = HOL_NEW(&d->arena, int, g.n);
    g.seen = HOL_NEW(&d->arena, int, g.n);
    g.from = HOL_NEW(&d->arena, int, g.n);
    g.queue = HOL_NEW(&d->arena, int, g.n + 1);
    g.in = HOL_NEW(&d->arena, unsigned char, d->n_edges + 1);
    d->order = HOL_NEW(&d->arena, int, d->n_edges + 1);
    Chord *chords = HOL_NEW(&d->arena, Chord, d->n_edges + 1);
    if (d->arena.failed)
        return 0;
    for (int b = 0; b < g.n; b++)
        if (!g.seen[b])
            graph_grow(&g, b);
    g.round = 1;
    int n = 0;
    for (int i = 0; i < d->n_edges; i++)
        if (!g.in[i])
            chords[n++] = (Chord){i, graph_cycle_length(&g, &d->edges[i])};
    qsort(chords, (size_t)n, sizeof *chords, graph_by_length);
    for (int i = 0; i < n; i++) {
        if (!graph_add_loop(&g, chords[i].edge))
            return 0;
        g.in[chords[i].edge] = 1;
        d->order[d->n_order++] = chords[i].edge;
    }
    return 1;
}
