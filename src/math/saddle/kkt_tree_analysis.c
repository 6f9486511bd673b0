// SPDX-License-Identifier: Apache-2.0
// Is a mechanism an open tree? Its bodies from the tips to the roots, and where the entries of S
// and G belong. Bodies are given by the columns they own; what a row of G touches are the bodies it
// joins, one of which may be the ground.
#include "math/saddle/plan/kkt_plan.h"

typedef struct Edge {
    int a, b;           // bodies; b = ground: one body only
    int next_a, next_b; // further edges of each
    int rows;
} Edge;

typedef struct Graph {
    int bodies, edges;
    int *first;     // bodies + 1: first column
    int *of_column; // body
    int *of_row;    // edge
    int *head;      // bodies + 1 (the ground): an edge
    int *set;       // bodies + 1: forest of what is joined
    Edge *edge;
} Graph;

// columns of a body follow each other
static int find_bodies(const HolKkt *k, const int *body, Graph *g) {
    for (int j = 0; j < k->n; j++) {
        if (j == 0 || body[j] != body[j - 1])
            g->first[g->bodies++] = j;
        g->of_column[j] = g->bodies - 1;
        if (j - g->first[g->bodies - 1] >= HOL_LINK_WIDTH || (j > 0 && body[j] < body[j - 1]))
            return 0;
    }
    g->first[g->bodies] = k->n;
    for (int j = 0; j < k->n; j++)
        for (int p = k->S.ptr[j]; p < k->S.ptr[j + 1]; p++)
            if (g->of_column[k->S.idx[p]] != g->of_column[j])
                return 0;
    for (int b = 0; b <= g->bodies; b++) {
        g->head[b] = -1;
        g->set[b] = b;
    }
    return 1;
}

static int kkt_tree_analysis_root_of(int *set, int b) {
    while (set[b] != b)
        b = set[b] = set[set[b]];
    return b;
}

static int find_edge(const Graph *g, int a, int b) {
    int e = g->head[a];
    while (e >= 0 && !(g->edge[e].a == a && g->edge[e].b == b))
        e = g->edge[e].a == a ? g->edge[e].next_a : g->edge[e].next_b;
    return e;
}

// the rows between the same bodies are one edge; 0: three bodies in a row, or a loop
static int find_edges(const HolKkt *k, Graph *g) {
    int ground = g->bodies;
    for (int i = 0; i < k->m; i++) {
        int a = -1, b = ground;
        for (int p = k->G.ptr[i]; p < k->G.ptr[i + 1]; p++) {
            int body = g->of_column[k->G.idx[p]];
            if (a < 0)
                a = body;
            else if (body != a && b == ground)
                b = body;
            else if (body != a && body != b)
                return 0;
        }
        if (a < 0)
            return 0;
        int e = find_edge(g, a, b);
        if (e < 0) {
            int left = kkt_tree_analysis_root_of(g->set, a),
                right = kkt_tree_analysis_root_of(g->set, b);
            if (left == right)
                return 0;
            g->set[left] = right;
            e = g->edges++;
            g->edge[e] = (Edge){a, b, g->head[a], g->head[b], 0};
            g->head[a] = g->head[b] = e;
        }
        g->of_row[i] = e;
        g->edge[e].rows++;
    }
    return 1;
}

// bodies in the order they are reached from the ground, and from one body of each floating part;
// by[body]: the edge it hangs on, -1: none
static void kkt_tree_analysis_walk(const Graph *g, int *order, int *by) {
    int ground = g->bodies, count = 0;
    for (int b = 0; b < g->bodies; b++)
        by[b] = -2; // not reached
    for (int part = 0; part <= ground; part++) {
        int start = part ? part - 1 : ground, at = count;
        if (part && by[start] != -2)
            continue;
        if (start < ground) {
            order[count++] = start;
            by[start] = -1;
        }
        for (int from = start;; from = order[at++]) {
            for (int e = g->head[from]; e >= 0;
                 e = g->edge[e].a == from ? g->edge[e].next_a : g->edge[e].next_b) {
                int to = g->edge[e].a == from ? g->edge[e].b : g->edge[e].a;
                if (to != ground && by[to] == -2) {
                    by[to] = e;
                    order[count++] = to;
                }
            }
            if (at >= count)
                break;
        }
    }
}

// sizes and places; 0: a joint with more rows than its body has unknowns
static int kkt_tree_analysis_place_links(const Graph *g, const int *order, const int *by,
                                         HolTree *t, int *values, int *G_values) {
    int rows = 0, at = 0, A = 0, C = 0;
    t->count = g->bodies;
    for (int i = 0; i < g->bodies; i++) {
        int b = order[g->bodies - 1 - i], e = by[b];
        int up = e < 0 ? g->bodies : g->edge[e].a == b ? g->edge[e].b : g->edge[e].a;
        HolLink *l = &t->link[i];
        *l = (HolLink){.column = g->first[b],
                       .width = g->first[b + 1] - g->first[b],
                       .row = rows,
                       .rows = e < 0 ? 0 : g->edge[e].rows,
                       .at = at,
                       .A = A,
                       .C = C};
        if (up < g->bodies) {
            l->up = g->first[up];
            l->up_width = g->first[up + 1] - g->first[up];
        }
        if (l->rows > l->width)
            return 0;
        rows += l->rows;
        A += l->width * HOL_LANES * hol_whole_lanes(l->width);
        l->P = C + l->rows * l->width;
        C = l->P + l->rows * l->up_width;
        at +=
            HOL_LANES * (hol_whole_lanes(l->width + l->rows) * (l->width + l->rows + l->up_width) +
                         hol_whole_lanes(l->up_width) * (l->width + l->rows));
    }
    t->A_size = A;
    *values = at;
    *G_values = C;
    return 1;
}

// link_of: by body
static void place_entries(const HolKkt *k, const Graph *g, const int *by, const int *link_of,
                          HolTree *t, int *filled) {
    for (int j = 0; j < k->n; j++) {
        const HolLink *l = &t->link[link_of[g->of_column[j]]];
        for (int p = k->S.ptr[j]; p < k->S.ptr[j + 1]; p++)
            t->S_to[p] = l->A + (k->S.idx[p] - l->column) * HOL_LANES * hol_whole_lanes(l->width) +
                         j - l->column;
    }
    for (int i = 0; i < k->m; i++) {
        const Edge *e = &g->edge[g->of_row[i]];
        int child = e->b == g->bodies || by[e->a] == g->of_row[i] ? e->a : e->b;
        HolLink *l = &t->link[link_of[child]];
        if (l->up_width)
            l->parent = link_of[child == e->a ? e->b : e->a];
        int row = filled[link_of[child]]++;
        t->row_index[l->row + row] = k->n + i;
        for (int p = k->G.ptr[i]; p < k->G.ptr[i + 1]; p++) {
            int j = k->G.idx[p];
            t->G_to[p] = g->of_column[j] == child ? l->C + row * l->width + j - l->column
                                                  : l->P + row * l->up_width + j - l->up;
        }
    }
}

static HolTree *kkt_tree_analysis_find(const HolKkt *k, HolArena *a, const int *body) {
    const int n = k->n, m = k->m;
    HolArena scratch = {0};
    HolArena *b = &scratch;
    Graph g = {.first = HOL_NEW(b, int, n + 2),
               .of_column = HOL_NEW(b, int, n + 1),
               .of_row = HOL_NEW(b, int, m + 1),
               .head = HOL_NEW(b, int, n + 1),
               .set = HOL_NEW(b, int, n + 1),
               .edge = HOL_NEW(b, Edge, m + 1)};
    int *order = HOL_NEW(b, int, n + 1), *by = HOL_NEW(b, int, n + 1),
        *link_of = HOL_NEW(b, int, n + 1), *filled = HOL_NEW(b, int, n + 1);
    HolTree *t = NULL;
    if (!b->failed && n > 0 && find_bodies(k, body, &g) && find_edges(k, &g)) {
        kkt_tree_analysis_walk(&g, order, by);
        t = HOL_NEW(a, HolTree, 1);
    }
    if (t) {
        t->link = HOL_NEW(a, HolLink, g.bodies + 1);
        t->row_index = HOL_NEW(a, int, m + 1);
        t->S_to = HOL_NEW(a, int, k->S.nnz + 1);
        t->G_to = HOL_NEW(a, int, k->G.nnz + 1);
        if (a->failed || !kkt_tree_analysis_place_links(&g, order, by, t, &t->values, &t->C_size))
            t = NULL;
    }
    for (int i = 0; t && i < g.bodies; i++)
        link_of[order[g.bodies - 1 - i]] = i;
    if (t)
        place_entries(k, &g, by, link_of, t, filled);
    a->failed |= b->failed;
    hol_arena_free(&scratch);
    return t;
}

// the analysis, once for a plan
static const HolTree *kkt_tree_analysis_plan(const HolKkt *k, const int *body) {
    HolKktPlan *plan = k->plan;
    if (plan->body != body) {
        plan->tree = kkt_tree_analysis_find(k, plan->arena, body);
        plan->body = plan->arena->failed ? NULL : body;
    }
    return plan->tree;
}

// numbers of its own
HolTree *hol_tree_analyze(HolKkt *k, const int *body) {
    HolArena *a = k->arena;
    hol_kkt_plan_begin(k);
    const HolTree *plan = kkt_tree_analysis_plan(k, body);
    hol_kkt_plan_end(k);
    HolTree *t = plan ? HOL_NEW(a, HolTree, 1) : NULL;
    if (!t)
        return NULL;
    *t = *plan;
    t->C = HOL_NEW(a, double, t->C_size + 1);
    t->value = HOL_NEW(a, double, t->values + 1);
    t->A = HOL_NEW(a, double, t->A_size + 1);
    t->y = HOL_NEW(a, double, k->n + 1);
    return a->failed ? NULL : t;
}
