// SPDX-License-Identifier: Apache-2.0
// The model and the options of a stored result, from its manifest: all that its run depended on.
#include "base/sha256.h"
#include "io/model/parse_text.h"
#include "io/result/read_result.h"

#include <string.h>
#include <unistd.h>

// where the model was read, or, when it is not found there, beside the result: its meshes are found
// by that
static const char *result_model_file(const char *told, const char *result, char *beside,
                                     size_t size) {
    if (!told[0])
        return result;
    const char *slash = strrchr(result, '/'), *name = strrchr(told, '/');
    if (access(told, F_OK) == 0 || !slash)
        return told;
    snprintf(beside, size, "%.*s/%s", (int)(slash - result), result, name ? name + 1 : told);
    return access(beside, F_OK) == 0 ? beside : told;
}

// files whose text was too long to keep are read again: they must be those of the run
static HolStatus result_model_files(const HolModel *m, const HolManifest *manifest, HolError *err) {
    for (int i = 0; i < manifest->n_files; i++)
        for (int k = 0; k < m->n_files; k++)
            if (strcmp(manifest->files[i].path, m->files[k].path) == 0 &&
                strcmp(manifest->files[i].sha256, m->files[k].sha256) != 0)
                return hol_error_set(err, HOL_ERR_FILE,
                                     "'%s' is not the file that the run has read: its SHA-256 is "
                                     "another one",
                                     m->files[k].path);
    return HOL_OK;
}

int hol_result_model_changed(const HolResult *r) {
    const HolManifest *m = &r->manifest;
    char sha256[65];
    if (!m->text || !m->sha256 || !m->sha256[0])
        return 0;
    hol_sha256_text(m->text, strlen(m->text), sha256);
    return strcmp(sha256, m->sha256) != 0;
}

HolStatus hol_result_model(const HolResult *r, HolModel **model, HolSimOptions *options,
                           HolError *err) {
    const HolManifest *m = &r->manifest;
    char beside[1024];
    *model = NULL;
    if (!m->text || !m->text[0])
        return hol_error_set(err, HOL_ERR_FILE,
                             "%s tells no model: 'holonom run -o %s' writes what belongs to it "
                             "into %s.json, which is missing or belongs to other results",
                             r->path, r->path, r->path);
    const HolModelText from = {.text = m->text,
                               .length = strlen(m->text),
                               .file = result_model_file(m->file, r->path, beside, sizeof beside),
                               .settings = m->settings,
                               .n_settings = m->n_settings,
                               .files = m->files,
                               .n_files = m->n_files};
    HolStatus status = hol_model_parse_text(&from, model, options, sizeof *options, err);
    if (!status)
        status = result_model_files(*model, m, err);
    if (!status && m->has_options) {
        HolSimOptions stored = m->options; // without stop times
        stored.stop_times = options->stop_times;
        stored.n_stop_times = options->n_stop_times;
        *options = stored;
    }
    if (status) {
        hol_model_destroy(*model);
        *model = NULL;
    }
    return status;
}
