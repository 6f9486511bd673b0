// SPDX-License-Identifier: Apache-2.0
// The functionals inside a text: found by their names, replaced by names of the same length, so that
// positions in messages stay those of the text.
#include "solve/record/record.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    HolFunctional what;
} functionals[] = {
    {"min", HOL_RECORD_MIN},
    {"max", HOL_RECORD_MAX},
    {"mean", HOL_RECORD_MEAN},
    {"rms", HOL_RECORD_RMS},
    {"integral", HOL_RECORD_INTEGRAL},
    {"final", HOL_RECORD_FINAL},
    {"time_when", HOL_RECORD_TIME_WHEN},
};

static int record_is_letter(char c) {
    return isalpha((unsigned char)c) || c == '_';
}

static int record_is_part(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

// the word at text[at], its length; 0: none begins there
static int record_word(const char *text, int at) {
    int n = 0;
    if (!record_is_letter(text[at]) || (at > 0 && record_is_part(text[at - 1])))
        return 0;
    while (record_is_part(text[at + n]))
        n++;
    return n;
}

static int record_skip_spaces(const char *text, int at) {
    while (text[at] == ' ')
        at++;
    return at;
}

// index in the table, or -1
static int record_functional(const char *word, int length) {
    for (size_t i = 0; i < sizeof functionals / sizeof *functionals; i++)
        if ((int)strlen(functionals[i].name) == length &&
            strncmp(functionals[i].name, word, (size_t)length) == 0)
            return (int)i;
    return -1;
}

int hol_record_next_name(const char *text, int *at) {
    static const char *const words[] = {"and", "or", "not", "pi", "time"};
    for (int i = *at; text[i];) {
        const int n = record_word(text, i);
        int known = 0;
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            known |= (int)strlen(words[k]) == n && strncmp(words[k], text + i, (size_t)n) == 0;
        if (n && !known && text[record_skip_spaces(text, i + n)] != '(') {
            *at = i;
            return n;
        }
        i += n ? n : 1;
    }
    return 0;
}

// of the parenthesis at text[open]: where it closes, 0: nowhere; how many commas stand in it
static int record_closing(const char *text, int open, int *commas) {
    int depth = 0;
    *commas = 0;
    for (int i = open; text[i]; i++) {
        depth += text[i] == '(' || text[i] == '[';
        depth -= text[i] == ')' || text[i] == ']';
        *commas += depth == 1 && text[i] == ',';
        if (depth == 0)
            return i;
    }
    return 0;
}

static int record_wrong(HolExprError *err, int column, const char *text) {
    err->column = column;
    snprintf(err->text, sizeof err->text, "%s", text);
    return 0;
}

// the comparison of a condition "a < b" that is nothing but that; 0: there is none
static int record_comparison(const char *text, int *at, int *length) {
    int depth = 0, found = 0;
    for (int i = 0; text[i]; i++) {
        depth += text[i] == '(';
        depth -= text[i] == ')';
        if (depth)
            continue;
        const int n = record_word(text, i);
        if (text[i] == '&' || text[i] == '|' || text[i] == '!' || text[i] == '=' ||
            (n == 3 && strncmp(text + i, "and", 3) == 0) ||
            (n == 2 && strncmp(text + i, "or", 2) == 0) ||
            (n == 3 && strncmp(text + i, "not", 3) == 0))
            return 0;
        if (text[i] == '<' || text[i] == '>') {
            found++;
            *at = i;
            *length = text[i + 1] == '=' ? 2 : 1;
            i += *length - 1;
        }
    }
    return found == 1;
}

// a text that is positive where the condition holds
static int record_condition(HolArena *arena, HolRecordPart *p) {
    int at = 0, length = 0;
    const size_t n = strlen(p->text), room = n + 32;
    char *text = hol_arena_alloc(arena, room);
    if (!text)
        return 0;
    p->strict = 1;
    if (record_comparison(p->text, &at, &length)) {
        const char *left = p->text, *right = p->text + at + length;
        p->strict = length == 1;
        if (p->text[at] == '<')
            snprintf(text, room, "(%s) - (%.*s)", right, at, left);
        else
            snprintf(text, room, "(%.*s) - (%s)", at, left, right);
    } else {
        snprintf(text, room, "if(%s, 1, -1)", p->text);
    }
    p->text = text;
    return 1;
}

// the functional whose name of n letters stands at text[at]; *next: behind it
static int record_take(HolArena *arena, const char *text, int at, int n, int which,
                       HolRecordText *out, char *outer, int *next, HolExprError *err) {
    const int open = record_skip_spaces(text, at + n);
    int commas, close = record_closing(text, open, &commas);
    if (!close)
        return record_wrong(err, open, "this parenthesis is not closed");
    *next = open + 1; // min and max of several: a function; others may stand inside it
    if (commas && functionals[which].what <= HOL_RECORD_MAX)
        return 1;
    if (commas)
        return record_wrong(err, at, "a functional over the run takes one argument");
    for (int i = open + 1; i < close; i++) {
        const int length = record_word(text, i), inner = record_functional(text + i, length);
        const int opens = record_skip_spaces(text, i + length);
        if (length && inner >= 0 && text[opens] == '(' && record_closing(text, opens, &commas) &&
            !commas)
            return record_wrong(err, i, "a functional over the run cannot stand inside another");
    }
    if (record_skip_spaces(text, open + 1) == close)
        return record_wrong(err, open, "an expression is missing in this parenthesis");
    if (!HOL_GROW(arena, out->parts, out->n, out->capacity))
        return 0;
    HolRecordPart *p = &out->parts[out->n];
    *p = (HolRecordPart){
        .what = functionals[which].what, .at = open + 1, .length = close - open - 1};
    p->text = hol_arena_text_n(arena, text + open + 1, (size_t)p->length);
    if (!p->text || (p->what == HOL_RECORD_TIME_WHEN && !record_condition(arena, p)))
        return 0;
    char name[32];
    const int written = snprintf(name, sizeof name, "_f%d", out->n++);
    if (written > close + 1 - at)
        return record_wrong(err, at, "too many functionals in one text");
    memset(outer + at, ' ', (size_t)(close + 1 - at));
    memcpy(outer + at, name, (size_t)written);
    *next = close + 1;
    return 1;
}

int hol_record_split(HolArena *arena, const char *text, HolRecordText *out, HolExprError *err) {
    char *outer = hol_arena_text(arena, text);
    *err = (HolExprError){0};
    *out = (HolRecordText){.outer = outer};
    if (!outer)
        return 0;
    for (int i = 0; text[i];) {
        const int n = record_word(text, i), which = n ? record_functional(text + i, n) : -1;
        if (which >= 0 && text[record_skip_spaces(text, i + n)] == '(') {
            if (!record_take(arena, text, i, n, which, out, outer, &i, err))
                return 0;
        } else {
            i += n ? n : 1;
        }
    }
    return 1;
}
