// SPDX-License-Identifier: Apache-2.0
// Modal bodies of a model file (read_modal.c).
#ifndef HOL_IO_READ_MODAL_H
#define HOL_IO_READ_MODAL_H

#include "io/model/read.h"
#include "model/body/beam.h"
#include "model/modal/modal.h"

int hol_node_is_modal(const HolNode *body); // an entry of `bodies:`
// the names of its modes and interfaces
void hol_read_modal_names(HolReader *r, const HolNode *body, const char *name);
// what carries a name of it: HOL_OF_..
int hol_read_modal_owner(const HolNode *body, const char *name);
// entry i of `bodies:`
void hol_read_modal(HolReader *r, const HolNode *node, int i);

typedef struct HolModalFile { // that a model names
    const char *path;
    char *text; // NULL: it could not be read
    size_t length;
} HolModalFile;

// What is read of a modal body. First: the field table's offsets count from here.
typedef struct HolModalTarget {
    HolBeamDef beam; // body, and the section of members
    const HolNode *node;
    const HolNode *mass, *stiffness, *nodes, *members, *interfaces, *elements, *from, *to;
    int tangent; // the frame of a rod is that of its start
    int modes, keep;
    double zeta[64], amplitudes[64], rates[64];
    int n_zeta, n_amplitudes, n_rates;
    HolModalFile files[3]; // mass, stiffness, nodes
    HolModalParts parts;
    const int *numbers; // of the nodes as the file writes them; NULL: 1, 2 ..
} HolModalTarget;

// read_matrices.c: their texts, and the nodes; then the matrices. 0 after a problem
int hol_read_modal_files(HolReader *r, HolModalTarget *t);
int hol_read_modal_matrices(HolReader *r, HolModalTarget *t);

// read_frame.c: 1: it has members instead of matrices
int hol_read_modal_built(const HolModalTarget *t);
// members -> matrices, or the body itself (a tangent frame); 0 after a problem
int hol_read_modal_frame(HolReader *r, HolModalTarget *t, HolModalDef *d);

#endif
