// SPDX-License-Identifier: Apache-2.0
// Parts, includes and repeats are written out before any section is read: the tree of the model file
// becomes one without them, whose nodes know where they come from. Readers of sections see nothing of
// it. Names inside a part get the part's name and a dot before them.
//     expand.c        files: includes, parts, the sections of the result
//     expand_nodes.c  nodes: copies, repeats
//     expand_text.c   texts: indices, names, places in expressions
//     sections.c      where names stand
#ifndef HOL_IO_EXPAND_H
#define HOL_IO_EXPAND_H

#include "io/expand/part.h"
#include "io/expand/sections.h"
#include "io/model/read.h"

// Read the parameters, then write out parts, includes and repeats in `root`. `text`: of the file.
void hol_expand(HolReader *r, HolNode *root, const char *text, size_t length,
                const HolSetting *settings, int n_settings);
// 1: the text may hold parts, includes or repeats
int hol_expand_needed(const char *text, size_t length);

// ---- inside of io/expand ----
enum {
    HOL_EXPAND_NODES = 4 * 1000000, // all that parts and repeats make
    HOL_EXPAND_COPIES = 100000,     // of one repeat
    HOL_EXPAND_DEPTH = 16,          // of files in files
    HOL_EXPAND_FILES = 256,
    HOL_EXPAND_TEXT = 1 << 20 // characters of one text
};

typedef struct HolIndex { // of a repeat
    const struct HolIndex *up;
    const char *name;
    int value;
} HolIndex;

typedef struct HolScope {
    const char *prefix; // "leg1." or ""
    const char *folder; // of its file, from the model's: "parts/" or ""
    const HolIndex *index;
    const HolOrigin *origin; // of nodes whose text stays; NULL outside of parts
} HolScope;

typedef struct HolExpandFile {
    const char *path, *id; // as opened, and without detours
    HolNode *root;         // NULL: could not be read
    unsigned long told;    // bits: sections whose loss was said
} HolExpandFile;

typedef struct HolSectionOut { // a section of the result
    HolNode *keys, *values;
    HolScope *scopes; // of each entry
    int n, cap_keys, cap_values, cap_scopes;
    HolNameTable names; // a map: its keys
} HolSectionOut;

typedef struct HolTextOut { // a text under construction
    char *text;
    int *from; // see HolOrigin
    int n, cap_text, cap_from;
} HolTextOut;

typedef struct HolExpand {
    HolReader *r;
    const HolSetting *settings;
    int n_settings;
    HolSectionOut out[HOL_SECTIONS];
    HolNameTable names;   // of all things, with the parts' names
    HolNameTable bodies;  // item: the entry
    HolExpandFile *files; // HOL_EXPAND_FILES
    int n_files;
    const char *chain[HOL_EXPAND_DEPTH + 2]; // files that are being read, from the model on
    int depth;
    long nodes;
    int full; // it was said that there are too many
    char *pool;
    size_t pool_left;
    HolTextOut indexed, named; // with the values of indices; with the names of parts
} HolExpand;

// small pieces of memory; NULL: none
void *hol_expand_carve(HolExpand *x, size_t bytes);
// 1, or 0 when there are too many values: said at the node
int hol_expand_count(HolExpand *x, const HolNode *at, long n);

// ---- expand_nodes.c ----
// the node gets entries of its own, with repeats written out and texts rewritten
void hol_expand_node(HolExpand *x, const HolScope *s, HolNode *node, HolTextForm form);
// calls `take` for the entry, or for each copy of its repeat (without the key `repeat`)
typedef void HolTakeEntry(HolExpand *x, const HolScope *s, const HolNode *entry, void *user);
void hol_expand_entry(HolExpand *x, const HolScope *s, const HolNode *entry, HolTakeEntry *take,
                      void *user);

// ---- expand_text.c ----
void hol_expand_text(HolExpand *x, const HolScope *s, HolNode *node, HolTextRole role);

#endif
