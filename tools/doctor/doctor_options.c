// SPDX-License-Identifier: Apache-2.0
// What a joint can be replaced by: kinds that hold less of the same (HolKind.holds), and nothing. A kind
// that holds translations T and rotations M is replaced by one whose T' and M' are parts of these; the
// relative motions that become free are twists about the joint's place.
#include "tools/doctor/doctor.h"

#include <math.h>
#include <string.h>

// costs: changing a joint at all, to a kind that is seldom built, with a new axis, leaving it out
static const double CHANGE = 1, SELDOM = 1.6, RARE = 2.2, NEW_AXIS = 0.3, LEAVE_OUT = 3;

typedef struct Freed {
    Vec3 v[6], omega[6];
    int n;
} Freed;

static int options_part(HolHolds from, HolHolds to) {
    if (to == from || to == HOL_HOLDS_NONE)
        return 1;
    if (from == HOL_HOLDS_ALL)
        return to == HOL_HOLDS_ACROSS || to == HOL_HOLDS_ALONG;
    return from == HOL_HOLDS_ACROSS && to == HOL_HOLDS_ONE;
}

static void options_free(Freed *f, Vec3 u, int turns) {
    f->v[f->n] = turns ? v3(0, 0, 0) : u;
    f->omega[f->n++] = turns ? u : v3(0, 0, 0);
}

// directions of one list that the new kind does not hold any more
static void options_freed(Freed *f, const Vec3 *u, int n, HolHolds from, HolHolds to, Vec3 axis,
                          int turns) {
    if (to == from)
        return;
    if (to == HOL_HOLDS_NONE) {
        for (int i = 0; i < n; i++)
            options_free(f, u[i], turns);
    } else if (to == HOL_HOLDS_ACROSS || to == HOL_HOLDS_ONE) {
        options_free(f, axis, turns);
    } else if (to == HOL_HOLDS_ALONG) {
        for (int i = 0; i < n; i++) { // (at most the two across)
            const Vec3 across = v3_sub(u[i], v3_scale(axis, v3_dot(axis, u[i])));
            if (v3_norm(across) > 0.1)
                options_free(f, v3_unit(across), turns);
        }
    }
}

static void options_pack(const Doctor *d, const Freed *f, double L, DoctorOption *o) {
    double x[DOCTOR_D][DOCTOR_D];
    // (twists: lengths are multiplied where those of wrenches are divided)
    const int n = f->n < DOCTOR_D ? f->n : DOCTOR_D;
    for (int i = 0; i < n; i++)
        hol_doctor_pack(d, f->v[i], v3_scale(f->omega[i], L * L), L, x[i]);
    o->freed = hol_doctor_span(d->D, x, n, DOCTOR_DEPENDENT, o->twist);
}

typedef struct Source {
    const DoctorEdge *e;
    int edge;
    Vec3 T[3], M[3], axis, place; // at the configuration of the analysis
    Vec3 axis_here, place_here;
    int nT, nM;
    HolHolds holds[2];
} Source;

static HolHolds options_rotation(const Doctor *d, HolHolds h) {
    return d->D == 3 && (h == HOL_HOLDS_ACROSS || h == HOL_HOLDS_ONE) ? HOL_HOLDS_NONE : h;
}

// one option; u: the new axis where the kind needs one that the joint does not have
static int options_make(const Doctor *d, const Source *s, const HolKind *to, const Vec3 *u,
                        double L, DoctorOption *o) {
    const HolHolds T = to->holds[0], M = options_rotation(d, to->holds[1]);
    Freed f = {.n = 0};
    const Vec3 axis = u ? *u : s->axis;
    options_freed(&f, s->T, s->nT, s->holds[0], T, axis, 0);
    options_freed(&f, s->M, s->nM, s->holds[1], M, axis, 1);
    *o = (DoctorOption){.edge = s->edge, .cost = CHANGE};
    options_pack(d, &f, L, o);
    if (!o->freed || o->freed != f.n)
        return 0;
    o->cost += (o->freed > 3 ? RARE : o->freed == 3 ? SELDOM : 0) + (u ? NEW_AXIS : 0);
    o->change = (DoctorChange){.joint = s->e->joint, .to = to->name};
    if (u) {
        o->has_axis = 1;
        v3_store(o->axis, *u);
        hol_doctor_place_joint(d, s->e, s->place_here, M == HOL_HOLDS_ONE ? s->axis_here : *u, *u,
                               &o->change);
    }
    return 1;
}

// directions for a new axis: across the joint's own, or in the plane
static int options_axes(const Doctor *d, const Source *s, const DoctorLoop *loop, HolHolds M,
                        Vec3 u[3]) {
    if (d->D == 6 && M == HOL_HOLDS_ONE) {
        DoctorBasis b;
        hol_doctor_basis(d, &d->here, s->e, loop->E, 1, &b);
        int n = 0;
        for (int k = 0; k < b.n && n < 2; k++) {
            Vec3 f, m;
            hol_doctor_unpack(d, b.w[k], 1, &f, &m);
            if (v3_norm(f) == 0)
                u[n++] = v3_unit(m);
        }
        return n;
    }
    if (d->D == 6)
        return 0;
    u[0] = v3(1, 0, 0);
    u[1] = v3(0, 1, 0);
    const Vec3 along = v3(loop->near_stress[0][0], loop->near_stress[0][1], 0);
    u[2] = v3_unit(along);
    return v3_norm(along) > 0 && fabs(u[2].x) > 1e-6 && fabs(u[2].y) > 1e-6 ? 3 : 2;
}

// a loop of two joints at one place: one of them is written twice
static int options_twins(const Doctor *d, const DoctorPose *p, const DoctorLoop *loop) {
    if (loop->across || loop->n != 2)
        return 0;
    const Vec3 P = hol_doctor_place(d, p, &d->edges[loop->edges[0]]),
               Q = hol_doctor_place(d, p, &d->edges[loop->edges[1]]);
    return v3_norm(v3_sub(P, Q)) <= 1e-9 * loop->L;
}

static int options_leave_out(const Doctor *d, const DoctorPose *p, const Source *s,
                             const DoctorLoop *loop, DoctorOption *o) {
    const double L = loop->L;
    double w[DOCTOR_ROWS][DOCTOR_D];
    for (int k = 0; k < s->e->n_own; k++)
        hol_doctor_wrench(d, p, s->e, s->e->rows[k], s->place, L, w[k]);
    *o = (DoctorOption){.edge = s->edge,
                        .cost = CHANGE + (options_twins(d, p, loop) ? 0 : LEAVE_OUT)};
    o->freed = hol_doctor_span(d->D, w, s->e->n_own, DOCTOR_DEPENDENT, o->twist);
    o->change = (DoctorChange){.joint = s->e->joint};
    return o->freed == s->e->n_own;
}

int hol_doctor_options(const Doctor *d, const DoctorPose *p, int edge, const DoctorLoop *loop,
                       DoctorOption out[DOCTOR_OPTIONS]) {
    const DoctorEdge *e = &d->edges[edge];
    const HolKind *kind = d->m->def.joints[e->joint].kind;
    const int space = d->D == 3 ? HOL_IN_PLANE : HOL_IN_SPACE;
    const int point = !hol_body_turns(&d->m->def.bodies[e->a].def) ||
                      !hol_body_turns(&d->m->def.bodies[e->b].def);
    Source s = {.e = e, .edge = edge, .axis = hol_doctor_axis(d, p, e)};
    int n = 0;
    s.place = hol_doctor_place(d, p, e);
    s.place_here = hol_doctor_place(d, &d->here, e);
    s.axis_here = hol_doctor_axis(d, &d->here, e);
    s.holds[0] = kind->holds[0];
    s.holds[1] = options_rotation(d, kind->holds[1]);
    const int said = hol_doctor_holds(d, p, e, s.T, &s.nT, s.M, &s.nM);
    const int own_axis = v3_norm(s.axis) > 0 && !(kind->flags & HOL_KIND_TWO_AXES) &&
                         !(d->D == 3 && s.holds[0] == HOL_HOLDS_ALL);
    for (const HolKind *const *k = hol_joint_kinds; said && *k && n < DOCTOR_OPTIONS - 4; k++) {
        const HolHolds T = (*k)->holds[0], M = options_rotation(d, (*k)->holds[1]);
        if (!((*k)->spaces & space) || T == HOL_HOLDS_UNSAID || !options_part(s.holds[0], T) ||
            !options_part(s.holds[1], M) || (point && ((*k)->orients & space)) ||
            (e->used && !((*k)->flags & HOL_KIND_TREE_LINK)) || T == HOL_HOLDS_NONE)
            continue;
        const int needs = T == HOL_HOLDS_ACROSS || T == HOL_HOLDS_ALONG || M == HOL_HOLDS_ACROSS;
        Vec3 u[3];
        int axes = 0;
        // (a point on a plane or a line of any direction)
        const int any =
            d->D == 6 && s.holds[0] == HOL_HOLDS_ALL && T != HOL_HOLDS_ALL && M == HOL_HOLDS_NONE;
        if (M == HOL_HOLDS_ONE && s.holds[1] != HOL_HOLDS_ONE)
            axes = own_axis ? options_axes(d, &s, loop, M, u) : 0;
        else if (!needs || own_axis)
            n += options_make(d, &s, *k, NULL, loop->L, &out[n]);
        else
            axes = options_axes(d, &s, loop, M, u);
        for (int i = 0; i < 3 && any; i++)
            if (!own_axis || fabs(v3_dot(s.axis_here, loop->E[i])) < 0.99)
                u[axes++] = loop->E[i];
        for (int i = 0; i < axes && n < DOCTOR_OPTIONS - 1; i++)
            n += options_make(d, &s, *k, &u[i], loop->L, &out[n]);
    }
    if (!e->used)
        n += options_leave_out(d, p, &s, loop, &out[n]);
    return n;
}
