// SPDX-License-Identifier: Apache-2.0
// The text of a model file as its writer sees it: where the keys and values of bodies, joints and
// forces stand, in bytes, so that some can be replaced and all else stays as it is.
#ifndef HOL_IO_MODEL_TEXT_H
#define HOL_IO_MODEL_TEXT_H

#include "holonom/error.h"

typedef struct HolTextPair {  // a key and its value
    char key[32], value[128]; // value: where it is plain text
    size_t at, begin, end;    // bytes: of the key, of the value, behind it
    int indent, quoted;       // columns before the key; it stands in quotes
} HolTextPair;

enum { HOL_TEXT_PAIRS = 32 };

typedef struct HolTextItem { // an entry of a list
    int flow;                // {..}, not a block
    HolTextPair pair[HOL_TEXT_PAIRS];
    int n;
} HolTextItem;

typedef HolStatus HolTextTake(void *user, const char *section, const HolTextItem *item);

// Calls `take` for every entry of the lists under these keys of the file (ends with NULL). A status of
// `take` ends it. HOL_ERR_UNSUPPORTED with a reason: not YAML, or an entry that stands elsewhere.
HolStatus hol_model_text_walk(const char *text, size_t length, const char *const *sections,
                              HolTextTake *take, void *user, const char **why);
const HolTextPair *hol_text_item_find(const HolTextItem *item, const char *key); // or NULL

#endif
