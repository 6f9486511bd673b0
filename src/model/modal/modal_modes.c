// SPDX-License-Identifier: Apache-2.0
// Modes of a part from its mass and stiffness matrices (Craig, Bampton 1968; docs/theory/modal.md):
// displacements T y, with boundary unknowns b (those of the interfaces) and inner ones i,
//   T = [1, 0; -Kii^-1 Kib, V],   Kii V = Mii V w^2 (the lowest modes with the interfaces held)
// then the modes of the free reduced part, (T^T K T) y = w^2 (T^T M T) y. Its rigid motions are left
// out, and what the others have of the exact rigid motions R is taken away:
//   P := P - R (R^T M R)^-1 R^T M P
#include "math/dense.h"
#include "model/modal/modal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOTIONS = 6 };
static const double RIGID = 1e-7;    // of the largest stiffness: what rigid motions may meet
static const double SEPARATE = 1e-4; // rigid over elastic frequency squared

int hol_modal_problem(const HolModel *m, const HolModalDef *d, HolError *err, const char *format,
                      ...) {
    char text[300];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    hol_problem_error(m, err, d->body.line, d->body.column, "modal body '%s': %s", d->body.name,
                      text);
    return 0;
}

typedef struct Split {
    int N, nb, ni, nm;
    int *boundary, *inner; // unknowns
} Split;

// unknowns of the interfaces, and all others
static int modal_split(const HolModalDef *d, const HolModalParts *parts, HolArena *scratch,
                       Split *s) {
    const int N = s->N = parts->n_nodes * parts->dof;
    unsigned char *at = HOL_NEW(scratch, unsigned char, N + 1);
    s->boundary = HOL_NEW(scratch, int, N + 1);
    s->inner = HOL_NEW(scratch, int, N + 1);
    if (scratch->failed)
        return 0;
    for (int i = 0; i < d->n_interfaces; i++)
        for (int k = 0; k < d->interfaces[i].n; k++)
            memset(at + d->interfaces[i].nodes[k] * parts->dof, 1, (size_t)parts->dof);
    s->nb = s->ni = 0;
    for (int i = 0; i < N; i++)
        if (at[i])
            s->boundary[s->nb++] = i;
        else
            s->inner[s->ni++] = i;
    return 1;
}

// 1: LAPACK found no memory, so that nothing is said of the matrices
static int modes_no_memory(int code, HolArena *scratch) {
    scratch->failed |= code == HOL_LAPACK_MEMORY || code == HOL_LAPACK_MEMORY - 1;
    return scratch->failed;
}

static double *modal_gather(HolArena *scratch, const double *A, int N, const int *rows, int r,
                            const int *columns, int c) {
    double *out = HOL_NEW(scratch, double, (long)r *c + 1);
    for (int j = 0; out && j < c; j++)
        for (int i = 0; i < r; i++)
            out[(long)r * j + i] = A[(long)N * columns[j] + rows[i]];
    return out;
}

// the basis T, N x (nb + nm) by columns; NULL after a problem
static double *modal_basis(HolModel *m, const HolModalDef *d, const HolModalParts *parts, Split *s,
                           HolArena *scratch, HolError *err) {
    const int N = s->N, ni = s->ni, nb = s->nb;
    s->nm = d->modes < ni ? d->modes : ni;
    if (!nb) { // nothing is held: all unknowns
        double *all = HOL_NEW(scratch, double, (long)N *N);
        for (int i = 0; all && i < N; i++)
            all[(long)N * i + i] = 1;
        s->nm = N;
        return all;
    }
    double *T = HOL_NEW(scratch, double, (long)N *(nb + s->nm) + 1);
    double *K = modal_gather(scratch, parts->K, N, s->inner, ni, s->inner, ni),
           *M = modal_gather(scratch, parts->M, N, s->inner, ni, s->inner, ni),
           *copy = modal_gather(scratch, parts->K, N, s->inner, ni, s->inner, ni),
           *B = modal_gather(scratch, parts->K, N, s->inner, ni, s->boundary, nb),
           *w = HOL_NEW(scratch, double, ni + 1);
    if (scratch->failed)
        return NULL;
    int code = ni ? hol_dense_positive_solve(ni, nb, copy, B) : 0;
    if (modes_no_memory(code, scratch))
        return NULL;
    if (code) {
        hol_modal_problem(
            m, d, err,
            "%s: the stiffness matrix is not positive once the interfaces are held; a "
            "part may be loose, or the interfaces may not hold it",
            parts->K_name);
        return NULL;
    }
    for (int j = 0; j < nb; j++) {
        T[(long)N * j + s->boundary[j]] = 1;
        for (int i = 0; i < ni; i++)
            T[(long)N * j + s->inner[i]] = -B[(long)ni * j + i];
    }
    // (M x = mu K x: a mass matrix may have zeros, the held stiffness not)
    code = ni && s->nm ? hol_dense_symmetric_pair(ni, M, K, w) : 0;
    if (modes_no_memory(code, scratch))
        return NULL;
    if (code) {
        hol_modal_problem(m, d, err, "no modes with the interfaces held were found");
        return NULL;
    }
    for (int k = 0; k < s->nm; k++) { // the largest mu are the lowest modes
        const double *x = M + (long)ni * (ni - 1 - k), mu = w[ni - 1 - k];
        if (!(mu > 0)) {
            s->nm = k; // as many as have mass
            break;
        }
        for (int i = 0; i < ni; i++)
            T[(long)N * (nb + k) + s->inner[i]] = x[i] / sqrt(mu);
    }
    if (ni && s->nm && w[0] < -1e-9 * w[ni - 1]) {
        hol_modal_problem(m, d, err,
                          "%s: the mass matrix is not positive: a motion has negative "
                          "kinetic energy",
                          parts->M_name);
        return NULL;
    }
    return T;
}

// the rigid motions must meet no stiffness
static int modal_free(const HolModel *m, const HolModalDef *d, const HolModalParts *parts,
                      const double *R, int nr, HolArena *scratch, HolError *err) {
    const int N = parts->n_nodes * parts->dof;
    double *KR = HOL_NEW(scratch, double, (long)N *nr + 1), largest = 0;
    if (!KR)
        return 0;
    for (long i = 0; i < (long)N * N; i++)
        largest = fmax(largest, fabs(parts->K[i]));
    hol_dense_multiply(N, N, nr, parts->K, 0, R, KR);
    for (int k = 0; k < nr; k++) {
        double size = 0, most = 0;
        int at = 0;
        for (int i = 0; i < N; i++) {
            size = fmax(size, fabs(R[(long)N * k + i]));
            if (fabs(KR[(long)N * k + i]) > most) {
                most = fabs(KR[(long)N * k + i]);
                at = i;
            }
        }
        if (most > RIGID * largest * size)
            return hol_modal_problem(
                m, d, err,
                "%s: the stiffness matrix resists a rigid %s (at node %d): it must be that of the "
                "free part, with the unknowns of each node together",
                parts->K_name, k < nr - (nr == 3 ? 1 : 3) ? "translation" : "rotation",
                at / parts->dof + 1);
    }
    return 1;
}

// P := P - R (R^T M R)^-1 R^T M P, then x^T M x = mass with the largest displacement positive
static int modal_purify(const HolModalParts *parts, const double *R, int nr, double mass, double *P,
                        int nf, HolArena *scratch) {
    const int N = parts->n_nodes * parts->dof;
    double *MR = HOL_NEW(scratch, double, (long)N *nr + 1),
           *MP = HOL_NEW(scratch, double, (long)N *nf + 1),
           *small = HOL_NEW(scratch, double, nr *nf + 1);
    double RMR[MOTIONS * MOTIONS];
    if (scratch->failed)
        return 0;
    hol_dense_multiply(N, N, nr, parts->M, 0, R, MR);
    hol_dense_multiply(nr, N, nr, R, 1, MR, RMR);
    hol_dense_multiply(nr, N, nf, MR, 1, P, small);
    if (hol_dense_positive_solve(nr, nf, RMR, small))
        return 0;
    for (int k = 0; k < nf; k++)
        for (int j = 0; j < nr; j++)
            for (int i = 0; i < N; i++)
                P[(long)N * k + i] -= R[(long)N * j + i] * small[nr * k + j];
    hol_dense_multiply(N, N, nf, parts->M, 0, P, MP);
    for (int k = 0; k < nf; k++) {
        double *x = P + (long)N * k, norm = 0, most = 0;
        for (int i = 0; i < N; i++) {
            norm += x[i] * MP[(long)N * k + i];
            if (fabs(x[i]) > 1.001 * fabs(most))
                most = x[i];
        }
        const double scale = (most < 0 ? -1 : 1) * sqrt(mass / norm);
        for (int i = 0; i < N; i++)
            x[i] *= scale;
    }
    return 1;
}

double *hol_modal_modes(HolModel *m, const HolModalDef *d, const HolModalParts *parts,
                        const double *R, int nr, double mass, HolArena *scratch, int *nf,
                        double *omega, HolError *err) {
    Split s;
    if (!modal_split(d, parts, scratch, &s) || !modal_free(m, d, parts, R, nr, scratch, err))
        return NULL;
    const int N = s.N;
    double *T = modal_basis(m, d, parts, &s, scratch, err);
    const int n = s.nb + s.nm;
    if (!T)
        return NULL;
    double *AT = HOL_NEW(scratch, double, (long)N *n + 1),
           *Kr = HOL_NEW(scratch, double, (long)n *n + 1),
           *Mr = HOL_NEW(scratch, double, (long)n *n + 1), *w = HOL_NEW(scratch, double, n + 1);
    if (scratch->failed)
        return NULL;
    hol_dense_multiply(N, N, n, parts->K, 0, T, AT);
    hol_dense_multiply(n, N, n, T, 1, AT, Kr);
    hol_dense_multiply(N, N, n, parts->M, 0, T, AT);
    hol_dense_multiply(n, N, n, T, 1, AT, Mr);
    const int code = n > nr ? hol_dense_symmetric_pair(n, Kr, Mr, w) : 0;
    if (modes_no_memory(code, scratch))
        return NULL;
    if (n <= nr || code) {
        hol_modal_problem(m, d, err,
                          n <= nr ? "it has no elastic mode (%s): give more `modes` or interfaces"
                                  : "%s: the mass matrix is not positive definite: a motion of the "
                                    "interfaces has no mass",
                          parts->M_name);
        return NULL;
    }
    const int keep = d->keep ? d->keep : s.nb ? n : d->modes;
    *nf = keep < n - nr ? keep : n - nr;
    if (!(fabs(w[nr - 1]) <= SEPARATE * w[nr]) || !(w[nr] > 0)) {
        hol_modal_problem(m, d, err,
                          "its reduced stiffness has %s than the %d rigid motions without "
                          "stiffness: %s",
                          w[nr] > 0 ? "fewer" : "more", nr, parts->K_name);
        return NULL;
    }
    double *P = HOL_NEW(scratch, double, (long)N **nf + 1);
    if (!P)
        return NULL;
    hol_dense_multiply(N, n, *nf, T, 0, Kr + (long)n * nr, P);
    for (int k = 0; k < *nf; k++)
        omega[k] = sqrt(w[nr + k]);
    return modal_purify(parts, R, nr, mass, P, *nf, scratch) ? P : NULL;
}
