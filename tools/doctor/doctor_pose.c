// SPDX-License-Identifier: Apache-2.0
// Places of bodies and wrenches of constraint rows at one configuration. A row G_i of the constraint
// Jacobian is, on body b, a force along the velocity of its centre of mass and a moment along its
// angular velocity (space: body axes); body a has the opposite of both, about the same point.
#include "tools/doctor/doctor.h"

#include <math.h>
#include <string.h>

int hol_doctor_pose(Doctor *d, const double *q, DoctorPose *pose) {
    const HolModel *m = d->m;
    HolSim *s = d->sim;
    const int n = m->def.n_bodies;
    *pose = (DoctorPose){.q = q,
                         .r = HOL_NEW(&d->arena, Vec3, n),
                         .A = HOL_NEW(&d->arena, Mat3, n),
                         .G = HOL_NEW(&d->arena, double, s->p->G.nnz + 1)};
    if (d->arena.failed)
        return 0;
    pose->A[0] = m3_identity();
    for (int i = 1; i < n; i++) {
        const HolBody *b = &m->def.bodies[i];
        const double *x = q + b->q;
        pose->A[i] = m3_identity();
        if (!hol_body_placed(&b->def))
            continue;
        pose->r[i] = v3(x[0], x[1], m->space == HOL_SPATIAL ? x[2] : 0);
        if (!hol_body_turns(&b->def))
            continue;
        if (m->space == HOL_SPATIAL) {
            pose->A[i] = q_matrix(q_load(x + 3));
        } else {
            const double c = cos(x[2]), sn = sin(x[2]);
            pose->A[i] = (Mat3){{c, -sn, 0, sn, c, 0, 0, 0, 1}};
        }
    }
    if (s->m)
        s->p->jacobian(s->p, s->work, &(HolPoint){.t = s->x.t, .q = q}, pose->G);
    return 1;
}

Vec3 hol_doctor_place(const Doctor *d, const DoctorPose *p, const DoctorEdge *e) {
    const HolJoint *j = &d->m->def.joints[e->joint];
    return v3_add(p->r[e->b], m3_mulv(p->A[e->b], v3_load(j->b.at)));
}

Vec3 hol_doctor_axis(const Doctor *d, const DoctorPose *p, const DoctorEdge *e) {
    const HolJoint *j = &d->m->def.joints[e->joint];
    return j->a.has_axis ? v3_unit(m3_mulv(p->A[e->a], v3_load(j->a.axis))) : v3(0, 0, 0);
}

void hol_doctor_pack(const Doctor *d, Vec3 f, Vec3 m, double L, double w[DOCTOR_D]) {
    memset(w, 0, sizeof(double) * DOCTOR_D);
    w[0] = f.x;
    w[1] = f.y;
    if (d->D == 3) {
        w[2] = m.z / L;
        return;
    }
    w[2] = f.z;
    w[3] = m.x / L;
    w[4] = m.y / L;
    w[5] = m.z / L;
}

void hol_doctor_unpack(const Doctor *d, const double w[DOCTOR_D], double L, Vec3 *f, Vec3 *m) {
    *f = v3(w[0], w[1], d->D == 3 ? 0 : w[2]);
    *m = d->D == 3 ? v3(0, 0, w[2] * L) : v3(w[3] * L, w[4] * L, w[5] * L);
}

void hol_doctor_wrench(const Doctor *d, const DoctorPose *p, const DoctorEdge *e, int row,
                       Vec3 about, double L, double w[DOCTOR_D]) {
    const HolPattern *P = &d->sim->p->G;
    const int body = e->b ? e->b : e->a;
    const double sign = e->b ? 1 : -1;
    const HolBody *b = &d->m->def.bodies[body];
    double x[6] = {0};
    for (int k = P->ptr[row]; k < P->ptr[row + 1]; k++)
        if (P->idx[k] >= b->v && P->idx[k] < b->v + b->nv)
            x[P->idx[k] - b->v] = sign * p->G[k];
    Vec3 f, m = v3(0, 0, 0);
    if (d->D == 3) {
        f = v3(x[0], x[1], 0);
        m = v3(0, 0, b->nv == 3 ? x[2] : 0);
    } else {
        f = v3(x[0], x[1], x[2]);
        if (b->nv == 6)
            m = m3_mulv(p->A[body], v3(x[3], x[4], x[5]));
    }
    m = v3_add(m, v3_cross(v3_sub(p->r[body], about), f));
    hol_doctor_pack(d, f, m, L, w);
}
