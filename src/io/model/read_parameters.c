// SPDX-License-Identifier: Apache-2.0
// Parameters: constants, in the order written.
#include "io/model/read.h"

#include "model/expr/function.h"
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

// ---- those that may change while a model runs ----

void hol_read_tunable(HolReader *r, const HolNode *root) {
    const HolNode *list = hol_node_get(root, "tunable");
    if (!list || hol_node_is_null(list) || !hol_expect(r, list, HOL_NODE_LIST, "tunable"))
        return;
    for (int i = 0; i < list->n; i++) {
        const char *name = hol_read_text(r, &list->values[i], "tunable");
        if (name && hol_name_table_find(&r->tunable, name))
            hol_read_problem(r, &list->values[i], -1, "'%.64s' stands twice under 'tunable'", name);
        else if (name)
            hol_name_table_add(&r->tunable, r->arena, name, NULL, list->values[i].line);
    }
}

void hol_read_tunable_end(HolReader *r, const HolNode *root) {
    const HolNode *list = hol_node_get(root, "tunable");
    for (int i = 0; r->tunable.n && i < list->n; i++) {
        const HolNode *node = &list->values[i];
        if (node->type == HOL_NODE_SCALAR && !hol_name_table_find(&r->given_values, node->text))
            hol_read_problem(r, node, -1, "tunable: there is no parameter '%.64s'%s", node->text,
                             hol_read_hint_names(r, node->text, &r->parameters));
    }
}

// it becomes an input of that name, which no constant can depend on
static void read_parameters_tunable(HolReader *r, const HolNode *key, const char *name,
                                    double value) {
    const HolGiven given = {.name = name,
                            .initial = value,
                            .kind = HOL_GIVEN_INPUT,
                            .line = key->line,
                            .column = key->column};
    hol_name_table_add(&r->given_values, r->arena, name, NULL, key->line);
    if (hol_add_given(r->model, &given, r->err) != HOL_OK || !hol_add_tunable(r->model, name))
        r->problems++;
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
        if (hol_name_table_find(&r->tunable, name)) {
            read_parameters_tunable(r, &map->keys[i], name, value);
            continue;
        }
        HolNameEntry *entry =
            hol_name_table_add(&r->parameters, r->arena, name, NULL, map->keys[i].line);
        if (entry)
            entry->value = value;
        if (ok && hol_add_parameter(r->model, name, value, r->err) != HOL_OK)
            r->problems++;
    }
    r->what[0] = 0;
}
