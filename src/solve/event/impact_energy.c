// SPDX-License-Identifier: Apache-2.0
// Impacts that add no energy. Newton's law, u_N+ = -e u_N-, may add some where friction sticks or
// turns back (Kane's pendulum): P . (u- + u+)/2 > 0. Then Poisson's law takes its place, in two phases:
//   compression   the impact with e = 0, impulses Pc
//   restitution   P_N = e Pc_N + E,  0 <= E perp u_N+ >= 0,  |P_T| <= mu P_N opposite to u_T+
// The second is solved by trying all states of few contacts in the plane; of those that fit, the one that
// keeps least energy. In space, or where this adds energy, too, Newton's law is taken with a smaller e,
// the largest one that adds none (e = 0 never does).
#include "solve/event/impact.h"

#include <math.h>
#include <string.h>

enum { MOST_CONTACTS = 4, HALVINGS = 50 };
static const double GAIN = 1e-9; // of the work of the impulses one by one: nothing

typedef struct Phase {
    HolEvents *e;
    const HolImpactContact *c;
    int n, unknowns;
    double speed;
    const double *P0; // of compression
    double *P;        // of restitution
    int row[2 * MOST_CONTACTS], contact[2 * MOST_CONTACTS];
    int closed[MOST_CONTACTS], tangent[MOST_CONTACTS]; // 0: sticks, 1, -1: slides that way
} Phase;

// work of impulses P on speeds e->u; *size: the sum of its parts' sizes
static double impact_work(const HolEvents *e, const double *P, double *size) {
    double work = 0, sum = 0;
    for (int r = 0; r < e->rows; r++) {
        const double own = hol_impact_dot(e->W + r * e->rows, P, e->rows);
        work += P[r] * (e->u[r] + 0.5 * own);
        sum += fabs(P[r] * e->u[r]) + fabs(0.5 * P[r] * own);
    }
    *size = sum;
    return work;
}

static int adds_energy(const HolEvents *e, const double *P) {
    double size;
    const double work = impact_work(e, P, &size);
    return work > GAIN * size;
}

// ---- restitution ----

static void phase_impulses(const Phase *f, const double *x) {
    memset(f->P, 0, sizeof *f->P * (size_t)f->e->rows);
    for (int i = 0; i < f->n; i++)
        f->P[f->c[i].normal] = f->c[i].e * f->P0[f->c[i].normal];
    for (int k = 0; k < f->unknowns; k++)
        f->P[f->row[k]] += x[k];
    for (int i = 0; i < f->n; i++)
        if (f->c[i].rows && f->tangent[i])
            f->P[f->c[i].tangent] = -f->tangent[i] * f->c[i].mu * f->P[f->c[i].normal];
}

static double phase_after(const Phase *f, int row) {
    return f->e->u[row] + hol_impact_dot(f->e->W + row * f->e->rows, f->P, f->e->rows);
}

// impulses of the states; 0: there are none
static int phase_solve(Phase *f) {
    double x[2 * MOST_CONTACTS] = {0}, rhs[2 * MOST_CONTACTS], a[4 * MOST_CONTACTS * MOST_CONTACTS];
    f->unknowns = 0;
    for (int i = 0; i < f->n; i++) {
        if (f->closed[i])
            f->contact[f->unknowns] = i, f->row[f->unknowns++] = f->c[i].normal;
        if (f->c[i].rows && !f->tangent[i])
            f->contact[f->unknowns] = i, f->row[f->unknowns++] = f->c[i].tangent;
    }
    const int n = f->unknowns;
    phase_impulses(f, x);
    for (int r = 0; r < n; r++)
        rhs[r] = -phase_after(f, f->row[r]);
    for (int k = 0; k < n; k++) {
        const HolImpactContact *c = &f->c[f->contact[k]];
        const int slides = f->row[k] == c->normal && c->rows ? f->tangent[f->contact[k]] : 0;
        for (int r = 0; r < n; r++) {
            const double *W = f->e->W + f->row[r] * f->e->rows;
            a[r * n + k] = W[f->row[k]] - (slides ? slides * c->mu * W[c->tangent] : 0);
        }
    }
    if (n && !hol_solve_small(a, rhs, n))
        return 0;
    phase_impulses(f, rhs);
    return 1;
}

static int phase_fits(const Phase *f) {
    const double small = HOL_IMPACT_SMALL * f->speed;
    for (int i = 0; i < f->n; i++) {
        const HolImpactContact *c = &f->c[i];
        const double w = f->e->W[c->normal * f->e->rows + c->normal], N = f->P[c->normal];
        if (f->closed[i] ? (N - c->e * f->P0[c->normal]) * w < -small
                         : phase_after(f, c->normal) < -small)
            return 0;
        if (!c->rows)
            continue;
        if (f->tangent[i] ? f->tangent[i] * phase_after(f, c->tangent) < -small
                          : (fabs(f->P[c->tangent]) - c->mu * N) * w > small)
            return 0;
    }
    return 1;
}

static void phase_states(Phase *f, long code) {
    for (int i = 0; i < f->n; i++) {
        f->closed[i] = (int)(code % 2);
        code /= 2;
        f->tangent[i] = f->c[i].rows ? (int)(code % 3) - 1 : 0;
        code /= f->c[i].rows ? 3 : 1;
    }
}

// the states that fit with the least energy; 0: none does
static int phase_find(Phase *f) {
    long codes = 1, best = -1;
    double least = INFINITY, size;
    for (int i = 0; i < f->n; i++)
        codes *= f->c[i].rows ? 6 : 2;
    for (long code = 0; code < codes; code++) {
        phase_states(f, code);
        if (!phase_solve(f) || !phase_fits(f))
            continue;
        const double work = impact_work(f->e, f->P, &size);
        if (work < least) {
            least = work;
            best = code;
        }
    }
    if (best < 0)
        return 0;
    phase_states(f, best);
    return phase_solve(f);
}

static int by_poisson(HolEvents *e, HolImpactContact *c, int n, double *P, double speed) {
    HolImpactContact plastic[MOST_CONTACTS];
    double *P0 = e->impact + 6 * (e->rows + 1), *before = e->impact + 7 * (e->rows + 1);
    if (n > MOST_CONTACTS)
        return 0;
    for (int i = 0; i < n; i++) {
        plastic[i] = c[i];
        plastic[i].e = 0;
        if (c[i].rows > 1)
            return 0;
    }
    if (!hol_impact_states(e, plastic, n, P0, speed))
        return 0;
    memcpy(before, e->u, sizeof *before * (size_t)e->rows);
    for (int r = 0; r < e->rows; r++)
        e->u[r] = before[r] + hol_impact_dot(e->W + r * e->rows, P0, e->rows);
    Phase f = {.e = e, .c = c, .n = n, .speed = speed, .P0 = P0, .P = P};
    const int found = phase_find(&f);
    memcpy(e->u, before, sizeof *before * (size_t)e->rows);
    for (int r = 0; r < e->rows; r++)
        P[r] += P0[r];
    return found && !adds_energy(e, P);
}

// ---- a smaller restitution ----

static int with_part(HolEvents *e, HolImpactContact *c, const double *own, int n, double part,
                     double *P, double speed) {
    for (int i = 0; i < n; i++)
        c[i].e = part * own[i];
    return hol_impact_states(e, c, n, P, speed);
}

static int by_smaller(HolEvents *e, HolImpactContact *c, int n, double *P, double speed) {
    double *own = e->impact + 6 * (e->rows + 1), lo = 0, hi = 1;
    for (int i = 0; i < n; i++)
        own[i] = c[i].e;
    for (int k = 0; k < HALVINGS; k++) {
        const double part = 0.5 * (lo + hi);
        *(with_part(e, c, own, n, part, P, speed) && !adds_energy(e, P) ? &lo : &hi) = part;
    }
    return with_part(e, c, own, n, lo, P, speed);
}

int hol_impact_solve(HolSim *s, HolImpactContact *c, int n, double *P, double speed) {
    HolEvents *e = s->events;
    if (!hol_impact_states(e, c, n, P, speed))
        return 0;
    if (!adds_energy(e, P))
        return 1;
    if (by_poisson(e, c, n, P, speed)) {
        hol_note(s,
                 "impact with friction at '%s': Newton's restitution would add energy, Poisson's "
                 "takes its place",
                 e->ns->supports[c->normal].name);
        return 1;
    }
    hol_note(s,
             "impact with friction at '%s': its restitution would add energy, a smaller one "
             "takes its place",
             e->ns->supports[c->normal].name);
    return by_smaller(e, c, n, P, speed);
}
