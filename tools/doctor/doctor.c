// SPDX-License-Identifier: Apache-2.0
// The doctor: what `holonom check` says about a model beyond its validity (docs/doctor.md). Assembly comes
// first; then loops and their redundancies, cures that are tried out, free motions, and data
// that is possible but hardly meant. All is by loops or sparse: large models take seconds.
#include "tools/doctor/doctor.h"
#include "solve/constraint/closer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void hol_doctor_warn(Doctor *d, const char *kind, const char *name, int line, int column,
                     const char *format, ...) {
    char text[600];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    HolRemark *r = HOL_NEW(&d->arena, HolRemark, 1);
    if (!r || !HOL_GROW(&d->arena, d->warnings, d->n_warnings, d->cap_warnings))
        return;
    *r = (HolRemark){hol_arena_text(&d->arena, kind), hol_arena_text(&d->arena, name),
                     hol_arena_text(&d->arena, text), line, column};
    d->warnings[d->n_warnings++] = r;
}

// a position nearby, where the rank is that of almost all positions
static int doctor_nearby(Doctor *d) {
    HolSim *s = d->sim;
    double *q = HOL_NEW(&d->arena, double, s->nq + 1);
    HolCloser *closer = q ? hol_closer_create(s) : NULL;
    if (!closer)
        return 0;
    for (int attempt = 0; attempt < 2 && !d->has_near; attempt++)
        d->has_near = hol_closer_nearby(closer, attempt, q);
    hol_closer_destroy(closer);
    return !d->has_near || hol_doctor_pose(d, q, &d->near);
}

static int doctor_mechanism(Doctor *d) {
    HolSim *s = d->sim;
    double *q = HOL_NEW(&d->arena, double, s->nq + 1);
    if (!q)
        return 0;
    memcpy(q, s->x.q, sizeof *q * (size_t)s->nq);
    if (!hol_doctor_pose(d, q, &d->here) || !hol_doctor_graph(d))
        return 0;
    if (d->check.redundant > 0 && !doctor_nearby(d))
        return 0;
    return hol_doctor_loops(d) && hol_doctor_sets(d) && hol_doctor_cures(d) &&
           hol_doctor_motions(d);
}

static int doctor_publish(Doctor *d) {
    const HolDoctorLoop **loops = HOL_NEW(&d->arena, const HolDoctorLoop *, d->n_loops + 1);
    if (!loops)
        return 0;
    for (int i = 0; i < d->n_loops; i++) {
        DoctorLoop *l = d->loops[i];
        l->out.changes = (const HolDoctorChange *const *)l->changes;
        l->out.n_changes = l->n_changes;
        loops[i] = &l->out;
    }
    HolDiagnosis *out = &d->out;
    out->size = sizeof *out;
    out->check = &d->check;
    out->loops = loops;
    out->n_loops = d->n_loops;
    out->motions = d->motions;
    out->n_motions = d->n_motions;
    out->warnings = d->warnings;
    out->n_warnings = d->n_warnings;
    return !d->arena.failed;
}

// A driven mechanism that is locked cannot be assembled: without its drives it can, and shows why.
static void doctor_without_drives(Doctor *d) {
    const int n = d->m->def.n_motions;
    DoctorChange *changes = HOL_NEW(&d->arena, DoctorChange, n + 1);
    HolModel *m = NULL;
    const HolDiagnosis *found = NULL;
    if (!n || !changes)
        return;
    for (int i = 0; i < n; i++)
        changes[i] = (DoctorChange){.joint = -1, .name = d->m->def.motions[i].def.name};
    if (hol_doctor_variant(d, changes, n, &m, NULL) == HOL_OK)
        hol_diagnose(m, &d->options, &found, NULL);
    for (int i = 0; found && i < found->n_loops; i++) {
        const HolDoctorLock *lock = found->loops[i]->lock;
        if (!lock)
            continue;
        const HolJointDef *j = NULL;
        for (int k = 0; k < d->m->def.n_joints && !j; k++)
            if (strcmp(d->m->def.joints[k].def.name, lock->joint) == 0)
                j = &d->m->def.joints[k].def;
        hol_doctor_warn(d, "locked", lock->joint, j ? j->line : 0, j ? j->column : 0, "%s",
                        lock->text);
    }
    hol_diagnosis_destroy(found);
    hol_model_destroy(m);
}

HolStatus hol_diagnose(const HolModel *m, const HolSimOptions *o, const HolDiagnosis **out,
                       HolError *err) {
    HolArena arena = {0};
    HolSimOptions options;
    hol_error_clear(err);
    if (!out)
        return hol_error_set(err, HOL_ERR_INPUT, "there is no place for the diagnosis");
    *out = NULL;
    if (!m || !m->frozen)
        return hol_error_set(err, HOL_ERR_INPUT, "the model is not compiled");
    HolStatus status = hol_options_take(&options, o, err);
    if (status)
        return status;
    Doctor *d = HOL_NEW(&arena, Doctor, 1);
    if (!d)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    d->arena = arena;
    d->m = m;
    d->options = options;
    d->D = m->space == HOL_PLANAR ? 3 : 6;
    d->out.singular_distance = 1;
    for (int i = 0; i < hol_model_remark_count(m); i++) {
        const HolRemark *r = hol_model_remark(m, i);
        hol_doctor_warn(d, r->kind, r->name, r->line, r->column, "%s", r->text);
    }
    hol_doctor_data(d);
    status = hol_sim_create(m, &d->options, &d->sim, err);
    if (!status)
        status = hol_sim_check(d->sim, &d->check, err);
    int ok = 1;
    if (!status) {
        ok = doctor_mechanism(d);
        hol_doctor_drives(d);
    } else if (status == HOL_ERR_ASSEMBLY) {
        doctor_without_drives(d);
    }
    hol_sim_destroy(d->sim);
    d->sim = NULL;
    if (!doctor_publish(d) || !ok) {
        hol_diagnosis_destroy(&d->out);
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    }
    *out = &d->out;
    return status;
}

void hol_diagnosis_destroy(const HolDiagnosis *out) {
    if (!out)
        return;
    const Doctor *d = (const Doctor *)(const void *)((const char *)out - offsetof(Doctor, out));
    HolArena arena = d->arena; // the doctor lives in it
    hol_arena_free(&arena);
}
