// SPDX-License-Identifier: Apache-2.0
// What a comparison allows to say; see certify.h. With E(t) = max over the results of B_c(t)/S_c:
//   reached = E(end);   until = last t with E(t) <= accuracy
//   errors double every  ln 2 / slope of ln E   over the last half of the time before E passes the
//   least claim, where E rises in both of its halves at least fivefold, a hundredfold in all
#include "solve/certify/certify.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static int is_result(const HolCertifiedColumn *c) {
    return c->asked && c->claim == HOL_CLAIM_BOUND;
}

// time up to which all results are within a part of their size
static double time_within(const HolCertificate *z, double part, double end) {
    double t = end;
    for (int i = 0; i < z->n_columns; i++) {
        const HolCertifiedColumn *c = z->columns[i];
        for (int k = 0; is_result(c) && k < c->n_marks; k++)
            if (c->mark_bound[k] > part * c->size) {
                t = fmin(t, c->mark_time[k]);
                break;
            }
    }
    return t;
}

// E at a time
static double error_at(const HolCertificate *z, double t) {
    double largest = 0;
    for (int i = 0; i < z->n_columns; i++) {
        const HolCertifiedColumn *c = z->columns[i];
        double bound = 0;
        for (int k = 0; is_result(c) && k < c->n_marks && c->mark_time[k] <= t; k++)
            bound = c->mark_bound[k];
        if (bound > 0 && c->size > 0)
            largest = fmax(largest, bound / c->size);
    }
    return largest;
}

static double doubling_time(const HolCertificate *z, double start, double end) {
    enum { POINTS = 33 };
    const double last = time_within(z, HOL_LEAST_CLAIM, end), half = (last - start) / 2;
    double y[POINTS], sum = 0, slope = 0, squares = 0;
    if (!(half > 0))
        return NAN;
    for (int i = 0; i < POINTS; i++) {
        // (behind the last mark below the least claim E may be infinite)
        const double t = start + half + half * i / (POINTS - 1);
        y[i] = log(fmin(error_at(z, t), HOL_LEAST_CLAIM) + DBL_MIN);
        sum += y[i];
    }
    for (int i = 0; i < POINTS; i++) {
        const double x = (double)i / (POINTS - 1) - 0.5;
        slope += x * (y[i] - sum / POINTS);
        squares += x * x;
    }
    slope /= squares * half;
    const double first = y[POINTS / 2] - y[0], second = y[POINTS - 1] - y[POINTS / 2];
    return fmin(first, second) > log(5) && first + second > log(100) ? log(2) / slope : NAN;
}

// significant digits of a number as large as `size`
static int digits_of(double bound, double size) {
    if (!(bound < HOL_LEAST_CLAIM * size))
        return size == 0 && bound == 0 ? 15 : 0;
    return (int)fmin(15, floor(-log10(bound / size)));
}

static void fill_columns(HolCertificate *out, const HolCompare *c) {
    out->reached = 0;
    for (int i = 0; i < c->n; i++) {
        HolCompared *column = &c->columns[i];
        HolCertifiedColumn *z = &column->out;
        z->mark_time = column->mark_time;
        z->mark_bound = column->mark_bound;
        z->size = hol_compared_size(c, column);
        z->bound = NAN;
        if (z->claim != HOL_CLAIM_BOUND)
            continue;
        const double bound =
            HOL_BOUND_FACTOR * z->difference + 4 * DBL_EPSILON * c->kind_largest[column->kind];
        const int claim = !(bound > HOL_LEAST_CLAIM * z->size);
        z->bound = claim ? bound : INFINITY;
        z->digits = claim ? digits_of(bound, z->size) : 0;
        if (z->asked && bound > 0)
            out->reached = fmax(out->reached, claim ? bound / z->size : INFINITY);
    }
}

static void certify_claim_describe(HolCertificate *z, double start, double end) {
    char *text = z->text;
    const size_t size = sizeof z->text;
    const double limit = z->accuracy > 0 ? z->accuracy : HOL_LEAST_CLAIM;
    size_t used = 0;
    if (z->reached <= HOL_LEAST_CLAIM)
        used = (size_t)snprintf(text, size, "every result within %.1e of its size", z->reached);
    else
        used = (size_t)snprintf(text, size, "no digit is certain after %.4g s",
                                time_within(z, HOL_LEAST_CLAIM, end));
    if (z->reached <= limit && isnan(z->doubling))
        return;
    if (!isnan(z->doubling))
        used +=
            (size_t)snprintf(text + used, size - used, "; errors double every %.2g s", z->doubling);
    double last = start;
    int shown = 0;
    const int most = z->accuracy > 0 ? (int)floor(0.5 - log10(z->accuracy)) : 6;
    for (int digits = most; digits >= 2 && used<size; digits -= digits> 4 ? 2 : 1) {
        const double t = time_within(z, pow(10, -digits), end);
        if (t <= last || (digits < most && last >= end))
            continue;
        used += (size_t)snprintf(text + used, size - used, "%s %d digits up to %.4g s",
                                 shown++              ? ","
                                 : isnan(z->doubling) ? ";"
                                                      : ":",
                                 digits, t);
        last = t;
    }
}

static void warn(HolCertificate *z, double end) {
    char *list = z->warnings;
    const size_t size = sizeof z->warnings;
    for (int i = 0; i < z->n_columns; i++)
        if (z->columns[i]->lost_turn) {
            hol_add_line(list, size,
                         "the two runs count the turns of %s differently: a turn may be lost",
                         z->columns[i]->name);
            break;
        }
    if (!isnan(z->doubling) && !(z->reached < 100 * fmax(z->second->tolerance, z->accuracy)))
        hol_add_line(list, size,
                     "the motion amplifies errors: they double every %.2g s, and 2 digits are "
                     "certain up to %.4g s only",
                     z->doubling, time_within(z, HOL_LEAST_CLAIM, end));
    else if (!(z->reached <= HOL_LEAST_CLAIM))
        hol_add_line(list, size, "two runs disagree: no digit is certain after %.4g s",
                     time_within(z, HOL_LEAST_CLAIM, end));
    if (z->accuracy > 0 && !(z->reached <= z->accuracy)) {
        char reached[32] = "no digit";
        if (z->reached <= HOL_LEAST_CLAIM)
            snprintf(reached, sizeof reached, "%.1e", z->reached);
        hol_add_line(list, size,
                     "accuracy %g is not reached: it holds up to %.4g s; certain to the end is %s",
                     z->accuracy, z->until, reached);
    }
}

void hol_certificate_fill(HolCertificate *out, const HolCompare *c, double start, double t_end) {
    HolCertifiedColumn *columns = HOL_NEW(c->arena, HolCertifiedColumn, c->n);
    const HolCertifiedColumn **list = HOL_NEW(c->arena, const HolCertifiedColumn *, c->n);
    if (!columns || !list)
        return;
    fill_columns(out, c);
    for (int i = 0; i < c->n; i++)
        columns[i] = c->columns[i].out, list[i] = &columns[i];
    out->columns = list;
    out->n_columns = c->n;
    out->text[0] = out->warnings[0] = 0;
    const double limit = out->accuracy > 0 ? out->accuracy : HOL_LEAST_CLAIM;
    out->until = out->reached <= limit ? t_end : time_within(out, limit, t_end);
    out->doubling = doubling_time(out, start, t_end);
    certify_claim_describe(out, start, t_end);
    warn(out, t_end);
}
