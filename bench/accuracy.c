// SPDX-License-Identifier: Apache-2.0
// What a tolerance means: achieved error / tolerance of every adaptive method over the mechanisms
// of test/accuracy (see bench/accuracy/accuracy.h for the definition of the error).
//   accuracy [--methods a,b] [--tolerances 1e-4,1e-6] [--set accuracy|models] [--only TEXT]
//            [--apart] [--slopes] [--verbose] [--limit SECONDS]    the table
//   accuracy --cost [--csv FILE] [--repeats N] [--instructions] .. cost at equal achieved error
//   accuracy --one --set cost --only NAME --methods M --tolerances T   one run, for callgrind
//   accuracy --reference [--rows N] ..                             references anew
#include "accuracy/accuracy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef HOL_SOURCE_DIR
#define HOL_SOURCE_DIR "."
#endif

static const char all_methods[] =
    "default,tangent,taylor,radau,rk853,rk3,rk4,newmark,hht,generalized-alpha,"
    "hht/control=proportional,dae-alpha,bdf,central-differences,explicit3,explicit4,explicit5";

static int usage(void) {
    fprintf(
        stderr,
        "usage: accuracy [--methods a,b] [--tolerances 1e-4,1e-6,1e-8] [--set accuracy|models]"
        "\n                [--only TEXT] [--apart] [--slopes] [--verbose] [--limit SECONDS]\n"
        "       accuracy --cost [--csv FILE] [--repeats N] [--instructions] [--methods a,b] ..\n"
        "       accuracy --reference [--rows N] [--set NAME] [--only TEXT] [--verbose]\n"
        "methods: NAME or NAME/key=value, of %s\n",
        all_methods);
    return 2;
}

int main(int argc, char **argv) {
    AccOptions o = {.root = HOL_SOURCE_DIR, .tolerances = "1e-4,1e-6,1e-8", .limit = 10};
    const char *csv = NULL;
    int cost = 0, reference = 0, one = 0, repeats = 5, rows = 24;
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        int used = 1;
        if (!strcmp(a, "--methods") && value)
            o.methods = value;
        else if (!strcmp(a, "--tolerances") && value)
            o.tolerances = value;
        else if (!strcmp(a, "--set") && value)
            o.set = value;
        else if (!strcmp(a, "--only") && value)
            o.only = value;
        else if (!strcmp(a, "--limit") && value)
            o.limit = strtod(value, NULL);
        else if (!strcmp(a, "--csv") && value)
            csv = value;
        else if (!strcmp(a, "--repeats") && value)
            repeats = atoi(value);
        else if (!strcmp(a, "--rows") && value)
            rows = atoi(value);
        else {
            used = 0;
            o.verbose |= !strcmp(a, "--verbose");
            o.slopes |= !strcmp(a, "--slopes");
            o.apart |= !strcmp(a, "--apart");
            cost |= !strcmp(a, "--cost");
            reference |= !strcmp(a, "--reference");
            one |= !strcmp(a, "--one");
            o.instructions |= !strcmp(a, "--instructions");
            if (!strstr("--verbose --slopes --apart --cost --reference --one --instructions", a))
                return usage();
        }
        i += used;
    }
    if (!o.set)
        o.set = cost ? "cost" : "accuracy";
    if (!o.methods)
        o.methods = cost ? "tangent,taylor,rk853,radau" : all_methods;
    if (one)
        return acc_cost_one(&o);
    return reference ? acc_make(&o, rows) : cost ? acc_cost_table(&o, csv, repeats) : acc_table(&o);
}
