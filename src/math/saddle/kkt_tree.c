// SPDX-License-Identifier: Apache-2.0
// Saddle-point backend for open trees, see kkt_tree.h.
//
// W without the inverse of A, which would cost the digits of light bodies: elimination of C gives Y
// with C Y = 1 and a basis Z of what the joint leaves free, C Z = 0; with U = A Z, D = Z^T U
//     W11 = Z D^-1 Z^T,   W12 = Y - Z D^-1 U^T Y,   W22 = -Y^T A W12.
#include "math/saddle/kkt_tree.h"

#include <math.h>
#include <string.h>

enum { WIDTH = HOL_LINK_WIDTH };

// rows that hold their body so badly by themselves are left to the other backends
static const double TOO_LARGE = 1e4;

// run `call(width, rows)` with constants for the joints met often
#define WITH_CONSTANTS(l, call)                                                                    \
    if ((l)->width == 3 && (l)->rows == 2)                                                         \
        call(3, 2); /* a pin */                                                                    \
    else if ((l)->width == 6 && (l)->rows == 5)                                                    \
        call(6, 5); /* a hinge */                                                                  \
    else if ((l)->width == 6 && (l)->rows == 3)                                                    \
        call(6, 3); /* a ball */                                                                   \
    else if ((l)->width == 2 && (l)->rows == 1)                                                    \
        call(2, 1); /* a point mass in the plane */                                                \
    else                                                                                           \
        call((l)->width, (l)->rows)

// ---- factorization ----

// rows of small matrices, in whole lanes; `lanes` of them are in use, the rest of the last is zero
enum { ROW = 2 };
typedef HolLanes Row[ROW];

HOL_INLINE void kkt_tree_add_row(HolLanes *y, double c, const HolLanes *x, int lanes) {
    for (int e = 0; e < lanes; e++)
        y[e] += x[e] * c;
}

HOL_INLINE void scale_row(HolLanes *y, double c, const HolLanes *x, int lanes) {
    for (int e = 0; e < lanes; e++)
        y[e] = x[e] * c;
}

HOL_INLINE double kkt_tree_entry(const HolLanes *row, int c) {
    return ((const double *)row)[c];
}

// What elimination of C finds: the unknown that each row binds, the others, and Y and Z as far as
// they are not 0 or 1
typedef struct Split {
    int bound[WIDTH], open[WIDTH];
    Row Y[WIDTH]; // by rows of C: the row of Y that belongs to its unknown
    Row Z[WIDTH]; // by open unknowns: a column of Z
} Split;

// Gauss-Jordan with column pivots on [C 1], each in the size of its unknown; returns the number of
// rows that hold
HOL_INLINE int split_rows(const double *C, const double *reach, Split *s, double *growth, int n,
                          int r) {
    const int lanes = hol_whole_lanes(n);
    Row a[WIDTH] = {{{0}}};
    int taken[WIDTH] = {0};
    for (int i = 0; i < r; i++) {
        memcpy(a[i], C + i * n, sizeof(double) * (size_t)n);
        scale_row(s->Y[i], 0, a[i], lanes);
        ((double *)s->Y[i])[i] = 1;
    }
    for (int i = 0; i < r; i++) {
        double formed = 0, most = 0;
        int pivot = 0;
        for (int c = 0; c < n; c++) {
            const double before = fabs(C[i * n + c]) * reach[c],
                         size = taken[c] ? 0 : fabs(kkt_tree_entry(a[i], c)) * reach[c];
            formed = before > formed ? before : formed;
            pivot = size > most ? c : pivot;
            most = size > most ? size : most;
        }
        if (!(most > HOL_KKT_PIVOT * formed) || isinf(most))
            return i;
        if (formed > *growth * most)
            *growth = formed / most;
        taken[pivot] = 1;
        s->bound[i] = pivot;
        const double inverse = 1 / kkt_tree_entry(a[i], pivot);
        scale_row(a[i], inverse, a[i], lanes);
        scale_row(s->Y[i], inverse, s->Y[i], lanes);
        for (int k = 0; k < r; k++) {
            const double part = -kkt_tree_entry(a[k], pivot);
            if (k == i || part == 0) // (mostly: rows of a joint touch unknowns of their own)
                continue;
            kkt_tree_add_row(a[k], part, a[i], lanes);
            kkt_tree_add_row(s->Y[k], part, s->Y[i], lanes);
        }
    }
    for (int c = 0, d = 0; c < n; c++)
        if (!taken[c]) {
            double *Z = (double *)s->Z[d];
            scale_row(s->Z[d], 0, a[0], lanes);
            for (int i = 0; i < r; i++)
                Z[s->bound[i]] = -kkt_tree_entry(a[i], c);
            Z[c] = 1;
            s->open[d++] = c;
        }
    return r;
}

// D := D^-1, symmetric positive; 0: it is not
HOL_INLINE int kkt_tree_invert(double D[WIDTH][WIDTH], int d) {
    for (int i = 0; i < d; i++) { // Gauss-Jordan in place
        const double pivot = D[i][i], inverse = 1 / pivot;
        if (!(pivot > 0) || isinf(pivot))
            return 0;
        for (int k = 0; k < d; k++) {
            const double part = D[k][i] * inverse;
            if (k == i)
                continue;
            for (int c = 0; c < d; c++)
                D[k][c] -= c == i ? 0 : part * D[i][c];
            D[k][i] = -part;
        }
        for (int c = 0; c < d; c++)
            D[i][c] = c == i ? inverse : D[i][c] * inverse;
    }
    return 1;
}

// K^T = P^T (W12^T, -F), F = -W22; A_up += P^T F P
HOL_INLINE void load_parent(const HolTree *t, const HolLink *l, const Row *W12, const Row *F, int n,
                            int r, int m) {
    const int lanes = hol_whole_lanes(m), stride = HOL_LANES * hol_whole_lanes(n + r);
    double *K = t->value + l->at + stride * (n + r);
    HolLanes *Kt = (HolLanes *)(K + stride * m), *A = (HolLanes *)(t->A + t->link[l->parent].A);
    Row P[WIDTH] = {{{0}}};
    for (int i = 0; i < r; i++)
        memcpy(P[i], t->C + l->P + i * m, sizeof(double) * (size_t)m);
    for (int c = 0; c < n + r; c++) {
        const HolLanes *from = c < n ? W12[c] : F[c - n];
        Row sum = {{0}};
        for (int e = 0; e < r; e++)
            kkt_tree_add_row(sum, kkt_tree_entry(from, e), P[e], lanes);
        for (int e = 0; c >= n && e < m; e++)
            kkt_tree_add_row(A + e * lanes, kkt_tree_entry(P[c - n], e), sum, lanes);
        scale_row(Kt + c * lanes, c < n ? 1 : -1, sum, lanes);
        for (int e = 0; e < m; e++)
            K[e * stride + c] = kkt_tree_entry(Kt + c * lanes, e);
    }
}

// columns of E = Z D^-1 and rows of V = U^T Y; 0: the mass of what the joint leaves free vanishes
HOL_INLINE int free_motion(const HolLanes *A, const Split *s, Row *E, Row *V, int n, int r) {
    const int d = n - r, lanes = hol_whole_lanes(n);
    Row U[WIDTH];
    double D[WIDTH][WIDTH];
    for (int a = 0; a < d; a++) {
        scale_row(U[a], kkt_tree_entry(s->Z[a], 0), A, lanes);
        for (int e = 1; e < n; e++)
            kkt_tree_add_row(U[a], kkt_tree_entry(s->Z[a], e), A + e * lanes, lanes);
    }
    for (int a = 0; a < d; a++)
        for (int c = 0; c < d; c++) {
            D[a][c] = 0;
            for (int e = 0; e < n; e++)
                D[a][c] += kkt_tree_entry(s->Z[a], e) * kkt_tree_entry(U[c], e);
        }
    if (!kkt_tree_invert(D, d))
        return 0;
    for (int a = 0; a < d; a++) {
        scale_row(E[a], D[a][0], s->Z[0], lanes);
        for (int e = 1; e < d; e++)
            kkt_tree_add_row(E[a], D[a][e], s->Z[e], lanes);
    }
    for (int a = 0; a < d && r > 0; a++) {
        scale_row(V[a], kkt_tree_entry(U[a], s->bound[0]), s->Y[0], lanes);
        for (int i = 1; i < r; i++)
            kkt_tree_add_row(V[a], kkt_tree_entry(U[a], s->bound[i]), s->Y[i], lanes);
    }
    return 1;
}

// rows of W12 = Y - E V
HOL_INLINE void held_motion(const Split *s, const Row *E, const Row *V, Row *W12, int n, int r) {
    const int lanes = hol_whole_lanes(n);
    for (int a = 0; a < n - r; a++)
        scale_row(W12[s->open[a]], 0, E[0], lanes);
    for (int i = 0; i < r; i++)
        scale_row(W12[s->bound[i]], 1, s->Y[i], lanes);
    for (int c = 0; c < n; c++)
        for (int a = 0; a < n - r; a++)
            kkt_tree_add_row(W12[c], -kkt_tree_entry(E[a], c), V[a], lanes);
}

// rows of F = -W22 = Y^T A W12
HOL_INLINE void held_mass(const HolLanes *A, const Split *s, const Row *W12, Row *F, int n, int r) {
    const int lanes = hol_whole_lanes(n);
    for (int i = 0; i < r; i++) {
        const HolLanes *row = A + s->bound[i] * lanes;
        Row T;
        scale_row(T, kkt_tree_entry(row, 0), W12[0], lanes);
        for (int e = 1; e < n; e++)
            kkt_tree_add_row(T, kkt_tree_entry(row, e), W12[e], lanes);
        for (int a = 0; a < r; a++)
            kkt_tree_add_row(F[a], kkt_tree_entry(s->Y[i], a), T, lanes);
    }
}

// returns 0, or 1 + the place in (unknowns, rows) of the pivot that fails
HOL_INLINE int factor_link(const HolTree *t, const HolLink *l, const double *reach, double *growth,
                           int n, int r) {
    const int lanes = hol_whole_lanes(n), stride = HOL_LANES * hol_whole_lanes(n + r);
    const HolLanes *A = (const HolLanes *)(t->A + l->A);
    double *W = t->value + l->at;
    Split s;
    Row E[WIDTH], V[WIDTH], W12[WIDTH], F[WIDTH] = {{{0}}};
    int holds = split_rows(t->C + l->C, reach, &s, growth, n, r);
    if (holds < r)
        return 1 + n + holds;
    if (!free_motion(A, &s, E, V, n, r))
        return 1 + s.open[0];
    held_motion(&s, E, V, W12, n, r);
    held_mass(A, &s, W12, F, n, r);
    for (int c = 0; c < n; c++) {
        Row column = {{0}};
        for (int a = 0; a < n - r; a++)
            kkt_tree_add_row(column, kkt_tree_entry(s.Z[a], c), E[a], lanes);
        memcpy(W + c * stride, column, sizeof(double) * (size_t)n);
        for (int i = 0; i < r; i++)
            W[c * stride + n + i] = W[(n + i) * stride + c] = kkt_tree_entry(W12[c], i);
    }
    for (int a = 0; a < r; a++)
        for (int c = 0; c < r; c++)
            W[(n + c) * stride + n + a] = -kkt_tree_entry(F[a], c);
    if (l->up_width == n)
        load_parent(t, l, W12, F, n, r, n);
    else if (l->up_width)
        load_parent(t, l, W12, F, n, r, l->up_width);
    return 0;
}

HOL_WIDE static int tree_factor(HolKkt *k, void *factors, double eps) {
    HolTree *t = factors;
    double growth = 0;
    if (eps > 0 || k->any_inactive || k->Gtv)
        return 1; // not for this one
    memset(t->A, 0, sizeof(double) * (size_t)t->A_size);
    for (int p = 0; p < k->S.nnz; p++)
        t->A[t->S_to[p]] = k->Sv[p];
    for (int p = 0; p < k->G.nnz; p++)
        t->C[t->G_to[p]] = k->Gv[p];
    for (const HolLink *l = t->link; l < t->link + t->count; l++) {
        int failed = 0;
        const double *reach = k->reach + l->column;
#define CALL(n, r) failed = factor_link(t, l, reach, &growth, n, r)
        WITH_CONSTANTS(l, CALL);
#undef CALL
        if (!failed && growth > TOO_LARGE)
            failed = 1;
        if (failed)
            return failed <= l->width ? l->column + failed
                                      : 1 + t->row_index[l->row + failed - l->width - 1];
    }
    k->stats.last_growth = growth;
    return 0;
}

// ---- solve ----

// (a, lambda) = W (f, c) so far; f_up -= K^T (f, c), which the next body waits for
HOL_INLINE void pull(const HolTree *t, const HolLink *l, const double *b, double *x, int m, int n,
                     int r) {
    const int lanes = hol_whole_lanes(n + r), up = hol_whole_lanes(m);
    const HolLanes *W = (const HolLanes *)(t->value + l->at), *Kt = W + lanes * (n + r + m);
    const int *row = t->row_index + l->row;
    double *restrict y = t->y;
    HolLanes own[3] = {{0}}, rows[2] = {{0}}, force[2] = {{0}};
    for (int c = 0; c < r; c++)
        for (int e = 0; e < up; e++)
            rows[e] += Kt[(n + c) * up + e] * b[row[c]];
    for (int c = 0; c < n; c++)
        for (int e = 0; e < up; e++)
            (c % 2 ? rows : force)[e] += Kt[c * up + e] * y[l->column + c];
    for (int c = 0; c < m; c++)
        y[l->up + c] -= force[c / HOL_LANES][c % HOL_LANES] + rows[c / HOL_LANES][c % HOL_LANES];
    for (int c = 0; c < n + r; c++)
        for (int e = 0; e < lanes; e++)
            own[e] += W[c * lanes + e] * (c < n ? y[l->column + c] : b[row[c - n]]);
    for (int c = 0; c < n; c++)
        x[l->column + c] = own[c / HOL_LANES][c % HOL_LANES];
    for (int c = 0; c < r; c++)
        x[row[c]] = own[(n + c) / HOL_LANES][(n + c) % HOL_LANES];
}

// (a, lambda) -= K a_up
HOL_INLINE void kkt_tree_follow(const HolTree *t, const HolLink *l, double *x, int m, int n,
                                int r) {
    const int lanes = hol_whole_lanes(n + r);
    const HolLanes *K = (const HolLanes *)(t->value + l->at) + lanes * (n + r);
    const int *row = t->row_index + l->row;
    HolLanes even[3] = {{0}}, odd[3] = {{0}};
    for (int c = 0; c < m; c++)
        for (int e = 0; e < lanes; e++)
            (c % 2 ? odd : even)[e] += K[c * lanes + e] * x[l->up + c];
    for (int e = 0; e < lanes; e++)
        even[e] += odd[e];
    for (int c = 0; c < n; c++)
        x[l->column + c] -= even[c / HOL_LANES][c % HOL_LANES];
    for (int c = 0; c < r; c++)
        x[row[c]] -= even[(n + c) / HOL_LANES][(n + c) % HOL_LANES];
}

HOL_WIDE static void tree_solve(HolKkt *k, void *factors, const double *b, double *x) {
    const HolTree *t = factors;
    memcpy(t->y, b, sizeof(double) * (size_t)k->n);
    for (const HolLink *l = t->link; l < t->link + t->count; l++) {
#define CHILD(n, r) pull(t, l, b, x, n, n, r)
#define ROOT(n, r) pull(t, l, b, x, 0, n, r)
        if (l->up_width == l->width)
            WITH_CONSTANTS(l, CHILD);
        else if (!l->up_width)
            WITH_CONSTANTS(l, ROOT);
        else
            pull(t, l, b, x, l->up_width, l->width, l->rows);
#undef CHILD
#undef ROOT
    }
    for (const HolLink *l = t->link + t->count - 1; l >= t->link; l--) {
#define CALL(n, r) kkt_tree_follow(t, l, x, n, n, r)
        if (l->up_width == l->width)
            WITH_CONSTANTS(l, CALL);
        else if (l->up_width)
            kkt_tree_follow(t, l, x, l->up_width, l->width, l->rows);
#undef CALL
    }
    k->free_size = 0; // light bodies cost no digits: nothing to refine
}

static void tree_keep(HolKkt *k, void *factors, HolKeeper *w) {
    HolTree *t = factors;
    (void)k;
    HOL_KEEP_ARRAY(w, t->value, t->values);
    HOL_KEEP_ARRAY(w, t->A, t->A_size);
    HOL_KEEP_ARRAY(w, t->C, t->C_size);
}

const HolKktBackend hol_kkt_tree = {"tree", NULL, tree_factor, tree_solve, NULL, tree_keep};
