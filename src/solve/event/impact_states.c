// SPDX-License-Identifier: Apache-2.0
// The impulses of one impact (impact.h): each contact is apart, slides or sticks.
//   apart    P_N = 0,                     u_N+ + e u_N- >= 0
//   slides   u_N+ = -e u_N-, P_N >= 0,    P_T = -mu P_N d,   d = u_T+/|u_T+|
//   sticks   u_N+ = -e u_N-, P_N >= 0,    u_T+ = 0,          |P_T| <= mu P_N
// The contact that is violated most changes its state. Where that runs in circles, all combinations of
// few contacts in the plane are tried; of those that fit, the one that keeps least energy.
#include "solve/event/impact.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { CHANGES = 200, MOST_STATES = 4096 };
static const double MET = 1e-6;   // of the speeds: that impulses meet
static const double TURN = 1e-14; // sliding directions closer than this are one

// solves the system of n unknowns in place; 0: it is singular
int hol_solve_small(double *a, double *b, int n) {
    double size = 0;
    for (int i = 0; i < n * n; i++)
        size = fmax(size, fabs(a[i]));
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[pivot * n + k]))
                pivot = i;
        if (!(fabs(a[pivot * n + k]) > 1e-12 * size))
            return 0;
        for (int j = 0; j < n && pivot != k; j++) {
            const double keep = a[k * n + j];
            a[k * n + j] = a[pivot * n + j];
            a[pivot * n + j] = keep;
        }
        if (pivot != k) {
            const double keep = b[k];
            b[k] = b[pivot];
            b[pivot] = keep;
        }
        for (int i = k + 1; i < n; i++) {
            const double f = a[i * n + k] / a[k * n + k];
            for (int j = k; j < n; j++)
                a[i * n + j] -= f * a[k * n + j];
            b[i] -= f * b[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            b[i] -= a[i * n + j] * b[j];
        b[i] /= a[i * n + i];
    }
    return 1;
}

// rows of the unknowns: normals, and tangents that stick; their right-hand sides
static int unknown_rows(const HolEvents *e, const HolImpactContact *c, int n, int *row,
                        double *rhs) {
    int unknowns = 0;
    for (int i = 0; i < n; i++) {
        if (c[i].state == HOL_IMPACT_APART)
            continue;
        row[unknowns] = c[i].normal;
        rhs[unknowns++] = -(1 + c[i].e) * e->u[c[i].normal];
        for (int k = 0; k < c[i].rows && c[i].state == HOL_IMPACT_STICKS; k++) {
            row[unknowns] = c[i].tangent + k;
            rhs[unknowns++] = -e->u[c[i].tangent + k];
        }
    }
    return unknowns;
}

// their matrix; returns its trace
static double unknown_matrix(HolEvents *e, const HolImpactContact *c, int n, const int *row,
                             int unknowns) {
    double *a = e->system, trace = 0;
    for (int r = 0; r < unknowns; r++) {
        int column = 0;
        for (int i = 0; i < n; i++) {
            if (c[i].state == HOL_IMPACT_APART)
                continue;
            const double *W = e->W + row[r] * e->rows;
            double w = W[c[i].normal];
            for (int k = 0; k < c[i].rows && c[i].state == HOL_IMPACT_SLIDES; k++)
                w -= c[i].mu * c[i].d[k] * W[c[i].tangent + k];
            a[r * unknowns + column++] = w;
            for (int k = 0; k < c[i].rows && c[i].state == HOL_IMPACT_STICKS; k++)
                a[r * unknowns + column++] = W[c[i].tangent + k];
        }
        trace += fabs(a[r * unknowns + r]);
    }
    return trace;
}

static void unknowns_to_impulses(const HolEvents *e, const HolImpactContact *c, int n,
                                 const double *x, double *P) {
    memset(P, 0, sizeof *P * (size_t)e->rows);
    for (int i = 0; i < n; i++) {
        if (c[i].state == HOL_IMPACT_APART)
            continue;
        P[c[i].normal] = *x++;
        for (int r = 0; r < c[i].rows; r++)
            P[c[i].tangent + r] =
                c[i].state == HOL_IMPACT_STICKS ? *x++ : -c[i].mu * c[i].d[r] * P[c[i].normal];
    }
}

// More contacts than a body has freedoms: impulses are not unique, speeds are. A small share of the
// diagonal picks some, and the residual is removed again by repeated corrections.
static int impulses_shared(HolEvents *e, const HolImpactContact *c, int n, const int *row,
                           const double *rhs, int unknowns, double *P) {
    double *x = e->impact, *left = e->impact + e->rows + 1, off = 0, size = 0;
    memset(x, 0, sizeof *x * (size_t)unknowns);
    for (int pass = 0; pass < 4; pass++) {
        unknowns_to_impulses(e, c, n, x, P);
        for (int r = 0; r < unknowns; r++)
            left[r] = rhs[r] - hol_impact_dot(e->W + row[r] * e->rows, P, e->rows);
        const double share = 1e-9 * unknown_matrix(e, c, n, row, unknowns) / unknowns;
        for (int r = 0; r < unknowns; r++)
            e->system[r * unknowns + r] += share;
        if (!hol_solve_small(e->system, left, unknowns))
            return 0;
        for (int r = 0; r < unknowns; r++)
            x[r] += left[r];
    }
    unknowns_to_impulses(e, c, n, x, P);
    // (what no impulse does, as a body between a wall and a drive: they grew with every pass)
    for (int r = 0; r < unknowns; r++) {
        off = fmax(off, fabs(rhs[r] - hol_impact_dot(e->W + row[r] * e->rows, P, e->rows)));
        size = fmax(size, fabs(rhs[r]));
    }
    return off <= MET * size;
}

// impulses P (all rows) of contacts in their states; 0: no solution
static int impulses(HolEvents *e, const HolImpactContact *c, int n, double *P) {
    int *row = e->unknown;
    double *rhs = e->impact + 2 * (e->rows + 1), *x = e->impact;
    const int unknowns = unknown_rows(e, c, n, row, rhs);
    memset(P, 0, sizeof *P * (size_t)e->rows);
    if (!unknowns)
        return 1;
    unknown_matrix(e, c, n, row, unknowns);
    memcpy(x, rhs, sizeof *x * (size_t)unknowns);
    if (!hol_solve_small(e->system, x, unknowns))
        return impulses_shared(e, c, n, row, rhs, unknowns, P);
    unknowns_to_impulses(e, c, n, x, P);
    return 1;
}

static double after(const HolEvents *e, const double *P, int row) {
    return e->u[row] + hol_impact_dot(e->W + row * e->rows, P, e->rows);
}

// the direction in which a contact slides before the impact; 0: it does not
static int slide_as_before(const HolEvents *e, HolImpactContact *c) {
    double size = 0;
    for (int k = 0; k < c->rows; k++)
        size = hypot(size, e->u[c->tangent + k]);
    if (!c->rows || !(size > e->speed_noise[c->tangent]))
        return 0;
    for (int k = 0; k < c->rows; k++)
        c->d[k] = e->u[c->tangent + k] / size;
    return 1;
}

// how badly contact i is violated by P, in units of speed or of impulse times its W; what it becomes
static double violation(const HolEvents *e, const HolImpactContact *c, const double *P,
                        double speed, HolImpactContact *becomes) {
    const double w = e->W[c->normal * e->rows + c->normal];
    *becomes = *c;
    if (c->state == HOL_IMPACT_APART) {
        becomes->state = c->rows ? HOL_IMPACT_STICKS : HOL_IMPACT_SLIDES;
        return -(after(e, P, c->normal) + c->e * e->u[c->normal]) / speed;
    }
    if (P[c->normal] * w < -HOL_IMPACT_SMALL * speed) {
        // (what sticks may be pulled by the stick alone: it slides before it parts)
        becomes->state = c->state == HOL_IMPACT_STICKS && slide_as_before(e, becomes)
                             ? HOL_IMPACT_SLIDES
                             : HOL_IMPACT_APART;
        return -P[c->normal] * w / speed;
    }
    if (c->state == HOL_IMPACT_STICKS) {
        double T = 0;
        for (int k = 0; k < c->rows; k++)
            T += P[c->tangent + k] * P[c->tangent + k];
        T = sqrt(T);
        becomes->state = HOL_IMPACT_SLIDES;
        for (int k = 0; k < c->rows && T > 0; k++)
            becomes->d[k] = -P[c->tangent + k] / T;
        return (T - c->mu * P[c->normal] * (1 + 1e-12)) * w / speed;
    }
    double along = 0, v[2] = {0}, size = 0;
    for (int k = 0; k < c->rows; k++) {
        v[k] = after(e, P, c->tangent + k);
        along += c->d[k] * v[k];
        size += v[k] * v[k];
    }
    size = sqrt(size);
    if (c->rows == 2 &&
        along > HOL_IMPACT_SMALL * speed) { // in space the direction is that behind the impact
        const double across = fabs(c->d[0] * v[1] - c->d[1] * v[0]);
        for (int k = 0; k < 2; k++)
            becomes->d[k] = v[k] / size;
        return across > TURN * size ? HOL_IMPACT_SMALL * (1 + across / size) : 0;
    }
    becomes->state = HOL_IMPACT_STICKS;
    return c->rows ? -along / speed : 0;
}

// the contact that P violates most becomes *to; -1: none is
static int worst_contact(const HolEvents *e, const HolImpactContact *c, int n, const double *P,
                         double speed, HolImpactContact *to) {
    int worst = -1;
    double most = HOL_IMPACT_SMALL;
    for (int i = 0; i < n; i++) {
        HolImpactContact becomes;
        const double v = violation(e, &c[i], P, speed, &becomes);
        if (v > most) {
            most = v;
            worst = i;
            *to = becomes;
        }
    }
    return worst;
}

// all combinations of states in the plane: of those that fit, the one with the least energy behind it
static int try_all_states(HolEvents *e, HolImpactContact *c, int n, double *P, double speed) {
    double states = 1, least = INFINITY;
    long best = -1;
    for (int i = 0; i < n; i++) {
        states *= c[i].rows ? 4 : 2;
        if (c[i].rows > 1)
            return 0;
    }
    for (long code = 0; states <= MOST_STATES; code++) {
        if (code >= (long)states)
            code = best;
        if (code < 0)
            return 0;
        long rest = code;
        double energy = 0;
        HolImpactContact to;
        for (int i = 0; i < n; i++) {
            const int k = (int)(rest % (c[i].rows ? 4 : 2));
            rest /= c[i].rows ? 4 : 2;
            c[i].state = k == 0                ? HOL_IMPACT_APART
                         : k == 1 && c[i].rows ? HOL_IMPACT_STICKS
                                               : HOL_IMPACT_SLIDES;
            c[i].d[0] = k == 2 ? 1 : -1;
        }
        const int fits = impulses(e, c, n, P) && worst_contact(e, c, n, P, speed, &to) < 0;
        if (code == best)
            return 1;
        for (int r = 0; r < e->rows; r++)
            energy += P[r] * (e->u[r] + after(e, P, r));
        if (fits && energy < least) {
            least = energy;
            best = code;
        }
    }
    return 0;
}

int hol_impact_states(HolEvents *e, HolImpactContact *c, int n, double *P, double speed) {
    for (int change = 0; change < CHANGES; change++) {
        HolImpactContact to = {0};
        if (!impulses(e, c, n, P))
            break;
        const int worst = worst_contact(e, c, n, P, speed, &to);
        if (worst < 0)
            return 1;
        c[worst] = to;
    }
    return try_all_states(e, c, n, P, speed);
}
