// SPDX-License-Identifier: Apache-2.0
// What the studio tells its page, as JSON: the gallery, problems of a model, the state of runs.
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

// ---- gallery ----

static int studio_reply_ends_with(const char *text, const char *ending) {
    size_t n = strlen(text), k = strlen(ending);
    return n > k && strcmp(text + n - k, ending) == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

// models of a folder and of its folders, one level deep
static void put_models(FILE *f, const char *folder, const char *prefix, int depth, int *n) {
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
                fputs((*n)++ ? "," : "", f);
                hol_json_text(f, label);
            } else if (pass == 1 && S_ISDIR(info.st_mode) && depth > 0) {
                strncat(label, "/", sizeof label - strlen(label) - 1);
                put_models(f, path, label, depth - 1, n);
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
static void studio_reply_put_file(FILE *f, const HolStudio *s) {
    HolArena arena = {0};
    char version[65] = "";
    size_t length = 0;
    const char *text = hol_studio_file(s, &arena, &length, version);
    fputs(",\"model\":", f);
    hol_json_text(f, text ? text : s->model_text);
    fputs(",\"version\":", f);
    hol_json_text(f, text ? version : "");
    hol_arena_free(&arena);
}

char *hol_studio_file_text(const HolStudio *s, size_t *length) {
    char *text = NULL;
    FILE *f = open_memstream(&text, length);
    if (!f)
        return NULL;
    fputs("{\"name\":", f);
    hol_json_text(f, s->model_name);
    studio_reply_put_file(f, s);
    fputc('}', f);
    if (fclose(f) == 0)
        return text;
    free(text);
    return NULL;
}

char *hol_studio_message_text(const char *message, size_t *length) {
    char *text = NULL;
    FILE *f = open_memstream(&text, length);
    if (!f)
        return NULL;
    fputs("{\"message\":", f);
    hol_json_text(f, message);
    fputc('}', f);
    if (fclose(f) == 0)
        return text;
    free(text);
    return NULL;
}

char *hol_studio_start_text(const HolStudio *s, size_t *length) {
    char *text = NULL;
    FILE *f = open_memstream(&text, length);
    if (!f)
        return NULL;
    int n = 0;
    fputs("{\"program\":", f);
    hol_json_text(f, hol_version());
    fputs(",\"name\":", f);
    hol_json_text(f, s->model_name);
    studio_reply_put_file(f, s);
    fprintf(f, ",\"seconds\":%g,\"largest\":%d,\"methods\":[", s->seconds, HOL_STUDIO_TEXT);
    for (int i = 0; hol_steppers[i]; i++) {
        fputs(i ? "," : "", f);
        hol_json_text(f, hol_steppers[i]->name);
    }
    fputs("],\"models\":[", f);
    if (s->models)
        put_models(f, s->models, "", 1, &n);
    fputs("]}", f);
    if (fclose(f) == 0)
        return text;
    free(text);
    return NULL;
}

// ---- problems of a model ----

// "model.yaml:3:5: error: text" as an object
static void put_problem(FILE *f, const char *line, size_t length, const char *file) {
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
    fprintf(f, "{\"line\":%d,\"column\":%d,\"text\":", row, column);
    hol_json_text(f, rest);
    fputc('}', f);
}

static void put_problems(FILE *f, const HolError *err, const char *file) {
    const char *line = err->text;
    fputs("\"problems\":[", f);
    for (int n = 0; *line; n++) {
        size_t length = strcspn(line, "\n");
        fputs(n ? "," : "", f);
        put_problem(f, line, length, file);
        line += length + (line[length] == '\n');
    }
    fputc(']', f);
}

static void put_model(FILE *f, const HolModel *m, const HolSimOptions *o) {
    char label[192];
    fputs(",\"name\":", f);
    hol_json_text(f, m->name);
    fprintf(f, ",\"bodies\":%d,\"joints\":%d,\"method\":", m->def.n_bodies - 1, m->def.n_joints);
    hol_json_text(f, o->method.name);
    fputs(",\"end\":", f);
    hol_json_number(f, o->end);
    hol_options_label(o, label, sizeof label);
    fputs(",\"label\":", f);
    hol_json_text(f, label);
    fputs(",\"parameters\":[", f);
    for (int i = 0; i < m->def.n_parameters; i++) {
        fputs(i ? ",{\"name\":" : "{\"name\":", f);
        hol_json_text(f, m->def.parameters[i].name);
        fputs(",\"value\":", f);
        hol_json_number(f, m->def.parameters[i].value);
        fputc('}', f);
    }
    fputc(']', f);
}

char *hol_studio_check_text(const HolStudio *s, const char *from, const char *model, size_t n,
                            size_t *length) {
    static const char file[] = "model.yaml";
    HolError err = {0};
    HolModel *m = NULL;
    HolSimOptions o;
    HolStatus status = hol_model_parse(model, n, file, NULL, 0, &m, &o, &err);
    if (!status)
        status = hol_studio_check_files(s, from, m, model, file, &err);
    char *text = NULL;
    FILE *f = open_memstream(&text, length);
    if (f) {
        fprintf(f, "{\"ok\":%s,", status ? "false" : "true");
        if (!status)
            err.text[0] = 0;
        put_problems(f, &err, file);
        if (!status)
            put_model(f, m, &o);
        fputc('}', f);
    }
    hol_model_destroy(m);
    if (f && fclose(f) == 0)
        return text;
    free(text);
    return NULL;
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
static void put_summary(FILE *f, const HolStudio *s, const HolStudioRun *run) {
    char path[256];
    size_t length = 0;
    HolArena arena = {0};
    hol_studio_path(s, run, "out.json", path, sizeof path);
    char *text = hol_read_whole(&arena, path, &length);
    fputs(",\"summary\":", f);
    fputs(text && text[0] == '{' && !run->comparison && run->code >= 0 ? text : "null", f);
    hol_arena_free(&arena);
}

static void studio_reply_put_run(FILE *f, const HolStudio *s, const HolStudioRun *run, int whole) {
    char message[4096];
    double progress[3];
    int running = run->state == HOL_RUN_RUNNING;
    read_messages(s, run, message, sizeof message, progress);
    const int done = run->code == 0 || run->code == 5; // 5: its accuracy is less than asked for
    const char *state = running          ? "running"
                        : run->late      ? "late"
                        : done           ? "done"
                        : run->code < 0  ? "stopped"
                        : run->code == 3 ? "failed"
                                         : "invalid";
    fprintf(f, "{\"id\":%d,\"comparison\":%s,\"state\":\"%s\",\"seconds\":%.3f,\"label\":", run->id,
            run->comparison ? "true" : "false", state,
            (running ? hol_studio_now() : run->ended) - run->began);
    hol_json_text(f, run->label);
    fputs(",\"time\":", f);
    hol_json_number(f, progress[0]);
    fputs(",\"end\":", f);
    hol_json_number(f, progress[1]);
    fprintf(f, ",\"report\":%s,", !running && has_file(s, run, "report.html") ? "true" : "false");
    HolError err = {0};
    if (run->late)
        snprintf(err.text, sizeof err.text, "ended after %g s, the longest time a run may take",
                 s->seconds);
    else
        snprintf(err.text, sizeof err.text, "%s", done ? "" : message);
    put_problems(f, &err, "model.yaml");
    if (whole && !running)
        put_summary(f, s, run);
    fputc('}', f);
}

char *hol_studio_run_text(HolStudio *s, const HolStudioRun *run, size_t *length) {
    char *text = NULL;
    FILE *f = open_memstream(&text, length);
    if (!f)
        return NULL;
    studio_reply_put_run(f, s, run, 1);
    if (fclose(f) == 0)
        return text;
    free(text);
    return NULL;
}

char *hol_studio_runs_text(HolStudio *s, int session, size_t *length) {
    char *text = NULL;
    FILE *f = open_memstream(&text, length);
    int n = 0;
    if (!f)
        return NULL;
    fputs("{\"runs\":[", f);
    for (int i = 0; i < HOL_STUDIO_RUNS; i++)
        if (s->runs[i].state != HOL_RUN_FREE && s->runs[i].session == session) {
            fputs(n++ ? "," : "", f);
            studio_reply_put_run(f, s, &s->runs[i], 0);
        }
    fputs("]}", f);
    if (fclose(f) == 0)
        return text;
    free(text);
    return NULL;
}
