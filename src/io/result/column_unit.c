// SPDX-License-Identifier: Apache-2.0
// Units of outputs that are a name: what stands behind the last dot is a quantity of the body, point,
// joint or force before it.
#include "io/result/column_unit.h"

#include "model/quantity.h"

#include <string.h>

// the rate of a joint's or a spring's coordinate
static const char *rate_unit(int turns) {
    return turns ? "rad/s" : "m/s";
}

static const char *unit_of_body(const HolModel *m, int body, int place, const char *part) {
    const int owner = place ? HOL_OF_PLACE : hol_quantity_body(m->def.bodies[body].def.type);
    const HolQuantity *q =
        hol_quantity_find(owner, m->space, owner == HOL_OF_COORDINATE && !*part ? "x" : part);
    return q ? q->unit : NULL;
}

static const char *unit_of_joint(const HolModel *m, int joint, const char *part) {
    const HolQuantity *q = hol_quantity_find(HOL_OF_JOINT, m->space, part);
    if (!q)
        return NULL;
    return q->unit ? q->unit : rate_unit(m->def.joints[joint].coordinate_is_angle);
}

static const char *unit_of_force(const HolForce *f, HolSpace space, const char *part) {
    const HolQuantity *q = hol_quantity_find(HOL_OF_FORCE, space, part);
    if (!q)
        return NULL;
    return q->unit ? q->unit : rate_unit(f->kind->flags & HOL_KIND_TURNS);
}

static int column_unit_owns(const HolModel *m, const char *name) {
    if (hol_body_find(m, name) >= 0 || hol_joint_find(m, name) >= 0)
        return 1;
    for (int i = 0; i < m->def.n_forces; i++)
        if (strcmp(m->def.forces[i].def.name, name) == 0)
            return 1;
    for (int i = 0; i < m->def.n_motions; i++)
        if (strcmp(m->def.motions[i].def.name, name) == 0)
            return 1;
    return 0;
}

// "rod.tip.y"; "" for what is no name
static const char *unit_of(const HolModel *m, const char *text) {
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
    char owner[HOL_OWNER_LENGTH];
    size_t length = strlen(text);
    const char *dot = strrchr(text, '.'), *part = dot ? dot + 1 : "";
    if (text[strspn(text, letters)] || length >= sizeof owner)
        return "";
    // the longest owner: of "leg1.rod.top.x" leg1.rod
    memcpy(owner, text, length + 1);
    while (length && !column_unit_owns(m, owner)) {
        while (length && owner[--length] != '.')
            ;
        owner[length] = 0;
    }
    // in the order in which expressions look for an owner
    const int body = hol_body_find(m, owner), joint = hol_joint_find(m, owner);
    const int place = body == 0 || (dot && dot != text + length);
    const char *unit = body >= 0 ? unit_of_body(m, body, place, part) : NULL;
    if (!unit && joint >= 0)
        unit = unit_of_joint(m, joint, part);
    for (int i = 0; !unit && i < m->def.n_forces; i++)
        if (strcmp(m->def.forces[i].def.name, owner) == 0)
            unit = unit_of_force(&m->def.forces[i], m->space, part);
    const HolQuantity *q = hol_quantity_find(HOL_OF_MOTION, m->space, part);
    for (int i = 0; !unit && q && i < m->def.n_motions; i++)
        if (strcmp(m->def.motions[i].def.name, owner) == 0)
            unit = q->unit;
    return unit ? unit : "";
}

HolColumn hol_column_with_unit(const HolModel *m, int i) {
    HolColumn c = hol_model_column(m, i);
    if (c.name && (!c.unit || !c.unit[0]))
        c.unit = unit_of(m, c.name);
    return c;
}
