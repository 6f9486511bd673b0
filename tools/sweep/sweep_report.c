// SPDX-License-Identifier: Apache-2.0
// The report of a sweep: a page by itself (sweep_page.html) with the rows as JSON in it. Runs are
// columns of numbers, values that are none are null.
#include "holonom/json.h"
#include "io/atomic_file.h"
#include "tools/sweep/sweep.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

extern const char *const hol_sweep_page[][2]; // sweep_page.html, by cmake/embed.cmake

static void report_put(void *to, const char *text, size_t length) {
    fwrite(text, 1, length, to);
}

static void report_column(HolJson *j, const HolSweep *w, int k) {
    const HolStudy *s = &w->study;
    const int record = k - s->n_vary;
    hol_json_begin(j, NULL, '{', HOL_JSON_ROW);
    hol_json_text(j, "name", record < 0 ? s->vary[k].key : s->records[record].name);
    hol_json_bool(j, "record", record >= 0);
    hol_json_begin(j, "values", '[', HOL_JSON_ROW);
    for (long i = 0; i < s->runs; i++)
        hol_json_number(j, NULL, record < 0 ? hol_study_value(s, i, k) : w->rows[i].values[record]);
    hol_json_end(j);
    hol_json_end(j);
}

static void report_data(FILE *f, const HolSweep *w) {
    const HolStudy *s = &w->study;
    HolJson j = {.put = report_put, .to = f, .in_page = 1};
    const char *slash = strrchr(s->file, '/');
    char text[256];
    hol_json_begin(&j, NULL, '{', HOL_JSON_LINES);
    snprintf(text, sizeof text, "Sweep %.200s", slash ? slash + 1 : s->file);
    hol_json_text(&j, "title", text);
    snprintf(text, sizeof text,
             "%ld runs, %ld failed; %.3g s of CPU time, %.3g ms a run on average", s->runs,
             w->failed, w->cpu_seconds, 1e3 * w->cpu_seconds / (double)s->runs);
    hol_json_text(&j, "summary", text);
    hol_json_begin(&j, "columns", '[', HOL_JSON_LINES);
    for (int k = 0; k < s->n_vary + s->n_records; k++)
        report_column(&j, w, k);
    hol_json_end(&j);
    hol_json_begin(&j, "status", '[', HOL_JSON_ROW);
    for (long i = 0; i < s->runs; i++)
        hol_json_text(&j, NULL, hol_sweep_status(&w->rows[i]));
    hol_json_end(&j);
    hol_json_begin(&j, "message", '[', HOL_JSON_ROW);
    for (long i = 0; i < s->runs; i++)
        hol_json_text(&j, NULL, w->rows[i].message);
    hol_json_end(&j);
    hol_json_end(&j);
}

HolStatus hol_sweep_report(const HolSweep *w, const char *path, HolError *err) {
    static const char mark[] = "@DATA@";
    const char *page = hol_sweep_page[0][1], *at = strstr(page, mark);
    HolArena arena = {0};
    HolAtomicFile place;
    HolStatus status = hol_file_choose(&place, &arena, path, err);
    FILE *f = status ? NULL : hol_file_open(&place, err);
    if (f) {
        fwrite(page, 1, (size_t)(at - page), f);
        report_data(f, w);
        fputs(at + sizeof mark - 1, f);
        status = hol_file_close(&place, f, 1, err);
    } else if (!status) {
        status = HOL_ERR_FILE;
    }
    hol_arena_free(&arena);
    return status;
}
