// SPDX-License-Identifier: Apache-2.0
// Mechanics in the free coordinates x of some joints. With R the gradients of these coordinates,
// sigma(q) = x, every question is one solve of
//     [ M   G^T  R^T ] [a     ]   [f               ]
//     [ G   0    0   ] [lambda] = [-gamma          ]      sigma'' = R a + gamma_R
//     [ R   0    0   ] [mu    ]   [x'' - gamma_R   ]
// The work of a virtual motion E_j with G E_j = 0, R E_j = e_j gives  -mu_j = E_j^T (M a - f) = u_j,
// the force along x_j that the motion x'' needs. Without forces and x'' = e_k, -mu is column k of the
// mass matrix E^T M E and a is E_k; with x'' = 0 it is the bias h. No tree is asked for.
#include "holonom/embed.h"
#include "math/vec.h"
#include "model/problem/reading.h"
#include "solve/constraint/project.h"
#include "solve/run/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ITERATIONS = 60 };
static const double LONGEST = 0.5;    // change of a coordinate in one iteration
static const double CLOSED = 1e-12;   // of positions, over their scales
static const double DEPENDENT = 1e-6; // R E = 1 is not met: the joints are not independent

typedef struct JointSpace {
    HolSim *s;
    const HolModel *m;
    HolModelWork *w;
    HolArena arena;
    int n, N;       // joints; unknowns of the system
    const int *row; // n: their rows
    HolKkt *kkt;
    int *first;           // n: entries of a row in the values of [G; R]
    double *x;            // N
    double *q, *v, *near; // a position, a velocity; n: coordinates
} JointSpace;

// ---- the system ----

// columns of row i of R, ascending; returns how many
static int space_columns(const JointSpace *j, int i, int *out) {
    const HolRow *r = &j->m->sys.rows[j->row[i]];
    const HolBody *body[2] = {&j->m->def.bodies[r->a], &j->m->def.bodies[r->b]};
    const int swap = body[0]->v > body[1]->v;
    int n = 0;
    for (int k = 0; k < 2; k++) {
        const HolBody *b = body[k ^ swap];
        for (int c = 0; c < b->nv; c++)
            out[n++] = b->v + c;
    }
    return n;
}

static int space_pattern(JointSpace *j, HolPattern *out) {
    const HolPattern *G = &j->s->p->G;
    const int m = j->s->m;
    int *ptr = HOL_NEW(&j->arena, int, m + j->n + 1),
        *idx = HOL_NEW(&j->arena, int, G->nnz + 12 * j->n + 1);
    j->first = HOL_NEW(&j->arena, int, j->n + 1);
    if (j->arena.failed)
        return 0;
    for (int i = 0; i <= m; i++)
        ptr[i] = m ? G->ptr[i] : 0;
    memcpy(idx, G->idx, sizeof *idx * (size_t)(m ? G->nnz : 0));
    for (int i = 0; i < j->n; i++) {
        j->first[i] = ptr[m + i];
        ptr[m + i + 1] = ptr[m + i] + space_columns(j, i, idx + ptr[m + i]);
    }
    *out = (HolPattern){m + j->n, j->s->nv, ptr[m + j->n], ptr, idx};
    return 1;
}

static HolStatus space_joints(JointSpace *j, const char *const *joints, HolError *err) {
    int *row = HOL_NEW(&j->arena, int, j->n + 1);
    for (int i = 0; row && i < j->n; i++) {
        const int joint = joints[i] ? hol_joint_find(j->m, joints[i]) : -1;
        if (joint < 0)
            return hol_error_set(err, HOL_ERR_INPUT, "there is no joint '%.100s'",
                                 joints[i] ? joints[i] : "");
        row[i] = j->m->def.joints[joint].coordinate;
        if (row[i] < 0)
            return hol_error_set(err, HOL_ERR_INPUT,
                                 "joint '%s' has no single free angle or displacement", joints[i]);
    }
    j->row = row;
    return HOL_OK;
}

static HolStatus space_open(JointSpace *j, HolSim *s, const char *const *joints, int n,
                            HolError *err) {
    hol_error_clear(err);
    *j = (JointSpace){.s = s, .n = n};
    if (!s)
        return hol_no_run(err);
    if (!s->model || s->nw)
        return hol_error_set(err, HOL_ERR_UNSUPPORTED, "%s",
                             s->model ? "forces depend on accelerations or reactions: joint "
                                        "coordinates do not have a mass matrix then"
                                      : "joints exist for models only, not for a C problem");
    if (n < 1 || !joints)
        return hol_error_set(err, HOL_ERR_INPUT, "names of joints are needed");
    j->m = s->model;
    j->w = s->work;
    HolStatus status = hol_sim_assemble(s, err);
    if (status == HOL_OK)
        status = space_joints(j, joints, err);
    if (status != HOL_OK)
        return status;
    HolPattern P;
    j->N = s->nv + s->m + n;
    j->x = HOL_NEW(&j->arena, double, j->N + 1);
    j->q = HOL_NEW(&j->arena, double, s->nq + 1);
    j->v = HOL_NEW(&j->arena, double, s->nv + 1);
    j->near = HOL_NEW(&j->arena, double, n + 1);
    if (space_pattern(j, &P))
        j->kkt = hol_kkt_create(&j->arena, &s->p->M, &P, 0, 1, "auto");
    if (!j->kkt)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    hol_kkt_set_redundant(j->kkt, s->redundant);
    return HOL_OK;
}

static void space_close(JointSpace *j) {
    hol_kkt_destroy(j->kkt);
    hol_arena_free(&j->arena);
}

// M, G and R at a position
static HolStatus space_factor(JointSpace *j, const HolState *x, HolError *err) {
    const HolSim *s = j->s;
    const HolProblem *p = s->p;
    double *G = hol_kkt_G(j->kkt), *S = hol_kkt_S(j->kkt);
    memset(S, 0, sizeof *S * (size_t)p->M.nnz);
    p->mass(p, s->work, HOL_AT(x), 1, 0, S);
    if (s->m)
        p->jacobian(p, s->work, HOL_AT(x), G);
    hol_model_position(j->m, j->w, x->t, x->q);
    for (int i = 0; i < j->n; i++) {
        const HolRow *r = &j->m->sys.rows[j->row[i]];
        const HolBody *a = &j->m->def.bodies[r->a], *b = &j->m->def.bodies[r->b];
        const int swap = a->v > b->v;
        double c[2][6] = {{0}}, *to = G + j->first[i];
        r->kind->coef(r, &j->w->frames[r->a], &j->w->frames[r->b], c[0], c[1]);
        for (int k = 0; k < 2; k++)
            for (int e = 0; e < (k ^ swap ? b : a)->nv; e++)
                *to++ = c[k ^ swap][e];
    }
    return hol_kkt_factor(j->kkt)
               ? hol_error_set(err, HOL_ERR_SINGULAR,
                               "the joints do not determine the motion, or not independently")
               : HOL_OK;
}

// coordinates of the joints at the position that the frames have
static double space_value(const JointSpace *j, int i) {
    const HolRow *r = &j->m->sys.rows[j->row[i]];
    return r->kind->value(r, &j->w->frames[r->a], &j->w->frames[r->b],
                          r->memory >= 0 ? &j->near[i] : NULL);
}

// j->x: E_k, lambda, mu; where R E_k = e_k does not come out the joints depend on each other
static HolStatus space_direction(JointSpace *j, int k, HolError *err) {
    const HolSim *s = j->s;
    const double *G = hol_kkt_G(j->kkt);
    memset(j->x, 0, sizeof *j->x * (size_t)j->N);
    j->x[s->nv + s->m + k] = 1;
    hol_kkt_solve(j->kkt, j->x);
    for (int i = 0; i < j->n; i++) {
        int column[12];
        const int entries = space_columns(j, i, column);
        double sum = i == k ? -1 : 0;
        for (int e = 0; e < entries; e++)
            sum += G[j->first[i] + e] * j->x[column[e]];
        if (!(fabs(sum) < DEPENDENT))
            return hol_error_set(err, HOL_ERR_SINGULAR,
                                 "the joints are not independent of each other here");
    }
    return HOL_OK;
}

// u of x'' (NULL: zero) at a state whose matrices are factored
static void space_drive(JointSpace *j, const HolState *x, const double *acceleration, double *u) {
    HolSim *s = j->s;
    const HolProblem *p = s->p;
    double va[6], vb[6];
    p->force(p, s->work, HOL_AT(x), j->x);
    if (s->m)
        p->acceleration_rhs(p, s->work, HOL_AT(x), j->x + s->nv);
    for (int i = 0; i < s->m; i++)
        j->x[s->nv + i] = -j->x[s->nv + i];
    hol_model_position(j->m, j->w, x->t, x->q);
    for (int i = 0; i < j->n; i++) {
        const HolRow *r = &j->m->sys.rows[j->row[i]];
        hol_body_velocity(j->m, r->a, x->v, va);
        hol_body_velocity(j->m, r->b, x->v, vb);
        const double gamma = r->kind->gamma(r, &j->w->frames[r->a], &j->w->frames[r->b], va, vb);
        j->x[s->nv + s->m + i] = (acceleration ? acceleration[i] : 0) - gamma;
    }
    hol_kkt_solve(j->kkt, j->x);
    for (int i = 0; i < j->n; i++)
        u[i] = -j->x[s->nv + s->m + i];
}

// what the joints leave free: velocities with x' = 0 beyond those of the constraints
static HolStatus space_complete(const JointSpace *j, HolError *err) {
    const int dof = j->s->check.dof;
    return j->n == dof
               ? HOL_OK
               : hol_error_set(err, HOL_ERR_INPUT,
                               "%d joints were named, the mechanism has %d degrees of freedom",
                               j->n, dof);
}

// ---- calls ----

HolStatus hol_sim_joint_space(HolSim *s, const char *const *joints, int n, double *M, double *h,
                              HolError *err) {
    JointSpace j;
    HolStatus status = space_open(&j, s, joints, n, err);
    if (status == HOL_OK)
        status = space_complete(&j, err);
    if (status == HOL_OK)
        status = space_factor(&j, &s->x, err);
    for (int k = 0; status == HOL_OK && k < n; k++) {
        status = space_direction(&j, k, err);
        for (int i = 0; M && i < n; i++)
            M[i * n + k] = -j.x[s->nv + s->m + i];
    }
    if (status == HOL_OK && h)
        space_drive(&j, &s->x, NULL, h);
    space_close(&j);
    return status;
}

HolStatus hol_sim_jacobian(HolSim *s, const char *place, const char *const *joints, int n,
                           double *J, HolError *err) {
    JointSpace j;
    double at[3];
    int body;
    HolStatus status = space_open(&j, s, joints, n, err);
    if (status == HOL_OK && (!place || !hol_reading_place(j.m, place, &body, at)))
        status = hol_error_set(err, HOL_ERR_INPUT, "there is no body or point '%.100s'",
                               place ? place : "");
    if (status == HOL_OK)
        status = space_factor(&j, &s->x, err);
    for (int k = 0; status == HOL_OK && k < n; k++) {
        double v[6];
        status = space_direction(&j, k, err);
        hol_body_velocity(j.m, body, j.x, v);
        const HolFrame *f = &j.w->frames[body];
        const int plane = j.m->space == HOL_PLANAR;
        const double flat[9] = {f->c, -f->s, 0, f->s, f->c, 0, 0, 0, 1};
        Mat3 A;
        memcpy(A.m, plane ? flat : f->A, sizeof A.m);
        const Vec3 omega = plane ? v3(0, 0, v[2]) : m3_mulv(A, v3_load(v + 3));
        const Vec3 move = v3_add(plane ? v3(v[0], v[1], 0) : v3_load(v),
                                 v3_cross(omega, m3_mulv(A, v3_load(at))));
        const double column[6] = {move.x, move.y, move.z, omega.x, omega.y, omega.z};
        for (int i = 0; i < 6; i++)
            J[i * n + k] = body ? column[i] : 0;
    }
    space_close(&j);
    return status;
}

// q with the coordinates wanted, by Newton's method from where the run is
static HolStatus space_move(JointSpace *j, HolState *x, const double *wanted, HolError *err) {
    HolSim *s = j->s;
    const HolProblem *p = s->p;
    hol_model_position(j->m, j->w, x->t, x->q);
    for (int i = 0; i < j->n; i++) {
        j->near[i] = hol_row_expected(j->w, &j->m->sys.rows[j->row[i]]);
        j->near[i] = space_value(j, i);
    }
    for (int n = 0; n < MOST_ITERATIONS; n++) {
        HolStatus status = space_factor(j, x, err);
        if (status != HOL_OK)
            return status;
        double most = 0, size = 0;
        memset(j->x, 0, sizeof *j->x * (size_t)j->N);
        for (int i = 0; i < j->n; i++) {
            j->near[i] = space_value(j, i);
            const double d = wanted[i] - j->near[i];
            most = fmax(most, fabs(d));
            j->x[s->nv + s->m + i] = fmax(-LONGEST, fmin(LONGEST, d));
        }
        if (s->nh)
            p->constraint(p, s->work, HOL_AT(x), j->x + s->nv);
        for (int i = 0; i < s->nh; i++) {
            size = fmax(size, fabs(j->x[s->nv + i]));
            j->x[s->nv + i] = -j->x[s->nv + i];
        }
        if (most <= CLOSED * (1 + most) && size <= 1e-12)
            return HOL_OK;
        hol_kkt_solve(j->kkt, j->x);
        p->retract(p, s->work, x->q, j->x, x->q);
        if (most <= 1e-9 && size <= 1e-9 && n > 0) // (the last correction was quadratic)
            return space_factor(j, x, err);
    }
    return hol_error_set(err, HOL_ERR_CONVERGE, "no position was found with these coordinates");
}

HolStatus hol_sim_inverse_dynamics(HolSim *s, const char *const *joints, int n, const double *x,
                                   const double *rate, const double *acceleration, double *u,
                                   HolError *err) {
    JointSpace j;
    HolStatus status = space_open(&j, s, joints, n, err);
    if (status == HOL_OK && (!x || !rate || !acceleration || !u))
        status = hol_error_set(err, HOL_ERR_INPUT, "x, its rates and accelerations are needed");
    for (int i = 0; status == HOL_OK && i < n; i++)
        if (!isfinite(x[i]) || !isfinite(rate[i]) || !isfinite(acceleration[i]))
            status = hol_error_set(err, HOL_ERR_INPUT, "the motion of joint '%s' is not a number",
                                   joints[i]);
    if (status == HOL_OK)
        status = space_complete(&j, err);
    if (status == HOL_OK) {
        HolState at = {.t = s->x.t, .q = j.q, .v = j.v};
        memcpy(j.q, s->x.q, sizeof *j.q * (size_t)s->nq);
        status = space_move(&j, &at, x, err);
        if (status == HOL_OK) { // velocities: G v + gt = 0, R v = x'
            memset(j.x, 0, sizeof *j.x * (size_t)j.N);
            if (s->m)
                s->p->velocity_rhs(s->p, s->work, HOL_AT(&at), j.x + s->nv);
            for (int i = 0; i < s->m; i++)
                j.x[s->nv + i] = -j.x[s->nv + i];
            for (int i = 0; i < n; i++)
                j.x[s->nv + s->m + i] = rate[i];
            hol_kkt_solve(j.kkt, j.x);
            memcpy(j.v, j.x, sizeof *j.v * (size_t)s->nv);
            space_drive(&j, &at, acceleration, u);
        }
    }
    space_close(&j);
    return status;
}
