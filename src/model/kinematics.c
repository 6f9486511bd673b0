// SPDX-License-Identifier: Apache-2.0
// Frames of the bodies at (t, q), and the kinematics q' = T(q) v: q', q'', q (+) d, q1 (-) q0. Only
// the quaternion of a spatial body is not plain.
#include "base/team.h"
#include "math/vec.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

// ---- frames ----

static void set_frame(const HolModel *m, HolBodyType type, const double *q, HolFrame *f) {
    if (type == HOL_COORDINATE) {
        f->r[0] = q[0];
        return;
    }
    int plane = m->space == HOL_PLANAR;
    f->r[0] = q[0];
    f->r[1] = q[1];
    if (!plane)
        f->r[2] = q[2];
    if (type != HOL_RIGID)
        return;
    if (plane) {
        double c = cos(q[2]), s = sin(q[2]);
        f->A[0] = f->A[4] = c;
        f->A[1] = -s;
        f->A[3] = s;
        f->angle = q[2];
    } else {
        Mat3 A = q_matrix(q_load(q + 3));
        memcpy(f->A, A.m, sizeof f->A);
        memcpy(f->p, q + 3, sizeof f->p);
    }
}

static void frames_loop(void *context, int first, int end) {
    const HolLoop *l = context;
    const HolPlace *places = l->m->places;
    first = first > 1 ? first : 1;
    int from = first < end ? places[first].q : 0,
        to = end < l->m->n_bodies ? places[end].q : l->m->problem.nq;
    if (first < end && l->q != l->w->q)
        memcpy(l->w->q + from, l->q + from, sizeof(double) * (size_t)(to - from));
    for (int i = first; i < end; i++)
        set_frame(l->m, (HolBodyType)places[i].type, l->q + places[i].q, &l->w->frames[i]);
}

// two halves of a comparison
typedef struct Comparison {
    const double *a, *b;
    int n, differ[2];
} Comparison;

static void compare_half(void *context, int part) {
    Comparison *c = context;
    int first = hol_share_begin(c->n, 2, part), end = hol_share_begin(c->n, 2, part + 1);
    c->differ[part] = memcmp(c->a + first, c->b + first, sizeof(double) * (size_t)(end - first));
}

static int same_values(HolTeam *team, const double *a, const double *b, int n) {
    enum { FEW = 64 };
    if (a == b)
        return 1;
    if (!team || memcmp(a, b, sizeof(double) * (size_t)(n < FEW ? n : FEW)))
        return memcmp(a, b, sizeof(double) * (size_t)n) == 0;
    Comparison c = {a, b, n, {0, 0}};
    hol_team_run(team, 2, compare_half, &c);
    return !c.differ[0] && !c.differ[1];
}

void hol_model_position(const HolModel *m, HolModelWork *w, double t, const double *q) {
    if (w->have_q && t == w->t && same_values(w->team, q, w->q, m->problem.nq))
        return;
    w->t = t;
    hol_team_loop(w->team, m->n_bodies, frames_loop, &(HolLoop){m, w, q, NULL, NULL});
    memset(w->have_coef, 0, (size_t)m->n_rows);
    w->have_q = 1;
    w->have_v = w->have_slots_q = w->have_slots_v = 0;
}

static void copy_loop(void *context, int first, int end) {
    const HolLoop *l = context;
    memcpy(l->out + first, l->v + first, sizeof(double) * (size_t)(end - first));
}

void hol_model_velocity(const HolModel *m, HolModelWork *w, const double *v) {
    if (w->have_v && same_values(w->team, v, w->v, m->problem.nv))
        return;
    if (v != w->v)
        hol_team_loop(w->team, m->problem.nv, copy_loop, &(HolLoop){m, w, NULL, v, w->v});
    w->have_v = 1;
    w->have_slots_v = 0;
}

// ---- rates and increments ----

// (the small table of places serves: these walks wait for memory)
static inline int turns(const HolModel *m, const HolPlace *b) {
    return b->type == HOL_RIGID && m->space == HOL_SPATIAL;
}

static Quat q_half(Quat p, Vec3 x, double s) { // s/2 p (0, x)
    Quat d = q_mul(p, (Quat){0, x.x, x.y, x.z});
    return (Quat){0.5 * s * d.w, 0.5 * s * d.x, 0.5 * s * d.y, 0.5 * s * d.z};
}

static void qdot_loop(void *context, int first, int end) {
    const HolLoop *l = context;
    const HolModel *m = l->m;
    const double *q = l->q, *v = l->v;
    double *qd = l->out;
    for (int i = first > 1 ? first : 1; i < end; i++) {
        const HolPlace *b = &m->places[i];
        int n = turns(m, b) ? 3 : b->nv;
        for (int k = 0; k < n; k++)
            qd[b->q + k] = v[b->v + k];
        if (turns(m, b))
            q_store(qd + b->q + 3, q_half(q_load(q + b->q + 3), v3_load(v + b->v + 3), 1));
    }
}

static void model_qdot(const HolProblem *p, void *work, const double *q, const double *v,
                       double *qd) {
    const HolModel *m = p->user;
    HolModelWork *w = work;
    hol_team_loop(w->team, m->n_bodies, qdot_loop, &(HolLoop){m, w, q, v, qd});
}

typedef struct Rates {
    HolLoop loop;
    const double *a, *j;
} Rates;

static void qddot_loop(void *context, int first, int end) {
    const Rates *r = context;
    const HolModel *m = r->loop.m;
    const double *q = r->loop.q, *v = r->loop.v, *a = r->a;
    double *qdd = r->loop.out;
    for (int i = first > 1 ? first : 1; i < end; i++) {
        const HolPlace *b = &m->places[i];
        int n = turns(m, b) ? 3 : b->nv;
        for (int k = 0; k < n; k++)
            qdd[b->q + k] = a[b->v + k];
        if (!turns(m, b))
            continue;
        Quat pq = q_load(q + b->q + 3), d = q_half(pq, v3_load(a + b->v + 3), 1);
        Vec3 o = v3_load(v + b->v + 3);
        double s = -0.25 * v3_dot(o, o);
        q_store(qdd + b->q + 3,
                (Quat){d.w + s * pq.w, d.x + s * pq.x, d.y + s * pq.y, d.z + s * pq.z});
    }
}

static void model_qddot(const HolProblem *p, void *work, const double *q, const double *v,
                        const double *a, double *qdd) {
    const HolModel *m = p->user;
    HolModelWork *w = work;
    hol_team_loop(w->team, m->n_bodies, qddot_loop, &(Rates){{m, w, q, v, qdd}, a, NULL});
}

// p''' = p (-3/4 omega . alpha, 1/2 alpha' + 1/4 omega x alpha - 1/8 |omega|^2 omega)
static void qdddot_loop(void *context, int first, int end) {
    const Rates *r = context;
    const HolModel *m = r->loop.m;
    for (int i = first > 1 ? first : 1; i < end; i++) {
        const HolPlace *b = &m->places[i];
        double *out = r->loop.out + b->q;
        int n = turns(m, b) ? 3 : b->nv;
        for (int k = 0; k < n; k++)
            out[k] = r->j[b->v + k];
        if (!turns(m, b))
            continue;
        Vec3 o = v3_load(r->loop.v + b->v + 3), a = v3_load(r->a + b->v + 3);
        Vec3 turn = v3_add(v3_scale(v3_load(r->j + b->v + 3), 0.5), v3_scale(v3_cross(o, a), 0.25));
        turn = v3_add(turn, v3_scale(o, -0.125 * v3_dot(o, o)));
        q_store(out + 3, q_mul(q_load(r->loop.q + b->q + 3),
                               (Quat){-0.75 * v3_dot(o, a), turn.x, turn.y, turn.z}));
    }
}

static void model_qdddot(const HolProblem *p, void *work, const double *q, const double *v,
                         const double *a, const double *j, double *qddd) {
    const HolModel *m = p->user;
    HolModelWork *w = work;
    hol_team_loop(w->team, m->n_bodies, qdddot_loop, &(Rates){{m, w, q, v, qddd}, a, j});
}

static void retract_loop(void *context, int first, int end) {
    const HolLoop *l = context;
    const HolModel *m = l->m;
    const double *q = l->q, *d = l->v;
    double *out = l->out;
    for (int i = first > 1 ? first : 1; i < end; i++) {
        const HolPlace *b = &m->places[i];
        int n = turns(m, b) ? 3 : b->nv;
        for (int k = 0; k < n; k++)
            out[b->q + k] = q[b->q + k] + d[b->v + k];
        if (turns(m, b))
            q_store(out + b->q + 3,
                    q_normalize(q_mul(q_load(q + b->q + 3), q_exp(v3_load(d + b->v + 3)))));
    }
}

static void model_retract(const HolProblem *p, void *work, const double *q, const double *d,
                          double *out) {
    const HolModel *m = p->user;
    HolModelWork *w = work;
    hol_team_loop(w->team, m->n_bodies, retract_loop, &(HolLoop){m, w, q, d, out});
}

// rotation part: 2 (vector part of conj(p1) (p1 - p0)) = -2 vec(conj(p1) p0)
static void minus_loop(void *context, int first, int end) {
    const HolLoop *l = context;
    const HolModel *m = l->m;
    const double *q1 = l->q, *q0 = l->v;
    double *d = l->out;
    for (int i = first > 1 ? first : 1; i < end; i++) {
        const HolPlace *b = &m->places[i];
        int n = turns(m, b) ? 3 : b->nv;
        for (int k = 0; k < n; k++)
            d[b->v + k] = q1[b->q + k] - q0[b->q + k];
        if (turns(m, b)) {
            Quat r = q_mul(q_conj(q_load(q1 + b->q + 3)), q_load(q0 + b->q + 3));
            v3_store(d + b->v + 3, v3(-2 * r.x, -2 * r.y, -2 * r.z));
        }
    }
}

static void model_minus(const HolProblem *p, void *work, const double *q1, const double *q0,
                        double *d) {
    const HolModel *m = p->user;
    HolModelWork *w = work;
    hol_team_loop(w->team, m->n_bodies, minus_loop, &(HolLoop){m, w, q1, q0, d});
}

// plain coordinates

static void plane_retract_loop(void *context, int first, int end) {
    const HolLoop *l = context;
#pragma GCC ivdep
    for (int i = first; i < end; i++)
        l->out[i] = l->q[i] + l->v[i];
}

static void plane_retract(const HolProblem *p, void *work, const double *q, const double *d,
                          double *out) {
    HolModelWork *w = work;
    hol_team_loop(w->team, p->nv, plane_retract_loop, &(HolLoop){p->user, w, q, d, out});
}

static void plane_minus_loop(void *context, int first, int end) {
    const HolLoop *l = context;
#pragma GCC ivdep
    for (int i = first; i < end; i++)
        l->out[i] = l->q[i] - l->v[i];
}

static void plane_minus(const HolProblem *p, void *work, const double *q1, const double *q0,
                        double *d) {
    HolModelWork *w = work;
    hol_team_loop(w->team, p->nv, plane_minus_loop, &(HolLoop){p->user, w, q1, q0, d});
}

void hol_kinematics_functions(HolProblem *p) {
    const HolModel *m = p->user;
    if (m->space != HOL_SPATIAL) {
        p->retract = plane_retract;
        p->minus = plane_minus;
        return;
    }
    p->qdot = model_qdot;
    p->qddot = model_qddot;
    p->qdddot = model_qdddot;
    p->retract = model_retract;
    p->minus = model_minus;
}
