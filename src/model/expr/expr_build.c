// SPDX-License-Identifier: Apache-2.0
// Expression graph: constant folding, algebraic simplification and sharing of equal nodes.
// Every node is entered in a hash table by its operation and operands ("hash consing"), so equal
// subexpressions, also of inlined expressions, exist once.
#include "model/expr/expr_internal.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

void hol_build_free(HolBuild *build) {
    hol_arena_free(&build->scratch);
}

// ---------------------------------------------------------------------------------------------
// Hash table
// ---------------------------------------------------------------------------------------------

static uint64_t expr_build_mix(uint64_t h, uint64_t word) {
    h = (h ^ word) * 0x9e3779b97f4a7c15u;
    return h ^ (h >> 29);
}

static uint64_t node_hash(const HolBuildNode *node) {
    uint64_t bits;
    memcpy(&bits, &node->value, sizeof bits);
    uint64_t h = expr_build_mix(0, (uint64_t)node->op);
    h = expr_build_mix(h, (uint64_t)(uint32_t)node->a << 32 | (uint32_t)node->b);
    h = expr_build_mix(expr_build_mix(h, (uint32_t)node->c), bits);
    // (bits of small whole numbers differ at the upper end alone, places come from the lower one)
    h ^= h >> 32;
    h *= UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

// values are compared by their bits: NaN equals itself, and 0 and -0 stay apart
static int node_equal(const HolBuildNode *p, const HolBuildNode *q) {
    return p->op == q->op && p->a == q->a && p->b == q->b && p->c == q->c &&
           memcmp(&p->value, &q->value, sizeof p->value) == 0;
}

// position of an equal node or of the empty place for it
static int table_place(const HolBuild *build, const HolBuildNode *node) {
    uint64_t mask = (uint64_t)build->table_size - 1;
    uint64_t place = node_hash(node) & mask;
    while (build->table[place] && !node_equal(&build->nodes[build->table[place] - 1], node))
        place = (place + 1) & mask;
    return (int)place;
}

static int table_grow(HolBuild *build) {
    int size = build->table_size ? 2 * build->table_size : 64;
    int *table = HOL_NEW(&build->scratch, int, size);
    if (!table)
        return 0;
    build->table = table;
    build->table_size = size;
    for (int i = 0; i < build->n_nodes; i++)
        table[table_place(build, &build->nodes[i])] = i + 1;
    return 1;
}

// the node with this content, made when it does not exist yet
static int intern(HolBuild *build, HolOp op, int a, int b, int c, double value) {
    if (build->failed || build->too_long)
        return -1;
    if (build->n_nodes >= HOL_EXPR_MAX_NODES) {
        build->too_long = 1;
        return -1;
    }
    if (2 * (build->n_nodes + 1) > build->table_size && !table_grow(build)) {
        build->failed = 1;
        return -1;
    }
    HolBuildNode node = {op, a, b, c, value};
    int place = table_place(build, &node);
    if (build->table[place])
        return build->table[place] - 1;
    if (!HOL_GROW(&build->scratch, build->nodes, build->n_nodes, build->node_capacity)) {
        build->failed = 1;
        return -1;
    }
    build->nodes[build->n_nodes] = node;
    build->table[place] = ++build->n_nodes;
    return build->n_nodes - 1;
}

// ---------------------------------------------------------------------------------------------
// Leaves
// ---------------------------------------------------------------------------------------------

int hol_build_constant(HolBuild *build, double value) {
    return intern(build, HOL_OP_CONST, -1, -1, -1, value);
}

int hol_build_slot(HolBuild *build, int slot) {
    return intern(build, HOL_OP_SLOT, slot, -1, -1, 0);
}

int hol_build_node(HolBuild *build, HolOp op, int a, int b) {
    return intern(build, op, a, b, -1, 0);
}

int hol_build_is_constant(const HolBuild *build, int node, double *value) {
    if (node < 0 || build->nodes[node].op != HOL_OP_CONST)
        return 0;
    *value = build->nodes[node].value;
    return 1;
}

static int is_value(const HolBuild *build, int node, double value) {
    return build->nodes[node].op == HOL_OP_CONST && build->nodes[node].value == value;
}

// ---------------------------------------------------------------------------------------------
// Operations
// ---------------------------------------------------------------------------------------------

static int build_negative(HolBuild *build, int a) {
    HolBuildNode n = build->nodes[a];
    double factor;
    if (n.op == HOL_OP_NEG)
        return n.a;
    if (n.op == HOL_OP_SUB)
        return hol_build_binary(build, HOL_OP_SUB, n.b, n.a);
    if (n.op == HOL_OP_SCALE && hol_build_is_constant(build, n.b, &factor))
        return hol_build_binary(build, HOL_OP_MUL, n.a, hol_build_constant(build, -factor));
    return intern(build, HOL_OP_NEG, a, -1, -1, 0);
}

int hol_build_unary(HolBuild *build, HolOp op, int a) {
    double value;
    if (a < 0)
        return -1;
    if (hol_build_is_constant(build, a, &value))
        return hol_build_constant(build, hol_op_value(op, value, 0, 0));
    if (op == HOL_OP_NEG)
        return build_negative(build, a);
    // the pairs are made together and so become neighbours
    if (op == HOL_OP_SIN || op == HOL_OP_COS || op == HOL_OP_SINH || op == HOL_OP_COSH) {
        HolOp first = op == HOL_OP_SIN || op == HOL_OP_COS ? HOL_OP_SIN : HOL_OP_SINH;
        int sine = intern(build, first, a, -1, -1, 0);
        int cosine = intern(build, first + 1, a, -1, -1, 0);
        return op == first ? (cosine < 0 ? -1 : sine) : cosine;
    }
    return intern(build, op, a, -1, -1, 0);
}

static int build_sum(HolBuild *build, int a, int b) {
    if (is_value(build, a, 0))
        return b;
    if (is_value(build, b, 0))
        return a;
    if (build->nodes[b].op == HOL_OP_NEG)
        return hol_build_binary(build, HOL_OP_SUB, a, build->nodes[b].a);
    if (build->nodes[a].op == HOL_OP_NEG)
        return hol_build_binary(build, HOL_OP_SUB, b, build->nodes[a].a);
    return a < b ? intern(build, HOL_OP_ADD, a, b, -1, 0) : intern(build, HOL_OP_ADD, b, a, -1, 0);
}

static int build_difference(HolBuild *build, int a, int b) {
    if (is_value(build, b, 0))
        return a;
    if (is_value(build, a, 0))
        return hol_build_unary(build, HOL_OP_NEG, b);
    if (build->nodes[b].op == HOL_OP_NEG)
        return hol_build_binary(build, HOL_OP_ADD, a, build->nodes[b].a);
    return intern(build, HOL_OP_SUB, a, b, -1, 0);
}

static int build_product(HolBuild *build, int a, int b) {
    if (build->nodes[a].op == HOL_OP_CONST) {
        int swap = a;
        a = b;
        b = swap;
    }
    // a product with zero vanishes, so that a force with a zero parameter has no slots left
    if (is_value(build, b, 0))
        return b;
    if (is_value(build, b, 1))
        return a;
    if (is_value(build, b, -1))
        return hol_build_unary(build, HOL_OP_NEG, a);
    if (build->nodes[b].op == HOL_OP_CONST)
        return intern(build, HOL_OP_SCALE, a, b, -1, 0);
    if (a == b)
        return intern(build, HOL_OP_SQUARE, a, -1, -1, 0);
    return a < b ? intern(build, HOL_OP_MUL, a, b, -1, 0) : intern(build, HOL_OP_MUL, b, a, -1, 0);
}

// a^n by squaring: exact in every mode, also at a = 0
static int build_integer_power(HolBuild *build, int a, int n) {
    int result = -1, square = a;
    for (unsigned bits = (unsigned)(n < 0 ? -n : n); bits; bits >>= 1) {
        if (bits & 1)
            result = result < 0 ? square : hol_build_binary(build, HOL_OP_MUL, result, square);
        if (bits > 1)
            square = hol_build_binary(build, HOL_OP_MUL, square, square);
        if (square < 0)
            return -1;
    }
    if (n > 0)
        return result;
    return hol_build_binary(build, HOL_OP_DIV, hol_build_constant(build, 1), result);
}

static int build_power(HolBuild *build, int a, int b) {
    double n;
    if (!hol_build_is_constant(build, b, &n))
        return is_value(build, a, 1) ? a : intern(build, HOL_OP_POW, a, b, -1, 0);
    if (n == 0)
        return hol_build_constant(build, 1);
    if (n == 0.5)
        return hol_build_unary(build, HOL_OP_SQRT, a);
    if (n == floor(n) && fabs(n) <= HOL_EXPR_MAX_POWER)
        return build_integer_power(build, a, (int)n);
    return intern(build, HOL_OP_POW_CONST, a, b, -1, 0);
}

int hol_build_binary(HolBuild *build, HolOp op, int a, int b) {
    double va, vb;
    if (a < 0 || b < 0)
        return -1;
    if (hol_build_is_constant(build, a, &va) && hol_build_is_constant(build, b, &vb))
        return hol_build_constant(build, hol_op_value(op, va, vb, 0));
    switch (op) {
    case HOL_OP_ADD:
        return build_sum(build, a, b);
    case HOL_OP_SUB:
        return build_difference(build, a, b);
    case HOL_OP_MUL:
    case HOL_OP_SCALE:
        return build_product(build, a, b);
    case HOL_OP_DIV:
    case HOL_OP_DIV_CONST:
        if (is_value(build, b, 1))
            return a;
        op = build->nodes[b].op == HOL_OP_CONST ? HOL_OP_DIV_CONST : HOL_OP_DIV;
        return intern(build, op, a, b, -1, 0);
    case HOL_OP_POW:
    case HOL_OP_POW_CONST:
        return build_power(build, a, b);
    case HOL_OP_MIN:
    case HOL_OP_MAX:
        return a == b ? a : intern(build, op, a, b, -1, 0);
    default:
        return intern(build, op, a, b, -1, 0);
    }
}

int hol_build_if(HolBuild *build, int condition, int a, int b) {
    double value;
    if (condition < 0 || a < 0 || b < 0)
        return -1;
    if (hol_build_is_constant(build, condition, &value))
        return value != 0 ? a : b;
    return a == b ? a : intern(build, HOL_OP_IF, a, b, condition, 0);
}

int hol_build_interp(HolBuild *build, const HolSpline *spline, int a) {
    double value;
    if (a < 0 || !spline)
        return -1;
    if (hol_build_is_constant(build, a, &value))
        return hol_build_constant(build, hol_spline_value(spline, value, NULL, NULL));
    int number = 0;
    while (number < build->n_splines && build->splines[number] != spline)
        number++;
    if (number == build->n_splines) {
        if (!HOL_GROW(&build->scratch, build->splines, build->n_splines, build->spline_capacity)) {
            build->failed = 1;
            return -1;
        }
        build->splines[build->n_splines++] = spline;
    }
    return intern(build, HOL_OP_INTERP, a, number, -1, 0);
}

// step(x, x0, y0, x1, y1): u = (x - x0)/(x1 - x0); y0 for u <= 0, y1 for u >= 1, between them
// y0 + (y1 - y0) u^2 (3 - 2u)
int hol_build_step(HolBuild *build, const int argument[5]) {
    int x = argument[0], x0 = argument[1], y0 = argument[2], x1 = argument[3], y1 = argument[4];
    int zero = hol_build_constant(build, 0), one = hol_build_constant(build, 1);
    int u = hol_build_binary(build, HOL_OP_DIV, hol_build_binary(build, HOL_OP_SUB, x, x0),
                             hol_build_binary(build, HOL_OP_SUB, x1, x0));
    int twice = hol_build_binary(build, HOL_OP_MUL, u, hol_build_constant(build, 2));
    int shape =
        hol_build_binary(build, HOL_OP_MUL, hol_build_binary(build, HOL_OP_MUL, u, u),
                         hol_build_binary(build, HOL_OP_SUB, hol_build_constant(build, 3), twice));
    int rise =
        hol_build_binary(build, HOL_OP_MUL, hol_build_binary(build, HOL_OP_SUB, y1, y0), shape);
    int between = hol_build_binary(build, HOL_OP_ADD, y0, rise);
    int upper = hol_build_if(build, hol_build_binary(build, HOL_OP_LESS, u, one), between, y1);
    return hol_build_if(build, hol_build_binary(build, HOL_OP_LESS_EQUAL, u, zero), y0, upper);
}

int hol_build_floor(HolBuild *build, int a) {
    return hol_build_interp(build, &hol_stairs, a);
}

int hol_build_ceil(HolBuild *build, int a) {
    const int down = hol_build_floor(build, hol_build_unary(build, HOL_OP_NEG, a));
    return hol_build_unary(build, HOL_OP_NEG, down);
}

int hol_build_mod(HolBuild *build, int a, int b) {
    const int turns = hol_build_floor(build, hol_build_binary(build, HOL_OP_DIV, a, b));
    return hol_build_binary(build, HOL_OP_SUB, a, hol_build_binary(build, HOL_OP_MUL, turns, b));
}

int hol_build_clamp(HolBuild *build, int x, int low, int high) {
    return hol_build_binary(build, HOL_OP_MIN, hol_build_binary(build, HOL_OP_MAX, x, low), high);
}

// slots for which `is` holds become 0 (NULL: none)
static int build_inline(HolBuild *build, const HolExpr *e, int (*is)(const void *context, int slot),
                        const void *context) {
    int *map = HOL_NEW(&build->scratch, int, e->n_nodes);
    if (!map) {
        build->failed = 1;
        return -1;
    }
    int first = e->n_slots + e->n_constants;
    for (int i = 0; i < e->n_slots; i++)
        map[i] = is && is(context, e->slots[i]) ? hol_build_constant(build, 0)
                                                : hol_build_slot(build, e->slots[i]);
    for (int i = 0; i < e->n_constants; i++)
        map[e->n_slots + i] = hol_build_constant(build, e->constants[i]);
    for (int i = first; i < e->n_nodes; i++) {
        const HolInstr *in = &e->code[i - first];
        if (in->op == HOL_OP_INTERP)
            map[i] = hol_build_interp(build, e->splines[in->b], map[in->a]);
        else if (in->op == HOL_OP_CALL)
            map[i] = hol_build_call_again(build, e, in, map);
        else if (in->op == HOL_OP_ARG)
            map[i] = -1; // (made by its call)
        else if (in->op == HOL_OP_IF)
            map[i] = hol_build_if(build, map[in->c], map[in->a], map[in->b]);
        else if (in->b >= 0)
            map[i] = hol_build_binary(build, in->op, map[in->a], map[in->b]);
        else if (in->op == HOL_OP_SQUARE)
            map[i] = hol_build_binary(build, HOL_OP_MUL, map[in->a], map[in->a]);
        else
            map[i] = hol_build_unary(build, in->op, map[in->a]);
    }
    return map[e->root];
}

int hol_build_inline(HolBuild *build, const HolExpr *e) {
    return build_inline(build, e, NULL, NULL);
}

HolExpr *hol_expr_without(HolArena *arena, const HolExpr *e,
                          int (*is)(const void *context, int slot), const void *context) {
    HolBuild build = {.has_time = 1};
    HolExpr *out = hol_build_finish(&build, arena, build_inline(&build, e, is, context));
    arena->failed |= build.scratch.failed;
    hol_build_free(&build);
    return out;
}
