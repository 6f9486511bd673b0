// SPDX-License-Identifier: Apache-2.0
// SHA-256 of a text (FIPS 180-4), so that a result says which model it belongs to. The constants
// are the first 32 bits of the fractional parts of square and cube roots of the first primes; they
// are computed here by integer arithmetic.
#include "base/sha256.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef unsigned __int128 Wide;

// floor(x^(1/power) * 2^32) mod 2^32 of a small prime, by bisection on integers
static uint32_t root_fraction(uint32_t x, int power) {
    Wide lo = 0, hi = (Wide)1 << 40;
    Wide target = (Wide)x << (32 * power > 96 ? 96 : 32 * power);
    while (hi - lo > 1) {
        Wide mid = (lo + hi) / 2;
        Wide value = power == 2 ? mid * mid : mid * mid * mid;
        if (value <= target)
            lo = mid;
        else
            hi = mid;
    }
    return (uint32_t)lo;
}

typedef HolSha256 Sha256;

static void sha256_start(Sha256 *s) {
    int n = 0;
    for (uint32_t p = 2; n < 64; p++) {
        int prime = 1;
        for (uint32_t d = 2; d * d <= p; d++)
            prime = prime && p % d != 0;
        if (!prime)
            continue;
        s->k[n] = root_fraction(p, 3);
        if (n < 8)
            s->h[n] = root_fraction(p, 2);
        n++;
    }
}

static uint32_t sha256_turn(uint32_t x, int n) {
    return x >> n | x << (32 - n);
}

static void block(Sha256 *s, const unsigned char *bytes) {
    uint32_t w[64], v[8];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)bytes[4 * i] << 24 | (uint32_t)bytes[4 * i + 1] << 16 |
               (uint32_t)bytes[4 * i + 2] << 8 | bytes[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (sha256_turn(a, 7) ^ sha256_turn(a, 18) ^ a >> 3) +
               (sha256_turn(b, 17) ^ sha256_turn(b, 19) ^ b >> 10);
    }
    memcpy(v, s->h, sizeof v);
    for (int i = 0; i < 64; i++) {
        uint32_t e = v[4], a = v[0];
        uint32_t t1 = v[7] + (sha256_turn(e, 6) ^ sha256_turn(e, 11) ^ sha256_turn(e, 25)) +
                      ((e & v[5]) ^ (~e & v[6])) + s->k[i] + w[i];
        uint32_t t2 = (sha256_turn(a, 2) ^ sha256_turn(a, 13) ^ sha256_turn(a, 22)) +
                      ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++)
        s->h[i] += v[i];
}

void hol_sha256_begin(HolSha256 *s) {
    sha256_start(s);
    s->size = 0;
}

void hol_sha256_add(HolSha256 *s, const void *data, size_t size) {
    const unsigned char *bytes = data;
    size_t held = (size_t)(s->size % 64);
    s->size += size;
    if (held > 0) {
        const size_t n = size < 64 - held ? size : 64 - held;
        memcpy(s->rest + held, bytes, n);
        bytes += n;
        size -= n;
        if (held + n < 64)
            return;
        block(s, s->rest);
    }
    for (; size >= 64; bytes += 64, size -= 64)
        block(s, bytes);
    if (size > 0)
        memcpy(s->rest, bytes, size);
}

void hol_sha256_end(const HolSha256 *given, char out[65]) {
    static const char digits[] = "0123456789abcdef";
    HolSha256 own = *given, *s = &own;
    // the rest, a one bit, zeros and the length in bits
    unsigned char tail[128] = {0};
    const size_t rest = (size_t)(s->size % 64), length = rest + 9 <= 64 ? 64 : 128;
    memcpy(tail, s->rest, rest);
    tail[rest] = 0x80;
    for (size_t i = 0; i < 8; i++)
        tail[length - 1 - i] = (unsigned char)(s->size * 8 >> (8 * i));
    for (size_t at = 0; at < length; at += 64)
        block(s, tail + at);
    for (size_t i = 0; i < 64; i++)
        out[i] = digits[s->h[i / 8] >> (28 - 4 * (i % 8)) & 15];
    out[64] = 0;
}

void hol_sha256_text(const void *data, size_t size, char out[65]) {
    HolSha256 s;
    hol_sha256_begin(&s);
    hol_sha256_add(&s, data, size);
    hol_sha256_end(&s, out);
}
