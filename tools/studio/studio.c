// SPDX-License-Identifier: Apache-2.0
// The studio's life: a secret token, a private folder, a server on 127.0.0.1 that this thread
// drives until it is asked to stop. studio_http.c answers the requests.
#define _GNU_SOURCE // realpath
#include "tools/studio/studio.h"

#include "base/sized.h"
#include "io/result/read_result.h"
#include "tools/studio/studio_http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

double hol_studio_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int hol_studio_random(char out[HOL_STUDIO_TOKEN]) {
    unsigned char bytes[(HOL_STUDIO_TOKEN - 1) / 2];
    out[0] = 0;
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return 0;
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    return 1;
}

int hol_studio_same(const char *a, const char *b) {
    size_t n = strlen(a);
    if (n == 0 || strlen(b) != n)
        return 0; // the length is no secret
    unsigned different = 0;
    for (size_t i = 0; i < n; i++)
        different |= (unsigned char)(a[i] ^ b[i]);
    return different == 0;
}

int hol_bucket_take(HolBucket *b, double now, double rate, double most) {
    b->level = b->last > 0 ? fmin(most, b->level + rate * (now - b->last)) : most;
    b->last = now;
    if (b->level < 1)
        return 0;
    b->level -= 1;
    return 1;
}

static const char example[] = "holonom: 1\n"
                              "name: Pendulum\n"
                              "space: planar\n"
                              "gravity: [0, -9.81]\n"
                              "parameters: {L: 1, angle: 1.2}\n"
                              "ground: {points: {O: [0, 0]}}\n"
                              "bodies:\n"
                              "  - name: rod\n"
                              "    mass: 1\n"
                              "    inertia: \"L^2/12\"\n"
                              "    position: [\"L/2*sin(angle)\", \"-L/2*cos(angle)\"]\n"
                              "    angle: angle\n"
                              "    points: {top: [0, \"L/2\"], tip: [0, \"-L/2\"]}\n"
                              "joints:\n"
                              "  - {name: hinge, type: revolute, between: [ground.O, rod.top]}\n"
                              "simulation: {end: 5, tolerance: 1e-8, output_step: 0.02}\n";

static HolStatus take_options(HolStudio *s, const HolStudioOptions *o, HolError *err) {
    size_t length = 0;
    s->program = hol_arena_text(&s->arena, o->program);
    s->models = hol_arena_text(&s->arena, o->models);
    s->seconds = o->seconds > 0 ? o->seconds : 60;
    const char *slash = o->model ? strrchr(o->model, '/') : NULL;
    s->model_name = hol_arena_text(&s->arena, slash ? slash + 1 : o->model ? o->model : "");
    s->model_text = o->model ? hol_read_whole(&s->arena, o->model, &length) : example;
    if (o->model && !s->model_text)
        return hol_error_set(err, HOL_ERR_FILE, "%s: error: cannot be opened: %s", o->model,
                             strerror(errno));
    char real[PATH_MAX];
    s->model_path = o->model && realpath(o->model, real) ? hol_arena_text(&s->arena, real) : NULL;
    if (length > HOL_STUDIO_TEXT)
        return hol_error_set(err, HOL_ERR_INPUT, "%s: larger than %d bytes", o->model,
                             HOL_STUDIO_TEXT);
    if (o->model && memchr(s->model_text, 0, length))
        return hol_error_set(err, HOL_ERR_INPUT, "%s: error: it is no text", o->model);
    if (!s->program || s->arena.failed)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    return HOL_OK;
}

static HolStatus studio_set_up(HolStudio *s, const HolStudioOptions *o, HolError *err) {
    HolStatus status = take_options(s, o, err);
    if (status)
        return status;
    if (!hol_studio_random(s->token))
        return hol_error_set(err, HOL_ERR_FILE, "no random numbers from the system");
    const char *place = getenv("TMPDIR");
    if (!place || strlen(place) > 30)
        place = "/tmp";
    snprintf(s->folder, sizeof s->folder, "%s/holonom-studio-XXXXXX", place);
    if (!mkdtemp(s->folder)) {
        s->folder[0] = 0;
        return hol_error_set(err, HOL_ERR_FILE, "cannot make a folder in %s: %s", place,
                             strerror(errno));
    }
    status = hol_studio_listen(s, o->port, err);
    if (!status)
        snprintf(s->address, sizeof s->address, "http://127.0.0.1:%d/%s/", s->port, s->token);
    return status;
}

void hol_studio_options_sized(HolStudioOptions *out, size_t room) {
    const HolStudioOptions o = {0};
    hol_sized_make(out, room, &o, sizeof o);
}

HolStatus hol_studio_open(const HolStudioOptions *given, HolStudio **out, HolError *err) {
    HolStudioOptions own = hol_studio_options(), *o = &own;
    HolError problem;
    hol_error_clear(err);
    if (!out)
        return hol_error_set(err, HOL_ERR_INPUT, "there is no place for the studio: out is NULL");
    *out = NULL;
    if (hol_sized_take(o, sizeof *o, given, "hol_studio_options", &problem))
        return hol_error_set(err, HOL_ERR_INPUT, "HolStudioOptions: %s", problem.text);
    if (!o->program)
        return hol_error_set(err, HOL_ERR_INPUT, "the studio needs the path of the program");
    if (hol_studio_page_size == 0)
        return hol_error_set(err, HOL_ERR_UNSUPPORTED,
                             "this build has no studio page: install node and npm, then build "
                             "again (cmake says 'report page: on')");
    HolArena arena = {0};
    HolStudio *s = HOL_NEW(&arena, HolStudio, 1);
    if (!s)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    s->arena = arena;
    HolStatus status = studio_set_up(s, o, err);
    if (status)
        hol_studio_close(s);
    else
        *out = s;
    return status;
}

const char *hol_studio_address(const HolStudio *s) {
    return s ? s->address : "";
}

HolStatus hol_studio_serve(HolStudio *s, const volatile int *stop, HolError *err) {
    hol_error_clear(err);
    if (!s || !stop)
        return hol_error_set(err, HOL_ERR_INPUT, "a studio and a flag that stops it are needed");
    while (!*stop) {
        HolStatus status = hol_studio_wait(s, 100, err);
        if (status)
            return status;
        hol_studio_poll(s);
    }
    return HOL_OK;
}

void hol_studio_close(HolStudio *s) {
    if (!s)
        return;
    hol_studio_end(s);
    for (int i = 0; i < HOL_STUDIO_RUNS; i++)
        if (s->runs[i].state != HOL_RUN_FREE)
            hol_studio_forget(s, &s->runs[i]);
    if (s->folder[0])
        rmdir(s->folder);
    HolArena arena = s->arena; // the studio itself lives in it
    hol_arena_free(&arena);
}
