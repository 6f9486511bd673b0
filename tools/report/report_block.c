// SPDX-License-Identifier: Apache-2.0
// The numbers of a report: column after column, each as byte planes (all first bytes, all second
// bytes ...: neighbours are alike, so that they compress), deflated when large, as base64 text.
#include "tools/report/report.h"

#include <string.h>
#ifdef HOL_HAVE_ZLIB
#include <zlib.h>
#endif

enum { SMALL = 65536, CHUNK = 16384 };

// bytes on their way into the page; base64 takes three at a time
typedef struct Sink {
    FILE *file;
    unsigned char rest[3];
    int n_rest;
#ifdef HOL_HAVE_ZLIB
    int deflating;
    z_stream stream;
#endif
} Sink;

// the bytes kept so far (1 to 3) as four characters, '=' for those that are missing
static void base64_group(Sink *s) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned v = 0;
    for (int i = 0; i < 3; i++)
        v = v << 8 | (i < s->n_rest ? s->rest[i] : 0u);
    char text[4] = {digits[v >> 18], digits[v >> 12 & 63], digits[v >> 6 & 63], digits[v & 63]};
    for (int i = 3; i > s->n_rest; i--)
        text[i] = '=';
    fwrite(text, 1, 4, s->file);
    s->n_rest = 0;
}

static void base64(Sink *s, const unsigned char *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) {
        s->rest[s->n_rest++] = bytes[i];
        if (s->n_rest == 3)
            base64_group(s);
    }
}

#ifdef HOL_HAVE_ZLIB
static int deflate_into(Sink *s, const unsigned char *bytes, size_t size, int flush) {
    unsigned char out[CHUNK];
    s->stream.next_in = (unsigned char *)(uintptr_t)bytes;
    s->stream.avail_in = (unsigned)size;
    int code;
    do {
        s->stream.next_out = out;
        s->stream.avail_out = CHUNK;
        code = deflate(&s->stream, flush);
        if (code == Z_STREAM_ERROR)
            return 0;
        base64(s, out, CHUNK - s->stream.avail_out);
    } while (s->stream.avail_out == 0);
    return flush != Z_FINISH || code == Z_STREAM_END;
}
#endif

static int report_block_put(Sink *s, const unsigned char *bytes, size_t size) {
#ifdef HOL_HAVE_ZLIB
    if (s->deflating)
        return deflate_into(s, bytes, size, Z_NO_FLUSH);
#endif
    base64(s, bytes, size);
    return 1;
}

int hol_report_constant(const HolReport *r, int column) {
    double base = r->columns[column].base;
    for (int i = 0; i < r->n_samples; i++)
        if (r->values[(size_t)i * (size_t)r->n_columns + (size_t)column] != base)
            return 0;
    return 1;
}

size_t hol_report_block_size(const HolReport *r) {
    size_t n = (size_t)r->n_samples, bytes = 8 * n;
    for (int c = 0; c < r->n_columns; c++)
        bytes += hol_report_constant(r, c) ? 0 : 4 * n;
    for (int b = 0; b < r->n_bodies; b++)
        bytes += 4 * (size_t)r->meshes[b].count;
    return bytes;
}

const char *hol_report_encoding(size_t bytes) {
#ifdef HOL_HAVE_ZLIB
    if (bytes >= SMALL)
        return "deflate-raw+base64";
#endif
    (void)bytes;
    return "base64";
}

// n numbers of `width` bytes as planes; the page reads little-endian, as this machine stores them
static int put_planes(Sink *s, const unsigned char *numbers, size_t n, size_t width) {
    unsigned char buffer[CHUNK];
    for (size_t k = 0; k < width; k++)
        for (size_t i = 0; i < n;) {
            size_t m = 0;
            for (; m < CHUNK && i < n; i++)
                buffer[m++] = numbers[i * width + k];
            if (!report_block_put(s, buffer, m))
                return 0;
        }
    return 1;
}

static int put_column(const HolReport *r, Sink *s, int column, float *scratch) {
    size_t n = (size_t)r->n_samples;
    for (size_t i = 0; i < n; i++)
        scratch[i] =
            (float)(r->values[i * (size_t)r->n_columns + (size_t)column] - r->columns[column].base);
    return put_planes(s, (const unsigned char *)scratch, n, 4);
}

static int report_block_put_all(const HolReport *r, Sink *s, float *scratch) {
    int ok = put_planes(s, (const unsigned char *)r->time, (size_t)r->n_samples, 8);
    for (int c = 0; ok && c < r->n_columns; c++)
        if (!hol_report_constant(r, c))
            ok = put_column(r, s, c, scratch);
    for (int b = 0; ok && b < r->n_bodies; b++)
        if (r->meshes[b].count > 0)
            ok = put_planes(s, (const unsigned char *)r->meshes[b].xyz, (size_t)r->meshes[b].count,
                            4);
    return ok;
}

HolStatus hol_report_block(HolReport *r, HolError *err) {
    Sink s = {.file = r->file};
    float *scratch = HOL_NEW(&r->arena, float, r->n_samples);
    if (!scratch)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
#ifdef HOL_HAVE_ZLIB
    s.deflating = hol_report_block_size(r) >= SMALL;
    if (s.deflating && deflateInit2(&s.stream, 6, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY) != Z_OK)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
#endif
    int ok = report_block_put_all(r, &s, scratch);
#ifdef HOL_HAVE_ZLIB
    if (s.deflating) {
        ok = ok && deflate_into(&s, NULL, 0, Z_FINISH);
        deflateEnd(&s.stream);
    }
#endif
    if (s.n_rest > 0)
        base64_group(&s);
    return ok ? HOL_OK : hol_error_set(err, HOL_ERR_FILE, "cannot compress the report's numbers");
}
