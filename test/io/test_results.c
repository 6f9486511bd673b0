// SPDX-License-Identifier: Apache-2.0
// Result files: complete or not there at all. Formats, replacing, full disks, signals.
#include "cli_run.h"

#include "holonom/tools.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

static void pause_ms(long ms) {
    struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

static void test_written_and_renamed(void **state) {
    (void)state;
    write_text("old.csv", "old\n");
    assert_int_equal(symlink("old.csv", "link.csv"), 0);
    ran_free(expect(0, "run pendulum.yaml -q -o link.csv"));
    // the link still is one, and what it points to is replaced
    struct stat info;
    assert_int_equal(lstat("link.csv", &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    char *csv = read_text("old.csv");
    assert_int_equal(csv_rows(csv), 101);
    free(csv);
    assert_int_equal(count_files(".part-"), 0);
}

// a device is written to, never replaced
static void test_device_stays(void **state) {
    (void)state;
    struct stat info;
    ran_free(expect(0, "run pendulum.yaml -q -o /dev/null"));
    assert_int_equal(stat("/dev/null", &info), 0);
    assert_true(S_ISCHR(info.st_mode));
}

static void test_unwritable(void **state) {
    (void)state;
    const char *const files[] = {"no/such/dir/a.csv", "no/such/dir/a.h5", "/proc/a.csv",
                                 "/dev/full"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char arguments[128];
        snprintf(arguments, sizeof arguments, "run pendulum.yaml -q -o %s", files[i]);
#ifndef HOL_HAVE_HDF5
        if (strstr(files[i], ".h5"))
            continue;
#endif
        Ran ran = expect(4, arguments);
        expect_text(ran.err, files[i]); // path and reason
        expect_text(ran.err, ": ");
        ran_free(ran);
    }
    ran_free(expect(4, "run pendulum.yaml -q > /dev/full"));
    ran_free(expect(4, "--help > /dev/full"));
    ran_free(expect(4, "--version > /dev/full"));
    // (where results differ as well)
    ran_free(expect(0, "run pendulum.yaml -q -o full-a.csv"));
    ran_free(expect(0, "run pendulum.yaml -q --set L=2 -o full-b.csv"));
    ran_free(expect(1, "diff full-a.csv full-b.csv > /dev/null"));
    ran_free(expect(4, "diff full-a.csv full-b.csv > /dev/full"));
    assert_int_equal(mkdir("directory.csv", 0777), 0);
    ran_free(expect(4, "run pendulum.yaml -q -o directory.csv"));
}

// every file the command writes: pages and pictures too (a build may have no page)
typedef struct Writing {
    const char *arguments, *ending;
    const char *starts; // what the file starts with
} Writing;

static const Writing writings[] = {
    {"run pendulum.yaml -q -o", "csv", "time,"},
    {"run pendulum.yaml -q --report", "html", "<!doctype html>"},
    {"view seen.csv -q -o", "html", "<!doctype html>"},
    {"plot seen.csv -c rod.x -o", "svg", "<?xml"},
};
enum { WRITINGS = sizeof writings / sizeof *writings };

// 0: the build has no page
static int can_write(const Writing *w) {
    if (strcmp(w->ending, "html") != 0)
        return 1;
    Ran ran = run_cli("", "run pendulum.yaml -q --report trial.html");
    int can = ran.code == 0;
    if (!can)
        expect_text(ran.err, "no report page");
    ran_free(ran);
    return can;
}

static void expect_file(const char *name, const char *start) {
    char *text = read_text(name);
    assert_non_null(text);
    assert_int_equal(strncmp(text, start, strlen(start)), 0);
    free(text);
}

static void test_links_stay(void **state) {
    (void)state;
    ran_free(expect(0, "run pendulum.yaml -q -o seen.csv"));
    for (int i = 0; i < WRITINGS; i++) {
        const Writing *w = &writings[i];
        char arguments[128], link[32], target[32];
        // to a file, and to one that is not there yet
        for (int k = 0; k < 2 && can_write(w); k++) {
            struct stat info;
            snprintf(link, sizeof link, "link%d%d.%s", i, k, w->ending);
            snprintf(target, sizeof target, "there%d%d.%s", i, k, w->ending);
            if (k == 0)
                write_text(target, "old\n");
            assert_int_equal(symlink(target, link), 0);
            snprintf(arguments, sizeof arguments, "%s %s", w->arguments, link);
            ran_free(expect(0, arguments));
            assert_int_equal(lstat(link, &info), 0);
            assert_true(S_ISLNK(info.st_mode));
            assert_int_equal(lstat(target, &info), 0);
            assert_true(S_ISREG(info.st_mode));
            expect_file(target, w->starts);
        }
    }
    assert_int_equal(count_files(".part-"), 0);
}

static void test_pipes_stay(void **state) {
    (void)state;
    for (int i = 0; i < WRITINGS; i++) {
        const Writing *w = &writings[i];
        char arguments[128], before[128];
        struct stat info;
        if (!can_write(w))
            continue;
        assert_int_equal(mkfifo("pipe", 0600), 0);
        // what arrived gets its name when all of it has
        snprintf(before, sizeof before, "(timeout 20 cat pipe > got; mv got arrived%d) &", i);
        snprintf(arguments, sizeof arguments, "%s pipe", w->arguments);
        Ran ran = run_cli(before, arguments);
        assert_int_equal(ran.code, 0);
        ran_free(ran);
        assert_int_equal(lstat("pipe", &info), 0);
        assert_true(S_ISFIFO(info.st_mode));
        snprintf(before, sizeof before, "arrived%d", i);
        for (int k = 0; k < 500 && !exists(before); k++)
            pause_ms(10);
        expect_file(before, w->starts);
        assert_int_equal(unlink("pipe"), 0);
    }
}

static void test_pages_to_standard_output(void **state) {
    (void)state;
    for (int i = 1; i < WRITINGS; i++) {
        char arguments[128];
        if (!can_write(&writings[i]))
            continue;
        snprintf(arguments, sizeof arguments, "%s -", writings[i].arguments);
        Ran ran = expect(0, arguments);
        assert_int_equal(strncmp(ran.out, writings[i].starts, strlen(writings[i].starts)), 0);
        assert_false(exists("-"));
        ran_free(ran);
    }
}

// a limit that the shell sets kills nobody: it is a file that cannot be written
static void test_file_limit(void **state) {
    (void)state;
#ifdef __SANITIZE_ADDRESS__ // (that build counts lines, in files that the limit stops too)
    skip();
#endif
    for (int i = 0; i < WRITINGS; i++) {
        char arguments[128], file[32];
        if (!can_write(&writings[i]))
            continue;
        snprintf(file, sizeof file, "limit.%s", writings[i].ending);
        snprintf(arguments, sizeof arguments, "%s %s", writings[i].arguments, file);
        Ran ran = run_cli("ulimit -f 1;", arguments);
        if (ran.code != 4)
            fail_msg("%s: exit %d: %s", arguments, ran.code, ran.err);
        expect_text(ran.err, file);
        expect_text(ran.err, strerror(EFBIG));
        assert_int_equal(count_files("limit."), 0);
        ran_free(ran);
    }
    // events that wait for the object of --json find no room either
    char arguments[512];
    snprintf(arguments, sizeof arguments,
             "run %s/models/percussion.yaml -q --json --end 5 >/dev/null", HOL_SOURCE_DIR);
    Ran ran = run_cli("ulimit -f 1;", arguments);
    assert_int_equal(ran.code, 4);
    expect_text(ran.err, "cannot keep events for --json");
    ran_free(ran);
}

// the results stay when what describes them cannot be written
static void test_manifest_unwritable(void **state) {
    (void)state;
    assert_int_equal(mkdir("alone.csv.json", 0777), 0);
    Ran ran = expect(4, "run pendulum.yaml -q -o alone.csv");
    expect_text(ran.err, "cannot write alone.csv.json");
    char *csv = read_text("alone.csv");
    assert_non_null(csv);
    assert_int_equal(csv_rows(csv), 101);
    assert_int_equal(count_files(".part-"), 0);
    free(csv);
    ran_free(ran);
    // a link to the description stays a link
    write_text("elsewhere.json", "{}");
    assert_int_equal(symlink("elsewhere.json", "linked.csv.json"), 0);
    ran_free(expect(0, "run pendulum.yaml -q -o linked.csv"));
    struct stat info;
    assert_int_equal(lstat("linked.csv.json", &info), 0);
    assert_true(S_ISLNK(info.st_mode));
}

// a limit on the size of files stands for a full disk: met by the first row, or by a later one
static void test_disk_full(void **state) {
    (void)state;
#ifdef __SANITIZE_ADDRESS__ // (that build counts lines, in files that the limit stops too)
    skip();
#endif
    const struct {
        int blocks; // of 512 bytes
        const char *file;
    } cases[] = {
        {16, "full.csv"}, {2000, "full.csv"},
#ifdef HOL_HAVE_HDF5
        {16, "full.h5"},  {1200, "full.h5"},  {2400, "full.h5"},
#endif
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char arguments[128], before[64];
        snprintf(before, sizeof before, "trap '' XFSZ; ulimit -f %d;", cases[i].blocks);
        snprintf(arguments, sizeof arguments, "run pendulum.yaml -q --end 40 --step 0.005 -o %s",
                 cases[i].file);
        Ran ran = run_cli(before, arguments);
        if (ran.code != 4)
            fail_msg("%s %s: exit %d: %s", before, arguments, ran.code, ran.err);
        expect_text(ran.err, "cannot write full.");
        expect_text(ran.err, strerror(EFBIG));
        assert_int_equal(count_files("full."), 0);
        ran_free(ran);
    }
}

#ifdef HOL_HAVE_HDF5
#include <hdf5.h>

// the text of a scalar dataset or attribute whose type is `type`
static char *h5_text(hid_t object, hid_t type, int is_dataset) {
    char *text = calloc(H5Tget_size(type) + 1, 1);
    assert_non_null(text);
    if (is_dataset)
        assert_true(H5Dread(object, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0);
    else
        assert_true(H5Aread(object, type, text) >= 0);
    return text;
}

static char *h5_attribute(hid_t object, const char *name) {
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    assert_true(attribute >= 0);
    hid_t type = H5Aget_type(attribute);
    char *text = h5_text(attribute, type, 0);
    H5Tclose(type);
    H5Aclose(attribute);
    return text;
}

typedef struct H5Entry { // of /columns
    char name[32], unit[16];
} H5Entry;

// the dataset /columns, n entries, as any program would read them
static H5Entry *h5_columns(hid_t file, hsize_t *n) {
    hid_t set = H5Dopen2(file, "columns", H5P_DEFAULT), space = H5Dget_space(set);
    hid_t text[2] = {H5Tcopy(H5T_C_S1), H5Tcopy(H5T_C_S1)};
    H5Tset_size(text[0], sizeof((H5Entry *)0)->name);
    H5Tset_size(text[1], sizeof((H5Entry *)0)->unit);
    for (int i = 0; i < 2; i++)
        H5Tset_cset(text[i], H5T_CSET_UTF8);
    hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(H5Entry));
    H5Tinsert(type, "name", HOFFSET(H5Entry, name), text[0]);
    H5Tinsert(type, "unit", HOFFSET(H5Entry, unit), text[1]);
    assert_int_equal(H5Sget_simple_extent_dims(space, n, NULL), 1);
    H5Entry *entries = calloc(*n, sizeof *entries);
    assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, entries) >= 0);
    H5Tclose(type);
    H5Tclose(text[0]);
    H5Tclose(text[1]);
    H5Sclose(space);
    H5Dclose(set);
    return entries;
}

static hsize_t h5_rows(hid_t file) {
    hsize_t size[2];
    hid_t set = H5Dopen2(file, "data", H5P_DEFAULT), space = H5Dget_space(set);
    assert_int_equal(H5Sget_simple_extent_dims(space, size, NULL), 2);
    H5Sclose(space);
    H5Dclose(set);
    return size[0];
}

// one column of the table /data
static double *h5_column(hid_t file, const char *name, int rows) {
    hsize_t n = 0, size[2], from[2] = {0, 0}, part[2] = {(hsize_t)rows, 1};
    H5Entry *entries = h5_columns(file, &n);
    while (from[1] < n && strcmp(entries[from[1]].name, name) != 0)
        from[1]++;
    assert_true(from[1] < n);
    free(entries);
    hid_t set = H5Dopen2(file, "data", H5P_DEFAULT), space = H5Dget_space(set);
    assert_int_equal(H5Sget_simple_extent_dims(space, size, NULL), 2);
    assert_int_equal(size[0], rows);
    assert_int_equal(size[1], n);
    hid_t memory = H5Screate_simple(2, part, NULL);
    double *values = calloc((size_t)rows, sizeof *values);
    assert_true(H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, part, NULL) >= 0);
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values) >= 0);
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(set);
    return values;
}

static int h5_layout(hid_t file) {
    int layout = 0;
    hid_t attribute = H5Aopen(file, "holonom_result", H5P_DEFAULT);
    assert_true(H5Aread(attribute, H5T_NATIVE_INT, &layout) >= 0);
    H5Aclose(attribute);
    return layout;
}

// the same run as CSV and as HDF5: the same numbers, units, the model's text, the options
static void test_hdf5_equals_csv(void **state) {
    (void)state;
    ran_free(expect(0, "run pendulum.yaml -q --end 12 -o same.csv"));
    ran_free(expect(0, "run pendulum.yaml -q --end 12 -o same.h5"));
    char *csv = read_text("same.csv");
    int rows = csv_rows(csv);
    assert_int_equal(rows, 1201); // more than two chunks and a rest
    hid_t file = H5Fopen("same.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    assert_int_equal(h5_layout(file), 2);
    const char *const columns[] = {"time",      "rod.x", "rod.angle",
                                   "rod.omega", "O.fy",  "energy.total"};
    const int places[] = {1, 2, 512, 513, 1024, 1025, 1201};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        double *values = h5_column(file, columns[i], rows);
        for (size_t k = 0; k < sizeof places / sizeof *places; k++)
            assert_true(values[places[k] - 1] == csv_value(csv, places[k], columns[i]));
        free(values);
    }
    hid_t set = H5Dopen2(file, "model", H5P_DEFAULT);
    hid_t type = H5Dget_type(set);
    char *source = h5_text(set, type, 1);
    assert_string_equal(source, pendulum);
    char *method = h5_attribute(file, "method");
    assert_string_equal(method, "tangent");
    char *version = h5_attribute(file, "holonom");
    expect_text(version, "holonom ");
    H5Tclose(type);
    H5Dclose(set);
    H5Fclose(file);
    free(source);
    free(method);
    free(version);
    free(csv);
}

// a result of many columns and few rows: several chunks, all columns in order
static void test_hdf5_wide(void **state) {
    (void)state;
    ran_free(expect(0, "generate chain3d 400 > wide.txt"));
    char *text = read_text("wide.txt"), *outputs = strstr(text, "outputs:");
    assert_non_null(outputs);
    memset(outputs, '#', 1); // all columns
    write_text("wide.yaml", text);
    free(text);
    ran_free(expect(0, "run wide.yaml -q --step 1e-3 --end 2e-3 --output-step 1e-3 -o wide.csv"));
    ran_free(expect(0, "run wide.yaml -q --step 1e-3 --end 2e-3 --output-step 1e-3 -o wide.h5"));
    Ran ran = expect(0, "diff wide.csv wide.h5");
    expect_text(ran.out, "10010 columns at 3 times");
    ran_free(ran);
    struct stat csv, json, h5;
    assert_int_equal(stat("wide.csv", &csv), 0);
    assert_int_equal(stat("wide.h5", &h5), 0);
    assert_int_equal(stat("wide.csv.json", &json), 0);
    assert_true(2 * h5.st_size < csv.st_size + json.st_size); // both hold the model and the names
}

// files of layout 1 (a dataset a column) stay readable: numbers, names, units, the model
static void test_hdf5_layout_1(void **state) {
    (void)state;
    HolError err = {0};
    HolResult *r = NULL;
    assert_int_equal(hol_result_read(HOL_SOURCE_DIR "/test/ref/layout-1.h5", &r, &err), HOL_OK);
    assert_int_equal(hol_result_column_count(r), 3);
    assert_int_equal(hol_result_row_count(r), 6);
    assert_string_equal(hol_result_title(r), "Layout 1");
    assert_string_equal(hol_result_column(r, 1).name, "rod.x");
    assert_string_equal(hol_result_column(r, 1).unit, "m");
    assert_string_equal(hol_result_column(r, 2).name, "rod.x/(2 + rod.y)");
    assert_true(hol_result_values(r, 0)[5] == 0.05);
    assert_true(hol_result_values(r, 1)[0] == 0.5);
    hol_result_destroy(r);
    ran_free(expect(0, "run --replay " HOL_SOURCE_DIR "/test/ref/layout-1.h5"));
}
#endif

// what `outputs:` names has its unit, also where it is no default column
static void test_units_of_outputs(void **state) {
    (void)state;
    static const char *const columns[][2] = {
        {"rod.top.y", "m"}, {"rod.top.vx", "m/s"}, {"O.angle", "rad"}, {"O.rate", "rad/s"},
        {"rod.w", "rad/s"}, {"S.length", "m"},     {"S.rate", "m/s"},  {"c", "1"},
        {"c.v", "1/s"},     {"rod.x*2", ""},       {"rod.x", "m"},
    };
    enum { COLUMNS = sizeof columns / sizeof *columns };
    char text[2048], piece[64];
    size_t used = (size_t)snprintf(text, sizeof text,
                                   "%.*s  - {name: c, type: coordinate}\n%s"
                                   "forces: [{name: S, type: spring_damper, between: [ground, "
                                   "rod], stiffness: 1}]\noutputs: [",
                                   (int)(strstr(pendulum, "joints:") - pendulum), pendulum,
                                   strstr(pendulum, "joints:"));
    for (int i = 0; i < COLUMNS; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", columns[i][0],
                                 i + 1 < COLUMNS ? ", " : "]\n");
    write_text("units.yaml", text);
    ran_free(expect(0, "run units.yaml -q -o units.csv"));
    char *manifest = read_text("units.csv.json");
    for (int i = 0; i < COLUMNS; i++) {
        snprintf(piece, sizeof piece, "[\"%s\", \"%s\"]", columns[i][0], columns[i][1]);
        expect_text(manifest, piece);
    }
    free(manifest);
#ifdef HOL_HAVE_HDF5
    ran_free(expect(0, "run units.yaml -q -o units.h5"));
    hid_t file = H5Fopen("units.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    hsize_t n = 0;
    H5Entry *entries = h5_columns(file, &n);
    assert_int_equal(n, COLUMNS + 1);
    assert_string_equal(entries[0].name, "time");
    assert_string_equal(entries[0].unit, "s");
    for (int i = 0; i < COLUMNS; i++) {
        assert_string_equal(entries[i + 1].name, columns[i][0]);
        assert_string_equal(entries[i + 1].unit, columns[i][1]);
    }
    free(entries);
    H5Fclose(file);
#endif
}

// whether the process handles SIGTERM: the command does so as soon as its run may begin
static int handles_signals(pid_t child) {
    char path[64], line[256];
    unsigned long long caught = 0;
    snprintf(path, sizeof path, "/proc/%ld/status", (long)child);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "SigCgt:", 7) == 0)
            caught = strtoull(line + 7, NULL, 16);
    if (file)
        fclose(file);
    return (caught >> (SIGTERM - 1)) & 1;
}

// start a run that would take hours
static pid_t start_run(const char *model, const char *file) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (!freopen("err.txt", "w", stderr))
            _exit(99);
        execl(HOL_CLI_PATH, "holonom", "run", model, "--end", "1e6", "--step", "1e-4",
              "--output-step", "0.01", "--yes", "-o", file, (char *)NULL);
        _exit(99);
    }
    return child;
}

// the same; returns when its file has begun
static pid_t start_long_run(const char *file) {
    const pid_t child = start_run("pendulum.yaml", file);
    for (int k = 0; k < 3000 && !handles_signals(child); k++)
        pause_ms(10);
    pause_ms(300);              // (its file has no name yet, or an unfinished one)
    assert_false(exists(file)); // nothing under its name before it is complete
    return child;
}

static int wait_for(pid_t child) {
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

// a killed run leaves nothing: a file without a name goes with it, HDF5's process removes its own
static void test_killed(void **state) {
    (void)state;
    static const char *const files[] = {"killed.csv", "killed.h5"};
    int status;
    for (int i = 0; i < 2; i++) {
#ifndef HOL_HAVE_HDF5
        if (i)
            break;
#endif
        pid_t child = start_long_run(files[i]);
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, &status, 0), child);
        for (int k = 0; k < 200 && count_files("killed") > 0; k++)
            pause_ms(10);
        assert_int_equal(count_files("killed"), 0);
    }
}

#ifdef HOL_HAVE_HDF5
// a run that is stopped before its first row leaves an earlier result alone
static void test_stopped_early(void **state) {
    (void)state;
    ran_free(expect(0, "run pendulum.yaml -q -o early.h5"));
    for (int i = 0; i < 40; i++) {
        pid_t child = start_run(HOL_SOURCE_DIR "/models/bouncing-ball.yaml", "early.h5");
        pause_ms(i);
        kill(child, SIGTERM);
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        ran_free(expect(0, "diff early.h5 early.h5")); // (a file without rows is no result)
    }
    unlink("early.h5");
}
#endif

static void test_signals(void **state) {
    (void)state;
    const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU};
    for (size_t i = 0; i < 4; i++) {
        pid_t child = start_long_run("stopped.csv");
        kill(child, signals[i]);
        assert_int_equal(wait_for(child), 130);
        char *csv = read_text("stopped.csv"), *said = read_text("err.txt");
        assert_non_null(csv);
        assert_true(csv_rows(csv) >= 2);
        assert_true(csv_value(csv, -1, "time") > 0);
        expect_text(said, "interrupted at t =");
        assert_int_equal(count_files(".part-"), 0);
        free(csv);
        free(said);
        unlink("stopped.csv");
    }
#ifdef HOL_HAVE_HDF5
    pid_t child = start_long_run("stopped.h5");
    kill(child, SIGINT);
    assert_int_equal(wait_for(child), 130);
    hid_t file = H5Fopen("stopped.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    assert_true(h5_rows(file) >= 2);
    H5Fclose(file);
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_written_and_renamed),
        cmocka_unit_test(test_device_stays),
        cmocka_unit_test(test_unwritable),
        cmocka_unit_test(test_links_stay),
        cmocka_unit_test(test_pipes_stay),
        cmocka_unit_test(test_pages_to_standard_output),
        cmocka_unit_test(test_file_limit),
        cmocka_unit_test(test_manifest_unwritable),
        cmocka_unit_test(test_disk_full),
#ifdef HOL_HAVE_HDF5
        cmocka_unit_test(test_hdf5_equals_csv),
        cmocka_unit_test(test_hdf5_wide),
        cmocka_unit_test(test_hdf5_layout_1),
        cmocka_unit_test(test_stopped_early),
#endif
        cmocka_unit_test(test_units_of_outputs),
        cmocka_unit_test(test_signals),
        cmocka_unit_test(test_killed),
    };
    return cmocka_run_group_tests(tests, enter_place, leave_place);
}
