// SPDX-License-Identifier: Apache-2.0
// Numbers to and from text. The C library does the rounding, in its "C" locale, so that a program
// that calls setlocale() reads and writes the same files. 15 digits are always kept by a normal
// double, so the shortest text is found by trying 15, 16 and 17 digits; subnormal numbers carry
// fewer digits and are tried from one digit on.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // strtod_l
#endif
#include "base/text.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int text_is_digit(char c) {
    return c >= '0' && c <= '9';
}

static int text_is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// sign, digits with at most one point (a digit somewhere), exponent
static int is_decimal(const char *s, size_t n) {
    size_t i = 0, digits = 0;
    if (i < n && (s[i] == '+' || s[i] == '-'))
        i++;
    for (; i < n && text_is_digit(s[i]); i++)
        digits++;
    if (i < n && s[i] == '.')
        i++;
    for (; i < n && text_is_digit(s[i]); i++)
        digits++;
    if (!digits)
        return 0;
    if (i < n && (s[i] == 'e' || s[i] == 'E')) {
        i++;
        if (i < n && (s[i] == '+' || s[i] == '-'))
            i++;
        if (i == n || !text_is_digit(s[i]))
            return 0;
        while (i < n && text_is_digit(s[i]))
            i++;
    }
    return i == n;
}

static double to_double(const char *text) {
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c_locale)
        return strtod(text, NULL);
    double value = strtod_l(text, NULL, c_locale);
    freelocale(c_locale);
    return value;
}

int hol_text_number(const char *text, size_t length, double *value) {
    char copy[512];
    if (length >= sizeof copy || !is_decimal(text, length))
        return 0;
    memcpy(copy, text, length);
    copy[length] = 0;
    *value = to_double(copy);
    return 1;
}

// print with a number of significant digits; the "C" locale is put in place for this thread only
static int text_print_digits(double value, int digits, char out[HOL_NUMBER_SIZE]) {
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t old = c_locale ? uselocale(c_locale) : (locale_t)0;
    int n = snprintf(out, HOL_NUMBER_SIZE, "%.*g", digits, value);
    if (c_locale) {
        uselocale(old);
        freelocale(c_locale);
    }
    return n;
}

int hol_text_print_number(double value, char out[HOL_NUMBER_SIZE]) {
    if (isnan(value))
        return snprintf(out, HOL_NUMBER_SIZE, "nan");
    if (isinf(value))
        return snprintf(out, HOL_NUMBER_SIZE, value < 0 ? "-inf" : "inf");
    int digits = value != 0 && fabs(value) < DBL_MIN ? 1 : 15;
    for (;; digits++) {
        int n = text_print_digits(value, digits, out);
        if (digits >= 17 || to_double(out) == value)
            return n;
    }
}

int hol_text_is_name(const char *text, size_t length) {
    if (length == 0 || !text_is_letter(text[0]))
        return 0;
    for (size_t i = 1; i < length; i++)
        if (!text_is_letter(text[i]) && !text_is_digit(text[i]))
            return 0;
    return 1;
}

int hol_text_characters(const char *text, size_t bytes) {
    int count = 0;
    for (size_t i = 0; i < bytes; i++)
        count += ((unsigned char)text[i] & 0xC0) != 0x80;
    return count;
}

void hol_put(const HolPut *p, const char *format, ...) {
    char text[4096];
    va_list args;
    if (!p->put)
        return;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n > 0)
        p->put(p->to, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

void hol_put_to_file(void *to, const char *text, size_t length) {
    fwrite(text, 1, length, to);
}

// (the C library cuts the text to its length at the end, and where that finds no memory gives none)
int hol_memory_close(FILE *f, char **text) {
    const int ok = fclose(f) == 0 && *text;
    if (!ok) {
        free(*text);
        *text = NULL;
    }
    return ok;
}

// ---- nearest word for "did you mean" ----
// Edit distance with insertion, deletion, replacement and swap of neighbours. A letter that differs
// in case only costs an eighth.

enum { LONGEST = 64, EDIT = 8 };

static int lower(char c) {
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c;
}

static int replacement(char a, char b) {
    return a == b ? 0 : lower(a) == lower(b) ? EDIT / 8 : EDIT;
}

static int least(int a, int b) {
    return a < b ? a : b;
}

// distance in eighths of an edit; three rows of the usual table are enough
static int nearest_distance(const char *a, int n, const char *b, int m) {
    int rows[3][LONGEST + 1];
    int *before = rows[0], *last = rows[1], *row = rows[2];
    for (int j = 0; j <= m; j++) {
        before[j] = 0;
        last[j] = EDIT * j;
    }
    for (int i = 1; i <= n; i++) {
        row[0] = EDIT * i;
        for (int j = 1; j <= m; j++) {
            int best = last[j - 1] + replacement(a[i - 1], b[j - 1]);
            best = least(best, least(last[j], row[j - 1]) + EDIT);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1]))
                best = least(best, before[j - 2] + EDIT);
            row[j] = best;
        }
        int *spare = before;
        before = last;
        last = row;
        row = spare;
    }
    return last[m];
}

const char *hol_nearest_word(const char *word, const char *const *candidates, int n) {
    size_t length = word ? strlen(word) : 0;
    if (length == 0 || length > LONGEST)
        return NULL;
    // near: one edit in three letters, at least one
    int limit = EDIT * (length < 6 ? 1 : (int)length / 3);
    const char *nearest = NULL;
    for (int i = 0; i < n; i++) {
        size_t other = candidates[i] ? strlen(candidates[i]) : 0;
        size_t difference = other > length ? other - length : length - other;
        if (other == 0 || other > LONGEST || EDIT * (int)difference > limit)
            continue;
        int d = nearest_distance(word, (int)length, candidates[i], (int)other);
        // a word with every letter replaced is not near
        if (d <= limit && d < (int)(length > other ? length : other) * EDIT) {
            if (d == 0)
                return candidates[i];
            nearest = candidates[i];
            limit = d - 1;
        }
    }
    return nearest;
}
