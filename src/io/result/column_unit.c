// SPDX-License-Identifier: Apache-2.0
// Units by name: what stands behind the last dot is a quantity of the body, point, joint or force
// before it.
#include "io/result/column_unit.h"

#include "model/model.h"

#include <string.h>

typedef struct Quantity {
    const char *name, *unit;
} Quantity;

// of bodies, points and joints, wherever the name alone decides
static const Quantity common[] = {
    {"x", "m"},
    {"y", "m"},
    {"z", "m"},
    {"vx", "m/s"},
    {"vy", "m/s"},
    {"vz", "m/s"},
    {"ax", "m/s^2"},
    {"ay", "m/s^2"},
    {"az", "m/s^2"},
    {"angle", "rad"},
    {"omega", "rad/s"},
    {"wx", "rad/s"},
    {"wy", "rad/s"},
    {"wz", "rad/s"},
    {"omega_x", "rad/s"},
    {"omega_y", "rad/s"},
    {"omega_z", "rad/s"},
    {"alpha", "rad/s^2"},
    {"alpha_x", "rad/s^2"},
    {"alpha_y", "rad/s^2"},
    {"alpha_z", "rad/s^2"},
    {"p0", "1"},
    {"p1", "1"},
    {"p2", "1"},
    {"p3", "1"},
    {"displacement", "m"},
    {"length", "m"},
    {"speed", "m/s"},
    {0},
};

static const Quantity of_scalar[] = {
    {"", "1"},      {"x", "1"},      {"v", "1/s"},    {"vx", "1/s"},
    {"a", "1/s^2"}, {"rate", "1/s"}, {"ax", "1/s^2"}, {0},
};

static const char *column_unit_find(const Quantity *list, const char *name) {
    for (; list->name; list++)
        if (strcmp(list->name, name) == 0)
            return list->unit;
    return "";
}

// the rate of a joint's or a spring's coordinate
static const char *rate_unit(const HolModel *m, const char *owner) {
    int joint = hol_joint_find(m, owner), turns = 0;
    if (joint >= 0)
        turns = m->def.joints[joint].coordinate_is_angle;
    for (int i = 0; joint < 0 && i < m->def.n_forces; i++)
        if (strcmp(m->def.forces[i].def.name, owner) == 0)
            turns = strcmp(m->def.forces[i].def.type, "torsion_spring_damper") == 0;
    return turns ? "rad/s" : "m/s";
}

// "rod.tip.y"; "" for what is no name
static const char *unit_of(const HolModel *m, const char *text) {
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
    char owner[64];
    size_t length = strcspn(text, ".");
    const char *dot = strrchr(text, '.'), *part = dot ? dot + 1 : "";
    if (text[strspn(text, letters)] || length >= sizeof owner)
        return "";
    memcpy(owner, text, length);
    owner[length] = 0;
    int body = hol_body_find(m, owner);
    if (body > 0 && m->def.bodies[body].def.type == HOL_COORDINATE)
        return column_unit_find(of_scalar, part);
    if (strcmp(part, "rate") == 0)
        return rate_unit(m, owner);
    if (strcmp(part, "w") == 0)
        return m->space == HOL_PLANAR ? "rad/s" : "1";
    return column_unit_find(common, part);
}

HolColumn hol_column_with_unit(const HolModel *m, int i) {
    HolColumn c = hol_model_column(m, i);
    if (c.name && (!c.unit || !c.unit[0]))
        c.unit = unit_of(m, c.name);
    return c;
}
