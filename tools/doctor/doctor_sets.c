// SPDX-License-Identifier: Apache-2.0
// Minimal dependent sets of rows. In a loop, a wrench of self-stress is written in the rows of every
// joint: the rows with a part in it depend on each other. In reduced echelon form in the rows of the
// joint that closed the loop every wrench has one of these rows for itself: its set is minimal, since
// all other rows with a part in it are independent. What loops do not explain one by one (several loops
// together, gears, equations) is found by the sparse QR of the remaining rows of G: each dependent row
// with the rows of its combination.
#include "math/saddle/kkt.h"
#include "solve/run/error_test.h"
#include "tools/doctor/doctor.h"

#include <math.h>
#include <string.h>

static const double PIVOT = 1e-9; // of a dependent row, as in assembly
enum { TOLD = 200 };              // sets across loops of a large mechanism that are told

// ---- building a set ----

typedef struct SetRows {
    HolArena *arena;
    HolDoctorRow *rows;
    int n, capacity;
} SetRows;

static void sets_add_row(SetRows *s, const char *joint, const char *row) {
    if (HOL_GROW(s->arena, s->rows, s->n, s->capacity))
        s->rows[s->n++] = (HolDoctorRow){joint, hol_arena_text(s->arena, row)};
}

// "C, rotation about x, repeats A and B"
static const char *sets_text(Doctor *d, const HolDoctorSet *s) {
    const char *names[64];
    int n = 0, more = 0;
    for (int i = 1; i < s->n_rows; i++) {
        int known = strcmp(s->rows[i].joint, s->rows[0].joint) == 0;
        for (int k = 0; k < n && !known; k++)
            known = strcmp(names[k], s->rows[i].joint) == 0;
        if (!known && n < 64)
            names[n++] = s->rows[i].joint;
        else if (!known)
            more = 1;
    }
    return hol_doctor_say(&d->arena, "%s, %s, repeats %s%s%s", s->rows[0].joint, s->rows[0].row,
                          n ? hol_doctor_list(&d->arena, names, n, 12, "joints")
                            : "other rows of its own",
                          more ? " and others" : "", s->always ? "" : ", in this position only");
}

static int sets_add(Doctor *d, DoctorLoop *loop, const SetRows *rows, int always) {
    HolDoctorSet *set = HOL_NEW(&d->arena, HolDoctorSet, 1);
    if (!set || !HOL_GROW(&d->arena, loop->sets, loop->n_sets, loop->cap_sets))
        return 0;
    *set = (HolDoctorSet){.rows = rows->rows, .n_rows = rows->n, .always = always};
    set->text = rows->n ? sets_text(d, set) : "";
    loop->sets[loop->n_sets++] = set;
    return !d->arena.failed;
}

// ---- loops ----

// a wrench about ref, about another place
static void sets_at(const Doctor *d, const DoctorLoop *loop, const double *w, Vec3 place,
                    double *out) {
    Vec3 f, m;
    hol_doctor_unpack(d, w, loop->L, &f, &m);
    m = v3_add(m, v3_cross(v3_sub(loop->ref, place), f));
    hol_doctor_pack(d, f, m, loop->L, out);
}

// the rows of the loop that a wrench (about ref) has a part in, those of the closing joint first
static void sets_of_wrench(Doctor *d, const DoctorLoop *loop, const double *w, SetRows *out) {
    const double size =
        sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2] + w[3] * w[3] + w[4] * w[4] + w[5] * w[5]);
    for (int i = 0; i < loop->n; i++) {
        DoctorEdge *e = &d->edges[loop->edges[i]];
        const Vec3 place = hol_doctor_place(d, &d->here, e);
        DoctorBasis b;
        double y[DOCTOR_ROWS], here[DOCTOR_D];
        sets_at(d, loop, w, place, here);
        hol_doctor_basis(d, &d->here, e, loop->E, loop->L, &b);
        hol_doctor_fit(d->D, b.w, b.n, here, y);
        int first = 0; // the row with the largest part names the set
        for (int k = 1; k < b.n; k++)
            first = fabs(y[k]) > fabs(y[first]) * (1 + 1e-9) ? k : first;
        for (int l = 0; l < b.n; l++) {
            const int k = l == 0 ? first : l <= first ? l - 1 : l;
            if (!(fabs(y[k]) > DOCTOR_PART * size))
                continue;
            sets_add_row(out, b.owner[k], b.name[k]);
            e->stressed = 1;
        }
    }
}

// one row of the closing joint for each wrench, so that the others have the same rank
static void sets_remove(Doctor *d, const DoctorLoop *loop, double (*w)[DOCTOR_D]) {
    const DoctorEdge *e = &d->edges[loop->edges[0]];
    double y[DOCTOR_D][DOCTOR_ROWS], raw[DOCTOR_ROWS][DOCTOR_D];
    for (int k = 0; k < e->n_rows; k++)
        hol_doctor_wrench(d, &d->here, e, e->rows[k], loop->ref, loop->L, raw[k]);
    for (int i = 0; i < loop->d; i++)
        hol_doctor_fit(d->D, raw, e->n_rows, w[i], y[i]);
    for (int i = 0; i < loop->d; i++) {
        int best = 0;
        for (int k = 1; k < e->n_rows; k++)
            if (fabs(y[i][k]) > fabs(y[i][best]))
                best = k;
        d->removed[e->rows[best]] = 1;
        for (int j = i + 1; j < loop->d && y[i][best] != 0; j++) {
            const double s = y[j][best] / y[i][best];
            for (int k = 0; k < e->n_rows; k++)
                y[j][k] -= s * y[i][k];
        }
    }
}

// which d_near of the wrenches lie nearest to those that exist nearby
static void sets_permanent(const Doctor *d, const DoctorLoop *loop, double (*w)[DOCTOR_D],
                           int *always) {
    double far[DOCTOR_D];
    for (int i = 0; i < loop->d; i++) {
        double size = 0, in = 0;
        for (int c = 0; c < d->D; c++)
            size += w[i][c] * w[i][c];
        for (int j = 0; j < loop->d_near; j++) {
            double s = 0;
            for (int c = 0; c < d->D; c++)
                s += w[i][c] * loop->near_stress[j][c];
            in += s * s;
        }
        far[i] = 1 - in / size;
        always[i] = 0;
    }
    for (int k = 0; k < loop->d_near; k++) {
        int best = -1;
        for (int i = 0; i < loop->d; i++)
            if (!always[i] && (best < 0 || far[i] < far[best]))
                best = i;
        always[best] = 1;
    }
}

// Coefficients of the wrenches in the rows of the closing joint, in reduced echelon form with the largest
// pivots: each wrench has a row of this joint that no other has.
static void sets_echelon(Doctor *d, const DoctorLoop *loop, double (*w)[DOCTOR_D]) {
    const DoctorEdge *e = &d->edges[loop->edges[0]];
    const Vec3 place = hol_doctor_place(d, &d->here, e);
    double y[DOCTOR_D][DOCTOR_ROWS];
    int done[DOCTOR_ROWS] = {0};
    DoctorBasis b;
    hol_doctor_basis(d, &d->here, e, loop->E, loop->L, &b);
    for (int i = 0; i < loop->d; i++) {
        double at[DOCTOR_D];
        sets_at(d, loop, w[i], place, at);
        hol_doctor_fit(d->D, b.w, b.n, at, y[i]);
    }
    for (int step = 0; step < loop->d; step++) {
        int row = step, column = 0;
        double best = -1;
        for (int i = step; i < loop->d; i++)
            for (int k = 0; k < b.n; k++)
                if (!done[k] && fabs(y[i][k]) > best * (1 + 1e-9)) {
                    best = fabs(y[i][k]);
                    row = i;
                    column = k;
                }
        if (!(best > 0))
            return;
        done[column] = 1;
        for (int k = 0; k < b.n; k++) {
            const double keep = y[row][k];
            y[row][k] = y[step][k];
            y[step][k] = keep;
        }
        for (int c = 0; c < d->D; c++) {
            const double keep = w[row][c];
            w[row][c] = w[step][c];
            w[step][c] = keep;
        }
        for (int i = 0; i < loop->d; i++) {
            const double s = y[i][column] / y[step][column];
            for (int k = 0; k < b.n && i != step; k++)
                y[i][k] -= s * y[step][k];
            for (int c = 0; c < d->D && i != step; c++)
                w[i][c] -= s * w[step][c];
        }
    }
}

static int sets_of_loop(Doctor *d, DoctorLoop *loop) {
    double w[DOCTOR_D][DOCTOR_D];
    int always[DOCTOR_D];
    memcpy(w, loop->stress, sizeof w);
    sets_echelon(d, loop, w);
    sets_permanent(d, loop, w, always);
    sets_remove(d, loop, w);
    for (int i = 0; i < loop->d; i++) {
        SetRows rows = {.arena = &d->arena};
        sets_of_wrench(d, loop, w[i], &rows);
        if (!sets_add(d, loop, &rows, always[i]))
            return 0;
    }
    return 1;
}

// ---- what only repeats rows of its own joint: two drives of one joint ----

static int sets_of_edge(Doctor *d, int edge) {
    DoctorEdge *e = &d->edges[edge];
    const Vec3 place = hol_doctor_place(d, &d->here, e);
    double w[DOCTOR_ROWS][DOCTOR_D], basis[DOCTOR_D][DOCTOR_D], y[DOCTOR_ROWS];
    int kept = 0, row[DOCTOR_ROWS];
    for (int k = 0; k < e->n_rows; k++) {
        hol_doctor_wrench(d, &d->here, e, e->rows[k], place, 1, w[kept]);
        row[kept] = e->rows[k];
        if (hol_doctor_span(d->D, w, kept + 1, DOCTOR_DEPENDENT, basis) == kept + 1) {
            kept++;
            continue;
        }
        DoctorLoop *loop = HOL_NEW(&d->arena, DoctorLoop, 1);
        SetRows rows = {.arena = &d->arena};
        char name[80];
        if (!loop || !HOL_GROW(&d->arena, d->loops, d->n_loops, d->cap_loops))
            return 0;
        loop->edges = HOL_NEW(&d->arena, int, 1);
        if (!loop->edges)
            return 0;
        loop->edges[0] = edge;
        loop->n = loop->d = loop->d_near = 1;
        loop->across = 1;
        loop->distance = 1;
        d->loops[d->n_loops++] = loop;
        d->removed[e->rows[k]] = 1;
        e->stressed = 1;
        hol_doctor_row_name(d, e->rows[k], name, sizeof name);
        sets_add_row(&rows, d->m->sys.equations[e->rows[k]].owner, name);
        hol_doctor_fit(d->D, w, kept, w[kept], y);
        for (int i = 0; i < kept; i++)
            if (fabs(y[i]) > DOCTOR_PART) {
                hol_doctor_row_name(d, row[i], name, sizeof name);
                sets_add_row(&rows, d->m->sys.equations[row[i]].owner, name);
            }
        if (!sets_add(d, loop, &rows, 1))
            return 0;
    }
    return 1;
}

// ---- several loops together ----

typedef struct Rest {
    HolPattern P;
    int *equation; // of its rows
    double *val;
} Rest;

static int sets_rest(Doctor *d, const DoctorPose *pose, Rest *r) {
    const HolPattern *G = &d->sim->p->G;
    const double *near = d->sim->test->near;
    int *ptr = HOL_NEW(&d->arena, int, G->rows + 1), *idx = HOL_NEW(&d->arena, int, G->nnz + 1);
    r->equation = HOL_NEW(&d->arena, int, G->rows + 1);
    r->val = HOL_NEW(&d->arena, double, G->nnz + 1);
    if (d->arena.failed)
        return 0;
    int m = 0, n = 0;
    for (int i = 0; i < G->rows; i++) {
        if (d->removed[i])
            continue;
        for (int k = G->ptr[i]; k < G->ptr[i + 1]; k++) {
            idx[n] = G->idx[k];
            r->val[n++] = pose->G[k] / near[G->idx[k]];
        }
        r->equation[m++] = i;
        ptr[m] = n;
    }
    r->P = (HolPattern){m, G->cols, n, ptr, idx};
    return 1;
}

static int sets_root(int *parent, int i) {
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

// a joint, or an equation that belongs to none
static int sets_owner(const Doctor *d, int equation) {
    const int joint = d->m->sys.equations[equation].joint;
    return joint >= 0 ? joint : d->m->def.n_joints + equation;
}

static DoctorLoop *sets_new_across(Doctor *d, const int *equations, int n) {
    DoctorLoop *loop = HOL_NEW(&d->arena, DoctorLoop, 1);
    if (!loop || !HOL_GROW(&d->arena, d->loops, d->n_loops, d->cap_loops))
        return NULL;
    loop->edges = HOL_NEW(&d->arena, int, n + 1);
    const char **names = HOL_NEW(&d->arena, const char *, n + 1);
    if (d->arena.failed)
        return NULL;
    loop->across = 1;
    loop->distance = 1;
    loop->out.across = 1;
    for (int i = 0; i < n; i++) {
        const char *owner = d->m->sys.equations[equations[i]].owner;
        const int edge = d->edge_of[equations[i]];
        int known = 0;
        for (int k = 0; k < loop->out.n_joints && !known; k++)
            known = names[k] == owner || strcmp(names[k], owner) == 0;
        if (known)
            continue;
        names[loop->out.n_joints++] = owner;
        if (edge >= 0)
            loop->edges[loop->n++] = edge;
    }
    loop->out.joints = names;
    d->loops[d->n_loops++] = loop;
    return loop;
}

// 1: the combination of a dependent row is known (a row of zeros has none)
static int sets_told(const Rest *r, const int *ptr, int i) {
    int zero = 1;
    for (int k = r->P.ptr[i]; k < r->P.ptr[i + 1]; k++)
        zero &= r->val[k] == 0;
    return ptr[i + 1] > ptr[i] || zero;
}

// all sets of one group of owners
static int sets_group(Doctor *d, const Rest *r, const unsigned char *dependent,
                      const unsigned char *near, const int *ptr, const int *on, const int *group,
                      int root) {
    int n = 0, *equations;
    for (int i = 0; i < r->P.rows; i++)
        if (dependent[i] && group[i] == root)
            n += 1 + ptr[i + 1] - ptr[i];
    equations = HOL_NEW(&d->arena, int, n + 1);
    if (!equations)
        return 0;
    n = 0;
    for (int i = 0; i < r->P.rows; i++)
        if (dependent[i] && group[i] == root) {
            equations[n++] = r->equation[i];
            for (int k = ptr[i]; k < ptr[i + 1]; k++)
                equations[n++] = r->equation[on[k]];
        }
    DoctorLoop *loop = sets_new_across(d, equations, n);
    for (int i = 0; loop && i < r->P.rows; i++) {
        SetRows rows = {.arena = &d->arena};
        if (!dependent[i] || group[i] != root || !sets_told(r, ptr, i))
            continue;
        for (int k = ptr[i] - 1; k < ptr[i + 1]; k++) {
            const int equation = r->equation[k < ptr[i] ? i : on[k]];
            char name[80];
            hol_doctor_row_name(d, equation, name, sizeof name);
            sets_add_row(&rows, d->m->sys.equations[equation].owner, name);
            if (d->edge_of[equation] >= 0)
                d->edges[d->edge_of[equation]].stressed = 1;
        }
        loop->d++;
        loop->d_near += near[i] != 0;
        if (!sets_add(d, loop, &rows, near[i] != 0))
            return 0;
    }
    return loop != NULL;
}

static int sets_across(Doctor *d) {
    Rest r, other;
    int *ptr, *on, *ptr2, *on2;
    if (!sets_rest(d, &d->here, &r))
        return 0;
    const int m = r.P.rows, owners = d->m->def.n_joints + d->m->sys.n_equations;
    unsigned char *dependent = HOL_NEW(&d->arena, unsigned char, m + 1),
                  *near = HOL_NEW(&d->arena, unsigned char, m + 1);
    int *parent = HOL_NEW(&d->arena, int, owners + 1), *group = HOL_NEW(&d->arena, int, m + 1);
    if (d->arena.failed ||
        hol_rank_rows(&d->arena, &r.P, r.val, PIVOT, TOLD, dependent, &ptr, &on) < 0)
        return 0;
    memcpy(near, dependent, (size_t)m);
    if (d->has_near &&
        (!sets_rest(d, &d->near, &other) ||
         hol_rank_rows(&d->arena, &other.P, other.val, PIVOT, 0, near, &ptr2, &on2) < 0))
        return 0;
    int here = 0, there = 0;
    for (int i = 0; i < m; i++) {
        here += dependent[i];
        there += near[i];
    }
    if (there >= here)
        memcpy(near, dependent, (size_t)m);
    for (int i = 0; i < owners; i++)
        parent[i] = i;
    for (int i = 0; i < m; i++)
        for (int k = ptr[i]; k < ptr[i + 1] && dependent[i]; k++)
            parent[sets_root(parent, sets_owner(d, r.equation[on[k]]))] =
                sets_root(parent, sets_owner(d, r.equation[i]));
    for (int i = 0; i < m; i++)
        group[i] = sets_root(parent, sets_owner(d, r.equation[i]));
    for (int i = 0; i < m; i++) {
        int first = dependent[i];
        for (int k = 0; k < i && first; k++)
            first = !(dependent[k] && group[k] == group[i]);
        if (first && sets_told(&r, ptr, i) &&
            !sets_group(d, &r, dependent, near, ptr, on, group, group[i]))
            return 0;
    }
    return 1;
}

// ---- all ----

// names of the joints of loops, and of those whose reactions are unique
static int sets_finish(Doctor *d, DoctorLoop *loop) {
    const char **names = HOL_NEW(&d->arena, const char *, loop->n + 1),
               **unique = HOL_NEW(&d->arena, const char *, loop->n + 1);
    int n = 0;
    if (d->arena.failed)
        return 0;
    for (int i = 0; i < loop->n; i++) {
        const DoctorEdge *e = &d->edges[loop->edges[i]];
        names[i] = d->m->def.joints[e->joint].def.name;
        if (!e->stressed)
            unique[n++] = names[i];
    }
    if (!loop->out.joints) {
        loop->out.joints = names;
        loop->out.n_joints = loop->n;
    }
    for (int i = 0; i < loop->n_sets; i++) {
        loop->sets[i]->unique = unique;
        loop->sets[i]->n_unique = n;
    }
    loop->out.sets = (const HolDoctorSet *const *)loop->sets;
    loop->out.n_sets = loop->n_sets;
    loop->out.singular_distance = loop->distance;
    return 1;
}

int hol_doctor_sets(Doctor *d) {
    const int loops = d->n_loops;
    int explained = 0;
    d->removed = HOL_NEW(&d->arena, unsigned char, d->m->sys.n_equations + 1);
    if (!d->removed)
        return 0;
    for (int i = 0; i < d->n_edges && d->check.redundant > 0; i++)
        if (d->edges[i].n_rows > d->edges[i].n_own && !sets_of_edge(d, i))
            return 0;
    explained = d->n_loops - loops;
    for (int i = 0; i < loops; i++) {
        if (d->loops[i]->d && !sets_of_loop(d, d->loops[i]))
            return 0;
        explained += d->loops[i]->d;
    }
    if (d->check.redundant > explained && !sets_across(d))
        return 0;
    for (int i = 0; i < d->n_loops; i++)
        if (!sets_finish(d, d->loops[i]))
            return 0;
    return 1;
}
