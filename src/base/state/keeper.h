// SPDX-License-Identifier: Apache-2.0
// Keeper: the numbers of an object as a byte string, and back. An object lists its numbers once, in
// a function `keep(object, keeper)`; the same walk counts the bytes, writes them, compares them with
// a string that was read, and takes them from it. A record is
//     FNV-1a hash of its name (8 bytes), length (8 bytes), the numbers themselves
// so that a string of another version, model or method is noticed before anything is changed.
// Pointers are never kept: an object is made first, as always, and then filled.
#ifndef HOL_BASE_KEEPER_H
#define HOL_BASE_KEEPER_H

#include <stddef.h>
#include <stdint.h>

typedef enum { HOL_KEEP_COUNT, HOL_KEEP_WRITE, HOL_KEEP_CHECK, HOL_KEEP_READ } HolKeepMode;

typedef struct HolKeeper {
    HolKeepMode mode;
    unsigned char *bytes;
    size_t size, at;
    const char *wrong; // the first record that does not fit; NULL: all do so far
} HolKeeper;

// n numbers at p; with n = 0 p may be NULL
void hol_keep(HolKeeper *k, const char *name, void *p, size_t bytes);
// a number that the walk depends on: `value` when writing, the one of the string when reading
int hol_keep_number(HolKeeper *k, const char *name, int value, int least, int most);
// the string does not fit at this record
void hol_keep_wrong(HolKeeper *k, const char *name);
int hol_keep_reads(const HolKeeper *k);                                 // CHECK or READ
uint64_t hol_keep_hash(uint64_t start, const void *data, size_t bytes); // FNV-1a
uint64_t hol_keep_sum(const void *data, size_t bytes);                  // a quick checksum
#define HOL_KEEP_HASH_START UINT64_C(14695981039346656037)

// a member without pointers in it; an array of n numbers (NULL where there is none)
#define HOL_KEEP(k, member) hol_keep((k), #member, &(member), sizeof(member))
#define HOL_KEEP_ARRAY(k, array, n)                                                                \
    hol_keep((k), #array, (array), (array) ? sizeof *(array) * (size_t)(n) : 0)

#endif
