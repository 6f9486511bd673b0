// SPDX-License-Identifier: Apache-2.0
// The beams of a model.
#ifndef HOL_MODEL_BEAM_TABLES_H
#define HOL_MODEL_BEAM_TABLES_H

#include "model/force/beam_element.h"

// A beam: its nodes are the bodies first .. first + n, its elements follow each other too.
typedef struct HolBeam {
    const char *name;
    int first, n;
    int element;
    double C[36];             // compliance of its section
    double length;            // without forces
    double per_area, edge[2]; // of stresses: 1/A, z/Iy, y/Iz at the edges; 0: unknown
    int round;                // the section is a circle or a tube
    double drag;              // damping by its mass
    double mass;              // per length
    int consistent;           // its mass is that of the cubic field (mass/hermite.c)
    double accuracy;          // its number of elements is found by trials; 0: given
    int line, column;
} HolBeam;

typedef struct HolBeams {
    HolBeam *list;
    int n, capacity_list;
    HolBeam2 *planar; // all elements; one of the two is NULL
    HolBeam3 *spatial;
    int n_elements, capacity;
    int damped, dragged;
} HolBeams;

#endif
