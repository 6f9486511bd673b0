// SPDX-License-Identifier: Apache-2.0
// JSON by RFC 8259: text escaped, numbers with 17 significant digits so that they round-trip.
#include "json.h"

#include <math.h>
#include <string.h>

static void put_some(FILE *to, const char *text, size_t length) {
    fputc('"', to);
    for (const char *end = text + length; text < end; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(to, "\\%c", c);
        else if (c == '\n')
            fputs("\\n", to);
        else if (c == '\t')
            fputs("\\t", to);
        else if (c < 0x20)
            fprintf(to, "\\u%04x", c);
        else
            fputc(c, to);
    }
    fputc('"', to);
}

static void json_put_text(FILE *to, const char *text) {
    put_some(to, text, strlen(text));
}

// comma, new line, indentation and the name of what follows
static void lead_in(Json *j, const char *name) {
    if (j->depth > 0)
        fprintf(j->to, "%s\n%*s", j->first ? "" : ",", 2 * j->depth, "");
    j->first = 0;
    if (name) {
        json_put_text(j->to, name);
        fputs(": ", j->to);
    }
}

void json_begin(Json *j, const char *name, char bracket) {
    lead_in(j, name);
    fputc(bracket, j->to);
    j->depth++;
    j->first = 1;
}

void json_end(Json *j, char bracket) {
    j->depth--;
    if (!j->first)
        fprintf(j->to, "\n%*s", 2 * j->depth, "");
    fputc(bracket, j->to);
    j->first = 0;
    if (j->depth == 0)
        fputc('\n', j->to);
}

void json_number(Json *j, const char *name, double value) {
    lead_in(j, name);
    if (isfinite(value))
        fprintf(j->to, "%.17g", value);
    else
        fputs("null", j->to);
}

void json_integer(Json *j, const char *name, long value) {
    lead_in(j, name);
    fprintf(j->to, "%ld", value);
}

void json_bool(Json *j, const char *name, int value) {
    lead_in(j, name);
    fputs(value ? "true" : "false", j->to);
}

void json_text(Json *j, const char *name, const char *text) {
    lead_in(j, name);
    if (text)
        json_put_text(j->to, text);
    else
        fputs("null", j->to);
}

void json_lines(Json *j, const char *text) {
    while (*text) {
        const size_t length = strcspn(text, "\n");
        if (length) {
            lead_in(j, NULL);
            put_some(j->to, text, length);
        }
        text += length + (text[length] == '\n');
    }
}

void json_name(Json *j, const char *name) {
    lead_in(j, name);
}
