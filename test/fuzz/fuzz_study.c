// SPDX-License-Identifier: Apache-2.0
// Studies (holonom sweep): read, sampled, and tried on a model that stands beside them.
#include "fuzz.h"

#include "tools/sweep/study.h"

static const char model[] =
    "holonom: 1\nspace: planar\nparameters: {L: 1, k: 2}\n"
    "bodies:\n  - {name: rod, mass: 1, inertia: 1, position: [L, 0]}\n"
    "joints: [{name: O, type: revolute, between: [ground, {body: rod, at: [-L, 0]}]}]\n"
    "simulation: {end: 0.1, method: rk4, step: 0.1}\n";

static char folder[] = "/tmp/holonom-fuzz-XXXXXX";
static int study = -1; // a file without a name, to which study.yaml leads

static void clean(void) {
    unlink("model.yaml");
    unlink("study.yaml");
    rmdir(folder);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    char path[64];
    (void)argc;
    (void)argv;
    study = fuzz_file((const uint8_t *)"", 0, path);
    FILE *f = mkdtemp(folder) && chdir(folder) == 0 ? fopen("model.yaml", "w") : NULL;
    if (!f || fputs(model, f) < 0 || fclose(f) != 0 || symlink(path, "study.yaml") != 0)
        return 1;
    atexit(clean);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static HolStudy s;
    HolError err;
    if (ftruncate(study, 0) != 0 || (size && pwrite(study, data, size, 0) != (ssize_t)size))
        abort();
    if (hol_study_load("study.yaml", NULL, &s, &err) == HOL_OK)
        for (long run = 0; run < s.runs && run < 8; run++)
            for (int k = 0; k < s.n_vary; k++)
                (void)hol_study_value(&s, run, k);
    hol_study_free(&s);
    return 0;
}
