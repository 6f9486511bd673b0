// SPDX-License-Identifier: Apache-2.0
// All primitive rows, so that tests and tools can loop over them.
#include "model/row/row.h"

#include <stddef.h>

const HolRowKind *const hol_row_kinds_plane[] = {&hol_row_point2,     &hol_row_line2,
                                                 &hol_row_length2,    &hol_row_square2,
                                                 &hol_row_angle2,     &hol_row_push2,
                                                 &hol_row_slide2,     &hol_row_rub2,
                                                 &hol_row_coordinate, &hol_row_near2,
                                                 &hol_row_face2,      &hol_row_skid2,
                                                 &hol_row_wipe2,      NULL};

const HolRowKind *const hol_row_kinds_space[] = {&hol_row_point3,
                                                 &hol_row_dot3,
                                                 &hol_row_line3,
                                                 &hol_row_length3,
                                                 &hol_row_square3,
                                                 &hol_row_angle3,
                                                 &hol_row_rotation3,
                                                 &hol_row_push3,
                                                 &hol_row_turn3,
                                                 &hol_row_spin3,
                                                 &hol_row_quaternion,
                                                 &hol_row_touch3,
                                                 &hol_row_roll3,
                                                 &hol_row_slide3,
                                                 &hol_row_rub3,
                                                 &hol_row_coordinate,
                                                 NULL};
