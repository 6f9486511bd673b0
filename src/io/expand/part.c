// SPDX-License-Identifier: Apache-2.0
// Frames of parts:  r = r_part + A_part s,  p = p_part p_s.
#include "io/expand/part.h"

#include "math/vec.h"

#include <string.h>

const HolPart *hol_node_frame(const HolNode *node) {
    const HolPart *part = node && node->origin ? node->origin->part : NULL;
    return part && part->moved ? part : NULL;
}

void hol_part_direction(const HolPart *part, double x[3]) {
    Mat3 A;
    if (!part || !part->turned)
        return;
    memcpy(A.m, part->A, sizeof A.m);
    v3_store(x, m3_mulv(A, v3_load(x)));
}

void hol_part_point(const HolPart *part, double x[3]) {
    hol_part_direction(part, x);
    for (int i = 0; part && i < 3; i++)
        x[i] += part->at[i];
}

void hol_part_orientation(const HolPart *part, double p[4]) {
    if (part && part->turned)
        q_store(p, q_normalize(q_mul(q_load(part->p), q_load(p))));
}

void hol_part_compose(const HolPart *outer, HolPart *inner) {
    hol_part_point(outer, inner->at);
    hol_part_orientation(outer, inner->p);
    if (outer)
        inner->angle += outer->angle;
    inner->moved |= outer && outer->moved;
    inner->turned |= outer && outer->turned;
    Mat3 A = q_matrix(q_load(inner->p));
    memcpy(inner->A, A.m, sizeof A.m);
}
