// SPDX-License-Identifier: Apache-2.0
// The files that a model text and its settings name: see studio_names.c.
#ifndef HOL_STUDIO_NAMES_H
#define HOL_STUDIO_NAMES_H

#include "base/arena.h"
#include "base/error.h"

typedef struct HolStudioName {
    const char *name;
    int line, column; // 0: of a setting
} HolStudioName;

// every value of a key `file` or `include`, in the arena; settings are "key=value". -1: no memory.
// A text that is no YAML names nothing.
int hol_studio_names(HolArena *arena, const char *text, size_t length, const char *const *settings,
                     int n, const HolStudioName **out);

#endif
