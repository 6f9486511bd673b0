// SPDX-License-Identifier: Apache-2.0
// The frame of a part: what its file says of the ground and of global axes holds in this frame.
#ifndef HOL_IO_PART_H
#define HOL_IO_PART_H

#include "io/yaml.h"

typedef struct HolPart {
    const char *name; // with those of the parts around it: "leg1.foot"
    int moved;        // 0: its frame is the global one
    int turned;       // 0: its axes are parallel to the global ones
    double at[3];     // origin, global axes
    double angle;     // plane
    double p[4];      // quaternion, axes of the part -> global axes (plane: about z)
    double A[9];      // the same as a matrix, row by row
} HolPart;

// the frame that a node's numbers count in; NULL: the global one
const HolPart *hol_node_frame(const HolNode *node);
// the part of a part, both in global axes
void hol_part_compose(const HolPart *outer, HolPart *inner);
// coordinates in the frame -> global ones; nothing changes without a part
void hol_part_point(const HolPart *part, double x[3]);
void hol_part_direction(const HolPart *part, double x[3]);
void hol_part_orientation(const HolPart *part, double p[4]); // quaternion

#endif
