// SPDX-License-Identifier: Apache-2.0
// min, max and where; rms by the trapezoidal rule over the rows:
//   rms^2 = sum (t_k - t_k-1) (y_k^2 + y_k-1^2)/2 / (t_n - t_0)
#include "run/column_extremes.h"

#include <math.h>
#include <stdlib.h>

int extremes_create(Extremes *s, const HolModel *m) {
    s->n = hol_model_column_count(m);
    s->columns = calloc((size_t)s->n + 1, sizeof *s->columns);
    for (int i = 0; s->columns && i < s->n; i++)
        s->columns[i].name = hol_model_column(m, i).name;
    return s->columns != NULL;
}

void extremes_reset(Extremes *s) {
    s->rows = 0;
    for (int i = 0; i < s->n; i++)
        s->columns[i] = (ColumnExtremes){.name = s->columns[i].name};
}

static void extremes_update(ColumnExtremes *c, double t, double value, double step, int first) {
    if (first || value < c->min || isnan(c->min)) {
        c->min = value;
        c->at_min = t;
    }
    if (first || value > c->max || isnan(c->max)) {
        c->max = value;
        c->at_max = t;
    }
    if (!first)
        c->squares += 0.5 * step * (value * value + c->final * c->final);
    c->final = value;
}

void extremes_row(Extremes *s, const double *row) {
    const int first = s->rows++ == 0;
    const double t = row[0], step = first ? 0 : t - s->last;
    if (first)
        s->first = t;
    s->last = t;
    for (int i = 1; i < s->n; i++)
        extremes_update(&s->columns[i], t, row[i], step, first);
}

double extremes_rms(const Extremes *s, int column) {
    const double span = s->last - s->first;
    return span > 0 ? sqrt(s->columns[column].squares / span) : fabs(s->columns[column].final);
}

void extremes_free(Extremes *s) {
    free(s->columns);
    s->columns = NULL;
}
