// SPDX-License-Identifier: Apache-2.0
// Bushings: springs and dampers along the axes of the first body and about them,
//     E = -K (x - x0) - C x',  V = (x - x0)^T K (x - x0)/2
// with x = (d_x, d_y, theta) in the plane and x = (d, phi) in space: d from the first place to the
// second, phi the rotation vector from the free orientation to the present one (row_rotation.c),
// all in axes of the first body. The free angle is part of phi, so that x0 = 0 in space; a pure
// rotation about an axis meets the torque of that axis, whatever the angle.
#include "math/vec.h"
#include "model/force/force.h"
#include "model/row/row_spatial.h"

static int force_bushing_planar(const HolModel *m) {
    return m->space == HOL_PLANAR;
}

static const char *pick(const char *const *texts, int n, int i) {
    return n == 0 ? NULL : texts[n == 1 ? 0 : i];
}

// the free orientation is a constant in space: 1 ok
static int free_turn(HolModel *m, const HolForce *f, double out[3], HolError *err) {
    const HolForceDef *d = &f->def;
    for (int i = 0; i < d->n_angle; i++) {
        HolExpr *e = hol_force_expr(m, f, "angle", d->angle[i], err);
        if (!e)
            return 0;
        if (!hol_expr_is_constant(e, &out[i])) {
            hol_problem_error(m, err, d->line, d->column,
                              "force '%s': the free angle of a bushing in space must not change "
                              "with the motion",
                              d->name);
            return 0;
        }
    }
    if (d->n_angle == 3)
        return 1;
    if (!f->a.has_axis) {
        hol_problem_error(m, err, d->line, d->column,
                          "force '%s': in space the free angle is a rotation vector [x, y, z] in "
                          "axes of the first body, or one number about the `axis` of its place",
                          d->name);
        return 0;
    }
    v3_store(out, v3_scale(v3_load(f->a.axis), out[0]));
    return 1;
}

// the same orientation, reached the other way round
static Vec3 other_way(Vec3 phi) {
    const double angle = v3_norm(phi);
    return angle > 0 ? v3_scale(phi, 1 - 2 * M_PI / angle) : v3(2 * M_PI, 0, 0);
}

// Row of phi about axis i, its free orientation in wa. Both exp(wa) of one orientation and their
// negatives serve: the one is taken with which phi is what turns about one axis would add up to.
static int turn_row(HolModel *m, const HolForce *f, HolRow *row, HolError *err) {
    HolFrame a, b;
    double given[3] = {0};
    *row = hol_force_row(m, &hol_row_rotation3, &f->a, &f->b);
    hol_initial_frame(m, f->a.body, &a);
    hol_initial_frame(m, f->b.body, &b);
    const Quat relative = q_mul(q_conj(q_load(a.p)), q_load(b.p));
    const Vec3 initial = q_log(relative);
    if (!f->def.n_angle) { // quaternions as they are: phi starts at zero
        v3_store(row->wa, relative.w < 0 ? other_way(initial) : initial);
        return 1;
    }
    if (!free_turn(m, f, given, err))
        return 0;
    const Vec3 expected = v3_sub(initial, v3_load(given));
    double far[2];
    for (int way = 0; way < 2; way++) {
        v3_store(row->wa, way ? other_way(v3_load(given)) : v3_load(given));
        far[way] = v3_norm(v3_sub(hol_rotation3(row, &a, &b), expected));
    }
    v3_store(row->wa, far[1] < far[0] ? other_way(v3_load(given)) : v3_load(given));
    if (v3_norm(hol_rotation3(row, &a, &b)) <= 0.9 * 2 * M_PI)
        return 1;
    hol_problem_error(m, err, f->def.line, f->def.column,
                      "force '%s': it starts more than 0.9 of a turn from its free angle",
                      f->def.name);
    return 0;
}

// coordinates of the bushing: 3 in the plane, 6 in space; 0 after a problem
static int force_bushing_add_rows(HolModel *m, const HolForce *f, int rows[6], HolError *err) {
    const int n = force_bushing_planar(m) ? 2 : 3;
    HolRow turn;
    for (int i = 0; i < n; i++) {
        HolRow row = hol_force_row(m, force_bushing_planar(m) ? &hol_row_line2 : &hol_row_line3,
                                   &f->a, &f->b);
        row.ua[i] = 1;
        rows[i] = hol_add_row(m, &row);
    }
    if (force_bushing_planar(m))
        turn = hol_force_row(m, &hol_row_angle2, &f->a, &f->b);
    else if (!turn_row(m, f, &turn, err))
        return 0;
    for (int i = n; i < 3 * (n - 1); i++) {
        turn.ua[0] = turn.ua[1] = turn.ua[2] = 0;
        turn.ua[i - n] = 1;
        rows[i] = hol_add_row(m, &turn);
    }
    return !m->arena.failed;
}

static int build_axes(HolModel *m, HolForce *f, const int rows[6], HolError *err) {
    const HolForceDef *d = &f->def;
    const int n = force_bushing_planar(m) ? 2 : 3;
    int ok = 1;
    for (int i = 0; i < n; i++) {
        HolForceLaw l = {pick(d->stiffness, d->n_stiffness, i), pick(d->damping, d->n_damping, i),
                         "0", NULL, "length"};
        ok &= hol_force_law(m, f, rows[i], &l, err);
    }
    if (!d->n_rotational_stiffness && !d->n_rotational_damping)
        return ok;
    for (int i = n; i < 3 * (n - 1); i++) {
        HolForceLaw l = {pick(d->rotational_stiffness, d->n_rotational_stiffness, i - n),
                         pick(d->rotational_damping, d->n_rotational_damping, i - n),
                         force_bushing_planar(m) ? d->angle[0] : "0", NULL, "angle"};
        ok &= hol_force_law(m, f, rows[i], &l, err);
    }
    return ok;
}

static int build_matrix(HolModel *m, HolForce *f, const int rows[6], HolError *err) {
    const HolForceDef *d = &f->def;
    const int n = force_bushing_planar(m) ? 3 : 6, force = (int)(f - m->def.forces);
    double free[6] = {0};
    if (force_bushing_planar(m)) {
        HolExpr *e = d->n_angle ? hol_force_expr(m, f, "angle", d->angle[0], err) : NULL;
        free[2] = hol_row_initial(m, &m->sys.rows[rows[2]]);
        if (d->n_angle && (!e || !hol_expr_is_constant(e, &free[2]))) {
            if (e)
                hol_problem_error(m, err, d->line, d->column,
                                  "force '%s': with a matrix the free angle must be constant",
                                  d->name);
            return 0;
        }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            const double k = d->matrix ? d->matrix[n * i + j] : 0,
                         c = d->damping_matrix ? d->damping_matrix[n * i + j] : 0;
            if (i == j && hol_add_element(m, force, rows[i], k, free[i], c, NULL) < 0)
                return 0;
            if (i != j && (k != 0 || c != 0) &&
                !hol_add_coupling(m, force, (int[2]){rows[i], rows[j]},
                                  (double[2]){free[i], free[j]}, k, c))
                return 0;
        }
    return 1;
}

static int build_bushing(HolModel *m, HolForce *f, HolError *err) {
    const HolForceDef *d = &f->def;
    const int turns =
        d->matrix || d->damping_matrix || d->n_rotational_stiffness || d->n_rotational_damping;
    int rows[6];
    if (turns && (!hol_force_turns(m, f, &f->a, err) || !hol_force_turns(m, f, &f->b, err)))
        return 0;
    if (!force_bushing_add_rows(m, f, rows, err))
        return 0;
    return f->def.matrix || f->def.damping_matrix ? build_matrix(m, f, rows, err)
                                                  : build_axes(m, f, rows, err);
}

const HolKind hol_force_kind_bushing = {
    .name = "bushing",
    .spaces = HOL_EVERYWHERE,
    .help = "springs and dampers along the axes of the first body, and about them",
    .fields =
        (const char *const[]){"between", "stiffness", "damping", "rotational_stiffness",
                              "rotational_damping", "matrix", "damping_matrix", "angle", NULL},
    .build_force = build_bushing,
};
