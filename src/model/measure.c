// SPDX-License-Identifier: Apache-2.0
// What is reported of a state: energies, reactions, all result columns (docs/theory/results.md,
// section 13).
//     T = sum m v.v/2 + omega.J omega/2,   V = -sum m g.r + sum k (sigma - s0) (rho - r0)/2
//     power = sum expr rate (forces without potential) + lambda . g_t (driven constraints)
// Reaction of a joint: force on the second body, global axes, and torque about the joint point of
// the first body.
#include "base/thread_pool.h"
#include "math/vec.h"
#include "model/contact/crowd.h"
#include "model/force/force.h"
#include "model/mode/mode.h"
#include "model/model.h"
#include "model/quantity.h"

#include <string.h>

static double kinetic_energy(void *context, int first, int end) {
    const HolLoop *l = context;
    const HolPattern *M = &l->m->problem.M;
    double T = 0;
    for (int j = first; j < end; j++)
        for (int e = M->ptr[j]; e < M->ptr[j + 1]; e++)
            T += 0.5 * l->v[M->idx[e]] * l->m->sys.mass[e] * l->v[j];
    return T;
}

static double energy_of_weight(void *context, int first, int end) {
    const HolLoop *l = context;
    const int axes = l->m->space == HOL_SPATIAL ? 3 : 2;
    double V = 0;
    for (int i = first > 1 ? first : 1; i < end; i++) {
        const HolPlace *b = &l->m->sys.places[i];
        double r[3] = {0};
        for (int k = 0; k < axes && k < b->nv; k++)
            r[k] = l->q[b->q + k];
        V -= l->m->sys.weight[i] * v3_dot(v3_load(l->m->gravity), v3_load(r));
    }
    return V;
}

// (frames, which ask for sines and cosines, are left out where nothing needs them)
static double potential_energy(const HolModel *m, HolModelWork *w, double t, const double *q) {
    double V = hol_pool_sum(w->pool, m->def.n_bodies, energy_of_weight, &(HolLoop){.m = m, .q = q});
    if (m->batch.n_loads || m->beams.n || m->touch.n_crowds)
        hol_model_position(m, w, t, q);
    if (m->beams.n)
        V += hol_beams_potential(m, w->frames);
    if (m->touch.n_crowds)
        V += hol_crowds_sums(m, w, NULL).potential;
    for (int i = 0; i < m->batch.n_loads; i++) {
        const HolElement *e = &m->sys.elements[m->batch.loads[i]];
        if (e->k != 0) {
            const double s = hol_row_value(m, w, e->other) - e->s0;
            V += 0.5 * e->k * s * (hol_row_value(m, w, e->row) - e->r0);
        }
    }
    if (m->masses.n)
        V += hol_masses_potential(m, q);
    return V + hol_springs_potential(m, q);
}

typedef struct PowerInput {
    double t;
    const double *q, *v, *lambda, *vars;
} PowerInput;

static double power_of(const HolModel *m, HolModelWork *w, const PowerInput *in) {
    double power =
        hol_springs_power(m, in->v) + (m->masses.damped ? hol_masses_power(m, in->q, in->v) : 0);
    if (!m->batch.n_loads && !m->sys.n_timed && !m->sys.n_laws && !m->beams.n && !m->touch.n_crowds)
        return power;
    hol_model_position(m, w, in->t, in->q);
    hol_model_velocity(m, w, in->v);
    if (m->beams.n)
        power += hol_beams_power(m, w->frames, in->v);
    if (m->touch.n_crowds)
        power += hol_crowds_sums(m, w, in->v).power;
    hol_slots_position(m, w, m->sys.n_active_slots);
    hol_slots_velocity(m, w, m->sys.n_active_slots);
    if (m->problem.nw)
        hol_slots_variables(m, w, m->sys.n_active_slots, NULL, NULL, in->vars);
    for (int i = 0; i < m->batch.n_loads; i++) {
        const HolElement *e = &m->sys.elements[m->batch.loads[i]];
        if ((!e->expr && e->c == 0) || hol_is_state_rate(e))
            continue;
        const double rate = hol_row_rate(m, w, e->row);
        if (e->c != 0)
            power -= e->c * rate * hol_row_rate(m, w, e->other);
        if (e->expr)
            power += hol_expr_value(e->expr, w->slot, w->expr) * rate;
    }
    for (int i = 0; in->lambda && i < m->sys.n_equations; i++) {
        const HolEquation *e = &m->sys.equations[i];
        if (e->law)
            power += in->lambda[i] * hol_expr_value(e->law->rest, w->slot, w->expr);
        if (!e->expr || !hol_expr_slot_count(e->expr) || hol_expr_slots(e->expr)[0] != 0)
            continue;
        hol_expr_gradient(e->expr, w->slot, w->expr, w->gradient);
        power -= in->lambda[i] * w->gradient[0];
    }
    return power;
}

void hol_model_energy(const HolProblem *p, void *work, const HolPoint *at, double *kinetic,
                      double *potential, double *power) {
    const HolModel *m = p->user;
    HolModelWork *w = work;
    if (kinetic)
        *kinetic = hol_pool_sum(w->pool, m->problem.M.cols - m->def.n_hidden, kinetic_energy,
                                &(HolLoop){.m = m, .v = at->v}) +
                   (m->masses.n ? hol_masses_kinetic(m, at->q, at->v) : 0);
    if (potential)
        *potential = potential_energy(m, w, at->t, at->q);
    if (power)
        *power = m->sys.has_power
                     ? power_of(m, w, &(PowerInput){at->t, at->q, at->v, at->lambda, at->w})
                     : 0;
}

static Mat3 rotation(const HolModel *m, const HolFrame *f) {
    Mat3 A = {{f->c, -f->s, 0, f->s, f->c, 0, 0, 0, 1}};
    if (m->space == HOL_SPATIAL)
        memcpy(A.m, f->A, sizeof A.m);
    return A;
}

// what the expression of an equation adds: - lambda times its derivatives
static void expression_reaction(const HolModel *m, HolModelWork *w, const HolJoint *j,
                                const HolEquation *e, double lambda, double c6[6]) {
    double sign;
    hol_slots_position(m, w, m->sys.n_active_slots);
    hol_expr_gradient(e->expr, w->slot, w->expr, w->gradient);
    for (int k = 0; k < hol_expr_slot_count(e->expr); k++) {
        const HolSlot *slot = &m->sys.slots[hol_expr_slots(e->expr)[k]];
        if (slot->type != HOL_SLOT_VALUE)
            continue;
        const int side = hol_reaction_side(j, &m->sys.rows[slot->row], &sign);
        double(*c)[6] = hol_row_coef(m, w, slot->row);
        for (int x = 0; side >= 0 && x < 6; x++)
            c6[x] -= lambda * w->gradient[k] * c[side][x];
    }
}

void hol_joint_reaction(const HolModel *m, HolModelWork *w, int joint, const double *lambda,
                        double out[6]) {
    const HolJoint *j = &m->def.joints[joint];
    int body = j->b.body ? j->b.body : j->a.body;
    double sign = -1, c6[6] = {0}; // sum of lambda beta on that body
    for (int i = 0; i < j->n_equations; i++) {
        const HolEquation *e = &m->sys.equations[j->equations[i]];
        for (int k = 0; k < e->n_terms; k++) {
            const HolTerm *t = &m->sys.terms[e->first_term + k];
            const HolRow *r = &m->sys.rows[t->row];
            int side = hol_reaction_side(j, r, &sign);
            double(*c)[6] = hol_row_coef(m, w, t->row),
            s = lambda[j->equations[i]] * hol_term_coef(m, w, e, k);
            for (int x = 0; side >= 0 && x < 6; x++)
                c6[x] += s * c[side][x];
        }
        if (e->expr)
            expression_reaction(m, w, j, e, lambda[j->equations[i]], c6);
    }
    const HolFrame *fa = &w->frames[j->a.body], *fb = &w->frames[body];
    const Mat3 Aa = rotation(m, fa), Ab = rotation(m, fb);
    Vec3 P = v3_add(v3_load(fa->r), m3_mulv(Aa, v3_load(j->a.at)));
    Vec3 arm = v3_sub(P, v3_load(fb->r)), F, T;
    if (m->space == HOL_PLANAR) {
        F = v3(sign * c6[0], sign * c6[1], 0);
        T = v3(0, 0, sign * c6[2]);
    } else {
        F = v3_scale(v3_load(c6), sign);
        T = v3_scale(m3_mulv(Ab, v3_load(c6 + 3)), sign);
    }
    if (!hol_body_turns(&m->def.bodies[body].def))
        T = v3(0, 0, 0), arm = T;
    v3_store(out, F);
    v3_store(out + 3, v3_sub(T, v3_cross(arm, F)));
}

// ---- columns ----

static double body_value(const HolModel *m, const HolModelWork *w, const HolRowInput *in, int body,
                         const HolQuantity *q) {
    const HolBody *b = &m->def.bodies[body];
    const double *x[3] = {in->q + b->q, in->v + b->v, in->a + b->v},
                 *now = x[q->level - HOL_SLOT_VALUE];
    if (q->source == HOL_FROM_ANGLE)
        return now[2];
    if (q->source == HOL_FROM_QUATERNION)
        return now[3 + q->axis];
    if (q->source != HOL_FROM_TURN)
        return now[q->axis];
    // rotated into global axes (so is the derivative of omega in body axes, without further terms)
    const double *A = w->frames[body].A + 3 * q->axis, *o = now + 3;
    return A[0] * o[0] + A[1] * o[1] + A[2] * o[2];
}

typedef struct {
    double energy[7];
    int have_energy, reaction_of;
    double reaction[6];
    int node; // whose values of the section are known, 0: none
    double section[HOL_NODE_VALUES];
    int have_slots;
} Cache;

// of a joint's reaction or its torque (axis 3 ..), axes of the second body
static double body_component(const HolModel *m, const HolModelWork *w, int joint,
                             const double reaction[6], int axis) {
    const Mat3 A = rotation(m, &w->frames[m->def.joints[joint].b.body]);
    double x[3];
    v3_store(x, m3_tmulv(A, v3_load(reaction + (axis < 3 ? 0 : 3))));
    return x[axis % 3];
}

static double column_value(const HolModel *m, HolModelWork *w, const HolRowInput *in,
                           const HolColumnInfo *c, Cache *cache) {
    switch (c->type) {
    case HOL_COLUMN_TIME:
        return in->t;
    case HOL_COLUMN_STATE:
        return body_value(m, w, in, c->index, c->quantity);
    case HOL_COLUMN_REACTION:
        if (cache->reaction_of != c->index) {
            hol_joint_reaction(m, w, c->index, in->lambda, cache->reaction);
            cache->reaction_of = c->index;
        }
        return c->quantity->source == HOL_FROM_BODY_REACTION
                   ? body_component(m, w, c->index, cache->reaction, c->quantity->axis)
                   : cache->reaction[c->quantity->axis];
    case HOL_COLUMN_EFFORT:
        return c->quantity->source == HOL_FROM_EFFORT ? -in->lambda[c->index]
                                                      : in->lambda[c->index];
    case HOL_COLUMN_ENERGY:
        if (!cache->have_energy) {
            double *e = cache->energy;
            hol_model_energy(
                &m->problem, w,
                &(HolPoint){.t = in->t, .q = in->q, .v = in->v, .lambda = in->lambda, .w = in->w},
                &e[0], &e[1], NULL);
            e[2] = e[0] + e[1];
            e[3] = in->work_done + in->heat + in->loss;
            e[4] = e[2] - in->energy_start - in->work_done;
            e[5] = in->heat;
            e[6] = in->loss;
            cache->have_energy = 1;
        }
        return cache->energy[c->quantity->axis];
    case HOL_COLUMN_RESIDUAL:
        return in->residual[c->quantity->axis];
    case HOL_COLUMN_STEP:
        return c->quantity->axis ? (double)in->iterations : in->h;
    case HOL_COLUMN_NODE:
        if (cache->node != c->index)
            hol_beam_node_forces(m, w->frames, in->v, c->index, cache->section);
        cache->node = c->index;
        return cache->section[c->quantity->axis];
    case HOL_COLUMN_BEAM:
        return c->quantity->axis ? hol_beam_deflection(m, w->frames, c->index, c->node)
                                 : hol_beam_strain_energy(m, w->frames, c->index);
    case HOL_COLUMN_MODE:
    case HOL_COLUMN_LOAD:
    case HOL_COLUMN_EXPR:
        if (c->type == HOL_COLUMN_EXPR && !c->expr)
            return 0;
        if (!cache->have_slots) {
            hol_slots_position(m, w, m->sys.n_slots);
            hol_slots_velocity(m, w, m->sys.n_slots);
            hol_slots_variables(m, w, m->sys.n_slots, in->a, in->lambda, in->w);
            cache->have_slots = 1;
        }
        if (c->type == HOL_COLUMN_LOAD)
            return hol_bushing_load(m, w, c->index, c->quantity->axis);
        return c->type == HOL_COLUMN_MODE
                   ? hol_joint_mode_value(m, w, c->index, c->quantity->axis, in->lambda)
                   : hol_expr_value(c->expr, w->slot, w->expr);
    }
    return 0;
}

static void set_state(const HolModel *m, HolModelWork *w, const HolRowInput *in) {
    hol_model_position(m, w, in->t, in->q);
    hol_model_velocity(m, w, in->v);
}

void hol_model_row_of(const HolModel *m, HolModelWork *w, const HolRowInput *in, const int *list,
                      int n, double *out) {
    Cache cache = {.reaction_of = -1};
    set_state(m, w, in);
    for (int i = 0; i < n; i++) // no -0
        out[i] = column_value(m, w, in, &m->out.columns[list ? list[i] : i], &cache) + 0.0;
}

void hol_model_row(const HolModel *m, HolModelWork *w, const HolRowInput *in, double *out) {
    hol_model_row_of(m, w, in, m->out.selected, m->out.n_selected, out);
}

void hol_model_row_all(const HolModel *m, HolModelWork *w, const HolRowInput *in, double *out) {
    hol_model_row_of(m, w, in, NULL, m->out.n_default, out);
}

int hol_model_state_value(const HolModel *m, HolModelWork *w, const HolRowInput *in, int i,
                          const char **name, double *value) {
    Cache cache = {.reaction_of = -1};
    int c = i + 1;
    // behind those of the bodies the same of the ends of beams by their other names
    int states = 1;
    while (states < m->out.n_default && m->out.columns[states].type == HOL_COLUMN_STATE)
        states++;
    if (c >= states)
        c += m->out.n_default - states;
    if (c >= m->out.n_known || m->out.columns[c].type != HOL_COLUMN_STATE)
        return 0;
    if (i == 0)
        set_state(m, w, in);
    *name = m->out.columns[c].name;
    *value = column_value(m, w, in, &m->out.columns[c], &cache);
    return 1;
}
