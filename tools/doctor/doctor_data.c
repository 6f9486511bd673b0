// SPDX-License-Identifier: Apache-2.0
// Data that is possible but hardly meant. Each rule compares a value with others of the same model or with
// what any body can have, and stays silent where it cannot know:
//   inertia   principal moments I1 + I2 < I3; a radius of gyration far from the size of the body
//   mass      denser than any matter as a cube around the body; 1e4 times as heavy as the others
//   units     a body 300 times as large as the others; gravity of 981 or 9810; an angle of whole degrees
//   unconnected   no joint, force or equation, while other bodies have joints
//   massless  no mass and nothing that holds it
#include "tools/doctor/doctor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double TRIANGLE = 1e-6; // of the largest moment
static const double DENSEST = 3e4;   // [kg/m^3] more than any metal
static const double HEAVY = 100;     // [kg] below this light small parts are not looked at
static const double ENORMOUS = 1e6;  // [kg] for parts below LARGE [m], or of unknown size
static const double LARGE = 20;
static const double OUTWEIGHS = 1e4;                                  // the others
static const double OUTGROWS = 300;                                   // the others
static const double GYRATION_LARGE = 100, GYRATION_SMALL = 1.0 / 300; // of the size

typedef struct Facts {
    double *size; // of bodies: how far their places reach from the centre of mass; 0: unknown
    unsigned char *held;  // by an equation
    unsigned char *acted; // on by a force
    int joints;
} Facts;

// ---- facts ----

static void data_reach(Facts *f, int body, const double *at) {
    f->size[body] = fmax(f->size[body], sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]));
}

static int data_facts(const HolModel *m, HolArena *scratch, Facts *f) {
    f->size = HOL_NEW(scratch, double, m->def.n_bodies + 1);
    f->held = HOL_NEW(scratch, unsigned char, m->def.n_bodies + 1);
    f->acted = HOL_NEW(scratch, unsigned char, m->def.n_bodies + 1);
    if (scratch->failed)
        return 0;
    for (int i = 0; i < m->def.n_bodies; i++)
        for (int k = 0; k < m->def.bodies[i].def.n_points; k++)
            data_reach(f, i, m->def.bodies[i].def.points[k].at);
    for (int i = 0; i < m->def.n_joints; i++) {
        const HolJoint *j = &m->def.joints[i];
        f->joints += !j->kind->couples[0];
        if (!j->kind->couples[0]) {
            data_reach(f, j->a.body, j->a.at);
            data_reach(f, j->b.body, j->b.at);
        }
    }
    for (int i = 0; i < m->sys.n_equations; i++)
        for (int k = 0; k < m->sys.equations[i].n_bodies; k++)
            f->held[m->sys.equations[i].bodies[k]] = 1;
    for (int i = 0; i < m->sys.n_elements; i++) {
        const HolRow *r = &m->sys.rows[m->sys.elements[i].row];
        f->acted[r->a] = f->acted[r->b] = 1;
    }
    for (int i = 0; i < m->beams.n; i++) // (elements hold the nodes of a beam)
        for (int k = 0; k <= m->beams.list[i].n; k++)
            f->acted[m->beams.list[i].first + k] = 1;
    for (int i = 0; i < m->sys.n_slots; i++) // (named in an expression)
        if (m->sys.slots[i].type == HOL_SLOT_VALUE || m->sys.slots[i].type == HOL_SLOT_RATE) {
            const HolRow *r = &m->sys.rows[m->sys.slots[i].row];
            if (i < m->sys.n_active_slots)
                f->acted[r->a] = f->acted[r->b] = 1;
        }
    return 1;
}

static int data_ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// median of what other bodies have; 0: fewer than two others
static double data_others(const HolModel *m, const double *value, double *room, int body) {
    int n = 0;
    for (int i = 1; i < m->def.n_bodies; i++)
        if (i != body && value[i] > 0)
            room[n++] = value[i];
    qsort(room, (size_t)n, sizeof *room, data_ascending);
    return n < 2 ? 0 : room[n / 2];
}

// ---- rules ----

// eigenvalues of a symmetric matrix, by its invariants
static void data_principal(const double *I, double out[3]) {
    const double q = (I[0] + I[1] + I[2]) / 3, a = I[0] - q, b = I[1] - q, c = I[2] - q;
    const double p =
        sqrt((a * a + b * b + c * c + 2 * (I[3] * I[3] + I[4] * I[4] + I[5] * I[5])) / 6);
    if (!(p > 0)) {
        out[0] = out[1] = out[2] = q;
        return;
    }
    const double det = a * (b * c - I[4] * I[4]) - I[3] * (I[3] * c - I[4] * I[5]) +
                       I[5] * (I[3] * I[4] - b * I[5]);
    const double phi = acos(fmax(-1, fmin(1, det / (2 * p * p * p)))) / 3;
    out[2] = q + 2 * p * cos(phi);
    out[0] = q + 2 * p * cos(phi + 2 * M_PI / 3);
    out[1] = 3 * q - out[0] - out[2];
}

static void data_inertia(Doctor *d, const Facts *f, int i) {
    const HolBodyDef *b = &d->m->def.bodies[i].def;
    double I[3] = {0, 0, b->inertia[0]};
    if (!hol_body_turns(b))
        return;
    if (d->D == 6) {
        data_principal(b->inertia, I);
        // (a wheel that only has inertia about its axis is an idealization, and meant)
        if (I[0] + I[1] < I[2] * (1 - TRIANGLE) && I[0] + I[1] > TRIANGLE * I[2])
            hol_doctor_warn(d, "inertia", b->name, b->line, b->column,
                            "body '%s': no body has this inertia: of the principal moments %.4g, "
                            "%.4g and %.4g the largest exceeds the sum of the others",
                            b->name, I[0], I[1], I[2]);
    }
    const double radius = b->mass > 0 && I[2] > 0 ? sqrt(I[2] / b->mass) : 0;
    if (!(radius > 0) || !(f->size[i] > 0))
        return;
    if (radius > GYRATION_LARGE * f->size[i] || radius < GYRATION_SMALL * f->size[i])
        hol_doctor_warn(d, "inertia", b->name, b->line, b->column,
                        "body '%s': its inertia means a radius of gyration of %.3g m, but its "
                        "places reach %.3g m: is the inertia in kg m^2?",
                        b->name, radius, f->size[i]);
}

static void data_mass(Doctor *d, const Facts *f, int i, double others) {
    const HolBodyDef *b = &d->m->def.bodies[i].def;
    const double edge = 2 * f->size[i];
    if (!hol_body_placed(b) || !(b->mass >= HEAVY))
        return;
    if (edge > 0 && b->mass > DENSEST * edge * edge * edge)
        hol_doctor_warn(d, "mass", b->name, b->line, b->column,
                        "body '%s': %.4g kg in %.3g m is denser than any matter: is the mass in "
                        "kg, the length in m?",
                        b->name, b->mass, edge);
    else if (b->mass > ENORMOUS && edge < LARGE)
        hol_doctor_warn(d, "mass", b->name, b->line, b->column,
                        "body '%s' has a mass of %.4g kg: is the density in kg/m^3, are the "
                        "lengths in m?",
                        b->name, b->mass);
    else if (others > 0 && b->mass > OUTWEIGHS * others)
        hol_doctor_warn(d, "mass", b->name, b->line, b->column,
                        "body '%s' has a mass of %.4g kg, %.2g times that of the others", b->name,
                        b->mass, b->mass / others);
}

static void data_units(Doctor *d, const Facts *f, int i, double others) {
    const HolBodyDef *b = &d->m->def.bodies[i].def;
    if (others > 0 && f->size[i] > OUTGROWS * others)
        hol_doctor_warn(
            d, "units", b->name, b->line, b->column,
            "body '%s': its places reach %.4g m, those of the other bodies about %.4g m: "
            "are its lengths in millimetres?",
            b->name, f->size[i], others);
    if (hol_body_turns(b) && d->D == 3 && fabs(b->angle) > 7 && fmod(fabs(b->angle), 5) == 0)
        hol_doctor_warn(d, "units", b->name, b->line, b->column,
                        "body '%s' starts at an angle of %g rad, %.1f turns: is it in degrees?",
                        b->name, b->angle, fabs(b->angle) / (2 * M_PI));
}

// the two places of a joint, as written, in different units
static void data_places(Doctor *d, int i) {
    const HolJoint *j = &d->m->def.joints[i];
    const int bodies[2] = {j->a.body, j->b.body};
    const double *at[2] = {j->a.at, j->b.at};
    Vec3 P[2];
    double size[2];
    for (int k = 0; k < 2; k++) {
        const HolBodyDef *b = &d->m->def.bodies[bodies[k]].def;
        Mat3 A = m3_identity();
        if (hol_body_turns(b) && d->D == 6)
            A = q_matrix(q_load(b->quaternion));
        else if (hol_body_turns(b))
            A = (Mat3){
                {cos(b->angle), -sin(b->angle), 0, sin(b->angle), cos(b->angle), 0, 0, 0, 1}};
        P[k] = v3_add(v3_load(b->position), m3_mulv(A, v3_load(at[k])));
        size[k] = fmax(v3_norm(P[k]), v3_norm(v3_load(at[k])));
    }
    const int large = size[1] > size[0];
    // (a place at the origin says nothing: then where the other body stands)
    if (size[!large] == 0)
        size[!large] = v3_norm(v3_load(d->m->def.bodies[bodies[large]].def.position));
    if (!(size[large] > OUTGROWS * size[!large]) || !(size[!large] > 0) ||
        !(v3_norm(v3_sub(P[1], P[0])) > 0.9 * size[large]))
        return;
    hol_doctor_warn(
        d, "units", j->def.name, j->def.line, j->def.column,
        "joint '%s': its place on '%s' lies at %.4g m, that on '%s' at %.4g m: are they "
        "in the same unit?",
        j->def.name, d->m->def.bodies[bodies[large]].def.name, size[large],
        d->m->def.bodies[bodies[!large]].def.name, size[!large]);
}

static void data_loose(Doctor *d, const Facts *f, int i) {
    const HolBodyDef *b = &d->m->def.bodies[i].def;
    if (!f->held[i] && b->mass == 0)
        hol_doctor_warn(d, "massless", b->name, b->line, b->column,
                        "body '%s' has no mass and nothing holds it: its acceleration is not "
                        "determined",
                        b->name);
    else if (!f->held[i] && !f->acted[i] && f->joints > 0)
        hol_doctor_warn(d, "unconnected", b->name, b->line, b->column,
                        "body '%s' has no joint, force or equation: it moves by itself", b->name);
}

void hol_doctor_data(Doctor *d) {
    const HolModel *m = d->m;
    HolArena scratch = {0};
    Facts f = {0};
    double *mass = HOL_NEW(&scratch, double, m->def.n_bodies + 1),
           *room = HOL_NEW(&scratch, double, m->def.n_bodies + 1);
    if (!data_facts(m, &scratch, &f) || !mass || !room) {
        hol_arena_free(&scratch);
        return;
    }
    const double g = v3_norm(v3_load(m->gravity));
    if (fabs(g - 9.81e3) < 15 || fabs(g - 981) < 1.5)
        hol_doctor_warn(d, "units", "gravity", 0, 0,
                        "gravity is %g m/s^2: lengths are in metres, so that it is about 9.81", g);
    for (int i = 1; i < m->def.n_bodies; i++)
        mass[i] = hol_body_placed(&m->def.bodies[i].def) ? m->def.bodies[i].def.mass : 0;
    // (the median of all stands for that of the others in large models)
    const int few = m->def.n_bodies <= 100;
    double masses = few ? 0 : data_others(m, mass, room, -1),
           sizes = few ? 0 : data_others(m, f.size, room, -1);
    for (int i = 1; i < m->def.n_bodies; i++) {
        if (few) {
            masses = data_others(m, mass, room, i);
            sizes = data_others(m, f.size, room, i);
        }
        data_inertia(d, &f, i);
        data_mass(d, &f, i, masses);
        data_units(d, &f, i, sizes);
        data_loose(d, &f, i);
    }
    for (int i = 0; i < m->def.n_joints; i++)
        if (!m->def.joints[i].kind->couples[0] && !m->def.joints[i].def.global_frame)
            data_places(d, i);
    hol_arena_free(&scratch);
}
