// SPDX-License-Identifier: Apache-2.0
// Kinds of joints and forces: a name, where it exists, what it takes, and how it is built from
// rows.
#ifndef HOL_MODEL_KIND_H
#define HOL_MODEL_KIND_H

#include "base/visibility.h"

enum { HOL_IN_PLANE = 1, HOL_IN_SPACE = 2, HOL_EVERYWHERE = 3 };

struct HolModel;
struct HolJoint;
struct HolForce;
struct HolError;

typedef struct HolKind {
    const char *name;
    int spaces; // HOL_IN_PLANE, HOL_IN_SPACE or both
    const char *help;
    const char *const *fields; // keys it takes besides name and type, NULL-terminated
    // make the rows of a joint / the elements of a force; 0 when a problem was added to err
    int (*build_joint)(struct HolModel *m, struct HolJoint *joint, struct HolError *err);
    int (*build_force)(struct HolModel *m, struct HolForce *force, struct HolError *err);
    // optional, before any expression is compiled: the row of its own length or angle
    int (*declare_force)(struct HolModel *m, struct HolForce *force, struct HolError *err);
} HolKind;

HOL_TOOLS extern const HolKind hol_joint_kind_list[]; // both end with name == NULL
HOL_TOOLS extern const HolKind hol_force_kind_list[];
const HolKind *hol_kind_find(const HolKind *list, const char *name);

#endif
