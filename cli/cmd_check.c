// SPDX-License-Identifier: Apache-2.0
// `holonom check`: is the model valid, how many degrees of freedom has it, which constraints are
// redundant and what cures that, what had assembly to move, and which data is suspicious.
#include "commands.h"
#include "run/run_summary.h"

#include <holonom/doctor.h>
#include <holonom/json.h>

#include <stdlib.h>
#include <string.h>

// ---- text ----

enum { SHOWN = 20 }; // loops, sets, motions in the text; --json has all

static void check_print_warnings(const HolDiagnosis *d) {
    for (int i = 0; d && i < d->n_warnings; i++)
        printf("  remark              %s\n", d->warnings[i]->text);
}

static void check_print_changes(const HolDoctorLoop *l) {
    for (int i = 0; i < l->n_changes; i++) {
        const HolDoctorChange *c = l->changes[i];
        if (strcmp(c->to, "none") == 0)
            printf("      %s leave %s (%s) out", i ? "and " : "cure", c->joint, c->from);
        else
            printf("      %s make %s %s in place of %s", i ? "and " : "cure", c->joint, c->to,
                   c->from);
        if (c->has_axis)
            printf(", axis (%.6g, %.6g, %.6g)", c->axis[0], c->axis[1], c->axis[2]);
        printf("%s\n", c->verified ? ": verified" : ": not verified");
    }
}

static void check_print_loop(const HolDoctorLoop *l) {
    printf("    %s", l->across ? "joints" : "loop");
    for (int i = 0; i < l->n_joints && i < SHOWN; i++)
        printf("%s %s", i ? "," : "", l->joints[i]);
    printf("%s: %d redundant\n", l->n_joints > SHOWN ? " .." : "", l->n_sets);
    for (int i = 0; i < l->n_sets && i < SHOWN; i++)
        printf("      %s\n", l->sets[i]->text);
    if (l->n_sets > SHOWN)
        printf("      and %d more\n", l->n_sets - SHOWN);
    if (l->n_sets && l->sets[0]->n_unique) {
        printf("      reactions are unique at");
        for (int i = 0; i < l->sets[0]->n_unique && i < SHOWN; i++)
            printf("%s %s", i ? "," : "", l->sets[0]->unique[i]);
        printf("\n");
    }
    if (l->lock)
        printf("      %s\n      cure put its axis along (%.6g, %.6g, %.6g): verified, it moves\n",
               l->lock->text, l->lock->axis[0], l->lock->axis[1], l->lock->axis[2]);
    check_print_changes(l);
}

static void check_print_loops(const HolDiagnosis *d) {
    int shown = 0, left = 0, closed = 0;
    for (int i = 0; i < d->n_loops; i++)
        closed += !d->loops[i]->across && d->loops[i]->n_joints > 1;
    printf("  loops               %d", closed);
    if (closed)
        printf(", singular distance %.3g", d->singular_distance);
    printf("\n");
    for (int i = 0; i < d->n_loops; i++) {
        if (!d->loops[i]->n_sets && !d->loops[i]->lock)
            continue;
        if (shown++ < SHOWN)
            check_print_loop(d->loops[i]);
        else
            left++;
    }
    if (left)
        printf("    and %d more with redundant rows\n", left);
}

static void check_print_motions(const HolDiagnosis *d) {
    for (int i = 0; i < d->n_motions && i < SHOWN; i++)
        printf("  %-19s %s\n", i ? "" : "free motions", d->motions[i]);
    if (d->n_motions > SHOWN)
        printf("  %-19s and %d more\n", "", d->check->dof - SHOWN);
}

static void cmd_check_print_text(const HolModel *m, const HolDiagnosis *d) {
    const HolCheck *c = d->check;
    printf("%s (%s)\n", hol_model_name(m), hol_model_space(m) == HOL_PLANAR ? "planar" : "spatial");
    printf("  bodies              %d\n", c->bodies);
    printf("  joints              %d\n", c->joints);
    printf("  coordinates         %d positions, %d velocities\n", c->coordinates, c->velocities);
    printf("  constraints         %d, rank %d\n", c->constraints, c->rank);
    printf("  degrees of freedom  %d\n", c->dof);
    check_print_motions(d);
    if (hol_model_first_mode(m))
        printf("  counted as open     friction that sticks, rigid stops and contacts ('%s' ..)\n",
               hol_model_first_mode(m));
    printf("  redundant           %d\n", c->redundant);
    check_print_loops(d);
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
    check_print_warnings(d);
}

// ---- JSON ----

static void check_json_warnings(HolJson *j, const HolDiagnosis *d) {
    hol_json_begin(j, "warnings", '[', HOL_JSON_LINES);
    for (int i = 0; d && i < d->n_warnings; i++) {
        const HolRemark *r = d->warnings[i];
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

static void check_json_names(HolJson *j, const char *key, const char *const *names, int n) {
    hol_json_begin(j, key, '[', HOL_JSON_ROW);
    for (int i = 0; i < n; i++)
        hol_json_text(j, NULL, names[i]);
    hol_json_end(j);
}

static void check_json_sets(HolJson *j, const HolDoctorLoop *l) {
    hol_json_begin(j, "redundant", '[', HOL_JSON_LINES);
    for (int i = 0; i < l->n_sets; i++) {
        const HolDoctorSet *s = l->sets[i];
        hol_json_begin(j, NULL, '{', HOL_JSON_LINES);
        hol_json_begin(j, "rows", '[', HOL_JSON_LINES);
        for (int k = 0; k < s->n_rows; k++) {
            hol_json_begin(j, NULL, '{', HOL_JSON_ROW);
            hol_json_text(j, "joint", s->rows[k].joint);
            hol_json_text(j, "row", s->rows[k].row);
            hol_json_end(j);
        }
        hol_json_end(j);
        hol_json_bool(j, "always", s->always);
        check_json_names(j, "unique_reactions", s->unique, s->n_unique);
        hol_json_text(j, "text", s->text);
        hol_json_end(j);
    }
    hol_json_end(j);
}

static void check_json_suggestions(HolJson *j, const HolDoctorLoop *l) {
    hol_json_begin(j, "suggestions", '[', HOL_JSON_LINES);
    for (int i = 0; i < l->n_changes; i++) {
        const HolDoctorChange *c = l->changes[i];
        hol_json_begin(j, NULL, '{', HOL_JSON_ROW);
        hol_json_text(j, "joint", c->joint);
        hol_json_text(j, "from", c->from);
        hol_json_text(j, "to", c->to);
        if (c->has_axis)
            hol_json_numbers(j, "axis", c->axis, 3);
        hol_json_bool(j, "verified", c->verified);
        hol_json_end(j);
    }
    hol_json_end(j);
}

static void check_json_loops(HolJson *j, const HolDiagnosis *d) {
    hol_json_begin(j, "loops", '[', HOL_JSON_LINES);
    for (int i = 0; i < d->n_loops; i++) {
        const HolDoctorLoop *l = d->loops[i];
        hol_json_begin(j, NULL, '{', HOL_JSON_LINES);
        check_json_names(j, "joints", l->joints, l->n_joints);
        check_json_sets(j, l);
        check_json_suggestions(j, l);
        if (l->lock) {
            hol_json_begin(j, "locked", '{', HOL_JSON_LINES);
            hol_json_text(j, "joint", l->lock->joint);
            hol_json_number(j, "degrees", l->lock->degrees);
            hol_json_number(j, "offset", l->lock->offset);
            hol_json_numbers(j, "axis", l->lock->axis, 3);
            hol_json_numbers(j, "at", l->lock->at, 3);
            hol_json_text(j, "text", l->lock->text);
            hol_json_bool(j, "verified", l->lock->verified);
            hol_json_end(j);
        }
        hol_json_number(j, "singular_distance", l->singular_distance);
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

static void cmd_check_print_json(const char *path, const HolModel *m, const HolDiagnosis *d,
                                 HolStatus status, const HolError *err) {
    const HolCheck *c = d ? d->check : NULL;
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
        check_json_loops(&j, d);
        check_json_names(&j, "motions", d->motions, d->n_motions);
        hol_json_number(&j, "singular_distance", d->singular_distance);
    }
    if (d)
        check_json_warnings(&j, d);
    hol_json_text(&j, "status",
                  !status                    ? "ok"
                  : status == HOL_ERR_FILE   ? "file-error"
                  : status == HOL_ERR_MEMORY ? "failed"
                                             : "invalid");
    hol_json_text(&j, "message", status ? err->text : "");
    hol_json_end(&j);
    putchar('\n');
}

static int cmd_check_run(const CliArgs *args) {
    HolModel *model = NULL;
    const HolDiagnosis *found = NULL;
    HolSimOptions options = {0};
    HolError *err = calloc(1, sizeof *err);
    if (!err) {
        fprintf(stderr, "holonom: out of memory\n");
        return CLI_FAILED;
    }
    HolStatus status = cli_load(args, &model, &options, err);
    if (!status)
        status = hol_diagnose(model, &options, &found, err);
    if (cli_value(args, "--json"))
        cmd_check_print_json(args->words[0], model, found, status, err);
    else if (!status)
        cmd_check_print_text(model, found);
    else
        check_print_warnings(found);
    if (status)
        cli_report(err);
    // positions that cannot be assembled are a fault of the model, whatever the numerics call it
    int code = cli_exit_code(status);
    hol_diagnosis_destroy(found);
    hol_model_destroy(model);
    free(err);
    return code == CLI_FAILED && status != HOL_ERR_MEMORY ? CLI_USAGE : code;
}

static const CliOption options_table[] = {
    {"--set", NULL, "KEY=VALUE", NULL, "change a parameter or an option, such as L=2"},
    {"--cache", NULL, "DIR", NULL, "keep what is computed of modal bodies in this folder"},
    {"--json", NULL, NULL, NULL, "print one object on standard output"},
    {0},
};

const CliCommand cli_check = {
    .name = "check",
    .arguments = "MODEL",
    .n_arguments = 1,
    .help = "validate a model: freedom, redundant constraints and cures, suspicious data",
    .more =
        "MODEL is a YAML or JSON file, or - for standard input. For every loop: rows that repeat\n"
        "others, and changes of joints that cure it, each tried on the model. docs/doctor.md says\n"
        "what is looked at.",
    .options = options_table,
    .run = cmd_check_run,
};
