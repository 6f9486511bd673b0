// SPDX-License-Identifier: Apache-2.0
// Changes of joints that take the redundancy of a loop and leave its motion. N: its d wrenches of
// self-stress. Added freedoms a_1 .. a_d raise the rank by d, and the mobility by nothing, where
//     det [n_i . a_j] != 0.
// The cheapest combination of options with as many freedoms is searched; among equal costs the one with the
// largest determinant. A joint is only changed for the last loop that it is in: the condition for
// all loops together is then block triangular, and holds when it holds for each.
// A locked loop gets first a change that makes it move.
#include "tools/doctor/doctor.h"

#include <math.h>
#include <string.h>

enum { MOST_DEPTH = 4 };
static const double SMALLEST = 1e-3; // determinant, as d-th root, of a change that counts
static const double PREFERS = 0.05;  // cost that the best determinant is worth

typedef struct Search {
    const Doctor *d;
    const DoctorLoop *loop;
    int need;                          // freedoms
    double stress[DOCTOR_D][DOCTOR_D]; // `need` of them, about loop->ref
    DoctorOption (*options)[DOCTOR_OPTIONS];
    int n_options[DOCTOR_EDGES], n_edges;
    const DoctorOption *chosen[MOST_DEPTH], *best[MOST_DEPTH];
    double part[DOCTOR_D][DOCTOR_D]; // columns n . a chosen so far
    int n_best;
    double best_cost;
} Search;

// n . a for all wrenches and the freedoms of an option, at its joint's place
static void cure_products(const Search *s, const DoctorOption *o, const DoctorPose *p,
                          double (*out)[DOCTOR_D]) {
    const Doctor *d = s->d;
    const Vec3 place = hol_doctor_place(d, p, &d->edges[o->edge]);
    for (int i = 0; i < s->need; i++) {
        double w[DOCTOR_D];
        Vec3 f, m;
        hol_doctor_unpack(d, s->stress[i], s->loop->L, &f, &m);
        m = v3_add(m, v3_cross(v3_sub(s->loop->ref, place), f));
        hol_doctor_pack(d, f, m, s->loop->L, w);
        for (int k = 0; k < o->freed; k++) {
            out[k][i] = 0;
            for (int c = 0; c < d->D; c++)
                out[k][i] += w[c] * o->twist[k][c];
        }
    }
}

static void cure_finish(Search *s, int depth, double cost) {
    double a[DOCTOR_D * DOCTOR_D];
    for (int i = 0; i < s->need; i++)
        for (int k = 0; k < s->need; k++)
            a[i * s->need + k] = s->part[k][i];
    const double size = pow(fabs(hol_doctor_determinant(s->need, a)), 1.0 / s->need);
    if (!(size > SMALLEST))
        return;
    cost -= PREFERS * fmin(size, 1);
    if (s->n_best && cost >= s->best_cost - 1e-9)
        return;
    s->best_cost = cost;
    s->n_best = depth;
    memcpy(s->best, s->chosen, sizeof s->best);
}

static void cure_search(Search *s, const DoctorPose *p, int edge, int depth, int have,
                        double cost) {
    if (have == s->need) {
        cure_finish(s, depth, cost);
        return;
    }
    if (depth == MOST_DEPTH)
        return;
    for (int e = edge; e < s->n_edges; e++)
        for (int k = 0; k < s->n_options[e]; k++) {
            const DoctorOption *o = &s->options[e][k];
            if (have + o->freed > s->need || (s->n_best && cost + o->cost - PREFERS > s->best_cost))
                continue;
            s->chosen[depth] = o;
            cure_products(s, o, p, s->part + have);
            cure_search(s, p, e + 1, depth + 1, have + o->freed, cost + o->cost);
        }
}

// options of the joints that may be changed for this loop, except one
static void cure_options(Search *s, const DoctorPose *p, int except) {
    for (int i = 0; i < s->loop->n && s->n_edges < DOCTOR_EDGES; i++) {
        const int edge = s->loop->edges[i];
        if (s->d->edges[edge].later != s->loop || edge == except)
            continue;
        s->n_options[s->n_edges] =
            hol_doctor_options(s->d, p, edge, s->loop, s->options[s->n_edges]);
        s->n_edges++;
    }
}

// self-stress of the loop with an option; returns its mobility (without drives)
static int cure_null(const Doctor *d, const DoctorPose *p, const DoctorLoop *loop,
                     const DoctorOption *o, Search *s) {
    double size[DOCTOR_D], v[DOCTOR_D][DOCTOR_D], (*x)[DOCTOR_D] = d->room;
    int n = 0, rank = 0;
    for (int i = 0; i < loop->n; i++)
        n += hol_doctor_freedoms(d, p, &d->edges[loop->edges[i]], 1, loop->ref, loop->L, x + n);
    const Vec3 place = hol_doctor_place(d, p, &d->edges[o->edge]);
    for (int k = 0; k < o->freed; k++) { // twists about the place -> about ref
        Vec3 t, turn;
        hol_doctor_unpack(d, o->twist[k], loop->L, &t, &turn);
        turn = v3_scale(turn, 1 / (loop->L * loop->L));
        t = v3_add(t, v3_cross(turn, v3_sub(loop->ref, place)));
        hol_doctor_pack(d, t, v3_scale(turn, loop->L * loop->L), loop->L, x[n++]);
    }
    hol_doctor_svd(d->D, x, n, size, v);
    while (rank < d->D && size[rank] > DOCTOR_DEPENDENT)
        rank++;
    s->need = d->D - rank;
    memcpy(s->stress, v + rank, sizeof *v * (size_t)s->need);
    return n - rank;
}

// a locked loop: one change of the joint `off` that makes it move, then what takes the rest
static int cure_locked(Doctor *d, DoctorLoop *loop, int off, DoctorOption (*room)[DOCTOR_OPTIONS],
                       DoctorOption out[DOCTOR_CHANGES]) {
    DoctorOption options[DOCTOR_OPTIONS];
    const int n = hol_doctor_options(d, &d->here, off, loop, options);
    double best_cost = INFINITY;
    int found = 0;
    for (int k = 0; k < n; k++) {
        Search s = {.d = d, .loop = loop, .options = room};
        if (!options[k].change.to || cure_null(d, &d->here, loop, &options[k], &s) != 1)
            continue;
        cure_options(&s, &d->here, off);
        cure_search(&s, &d->here, 0, 0, 0, 0);
        const double cost = options[k].cost + (s.need && s.n_best ? s.best_cost : 0);
        if ((s.need && !s.n_best) || cost >= best_cost)
            continue;
        best_cost = cost;
        found = 1;
        out[0] = options[k];
        for (int i = 0; s.need && i < s.n_best; i++)
            out[found++] = *s.best[i];
    }
    return found;
}

int hol_doctor_cure(Doctor *d, DoctorLoop *loop, int off, DoctorOption (*room)[DOCTOR_OPTIONS],
                    DoctorOption out[DOCTOR_CHANGES]) {
    if (off >= 0)
        return cure_locked(d, loop, off, room, out);
    const DoctorPose *p = d->has_near ? &d->near : &d->here;
    Search s = {.d = d, .loop = loop, .need = loop->d_near, .options = room};
    memcpy(s.stress, loop->near_stress, sizeof s.stress);
    cure_options(&s, p, -1);
    cure_search(&s, p, 0, 0, 0, 0);
    for (int i = 0; i < s.n_best; i++)
        out[i] = *s.best[i];
    return s.n_best;
}
