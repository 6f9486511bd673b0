// SPDX-License-Identifier: Apache-2.0
// JSON values by RFC 8259, safe inside a script element of a page.
#ifndef HOL_JSON_H
#define HOL_JSON_H

#include "base/visibility.h"

#include <stdio.h>

HOL_TOOLS void hol_json_text(FILE *f, const char *text); // "quoted"
HOL_TOOLS void hol_json_number(FILE *f, double value);   // round-trips; null when not finite
HOL_TOOLS void hol_json_vector(FILE *f, const double v[3]);

#endif
