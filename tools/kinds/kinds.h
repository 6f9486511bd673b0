// SPDX-License-Identifier: Apache-2.0
// Describing the format from the tables: shared by the text, Markdown and schema writers.
#ifndef HOL_IO_KINDS_H
#define HOL_IO_KINDS_H

#include "base/field.h"
#include "base/text.h"
#include "holonom/tools.h"
#include "model/kind.h"

struct HolStepper;
const char *hol_step_modes(const struct HolStepper *s); // which steps a method can take

enum { HOL_DESCRIBE_SIZE = 512 };
// how the value of a field is written, in words: "number", "2 numbers; in space 3"
void hol_describe_value(const HolField *field, char out[HOL_DESCRIBE_SIZE]);
const char *hol_describe_spaces(int spaces); // "planar", "spatial", "both"
// the keys of a table as "a, b, c", each between `quote`
void hol_describe_options(const HolField *table, const char *quote, char out[HOL_DESCRIBE_SIZE]);
// the same of a list
void hol_describe_keys(const char *const *keys, const char *quote, char out[HOL_DESCRIBE_SIZE]);

void hol_put_cell(const HolPut *p, const char *text); // in a table: a bar would end it
// the methods that share the options of s, at the first of them (1), else 0
int hol_describe_family(const struct HolStepper *const *s, const char *quote,
                        char out[HOL_DESCRIBE_SIZE]);
// tables of the quantities: HOL_USE_EXPRESSION, HOL_USE_COLUMN
void hol_kinds_quantities(const HolPut *p, int use);
void hol_kinds_markdown(const HolPut *p);
void hol_kinds_schema(const HolPut *p);

#endif
