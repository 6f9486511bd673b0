// SPDX-License-Identifier: Apache-2.0
// Does an HDF5 file lead outside of itself? See foreign.c.
#ifndef HOL_IO_HDF5_FOREIGN_H
#define HOL_IO_HDF5_FOREIGN_H

// 1: it has a link to another file, or a dataset whose numbers stand in one; `file` is its hid_t
int hol_hdf5_foreign(long long file);

#endif
