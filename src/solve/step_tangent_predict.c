// SPDX-License-Identifier: Apache-2.0
// First guess of a1, lambda1 and their rates in a tangent step: the cubic through both ends of the
// last step, carried on. Where forces are stiff and the last such guess was poor, the old values.
#include "solve/step_tangent.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void copy(double *to, const double *from, int n) {
    memcpy(to, from, sizeof *to * (size_t)n);
}

// Cubic through (value, rate) at both ends of the last step, carried on by h; value and rate there.
static void extrapolate(int n, const double *y, const double *d, const double *y_back,
                        const double *d_back, double h_back, double h, double *value,
                        double *rate) {
    for (int i = 0; i < n; i++) {
        const double D = (y_back[i] - y[i] + d[i] * h_back) / (h_back * h_back),
                     F = (d[i] - d_back[i]) / h_back, c = (2 * D - F) / h_back, b = 3 * D - F;
        value[i] = y[i] + h * (d[i] + h * (b + h * c));
        rate[i] = d[i] + h * (2 * b + 3 * h * c);
    }
}

// Quintic through (value, rate, second) at both ends of the last step, carried on by h.
static void extrapolate_quintic(int n, const double *y, const double *d, const double *c,
                                const double *y_back, const double *d_back, const double *c_back,
                                double h_back, double h, double *value, double *rate,
                                double *second) {
    const double u = h / h_back, k = h_back;
    for (int i = 0; i < n; i++) {
        // backwards in time from the present end, in units of the last step: y + b1 x + b2 x^2 ...
        const double b1 = -k * d[i], b2 = 0.5 * k * k * c[i], Y = y_back[i] - y[i] - b1 - b2,
                     D = -k * d_back[i] - b1 - 2 * b2, C = 0.5 * k * k * c_back[i] - b2,
                     b5 = 6 * Y - 3 * D + C, b4 = 7 * D - 15 * Y - 2 * C, b3 = 10 * Y - 4 * D + C;
        value[i] = y[i] - u * (b1 - u * (b2 - u * (b3 - u * (b4 - u * b5))));
        rate[i] = -(b1 - u * (2 * b2 - u * (3 * b3 - u * (4 * b4 - u * 5 * b5)))) / k;
        second[i] = (2 * b2 - u * (6 * b3 - u * (12 * b4 - u * 20 * b5))) / (k * k);
    }
}

void hol_tangent_predict(HolSim *s, Tangent *m, const TangentNode *from, double h,
                         TangentNode *to) {
    const int nv = s->nv, rows = s->m;
    const double ratio = m->has_back ? h / m->h_back : INFINITY;
    copy(to->x.w, from->x.w, s->nw);
    // far from the last step, or where the last prediction was poor: constant
    if (m->stiff && (!m->has_back || m->predictor_error > 0.1)) {
        copy(to->x.a, from->x.a, nv);
        copy(to->x.lambda, from->x.lambda, rows);
        copy(to->j, from->j, nv);
        copy(to->ld, from->ld, rows);
        copy(to->s, from->s, nv);
        copy(to->ldd, from->ldd, rows);
    } else if (!m->f.jerk) {
        for (int i = 0; i < nv; i++)
            to->x.a[i] = from->x.a[i] + (ratio < 3 ? ratio * (from->x.a[i] - m->a_back[i]) : 0);
        for (int i = 0; i < rows; i++)
            to->x.lambda[i] =
                from->x.lambda[i] + (ratio < 3 ? ratio * (from->x.lambda[i] - m->l_back[i]) : 0);
    } else if (ratio < 3 && m->f.jerk > 1) {
        extrapolate_quintic(nv, from->x.a, from->j, from->s, m->a_back, m->j_back, m->s_back,
                            m->h_back, h, to->x.a, to->j, to->s);
        extrapolate_quintic(rows, from->x.lambda, from->ld, from->ldd, m->l_back, m->ld_back,
                            m->ldd_back, m->h_back, h, to->x.lambda, to->ld, to->ldd);
    } else if (ratio < 3) {
        extrapolate(nv, from->x.a, from->j, m->a_back, m->j_back, m->h_back, h, to->x.a, to->j);
        extrapolate(rows, from->x.lambda, from->ld, m->l_back, m->ld_back, m->h_back, h,
                    to->x.lambda, to->ld);
    } else {
        copy(to->s, from->s, nv);
        copy(to->ldd, from->ldd, rows);
        for (int i = 0; i < nv; i++) {
            to->x.a[i] = from->x.a[i] + h * from->j[i];
            to->j[i] = from->j[i];
        }
        for (int i = 0; i < rows; i++) {
            to->x.lambda[i] = from->x.lambda[i] + h * from->ld[i];
            to->ld[i] = from->ld[i];
        }
    }
}

// How far the extrapolated acceleration would have been off, as a part of the step's way.
void hol_tangent_rate_predictor(const HolSim *s, Tangent *m, const TangentNode *from, double h,
                                const TangentNode *to) {
    m->predictor_error = 1;
    if (!m->f.jerk || !m->has_back || h > 3 * m->h_back)
        return;
    if (m->f.jerk > 1)
        extrapolate_quintic(s->nv, from->x.a, from->j, from->s, m->a_back, m->j_back, m->s_back,
                            m->h_back, h, m->e, m->dv, m->v_guess);
    else
        extrapolate(s->nv, from->x.a, from->j, m->a_back, m->j_back, m->h_back, h, m->e, m->dv);
    for (int i = 0; i < s->nv; i++)
        m->e[i] -= to->x.a[i];
    m->predictor_error = h * hol_max_abs(m->e, s->nv) /
                         (hol_max_abs(to->x.v, s->nv) + h * hol_max_abs(to->x.a, s->nv) + DBL_MIN);
}
