// SPDX-License-Identifier: Apache-2.0
// A model from texts alone: hol_model_parse, and the files that it names.
#ifndef HOL_IO_PARSE_TEXT_H
#define HOL_IO_PARSE_TEXT_H

#include "base/visibility.h"
#include "model/model.h"

typedef struct HolStartStage { // a model in which joints are held where they start: io/place
    int rates;                 // 0: their coordinates, 1: their rates
} HolStartStage;

typedef struct HolModelText {
    const char *text;
    size_t length;
    const char *file; // for messages, and to find files that are not given
    const HolSetting *settings;
    int n_settings;
    const HolSourceFile *files; // in place of those on the disk, where they have a text
    int n_files;
    HolStartStage *stage; // or NULL
    int beam_level; // of beams with `elements: auto`, from 1 on; 0: found by trials (io/refine)
    // its files are looked for here, and nothing outside is read; NULL: beside `file`
    const char *folder;
    int *refused; // set to 1 where it named such a file; or NULL
    const char *const
        *outputs; // in place of those of the text, n_outputs of them; NULL: as written
    int n_outputs;
    const HolFunctionDef *functions; // of the program
    int n_functions;
    const HolLoadOptions *how; // or NULL
} HolModelText;

// 1: the caller asks to stop
static inline int hol_model_text_stopped(const HolModelText *t) {
    return t->how && t->how->stop && *t->how->stop;
}

// ---- read_model.c ----
HOL_TOOLS HolStatus hol_model_parse_text(const HolModelText *from, HolModel **out,
                                         HolSimOptions *options, size_t room, HolError *err);

#endif
