// SPDX-License-Identifier: Apache-2.0
// Curves: smooth lines through points, for joints along them.
#include "io/model/read.h"

#include "model/fields.h"
#include "model/model.h"

#include <stdio.h>

static void read_curve_points(HolReader *r, const HolField *f, const HolNode *list, void *object) {
    HolCurveDef *def = object;
    const int dim = r->dimensions;
    if (!hol_expect(r, list, HOL_NODE_LIST, f->key))
        return;
    double *points = HOL_NEW(r->arena, double, dim * list->n + 1);
    for (int i = 0; points && i < list->n; i++)
        hol_read_numbers(r, &list->values[i], "point of the curve", dim, dim, points + i * dim,
                         NULL);
    def->points = points;
    def->n = list->n;
}

void hol_read_curves(HolReader *r, const HolNode *map) {
    static const HolMapReader how = {.table = hol_curve_fields, .own = read_curve_points};
    if (!hol_expect(r, map, HOL_NODE_MAP, "curves"))
        return;
    for (int i = 0; i < map->n; i++) {
        const HolNode *key = &map->keys[i], *value = &map->values[i];
        HolCurveDef def = hol_curve_def();
        const int before = r->problems;
        def.line = value->line;
        def.column = value->column;
        def.name = hol_read_free_name(r, key, "curve");
        snprintf(r->what, sizeof r->what, "curve '%.64s'", key->text);
        if (hol_expect(r, value, HOL_NODE_MAP, key->text))
            hol_read_map(r, value, &how, &def);
        if (def.name && r->problems == before && hol_add_curve(r->model, &def, r->err) != HOL_OK)
            r->problems++;
    }
    r->what[0] = 0;
}
