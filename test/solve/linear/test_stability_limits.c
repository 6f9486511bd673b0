// SPDX-License-Identifier: Apache-2.0
// Predicted against observed: on nine problems every conditionally stable method runs without growth at
// 0.98 of the predicted limit and blows up at 1.02 of it. bench/stability measures how close they are.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stability_observe.h"

static void limits_are_bracketed(void **state) {
    (void)state;
    for (int i = 0; i < OBSERVE_SHARP; i++) {
        Observation o;
        HolError err;
        if (observe_open(&observe_problems[i], &o, &err) != HOL_OK)
            fail_msg("%s: %s", observe_problems[i].name, err.text);
        const double size = observe_reference(&o);
        for (int k = 0; k < OBSERVE_METHODS; k++) {
            const ObserveMethod *m = &observe_methods[k];
            const double limit = observe_predicted(&o, m);
            if (!isfinite(limit) || !(limit > 0) || observe_unstable(&o, m, 0.98 * limit, size))
                fail_msg("%s, %s: unstable below the limit %g", observe_problems[i].name, m->label,
                         limit);
            if (!observe_unstable(&o, m, 1.02 * limit, size))
                fail_msg("%s, %s: stable above the limit %g", observe_problems[i].name, m->label,
                         limit);
        }
        observe_close(&o);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(limits_are_bracketed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
