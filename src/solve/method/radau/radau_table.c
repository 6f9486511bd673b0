// SPDX-License-Identifier: Apache-2.0
// Coefficients of Radau IIA with s stages, computed for any s.
//   c: zeros of P_s - P_(s-1) (Legendre polynomials of [0,1]), the last one is 1
//   a_ij = integral of the Lagrange polynomial j from 0 to c_i
// Embedded formula of order s with the start as a further node: weights w_i of the stages from
//   gamma 0^(k-1) + sum w_i c_i^(k-1) = 1/k,  k = 1 .. s;   e = w - b,   z = A^-T e
// gamma: for odd s the real eigenvalue of A, for even s between its neighbours (Hairer, Wanner,
// Solving Ordinary Differential Equations II, section IV.8).
#include "solve/method/radau/radau.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

// P_n and P_n' at x of [-1,1]
static void legendre(int n, long double x, long double *p, long double *dp) {
    long double before = 1, here = x, slope_before = 0, slope = 1;
    if (n == 0) {
        *p = 1;
        *dp = 0;
        return;
    }
    for (int k = 1; k < n; k++) {
        const long double next = ((2 * k + 1) * x * here - k * before) / (k + 1);
        const long double slope_next =
            ((2 * k + 1) * (here + x * slope) - k * slope_before) / (k + 1);
        before = here;
        here = next;
        slope_before = slope;
        slope = slope_next;
    }
    *p = here;
    *dp = slope;
}

// Newton from the points that separate the zeros, dividing out those found
static void find_nodes(int s, long double *c) {
    for (int i = 0; i < s - 1; i++) {
        long double x = -1;
        for (int n = 0; n < 200; n++) {
            long double p, dp, q, dq, sum = 0;
            legendre(s, x, &p, &dp);
            legendre(s - 1, x, &q, &dq);
            for (int j = 0; j < i; j++)
                sum += 1 / (x - (2 * c[j] - 1));
            const long double value = p - q, step = value / (dp - dq - value * sum);
            x -= step;
            if (fabsl(step) < 1e-19L)
                break;
        }
        c[i] = (x + 1) / 2;
    }
    c[s - 1] = 1;
}

// coefficients, from the constant on, of the Lagrange polynomial of node j among n
static void lagrange(int n, const long double *c, int j, long double *k) {
    memset(k, 0, sizeof *k * (size_t)n);
    k[0] = 1;
    for (int i = 0, degree = 0; i < n; i++) {
        if (i == j)
            continue;
        degree++;
        const long double d = 1 / (c[j] - c[i]);
        for (int l = degree; l >= 0; l--)
            k[l] = d * ((l > 0 ? k[l - 1] : 0) - c[i] * k[l]);
    }
}

// integral of such a polynomial from 0 to x
static long double radau_table_integral(int n, const long double *k, long double x) {
    long double sum = 0;
    for (int l = n - 1; l >= 0; l--)
        sum = sum * x + k[l] / (l + 1);
    return sum * x;
}

void hol_radau_table(int s, RadauTable *t) {
    static const double gamma[RADAU_STAGES + 1] = {0,   1,          0.41, 0.27488882959567,
                                                   0.2, 0.15906730, 0.13, 0.11190480};
    long double c[RADAU_STAGES], k[RADAU_STAGES];
    memset(t, 0, sizeof *t);
    t->s = s;
    t->gamma = gamma[s];
    find_nodes(s, c);
    for (int i = 0; i < s; i++)
        t->c[i] = (double)c[i];
    for (int j = 0; j < s; j++) {
        lagrange(s, c, j, k);
        for (int i = 0; i < s; i++)
            t->A[i][j] = (double)radau_table_integral(s, k, c[i]);
        // only the first of the conditions differs from those of b: e_j = -gamma l_j(0)
        t->e[j] = -t->gamma * (double)k[0];
    }
    double matrix[RADAU_STAGES * RADAU_STAGES];
    int pivot[RADAU_STAGES];
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++)
            matrix[i * s + j] = t->A[i][j]; // column i of the transposed matrix
    memcpy(t->z, t->e, sizeof t->z);
    hol_dense_lu(s, matrix, pivot);
    hol_dense_lu_solve(s, matrix, pivot, t->z);
}

void hol_radau_interpolate(const RadauTable *t, double theta, double *w) {
    for (int i = 0; i <= t->s; i++) {
        const double ci = i ? t->c[i - 1] : 0;
        w[i] = 1;
        for (int j = 0; j <= t->s; j++) {
            const double cj = j ? t->c[j - 1] : 0;
            if (j != i)
                w[i] *= (theta - cj) / (ci - cj);
        }
    }
}

void hol_radau_slope(const RadauTable *t, double theta, double *w) {
    long double c[RADAU_STAGES + 1] = {0}, k[RADAU_STAGES + 1];
    for (int i = 0; i < t->s; i++)
        c[i + 1] = t->c[i];
    for (int j = 0; j <= t->s; j++) {
        long double sum = 0;
        lagrange(t->s + 1, c, j, k);
        for (int l = t->s; l > 0; l--)
            sum = sum * theta + l * k[l];
        w[j] = (double)sum;
    }
}

void hol_radau_integrate(const RadauTable *t, double theta, double *w) {
    long double c[RADAU_STAGES], k[RADAU_STAGES];
    for (int i = 0; i < t->s; i++)
        c[i] = t->c[i];
    for (int j = 0; j < t->s; j++) {
        lagrange(t->s, c, j, k);
        w[j] = (double)radau_table_integral(t->s, k, theta);
    }
}
