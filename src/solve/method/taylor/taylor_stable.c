// SPDX-License-Identifier: Apache-2.0
#include "solve/method/taylor/taylor_stable.h"

// e_7/e_5, e_9/e_5, .. and e_8/e_6, e_10/e_6, .. of degree 6, 8, .. 14: least maximum of the sum
// over the stable interval, odd and even part apart
static const double odd[][4] = {
    {0}, {0.9799}, {1.3791, 0.7858}, {1.5797, 1.3524, 0.5664}, {1.6946, 1.7286, 1.1384, 0.3831}};
static const double even[][4] = {
    {0}, {1.2892}, {1.7770, 1.2338}, {2.0036, 2.0644, 1.0071}, {2.1228, 2.5801, 1.9631, 0.7473}};

HolStableSum hol_stable_sum(int degree) {
    HolStableSum s = {.w = {1, 1, 1, 1, 1}};
    const int D = degree > HOL_STABLE_MOST ? HOL_STABLE_MOST : degree / 2 * 2;
    if (D < HOL_STABLE_LEAST)
        return s;
    s.degree = D;
    for (int j = 3; 2 * j <= D; j++) {
        const double odd_number = 2 * j - 3, most = D - 1;
        s.w[2 * j] = s.w[2 * j - 2] * (1 - (odd_number * odd_number - 1) / (most * most - 1));
        s.w[2 * j - 1] = s.w[2 * j];
        const double first = 1 - s.w[5];
        s.e[2 * j - 1] = j == 3 ? first : first * odd[D / 2 - 3][j - 4];
        s.e[2 * j] = j == 3 ? first : first * even[D / 2 - 3][j - 4];
    }
    return s;
}
