// SPDX-License-Identifier: Apache-2.0
// HDF5 files that lead outside of themselves. See foreign.c.
#ifndef HOL_IO_HDF5_FOREIGN_H
#define HOL_IO_HDF5_FOREIGN_H

#ifdef HOL_HAVE_HDF5

#include "io/hdf5/hdf5_library.h"

// 1: it has a link to another file, or a dataset whose numbers stand in one, where it can be walked
int hol_hdf5_foreign(hid_t file);
// links to other files lead nowhere from now on, in this process
void hol_hdf5_forget_links(void);
// a dataset whose numbers stand in the file itself; less than 0: there is none
hid_t hol_hdf5_open_set(hid_t file, const char *name);

#endif
#endif
