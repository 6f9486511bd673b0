// SPDX-License-Identifier: Apache-2.0
// HDF5 files that are cut off.
#ifndef HOL_IO_HDF5_CUT_FILE_H
#define HOL_IO_HDF5_CUT_FILE_H

enum { HOL_CUT_NAME = 256 };
// A copy that has the length which the file tells of itself, with zeros in place of what is missing:
// the library opens it, and reads up to there. Its name, to be removed once it is open (the library
// takes no file without one). 0: the file is not cut off, no HDF5 file, or too little is left of it
int hol_hdf5_lengthened(const char *path, char name[HOL_CUT_NAME]);

#endif
