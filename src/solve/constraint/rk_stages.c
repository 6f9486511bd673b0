// SPDX-License-Identifier: Apache-2.0
// Stages of explicit Runge-Kutta methods on the index-1 equations (rk_stages.h).
#include "solve/constraint/rk_stages.h"

#include <string.h>

int hol_rk_create(HolSim *s, HolRkWork *w, int stages) {
    hol_state_alloc(s, &w->stage);
    for (int i = 0; i < stages; i++) {
        w->kq[i] = HOL_NEW(&s->arena, double, s->nq);
        w->kv[i] = HOL_NEW(&s->arena, double, s->nv);
    }
    return !s->arena.failed;
}

static void rk_stages_store(HolSim *s, HolRkWork *w, const HolState *x, int i) {
    const HolProblem *p = s->p;
    double kinetic, potential;
    p->qdot(p, s->work, x->q, x->v, w->kq[i]);
    memcpy(w->kv[i], x->a, (size_t)s->nv * sizeof(double));
    w->power[i] = 0;
    if (p->energy && p->has_power)
        p->energy(p, s->work, HOL_AT(x), &kinetic, &potential, &w->power[i]);
}

void hol_rk_first(HolSim *s, HolRkWork *w, const HolState *x) {
    rk_stages_store(s, w, x, 0);
}

void hol_rk_combine(HolSim *s, const HolRkWork *w, const HolState *x, double h,
                    const double *weight, int stages, HolState *to) {
    for (int k = 0; k < s->nq; k++) {
        double sum = 0;
        for (int i = 0; i < stages; i++)
            sum += weight[i] * w->kq[i][k];
        to->q[k] = x->q[k] + h * sum;
    }
    for (int k = 0; k < s->nv; k++) {
        double sum = 0;
        for (int i = 0; i < stages; i++)
            sum += weight[i] * w->kv[i][k];
        to->v[k] = x->v[k] + h * sum;
    }
    if (!s->plain) {
        memset(s->r1, 0, (size_t)s->nv * sizeof(double));
        s->p->retract(s->p, s->work, to->q, s->r1, to->q);
    }
}

HolStatus hol_rk_stages(HolSim *s, HolRkWork *w, const HolRkTableau *t, const HolState *x, double h,
                        int first, int last, HolError *err) {
    HolState *y = &w->stage;
    if (first == 1 && s->nw)
        memcpy(y->w, x->w, (size_t)s->nw * sizeof(double));
    for (int i = first; i < last; i++) {
        y->t = x->t + t->c[i] * h;
        hol_rk_combine(s, w, x, h, t->a[i], i, y);
        HolStatus status = hol_accelerate(s, y, 0, err);
        if (status != HOL_OK)
            return status;
        rk_stages_store(s, w, y, i);
    }
    return HOL_OK;
}

HolStatus hol_rk4_step(HolSim *s, HolRkWork *w, HolState *x, double h, HolError *err) {
    hol_rk_first(s, w, x);
    HolStatus status = hol_rk_stages(s, w, &hol_rk4, x, h, 1, 4, err);
    if (status != HOL_OK)
        return status;
    hol_rk_combine(s, w, x, h, hol_rk4.b, 4, x);
    x->t += h;
    return hol_accelerate(s, x, 0, err);
}

void hol_rk_keep(const HolSim *s, HolRkWork *w, HolKeeper *k) {
    hol_state_keep(s, &w->stage,
                   k); // (iterations for algebraic variables begin with the last ones)
    for (int i = 0; i < HOL_RK_STAGES; i++) {
        HOL_KEEP_ARRAY(k, w->kq[i], s->nq);
        HOL_KEEP_ARRAY(k, w->kv[i], s->nv);
    }
    HOL_KEEP(k, w->power);
}
