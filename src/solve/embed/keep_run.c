// SPDX-License-Identifier: Apache-2.0
// The parts of a run that are kept: one list an object. A new member of the driver that lives longer
// than a step is one more line here; test/solve/embed/test_save.c compares the bits of a run that
// went on with those of one that was restored, for every method.
#include "solve/embed/keep_run.h"

#include "model/model.h"
#include "solve/auto/auto.h"
#include "solve/event/share.h"
#include "solve/run/error_test.h"
#include "solve/run/run.h"

#include <stdio.h>
#include <string.h>

static void keep_control(HolControl *c, HolKeeper *k) {
    HOL_KEEP(k, c->safety);
    HOL_KEEP(k, c->shrink);
    HOL_KEEP(k, c->grow);
    HOL_KEEP(k, c->h_min);
    HOL_KEEP(k, c->h_max);
    HOL_KEEP(k, c->rejected);
    HOL_KEEP(k, c->last_h);
    HOL_KEEP(k, c->last_error);
    HOL_KEEP(k, c->stagnant);
}

// whose angle surprised most, a name of the model
static void keep_surprised(HolSim *s, HolKeeper *k) {
    struct HolSimDriver *d = s->driver;
    char name[64] = "";
    if (d->surprised)
        snprintf(name, sizeof name, "%s", d->surprised);
    hol_keep(k, "surprised", name, sizeof name);
    if (k->mode != HOL_KEEP_READ || !s->model)
        return;
    name[sizeof name - 1] = 0;
    const int body = hol_body_find(s->model, name), joint = hol_joint_find(s->model, name);
    d->surprised = body >= 0    ? s->model->def.bodies[body].def.name
                   : joint >= 0 ? s->model->def.joints[joint].def.name
                                : NULL;
}

static void keep_driver(HolSim *s, HolKeeper *k) {
    struct HolSimDriver *d = s->driver;
    keep_control(&d->control, k);
    HOL_KEEP(k, d->adaptive);
    HOL_KEEP(k, d->started);
    HOL_KEEP(k, d->restart);
    HOL_KEEP(k, d->origin);
    HOL_KEEP(k, d->k);
    HOL_KEEP(k, d->off_grid);
    HOL_KEEP(k, d->usual);
    HOL_KEEP(k, d->next_stop);
    HOL_KEEP(k, d->energy);
    HOL_KEEP(k, d->power);
    HOL_KEEP(k, d->kinetic_most);
    HOL_KEEP(k, d->speed_most);
    HOL_KEEP(k, d->potential_low);
    HOL_KEEP(k, d->potential_high);
    HOL_KEEP(k, d->surprise);
    keep_surprised(s, k);
    HOL_KEEP(k, d->step_work);
    HOL_KEEP(k, d->node_work);
    HOL_KEEP(k, d->node_step);
    HOL_KEEP(k, d->energy_size);
    HOL_KEEP(k, d->parts);
    HOL_KEEP(k, d->driven_nodes);
    HOL_KEEP(k, d->refine_from);
    HOL_KEEP(k, d->switched);
    HOL_KEEP(k, d->kinks);
    HOL_KEEP(k, d->last_kink);
    HOL_KEEP(k, d->fresh);
    HOL_KEEP(k, d->tiny_steps);
    HOL_KEEP(k, d->held_steps);
    HOL_KEEP(k, d->left_kink);
    HOL_KEEP(k, d->ahead);
    HOL_KEEP(k, d->reach);
    HOL_KEEP(k, d->at_kink);
    HOL_KEEP(k, d->without_kink);
    HOL_KEEP(k, d->over_kink);
    HOL_KEEP(k, d->crossed);
    HOL_KEEP(k, d->next_jump);
    HOL_KEEP(k, d->jump);
    HOL_KEEP(k, d->rows_before);
    HOL_KEEP(k, d->drive_end);
    HOL_KEEP(k, d->drive_reason);
    HOL_KEEP(k, d->last_row);
    HOL_KEEP(k, d->next_row);
    HOL_KEEP(k, d->in_run);
    hol_kinks_keep(s, k);
    hol_sticking_keep(s, k);
}

static void keep_sim(HolSim *s, HolKeeper *k) {
    hol_state_keep(s, &s->prev, k);
    hol_state_keep(s, &s->x, k);
    hol_state_keep(s, &s->next, k);
    hol_state_keep(s, &s->mid, k);
    HOL_KEEP(k, s->h);
    HOL_KEEP(k, s->stats);
    HOL_KEEP(k, s->log_contraction);
    HOL_KEEP(k, s->n_contractions);
    HOL_KEEP(k, s->step_iterations);
    HOL_KEEP(k, s->energy_start);
    HOL_KEEP(k, s->turns_counted);
    HOL_KEEP(k, s->redundant);
    HOL_KEEP_ARRAY(k, s->reach, 4 * s->nv);
    // (some methods leave there what the next step begins with)
    HOL_KEEP_ARRAY(k, s->r1, s->nv + s->m);
    HOL_KEEP_ARRAY(k, s->r2, s->nv + s->m);
    HOL_KEEP_ARRAY(k, s->r3, s->nv + s->m);
    HOL_KEEP_ARRAY(k, s->f, s->nv);
    HOL_KEEP_ARRAY(k, s->g, s->m);
    HOL_KEEP_ARRAY(k, s->gamma, s->m);
}

// events: what fired and when; modes, discrete values and inputs are kept by the model
static void keep_events(HolSim *s, HolKeeper *k) {
    HolEvents *e = s->events;
    if (!e)
        return;
    HOL_KEEP_ARRAY(k, e->wanted, e->n);
    HOL_KEEP_ARRAY(k, e->fired, e->n);
    HOL_KEEP_ARRAY(k, e->order, e->n);
    HOL_KEEP_ARRAY(k, e->below, e->n);
    HOL_KEEP_ARRAY(k, e->noise, e->n);
    HOL_KEEP_ARRAY(k, e->values, e->n);
    HOL_KEEP_ARRAY(k, e->size, e->n);
    hol_state_keep(s, &e->left, k);
    HOL_KEEP_ARRAY(k, e->last, e->n);
    HOL_KEEP_ARRAY(k, e->turned, e->n);
    HOL_KEEP_ARRAY(k, e->way, e->n);
    HOL_KEEP_ARRAY(k, e->first, e->n);
    HOL_KEEP(k, e->sampled_from);
    HOL_KEEP(k, e->sampled_to);
    HOL_KEEP_ARRAY(k, e->sample, e->n * HOL_ZERO_NODES);
    HOL_KEEP_ARRAY(k, e->free_speed, e->ns->n_supports);
    HOL_KEEP_ARRAY(k, e->fall, e->ns->n_supports);
    HOL_KEEP_ARRAY(k, e->u_before, e->rows);
    HOL_KEEP_ARRAY(k, e->speed_noise, e->rows);
    HOL_KEEP_ARRAY(k, e->lean, 3 * e->ns->n_grips);
    HOL_KEEP_ARRAY(k, e->lean_rate, e->ns->n_grips);
    HOL_KEEP_ARRAY(k, e->stop, e->ns->n_grips);
    HOL_KEEP_ARRAY(k, e->every, e->ns->n_events);
    HOL_KEEP_ARRAY(k, e->fires, e->ns->n_events);
    if (e->share) {
        HOL_KEEP(k, e->share->active);
        HOL_KEEP_ARRAY(k, e->share->group, e->ns->n_grips);
        HOL_KEEP_ARRAY(k, e->share->driven, e->ns->n_grips);
        HOL_KEEP(k, e->share->n_closed);
        HOL_KEEP_ARRAY(k, e->share->closed, s->m);
        HOL_KEEP_ARRAY(k, e->departs, e->ns->n_grips);
    }
    HOL_KEEP(k, e->primary);
    HOL_KEEP(k, e->wedge);
    HOL_KEEP(k, e->slope);
    HOL_KEEP(k, e->pending);
    HOL_KEEP(k, e->stopped);
    HOL_KEEP(k, e->jumped);
    HOL_KEEP(k, e->slow);
    HOL_KEEP(k, e->rest_speed);
    HOL_KEEP(k, e->next_time);
    HOL_KEEP_ARRAY(k, e->log, e->room_log);
    HOL_KEEP(k, e->n_log);
    HOL_KEEP(k, e->n_kept);
    HOL_KEEP(k, e->n_impulses);
    HOL_KEEP_ARRAY(k, e->impulse_of, e->ns->n_impulses);
    HOL_KEEP_ARRAY(k, e->impulse, HOL_IMPULSE_PARTS * e->ns->n_impulses);
    HOL_KEEP(k, e->jumped_by);
    for (int i = 0; i < e->ns->n_pads; i++)
        HOL_KEEP_ARRAY(k, &e->pads[i].gap, 3);
    HOL_KEEP_ARRAY(k, e->pad_impulse, 2 * e->ns->n_pads);
    HOL_KEEP(k, e->total);
    HOL_KEEP(k, e->last_time);
    HOL_KEEP(k, e->in_a_row);
    HOL_KEEP(k, e->in_vain);
    HOL_KEEP(k, e->endless);
}

// systems of the run; that of reports is made on demand
static void keep_systems(HolSim *s, HolKeeper *k) {
    hol_kkt_keep(s->mass, k);
    if (s->implicit)
        hol_kkt_keep(s->implicit, k);
    if (s->events && s->events->share)
        hol_kkt_keep(s->events->share->kkt, k);
    const int reported = hol_keep_number(k, "reported", s->reported != NULL, 0, 1);
    if (hol_keep_reads(k) && reported && !s->reported && !k->wrong &&
        !(s->reported = hol_sim_kkt(s, &s->p->M, &s->p->G, s->nw, 1, s->o.linear_solver)))
        hol_keep_wrong(k, "reported");
    if (reported && !k->wrong)
        hol_kkt_keep(s->reported, k);
}

static void keep_methods(HolSim *s, HolKeeper *k) {
    struct HolAuto *c = s->choice;
    const HolStepper *stepper = s->stepper;
    void *method = s->method;
    stepper->keep(s, k);
    for (int i = 0; c && i < 2; i++) { // the candidate that waits
        if (!c->memory[i] || c->memory[i] == method || !c->stepper[i]->keep)
            continue;
        s->stepper = c->stepper[i];
        s->method = c->memory[i];
        s->stepper->keep(s, k);
        s->stepper = stepper;
        s->method = method;
    }
}

void hol_run_keep(HolSim *s, HolKeeper *k) {
    hol_keep_number(k, "nq", s->nq, s->nq, s->nq);
    hol_keep_number(k, "nv", s->nv, s->nv, s->nv);
    hol_keep_number(k, "m", s->m, s->m, s->m);
    hol_keep_number(k, "nw", s->nw, s->nw, s->nw);
    if (s->choice)
        hol_auto_keep(s, k);
    if (k->wrong)
        return;
    keep_systems(s, k);
    if (k->wrong)
        return;
    keep_sim(s, k); // (methods refer to its states)
    keep_methods(s, k);
    keep_driver(s, k);
    hol_error_test_keep(s, k);
    keep_events(s, k);
    if (s->p->extras->keep)
        s->p->extras->keep(s->p, s->work, k);
}
