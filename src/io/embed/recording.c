// SPDX-License-Identifier: Apache-2.0
// The rows of a run in memory, and from there into a file.
#include "base/arena.h"
#include "base/error.h"
#include "base/sized.h"
#include "holonom/embed.h"
#include "holonom/result.h"
#include "solve/sim.h"

#include <string.h>

struct HolRecording {
    HolArena arena;
    HolSim *s;
    HolArena memory; // of the rows: replaced as a whole when they grow
    double *data;
    long rows, room;
    int columns;
    HolEvent *events;
    int n_events, room_events;
    HolImpulse *impulses;
    int n_impulses, room_impulses;
};

HolStatus hol_recording_create(HolSim *s, HolRecording **out, HolError *err) {
    HolArena arena = {0};
    hol_error_clear(err);
    if (!s || !out)
        return hol_error_set(err, HOL_ERR_INPUT, "a run and a place for the recording are needed");
    *out = NULL;
    if (!s->model)
        return hol_error_set(err, HOL_ERR_UNSUPPORTED,
                             "result columns exist for models only, not for a C problem");
    HolRecording *r = HOL_NEW(&arena, HolRecording, 1);
    if (!r)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    r->arena = arena;
    r->s = s;
    r->columns = hol_model_column_count(s->model);
    *out = r;
    return HOL_OK;
}

// a place for one more row; NULL: no memory
static double *recording_place(HolRecording *r) {
    if (r->rows == r->room) {
        const long room = r->room ? 2 * r->room : 256;
        HolArena memory = {0};
        double *data = hol_arena_array(&memory, sizeof(double),
                                       (size_t)room * (size_t)(r->columns ? r->columns : 1));
        if (!data) {
            hol_arena_free(&memory);
            return NULL;
        }
        if (r->rows)
            memcpy(data, r->data, sizeof *data * (size_t)r->rows * (size_t)r->columns);
        hol_arena_free(&r->memory);
        r->memory = memory;
        r->data = data;
        r->room = room;
    }
    return r->data + r->rows * r->columns;
}

static HolStatus recording_row(void *user, HolSim *s, int what, double t, HolError *err) {
    HolRecording *r = user;
    HolEvent event;
    for (int i = 0; what == HOL_AT_EVENT && hol_sim_event(s, i, &event); i++) {
        if (!HOL_GROW(&r->arena, r->events, r->n_events, r->room_events))
            return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
        r->events[r->n_events++] = event;
    }
    HolImpulse impulse;
    for (int i = 0; what == HOL_AT_EVENT && hol_sim_impulse(s, i, &impulse); i++) {
        if (!HOL_GROW(&r->arena, r->impulses, r->n_impulses, r->room_impulses))
            return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
        r->impulses[r->n_impulses++] = impulse;
    }
    if (what != HOL_AT_ROW)
        return HOL_OK;
    double *row = recording_place(r);
    if (!row)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    const HolStatus status = hol_sim_row(s, t, row, err);
    r->rows += status == HOL_OK;
    return status;
}

HolStatus hol_recording_run(HolRecording *r, double end, double seconds, int *done, HolError *err) {
    hol_error_clear(err);
    if (!r || !done)
        return hol_error_set(err, HOL_ERR_INPUT, "there is no recording: NULL");
    return hol_sim_run_some(r->s, end, seconds, recording_row, r, done, err);
}

long hol_recording_rows(const HolRecording *r) {
    return r ? r->rows : 0;
}

int hol_recording_columns(const HolRecording *r) {
    return r ? r->columns : 0;
}

const double *hol_recording_data(const HolRecording *r) {
    return r ? r->data : NULL;
}

int hol_recording_event(const HolRecording *r, long i, HolEvent *out) {
    if (!r || !out || i < 0 || i >= r->n_events)
        return 0;
    *out = r->events[i];
    return 1;
}

int hol_recording_impulse_sized(const HolRecording *r, long i, HolImpulse *out, size_t room) {
    if (!r || !out || i < 0 || i >= r->n_impulses)
        return 0;
    hol_sized_make(out, room, &r->impulses[i], sizeof *r->impulses);
    return 1;
}

HolStatus hol_recording_write(HolRecording *r, const char *path, HolStatus status,
                              const char *message, HolError *err) {
    HolResultWriter *writer = NULL;
    hol_error_clear(err);
    if (!r || !path)
        return hol_error_set(err, HOL_ERR_INPUT, "a recording and a path are needed");
    HolStatus done = hol_result_open(path, r->s->model, &r->s->o, &writer, err);
    for (long i = 0; done == HOL_OK && i < r->rows; i++)
        done = hol_result_row(writer, r->data + i * r->columns, err);
    for (long i = 0; done == HOL_OK && i < r->n_events; i++)
        done = hol_result_event(writer, &r->events[i], err);
    for (long i = 0; done == HOL_OK && i < r->n_impulses; i++)
        done = hol_result_impulse(writer, &r->impulses[i], err);
    if (!writer)
        return done;
    const HolStats stats = hol_sim_stats(r->s);
    HolCheck check;
    const int checked = hol_sim_check(r->s, &check, NULL) == HOL_OK;
    hol_result_summary(writer, &stats, checked ? &check : NULL, status, message);
    const HolStatus closed = hol_result_close(writer, done == HOL_OK, done == HOL_OK ? err : NULL);
    return done != HOL_OK ? done : closed;
}

void hol_recording_destroy(HolRecording *r) {
    if (!r)
        return;
    hol_arena_free(&r->memory);
    HolArena arena = r->arena; // it lives in its arena
    hol_arena_free(&arena);
}
