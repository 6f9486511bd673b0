// SPDX-License-Identifier: Apache-2.0
// Each free motion in words. Coordinates of joints, from the ground outwards, are taken as long as they
// are independent on the free velocities (then velocities of bodies); motion i has rate 1 in coordinate i
// and none in the others. Velocities come from sparse solves (solve/doctor/free_motion.h).
#include "math/dense.h"
#include "solve/doctor/free_motion.h"
#include "solve/run/error_test.h"
#include "tools/doctor/doctor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_MOTIONS = 64, MOST_SOLVES = 400 };
static const double INDEPENDENT = 1e-6; // part of a coordinate's motion that the others leave
static const double MOVES = 1e-6;       // of the largest velocity

typedef struct Motions {
    Doctor *d;
    HolFreeMotion *free;
    int want, n, solves;
    double *c, *v;      // functional and motion at hand
    double *functional; // n x nv
    double *basis;      // n x nv, orthonormal in near v
    char says[MOST_MOTIONS][160];
    int leads[MOST_MOTIONS]; // the body that the sentence names
} Motions;

// c: force f and moment m at a point, with a sign
static void motions_push(const Doctor *d, int body, Vec3 at, Vec3 f, Vec3 m, double sign,
                         double *c) {
    const HolBody *b = &d->m->def.bodies[body];
    if (!body)
        return;
    m = v3_add(m, v3_cross(v3_sub(at, d->here.r[body]), f));
    double *x = c + b->v;
    x[0] += sign * f.x;
    x[1] += sign * f.y;
    if (d->D == 3) {
        if (b->nv == 3)
            x[2] += sign * m.z;
        return;
    }
    x[2] += sign * f.z;
    if (b->nv == 6) {
        const Vec3 own = m3_tmulv(d->here.A[body], m);
        x[3] += sign * own.x;
        x[4] += sign * own.y;
        x[5] += sign * own.z;
    }
}

static double motions_scaled(const Motions *s, const double *x, const double *y) {
    const double *near = s->d->sim->test->near;
    double sum = 0;
    for (int i = 0; i < s->d->sim->nv; i++)
        sum += x[i] * y[i] * (near[i] * near[i]);
    return sum;
}

// takes the functional s->c if it is independent of those before
static void motions_try(Motions *s, int body, const char *text) {
    const size_t nv = (size_t)s->d->sim->nv;
    if (s->n == s->want || s->solves >= MOST_SOLVES)
        return;
    s->solves++;
    const double rate = hol_free_motion_along(s->free, s->c, s->v);
    if (!(rate > INDEPENDENT))
        return;
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < s->n; k++) {
            const double *q = s->basis + (size_t)k * nv, part = motions_scaled(s, s->v, q);
            for (size_t i = 0; i < nv; i++)
                s->v[i] -= part * q[i];
        }
    const double left = sqrt(motions_scaled(s, s->v, s->v));
    if (!(left * rate > INDEPENDENT))
        return;
    for (size_t i = 0; i < nv; i++)
        s->basis[(size_t)s->n * nv + i] = s->v[i] / left;
    memcpy(s->functional + (size_t)s->n * nv, s->c, sizeof(double) * nv);
    snprintf(s->says[s->n], sizeof s->says[0], "%s", text);
    s->leads[s->n++] = body;
}

// directions that n orthonormal ones leave
static int motions_rest(const Vec3 *held, int n, int plane, int turns, Vec3 first, Vec3 out[3]) {
    Vec3 list[6], candidates[4] = {first, v3(1, 0, 0), v3(0, 1, 0), v3(0, 0, 1)};
    int k = n, found = 0;
    memcpy(list, held, sizeof *held * (size_t)n);
    for (int i = v3_norm(first) > 0 ? 0 : 1; i < 4 && k < 3; i++) {
        Vec3 u = candidates[i];
        if (plane && (turns ? i != 3 : i == 3))
            continue;
        for (int pass = 0; pass < 2; pass++)
            for (int l = 0; l < k; l++)
                u = v3_sub(u, v3_scale(list[l], v3_dot(list[l], u)));
        if (v3_norm(u) < 0.3)
            continue;
        list[k++] = out[found++] = v3_unit(u);
    }
    return found;
}

static void motions_of_edge(Motions *s, const DoctorEdge *e) {
    Doctor *d = s->d;
    Vec3 T[3], M[3], u[3];
    int nT, nM;
    if (!hol_doctor_holds(d, &d->here, e, T, &nT, M, &nM))
        return;
    const HolJoint *j = &d->m->def.joints[e->joint];
    const Vec3 place = hol_doctor_place(d, &d->here, e), none = v3(0, 0, 0),
               axis = d->D == 6 || nT == 1 ? hol_doctor_axis(d, &d->here, e) : none;
    const int body = e->b ? e->b : e->a;
    const char *name = d->m->def.bodies[body].def.name;
    for (int turns = 1; turns >= 0; turns--) {
        const int n = turns ? motions_rest(M, nM, d->D == 3, 1, d->D == 6 ? axis : none, u)
                            : motions_rest(T, nT, d->D == 3, 0, axis, u);
        for (int i = 0; i < n; i++) {
            char text[160], direction[48];
            hol_doctor_direction(u[i], direction, sizeof direction);
            memset(s->c, 0, sizeof *s->c * (size_t)d->sim->nv);
            motions_push(d, e->b, place, turns ? none : u[i], turns ? u[i] : none, 1, s->c);
            motions_push(d, e->a, place, turns ? none : u[i], turns ? u[i] : none, -1, s->c);
            const int plain = n == 1 || (d->D == 3 && turns);
            snprintf(text, sizeof text, "%s %s %s%s%s", name,
                     turns   ? "turns about"
                     : plain ? "slides along"
                             : "moves along",
                     plain ? j->def.name : direction, plain ? "" : " at ",
                     plain ? "" : j->def.name);
            motions_try(s, body, text);
        }
    }
}

static void motions_of_body(Motions *s, int body) {
    Doctor *d = s->d;
    static const char *const plane[] = {"moves along x", "moves along y", "turns"};
    static const char *const space[] = {"moves along x", "moves along y", "moves along z",
                                        "turns about x", "turns about y", "turns about z"};
    const HolBody *b = &d->m->def.bodies[body];
    for (int k = 0; k < b->nv; k++) {
        char text[160];
        memset(s->c, 0, sizeof *s->c * (size_t)d->sim->nv);
        if (d->D == 6 && k >= 3) {
            const Vec3 own = m3_tmulv(d->here.A[body], v3(k == 3, k == 4, k == 5));
            v3_store(s->c + b->v + 3, own);
        } else {
            s->c[b->v + k] = 1;
        }
        snprintf(text, sizeof text, "%s %s", b->def.name,
                 !hol_body_placed(&b->def) ? "changes"
                 : d->D == 3               ? plane[k]
                                           : space[k]);
        motions_try(s, body, text);
    }
}

static const char *motions_sentence(Motions *s, int i, const double *v) {
    Doctor *d = s->d;
    const double *near = d->sim->test->near;
    const char *names[8];
    double most = 0;
    int n = 0;
    if (d->check.dof > s->n) // (what the others do is not known)
        return hol_doctor_say(&d->arena, "%s", s->says[i]);
    for (int k = 0; k < d->sim->nv; k++)
        most = fmax(most, fabs(v[k]) * near[k]);
    for (int b = 1; b < hol_visible_bodies(d->m); b++) {
        const HolBody *body = &d->m->def.bodies[b];
        int moves = 0;
        for (int k = 0; k < body->nv; k++)
            moves |= fabs(v[body->v + k]) * near[body->v + k] > MOVES * most;
        if (!moves || b == s->leads[i])
            continue;
        if (n < 8)
            names[n] = body->def.name;
        n++;
    }
    if (!n)
        return hol_doctor_say(&d->arena, "%s", s->says[i]);
    if (n > 4)
        return hol_doctor_say(&d->arena, "%s; %s, %s, %s and %d more bodies follow", s->says[i],
                              names[0], names[1], names[2], n - 3);
    return hol_doctor_say(&d->arena, "%s; %s follow%s", s->says[i],
                          hol_doctor_list(&d->arena, names, n, 4, "bodies"), n == 1 ? "s" : "");
}

// v_i with rate 1 in coordinate i and 0 in the others: from C_jk = functional_j . basis_k
static int motions_write(Motions *s, HolArena *scratch) {
    Doctor *d = s->d;
    const size_t nv = (size_t)d->sim->nv;
    const int n = s->n;
    double *C = HOL_NEW(scratch, double, (size_t)n *(size_t)n + 1), x[MOST_MOTIONS];
    int pivot[MOST_MOTIONS];
    if (!C)
        return 0;
    for (int j = 0; j < n; j++)
        for (int k = 0; k < n; k++)
            for (size_t i = 0; i < nv; i++)
                C[k * n + j] += s->functional[(size_t)j * nv + i] * s->basis[(size_t)k * nv + i];
    const int singular = n > 0 && hol_dense_lu(n, C, pivot) != 0;
    for (int i = 0; i < n; i++) {
        memset(x, 0, sizeof x);
        x[i] = 1;
        if (!singular)
            hol_dense_lu_solve(n, C, pivot, x);
        memset(s->v, 0, sizeof *s->v * nv);
        for (int k = 0; k < n; k++)
            for (size_t l = 0; l < nv; l++)
                s->v[l] += x[k] * s->basis[(size_t)k * nv + l];
        if (!HOL_GROW(&d->arena, d->motions, d->n_motions, d->cap_motions))
            return 0;
        d->motions[d->n_motions++] = motions_sentence(s, i, s->v);
    }
    const int more = d->check.dof - n;
    if (more > 0 && HOL_GROW(&d->arena, d->motions, d->n_motions, d->cap_motions))
        d->motions[d->n_motions++] =
            hol_doctor_say(&d->arena, "and %d more free motion%s", more, more == 1 ? "" : "s");
    return !d->arena.failed;
}

int hol_doctor_motions(Doctor *d) {
    HolArena scratch = {0};
    const size_t nv = (size_t)d->sim->nv;
    Motions *s = HOL_NEW(&scratch, Motions, 1);
    if (d->check.dof <= 0 || !s) {
        hol_arena_free(&scratch);
        return s != NULL;
    }
    s->d = d;
    s->want = d->check.dof < MOST_MOTIONS ? d->check.dof : MOST_MOTIONS;
    s->c = HOL_NEW(&scratch, double, nv);
    s->v = HOL_NEW(&scratch, double, nv);
    s->functional = HOL_NEW(&scratch, double, (size_t)s->want *nv);
    s->basis = HOL_NEW(&scratch, double, (size_t)s->want *nv);
    int no_memory = 1;
    s->free = scratch.failed ? NULL : hol_free_motion_create(d->sim, &no_memory);
    int ok = !no_memory;
    if (s->free) {
        for (int i = 0; i < d->n_order && s->n < s->want; i++)
            motions_of_edge(s, &d->edges[d->order[i]]);
        for (int b = 1; b < hol_visible_bodies(d->m) && s->n < s->want; b++)
            motions_of_body(s, b);
        ok = motions_write(s, &scratch);
    }
    hol_free_motion_destroy(s->free);
    hol_arena_free(&scratch);
    return ok;
}
