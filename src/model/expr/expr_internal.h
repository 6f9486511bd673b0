// SPDX-License-Identifier: Apache-2.0
// Inside of the expression engine: the operations, the tape and the builder.
//
// A node is one number: nodes 0..n_slots-1 are the slots used (ascending global number), then the
// constants, then one node for each operation, operands always before their users. sin and cos of
// the same argument (and sinh, cosh) stand side by side, so that one call computes both and each
// finds its derivative in its neighbour.
#ifndef HOL_MODEL_EXPR_INTERNAL_H
#define HOL_MODEL_EXPR_INTERNAL_H

#include "model/expr/expr.h"

typedef enum HolOp {
    HOL_OP_SLOT, // leaves: only in the builder, the tape has no instruction for them
    HOL_OP_CONST,
    HOL_OP_ADD, // a + b
    HOL_OP_SUB,
    HOL_OP_NEG,
    HOL_OP_MUL,
    HOL_OP_SQUARE, // a * a
    HOL_OP_SCALE,  // a * b, b constant
    HOL_OP_DIV,
    HOL_OP_DIV_CONST, // a / b, b constant
    HOL_OP_POW,       // a ^ b, both may vary
    HOL_OP_POW_CONST, // a ^ b, b constant and no small integer
    HOL_OP_SIN,       // always followed by HOL_OP_COS of the same argument
    HOL_OP_COS,
    HOL_OP_TAN,
    HOL_OP_ASIN,
    HOL_OP_ACOS,
    HOL_OP_ATAN,
    HOL_OP_ATAN2, // atan2(a, b)
    HOL_OP_HYPOT, // sqrt(a^2 + b^2)
    HOL_OP_SINH,  // always followed by HOL_OP_COSH
    HOL_OP_COSH,
    HOL_OP_TANH,
    HOL_OP_EXP,
    HOL_OP_LOG,
    HOL_OP_SQRT,
    HOL_OP_ABS,
    HOL_OP_SIGN,
    HOL_OP_MIN,
    HOL_OP_MAX,
    HOL_OP_LESS, // comparisons and logic give 0 or 1
    HOL_OP_LESS_EQUAL,
    HOL_OP_EQUAL,
    HOL_OP_NOT_EQUAL,
    HOL_OP_AND,
    HOL_OP_OR,
    HOL_OP_NOT,
    HOL_OP_IF,     // c != 0 ? a : b
    HOL_OP_INTERP, // spline number b at a
    HOL_OP_ARG,    // a, an argument of a call; b: the one before it, -1: none
    HOL_OP_CALL,   // function number b of the program, a: its last argument
    HOL_OP_COUNT
} HolOp;

// operands are node numbers; c is the condition of IF, and otherwise the first lane of the
// auxiliary series
typedef struct HolInstr {
    HolOp op;
    int a, b, c;
} HolInstr;

// piecewise cubic through n points. Piece p = number of knots <= x (taken back by whole periods):
// y = c0 + d (c1 + d (c2 + d c3)), d = x - anchor(p), anchor = x[max(p-1, 0)]
typedef struct HolSpline {
    const char *name;
    int n;
    HolOutside outside;
    const double *x;
    const double *coefficients; // 4 for each of the n + 1 pieces
    int stairs;                 // 1: floor(x), all of whose knots are jumps
} HolSpline;
extern const HolSpline hol_stairs;

// a switching function: node a - node b; b = HOL_SWITCH_ZERO: node a alone; b <= HOL_SWITCH_TABLE:
// number `bit` of those of spline number HOL_SWITCH_TABLE - b, which stand one after the other
typedef struct HolSwitch {
    int a, b, bit;
} HolSwitch;
enum { HOL_SWITCH_ZERO = -1, HOL_SWITCH_TABLE = -2 };

// interp: spline number `spline` at node `node`; where that is at + rate * time: timed
typedef struct HolSplineUse {
    int node, spline, timed;
    double at, rate;
} HolSplineUse;

struct HolExpr {
    int n_slots, n_constants, n_nodes, n_lanes; // lanes = nodes + auxiliary series
    int root;
    int has_kink;
    int is_linear; // locally: the Hessian is zero
    int n_switches, n_splines, n_uses, n_functions;
    const int *slots;
    const double *constants;
    const HolInstr *code; // n_nodes - n_slots - n_constants instructions
    const HolSwitch *switches;
    const HolSpline *const *splines;
    const HolSplineUse *uses;
    const HolFunctionDef *const *functions;
};

// b of an instruction is a number of something else, no node
static inline int hol_op_numbers(HolOp op) {
    return op == HOL_OP_INTERP || op == HOL_OP_CALL;
}

// ---- expr_call.c: functions of the program ----
double hol_call_value(const HolExpr *e, const HolInstr *in, const double *v);
// bar of the arguments += their slopes times seed
void hol_call_spread(const HolExpr *e, const HolInstr *in, const double *v, double seed,
                     double *bar);

// the coefficients of the piece at x and the distance d from its anchor
const double *hol_spline_piece(const HolSpline *s, double x, double *d);
double hol_spline_value(const HolSpline *s, double x, double *first, double *second); // may be NULL
int hol_spline_switch_count(const HolSpline *s);
void hol_spline_switches(const HolSpline *s, double x, double *values);
// the first knot > x, the last knot < x, or infinite
double hol_spline_next(const HolSpline *s, double x);
double hol_spline_before(const HolSpline *s, double x);
// NULL when the points are not at least two finite ones with increasing x, or without memory
const HolSpline *hol_spline_create(HolArena *arena, const HolExprTable *table);

// value of one operation; va, vb, vc are the values of the operands
double hol_op_value(HolOp op, double va, double vb, double vc);

// used[i] = 1: the value depends on node i, with the node values v (branches not taken do not count)
void hol_expr_mark_used(const HolExpr *e, const double *v, double *used);

// ---------------------------------------------------------------------------------------------
// Builder: grows an expression graph, folds constants, shares equal subexpressions.
// All hol_build_* return a node number, or -1 (also when an operand is -1).
// ---------------------------------------------------------------------------------------------

typedef struct HolBuildNode {
    HolOp op;
    int a, b, c;  // SLOT: a = global slot number
    double value; // CONST
} HolBuildNode;

typedef struct HolBuild {
    HolArena scratch; // nodes and hash table; freed by hol_build_free
    HolBuildNode *nodes;
    int n_nodes, node_capacity;
    int *table; // open addressing: node number + 1
    int table_size;
    const HolSpline **splines;
    int n_splines, spline_capacity;
    const HolFunctionDef **functions;
    int n_functions, function_capacity;
    int has_time; // slot 0 is time
    int failed;   // out of memory
    int too_long; // more than HOL_EXPR_MAX_NODES
} HolBuild;

enum { HOL_EXPR_MAX_NODES = 1 << 20, HOL_EXPR_MAX_DEPTH = 200, HOL_EXPR_MAX_POWER = 1024 };

void hol_build_free(HolBuild *build);
int hol_build_constant(HolBuild *build, double value);
int hol_build_slot(HolBuild *build, int slot);
int hol_build_unary(HolBuild *build, HolOp op, int a);
int hol_build_binary(HolBuild *build, HolOp op, int a, int b);
int hol_build_if(HolBuild *build, int condition, int a, int b);
int hol_build_interp(HolBuild *build, const HolSpline *spline, int a);
int hol_build_step(HolBuild *build, const int argument[5]);
int hol_build_floor(HolBuild *build, int a);
int hol_build_ceil(HolBuild *build, int a);
int hol_build_mod(HolBuild *build, int a, int b);
int hol_build_clamp(HolBuild *build, int x, int low, int high);
int hol_build_inline(HolBuild *build, const HolExpr *e);
int hol_build_node(HolBuild *build, HolOp op, int a, int b); // as it is
int hol_build_call(HolBuild *build, const HolFunctionDef *f, const int *argument);
// a call of a tape, with nodes for its nodes
int hol_build_call_again(HolBuild *build, const HolExpr *e, const HolInstr *in, const int *map);
int hol_build_is_constant(const HolBuild *build, int node, double *value);
// the reachable part as a tape; NULL without memory
HolExpr *hol_build_finish(HolBuild *build, HolArena *arena, int root);

#endif
