// SPDX-License-Identifier: Apache-2.0
// Local coordinates x of the constraint manifold, see chart.h. Two kinds:
//   tree   joint coordinates; position and directions E are explicit (HolProblemExtras)
//   else   those d of the bodies' own coordinates that determine the others,
//          x = beta-components of q (-) center over their sizes
//          (sizes are powers of two: matrices of x then mix no units)
// In the second kind g(q) = 0 and x(q) = x are solved by Newton's method. The correction with
// G dq = r and beta dq = y is
//   dq = n + E (y - beta n),   n = solution of [M G^T; G 0] for (0, r),
//   E = X (beta X)^-1,         X = solutions for (beta^T, 0).
// v and b follow in the same manner from G v = -gt, beta v = x' and G b = -gamma,
// beta b = -(x'' of zero accelerations).
//
// Constraints of velocities B v = b say nothing of positions, and algebraic variables w depend on
// accelerations and reactions. With either (c->whole) the coordinates are those of the positions,
// G without B, and the accelerations come from the whole saddle point, B and w too:
//   x'' = beta a + (x'' of zero accelerations)
// B v = b is then an invariant that steps keep to their own order; the method projects their ends.
#include "solve/chart/chart.h"
#include "solve/constraint/project.h"
#include "solve/run/error_test.h"

#include "math/dense.h"
#include "problem/nonsmooth.h"
#include "solve/run/run.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- tuning constants ----
enum { MOST = 30 };                 // iterations for a position
static const double LINEAR = 1e-12; // relative: q0 (-) q counts as linear in q
static const double LOST = 1e3;     // corrections so many scales large lead nowhere
static const double NEARLY = 1e-11; // of the scale: stagnation from here on is convergence,
static const double STAGNANT = 0.3; // with this ratio of two corrections
static const double MOVED = 1e-13;  // of the scale: the factorization at the start still serves
static const double LARGE = 1e-3, SLOW = 0.02; // a correction so large that contracts so slowly
static const double FIRST = 1e-6;     // or a first one so large: the matrix is factored anew
static const double DEPENDENT = 1e-9; // part of a direction that is left beside the others
static const double HELD = 1e-12;     // mobility of a coordinate that the constraints hold

static double local_coordinates_dot(const double *a, const double *b, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

// x of a direction d at the centre: q0 (-) (q0 - d), linear in d; d, whose unit may be anything, as
// large as rotations are
static void from_center(HolSim *s, HolChart *c, const double *d, double *out) {
    double *q = s->mid.q, most = 0;
    for (int i = 0; i < s->nq; i++)
        most = s->driver->coordinate[i] < 0 ? fmax(most, fabs(d[i])) : most;
    const int e = most > 0 && isfinite(most) ? ilogb(most) : 0;
    for (int i = 0; i < s->nq; i++)
        q[i] = c->center[i] - ldexp(d[i], -e);
    s->p->minus(s->p, s->work, c->center, q, out);
    for (int i = 0; i < s->nv; i++)
        out[i] = ldexp(out[i], e);
}

// the chart differentiates q0 (-) q by q: that must be linear
static int minus_is_linear(HolSim *s, HolChart *c) {
    double *d = s->r1, *a = c->x, *b = c->y, worst = 0, size = 0;
    memcpy(c->center, s->x.q, sizeof *d * (size_t)s->nq);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < s->nq; i++) {
            const int j = s->driver->coordinate[i]; // (others: rotations)
            d[i] = (k != 1 ? 0.2 + 0.05 * (i % 5) : 0) + (k != 0 ? 0.3 - 0.07 * (i % 4) : 0);
            d[i] *= j >= 0 ? s->reach[j] : 1;
        }
        from_center(s, c, d, k ? b : a);
        for (int i = 0; k == 1 && i < s->nv; i++)
            a[i] += b[i];
    }
    for (int i = 0; i < s->nv; i++) {
        worst = fmax(worst, fabs(a[i] - b[i]) / s->reach[i]);
        size = fmax(size, fabs(b[i]) / s->reach[i]);
    }
    return worst <= LINEAR * size * s->test->grain;
}

int hol_chart_needs(const HolSim *s) {
    return s->check.dof + s->p->extras->n_states;
}

int hol_chart_positions(const HolSim *s) {
    return hol_chart_needs(s) + s->nn;
}

HolStatus hol_chart_create(HolSim *s, HolChart *c, HolError *err) {
    HolArena *a = &s->arena;
    const int n = s->nv + s->m + s->nw + s->nq;
    c->whole = s->nn || s->nw;
    c->tree = s->p->extras->n_tree > 0 && !c->whole;
    c->a = HOL_NEW(a, double, s->nv + 1);
    c->center = HOL_NEW(a, double, s->nq + 1);
    c->beta = HOL_NEW(a, double, s->nv *(HOL_CHART_DOF + 1) + 1); // (one more: choose)
    c->x = HOL_NEW(a, double, n + 1);
    c->y = HOL_NEW(a, double, n + 1);
    c->place = HOL_NEW(a, int, s->nv + 1);
    c->M = HOL_NEW(a, double, s->p->M.nnz + 1);
    c->ME = HOL_NEW(a, double, s->nv *(HOL_CHART_DOF + 1) + 1);
    if (!hol_retraction_create(s, &c->blocks) || a->failed)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    int whole = 1;
    for (int i = 0; i < s->nv; i++)
        c->place[i] = -1;
    for (int j = 0; j < s->nq; j++)
        if (s->driver->coordinate[j] >= 0)
            c->place[s->driver->coordinate[j]] = j;
    for (int i = 0; i < s->nv && !s->plain; i++)
        whole &= c->place[i] >= 0 || c->blocks.block_size[i] > 0;
    if (!s->plain && !c->tree && (!whole || !minus_is_linear(s, c)))
        return hol_error_set(err, HOL_ERR_UNSUPPORTED,
                             "radau needs a function `minus` that is linear in its second "
                             "position; use tangent for this problem");
    return HOL_OK;
}

// ---- the bodies' own coordinates ----

static void values(HolSim *s, HolChart *c, const double *q, double *x) {
    if (!s->plain)
        s->p->minus(s->p, s->work, c->center, q, c->y);
    for (int k = 0; k < c->dof; k++) {
        const int i = c->pick[k];
        x[k] = c->place[i] >= 0 ? q[c->place[i]] / c->unit[k] : -c->y[i];
    }
}

static void gradients(HolSim *s, HolChart *c, const double *q) {
    const HolProblem *p = s->p;
    memset(c->beta, 0, sizeof *c->beta * (size_t)(s->nv * c->dof));
    for (int k = 0; k < c->dof; k++)
        if (c->place[c->pick[k]] >= 0)
            c->beta[k * s->nv + c->pick[k]] = 1 / c->unit[k];
    for (int r = 0; r < c->blocks.width; r++) {
        for (int i = 0; i < s->nv; i++)
            c->x[i] = c->blocks.block_size[i] > r && i - c->blocks.block[i] == r;
        p->qdot(p, s->work, q, c->x, c->y);
        from_center(s, c, c->y, c->x);
        for (int k = 0; k < c->dof; k++) {
            const int i = c->pick[k];
            if (c->place[i] < 0 && r < c->blocks.block_size[i])
                c->beta[k * s->nv + c->blocks.block[i] + r] = c->x[i];
        }
    }
}

// second derivatives of the coordinates at zero accelerations
static void local_coordinates_curvature(HolSim *s, HolChart *c, const double *q, const double *v,
                                        double *second) {
    const HolProblem *p = s->p;
    memset(second, 0, sizeof *second * (size_t)c->dof);
    if (s->plain)
        return;
    memset(c->x, 0, sizeof *c->x * (size_t)s->nv);
    p->qddot(p, s->work, q, v, c->x, c->y);
    from_center(s, c, c->y, c->x);
    for (int k = 0; k < c->dof; k++)
        if (c->place[c->pick[k]] < 0)
            second[k] = c->x[c->pick[k]];
}

// what rows of positions shall become, in c->x[nv..]: minus what stands there; the others, none
static void rows_of_positions(HolSim *s, HolChart *c) {
    double *r = c->x + s->nv;
    for (int i = 0; i < s->nh; i++)
        r[i] = -r[i];
    memset(r + s->nh, 0, sizeof *r * (size_t)(s->nn + s->nw));
}

// E at a position where s->mass was factored; 0: the coordinates do not determine the motion
static int directions(HolSim *s, HolChart *c, double *E) {
    const int nv = s->nv, d = c->dof;
    double column[HOL_CHART_DOF], B[HOL_CHART_DOF * HOL_CHART_DOF];
    int pivot[HOL_CHART_DOF];
    for (int k = 0; k < d; k++) {
        memset(c->x, 0, sizeof *c->x * (size_t)(nv + s->m + s->nw));
        memcpy(c->x, c->beta + k * nv, sizeof *c->x * (size_t)nv);
        hol_kkt_solve_motion(s->mass, c->x, 0);
        memcpy(E + k * nv, c->x, sizeof *E * (size_t)nv);
        // B = (beta X)^T: its solutions are the rows of the inverse
        for (int i = 0; i < d; i++)
            B[i * d + k] = local_coordinates_dot(c->beta + i * nv, c->x, nv);
    }
    if (hol_dense_lu(d, B, pivot))
        return 0;
    for (int i = 0; i < nv; i++) {
        for (int k = 0; k < d; k++)
            column[k] = E[k * nv + i];
        hol_dense_lu_solve(d, B, pivot, column);
        for (int k = 0; k < d; k++)
            E[k * nv + i] = column[k];
    }
    return 1;
}

// out with G out = r, beta out = y; r in c->x[nv..]
static void local_coordinates_meet(HolSim *s, HolChart *c, const double *E, const double *y,
                                   double *out) {
    const int nv = s->nv;
    if (s->m) {
        memset(c->x, 0, sizeof *c->x * (size_t)nv);
        hol_kkt_solve_motion(s->mass, c->x, 0);
        memcpy(out, c->x, sizeof *out * (size_t)nv);
    } else {
        memset(out, 0, sizeof *out * (size_t)nv);
    }
    double rest[HOL_CHART_DOF];
    for (int k = 0; k < c->dof; k++)
        rest[k] = y[k] - (s->m ? local_coordinates_dot(c->beta + k * nv, out, nv) : 0);
    for (int k = 0; k < c->dof; k++)
        for (int i = 0; i < nv; i++)
            out[i] += rest[k] * E[k * nv + i];
}

static HolStatus local_coordinates_factor(HolSim *s, HolChart *c, HolChartPoint *to,
                                          HolError *err) {
    HolStatus status = hol_mass_factor(s, to->t, to->q, err);
    if (status)
        return status;
    gradients(s, c, to->q);
    if (!directions(s, c, to->E))
        return hol_error_set(err, HOL_ERR_SINGULAR,
                             "at time %.10g the local coordinates do not determine the motion",
                             to->t);
    return HOL_OK;
}

// q by Newton; the factorization is renewed where it contracts badly, and at the end
static HolStatus find_position(HolSim *s, HolChart *c, HolChartPoint *to, HolError *err) {
    const HolProblem *p = s->p;
    double now[HOL_CHART_DOF], *dq = s->r2, before = INFINITY, moved = 0;
    HolStatus status = local_coordinates_factor(s, c, to, err);
    for (int n = 0; n < MOST && !status; n++) {
        if (s->m)
            p->constraint(p, s->work, &(HolPoint){.t = to->t, .q = to->q, .v = to->v},
                          c->x + s->nv);
        rows_of_positions(s, c);
        values(s, c, to->q, now);
        for (int k = 0; k < c->dof; k++)
            now[k] = to->x[k] - now[k];
        local_coordinates_meet(s, c, to->E, now, dq);
        p->retract(p, s->work, to->q, dq, to->q);
        for (int i = 0; i < p->extras->n_states; i++)
            dq[p->extras->states[i]] =
                0; // (velocities of hidden coordinates, whose places are none)
        const double size = hol_norm_near(s, dq), scale = s->test->grain;
        if (!isfinite(size) || size > LOST * scale)
            break;
        moved += size;
        if (size <= 4 * DBL_EPSILON * scale || (size < NEARLY * scale && size > STAGNANT * before))
            return moved > MOVED * scale ? local_coordinates_factor(s, c, to, err) : HOL_OK;
        if (size > LARGE && size > SLOW * before) {
            status = local_coordinates_factor(s, c, to, err);
            moved = 0;
        } else if (n == 0 && size > FIRST) {
            status = local_coordinates_factor(s, c, to, err);
            moved = 0;
        }
        before = size;
    }
    return status ? status
                  : hol_error_set(err, HOL_ERR_CONVERGE,
                                  "at time %.10g the local coordinates leave their range", to->t);
}

static HolStatus local_coordinates_move_bodies(HolSim *s, HolChart *c, HolChartPoint *to, int same,
                                               HolError *err) {
    const HolProblem *p = s->p;
    const int nv = s->nv;
    double second[HOL_CHART_DOF];
    HolStatus status = same ? HOL_OK : find_position(s, c, to, err);
    if (status)
        return status;
    if (s->m)
        p->velocity_rhs(p, s->work, &(HolPoint){.t = to->t, .q = to->q, .v = to->v}, c->x + nv);
    rows_of_positions(s, c);
    local_coordinates_meet(s, c, to->E, to->rate, to->v);
    local_coordinates_curvature(s, c, to->q, to->v, second);
    for (int k = 0; k < c->dof; k++)
        second[k] = -second[k];
    if (s->m)
        p->acceleration_rhs(p, s->work, &(HolPoint){.t = to->t, .q = to->q, .v = to->v}, c->x + nv);
    rows_of_positions(s, c);
    local_coordinates_meet(s, c, to->E, second, to->b);
    return HOL_OK;
}

// ---- choice ----

// own inertia of coordinate i, with the values of M in s->mass
static double own_mass(HolSim *s, int i) {
    const HolPattern *P = &s->p->M;
    const double *M = hol_kkt_S(s->mass);
    for (int e = P->ptr[i]; e < P->ptr[i + 1]; e++)
        if (P->idx[e] == i)
            return fmax(0, M[e]);
    return 0;
}

// x^T M x, M x into mx
static double square_of(HolSim *s, const double *x, double *mx) {
    memset(mx, 0, sizeof *mx * (size_t)s->nv);
    hol_mul_columns(&s->p->M, hol_kkt_S(s->mass), x, 1, mx);
    return fmax(0, local_coordinates_dot(x, mx, s->nv));
}

// Accelerations under the constraints by arbitrary forces (always the same), as large for every
// coordinate as sqrt(M_ii): what they move then has the same size in the mass metric.
static void local_coordinates_push(HolSim *s, HolChart *c, unsigned long long *seed, double *x) {
    memset(c->x, 0, sizeof *c->x * (size_t)(s->nv + s->m + s->nw));
    for (int i = 0; i < s->nv; i++) {
        *seed ^= *seed << 13;
        *seed ^= *seed >> 7;
        *seed ^= *seed << 17;
        c->x[i] = ((double)(*seed >> 11) * 0x1p-53 - 0.5) * sqrt(own_mass(s, i));
    }
    hol_kkt_solve_motion(s->mass, c->x, 0);
    memcpy(x, c->x, sizeof *x * (size_t)s->nv);
}

// Tangent vectors X with X^T M X = 1, d of them, into c->ME; the number found.
static int tangent_basis(HolSim *s, HolChart *c, int d) {
    const int nv = s->nv;
    double *X = c->ME, *MX = c->beta;
    unsigned long long seed = 88172645463325252ULL;
    for (int k = 0; k < d; k++) {
        double *x = X + k * nv, *mx = MX + k * nv;
        local_coordinates_push(s, c, &seed, x);
        double before = sqrt(square_of(s, x, mx));
        for (int pass = 0; pass < 2; pass++) { // the second removes the round-off of the first
            for (int j = 0; j < k; j++) {
                const double part = local_coordinates_dot(MX + j * nv, x, nv);
                for (int i = 0; i < nv; i++)
                    x[i] -= part * X[j * nv + i];
            }
            const double length = sqrt(square_of(s, x, mx));
            if (!(length > DEPENDENT * before))
                return k;
            for (int i = 0; i < nv; i++) {
                x[i] /= length;
                mx[i] /= length;
            }
            before = 1;
        }
    }
    return d;
}

// The hidden coordinate of a row that is closed is free: where such a row depends on others, there is
// a freedom more than at the start, when all were open.
static int freedoms_at_most(const HolSim *s) {
    const HolNonsmooth *ns = s->p->extras->nonsmooth;
    const int most = hol_chart_positions(s) + (ns ? ns->n_supports : 0);
    return most <= HOL_CHART_DOF ? most : HOL_CHART_DOF + 1;
}

// How much of its freedom a coordinate has beside those picked: what is left of its row of X, as a
// part of it. Straight coordinates are preferred to those that rotate with the motion: `bend` =
// accelerations that the constraints alone ask for.
static HolStatus local_coordinates_choose(HolSim *s, HolChart *c, const HolState *x,
                                          HolError *err) {
    const HolProblem *p = s->p;
    const int nv = s->nv, most = hol_chart_positions(s);
    double *whole = s->r1, *left = s->r2, *bend = s->r3, *X = c->ME, sum = 0;
    HolStatus status = hol_mass_factor(s, x->t, x->q, err);
    if (status)
        return status;
    memset(c->x, 0, sizeof *c->x * (size_t)(nv + s->m + s->nw));
    if (s->m) {
        p->acceleration_rhs(p, s->work, HOL_AT(x), c->x + nv);
        rows_of_positions(s, c);
        hol_kkt_solve_motion(s->mass, c->x, 1);
    }
    memcpy(bend, c->x, sizeof *bend * (size_t)nv);
    c->dof = 0;
    // (fewer, where constraints of velocities depend on others; more, where closed contacts do)
    const int d = tangent_basis(s, c, freedoms_at_most(s));
    if (d > HOL_CHART_DOF)
        return hol_error_set(
            err, HOL_ERR_UNSUPPORTED,
            "at time %.10g, with the contacts that are closed, radau has more than "
            "%d coordinates; use tangent, taylor or rk853",
            x->t, HOL_CHART_DOF);
    if (d < most - s->nn)
        return hol_error_set(err, HOL_ERR_SINGULAR, "at time %.10g a degree of freedom has no mass",
                             x->t);
    for (int i = 0; i < nv; i++) {
        whole[i] = 0;
        for (int k = 0; k < d; k++)
            whole[i] += X[k * nv + i] * X[k * nv + i];
        left[i] = whole[i];
        bend[i] = whole[i] > 0 ? bend[i] * bend[i] / whole[i] : 0;
        sum += bend[i];
    }
    double largest = 0;
    for (int i = 0; i < nv; i++)
        largest = fmax(largest, whole[i] / (s->reach[i] * s->reach[i]));
    for (; c->dof < d; c->dof++) {
        int best = -1;
        double score = 0, row[HOL_CHART_DOF];
        for (int i = 0; i < nv; i++) {
            // nothing to be seen beside the others, nor beside the mobility 1/M_ii of a free
            // coordinate: held by the constraints
            const int held = !(whole[i] > HELD * largest * (s->reach[i] * s->reach[i]) ||
                               whole[i] * own_mass(s, i) > HELD);
            const double part = held ? 0 : left[i] / whole[i];
            const double turned = sum > 0 ? bend[i] * nv / sum : 0;
            if (part > DEPENDENT && part / (1 + sqrt(turned)) > score) {
                score = part / (1 + sqrt(turned));
                best = i;
            }
        }
        if (best < 0)
            return hol_error_set(err, HOL_ERR_SINGULAR,
                                 "at time %.10g %d of %d degrees of freedom have local coordinates",
                                 x->t, c->dof, d);
        c->pick[c->dof] = best;
        c->unit[c->dof] = c->place[best] >= 0 ? ldexp(1, ilogb(s->reach[best])) : 1;
        // all rows lose their part along that of the pick
        for (int k = 0; k < d; k++)
            row[k] = X[k * nv + best];
        const double square = local_coordinates_dot(row, row, d);
        for (int i = 0; i < nv; i++) {
            double part = 0;
            for (int k = 0; k < d; k++)
                part += row[k] * X[k * nv + i] / square;
            left[i] = 0;
            for (int k = 0; k < d; k++) {
                X[k * nv + i] -= part * row[k];
                left[i] += X[k * nv + i] * X[k * nv + i];
            }
        }
        left[best] = 0;
    }
    return HOL_OK;
}

// Do the coordinates still serve, at the point of the last products? Each must keep a third of the
// mobility e_k = (E^T M E)^-1_kk it had when it was chosen, and a fifth of its independence of the
// others, 1/(e_k (E^T M E)_kk).
static int local_coordinates_serve(HolChart *c) {
    const int d = c->dof, first = c->mobility[0] == 0;
    double e[HOL_CHART_DOF];
    for (int k = 0; k < d; k++) {
        memset(e, 0, sizeof e);
        e[k] = 1;
        hol_dense_lu_solve(d, c->LU, c->pivot, e);
        const double own = 1 / (e[k] * c->Z[k * d + k]);
        if (first) {
            c->mobility[k] = e[k];
            c->own[k] = own;
        } else if (!(e[k] > c->mobility[k] / 3 && own > c->own[k] / 5)) {
            return 0;
        }
    }
    return 1;
}

// ---- interface ----

static void mass_products(HolSim *s, HolChart *c, const HolChartPoint *to) {
    const HolProblem *p = s->p;
    const int nv = s->nv, d = c->dof;
    memset(c->M, 0, sizeof *c->M * (size_t)p->M.nnz);
    p->mass(p, s->work, &(HolPoint){.t = to->t, .q = to->q, .v = to->v}, 1, 0, c->M);
    memset(c->ME, 0, sizeof *c->ME * (size_t)(nv * d));
    for (int k = 0; k < d; k++) {
        const double *e = to->E + k * nv;
        double *me = c->ME + k * nv;
        for (int j = 0; j < nv; j++)
            for (int l = e[j] != 0 ? p->M.ptr[j] : p->M.ptr[j + 1]; l < p->M.ptr[j + 1]; l++)
                me[p->M.idx[l]] += c->M[l] * e[j];
    }
    for (int k = 0; k < d; k++)
        for (int i = 0; i <= k; i++)
            c->Z[i * d + k] = c->Z[k * d + i] =
                local_coordinates_dot(to->E + i * nv, c->ME + k * nv, nv);
}

// rotations: half a radian away from the centre
static int is_far(HolSim *s, HolChart *c, const HolState *x) {
    double now[HOL_CHART_DOF];
    int far = 0;
    if (s->plain)
        return 0;
    values(s, c, x->q, now);
    for (int k = 0; k < c->dof; k++)
        far |= c->place[c->pick[k]] < 0 && fabs(now[k]) > 0.5;
    return far;
}

// constraints of velocities say nothing of positions
static void leave_velocities_out(HolSim *s, int out) {
    if (s->nonholonomic)
        hol_kkt_inactive(s->mass, out ? s->nonholonomic : NULL);
}

HolStatus hol_chart_begin(HolSim *s, HolChart *c, const HolState *x, int *fresh, HolError *err) {
    *fresh = c->dof == 0;
    if (c->tree) {
        c->dof = s->p->extras->n_tree;
        return HOL_OK;
    }
    if (c->dof && local_coordinates_serve(c) && !is_far(s, c, x))
        return HOL_OK;
    *fresh = 1;
    c->mobility[0] = 0;
    memcpy(c->center, x->q, sizeof *c->center * (size_t)s->nq);
    leave_velocities_out(s, 1);
    const HolStatus status = local_coordinates_choose(s, c, x, err);
    leave_velocities_out(s, 0);
    return status;
}

void hol_chart_read(HolSim *s, HolChart *c, const HolState *x, HolChartPoint *to) {
    const HolProblem *p = s->p;
    to->t = x->t;
    memcpy(to->q, x->q, sizeof *to->q * (size_t)s->nq);
    memcpy(to->v, x->v, sizeof *to->v * (size_t)s->nv);
    if (!c->tree) {
        values(s, c, x->q, to->x);
        gradients(s, c, x->q);
        for (int k = 0; k < c->dof; k++)
            to->rate[k] = local_coordinates_dot(c->beta + k * s->nv, x->v, s->nv);
        return;
    }
    p->extras->tree_coordinates(p, s->work, x->t, x->q, to->x);
    // E^T M E x' = E^T M v
    p->extras->tree_motion(p, s->work, to->x, to->x, to->q, to->v, to->E, to->b);
    mass_products(s, c, to);
    for (int k = 0; k < c->dof; k++)
        to->rate[k] = local_coordinates_dot(c->ME + k * s->nv, x->v, s->nv);
    memcpy(c->LU, c->Z, sizeof *c->LU * (size_t)(c->dof * c->dof));
    if (!hol_dense_lu(c->dof, c->LU, c->pivot))
        hol_dense_lu_solve(c->dof, c->LU, c->pivot, to->rate);
}

HolStatus hol_chart_move(HolSim *s, HolChart *c, HolChartPoint *to, int same, HolError *err) {
    if (!c->tree) {
        leave_velocities_out(s, 1);
        const HolStatus status = local_coordinates_move_bodies(s, c, to, same && !c->whole, err);
        leave_velocities_out(s, 0);
        return status;
    }
    s->p->extras->tree_motion(s->p, s->work, to->x, to->rate, to->q, to->v, to->E, to->b);
    return HOL_OK;
}

// F by the whole saddle point
static HolStatus accelerate_whole(HolSim *s, HolChart *c, HolChartPoint *to, HolError *err) {
    HolState x = {.t = to->t, .q = to->q, .v = to->v, .a = c->a, .lambda = to->lambda, .w = to->w};
    memcpy(x.a, s->x.a, sizeof *x.a * (size_t)s->nv);
    memcpy(x.lambda, s->x.lambda, sizeof *x.a * (size_t)s->m);
    memcpy(x.w, s->x.w, sizeof *x.a * (size_t)s->nw);
    HolStatus status = hol_accelerate(s, &x, 0, err);
    local_coordinates_curvature(s, c, to->q, to->v, to->F);
    for (int k = 0; k < c->dof; k++)
        to->F[k] += local_coordinates_dot(c->beta + k * s->nv, x.a, s->nv);
    return status;
}

HolStatus hol_chart_accelerate(HolSim *s, HolChart *c, HolChartPoint *to, int same, double *f,
                               HolError *err) {
    const HolProblem *p = s->p;
    const int nv = s->nv, d = c->dof;
    if (!same || c->whole) {
        mass_products(s, c, to);
        memcpy(c->LU, c->Z, sizeof *c->LU * (size_t)(d * d));
        if (hol_dense_lu(d, c->LU, c->pivot))
            return hol_error_set(err, HOL_ERR_SINGULAR,
                                 "at time %.10g a degree of freedom has no mass", to->t);
    }
    if (c->whole) {
        HolStatus status = accelerate_whole(s, c, to, err);
        if (status)
            return status;
    } else {
        p->force(p, s->work, &(HolPoint){.t = to->t, .q = to->q, .v = to->v}, f);
        s->stats.force_evaluations++;
        for (int k = 0; k < d; k++)
            to->F[k] = local_coordinates_dot(to->E + k * nv, f, nv) -
                       local_coordinates_dot(c->ME + k * nv, to->b, nv);
        hol_dense_lu_solve(d, c->LU, c->pivot, to->F);
    }
    if (!isfinite(hol_max_abs(to->F, d)))
        return hol_error_set(err, HOL_ERR_CONVERGE,
                             "at time %.10g the accelerations are not finite numbers", to->t);
    return HOL_OK;
}

// ---- kept runs ----

void hol_chart_keep(HolSim *s, HolChart *c, HolKeeper *k) {
    HOL_KEEP(k, c->dof);
    HOL_KEEP(k, c->tree);
    HOL_KEEP(k, c->pick);
    HOL_KEEP(k, c->unit);
    HOL_KEEP(k, c->mobility);
    HOL_KEEP(k, c->own);
    HOL_KEEP_ARRAY(k, c->center, s->nq);
    HOL_KEEP_ARRAY(k, c->beta, s->nv * HOL_CHART_DOF);
    HOL_KEEP_ARRAY(k, c->x, s->nv + s->m);
    HOL_KEEP_ARRAY(k, c->y, s->nv + s->m);
    HOL_KEEP_ARRAY(k, c->place, s->nv);
    HOL_KEEP_ARRAY(k, c->M, s->p->M.nnz);
    HOL_KEEP_ARRAY(k, c->ME, s->nv * HOL_CHART_DOF);
    hol_retraction_keep(s, &c->blocks, k);
    HOL_KEEP(k, c->Z);
    HOL_KEEP(k, c->LU);
    HOL_KEEP(k, c->pivot);
}

void hol_chart_point_keep(HolSim *s, HolChartPoint *p, HolKeeper *k) {
    HOL_KEEP(k, p->t);
    HOL_KEEP_ARRAY(k, p->q, s->nq);
    HOL_KEEP_ARRAY(k, p->v, s->nv);
    HOL_KEEP(k, p->x);
    HOL_KEEP(k, p->rate);
    HOL_KEEP(k, p->F);
}
