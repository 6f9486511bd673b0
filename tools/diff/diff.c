// SPDX-License-Identifier: Apache-2.0
// Two stored results, column by column; see diff.h. What a column is follows from its name, as the
// table of quantities has it: its group, its unit, whether it describes the run.
#include "tools/diff/diff.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const double LEAST_SIZE = 1e-3;                                 // of the largest of the kind
static const double least_kind[HOL_GROUPS] = {1e-3, 1e-3, 1e-3, 1, 1}; // of that of the group

typedef struct DiffKind { // columns of one group and unit
    const HolQuantity *quantity;
    double largest;
} DiffKind;

typedef struct DiffColumn {
    HolDiffColumn out;
    int first, second; // columns of the results
    const HolQuantity *quantity;
    double largest, weight;
} DiffColumn;

typedef struct Diff {
    HolDiff out; // first: the pointer to it is the pointer to all
    HolArena arena;
    HolDiffSide a, b;
    HolDiffRows rows;
    DiffColumn *columns;
    int n;
    DiffKind kinds[64];
    int n_kinds;
    double group_largest[HOL_GROUPS];
} Diff;

// ---- columns ----

// what stands before the dot of the quantities of a run
static const char *diff_owner(const HolQuantity *q) {
    if (q->owners & HOL_OF_ENERGY)
        return "energy";
    if (q->owners & HOL_OF_RESIDUAL)
        return "constraint";
    return q->owners & HOL_OF_STEP ? "step" : NULL;
}

// NULL: an expression
static const HolQuantity *diff_quantity(const char *name) {
    const char *dot = strrchr(name, '.');
    if (!dot)
        return NULL;
    for (const HolQuantity *q = hol_quantities; q->name; q++) {
        const char *owner = diff_owner(q);
        const size_t length = (size_t)(dot - name);
        if (strcmp(q->column ? q->column : q->name, dot + 1) == 0 &&
            (!owner || (strlen(owner) == length && strncmp(owner, name, length) == 0)))
            return q;
    }
    return NULL;
}

static int diff_is_run(const HolQuantity *q) {
    return q && (q->uses & HOL_USE_DIAGNOSTIC);
}

static int diff_group(const DiffColumn *c) {
    return c->quantity ? (int)c->quantity->group : HOL_GROUP_POSITIONS;
}

static double diff_largest(const HolResult *r, int column) {
    double largest = 0;
    for (long i = 0; i < r->rows; i++)
        if (isfinite(r->values[column][i]))
            largest = fmax(largest, fabs(r->values[column][i]));
    return largest;
}

// NULL: of an expression nothing is known
static DiffKind *diff_kind(Diff *d, const HolQuantity *q) {
    if (!q || !q->unit || diff_is_run(q))
        return NULL;
    for (int i = 0; i < d->n_kinds; i++)
        if (d->kinds[i].quantity->group == q->group &&
            strcmp(d->kinds[i].quantity->unit, q->unit) == 0)
            return &d->kinds[i];
    if (d->n_kinds == (int)(sizeof d->kinds / sizeof *d->kinds))
        return NULL;
    d->kinds[d->n_kinds] = (DiffKind){.quantity = q};
    return &d->kinds[d->n_kinds++];
}

// angles are positions and torques forces by the length of the mechanism
static void diff_weigh(Diff *d) {
    double length = 0;
    for (int i = 0; i < d->n; i++) {
        const DiffColumn *c = &d->columns[i];
        if (c->quantity && c->quantity->source == HOL_FROM_POINT &&
            c->quantity->level == HOL_SLOT_VALUE)
            length = fmax(length, c->largest);
    }
    length = length > 0 ? length : 1;
    for (int i = 0; i < d->n; i++) {
        DiffColumn *c = &d->columns[i];
        const char *unit = c->quantity && c->quantity->unit ? c->quantity->unit : "";
        c->weight = strncmp(unit, "rad", 3) == 0 ? length
                    : strcmp(unit, "N m") == 0   ? 1 / length
                                                 : 1;
        DiffKind *kind = diff_kind(d, c->quantity);
        if (kind)
            kind->largest = fmax(kind->largest, c->largest);
        if (c->quantity && !diff_is_run(c->quantity)) {
            double *group = &d->group_largest[diff_group(c)];
            *group = fmax(*group, c->largest * c->weight);
        }
    }
}

static double diff_size(Diff *d, const DiffColumn *c) {
    const int group = diff_group(c);
    const DiffKind *kind = diff_kind(d, c->quantity);
    const double least = c->quantity ? least_kind[group] * d->group_largest[group] / c->weight : 0;
    // a total is the small difference of large ones
    const double part = group == HOL_GROUP_ENERGIES ? 1 : LEAST_SIZE;
    return fmax(c->largest, part * fmax(least, kind ? kind->largest : 0));
}

static const char *const *diff_only(HolArena *arena, const HolResult *r, const HolDiffSide *other,
                                    int *n) {
    const char **list = HOL_NEW(arena, const char *, r->n_columns + 1);
    for (int i = 1; list && i < r->n_columns; i++)
        if (hol_diff_find(other, r->columns[i].name) < 0)
            list[(*n)++] = r->columns[i].name;
    return list;
}

static int diff_list_columns(Diff *d) {
    const HolResult *a = d->a.result, *b = d->b.result;
    d->columns = HOL_NEW(&d->arena, DiffColumn, a->n_columns + 1);
    HolDiff *out = &d->out;
    out->only_first = diff_only(&d->arena, a, &d->b, &out->n_only_first);
    out->only_second = diff_only(&d->arena, b, &d->a, &out->n_only_second);
    if (d->arena.failed)
        return 0;
    for (int i = 1; i < a->n_columns; i++) {
        const int k = hol_diff_find(&d->b, a->columns[i].name);
        if (k < 1)
            continue;
        DiffColumn *c = &d->columns[d->n++];
        *c = (DiffColumn){.first = i, .second = k, .quantity = diff_quantity(a->columns[i].name)};
        c->out.name = a->columns[i].name;
        c->out.unit = a->columns[i].unit[0] ? a->columns[i].unit : b->columns[k].unit;
        c->largest = fmax(diff_largest(a, i), diff_largest(b, k));
        c->out.first_time = NAN;
        c->out.at = NAN;
        c->out.judged = !(out->tolerance > 0 && diff_is_run(c->quantity));
    }
    diff_weigh(d);
    for (int i = 0; i < d->n; i++)
        d->columns[i].out.scale = diff_size(d, &d->columns[i]);
    return 1;
}

// ---- differences ----

static double diff_gap(double a, double b) {
    if (a == b || (isnan(a) && isnan(b)))
        return 0;
    const double gap = fabs(a - b);
    return isfinite(gap) ? gap : INFINITY;
}

// the components of the quaternion that the column belongs to; 0: none
static int diff_quaternion(const HolDiffSide *r, const char *name, int list[4]) {
    static const char *const parts[] = {"qw", "qx", "qy", "qz"};
    const char *dot = strrchr(name, '.');
    char part[512];
    for (int k = 0; k < 4; k++) {
        snprintf(part, sizeof part, "%.*s.%s", (int)(dot - name), name, parts[k]);
        if ((list[k] = hol_diff_find(r, part)) < 0)
            return 0;
    }
    return 1;
}

typedef struct DiffTurn { // sign by which the orientation of one result is that of the other
    int known, base[4], other[4];
} DiffTurn;

static double diff_sign(const HolDiffRows *rows, const DiffTurn *turn, const HolDiffPair *p) {
    double product = 0;
    for (int k = 0; turn->known && k < 4; k++)
        product += rows->base->result->values[turn->base[k]][p->row] *
                   rows->other->result->values[turn->other[k]][p->other];
    return product < 0 ? -1 : 1;
}

static void diff_compare_column(Diff *d, DiffColumn *c) {
    const HolDiffRows *rows = &d->rows;
    const int base = rows->swapped ? c->second : c->first;
    const HolDiffSource source = hol_diff_source(rows->other, rows->swapped ? c->first : c->second);
    DiffTurn turn = {0};
    if (d->out.tolerance > 0 && c->quantity && c->quantity->source == HOL_FROM_QUATERNION)
        turn.known = diff_quaternion(rows->base, c->out.name, turn.base) &&
                     diff_quaternion(rows->other, c->out.name, turn.other);
    for (long i = 0; i < rows->n; i++) {
        const HolDiffPair *p = &rows->pairs[i];
        const double t = rows->base->result->values[0][p->row];
        const HolDiffValue v = hol_diff_value(&source, p->other, p->between, t);
        const double gap =
            diff_gap(rows->base->result->values[base][p->row], diff_sign(rows, &turn, p) * v.value);
        c->out.between = fmax(c->out.between, v.error);
        if (gap > c->out.max || isnan(c->out.at)) {
            c->out.max = gap;
            c->out.at = t;
        }
        if (isnan(c->out.first_time) && gap > d->out.tolerance * c->out.scale + v.error)
            c->out.first_time = t;
    }
}

// ---- verdict ----

static void diff_remark(HolDiff *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void diff_remark(HolDiff *d, const char *format, ...) {
    const size_t used = strlen(d->remarks);
    va_list args;
    va_start(args, format);
    if (used + 200 < sizeof d->remarks) {
        vsnprintf(d->remarks + used, sizeof d->remarks - used - 1, format, args);
        strcat(d->remarks, "\n");
    }
    va_end(args);
}

// 1: the same numbers of rows at the same times
static int diff_same_times(const Diff *d) {
    const HolResult *a = d->a.result, *b = d->b.result;
    return a->rows == b->rows &&
           memcmp(a->values[0], b->values[0], (size_t)a->rows * sizeof(double)) == 0;
}

// 1: both cover the same time
static int diff_same_span(Diff *d) {
    const HolResult *a = d->a.result, *b = d->b.result;
    const double a0 = a->values[0][0], a1 = a->values[0][a->rows - 1], b0 = b->values[0][0],
                 b1 = b->values[0][b->rows - 1];
    const double near = 1e-9 * fmax(fmax(a1 - a0, b1 - b0), DBL_MIN);
    if (fabs(a0 - b0) > near)
        diff_remark(&d->out, "The first begins at %.9g s, the second at %.9g s.", a0, b0);
    if (fabs(a1 - b1) > near)
        diff_remark(&d->out, "The first ends at %.9g s, the second at %.9g s.", a1, b1);
    return fabs(a0 - b0) <= near && fabs(a1 - b1) <= near;
}

static void diff_say_between(Diff *d, const DiffColumn *worst) {
    const HolDiffRows *rows = &d->rows;
    if (rows->between == 0)
        return;
    diff_remark(
        &d->out,
        "%ld of %ld times are not in the %s result: it was interpolated there, which may be "
        "off by up to %.2g of the size (%s).",
        rows->between, rows->n, rows->swapped ? "first" : "second",
        worst ? worst->out.between / worst->out.scale : 0.0, worst ? worst->out.name : "");
    if (worst && d->out.tolerance > 0 && worst->out.between > d->out.tolerance * worst->out.scale)
        diff_remark(&d->out, "That is more than the tolerance: give both runs the same "
                             "--output-step to see smaller differences.");
}

// the column that is the most apart of those judged, as a part of what is allowed or of its size
static void diff_judge(Diff *d) {
    HolDiff *out = &d->out;
    const DiffColumn *worst = NULL, *between = NULL, *first = NULL;
    int apart = 0;
    const int span = diff_same_span(d), times = diff_same_times(d);
    for (int i = 0; i < d->n; i++) {
        const DiffColumn *c = &d->columns[i];
        if (c->out.between > 0 &&
            (!between || c->out.between / c->out.scale > between->out.between / between->out.scale))
            between = c;
        if (!c->out.judged)
            continue;
        apart += !isnan(c->out.first_time);
        if (!isnan(c->out.first_time) && (!first || c->out.first_time < first->out.first_time))
            first = c;
        if (c->out.max > 0 &&
            (!worst || c->out.max / c->out.scale > worst->out.max / worst->out.scale))
            worst = c;
    }
    const int exact =
        out->tolerance > 0 ? span : span && times && !out->n_only_first && !out->n_only_second;
    out->within = !apart && exact && d->n > 0 && d->rows.n > 0;
    diff_say_between(d, between);
    if (d->n == 0 || d->rows.n == 0)
        snprintf(out->text, sizeof out->text, "they have no %s in common",
                 d->n == 0 ? "column" : "time");
    else if (apart)
        snprintf(out->text, sizeof out->text,
                 "%d of %d columns are apart, %.64s first at %.9g s; most %.64s, by %.3g of its "
                 "size at %.9g s",
                 apart, d->n, first->out.name, first->out.first_time, worst->out.name,
                 worst->out.max / worst->out.scale, worst->out.at);
    else if (!exact)
        snprintf(out->text, sizeof out->text, "what both have is the same%s, but they differ in %s",
                 out->tolerance > 0 ? " within the tolerance" : "",
                 !span    ? "the time they cover"
                 : !times ? "their times"
                          : "their columns");
    else if (worst)
        snprintf(out->text, sizeof out->text,
                 "the same within the tolerance; most apart %.64s, by %.3g of its size at %.9g s",
                 worst->out.name, worst->out.max / worst->out.scale, worst->out.at);
    else
        snprintf(out->text, sizeof out->text, "the same in every number");
}

HolStatus hol_diff(const HolResult *first, const HolResult *second, double tolerance, HolDiff **out,
                   HolError *err) {
    hol_error_clear(err);
    if (!out || !first || !second)
        return hol_error_set(err, HOL_ERR_INPUT, "%s is missing: NULL",
                             out ? "a result" : "the place of the difference");
    *out = NULL;
    if (!(tolerance >= 0 && tolerance < INFINITY))
        return hol_error_set(err, HOL_ERR_INPUT, "a tolerance is 0 or positive");
    HolArena arena = {0};
    Diff *d = HOL_NEW(&arena, Diff, 1);
    HolDiffColumn *columns = NULL;
    if (d) {
        d->arena = arena;
        d->out.tolerance = tolerance;
        if (hol_diff_side(&d->a, &d->arena, first) && hol_diff_side(&d->b, &d->arena, second) &&
            diff_list_columns(d) && hol_diff_rows(&d->rows, &d->arena, &d->a, &d->b))
            columns = HOL_NEW(&d->arena, HolDiffColumn, d->n + 1);
    }
    if (!columns) {
        arena = d ? d->arena : arena;
        hol_arena_free(&arena);
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    }
    for (int i = 0; i < d->n; i++) {
        diff_compare_column(d, &d->columns[i]);
        columns[i] = d->columns[i].out;
    }
    d->out.columns = columns;
    d->out.n_columns = d->n;
    d->out.from = d->rows.from;
    d->out.to = d->rows.to;
    d->out.rows = d->rows.n;
    d->out.interpolated = d->rows.between;
    diff_judge(d);
    *out = &d->out;
    return HOL_OK;
}

void hol_diff_destroy(HolDiff *d) {
    if (!d)
        return;
    HolArena arena = ((Diff *)d)->arena; // it lives in its arena
    hol_arena_free(&arena);
}
