// SPDX-License-Identifier: Apache-2.0
// HDF5 files may keep their data elsewhere: links to other files, datasets in raw external files,
// virtual datasets. A result from a stranger could so show files of its reader. All are refused,
// before anything is read. A damaged file may not let itself be walked as a whole: so links to other
// files are unknown to the library, and of each dataset that is opened it is asked where its numbers stand.
#include "io/hdf5/foreign.h"

#ifdef HOL_HAVE_HDF5

static int foreign_numbers(hid_t set) {
    hid_t made = H5Dget_create_plist(set);
    const int found =
        made < 0 || H5Pget_external_count(made) != 0 || H5Pget_layout(made) == H5D_VIRTUAL;
    H5Pclose(made);
    return found;
}

static int foreign_dataset(hid_t file, const char *name) {
    hid_t object = H5Oopen(file, name, H5P_DEFAULT);
    if (object < 0)
        return 0;
    const int found = H5Iget_type(object) == H5I_DATASET && foreign_numbers(object);
    H5Oclose(object);
    return found;
}

static herr_t foreign_visit(hid_t file, const char *name, const H5L_info_t *info, void *found) {
    // (a soft link stays inside, but what it leads to is seen under its own name)
    if (info->type == H5L_TYPE_SOFT)
        return 0;
    *(int *)found = info->type != H5L_TYPE_HARD || foreign_dataset(file, name);
    return *(int *)found;
}

int hol_hdf5_foreign(hid_t file) {
    int found = 0;
    if (H5Lvisit(file, H5_INDEX_NAME, H5_ITER_NATIVE, foreign_visit, &found) < 0)
        return 0; // damaged: the reader says what is missing
    return found;
}

void hol_hdf5_forget_links(void) {
    H5Lunregister(H5L_TYPE_EXTERNAL);
}

hid_t hol_hdf5_open_set(hid_t file, const char *name) {
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    if (set >= 0 && foreign_numbers(set)) {
        H5Dclose(set);
        return -1;
    }
    return set;
}

#else

typedef int HolHdf5ForeignNotBuilt;

#endif
