// SPDX-License-Identifier: Apache-2.0
// The axes in which a moving state is frozen. d = E(t) d^, Y = E' E^-1:
//   transport  Y = 0
//   global     rotations in global axes: Y = -omega~ on the rotations of a body
//   body       translations turn with the body: Y = (A omega)~ on them
//   frame      common axes that turn with nu: Y = (A^T nu - omega)~ on rotations, nu~ on translations
// Frozen eigenvalues hold for all times where the linear system is constant in its axes. The constancy
//   c = max(|(G' + G Y) N|, |N^T (K' + Y^T K + K Y) N|/(|M_R| s^2), of C /(|M_R| s), of M /|M_R|) / r
// (rows of G of unit length, s the fastest rate, r that of the motion, ' along it) measures it. Everything in it is
// linear in Y, and Y of `frame` in nu: the best nu is a linear least-squares problem of three unknowns.
#include "solve/linear/linear_parts.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

// add c a~ to the 3 x 3 block of Y at (first, first)
static void axes_add_tilde(double *Y, int n, int first, const double a[3], double c) {
    const double tilde[9] = {0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            Y[n * (first + j) + first + i] += c * tilde[3 * i + j];
}

// W by mixed differences of the retraction, for problems whose parts are not known
static void axes_turning_by_differences(HolSim *s, const HolState *x, HolArena *arena, double *W) {
    const HolProblem *p = s->p;
    const int n = s->nv;
    double *d = HOL_NEW(arena, double, n + 1), *q = HOL_NEW(arena, double, s->nq + 1),
           *moved = HOL_NEW(arena, double, s->nq + 1), rate = 1e-3;
    if (arena->failed)
        return;
    for (int j = 0; j < n; j++)
        rate = fmax(rate, fabs(x->v[j]) / s->reach[j]);
    const double dt = 1e-4 / rate;
    for (int j = 0; j < n; j++)
        for (int corner = 0; corner < 4; corner++) {
            const double e = (corner & 1 ? 1e-3 : -1e-3) * s->reach[j], t = corner & 2 ? dt : -dt;
            memset(d, 0, sizeof *d * (size_t)n);
            d[j] = e;
            p->retract(p, s->work, x->q, d, moved);
            for (int i = 0; i < n; i++)
                d[i] = t * x->v[i];
            p->retract(p, s->work, moved, d, moved);
            p->retract(p, s->work, x->q, d, q);
            p->minus(p, s->work, moved, q, d);
            for (int i = 0; i < n; i++)
                W[n * j + i] -= d[i] / (4 * e * t);
        }
}

void hol_linear_turning(HolSim *s, const HolState *x, double *W) {
    const HolProblemExtras *extras = s->p->extras;
    HolArena scratch = {0};
    if (!extras->n_parts && !s->plain)
        axes_turning_by_differences(s, x, &scratch, W);
    for (int i = 0; extras->dimensions == 3 && i < extras->n_parts; i++) {
        int translation, rotation;
        double A[9];
        extras->part(s->p, i, x->q, &translation, &rotation, A);
        if (rotation >= 0)
            axes_add_tilde(W, s->nv, rotation, x->v + rotation, 1);
    }
    hol_arena_free(&scratch);
}

static void axes_of_part(const HolSim *s, const HolState *x, int translation, int rotation,
                         const double A[9], HolAxes axes, const double nu[3], double *Y) {
    const int space = s->p->extras->dimensions == 3;
    double turn[3] = {0}, own[3] = {0}; // angular velocity of the axes: global, in the body's axes
    if (axes == HOL_AXES_FRAME)
        memcpy(turn, nu, sizeof turn);
    else if (axes == HOL_AXES_BODY && rotation >= 0 && space)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                turn[i] += A[3 * i + j] * x->v[rotation + j];
    else if (axes == HOL_AXES_BODY && rotation >= 0)
        turn[2] = x->v[rotation];
    if (translation >= 0 && space)
        axes_add_tilde(Y, s->nv, translation, turn, 1);
    else if (translation >= 0) {
        Y[s->nv * (translation + 1) + translation] -= turn[2];
        Y[s->nv * translation + translation + 1] += turn[2];
    }
    if (!space || rotation < 0 || (axes != HOL_AXES_FRAME && axes != HOL_AXES_GLOBAL))
        return;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            own[i] += A[3 * j + i] * turn[j];
    for (int i = 0; i < 3; i++)
        own[i] -= x->v[rotation + i];
    axes_add_tilde(Y, s->nv, rotation, own, 1);
}

void hol_linear_axes(HolSim *s, const HolState *x, HolAxes axes, const double frame[3], double *Y) {
    const HolProblemExtras *extras = s->p->extras;
    memset(Y, 0, sizeof *Y * (size_t)s->nv * (size_t)s->nv);
    for (int i = 0; axes != HOL_AXES_TRANSPORT && i < extras->n_parts; i++) {
        int translation, rotation;
        double A[9];
        extras->part(s->p, i, x->q, &translation, &rotation, A);
        axes_of_part(s, x, translation, rotation, A, axes, frame, Y);
    }
}

// What is measured: changes of G, K, C, M along the motion, and the weights of the four parts.
typedef struct AxesChange {
    const HolLinear *at;
    double *row;      // m: reciprocal lengths of rows
    double *dot[3];   // n x n: K', C', M'
    double weight[4]; // of G, K, C, M, with 1/s
    double *T, *P;    // scratch n x n, n x nz
} AxesChange;

// out (m nz + 3 nz nz) = the four parts for axes Y; `changes` 0: only what Y brings
static void axes_residual(const AxesChange *c, const double *Y, int changes, double *out) {
    const HolLinear *l = c->at;
    const int n = l->n, m = l->m, nz = l->nz;
    double *const matrix[3] = {l->K, l->C, l->M};
    hol_dense_multiply(m, n, n, l->G, 0, Y, c->T);
    for (int i = 0; changes && i < m * n; i++)
        c->T[i] += l->Gdot[i];
    hol_dense_multiply(m, n, nz, c->T, 0, l->N, out);
    for (int j = 0; j < nz; j++)
        for (int i = 0; i < m; i++)
            out[m * j + i] *= c->row[i] * c->weight[0];
    out += m * nz;
    for (int k = 0; k < 3; k++, out += nz * nz) {
        hol_dense_multiply(n, n, n, matrix[k], 0, Y, c->T);
        double *B = c->P; // Y^T K, then the sum
        hol_dense_multiply(n, n, n, Y, 1, matrix[k], B);
        for (int i = 0; i < n * n; i++)
            c->T[i] = c->weight[k + 1] * (c->T[i] + B[i] + (changes ? c->dot[k][i] : 0));
        hol_dense_multiply(n, n, nz, c->T, 0, l->N, B);
        hol_dense_multiply(nz, n, nz, l->N, 1, B, out);
    }
}

static double axes_norm(const AxesChange *c, const double *r) {
    const int nz = c->at->nz;
    double most = 0;
    for (int part = 0; part < 4; part++) {
        const int size = part ? nz * nz : c->at->m * nz;
        double sum = 0;
        for (int i = 0; i < size; i++)
            sum += r[i] * r[i];
        most = fmax(most, sqrt(sum));
        r += size;
    }
    return most;
}

static HolStatus axes_measure(HolSim *s, const HolState *x, double rate, HolArena *arena,
                              const HolLinear *l, AxesChange *c, HolError *err) {
    const int n = l->n;
    const size_t square = (size_t)n * (size_t)n, flat = (size_t)l->m * (size_t)n;
    const double dt = 1e-4 / rate;
    HolLinearMatrices at[2];
    HolState near;
    for (int side = 0; side < 2; side++) {
        if (!hol_linear_room(s, arena, &at[side]) ||
            !hol_linear_neighbour(s, x, side ? dt : -dt, arena, &near))
            return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
        const HolStatus status = hol_linear_evaluate(s, &near, arena, &at[side], err);
        if (status != HOL_OK)
            return status;
    }
    double *const high[3] = {at[1].K, at[1].C, at[1].M}, *const low[3] = {at[0].K, at[0].C,
                                                                          at[0].M};
    for (int k = 0; k < 3; k++) {
        for (size_t i = 0; i < square; i++)
            high[k][i] = (high[k][i] - low[k][i]) / (2 * dt);
        c->dot[k] = high[k];
    }
    c->at = l;
    c->T = HOL_NEW(arena, double, (square > flat ? square : flat) + 1);
    c->P = HOL_NEW(arena, double, square + 1);
    c->row = HOL_NEW(arena, double, l->m + 1);
    if (arena->failed)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    for (int i = 0; i < l->m; i++) {
        double length = 0;
        for (int j = 0; j < n; j++)
            length = hypot(length, l->G[l->m * j + i] * s->reach[j]);
        c->row[i] = length > 0 ? 1 / length : 0;
    }
    double size = 0;
    for (int i = 0; i < l->nz * l->nz; i++)
        size = hypot(size, l->M_R[i]);
    double motion = 0; // changes are measured by how fast the state moves
    for (int i = 0; i < n; i++)
        motion = fmax(motion, fabs(x->v[i]) / s->reach[i]);
    c->weight[0] = 1 / (motion * sqrt(l->nz > 1 ? l->nz : 1));
    c->weight[3] = 1 / (size * motion);
    c->weight[2] = c->weight[3] / rate;
    c->weight[1] = c->weight[2] / rate;
    return HOL_OK;
}

// nu of the frame in which the system changes least; 0: the normal equations are singular
static int axes_frame(HolSim *s, const HolState *x, const AxesChange *c, int size, HolArena *arena,
                      double *Y, double nu[3]) {
    const int space = s->p->extras->dimensions == 3;
    double *r[4], A[9] = {0}, b[3] = {0};
    int pivot[3];
    memset(nu, 0, sizeof *nu * 3);
    for (int k = 0; k < 4; k++)
        r[k] = HOL_NEW(arena, double, size + 1);
    if (arena->failed)
        return 0;
    hol_linear_axes(s, x, HOL_AXES_FRAME, nu, Y);
    axes_residual(c, Y, 1, r[3]);
    for (int k = 0; k < 3; k++) {
        nu[k] = 1;
        hol_linear_axes(s, x, HOL_AXES_FRAME, nu, Y);
        axes_residual(c, Y, 1, r[k]);
        for (int i = 0; i < size; i++)
            r[k][i] -= r[3][i];
        nu[k] = 0;
    }
    double trace = 0;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < size; i++) {
            for (int l = 0; l < 3; l++)
                A[3 * l + k] += r[k][i] * r[l][i];
            b[k] -= r[k][i] * r[3][i];
        }
    for (int k = 0; k < 3; k++)
        trace += A[4 * k];
    for (int k = 0; k < 3; k++) // directions in which nothing changes: no turning about them
        A[4 * k] += 1e-12 * trace + (!space && k < 2 ? 1 : 0);
    if (trace <= 0 || hol_dense_lu(3, A, pivot))
        return 0;
    hol_dense_lu_solve(3, A, pivot, b);
    memcpy(nu, b, sizeof b);
    return 1;
}

HolStatus hol_linear_constancy(HolSim *s, const HolState *x, double rate, HolArena *arena,
                               const HolLinear *l, HolAxes axes, const double frame[3], double *out,
                               HolError *err) {
    AxesChange c = {0};
    double *r = HOL_NEW(arena, double, l->m * l->nz + 3 * l->nz * l->nz + 1);
    double *Y = HOL_NEW(arena, double, (size_t)l->n *(size_t)l->n + 1);
    const HolStatus status = axes_measure(s, x, rate, arena, l, &c, err);
    if (status != HOL_OK || arena->failed)
        return status != HOL_OK ? status : hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    hol_linear_axes(s, x, axes, frame, Y);
    axes_residual(&c, Y, 1, r);
    *out = axes_norm(&c, r);
    return HOL_OK;
}

HolStatus hol_linear_choose_axes(HolSim *s, const HolState *x, double rate, HolArena *arena,
                                 HolLinear *out, HolError *err) {
    static const HolAxes tried[] = {HOL_AXES_GLOBAL, HOL_AXES_BODY};
    const int n = out->n, size = out->m * out->nz + 3 * out->nz * out->nz;
    AxesChange c = {0};
    out->axes = HOL_AXES_TRANSPORT;
    out->constancy = 0;
    out->steady = 1;
    if (!out->moving || out->nz == 0)
        return HOL_OK;
    out->constancy = 1;
    out->steady = 0;
    if (s->nw || !(rate > 0))
        return HOL_OK;
    double *r = HOL_NEW(arena, double, size + 1);
    double *Y = HOL_NEW(arena, double, (size_t)n *(size_t)n + 1);
    const HolStatus status = axes_measure(s, x, rate, arena, out, &c, err);
    if (status != HOL_OK || arena->failed)
        return status != HOL_OK ? status : hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    hol_linear_axes(s, x, HOL_AXES_TRANSPORT, NULL, Y);
    axes_residual(&c, Y, 1, r);
    out->constancy = axes_norm(&c, r);
    for (int i = 0; s->p->extras->n_parts && i < 2; i++) {
        hol_linear_axes(s, x, tried[i], NULL, Y);
        axes_residual(&c, Y, 1, r);
        const double found = axes_norm(&c, r);
        // global axes where several hold for all times; else the better ones, if clearly
        if (out->constancy > HOL_STEADY ? found < 0.5 * out->constancy
                                        : tried[i] == HOL_AXES_GLOBAL && found <= HOL_STEADY &&
                                              s->p->extras->dimensions == 3) {
            out->axes = tried[i];
            out->constancy = found;
        }
    }
    double nu[3];
    out->steady = out->constancy <= HOL_STEADY;
    if (out->steady || !s->p->extras->n_parts || !axes_frame(s, x, &c, size, arena, Y, nu))
        return HOL_OK;
    hol_linear_axes(s, x, HOL_AXES_FRAME, nu, Y);
    axes_residual(&c, Y, 1, r);
    const double found = axes_norm(&c, r);
    if (found < 0.5 * out->constancy) {
        out->axes = HOL_AXES_FRAME;
        out->constancy = found;
        out->steady = found <= 1e-3 * HOL_STEADY; // three numbers were fitted to this instant
        memcpy(out->frame, nu, sizeof nu);
    }
    return HOL_OK;
}
