// SPDX-License-Identifier: Apache-2.0
// A table of numbers as text: a header with the names of the columns, then rows of numbers,
// separated by commas. Blank lines, spaces around names and numbers and a byte order mark are
// passed over; columns may hold texts (bad), with commas between quotes.
#ifndef HOL_IO_CSV_H
#define HOL_IO_CSV_H

#include "base/arena.h"
#include "base/error.h"

#include <stdio.h>

typedef struct HolCsv {
    const char **names;
    double **values; // a column each; NaN where there is no number
    long *bad;       // line of the first entry of each column that is no number, 0: there is none
    long *lines;     // of the file, of each row: blank lines are left out
    int n_columns;
    long rows;   // whole ones
    int cut;     // 1: the last line ends in the middle of a row, which is left out
    int unended; // 1: the last line has no line end
} HolCsv;

// the text, ended with 0, is changed, and lives as long as *out; path: for messages
HolStatus hol_csv_parse(HolArena *arena, char *text, size_t length, const char *path, HolCsv *out,
                        HolError *err);
// column i holds numbers throughout, if `finite` none that is infinite; else an error with the line
HolStatus hol_csv_check(const HolCsv *csv, int i, int finite, const char *path, HolError *err);
// a line of n numbers; 0: it is none, or a number is missing
int hol_csv_numbers(const char *line, int n, double *out);
// a number as the writer prints it; spaces around it are accepted
int hol_csv_number(const char *text, size_t length, double *value);

// a text with a comma, a quote or a line break is quoted, quotes inside doubled
void hol_csv_put_text(FILE *to, const char *text);
// 17 digits, a point in every locale; nan, inf, -inf
void hol_csv_put_number(FILE *to, double value);

#endif
