// SPDX-License-Identifier: Apache-2.0
// Cures are tried: the model is built anew with them, assembled, and must have lost as many redundant rows
// as were taken, with the same degrees of freedom and the same first accelerations (locked loops: with
// more freedom). All loops at once; where that fails, loop by loop. Dependent sets across
// several loops are cured by trying changes of their joints, one after the other.
#include "tools/doctor/doctor.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ALONE = 16, MOST_TRIES = 60, MOST_ACROSS_NV = 3000 };

typedef struct Cure {
    DoctorChange *changes;
    int n, capacity;
    int freed, gained; // freedoms added, of these by locked loops that move now
} Cure;

static int apply_works(const Doctor *d, const Cure *c) {
    int dof, redundant, same;
    if (!hol_doctor_try(d, c->changes, c->n, &dof, &redundant, &same))
        return 0;
    if (c->gained == 0)
        return dof == d->check.dof && redundant == d->check.redundant - c->freed && same;
    // (a drive may take the freedom that a locked loop gains)
    return dof >= d->check.dof && redundant < d->check.redundant &&
           redundant <= d->check.redundant - c->freed + c->gained;
}

static int apply_add(Doctor *d, DoctorLoop *loop, const DoctorOption *o, int verified) {
    const HolJoint *j = o->change.joint >= 0 ? &d->m->def.joints[o->change.joint] : NULL;
    HolDoctorChange *c = HOL_NEW(&d->arena, HolDoctorChange, 1);
    if (!c || !HOL_GROW(&d->arena, loop->changes, loop->n_changes, loop->cap_changes))
        return 0;
    *c = (HolDoctorChange){.joint = j ? j->def.name : o->change.name,
                           .from = j ? j->kind->name : "equation",
                           .to = o->change.to ? o->change.to : "none",
                           .has_axis = o->has_axis,
                           .verified = verified};
    for (int i = 0; !j && i < d->m->def.n_motions; i++)
        if (strcmp(d->m->def.motions[i].def.name, o->change.name) == 0)
            c->from = "motion";
    memcpy(c->axis, o->axis, sizeof c->axis);
    loop->changes[loop->n_changes++] = c;
    return 1;
}

static int apply_push(Doctor *d, Cure *c, const DoctorOption *o) {
    if (!HOL_GROW(&d->arena, c->changes, c->n, c->capacity))
        return 0;
    c->changes[c->n++] = o->change;
    c->freed += o->freed;
    return 1;
}

// ---- loops ----

typedef struct LoopCure {
    DoctorOption *options;
    int n, gained;
} LoopCure;

static void apply_last_loops(Doctor *d) {
    for (int l = 0; l < d->n_loops; l++)
        for (int i = 0; i < d->loops[l]->n; i++)
            if (!d->loops[l]->across && (d->loops[l]->d_near || d->loops[l]->out.lock))
                d->edges[d->loops[l]->edges[i]].later = d->loops[l];
}

static int apply_loops(Doctor *d, Cure *all) {
    LoopCure *cures = HOL_NEW(&d->arena, LoopCure, d->n_loops + 1);
    int *off = HOL_NEW(&d->arena, int, d->n_loops + 1);
    DoctorOption(*room)[DOCTOR_OPTIONS] = hol_arena_array(&d->arena, sizeof *room, DOCTOR_EDGES);
    if (d->arena.failed)
        return 0;
    for (int l = 0; l < d->n_loops; l++)
        off[l] = d->loops[l]->across ? -1 : hol_doctor_lock(d, d->loops[l]);
    apply_last_loops(d);
    for (int l = 0; l < d->n_loops; l++) {
        DoctorLoop *loop = d->loops[l];
        DoctorOption found[DOCTOR_CHANGES];
        if (loop->across || (!loop->d_near && off[l] < 0))
            continue;
        cures[l].n = hol_doctor_cure(d, loop, off[l], room, found);
        cures[l].gained = off[l] >= 0 && cures[l].n > 0;
        cures[l].options = HOL_NEW(&d->arena, DoctorOption, cures[l].n + 1);
        if (!cures[l].options)
            return 0;
        memcpy(cures[l].options, found, sizeof *found * (size_t)cures[l].n);
        for (int i = 0; i < cures[l].n; i++)
            if (!apply_push(d, all, &found[i]))
                return 0;
        all->gained += cures[l].gained;
    }
    const int works = all->n > 0 && apply_works(d, all);
    int alone = 0;
    for (int l = 0; l < d->n_loops; l++) {
        int verified = works;
        if (!works && cures[l].n && alone++ < MOST_ALONE) {
            Cure one = {.gained = cures[l].gained};
            for (int i = 0; i < cures[l].n; i++)
                if (!apply_push(d, &one, &cures[l].options[i]))
                    return 0;
            verified = apply_works(d, &one);
        }
        for (int i = 0; i < cures[l].n; i++)
            if (!apply_add(d, d->loops[l], &cures[l].options[i], verified))
                return 0;
    }
    if (!works)
        *all = (Cure){0};
    return 1;
}

// ---- across loops ----

// joints, motions and equations that have rows in the sets of a loop
static int apply_candidates(Doctor *d, const DoctorLoop *loop, DoctorOption *out, int most) {
    const DoctorPose *p = d->has_near ? &d->near : &d->here;
    DoctorLoop sized = *loop;
    int n = 0;
    sized.E[0] = v3(1, 0, 0);
    sized.E[1] = v3(0, 1, 0);
    sized.E[2] = v3(0, 0, 1);
    sized.L = 1;
    memset(sized.near_stress, 0, sizeof sized.near_stress);
    for (int i = 0; i < loop->out.n_joints && n + DOCTOR_OPTIONS < most; i++) {
        const char *name = loop->out.joints[i];
        int edge = -1, joint = -1;
        for (int k = 0; k < loop->n && edge < 0; k++)
            if (strcmp(d->m->def.joints[d->edges[loop->edges[k]].joint].def.name, name) == 0)
                edge = loop->edges[k];
        for (int k = 0; k < d->m->def.n_joints && edge < 0 && joint < 0; k++)
            if (strcmp(d->m->def.joints[k].def.name, name) == 0)
                joint = k;
        if (edge >= 0)
            n += hol_doctor_options(d, p, edge, &sized, out + n);
        else // a gear, a drive, an equation: all of it or nothing
            out[n++] = (DoctorOption){
                .edge = -1,
                .freed = joint >= 0 ? d->m->def.joints[joint].n_equations : 1,
                .cost = 3,
                .change = {.joint = joint, .name = name},
            };
    }
    return n;
}

static int apply_changed(const Cure *c, const DoctorOption *o) {
    for (int i = 0; i < c->n; i++)
        if (c->changes[i].joint == o->change.joint &&
            (o->change.joint >= 0 || strcmp(c->changes[i].name, o->change.name) == 0))
            return 1;
    return 0;
}

static int apply_by_cost(const void *a, const void *b) {
    const DoctorOption *x = a, *y = b;
    return (x->cost > y->cost) - (x->cost < y->cost);
}

// a set of one joint and its drives: these can be left out
static int apply_drives(const Doctor *d, const DoctorLoop *loop, DoctorOption *out, int most) {
    int n = 0;
    for (int i = 0; i < d->m->def.n_motions && n < most; i++) {
        const char *name = d->m->def.motions[i].def.name;
        if (loop->n == 1 && d->m->def.motions[i].joint == d->edges[loop->edges[0]].joint)
            out[n++] = (DoctorOption){
                .edge = -1, .freed = 1, .cost = 3, .change = {.joint = -1, .name = name}};
    }
    return n;
}

// (what fails once also fails with more changes: one pass in the order of costs is enough)
static int apply_across(Doctor *d, DoctorLoop *loop, Cure *all, int *tries) {
    enum { MOST = 256 };
    HolArena scratch = {0};
    DoctorOption *options = HOL_NEW(&scratch, DoctorOption, MOST);
    int n = options ? apply_candidates(d, loop, options, MOST) : 0, need = loop->d_near, ok = 1;
    n += apply_drives(d, loop, options + n, MOST - n);
    qsort(options, (size_t)n, sizeof *options, apply_by_cost);
    for (int i = 0; i < n && need > 0 && *tries < MOST_TRIES && ok; i++) {
        const int before = all->n, freed = all->freed;
        if (options[i].freed > need || apply_changed(all, &options[i]))
            continue;
        ++*tries;
        ok = apply_push(d, all, &options[i]);
        if (ok && apply_works(d, all)) {
            need -= options[i].freed;
            ok = apply_add(d, loop, &options[i], 1);
        } else {
            all->n = before;
            all->freed = freed;
        }
    }
    hol_arena_free(&scratch);
    return ok;
}

int hol_doctor_cures(Doctor *d) {
    Cure all = {0};
    int tries = 0;
    if (!apply_loops(d, &all))
        return 0;
    for (int l = 0; l < d->n_loops && d->sim->nv <= MOST_ACROSS_NV; l++)
        if (d->loops[l]->across && d->loops[l]->n_sets &&
            !apply_across(d, d->loops[l], &all, &tries))
            return 0;
    return 1;
}
