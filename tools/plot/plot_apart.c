// SPDX-License-Identifier: Apache-2.0
// Pictures are drawn by a process of their own: fontconfig, which looks for the letters, neither
// survives a lack of memory nor ends then. The child sends status, error, and the bytes of the picture.
#include "tools/plot/plot_apart.h"
#include "base/text.h"
#include "io/apart.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct Job {
    HolPlotDraw *draw;
    void *user;
} Job;

static void plot_apart_work(int fd, void *user) {
    const Job *job = user;
    HolError err = {0};
    char *text = NULL;
    size_t length = 0;
    FILE *f = open_memstream(&text, &length);
    HolStatus status =
        f ? job->draw(job->user, f, &err) : hol_error_set(&err, HOL_ERR_MEMORY, "out of memory");
    if (f && !hol_memory_close(f, &text) && !status)
        status = hol_error_set(&err, HOL_ERR_MEMORY, "out of memory");
    if (status)
        length = 0;
    if (hol_apart_send(fd, &status, sizeof status) && hol_apart_send(fd, &err, sizeof err) &&
        hol_apart_send(fd, &length, sizeof length))
        hol_apart_send(fd, text, length);
    free(text);
}

static int plot_apart_copy(int fd, FILE *to) {
    size_t left = 0;
    char part[4096];
    if (!hol_apart_receive(fd, &left, sizeof left))
        return 0;
    while (left > 0) {
        const size_t n = left < sizeof part ? left : sizeof part;
        if (!hol_apart_receive(fd, part, n))
            return 0;
        fwrite(part, 1, n, to); // (the caller sees what fails when it closes the file)
        left -= n;
    }
    return 1;
}

HolStatus hol_plot_apart(HolPlotDraw *draw, void *user, int seconds, FILE *to, HolError *err) {
    HolApart child;
    HolStatus status = HOL_OK;
    HolError said;
    Job job = {draw, user};
    const int reason = hol_apart_start(&child, plot_apart_work, &job, seconds);
    if (reason)
        return hol_error_set(err, reason == ENOMEM ? HOL_ERR_MEMORY : HOL_ERR_FILE,
                             "no process to draw the picture: %s", strerror(reason));
    const int ok = hol_apart_receive(child.fd, &status, sizeof status) &&
                   hol_apart_receive(child.fd, &said, sizeof said) && plot_apart_copy(child.fd, to);
    hol_apart_end(&child);
    if (!ok)
        return hol_error_set(err, HOL_ERR_MEMORY,
                             "the picture could not be drawn: the libraries of fonts and pictures "
                             "broke down; memory may be short");
    if (status && err)
        *err = said;
    return status;
}
