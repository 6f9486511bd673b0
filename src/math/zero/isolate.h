// SPDX-License-Identifier: Apache-2.0
// The first zero of a function on [0, 1] (isolate.c): the one search for events and kinks inside of a step.
#ifndef HOL_MATH_ISOLATE_H
#define HOL_MATH_ISOLATE_H

enum { HOL_ZERO_NODES = 9, HOL_ZERO_CHECKS = 2 };
extern const double hol_zero_check[HOL_ZERO_CHECKS]; // places where the polynomial is compared

typedef struct HolZeroBasis {
    double node[HOL_ZERO_NODES];
    // values at nodes -> Bernstein coefficients; [1]: without the first node
    double inverse[2][HOL_ZERO_NODES][HOL_ZERO_NODES];
} HolZeroBasis;

typedef struct HolZeroSearch {
    const HolZeroBasis *basis;
    double (*value)(void *context, double theta);
    void *context;
    double noise; // values below are zero
    int order;    // of the zero at the start, which does not count; 0: there is none
    int deepest;  // halvings of the step where the polynomial is not the function; 0: it is
    double off;   // of the values' range: with a zero it is not where it is off by more
} HolZeroSearch;

void hol_zero_basis(HolZeroBasis *b);
// y: values at the nodes; check: at the places of hol_zero_check (NULL: not asked for). 1: the first change
// of sign that is not before *to (0: of all) lies between *from and *to. *last: the last value
int hol_zero_isolate(const HolZeroSearch *z, const double *y, const double *check, double *from,
                     double *to, double *last);

#endif
