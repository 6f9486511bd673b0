// SPDX-License-Identifier: Apache-2.0
// Summary and JSON of a run. The keys of the JSON object are a contract (see the manual page).
#include "run/run_summary.h"

#include "commands.h"

#include <holonom/json.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 128 };

static int run_summary_fixed_step(const HolSimOptions *o) {
    return o->step > 0;
}

void run_summary_redundant(const HolCheck *c, FILE *to, const char *indent) {
    for (int i = 0; i < c->n_dependent && i < 64; i++) {
        const HolDependentRow *d = &c->dependent[i];
        fprintf(to, "%s%s (row %d)%s%s%s\n", indent, d->joint, d->row,
                d->on[0] ? " depends on " : "", d->on, d->always ? "" : "; in this position only");
    }
    if (c->redundant > c->n_dependent)
        fprintf(to, "%sand %d more\n", indent, c->redundant - c->n_dependent);
}

void run_summary_moved(const HolCheck *c, FILE *to, const char *indent, int most) {
    int shown = c->n_moved < most ? c->n_moved : most;
    for (int i = 0; i < shown; i++)
        fprintf(to, "%s%s from %.9g to %.9g\n", indent, c->moved[i].name, c->moved[i].from,
                c->moved[i].to);
    if (c->n_moved > shown)
        fprintf(to, "%sand %d more\n", indent, c->n_moved - shown);
}

static void print_lines(FILE *to, const char *label, const char *text) {
    while (*text) {
        size_t length = strcspn(text, "\n");
        if (length)
            fprintf(to, "%s%.*s\n", label, (int)length, text);
        text += length + (text[length] == '\n');
    }
}

static void print_method(const RunSummary *r, FILE *to) {
    const HolSimOptions *o = &r->options;
    fprintf(to, "  method      %s", r->stats.method[0] ? r->stats.method : o->method.name);
    // only the tangent method has schemes
    if (strcmp(o->method.name, "tangent") == 0 && o->method.scheme[0])
        fprintf(to, " %s", o->method.scheme);
    if (run_summary_fixed_step(o))
        fprintf(to, ", fixed step %g s\n", o->step);
    else
        fprintf(to, ", tolerance %g\n", o->tolerance);
    if (r->stats.choice[0])
        fprintf(to, "  auto        %s\n", r->stats.choice);
}

static void print_assembly(const RunSummary *r, FILE *to) {
    const HolCheck *c = &r->check;
    if (!r->checked)
        return;
    if (c->moved_position > 1e-12 || c->moved_velocity > 1e-12) {
        fprintf(to, "  assembly    moved positions by up to %.3g, velocities by up to %.3g",
                c->moved_position, c->moved_velocity);
        fprintf(to, "%s%s\n", c->moved_what[0] ? "; most " : "", c->moved_what);
        run_summary_moved(c, to, "              ", 6);
    }
    if (c->redundant > 0) {
        fprintf(to, "  redundant   %d of %d constraint rows\n", c->redundant, c->constraints);
        run_summary_redundant(c, to, "              ");
    }
}

// What drives, dampers and applied forces did: the statistics' work is that of all forces without an
// energy, with what friction and impacts took. (0 where nothing but round-off is left)
static double applied_work(const HolStats *s) {
    const double taken = s->friction_heat + s->impact_loss, work = s->work + taken;
    return fabs(work) > 1e-12 * taken ? work : 0;
}

// how many results have how many digits
static void run_summary_digits(const HolCertificate *z, FILE *to) {
    int least = 99, most = 0, not_unique = 0;
    for (int i = 0; i < z->n_columns; i++) {
        const HolCertifiedColumn *c = z->columns[i];
        if (!c->asked)
            continue;
        not_unique += c->claim == HOL_CLAIM_NOT_UNIQUE;
        if (c->claim != HOL_CLAIM_BOUND)
            continue;
        least = c->digits < least ? c->digits : least;
        most = c->digits > most ? c->digits : most;
    }
    if (least <= most)
        fprintf(to, "  digits      %d to %d that may be printed, by column (--json lists them)\n",
                least, most);
    if (not_unique)
        fprintf(to,
                "              %d reaction column%s not unique: the constraints are redundant\n",
                not_unique, not_unique == 1 ? " is" : "s are");
}

static void print_certificate(const HolCertificate *z, FILE *to) {
    if (!z)
        return;
    fprintf(to, "  certified   %s\n", z->text);
    fprintf(to, "              by %s", z->second->method.name);
    if (run_summary_fixed_step(z->second))
        fprintf(to, " with steps of %g s", z->second->step);
    else
        fprintf(to, " at tolerance %g", z->second->tolerance);
    fprintf(to, " beside it, %d runs, %.3g s cpu in all\n", z->runs, z->cpu_seconds);
    run_summary_digits(z, to);
}

void run_summary_warnings(const RunSummary *r, FILE *to) {
    print_lines(to, "holonom: warning: ", r->stats.warnings);
    if (r->certificate)
        print_lines(to, "holonom: warning: ", r->certificate->warnings);
}

void run_summary_print(const RunSummary *r, FILE *to) {
    const HolStats *s = &r->stats;
    fprintf(to, "%s", hol_model_name(r->model));
    if (r->checked)
        fprintf(to, ": %d %s, %d joint%s, %d degree%s of freedom", r->check.bodies,
                r->check.bodies == 1 ? "body" : "bodies", r->check.joints,
                r->check.joints == 1 ? "" : "s", r->check.dof, r->check.dof == 1 ? "" : "s");
    fprintf(to, "\n");
    print_method(r, to);
    fprintf(to, "  time        %g to %g s%s\n", r->options.start, r->t_reached,
            r->status == HOL_OK || r->status == HOL_INACCURATE ? ""
            : r->status == HOL_EVENT                           ? " (ended by an event)"
                                                               : " (stopped early)");
    fprintf(to, "  steps       %ld accepted, %ld rejected", s->steps, s->rejected);
    if (s->steps > 0)
        fprintf(to, ", of %.3g to %.3g s", s->h_min, s->h_max);
    fprintf(to, "\n  effort      %ld Newton iterations, %ld Jacobians, %ld factorizations\n",
            s->newton_iterations, s->jacobians, s->factorizations);
    fprintf(to, "  cpu         %.3g s (wall %.3g s)\n", s->cpu_seconds, s->wall_seconds);
    fprintf(to, "  energy      %.9g J at the start, %.9g J at the end\n", s->energy_initial,
            s->energy_final);
    const double work = applied_work(s);
    if (work != 0)
        fprintf(to, "              %.9g J of it is work of drives, dampers and applied forces\n",
                work);
    run_events_print(&r->events, &r->stats, to);
    fprintf(to, "              drift that no force explains: at most %.3g J\n",
            s->energy_max_drift);
    run_events_print_impulses(&r->events, to);
    fprintf(to, "  residuals   position %.2g, velocity %.2g, acceleration %.2g (largest)\n",
            s->residual_position, s->residual_velocity, s->residual_acceleration);
    print_assembly(r, to);
    print_certificate(r->certificate, to);
    print_lines(to, "  note        ", s->note);
    if (r->file && r->status != HOL_ERR_FILE)
        fprintf(to, "  results     %s: %ld rows of %d columns\n",
                strcmp(r->file, "-") == 0 ? "standard output" : r->file, r->rows,
                hol_model_column_count(r->model));
    if (r->report && r->status != HOL_ERR_FILE)
        fprintf(to, "  report      %s\n",
                strcmp(r->report, "-") == 0 ? "standard output" : r->report);
}

// ---- JSON ----

typedef struct Value {
    char body[NAME], quantity[NAME];
    double value;
} Value;

// all "BODY.quantity" values at the present state; a name without a dot is a scalar coordinate
static Value *final_values(HolSim *sim, int *count) {
    int n = 0;
    char name[NAME];
    double value;
    while (hol_sim_final(sim, n, name, sizeof name, &value))
        n++;
    Value *list = calloc((size_t)n + 1, sizeof *list);
    *count = list ? n : 0;
    for (int i = 0; i < *count; i++) {
        hol_sim_final(sim, i, name, sizeof name, &list[i].value);
        char *dot = strrchr(name, '.');
        snprintf(list[i].quantity, NAME, "%s", dot ? dot + 1 : "value");
        if (dot)
            *dot = 0;
        snprintf(list[i].body, NAME, "%s", name);
    }
    return list;
}

// (the values of a body stand one after the other)
void run_summary_final(HolJson *j, HolSim *sim) {
    int n = 0;
    Value *list = sim ? final_values(sim, &n) : NULL;
    hol_json_begin(j, "final", '{', HOL_JSON_LINES);
    for (int i = 0; i < n; i++) {
        if (i == 0 || strcmp(list[i].body, list[i - 1].body) != 0)
            hol_json_begin(j, list[i].body, '{', HOL_JSON_LINES);
        hol_json_number(j, list[i].quantity, list[i].value);
        if (i + 1 == n || strcmp(list[i].body, list[i + 1].body) != 0)
            hol_json_end(j);
    }
    hol_json_end(j);
    free(list);
}

const char *run_summary_status(HolStatus status) {
    switch (cli_exit_code(status)) {
    case CLI_OK:
        return "ok";
    case CLI_USAGE:
        return "invalid";
    case CLI_FILE:
        return "file-error";
    case CLI_INACCURATE:
        return "inaccurate";
    case CLI_INTERRUPTED:
        return "interrupted";
    default:
        return "failed";
    }
}

static void json_counts(HolJson *j, const HolStats *s) {
    hol_json_integer(j, "steps", s->steps);
    hol_json_integer(j, "rejected", s->rejected);
    hol_json_integer(j, "newton_iterations", s->newton_iterations);
    hol_json_integer(j, "jacobians", s->jacobians);
    hol_json_integer(j, "factorizations", s->factorizations);
    hol_json_integer(j, "force_evaluations", s->force_evaluations);
    hol_json_integer(j, "error_test_failures", s->error_test_failures);
    hol_json_integer(j, "convergence_failures", s->convergence_failures);
    hol_json_number(j, "contraction", s->contraction);
    hol_json_number(j, "contraction_most", s->contraction_most);
    hol_json_number(j, "cpu_seconds", s->cpu_seconds);
    hol_json_number(j, "wall_seconds", s->wall_seconds);
}

static const char *run_summary_message(const RunSummary *r) {
    if (r->status == HOL_INACCURATE)
        return hol_status_text(r->status);
    return r->status ? r->err.text : "";
}

static void json_outputs(HolJson *j, const Extremes *extremes) {
    hol_json_begin(j, "outputs", '{', HOL_JSON_LINES);
    for (int i = 1; extremes->rows > 0 && i < extremes->n; i++) {
        const ColumnExtremes *c = &extremes->columns[i];
        hol_json_begin(j, c->name, '{', HOL_JSON_LINES);
        hol_json_number(j, "final", c->final);
        hol_json_number(j, "min", c->min);
        hol_json_number(j, "max", c->max);
        hol_json_number(j, "at_min", c->at_min);
        hol_json_number(j, "at_max", c->at_max);
        hol_json_number(j, "rms", extremes_rms(extremes, i));
        hol_json_end(j);
    }
    hol_json_end(j);
}

static void json_warnings(HolJson *j, const RunSummary *r) {
    hol_json_begin(j, "warnings", '[', HOL_JSON_LINES);
    hol_json_lines(j, r->limit.warning);
    if (r->events.lost)
        hol_json_lines(j, r->events.lost);
    hol_json_lines(j, r->stats.warnings);
    if (r->certificate)
        hol_json_lines(j, r->certificate->warnings);
    hol_json_end(j);
}

void run_summary_json(const RunSummary *r, FILE *to) {
    const HolStats *s = &r->stats;
    const HolSimOptions *o = &r->options;
    HolJson j = {.put = cli_put, .to = to, .full = 1};
    int loaded = r->model != NULL;
    hol_json_begin(&j, NULL, '{', HOL_JSON_LINES);
    hol_json_text(&j, "model", loaded ? hol_model_name(r->model) : r->path);
    hol_json_text(&j, "method",
                  r->stats.method[0] ? r->stats.method
                  : loaded           ? o->method.name
                                     : NULL);
    if (s->choice[0])
        hol_json_text(&j, "auto", s->choice);
    hol_json_number(&j, "step", loaded && run_summary_fixed_step(o) ? o->step : NAN);
    hol_json_number(&j, "tolerance", loaded && !run_summary_fixed_step(o) ? o->tolerance : NAN);
    hol_json_number(&j, "t_end", loaded ? o->end : NAN);
    hol_json_number(&j, "t_reached", r->sim ? r->t_reached : NAN);
    json_counts(&j, s);
    hol_json_begin(&j, "energy", '{', HOL_JSON_LINES);
    hol_json_number(&j, "initial", s->energy_initial);
    hol_json_number(&j, "final", s->energy_final);
    hol_json_number(&j, "max_drift", s->energy_max_drift);
    hol_json_end(&j);
    hol_json_number(&j, "work", applied_work(s));
    hol_json_number(&j, "friction", s->friction_heat);
    hol_json_number(&j, "impact", s->impact_loss);
    hol_json_begin(&j, "constraint", '{', HOL_JSON_LINES);
    hol_json_number(&j, "position", s->residual_position);
    hol_json_number(&j, "velocity", s->residual_velocity);
    hol_json_number(&j, "acceleration", s->residual_acceleration);
    hol_json_end(&j);
    run_events_json(&r->events, &j);
    run_summary_final(&j, r->sim);
    json_outputs(&j, &r->extremes);
    if (r->certificate) {
        hol_json_name(&j, "certificate");
        hol_certificate_json(r->certificate, to);
    }
    json_warnings(&j, r);
    hol_json_text(&j, "notes", s->note);
    hol_json_text(&j, "status", run_summary_status(r->status));
    hol_json_text(&j, "message", run_summary_message(r));
    hol_json_end(&j);
    fputc('\n', to);
}
