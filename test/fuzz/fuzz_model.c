// SPDX-License-Identifier: Apache-2.0
// Model files.
#include "fuzz.h"

#include "holonom/holonom.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    HolModel *model = NULL;
    HolSimOptions options;
    HolError err;
    char *text = fuzz_text(data, size);
    if (size < 20000)
        hol_model_parse(text, size, "fuzz.yaml", NULL, 0, &model, &options, &err);
    hol_model_destroy(model);
    free(text);
    return 0;
}
