// SPDX-License-Identifier: Apache-2.0
// The file of a checkpoint: packing, unpacking, and whether it can be trusted. Damage is found by the
// hash. A run is restored from its numbers as they are, so that a file that someone else could have
// written is refused before: it must belong to the user, who alone may write to it.
#include "base/state/keeper.h"
#include "io/checkpoint/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FORMAT = 2, ORDER = 0x01020304, DIGEST = 64, RECORD = 16 };
static const char WORD[20] = "holonom checkpoint";

typedef struct Head {
    char word[sizeof WORD];
    uint32_t format, order;
} Head;

// bytes of any number; in reading *p points into the string
static void file_block(HolKeeper *k, const char *name, const void **p, uint64_t *size) {
    HOL_KEEP(k, *size);
    if (hol_keep_reads(k)) {
        if (k->wrong || k->size - k->at < RECORD || k->size - k->at - RECORD < *size) {
            hol_keep_wrong(k, name);
            *size = 0;
            return;
        }
        *p = k->bytes + k->at + RECORD;
        k->mode = HOL_KEEP_CHECK;
    }
    hol_keep(k, name, (void *)(uintptr_t)*p, (size_t)*size); // (only read)
    if (hol_keep_reads(k))
        k->mode = HOL_KEEP_READ;
}

static void file_records(HolCheckpointParts *p, HolKeeper *k) {
    const void *identity = p->identity;
    file_block(k, "identity", &identity, &p->identity_size);
    p->identity = identity;
    HOL_KEEP(k, p->n);
    const void *text = p->reason.text;
    uint64_t text_size = strlen(p->reason.text) + 1;
    HOL_KEEP(k, p->reason.status);
    HOL_KEEP(k, p->reason.time);
    file_block(k, "reason", &text, &text_size);
    if (hol_keep_reads(k) && text_size > 0)
        snprintf(p->reason.text, sizeof p->reason.text, "%.*s",
                 (int)(text_size < sizeof p->reason.text ? text_size - 1 : sizeof p->reason.text),
                 (const char *)text);
    file_block(k, "own", &p->own, &p->own_size);
    file_block(k, "run", &p->run, &p->run_size);
}

HolStatus hol_checkpoint_write(const char *file, HolCheckpointParts *parts, HolError *err) {
    HolArena scratch = {0};
    HolAtomicFile place = {0};
    HolKeeper k = {.mode = HOL_KEEP_COUNT};
    file_records(parts, &k);
    const size_t length = sizeof(Head) + k.at;
    unsigned char *bytes = hol_arena_alloc(&scratch, length + DIGEST + 1);
    if (!bytes) {
        hol_arena_free(&scratch);
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    }
    Head head = {.format = FORMAT, .order = ORDER};
    memcpy(head.word, WORD, sizeof WORD);
    memcpy(bytes, &head, sizeof head);
    k = (HolKeeper){.mode = HOL_KEEP_WRITE, .bytes = bytes, .size = length, .at = sizeof head};
    file_records(parts, &k);
    hol_sha256_text(bytes, length, (char *)bytes + length);
    HolStatus status = hol_file_choose(&place, &scratch, file, err);
    if (!status && place.direct)
        status = hol_file_error(&place, "a checkpoint is a regular file", err);
    place.mode = 0; // (that of a file which is replaced does not matter)
    FILE *f = status ? NULL : hol_file_open(&place, err);
    if (f) {
        (void)fchmod(fileno(f), 0600);
        fwrite(bytes, 1, length + DIGEST, f);
        status = hol_file_close(&place, f, 1, err);
    } else if (!status) {
        status = HOL_ERR_FILE;
    }
    hol_arena_free(&scratch);
    return status;
}

static HolStatus file_unreadable(const char *file, const char *reason, HolError *err) {
    return hol_error_set(err, HOL_ERR_FILE, "cannot resume %s: %s", file, reason);
}

// numbers that the rest is counted by
static int file_numbers_fit(const HolCheckpointNumbers *n) {
    for (int i = 0; i < HOL_TABLES; i++)
        if (n->tables[i].lines < 0 || n->tables[i].length > INT64_MAX ||
            !memchr(n->tables[i].sha256, 0, sizeof n->tables[i].sha256))
            return 0;
    return n->rows >= 0 && n->length <= INT64_MAX && n->state >= HOL_CHECKPOINT_UNDER_WAY &&
           n->state <= HOL_CHECKPOINT_FINISHED && isfinite(n->time) &&
           memchr(n->sha256, 0, sizeof n->sha256) &&
           memchr(n->result_sha256, 0, sizeof n->result_sha256);
}

HolStatus hol_checkpoint_unpack(unsigned char *bytes, size_t size, const char *file,
                                HolCheckpointParts *out, HolError *err) {
    Head head;
    char sha256[65];
    memset(out, 0, sizeof *out);
    if (size < sizeof head || memcmp(bytes, WORD, sizeof WORD) != 0)
        return file_unreadable(file, "it is no checkpoint", err);
    memcpy(&head, bytes, sizeof head);
    if (head.order != ORDER)
        return file_unreadable(file, "it was made on a machine with another byte order", err);
    if (head.format != FORMAT)
        return hol_error_set(err, HOL_ERR_INPUT,
                             "cannot resume %s: it has format %u, this version reads %d", file,
                             head.format, FORMAT);
    if (size < sizeof head + DIGEST)
        return file_unreadable(file, "it is cut off", err);
    hol_sha256_text(bytes, size - DIGEST, sha256);
    if (memcmp(sha256, bytes + size - DIGEST, DIGEST) != 0)
        return file_unreadable(file, "it is damaged: its SHA-256 does not fit", err);
    HolKeeper k = {.mode = HOL_KEEP_READ, .bytes = bytes, .size = size - DIGEST, .at = sizeof head};
    file_records(out, &k);
    if (k.wrong || k.at != k.size || !file_numbers_fit(&out->n) || out->identity_size == 0 ||
        out->identity[out->identity_size - 1] != 0)
        return file_unreadable(file, "its records do not fit", err);
    return HOL_OK;
}

HolStatus hol_checkpoint_read(HolArena *arena, const char *file, HolCheckpointParts *out,
                              HolError *err) {
    struct stat info;
    const int fd = open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &info) != 0) {
        const int reason = errno;
        if (fd >= 0)
            close(fd);
        return file_unreadable(file, strerror(reason), err);
    }
    const char *wrong = NULL;
    if (!S_ISREG(info.st_mode))
        wrong = "it is no regular file";
    else if (info.st_uid != geteuid() || (info.st_mode & (S_IWGRP | S_IWOTH)))
        wrong = "others than you could have written it: its owner must be you, and its mode 0600";
    const size_t size = wrong ? 0 : (size_t)info.st_size;
    unsigned char *bytes = wrong ? NULL : hol_arena_alloc(arena, size + 1);
    size_t got = 0;
    for (ssize_t n = 1; bytes && got < size && n > 0; got += n > 0 ? (size_t)n : 0)
        n = pread(fd, bytes + got, size - got, (off_t)got);
    close(fd);
    if (wrong)
        return file_unreadable(file, wrong, err);
    if (!bytes)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    return got < size ? file_unreadable(file, "it cannot be read to its end", err)
                      : hol_checkpoint_unpack(bytes, size, file, out, err);
}
