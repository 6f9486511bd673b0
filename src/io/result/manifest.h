// SPDX-License-Identifier: Apache-2.0
// What a stored result is: the model's text, the settings and options it was run with, versions,
// and a summary of the run. JSON, beside a CSV file as FILE.csv.json, inside an HDF5 file as
// dataset "manifest" (docs/result-data.md describes it).
#ifndef HOL_IO_MANIFEST_H
#define HOL_IO_MANIFEST_H

#include "base/arena.h"
#include "base/error.h"
#include "base/visibility.h"
#include "holonom/holonom.h"
#include "holonom/json.h"
#include "io/result/tables.h"
#include "model/model.h"

#include <stdio.h>

typedef struct HolManifest {
    const char *generator, *created, *name, *file, *text, *sha256;
    const HolSetting *settings;
    int n_settings;
    const HolSourceFile *files; // that the model names and its motion depends on
    int n_files;
    const HolColumn *columns;
    int n_columns;
    const char *status, *message; // of the run: "ok", ...
    long rows;                    // of the result; -1: not told
    const char *result_sha256;    // of its bytes (CSV) or numbers (HDF5); "": not told
    HolSimOptions options;        // valid when has_options; without stop times
    HolStats stats;
    HolCheck check;
    int has_options, has_stats, has_check;
} HolManifest;

enum { HOL_MANIFEST_TEXT = 1 << 20 }; // bytes

// ---- writing: the head when the result is opened, the tail when it is complete ----
// `inside` the result, which has the columns and the model's text beside it: both are left out here,
// the text where it is longer than HOL_MANIFEST_TEXT
void hol_manifest_head(FILE *f, const HolModel *m, const HolSimOptions *o, int inside);
void hol_manifest_tail(FILE *f, long rows, const HolStats *stats, const HolCheck *check,
                       HolStatus status, const char *message, const char *sha256,
                       const HolTableFacts *tables, const char *certificate);

// method with its variant; method and step
HOL_TOOLS void hol_method_label(const HolMethodOptions *m, char *out, size_t size);
HOL_TOOLS void hol_options_label(const HolSimOptions *o, char *out, size_t size);

// ---- reading; texts live in the arena ----
HolStatus hol_manifest_read(HolArena *arena, const char *text, size_t length, const char *file,
                            HolManifest *out, HolError *err);

// the members of a struct by name, for both directions
typedef enum HolMemberType {
    HOL_MEMBER_TEXT,
    HOL_MEMBER_DOUBLE,
    HOL_MEMBER_INT,
    HOL_MEMBER_LONG
} HolMemberType;

typedef struct HolMember {
    const char *key;
    HolMemberType type;
    size_t offset, size; // size: of a text
} HolMember;

extern const HolMember hol_option_members[], hol_stats_members[], hol_check_members[];

// ---- certificate_json.c ----
HOL_TOOLS void hol_certificate_for_page(const HolCertificate *z, HolJson *j); // NULL: none

#endif
