// SPDX-License-Identifier: Apache-2.0
// The field tables of the definitions and options in holonom.h: the keys of a model file.
#ifndef HOL_MODEL_FIELDS_H
#define HOL_MODEL_FIELDS_H

#include "base/field.h"
#include "model/kind.h"

extern const HolField hol_file_fields[];       // the file itself (no struct)
extern const HolField hol_body_fields[];       // HolBodyDef
extern const HolField hol_point_fields[];      // HolPointDef
extern const HolField hol_shape_fields[];      // HolShapeDef
extern const HolField hol_ref_fields[];        // HolRef
extern const HolField hol_joint_fields[];      // HolJointDef
extern const HolField hol_force_fields[];      // HolForceDef
extern const HolField hol_table_fields[];      // HolTableDef
extern const HolField hol_motion_fields[];     // HolMotionDef
extern const HolField hol_constraint_fields[]; // HolConstraintDef
extern const HolField hol_variable_fields[];   // HolVariableDef
extern const HolField hol_simulation_fields[]; // HolSimOptions
extern const HolField hol_error_fields[];      // HolErrorOptions
extern const HolField hol_method_fields[];     // HolMethodOptions

// kinds of bodies, with the keys they take besides name and type; ends with name == NULL
extern const HolKind hol_body_kind_list[];

extern const HolWord hol_space_words[]; // planar, spatial

#endif
