// SPDX-License-Identifier: Apache-2.0
// Beams become nodes, which are ordinary rigid bodies NAME.node0 .. NAME.nodeN, fixed joints where
// an end is clamped to a place, and elements between neighbours.
//   masses    node i of n equal elements of length l: mu l w_i, rotary inertia l w_i (Jx, Jy, Jz),
//             w Gregory's weights: 1, and -5/8, 1/6, -1/24 added from each end (overlapping adds up;
//             n = 1: halves). Mass, centre and moments of inertia of the straight rod are exact.
//             consistent: halves of the neighbours, rotary inertia as above; mass/hermite.c adds the
//             rest of the cubic field
//   velocity  that of the rod as one rigid body: velocity of the centre of mass, omega
//   d0        screw coordinates of neighbours without forces: as written, straight, or of the given
//             curvature
#include "model/body/beam.h"
#include "math/vec.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void hol_beam_def_make(HolBeamDef *d) {
    *d = (HolBeamDef){.accuracy = 1e-4, .up = {0, 0, 1}, .direction = {1, 0, 0}};
    d->body = hol_body_def();
    d->length = d->E = d->nu = d->G = d->rho = d->mass_per_length = NAN;
    d->EA = d->GA = d->GAy = d->GAz = d->GJ = d->EI = d->EIy = d->EIz = NAN;
}

static int beam_problem(const HolModel *m, const HolBeamDef *d, HolError *err, const char *text) {
    hol_problem_error(m, err, d->body.line, d->body.column, "beam '%s': %s", d->body.name, text);
    return 0;
}

double hol_beam_weight(int i, int n) {
    static const double ends[3] = {-5.0 / 8, 1.0 / 6, -1.0 / 24};
    if (n == 1)
        return 0.5;
    return 1 + (i < 3 ? ends[i] : 0) + (n - i < 3 ? ends[n - i] : 0);
}

double hol_beam_half(int i, int n) {
    return i == 0 || i == n ? 0.5 : 1;
}

static const char *beam_node_name(HolModel *m, const char *beam, int i) {
    char text[HOL_OWNER_LENGTH];
    snprintf(text, sizeof text, "%.200s.node%d", beam, i);
    return hol_arena_text(&m->arena, text);
}

// velocity of a node of the rod as a rigid body
static void beam_node_velocity(const HolModel *m, const HolBeamDef *d, Vec3 centre,
                               HolBodyDef *node) {
    const int plane = m->space == HOL_PLANAR;
    const Vec3 omega = plane ? v3(0, 0, d->body.omega[0]) : v3_load(d->body.omega);
    const Vec3 arm = v3_sub(v3_load(node->position), centre);
    v3_store(node->velocity, v3_add(v3_load(d->body.velocity), v3_cross(omega, arm)));
    memcpy(node->omega, d->body.omega, sizeof node->omega);
    node->exact = d->body.exact;
}

// x axis of a node
static Vec3 beam_tangent(const HolModel *m, const HolFrame *f) {
    return m->space == HOL_PLANAR ? v3(f->c, f->s, 0) : q_rotate(q_load(f->p), v3(1, 0, 0));
}

// of mass; consistent: of the cubic field
static Vec3 beam_centre(const HolModel *m, const HolBeamDef *d, const HolFrame *frames, int n,
                        double l) {
    Vec3 centre = v3(0, 0, 0);
    for (int i = 0; i <= n; i++)
        centre = v3_add(
            centre, v3_scale(v3_load(frames[i].r),
                             (d->consistent ? hol_beam_half(i, n) : hol_beam_weight(i, n)) / n));
    if (!d->consistent)
        return centre;
    const Vec3 ends = v3_sub(beam_tangent(m, &frames[0]), beam_tangent(m, &frames[n]));
    return v3_add(centre, v3_scale(ends, l / (12 * n)));
}

static HolStatus beam_add_nodes(HolModel *m, const HolBeamDef *d, const HolFrame *frames, int n,
                                const HolBeamSection *s, double l, HolError *err) {
    const int plane = m->space == HOL_PLANAR;
    const Vec3 centre = beam_centre(m, d, frames, n, l);
    for (int i = 0; i <= n; i++) {
        HolBodyDef node = hol_body_def();
        const double weight = l * hol_beam_weight(i, n);
        node.name = beam_node_name(m, d->body.name, i);
        node.mass = (d->consistent ? l * hol_beam_half(i, n) : weight) * s->mass;
        if (plane)
            node.inertia[0] = weight * s->rotary[2];
        for (int k = 0; k < 3 && !plane; k++)
            node.inertia[k] = weight * s->rotary[k];
        memcpy(node.position, frames[i].r, sizeof node.position);
        if (plane)
            node.angle = frames[i].angle;
        else
            memcpy(node.quaternion, frames[i].p, sizeof node.quaternion);
        // drawn as the piece of the rod around it
        node.shape = (HolShapeDef){.type = "cylinder",
                                   .from = {i > 0 ? -0.5 * l : 0},
                                   .to = {i < n ? 0.5 * l : 0},
                                   .radius = s->per_area > 0 ? sqrt(1 / (M_PI * s->per_area))
                                                             : 0.01 * n * l};
        node.line = d->body.line;
        node.column = d->body.column;
        beam_node_velocity(m, d, centre, &node);
        const HolStatus status = node.name ? hol_add_body(m, &node, err) : HOL_ERR_MEMORY;
        if (status != HOL_OK)
            return status;
    }
    return HOL_OK;
}

// free screw coordinates of an element
static void beam_free(const HolModel *m, const HolBeamDef *d, const HolFrame *a, const HolFrame *b,
                      double l, double d0[6]) {
    const int plane = m->space == HOL_PLANAR;
    memset(d0, 0, sizeof(double) * 6);
    if (d->natural == HOL_NATURAL_WRITTEN) {
        if (plane)
            hol_beam2_coordinates(a, b, d0);
        else
            hol_beam3_coordinates(a, b, d0);
        if (isnan(d->length))
            return;
        const double now = sqrt(d0[0] * d0[0] + d0[1] * d0[1] + (plane ? 0 : d0[2] * d0[2]));
        for (int i = 0; i < (plane ? 2 : 3); i++)
            d0[i] *= l / now;
        return;
    }
    d0[0] = l;
    for (int i = 0; i < 3 && d->natural == HOL_NATURAL_CURVED; i++)
        d0[plane ? 2 : 3 + i] = l * d->curvature[plane ? 2 : i];
}

static int beam_add_element(HolModel *m, const HolBeamDef *d, const HolFrame *frames, int i,
                            const HolBeamSection *s, double l, HolError *err) {
    HolBeams *b = &m->beams;
    double d0[6];
    const int body = m->def.n_bodies - (b->list[b->n].n + 1) + i;
    beam_free(m, d, &frames[i], &frames[i + 1], l, d0);
    if (m->space == HOL_PLANAR) {
        if (!HOL_GROW(&m->arena, b->planar, b->n_elements, b->capacity))
            return 0;
        HolBeam2 *e = &b->planar[b->n_elements++];
        *e = (HolBeam2){.body = {body, body + 1}};
        hol_beam2_make(e, l, 1 / s->C[0], s->C[7], 1 / s->C[35], d0, d->damping_time);
        return 1;
    }
    if (!HOL_GROW(&m->arena, b->spatial, b->n_elements, b->capacity))
        return 0;
    HolBeam3 *e = &b->spatial[b->n_elements++];
    *e = (HolBeam3){.body = {body, body + 1}};
    return hol_beam3_make(e, l, s->C, d0, d->damping_time) ||
           beam_problem(m, d, err, "its stiffness is not positive");
}

// the end is clamped to a place of another body, as written
static HolStatus beam_clamp(HolModel *m, const HolBeamDef *d, const HolRef *place, const char *end,
                            int node, HolError *err) {
    if (!place->body)
        return HOL_OK;
    char name[HOL_OWNER_LENGTH];
    snprintf(name, sizeof name, "%.200s.%s", d->body.name, end);
    HolJointDef j = hol_joint_def("fixed");
    j.name = name;
    j.a = *place;
    j.b = (HolRef){.body = m->def.bodies[node].def.name};
    j.line = d->body.line;
    j.column = d->body.column;
    return hol_add_joint(m, &j, err);
}

HolStatus hol_add_beam(HolModel *m, const HolBeamDef *def, HolError *err) {
    HolBeams *b = &m->beams;
    HolBeamSection s;
    const int n = def->elements;
    double along;
    HolArena scratch = {0};
    HolFrame *frames = HOL_NEW(&scratch, HolFrame, n + 1);
    HolStatus status = HOL_ERR_INPUT;
    if (!frames || !HOL_GROW(&m->arena, b->list, b->n, b->capacity_list)) {
        hol_arena_free(&scratch);
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    }
    if (hol_beam_section(m, def, &s, err) && hol_beam_curve(m, def, n, frames, &along, err)) {
        const double length = isnan(def->length) ? along : def->length, l = length / n;
        const int first = m->def.n_bodies;
        b->list[b->n] = (HolBeam){.name = hol_arena_text(&m->arena, def->body.name),
                                  .first = first,
                                  .n = n,
                                  .element = b->n_elements,
                                  .per_area = s.per_area,
                                  .edge = {s.edge[0], s.edge[1]},
                                  .round = def->shape != HOL_SECTION_RECTANGLE,
                                  .drag = def->damping_mass,
                                  .mass = s.mass,
                                  .consistent = def->consistent,
                                  .accuracy = def->automatic ? def->accuracy : 0,
                                  .line = def->body.line,
                                  .column = def->body.column};
        memcpy(b->list[b->n].C, s.C, sizeof s.C);
        b->list[b->n].length = length;
        status = beam_add_nodes(m, def, frames, n, &s, l, err);
        for (int i = 0; i < n && status == HOL_OK; i++)
            if (!beam_add_element(m, def, frames, i, &s, l, err))
                status = m->arena.failed ? HOL_ERR_MEMORY : HOL_ERR_INPUT;
        if (status == HOL_OK)
            b->n++;
        if (status == HOL_OK)
            status = beam_clamp(m, def, &def->start, "start", first, err);
        if (status == HOL_OK)
            status = beam_clamp(m, def, &def->end, "end", first + n, err);
    }
    hol_arena_free(&scratch);
    return status;
}
