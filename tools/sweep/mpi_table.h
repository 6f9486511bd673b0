// SPDX-License-Identifier: Apache-2.0
// What the module libholonom_mpi.so gives to a sweep. MPI is in no other library: only a sweep that
// mpirun began loads it.
#ifndef HOL_SWEEP_MPI_TABLE_H
#define HOL_SWEEP_MPI_TABLE_H

enum { HOL_MPI_FORMAT = 1 };

typedef struct HolMpiTable {
    int format;
    int (*begin)(int *rank, int *size); // 0: MPI is not there
    int (*send)(int to, const void *bytes, int length);
    int (*waiting)(int *from, int *length); // 1: a message has arrived
    int (*receive)(int from, void *bytes, int length);
    void (*end)(void);
    void (*give_up)(int code);
} HolMpiTable;

typedef const HolMpiTable *HolMpiEntry(void);

#endif
