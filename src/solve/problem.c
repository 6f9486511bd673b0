// SPDX-License-Identifier: Apache-2.0
// Completing a HolProblem. Required from the user: mass, force and, with constraints, constraint.
// What else is missing is replaced by central differences along increments q (+) e d:
//   G                   four-point differences of g
//   gt                  six-point differences in time
//   gamma               six-point differences of G v + gt along the path q (+) e v, t + e (v held),
//                       or second differences of g along it when G itself is a difference
//   tangent             two-point differences of M a + G^T lambda - f (only Newton iterations use
//                       it)
//   velocity_jacobian   two-point differences of G v + gt
// Increments are chosen where truncation and round-off balance for functions of order one.
// Scratch of the differences lies behind the user's own workspace.
#include "solve/problem.h"

#include "base/error.h"
#include "base/sized.h"
#include "solve/constraint/project.h"

#include <math.h>
#include <string.h>

typedef struct Completed {
    HolProblem full; // first member: functions receive &full
    HolStatus (*user_init)(const HolProblem *p, void *work);
    size_t offset; // of the scratch in the workspace
    int differenced_jacobian;
} Completed;

// scratch vectors of the differences, each long enough for any purpose
enum {
    SCRATCH_D,
    SCRATCH_Q,
    SCRATCH_G,
    SCRATCH_GT,
    SCRATCH_A,
    SCRATCH_B,
    SCRATCH_C,
    SCRATCH_COUNT
};

static size_t scratch_length(const HolProblem *p) {
    size_t n = 2 * ((size_t)p->nq + (size_t)p->nv + (size_t)p->nh + (size_t)p->nn) + 8;
    if ((size_t)p->G.nnz > n)
        n = (size_t)p->G.nnz;
    if ((size_t)p->M.nnz > n)
        n = (size_t)p->M.nnz;
    return n;
}

static double *scratch(const HolProblem *p, void *work, int which) {
    const Completed *c = (const Completed *)p;
    double *first = (double *)(void *)((char *)work + c->offset);
    return first + (size_t)which * scratch_length(p);
}

// ---- vector-space defaults ----

static void plain_qdot(const HolProblem *p, void *work, const double *q, const double *v,
                       double *qd) {
    (void)work, (void)q;
    memmove(qd, v, sizeof *qd * (size_t)p->nv);
}

static void plain_qddot(const HolProblem *p, void *work, const double *q, const double *v,
                        const double *a, double *qdd) {
    (void)work, (void)q, (void)v;
    memmove(qdd, a, sizeof *qdd * (size_t)p->nv);
}

static void plain_retract(const HolProblem *p, void *work, const double *q, const double *d,
                          double *out) {
    (void)work;
    for (int i = 0; i < p->nv; i++)
        out[i] = q[i] + d[i];
}

static void plain_minus(const HolProblem *p, void *work, const double *q1, const double *q0,
                        double *d) {
    (void)work;
    for (int i = 0; i < p->nv; i++)
        d[i] = q1[i] - q0[i];
}

// d/dt (T(q) v) = T(q) a + d/de T(q + e q') v
static void differenced_qddot(const HolProblem *p, void *work, const double *q, const double *v,
                              const double *a, double *qdd) {
    double *qd = scratch(p, work, SCRATCH_A), *near = scratch(p, work, SCRATCH_Q),
           *side = scratch(p, work, SCRATCH_B);
    p->qdot(p, work, q, v, qd);
    const double e = 1e-3 * fmin(1, 1 / (hol_max_abs(qd, p->nq) + 1e-300));
    static const double weight[4] = {1, -8, 8, -1}, steps[4] = {-2, -1, 1, 2};
    p->qdot(p, work, q, a, qdd);
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < p->nq; i++)
            near[i] = q[i] + steps[k] * e * qd[i];
        p->qdot(p, work, near, v, side);
        for (int i = 0; i < p->nq; i++)
            qdd[i] += weight[k] * side[i] / (12 * e);
    }
}

// ---- constraints ----

static double problem_increment(const double *q, int n, double relative) {
    return relative * fmax(1, fmin(1e3, hol_max_abs(q, n)));
}

// out = q (+) e times unit vector `column`
static void nudge(const HolProblem *p, void *work, const double *q, int column, double e,
                  double *out) {
    double *d = scratch(p, work, SCRATCH_D);
    memset(d, 0, sizeof *d * (size_t)p->nv);
    d[column] = e;
    p->retract(p, work, q, d, out);
}

// out = q (+) e v
static void problem_follow(const HolProblem *p, void *work, const double *q, const double *v,
                           double e, double *out) {
    double *d = scratch(p, work, SCRATCH_D);
    for (int i = 0; i < p->nv; i++)
        d[i] = e * v[i];
    p->retract(p, work, q, d, out);
}

static void differenced_jacobian(const HolProblem *p, void *work, const HolPoint *at, double *G) {
    static const double weight[4] = {1, -8, 8, -1}, steps[4] = {-2, -1, 1, 2};
    double *near = scratch(p, work, SCRATCH_Q), *g = scratch(p, work, SCRATCH_G),
           *column = scratch(p, work, SCRATCH_GT);
    const double e = problem_increment(at->q, p->nq, 7e-4);
    for (int j = 0; j < p->nv; j++) {
        memset(column, 0, sizeof *column * (size_t)p->nh);
        for (int k = 0; k < 4; k++) {
            nudge(p, work, at->q, j, steps[k] * e, near);
            p->constraint(p, work, &(HolPoint){.t = at->t, .q = near}, g);
            for (int i = 0; i < p->nh; i++)
                column[i] += weight[k] * g[i] / (12 * e);
        }
        for (int i = 0; i < p->nh; i++)
            for (int k = p->G.ptr[i]; k < p->G.ptr[i + 1]; k++)
                if (p->G.idx[k] == j)
                    G[k] = column[i];
    }
}

// six-point weights, in pairs so that what does not change cancels exactly
static const double six_first[3] = {45, -9, 1};    // (f(k e) - f(-k e)) / 60 e
static const double six_second[3] = {270, -27, 2}; // (f(k e) - 2 f(0) + f(-k e)) / 180 e^2

static void differenced_velocity_rhs(const HolProblem *p, void *work, const HolPoint *at,
                                     double *gt) {
    double *plus = scratch(p, work, SCRATCH_G), *minus = plus + p->nh;
    const double e = 1e-3;
    memset(gt, 0, sizeof *gt * (size_t)(p->nh + p->nn));
    for (int k = 1; k <= 3; k++) {
        p->constraint(p, work, &(HolPoint){.t = at->t + k * e, .q = at->q}, plus);
        p->constraint(p, work, &(HolPoint){.t = at->t - k * e, .q = at->q}, minus);
        for (int i = 0; i < p->nh; i++)
            gt[i] += six_first[k - 1] * (plus[i] - minus[i]) / (60 * e);
    }
}

// out = G v + gt at (t, q)
static void velocity_level(const HolProblem *p, void *work, double t, const double *q,
                           const double *v, double *G, double *out) {
    p->velocity_rhs(p, work, &(HolPoint){.t = t, .q = q}, out);
    p->jacobian(p, work, &(HolPoint){.t = t, .q = q}, G);
    hol_mul_rows(&p->G, G, v, 1, out);
}

static double path_increment(const HolProblem *p, const double *q, const double *v, double e) {
    return e * fmin(1, fmax(1, hol_max_abs(q, p->nq)) / (hol_max_abs(v, p->nv) + 1e-300));
}

static void differenced_acceleration_rhs(const HolProblem *p, void *work, const HolPoint *at,
                                         double *gamma) {
    const Completed *c = (const Completed *)p;
    const int m = p->nh + p->nn;
    double *near = scratch(p, work, SCRATCH_A), *plus = scratch(p, work, SCRATCH_B),
           *minus = plus + m, *values = scratch(p, work, SCRATCH_C);
    // second differences of g where G is a difference itself: they lose fewer digits
    const int second = c->differenced_jacobian;
    const double e = path_increment(p, at->q, at->v, second ? 4e-3 : 1e-3);
    memset(gamma, 0, sizeof *gamma * (size_t)m);
    if (second)
        p->constraint(p, work, at, values);
    for (int k = 1; k <= 3; k++)
        for (int sign = 1; sign >= -1; sign -= 2) {
            double *side = sign > 0 ? plus : minus;
            problem_follow(p, work, at->q, at->v, sign * k * e, near);
            if (second)
                p->constraint(p, work, &(HolPoint){.t = at->t + sign * k * e, .q = near}, side);
            else
                velocity_level(p, work, at->t + sign * k * e, near, at->v, values, side);
            for (int i = 0; i < m && sign < 0; i++)
                gamma[i] += second ? six_second[k - 1] *
                                         ((plus[i] - values[i]) + (minus[i] - values[i])) /
                                         (180 * e * e)
                                   : six_first[k - 1] * (plus[i] - minus[i]) / (60 * e);
        }
}

static void differenced_velocity_jacobian(const HolProblem *p, void *work, const HolPoint *at,
                                          double *B) {
    double *near = scratch(p, work, SCRATCH_A), *plus = scratch(p, work, SCRATCH_B),
           *G = scratch(p, work, SCRATCH_C);
    const Completed *c = (const Completed *)p;
    const double e = problem_increment(at->q, p->nq, c->differenced_jacobian ? 1e-3 : 6e-6);
    const int m = p->nh + p->nn;
    double *minus = plus + m;
    for (int j = 0; j < p->nv; j++) {
        nudge(p, work, at->q, j, e, near);
        velocity_level(p, work, at->t, near, at->v, G, plus);
        nudge(p, work, at->q, j, -e, near);
        velocity_level(p, work, at->t, near, at->v, G, minus);
        for (int i = 0; i < m; i++)
            for (int k = p->G.ptr[i]; k < p->G.ptr[i + 1]; k++)
                if (p->G.idx[k] == j)
                    B[k] += (plus[i] - minus[i]) / (2 * e);
    }
}

// ---- tangent matrix ----

// out = M a + G^T lambda - f at (t, q, v)
static void equilibrium(const HolProblem *p, void *work, double t, const double *q, const double *v,
                        const double *a, const double *lambda, const double *w, double *out) {
    double *values = scratch(p, work, SCRATCH_C);
    p->force(p, work, &(HolPoint){.t = t, .q = q, .v = v, .w = w}, out);
    for (int i = 0; i < p->nv; i++)
        out[i] = -out[i];
    if (a) {
        memset(values, 0, sizeof *values * (size_t)p->M.nnz);
        p->mass(p, work, &(HolPoint){.t = t, .q = q}, 1.0, 0, values);
        hol_mul_columns(&p->M, values, a, 1, out);
    }
    if (lambda && p->nh + p->nn > 0) {
        p->jacobian(p, work, &(HolPoint){.t = t, .q = q}, values);
        hol_mul_rows_transposed(&p->G, values, lambda, 1, out);
    }
}

static void problem_add_column(const HolPattern *S, int j, double c, const double *plus,
                               const double *minus, double *values) {
    for (int k = S->ptr[j]; k < S->ptr[j + 1]; k++)
        values[k] += c * (plus[S->idx[k]] - minus[S->idx[k]]);
}

static void differenced_tangent(const HolProblem *p, void *work, const HolPoint *at, double cC,
                                double cK, double *S) {
    double *near = scratch(p, work, SCRATCH_A), *plus = scratch(p, work, SCRATCH_B),
           *minus = plus + p->nv;
    const Completed *c = (const Completed *)p;
    const double eq = problem_increment(at->q, p->nq, c->differenced_jacobian ? 1e-3 : 6e-6),
                 ev = problem_increment(at->v, p->nv, 6e-6);
    for (int j = 0; j < p->nv; j++) {
        if (cK != 0) {
            nudge(p, work, at->q, j, eq, near);
            equilibrium(p, work, at->t, near, at->v, at->a, at->lambda, at->w, plus);
            nudge(p, work, at->q, j, -eq, near);
            equilibrium(p, work, at->t, near, at->v, at->a, at->lambda, at->w, minus);
            problem_add_column(&p->S, j, cK / (2 * eq), plus, minus, S);
        }
        if (cC != 0) {
            memcpy(near, at->v, sizeof *at->v * (size_t)p->nv);
            near[j] = at->v[j] + ev;
            equilibrium(p, work, at->t, at->q, near, NULL, NULL, at->w, plus);
            near[j] = at->v[j] - ev;
            equilibrium(p, work, at->t, at->q, near, NULL, NULL, at->w, minus);
            problem_add_column(&p->S, j, cC / (2 * ev), plus, minus, S);
        }
    }
}

// ---- completion ----

static HolStatus completed_init(const HolProblem *p, void *work) {
    const Completed *c = (const Completed *)p;
    return c->user_init ? c->user_init(p, work) : HOL_OK;
}

// A full pattern written out; `major` counts columns for M and S, rows for G.
static void full_pattern(HolArena *arena, HolPattern *P, int rows, int cols, int by_rows) {
    P->rows = rows;
    P->cols = cols;
    if (P->ptr)
        return;
    const int major = by_rows ? rows : cols, minor = by_rows ? cols : rows;
    int *ptr = HOL_NEW(arena, int, major + 1), *idx = HOL_NEW(arena, int, major *minor + 1);
    if (!ptr || !idx)
        return;
    for (int j = 0; j <= major; j++)
        ptr[j] = j * minor;
    for (int k = 0; k < major * minor; k++)
        idx[k] = k % minor;
    P->nnz = major * minor;
    P->ptr = ptr;
    P->idx = idx;
}

static void check_pattern(const HolPattern *P, const char *name, int rows, int cols, int major,
                          HolError *err) {
    if (!P->ptr)
        return;
    if (P->rows != rows || P->cols != cols || !P->idx || P->ptr[0] != 0 ||
        P->ptr[major] != P->nnz) {
        hol_error_add(err, HOL_ERR_INPUT, NULL, 0, 0,
                      "pattern %s: expected %d x %d with ptr[0] = 0 and ptr[%d] = nnz", name, rows,
                      cols, major);
        return;
    }
    for (int j = 0; j < major; j++)
        for (int k = P->ptr[j]; k < P->ptr[j + 1]; k++)
            if (P->idx[k] < 0 || P->idx[k] >= cols ||
                (k > P->ptr[j] && P->idx[k] <= P->idx[k - 1])) {
                hol_error_add(err, HOL_ERR_INPUT, NULL, 0, 0,
                              "pattern %s: indices must be ascending and within the matrix", name);
                return;
            }
}

// Every problem is added; 1 when there is none.
static int check(const HolProblem *p, HolError *err) {
    const int nv = p->nv, m = p->nh + p->nn;
    if (p->nv < 1 || p->nq < p->nv || p->nh < 0 || p->nn < 0 || p->nw < 0) {
        hol_error_add(err, HOL_ERR_INPUT, NULL, 0, 0,
                      "sizes nq = %d, nv = %d, nh = %d, nn = %d, nw = %d are not possible", p->nq,
                      p->nv, p->nh, p->nn, p->nw);
        return 0;
    }
    HolError local;
    HolError *e = err ? err : &local;
    if (!err)
        hol_error_clear(&local);
    const int before = e->problems;
    if (!p->mass)
        hol_error_add(e, HOL_ERR_INPUT, NULL, 0, 0, "function 'mass' is required");
    if (!p->force)
        hol_error_add(e, HOL_ERR_INPUT, NULL, 0, 0, "function 'force' is required");
    if (p->nh > 0 && !p->constraint)
        hol_error_add(e, HOL_ERR_INPUT, NULL, 0, 0, "function 'constraint' is required (nh > 0)");
    if (p->nn > 0 && !p->jacobian)
        hol_error_add(e, HOL_ERR_INPUT, NULL, 0, 0, "function 'jacobian' is required (nn > 0)");
    if (p->nw > 0 && !p->variables)
        hol_error_add(e, HOL_ERR_INPUT, NULL, 0, 0, "function 'variables' is required (nw > 0)");
    if ((p->nq != p->nv || p->qdot) && (!p->qdot || !p->retract || !p->minus))
        hol_error_add(e, HOL_ERR_INPUT, NULL, 0, 0,
                      "functions 'qdot', 'retract' and 'minus' belong together%s",
                      p->nq != p->nv ? " and are required (nq differs from nv)" : "");
    check_pattern(&p->M, "M", nv, nv, nv, e);
    check_pattern(&p->S, "S", nv, nv, nv, e);
    if (m)
        check_pattern(&p->G, "G", m, nv, m, e);
    return e->problems == before;
}

static int is_complete(const HolProblem *p) {
    return p->size == sizeof *p && p->extras && p->qdot && p->qddot && p->retract && p->minus &&
           p->jacobian && p->velocity_rhs && p->acceleration_rhs && p->tangent &&
           p->velocity_jacobian && p->constraint && p->M.ptr && p->S.ptr && p->G.ptr;
}

static void no_constraint(const HolProblem *p, void *work, const HolPoint *at, double *g) {
    (void)p, (void)work, (void)at, (void)g;
}

const HolProblemExtras hol_no_extras = {0};

void hol_problem_def_sized(HolProblem *out, size_t room) {
    const HolProblem problem = {0};
    hol_sized_make(out, room, &problem, sizeof problem);
}

#define FILL(function, replacement)                                                                \
    if (!full->function)                                                                           \
    full->function = (replacement)

const HolProblem *hol_problem_complete(HolArena *arena, const HolProblem *p, HolError *err) {
    HolProblem own = hol_problem_def();
    HolError problem;
    if (hol_sized_take(&own, sizeof own, p, "hol_problem_def", &problem)) {
        hol_error_set(err, HOL_ERR_INPUT, "HolProblem: %s", problem.text);
        return NULL;
    }
    if (!check(&own, err))
        return NULL;
    if (is_complete(p))
        return p;
    p = &own;
    Completed *c = HOL_NEW(arena, Completed, 1);
    if (!c) {
        hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
        return NULL;
    }
    HolProblem *full = &c->full;
    *full = own;
    if (!full->extras)
        full->extras = &hol_no_extras;
    full_pattern(arena, &full->M, p->nv, p->nv, 0);
    full_pattern(arena, &full->S, p->nv, p->nv, 0);
    full_pattern(arena, &full->G, p->nh + p->nn, p->nv, 1);
    if (arena->failed) {
        hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
        return NULL;
    }
    c->differenced_jacobian = !p->jacobian;
    FILL(qddot, p->qdot ? differenced_qddot : plain_qddot);
    FILL(qdot, plain_qdot);
    FILL(retract, plain_retract);
    FILL(minus, plain_minus);
    FILL(constraint, no_constraint);
    FILL(jacobian, differenced_jacobian);
    FILL(velocity_rhs, differenced_velocity_rhs);
    FILL(acceleration_rhs, differenced_acceleration_rhs);
    FILL(tangent, differenced_tangent);
    FILL(velocity_jacobian, differenced_velocity_jacobian);
    c->user_init = p->work_init;
    full->work_init = completed_init;
    c->offset = (p->work_size + 63) / 64 * 64;
    full->work_size = c->offset + SCRATCH_COUNT * scratch_length(full) * sizeof(double);
    return full;
}
