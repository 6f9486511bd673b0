// SPDX-License-Identifier: Apache-2.0
// Text and numbers, the same in every locale: a decimal point is always a point.
#ifndef HOL_BASE_TEXT_H
#define HOL_BASE_TEXT_H

#include "base/visibility.h"

#include <stddef.h>
#include <stdio.h>

enum { HOL_NUMBER_SIZE = 32 }; // room for any printed double, with the end mark

// The whole of text[0..length) as a decimal number ("-1.5e3", ".5", "2."): 1 and *value, else 0.
// Correctly rounded; too large gives an infinity. No hexadecimal, no words such as inf or nan.
HOL_TOOLS int hol_text_number(const char *text, size_t length, double *value);

// Shortest decimal text that reads back as the same double ("0.1", "1e-09", "inf", "nan").
// Returns its length.
HOL_TOOLS int hol_text_print_number(double value, char out[HOL_NUMBER_SIZE]);

// A name that expressions can use: a letter or _, then letters, digits and _.
int hol_text_is_name(const char *text, size_t length);

// Nearest word (edit distance) among n candidates, or NULL when none is near; for "did you mean".
HOL_TOOLS const char *hol_nearest_word(const char *word, const char *const *candidates, int n);

// Number of characters (code points) in the first `bytes` bytes of UTF-8 text.
HOL_TOOLS int hol_text_characters(const char *text, size_t bytes);

// Text that goes out through a caller's function: the libraries never print themselves.
typedef struct HolPut {
    void (*put)(void *to, const char *text, size_t length); // NULL: nowhere
    void *to;
} HolPut;
// formatted, at most 4095 bytes a call
HOL_TOOLS void hol_put(const HolPut *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// a `put` for which `to` is a FILE *
HOL_TOOLS void hol_put_to_file(void *to, const char *text, size_t length);
// Ends a stream that open_memstream made: 1 and its text, or 0 and NULL where memory was short. (fclose
// alone may say that all is well and leave no text.)
HOL_TOOLS int hol_memory_close(FILE *f, char **text);

#endif
