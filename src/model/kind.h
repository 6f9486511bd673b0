// SPDX-License-Identifier: Apache-2.0
// Kinds of bodies, joints and forces: a name, where it exists, what it takes, what others must know
// of it, and how it is built from rows. Nobody asks for the name of a kind: what makes a difference
// is a member of its table.
#ifndef HOL_MODEL_KIND_H
#define HOL_MODEL_KIND_H

#include "base/visibility.h"
#include "holonom/model.h"

enum { HOL_IN_PLANE = 1, HOL_IN_SPACE = 2, HOL_EVERYWHERE = 3 };

enum {
    // joints
    HOL_KIND_TREE_LINK = 1,    // may be a link of a tree: its free coordinates place the body
    HOL_KIND_TWO_AXES = 2,     // each body has an axis of its own
    HOL_KIND_OVER = 64,        // its places are a list: it attaches itself
    HOL_KIND_AXIS_NEEDED = 4,  // the axis is written in the plane too; others take x of the first
    HOL_KIND_SLIDES = 1 << 11, // its own coordinate is a displacement
    // forces
    HOL_KIND_ON_COORDINATE = 8, // `on` names a coordinate, not a place
    HOL_KIND_TORQUE = 1 << 12,  // it is a torque
    HOL_KIND_COIL = 32,         // drawn as a coil between its two places
    HOL_KIND_ON_BEAM = 1 << 10, // `on` names a beam as a whole
    // both
    HOL_KIND_TURNS = 16 // its own coordinate is an angle
};

// which free coordinate of another joint a joint couples
typedef enum HolCoupled {
    HOL_COUPLES_NONE,
    HOL_COUPLES_ANY,
    HOL_COUPLES_ANGLE,
    HOL_COUPLES_DISPLACEMENT
} HolCoupled;

// Which relative translations and rotations a joint holds: by its axis. Kinds whose rows are neither
// (gears, rods, rolling discs) do not say.
typedef enum HolHolds {
    HOL_HOLDS_UNSAID,
    HOL_HOLDS_NONE,
    HOL_HOLDS_ONE,    // rotation about one direction, across both axes
    HOL_HOLDS_ALONG,  // along or about the axis
    HOL_HOLDS_ACROSS, // the two across it (in the plane one translation, no rotation)
    HOL_HOLDS_ALL
} HolHolds;

// What a joint's friction slides along and is loaded by (mode/friction.c).
typedef enum HolFrictionForm {
    HOL_FRICTION_NONE,
    HOL_FRICTION_REVOLUTE,
    HOL_FRICTION_PRISMATIC,
    HOL_FRICTION_ACROSS,  // a point on a line: all reactions
    HOL_FRICTION_COUPLED, // the last row couples two coordinates
    HOL_FRICTION_CROSS,   // both axes of a universal joint
    HOL_FRICTION_MANTLE,  // turns and slides: velocity on the cylinder
    HOL_FRICTION_BALL,    // turns about any axis
    HOL_FRICTION_PLANE,   // a point on a plane
    HOL_FRICTION_FACE     // plane on plane: slides and spins
} HolFrictionForm;

struct HolJoint;
struct HolForce;

typedef struct HolKind {
    const char *name;
    int spaces; // HOL_IN_PLANE, HOL_IN_SPACE or both
    const char *help;
    const char *const *fields;  // keys it takes besides name and type, NULL-terminated
    const struct HolField *own; // those that mean something else than for others; NULL: none
    int flags;                  // HOL_KIND_..
    int orients;                // joints: spaces in which it holds orientations (no point masses)
    HolHolds holds[2];          // joints: translations, rotations
    HolCoupled couples[2];      // joints that take `joints`: what they couple of the first, second
    HolFrictionForm friction;   // joints
    HolBodyType body;           // bodies
    // make the rows of a joint / the elements of a force; 0 when a problem was added to err
    int (*build_joint)(HolModel *m, struct HolJoint *joint, HolError *err);
    // optional: the row of a further coordinate, made when an expression first names it; -1: none
    //   0, 1: angles about the first and second axis; 2, 3, 4: a rotation vector
    int (*turn_row)(HolModel *m, struct HolJoint *joint, int i);
    int (*build_force)(HolModel *m, struct HolForce *force, HolError *err);
    // optional, before any expression is compiled: the row of its own length or angle
    int (*declare_force)(HolModel *m, struct HolForce *force, HolError *err);
} HolKind;

// The registry: a line each, in the order of the documents. The kind NAME is the table
// hol_joint_kind_NAME (hol_force_kind_NAME) in a file of joint/ (force/).
#define HOL_JOINT_KINDS(KIND)                                                                      \
    KIND(revolute)                                                                                 \
    KIND(prismatic)                                                                                \
    KIND(fixed)                                                                                    \
    KIND(distance)                                                                                 \
    KIND(rolling)                                                                                  \
    KIND(gear)                                                                                     \
    KIND(rack_pinion)                                                                              \
    KIND(slot)                                                                                     \
    KIND(cylindrical)                                                                              \
    KIND(spherical)                                                                                \
    KIND(universal)                                                                                \
    KIND(planar)                                                                                   \
    KIND(point_on_line)                                                                            \
    KIND(point_on_plane)                                                                           \
    KIND(parallel)                                                                                 \
    KIND(perpendicular)                                                                            \
    KIND(screw)                                                                                    \
    KIND(belt)                                                                                     \
    KIND(cable)                                                                                    \
    KIND(revolute_spherical)                                                                       \
    KIND(revolute_revolute)                                                                        \
    KIND(point_on_curve)                                                                           \
    KIND(cam)                                                                                      \
    KIND(cam_flat)
#define HOL_FORCE_KINDS(KIND)                                                                      \
    KIND(force)                                                                                    \
    KIND(torque)                                                                                   \
    KIND(spring_damper)                                                                            \
    KIND(torsion_spring_damper)                                                                    \
    KIND(bushing)                                                                                  \
    KIND(expression)                                                                               \
    KIND(load)

#define HOL_DECLARE_JOINT(name) extern const HolKind hol_joint_kind_##name;
#define HOL_DECLARE_FORCE(name) extern const HolKind hol_force_kind_##name;
HOL_JOINT_KINDS(HOL_DECLARE_JOINT)
HOL_FORCE_KINDS(HOL_DECLARE_FORCE)

HOL_TOOLS extern const HolKind *const hol_body_kinds[]; // all end with NULL
HOL_TOOLS extern const HolKind *const hol_joint_kinds[];
HOL_TOOLS extern const HolKind *const hol_force_kinds[];

const HolKind *hol_kind_find(const HolKind *const *list, const char *name);
int hol_kind_takes(const HolKind *kind, const char *key); // 1: the key is one of its fields

#endif
