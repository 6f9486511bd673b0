// SPDX-License-Identifier: Apache-2.0
// The parts of an HDF5 result that are known before the run (layout: write_hdf5.c). Texts have a
// fixed length: every program reads them without a heap in the file.
#include "io/hdf5/write_hdf5.h"

#ifdef HOL_HAVE_HDF5

#include "io/result/column_unit.h"

#include <stddef.h>
#include <string.h>

enum {
    LAYOUT = 2,
    COLUMNS_A_CHUNK = 4096,
    TEXT_BYTES = 4 << 10, // more than a dataset's own structures take
};

// ---- texts and numbers ----

static hid_t head_text_type(size_t length) {
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, length ? length : 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    return type;
}

static int head_put_text(hid_t object, const char *name, const char *text) {
    hid_t type = head_text_type(strlen(text)), space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    int ok = attribute >= 0 && H5Awrite(attribute, type, text[0] ? text : "\0") >= 0;
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
    return ok;
}

static int head_put_number(hid_t object, const char *name, double value) {
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(object, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    int ok = attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_DOUBLE, &value) >= 0;
    H5Aclose(attribute);
    H5Sclose(space);
    return ok;
}

static int head_put_integer(hid_t object, const char *name, int value) {
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(object, name, H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT);
    int ok = attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_INT, &value) >= 0;
    H5Aclose(attribute);
    H5Sclose(space);
    return ok;
}

int hol_hdf5_put_text(hid_t file, const char *name, const char *text) {
    hid_t type = head_text_type(strlen(text)), space = H5Screate(H5S_SCALAR);
    hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int ok =
        set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text[0] ? text : "\0") >= 0;
    H5Dclose(set);
    H5Sclose(space);
    H5Tclose(type);
    return ok;
}

// ---- the options of the run ----

// method parameters that are set, and the options of the run
static int head_put_options(hid_t file, const HolSimOptions *o) {
    const HolMethodOptions *m = &o->method;
    const struct {
        const char *name, *value;
    } words[] = {
        {"method", m->name},
        {"method.scheme", m->scheme},
        {"method.metric", m->metric},
        {"method.iteration", m->iteration},
        {"method.start", m->start},
        {"method.formulation", m->formulation},
        {"method.set", m->set},
        {"method.projection", m->projection},
        {"linear_solver", o->linear_solver},
        {"start_at", o->start_at},
    };
    const struct {
        const char *name;
        double value;
    } numbers[] = {
        {"start", o->start},
        {"end", o->end},
        {"step", o->step},
        {"tolerance", o->step > 0 ? 0 : o->tolerance},
        {"output_step", o->output_step},
        {"initial_step", o->initial_step},
        {"max_step", o->max_step},
        {"min_step", o->min_step},
        {"method.alpha", m->alpha},
        {"method.beta", m->beta},
        {"method.gamma", m->gamma},
        {"method.zeta", m->zeta},
        {"method.rho", m->rho},
        {"method.order", m->order},
        {"method.newton_iterations", m->newton_iterations},
        {"method.newton_tolerance", m->newton_tolerance},
        {"method.newton_most", m->newton_most},
    };
    int ok = 1;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].value[0])
            ok = ok && head_put_text(file, words[i].name, words[i].value);
    // NAN means "the method's default" and is left out
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].value == numbers[i].value)
            ok = ok && head_put_number(file, numbers[i].name, numbers[i].value);
    return ok;
}

int hol_hdf5_put_attributes(hid_t file, const HolModel *m, const HolSimOptions *o) {
    return head_put_integer(file, "holonom_result", LAYOUT) &&
           head_put_text(file, "holonom", hol_version()) &&
           head_put_text(file, "name", hol_model_name(m) ? hol_model_name(m) : "") &&
           head_put_options(file, o);
}

// ---- the columns ----

typedef struct HeadTexts {
    size_t name, unit; // bytes of the longest
    char *table;       // an entry a column: name, unit
} HeadTexts;

static void head_measure(const HolModel *m, int columns, HeadTexts *t) {
    *t = (HeadTexts){.name = 1, .unit = 1};
    for (int i = 0; i < columns; i++) {
        const HolColumn c = hol_column_with_unit(m, i);
        const size_t name = strlen(hol_result_column_name(m, i)),
                     unit = strlen(c.unit ? c.unit : "");
        t->name = name > t->name ? name : t->name;
        t->unit = unit > t->unit ? unit : t->unit;
    }
}

static int head_fill(const HolModel *m, int columns, HeadTexts *t, HolArena *scratch) {
    const size_t size = t->name + t->unit;
    t->table = hol_arena_alloc(scratch, (size_t)columns * size);
    for (int i = 0; t->table && i < columns; i++) {
        const HolColumn c = hol_column_with_unit(m, i);
        const char *name = hol_result_column_name(m, i), *unit = c.unit ? c.unit : "";
        char *entry = t->table + (size_t)i * size;
        // (the arena's memory is zero, and there is no room for an end of the text)
        memcpy(entry, name, strlen(name));           // NOLINT(bugprone-not-null-terminated-result)
        memcpy(entry + t->name, unit, strlen(unit)); // NOLINT(bugprone-not-null-terminated-result)
    }
    return t->table != NULL;
}

int hol_hdf5_put_columns(hid_t file, const HolModel *m, int columns, HolArena *scratch) {
    HeadTexts t;
    head_measure(m, columns, &t);
    if (!head_fill(m, columns, &t, scratch))
        return 0;
    const hsize_t n = (hsize_t)columns, chunk = n < COLUMNS_A_CHUNK ? n : COLUMNS_A_CHUNK;
    hid_t name = head_text_type(t.name), unit = head_text_type(t.unit);
    hid_t entry = H5Tcreate(H5T_COMPOUND, t.name + t.unit);
    H5Tinsert(entry, "name", 0, name);
    H5Tinsert(entry, "unit", t.name, unit);
    hid_t space = H5Screate_simple(1, &n, NULL), layout = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(layout, 1, &chunk);
    H5Pset_deflate(layout, 1);
    hid_t set = H5Dcreate2(file, "columns", entry, space, H5P_DEFAULT, layout, H5P_DEFAULT);
    int ok = set >= 0 && H5Dwrite(set, entry, H5S_ALL, H5S_ALL, H5P_DEFAULT, t.table) >= 0;
    H5Dclose(set);
    H5Pclose(layout);
    H5Sclose(space);
    H5Tclose(entry);
    H5Tclose(unit);
    H5Tclose(name);
    return ok;
}

// a line as it lies in memory, or its fields one behind the other, as in the file
static hid_t lines_type(const HolTable *t, int packed) {
    size_t size = 0, at = 0;
    for (int i = 0; i < t->n; i++)
        size += t->fields[i].text ? t->fields[i].text : sizeof(double);
    hid_t entry = H5Tcreate(H5T_COMPOUND, packed ? size : t->size);
    for (int i = 0; i < t->n; i++) {
        const HolTableField *f = &t->fields[i];
        hid_t type = f->text ? head_text_type(f->text) : H5T_NATIVE_DOUBLE;
        H5Tinsert(entry, f->name, packed ? at : f->offset, type);
        at += f->text ? f->text : sizeof(double);
        if (f->text)
            H5Tclose(type);
    }
    return entry;
}

hid_t hol_hdf5_create_lines(hid_t file, const HolTable *t) {
    const hsize_t none = 0, most = H5S_UNLIMITED, chunk = HOL_LINES_A_CHUNK;
    hid_t entry = lines_type(t, 1);
    hid_t space = H5Screate_simple(1, &none, &most), layout = H5Pcreate(H5P_DATASET_CREATE),
          set = -1;
    if (space >= 0 && layout >= 0 && H5Pset_chunk(layout, 1, &chunk) >= 0 &&
        H5Pset_deflate(layout, 1) >= 0)
        set = H5Dcreate2(file, t->name, entry, space, H5P_DEFAULT, layout, H5P_DEFAULT);
    H5Pclose(layout);
    H5Sclose(space);
    H5Tclose(entry);
    return set;
}

int hol_hdf5_add_lines(hid_t set, const HolTable *t, const void *lines, hsize_t n, hsize_t there) {
    const hsize_t all = there + n;
    if (H5Dset_extent(set, &all) < 0)
        return 0;
    hid_t entry = lines_type(t, 0), memory = H5Screate_simple(1, &n, NULL),
          space = H5Dget_space(set);
    int ok = memory >= 0 && space >= 0 &&
             H5Sselect_hyperslab(space, H5S_SELECT_SET, &there, NULL, &n, NULL) >= 0 &&
             H5Dwrite(set, entry, memory, space, H5P_DEFAULT, lines) >= 0;
    H5Sclose(space);
    H5Sclose(memory);
    H5Tclose(entry);
    return ok;
}

size_t hol_hdf5_head_bytes(const HolModel *m, int columns) {
    HeadTexts t;
    head_measure(m, columns, &t);
    const char *source = hol_model_source(m) ? hol_model_source(m) : "";
    const size_t table = (size_t)columns * (t.name + t.unit);
    return strlen(source) + table + table / 8 + 3 * (size_t)TEXT_BYTES;
}

#else

typedef int HolHdf5HeadNotBuilt;

#endif
