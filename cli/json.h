// SPDX-License-Identifier: Apache-2.0
// Printing JSON: commas and indentation are kept by the writer; what is not finite becomes null.
#ifndef HOL_CLI_JSON_H
#define HOL_CLI_JSON_H

#include <stdio.h>

typedef struct Json {
    FILE *to;
    int depth;
    int first; // nothing stands in the present object or list yet
} Json;

// `name` is NULL inside a list and for the outermost object
void json_begin(Json *j, const char *name, char bracket); // bracket: { or [
void json_end(Json *j, char bracket);                     // bracket: } or ]
void json_number(Json *j, const char *name, double value);
void json_integer(Json *j, const char *name, long value);
void json_bool(Json *j, const char *name, int value);
void json_text(Json *j, const char *name, const char *text); // NULL becomes null
// each line of a text as an entry of a list, begun by json_begin
void json_lines(Json *j, const char *text);
void json_name(Json *j, const char *name); // the caller prints the value itself

#endif
