// SPDX-License-Identifier: Apache-2.0
// A study against its model: keys that are varied, options, names and expressions of records. What
// the model's reader says of them is said with the place in the study.
#include "base/sha256.h"
#include "tools/sweep/study.h"

#include <stdio.h>
#include <string.h>

// the first sentence of a message without its place
static const char *check_plain(const char *text) {
    const char *at = strstr(text, "error: ");
    at = at ? at + strlen("error: ") : text;
    const char *set = strncmp(at, "--set ", 6) == 0 ? strstr(at, ": ") : NULL;
    return set ? set + 2 : at;
}

// the model of the study with other settings and outputs
static HolStatus check_model(const HolStudy *s, const HolSetting *settings, int n_settings,
                             const HolVary *vary, int n_vary, const char *const *names, int n_names,
                             HolError *err) {
    HolStudy part = *s;
    HolModel *model = NULL;
    HolSimOptions options;
    part.settings = (HolSetting *)settings;
    part.n_settings = n_settings;
    part.vary = (HolVary *)vary;
    part.n_vary = n_vary;
    part.names = (const char **)names;
    part.n_names = n_names;
    const HolStatus status = hol_study_model(&part, 0, &model, &options, err);
    hol_model_destroy(model);
    return status;
}

// is the model all right by itself?
static HolStatus check_alone(const HolStudy *s, HolError *err) {
    return check_model(s, NULL, 0, NULL, 0, NULL, 0, err);
}

static HolStatus check_vary_keys(const HolStudy *s, HolError *err) {
    HolStatus status = HOL_OK;
    for (int k = 0; k < s->n_vary; k++) {
        HolError one = {0};
        HolVary v = s->vary[k];
        double value = hol_study_value(s, 0, k);
        v.kind = HOL_VARY_LIST;
        v.values = &value;
        v.n = 1;
        const HolStatus checked = check_model(s, NULL, 0, &v, 1, NULL, 0, &one);
        if (checked == HOL_ERR_MEMORY) // (no mistake of the study)
            return hol_error_set(err, checked, "out of memory");
        if (checked)
            status = hol_study_wrong(s, v.line, v.column, err, "%s", check_plain(one.text));
    }
    return status;
}

static HolStatus check_names(const HolStudy *s, HolError *err) {
    HolStatus status = HOL_OK;
    for (int i = 0; i < s->n_records; i++) {
        const HolRecordDef *d = &s->records[i];
        for (int k = 0; k < d->text.n; k++)
            for (int at = d->text.parts[k].at, n;
                 (n = hol_record_next_name(d->expression, &at)) > 0 &&
                 at < d->text.parts[k].at + d->text.parts[k].length;
                 at += n) {
                HolError one = {0};
                char name[200];
                const char *list[] = {name};
                snprintf(name, sizeof name, "%.*s", n, d->expression + at);
                const HolStatus checked = check_model(s, NULL, 0, NULL, 0, list, 1, &one);
                if (checked == HOL_ERR_MEMORY)
                    return hol_error_set(err, checked, "out of memory");
                if (checked)
                    status = hol_study_wrong(s, d->line, d->column + at, err, "%s: %s", d->name,
                                             check_plain(one.text));
            }
    }
    return status;
}

// all that a row depends on; not the names of files
static int check_identity(HolStudy *s, const HolModel *m) {
    HolArena scratch = {0};
    const size_t files = (size_t)m->n_files * 64;
    char *text = hol_arena_alloc(&scratch, s->length + s->model_length + files + 512);
    if (text) {
        const int head = snprintf(text, 512, "%s\n%zu\n", hol_version(), s->length);
        memcpy(text + head, s->text, s->length);
        memcpy(text + head + s->length, s->model_text, s->model_length);
        const size_t length = (size_t)head + s->length + s->model_length;
        for (int i = 0; i < m->n_files; i++) // (tables)
            memcpy(text + length + 64 * (size_t)i, m->files[i].sha256, 64);
        hol_sha256_text(text, length + files, s->identity);
    }
    hol_arena_free(&scratch);
    return text != NULL;
}

static HolStatus check_expressions(HolStudy *s, HolError *err) {
    HolArena arena = {0};
    HolModel *model = NULL;
    HolSimOptions options;
    HolExprError wrong;
    int which = 0;
    HolError one = {0};
    HolStatus status = hol_study_model(s, 0, &model, &options, &one);
    if (status == HOL_ERR_MEMORY) {
        hol_error_set(err, status, "out of memory");
    } else if (status) { // keys and names are right one by one: the options
        hol_study_wrong(s, 1, 1, err, "%s", check_plain(one.text));
    } else if (!hol_recorder_create(&arena, model, s->texts, s->n_records, &wrong, &which)) {
        if (arena.failed) {
            hol_model_destroy(model);
            hol_arena_free(&arena);
            return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
        }
        const HolRecordDef *d = &s->records[which];
        const char *hint = strstr(wrong.text, "unknown name") && !strstr(wrong.text, "did you mean")
                               ? "; outside of functionals stand parameters only"
                               : "";
        status = hol_study_wrong(s, d->line, d->column + wrong.column, err, "%s: %s%s", d->name,
                                 wrong.text, hint);
    } else if (!check_identity(s, model)) {
        status = hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    }
    hol_arena_free(&arena);
    hol_model_destroy(model);
    return status;
}

HolStatus hol_study_check(HolStudy *s, HolError *err) {
    HolStatus status = check_alone(s, err);
    if (status)
        return status;
    status = check_vary_keys(s, err);
    if (status == HOL_ERR_MEMORY)
        return status;
    HolStatus names = check_names(s, err);
    if (!status && !names)
        status = check_expressions(s, err);
    return status ? status : names;
}
