// SPDX-License-Identifier: Apache-2.0
// The report writer against its contract (docs/report-data.md): the numbers in the page are those
// that were given, long runs are thinned, texts cannot break the page, nothing is left half
// written.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/sha256.h"
#include "tools/report/report.h"

#include <math.h>
#include <unistd.h>
#ifdef HOL_HAVE_ZLIB
#include <zlib.h>
#endif

static char place[64] = "/tmp/holonom-report-XXXXXX";

static const char *const pendulum =
    "holonom: 1\n"
    "name: \"Pendulum </script><!-- \\\"x\\\"\"\n"
    "space: planar\n"
    "gravity: [0, -9.81]\n"
    "ground: {points: {O: [0, 0]}}\n"
    "bodies:\n"
    "  - {name: rod, mass: 1, inertia: 1/12, position: [0.5, 0], points: {top: [-0.5, 0]}}\n"
    "joints:\n"
    "  - {name: O, type: revolute, between: [ground.O, rod.top]}\n"
    "outputs: [rod.x, \"2*rod.y\"]\n"
    "simulation: {end: 1, step: 0.01}\n";

static void assert_close(double value, double wanted, double tolerance) {
    if (!(fabs(value - wanted) <= tolerance))
        fail_msg("%.17g instead of %.17g", value, wanted);
}

typedef struct Page {
    char *text;
    size_t size;
    unsigned char *block; // decoded
    size_t bytes;
} Page;

// ---- reading a page back ----

static int digit(char c) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *p = c ? strchr(digits, c) : NULL;
    return p ? (int)(p - digits) : -1;
}

static size_t from_base64(const char *text, size_t n, unsigned char *out) {
    size_t size = 0;
    unsigned bits = 0;
    int have = 0;
    for (size_t i = 0; i < n && digit(text[i]) >= 0; i++) {
        bits = bits << 6 | (unsigned)digit(text[i]);
        have += 6;
        if (have >= 8) {
            have -= 8;
            out[size++] = (unsigned char)(bits >> have);
        }
    }
    return size;
}

static size_t header_number(const Page *page, const char *key) {
    const char *at = strstr(page->text, "\"block\":{\"id\"");
    assert_non_null(at);
    at = strstr(at, key);
    assert_non_null(at);
    return strtoul(at + strlen(key), NULL, 10);
}

static void decode(Page *page) {
    static const char head[] = "<script type=\"application/octet-stream\" id=\"holonom-block-0\">";
    const char *at = strstr(page->text, head);
    assert_non_null(at);
    at += sizeof head - 1;
    size_t n = strcspn(at, "<");
    assert_int_equal(n % 4, 0);
    unsigned char *packed = malloc(n + 1);
    size_t size = from_base64(at, n, packed);
    page->bytes = header_number(page, "\"bytes\":");
    page->block = malloc(page->bytes + 1);
    if (!strstr(page->text, "\"encoding\":\"deflate-raw+base64\"")) {
        assert_int_equal(size, page->bytes);
        memcpy(page->block, packed, size);
    } else {
#ifdef HOL_HAVE_ZLIB
        z_stream z = {.next_in = packed, .avail_in = (unsigned)size};
        z.next_out = page->block;
        z.avail_out = (unsigned)page->bytes + 1;
        assert_int_equal(inflateInit2(&z, -15), Z_OK);
        assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
        assert_int_equal(z.total_out, page->bytes);
        inflateEnd(&z);
#else
        fail_msg("compressed without zlib");
#endif
    }
    free(packed);
}

static Page load(const char *path) {
    Page page = {0};
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    page.size = (size_t)ftell(f);
    rewind(f);
    page.text = calloc(page.size + 1, 1);
    assert_int_equal(fread(page.text, 1, page.size, f), page.size);
    fclose(f);
    decode(&page);
    return page;
}

static void page_free(Page *page) {
    free(page->text);
    free(page->block);
}

// sample i of n of the column that starts at `offset` of the block
static double stored(const Page *page, size_t offset, size_t n, size_t i, size_t width) {
    unsigned char bytes[8];
    for (size_t k = 0; k < width; k++)
        bytes[k] = page->block[offset + k * n + i];
    double d;
    float f;
    memcpy(&d, bytes, 8 <= width ? 8 : 0);
    memcpy(&f, bytes, 4);
    return width == 8 ? d : f;
}

// a column's place in the block and its base, by its name; all columns before it are walked over
static size_t find_column(const Page *page, const char *name, double *base, size_t *count) {
    const char *at = strstr(page->text, "\"columns\":[");
    assert_non_null(at);
    size_t offset = 0;
    char quoted[64];
    snprintf(quoted, sizeof quoted, "{\"name\":\"%s\",", name);
    for (;;) {
        at = strstr(at, "{\"name\":\"");
        assert_non_null(at);
        const char *number = strstr(at, "\"count\":");
        *count = strtoul(number + 8, NULL, 10);
        *base = strtod(strstr(at, "\"base\":") + 7, NULL);
        if (strncmp(at, quoted, strlen(quoted)) == 0)
            return offset;
        offset += *count * (strncmp(number - 6, "\"f64\"", 5) == 0 ? 8 : 4);
        at++;
    }
}

// ---- writing one ----

static HolModel *model(const char *text, HolSimOptions *options) {
    HolModel *m = NULL;
    HolError err;
    if (hol_model_parse(text, strlen(text), "pendulum.yaml", NULL, 0, &m, options, &err))
        fail_msg("%s", err.text);
    return m;
}

static int column_index(const HolModel *m, const char *name) {
    for (int i = 0; i < hol_model_all_column_count(m); i++)
        if (strcmp(hol_model_all_column(m, i).name, name) == 0)
            return i;
    fail_msg("no column %s", name);
    return -1;
}

static double moving(long i) {
    return 100 + 1e-9 * sin(0.01 * (double)i);
}

// n rows: time i/1000, rod.x a tiny motion on a large value, energy.total constant, the rest varied
static void write_rows(HolReport *r, const HolModel *m, long n) {
    int columns = hol_model_all_column_count(m);
    double *all = calloc((size_t)columns, sizeof *all);
    int x = column_index(m, "rod.x"), energy = column_index(m, "energy.total");
    for (long i = 0; i < n; i++) {
        for (int c = 0; c < columns; c++)
            all[c] = sin(0.001 * (double)i + c);
        all[0] = 0.001 * (double)i;
        all[x] = moving(i);
        all[energy] = 7.25;
        double row[3] = {all[0], all[x], 3.0 * (double)i};
        assert_int_equal(hol_report_row(r, all, row, NULL), HOL_OK);
    }
    free(all);
}

static void test_sha256(void **state) {
    (void)state;
    char out[65];
    hol_sha256_text("", 0, out);
    assert_string_equal(out, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    hol_sha256_text("abc", 3, out);
    assert_string_equal(out, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    const char *two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"; // two blocks
    hol_sha256_text(two, strlen(two), out);
    assert_string_equal(out, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void test_numbers_come_back(void **state) {
    (void)state;
    HolSimOptions o;
    HolModel *m = model(pendulum, &o);
    HolReport *r;
    HolError err;
    const long sizes[] = {1, 2, 51, 3001}; // plain and compressed blocks
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        assert_int_equal(hol_report_open("a.html", m, &o, &r, &err), HOL_OK);
        write_rows(r, m, sizes[s]);
        assert_int_equal(hol_report_close(r, NULL, NULL, 1, &err), HOL_OK);
        Page page = load("a.html");
        double base;
        size_t count, n = (size_t)sizes[s];
        assert_int_equal(find_column(&page, "time", &base, &count), 0);
        assert_int_equal(count, n);
        assert_close(stored(&page, 0, n, n - 1, 8), 0.001 * (double)(n - 1), 0);
        // a motion of 1e-9 on 100 survives single precision
        size_t at = find_column(&page, "rod.x", &base, &count);
        for (size_t i = 0; i < n && n > 1; i += 7)
            assert_close(base + stored(&page, at, n, i, 4), moving((long)i), 3e-14);
        // an expression of `outputs:` comes from the row of results
        at = find_column(&page, "2*rod.y", &base, &count);
        if (n > 1)
            assert_close(base + stored(&page, at, n, n - 1, 4), 3.0 * (double)(n - 1), 1e-3);
        find_column(&page, "energy.total", &base, &count);
        assert_int_equal(count, 0);
        assert_close(base, 7.25, 0);
        page_free(&page);
    }
    hol_model_destroy(m);
}

static void test_texts_stay_inside(void **state) {
    (void)state;
    HolSimOptions o;
    HolModel *m = model(pendulum, &o);
    HolReport *r;
    assert_int_equal(hol_report_open("b.html", m, &o, &r, NULL), HOL_OK);
    write_rows(r, m, 3);
    hol_report_remark(r, "first </script>\nsecond");
    assert_int_equal(hol_report_close(r, NULL, NULL, 1, NULL), HOL_OK);
    Page page = load("b.html");
    const char *data = strstr(page.text, "id=\"holonom-data\">");
    assert_non_null(data);
    // the first closing tag behind the header's start ends the header: "}]}" comes before it
    const char *end = strstr(data, "</script");
    assert_memory_equal(end - 3, "}]}", 3);
    assert_null(memchr(data + 18, '<', (size_t)(end - data - 18)));
    assert_non_null(strstr(data, "Pendulum \\u003c/script>\\u003c!-- \\\"x\\\""));
    assert_non_null(strstr(data, "\"first \\u003c/script>\",\"second\""));
    page_free(&page);
    hol_model_destroy(m);
}

static void test_long_run_is_thinned(void **state) {
    (void)state;
    HolSimOptions o;
    HolModel *m = model(pendulum, &o);
    HolReport *r;
    HolError err;
    assert_int_equal(hol_report_open("c.html", m, &o, &r, &err), HOL_OK);
    long limit = r->max_samples, n = 2 * limit + 12346;
    write_rows(r, m, n);
    assert_int_equal(r->stride, 4);
    int shown = r->n_samples + 1; // and the last row
    assert_int_equal(hol_report_close(r, NULL, NULL, 1, &err), HOL_OK);
    Page page = load("c.html");
    assert_true(page.size < 20000000);
    char text[80];
    snprintf(text, sizeof text, "one of 4 results is shown, %d of %ld.", shown, n);
    assert_non_null(strstr(page.text, text));
    // every fourth row, in order, and the last one
    size_t count = (size_t)shown;
    for (size_t i = 0; i + 1 < count; i += 1000)
        assert_close(stored(&page, 0, count, i, 8), 0.001 * (double)(4 * i), 0);
    assert_close(stored(&page, 0, count, count - 1, 8), 0.001 * (double)(n - 1), 0);
    page_free(&page);
    hol_model_destroy(m);
}

static void test_failures_leave_nothing(void **state) {
    (void)state;
    HolSimOptions o;
    HolModel *m = model(pendulum, &o);
    HolReport *r = (HolReport *)(uintptr_t)1;
    HolError err;
    assert_int_equal(hol_report_open("no/such/place.html", m, &o, &r, &err), HOL_ERR_FILE);
    assert_null(r);
    assert_non_null(strstr(err.text, "no/such/place.html"));
    // given up, and closed without a row
    assert_int_equal(hol_report_open("d.html", m, &o, &r, &err), HOL_OK);
    write_rows(r, m, 5);
    assert_int_equal(hol_report_close(r, NULL, NULL, 0, &err), HOL_OK);
    assert_int_equal(hol_report_open("d.html", m, &o, &r, &err), HOL_OK);
    assert_int_equal(hol_report_close(r, NULL, NULL, 1, &err), HOL_ERR_FILE);
    assert_int_equal(access("d.html", F_OK), -1);
    assert_int_equal(system("ls | grep -q part-"), 256);
    assert_int_equal(hol_report_close(NULL, NULL, NULL, 1, &err), HOL_OK);
    hol_model_destroy(m);
}

// a missing allocation anywhere is an error, not a crash
static void test_out_of_memory(void **state) {
    (void)state;
    HolSimOptions o;
    HolModel *m = model(pendulum, &o);
    int failed = 0;
    for (long k = 0; k < 6; k++) {
        HolReport *r;
        hol_arena_fail_after(k);
        HolStatus status = hol_report_open("e.html", m, &o, &r, NULL);
        hol_arena_fail_after(-1);
        failed += status == HOL_ERR_MEMORY;
        assert_true(status == HOL_OK || (status == HOL_ERR_MEMORY && !r));
        hol_report_close(r, NULL, NULL, 0, NULL);
    }
    assert_true(failed > 0);
    hol_model_destroy(m);
}

static void test_mesh(void **state) {
    (void)state;
    FILE *f = fopen("text.stl", "w");
    fputs("solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1.5 0\n"
          "endloop\nendfacet\nendsolid x\n",
          f);
    fclose(f);
    float corners[12] = {0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 2.5f};
    unsigned char file[84 + 50] = {[80] = 1};
    memcpy(file + 84, corners, sizeof corners);
    f = fopen("binary.stl", "wb");
    fwrite(file, 1, sizeof file, f);
    fclose(f);
    f = fopen("broken.stl", "w");
    fputs("solid x\nvertex 0 0 zero\n", f);
    fclose(f);

    HolArena arena = {0};
    const float *xyz;
    long count;
    HolError err;
    assert_int_equal(hol_report_mesh(&arena, "text.stl", &xyz, &count, &err), HOL_OK);
    assert_int_equal(count, 9);
    assert_close(xyz[7], 1.5, 0);
    assert_int_equal(hol_report_mesh(&arena, "binary.stl", &xyz, &count, &err), HOL_OK);
    assert_int_equal(count, 9);
    assert_close(xyz[8], 2.5, 0);
    assert_int_equal(hol_report_mesh(&arena, "broken.stl", &xyz, &count, &err), HOL_ERR_FILE);
    assert_int_equal(hol_report_mesh(&arena, "none.stl", &xyz, &count, &err), HOL_ERR_FILE);
    assert_non_null(strstr(err.text, "none.stl"));
    hol_arena_free(&arena);
}

// without the page every call says what is missing
static void test_without_page(void **state) {
    (void)state;
    HolSimOptions o;
    HolModel *m = model(pendulum, &o);
    HolReport *r;
    HolError err;
    assert_int_equal(hol_report_open("f.html", m, &o, &r, &err), HOL_ERR_UNSUPPORTED);
    assert_null(r);
    assert_non_null(strstr(err.text, "node"));
    hol_model_destroy(m);
}

static int enter(void **state) {
    (void)state;
    return !mkdtemp(place) || chdir(place);
}

static int leave(void **state) {
    (void)state;
    char command[96];
    snprintf(command, sizeof command, "rm -rf %s", place);
    return chdir("/") || system(command);
}

int main(void) {
    const struct CMUnitTest always[] = {cmocka_unit_test(test_sha256), cmocka_unit_test(test_mesh)};
    const struct CMUnitTest with_page[] = {
        cmocka_unit_test(test_numbers_come_back),   cmocka_unit_test(test_texts_stay_inside),
        cmocka_unit_test(test_long_run_is_thinned), cmocka_unit_test(test_failures_leave_nothing),
        cmocka_unit_test(test_out_of_memory),
    };
    const struct CMUnitTest without[] = {cmocka_unit_test(test_without_page)};
    if (enter(NULL))
        return 1;
    int failed = cmocka_run_group_tests(always, NULL, NULL);
    failed += hol_report_template_size ? cmocka_run_group_tests(with_page, NULL, NULL)
                                       : cmocka_run_group_tests(without, NULL, NULL);
    return leave(NULL) || failed;
}
