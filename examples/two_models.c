// SPDX-License-Identifier: Apache-2.0
// Two models side by side: two masses on springs, each a model of its own, joined by a third spring whose
// force this program computes every 0.5 ms from positions that it reads (the inputs of both). A model of
// all three springs is the reference. A step is repeated from saved states with the mean of the forces at
// both ends, which makes the coupling second order.
// Build: cc two_models.c $(pkg-config --cflags --libs holonom) -lm. Exits with 1 when they differ by more
// than 1e-5 m.
#include <holonom/holonom.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double SPRING = 40, STEP = 5e-4, END = 2;

static const char part[] = "holonom: 1\n"
                           "space: planar\n"
                           "parameters: {m: 1, k: 100, x0: 0.1}\n"
                           "inputs: {f: 0}\n"
                           "bodies: [{name: x, type: coordinate, mass: m, position: x0}]\n"
                           "forces: [{type: expression, on: x, value: '-k*x + f'}]\n"
                           "simulation: {end: 2, tolerance: 1e-10}\n";
static const char whole[] = "holonom: 1\n"
                            "space: planar\n"
                            "bodies: [{name: x, type: coordinate, mass: 1, position: 0.1},\n"
                            "         {name: y, type: coordinate, mass: 2, position: -0.05}]\n"
                            "forces: [{type: expression, on: x, value: '-100*x + 40*(y - x)'},\n"
                            "         {type: expression, on: y, value: '-50*y - 40*(y - x)'}]\n"
                            "simulation: {end: 2, tolerance: 1e-10}\n";

static void stop(const HolError *err) {
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

static HolSim *make(const char *text, const HolSetting *settings, int n, HolModel **model) {
    HolSimOptions options;
    HolError err;
    HolSim *sim = NULL;
    if (hol_model_parse(text, strlen(text), "part", settings, n, model, &options, &err) ||
        hol_sim_create(*model, &options, &sim, &err))
        stop(&err);
    return sim;
}

static double read(HolSim *sim, const char *name) {
    HolError err;
    double value;
    if (hol_sim_value(sim, name, &value, &err))
        stop(&err);
    return value;
}

int main(void) {
    const HolSetting other[] = {{"m", "2"}, {"k", "50"}, {"x0", "-0.05"}};
    HolModel *model[3];
    HolSim *sim[3] = {make(part, NULL, 0, &model[0]), make(part, other, 3, &model[1]),
                      make(whole, NULL, 0, &model[2])};
    HolError err;
    void *saved[2] = {NULL, NULL};
    size_t size[2] = {0, 0}, room[2] = {0, 0};
    for (int k = 0; k < (int)(END / STEP + 0.5); k++) {
        const double before = SPRING * (read(sim[1], "x") - read(sim[0], "x"));
        double after = before;
        for (int i = 0; i < 2; i++) {
            if (hol_sim_save(sim[i], NULL, 0, &size[i], &err))
                stop(&err);
            if (size[i] > room[i])
                saved[i] = realloc(saved[i], room[i] = size[i]);
            if (!saved[i] || hol_sim_save(sim[i], saved[i], room[i], &size[i], &err))
                stop(&err);
        }
        for (int pass = 0; pass < 2; pass++) { // on trial, then with the mean force
            const double f = 0.5 * (before + after);
            for (int i = 0; i < 2; i++)
                if ((pass && hol_sim_restore(sim[i], saved[i], size[i], &err)) ||
                    hol_sim_set_input(sim[i], "f", i ? -f : f, &err) ||
                    hol_sim_advance(sim[i], (k + 1) * STEP, &err))
                    stop(&err);
            after = SPRING * (read(sim[1], "x") - read(sim[0], "x"));
        }
    }
    free(saved[0]);
    free(saved[1]);
    if (hol_sim_advance(sim[2], END, &err))
        stop(&err);
    const double dx = read(sim[0], "x") - read(sim[2], "x"),
                 dy = read(sim[1], "x") - read(sim[2], "y");
    printf("two models at %g s: x = %.9f, y = %.9f; apart from one model by %.2g and %.2g\n", END,
           read(sim[0], "x"), read(sim[1], "x"), dx, dy);
    for (int i = 0; i < 3; i++) {
        hol_sim_destroy(sim[i]);
        hol_model_destroy(model[i]);
    }
    return fabs(dx) < 1e-5 && fabs(dy) < 1e-5 ? 0 : 1;
}
