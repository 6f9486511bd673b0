// SPDX-License-Identifier: Apache-2.0
// Files that a model names: from the disk, beside the model, or the texts that a stored result has
// kept of them (src/io/result/result_model.c).
#include "io/model/read.h"
#include "io/result/read_result.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// relative to the model file; NULL without memory
static const char *read_file_place(HolReader *r, const char *path) {
    const char *slash = strrchr(r->file, '/');
    if (path[0] == '/' || !slash)
        return path;
    const size_t folder = (size_t)(slash - r->file) + 1, size = folder + strlen(path) + 1;
    char *place = hol_arena_alloc(r->arena, size);
    if (place)
        snprintf(place, size, "%.*s%s", (int)folder, r->file, path);
    return place;
}

static char *read_file_given(HolReader *r, const char *path, size_t *length) {
    for (int i = 0; i < r->n_given; i++)
        if (r->given[i].text && strcmp(r->given[i].path, path) == 0) {
            *length = r->given[i].length;
            return hol_arena_text_n(r->arena, r->given[i].text, *length);
        }
    return NULL;
}

// in the folder that a text from outside is confined to, links followed; NULL: outside, or missing
static const char *read_file_confined(HolReader *r, const char *path) {
    char folder[PATH_MAX], real[PATH_MAX];
    const size_t size = strlen(r->folder) + strlen(path) + 2;
    char *place = hol_arena_alloc(r->arena, size);
    if (!place)
        return NULL;
    snprintf(place, size, "%s/%s", r->folder, path);
    int ok = path[0] != '/' && realpath(r->folder, folder) != NULL;
    if (ok && !realpath(place, real))
        return strstr(path, "..") ? NULL : place; // is not there: opening says so
    const size_t n = ok ? strlen(folder) : 0;
    ok = ok && strncmp(real, folder, n) == 0 && (real[n] == '/' || strcmp(folder, "/") == 0);
    return ok ? place : NULL;
}

int hol_read_allows(HolReader *r, const char *path) {
    const int allowed = !r->folder || read_file_confined(r, path) || r->arena->failed;
    if (!allowed && r->refused)
        *r->refused = 1;
    return allowed;
}

char *hol_read_file(HolReader *r, const char *path, size_t *length) {
    char *text = read_file_given(r, path, length);
    const char *place = NULL;
    if (!text && r->folder)
        place = hol_read_allows(r, path) ? read_file_confined(r, path) : NULL;
    else if (!text)
        place = read_file_place(r, path);
    errno = r->folder && !place ? EPERM : ENOMEM;
    if (!text && place)
        text = hol_read_whole(r->arena, place, length);
    if (!text && errno == ENOMEM)
        r->no_memory = 1;
    if (text && hol_model_add_file(r->model, path, text, *length) != HOL_OK)
        r->no_memory = 1;
    return text;
}
