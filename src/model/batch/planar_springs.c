// SPDX-License-Identifier: Apache-2.0
// Linear springs and dampers between two angles of the plane, E = -k (sigma - s0) - c sigma' with
// sigma = theta_b - theta_a, straight from the coordinates. All other force elements are listed
// apart.
// What it pays: without this list tangent takes 1.57 times the instructions on 40 stiff double pendula
// in a row.
#include "model/problem/series.h"

static int planar_springs_is_spring(const HolModel *m, const HolElement *e) {
    const HolRow *r = &m->sys.rows[e->row];
    return m->space == HOL_PLANAR && !e->expr && e->other == e->row && r->kind == &hol_row_angle2 &&
           (r->a == 0 || r->mask[0] == 4) && r->mask[1] == 4;
}

int hol_springs_build(HolModel *m) {
    m->batch.springs = HOL_NEW(&m->arena, HolSpring, m->sys.n_elements + 1);
    m->batch.loads = HOL_NEW(&m->arena, int, m->sys.n_elements + 1);
    if (!m->batch.springs || !m->batch.loads)
        return 0;
    for (int i = 0; i < m->sys.n_elements; i++) {
        const HolElement *e = &m->sys.elements[i];
        const HolRow *r = &m->sys.rows[e->row];
        if (planar_springs_is_spring(m, e))
            m->batch.springs[m->batch.n_springs++] = (HolSpring){
                .k = e->k,
                .s0 = e->s0 - r->c,
                .c = e->c,
                .body = {r->a, r->b},
                .turn = {r->a ? m->def.bodies[r->a].v + 2 : -1, m->def.bodies[r->b].v + 2}};
        else
            m->batch.loads[m->batch.n_loads++] = i;
    }
    return 1;
}

// x_b - x_a of an array of velocity (and, in the plane, position) coordinates
static inline double between(const HolSpring *s, const double *x) {
    return x[s->turn[1]] - (s->turn[0] >= 0 ? x[s->turn[0]] : 0);
}

static inline void planar_springs_add(const HolSpring *s, double E, double *f) {
    f[s->turn[1]] += E;
    if (s->turn[0] >= 0)
        f[s->turn[0]] -= E;
}

void hol_springs_force(const HolModel *m, const double *q, const double *v, double *f) {
    for (int i = 0; i < m->batch.n_springs; i++) {
        const HolSpring *s = &m->batch.springs[i];
        planar_springs_add(s, -s->k * (between(s, q) - s->s0) - s->c * between(s, v), f);
    }
}

double hol_springs_potential(const HolModel *m, const double *q) {
    double V = 0;
    for (int i = 0; i < m->batch.n_springs; i++) {
        const double stretch = between(&m->batch.springs[i], q) - m->batch.springs[i].s0;
        V += 0.5 * m->batch.springs[i].k * stretch * stretch;
    }
    return V;
}

double hol_springs_power(const HolModel *m, const double *v) {
    double power = 0;
    for (int i = 0; i < m->batch.n_springs; i++) {
        const double rate = between(&m->batch.springs[i], v);
        power -= m->batch.springs[i].c * rate * rate;
    }
    return power;
}

// ---- series ----

static inline double angle(const HolSpring *s, const HolJets *J, int k) {
    return *hol_jet(J, s->body[1], HOL_S_THETA, k) -
           (s->turn[0] >= 0 ? *hol_jet(J, s->body[0], HOL_S_THETA, k) : 0);
}

void hol_springs_jet(const HolModel *m, const HolJets *J, int k, double *rhs) {
    for (int i = 0; i < m->batch.n_springs; i++) {
        const HolSpring *s = &m->batch.springs[i];
        planar_springs_add(s,
                           -s->k * (angle(s, J, k) - (k == 0 ? s->s0 : 0)) -
                               s->c * (k + 1) * angle(s, J, k + 1),
                           rhs);
    }
}

double hol_springs_jet_work(const HolModel *m, const HolJets *J, int k, double h) {
    double sum = 0;
    for (int i = 0; i < m->batch.n_springs; i++) {
        const HolSpring *s = &m->batch.springs[i];
        double rate[64], power = h;
        for (int j = 0; j <= k; j++)
            rate[j] = (j + 1) * angle(s, J, j + 1);
        for (int j = 0; j <= k && s->c != 0; j++, power *= h)
            sum -= s->c * hol_conv(rate, rate, j) * power / (j + 1);
    }
    return sum;
}
