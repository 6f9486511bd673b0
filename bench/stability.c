// SPDX-License-Identifier: Apache-2.0
// Predicted stability limits against the observed blow-up, in per cent, as the table of docs/stability.md:
// bisection (0.2 %) over runs from small disturbances. Run from the root of the repository.
#include "test/support/stability_observe.h"

static double observed(const Observation *o, const ObserveMethod *m, double limit, double size) {
    double low = 0.97 * limit, high = 1.03 * limit;
    int k = 0;
    for (; k < 12 && observe_unstable(o, m, low, size); k++) {
        high = low;
        low *= 0.9;
    }
    for (; k < 12 && !observe_unstable(o, m, high, size); k++) {
        low = high;
        high *= 1.1;
    }
    while (high - low > 0.002 * low) {
        const double mid = (low + high) / 2;
        *(observe_unstable(o, m, mid, size) ? &high : &low) = mid;
    }
    return (low + high) / 2;
}

int main(void) {
    int count = 0, near = 0, within = 0;
    double worst = 0;
    printf("| problem (omega_max) |");
    for (int k = 0; k < OBSERVE_METHODS; k++)
        printf(" %s |", observe_methods[k].label);
    printf("\n|---|");
    for (int k = 0; k < OBSERVE_METHODS; k++)
        printf("---|");
    for (int i = 0; i < OBSERVE_PROBLEMS; i++) {
        Observation o;
        HolError err;
        if (observe_open(&observe_problems[i], &o, &err) != HOL_OK) {
            fprintf(stderr, "%s: %s\n", observe_problems[i].name, err.text);
            return 1;
        }
        printf("\n| %s (%.4g) |", observe_problems[i].name, o.at.spectrum.largest);
        const double size = observe_reference(&o);
        for (int k = 0; k < OBSERVE_METHODS; k++) {
            const double limit = observe_predicted(&o, &observe_methods[k]);
            const double off = 100 * (observed(&o, &observe_methods[k], limit, size) / limit - 1);
            printf(" %+.1f |", off);
            fflush(stdout);
            count++;
            near += fabs(off) <= 0.5;
            within += fabs(off) <= 2;
            worst = fabs(off) > fabs(worst) ? off : worst;
        }
        observe_close(&o);
    }
    printf("\n\n%d limits: %d within 0.5 %%, %d within 2 %%, worst %+.1f %%\n", count, near, within,
           worst);
    return 0;
}
