// SPDX-License-Identifier: Apache-2.0
// `holonom generate NAME N`: print the model file of a mechanism with N repeated parts.
#include "commands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// a positive number in an option, 0 when it is not given; CLI_USAGE after a message
static int read_positive(const CliArgs *args, const char *option, double *out) {
    const char *text = cli_value(args, option);
    *out = 0;
    if (!text)
        return CLI_OK;
    char *rest;
    *out = strtod(text, &rest);
    if (*text && !*rest && isfinite(*out) && *out > 0)
        return CLI_OK;
    fprintf(stderr, "holonom generate: %s needs a positive number, not '%s'\n", option, text);
    return CLI_USAGE;
}

static int read_count(const char *text, int *out) {
    char *rest;
    long n = strtol(text, &rest, 10);
    *out = (int)n;
    if (*text && !*rest && n >= 1 && n <= 1000000)
        return CLI_OK;
    fprintf(stderr, "holonom generate: N must be a whole number from 1 to 1000000, not '%s'\n",
            text);
    return CLI_USAGE;
}

static int read_joint_option(const CliArgs *args, int *spherical) {
    const char *joint = cli_value(args, "--joint");
    *spherical = joint && strcmp(joint, "spherical") == 0;
    if (!joint || *spherical || strcmp(joint, "revolute") == 0)
        return CLI_OK;
    fprintf(stderr, "holonom generate: --joint is revolute or spherical, not '%s'\n", joint);
    return CLI_USAGE;
}

static int cmd_generate_run(const CliArgs *args) {
    HolGenerate g = hol_generate_options();
    g.mechanism = args->words[0];
    HolError err;
    if (read_count(args->words[1], &g.n) || read_positive(args, "--length", &g.length) ||
        read_positive(args, "--mass", &g.mass) || read_positive(args, "--end", &g.end) ||
        read_joint_option(args, &g.ball_joints))
        return CLI_USAGE;
    HolStatus status = hol_generate(&g, cli_put, stdout, &err);
    if (status)
        cli_report(&err);
    return cli_exit_code(status);
}

static const CliOption options[] = {
    {"--length", NULL, "L", "1", "length of a part [m]"},
    {"--mass", NULL, "M", "1", "mass of a part [kg]"},
    {"--joint", NULL, "TYPE", "revolute", "chain3d: revolute or spherical"},
    {"--end", NULL, "T", NULL, "end time in the simulation section [s]"},
    {0},
};

const CliCommand cli_generate = {
    .name = "generate",
    .arguments = "NAME N",
    .words_are_names = 1,
    .n_arguments = 2,
    .help = "print the model of a mechanism with N parts: four-bar, chain, chain3d, stiff-row",
    .options = options,
    .run = cmd_generate_run,
};
