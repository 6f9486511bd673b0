// SPDX-License-Identifier: Apache-2.0
// The studio's requests. All addresses start with the token: another path, host or method gets an
// empty 404. A session is a cookie; runs are found only through the session that made them.
//   GET    /T/                     page
//   GET    /T/start                gallery, first model, methods
//   GET    /T/models/NAME          a model's text
//   POST   /T/check                model -> problems, parameters
//   POST   /T/runs?set=k=v         model -> run
//   GET    /T/runs                 runs of this session
//   GET    /T/runs/N               its state
//   GET    /T/runs/N/report        its page; /T/runs/N/result.csv its results
//   DELETE /T/runs/N               stop, remove
//   POST   /T/compare?run=N&run=M  page of several runs
//   GET    /T/file                 the opened model
//   PUT    /T/file?version=V       writes it, if its version is still V
// check and runs take from=NAME, a model of the gallery: files that the text names are searched
// beside it.
#include "tools/studio/studio_http.h"

#ifdef HOL_HAVE_MICROHTTPD

#include "io/apart.h"
#include "tools/studio/http_library.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef enum MHD_Result Answer;
enum { CHECK_SECONDS = 10 }; // processor time of a check; of the clock three times as much

typedef struct Request {
    HolArena arena;
    HolStudio *studio;
    struct MHD_Connection *connection;
    const char *method, *path; // path behind the token
    int session;               // -1: none
    char cookie[HOL_STUDIO_TOKEN + 96];
    char *body;
    size_t length, capacity, given; // of the body: kept, room, all that came
    int too_large, refused;
    HolStudioClient *client; // its connection; or NULL
    double began;            // of the check
    int run;                 // that is being prepared: its number
    HolApart child;          // that checks the model, while the connection waits; pid 0: none
    const char *reply;       // what it said; "": it failed
    size_t reply_length;
} Request;

// ---- answers ----

typedef enum Kind { KIND_PAGE, KIND_REPORT, KIND_JSON, KIND_TEXT, KIND_CSV } Kind;

static const struct {
    const char *type, *policy;
} kinds[] = {
    [KIND_PAGE] = {"text/html; charset=utf-8",
                   "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
                   "img-src data: blob:; connect-src 'self'; frame-src 'self'; "
                   "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"},
    // a report may draw and save files, and reach nothing
    [KIND_REPORT] = {"text/html; charset=utf-8",
                     "sandbox allow-scripts allow-downloads; default-src 'none'; script-src "
                     "'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
                     "frame-ancestors 'self'; base-uri 'none'; form-action 'none'"},
    [KIND_JSON] = {"application/json", "default-src 'none'"},
    [KIND_TEXT] = {"text/plain; charset=utf-8", "default-src 'none'"},
    [KIND_CSV] = {"text/csv; charset=utf-8", "default-src 'none'; sandbox"},
};

static Answer send_response(const Request *r, unsigned code, struct MHD_Response *response) {
    if (!response)
        return MHD_NO;
    MHD_add_response_header(response, "Cache-Control", "no-store");
    MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
    if (r->cookie[0])
        MHD_add_response_header(response, "Set-Cookie", r->cookie);
    Answer answer = MHD_queue_response(r->connection, code, response);
    MHD_destroy_response(response);
    return answer;
}

static Answer send_nothing(const Request *r, unsigned code) {
    static char none[1];
    return send_response(r, code, MHD_create_response_from_buffer(0, none, MHD_RESPMEM_PERSISTENT));
}

static void studio_http_describe(struct MHD_Response *response, Kind kind) {
    if (response) {
        MHD_add_response_header(response, "Content-Type", kinds[kind].type);
        MHD_add_response_header(response, "Content-Security-Policy", kinds[kind].policy);
    }
}

static Answer send_bytes(const Request *r, unsigned code, Kind kind, const void *bytes,
                         size_t length) {
    struct MHD_Response *response =
        MHD_create_response_from_buffer(length, (void *)(uintptr_t)bytes, MHD_RESPMEM_MUST_COPY);
    studio_http_describe(response, kind);
    return send_response(r, code, response);
}

// a text made for this answer; freed
static Answer send_json(const Request *r, unsigned code, char *text, const size_t *length) {
    if (!text)
        return send_nothing(r, MHD_HTTP_INTERNAL_SERVER_ERROR);
    Answer answer = send_bytes(r, code, KIND_JSON, text, *length);
    free(text);
    return answer;
}

static Answer send_problem(const Request *r, unsigned code, const char *message) {
    size_t length = 0;
    return send_json(r, code, hol_studio_message_text(message, &length), &length);
}

static Answer send_file(const Request *r, const HolStudioRun *run, const char *name, Kind kind) {
    char path[256];
    struct stat info;
    hol_studio_path(r->studio, run, name, path, sizeof path);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 || fstat(fd, &info) != 0) {
        if (fd >= 0)
            close(fd);
        return send_nothing(r, MHD_HTTP_NOT_FOUND);
    }
    struct MHD_Response *response = MHD_create_response_from_fd64((uint64_t)info.st_size, fd);
    if (!response)
        close(fd);
    studio_http_describe(response, kind);
    return send_response(r, MHD_HTTP_OK, response);
}

// ---- sessions ----

static int find_session(const Request *r) {
    const char *id = MHD_lookup_connection_value(r->connection, MHD_COOKIE_KIND, "holonom");
    for (int i = 0; id && i < HOL_STUDIO_SESSIONS; i++)
        if (r->studio->sessions[i].id[0] && hol_studio_same(r->studio->sessions[i].id, id))
            return i;
    return -1;
}

static int session_has_runs(const HolStudio *s, int session) {
    for (int i = 0; i < HOL_STUDIO_RUNS; i++)
        if (s->runs[i].state != HOL_RUN_FREE && s->runs[i].session == session)
            return 1;
    return 0;
}

// a free place, or that of the session idle for longest, whose runs go with it
static void new_session(Request *r) {
    HolStudio *s = r->studio;
    int k = 0;
    double oldest = INFINITY;
    for (int i = 0; i < HOL_STUDIO_SESSIONS; i++) {
        // (those with runs count as used for an hour more)
        const double used = s->sessions[i].id[0]
                                ? s->sessions[i].used + (session_has_runs(s, i) ? 3600 : 0)
                                : -INFINITY;
        if (used < oldest) {
            oldest = used;
            k = i;
        }
    }
    for (int i = 0; i < HOL_STUDIO_RUNS; i++)
        if (s->sessions[k].id[0] && s->runs[i].state != HOL_RUN_FREE && s->runs[i].session == k)
            hol_studio_forget(s, &s->runs[i]);
    s->sessions[k] = (HolStudioSession){.used = hol_studio_now()};
    if (!hol_studio_random(s->sessions[k].id))
        return;
    r->session = k;
    snprintf(r->cookie, sizeof r->cookie, "holonom=%s; Path=/%s/; HttpOnly; SameSite=Strict",
             s->sessions[k].id, s->token);
}

// ---- checks: a process each, while the connection waits and others are served ----

static void check_reply(int fd, const char *text, size_t length) {
    if (text && hol_apart_send(fd, &length, sizeof length))
        hol_apart_send(fd, text, length);
}

static const char *argument(const Request *r, const char *name) {
    return MHD_lookup_connection_value(r->connection, MHD_GET_ARGUMENT_KIND, name);
}

static void check_work(int fd, void *user) {
    const Request *r = user;
    size_t length = 0;
    char *text = hol_studio_check_text(r->studio, argument(r, "from"), r->body ? r->body : "",
                                       r->length, &length);
    check_reply(fd, text, length);
    free(text);
}

static Answer check_begin(Request *r, void (*work)(int fd, void *user)) {
    HolStudio *s = r->studio;
    int k = 0;
    while (k < HOL_STUDIO_CHECKS && s->checks[k])
        k++;
    if (k == HOL_STUDIO_CHECKS || hol_apart_start(&r->child, work, r, CHECK_SECONDS)) {
        r->child = (HolApart){.fd = -1};
        return send_problem(r, MHD_HTTP_TOO_MANY_REQUESTS, "other models are being checked");
    }
    s->checks[k] = r;
    r->began = hol_studio_now();
    hol_studio_client_becomes(r->client, HOL_CLIENT_WAITS, r->session);
    MHD_suspend_connection(r->connection);
    return MHD_YES;
}

static void check_take(Request *r) {
    size_t length = 0;
    r->reply = "";
    if (hol_apart_receive(r->child.fd, &length, sizeof length) && length < HOL_STUDIO_FILE) {
        char *text = hol_arena_alloc(&r->arena, length + 1);
        if (text && hol_apart_receive(r->child.fd, text, length)) {
            r->reply = text;
            r->reply_length = length;
        }
    }
    hol_apart_end(&r->child);
    r->child.pid = 0;
    hol_studio_client_becomes(r->client, HOL_CLIENT_ANSWERED, r->session);
    MHD_resume_connection(r->connection);
}

// those that have ended (all: every one); the number of those under way
static int check_poll(HolStudio *s, int all) {
    int waiting = 0;
    for (int k = 0; k < HOL_STUDIO_CHECKS; k++) {
        Request *r = s->checks[k];
        if (!r)
            continue;
        // (it may also wait for a file that is none)
        if (all || hol_studio_now() - r->began > 3 * CHECK_SECONDS)
            kill((pid_t)r->child.pid, SIGKILL);
        if (all || hol_apart_ready(r->child.fd)) {
            check_take(r);
            s->checks[k] = NULL;
        }
        waiting += s->checks[k] != NULL;
    }
    return waiting;
}

// ---- single requests ----

static Answer get_model(Request *r, const char *name) {
    size_t length = 0;
    char *text = hol_studio_model(r->studio, &r->arena, name, &length);
    return text ? send_bytes(r, MHD_HTTP_OK, KIND_TEXT, text, length)
                : send_nothing(r, MHD_HTTP_NOT_FOUND);
}

typedef struct Values {
    const char *key;
    const char *list[HOL_STUDIO_SETTINGS];
    int n, too_many;
} Values;

static Answer studio_http_collect(void *to, enum MHD_ValueKind kind, const char *key,
                                  const char *value) {
    Values *v = to;
    (void)kind;
    if (!value || strcmp(key, v->key) != 0)
        return MHD_YES;
    if (v->n < HOL_STUDIO_SETTINGS)
        v->list[v->n++] = value;
    else
        v->too_many = 1;
    return MHD_YES;
}

// writes the opened model, when it is what the text was made from
static Answer studio_http_put_file(Request *r) {
    const char *version = argument(r, "version");
    HolError err = {0};
    size_t length = 0;
    if (!r->studio->model_path)
        return send_nothing(r, MHD_HTTP_NOT_FOUND);
    if (!version || memchr(r->body ? r->body : "", 0, r->length))
        return send_problem(r, MHD_HTTP_BAD_REQUEST, "no version, or no text");
    HolStatus status = hol_studio_save(r->studio, r->body ? r->body : "", r->length, version, &err);
    if (status)
        return send_problem(
            r, status == HOL_ERR_INPUT ? MHD_HTTP_CONFLICT : MHD_HTTP_INTERNAL_SERVER_ERROR,
            err.text);
    return send_json(r, MHD_HTTP_OK, hol_studio_file_text(r->studio, &length), &length);
}

static Answer started(Request *r, HolStudioRun *run, HolStatus status, const char *problem) {
    if (status) {
        hol_studio_forget(r->studio, run);
        return send_problem(
            r, status == HOL_ERR_INPUT ? MHD_HTTP_BAD_REQUEST : MHD_HTTP_INTERNAL_SERVER_ERROR,
            problem);
    }
    size_t length = 0;
    return send_json(r, MHD_HTTP_ACCEPTED, hol_studio_run_text(r->studio, run, &length), &length);
}

// a place for a run, or the answer that says why there is none
static HolStudioRun *studio_http_place(Request *r, Answer *answer) {
    HolStudio *s = r->studio;
    if (!hol_bucket_take(&s->sessions[r->session].starts, hol_studio_now(), 2, 12)) {
        *answer = send_problem(r, MHD_HTTP_TOO_MANY_REQUESTS, "too many runs in a short time");
        return NULL;
    }
    HolStudioRun *run = hol_studio_place(s, r->session);
    if (!run)
        *answer = send_problem(r, MHD_HTTP_TOO_MANY_REQUESTS,
                               "other runs are under way: wait, or stop one");
    return run;
}

static Values settings_of(const Request *r) {
    Values settings = {.key = "set"};
    MHD_get_connection_values(r->connection, MHD_GET_ARGUMENT_KIND, studio_http_collect, &settings);
    return settings;
}

// what the text names; the answer is empty, or why it may not
static void run_work(int fd, void *user) {
    const Request *r = user;
    const Values settings = settings_of(r);
    HolError err = {0};
    const HolStudioRun *run = hol_studio_find(r->studio, r->session, r->run);
    if (run)
        hol_studio_files(r->studio, run, r->body ? r->body : "", r->length, argument(r, "from"),
                         settings.list, settings.n, &err);
    char text[sizeof err.text + 1];
    const int length = snprintf(text, sizeof text, "%c%s", err.status ? '!' : '.', err.text);
    check_reply(fd, text, (size_t)length);
}

static Answer run_begin(Request *r) {
    Answer answer = MHD_NO;
    const Values settings = settings_of(r);
    for (int i = 0; i < settings.n; i++)
        if (!strchr(settings.list[i], '=') || strlen(settings.list[i]) > 1000)
            return send_problem(r, MHD_HTTP_BAD_REQUEST, "a setting is key=value");
    if (settings.too_many)
        return send_problem(r, MHD_HTTP_BAD_REQUEST, "too many settings");
    HolStudioRun *run = studio_http_place(r, &answer);
    if (!run)
        return answer;
    HolError err = {0};
    HolStatus status = hol_studio_prepare(r->studio, run, r->body ? r->body : "", r->length,
                                          settings.list, settings.n, &err);
    if (status)
        return started(r, run, status, err.text);
    r->run = run->id;
    answer = check_begin(r, run_work);
    if (r->child.fd < 0)
        hol_studio_forget(r->studio, run);
    return answer;
}

static Answer post_run(Request *r) {
    if (!r->reply)
        return run_begin(r);
    const Values settings = settings_of(r);
    HolStudioRun *run = hol_studio_find(r->studio, r->session, r->run);
    if (!run)
        return send_nothing(r, MHD_HTTP_NOT_FOUND);
    if (r->reply[0] != '.')
        return started(r, run, HOL_ERR_INPUT,
                       r->reply[0] ? r->reply + 1 : "the model takes too long or too much to read");
    if (hol_studio_running(r->studio) >= HOL_STUDIO_AT_ONCE) {
        hol_studio_forget(r->studio, run);
        return send_problem(r, MHD_HTTP_TOO_MANY_REQUESTS,
                            "other runs are under way: wait, or stop one");
    }
    const int ok = hol_studio_start(r->studio, run, argument(r, "from"), settings.list, settings.n);
    return started(r, run, ok ? HOL_OK : HOL_ERR_FILE, "the run could not be started");
}

static Answer post_compare(Request *r) {
    Answer answer = MHD_NO;
    Values ids = {.key = "run"};
    HolStudioRun *list[HOL_STUDIO_COMPARED];
    MHD_get_connection_values(r->connection, MHD_GET_ARGUMENT_KIND, studio_http_collect, &ids);
    if (ids.n < 1 || ids.n > HOL_STUDIO_COMPARED)
        return send_problem(r, MHD_HTTP_BAD_REQUEST, "one to eight runs can be compared");
    for (int i = 0; i < ids.n; i++) {
        list[i] = hol_studio_find(r->studio, r->session, (int)strtol(ids.list[i], NULL, 10));
        if (!list[i] || list[i]->state != HOL_RUN_ENDED || list[i]->comparison)
            return send_nothing(r, MHD_HTTP_NOT_FOUND);
    }
    HolStudioRun *run = studio_http_place(r, &answer);
    if (!run)
        return answer;
    // making room may have removed one of them
    for (int i = 0; i < ids.n; i++)
        if (list[i]->state != HOL_RUN_ENDED || list[i] == run)
            return started(r, run, HOL_ERR_FILE, "a run is no longer there");
    int ok = hol_studio_compare(r->studio, run, list, ids.n);
    return started(r, run, ok ? HOL_OK : HOL_ERR_FILE, "the comparison could not be started");
}

static Answer one_run(Request *r, const char *rest) {
    char *end;
    long id = strtol(rest, &end, 10);
    int get = strcmp(r->method, "GET") == 0;
    HolStudioRun *run = end > rest && id > 0 && id < 1 << 30
                            ? hol_studio_find(r->studio, r->session, (int)id)
                            : NULL;
    if (!run)
        return send_nothing(r, MHD_HTTP_NOT_FOUND);
    if (!*end && strcmp(r->method, "DELETE") == 0) {
        hol_studio_forget(r->studio, run);
        return send_nothing(r, MHD_HTTP_NO_CONTENT);
    }
    if (!*end && strcmp(r->method, "POST") == 0) { // stop, and keep it
        hol_studio_stop(r->studio, run);
        return send_nothing(r, MHD_HTTP_NO_CONTENT);
    }
    if (get && !*end) {
        size_t length = 0;
        return send_json(r, MHD_HTTP_OK, hol_studio_run_text(r->studio, run, &length), &length);
    }
    if (get && strcmp(end, "/report") == 0)
        return send_file(r, run, "report.html", KIND_REPORT);
    if (get && strcmp(end, "/result.csv") == 0)
        return send_file(r, run, "result.csv", KIND_CSV);
    return send_nothing(r, MHD_HTTP_NOT_FOUND);
}

static Answer answer_session(Request *r) {
    HolStudio *s = r->studio;
    const char *path = r->path;
    int get = strcmp(r->method, "GET") == 0, post = strcmp(r->method, "POST") == 0;
    size_t length = 0;
    hol_studio_poll(s);
    if (get && strcmp(path, "start") == 0)
        return send_json(r, MHD_HTTP_OK, hol_studio_start_text(s, &length), &length);
    if (get && strncmp(path, "models/", 7) == 0)
        return get_model(r, path + 7);
    if (post && strcmp(path, "check") == 0)
        return !r->reply     ? check_begin(r, check_work)
               : r->reply[0] ? send_bytes(r, MHD_HTTP_OK, KIND_JSON, r->reply, r->reply_length)
                             : send_problem(r, MHD_HTTP_INTERNAL_SERVER_ERROR,
                                            "the model takes too long or too much to check");
    if (strcmp(path, "file") == 0 && strcmp(r->method, "PUT") == 0)
        return studio_http_put_file(r);
    if (get && strcmp(path, "file") == 0 && s->model_path)
        return send_json(r, MHD_HTTP_OK, hol_studio_file_text(s, &length), &length);
    if (get && strcmp(path, "runs") == 0)
        return send_json(r, MHD_HTTP_OK, hol_studio_runs_text(s, r->session, &length), &length);
    if (post && strcmp(path, "runs") == 0)
        return post_run(r);
    if (post && strcmp(path, "compare") == 0)
        return post_compare(r);
    if (strncmp(path, "runs/", 5) == 0)
        return one_run(r, path + 5);
    return send_nothing(r, MHD_HTTP_NOT_FOUND);
}

// ---- who asks ----

// our own name and, where the browser says where a request comes from, our own page
static int right_host(const Request *r) {
    char numeric[64], named[64];
    snprintf(numeric, sizeof numeric, "http://127.0.0.1:%d", r->studio->port);
    snprintf(named, sizeof named, "http://localhost:%d", r->studio->port);
    const char *host = MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, "Host");
    const char *origin = MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, "Origin");
    if (!host || (strcmp(host, numeric + 7) != 0 && strcmp(host, named + 7) != 0))
        return 0;
    return !origin || strcmp(origin, numeric) == 0 || strcmp(origin, named) == 0;
}

// the path behind "/TOKEN/", or NULL
static const char *behind_token(const HolStudio *s, const char *url) {
    char given[HOL_STUDIO_TOKEN + 1];
    size_t n = url[0] == '/' ? strcspn(url + 1, "/") : 0;
    if (n != HOL_STUDIO_TOKEN - 1 || url[1 + n] != '/')
        return NULL;
    memcpy(given, url + 1, n);
    given[n] = 0;
    return hol_studio_same(s->token, given) ? url + n + 2 : NULL;
}

// the first call for a request: what is refused is refused before its body is read
static Answer studio_http_begin(HolStudio *s, struct MHD_Connection *connection, const char *url,
                                const char *method, Request **out) {
    HolArena arena = {0};
    Request *r = HOL_NEW(&arena, Request, 1);
    if (!r)
        return MHD_NO;
    r->arena = arena;
    r->studio = s;
    r->connection = connection;
    r->session = -1;
    *out = r;
    const char *path = behind_token(s, url);
    r->path = path ? hol_arena_text(&r->arena, path) : NULL;
    r->method = hol_arena_text(&r->arena, method);
    if (!r->path || !r->method || !right_host(r)) {
        r->refused = 1;
        return send_nothing(r, MHD_HTTP_NOT_FOUND);
    }
    double now = hol_studio_now();
    r->session = find_session(r);
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    r->client = info ? info->socket_context : NULL;
    hol_studio_client_becomes(r->client, HOL_CLIENT_ANSWERED, r->session);
    HolBucket *bucket = r->session >= 0 ? &s->sessions[r->session].requests : &s->strangers;
    if (!hol_bucket_take(bucket, now, r->session >= 0 ? 40 : 5, r->session >= 0 ? 120 : 30) ||
        (r->session >= 0 && hol_studio_client_count(s, r->session) > HOL_STUDIO_CLIENT)) {
        r->refused = 1;
        return send_nothing(r, MHD_HTTP_TOO_MANY_REQUESTS);
    }
    if (r->session >= 0)
        s->sessions[r->session].used = now;
    return MHD_YES;
}

static void take_body(Request *r, const char *data, size_t size) {
    r->given += size;
    if (r->too_large || r->length + size > HOL_STUDIO_TEXT) {
        r->too_large = 1;
        return;
    }
    if (r->length + size + 1 > r->capacity) {
        size_t capacity = 2 * (r->length + size) + 4096;
        char *body = hol_arena_alloc(&r->arena, capacity);
        if (!body) {
            r->too_large = 1;
            return;
        }
        if (r->length)
            memcpy(body, r->body, r->length);
        r->body = body;
        r->capacity = capacity;
    }
    memcpy(r->body + r->length, data, size);
    r->length += size;
    r->body[r->length] = 0;
}

static Answer handle(void *to, struct MHD_Connection *connection, const char *url,
                     const char *method, const char *version, const char *data, size_t *size,
                     void **state) {
    (void)version;
    Request *r = *state;
    if (!r)
        return studio_http_begin(to, connection, url, method, (Request **)state);
    if (r->refused)
        return MHD_YES;
    if (*size > 0) {
        take_body(r, data, *size);
        *size = 0;
        return r->given > 2 * HOL_STUDIO_TEXT ? MHD_NO : MHD_YES; // (one that does not end)
    }
    if (r->too_large)
        return send_problem(r, MHD_HTTP_CONTENT_TOO_LARGE, "the model is too large");
    if (r->path[0] == 0 && strcmp(method, "GET") == 0) {
        if (r->session < 0)
            new_session(r);
        return send_bytes(r, MHD_HTTP_OK, KIND_PAGE, hol_studio_page, hol_studio_page_size);
    }
    if (r->session < 0)
        return send_nothing(r, MHD_HTTP_FORBIDDEN);
    return answer_session(r);
}

static void completed(void *to, struct MHD_Connection *connection, void **state,
                      enum MHD_RequestTerminationCode how) {
    (void)to;
    (void)connection;
    (void)how;
    Request *r = *state;
    if (r) {
        hol_studio_client_becomes(r->client, HOL_CLIENT_ASKS, -1);
        HolArena arena = r->arena; // the request itself lives in it
        hol_arena_free(&arena);
    }
    *state = NULL;
}

// a connection begins or ends
static void studio_http_connection(void *to, struct MHD_Connection *connection, void **client,
                                   enum MHD_ConnectionNotificationCode what) {
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        *client = info ? hol_studio_client_new(to, info->connect_fd) : NULL;
    } else if (*client) {
        *(HolStudioClient *)*client = (HolStudioClient){.state = HOL_CLIENT_FREE};
        *client = NULL;
    }
}

HolStatus hol_studio_listen(HolStudio *s, int port, HolError *err) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    HolStatus status = hol_microhttpd_ready(err);
    if (status)
        return status;
    errno = 0;
    s->daemon = MHD_start_daemon(
        MHD_ALLOW_SUSPEND_RESUME, (uint16_t)port, NULL, NULL, handle, s, MHD_OPTION_SOCK_ADDR,
        &address, MHD_OPTION_NOTIFY_COMPLETED, completed, NULL, MHD_OPTION_NOTIFY_CONNECTION,
        studio_http_connection, s, MHD_OPTION_CONNECTION_LIMIT, (unsigned)HOL_STUDIO_CONNECTIONS,
        MHD_OPTION_CONNECTION_TIMEOUT, 30u, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)64 * 1024,
        MHD_OPTION_END);
    if (!s->daemon)
        return hol_error_set(err, HOL_ERR_FILE, "cannot listen on 127.0.0.1:%d: %s", port,
                             errno ? strerror(errno) : "the web server did not start");
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_BIND_PORT);
    s->port = info ? info->port : port;
    return HOL_OK;
}

HolStatus hol_studio_wait(HolStudio *s, int milliseconds, HolError *err) {
    const int shortest = 10;
    hol_studio_guard(s);
    if (MHD_run_wait(s->daemon, check_poll(s, 0) ? shortest : milliseconds) != MHD_YES &&
        errno != EINTR)
        return hol_error_set(err, HOL_ERR_FILE, "the studio's server failed");
    return HOL_OK;
}

void hol_studio_end(HolStudio *s) {
    if (s->daemon) {
        check_poll(s, 1);
        MHD_stop_daemon(s->daemon);
    }
    s->daemon = NULL;
}

#else

HolStatus hol_studio_listen(HolStudio *s, int port, HolError *err) {
    (void)s;
    (void)port;
    return hol_error_set(err, HOL_ERR_UNSUPPORTED,
                         "this build has no studio: install libmicrohttpd (Debian: "
                         "libmicrohttpd-dev), then build again");
}

HolStatus hol_studio_wait(HolStudio *s, int milliseconds, HolError *err) {
    (void)s;
    (void)milliseconds;
    return hol_error_set(err, HOL_ERR_UNSUPPORTED, "this build has no studio");
}

void hol_studio_end(HolStudio *s) {
    (void)s;
}

#endif
