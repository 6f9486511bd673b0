// SPDX-License-Identifier: Apache-2.0
// Records of a byte string, see keeper.h.
#include "base/state/keeper.h"

#include <string.h>

enum { HEAD = 16 };

uint64_t hol_keep_hash(uint64_t start, const void *data, size_t bytes) {
    const unsigned char *p = data;
    for (size_t i = 0; i < bytes; i++)
        start = (start ^ p[i]) * UINT64_C(1099511628211);
    return start;
}

// eight bytes at a time; every bit of a word reaches the upper half by the product, and from there all
uint64_t hol_keep_sum(const void *data, size_t bytes) {
    const unsigned char *p = data;
    uint64_t sum = HOL_KEEP_HASH_START ^ bytes;
    for (; bytes >= 8; bytes -= 8, p += 8) {
        uint64_t word;
        memcpy(&word, p, sizeof word);
        sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        sum ^= sum >> 29;
    }
    return hol_keep_hash(sum, p, bytes);
}

int hol_keep_reads(const HolKeeper *k) {
    return k->mode == HOL_KEEP_CHECK || k->mode == HOL_KEEP_READ;
}

void hol_keep_wrong(HolKeeper *k, const char *name) {
    if (!k->wrong)
        k->wrong = name;
}

// the place of a record's numbers; NULL: there is none (counted only, or it does not fit)
static unsigned char *keeper_record(HolKeeper *k, const char *name, size_t bytes) {
    const uint64_t head[2] = {hol_keep_hash(HOL_KEEP_HASH_START, name, strlen(name)), bytes};
    if (k->mode == HOL_KEEP_COUNT) {
        k->at += HEAD + bytes;
        return NULL;
    }
    if (k->wrong)
        return NULL;
    if (k->size - k->at < HEAD || k->size - k->at - HEAD < bytes) {
        hol_keep_wrong(k, name);
        return NULL;
    }
    unsigned char *here = k->bytes + k->at;
    if (k->mode == HOL_KEEP_WRITE)
        memcpy(here, head, HEAD);
    else if (memcmp(here, head, HEAD) != 0) {
        hol_keep_wrong(k, name);
        return NULL;
    }
    k->at += HEAD + bytes;
    return here + HEAD;
}

void hol_keep(HolKeeper *k, const char *name, void *p, size_t bytes) {
    unsigned char *at = keeper_record(k, name, bytes);
    if (!at || bytes == 0)
        return;
    if (k->mode == HOL_KEEP_WRITE)
        memcpy(at, p, bytes);
    else if (k->mode == HOL_KEEP_READ)
        memcpy(p, at, bytes);
}

int hol_keep_number(HolKeeper *k, const char *name, int value, int least, int most) {
    int number = value;
    unsigned char *at = keeper_record(k, name, sizeof number);
    if (at && k->mode == HOL_KEEP_WRITE)
        memcpy(at, &number, sizeof number);
    else if (at)
        memcpy(&number, at, sizeof number);
    if (number >= least && number <= most)
        return number;
    hol_keep_wrong(k, name);
    return value;
}
