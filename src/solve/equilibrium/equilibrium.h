// SPDX-License-Identifier: Apache-2.0
// Static equilibrium at a fixed time, shared by its files (docs/equilibrium.md):
//   f(t, q, 0, w) - G^T lambda = 0,   g(q, t) = 0,   w = W(t, q, 0, 0, lambda, w)
// First-order states z (velocities of hidden coordinates) are unknowns, with their rates zero.
// equilibrium.c: from one position to an equilibrium; equilibrium_start.c: other positions to begin
// with; equilibrium_stability.c: what an equilibrium is; equilibrium_list.c: all that were found.
#ifndef HOL_SOLVE_EQUILIBRIUM_H
#define HOL_SOLVE_EQUILIBRIUM_H

#include "holonom/equilibrium.h"
#include "solve/sim.h"

// A position with what balances there.
typedef struct HolRest {
    double *q, *lambda, *w; // nq, m, nw
    double *v;              // nv: zero, but for first-order states
    double *f, *r, *a;      // nv: forces; r = f - G^T lambda = M a, what is not balanced
    double size;            // sqrt(a . r): r in the metric of the masses
    double worst;           // largest |r_i| in units of energy (times the size of coordinate i)
    double energy;          // potential; NAN: none is known
    double forces;          // largest |f_i|, in units of energy
    char *work;             // workspace of the problem there: it counts turns of angles
} HolRest;

typedef struct HolStatics {
    HolSim *s;
    HolArena arena;
    double t;
    HolKkt *kkt;             // [K + shift M, G^T; G 0]
    double *K, *M;           // values in pattern S
    double *d, *y;           // nv + m + nw: step; scratch
    double *q;               // nq: scratch
    double *step;            // nv: a step as it was taken, from the tangent space
    double *zero;            // nv zeros, the velocities
    double *heading;         // nv + m + nw: direction of random positions
    double *way;             // nv: all steps of a search
    HolRest next;            // where a step leads
    double *border;          // Jacobians of algebraic variables that no block of the matrix takes
    double extent;           // what the bodies span
    double stiffness;        // largest entry of K, in units of energy
    double rate;             // largest |K_ii| / M_ii [1/s^2]
    double *load;            // nv: force that holds the mechanism where load steps begin, or NULL
    double held;             // part of it that acts
    int with_energy;         // all forces have a potential: energies are compared
    long iterations, solves; // work so far
    long most_solves;        // where searches end; 0: nowhere
    unsigned long long random;
    const HolEquilibriumOptions *o;
    int start, starts; // for the progress
    char why[512];     // why there is none, where that is known
} HolStatics;

// ---- equilibrium.c ----
// takes the arena over, also where it fails
HolStatus hol_statics_create(HolStatics *e, HolSim *s, HolArena arena, HolError *err);
void hol_statics_destroy(HolStatics *e);
int hol_rest_alloc(HolStatics *e, HolRest *x);
void hol_rest_copy(const HolStatics *e, HolRest *to, const HolRest *from); // without `work`
// turns of angles as they are counted now, kept with x; counted on from x
void hol_rest_save(const HolStatics *e, HolRest *x);
void hol_rest_resume(const HolStatics *e, const HolRest *x);
// forces, reactions and what is not balanced at x->q, which meets the constraints; factored: s->mass
// holds M, G there
HolStatus hol_statics_balance(HolStatics *e, HolRest *x, int factored, HolError *err);
// K at x, and the scales that follow from it
void hol_statics_tangent(HolStatics *e, const HolRest *x);
// K + shift M with G at x factored; 0: singular. Call hol_statics_tangent before
int hol_statics_factor(HolStatics *e, const HolRest *x, double shift);
// From x to an equilibrium in its place. descend: by falling energy (HOL_ERR_CONVERGE: there seems
// to be none, e->why says what moves on and on); else by plain Newton steps to any nearby.
HolStatus hol_statics_solve(HolStatics *e, HolRest *x, int descend, HolError *err);
// to = x moved by so much of d (nv) and brought back onto the constraints; balanced there
HolStatus hol_statics_move(HolStatics *e, const HolRest *x, const double *d, double part,
                           HolRest *to, HolError *err);
// largest displacement in d over the sizes of the model, and the largest rotation
void hol_statics_sizes(const HolStatics *e, const double *d, double *moved, double *turned);
// 1: x is balanced to round-off, as far as can be told
int hol_statics_at_rest(const HolStatics *e, const HolRest *x);

// ---- equilibrium_start.c ----
// q at the time e->t to another time, as the drives lead it
HolStatus hol_statics_follow(HolStatics *e, double to, double *q, HolError *err);
// the same as hol_statics_solve by load steps: the force that is missing at x is added and taken away
HolStatus hol_statics_load_steps(HolStatics *e, HolRest *x, HolError *err);
// a position some way from x, in a random direction (turn), or on in the last one
HolStatus hol_statics_wander(HolStatics *e, const HolRest *x, int turn, HolRest *to, HolError *err);
double hol_statics_random(HolStatics *e); // -1 .. 1

// ---- equilibrium_stability.c ----
typedef struct HolDirections {
    int unstable, neutral;
    double *shape[2];   // of the first unstable, of the first neutral direction (nv), or NULL
    char text[2][1024]; // unstable, neutral: a line each
} HolDirections;
HolStatus hol_statics_stability(HolStatics *e, const HolRest *x, HolDirections *out, HolError *err);

// ---- equilibrium_list.c ----
// the run begins at the equilibrium nearest to its assembled position, a stable one if there is any
HolStatus hol_start_at_equilibrium(HolSim *s, HolError *err);

#endif
