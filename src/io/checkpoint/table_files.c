// SPDX-License-Identifier: Apache-2.0
// The tables of a run that may be killed, as CSV: each is begun with its first line. Beside a CSV result
// they get their names before it; into an HDF5 file they are copied.
#include "io/checkpoint/checkpoint.h"

#include <errno.h>
#include <string.h>

HolStatus hol_table_files_choose(HolTableFiles *t, HolArena *arena, const char *result,
                                 HolError *err) {
    for (int i = 0; i < HOL_TABLES; i++) {
        const char *path = hol_table_path(arena, result, &hol_tables[i]);
        const HolStatus status = path ? hol_part_choose(&t->part[i], arena, path, err)
                                      : hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
        if (status)
            return status;
    }
    return HOL_OK;
}

HolStatus hol_table_files_line(HolTableFiles *t, int table, const HolTableLine *line,
                               HolError *err) {
    HolPartFile *p = &t->part[table];
    if (!p->file) {
        const HolStatus status = hol_part_create(p, err);
        if (status)
            return status;
        hol_table_put_header(&hol_tables[table], p->file);
    }
    errno = 0;
    hol_table_put(&hol_tables[table], line, p->file);
    t->lines[table]++;
    return ferror(p->file) ? hol_part_error(p, "write", strerror(errno ? errno : EIO), err)
                           : HOL_OK;
}

static int table_is_named(const HolPartFile *p, const HolTableNumbers *n) {
    char sha256[65];
    uint64_t length;
    return hol_file_sha256(p->place.path, sha256, &length) && length == n->length &&
           strcmp(sha256, n->sha256) == 0;
}

int hol_table_files_named(const HolTableFiles *t, const HolTableNumbers *n) {
    int all = 1;
    for (int i = 0; i < HOL_TABLES; i++)
        all &= !n[i].lines || table_is_named(&t->part[i], &n[i]);
    return all;
}

HolStatus hol_table_files_take(HolTableFiles *t, const HolTableNumbers *n, int named,
                               HolError *err) {
    HolStatus status = HOL_OK;
    for (int i = 0; i < HOL_TABLES && !status; i++) {
        HolPartFile *p = &t->part[i];
        t->lines[i] = (long)n[i].lines;
        if (n[i].lines && !(named && !hol_part_there(p) && table_is_named(p, &n[i])))
            status = hol_part_take(p, n[i].length, n[i].sha256, err);
    }
    return status;
}

HolStatus hol_table_files_sync(HolTableFiles *t, HolTableNumbers *n, HolError *err) {
    HolStatus status = HOL_OK;
    for (int i = 0; i < HOL_TABLES && !status; i++) {
        n[i].lines = t->lines[i];
        if (t->part[i].file)
            status = hol_part_sync(&t->part[i], &n[i].length, n[i].sha256, err);
    }
    return status;
}

HolStatus hol_table_files_each(HolTableFiles *t, int table,
                               HolStatus (*put)(void *to, int table, const HolTableLine *line,
                                                HolError *err),
                               void *to, HolError *err) {
    const HolPartFile *p = &t->part[table];
    HolTableLine line;
    HolStatus status = HOL_OK;
    if (!t->lines[table])
        return HOL_OK;
    FILE *from = p->file ? p->file : fopen(p->place.path, "rbe");
    if (!from)
        return hol_error_set(err, HOL_ERR_FILE, "cannot read %s: %s", p->place.path,
                             strerror(errno));
    int got = 1, c;
    rewind(from); // (what was written is in the file then)
    do
        c = getc(from);
    while (c != EOF && c != '\n');
    long n = 0;
    for (; !status && (got = hol_table_get(&hol_tables[table], from, &line)) > 0; n++)
        status = put(to, table, &line, err);
    if (!status && (got < 0 || n != t->lines[table]))
        status = hol_part_error(p, "read", "a line is damaged or missing", err);
    if (!p->file)
        fclose(from);
    else
        fseek(from, 0, SEEK_END);
    return status;
}

// a kill between two of them leaves names that hol_table_files_take knows
HolStatus hol_table_files_finish(HolTableFiles *t, HolError *err) {
    HolStatus status = HOL_OK;
    for (int i = 0; i < HOL_TABLES && !status; i++) {
        HolPartFile *p = &t->part[i];
        if (p->file)
            status = hol_file_close(&p->place, p->file, 1, err);
        p->file = NULL;
    }
    return status;
}

void hol_table_files_close(HolTableFiles *t) {
    for (int i = 0; i < HOL_TABLES; i++) {
        if (t->part[i].file)
            fclose(t->part[i].file);
        t->part[i].file = NULL;
    }
}

void hol_table_files_discard(const HolTableFiles *t) {
    for (int i = 0; i < HOL_TABLES; i++)
        hol_part_discard(&t->part[i]);
}
