// SPDX-License-Identifier: Apache-2.0
// Positions of the explicit family. Plain coordinates: q + h (v + h/2 (v' + h/3 (v'' + h/4 v'''))),
// summed from the inside. On a manifold the same polynomial v(tau) is the velocity of
// q' = T(q) v(tau): with an exponential retraction two of them, at combinations of the Gauss points
//   q (+) h (b1 v(c1 h) + b2 v(c2 h)) (+) h (b2 v(c1 h) + b1 v(c2 h)),
//   c = 1/2 -+ sqrt(3)/6,  b1 = 1/4 + sqrt(3)/6,  b2 = 1/4 - sqrt(3)/6,
// have the local error h^5 times commutators and none for a steady spin (commutator-free method of
// Celledoni, Marthinsen and Owren). Other retractions: Runge-Kutta steps on q' = T(q) v(tau).
// For Newton's iteration D, the derivative of the new position, is differenced block by block; it
// steers the iteration, never the result.
#include "solve/method/explicit/explicit.h"
#include "solve/run/run.h"

#include <math.h>
#include <string.h>

// ---- tuning constants ----
enum {
    LARGEST_BLOCK = 16, // larger blocks of D are taken as the identity
    SUBSTEPS = 4        // Runge-Kutta steps where the retraction is no exponential
};
static const double PROBE = 0.1, EXPONENTIAL = 1e-12; // increment and difference of that test
static const double INCREMENT = 1e-5;                 // of the differences for D, in positions

// q (+) d twice by half must be q (+) d
static int is_exponential(HolSim *s) {
    const HolProblem *p = s->p;
    double *d = s->r1, *half = s->r2, *whole = s->r3, difference = 0, size = 1;
    for (int i = 0; i < s->nv; i++)
        d[i] = PROBE * (1 + i % 3);
    p->retract(p, s->work, s->x.q, d, whole);
    for (int i = 0; i < s->nv; i++)
        d[i] /= 2;
    p->retract(p, s->work, s->x.q, d, half);
    p->retract(p, s->work, half, d, half);
    for (int k = 0; k < s->nq; k++) {
        difference = fmax(difference, fabs(half[k] - whole[k]));
        size = fmax(size, fabs(whole[k]));
    }
    return difference < EXPONENTIAL * size;
}

int hol_explicit_move_create(HolSim *s) {
    HolExplicit *m = s->method;
    HolArena *a = &s->arena;
    int nv = s->nv;
    m->width = 0;
    for (int i = 0; i < 4; i++)
        m->rate[i] = HOL_NEW(a, double, nv);
    m->scratch = HOL_NEW(a, double, nv);
    m->near[0] = HOL_NEW(a, double, 2 * s->nq);
    m->block = HOL_NEW(a, int, nv);
    m->block_size = HOL_NEW(a, int, nv);
    if (a->failed)
        return 0;
    m->near[1] = m->near[0] + s->nq;
    if (s->plain)
        return 1;
    m->exponential = is_exponential(s);
    // runs of coordinates that are not plain; size 0: plain coordinate
    for (int i = 0; i < nv; i++)
        m->block_size[i] = 1;
    for (int k = 0; k < s->nq; k++)
        if (s->driver->coordinate[k] >= 0)
            m->block_size[s->driver->coordinate[k]] = 0;
    for (int i = 0, end; i < nv; i = end) {
        end = i + 1;
        while (m->block_size[i] && end < nv && m->block_size[end])
            end++;
        int size = m->block_size[i] && end - i <= LARGEST_BLOCK ? end - i : 0;
        for (int j = i; j < end; j++) {
            m->block[j] = i;
            m->block_size[j] = size;
        }
        m->width = size > m->width ? size : m->width;
    }
    m->D = HOL_NEW(a, double, nv * m->width);
    return !a->failed;
}

// c1 v(t1) + c2 v(t2)
static void explicit_move_combine(int n, double *const rate[4], double c1, double t1, double c2,
                                  double t2, double *out) {
    for (int i = 0; i < n; i++) {
        double v = rate[0][i], a = rate[1][i], j = rate[2][i] / 2, s = rate[3][i] / 6;
        out[i] = c1 * (v + t1 * (a + t1 * (j + t1 * s))) + c2 * (v + t2 * (a + t2 * (j + t2 * s)));
    }
}

// classical Runge-Kutta steps on q' = T(q) v(tau), then back to the manifold
static void move_by_rates(HolSim *s, const double *q, double h, double *const rate[4],
                          double *out) {
    const HolProblem *p = s->p;
    HolExplicit *m = s->method;
    double *v = m->scratch, *k = s->r1, *sum = s->r2, *y = s->r3;
    const double c[4] = {0, 0.5, 0.5, 1}, b[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6},
                 step = h / SUBSTEPS;
    memmove(out, q, (size_t)s->nq * sizeof *q);
    for (int n = 0; n < SUBSTEPS; n++) {
        memset(k, 0, (size_t)s->nq * sizeof *k);
        memcpy(sum, out, (size_t)s->nq * sizeof *k);
        for (int stage = 0; stage < 4; stage++) {
            for (int i = 0; i < s->nq; i++)
                y[i] = out[i] + c[stage] * step * k[i];
            explicit_move_combine(s->nv, rate, 1, (n + c[stage]) * step, 0, 0, v);
            p->qdot(p, s->work, y, v, k);
            for (int i = 0; i < s->nq; i++)
                sum[i] += b[stage] * step * k[i];
        }
        memcpy(out, sum, (size_t)s->nq * sizeof *k);
    }
    memset(v, 0, (size_t)s->nv * sizeof *v);
    p->retract(p, s->work, out, v, out);
}

void hol_explicit_move(HolSim *s, const double *q, double h, double *const rate[4], double *out) {
    const HolProblem *p = s->p;
    HolExplicit *m = s->method;
    double *d = m->scratch;
    const double root = sqrt(3) / 6, c1 = 0.5 - root, c2 = 0.5 + root, b1 = 0.25 + root,
                 b2 = 0.25 - root;
    if (!s->plain && !m->exponential) {
        move_by_rates(s, q, h, rate, out);
        return;
    }
    if (!s->plain && !m->straight) {
        explicit_move_combine(s->nv, rate, h * b1, c1 * h, h * b2, c2 * h, d);
        p->retract(p, s->work, q, d, out);
        explicit_move_combine(s->nv, rate, h * b2, c1 * h, h * b1, c2 * h, d);
        p->retract(p, s->work, out, d, out);
        return;
    }
    for (int i = 0; i < s->nv; i++)
        d[i] = h * (rate[0][i] + h / 2 * (rate[1][i] + h / 3 * (rate[2][i] + h / 4 * rate[3][i])));
    if (s->plain)
        for (int i = 0; i < s->nv; i++)
            out[i] = q[i] + d[i];
    else
        p->retract(p, s->work, q, d, out);
}

// ---- derivative of the new position ----

// the same column of every block at once
static void explicit_move_differentiate(HolSim *s, double h, const double *a) {
    HolExplicit *m = s->method;
    const double e = INCREMENT / m->r;
    double *moved = s->rhs; // free between two solves
    for (int c = 0; c < m->width; c++) {
        for (int side = 0; side < 2; side++) {
            for (int i = 0; i < s->nv; i++) {
                int hit = m->block_size[i] > c && i - m->block[i] == c;
                moved[i] = a[i] + (hit ? (side ? e : -e) : 0);
            }
            hol_explicit_follow(s, h, moved, NULL, m->near[side]);
        }
        s->p->minus(s->p, s->work, m->near[1], m->near[0], moved);
        for (int i = 0; i < s->nv; i++)
            if (m->block_size[i] > c)
                m->D[m->width * (m->block[i] + c) + i - m->block[i]] = moved[i] / (2 * e * m->r);
    }
}

// entries of a row that lie in one block, times that block of D
static void multiply_block(const HolExplicit *m, const int *columns, int count, double *G) {
    double row[LARGEST_BLOCK];
    int first = m->block[columns[0]];
    memcpy(row, G, (size_t)count * sizeof *row);
    for (int j = 0; j < count; j++) {
        const double *column = m->D + m->width * columns[j];
        double sum = 0;
        for (int r = 0; r < count; r++)
            sum += row[r] * column[columns[r] - first];
        G[j] = sum;
    }
}

void hol_explicit_columns(HolSim *s, double h, const double *a, double *G) {
    HolExplicit *m = s->method;
    const HolPattern *P = &s->p->G;
    if (m->width == 0)
        return;
    explicit_move_differentiate(s, h, a);
    for (int i = 0; i < s->nh; i++)
        for (int k = P->ptr[i], end; k < P->ptr[i + 1]; k = end) {
            int size = m->block_size[P->idx[k]], last = m->block[P->idx[k]] + size;
            end = k + 1;
            while (end < P->ptr[i + 1] && P->idx[end] < last)
                end++;
            if (size > 0)
                multiply_block(m, P->idx + k, end - k, G + k);
        }
}
