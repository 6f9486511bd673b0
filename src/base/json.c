// SPDX-License-Identifier: Apache-2.0
// JSON values, see json.h.
#include "base/json.h"

#include "base/text.h"

#include <math.h>

// '<' is escaped too: inside a script element "</script" would end it
void hol_json_text(FILE *f, const char *text) {
    fputc('"', f);
    for (const char *p = text ? text : ""; *p; p++) {
        unsigned char c = (unsigned char)*p;
        if (c == '"' || c == '\\')
            fprintf(f, "\\%c", c);
        else if (c == '\n')
            fputs("\\n", f);
        else if (c < 32 || c == '<')
            fprintf(f, "\\u%04x", c);
        else
            fputc(c, f);
    }
    fputc('"', f);
}

void hol_json_number(FILE *f, double value) {
    char text[HOL_NUMBER_SIZE];
    if (isfinite(value))
        hol_text_print_number(value, text);
    fputs(isfinite(value) ? text : "null", f);
}

void hol_json_vector(FILE *f, const double v[3]) {
    for (int i = 0; i < 3; i++) {
        fputc(i ? ',' : '[', f);
        hol_json_number(f, v[i]);
    }
    fputc(']', f);
}
