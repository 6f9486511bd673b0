// SPDX-License-Identifier: Apache-2.0
// One state: its linearization (solve/linear), spectrum, fastest mode with its bodies, spin, and the
// vibrations that take part in the motion. Velocities v = N zeta + .. along eigenvectors V of
// K = -A21: zeta = V y, shares y_i^2 V_i^T M_R V_i of the kinetic energy.
#include "solve/stability/stability.h"

#include "math/dense.h"
#include "solve/linear/frozen.h"

#include <math.h>
#include <string.h>

static const double ROUND_OFF_OF_K = 1e-13; // of N^T K N among large numbers that cancel
static const double ZERO_AT_REST = 1e-7, ZERO_IN_MOTION = 1e-6; // parts of |v| that are zero
static const double LEAST_SHARE_NAMED = 0.05; // of the kinetic energy of a mode, for its name
enum { MOST_NAMED = 6 };
static const double LARGE_BOUND = 1e-3; // relative error of the fastest mode of a large model
static const double BEYOND = 1.001;     // of a limit: where the mode that grows is looked at

static HolStatus point_no_memory(HolError *err) {
    return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
}

// eigenvalues up to here are zero: as in modes.c
static double point_zero(const HolSim *s, const HolLinear *l) {
    double noise = 0, rate = 0;
    for (int k = 0; k < l->nz && k < l->np; k++) {
        double sum = 0;
        for (int j = 0; j < l->n; j++)
            for (int i = 0; i < l->n; i++)
                sum += fabs(l->N_h[l->n * k + i] * l->K[l->n * j + i] * l->N_h[l->n * k + j]);
        noise = fmax(noise, sum / l->M_R[l->nz * k + k]);
    }
    for (int i = 0; i < l->n; i++)
        rate = fmax(rate, fmax(fabs(s->x.v[i]) / s->reach[i], sqrt(fabs(s->x.a[i]) / s->reach[i])));
    return fmax(sqrt(ROUND_OFF_OF_K * noise), (l->moving ? ZERO_IN_MOTION : ZERO_AT_REST) * rate);
}

// ---- names ----

int hol_stability_names(HolSim *s, HolArena *arena, HolBodyNames *out) {
    HolModesMade m = {.s = s, .x = &s->x};
    int done = hol_modes_names(&m);
    const char **bodies = HOL_NEW(arena, const char *, m.modes.n_bodies + 1);
    int *owner = HOL_NEW(arena, int, s->nv + 1);
    done = done && bodies && owner;
    for (int b = 0; done && b < m.modes.n_bodies; b++)
        bodies[b] = hol_arena_text(arena, m.modes.bodies[b]);
    if (done)
        memcpy(owner, m.modes.body_of, sizeof *owner * (size_t)s->nv);
    *out = (HolBodyNames){m.modes.n_bodies, bodies, owner};
    hol_arena_free(&m.arena);
    return done && !arena->failed;
}

// bodies by falling share
static int point_names(const HolBodyNames *names, const double *share, HolArena *arena,
                       const char *const **out) {
    const char **list = HOL_NEW(arena, const char *, MOST_NAMED + 1);
    int order[MOST_NAMED], n = 0;
    *out = NULL;
    if (!list)
        return 0;
    double least = 0; // (of many bodies none may have much)
    for (int b = 0; b < names->n; b++)
        least = fmax(least, share[b] / 2);
    least = fmin(least, LEAST_SHARE_NAMED);
    for (int b = 0; b < names->n; b++) {
        int k = n;
        if (!(share[b] >= least) || !(share[b] > 0))
            continue;
        for (; k > 0 && share[order[k - 1]] < share[b] * (1 - 1e-9); k--)
            if (k < MOST_NAMED)
                order[k] = order[k - 1];
        if (k < MOST_NAMED)
            order[k] = b;
        n += n < MOST_NAMED;
    }
    for (int k = 0; k < n; k++)
        list[k] = names->body[order[k]];
    *out = list;
    return n;
}

// shares of the bodies in a motion z = (xi, zeta), re and im (NULL: none)
static void point_shares(const HolStabilityState *at, const double *re, const double *im,
                         double *share) {
    const double *z[2] = {re, im};
    double sum = 0;
    memset(share, 0, sizeof *share * (size_t)at->names->n);
    for (int part = 0; part < 2 && z[part]; part++)
        for (int i = 0; i < at->n; i++) {
            double u = 0, Mu = 0;
            for (int k = 0; k < at->spectrum.n; k++) {
                u += at->U[(size_t)k * (size_t)at->n + (size_t)i] * z[part][k];
                Mu += at->MU[(size_t)k * (size_t)at->n + (size_t)i] * z[part][k];
            }
            share[at->names->owner[i]] += u * Mu;
            sum += u * Mu;
        }
    for (int b = 0; b < at->names->n && sum > 0; b++)
        share[b] /= sum;
}

// ---- eigenvectors ----

// motion of the eigenvalue of A nearest to re + i |im|: z has 2 n entries, the second half is the
// imaginary part. 1: it has one, 0: it is real, -1: failed
static int point_eigenvector(const HolStabilityState *at, double re, double im, HolArena *scratch,
                             double *z) {
    const int n = at->spectrum.n;
    const size_t nn = (size_t)n * (size_t)n;
    double *A = HOL_NEW(scratch, double, nn + 1), *V = HOL_NEW(scratch, double, nn + 1),
           *x = HOL_NEW(scratch, double, n + 1), *y = HOL_NEW(scratch, double, n + 1);
    int best = 0;
    double least = INFINITY;
    if (scratch->failed)
        return -1;
    memcpy(A, at->A, sizeof *A * nn);
    if (hol_dense_eigenvectors(n, A, x, y, V) != 0)
        return -1;
    for (int i = 0; i < n; i++) {
        const double off = hypot(x[i] - re, y[i] - fabs(im));
        if (off < least) {
            least = off;
            best = i;
        }
    }
    memcpy(z, V + (size_t)n * (size_t)best, sizeof *z * (size_t)n * (y[best] > 0 ? 2 : 1));
    return y[best] > 0;
}

// the same of the largest eigenvalue of the step h of a part
static int point_step_vector(const HolStabilityState *at, const HolLinearBlock *b,
                             const HolStepMap *map, double h, HolArena *a, double *z) {
    const int n = b->np + b->nz, N = hol_map_size(map, b->np, b->nz), np = at->spectrum.np,
              whole = at->spectrum.n, square = b->np == b->nz && np == at->spectrum.nz;
    const size_t NN = (size_t)N * (size_t)N;
    double *R = HOL_NEW(a, double, NN), *work = HOL_NEW(a, double, hol_map_work(map, b->np, b->nz)),
           *scaled = HOL_NEW(a, double, n *n), *re = HOL_NEW(a, double, 2 * N),
           *V = HOL_NEW(a, double, NN), *im = re + N;
    int most = 0;
    if (a->failed)
        return -1;
    hol_map_scale(b->np, b->nz, b->A, h, scaled);
    if (!hol_map_matrix(map, b->np, b->nz, scaled, R, work) ||
        hol_dense_eigenvectors(N, R, re, im, V) != 0)
        return -1;
    for (int i = 1; i < N; i++)
        if (hypot(re[i], im[i]) > hypot(re[most], im[most]) * (1 + 1e-12))
            most = i;
    const int pair = im[most] != 0;
    memset(z, 0, sizeof *z * 2 * (size_t)whole);
    for (int part = 0; part < 1 + pair; part++) {
        const double *y = V + (size_t)N * (size_t)(most + part);
        double *to = z + part * whole;
        for (int k = 0; k < b->np; k++)
            for (int i = 0; i < np; i++) {
                const double by = b->shape ? b->shape[np * k + i] : i == k;
                to[i] += by * y[k];
                if (square)
                    to[np + i] += by * y[b->np + k] / h;
            }
        for (int k = 0; k < b->nz && !square; k++)
            to[np + k] = y[b->np + k] / h;
    }
    return pair;
}

int hol_stability_bodies(const HolStabilityState *at, const HolStepMap *map,
                         const HolStableStep *limit, HolArena *arena, const char *const **bodies,
                         double eigenvalue[2]) {
    const HolSpectrum *s = &at->spectrum;
    HolArena scratch = {0};
    int pair = -1, count = 0;
    eigenvalue[0] = at->point.real;
    eigenvalue[1] = at->point.imag;
    *bodies = at->point.bodies;
    if (at->n == 0) // one mode is all that is known
        return at->point.n_bodies;
    double *z = HOL_NEW(&scratch, double, 2 * s->n + 1),
           *share = HOL_NEW(&scratch, double, at->names->n + 1);
    if (share && limit->mode >= 0) {
        eigenvalue[0] = s->re[limit->mode];
        eigenvalue[1] = fabs(s->im[limit->mode]);
        pair = point_eigenvector(at, eigenvalue[0], eigenvalue[1], &scratch, z);
    } else if (share && limit->block >= 0 && s->block[limit->block].eigenvalue) {
        const int i = s->block[limit->block].eigenvalue - 1;
        eigenvalue[0] = s->re[i];
        eigenvalue[1] = s->im[i];
        pair = point_eigenvector(at, s->re[i], s->im[i], &scratch, z);
    } else if (share && limit->block >= 0) {
        const HolLinearBlock *b = &s->block[limit->block];
        const double h = isfinite(limit->run) ? limit->run : limit->strict;
        pair = point_step_vector(at, b, map, BEYOND * h, &scratch, z);
        if (b->second) {
            const double half = b->decay / 2, under = b->omega2 - half * half;
            eigenvalue[0] = under > 0 ? -half : -half - sqrt(-under);
            eigenvalue[1] = under > 0 ? sqrt(under) : 0;
        }
    }
    if (pair >= 0) {
        point_shares(at, z, pair ? z + s->n : NULL, share);
        count = point_names(at->names, share, arena, bodies);
    } else {
        *bodies = NULL;
    }
    hol_arena_free(&scratch);
    return count;
}

// ---- what takes part ----

static void point_energies(HolSim *s, const HolLinear *l, HolStabilityState *out) {
    for (int j = 0; j < l->n; j++)
        for (int i = 0; i < l->n; i++) {
            out->energy += s->x.v[i] * l->M[l->n * j + i] * s->x.v[j];
            out->force += s->x.a[i] * l->M[l->n * j + i] * s->x.a[j];
        }
}

// frequencies sqrt(k) of single modes and their shares; coupled groups by the diagonal of K
static int point_active(HolSim *s, const HolLinear *l, HolArena *arena, HolArena *scratch,
                        HolStabilityState *out) {
    const int n = l->nz;
    const HolSpectrum *sp = &out->spectrum;
    double *zeta = HOL_NEW(scratch, double, n + 1), *V = HOL_NEW(scratch, double, n *n + 1),
           *M_R = HOL_NEW(scratch, double, n *n + 1);
    int *pivot = HOL_NEW(scratch, int, n + 1), columns = 0;
    out->active = HOL_NEW(arena, double, n + 1);
    out->share = HOL_NEW(arena, double, n + 1);
    out->decay = HOL_NEW(arena, double, n + 1);
    if (arena->failed || scratch->failed)
        return 0;
    if (!(out->energy > 0))
        return 1;
    for (int b = 0; b < sp->n_block; b++)
        for (int k = 0; k < sp->block[b].np && sp->block[b].shape && columns < n; k++, columns++) {
            memcpy(V + (size_t)columns * (size_t)n, sp->block[b].shape + (size_t)k * (size_t)n,
                   sizeof *V * (size_t)n);
            const HolLinearBlock *block = &sp->block[b];
            const int size = 2 * block->np;
            const double half = -block->A[(block->np + k) * size + block->np + k] / 2,
                         omega2 = -block->A[k * size + block->np + k];
            // (overdamped ones do not vibrate)
            out->active[columns] = omega2 > half * half ? sqrt(omega2) : 0;
            out->decay[columns] = fmax(half, 0);
        }
    if (columns < n) // not in second-order form: the rate of the motion alone counts
        return 1;
    // zeta = M_R^-1 N^T M v, then V y = zeta
    for (int k = 0; k < n; k++)
        for (int j = 0; j < l->n; j++)
            for (int i = 0; i < l->n; i++)
                zeta[k] += l->N[l->n * k + i] * l->M[l->n * j + i] * s->x.v[j];
    memcpy(M_R, l->M_R, sizeof *M_R * (size_t)n * (size_t)n);
    if (hol_dense_lu(n, M_R, pivot) != 0)
        return 1;
    hol_dense_lu_solve(n, M_R, pivot, zeta);
    memcpy(M_R, V, sizeof *M_R * (size_t)n * (size_t)n);
    if (hol_dense_lu(n, M_R, pivot) != 0)
        return 1;
    hol_dense_lu_solve(n, M_R, pivot, zeta);
    for (int k = 0; k < n; k++) {
        double size = 0;
        const double *v = V + (size_t)k * (size_t)n;
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                size += v[i] * l->M_R[n * j + i] * v[j];
        out->share[k] = zeta[k] * zeta[k] * size / out->energy;
    }
    out->n_active = n;
    return 1;
}

// ---- the state ----

static void point_spin(HolSim *s, HolStabilityState *out) {
    const HolProblemExtras *e = s->p->extras;
    for (int i = 0; e->dimensions == 3 && i < e->n_parts; i++) {
        int translation, rotation;
        double A[9];
        e->part(s->p, i, s->x.q, &translation, &rotation, A);
        if (rotation < 0)
            continue;
        const double *w = s->x.v + rotation, rate = hypot(hypot(w[0], w[1]), w[2]);
        if (rate > out->point.spin * (1 + 1e-9)) {
            out->point.spin = rate;
            out->point.spinning = out->names->body[out->names->owner[rotation]];
        }
    }
}

// U = [X N], M U, A, into memory that lasts
static int point_keep(const HolLinear *l, HolArena *arena, HolStabilityState *out) {
    const int n = l->n, size = l->np + l->nz;
    const size_t columns = (size_t)n * (size_t)size;
    double *U = HOL_NEW(arena, double, columns + 1), *MU = HOL_NEW(arena, double, columns + 1),
           *A = HOL_NEW(arena, double, (size_t)size *(size_t)size + 1);
    if (arena->failed)
        return 0;
    memcpy(A, l->A, sizeof *A * (size_t)size * (size_t)size);
    memcpy(U, l->X, sizeof *U * (size_t)n * (size_t)l->np);
    memcpy(U + (size_t)n * (size_t)l->np, l->N, sizeof *U * (size_t)n * (size_t)l->nz);
    hol_dense_multiply(n, n, size, l->M, 0, U, MU);
    out->n = n;
    out->A = A;
    out->U = U;
    out->MU = MU;
    return 1;
}

static HolStatus point_dense(HolSim *s, HolArena *arena, HolArena *scratch, HolStabilityState *out,
                             HolError *err) {
    HolLinear l;
    HolStatus status = hol_linearize(s, &s->x, scratch, &l, err);
    if (status != HOL_OK)
        return status;
    if (!point_keep(&l, arena, out))
        return point_no_memory(err);
    out->point.constancy = l.moving ? l.constancy : 0;
    status = hol_spectrum(l.np, l.nz, out->A, l.M_R, point_zero(s, &l), arena, &out->spectrum, err);
    if (status != HOL_OK)
        return status;
    const HolSpectrum *sp = &out->spectrum;
    double *z = HOL_NEW(scratch, double, 2 * sp->n + 1),
           *share = HOL_NEW(scratch, double, out->names->n + 1);
    if (scratch->failed)
        return point_no_memory(err);
    if (sp->largest > sp->least) {
        out->point.omega_max = sp->largest;
        out->point.real = sp->re[0];
        out->point.imag = fabs(sp->im[0]);
        const int pair = point_eigenvector(out, sp->re[0], sp->im[0], scratch, z);
        if (pair < 0)
            return hol_error_set(err, HOL_ERR_CONVERGE,
                                 "the eigenvalues could not be computed; memory may be short");
        point_shares(out, z, pair ? z + sp->n : NULL, share);
        out->point.n_bodies = point_names(out->names, share, arena, &out->point.bodies);
    }
    point_energies(s, &l, out);
    return point_active(s, &l, arena, scratch, out) ? HOL_OK : point_no_memory(err);
}

// the fastest mode alone, by iteration
static HolStatus point_large(HolSim *s, HolArena *arena, HolArena *scratch, HolStabilityState *out,
                             HolError *err) {
    HolFastestMode f;
    double *share = HOL_NEW(scratch, double, out->names->n + 1), *A = HOL_NEW(arena, double, 16),
           sum = 0;
    HolStatus status =
        !share || !A ? point_no_memory(err) : hol_fastest_mode(s, LARGE_BOUND, scratch, &f, err);
    if (status != HOL_OK)
        return status;
    out->energy = f.energy;
    out->force = f.force;
    for (int i = 0; i < s->nv; i++) {
        share[out->names->owner[i]] += f.shape[i] * f.M_shape[i];
        sum += f.shape[i] * f.M_shape[i];
    }
    for (int b = 0; b < out->names->n && sum > 0; b++)
        share[b] /= sum;
    out->point.constancy = f.energy > 0 ? 1 : 0;
    const int n = f.modes;
    for (int k = 0; k < n; k++) { // (Ritz values are bounds from below)
        A[(n + k) * 2 * n + k] = 1;
        A[k * 2 * n + n + k] = -f.omega2[k] * (1 + f.bound);
        A[(n + k) * 2 * n + n + k] = -f.decay[k] * (1 + f.bound);
    }
    status = hol_spectrum(n, n, A, NULL, 0, arena, &out->spectrum, err);
    if (status != HOL_OK || n == 0)
        return status;
    out->point.omega_max = out->spectrum.largest;
    out->point.real = out->spectrum.re[0];
    out->point.imag = fabs(out->spectrum.im[0]);
    out->point.n_bodies = point_names(out->names, share, arena, &out->point.bodies);
    return HOL_OK;
}

HolStatus hol_stability_state(HolSim *s, const HolBodyNames *names, int dense, HolArena *arena,
                              HolStabilityState *out, HolError *err) {
    HolArena scratch = {0};
    hol_fill(s, &s->x);
    *out = (HolStabilityState){.point = {.time = s->x.t}, .names = names};
    HolStatus status = hol_crowd_refuse(s, "stability", err);
    if (status == HOL_OK)
        status = s->nv <= dense ? point_dense(s, arena, &scratch, out, err)
                                : point_large(s, arena, &scratch, out, err);
    hol_arena_free(&scratch);
    if (status == HOL_OK)
        point_spin(s, out);
    return status == HOL_OK && arena->failed ? point_no_memory(err) : status;
}
