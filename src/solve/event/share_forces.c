// SPDX-License-Identifier: Apache-2.0
// Forces of rows that stick where equilibrium leaves some open (share.c). Any forces within their
// capacities will do; chosen are those with the smallest largest share of the capacity,
//   min y   with   |T_i + sum z_j B_ji| <= y capacity_i,   N >= 0 of contacts that are closed
// a linear program (math/minimax.h). It sticks while y <= 1; at y = 1 those that have reached their
// capacity slip together. What y leaves open is divided in the same way, with those that make y fixed, until
// nothing is open: so that the forces are unique and continuous. |.| of several rows is the largest
// of its parts along directions, which are added where they are missing. Capacities that depend on
// the reactions are those of the forces found, which is iterated.
#include "solve/constraint/project.h"
#include "solve/event/share.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_PASSES = 40, MOST_CUTS = 100 };
static const double SAME = 1e-13;    // relative change of capacities
static const double NOTHING = 1e-12; // of the largest capacity: less is none
static const double FLAT = 1e-9;     // it does not depend on z
static const double BEYOND = 1e-12;  // of y: a direction that is missing
static const double MAKES = 1e-9;    // weight of a function that y is made of
static const double REMAINS = 1e-7;  // length of what is left of a direction

// ---- the functions ----

static void add_force(HolShare *h, int grip, int row, int rows, const double *d) {
    if (h->n_forces >= h->room)
        return;
    HolShareForce *f = &h->force[h->n_forces++];
    *f = (HolShareForce){.grip = grip, .row = row, .rows = rows};
    memcpy(f->d, d, sizeof *d * (size_t)rows);
}

// row i of a and b at forces lambda
static void put_force(const HolSim *s, int i, const double *lambda, double unit) {
    HolShare *h = s->events->share;
    const HolShareForce *f = &h->force[i];
    const double most = f->grip >= 0 ? h->capacity[f->grip] : unit;
    h->b[i] = 0;
    h->hard[i] = f->grip < 0;
    for (int r = 0; r < f->rows; r++)
        h->b[i] += f->d[r] * lambda[f->row + r] / most;
    for (int j = 0; j < h->k; j++) {
        double sum = 0;
        for (int r = 0; r < f->rows; r++)
            sum += f->d[r] * h->basis[j * s->m + f->row + r];
        h->a[i * h->k + j] = sum / most;
    }
}

// all forces that take part, at lambda; capacities are known
static void list_forces(const HolSim *s, const double *lambda) {
    const HolEvents *e = s->events;
    HolShare *h = e->share;
    const double unit = hol_max_abs(lambda, s->m) + DBL_MIN;
    h->n_forces = 0;
    for (int i = 0; i < e->ns->n_grips; i++) {
        const HolGrip *g = &e->ns->grips[i];
        for (int r = 0; r < g->rows && h->group[i]; r++)
            for (int sign = -1; sign <= 1; sign += 2) {
                double d[3] = {0};
                d[r] = sign;
                add_force(h, i, g->row, g->rows, d);
            }
    }
    for (int i = 0; i < e->ns->n_supports; i++)
        if (e->ns->support_mode(s->p, s->work, i) == HOL_CLOSED)
            add_force(h, -1, e->ns->supports[i].row, 1, (double[]){1});
    for (int i = 0; i < h->n_forces; i++)
        put_force(s, i, lambda, unit);
}

// at lambda, all of them above zero; 0: none has any
static int find_capacities(HolSim *s, const HolState *x, const double *lambda, double *change) {
    const HolEvents *e = s->events;
    HolShare *h = e->share;
    HolPoint at = *HOL_AT(x);
    double most = 0;
    at.lambda = lambda;
    *change = 0;
    for (int i = 0; i < h->n; i++) {
        const int g = h->grip[i];
        if (h->group[g])
            most = fmax(most, e->ns->capacity(s->p, s->work, &at, g) * sqrt(h->size[i]));
    }
    for (int i = 0; i < h->n && most > 0; i++) {
        const int g = h->grip[i];
        if (!h->group[g] || (i && h->grip[i - 1] == g))
            continue;
        const double c = fmax(e->ns->capacity(s->p, s->work, &at, g),
                              NOTHING * most / (sqrt(h->size[i]) + DBL_MIN));
        *change = fmax(*change, fabs(c - h->capacity[g]) / c);
        h->capacity[g] = c;
    }
    return most > 0;
}

// ---- one level ----

// a and b of those that are not fixed and depend on u, z = z0 + R u; how many
static int list_live(HolShare *h, const double *R, int open) {
    const int k = h->k;
    int n = 0, soft = 0;
    for (int i = 0; i < h->n_forces; i++) {
        double *row = h->rows + n * open, size = 0;
        if (h->force[i].fixed)
            continue;
        h->values[n] = h->b[i];
        for (int j = 0; j < k; j++)
            h->values[n] += h->a[i * k + j] * h->z[j];
        for (int c = 0; c < open; c++) {
            row[c] = 0;
            for (int j = 0; j < k; j++)
                row[c] += h->a[i * k + j] * R[j * open + c];
            size = fmax(size, fabs(row[c]));
        }
        if (!(size > FLAT))
            continue;
        h->live[n++] = i;
    }
    for (int i = 0; i < n; i++)
        soft += h->force[h->live[i]].grip >= 0;
    return soft ? n : 0;
}

// directions in which grips of several rows have more than y; how many were added
static int add_directions(const HolSim *s, const double *z, double y, const double *lambda) {
    const HolNonsmooth *ns = s->events->ns;
    HolShare *h = s->events->share;
    int added = 0;
    for (int i = 0; i < ns->n_grips; i++) {
        const HolGrip *g = &ns->grips[i];
        double T[3] = {0}, sum = 0;
        if (g->rows < 2 || !h->group[i])
            continue;
        for (int r = 0; r < g->rows; r++) {
            T[r] = lambda[g->row + r];
            for (int j = 0; j < h->k; j++)
                T[r] += z[j] * h->basis[j * s->m + g->row + r];
            sum += T[r] * T[r];
        }
        const double size = sqrt(sum);
        int fixed = 0;
        for (int f = 0; f < h->n_forces; f++)
            fixed |= h->force[f].grip == i && h->force[f].fixed;
        if (fixed || !(size > (1 + BEYOND) * y * h->capacity[i]) || h->n_forces >= h->room)
            continue;
        for (int r = 0; r < g->rows; r++)
            T[r] /= size;
        add_force(h, i, g->row, g->rows, T);
        put_force(s, h->n_forces - 1, lambda, 1);
        added++;
    }
    return added;
}

// what y is made of is fixed: R loses the directions along which it would change; those left
static int reduce_open(HolSim *s, int n, double *R, int open) {
    HolShare *h = s->events->share;
    double *Q = h->reduce + HOL_SHARE_MOST * HOL_SHARE_MOST;
    int q = 0, left = 0;
    for (int i = 0; i < n; i++)
        if (h->weight[i] > MAKES)
            for (int f = 0; f < h->n_forces; f++)
                h->force[f].fixed |=
                    f == h->live[i] || (h->force[h->live[i]].grip >= 0 &&
                                        h->force[f].grip == h->force[h->live[i]].grip);
    // the rows of what is fixed (of several rows, every part), then unit vectors, made orthogonal
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < (pass ? open : n) && q + left < open; i++) {
            double v[HOL_SHARE_MOST] = {0}, size = 0, rest = 0;
            if (!pass && !h->force[h->live[i]].fixed)
                continue;
            for (int c = 0; c < open; c++) {
                v[c] = pass ? c == i : h->rows[i * open + c];
                size += v[c] * v[c];
            }
            for (int twice = 0; twice < 2; twice++)
                for (int j = 0; j < q + left; j++) {
                    double dot = 0;
                    for (int c = 0; c < open; c++)
                        dot += v[c] * Q[j * open + c];
                    for (int c = 0; c < open; c++)
                        v[c] -= dot * Q[j * open + c];
                }
            for (int c = 0; c < open; c++)
                rest += v[c] * v[c];
            if (!(sqrt(rest) > REMAINS * sqrt(size)))
                continue;
            for (int c = 0; c < open; c++)
                Q[(q + left) * open + c] = v[c] / sqrt(rest);
            q += !pass;
            left += pass;
        }
    double row[HOL_SHARE_MOST], next[HOL_SHARE_MOST];
    for (int j = 0; j < h->k; j++) {
        memcpy(row, R + j * open, sizeof *row * (size_t)open);
        for (int c = 0; c < left; c++) {
            double sum = 0;
            for (int i = 0; i < open; i++)
                sum += row[i] * Q[(q + c) * open + i];
            next[c] = sum;
        }
        memcpy(R + j * left, next, sizeof *R * (size_t)left);
    }
    return q ? left : 0;
}

// h->z of the program; 0: it has no solution
static int solve_levels(HolSim *s, const double *lambda) {
    HolShare *h = s->events->share;
    double *R = h->reduce;
    int open = h->k, n, solved = 0;
    memset(h->z, 0, sizeof *h->z * (size_t)h->k);
    for (int j = 0; j < open; j++) { // in units in which functions change by about 1
        double unit = 0;
        for (int i = 0; i < h->n_forces; i++)
            unit = fmax(unit, fabs(h->a[i * open + j]));
        for (int c = 0; c < open; c++)
            R[j * open + c] = c == j && unit > 0 ? 1 / unit : 0;
    }
    while (open > 0) {
        double z[HOL_SHARE_MOST], before[HOL_SHARE_MOST];
        for (int cut = 0;; cut++) {
            n = list_live(h, R, open);
            HolMinimax p = {n,    open, h->rows,   h->values, h->hard,
                            h->u, 0,    h->weight, h->work,   h->columns};
            for (int i = 0; i < n; i++)
                h->hard[i] = h->force[h->live[i]].grip < 0;
            if (!n || !hol_minimax(&p))
                return solved;
            for (int j = 0; j < h->k; j++) {
                z[j] = h->z[j];
                for (int c = 0; c < open; c++)
                    z[j] += R[j * open + c] * h->u[c];
            }
            if (cut == MOST_CUTS || !add_directions(s, z, p.y, lambda))
                break;
            for (int j = 0; j < h->k; j++) // (also half way to the one before: fewer are needed)
                before[j] = cut ? 0.5 * (z[j] + before[j]) : z[j];
            add_directions(s, before, p.y, lambda);
        }
        solved = 1;
        memcpy(h->z, z, sizeof *z * (size_t)h->k);
        open = reduce_open(s, n, R, open);
    }
    return solved;
}

// the program at hand is the last one, bit by bit; it becomes that
static int was_asked(HolSim *s, const HolState *x) {
    HolShare *h = s->events->share;
    const double *const parts[3] = {x->lambda, h->basis, h->capacity};
    const int sizes[3] = {s->m, h->k * s->m, s->events->ns->n_grips};
    double *to = h->asked;
    int same = h->known == h->k;
    for (int i = 0; i < 3; to += sizes[i++]) {
        same = same && !memcmp(to, parts[i], sizeof *to * (size_t)sizes[i]);
        if (!same)
            memcpy(to, parts[i], sizeof *to * (size_t)sizes[i]);
    }
    h->known = h->k;
    return same;
}

static void forces_by_program(HolSim *s, HolState *x) {
    HolShare *h = s->events->share;
    double change, *lambda = h->lambda;
    memcpy(lambda, x->lambda, sizeof *lambda * (size_t)s->m);
    for (int pass = 0; pass < MOST_PASSES; pass++) {
        if (pass && (!find_capacities(s, x, x->lambda, &change) || change < SAME))
            return;
        list_forces(s, lambda);
        if (!solve_levels(s, lambda))
            return;
        for (int i = 0; i < s->m; i++) {
            double value = lambda[i];
            for (int j = 0; j < h->k; j++)
                value += h->z[j] * h->basis[j * s->m + i];
            x->lambda[i] = value;
        }
    }
}

void hol_share_forces(HolSim *s, HolState *x) {
    HolShare *h = s->events->share;
    double change;
    memset(h->capacity, 0, sizeof *h->capacity * (size_t)s->events->ns->n_grips);
    if (!find_capacities(s, x, x->lambda, &change))
        return;
    const int same = was_asked(s, x);
    if (same)
        memcpy(x->lambda, h->answer, sizeof *h->answer * (size_t)s->m);
    else
        forces_by_program(s, x);
    memcpy(h->answer, x->lambda, sizeof *h->answer * (size_t)s->m);
}
