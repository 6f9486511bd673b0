// SPDX-License-Identifier: Apache-2.0
// Frames of the bodies at (t, q), and the kinematics q' = T(q) v: q', q'', q (+) d, q1 (-) q0
// (docs/theory/coordinates.md, section 3). Only the quaternion of a spatial body needs more than a
// copy.
#include "base/thread_pool.h"
#include "math/simd.h"
#include "math/vec.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

// ---- frames ----

// (rigid bodies, nearly all, without a call; in the plane nobody asks for A)
static void set_frame(const HolModel *m, const HolPlace *b, const double *q, HolFrame *f) {
    if (!b->turns) {
        hol_body_kind((HolBodyType)b->type)->frame(m->space, q, f);
        return;
    }
    f->r[0] = q[0];
    f->r[1] = q[1];
    if (m->space == HOL_PLANAR) {
        f->c = cos(q[2]);
        f->s = sin(q[2]);
        f->angle = q[2];
    } else {
        Mat3 A = q_matrix(q_load(q + 3));
        f->r[2] = q[2];
        memcpy(f->A, A.m, sizeof f->A);
        memcpy(f->p, q + 3, sizeof f->p);
    }
}

static void frames_loop(void *context, int first, int end) {
    const HolLoop *l = context;
    const HolPlace *places = l->m->sys.places;
    first = first > 1 ? first : 1;
    int from = first < end ? places[first].q : 0,
        to = end < l->m->def.n_bodies ? places[end].q : l->m->problem.nq;
    if (first < end && l->q != l->w->q)
        memcpy(l->w->q + from, l->q + from, sizeof(double) * (size_t)(to - from));
    for (int i = first; i < end; i++)
        set_frame(l->m, &places[i], l->q + places[i].q, &l->w->frames[i]);
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

static int same_values(HolThreadPool *pool, const double *a, const double *b, int n) {
    enum { FEW = 64 };
    if (a == b)
        return 1;
    if (!pool || memcmp(a, b, sizeof(double) * (size_t)(n < FEW ? n : FEW)))
        return memcmp(a, b, sizeof(double) * (size_t)n) == 0;
    Comparison c = {a, b, n, {0, 0}};
    hol_pool_run(pool, 2, compare_half, &c);
    return !c.differ[0] && !c.differ[1];
}

void hol_model_position(const HolModel *m, HolModelWork *w, double t, const double *q) {
    if (w->have_q && t == w->t && same_values(w->pool, q, w->q, m->problem.nq))
        return;
    w->t = t;
    hol_pool_loop(w->pool, m->def.n_bodies, frames_loop, &(HolLoop){m, w, q, NULL, NULL});
    memset(w->have_coef, 0, (size_t)m->sys.n_rows);
    w->have_q = 1;
    w->have_v = w->have_slots_q = w->have_slots_v = 0;
}

static void kinematics_copy_loop(void *context, int first, int end) {
    const HolLoop *l = context;
    memcpy(l->out + first, l->v + first, sizeof(double) * (size_t)(end - first));
}

void hol_model_velocity(const HolModel *m, HolModelWork *w, const double *v) {
    if (w->have_v && same_values(w->pool, v, w->v, m->problem.nv))
        return;
    if (v != w->v)
        hol_pool_loop(w->pool, m->problem.nv, kinematics_copy_loop,
                      &(HolLoop){m, w, NULL, v, w->v});
    w->have_v = 1;
    w->have_slots_v = 0;
}

// ---- rates and increments ----

// (the small table of places serves: these walks wait for memory)
static inline int kinematics_turns(const HolModel *m, const HolPlace *b) {
    return b->turns && m->space == HOL_SPATIAL;
}

static Quat q_half(Quat p, Vec3 x, double s) { // s/2 p (0, x)
    Quat d = q_mul(p, (Quat){0, x.x, x.y, x.z});
    return (Quat){0.5 * s * d.w, 0.5 * s * d.x, 0.5 * s * d.y, 0.5 * s * d.z};
}

// of one body
static inline void body_qdot(const double *q, const double *v, int n, int turns, double *qd) {
    for (int k = 0; k < n; k++)
        qd[k] = v[k];
    if (turns)
        q_store(qd + 3, q_half(q_load(q + 3), v3_load(v + 3), 1));
}

static inline void body_qddot(const double *q, const double *v, const double *a, int n, int turns,
                              double *qdd) {
    for (int k = 0; k < n; k++)
        qdd[k] = a[k];
    if (!turns)
        return;
    Quat pq = q_load(q + 3), d = q_half(pq, v3_load(a + 3), 1);
    Vec3 o = v3_load(v + 3);
    double s = -0.25 * v3_dot(o, o);
    q_store(qdd + 3, (Quat){d.w + s * pq.w, d.x + s * pq.x, d.y + s * pq.y, d.z + s * pq.z});
}

static void qdot_loop(void *context, int first, int end) {
    const HolLoop *l = context;
    for (int i = first > 1 ? first : 1; i < end; i++) {
        const HolPlace *b = &l->m->sys.places[i];
        const int turning = kinematics_turns(l->m, b);
        body_qdot(l->q + b->q, l->v + b->v, turning ? 3 : b->nv, turning, l->out + b->q);
    }
}

static void model_qdot(const HolProblem *p, void *work, const double *q, const double *v,
                       double *qd) {
    const HolModel *m = p->user;
    HolModelWork *w = work;
    hol_pool_loop(w->pool, m->def.n_bodies, qdot_loop, &(HolLoop){m, w, q, v, qd});
}

typedef struct Rates {
    HolLoop loop;
    const double *a, *j;
} Rates;

static void qddot_loop(void *context, int first, int end) {
    const Rates *r = context;
    const HolLoop *l = &r->loop;
    for (int i = first > 1 ? first : 1; i < end; i++) {
        const HolPlace *b = &l->m->sys.places[i];
        const int turning = kinematics_turns(l->m, b);
        body_qddot(l->q + b->q, l->v + b->v, r->a + b->v, turning ? 3 : b->nv, turning,
                   l->out + b->q);
    }
}

static void model_qddot(const HolProblem *p, void *work, const double *q, const double *v,
                        const double *a, double *qdd) {
    const HolModel *m = p->user;
    HolModelWork *w = work;
    hol_pool_loop(w->pool, m->def.n_bodies, qddot_loop, &(Rates){{m, w, q, v, qdd}, a, NULL});
}

typedef struct FormulaLoop {
    const HolModel *m;
    const HolFormula *f;
} FormulaLoop;

static void kinematics_formula_loop(void *context, int first, int end) {
    const HolModel *m = ((const FormulaLoop *)context)->m;
    const HolFormula *f = ((const FormulaLoop *)context)->f;
    const double h = f->h;
    for (int i = first > 1 ? first : 1; i < end; i++) {
        const HolPlace *b = &m->sys.places[i];
        const double *q = f->q + b->q, *v = f->v + b->v, *a = f->a + b->v, *base = f->base + b->q;
        const int turning = kinematics_turns(m, b), n = turning ? 3 : b->nv, nq = turning ? 7 : n;
        double qd[7], qdd[7], *out = f->out + b->q;
        body_qdot(q, v, n, turning, qd);
        body_qddot(q, v, a, n, turning, qdd);
        for (int k = 0; k < nq; k++)
            out[k] = base[k] + h * (f->c1 * qd[k] + h * f->c2 * qdd[k]);
    }
}

static void model_formula(const HolProblem *p, void *work, const HolFormula *f) {
    const HolModel *m = p->user;
    HolModelWork *w = work;
    hol_pool_loop(w->pool, m->def.n_bodies, kinematics_formula_loop, &(FormulaLoop){m, f});
}

// p''' = p (-3/4 omega . alpha, 1/2 alpha' + 1/4 omega x alpha - 1/8 |omega|^2 omega)
static void qdddot_loop(void *context, int first, int end) {
    const Rates *r = context;
    const HolModel *m = r->loop.m;
    for (int i = first > 1 ? first : 1; i < end; i++) {
        const HolPlace *b = &m->sys.places[i];
        double *out = r->loop.out + b->q;
        int n = kinematics_turns(m, b) ? 3 : b->nv;
        for (int k = 0; k < n; k++)
            out[k] = r->j[b->v + k];
        if (!kinematics_turns(m, b))
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
    hol_pool_loop(w->pool, m->def.n_bodies, qdddot_loop, &(Rates){{m, w, q, v, qddd}, a, j});
}

static inline void body_retract(const double *q, const double *d, int n, int turns, double *out) {
    for (int k = 0; k < n; k++)
        out[k] = q[k] + d[k];
    if (turns)
        q_store(out + 3, q_normalize(q_mul(q_load(q + 3), q_exp(v3_load(d + 3)))));
}

static void retract_loop(void *context, int first, int end) {
    const HolLoop *l = context;
    for (int i = first > 1 ? first : 1; i < end; i++) {
        const HolPlace *b = &l->m->sys.places[i];
        const int turning = kinematics_turns(l->m, b);
        body_retract(l->q + b->q, l->v + b->v, turning ? 3 : b->nv, turning, l->out + b->q);
    }
}

static void model_retract(const HolProblem *p, void *work, const double *q, const double *d,
                          double *out) {
    const HolModel *m = p->user;
    HolModelWork *w = work;
    hol_pool_loop(w->pool, m->def.n_bodies, retract_loop, &(HolLoop){m, w, q, d, out});
}

// rotation part: 2 (vector part of conj(p1) (p1 - p0)) = -2 vec(conj(p1) p0)
static inline void body_minus(const double *q1, const double *q0, int n, int turns, double *d) {
    for (int k = 0; k < n; k++)
        d[k] = q1[k] - q0[k];
    if (turns) {
        Quat r = q_mul(q_conj(q_load(q1 + 3)), q_load(q0 + 3));
        v3_store(d + 3, v3(-2 * r.x, -2 * r.y, -2 * r.z));
    }
}

static void minus_loop(void *context, int first, int end) {
    const HolLoop *l = context;
    for (int i = first > 1 ? first : 1; i < end; i++) {
        const HolPlace *b = &l->m->sys.places[i];
        const int turning = kinematics_turns(l->m, b);
        body_minus(l->q + b->q, l->v + b->q, turning ? 3 : b->nv, turning, l->out + b->v);
    }
}

static void model_minus(const HolProblem *p, void *work, const double *q1, const double *q0,
                        double *d) {
    const HolModel *m = p->user;
    HolModelWork *w = work;
    hol_pool_loop(w->pool, m->def.n_bodies, minus_loop, &(HolLoop){m, w, q1, q0, d});
}

// how many coordinates moved
static double settle_loop(void *context, int first, int end) {
    static const double TINY = 1e-12;
    const HolLoop *l = context;
    int moved = 0;
    for (int i = first > 1 ? first : 1; i < end; i++) {
        const HolPlace *b = &l->m->sys.places[i];
        const int turning = kinematics_turns(l->m, b), n = turning ? 3 : b->nv;
        double d[6];
        body_minus(l->q + b->q, l->v + b->q, n, turning, d);
        for (int k = 0; k < b->nv; k++) {
            d[k] = -d[k];
            moved += !(fabs(d[k]) < TINY);
        }
        body_retract(l->q + b->q, d, n, turning, l->out + b->q);
    }
    return moved;
}

static int model_settle(const HolProblem *p, void *work, const double *q, const double *near,
                        double *out) {
    const HolModel *m = p->user;
    HolModelWork *w = work;
    return hol_pool_sum(w->pool, m->def.n_bodies, settle_loop, &(HolLoop){m, w, q, near, out}) == 0;
}

// plain coordinates

static void plane_retract_loop(void *context, int first, int end) {
    const HolLoop *l = context;
    HOL_INDEPENDENT
    for (int i = first; i < end; i++)
        l->out[i] = l->q[i] + l->v[i];
}

static void plane_retract(const HolProblem *p, void *work, const double *q, const double *d,
                          double *out) {
    HolModelWork *w = work;
    hol_pool_loop(w->pool, p->nv, plane_retract_loop, &(HolLoop){p->user, w, q, d, out});
}

static void plane_minus_loop(void *context, int first, int end) {
    const HolLoop *l = context;
    HOL_INDEPENDENT
    for (int i = first; i < end; i++)
        l->out[i] = l->q[i] - l->v[i];
}

static void plane_minus(const HolProblem *p, void *work, const double *q1, const double *q0,
                        double *d) {
    HolModelWork *w = work;
    hol_pool_loop(w->pool, p->nv, plane_minus_loop, &(HolLoop){p->user, w, q1, q0, d});
}

void hol_kinematics_functions(HolModel *m) {
    HolProblem *p = &m->problem;
    m->extras.settle = model_settle;
    if (m->space != HOL_SPATIAL) {
        p->retract = plane_retract;
        p->minus = plane_minus;
        return;
    }
    p->qdot = model_qdot;
    p->qddot = model_qddot;
    m->extras.qdddot = model_qdddot;
    m->extras.formula = model_formula;
    p->retract = model_retract;
    p->minus = model_minus;
}
