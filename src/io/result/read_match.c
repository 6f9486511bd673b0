// SPDX-License-Identifier: Apache-2.0
// Does the manifest belong to the result? It holds the number of rows and a hash: of the file's bytes
// (CSV), or of the numbers row by row as doubles in memory (HDF5). A result that was changed by hand,
// or a manifest left from another run, is said; the numbers are shown all the same.
#include "base/sha256.h"
#include "io/result/read_result.h"

#include <stdarg.h>
#include <string.h>

void hol_result_tell(HolResult *r, const char *format, ...) {
    const size_t used = strlen(r->remark);
    va_list args;
    va_start(args, format);
    if (used + 1 < sizeof r->remark) {
        r->remark[used] = used ? '\n' : 0;
        vsnprintf(r->remark + used + (used > 0), sizeof r->remark - used - (used > 0), format,
                  args);
    }
    va_end(args);
}

static void read_match_numbers(const HolResult *r, char out[65]) {
    HolSha256 hash;
    hol_sha256_begin(&hash);
    for (long i = 0; i < r->rows; i++)
        for (int c = 0; c < r->n_columns; c++)
            hol_sha256_add(&hash, &r->values[c][i], sizeof(double));
    hol_sha256_end(&hash, out);
}

void hol_result_match(HolResult *r, const char *sha256) {
    const HolManifest *m = &r->manifest;
    char own[65];
    if (!r->has_manifest || !m->result_sha256 || !m->result_sha256[0])
        return;
    if (m->rows >= 0 && m->rows != r->rows) {
        hol_result_tell(r,
                        "%s has %ld rows, its manifest tells of %ld: they are not from one run, or "
                        "the file is not whole",
                        r->path, r->rows, m->rows);
        return;
    }
    if (!sha256)
        read_match_numbers(r, own);
    if (strcmp(sha256 ? sha256 : own, m->result_sha256) != 0)
        hol_result_tell(r, "%s is not the file that its manifest describes: it was changed since",
                        r->path);
}

const char *hol_result_remark(const HolResult *r) {
    return r ? r->remark : "";
}
