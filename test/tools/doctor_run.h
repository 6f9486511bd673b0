// SPDX-License-Identifier: Apache-2.0
// For tests of the doctor: a diagnosis of a file or a text, and what was changed in the text by a cure.
#ifndef TEST_DOCTOR_RUN_H
#define TEST_DOCTOR_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <holonom/doctor.h>

#include <math.h>

typedef struct Case {
    HolModel *model;
    HolSimOptions options;
    const HolDiagnosis *d;
    HolStatus status;
    HolError err;
} Case;

static inline char *read_model_text(const char *path) {
    FILE *f = fopen(path, "rb");
    if (!f)
        fail_msg("no file %s", path);
    char *text = calloc(1, 1 << 18);
    assert_non_null(text);
    const size_t n = fread(text, 1, (1 << 18) - 1, f);
    text[n] = 0;
    fclose(f);
    return text;
}

static inline Case diagnose_file_text(const char *text, const char *file) {
    Case c = {0};
    if (hol_model_parse(text, strlen(text), file, NULL, 0, &c.model, &c.options, &c.err) != HOL_OK)
        fail_msg("%s", c.err.text);
    c.status = hol_diagnose(c.model, &c.options, &c.d, &c.err);
    assert_non_null(c.d);
    return c;
}

static inline Case diagnose_text(const char *text) {
    return diagnose_file_text(text, "m.yaml");
}

static inline Case diagnose(const char *path) {
    char *text = read_model_text(path);
    Case c = diagnose_file_text(text, path);
    free(text);
    if (c.status != HOL_OK)
        fail_msg("%s: %s", path, c.err.text);
    return c;
}

static inline void case_close(Case *c) {
    hol_diagnosis_destroy(c->d);
    hol_model_destroy(c->model);
}

static inline int count_sets(const HolDiagnosis *d) {
    int n = 0;
    for (int i = 0; i < d->n_loops; i++)
        n += d->loops[i]->n_sets;
    return n;
}

// 1: a row of the set is `row` of `joint`
static inline int set_has(const HolDoctorSet *s, const char *joint, const char *row) {
    for (int i = 0; i < s->n_rows; i++)
        if (!strcmp(s->rows[i].joint, joint) && !strcmp(s->rows[i].row, row))
            return 1;
    return 0;
}

// the warning of a kind about a name; NULL: none
static inline const HolRemark *find_warning(const HolDiagnosis *d, const char *kind,
                                            const char *name) {
    for (int i = 0; i < d->n_warnings; i++)
        if (!strcmp(d->warnings[i]->kind, kind) && !strcmp(d->warnings[i]->name, name))
            return d->warnings[i];
    return NULL;
}

// the lines of a text with a joint each, as the changes say; the file has "name: J, type: K" and the
// axis last. The caller frees it.
static inline char *cured_text(const char *text, const HolDiagnosis *d) {
    char *out = calloc(1, strlen(text) + 4096);
    assert_non_null(out);
    for (const char *line = text; *line;) {
        const size_t n = strcspn(line, "\n");
        char copy[512], mark[96];
        assert_true(n < sizeof copy);
        snprintf(copy, sizeof copy, "%.*s", (int)n, line);
        int keep = 1;
        for (int l = 0; l < d->n_loops; l++)
            for (int i = 0; i < d->loops[l]->n_changes; i++) {
                const HolDoctorChange *c = d->loops[l]->changes[i];
                snprintf(mark, sizeof mark, "name: %s, type: %s", c->joint, c->from);
                char *at = strstr(copy, mark);
                if (!at)
                    continue;
                assert_false(c->has_axis); // (none of these files needs one)
                keep &= strcmp(c->to, "none") != 0;
                char rest[512];
                snprintf(rest, sizeof rest, "%s", at + strlen(mark));
                char *axis = strstr(rest, ", axis:");
                if (axis && !strcmp(c->to, "spherical"))
                    snprintf(axis, 2, "}");
                snprintf(at, sizeof copy - (size_t)(at - copy), "name: %s, type: %s%s", c->joint,
                         c->to, rest);
            }
        if (keep)
            strcat(strcat(out, copy), "\n");
        line += n + (line[n] == '\n');
    }
    return out;
}

#endif
