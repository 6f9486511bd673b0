// SPDX-License-Identifier: Apache-2.0
// Friction of joints that slide along several coordinates at once (docs/theory/friction.md): opposite
// to their velocity w at the surface.
//   slip    F = -(mu(|w|) (L + preload) + constant) w/|w| - viscous w
//   stick   all of w is held; |F| <= mu_static (L + preload) + constant
//   smooth  w/sqrt(|w|^2 + speed^2) in place of w/|w|
//   joint            w                                    load L
//   cylindrical      (s', r phi') on the mantle           |R across| + (2/length) |Q across|
//   spherical        r omega of b against a               |R|; torques r F, constant and viscous of omega
//   point_on_plane   velocity along the plane             |R|
//   planar           the same, and 2/3 radius phi'        |R| + (2/length) |Q|
// omega in global axes: its size and direction are the same in all axes. Where slip begins w has no
// direction; w + b stands for it, with a tiny b (solve/event/slip.c).
#include "model/joint/joint.h"
#include "model/mode/mode.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// a0 .. of the texts: sign, load, rates, rates that count against them, b; multipliers of the load
enum { V_SIGN, V_LOAD, V_RATE, V_MINUS = 5, V_LEAN = 8, V_ROWS = 11 };

typedef struct Vector {
    HolModel *m;
    HolJoint *j;
    const HolFrictionDef *f;
    int n, holonomic;
    int row[3], minus[3]; // minus: 1 + row
    double scale[3];
    double own;               // radius in front of mu (spherical), else 1
    char load[1600];          // over a11 ..
    int kinks, n_load, norms; // as in friction.c
    int slots[HOL_GRIP_NAMES];
    int lean[3], elements[3];
    char w[3][80], square[300];
} Vector;

// the rows of w
static int add_sliding(Vector *v, int k, int row, double scale) {
    v->row[k] = row;
    v->scale[k] = scale;
    v->n = k + 1;
    return row >= 0;
}

static int plane_rows(Vector *v) {
    const HolJointAxes f = hol_joint_axes(v->m, v->j);
    return add_sliding(v, 0, hol_joint_add_displacement(v->m, v->j, f.x), 1) &&
           add_sliding(v, 1, hol_joint_add_displacement(v->m, v->j, f.y), 1);
}

// the angle about the normal, which is no coordinate of the joint
static int face_rows(Vector *v) {
    if (!plane_rows(v))
        return 0;
    if (!(v->f->radius > 0))
        return 1;
    const HolJointAxes f = hol_joint_axes(v->m, v->j);
    HolRow row = hol_joint_row(v->m, v->j, &hol_row_angle3);
    v3_store(row.ua, f.x);
    v3_store(row.wa, f.y);
    v3_store(row.ub, f.xb);
    row.memory = v->m->sys.n_memory++;
    return add_sliding(v, 2, hol_add_row(v->m, &row), 2.0 / 3 * v->f->radius);
}

static int ball_rows(Vector *v) {
    const HolJoint *j = v->j;
    v->holonomic = 0;
    v->own = v->f->mu > 0 ? v->f->radius : 1;
    for (int k = 0; k < 3; k++) {
        const int bodies[2] = {j->b.body, j->a.body};
        int rows[2] = {-1, -1};
        for (int side = 0; side < 2; side++) {
            HolRow row = hol_row_new(v->m, &hol_row_turn3, 0, bodies[side]);
            row.ua[k] = 1;
            if (bodies[side] && (rows[side] = hol_add_row(v->m, &row)) < 0)
                return 0;
        }
        // (the ground does not turn)
        const int first = rows[0] >= 0 ? rows[0] : rows[1];
        v->minus[k] = rows[0] >= 0 ? rows[1] + 1 : 0;
        if (!add_sliding(v, k, first, v->own))
            return 0;
    }
    return 1;
}

// ---- loads ----

static void load_rows(Vector *v, int first, int n) {
    for (int i = 0; i < n; i++)
        v->slots[V_ROWS + v->n_load++] = hol_friction_multiplier(v->m, v->j, first + i);
}

static int vector_norm(Vector *v, double per, int n, const char *x, const char *y, const char *z) {
    const char *const parts[3] = {x, y, z};
    return hol_load_norm(v->m, v->slots, v->norms++, per, parts, n, v->load, sizeof v->load);
}

static int vector_load(Vector *v) {
    const double length = v->f->length;
    switch (v->j->kind->friction) {
    case HOL_FRICTION_MANTLE:
        load_rows(v, 0, 4);
        return vector_norm(v, 1, 2, "a11", "a12", NULL) &&
               (!(length > 0) || vector_norm(v, 2 / length, 2, "a13", "a14", NULL));
    case HOL_FRICTION_BALL:
        load_rows(v, 0, 3);
        return vector_norm(v, 1, 3, "a11", "a12", "a13");
    default:
        load_rows(v, 0, v->j->kind->friction == HOL_FRICTION_FACE && length > 0 ? 3 : 1);
        v->kinks = 1;
        snprintf(v->load, sizeof v->load, "abs(a11)");
        return v->n_load < 3 || vector_norm(v, 2 / length, 2, "a12", "a13", NULL);
    }
}

// ---- the law ----

static void vector_slots(Vector *v, int *sign) {
    HolModel *m = v->m;
    size_t used = 0;
    *sign = hol_given_new(m, 0);
    v->slots[V_SIGN] = hol_slot(m, HOL_SLOT_GIVEN, 0, 0, 0, *sign);
    for (int k = 0; k < v->n; k++) {
        v->lean[k] = hol_given_new(m, 0);
        v->slots[V_RATE + k] = hol_slot(m, HOL_SLOT_RATE, v->row[k], 0, 0, 0);
        v->slots[V_LEAN + k] = hol_slot(m, HOL_SLOT_GIVEN, 0, 0, 0, v->lean[k]);
        if (v->minus[k])
            v->slots[V_MINUS + k] = hol_slot(m, HOL_SLOT_RATE, v->minus[k] - 1, 0, 0, 0);
        char minus[16] = "";
        if (v->minus[k])
            snprintf(minus, sizeof minus, "-a%d", V_MINUS + k);
        snprintf(v->w[k], sizeof v->w[k], "(%.17g*(a%d%s)+a%d)", v->scale[k], V_RATE + k, minus,
                 V_LEAN + k);
        used += (size_t)snprintf(v->square + used, sizeof v->square - used, "%s%s^2", k ? "+" : "",
                                 v->w[k]);
    }
}

// the force along row k of w, per unit of that row of the model
static int vector_element(Vector *v, int k, const char *load) {
    const HolFrictionDef *f = v->f;
    const int smooth = f->law == HOL_FRICTION_SMOOTH;
    char speed[340], mu[500], text[4400];
    snprintf(speed, sizeof speed, "sqrt(%s+1e-24)", v->square);
    hol_friction_coefficient(f, v->own, speed, mu, sizeof mu);
    // (viscous: of omega, or of w)
    const double viscous = v->holonomic ? f->viscous * v->scale[k] : f->viscous / v->scale[k];
    for (int side = 0; side < (v->minus[k] ? 2 : 1); side++) {
        // (where it does not slip, nothing with a high derivative stands beside the zero in front)
        snprintf(text, sizeof text,
                 "%d*(%s(%s*((%s)+%.17g)+%.17g)*%.17g/sqrt(%s%s+%.17g)+%.17g)*%s", side ? 1 : -1,
                 smooth ? "" : "a0*", mu, load, f->preload, f->constant, v->scale[k] / v->own,
                 v->square, smooth ? "" : "+(1-a0^2)", smooth ? f->speed * f->speed : 1e-60,
                 viscous, v->w[k]);
        const HolExpr *e = hol_compile_slots(v->m, text, v->slots);
        const int element =
            e ? hol_friction_element(v->m, v->j, side ? v->minus[k] - 1 : v->row[k], e) : -1;
        if (element < 0)
            return 0;
        if (side == 0)
            v->elements[k] = element;
    }
    return 1;
}

static int vector_grip(Vector *v, int sign, const int *loads) {
    const HolFrictionDef *f = v->f;
    const double mu_static = isnan(f->mu_static) ? f->mu : f->mu_static;
    char capacity[2000];
    snprintf(capacity, sizeof capacity, "(%.17g*((%s)+%.17g)+%.17g)/%.17g", v->own * mu_static,
             v->load, f->preload, f->constant, v->own);
    HolGripParts parts = {.name = v->j->def.name,
                          .n_rows = v->n,
                          .holonomic = v->holonomic,
                          .support = -1,
                          .driven = hol_friction_driven(v->m, v->j),
                          .friction = f->mu,
                          .smooth_start = !(mu_static > f->mu) || f->stribeck > 0,
                          .sign = sign,
                          .capacity = capacity,
                          .slots = loads,
                          .measure = v->own};
    for (int k = 0; k < v->n; k++) {
        parts.row[k] = v->row[k];
        parts.minus[k] = v->minus[k];
        parts.scale[k] = v->scale[k];
        parts.elements[k] = v->elements[k];
        parts.lean[k] = v->lean[k];
    }
    return hol_add_grip(v->m, &parts) >= 0;
}

int hol_friction_build_vector(HolModel *m, HolJoint *j) {
    Vector v = {.m = m, .j = j, .f = &j->def.friction, .holonomic = 1, .own = 1};
    int ok, sign, loads[HOL_GRIP_NAMES];
    if (!hol_load_begin(m, v.slots))
        return 0;
    switch (j->kind->friction) {
    case HOL_FRICTION_MANTLE:
        ok =
            add_sliding(&v, 0, j->coordinate2, 1) && add_sliding(&v, 1, j->coordinate, v.f->radius);
        break;
    case HOL_FRICTION_BALL:
        ok = ball_rows(&v);
        break;
    case HOL_FRICTION_PLANE:
        ok = plane_rows(&v);
        break;
    default:
        ok = face_rows(&v);
    }
    if (!ok)
        return 0;
    if (v.f->mu > 0 && !vector_load(&v))
        return 0;
    if (!(v.f->mu > 0))
        snprintf(v.load, sizeof v.load, "0");
    memcpy(loads, v.slots, sizeof loads); // (the multipliers themselves)
    const char *load = v.load;
    if (v.kinks) // each by itself, so that the change of its side is seen
        for (int i = 0; i < v.n_load; i++) {
            v.slots[V_ROWS + i] = hol_unknown_slot(m, hol_expr_slot(&m->arena, loads[V_ROWS + i]));
            if (!hol_load_grows(m, v.slots, i ? 2 / v.f->length : 1))
                return 0;
        }
    else if (v.f->mu > 0) {
        v.slots[V_LOAD] = hol_unknown_slot(m, hol_compile_slots(m, v.load, loads));
        if (!hol_load_grows(m, v.slots, 1))
            return 0;
        load = "a1";
    }
    vector_slots(&v, &sign);
    for (int k = 0; k < v.n; k++)
        if (!vector_element(&v, k, load))
            return 0;
    m->sys.has_power = 1;
    return v.f->law != HOL_FRICTION_COULOMB || vector_grip(&v, sign, loads);
}
