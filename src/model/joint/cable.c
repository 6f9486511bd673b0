// SPDX-License-Identifier: Apache-2.0
// A cable of constant length over points P_0 .. P_n of bodies, always taut, without friction:
//     sum_i |P_i - P_(i-1)| = length
// Its tension is the multiplier, the same in every part. Parts within one body have a constant
// length. A block and tackle names its points several times.
#include "model/joint/joint.h"

#include <math.h>
#include <string.h>

// the row of one part, or its length where both ends are on one body; 0: a problem
static int cable_part(HolModel *m, const HolJoint *j, const HolAttach *from, const HolAttach *to,
                      HolRow *row, double *length, HolError *err) {
    *row = hol_row_new(m, hol_joint_in_plane(m) ? &hol_row_length2 : &hol_row_length3, from->body,
                       to->body);
    memcpy(row->sa, from->at, sizeof row->sa);
    memcpy(row->sb, to->at, sizeof row->sb);
    *length = hol_row_initial(m, row);
    if (*length > 1e-9)
        return 1;
    hol_problem_error(m, err, j->def.line, j->def.column,
                      "joint '%s': two places of the cable that follow each other coincide, and "
                      "the direction of this part is not defined",
                      j->def.name);
    return 0;
}

static int build_cable(HolModel *m, HolJoint *j, HolError *err) {
    const int parts = j->def.n_over - 1;
    HolTerm *terms = HOL_NEW(&m->arena, HolTerm, parts);
    HolAttach ends[2];
    double length = 0, fixed = 0;
    int n = 0;
    if (!terms || !hol_resolve(m, &j->def.over[0], j->def.name, &ends[0], err))
        return 0;
    for (int i = 0; i < parts; i++) {
        HolRow row;
        double part;
        const HolAttach *from = &ends[i % 2];
        HolAttach *to = &ends[(i + 1) % 2];
        if (!hol_resolve(m, &j->def.over[i + 1], j->def.name, to, err) ||
            !cable_part(m, j, from, to, &row, &part, err))
            return 0;
        length += part;
        if (from->body == to->body) {
            fixed += part;
            continue;
        }
        terms[n] = (HolTerm){hol_add_row(m, &row), 1};
        if (terms[n++].row < 0)
            return 0;
    }
    if (!isnan(j->def.length))
        length = j->def.length;
    if (!(length > fixed)) {
        hol_problem_error(m, err, j->def.line, j->def.column,
                          "joint '%s': the cable is too short: %g m, of which %g m lie within one "
                          "body",
                          j->def.name, length, fixed);
        return 0;
    }
    return hol_add_equation(m, j->def.name, terms, n, NULL, length - fixed, 1) >= 0;
}

const HolKind hol_joint_kind_cable = {
    .name = "cable",
    .spaces = HOL_EVERYWHERE,
    .help = "cable of constant length over points, taut: the sum of the distances is kept",
    .fields = (const char *const[]){"over", "length", NULL},
    .flags = HOL_KIND_OVER,
    .build_joint = build_cable,
};
