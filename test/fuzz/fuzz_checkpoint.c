// SPDX-License-Identifier: Apache-2.0
// Checkpoints: the bytes as they are, and with a head and a SHA-256 that fit, so that the records are
// reached. (The run inside is restored only by its owner, see checkpoint_file.c; its checksum and
// records are tested with the bytes of the fuzzer all the same.)
#include "fuzz.h"

#include "base/sha256.h"
#include "holonom/holonom.h"
#include "io/checkpoint/checkpoint.h"

enum { HEAD = 28, DIGEST = 64 };

static void take(unsigned char *bytes, size_t size) {
    HolCheckpointParts parts;
    HolError err;
    if (hol_checkpoint_unpack(bytes, size, "fuzz.ck", &parts, &err) != HOL_OK)
        return;
    // everything that it tells is there
    volatile unsigned char sum = 0;
    for (uint64_t i = 0; i < parts.own_size; i++)
        sum = (unsigned char)(sum + ((const unsigned char *)parts.own)[i]);
    for (uint64_t i = 0; i < parts.run_size; i++)
        sum = (unsigned char)(sum + ((const unsigned char *)parts.run)[i]);
    hol_checkpoint_same("fuzz.ck", parts.identity, "version 0\nmodel 0\n", &err);
    hol_checkpoint_same("fuzz.ck", "version 0\nmodel 0\n", parts.identity, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    unsigned char *bytes = (unsigned char *)fuzz_text(data, size);
    take(bytes, size);
    free(bytes);
    // the same as records of a whole file
    const size_t length = HEAD + size;
    char sha256[65];
    static const uint32_t numbers[2] = {1, 0x01020304};
    bytes = malloc(length + DIGEST);
    if (!bytes)
        abort();
    memset(bytes, 0, HEAD);
    memcpy(bytes, "holonom checkpoint", 18);
    memcpy(bytes + 20, numbers, sizeof numbers);
    if (size)
        memcpy(bytes + HEAD, data, size);
    hol_sha256_text(bytes, length, sha256);
    memcpy(bytes + length, sha256, DIGEST);
    take(bytes, length + DIGEST);
    free(bytes);
    return 0;
}
