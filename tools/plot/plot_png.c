// SPDX-License-Identifier: Apache-2.0
// PNG (RFC 2083), 8-bit RGB. Compressed by zlib where the build has it; else the data stands in
// stored blocks of deflate (RFC 1951), which every reader takes.
#include "tools/plot/plot.h"

#include <math.h>
#include <stdint.h>
#include <string.h>
#ifdef HOL_HAVE_ZLIB
#include <zlib.h>
#endif

typedef struct Chunk {
    FILE *file;
    uint32_t crc;
} Chunk;

static uint32_t crc_bytes(uint32_t crc, const unsigned char *p, size_t n) {
    for (; n > 0; n--, p++) {
        crc ^= *p;
        for (int k = 0; k < 8; k++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return crc;
}

static void big_endian(uint32_t value, unsigned char out[4]) {
    for (int i = 0; i < 4; i++)
        out[i] = (unsigned char)(value >> (24 - 8 * i));
}

static void plot_png_put(Chunk *c, const void *bytes, size_t n) {
    c->crc = crc_bytes(c->crc, bytes, n);
    fwrite(bytes, 1, n, c->file);
}

static Chunk begin_chunk(FILE *f, const char *name, size_t length) {
    Chunk c = {f, 0xffffffffu};
    unsigned char bytes[4];
    big_endian((uint32_t)length, bytes);
    fwrite(bytes, 1, 4, f);
    plot_png_put(&c, name, 4);
    return c;
}

static void end_chunk(Chunk *c) {
    unsigned char bytes[4];
    big_endian(c->crc ^ 0xffffffffu, bytes);
    fwrite(bytes, 1, 4, c->file);
}

// rows with their filter byte: each pixel minus the one above, which suits drawings
static unsigned char *filtered(HolArena *arena, const unsigned char *rgb, int width, int height,
                               size_t *size) {
    size_t row = 3 * (size_t)width;
    unsigned char *out = hol_arena_alloc(arena, (row + 1) * (size_t)height);
    *size = (row + 1) * (size_t)height;
    for (int y = 0; out && y < height; y++) {
        unsigned char *to = out + (row + 1) * (size_t)y;
        const unsigned char *from = rgb + row * (size_t)y;
        to[0] = 2;
        for (size_t i = 0; i < row; i++)
            to[i + 1] = (unsigned char)(from[i] - (y ? from[i - row] : 0));
    }
    return out;
}

#ifndef HOL_HAVE_ZLIB
static void put_stored(FILE *f, const unsigned char *data, size_t size) {
    enum { BLOCK = 65535 };
    size_t blocks = size ? (size + BLOCK - 1) / BLOCK : 1;
    Chunk c = begin_chunk(f, "IDAT", 2 + 5 * blocks + size + 4);
    put(&c, "\x78\x01", 2);
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < size; i++) {
        a = (a + data[i]) % 65521;
        b = (b + a) % 65521;
    }
    for (size_t k = 0; k < blocks; k++) {
        size_t n = size - k * BLOCK < BLOCK ? size - k * BLOCK : BLOCK;
        unsigned char head[5] = {k + 1 == blocks, (unsigned char)n, (unsigned char)(n >> 8),
                                 (unsigned char)~n, (unsigned char)(~n >> 8)};
        put(&c, head, 5);
        put(&c, data + k * BLOCK, n);
    }
    unsigned char sum[4];
    big_endian(b << 16 | a, sum);
    put(&c, sum, 4);
    end_chunk(&c);
}
#endif

static void put_data(FILE *f, HolArena *arena, const unsigned char *data, size_t size) {
#ifdef HOL_HAVE_ZLIB
    uLongf packed = compressBound(size);
    unsigned char *out = hol_arena_alloc(arena, packed);
    if (!out || compress2(out, &packed, data, size, 9) != Z_OK)
        return; // the file ends early, which the caller's check of the arena reports
    Chunk c = begin_chunk(f, "IDAT", packed);
    plot_png_put(&c, out, packed);
    end_chunk(&c);
#else
    (void)arena;
    put_stored(f, data, size);
#endif
}

void hol_png_write(FILE *f, const unsigned char *rgb, int width, int height, double pixels_a_pt,
                   HolArena *arena) {
    unsigned char head[13] = {0}, density[9] = {0};
    size_t size;
    const unsigned char *data = filtered(arena, rgb, width, height, &size);
    if (!data)
        return;
    fwrite("\x89PNG\r\n\x1a\n", 1, 8, f);
    big_endian((uint32_t)width, head);
    big_endian((uint32_t)height, head + 4);
    head[8] = 8;
    head[9] = 2;
    Chunk c = begin_chunk(f, "IHDR", sizeof head);
    plot_png_put(&c, head, sizeof head);
    end_chunk(&c);
    // pixels a metre, so that the picture has its size in pt when printed
    big_endian((uint32_t)lround(pixels_a_pt * 72 / 0.0254), density);
    memcpy(density + 4, density, 4);
    density[8] = 1;
    c = begin_chunk(f, "pHYs", sizeof density);
    plot_png_put(&c, density, sizeof density);
    end_chunk(&c);
    put_data(f, arena, data, size);
    c = begin_chunk(f, "IEND", 0);
    end_chunk(&c);
}
