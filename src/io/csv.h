// SPDX-License-Identifier: Apache-2.0
// A table of numbers as text: a header with the names of the columns, then rows of numbers,
// separated by commas.
#ifndef HOL_IO_CSV_H
#define HOL_IO_CSV_H

#include "base/arena.h"
#include "base/error.h"

typedef struct HolCsv {
    const char **names;
    double **values; // a column each
    int n_columns;
    long rows;   // whole ones
    int cut;     // 1: the last line ends in the middle of a row, which is left out
    int unended; // 1: the last line has no line end
} HolCsv;

// the text, ended with 0, is changed, and lives as long as *out; path: for messages
HolStatus hol_csv_parse(HolArena *arena, char *text, size_t length, const char *path, HolCsv *out,
                        HolError *err);
// a line of n numbers; 0: it is none, or a number is missing
int hol_csv_numbers(const char *line, int n, double *out);

#endif
