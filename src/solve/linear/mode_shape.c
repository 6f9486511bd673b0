// SPDX-License-Identifier: Apache-2.0
// Shapes of modes: names of coordinates, scaling, who moves.
//   largest displacement 1: max(|x|, length |rotation|), real where it is largest
//   share of a body: sum over its coordinates of Re(conj(u) (M u)) over the sum of all
// Rotations of bodies in space are turned into global axes.
#include "solve/linear/modes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int hol_modes_names(HolModesMade *m) {
    HolSim *s = m->s;
    HolModes *o = &m->modes;
    const HolProblemExtras *extras = s->p->extras;
    const char **names = HOL_NEW(&m->arena, const char *, s->nv + 1);
    const char **bodies = HOL_NEW(&m->arena, const char *, s->nv + 1);
    int *owner = HOL_NEW(&m->arena, int, s->nv + 1);
    static const char *const about[] = {"rx", "ry", "rz"};
    if (m->arena.failed)
        return 0;
    for (int i = 0; i < s->nv; i++) {
        char name[160];
        if (s->p->coordinate_name)
            s->p->coordinate_name(s->p, i, name, sizeof name);
        else
            snprintf(name, sizeof name, "coordinate %d", i + 1);
        char *dot = strrchr(name, '.');
        const int fresh = i == 0 || !extras->body || extras->body[i] != extras->body[i - 1];
        if (dot && strncmp(dot + 1, "rotation", 8) == 0)
            snprintf(dot + 1, sizeof name - (size_t)(dot + 1 - name), "%s",
                     about[name[strlen(name) - 1] - 'x']);
        names[i] = hol_arena_text(&m->arena, name);
        if (dot)
            *dot = 0;
        if (fresh)
            bodies[o->n_bodies++] = hol_arena_text(&m->arena, name);
        owner[i] = o->n_bodies - 1;
    }
    o->n_coordinates = s->nv;
    o->coordinates = names;
    o->bodies = bodies;
    o->body_of = owner;
    return !m->arena.failed;
}

// rotations of shape (re, im alternating) into global axes; size of each coordinate for comparison
static void mode_shape_global(HolModesMade *m, double *shape, double *weight) {
    HolSim *s = m->s;
    const HolProblemExtras *extras = s->p->extras;
    m->length = 0;
    for (int i = 0; i < s->nv; i++)
        weight[i] = 1;
    for (int i = 0; i < extras->n_parts; i++) {
        int translation, rotation;
        double A[9], r[6];
        extras->part(s->p, i, m->x->q, &translation, &rotation, A);
        for (int k = 0; translation >= 0 && k < extras->dimensions; k++)
            m->length = fmax(m->length, s->reach[translation + k]);
        const int n = rotation < 0 ? 0 : extras->dimensions == 3 ? 3 : 1;
        for (int k = 0; k < n; k++)
            weight[rotation + k] = -1;
        if (n < 3)
            continue;
        memcpy(r, shape + 2 * rotation, sizeof r);
        for (int k = 0; k < 6; k++)
            shape[2 * rotation + k] = A[3 * (k / 2)] * r[k % 2] +
                                      A[3 * (k / 2) + 1] * r[2 + k % 2] +
                                      A[3 * (k / 2) + 2] * r[4 + k % 2];
    }
    if (m->length <= 0)
        m->length = 1;
    for (int i = 0; i < s->nv; i++)
        weight[i] = weight[i] < 0 ? m->length : 1;
}

static void mode_direction(const double a[3], char *out, size_t size) {
    static const char *const axis[] = {"x", "y", "z"};
    const double length = hypot(hypot(a[0], a[1]), a[2]);
    for (int k = 0; k < 3; k++)
        if (fabs(a[k]) > (1 - 1e-9) * length) {
            snprintf(out, size, "%s", axis[k]);
            return;
        }
    double b[3];
    int most = 0;
    for (int k = 1; k < 3; k++)
        most = fabs(a[k]) > fabs(a[most]) * (1 + 1e-9) ? k : most;
    for (int k = 0; k < 3; k++) // either of the two directions means the same
        b[k] = fabs(a[k]) < 1e-6 * length ? 0 : a[k] / copysign(length, a[most]);
    snprintf(out, size, "(%.3g, %.3g, %.3g)", b[0], b[1], b[2]);
}

// "rod turns about z"
static void mode_motion(const HolModesMade *m, int body, const double *shape, char *out,
                        size_t size) {
    const HolModes *o = &m->modes;
    double move[3] = {0}, turn[3] = {0};
    char where[64];
    int plane_turn = 0, coordinate = 0, first = 0;
    while (first < o->n_coordinates && o->body_of[first] != body)
        first++;
    for (int i = first; i < o->n_coordinates && o->body_of[i] == body; i++) {
        const char *key = strrchr(o->coordinates[i], '.');
        const double value = shape[2 * i];
        key = key ? key + 1 : "";
        if (key[0] == 'r' && key[1] >= 'x' && key[1] <= 'z' && !key[2])
            turn[key[1] - 'x'] = value;
        else if (key[0] >= 'x' && key[0] <= 'z' && !key[1])
            move[key[0] - 'x'] = value;
        else if (strcmp(key, "angle") == 0) {
            turn[2] = value;
            plane_turn = 1;
        } else
            coordinate = 1;
    }
    const double turned = hypot(hypot(turn[0], turn[1]), turn[2]);
    const double moved = hypot(hypot(move[0], move[1]), move[2]);
    if (coordinate)
        snprintf(out, size, "%s", o->bodies[body]);
    else if (turned * m->length > 1e-6 * moved && plane_turn)
        snprintf(out, size, "%s turns", o->bodies[body]);
    else if (turned * m->length > 1e-6 * moved) {
        mode_direction(turn, where, sizeof where);
        snprintf(out, size, "%s turns about %s", o->bodies[body], where);
    } else {
        mode_direction(move, where, sizeof where);
        snprintf(out, size, "%s moves along %s", o->bodies[body], where);
    }
}

// the body with the largest share in words, the others above 5 % by name
static void mode_words(const HolModesMade *m, const double *share, HolMode *out) {
    const HolModes *o = &m->modes;
    int most = 0;
    size_t used = 0;
    for (int b = 1; b < o->n_bodies; b++)
        if (share[b] > share[most] * (1 + 1e-9))
            most = b;
    mode_motion(m, most, out->shape, out->text, sizeof out->text);
    const char *join = ", with ";
    for (int b = 0; b < o->n_bodies; b++) {
        used = strlen(out->text);
        if (b == most || share[b] < 0.05)
            continue;
        if (used + strlen(o->bodies[b]) + 16 > sizeof out->text) {
            snprintf(out->text + used, sizeof out->text - used, " ..");
            return;
        }
        snprintf(out->text + used, sizeof out->text - used, "%s%s", join, o->bodies[b]);
        join = ", ";
    }
}

// nothing moves: the first-order state that changes most, over its size
static void mode_state(const HolModesMade *m, const double *u[2], HolMode *out) {
    const HolProblemExtras *e = m->s->p->extras;
    double most = -1;
    snprintf(out->text, sizeof out->text, "nothing moves");
    for (int i = 0; i < e->n_states; i++) {
        const int k = e->states[i];
        const double size = hypot(u[0][k], u[1] ? u[1][k] : 0) / m->s->reach[k];
        if (!(size > most))
            continue;
        most = size;
        snprintf(out->text, sizeof out->text, "state %s, and nothing moves",
                 m->modes.bodies[m->modes.body_of[k]]);
    }
}

// what moves is round-off beside the states
static int is_state_alone(const HolModesMade *m, const double *d[2], const double *u[2]) {
    static const double NOISE = 1e-10;
    const HolProblemExtras *e = m->s->p->extras;
    double moves = 0, changes = 0;
    for (int part = 0; part < 2; part++) {
        for (int i = 0; d[part] && i < m->s->nv - e->n_hidden; i++)
            moves = fmax(moves, fabs(d[part][i]) / m->s->reach[i]);
        for (int i = 0; u[part] && i < e->n_states; i++)
            changes = fmax(changes, fabs(u[part][e->states[i]]) / m->s->reach[e->states[i]]);
    }
    return moves <= NOISE * changes;
}

HolMode *hol_mode_make(HolModesMade *m, const double *d[2], const double *u[2],
                       const double *Mu[2]) {
    const int n = m->s->nv;
    HolMode *out = HOL_NEW(&m->arena, HolMode, 1);
    double *shape = HOL_NEW(&m->arena, double, 2 * n + 2), *weight;
    double *share = HOL_NEW(&m->arena, double, m->modes.n_bodies + 1), sum = 0, most = 0;
    weight = HOL_NEW(&m->arena, double, n + 1);
    if (m->arena.failed)
        return NULL;
    // hidden coordinates are no motion
    const int seen = is_state_alone(m, d, u) ? 0 : n - m->s->p->extras->n_hidden;
    for (int i = 0; i < seen; i++) {
        double e = 0;
        for (int part = 0; part < 2; part++)
            if (d[part]) {
                shape[2 * i + part] = d[part][i];
                e += u[part][i] * Mu[part][i];
            }
        share[m->modes.body_of[i]] += e;
        sum += e;
    }
    for (int b = 0; b < m->modes.n_bodies; b++)
        share[b] = sum > 0 ? share[b] / sum : 0;
    mode_shape_global(m, shape, weight);
    m->modes.length = m->length;
    int at = 0;
    for (int i = 0; i < n; i++) {
        const double size = weight[i] * hypot(shape[2 * i], shape[2 * i + 1]);
        if (size > most * (1 + 1e-9)) {
            most = size;
            at = i;
        }
    }
    // divide by the largest, with its phase
    const double re = shape[2 * at] * weight[at], im = shape[2 * at + 1] * weight[at];
    const double square = most > 0 ? re * re + im * im : 1;
    for (int i = 0; i < n; i++) {
        const double a = shape[2 * i], b = shape[2 * i + 1];
        shape[2 * i] = (a * re + b * im) / square;
        shape[2 * i + 1] = (b * re - a * im) / square;
    }
    out->shape = shape;
    out->share = share;
    if (most > 0)
        mode_words(m, share, out);
    else
        mode_state(m, u, out);
    return out;
}

// Gauss-Jordan with the largest entry left as pivot
static void mode_shape_reduce(const HolModesMade *m, double *D, int k) {
    const int n = m->s->nv;
    for (int j = 0; j < k; j++) {
        int at = 0, column = j;
        double most = -1;
        for (int c = j; c < k; c++)
            for (int i = 0; i < n; i++)
                if (fabs(D[n * c + i]) / m->s->reach[i] > most * (1 + 1e-6)) {
                    most = fabs(D[n * c + i]) / m->s->reach[i];
                    at = i;
                    column = c;
                }
        for (int i = 0; i < n; i++) {
            const double swap = D[n * j + i];
            D[n * j + i] = D[n * column + i];
            D[n * column + i] = swap;
        }
        const double pivot = D[n * j + at];
        for (int i = 0; i < n; i++)
            D[n * j + i] /= pivot;
        for (int c = 0; c < k; c++)
            if (c != j) {
                const double factor = D[n * c + at];
                for (int i = 0; i < n; i++)
                    D[n * c + i] -= factor * D[n * j + i];
            }
    }
}

// something of the mechanism moves, or a state: not only coordinates of closed rows
static int mode_shape_moves(const HolModesMade *m, const double *d) {
    const HolProblemExtras *e = m->s->p->extras;
    int moves = 0;
    for (int i = 0; i < m->s->nv - e->n_hidden; i++)
        moves |= d[i] != 0;
    for (int i = 0; i < e->n_states; i++)
        moves |= d[e->states[i]] != 0;
    return moves;
}

int hol_modes_free(HolModesMade *m, double *D, int k,
                   void (*mass)(const void *user, const double *x, double *y), const void *user) {
    const int n = m->s->nv;
    double *Md = HOL_NEW(&m->arena, double, n + 1);
    m->free = HOL_NEW(&m->arena, const HolMode *, k + 1);
    if (m->arena.failed)
        return 0;
    mode_shape_reduce(m, D, k);
    for (int j = 0; j < k && !m->arena.failed; j++) {
        const double *d[2] = {D + n * j, NULL}, *Mu[2] = {Md, NULL};
        for (int i = 0; i < n; i++)
            if (fabs(D[n * j + i]) < 1e-9 * m->s->reach[i])
                D[n * j + i] = 0;
        if (!mode_shape_moves(m, D + n * j))
            continue;
        mass(user, D + n * j, Md);
        m->free[m->modes.n_free] = hol_mode_make(m, d, d, Mu);
        m->modes.n_free += m->free[m->modes.n_free] != NULL;
    }
    m->modes.free_motions = m->free;
    return !m->arena.failed;
}

// q = x (+) d in steps after which the constraints are closed; where that fails, it goes on without
static void mode_shape_walk(HolSim *s, double *d, double *moved, double *q) {
    double size = 0;
    for (int i = 0; i < s->nv; i++)
        size = fmax(size, fabs(d[i]) / s->reach[i]);
    const int steps = s->nv > HOL_LINEAR_DENSE ? 1 : 1 + (int)fmin(30, size / 0.03);
    int closes = 1;
    for (int i = 0; i < s->nv; i++)
        d[i] /= steps;
    memcpy(q, s->x.q, sizeof *q * (size_t)s->nq);
    for (int k = 0; k < steps; k++) {
        s->p->retract(s->p, s->work, q, d, q);
        memcpy(moved, q, sizeof *q * (size_t)s->nq);
        if (closes && hol_project_position(s, s->x.t, q, 0, NULL) != HOL_OK) {
            closes = 0;
            memcpy(q, moved, sizeof *q * (size_t)s->nq);
        }
    }
}

HolStatus hol_modes_positions(HolSim *s, const HolModes *m, const HolMode *mode, double amplitude,
                              double phase, double *q, HolError *err) {
    hol_error_clear(err);
    if (!s || !m || !mode || !q || m->n_coordinates != s->nv)
        return hol_error_set(err, HOL_ERR_INPUT, "a run, its modes and a mode are needed");
    const HolProblemExtras *extras = s->p->extras;
    HolArena arena = {0};
    double *d = HOL_NEW(&arena, double, s->nv + 1), *moved = HOL_NEW(&arena, double, s->nq + 1);
    HolStatus status = HOL_OK;
    if (arena.failed)
        status = hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    for (int i = 0; !status && i < s->nv; i++)
        d[i] = amplitude * (mode->shape[2 * i] * cos(phase) - mode->shape[2 * i + 1] * sin(phase));
    for (int i = 0; !status && extras->dimensions == 3 && i < extras->n_parts; i++) {
        int translation, r;
        double A[9], turn[3];
        extras->part(s->p, i, s->x.q, &translation, &r, A);
        if (r < 0)
            continue;
        memcpy(turn, d + r, sizeof turn); // from global axes into those of the body
        for (int k = 0; k < 3; k++)
            d[r + k] = A[k] * turn[0] + A[3 + k] * turn[1] + A[6 + k] * turn[2];
    }
    if (!status) {
        const HolStats stats = s->stats;
        mode_shape_walk(s, d, moved, q);
        status = hol_mass_factor(s, s->x.t, s->x.q, err); // as the run has left it
        s->stats = stats;
    }
    hol_arena_free(&arena);
    return status;
}
