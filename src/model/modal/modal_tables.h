// SPDX-License-Identifier: Apache-2.0
// Modal bodies of a model: what the equations of motion need of them (docs/theory/modal.md).
#ifndef HOL_MODEL_MODAL_TABLES_H
#define HOL_MODEL_MODAL_TABLES_H

#include "model/row/row.h"

struct HolModel;

// Where other parts attach: a massless body that follows a node.
typedef struct HolModalInterface {
    const char *name;
    int body;
    double x[3];        // the node without deformation, in axes of the frame
    const double *move; // 3 x nf by columns: its displacement by each mode
    const double *turn; // 3 x nf (plane 1 x nf): its rotation
} HolModalInterface;

// The frame is a rigid body, its modes are scalar coordinates behind it, of the mass of the body, so that an
// amplitude is a length: the mean displacement by mass. Integrals over the mass: x a place without
// deformation, p_k the displacement of mode k, both in axes of the frame.
typedef struct HolModal {
    const char *name;
    int body, nf; // the frame; modes: bodies body + 1 .. body + nf
    int q, v;   // first of their positions (of the frame) and of the block among velocities: in the
                // plane the frame's x, y, angle, in space its rotations; the modes follow
    int mode_q; // of the first mode
    double mass, length;     // of the body; its size
    const double *omega;     // nf: circular frequencies; NULL where they were not needed
    const double *stiffness; // nf: mass omega^2
    const double *damping;   // nf: 2 zeta mass omega
    // space, mean axes: J = J0 + sum z_k J1_k + sum z_k z_l J2_kl, C1_kl = int p_k x p_l
    const double *J1; // nf symmetric matrices: xx yy zz xy yz zx
    const double *J2; // nf x nf of them, symmetric in k and l
    const double *C1; // nf x nf vectors, antisymmetric
    // plane, any frame: s = s0 + C z, I = I0 + 2 b.z + mass z.z, g = h + B z
    double s0[2];
    const double *C; // nf vectors: int p_k
    const double *b; // nf: int p_k.x
    const double *h; // nf: int x cross p_k
    const double *B; // nf x nf, antisymmetric: B_kl = int p_l cross p_k
    const HolModalInterface *interfaces;
    int n_interfaces;
    // for drawing
    const double *nodes;  // 3 coordinates each, axes of the frame
    const double *shapes; // of each node 3 x nf by columns
    int n_nodes;
    const int (*edges)[2]; // numbers of nodes, from 0
    int n_edges;
    int line, column;
} HolModal;

typedef struct HolModals {
    HolModal *list;
    int n, capacity;
    int damped;
} HolModals;

// ---- modal.c ----
int hol_modals_build(struct HolModel *m);   // equations of the interfaces; 0: no memory
int hol_modals_arrange(struct HolModel *m); // mass elements; 0: no memory

int hol_body_is_mode(const struct HolModel *m, int body);

static inline int hol_modal_size(const HolModal *b) { // of its block
    return 3 + b->nf;
}

#endif
