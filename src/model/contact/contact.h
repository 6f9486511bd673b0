// SPDX-License-Identifier: Apache-2.0
// Contacts between bodies: what was written, and what compile made of it (docs/theory/contact.md, section 20).
#ifndef HOL_MODEL_CONTACT_H
#define HOL_MODEL_CONTACT_H

#include "model/model.h"

typedef enum HolContactShape {
    HOL_SHAPE_NONE,
    HOL_SHAPE_POINT,
    HOL_SHAPE_CIRCLE,
    HOL_SHAPE_SPHERE,
    HOL_SHAPE_LINE,
    HOL_SHAPE_PLANE,
    HOL_SHAPE_CORNERS,
    HOL_SHAPE_POLYLINE,
    HOL_SHAPE_CURVE,
    HOL_SHAPE_FLAT,
    HOL_SHAPE_CYLINDER,
    HOL_SHAPES
} HolContactShape;

// one of the two bodies and its shape
typedef struct HolContactSide {
    HolRef
        place; // its axis: the normal of a line, plane or flat, out of the material; of a cylinder
    HolContactShape shape;
    double radius;
    double edges[3];      // corners
    double length;        // cylinder
    const double *points; // polyline: x, y of each
    int n_points;
    const char *curve;
} HolContactSide;

typedef struct HolContactDef {
    const char *name;
    HolContactSide side[2];
    double stiffness;   // NAN: not given; 0: rigid
    double hertz[4];    // E1, nu1, E2, nu2; E1 = 0: not given
    double exponent;    // NAN: 1.5
    double restitution; // NAN: 0 for rigid, 1 for compliant
    double dissipation; // NAN: from the restitution [s/m]
    HolFrictionDef friction;
    int line, column;
    // in place of the two sides: circles or spheres of bodies whose names may hold `*`, which all may
    // touch each other and the lines or planes
    const HolContactSide *members, *walls;
    int n_members, n_walls;
} HolContactDef;

// A pair of features that may touch. First the body with the line or plane, or the circle (sphere)
// that holds the other one; second the round one.
typedef struct HolContact {
    const char *name;
    const HolContactDef *def;
    HolAttach a, b;
    int flat; // 1: the first is a line or plane with the normal a.axis
    int rim;  // 1: the second is a rim about the axis b.axis, the first a plane of the ground
    // the first is this curve (or NULL), the second lies on this side of it; facing: it is a flat
    const struct HolCurve *curve;
    double side;
    int facing;
    double ra, rb; // radii
    int inside;    // 1: the second lies inside the first
    int row;       // gap = sign * its value + constant
    double sign, constant;
    int slip[3]; // rows of the sliding velocity; n_slip of them, speed = slip_sign * rate
    int n_slip;
    double slip_sign;
    double k, n;              // compliant: F = k d^n (1 + a d')
    double z;                 // a = z / speed of touch; NAN: a is constant
    int damping;              // GIVEN: a
    int last_gap, last_speed; // GIVEN, with z: gap and speed of approach at the last accepted state
    int last_time;            // .. and when that was
    int state;                // rigid: GIVEN, the column of this name
    // a piece of a polyline: touches only where from[i] <= value of its row < to[i], and not deeper
    int range[2]; // rows, -1: none
    double from[2], to[2], depth;
    int hidden;                 // 1: no columns of its own: a piece
    const HolExpr *measures[6]; // gap, speed, slip, force, friction, state
} HolContact;

// a copy is kept; the name must be free
HolStatus hol_add_contact(HolModel *m, const HolContactDef *def, HolError *err);
// rows, elements and modes of all contacts, once joints stand; 0: problems were added
int hol_contacts_build(HolModel *m, HolError *err);
// contact_law.c: of one pair
int hol_contact_compliant(HolModel *m, HolContact *c, HolError *err);
int hol_contact_rigid(HolModel *m, HolContact *c, HolError *err); // contact_rigid.c
// contact_polyline.c: pieces of the first side against the second, and what they are together
int hol_contact_polyline(HolModel *m, HolContact *c, const HolContactSide *line, HolError *err);
// contact_curve.c: a curve as the first side; its rows
int hol_contact_curve(HolModel *m, HolContact *c, const HolContactSide *side, int facing,
                      HolError *err);
HolRow hol_contact_curve_row(const HolModel *m, const HolContact *c, int slip);
int hol_contact_add(HolModel *m, const HolContact *c, HolError *err); // one pair of features
// x, y of a polyline or curve to draw it, at most `most` points; returns how many
HOL_TOOLS int hol_contact_path(const HolModel *m, const HolContactSide *side, double *xy, int most);
// an expression of others, called A, B, G, H in the text
const HolExpr *hol_contact_join(HolModel *m, const char *text, const HolExpr *A, const HolExpr *B,
                                const HolExpr *G, const HolExpr *H);
// z of (51): (1 + e) z = log((1 + z)/(1 - e z)) for 0 < e <= 1
double hol_contact_damping(double restitution);
// The damping is that of the speed at the touch: while a contact is open it follows the speed of approach,
// with every accepted state; begin: the next one follows no other
void hol_contacts_begin(const HolModel *m, HolModelWork *w);
void hol_contacts_accept(const HolModel *m, HolModelWork *w, double t, const double *q,
                         const double *v);
// crowd.c: a contact among many bodies
int hol_crowd_build(HolModel *m, const HolContactDef *def, HolError *err);
// the shape exists in the model's space; 0: a problem was added
int hol_contact_in_space(const HolModel *m, const HolContactDef *d, const HolContactSide *s,
                         HolError *err);
// a rim next to a plane whose lowest point is not known, since its axis is along the normal: 1 and why
int hol_contact_upright(const HolModel *m, HolModelWork *w, char *text, size_t size);
// NAME.gap ..: what stands behind the name of a contact; NULL: there is none
const HolExpr *hol_contact_measure(const HolModel *m, const char *name, int measure);

#endif
