// SPDX-License-Identifier: Apache-2.0
// Probing a compiled model from outside: its functions against central differences of one another
// at any state, consistent or not. Used for every joint, force, motion, constraint and model file.
#ifndef TEST_PROBE_H
#define TEST_PROBE_H

#include "base/arena.h"
#include "holonom/holonom.h"
#include "problem/problem_extras.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static uint64_t probe_random = 88172645463325252u;

static inline double uniform(double low, double high) {
    probe_random ^= probe_random << 13;
    probe_random ^= probe_random >> 7;
    probe_random ^= probe_random << 17;
    return low + (high - low) * (double)(probe_random >> 11) / 9007199254740992.0;
}

static inline void fill(double *x, int n, double size) {
    for (int i = 0; i < n; i++)
        x[i] = uniform(-size, size);
}

typedef struct Point { // a state and all that belongs to it
    double t;
    double *q, *v, *a, *lambda, *w;
} Point;

typedef struct Probe {
    HolArena arena;
    HolModel *model;
    const HolProblem *p;
    void *work;
    const char *name;
    int nq, nv, nh, m, nw;
    double e;     // increment of differences
    double noise; // round-off of the last differences
    Point x, moved;
} Probe;

static inline Point new_point(Probe *b) {
    return (Point){0,
                   HOL_NEW(&b->arena, double, b->nq + 1),
                   HOL_NEW(&b->arena, double, b->nv + 1),
                   HOL_NEW(&b->arena, double, b->nv + 1),
                   HOL_NEW(&b->arena, double, b->m + 1),
                   HOL_NEW(&b->arena, double, b->nw + 1)};
}

// takes the model over; the state is the one written in the model
static inline Probe probe_open(HolModel *model, const char *name) {
    Probe b = {.model = model, .name = name, .e = 1e-3};
    b.p = hol_model_problem(model);
    assert_non_null(b.p);
    b.nq = b.p->nq, b.nv = b.p->nv, b.nh = b.p->nh, b.m = b.p->nh + b.p->nn, b.nw = b.p->nw;
    b.work = hol_arena_alloc(&b.arena, b.p->work_size + 1);
    assert_int_equal(b.p->work_init(b.p, b.work), HOL_OK);
    b.x = new_point(&b);
    b.moved = new_point(&b);
    hol_model_initial(model, b.x.q, b.x.v, NULL, NULL);
    return b;
}

static inline void probe_close(Probe *b) {
    hol_model_destroy(b->model);
    hol_arena_free(&b->arena);
}

static inline void retract(Probe *b, const double *q, const double *d, double *out) {
    if (b->p->retract)
        b->p->retract(b->p, b->work, q, d, out);
    else
        for (int i = 0; i < b->nq; i++)
            out[i] = q[i] + d[i];
}

// a random state near the one given
static inline void shake(Probe *b, double size) {
    double *d = HOL_NEW(&b->arena, double, b->nv + 1);
    fill(d, b->nv, size);
    retract(b, b->x.q, d, b->x.q);
    fill(b->x.v, b->nv, 2);
    fill(b->x.a, b->nv, 2);
    fill(b->x.lambda, b->m, 2);
    fill(b->x.w, b->nw, 2);
    b->x.t = uniform(0.1, 1);
}

// ---- what is differentiated ----

typedef void (*Eval)(Probe *b, const Point *x, double *out);

static inline void eval_constraint(Probe *b, const Point *x, double *out) {
    b->p->constraint(b->p, b->work, &(HolPoint){.t = x->t, .q = x->q}, out);
}

static inline void multiply_G(Probe *b, const double *G, const double *x, double *out) {
    const HolPattern *P = &b->p->G;
    for (int i = 0; i < P->rows; i++)
        for (int k = P->ptr[i]; k < P->ptr[i + 1]; k++)
            out[i] += G[k] * x[P->idx[k]];
}

static inline double *values_G(Probe *b, const Point *x) {
    double *G = HOL_NEW(&b->arena, double, b->p->G.nnz + 1);
    b->p->jacobian(b->p, b->work, &(HolPoint){.t = x->t, .q = x->q}, G);
    return G;
}

static inline void eval_rate(Probe *b, const Point *x, double *out) { // G v + gt
    b->p->velocity_rhs(b->p, b->work, &(HolPoint){.t = x->t, .q = x->q}, out);
    multiply_G(b, values_G(b, x), x->v, out);
}

static inline void eval_force(Probe *b, const Point *x, double *out) {
    b->p->force(b->p, b->work, &(HolPoint){.t = x->t, .q = x->q, .v = x->v, .w = x->w}, out);
}

static inline void eval_balance(Probe *b, const Point *x, double *out) { // M a + G^T lambda - f
    const HolPattern *P = &b->p->G, *M = &b->p->M;
    double *G = values_G(b, x), *mass = HOL_NEW(&b->arena, double, M->nnz + 1);
    eval_force(b, x, out);
    b->p->mass(b->p, b->work, &(HolPoint){.t = x->t, .q = x->q}, 1, 0, mass);
    for (int i = 0; i < b->nv; i++)
        out[i] = -out[i];
    for (int j = 0; j < b->nv; j++)
        for (int k = M->ptr[j]; k < M->ptr[j + 1]; k++)
            out[M->idx[k]] += mass[k] * x->a[j];
    for (int i = 0; i < P->rows; i++)
        for (int k = P->ptr[i]; k < P->ptr[i + 1]; k++)
            out[P->idx[k]] += G[k] * x->lambda[i];
}

static inline void eval_variables(Probe *b, const Point *x, double *out) {
    b->p->variables(
        b->p, b->work,
        &(HolPoint){.t = x->t, .q = x->q, .v = x->v, .a = x->a, .lambda = x->lambda, .w = x->w},
        &(HolAlgebraic){.r = out});
}

static inline void eval_potential(Probe *b, const Point *x, double *out) {
    b->p->energy(b->p, b->work, &(HolPoint){.t = x->t, .q = x->q, .v = x->v, .w = x->w}, NULL, out,
                 NULL);
}

// where the mass depends on the position
static inline void eval_kinetic(Probe *b, const Point *x, double *out) {
    b->p->energy(b->p, b->work, &(HolPoint){.t = x->t, .q = x->q, .v = x->v, .w = x->w}, out, NULL,
                 NULL);
}

static inline void eval_qdot(Probe *b, const Point *x, double *out) {
    if (b->p->qdot)
        b->p->qdot(b->p, b->work, x->q, x->v, out);
    else
        memcpy(out, x->v, sizeof *out * (size_t)b->nv);
}

static inline void eval_q(Probe *b, const Point *x, double *out) {
    memcpy(out, x->q, sizeof *out * (size_t)b->nq);
}

// ---- differences ----

static inline double largest(const double *x, int n) {
    double s = 0;
    for (int i = 0; i < n; i++)
        s = !(fabs(x[i]) <= s) ? fabs(x[i]) : s;
    return s;
}

typedef struct Direction { // NULL: held
    double t;
    const double *q, *v, *a, *lambda, *w;
} Direction;

static inline void move(const double *x, const double *d, int n, double s, double *out) {
    for (int i = 0; i < n; i++)
        out[i] = x[i] + (d ? s * d[i] : 0);
}

// derivative of f (n numbers) along a direction: five-point formula
static inline void along(Probe *b, Eval f, int n, Direction d, double *out) {
    static const double weight[4] = {1, -8, 8, -1}, place[4] = {-2, -1, 1, 2};
    double *value = HOL_NEW(&b->arena, double, n + 1),
           *step = HOL_NEW(&b->arena, double, b->nv + 1);
    Point *y = &b->moved;
    memset(out, 0, sizeof *out * (size_t)n);
    b->noise = 0;
    for (int i = 0; i < 4; i++) {
        double s = place[i] * b->e;
        for (int k = 0; k < b->nv; k++)
            step[k] = d.q ? s * d.q[k] : 0;
        retract(b, b->x.q, step, y->q);
        move(b->x.v, d.v, b->nv, s, y->v);
        move(b->x.a, d.a, b->nv, s, y->a);
        move(b->x.lambda, d.lambda, b->m, s, y->lambda);
        move(b->x.w, d.w, b->nw, s, y->w);
        y->t = b->x.t + s * d.t;
        memset(value, 0, sizeof *value * (size_t)n);
        f(b, y, value);
        b->noise = fmax(b->noise, 2e-15 * largest(value, n) / b->e);
        for (int k = 0; k < n; k++)
            out[k] += weight[i] * value[k] / (12 * b->e);
    }
}

static inline void compare(const Probe *b, const char *what, const double *x,
                           const double *expected, int n, double tolerance) {
    double scale = 1 + largest(expected, n);
    for (int i = 0; i < n; i++)
        if (!(fabs(x[i] - expected[i]) <= tolerance * scale + b->noise))
            fail_msg("%s: %s [%d]: %.12g, differences say %.12g", b->name, what, i, x[i],
                     expected[i]);
}

enum { PROBE_TOLERANCE = 8 }; // digits

static inline double digits(void) {
    return pow(10, -PROBE_TOLERANCE);
}

// column j of a matrix given by rows (G) or by columns (M, S)
static inline void column_of_rows(const HolPattern *P, const double *A, int j, double *out) {
    for (int i = 0; i < P->rows; i++) {
        out[i] = 0;
        for (int k = P->ptr[i]; k < P->ptr[i + 1]; k++)
            if (P->idx[k] == j)
                out[i] = A[k];
    }
}

static inline void column_of_columns(const HolPattern *P, const double *A, int j, double *out) {
    memset(out, 0, sizeof *out * (size_t)P->rows);
    for (int k = P->ptr[j]; k < P->ptr[j + 1]; k++)
        out[P->idx[k]] = A[k];
}

// ---- checks ----

static inline void check_constraints(Probe *b) {
    const HolProblem *p = b->p;
    int n = b->m + b->nv + 1;
    double *unit = HOL_NEW(&b->arena, double, n), *d = HOL_NEW(&b->arena, double, n);
    double *c = HOL_NEW(&b->arena, double, n), *B = HOL_NEW(&b->arena, double, p->G.nnz + 1);
    double *G = values_G(b, &b->x), *inside = HOL_NEW(&b->arena, double, n);
    double *ones = HOL_NEW(&b->arena, double, p->G.nnz + 1);
    for (int k = 0; k < p->G.nnz; k++)
        ones[k] = 1;
    p->velocity_jacobian(p, b->work, &(HolPoint){.t = b->x.t, .q = b->x.q, .v = b->x.v}, B);
    for (int j = 0; j < b->nv; j++) {
        memset(unit, 0, sizeof *unit * (size_t)b->nv);
        unit[j] = 1;
        column_of_rows(&p->G, G, j, c);
        along(b, eval_constraint, b->nh, (Direction){.q = unit}, d);
        compare(b, "jacobian", c, d, b->nh, digits());
        column_of_rows(&p->G, B, j, c);
        column_of_rows(&p->G, ones, j, inside);
        along(b, eval_rate, b->m, (Direction){.q = unit}, d);
        for (int i = 0; i < b->m; i++)
            d[i] *= inside[i]; // entries outside the pattern are left out
        compare(b, "velocity_jacobian", c, d, b->m, digits());
    }
    p->velocity_rhs(p, b->work, &(HolPoint){.t = b->x.t, .q = b->x.q}, c);
    along(b, eval_constraint, b->nh, (Direction){.t = 1}, d);
    compare(b, "velocity_rhs", c, d, b->nh, digits());
    p->acceleration_rhs(p, b->work, &(HolPoint){.t = b->x.t, .q = b->x.q, .v = b->x.v}, c);
    along(b, eval_rate, b->m, (Direction){.t = 1, .q = b->x.v}, d);
    compare(b, "acceleration_rhs", c, d, b->m, digits());
}

static inline void check_tangent(Probe *b) {
    const HolProblem *p = b->p;
    int n = b->nv + 1;
    double *unit = HOL_NEW(&b->arena, double, n), *d = HOL_NEW(&b->arena, double, n);
    double *c = HOL_NEW(&b->arena, double, n), *K = HOL_NEW(&b->arena, double, p->S.nnz + 1);
    double *C = HOL_NEW(&b->arena, double, p->S.nnz + 1);
    const Point *x = &b->x;
    p->tangent(
        p, b->work,
        &(HolPoint){.t = x->t, .q = x->q, .v = x->v, .a = x->a, .lambda = x->lambda, .w = x->w}, 0,
        1, K);
    p->tangent(
        p, b->work,
        &(HolPoint){.t = x->t, .q = x->q, .v = x->v, .a = x->a, .lambda = x->lambda, .w = x->w}, 1,
        0, C);
    for (int j = 0; j < b->nv; j++) {
        memset(unit, 0, sizeof *unit * (size_t)b->nv);
        unit[j] = 1;
        column_of_columns(&p->S, K, j, c);
        along(b, eval_balance, b->nv, (Direction){.q = unit}, d);
        compare(b, "tangent by q", c, d, b->nv, digits());
        column_of_columns(&p->S, C, j, c);
        along(b, eval_balance, b->nv, (Direction){.v = unit}, d);
        compare(b, "tangent by v", c, d, b->nv, digits());
    }
}

// f.v = -dV/dt + power; driven constraints add lambda.gt; kinetic energy belongs to the mass matrix
static inline void check_energy(Probe *b) {
    const HolProblem *p = b->p;
    const Point *x = &b->x;
    double T, V, power, driven, Vdot, Tdot = 0, fv = 0, vMv = 0, lambda_gt = 0;
    double *f = HOL_NEW(&b->arena, double, b->nv + 1), *gt = HOL_NEW(&b->arena, double, b->m + 1);
    double *M = HOL_NEW(&b->arena, double, p->M.nnz + 1),
           *S = HOL_NEW(&b->arena, double, p->S.nnz + 1);
    double *c = HOL_NEW(&b->arena, double, b->nv + 1), *s = HOL_NEW(&b->arena, double, b->nv + 1);
    p->energy(p, b->work, &(HolPoint){.t = x->t, .q = x->q, .v = x->v, .w = x->w}, &T, &V, &power);
    p->energy(p, b->work,
              &(HolPoint){.t = x->t, .q = x->q, .v = x->v, .lambda = x->lambda, .w = x->w}, NULL,
              NULL, &driven);
    eval_force(b, x, f);
    p->velocity_rhs(p, b->work, &(HolPoint){.t = x->t, .q = x->q}, gt);
    along(b, eval_potential, 1, (Direction){.q = x->v}, &Vdot);
    if (!p->constant_mass) // f v + v M' v / 2 = -V' + power
        along(b, eval_kinetic, 1, (Direction){.q = x->v}, &Tdot);
    p->mass(p, b->work, &(HolPoint){.t = x->t, .q = x->q}, 1, 0, M);
    p->mass(p, b->work, &(HolPoint){.t = x->t, .q = x->q}, 1, 1, S);
    for (int j = 0; j < b->nv; j++) {
        column_of_columns(&p->M, M, j, c);
        column_of_columns(&p->S, S, j, s);
        compare(b, "mass in S", s, c, b->nv, 1e-15);
        for (int i = 0; i < b->nv; i++)
            vMv += j < b->nv - p->extras->n_hidden ? x->v[i] * c[i] * x->v[j] : 0;
        if (j < b->nv - p->extras->n_hidden)
            fv += f[j] * x->v[j];
    }
    for (int i = 0; i < b->m; i++)
        lambda_gt += x->lambda[i] * gt[i];
    double expected = -Vdot - Tdot + power, moved = driven - power, half = vMv / 2;
    compare(b, "power of the forces", &fv, &expected, 1, 1e-7);
    compare(b, "power of driven constraints", &moved, &lambda_gt, 1, 1e-10);
    compare(b, "kinetic energy", &T, &half, 1, 1e-13);
    if (!p->has_power)
        assert_true(power == 0 && driven == 0);
}

static inline void check_variables(Probe *b) {
    const HolProblem *p = b->p;
    int nv = b->nv, m = b->m, nw = b->nw;
    const Point *x = &b->x;
    int wide[5] = {nv, nv, nv, m, nw}, most = nv + m + nw;
    double *r = HOL_NEW(&b->arena, double, nw + 1), *J[5],
           *fw = HOL_NEW(&b->arena, double, nv *nw + 1);
    double *unit = HOL_NEW(&b->arena, double, most), *d = HOL_NEW(&b->arena, double, most);
    double *c = HOL_NEW(&b->arena, double, most);
    static const char *const what[5] = {"dW/dq", "dW/dv", "dW/da", "dW/dlambda", "dW/dw"};
    for (int k = 0; k < 5; k++)
        J[k] = HOL_NEW(&b->arena, double, nw *wide[k] + 1);
    p->variables(
        p, b->work,
        &(HolPoint){.t = x->t, .q = x->q, .v = x->v, .a = x->a, .lambda = x->lambda, .w = x->w},
        &(HolAlgebraic){
            .r = r, .Jq = J[0], .Jv = J[1], .Ja = J[2], .Jl = J[3], .Jw = J[4], .fw = fw});
    for (int k = 0; k < 5; k++)
        for (int j = 0; j < wide[k]; j++) {
            memset(unit, 0, sizeof *unit * (size_t)most);
            unit[j] = 1;
            Direction way[5] = {
                {.q = unit}, {.v = unit}, {.a = unit}, {.lambda = unit}, {.w = unit}};
            along(b, eval_variables, nw, way[k], d);
            for (int i = 0; i < nw; i++)
                c[i] = (k == 4 && i == j ? 1 : 0) - J[k][i * wide[k] + j];
            compare(b, what[k], c, d, nw, digits());
            if (k < 4)
                continue;
            along(b, eval_force, nv, way[k], d);
            for (int i = 0; i < nv; i++)
                c[i] = fw[i * nw + j];
            compare(b, "df/dw", c, d, nv, digits());
        }
}

static inline void check_kinematics(Probe *b) {
    const HolProblem *p = b->p;
    int n = b->nq + 1;
    double *qd = HOL_NEW(&b->arena, double, n), *d = HOL_NEW(&b->arena, double, n);
    double *q1 = HOL_NEW(&b->arena, double, n), *step = HOL_NEW(&b->arena, double, n);
    eval_qdot(b, &b->x, qd);
    along(b, eval_q, b->nq, (Direction){.q = b->x.v}, d);
    compare(b, "qdot", qd, d, b->nq, digits());
    along(b, eval_qdot, b->nq, (Direction){.q = b->x.v, .v = b->x.a}, d);
    if (p->qddot) {
        p->qddot(p, b->work, b->x.q, b->x.v, b->x.a, qd);
        compare(b, "qddot", qd, d, b->nq, digits());
    }
    for (int i = 0; i < b->nv; i++)
        step[i] = 1e-4 * b->x.v[i];
    retract(b, b->x.q, step, q1);
    if (p->minus) {
        p->minus(p, b->work, q1, b->x.q, d);
        for (int i = 0; i < b->nv; i++)
            if (!(fabs(d[i] - step[i]) <= 1e-11))
                fail_msg("%s: minus [%d]: %.15g, moved by %.15g", b->name, i, d[i], step[i]);
    }
}

// everything at the state in b->x
static inline void check_problem(Probe *b) {
    check_kinematics(b);
    if (b->m)
        check_constraints(b);
    check_tangent(b);
    check_energy(b);
    if (b->nw)
        check_variables(b);
}

static inline HolModel *parse_model(const char *text) {
    HolModel *m = NULL;
    HolError err = {0};
    HolSimOptions o;
    if (hol_model_parse(text, strlen(text), "test.yaml", NULL, 0, &m, &o, &err) != HOL_OK)
        fail_msg("%s\n%s", err.text, text);
    return m;
}

#endif
