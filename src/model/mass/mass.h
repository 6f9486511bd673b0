// SPDX-License-Identifier: Apache-2.0
// Mass elements: what M and f have beyond the constant masses of the bodies. An element couples
// some velocities (a block), and its mass depends on positions: the modes of an elastic part with its
// frame (modal/), the two nodes of a beam's element with consistent mass (hermite.c).
//     r = Mx(q) a - fx(q, v),   r is added to M a - f of the model
// A kind is a table; patterns, M, f, derivatives, energies and series (mass.c) ask nothing else.
#ifndef HOL_MODEL_MASS_H
#define HOL_MODEL_MASS_H

#include "model/row/row.h"

struct HolModel;

// Values of a block of n rows and columns go to S[to[n column + row]], times c; to < 0: nowhere.
typedef struct HolMassBlock {
    double *S, c;
    const int *to;
    int n;
} HolMassBlock;

static inline void hol_mass_put(const HolMassBlock *B, int r, int c, double x) {
    B->S[B->to[(long)B->n * c + r]] += B->c * x;
}

// positions, velocities and accelerations of the whole model; a NULL: zero
typedef struct HolMassState {
    const double *q, *v, *a;
} HolMassState;

// All functions get the element's own data.
typedef struct HolMassKind {
    const char *name;
    int (*couples)(const struct HolModel *m, const void *e, int row, int column); // M has it
    void (*mass)(const struct HolModel *m, const void *e, const double *q, const HolMassBlock *M);
    void (*force)(const struct HolModel *m, const void *e, const HolMassState *s, double *f);
    double (*kinetic)(const struct HolModel *m, const void *e, const HolMassState *s);
    double (*potential)(const struct HolModel *m, const void *e, const double *q);
    double (*power)(const struct HolModel *m, const void *e, const HolMassState *s);
    // C += -fx_v, K += (Mx a)_q - fx_q
    void (*tangent)(const struct HolModel *m, const void *e, const HolMassState *s,
                    const HolMassBlock *C, const HolMassBlock *K);
    // Taylor coefficients: doubles; order k of -r without the unknown a_k into rhs; work over a step
    size_t (*series_size)(const struct HolModel *m, const void *e, int stride);
    void (*series)(const struct HolModel *m, const void *e, const HolJets *J, double *own, int k,
                   double *rhs);
    double (*series_work)(const struct HolModel *m, const void *e, const HolJets *J, int k,
                          double h);
} HolMassKind;

extern const HolMassKind hol_mass_modal2, hol_mass_modal3, hol_mass_hermite;

typedef struct HolMassElement {
    const HolMassKind *kind;
    const void *data;
    int v, n; // its velocities: n from v on
} HolMassElement;

typedef struct HolMasses {
    HolMassElement *list;
    int n, capacity;
    int damped; // some of them have power
    const int *to_M,
        *to_S; // places of the blocks in the values of M (-1: none) and of S, by columns
} HolMasses;

// The element of a beam between two nodes, mass: consistent (hermite.c)
typedef struct HolHermite {
    int body[2], q[2], v[2];
    double L, W[4][4]; // length; the matrix of (r, L t) of both nodes less halves at r
    double drag;       // damping by its mass
} HolHermite;

void hol_hermite_make(HolHermite *h, double L, double mass, double drag);
// hermite_series.c
size_t hol_hermite_series_size(const struct HolModel *m, const void *e, int stride);
void hol_hermite_series(const struct HolModel *m, const void *e, const HolJets *J, double *own,
                        int k, double *rhs);
double hol_hermite_series_work(const struct HolModel *m, const void *e, const HolJets *J, int k,
                               double h);

// ---- mass.c ----
// while patterns are built; `damped`: it has power. 0: no memory
int hol_mass_add(struct HolModel *m, const HolMassKind *kind, const void *data, int v, int n,
                 int damped);
int hol_masses_fill(struct HolModel *m);                    // places in M; 0: no memory
void hol_masses_places(struct HolModel *m, const int *end); // in S: they end there
void hol_masses_mass(const struct HolModel *m, const double *q, double c, int into_S, double *S);
void hol_masses_force(const struct HolModel *m, const double *q, const double *v, double *f);
double hol_masses_kinetic(const struct HolModel *m, const double *q, const double *v);
double hol_masses_potential(const struct HolModel *m, const double *q);
double hol_masses_power(const struct HolModel *m, const double *q, const double *v);
void hol_masses_tangent(const struct HolModel *m, const HolMassState *s, double cC, double *C,
                        double cK, double *K);
size_t hol_masses_series_size(const struct HolModel *m, int order);
void hol_masses_series(const struct HolModel *m, const HolJets *J, double *own, int k, double *rhs);
double hol_masses_series_work(const struct HolModel *m, const HolJets *J, int k, double h);

#endif
