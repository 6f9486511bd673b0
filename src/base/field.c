// SPDX-License-Identifier: Apache-2.0
// Field tables: looking up, checking, and filling in defaults.
#include "base/field.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const HolField *hol_field_find(const HolField *table, const char *key) {
    for (; table->key; table++)
        if (strcmp(table->key, key) == 0)
            return table;
    return NULL;
}

int hol_word_value(const HolWord *words, const char *name, int *value) {
    for (; words && words->name; words++) {
        if (strcmp(words->name, name) != 0)
            continue;
        *value = words->value;
        return 1;
    }
    return 0;
}

int hol_field_in_range(const HolField *field, double value, char *why, size_t size) {
    char low[HOL_NUMBER_SIZE], high[HOL_NUMBER_SIZE];
    int ok = isfinite(value);
    const char *must = "must be a finite number";
    if (ok && field->range == HOL_RANGE_NOT_NEGATIVE) {
        ok = value >= 0;
        must = "must not be negative";
    } else if (ok && field->range == HOL_RANGE_POSITIVE) {
        ok = value > 0;
        must = "must be positive";
    } else if (ok && field->range == HOL_RANGE_NOT_ZERO) {
        ok = value != 0;
        must = "must not be zero";
    } else if (ok && field->range == HOL_RANGE_ZERO_OR && value == 0) {
        return 1;
    } else if (ok && (field->range == HOL_RANGE_BETWEEN || field->range == HOL_RANGE_ZERO_OR)) {
        hol_text_print_number(field->low, low);
        hol_text_print_number(field->high, high);
        if (value < field->low || value > field->high) {
            if (field->takes)
                snprintf(why, size, "must be %s", field->takes);
            else
                snprintf(why, size, "must be between %s and %s", low, high);
            return 0;
        }
    }
    if (!ok)
        snprintf(why, size, "%s", must);
    return ok;
}

void hol_field_lengths(HolFieldLength length, int dimensions, int *low, int *high) {
    // counts for a scalar coordinate, the plane and space
    static const int counts[][3][2] = {
        [HOL_LENGTH_ONE] = {{1, 1}, {1, 1}, {1, 1}},
        [HOL_LENGTH_SPACE] = {{1, 1}, {2, 2}, {3, 3}},
        [HOL_LENGTH_TURN] = {{1, 1}, {1, 1}, {3, 3}},
        [HOL_LENGTH_INERTIA] = {{1, 1}, {1, 1}, {3, 6}},
        [HOL_LENGTH_ONE_OR_SPACE] = {{1, 1}, {1, 2}, {1, 3}},
        [HOL_LENGTH_ONE_OR_TURN] = {{1, 1}, {1, 1}, {1, 3}},
        [HOL_LENGTH_SIZE] = {{3, 3}, {2, 3}, {3, 3}},
        [HOL_LENGTH_TWO] = {{2, 2}, {2, 2}, {2, 2}},
        [HOL_LENGTH_THREE] = {{3, 3}, {3, 3}, {3, 3}},
        [HOL_LENGTH_FOUR] = {{4, 4}, {4, 4}, {4, 4}},
    };
    const int *pair = counts[length][dimensions - 1];
    *low = pair[0];
    *high = pair[1];
}

// one default; numbers are plain decimals, words come from the field's list
static void set_default(const HolField *f, char *object) {
    double number = 0;
    int word = 0, is_word = hol_word_value(f->words, f->fallback, &word);
    hol_text_number(f->fallback, strlen(f->fallback), &number);
    if (is_word)
        number = word;
    switch (f->type) {
    case HOL_FIELD_NUMBER:
    case HOL_FIELD_VECTOR: // the first component; the others are zero
        *(double *)(void *)(object + f->offset) = number;
        break;
    case HOL_FIELD_INTEGER:
    case HOL_FIELD_CHOICE:
    case HOL_FIELD_FLAGS:
        *(int *)(void *)(object + f->offset) = (int)number;
        break;
    case HOL_FIELD_SWITCH:
        *(int *)(void *)(object + f->offset) = strcmp(f->fallback, "true") == 0;
        break;
    case HOL_FIELD_LONG:
        *(long *)(void *)(object + f->offset) = (long)number;
        break;
    case HOL_FIELD_WORD:
        snprintf(object + f->offset, f->size, "%s", f->fallback);
        break;
    case HOL_FIELD_EXPRESSION:
    case HOL_FIELD_TEXT:
    case HOL_FIELD_KIND:
    case HOL_FIELD_NAME:
        *(const char **)(void *)(object + f->offset) = f->fallback;
        break;
    default:
        break;
    }
}

void hol_field_defaults(const HolField *table, void *object) {
    for (; table->key; table++)
        if (table->fallback && table->type != HOL_FIELD_OWN)
            set_default(table, object);
}
