// SPDX-License-Identifier: Apache-2.0
// Reference problems of friction, stops, contacts and events (bench/references/references.h).
//   references [--all] [-o FILE]
// prints the page docs/references.md; exit 1 when a figure is outside of what is allowed. `--all`: other
// methods too, which takes some minutes.
#include "references/references.h"

#include <string.h>

#ifndef HOL_SOURCE_DIR
#define HOL_SOURCE_DIR "."
#endif

int main(int argc, char **argv) {
    const char *path = NULL;
    int all = 0;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--all")) {
            all = 1;
        } else if (!strcmp(argv[i], "-o") && i + 1 < argc) {
            path = argv[++i];
        } else {
            fprintf(stderr, "usage: references [--all] [-o FILE]\n");
            return 2;
        }
    }
    FILE *out = path ? fopen(path, "w") : stdout;
    if (!out) {
        fprintf(stderr, "references: %s cannot be written\n", path);
        return 2;
    }
    const int failed = rf_print_page(out, HOL_SOURCE_DIR, all);
    const int written = !path || fclose(out) == 0;
    return failed || !written ? 1 : 0;
}
