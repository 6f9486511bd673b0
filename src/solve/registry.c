// SPDX-License-Identifier: Apache-2.0
// The registry of methods: one line a stepper, in the order `holonom kinds` lists them.
#include "solve/sim.h"

#include <string.h>

extern const HolStepper hol_stepper_auto;
extern const HolStepper hol_stepper_tangent;
extern const HolStepper hol_stepper_taylor;
extern const HolStepper hol_stepper_newmark;
extern const HolStepper hol_stepper_hht;
extern const HolStepper hol_stepper_generalized_alpha;
extern const HolStepper hol_stepper_central_differences;
extern const HolStepper hol_stepper_explicit3;
extern const HolStepper hol_stepper_explicit4;
extern const HolStepper hol_stepper_explicit5;
extern const HolStepper hol_stepper_rk3;
extern const HolStepper hol_stepper_rk4;
extern const HolStepper hol_stepper_rk853;
extern const HolStepper hol_stepper_ab4;
extern const HolStepper hol_stepper_ab5;
extern const HolStepper hol_stepper_dae_alpha;
extern const HolStepper hol_stepper_bdf;
extern const HolStepper hol_stepper_radau;

const HolStepper *const hol_steppers[] = {
    &hol_stepper_auto,
    &hol_stepper_tangent,
    &hol_stepper_taylor,
    &hol_stepper_newmark,
    &hol_stepper_hht,
    &hol_stepper_generalized_alpha,
    &hol_stepper_central_differences,
    &hol_stepper_explicit3,
    &hol_stepper_explicit4,
    &hol_stepper_explicit5,
    &hol_stepper_rk3,
    &hol_stepper_rk4,
    &hol_stepper_rk853,
    &hol_stepper_ab4,
    &hol_stepper_ab5,
    &hol_stepper_dae_alpha,
    &hol_stepper_bdf,
    &hol_stepper_radau,
    NULL,
};

const HolStepper *hol_stepper_find(const char *name) {
    for (const HolStepper *const *p = hol_steppers; *p; p++)
        if (!strcmp((*p)->name, name))
            return *p;
    return NULL;
}
