// SPDX-License-Identifier: Apache-2.0
// Curves: smooth lines through points or by a formula, for joints and contacts along them.
#include "io/model/read.h"

#include "model/fields.h"
#include "model/model.h"

#include <stdio.h>
#include <string.h>

// a formula knows s and the parameters
static void formula_name(void *context, const char *name, HolSymbol *out, char suggestion[64]) {
    HolReader *r = context;
    if (strcmp(name, "s") == 0) {
        *out = (HolSymbol){.type = HOL_SYMBOL_SLOT, .slot = 1};
        return;
    }
    hol_read_resolve(r, name, out, suggestion);
    if (out->type != HOL_SYMBOL_CONSTANT) {
        out->type = HOL_SYMBOL_UNKNOWN;
        suggestion[0] = 0;
        snprintf(r->reason, sizeof r->reason, ": a curve knows its s and the parameters");
    }
}

static void read_curve_formula(HolReader *r, const HolField *f, const HolNode *node,
                               HolCurveDef *def) {
    HolExprScope scope = {.context = r, .resolve = formula_name};
    HolExprError error = {0};
    r->reason[0] = 0;
    if (node->type != HOL_NODE_SCALAR || hol_node_is_null(node)) {
        hol_read_problem(r, node, -1, "'%s' must be an expression of s or a number, not %s", f->key,
                         hol_node_describe(node));
        return;
    }
    if (hol_expr_compile(r->arena, node->text, &scope, &error))
        def->formula[f->key[0] - 'x'] = node->text;
    else
        hol_read_problem(r, node, error.column, "'%s': %s%s", f->key, error.text, r->reason);
}

static void read_curve_own(HolReader *r, const HolField *f, const HolNode *list, void *object) {
    HolCurveDef *def = object;
    const int dim = r->dimensions;
    if (strcmp(f->form, "curve formula") == 0) {
        read_curve_formula(r, f, list, def);
        return;
    }
    if (!hol_expect(r, list, HOL_NODE_LIST, f->key))
        return;
    double *points = HOL_NEW(r->arena, double, dim * list->n + 1);
    for (int i = 0; points && i < list->n; i++)
        hol_read_numbers(r, &list->values[i], "point of the curve", dim, dim, points + i * dim,
                         NULL);
    def->points = points;
    def->n = list->n;
}

static void check_curve(HolReader *r, const HolNode *map) {
    const int points = hol_node_find(map, "points");
    int formula = -1;
    for (int k = 0; k < 3 && formula < 0; k++)
        formula = hol_node_find(map, (const char *[]){"x", "y", "z"}[k]);
    if (points < 0 && formula < 0)
        hol_read_problem(r, map, -1, "give 'points', or a formula: x, y of s, and 'to'");
    if (points >= 0 && formula >= 0)
        hol_read_problem(r, &map->keys[formula], -1, "give 'points' or a formula, not both");
    if (points < 0 && formula >= 0 && hol_node_find(map, "to") < 0)
        hol_read_problem(r, map, -1, "a formula needs 'to', the last value of s");
    for (int k = 0; k < 2; k++) {
        const int at = hol_node_find(map, k ? "to" : "from");
        if (points >= 0 && formula < 0 && at >= 0)
            hol_read_problem(r, &map->keys[at], -1, "'%s' belongs to a formula, not to points",
                             map->keys[at].text);
    }
}

void hol_read_curves(HolReader *r, const HolNode *map) {
    static const HolMapReader how = {.table = hol_curve_fields, .own = read_curve_own};
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
        if (hol_expect(r, value, HOL_NODE_MAP, key->text)) {
            hol_read_map(r, value, &how, &def);
            check_curve(r, value);
        }
        if (def.name && r->problems == before && hol_add_curve(r->model, &def, r->err) != HOL_OK)
            r->problems++;
    }
    r->what[0] = 0;
}
