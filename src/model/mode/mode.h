// SPDX-License-Identifier: Apache-2.0
// Elements with modes and events of a model, as compile makes them: what stands behind HolNonsmooth
// (problem/nonsmooth.h). Kinds of elements add supports, grips and pads; modes.c answers the solver.
#ifndef HOL_MODEL_MODE_H
#define HOL_MODEL_MODE_H

#include "model/model.h"

enum { HOL_GRIP_ROWS = 3, HOL_GRIP_NAMES = 24 };
// names that loads of friction take: their size so far, sides of their norms, scratch
enum { HOL_LOAD_SIZE = 16, HOL_LOAD_SIDE, HOL_LOAD_ALONG = 20 };

// a support: its equation is closed where the sum of its terms is `hold`
typedef struct HolSupportParts {
    const char *name;
    const HolTerm *terms;
    int n_terms;
    double hold;
    double restitution;
} HolSupportParts;

// friction along one row, or opposite to the vector of several
typedef struct HolGripParts {
    const char *name;
    int row[HOL_GRIP_ROWS];      // of the model
    int minus[HOL_GRIP_ROWS];    // 1 + a row that counts against it, 0: none
    double scale[HOL_GRIP_ROWS]; // sliding speed = scale * rate of the row
    int n_rows;
    int holonomic; // rows have a value: stick holds it
    int support;   // of a contact, -1: a joint
    int driven;
    double friction; // kinetic, for impacts
    int smooth_start;
    int sign;                    // GIVEN: sign of the speed while it slips, else 0
    const char *capacity;        // text of names: static capacity at the sliding surface
    const int *slots;            // of these names
    int elements[HOL_GRIP_ROWS]; // the friction force along each row
    int lean[HOL_GRIP_ROWS];     // several rows: GIVEN, where it begins to slip (set_lean)
    double measure;              // several rows: columns show the force times this
} HolGripParts;

int hol_add_support(HolModel *m, const HolSupportParts *parts); // its number; -1: no memory
int hol_add_grip(HolModel *m, const HolGripParts *parts);
// 1: it sticks; its first row is held, by itself or by others
static inline int hol_grip_sticks(const HolModel *m, const HolModelWork *w, const HolGripEntry *g) {
    return w->closed[m->sys.equations[g->info.row].mode] || w->given[g->apart[0]] > 0;
}

// Expressions over a list of slots, called a0 .. a9 in the text; NULL: no memory (or a mistake in
// the text, which is a defect)
HolExpr *hol_compile_slots(HolModel *m, const char *text, const int *slots);
// a slot of a new algebraic variable that is equal to the expression
int hol_unknown_slot(HolModel *m, const HolExpr *expr);

// load.c: loads of friction
int hol_load_begin(HolModel *m, int *slots); // 0: no memory
// it grows with per |w| of the algebraic variable made last
int hol_load_grows(HolModel *m, const int *slots, double per);
// adds per |x| to the text `out`, x the texts of its parts, the norm number `number` of its load
int hol_load_norm(HolModel *m, int *slots, int number, double per, const char *const *x, int n,
                  char *out, size_t size);
void hol_load_sizes(const HolProblem *p, void *work, const HolPoint *at, int sides);

// friction.c: parts of the texts of forces
void hol_friction_coefficient(const HolFrictionDef *f, double r, const char *speed, char *out,
                              size_t size);
int hol_friction_element(HolModel *m, const HolJoint *j, int row, const HolExpr *expr);
int hol_friction_multiplier(HolModel *m, const HolJoint *j, int k);
int hol_friction_driven(const HolModel *m, const HolJoint *j);
// friction_vector.c: along several coordinates at once
int hol_friction_build_vector(HolModel *m, HolJoint *j);
// friction.c, limit.c: of a joint that is built; 0: a problem was added
int hol_friction_build(HolModel *m, HolJoint *j, HolError *err);
int hol_limits_build_joint(HolModel *m, HolJoint *j, HolError *err);
int hol_user_events_compile(HolModel *m, HolError *err);
// modes.c: once everything is built; watches, extras. 0: no memory
int hol_nonsmooth_build(HolModel *m, HolError *err);
int hol_model_heats(const HolModel *m); // 1: friction, whatever its law, takes energy of its own
void hol_modes_slots(const HolModel *m, HolModelWork *w, const HolPoint *at); // all of them
void hol_modes_forget(HolModelWork *w); // what was computed with other modes or given values
// measure_mode.c: quantity `axis` of joint j: friction, state, use, force of its stops; all slots are set
double hol_joint_mode_value(const HolModel *m, HolModelWork *w, int joint, int axis,
                            const double *lambda);
// impulses of joints, drives and constraints, see problem/nonsmooth.h
const char *hol_impulse_name(const HolProblem *p, int i);
void hol_impulse_of(const HolProblem *p, void *work, const HolPoint *at, int i,
                    double out[HOL_IMPULSE_PARTS]);
int hol_joint_has_stop(const HolModel *m, int joint);

// clock.c: events whose functions depend on time alone
void hol_clocks_build(HolModel *m, HolNonsmooth *ns);

#endif
