// SPDX-License-Identifier: Apache-2.0
// Modal bodies become bodies of the model: NAME, the floating frame, a rigid body; NAME.mode1 ..,
// scalar coordinates of the mass of the body; NAME.INTERFACE, massless rigid bodies that follow nodes. The rows of
// an interface at x with displacements Phi and rotations Psi, in axes of the frame:
//   A^T (r_b - r) - x - Phi z = 0,   log(A^T A_b) - Psi z = 0
// So every joint and force meets ordinary bodies; what M and f have beyond those of the bodies is
// added by modal_space.c or modal_plane.c.
#include "model/modal/modal.h"
#include "math/vec.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- bodies ----

static const char *modal_name(HolModel *m, const char *body, const char *part) {
    char text[HOL_OWNER_LENGTH];
    snprintf(text, sizeof text, "%.160s.%.80s", body, part);
    return hol_arena_text(&m->arena, text);
}

static HolStatus modal_add_modes(HolModel *m, const HolModalDef *d, const HolModal *b,
                                 HolError *err) {
    for (int k = 0; k < b->nf; k++) {
        HolBodyDef mode = hol_body_def();
        char part[32];
        snprintf(part, sizeof part, "mode%d", k + 1);
        mode.name = modal_name(m, d->body.name, part);
        mode.type = HOL_COORDINATE;
        mode.mass = b->mass;
        mode.position[0] = k < d->n_amplitudes ? d->amplitudes[k] : 0;
        mode.velocity[0] = k < d->n_rates ? d->rates[k] : 0;
        mode.line = d->body.line;
        mode.column = d->body.column;
        const HolStatus status = mode.name ? hol_add_body(m, &mode, err) : HOL_ERR_MEMORY;
        if (status != HOL_OK)
            return status;
    }
    return HOL_OK;
}

// sum of 3 x nf by columns (or `rows` x nf) times amplitudes
static Vec3 modal_field(const double *field, int rows, int nf, const double *x, int n) {
    double s[3] = {0};
    for (int k = 0; k < nf && k < n; k++)
        for (int i = 0; i < rows; i++)
            s[rows == 1 ? 2 : i] += field[(long)rows * k + i] * x[k];
    return v3_load(s);
}

// rotation rate in axes of the turned body: (1 - (1-cos t)/t^2 theta~ + (t-sin t)/t^3 theta~^2) x
static Vec3 modal_turning(Vec3 theta, Vec3 x) {
    const double t = v3_norm(theta);
    const int small = t < 1e-3;
    const double c1 = small ? 0.5 - t * t / 24 : (1 - cos(t)) / (t * t),
                 c2 = small ? 1.0 / 6 - t * t / 120 : (t - sin(t)) / (t * t * t);
    const Vec3 once = v3_cross(theta, x);
    return v3_add(v3_sub(x, v3_scale(once, c1)), v3_scale(v3_cross(theta, once), c2));
}

// where an interface stands and how it moves at the start
static void modal_place(const HolModel *m, const HolModalDef *d, const HolModal *b,
                        const HolModalInterface *i, HolBodyDef *out) {
    const int plane = m->space == HOL_PLANAR, turns = plane ? 1 : 3;
    const HolBodyDef *frame = &m->def.bodies[b->body].def;
    HolFrame f;
    hol_initial_frame(m, b->body, &f);
    Mat3 A;
    memcpy(A.m, f.A, sizeof A.m);
    const Vec3 theta = modal_field(i->turn, turns, b->nf, d->amplitudes, d->n_amplitudes),
               spin = modal_field(i->turn, turns, b->nf, d->rates, d->n_rates),
               s = v3_add(v3_load(i->x),
                          modal_field(i->move, 3, b->nf, d->amplitudes, d->n_amplitudes)),
               rate = modal_field(i->move, 3, b->nf, d->rates, d->n_rates);
    const Vec3 given = plane ? v3(0, 0, frame->omega[0]) : v3_load(frame->omega),
               omega = plane || frame->omega_is_body ? given : m3_tmulv(A, given);
    v3_store(out->position, v3_add(v3_load(f.r), m3_mulv(A, s)));
    v3_store(out->velocity,
             v3_add(v3_load(frame->velocity), m3_mulv(A, v3_add(v3_cross(omega, s), rate))));
    if (plane) {
        out->angle = frame->angle + theta.z;
        out->omega[0] = frame->omega[0] + spin.z;
        return;
    }
    const Quat relative = q_exp(theta);
    q_store(out->quaternion, q_mul(q_load(f.p), relative));
    v3_store(out->omega, v3_add(m3_tmulv(q_matrix(relative), omega), modal_turning(theta, spin)));
    out->omega_is_body = 1;
}

static HolStatus modal_add_interfaces(HolModel *m, const HolModalDef *d, HolModal *b,
                                      HolModalInterface *list, HolError *err) {
    for (int i = 0; i < b->n_interfaces; i++) {
        HolBodyDef body = hol_body_def();
        body.name = modal_name(m, d->body.name, list[i].name);
        body.mass = 0;
        memset(body.inertia, 0, sizeof body.inertia);
        body.exact = 0;
        body.line = d->body.line;
        body.column = d->body.column;
        modal_place(m, d, b, &list[i], &body);
        list[i].body = m->def.n_bodies;
        const HolStatus status = body.name ? hol_add_body(m, &body, err) : HOL_ERR_MEMORY;
        if (status != HOL_OK)
            return status;
    }
    return HOL_OK;
}

static HolStatus modal_no_memory(HolError *err) {
    return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
}

HolStatus hol_add_modal_made(HolModel *m, const HolModalDef *d, const HolModal *made,
                             const HolBodyDef *frame, HolError *err) {
    HolModal b = *made;
    if (!HOL_GROW(&m->arena, m->modals.list, m->modals.n, m->modals.capacity))
        return modal_no_memory(err);
    b.name = hol_arena_text(&m->arena, d->body.name);
    b.line = d->body.line;
    b.column = d->body.column;
    b.body = m->def.n_bodies;
    HolStatus status = hol_add_body(m, frame, err);
    if (status == HOL_OK && m->space == HOL_SPATIAL)
        m->def.bodies[b.body].diagonal = 0; // its inertia moves
    if (status == HOL_OK)
        status = modal_add_modes(m, d, &b, err);
    if (status == HOL_OK)
        status = modal_add_interfaces(m, d, &b, (HolModalInterface *)b.interfaces, err);
    if (status != HOL_OK)
        return status;
    m->modals.list[m->modals.n++] = b;
    for (int k = 0; k < b.nf; k++)
        m->modals.damped |= b.damping[k] > 0;
    return HOL_OK;
}

HolStatus hol_add_modal(HolModel *m, const HolModalDef *d, HolModalParts *parts, HolError *err) {
    HolModal b = {.nf = 0};
    HolBodyDef frame = d->body;
    if (!hol_modal_reduce(m, d, parts, &b, &frame, err))
        return m->arena.failed ? modal_no_memory(err) : HOL_ERR_INPUT;
    return hol_add_modal_made(m, d, &b, &frame, err);
}

int hol_body_is_mode(const HolModel *m, int body) {
    for (int i = 0; i < m->modals.n; i++)
        if (body > m->modals.list[i].body && body <= m->modals.list[i].body + m->modals.list[i].nf)
            return 1;
    return 0;
}

// ---- equations ----

// row `row` less sum_k of `rows` x nf times modes = constant
static int modal_tie(HolModel *m, const HolModal *b, const HolModalInterface *i, int row,
                     const double *field, int rows, int component, double constant, int first,
                     HolTerm *terms) {
    int n = 0;
    terms[n++] = (HolTerm){row, 1};
    for (int k = 0; k < b->nf; k++) {
        const double c = field[(long)rows * k + component];
        if (c != 0)
            terms[n++] = (HolTerm){first + k, -c};
    }
    return row >= 0 &&
           hol_add_equation(m, m->def.bodies[i->body].def.name, terms, n, NULL, constant, 1) >= 0;
}

static int modal_interface_rows(HolModel *m, const HolModal *b, const HolModalInterface *i,
                                int first, HolTerm *terms) {
    const int plane = m->space == HOL_PLANAR;
    int ok = 1;
    for (int k = 0; k < (plane ? 2 : 3); k++) {
        HolRow row = hol_row_new(m, plane ? &hol_row_line2 : &hol_row_line3, b->body, i->body);
        row.ua[k] = 1;
        ok &= modal_tie(m, b, i, hol_add_row(m, &row), i->move, 3, k, i->x[k], first, terms);
    }
    for (int k = 0; k < (plane ? 1 : 3); k++) {
        HolRow row = hol_row_new(m, plane ? &hol_row_angle2 : &hol_row_rotation3, b->body, i->body);
        row.ua[k] = plane ? 0 : 1;
        ok &= modal_tie(m, b, i, hol_add_row(m, &row), i->turn, plane ? 1 : 3, k, 0, first, terms);
    }
    return ok;
}

int hol_modals_build(HolModel *m) {
    for (int j = 0; j < m->modals.n; j++) {
        const HolModal *b = &m->modals.list[j];
        HolTerm *terms = HOL_NEW(&m->arena, HolTerm, b->nf + 1);
        const int first = m->sys.n_rows;
        for (int k = 0; k < b->nf; k++) {
            const HolRow row = hol_row_new(m, &hol_row_coordinate, 0, b->body + 1 + k);
            if (hol_add_row(m, &row) < 0)
                return 0;
        }
        for (int i = 0; i < b->n_interfaces; i++)
            if (!terms || !modal_interface_rows(m, b, &b->interfaces[i], first, terms))
                return 0;
    }
    m->sys.has_power |= m->modals.damped;
    return 1;
}

int hol_modals_arrange(HolModel *m) {
    const int plane = m->space == HOL_PLANAR;
    for (int j = 0; j < m->modals.n; j++) {
        HolModal *b = &m->modals.list[j];
        b->q = m->def.bodies[b->body].q;
        b->mode_q = m->def.bodies[b->body + 1].q;
        b->v = m->def.bodies[b->body].v + (plane ? 0 : 3);
        if (!hol_mass_add(m, plane ? &hol_mass_modal2 : &hol_mass_modal3, b, b->v,
                          hol_modal_size(b), m->modals.damped))
            return 0;
    }
    return 1;
}

// ---- as mass elements ----

// M: the frame's columns of a block are full, those of the modes have its rows and the diagonal
static int modal_couples(const HolModel *m, const void *e, int row, int column) {
    (void)m;
    (void)e;
    return row < 3 || column < 3;
}

// cosine and sine of the frame's angle
static void modal_angle(const HolModal *b, const double *q, double cs[2]) {
    cs[0] = cos(q[b->q + 2]);
    cs[1] = sin(q[b->q + 2]);
}

static void modal2_mass(const HolModel *m, const void *e, const double *q, const HolMassBlock *M) {
    const HolModal *b = e;
    double cs[2];
    (void)m;
    modal_angle(b, q, cs);
    hol_modal_mass2(b, cs, q + b->mode_q, M);
}

static void modal3_mass(const HolModel *m, const void *e, const double *q, const HolMassBlock *M) {
    const HolModal *b = e;
    (void)m;
    hol_modal_mass3(b, q + b->mode_q, M);
}

static void modal2_force(const HolModel *m, const void *e, const HolMassState *s, double *f) {
    const HolModal *b = e;
    double cs[2];
    modal_angle(b, s->q, cs);
    hol_modal_force2(b, cs, m->gravity, s->q + b->mode_q, s->v + b->v, f + b->v);
}

static void modal3_force(const HolModel *m, const void *e, const HolMassState *s, double *f) {
    const HolModal *b = e;
    (void)m;
    hol_modal_force3(b, s->q + b->mode_q, s->v + b->v, f + b->v);
}

static double modal2_kinetic(const HolModel *m, const void *e, const HolMassState *s) {
    const HolModal *b = e;
    double cs[2];
    (void)m;
    modal_angle(b, s->q, cs);
    return hol_modal_kinetic2(b, cs, s->q + b->mode_q, s->v + b->v);
}

static double modal3_kinetic(const HolModel *m, const void *e, const HolMassState *s) {
    const HolModal *b = e;
    (void)m;
    return hol_modal_kinetic3(b, s->q + b->mode_q, s->v + b->v);
}

static double modal3_potential(const HolModel *m, const void *e, const double *q) {
    const HolModal *b = e;
    const double *z = q + b->mode_q;
    double V = 0;
    (void)m;
    for (int k = 0; k < b->nf; k++)
        V += 0.5 * b->stiffness[k] * z[k] * z[k];
    return V;
}

static double modal2_potential(const HolModel *m, const void *e, const double *q) {
    const HolModal *b = e;
    double cs[2];
    modal_angle(b, q, cs);
    return modal3_potential(m, e, q) + hol_modal_weight2(b, cs, m->gravity, q + b->mode_q);
}

static double modal_power(const HolModel *m, const void *e, const HolMassState *s) {
    const HolModal *b = e;
    double power = 0;
    (void)m;
    for (int k = 0; k < b->nf; k++)
        power -= b->damping[k] * s->v[b->v + 3 + k] * s->v[b->v + 3 + k];
    return power;
}

static void modal2_tangent(const HolModel *m, const void *e, const HolMassState *s,
                           const HolMassBlock *C, const HolMassBlock *K) {
    const HolModal *b = e;
    double cs[2];
    modal_angle(b, s->q, cs);
    hol_modal_tangent2(b, cs, m->gravity, s->q + b->mode_q, s->v + b->v, s->a ? s->a + b->v : NULL,
                       C, K);
}

static void modal3_tangent(const HolModel *m, const void *e, const HolMassState *s,
                           const HolMassBlock *C, const HolMassBlock *K) {
    const HolModal *b = e;
    (void)m;
    hol_modal_tangent3(b, s->q + b->mode_q, s->v + b->v, s->a ? s->a + b->v : NULL, C, K);
}

const HolMassKind hol_mass_modal2 = {
    .name = "modal body in the plane",
    .couples = modal_couples,
    .mass = modal2_mass,
    .force = modal2_force,
    .kinetic = modal2_kinetic,
    .potential = modal2_potential,
    .power = modal_power,
    .tangent = modal2_tangent,
    .series_size = hol_modal_series_size2,
    .series = hol_modal_series2,
    .series_work = hol_modal_series_work,
};

const HolMassKind hol_mass_modal3 = {
    .name = "modal body in space",
    .couples = modal_couples,
    .mass = modal3_mass,
    .force = modal3_force,
    .kinetic = modal3_kinetic,
    .potential = modal3_potential,
    .power = modal_power,
    .tangent = modal3_tangent,
    .series_size = hol_modal_series_size3,
    .series = hol_modal_series3,
    .series_work = hol_modal_series_work,
};
