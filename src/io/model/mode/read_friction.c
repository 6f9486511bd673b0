// SPDX-License-Identifier: Apache-2.0
// `friction:` and `limits:` of a joint.
#include "io/model/read.h"

#include "model/fields.h"

void hol_read_friction(HolReader *r, const HolNode *map, HolFrictionDef *def) {
    static const HolMapReader how = {.table = hol_friction_fields};
    if (!hol_expect(r, map, HOL_NODE_MAP, "friction"))
        return;
    def->given = 1;
    def->line = map->line;
    def->column = map->column;
    hol_read_map(r, map, &how, def);
}

void hol_read_limits(HolReader *r, const HolNode *map, HolLimitsDef *def) {
    static const HolMapReader how = {.table = hol_limits_fields};
    if (!hol_expect(r, map, HOL_NODE_MAP, "limits"))
        return;
    def->given = 1;
    def->line = map->line;
    def->column = map->column;
    hol_read_map(r, map, &how, def);
}
