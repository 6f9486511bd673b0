// SPDX-License-Identifier: Apache-2.0
// What every command that takes a model shares: options that stand for a setting, exit codes,
// printing problems.
#include "commands.h"
#include "run/run_job.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

// --step 0.01 is --set step=0.01: the reader checks all values in one place
static const struct {
    const char *option, *key;
} shorthands[] = {
    {"--method", "method"},       {"--step", "step"},         {"--end", "end"},
    {"--tolerance", "tolerance"}, {"--accuracy", "accuracy"}, {"--output-step", "output_step"},
};

static const char *shorthand_key(const char *option) {
    for (size_t i = 0; i < sizeof shorthands / sizeof *shorthands; i++)
        if (strcmp(shorthands[i].option, option) == 0)
            return shorthands[i].key;
    return NULL;
}

// --input u=FILE.csv: a setting with the file's whole path, which does not depend on that of the model;
// key and value in one piece. 0 after filling err
static int load_input(const char *text, HolSetting *setting, char **piece, HolError *err) {
    static const char prefix[] = "input_file.";
    const char *equal = strchr(text, '=');
    if (!equal || equal == text || !equal[1]) {
        err->status = HOL_ERR_INPUT;
        err->problems = 1;
        snprintf(err->text, sizeof err->text,
                 "--input wants NAME=FILE.csv, with columns 'time' and NAME; this is '%.200s'",
                 text);
        return 0;
    }
    char *path = realpath(equal + 1, NULL);
    const char *file = path ? path : equal + 1;
    const size_t name = (size_t)(equal - text), size = sizeof prefix + name + strlen(file) + 1;
    *piece = malloc(size);
    if (*piece) {
        snprintf(*piece, size, "%s%.*s", prefix, (int)name, text);
        char *value = *piece + strlen(*piece) + 1;
        memcpy(value, file, strlen(file) + 1);
        *setting = (HolSetting){*piece, value};
    }
    free(path);
    return *piece != NULL;
}

// settings in the order given; returns their number, or -1 after filling err
static int load_collect(const CliArgs *args, HolSetting *settings, char **keys, HolError *err) {
    int n = 0;
    for (int i = 0; i < args->n_given; i++) {
        const char *option = args->given[i].option->name, *value = args->given[i].value;
        const char *key = shorthand_key(option);
        if (key) {
            settings[n++] = (HolSetting){key, value};
        } else if (strcmp(option, "--input") == 0) {
            if (!load_input(value, &settings[n], &keys[n], err))
                return -1;
            n++;
        } else if (strcmp(option, "--set") == 0) {
            const char *equal = strchr(value, '=');
            if (!equal || equal == value) {
                err->status = HOL_ERR_INPUT;
                err->problems = 1;
                snprintf(err->text, sizeof err->text,
                         "--set wants key=value, such as --set L=2 or --set method.beta=0.25; "
                         "this is '%.200s'",
                         value);
                return -1;
            }
            keys[n] = strndup(value, (size_t)(equal - value));
            settings[n] = (HolSetting){keys[n], equal + 1};
            if (!keys[n++])
                return -1; // no memory
        }
    }
    return n;
}

// the last of two keys given; "" when neither is
static const char *last_of(const HolSetting *settings, int n, const char *a, const char *b) {
    const char *last = "";
    for (int i = 0; i < n; i++)
        if (strcmp(settings[i].key, a) == 0 || strcmp(settings[i].key, b) == 0)
            last = settings[i].key;
    return last;
}

// A tolerance or an accuracy given on the command line asks for error control, also where the file
// has a step; a tolerance or a step given there stands in place of the file's accuracy.
static void prefer_last(const HolSetting *settings, int n, HolSimOptions *options) {
    const char *size = last_of(settings, n, "step", "tolerance");
    const int accuracy = last_of(settings, n, "accuracy", "accuracy")[0] != 0;
    if (strcmp(size, "tolerance") == 0 ||
        (accuracy && !size[0] && hol_method_adaptive(options->method.name)))
        options->step = 0;
    if (!accuracy && size[0])
        options->accuracy = 0;
}

// ---- progress while the model is read ----

typedef struct LoadWatch {
    double began, drawn; // seconds; 0: nothing is drawn
} LoadWatch;

static void load_draw(void *user, const char *text) {
    LoadWatch *w = user;
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    const double now = (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
    w->began = w->began > 0 ? w->began : now;
    if (now - w->began < 1 || now - w->drawn < 0.2)
        return;
    fprintf(stderr, "\r  %.0f s: %s\033[K", now - w->began, text);
    fflush(stderr);
    w->drawn = now;
}

static HolStatus load_model(const CliArgs *args, const HolSetting *settings, int n,
                            HolModel **model, HolSimOptions *options, HolError *err) {
    LoadWatch watch = {0};
    HolLoadOptions how = hol_load_options();
    how.cache = cli_value(args, "--cache");
    how.within = cli_value(args, "--within");
    how.stop = run_job_stop_flag();
    how.user = &watch;
    how.progress = isatty(STDERR_FILENO) && !cli_value(args, "--quiet") ? load_draw : NULL;
    const HolStatus status =
        hol_model_load_how(args->words[0], settings, n, &how, model, options, err);
    if (watch.drawn > 0)
        fprintf(stderr, "\r\033[K");
    return status;
}

HolStatus cli_load(const CliArgs *args, HolModel **model, HolSimOptions *options, HolError *err) {
    *model = NULL;
    memset(err, 0, sizeof *err);
    size_t most = (size_t)args->n_given + 1;
    HolSetting *settings = calloc(most, sizeof *settings);
    char **keys = calloc(most, sizeof *keys);
    int n = settings && keys ? load_collect(args, settings, keys, err) : -1;
    HolStatus status = err->status ? err->status : cli_no_memory(err);
    if (n >= 0) {
        status = load_model(args, settings, n, model, options, err);
        if (!status)
            prefer_last(settings, n, options);
    }
    for (size_t i = 0; keys && i < most; i++)
        free(keys[i]);
    free(keys);
    free(settings);
    return status;
}

enum { MOST_WRITTEN = 16, PATH_ROOM = 4096 };
typedef struct Written { // files that a command writes
    int n;
    const char *path[MOST_WRITTEN];
    char made[MOST_WRITTEN][PATH_ROOM];
} Written;

// "DIR/a_more.csv" of "DIR/a.csv"
static void load_written_beside(Written *w, const char *path, const char *more) {
    const char *dot = path ? strrchr(path, '.') : NULL;
    if (!dot)
        return;
    snprintf(w->made[w->n], PATH_ROOM, "%.*s%s%s", (int)(dot - path), path, more, dot);
    w->path[w->n] = w->made[w->n];
    w->n++;
}

// tables of a run, rows and checkpoint; one that is resumed is replaced by its next one
static void load_written_run(Written *w, const CliArgs *args) {
    static const char *const tables[] = {"_events", "_impulses"};
    const char *from = cli_value(args, "--resume"), *to = cli_value(args, "--checkpoint");
    const char *output = cli_value(args, "--output"), *dot = output ? strrchr(output, '.') : NULL;
    const int csv = dot && strcasecmp(dot, ".csv") == 0, kept = output && (from || to);
    for (int i = 0; i < 2 && dot && (csv || kept); i++) {
        for (int part = !csv; part <= kept; part++) {
            snprintf(w->made[w->n], PATH_ROOM, "%.*s%s.csv%s", (int)(dot - output), output,
                     tables[i], part ? ".part" : "");
            w->path[w->n] = w->made[w->n];
            w->n++;
        }
    }
    if (kept) {
        snprintf(w->made[w->n], PATH_ROOM, "%s.part", output);
        w->path[w->n] = w->made[w->n];
        w->n++;
    }
    if (from && (!to || strcmp(from, to) != 0))
        w->path[w->n++] = from;
    if (to)
        w->path[w->n++] = to;
}

HolStatus cli_files_apart(const CliArgs *args, const HolModel *m, HolError *err) {
    static const char *const written[] = {"--output", "--report", "--plot"};
    static const char *const matrices[] = {"M.mtx", "C.mtx", "K.mtx", "N.mtx", "names.txt"};
    Written w = {0};
    for (int i = 0; i < 3; i++)
        if ((w.path[w.n] = cli_value(args, written[i])))
            w.n++;
    load_written_beside(&w, cli_value(args, "--plot"), "_radius");
    // the bounds of certified rows stand in FILE_errors.csv
    if (cli_value(args, "--certify") || cli_value(args, "--accuracy"))
        load_written_beside(&w, cli_value(args, "--output"), "_errors");
    if (strcmp(args->command->name, "run") == 0)
        load_written_run(&w, args);
    const char *folder = cli_value(args, "--matrices");
    for (int i = 0; folder && i < 5; i++) {
        snprintf(w.made[w.n], PATH_ROOM, "%s/%s", folder, matrices[i]);
        w.path[w.n] = w.made[w.n];
        w.n++;
    }
    return hol_files_apart(m, args->words, args->n_words, w.path, w.n, err);
}

void cli_remark(const char *text) {
    for (size_t n; *text; text += n + (text[n] != 0)) {
        n = strcspn(text, "\n");
        fprintf(stderr, "holonom: warning: %.*s\n", (int)n, text);
    }
}

HolStatus cli_no_memory(HolError *err) {
    *err = (HolError){.status = HOL_ERR_MEMORY, .problems = 1};
    snprintf(err->text, sizeof err->text, "out of memory");
    return HOL_ERR_MEMORY;
}

void cli_put(void *to, const char *text, size_t length) {
    fwrite(text, 1, length, to);
}

int cli_exit_code(HolStatus status) {
    switch (status) {
    case HOL_OK:
    case HOL_EVENT: // the end that the model asks for
        return CLI_OK;
    case HOL_INTERRUPTED:
        return CLI_INTERRUPTED;
    case HOL_INACCURATE:
        return CLI_INACCURATE;
    case HOL_ERR_INPUT:
    case HOL_ERR_ASSEMBLY:
    case HOL_ERR_UNSUPPORTED:
        return CLI_USAGE;
    case HOL_ERR_FILE:
        return CLI_FILE;
    case HOL_ERR_MEMORY:
    case HOL_ERR_SINGULAR:
    case HOL_ERR_CONVERGE:
    case HOL_ERR_STEP:
        return CLI_FAILED;
    }
    return CLI_FAILED;
}

void cli_report(const HolError *err) {
    // messages with a source position stand alone, so that editors can jump to them
    const char *prefix = err->line > 0 || strstr(err->text, ": error: ") ? "" : "holonom: ";
    // (what fails without a word had no memory for one)
    const HolStatus status = err->status ? err->status : HOL_ERR_MEMORY;
    fprintf(stderr, "%s%s\n", prefix, err->text[0] ? err->text : hol_status_text(status));
    int shown = 1;
    for (const char *c = err->text; (c = strchr(c, '\n')); c++)
        shown++;
    if (err->problems > shown)
        fprintf(stderr, "and %d more\n", err->problems - shown);
    if (err->problems > 1)
        fprintf(stderr, "%d problems\n", err->problems);
}
