// SPDX-License-Identifier: Apache-2.0
// Reading HDF5 results: one function a layout, and what they share.
#ifndef HOL_IO_READ_HDF5_H
#define HOL_IO_READ_HDF5_H

#include "io/result/read_result.h"

#ifdef HOL_HAVE_HDF5

#include "io/hdf5/hdf5_library.h"

// columns and values; the manifest is read afterwards
HolStatus hol_hdf5_read_series(HolResult *r, hid_t file, HolError *err);
HolStatus hol_hdf5_read_table(HolResult *r, hid_t file, HolError *err);

// the text of an attribute, in the arena; NULL when there is none
char *hol_hdf5_attribute(HolArena *arena, hid_t object, const char *name);
// unpacked bytes that the file of an object can hold
hsize_t hol_hdf5_most_bytes(hid_t object);

#endif
#endif
