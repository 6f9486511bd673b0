// SPDX-License-Identifier: Apache-2.0
// The module libholonom_mpi.so: the few calls of MPI that a sweep needs (mpi_table.h).
#include "tools/sweep/mpi_table.h"

#include <mpi.h>

static int module_begin(int *rank, int *size) {
    return MPI_Init(NULL, NULL) == MPI_SUCCESS &&
           MPI_Comm_rank(MPI_COMM_WORLD, rank) == MPI_SUCCESS &&
           MPI_Comm_size(MPI_COMM_WORLD, size) == MPI_SUCCESS;
}

static int module_send(int to, const void *bytes, int length) {
    return MPI_Send(bytes, length, MPI_BYTE, to, 0, MPI_COMM_WORLD) == MPI_SUCCESS;
}

static int module_waiting(int *from, int *length) {
    MPI_Status status;
    int there = 0;
    if (MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &status) != MPI_SUCCESS || !there)
        return 0;
    *from = status.MPI_SOURCE;
    return MPI_Get_count(&status, MPI_BYTE, length) == MPI_SUCCESS;
}

static int module_receive(int from, void *bytes, int length) {
    return MPI_Recv(bytes, length, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ==
           MPI_SUCCESS;
}

static void module_end(void) {
    MPI_Finalize();
}

static void module_abort(int code) {
    MPI_Abort(MPI_COMM_WORLD, code);
}

__attribute__((visibility("default"))) const HolMpiTable *hol_mpi_module(void) {
    static const HolMpiTable table = {.format = HOL_MPI_FORMAT,
                                      .begin = module_begin,
                                      .send = module_send,
                                      .waiting = module_waiting,
                                      .receive = module_receive,
                                      .end = module_end,
                                      .give_up = module_abort};
    return &table;
}
