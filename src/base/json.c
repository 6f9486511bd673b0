// SPDX-License-Identifier: Apache-2.0
// Writing JSON, see holonom/json.h.
#include "holonom/json.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void json_put(HolJson *j, const char *text) {
    j->put(j->to, text, strlen(text));
}

static int json_layout(const HolJson *j) {
    return j->depth > 0 && j->depth <= HOL_JSON_DEPTH ? j->level[j->depth - 1].layout
                                                      : HOL_JSON_ROW;
}

static void json_new_line(HolJson *j, int depth) {
    json_put(j, "\n");
    for (int i = 0; i < depth; i++)
        json_put(j, "  ");
}

// '"', '\' and control characters are escaped; the rest goes out in pieces
static void json_quote(HolJson *j, const char *text, size_t length) {
    char escape[8];
    size_t from = 0;
    json_put(j, "\"");
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\')
            snprintf(escape, sizeof escape, "\\%c", c);
        else if (c == '\n')
            snprintf(escape, sizeof escape, "\\n");
        else if (c == '\t')
            snprintf(escape, sizeof escape, "\\t");
        else if (c < 32 || (c == '<' && j->in_page))
            snprintf(escape, sizeof escape, "\\u%04x", c);
        else
            continue;
        j->put(j->to, text + from, i - from);
        json_put(j, escape);
        from = i + 1;
    }
    j->put(j->to, text + from, length - from);
    json_put(j, "\"");
}

// what stands before a value: comma, place and name
static void json_lead_in(HolJson *j, const char *name) {
    const int layout = json_layout(j), inside = j->depth > 0 && j->depth <= HOL_JSON_DEPTH;
    const int first = !inside || !j->level[j->depth - 1].filled;
    if (j->bare) {
        j->bare = 0;
        return;
    }
    if (!first)
        json_put(j, ",");
    if (inside && layout == HOL_JSON_LINES)
        json_new_line(j, j->depth);
    else if (j->wrapped)
        json_put(j, "\n");
    else if (!first && layout == HOL_JSON_ROW)
        json_put(j, " ");
    j->wrapped = 0;
    if (inside)
        j->level[j->depth - 1].filled = 1;
    if (name) {
        json_quote(j, name, strlen(name));
        json_put(j, layout == HOL_JSON_TIGHT ? ":" : ": ");
    }
}

void hol_json_begin(HolJson *j, const char *name, char bracket, HolJsonLayout layout) {
    json_lead_in(j, name);
    j->put(j->to, &bracket, 1);
    if (j->depth < HOL_JSON_DEPTH) {
        j->level[j->depth].layout = (char)layout;
        j->level[j->depth].bracket = bracket;
        j->level[j->depth].filled = 0;
    }
    j->depth++;
}

void hol_json_end(HolJson *j) {
    const int k = --j->depth;
    if (k < HOL_JSON_DEPTH && j->level[k].layout == HOL_JSON_LINES && j->level[k].filled)
        json_new_line(j, k);
    json_put(j, k < HOL_JSON_DEPTH && j->level[k].bracket == '{' ? "}" : "]");
}

void hol_json_number(HolJson *j, const char *name, double value) {
    char text[HOL_NUMBER_SIZE] = "null";
    json_lead_in(j, name);
    if (isfinite(value) && j->full)
        snprintf(text, sizeof text, "%.17g", value);
    else if (isfinite(value))
        hol_text_print_number(value, text);
    json_put(j, text);
}

void hol_json_numbers(HolJson *j, const char *name, const double *values, int n) {
    const int layout = json_layout(j);
    hol_json_begin(j, name, '[', layout == HOL_JSON_TIGHT ? HOL_JSON_TIGHT : HOL_JSON_ROW);
    for (int i = 0; i < n; i++)
        hol_json_number(j, NULL, values[i]);
    hol_json_end(j);
}

void hol_json_integer(HolJson *j, const char *name, long value) {
    char text[32];
    json_lead_in(j, name);
    snprintf(text, sizeof text, "%ld", value);
    json_put(j, text);
}

void hol_json_bool(HolJson *j, const char *name, int value) {
    hol_json_raw(j, name, value ? "true" : "false");
}

void hol_json_text(HolJson *j, const char *name, const char *text) {
    if (!text) {
        hol_json_raw(j, name, "null");
        return;
    }
    json_lead_in(j, name);
    json_quote(j, text, strlen(text));
}

void hol_json_lines(HolJson *j, const char *text) {
    while (*text) {
        const size_t length = strcspn(text, "\n");
        if (length) {
            json_lead_in(j, NULL);
            json_quote(j, text, length);
        }
        text += length + (text[length] == '\n');
    }
}

void hol_json_raw(HolJson *j, const char *name, const char *json) {
    json_lead_in(j, name);
    json_put(j, json);
}

void hol_json_name(HolJson *j, const char *name) {
    json_lead_in(j, name);
}

void hol_json_wrap(HolJson *j) {
    j->wrapped = 1;
}
