// SPDX-License-Identifier: Apache-2.0
// The studio under attack, by plain sockets: names of files that lead out of the model's folder, in
// every key and setting; paths, hosts, origins and cookies of others; many connections that say or
// read little, bodies without an end; clients that leave.
#include "cli_run.h"

#include "tools/studio/studio.h"

#ifdef HOL_HAVE_MICROHTTPD

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <time.h>

static struct {
    pid_t process;
    int port, attacks;
    char path[64], cookie[64]; // "/TOKEN/", "holonom=.."
} studio;

// ---- a client ----

static int dial(void) {
    const struct timeval patience = {.tv_sec = 20};
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)studio.port)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to) != 0)
        fail_msg("connect: %s", strerror(errno));
    return fd;
}

static void say(int fd, const char *text) {
    (void)!send(fd, text, strlen(text), MSG_NOSIGNAL);
}

// all that comes until the end; its status, 0: none. `out` is cut off at its size
static int hear(int fd, char *out, size_t size) {
    size_t used = 0;
    char rest[4096];
    for (ssize_t n = 1; n > 0;) {
        const int keep = used + 1 < size;
        n = recv(fd, keep ? out + used : rest, keep ? size - used - 1 : sizeof rest, 0);
        used += n > 0 && keep ? (size_t)n : 0;
    }
    out[used] = 0;
    close(fd);
    return strncmp(out, "HTTP/1.1 ", 9) == 0 ? atoi(out + 9) : 0;
}

static char answer[1 << 16];

// "GET" of a path behind the token, with a session and a body
static int ask(const char *method, const char *path, const char *body) {
    char head[4000];
    const int fd = dial();
    snprintf(head, sizeof head,
             "%s %s%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nCookie: %s\r\nConnection: close\r\n"
             "Content-Length: %zu\r\n\r\n",
             method, studio.path, path, studio.port, studio.cookie, strlen(body));
    say(fd, head);
    say(fd, body);
    return hear(fd, answer, sizeof answer);
}

static int ask_raw(const char *request) {
    const int fd = dial();
    say(fd, request);
    studio.attacks++;
    return hear(fd, answer, sizeof answer);
}

// a new session
static void enter(void) {
    char head[200];
    const int fd = dial();
    snprintf(head, sizeof head,
             "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n\r\n", studio.path,
             studio.port);
    say(fd, head);
    assert_int_equal(hear(fd, answer, sizeof answer), 200);
    const char *cookie = strstr(answer, "holonom=");
    assert_non_null(cookie);
    snprintf(studio.cookie, sizeof studio.cookie, "%.40s", cookie);
}

static double clock_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void pause_for(double seconds) {
    poll(NULL, 0, (int)(1000 * seconds));
}

// ---- the server ----

static int begin(void **state) {
    int pipes[2];
    char line[200] = "";
    if (enter_place(state) != 0 || mkdir("own", 0700) != 0 || mkdir("own/inner", 0700) != 0 ||
        mkdir("tmp", 0700) != 0 || pipe(pipes) != 0)
        return -1;
    write_text("secret.csv", "SECRET,F\n0,1\n1,2\n");
    write_text("secret.yaml", "SECRET: 1\n");
    write_text("own/nodes.csv", "x,y\n0,0\n1,0\n");
    write_text("own/rod.mtx", "%%MatrixMarket matrix coordinate real general\n6 6 1\n1 1 1\n");
    write_text("own/inside.yaml", "holonom: 1\nspace: planar\n");
    write_text("own/model.yaml", pendulum);
    if (symlink("../secret.csv", "own/leak.csv") != 0)
        return -1;
    setenv("TMPDIR", "tmp", 1);
    studio.process = fork();
    if (studio.process == 0) {
        dup2(pipes[1], 1);
        execl(HOL_CLI_PATH, "holonom", "studio", "own/model.yaml", "--models", "own", "--limit",
              "20", (char *)NULL);
        _exit(127);
    }
    unsetenv("TMPDIR");
    close(pipes[1]);
    const ssize_t n = read(pipes[0], line, sizeof line - 1);
    close(pipes[0]);
    return n > 0 && sscanf(line, "http://127.0.0.1:%d%60s", &studio.port, studio.path) == 2 ? 0
                                                                                            : -1;
}

static int end(void **state) {
    kill(studio.process, SIGTERM);
    waitpid(studio.process, NULL, 0);
    print_message("attack: %d requests to the studio\n", studio.attacks);
    return leave_place(state);
}

// it answers as ever, and soon
static void alive(const char *after) {
    const double began = clock_now();
    const int status = ask("GET", "start", "");
    if (status != 200 || clock_now() - began > 5)
        fail_msg("after %s: %d in %.1f s", after, status, clock_now() - began);
}

// ---- names of files ----

#define BODY "bodies: [{name: rod, mass: 1, inertia: 1}]\n"
#define MODAL(M, K, N)                                                                             \
    "bodies: [{name: rod, type: modal, mass_matrix: " M ", stiffness_matrix: " K ", nodes: " N     \
    ", modes: 1}]\n"
static const struct {
    const char *text, *setting; // with FILE; setting: of the query, or ""
} naming[] = {
    {"tables: {t: {file: FILE, x: time, y: F}}\n" BODY, ""},
    {"parts: [{name: a, file: FILE}]\n" BODY, ""},
    {"include: FILE\n" BODY, ""},
    {"include: [inside.yaml, FILE]\n" BODY, ""},
    {"bodies: [{name: rod, mass: 1, inertia: 1, shape: {type: mesh, file: FILE}}]\n", ""},
    {"x-own: &a {file: FILE, x: time, y: F}\ntables: {t: {<<: *a}}\n" BODY, ""},
    {MODAL("FILE", "rod.mtx", "nodes.csv"), ""},
    {MODAL("rod.mtx", "FILE", "nodes.csv"), ""},
    {MODAL("rod.mtx", "rod.mtx", "FILE"), ""},
    {BODY, "input_file.F=FILE"},
    {BODY, "rod.shape.file=FILE"},
    {BODY, "rod.shape=%7Btype:%20mesh,file:%20FILE%7D"},
    {MODAL("rod.mtx", "rod.mtx", "nodes.csv"), "rod.mass_matrix=FILE"},
};
enum { NAMING = sizeof naming / sizeof *naming };
static char whole[PATH_MAX]; // path of the secret
static const char *const outside[] = {
    "../secret.csv",          "leak.csv", whole, "/etc/passwd", "/proc/self/environ",
    "inner/../../secret.csv", "/dev/zero"};
enum { OUTSIDE = sizeof outside / sizeof *outside };

static void put_file(char *out, size_t size, const char *text, const char *file) {
    const char *at = strstr(text, "FILE");
    if (at)
        snprintf(out, size, "%.*s%s%s", (int)(at - text), text, file, at + 4);
    else
        snprintf(out, size, "%s", text);
}

static void no_secret(const char *what) {
    if (strstr(answer, "SECRET") || strstr(answer, "root:") || strstr(answer, "PATH="))
        fail_msg("%s tells: %s", what, answer);
}

static void model_of(int k, const char *file, char *model, char *query, size_t size) {
    char text[900], setting[400];
    put_file(text, sizeof text, naming[k].text, file);
    put_file(setting, sizeof setting, naming[k].setting, file);
    snprintf(model, size,
             "holonom: 1\nspace: planar\ninputs: {F: 0}\n%soutputs: [rod.x]\n"
             "simulation: {end: 0.1, step: 0.1}\n",
             text);
    snprintf(query, size, "%s%s", setting[0] ? "?set=" : "", setting);
}

// a run; waits for a place. It was refused, or ended without a result
static void try_run(const char *query, const char *model) {
    char path[1300];
    int status = 0;
    snprintf(path, sizeof path, "runs%s", query);
    for (int i = 0; i < 200 && (status = ask("POST", path, model)) == 429; i++)
        pause_for(0.1);
    studio.attacks++;
    no_secret(model);
    if (status == 400)
        return;
    const char *id = strstr(answer, "\"id\":");
    if (status != 202 || !id)
        fail_msg("%s: %d\n%s", path, status, answer);
    snprintf(path, sizeof path, "runs/%d", atoi(id + 5));
    for (int i = 0; i < 300; i++) {
        ask("GET", path, "");
        if (!strstr(answer, "\"running\""))
            break;
        pause_for(0.05);
    }
    no_secret(model);
    if (!strstr(answer, "\"invalid\""))
        fail_msg("not refused: %s %s\n%s", query, model, answer);
    strcat(path, "/report");
    ask("GET", path, "");
    no_secret(model);
}

static void test_names(void **state) {
    (void)state;
    char model[1200], query[1200];
    assert_non_null(realpath("secret.csv", whole));
    enter();
    for (int k = 0; k < NAMING; k++)
        for (int i = 0; i < OUTSIDE; i++) {
            if (naming[k].setting[0])
                continue; // (a check has no settings)
            model_of(k, outside[i], model, query, sizeof model);
            while (ask("POST", "check", model) == 429)
                pause_for(0.1);
            studio.attacks++;
            no_secret(model);
            if (!strstr(answer, "\"ok\":false"))
                fail_msg("not refused: %s\n%s", model, answer);
        }
    for (int k = 0; k < NAMING; k++) {
        model_of(k, outside[k % OUTSIDE], model, query, sizeof model);
        try_run(query, model);
    }
    alive("names");
}

// ---- requests ----

static void test_requests(void **state) {
    (void)state;
    static const char *const paths[] = {"models/../secret.yaml",
                                        "models/%2e%2e/secret.yaml",
                                        "models/..%2fsecret.yaml",
                                        "models//etc/passwd",
                                        "models/inner/../../secret.yaml",
                                        "models/%2fetc%2fpasswd",
                                        "models/model.yaml%00",
                                        "models/.%2e/secret.yaml",
                                        "models/leak.csv",
                                        "runs/1/../../token",
                                        "runs/-1",
                                        "runs/99999999999999999999",
                                        "runs/1/err.txt",
                                        "file/../model.yaml",
                                        "../start",
                                        "models/%5c..%5csecret",
                                        "runs/1%00/report",
                                        "models/"};
    char long_path[1500], head[2600];
    enter();
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        const int status = ask("GET", paths[i], "");
        studio.attacks++;
        no_secret(paths[i]);
        if (status != 404 && strcmp(paths[i], "models/model.yaml%00") != 0)
            fail_msg("%s: %d", paths[i], status);
    }
    memset(long_path, 'a', sizeof long_path - 1);
    long_path[sizeof long_path - 1] = 0;
    memcpy(long_path, "models/", 7);
    assert_int_equal(ask("GET", long_path, ""), 404);
    // by another name (a page of elsewhere whose name leads here), from another page, without a name
    static const char *const wrong[] = {"Host: evil.example",
                                        "Host: 127.0.0.1",
                                        "Host: 127.0.0.1:1",
                                        "Host: [::1]:1",
                                        "Host: localhost.evil.example",
                                        "X: y",
                                        "Host: 127.0.0.1:%d.evil.example",
                                        "Host: 127.0.0.1:%d\r\nOrigin: http://evil.example",
                                        "Host: 127.0.0.1:%d\r\nOrigin: null",
                                        "Host: 127.0.0.1:%d\r\nOrigin: https://127.0.0.1:%d",
                                        "Host: 127.0.0.1:%d\r\nOrigin: http://127.0.0.1:1"};
    static const char *const methods[] = {"GET", "POST", "PUT", "DELETE"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        for (int k = 0; k < 4; k++) {
            char lines[300], name[12];
            snprintf(name, sizeof name, "%d", studio.port);
            size_t n = 0;
            for (const char *c = wrong[i]; *c && n + 12 < sizeof lines; c++) {
                n += (size_t)snprintf(lines + n, sizeof lines - n, "%.*s",
                                      strncmp(c, "%d", 2) ? 1 : 12, strncmp(c, "%d", 2) ? c : name);
                c += strncmp(c, "%d", 2) == 0;
            }
            snprintf(head, sizeof head,
                     "%s %sstart HTTP/1.1\r\n%s\r\nCookie: %s\r\nConnection: close\r\n\r\n",
                     methods[k], studio.path, lines, studio.cookie);
            const int status = ask_raw(head);
            if (status != 404 && status != 400)
                fail_msg("%s: %d", head, status);
        }
    // without a session, or with one that is none
    static const char *const cookies[] = {"", "holonom=", "holonom=0", "x=y",
                                          "holonom=00000000000000000000000000000000"};
    for (size_t i = 0; i < sizeof cookies / sizeof *cookies; i++) {
        snprintf(
            head, sizeof head,
            "GET %sruns HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nCookie: %s\r\nConnection: close\r\n\r\n",
            studio.path, studio.port, cookies[i]);
        assert_int_equal(ask_raw(head), 403);
    }
    alive("requests");
}

// ---- many, slow, endless ----

enum { MANY = 300 };

static void open_many(int fds[MANY], const char *text) {
    for (int i = 0; i < MANY; i++) {
        fds[i] = dial();
        say(fds[i], text);
        studio.attacks++;
    }
}

static void close_many(const int fds[MANY]) {
    for (int i = 0; i < MANY; i++)
        close(fds[i]);
}

static void test_many(void **state) {
    (void)state;
    int fds[MANY];
    char head[400];
    enter();
    open_many(fds, "GET / HTTP/1.1\r\nHo"); // half a question
    alive("half questions");
    close_many(fds);
    open_many(fds, ""); // none
    alive("no questions");
    close_many(fds);
    // bodies that do not come, of a client that is allowed in
    snprintf(
        head, sizeof head,
        "POST %scheck HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nCookie: %s\r\nContent-Length: 9\r\n\r\nab",
        studio.path, studio.port, studio.cookie);
    open_many(fds, head);
    pause_for(1);
    enter();
    alive("bodies that do not come");
    close_many(fds);
    // answers that nobody reads, of a client with a session and of one that wants none
    for (int k = 0; k < 2; k++) {
        snprintf(head, sizeof head, "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nCookie: %s\r\n\r\n",
                 studio.path, studio.port, k ? "x=y" : studio.cookie);
        open_many(fds, head);
        pause_for(2); // (five new clients a second are let in)
        enter();
        alive("answers that nobody reads");
        close_many(fds);
    }
}

static void test_endless_body(void **state) {
    (void)state;
    char head[400], piece[4200];
    enter();
    const int fd = dial();
    snprintf(head, sizeof head,
             "POST %scheck HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nCookie: %s\r\n"
             "Transfer-Encoding: chunked\r\n\r\n",
             studio.path, studio.port, studio.cookie);
    say(fd, head);
    const int n = snprintf(piece, sizeof piece, "1000\r\n%04096d\r\n", 0);
    long sent = 0;
    for (ssize_t k = 1; k > 0 && sent < 64L << 20; sent += k)
        k = send(fd, piece, (size_t)n, MSG_NOSIGNAL);
    studio.attacks++;
    close(fd);
    if (sent > 32L << 20)
        fail_msg("a body of %ld bytes was taken", sent);
    alive("a body without an end");
}

// a text that takes long to read keeps nobody waiting
static void test_heavy(void **state) {
    (void)state;
    enum { WORDS = 500000 };
    char *text = malloc(2 * WORDS + 8), head[400];
    assert_non_null(text);
    memcpy(text, "x: [", 4);
    for (int i = 0; i < WORDS; i++)
        memcpy(text + 4 + 2 * i, "a,", 2);
    memcpy(text + 4 + 2 * WORDS - 1, "]\n", 3);
    enter();
    static const char *const paths[] = {"check", "runs"};
    for (int k = 0; k < 2; k++) {
        const int fd = dial();
        snprintf(head, sizeof head,
                 "POST %s%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nCookie: %s\r\nContent-Length: %zu\r\n"
                 "Connection: close\r\n\r\n",
                 studio.path, paths[k], studio.port, studio.cookie, strlen(text));
        say(fd, head);
        say(fd, text);
        struct pollfd heavy = {.fd = fd, .events = POLLIN};
        int others = 0;
        for (; others < 20 && poll(&heavy, 1, 0) == 0; others++)
            assert_int_equal(ask("GET", "runs", ""), 200);
        studio.attacks++;
        if (others < 3) // (one asks while the body comes)
            fail_msg("%s: only %d requests were served before it ended", paths[k], others);
        hear(fd, answer, sizeof answer);
    }
    free(text);
}

// ---- time: the server's own tables, with clocks set back ----

static void test_clocks(void **state) {
    (void)state;
    static HolStudio s;
    int pair[2];
    static const HolClientState states[] = {HOL_CLIENT_ASKS, HOL_CLIENT_ANSWERED, HOL_CLIENT_WAITS};
    for (int k = 0; k < 3; k++)
        for (int late = 0; late < 2; late++) {
            assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
            HolStudioClient *c = hol_studio_client_new(&s, pair[0]);
            hol_studio_client_becomes(c, states[k], -1);
            c->since -= late ? 61 : 1;
            hol_studio_guard(&s);
            struct pollfd p = {.fd = pair[1], .events = POLLIN};
            assert_int_equal(poll(&p, 1, 0) > 0, late && k < 2); // (who waits is not at fault)
            *c = (HolStudioClient){0};
            close(pair[0]);
            close(pair[1]);
        }
}

static void test_left(void **state) {
    (void)state;
    static HolStudio s;
    s.seconds = 1e6;
    for (int gone = 0; gone < 2; gone++) {
        HolStudioRun *run = &s.runs[gone];
        run->process = fork();
        if (run->process == 0) {
            for (;;)
                pause();
        }
        run->session = gone;
        run->state = HOL_RUN_RUNNING;
        run->began = hol_studio_now() - 1000;
        s.sessions[gone].used = hol_studio_now() - (gone ? 500 : 1);
    }
    hol_studio_poll(&s);
    assert_int_equal(s.runs[0].state, HOL_RUN_RUNNING);
    assert_int_equal(s.runs[1].state, HOL_RUN_ENDED);
    hol_studio_stop(&s, &s.runs[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names), cmocka_unit_test(test_requests),
        cmocka_unit_test(test_many),  cmocka_unit_test(test_endless_body),
        cmocka_unit_test(test_heavy), cmocka_unit_test(test_clocks),
        cmocka_unit_test(test_left)};
    if (!hol_studio_page_size)
        return 0; // (a build without the page)
    return cmocka_run_group_tests_name("studio under attack", tests, begin, end);
}

#else

int main(void) {
    return 0;
}

#endif
