// SPDX-License-Identifier: Apache-2.0
#include "io/modal/matrix_market.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// how far entries (i, j) and (j, i) may differ, in units of the largest entry of their rows
static const double SYMMETRIC = 1e-9;

typedef struct Market {
    const char *path, *at; // the next line
    int line;              // its number, from 1
    int array, symmetric;
    int n;
    long entries;
    double *A;
    HolError *err;
} Market;

static int market_problem(const Market *m, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int market_problem(const Market *m, int line, const char *format, ...) {
    char text[300];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    hol_error_set(m->err, HOL_ERR_INPUT, "%.200s:%d: %s", m->path, line, text);
    return 0;
}

// the next line that is no comment and not empty; NULL: the end. *line: its number
static const char *market_line(Market *m, int *line) {
    while (*m->at) {
        const char *start = m->at, *end = strchr(start, '\n');
        m->at = end ? end + 1 : start + strlen(start);
        *line = m->line++;
        while (*start == ' ' || *start == '\t' || *start == '\r')
            start++;
        if (*start && *start != '%' && *start != '\n')
            return start;
    }
    *line = m->line;
    return NULL;
}

static int market_ended(const char *at) { // nothing more on the line
    while (*at == ' ' || *at == '\t' || *at == '\r')
        at++;
    return !*at || *at == '\n';
}

static int market_head(Market *m) {
    char word[4][32];
    if (sscanf(m->at, "%%%%MatrixMarket %31s %31s %31s %31s", word[0], word[1], word[2], word[3]) !=
            4 ||
        strcasecmp(word[0], "matrix") != 0)
        return market_problem(
            m, 1,
            "it is no Matrix Market file: the first line must be '%%%%MatrixMarket "
            "matrix coordinate real symmetric'");
    m->array = strcasecmp(word[1], "array") == 0;
    if (!m->array && strcasecmp(word[1], "coordinate") != 0)
        return market_problem(m, 1, "'%s' must be coordinate or array", word[1]);
    if (strcasecmp(word[2], "real") != 0 && strcasecmp(word[2], "integer") != 0 &&
        strcasecmp(word[2], "double") != 0)
        return market_problem(m, 1, "entries must be real, not %s", word[2]);
    m->symmetric = strcasecmp(word[3], "symmetric") == 0;
    if (!m->symmetric && strcasecmp(word[3], "general") != 0)
        return market_problem(m, 1, "the matrix must be symmetric or general, not %s", word[3]);
    return 1;
}

static int market_size(Market *m, int most) {
    int line;
    const char *at = market_line(m, &line);
    char *end;
    if (!at)
        return market_problem(m, line, "the line with the size of the matrix is missing");
    const long rows = strtol(at, &end, 10), columns = strtol(end, &end, 10);
    const double all = (double)rows * (double)columns;
    const int fits = rows >= 1 && rows <= most && columns >= 1 && columns <= most;
    if (!m->array)
        m->entries = strtol(end, &end, 10);
    else if (fits) // (else their product may be no number)
        m->entries = m->symmetric ? rows * (rows + 1) / 2 : rows * columns;
    if (rows < 1 || columns < 1 || m->entries < 0 || !market_ended(end))
        return market_problem(m, line, "the size must be %s",
                              m->array ? "'ROWS COLUMNS'" : "'ROWS COLUMNS ENTRIES'");
    if (rows != columns)
        return market_problem(m, line, "the matrix must be square, not %ld x %ld", rows, columns);
    if (rows > most)
        return market_problem(
            m, line,
            "%ld unknowns are too many: at most %d; let the finite-element program "
            "reduce the part to its interfaces and some inner nodes",
            rows, most);
    if ((double)m->entries > all)
        return market_problem(m, line, "%ld entries are more than a %ld x %ld matrix has",
                              m->entries, rows, rows);
    m->n = (int)rows;
    return 1;
}

// one entry; *i, *j from 0
static int market_entry(const Market *m, const char *at, int line, long k, int *i, int *j,
                        double *x) {
    char *end = (char *)at;
    if (m->array) {
        if (m->symmetric) {                 // lower triangle by columns
            const double half = m->n + 0.5; // column j begins at j n - j (j - 1)/2
            long c = (long)(half - sqrt(half * half - 2.0 * (double)k));
            while (c > 0 && c * m->n - c * (c - 1) / 2 > k)
                c--;
            while ((c + 1) * m->n - (c + 1) * c / 2 <= k)
                c++;
            *j = (int)c;
            *i = (int)(k - (c * m->n - c * (c - 1) / 2) + c);
        } else {
            *j = (int)(k / m->n);
            *i = (int)(k % m->n);
        }
    } else {
        const long row = strtol(at, &end, 10), column = strtol(end, &end, 10);
        if (row < 1 || row > m->n || column < 1 || column > m->n)
            return market_problem(m, line, "the place %ld, %ld lies outside of the %d x %d matrix",
                                  row, column, m->n, m->n);
        if (m->symmetric && column > row)
            return market_problem(m, line,
                                  "a symmetric matrix holds its lower triangle: row %ld is above "
                                  "column %ld",
                                  row, column);
        *i = (int)row - 1;
        *j = (int)column - 1;
    }
    const char *number = end;
    *x = strtod(number, &end);
    if (end == number || !market_ended(end) || !isfinite(*x))
        return market_problem(m, line, "expected %sone finite number",
                              m->array ? "" : "'ROW COLUMN VALUE' with ");
    return 1;
}

static int market_entries(Market *m) {
    for (long k = 0; k < m->entries; k++) {
        int line, i, j;
        double x;
        const char *at = market_line(m, &line);
        if (!at)
            return market_problem(m, line, "the file ends after %ld of %ld entries", k, m->entries);
        if (!market_entry(m, at, line, k, &i, &j, &x))
            return 0;
        m->A[(long)m->n * j + i] += x;
        if (m->symmetric && i != j)
            m->A[(long)m->n * i + j] += x;
    }
    int line;
    return !market_line(m, &line) ||
           market_problem(m, line, "there are more than the %ld entries that were announced",
                          m->entries);
}

// the line of an entry of the file
static int market_find(Market *m, const char *text, int row, int column) {
    int line;
    m->at = text;
    m->line = 1;
    market_line(m, &line); // the size
    for (long k = 0; k < m->entries; k++) {
        int i, j;
        double x;
        const char *at = market_line(m, &line);
        if (!at || !market_entry(m, at, line, k, &i, &j, &x) || (i == row && j == column))
            break;
    }
    return line;
}

static int market_symmetric(Market *m, const char *text) {
    const int n = m->n;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < j; i++) {
            const double a = m->A[(long)n * j + i], b = m->A[(long)n * i + j];
            const double scale = sqrt(fabs(m->A[(long)n * i + i] * m->A[(long)n * j + j]));
            if (fabs(a - b) <= SYMMETRIC * fmax(scale, fmax(fabs(a), fabs(b))))
                continue;
            const int lower = b != 0;
            return market_problem(
                m, market_find(m, text, lower ? j : i, lower ? i : j),
                "the matrix is not symmetric: entry %d, %d is %g and %d, %d is %g", j + 1, i + 1, b,
                i + 1, j + 1, a);
        }
    for (int j = 0; j < n; j++) // (to the last bit)
        for (int i = 0; i < j; i++)
            m->A[(long)n * j + i] = m->A[(long)n * i + j] =
                0.5 * (m->A[(long)n * j + i] + m->A[(long)n * i + j]);
    return 1;
}

// diagonal entries must not be negative
static int market_diagonal(Market *m, const char *text) {
    for (int i = 0; i < m->n; i++)
        if (m->A[(long)m->n * i + i] < 0)
            return market_problem(m, market_find(m, text, i, i),
                                  "the matrix is not positive: entry %d, %d is %g", i + 1, i + 1,
                                  m->A[(long)m->n * i + i]);
    return 1;
}

double *hol_matrix_market(HolArena *arena, const char *text, const char *path, int most, int *rows,
                          HolError *err) {
    Market m = {.path = path, .at = text, .line = 1, .err = err};
    if (!market_head(&m) || !market_size(&m, most))
        return NULL;
    m.A = HOL_NEW(arena, double, (long)m.n *m.n);
    if (!m.A) {
        hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
        return NULL;
    }
    if (!market_entries(&m) || !market_symmetric(&m, text) || !market_diagonal(&m, text))
        return NULL;
    *rows = m.n;
    return m.A;
}
