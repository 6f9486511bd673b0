// SPDX-License-Identifier: Apache-2.0
// The three constraint levels, by solves with the one matrix [M G^T; G 0]
// (docs/theory/saddle-point.md, section 5):
//   position      M (q - q^) + G^T mu = 0,   g(q,t) = 0
//   velocity      M (v - v^) + G^T nu = 0,   G v + gt = 0
//   acceleration  M a + G^T lambda = f,      G a + gamma = 0,   w = W(t,q,v,a,lambda,w)
// and the acceleration equations differentiated once along the motion, which give the jerk.
#include "solve/constraint/project.h"
#include "solve/run/error_test.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- tuning constants ----
enum { MOST = 40, MOST_PASSES = 3 };       // iterations; passes over the velocities
enum { PLAIN = 4 };                        // iterations after which accelerations may be round-off
static const double NEARLY = 1e-9;         // relative: stagnation from here on is convergence,
static const double NEARLY_CLOSED = 1e-10; // the same of positions, of their scale
static const double STAGNANT = 0.5;        // ratio of two corrections
static const double SLOW = 0.1;            // contraction from which the matrix is factored anew
static const double OPEN_LOAD = 1e-6; // of a load's dependence on reactions: on what is not unique
static const double INCREMENT = 3e-4; // of differences along the motion, of the size of q, v and t

typedef struct HolProjectWork {
    double *G, *M; // values of G and M at a point that is not the factored one
    double *q, *v; // a point of the motion near the present one
    double *start; // nq: where a projection began
    double *F[6];  // nv + m + nw: the acceleration equations at the six points of the stencil
    double *J;     // Jacobians of the algebraic variables
    double *r, *x; // nv + m + nw
} HolProjectWork;

int hol_project_prepare(HolSim *s) {
    if (s->project)
        return 1;
    const HolProblem *p = s->p;
    const int n = s->nv + s->m + s->nw;
    HolProjectWork *w = HOL_NEW(&s->arena, HolProjectWork, 1);
    if (!w)
        return 0;
    w->G = HOL_NEW(&s->arena, double, p->G.nnz + 1);
    w->M = HOL_NEW(&s->arena, double, p->M.nnz + 1);
    w->q = HOL_NEW(&s->arena, double, s->nq + 1);
    w->v = HOL_NEW(&s->arena, double, s->nv + 1);
    w->start = HOL_NEW(&s->arena, double, s->nq + 1);
    for (int i = 0; i < 6; i++)
        w->F[i] = HOL_NEW(&s->arena, double, n + 1);
    w->J = HOL_NEW(&s->arena, double, s->nw *(4 * s->nv + s->m + s->nw) + 1);
    w->r = HOL_NEW(&s->arena, double, n + 1);
    w->x = HOL_NEW(&s->arena, double, n + 1);
    if (s->arena.failed)
        return 0;
    s->project = w;
    return 1;
}

static HolStatus project_no_memory(HolError *err) {
    return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
}

void hol_coordinate_name(const HolSim *s, int i, char *out, size_t size) {
    if (s->p->coordinate_name)
        s->p->coordinate_name(s->p, i, out, size);
    else
        snprintf(out, size, "coordinate %d", i + 1);
}

HolStatus hol_singular_error(const HolSim *s, double t, int bad, HolError *err) {
    char name[128];
    const int pivot = bad - 1;
    if (pivot >= s->nv && pivot < s->nv + s->m) {
        hol_row_name(s, pivot - s->nv, name, sizeof name);
        hol_error_set(err, HOL_ERR_SINGULAR, "at time %.10g the equations are singular at '%s'", t,
                      name);
    } else if (pivot < s->nv) {
        hol_coordinate_name(s, pivot, name, sizeof name);
        hol_error_set(err, HOL_ERR_SINGULAR,
                      "at time %.10g the equations are singular: '%s' has neither mass nor a "
                      "constraint that determines it",
                      t, name);
    } else {
        hol_error_set(err, HOL_ERR_SINGULAR,
                      "at time %.10g the equations of the algebraic variables are singular", t);
    }
    if (err)
        err->time = t;
    return HOL_ERR_SINGULAR;
}

// Border blocks zero: the first n + m unknowns are then those of the plain saddle point.
static void clear_border(HolSim *s) {
    if (!s->nw)
        return;
    double *A, *L, *W, *F;
    const size_t nw = (size_t)s->nw, nv = (size_t)s->nv, m = (size_t)s->m;
    hol_kkt_border(s->mass, &A, &L, &W, &F);
    memset(A, 0, nw * nv * sizeof *A);
    memset(L, 0, nw * m * sizeof *L);
    memset(W, 0, nw * nw * sizeof *W);
    memset(F, 0, nv * nw * sizeof *F);
}

static HolStatus project_factor(HolSim *s, double t, HolError *err) {
    s->stats.factorizations++;
    const int bad = hol_kkt_factor(s->mass);
    return bad ? hol_singular_error(s, t, bad, err) : HOL_OK;
}

HolStatus hol_mass_factor(HolSim *s, double t, const double *q, HolError *err) {
    const HolProblem *p = s->p;
    double *M = hol_kkt_S(s->mass);
    memset(M, 0, sizeof *M * (size_t)p->M.nnz);
    p->mass(p, s->work, &(HolPoint){.t = t, .q = q}, 1.0, 0, M);
    if (s->m)
        p->jacobian(p, s->work, &(HolPoint){.t = t, .q = q}, hol_kkt_G(s->mass));
    clear_border(s);
    return project_factor(s, t, err);
}

// Size of the accelerations that forces and reactions would cause one by one. Where they balance (all
// that moves sticks), a is round-off of these.
static double balanced_size(HolSim *s, const HolState *x) {
    const HolProblem *p = s->p;
    HolProjectWork *pw = s->project;
    const double *M = hol_kkt_S(s->mass), *G = hol_kkt_G(s->mass);
    double *r = pw->v;
    p->force(p, s->work, HOL_AT(x), r);
    for (int i = 0; i < s->nv; i++)
        r[i] = fabs(r[i]);
    for (int i = 0; i < p->G.rows; i++)
        for (int k = p->G.ptr[i]; k < p->G.ptr[i + 1]; k++)
            r[p->G.idx[k]] += fabs(G[k] * x->lambda[i]);
    for (int j = 0; j < s->nv; j++)
        for (int k = p->M.ptr[j]; k < p->M.ptr[j + 1]; k++)
            if (p->M.idx[k] == j)
                r[j] = M[k] > 0 ? r[j] / M[k] : 0;
    return hol_norm_near(s, r);
}

// Newton on the bordered system; starts from the a, lambda, w in x. Where rows are redundant the variables
// depend on a part of lambda that no motion determines: of all solutions the one of least norm. Increments
// have no such part (the matrix is regularized), so that only the start has to be rid of it
static HolStatus accelerate_bordered(HolSim *s, HolState *x, HolError *err) {
    const HolProblem *p = s->p;
    HolProjectWork *pw = s->project;
    const int nv = s->nv, m = s->m, nw = s->nw;
    double *A, *L, *W, *F, *r = pw->r, *Jq = pw->J, *Jv = Jq + nw * nv;
    hol_kkt_border(s->mass, &A, &L, &W, &F);
    double previous = INFINITY;
    if (s->redundant)
        hol_kkt_minimum_norm(s->mass, x->lambda);
    p->acceleration_rhs(p, s->work, HOL_AT(x), s->gamma);
    for (int iteration = 0; iteration < MOST; iteration++) {
        p->force(p, s->work, HOL_AT(x), r);
        s->stats.force_evaluations++;
        hol_mul_columns(&p->M, hol_kkt_S(s->mass), x->a, -1, r);
        if (m) {
            hol_mul_rows_transposed(&p->G, hol_kkt_G(s->mass), x->lambda, -1, r);
            for (int i = 0; i < m; i++)
                r[nv + i] = -s->gamma[i];
            hol_mul_rows(&p->G, hol_kkt_G(s->mass), x->a, -1, r + nv);
        }
        p->variables(p, s->work, HOL_AT(x),
                     &(HolAlgebraic){
                         .r = r + nv + m, .Jq = Jq, .Jv = Jv, .Ja = A, .Jl = L, .Jw = W, .fw = F});
        for (int i = 0; i < nw; i++)
            r[nv + m + i] = -r[nv + m + i];
        HolStatus status = project_factor(s, x->t, err);
        if (status)
            return status;
        hol_kkt_solve(s->mass, r);
        for (int i = 0; i < nv; i++)
            x->a[i] += r[i];
        for (int i = 0; i < m; i++)
            x->lambda[i] += r[nv + i];
        for (int i = 0; i < nw; i++)
            x->w[i] += r[nv + m + i];
        const double least = iteration >= PLAIN ? balanced_size(s, x) : 0;
        const double size = fmax(hol_norm_near(s, r) / (hol_norm_near(s, x->a) + least + DBL_MIN),
                                 hol_max_abs(r + nv + m, nw) / (1 + hol_max_abs(x->w, nw)));
        // (the size is no number, too, where accelerations have become exactly zero)
        if (!isfinite(hol_max_abs(r, nv + m + nw)))
            break;
        if (size < 4 * DBL_EPSILON || (size < NEARLY && size > STAGNANT * previous))
            return HOL_OK;
        previous = size;
    }
    hol_error_set(err, HOL_ERR_CONVERGE,
                  "at time %.10g the algebraic variables and accelerations did not converge", x->t);
    if (err)
        err->time = x->t;
    return HOL_ERR_CONVERGE;
}

HolStatus hol_accelerate(HolSim *s, HolState *x, int factored, HolError *err) {
    const HolProblem *p = s->p;
    if (!hol_project_prepare(s))
        return project_no_memory(err);
    if (!factored) {
        HolStatus status = hol_mass_factor(s, x->t, x->q, err);
        if (status)
            return status;
    }
    if (s->nw)
        return accelerate_bordered(s, x, err);
    double *r = ((HolProjectWork *)s->project)->r;
    p->force(p, s->work, HOL_AT(x), r);
    s->stats.force_evaluations++;
    if (s->m) {
        p->acceleration_rhs(p, s->work, HOL_AT(x), r + s->nv);
        for (int i = 0; i < s->m; i++)
            r[s->nv + i] = -r[s->nv + i];
    }
    hol_kkt_solve(s->mass, r);
    memcpy(x->a, r, sizeof *r * (size_t)s->nv);
    if (s->m)
        memcpy(x->lambda, r + s->nv, sizeof *r * (size_t)s->m);
    x->bare = 0;
    if (!isfinite(hol_max_abs(r, s->nv + s->m)))
        return hol_error_set(err, HOL_ERR_SINGULAR,
                             "at time %.10g the accelerations are not finite numbers", x->t);
    return HOL_OK;
}

int hol_loads_not_unique(HolSim *s, const HolState *x) {
    double *A, *L, *W, *F, *Ll = s->project->J;
    const int m = s->m;
    int found = 0;
    if (!s->redundant || !s->nw)
        return 0;
    hol_kkt_border(s->mass, &A, &L, &W, &F);
    memcpy(Ll, L, sizeof *L * (size_t)s->nw * (size_t)m); // (of the last hol_accelerate)
    if (hol_mass_factor(s, x->t, x->q, NULL) != HOL_OK)
        return 0;
    for (int i = 0; i < s->nw && !found; i++) {
        double *least = s->project->r;
        memcpy(least, Ll + i * m, sizeof *least * (size_t)m);
        hol_kkt_minimum_norm(s->mass, least);
        found = hol_max_difference(least, Ll + i * m, m) > OPEN_LOAD * hol_max_abs(Ll + i * m, m);
    }
    return found;
}

int hol_has_jets(const HolProblem *p) {
    return p->extras->series_start && p->extras->series_rhs && p->extras->series_set &&
           p->extras->series_max >= 1;
}

// Residual of the acceleration equations at t + e on the path q (+) e v, v + e a with a, lambda, w
// frozen: its derivative along e is the right-hand side of the jerk.
static void equations_near(HolSim *s, const HolState *x, double e, double *F) {
    const HolProblem *p = s->p;
    HolProjectWork *pw = s->project;
    const int nv = s->nv, m = s->m;
    const double t = x->t + e;
    for (int i = 0; i < nv; i++)
        pw->v[i] = e * x->v[i];
    p->retract(p, s->work, x->q, pw->v, pw->q);
    for (int i = 0; i < nv; i++)
        pw->v[i] = x->v[i] + e * x->a[i];
    p->force(p, s->work, &(HolPoint){.t = t, .q = pw->q, .v = pw->v, .w = x->w}, F);
    s->stats.force_evaluations++;
    memset(pw->M, 0, sizeof *pw->M * (size_t)p->M.nnz);
    p->mass(p, s->work, &(HolPoint){.t = t, .q = pw->q}, 1.0, 0, pw->M);
    hol_mul_columns(&p->M, pw->M, x->a, -1, F);
    if (m) {
        p->jacobian(p, s->work, &(HolPoint){.t = t, .q = pw->q}, pw->G);
        hol_mul_rows_transposed(&p->G, pw->G, x->lambda, -1, F);
        p->acceleration_rhs(p, s->work, &(HolPoint){.t = t, .q = pw->q, .v = pw->v}, F + nv);
        hol_mul_rows(&p->G, pw->G, x->a, 1, F + nv);
        for (int i = 0; i < m; i++)
            F[nv + i] = -F[nv + i];
    }
    if (s->nw) {
        p->variables(
            p, s->work,
            &(HolPoint){.t = t, .q = pw->q, .v = pw->v, .a = x->a, .lambda = x->lambda, .w = x->w},
            &(HolAlgebraic){.r = F + nv + m});
        for (int i = 0; i < s->nw; i++)
            F[nv + m + i] = -F[nv + m + i];
    }
}

HolStatus hol_jerk_rhs(HolSim *s, const HolState *x, double *rhs) {
    const HolProblem *p = s->p;
    if (hol_has_jets(p)) {
        p->extras->series_start(p, s->work, x->t, x->q, x->v);
        p->extras->series_rhs(p, s->work, 0, rhs);
        p->extras->series_set(p, s->work, 0, x->a, x->lambda, x->w);
        p->extras->series_rhs(p, s->work, 1, rhs);
        return HOL_OK;
    }
    if (!hol_project_prepare(s))
        return HOL_ERR_MEMORY;
    HolProjectWork *pw = s->project;
    const int n = s->nv + s->m + s->nw;
    // the increment moves q and v by 3e-4 of their size at most, and time by as much of the run
    const double v = hol_norm_near(s, x->v), a = hol_norm_fast(s, x->a);
    const double e = INCREMENT * fmin(s->test->span, fmin(1 / (v + DBL_MIN), 1 / (a + DBL_MIN)));
    for (int k = 0; k < 3; k++) {
        equations_near(s, x, (k + 1) * e, pw->F[2 * k]);
        equations_near(s, x, -(k + 1) * e, pw->F[2 * k + 1]);
    }
    for (int i = 0; i < n; i++)
        rhs[i] = (45 * (pw->F[0][i] - pw->F[1][i]) - 9 * (pw->F[2][i] - pw->F[3][i]) +
                  (pw->F[4][i] - pw->F[5][i])) /
                 (60 * e);
    return HOL_OK;
}

HolStatus hol_jerk(HolSim *s, const HolState *x, double *j, double *lambda_dot, HolError *err) {
    if (!hol_project_prepare(s))
        return project_no_memory(err);
    HolProjectWork *pw = s->project;
    hol_jerk_rhs(s, x, pw->x);
    hol_kkt_solve(s->mass, pw->x);
    memcpy(j, pw->x, sizeof *j * (size_t)s->nv);
    if (lambda_dot && s->m)
        memcpy(lambda_dot, pw->x + s->nv, sizeof *j * (size_t)s->m);
    if (!isfinite(hol_max_abs(pw->x, s->nv + s->m)))
        return hol_error_set(err, HOL_ERR_SINGULAR,
                             "at time %.10g the rate of the accelerations is not a finite number",
                             x->t);
    return HOL_OK;
}

// Modified Newton from q with the factorization at the first point, renewed when it contracts
// badly.
static HolStatus project_position(HolSim *s, double t, double *q, int factor_end, HolError *err) {
    const HolProblem *p = s->p;
    HolProjectWork *pw = s->project;
    const int nv = s->nv, m = s->m;
    memcpy(pw->start, q, sizeof *q * (size_t)s->nq);
    HolStatus status = hol_mass_factor(s, t, q, err);
    if (status)
        return status;
    double previous = INFINITY, moved = 0;
    for (int iteration = 0; iteration < MOST; iteration++) {
        double *r = pw->r;
        memset(r, 0, sizeof *r * (size_t)(nv + m + s->nw));
        p->constraint(p, s->work, &(HolPoint){.t = t, .q = q}, r + nv);
        for (int i = 0; i < s->nh; i++)
            r[nv + i] = -r[nv + i];
        if (iteration > 0) {
            p->minus(p, s->work, q, pw->start, pw->v);
            hol_mul_columns(&p->M, hol_kkt_S(s->mass), pw->v, -1, r);
        }
        hol_kkt_solve(s->mass, r);
        p->retract(p, s->work, q, r, q);
        const double size = hol_norm_near(s, r), scale = s->test->grain;
        if (!isfinite(size))
            break;
        moved += size;
        if (size <= 2 * DBL_EPSILON * scale ||
            (size < NEARLY_CLOSED * scale && size > STAGNANT * previous)) {
            if (factor_end && moved > 4 * DBL_EPSILON * scale)
                return hol_mass_factor(s, t, q, err);
            return HOL_OK;
        }
        if (size > SLOW * previous && (status = hol_mass_factor(s, t, q, err)))
            return status;
        moved = size > SLOW * previous ? 0 : moved;
        previous = size;
    }
    char name[128];
    int worst = 0;
    p->constraint(p, s->work, &(HolPoint){.t = t, .q = q}, s->g);
    for (int i = 1; i < s->nh; i++)
        if (!(fabs(s->g[i]) * s->test->row[i] <= fabs(s->g[worst]) * s->test->row[worst]))
            worst = i;
    hol_row_name(s, worst, name, sizeof name);
    hol_error_set(err, HOL_ERR_CONVERGE,
                  "at time %.10g the positions do not meet the constraints: '%s' is off by %.3g", t,
                  name, s->g[worst]);
    if (err)
        err->time = t;
    return HOL_ERR_CONVERGE;
}

HolStatus hol_project_position(HolSim *s, double t, double *q, int factor_end, HolError *err) {
    if (!hol_project_prepare(s))
        return project_no_memory(err);
    if (!s->nh)
        return factor_end ? hol_mass_factor(s, t, q, err) : HOL_OK;
    if (!s->nonholonomic)
        return project_position(s, t, q, factor_end, err);
    // non-holonomic rows say nothing about positions
    hol_kkt_inactive(s->mass, s->nonholonomic);
    HolStatus status = project_position(s, t, q, 0, err);
    hol_kkt_inactive(s->mass, NULL);
    if (!status && factor_end)
        status = hol_mass_factor(s, t, q, err);
    return status;
}

HolStatus hol_project_velocity(HolSim *s, double t, const double *q, double *v, HolError *err) {
    const HolProblem *p = s->p;
    if (!s->m)
        return HOL_OK;
    if (!hol_project_prepare(s))
        return project_no_memory(err);
    double *r = ((HolProjectWork *)s->project)->r;
    const int nv = s->nv, m = s->m;
    double previous = INFINITY;
    p->velocity_rhs(p, s->work, &(HolPoint){.t = t, .q = q}, s->gamma);
    // the second pass removes the round-off of the first
    for (int pass = 0; pass < MOST_PASSES; pass++) {
        memset(r, 0, sizeof *r * (size_t)(nv + m + s->nw));
        for (int i = 0; i < m; i++)
            r[nv + i] = -s->gamma[i];
        hol_mul_rows(&p->G, hol_kkt_G(s->mass), v, -1, r + nv);
        const double size = hol_norm_rows(s, r + nv, m);
        if (size == 0 || size > SLOW * previous)
            break;
        previous = size;
        hol_kkt_solve(s->mass, r);
        for (int i = 0; i < nv; i++)
            v[i] += r[i];
    }
    if (!isfinite(hol_max_abs(v, nv)))
        return hol_error_set(err, HOL_ERR_SINGULAR,
                             "at time %.10g the velocities are not finite numbers", t);
    return HOL_OK;
}

void hol_residuals(HolSim *s, const HolState *x, double *position, double *velocity,
                   double *acceleration, int *worst) {
    const HolProblem *p = s->p;
    double level[3] = {0, 0, 0};
    int row = 0;
    if (s->m && hol_project_prepare(s)) {
        HolProjectWork *pw = s->project;
        double *r = s->g;
        if (s->nh)
            p->constraint(p, s->work, HOL_AT(x), r);
        for (int i = 0; i < s->nh; i++)
            if (!(fabs(r[i]) <= level[0])) {
                level[0] = fabs(r[i]);
                row = i;
            }
        if (velocity || acceleration)
            p->jacobian(p, s->work, HOL_AT(x), pw->G);
        if (velocity) {
            p->velocity_rhs(p, s->work, HOL_AT(x), r);
            hol_mul_rows(&p->G, pw->G, x->v, 1, r);
            level[1] = hol_max_abs(r, s->m);
        }
        if (acceleration) {
            p->acceleration_rhs(p, s->work, HOL_AT(x), r);
            hol_mul_rows(&p->G, pw->G, x->a, 1, r);
            level[2] = hol_max_abs(r, s->m);
        }
    }
    if (position)
        *position = level[0];
    if (velocity)
        *velocity = level[1];
    if (acceleration)
        *acceleration = level[2];
    if (worst)
        *worst = row;
}

int hol_moves_with_time(HolSim *s, const HolState *x) {
    if (!s->m)
        return 0;
    s->p->velocity_rhs(s->p, s->work, HOL_AT(x), s->g);
    return hol_max_abs(s->g, s->m) > 0;
}
