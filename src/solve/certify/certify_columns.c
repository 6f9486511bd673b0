// SPDX-License-Identifier: Apache-2.0
// Two rows of results compared, column by column; see certify.h. Angles are continuous: a lost turn
// is a difference of 2 pi. p and -p are one orientation: of a quaternion the nearer sign counts.
// Where all columns of a kind are round-off (the torques of hinges, the rotation of a slider) their
// size is no measure. Groups of kinds share one: positions and angles, velocities, accelerations,
// reactions, energies; angles times the length L of the largest link are positions, torques by L
// forces. A thousandth of the largest of its group (of reactions and energies: all of it) counts as
// the largest of a kind. Reactions and energies are those of the whole state, whatever is asked
// for.
#include "model/model.h"
#include "model/quantity.h"
#include "solve/certify/certify.h"
#include "solve/constraint/project.h"
#include "solve/run/error_test.h"
#include "solve/run/run.h"

#include <float.h>
#include <math.h>
#include <string.h>

// columns that describe the run, not the motion
static int is_diagnostic(const HolColumnInfo *c) {
    return c->quantity && (c->quantity->uses & HOL_USE_DIAGNOSTIC);
}

// equal quantities of equal unit are of one kind; of an expression nothing is known
static int same_kind(const HolColumnInfo *a, const HolColumnInfo *b) {
    return a->type != HOL_COLUMN_EXPR && a->type == b->type && strcmp(a->unit, b->unit) == 0;
}

static const double least_kind[HOL_GROUPS] = {1e-3, 1e-3, 1e-3, 1,
                                              1}; // of the largest of the group

// of an expression nothing is known: a number like a position
static HolQuantityGroup group_of(const HolColumnInfo *c) {
    return c->quantity ? c->quantity->group : HOL_GROUP_POSITIONS;
}

// what makes it a number of its group
static double weight_of(const HolColumnInfo *c, double length) {
    if (strncmp(c->unit, "rad", 3) == 0)
        return length;
    return strcmp(c->unit, "N m") == 0 ? 1 / length : 1;
}

static int certify_columns_find_kind(HolCompare *c, const HolModel *m, const int *first,
                                     int index) {
    for (int k = 0; k < c->n_kinds; k++)
        if (same_kind(&m->out.columns[first[k]], &m->out.columns[index]))
            return k;
    return -1;
}

static int column_index(const HolCompare *c, int i) {
    return c->list ? c->list[i] : i;
}

int hol_compare_init(HolCompare *c, HolArena *arena, const HolSim *s, double tolerance, int all) {
    const HolModel *m = s->model;
    *c = (HolCompare){
        .arena = arena, .tolerance = tolerance, .n = all ? m->out.n_columns : m->out.n_selected};
    c->list = all ? NULL : m->out.selected;
    c->columns = HOL_NEW(arena, HolCompared, c->n);
    c->kind_largest = HOL_NEW(arena, double, c->n);
    c->row = HOL_NEW(arena, double, c->n);
    c->other = HOL_NEW(arena, double, c->n);
    c->bound = HOL_NEW(arena, double, c->n);
    int *first = HOL_NEW(arena, int, c->n); // column of each kind
    if (arena->failed)
        return 0;
    for (int i = 0; i < c->n; i++) {
        const HolColumnInfo *info = &m->out.columns[column_index(c, i)];
        HolCompared *column = &c->columns[i];
        column->out.name = info->name;
        column->out.unit = info->unit;
        column->out.claim = is_diagnostic(info) ? HOL_CLAIM_NONE : HOL_CLAIM_BOUND;
        column->out.asked = !all;
        column->is_time = info->type == HOL_COLUMN_TIME;
        column->kind = certify_columns_find_kind(c, m, first, column_index(c, i));
        if (column->kind < 0) {
            first[c->n_kinds] = column_index(c, i);
            column->kind = c->n_kinds++;
        }
        column->group = (int)group_of(info);
        column->expression = info->type == HOL_COLUMN_EXPR;
        column->weight = weight_of(info, s->test->length);
        const int turns = info->quantity && info->quantity->source == HOL_FROM_QUATERNION;
        column->body = turns ? info->index : -1;
    }
    for (int i = 0; all && i < m->out.n_selected; i++)
        c->columns[m->out.selected[i]].out.asked = 1;
    return 1;
}

void hol_compare_unique(HolCompare *c, HolSim *s) {
    unsigned char *flags = HOL_NEW(c->arena, unsigned char, c->n);
    if (!flags || !hol_sim_not_unique(s, c->list, c->n, c->row, c->other, flags))
        return;
    for (int i = 0; i < c->n; i++)
        if (flags[i] && c->columns[i].out.claim == HOL_CLAIM_BOUND)
            c->columns[i].out.claim = HOL_CLAIM_NOT_UNIQUE;
}

// the largest of the kind
static double kind_size(const HolCompare *c, const HolCompared *column) {
    const double group = c->group_largest[column->group] / column->weight;
    return fmax(c->kind_largest[column->kind], least_kind[column->group] * group);
}

double hol_compared_size(const HolCompare *c, const HolCompared *column) {
    return fmax(column->largest, HOL_LEAST_SIZE * kind_size(c, column));
}

double hol_compared_bound(const HolCompare *c, const HolCompared *column) {
    // total energies are small differences of large ones, and come and go with them
    const double factor = column->group == HOL_GROUP_ENERGIES ? 2 : 1;
    const double round_off = 8 * DBL_EPSILON * c->group_largest[column->group] / column->weight;
    const double others = fmax(HOL_BOUND_FACTOR * HOL_BOUND_SHARE * c->worst, c->tolerance);
    const double own = HOL_BOUND_FACTOR * column->out.difference;
    return factor * fmax(own, others * hol_compared_size(c, column)) + round_off;
}

// E at this row; a column that has no claim left says nothing about the others, nor does one that
// is small against its kind
static void see_worst(HolCompare *c) {
    c->worst = 0;
    for (int i = 0; i < c->n; i++) {
        const HolCompared *column = &c->columns[i];
        const double size = hol_compared_size(c, column), gap = column->out.difference;
        if (column->out.claim == HOL_CLAIM_BOUND && gap < HOL_LEAST_CLAIM * size &&
            column->largest >= size)
            c->worst = fmax(c->worst, gap / size);
    }
}

// the largest numbers so far
static void see_sizes(HolCompare *c) {
    for (int i = 0; i < c->n; i++) {
        HolCompared *column = &c->columns[i];
        const double size = isfinite(c->row[i]) ? fabs(c->row[i]) : 0;
        column->largest = fmax(column->largest, size);
        if (column->out.claim == HOL_CLAIM_NONE)
            continue;
        c->kind_largest[column->kind] = fmax(c->kind_largest[column->kind], size);
        double *group = &c->group_largest[column->group];
        *group = fmax(*group, size * column->weight);
    }
}

// a and b are equal, or both no number
static double gap_of(double a, double b) {
    if (a == b || (isnan(a) && isnan(b)))
        return 0;
    const double gap = fabs(a - b);
    return isfinite(gap) ? gap : INFINITY;
}

// the components of one quaternion from i on: their number; those of `other` get the nearer sign
static int align_quaternion(HolCompare *c, int i) {
    const int body = c->columns[i].body;
    double plus = 0, minus = 0;
    int end = i;
    for (; end < c->n && c->columns[end].body == body; end++) {
        plus += fabs(c->row[end] - c->other[end]);
        minus += fabs(c->row[end] + c->other[end]);
    }
    for (int k = i; minus < plus && k < end; k++)
        c->other[k] = -c->other[k];
    return end - i;
}

// a step of the bound over time begins where it was the last time below
static int mark(HolCompare *c, HolCompared *column, double bound) {
    HolCertifiedColumn *out = &column->out;
    const double last = out->n_marks ? column->mark_bound[out->n_marks - 1] : 0;
    if (!(bound > last))
        return 1;
    if (!HOL_GROW(c->arena, column->mark_time, out->n_marks, column->cap_time) ||
        !HOL_GROW(c->arena, column->mark_bound, out->n_marks, column->cap_bound))
        return 0;
    column->mark_time[out->n_marks] = c->t;
    column->mark_bound[out->n_marks++] = HOL_MARK_RATIO * bound;
    return 1;
}

// of a body, or (an expression without a unit) of a joint
static int is_angle(const HolCertifiedColumn *c) {
    const char *dot = strrchr(c->name, '.');
    return strcmp(c->unit, "rad") == 0 || (dot && strcmp(dot, ".angle") == 0);
}

static void note_difference(HolCertifiedColumn *out, double gap) {
    static const double PI = 3.14159265358979323846;
    const double turns = round(gap / (2 * PI));
    if (turns > 0 && fabs(gap - turns * 2 * PI) < 0.1 && is_angle(out))
        out->lost_turn = 1;
    out->difference = fmax(out->difference, gap);
}

// reactions and energies of the state that the row was made of
static void see_state(HolCompare *c, const HolSim *s) {
    const struct HolSimDriver *d = s->driver;
    const double reactions = hol_max_abs(s->out.lambda, s->m),
                 energies = fmax(d->kinetic_most, d->potential_high - d->potential_low);
    if (isfinite(reactions))
        c->group_largest[HOL_GROUP_REACTIONS] =
            fmax(c->group_largest[HOL_GROUP_REACTIONS], reactions);
    c->group_largest[HOL_GROUP_ENERGIES] = fmax(c->group_largest[HOL_GROUP_ENERGIES], energies);
}

// accelerations, reactions, and expressions, which may hold them; at an event all but positions
static int jumps(const HolCompare *c, const HolCompared *column) {
    if (c->apart > 1)
        return column->group != HOL_GROUP_POSITIONS || column->expression;
    return column->group == HOL_GROUP_ACCELERATIONS || column->group == HOL_GROUP_REACTIONS ||
           column->expression;
}

int hol_compare_row(HolCompare *c, const HolSim *b, double t) {
    see_state(c, b);
    see_sizes(c);
    for (int i = 0; i < c->n;)
        i += c->columns[i].body >= 0 ? align_quaternion(c, i) : 1;
    if (c->rows++ == 0)
        c->t = t;
    for (int i = 0; i < c->n; i++)
        if (c->columns[i].out.claim == HOL_CLAIM_BOUND && !(c->apart && jumps(c, &c->columns[i])))
            note_difference(&c->columns[i].out,
                            c->over ? INFINITY : gap_of(c->row[i], c->other[i]));
    see_worst(c);
    for (int i = 0; i < c->n; i++) {
        HolCompared *column = &c->columns[i];
        c->bound[i] = column->is_time ? c->row[i] : NAN;
        if (column->out.claim != HOL_CLAIM_BOUND)
            continue;
        const double bound = hol_compared_bound(c, column);
        if (!mark(c, column, bound))
            return 0;
        const int claim = !(bound > HOL_LEAST_CLAIM * hol_compared_size(c, column));
        c->bound[i] = claim ? bound : INFINITY;
    }
    c->t = t;
    return 1;
}
