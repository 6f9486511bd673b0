// SPDX-License-Identifier: Apache-2.0
// The summary of a report: model, method, cost, accuracy, versions; warnings and redundancies.
#include "base/sha256.h"
#include "io/result/manifest.h"
#include "model/model.h"
#include "tools/report/report.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

// one table of the summary while it is written
typedef struct Table {
    HolJson *j;
    int groups;
} Table;

static void end_group(Table *t) {
    if (t->groups == 0)
        return;
    hol_json_end(t->j);
    hol_json_end(t->j);
}

static void group(Table *t, const char *title) {
    end_group(t);
    if (t->groups++ > 0)
        hol_json_wrap(t->j);
    hol_json_begin(t->j, NULL, '{', HOL_JSON_TIGHT);
    hol_json_text(t->j, "title", title);
    hol_json_begin(t->j, "items", '[', HOL_JSON_TIGHT);
}

__attribute__((format(printf, 3, 4))) static void item(Table *t, const char *key,
                                                       const char *format, ...) {
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    hol_json_begin(t->j, NULL, '{', HOL_JSON_TIGHT);
    hol_json_text(t->j, "key", key);
    hol_json_text(t->j, "value", text);
    hol_json_end(t->j);
}

static int adaptive(const HolSimOptions *o) {
    return !(o->step > 0);
}

static void model_items(const HolReport *r, const HolCheck *check, Table *t) {
    const HolModel *m = r->model;
    group(t, "Model");
    item(t, "space", "%s", m->space == HOL_PLANAR ? "planar" : "spatial");
    item(t, "bodies", "%d", hol_visible_bodies(m) - 1);
    item(t, "joints", "%d", m->def.n_joints);
    if (m->def.n_forces > 0)
        item(t, "forces", "%d", m->def.n_forces);
    if (check) {
        item(t, "coordinates", "%d", check->coordinates);
        item(t, "constraints", "%d", check->constraints);
        if (check->redundant > 0)
            item(t, "redundant constraints", "%d", check->redundant);
        item(t, "degrees of freedom", "%d", check->dof);
    }
    const double *g = m->gravity;
    if (g[0] != 0 || g[1] != 0 || g[2] != 0) {
        if (m->space == HOL_PLANAR)
            item(t, "gravity", "(%g, %g) m/s²", g[0], g[1]);
        else
            item(t, "gravity", "(%g, %g, %g) m/s²", g[0], g[1], g[2]);
    }
    if (m->def.n_parameters > 0)
        group(t, "Parameters");
    for (int i = 0; i < m->def.n_parameters && i < 60; i++)
        item(t, m->def.parameters[i].name, "%.10g", m->def.parameters[i].value);
}

static void method_items(const HolReport *r, const HolStats *stats, Table *t) {
    const HolSimOptions *o = &r->options;
    const HolMethodOptions *m = &o->method;
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"alpha", m->alpha},
                   {"beta", m->beta},
                   {"gamma", m->gamma},
                   {"zeta", m->zeta},
                   {"rho", m->rho}};
    char text[128];
    group(t, "Method");
    hol_method_label(m, text, sizeof text);
    item(t, "method", "%s", text);
    if (stats && stats->choice[0])
        item(t, "chosen", "%s", stats->choice);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (isfinite(numbers[i].value))
            item(t, numbers[i].name, "%g", numbers[i].value);
    if (m->order > 0)
        item(t, "order", "%d", m->order);
    if (adaptive(o))
        item(t, "tolerance", "%g", o->tolerance);
    else
        item(t, "step", "%g s", o->step);
    item(t, "time", "%g to %g s", o->start, o->end);
    if (strcmp(o->start_at, "equilibrium") == 0)
        item(t, "start", "at the equilibrium");
    if (o->output_step > 0)
        item(t, "output step", "%g s", o->output_step);
    if (o->linear_solver[0])
        item(t, "linear solver", "%s", o->linear_solver);
}

static void cost_items(const HolReport *r, const HolStats *s, Table *t) {
    group(t, "Cost");
    item(t, "steps", "%ld", s->steps);
    item(t, "rejected steps", "%ld", s->rejected);
    item(t, "smallest and largest step", "%.3g, %.3g s", s->h_min, s->h_max);
    item(t, "Newton iterations", "%ld", s->newton_iterations);
    item(t, "Jacobians", "%ld", s->jacobians);
    item(t, "factorizations", "%ld", s->factorizations);
    item(t, "CPU time", "%.3g s", s->cpu_seconds);
    item(t, "wall time", "%.3g s", s->wall_seconds);
    item(t, "samples in this report", "%d of %ld", r->n_samples, r->seen);
}

static void accuracy_items(const HolStats *s, Table *t) {
    group(t, "Accuracy");
    item(t, "largest position residual", "%.3g", s->residual_position);
    item(t, "largest velocity residual", "%.3g", s->residual_velocity);
    item(t, "largest acceleration residual", "%.3g", s->residual_acceleration);
    if (isfinite(s->energy_initial)) {
        item(t, "energy at the start", "%.9g J", s->energy_initial);
        item(t, "energy at the end", "%.9g J", s->energy_final);
        item(t, "work done on the system", "%.6g J", s->work);
        item(t, "largest energy error", "%.3g J", s->energy_max_drift);
    }
}

// what happened, and which friction holds at the end
static void event_items(const HolReport *r, const HolStats *s, Table *t) {
    enum { MOST = 40 };
    const HolReportEvents *e = &r->events;
    int holds = 0;
    if (!e->seen)
        return;
    group(t, "Events");
    item(t, "all", "%ld", e->seen);
    for (int i = 0; i < HOL_REPORT_KINDS && e->kinds[i].n; i++)
        item(t, e->kinds[i].kind, "%ld", e->kinds[i].n);
    for (int i = 0; i < e->n_grips; i++) {
        const HolReportGrip *g = &e->grips[i];
        if (g->holds && holds++ < MOST)
            item(t, "holds at the end", "%s, since %.9g s%s", g->name, g->since,
                 g->shared ? " (shared)" : "");
    }
    if (holds > MOST)
        item(t, "holds at the end", "and %d more", holds - MOST);
    if (s && (s->impact_loss > 0 || s->friction_heat > 0)) {
        item(t, "friction took", "%.9g J", s->friction_heat);
        item(t, "impacts took", "%.9g J", s->impact_loss);
    }
}

// how hard impacts pull at the joints
static void impulse_items(const HolReport *r, Table *t) {
    enum { MOST = 60 };
    static const char *const what[] = {"", ", torque ", ", drive "};
    static const char *const unit[] = {"N s", "N m s", "(N s or N m s)"};
    if (r->n_impulses)
        group(t, "Largest impulses of joints");
    for (int i = 0; i < r->n_impulses && i < MOST; i++) {
        const HolReportImpulse *x = &r->impulses[i];
        char text[300] = "";
        size_t n = 0;
        for (int k = 0; k < 3; k++)
            if (x->size[k] > 0 && n < sizeof text)
                n += (size_t)snprintf(text + n, sizeof text - n, "%s%.6g %s at %.6g s",
                                      n ? what[k] : what[k] + (k ? 2 : 0), x->size[k], unit[k],
                                      x->time[k]);
        item(t, x->joint, "%s; %ld in all", text, x->n);
    }
}

static void certificate_items(const HolCertificate *z, Table *t) {
    char method[128], second[128];
    if (!z)
        return;
    group(t, "Certificate");
    hol_options_label(z->options, method, sizeof method);
    hol_options_label(z->second, second, sizeof second);
    if (z->accuracy > 0)
        item(t, "accuracy asked for", "%g", z->accuracy);
    if (isfinite(z->reached))
        item(t, "accuracy reached", "%.2g", z->reached);
    else
        item(t, "accuracy reached", "none to the end");
    item(t, "holds until", "%.6g s", z->until);
    if (isfinite(z->doubling))
        item(t, "errors double every", "%.3g s", z->doubling);
    item(t, "reported run", "%s", method);
    item(t, "compared with", "%s", second);
    item(t, "runs in all", "%d", z->runs);
}

static void version_items(const HolReport *r, Table *t) {
    char hash[65];
    const char *source = r->model->source ? r->model->source : "";
    hol_sha256_text(source, strlen(source), hash);
    group(t, "Versions and hashes");
    item(t, "program", "%s", hol_version());
#if defined __GNUC__ && !defined __clang__
    item(t, "compiler", "GCC %s", __VERSION__);
#else
    item(t, "compiler", "%s", __VERSION__); // names itself
#endif
    if (*source)
        item(t, "model file, SHA-256", "%s", hash);
}

static void put_warnings(const HolReport *r, const HolStats *stats, HolJson *j) {
    char text[256];
    hol_json_wrap(j);
    hol_json_begin(j, "warnings", '[', HOL_JSON_TIGHT);
    for (int i = 0; i < r->n_remarks; i++)
        hol_json_lines(j, r->remarks[i] ? r->remarks[i] : "");
    if (stats)
        hol_json_lines(j, stats->warnings);
    if (r->certificate)
        hol_json_lines(j, r->certificate->warnings);
    if (stats)
        hol_json_lines(j, stats->note);
    if (r->stride > 1) {
        snprintf(text, sizeof text,
                 "Thinned to keep the file small: one of %ld results is shown, %d of %ld.",
                 r->stride, r->n_samples, r->seen);
        hol_json_text(j, NULL, text);
    }
    if (r->dropped > 0) {
        snprintf(text, sizeof text,
                 "Large model: %d columns (accelerations, torques) are left out.", r->dropped);
        hol_json_text(j, NULL, text);
    }
    hol_json_end(j);
}

static void put_redundancies(const HolCheck *check, HolJson *j) {
    char text[512];
    hol_json_wrap(j);
    hol_json_begin(j, "redundancies", '[', HOL_JSON_TIGHT);
    for (int i = 0; check && i < check->n_dependent && i < 64; i++) {
        const HolDependentRow *d = &check->dependent[i];
        snprintf(text, sizeof text, "%s (constraint row %d) depends on %s%s", d->joint, d->row + 1,
                 d->on, d->always ? "" : " (in the initial configuration)");
        hol_json_text(j, NULL, text);
    }
    hol_json_end(j);
}

void hol_report_summary(const HolReport *r, const HolStats *stats, const HolCheck *check,
                        HolJson *j) {
    Table t = {.j = j};
    hol_json_wrap(j);
    hol_json_begin(j, "groups", '[', HOL_JSON_TIGHT);
    model_items(r, check, &t);
    method_items(r, stats, &t);
    if (stats) {
        cost_items(r, stats, &t);
        accuracy_items(stats, &t);
    }
    event_items(r, stats, &t);
    impulse_items(r, &t);
    certificate_items(r->certificate, &t);
    version_items(r, &t);
    end_group(&t);
    hol_json_end(j);
    put_warnings(r, stats, j);
    put_redundancies(check, j);
}
