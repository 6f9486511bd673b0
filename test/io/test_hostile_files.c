// SPDX-License-Identifier: Apache-2.0
// Sizes that a file tells are not believed: extents without data, texts of several elements, rows
// that are not there. Each of these files once made the reader write or allocate beyond its memory.
#include "cli_run.h"

#include "base/arena.h"
#include "holonom/tools.h"
#include "tools/report/report.h"

#include <limits.h>

static void expect_unreadable(const char *path, const char *piece) {
    HolError err = {0};
    HolResult *r = NULL;
    assert_int_equal(hol_result_read(path, &r, &err), HOL_ERR_FILE);
    assert_null(r);
    expect_text(err.text, piece);
    char arguments[128];
    snprintf(arguments, sizeof arguments, "plot %s -c time -o p.svg", path);
    ran_free(expect(4, arguments));
    snprintf(arguments, sizeof arguments, "view %s -o p.html", path);
    ran_free(expect(4, arguments));
}

// ---- memory ----

static void test_counts(void **state) {
    (void)state;
    static const long counts[] = {-1, LONG_MIN, LONG_MAX, LONG_MAX / 4 + 2, (1L << 61) + 1};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        HolArena a = {0};
        assert_null(HOL_NEW(&a, double, counts[i]));
        assert_true(a.failed);
        hol_arena_free(&a);
    }
    HolArena a = {0};
    double *array = NULL;
    int capacity = INT_MAX;
    assert_false(HOL_GROW(&a, array, INT_MAX, capacity));
    hol_arena_free(&a);
}

// ---- CSV, STL ----

static void test_csv(void **state) {
    (void)state;
    FILE *f = fopen("wide.csv", "w");
    fputs("time", f);
    for (int i = 0; i < 100000; i++)
        fprintf(f, ",c%d", i);
    for (int i = 0; i < 200000; i++)
        fputs("1\n", f);
    fclose(f);
    expect_unreadable("wide.csv", "shorter than its header");
    write_text("blank.csv", "time,x\n\n \n\n");
    expect_unreadable("blank.csv", "has no rows");
    assert_int_equal(mkdir("folder.csv", 0700), 0);
    expect_unreadable("folder.csv", "cannot read");
}

static void test_stl(void **state) {
    (void)state;
    HolArena a = {0};
    HolError err = {0};
    const float *xyz = NULL;
    long count = 0;
    FILE *f = fopen("lies.stl", "w");
    for (int i = 0; i < 80; i++)
        fputc(' ', f);
    fputs("\xff\xff\xff\xff", f);
    for (int i = 0; i < 50; i++)
        fputc(1, f);
    fclose(f);
    assert_int_equal(hol_report_mesh(&a, "lies.stl", &xyz, &count, &err), HOL_ERR_FILE);
    hol_arena_free(&a);
}

// a file that was cut off is read up to its last whole row, and that is said
static void test_cut(void **state) {
    (void)state;
    HolError err = {0};
    HolResult *r = NULL;
    ran_free(expect(0, "run pendulum.yaml -q -o cut.csv --end 0.1"));
    char *whole = read_text("cut.csv");
    const size_t length = strlen(whole);
    const int rows = csv_rows(whole);
    const char *last = whole + length - 1;
    while (last[-1] != '\n')
        last--;
    for (size_t n = (size_t)(last - whole) + 1; n < length; n += 7) {
        char *part = strndup(whole, n);
        write_text("cut.csv", part);
        assert_int_equal(hol_result_read("cut.csv", &r, &err), HOL_OK);
        assert_int_equal(hol_result_row_count(r), rows - 1);
        expect_text(hol_result_remark(r), "cut off");
        hol_result_destroy(r);
        free(part);
    }
    Ran ran = expect(0, "plot cut.csv -c rod.x -o p.svg");
    expect_text(ran.err, "warning: cut.csv is cut off");
    ran_free(ran);
    ran = expect(0, "view cut.csv -o p.html");
    expect_text(ran.err, "cut off");
    ran_free(ran);
    ran = expect(0, "diff cut.csv cut.csv");
    expect_text(ran.err, "cut off");
    ran_free(ran);
    free(whole);
}

#ifdef HOL_HAVE_HDF5
// the same of an HDF5 file, by whole chunks: rows are those of the whole file, and fewer of a shorter one
static void test_cut_hdf5(void **state) {
    (void)state;
    HolError err = {0};
    HolResult *whole = NULL, *r = NULL;
    ran_free(expect(0, "run pendulum.yaml -q -o whole.h5 --step 5e-4 --end 2"));
    assert_int_equal(hol_result_read("whole.h5", &whole, &err), HOL_OK);
    struct stat info;
    assert_int_equal(stat("whole.h5", &info), 0);
    assert_int_equal(system("cp whole.h5 cut.h5"), 0);
    long before = hol_result_row_count(whole);
    int read = 0;
    for (long n = (long)info.st_size - 1; n > 100; n -= (long)info.st_size / 61) {
        assert_int_equal(truncate("cut.h5", n), 0);
        const HolStatus status = hol_result_read("cut.h5", &r, &err);
        assert_true(status == HOL_OK || status == HOL_ERR_FILE);
        if (status) {
            expect_text(err.text, "cut off");
            continue;
        }
        const long rows = hol_result_row_count(r);
        assert_true(rows > 0 && rows <= before);
        before = rows;
        expect_text(hol_result_remark(r), "cut off");
        for (int i = 0; i < hol_result_column_count(whole); i++)
            assert_memory_equal(hol_result_values(whole, i), hol_result_values(r, i),
                                sizeof(double) * (size_t)rows);
        hol_result_destroy(r);
        read++;
    }
    assert_true(read > 40);
    assert_true(before < 1100); // (of 4001)
    hol_result_destroy(whole);
    // where the manifest ends in the middle, rows are read without it
    assert_int_equal(system("cp whole.h5 cut.h5"), 0);
    for (long n = (long)info.st_size - 1; n > (long)info.st_size - 8000; n -= 199) {
        assert_int_equal(truncate("cut.h5", n), 0);
        if (hol_result_read("cut.h5", &r, &err))
            fail_msg("%ld of %ld bytes: %s", n, (long)info.st_size, err.text);
        expect_text(hol_result_remark(r), "cut off");
        hol_result_destroy(r);
    }
    assert_int_equal(system("head -c 200000 whole.h5 >cut.h5"), 0);
    Ran ran = expect(0, "plot cut.h5 -c rod.x -o p.svg");
    expect_text(ran.err, "warning: cut.h5 is cut off");
    ran_free(ran);
    ran = expect(0, "view cut.h5 -o p.html");
    expect_text(ran.err, "cut off");
    ran_free(ran);
    ran = expect(1, "diff whole.h5 cut.h5");
    expect_text(ran.err, "cut off");
    ran_free(ran);
}
#endif

// a result and a manifest of another run
static void test_pairs(void **state) {
    (void)state;
    ran_free(expect(0, "run pendulum.yaml -q -o a.csv --end 0.1"));
    ran_free(expect(0, "run pendulum.yaml -q -o b.csv --end 0.1 --set L=2"));
    ran_free(expect(0, "run pendulum.yaml -q -o c.csv --end 0.2"));
    Ran ran = expect(0, "diff a.csv a.csv");
    assert_string_equal(ran.err, "");
    ran_free(ran);
    assert_int_equal(rename("a.csv.json", "kept.json"), 0);
    for (int i = 0; i < 2; i++) {
        char *other = read_text(i ? "c.csv.json" : "b.csv.json");
        write_text("a.csv.json", other);
        free(other);
        ran = expect(0, "diff a.csv a.csv");
        expect_text(ran.err, i ? "its manifest tells of" : "not the file that its manifest");
        ran_free(ran);
    }
#ifdef HOL_HAVE_HDF5
    ran_free(expect(0, "run pendulum.yaml -q -o a.h5 --end 0.1"));
    ran = expect(0, "diff a.h5 a.h5");
    assert_string_equal(ran.err, "");
    ran_free(ran);
#endif
}

// a manifest's numbers reach integers
static void test_manifest(void **state) {
    (void)state;
    HolError err = {0};
    HolResult *r = NULL;
    write_text("n.csv", "time,a\n0,1\n1,2\n");
    write_text("n.csv.json",
               "{\"holonom_result\": 1, \"columns\": [[\"time\", \"s\"], [\"a\", \"m\"]],\n"
               "\"options\": {\"threads\": 1e300, \"max_steps\": -1e300},\n"
               "\"check\": {\"dof\": 1e300, \"dependent\": [[\"j\", \"1e300\", \"k\", \"1\"],\n"
               "[\"j\", \"nan\", \"k\", \"1\"]]}}\n");
    assert_int_equal(hol_result_read("n.csv", &r, &err), HOL_OK);
    hol_result_destroy(r);
}

// ---- HDF5 ----

#ifdef HOL_HAVE_HDF5
#include <hdf5.h>

static hid_t create(const char *path) {
    hid_t order = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_link_creation_order(order, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, order, H5P_DEFAULT);
    H5Pclose(order);
    assert_true(file >= 0);
    return file;
}

// a dataset of `rows` numbers of which `written` are there; chunk 0: in one piece
static void put_numbers(hid_t file, const char *name, hsize_t rows, hsize_t written,
                        hsize_t chunk) {
    double values[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const hsize_t most = H5S_UNLIMITED, first = written ? written : rows, zero = 0;
    hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
    if (chunk)
        H5Pset_chunk(layout, 1, &chunk);
    hid_t space = H5Screate_simple(1, &first, chunk ? &most : NULL);
    hid_t set = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, layout, H5P_DEFAULT);
    assert_true(set >= 0);
    if (written) {
        H5Sselect_hyperslab(space, H5S_SELECT_SET, &zero, NULL, &written, NULL);
        hid_t memory = H5Screate_simple(1, &written, NULL);
        assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values) >= 0);
        H5Sclose(memory);
    }
    if (rows != first)
        assert_true(H5Dset_extent(set, &rows) >= 0);
    H5Sclose(space);
    H5Pclose(layout);
    H5Dclose(set);
}

// a text of `elements` parts of `size` bytes, as an attribute or a dataset
static void put_texts(hid_t object, const char *name, hsize_t elements, size_t size,
                      int is_dataset) {
    char *text = calloc(elements, size);
    memset(text, 'x', elements * size);
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &elements, NULL);
    H5Tset_size(type, size);
    if (is_dataset) {
        hid_t set = H5Dcreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        assert_true(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0);
        H5Dclose(set);
    } else {
        hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
        assert_true(H5Awrite(attribute, type, text) >= 0);
        H5Aclose(attribute);
    }
    H5Sclose(space);
    H5Tclose(type);
    free(text);
}

static void test_extents(void **state) {
    (void)state;
    static const struct {
        hsize_t rows, written, chunk;
    } cases[] = {{(1ULL << 61) - 1, 0, 0}, {(1ULL << 60) - 1, 0, 0},  {(1ULL << 61) - 1, 0, 512},
                 {1ULL << 40, 0, 0},       {1ULL << 40, 0, 1 << 20},  {1ULL << 40, 4, 512},
                 {(1ULL << 62), 4, 512},   {(1ULL << 63) - 1, 4, 512}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hid_t file = create("long.h5");
        put_numbers(file, "time", cases[i].rows, cases[i].written, cases[i].chunk);
        H5Fclose(file);
        expect_unreadable("long.h5", "longer than it is");
    }
    // many columns that are each bearable
    hid_t file = create("wide.h5");
    char name[16] = "time";
    for (int i = 0; i < 40; i++) {
        put_numbers(file, name, 4000000, 4, 512);
        snprintf(name, sizeof name, "c%d", i);
    }
    H5Fclose(file);
    expect_unreadable("wide.h5", "longer than it is");
}

// a file of layout `layout` whose table /data says to be rows x columns (`written` rows are there)
// beside `names` entries of /columns with the members `first` and "unit"
static void put_table(const char *path, int layout, const hsize_t size[2], hsize_t written,
                      hsize_t names, const char *first) {
    static const char entries[4][8] = {"times", "a\0\0\0m", "b\0\0\0m", "c\0\0\0m"};
    static const double values[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    const hsize_t most[2] = {H5S_UNLIMITED, H5S_UNLIMITED}, zero[2] = {0, 0};
    const hsize_t chunk[2] = {2, 2}, begun[2] = {written ? written : 1, 2};
    hid_t file = create(path);
    hid_t one = H5Screate(H5S_SCALAR);
    hid_t attribute =
        H5Acreate2(file, "holonom_result", H5T_STD_I32LE, one, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, H5T_NATIVE_INT, &layout);
    H5Aclose(attribute);
    H5Sclose(one);
    hid_t text = H5Tcopy(H5T_C_S1), entry = H5Tcreate(H5T_COMPOUND, 8);
    H5Tset_size(text, 4);
    H5Tset_strpad(text, H5T_STR_NULLPAD); // no zero behind "time"
    H5Tinsert(entry, first, 0, text);
    H5Tinsert(entry, "unit", 4, text);
    hid_t space = H5Screate_simple(1, &names, NULL);
    hid_t set = H5Dcreate2(file, "columns", entry, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (names <= 4)
        H5Dwrite(set, entry, H5S_ALL, H5S_ALL, H5P_DEFAULT, entries);
    H5Dclose(set);
    H5Sclose(space);
    hid_t layout_2 = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(layout_2, 2, chunk);
    space = H5Screate_simple(2, begun, most);
    set = H5Dcreate2(file, "data", H5T_IEEE_F64LE, space, H5P_DEFAULT, layout_2, H5P_DEFAULT);
    if (written) {
        H5Sselect_hyperslab(space, H5S_SELECT_SET, zero, NULL, begun, NULL);
        hid_t memory = H5Screate_simple(2, begun, NULL);
        assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values) >= 0);
        H5Sclose(memory);
    }
    H5Dset_extent(set, size);
    H5Sclose(space);
    H5Pclose(layout_2);
    H5Dclose(set);
    H5Tclose(entry);
    H5Tclose(text);
    H5Fclose(file);
}

static void test_tables(void **state) {
    (void)state;
    HolError err = {0};
    HolResult *r = NULL;
    const hsize_t right[2] = {4, 2};
    put_table("table.h5", 2, right, 4, 2, "name");
    assert_int_equal(hol_result_read("table.h5", &r, &err), HOL_OK);
    assert_string_equal(hol_result_column(r, 1).name, "a");
    assert_string_equal(hol_result_column(r, 1).unit, "m");
    assert_true(hol_result_values(r, 1)[3] == 7);
    hol_result_destroy(r);
    static const struct {
        hsize_t size[2], written, names;
        int layout;
        const char *first, *piece;
    } cases[] = {
        {{4, 2}, 4, 2, 3, "name", "layout is not known"},
        {{4, 2}, 4, 2, -1, "name", "layout is not known"},
        {{4, 2}, 4, 2, 2, "label", "no texts"},
        {{4, 2}, 4, 3, 2, "name", "do not fit together"},
        {{4, 3}, 4, 2, 2, "name", "do not fit together"},
        {{1ULL << 40, 2}, 4, 2, 2, "name", "longer than it is"},
        {{(1ULL << 62) + 1, 2}, 4, 2, 2, "name", "longer than it is"},
        {{4, 2}, 0, 2, 2, "name", "longer than it is"},
        {{1, 1ULL << 33}, 1, 1ULL << 33, 2, "name", "longer than it is"},
        {{1ULL << 40, 0}, 4, 0, 2, "name", "do not fit together"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_table("table.h5", cases[i].layout, cases[i].size, cases[i].written, cases[i].names,
                  cases[i].first);
        expect_unreadable("table.h5", cases[i].piece);
    }
}

// a text of several elements is none; the numbers beside it stay readable
static void test_texts(void **state) {
    (void)state;
    HolError err = {0};
    HolResult *r = NULL;
    hid_t file = create("texts.h5");
    put_numbers(file, "time", 4, 4, 0);
    hid_t set = H5Dopen2(file, "time", H5P_DEFAULT);
    put_texts(set, "units", 4000, 8, 0);
    put_texts(set, "name", 300, 8, 0);
    H5Dclose(set);
    put_texts(file, "manifest", 20000, 8, 1);
    put_texts(file, "model", 30000, 8, 1);
    put_texts(file, "name", 3000, 8, 0);
    H5Fclose(file);
    assert_int_equal(hol_result_read("texts.h5", &r, &err), HOL_OK);
    assert_string_equal(hol_result_column(r, 0).name, "time");
    assert_string_equal(hol_result_column(r, 0).unit, "");
    assert_string_equal(hol_result_title(r), "");
    assert_true(hol_result_values(r, 0)[3] == 3);
    hol_result_destroy(r);
    ran_free(expect(0, "plot texts.h5 -c time -o t.svg"));
    ran_free(expect(4, "view texts.h5 -o t.html"));
}

// a name that is long is not taken for another one that it begins with
static void test_long_names(void **state) {
    (void)state;
    enum { SHORT = 511, LONG = 600 };
    HolError err = {0};
    HolResult *r = NULL;
    char name[LONG + 1];
    const hsize_t size[2] = {300, 300};
    hid_t file = create("names.h5");
    put_numbers(file, "time", 4, 4, 0);
    memset(name, 'a', LONG);
    name[LONG] = 0;
    put_numbers(file, name, 4, 4, 0);
    name[SHORT] = 0; // (two-dimensional: no column)
    double *large = calloc((size_t)(size[0] * size[1]), sizeof *large);
    hid_t space = H5Screate_simple(2, size, NULL);
    hid_t set =
        H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, large) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Fclose(file);
    free(large);
    assert_int_equal(hol_result_read("names.h5", &r, &err), HOL_OK);
    assert_int_equal(hol_result_column_count(r), 2);
    assert_int_equal(strlen(hol_result_column(r, 1).name), LONG);
    assert_true(hol_result_values(r, 1)[3] == 3);
    hol_result_destroy(r);
}

// data in other files is not followed
static void test_foreign(void **state) {
    (void)state;
    const hsize_t rows = 4;
    write_text("secret.bin", "0123456789abcdef0123456789abcdef");
    for (int kind = 0; kind < 3; kind++) {
        hid_t file = create("foreign.h5"), layout = H5Pcreate(H5P_DATASET_CREATE),
              space = H5Screate_simple(1, &rows, NULL);
        put_numbers(file, "time", 4, 4, 0);
        if (kind == 0) {
            assert_true(H5Lcreate_external("other.h5", "/x", file, "x", H5P_DEFAULT, H5P_DEFAULT) >=
                        0);
        } else {
            if (kind == 1)
                assert_true(H5Pset_external(layout, "secret.bin", 0, 32) >= 0);
            else
                assert_true(H5Pset_virtual(layout, space, "other.h5", "/x", space) >= 0);
            hid_t set =
                H5Dcreate2(file, "x", H5T_IEEE_F64LE, space, H5P_DEFAULT, layout, H5P_DEFAULT);
            assert_true(set >= 0);
            H5Dclose(set);
        }
        H5Sclose(space);
        H5Pclose(layout);
        H5Fclose(file);
        expect_unreadable("foreign.h5", "other files");
    }
}

// the bytes of a file with every `word` overwritten
static void spoil(const char *path, const char *word) {
    struct stat info;
    int found = 0;
    assert_int_equal(stat(path, &info), 0);
    const size_t size = (size_t)info.st_size, n = strlen(word);
    char *bytes = calloc(size + 1, 1);
    FILE *f = fopen(path, "r+b");
    assert_int_equal(fread(bytes, 1, size, f), size);
    for (size_t i = 0; i + n <= size; i++)
        if (memcmp(bytes + i, word, n) == 0) {
            memset(bytes + i, 'x', n);
            found++;
        }
    assert_true(found > 0);
    rewind(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    fclose(f);
    free(bytes);
}

// nor where the file is damaged so that nobody can walk over all that it has
static void test_foreign_damaged(void **state) {
    (void)state;
    const hsize_t rows = 4;
    hid_t other = create("other.h5");
    put_numbers(other, "time", 4, 4, 0);
    H5Fclose(other);
    write_text("secret.bin", "0123456789abcdef0123456789abcdef");
    for (int kind = 0; kind < 3; kind++) {
        hid_t file = create("foreign.h5"), layout = H5Pcreate(H5P_DATASET_CREATE),
              space = H5Screate_simple(1, &rows, NULL);
        hid_t group = H5Gcreate2(file, "a", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        H5Gclose(group);
        if (kind == 0)
            H5Lcreate_external("other.h5", "/time", file, "time", H5P_DEFAULT, H5P_DEFAULT);
        if (kind == 1)
            H5Pset_external(layout, "secret.bin", 0, 32);
        if (kind == 2)
            H5Pset_virtual(layout, space, "other.h5", "/time", space);
        if (kind > 0)
            H5Dclose(
                H5Dcreate2(file, "time", H5T_IEEE_F64LE, space, H5P_DEFAULT, layout, H5P_DEFAULT));
        H5Sclose(space);
        H5Pclose(layout);
        H5Fclose(file);
        spoil("foreign.h5", "TREE");
        expect_unreadable("foreign.h5", "the first dataset is not 'time'");
    }
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_stl),
        cmocka_unit_test(test_manifest),
#ifdef HOL_HAVE_HDF5
        cmocka_unit_test(test_extents),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_foreign),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_foreign_damaged),
        cmocka_unit_test(test_long_names),
        cmocka_unit_test(test_cut_hdf5),
#endif
    };
    return cmocka_run_group_tests(tests, enter_place, leave_place);
}
