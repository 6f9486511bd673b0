// SPDX-License-Identifier: Apache-2.0
// Tables of numbers: results and tables of models.
#include "fuzz.h"

#include "io/csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    HolArena arena = {0};
    HolCsv csv;
    HolError err;
    char *text = fuzz_text(data, size);
    hol_csv_parse(&arena, text, size, "fuzz.csv", &csv, &err);
    hol_arena_free(&arena);
    free(text);
    return 0;
}
