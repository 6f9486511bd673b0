// SPDX-License-Identifier: Apache-2.0
// A model from texts alone: hol_model_parse, and the files that it names.
#ifndef HOL_IO_PARSE_TEXT_H
#define HOL_IO_PARSE_TEXT_H

#include "model/model.h"

typedef struct HolModelText {
    const char *text;
    size_t length;
    const char *file; // for messages, and to find files that are not given
    const HolSetting *settings;
    int n_settings;
    const HolSourceFile *files; // in place of those on the disk, where they have a text
    int n_files;
} HolModelText;

// ---- read_model.c ----
HolStatus hol_model_parse_text(const HolModelText *from, HolModel **out, HolSimOptions *options,
                               size_t room, HolError *err);

#endif
