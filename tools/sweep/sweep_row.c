// SPDX-License-Identifier: Apache-2.0
// A row as bytes, for pipes, messages and the journal: length, checksum, numbers, values, message.
#include "tools/sweep/sweep.h"

#include <stdint.h>
#include <string.h>

typedef struct RowHead {
    uint32_t length, check; // of all bytes; of those behind these two
    int64_t run, steps, rejected, force_evaluations;
    double seconds;
    int32_t status, crashed;
} RowHead;

size_t hol_row_room(const HolStudy *s) {
    return sizeof(RowHead) + sizeof(double) * (size_t)s->n_records +
           sizeof((HolSweepRow *)0)->message;
}

// FNV-1a
static uint32_t row_check(const char *bytes, size_t length) {
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)bytes[i]) * 16777619u;
    return h;
}

size_t hol_row_pack(const HolStudy *s, const HolSweepRow *row, char *to) {
    const size_t values = sizeof(double) * (size_t)s->n_records, text = strlen(row->message) + 1;
    RowHead head = {.length = (uint32_t)(sizeof head + values + text),
                    .run = row->run,
                    .steps = row->steps,
                    .rejected = row->rejected,
                    .force_evaluations = row->force_evaluations,
                    .seconds = row->seconds,
                    .status = row->status,
                    .crashed = row->crashed};
    memcpy(to, &head, sizeof head);
    memcpy(to + sizeof head, row->values, values);
    memcpy(to + sizeof head + values, row->message, text);
    const size_t before = offsetof(RowHead, run);
    head.check = row_check(to + before, head.length - before);
    memcpy(to, &head, sizeof head);
    return head.length;
}

size_t hol_row_unpack(const HolStudy *s, const char *from, size_t length, HolSweepRow *row) {
    const size_t values = sizeof(double) * (size_t)s->n_records, before = offsetof(RowHead, run);
    RowHead head;
    if (length < sizeof head)
        return 0;
    memcpy(&head, from, sizeof head);
    if (head.length > length || head.length <= sizeof head + values ||
        head.length > hol_row_room(s) || from[head.length - 1] != 0 ||
        head.check != row_check(from + before, head.length - before) || head.run < 0 ||
        head.run >= s->runs)
        return 0;
    double *to = row->values;
    *row = (HolSweepRow){.run = (long)head.run,
                         .status = (HolStatus)head.status,
                         .crashed = head.crashed,
                         .values = to,
                         .steps = (long)head.steps,
                         .rejected = (long)head.rejected,
                         .force_evaluations = (long)head.force_evaluations,
                         .seconds = head.seconds};
    memcpy(to, from + sizeof head, values);
    memcpy(row->message, from + sizeof head + values, head.length - sizeof head - values);
    return head.length;
}
