// SPDX-License-Identifier: Apache-2.0
// Pages from stored results: what goes wrong on the way is never a success, and leaves no page.
#include "cli_run.h"

#include "base/arena.h"
#include "tools/report/report.h"

#include <math.h>

static char remarks[2048];

static HolStatus view(const char *a, const char *b, const char *page, HolError *err) {
    const char *const results[] = {a, b};
    return hol_view_write(results, b ? 2 : a != NULL, page, remarks, sizeof remarks, err);
}

static void refused(const char *result, const char *page, HolStatus status, const char *text) {
    HolError err = {0};
    unlink("page.html");
    assert_int_equal(view(result, NULL, page, &err), status);
    assert_int_equal(err.status, status);
    if (!strstr(err.text, text))
        fail_msg("'%s' without '%s'", err.text, text);
    assert_false(exists("page.html"));
    assert_int_equal(count_files("part-"), 0);
}

// full.csv holds the positions, part.csv leaves them out and more.csv goes on after its end
static int make_results(void **state) {
    if (enter_place(state) != 0)
        return -1;
    write_text(
        "part.yaml",
        "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
        "bodies:\n"
        "  - {name: rod, mass: 1, inertia: 1/12, position: [0.5, 0], points: {A: [-0.5, 0]}}\n"
        "joints: [{name: O, type: revolute, between: [ground, rod.A]}]\n"
        "outputs: [\"2*rod.y\", rod.vx]\n"
        "simulation: {end: 0.2, method: tangent, step: 2e-4}\n");
    ran_free(expect(0, "run -q pendulum.yaml -o full.csv"));
    ran_free(expect(0, "run -q pendulum.yaml -o same.csv"));
    ran_free(expect(0, "run -q part.yaml -o part.csv"));
    assert_int_equal(system("cp part.csv more.csv && cp part.csv.json more.csv.json && "
                            "echo 0.3,0,0 >>more.csv && cp full.csv alone.csv"),
                     0);
    return 0;
}

static void test_pages(void **state) {
    (void)state;
    HolError err = {0};
    strcpy(remarks, "old");
    assert_int_equal(view("full.csv", NULL, "page.html", &err), HOL_OK);
    assert_true(exists("page.html"));
    assert_string_equal(remarks, "");
    unlink("page.html");
    // without positions the run is repeated, to the same numbers
    assert_int_equal(view("part.csv", NULL, "page.html", &err), HOL_OK);
    assert_true(exists("page.html"));
    const char *agree = strstr(remarks, "agree within ");
    assert_non_null(agree);
    assert_ptr_equal(strstr(remarks, "part.csv leaves out positions"), remarks);
    assert_in_range(strtod(agree + strlen("agree within "), NULL) * 1e15, 0, 1000);
    assert_int_equal(remarks[strlen(remarks) - 1], '\n');
    // of two results with equal labels one is told by its file
    assert_int_equal(view("full.csv", "same.csv", "page.html", &err), HOL_OK);
    char *page = read_text("page.html");
    assert_non_null(strstr(page, "(full.csv)"));
    free(page);
    unlink("page.html");
    // remarks that do not fit are left out
    const char *const results[] = {"part.csv"};
    char little[8] = "1234567";
    assert_int_equal(hol_view_write(results, 1, "page.html", little, 5, &err), HOL_OK);
    assert_memory_equal(little,
                        "\0"
                        "234567",
                        8);
    assert_int_equal(hol_view_write(results, 1, "page.html", NULL, 0, NULL), HOL_OK);
    unlink("page.html");
}

// a stored column that another run gave: the remark tells how far off it is
static void test_difference(void **state) {
    (void)state;
    HolError err = {0};
    assert_int_equal(system("awk -F, -v OFS=, 'NR == 8 { $2 += 0.25 } { print }' part.csv >off.csv "
                            "&& cp part.csv.json off.csv.json"),
                     0);
    assert_int_equal(view("off.csv", NULL, "page.html", &err), HOL_OK);
    const char *agree = strstr(remarks, "agree within ");
    assert_non_null(agree);
    const double part = strtod(agree + strlen("agree within "), NULL);
    assert_true(part > 0.05 && part < 10);
    unlink("page.html");
}

static void test_refusals(void **state) {
    (void)state;
    refused(NULL, "page.html", HOL_ERR_INPUT, "no result to view");
    refused("none.csv", "page.html", HOL_ERR_FILE, "none.csv");
    refused("alone.csv", "page.html", HOL_ERR_FILE, "alone.csv tells no model");
    refused("full.csv", "no/such/page.html", HOL_ERR_FILE, "no/such/page.html");
    refused("part.csv", "no/such/page.html", HOL_ERR_FILE, "no/such/page.html");
    refused("more.csv", "page.html", HOL_ERR_FILE, "it goes on after the end of its run");
    // the page would replace its own result
    HolError err = {0};
    assert_int_not_equal(view("full.csv", NULL, "full.csv", &err), HOL_OK);
    assert_int_not_equal(view("part.csv", NULL, "part.yaml", &err), HOL_OK);
    // a second result that fails spoils the page too
    assert_int_equal(view("full.csv", "none.csv", "page.html", &err), HOL_ERR_FILE);
    assert_false(exists("page.html"));
}

// a missing allocation anywhere is an error, and the page is not written
static void check_memory(const char *result) {
    HolError err = {0};
    const long before = hol_arena_count();
    assert_int_equal(view(result, NULL, "page.html", &err), HOL_OK);
    const long used = hol_arena_count() - before;
    assert_true(used > 4);
    char *page = read_text("page.html");
    int failed = 0;
    for (long n = 0; n <= used; n++) {
        unlink("page.html");
        hol_arena_fail_after(n);
        const HolStatus status = view(result, NULL, "page.html", &err);
        hol_arena_fail_after(-1);
        assert_int_equal(err.status, status);
        assert_int_equal(exists("page.html"), status == HOL_OK);
        if (status == HOL_OK) { // memory that it can do without
            char *again = read_text("page.html");
            // (the date is in it)
            assert_in_range(strlen(again), strlen(page) - 30, strlen(page) + 30);
            free(again);
        } else {
            // (a file that does not fit into memory cannot be read)
            assert_true(status == HOL_ERR_MEMORY || status == HOL_ERR_FILE);
            failed++;
        }
    }
    assert_true(failed > used / 2);
    free(page);
    unlink("page.html");
}

static void test_memory(void **state) {
    (void)state;
    check_memory("full.csv");
    check_memory("part.csv");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pages),
        cmocka_unit_test(test_difference),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_memory),
    };
    if (!hol_report_template_size) // (a build without the page: test_report)
        return 0;
    return cmocka_run_group_tests(tests, make_results, leave_place);
}
