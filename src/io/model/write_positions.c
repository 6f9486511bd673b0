// SPDX-License-Identifier: Apache-2.0
// A model file with other positions: the text stays as it is but for the places of the bodies and
// their velocities. Values that stand there are replaced, missing ones are added behind the name of
// the body, in the way the file is written (a block or {..}).
//     plane   position: [x, y]      angle: a
//     space   position: [x, y, z]   orientation: {quaternion: [w, x, y, z]}
//     all     velocity, omega, omega_body: zero where they stand
// What was said by the initial positions is said in numbers then: joints placed by `bodies:` in global
// axes get a place on each body, springs without free length or angle get it.
// What was written is read again before it gets its name: it must be a model with these positions.
#include "holonom/equilibrium.h"

#include "base/error.h"
#include "base/text.h"
#include "io/atomic_file.h"
#include "io/model/model_text.h"
#include "io/yaml.h"
#include "math/vec.h"
#include "model/model.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// a piece of the text to be replaced
typedef struct Edit {
    size_t begin, end; // bytes
    char text[640];
} Edit;

typedef struct Writer {
    HolArena arena;
    const HolModel *m;
    const double *q;
    const char *text;
    size_t length;
    Edit *edits;
    int n_edits, capacity;
    unsigned char *done; // by body
    int joint, force;    // that comes next
    HolError *err;
} Writer;

static HolStatus write_positions_no(Writer *w, const char *why, const char *name) {
    return hol_error_set(w->err, HOL_ERR_UNSUPPORTED,
                         "the file cannot be written with other positions: %s%s%s%s", why,
                         name ? " '" : "", name ? name : "", name ? "'" : "");
}

// ---- values ----

static void write_positions_list(char *out, size_t size, const double *x, int n) {
    char number[HOL_NUMBER_SIZE];
    size_t used = (size_t)snprintf(out, size, "[");
    for (int i = 0; i < n && used < size; i++) {
        hol_text_print_number(x[i] == 0 ? 0 : x[i], number);
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "", number);
    }
    snprintf(out + used, size - used, "]");
}

// What stands behind a key of a body; 0: the key does not belong to it
static int write_positions_value(const Writer *w, const HolBody *b, const char *key, char *out,
                                 size_t size) {
    static const double none[3] = {0};
    const int plane = w->m->space == HOL_PLANAR, n = plane ? 2 : 3;
    const int scalar = !hol_body_placed(&b->def), rigid = hol_body_turns(&b->def);
    const int position = !strcmp(key, "position");
    const double *q = w->q + b->q;
    char list[200];
    if (position || !strcmp(key, "velocity")) {
        if (scalar)
            hol_text_print_number(position && q[0] != 0 ? q[0] : 0, out);
        else
            write_positions_list(out, size, position ? q : none, n);
        return 1;
    }
    if (!strcmp(key, "angle")) {
        if (rigid && plane)
            hol_text_print_number(q[2] == 0 ? 0 : q[2], out);
        return rigid && plane;
    }
    if (!strcmp(key, "orientation")) {
        write_positions_list(list, sizeof list, q + 3, 4);
        snprintf(out, size, "{quaternion: %s}", list);
        return rigid && !plane;
    }
    if (plane)
        snprintf(out, size, "0");
    else
        write_positions_list(out, size, none, 3);
    return rigid;
}

// what assembly must not change, without velocities: drives may ask for some
static void write_positions_exact(const HolBody *b, int plane, char *out, size_t size) {
    const int position = b->def.exact & HOL_EXACT_POSITION, angle = b->def.exact & HOL_EXACT_ANGLE;
    snprintf(out, size, "[%s%s%s]", position ? "position" : "", position && angle ? ", " : "",
             !angle  ? ""
             : plane ? "angle"
                     : "orientation");
}

// ---- edits ----

static int write_positions_add(Writer *w, size_t begin, size_t end, const char *format,
                               const char *key, const char *value) {
    if (!HOL_GROW(&w->arena, w->edits, w->n_edits, w->capacity))
        return 0;
    Edit *e = &w->edits[w->n_edits++];
    e->begin = begin;
    e->end = end;
    snprintf(e->text, sizeof e->text, format, key, value);
    return 1;
}

// value of a key: in place of the one there, or behind the first of the item, as ", key: value" or a
// line of its own
static int write_positions_set(Writer *w, const HolTextItem *item, const char *key,
                               const char *value) {
    const HolTextPair *there = hol_text_item_find(item, key), *first = &item->pair[0];
    char format[64], indent[40];
    if (there)
        return write_positions_add(w, there->begin, there->end, "%.0s%s", key, value);
    const char *quote = first->quoted ? "\"" : "";
    size_t at = first->end;
    if (item->flow) {
        snprintf(format, sizeof format, ", %s%%s%s: %%s", quote, quote);
        return write_positions_add(w, at, at, format, key, value);
    }
    const char *line = memchr(w->text + at, '\n', w->length - at);
    at = line ? (size_t)(line - w->text) + 1 : w->length;
    snprintf(indent, sizeof indent, "%*s", first->indent < 32 ? first->indent : 32, "");
    snprintf(format, sizeof format, "%s%s%s%%s%s: %%s%s", line ? "" : "\n", indent, quote, quote,
             line ? "\n" : "");
    return write_positions_add(w, at, at, format, key, value);
}

// a key and its value go, from the one before on (or up to the one behind)
static int write_positions_drop(Writer *w, const HolTextItem *item, const char *key) {
    const HolTextPair *there = hol_text_item_find(item, key);
    if (!there)
        return 1;
    if (there > item->pair)
        return write_positions_add(w, there[-1].end, there->end, "", key, "");
    return item->n < 2 || write_positions_add(w, there->at, there[1].at, "", key, "");
}

static HolStatus write_positions_memory(Writer *w, int ok) {
    return ok ? HOL_OK : hol_error_set(w->err, HOL_ERR_MEMORY, "out of memory");
}

// ---- bodies, joints, forces ----

static HolStatus write_positions_body(Writer *w, const HolTextItem *item) {
    static const char *const keys[] = {"position", "angle", "orientation",
                                       "velocity", "omega", "omega_body"};
    char value[256];
    const HolTextPair *name = hol_text_item_find(item, "name");
    int i = 1, ok = 1;
    while (name && i < hol_visible_bodies(w->m) &&
           strcmp(w->m->def.bodies[i].def.name, name->value) != 0)
        i++;
    for (int k = 0; name && k < w->m->beams.n; k++)
        if (strcmp(w->m->beams.list[k].name, name->value) == 0)
            return write_positions_no(w,
                                      "there is no key for the nodes of a beam (simulation: "
                                      "{start_at: equilibrium} starts a run there), here of",
                                      name->value);
    if (!name || i == hol_visible_bodies(w->m))
        return write_positions_no(w, "there is no body", name ? name->value : "");
    const HolBody *b = &w->m->def.bodies[i];
    w->done[i] = 1;
    for (int k = 0; k < 6; k++)
        if (write_positions_value(w, b, keys[k], value, sizeof value) &&
            (k < 3 || hol_text_item_find(item, keys[k])))
            ok &= write_positions_set(w, item, keys[k], value);
    write_positions_exact(b, w->m->space == HOL_PLANAR, value, sizeof value);
    if (hol_text_item_find(item, "exact"))
        ok &= write_positions_set(w, item, "exact", value);
    return write_positions_memory(w, ok);
}

// "{body: b, at: [..], axis: [..]}"
static void write_positions_place(const Writer *w, const HolAttach *a, char *out, size_t size) {
    const int n = w->m->space == HOL_PLANAR ? 2 : 3;
    char list[120];
    write_positions_list(list, sizeof list, a->at, n);
    size_t used =
        (size_t)snprintf(out, size, "{body: %s, at: %s", w->m->def.bodies[a->body].def.name, list);
    write_positions_list(list, sizeof list, a->axis, n);
    if (a->has_axis && used < size)
        used += (size_t)snprintf(out + used, size - used, ", axis: %s", list);
    write_positions_list(list, sizeof list, a->x, n);
    if (a->has_x && used < size)
        used += (size_t)snprintf(out + used, size - used, ", x: %s", list);
    if (used < size)
        snprintf(out + used, size - used, "}");
}

// a place given in the initial configuration becomes one of each body
static HolStatus write_positions_joint(Writer *w, const HolTextItem *item) {
    if (w->joint >= w->m->def.n_joints)
        return write_positions_no(w, "its joints are not written one by one", NULL);
    const HolJoint *j = &w->m->def.joints[w->joint++];
    const HolTextPair *bodies = hol_text_item_find(item, "bodies");
    char a[240], b[240];
    if (!j->def.global_frame || !bodies)
        return HOL_OK;
    write_positions_place(w, &j->a, a, sizeof a);
    write_positions_place(w, &j->b, b, sizeof b);
    int ok =
        write_positions_add(w, bodies->at, bodies->end,
                            bodies->quoted ? "\"between\": [%s, %s]" : "between: [%s, %s]", a, b);
    ok &= write_positions_drop(w, item, "at") && write_positions_drop(w, item, "axis") &&
          write_positions_drop(w, item, "x");
    return write_positions_memory(w, ok);
}

// the free turn of a bushing, where it is the initial one
static void write_positions_turn(const Writer *w, const HolForce *f, char *out, size_t size) {
    const HolModel *m = w->m;
    HolFrame a, b;
    double turn[3];
    hol_initial_frame(m, f->a.body, &a);
    hol_initial_frame(m, f->b.body, &b);
    Quat relative = q_mul(q_conj(q_load(a.p)), q_load(b.p));
    v3_store(turn, q_log(relative));
    if (m->space == HOL_SPATIAL)
        write_positions_list(out, size, turn, 3);
    else
        hol_text_print_number(
            m->def.bodies[f->b.body].def.angle - m->def.bodies[f->a.body].def.angle, out);
}

// a spring that is free in the initial configuration gets that length or angle
static HolStatus write_positions_force(Writer *w, const HolTextItem *item) {
    if (w->force >= w->m->def.n_forces)
        return write_positions_no(w, "its forces are not written one by one", NULL);
    const HolForce *f = &w->m->def.forces[w->force++];
    char value[160];
    const int length = hol_kind_takes(f->kind, "length"), angle = hol_kind_takes(f->kind, "angle");
    if ((!length || f->def.length) && (!angle || f->def.n_angle))
        return HOL_OK;
    if (f->row >= 0)
        hol_text_print_number(hol_row_initial(w->m, &w->m->sys.rows[f->row]), value);
    else
        write_positions_turn(w, f, value, sizeof value);
    return write_positions_memory(w,
                                  write_positions_set(w, item, length ? "length" : "angle", value));
}

static HolStatus write_positions_take(void *user, const char *section, const HolTextItem *item) {
    return !strcmp(section, "bodies")   ? write_positions_body(user, item)
           : !strcmp(section, "joints") ? write_positions_joint(user, item)
                                        : write_positions_force(user, item);
}

// all bodies, joints and forces of the file
static HolStatus write_positions_scan(Writer *w) {
    static const char *const sections[] = {"bodies", "joints", "forces", NULL};
    const char *why;
    HolStatus status =
        hol_model_text_walk(w->text, w->length, sections, write_positions_take, w, &why);
    if (status == HOL_ERR_MEMORY)
        return hol_error_set(w->err, HOL_ERR_MEMORY, "out of memory");
    if (why)
        return write_positions_no(w, why, NULL);
    for (int i = 1; !status && i < hol_visible_bodies(w->m); i++)
        if (!w->done[i])
            status =
                write_positions_no(w, "it does not hold the body", w->m->def.bodies[i].def.name);
    return status;
}

// ---- the new text ----

// in the order of the text; edits at one place stay in theirs
static void write_positions_sort(Writer *w) {
    for (int i = 1; i < w->n_edits; i++) {
        const Edit e = w->edits[i];
        int k = i;
        for (; k > 0 && w->edits[k - 1].begin > e.begin; k--)
            w->edits[k] = w->edits[k - 1];
        w->edits[k] = e;
    }
}

static char *write_positions_text(Writer *w, size_t *length) {
    size_t room = w->length + 1, from = 0, used = 0;
    for (int i = 0; i < w->n_edits; i++)
        room += sizeof w->edits[i].text;
    char *out = HOL_NEW(&w->arena, char, room);
    write_positions_sort(w);
    for (int i = 0; out && i < w->n_edits; i++) {
        const Edit *e = &w->edits[i];
        memcpy(out + used, w->text + from, e->begin - from);
        used += e->begin - from;
        const size_t n = strlen(e->text);
        memcpy(out + used, e->text, n);
        used += n;
        from = e->end;
    }
    if (out) {
        memcpy(out + used, w->text + from, w->length - from);
        *length = used + w->length - from;
    }
    return out;
}

// 1: both have the same forces and constraints at q
static int write_positions_same(Writer *w, const HolModel *m[2], double t, const double *q) {
    const int nv = m[0]->problem.nv, nh = m[0]->problem.nh;
    double *f[2], *g[2], largest = 0;
    const double *v = HOL_NEW(&w->arena, double, nv + 1);
    const double *vars = HOL_NEW(&w->arena, double, m[0]->problem.nw + 1);
    for (int k = 0; k < 2; k++) {
        const HolProblem *p = hol_model_problem(m[k]);
        void *work = hol_arena_alloc(&w->arena, p->work_size);
        f[k] = HOL_NEW(&w->arena, double, nv + 1);
        g[k] = HOL_NEW(&w->arena, double, nh + 1);
        if (w->arena.failed || (p->work_init && p->work_init(p, work) != HOL_OK))
            return 0;
        const HolPoint at = {.t = t, .q = q, .v = v, .w = vars};
        p->force(p, work, &at, f[k]);
        if (nh)
            p->constraint(p, work, &at, g[k]);
    }
    int same = 1;
    for (int i = 0; i < nv; i++)
        largest = fmax(largest, fabs(f[0][i]));
    for (int i = 0; i < nv; i++)
        same &= fabs(f[0][i] - f[1][i]) <= 1e-8 * (1e-3 + largest);
    for (int i = 0; i < nh; i++)
        same &= fabs(g[0][i] - g[1][i]) <= 1e-8 * (1 + fabs(g[0][i]));
    return same;
}

// Is it the same mechanism in these positions, at rest? Compared where it began and where it rests.
static HolStatus write_positions_verify(Writer *w, const char *file, const char *text,
                                        size_t length) {
    HolModel *m = NULL;
    HolError problem;
    HolSimOptions o;
    const HolProblem *p = hol_model_problem(w->m);
    double *q = HOL_NEW(&w->arena, double, p->nq + 1), *v = HOL_NEW(&w->arena, double, p->nv + 1);
    if (!q || !v)
        return hol_error_set(w->err, HOL_ERR_MEMORY, "out of memory");
    const HolStatus status = hol_model_parse(text, length, file, NULL, 0, &m, &o, &problem);
    if (status == HOL_ERR_MEMORY)
        return hol_error_set(w->err, HOL_ERR_MEMORY, "out of memory");
    const int read = status == HOL_OK;
    const HolProblem *now = read ? hol_model_problem(m) : NULL;
    int same = read && now->nq == p->nq && now->nv == p->nv && now->nh == p->nh && now->nw == p->nw;
    if (same) {
        hol_model_initial(m, q, v, NULL, NULL);
        for (int i = 0; i < p->nq; i++)
            same &= fabs(q[i] - w->q[i]) <= 1e-12 * (1 + fabs(q[i]));
        for (int i = 0; i < p->nv; i++)
            same &= v[i] == 0;
        const HolModel *both[2] = {w->m, m};
        same &= write_positions_same(w, both, o.start, w->q);
        hol_model_initial(w->m, q, v, NULL, NULL);
        same = same && write_positions_same(w, both, o.start, q);
    }
    hol_model_destroy(m);
    if (!same && w->arena.failed)
        return hol_error_set(w->err, HOL_ERR_MEMORY, "out of memory");
    return same   ? HOL_OK
           : read ? write_positions_no(w, "something in it depends on the initial positions", NULL)
                  : write_positions_no(w, "with these numbers in place it is not a model", NULL);
}

static HolStatus write_positions_put(Writer *w, const char *to, const char *text, size_t length) {
    HolAtomicFile place;
    HolStatus status = hol_file_choose(&place, &w->arena, to, w->err);
    FILE *file = status ? NULL : hol_file_open(&place, w->err);
    if (!file)
        return status ? status : HOL_ERR_FILE;
    const int ok = fwrite(text, 1, length, file) == length;
    if (!ok)
        status = hol_file_error(&place, strerror(errno), w->err);
    HolStatus closed = hol_file_close(&place, file, ok, ok ? w->err : NULL);
    return status ? status : closed;
}

static HolStatus write_positions_all(Writer *w, const char *from, const char *to) {
    size_t length = 0;
    w->done = HOL_NEW(&w->arena, unsigned char, hol_visible_bodies(w->m) + 1);
    if (!w->done)
        return hol_error_set(w->err, HOL_ERR_MEMORY, "out of memory");
    HolStatus status = write_positions_scan(w);
    if (status)
        return status;
    const char *text = write_positions_text(w, &length);
    if (!text)
        return hol_error_set(w->err, HOL_ERR_MEMORY, "out of memory");
    status = write_positions_verify(w, from, text, length);
    return status ? status : write_positions_put(w, to, text, length);
}

HolStatus hol_model_write_positions(const HolModel *m, const char *from, const char *to,
                                    const double *q, HolError *err) {
    Writer w = {.m = m, .q = q, .err = err};
    hol_error_clear(err);
    if (!m || !hol_model_problem(m) || !from || !to || !q)
        return hol_error_set(err, HOL_ERR_INPUT,
                             "a compiled model, two files and positions are needed");
    FILE *file = fopen(from, "rb");
    if (!file)
        return hol_error_set(err, HOL_ERR_FILE, "%s: error: cannot be opened: %s", from,
                             strerror(errno));
    long size = -1;
    if (fseek(file, 0, SEEK_END) == 0)
        size = ftell(file);
    char *text = size >= 0 && size < HOL_YAML_BYTES ? HOL_NEW(&w.arena, char, size + 1) : NULL;
    rewind(file);
    if (text)
        w.length = fread(text, 1, (size_t)size, file);
    w.text = text;
    fclose(file);
    HolStatus status = text && w.length == (size_t)size
                           ? write_positions_all(&w, from, to)
                           : hol_error_set(err, w.arena.failed ? HOL_ERR_MEMORY : HOL_ERR_FILE,
                                           "%s: error: cannot be read%s", from,
                                           w.arena.failed ? ": out of memory" : "");
    hol_arena_free(&w.arena);
    return status;
}
