// SPDX-License-Identifier: Apache-2.0
// The results in a few numbers: over all rows of a run, by column.
#ifndef HOL_CLI_SEEN_H
#define HOL_CLI_SEEN_H

#include <holonom/holonom.h>

typedef struct SeenColumn {
    const char *name;
    double final, min, max, at_min, at_max;
    double squares; // integral over time
} SeenColumn;

typedef struct Seen {
    SeenColumn *columns; // the first is time
    int n;
    long rows;
    double first, last; // times
} Seen;

int seen_create(Seen *s, const HolModel *m); // 0: no memory
void seen_reset(Seen *s);
void seen_row(Seen *s, const double *row);
double seen_rms(const Seen *s, int column); // root of the mean square over time
void seen_free(Seen *s);

#endif
