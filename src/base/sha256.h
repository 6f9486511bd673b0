// SPDX-License-Identifier: Apache-2.0
#ifndef HOL_SHA256_H
#define HOL_SHA256_H

#include "base/visibility.h"

#include <stddef.h>
#include <stdint.h>

// a hash of bytes that come in pieces; `end` leaves it as it is, so that more may follow
typedef struct HolSha256 {
    uint32_t k[64], h[8]; // constants of the rounds; the state
    uint64_t size;        // bytes so far
    unsigned char rest[64];
} HolSha256;

HOL_TOOLS void hol_sha256_begin(HolSha256 *s);
HOL_TOOLS void hol_sha256_add(HolSha256 *s, const void *data, size_t size);
HOL_TOOLS void hol_sha256_end(const HolSha256 *s, char out[65]);
// the hash of a text, in hexadecimal
HOL_TOOLS void hol_sha256_text(const void *data, size_t size, char out[65]);

#endif
