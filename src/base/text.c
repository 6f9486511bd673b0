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
