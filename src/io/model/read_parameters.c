// SPDX-License-Identifier: Apache-2.0
// Parameters: constants, in the order written.
#include "io/model/read.h"

#include "model/model.h"

#include <stdio.h>
#include <string.h>

static const char *const reserved[] = {"time",       "pi",   "ground", "energy",
                                       "constraint", "step", "if",     "interp"};

const char *hol_read_free_name(HolReader *r, const HolNode *key, const char *word) {
    const char *name = hol_read_name(r, key, "name");
    for (size_t i = 0; name && i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(reserved[i], name) == 0) {
            hol_read_problem(r, key, -1, "%s name '%s' is reserved: choose another", word, name);
            return NULL;
        }
    return name;
}

void hol_read_parameters(HolReader *r, const HolNode *map) {
    if (!hol_expect(r, map, HOL_NODE_MAP, "parameters"))
        return;
    snprintf(r->what, sizeof r->what, "parameters");
    r->parameter_map = map;
    for (int i = 0; i < map->n; i++) {
        double value = 1; // goes on after a problem, so that uses of the name are no problems too
        const char *name = hol_read_free_name(r, &map->keys[i], "parameter");
        int ok = hol_read_number(r, &map->values[i], map->keys[i].text, &value);
        if (!name || hol_name_table_find(&r->parameters, name))
            continue;
        HolNameEntry *entry =
            hol_name_table_add(&r->parameters, r->arena, name, NULL, map->keys[i].line);
        if (entry)
            entry->value = value;
        if (ok && hol_add_parameter(r->model, name, value, r->err) != HOL_OK)
            r->problems++;
    }
    r->what[0] = 0;
}
