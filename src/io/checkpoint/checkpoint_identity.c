// SPDX-License-Identifier: Apache-2.0
// What the bits of a result follow from, as lines of text "KIND FACT": a run is resumed by one that
// has the same lines.
#include "base/text.h"
#include "io/checkpoint/checkpoint.h"
#include "io/result/manifest.h"

#include <stdlib.h>
#include <string.h>

// a text in one line
static void identity_text(FILE *f, const char *text) {
    for (; text && *text; text++)
        fputc(*text == '\n' || *text == '\r' ? ' ' : *text, f);
}

static void identity_members(FILE *f, const HolSimOptions *o) {
    for (const HolMember *m = hol_option_members; m->key; m++) {
        const char *at = (const char *)o + m->offset;
        int number;
        long count;
        double value;
        fprintf(f, "option %s = ", m->key);
        switch (m->type) {
        case HOL_MEMBER_TEXT:
            identity_text(f, at);
            break;
        case HOL_MEMBER_DOUBLE:
            memcpy(&value, at, sizeof value);
            fprintf(f, "%.17g", value);
            break;
        case HOL_MEMBER_INT:
            memcpy(&number, at, sizeof number);
            fprintf(f, "%d", number);
            break;
        case HOL_MEMBER_LONG:
            memcpy(&count, at, sizeof count);
            fprintf(f, "%ld", count);
            break;
        }
        fputc('\n', f);
    }
}

static void identity_put(FILE *f, const HolModel *m, const HolSimOptions *o, const char *format) {
    const char *source = m->source ? m->source : "";
    char sha256[65];
    fputs("version ", f);
    identity_text(f, hol_version());
    hol_sha256_text(source, strlen(source), sha256);
    fprintf(f, "\nmodel %s\n", sha256);
    for (int i = 0; i < m->n_files; i++) {
        fprintf(f, "file %s ", m->files[i].sha256);
        identity_text(f, m->files[i].path);
        fputc('\n', f);
    }
    for (int i = 0; i < m->n_settings; i++) {
        fputs("setting ", f);
        identity_text(f, m->settings[i].key);
        fputs(" = ", f);
        identity_text(f, m->settings[i].value);
        fputc('\n', f);
    }
    identity_members(f, o);
    HolSha256 columns;
    hol_sha256_begin(&columns);
    const int n = hol_model_column_count(m);
    for (int i = 0; i < n; i++) {
        const char *name = hol_result_column_name(m, i);
        hol_sha256_add(&columns, name, strlen(name) + 1);
    }
    hol_sha256_end(&columns, sha256);
    fprintf(f, "columns %d %s\nresult %s\n", n, sha256, format);
}

char *hol_checkpoint_identity(HolArena *arena, const HolModel *m, const HolSimOptions *o,
                              const char *format) {
    char *text = NULL, *copy = NULL;
    size_t length = 0;
    FILE *f = open_memstream(&text, &length);
    if (!f)
        return NULL;
    identity_put(f, m, o, format);
    if (hol_memory_close(f, &text))
        copy = hol_arena_text_n(arena, text, length);
    free(text);
    return copy;
}

// 1: the line begins with the word
static int identity_is(const char *line, const char *word) {
    const size_t n = strlen(word);
    return strncmp(line, word, n) == 0 && line[n] == ' ';
}

// what differs, from the first line that does
static HolStatus identity_differs(const char *file, const char *saved, size_t a, const char *own,
                                  size_t b, HolError *err) {
    enum { MOST = 300, SHA = 70 }; // "file ", the hash and a space
    const int short_a = a < MOST ? (int)a : MOST, short_b = b < MOST ? (int)b : MOST;
    if (identity_is(saved, "model") && identity_is(own, "model"))
        return hol_error_set(err, HOL_ERR_INPUT,
                             "%s cannot be resumed: the model's text has changed since", file);
    if (identity_is(saved, "file") && identity_is(own, "file") && a == b && a > SHA &&
        memcmp(saved + SHA, own + SHA, a - SHA) == 0)
        return hol_error_set(
            err, HOL_ERR_INPUT,
            "%s cannot be resumed: '%.*s', which the model reads, has changed since", file,
            short_a - SHA, saved + SHA);
    const int own_more = identity_is(own, "setting") && !identity_is(saved, "setting");
    const int saved_more = identity_is(saved, "setting") && !identity_is(own, "setting");
    if (own_more || saved_more)
        return hol_error_set(
            err, HOL_ERR_INPUT, "%s cannot be resumed: it is of a run with%s the %.*s", file,
            own_more ? "out" : "", own_more ? short_b : short_a, own_more ? own : saved);
    return hol_error_set(err, HOL_ERR_INPUT,
                         "%s cannot be resumed: it is of another run, with '%.*s' where this one "
                         "has '%.*s'",
                         file, a ? short_a : 7, a ? saved : "nothing", b ? short_b : 7,
                         b ? own : "nothing");
}

HolStatus hol_checkpoint_same(const char *file, const char *saved, const char *own, HolError *err) {
    while (*saved || *own) {
        const size_t a = strcspn(saved, "\n"), b = strcspn(own, "\n");
        if (a != b || memcmp(saved, own, a) != 0)
            return identity_differs(file, saved, a, own, b, err);
        saved += a + (saved[a] != 0);
        own += b + (own[b] != 0);
    }
    return HOL_OK;
}
