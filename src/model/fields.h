// SPDX-License-Identifier: Apache-2.0
// The field tables of the definitions and options in holonom.h: the keys of a model file.
#ifndef HOL_MODEL_FIELDS_H
#define HOL_MODEL_FIELDS_H

#include "base/field.h"
#include "base/visibility.h"
#include "model/kind.h"

HOL_TOOLS extern const HolField hol_material_fields[]; // HolBeamDef, as the next three
HOL_TOOLS extern const HolField hol_stiffness_fields[];
HOL_TOOLS extern const HolField hol_beam_fields[]; // HolBeamDef, before those of bodies
HOL_TOOLS extern const HolField hol_beam_damping_fields[];
HOL_TOOLS extern const HolField hol_arc_fields[];
HOL_TOOLS extern const HolField hol_file_fields[];          // the file itself (no struct)
HOL_TOOLS extern const HolField hol_body_fields[];          // HolBodyDef
HOL_TOOLS extern const HolField hol_point_fields[];         // HolPointDef
HOL_TOOLS extern const HolField hol_shape_fields[];         // HolShapeDef
HOL_TOOLS extern const HolField hol_ref_fields[];           // HolRef
HOL_TOOLS extern const HolField hol_joint_fields[];         // HolJointDef
HOL_TOOLS extern const HolField hol_force_fields[];         // HolForceDef
HOL_TOOLS extern const HolField hol_table_fields[];         // HolTableDef
HOL_TOOLS extern const HolField hol_motion_fields[];        // HolMotionDef
HOL_TOOLS extern const HolField hol_constraint_fields[];    // HolConstraintDef
HOL_TOOLS extern const HolField hol_variable_fields[];      // HolVariableDef
HOL_TOOLS extern const HolField hol_curve_fields[];         // HolCurveDef
HOL_TOOLS extern const HolField hol_state_fields[];         // HolStateDef
HOL_TOOLS extern const HolField hol_contact_fields[];       // HolContactDef (contact/contact.h)
HOL_TOOLS extern const HolField hol_contact_side_fields[];  // HolContactSide: body and its shape
HOL_TOOLS extern const HolField hol_contact_round_fields[]; // of a point, circle, sphere
HOL_TOOLS extern const HolField hol_contact_cylinder_fields[];
HOL_TOOLS extern const HolField hol_contact_flat_fields[];     // of a line, plane, flat
HOL_TOOLS extern const HolField hol_contact_friction_fields[]; // HolFrictionDef
HOL_TOOLS extern const HolField hol_hertz_fields[];            // HolContactDef
HOL_TOOLS extern const HolField hol_friction_fields[];         // HolFrictionDef
HOL_TOOLS extern const HolField hol_limits_fields[];           // HolLimitsDef
HOL_TOOLS extern const HolField hol_event_fields[];            // HolEventDef
HOL_TOOLS extern const HolField hol_simulation_fields[];       // HolSimOptions
HOL_TOOLS extern const HolField hol_error_fields[];            // HolErrorOptions
HOL_TOOLS extern const HolField hol_method_fields[]; // HolMethodOptions: common to all methods

enum { HOL_SOLID_BOX, HOL_SOLID_CYLINDER, HOL_SOLID_SPHERE };
typedef struct HolSolidDef { // a solid of which a body consists (io/place)
    int type;
    double at[3], angle, quaternion[4], size[3], from[3], to[3], radius, inner_radius, density;
    const char *color;
} HolSolidDef;
HOL_TOOLS extern const HolField hol_solid_fields[]; // HolSolidDef

typedef struct HolPartDef { // a file that is built in (io/expand)
    const char *name, *file;
    double at[3], angle, quaternion[4];
} HolPartDef;
HOL_TOOLS extern const HolField hol_part_fields[]; // HolPartDef

extern const HolWord hol_space_words[]; // planar, spatial

#endif
