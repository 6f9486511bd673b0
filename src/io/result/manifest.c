// SPDX-License-Identifier: Apache-2.0
// Writing a manifest, and the tables of members that writer and reader share.
#include "io/result/manifest.h"
#include "base/json.h"
#include "base/sha256.h"
#include "io/result/column_unit.h"
#include "model/model.h"

#include <string.h>
#include <time.h>

#define TEXT(type, key, member)                                                                    \
    { key, HOL_MEMBER_TEXT, offsetof(type, member), sizeof(((type *)0)->member) }
#define NUMBER(type, key, member)                                                                  \
    { key, HOL_MEMBER_DOUBLE, offsetof(type, member), 0 }
#define INTEGER(type, key, member)                                                                 \
    { key, HOL_MEMBER_INT, offsetof(type, member), 0 }
#define LONG(type, key, member)                                                                    \
    { key, HOL_MEMBER_LONG, offsetof(type, member), 0 }

const HolMember hol_option_members[] = {
    TEXT(HolSimOptions, "method", method.name),
    TEXT(HolSimOptions, "method.scheme", method.scheme),
    TEXT(HolSimOptions, "method.metric", method.metric),
    TEXT(HolSimOptions, "method.iteration", method.iteration),
    TEXT(HolSimOptions, "method.formulation", method.formulation),
    TEXT(HolSimOptions, "method.projection", method.projection),
    TEXT(HolSimOptions, "method.start", method.start),
    TEXT(HolSimOptions, "method.set", method.set),
    TEXT(HolSimOptions, "method.control", method.control),
    NUMBER(HolSimOptions, "method.alpha", method.alpha),
    NUMBER(HolSimOptions, "method.beta", method.beta),
    NUMBER(HolSimOptions, "method.gamma", method.gamma),
    NUMBER(HolSimOptions, "method.zeta", method.zeta),
    NUMBER(HolSimOptions, "method.rho", method.rho),
    NUMBER(HolSimOptions, "method.beta_out", method.beta_out),
    INTEGER(HolSimOptions, "method.order", method.order),
    INTEGER(HolSimOptions, "method.force", method.force),
    INTEGER(HolSimOptions, "method.newton_iterations", method.newton_iterations),
    INTEGER(HolSimOptions, "method.predictor", method.predictor),
    NUMBER(HolSimOptions, "start", start),
    NUMBER(HolSimOptions, "end", end),
    NUMBER(HolSimOptions, "step", step),
    NUMBER(HolSimOptions, "tolerance", tolerance),
    NUMBER(HolSimOptions, "error.relative", error.relative),
    NUMBER(HolSimOptions, "error.absolute", error.absolute),
    INTEGER(HolSimOptions, "error.velocities", error.velocities),
    NUMBER(HolSimOptions, "accuracy", accuracy),
    NUMBER(HolSimOptions, "output_step", output_step),
    NUMBER(HolSimOptions, "initial_step", initial_step),
    NUMBER(HolSimOptions, "max_step", max_step),
    NUMBER(HolSimOptions, "min_step", min_step),
    LONG(HolSimOptions, "max_steps", max_steps),
    TEXT(HolSimOptions, "linear_solver", linear_solver),
    INTEGER(HolSimOptions, "threads", threads),
    {0},
};

const HolMember hol_stats_members[] = {
    LONG(HolStats, "steps", steps),
    LONG(HolStats, "rejected", rejected),
    LONG(HolStats, "newton_iterations", newton_iterations),
    LONG(HolStats, "jacobians", jacobians),
    LONG(HolStats, "factorizations", factorizations),
    LONG(HolStats, "force_evaluations", force_evaluations),
    LONG(HolStats, "error_test_failures", error_test_failures),
    LONG(HolStats, "convergence_failures", convergence_failures),
    NUMBER(HolStats, "cpu_seconds", cpu_seconds),
    NUMBER(HolStats, "wall_seconds", wall_seconds),
    NUMBER(HolStats, "energy_initial", energy_initial),
    NUMBER(HolStats, "energy_final", energy_final),
    NUMBER(HolStats, "energy_max_drift", energy_max_drift),
    NUMBER(HolStats, "work", work),
    NUMBER(HolStats, "residual_position", residual_position),
    NUMBER(HolStats, "residual_velocity", residual_velocity),
    NUMBER(HolStats, "residual_acceleration", residual_acceleration),
    NUMBER(HolStats, "h_min", h_min),
    NUMBER(HolStats, "h_max", h_max),
    TEXT(HolStats, "note", note),
    TEXT(HolStats, "warnings", warnings),
    {0},
};

const HolMember hol_check_members[] = {
    INTEGER(HolCheck, "bodies", bodies),
    INTEGER(HolCheck, "joints", joints),
    INTEGER(HolCheck, "coordinates", coordinates),
    INTEGER(HolCheck, "velocities", velocities),
    INTEGER(HolCheck, "constraints", constraints),
    INTEGER(HolCheck, "rank", rank),
    INTEGER(HolCheck, "redundant", redundant),
    INTEGER(HolCheck, "dof", dof),
    {0},
};

static void manifest_put_text(FILE *f, const char *lead, const char *text) {
    fputs(lead, f);
    hol_json_text(f, text);
}

// the members of an object, one a line
static void put_members(FILE *f, const HolMember *list, const void *object) {
    for (const HolMember *m = list; m->key; m++) {
        const char *at = (const char *)object + m->offset;
        int number;
        long count;
        double value;
        fprintf(f, "%s\n    \"%s\": ", m == list ? "" : ",", m->key);
        switch (m->type) {
        case HOL_MEMBER_TEXT:
            hol_json_text(f, at);
            break;
        case HOL_MEMBER_DOUBLE:
            memcpy(&value, at, sizeof value);
            hol_json_number(f, value);
            break;
        case HOL_MEMBER_INT:
            memcpy(&number, at, sizeof number);
            fprintf(f, "%d", number);
            break;
        case HOL_MEMBER_LONG:
            memcpy(&count, at, sizeof count);
            fprintf(f, "%ld", count);
            break;
        }
    }
}

static const char *base_name(const char *path) {
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path ? path : "";
}

void hol_manifest_head(FILE *f, const HolModel *m, const HolSimOptions *o) {
    char text[65];
    time_t now = time(NULL);
    struct tm utc;
    const char *source = m->source ? m->source : "";
    fputs("{\n  \"holonom_result\": 1", f);
    manifest_put_text(f, ",\n  \"generator\": ", hol_version());
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    manifest_put_text(f, ",\n  \"created\": ", text);
    manifest_put_text(f, ",\n  \"model\": {\n    \"name\": ", m->name);
    manifest_put_text(f, ",\n    \"file\": ", base_name(m->file));
    hol_sha256_text(source, strlen(source), text);
    manifest_put_text(f, ",\n    \"sha256\": ", text);
    manifest_put_text(f, ",\n    \"text\": ", source);
    fputs("\n  },\n  \"settings\": [", f);
    for (int i = 0; i < m->n_settings; i++) {
        manifest_put_text(f, i ? ", [" : "[", m->settings[i].key);
        manifest_put_text(f, ", ", m->settings[i].value);
        fputc(']', f);
    }
    fputs("],\n  \"options\": {", f);
    put_members(f, hol_option_members, o);
    fputs("\n  },\n  \"columns\": [", f);
    for (int i = 0; i < hol_model_column_count(m); i++) {
        HolColumn c = hol_column_with_unit(m, i);
        manifest_put_text(f, i ? ",\n    [" : "\n    [", c.name);
        manifest_put_text(f, ", ", c.unit);
        fputc(']', f);
    }
    fputs("\n  ]", f);
}

static void put_dependent(FILE *f, const HolCheck *c) {
    fputs(",\n    \"dependent\": [", f);
    for (int i = 0; i < c->n_dependent && i < 64; i++) {
        const HolDependentRow *d = &c->dependent[i];
        manifest_put_text(f, i ? ",\n      [" : "\n      [", d->joint);
        fprintf(f, ", %d, ", d->row);
        hol_json_text(f, d->on);
        fprintf(f, ", %d]", d->always);
    }
    fputc(']', f);
}

void hol_manifest_tail(FILE *f, long rows, const HolStats *stats, const HolCheck *check,
                       HolStatus status, const char *message, const char *certificate) {
    fprintf(f, ",\n  \"rows\": %ld", rows);
    manifest_put_text(f, ",\n  \"status\": ", status ? hol_status_text(status) : "ok");
    manifest_put_text(f, ",\n  \"message\": ", status ? message : "");
    if (stats) {
        fputs(",\n  \"summary\": {", f);
        put_members(f, hol_stats_members, stats);
        fputs("\n  }", f);
    }
    if (check) {
        fputs(",\n  \"check\": {", f);
        put_members(f, hol_check_members, check);
        put_dependent(f, check);
        fputs("\n  }", f);
    }
    if (certificate)
        fprintf(f, ",\n  \"certificate\": %s", certificate);
    fputs("\n}\n", f);
}

void hol_method_label(const HolMethodOptions *m, char *out, size_t size) {
    const char *variants[] = {m->scheme, m->iteration, m->formulation, m->set};
    int n = snprintf(out, size, "%s", m->name);
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
        if (variants[i][0] && n > 0 && (size_t)n < size)
            n += snprintf(out + n, size - (size_t)n, " %s", variants[i]);
}

void hol_options_label(const HolSimOptions *o, char *out, size_t size) {
    char method[128];
    hol_method_label(&o->method, method, sizeof method);
    if (!(o->step > 0))
        snprintf(out, size, "%s, tolerance %g", method, o->tolerance);
    else
        snprintf(out, size, "%s, step %g s", method, o->step);
}
