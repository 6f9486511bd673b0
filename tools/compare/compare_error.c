// SPDX-License-Identifier: Apache-2.0
// Sizes of coordinates and velocities, and errors as parts of them; see compare.h.
#include "model/model.h"
#include "tools/compare/compare.h"

#include <math.h>
#include <string.h>

enum { LENGTHS, ANGLES, QUATERNIONS, SCALARS, KINDS };
static const double LEAST_VELOCITY = 1e-3; // of what the other kind amounts to
static const double LEAST_MOTION = 1e-6;   // of the size over the time

int hol_samples_create(HolSamples *s, HolArena *arena, const HolView *view) {
    const size_t n = HOL_COMPARE_TIMES;
    *s = (HolSamples){.nq = view->nq, .nv = view->nv, .m = view->m};
    s->q = HOL_NEW(arena, double, n *(size_t)s->nq + 1);
    s->v = HOL_NEW(arena, double, n *(size_t)s->nv + 1);
    s->lambda = HOL_NEW(arena, double, n *(size_t)s->m + 1);
    return s->q && s->v && s->lambda;
}

// kinds of coordinates: lengths first, then what tells the orientation
static void error_kinds(const HolModel *m, int *q, int *v) {
    const int dimensions = m->space == HOL_PLANAR ? 2 : 3;
    for (int b = 1; b < m->def.n_bodies; b++) {
        const HolBody *body = &m->def.bodies[b];
        const int scalar = !hol_body_placed(&body->def);
        for (int i = 0; i < body->nq; i++)
            q[body->q + i] = scalar           ? SCALARS
                             : i < dimensions ? LENGTHS
                             : body->nq == 7  ? QUATERNIONS
                                              : ANGLES;
        for (int i = 0; i < body->nv; i++)
            v[body->v + i] = scalar ? SCALARS : i < dimensions ? LENGTHS : ANGLES;
    }
}

// the middle of the bodies at the first sample, by axes
static void error_middle(const HolModel *m, const HolSamples *s, double middle[3]) {
    const int dimensions = m->space == HOL_PLANAR ? 2 : 3;
    int n = 0;
    memset(middle, 0, 3 * sizeof *middle);
    for (int b = 1; b < m->def.n_bodies; b++) {
        const HolBody *body = &m->def.bodies[b];
        if (!hol_body_placed(&body->def))
            continue;
        n++;
        for (int i = 0; i < dimensions; i++)
            middle[i] += (s->q[body->q + i] - middle[i]) / n;
    }
}

static double error_largest(const double *x, int stride, int index, int n) {
    double largest = 0;
    for (int k = 0; k < n; k++)
        largest = fmax(largest, fabs(x[(size_t)k * (size_t)stride + (size_t)index]));
    return largest;
}

// the largest distance from the middle along an axis; of one body that stays: from the origin
static double error_length(const HolModel *m, const HolSamples *s, int n) {
    const int dimensions = m->space == HOL_PLANAR ? 2 : 3;
    double middle[3], away = 0, far = 0;
    error_middle(m, s, middle);
    for (int b = 1; b < m->def.n_bodies; b++) {
        const HolBody *body = &m->def.bodies[b];
        for (int i = 0; hol_body_placed(&body->def) && i < dimensions; i++)
            for (int k = 0; k < n; k++) {
                const double x = s->q[(size_t)k * (size_t)s->nq + (size_t)(body->q + i)];
                away = fmax(away, fabs(x - middle[i]));
                far = fmax(far, fabs(x));
            }
    }
    return away > 1e-9 * far ? away : far > 0 ? far : 1;
}

static void error_velocity_sizes(HolErrorSizes *z, const int *kind, const HolSamples *s, int n,
                                 double length, double span) {
    double most[KINDS] = {0};
    for (int i = 0; i < z->nv; i++)
        most[kind[i]] = fmax(most[kind[i]], error_largest(s->v, z->nv, i, n));
    const double motion = LEAST_MOTION * length / span;
    const double lengths =
        fmax(motion, fmax(most[LENGTHS], LEAST_VELOCITY * most[ANGLES] * length));
    const double angles =
        fmax(motion / length, fmax(most[ANGLES], LEAST_VELOCITY * most[LENGTHS] / length));
    for (int i = 0; i < z->nv; i++) {
        const double own = error_largest(s->v, z->nv, i, n);
        z->size_v[i] = kind[i] == LENGTHS  ? lengths
                       : kind[i] == ANGLES ? angles
                                           : fmax(own, LEAST_VELOCITY * most[SCALARS]);
        z->size_v[i] = z->size_v[i] > 0 ? z->size_v[i] : 1;
    }
}

int hol_error_sizes(HolErrorSizes *z, HolArena *arena, const HolModel *m, const HolSamples *s,
                    int n, double span) {
    *z = (HolErrorSizes){.nq = s->nq, .nv = s->nv, .m = s->m, .unique = 1};
    z->kind_q = HOL_NEW(arena, int, z->nq + 1);
    z->size_q = HOL_NEW(arena, double, z->nq + 1);
    z->size_v = HOL_NEW(arena, double, z->nv + 1);
    int *kind_v = HOL_NEW(arena, int, z->nv + 1);
    if (!z->kind_q || !z->size_q || !z->size_v || !kind_v)
        return 0;
    error_kinds(m, z->kind_q, kind_v);
    const double length = error_length(m, s, n);
    double angle = 1, scalar = 0;
    for (int i = 0; i < z->nq; i++) {
        const double own = error_largest(s->q, z->nq, i, n);
        if (z->kind_q[i] == ANGLES)
            angle = fmax(angle, own);
        if (z->kind_q[i] == SCALARS)
            scalar = fmax(scalar, own);
    }
    for (int i = 0; i < z->nq; i++) {
        const double own = fmax(error_largest(s->q, z->nq, i, n), LEAST_VELOCITY * scalar);
        z->size_q[i] = z->kind_q[i] == LENGTHS       ? length
                       : z->kind_q[i] == ANGLES      ? angle
                       : z->kind_q[i] == QUATERNIONS ? 1
                       : own > 0                     ? own
                                                     : 1;
    }
    error_velocity_sizes(z, kind_v, s, n, length, span > 0 ? span : 1);
    for (int i = 0; i < z->m; i++)
        z->lambda = fmax(z->lambda, error_largest(s->lambda, z->m, i, n));
    z->lambda = z->lambda > 0 ? z->lambda : 1;
    return 1;
}

// a difference that is no number is no small one
static void error_take(double *worst, double difference) {
    if (!(difference <= *worst))
        *worst = isnan(difference) ? INFINITY : difference;
}

void hol_error_see(const HolErrorSizes *z, const HolSamples *reference, int k, const double *q,
                   const double *v, const double *lambda, double error[3]) {
    const double *r = reference->q + (size_t)k * (size_t)z->nq;
    for (int i = 0; i < z->nq; i++) {
        if (z->kind_q[i] != QUATERNIONS) {
            error_take(&error[0], fabs(q[i] - r[i]) / z->size_q[i]);
            continue;
        }
        double product = 0;
        for (int j = i; j < i + 4; j++)
            product += q[j] * r[j];
        for (int j = i; j < i + 4; j++)
            error_take(&error[0], fabs(q[j] - (product < 0 ? -r[j] : r[j])));
        i += 3;
    }
    r = reference->v + (size_t)k * (size_t)z->nv;
    for (int i = 0; i < z->nv; i++)
        error_take(&error[1], fabs(v[i] - r[i]) / z->size_v[i]);
    r = reference->lambda + (size_t)k * (size_t)z->m;
    for (int i = 0; lambda && i < z->m; i++)
        error_take(&error[2], fabs(lambda[i] - r[i]) / z->lambda);
}
