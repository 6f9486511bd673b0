// SPDX-License-Identifier: Apache-2.0
// The model with some joints changed or left out, built anew from the definitions of the first one, and
// what assembly finds of it. Outputs are left out: they may name what is gone.
#include "solve/run/error_test.h"
#include "tools/doctor/doctor.h"

#include <math.h>
#include <string.h>

static const double SAME_MOTION = 1e-6; // largest difference of accelerations, of their size

static const DoctorChange *variant_find(const DoctorChange *changes, int n, int joint,
                                        const char *name) {
    for (int i = 0; i < n; i++)
        if (joint >= 0 ? changes[i].joint == joint
                       : changes[i].joint < 0 && strcmp(changes[i].name, name) == 0)
            return &changes[i];
    return NULL;
}

static void variant_ref(HolRef *ref, const DoctorChange *c, int side) {
    ref->point = NULL;
    ref->has_at = ref->has_axis = 1;
    ref->has_x = 0;
    memcpy(ref->at, c->at[side], sizeof ref->at);
    memcpy(ref->axis, c->axis[side], sizeof ref->axis);
}

static HolStatus variant_joints(HolModel *to, const HolModel *from, const DoctorChange *changes,
                                int n, HolError *err) {
    for (int i = 0; i < from->def.n_joints; i++) {
        HolJointDef def = from->def.joints[i].def;
        const DoctorChange *c = variant_find(changes, n, i, NULL);
        if (c && !c->to)
            continue;
        if (c)
            def.type = c->to;
        if (c && c->placed) {
            def.global_frame = def.has_axis = def.has_x = 0;
            variant_ref(&def.a, c, 0);
            variant_ref(&def.b, c, 1);
        }
        HolStatus status = hol_model_add_joint(to, &def, err);
        if (status)
            return status;
    }
    return HOL_OK;
}

static HolStatus variant_parts(HolModel *to, const HolModel *from, HolError *err) {
    const HolDefinitions *d = &from->def;
    HolStatus status = HOL_OK;
    for (int i = 0; i < d->n_parameters && !status; i++)
        status = hol_model_add_parameter(to, d->parameters[i].name, d->parameters[i].value, err);
    for (int i = 0; i < d->n_tables && !status; i++) {
        HolTableDef table = d->tables[i];
        table.size = sizeof table;
        status = hol_model_add_table(to, &table, err);
    }
    for (int i = 0; i < d->bodies[0].def.n_points && !status; i++)
        status = hol_model_add_ground_point(to, &d->bodies[0].def.points[i], err);
    for (int i = 1; i < hol_visible_bodies(from) && !status; i++)
        status = hol_model_add_body(to, &d->bodies[i].def, err);
    return status;
}

static HolStatus variant_rest(HolModel *to, const HolModel *from, const DoctorChange *changes,
                              int n, HolError *err) {
    const HolDefinitions *d = &from->def;
    HolStatus status = HOL_OK;
    for (int i = 0; i < d->n_forces && !status; i++)
        status = hol_model_add_force(to, &d->forces[i].def, err);
    for (int i = 0; i < d->n_motions && !status; i++)
        if (!variant_find(changes, n, -1, d->motions[i].def.name))
            status = hol_model_add_motion(to, &d->motions[i].def, err);
    for (int i = 0; i < d->n_constraints && !status; i++)
        if (!variant_find(changes, n, -1, d->constraints[i].def.name))
            status = hol_model_add_constraint(to, &d->constraints[i].def, err);
    for (int i = 0; i < d->n_states && !status; i++)
        status = hol_model_add_state(to, &d->states[i].def, err);
    for (int i = 0; i < d->n_variables && !status; i++)
        if (d->variables[i].def.value) // (others were made by compile)
            status = hol_model_add_variable(to, &d->variables[i].def, err);
    return status;
}

HolStatus hol_doctor_variant(const Doctor *d, const DoctorChange *changes, int n, HolModel **out,
                             HolError *err) {
    const HolModel *m = d->m;
    HolModel *to = NULL;
    *out = NULL;
    HolStatus status = hol_model_create(m->name, m->space, m->gravity, &to, err);
    if (!status)
        status = variant_parts(to, m, err);
    if (!status)
        status = variant_joints(to, m, changes, n, err);
    if (!status)
        status = variant_rest(to, m, changes, n, err);
    if (!status)
        status = hol_model_compile(to, err);
    if (status) {
        hol_model_destroy(to);
        return status;
    }
    *out = to;
    return HOL_OK;
}

static double variant_size(const HolSim *s, const double *a, const double *b) {
    double most = 0;
    for (int i = 0; i < s->nv; i++)
        most = fmax(most, fabs(a[i] - (b ? b[i] : 0)) * s->test->near[i]);
    return most;
}

// accelerations that the forces alone would give, of bodies without joints
static double variant_loads(const HolSim *s, HolArena *scratch) {
    const HolPattern *P = &s->p->M;
    double *M = HOL_NEW(scratch, double, P->nnz + 1), *f = HOL_NEW(scratch, double, s->nv + 1);
    double most = 0;
    if (scratch->failed)
        return 0;
    s->p->mass(s->p, s->work, HOL_AT(&s->x), 1, 0, M);
    s->p->force(s->p, s->work, HOL_AT(&s->x), f);
    for (int c = 0; c < s->nv; c++)
        for (int k = P->ptr[c]; k < P->ptr[c + 1]; k++)
            if (P->idx[k] == c && M[k] > 0)
                most = fmax(most, fabs(f[c] / M[k]) * s->test->near[c]);
    return most;
}

int hol_doctor_try(const Doctor *d, const DoctorChange *changes, int n, int *dof, int *redundant,
                   int *same) {
    HolModel *m = NULL;
    HolSim *s = NULL;
    HolArena scratch = {0};
    HolError *err = HOL_NEW(&scratch, HolError, 1);
    HolCheck *check = HOL_NEW(&scratch, HolCheck, 1);
    HolStatus status = err && check ? hol_doctor_variant(d, changes, n, &m, err) : HOL_ERR_MEMORY;
    if (!status)
        status = hol_sim_create(m, &d->options, &s, err);
    if (!status)
        status = hol_sim_check(s, check, err);
    if (!status) {
        *dof = check->dof;
        *redundant = check->redundant;
        // (a start that assembly had to move may be closed another way)
        const HolSim *first = d->sim;
        const double size = variant_size(first, first->x.a, NULL) + variant_loads(first, &scratch);
        *same = d->check.n_moved > 0 ||
                variant_size(first, first->x.a, s->x.a) <=
                    SAME_MOTION * (size + variant_size(first, first->x.v, NULL));
    }
    hol_sim_destroy(s);
    hol_model_destroy(m);
    hol_arena_free(&scratch);
    return status == HOL_OK;
}

void hol_doctor_place_joint(const Doctor *d, const DoctorEdge *e, Vec3 at, Vec3 za, Vec3 zb,
                            DoctorChange *c) {
    const int bodies[2] = {e->a, e->b};
    const Vec3 axis[2] = {za, zb};
    c->placed = 1;
    for (int i = 0; i < 2; i++) {
        const DoctorPose *p = &d->here;
        const Vec3 from = v3_sub(at, p->r[bodies[i]]);
        v3_store(c->at[i], m3_tmulv(p->A[bodies[i]], from));
        v3_store(c->axis[i], m3_tmulv(p->A[bodies[i]], axis[i]));
        if (!hol_body_turns(&d->m->def.bodies[bodies[i]].def))
            v3_store(c->at[i], v3(0, 0, 0));
    }
}
