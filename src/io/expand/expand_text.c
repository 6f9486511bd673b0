// SPDX-License-Identifier: Apache-2.0
// Texts of parts and repeats.
//     leg{i}, leg{i + 1}   the value of an index, or of an expression of indices and parameters
//     R*cos(i*pi/3)        in expressions an index stands for its value
//     k*rod.x              in part leg1: leg1.k*leg1.rod.x
// What a part says of places it says in its own frame (origin p, axes A), but the model's quantities
// are global: x of a body in the part is the component of A^T (r - p) along x, and so are velocities,
// accelerations and reactions without p; an angle in the plane is that of the body minus the part's.
#include "io/expand/expand.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- building a text ----

static void text_put(HolExpand *x, HolTextOut *out, const char *text, size_t n, int from,
                     int step) {
    for (size_t i = 0; i < n && out->n <= HOL_EXPAND_TEXT; i++) {
        if (!HOL_GROW(x->r->arena, out->text, out->n, out->cap_text) ||
            !HOL_GROW(x->r->arena, out->from, out->n, out->cap_from))
            return;
        out->text[out->n] = text[i];
        out->from[out->n++] = from + step * (int)i;
    }
}

static void text_put_word(HolExpand *x, HolTextOut *out, const char *word, int from) {
    text_put(x, out, word, strlen(word), from, 0);
}

static void text_put_number(HolExpand *x, HolTextOut *out, double value, int from) {
    char number[HOL_NUMBER_SIZE];
    hol_text_print_number(value, number);
    const int negative = number[0] == '-';
    text_put_word(x, out, negative ? "(" : "", from);
    text_put_word(x, out, number, from);
    text_put_word(x, out, negative ? ")" : "", from);
}

// the text as the node's own; prefix: of a name
static void text_finish(HolExpand *x, const HolScope *s, HolNode *node, const HolTextOut *out,
                        int prefix) {
    if (out->n > HOL_EXPAND_TEXT) {
        hol_read_problem(x->r, node, -1, "the text becomes longer than %d characters",
                         HOL_EXPAND_TEXT);
        x->full = 1;
        return;
    }
    if ((size_t)out->n == node->length && !memcmp(out->text, node->text, node->length))
        return;
    if (!hol_expand_count(x, node, out->n / 16))
        return;
    char *text = hol_expand_carve(x, (size_t)out->n + 1);
    int *from = hol_expand_carve(x, sizeof(int) * ((size_t)out->n + 1));
    HolOrigin *origin = hol_expand_carve(x, sizeof *origin);
    if (!text || !from || !origin)
        return;
    memcpy(text, out->text, (size_t)out->n);
    memcpy(from, out->from, sizeof(int) * (size_t)out->n);
    text[out->n] = 0;
    from[out->n] = (int)node->length;
    *origin = (HolOrigin){s->origin ? s->origin->part : NULL, node->text, from, prefix};
    node->origin = origin;
    node->text = text;
    node->length = (size_t)out->n;
}

// ---- words of a text ----

static int expand_text_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int expand_text_digit(char c) {
    return c >= '0' && c <= '9';
}

// length of a name with dots
static size_t text_chain(const char *t) {
    size_t n = 0;
    if (!expand_text_letter(t[0]))
        return 0;
    while (expand_text_letter(t[n]) || expand_text_digit(t[n]) || t[n] == '.')
        n++;
    return n;
}

static size_t text_number(const char *t) {
    size_t n = 0;
    if (!expand_text_digit(t[0]) && !(t[0] == '.' && expand_text_digit(t[1])))
        return 0;
    while (expand_text_digit(t[n]) || t[n] == '.')
        n++;
    if ((t[n] == 'e' || t[n] == 'E') &&
        (expand_text_digit(t[n + 1]) ||
         ((t[n + 1] == '-' || t[n + 1] == '+') && expand_text_digit(t[n + 2]))))
        for (n += 2; expand_text_digit(t[n]);)
            n++;
    return n;
}

static const HolIndex *text_index(const HolScope *s, const char *t, size_t n) {
    for (const HolIndex *i = s->index; i; i = i->up)
        if (strlen(i->name) == n && !strncmp(i->name, t, n))
            return i;
    return NULL;
}

static int text_is(const char *t, size_t n, const char *const *words) {
    for (; *words; words++)
        if (strlen(*words) == n && !strncmp(*words, t, n))
            return 1;
    return 0;
}

// the longest start of a name, up to a dot, that a table knows with the part's name before it
static const HolNameEntry *text_known(const HolScope *s, const HolNameTable *names, const char *t,
                                      size_t n, size_t *length) {
    char name[HOL_OWNER_LENGTH];
    const size_t before = strlen(s->prefix);
    if (before + n >= sizeof name)
        return NULL;
    memcpy(name, s->prefix, before);
    memcpy(name + before, t, n);
    for (size_t k = n; k > 0; k--) {
        if (k < n && t[k] != '.')
            continue;
        name[before + k] = 0;
        const HolNameEntry *found = hol_name_table_find(names, name);
        *length = k;
        if (found)
            return found;
    }
    return NULL;
}

// ---- places in the part's frame ----

static const char *const frame_words[][3] = {{"x", "y", "z"},
                                             {"vx", "vy", "vz"},
                                             {"ax", "ay", "az"},
                                             {"wx", "wy", "wz"},
                                             {"fx", "fy", "fz"}};

// "leg1.rod.": what stands before the last word
static void text_put_owner(HolExpand *x, const HolScope *s, HolTextOut *out, const char *t,
                           size_t n, int from) {
    const int ground = n > 7 && !strncmp(t, "ground.", 7);
    text_put_word(x, out, ground ? "ground." : s->prefix, from);
    if (ground)
        text_put_word(x, out, s->prefix, from);
    text_put(x, out, t + (ground ? 7 : 0), n - (ground ? 7 : 0), from, 0);
}

static int text_is_coordinate(const HolNameEntry *body) {
    const HolNode *type = body ? hol_node_get(body->item, "type") : NULL;
    return type && type->type == HOL_NODE_SCALAR && !strcmp(type->text, "coordinate");
}

// sum_k A_kj (OWNER.word_k - p_k)
static void text_put_component(HolExpand *x, const HolScope *s, HolTextOut *out, const char *t,
                               size_t owner, const char *const words[3], int j, int from) {
    const HolPart *part = s->origin->part;
    const int point = words == frame_words[0], n = x->r->space == HOL_PLANAR ? 2 : 3;
    text_put_word(x, out, "(", from);
    for (int k = 0, any = 0; k < n; k++) {
        const double a = part->A[3 * k + j];
        if (a == 0)
            continue;
        text_put_word(x, out, any++ ? "+" : "", from);
        if (a != 1) {
            text_put_number(x, out, a, from);
            text_put_word(x, out, "*", from);
        }
        text_put_word(x, out, point ? "(" : "", from);
        text_put_owner(x, s, out, t, owner, from);
        text_put_word(x, out, words[k], from);
        if (point) {
            text_put_word(x, out, "-", from);
            text_put_number(x, out, part->at[k], from);
            text_put_word(x, out, ")", from);
        }
    }
    text_put_word(x, out, ")", from);
}

// component j of the quaternion conj(p_part) p
static void text_put_quaternion(HolExpand *x, const HolScope *s, HolTextOut *out, const char *t,
                                size_t owner, int j, int from) {
    static const char *const words[4] = {"qw", "qx", "qy", "qz"};
    static const int which[4][4] = {{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}};
    static const int sign[4][4] = {{1, 1, 1, 1}, {1, -1, -1, 1}, {1, 1, -1, -1}, {1, -1, 1, -1}};
    const double *p = s->origin->part->p;
    text_put_word(x, out, "(", from);
    for (int k = 0; k < 4; k++) {
        text_put_word(x, out, k ? "+" : "", from);
        text_put_number(x, out, sign[j][k] * p[k], from);
        text_put_word(x, out, "*", from);
        text_put_owner(x, s, out, t, owner, from);
        text_put_word(x, out, words[which[j][k]], from);
    }
    text_put_word(x, out, ")", from);
}

// a quantity that the part's frame changes; 0: it is none
static int text_put_placed(HolExpand *x, const HolScope *s, HolTextOut *out, const char *t,
                           size_t n, int from) {
    static const char *const quaternion[4][3] = {
        {"qw", "w", "p0"}, {"qx", "p1", NULL}, {"qy", "p2", NULL}, {"qz", "p3", NULL}};
    const HolPart *part = s->origin ? s->origin->part : NULL;
    size_t owner = n, length = 0;
    const int plane = x->r->space == HOL_PLANAR;
    while (owner > 0 && t[owner - 1] != '.')
        owner--;
    if (!part || !part->moved || owner < 2)
        return 0;
    const char *word = t + owner;
    const size_t w = n - owner;
    const HolNameEntry *body = text_known(s, &x->bodies, t, owner - 1, &length);
    if (text_is_coordinate(body))
        return 0;
    if (owner == 7 && !strncmp(t, "ground.", 7)) { // its own origin
        text_put_word(x, out, "0", from);
        return 1;
    }
    for (int i = 0; i < (part->turned ? 5 : 1); i++)
        for (int j = 0; j < (plane ? 2 : 3); j++)
            if (strlen(frame_words[i][j]) == w && !strncmp(word, frame_words[i][j], w)) {
                text_put_component(x, s, out, t, owner, frame_words[i], j, from);
                return 1;
            }
    if (!part->turned || !body || length != owner - 1)
        return 0;
    if (plane && w == 5 && !strncmp(word, "angle", 5)) {
        text_put_word(x, out, "(", from);
        text_put_owner(x, s, out, t, owner, from);
        text_put_word(x, out, "angle-", from);
        text_put_number(x, out, part->angle, from);
        text_put_word(x, out, ")", from);
        return 1;
    }
    for (int j = 0; j < 4 && !plane; j++)
        for (int k = 0; k < 3 && quaternion[j][k]; k++)
            if (strlen(quaternion[j][k]) == w && !strncmp(word, quaternion[j][k], w)) {
                text_put_quaternion(x, s, out, t, owner, j, from);
                return 1;
            }
    return 0;
}

// ---- expressions ----

// does the part put its name before t[0..n)?
static int text_is_of_part(HolExpand *x, const HolScope *s, const char *t, size_t n, int call,
                           HolTextRole role) {
    static const char *const globals[] = {"time", "pi", "energy", "constraint", "step", NULL};
    static const char *const operators[] = {"and", "or", "not", NULL};
    static const char *const own[] = {"length", "angle", "rate", NULL}; // of a spring, in its law
    const size_t first = strcspn(t, ".") < n ? strcspn(t, ".") : n;
    size_t length;
    if (!s->prefix[0] || text_is(t, first, globals) || text_is(t, n, operators) ||
        (call && first == n) || (role == HOL_TEXT_CURVE && n == 1 && t[0] == 's'))
        return 0;
    const int known =
        text_known(s, &x->names, t, n, &length) || text_known(s, &x->r->parameters, t, n, &length);
    return known || (role != HOL_TEXT_ANY && !text_is(t, n, own));
}

static void text_put_name(HolExpand *x, const HolScope *s, HolTextOut *out, const char *t, size_t n,
                          int from, HolTextRole role) {
    const HolIndex *index = text_index(s, t, n);
    size_t end = n;
    while (t[end] == ' ')
        end++;
    if (index) {
        text_put_number(x, out, index->value, from);
        return;
    }
    const int ground = !strncmp(t, "ground", 6) && (n == 6 || t[6] == '.');
    if (s->prefix[0] && ground && text_put_placed(x, s, out, t, n, from))
        return;
    if (s->prefix[0] && ground && memchr(t + 7, '.', n > 7 ? n - 7 : 0)) {
        text_put(x, out, t, 7, from, 1);
        text_put_word(x, out, s->prefix, from + 7);
        text_put(x, out, t + 7, n - 7, from + 7, 1);
        return;
    }
    if (ground || !text_is_of_part(x, s, t, n, t[end] == '(', role)) {
        text_put(x, out, t, n, from, 1);
        return;
    }
    if (text_put_placed(x, s, out, t, n, from))
        return;
    text_put_word(x, out, s->prefix, from);
    text_put(x, out, t, n, from, 1);
}

static void text_put_expression(HolExpand *x, const HolScope *s, HolTextOut *out, const char *t,
                                const int *from, HolTextRole role) {
    int behind_number = 0; // then a name is a unit
    for (size_t i = 0; t[i];) {
        size_t n = text_number(t + i);
        if (n) {
            text_put(x, out, t + i, n, from ? from[i] : (int)i, from ? 0 : 1);
            behind_number = 1;
        } else if ((n = text_chain(t + i))) {
            if (behind_number)
                text_put(x, out, t + i, n, from ? from[i] : (int)i, 1);
            else
                text_put_name(x, s, out, t + i, n, from ? from[i] : (int)i, role);
            behind_number = 0;
        } else {
            n = 1;
            text_put(x, out, t + i, n, from ? from[i] : (int)i, 1);
            behind_number &= t[i] == ' ';
        }
        i += n;
    }
}

// ---- indices in braces ----

static int text_uses_index(const HolScope *s, const char *t, size_t n) {
    for (size_t i = 0; i < n;) {
        size_t k = text_chain(t + i);
        if (k && text_index(s, t + i, k))
            return 1;
        i += k ? k : 1;
    }
    return 0;
}

// "{i + 1}" -> its value; 0: said what is wrong
static int text_put_braces(HolExpand *x, const HolScope *s, const HolNode *node, const char *t,
                           size_t n, int from) {
    HolNode inside = *node;
    double value;
    char number[32];
    inside.text = hol_arena_text_n(x->r->arena, t, n);
    inside.length = n;
    inside.column += from;
    if (!inside.text)
        return 0;
    hol_expand_text(x, s, &inside, HOL_TEXT_VALUE);
    if (!hol_read_number(x->r, &inside, "{..}", &value))
        return 0;
    if (value != floor(value) || fabs(value) > 1e9) {
        hol_read_problem(x->r, node, from, "'{%.*s}' must be a whole number, not %.10g", (int)n, t,
                         value);
        return 0;
    }
    snprintf(number, sizeof number, "%.0f", value + 0.0);
    text_put_word(x, &x->indexed, number, from);
    return 1;
}

// texts with {i}; returns 1 when there was one
static int text_indices(HolExpand *x, const HolScope *s, const HolNode *node) {
    int any = 0;
    if (!s->index || !strchr(node->text, '{'))
        return 0;
    x->indexed.n = 0; // (what stands in braces has none itself: it does not come here)
    for (size_t i = 0; i < node->length;) {
        const char *end = node->text[i] == '{' ? strchr(node->text + i, '}') : NULL;
        const size_t n = end ? (size_t)(end - node->text) - i - 1 : 0;
        if (end && !memchr(node->text + i + 1, '{', n) &&
            text_uses_index(s, node->text + i + 1, n)) {
            if (!text_put_braces(x, s, node, node->text + i + 1, n, (int)i))
                text_put_word(x, &x->indexed, "0", (int)i); // said; read on
            any = 1;
            i += n + 2;
        } else {
            text_put(x, &x->indexed, node->text + i, 1, (int)i, 1);
            i++;
        }
    }
    return any;
}

// ---- one text ----

// body, body.point, ground.point, a joint
static void text_put_thing(HolExpand *x, const HolScope *s, HolTextOut *out, const char *t,
                           const int *from) {
    const int ground = !strncmp(t, "ground", 6) && (!t[6] || t[6] == '.');
    const size_t n = strlen(t), head = ground ? (t[6] ? 7 : 6) : 0;
    for (size_t i = 0; i < n; i++) {
        if (i == head)
            text_put_word(x, out, s->prefix, from ? from[i] : (int)i);
        text_put(x, out, t + i, 1, from ? from[i] : (int)i, 1);
    }
}

static void text_put_file(HolExpand *x, const HolScope *s, HolTextOut *out, const char *t) {
    text_put_word(x, out, t[0] == '/' ? "" : s->folder, 0);
    text_put(x, out, t, strlen(t), 0, 1);
}

void hol_expand_text(HolExpand *x, const HolScope *s, HolNode *node, HolTextRole role) {
    if ((!s->prefix[0] && !s->index && role != HOL_TEXT_FILE) || node->setting || !node->length ||
        hol_node_is_null(node))
        return;
    const int indexed = text_indices(x, s, node);
    const char *t = node->text;
    const int *from = NULL;
    if (indexed) {
        // kept apart: the next stage writes to a buffer of its own
        char *copy = hol_expand_carve(x, (size_t)x->indexed.n + 1);
        int *map = hol_expand_carve(x, sizeof(int) * ((size_t)x->indexed.n + 1));
        if (!copy || !map)
            return;
        memcpy(copy, x->indexed.text, (size_t)x->indexed.n);
        memcpy(map, x->indexed.from, sizeof(int) * (size_t)x->indexed.n);
        copy[x->indexed.n] = 0;
        t = copy;
        from = map;
    }
    HolTextOut *out = &x->named;
    const size_t chain = text_chain(t);
    const int bare = chain && !t[chain];
    int prefix = 0;
    out->n = 0;
    if (role == HOL_TEXT_LOCAL && bare && !strchr(t, '.') && !text_index(s, t, chain))
        role = HOL_TEXT_WORD;
    if (role == HOL_TEXT_GROUND)
        role = bare && !strchr(t, '.') ? HOL_TEXT_NAME : HOL_TEXT_VALUE;
    if (role == HOL_TEXT_WORD || role == HOL_TEXT_NAME) {
        prefix = role == HOL_TEXT_NAME ? (int)strlen(s->prefix) : 0;
        text_put_word(x, out, role == HOL_TEXT_NAME ? s->prefix : "", 0);
        for (size_t i = 0; t[i]; i++)
            text_put(x, out, t + i, 1, from ? from[i] : (int)i, 1);
    } else if (role == HOL_TEXT_THING) {
        text_put_thing(x, s, out, t, from);
    } else if (role == HOL_TEXT_FILE) {
        text_put_file(x, s, out, t);
    } else {
        text_put_expression(x, s, out, t, from, role);
    }
    if (!x->r->arena->failed)
        text_finish(x, s, node, out, prefix);
}
