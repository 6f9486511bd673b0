// SPDX-License-Identifier: Apache-2.0
// The fastest rates of the motion next to a state, at the price of a few solves:
//   (d, u)' = (u, a),   [M G^T; G 0] [a; .] = [-(K d + C u); 0]
// Arnoldi's iteration with this operator: every vector stays in the null space of G by the solves
// themselves, and the eigenvalues of the small Hessenberg matrix approach the largest ones. The turning of
// the null space is left out: rates of moving states are estimates, and only their size is asked for.
#include "solve/auto/auto.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

enum { MOST_VECTORS = 20 };
static const double BREAKDOWN = 1e-10; // of the operator's size: the space is invariant

typedef struct HolRates {
    HolSim *s;
    HolKkt *kkt;         // [M G^T; G 0], apart from that of the method
    double *K, *C, *rhs; // values in pattern S; nv + m + nw
    double *V;           // the vectors, 2 nv each
    double *near;        // nv: reciprocal sizes of coordinates
    double scale;        // [1/s] velocities are measured by it
} Rates;

// out = the operator applied to y, both (d, u)
static void rates_apply(Rates *r, const double *y, double *out) {
    HolSim *s = r->s;
    const HolPattern *P = &s->p->S;
    const int n = s->nv;
    memset(r->rhs, 0, sizeof *r->rhs * (size_t)(n + s->m + s->nw));
    for (int j = 0; j < n; j++)
        for (int e = P->ptr[j]; e < P->ptr[j + 1]; e++)
            r->rhs[P->idx[e]] -= r->K[e] * y[j] + r->C[e] * y[n + j];
    hol_kkt_solve_motion(r->kkt, r->rhs, 1);
    memcpy(out, y + n, sizeof *out * (size_t)n);
    memcpy(out + n, r->rhs, sizeof *out * (size_t)n);
}

static double rates_product(const Rates *r, const double *x, const double *y) {
    const int n = r->s->nv;
    double sum = 0;
    for (int j = 0; j < n; j++)
        sum +=
            r->near[j] * r->near[j] * (x[j] * y[j] + x[n + j] * y[n + j] / (r->scale * r->scale));
    return sum;
}

static double rates_length(const Rates *r, const double *x) {
    return sqrt(rates_product(r, x, x));
}

// a motion without plan that the constraints allow: displacements and velocities of size 1
static void rates_start(Rates *r, double *y) {
    HolSim *s = r->s;
    const int n = s->nv;
    unsigned seed = 12345;
    for (int half = 0; half < 2; half++) {
        double most = 0;
        memset(r->rhs, 0, sizeof *r->rhs * (size_t)(n + s->m + s->nw));
        for (int j = 0; j < n; j++) {
            seed = seed * 1664525u + 1013904223u;
            r->rhs[j] = ((double)(seed >> 8) / (1 << 24) - 0.5) * r->near[j];
        }
        hol_kkt_solve_motion(r->kkt, r->rhs, 1);
        for (int j = 0; j < n; j++)
            most = fmax(most, fabs(r->rhs[j]) * r->near[j]);
        for (int j = 0; j < n; j++)
            y[half * n + j] = most > 0 ? r->rhs[j] / most : 0;
    }
}

enum { NO_MEMORY = -1010 }; // LAPACKE_WORK_MEMORY_ERROR

// eigenvalues of the Hessenberg matrix H (k x k in a square of MOST_VECTORS + 1)
static int rates_read(Rates *r, const double *H, int k, double *decay, double *omega) {
    double A[MOST_VECTORS * MOST_VECTORS], re[MOST_VECTORS], im[MOST_VECTORS];
    for (int j = 0; j < k; j++)
        memcpy(A + k * j, H + (MOST_VECTORS + 1) * j, sizeof *A * (size_t)k);
    const int info = hol_dense_eigenvalues(k, A, re, im);
    if (info == NO_MEMORY) // (then the run has none either)
        r->s->arena.failed = 1;
    if (info)
        return 0;
    for (int i = 0; i < k; i++) {
        *decay = fmax(*decay, -re[i]);
        *omega = fmax(*omega, hypot(re[i], im[i]));
    }
    return isfinite(*decay) && isfinite(*omega);
}

static int rates_iterate(Rates *r, double *decay, double *omega) {
    const int size = 2 * r->s->nv, most = size < MOST_VECTORS ? size : MOST_VECTORS;
    double H[(MOST_VECTORS + 1) * (MOST_VECTORS + 1)] = {0}, largest = 0;
    double *V = r->V;
    int k = 0;
    r->scale = 1;
    rates_start(r, V);
    rates_apply(r, V, V + size); // a first guess of the rate, so that both halves weigh alike
    double moved = 0, pulled = 0;
    for (int j = 0; j < r->s->nv; j++) {
        moved = fmax(moved, fabs(V[j]) * r->near[j]);
        pulled = fmax(pulled, fabs(V[size + r->s->nv + j]) * r->near[j]);
    }
    if (!(moved > 0) || !isfinite(pulled))
        return isfinite(pulled);
    r->scale = pulled > 0 ? sqrt(pulled / moved) : 1;
    for (int j = r->s->nv; j < size; j++)
        V[j] *= r->scale;
    double length = rates_length(r, V);
    for (int j = 0; j < size; j++)
        V[j] /= length;
    while (k < most) {
        double *w = V + (size_t)size * (size_t)(k + 1), *h = H + (MOST_VECTORS + 1) * k;
        rates_apply(r, V + (size_t)size * (size_t)k, w);
        for (int pass = 0; pass < 2; pass++)
            for (int i = 0; i <= k; i++) {
                const double *v = V + (size_t)size * (size_t)i, c = rates_product(r, w, v);
                h[i] += c;
                for (int j = 0; j < size; j++)
                    w[j] -= c * v[j];
            }
        length = rates_length(r, w);
        for (int i = 0; i <= k; i++)
            largest = fmax(largest, fabs(h[i]));
        largest = fmax(largest, length);
        k++;
        if (!(length > BREAKDOWN * largest))
            break;
        h[k] = length;
        for (int j = 0; j < size; j++)
            w[j] /= length;
    }
    return rates_read(r, H, k, decay, omega);
}

struct HolRates *hol_rates_create(HolSim *s) {
    const HolProblem *p = s->p;
    Rates *r = HOL_NEW(&s->arena, Rates, 1);
    const size_t vectors = 2 * s->nv < MOST_VECTORS ? 2 * (size_t)s->nv : MOST_VECTORS;
    if (!r)
        return NULL;
    r->s = s;
    r->K = HOL_NEW(&s->arena, double, p->S.nnz + 1);
    r->C = HOL_NEW(&s->arena, double, p->S.nnz + 1);
    r->rhs = HOL_NEW(&s->arena, double, s->nv + s->m + s->nw + 1);
    r->V = HOL_NEW(&s->arena, double, 2 * (size_t)s->nv * (vectors + 1) + 1);
    r->near = s->reach + 2 * s->nv;
    r->kkt = hol_sim_kkt(s, &p->M, &p->G, 0, 1, s->o.linear_solver);
    return s->arena.failed ? NULL : r;
}

void hol_rates_destroy(struct HolRates *r) {
    if (r)
        hol_kkt_destroy(r->kkt);
}

int hol_fastest_rates(struct HolRates *r, const HolState *x, double *decay, double *omega) {
    HolSim *s = r->s;
    const HolProblem *p = s->p;
    *decay = *omega = 0;
    memset(hol_kkt_S(r->kkt), 0, sizeof(double) * (size_t)p->M.nnz);
    memset(hol_kkt_G(r->kkt), 0, sizeof(double) * (size_t)p->G.nnz);
    p->mass(p, s->work, HOL_AT(x), 1, 0, hol_kkt_S(r->kkt));
    if (s->m)
        p->jacobian(p, s->work, HOL_AT(x), hol_kkt_G(r->kkt));
    hol_kkt_set_redundant(r->kkt, s->redundant);
    if (hol_kkt_factor(r->kkt))
        return 0;
    memset(r->K, 0, sizeof *r->K * (size_t)p->S.nnz);
    memset(r->C, 0, sizeof *r->C * (size_t)p->S.nnz);
    p->tangent(p, s->work, HOL_AT(x), 0, 1, r->K);
    p->tangent(p, s->work, HOL_AT(x), 1, 0, r->C);
    return rates_iterate(r, decay, omega);
}

void hol_rates_keep(struct HolRates *r, HolKeeper *k) {
    hol_kkt_keep(r->kkt, k);
}
