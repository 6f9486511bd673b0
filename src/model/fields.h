// SPDX-License-Identifier: Apache-2.0
// The field tables of the definitions and options in holonom.h: the keys of a model file.
#ifndef HOL_MODEL_FIELDS_H
#define HOL_MODEL_FIELDS_H

#include "base/field.h"
#include "base/visibility.h"
#include "model/kind.h"

HOL_TOOLS extern const HolField hol_file_fields[];       // the file itself (no struct)
HOL_TOOLS extern const HolField hol_body_fields[];       // HolBodyDef
HOL_TOOLS extern const HolField hol_point_fields[];      // HolPointDef
HOL_TOOLS extern const HolField hol_shape_fields[];      // HolShapeDef
HOL_TOOLS extern const HolField hol_ref_fields[];        // HolRef
HOL_TOOLS extern const HolField hol_joint_fields[];      // HolJointDef
HOL_TOOLS extern const HolField hol_force_fields[];      // HolForceDef
HOL_TOOLS extern const HolField hol_table_fields[];      // HolTableDef
HOL_TOOLS extern const HolField hol_motion_fields[];     // HolMotionDef
HOL_TOOLS extern const HolField hol_constraint_fields[]; // HolConstraintDef
HOL_TOOLS extern const HolField hol_variable_fields[];   // HolVariableDef
HOL_TOOLS extern const HolField hol_simulation_fields[]; // HolSimOptions
HOL_TOOLS extern const HolField hol_error_fields[];      // HolErrorOptions
HOL_TOOLS extern const HolField hol_method_fields[];     // HolMethodOptions: common to all methods

extern const HolWord hol_space_words[]; // planar, spatial

#endif
