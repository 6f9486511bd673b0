// SPDX-License-Identifier: Apache-2.0
// Problems published by others, ours beside them (bench/scoreboard/scoreboard.h).
//   scoreboard [--only TEXT] [--method NAME] [--repeats N] [--table FILE] [-o FILE]
// prints the page docs/scoreboard.md; exit 1 when a deviation exceeds its limit. `--repeats 0`
// leaves the times out.
#include "scoreboard/scoreboard.h"

#include <stdlib.h>
#include <string.h>

#ifndef HOL_SOURCE_DIR
#define HOL_SOURCE_DIR "."
#endif

static int usage(void) {
    fprintf(stderr, "usage: scoreboard [--only TEXT] [--method NAME] [--repeats N] [--table FILE] "
                    "[-o FILE]\n");
    return 2;
}

static int run_all(const SbTable *t, const char *only, const char *method, int repeats,
                   const char *path) {
    SbResult *results = calloc((size_t)t->n, sizeof *results);
    int n = 0, failed = 0;
    if (!results)
        return 2;
    for (int i = 0; i < t->n; i++) {
        if (only && !strstr(t->items[i].name, only))
            continue;
        fprintf(stderr, "%s\n", t->items[i].name);
        sb_solve(HOL_SOURCE_DIR, &t->items[i], method, repeats, &results[n]);
        failed += results[n++].failed;
    }
    FILE *out = path ? fopen(path, "w") : stdout;
    if (!out) {
        fprintf(stderr, "scoreboard: %s cannot be written\n", path);
        failed = 1;
    } else {
        sb_print_page(out, results, n, method);
        if (path && fclose(out) != 0)
            failed = 1;
    }
    sb_print_failures(stderr, results, n);
    for (int i = 0; i < n; i++)
        sb_result_free(&results[i]);
    free(results);
    return failed || !n ? 1 : 0;
}

int main(int argc, char **argv) {
    const char *only = NULL, *method = SB_METHOD, *path = NULL,
               *table = HOL_SOURCE_DIR "/bench/scoreboard/problems.txt";
    int repeats = 7;
    for (int i = 1; i + 1 < argc; i += 2) {
        const char *a = argv[i], *value = argv[i + 1];
        if (!strcmp(a, "--only"))
            only = value;
        else if (!strcmp(a, "--method"))
            method = value;
        else if (!strcmp(a, "--repeats"))
            repeats = atoi(value);
        else if (!strcmp(a, "--table"))
            table = value;
        else if (!strcmp(a, "-o"))
            path = value;
        else
            return usage();
    }
    if (argc % 2 == 0)
        return usage();
    SbTable t;
    static HolError err;
    int status = 2;
    if (sb_table_read(table, &t, &err))
        status = run_all(&t, only, method, repeats, path);
    else
        fprintf(stderr, "scoreboard: %s\n", err.text);
    sb_table_free(&t);
    return status;
}
