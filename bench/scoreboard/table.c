// SPDX-License-Identifier: Apache-2.0
// The list of problems, bench/scoreboard/problems.txt. Lines "KEY VALUE", # comments; a line
// `problem NAME` begins a problem:
//     title TEXT, source TEXT, trap TEXT
//     model FILE | generate MECHANISM N | built-in NAME
//     reference FILE
//     list TIME           the file has one value a line, all at that time
//     until TIME          rows behind it are not used
//     except TIME TRUST   the sample at that time has a trust of its own
//     growth NUMBER       see scoreboard.h; 30 when not said
//     signal | angle | quaternion  NAME TRUST: COLUMN = OURS; COLUMN = OURS; ..
#include "scoreboard.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const double default_growth = 30;

typedef struct Reader {
    SbTable *table;
    const char *path;
    int line;
    HolError *err;
} Reader;

static int table_error(const Reader *r, const char *format, ...) {
    char text[SB_TEXT];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    snprintf(r->err->text, sizeof r->err->text, "%s:%d: %s", r->path, r->line, text);
    return 0;
}

// without blanks at both ends; the text is changed
static char *table_trim(char *text) {
    while (isspace((unsigned char)*text))
        text++;
    for (size_t n = strlen(text); n && isspace((unsigned char)text[n - 1]); n--)
        text[n - 1] = 0;
    return text;
}

static int table_copy(const Reader *r, char *to, size_t room, const char *text) {
    const int n = snprintf(to, room, "%s", text);
    return n >= 0 && (size_t)n < room ? 1 : table_error(r, "too long: %s", text);
}

static int table_number(const Reader *r, const char *text, double *out) {
    char *end;
    *out = strtod(text, &end);
    return end != text && !*end && *out > 0 ? 1 : table_error(r, "no positive number: '%s'", text);
}

// ---- one signal: NAME TRUST: COLUMN = OURS; .. ----

static int table_map(const Reader *r, SbSignal *s, char *text) {
    char *equal = strchr(text, '=');
    if (!equal)
        return table_error(r, "COLUMN = OURS expected: '%s'", text);
    if (s->n == SB_MAPS)
        return table_error(r, "more than %d columns", SB_MAPS);
    *equal = 0;
    SbMap *m = &s->maps[s->n++];
    return table_copy(r, m->reference, sizeof m->reference, table_trim(text)) &&
           table_copy(r, m->ours, sizeof m->ours, table_trim(equal + 1));
}

static int table_signal(const Reader *r, SbProblem *p, SbKind kind, char *text) {
    char *colon = strchr(text, ':');
    if (!colon)
        return table_error(r, "NAME TRUST: COLUMN = OURS; .. expected");
    if (p->n_signals == SB_SIGNALS)
        return table_error(r, "more than %d signals", SB_SIGNALS);
    *colon = 0;
    SbSignal *s = &p->signals[p->n_signals++];
    s->kind = kind;
    char *name = table_trim(text), *trust = strrchr(name, ' ');
    if (!trust)
        return table_error(r, "NAME TRUST expected before the colon");
    *trust = 0;
    if (!table_number(r, trust + 1, &s->trust) ||
        !table_copy(r, s->name, sizeof s->name, table_trim(name)))
        return 0;
    for (char *part = colon + 1, *next; part; part = next) {
        next = strchr(part, ';');
        if (next)
            *next++ = 0;
        if (*table_trim(part) && !table_map(r, s, table_trim(part)))
            return 0;
    }
    if (!s->n || (kind == SB_QUATERNION && s->n != 4))
        return table_error(r, s->n ? "a quaternion has four columns" : "no columns");
    return 1;
}

// ---- lines ----

static int table_begin(Reader *r, const char *name) {
    SbTable *t = r->table;
    SbProblem *items = realloc(t->items, ((size_t)t->n + 1) * sizeof *items);
    if (!items)
        return table_error(r, "no memory");
    t->items = items;
    for (int i = 0; i < t->n; i++)
        if (!strcmp(items[i].name, name))
            return table_error(r, "a second problem '%s'", name);
    memset(&items[t->n], 0, sizeof *items);
    items[t->n].growth = default_growth;
    return table_copy(r, items[t->n++].name, SB_NAME, name);
}

static int table_generate(const Reader *r, SbProblem *p, char *value) {
    char *number = strchr(value, ' ');
    double n;
    if (!number)
        return table_error(r, "MECHANISM N expected");
    *number = 0;
    if (!table_number(r, table_trim(number + 1), &n))
        return 0;
    p->parts = (int)n;
    return table_copy(r, p->generate, sizeof p->generate, value);
}

static int table_except(const Reader *r, SbProblem *p, char *value) {
    char *trust = strchr(value, ' ');
    if (!trust)
        return table_error(r, "TIME TRUST expected");
    *trust = 0;
    return table_number(r, value, &p->except) &&
           table_number(r, table_trim(trust + 1), &p->except_trust);
}

static int table_trap(const Reader *r, SbProblem *p, const char *value) {
    if (p->n_traps == SB_TRAPS)
        return table_error(r, "more than %d traps", SB_TRAPS);
    return table_copy(r, p->traps[p->n_traps++], SB_TEXT, value);
}

static int table_line(Reader *r, char *key, char *value) {
    if (!strcmp(key, "problem"))
        return table_begin(r, value);
    if (!r->table->n)
        return table_error(r, "'problem NAME' must come first");
    SbProblem *p = &r->table->items[r->table->n - 1];
    const struct {
        const char *key;
        char *text;
    } texts[] = {{"title", p->title},
                 {"source", p->source},
                 {"model", p->model},
                 {"reference", p->reference}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!strcmp(key, texts[i].key))
            return table_copy(r, texts[i].text, SB_TEXT, value);
    const struct {
        const char *key;
        double *number;
    } numbers[] = {{"list", &p->list}, {"until", &p->until}, {"growth", &p->growth}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!strcmp(key, numbers[i].key))
            return table_number(r, value, numbers[i].number);
    static const char *const kinds[] = {"signal", "angle", "quaternion"};
    for (int i = 0; i < 3; i++)
        if (!strcmp(key, kinds[i]))
            return table_signal(r, p, (SbKind)i, value);
    if (!strcmp(key, "generate"))
        return table_generate(r, p, value);
    if (!strcmp(key, "except"))
        return table_except(r, p, value);
    if (!strcmp(key, "built-in"))
        return table_copy(r, p->built_in, sizeof p->built_in, value);
    if (!strcmp(key, "trap"))
        return table_trap(r, p, value);
    return table_error(r, "unknown key '%s'", key);
}

static int table_complete(const Reader *r) {
    for (int i = 0; i < r->table->n; i++) {
        const SbProblem *p = &r->table->items[i];
        const int systems = !!*p->model + !!*p->generate + !!*p->built_in;
        if (systems != 1 || !*p->title || !*p->source || !*p->reference || !p->n_signals)
            return table_error(r,
                               "problem '%s' needs a title, a source, one of model, generate, "
                               "built-in, a reference, and signals",
                               p->name);
    }
    return 1;
}

int sb_table_read(const char *path, SbTable *out, HolError *err) {
    char line[4096];
    Reader r = {.table = out, .path = path, .err = err};
    memset(out, 0, sizeof *out);
    FILE *f = fopen(path, "r");
    if (!f)
        return table_error(&r, "cannot be read");
    int ok = 1;
    while (ok && fgets(line, sizeof line, f)) {
        r.line++;
        char *key = table_trim(line), *value = strchr(key, ' ');
        if (!*key || *key == '#')
            continue;
        if (value)
            *value++ = 0;
        ok = value ? table_line(&r, key, table_trim(value)) : table_error(&r, "a key alone");
    }
    fclose(f);
    return ok && table_complete(&r);
}

void sb_table_free(SbTable *t) {
    free(t->items);
    memset(t, 0, sizeof *t);
}
