// SPDX-License-Identifier: Apache-2.0
// All mass elements of a model: their places in M and S, and loops over their kinds.
#include "model/mass/mass.h"
#include "model/problem/series.h"

int hol_mass_add(HolModel *m, const HolMassKind *kind, const void *data, int v, int n, int damped) {
    HolMasses *all = &m->masses;
    if (!HOL_GROW(&m->arena, all->list, all->n, all->capacity))
        return 0;
    all->list[all->n++] = (HolMassElement){kind, data, v, n};
    all->damped |= damped;
    return 1;
}

// ---- places ----

static long mass_places(const HolModel *m) {
    long n = 0;
    for (int i = 0; i < m->masses.n; i++)
        n += (long)m->masses.list[i].n * m->masses.list[i].n;
    return n;
}

static int mass_place(const HolPattern *M, int row, int column) {
    for (int e = M->ptr[column]; e < M->ptr[column + 1]; e++)
        if (M->idx[e] == row)
            return e;
    return -1;
}

int hol_masses_fill(HolModel *m) {
    int *to = HOL_NEW(&m->arena, int, mass_places(m) + 1);
    m->masses.to_M = to;
    for (int i = 0; to && i < m->masses.n; i++) {
        const HolMassElement *e = &m->masses.list[i];
        for (int c = 0; c < e->n; c++)
            for (int r = 0; r < e->n; r++)
                *to++ = e->kind->couples(m, e->data, r, c)
                            ? mass_place(&m->problem.M, e->v + r, e->v + c)
                            : -1;
    }
    return m->masses.to_M != NULL;
}

void hol_masses_places(HolModel *m, const int *end) {
    m->masses.to_S = end - mass_places(m);
}

// ---- values ----

void hol_masses_mass(const HolModel *m, const double *q, double c, int into_S, double *S) {
    const int *to = into_S ? m->masses.to_S : m->masses.to_M;
    for (int i = 0; i < m->masses.n; i++) {
        const HolMassElement *e = &m->masses.list[i];
        e->kind->mass(m, e->data, q, &(HolMassBlock){S, c, to, e->n});
        to += (long)e->n * e->n;
    }
}

void hol_masses_force(const HolModel *m, const double *q, const double *v, double *f) {
    const HolMassState s = {.q = q, .v = v};
    for (int i = 0; i < m->masses.n; i++)
        m->masses.list[i].kind->force(m, m->masses.list[i].data, &s, f);
}

double hol_masses_kinetic(const HolModel *m, const double *q, const double *v) {
    const HolMassState s = {.q = q, .v = v};
    double T = 0;
    for (int i = 0; i < m->masses.n; i++)
        T += m->masses.list[i].kind->kinetic(m, m->masses.list[i].data, &s);
    return T;
}

double hol_masses_potential(const HolModel *m, const double *q) {
    double V = 0;
    for (int i = 0; i < m->masses.n; i++)
        V += m->masses.list[i].kind->potential(m, m->masses.list[i].data, q);
    return V;
}

double hol_masses_power(const HolModel *m, const double *q, const double *v) {
    const HolMassState s = {.q = q, .v = v};
    double power = 0;
    for (int i = 0; i < m->masses.n; i++)
        power += m->masses.list[i].kind->power(m, m->masses.list[i].data, &s);
    return power;
}

void hol_masses_tangent(const HolModel *m, const HolMassState *s, double cC, double *C, double cK,
                        double *K) {
    const int *to = m->masses.to_S;
    for (int i = 0; i < m->masses.n; i++) {
        const HolMassElement *e = &m->masses.list[i];
        e->kind->tangent(m, e->data, s, &(HolMassBlock){C, cC, to, e->n},
                         &(HolMassBlock){K, cK, to, e->n});
        to += (long)e->n * e->n;
    }
}

// ---- series ----

size_t hol_masses_series_size(const HolModel *m, int order) {
    size_t n = 0;
    for (int i = 0; i < m->masses.n; i++)
        n += m->masses.list[i].kind->series_size(m, m->masses.list[i].data, stride_of(order));
    return n;
}

void hol_masses_series(const HolModel *m, const HolJets *J, double *own, int k, double *rhs) {
    for (int i = 0; i < m->masses.n; i++) {
        const HolMassElement *e = &m->masses.list[i];
        e->kind->series(m, e->data, J, own, k, rhs);
        own += e->kind->series_size(m, e->data, J->stride);
    }
}

double hol_masses_series_work(const HolModel *m, const HolJets *J, int k, double h) {
    double sum = 0;
    for (int i = 0; i < m->masses.n; i++)
        sum += m->masses.list[i].kind->series_work(m, m->masses.list[i].data, J, k, h);
    return sum;
}
