// SPDX-License-Identifier: Apache-2.0
// `events:`: when something happens, and what it changes.
#include "io/model/read.h"

#include "model/fields.h"
#include "model/model.h"

#include <stdio.h>
#include <string.h>

static void read_unset(HolReader *r, const HolNode *name) {
    if (hol_name_table_find(&r->parameters, name->text))
        hol_read_problem(r, name, -1,
                         "'%.64s' cannot be set: a parameter stays as it is; write it under "
                         "'discrete:' instead of 'parameters:'",
                         name->text);
    else
        hol_read_problem(r, name, -1,
                         "'%.64s' cannot be set: it is no discrete value, input or state%s",
                         name->text, hol_read_hint_names(r, name->text, &r->given_values));
}

// names and expressions of `set` and `reset`
static void read_changes(HolReader *r, const HolNode *map, const char *key,
                         const char *const **names, const char *const **values, int *n) {
    if (!hol_expect(r, map, HOL_NODE_MAP, key))
        return;
    const char **name = HOL_NEW(r->arena, const char *, map->n + 1);
    const char **value = HOL_NEW(r->arena, const char *, map->n + 1);
    if (!name || !value)
        return;
    for (int i = 0; i < map->n; i++) {
        name[*n] = map->keys[i].text;
        value[*n] = hol_read_expression(r, &map->values[i], map->keys[i].text);
        if (!strcmp(key, "set") && !hol_name_table_find(&r->given_values, name[*n]) &&
            !hol_name_table_find(&r->states, name[*n]))
            read_unset(r, &map->keys[i]);
        if (value[*n])
            ++*n;
    }
    *names = name;
    *values = value;
}

static void read_event_own(HolReader *r, const HolField *f, const HolNode *node, void *object) {
    HolEventDef *def = object;
    if (!strcmp(f->key, "set"))
        read_changes(r, node, f->key, &def->set_names, &def->set_values, &def->n_sets);
    else if (!strcmp(f->key, "record")) {
        const char *text = hol_read_text(r, node, f->key);
        if (text && strcmp(text, "true") != 0 && strcmp(text, "yes") != 0)
            hol_read_problem(r, node, -1,
                             "'record': '%.20s': every event stands in the table of events; leave "
                             "'record' out",
                             text);
    } else if (!strcmp(f->key, "reset"))
        read_changes(r, node, f->key, &def->reset_names, &def->reset_values, &def->n_resets);
}

void hol_read_events(HolReader *r, const HolNode *list) {
    static const HolMapReader how = {.table = hol_event_fields, .own = read_event_own};
    if (!hol_expect(r, list, HOL_NODE_LIST, "events"))
        return;
    for (int i = 0; i < list->n; i++) {
        const HolNode *node = &list->values[i];
        const HolNode *name = hol_node_get(node, "name");
        if (name && name->type == HOL_NODE_SCALAR)
            snprintf(r->what, sizeof r->what, "event '%.64s'", name->text);
        else
            snprintf(r->what, sizeof r->what, "event %d", i + 1);
        if (!hol_expect(r, node, HOL_NODE_MAP, "events"))
            continue;
        HolEventDef def = hol_event_def();
        def.line = node->line;
        def.column = node->column;
        const int before = r->problems;
        hol_read_map(r, node, &how, &def);
        if (r->problems == before && hol_add_event(r->model, &def, r->err) != HOL_OK)
            r->problems++;
    }
    r->what[0] = 0;
}
