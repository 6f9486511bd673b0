// SPDX-License-Identifier: Apache-2.0
// HDF5 results of layout 1, as versions before 2 of the layout wrote them: a dataset of doubles a
// column, named like it, in the order of the columns (creation order is tracked), with its unit as
// attribute "units" or "unit", and with attribute "name" where the name is no name of a dataset.
#include "io/hdf5/foreign.h"
#include "io/hdf5/read_hdf5.h"

#ifdef HOL_HAVE_HDF5

#include <string.h>

typedef struct Found { // a dataset of numbers
    const char *link;
    long rows;
} Found;

typedef struct Scan {
    HolResult *result;
    hsize_t bytes; // that the whole file can hold
    Found *found;
    int n, capacity, no_memory;
} Scan;

static herr_t series_visit(hid_t file, const char *name, const H5L_info_t *info, void *to) {
    Scan *scan = to;
    (void)info;
    hid_t set = hol_hdf5_open_set(file, name);
    if (set < 0)
        return 0; // a group
    hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    if (H5Tget_class(type) == H5T_FLOAT && H5Sget_simple_extent_ndims(space) == 1) {
        HolArena *arena = &scan->result->arena;
        const char *link = hol_arena_text(arena, name);
        if (link && HOL_GROW(arena, scan->found, scan->n, scan->capacity)) {
            Found *f = &scan->found[scan->n++];
            const hssize_t rows = H5Sget_simple_extent_npoints(space);
            const hsize_t held = H5Dget_storage_size(set) ? scan->bytes / sizeof(double) : 0;
            f->rows = rows < 0 || (hsize_t)rows > held ? -1 : (long)rows;
            f->link = link;
        } else {
            scan->no_memory = 1;
        }
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(set);
    return scan->no_memory;
}

static int series_read(HolResult *r, hid_t file, const Found *found, int i) {
    hid_t set = hol_hdf5_open_set(file, found->link);
    char *name = hol_hdf5_attribute(&r->arena, set, "name");
    char *unit = hol_hdf5_attribute(&r->arena, set, "units");
    if (!unit) // an older file
        unit = hol_hdf5_attribute(&r->arena, set, "unit");
    r->columns[i].name = name ? name : found->link;
    r->columns[i].unit = unit ? unit : "";
    int ok = r->columns[i].name &&
             H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, r->values[i]) >= 0;
    H5Dclose(set);
    return ok;
}

HolStatus hol_hdf5_read_series(HolResult *r, hid_t file, HolError *err) {
    Scan scan = {.result = r, .bytes = hol_hdf5_most_bytes(file)};
    hsize_t at = 0;
    if (H5Literate(file, H5_INDEX_CRT_ORDER, H5_ITER_INC, &at, series_visit, &scan) < 0)
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
        if (!series_read(r, file, &scan.found[i], i))
            return hol_result_unreadable(r, "a dataset cannot be read", err);
    return HOL_OK;
}

#else

typedef int HolHdf5SeriesNotBuilt;

#endif
