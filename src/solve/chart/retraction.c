// SPDX-License-Identifier: Apache-2.0
// Derivative of the retraction by central differences, see retraction.h.
#include "solve/chart/retraction.h"

#include "solve/run/run.h"

#include <string.h>

enum { LARGEST_BLOCK = 16 }; // larger ones are taken as D = I

int hol_retraction_create(HolSim *s, HolRetraction *chart) {
    HolArena *a = &s->arena;
    const int nv = s->nv;
    memset(chart, 0, sizeof *chart);
    if (s->plain)
        return 1;
    chart->block = HOL_NEW(a, int, nv);
    int *size = chart->block_size = HOL_NEW(a, int, nv);
    if (a->failed)
        return 0;
    // 1 for now: a coordinate that is not plain
    for (int i = 0; i < nv; i++)
        size[i] = 1;
    for (int k = 0; k < s->nq; k++)
        if (s->driver->coordinate[k] >= 0)
            size[s->driver->coordinate[k]] = 0;
    for (int first = 0, end; first < nv; first = end) {
        end = first + 1;
        while (size[first] && end < nv && size[end])
            end++;
        const int count = size[first] && end - first <= LARGEST_BLOCK ? end - first : 0;
        for (int i = first; i < end; i++) {
            chart->block[i] = first;
            size[i] = count;
        }
        chart->width = count > chart->width ? count : chart->width;
    }
    chart->D = HOL_NEW(a, double, nv * chart->width + 1);
    return !a->failed;
}

void hol_retraction_update(HolSim *s, HolRetraction *chart, const double *q, const double *theta) {
    const HolProblem *p = s->p;
    const double e = 1e-5;
    double *d = s->r1, *ahead = s->r2, *behind = s->r3;
    for (int c = 0; c < chart->width; c++) {
        for (int side = -1; side <= 1; side += 2) {
            for (int i = 0; i < s->nv; i++) {
                const int hit = chart->block_size[i] > c && i - chart->block[i] == c;
                d[i] = theta[i] + (hit ? side * e : 0);
            }
            p->retract(p, s->work, q, d, side < 0 ? behind : ahead);
        }
        p->minus(p, s->work, ahead, behind, d);
        for (int i = 0; i < s->nv; i++)
            if (chart->block_size[i] > c)
                chart->D[chart->width * (chart->block[i] + c) + i - chart->block[i]] =
                    d[i] / (2 * e);
    }
}

// entries of one row that lie in one block, times that block of D
static void retraction_multiply(const HolRetraction *chart, const int *columns, int count,
                                double *values) {
    double row[LARGEST_BLOCK];
    const int first = chart->block[columns[0]];
    memcpy(row, values, (size_t)count * sizeof *row);
    for (int j = 0; j < count; j++) {
        const double *column = chart->D + chart->width * columns[j];
        values[j] = 0;
        for (int r = 0; r < count; r++)
            values[j] += row[r] * column[columns[r] - first];
    }
}

void hol_retraction_columns(const HolRetraction *chart, const HolPattern *G, int from, int to,
                            double *values) {
    if (chart->width == 0)
        return;
    for (int i = from; i < to; i++)
        for (int k = G->ptr[i], end; k < G->ptr[i + 1]; k = end) {
            const int size = chart->block_size[G->idx[k]];
            const int behind = chart->block[G->idx[k]] + size;
            end = k + 1;
            while (end < G->ptr[i + 1] && G->idx[end] < behind)
                end++;
            if (size > 0)
                retraction_multiply(chart, G->idx + k, end - k, values + k);
        }
}

void hol_retraction_keep(const HolSim *s, HolRetraction *chart, HolKeeper *k) {
    HOL_KEEP_ARRAY(k, chart->D, s->nv * chart->width);
}
