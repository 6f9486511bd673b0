// SPDX-License-Identifier: Apache-2.0
// A rod of the plane in the frame that is tangent at its start: lateral displacement only, w(0) = w'(0) =
// 0, cubic elements (docs/theory/modal.md, section 21.3). With shapes N of the nodes,
//   C = (0; int N), h = int x N, b = 0, B = 0, s0 = (m L/2, 0), I0 = m L^2/3 + rotary L
// in the modes of the clamped rod, x^T M x = m.
#include "math/dense.h"
#include "math/lapack_library.h"
#include "math/vec.h"
#include "model/body/beam.h"
#include "model/modal/modal.h"

#include <math.h>
#include <string.h>

typedef struct Rod {
    int n; // unknowns with those at the start: 2 (elements + 1)
    double *M, *K, *c, *h;
} Rod;

static void tangent_assemble(Rod *r, int elements, double l, double mass, double EI) {
    const double s[4] = {1, l, 1, l};
    static const double
        k[4][4] = {{12, 6, -12, 6}, {6, 4, -6, 2}, {-12, -6, 12, -6}, {6, 2, -6, 4}},
        m[4][4] = {{156, 22, 54, -13}, {22, 4, 13, -3}, {54, 13, 156, -22}, {-13, -3, -22, 4}},
        c[4] = {1.0 / 2, 1.0 / 12, 1.0 / 2, -1.0 / 12},
        x[4] = {3.0 / 20, 1.0 / 30, 7.0 / 20, -1.0 / 20};
    for (int e = 0; e < elements; e++)
        for (int i = 0; i < 4; i++) {
            r->c[2 * e + i] += mass * l * c[i] * s[i];
            r->h[2 * e + i] += mass * l * (l * x[i] + e * l * c[i]) * s[i];
            for (int j = 0; j < 4; j++) {
                const long at = (long)r->n * (2 * e + j) + 2 * e + i;
                r->M[at] += mass * l / 420 * m[i][j] * s[i] * s[j];
                r->K[at] += EI / (l * l * l) * k[i][j] * s[i] * s[j];
            }
        }
}

// the leading two unknowns are held
static double *tangent_free(HolArena *scratch, const double *A, int n) {
    double *out = HOL_NEW(scratch, double, (long)(n - 2) * (n - 2));
    for (int j = 2; out && j < n; j++)
        for (int i = 2; i < n; i++)
            out[(long)(n - 2) * (j - 2) + i - 2] = A[(long)n * j + i];
    return out;
}

static void tangent_interfaces(HolModal *out, const Rod *r, HolModalInterface *list, double *field,
                               const double *P, double length) {
    const int N = r->n - 2, nf = out->nf;
    static const char *const names[2] = {"start", "end"};
    for (int i = 0; i < 2; i++) {
        double *move = field + 4 * (long)nf * i, *turn = move + 3 * nf;
        for (int k = 0; k < nf && i; k++) {
            move[3 * k + 1] = P[(long)N * k + N - 2];
            turn[k] = P[(long)N * k + N - 1];
        }
        list[i] = (HolModalInterface){
            .name = names[i], .x = {i ? length : 0}, .move = move, .turn = turn};
    }
    out->interfaces = list;
    out->n_interfaces = 2;
}

static void tangent_drawing(HolModal *out, const Rod *r, double *nodes, double *shapes,
                            int (*edges)[2], const double *P, double length, int elements) {
    const int N = r->n - 2, nf = out->nf;
    for (int i = 0; i <= elements; i++) {
        nodes[3 * i] = length * i / elements;
        for (int k = 0; k < nf && i > 0; k++)
            shapes[3 * ((long)nf * i + k) + 1] = P[(long)N * k + 2 * (i - 1)];
        if (i < elements) {
            edges[i][0] = i;
            edges[i][1] = i + 1;
        }
    }
    out->nodes = nodes;
    out->shapes = shapes;
    out->n_nodes = elements + 1;
    out->edges = (const int(*)[2])edges;
    out->n_edges = elements;
}

// modes and integrals into the model's arena
static int tangent_fill(HolModel *m, const HolModalDef *d, HolModal *out, const Rod *r,
                        const double *P, const double *w, double length, int elements) {
    const int nf = out->nf, N = r->n - 2;
    double *x = HOL_NEW(&m->arena, double,
                        14L * nf + 3L * (elements + 1) * (nf + 1) + (long)nf * nf),
           *stiffness = x, *damping = x + nf, *C = x + 2 * nf, *b = x + 4 * nf, *h = x + 5 * nf,
           *field = x + 6 * nf, *nodes = x + 14 * nf, *shapes = nodes + 3 * (elements + 1),
           *B = shapes + 3L * (elements + 1) * nf;
    HolModalInterface *list = HOL_NEW(&m->arena, HolModalInterface, 2);
    int(*edges)[2] = hol_arena_alloc(&m->arena, sizeof(int[2]) * (size_t)elements);
    if (m->arena.failed)
        return 0;
    for (int k = 0; k < nf; k++) {
        const int at = k < d->n_zeta ? k : d->n_zeta - 1;
        stiffness[k] = out->mass * w[k];
        damping[k] = at >= 0 ? 2 * d->zeta[at] * out->mass * sqrt(w[k]) : 0;
        for (int i = 0; i < N; i++) {
            C[2 * k + 1] += r->c[i + 2] * P[(long)N * k + i];
            h[k] += r->h[i + 2] * P[(long)N * k + i];
        }
    }
    out->stiffness = stiffness;
    out->damping = damping;
    out->C = C;
    out->b = b;
    out->h = h;
    out->B = B;
    tangent_interfaces(out, r, list, field, P, length);
    tangent_drawing(out, r, nodes, shapes, edges, P, length, elements);
    return 1;
}

HolStatus hol_add_modal_rod(HolModel *m, const HolModalDef *d, const HolBeamSection *s,
                            double length, int elements, HolError *err) {
    HolArena scratch = {0};
    Rod r = {.n = 2 * (elements + 1)};
    const int N = r.n - 2;
    const double mass = s->mass * length;
    HolModal out = {.mass = mass, .length = length, .s0 = {mass * length / 2, 0}};
    HolBodyDef frame = d->body;
    HolStatus status = hol_lapack_ready(err);
    if (status != HOL_OK)
        return status;
    r.M = HOL_NEW(&scratch, double, (long)r.n *r.n);
    r.K = HOL_NEW(&scratch, double, (long)r.n *r.n);
    r.c = HOL_NEW(&scratch, double, r.n);
    r.h = HOL_NEW(&scratch, double, r.n);
    double *w = HOL_NEW(&scratch, double, N);
    status = HOL_ERR_MEMORY;
    if (!scratch.failed) {
        tangent_assemble(&r, elements, length / elements, s->mass, 1 / s->C[35]);
        double *K = tangent_free(&scratch, r.K, r.n), *M = tangent_free(&scratch, r.M, r.n);
        if (K && M && !hol_dense_symmetric_pair(N, K, M, w)) {
            for (long i = 0; i < (long)N * N; i++) // x^T M x = mass
                K[i] *= sqrt(mass);
            const int most = d->modes ? d->modes : N;
            out.nf = d->keep && d->keep < most ? d->keep : most;
            out.nf = out.nf < N ? out.nf : N;
            frame.mass = mass;
            frame.inertia[0] = mass * length * length / 3 + s->rotary[2] * length;
            if (tangent_fill(m, d, &out, &r, K, w, length, elements))
                status = hol_add_modal_made(m, d, &out, &frame, err);
        }
    }
    hol_arena_free(&scratch);
    return status == HOL_ERR_MEMORY ? hol_error_set(err, status, "out of memory") : status;
}
