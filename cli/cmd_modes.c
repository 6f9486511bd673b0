// SPDX-License-Identifier: Apache-2.0
// `holonom modes`: the motion next to a state, linearized on the constraints: frequencies, damping,
// shapes, who moves.
#include "commands.h"

#include <holonom/json.h>

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void cmd_modes_shape_json(HolJson *j, const HolModes *m, const HolMode *mode) {
    hol_json_begin(j, "bodies", '{', HOL_JSON_ROW);
    for (int b = 0; b < m->n_bodies; b++)
        if (mode->share[b] > 1e-12)
            hol_json_number(j, m->bodies[b], mode->share[b]);
    hol_json_end(j);
    hol_json_begin(j, "shape", '{', HOL_JSON_ROW);
    for (int i = 0; i < m->n_coordinates;) {
        const int body = m->body_of[i];
        int moves = 0;
        for (int k = i; k < m->n_coordinates && m->body_of[k] == body; k++)
            moves |= mode->shape[2 * k] != 0 || mode->shape[2 * k + 1] != 0;
        if (moves)
            hol_json_begin(j, m->bodies[body], '{', HOL_JSON_ROW);
        for (; i < m->n_coordinates && m->body_of[i] == body; i++) {
            const char *key = m->coordinates[i] + strlen(m->bodies[body]);
            if (moves)
                hol_json_numbers(j, *key == '.' ? key + 1 : "value", mode->shape + 2 * i, 2);
        }
        if (moves)
            hol_json_end(j);
    }
    hol_json_end(j);
}

static void cmd_modes_json(const HolModel *model, const HolModes *m) {
    HolJson j = {.put = cli_put, .to = stdout, .full = 1};
    hol_json_begin(&j, NULL, '{', HOL_JSON_LINES);
    hol_json_text(&j, "model", hol_model_name(model));
    hol_json_number(&j, "time", m->time);
    hol_json_integer(&j, "dof", m->dof);
    hol_json_integer(&j, "positions", m->positions);
    hol_json_text(&j, "axes", m->axes);
    hol_json_number(&j, "constancy", m->constancy);
    hol_json_bool(&j, "steady", m->steady);
    hol_json_number(&j, "omega_max", m->omega_max);
    hol_json_begin(&j, "modes", '[', HOL_JSON_LINES);
    for (int k = 0; k < m->n_modes; k++) {
        const HolMode *mode = m->modes[k];
        hol_json_begin(&j, NULL, '{', HOL_JSON_LINES);
        hol_json_number(&j, "real", mode->real);
        hol_json_number(&j, "imag", mode->imag);
        hol_json_number(&j, "frequency_hz", mode->frequency_hz);
        hol_json_number(&j, "damping", mode->damping);
        hol_json_text(&j, "text", mode->text);
        cmd_modes_shape_json(&j, m, mode);
        hol_json_end(&j);
    }
    hol_json_end(&j);
    hol_json_begin(&j, "free", '[', HOL_JSON_LINES);
    for (int k = 0; k < m->n_free; k++) {
        hol_json_begin(&j, NULL, '{', HOL_JSON_LINES);
        hol_json_text(&j, "text", m->free_motions[k]->text);
        cmd_modes_shape_json(&j, m, m->free_motions[k]);
        hol_json_end(&j);
    }
    hol_json_end(&j);
    hol_json_begin(&j, "remarks", '[', HOL_JSON_LINES);
    hol_json_lines(&j, m->note);
    hol_json_end(&j);
    hol_json_end(&j);
    putchar('\n');
}

static void cmd_modes_print(const HolModel *model, const HolModes *m, int count) {
    printf("%s at time %.6g: %d degree%s of freedom", hol_model_name(model), m->time, m->dof,
           m->dof == 1 ? "" : "s");
    if (m->positions != m->dof)
        printf(" (%d of position)", m->positions);
    if (m->moving)
        printf(", moving, seen in %s axes", m->axes);
    putchar('\n');
    if (m->n_modes)
        printf("\n  %4s  %14s  %12s  %26s  %s\n", "mode", "frequency [Hz]", "damping",
               "eigenvalue [1/s]", "who moves");
    for (int k = 0; k < m->n_modes; k++) {
        const HolMode *o = m->modes[k];
        char value[64];
        if (o->imag > 0)
            snprintf(value, sizeof value, "%.6g +- %.8g i", o->real, o->imag);
        else
            snprintf(value, sizeof value, "%.8g", o->real);
        printf("  %4d  %14.8g  %12.5g  %26s  %s\n", k + 1, o->frequency_hz, o->damping, value,
               o->text);
    }
    if (m->n_all > m->n_modes)
        printf("  %d more; --count N lists more, the fastest is %.8g rad/s\n",
               m->n_all - m->n_modes, m->omega_max);
    else if (m->n_all < 0 && m->fastest)
        printf("  the fastest of all: %.8g rad/s, %s\n", m->omega_max, m->fastest->text);
    for (int k = 0; k < m->n_free && k < count; k++)
        printf("%sfree motion: %s\n", k ? "" : "\n", m->free_motions[k]->text);
    if (m->n_free > count)
        printf("%d more free motions\n", m->n_free - count);
    if (m->note[0])
        printf("\n%s\n", m->note);
}

// a number given to an option: 0 and a message when it is none
static int cmd_modes_number(const char *option, const char *text, double least, double *out) {
    char *end;
    errno = 0;
    *out = strtod(text, &end);
    if (end != text && !*end && isfinite(*out) && *out >= least)
        return 1;
    fprintf(stderr, "holonom modes: %s wants a number of %g or more; this is '%s'\n", option, least,
            text);
    return 0;
}

static int cmd_modes_count(const char *text, int *out) {
    double number;
    if (!cmd_modes_number("--count", text, 1, &number))
        return 0;
    if (number != floor(number)) {
        fprintf(stderr, "holonom modes: --count wants a whole number; this is '%s'\n", text);
        return 0;
    }
    *out = number > 1e6 ? 1000000 : (int)number;
    return 1;
}

// nothing is kept half done: files get their names when they are complete
static void cmd_modes_interrupted(int number) {
    (void)number;
    _exit(130);
}

// the run goes where it comes to rest
static HolStatus cmd_modes_rest(HolSim *sim, HolError *err) {
    HolEquilibria *list = NULL;
    HolEquilibriumOptions options = hol_equilibrium_options();
    options.starts = 0;
    const HolStatus status = hol_equilibrium_find(sim, &options, &list, err);
    hol_equilibria_destroy(list);
    return status;
}

static HolStatus cmd_modes_state(const CliArgs *args, HolSim *sim, double at, HolError *err) {
    HolStatus status = hol_sim_assemble(sim, err);
    if (status == HOL_OK && cli_value(args, "--equilibrium"))
        return cmd_modes_rest(sim, err);
    if (status == HOL_OK && cli_value(args, "--at"))
        status = hol_sim_advance(sim, at, err);
    return status;
}

static HolStatus cmd_modes_write(const CliArgs *args, HolSim *sim, const HolModel *model,
                                 const HolSimOptions *options, const HolModes *m, HolError *err) {
    const char *file = cli_value(args, "--output"), *dir = cli_value(args, "--matrices");
    const char *page = cli_value(args, "--report");
    HolStatus status = file ? hol_modes_write_csv(m, file, err) : HOL_OK;
    const int written = file && status == HOL_OK;
    if (status == HOL_OK && page)
        status = hol_modes_write_report(sim, model, options, m, page, err);
    if (status == HOL_OK && dir) {
        mkdir(dir, 0777); // an existing one serves; a failure shows when files are written
        status = hol_modes_write_matrices(m, dir, err);
    }
    if (status != HOL_OK && written)
        fprintf(stderr, "holonom: results are in %s\n", file);
    return status;
}

static int cmd_modes_run(const CliArgs *args) {
    HolModel *model = NULL;
    HolSim *sim = NULL;
    HolModes *modes = NULL;
    HolSimOptions options = {0};
    HolError err = {0};
    HolModesOptions how = hol_modes_options();
    const char *at = cli_value(args, "--at"), *count = cli_value(args, "--count");
    double time = 0;
    if ((at && !cmd_modes_number("--at", at, 0, &time)) ||
        (count && !cmd_modes_count(count, &how.count)))
        return CLI_USAGE;
    if (at && cli_value(args, "--equilibrium")) {
        fprintf(stderr, "holonom modes: --at and --equilibrium contradict each other\n");
        return CLI_USAGE;
    }
    if (signal(SIGINT, cmd_modes_interrupted) == SIG_IGN) // (what is ignored stays so)
        signal(SIGINT, SIG_IGN);
    HolStatus status = cli_load(args, &model, &options, &err);
    if (!status)
        status = cli_files_apart(args, model, &err);
    if (!status)
        status = hol_sim_create(model, &options, &sim, &err);
    if (!status)
        status = cmd_modes_state(args, sim, time, &err);
    if (!status)
        status = hol_sim_modes(sim, &how, &modes, &err);
    if (!status && cli_value(args, "--json"))
        cmd_modes_json(model, modes);
    else if (!status)
        cmd_modes_print(model, modes, how.count);
    if (!status)
        status = cmd_modes_write(args, sim, model, &options, modes, &err);
    if (status)
        cli_report(&err);
    hol_modes_destroy(modes);
    hol_sim_destroy(sim);
    hol_model_destroy(model);
    return cli_exit_code(status);
}

static const CliOption cmd_modes_options[] = {
    {"--at", NULL, "T", NULL, "run to this time first (else: the start)"},
    {"--equilibrium", NULL, NULL, NULL, "at the equilibrium that the start falls to"},
    {"--count", NULL, "N", "20", "the lowest N modes"},
    {"--set", NULL, "KEY=VALUE", NULL, "change a parameter or an option, such as L=2"},
    {"--cache", NULL, "DIR", NULL, "keep what is computed of modal bodies in this folder"},
    {"--json", NULL, NULL, NULL, "print one object on standard output"},
    {"--output", "-o", "FILE.csv", NULL, "a row a mode: eigenvalue, shares, shape"},
    {"--report", NULL, "FILE.html", NULL, "a page on which the modes move"},
    {"--matrices", NULL, "DIR", NULL, "reduced matrices, Matrix Market: M C K N, names.txt"},
    {0},
};

const CliCommand cli_modes = {
    .name = "modes",
    .arguments = "MODEL",
    .n_arguments = 1,
    .help = "frequencies, damping and shapes next to a state",
    .more = "The equations are linearized on the constraints at the start or at a time of the "
            "motion; drives\n"
            "stand still at that time. Zero eigenvalues are listed as free motions.",
    .options = cmd_modes_options,
    .run = cmd_modes_run,
};
