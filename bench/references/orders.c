// SPDX-License-Identifier: Apache-2.0
// Orders of methods across an event that is no point of their grid: errors of a mass on a spring at 0.5 s
// with two fixed steps, against closed forms. It starts at x0 = 0.27 m with omega = 10 1/s, friction
// 2.4525 N, or meets something at xs = -0.1 m, at t1 with the speed v1:
//     t1 = acos(xs/x0)/omega,  v1 = -omega sqrt(x0^2 - xs^2)
//     rebound, e = 0.5    x(t) = xs cos(omega (t - t1)) - e v1/omega sin(omega (t - t1))
//     wall of 300 N/m     half a swing with 20 1/s about -0.075 m, then as with e = 1
#include "references.h"

#include <math.h>

#define FOLDER "bench/references/"
static const double rebound = 0.11107405114073062, gave_way = 0.25989718350179575;

const RfFamily rf_families[RF_FAMILIES] = {
    {"friction", FOLDER "constant-oscillator.yaml", 0.031193344779614219, 1},
    {"stop", FOLDER "order-limit.yaml", rebound, 1},
    {"rigid contact", FOLDER "order-rigid.yaml", rebound, 1},
    {"compliant contact", FOLDER "order-compliant.yaml", gave_way, 0},
    {"user event", FOLDER "order-event.yaml", rebound, 1},
};

const RfOrder rf_orders[RF_ORDERS] = {{"newmark", 2, 1e-3},
                                      {"hht", 2, 1e-3},
                                      {"generalized-alpha", 2, 1e-3},
                                      {"dae-alpha", 2, 1e-3},
                                      {"central-differences", 2, 1e-3},
                                      {"explicit3", 3, 2e-3},
                                      {"explicit4", 4, 5e-3},
                                      {"explicit5", 4, 1e-2},
                                      {"tangent", 4, 1e-2},
                                      {"rk3", 3, 5e-3},
                                      {"rk4", 4, 5e-3},
                                      {"ab4", 4, 2e-3},
                                      {"ab5", 5, 2e-3},
                                      {"radau", 5, 5e-2},
                                      {"rk853", 8, 5e-2}};

static HolStatus orders_run(const char *root, const RfFamily *f, const RfOrder *o, double step,
                            double *error, HolError *err) {
    HolModel *model = NULL;
    HolSim *sim = NULL;
    HolSimOptions with = hol_sim_options();
    char path[400];
    double x = NAN;
    snprintf(path, sizeof path, "%s/%s", root, f->model);
    HolStatus status = hol_model_load(path, NULL, 0, &model, &with, err);
    snprintf(with.method.name, sizeof with.method.name, "%s", o->method);
    with.step = step;
    with.end = 0.5;
    if (status == HOL_OK)
        status = hol_sim_create(model, &with, &sim, err);
    if (status == HOL_OK)
        status = hol_sim_advance(sim, with.end, err);
    if (status == HOL_OK)
        status = hol_sim_value(sim, "b.x", &x, err);
    *error = fabs(x - f->value);
    hol_sim_destroy(sim);
    hol_model_destroy(model);
    return status;
}

int rf_slope(const char *root, const RfFamily *f, const RfOrder *o, double error[2], double *slope,
             HolError *err) {
    if (orders_run(root, f, o, o->step, &error[0], err) != HOL_OK ||
        orders_run(root, f, o, o->step / 4, &error[1], err) != HOL_OK)
        return 0;
    *slope = log(error[0] / error[1]) / log(4);
    return 1;
}

double rf_least_slope(const RfFamily *f, const RfOrder *o) {
    static const double margin = 0.2, of_kinks = 2;
    return (f->located ? o->order : of_kinks) - margin;
}
