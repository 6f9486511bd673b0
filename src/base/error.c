// SPDX-License-Identifier: Apache-2.0
// HolError: a fixed buffer of lines. What does not fit is counted, not lost silently.
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *hol_status_text(HolStatus status) {
    switch (status) {
#define STATUS_CASE(name, value, text)                                                             \
    case name:                                                                                     \
        return text;
        HOL_STATUS_LIST(STATUS_CASE)
#undef STATUS_CASE
    }
    return "unknown status";
}

void hol_error_clear(HolError *err) {
    if (!err)
        return;
    err->status = HOL_OK;
    err->problems = err->line = err->column = 0;
    err->time = 0;
    err->text[0] = 0;
}

HolStatus hol_error_set(HolError *err, HolStatus status, const char *format, ...) {
    if (!err)
        return status;
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    err->status = status;
    err->problems = 1;
    err->line = err->column = 0;
    return status;
}

static int count_lines(const char *text) {
    int lines = text[0] != 0;
    for (; (text = strchr(text, '\n')); text++)
        lines++;
    return lines;
}

HolStatus hol_error_add(HolError *err, HolStatus status, const char *file, int line, int column,
                        const char *format, ...) {
    if (!err)
        return status;
    char message[1024], place[512] = "";
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    if (file && line > 0)
        snprintf(place, sizeof place, "%s:%d:%d: error: ", file, line, column);
    else if (file)
        snprintf(place, sizeof place, "%s: error: ", file);
    size_t used = err->problems ? strlen(err->text) : 0;
    size_t need = strlen(place) + strlen(message) + 2;
    // in order: behind the first that does not fit nothing is added
    int full = err->problems > count_lines(err->text);
    if (!full && used + need < sizeof err->text)
        snprintf(err->text + used, sizeof err->text - used, "%s%s%s", used ? "\n" : "", place,
                 message);
    if (err->problems == 0) {
        err->status = status;
        err->line = line;
        err->column = column;
    }
    err->problems++;
    return status;
}
