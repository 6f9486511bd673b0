// SPDX-License-Identifier: Apache-2.0
// The results in a few numbers: over all rows of a run, by column.
#ifndef HOL_CLI_COLUMN_EXTREMES_H
#define HOL_CLI_COLUMN_EXTREMES_H

#include <holonom/holonom.h>

typedef struct ColumnExtremes {
    const char *name;
    double final, min, max, at_min, at_max;
    double squares; // integral over time
} ColumnExtremes;

typedef struct Extremes {
    ColumnExtremes *columns; // the first is time
    int n;
    long rows;
    double first, last; // times
} Extremes;

int extremes_create(Extremes *s, const HolModel *m); // 0: no memory
void extremes_reset(Extremes *s);
void extremes_row(Extremes *s, const double *row);
double extremes_rms(const Extremes *s, int column); // root of the mean square over time
void extremes_free(Extremes *s);

#endif
