// SPDX-License-Identifier: Apache-2.0
// Meshes of bodies.
#include "fuzz.h"

#include "tools/report/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    HolArena arena = {0};
    HolError err;
    const float *xyz;
    long count;
    char path[64];
    const int fd = fuzz_file(data, size, path);
    hol_report_mesh(&arena, path, &xyz, &count, &err);
    hol_arena_free(&arena);
    close(fd);
    return 0;
}
