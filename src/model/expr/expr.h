// SPDX-License-Identifier: Apache-2.0
// Expressions: text -> tape of elementary operations on "slots" (numbers that the model supplies:
// time, coordinates, rates, variables ...). Value, exact gradient and Hessian with respect to the
// slots, and Taylor series (the order-k coefficient from the lower ones). The tape is read-only
// after compilation and shared by threads; all evaluation memory is the caller's.
//
// Language: numbers, names (letters, digits, _ and dots: "rod.top.x"), + - * / ^ (right assoc.,
// unary minus binds looser than ^), < <= > >= == != , if(c,a,b), and/or/not (&& || ! too; the word
// not binds looser than a comparison, ! like unary minus), sin cos tan asin acos atan atan2 sinh
// cosh tanh exp log sqrt abs sign floor ceil hypot(x,y), mod(x,y) = x - y floor(x/y) (the sign of
// y), clamp(x,lo,hi) = min(max(x,lo),hi), min and max of 2 to 16, step(x,x0,y0,x1,y1) (cubic, C1),
// interp(name, x), pi. x^n with constant integer n is exact repeated multiplication in all modes.
// Equal subexpressions are computed once; a product with the constant 0 is 0.
#ifndef HOL_MODEL_EXPR_H
#define HOL_MODEL_EXPR_H

#include "base/arena.h"
#include "base/name_table.h"
#include "base/text.h" // hol_nearest_word
#include "holonom/holonom.h"

typedef struct HolExpr HolExpr;

typedef enum {
    HOL_SYMBOL_UNKNOWN,
    HOL_SYMBOL_CONSTANT,
    HOL_SYMBOL_SLOT,
    HOL_SYMBOL_EXPR,
    HOL_SYMBOL_FUNCTION // of the program
} HolSymbolType;

typedef struct HolSymbol {
    HolSymbolType type;
    double value;     // constant
    int slot;         // global slot number
    const void *expr; // another HolExpr, inlined; of a function its HolFunctionDef
} HolSymbol;

typedef HolTableDef HolExprTable; // interp(name, x), see expr_spline.c

typedef struct HolExprScope {
    void *context;
    // fills *out; for an unknown name may write the nearest valid name into suggestion (else leave
    // "")
    void (*resolve)(void *context, const char *name, HolSymbol *out, char suggestion[64]);
    const HolExprTable *tables;
    int n_tables;
    int has_time;                    // slot 0 is time: knots of tables of time are known beforehand
    const HolNameTable *table_names; // numbers of tables; NULL: they are searched
} HolExprScope;

typedef struct HolExprError {
    int column;     // 0-based offset into the text
    char text[256]; // e.g. "unknown name 'rodd.x'; did you mean 'rod.x'?"
} HolExprError;

// A text that was parsed. NULL without memory only: a mistake is part of it and is found when it
// is compiled, as is a name that the scope does not know, whichever stands first.
typedef struct HolSyntax HolSyntax;
const HolSyntax *hol_syntax_parse(HolArena *arena, const char *text);
const char *hol_syntax_text(const HolSyntax *syntax);
// NULL on error (then *err is filled) or without memory (err->text says so)
HolExpr *hol_syntax_compile(HolArena *arena, const HolSyntax *syntax, const HolExprScope *scope,
                            HolExprError *err);
HolExpr *hol_expr_compile(HolArena *arena, const char *text, const HolExprScope *scope,
                          HolExprError *err); // both
HolExpr *hol_expr_constant(HolArena *arena, double value);
HolExpr *hol_expr_slot(HolArena *arena, int slot);

// An expression made of parts: each function returns the number of a node, -1 after an error; close
// returns as hol_syntax_compile does, and ends the builder. NULL: no memory
typedef struct HolExprBuilder HolExprBuilder;
HolExprBuilder *hol_builder_open(HolArena *arena, const HolExprScope *scope, HolExprError *err);
int hol_builder_syntax(HolExprBuilder *b, const HolSyntax *syntax);
int hol_builder_number(HolExprBuilder *b, double value);
int hol_builder_slot(HolExprBuilder *b, int slot);
int hol_builder_negative(HolExprBuilder *b, int node);
int hol_builder_difference(HolExprBuilder *b, int x, int y);
int hol_builder_product(HolExprBuilder *b, int x, int y);
HolExpr *hol_builder_close(HolExprBuilder *b, int root);

int hol_expr_is_constant(const HolExpr *e, double *value); // 1 when no slot occurs (after folding)
int hol_expr_has_kink(
    const HolExpr *e); // contains if/abs/sign/min/max/comparison/interp/step/floor
// 1: its value is 0 or 1: a comparison, `and`, `or`, `not`
int hol_expr_is_condition(const HolExpr *e);
int hol_expr_is_function(const char *name); // one of the language
int hol_expr_calls(const HolExpr *e); // functions of the program: no second derivatives, no series
int hol_expr_slot_count(const HolExpr *e);   // distinct slots used
const int *hol_expr_slots(const HolExpr *e); // their global numbers, ascending

// doubles of scratch memory needed: value/gradient/hessian, and series up to order `order`
size_t hol_expr_work(const HolExpr *e);
size_t hol_expr_jet_work(const HolExpr *e, int order);

// x: array indexed by global slot number. gradient: one entry per used slot, in the order of
// hol_expr_slots.
double hol_expr_value(const HolExpr *e, const double *x, double *work);
double hol_expr_gradient(const HolExpr *e, const double *x, double *work, double *gradient);
// hessian: n x n, full symmetric, n = slot_count
double hol_expr_hessian(const HolExpr *e, const double *x, double *work, double *gradient,
                        double *hessian);
// an expression of one slot: value, first and second derivative, at a third of the cost
double hol_expr_along(const HolExpr *e, const double *x, double *work, double *first,
                      double *second);

// the exact derivative by the slot hol_expr_slots(e)[local_slot], as an expression over the same
// global slots; where it is not smooth, as the gradient. NULL without memory or when it has more
// operations than an expression may have.
HolExpr *hol_expr_derivative(HolArena *arena, const HolExpr *e, int local_slot);

// the same with the slots for which `is` holds zero; NULL without memory
HolExpr *hol_expr_without(HolArena *arena, const HolExpr *e,
                          int (*is)(const void *context, int slot), const void *context);

// series: slot i has its Taylor coefficients at x + i*stride, coefficient j at [j]. Returns
// coefficient k; coefficients 0..k-1 must have been computed before with the same work
// (hol_expr_jet_work for at least order k). Calling again with the same k recomputes it. Branches
// are taken by coefficient 0.
double hol_expr_jet(const HolExpr *e, const double *x, size_t stride, int k, double *work);

// switching functions (their sign changes are kinks): values at x, for locating kinks in time.
// Knots of tables whose argument is at + rate * time have none: they are at times known beforehand.
int hol_expr_switch_count(const HolExpr *e);
void hol_expr_switches(const HolExpr *e, const double *x, double *work, double *values);
double hol_expr_switch(const HolExpr *e, int i, const double *x, double *work); // one of them
// flags[i] = 1: switching function i depends on slots only for which `is` holds (nodes: scratch of
// hol_expr_node_count)
int hol_expr_node_count(const HolExpr *e);
void hol_expr_switches_of(const HolExpr *e, int (*is)(const void *context, int slot),
                          const void *context, unsigned char *nodes, unsigned char *flags);

// ---- expr_fault.c: where there is no value ----
int hol_expr_may_fail(const HolExpr *e); // 0: it has a value everywhere
// 1: an operation has no finite value at x (slope: or no finite slope), `out` says which
int hol_expr_fault(const HolExpr *e, const double *x, int slope, double *work, char *out,
                   size_t size);
// 1: an operation may have a pole between x0 and x1
int hol_expr_pole(const HolExpr *e, const double *x0, const double *x1, double *work);
// the first of those times after t (jumps_only: of floor), or INFINITY
double hol_expr_next_knot(const HolExpr *e, double t, int jumps_only);
double hol_expr_behind_knot(const HolExpr *e, double t); // t, or behind a knot at it

// ---- expr_range.c: parts that depend on time alone, over an interval of it ----
// a switching function of time alone: number `i` of a group; an expression that may be a pulse
typedef struct HolTimeSwitch {
    int group, i;
} HolTimeSwitch;
typedef struct HolTimeLaw {
    const HolExpr *expr;
    const unsigned char *nodes;
} HolTimeLaw;
// nodes: those that do (hol_expr_switches_of); work: hol_expr_work
typedef struct HolInterval {
    double lo, hi;
} HolInterval;
// bounds of switching function i; -1: of the expression itself
HolInterval hol_expr_switch_range(const HolExpr *e, const unsigned char *nodes, int i,
                                  HolInterval time, double *work);
int hol_expr_may_hide(const HolExpr *e, const unsigned char *nodes); // 0: there is no such part
// width of the bounds of each node over the whole run
void hol_expr_time_widths(const HolExpr *e, const unsigned char *nodes, HolInterval time,
                          double *work, double *width);
// do samples show all that happens? x: values of the slots
typedef enum { HOL_SHOWS_NOTHING, HOL_SHOWS, HOL_HIDES } HolHidden;
HolHidden hol_expr_hidden(const HolExpr *e, const unsigned char *nodes, const double *width,
                          HolInterval time, double *x, double *work);

// where tables are used: the argument of use i, from the work that hol_expr_value left behind
typedef struct HolTableUse {
    const char *table;
    double argument, first, last; // x of the table's ends
    HolOutside outside;
} HolTableUse;
int hol_expr_table_count(const HolExpr *e);
HolTableUse hol_expr_table_use(const HolExpr *e, int i, const double *work);

#endif
