// SPDX-License-Identifier: Apache-2.0
// HDF5 results, read by their process: it may end, the caller must not.
#include "fuzz.h"

#include "io/hdf5/hdf5_library.h"
#include "io/result/read_result.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);

// the library is loaded once, not by each child
int LLVMFuzzerInitialize(int *argc, char ***argv) {
    HolError err;
    (void)argc;
    (void)argv;
    return hol_hdf5_ready(&err) ? 1 : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char name[] = "/tmp/holonom-fuzz-XXXXXX.h5";
    HolResult *result = NULL;
    HolError err;
    const int fd = mkstemps(name, 3);
    if (fd < 0 || (size && write(fd, data, size) != (ssize_t)size))
        abort();
    close(fd);
    hol_result_read(name, &result, &err);
    hol_result_destroy(result);
    unlink(name);
    return 0;
}
