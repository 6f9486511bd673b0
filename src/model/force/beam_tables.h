// SPDX-License-Identifier: Apache-2.0
// The beams of a model: tables, and what other parts of the model ask them.
#ifndef HOL_MODEL_BEAM_TABLES_H
#define HOL_MODEL_BEAM_TABLES_H

#include "holonom/model.h"
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

// ---- body/beam_output.c ----
enum { HOL_NODE_VALUES = 8 }; // N .. Mz, largest and least stress
int hol_beam_find(const HolModel *m, const char *name, size_t length); // index, or -1
// "rod.start", "rod.end", "rod.at(0.5)": body, or -1
int hol_beam_place(const HolModel *m, const char *name);
// "rod.at(0.5).x" -> "rod.node4.x": 1
int hol_beam_canonical(const HolModel *m, const char *name, char *out, size_t size);
int hol_fraction_node(double x, int n); // node at a fraction of n elements, -1: none
int hol_fraction_read(const char *text, double *x, size_t *length); // "0.5)": 1
int hol_beam_deflection_of(const HolModel *m, const char *name, int *beam, int *node);
int hol_beam_of_node(const HolModel *m, int body); // -1: it is none
void hol_beam_node_forces(const HolModel *m, const HolFrame *frames, const double *v, int body,
                          double out[HOL_NODE_VALUES]);
double hol_beam_deflection(const HolModel *m, const HolFrame *frames, int beam, int node);
double hol_beam_strain_energy(const HolModel *m, const HolFrame *frames, int beam);

// ---- force/beam_elements.c ----
int hol_beams_build(HolModel *m); // 0: no memory
void hol_beams_force(const HolModel *m, const HolFrame *frames, const double *v, double *f);
double hol_beam_energy(const HolModel *m, const HolFrame *frames, int element);
double hol_beams_potential(const HolModel *m, const HolFrame *frames);
double hol_beams_power(const HolModel *m, const HolFrame *frames, const double *v);
// K = -df/dq, C = -df/dv of an element by columns, at `places`; 0: C is zero
int hol_beam_tangent(const HolModel *m, const HolFrame *frames, const double *v, int element,
                     double *K, double *C);
void hol_beam_places(const HolModel *m, int element, int places[12]);
size_t hol_beams_series_size(const HolModel *m, int order); // doubles
void hol_beams_series(const HolModel *m, const HolJets *J, double *own, int k, double *rhs);
double hol_beams_series_work(const HolModel *m, const HolJets *J, const double *own, int k,
                             double h);

#endif
