// SPDX-License-Identifier: Apache-2.0
// What the tables of events and impulses hold, and their lines as CSV (RFC 4180): see tables.h.
#include "io/result/tables.h"
#include "io/csv.h"

#include <stddef.h>
#include <string.h>

#define NUMBER(type, member)                                                                       \
    { #member, offsetof(type, member), 0 }
#define TEXT(type, member)                                                                         \
    { #member, offsetof(type, member), sizeof(((type *)0)->member) }

static const HolTableField event_fields[] = {
    NUMBER(HolEvent, time),         TEXT(HolEvent, name),          TEXT(HolEvent, kind),
    NUMBER(HolEvent, speed_before), NUMBER(HolEvent, speed_after), NUMBER(HolEvent, impulse_n),
    NUMBER(HolEvent, impulse_t),    NUMBER(HolEvent, loss),        NUMBER(HolEvent, sensitivity),
};

static const HolTableField impulse_fields[] = {
    NUMBER(HolImpulse, time),   TEXT(HolImpulse, event), TEXT(HolImpulse, joint),
    NUMBER(HolImpulse, fx),     NUMBER(HolImpulse, fy),  NUMBER(HolImpulse, fz),
    NUMBER(HolImpulse, tx),     NUMBER(HolImpulse, ty),  NUMBER(HolImpulse, tz),
    NUMBER(HolImpulse, effort),
};

#define COUNT(fields) ((int)(sizeof(fields) / sizeof *(fields)))

const HolTable hol_tables[HOL_TABLES] = {
    {"events", sizeof(HolEvent), COUNT(event_fields), event_fields},
    {"impulses", sizeof(HolImpulse), COUNT(impulse_fields), impulse_fields},
};

const char *hol_table_path(HolArena *arena, const char *result, const HolTable *t) {
    const char *slash = strrchr(result, '/'), *base = slash ? slash + 1 : result;
    const char *dot = strrchr(base, '.');
    const size_t stem = dot ? (size_t)(dot - result) : strlen(result), size = stem + 32;
    char *path = hol_arena_alloc(arena, size);
    if (path)
        snprintf(path, size, "%.*s_%s.csv", (int)stem, result, t->name);
    return path;
}

void hol_table_put_header(const HolTable *t, FILE *to) {
    for (int i = 0; i < t->n; i++)
        fprintf(to, "%s%c", t->fields[i].name, i + 1 < t->n ? ',' : '\n');
}

void hol_table_put(const HolTable *t, const void *line, FILE *to) {
    for (int i = 0; i < t->n; i++) {
        const HolTableField *f = &t->fields[i];
        const char *at = (const char *)line + f->offset;
        double value;
        if (f->text) {
            hol_csv_put_text(to, at);
        } else {
            memcpy(&value, at, sizeof value);
            hol_csv_put_number(to, value);
        }
        fputc(i + 1 < t->n ? ',' : '\n', to);
    }
}

// a field of at most `size` - 1 letters, quotes removed; what stands behind it, EOF: it does not end
static int table_field(FILE *from, char *out, size_t size) {
    size_t n = 0;
    int c = getc(from), quoted = c == '"';
    if (quoted)
        c = getc(from);
    for (; c != EOF; c = getc(from)) {
        if (quoted && c == '"') {
            c = getc(from);
            if (c != '"')
                break;
        } else if (!quoted && (c == ',' || c == '\n')) {
            break;
        }
        if (n + 1 < size)
            out[n++] = (char)c;
    }
    out[n] = 0;
    return c;
}

int hol_table_get(const HolTable *t, FILE *from, HolTableLine *line) {
    memset(line, 0, sizeof *line);
    const int first = getc(from);
    if (first == EOF)
        return 0;
    ungetc(first, from);
    for (int i = 0; i < t->n; i++) {
        const HolTableField *f = &t->fields[i];
        char *at = (char *)line + f->offset, text[64];
        const int end =
            f->text ? table_field(from, at, f->text) : table_field(from, text, sizeof text);
        double value;
        if (end != (i + 1 < t->n ? ',' : '\n') ||
            (!f->text && !hol_csv_number(text, strlen(text), &value)))
            return -1;
        if (!f->text)
            memcpy(at, &value, sizeof value);
    }
    if (t == &hol_tables[HOL_TABLE_IMPULSES])
        line->impulse.size = sizeof line->impulse;
    return 1;
}
