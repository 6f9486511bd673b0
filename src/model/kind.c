// SPDX-License-Identifier: Apache-2.0
// The lists of kinds, from the registry in kind.h.
#include "model/kind.h"

#include <stddef.h>
#include <string.h>

#define KIND_JOINT(name) &hol_joint_kind_##name,
#define KIND_FORCE(name) &hol_force_kind_##name,
const HolKind *const hol_joint_kinds[] = {HOL_JOINT_KINDS(KIND_JOINT) NULL};
const HolKind *const hol_force_kinds[] = {HOL_FORCE_KINDS(KIND_FORCE) NULL};

const HolKind *hol_kind_find(const HolKind *const *list, const char *name) {
    for (; name && *list; list++)
        if (strcmp((*list)->name, name) == 0)
            return *list;
    return NULL;
}

int hol_kind_takes(const HolKind *kind, const char *key) {
    for (const char *const *k = kind->fields; k && *k; k++)
        if (strcmp(*k, key) == 0)
            return 1;
    return 0;
}
