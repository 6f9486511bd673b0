// SPDX-License-Identifier: Apache-2.0
// Events of a run (docs/theory/events.md): everything that changes the equations while it goes on, but
// for kinks of forces. Steps end at the first zero of a watch (locate.c); there the transition
// (transition.c) makes velocities jump (impact.c), finds the modes of what follows (select.c) and
// writes the table of events.
#ifndef HOL_SOLVE_EVENT_H
#define HOL_SOLVE_EVENT_H

#include "math/zero/isolate.h"
#include "problem/nonsmooth.h"
#include "solve/sim.h"

enum { HOL_EVENT_NEAR = 8 }; // (noises: still zero)

typedef struct HolEvents {
    const HolNonsmooth *ns;
    HolState at; // scratch
    HolState
        left; // what the last step ended with, before the event; its time tells whether it counts
    int left_taken;        // 1: it is s->x for a moment
    int n;                 // watches
    unsigned char *wanted; // n: of the present modes
    unsigned char *some;   // n: scratch
    unsigned char *fired;  // n
    unsigned char
        *across; // n: an event of the user whose function time alone carries to zero or across it
    int *order;  // n: order of the zero at the start of the step
    unsigned char
        *below;    // n: 1: gap of an open contact that stays open, below zero by the method's error
    double *noise; // n: values below are zero
    double *sample; // HOL_ZERO_NODES x n
    double *check;  // HOL_ZERO_CHECKS x n
    double *first;  // n: part of the step where its first zero is; INFINITY: none
    int *way;       // n: 1, -1: its first zero in the step rises, falls
    double *values; // n
    double *size;   // n: largest value so far, of user's events
    double *last;   // n: values at the end of the step before
    int *
        turned; // n: side to which an event that resets velocities sends its function, not seen yet
    double sampled_from, sampled_to; // the last candidate that was sampled
    HolZeroBasis basis;
    int primary;  // the watch whose zero ends the step
    double slope; // its rate there
    int pending;  // 1: s->x stands at an event whose transition is due
    int stopped;  // 1: an event ended the run
    int push;     // 1: rates of drives jumped at this time
    int jumped;   // 1: the last transition changed velocities
    // transition
    double *C, *Y;     // rows x nv, rows x (nv + m): rows of contacts, responses to them
    double *W, *u, *P; // rows x rows, rows, rows
    double *system;    // (rows + 1)^2: scratch
    struct HolImpactContact *parties; // supports: those of an impact
    int *unknown;                     // rows: of its impulses
    double *impact;                   // 8 rows: scratch
    double *v;                        // nv
    double *u_before;                 // rows: speeds before the impact
    double *speed_noise;              // rows: speeds below are zero
    double *free_speed;               // supports: a rebound below this speed is none
    double *fall;           // supports: acceleration towards each other while they are apart
    int *old_mode;          // supports, then grips: before the event
    int *mode;              // supports, then grips: modes that are tried
    unsigned char *free_to; // supports, then grips: 1: its mode is to be found
    unsigned char *barred;  // the same: 1: what fired excludes its old mode
    unsigned char *touched; // supports that touched before the impact
    unsigned char *passed;  // supports: pieces whose end was reached
    int starting;           // 1: at the start, which may overstep
    int jam;                // grip that has too much friction to slide, -1: none
    int wedge;              // grip that comes to have too much, which ends the step; -1: none
    double slow;            // speeds below are those of round-off in an impact
    int *tried;             // modes tried so far
    int n_tried;
    int rows; // of contacts: normals, then grips
    double rest_speed;
    // grips of several rows: 3 each, where they begin to slip; then one each: the acceleration,
    // how much more force than friction there is, as a part, how much later it
    // stops, the speed at which it does
    double *lean, *lean_rate, *excess, *late, *stop;
    double *rest;           // nv: what was taken of speeds that stopped
    double *reactions;      // m: scratch
    int vague;              // 1: the series of the method does not give the reactions in this step
    int resolved;           // 1: watches of reactions were sampled everywhere
    struct HolShare *share; // forces that equilibrium leaves open; NULL: no friction
    int *departs;           // grips: where a driven one goes that was at rest
    // impulses of joints, drives and constraints at the time of the last transition
    double *jump;       // m: multipliers of the jump of velocities
    double *impulse;    // n_impulses (nonsmooth.h) x HOL_IMPULSE_PARTS
    int n_impulses;     // of them, other than zero
    int *impulse_of;    // which these are
    HolEvent jumped_by; // line of the first event that made velocities jump
    // compliant contacts
    HolPadState *pads, *pads_now;   // at the last accepted state, now
    double *pad_impulse, *pad_loss; // since touch
    // regular times
    long *every;      // n_events: how often it fired
    long *fires;      // n_events
    double next_time; // of the next regular one, or of a clock; INFINITY: none
    // events whose functions depend on time alone: when they happen; they are watched behind clocked
    // only, the end of that search
    double **clock;
    int *n_clock; // n_events; -1: none of them
    double clocked;
    // table
    HolEvent *log; // room_log: more than one time can bring
    int room_log;
    int n_log;  // of the last transition, or step
    int n_kept; // of these, from the step before the transition
    long total;
    double last_time; // of the last transition
    int in_a_row;     // transitions next to each other
    int in_vain;      // transitions soon after each other that changed nothing
    int endless;      // the watch of an event whose rebounds are lost in round-off; -1: none
} HolEvents;

int hol_events_create(HolSim *s); // 0: no memory; s->events stays NULL where there are none
// at the start, with consistent positions: modes, events at the start
HolStatus hol_events_start(HolSim *s, HolError *err);
// with every accepted step: sizes of forces so far
void hol_events_sizes(HolSim *s);
// part of the step from s->x to s->next at which the first watch is zero; INFINITY: none; 0: the modes
// do not hold at its start (a force jumped there)
double hol_event_part(HolSim *s);
// s->x, behind an event, becomes what the step ended with; 0: it is, or there is no event. And back
int hol_event_take_left(HolSim *s);
void hol_event_put_back(HolSim *s);
// value of the primary watch at s->next; *noise: what counts as zero
double hol_event_end_value(HolSim *s, double *noise);
const HolState *hol_event_state(HolSim *s,
                                double theta); // e->at: inside the candidate, no reactions
void hol_event_found(HolSim *s,
                     double theta); // the step ends at the event: it is pending when accepted
// a regular time is reached
void hol_events_passed(HolSim *s);
// what is due at s->x; HOL_EVENT: it ends the run
HolStatus hol_events_settle(HolSim *s, HolError *err);
// the same where rates of drives jumped at a stop time; its lines are told with the next step
HolStatus hol_events_push(HolSim *s, HolError *err);
int hol_event_will_jump(HolSim *s); // the pending event may change velocities
double hol_event_heat(HolSim *s,
                      double from); // friction heat of the last step, from a part of it on

// locate.c
void hol_events_want(HolSim *s); // watches of the present modes
void hol_events_noise(HolSim *s);
int hol_events_stick(const HolSim *s);             // 1: friction holds something
int hol_grip_driven(const HolEvents *e, int grip); // a drive gives its speed
// share.c: the state that is reported has the multipliers of forces that are shared
void hol_share_state(HolSim *s, HolState *x);
// behind an accepted step: where rows that others hold move nevertheless, modes are found anew
void hol_share_watch(HolSim *s);
// Rows that depend on others, besides those that always do: of contacts that are closed now. Flags of
// m rows, NULL: none
const unsigned char *hol_event_dependent(const HolSim *s);
int hol_events_may_depend(const HolSim *s); // there may be such rows
// user_events.c: at a stop time, functions that jump there to zero or across it (e->across); how many
int hol_user_events_jump(HolSim *s);
// clocks.c
HolStatus hol_clocks_create(HolSim *s, HolError *err); // the times of events of time alone
int hol_is_clock(const HolSim *s, int event);          // its function is not watched now
// when event k of time alone happens next; INFINITY: it does not, or it is another one
double hol_clock_next(const HolEvents *e, int k);
// pads.c
void hol_pads_start(HolSim *s);
void hol_pads_step(HolSim *s); // with every accepted step
// pieces.c: supports that count between their ends only
int hol_piece_reaches(HolSim *s, const HolState *x, int support, double noise); // it is there
int hol_piece_idle(const HolSim *s, int support); // 1: a neighbour is closed in its place
int hol_piece_touches(HolSim *s, int support, double gap, double noise, int fired);
void hol_pieces_divide(HolSim *s); // of those that touch (e->free_to) one at each seam
HolStatus hol_pieces_pass(HolSim *s, HolError *err); // those that reached their end
// impact.c
HolStatus hol_impact(HolSim *s, double *loss, HolError *err);
void hol_contact_rows(HolSim *s); // C and speeds u of all supports and grips at s->x
HolStatus hol_contact_responses(HolSim *s, HolError *err); // Y and W
int hol_grip_row(const HolEvents *e, int grip);            // its place among the rows
// impulse P along row i of the contacts (or resets): velocities, impulses of the joints
void hol_jump_add(HolSim *s, int i, double P);
void hol_impulses_begin(HolSim *s);
void hol_impulses_by(HolSim *s, const HolEvent *line); // the event that makes velocities jump
void hol_impulses_end(HolSim *s);
// rates of drives jumped: velocities follow, with all contacts open and all friction free
HolStatus hol_event_push(HolSim *s, HolError *err);
HolStatus hol_event_resets_apply(HolSim *s, int event, HolError *err);
// select.c
HolStatus hol_select_modes(HolSim *s, HolError *err);
enum { HOL_PAINLEVE_MOST = 64 }; // elements
// painleve.c: HOL_ERR_STEP with a message where a contact that slides has too much friction for the
// position; lost: no modes were found, else `mode` holds and is kept. e->jam: its grip, -1: none
HolStatus hol_painleve(HolSim *s, const int *mode, int lost, HolError *err);
// part of the step from s->x to s->next at which a contact that slides comes to have too much: e->wedge;
// INFINITY: none does
double hol_painleve_part(HolSim *s);
double hol_painleve_end_value(HolSim *s, double *noise); // as hol_event_end_value
// a step failed: 1 with a message where that happens before the state `ahead`
int hol_painleve_ahead(HolSim *s, const HolState *ahead, HolError *err);
// the impulse that ends the sliding of grip e->jam: velocities, P, u, u_before, loss
HolStatus hol_painleve_jam(HolSim *s, double *loss, HolError *err);
HolStatus hol_modes_try(HolSim *s, const int *mode, HolError *err); // select.c
void hol_modes_apply(HolSim *s, const int *mode);
// user_events.c
HolStatus hol_user_events_fire(HolSim *s, HolError *err);   // what fired, what is due
HolStatus hol_user_events_follow(HolSim *s, HolError *err); // what this carried across zero
// functions of these events at s->x, without those of reactions; their flags: e->some
double *hol_user_events_values(HolSim *s);
int hol_user_event_zero(const HolEvents *e, int i, int was); // watch i is zero behind the event
int hol_user_event_changes(const HolSim *s, int k); // it will change something that rows show
void hol_user_events_schedule(HolSim *s);
// transition.c
double hol_event_kinetic(HolSim *s);
// how much row c changes when its coordinates change by their sizes
double hol_event_row_size(const HolSim *s, const double *c);
HolEvent *hol_event_log(HolSim *s, const char *name, const char *kind);
// slip.c: slip along several rows at once, directions at the start, watches of its end
enum { HOL_SLIP_ROWS = 3 };

// the direction of a grip that sticks and will slip: that of the force that holds it
void hol_slip_from(HolSim *s, int grip);
// its direction goes to the problem
void hol_slip_lean(HolSim *s, int grip);
// the direction by the accelerations of the last solve, and e->excess; 1: it changed
int hol_slip_turn(HolSim *s, int grip);
// 1: its speed is that of a stop, which comes so much later
int hol_slip_stopped(HolSim *s, int grip, double *late);
// watches of slip count along the directions at the start of the step
void hol_slip_aim(HolSim *s);

int hol_slip_turns(const HolSim *s);  // 1: there are grips of several rows
int hol_slip_slides(const HolSim *s); // 1: one of them slides
double hol_slip_ends(HolSim *s); // time until the first of them stops, by its present accelerations
// 1: a grip of several rows has just begun to slip. Across its direction friction is as stiff as F/|w|
int hol_slip_begins(const HolSim *s);

#endif
