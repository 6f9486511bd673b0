// SPDX-License-Identifier: Apache-2.0
// One state: its linearization (solve/linear), spectrum, fastest mode with its bodies, spin, and the
// vibrations that take part in the motion. Velocities v = N zeta + .. along eigenvectors V of
// K = -A21: zeta = V y, shares y_i^2 V_i^T M_R V_i of the kinetic energy.
#include "solve/stability/stability.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

static const double ROUND_OFF_OF_K = 1e-13; // of N^T K N among large numbers that cancel
static const double ZERO_AT_REST = 1e-7, ZERO_IN_MOTION = 1e-6; // parts of |v| that are zero
static const double LEAST_SHARE_NAMED = 0.05; // of the kinetic energy of a mode, for its name
enum { MOST_NAMED = 6 };

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

// mode of z = (xi, zeta), re and im
static HolMode *point_mode(HolModesMade *m, const HolLinear *l, const double *re,
                           const double *im) {
    const int n = l->n;
    const double *z[2] = {re, im}, *d[2] = {0}, *u[2] = {0}, *Mu[2] = {0};
    for (int part = 0; part < 2 && z[part]; part++) {
        double *room = HOL_NEW(&m->arena, double, 3 * n + 1);
        if (!room)
            return NULL;
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < l->np; k++) {
                room[i] += l->N_h[n * k + i] * z[part][k];
                room[n + i] += l->X[n * k + i] * z[part][k];
            }
            for (int k = 0; k < l->nz; k++)
                room[n + i] += l->N[n * k + i] * z[part][l->np + k];
        }
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                room[2 * n + i] += l->M[n * j + i] * room[n + j];
        d[part] = room;
        u[part] = room + n;
        Mu[part] = room + 2 * n;
    }
    return hol_mode_make(m, d, u, Mu);
}

// bodies of a mode by falling share, copied
static int point_names(const HolModes *modes, const HolMode *mode, HolArena *arena,
                       const char *const **out) {
    const char **list = HOL_NEW(arena, const char *, MOST_NAMED + 1);
    int order[MOST_NAMED], n = 0;
    *out = NULL;
    if (!list || !mode)
        return 0;
    for (int b = 0; b < modes->n_bodies; b++) {
        const double share = mode->share[b];
        int k = n;
        if (!(share >= LEAST_SHARE_NAMED))
            continue;
        for (; k > 0 && mode->share[order[k - 1]] < share * (1 - 1e-9); k--)
            if (k < MOST_NAMED)
                order[k] = order[k - 1];
        if (k < MOST_NAMED)
            order[k] = b;
        n += n < MOST_NAMED;
    }
    for (int k = 0; k < n; k++)
        list[k] = hol_arena_text(arena, modes->bodies[order[k]]);
    *out = list;
    return n;
}

// ---- eigenvectors ----

static int point_vectors(const HolLinear *l, HolArena *scratch, HolStabilityState *out) {
    const int n = l->np + l->nz;
    const size_t nn = (size_t)n * (size_t)n;
    double *A = HOL_NEW(scratch, double, nn + 1);
    out->re = HOL_NEW(scratch, double, n + 1);
    out->im = HOL_NEW(scratch, double, n + 1);
    out->V = HOL_NEW(scratch, double, nn + 1);
    if (scratch->failed)
        return 0;
    memcpy(A, l->A, sizeof *A * nn);
    return n == 0 || hol_dense_eigenvectors(n, A, out->re, out->im, out->V) == 0;
}

// column of the eigenvalue nearest to re + i |im|
static int point_nearest(const HolStabilityState *at, double re, double im) {
    int best = 0;
    double least = INFINITY;
    for (int i = 0; i < at->spectrum.n; i++) {
        const double off = hypot(at->re[i] - re, at->im[i] - fabs(im));
        if (off < least) {
            least = off;
            best = i;
        }
    }
    return best;
}

static HolMode *point_eigenmode(HolStabilityState *at, double re, double im) {
    const int i = point_nearest(at, re, im), n = at->spectrum.n;
    return point_mode(&at->naming, &at->linear, at->V + (size_t)n * (size_t)i,
                      at->im[i] > 0 ? at->V + (size_t)n * (size_t)(i + 1) : NULL);
}

// eigenvector of the largest eigenvalue of the step, as (xi, zeta) of the whole system
static HolMode *point_step_mode(HolStabilityState *at, const HolLinearBlock *b,
                                const HolStepMap *map, double h) {
    HolArena *a = &at->naming.arena;
    const HolLinear *l = &at->linear;
    const int n = b->np + b->nz, N = hol_map_size(map, b->np, b->nz), whole = l->np + l->nz;
    const size_t NN = (size_t)N * (size_t)N;
    double *R = HOL_NEW(a, double, NN), *work = HOL_NEW(a, double, hol_map_work(map, b->np, b->nz)),
           *scaled = HOL_NEW(a, double, n *n), *re = HOL_NEW(a, double, 2 * N),
           *V = HOL_NEW(a, double, NN), *z = HOL_NEW(a, double, 2 * whole), *im = re + N;
    int most = 0;
    if (a->failed)
        return NULL;
    hol_map_scale(b->np, b->nz, b->A, h, scaled);
    if (!hol_map_matrix(map, b->np, b->nz, scaled, R, work) ||
        hol_dense_eigenvectors(N, R, re, im, V) != 0)
        return NULL;
    for (int i = 1; i < N; i++)
        if (hypot(re[i], im[i]) > hypot(re[most], im[most]) * (1 + 1e-12))
            most = i;
    for (int part = 0; part < (im[most] != 0 ? 2 : 1); part++) {
        const double *y = V + (size_t)N * (size_t)(most + part);
        for (int k = 0; k < b->np; k++)
            for (int i = 0; i < l->np; i++) {
                const double by = b->shape ? b->shape[l->np * k + i] : i == k;
                z[part * whole + i] += by * y[k];
                if (b->np == b->nz && l->np == l->nz)
                    z[part * whole + l->np + i] += by * y[b->np + k] / h;
            }
        for (int k = 0; k < b->nz && !(b->np == b->nz && l->np == l->nz); k++)
            z[part * whole + l->np + k] = y[b->np + k] / h;
    }
    return point_mode(&at->naming, l, z, im[most] != 0 ? z + whole : NULL);
}

int hol_stability_bodies(HolStabilityState *at, const HolStepMap *map, const HolStableStep *limit,
                         HolArena *arena, const char *const **bodies, double eigenvalue[2]) {
    const HolSpectrum *s = &at->spectrum;
    HolMode *mode = NULL;
    eigenvalue[0] = at->point.real;
    eigenvalue[1] = at->point.imag;
    if (at->linear.n == 0) { // one mode is all that is known
        *bodies = at->point.bodies;
        return at->point.n_bodies;
    }
    if (limit->mode >= 0) {
        eigenvalue[0] = s->re[limit->mode];
        eigenvalue[1] = fabs(s->im[limit->mode]);
        mode = point_eigenmode(at, eigenvalue[0], eigenvalue[1]);
    } else if (limit->block >= 0) {
        const HolLinearBlock *b = &s->block[limit->block];
        mode = point_step_mode(at, b, map,
                               1.001 * (isfinite(limit->run) ? limit->run : limit->strict));
        if (b->second) {
            const double half = b->decay / 2, under = b->omega2 - half * half;
            eigenvalue[0] = under > 0 ? -half : -half - sqrt(-under);
            eigenvalue[1] = under > 0 ? sqrt(under) : 0;
        }
    }
    return point_names(&at->naming.modes, mode, arena, bodies);
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

static void point_spin(HolSim *s, HolArena *arena, HolStabilityState *out) {
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
            out->point.spinning = hol_arena_text(
                arena, out->naming.modes.bodies[out->naming.modes.body_of[rotation]]);
        }
    }
}

static HolStatus point_dense(HolSim *s, HolArena *arena, HolStabilityState *out, HolError *err) {
    HolArena *scratch = &out->naming.arena;
    HolLinear *l = &out->linear;
    HolStatus status = hol_linearize(s, &s->x, scratch, l, err);
    if (status != HOL_OK)
        return status;
    const size_t nn = (size_t)(l->np + l->nz) * (size_t)(l->np + l->nz);
    double *A = HOL_NEW(arena, double, nn + 1);
    if (!A)
        return point_no_memory(err);
    memcpy(A, l->A, sizeof *A * nn);
    l->A = A;
    out->point.constancy = l->moving ? l->constancy : 0;
    status = hol_spectrum(l->np, l->nz, A, point_zero(s, l), arena, &out->spectrum, err);
    if (status != HOL_OK)
        return status;
    if (!point_vectors(l, scratch, out))
        return hol_error_set(err, HOL_ERR_CONVERGE, "the eigenvalues could not be computed");
    const HolSpectrum *sp = &out->spectrum;
    if (sp->largest > sp->least) {
        out->point.omega_max = sp->largest;
        out->point.real = sp->re[0];
        out->point.imag = fabs(sp->im[0]);
        HolMode *mode = point_eigenmode(out, sp->re[0], sp->im[0]);
        out->point.n_bodies = point_names(&out->naming.modes, mode, arena, &out->point.bodies);
        out->point.text = hol_arena_text(arena, mode ? mode->text : "");
    }
    point_energies(s, l, out);
    return point_active(s, l, arena, scratch, out) ? HOL_OK : point_no_memory(err);
}

// the fastest mode alone, by iteration
static HolStatus point_large(HolSim *s, HolArena *arena, HolStabilityState *out, HolError *err) {
    HolModesOptions o = hol_modes_options();
    HolModes *modes = NULL;
    o.count = 0;
    o.tolerance = 1e-3;
    HolStatus status = hol_sim_modes(s, &o, &modes, err);
    if (status != HOL_OK)
        return status;
    const HolMode *m = modes->fastest;
    if (m) {
        out->point.omega_max = modes->omega_max;
        out->point.real = m->real;
        out->point.imag = fabs(m->imag);
        out->point.n_bodies = point_names(modes, m, arena, &out->point.bodies);
        out->point.text = hol_arena_text(arena, m->text);
        // the bound of the iteration is from below
        const double more = 1 + o.tolerance;
        status = hol_spectrum_of(more * m->real, more * m->imag, arena, &out->spectrum, err);
    }
    out->point.constancy = modes->constancy;
    hol_modes_destroy(modes);
    return status;
}

HolStatus hol_stability_state(HolSim *s, HolArena *arena, HolStabilityState *out, HolError *err) {
    hol_fill(s, &s->x);
    *out = (HolStabilityState){.point = {.time = s->x.t}, .naming = {.s = s, .x = &s->x}};
    HolStatus status = !hol_modes_names(&out->naming) ? point_no_memory(err)
                       : s->nv <= HOL_STABILITY_DENSE ? point_dense(s, arena, out, err)
                                                      : point_large(s, arena, out, err);
    if (status == HOL_OK)
        point_spin(s, arena, out);
    return status == HOL_OK && arena->failed ? point_no_memory(err) : status;
}

void hol_stability_forget(HolStabilityState *at) {
    hol_arena_free(&at->naming.arena);
}
