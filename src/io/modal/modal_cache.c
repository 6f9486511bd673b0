// SPDX-License-Identifier: Apache-2.0
// The cache of modal bodies, see modal_cache.h. A file is
//     "holonom modal 1\n"  KEY  SHA-256 of what follows  sizes (8 int32)  numbers  edges (int32)
// with the key and the hash in hexadecimal. From the sizes follow the places of all numbers and the
// length of the file, which must be exactly that; indices must lie inside, numbers must be finite.
#include "io/modal/modal_cache.h"

#include "base/sha256.h"
#include "io/atomic_file.h"
#include "io/result/read_result.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#if defined __x86_64__ || defined __i386__
#include <cpuid.h>
#endif

static const char MAGIC[] = "holonom modal 1\n";
enum { MAGIC_LENGTH = 16, HASH = 64, HEAD = MAGIC_LENGTH + 2 * HASH };
enum { ORDER, SPACE, NF, INTERFACES, NODES, EDGES, SIZES = 8 }; // the int32 behind the head
enum { BYTE_ORDER_MARK = 0x01020304, MOST_EDGES = 1 << 20 };
enum { COM = 3, INERTIA = 6, SCALARS = 2 + COM + INERTIA + 2 }; // mass length com inertia s0

// ---- places of the numbers ----

typedef struct Layout {
    int plane, nf, interfaces, nodes, edges;
    long omega, fields, places, points, shapes, end; // where they begin among the numbers
} Layout;

static Layout cache_layout(int plane, int nf, int interfaces, int nodes, int edges) {
    Layout l = {plane, nf, interfaces, nodes, edges, 0, 0, 0, 0, 0, 0};
    const long n = nf, square = n * n, turns = plane ? 1 : 3;
    l.omega = SCALARS;
    l.fields = l.omega + n; // plane C b h B, space J1 J2 C1
    l.places = l.fields + (plane ? 4 * n + square : 6 * n + 9 * square);
    l.points = l.places + interfaces * (3 + 3 * n + turns * n); // x, move, turn of interfaces
    l.shapes = l.points + 3L * nodes;
    l.end = l.shapes + 3L * nodes * n;
    return l;
}

static size_t cache_bytes(const Layout *l) { // behind the head
    return sizeof(int32_t) * SIZES + sizeof(double) * (size_t)l->end +
           sizeof(int32_t) * 2 * (size_t)l->edges;
}

// the arrays of a body in the order of the file; `put` 1: into x, 0: from x
typedef struct Walk {
    double *x;
    int put, failed;
    HolModel *m; // whose arena gets what is read
} Walk;

static void cache_array(Walk *w, const double **array, long n) {
    if (w->put) {
        if (n)
            memcpy(w->x, *array, sizeof(double) * (size_t)n);
    } else {
        *array = hol_model_keep(w->m, w->x, (int)n);
        w->failed |= !*array;
    }
    w->x += n;
}

static void cache_walk(Walk *w, const Layout *l, HolModal *b) {
    const long n = l->nf, square = n * n;
    cache_array(w, &b->omega, n);
    if (l->plane) {
        cache_array(w, &b->C, 2 * n);
        cache_array(w, &b->b, n);
        cache_array(w, &b->h, n);
        cache_array(w, &b->B, square);
    } else {
        cache_array(w, &b->J1, 6 * n);
        cache_array(w, &b->J2, 6 * square);
        cache_array(w, &b->C1, 3 * square);
    }
    HolModalInterface *list = (HolModalInterface *)b->interfaces;
    for (int i = 0; i < l->interfaces; i++) {
        if (w->put)
            memcpy(w->x, list[i].x, sizeof list[i].x);
        else
            memcpy(list[i].x, w->x, sizeof list[i].x);
        w->x += 3;
        cache_array(w, &list[i].move, 3 * n);
        cache_array(w, &list[i].turn, (l->plane ? 1 : 3) * n);
    }
    cache_array(w, &b->nodes, 3L * l->nodes);
    cache_array(w, &b->shapes, 3L * l->nodes * n);
}

// ---- the key ----

static void cache_add_number(HolSha256 *s, double x) {
    hol_sha256_add(s, &x, sizeof x);
}

// other kernels of the linear algebra round otherwise
static void cache_add_processor(HolSha256 *s) {
#if defined __x86_64__ || defined __i386__
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid(1, &a, &b, &c, &d))
        cache_add_number(s, (double)(a >> 4)); // family and model
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d))
        cache_add_number(s, (double)b); // AVX2, AVX-512
#endif
    cache_add_number(s, sizeof(void *));
}

// the SHA-256 that the model keeps of its files
static void cache_add_file(HolSha256 *s, const HolModel *m, const char *path) {
    for (int i = 0; i < m->n_files; i++) {
        const HolSourceFile *f = &m->files[i];
        if (f->path && f->sha256 && path && strcmp(f->path, path) == 0) {
            hol_sha256_add(s, f->sha256, HASH);
            return;
        }
    } // (without memory texts are NULL: the model says so)
}

void hol_modal_cache_key(const HolReader *r, const HolModalTarget *t, const HolModalDef *d,
                         char key[65]) {
    HolSha256 s;
    const char *version = hol_version();
    const HolModalParts *p = &t->parts;
    const int built = hol_read_modal_built(t);
    hol_sha256_begin(&s);
    hol_sha256_add(&s, MAGIC, MAGIC_LENGTH);
    hol_sha256_add(&s, version, strlen(version) + 1);
    cache_add_processor(&s);
    cache_add_number(&s, r->space == HOL_PLANAR ? 2 : 3);
    cache_add_number(&s, built);
    cache_add_number(&s, d->modes);
    cache_add_number(&s, d->keep);
    cache_add_number(&s, d->n_interfaces);
    for (int i = 0; i < d->n_interfaces; i++) {
        cache_add_number(&s, d->interfaces[i].n);
        for (int k = 0; k < d->interfaces[i].n; k++)
            cache_add_number(&s, d->interfaces[i].nodes[k]);
    }
    for (int i = 0; !built && i < 3; i++)
        cache_add_file(&s, r->model, t->files[i].path);
    if (built) {
        const size_t N = (size_t)p->n_nodes * (size_t)p->dof;
        cache_add_number(&s, p->n_nodes);
        hol_sha256_add(&s, p->nodes, sizeof(double) * 3 * (size_t)p->n_nodes);
        hol_sha256_add(&s, p->M, sizeof(double) * N * N);
        hol_sha256_add(&s, p->K, sizeof(double) * N * N);
    }
    hol_sha256_end(&s, key);
}

// ---- files ----

HolStatus hol_modal_cache_folder(const char *path, HolError *err) {
    struct stat info;
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return hol_error_set(err, HOL_ERR_FILE, "cannot make the cache folder '%.300s': %s", path,
                             strerror(errno));
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode))
        return hol_error_set(err, HOL_ERR_FILE, "the cache '%.300s' is no folder", path);
    return HOL_OK;
}

static const char *cache_path(HolReader *r, const char *key) {
    const size_t size = strlen(r->cache) + HASH + 16;
    char *path = hol_arena_alloc(r->arena, size);
    if (path)
        snprintf(path, size, "%s/%s.modal", r->cache, key);
    return path;
}

static void cache_remark(HolReader *r, const HolModalDef *d, const char *what, const char *path,
                         const char *why) {
    hol_model_add_remark(r->model, "cache", d->body.name, d->body.line, d->body.column,
                         "modal body '%.64s': %s '%.300s': %.200s", d->body.name, what, path, why);
}

// why the file cannot be used; NULL: it can
static const char *cache_wrong(const char *text, size_t length, const char *key, int plane,
                               const HolModalDef *d, Layout *l) {
    int32_t size[SIZES];
    char hash[HASH + 1];
    if (length < HEAD + sizeof size)
        return "it is too short";
    if (memcmp(text, MAGIC, MAGIC_LENGTH) != 0)
        return "it is no file of the cache, or of another version";
    if (memcmp(text + MAGIC_LENGTH, key, HASH) != 0)
        return "it was made from other data";
    memcpy(size, text + HEAD, sizeof size);
    if (size[ORDER] != BYTE_ORDER_MARK || size[SPACE] != (plane ? 2 : 3) || size[NF] < 1 ||
        size[NF] > HOL_MODAL_UNKNOWNS || size[INTERFACES] != d->n_interfaces || size[NODES] < 1 ||
        size[NODES] > HOL_MODAL_UNKNOWNS || size[EDGES] < 0 || size[EDGES] > MOST_EDGES)
        return "its sizes are wrong";
    *l = cache_layout(plane, size[NF], size[INTERFACES], size[NODES], size[EDGES]);
    if (length != HEAD + cache_bytes(l))
        return "its length is wrong";
    hol_sha256_text(text + HEAD, length - HEAD, hash);
    return memcmp(text + MAGIC_LENGTH + HASH, hash, HASH) == 0 ? NULL : "its bytes were changed";
}

static const char *cache_wrong_numbers(const double *x, const int32_t (*edges)[2],
                                       const Layout *l) {
    for (long i = 0; i < l->end; i++)
        if (!isfinite(x[i]))
            return "a number is not finite";
    for (int k = 0; k < l->nf; k++)
        if (!(x[l->omega + k] > 0))
            return "a frequency is not positive";
    for (int i = 0; i < l->edges; i++)
        for (int k = 0; k < 2; k++)
            if (edges[i][k] < 0 || edges[i][k] >= l->nodes)
                return "an edge has no such node";
    return x[0] > 0 && x[1] > 0 ? NULL : "the mass is not positive";
}

static int cache_take(HolReader *r, const HolModalDef *d, const Layout *l, double *x,
                      const int32_t (*edges)[2], HolModal *out, HolBodyDef *frame) {
    HolModel *m = r->model;
    HolModal b = {.nf = l->nf, .mass = x[0], .length = x[1]};
    Walk w = {.x = x + l->omega, .m = m};
    HolModalInterface *list = HOL_NEW(&m->arena, HolModalInterface, l->interfaces + 1);
    int(*kept)[2] = hol_arena_alloc(&m->arena, sizeof(int[2]) * ((size_t)l->edges + 1));
    if (!list || !kept)
        return 0;
    for (int i = 0; i < l->interfaces; i++) {
        list[i].name = hol_arena_text(&m->arena, d->interfaces[i].name);
        w.failed |= !list[i].name;
    }
    b.interfaces = list;
    b.n_interfaces = l->interfaces;
    b.n_nodes = l->nodes;
    b.edges = (const int(*)[2])kept;
    b.n_edges = l->edges;
    memcpy(b.s0, x + 2 + COM + INERTIA, sizeof b.s0);
    cache_walk(&w, l, &b);
    for (int i = 0; i < l->edges; i++)
        for (int k = 0; k < 2; k++)
            kept[i][k] = edges[i][k];
    if (w.failed || !hol_modal_stiffness(m, d, &b))
        return 0;
    frame->mass = b.mass;
    memset(frame->inertia, 0, sizeof frame->inertia);
    memcpy(frame->inertia, x + 2 + COM, sizeof(double) * INERTIA);
    *out = b;
    return hol_modal_stand(m, x + 2, frame);
}

int hol_modal_cache_find(HolReader *r, const char *key, const HolModalDef *d, HolModal *out,
                         HolBodyDef *frame) {
    HolArena scratch = {0};
    const char *path = cache_path(r, key), *why;
    struct stat info;
    size_t length = 0;
    Layout l;
    int found = 0;
    if (!path || lstat(path, &info) != 0)
        return 0;
    char *text = S_ISREG(info.st_mode) ? hol_read_whole(&scratch, path, &length) : NULL;
    const int no_memory = scratch.failed || (S_ISREG(info.st_mode) && errno == ENOMEM);
    why = text        ? cache_wrong(text, length, key, r->space == HOL_PLANAR, d, &l)
          : no_memory ? NULL // (it is computed anew, or there is none for that either)
                      : "it is no file";
    if (text && !why) {
        double *x = HOL_NEW(&scratch, double, l.end + 1);
        int32_t(*edges)[2] = hol_arena_alloc(&scratch, sizeof *edges * ((size_t)l.edges + 1));
        const char *at = text + HEAD + sizeof(int32_t) * SIZES;
        if (x && edges) {
            memcpy(x, at, sizeof(double) * (size_t)l.end);
            memcpy(edges, at + sizeof(double) * (size_t)l.end, sizeof *edges * (size_t)l.edges);
            why = cache_wrong_numbers(x, (const int32_t(*)[2])edges, &l);
            found = !why && cache_take(r, d, &l, x, (const int32_t(*)[2])edges, out, frame);
        }
    }
    if (why)
        cache_remark(r, d, "computed anew, because of the cache file", path, why);
    hol_arena_free(&scratch);
    return found;
}

// behind the head: sizes, numbers, edges
static void cache_fill(char *to, const Layout *l, const HolModal *made, const HolBodyDef *frame,
                       double *x) {
    const int32_t size[SIZES] = {BYTE_ORDER_MARK, l->plane ? 2 : 3, l->nf, l->interfaces,
                                 l->nodes,        l->edges,         0,     0};
    Walk w = {.x = x + l->omega, .put = 1};
    HolModal b = *made;
    x[0] = made->mass;
    x[1] = made->length;
    for (int i = 0; i < COM; i++)
        x[2 + i] = -frame->points[0].at[i];
    memcpy(x + 2 + COM, frame->inertia, sizeof(double) * INERTIA);
    memcpy(x + 2 + COM + INERTIA, made->s0, sizeof made->s0);
    cache_walk(&w, l, &b);
    memcpy(to, size, sizeof size);
    memcpy(to + sizeof size, x, sizeof(double) * (size_t)l->end);
    to += sizeof size + sizeof(double) * (size_t)l->end;
    for (int i = 0; i < l->edges; i++) {
        const int32_t pair[2] = {made->edges[i][0], made->edges[i][1]};
        memcpy(to + sizeof pair * (size_t)i, pair, sizeof pair);
    }
}

void hol_modal_cache_keep(HolReader *r, const char *key, const HolModalDef *d, const HolModal *made,
                          const HolBodyDef *frame) {
    HolArena scratch = {0};
    HolError err = {0};
    HolAtomicFile place;
    const Layout l = cache_layout(r->space == HOL_PLANAR, made->nf, made->n_interfaces,
                                  made->n_nodes, made->n_edges);
    const char *path = cache_path(r, key);
    const size_t bytes = cache_bytes(&l);
    char *text = hol_arena_alloc(&scratch, HEAD + bytes + 1);
    double *x = HOL_NEW(&scratch, double, l.end + 1);
    // (a link would lead the file to another place)
    struct stat info;
    if (path && lstat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
        cache_remark(r, d, "it is not kept in the cache file", path, "it is no file");
        path = NULL;
    }
    if (path && text && x) {
        char hash[HASH + 1];
        cache_fill(text + HEAD, &l, made, frame, x);
        hol_sha256_text(text + HEAD, bytes, hash);
        memcpy(text, MAGIC, MAGIC_LENGTH);
        memcpy(text + MAGIC_LENGTH, key, HASH);
        memcpy(text + MAGIC_LENGTH + HASH, hash, HASH);
        FILE *file = hol_file_choose(&place, &scratch, path, &err) == HOL_OK
                         ? hol_file_open(&place, &err)
                         : NULL;
        if (file) {
            const int whole = fwrite(text, 1, HEAD + bytes, file) == HEAD + bytes;
            if (!whole)
                hol_file_error(&place, strerror(errno), &err);
            HolError closing = {0};
            if (hol_file_close(&place, file, whole, &closing) != HOL_OK && whole)
                err = closing;
        }
        if (err.text[0])
            cache_remark(r, d, "it is not kept in the cache file", path, err.text);
    }
    hol_arena_free(&scratch);
}
