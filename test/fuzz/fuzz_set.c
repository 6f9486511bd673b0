// SPDX-License-Identifier: Apache-2.0
// Settings (--set KEY=VALUE, a line each) of a model with every section.
#include "fuzz.h"

#include "holonom/holonom.h"

static const char model_text[] =
    "holonom: 1\nspace: planar\nparameters: {L: 1, k: 2}\ntables: {t: {x: [0, 1], y: [0, 1]}}\n"
    "bodies:\n  - {name: rod, mass: 1, inertia: 1, position: [L, 0], points: {p: [1, 0]},\n"
    "     shape: {type: cylinder, from: p, to: [0, 0], radius: 0.1}}\n"
    "joints: [{name: O, type: revolute, between: [ground, rod.p]}]\n"
    "forces: [{type: torque, on: rod, value: \"k*time\"}]\nvariables: [{name: s, value: rod.x}]\n"
    "simulation: {end: 1, method: tangent, step: 0.1}\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    HolSetting settings[8];
    HolModel *model = NULL;
    HolSimOptions options;
    HolError err;
    int n = 0;
    char *text = fuzz_text(data, size), *rest = text;
    for (char *line; size < 4000 && n < 8 && (line = strsep(&rest, "\n"));) {
        char *equal = strchr(line, '=');
        if (!equal)
            continue;
        *equal = 0;
        settings[n++] = (HolSetting){line, equal + 1};
    }
    hol_model_parse(model_text, sizeof model_text - 1, "fuzz.yaml", settings, n, &model, &options,
                    &err);
    hol_model_destroy(model);
    free(text);
    return 0;
}
