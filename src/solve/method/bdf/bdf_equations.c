// SPDX-License-Identifier: Apache-2.0
// The equations F(t, y, y') = 0 of the method bdf.
//   r1 = N (W(q) q' - v),  r2 = M v' - f(t,q,v,w)
//   ggl, ggl-star   r1 + G_h^T mu = 0,  r2 + G^T lambda = 0,  y = (q, v, lambda, mu, w)
//   cs, cm, cmp     P_h r1 = 0,         P r2 = 0,             y = (q, v)
//   all             |p|^2 = 1,  G v + gt = 0,  g = 0,  w = W(t,q,v,v',lambda,w)
// h: the holonomic rows; P G^T = 0, P_h G_h^T = 0 (bdf_split.c). N: squares of the reciprocal sizes
// of the coordinates, as M a metric, without which G_h^T mu would add what has different units.
// Rotations: q holds unit quaternions p with p' = L(p)^T omega / 2, so W p' = 2 L(p) p' / p.p.
// These three equations and |p|^2 = 1 determine the four unknowns without drift (it is the
// coordinate split of the norm, with P = L). Forces and constraints are evaluated at p / |p|.
#include "solve/constraint/project.h"
#include "solve/method/bdf/bdf.h"
#include "solve/run/run.h"

#include <math.h>
#include <string.h>

// ---- kinematics ----

// y = L(p) x with L(p) p' = omega / 2
static void apply_L(const double *p, const double *x, double *y) {
    y[0] = -p[1] * x[0] + p[0] * x[1] + p[3] * x[2] - p[2] * x[3];
    y[1] = -p[2] * x[0] - p[3] * x[1] + p[0] * x[2] + p[1] * x[3];
    y[2] = -p[3] * x[0] + p[2] * x[1] - p[1] * x[2] + p[0] * x[3];
}

static double bdf_equations_square(const double *p) {
    return p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3];
}

// coordinates that hold neither one velocity's integral nor a unit quaternion are refused
static HolStatus refuse_kinematics(HolError *err) {
    return hol_error_set(err, HOL_ERR_UNSUPPORTED,
                         "bdf needs coordinates with q' = v or unit quaternions with body-fixed "
                         "angular velocities; use tangent for this problem");
}

// q' of probe values must be that of unit quaternions
static int quaternions_hold(HolBdf *b) {
    HolSim *s = b->s;
    double *q = s->mid.q, *v = s->mid.v, *qd = s->r1;
    for (int k = 0; k < b->nq; k++)
        q[k] = 0.4 + 0.1 * ((k * 5) % 7);
    for (int i = 0; i < b->nv; i++)
        v[i] = sqrt(i + 2.0);
    s->p->qdot(s->p, s->work, q, v, qd);
    for (int k = 0; k < b->quaternions; k++) {
        const double *p = q + b->quaternion_q[k], *rate = qd + b->quaternion_q[k];
        double omega[3];
        apply_L(p, rate, omega);
        for (int i = 0; i < 3; i++)
            if (fabs(2 * omega[i] / bdf_equations_square(p) - v[b->quaternion_v[k] + i]) > 1e-12)
                return 0;
        double along = 0;
        for (int i = 0; i < 4; i++)
            along += p[i] * rate[i];
        if (fabs(along) > 1e-12)
            return 0;
    }
    return 1;
}

HolStatus hol_bdf_kinematics(HolBdf *b, HolError *err) {
    HolSim *s = b->s;
    HolArena *a = &s->arena;
    const int *coordinate = s->driver->coordinate;
    const int nq = b->nq, nv = b->nv;
    b->q_first = HOL_NEW(a, int, nv + 1);
    b->q_count = HOL_NEW(a, int, nv + 1);
    b->quaternion_q = HOL_NEW(a, int, nq + 1);
    b->quaternion_v = HOL_NEW(a, int, nq + 1);
    b->W = HOL_NEW(a, double, 4 * nv + 1);
    b->block = HOL_NEW(a, int, nv + 1);
    if (a->failed)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    b->quaternions = nq - nv;
    if (b->quaternions < 0)
        return refuse_kinematics(err);
    int found = 0, q_left = 0, v_left = 0;
    for (int k = 0; k < nq; k++) {
        const int i = s->plain ? k : coordinate[k];
        if (i < 0) {
            if (q_left++ % 4 == 0 && found < b->quaternions)
                b->quaternion_q[found++] = k;
            continue;
        }
        if (b->q_count[i])
            return refuse_kinematics(err);
        b->q_first[i] = k;
        b->q_count[i] = 1;
        b->block[i] = -1;
        b->W[4 * i] = 1;
    }
    if (q_left != 4 * b->quaternions)
        return refuse_kinematics(err);
    for (int i = 0; i < nv; i++)
        if (b->q_count[i] == 0) {
            const int block = v_left / 3;
            if (block >= b->quaternions)
                return refuse_kinematics(err);
            if (v_left++ % 3 == 0)
                b->quaternion_v[block] = i;
            b->q_first[i] = b->quaternion_q[block];
            b->q_count[i] = 4;
            b->block[i] = block;
        }
    return quaternions_hold(b) ? HOL_OK : refuse_kinematics(err);
}

void hol_bdf_position(const HolBdf *b, const double *y, double *q) {
    memcpy(q, y, sizeof(double) * (size_t)b->nq);
    for (int k = 0; k < b->quaternions; k++) {
        double *p = q + b->quaternion_q[k];
        const double length = sqrt(bdf_equations_square(p));
        for (int i = 0; i < 4; i++)
            p[i] /= length;
    }
}

// rows of W at q for the quaternions
static void set_W(HolBdf *b, const double *q) {
    for (int k = 0; k < b->quaternions; k++) {
        const double *p = q + b->quaternion_q[k], c = 2 / bdf_equations_square(p);
        double *W = b->W + 4 * b->quaternion_v[k];
        const double L[12] = {-p[1], p[0], p[3],  -p[2], -p[2], -p[3],
                              p[0],  p[1], -p[3], p[2],  -p[1], p[0]};
        for (int i = 0; i < 12; i++)
            W[i] = c * L[i];
    }
}

// ---- memory ----

static void list_rows(HolBdf *b) {
    const HolSim *s = b->s;
    b->ma = b->ha = 0;
    for (int i = 0; i < s->m; i++)
        if (!s->dependent || !s->dependent[i]) {
            b->row[b->ma++] = i;
            b->ha += i < s->nh;
        }
}

// Pivots by mass: 1/sqrt(M_jj). Coordinates without mass (parameters of curves) come before others of
// like entries, but not much: a pivot that is nearly zero determines nothing.
static void set_scale(HolBdf *b) {
    static const double NONE = 1e-14, LIGHT = 0.01; // of the largest mass; of the smallest
    const HolProblem *p = b->s->p;
    double largest = 0, least = INFINITY;
    memset(b->M, 0, sizeof(double) * (size_t)p->M.nnz);
    p->mass(p, b->s->work, HOL_AT(&b->s->x), 1, 0, b->M);
    for (int j = 0; j < b->nv; j++)
        for (int k = p->M.ptr[j]; k < p->M.ptr[j + 1]; k++)
            if (p->M.idx[k] == j)
                b->scale[j] = fabs(b->M[k]);
    for (int j = 0; j < b->nv; j++)
        largest = fmax(largest, b->scale[j] / hol_bdf_metric(b, j));
    for (int j = 0; j < b->nv; j++)
        if (b->scale[j] > NONE * largest * hol_bdf_metric(b, j))
            least = fmin(least, b->scale[j] / hol_bdf_metric(b, j));
    for (int j = 0; j < b->nv; j++) {
        const double size = hol_bdf_metric(b, j), light = isfinite(least) ? LIGHT * least : 1;
        if (!(b->scale[j] > NONE * largest * size))
            b->scale[j] = light * size;
        b->scale[j] = 1 / sqrt(b->scale[j] + 1e-300);
    }
}

HolStatus hol_bdf_prepare(HolBdf *b, HolError *err) {
    HolSim *s = b->s;
    const HolProblem *p = s->p;
    HolArena *a = &s->arena;
    const int nv = b->nv, m = s->m;
    b->row = HOL_NEW(a, int, m + 1);
    b->q = HOL_NEW(a, double, b->nq + 1);
    b->r1 = HOL_NEW(a, double, nv + 1);
    b->r2 = HOL_NEW(a, double, nv + 1);
    b->norm = HOL_NEW(a, double, b->quaternions + 1);
    b->gv = HOL_NEW(a, double, m + 1);
    b->g = HOL_NEW(a, double, m + 1);
    b->rw = HOL_NEW(a, double, b->nw + 1);
    b->M = HOL_NEW(a, double, p->M.nnz + 1);
    b->G = HOL_NEW(a, double, p->G.nnz + 1);
    b->lambda = HOL_NEW(a, double, m + 1);
    b->mu = HOL_NEW(a, double, m + 1);
    b->scratch = HOL_NEW(a, double, m + 1);
    b->work = HOL_NEW(a, double, nv + m + b->nw + 1);
    b->scale = HOL_NEW(a, double, nv + 1);
    if (a->failed)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    list_rows(b);
    set_scale(b);
    b->n_wide = b->nq + nv + b->ma + b->ha + b->nw;
    b->n = b->multipliers ? b->n_wide : b->nq + nv;
    if (!hol_bdf_split_create(a, &b->split_q, nv, &p->G, b->row, b->ha, b->scale) ||
        !hol_bdf_split_create(a, &b->split_v, nv, &p->G, b->row, b->ma, b->scale))
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    return HOL_OK;
}

// ---- start ----

void hol_bdf_start_values(HolBdf *b, double *y, double *yp) {
    const HolSim *s = b->s;
    const HolState *x = &s->x;
    double *lambda = y + b->nq + b->nv;
    memset(y, 0, sizeof(double) * (size_t)b->n);
    memset(yp, 0, sizeof(double) * (size_t)b->n);
    hol_bdf_position(b, x->q, y);
    memcpy(y + b->nq, x->v, sizeof(double) * (size_t)b->nv);
    s->p->qdot(s->p, s->work, y, x->v, yp);
    memcpy(yp + b->nq, x->a, sizeof(double) * (size_t)b->nv);
    if (!b->multipliers)
        return;
    if (b->nw)
        memcpy(lambda + b->ma + b->ha, x->w, sizeof(double) * (size_t)b->nw);
    for (int i = 0; i < b->ma; i++)
        lambda[i] = x->lambda[b->row[i]];
    // left-out rows: their share goes to the active ones, G_a^T lambda_a = G^T lambda
    if (b->ma == s->m)
        return;
    memset(b->r2, 0, sizeof(double) * (size_t)b->nv);
    s->p->jacobian(s->p, s->work, &(HolPoint){.t = x->t, .q = y}, b->G);
    hol_mul_rows_transposed(&s->p->G, b->G, x->lambda, -1, b->r2);
    if (hol_bdf_split_choose(&b->s->arena, &b->split_v, b->G) == 0)
        hol_bdf_split_multipliers(&b->split_v, b->r2, lambda);
}

// ---- residual ----

double hol_bdf_sum(const double *x, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += fabs(x[i]);
    return sum;
}

// r1, r2 without multipliers, the constraint levels, w
int hol_bdf_evaluate(HolBdf *b, double t, const double *y, const double *yp) {
    HolSim *s = b->s;
    const HolProblem *p = s->p;
    const double *v = y + b->nq, *a = yp + b->nq, *lambda = v + b->nv;
    const double *w = b->nw ? lambda + b->ma + b->ha : s->x.w;
    set_W(b, y);
    hol_bdf_position(b, y, b->q);
    for (int k = 0; k < b->quaternions; k++)
        b->norm[k] = 0.5 * (bdf_equations_square(y + b->quaternion_q[k]) - 1);
    for (int i = 0; i < b->nv; i++) {
        double sum = -v[i];
        for (int j = 0; j < b->q_count[i]; j++)
            sum += b->W[4 * i + j] * yp[b->q_first[i] + j];
        b->r1[i] = hol_bdf_metric(b, i) * sum;
    }
    p->force(p, s->work, &(HolPoint){.t = t, .q = b->q, .v = v, .w = w}, b->r2);
    for (int i = 0; i < b->nv; i++)
        b->r2[i] = -b->r2[i];
    memset(b->M, 0, sizeof(double) * (size_t)p->M.nnz);
    p->mass(p, s->work, &(HolPoint){.t = t, .q = b->q}, 1, 0, b->M);
    hol_mul_columns(&p->M, b->M, a, 1, b->r2);
    if (s->m) {
        p->jacobian(p, s->work, &(HolPoint){.t = t, .q = b->q}, b->G);
        p->velocity_rhs(p, s->work, &(HolPoint){.t = t, .q = b->q}, b->scratch);
        hol_mul_rows(&p->G, b->G, v, 1, b->scratch);
        for (int i = 0; i < b->ma; i++)
            b->gv[i] = b->scratch[b->row[i]];
    }
    if (s->nh) {
        p->constraint(p, s->work, &(HolPoint){.t = t, .q = b->q}, b->scratch);
        for (int i = 0; i < b->ha; i++)
            b->g[i] = b->scratch[b->row[i]];
    }
    for (int i = 0; i < b->ma && b->multipliers; i++)
        b->lambda[b->row[i]] = lambda[i];
    for (int i = 0; i < b->ha && b->multipliers; i++)
        b->mu[b->row[i]] = lambda[b->ma + i];
    if (b->nw)
        p->variables(p, s->work,
                     &(HolPoint){.t = t, .q = b->q, .v = v, .a = a, .lambda = b->lambda, .w = w},
                     &(HolAlgebraic){.r = b->rw});
    return !isfinite(hol_bdf_sum(b->r1, b->nv) + hol_bdf_sum(b->r2, b->nv) +
                     hol_bdf_sum(b->g, b->ha) + hol_bdf_sum(b->gv, b->ma) +
                     hol_bdf_sum(b->rw, b->nw));
}

static double *bdf_equations_append(double *to, const double *from, int n) {
    if (n)
        memcpy(to, from, sizeof(double) * (size_t)n);
    return to + n;
}

// P at the G of the last evaluation
static int factor_splits(HolBdf *b) {
    if (hol_bdf_split_factor(&b->split_v, b->G))
        return 1;
    return b->ha != b->ma && hol_bdf_split_factor(&b->split_q, b->G);
}

static HolBdfSplit *position_split(const HolBdf *b) {
    return (HolBdfSplit *)(b->ha == b->ma ? &b->split_v : &b->split_q);
}

int hol_bdf_residual(HolBdf *b, double t, const double *y, const double *yp, double *F) {
    const HolPattern *G = &b->s->p->G;
    if (hol_bdf_evaluate(b, t, y, yp))
        return 1;
    if (b->multipliers) {
        if (b->s->m) {
            hol_mul_rows_transposed(G, b->G, b->mu, 1, b->r1);
            hol_mul_rows_transposed(G, b->G, b->lambda, 1, b->r2);
        }
        F = bdf_equations_append(F, b->r1, b->nv);
        F = bdf_equations_append(F, b->norm, b->quaternions);
        F = bdf_equations_append(F, b->r2, b->nv);
    } else {
        if (!b->frozen && factor_splits(b))
            return 1;
        hol_bdf_split_project(position_split(b), b->r1, F);
        F = bdf_equations_append(F + b->nv - b->ha, b->norm, b->quaternions);
        hol_bdf_split_project(&b->split_v, b->r2, F);
        F += b->nv - b->ma;
    }
    F = bdf_equations_append(F, b->gv, b->ma);
    F = bdf_equations_append(F, b->g, b->ha);
    bdf_equations_append(F, b->rw, b->nw);
    return 0;
}

// P J x = F has the solution x of J x + G^T s = X F: P X = I
void hol_bdf_widen(const HolBdf *b, const double *F, double *wide) {
    if (b->multipliers) {
        bdf_equations_append(wide, F, b->n);
        return;
    }
    const HolBdfSplit *sq = position_split(b), *sv = &b->split_v;
    memset(wide, 0, sizeof(double) * (size_t)b->n_wide);
    for (int k = 0; k < b->nv - b->ha; k++)
        wide[sq->free_column[k]] = F[k];
    F += b->nv - b->ha;
    wide = bdf_equations_append(wide + b->nv, F, b->quaternions);
    F += b->quaternions;
    for (int k = 0; k < b->nv - b->ma; k++)
        wide[sv->free_column[k]] = F[k];
    bdf_equations_append(wide + b->nv, F + b->nv - b->ma, b->ma + b->ha);
}

// Which unknowns the error test looks at: the independent ones. Where drives by speed leave no freedom
// the independent position may move steadily and say nothing of the others, whose errors it takes
// over: there all positions count.
void hol_bdf_mask(const HolBdf *b, double *id) {
    const HolBdfSplit *sq = position_split(b), *sv = &b->split_v;
    const int led = b->ma == b->nv && b->ha < b->ma;
    memset(id, 0, sizeof(double) * (size_t)b->n);
    for (int i = 0; i < b->nv; i++) {
        const int q_free = b->multipliers || led || !sq->is_dependent[i];
        const int v_free = b->multipliers || !sv->is_dependent[i];
        for (int j = 0; j < b->q_count[i] && q_free; j++)
            id[b->q_first[i] + j] = 1;
        id[b->nq + i] = v_free && b->velocity_test;
    }
}

// new Y at the present G; 0 = ok, -1 no memory, else 1 + row
static int choose_splits(HolBdf *b) {
    int bad = hol_bdf_split_choose(&b->s->arena, &b->split_v, b->G);
    if (!bad && b->ha != b->ma)
        bad = hol_bdf_split_choose(&b->s->arena, &b->split_q, b->G);
    return bad;
}

HolStatus hol_bdf_first_split(HolBdf *b, HolError *err) {
    const HolSim *s = b->s;
    char name[128];
    if (b->multipliers || !b->ma)
        return HOL_OK;
    s->p->jacobian(s->p, s->work, HOL_AT(&s->x), b->G);
    const int bad = choose_splits(b);
    if (bad < 0)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    if (bad == 0)
        return HOL_OK;
    hol_row_name(s, bad - 1, name, sizeof name);
    return hol_error_set(err, HOL_ERR_SINGULAR,
                         "at time %.10g '%s' depends on the other constraints: bdf cannot start "
                         "from a singular position",
                         s->x.t, name);
}

int hol_bdf_renew_split(HolBdf *b, double t, const double *y) {
    const double LARGEST = 10;
    const HolProblem *p = b->s->p;
    if (b->multipliers || !b->ma)
        return 0;
    hol_bdf_position(b, y, b->q);
    p->jacobian(p, b->s->work, &(HolPoint){.t = t, .q = b->q}, b->G);
    if (!factor_splits(b) && b->split_v.ratio <= LARGEST &&
        (b->ha == b->ma || b->split_q.ratio <= LARGEST))
        return 0;
    return choose_splits(b) == 0;
}
