// SPDX-License-Identifier: Apache-2.0
// Rows of a method's table of options. Each method names here what it takes of HolMethodOptions:
// allowed words, range, default and help. Reading, checks, --set, `holonom kinds`, docs/format.md
// and the schema follow. What is not given stays as
// hol_sim_options leaves it; the method fills in its default.
#ifndef HOL_SOLVE_METHOD_OPTIONS_H
#define HOL_SOLVE_METHOD_OPTIONS_H

#include "base/field.h"
#include "holonom/options.h"

#include <stddef.h>

#define HOL_OPTION(key, type)                                                                      \
#key, type, offsetof(HolMethodOptions, key), 0, sizeof(((HolMethodOptions *)0)->key)
#define HOL_OPTION_WORD(key) HOL_OPTION(key, HOL_FIELD_WORD)
#define HOL_OPTION_NUMBER(key) HOL_OPTION(key, HOL_FIELD_NUMBER)
#define HOL_OPTION_INTEGER(key) HOL_OPTION(key, HOL_FIELD_INTEGER)
#define HOL_OPTION_SWITCH(key) HOL_OPTION(key, HOL_FIELD_SWITCH)

// rows that several families share
#define HOL_OPTION_METRIC                                                                          \
    {                                                                                              \
        HOL_OPTION_WORD(metric), .words = hol_metric_words, .fallback = "mass",                    \
                                 .help = "what tangent and normal are measured with"               \
    }
#define HOL_OPTION_CONTROL                                                                         \
    {                                                                                              \
        HOL_OPTION_WORD(control), .words = hol_control_words, .fallback = "proportional",          \
                                  .help = "what the tolerance bounds; proportional: the error of " \
                                          "the run (one test for all methods); local: the error "  \
                                          "of positions of each step, as published"                \
    }
#define HOL_OPTION_NEWTON_ITERATIONS                                                               \
    {                                                                                              \
        HOL_OPTION_INTEGER(newton_iterations), .range = HOL_RANGE_BETWEEN, .low = 0, .high = 1000, \
                                               .fallback = "0",                                    \
                                               .help = "0: iterate to convergence; n: exactly n"   \
    }
#define HOL_OPTION_NEWTON_TOLERANCE                                                                \
    {                                                                                              \
        HOL_OPTION_NUMBER(newton_tolerance), .range = HOL_RANGE_BETWEEN, .low = 0, .high = 1,      \
                                             .fallback = "0",                                      \
                                             .help = "fixed step: the iteration ends when "        \
                                                     "positions change by less; 0: at round-off"   \
    }
#define HOL_OPTION_NEWTON_MOST                                                                     \
    {                                                                                              \
        HOL_OPTION_INTEGER(newton_most), .range = HOL_RANGE_BETWEEN, .low = 0, .high = 1000,       \
                                         .fallback = "0",                                          \
                                         .help = "most iterations a step, without further "        \
                                                 "attempts; 0: the method's own rule"              \
    }
#define HOL_OPTION_PREDICTOR(most)                                                                 \
    {                                                                                              \
        HOL_OPTION_INTEGER(predictor), .words = hol_predictor_words, .range = HOL_RANGE_BETWEEN,   \
                                       .low = -1, .high = most, .fallback = "auto",                \
                                       .help = "degree of the polynomial that predicts the step; " \
                                               "-1: the method's own"                              \
    }
#define HOL_OPTION_RHO                                                                             \
    {                                                                                              \
        HOL_OPTION_NUMBER(rho), .range = HOL_RANGE_BETWEEN, .low = 0, .high = 1,                   \
                                .fallback = "0.8",                                                 \
                                .help = "spectral radius at infinite frequency: 1 no damping, 0 "  \
                                        "the most"                                                 \
    }
// (the slack: -1/3 in few digits)
#define HOL_OPTION_ALPHA(preset, text)                                                             \
    {                                                                                              \
        HOL_OPTION_NUMBER(alpha), .range = HOL_RANGE_BETWEEN, .low = -1.0 / 3 - 1e-12, .high = 0,  \
                                  .takes = "-1/3 to 0", .fallback = preset, .help = text           \
    }
#define HOL_OPTION_FORCE                                                                           \
    {                                                                                              \
        HOL_OPTION_SWITCH(force), .fallback = "false",                                             \
                                  .help = "accept parameters that are refused otherwise"           \
    }

// what is given, or the default of the table where it is a number
double hol_option_number(const HolField *options, const char *key, double given);

extern const HolWord hol_metric_words[], hol_control_words[], hol_predictor_words[];
extern const HolWord hol_order_words[]; // auto

#endif
