// SPDX-License-Identifier: Apache-2.0
// Names by hashing (FNV-1a, open addressing, at most half full).
#include "base/name_table.h"

#include <string.h>

static unsigned hash(const char *name) {
    unsigned h = 2166136261u;
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 16777619u;
    return h;
}

// slot of the name, or the free slot where it belongs
static int find_slot(const HolNameTable *names, const char *name) {
    unsigned mask = (unsigned)names->n_slots - 1, i = hash(name) & mask;
    while (names->slots[i] && strcmp(names->entries[names->slots[i] - 1].name, name) != 0)
        i = (i + 1) & mask;
    return (int)i;
}

const HolNameEntry *hol_name_table_find(const HolNameTable *names, const char *name) {
    if (!names->n_slots)
        return NULL;
    int slot = names->slots[find_slot(names, name)];
    return slot ? &names->entries[slot - 1] : NULL;
}

int hol_name_table_number(const HolNameTable *names, const char *name) {
    const HolNameEntry *entry = name ? hol_name_table_find(names, name) : NULL;
    return entry ? entry->line : -1;
}

static int grow_slots(HolNameTable *names, HolArena *arena) {
    if (2 * (names->n + 1) <= names->n_slots)
        return 1;
    int n_slots = names->n_slots ? 4 * names->n_slots : 64;
    int *slots = HOL_NEW(arena, int, n_slots);
    if (!slots)
        return 0;
    names->slots = slots;
    names->n_slots = n_slots;
    for (int i = 0; i < names->n; i++)
        slots[find_slot(names, names->entries[i].name)] = i + 1;
    return 1;
}

HolNameEntry *hol_name_table_add(HolNameTable *names, HolArena *arena, const char *name,
                                 const void *item, int line) {
    if (!grow_slots(names, arena) || !HOL_GROW(arena, names->entries, names->n, names->capacity))
        return NULL;
    int slot = find_slot(names, name);
    if (names->slots[slot])
        return &names->entries[names->slots[slot] - 1];
    names->entries[names->n] = (HolNameEntry){name, item, 0, line};
    names->slots[slot] = ++names->n;
    return &names->entries[names->n - 1];
}
