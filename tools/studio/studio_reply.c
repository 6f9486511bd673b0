// SPDX-License-Identifier: Apache-2.0
// What the studio tells its page, as JSON: the gallery, problems of a model, the state of runs.
#include "base/text.h"
#include "holonom/json.h"
#include "io/result/manifest.h"
#include "io/result/read_result.h"
#include "model/model.h"
#include "solve/sim.h"
#include "tools/report/report.h"
#include "tools/studio/studio.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// ---- a reply while it is written ----

typedef struct Reply {
    char *text;
    FILE *file;
    HolJson json;
} Reply;

// the outermost object is begun; 0: no memory
static int reply_begin(Reply *r, size_t *length) {
    *r = (Reply){0};
    r->file = open_memstream(&r->text, length);
    r->json = (HolJson){.put = hol_put_to_file, .to = r->file, .in_page = 1};
    if (r->file)
        hol_json_begin(&r->json, NULL, '{', HOL_JSON_TIGHT);
    return r->file != NULL;
}

// the text, which the caller frees; NULL: no memory
static char *reply_end(Reply *r) {
    hol_json_end(&r->json);
    hol_memory_close(r->file, &r->text);
    return r->text;
}

// ---- gallery ----

static int studio_reply_ends_with(const char *text, const char *ending) {
    size_t n = strlen(text), k = strlen(ending);
    return n > k && strcmp(text + n - k, ending) == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

// models of a folder and of its folders, one level deep
static void put_models(HolJson *j, const char *folder, const char *prefix, int depth) {
    struct dirent **list = NULL;
    int count = scandir(folder, &list, NULL, by_name);
    for (int pass = 0; pass < 2; pass++) // files first
        for (int i = 0; i < count; i++) {
            const char *name = list[i]->d_name;
            char path[1024], label[512];
            struct stat info;
            if (name[0] == '.' ||
                snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path ||
                snprintf(label, sizeof label, "%s%s", prefix, name) >= (int)sizeof label ||
                stat(path, &info) != 0)
                continue;
            if (pass == 0 && S_ISREG(info.st_mode) && studio_reply_ends_with(name, ".yaml")) {
                hol_json_text(j, NULL, label);
            } else if (pass == 1 && S_ISDIR(info.st_mode) && depth > 0) {
                strncat(label, "/", sizeof label - strlen(label) - 1);
                put_models(j, path, label, depth - 1);
            }
        }
    for (int i = 0; i < count; i++)
        free(list[i]);
    free(list);
}

int hol_studio_model_path(const HolStudio *s, const char *name, char out[PATH_MAX]) {
    struct stat info;
    // only names below the folder
    return s->models && name[0] != '/' && name[0] != '.' && !strstr(name, "/.") &&
           !strstr(name, "//") && !strchr(name, '\\') && studio_reply_ends_with(name, ".yaml") &&
           hol_studio_real(s->models, name, out) && stat(out, &info) == 0 &&
           S_ISREG(info.st_mode) && info.st_size <= HOL_STUDIO_TEXT;
}

char *hol_studio_model(const HolStudio *s, HolArena *arena, const char *name, size_t *length) {
    char path[PATH_MAX];
    return hol_studio_model_path(s, name, path) ? hol_read_whole(arena, path, length) : NULL;
}

// the opened model as it is now; else the text of the start, which has no version
static void studio_reply_put_file(HolJson *j, const HolStudio *s) {
    HolArena arena = {0};
    char version[65] = "";
    size_t length = 0;
    const char *text = hol_studio_file(s, &arena, &length, version);
    hol_json_text(j, "name", s->model_name);
    hol_json_text(j, "model", text ? text : s->model_text);
    hol_json_text(j, "version", text ? version : "");
    hol_arena_free(&arena);
}

char *hol_studio_file_text(const HolStudio *s, size_t *length) {
    Reply r;
    if (!reply_begin(&r, length))
        return NULL;
    studio_reply_put_file(&r.json, s);
    return reply_end(&r);
}

char *hol_studio_message_text(const char *message, size_t *length) {
    Reply r;
    if (!reply_begin(&r, length))
        return NULL;
    hol_json_text(&r.json, "message", message ? message : "");
    return reply_end(&r);
}

char *hol_studio_start_text(const HolStudio *s, size_t *length) {
    Reply r;
    if (!reply_begin(&r, length))
        return NULL;
    hol_json_text(&r.json, "program", hol_version());
    studio_reply_put_file(&r.json, s);
    hol_json_number(&r.json, "seconds", s->seconds);
    hol_json_integer(&r.json, "largest", HOL_STUDIO_TEXT);
    hol_json_begin(&r.json, "methods", '[', HOL_JSON_TIGHT);
    for (int i = 0; hol_steppers[i]; i++)
        hol_json_text(&r.json, NULL, hol_steppers[i]->name);
    hol_json_end(&r.json);
    hol_json_begin(&r.json, "models", '[', HOL_JSON_TIGHT);
    if (s->models)
        put_models(&r.json, s->models, "", 1);
    hol_json_end(&r.json);
    return reply_end(&r);
}

// ---- problems of a model ----

// "model.yaml:3:5: error: text" as an object
static void put_problem(HolJson *j, const char *line, size_t length, const char *file) {
    char text[2048];
    int row = 0, column = 0, used = 0;
    snprintf(text, sizeof text, "%.*s", (int)(length < 2000 ? length : 2000), line);
    const char *rest = text;
    size_t prefix = strlen(file);
    if (strncmp(text, file, prefix) == 0) {
        rest = text + prefix;
        if (sscanf(rest, ":%d:%d:%n", &row, &column, &used) == 2)
            rest += used;
        rest += strspn(rest, ": ");
    }
    if (strncmp(rest, "error: ", 7) == 0)
        rest += 7;
    hol_json_begin(j, NULL, '{', HOL_JSON_TIGHT);
    hol_json_integer(j, "line", row);
    hol_json_integer(j, "column", column);
    hol_json_text(j, "text", rest);
    hol_json_end(j);
}

static void put_problems(HolJson *j, const HolError *err, const char *file) {
    hol_json_begin(j, "problems", '[', HOL_JSON_TIGHT);
    for (const char *line = err->text; *line;) {
        size_t length = strcspn(line, "\n");
        put_problem(j, line, length, file);
        line += length + (line[length] == '\n');
    }
    hol_json_end(j);
}

static void put_model(HolJson *j, const HolModel *m, const HolSimOptions *o) {
    char label[192];
    hol_json_text(j, "name", m->name ? m->name : "");
    hol_json_integer(j, "bodies", hol_model_body_count(m));
    hol_json_integer(j, "joints", m->def.n_joints);
    hol_json_text(j, "method", o->method.name);
    hol_json_number(j, "end", o->end);
    hol_options_label(o, label, sizeof label);
    hol_json_text(j, "label", label);
    hol_json_begin(j, "parameters", '[', HOL_JSON_TIGHT);
    for (int i = 0; i < m->def.n_parameters; i++) {
        hol_json_begin(j, NULL, '{', HOL_JSON_TIGHT);
        hol_json_text(j, "name", m->def.parameters[i].name);
        hol_json_number(j, "value", m->def.parameters[i].value);
        hol_json_end(j);
    }
    hol_json_end(j);
}

char *hol_studio_check_text(const HolStudio *s, const char *from, const char *model, size_t n,
                            size_t *length) {
    // what the text names stands beside the model that it came from
    const char *file = "model.yaml";
    HolError err = {0};
    HolModel *m = NULL;
    HolSimOptions o;
    Reply r;
    char *text = NULL;
    int refused;
    HolStatus status = hol_studio_check_files(s, from, model, n, NULL, 0, file, &err);
    if (!status)
        status = hol_studio_parse(s, from, model, n, &m, &o, &refused, &err);
    if (reply_begin(&r, length)) {
        hol_json_bool(&r.json, "ok", !status);
        if (!status)
            err.text[0] = 0;
        put_problems(&r.json, &err, file);
        if (!status)
            put_model(&r.json, m, &o);
        text = reply_end(&r);
    }
    hol_model_destroy(m);
    return text;
}

// ---- runs ----

// the last progress line of a run's messages: "progress TIME END STEP"; the rest is its message
static void read_messages(const HolStudio *s, const HolStudioRun *run, char *message, size_t size,
                          double progress[3]) {
    char path[256], line[1024];
    hol_studio_path(s, run, "err.txt", path, sizeof path);
    FILE *f = fopen(path, "rb");
    message[0] = 0;
    progress[0] = progress[1] = progress[2] = 0;
    while (f && fgets(line, sizeof line, f)) {
        double p[3];
        size_t used = strlen(message);
        if (sscanf(line, "progress %lf %lf %lf", &p[0], &p[1], &p[2]) == 3)
            memcpy(progress, p, sizeof p);
        else if (used + strlen(line) < size)
            strcat(message, line);
    }
    if (f)
        fclose(f);
}

static int has_file(const HolStudio *s, const HolStudioRun *run, const char *name) {
    char path[256];
    struct stat info;
    hol_studio_path(s, run, name, path, sizeof path);
    return stat(path, &info) == 0;
}

// the object that `run --json` printed
static void put_summary(HolJson *j, const HolStudio *s, const HolStudioRun *run) {
    char path[256];
    size_t length = 0;
    HolArena arena = {0};
    hol_studio_path(s, run, "out.json", path, sizeof path);
    const char *text = hol_read_whole(&arena, path, &length);
    int given = text && text[0] == '{' && !run->comparison && run->code >= 0;
    hol_json_raw(j, "summary", given ? text : "null");
    hol_arena_free(&arena);
}

static const char *state_word(const HolStudioRun *run, int done) {
    return run->state == HOL_RUN_RUNNING ? "running"
           : run->late                   ? "late"
           : done                        ? "done"
           : run->code < 0               ? "stopped"
           : run->code == 3              ? "failed"
                                         : "invalid";
}

// the members of a run
static void studio_reply_put_run(HolJson *j, const HolStudio *s, const HolStudioRun *run,
                                 int whole) {
    char message[4096], seconds[32];
    double progress[3];
    int running = run->state == HOL_RUN_RUNNING;
    read_messages(s, run, message, sizeof message, progress);
    const int done = run->code == 0 || run->code == 5; // 5: its accuracy is less than asked for
    hol_json_integer(j, "id", run->id);
    hol_json_bool(j, "comparison", run->comparison);
    hol_json_text(j, "state", state_word(run, done));
    snprintf(seconds, sizeof seconds, "%.3f",
             (running ? hol_studio_now() : run->ended) - run->began);
    hol_json_raw(j, "seconds", seconds);
    hol_json_text(j, "label", run->label);
    hol_json_number(j, "time", progress[0]);
    hol_json_number(j, "end", progress[1]);
    hol_json_bool(j, "report", !running && has_file(s, run, "report.html"));
    HolError err = {0};
    if (run->late)
        snprintf(err.text, sizeof err.text, "ended after %g s, the longest time a run may take",
                 s->seconds);
    else
        snprintf(err.text, sizeof err.text, "%s", done ? "" : message);
    put_problems(j, &err, "model.yaml");
    if (whole && !running)
        put_summary(j, s, run);
}

char *hol_studio_run_text(HolStudio *s, const HolStudioRun *run, size_t *length) {
    Reply r;
    if (!reply_begin(&r, length))
        return NULL;
    studio_reply_put_run(&r.json, s, run, 1);
    return reply_end(&r);
}

char *hol_studio_runs_text(HolStudio *s, int session, size_t *length) {
    Reply r;
    if (!reply_begin(&r, length))
        return NULL;
    hol_json_begin(&r.json, "runs", '[', HOL_JSON_TIGHT);
    for (int i = 0; i < HOL_STUDIO_RUNS; i++)
        if (s->runs[i].state != HOL_RUN_FREE && s->runs[i].session == session) {
            hol_json_begin(&r.json, NULL, '{', HOL_JSON_TIGHT);
            studio_reply_put_run(&r.json, s, &s->runs[i], 0);
            hol_json_end(&r.json);
        }
    hol_json_end(&r.json);
    return reply_end(&r);
}
