// SPDX-License-Identifier: Apache-2.0
// Reading HDF5 results. Attribute "holonom_result" of the root is the number of the layout: 2 as
// write_hdf5.c says (read_hdf5_table.c), without it 1 (read_hdf5_series.c). Dataset "manifest" holds
// the rest; the oldest files have the model's text only.
// Sizes come from the file and are not believed: a text has one element, and no extent is longer
// than the bytes of the file can stand for.
#include "io/hdf5/read_hdf5.h"
#include "io/hdf5/cut_file.h"
#include "io/hdf5/foreign.h"

#ifdef HOL_HAVE_HDF5

#include <errno.h>
#include <string.h>
#include <unistd.h>

// what a byte of a file can become: deflate packs 1032 to 1, and nothing is stored denser
enum { MOST_PACKED = 1100 };

hsize_t hol_hdf5_most_bytes(hid_t object) {
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
    if (elements != 1 || size == 0 || size > hol_hdf5_most_bytes(object))
        return NULL;
    char *text = hol_arena_alloc(arena, size + 1);
    herr_t code = -1;
    if (text && is_dataset)
        code = H5Dread(object, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text);
    else if (text)
        code = H5Aread(object, type, text);
    return code >= 0 ? text : NULL;
}

char *hol_hdf5_attribute(HolArena *arena, hid_t object, const char *name) {
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
    hid_t set = hol_hdf5_open_set(file, name), type = H5Dget_type(set);
    char *text = read_hdf5_read_text(arena, set, type, 1);
    H5Tclose(type);
    H5Dclose(set);
    return text;
}

// 1 for files that do not tell it; 0 when it is no number
static int read_hdf5_layout(hid_t file) {
    int layout = 0;
    if (H5Aexists(file, "holonom_result") <= 0)
        return 1;
    hid_t attribute = H5Aopen(file, "holonom_result", H5P_DEFAULT);
    hid_t space = H5Aget_space(attribute), type = H5Aget_type(attribute);
    if (H5Tget_class(type) != H5T_INTEGER || H5Sget_simple_extent_npoints(space) != 1 ||
        H5Aread(attribute, H5T_NATIVE_INT, &layout) < 0)
        layout = 0;
    H5Tclose(type);
    H5Sclose(space);
    H5Aclose(attribute);
    return layout;
}

static HolStatus read_hdf5_columns(HolResult *r, hid_t file, HolError *err) {
    const int layout = read_hdf5_layout(file);
    if (layout == 1)
        return hol_hdf5_read_series(r, file, err);
    if (layout == 2)
        return hol_hdf5_read_table(r, file, err);
    return hol_result_unreadable(r, "its layout is not known to this version", err);
}

// as they are: what they say is read by the caller, in another process (io/hdf5/read_apart.c)
static void read_hdf5_texts(HolResult *r, hid_t file) {
    r->manifest_text = read_text_dataset(&r->arena, file, "manifest");
    r->model_text = read_text_dataset(&r->arena, file, "model");
    r->model_name = hol_hdf5_attribute(&r->arena, file, "name");
}

// less than 0: it is none
static hid_t read_hdf5_open(HolResult *r) {
    char name[HOL_CUT_NAME];
    hid_t file = H5Fopen(r->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file >= 0 || !hol_hdf5_lengthened(r->path, name))
        return file;
    r->cut = 1;
    file = H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT);
    unlink(name);
    return file;
}

HolStatus hol_result_read_hdf5(HolResult *r, HolError *err) {
    if (access(r->path, R_OK) != 0)
        return hol_result_unreadable(r, strerror(errno), err);
    HolStatus status = hol_hdf5_ready(err);
    if (status)
        return status;
    // the library prints its errors by default; the setting belongs to the whole program
    H5E_auto2_t print;
    void *data;
    H5Eget_auto2(H5E_DEFAULT, &print, &data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hol_hdf5_forget_links();
    hid_t file = read_hdf5_open(r);
    if (file < 0)
        status = hol_result_unreadable(
            r, r->cut ? "it is cut off, with too little left" : "it is no HDF5 file", err);
    else {
        status =
            hol_hdf5_foreign(file)
                ? hol_result_unreadable(r, "its data lies in other files, which is refused", err)
                : read_hdf5_columns(r, file, err);
        if (!status)
            read_hdf5_texts(r, file);
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
