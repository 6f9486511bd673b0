// SPDX-License-Identifier: Apache-2.0
// All beam elements of a model: forces, energies, derivatives, Taylor coefficients. Elements of one
// model are all of the plane or all of space.
#include "model/body/beam.h"

#include <string.h>

// mass: consistent (mass/hermite.c)
static int beam_elements_masses(HolModel *m, const HolBeam *b) {
    HolHermite *list = HOL_NEW(&m->arena, HolHermite, b->n);
    for (int i = 0; list && i < b->n; i++) {
        const HolBody *node = &m->def.bodies[b->first + i];
        list[i] = (HolHermite){.body = {b->first + i, b->first + i + 1},
                               .q = {node[0].q, node[1].q},
                               .v = {node[0].v, node[1].v}};
        hol_hermite_make(&list[i], b->length / b->n, b->mass * b->length / b->n, b->drag);
        if (!hol_mass_add(m, &hol_mass_hermite, &list[i], node[0].v, 2 * node[0].nv, b->drag > 0))
            return 0;
    }
    return list != NULL;
}

int hol_beams_build(HolModel *m) {
    HolBeams *b = &m->beams;
    for (int i = 0; i < b->n_elements; i++) {
        int *body = b->planar ? b->planar[i].body : b->spatial[i].body,
            *v = b->planar ? b->planar[i].v : b->spatial[i].v;
        v[0] = m->def.bodies[body[0]].v;
        v[1] = m->def.bodies[body[1]].v;
        b->damped |= (b->planar ? b->planar[i].time : b->spatial[i].time) > 0;
    }
    for (int i = 0; i < b->n; i++)
        b->dragged |= b->list[i].drag > 0;
    m->sys.has_power |= b->damped | b->dragged;
    for (int i = 0; i < b->n; i++)
        if (b->list[i].consistent && !beam_elements_masses(m, &b->list[i]))
            return 0;
    return 1;
}

// factors of -alpha m v on a node's velocities; body axes of the rotation are those of its inertia
// (what consistent mass adds to it: mass/hermite.c)
static void beam_elements_drag(const HolModel *m, const double *v, double *f, double *power) {
    for (int i = 0; i < m->beams.n; i++) {
        const HolBeam *b = &m->beams.list[i];
        for (int node = b->first; b->drag > 0 && node <= b->first + b->n; node++) {
            const int at = m->def.bodies[node].v, nv = m->def.bodies[node].nv;
            for (int k = 0; k < nv; k++) {
                const double force = -b->drag * hol_body_inertia(m, node, k) * v[at + k];
                if (f)
                    f[at + k] += force;
                if (power)
                    *power += force * v[at + k];
            }
        }
    }
}

void hol_beams_force(const HolModel *m, const HolFrame *frames, const double *v, double *f) {
    const HolBeams *b = &m->beams;
    double out[12];
    for (int i = 0; i < b->n_elements; i++) {
        const int n = b->planar ? 3 : 6;
        const int *at = b->planar ? b->planar[i].v : b->spatial[i].v;
        if (b->planar) {
            const HolBeam2 *e = &b->planar[i];
            hol_beam2_force(e, &frames[e->body[0]], &frames[e->body[1]], v + at[0], v + at[1], out);
        } else {
            const HolBeam3 *e = &b->spatial[i];
            hol_beam3_force(e, &frames[e->body[0]], &frames[e->body[1]], v + at[0], v + at[1], out);
        }
        for (int k = 0; k < n; k++) {
            f[at[0] + k] += out[k];
            f[at[1] + k] += out[n + k];
        }
    }
    if (b->dragged)
        beam_elements_drag(m, v, f, NULL);
}

double hol_beam_energy(const HolModel *m, const HolFrame *frames, int element) {
    const HolBeams *b = &m->beams;
    if (b->planar) {
        const HolBeam2 *e = &b->planar[element];
        return hol_beam2_energy(e, &frames[e->body[0]], &frames[e->body[1]]);
    }
    const HolBeam3 *e = &b->spatial[element];
    return hol_beam3_energy(e, &frames[e->body[0]], &frames[e->body[1]]);
}

double hol_beams_potential(const HolModel *m, const HolFrame *frames) {
    double V = 0;
    for (int i = 0; i < m->beams.n_elements; i++)
        V += hol_beam_energy(m, frames, i);
    return V;
}

double hol_beams_power(const HolModel *m, const HolFrame *frames, const double *v) {
    const HolBeams *b = &m->beams;
    double power = 0;
    for (int i = 0; i < b->n_elements && b->damped; i++) {
        if (b->planar) {
            const HolBeam2 *e = &b->planar[i];
            power += hol_beam2_power(e, &frames[e->body[0]], &frames[e->body[1]], v + e->v[0],
                                     v + e->v[1]);
        } else {
            const HolBeam3 *e = &b->spatial[i];
            power += hol_beam3_power(e, &frames[e->body[0]], &frames[e->body[1]], v + e->v[0],
                                     v + e->v[1]);
        }
    }
    if (b->dragged)
        beam_elements_drag(m, v, NULL, &power);
    return power;
}

int hol_beam_tangent(const HolModel *m, const HolFrame *frames, const double *v, int element,
                     double *K, double *C) {
    const HolBeams *b = &m->beams;
    if (b->planar) {
        const HolBeam2 *e = &b->planar[element];
        hol_beam2_tangent(e, &frames[e->body[0]], &frames[e->body[1]], v + e->v[0], v + e->v[1], K,
                          C);
        return e->time > 0;
    }
    const HolBeam3 *e = &b->spatial[element];
    hol_beam3_tangent(e, &frames[e->body[0]], &frames[e->body[1]], v + e->v[0], v + e->v[1], K, C);
    return e->time > 0;
}

void hol_beam_places(const HolModel *m, int element, int places[12]) {
    const HolBeams *b = &m->beams;
    const int n = b->planar ? 3 : 6;
    const int *at = b->planar ? b->planar[element].v : b->spatial[element].v;
    for (int k = 0; k < n; k++) {
        places[k] = at[0] + k;
        places[n + k] = at[1] + k;
    }
}

// ---- series ----

size_t hol_beams_series_size(const HolModel *m, int order) {
    const size_t one =
        m->beams.planar ? hol_beam2_series_size(order) : hol_beam3_series_size(order);
    return (size_t)m->beams.n_elements * one;
}

static void beam_elements_drag_series(const HolModel *m, const HolJets *J, int k, double *rhs) {
    for (int i = 0; i < m->beams.n; i++) {
        const HolBeam *b = &m->beams.list[i];
        for (int node = b->first; b->drag > 0 && node <= b->first + b->n; node++) {
            const int at = m->def.bodies[node].v, nv = m->def.bodies[node].nv;
            for (int c = 0; c < nv; c++) {
                const double rate = c < 3 ? (k + 1) * *hol_jet(J, node, c, k + 1)
                                          : *hol_jet(J, node, HOL_S_OMEGA + c - 3, k);
                rhs[at + c] -= b->drag * hol_body_inertia(m, node, c) * rate;
            }
        }
    }
}

void hol_beams_series(const HolModel *m, const HolJets *J, double *own, int k, double *rhs) {
    const HolBeams *b = &m->beams;
    const size_t one =
        b->planar ? hol_beam2_series_size(J->order) : hol_beam3_series_size(J->order);
    double out[12];
    for (int i = 0; i < b->n_elements; i++, own += one) {
        const int n = b->planar ? 3 : 6;
        const int *at = b->planar ? b->planar[i].v : b->spatial[i].v;
        if (b->planar)
            hol_beam2_series(&b->planar[i], J, own, k, out);
        else
            hol_beam3_series(&b->spatial[i], J, own, k, out);
        for (int c = 0; c < n; c++) {
            rhs[at[0] + c] += out[c];
            rhs[at[1] + c] += out[n + c];
        }
    }
    if (b->dragged)
        beam_elements_drag_series(m, J, k, rhs);
}

static double beam_elements_drag_work(const HolModel *m, const HolJets *J, int k, double h) {
    double sum = 0, rate[64];
    for (int i = 0; i < m->beams.n; i++) {
        const HolBeam *b = &m->beams.list[i];
        for (int node = b->first; b->drag > 0 && node <= b->first + b->n; node++)
            for (int c = 0; c < m->def.bodies[node].nv; c++) {
                double power = h;
                for (int j = 0; j <= k; j++)
                    rate[j] = c < 3 ? (j + 1) * *hol_jet(J, node, c, j + 1)
                                    : *hol_jet(J, node, HOL_S_OMEGA + c - 3, j);
                for (int j = 0; j <= k; j++, power *= h)
                    sum -= b->drag * hol_body_inertia(m, node, c) * hol_conv(rate, rate, j) *
                           power / (j + 1);
            }
    }
    return sum;
}

double hol_beams_series_work(const HolModel *m, const HolJets *J, const double *own, int k,
                             double h) {
    const HolBeams *b = &m->beams;
    const size_t one =
        b->planar ? hol_beam2_series_size(J->order) : hol_beam3_series_size(J->order);
    double sum = 0;
    for (int i = 0; i < b->n_elements && b->damped; i++, own += one)
        sum += b->planar ? hol_beam2_series_work(&b->planar[i], own, k, h)
                         : hol_beam3_series_work(&b->spatial[i], own, k, h);
    return sum + (b->dragged ? beam_elements_drag_work(m, J, k, h) : 0);
}
