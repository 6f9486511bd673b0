// SPDX-License-Identifier: Apache-2.0
// The doctor from inside (docs/doctor.md). Bodies are nodes of a graph, joints between two bodies are
// its edges; a drive belongs to the edge of its joint.
//
// Wrenches and twists at one configuration, about a reference point of the loop, with its length L:
//     w = (f, m / L)        what a constraint row transmits from body a to body b
//     t = (v, L omega)      relative motion of b against a;  the row forbids  w . t
// In the plane both have three numbers, in space six (D). An edge with rows W (k x D) has the freedoms
// F = null(W). Around a loop the freedoms must add up to nothing, so
//     [F_1 F_2 .. F_n] s = 0,   mobility = sum f_i - rank,   redundancy = D - rank,
// and a state of self-stress is one wrench w, carried by all joints of the loop, with w . F_i = 0.
#ifndef HOL_TOOLS_DOCTOR_H
#define HOL_TOOLS_DOCTOR_H

#include "holonom/doctor.h"
#include "math/vec.h"
#include "model/model.h"
#include "solve/sim.h"

enum { DOCTOR_ROWS = 16, DOCTOR_D = 6 };

// tuning
static const double DOCTOR_DEPENDENT = 1e-9; // singular value of a dependent direction
static const double DOCTOR_PART = 1e-7;      // part of a self-stress that counts

typedef struct DoctorEdge {
    int joint, a, b;                // bodies, 0: ground
    int rows[DOCTOR_ROWS], n_rows;  // equations: the joint's own, then its drives
    int n_own;                      // the joint's own among them
    int stressed;                   // 1: it takes part in a dependent set
    int used;                       // 1: something in the model uses its coordinate
    const struct DoctorLoop *later; // the last redundant loop that it is in
} DoctorEdge;

// places of all bodies at one configuration, and the rows of G there
typedef struct DoctorPose {
    const double *q;
    Vec3 *r;
    Mat3 *A;
    double *G;
} DoctorPose;

typedef struct DoctorLoop {
    int *edges, n; // edges[0] closed the loop
    int *sign;     // +1: the edge is walked from a to b
    Vec3 ref;
    double L;
    Vec3 E[3];                              // axes in which rows are named
    int d, d_near;                          // redundancies here, nearby
    double stress[DOCTOR_D][DOCTOR_D];      // d wrenches about ref
    double near_stress[DOCTOR_D][DOCTOR_D]; // d_near of them nearby
    int mobility;                           // without drives
    double distance;                        // see HolDiagnosis.singular_distance
    int across;                             // 1: no loop, but joints of several ones
    HolDoctorLoop out;
    HolDoctorSet **sets;
    int n_sets, cap_sets;
    HolDoctorChange **changes;
    int n_changes, cap_changes;
} DoctorLoop;

typedef struct Doctor {
    HolArena arena; // of the diagnosis
    const HolModel *m;
    HolSimOptions options;
    HolSim *sim;
    HolCheck check;
    int D;
    DoctorEdge *edges;
    int n_edges;
    int *edge_of; // equation -> edge, -1: none
    DoctorPose here, near;
    int has_near;
    int *order, n_order; // edges from the ground outwards
    DoctorLoop **loops;
    int n_loops, cap_loops;
    double (*room)[DOCTOR_D]; // for the freedoms of the longest loop, and a few more
    unsigned char *removed;   // equations: one of every dependent set
    const HolRemark **warnings;
    int n_warnings, cap_warnings;
    const char **motions;
    int n_motions, cap_motions;
    HolDiagnosis out;
} Doctor;

// ---- doctor_pose.c ----
int hol_doctor_pose(Doctor *d, const double *q, DoctorPose *pose); // 0: no memory
Vec3 hol_doctor_place(const Doctor *d, const DoctorPose *p, const DoctorEdge *e);
Vec3 hol_doctor_axis(const Doctor *d, const DoctorPose *p, const DoctorEdge *e); // zero: none
// wrench of an equation of an edge about a point
void hol_doctor_wrench(const Doctor *d, const DoctorPose *p, const DoctorEdge *e, int row,
                       Vec3 about, double L, double w[DOCTOR_D]);
void hol_doctor_pack(const Doctor *d, Vec3 f, Vec3 m, double L, double w[DOCTOR_D]);
void hol_doctor_unpack(const Doctor *d, const double w[DOCTOR_D], double L, Vec3 *f, Vec3 *m);

// ---- doctor_algebra.c: vectors of D numbers ----
// orthonormal basis of the span of n vectors (at most D of them); returns their number
int hol_doctor_span(int D, double (*x)[DOCTOR_D], int n, double tol, double (*out)[DOCTOR_D]);
// orthonormal basis of what is perpendicular to k orthonormal vectors; D - k of them
void hol_doctor_complement(int D, double (*x)[DOCTOR_D], int k, double (*out)[DOCTOR_D]);
// singular values (descending) and right singular vectors of n vectors, which are overwritten
void hol_doctor_svd(int D, double (*x)[DOCTOR_D], long n, double s[DOCTOR_D],
                    double v[DOCTOR_D][DOCTOR_D]);
// y: coefficients of n vectors b whose sum is nearest to w, n <= DOCTOR_ROWS
void hol_doctor_fit(int D, double (*b)[DOCTOR_D], int n, const double *w, double *y);
double hol_doctor_determinant(int n, double *a); // n x n, overwritten

// ---- doctor_graph.c: edges, loops; 0: no memory ----
int hol_doctor_graph(Doctor *d);

// ---- doctor_loops.c ----
int hol_doctor_loops(Doctor *d);
// freedoms of an edge about a point, orthonormal; returns their number. own: without drives
int hol_doctor_freedoms(const Doctor *d, const DoctorPose *p, const DoctorEdge *e, int own,
                        Vec3 about, double L, double (*out)[DOCTOR_D]);

// ---- doctor_names.c ----
typedef struct DoctorBasis { // rows of an edge with names, about its place
    int n;
    double w[DOCTOR_ROWS][DOCTOR_D];
    char name[DOCTOR_ROWS][80];
    const char *owner[DOCTOR_ROWS];
} DoctorBasis;
void hol_doctor_basis(const Doctor *d, const DoctorPose *p, const DoctorEdge *e, const Vec3 E[3],
                      double L, DoctorBasis *out);
void hol_doctor_direction(Vec3 u, char *out, size_t size); // "x" or "(0.6, 0, 0.8)"
// name of an equation
void hol_doctor_row_name(const Doctor *d, int equation, char *out, size_t size);
// "A, B and C"; more than `most` are counted
const char *hol_doctor_list(HolArena *a, const char *const *names, int n, int most,
                            const char *others);
// translations and rotations that an edge holds, as orthonormal directions; 0: its rows are of
// another kind
int hol_doctor_holds(const Doctor *d, const DoctorPose *p, const DoctorEdge *e, Vec3 T[3], int *nT,
                     Vec3 M[3], int *nM);

// ---- doctor_sets.c: dependent sets ----
int hol_doctor_sets(Doctor *d);
// a sentence in the arena
const char *hol_doctor_say(HolArena *a, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// ---- doctor_variant.c: the model with changes ----
typedef struct DoctorChange {
    int joint;                   // or -1
    const char *name;            // joint < 0: the motion or constraint that is left out
    const char *to;              // kind; NULL: left out
    int placed;                  // 1: axes and place below replace those of the joint
    double axis[2][3], at[2][3]; // in the axes of its bodies
} DoctorChange;
HolStatus hol_doctor_variant(const Doctor *d, const DoctorChange *changes, int n, HolModel **out,
                             HolError *err);
// dof, redundant and whether the first accelerations are the same; 0: it cannot be assembled
int hol_doctor_try(const Doctor *d, const DoctorChange *changes, int n, int *dof, int *redundant,
                   int *same);
// place and axes (of the first and of the second body) as they are at the start
void hol_doctor_place_joint(const Doctor *d, const DoctorEdge *e, Vec3 at, Vec3 za, Vec3 zb,
                            DoctorChange *c);

// ---- doctor_options.c: what a joint can be replaced by ----
typedef struct DoctorOption {
    int edge;                         // -1: what `change` leaves out
    int freed;                        // freedoms that it adds
    double twist[DOCTOR_D][DOCTOR_D]; // those, about the joint's place
    double cost;                      // the lower, the more usual
    int has_axis;
    double axis[3]; // of the new kind, global at the start
    DoctorChange change;
} DoctorOption;
enum { DOCTOR_OPTIONS = 24 };
int hol_doctor_options(const Doctor *d, const DoctorPose *p, int edge, const DoctorLoop *loop,
                       DoctorOption out[DOCTOR_OPTIONS]);

// ---- doctor_cure.c, doctor_apply.c ----
int hol_doctor_cures(Doctor *d);
// the cheapest changes of joints of a loop that take its redundancy and leave its motion (locked: make
// it move); returns their number. room: for the options of DOCTOR_EDGES joints, as many as are
// considered
enum { DOCTOR_CHANGES = 8, DOCTOR_EDGES = 12 };
int hol_doctor_cure(Doctor *d, DoctorLoop *loop, int off, DoctorOption (*room)[DOCTOR_OPTIONS],
                    DoctorOption out[DOCTOR_CHANGES]);
// ---- doctor_lock.c: joint that is out of line, -1: none ----
int hol_doctor_lock(Doctor *d, DoctorLoop *loop);
// ---- doctor_motions.c ----
int hol_doctor_motions(Doctor *d);
// ---- doctor_data.c, doctor_drives.c ----
void hol_doctor_warn(Doctor *d, const char *kind, const char *name, int line, int column,
                     const char *format, ...) __attribute__((format(printf, 6, 7)));
void hol_doctor_data(Doctor *d);
void hol_doctor_drives(Doctor *d);

#endif
