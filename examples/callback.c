// SPDX-License-Identifier: Apache-2.0
// A force that the program computes: a mass hangs on a spring whose law is a function in C, and the
// model calls it by its name. Its parameter `c` is tunable: it changes while the model runs.
//
//     m x'' = -k x - b x^3 - c x' + m g,   rest where k x + b x^3 = m g
//
// Build: cc callback.c $(pkg-config --cflags --libs holonom) -lm. Run: ./a.out
#include <holonom/holonom.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char model[] =
    "holonom: 1\n"
    "name: A spring from outside\n"
    "space: planar\n"
    "parameters: {m: 2, c: 0}\n"
    "tunable: [c]\n"
    "bodies:\n"
    "  - {name: x, type: coordinate, mass: m}\n"
    "forces:\n"
    "  - {name: spring, type: expression, acts_on: x, value: \"-spring_law(x)\"}\n"
    "  - {name: weight, type: expression, acts_on: x, value: \"m*9.81 - c*x.v\"}\n"
    "simulation: {end: 20, tolerance: 1e-9}\n";

typedef struct Law {
    double k, b;
} Law;

static double spring(void *user, const double *x) {
    const Law *law = user;
    return law->k * x[0] + law->b * x[0] * x[0] * x[0];
}

// not needed: without it the library takes differences
static void spring_slope(void *user, const double *x, double *out) {
    const Law *law = user;
    out[0] = law->k + 3 * law->b * x[0] * x[0];
}

int main(void) {
    Law law = {.k = 50, .b = 400};
    HolFunctionDef f = hol_function_def();
    f.name = "spring_law";
    f.arguments = 1;
    f.value = spring;
    f.gradient = spring_slope;
    f.user = &law;

    HolError err;
    HolModel *m = NULL;
    HolSimOptions options;
    HolSim *sim = NULL;
    double x = 0, energy = 0;
    HolStatus status =
        hol_model_parse_with(model, strlen(model), "callback", NULL, 0, &f, 1, &m, &options, &err);
    if (!status)
        status = hol_sim_create(m, &options, &sim, &err);
    // without damping the energy stays what it is at the start: none
    if (!status)
        status = hol_sim_advance(sim, 5, &err);
    if (!status)
        status = hol_sim_value(sim, "x", &x, &err);
    if (!status) {
        double v = 0;
        status = hol_sim_value(sim, "x.v", &v, &err);
        energy = v * v - 2 * 9.81 * x + law.k * x * x / 2 + law.b * pow(x, 4) / 4;
        printf("t = 5: x = %.9f, energy %.1e\n", x, energy);
    }
    // then it comes to rest
    if (!status)
        status = hol_sim_set_parameter(sim, "c", 8, &err);
    if (!status)
        status = hol_sim_advance(sim, 20, &err);
    if (!status)
        status = hol_sim_value(sim, "x", &x, &err);
    if (status)
        fprintf(stderr, "%s\n", err.text);
    else
        printf("t = 20: x = %.9f, spring %.6f N\n", x, spring(&law, &x));
    hol_sim_destroy(sim);
    hol_model_destroy(m);
    return status || fabs(energy) > 1e-5 || fabs(spring(&law, &x) - 2 * 9.81) > 1e-4;
}
