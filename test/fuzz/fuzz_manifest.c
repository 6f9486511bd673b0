// SPDX-License-Identifier: Apache-2.0
// Manifests of results.
#include "fuzz.h"

#include "io/result/manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    HolArena arena = {0};
    static HolManifest manifest;
    HolError err;
    char *text = fuzz_text(data, size);
    if (size < 20000)
        hol_manifest_read(&arena, text, size, "fuzz.csv.json", &manifest, &err);
    hol_arena_free(&arena);
    free(text);
    return 0;
}
