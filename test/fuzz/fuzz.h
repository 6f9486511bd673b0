// SPDX-License-Identifier: Apache-2.0
// What the fuzz targets share. Each is a program of libFuzzer (clang): make fuzz, docs/reliability.md.
#ifndef HOL_TEST_FUZZ_H
#define HOL_TEST_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// a copy that ends with 0, of exactly its size, so that reading behind it is noticed
static inline char *fuzz_text(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    if (!text)
        abort();
    if (size)
        memcpy(text, data, size);
    text[size] = 0;
    return text;
}

// a file without a name that holds the bytes; its path goes to `path`
static inline int fuzz_file(const uint8_t *data, size_t size, char path[64]) {
    const int fd = memfd_create("fuzz", 0);
    if (fd < 0 || (size && write(fd, data, size) != (ssize_t)size))
        abort();
    snprintf(path, 64, "/proc/self/fd/%d", fd);
    return fd;
}

#endif
