// SPDX-License-Identifier: Apache-2.0
// Triangles of an STL file for the drawing of a body. Binary: 80 bytes of head, a 32-bit count,
// then 50 bytes a triangle (normal, three corners, two spare bytes), little-endian. Text: lines
// "vertex x y z", three a facet.
#include "base/text.h"
#include "model/model.h"
#include "tools/report/report.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

enum { HEAD = 84, TRIANGLE = 50 };
static const long largest = 64L << 20; // bytes of a mesh file

static HolStatus problem(const char *path, const char *what, HolError *err) {
    return hol_error_set(err, HOL_ERR_FILE, "cannot use the mesh %s: %s", path, what);
}

static HolStatus report_mesh_read_whole(HolArena *arena, const char *path, char **bytes, long *size,
                                        HolError *err) {
    FILE *f = fopen(path, "rb");
    if (!f)
        return problem(path, strerror(errno), err);
    HolStatus status = HOL_OK;
    if (fseek(f, 0, SEEK_END) != 0 || (*size = ftell(f)) < 0 || fseek(f, 0, SEEK_SET) != 0)
        status = problem(path, "not a plain file", err);
    else if (*size > largest)
        status = problem(path, "larger than 64 MB", err);
    else if (!(*bytes = hol_arena_alloc(arena, (size_t)*size + 1)))
        status = hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    else if (fread(*bytes, 1, (size_t)*size, f) != (size_t)*size)
        status = problem(path, "it could not be read to its end", err);
    fclose(f);
    return status;
}

static uint32_t little_endian(const unsigned char *p) {
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

// a binary file has exactly the size that its count says; text files never do
static long binary_triangles(const char *bytes, long size) {
    if (size < HEAD)
        return -1;
    long n = (long)little_endian((const unsigned char *)bytes + 80);
    return size == HEAD + TRIANGLE * n ? n : -1;
}

static void copy_binary(const char *bytes, long triangles, float *xyz) {
    for (long i = 0; i < triangles; i++)
        for (int k = 0; k < 9; k++) {
            const char *at = bytes + HEAD + TRIANGLE * i + 12 + 4 * k;
            uint32_t bits = little_endian((const unsigned char *)at);
            memcpy(&xyz[9 * i + k], &bits, 4);
        }
}

// next word of the text, NULL at the end
static const char *word(const char **at, size_t *length) {
    while (isspace((unsigned char)**at))
        (*at)++;
    const char *start = *at;
    while (**at && !isspace((unsigned char)**at))
        (*at)++;
    *length = (size_t)(*at - start);
    return *length ? start : NULL;
}

// numbers behind every word "vertex"; counts only when xyz is NULL. -1: not such a text
static long report_mesh_read_text(const char *bytes, float *xyz) {
    const char *at = bytes, *w;
    size_t length;
    long n = 0;
    while ((w = word(&at, &length))) {
        if (length != 6 || strncmp(w, "vertex", 6) != 0)
            continue;
        for (int k = 0; k < 3; k++) {
            double value;
            w = word(&at, &length);
            if (!w || !hol_text_number(w, length, &value))
                return -1;
            if (xyz)
                xyz[n] = (float)value;
            n++;
        }
    }
    return n;
}

HolStatus hol_report_mesh(HolArena *arena, const char *path, const float **xyz, long *count,
                          HolError *err) {
    char *bytes = NULL;
    long size = 0;
    *count = 0;
    HolStatus status = report_mesh_read_whole(arena, path, &bytes, &size, err);
    if (status)
        return status;
    long triangles = binary_triangles(bytes, size);
    long n = triangles >= 0 ? 9 * triangles : report_mesh_read_text(bytes, NULL);
    if (n <= 0 || n % 9 != 0)
        return problem(path, "it is not an STL file", err);
    float *numbers = HOL_NEW(arena, float, n);
    if (!numbers)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    if (triangles >= 0)
        copy_binary(bytes, triangles, numbers);
    else
        report_mesh_read_text(bytes, numbers);
    *xyz = numbers;
    *count = n;
    return HOL_OK;
}
