// SPDX-License-Identifier: Apache-2.0
// One run, seen from inside: what steppers, assembly and analyses share. Steppers see only this,
// HolProblem and math/. A step never allocates: all memory comes from s->arena in `create`.
#ifndef HOL_SOLVE_SIM_H
#define HOL_SOLVE_SIM_H

#include "base/arena.h"
#include "base/error.h"
#include "base/field.h"
#include "base/state/keeper.h"
#include "base/visibility.h"
#include "holonom/holonom.h"
#include "math/saddle/kkt.h"
#include "problem/problem_extras.h"

typedef struct HolState {
    double t;
    double *q, *v, *a, *lambda, *w; // nq, nv, nv, m, nw
    int bare;                       // 1: the method left lambda out, see hol_fill
} HolState;

// a state as the point where a problem is evaluated
#define HOL_AT(x) (&(HolPoint){(x)->t, (x)->q, (x)->v, (x)->a, (x)->lambda, (x)->w})

typedef struct HolStepResult {
    double error;       // local error / tolerance (accept when <= 1); 0 when there is no estimate
    double exponent;    // h_new = h * safety * error^(-exponent); 1/(local order)
    double h_next;      // > 0: the stepper proposes the next step itself
    double h_used;      // > 0: the stepper took another (smaller) step than asked
    int has_residuals;  // 1: residual[] holds the largest constraint residuals of s->next
    double residual[3]; // position, velocity, acceleration (the driver then computes none)
    int has_work;       // 1: the stepper integrated the power itself; or HOL_WORK_OF_PARTS
    double work;        // (sum of hol_work_between over them)
    int kink;           // 1: the step ended behind a kink of the forces
    double surprise;    // [rad] see HolProblemExtras.surprise, filled by the driver
    const char *body;   // whose
} HolStepResult;

// has_work: the sum over substeps, which lie on no one curve
enum { HOL_WORK_OF_PARTS = 2 };

enum { HOL_STEP_FIXED, HOL_STEP_BOTH, HOL_STEP_ADAPTIVE };

struct HolStepMap;

typedef struct HolStepper {
    const char *name;        // as in `method: NAME`
    const char *help;        // one line
    const HolField *options; // what it takes of HolMethodOptions, see method_options.h
    // validate s->o.method, allocate s->method
    HolStatus (*create)(HolSim *s, HolError *err);
    // called when s->x is consistent (t,q,v,a,lambda,w) at the start and after discontinuities
    HolStatus (*start)(HolSim *s, HolError *err);
    // try a step of size h from s->x; write s->next. HOL_OK: see result; HOL_ERR_CONVERGE /
    // HOL_ERR_SINGULAR: driver retries with a smaller step (fixed step: fails, naming time and
    // joint)
    HolStatus (*step)(HolSim *s, double h, HolStepResult *result, HolError *err);
    // after the driver accepted (s->prev, s->x are the ends of the step); may be NULL
    void (*accepted)(HolSim *s);
    // state at prev.t + theta*h inside the last step; NULL: cubic Hermite for q from (q,v), v from
    // (v,a), linear a, lambda
    void (*dense)(HolSim *s, double theta, HolState *out);
    // q, v, w at s->x.t + theta*h inside the candidate, for the search of kinks; NULL: as above
    void (*inside)(HolSim *s, double theta, HolState *out);
    int inside_reactions; // 1: `inside` fills a and lambda too
    // work of the forces without potential over the first part theta of the last step; NULL, or no
    // number: by nodes of `dense`
    double (*work)(HolSim *s, double theta);
    // gives the model the unwrapped angles of s->x or s->prev, where `dense` has given it others;
    // may be NULL
    void (*turns)(HolSim *s, const HolState *end);
    // 1: every step factors s->mass anew, so that reports may use it between steps
    int frees_mass;
    // error-controlled mode: HOL_STEP_BOTH or HOL_STEP_ADAPTIVE; HOL_STEP_FIXED: not available
    int adaptive;
    // 1: its error estimate sees the whole step: without max_step there is no limit but the end
    int unlimited;
    // 1: the driver looks for kinks in its steps, between s->x and s->next with its accelerations;
    // 0: it ends steps behind kinks itself
    int over_kinks;
    // 1: its states meet the constraints to round-off
    int closes;
    // 1: a and lambda of its states are numbers of its own, apart from those of the equations:
    // reported are the latter
    int rings;
    // Gauss-Legendre nodes a step for the work of non-conservative forces; 0: Simpson's rule (3
    // Lobatto nodes)
    int quadrature;
    void (*destroy)(HolSim *s); // frees what libraries hold; may be NULL
    // the numbers of s->method that later steps or `dense` use (base/state/keeper.h), after `start`
    // was called
    void (*keep)(HolSim *s, HolKeeper *k);
    // 1: a library holds more than that: what was saved is computed again (embed/replay.c)
    int replayed;
    // what a fixed step of these options does to a linear system, see linear/step_map.h; NULL: the
    // method has no fixed step
    void (*map)(const HolMethodOptions *o, struct HolStepMap *out);
} HolStepper;

typedef struct HolErrorTest HolErrorTest;
struct HolEvents;
typedef struct HolReplay HolReplay;

struct HolSim {
    HolArena arena;
    const HolModel *model; // NULL for a C user's problem
    const HolProblem *p;   // completed problem
    void *work;            // p's workspace
    HolThreadPool *pool;   // threads that share the work; NULL: none
    struct HolColumns {    // G by columns, with a pool only: rows, places in the values of G
        int *ptr, *row, *entry;
    } G_columns;
    struct HolTiles *tiles; // order of walks over G, private to residual.c; NULL: none
    HolSimOptions o;
    const HolStepper *stepper;
    void *method; // the stepper's own memory
    int nq, nv, nh, nn, m, nw;
    HolState prev, x, next;      // last step's start, present accepted state, candidate
    HolState mid;                // scratch state for interpolation
    HolState out;                // state of a result row
    int plain;                   // 1: q' = v and q (+) d = q + d, found by probing
    HolErrorTest *test;          // scales of errors, see error_test.h
    HolKkt *mass;                // [M G^T; G 0], pattern M
    HolKkt *implicit;            // [S G^T; G 0], pattern S; created on demand by hol_sim_implicit
    HolKkt *reported;            // [M G^T; G 0] of reported states; NULL: not needed yet
    double *rhs;                 // nv + m + nw scratch for solves with either matrix
    double *r1, *r2, *r3;        // nv (at least nq) + m scratch
    double *f, *g, *gamma;       // nv, m, m scratch
    unsigned char *nonholonomic; // m flags: 1 for rows nh..m-1 (NULL when nn = 0)
    double *reach; // 2 nv, all of them twice: sizes of positions when the run started, reciprocals
    double *weight_q, *weight_v; // assembly weights (nv) or NULL
    HolCheck check;
    int assembled, redundant;
    const unsigned char *dependent; // m flags: rows that always depend on the others; NULL: none
    double h;                       // next step size proposal
    HolStats stats;
    double log_contraction; // sum of the logarithms of contractions, and how many
    long n_contractions;
    long step_iterations; // Newton iterations of the last step, with its rejected attempts
    double energy_start;
    const volatile int *stop_flag;
    int untimed;                    // 1: nobody asks for the seconds of single steps
    int turns_counted;              // 1: the method counts the turns of all angles itself
    struct HolAuto *choice;         // `method: auto`, see auto/auto.h; NULL: a method was named
    struct HolReplay *replay;       // see embed/replay.c; NULL: the method is kept as it is
    struct HolEvents *events;       // see event/event.h; NULL: the model has none
    struct HolSimDriver *driver;    // private to sim.c
    struct HolProjectWork *project; // private to project.c, allocated on first use
};

// ---- project.c: the three constraint levels (all in the mass metric) ----
// evaluate M, G at (t,q) into s->mass and factor
HolStatus hol_mass_factor(HolSim *s, double t, const double *q, HolError *err);
// a, lambda (and w) of x from (t,q,v): [M G^T; G 0][a;lambda] = [f; -gamma]; uses hol_mass_factor
// unless `factored`
HolStatus hol_accelerate(HolSim *s, HolState *x, int factored, HolError *err);
// jerk d/dt a and d/dt lambda at a consistent state whose mass matrix is factored in s->mass
HolStatus hol_jerk(HolSim *s, const HolState *x, double *j, double *lambda_dot, HolError *err);
// q onto g(q,t) = 0 by Newton, M (q - q_given) + G^T mu = 0; ends with s->mass factored at the
// result when `factor_end`
HolStatus hol_project_position(HolSim *s, double t, double *q, int factor_end, HolError *err);
// v onto G v + gt = 0 with the factorization present in s->mass (at the same t, q)
HolStatus hol_project_velocity(HolSim *s, double t, const double *q, double *v, HolError *err);
// largest absolute residuals at x on the three levels (any output may be NULL); worst = row of the
// largest position residual
void hol_residuals(HolSim *s, const HolState *x, double *position, double *velocity,
                   double *acceleration, int *worst);

// ---- sim.c ----
// so many unknowns and constraints that two threads share them
static inline int hol_sim_large(const HolSim *s) {
    return s->nv + s->m >= 3000;
}

// a saddle point of this run, solved by its threads; NULL: no memory
HolKkt *hol_sim_kkt(HolSim *s, const HolPattern *S, const HolPattern *G, int nw, int symmetric,
                    const char *kind);
// a run of the same problem from the state of `like`, with other options
HolStatus hol_sim_create_like(const HolSim *like, const HolSimOptions *o, HolSim **out,
                              HolError *err);
// a run of the same problem with the same options, from the present state
HolStatus hol_sim_create_twin(const HolSim *like, HolSim **out, HolError *err);
HolKkt *hol_sim_implicit(HolSim *s,
                         HolError *err); // s->implicit, created the first time (call in `create`)
void hol_state_alloc(HolSim *s, HolState *x);
void hol_state_copy(const HolSim *s, HolState *to, const HolState *from);
void hol_state_keep(const HolSim *s, HolState *x, HolKeeper *k);
void hol_row_name(const HolSim *s, int row, char *out, size_t size);
// a run that is NULL
HolStatus hol_no_run(HolError *err);
// the options a program gives (NULL: the defaults), see base/sized.h
HOL_TOOLS HolStatus hol_options_take(HolSimOptions *to, const HolSimOptions *from, HolError *err);
void hol_note(HolSim *s, const char *format, ...)
    __attribute__((format(printf, 2, 3))); // add a line to stats.note once
// the same for a list of lines of `size` characters
void hol_add_line(char *list, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// ---- error_test.c: largest |e_i| / scale_i of errors of positions and velocities ----
double hol_norm_q(const HolSim *s, const double *dq);
double hol_norm_v(const HolSim *s, const double *dv); // 0 where the user does not want them tested

// work of non-conservative forces along the motion from x0 to x1 (Hermite between them), 0 without
// has_power
double hol_work_between(HolSim *s, const HolState *x0, const HolState *x1);
double hol_work_left(HolSim *s, double t); // in the last step, from t to its end

// ---- kinks.c ----
// switching functions at a part theta of a curve from s->x on
typedef void (*HolSwitchesAt)(HolSim *s, const void *curve, double theta, double *values);
// the part that leads to just behind the first kink, known to `width` or to `relative` of itself;
// 1: there is none. A switch that is zero at the start counts where it leaves zero for its other side
// within the part `near`
double hol_until_kink(HolSim *s, double near, double width, double relative, HolSwitchesAt at,
                      const void *curve);

// ---- step_check.c ----
// Do rates of drives jump at s->next, less than `near` of time behind a kink? 1: velocities stay as they
// are there, and the run starts anew where it is accepted
int hol_rates_jump_next(HolSim *s, double near);

// ---- track.c ----
// the state at time t: an end of the last step, or s->mid; NULL: outside of it
HolState *hol_state_at(HolSim *s, double t);

// ---- reported_state.c: states as they are reported ----
// lambda of a state whose method leaves it out (and has no use for s->mass)
void hol_fill(HolSim *s, HolState *x);
// At the ends of a step: minimum-norm multipliers where rows are redundant. Inside: q and v onto
// the constraints, a and lambda from the equations there. The run goes on as if it had not been
// called
void hol_report(HolSim *s, HolState *x);
int hol_report_prepare(HolSim *s); // its memory, where steps need it; 0: there is none
// a, lambda, w of the equations at (t,q,v) of a copy of a step's end; fit: q and v onto the
// constraints of its time before. The copy stays as it is where that fails
void hol_report_anew(HolSim *s, HolState *x, int fit);
// a, lambda, w of the equations at any (t,q,v); the run goes on as if it had not been called
HolStatus hol_accelerate_apart(HolSim *s, HolState *x);
// the part of n (m numbers) with G^T n = 0 at x, in its place; 0: there is none
int hol_null_part(HolSim *s, const HolState *x, double *n);

// ---- result_row.c ----
// s->out: the state reported at time t, and what columns are made of
struct HolRowInput;
HolStatus hol_sim_row_input(HolSim *s, double t, struct HolRowInput *in, HolError *err);
// as hol_sim_row, of n columns of the model (list NULL: the first n of all)
HolStatus hol_sim_row_of(HolSim *s, double t, const int *list, int n, double *out, HolError *err);
// flags the columns that redundant constraints leave undetermined at the present state; how many
int hol_sim_not_unique(HolSim *s, const int *list, int n, double *row, double *other,
                       unsigned char *flags);

// ---- assemble.c ----
HolStatus hol_assemble(HolSim *s, HolError *err);

// ---- registry.c: the registry ----
HOL_TOOLS extern const HolStepper *const hol_steppers[]; // NULL-terminated
const HolStepper *hol_stepper_find(const char *name);

#endif
