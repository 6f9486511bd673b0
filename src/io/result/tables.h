// SPDX-License-Identifier: Apache-2.0
// Tables beside the rows of a run: events, impulses of joints. A line is a struct of the library, and a
// table says what its members are called: CSV and HDF5 follow from that.
#ifndef HOL_IO_TABLES_H
#define HOL_IO_TABLES_H

#include "base/arena.h"
#include "base/visibility.h"
#include "holonom/sim.h"

#include <stdio.h>

enum { HOL_TABLE_EVENTS, HOL_TABLE_IMPULSES, HOL_TABLES };

typedef struct HolTableField {
    const char *name;
    size_t offset, text; // text: bytes of one, 0: a number
} HolTableField;

typedef struct HolTable {
    const char *name;
    size_t size; // of a line
    int n;
    const HolTableField *fields;
} HolTable;

typedef union HolTableLine {
    HolEvent event;
    HolImpulse impulse;
} HolTableLine;

// what the manifest says of one
typedef struct HolTableFacts {
    long lines;
    char sha256[65]; // of a CSV file; "": not known
} HolTableFacts;

extern HOL_TOOLS const HolTable hol_tables[HOL_TABLES];

// "dir/a_events.csv" of "dir/a.csv" or "dir/a.h5"; NULL: no memory
HOL_TOOLS const char *hol_table_path(HolArena *arena, const char *result, const HolTable *t);
// as CSV
void hol_table_put_header(const HolTable *t, FILE *to);
void hol_table_put(const HolTable *t, const void *line, FILE *to);
// the next line; 0: there is none, -1: it is damaged
int hol_table_get(const HolTable *t, FILE *from, HolTableLine *line);

#endif
