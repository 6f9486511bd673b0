// SPDX-License-Identifier: Apache-2.0
#ifndef HOL_SHA256_H
#define HOL_SHA256_H

#include "base/visibility.h"

// the hash of a text, in hexadecimal
HOL_TOOLS void hol_sha256_text(const void *data, size_t size, char out[65]);

#endif
