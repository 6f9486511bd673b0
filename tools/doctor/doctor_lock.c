// SPDX-License-Identifier: Apache-2.0
// Loops that cannot move because a joint is slightly out of line. Most hinges of a plane loop have one
// direction n, most slides lie across it; a joint whose axis is a little off locks the loop. Two hinges of one
// body must have the same line. The joint is put where it belongs, the model built anew: if
// it then moves, that was the reason.
#include "tools/doctor/doctor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double INLINE = 1e-9;   // [rad], of L: still in line
static const double SLIGHTLY = 0.36; // [rad] about 20 degrees
static const double BESIDE = 0.2;    // of L: an offset that is a mistake

static int lock_kind(const Doctor *d, int edge) { // 1 hinge, 2 slide
    const HolKind *k = d->m->def.joints[d->edges[edge].joint].kind;
    if (k->holds[1] == HOL_HOLDS_ACROSS && k->holds[0] == HOL_HOLDS_ALL)
        return 1;
    return k->holds[0] == HOL_HOLDS_ACROSS && k->holds[1] == HOL_HOLDS_ALL ? 2 : 0;
}

static double lock_angle(Vec3 a, Vec3 b) { // between lines
    const double s = v3_norm(v3_cross(a, b)), c = fabs(v3_dot(a, b));
    return atan2(s, c);
}

// how far the axis of an edge is off: hinges from n, slides from the plane across it
static double lock_off(const Doctor *d, int edge, Vec3 n) {
    const double angle = lock_angle(hol_doctor_axis(d, &d->here, &d->edges[edge]), n);
    return lock_kind(d, edge) == 2 ? fabs(M_PI / 2 - angle) : angle;
}

// the direction that most joints of the loop agree on; how many
static int lock_direction(const Doctor *d, const DoctorLoop *loop, Vec3 *n) {
    int best = 0;
    for (int i = 0; i < loop->n; i++) {
        if (lock_kind(d, loop->edges[i]) != 1)
            continue;
        const Vec3 z = hol_doctor_axis(d, &d->here, &d->edges[loop->edges[i]]);
        int agree = 0;
        for (int k = 0; k < loop->n; k++)
            agree += lock_kind(d, loop->edges[k]) && lock_off(d, loop->edges[k], z) <= INLINE;
        if (agree > best) {
            best = agree;
            *n = z;
        }
    }
    return best;
}

static int lock_moves(const Doctor *d, const DoctorChange *c) {
    int dof, redundant, same;
    if (!hol_doctor_try(d, c, 1, &dof, &redundant, &same))
        return 0;
    // (with a drive, the freedom gained is driven: one redundant row fewer than the axis costs)
    return dof > d->check.dof || redundant - dof < d->check.redundant - d->check.dof;
}

static int lock_report(Doctor *d, DoctorLoop *loop, int edge, Vec3 at, Vec3 axis, double degrees,
                       double offset, const char *text) {
    const DoctorEdge *e = &d->edges[edge];
    DoctorChange c = {.joint = e->joint, .to = d->m->def.joints[e->joint].kind->name};
    HolDoctorLock *lock = HOL_NEW(&d->arena, HolDoctorLock, 1);
    if (!lock)
        return 0;
    hol_doctor_place_joint(d, e, at, axis, axis, &c);
    *lock = (HolDoctorLock){.joint = d->m->def.joints[e->joint].def.name,
                            .text = text,
                            .degrees = degrees,
                            .offset = offset,
                            .verified = lock_moves(d, &c)};
    v3_store(lock->axis, axis);
    v3_store(lock->at, at);
    if (!lock->verified)
        return 0;
    loop->out.lock = lock;
    return 1;
}

// two hinges between the same bodies
static int lock_pair(Doctor *d, DoctorLoop *loop) {
    const DoctorEdge *first = &d->edges[loop->edges[1]], *second = &d->edges[loop->edges[0]];
    const Vec3 z = hol_doctor_axis(d, &d->here, first), y = hol_doctor_axis(d, &d->here, second);
    const Vec3 P = hol_doctor_place(d, &d->here, first), Q = hol_doctor_place(d, &d->here, second);
    const Vec3 onto = v3_add(P, v3_scale(z, v3_dot(z, v3_sub(Q, P))));
    const double angle = lock_angle(z, y), offset = v3_norm(v3_sub(Q, onto));
    const char *a = d->m->def.joints[first->joint].def.name,
               *b = d->m->def.joints[second->joint].def.name, *text;
    if (lock_kind(d, loop->edges[0]) != 1 || lock_kind(d, loop->edges[1]) != 1 ||
        angle > SLIGHTLY || offset > BESIDE * loop->L ||
        (angle <= INLINE && offset <= INLINE * loop->L))
        return -1;
    if (angle > INLINE && offset > INLINE * loop->L)
        text =
            hol_doctor_say(&d->arena,
                           "the axes of %s and %s are %.4g degrees and %.4g m apart: the loop is "
                           "locked",
                           a, b, angle * 180 / M_PI, offset);
    else if (angle > INLINE)
        text = hol_doctor_say(&d->arena,
                              "the axis of %s is %.4g degrees off that of %s: the loop is locked",
                              b, angle * 180 / M_PI, a);
    else
        text = hol_doctor_say(&d->arena,
                              "the axis of %s runs %.4g m beside that of %s: the loop is locked", b,
                              offset, a);
    return lock_report(d, loop, loop->edges[0], onto, z, angle * 180 / M_PI, offset, text)
               ? loop->edges[0]
               : -1;
}

int hol_doctor_lock(Doctor *d, DoctorLoop *loop) {
    Vec3 n;
    const char *names[16];
    int off = -1, count = 0;
    if (d->D != 6 || loop->mobility > 0 || loop->d == 0 || loop->n > 64)
        return -1;
    if (loop->n == 2)
        return lock_pair(d, loop);
    const int agree = lock_direction(d, loop, &n);
    for (int i = 0; i < loop->n; i++) {
        const int edge = loop->edges[i];
        if (!lock_kind(d, edge))
            continue;
        const double angle = lock_off(d, edge, n);
        if (angle > INLINE && angle < SLIGHTLY && off < 0)
            off = edge;
        else if (angle <= INLINE && count < 16)
            names[count++] = d->m->def.joints[d->edges[edge].joint].def.name;
    }
    if (agree < 2 || off < 0)
        return -1;
    const DoctorEdge *e = &d->edges[off];
    const Vec3 axis = hol_doctor_axis(d, &d->here, e), place = hol_doctor_place(d, &d->here, e);
    const double degrees = lock_off(d, off, n) * 180 / M_PI;
    const int slides = lock_kind(d, off) == 2;
    const Vec3 right = slides                ? v3_unit(v3_sub(axis, v3_scale(n, v3_dot(n, axis))))
                       : v3_dot(axis, n) < 0 ? v3_scale(n, -1)
                                             : n;
    char direction[40];
    hol_doctor_direction(right, direction, sizeof direction);
    const char *text = hol_doctor_say(
        &d->arena, "the axis of %s is %.4g degrees off the %s of %s: the loop is locked",
        d->m->def.joints[e->joint].def.name, degrees,
        slides ? "plane across the axes" : "common direction",
        hol_doctor_list(&d->arena, names, count, 6, "joints"));
    return lock_report(d, loop, off, place, right, degrees, 0, text) ? off : -1;
}
