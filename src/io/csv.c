// SPDX-License-Identifier: Apache-2.0
// Reading comma-separated numbers: see csv.h.
#include "io/csv.h"
#include "base/text.h"

#include <math.h>
#include <string.h>
#include <strings.h>

// one field of the header, quotes removed in place; *p moves behind its comma or line end
static char *header_field(char **p, int *last) {
    char *from = *p + strspn(*p, " \t"), *to = from, *start = from;
    if (*from == '"') {
        for (from++; *from && (*from != '"' || from[1] == '"'); from++) {
            *to++ = *from;
            from += *from == '"';
        }
        from += *from == '"';
    } else {
        while (*from && *from != ',' && *from != '\n' && *from != '\r')
            *to++ = *from++;
        while (to > start && strchr(" \t", to[-1]))
            to--;
    }
    from += strspn(from, " \t");
    from += *from == '\r';
    *last = *from != ',';
    *p = from + (*from != 0);
    *to = 0;
    return start;
}

int hol_csv_number(const char *text, size_t length, double *value) {
    while (length && (*text == ' ' || *text == '\t')) {
        text++;
        length--;
    }
    while (length && strchr(" \t\r", text[length - 1]))
        length--;
    if (length > 1 && *text == '"' && text[length - 1] == '"') {
        text++;
        length -= 2;
    }
    if (hol_text_number(text, length, value))
        return 1;
    int minus = length == 4 && *text == '-';
    *value = length == 3 && strncasecmp(text, "nan", 3) == 0 ? NAN
             : length >= 3 && strncasecmp(text + minus, "inf", 3) == 0
                 ? (minus ? -INFINITY : INFINITY)
                 : 0;
    return *value != 0;
}

// length of a field, up to its comma or line end; what stands between quotes may hold commas
static size_t csv_field(const char *p) {
    const size_t blank = strspn(p, " \t");
    if (p[blank] != '"')
        return strcspn(p, ",\n");
    size_t n = blank + 1;
    while (p[n] && p[n] != '\n' && (p[n] != '"' || p[n + 1] == '"'))
        n += p[n] == '"' ? 2 : 1;
    return n + strcspn(p + n, ",\n");
}

static int csv_blank(const char *line) {
    line += strspn(line, " \t\r");
    return *line == '\n' || !*line;
}

// a row; *text: it holds something that is no number in a column of numbers
static HolStatus csv_line(HolCsv *csv, const char *path, const char *p, long row, int *text,
                          HolError *err) {
    *text = 0;
    for (int i = 0; i < csv->n_columns; i++) {
        const size_t n = csv_field(p);
        const char end = i + 1 < csv->n_columns ? ',' : '\n';
        if ((p[n] && p[n] != end) || (!p[n] && end == ','))
            return hol_error_set(
                err, HOL_ERR_FILE,
                "cannot read %s: line %ld has %s than the %d entries of its header", path,
                csv->lines[row], p[n] == ',' ? "more" : "less", csv->n_columns);
        if (!hol_csv_number(p, n, &csv->values[i][row])) {
            csv->values[i][row] = NAN;
            *text |= !csv->bad[i];
            csv->bad[i] = csv->bad[i] ? csv->bad[i] : csv->lines[row];
        }
        p += n + (p[n] != 0);
    }
    return HOL_OK;
}

HolStatus hol_csv_check(const HolCsv *csv, int i, int finite, const char *path, HolError *err) {
    long line = csv->bad[i];
    for (long k = 0; finite && k < csv->rows; k++)
        if (!isfinite(csv->values[i][k])) {
            line = csv->lines[k];
            break;
        }
    return line ? hol_error_set(err, HOL_ERR_FILE,
                                "cannot read %s: line %ld: column %d (%s) should be a number", path,
                                line, i + 1, csv->names[i])
                : HOL_OK;
}

int hol_csv_numbers(const char *line, int n, double *out) {
    for (int i = 0; i < n; i++) {
        const size_t length = strcspn(line, ",\n");
        if (line[length] != (i + 1 < n ? ',' : '\n') || !hol_csv_number(line, length, &out[i]))
            return 0;
        line += length + 1;
    }
    return !*line;
}

static int csv_reserve(HolArena *arena, HolCsv *csv, long rows) {
    csv->rows = rows;
    csv->bad = HOL_NEW(arena, long, csv->n_columns + 1);
    csv->lines = HOL_NEW(arena, long, (size_t)rows + 1);
    csv->values = HOL_NEW(arena, double *, csv->n_columns + 1);
    for (int i = 0; csv->values && i < csv->n_columns; i++)
        csv->values[i] = HOL_NEW(arena, double, (size_t)rows + 1);
    return !arena->failed;
}

HolStatus hol_csv_parse(HolArena *arena, char *text, size_t length, const char *path, HolCsv *out,
                        HolError *err) {
    int capacity = 0;
    long rows = 0, number = 1;
    char *p = text + (strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0);
    *out = (HolCsv){0};
    for (int last = 0; !last;) {
        if (!HOL_GROW(arena, out->names, out->n_columns, capacity))
            return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
        out->names[out->n_columns++] = header_field(&p, &last);
    }
    out->unended = length > 0 && text[length - 1] != '\n';
    for (const char *line = p; *line;) {
        rows += !csv_blank(line);
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    // every number has a separator behind it, the last one perhaps none
    if (rows > 0 && (size_t)rows > (length + 1) / (size_t)out->n_columns)
        return hol_error_set(err, HOL_ERR_FILE,
                             "cannot read %s: its rows are shorter than its header", path);
    if (!csv_reserve(arena, out, rows))
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    for (long row = 0; row < rows; p += strcspn(p, "\n"), p += *p == '\n') {
        number++;
        if (csv_blank(p))
            continue;
        int text_there = 0;
        out->lines[row] = number;
        const HolStatus status = csv_line(out, path, p, row, &text_there, err);
        if ((status || text_there) && row > 0 && row + 1 == rows && out->unended) {
            hol_error_clear(err);
            out->rows = row;
            out->cut = 1;
            for (int i = 0; i < out->n_columns; i++)
                out->bad[i] = out->bad[i] == number ? 0 : out->bad[i];
            return HOL_OK;
        }
        if (status)
            return status;
        row++;
    }
    return HOL_OK;
}

void hol_csv_put_text(FILE *to, const char *text) {
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, to);
        return;
    }
    fputc('"', to);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', to);
        fputc(*text, to);
    }
    fputc('"', to);
}

void hol_csv_put_number(FILE *to, double value) {
    if (!isfinite(value)) {
        fputs(isnan(value) ? "nan" : value > 0 ? "inf" : "-inf", to);
        return;
    }
    char digits[40];
    snprintf(digits, sizeof digits, "%.17g", value);
    // a program that uses the library may have set a locale with a decimal comma
    char *comma = strchr(digits, ',');
    if (comma)
        *comma = '.';
    fputs(digits, to);
}
