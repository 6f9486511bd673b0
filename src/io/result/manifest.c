// SPDX-License-Identifier: Apache-2.0
// Writing a manifest, and the tables of members that writer and reader share.
#include "io/result/manifest.h"
#include "base/sha256.h"
#include "base/text.h"
#include "holonom/json.h"
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
    TEXT(HolSimOptions, "method.stopping", method.stopping),
    INTEGER(HolSimOptions, "method.index", method.index),
    NUMBER(HolSimOptions, "method.baumgarte", method.baumgarte),
    NUMBER(HolSimOptions, "method.newton_tolerance", method.newton_tolerance),
    INTEGER(HolSimOptions, "method.newton_most", method.newton_most),
    NUMBER(HolSimOptions, "method.newton_c", method.newton_c),
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
    TEXT(HolSimOptions, "start_at", start_at),
    NUMBER(HolSimOptions, "rest_speed", rest_speed),
    TEXT(HolSimOptions, "impact", impact),
    LONG(HolSimOptions, "max_events", max_events),
    TEXT(HolSimOptions, "painleve", painleve),
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
    NUMBER(HolStats, "contraction", contraction),
    NUMBER(HolStats, "contraction_most", contraction_most),
    NUMBER(HolStats, "cpu_seconds", cpu_seconds),
    NUMBER(HolStats, "wall_seconds", wall_seconds),
    NUMBER(HolStats, "energy_initial", energy_initial),
    NUMBER(HolStats, "energy_final", energy_final),
    NUMBER(HolStats, "energy_max_drift", energy_max_drift),
    NUMBER(HolStats, "work", work),
    NUMBER(HolStats, "friction_heat", friction_heat),
    NUMBER(HolStats, "impact_loss", impact_loss),
    LONG(HolStats, "events", events),
    NUMBER(HolStats, "residual_position", residual_position),
    NUMBER(HolStats, "residual_velocity", residual_velocity),
    NUMBER(HolStats, "residual_acceleration", residual_acceleration),
    NUMBER(HolStats, "h_min", h_min),
    NUMBER(HolStats, "h_max", h_max),
    TEXT(HolStats, "method", method),
    TEXT(HolStats, "auto", choice),
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

// the members of an object, one a line
static void put_members(HolJson *j, const HolMember *list, const void *object) {
    for (const HolMember *m = list; m->key; m++) {
        const char *at = (const char *)object + m->offset;
        int number;
        long count;
        double value;
        switch (m->type) {
        case HOL_MEMBER_TEXT:
            hol_json_text(j, m->key, at);
            break;
        case HOL_MEMBER_DOUBLE:
            memcpy(&value, at, sizeof value);
            hol_json_number(j, m->key, value);
            break;
        case HOL_MEMBER_INT:
            memcpy(&number, at, sizeof number);
            hol_json_integer(j, m->key, number);
            break;
        case HOL_MEMBER_LONG:
            memcpy(&count, at, sizeof count);
            hol_json_integer(j, m->key, count);
            break;
        }
    }
}

static void put_texts(HolJson *j, const char *a, const char *b) {
    hol_json_begin(j, NULL, '[', HOL_JSON_ROW);
    hol_json_text(j, NULL, a ? a : "");
    hol_json_text(j, NULL, b ? b : "");
    hol_json_end(j);
}

static void put_files(HolJson *j, const HolModel *m) {
    hol_json_begin(j, "files", '[', HOL_JSON_LINES);
    for (int i = 0; i < m->n_files; i++) {
        hol_json_begin(j, NULL, '{', HOL_JSON_LINES);
        hol_json_text(j, "path", m->files[i].path);
        hol_json_text(j, "sha256", m->files[i].sha256);
        hol_json_text(j, "text", m->files[i].text);
        hol_json_end(j);
    }
    hol_json_end(j);
}

static const char *base_name(const char *path) {
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path ? path : "";
}

static HolJson manifest_writer(FILE *f) {
    return (HolJson){.put = hol_put_to_file, .to = f, .in_page = 1};
}

static void put_columns(HolJson *j, const HolModel *m) {
    hol_json_begin(j, "columns", '[', HOL_JSON_LINES);
    for (int i = 0; i < hol_model_column_count(m); i++) {
        HolColumn c = hol_column_with_unit(m, i);
        put_texts(j, c.name, c.unit);
    }
    hol_json_end(j);
}

void hol_manifest_head(FILE *f, const HolModel *m, const HolSimOptions *o, int inside) {
    HolJson j = manifest_writer(f);
    char text[65];
    time_t now = time(NULL);
    struct tm utc;
    const char *source = m->source ? m->source : "";
    hol_json_begin(&j, NULL, '{', HOL_JSON_LINES);
    hol_json_integer(&j, "holonom_result", 1);
    hol_json_text(&j, "generator", hol_version());
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    hol_json_text(&j, "created", text);
    hol_json_begin(&j, "model", '{', HOL_JSON_LINES);
    hol_json_text(&j, "name", m->name ? m->name : "");
    hol_json_text(&j, "file", base_name(m->file));
    hol_sha256_text(source, strlen(source), text);
    hol_json_text(&j, "sha256", text);
    hol_json_text(&j, "text", inside && strlen(source) > HOL_MANIFEST_TEXT ? NULL : source);
    hol_json_end(&j);
    put_files(&j, m);
    hol_json_begin(&j, "settings", '[', HOL_JSON_ROW);
    for (int i = 0; i < m->n_settings; i++)
        put_texts(&j, m->settings[i].key, m->settings[i].value);
    hol_json_end(&j);
    hol_json_begin(&j, "options", '{', HOL_JSON_LINES);
    put_members(&j, hol_option_members, o);
    hol_json_end(&j);
    if (!inside)
        put_columns(&j, m);
}

static void put_dependent(HolJson *j, const HolCheck *c) {
    hol_json_begin(j, "dependent", '[', HOL_JSON_LINES);
    for (int i = 0; i < c->n_dependent && i < 64; i++) {
        const HolDependentRow *d = &c->dependent[i];
        hol_json_begin(j, NULL, '[', HOL_JSON_ROW);
        hol_json_text(j, NULL, d->joint);
        hol_json_integer(j, NULL, d->row);
        hol_json_text(j, NULL, d->on);
        hol_json_integer(j, NULL, d->always);
        hol_json_end(j);
    }
    hol_json_end(j);
}

void hol_manifest_tail(FILE *f, long rows, const HolStats *stats, const HolCheck *check,
                       HolStatus status, const char *message, const char *sha256,
                       const HolTableFacts *tables, const char *certificate) {
    // goes on inside the object that the head began
    HolJson j = manifest_writer(f);
    j.depth = 1;
    j.level[0].layout = HOL_JSON_LINES;
    j.level[0].bracket = '{';
    j.level[0].filled = 1;
    hol_json_integer(&j, "rows", rows);
    if (sha256[0])
        hol_json_text(&j, "sha256", sha256);
    for (int i = 0; i < HOL_TABLES; i++) {
        if (!tables[i].lines)
            continue;
        hol_json_begin(&j, hol_tables[i].name, '{', HOL_JSON_TIGHT);
        hol_json_integer(&j, "lines", tables[i].lines);
        if (tables[i].sha256[0])
            hol_json_text(&j, "sha256", tables[i].sha256);
        hol_json_end(&j);
    }
    hol_json_text(&j, "status", status ? hol_status_text(status) : "ok");
    hol_json_text(&j, "message", status && message ? message : "");
    if (stats) {
        hol_json_begin(&j, "summary", '{', HOL_JSON_LINES);
        put_members(&j, hol_stats_members, stats);
        hol_json_end(&j);
    }
    if (check) {
        hol_json_begin(&j, "check", '{', HOL_JSON_LINES);
        put_members(&j, hol_check_members, check);
        put_dependent(&j, check);
        hol_json_end(&j);
    }
    if (certificate)
        hol_json_raw(&j, "certificate", certificate);
    hol_json_end(&j);
    fputc('\n', f);
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
