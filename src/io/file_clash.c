// SPDX-License-Identifier: Apache-2.0
// Outputs that would replace an input, or each other. Two names are one file when they lead to the
// same device and inode, or, where nothing is there yet, to the same name in the same folder (links
// followed). Terminals, /dev/null, pipes and sockets hold nothing that could be lost.
#include "io/file_clash.h"
#include "io/atomic_file.h"
#include "model/model.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

// the path of a file that the model names
static int file_clash_beside(const HolModel *m, const char *file, char *out, size_t size) {
    const char *model = m->file ? m->file : "", *slash = strrchr(model, '/');
    if (m->folder && file[0] != '/')
        return snprintf(out, size, "%s/%s", m->folder, file) < (int)size;
    const int folder = file[0] != '/' && slash ? (int)(slash - model) + 1 : 0;
    return snprintf(out, size, "%.*s%s", folder, model, file) < (int)size;
}

int hol_mesh_path(const HolModel *m, int body, char *out, size_t size) {
    const HolShapeDef *s = &m->def.bodies[body].def.shape;
    if (!s->type || strcmp(s->type, "mesh") != 0 || !s->file)
        return 0;
    return file_clash_beside(m, s->file, out, size);
}

typedef struct Use { // a name and what it stands for
    const char *path;
    int output;
} Use;

typedef struct Uses {
    HolArena arena;
    Use *list;
    int n, capacity;
} Uses;

static int file_clash_add(Uses *u, const char *path, int output) {
    if (!path || !path[0])
        return 1;
    if (!HOL_GROW(&u->arena, u->list, u->n, u->capacity))
        return 0;
    const char *copy = hol_arena_text(&u->arena, path);
    u->list[u->n] = (Use){copy, output};
    u->n += copy != NULL;
    return copy != NULL;
}

static int ends_in_csv(const char *path) {
    size_t n = strlen(path);
    return n > 4 && strcasecmp(path + n - 4, ".csv") == 0;
}

// a file; with results as CSV also their description, which stands beside the file itself
static int add_file(Uses *u, const char *path, int output) {
    char target[PATH_MAX], manifest[PATH_MAX + 8];
    if (!file_clash_add(u, path, output))
        return 0;
    if (!path || !ends_in_csv(path))
        return 1;
    snprintf(manifest, sizeof manifest, "%s.json", path);
    if (!output && !file_clash_add(u, manifest, output))
        return 0;
    if (hol_file_target(path, target))
        return 1;
    snprintf(manifest, sizeof manifest, "%s.json", target);
    return file_clash_add(u, manifest, output);
}

// the model's own file and those it names
static int add_model(Uses *u, const HolModel *m) {
    char path[PATH_MAX];
    if (!m)
        return 1;
    int ok = file_clash_add(u, m->file, 0);
    for (int i = 0; ok && i < m->n_files; i++)
        if (file_clash_beside(m, m->files[i].path, path, sizeof path))
            ok = file_clash_add(u, path, 0);
    for (int i = 1; ok && i < hol_visible_bodies(m); i++)
        if (hol_mesh_path(m, i, path, sizeof path))
            ok = file_clash_add(u, path, 0);
    return ok;
}

// what is there under the name; 0: nothing
static int file_clash_look(const Use *use, struct stat *info) {
    if (strcmp(use->path, "-") == 0)
        return fstat(use->output ? STDOUT_FILENO : STDIN_FILENO, info) == 0;
    return stat(use->path, info) == 0;
}

// the folder as a real path and the name in it; 0: there is no such folder
static int real_name(const Use *use, char folder[PATH_MAX], char name[PATH_MAX]) {
    char target[PATH_MAX], place[PATH_MAX];
    if (hol_file_target(use->path, target))
        return 0;
    const char *slash = strrchr(target, '/');
    const int length = slash ? (int)(slash - target) + 1 : 0;
    snprintf(name, PATH_MAX, "%s", target + length);
    return snprintf(place, sizeof place, "%.*s.", length, target) < (int)sizeof place &&
           realpath(place, folder) != NULL;
}

static int one_file(const Use *a, const Use *b) {
    struct stat x, y;
    const int has_a = file_clash_look(a, &x), has_b = file_clash_look(b, &y);
    if (a->output == b->output && strcmp(a->path, b->path) == 0 && strcmp(a->path, "-") == 0)
        return 1;
    if (has_a && has_b)
        return x.st_dev == y.st_dev && x.st_ino == y.st_ino &&
               (S_ISREG(x.st_mode) || S_ISBLK(x.st_mode));
    if (has_a || has_b)
        return 0;
    char folder_a[PATH_MAX], folder_b[PATH_MAX], name_a[PATH_MAX], name_b[PATH_MAX];
    return real_name(a, folder_a, name_a) && real_name(b, folder_b, name_b) &&
           strcmp(name_a, name_b) == 0 && strcmp(folder_a, folder_b) == 0;
}

static const char *file_clash_name(const Use *use) {
    return strcmp(use->path, "-") != 0 ? use->path
           : use->output               ? "standard output"
                                       : "standard input";
}

static HolStatus file_clash_compare(const Uses *u, HolError *err) {
    // (inputs, of which a model may have very many, stand before the outputs)
    for (int i = 0; i < u->n; i++)
        for (int k = 0; u->list[i].output && k < i; k++) {
            const Use *a = &u->list[k], *b = &u->list[i];
            if (!one_file(a, b))
                continue;
            if (a->output)
                return hol_error_set(err, HOL_ERR_INPUT,
                                     "the outputs '%s' and '%s' are one file: name another",
                                     file_clash_name(a), file_clash_name(b));
            return hol_error_set(err, HOL_ERR_INPUT,
                                 "the output '%s' would replace '%s', which is read (they are one "
                                 "file): name another",
                                 file_clash_name(b), file_clash_name(a));
        }
    return HOL_OK;
}

HolStatus hol_files_apart(const HolModel *m, const char *const *inputs, int n_inputs,
                          const char *const *outputs, int n_outputs, HolError *err) {
    Uses u = {0};
    hol_error_clear(err);
    int ok = add_model(&u, m);
    for (int i = 0; ok && i < n_inputs; i++)
        ok = add_file(&u, inputs[i], 0);
    for (int i = 0; ok && i < n_outputs; i++)
        ok = add_file(&u, outputs[i], 1);
    const HolStatus status =
        ok ? file_clash_compare(&u, err) : hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    hol_arena_free(&u.arena);
    return status;
}
