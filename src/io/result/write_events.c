// SPDX-License-Identifier: Apache-2.0
// The table of events of a run, FILE_events.csv beside FILE.csv: a line an event.
#include "holonom/holonom.h"
#include "io/atomic_file.h"

#include <stdio.h>
#include <string.h>

HolStatus hol_events_write(const char *path, const HolEvent *events, long n, HolError *err) {
    char name[4096];
    HolArena arena = {0};
    HolAtomicFile place = {0};
    hol_error_clear(err);
    const char *dot = path ? strrchr(path, '.') : NULL;
    if (!dot || n < 0 || (n && !events) ||
        snprintf(name, sizeof name, "%.*s_events.csv", (int)(dot - path), path) >= (int)sizeof name)
        return hol_error_set(err, HOL_ERR_INPUT, "a table of events needs a path and its lines");
    HolStatus status = hol_file_choose(&place, &arena, name, err);
    FILE *f = status ? NULL : hol_file_open(&place, err);
    if (f) {
        fputs("time,name,kind,speed_before,speed_after,impulse_n,impulse_t,loss,sensitivity\n", f);
        for (long i = 0; i < n; i++) {
            const HolEvent *e = &events[i];
            fprintf(f, "%.17g,%s,%s,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", e->time, e->name,
                    e->kind, e->speed_before, e->speed_after, e->impulse_n, e->impulse_t, e->loss,
                    e->sensitivity);
        }
        status = hol_file_close(&place, f, 1, err);
    } else if (!status) {
        status = HOL_ERR_FILE;
    }
    hol_arena_free(&arena);
    return status;
}
