// SPDX-License-Identifier: Apache-2.0
// k(y) and k'(y) of a series y(t), y_0 < 4, by powers of z = y - y_0: with k = sum K_m z^m,
//   order n of z^m = sum_{i=1..n-m+1} y_i (order n-i of z^(m-1)),   order n of k = sum_{m=1..n} K_m (order n of z^m)
// K_m by repeated synthetic division of the polynomial of k by (y - y_0): all terms are positive, so no digits are lost.
// n^2/2 products for order n, where Horner's rule with series takes 20 n: a few where only the first orders are asked for.
// Memory: K_m, then for every order the powers 0 .. HOL_BEAM_TERMS - 1.
#include "model/force/beam_element.h"

size_t hol_beam_powers_size(int orders) {
    return (size_t)HOL_BEAM_TERMS * (size_t)(orders + 1);
}

// K_m of the derivative 0 or 1 of k, for m < rows
static void beam_powers_start(double *K, double y, int derivative, int rows) {
    const int n = HOL_BEAM_TERMS - derivative;
    for (int i = 0; i < n; i++)
        K[i] = derivative ? (i + 1) * hol_beam_terms[i + 1] : hol_beam_terms[i];
    const int terms = y < 0.04 ? 9 : n; // the ratio of two terms is y/40
    for (int m = 0; m < rows && m < n - 1; m++)
        for (int i = m + terms < n - 2 ? m + terms : n - 2; i >= m; i--)
            K[i] += y * K[i + 1];
}

double hol_beam_powers(double *own, int orders, const double *y, int stride, int derivative,
                       int from, int n) {
    const int degree = HOL_BEAM_TERMS - 1 - derivative;
    double *at = own + HOL_BEAM_TERMS * (n + 1), sum = 0;
    if (n == from) {
        beam_powers_start(own, y[0], derivative, orders);
        for (int i = 1; i < n; i++)
            hol_beam_powers(own, orders, y, stride, derivative, 0, i);
    }
    for (int m = 2; m <= n && m <= degree; m++)
        at[m] = 0;
    at[1] = y[n * stride];
    for (int i = 1; i < n; i++) {
        const double z = y[i * stride], *before = at - HOL_BEAM_TERMS * i;
        const int most = n - i + 1 < degree ? n - i + 1 : degree;
        for (int m = 2; m <= most; m++)
            at[m] += z * before[m - 1];
    }
    for (int m = 1; m <= n && m <= degree; m++)
        sum += own[m] * at[m];
    return sum;
}
