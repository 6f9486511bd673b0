// SPDX-License-Identifier: Apache-2.0
// YAML text as a tree of nodes that know where they stand. Anchors, aliases and merge keys (<<)
// are resolved; what is read by alias shares memory with its anchor.
#ifndef HOL_IO_YAML_H
#define HOL_IO_YAML_H

#include "base/arena.h"
#include "base/visibility.h"
#include "holonom/holonom.h"

typedef enum HolNodeType {
    HOL_NODE_NONE,
    HOL_NODE_SCALAR,
    HOL_NODE_LIST,
    HOL_NODE_MAP
} HolNodeType;

// What became of a node when parts and repeats were written out (io/expand): names got the part's
// name before them, indices their values.
typedef struct HolOrigin {
    const struct HolPart *part; // the part that it stands in; NULL: the model itself
    const char *text;           // scalar: as written; NULL: nothing was changed
    const int *from;            // character i of the text now comes from character from[i] of that
    int prefix;                 // a name: length of what was put before it
} HolOrigin;

typedef struct HolNode {
    HolNodeType type;
    int line, column; // 1-based; column counts characters. Lines of further files count on behind
                      // those of the model file: hol_model_line
    const HolOrigin *origin; // NULL: as the model file has it
    const char *setting; // not NULL: this node came from `--set` with this key, not from the file
    const char *text;    // scalar, ends with 0
    size_t length;
    int quoted;             // scalar was written in quotes
    int exact;              // character i of the text stands at column + quoted + i
    int bad;                // a key of a map could not take it: said where it was read
    int n;                  // number of entries
    struct HolNode *keys;   // map: scalars
    struct HolNode *values; // map, list
    long weight;            // nodes below and including this one, aliases counted as often as used
} HolNode;

enum {
    HOL_YAML_DEPTH = 64,           // nested lists and maps
    HOL_YAML_BYTES = 256 << 20,    // text
    HOL_YAML_NODES = 20 * 1000000, // after expansion of aliases
    HOL_YAML_PROBLEMS = 50         // duplicate keys and the like that are reported
};

// The one document in text[0..length). NULL when the text is not YAML or is empty (err says where);
// problems that leave a usable tree (duplicate keys) are added to err too: *problems counts all.
// setting: see HolNode; NULL for a file.
HOL_TOOLS HolNode *hol_yaml_parse(HolArena *arena, const char *text, size_t length,
                                  const char *file, const char *setting, int *problems,
                                  HolError *err);
// Lists of the outermost map that may have so many entries together: a text with more is left where
// that is seen, before it takes all memory.
typedef struct HolYamlMost {
    const char *const *lists; // their keys, NULL behind them
    int entries;
    const char *what; // what is wrong with more
} HolYamlMost;

// The same of a file of a model; the lines of its nodes count from `lines` + 1 on.
HolNode *hol_yaml_parse_most(HolArena *arena, const char *text, size_t length, const char *file,
                             int lines, const HolYamlMost *most, int *problems, HolError *err);

// value of a key, or NULL; index of the key, or -1
HOL_TOOLS HolNode *hol_node_get(const HolNode *map, const char *key);
HOL_TOOLS int hol_node_find(const HolNode *map, const char *key);
// nothing written: "key:" or ~ or null
HOL_TOOLS int hol_node_is_null(const HolNode *node);
// "a number", "text", "a list", "a map", "nothing"
HOL_TOOLS const char *hol_node_describe(const HolNode *node);

#endif
