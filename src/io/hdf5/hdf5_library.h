// SPDX-License-Identifier: Apache-2.0
// HDF5, loaded when the first result of that kind is written or read (base/library/library.h).
#ifndef HOL_IO_HDF5_LIBRARY_H
#define HOL_IO_HDF5_LIBRARY_H

#include "base/library/library.h"

#ifdef HOL_HAVE_HDF5

#include <hdf5.h>

// HOL_ERR_UNSUPPORTED when it cannot be loaded; to be asked before anything else
HolStatus hol_hdf5_ready(HolError *err);

#ifdef HOL_HDF5_FILE

// clang-format off
#define HOL_HDF5_FUNCTIONS(F) \
    F(H5Aclose) F(H5Acreate2) F(H5Aexists) F(H5Aget_space) F(H5Aget_type) F(H5Aopen) \
    F(H5Aread) F(H5Awrite) F(H5Dclose) F(H5Dcreate2) F(H5Dget_space) F(H5Dget_storage_size) \
    F(H5Dget_type) F(H5Dopen2) F(H5Dread) F(H5Dset_extent) F(H5Dwrite) F(H5Eget_auto2) \
    F(H5Eset_auto2) F(H5Ewalk2) F(H5Fclose) F(H5Fcreate) F(H5Fflush) F(H5Fget_filesize) \
    F(H5Fopen) F(H5Iget_file_id) F(H5Lexists) F(H5Literate) F(H5Pclose) F(H5Pcreate) \
    F(H5Pset_chunk) F(H5Pset_deflate) F(H5Pset_obj_track_times) F(H5Pset_shuffle) F(H5Sclose) F(H5Screate) \
    F(H5Screate_simple) F(H5Sget_simple_extent_dims) F(H5Sget_simple_extent_ndims) \
    F(H5Sget_simple_extent_npoints) F(H5Sselect_hyperslab) F(H5Tclose) F(H5Tcopy) \
    F(H5Tcreate) F(H5Tget_class) F(H5Tget_member_index) F(H5Tget_member_type) \
    F(H5Tget_size) F(H5Tinsert) F(H5Tis_variable_str) F(H5Tset_cset) F(H5Tset_size) \
    F(H5Tset_strpad) F(H5check_version) F(H5open) F(H5P_CLS_DATASET_CREATE_ID_g) \
    F(H5T_C_S1_g) F(H5T_IEEE_F64LE_g) F(H5T_NATIVE_DOUBLE_g) F(H5T_NATIVE_INT_g) \
    F(H5T_STD_I32LE_g) F(H5Dget_create_plist) F(H5Iget_type) F(H5Lunregister) F(H5Lvisit) F(H5Oclose) \
    F(H5Oopen) F(H5Pget_external_count) F(H5Pget_layout)
// clang-format on

typedef struct HolHdf5Library {
    HOL_HDF5_FUNCTIONS(HOL_LIBRARY_POINTER)
} HolHdf5Library;

const HolHdf5Library *hol_hdf5(void);

#define H5Aclose(...) hol_hdf5()->H5Aclose(__VA_ARGS__)
#define H5Acreate2(...) hol_hdf5()->H5Acreate2(__VA_ARGS__)
#define H5Aexists(...) hol_hdf5()->H5Aexists(__VA_ARGS__)
#define H5Aget_space(...) hol_hdf5()->H5Aget_space(__VA_ARGS__)
#define H5Aget_type(...) hol_hdf5()->H5Aget_type(__VA_ARGS__)
#define H5Aopen(...) hol_hdf5()->H5Aopen(__VA_ARGS__)
#define H5Aread(...) hol_hdf5()->H5Aread(__VA_ARGS__)
#define H5Awrite(...) hol_hdf5()->H5Awrite(__VA_ARGS__)
#define H5Dclose(...) hol_hdf5()->H5Dclose(__VA_ARGS__)
#define H5Dcreate2(...) hol_hdf5()->H5Dcreate2(__VA_ARGS__)
#define H5Dget_space(...) hol_hdf5()->H5Dget_space(__VA_ARGS__)
#define H5Dget_storage_size(...) hol_hdf5()->H5Dget_storage_size(__VA_ARGS__)
#define H5Dget_type(...) hol_hdf5()->H5Dget_type(__VA_ARGS__)
#define H5Dopen2(...) hol_hdf5()->H5Dopen2(__VA_ARGS__)
#define H5Dread(...) hol_hdf5()->H5Dread(__VA_ARGS__)
#define H5Dset_extent(...) hol_hdf5()->H5Dset_extent(__VA_ARGS__)
#define H5Dwrite(...) hol_hdf5()->H5Dwrite(__VA_ARGS__)
#define H5Eget_auto2(...) hol_hdf5()->H5Eget_auto2(__VA_ARGS__)
#define H5Eset_auto2(...) hol_hdf5()->H5Eset_auto2(__VA_ARGS__)
#define H5Ewalk2(...) hol_hdf5()->H5Ewalk2(__VA_ARGS__)
#define H5Fclose(...) hol_hdf5()->H5Fclose(__VA_ARGS__)
#define H5Fcreate(...) hol_hdf5()->H5Fcreate(__VA_ARGS__)
#define H5Fflush(...) hol_hdf5()->H5Fflush(__VA_ARGS__)
#define H5Fget_filesize(...) hol_hdf5()->H5Fget_filesize(__VA_ARGS__)
#define H5Fopen(...) hol_hdf5()->H5Fopen(__VA_ARGS__)
#define H5Iget_file_id(...) hol_hdf5()->H5Iget_file_id(__VA_ARGS__)
#define H5Lexists(...) hol_hdf5()->H5Lexists(__VA_ARGS__)
#define H5Literate(...) hol_hdf5()->H5Literate(__VA_ARGS__)
#define H5Pclose(...) hol_hdf5()->H5Pclose(__VA_ARGS__)
#define H5Pcreate(...) hol_hdf5()->H5Pcreate(__VA_ARGS__)
#define H5Pset_chunk(...) hol_hdf5()->H5Pset_chunk(__VA_ARGS__)
#define H5Pset_obj_track_times(...) hol_hdf5()->H5Pset_obj_track_times(__VA_ARGS__)
#define H5Pset_deflate(...) hol_hdf5()->H5Pset_deflate(__VA_ARGS__)
#define H5Pset_shuffle(...) hol_hdf5()->H5Pset_shuffle(__VA_ARGS__)
#define H5Sclose(...) hol_hdf5()->H5Sclose(__VA_ARGS__)
#define H5Screate(...) hol_hdf5()->H5Screate(__VA_ARGS__)
#define H5Screate_simple(...) hol_hdf5()->H5Screate_simple(__VA_ARGS__)
#define H5Sget_simple_extent_dims(...) hol_hdf5()->H5Sget_simple_extent_dims(__VA_ARGS__)
#define H5Sget_simple_extent_ndims(...) hol_hdf5()->H5Sget_simple_extent_ndims(__VA_ARGS__)
#define H5Sget_simple_extent_npoints(...) hol_hdf5()->H5Sget_simple_extent_npoints(__VA_ARGS__)
#define H5Sselect_hyperslab(...) hol_hdf5()->H5Sselect_hyperslab(__VA_ARGS__)
#define H5Tclose(...) hol_hdf5()->H5Tclose(__VA_ARGS__)
#define H5Tcopy(...) hol_hdf5()->H5Tcopy(__VA_ARGS__)
#define H5Tcreate(...) hol_hdf5()->H5Tcreate(__VA_ARGS__)
#define H5Tget_class(...) hol_hdf5()->H5Tget_class(__VA_ARGS__)
#define H5Tget_member_index(...) hol_hdf5()->H5Tget_member_index(__VA_ARGS__)
#define H5Tget_member_type(...) hol_hdf5()->H5Tget_member_type(__VA_ARGS__)
#define H5Tget_size(...) hol_hdf5()->H5Tget_size(__VA_ARGS__)
#define H5Tinsert(...) hol_hdf5()->H5Tinsert(__VA_ARGS__)
#define H5Tis_variable_str(...) hol_hdf5()->H5Tis_variable_str(__VA_ARGS__)
#define H5Tset_cset(...) hol_hdf5()->H5Tset_cset(__VA_ARGS__)
#define H5Tset_size(...) hol_hdf5()->H5Tset_size(__VA_ARGS__)
#define H5Tset_strpad(...) hol_hdf5()->H5Tset_strpad(__VA_ARGS__)
#define H5check_version(...) hol_hdf5()->H5check_version(__VA_ARGS__)
#define H5open(...) hol_hdf5()->H5open(__VA_ARGS__)
#define H5Dget_create_plist(...) hol_hdf5()->H5Dget_create_plist(__VA_ARGS__)
#define H5Iget_type(...) hol_hdf5()->H5Iget_type(__VA_ARGS__)
#define H5Lunregister(...) hol_hdf5()->H5Lunregister(__VA_ARGS__)
#define H5Lvisit(...) hol_hdf5()->H5Lvisit(__VA_ARGS__)
#define H5Oclose(...) hol_hdf5()->H5Oclose(__VA_ARGS__)
#define H5Oopen(...) hol_hdf5()->H5Oopen(__VA_ARGS__)
#define H5Pget_external_count(...) hol_hdf5()->H5Pget_external_count(__VA_ARGS__)
#define H5Pget_layout(...) hol_hdf5()->H5Pget_layout(__VA_ARGS__)
#define H5P_CLS_DATASET_CREATE_ID_g (*hol_hdf5()->H5P_CLS_DATASET_CREATE_ID_g)
#define H5T_C_S1_g (*hol_hdf5()->H5T_C_S1_g)
#define H5T_IEEE_F64LE_g (*hol_hdf5()->H5T_IEEE_F64LE_g)
#define H5T_NATIVE_DOUBLE_g (*hol_hdf5()->H5T_NATIVE_DOUBLE_g)
#define H5T_NATIVE_INT_g (*hol_hdf5()->H5T_NATIVE_INT_g)
#define H5T_STD_I32LE_g (*hol_hdf5()->H5T_STD_I32LE_g)

#endif
#endif
#endif
