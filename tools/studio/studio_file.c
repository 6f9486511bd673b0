// SPDX-License-Identifier: Apache-2.0
// Files that the studio touches outside its own folder: the model it was opened with, which alone
// it may write, and those that a model names (meshes, tables, parts), which it reads from the
// model's folder and below. A run sees them as links in a folder of its own, and nothing else by a
// name of the model or of a setting.
#define _GNU_SOURCE // realpath
#include "base/sha256.h"
#include "io/atomic_file.h"
#include "io/model/parse_text.h"
#include "io/result/read_result.h"
#include "tools/studio/studio.h"
#include "tools/studio/studio_names.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- the opened model ----

char *hol_studio_file(const HolStudio *s, HolArena *arena, size_t *length, char version[65]) {
    char *text = s->model_path ? hol_read_whole(arena, s->model_path, length) : NULL;
    if (!text || *length > HOL_STUDIO_TEXT || memchr(text, 0, *length))
        return NULL;
    hol_sha256_text(text, *length, version);
    return text;
}

// complete or as it was
static HolStatus replace_file(const HolStudio *s, HolArena *arena, const char *text, size_t length,
                              HolError *err) {
    HolAtomicFile place;
    HolStatus status = hol_file_choose(&place, arena, s->model_path, err);
    if (status)
        return status;
    place.path = s->model_name; // for messages
    FILE *f = hol_file_open(&place, err);
    if (!f)
        return HOL_ERR_FILE;
    fwrite(text, 1, length, f);
    return hol_file_close(&place, f, 1, err);
}

HolStatus hol_studio_save(const HolStudio *s, const char *text, size_t length, const char *version,
                          HolError *err) {
    HolArena arena = {0};
    char now[65];
    size_t n = 0;
    HolStatus status = HOL_OK;
    if (!hol_studio_file(s, &arena, &n, now))
        status = hol_error_set(err, HOL_ERR_INPUT,
                               "%s is no longer there or no longer readable; nothing was written",
                               s->model_name);
    else if (strcmp(now, version) != 0)
        status = hol_error_set(err, HOL_ERR_INPUT,
                               "%s was changed on disk after it was opened here; nothing was "
                               "written. Download this text, or load the file again.",
                               s->model_name);
    if (!status)
        status = replace_file(s, &arena, text, length, err);
    hol_arena_free(&arena);
    return status;
}

// ---- names of files in a model ----

// 1 when the real path lies below the folder, itself a real path
static int is_below(const char *path, const char *folder) {
    size_t n = strlen(folder);
    return strncmp(path, folder, n) == 0 && (path[n] == '/' || strcmp(folder, "/") == 0);
}

int hol_studio_real(const char *folder, const char *name, char out[PATH_MAX]) {
    char path[PATH_MAX], root[PATH_MAX];
    return snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path &&
           realpath(folder, root) && realpath(path, out) && is_below(out, root);
}

// "a/b.stl": relative, every part a plain name
static int is_plain(const char *name) {
    size_t n;
    if (name[0] == '/')
        return 0;
    for (const char *part = name; *part; part += n + (part[n] == '/')) {
        n = strcspn(part, "/");
        if (n == 0 || (n == 1 && part[0] == '.') || (n == 2 && strncmp(part, "..", 2) == 0))
            return 0;
    }
    return name[0] != 0;
}

// the folder of the model that a text came from: of the gallery, or the opened one; 0: none
static int folder_of(const HolStudio *s, const char *from, char out[PATH_MAX]) {
    char path[PATH_MAX];
    if (from && !hol_studio_model_path(s, from, path))
        return 0;
    if (!from && !s->model_path)
        return 0;
    snprintf(out, PATH_MAX, "%s", from ? path : s->model_path);
    char *slash = strrchr(out, '/');
    if (slash)
        *slash = 0;
    return slash != NULL;
}

// why a run may not have the file; NULL: it may (or the file is missing, which the report says)
static const char *refusal(const char *folder, const char *name) {
    char path[PATH_MAX], real[PATH_MAX];
    if (!is_plain(name))
        return "lies outside the model's folder, where the studio reads nothing";
    if (hol_studio_own_file(name))
        return "has a name that the studio uses itself";
    if (!folder || snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path ||
        access(path, F_OK) != 0 || hol_studio_real(folder, name, real))
        return NULL;
    return "leads out of the model's folder, where the studio reads nothing";
}

int hol_studio_folder(const HolStudio *s, const char *from, char out[PATH_MAX]) {
    return folder_of(s, from, out);
}

HolStatus hol_studio_parse(const HolStudio *s, const char *from, const char *text, size_t length,
                           HolModel **m, HolSimOptions *o, int *refused, HolError *err) {
    char folder[PATH_MAX];
    HolModelText model = {.text = text, .length = length, .file = "model.yaml"};
    model.folder = folder_of(s, from, folder) ? folder : ""; // "": no file at all
    model.refused = refused;
    *refused = 0;
    return hol_model_parse_text(&model, m, o, sizeof *o, err);
}

HolStatus hol_studio_check_files(const HolStudio *s, const char *from, const char *text,
                                 size_t length, const char *const *settings, int n,
                                 const char *file, HolError *err) {
    char folder[PATH_MAX];
    HolArena arena = {0};
    const HolStudioName *names;
    const int known = folder_of(s, from, folder);
    const int count = hol_studio_names(&arena, text, length, settings, n, &names);
    HolStatus status = count < 0 ? hol_error_set(err, HOL_ERR_MEMORY, "out of memory") : HOL_OK;
    for (int i = 0; i < count; i++) {
        const char *why = refusal(known ? folder : NULL, names[i].name);
        if (why)
            status = hol_error_add(err, HOL_ERR_INPUT, names[i].line ? file : NULL, names[i].line,
                                   names[i].column, "the file '%.200s' %s", names[i].name, why);
    }
    hol_arena_free(&arena);
    return status;
}

// a link to `real` as folder/name, with the folders it needs
static void link_file(const char *folder, const char *name, const char *real) {
    char path[PATH_MAX];
    size_t start = strlen(folder) + 1;
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return;
    for (char *c = path + start; (c = strchr(c, '/')); c++) {
        *c = 0;
        mkdir(path, 0700);
        *c = '/';
    }
    // a file that cannot be linked is missing in the report, which says so
    if (symlink(real, path) != 0)
        errno = 0;
}

enum { DEEPEST = 8, MOST_FILES = 1000 };

// a plain file, and not too large: a pipe would never end
static int is_text(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_size <= HOL_STUDIO_TEXT;
}

// a model text, and those that it names in turn (parts, includes), from `inside` the folder
static void link_named(const char *folder, const char *run_folder, const char *text, size_t length,
                       const char *const *settings, int n, int depth, int *left) {
    HolArena arena = {0};
    const HolStudioName *names;
    char real[PATH_MAX];
    const int count = hol_studio_names(&arena, text, length, settings, n, &names);
    for (int i = 0; i < count && --*left > 0; i++) {
        const char *name = names[i].name;
        size_t size = 0;
        if (refusal(folder, name) || !hol_studio_real(folder, name, real))
            continue;
        link_file(run_folder, name, real);
        const char *dot = strrchr(name, '.');
        const char *inner = depth < DEEPEST && dot && strcmp(dot, ".yaml") == 0 && is_text(real)
                                ? hol_read_whole(&arena, real, &size)
                                : NULL;
        if (inner && !strchr(name, '/'))
            link_named(folder, run_folder, inner, size, NULL, 0, depth + 1, left);
    }
    hol_arena_free(&arena);
}

void hol_studio_link_files(const HolStudio *s, const char *from, const char *text, size_t length,
                           const char *const *settings, int n, const char *run_folder) {
    char folder[PATH_MAX];
    int left = MOST_FILES;
    if (folder_of(s, from, folder))
        link_named(folder, run_folder, text, length, settings, n, 0, &left);
}
