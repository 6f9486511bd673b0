// SPDX-License-Identifier: Apache-2.0
// The studio, seen from inside: a server on the loopback address, one thread, no state but this.
// Every run is a process of its own with limits on time, memory and file size; it works in a folder
// of its own below a private temporary folder, and belongs to the session that started it.
#ifndef HOL_IO_STUDIO_H
#define HOL_IO_STUDIO_H

#include "base/arena.h"
#include "base/error.h"
#include "holonom/tools.h"

#include <limits.h>
#include <stdint.h>
#include <sys/types.h>

// the page; size 0 when it was not built
extern const unsigned char hol_studio_page[];
extern const size_t hol_studio_page_size;

enum {
    HOL_STUDIO_TOKEN = 33,        // 128 bits as hexadecimal, with the end mark
    HOL_STUDIO_SESSIONS = 32,     // beyond that the one idle for longest goes
    HOL_STUDIO_RUNS = 128,        // kept in all
    HOL_STUDIO_SESSION_RUNS = 24, // kept for a session
    HOL_STUDIO_AT_ONCE = 2,       // running in all
    HOL_STUDIO_TEXT = 1 << 20,    // bytes of a model
    HOL_STUDIO_SETTINGS = 64,     // of a run
    HOL_STUDIO_COMPARED = 8,      // runs in one comparison
    HOL_STUDIO_FILE = 256 << 20,  // bytes of a file that a run writes
    HOL_STUDIO_CONNECTIONS = 64,
    HOL_STUDIO_CLIENT = 16, // of one session
    HOL_STUDIO_CHECKS = 4,  // models checked at once
};

// allows `rate` a second, and `most` at once after a pause
typedef struct HolBucket {
    double level, last;
} HolBucket;
int hol_bucket_take(HolBucket *b, double now, double rate, double most); // 1: allowed

typedef struct HolStudioSession {
    char id[HOL_STUDIO_TOKEN]; // "": free
    double used;               // time of the last request
    HolBucket requests, starts;
} HolStudioSession;

// a connection: it asks (or says nothing), is answered (its body may still come), or waits for a check
typedef enum HolClientState {
    HOL_CLIENT_FREE,
    HOL_CLIENT_ASKS,
    HOL_CLIENT_ANSWERED,
    HOL_CLIENT_WAITS
} HolClientState;

typedef struct HolStudioClient {
    HolClientState state;
    int fd, session; // -1: of none
    int shut;        // 1: its end is on the way
    double since;    // that it is in this state
} HolStudioClient;

typedef enum HolRunState { HOL_RUN_FREE, HOL_RUN_RUNNING, HOL_RUN_ENDED } HolRunState;

typedef struct HolStudioRun {
    HolRunState state;
    int id;         // never used twice
    int session;    // index
    int comparison; // 1: no run of its own but the page of several
    pid_t process;
    double began, ended; // [s] of the monotonic clock
    int code;            // exit code; -1: ended by a signal
    int late;            // it was ended because its time was over
    char label[256];     // method and settings
} HolStudioRun;

struct HolStudio {
    HolArena arena;
    char token[HOL_STUDIO_TOKEN];
    char folder[64]; // private, below the temporary folder
    char address[128];
    int port;
    const char *program, *models;
    const char *model_path;              // real path of the opened model, or NULL
    const char *model_name, *model_text; // without folder; as it was read at the start
    double seconds;                      // longest run
    HolStudioSession sessions[HOL_STUDIO_SESSIONS];
    HolBucket strangers; // requests without a session
    HolStudioRun runs[HOL_STUDIO_RUNS];
    int next_id;
    HolStudioClient clients[HOL_STUDIO_CONNECTIONS];
    void *checks[HOL_STUDIO_CHECKS]; // requests whose model is being checked
    void *daemon;
};

double hol_studio_now(void);
int hol_studio_random(char out[HOL_STUDIO_TOKEN]); // 1 ok
// equal, in a time that does not show how much of it is
int hol_studio_same(const char *a, const char *b);

// ---- studio_guard.c ----
// a place for a connection, where few are left by shutting another one; NULL: none
HolStudioClient *hol_studio_client_new(HolStudio *s, int fd);
void hol_studio_client_becomes(HolStudioClient *c, HolClientState state, int session);
int hol_studio_client_count(const HolStudio *s, int session); // that are answered
void hol_studio_guard(HolStudio *s);                          // shuts those that take too long

// ---- studio_run.c ----
// a place for a new run; NULL when too many are running
HolStudioRun *hol_studio_place(HolStudio *s, int session);
// A run in three steps, settings are "key=value", from: see below. Its folder with the text; what the
// text names, looked at and put there (for a process of its own: a hostile text may take long); the run.
HolStatus hol_studio_prepare(HolStudio *s, HolStudioRun *run, const char *text, size_t length,
                             const char *const *settings, int n, HolError *err);
HolStatus hol_studio_files(const HolStudio *s, const HolStudioRun *run, const char *text,
                           size_t length, const char *from, const char *const *settings, int n,
                           HolError *err);
int hol_studio_start(HolStudio *s, HolStudioRun *run, const char *from, const char *const *settings,
                     int n); // 1 ok
int hol_studio_running(const HolStudio *s);
int hol_studio_own_file(const char *name); // 1 when a run writes a file of that name
int hol_studio_compare(HolStudio *s, HolStudioRun *run, HolStudioRun *const *list, int n);
void hol_studio_poll(HolStudio *s); // ended and late runs
void hol_studio_stop(HolStudio *s, HolStudioRun *run);
void hol_studio_forget(HolStudio *s, HolStudioRun *run); // stop, and remove its files
// the run of an id, when it belongs to the session; else NULL
HolStudioRun *hol_studio_find(HolStudio *s, int session, int id);
void hol_studio_path(const HolStudio *s, const HolStudioRun *run, const char *name, char *out,
                     size_t size);

// ---- studio_file.c ----
// A text comes `from` a model of the gallery, or (NULL) from the one that the studio was opened
// with; the files that it names are looked for beside that model.

// the opened model as it is on disk, and the hash of that; NULL: there is none
char *hol_studio_file(const HolStudio *s, HolArena *arena, size_t *length, char version[65]);
// HOL_ERR_INPUT: the file is not the version that the text was made from
HolStatus hol_studio_save(const HolStudio *s, const char *text, size_t length, const char *version,
                          HolError *err);
// 1 when folder/name exists and, followed through all links, lies below the folder
int hol_studio_real(const char *folder, const char *name, char out[PATH_MAX]);
// the model of a text; files that it names are read from the folder of the model it came from and below.
// *refused: it named others
HolStatus hol_studio_parse(const HolStudio *s, const char *from, const char *text, size_t length,
                           HolModel **m, HolSimOptions *o, int *refused, HolError *err);
// the folder of the model that a text came from; 0: none
int hol_studio_folder(const HolStudio *s, const char *from, char out[PATH_MAX]);
// names in the text and in the settings that lead out of the model's folder are errors at their line
HolStatus hol_studio_check_files(const HolStudio *s, const char *from, const char *text,
                                 size_t length, const char *const *settings, int n,
                                 const char *file, HolError *err);
void hol_studio_link_files(const HolStudio *s, const char *from, const char *text, size_t length,
                           const char *const *settings, int n, const char *run_folder);

// ---- studio_reply.c: JSON texts; the caller frees them ----
char *hol_studio_start_text(const HolStudio *s, size_t *length);
char *hol_studio_file_text(const HolStudio *s, size_t *length); // the opened model; NULL: none
char *hol_studio_message_text(const char *message, size_t *length);
char *hol_studio_check_text(const HolStudio *s, const char *from, const char *model, size_t n,
                            size_t *length);
char *hol_studio_run_text(HolStudio *s, const HolStudioRun *run, size_t *length);
char *hol_studio_runs_text(HolStudio *s, int session, size_t *length);
// the model NAME of the gallery ("papers/pendulum.yaml"): its path (1: there is one), and its text
// in the arena (NULL: none)
int hol_studio_model_path(const HolStudio *s, const char *name, char out[PATH_MAX]);
char *hol_studio_model(const HolStudio *s, HolArena *arena, const char *name, size_t *length);

#endif
