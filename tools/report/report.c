// SPDX-License-Identifier: Apache-2.0
// The report of a run: `open` decides what to keep, `row` keeps it, `close` fills the page
// template.
//
// Memory and file stay bounded whatever the length of the run: when the samples reach the number
// that fits in the largest allowed file, every second one is dropped and from then on only one row
// of 2, 4, 8, ... is taken. The last row is always in. Numbers are written in single
// precision relative to a typical sample, so that small drifts of large values survive.
#include "tools/report/report.h"
#include "base/sized.h"
#include "base/text.h"
#include "io/file_clash.h"
#include "io/result/column_unit.h"
#include "io/result/manifest.h"
#include "model/model.h"
#include "solve/sim.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

static const double largest_file = 20e6; // bytes
static const char data_place[] = "<!--HOLONOM-DATA-->";
enum { FIRST_CAPACITY = 1024, ENOUGH_SAMPLES = 1000, HEADER_BYTES = 160 };

static HolStatus report_no_memory(HolError *err) {
    return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
}

void hol_report_remark(HolReport *r, const char *text) {
    if (r && r->n_remarks < HOL_REPORT_REMARKS) {
        const char *copy = hol_arena_text(&r->arena, text);
        if (copy)
            r->remarks[r->n_remarks++] = copy;
    }
}

HolStatus hol_report_event(HolReport *r, const HolEvent *event, HolError *err) {
    hol_error_clear(err);
    if (!r || !event)
        return hol_error_set(err, HOL_ERR_INPUT, "a report and an event are needed, not NULL");
    return hol_report_count(r, event) ? HOL_OK : report_no_memory(err);
}

HolStatus hol_report_impulse(HolReport *r, const HolImpulse *impulse, HolError *err) {
    HolImpulse x = {0};
    hol_error_clear(err);
    if (!r)
        return hol_error_set(err, HOL_ERR_INPUT, "a report is needed, not NULL");
    if (hol_sized_take(&x, sizeof x, impulse, "hol_sim_impulse", err))
        return HOL_ERR_INPUT;
    const HolNameEntry *known = hol_name_table_find(&r->impulse_names, x.joint);
    if (!known) {
        const char *name = hol_arena_text(&r->arena, x.joint);
        if (!name || !HOL_GROW(&r->arena, r->impulses, r->n_impulses, r->cap_impulses) ||
            !(known = hol_name_table_add(&r->impulse_names, &r->arena, name, NULL, r->n_impulses)))
            return report_no_memory(err);
        HolReportImpulse *new = &r->impulses[r->n_impulses++];
        *new = (HolReportImpulse){0};
        memcpy(new->joint, x.joint, sizeof new->joint);
    }
    HolReportImpulse *most = &r->impulses[known->line];
    const double size[3] = {hypot(hypot(x.fx, x.fy), x.fz), hypot(hypot(x.tx, x.ty), x.tz),
                            fabs(x.effort)};
    for (int i = 0; i < 3; i++)
        if (size[i] > most->size[i]) {
            most->size[i] = size[i];
            most->time[i] = x.time;
        }
    most->n++;
    return HOL_OK;
}

void hol_report_certify(HolReport *r, const HolCertificate *c) {
    if (r)
        r->certificate = c;
}

static int report_add_column(HolReport *r, HolNameTable *names, HolColumn c, int all, int row) {
    if (!HOL_GROW(&r->arena, r->columns, r->n_columns, r->cap_columns))
        return 0;
    HolNameEntry *entry = hol_name_table_add(names, &r->arena, c.name, c.name, 0);
    if (!entry)
        return 0;
    entry->value = r->n_columns;
    r->columns[r->n_columns++] =
        (HolReportColumn){.name = c.name, .unit = c.unit, .all = all, .row = row};
    return 1;
}

// accelerations and torques: the first to go when a model is too large to keep everything
static int dispensable(const char *name) {
    static const char *const endings[] = {"ax",  "ay", "az", "alpha", "alx", "aly",
                                          "alz", "tx", "ty", "tz",    NULL};
    const char *last = strrchr(name, '.');
    for (int i = 0; last && endings[i]; i++)
        if (strcmp(last + 1, endings[i]) == 0)
            return 1;
    return 0;
}

// all default columns, then the expressions that the model asks for
static HolStatus add_results(HolReport *r, HolNameTable *names, HolError *err) {
    int n = hol_model_all_column_count(r->model), m = hol_model_column_count(r->model);
    int large = (double)n * ENOUGH_SAMPLES * 4 * 4 / 3 > largest_file;
    for (int i = 1; i < n; i++) { // the first is the time
        HolColumn c = hol_model_all_column(r->model, i);
        if (large && dispensable(c.name))
            r->dropped++;
        else if (!report_add_column(r, names, c, i, -1))
            return report_no_memory(err);
    }
    for (int i = 1; i < m; i++) {
        HolColumn c = hol_column_with_unit(r->model, i);
        const HolNameEntry *found = hol_name_table_find(names, c.name);
        if (!found && !report_add_column(r, names, c, -1, i))
            return report_no_memory(err);
        int k = found ? (int)found->value : r->n_columns - 1;
        r->columns[k].chosen = r->model->def.n_outputs > 0;
    }
    return HOL_OK;
}

// the columns of a stored result, without the time
static HolStatus add_stored(HolReport *r, HolNameTable *names, const HolColumn *stored,
                            HolError *err) {
    for (int i = 1; stored[0].name && stored[i].name; i++) {
        if (!hol_name_table_find(names, stored[i].name) &&
            !report_add_column(r, names, stored[i], -1, i))
            return report_no_memory(err);
        r->columns[r->n_columns - 1].chosen = r->model->def.n_outputs > 0;
    }
    return HOL_OK;
}

// the columns that say where a body is
static HolStatus add_pose(HolReport *r, int body, const HolNameTable *names, HolError *err) {
    static const char *const plane[] = {"x", "y", "angle"};
    static const char *const space[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
    const HolBody *b = &r->model->def.bodies[body];
    const char *const *parts = r->model->space == HOL_PLANAR ? plane : space;
    for (int k = 0; k < HOL_REPORT_POSE_MAX; k++)
        r->pose[body][k] = -1;
    for (int k = 0; body > 0 && k < b->nq && k < HOL_REPORT_POSE_MAX; k++) {
        char name[256];
        snprintf(name, sizeof name, "%s.%s", b->def.name, parts[k]);
        const HolNameEntry *found = hol_name_table_find(names, name);
        if (!found)
            return hol_error_set(err, HOL_ERR_UNSUPPORTED, "no column %s for the report", name);
        r->pose[body][k] = (int)found->value;
    }
    return HOL_OK;
}

// a mesh that cannot be read is a remark, not an error
static HolStatus add_meshes(HolReport *r) {
    int column = r->n_columns;
    for (int i = 1; i < r->n_bodies; i++) {
        char path[1024];
        if (!hol_mesh_path(r->model, i, path, sizeof path))
            continue;
        HolError err;
        HolReportMesh *mesh = &r->meshes[i];
        if (hol_report_mesh(&r->arena, path, &mesh->xyz, &mesh->count, &err))
            hol_report_remark(r, err.text);
        else
            mesh->column = column++;
    }
    return HOL_OK;
}

// as many samples as fit in the largest file when nothing can be compressed
static void set_limit(HolReport *r) {
    double bytes = (largest_file - (double)hol_report_template_size) * r->share - 20000;
    bytes -= HEADER_BYTES * (double)(r->n_columns + r->n_bodies + r->model->def.n_joints);
    for (int i = 0; i < r->n_bodies; i++)
        bytes -= 4.0 * 4 / 3 * (double)r->meshes[i].count;
    double samples = bytes * 3 / 4 / (8 + 4.0 * r->n_columns);
    // the number of samples is halved at the limit, so it must be even
    r->max_samples = samples > 2e9 ? 1 << 30 : samples < 64 ? 64 : (int)samples / 2 * 2;
}

static HolStatus report_set_up(HolReport *r, const HolColumn *stored, HolError *err) {
    HolNameTable names = {0};
    r->pose = hol_arena_alloc(&r->arena, sizeof *r->pose * (size_t)r->n_bodies);
    r->meshes = HOL_NEW(&r->arena, HolReportMesh, r->n_bodies);
    if (!r->pose || !r->meshes)
        return report_no_memory(err);
    HolStatus status = stored ? add_stored(r, &names, stored, err) : add_results(r, &names, err);
    for (int i = 0; !status && i < r->n_bodies; i++)
        status = add_pose(r, i, &names, err);
    if (status)
        return status;
    add_meshes(r);
    set_limit(r);
    r->stride = 1;
    r->last = HOL_NEW(&r->arena, double, r->n_columns + 1);
    return r->last ? HOL_OK : report_no_memory(err);
}

static HolStatus open_file(HolReport *r, const char *path, HolError *err) {
    HolStatus status = hol_file_choose(&r->place, &r->arena, path, err);
    if (status)
        return status;
    r->file = hol_file_open(&r->place, err);
    return r->file ? HOL_OK : HOL_ERR_FILE;
}

void hol_report_end(HolReport *r) {
    if (r) {
        HolArena arena = r->arena; // the report itself lives in it
        hol_arena_free(&arena);
    }
}

HolStatus hol_report_begin(const HolModel *m, const HolSimOptions *o, const HolColumn *stored,
                           int runs, HolReport **out, HolError *err) {
    hol_error_clear(err);
    *out = NULL;
    if (hol_report_template_size == 0)
        return hol_error_set(err, HOL_ERR_UNSUPPORTED,
                             "this build has no report page: install node and npm, then build "
                             "again (cmake says 'report page: on')");
    HolArena arena = {0};
    HolReport *r = HOL_NEW(&arena, HolReport, 1);
    if (!r)
        return report_no_memory(err);
    r->arena = arena;
    r->model = m;
    r->options = *o;
    r->n_bodies = hol_visible_bodies(m);
    r->share = 1.0 / runs;
    HolStatus status = report_set_up(r, stored, err);
    if (status)
        hol_report_end(r);
    else
        *out = r;
    return status;
}

HolStatus hol_report_open(const char *path, const HolModel *m, const HolSimOptions *o,
                          HolReport **out, HolError *err) {
    HolSimOptions options;
    hol_error_clear(err);
    if (!out || !path || !m || !hol_model_problem(m))
        return hol_error_set(err, HOL_ERR_INPUT, "%s",
                             out && path ? "the model is not compiled"
                                         : "a path and a place for the report are needed");
    *out = NULL;
    HolStatus status = hol_options_take(&options, o, err);
    if (!status)
        status = hol_files_apart(m, NULL, 0, &path, 1, err);
    if (!status)
        status = hol_report_begin(m, &options, NULL, 1, out, err);
    if (!status && (status = open_file(*out, path, err))) {
        hol_report_end(*out);
        *out = NULL;
    }
    return status;
}

static int report_reserve(HolReport *r) {
    if (r->n_samples < r->capacity)
        return 1;
    int wanted = r->capacity ? 2 * r->capacity : FIRST_CAPACITY;
    if (wanted > r->max_samples)
        wanted = r->max_samples + 1; // one more for the last row
    size_t row = sizeof *r->values * (size_t)r->n_columns, n = (size_t)r->n_samples;
    double *time = HOL_NEW(&r->arena, double, wanted);
    double *values = hol_arena_alloc(&r->arena, row * (size_t)wanted + 1);
    if (!time || !values)
        return 0;
    if (n > 0) {
        memcpy(time, r->time, n * sizeof *time);
        memcpy(values, r->values, n * row);
    }
    r->time = time;
    r->values = values;
    r->capacity = wanted;
    return 1;
}

// keeps samples 0, 2, 4, ...
static void thin(HolReport *r) {
    size_t row = (size_t)r->n_columns;
    int n = (r->n_samples + 1) / 2;
    for (int i = 1; i < n; i++) {
        r->time[i] = r->time[2 * i];
        memcpy(r->values + (size_t)i * row, r->values + (size_t)(2 * i) * row,
               row * sizeof *r->values);
    }
    r->n_samples = n;
    r->stride *= 2;
}

// the last row becomes a sample
static int report_keep(HolReport *r) {
    if (!report_reserve(r))
        return 0;
    r->time[r->n_samples] = r->last_time;
    memcpy(r->values + (size_t)r->n_samples * (size_t)r->n_columns, r->last,
           (size_t)r->n_columns * sizeof *r->values);
    r->n_samples++;
    r->last_pending = 0;
    return 1;
}

HolStatus hol_report_row(HolReport *r, const double *all, const double *row, HolError *err) {
    hol_error_clear(err);
    if (!r || !all)
        return hol_error_set(err, HOL_ERR_INPUT, "%s is missing: NULL",
                             r ? "a row" : "a report to write");
    r->last_time = all[0];
    for (int c = 0; c < r->n_columns; c++) {
        const HolReportColumn *column = &r->columns[c];
        r->last[c] = column->all >= 0 ? all[column->all] : row ? row[column->row] : NAN;
    }
    long index = r->seen++;
    r->last_pending = 1;
    if (index % r->stride != 0)
        return HOL_OK;
    if (r->n_samples >= r->max_samples) {
        thin(r);
        if (index % r->stride != 0)
            return HOL_OK;
    }
    return report_keep(r) ? HOL_OK : report_no_memory(err);
}

// Zero where a column comes near zero or varies much: then every number keeps its seven digits.
// A typical value where it varies little around it: then the variation keeps them.
static double typical(const HolReport *r, size_t column) {
    size_t n = (size_t)r->n_samples, row = (size_t)r->n_columns;
    const double *values = r->values + column;
    double lo = INFINITY, hi = -INFINITY, middle = values[n / 2 * row];
    for (size_t i = 0; i < n; i++) {
        lo = fmin(lo, values[i * row]);
        hi = fmax(hi, values[i * row]);
    }
    return isfinite(middle) && hi - lo < 0.05 * fabs(middle) ? middle : 0;
}

typedef struct PageColumn {
    const char *name, *unit, *type;
    long count;
    double base;
    int hidden, chosen;
} PageColumn;

static void report_put_column(HolJson *j, const PageColumn *c) {
    hol_json_begin(j, NULL, '{', HOL_JSON_TIGHT);
    hol_json_text(j, "name", c->name);
    hol_json_text(j, "unit", c->unit ? c->unit : "");
    hol_json_text(j, "type", c->type);
    hol_json_integer(j, "count", c->count);
    hol_json_number(j, "base", c->base);
    hol_json_bool(j, "hidden", c->hidden);
    hol_json_bool(j, "chosen", c->chosen);
    hol_json_end(j);
    hol_json_wrap(j);
}

static void report_put_columns(const HolReport *r, HolJson *j) {
    hol_json_wrap(j);
    hol_json_integer(j, "samples", r->n_samples);
    hol_json_wrap(j);
    hol_json_begin(j, "columns", '[', HOL_JSON_TIGHT);
    report_put_column(j, &(PageColumn){"time", "s", "f64", r->n_samples, 0, 0, 0});
    for (int c = 0; c < r->n_columns; c++) {
        const HolReportColumn *column = &r->columns[c];
        long count = hol_report_constant(r, c) ? 0 : r->n_samples;
        report_put_column(j, &(PageColumn){column->name, column->unit, "f32", count, column->base,
                                           0, column->chosen});
    }
    for (int i = 0; i < r->n_bodies; i++)
        if (r->meshes[i].count > 0) {
            char name[32];
            snprintf(name, sizeof name, "mesh %d", i);
            report_put_column(j, &(PageColumn){name, "m", "f32", r->meshes[i].count, 0, 1, 0});
        }
    hol_json_end(j);
}

static void report_put_mode(const HolReport *r, int index, const char *name, const HolMode *mode,
                            int vibrates, HolJson *j) {
    const double from = index * (r->mode_time + 1);
    hol_json_begin(j, NULL, '{', HOL_JSON_TIGHT);
    hol_json_text(j, "name", name);
    hol_json_text(j, "text", mode->text);
    hol_json_number(j, "from", from);
    hol_json_number(j, "to", from + r->mode_time);
    if (vibrates) {
        hol_json_number(j, "real", mode->real);
        hol_json_number(j, "imag", mode->imag);
        hol_json_number(j, "frequency_hz", mode->frequency_hz);
        hol_json_number(j, "damping", mode->damping);
    }
    hol_json_end(j);
    hol_json_wrap(j);
}

static void report_put_modes(const HolReport *r, HolJson *j) {
    const HolModes *m = r->modes;
    char name[64];
    if (!m)
        return;
    hol_json_wrap(j);
    hol_json_begin(j, "modes", '[', HOL_JSON_TIGHT);
    for (int k = 0; k < m->n_modes; k++) {
        snprintf(name, sizeof name, "mode %d", k + 1);
        report_put_mode(r, k, name, m->modes[k], 1, j);
    }
    for (int k = 0; k < m->n_free; k++) {
        snprintf(name, sizeof name, "free motion %d", k + 1);
        report_put_mode(r, m->n_modes + k, name, m->free_motions[k], 0, j);
    }
    hol_json_end(j);
}

static void report_put_run(const HolReportRun *run, int index, HolJson *j) {
    const HolReport *r = run->report;
    char text[192];
    if (index > 0)
        hol_json_wrap(j);
    hol_json_begin(j, NULL, '{', HOL_JSON_TIGHT);
    hol_options_label(&r->options, text, sizeof text);
    hol_json_text(j, "label", run->label ? run->label : text);
    hol_report_model(r, j);
    report_put_columns(r, j);
    hol_report_summary(r, run->stats, run->check, j);
    hol_certificate_for_page(r->certificate, j);
    hol_report_events(r, j);
    report_put_modes(r, j);
    size_t bytes = hol_report_block_size(r);
    hol_json_wrap(j);
    hol_json_begin(j, "block", '{', HOL_JSON_TIGHT);
    snprintf(text, sizeof text, "holonom-block-%d", index);
    hol_json_text(j, "id", text);
    hol_json_text(j, "encoding", hol_report_encoding(bytes));
    hol_json_integer(j, "bytes", (long)bytes);
    hol_json_end(j);
    hol_json_end(j);
}

static void report_put_header(const HolReportRun *runs, int n, FILE *f) {
    HolJson j = {.put = hol_put_to_file, .to = f, .in_page = 1};
    char text[32];
    time_t now = time(NULL);
    struct tm utc;
    fputs("<script type=\"application/json\" id=\"holonom-data\">", f);
    hol_json_begin(&j, NULL, '{', HOL_JSON_TIGHT);
    hol_json_integer(&j, "format", 1);
    hol_json_text(&j, "generator", hol_version());
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    hol_json_text(&j, "created", text);
    hol_json_wrap(&j);
    hol_json_begin(&j, "runs", '[', HOL_JSON_TIGHT);
    for (int i = 0; i < n; i++)
        report_put_run(&runs[i], i, &j);
    hol_json_end(&j);
    hol_json_end(&j);
    fputs("</script>\n", f);
}

// the last row is in, and every column has its base
static HolStatus finish_samples(HolReport *r, const HolAtomicFile *place, HolError *err) {
    if (r->last_pending && !report_keep(r))
        return report_no_memory(err);
    if (r->n_samples == 0)
        return hol_file_error(place, "the run has no results", err);
    for (int c = 0; c < r->n_columns; c++)
        r->columns[c].base = typical(r, (size_t)c);
    return HOL_OK;
}

// the template up to the place of the data, the data, the rest of the template
static HolStatus fill(const HolAtomicFile *place, const HolReportRun *runs, int n, FILE *f,
                      HolError *err) {
    const char *page = (const char *)hol_report_template;
    const char *at = strstr(page, data_place);
    if (!at)
        return hol_file_error(place, "the page has no place for data", err);
    HolStatus status = HOL_OK;
    for (int i = 0; !status && i < n; i++) {
        runs[i].report->file = f;
        status = finish_samples(runs[i].report, place, err);
    }
    if (status)
        return status;
    errno = 0;
    fwrite(page, 1, (size_t)(at - page), f);
    report_put_header(runs, n, f);
    for (int i = 0; !status && i < n; i++) {
        fprintf(f, "<script type=\"application/octet-stream\" id=\"holonom-block-%d\">", i);
        status = hol_report_block(runs[i].report, err);
        fputs("</script>\n", f);
    }
    fputs(at + sizeof data_place - 1, f);
    if (!status && ferror(f))
        status = hol_file_error(place, errno ? strerror(errno) : "write error", err);
    return status;
}

// the page of all runs in the file of r, complete or not there at all
static HolStatus report_write_page(HolReport *r, const HolReportRun *runs, int n, HolError *err) {
    FILE *f = r->file;
    HolStatus status = fill(&r->place, runs, n, f, err);
    HolStatus closed = hol_file_close(&r->place, f, !status, err);
    return status ? status : closed;
}

HolStatus hol_report_write(const char *path, const HolReportRun *runs, int n, HolError *err) {
    HolReport *r = runs[0].report;
    HolStatus status = open_file(r, path, err);
    return status ? status : report_write_page(r, runs, n, err);
}

// what the program knows of stats and check
static HolStatus take_summary(HolReport *r, HolReportRun *run, const HolStats *stats,
                              const HolCheck *check, HolError *err) {
    HolStats *s = HOL_NEW(&r->arena, HolStats, 1);
    HolCheck *c = HOL_NEW(&r->arena, HolCheck, 1);
    if (!s || !c)
        return report_no_memory(err);
    HolStatus status = HOL_OK;
    if (stats)
        status = hol_sized_take(s, sizeof *s, stats, "hol_sim_stats", err);
    if (check && !status)
        status = hol_sized_take(c, sizeof *c, check, "hol_sim_check", err);
    run->stats = stats ? s : NULL;
    run->check = check ? c : NULL;
    return status;
}

HolStatus hol_report_close(HolReport *r, const HolStats *stats, const HolCheck *check, int commit,
                           HolError *err) {
    hol_error_clear(err);
    if (!r)
        return HOL_OK;
    HolReportRun run = {.report = r};
    HolStatus status = commit ? take_summary(r, &run, stats, check, err) : HOL_OK;
    if (status || !commit) {
        HolStatus closed = hol_file_close(&r->place, r->file, 0, status ? NULL : err);
        status = status ? status : closed;
    } else {
        status = report_write_page(r, &run, 1, err);
    }
    hol_report_end(r);
    return status;
}
