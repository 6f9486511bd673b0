// SPDX-License-Identifier: Apache-2.0
// Modes as files: a table (CSV) and the reduced matrices (Matrix Market, dense arrays by columns).
#include "holonom/tools.h"

#include "base/arena.h"
#include "base/error.h"
#include "io/atomic_file.h"

#include <string.h>

typedef struct ModesFile {
    HolArena arena;
    HolAtomicFile file;
    FILE *to;
} ModesFile;

static HolStatus modes_file_open(ModesFile *f, const char *path, HolError *err) {
    *f = (ModesFile){0};
    hol_error_clear(err);
    HolStatus status = hol_file_choose(&f->file, &f->arena, path, err);
    if (status == HOL_OK && !(f->to = hol_file_open(&f->file, err)))
        status = HOL_ERR_FILE;
    if (status != HOL_OK)
        hol_arena_free(&f->arena);
    return status;
}

static HolStatus modes_file_close(ModesFile *f, HolError *err) {
    const HolStatus status = hol_file_close(&f->file, f->to, 1, err);
    hol_arena_free(&f->arena);
    return status;
}

HolStatus hol_modes_write_csv(const HolModes *m, const char *path, HolError *err) {
    ModesFile f;
    const HolStatus status = modes_file_open(&f, path, err);
    if (status != HOL_OK)
        return status;
    fprintf(f.to, "mode,real,imag,frequency_hz,damping");
    for (int b = 0; b < m->n_bodies; b++)
        fprintf(f.to, ",%s.share", m->bodies[b]);
    for (int i = 0; i < m->n_coordinates; i++)
        fprintf(f.to, ",%s.re,%s.im", m->coordinates[i], m->coordinates[i]);
    fputc('\n', f.to);
    for (int k = 0; k < m->n_modes; k++) {
        const HolMode *o = m->modes[k];
        fprintf(f.to, "%d,%.17g,%.17g,%.17g,%.17g", k + 1, o->real, o->imag, o->frequency_hz,
                o->damping);
        for (int b = 0; b < m->n_bodies; b++)
            fprintf(f.to, ",%.17g", o->share[b]);
        for (int i = 0; i < 2 * m->n_coordinates; i++)
            fprintf(f.to, ",%.17g", o->shape[i]);
        fputc('\n', f.to);
    }
    return modes_file_close(&f, err);
}

static HolStatus modes_write_matrix(const char *dir, const char *name, const char *what, int rows,
                                    int cols, const double *a, HolError *err) {
    char path[4096];
    ModesFile f;
    if (snprintf(path, sizeof path, "%s/%s", dir, name) >= (int)sizeof path)
        return hol_error_set(err, HOL_ERR_FILE, "the path of %s is too long", dir);
    const HolStatus status = modes_file_open(&f, path, err);
    if (status != HOL_OK)
        return status;
    fprintf(f.to, "%%%%MatrixMarket matrix array real general\n%% %s\n%d %d\n", what, rows, cols);
    for (int i = 0; i < rows * cols; i++)
        fprintf(f.to, "%.17g\n", a[i]);
    return modes_file_close(&f, err);
}

HolStatus hol_modes_write_matrices(const HolModes *m, const char *dir, HolError *err) {
    char path[4096];
    ModesFile f;
    if (!m->M)
        return hol_error_set(err, HOL_ERR_UNSUPPORTED,
                             "a model of %d velocities has no dense reduced matrices",
                             m->n_coordinates);
    HolStatus status = modes_write_matrix(dir, "M.mtx", "reduced mass, velocities x velocities",
                                          m->dof, m->dof, m->M, err);
    if (status == HOL_OK)
        status = modes_write_matrix(dir, "C.mtx", "reduced damping and gyroscopic terms", m->dof,
                                    m->dof, m->C, err);
    if (status == HOL_OK)
        status = modes_write_matrix(dir, "K.mtx", "reduced stiffness, velocities x positions",
                                    m->dof, m->positions, m->K, err);
    if (status == HOL_OK)
        status = modes_write_matrix(
            dir, "N.mtx", "increments of the coordinates in names.txt, coordinates x positions",
            m->n_coordinates, m->positions, m->N, err);
    if (status != HOL_OK)
        return status;
    if (snprintf(path, sizeof path, "%s/names.txt", dir) >= (int)sizeof path)
        return hol_error_set(err, HOL_ERR_FILE, "the path of %s is too long", dir);
    status = modes_file_open(&f, path, err);
    if (status != HOL_OK)
        return status;
    for (int i = 0; i < m->n_coordinates; i++)
        fprintf(f.to, "%s\n", m->coordinates[i]);
    return modes_file_close(&f, err);
}
