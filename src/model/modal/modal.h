// SPDX-License-Identifier: Apache-2.0
// Modal bodies: a floating frame, which is a rigid body, and modes, which are scalar coordinates.
// modal.c: bodies and equations of a model; modal_space.c, modal_plane.c: equations of motion;
// modal_series.c: their Taylor coefficients; modal_reduce.c: modes and integrals from matrices.
#ifndef HOL_MODEL_MODAL_H
#define HOL_MODEL_MODAL_H

#include "model/modal/modal_tables.h"
#include "model/model.h"

// z: amplitudes; v, a: of the block; f: forces on it
void hol_modal_mass3(const HolModal *b, const double *z, const HolMassBlock *M);
void hol_modal_force3(const HolModal *b, const double *z, const double *v, double *f);
double hol_modal_kinetic3(const HolModal *b, const double *z, const double *v);
void hol_modal_tangent3(const HolModal *b, const double *z, const double *v, const double *a,
                        const HolMassBlock *C, const HolMassBlock *K);
// cs: cosine and sine of the frame's angle
void hol_modal_mass2(const HolModal *b, const double cs[2], const double *z, const HolMassBlock *M);
void hol_modal_force2(const HolModal *b, const double cs[2], const double gravity[3],
                      const double *z, const double *v, double *f);
double hol_modal_kinetic2(const HolModal *b, const double cs[2], const double *z, const double *v);
double hol_modal_weight2(const HolModal *b, const double cs[2], const double gravity[3],
                         const double *z);
void hol_modal_tangent2(const HolModal *b, const double cs[2], const double gravity[3],
                        const double *z, const double *v, const double *a, const HolMassBlock *C,
                        const HolMassBlock *K);

// modal_series.c: as in HolMassKind
size_t hol_modal_series_size2(const HolModel *m, const void *e, int stride);
size_t hol_modal_series_size3(const HolModel *m, const void *e, int stride);
void hol_modal_series2(const HolModel *m, const void *e, const HolJets *J, double *own, int k,
                       double *rhs);
void hol_modal_series3(const HolModel *m, const void *e, const HolJets *J, double *own, int k,
                       double *rhs);
double hol_modal_series_work(const HolModel *m, const void *e, const HolJets *J, int k, double h);

// ---- what a model file says ----

enum { HOL_MODAL_UNKNOWNS = 3000 }; // of the matrices: they are treated as full ones

typedef struct HolModalPlace { // an interface by name: one node, or several that carry it together
    const char *name;
    const int *nodes; // from 0
    int n;
    int line, column;
} HolModalPlace;

// Finite elements: nodes with `dof` unknowns each. Space: 3 displacements, or these and 3 rotations;
// plane: 2 displacements, or these and a rotation.
typedef struct HolModalParts {
    int n_nodes, dof;
    double *nodes;         // 3 coordinates each
    double *M, *K;         // by columns, n_nodes dof of them; overwritten
    const int (*edges)[2]; // for drawing, from 0
    int n_edges;
    const char *M_name, *K_name; // for messages
} HolModalParts;

typedef struct HolModalDef {
    HolBodyDef
        body; // name, position of the origin of the nodes, orientation, velocity, omega, exact
    const HolModalPlace *interfaces;
    int n_interfaces;
    int modes;          // with the interfaces held, to which their static shapes are added
    int keep;           // 0: all modes of the reduced body; else so many of the lowest
    const double *zeta; // damping ratios; the last one serves all further modes
    int n_zeta;
    const double *amplitudes, *rates; // at the start
    int n_amplitudes, n_rates;
} HolModalDef;

// modes and integrals in `out`, whose numbers lie in the model's arena, mass and place in `frame`; 0
// after a problem
int hol_modal_reduce(HolModel *m, const HolModalDef *d, HolModalParts *parts, HolModal *out,
                     HolBodyDef *frame, HolError *err);
// what follows from modes that are known: stiffness and damping from out->omega; the frame at the
// centre of mass, `com` from the origin of the nodes. 0: no memory
int hol_modal_stiffness(HolModel *m, const HolModalDef *d, HolModal *out);
int hol_modal_stand(HolModel *m, const double com[3], HolBodyDef *frame);
// modal_modes.c: N x *nf modes by columns, x^T M x = mass, without rigid motion, and their frequencies;
// R: N x nr rigid motions. NULL after a problem
double *hol_modal_modes(HolModel *m, const HolModalDef *d, const HolModalParts *parts,
                        const double *R, int nr, double mass, HolArena *scratch, int *nf,
                        double *omega, HolError *err);
int hol_modal_problem(const HolModel *m, const HolModalDef *d, HolError *err, const char *format,
                      ...) __attribute__((format(printf, 4, 5))); // 0
// modal_frame.c: straight members between corners, each of so many elements; 0: no memory
struct HolBeamSection;
int hol_modal_frame(HolModel *m, const struct HolBeamSection *s, const double up[3],
                    const double *corners, int n_corners, const int (*members)[2], int n_members,
                    int elements, HolArena *arena, HolModalParts *out);
// modal_tangent.c: a rod of the plane that only bends, along x from its tangent frame
HolStatus hol_add_modal_rod(HolModel *m, const HolModalDef *d, const struct HolBeamSection *s,
                            double length, int elements, HolError *err);
// the bodies of a modal body: frame, modes, interfaces; from modes and integrals that are known
HolStatus hol_add_modal_made(HolModel *m, const HolModalDef *d, const HolModal *made,
                             const HolBodyDef *frame, HolError *err);
HolStatus hol_add_modal(HolModel *m, const HolModalDef *d, HolModalParts *parts, HolError *err);

#endif
