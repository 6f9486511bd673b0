// SPDX-License-Identifier: Apache-2.0
// Values that are constant while the motion is smooth: `discrete:`, which events change, and
// `inputs:`, which come from outside. Maps of names and numbers.
#include "io/model/read.h"

#include "model/model.h"

#include <stdio.h>

static void read_given(HolReader *r, const HolNode *map, const char *section, const char *word,
                       HolGivenKind kind) {
    if (!hol_expect(r, map, HOL_NODE_MAP, section))
        return;
    snprintf(r->what, sizeof r->what, "%s", section);
    for (int i = 0; i < map->n; i++) {
        HolGiven given = {.kind = kind, .line = map->keys[i].line, .column = map->keys[i].column};
        given.name = hol_read_free_name(r, &map->keys[i], word);
        const int ok = hol_read_number(r, &map->values[i], map->keys[i].text, &given.initial);
        if (!given.name)
            continue;
        hol_name_table_add(&r->given_values, r->arena, given.name, NULL, given.line);
        if (ok && hol_add_given(r->model, &given, r->err) != HOL_OK)
            r->problems++;
    }
    r->what[0] = 0;
}

void hol_read_discrete(HolReader *r, const HolNode *map) {
    read_given(r, map, "discrete", "discrete value", HOL_GIVEN_DISCRETE);
}

void hol_read_inputs(HolReader *r, const HolNode *map) {
    read_given(r, map, "inputs", "input", HOL_GIVEN_INPUT);
}
