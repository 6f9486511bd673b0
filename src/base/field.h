// SPDX-License-Identifier: Apache-2.0
// Field tables: one table a struct says which keys it has, how they are written, where they go and
// what is allowed. Reading, range checks, help, the format reference and the schema all use it.
#ifndef HOL_BASE_FIELD_H
#define HOL_BASE_FIELD_H

#include "base/visibility.h"

#include <stddef.h>

typedef enum HolFieldType {
    HOL_FIELD_NAME,        // const char *: letters, digits and _
    HOL_FIELD_TEXT,        // const char *: any text
    HOL_FIELD_KIND,        // const char *: the name of a kind (its table is checked by the reader)
    HOL_FIELD_WORD,        // char[size]: one of `words`, or any text without `words`
    HOL_FIELD_CHOICE,      // int: the value of one of `words`
    HOL_FIELD_FLAGS,       // int: a list of `words`, their values or-ed
    HOL_FIELD_SWITCH,      // int: true or false
    HOL_FIELD_NUMBER,      // double; `words` may give names to some values
    HOL_FIELD_INTEGER,     // int; the same
    HOL_FIELD_LONG,        // long
    HOL_FIELD_VECTOR,      // double[]: `length` numbers; offset2: an int set to 1 when given
    HOL_FIELD_NUMBERS,     // const double *: any count, which goes to the int at offset2
    HOL_FIELD_EXPRESSION,  // const char *: expression of the state, kept as text
    HOL_FIELD_EXPRESSIONS, // const char *[3]: `length` of them, the count goes to offset2
    HOL_FIELD_OWN,         // its `form` is read by a function of its own
    HOL_FIELD_TYPE_COUNT
} HolFieldType;

// how many numbers a list holds, in the plane and in space
typedef enum HolFieldLength {
    HOL_LENGTH_ONE,          // 1
    HOL_LENGTH_SPACE,        // 2 | 3
    HOL_LENGTH_TURN,         // 1 | 3
    HOL_LENGTH_INERTIA,      // 1 | 3 or 6
    HOL_LENGTH_ONE_OR_SPACE, // 1 or 2 | 1 or 3
    HOL_LENGTH_ONE_OR_TURN,  // 1 | 1 or 3
    HOL_LENGTH_SIZE,         // 2 or 3 | 3
    HOL_LENGTH_TWO,
    HOL_LENGTH_THREE,
    HOL_LENGTH_FOUR
} HolFieldLength;

typedef enum HolFieldRange {
    HOL_RANGE_ANY,          // finite
    HOL_RANGE_NOT_NEGATIVE, // >= 0
    HOL_RANGE_POSITIVE,     // > 0
    HOL_RANGE_BETWEEN,      // low <= x <= high
    HOL_RANGE_ZERO_OR,      // 0, or the same
    HOL_RANGE_NOT_ZERO
} HolFieldRange;

typedef enum HolFieldNames {
    HOL_NAMES_NOTHING,
    HOL_NAMES_THING, // a body, joint, .. of the model
    HOL_NAMES_FILE   // a file: its path counts from the file that names it
} HolFieldNames;

typedef struct HolWord { // a list of them ends with name == NULL
    const char *name;
    int value;
    const char *help;
} HolWord;

typedef struct HolField { // a table ends with key == NULL
    const char *key;
    HolFieldType type;
    size_t offset, offset2, size;
    HolFieldLength length;
    const char *fallback; // default as text, NULL: none or said in the help
    const char *unit;
    HolFieldRange range;
    double low, high;
    const char *takes; // the range in words, NULL: as range says
    const HolWord *words;
    const char *form; // name of its notation (HOL_FIELD_OWN)
    int spaces;       // 1: plane only, 2: space only, 0 or 3: both
    int required;
    const char *help;
    HolFieldNames names; // what a text names: parts put their name before it
} HolField;

// field of a key in a table, or NULL
HOL_TOOLS const HolField *hol_field_find(const HolField *table, const char *key);
// value of a word in a list: 1 and *value, else 0
int hol_word_value(const HolWord *words, const char *name, int *value);
// 1 when the value lies in the field's range; else what it must be, e.g. "must be positive", in why
int hol_field_in_range(const HolField *field, double value, char *why, size_t size);
// the numbers a list may hold: smallest and largest count (two counts are allowed, not those
// between)
HOL_TOOLS void hol_field_lengths(HolFieldLength length, int dimensions, int *low, int *high);
// fill an object with the defaults of its table (fields without default stay as they are)
void hol_field_defaults(const HolField *table, void *object);

#endif
