// SPDX-License-Identifier: Apache-2.0
// Every file of models/: it loads, explains itself in a comment, is consistent as written, runs ten
// steps with finite results and small residuals; reading it twice, from the file and from memory,
// gives the same numbers to the last bit.
#include "ref_compare.h"

#include <dirent.h>

enum { MAX_MODELS = 200, STEPS = 10 };

static char files[MAX_MODELS][256]; // names below models/
static int n_files;

static int by_name(const void *a, const void *b) {
    return strcmp(a, b);
}

// collect *.yaml below models/`folder`, one level deep; parts are tested in what uses them
static void collect(const char *folder, int deeper) {
    char name[300], path[1024];
    snprintf(name, sizeof name, "models/%s", folder);
    ref_path(name, path, sizeof path);
    DIR *d = opendir(path);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        size_t length = strlen(e->d_name);
        if (e->d_name[0] == '.' || length > 100)
            continue;
        if (length > 5 && strcmp(e->d_name + length - 5, ".yaml") == 0) {
            assert_true(n_files < MAX_MODELS);
            snprintf(files[n_files++], sizeof files[0], "%s%s%.100s", folder, folder[0] ? "/" : "",
                     e->d_name);
        } else if (deeper && !strchr(e->d_name, '.') && strcmp(e->d_name, "parts") != 0) {
            collect(e->d_name, 0);
        }
    }
    closedir(d);
}

// text of a model file, to be freed
static char *read_text(const char *file, size_t *length) {
    char name[300], path[1024];
    snprintf(name, sizeof name, "models/%s", file);
    ref_path(name, path, sizeof path);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    rewind(f);
    char *text = calloc((size_t)size + 1, 1);
    assert_non_null(text);
    *length = fread(text, 1, (size_t)size, f);
    assert_int_equal(*length, size);
    fclose(f);
    return text;
}

// all results of the start and of ten steps, one row after the other; to be freed
static double *run_ten_steps(RefRun *r, int *count) {
    int n = hol_model_column_count(r->model);
    double *rows = calloc((size_t)((STEPS + 1) * n), sizeof(double));
    assert_non_null(rows);
    HolError err = {0};
    for (int i = 0; i <= STEPS; i++) {
        HolStatus status =
            i ? hol_sim_step(r->sim, r->options.end, &err) : hol_sim_assemble(r->sim, &err);
        if (status != HOL_OK)
            fail_msg("%s, step %d: %s", hol_model_name(r->model), i, err.text);
        if (hol_sim_row(r->sim, hol_sim_view(r->sim).t, rows + i * n, &err) != HOL_OK)
            fail_msg("%s, row %d: %s", hol_model_name(r->model), i, err.text);
    }
    *count = (STEPS + 1) * n;
    return rows;
}

// columns have distinct names, the first is time
static void check_columns(const HolModel *m) {
    int n = hol_model_column_count(m);
    assert_true(n > 1);
    assert_string_equal(hol_model_column(m, 0).name, "time");
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (strcmp(hol_model_column(m, i).name, hol_model_column(m, j).name) == 0)
                fail_msg("%s: two columns '%s'", hol_model_name(m), hol_model_column(m, i).name);
}

static void test_model(void **state) {
    const char *file = *state;
    size_t length;
    char *text = read_text(file, &length);
    if (text[0] != '#')
        fail_msg("%s does not begin with a comment that says what it is", file);

    RefRun r = ref_open(file, NULL);
    check_columns(r.model);
    assert_string_equal(hol_model_source(r.model), text);
    int count, again_count, parsed_count;
    double *rows = run_ten_steps(&r, &count);
    for (int i = 0; i < count; i++)
        if (!isfinite(rows[i]))
            fail_msg("%s: '%s' is not finite in row %d", file,
                     hol_model_column(r.model, i % hol_model_column_count(r.model)).name,
                     i / hol_model_column_count(r.model));
    HolStats s = hol_sim_stats(r.sim);
    assert_true(s.steps >= STEPS);
    assert_true(s.residual_position < 1e-9);
    HolCheck check;
    HolError err = {0};
    if (hol_sim_check(r.sim, &check, &err) != HOL_OK)
        fail_msg("%s: %s", file, err.text);
    assert_true(check.dof >= 0);
    // the models are written consistently: assembly only removes round-off of the written digits
    if (!(check.moved_position < 1e-8))
        fail_msg("%s: assembly moved %s by %.3e", file, check.moved_what, check.moved_position);

    RefRun again = ref_open(file, NULL);
    double *second = run_ten_steps(&again, &again_count);
    assert_int_equal(count, again_count);
    assert_memory_equal(rows, second, (size_t)count * sizeof(double));

    RefRun parsed = {0};
    char below[300], path[1024]; // what it names is found by the path
    snprintf(below, sizeof below, "models/%s", file);
    ref_path(below, path, sizeof path);
    if (hol_model_parse(text, length, path, NULL, 0, &parsed.model, &parsed.options, &err) !=
        HOL_OK)
        fail_msg("%s", err.text);
    if (hol_sim_create(parsed.model, &parsed.options, &parsed.sim, &err) != HOL_OK)
        fail_msg("%s: %s", file, err.text);
    double *third = run_ten_steps(&parsed, &parsed_count);
    assert_int_equal(count, parsed_count);
    assert_memory_equal(rows, third, (size_t)count * sizeof(double));

    free(rows);
    free(second);
    free(third);
    free(text);
    ref_close(&r);
    ref_close(&again);
    ref_close(&parsed);
}

int main(void) {
    static struct CMUnitTest tests[MAX_MODELS];
    collect("", 1);
    qsort(files, (size_t)n_files, sizeof files[0], by_name);
    for (int i = 0; i < n_files; i++)
        tests[i] = (struct CMUnitTest){files[i], test_model, NULL, NULL, files[i]};
    if (n_files < 40) {
        fprintf(stderr, "only %d models found\n", n_files);
        return 1;
    }
    return _cmocka_run_group_tests("models", tests, (size_t)n_files, NULL, NULL);
}
