// SPDX-License-Identifier: Apache-2.0
// Dense output of rk853 (order 7), of the last step and of the candidate.
//   y(theta) = y0 + theta (c0 + (1-theta) (c1 + theta (c2 + (1-theta) (c3 + ..)))),  theta in 0..1
//   c0 = y1 - y0,  c1 = h y0' - c0,  c2 = 2 c0 - h (y0' + y1'),  c3.. = h sum_i d_i k_i
// with three further stages; y1 is the projected end of the step, so that steps join smoothly.
#include "solve/method/rk/rk.h"

#include <string.h>

// ---- dense output ----

static void dense_rows(int n, double h, double *const k[HOL_RK_STAGES], const double *y0,
                       const double *y1, int full, double *const c[7]) {
    for (int i = 0; i < n; i++) {
        const double d = y1[i] - y0[i], first = h * k[0][i], last = h * k[12][i];
        c[0][i] = d;
        c[1][i] = first - d;
        c[2][i] = 2 * d - first - last;
        for (int r = 0; r < 4; r++) {
            double sum = 0;
            for (int j = 0; full && j < HOL_RK_STAGES; j++)
                sum += hol_rk853_dense[r][j] * k[j][i];
            c[3 + r][i] = h * sum;
        }
    }
}

// the polynomial from x0 to x1; without the step's own stages a cubic
static void make_dense(HolSim *s, HolRungeKutta *m, const HolState *x0, const HolState *x1) {
    const double h = x1->t - x0->t;
    int full = m->have_stages;
    if (!full) {
        s->p->qdot(s->p, s->work, x0->q, x0->v, m->w.kq[0]);
        memcpy(m->w.kv[0], x0->a, (size_t)s->nv * sizeof(double));
    }
    s->p->qdot(s->p, s->work, x1->q, x1->v, m->w.kq[12]);
    memcpy(m->w.kv[12], x1->a, (size_t)s->nv * sizeof(double));
    if (full)
        full = hol_rk_stages(s, &m->w, m->table, x0, h, 13, HOL_RK_STAGES, NULL) == HOL_OK;
    dense_rows(s->nq, h, m->w.kq, x0->q, x1->q, full, m->cq);
    dense_rows(s->nv, h, m->w.kv, x0->v, x1->v, full, m->cv);
}

static void dense_values(int n, double theta, const double *y0, double *const c[7], double *out) {
    const double u = 1 - theta;
    for (int i = 0; i < n; i++) {
        double y = theta * c[6][i];
        y = u * (y + c[5][i]);
        y = theta * (y + c[4][i]);
        y = u * (y + c[3][i]);
        y = theta * (y + c[2][i]);
        y = u * (y + c[1][i]);
        out[i] = y0[i] + theta * (y + c[0][i]);
    }
}

static void dense_state(HolSim *s, HolRungeKutta *m, const HolState *x0, double theta,
                        HolState *out) {
    dense_values(s->nq, theta, x0->q, m->cq, out->q);
    dense_values(s->nv, theta, x0->v, m->cv, out->v);
    if (!s->plain) {
        memset(m->moved, 0, (size_t)s->nv * sizeof(double));
        s->p->retract(s->p, s->work, out->q, m->moved, out->q);
    }
}

void hol_rk_dense(HolSim *s, double theta, HolState *out) {
    HolRungeKutta *m = s->method;
    const HolState *x0 = &s->prev, *x1 = &s->x;
    if (!m->have_dense)
        make_dense(s, m, x0, x1);
    m->have_dense = 1;
    dense_state(s, m, x0, theta, out);
    out->t = x0->t + theta * (x1->t - x0->t);
    for (int i = 0; i < s->nw; i++)
        out->w[i] = (1 - theta) * x0->w[i] + theta * x1->w[i];
    if (hol_accelerate(s, out, 0, NULL) == HOL_OK)
        return;
    // a singular position between two regular ones
    for (int i = 0; i < s->nv; i++)
        out->a[i] = (1 - theta) * x0->a[i] + theta * x1->a[i];
    for (int i = 0; i < s->m; i++)
        out->lambda[i] = (1 - theta) * x0->lambda[i] + theta * x1->lambda[i];
}

void hol_rk_inside(HolSim *s, double theta, HolState *out) {
    HolRungeKutta *m = s->method;
    if (!m->have_dense) {
        m->have_stages = 1;
        make_dense(s, m, &s->x, &s->next);
    }
    m->have_dense = 1;
    dense_state(s, m, &s->x, theta, out);
    for (int i = 0; i < s->nw; i++)
        out->w[i] = (1 - theta) * s->x.w[i] + theta * s->next.w[i];
}
