// SPDX-License-Identifier: Apache-2.0
// Friction that sticks where rows depend on each other: forces that equilibrium leaves open (share.c,
// share_forces.c).
#ifndef HOL_SOLVE_EVENT_SHARE_H
#define HOL_SOLVE_EVENT_SHARE_H

#include "math/minimax.h"
#include "solve/event/event.h"

enum { HOL_SHARE_MOST = 24 }; // forces that equilibrium leaves open; more stay as they are

// a force over what it may be, along a direction: a function of the linear program
typedef struct HolShareForce {
    int grip; // -1: of a support
    int row;  // its first one
    int rows;
    double d[3];
    int fixed;
} HolShareForce;

typedef struct HolShare {
    HolKkt *kkt; // of the joints alone
    int active;  // in the present modes, some rows that stick depend on others
    int n;       // rows that stick
    int *row, *grip;
    unsigned char *inactive; // m
    unsigned char *closed;   // m: rows of closed contacts that depend on others
    int n_closed;            // of them
    unsigned char *driven;   // grips: joints and drives give its speed
    unsigned char *apart;    // grips x 3: rows that others hold
    double *size;            // n: W of the row if bodies were free
    double *pivots;          // n x n
    int *order, rank;        // n: independent ones first
    int k;                   // what is left open
    double *basis;           // k x m: G^T of each is zero
    int *group, *old_group;  // grips: which share; 0: it is determined
    // the linear program
    HolShareForce *force;
    int n_forces, room;
    double *capacity;       // grips
    double *a, *b, *reduce; // functions x k, functions, k x k
    double *rows, *values;  // the live ones of them
    double *z, *u, *weight, *work, *lambda;
    unsigned char *hard;
    int *live, *columns;
    // the last program and its answer: what rests is asked for the same again and again
    int known;
    double *asked, *answer; // multipliers, basis, capacities; multipliers
} HolShare;

int hol_share_create(HolSim *s); // 0: no memory
// rows of contacts that stick and depend on others, in the modes that are set: these hold them
void hol_share_set_apart(HolSim *s);
int hol_share_apart(const HolSim *s); // how many
// velocities of s->x onto all rows that stick
HolStatus hol_share_hold(HolSim *s, HolError *err);
// Which grips that stick share, in the modes tried last; forces of s->x are divided
void hol_share_find(HolSim *s);
// y (nv + m), a force on the velocities: accelerations and multipliers of what is closed at x; 0: singular
int hol_share_answer_at(HolSim *s, const HolState *x, double *y);
double hol_share_size(const HolShare *h, int grip); // acceleration by a unit force, bodies free
// the basis of what is open at x is known: its forces
void hol_share_forces(HolSim *s, HolState *x);
// rows of closed contacts that depend on others, in the present modes
void hol_share_find_closed(HolSim *s);
// grips whose speed a drive gives by way of other joints; once more rows are closed, more
void hol_share_find_driven(HolSim *s);

#endif
