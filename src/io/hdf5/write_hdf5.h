// SPDX-License-Identifier: Apache-2.0
// What stands in an HDF5 result before its first row: attributes of the root, texts, the columns.
#ifndef HOL_IO_WRITE_HDF5_H
#define HOL_IO_WRITE_HDF5_H

#include "io/result/write_result.h"

#ifdef HOL_HAVE_HDF5

#include "io/hdf5/hdf5_library.h"

enum { HOL_LINES_A_CHUNK = 512 };

// a text as a dataset without extent; 0 after an error
int hol_hdf5_put_text(hid_t file, const char *name, const char *text);
// number of the layout, version, name and options of the run, as attributes of the root
int hol_hdf5_put_attributes(hid_t file, const HolModel *m, const HolSimOptions *o);
// the dataset /columns; `scratch` holds what it makes
int hol_hdf5_put_columns(hid_t file, const HolModel *m, int columns, HolArena *scratch);
// a table: an empty, extendible dataset, less than 0 after an error; lines behind those it has
hid_t hol_hdf5_create_lines(hid_t file, const HolTable *t);
int hol_hdf5_add_lines(hid_t set, const HolTable *t, const void *lines, hsize_t n, hsize_t there);
// bytes that these take at most
size_t hol_hdf5_head_bytes(const HolModel *m, int columns);

#endif
#endif
