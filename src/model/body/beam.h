// SPDX-License-Identifier: Apache-2.0
// Beams: a chain of rigid bodies (nodes) with elements between them (model/force/beam_element.h).
// beam_section.c: stiffness and mass of a section; beam_curve.c: where the nodes are; beam.c: the
// bodies, joints and elements.
#ifndef HOL_MODEL_BEAM_H
#define HOL_MODEL_BEAM_H

#include "model/model.h"

typedef enum HolSectionShape {
    HOL_SECTION_NONE,
    HOL_SECTION_RECTANGLE,
    HOL_SECTION_CIRCLE,
    HOL_SECTION_TUBE
} HolSectionShape;

typedef enum HolBeamNatural { // the shape without forces
    HOL_NATURAL_WRITTEN,
    HOL_NATURAL_STRAIGHT,
    HOL_NATURAL_CURVED
} HolBeamNatural;

// what a model file says of a beam
typedef struct HolBeamDef {
    HolBodyDef body;       // name, velocity, omega, exact, position in the file
    double from[3], to[3]; // ends, global axes
    int has_to;
    HolRef start, end;       // places that the ends are clamped to; body NULL: none
    int elements, automatic; // 1: as many as `accuracy` asks for
    double accuracy;
    double up[3];
    int has_up;
    double length; // without forces; NAN: along the curve as written
    int has_arc;
    double radius, angle, direction[3]; // arc: along `direction` at the start, about `up`
    const double *points;               // curve: 2 or 3 numbers each
    int n_points;
    HolBeamNatural natural;
    double curvature[3]; // plane: [2]
    HolSectionShape shape;
    double size[2];       // rectangle: width, height; circle: radius; tube: radii
    double E, nu, G, rho; // NAN: not given
    double EA, GA, GAy, GAz, GJ, EI, EIy, EIz; // the same
    const double *matrix;                      // 6 x 6 (plane 3 x 3), NULL: by the entries
    double mass_per_length;                    // NAN: from the section
    double rotary[3];                          // about x, y, z of the section
    int n_rotary;                              // 0: from the section
    int shear_rigid;
    int consistent; // mass of the cubic field between nodes, not lumped at them
    double damping_time, damping_mass;
} HolBeamDef;

void hol_beam_def_make(HolBeamDef *d); // the defaults

// A section: compliance (forces, moments), mass and rotary inertia per length.
typedef struct HolBeamSection {
    double C[36];
    double mass, rotary[3];
    double per_area, edge[2]; // 1/A and z/Iy, y/Iz at the edges, for stresses; 0: unknown
} HolBeamSection;

// 0 after a problem
int hol_beam_section(const HolModel *m, const HolBeamDef *d, HolBeamSection *out, HolError *err);

// frames of the n+1 nodes (planar: r, angle and its cosine) and the length along the curve
int hol_beam_curve(const HolModel *m, const HolBeamDef *d, int n, HolFrame *nodes, double *length,
                   HolError *err);

// of node i of n elements, times their length: Gregory's weights; 1, and 1/2 at the ends
double hol_beam_weight(int i, int n);
double hol_beam_half(int i, int n);

// nodes NAME.node0 .., joints at clamped ends, elements
HolStatus hol_add_beam(HolModel *m, const HolBeamDef *def, HolError *err);

#endif
