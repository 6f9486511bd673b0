// SPDX-License-Identifier: Apache-2.0
// What stands behind the dot of a name in an expression: quantities of bodies, points, joints,
// forces, and the columns of results that may stand in `outputs:` by themselves.
#include "io/model/read.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

// words with a space between them
typedef struct Parts {
    const char *usual;   // offered to the user
    const char *also;    // other names for the same
    const char *columns; // as an output by itself only
} Parts;

static const Parts anything = {"*", "", ""}; // of a type that is not known
static const Parts planar_point = {"x y vx vy ax ay", "", ""};
static const Parts spatial_point = {"x y z vx vy vz ax ay az", "", ""};
// points of bodies: the model knows accelerations of the centre of mass only
static const Parts planar_place = {"x y vx vy", "ax ay", ""};
static const Parts spatial_place = {"x y z vx vy vz", "ax ay az", ""};
static const Parts planar_rigid = {"x y angle vx vy omega ax ay alpha", "w", ""};
static const Parts spatial_rigid = {"x y z qw qx qy qz vx vy vz wx wy wz ax ay az "
                                    "omega_x omega_y omega_z alpha_x alpha_y alpha_z",
                                    "w p0 p1 p2 p3", "alx aly alz"};
static const Parts scalar = {"x v a", "vx rate ax", ""};
static const Parts planar_joint = {"angle rate displacement speed fx fy", "lambda", "tz"};
static const Parts spatial_joint = {"angle rate displacement speed fx fy fz", "lambda", "tx ty tz"};
static const Parts force = {"length angle rate", "", ""};
static const Parts motion = {"lambda", "", "effort"};
static const Parts constraint = {"lambda", "", ""};
static const Parts energy = {"", "", "kinetic potential total work numerical"};
static const Parts residual = {"", "", "position velocity acceleration"};
static const Parts step = {"", "", "size iterations"};

enum { MOST_LISTS = 8, MOST_WORDS = 64 };

static int has_word(const char *words, const char *word) {
    size_t length = strlen(word);
    for (; *words; words += strcspn(words, " "), words += *words == ' ')
        if (strncmp(words, word, length) == 0 && (words[length] == ' ' || !words[length]))
            return 1;
    return 0;
}

static const Parts *parts_of_body(const HolReader *r, const HolNode *body) {
    int plane = r->space == HOL_PLANAR;
    const HolNode *type = hol_node_get(body, "type");
    const HolKind *kind = type ? hol_kind_find(hol_body_kinds, type->text) : hol_body_kinds[0];
    if (!kind)
        return &anything;
    if (kind->body == HOL_COORDINATE)
        return &scalar;
    if (kind->body == HOL_POINT)
        return plane ? &planar_point : &spatial_point;
    return plane ? &planar_rigid : &spatial_rigid;
}

// everything that carries the name `owner`; one name may stand for several things
static int read_parts_of(const HolReader *r, const char *owner, const Parts *lists[MOST_LISTS]) {
    int plane = r->space == HOL_PLANAR, n = 0;
    const HolNameEntry *body = hol_names_find(&r->bodies, owner);
    if (body)
        lists[n++] = parts_of_body(r, body->item);
    if (strcmp(owner, "ground") == 0)
        lists[n++] = plane ? &planar_place : &spatial_place;
    if (hol_names_find(&r->joints, owner))
        lists[n++] = plane ? &planar_joint : &spatial_joint;
    if (hol_names_find(&r->forces, owner))
        lists[n++] = &force;
    if (hol_names_find(&r->motions, owner))
        lists[n++] = &motion;
    if (hol_names_find(&r->constraints, owner) || strcmp(owner, "constraint") == 0)
        lists[n++] = strcmp(owner, "constraint") == 0 ? &residual : &constraint;
    if (strcmp(owner, "energy") == 0 || strcmp(owner, "step") == 0)
        lists[n++] = strcmp(owner, "energy") == 0 ? &energy : &step;
    return n;
}

static int add_words(HolReader *r, const char *words, const char **list, int n) {
    for (; *words && n < MOST_WORDS; words += strcspn(words, " "), words += *words == ' ') {
        list[n] = hol_arena_text_n(r->arena, words, strcspn(words, " "));
        n += list[n] != NULL;
    }
    return n;
}

// the nearest word as a suggestion, or all words as the reason
static void give_hint(HolReader *r, const char *before, const char *part, const char *const *list,
                      int n, char suggestion[64]) {
    const char *nearest = hol_nearest_word(part, list, n);
    if (nearest && strlen(before) + strlen(nearest) < 63) {
        snprintf(suggestion, 64, "%s.%s", before, nearest);
        return;
    }
    size_t size = sizeof r->reason,
           used = (size_t)snprintf(r->reason, size, "; '%.64s' has ", before);
    for (int i = 0; i < n && used + 16 < size; i++)
        used += (size_t)snprintf(r->reason + used, size - used, "%s%s", i ? ", " : "", list[i]);
    if (n == 0)
        r->reason[0] = 0;
}

int hol_read_part_known(HolReader *r, const char *name, char suggestion[64]) {
    const Parts *lists[MOST_LISTS] = {r->space == HOL_PLANAR ? &planar_place : &spatial_place};
    const char *dot = strrchr(name, '.'), *part = dot + 1;
    const char *owner = hol_arena_text_n(r->arena, name, strcspn(name, "."));
    const char *before = hol_arena_text_n(r->arena, name, (size_t)(dot - name));
    const char *words[MOST_WORDS];
    int whole = r->output && strcmp(r->output, name) == 0, n = 1, n_words = 0, column = 0;
    if (!owner || !before)
        return 1;
    if (strchr(name, '.') == dot) // else a point: BODY.POINT.x
        n = read_parts_of(r, owner, lists);
    for (int i = 0; i < n; i++) {
        const Parts *p = lists[i];
        int is_column = has_word(p->columns, part);
        if (p == &anything || has_word(p->usual, part) || has_word(p->also, part) ||
            (whole && is_column))
            return 1;
        column |= is_column;
        n_words = add_words(r, p->usual, words, n_words);
        n_words = r->output ? add_words(r, p->columns, words, n_words) : n_words;
    }
    if (column)
        snprintf(r->reason, sizeof r->reason,
                 "; as a column of results it may stand in 'outputs', by itself only");
    else
        give_hint(r, before, part, words, n_words, suggestion);
    return 0;
}
