// SPDX-License-Identifier: Apache-2.0
// Where velocities are no derivatives of coordinates (rotations), q1 = q (+) theta depends on theta
// through D(theta): q (+) (theta + e d) = q1 (+) e D d. For body-fixed angular velocities
// D = I - [theta]x/2 + ..., so leaving it out of the Newton matrix would cost a contraction of
// |theta|/2 an iteration. D is block diagonal, one block a run of coordinates that are not plain;
// all blocks are differenced at once. It only steers Newton's iteration, never the result.
#include "solve/driver.h"
#include "solve/index3.h"

#include <string.h>

enum { LARGEST_BLOCK = 16 }; // larger ones are taken as D = I

int hol_index3_chart_create(HolSim *s) {
    HolIndex3 *m = s->method;
    HolArena *a = &s->arena;
    int nv = s->nv;
    m->width = 0;
    if (s->plain)
        return 1;
    m->block = HOL_NEW(a, int, nv);
    m->block_size = HOL_NEW(a, int, nv);
    m->theta = HOL_NEW(a, double, nv);
    if (a->failed)
        return 0;
    // size 0: plain coordinate
    for (int i = 0; i < nv; i++)
        m->block_size[i] = 1;
    for (int k = 0; k < s->nq; k++)
        if (s->driver->coordinate[k] >= 0)
            m->block_size[s->driver->coordinate[k]] = 0;
    for (int i = 0; i < nv;) {
        int end = i + 1;
        while (m->block_size[i] && end < nv && m->block_size[end])
            end++;
        int size = m->block_size[i] && end - i <= LARGEST_BLOCK ? end - i : 0;
        for (int j = i; j < end; j++) {
            m->block[j] = i;
            m->block_size[j] = size;
        }
        if (size > m->width)
            m->width = size;
        i = end;
    }
    m->D = HOL_NEW(a, double, nv * m->width);
    return !a->failed;
}

// central differences of the retraction, the same column of every block at once
static void differentiate(HolSim *s) {
    HolIndex3 *m = s->method;
    const HolProblem *p = s->p;
    const double e = 1e-5;
    double *d = s->r1, *ahead = s->r2, *behind = s->r3;
    for (int c = 0; c < m->width; c++) {
        for (int side = -1; side <= 1; side += 2) {
            for (int i = 0; i < s->nv; i++) {
                int hit = m->block_size[i] > c && i - m->block[i] == c;
                d[i] = m->theta[i] + (hit ? side * e : 0);
            }
            p->retract(p, s->work, s->x.q, d, side < 0 ? behind : ahead);
        }
        p->minus(p, s->work, ahead, behind, d);
        for (int i = 0; i < s->nv; i++)
            if (m->block_size[i] > c)
                m->D[m->width * (m->block[i] + c) + i - m->block[i]] = d[i] / (2 * e);
    }
}

// entries first..end-1 of a row, all in one block, times that block of D
static void multiply_block(const HolIndex3 *m, const int *columns, int count, double *G) {
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

void hol_index3_chart_columns(HolSim *s, double *G) {
    HolIndex3 *m = s->method;
    const HolPattern *P = &s->p->G;
    if (m->width == 0)
        return;
    differentiate(s);
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
