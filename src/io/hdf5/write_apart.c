// SPDX-License-Identifier: Apache-2.0
// HDF5 results written by a process of their own: libhdf5 does not survive a lack of memory, and what
// ends the child is an error here. The child is made when the result is opened; it holds the writer
// as it was then and works with the format of write_hdf5.c. Messages: a kind, then
//   ROW, BOUNDS   the numbers of a row
//   LINE          a line of a table: its number, the struct
//   TOLD          what the manifest says of the run (Told), its two texts
//   CLOSE         keep or not
// The child answers twice, with a status and a HolError: once after opening, once at the end or as
// soon as something failed (then it reads on without writing).
#include "io/apart.h"
#include "io/result/write_result.h"

#ifdef HOL_HAVE_HDF5

#include <errno.h>
#include <signal.h>
#include <string.h>

enum { BUFFER = 1 << 16 };
typedef enum Kind { ROW, BOUNDS, LINE, TOLD, CLOSE } Kind;

typedef struct Answer {
    HolStatus status;
    HolError err;
} Answer;

typedef struct Told {
    long rows;
    HolStats stats;
    HolCheck check;
    int has_stats, has_check;
    HolStatus status;
    size_t message, certificate; // bytes of the texts behind it; 0: none, else with their ending 0
    HolTableFacts tables[HOL_TABLES];
} Told;

typedef struct Apart {
    HolApart child;
    size_t used;
    int answered; // the last answer is here
    Answer answer;
    char buffer[BUFFER];
} Apart;

// what the child needs of the caller
typedef struct Job {
    HolResultWriter *w;
    const HolModel *m;
    const HolSimOptions *o;
} Job;

// ---- the child ----

static char *apart_text(HolResultWriter *w, int fd, size_t size, int *ok) {
    char *text = size ? hol_arena_alloc(&w->arena, size) : NULL;
    *ok = *ok && (!size || (text && hol_apart_receive(fd, text, size)));
    return text;
}

static int apart_take_told(HolResultWriter *w, int fd, Told *told) {
    int ok = hol_apart_receive(fd, told, sizeof *told);
    if (!ok)
        return 0;
    w->rows = told->rows;
    w->stats = told->stats;
    w->check = told->check;
    w->has_stats = told->has_stats;
    w->has_check = told->has_check;
    w->status = told->status;
    w->message = apart_text(w, fd, told->message, &ok);
    w->certificate = apart_text(w, fd, told->certificate, &ok);
    memcpy(w->tables, told->tables, sizeof w->tables);
    return ok;
}

// libhdf5 seldom says that it had no memory
static void apart_answer(int fd, HolStatus status, Answer *a, const HolResultWriter *w) {
    a->status = status;
    if (status && errno == ENOMEM)
        a->status =
            hol_error_set(&a->err, HOL_ERR_MEMORY, "cannot write %s: out of memory", w->place.path);
    hol_apart_send(fd, a, sizeof *a);
}

static int apart_take_line(int fd, int *table, HolTableLine *line) {
    return hol_apart_receive(fd, table, sizeof *table) && *table >= 0 && *table < HOL_TABLES &&
           hol_apart_receive(fd, line, hol_tables[*table].size);
}

// messages until the end; a failure is told at once, and what follows is read and dropped
static void apart_serve(HolResultWriter *w, int fd, double *row, Answer *a, Told *told) {
    const HolResultFormat *format = &hol_result_hdf5;
    const size_t bytes = (size_t)w->columns * sizeof *row;
    HolStatus status = HOL_OK;
    int kind = CLOSE, keep = 0, had = 0, table = 0;
    HolTableLine line;
    while (hol_apart_receive(fd, &kind, sizeof kind) && kind != CLOSE) {
        if (!(kind == TOLD   ? apart_take_told(w, fd, told)
              : kind == LINE ? apart_take_line(fd, &table, &line)
                             : hol_apart_receive(fd, row, bytes)))
            break;
        if (kind == LINE && !status)
            status = format->line(w, table, &line, &a->err);
        else if (kind != TOLD && !status)
            status = (kind == ROW ? format->row : format->errors)(w, row, &a->err);
        if (status && !had)
            apart_answer(fd, status, a, w);
        had = status != HOL_OK;
    }
    // (a caller that is gone keeps nothing)
    if (kind != CLOSE || !hol_apart_receive(fd, &keep, sizeof keep))
        keep = 0;
    HolError late;
    const HolStatus closed = format->close(w, keep && !status, had ? &late : &a->err);
    if (!had)
        apart_answer(fd, closed, a, w);
}

static void apart_write(int fd, void *user) {
    Job *job = user;
    HolResultWriter *w = job->w;
    Answer *a = HOL_NEW(&w->arena, Answer, 1);
    Told *told = HOL_NEW(&w->arena, Told, 1);
    double *row = HOL_NEW(&w->arena, double, w->columns + 1);
    if (!a || !told || !row)
        return;
    errno = 0;
    const HolStatus status = hol_result_hdf5.open(w, job->m, job->o, &a->err);
    apart_answer(fd, status, a, w);
    memset(a, 0, sizeof *a);
    if (!status)
        apart_serve(w, fd, row, a, told);
}

// ---- the caller ----

static HolStatus apart_broke(HolResultWriter *w, int code, HolError *err) {
    if (code > 0 && code != SIGKILL)
        return hol_result_error(w, "the HDF5 library broke down; it may be out of memory", err);
    return hol_result_error(w, "the process that writes it ended; it may be out of memory", err);
}

// the child's answer: its status; also when there is none
static HolStatus apart_wait(HolResultWriter *w, HolError *err) {
    Apart *p = w->data;
    if (!p->answered && !hol_apart_receive(p->child.fd, &p->answer, sizeof p->answer))
        return apart_broke(w, hol_apart_end(&p->child), err);
    if (err && p->answer.status)
        *err = p->answer.err;
    return p->answer.status;
}

static HolStatus apart_flush(HolResultWriter *w, HolError *err) {
    Apart *p = w->data;
    const int sent = hol_apart_send(p->child.fd, p->buffer, p->used);
    p->used = 0;
    if (sent && !hol_apart_ready(p->child.fd))
        return HOL_OK;
    // it says what failed, or it is gone
    HolStatus status = apart_wait(w, err);
    p->answered = 1;
    if (!status)
        status = apart_broke(w, 0, err);
    p->answer.status = status;
    return status;
}

static HolStatus apart_put(HolResultWriter *w, const void *data, size_t size, HolError *err) {
    Apart *p = w->data;
    const char *from = data;
    HolStatus status = HOL_OK;
    while (size > 0 && !status) {
        const size_t room = BUFFER - p->used, n = size < room ? size : room;
        memcpy(p->buffer + p->used, from, n);
        p->used += n;
        from += n;
        size -= n;
        if (p->used == BUFFER)
            status = apart_flush(w, err);
    }
    return status;
}

static HolStatus apart_open(HolResultWriter *w, const HolModel *m, const HolSimOptions *o,
                            HolError *err) {
    Apart *p = HOL_NEW(&w->arena, Apart, 1);
    if (!p)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    Job job = {w, m, o};
    const int reason = hol_apart_start(&p->child, apart_write, &job, 0);
    w->data = p;
    if (reason) {
        char text[256];
        snprintf(text, sizeof text, "no process to write HDF5: %s", strerror(reason));
        return hol_result_error(w, text, err);
    }
    const HolStatus status = apart_wait(w, err);
    if (status)
        hol_apart_end(&p->child);
    return status;
}

static HolStatus apart_send_row(HolResultWriter *w, int kind, const double *row, HolError *err) {
    const Apart *p = w->data;
    if (p->answered)
        return HOL_ERR_FILE;
    const HolStatus status = apart_put(w, &kind, sizeof kind, err);
    return status ? status : apart_put(w, row, (size_t)w->columns * sizeof *row, err);
}

static HolStatus apart_row(HolResultWriter *w, const double *row, HolError *err) {
    return apart_send_row(w, ROW, row, err);
}

static HolStatus apart_errors(HolResultWriter *w, const double *bounds, HolError *err) {
    return apart_send_row(w, BOUNDS, bounds, err);
}

static HolStatus apart_line(HolResultWriter *w, int table, const HolTableLine *line,
                            HolError *err) {
    const Apart *p = w->data;
    const int head[2] = {LINE, table};
    if (p->answered)
        return HOL_ERR_FILE;
    const HolStatus status = apart_put(w, head, sizeof head, err);
    return status ? status : apart_put(w, line, hol_tables[table].size, err);
}

static HolStatus apart_send_told(HolResultWriter *w, HolError *err) {
    Told told;
    memset(&told, 0, sizeof told); // the gaps between members are sent too
    told.rows = w->rows;
    told.stats = w->stats;
    told.check = w->check;
    told.has_stats = w->has_stats;
    told.has_check = w->has_check;
    told.status = w->status;
    told.message = w->message ? strlen(w->message) + 1 : 0;
    told.certificate = w->certificate ? strlen(w->certificate) + 1 : 0;
    memcpy(told.tables, w->tables, sizeof told.tables);
    const int kind = TOLD;
    HolStatus status = apart_put(w, &kind, sizeof kind, err);
    if (!status)
        status = apart_put(w, &told, sizeof told, err);
    if (!status)
        status = apart_put(w, w->message, told.message, err);
    return status ? status : apart_put(w, w->certificate, told.certificate, err);
}

static HolStatus apart_close(HolResultWriter *w, int keep, HolError *err) {
    Apart *p = w->data;
    const int kind = CLOSE;
    HolStatus status = p->answered ? HOL_ERR_FILE : HOL_OK;
    if (!status && keep)
        status = apart_send_told(w, err);
    if (!status)
        status = apart_put(w, &kind, sizeof kind, err);
    if (!status)
        status = apart_put(w, &keep, sizeof keep, err);
    if (!status && p->used && !hol_apart_send(p->child.fd, p->buffer, p->used))
        p->used = 0; // what it says follows
    if (!p->answered)
        status = apart_wait(w, err);
    hol_apart_end(&p->child);
    if (!status)
        return HOL_OK;
    hol_file_finish(&w->place, NULL, 0, NULL); // nothing is left of one that broke down
    return keep ? status : HOL_OK;
}

const HolResultFormat hol_result_hdf5_apart = {
    .name = "HDF5",
    .endings = {".h5", ".hdf5"},
    .tells_columns = 1,
    .open = apart_open,
    .row = apart_row,
    .errors = apart_errors,
    .line = apart_line,
    .close = apart_close,
};

#else

typedef int HolHdf5ApartNotBuilt;

#endif
