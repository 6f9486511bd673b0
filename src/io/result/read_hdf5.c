// SPDX-License-Identifier: Apache-2.0
// Reading HDF5 results: datasets of doubles in the order they were made are the columns, "manifest"
// holds the rest (see write_hdf5.c). A file of an older version has the model's text only.
// Sizes come from the file and are not believed: a text has one element, and no extent is longer
// than the bytes of the file can stand for.
#include "io/result/read_result.h"

#ifdef HOL_HAVE_HDF5

#include <errno.h>
#include <hdf5.h>
#include <string.h>
#include <unistd.h>

typedef struct Found { // a dataset of numbers
    char link[512];
    long rows;
} Found;

// what a byte of a file can become: deflate packs 1032 to 1, and nothing is stored denser
enum { MOST_PACKED = 1100 };

typedef struct Scan {
    HolResult *result;
    hsize_t bytes; // that the whole file can hold
    Found *found;
    int n, capacity, no_memory;
} Scan;

// unpacked bytes that the file of an object can hold
static hsize_t most_bytes(hid_t object) {
    hsize_t size = 0;
    hid_t file = H5Iget_file_id(object);
    if (H5Fget_filesize(file, &size) < 0)
        size = 0;
    H5Fclose(file);
    return size > HSIZE_UNDEF / MOST_PACKED ? HSIZE_UNDEF : size * MOST_PACKED;
}

// the text of an attribute or scalar dataset, in the arena; NULL when there is none
static char *read_hdf5_read_text(HolArena *arena, hid_t object, hid_t type, int is_dataset) {
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0)
        return NULL;
    hid_t space = is_dataset ? H5Dget_space(object) : H5Aget_space(object);
    const hssize_t elements = H5Sget_simple_extent_npoints(space);
    H5Sclose(space);
    const size_t size = H5Tget_size(type);
    if (elements != 1 || size == 0 || size > most_bytes(object))
        return NULL;
    char *text = hol_arena_alloc(arena, size + 1);
    herr_t code = -1;
    if (text && is_dataset)
        code = H5Dread(object, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text);
    else if (text)
        code = H5Aread(object, type, text);
    return code >= 0 ? text : NULL;
}

static char *read_attribute(HolArena *arena, hid_t object, const char *name) {
    if (H5Aexists(object, name) <= 0)
        return NULL;
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT), type = H5Aget_type(attribute);
    char *text = read_hdf5_read_text(arena, attribute, type, 0);
    H5Tclose(type);
    H5Aclose(attribute);
    return text;
}

static char *read_text_dataset(HolArena *arena, hid_t file, const char *name) {
    if (H5Lexists(file, name, H5P_DEFAULT) <= 0)
        return NULL;
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT), type = H5Dget_type(set);
    char *text = read_hdf5_read_text(arena, set, type, 1);
    H5Tclose(type);
    H5Dclose(set);
    return text;
}

static herr_t read_hdf5_visit(hid_t file, const char *name, const H5L_info_t *info, void *to) {
    Scan *scan = to;
    (void)info;
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    if (set < 0)
        return 0; // a group
    hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    if (H5Tget_class(type) == H5T_FLOAT && H5Sget_simple_extent_ndims(space) == 1) {
        if (HOL_GROW(&scan->result->arena, scan->found, scan->n, scan->capacity)) {
            Found *f = &scan->found[scan->n++];
            const hssize_t rows = H5Sget_simple_extent_npoints(space);
            const hsize_t held = H5Dget_storage_size(set) ? scan->bytes / sizeof(double) : 0;
            f->rows = rows < 0 || (hsize_t)rows > held ? -1 : (long)rows;
            snprintf(f->link, sizeof f->link, "%s", name);
        } else {
            scan->no_memory = 1;
        }
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(set);
    return scan->no_memory;
}

static int read_column(HolResult *r, hid_t file, const Found *found, int i) {
    hid_t set = H5Dopen2(file, found->link, H5P_DEFAULT);
    char *name = read_attribute(&r->arena, set, "name");
    char *unit = read_attribute(&r->arena, set, "units");
    if (!unit) // an older file
        unit = read_attribute(&r->arena, set, "unit");
    r->columns[i].name = name ? name : hol_arena_text(&r->arena, found->link);
    r->columns[i].unit = unit ? unit : "";
    int ok = r->columns[i].name &&
             H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, r->values[i]) >= 0;
    H5Dclose(set);
    return ok;
}

static HolStatus read_columns(HolResult *r, hid_t file, HolError *err) {
    Scan scan = {.result = r, .bytes = most_bytes(file)};
    hsize_t at = 0;
    if (H5Literate(file, H5_INDEX_CRT_ORDER, H5_ITER_INC, &at, read_hdf5_visit, &scan) < 0)
        return hol_result_unreadable(r, "its datasets are not in the order of columns", err);
    if (scan.n == 0 || strcmp(scan.found[0].link, "time") != 0)
        return hol_result_unreadable(r, "the first dataset is not 'time'", err);
    // (all of them together have to fit)
    if (scan.found[0].rows < 0 ||
        (hsize_t)scan.found[0].rows > scan.bytes / sizeof(double) / (hsize_t)scan.n)
        return hol_result_unreadable(r, "it says to be longer than it is", err);
    for (int i = 1; i < scan.n; i++)
        if (scan.found[i].rows != scan.found[0].rows)
            return hol_result_unreadable(r, "its columns differ in length", err);
    if (scan.no_memory || !hol_result_reserve(r, scan.n, scan.found[0].rows))
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    for (int i = 0; i < scan.n; i++)
        if (!read_column(r, file, &scan.found[i], i))
            return hol_result_unreadable(r, "a dataset cannot be read", err);
    return HOL_OK;
}

static HolStatus read_manifest(HolResult *r, hid_t file, HolError *err) {
    char *text = read_text_dataset(&r->arena, file, "manifest");
    if (text) {
        HolStatus status =
            hol_manifest_read(&r->arena, text, strlen(text), r->path, &r->manifest, err);
        r->has_manifest = !status;
        return status;
    }
    char *model = read_text_dataset(&r->arena, file, "model");
    if (model && *model) {
        char *name = read_attribute(&r->arena, file, "name");
        r->manifest = (HolManifest){.text = model, .file = "", .name = name ? name : ""};
        r->has_manifest = 1;
    }
    return HOL_OK;
}

HolStatus hol_result_read_hdf5(HolResult *r, HolError *err) {
    if (access(r->path, R_OK) != 0)
        return hol_result_unreadable(r, strerror(errno), err);
    // the library prints its errors by default; the setting belongs to the whole program
    H5E_auto2_t print;
    void *data;
    H5Eget_auto2(H5E_DEFAULT, &print, &data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t file = H5Fopen(r->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    HolStatus status = HOL_OK;
    if (file < 0)
        status = hol_result_unreadable(r, "it is no HDF5 file", err);
    else {
        status = read_columns(r, file, err);
        if (!status)
            status = read_manifest(r, file, err);
        H5Fclose(file);
    }
    H5Eset_auto2(H5E_DEFAULT, print, data);
    return status;
}

#else

HolStatus hol_result_read_hdf5(HolResult *r, HolError *err) {
    return hol_error_set(err, HOL_ERR_UNSUPPORTED, "cannot read %s: this build has no HDF5",
                         r->path);
}

#endif
