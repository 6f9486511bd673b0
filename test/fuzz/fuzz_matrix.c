// SPDX-License-Identifier: Apache-2.0
// Matrices of modal bodies (Matrix Market).
#include "fuzz.h"

#include "io/modal/matrix_market.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    enum { ROWS = 60 };
    HolArena arena = {0};
    HolError err;
    int n = 0;
    char *text = fuzz_text(data, size);
    const double *A = hol_matrix_market(&arena, text, "fuzz.mtx", ROWS, &n, &err);
    // every number that it tells of is there, and it is symmetric
    for (int i = 0; A && i < n; i++)
        for (int j = 0; j < i; j++)
            if (memcmp(&A[(size_t)n * (size_t)j + (size_t)i], &A[(size_t)n * (size_t)i + (size_t)j],
                       sizeof *A) != 0)
                abort();
    hol_arena_free(&arena);
    free(text);
    return 0;
}
