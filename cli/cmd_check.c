// SPDX-License-Identifier: Apache-2.0
// `holonom check`: is the model valid, how many degrees of freedom has it, which constraints are
// redundant, and what had assembly to move.
#include "commands.h"
#include "run/run_summary.h"

#include <holonom/json.h>

#include <stdlib.h>
#include <string.h>

static void print_remarks(const HolModel *m) {
    for (int i = 0; i < hol_model_remark_count(m); i++)
        printf("  remark              %s\n", hol_model_remark(m, i)->text);
}

static void cmd_check_print_text(const HolModel *m, const HolCheck *c) {
    printf("%s (%s)\n", hol_model_name(m), hol_model_space(m) == HOL_PLANAR ? "planar" : "spatial");
    printf("  bodies              %d\n", c->bodies);
    printf("  joints              %d\n", c->joints);
    printf("  coordinates         %d positions, %d velocities\n", c->coordinates, c->velocities);
    printf("  constraints         %d, rank %d\n", c->constraints, c->rank);
    printf("  degrees of freedom  %d\n", c->dof);
    printf("  redundant           %d\n", c->redundant);
    run_summary_redundant(c, stdout, "    ");
    if (c->singular)
        printf("  singular position: the rank here is below the rank nearby\n");
    printf("  initial residuals   position %.3g, velocity %.3g, acceleration %.3g\n",
           c->residual_position, c->residual_velocity, c->residual_acceleration);
    if (c->n_moved > 0 || c->moved_position > 0 || c->moved_velocity > 0) {
        printf("  assembly moved      positions by up to %.3g, velocities by up to %.3g",
               c->moved_position, c->moved_velocity);
        printf("%s%s\n", c->moved_what[0] ? "; most " : "", c->moved_what);
        run_summary_moved(c, stdout, "    ", 64);
    } else {
        printf("  assembly moved      nothing\n");
    }
    print_remarks(m);
}

static void json_remarks(HolJson *j, const HolModel *m) {
    hol_json_begin(j, "warnings", '[', HOL_JSON_LINES);
    for (int i = 0; i < hol_model_remark_count(m); i++) {
        const HolRemark *r = hol_model_remark(m, i);
        hol_json_begin(j, NULL, '{', HOL_JSON_LINES);
        hol_json_text(j, "kind", r->kind);
        hol_json_text(j, "name", r->name);
        hol_json_integer(j, "line", r->line);
        hol_json_integer(j, "column", r->column);
        hol_json_text(j, "text", r->text);
        hol_json_end(j);
    }
    hol_json_end(j);
}

static void json_lists(HolJson *j, const HolCheck *c) {
    hol_json_begin(j, "dependent", '[', HOL_JSON_LINES);
    for (int i = 0; i < c->n_dependent; i++) {
        hol_json_begin(j, NULL, '{', HOL_JSON_LINES);
        hol_json_text(j, "joint", c->dependent[i].joint);
        hol_json_integer(j, "row", c->dependent[i].row);
        hol_json_text(j, "on", c->dependent[i].on);
        hol_json_bool(j, "always", c->dependent[i].always);
        hol_json_end(j);
    }
    hol_json_end(j);
    hol_json_begin(j, "moved", '[', HOL_JSON_LINES);
    for (int i = 0; i < c->n_moved; i++) {
        hol_json_begin(j, NULL, '{', HOL_JSON_LINES);
        hol_json_text(j, "name", c->moved[i].name);
        hol_json_number(j, "from", c->moved[i].from);
        hol_json_number(j, "to", c->moved[i].to);
        hol_json_end(j);
    }
    hol_json_end(j);
}

static void cmd_check_print_json(const char *path, const HolModel *m, const HolCheck *c,
                                 HolStatus status, const HolError *err) {
    HolJson j = {.put = cli_put, .to = stdout, .full = 1};
    hol_json_begin(&j, NULL, '{', HOL_JSON_LINES);
    hol_json_text(&j, "model", m ? hol_model_name(m) : path);
    if (!status) {
        hol_json_text(&j, "space", hol_model_space(m) == HOL_PLANAR ? "planar" : "spatial");
        hol_json_integer(&j, "bodies", c->bodies);
        hol_json_integer(&j, "joints", c->joints);
        hol_json_integer(&j, "coordinates", c->coordinates);
        hol_json_integer(&j, "velocities", c->velocities);
        hol_json_integer(&j, "constraints", c->constraints);
        hol_json_integer(&j, "rank", c->rank);
        hol_json_integer(&j, "redundant", c->redundant);
        hol_json_integer(&j, "dof", c->dof);
        hol_json_bool(&j, "singular", c->singular);
        hol_json_begin(&j, "residual", '{', HOL_JSON_LINES);
        hol_json_number(&j, "position", c->residual_position);
        hol_json_number(&j, "velocity", c->residual_velocity);
        hol_json_number(&j, "acceleration", c->residual_acceleration);
        hol_json_end(&j);
        hol_json_number(&j, "moved_position", c->moved_position);
        hol_json_number(&j, "moved_velocity", c->moved_velocity);
        json_lists(&j, c);
        json_remarks(&j, m);
    }
    hol_json_text(&j, "status", !status ? "ok" : status == HOL_ERR_FILE ? "file-error" : "invalid");
    hol_json_text(&j, "message", status ? err->text : "");
    hol_json_end(&j);
    putchar('\n');
}

static int cmd_check_run(const CliArgs *args) {
    HolModel *model = NULL;
    HolSim *sim = NULL;
    HolSimOptions options = {0};
    HolCheck *check = calloc(1, sizeof *check);
    HolError *err = calloc(1, sizeof *err);
    if (!check || !err) {
        fprintf(stderr, "holonom: out of memory\n");
        free(check);
        free(err);
        return CLI_FAILED;
    }
    HolStatus status = cli_load(args, &model, &options, err);
    if (!status)
        status = hol_sim_create(model, &options, &sim, err);
    if (!status)
        status = hol_sim_check(sim, check, err);
    if (cli_value(args, "--json"))
        cmd_check_print_json(args->words[0], model, check, status, err);
    else if (!status)
        cmd_check_print_text(model, check);
    if (status)
        cli_report(err);
    // positions that cannot be assembled are a fault of the model, whatever the numerics call it
    int code = cli_exit_code(status);
    hol_sim_destroy(sim);
    hol_model_destroy(model);
    free(check);
    free(err);
    return code == CLI_FAILED ? CLI_USAGE : code;
}

static const CliOption options_table[] = {
    {"--set", NULL, "KEY=VALUE", NULL, "change a parameter or an option, such as L=2"},
    {"--json", NULL, NULL, NULL, "print one object on standard output"},
    {0},
};

const CliCommand cli_check = {
    .name = "check",
    .arguments = "MODEL",
    .n_arguments = 1,
    .help = "validate a model: degrees of freedom, redundant constraints, assembly",
    .more = "MODEL is a YAML or JSON file, or - for standard input.",
    .options = options_table,
    .run = cmd_check_run,
};
