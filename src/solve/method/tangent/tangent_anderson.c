// SPDX-License-Identifier: Apache-2.0
// Mixing (Anderson acceleration) of the iterations of a tangent step. Both the sweeps and the
// Newton iteration are x_{k+1} = x_k + f(x_k); what their linearization leaves out (gyroscopic and
// curvature terms, of the size h times the angular rate) makes f contract slowly in a few
// directions. With the last differences df_i = f_k - f_{k-1}, dx_i = x_k - x_{k-1},
//   x_{k+1} = x_k + f_k - sum gamma_i (dx_i + df_i),   gamma minimizes |f_k - sum gamma_i df_i|,
// which is GMRES on the linear problem. Components: increments of q and of v, each by its scale.
#include "solve/method/tangent/tangent.h"
#include "solve/run/error_test.h"

#include <math.h>
#include <string.h>

int hol_tangent_mix_create(HolSim *s, TangentMix *x) {
    const int n = 2 * s->nv;
    double *memory = HOL_NEW(&s->arena, double, n *(2 * TANGENT_MIX + 3));
    if (!memory)
        return 0;
    for (int i = 0; i < TANGENT_MIX; i++) {
        x->dx[i] = memory + (size_t)n * (size_t)(2 * i);
        x->df[i] = memory + (size_t)n * (size_t)(2 * i + 1);
    }
    x->f = memory + (size_t)n * (2 * TANGENT_MIX);
    x->step = x->f + n;
    x->rest = x->step + n;
    return 1;
}

void hol_tangent_mix_reset(TangentMix *x) {
    x->stored = 0;
    x->has_last = 0;
}

static double tangent_anderson_dot(const double *a, const double *b, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

// The pair of differences from the last call becomes the newest of the history.
static void tangent_anderson_store(TangentMix *x, const double *f, int n) {
    double *dx = x->dx[TANGENT_MIX - 1], *df = x->df[TANGENT_MIX - 1];
    for (int i = TANGENT_MIX - 1; i > 0; i--) {
        x->dx[i] = x->dx[i - 1];
        x->df[i] = x->df[i - 1];
    }
    x->dx[0] = dx;
    x->df[0] = df;
    for (int i = 0; i < n; i++) {
        dx[i] = x->step[i];
        df[i] = f[i] - x->f[i];
    }
    if (x->stored < TANGENT_MIX)
        x->stored++;
}

// Least squares by normal equations with elimination, newest column first; a column that the ones
// before it nearly contain ends the sum. Returns the number of columns used.
static int least_squares(const TangentMix *x, const double *f, int n, double *gamma) {
    double A[TANGENT_MIX][TANGENT_MIX + 1];
    int used = x->stored;
    for (int i = 0; i < used; i++) {
        for (int j = 0; j < used; j++)
            A[i][j] = tangent_anderson_dot(x->df[i], x->df[j], n);
        A[i][TANGENT_MIX] = tangent_anderson_dot(x->df[i], f, n);
    }
    for (int k = 0; k < used; k++) {
        const double full = tangent_anderson_dot(x->df[k], x->df[k], n);
        if (!(A[k][k] > 1e-8 * full)) {
            used = k;
            break;
        }
        for (int i = k + 1; i < used; i++) {
            const double c = A[i][k] / A[k][k];
            for (int j = k; j < used; j++)
                A[i][j] -= c * A[k][j];
            A[i][TANGENT_MIX] -= c * A[k][TANGENT_MIX];
        }
    }
    for (int k = used - 1; k >= 0; k--) {
        gamma[k] = A[k][TANGENT_MIX];
        for (int j = k + 1; j < used; j++)
            gamma[k] -= A[k][j] * gamma[j];
        gamma[k] /= A[k][k];
    }
    return used;
}

void hol_tangent_mix(const HolSim *s, TangentMix *x, double *dq, double *dv) {
    const int nv = s->nv, n = 2 * nv;
    const double *by_q = s->test->near, *by_v = s->test->fast;
    double *f = x->rest, gamma[TANGENT_MIX];
    for (int i = 0; i < nv; i++) {
        f[i] = dq[i] * by_q[i];
        f[nv + i] = dv[i] * by_v[i];
    }
    if (x->has_last)
        tangent_anderson_store(x, f, n);
    memcpy(x->f, f, sizeof *f * (size_t)n);
    memcpy(x->step, f, sizeof *f * (size_t)n);
    x->has_last = 1;
    const int used = least_squares(x, f, n, gamma);
    for (int k = 0; k < used; k++)
        for (int i = 0; i < n; i++)
            x->step[i] -= gamma[k] * (x->dx[k][i] + x->df[k][i]);
    // a wild proposal: forget
    const double size = tangent_anderson_dot(x->step, x->step, n),
                 plain = tangent_anderson_dot(f, f, n);
    if (!(size < 25 * plain)) {
        memcpy(x->step, f, sizeof *f * (size_t)n);
        x->stored = 0;
    }
    for (int i = 0; i < nv; i++) {
        dq[i] = x->step[i] / by_q[i];
        dv[i] = x->step[nv + i] / by_v[i];
    }
}
