// SPDX-License-Identifier: Apache-2.0
// Drives over the time of the run: whether they have a value, and whether the mechanism can follow. Positions
// are closed at a sequence of times, each from the one before; where that fails the step is halved until
// it is a millionth of the run, which is then where the drive leaves its range. The model counts the turns
// of driven angles along the way, as in a run; the run at hand is not used afterwards.
#include "solve/constraint/closer.h"
#include "tools/doctor/doctor.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 200, MOST_SAMPLES = 3000, LARGE_NV = 3000, LARGE_SAMPLES = 20 };
static const double SHORTEST = 1e-6; // of the run

// the motion whose equation this is, or NULL
static const HolMotionDef *drives_owner(const HolModel *m, int equation) {
    for (int i = 0; i < m->def.n_motions; i++)
        if (m->def.motions[i].constraint == equation)
            return &m->def.motions[i].def;
    return NULL;
}

static void drives_blame(Doctor *d, double t, int row) {
    const HolModel *m = d->m;
    const HolMotionDef *motion = drives_owner(m, row);
    const char *open = m->sys.equations[row].owner;
    if (!motion)
        motion = &m->def.motions[0].def;
    hol_doctor_warn(d, "drive", motion->name, motion->line, motion->column,
                    "motion '%s' leaves its range at time %.4g: the mechanism cannot follow, '%s' "
                    "stays open",
                    motion->name, t, open);
}

static void drives_follow(Doctor *d, double from, double to) {
    HolSim *s = d->sim;
    HolArena scratch = {0};
    double *q = HOL_NEW(&scratch, double, s->nq + 1), *next = HOL_NEW(&scratch, double, s->nq + 1),
           *rest = HOL_NEW(&scratch, double, s->nv + 1);
    HolCloser *closer = scratch.failed ? NULL : hol_closer_create(s);
    const double span = to - from, step = span / (s->nv > LARGE_NV ? LARGE_SAMPLES : SAMPLES);
    double t = from, h = step;
    int row = 0;
    if (closer)
        memcpy(q, s->x.q, sizeof *q * (size_t)s->nq);
    for (int k = 0; closer && k < MOST_SAMPLES && t < to; k++) {
        const double at = fmin(t + h, to);
        memcpy(next, q, sizeof *q * (size_t)s->nq);
        if (hol_closer_at(closer, at, next, &row)) {
            memcpy(q, next, sizeof *q * (size_t)s->nq);
            t = at;
            if (s->p->extras->accept)
                s->p->extras->accept(s->p, s->work, t, q, rest);
            h = fmin(2 * h, step);
        } else if ((h *= 0.5) < SHORTEST * span) {
            drives_blame(d, t, row);
            break;
        }
    }
    hol_closer_destroy(closer);
    hol_arena_free(&scratch);
}

void hol_doctor_drives(Doctor *d) {
    HolSim *s = d->sim;
    const HolModel *m = d->m;
    const double from = s->o.start, to = s->o.end;
    char why[300];
    if (!m->def.n_motions || !(to > from) || !isfinite(to))
        return;
    double end = to;
    if (s->p->extras->drive_end) {
        const double t = s->p->extras->drive_end(s->p, s->work, from, to, why, sizeof why);
        if (t <= to) {
            const HolMotionDef *motion = &m->def.motions[0].def;
            hol_doctor_warn(d, "drive", motion->name, motion->line, motion->column,
                            "a drive has no value from time %.4g on: %s", t, why);
            end = t;
        }
    }
    if (end > from && end == to)
        drives_follow(d, from, end);
}
