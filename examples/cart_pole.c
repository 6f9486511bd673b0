// SPDX-License-Identifier: Apache-2.0
// Control from outside: a cart-pole is balanced at 1 kHz. Every millisecond the program reads the state by
// handles, computes a force, sets it as the input `u` of the model and lets the run go on.
// Build: cc cart_pole.c $(pkg-config --cflags --libs holonom) -lm. Exits with 1 when the pole has fallen.
#include <holonom/holonom.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char text[] =
    "holonom: 1\n"
    "name: Cart-pole\n"
    "space: planar\n"
    "gravity: [0, -9.81]\n"
    "parameters: {M: 1, m: 0.1, L: 0.5, phi0: 0.2}\n"
    "inputs: {u: 0}\n"
    "bodies:\n"
    "  - {name: cart, mass: M, inertia: 0.1}\n"
    "  - {name: pole, mass: m, inertia: 'm*L^2/3', position: ['-L*sin(phi0)', 'L*cos(phi0)'],\n"
    "     angle: phi0, points: {foot: [0, '-L']}}\n"
    "joints:\n"
    "  - {name: rail, type: prismatic, between: [{body: ground, at: [0, 0], axis: [1, 0]},\n"
    "     {body: cart, at: [0, 0], axis: [1, 0]}]}\n"
    "  - {name: hinge, type: revolute, between: [cart, pole.foot]}\n"
    "forces:\n"
    "  - {name: push, type: force, on: cart, value: [u, 0]}\n"
    "simulation: {end: 10, step: 1e-3, method: tangent}\n";

int main(void) {
    static const char *const names[] = {"cart.x", "cart.vx", "pole.angle", "pole.omega"};
    static const double gain[] = {1, 2, -30, -6};
    HolModel *model = NULL;
    HolSim *sim = NULL;
    HolSimOptions options;
    HolError err;
    HolHandle handle[4];
    HolStatus status =
        hol_model_parse(text, strlen(text), "cart-pole", NULL, 0, &model, &options, &err);
    if (status == HOL_OK)
        status = hol_sim_create(model, &options, &sim, &err);
    for (int i = 0; status == HOL_OK && i < 4; i++)
        status = hol_model_handle(model, names[i], &handle[i], &err);
    for (int k = 1; status == HOL_OK && k <= 10000; k++) {
        double u = 0;
        for (int i = 0; i < 4; i++)
            u += gain[i] * hol_sim_read(sim, &handle[i]);
        status = hol_sim_set_input(sim, "u", u, &err);
        if (status == HOL_OK)
            status = hol_sim_advance(sim, k * 1e-3, &err);
        if (status == HOL_OK && k % 1000 == 0)
            printf("t = %4.1f s   cart %8.5f m   pole %9.6f rad   force %8.5f N\n", k * 1e-3,
                   hol_sim_read(sim, &handle[0]), hol_sim_read(sim, &handle[2]), u);
    }
    const double angle = sim ? hol_sim_read(sim, &handle[2]) : NAN;
    if (status != HOL_OK)
        fprintf(stderr, "%s\n", err.text);
    hol_sim_destroy(sim);
    hol_model_destroy(model);
    return status == HOL_OK && fabs(angle) < 1e-3 ? 0 : 1;
}
