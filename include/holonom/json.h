// SPDX-License-Identifier: Apache-2.0
// Writing JSON (RFC 8259): the writer keeps commas, indentation and escapes. The libraries, the tools
// and the command all write with it; holonom.h does not include it.
#ifndef HOLONOM_JSON_H
#define HOLONOM_JSON_H

#include "holonom/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How the entries of an object or a list stand.
typedef enum HolJsonLayout {
    HOL_JSON_LINES, ///< each on a line of its own, indented by two spaces a level
    HOL_JSON_ROW,   ///< one after the other: {"a": 1, "b": 2}
    HOL_JSON_TIGHT, ///< the same without spaces: {"a":1,"b":2}
} HolJsonLayout;

enum { HOL_JSON_DEPTH = 16 }; ///< most objects and lists inside each other

/// Set put and to (and what is wanted of the next two); zero is right for the rest.
typedef struct HolJson {
    void (*put)(void *to, const char *text, size_t length);
    void *to;
    int in_page; ///< escape '<' too, so that the text may stand in a script element of a page
    int full;    ///< numbers with 17 digits; 0: the shortest text that reads back as the same
    int depth;   ///< the writer's own from here on
    int bare;    ///< the next entry has its comma and name already
    int wrapped; ///< the next entry stands on a new line
    struct {
        char layout, bracket, filled;
    } level[HOL_JSON_DEPTH];
} HolJson;

/// `name` is NULL inside a list and for the outermost value; bracket: '{' or '['.
HOL_API void hol_json_begin(HolJson *j, const char *name, char bracket, HolJsonLayout layout);
/// Ends what was begun last.
HOL_API void hol_json_end(HolJson *j);
HOL_API void hol_json_number(HolJson *j, const char *name, double value); ///< null if not finite
HOL_API void hol_json_numbers(HolJson *j, const char *name, const double *values,
                              int n); ///< a list
HOL_API void hol_json_integer(HolJson *j, const char *name, long value);
HOL_API void hol_json_bool(HolJson *j, const char *name, int value);
HOL_API void hol_json_text(HolJson *j, const char *name, const char *text); ///< NULL becomes null
/// Each line of a text as an entry of the present list; empty lines are left out.
HOL_API void hol_json_lines(HolJson *j, const char *text);
/// A value that is JSON already.
HOL_API void hol_json_raw(HolJson *j, const char *name, const char *json);
/// Comma and name of a value that the caller writes.
HOL_API void hol_json_name(HolJson *j, const char *name);
/// The next entry of a row or a tight list stands on a new line.
HOL_API void hol_json_wrap(HolJson *j);

#ifdef __cplusplus
}
#endif
#endif
