// SPDX-License-Identifier: Apache-2.0
// Runs of the studio: each is the command itself in a process of its own ("holonom run model.yaml
// --report report.html ..."), in a folder of its own, with limits on processor time, memory and
// files. What a text or a setting names is read from the model's folder (--within) and nowhere else,
// whatever names it; the links of studio_file.c are for pages made of results. A run that takes longer
// than allowed is asked to end and keeps what it has.
#define _GNU_SOURCE // prlimit, nftw, posix_spawn_file_actions_addchdir_np
#include "tools/studio/studio.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const files[] = {"model.yaml",       "report.html", "result.csv",
                                    "result.csv.json",  "out.json",    "err.txt",
                                    "result_errors.csv"};
enum { FILES = sizeof files / sizeof *files, ARGUMENTS = 2 * HOL_STUDIO_SETTINGS + 32 };
static const double grace = 3; // seconds from the request to end until it is ended
// seconds after which who asks no more has left: a page that is hidden asks once a minute
static const double left = 150;

void hol_studio_path(const HolStudio *s, const HolStudioRun *run, const char *name, char *out,
                     size_t size) {
    snprintf(out, size, "%s/%d%s%s", s->folder, run->id, name ? "/" : "", name ? name : "");
}

int hol_studio_own_file(const char *name) {
    for (int i = 0; i < FILES; i++) // also what is half written: "report.html.part-12"
        if (strncmp(name, files[i], strlen(files[i])) == 0)
            return 1;
    return 0;
}

static int studio_run_write_text(const char *path, const char *text, size_t length) {
    FILE *f = fopen(path, "wb");
    int ok = f && fwrite(text, 1, length, f) == length;
    return f && fclose(f) == 0 && ok;
}

HolStudioRun *hol_studio_find(HolStudio *s, int session, int id) {
    for (int i = 0; i < HOL_STUDIO_RUNS; i++)
        if (s->runs[i].state != HOL_RUN_FREE && s->runs[i].id == id &&
            s->runs[i].session == session)
            return &s->runs[i];
    return NULL;
}

// the oldest ended run of a session (-1: of any)
static HolStudioRun *oldest(HolStudio *s, int session, int *count) {
    HolStudioRun *found = NULL;
    *count = 0;
    for (int i = 0; i < HOL_STUDIO_RUNS; i++) {
        HolStudioRun *r = &s->runs[i];
        if (r->state == HOL_RUN_FREE || (session >= 0 && r->session != session))
            continue;
        ++*count;
        if (r->state == HOL_RUN_ENDED && (!found || r->id < found->id))
            found = r;
    }
    return found;
}

int hol_studio_running(const HolStudio *s) {
    int n = 0;
    for (int i = 0; i < HOL_STUDIO_RUNS; i++)
        n += s->runs[i].state == HOL_RUN_RUNNING;
    return n;
}

HolStudioRun *hol_studio_place(HolStudio *s, int session) {
    int count;
    hol_studio_poll(s);
    if (hol_studio_running(s) >= HOL_STUDIO_AT_ONCE)
        return NULL;
    HolStudioRun *old = oldest(s, session, &count);
    if (old && count >= HOL_STUDIO_SESSION_RUNS)
        hol_studio_forget(s, old);
    old = oldest(s, -1, &count);
    if (old && count >= HOL_STUDIO_RUNS)
        hol_studio_forget(s, old);
    for (int i = 0; i < HOL_STUDIO_RUNS; i++)
        if (s->runs[i].state == HOL_RUN_FREE) {
            s->runs[i] = (HolStudioRun){.id = ++s->next_id, .session = session};
            return &s->runs[i];
        }
    return NULL;
}

static void studio_run_limit(pid_t process, double seconds) {
    const struct {
        __rlimit_resource_t what;
        rlim_t value;
    } limits[] = {
        {RLIMIT_CPU, (rlim_t)(seconds + 10)},
        {RLIMIT_FSIZE, HOL_STUDIO_FILE},
        {RLIMIT_CORE, 0},
#ifndef __SANITIZE_ADDRESS__
        {RLIMIT_AS, (rlim_t)4 << 30},
#endif
    };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct rlimit l = {limits[i].value, limits[i].value};
        prlimit(process, limits[i].what, &l, NULL);
    }
}

// the process, in its folder, with its output in files; 1 ok
static int launch(HolStudio *s, HolStudioRun *run, char **arguments) {
    char folder[256], *environment[] = {"OPENBLAS_NUM_THREADS=1", "LC_ALL=C.UTF-8", NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t all;
    hol_studio_path(s, run, NULL, folder, sizeof folder);
    sigfillset(&all);
    if (posix_spawn_file_actions_init(&actions) != 0)
        return 0;
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addchdir_np(&actions, folder);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "out.json", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, "err.txt", O_WRONLY | O_CREAT | O_TRUNC, 0600);
#if __GLIBC_PREREQ(2, 34)
    posix_spawn_file_actions_addclosefrom_np(&actions, 3); // no socket leaves the server
#endif
    // a group of its own: Ctrl-C ends the server, which ends the runs
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigdefault(&attributes, &all);
    int failed =
        posix_spawn(&run->process, s->program, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (failed)
        return 0;
    studio_run_limit(run->process, s->seconds);
    run->state = HOL_RUN_RUNNING;
    run->began = hol_studio_now();
    return 1;
}

HolStatus hol_studio_prepare(HolStudio *s, HolStudioRun *run, const char *text, size_t length,
                             const char *const *settings, int n, HolError *err) {
    char folder[256], path[256];
    hol_error_set(err, HOL_ERR_FILE, "the run could not be started");
    hol_studio_path(s, run, NULL, folder, sizeof folder);
    if (mkdir(folder, 0700) != 0)
        return HOL_ERR_FILE;
    run->state = HOL_RUN_ENDED; // so that forgetting removes the folder
    run->code = -1;
    for (int i = 0; i < n && i < HOL_STUDIO_SETTINGS; i++) {
        size_t used = strlen(run->label);
        snprintf(run->label + used, sizeof run->label - used, "%s%s", used ? ", " : "",
                 settings[i]);
    }
    hol_studio_path(s, run, "model.yaml", path, sizeof path);
    return studio_run_write_text(path, text, length) ? HOL_OK : HOL_ERR_FILE;
}

HolStatus hol_studio_files(const HolStudio *s, const HolStudioRun *run, const char *text,
                           size_t length, const char *from, const char *const *settings, int n,
                           HolError *err) {
    char folder[256];
    HolStatus status =
        hol_studio_check_files(s, from, text, length, settings, n, "model.yaml", err);
    hol_studio_path(s, run, NULL, folder, sizeof folder);
    if (!status)
        hol_studio_link_files(s, from, text, length, settings, n, folder);
    return status;
}

int hol_studio_start(HolStudio *s, HolStudioRun *run, const char *from, const char *const *settings,
                     int n) {
    char within[PATH_MAX];
    char *arguments[ARGUMENTS] = {"holonom",     "run",        "model.yaml", "--report",
                                  "report.html", "-o",         "result.csv", "--json",
                                  "--quiet",     "--progress", "--within",   within};
    int k = 12;
    // (a text without a model has only its own folder)
    if (!hol_studio_folder(s, from, within))
        hol_studio_path(s, run, NULL, within, sizeof within);
    for (int i = 0; i < n && i < HOL_STUDIO_SETTINGS; i++) {
        arguments[k++] = "--set";
        arguments[k++] = (char *)(uintptr_t)settings[i]; // posix_spawn does not change them
    }
    return launch(s, run, arguments);
}

int hol_studio_compare(HolStudio *s, HolStudioRun *run, HolStudioRun *const *list, int n) {
    char path[256], paths[HOL_STUDIO_COMPARED][256];
    char *arguments[HOL_STUDIO_COMPARED + 8] = {"holonom", "view", "-o", "report.html", NULL};
    hol_studio_path(s, run, NULL, path, sizeof path);
    if (mkdir(path, 0700) != 0)
        return 0;
    for (int i = 0; i < n && i < HOL_STUDIO_COMPARED; i++) {
        size_t used = strlen(run->label);
        hol_studio_path(s, list[i], "result.csv", paths[i], sizeof paths[i]);
        arguments[4 + i] = paths[i];
        snprintf(run->label + used, sizeof run->label - used, "%s%d", i ? ", " : "runs ",
                 list[i]->id);
    }
    run->comparison = 1;
    run->state = HOL_RUN_ENDED;
    run->code = -1;
    return launch(s, run, arguments);
}

void hol_studio_poll(HolStudio *s) {
    double now = hol_studio_now();
    for (int i = 0; i < HOL_STUDIO_RUNS; i++) {
        HolStudioRun *r = &s->runs[i];
        int status;
        if (r->state != HOL_RUN_RUNNING)
            continue;
        pid_t done = waitpid(r->process, &status, WNOHANG);
        if (done == r->process || (done < 0 && errno == ECHILD)) {
            r->state = HOL_RUN_ENDED;
            r->ended = now;
            r->code = done > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        } else if (now - r->began > s->seconds + grace) {
            kill(r->process, SIGKILL);
        } else if (now - fmax(r->began, s->sessions[r->session].used) > left) {
            hol_studio_stop(s, r);
        } else if (now - r->began > s->seconds && !r->late) {
            r->late = 1;
            kill(r->process, SIGTERM); // it ends with what it has
        }
    }
}

void hol_studio_stop(HolStudio *s, HolStudioRun *run) {
    if (run->state != HOL_RUN_RUNNING)
        return;
    kill(run->process, SIGKILL);
    waitpid(run->process, NULL, 0);
    run->state = HOL_RUN_ENDED;
    run->ended = hol_studio_now();
    run->code = -1;
    (void)s;
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *place) {
    (void)info;
    (void)kind;
    (void)place;
    remove(path);
    return 0;
}

void hol_studio_forget(HolStudio *s, HolStudioRun *run) {
    char path[256];
    hol_studio_stop(s, run);
    hol_studio_path(s, run, NULL, path, sizeof path);
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS); // links go, not what they lead to
    *run = (HolStudioRun){0};
}
