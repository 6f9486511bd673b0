// SPDX-License-Identifier: Apache-2.0
// Friction of joints from their own reactions (docs/theory/friction.md). With the sliding speed v at
// the surface, r its radius (1 for what slides), L the load:
//   slip    F = -s (r mu(s v) (L + preload) + constant) - viscous rate,   s the sign of the speed
//           mu(u) = mu + (mu_static - mu) exp(-u / stribeck)
//   stick   the coordinate is held; |F| <= r mu_static (L + preload) + constant
//   lugre   F = -(sigma0 z + sigma1 z' exp(-(v/stribeck)^2)) - viscous rate, a state z of each joint,
//           z' = rate - sigma0 |rate| z / (r mu(|v|) (L + preload) + constant)
//   smooth  F = -(r mu(|v|) (L + preload) + constant) v / sqrt(v^2 + speed^2) - viscous rate
// Loads, with the multipliers l of the joint's own rows:
//   revolute    plane |R|;  space |R across the axis| + |R along it| + (2/length) |Q across|
//   prismatic   N1 + N2 = two pads at the ends of the guide: max(|R|, 2 |Q|/length), plane; in space
//               the root of the squares over both directions, + |Q about the axis|/radius
//   slot, point_on_line   |R|;   screw, gear, rack_pinion   |l| of the row that couples
//   universal   |R|, each axis by itself
// Joints that slide along several coordinates at once are in friction_vector.c.
// Sizes |.| of vectors are in load.c. In slip the load is an algebraic variable: it is solved together
// with the accelerations.
#include "model/joint/joint.h"
#include "model/mode/mode.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int hol_friction_multiplier(HolModel *m, const HolJoint *j, int k) {
    return hol_slot(m, HOL_SLOT_MULTIPLIER, 0, 0, 0, j->equations[k]);
}

// the load as a text of slots a3 .. , which are filled in; parts that are not smooth in the
// multipliers (|.|) are: then *kinks = 1 and a3 .. stand for the multipliers themselves
typedef struct Load {
    char text[1600];
    int norms; // how many
    int slots[HOL_GRIP_NAMES];
    int n;     // slots from a3 on
    int kinks; // 1: |.| of single multipliers
} Load;

static void load_add(Load *l, int slot) {
    l->slots[3 + l->n++] = slot;
}

static const char *const tiny = "1e-300";

static int load_norm(HolModel *m, Load *l, double per, int n, const char *x, const char *y,
                     const char *z) {
    const char *const parts[3] = {x, y, z};
    return hol_load_norm(m, l->slots, l->norms++, per, parts, n, l->text, sizeof l->text);
}

// z of the joint in global axes, as slots of rows between the ground and the body that carries it
static void load_axis(HolModel *m, const HolJoint *j, Load *l) {
    const HolJointAxes axes = hol_joint_axes(m, j);
    for (int i = 0; i < 3; i++) {
        HolRow row = hol_row_new(m, &hol_row_dot3, 0, j->a.body ? j->a.body : j->b.body);
        row.ua[i] = 1;
        v3_store(row.ub, j->a.body ? axes.z : axes.zb);
        const int index = hol_add_row(m, &row);
        if (index >= 0)
            load_add(l, hol_slot(m, HOL_SLOT_VALUE, index, 0, 0, 0));
    }
}

static int revolute_load(HolModel *m, const HolJoint *j, const HolFrictionDef *f, Load *l) {
    const int plane = m->space == HOL_PLANAR, n = plane ? 2 : 3;
    for (int i = 0; i < n; i++)
        load_add(l, hol_friction_multiplier(m, j, i));
    if (plane)
        return load_norm(m, l, 1, 2, "a3", "a4", NULL);
    load_axis(m, j, l); // a6 a7 a8
    for (int i = 3; i < 5 && f->length > 0; i++)
        load_add(l, hol_friction_multiplier(m, j, i)); // a9 a10
    return load_norm(m, l, 1, 3, "a4*a8-a5*a7", "a5*a6-a3*a8", "a3*a7-a4*a6") &&
           load_norm(m, l, 1, 1, "a3*a6+a4*a7+a5*a8", NULL, NULL) &&
           (!(f->length > 0) || load_norm(m, l, 2 / f->length, 2, "a9", "a10", NULL));
}

static int prismatic_load(HolModel *m, const HolJoint *j, const HolFrictionDef *f, Load *l) {
    if (m->space == HOL_PLANAR) {
        l->kinks = 1;
        load_add(l, hol_friction_multiplier(m, j, 0));
        if (f->length > 0) {
            load_add(l, hol_friction_multiplier(m, j, 1));
            snprintf(l->text, sizeof l->text, "abs(a3/2+a4/%.17g)+abs(a3/2-a4/%.17g)", f->length,
                     f->length);
        } else {
            snprintf(l->text, sizeof l->text, "abs(a3)");
        }
        return 1;
    }
    for (int i = 0; i < 5; i++)
        load_add(l, hol_friction_multiplier(m, j, i));
    // rows that lock: x.y(b), y.z(b), z.x(b): moments about z, x, y
    return load_norm(m, l, 1, 2, "a3", "a4", NULL) &&
           (!(f->length > 0) || load_norm(m, l, 2 / f->length, 2, "a6", "a7", NULL)) &&
           (!(f->radius > 0) || load_norm(m, l, 1 / f->radius, 1, "a5", NULL, NULL));
}

// |multipliers| of rows first .. first + n - 1
static int rows_load(HolModel *m, const HolJoint *j, int first, int n, Load *l) {
    for (int i = 0; i < n; i++)
        load_add(l, hol_friction_multiplier(m, j, first + i));
    l->kinks = n == 1;
    if (n > 1)
        return load_norm(m, l, 1, n, "a3", "a4", "a5");
    snprintf(l->text, sizeof l->text, "abs(a3)");
    return 1;
}

static int load_of(HolModel *m, const HolJoint *j, const HolFrictionDef *f, Load *l) {
    switch (j->kind->friction) {
    case HOL_FRICTION_REVOLUTE:
        return revolute_load(m, j, f, l);
    case HOL_FRICTION_PRISMATIC:
        return prismatic_load(m, j, f, l);
    case HOL_FRICTION_CROSS: // the common point
        return rows_load(m, j, 0, 3, l);
    case HOL_FRICTION_ACROSS: // all its rows hold the point on a line
        return rows_load(m, j, 0, j->n_equations, l);
    default: // the row that couples is the last one
        return rows_load(m, j, j->n_equations - 1, 1, l);
    }
}

// is the coordinate given by a drive?
int hol_friction_driven(const HolModel *m, const HolJoint *j) {
    for (int i = 0; i < m->def.n_motions; i++)
        if (m->def.motions[i].def.joint && !strcmp(m->def.motions[i].def.joint, j->def.name))
            return 1;
    return 0;
}

static int joint_turns(const HolJoint *j) {
    return j->coordinate_is_angle || j->kind->friction == HOL_FRICTION_CROSS ||
           j->kind->friction == HOL_FRICTION_BALL;
}

// keys that have no effect
static void remark_idle_keys(HolModel *m, const HolJoint *j, const HolFrictionDef *f) {
    const char *idle = NULL;
    if (f->law != HOL_FRICTION_LUGRE && (f->sigma0 > 0 || f->sigma1 > 0))
        idle = "sigma0 and sigma1 have no effect without law: lugre";
    else if (f->law != HOL_FRICTION_SMOOTH && f->speed > 0)
        idle = "speed has no effect without law: smooth";
    else if (f->stribeck > 0 && !(f->mu_static > f->mu))
        idle = "stribeck has no effect without mu_static above mu";
    if (idle)
        hol_model_add_remark(m, "joint", j->def.name, f->line, f->column,
                             "joint '%s', friction: %s", j->def.name, idle);
}

static int check_friction(HolModel *m, const HolJoint *j, const HolFrictionDef *f, HolError *err) {
    const char *why = NULL;
    if (j->kind->friction == HOL_FRICTION_NONE)
        why = "this kind of joint takes no friction";
    else if (j->kind->friction < HOL_FRICTION_CROSS && j->coordinate < 0 && !j->kind->couples[0])
        why = "it has no free coordinate";
    else if (f->law == HOL_FRICTION_LUGRE && j->kind->friction >= HOL_FRICTION_CROSS)
        why = "law lugre is for joints with one coordinate; use coulomb, which truly sticks, or "
              "smooth";
    else if (f->law == HOL_FRICTION_LUGRE && !(f->sigma0 > 0))
        why = "law lugre needs sigma0, the stiffness of its bristles";
    else if (f->law == HOL_FRICTION_SMOOTH && !(f->speed > 0))
        why = "law smooth needs speed, below which it gives way";
    else if (f->mu > 0 && joint_turns(j) && !(f->radius > 0))
        why = "a joint that turns needs radius, that of its pin";
    else if (j->kind->friction == HOL_FRICTION_MANTLE && !(f->radius > 0))
        why = "a cylindrical joint needs radius, on which it turns and slides";
    else if (!isnan(f->mu_static) && f->mu_static < f->mu)
        why = "mu_static is below mu";
    if (why)
        hol_problem_error(m, err, f->line, f->column, "joint '%s', friction: %s", j->def.name, why);
    else
        remark_idle_keys(m, j, f);
    return why == NULL;
}

// mu(u) at the sliding speed `speed` (a text), times the radius
void hol_friction_coefficient(const HolFrictionDef *f, double r, const char *speed, char *out,
                              size_t size) {
    const double rise = isnan(f->mu_static) ? 0 : f->mu_static - f->mu;
    if (rise > 0 && f->stribeck > 0)
        snprintf(out, size, "(%.17g+%.17g*exp(-(%s)/%.17g))", r * f->mu, r * rise, speed,
                 f->stribeck);
    else
        snprintf(out, size, "%.17g", r * f->mu);
}

int hol_friction_element(HolModel *m, const HolJoint *j, int row, const HolExpr *expr) {
    const int e = hol_add_element(m, HOL_FRICTION_ELEMENT, row, 0, 0, 0, expr);
    if (e >= 0) {
        m->sys.elements[e].owner = j->def.name;
        m->sys.elements[e].friction = 1;
    }
    return e;
}

// text of the force over a0 sign, a1 load or rate of it, a2 rate
static void force_text(const HolFrictionDef *f, double r, const char *load, char *out,
                       size_t size) {
    char coefficient[200], speed[60], part[2600];
    if (f->law == HOL_FRICTION_SMOOTH) {
        snprintf(speed, sizeof speed, "%.17g*sqrt(a2^2+%s)", r, tiny);
        hol_friction_coefficient(f, r, speed, coefficient, sizeof coefficient);
        snprintf(part, sizeof part, "-(%s*((%s)+%.17g)+%.17g)*%.17g*a2/sqrt((%.17g*a2)^2+%.17g)",
                 coefficient, load, f->preload, f->constant, r, r, f->speed * f->speed);
    } else {
        snprintf(speed, sizeof speed, "a0*a2*%.17g", r);
        hol_friction_coefficient(f, r, speed, coefficient, sizeof coefficient);
        snprintf(part, sizeof part, "-a0*(%s*((%s)+%.17g)+%.17g)", coefficient, load, f->preload,
                 f->constant);
    }
    snprintf(out, size, "%s-%.17g*a2", part, f->viscous);
}

// the bend z of the bristles, a first-order state; its slot
static int add_bristles(HolModel *m, const HolJoint *j, int *row) {
    char name[96];
    HolFirstOrder z = {.def = {.line = j->def.friction.line, .column = j->def.friction.column}};
    snprintf(name, sizeof name, "%.64s.bristle", j->def.name);
    z.def.name = hol_arena_text(&m->arena, name);
    z.body = hol_add_hidden(m, name);
    if (z.body < 0 || !HOL_GROW(&m->arena, m->def.states, m->def.n_states, m->def.cap_states))
        return -1;
    const HolRow of = hol_row_new(m, &hol_row_coordinate, 0, z.body);
    z.row = *row = hol_add_row(m, &of);
    m->def.states[m->def.n_states++] = z;
    if (z.def.name)
        hol_name_table_add(&m->def.names.state_names, &m->arena, z.def.name, NULL,
                           m->def.n_states - 1);
    return z.row < 0 ? -1 : hol_slot(m, HOL_SLOT_RATE, z.row, 0, 0, 0);
}

// force and rate of the bristles over a1 or a3 .. load, a2 rate, a15 bend
static int friction_lugre(HolModel *m, HolJoint *j, int row, double r, const char *load,
                          int *slots) {
    const HolFrictionDef *f = &j->def.friction;
    char mu[200], speed[60], rate[2900], force[3600], fade[120] = "1";
    int bend;
    slots[15] = add_bristles(m, j, &bend);
    if (slots[15] < 0)
        return 0;
    snprintf(speed, sizeof speed, "%.17g*abs(a2)", r);
    hol_friction_coefficient(f, r, speed, mu, sizeof mu);
    snprintf(rate, sizeof rate, "(a2-%.17g*abs(a2)*a15/max(%s*((%s)+%.17g)+%.17g,%.17g))",
             f->sigma0, mu, load, f->preload, f->constant, 1e-12 * f->sigma0);
    if (f->stribeck > 0)
        snprintf(fade, sizeof fade, "exp(-(%.17g*a2)^2)", r / f->stribeck);
    snprintf(force, sizeof force, "-%.17g*a15-%.17g*%s*%s-%.17g*a2", f->sigma0, f->sigma1, fade,
             rate, f->viscous);
    const HolExpr *law = hol_compile_slots(m, force, slots),
                  *bends = hol_compile_slots(m, rate, slots);
    if (!law || !bends || hol_friction_element(m, j, row, law) < 0)
        return 0;
    const int e = hol_add_element(m, -m->def.n_states, bend, 0, 0, 0, bends);
    m->sys.has_power = 1;
    return e >= 0;
}

// along one row
static int friction_along(HolModel *m, HolJoint *j, int row) {
    const HolFrictionDef *f = &j->def.friction;
    const double r = joint_turns(j) && f->mu > 0 ? f->radius : 1;
    const double mu_static = isnan(f->mu_static) ? f->mu : f->mu_static;
    Load l = {.text = ""};
    if (!hol_load_begin(m, l.slots) || (f->mu > 0 && !load_of(m, j, f, &l)))
        return 0;
    if (!(f->mu > 0))
        snprintf(l.text, sizeof l.text, "0");
    int slots[HOL_GRIP_NAMES];
    memcpy(slots, l.slots, sizeof slots);
    const int sign = hol_given_new(m, 0);
    slots[0] = hol_slot(m, HOL_SLOT_GIVEN, 0, 0, 0, sign);
    slots[2] = hol_slot(m, HOL_SLOT_RATE, row, 0, 0, 0);
    char load[1600], text[3600], capacity[2000];
    if (l.kinks) { // each multiplier by itself, so that the change of its side is seen
        for (int i = 0; i < l.n; i++)
            slots[3 + i] = hol_unknown_slot(m, hol_expr_slot(&m->arena, l.slots[3 + i]));
        snprintf(load, sizeof load, "%s", l.text);
    } else if (f->mu > 0) {
        slots[1] = hol_unknown_slot(m, hol_compile_slots(m, l.text, l.slots));
        if (!hol_load_grows(m, slots, 1))
            return 0;
        snprintf(load, sizeof load, "a1");
    } else {
        snprintf(load, sizeof load, "0");
    }
    if (f->law == HOL_FRICTION_LUGRE)
        return friction_lugre(m, j, row, r, load, slots);
    force_text(f, r, load, text, sizeof text);
    const HolExpr *expr = hol_compile_slots(m, text, slots);
    const int element = expr ? hol_friction_element(m, j, row, expr) : -1;
    if (element < 0)
        return 0;
    m->sys.has_power = 1;
    if (f->law != HOL_FRICTION_COULOMB)
        return 1;
    snprintf(capacity, sizeof capacity, "%.17g*((%s)+%.17g)+%.17g", r * mu_static, l.text,
             f->preload, f->constant);
    l.slots[0] = slots[0];
    const HolGripParts parts = {.name = j->def.name,
                                .row = {row},
                                .scale = {1},
                                .n_rows = 1,
                                .holonomic = m->sys.rows[row].kind->holonomic,
                                .support = -1,
                                .driven = hol_friction_driven(m, j),
                                .friction = f->mu,
                                .smooth_start = !(mu_static > f->mu) || f->stribeck > 0,
                                .sign = sign,
                                .capacity = capacity,
                                .slots = l.slots,
                                .elements = {element}};
    return hol_add_grip(m, &parts) >= 0;
}

int hol_friction_build(HolModel *m, HolJoint *j, HolError *err) {
    if (!check_friction(m, j, &j->def.friction, err))
        return 0;
    if (j->kind->friction > HOL_FRICTION_CROSS)
        return hol_friction_build_vector(m, j);
    if (j->kind->friction < HOL_FRICTION_CROSS)
        return friction_along(m, j, j->coordinate >= 0 ? j->coordinate : j->coupled[0]);
    const int joint = (int)(j - m->def.joints);
    for (int i = 0; i < 2; i++) {
        const int row = hol_joint_turn(m, joint, i);
        if (row < 0 || !friction_along(m, &m->def.joints[joint], row))
            return 0;
    }
    return 1;
}
