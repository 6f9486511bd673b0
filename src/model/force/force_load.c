// SPDX-License-Identifier: Apache-2.0
// Distributed loads: a force per length along a beam, on its nodes with the weights of their masses:
// q l w_i on node i, so that a load like the weight leaves a free rod straight. Axes: global, or
// those of the nodes (frame: body), which turn with the rod. With consistent mass a load in global axes
// is that of the cubic field: q l on inner nodes, q l/2 at l/6 inside of either end.
#include "model/body/beam.h"
#include "model/force/force.h"

#include <stdio.h>
#include <string.h>

static int build_load(HolModel *m, HolForce *f, HolError *err) {
    const int plane = m->space == HOL_PLANAR, n = plane ? 2 : 3,
              follows = f->def.frame == HOL_FRAME_BODY, force = (int)(f - m->def.forces);
    const char *name = f->def.on.body ? f->def.on.body : "";
    const int beam = hol_beam_find(m, name, strlen(name));
    const HolRowKind *kind = plane ? (follows ? &hol_row_push2 : &hol_row_point2)
                                   : (follows ? &hol_row_push3 : &hol_row_point3);
    if (beam < 0 || f->def.n_value != n) {
        hol_problem_error(m, err, f->def.line, f->def.column,
                          beam < 0
                              ? "force '%s': there is no beam '%s': a load acts on a whole beam"
                              : "force '%s': per_length of '%s' must have a component per axis",
                          f->def.name, name);
        return 0;
    }
    const HolBeam *b = &m->beams.list[beam];
    f->on.body = b->first;
    for (int i = 0; i <= b->n; i++)
        for (int k = 0; k < n; k++) {
            const int cubic = b->consistent && !follows;
            const double l = b->length / b->n,
                         weight = l * (cubic ? hol_beam_half(i, b->n) : hol_beam_weight(i, b->n));
            const size_t size = strlen(f->def.value[k]) + 40;
            char *text = hol_arena_alloc(&m->arena, size);
            double value;
            if (!text)
                return 0;
            snprintf(text, size, "(%s)*%.17g", f->def.value[k], weight);
            HolExpr *e = hol_force_expr(m, f, "per_length", text, err);
            if (!e)
                return 0;
            if (hol_expr_is_constant(e, &value) && value == 0)
                continue;
            HolRow row = hol_row_new(m, kind, 0, b->first + i);
            (follows ? row.ub : row.ua)[k] = 1;
            if (cubic)
                row.sb[0] = i == 0 ? l / 6 : i == b->n ? -l / 6 : 0;
            const int r = hol_add_row(m, &row);
            if (r < 0 || hol_add_element(m, force, r, 0, 0, 0, e) < 0)
                return 0;
        }
    return 1;
}

const HolKind hol_force_kind_load = {
    .name = "load",
    .spaces = HOL_EVERYWHERE,
    .help = "force per length along a beam, in global axes or those of its nodes",
    .fields = (const char *const[]){"acts_on", "on", "per_length", "frame", NULL},
    .flags = HOL_KIND_ON_BEAM,
    .build_force = build_load,
};
