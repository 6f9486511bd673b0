// SPDX-License-Identifier: Apache-2.0
// HDF5 results of layout 2: the table /data, rows x columns, and the names and units of its columns
// in /columns. Rows are read in blocks and turned into columns.
#include "io/hdf5/foreign.h"
#include "io/hdf5/read_hdf5.h"

#ifdef HOL_HAVE_HDF5

#include <string.h>

enum { BLOCK_BYTES = 1 << 22 }; // of rows read at once, about

// ---- the columns ----

// texts of fixed length, ended with 0: room for the longest
typedef struct TableEntry {
    hid_t type; // of an entry in memory
    size_t name, unit;
} TableEntry;

// the type of a member of the compound that is a text of fixed length, made one longer for the zero
// behind it; less than 0: it is none, or longer than `most` (HDF5 does not convert between sets of
// characters, so that the text keeps its own)
static hid_t table_text_type(hid_t compound, const char *member, hsize_t most, size_t *bytes) {
    const int i = H5Tget_member_index(compound, member);
    if (i < 0)
        return -1;
    hid_t type = H5Tget_member_type(compound, (unsigned)i);
    *bytes = H5Tget_size(type) + 1;
    if (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 && *bytes <= most &&
        H5Tset_size(type, *bytes) >= 0 && H5Tset_strpad(type, H5T_STR_NULLTERM) >= 0)
        return type;
    H5Tclose(type);
    return -1;
}

// the same members, each with a zero behind it
static int table_entry_create(hid_t compound, hsize_t most, TableEntry *e) {
    if (H5Tget_class(compound) != H5T_COMPOUND)
        return 0;
    hid_t name = table_text_type(compound, "name", most, &e->name);
    hid_t unit = table_text_type(compound, "unit", most, &e->unit);
    int ok = name >= 0 && unit >= 0;
    e->type = ok ? H5Tcreate(H5T_COMPOUND, e->name + e->unit) : -1;
    ok = e->type >= 0 && H5Tinsert(e->type, "name", 0, name) >= 0 &&
         H5Tinsert(e->type, "unit", e->name, unit) >= 0;
    H5Tclose(unit);
    H5Tclose(name);
    return ok;
}

// names and units of the columns; `texts` lives as long as the result
static int table_take_columns(HolResult *r, hid_t set, const TableEntry *e) {
    const size_t size = e->name + e->unit;
    char *texts = hol_arena_alloc(&r->arena, (size_t)r->n_columns * size);
    if (!texts || H5Dread(set, e->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts) < 0)
        return 0;
    for (int i = 0; i < r->n_columns; i++) {
        r->columns[i].name = texts + (size_t)i * size;
        r->columns[i].unit = r->columns[i].name + e->name;
    }
    return 1;
}

// ---- the numbers ----

static int table_read_block(HolResult *r, hid_t set, hsize_t first, hsize_t count, double *block) {
    const hsize_t from[2] = {first, 0}, part[2] = {count, (hsize_t)r->n_columns};
    const size_t n = (size_t)r->n_columns;
    hid_t memory = H5Screate_simple(2, part, NULL), space = H5Dget_space(set);
    int ok = memory >= 0 && space >= 0 &&
             H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, part, NULL) >= 0 &&
             H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, block) >= 0;
    H5Sclose(space);
    H5Sclose(memory);
    for (size_t i = 0; ok && i < n; i++)
        for (size_t k = 0; k < (size_t)count; k++)
            r->values[i][(size_t)first + k] = block[k * n + i];
    return ok;
}

enum { CHUNK_COLUMNS = 4096 }; // of the writer, at most

// 1: the columns of a chunk from `first` on are all 0 in this row
static int table_all_zero(const HolResult *r, int first, long row) {
    for (int i = first; i < r->n_columns && i < first + CHUNK_COLUMNS; i++)
        if (r->values[i][row] != 0)
            return 0;
    return 1;
}

// 1: the row is missing: time goes back, or all of a chunk is 0, as the library fills in what it has
// not, where that was not so before
static int table_row_missing(const HolResult *r, long row) {
    if (row == 0)
        return 0;
    if (!(r->values[0][row] >= r->values[0][row - 1]) || table_all_zero(r, 0, row))
        return 1;
    for (int i = CHUNK_COLUMNS; i < r->n_columns; i += CHUNK_COLUMNS)
        if (table_all_zero(r, i, row) && !table_all_zero(r, i, row - 1))
            return 1;
    return 0;
}

// the rows of a file that is cut off, up to the first that cannot be read
static int table_take_whole(HolResult *r, hid_t set) {
    enum { ROWS = 64 }; // at once
    HolArena scratch = {0};
    const hsize_t rows = (hsize_t)r->rows;
    double *block = HOL_NEW(&scratch, double, (size_t)r->n_columns *ROWS);
    hsize_t at = 0, count = ROWS;
    while (block && at < rows && count) {
        if (count > rows - at)
            count = rows - at;
        if (table_read_block(r, set, at, count, block))
            at += count;
        else
            count = count > 1 ? 1 : 0; // then row by row
    }
    hol_arena_free(&scratch);
    for (r->rows = 0; r->rows < (long)at && !table_row_missing(r, r->rows);)
        r->rows++;
    if (r->rows == 1 && table_all_zero(r, 0, 0))
        r->rows = 0;
    return r->rows > 0;
}

static int table_take_values(HolResult *r, hid_t set) {
    if (r->cut)
        return table_take_whole(r, set);
    const hsize_t rows = (hsize_t)r->rows, n = (hsize_t)r->n_columns;
    hsize_t count = BLOCK_BYTES / sizeof(double) / n + 1;
    if (count > rows)
        count = rows;
    HolArena scratch = {0};
    double *block = HOL_NEW(&scratch, double, (size_t)(count * n));
    int ok = block != NULL;
    for (hsize_t at = 0; ok && at < rows; at += count)
        ok = table_read_block(r, set, at, rows - at < count ? rows - at : count, block);
    hol_arena_free(&scratch);
    return ok;
}

// ---- both ----

typedef struct Table {
    hid_t data, columns, type; // type of an entry of /columns in the file
    hsize_t rows, n;
    TableEntry entry;
} Table;

// the extents, and whether they fit together and into the file; NULL or what is wrong
static const char *table_measure(Table *t, hid_t file, int cut) {
    const hsize_t most = hol_hdf5_most_bytes(file);
    hsize_t size[2] = {0, 0}, names = 0;
    if (t->data < 0 || t->columns < 0)
        return "the table 'data' or 'columns' is missing";
    hid_t data = H5Dget_space(t->data), columns = H5Dget_space(t->columns);
    hid_t number = H5Dget_type(t->data);
    int ok = H5Sget_simple_extent_ndims(data) == 2 && H5Sget_simple_extent_ndims(columns) == 1 &&
             H5Tget_class(number) == H5T_FLOAT &&
             H5Sget_simple_extent_dims(data, size, NULL) == 2 &&
             H5Sget_simple_extent_dims(columns, &names, NULL) == 1;
    H5Tclose(number);
    H5Sclose(data);
    H5Sclose(columns);
    if (!ok || names != size[1] || names == 0)
        return "'data' and 'columns' do not fit together";
    t->rows = size[0];
    t->n = size[1];
    const hsize_t held = cut || H5Dget_storage_size(t->data) ? most / sizeof(double) : 0;
    if (t->n > INT32_MAX / 2 || t->n > most || (t->rows > 0 && t->rows > held / t->n))
        return "it says to be longer than it is";
    t->type = H5Dget_type(t->columns);
    if (!table_entry_create(t->type, most, &t->entry))
        return "'columns' has no texts 'name' and 'unit'";
    if (t->n > most / (t->entry.name + t->entry.unit))
        return "it says to be longer than it is";
    return NULL;
}

static HolStatus table_take(HolResult *r, const Table *t, HolError *err) {
    if (!hol_result_reserve(r, (int)t->n, (long)t->rows))
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    if (!table_take_columns(r, t->columns, &t->entry) || !table_take_values(r, t->data))
        return hol_result_unreadable(
            r, r->cut ? "it is cut off before its first whole row" : "a dataset cannot be read",
            err);
    if (strcmp(r->columns[0].name, "time") != 0)
        return hol_result_unreadable(r, "the first column is not 'time'", err);
    return HOL_OK;
}

HolStatus hol_hdf5_read_table(HolResult *r, hid_t file, HolError *err) {
    Table t = {.type = -1, .entry = {.type = -1}};
    t.data = hol_hdf5_open_set(file, "data");
    t.columns = hol_hdf5_open_set(file, "columns");
    const char *wrong = table_measure(&t, file, r->cut);
    HolStatus status = wrong ? hol_result_unreadable(r, wrong, err) : table_take(r, &t, err);
    if (t.entry.type >= 0)
        H5Tclose(t.entry.type);
    if (t.type >= 0)
        H5Tclose(t.type);
    H5Dclose(t.columns);
    H5Dclose(t.data);
    return status;
}

#else

typedef int HolHdf5TableNotBuilt;

#endif
