// SPDX-License-Identifier: Apache-2.0
// Is an equilibrium stable, and in which directions not (docs/equilibrium.md)? In a basis N of the
// tangent space, orthonormal in the metric of the masses (N^T M N = 1),
//   x'' + C_R x' + K_R x = 0,   K_R = N^T K N,   C_R = N^T C N.
// K_R symmetric and C_R no source of energy: an eigenvalue of K_R below zero is a direction that the
// mechanism leaves, zero one that nothing pulls back in, and without these it is stable (whatever the
// damping). Else (forces that follow bodies, negative damping, algebraic variables) all eigenvalues of
// the linearization decide (linearize.c).
// N: random vectors projected by the saddle point of the masses. Many freedoms: Lanczos with
//   [K + sigma M  G^T; G 0] [y; .] = [M x; 0],   theta = 1/(omega^2 + sigma),
// which finds the slowest motions, and with [M G^T; G 0] [y; .] = [K x; 0], which finds the fastest.
#include "solve/equilibrium/equilibrium.h"

#include "math/dense.h"
#include "solve/constraint/project.h"
#include "solve/linear/linear.h"
#include "solve/run/error_test.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- tuning constants ----
enum { MOST_DENSE = 200, LANCZOS = 40, NAMED = 4, MOST_LINES = 6 };
static const double GONE = 1e-9;      // part of a vector that is left when it depends on others
static const double SYMMETRIC = 1e-7; // K_R with less in its skew part has a potential
static const double NEUTRAL = 1e-10;  // eigenvalue of K_R as a part of the largest: none
static const double SLOW = 1e-12;     // the same of the fastest rate of a coordinate, many freedoms
static const double GROWS = 1e-7;     // real part of an eigenvalue, of the largest: growth
static const double SHIFT = 1e-7;     // sigma as a part of the fastest rate
static const double SHARE = 0.05;     // bodies with less of the kinetic energy are not named
static const double ZERO = 1e-6;      // eigenvalues of the general system, of the largest: none

typedef struct Spectrum {
    HolStatics *e;
    const HolRest *x;
    int n;                // vectors in N
    double *N, *MN;       // nv x n by columns, and M N
    double before;        // size of the last random vector before it was projected
    double *K_R, *values; // n x n, later eigenvectors; n eigenvalues
    HolDirections *out;
} Spectrum;

// ---- texts ----

typedef struct Share {
    double part, most; // of the kinetic energy; largest displacement
    int coordinate;    // that has it
} Share;

// the bodies of a motion d with the most kinetic energy: "rod.angle 80 %, slider.x 20 %"
static void stability_bodies(const Spectrum *z, const double *d, char *out, size_t size) {
    HolStatics *e = z->e;
    const HolSim *s = e->s;
    const int *body = s->p->extras->body;
    double *Md = e->y, total = 0;
    Share best[NAMED] = {{0}};
    memset(Md, 0, sizeof *Md * (size_t)s->nv);
    hol_mul_columns(&s->p->S, e->M, d, 1, Md);
    for (int i = 0; i < s->nv;) {
        Share one = {0, -1, i};
        int j = i;
        for (; j < s->nv && (j == i || (body && body[j] == body[i])); j++) {
            one.part += d[j] * Md[j];
            if (fabs(d[j]) * s->test->near[j] > one.most) {
                one.most = fabs(d[j]) * s->test->near[j];
                one.coordinate = j;
            }
        }
        i = j;
        total += one.part;
        for (int k = 0; k < NAMED; k++)
            if (one.part > best[k].part) {
                const Share next = best[k];
                best[k] = one;
                one = next;
            }
    }
    size_t used = 0;
    out[0] = 0;
    for (int k = 0; k < NAMED && used + 1 < size; k++) {
        if (!(best[k].part > (k ? SHARE : 0) * total))
            break;
        char name[128];
        hol_coordinate_name(s, best[k].coordinate, name, sizeof name);
        used += (size_t)snprintf(out + used, size - used, "%s%s %.0f %%", k ? ", " : "", name,
                                 100 * best[k].part / total);
    }
}

// A direction d (nv) in which a disturbance grows as exp(rate t), while it oscillates at `omega`;
// rate 0: nothing happens.
static void stability_direction(const Spectrum *z, const double *d, double rate, double omega) {
    HolDirections *out = z->out;
    const int neutral = rate == 0;
    int *count = neutral ? &out->neutral : &out->unstable;
    double **shape = &out->shape[neutral];
    char bodies[512];
    if (!*shape && (*shape = HOL_NEW(&z->e->arena, double, z->e->s->nv + 1)))
        memcpy(*shape, d, sizeof *d * (size_t)z->e->s->nv);
    if (++*count > MOST_LINES)
        return;
    stability_bodies(z, d, bodies, sizeof bodies);
    if (neutral)
        hol_add_line(out->text[1], sizeof out->text[1], "%s", bodies);
    else if (omega == 0)
        hol_add_line(out->text[0], sizeof out->text[0], "%s, grows as exp(%.6g t)", bodies, rate);
    else
        hol_add_line(out->text[0], sizeof out->text[0],
                     "flutter of %s, at %.6g rad/s, grows as exp(%.6g t)", bodies, omega, rate);
}

// ---- few freedoms ----

static double stability_dot(const double *x, const double *y, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

// x without its part in the first n columns of N, in the metric M; Mx goes along
static void stability_remove(const Spectrum *z, int n, double *x, double *Mx) {
    const int nv = z->e->s->nv;
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < n; k++) {
            const double *N = z->N + (size_t)k * (size_t)nv, *MN = z->MN + (size_t)k * (size_t)nv;
            const double c = stability_dot(x, MN, nv);
            for (int i = 0; i < nv; i++) {
                x[i] -= c * N[i];
                Mx[i] -= c * MN[i];
            }
        }
}

// The same, once more after what is left was put back along the constraints: of a small rest round-off
// is a large part, and that lies anywhere.
static void stability_orthogonal(const Spectrum *z, int n, double *x, double *Mx) {
    const HolSim *s = z->e->s;
    double *y = z->e->y;
    stability_remove(z, n, x, Mx);
    memset(y, 0, sizeof *y * (size_t)(s->nv + s->m + s->nw));
    memcpy(y, Mx, sizeof *y * (size_t)s->nv);
    hol_kkt_solve_motion(s->mass, y, 0);
    memcpy(x, y, sizeof *x * (size_t)s->nv);
    memset(Mx, 0, sizeof *x * (size_t)s->nv);
    hol_mul_columns(&s->p->S, z->e->M, x, 1, Mx);
    stability_remove(z, n, x, Mx);
}

// y = random vector along the constraints, with the matrix in s->mass
static void stability_random(Spectrum *z, double *y) {
    HolStatics *e = z->e;
    const HolSim *s = e->s;
    memset(y, 0, sizeof *y * (size_t)(s->nv + s->m + s->nw));
    for (int i = 0; i < s->nv; i++)
        e->step[i] = hol_statics_random(e) * s->reach[i];
    hol_mul_columns(&s->p->S, e->M, e->step, 1, y);
    z->before = sqrt(fabs(stability_dot(e->step, y, s->nv)));
    hol_kkt_solve_motion(s->mass, y, 0);
}

static void stability_scale(double *x, double *Mx, int n) {
    const double norm = sqrt(stability_dot(x, Mx, n));
    for (int i = 0; i < n; i++) {
        x[i] /= norm;
        Mx[i] /= norm;
    }
}

// N, until random vectors add nothing or there are `most`
static int stability_basis(Spectrum *z, int most) {
    HolStatics *e = z->e;
    const HolSim *s = e->s;
    const size_t nv = (size_t)s->nv;
    double *y = HOL_NEW(&e->arena, double, s->nv + s->m + s->nw + 1);
    z->N = HOL_NEW(&e->arena, double, nv *(size_t)(most + 1) + 1);
    z->MN = HOL_NEW(&e->arena, double, nv *(size_t)(most + 1) + 1);
    if (e->arena.failed)
        return 0;
    for (z->n = 0; z->n < most; z->n++) {
        double *x = z->N + nv * (size_t)z->n, *Mx = z->MN + nv * (size_t)z->n;
        stability_random(z, y);
        memcpy(x, y, sizeof *x * nv);
        memset(Mx, 0, sizeof *x * nv);
        hol_mul_columns(&s->p->S, e->M, x, 1, Mx);
        stability_orthogonal(z, z->n, x, Mx);
        const double after = stability_dot(x, Mx, s->nv);
        if (!(after > 0 && sqrt(after) > GONE * z->before))
            return 1;
        stability_scale(x, Mx, s->nv);
    }
    return 1;
}

// R = N^T S N for the values S in pattern S
static void stability_reduce(const Spectrum *z, const double *S, double *R) {
    const HolSim *s = z->e->s;
    const size_t nv = (size_t)s->nv;
    for (int j = 0; j < z->n; j++) {
        double *y = z->e->y;
        memset(y, 0, sizeof *y * nv);
        hol_mul_columns(&s->p->S, S, z->N + nv * (size_t)j, 1, y);
        for (int i = 0; i < z->n; i++)
            R[i + j * z->n] = stability_dot(z->N + nv * (size_t)i, y, s->nv);
    }
}

// largest entry, of the skew part too
static double stability_largest(const double *R, int n, double *skew) {
    double largest = 0;
    *skew = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            largest = fmax(largest, fabs(R[i + j * n]));
            *skew = fmax(*skew, 0.5 * fabs(R[i + j * n] - R[j + i * n]));
        }
    return largest;
}

static void stability_symmetrize(double *R, int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            R[i + j * n] = R[j + i * n] = 0.5 * (R[i + j * n] + R[j + i * n]);
}

// eigenvalues of the symmetric R, ascending, and its eigenvectors in its place; 0: it failed
static int stability_eigen(Spectrum *z, int n, double *R, double *values) {
    double *one = HOL_NEW(&z->e->arena, double, n *n + 1);
    for (int i = 0; one && i < n; i++)
        one[i + i * n] = 1;
    const int failed = one ? hol_dense_symmetric_pair(n, R, one, values) : 1;
    if (failed <= HOL_LAPACK_MEMORY)
        z->e->arena.failed = 1;
    return !failed;
}

// 1: C_R takes energy or does nothing
static int stability_damped(Spectrum *z) {
    HolStatics *e = z->e;
    const HolSim *s = e->s;
    const int n = z->n;
    double *C = HOL_NEW(&e->arena, double, s->p->S.nnz + 1), skew;
    double *R = HOL_NEW(&e->arena, double, n *n + 1), *values = HOL_NEW(&e->arena, double, n + 1);
    if (e->arena.failed)
        return 1;
    s->p->tangent(s->p, s->work,
                  &(HolPoint){e->t, z->x->q, z->x->v, e->zero, z->x->lambda, z->x->w}, 1, 0, C);
    stability_reduce(z, C, R);
    const double largest = stability_largest(R, n, &skew);
    stability_symmetrize(R, n);
    return largest == 0 || !stability_eigen(z, n, R, values) || values[0] >= -1e-9 * largest;
}

// All eigenvalues of the linearization: what grows, how often nothing happens. For forces that
// follow bodies, negative damping, algebraic variables.
static HolStatus stability_general(Spectrum *z, HolError *err) {
    HolStatics *e = z->e;
    const HolSim *s = e->s;
    const HolRest *x = z->x;
    HolState at = {e->t, x->q, x->v, e->zero, x->lambda, x->w, 0};
    HolLinear l;
    HolStatus status = hol_linearize_in(e->s, &at, HOL_AXES_TRANSPORT, NULL, &e->arena, &l, err);
    if (status)
        return status;
    const int N = l.np + l.nz;
    double *re = HOL_NEW(&e->arena, double, N + 1), *im = HOL_NEW(&e->arena, double, N + 1);
    double *V = HOL_NEW(&e->arena, double, N *N + 1), *d = HOL_NEW(&e->arena, double, s->nv + 1);
    if (e->arena.failed)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    if (hol_dense_eigenvectors(N, l.A, re, im, V) != 0)
        return hol_error_set(err, HOL_ERR_CONVERGE,
                             "the eigenvalues did not converge; memory may be short");
    double largest = 0;
    for (int i = 0; i < N; i++)
        largest = fmax(largest, hypot(re[i], im[i]));
    int zeros = 0;
    for (int i = 0; i < N; i++) {
        const int zero = hypot(re[i], im[i]) < ZERO * largest;
        zeros += zero;
        if (zero || re[i] <= GROWS * largest || im[i] < 0)
            continue;
        hol_dense_multiply(s->nv, l.np, 1, l.N_h, 0, V + N * i, d);
        stability_direction(z, d, re[i], im[i]);
    }
    z->out->neutral = (zeros + 1) / 2;
    return HOL_OK;
}

// eigenvalues and directions of the symmetric K_R
static HolStatus stability_potential(Spectrum *z, double largest, HolError *err) {
    HolStatics *e = z->e;
    const int nv = e->s->nv, n = z->n;
    double *d = HOL_NEW(&e->arena, double, nv + 1);
    stability_symmetrize(z->K_R, n);
    if (!d || !stability_eigen(z, n, z->K_R, z->values))
        return hol_error_set(err, HOL_ERR_CONVERGE,
                             "the eigenvalues did not converge; memory may be short");
    for (int k = 0; k < n; k++) {
        const int neutral = fabs(z->values[k]) <= NEUTRAL * largest;
        if (!neutral && z->values[k] > 0)
            continue;
        memset(d, 0, sizeof *d * (size_t)nv);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < nv; i++)
                d[i] += z->K_R[j + k * n] * z->N[(size_t)j * (size_t)nv + (size_t)i];
        stability_direction(z, d, neutral ? 0 : sqrt(-z->values[k]), 0);
    }
    return HOL_OK;
}

static HolStatus stability_dense(Spectrum *z, HolError *err) {
    HolStatics *e = z->e;
    const int n = z->n;
    double skew;
    z->K_R = HOL_NEW(&e->arena, double, n *n + 1);
    z->values = HOL_NEW(&e->arena, double, n + 1);
    if (e->arena.failed)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    if (e->s->nw)
        return stability_general(z, err);
    stability_reduce(z, e->K, z->K_R);
    const double largest = stability_largest(z->K_R, n, &skew);
    if (stability_damped(z) && skew <= SYMMETRIC * largest)
        return stability_potential(z, largest, err);
    return stability_general(z, err);
}

// ---- many freedoms ----

// y = the operator applied to x; inverse: by K + sigma M
static void stability_apply(HolStatics *e, int inverse, const double *x, double *y) {
    const HolSim *s = e->s;
    memset(y, 0, sizeof *y * (size_t)(s->nv + s->m + s->nw));
    hol_mul_columns(&s->p->S, inverse ? e->M : e->K, x, 1, y);
    hol_kkt_solve_motion(inverse ? e->kkt : s->mass, y, 0);
}

// Lanczos in the metric M; z->values, z->K_R: Ritz values and their vectors in N. Returns how many
static int stability_lanczos(Spectrum *z, int inverse) {
    HolStatics *e = z->e;
    const HolSim *s = e->s;
    const size_t nv = (size_t)s->nv;
    double *y = HOL_NEW(&e->arena, double, s->nv + s->m + s->nw + 1), beta = 0;
    double *T = z->K_R;
    int n = 0;
    if (e->arena.failed)
        return 0;
    stability_random(z, y);
    for (; n < LANCZOS; n++) {
        double *x = z->N + nv * (size_t)n, *Mx = z->MN + nv * (size_t)n;
        memcpy(x, y, sizeof *x * nv);
        memset(Mx, 0, sizeof *x * nv);
        hol_mul_columns(&s->p->S, e->M, x, 1, Mx);
        const double before = sqrt(fabs(stability_dot(x, Mx, s->nv)));
        stability_orthogonal(z, n, x, Mx);
        beta = sqrt(fabs(stability_dot(x, Mx, s->nv)));
        if (!(beta > GONE * before))
            break;
        stability_scale(x, Mx, s->nv);
        stability_apply(e, inverse, x, y);
        for (int k = 0; k <= n; k++) // (only neighbours are not zero, but for round-off)
            T[k + n * LANCZOS] = T[n + k * LANCZOS] =
                stability_dot(z->MN + nv * (size_t)k, y, s->nv);
    }
    for (int j = 0; j < n; j++) // packed
        for (int i = 0; i < n; i++)
            z->K_R[i + j * n] = T[i + j * LANCZOS];
    stability_symmetrize(z->K_R, n);
    return stability_eigen(z, n, z->K_R, z->values) ? n : 0;
}

// what Lanczos found that is not stable; values: theta, or squares of rates. Returns how many
static int stability_found(Spectrum *z, int n, int inverse, double sigma) {
    HolStatics *e = z->e;
    const int nv = e->s->nv;
    double *d = HOL_NEW(&e->arena, double, nv + 1);
    int found = 0;
    const double size = fmax(fabs(z->values[0]), fabs(z->values[n - 1]));
    for (int k = 0; d && k < n; k++) {
        const double theta = z->values[k], square = inverse ? 1 / theta - sigma : theta;
        // (Ritz values near zero of the inverse are not found yet)
        if ((inverse && fabs(theta) < 1e-3 * size) || square > SLOW * e->rate ||
            (!inverse && square > -1e-6 * e->rate))
            continue;
        memset(d, 0, sizeof *d * (size_t)nv);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < nv; i++)
                d[i] += z->K_R[j + k * n] * z->N[(size_t)j * (size_t)nv + (size_t)i];
        stability_direction(z, d, square > -SLOW * e->rate ? 0 : sqrt(-square), 0);
        found++;
    }
    return found;
}

static HolStatus stability_sparse(Spectrum *z, HolError *err) {
    HolStatics *e = z->e;
    const HolSim *s = e->s;
    const size_t nv = (size_t)s->nv;
    z->N = HOL_NEW(&e->arena, double, nv *(LANCZOS + 1) + 1);
    z->MN = HOL_NEW(&e->arena, double, nv *(LANCZOS + 1) + 1);
    z->K_R = HOL_NEW(&e->arena, double, LANCZOS *LANCZOS + 1);
    z->values = HOL_NEW(&e->arena, double, LANCZOS + 1);
    if (e->arena.failed)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    const double sigma = SHIFT * e->rate;
    if (!hol_statics_factor(e, z->x, sigma))
        return hol_error_set(err, HOL_ERR_SINGULAR, "the stiffness is singular");
    int n = stability_lanczos(z, 1);
    if (n && !stability_found(z, n, 1, sigma)) {
        n = stability_lanczos(z, 0);
        if (n)
            stability_found(z, n, 0, 0);
    }
    return n ? HOL_OK
             : hol_error_set(err, HOL_ERR_CONVERGE,
                             "the eigenvalues did not converge; memory may be short");
}

HolStatus hol_statics_stability(HolStatics *e, const HolRest *x, HolDirections *out,
                                HolError *err) {
    Spectrum z = {.e = e, .x = x, .out = out};
    *out = (HolDirections){0};
    HolStatus status = hol_mass_factor(e->s, e->t, x->q, err);
    if (status)
        return status;
    hol_statics_tangent(e, x);
    const int freedoms = e->s->nv - e->s->check.rank;
    if (freedoms > MOST_DENSE)
        return stability_sparse(&z, err);
    // (some more in a singular position)
    const int most = freedoms + 8 < e->s->nv ? freedoms + 8 : e->s->nv;
    if (!stability_basis(&z, most))
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    return z.n > 0 ? stability_dense(&z, err) : HOL_OK;
}
