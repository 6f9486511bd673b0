// SPDX-License-Identifier: Apache-2.0
// Primitive rows: the few scalar functions of two bodies from which every joint, force, motion and
// expression is made (docs/theory/rows.md, section 4). A row gives
//     value   sigma(q)                         (velocity rows have none)
//     coef    beta(q) with sigma' = beta . v   (beta = gradient along increments)
//     dcoef   D = d beta / d q                 (used as lambda * D in stiffness matrices)
//     gamma   v^T D v, so that sigma'' = beta . a + gamma
//     jets    Taylor coefficients of value and coef along the motion
// Everything else (joints, springs, drives, outputs) is assembled from these.
//
// Velocity coordinates: plane (x', y', theta'); space (r', omega in body axes); body a first.
// Ground is body 0; its frame is the identity and its columns are dropped by the caller.
#ifndef HOL_MODEL_ROW_H
#define HOL_MODEL_ROW_H

#include <stddef.h>

// frame of a body at one instant
typedef struct HolFrame {
    double r[3]; // centre of mass; scalar coordinate: its value in r[0]
    union {
        double p[4]; // quaternion (space)
        struct {     // plane: cosine, sine, unwrapped angle; where p is the identity that of 0
            double c, s, unused, angle;
        };
    };
    double A[9]; // rotation body -> global, row-major (space)
} HolFrame;      // two lines of the cache, in the plane the first

// Taylor coefficients of all frames. Four bodies lie side by side: order j of a series of bodies
// 4g .. 4g+3 is a group of four numbers. All of one order lie together, `slab` from the next: first
// the leading three series group by group, then those of rotation, which products of series need.
// plane: x y theta | rate (k theta_k) c s moments(2);  space: r(3) | p(4) A(9) omega(3) moments(9)
typedef struct HolJets {
    double *leading, *turning; // order 0
    long slab;                 // groups of four from one order to the next
    int series;                // per body
    int stride;                // orders per series of a row (those lie one after the other)
    int order;                 // highest k of a_k
} HolJets;

enum { HOL_JET_GROUP = 4 }; // bodies side by side
enum { HOL_SERIES_PLANE = 8, HOL_SERIES_SPACE = 28, HOL_LEADING = 3 };
// plane
enum { HOL_S_X, HOL_S_Y, HOL_S_THETA, HOL_S_RATE, HOL_S_COS, HOL_S_SIN, HOL_S_MOMENT };
// space
enum { HOL_S_R = 0, HOL_S_P = 3, HOL_S_A = 7, HOL_S_OMEGA = 16, HOL_S_MOMENTS = 19 };

// order j of a series of one body
static inline double *hol_jet(const HolJets *J, int body, int series, int j) {
    long group = (unsigned)body / HOL_JET_GROUP, lane = (unsigned)body % HOL_JET_GROUP,
         at = j * J->slab;
    if (series < HOL_LEADING)
        return J->leading + (at + group * HOL_LEADING + series) * HOL_JET_GROUP + lane;
    at += group * (J->series - HOL_LEADING) + series - HOL_LEADING;
    return J->turning + at * HOL_JET_GROUP + lane;
}

typedef struct HolRowKind HolRowKind;
struct HolCurve;

typedef struct HolRow {
    const HolRowKind *kind;
    int a, b;            // bodies
    int fixed_a;         // a is ground (its frame never moves)
    double sa[3], sb[3]; // points, body axes
    double ua[3], ub[3]; // vectors, body axes (or global where the kind says so)
    double wa[3];        // second vector of a (angle rows)
    double c;            // constant of the kind (length ...)
    int memory;          // offset of its unwrapping memory in the work (angle rows), -1: none
    unsigned char mask[2],
        vary[2]; // entries of beta that can be nonzero, and those that move (sides a, b)
    long jet;    // first of its series in the jet memory: own, value, coefficients
    const struct HolCurve *curve; // rows along a curve
    int more;                     // own series besides those of its kind
} HolRow;

// D as four blocks: D[side of beta][side of increment][6][6]
typedef double HolRowDerivative[2][2][6][6];

// jets of rows four at a time (model/batch/batch.h): single rows, all rows between two points
struct HolRowBatch;
extern const struct HolRowBatch hol_batch_row2, hol_batch_row3, hol_batch_dot3;
extern const struct HolRowBatch hol_batch_point2, hol_batch_point3;

struct HolRowKind {
    const char *name;
    int holonomic; // has a value
    double (*value)(const HolRow *row, const HolFrame *a, const HolFrame *b, const double *memory);
    void (*coef)(const HolRow *row, const HolFrame *a, const HolFrame *b, double *ca, double *cb);
    // D += s * dbeta/dq
    void (*dcoef)(const HolRow *row, const HolFrame *a, const HolFrame *b, double s,
                  HolRowDerivative D);
    double (*gamma)(const HolRow *row, const HolFrame *a, const HolFrame *b, const double *va,
                    const double *vb);
    // series: own ones the row needs (besides those for its coefficients)
    int series;
    // refresh own series at order j from the bodies' series; then value and coefficients of order j
    double (*jet_value)(const HolRow *row, const HolJets *J, double *own, int j);
    void (*jet_coef)(const HolRow *row, const HolJets *J, double *own, int j, double *ca,
                     double *cb);
    // entries of beta that may be nonzero (bit i) and those that vary with q
    void (*mask)(const HolRow *row, unsigned *a, unsigned *b, unsigned *vary_a, unsigned *vary_b);
    // optional: plain equations of this kind four at once (batch_series.c)
    const struct HolRowBatch *batch;
    int stored; // 1 + the own series that holds the value once jet_coef has run; 0: none
};

// plane
extern const HolRowKind hol_row_point2;  // ua (global axis) . (P_b - P_a)
extern const HolRowKind hol_row_line2;   // (A_a ua) . (P_b - P_a)
extern const HolRowKind hol_row_length2; // |P_b - P_a|
extern const HolRowKind hol_row_square2; // (|P_b - P_a|^2 - c^2) / (2 c)
extern const HolRowKind hol_row_angle2;  // theta_b - theta_a + c
extern const HolRowKind
    hol_row_push2; // velocity row: (A_b ub) . velocity of P_b (force in body axes)
extern const HolRowKind hol_row_slide2; // velocity rows of contacts: sliding speed of a circle of
extern const HolRowKind hol_row_rub2;   // b on a line of a; on a circle of a (row_slide.c)
extern const HolRowKind hol_row_coordinate; // scalar coordinate of b
extern const HolRowKind hol_row_near2; // distance of a point of b from a curve of a (row_curve.c)
extern const HolRowKind hol_row_face2; // distance of a straight face of b from it
extern const HolRowKind hol_row_skid2, hol_row_wipe2; // velocity rows: sliding speeds of these
// where the curve is met, and how many series more than those of their kind such rows need
double hol_row_meet(const HolRow *row, const HolFrame *a, const HolFrame *b);
int hol_row_curve_series(const struct HolCurve *c);
// space
extern const HolRowKind hol_row_point3; // ua (global axis) . (P_b - P_a)
extern const HolRowKind hol_row_dot3;   // (A_a ua) . (A_b ub)
extern const HolRowKind hol_row_line3;  // (A_a ua) . (P_b - P_a)
extern const HolRowKind hol_row_length3;
extern const HolRowKind hol_row_square3;
extern const HolRowKind hol_row_angle3; // atan2((A_a wa).(A_b ub), (A_a ua).(A_b ub)), unwrapped
extern const HolRowKind
    hol_row_rotation3; // along ua (axes of a): rotation vector of A_a^T A_b exp(wa)^T
extern const HolRowKind hol_row_push3; // velocity row: (A_b ub) . velocity of P_b
extern const HolRowKind
    hol_row_turn3; // velocity row: (global axis ua) . omega_b (torque in global axes)
extern const HolRowKind
    hol_row_spin3; // velocity row: ub . omega_b, body axes (torque in body axes)
extern const HolRowKind hol_row_quaternion; // component (int)c of the quaternion of b
extern const HolRowKind
    hol_row_roll3; // velocity row of a rolling disc: slip along the global direction wa
extern const HolRowKind
    hol_row_slide3;                   // velocity rows of contacts: velocity of a sphere of b where
extern const HolRowKind hol_row_rub3; // it touches a plane, a sphere of a (row_slide_spatial.c)
extern const HolRowKind hol_row_touch3; // height of a rolling disc's lowest point over the plane

// every kind of the plane and of space, NULL-terminated; a new kind is listed here
extern const HolRowKind *const hol_row_kinds_plane[];
extern const HolRowKind *const hol_row_kinds_space[];

// sum_{i=0..k} a_i b_{k-i}
static inline double hol_conv(const double *a, const double *b, int k) {
    double s = 0;
    for (int i = 0; i <= k; i++)
        s += a[i] * b[k - i];
    return s;
}

#endif
