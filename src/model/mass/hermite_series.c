// SPDX-License-Identifier: Apache-2.0
// Taylor coefficients of consistent mass (notation of hermite.c). At order k the bodies' series know
// t_{k+2} but for the unknown a_k, and r_{k+2}, which is this unknown, stands as zero:
//     Y_k = ((k+1)(k+2) r_{k+2} - g [k = 0], L (k+1)(k+2) t_{k+2}, ..) + drag (k+1) (r_{k+1}, L t_{k+1}, ..)
//     F = W Y,   r: -F_k,   rotations: -L (0, -(a3.F)_k, (a2.F)_k)
// F of order k-1 is completed once a_{k-1} is known. Memory of an element: F at both tangents.
#include "model/problem/series.h"

// order j of an axis of a node (0 .. 2), component c
static inline double hermite_series_axis(const HolModel *m, const HolJets *J, int body, int axis,
                                         int c, int j) {
    if (m->space == HOL_SPATIAL)
        return *hol_jet(J, body, HOL_S_A + 3 * c + axis, j);
    // (cos, sin), (-sin, cos)
    const double x = *hol_jet(J, body, (axis == 0) == (c == 0) ? HOL_S_COS : HOL_S_SIN, j);
    return axis == 1 && c == 0 ? -x : x;
}

// component c of order j of Y; known: of r_{j+2}
static void hermite_series_y(const HolModel *m, const HolHermite *h, const HolJets *J, int c, int j,
                             int known, double y[4]) {
    const double second = (j + 1.0) * (j + 2.0), first = h->drag * (j + 1);
    for (int i = 0; i < 2; i++) {
        const int b = h->body[i];
        y[2 * i] = (known ? second * *hol_jet(J, b, c, j + 2) : 0) - (j == 0 ? m->gravity[c] : 0);
        y[2 * i + 1] = h->L * second * hermite_series_axis(m, J, b, 0, c, j + 2);
        if (h->drag > 0) {
            y[2 * i] += first * *hol_jet(J, b, c, j + 1);
            y[2 * i + 1] += h->L * first * hermite_series_axis(m, J, b, 0, c, j + 1);
        }
    }
}

static double hermite_series_times(const HolHermite *h, int i, const double y[4]) {
    return h->W[i][0] * y[0] + h->W[i][1] * y[1] + h->W[i][2] * y[2] + h->W[i][3] * y[3];
}

size_t hol_hermite_series_size(const HolModel *m, const void *e, int stride) {
    (void)e;
    return 2 * (size_t)(dim_of(m) == 3 ? 2 : 3) * (size_t)stride;
}

void hol_hermite_series(const HolModel *m, const void *e, const HolJets *J, double *own, int k,
                        double *rhs) {
    const HolHermite *h = e;
    const int axes = m->space == HOL_PLANAR ? 2 : 3, L = J->stride, last = dim_of(m) - 1;
    double y[4];
    for (int c = 0; c < axes; c++)
        for (int j = k > 0 ? k - 1 : 0; j <= k; j++) {
            hermite_series_y(m, h, J, c, j, j < k, y);
            for (int i = 0; i < 2; i++)
                own[(axes * i + c) * L + j] = hermite_series_times(h, 2 * i + 1, y);
            for (int i = 0; i < 2 && j == k; i++)
                rhs[h->v[i] + c] -= hermite_series_times(h, 2 * i, y);
        }
    for (int i = 0; i < 2; i++) {
        double u[3] = {0};
        for (int axis = 1; axis < axes || axis == 1; axis++)
            for (int c = 0; c < axes; c++)
                for (int j = 0; j <= k; j++)
                    u[axis] += hermite_series_axis(m, J, h->body[i], axis, c, j) *
                               own[(axes * i + c) * L + k - j];
        if (axes == 3)
            rhs[h->v[i] + 4] += h->L * u[2];
        rhs[h->v[i] + last] -= h->L * u[1];
    }
}

// - drag int y'.W y'
double hol_hermite_series_work(const HolModel *m, const void *e, const HolJets *J, int k,
                               double h) {
    const HolHermite *x = e;
    const int axes = m->space == HOL_PLANAR ? 2 : 3;
    double sum = 0, y[4][64];
    for (int c = 0; c < axes && x->drag > 0; c++) {
        double power = h;
        for (int j = 0; j <= k; j++)
            for (int i = 0; i < 2; i++) {
                y[2 * i][j] = (j + 1) * *hol_jet(J, x->body[i], c, j + 1);
                y[2 * i + 1][j] =
                    x->L * (j + 1) * hermite_series_axis(m, J, x->body[i], 0, c, j + 1);
            }
        for (int j = 0; j <= k; j++, power *= h)
            for (int i = 0; i < 4; i++)
                for (int l = 0; l < 4; l++)
                    sum -= x->drag * x->W[i][l] * hol_conv(y[i], y[l], j) * power / (j + 1);
    }
    return sum;
}
