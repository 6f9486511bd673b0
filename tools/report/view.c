// SPDX-License-Identifier: Apache-2.0
// The page of a report from stored results. The model comes from the manifest. The picture needs
// the position of every body; a result that leaves some out (by `outputs:`) is completed by
// repeating its run: runs are deterministic, and the stored columns show how well it agrees.
#include "io/result/read_result.h"
#include "model/model.h"
#include "tools/report/report.h"

#include <math.h>
#include <string.h>

typedef struct Stored { // one result on its way into the page
    HolResult *result;
    HolModel *model;
    HolSimOptions options;
    HolReport *report;
    char label[256];
} Stored;

static HolStatus view_no_memory(HolError *err) {
    return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
}

static HolStatus view_load(Stored *s, const char *path, const char *page, HolError *err) {
    HolStatus status = hol_result_read(path, &s->result, err);
    if (status)
        return status;
    if (!s->result->has_manifest) // one of other results is none
        s->result->manifest = (HolManifest){0};
    status = hol_result_model(s->result, &s->model, &s->options, err);
    return status ? status : hol_files_apart(s->model, &path, 1, &page, 1, err);
}

// 1 when the result holds the position of every body
static int has_positions(const Stored *s) {
    static const char *const plane[] = {"x", "y", "angle"};
    static const char *const space[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
    for (int b = 1; b < hol_visible_bodies(s->model); b++) {
        const HolBody *body = &s->model->def.bodies[b];
        for (int k = 0; k < body->nq && k < HOL_REPORT_POSE_MAX; k++) {
            char name[256];
            snprintf(name, sizeof name, "%s.%s", body->def.name,
                     (s->model->space == HOL_PLANAR ? plane : space)[k]);
            if (hol_result_find(s->result, name) < 0)
                return 0;
        }
    }
    return 1;
}

static HolStatus take_rows(Stored *s, int runs, HolError *err) {
    HolResult *r = s->result;
    double *row = HOL_NEW(&r->arena, double, r->n_columns + 1);
    if (!row)
        return view_no_memory(err);
    // the list of columns is one longer than their number and ends with a name NULL
    HolStatus status = hol_report_begin(s->model, &s->options, r->columns, runs, &s->report, err);
    for (long i = 0; !status && i < r->rows; i++) {
        for (int c = 0; c < r->n_columns; c++)
            row[c] = r->values[c][i];
        status = hol_report_row(s->report, row, row, err);
    }
    return status;
}

// ---- repeating a run ----

typedef struct Again {
    Stored *s;
    HolSim *sim;
    long next; // row that is due
    double *all, *row;
    double difference; // from the stored columns, relative to the largest value of the column
    double *largest;
} Again;

static HolStatus repeat_row(Again *a, long i, HolError *err) {
    const HolResult *r = a->s->result;
    double t = r->values[0][i];
    // of two rows at one time the first is that before a jump
    hol_sim_rows_before(a->sim, i + 1 < r->rows && r->values[0][i + 1] == t);
    HolStatus status = hol_sim_row(a->sim, t, a->row, err);
    if (!status)
        status = hol_sim_row_all(a->sim, t, a->all, err);
    if (!status)
        status = hol_report_row(a->s->report, a->all, a->row, err);
    for (int c = 1; !status && c < r->n_columns; c++) {
        // residuals and step data are round-off and history, not motion
        if (strncmp(r->columns[c].name, "constraint.", 11) == 0 ||
            strncmp(r->columns[c].name, "step.", 5) == 0)
            continue;
        double gap = fabs(a->row[c] - r->values[c][i]) / (a->largest[c] + 1e-300);
        a->difference = fmax(a->difference, isfinite(gap) ? gap : 0);
    }
    return status;
}

static HolStatus repeat_lines(const Again *a, HolError *err) {
    HolEvent event;
    HolImpulse impulse;
    HolStatus status = HOL_OK;
    for (int i = 0; !status && hol_sim_event(a->sim, i, &event); i++)
        status = hol_report_event(a->s->report, &event, err);
    for (int i = 0; !status && hol_sim_impulse(a->sim, i, &impulse); i++)
        status = hol_report_impulse(a->s->report, &impulse, err);
    return status;
}

// The rows at the stored times up to here. (Not where the run tells its own rows: one that was
// interrupted has stored its last row between them.) HOL_INTERRUPTED: all are there
static HolStatus repeat_observe(void *user, HolSim *s, int what, double t, HolError *err) {
    Again *a = user;
    const HolResult *r = a->s->result;
    HolStatus status = HOL_OK;
    const double near = 1e-9 * (fabs(t) + hol_sim_view(s).h);
    if (what == HOL_AT_EVENT)
        return repeat_lines(a, err);
    // rows inside of the step; of those at its end one each time the run tells one: before an event, then
    // behind it
    while (!status && a->next < r->rows && r->values[0][a->next] < t - near)
        status = repeat_row(a, a->next++, err);
    if (!status && what == HOL_AT_ROW && a->next < r->rows && r->values[0][a->next] <= t + near)
        status = repeat_row(a, a->next++, err);
    return status || a->next < r->rows ? status : HOL_INTERRUPTED;
}

static HolStatus repeat_rows(Again *a, HolError *err) {
    HolStatus status = hol_sim_run(a->sim, a->s->options.end, repeat_observe, a, err);
    if (status == HOL_INTERRUPTED || (status == HOL_EVENT && a->next == a->s->result->rows))
        return HOL_OK;
    return status ? status
                  : hol_result_unreadable(a->s->result, "it goes on after the end of its run", err);
}

static HolStatus run_again(Stored *s, int runs, double *difference, HolError *err) {
    HolResult *r = s->result;
    Again a = {.s = s};
    a.all = HOL_NEW(&r->arena, double, hol_model_all_column_count(s->model) + 1);
    a.row = HOL_NEW(&r->arena, double, hol_model_column_count(s->model) + 1);
    a.largest = HOL_NEW(&r->arena, double, r->n_columns + 1);
    if (!a.all || !a.row || !a.largest)
        return view_no_memory(err);
    if (hol_model_column_count(s->model) != r->n_columns)
        return hol_result_unreadable(r, "its columns are not those of its model", err);
    for (int c = 0; c < r->n_columns; c++)
        for (long i = 0; i < r->rows; i++)
            if (isfinite(r->values[c][i]))
                a.largest[c] = fmax(a.largest[c], fabs(r->values[c][i]));
    HolStatus status = hol_report_begin(s->model, &s->options, NULL, runs, &s->report, err);
    if (!status)
        status = hol_sim_create(s->model, &s->options, &a.sim, err);
    if (!status)
        status = repeat_rows(&a, err);
    hol_sim_destroy(a.sim);
    *difference = a.difference;
    return status;
}

// ---- the page ----

static HolStatus view_prepare(Stored *s, const char *path, const char *page, int runs,
                              char *remarks, size_t size, HolError *err) {
    HolStatus status = view_load(s, path, page, err);
    if (status)
        return status;
    const HolManifest *m = &s->result->manifest;
    if (has_positions(s)) {
        status = take_rows(s, runs, err);
    } else {
        double difference = 0;
        char text[512];
        status = run_again(s, runs, &difference, err);
        if (status)
            return status;
        snprintf(text, sizeof text,
                 "%s leaves out positions of bodies: its run was repeated with %s; the stored "
                 "columns agree within %.2g of their largest values.",
                 path, HOL_VERSION_TEXT, difference);
        hol_report_remark(s->report, text);
        if (remarks && strlen(remarks) + strlen(text) + 2 < size)
            strcat(strcat(remarks, text), "\n");
    }
    const char *remark = hol_result_remark(s->result);
    if (!status && remark[0]) {
        hol_report_remark(s->report, remark);
        if (remarks && strlen(remarks) + strlen(remark) + 2 < size)
            strcat(strcat(remarks, remark), "\n");
    }
    if (!status && m->message && m->message[0])
        hol_report_remark(s->report, m->message);
    return status;
}

static HolStatus view_write_page(Stored *list, int n, const char *path, HolReportRun *runs,
                                 HolError *err) {
    for (int i = 0; i < n; i++) {
        const HolManifest *m = &list[i].result->manifest;
        snprintf(list[i].label, sizeof list[i].label, "%s", list[i].result->label);
        runs[i] = (HolReportRun){.report = list[i].report,
                                 .stats = m->has_stats ? &m->stats : NULL,
                                 .check = m->has_check ? &m->check : NULL,
                                 .label = list[i].label};
    }
    // equal labels distinguish nothing
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            if (k != i && strcmp(list[i].label, list[k].label) == 0) {
                const char *slash = strrchr(list[i].result->path, '/');
                size_t used = strlen(list[i].label);
                snprintf(list[i].label + used, sizeof list[i].label - used, " (%s)",
                         slash ? slash + 1 : list[i].result->path);
                break;
            }
    return hol_report_write(path, runs, n, err);
}

HolStatus hol_view_write(const char *const *results, int n, const char *path, char *remarks,
                         size_t size, HolError *err) {
    hol_error_clear(err);
    if (remarks && size)
        remarks[0] = 0;
    HolArena arena = {0};
    n = n < 0 ? 0 : n;
    Stored *list = HOL_NEW(&arena, Stored, n + 1);
    HolReportRun *runs = HOL_NEW(&arena, HolReportRun, n + 1);
    HolStatus status = HOL_OK;
    if (!list || !runs)
        status = view_no_memory(err);
    else if (n < 1 || !results || !path)
        status = hol_error_set(err, HOL_ERR_INPUT, "no result to view");
    else
        status = hol_files_apart(NULL, results, n, &path, 1, err);
    for (int i = 0; !status && i < n; i++)
        status = view_prepare(&list[i], results[i], path, n, remarks, size, err);
    if (!status)
        status = view_write_page(list, n, path, runs, err);
    for (int i = 0; list && i < n; i++) {
        hol_report_end(list[i].report);
        hol_model_destroy(list[i].model);
        hol_result_destroy(list[i].result);
    }
    hol_arena_free(&arena);
    return status;
}
