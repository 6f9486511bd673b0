// SPDX-License-Identifier: Apache-2.0
// Modes of models too large for dense matrices, through saddle-point solves (sparse.c, math/arpack.h):
//   few degrees of freedom: random vectors of the tangent space span it, then dense matrices
//   conservative, at rest:  P K x = omega^2 x, largest by Lanczos; lowest with the operator
//                           (K + sigma^2 M)^-1 M, theta = 1/(omega^2 + sigma^2)
//   damped, at rest:        first order, largest by Arnoldi; lowest with (A - sigma)^-1, sigma > 0 real
//   moving:                 the largest of the first-order operator alone
// sigma follows the lowest frequency found. What is reported has a small residual; symmetric ones are
// looked for again with those found taken out, until nothing larger is left.
#include "solve/linear/frozen.h"
#include "solve/linear/modes.h"
#include "solve/linear/sparse/sparse.h"

#include "math/arpack.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

enum { LEAST = 20, FEW = 60, FEW_GENERAL = 200, VECTORS = 40, RESTARTS = 300, SHIFTS = 8 };
static const double FIRST_SHIFT = 1e-4; // of the largest frequency
static const double NOISE = 1e-12;      // round-off of x^T K x, part of the sum of its terms' sizes
static const double RESIDUAL = 1e-7;    // of an eigenvalue that is reported

typedef struct Found {
    int n, room;
    double *re, *im; // of symmetric ones re = omega^2
    double *theta;
    double **d,
        **z; // z NULL: symmetric; real and imaginary part are two entries (im > 0, then < 0)
} Found;

static HolStatus sparse_failure(int code, HolError *err) {
    if (code == HOL_EIGEN_MISSING)
        return hol_error_set(
            err, HOL_ERR_UNSUPPORTED,
            "modes of more than %d velocities need ARPACK, which this build has not "
            "(Debian: libarpack2-dev)",
            HOL_LINEAR_DENSE);
    return code == HOL_EIGEN_MEMORY
               ? hol_error_set(err, HOL_ERR_MEMORY, "out of memory")
               : hol_error_set(err, HOL_ERR_CONVERGE,
                               "the iteration for eigenvalues did not converge");
}

static double *sparse_new(HolArena *arena, int n) {
    return HOL_NEW(arena, double, (size_t)n + 1);
}

// |x|_M of the part of K x - w M x that no reaction carries, x with x^T M x = 1
static double sparse_residual(HolSparse *o, const double *x, double w, double *scratch) {
    hol_sparse_multiply(o, o->K, x, o->t1);
    hol_sparse_multiply(o, o->M, x, o->t2);
    for (int i = 0; i < o->n; i++)
        o->t1[i] -= w * o->t2[i];
    hol_sparse_project(o, o->t1, scratch);
    return sqrt(fmax(0, hol_sparse_product(o, scratch, scratch)));
}

// omega^2 below this is zero
static double sparse_noise(HolSparse *o, const double *x) {
    const HolPattern *P = &o->s->p->S;
    double sum = 0;
    for (int j = 0; j < o->n; j++)
        for (int e = P->ptr[j]; e < P->ptr[j + 1]; e++)
            sum += fabs(x[P->idx[e]] * o->K[e] * x[j]);
    return NOISE * sum / hol_sparse_product(o, x, x);
}

static double sparse_rayleigh(HolSparse *o, const double *x) {
    double sum = 0;
    hol_sparse_multiply(o, o->K, x, o->t1);
    for (int i = 0; i < o->n; i++)
        sum += x[i] * o->t1[i];
    return sum / hol_sparse_product(o, x, x);
}

// ---- the largest ----

// omega^2 of largest size, its vector and what it may be off by, relative
static int sparse_largest_symmetric(HolSparse *o, double tolerance, HolArena *arena, double *w,
                                    double *bound, double *x) {
    double *scratch = sparse_new(arena, o->n), *start = sparse_new(arena, o->n), value;
    if (arena->failed)
        return HOL_EIGEN_MEMORY;
    HolEigenProblem p = {
        .n = o->n, .wanted = 1, .most = RESTARTS, .tolerance = tolerance, .size = 1};
    p.vectors = o->dof - 1 < VECTORS ? o->dof - 1 : VECTORS;
    p.start = start;
    p.apply = hol_sparse_apply_largest;
    p.weigh = hol_sparse_weigh;
    p.user = o;
    hol_sparse_start(o, 1, start);
    const int found = hol_eigen_symmetric(&p, arena, &value, x);
    if (found < 1)
        return found < 0 ? found : HOL_EIGEN_FAILED;
    const double norm = sqrt(hol_sparse_product(o, x, x));
    for (int i = 0; i < o->n; i++)
        x[i] /= norm;
    *w = sparse_rayleigh(o, x);
    *bound = *w != 0 ? sparse_residual(o, x, *w, scratch) / fabs(*w) : 0;
    return 1;
}

static int sparse_largest_general(HolSparse *o, double tolerance, HolArena *arena, double *re,
                                  double *im, double *bound, double *x /* 2 x 2 n: re, im */) {
    const int N = 2 * o->n;
    double *V = sparse_new(arena, 4 * N), *start = sparse_new(arena, N), *y = sparse_new(arena, N);
    double r[4], m[4];
    if (arena->failed)
        return HOL_EIGEN_MEMORY;
    HolEigenProblem p = {.n = N, .wanted = 2, .most = RESTARTS, .tolerance = tolerance};
    p.vectors = 2 * o->dof - 2 < VECTORS ? 2 * o->dof - 2 : VECTORS;
    p.start = start;
    p.apply = hol_sparse_apply_first;
    p.user = o;
    hol_sparse_start(o, 1, start);
    hol_sparse_start(o, 2, start + o->n);
    for (int i = 0; i < N; i++)
        start[i] /= o->s->reach[i % o->n];
    const int found = hol_eigen_general(&p, arena, r, m, V);
    if (found < 1)
        return found < 0 ? found : HOL_EIGEN_FAILED;
    int at = 0;
    for (int i = 1; i < found; i++)
        if (m[i] >= 0 && hypot(r[i], m[i]) > hypot(r[at], m[at]) * (1 + 1e-12))
            at = i;
    *re = r[at];
    *im = fabs(m[at]);
    const double *a = V + (size_t)N * (size_t)at, *b = *im > 0 ? a + N : NULL;
    double off = 0, size = 0; // |A x - lambda x| over |lambda x|
    for (int part = 0; part < (b ? 2 : 1); part++) {
        hol_sparse_apply_first(o, part ? b : a, y);
        for (int i = 0; i < N; i++) {
            const double other = !b ? 0 : part ? *im * a[i] : -*im * b[i];
            off = hypot(off, y[i] - *re * (part ? b : a)[i] - other);
            size = hypot(size, (part ? b : a)[i]);
        }
        hol_sparse_unscale(o, part ? b : a, x + (size_t)N * (size_t)part,
                           x + (size_t)N * (size_t)part + o->n);
    }
    *bound = off / (size * fmax(hypot(*re, *im), 1e-300));
    return b ? 2 : 1;
}

HolStatus hol_sparse_omega_max(HolSim *s, const HolState *x, double tolerance, double *omega,
                               double *bound, HolError *err) {
    HolArena arena = {0};
    HolSparse o;
    double w = 0, im = 0;
    int code = 1;
    *omega = *bound = 0;
    HolStatus status = hol_sparse_open(s, x, &arena, &o, err);
    double *room = status == HOL_OK ? sparse_new(&arena, 4 * s->nv) : NULL;
    if (status == HOL_OK && !room)
        status = hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    if (status == HOL_OK && o.dof <= LEAST) {
        if (!hol_sparse_few_largest(&o, omega))
            status = hol_error_set(err, HOL_ERR_SINGULAR,
                                   "the eigenvalues could not be computed; memory may be short");
    } else if (status == HOL_OK && o.dof) {
        code = o.conservative ? sparse_largest_symmetric(&o, tolerance, &arena, &w, bound, room)
                              : sparse_largest_general(&o, tolerance, &arena, &w, &im, bound, room);
        *omega = o.conservative ? sqrt(fabs(w)) : hypot(w, im);
        if (o.conservative)
            *bound /= 2;
        if (code < 0)
            status = sparse_failure(code, err);
    }
    hol_sparse_close(&o);
    hol_arena_free(&arena);
    return status;
}

// ---- lists ----

static int found_room(Found *f, int room, HolArena *arena) {
    *f = (Found){.room = room};
    f->re = sparse_new(arena, room);
    f->im = sparse_new(arena, room);
    f->theta = sparse_new(arena, room);
    f->d = HOL_NEW(arena, double *, room + 1);
    f->z = HOL_NEW(arena, double *, room + 1);
    return !arena->failed;
}

// by size of the eigenvalue, smallest first; conjugates stay beside each other
static void found_sort(Found *f) {
    for (int i = 1; i < f->n; i++)
        for (int k = i; k > 0; k--) {
            const double a = hypot(f->re[k - 1], f->im[k - 1]), b = hypot(f->re[k], f->im[k]);
            if (a <= b)
                break;
            double *const value[3] = {f->re, f->im, f->theta}, **const vector[2] = {f->d, f->z};
            for (int v = 0; v < 3; v++) {
                const double swap = value[v][k];
                value[v][k] = value[v][k - 1];
                value[v][k - 1] = swap;
            }
            for (int v = 0; v < 2; v++) {
                double *swap = vector[v][k];
                vector[v][k] = vector[v][k - 1];
                vector[v][k - 1] = swap;
            }
        }
}

// ---- conservative, at rest: the lowest ----

static int sparse_lowest_once(HolSparse *o, double tolerance, int wanted, unsigned seed,
                              HolArena *arena, double *theta, double *X) {
    HolEigenProblem p = {
        .n = o->n, .wanted = wanted, .most = RESTARTS, .tolerance = tolerance, .size = 1};
    p.vectors = 2 * wanted + 20 < o->dof - 1 ? 2 * wanted + 20 : o->dof - 1;
    p.start = sparse_new(arena, o->n);
    p.apply = hol_sparse_apply_lowest;
    p.weigh = hol_sparse_weigh;
    p.user = o;
    if (!p.start)
        return HOL_EIGEN_MEMORY;
    hol_sparse_start(o, seed, p.start);
    return hol_eigen_symmetric(&p, arena, theta, X);
}

static void found_add(HolSparse *o, Found *f, double *x, double theta) {
    const double norm = sqrt(hol_sparse_product(o, x, x));
    for (int i = 0; i < o->n; i++)
        x[i] /= norm;
    f->d[f->n] = x;
    f->theta[f->n] = theta;
    f->im[f->n] = 0;
    f->re[f->n++] = sparse_rayleigh(o, x);
}

// those found are taken out; what is then largest must be smaller than all of them
static int sparse_missed(HolSparse *o, double tolerance, HolArena *arena, double *X, Found *f) {
    double least = INFINITY;
    for (int i = 0; i < f->n; i++)
        least = fmin(least, fabs(f->theta[i]));
    for (unsigned round = 0; round < 10 && f->n < f->room && f->n < o->dof - 3; round++) {
        double theta, *x = X + (size_t)o->n * (size_t)f->n;
        o->known = X;
        o->known_value = f->theta;
        o->n_known = f->n;
        const int code =
            sparse_lowest_once(o, fmax(tolerance, 1e-8), 1, 7 + round, arena, &theta, x);
        o->n_known = 0;
        if (code < 1 || fabs(theta) <= least * (1 + 1e-6))
            return code;
        found_add(o, f, x, theta);
    }
    return 1;
}

static int sparse_lowest_symmetric(HolSparse *o, const HolModesOptions *how, double omega_max,
                                   HolArena *arena, Found *f) {
    double sigma = FIRST_SHIFT * omega_max;
    int wanted = how->count, zeros = 0;
    for (int round = 0; round < SHIFTS; round++) {
        if (wanted > o->dof / 2)
            wanted = o->dof / 2;
        double *X = HOL_NEW(arena, double, (size_t)o->n *(size_t)(wanted + 11));
        double *theta = sparse_new(arena, wanted + 11), lowest = INFINITY;
        if (!found_room(f, wanted + 10, arena))
            return HOL_EIGEN_MEMORY;
        if (!hol_sparse_shift(o, sigma)) {
            sigma *= 1.7; // a frequency stands exactly there
            continue;
        }
        const int code = sparse_lowest_once(o, how->tolerance, wanted, 3, arena, theta, X);
        if (code < 0)
            return code;
        zeros = 0;
        for (int i = 0; i < code; i++) {
            found_add(o, f, X + (size_t)o->n * (size_t)i, theta[i]);
            if (fabs(f->re[i]) <= sparse_noise(o, f->d[i])) {
                f->re[i] = 0;
                zeros++;
            } else
                lowest = fmin(lowest, sqrt(fabs(f->re[i])));
        }
        const int short_of = how->count - (f->n - zeros);
        if (round + 1 < SHIFTS && isfinite(lowest) && sigma > 3 * lowest)
            sigma = lowest; // nearer, so that they stand apart
        else if (round + 1 < SHIFTS && short_of > 0 && zeros && wanted < o->dof / 2)
            wanted += zeros;
        else {
            const int missed = sparse_missed(o, how->tolerance, arena, X, f);
            return missed < 0 ? missed : f->n;
        }
    }
    return HOL_EIGEN_FAILED;
}

static void sparse_mass(const void *user, const double *x, double *y) {
    const HolSparse *o = user;
    hol_sparse_multiply(o, o->M, x, y);
}

// u = z + X d is z at rest
static HolMode *sparse_mode(HolModesMade *m, HolSparse *o, double real, double imag, double *d[2],
                            double *z[2]) {
    double *Mu[2] = {0};
    for (int part = 0; part < 2 && z[part]; part++) {
        Mu[part] = sparse_new(o->arena, o->n);
        if (!Mu[part])
            return NULL;
        hol_sparse_multiply(o, o->M, z[part], Mu[part]);
    }
    HolMode *out =
        hol_mode_make(m, (const double *[2]){d[0], d[1]}, (const double *[2]){z[0], z[1]},
                      (const double *[2]){Mu[0], Mu[1]});
    if (out)
        hol_mode_value(out, real, imag);
    return out;
}

static HolMode *sparse_mode_symmetric(HolModesMade *m, HolSparse *o, double w, double *x,
                                      int sign) {
    const double omega = sqrt(fabs(w));
    return sparse_mode(m, o, w < 0 ? sign * omega : 0, w < 0 ? 0 : omega, (double *[2]){x, NULL},
                       (double *[2]){x, NULL});
}

static HolStatus sparse_symmetric(HolModesMade *m, const HolModesOptions *how, HolSparse *o,
                                  HolError *err) {
    HolModes *out = &m->modes;
    Found f;
    double w, bound, *x = sparse_new(o->arena, o->n), *scratch = sparse_new(o->arena, o->n);
    int code = x && scratch ? sparse_largest_symmetric(o, how->tolerance, o->arena, &w, &bound, x)
                            : HOL_EIGEN_MEMORY;
    if (code < 0)
        return sparse_failure(code, err);
    const double omega_max = sqrt(fabs(w));
    if (fabs(w) > sparse_noise(o, x) && bound < RESIDUAL) {
        out->fastest = sparse_mode_symmetric(m, o, w, x, -1);
        out->omega_max = omega_max;
    }
    code = sparse_lowest_symmetric(o, how, fmax(omega_max, 1e-3), o->arena, &f);
    if (code < 0)
        return sparse_failure(code, err);
    found_sort(&f);
    m->list = HOL_NEW(&m->arena, const HolMode *, 2 * f.n + 1);
    double *D = HOL_NEW(o->arena, double, (size_t)o->n *(size_t)f.n + 1);
    int zeros = 0, left_out = 0;
    if (m->arena.failed || o->arena->failed)
        return sparse_failure(HOL_EIGEN_MEMORY, err);
    for (int i = 0; i < f.n; i++) {
        const double off = sparse_residual(o, f.d[i], f.re[i], scratch);
        if (off > RESIDUAL * fabs(f.re[i]) + NOISE * fabs(w)) {
            left_out++;
            continue;
        }
        if (f.re[i] == 0)
            memcpy(D + (size_t)o->n * (size_t)zeros++, f.d[i], sizeof *D * (size_t)o->n);
        else
            for (int sign = -1; sign <= (f.re[i] < 0 ? 1 : -1) && out->n_modes < how->count;
                 sign += 2)
                m->list[out->n_modes++] = sparse_mode_symmetric(m, o, f.re[i], f.d[i], sign);
    }
    out->modes = m->list;
    if (left_out)
        hol_add_line(out->note, sizeof out->note, "%d eigenvalue%s left out: not accurate enough",
                     left_out, left_out == 1 ? " is" : "s are");
    return zeros && !hol_modes_free(m, D, zeros, sparse_mass, o)
               ? sparse_failure(HOL_EIGEN_MEMORY, err)
               : HOL_OK;
}

// ---- damped, at rest ----

static int sparse_inverse_once(HolSparse *o, double tolerance, int wanted, HolArena *arena,
                               Found *f) {
    const int N = 2 * o->n;
    double *V = HOL_NEW(arena, double, (size_t)N *(size_t)(wanted + 2));
    double *re = sparse_new(arena, wanted + 2), *im = sparse_new(arena, wanted + 2);
    HolEigenProblem p = {.n = N, .wanted = wanted, .most = RESTARTS, .tolerance = tolerance};
    p.vectors = 2 * wanted + 20 < 2 * o->dof - 2 ? 2 * wanted + 20 : 2 * o->dof - 2;
    p.start = sparse_new(arena, N);
    p.apply = hol_sparse_apply_inverse;
    p.user = o;
    if (arena->failed || !found_room(f, wanted + 2, arena))
        return HOL_EIGEN_MEMORY;
    hol_sparse_start(o, 3, p.start);
    hol_sparse_start(o, 4, p.start + o->n);
    for (int i = 0; i < N; i++)
        p.start[i] /= o->s->reach[i % o->n];
    const int code = hol_eigen_general(&p, arena, re, im, V);
    for (int i = 0; i < code; i++) { // lambda = sigma + 1/theta
        const double square = re[i] * re[i] + im[i] * im[i];
        double *x = V + (size_t)N * (size_t)i;
        f->d[f->n] = sparse_new(arena, o->n);
        f->z[f->n] = sparse_new(arena, o->n);
        if (arena->failed)
            return HOL_EIGEN_MEMORY;
        hol_sparse_unscale(o, x, f->d[f->n], f->z[f->n]);
        f->re[f->n] = o->sigma + re[i] / square;
        f->im[f->n++] = -im[i] / square; // the conjugate of theta: its vector is a - i b
    }
    return code;
}

// is the pair i, i + 1 (or the real one i) an eigenvalue: |A x - lambda x| over |x|, in scaled unknowns
static double sparse_residual_general(HolSparse *o, const Found *f, int i, double *x, double *y) {
    const int pair = f->im[i] != 0;
    double off = 0, size = 0;
    for (int part = 0; part <= pair; part++) {
        memcpy(x, f->d[i + part], sizeof *x * (size_t)o->n);
        memcpy(x + o->n, f->z[i + part], sizeof *x * (size_t)o->n);
        hol_sparse_first_order(o, x, y);
        for (int k = 0; k < 2 * o->n; k++) {
            const double unit = (k < o->n ? o->scale : 1) / o->s->reach[k % o->n];
            double other = 0;
            if (pair) {
                const double *const *from = (const double *const *)(k < o->n ? f->d : f->z);
                other = (part ? 1 : -1) * f->im[i] * from[i + !part][k % o->n];
            }
            off = hypot(off, unit * (y[k] - f->re[i] * x[k] - other));
            size = hypot(size, unit * x[k]);
        }
    }
    return off / size;
}

static HolStatus sparse_general(HolModesMade *m, const HolModesOptions *how, HolSparse *o,
                                HolError *err) {
    HolModes *out = &m->modes;
    const int N = 2 * o->n;
    Found f = {0};
    double re, im = 0, bound, *x = sparse_new(o->arena, 2 * N), *y = sparse_new(o->arena, N);
    int code = x && y ? sparse_largest_general(o, how->tolerance, o->arena, &re, &im, &bound, x)
                      : HOL_EIGEN_MEMORY;
    if (code < 0)
        return sparse_failure(code, err);
    const double omega_max = hypot(re, im);
    if (bound < RESIDUAL && omega_max > 1e-7 * o->scale) {
        out->omega_max = omega_max;
        out->fastest = sparse_mode(m, o, re, im, (double *[2]){x, im > 0 ? x + N : NULL},
                                   (double *[2]){x + o->n, im > 0 ? x + N + o->n : NULL});
    }
    if (o->moving) {
        hol_add_line(out->note, sizeof out->note,
                     "a large model that moves: the fastest mode is given alone");
        return HOL_OK;
    }
    double sigma = FIRST_SHIFT * fmax(omega_max, 1e-3);
    int wanted = 2 * how->count, zeros = 0;
    for (int round = 0; round < SHIFTS; round++) {
        double lowest = INFINITY;
        if (wanted > o->dof)
            wanted = o->dof;
        if (!hol_sparse_shift(o, sigma)) {
            sigma *= 1.7;
            continue;
        }
        if ((code = sparse_inverse_once(o, how->tolerance, wanted, o->arena, &f)) < 0)
            return sparse_failure(code, err);
        zeros = 0;
        for (int i = 0; i < f.n; i++) {
            const double size = hypot(f.re[i], f.im[i]);
            if (size * size <= sparse_noise(o, f.d[i]) || size <= 1e-5 * sigma)
                zeros++;
            else
                lowest = fmin(lowest, size);
        }
        if (isfinite(lowest) && sigma > lowest)
            sigma = 0.3 * lowest;
        else if (zeros && f.n - zeros < 2 * how->count && wanted < o->dof)
            wanted += zeros;
        else
            break;
    }
    m->list = HOL_NEW(&m->arena, const HolMode *, f.n + 1);
    int *order = HOL_NEW(o->arena, int, f.n + 1), n = 0, left_out = 0, n_zero = 0;
    double *D = HOL_NEW(o->arena, double, (size_t)o->n *(size_t)f.n + 1);
    if (m->arena.failed || o->arena->failed)
        return sparse_failure(HOL_EIGEN_MEMORY, err);
    for (int i = 0; i < f.n; i += f.im[i] != 0 ? 2 : 1) {
        const double size = hypot(f.re[i], f.im[i]);
        if (f.im[i] != 0 && i + 1 >= f.n)
            break; // half a pair
        if (size * size <= sparse_noise(o, f.d[i]) || size <= 1e-5 * sigma) {
            // the two of a defective pair have one vector
            double *x0 = D + (size_t)o->n * (size_t)n_zero, norm;
            memcpy(x0, f.d[i], sizeof *x0 * (size_t)o->n);
            const double before = sqrt(hol_sparse_product(o, x0, x0));
            for (int k = 0; k < n_zero; k++) {
                const double *x1 = D + (size_t)o->n * (size_t)k, c = hol_sparse_product(o, x0, x1);
                for (int j = 0; j < o->n; j++)
                    x0[j] -= c * x1[j];
            }
            norm = sqrt(fmax(0, hol_sparse_product(o, x0, x0)));
            if (norm < 1e-3 * before)
                continue;
            for (int j = 0; j < o->n; j++)
                x0[j] /= norm;
            n_zero++;
            continue;
        }
        if (sparse_residual_general(o, &f, i, x, y) > RESIDUAL * size + NOISE * omega_max) {
            left_out++;
            continue;
        }
        int k = n++;
        for (; k > 0; k--) {
            if (hypot(f.re[order[k - 1]], f.im[order[k - 1]]) <= size)
                break;
            order[k] = order[k - 1];
        }
        order[k] = i;
    }
    for (int k = 0; k < n && out->n_modes < how->count; k++) {
        const int i = order[k], pair = f.im[i] != 0;
        // (im > 0 wants the vector a + i b: that of -im with b turned round)
        for (int j = 0; pair && f.im[i] < 0 && j < o->n; j++) {
            f.d[i + 1][j] = -f.d[i + 1][j];
            f.z[i + 1][j] = -f.z[i + 1][j];
        }
        m->list[out->n_modes++] = sparse_mode(m, o, f.re[i], fabs(f.im[i]),
                                              (double *[2]){f.d[i], pair ? f.d[i + 1] : NULL},
                                              (double *[2]){f.z[i], pair ? f.z[i + 1] : NULL});
    }
    out->modes = m->list;
    if (left_out)
        hol_add_line(out->note, sizeof out->note, "%d eigenvalue%s left out: not accurate enough",
                     left_out, left_out == 1 ? " is" : "s are");
    return n_zero && !hol_modes_free(m, D, n_zero, sparse_mass, o)
               ? sparse_failure(HOL_EIGEN_MEMORY, err)
               : HOL_OK;
}

HolStatus hol_modes_sparse(HolModesMade *m, const HolModesOptions *how, HolArena *arena,
                           HolError *err) {
    HolModes *out = &m->modes;
    HolSparse o;
    HolStatus status = hol_sparse_open(m->s, m->x, arena, &o, err);
    if (status == HOL_OK) {
        out->dof = out->positions = o.dof - hol_frozen_idle(m->s, 0);
        out->axes = "transport";
        out->moving = o.moving;
        out->steady = !o.moving;
        out->constancy = o.moving;
        out->n_all = -1; // not counted
        if (o.dof <= (o.conservative ? FEW : FEW_GENERAL))
            status = hol_sparse_few(m, how, &o, err);
        else
            status = o.conservative ? sparse_symmetric(m, how, &o, err)
                                    : sparse_general(m, how, &o, err);
    }
    hol_sparse_close(&o);
    if (status == HOL_OK)
        hol_modes_say(m);
    return status;
}
