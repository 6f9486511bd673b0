// SPDX-License-Identifier: Apache-2.0
// Contacts among many bodies (docs/theory/contact.md, section 20): circles or spheres that all may touch
// each other, and lines or planes. Pairs that are near are found by cells (crowd_grid.c) at every
// position anew, so that forces depend on the state alone. Compliant; no series, no derivatives.
#ifndef HOL_MODEL_CROWD_H
#define HOL_MODEL_CROWD_H

#include "model/contact/contact.h"

enum { HOL_CROWD_LEVELS = 16 }; // sizes of cells, a factor of two apart
enum { HOL_CROWD_LOCATED = 8 }; // pairs that touch in a step: up to so many are located

typedef struct HolCrowdBall {
    int body, level, before; // before: of the same body, -1: none
    double at[3], radius, mass;
} HolCrowdBall;

typedef struct HolCrowdWall {
    int body;
    double at[3], normal[3], mass; // mass: 0 of the ground
} HolCrowdWall;

typedef struct HolCrowd {
    const char *name;
    const HolContactDef *def;
    HolCrowdBall *balls;
    HolCrowdWall *walls;
    int n, n_walls;
    double cell[HOL_CROWD_LEVELS]; // size, 0: no ball
    double least;                  // radius
    int table;                     // entries of the hash table, a power of two
    double k, n_law;               // F = k d^n ..; k = 0: by Hertz
    double modulus;                // E*
    double a;                      // given damping
    double e, z;                   // z > 0: from the restitution e, (51)
    double top;                    // h(0), see crowd_law.c
    size_t work;                   // where its part of the work begins, doubles
} HolCrowd;

// the part of a run, at a position and velocity
typedef struct HolCrowdWork {
    double *x, *v, *w, *f, *t; // place, velocity, angular velocity, force and torque of each ball
    long *cell;                // its cell
    int *next, *head;          // chains of balls in a cell
} HolCrowdWork;

// ---- crowd_law.c ----
typedef struct HolCrowdForce {
    double F, potential, damping; // force, k d^(n+1)/(n+1), power that the damping takes
} HolCrowdForce;
// at the depth d > 0 that grows at `rate`; R: of Hertz, mass: effective
HolCrowdForce hol_crowd_law(const HolCrowd *c, double R, double mass, double d, double rate);
double hol_crowd_top(double z);

// ---- crowd_grid.c ----
HolCrowdWork hol_crowd_work(const HolCrowd *c, void *memory);
size_t hol_crowd_work_size(const HolCrowd *c); // doubles
void hol_crowd_levels(HolCrowd *c);            // cells by radii
void hol_crowd_sort(const HolCrowd *c, HolCrowdWork *w);
// every pair whose gap is below `margin`, once; margin at most half of the least radius
typedef void (*HolCrowdVisit)(void *context, int i, int j);
void hol_crowd_pairs(const HolCrowd *c, const HolCrowdWork *w, int plane, double margin,
                     HolCrowdVisit visit, void *context);

// ---- crowd_force.c: of all crowds of a model, at the position and velocity that the work holds ----
size_t hol_crowds_work_size(const HolModel *m); // bytes
void hol_crowds_force(const HolModel *m, HolModelWork *w, const double *v, double *f);
typedef struct HolCrowdSums {
    double potential, power, heat; // power: of damping and friction; heat: what friction takes
    long touching;
} HolCrowdSums;
HolCrowdSums hol_crowds_sums(const HolModel *m, HolModelWork *w, const double *v); // v may be NULL
void hol_crowds_functions(HolModel *m);

#endif
