// SPDX-License-Identifier: Apache-2.0
// A set of names with a value each, for the checks of the reader (fast for large models).
#ifndef HOL_IO_NAMES_H
#define HOL_IO_NAMES_H

#include "base/arena.h"
#include "base/visibility.h"

typedef struct HolNameEntry {
    const char *name;
    const void *item; // what the name stands for
    double value;
    int line; // or its number in a list
} HolNameEntry;

typedef struct HolNameTable {
    HolNameEntry *entries;
    int n, capacity;
    int *slots; // open addressing, entry + 1; 0: free
    int n_slots;
} HolNameTable;

HOL_TOOLS const HolNameEntry *hol_name_table_find(const HolNameTable *names, const char *name);
int hol_name_table_number(const HolNameTable *names, const char *name); // `line` of it; -1: none
// NULL without memory; a name that is there already is not added again (its entry is returned)
HOL_TOOLS HolNameEntry *hol_name_table_add(HolNameTable *names, HolArena *arena, const char *name,
                                           const void *item, int line);

#endif
