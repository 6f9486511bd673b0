// SPDX-License-Identifier: Apache-2.0
// Holonom: constrained multibody dynamics. The public API in the order of a program's life: status,
// options, model, problem, simulation, results, certified digits. SI units, radians.
//
//     hol_model_load(path, NULL, 0, &model, &options, &error)  or hol_model_create, add, compile
//     hol_sim_create(model, &options, &sim, &error)
//     hol_sim_run(sim, options.end, observer, user, &error)     hol_sim_row gives the results
//     hol_sim_destroy(sim), hol_model_destroy(model)
//
// Pages, pictures and the studio are a second library: tools.h.
#ifndef HOLONOM_H
#define HOLONOM_H

#define HOL_VERSION_MAJOR 0
#define HOL_VERSION_MINOR 2
#define HOL_VERSION_PATCH 0
#define HOL_VERSION_TEXT "0.2.0"

#include "holonom/certify.h"
#include "holonom/checkpoint.h"
#include "holonom/embed.h"
#include "holonom/equilibrium.h"
#include "holonom/error.h"
#include "holonom/model.h"
#include "holonom/modes.h"
#include "holonom/options.h"
#include "holonom/problem.h"
#include "holonom/result.h"
#include "holonom/sim.h"
#include "holonom/stability.h"

#endif
