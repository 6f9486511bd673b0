// SPDX-License-Identifier: Apache-2.0
// Elements of a problem that have modes, and its events (docs/theory/events.md). While the modes stay,
// the motion is smooth; they change at located events only.
//
// A support is a row that may be open or closed (a stop, a rigid contact): gap g >= 0, force
// N = -lambda >= 0 of its row. A grip is a row of a sliding speed that is free, sticks (the row is
// held, its force T = -lambda) or slips (friction as an applied force, by the sign of the speed).
// A watch is a function of the state that is positive while its mode holds, or an event of the user.
#ifndef HOL_PROBLEM_NONSMOOTH_H
#define HOL_PROBLEM_NONSMOOTH_H

#include "holonom/problem.h"

enum { HOL_OPEN = 0, HOL_CLOSED = 1 };              // supports
enum { HOL_FREE = 0, HOL_STICK = 1, HOL_SLIP = 2 }; // grips; slip: +2 or -2, the sign of the speed
enum { HOL_SHARED = 3 }; // as a state that is shown: sticks, and shares its load with others

// A support that is a piece of an outline (a side or corner of a polyline) counts only between its two
// ends, where its reaches are positive.
typedef struct HolPiece {
    int outline; // pieces of one contact have the same number
    int next[2]; // the support that takes over beyond an end, with the same normal there; -1: none
    int ends[2]; // 1: while it is closed the end may be reached; 0: something else is met before
    double slack[2]; // so far beyond an end it still counts: less than anyone can see
    double depth;    // what is deeper behind it is behind something else
} HolPiece;

typedef struct HolSupport {
    const char *name;      // of the joint or contact
    int row;               // among the constraints
    double restitution;    // u+ = -e u-
    int grip;              // its friction, -1: none
    int rub;               // friction of the coordinate that it stops, -1: none
    const HolPiece *piece; // NULL: it has no ends
} HolSupport;

typedef struct HolGrip {
    const char *name;
    int row, rows;    // among the constraints; 1, in space up to 3
    int support;      // the contact it belongs to, -1: a joint
    int driven;       // 1: a drive gives its speed, so that it never sticks
    double friction;  // kinetic, for impacts
    int smooth_start; // 1: the force does not jump at break-away
} HolGrip;

// A compliant contact: its touch and separation stand in the table of events.
typedef struct HolPad {
    const char *name;
} HolPad;
typedef struct HolPadState {
    double gap, rate, force;
} HolPadState;

typedef enum HolWatchKind {
    HOL_WATCH_GAP,   // of a support that is open
    HOL_WATCH_FORCE, // N of one that is closed
    HOL_WATCH_SLIP,  // speed of a grip times the sign of its mode
    HOL_WATCH_CONE,  // capacity - |T| of one that sticks
    HOL_WATCH_REACH, // how far a piece that is closed is from its end `side`
    HOL_WATCH_EVENT  // the user's
} HolWatchKind;

typedef struct HolWatch {
    HolWatchKind kind;
    int of;        // support, grip or event
    int side;      // cone of one row: +1, -1: capacity - side T; reach: the end 0, 1
    int reactions; // 1: depends on accelerations or reactions
} HolWatch;

typedef struct HolEventInfo {
    const char *name;
    int direction; // +1 rising, -1 falling, 0 both
    int stop;      // 1: the run ends there
    long count;    // fires so often, 0: always
    double every;  // > 0: at start + k every, in place of a function
    int changes;   // 1: sets or resets something
    int jumps;     // 1: resets velocities
} HolEventInfo;

// parts of the impulse of a joint (force on its second body and torque, as the columns of its reaction
// have them), and along the coordinate of a drive or constraint
enum { HOL_IMPULSE_PARTS = 7 };

// a row of G as if it were closed: value, G v + gt at zero velocity, gamma
typedef struct HolClosedRow {
    double value, gt, gamma;
} HolClosedRow;

typedef struct HolNonsmooth {
    int n_supports, n_grips, n_pads, n_watches, n_events;
    int heats; // 1: there is friction, whatever its law
    const HolSupport *supports;
    const HolGrip *grips;
    const HolPad *pads;
    const HolWatch *watches;
    const HolEventInfo *events;
    double rest_length; // gaps are compared with this length
    int (*support_mode)(const HolProblem *p, const void *work, int i);
    int (*grip_mode)(const HolProblem *p, const void *work, int i);
    void (*set_support)(const HolProblem *p, void *work, int i, int mode);
    // stick: the row is held where it is at the point
    void (*set_grip)(const HolProblem *p, void *work, const HolPoint *at, int i, int mode);
    // Row k of a grip that sticks, where other rows hold it: it leaves the equations, its multiplier is
    // zero, so that no rows depend on each other
    void (*set_apart)(const HolProblem *p, void *work, int grip, int k, int apart);
    int (*is_apart)(const HolProblem *p, const void *work, int grip, int k);
    void (*pads_at)(const HolProblem *p, void *work, const HolPoint *at, HolPadState *out);
    // coefficients of row `row` (nv numbers) as if it were closed
    void (*closed_row)(const HolProblem *p, void *work, const HolPoint *at, int row, double *c,
                       HolClosedRow *out);
    // how far a piece is from one of its ends, negative beyond it; it may have only one
    double (*reach)(const HolProblem *p, void *work, const HolPoint *at, int support, int end);
    // values of those watches whose flag is set
    void (*watch)(const HolProblem *p, void *work, const HolPoint *at, const unsigned char *wanted,
                  double *values);
    // Slip of several rows is opposite to w + b, w the sliding velocity. b is tiny and points where a
    // grip at rest begins to slip, so that its force has a direction from the start; zero beyond the speed
    // `until`.
    void (*set_lean)(const HolProblem *p, void *work, int grip, const double *b, double until);
    double (*lean)(const HolProblem *p, const void *work, int grip); // |b|
    // its watch is d.(w + b) - stop from now on, d the direction of w + b at the point; the speed
    // `stop` is returned: at least `least`, and this part of the largest speed since it slips
    double (*aim)(const HolProblem *p, void *work, const HolPoint *at, int grip, double least,
                  double part);
    // behind an accepted step: what depends on the sizes of forces so far; sides: vectors that pass
    // through zero are kinks
    void (*sizes)(const HolProblem *p, void *work, const HolPoint *at, int sides);
    // size of its friction force while it slips
    double (*slip_force)(const HolProblem *p, void *work, const HolPoint *at, int grip);
    // largest friction force of a grip that sticks
    double (*capacity)(const HolProblem *p, void *work, const HolPoint *at, int grip);
    // its force is shared with others of the group (1, 2 ..); 0: it is not
    void (*set_share)(const HolProblem *p, void *work, int grip, int group);
    int (*row_driven)(const HolProblem *p, int row); // 1: a drive stands behind this constraint
    // power that friction takes (not negative, but for what bristles give back)
    double (*heat)(const HolProblem *p, void *work, const HolPoint *at);
    // discrete values, inputs and states that event i sets (0: one is no finite number); new values of velocities that it resets:
    // rows of velocities (c: nv numbers each) and what they become; returns how many, at most `room`
    int (*event_set)(const HolProblem *p, void *work, const HolPoint *at, int i, double *v);
    int (*event_resets)(const HolProblem *p, void *work, const HolPoint *at, int i, int k,
                        double *c,
                        double *value); // reset k of event i; 0: there is none
    // Events whose functions depend on time alone. Part i of event k: its function (-1), or one of its
    // switching functions; their number, -1: it is no such event.
    int (*clock_parts)(const HolProblem *p, int k);
    double (*clock_value)(const HolProblem *p, void *work, int k, int i, double t);
    // bounds from t0 to t1
    void (*clock_bounds)(const HolProblem *p, void *work, int k, int i, double t0, double t1,
                         double *lo, double *hi);
    // the next time behind t at which a step of floor is; INFINITY: none
    double (*clock_knot)(const HolProblem *p, int k, double t);
    // joints, then drives, then constraints: what the multipliers of a jump of velocities, at->lambda,
    // mean for each
    int n_impulses;
    const char *(*impulse_name)(const HolProblem *p, int i);
    void (*impulse)(const HolProblem *p, void *work, const HolPoint *at, int i,
                    double out[HOL_IMPULSE_PARTS]);
} HolNonsmooth;

#endif
