// SPDX-License-Identifier: Apache-2.0
// From the expression graph to the tape: keeps what the root needs, orders slots, constants and
// operations, and collects what callers ask about an expression (kinks, switching functions,
// linearity).
#include "model/expr/expr_internal.h"

#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// Properties of operations
// ---------------------------------------------------------------------------------------------

static int has_condition(HolOp op) {
    return op == HOL_OP_IF;
}

// b is a node (not the number of a spline or function, or nothing)
static int expr_tape_has_second(const HolBuildNode *n) {
    return n->b >= 0 && !hol_op_numbers(n->op);
}

static int is_kink(HolOp op) {
    return op >= HOL_OP_ABS && op <= HOL_OP_INTERP;
}

static int is_logical(HolOp op) {
    return op >= HOL_OP_LESS && op <= HOL_OP_NOT;
}

// auxiliary series an operation keeps beside its own
static int aux_lanes(HolOp op) {
    switch (op) {
    case HOL_OP_POW:
        return 2;
    case HOL_OP_TAN:
    case HOL_OP_TANH:
    case HOL_OP_ASIN:
    case HOL_OP_ACOS:
    case HOL_OP_ATAN:
    case HOL_OP_ATAN2:
    case HOL_OP_INTERP:
        return 1;
    default:
        return 0;
    }
}

// ---------------------------------------------------------------------------------------------
// Reachability and order
// ---------------------------------------------------------------------------------------------

// marks every node the root needs; operands have smaller numbers, so one sweep is enough
static void mark_reachable(const HolBuild *build, int root, unsigned char *used) {
    used[root] = 1;
    for (int i = build->n_nodes - 1; i >= 0; i--) {
        const HolBuildNode *n = &build->nodes[i];
        if (n->op == HOL_OP_SIN || n->op == HOL_OP_SINH)
            used[i] |= used[i + 1]; // the cosine, met just before
        if (!used[i] || n->op == HOL_OP_SLOT || n->op == HOL_OP_CONST)
            continue;
        if (n->op == HOL_OP_SIN || n->op == HOL_OP_SINH)
            used[i + 1] = 1;
        used[n->a] = 1;
        if (expr_tape_has_second(n))
            used[n->b] = 1;
        if (has_condition(n->op))
            used[n->c] = 1;
    }
}

static int compare_slots(const void *p, const void *q) {
    int a = *(const int *)p, b = *(const int *)q;
    return (a > b) - (a < b);
}

// numbers slots (ascending), constants and operations; fills e's slots and constants
static int number_nodes(const HolBuild *build, HolArena *arena, const unsigned char *used, int *map,
                        HolExpr *e) {
    for (int i = 0; i < build->n_nodes; i++) {
        e->n_slots += used[i] && build->nodes[i].op == HOL_OP_SLOT;
        e->n_constants += used[i] && build->nodes[i].op == HOL_OP_CONST;
    }
    int *slots = HOL_NEW(arena, int, e->n_slots + 1);
    double *constants = HOL_NEW(arena, double, e->n_constants + 1);
    if (!slots || !constants)
        return 0;
    int n_slots = 0, n_constants = 0, next = e->n_slots + e->n_constants;
    for (int i = 0; i < build->n_nodes; i++)
        if (used[i] && build->nodes[i].op == HOL_OP_SLOT)
            slots[n_slots++] = build->nodes[i].a;
    qsort(slots, (size_t)n_slots, sizeof *slots, compare_slots);
    for (int i = 0; i < build->n_nodes; i++) {
        const HolBuildNode *n = &build->nodes[i];
        if (!used[i])
            continue;
        if (n->op == HOL_OP_SLOT) {
            const int *at = bsearch(&n->a, slots, (size_t)n_slots, sizeof *slots, compare_slots);
            map[i] = (int)(at - slots);
        } else if (n->op == HOL_OP_CONST) {
            constants[n_constants] = n->value;
            map[i] = e->n_slots + n_constants++;
        } else {
            map[i] = next++;
        }
    }
    e->n_nodes = next;
    e->slots = slots;
    e->constants = constants;
    return 1;
}

static int write_code(const HolBuild *build, HolArena *arena, const unsigned char *used,
                      const int *map, HolExpr *e) {
    int first = e->n_slots + e->n_constants;
    HolInstr *code = HOL_NEW(arena, HolInstr, e->n_nodes - first + 1);
    if (!code)
        return 0;
    e->n_lanes = e->n_nodes;
    for (int i = 0; i < build->n_nodes; i++) {
        const HolBuildNode *n = &build->nodes[i];
        if (!used[i] || n->op == HOL_OP_SLOT || n->op == HOL_OP_CONST)
            continue;
        HolInstr *in = &code[map[i] - first];
        in->op = n->op;
        in->a = map[n->a];
        in->b = expr_tape_has_second(n) ? map[n->b] : n->b;
        in->c = has_condition(n->op) ? map[n->c] : e->n_lanes;
        e->n_lanes += aux_lanes(n->op);
        e->has_kink |= is_kink(n->op);
    }
    e->code = code;
    return 1;
}

// ---------------------------------------------------------------------------------------------
// Switching functions and linearity
// ---------------------------------------------------------------------------------------------

// Node i as at + rate * time: 1, or 0 when it is nothing so simple. Operands stand before.
static int affine_in_time(const HolBuild *build, const HolExpr *e, const HolSplineUse *line, int i,
                          HolSplineUse *out) {
    const int first = e->n_slots + e->n_constants;
    *out = (HolSplineUse){.node = i, .timed = 1};
    if (i < e->n_slots) {
        out->rate = 1;
        return build->has_time && e->slots[i] == 0;
    }
    if (i < first) {
        out->at = e->constants[i - e->n_slots];
        return 1;
    }
    const HolInstr *in = &e->code[i - first];
    const int one = in->op == HOL_OP_NEG, sum = in->op == HOL_OP_ADD || in->op == HOL_OP_SUB;
    const int scaled = in->op == HOL_OP_SCALE || in->op == HOL_OP_DIV_CONST;
    if (!(one || sum || scaled) || !line[in->a].timed || (!one && !line[in->b].timed))
        return 0;
    const HolSplineUse *a = &line[in->a], *b = one ? a : &line[in->b];
    const double sign = in->op == HOL_OP_SUB ? -1 : 1;
    const double by = one ? -1 : in->op == HOL_OP_SCALE ? b->at : scaled ? 1 / b->at : 1;
    out->at = a->at * by + (sum ? sign * b->at : 0);
    out->rate = a->rate * by + (sum ? sign * b->rate : 0);
    return 1;
}

// where splines are used, and of which times their knots are
static int collect_uses(HolBuild *build, HolArena *arena, HolExpr *e) {
    const int first = e->n_slots + e->n_constants;
    int n = 0;
    for (int i = first; i < e->n_nodes; i++)
        n += e->code[i - first].op == HOL_OP_INTERP;
    if (!n)
        return 1;
    HolSplineUse *line = HOL_NEW(&build->scratch, HolSplineUse, e->n_nodes);
    HolSplineUse *uses = HOL_NEW(arena, HolSplineUse, n);
    if (!line || !uses)
        return 0;
    for (int i = 0; i < e->n_nodes; i++)
        line[i].timed = affine_in_time(build, e, line, i, &line[i]);
    for (int i = first; i < e->n_nodes; i++) {
        const HolInstr *in = &e->code[i - first];
        if (in->op != HOL_OP_INTERP)
            continue;
        uses[e->n_uses] = line[in->a];
        uses[e->n_uses].node = in->a;
        uses[e->n_uses++].spline = in->b;
    }
    e->uses = uses;
    return 1;
}

static int is_timed(const HolExpr *e, int node) {
    for (int i = 0; i < e->n_uses; i++)
        if (e->uses[i].node == node)
            return e->uses[i].timed;
    return 0;
}

// one more switch, unless an equal one is among the last ones
static void add_switch(HolSwitch *list, int *n, int a, int b) {
    for (int i = *n - 1; i >= 0 && i >= *n - 16; i--)
        if ((list[i].a == a && list[i].b == b) || (list[i].a == b && list[i].b == a))
            return;
    list[(*n)++] = (HolSwitch){a, b, 0};
}

// the truth of a plain number switches at zero; comparisons and constants need nothing more
static void add_truth_switch(const HolExpr *e, HolSwitch *list, int *n, int node) {
    int first = e->n_slots + e->n_constants;
    int is_constant = node >= e->n_slots && node < first;
    if (!is_constant && (node < first || !is_logical(e->code[node - first].op)))
        add_switch(list, n, node, HOL_SWITCH_ZERO);
}

static void add_table_switches(const HolExpr *e, HolSwitch *list, int *n, const HolInstr *in) {
    const int before = *n, bits = hol_spline_switch_count(e->splines[in->b]);
    add_switch(list, n, in->a, HOL_SWITCH_TABLE - in->b);
    for (int bit = 1; *n > before && bit < bits; bit++)
        list[(*n)++] = (HolSwitch){in->a, HOL_SWITCH_TABLE - in->b, bit};
}

static int collect_switches(HolBuild *build, HolArena *arena, HolExpr *e) {
    int first = e->n_slots + e->n_constants, n_code = e->n_nodes - first, n = 0;
    int most = 2 * n_code + 1; // two for and, or
    for (int i = 0; i < e->n_uses; i++)
        most += hol_spline_switch_count(e->splines[e->uses[i].spline]);
    HolSwitch *list = HOL_NEW(&build->scratch, HolSwitch, most);
    if (!list)
        return 0;
    for (int i = 0; i < n_code; i++) {
        const HolInstr *in = &e->code[i];
        switch (in->op) {
        case HOL_OP_ABS:
        case HOL_OP_SIGN:
            add_switch(list, &n, in->a, HOL_SWITCH_ZERO);
            break;
        case HOL_OP_MIN:
        case HOL_OP_MAX:
        case HOL_OP_LESS:
        case HOL_OP_LESS_EQUAL:
        case HOL_OP_EQUAL:
        case HOL_OP_NOT_EQUAL:
            add_switch(list, &n, in->a, in->b);
            break;
        case HOL_OP_AND:
        case HOL_OP_OR:
            add_truth_switch(e, list, &n, in->b);
            add_truth_switch(e, list, &n, in->a);
            break;
        case HOL_OP_NOT:
            add_truth_switch(e, list, &n, in->a);
            break;
        case HOL_OP_IF:
            add_truth_switch(e, list, &n, in->c);
            break;
        case HOL_OP_INTERP:
            if (!is_timed(e, in->a))
                add_table_switches(e, list, &n, in);
            break;
        default:
            break;
        }
    }
    HolSwitch *kept = HOL_NEW(arena, HolSwitch, n + 1);
    if (!kept)
        return 0;
    memcpy(kept, list, sizeof *list * (size_t)n);
    e->switches = kept;
    e->n_switches = n;
    return 1;
}

// degree of an operation's result from its operands' degrees: 0 locally constant, 1 linear, 2 other
static int result_degree(const HolInstr *in, const unsigned char *degree) {
    int a = degree[in->a], b = in->b >= 0 && !hol_op_numbers(in->op) ? degree[in->b] : 0;
    switch (in->op) {
    case HOL_OP_ADD:
    case HOL_OP_SUB:
    case HOL_OP_MIN:
    case HOL_OP_MAX:
    case HOL_OP_IF:
        return a > b ? a : b;
    case HOL_OP_NEG:
    case HOL_OP_ABS:
    case HOL_OP_SCALE:
    case HOL_OP_DIV_CONST:
        return a;
    case HOL_OP_MUL:
        return a + b < 2 ? a + b : 2;
    case HOL_OP_DIV:
        return b ? 2 : a;
    case HOL_OP_SIGN:
        return 0;
    default:
        return is_logical(in->op) || (!a && !b) ? 0 : 2;
    }
}

static int find_linearity(HolBuild *build, HolExpr *e) {
    unsigned char *degree = HOL_NEW(&build->scratch, unsigned char, e->n_nodes);
    if (!degree)
        return 0;
    int first = e->n_slots + e->n_constants;
    memset(degree, 1, (size_t)e->n_slots);
    for (int i = first; i < e->n_nodes; i++)
        degree[i] = (unsigned char)result_degree(&e->code[i - first], degree);
    e->is_linear = degree[e->root] < 2;
    return 1;
}

HolExpr *hol_build_finish(HolBuild *build, HolArena *arena, int root) {
    if (root < 0 || build->failed)
        return NULL;
    HolExpr *e = HOL_NEW(arena, HolExpr, 1);
    unsigned char *used = HOL_NEW(&build->scratch, unsigned char, build->n_nodes + 1);
    int *map = HOL_NEW(&build->scratch, int, build->n_nodes);
    if (!e || !used || !map)
        return NULL;
    mark_reachable(build, root, used);
    if (!number_nodes(build, arena, used, map, e))
        return NULL;
    e->root = map[root];
    const HolSpline **splines = HOL_NEW(arena, const HolSpline *, build->n_splines + 1);
    if (!splines || !write_code(build, arena, used, map, e))
        return NULL;
    if (build->n_splines)
        memcpy(splines, build->splines, sizeof *splines * (size_t)build->n_splines);
    e->splines = splines;
    e->n_splines = build->n_splines;
    const HolFunctionDef **functions = HOL_NEW(arena, const HolFunctionDef *, build->n_functions);
    if (!functions)
        return NULL;
    if (build->n_functions)
        memcpy(functions, build->functions, sizeof *functions * (size_t)build->n_functions);
    e->functions = functions;
    e->n_functions = build->n_functions;
    if (!collect_uses(build, arena, e) || !collect_switches(build, arena, e) ||
        !find_linearity(build, e))
        return NULL;
    return e;
}
