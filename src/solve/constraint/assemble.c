// SPDX-License-Identifier: Apache-2.0
// Assembly: consistent q0, v0, a0, lambda0 from the values as written, changed as little as
// possible (docs/theory/assembly.md, section 7).
//   position   minimize 1/2 (q - q0)^T W (q - q0)  subject to  g(q,t) = 0
//   velocity   minimize 1/2 (v - v0)^T W (v - v0)  subject to  G v + gt = 0
// W: weights over squares of the scales of the coordinates (error_test.h: places in lengths of the
// mechanism, angles in radians), so that the unit of length has no influence on which coordinates
// change; coordinates whose weight says "exact" are held. Each Newton step solves
//   [ W  0   G^T ] [d    ]   [-W (q - q0) - G^T eta]
//   [ 0  R   I   ] [s    ] = [0                    ]   s: slack of the rows; R: large weights over
//   [ G  I   0   ] [d eta]   [-g                   ]      squares of the scales of the rows
// [G I] always has full rank: redundant, singular and contradictory rows are all solved in the
// least-squares sense, and a row that cannot be closed stays open and is reported by name. The
// multipliers eta are carried along, so that the slack vanishes in the limit.
#include "base/sized.h"
#include "solve/constraint/closer.h"
#include "solve/constraint/project.h"
#include "solve/run/error_test.h"
#include "solve/run/run.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- tuning constants ----
enum {
    MAX_ITERATIONS = 200, // of Newton's method for closed positions
    MAX_POLISH = 30,      // of that towards the nearest closed position
    MAX_PASSES = 8,       // refinements of the velocities
    NEARBY = 2,           // positions nearby whose rank is compared
    NAMED = 64            // dependent rows that are reported
};
static const double slack_weight = 1e9;    // of open rows, against changes of coordinates
static const double exact_weight = 1e6;    // from this weight on a coordinate is held
static const double SMALLEST_PART = 1e-4;  // of a Newton step that is tried
static const double PROGRESS = 0.25;       // part of the promised decrease that a step must reach
static const double CLOSED = 1e-8;         // residual from which the nearest position is searched
static const double ROUND_OFF = 1e-14;     // of the scale: nothing changes any more
static const double NEARLY = 1e-9;         // of the scale: stagnation from here on is convergence
static const double STAGNANT = 0.5;        // ratio of two corrections
static const double OPEN = 1e-9;           // residual from which a joint cannot be closed
static const double DEPENDENT = 1e-9;      // pivot of a dependent row
static const double AWAY = 3e-3;           // distance of the positions nearby, in scales
static const double CLOSED_NEARBY = 1e-10; // their largest residual
static const double MOVED = 1e-12;         // smallest change that is reported

typedef struct Assembler {
    HolSim *s;
    HolKkt *kkt;           // n = nv + m unknowns (d, s), m rows
    double *G, *g;         // values of G at the present point, residual
    double *weight;        // nv
    unsigned char *held;   // nv
    double *r;             // nv + 2 m
    double *start, *trial; // nq: values as written, trial point
    double *d, *eta;       // nv, m
    double *reach;         // 2 (nv + m): sizes of the unknowns, reciprocals
} Assembler;

// ---- the Newton step ----

// Patterns of diag(W, rho) and [G I].
static int make_patterns(HolSim *s, HolPattern *S, HolPattern *G) {
    const HolPattern *P = &s->p->G;
    const int nv = s->nv, m = s->m, n = nv + m;
    int *diagonal = HOL_NEW(&s->arena, int, n + 1), *row = HOL_NEW(&s->arena, int, m + 1),
        *column = HOL_NEW(&s->arena, int, P->nnz + m + 1);
    if (!diagonal || !row || !column)
        return 0;
    for (int i = 0; i <= n; i++)
        diagonal[i] = i;
    int k = 0;
    for (int i = 0; i < m; i++) {
        for (int l = P->ptr[i]; l < P->ptr[i + 1]; l++)
            column[k++] = P->idx[l];
        column[k++] = nv + i;
        row[i + 1] = k;
    }
    *S = (HolPattern){.rows = n, .cols = n, .nnz = n, .ptr = diagonal, .idx = diagonal};
    *G = (HolPattern){.rows = m, .cols = n, .nnz = k, .ptr = row, .idx = column};
    return 1;
}

static int make_assembler(HolSim *s, Assembler *as) {
    HolPattern S, G;
    *as = (Assembler){.s = s};
    if (!make_patterns(s, &S, &G))
        return 0;
    as->kkt = hol_sim_kkt(s, &S, &G, 0, 1, "auto");
    as->G = HOL_NEW(&s->arena, double, s->p->G.nnz + 1);
    as->g = HOL_NEW(&s->arena, double, s->m + 1);
    as->weight = HOL_NEW(&s->arena, double, s->nv + 1);
    as->held = HOL_NEW(&s->arena, unsigned char, s->nv + 1);
    as->r = HOL_NEW(&s->arena, double, s->nv + 2 * s->m + 1);
    as->start = HOL_NEW(&s->arena, double, s->nq + s->nv + 1);
    as->trial = HOL_NEW(&s->arena, double, s->nq + 1);
    as->d = HOL_NEW(&s->arena, double, s->nv + 1);
    as->eta = HOL_NEW(&s->arena, double, s->m + 1);
    as->reach = HOL_NEW(&s->arena, double, 2 * (s->nv + s->m) + 1);
    if (!as->kkt || s->arena.failed)
        return 0;
    for (int i = 0; i < S.cols; i++) {
        as->reach[S.cols + i] = i < s->nv ? s->test->near[i] : s->test->row[i - s->nv];
        as->reach[i] = 1 / as->reach[S.cols + i];
    }
    hol_kkt_reach(as->kkt, as->reach, as->reach + S.cols);
    return 1;
}

// weights as given (NULL: one each), or all free
static void set_weights(Assembler *as, const double *weight) {
    for (int i = 0; i < as->s->nv; i++) {
        as->held[i] = weight && weight[i] >= exact_weight;
        as->weight[i] = weight && !as->held[i] && weight[i] > 0 ? weight[i] : 1;
        as->weight[i] *= as->s->test->near[i] * as->s->test->near[i];
    }
}

static HolStatus assemble_factor(Assembler *as, double t, HolError *err) {
    const HolPattern *P = &as->s->p->G;
    const double *row = as->s->test->row;
    const int nv = as->s->nv, m = as->s->m;
    double *S = hol_kkt_S(as->kkt), *G = hol_kkt_G(as->kkt);
    for (int i = 0; i < nv; i++)
        S[i] = as->weight[i];
    for (int i = 0; i < m; i++)
        S[nv + i] = slack_weight * (row[i] * row[i]);
    for (int i = 0; i < m; i++) {
        for (int l = P->ptr[i]; l < P->ptr[i + 1]; l++)
            *G++ = as->held[P->idx[l]] ? 0 : as->G[l];
        *G++ = 1;
    }
    const int bad = hol_kkt_factor(as->kkt);
    return bad ? hol_error_set(err, HOL_ERR_SINGULAR,
                               "at time %.10g the equations of the assembly are singular", t)
               : HOL_OK;
}

// d of the system above; change: q - q0 (eta is advanced), or NULL: least increment to g = 0
static void solve_increment(Assembler *as, const double *change) {
    const HolPattern *G = &as->s->p->G;
    const int nv = as->s->nv, m = as->s->m;
    memset(as->r, 0, sizeof *as->r * (size_t)(nv + 2 * m));
    if (change) {
        hol_mul_rows_transposed(G, as->G, as->eta, -1, as->r);
        for (int i = 0; i < nv; i++)
            as->r[i] -= as->weight[i] * change[i];
    }
    for (int i = 0; i < nv; i++)
        if (as->held[i])
            as->r[i] = 0;
    for (int i = 0; i < m; i++)
        as->r[nv + m + i] = -as->g[i];
    hol_kkt_solve(as->kkt, as->r);
    for (int i = 0; i < nv; i++)
        as->d[i] = as->held[i] ? 0 : as->r[i];
    for (int i = 0; i < m && change; i++)
        as->eta[i] += as->r[nv + m + i];
}

static double position_residual(Assembler *as, double t, const double *q) {
    HolSim *s = as->s;
    memset(as->g, 0, sizeof *as->g * (size_t)s->m);
    s->p->constraint(s->p, s->work, &(HolPoint){.t = t, .q = q}, as->g);
    double sum = 0;
    for (int i = 0; i < s->nh; i++)
        sum += as->g[i] * s->test->row[i] * (as->g[i] * s->test->row[i]);
    return sqrt(sum);
}

// the row that is violated most
static int worst_row(const Assembler *as, int rows) {
    const double *g = as->g, *scale = as->s->test->row;
    int worst = 0;
    for (int i = 1; i < rows; i++)
        if (!(fabs(g[i]) * scale[i] <= fabs(g[worst]) * scale[worst]))
            worst = i;
    return worst;
}

// ---- positions ----

// One Newton step with step halving on |g|; 0 when no progress is possible any more.
static int closing_step(Assembler *as, double t, double *q, double *residual, HolStatus *status,
                        HolError *err) {
    HolSim *s = as->s;
    s->p->jacobian(s->p, s->work, &(HolPoint){.t = t, .q = q}, as->G);
    if ((*status = assemble_factor(as, t, err)))
        return 0;
    solve_increment(as, NULL);
    const double size = hol_max_abs(as->d, s->nv);
    if (!isfinite(size) || size == 0)
        return 0;
    for (double fraction = 1; fraction > SMALLEST_PART; fraction *= 0.5) {
        for (int i = 0; i < s->nv; i++)
            s->r1[i] = fraction * as->d[i];
        s->p->retract(s->p, s->work, q, s->r1, as->trial);
        const double trial = position_residual(as, t, as->trial);
        if (trial < (1 - PROGRESS * fraction) * *residual) {
            memcpy(q, as->trial, sizeof *q * (size_t)s->nq);
            *residual = trial;
            return 1;
        }
    }
    position_residual(as, t, q);
    return 0;
}

// Slides along g = 0 to the nearest point of the start; keeps the old point when that fails.
static void least_change(Assembler *as, double t, double *q) {
    HolSim *s = as->s;
    const HolProblem *p = s->p;
    const double closed = position_residual(as, t, q), scale = s->test->grain;
    double *best = as->trial, previous = INFINITY;
    memcpy(best, q, sizeof *q * (size_t)s->nq);
    memset(as->eta, 0, sizeof *as->eta * (size_t)s->m);
    for (int iteration = 0; iteration < MAX_POLISH; iteration++) {
        p->jacobian(p, s->work, &(HolPoint){.t = t, .q = q}, as->G);
        if (assemble_factor(as, t, NULL))
            break;
        p->minus(p, s->work, q, as->start, s->r1);
        solve_increment(as, s->r1);
        const double size = hol_norm_near(s, as->d);
        if (!isfinite(size) || size > 2 * previous || size > 1 + hol_norm_near(s, s->r1))
            break;
        p->retract(p, s->work, q, as->d, q);
        const double residual = position_residual(as, t, q);
        if (residual <= fmax(closed, ROUND_OFF * scale)) {
            if (size <= ROUND_OFF * scale || (size < NEARLY * scale && size > STAGNANT * previous))
                return;
        }
        previous = size;
    }
    // not converged: the closed point found before is as good a start
    memcpy(q, best, sizeof *q * (size_t)s->nq);
    position_residual(as, t, q);
}

// q onto g = 0; returns the largest residual that is left, over its scale, in *residual and its row
// in *worst
static HolStatus close_positions(Assembler *as, double t, double *q, int nearest, double *residual,
                                 int *worst, HolError *err) {
    HolSim *s = as->s;
    HolStatus status = HOL_OK;
    memcpy(as->start, q, sizeof *q * (size_t)s->nq);
    double norm = position_residual(as, t, q);
    const double scale = s->test->grain;
    if (s->nonholonomic)
        hol_kkt_inactive(as->kkt, s->nonholonomic);
    if (hol_norm_rows(s, as->g, s->nh) > 4 * DBL_EPSILON * scale) {
        for (int k = 0; k < MAX_ITERATIONS && norm > DBL_EPSILON * scale; k++)
            if (!closing_step(as, t, q, &norm, &status, err))
                break;
        if (!status && nearest && hol_norm_rows(s, as->g, s->nh) < CLOSED * scale)
            least_change(as, t, q);
    }
    if (s->nonholonomic)
        hol_kkt_inactive(as->kkt, NULL);
    *residual = hol_norm_rows(s, as->g, s->nh);
    *worst = worst_row(as, s->nh);
    return status;
}

static HolStatus assemble_refuse(HolSim *s, const char *level, int row, double residual, int held,
                                 HolError *err) {
    char name[128];
    hol_row_name(s, row, name, sizeof name);
    hol_error_set(err, HOL_ERR_ASSEMBLY,
                  "the mechanism cannot be assembled: %s '%s' %s by %.4g at time %.10g; %s",
                  level[0] == 'p' ? "joint" : "the velocity at", name,
                  level[0] == 'p' ? "stays open" : "violates its constraint", residual, s->x.t,
                  held ? "free some of the values marked exact, or correct them"
                       : "correct the dimensions or start from positions nearer to a closed state");
    if (err)
        err->time = s->x.t;
    return HOL_ERR_ASSEMBLY;
}

static int any_held(const Assembler *as) {
    for (int i = 0; i < as->s->nv; i++)
        if (as->held[i])
            return 1;
    return 0;
}

static HolStatus assemble_position(Assembler *as, HolError *err) {
    HolSim *s = as->s;
    double residual;
    int worst;
    set_weights(as, s->weight_q);
    HolStatus status = close_positions(as, s->x.t, s->x.q, 1, &residual, &worst, err);
    if (status)
        return status;
    if (!(residual <= OPEN * s->test->grain))
        return assemble_refuse(s, "position", worst, fabs(as->g[worst]), any_held(as), err);
    return HOL_OK;
}

// ---- velocities: linear, so a few passes of the same solve refine to round-off ----

static HolStatus assemble_velocity(Assembler *as, HolError *err) {
    HolSim *s = as->s;
    const HolProblem *p = s->p;
    double *v = s->x.v;
    const int nv = s->nv, m = s->m;
    set_weights(as, s->weight_v);
    p->jacobian(p, s->work, HOL_AT(&s->x), as->G);
    HolStatus status = assemble_factor(as, s->x.t, err);
    if (status)
        return status;
    const double written = hol_norm_near(s, v);
    double residual = INFINITY;
    for (int pass = 0; pass < MAX_PASSES; pass++) {
        p->velocity_rhs(p, s->work, HOL_AT(&s->x), as->g);
        hol_mul_rows(&p->G, as->G, v, 1, as->g);
        const double now = hol_norm_rows(s, as->g, m);
        if (now == 0 || (pass > 1 && now > STAGNANT * residual))
            break;
        residual = now;
        // increments lie in range(W^-1 G^T): their sum is the least change
        solve_increment(as, NULL);
        for (int i = 0; i < nv; i++)
            v[i] += as->d[i];
    }
    // (speeds are known now: those of the bodies and of what drives them; where nothing can move the
    // rest is round-off of those as written)
    const int worst = worst_row(as, m);
    p->velocity_rhs(p, s->work, HOL_AT(&s->x), s->g);
    const double speed = written + hol_norm_near(s, v) + hol_norm_rows(s, s->g, m);
    if (!(fabs(as->g[worst]) * s->test->row[worst] <= OPEN * speed) && as->g[worst] != 0)
        return assemble_refuse(s, "velocity", worst, fabs(as->g[worst]), any_held(as), err);
    return HOL_OK;
}

// ---- rank ----

// Rank of G at q in the scales of its coordinates.
static int scaled_rank(Assembler *as, const double *q, unsigned char *dependent, int **on_ptr,
                       int **on) {
    HolSim *s = as->s;
    const HolPattern *G = &s->p->G;
    s->p->jacobian(s->p, s->work, &(HolPoint){.t = s->x.t, .q = q}, as->G);
    for (int k = 0; k < G->nnz; k++)
        as->G[k] /= s->test->near[G->idx[k]];
    return hol_rank_rows(&s->arena, G, as->G, DEPENDENT, NAMED, dependent, on_ptr, on);
}

// q: a consistent configuration a little away from s->x, another one for every attempt; 0: there is
// none
static int find_nearby(Assembler *as, int attempt, double *q) {
    HolSim *s = as->s;
    unsigned random = 12345;
    double residual;
    int worst;
    for (int skip = 0; skip <= attempt; skip++)
        for (int i = 0; i < s->nv; i++) {
            random = random * 1664525u + 1013904223u;
            const double way = AWAY * (attempt + 1) * ((double)(random >> 8) / 8388608.0 - 1);
            s->r1[i] = s->test->q[i] > 0 ? way / s->test->q[i] : 0; // (0: hidden, means nothing)
        }
    s->p->retract(s->p, s->work, s->x.q, s->r1, q);
    set_weights(as, NULL);
    return close_positions(as, s->x.t, q, 0, &residual, &worst, NULL) == HOL_OK &&
           residual < CLOSED_NEARBY;
}

// Rank nearby: the largest over two consistent configurations a little away; flags of the first
// configuration that has it. Mechanisms that cannot move return the rank here. -1: no memory.
static int rank_nearby(Assembler *as, int rank_here, unsigned char *dependent) {
    HolSim *s = as->s;
    double *q = HOL_NEW(&s->arena, double, s->nq + 1);
    unsigned char *flags = HOL_NEW(&s->arena, unsigned char, s->m + 1);
    if (!q || !flags)
        return -1;
    int best = rank_here;
    for (int attempt = 0; attempt < NEARBY; attempt++) {
        int *on_ptr, *on;
        if (!find_nearby(as, attempt, q))
            continue;
        const int rank = scaled_rank(as, q, flags, &on_ptr, &on);
        if (rank < 0)
            return -1;
        if (rank > best) {
            best = rank;
            memcpy(dependent, flags, (size_t)s->m);
        }
    }
    return best;
}

// Names of the rows a dependent row hangs on, each once.
static void list_names(const HolSim *s, const int *on, int n, const char *own, char *out,
                       size_t size) {
    out[0] = 0;
    for (int k = 0; k < n; k++) {
        char name[64];
        hol_row_name(s, on[k], name, sizeof name);
        int known = !strcmp(name, own);
        for (int l = 0; l < k && !known; l++) {
            char earlier[64];
            hol_row_name(s, on[l], earlier, sizeof earlier);
            known = !strcmp(earlier, name);
        }
        const size_t used = strlen(out);
        if (!known && used + strlen(name) + 3 < size)
            snprintf(out + used, size - used, "%s%s", used ? ", " : "", name);
    }
}

// 0: no memory
static int describe_rank(Assembler *as) {
    HolSim *s = as->s;
    HolCheck *c = &s->check;
    unsigned char *here = HOL_NEW(&s->arena, unsigned char, s->m + 1),
                  *near = HOL_NEW(&s->arena, unsigned char, s->m + 1);
    int *on_ptr, *on;
    c->n_dependent = 0;
    if (!here || !near)
        return 0;
    c->rank = scaled_rank(as, s->x.q, here, &on_ptr, &on);
    if (c->rank < 0)
        return 0;
    c->dof = s->nv - c->rank - s->p->extras->n_states;
    c->redundant = s->m - c->rank;
    c->singular = 0;
    if (!c->redundant)
        return 1;
    memcpy(near, here, (size_t)s->m);
    const int nearby = rank_nearby(as, c->rank, near);
    if (nearby < 0)
        return 0;
    c->singular = nearby > c->rank;
    s->redundant = nearby < s->m;
    s->dependent = s->redundant ? near : NULL;
    for (int i = 0; i < s->m && c->n_dependent < NAMED; i++) {
        if (!here[i])
            continue;
        HolDependentRow *row = &c->dependent[c->n_dependent++];
        hol_row_name(s, i, row->joint, sizeof row->joint);
        row->row = i;
        row->always = near[i] != 0;
        list_names(s, on + on_ptr[i], on_ptr[i + 1] - on_ptr[i], row->joint, row->on,
                   sizeof row->on);
    }
    return 1;
}

// ---- report ----

// Adds what moved, the largest first in moved_what.
static void report_moved(HolSim *s, const double *change, const double *from, const double *to,
                         int velocity) {
    HolCheck *c = &s->check;
    double *largest = velocity ? &c->moved_velocity : &c->moved_position;
    const double *near = s->test->near;
    // (velocities against the largest of all)
    const double all = velocity ? fmax(hol_norm_near(s, from), hol_norm_near(s, to)) : 1;
    for (int i = 0; i < s->nv; i++) {
        const double size = fabs(change[i]);
        if (size * near[i] <= MOVED * (all + fabs(from[i]) * near[i]))
            continue;
        char name[64], full[80];
        hol_coordinate_name(s, i, name, sizeof name);
        snprintf(full, sizeof full, "%s%s", name, velocity ? " (velocity)" : "");
        if (size > *largest) {
            *largest = size;
            if (!velocity || c->moved_position < size)
                snprintf(c->moved_what, sizeof c->moved_what, "%s", full);
        }
        if (c->n_moved < 64) {
            snprintf(c->moved[c->n_moved].name, sizeof c->moved[0].name, "%.63s", full);
            c->moved[c->n_moved].from = from[i];
            c->moved[c->n_moved].to = to[i];
            c->n_moved++;
        }
    }
}

static void assemble_count(HolSim *s) {
    HolCheck *c = &s->check;
    // (rows that may be open stand before their hidden coordinates now)
    const int hidden = s->p->extras->n_hidden;
    *c = (HolCheck){.coordinates = s->nq - hidden,
                    .velocities = s->nv - hidden,
                    .constraints = s->m - s->p->extras->n_modes};
    c->dof = s->nv - s->m - s->p->extras->n_states;
    c->rank = s->m;
    if (s->model) {
        c->bodies = hol_model_body_count(s->model);
        c->joints = hol_model_joint_count(s->model);
    }
    hol_residuals(s, &s->x, &c->residual_position, &c->residual_velocity, NULL, NULL);
}

static HolStatus assemble_constrained(HolSim *s, double *q0, double *v0, HolError *err) {
    Assembler as;
    if (!make_assembler(s, &as))
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    HolStatus status = assemble_position(&as, err);
    if (!status) {
        s->p->minus(s->p, s->work, s->x.q, q0, s->r1);
        // plain coordinates: values; rotations: increments
        double *from = s->r2, *to = s->r3;
        memset(from, 0, sizeof *from * (size_t)s->nv);
        memcpy(to, s->r1, sizeof *to * (size_t)s->nv);
        for (int k = 0; k < s->nq; k++) {
            const int i = s->driver->coordinate[k];
            if (i >= 0) {
                from[i] = q0[k];
                to[i] = s->x.q[k];
            }
        }
        report_moved(s, s->r1, from, to, 0);
        status = assemble_velocity(&as, err);
    }
    if (!status) {
        for (int i = 0; i < s->nv; i++)
            s->r1[i] = s->x.v[i] - v0[i];
        report_moved(s, s->r1, v0, s->x.v, 1);
    }
    const int ranked = describe_rank(&as);
    hol_kkt_destroy(as.kkt);
    return !ranked || s->arena.failed ? hol_error_set(err, HOL_ERR_MEMORY, "out of memory")
                                      : status;
}

HolStatus hol_assemble(HolSim *s, HolError *err) {
    if (!hol_project_prepare(s))
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    double *q0 = HOL_NEW(&s->arena, double, s->nq + 1), *v0 = HOL_NEW(&s->arena, double, s->nv + 1);
    if (!q0 || !v0)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    memcpy(q0, s->x.q, sizeof *q0 * (size_t)s->nq);
    memcpy(v0, s->x.v, sizeof *v0 * (size_t)s->nv);
    assemble_count(s);
    hol_error_test_rows(s);
    if (s->m) {
        HolStatus status = assemble_constrained(s, q0, v0, err);
        if (status)
            return status;
    }
    // (each row that may be open has a hidden coordinate: neither counts)
    s->check.rank -= s->p->extras->n_modes;
    hol_kkt_set_redundant(s->mass, s->redundant);
    HolStatus status = hol_accelerate(s, &s->x, 0, err);
    if (status)
        return status;
    if (hol_loads_not_unique(s, &s->x))
        hol_note(s, "constraint rows are redundant, and friction or variables depend on how they "
                    "share their "
                    "load: with the reactions of least norm");
    hol_residuals(s, &s->x, NULL, NULL, &s->check.residual_acceleration, NULL);
    s->assembled = 1;
    return HOL_OK;
}

HolStatus hol_sim_check_sized(HolSim *s, HolCheck *out, size_t room, HolError *err) {
    HolStatus status = hol_sim_assemble(s, err);
    if (s && out)
        hol_sized_make(out, room, &s->check, sizeof s->check);
    return status;
}

// ---- for analyses: see closer.h ----

static void forget_note(void *to, const char *text) {
    (void)to, (void)text;
}

HolStatus hol_close_start(HolSim *s, HolError *err) {
    Assembler as;
    if (s->p->extras->begin)
        s->p->extras->begin(s->p, s->work, s->x.t, s->x.q, forget_note, NULL);
    if (!hol_project_prepare(s))
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    hol_error_test_rows(s);
    if (!s->m)
        return HOL_OK;
    if (!make_assembler(s, &as))
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    const HolStatus status = assemble_position(&as, err);
    hol_kkt_destroy(as.kkt);
    return status;
}

struct HolCloser {
    Assembler as;
};

HolCloser *hol_closer_create(HolSim *s) {
    HolCloser *c = HOL_NEW(&s->arena, HolCloser, 1);
    return c && make_assembler(s, &c->as) ? c : NULL;
}

int hol_closer_at(HolCloser *c, double t, double *q, int *worst) {
    double residual;
    int row;
    set_weights(&c->as, NULL);
    const HolStatus status = close_positions(&c->as, t, q, 0, &residual, &row, NULL);
    if (worst)
        *worst = row;
    return status == HOL_OK && residual <= OPEN * c->as.s->test->grain;
}

int hol_closer_nearby(HolCloser *c, int attempt, double *q) {
    return find_nearby(&c->as, attempt, q);
}

void hol_closer_destroy(HolCloser *c) {
    if (c)
        hol_kkt_destroy(c->as.kkt);
}
