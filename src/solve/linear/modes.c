// SPDX-License-Identifier: Apache-2.0
// Modes of a state: eigenvalues of the linearization (linearize.c), sorted and described.
// Conservative and at rest, K_R x = omega^2 M_R x with symmetric matrices; otherwise the general
// eigenvalues of A. Zero eigenvalues are free motions, not modes: defective pairs come out as
// +- sqrt(round-off), and what is free is the null space of A itself.
#include "solve/linear/modes.h"
#include "solve/linear/frozen.h"

#include "base/sized.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

static const double ZERO = 1e-7;        // eigenvalues below this part of the largest are zero
static const double ZERO_MOVING = 1e-5; // the same where differences (1e-11) enter the matrices
static const double NULL_PART = 1e-9;   // pivots of A below this part of the largest are zero
static const double NULL_MOVING = 1e-7; // the same where differences enter
static const double STILL = 1e-12;      // turns of so little in the whole run are none
static const double DOUBTFUL =
    10; // eigenvalues below so many times that may belong to a free motion

void hol_modes_options_sized(HolModesOptions *out, size_t room) {
    const HolModesOptions o = {.size = sizeof o, .count = 20, .tolerance = 1e-10};
    hol_sized_make(out, room, &o, sizeof o);
}

typedef struct Spectrum {
    int size;
    double *re, *im, *V; // eigenvalues, vectors of (xi, zeta) as LAPACK stores them
    int *order;          // one of each pair, by |eigenvalue|
    int n;
} Spectrum;

// ---- eigenvalues ----

static int spectrum_symmetric(const HolLinear *l, HolArena *arena, Spectrum *s) {
    const int n = l->nz;
    double *K = HOL_NEW(arena, double, n *n + 1), *M = HOL_NEW(arena, double, n *n + 1);
    double *w = HOL_NEW(arena, double, n + 1);
    if (arena->failed)
        return 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            K[n * j + i] = 0.5 * (l->K_R[n * j + i] + l->K_R[n * i + j]);
    memcpy(M, l->M_R, sizeof *M * (size_t)(n * n));
    if (hol_dense_symmetric_pair(n, K, M, w))
        return 0;
    // x = (xi, lambda xi): re carries sqrt(-omega^2) where it is negative, as a pair of real ones
    for (int j = 0; j < n; j++) {
        const double omega = sqrt(fabs(w[j]));
        s->re[2 * j] = w[j] < 0 ? -omega : 0;
        s->re[2 * j + 1] = -s->re[2 * j];
        s->im[2 * j] = w[j] < 0 ? 0 : omega;
        s->im[2 * j + 1] = -s->im[2 * j];
        double *a = s->V + s->size * 2 * j, *b = a + s->size;
        for (int i = 0; i < n; i++) {
            a[i] = K[n * j + i];
            if (w[j] < 0) {
                b[i] = a[i];
                a[n + i] = s->re[2 * j] * a[i];
                b[n + i] = s->re[2 * j + 1] * a[i];
            } else
                b[n + i] = omega * a[i];
        }
    }
    return 1;
}

// what is nothing beside the rest leads balancing astray: it would be scaled to the size of the others
static void drop_nothing(int n, double *A) {
    static const double NOTHING = 1e-32; // of the largest; eigenvalues go as the root
    double most = 0;
    for (int i = 0; i < n * n; i++)
        most = fmax(most, fabs(A[i]));
    for (int i = 0; i < n * n; i++)
        A[i] = fabs(A[i]) > NOTHING * most ? A[i] : 0;
}

static int spectrum_general(const HolLinear *l, HolArena *arena, Spectrum *s) {
    double *A = HOL_NEW(arena, double, s->size * s->size + 1);
    if (!A)
        return 0;
    memcpy(A, l->A, sizeof *A * (size_t)(s->size * s->size));
    drop_nothing(s->size, A);
    return !hol_dense_eigenvectors(s->size, A, s->re, s->im, s->V);
}

static double spectrum_size(const Spectrum *s, int i) {
    return hypot(s->re[i], s->im[i]);
}

// one of each pair, by |eigenvalue|, then by real part (insertion: a few hundred at most)
static void spectrum_sort(Spectrum *s) {
    for (int i = 0; i < s->size; i++) {
        if (s->im[i] < 0)
            continue;
        int k = s->n++;
        for (; k > 0; k--) {
            const int j = s->order[k - 1];
            const double a = spectrum_size(s, j), b = spectrum_size(s, i);
            if (a < b || (a == b && s->re[j] >= s->re[i]))
                break;
            s->order[k] = j;
        }
        s->order[k] = i;
    }
}

static int spectrum_find(const HolLinear *l, HolArena *arena, Spectrum *s) {
    *s = (Spectrum){.size = l->np + l->nz};
    s->re = HOL_NEW(arena, double, s->size + 2);
    s->im = HOL_NEW(arena, double, s->size + 2);
    s->V = HOL_NEW(arena, double, s->size * s->size + 2);
    s->order = HOL_NEW(arena, int, s->size + 2);
    if (arena->failed || (s->size && !(l->symmetric ? spectrum_symmetric(l, arena, s)
                                                    : spectrum_general(l, arena, s))))
        return 0;
    spectrum_sort(s);
    return 1;
}

// The rate below which an eigenvalue is zero: round-off of K_R = N^T K N among large numbers that
// cancel, a part of the largest, and what is nothing in the time of the run.
static double modes_zero(const HolSim *s, const HolState *x, const HolLinear *l, double largest,
                         double *scale) {
    double noise = 0, rate = 0;
    for (int k = 0; k < l->np; k++) {
        const double *N = l->N_h + l->n * k;
        double sum = 0, mass = 0;
        for (int j = 0; j < l->n; j++)
            for (int i = 0; i < l->n; i++) {
                sum += fabs(N[i] * l->K[l->n * j + i] * N[j]);
                mass += N[i] * l->M[l->n * j + i] * N[j];
            }
        noise = fmax(noise, mass > 0 ? sum / mass : 0);
    }
    for (int i = 0; i < l->n - s->p->extras->n_hidden;
         i++) { // (forces that cancel in K itself show in the accelerations)
        rate = fmax(rate, fabs(x->v[i]) / s->reach[i]);
        noise = fmax(noise, fabs(x->a[i]) / s->reach[i]);
    }
    *scale = fmax(largest, rate);
    const double length = fabs(s->o.end - s->o.start), still = length > 0 ? STILL / length : STILL;
    return fmax(still, fmax(sqrt(1e-13 * noise), ZERO * *scale));
}

// Differences of 1e-11 in the matrices make +-1e-5 of a defective pair of zeros. Its vectors are nearly
// parallel to each other; those of a slow precession (a circle) are not, and it is a mode.
static int modes_vanishes(const HolLinear *l, const Spectrum *s, int i, double zero, double scale) {
    const double size = spectrum_size(s, i);
    if (size <= zero || !l->moving || size > ZERO_MOVING * scale)
        return size <= zero;
    if (s->im[i] == 0)
        return 1;
    const double *a = s->V + s->size * i, *b = a + s->size;
    double aa = 0, bb = 0, ab = 0;
    for (int k = 0; k < s->size; k++) {
        const double unit = k < l->np ? 1 : 1 / (scale * scale);
        aa += unit * a[k] * a[k];
        bb += unit * b[k] * b[k];
        ab += unit * a[k] * b[k];
    }
    // |x^T x| / |x|^2 is 1 for parallel vectors, 0 for a circle
    return hypot(aa - bb, 2 * ab) > (1 - 1e-4) * (aa + bb);
}

// ---- shapes ----

// out = N_h xi, or N zeta + X xi
static void modes_lift(const HolLinear *l, const double *z, int velocity, double *out) {
    for (int i = 0; i < l->n; i++) {
        double sum = 0;
        for (int k = 0; k < l->np; k++)
            sum += (velocity ? l->X : l->N_h)[l->n * k + i] * z[k];
        for (int k = 0; velocity && k < l->nz; k++)
            sum += l->N[l->n * k + i] * z[l->np + k];
        out[i] = sum;
    }
}

static HolMode *modes_shape(HolModesMade *m, const HolLinear *l, const double *re,
                            const double *im) {
    const int n = l->n;
    const double *z[2] = {re, im}, *d[2] = {0}, *u[2] = {0}, *Mu[2] = {0};
    for (int part = 0; part < 2 && z[part]; part++) {
        double *room = HOL_NEW(&m->arena, double, 3 * n + 1);
        if (!room)
            return NULL;
        modes_lift(l, z[part], 0, room);
        modes_lift(l, z[part], 1, room + n);
        hol_dense_multiply(n, n, 1, l->M, 0, room + n, room + 2 * n);
        d[part] = room;
        u[part] = room + n;
        Mu[part] = room + 2 * n;
    }
    return hol_mode_make(m, d, u, Mu);
}

void hol_mode_value(HolMode *mode, double real, double imag) {
    const double size = hypot(real, imag);
    mode->real = real;
    mode->imag = imag;
    mode->frequency_hz = imag / (2 * 3.14159265358979323846);
    mode->damping = real != 0 && size > 0 ? -real / size : 0;
}

static HolMode *modes_eigen(HolModesMade *m, const HolLinear *l, const Spectrum *s, int i) {
    HolMode *out =
        modes_shape(m, l, s->V + s->size * i, s->im[i] > 0 ? s->V + s->size * (i + 1) : NULL);
    if (!out)
        return NULL;
    hol_mode_value(out, s->re[i], s->im[i] > 0 ? s->im[i] : 0);
    return out;
}

static void modes_mass(const void *user, const double *x, double *y) {
    const HolLinear *l = user;
    hol_dense_multiply(l->n, l->n, 1, l->M, 0, x, y);
}

// the null space of A
static int modes_free(HolModesMade *m, const HolLinear *l, double largest, double zero,
                      HolArena *arena) {
    // (where every eigenvalue is round-off, that is what stands in K_R)
    const double scale = fmax(fmax(largest, 1e4 * zero), 1e-300);
    const double part = fmax(l->moving ? NULL_MOVING : NULL_PART, 10 * pow(zero / scale, 2));
    const int size = l->np + l->nz, n = l->n;
    double *T = HOL_NEW(arena, double, size *size + 1), *Q = HOL_NEW(arena, double, size *size + 1);
    double *tau = HOL_NEW(arena, double, size + 1);
    int *order = HOL_NEW(arena, int, size + 1);
    if (arena->failed)
        return 0;
    for (int j = 0; j < size; j++) // (A in the scaled unknowns xi, zeta/scale, per scale)^T
        for (int i = 0; i < size; i++)
            T[size * i + j] =
                l->A[size * j + i] / scale * (j < l->np ? 1 : scale) / (i < l->np ? 1 : scale);
    const int rank = hol_dense_null_space(size, size, T, part, Q, order, tau), k = size - rank;
    if (rank < 0)
        return 0;
    double *D = HOL_NEW(arena, double, n *k + 1);
    if (!D)
        return 0;
    for (int j = 0; j < k; j++)
        modes_lift(l, Q + size * (rank + j), 0, D + n * j);
    return hol_modes_free(m, D, k, modes_mass, l);
}

// ---- the whole ----

static const double *modes_keep(HolModesMade *m, const double *from, int rows, int cols) {
    double *out = HOL_NEW(&m->arena, double, (size_t)rows *(size_t)cols + 1);
    if (out)
        memcpy(out, from, sizeof *out * (size_t)rows * (size_t)cols);
    return out;
}

void hol_modes_say(HolModesMade *m) {
    HolModes *o = &m->modes;
    char held[256];
    hol_frozen_say(m->s, held, sizeof held);
    if (held[0])
        hol_add_line(o->note, sizeof o->note, "%s", held);
    if (o->dof == 0 && !m->s->p->extras->n_states)
        hol_add_line(
            o->note, sizeof o->note,
            "no degree of freedom: the drives and joints hold every body, there are no modes");
    else if (o->n_all == 0 && o->n_free)
        hol_add_line(o->note, sizeof o->note,
                     "nothing pulls back: every motion is free, there are no modes");
    double pull = 0;
    for (int i = 0; i < m->s->nv; i++)
        pull = fmax(pull, fabs(m->x->a[i]) / m->s->reach[i]);
    if (!o->moving && o->dof && pull > 1e-9 * o->omega_max * o->omega_max)
        hol_add_line(o->note, sizeof o->note,
                     "at rest, but not in equilibrium: the eigenvalues are those of this instant");
    if (!o->steady)
        hol_add_line(o->note, sizeof o->note,
                     "the state moves and is not a steady motion in any axes (constancy %.1e): its "
                     "eigenvalues are those of this instant, indicative only",
                     o->constancy);
}

// directions in which the mechanism can be displaced: those of hidden coordinates alone are none
static int modes_positions(const HolModesMade *m, const HolLinear *l, HolArena *arena) {
    const int n = l->n - m->s->p->extras->n_hidden, k = l->np;
    if (!m->s->p->extras->n_hidden || !k)
        return k;
    double *T = HOL_NEW(arena, double, n *k + 1), *Q = HOL_NEW(arena, double, n *n + 1),
           *tau = HOL_NEW(arena, double, (n > k ? n : k) + 1);
    int *order = HOL_NEW(arena, int, k + 1);
    if (arena->failed)
        return 0;
    for (int j = 0; j < k; j++)
        memcpy(T + n * j, l->N_h + l->n * j, sizeof *T * (size_t)n);
    const int rank = hol_dense_null_space(n, k, T, NULL_PART, Q, order, tau);
    return rank > 0 ? rank : 0;
}

static HolStatus modes_dense(HolModesMade *m, const HolModesOptions *o, HolArena *arena,
                             HolError *err) {
    static const char *const axes[] = {"transport", "global", "body", "frame"};
    HolLinear l;
    Spectrum s;
    HolModes *out = &m->modes;
    const HolStatus status = hol_linearize(m->s, m->x, arena, &l, err);
    if (status != HOL_OK)
        return status;
    if (!spectrum_find(&l, arena, &s))
        return hol_error_set(
            err, HOL_ERR_SINGULAR,
            "at time %.10g the eigenvalues could not be computed; memory may be short", m->x->t);
    out->dof = l.nz - m->s->p->extras->n_states - hol_frozen_idle(m->s, 0);
    out->positions = modes_positions(m, &l, arena);
    out->axes = axes[l.axes];
    out->constancy = l.constancy;
    out->moving = l.moving;
    out->steady = l.steady;
    const double largest = s.n ? spectrum_size(&s, s.order[s.n - 1]) : 0;
    double scale;
    int vanish = 0;
    const double zero = modes_zero(m->s, m->x, &l, largest, &scale);
    m->list = HOL_NEW(&m->arena, const HolMode *, s.n + 1);
    if (!m->list)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    for (int k = 0; k < s.n; k++) {
        if (modes_vanishes(&l, &s, s.order[k], zero, scale)) {
            vanish = 1;
            continue;
        }
        out->n_all++;
        if (out->n_modes < o->count)
            m->list[out->n_modes++] = modes_eigen(m, &l, &s, s.order[k]);
    }
    out->modes = m->list;
    if (out->n_all) {
        out->omega_max = largest;
        out->fastest = out->n_all == out->n_modes ? m->list[out->n_modes - 1]
                                                  : modes_eigen(m, &l, &s, s.order[s.n - 1]);
    }
    // (states of any unit stand beside positions: pivots alone do not tell what is zero; nor do they
    // in a stiff model, where the smallest eigenvalue is far above round-off)
    const int doubtful =
        !m->s->p->extras->n_states && !(s.n && spectrum_size(&s, s.order[0]) > DOUBTFUL * zero);
    if (l.np && (vanish || doubtful) && !modes_free(m, &l, largest, zero, arena))
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    out->M = modes_keep(m, l.M_R, l.nz, l.nz);
    out->C = modes_keep(m, l.C_R, l.nz, l.nz);
    out->K = modes_keep(m, l.K_R, l.nz, l.np);
    out->N = modes_keep(m, l.N_h, l.n, l.np);
    hol_modes_say(m);
    return HOL_OK;
}

HolStatus hol_sim_modes(HolSim *s, const HolModesOptions *options, HolModes **out, HolError *err) {
    return hol_sim_modes_by(s, options, s && s->nv > HOL_LINEAR_DENSE, out, err);
}

HolStatus hol_sim_modes_by(HolSim *s, const HolModesOptions *options, int sparse, HolModes **out,
                           HolError *err) {
    HolModesOptions o = hol_modes_options();
    HolArena scratch = {0};
    const long no_memory = hol_dense_no_memory();
    hol_error_clear(err);
    *out = NULL;
    if (!s)
        return hol_no_run(err);
    HolStatus status =
        options ? hol_sized_take(&o, sizeof o, options, "hol_modes_options", err) : HOL_OK;
    if (status == HOL_OK && !s->assembled)
        status = hol_sim_assemble(s, err);
    if (status == HOL_OK)
        status = hol_crowd_refuse(s, "modes", err);
    if (status == HOL_OK)
        status = hol_frozen_start(s, err);
    if (status != HOL_OK)
        return status;
    HolArena arena = {0};
    HolModesMade *m = HOL_NEW(&arena, HolModesMade, 1);
    if (!m)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    m->arena = arena;
    hol_fill(s, &s->x);
    m->s = s;
    m->x = &s->x;
    m->modes.time = s->x.t;
    if (!hol_modes_names(m))
        status = hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    else
        status =
            sparse ? hol_modes_sparse(m, &o, &scratch, err) : modes_dense(m, &o, &scratch, err);
    if (hol_dense_no_memory() > no_memory || (status == HOL_OK && m->arena.failed))
        status = hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    hol_arena_free(&scratch);
    if (status != HOL_OK)
        hol_modes_destroy(&m->modes);
    else
        *out = &m->modes;
    return status;
}

void hol_modes_destroy(HolModes *modes) {
    if (!modes)
        return;
    HolArena arena = ((HolModesMade *)modes)->arena; // it lives in its arena
    hol_arena_free(&arena);
}
