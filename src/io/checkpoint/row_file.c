// SPDX-License-Identifier: Apache-2.0
// RESULT.part: the rows of a run that may be killed, as CSV. Of a CSV result it is the file itself, which
// gets its name at the end; an HDF5 file is written from it and the tables then, since a kill would leave
// nothing of one that is open.
#include "io/checkpoint/checkpoint.h"
#include "io/csv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

HolStatus hol_rows_choose(HolRowFile *r, HolArena *arena, const char *result, const HolModel *m,
                          HolError *err) {
    HolStatus status = hol_files_apart(m, NULL, 0, &result, 1, err);
    if (!status)
        status = hol_part_choose(&r->part, arena, result, err);
    if (status)
        return status;
    r->format = hol_result_format(result, err);
    return r->format ? HOL_OK : HOL_ERR_INPUT;
}

// the file as a stream of rows
static HolStatus rows_open(HolRowFile *r, long rows, int begun, const HolModel *m,
                           const HolSimOptions *o, HolError *err) {
    return hol_result_open_kept(&r->part.place, r->part.file, rows, begun, m, o, &r->w, err);
}

HolStatus hol_rows_create(HolRowFile *r, const HolModel *m, const HolSimOptions *o, HolError *err) {
    HolStatus status = hol_part_create(&r->part, err);
    if (status)
        return status;
    status = rows_open(r, 0, 0, m, o, err);
    if (status)
        hol_part_discard(&r->part);
    return status;
}

HolStatus hol_rows_take(HolRowFile *r, const HolModel *m, const HolSimOptions *o,
                        const HolCheckpointNumbers *n, HolError *err) {
    const HolStatus status = hol_part_take(&r->part, n->length, n->sha256, err);
    return status ? status : rows_open(r, (long)n->rows, 1, m, o, err);
}

HolStatus hol_rows_sync(HolRowFile *r, HolCheckpointNumbers *n, HolError *err) {
    n->rows = r->w->rows;
    return hol_part_sync(&r->part, &n->length, n->sha256, err);
}

void hol_rows_close(HolRowFile *r) {
    hol_result_leave(r->w);
    r->w = NULL;
    r->part.file = NULL;
}

// the rows once more, for a writer of another format
static HolStatus rows_copy(HolRowFile *r, HolResultWriter *to, HolError *err) {
    HolArena scratch = {0};
    char *line = NULL;
    size_t room = 0;
    double *row = HOL_NEW(&scratch, double, to->columns + 1);
    HolStatus status = row ? HOL_OK : hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    long n = -1; // the header
    rewind(r->part.file);
    errno = 0;
    for (; !status && getline(&line, &room, r->part.file) > 0; n++)
        if (n >= 0)
            status = hol_csv_numbers(line, to->columns, row)
                         ? hol_result_row(to, row, err)
                         : hol_part_error(&r->part, "read", "a row is damaged", err);
    if (!status && (ferror(r->part.file) || n != r->w->rows))
        status =
            hol_part_error(&r->part, "read", errno ? strerror(errno) : "rows are missing", err);
    free(line);
    hol_arena_free(&scratch);
    return status;
}

static HolStatus rows_put_line(void *to, int table, const HolTableLine *line, HolError *err) {
    return table == HOL_TABLE_EVENTS ? hol_result_event(to, &line->event, err)
                                     : hol_result_impulse(to, &line->impulse, err);
}

static HolStatus rows_convert(HolRowFile *r, HolTableFiles *tables, const HolModel *m,
                              const HolSimOptions *o, HolError *err) {
    HolResultWriter *to = NULL;
    const HolResultWriter *w = r->w;
    HolStatus status = hol_result_open(r->part.place.path, m, o, &to, err);
    if (status)
        return status;
    status = rows_copy(r, to, err);
    for (int i = 0; !status && i < HOL_TABLES; i++)
        status = hol_table_files_each(tables, i, rows_put_line, to, err);
    hol_result_summary(to, w->has_stats ? &w->stats : NULL, w->has_check ? &w->check : NULL,
                       w->status, w->message);
    const HolStatus closed = hol_result_close(to, !status, status ? NULL : err);
    return status ? status : closed;
}

HolStatus hol_rows_finish(HolRowFile *r, HolTableFiles *tables, const HolModel *m,
                          const HolSimOptions *o, HolError *err) {
    if (r->format != &hol_result_csv)
        return rows_convert(r, tables, m, o, err);
    if (r->w->arena.failed) // its manifest is not whole; the rows stay for another try
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    const HolStatus status = hol_table_files_finish(tables, err);
    if (status)
        return status;
    HolResultWriter *w = r->w;
    r->w = NULL;
    r->part.file = NULL;
    return hol_result_close(w, 1, err);
}

void hol_rows_remove(const HolRowFile *r) {
    if (r->format != &hol_result_csv)
        hol_part_discard(&r->part);
}
