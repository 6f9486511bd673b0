// SPDX-License-Identifier: Apache-2.0
// Each loop by itself: freedoms of its joints, rank, self-stress, nearness to a singular position.
//   X = [F_1 .. F_n]^T,  singular values s_1 >= .. >= s_D:  rank r here, r' nearby,  distance s_r' / s_1
// Mobility is counted without drives, so that a driven loop is not taken for a locked one.
#include "tools/doctor/doctor.h"

#include <math.h>
#include <string.h>

static const double PARALLEL = 1e-9; // 1 - |cosine| of directions that are the same

int hol_doctor_freedoms(const Doctor *d, const DoctorPose *p, const DoctorEdge *e, int own,
                        Vec3 about, double L, double (*out)[DOCTOR_D]) {
    double w[DOCTOR_ROWS][DOCTOR_D], basis[DOCTOR_D][DOCTOR_D];
    const int n = own ? e->n_own : e->n_rows;
    for (int k = 0; k < n; k++)
        hol_doctor_wrench(d, p, e, e->rows[k], about, L, w[k]);
    const int rank = hol_doctor_span(d->D, w, n, DOCTOR_DEPENDENT, basis);
    hol_doctor_complement(d->D, basis, rank, out);
    return d->D - rank;
}

// rank of the freedoms of a loop at a configuration; freedoms in all; wrenches perpendicular to them
static int loops_rank(Doctor *d, const DoctorPose *p, const DoctorLoop *loop, int own,
                      int *freedoms, double s[DOCTOR_D], double stress[DOCTOR_D][DOCTOR_D]) {
    double v[DOCTOR_D][DOCTOR_D], (*x)[DOCTOR_D] = d->room;
    long n = 0;
    int rank = 0;
    for (int i = 0; i < loop->n; i++)
        n += hol_doctor_freedoms(d, p, &d->edges[loop->edges[i]], own, loop->ref, loop->L, x + n);
    hol_doctor_svd(d->D, x, n, s, v);
    while (rank < d->D && s[rank] > DOCTOR_DEPENDENT)
        rank++;
    for (int i = rank; i < d->D && stress; i++)
        memcpy(stress[i - rank], v[i], sizeof v[i]);
    *freedoms = (int)n;
    return rank;
}

// the middle of its places, and how far they reach
static void loops_size(const Doctor *d, DoctorLoop *loop) {
    Vec3 sum = v3(0, 0, 0);
    for (int i = 0; i < loop->n; i++)
        sum = v3_add(sum, hol_doctor_place(d, &d->here, &d->edges[loop->edges[i]]));
    loop->ref = v3_scale(sum, 1.0 / loop->n);
    for (int i = 0; i < loop->n; i++) {
        const DoctorEdge *e = &d->edges[loop->edges[i]];
        const Vec3 place = hol_doctor_place(d, &d->here, e);
        loop->L = fmax(loop->L, v3_norm(v3_sub(place, loop->ref)));
        // joints at one place: the bodies' own sizes
        for (int side = 0; side < 2; side++) {
            const int body = side ? e->b : e->a;
            if (body)
                loop->L = fmax(loop->L, 1e-3 * v3_norm(v3_sub(place, d->here.r[body])));
        }
    }
    if (!(loop->L > 0))
        loop->L = 1;
}

// z: the common direction of its hinges where they have one that is no global axis
static void loops_axes(const Doctor *d, DoctorLoop *loop) {
    Vec3 z = v3(0, 0, 0);
    int common = d->D == 6;
    for (int i = 0; i < loop->n && common; i++) {
        const DoctorEdge *e = &d->edges[loop->edges[i]];
        if (d->m->def.joints[e->joint].kind->holds[1] != HOL_HOLDS_ACROSS)
            continue;
        const Vec3 axis = hol_doctor_axis(d, &d->here, e);
        if (v3_norm(z) == 0)
            z = axis;
        common = fabs(v3_dot(axis, z)) > 1 - PARALLEL;
    }
    loop->E[0] = v3(1, 0, 0);
    loop->E[1] = v3(0, 1, 0);
    loop->E[2] = v3(0, 0, 1);
    const double most = fmax(fabs(z.x), fmax(fabs(z.y), fabs(z.z)));
    if (!common || v3_norm(z) == 0 || most > 1 - PARALLEL)
        return;
    const Vec3 x = fabs(z.x) < 0.9 ? v3(1, 0, 0) : v3(0, 1, 0);
    loop->E[2] = z;
    loop->E[0] = v3_unit(v3_sub(x, v3_scale(z, v3_dot(x, z))));
    loop->E[1] = v3_cross(z, loop->E[0]);
}

int hol_doctor_loops(Doctor *d) {
    int longest = 0;
    for (int l = 0; l < d->n_loops; l++)
        longest = d->loops[l]->n > longest ? d->loops[l]->n : longest;
    d->room = hol_arena_array(&d->arena, sizeof *d->room, (size_t)(longest + 2) * DOCTOR_D);
    if (!d->room)
        return 0;
    for (int l = 0; l < d->n_loops && !d->arena.failed; l++) {
        DoctorLoop *loop = d->loops[l];
        double s[DOCTOR_D], near[DOCTOR_D];
        int freedoms, rank_near, other;
        loops_size(d, loop);
        loops_axes(d, loop);
        const int rank = loops_rank(d, &d->here, loop, 0, &freedoms, s, loop->stress);
        rank_near = rank;
        loop->d = d->D - rank;
        memcpy(loop->near_stress, loop->stress, sizeof loop->stress);
        if (loop->d && d->has_near)
            rank_near = loops_rank(d, &d->near, loop, 0, &other, near, loop->near_stress);
        if (rank_near < rank) { // (round-off of the position nearby)
            rank_near = rank;
            memcpy(loop->near_stress, loop->stress, sizeof loop->stress);
        }
        loop->d_near = d->D - rank_near;
        const int own = loops_rank(d, &d->here, loop, 1, &other, near, NULL);
        loop->mobility = other - own;
        loop->distance = rank_near && s[0] > 0 ? s[rank_near - 1] / s[0] : 1;
        d->out.singular_distance = fmin(d->out.singular_distance, loop->distance);
    }
    return !d->arena.failed;
}
