// SPDX-License-Identifier: Apache-2.0
// Shapes of modes on a page: the report of a run whose samples are q (+) amplitude Re(shape exp(i phi)) over
// one turn of phi, one mode after the other. The page plays one of them at a time.
#include "tools/report/report.h"

#include "model/model.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 48, MOST_SHAPES = 60 };
static const double TURN = 2;       // [s] on the page
static const double TURNED = 0.5;   // [rad]
static const double LARGEST = 0.15; // displacement, part of the model's size

// the pose of every body, in the order of q, behind the time
static HolColumn *modes_report_columns(const HolModel *m, HolArena *arena) {
    static const char *const plane[] = {"x", "y", "angle"};
    static const char *const space[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
    int n = 1;
    for (int b = 1; b < hol_visible_bodies(m); b++)
        n += m->def.bodies[b].nq;
    HolColumn *out = HOL_NEW(arena, HolColumn, n + 1);
    if (!out)
        return NULL;
    out[0] = (HolColumn){.name = "time", .unit = "s"};
    for (int b = 1; b < hol_visible_bodies(m); b++) {
        const HolBody *body = &m->def.bodies[b];
        for (int k = 0; k < body->nq; k++) {
            char name[256];
            const char *part = (m->space == HOL_PLANAR ? plane : space)[k];
            snprintf(name, sizeof name, "%s.%s", body->def.name, part);
            out[1 + body->q + k] = (HolColumn){.name = hol_arena_text(arena, name),
                                               .unit = part[0] == 'a'   ? "rad"
                                                       : part[0] == 'q' ? "1"
                                                                        : "m"};
        }
    }
    return arena->failed ? NULL : out;
}

// diagonal of the box around all bodies and their points
static double modes_report_size(const HolModel *m, const double *q, double least) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    double sum = 0, far = 0;
    const int n = m->space == HOL_PLANAR ? 2 : 3;
    for (int b = 1; b < hol_visible_bodies(m); b++) {
        const HolBody *body = &m->def.bodies[b];
        for (int k = 0; k < body->def.n_points; k++) {
            const double *at = body->def.points[k].at;
            far = fmax(far, hypot(hypot(at[0], at[1]), at[2]));
        }
        for (int k = 0; body->nq >= n && k < n; k++) {
            low[k] = fmin(low[k], q[body->q + k]);
            high[k] = fmax(high[k], q[body->q + k]);
        }
    }
    for (int k = 0; k < n && low[k] <= high[k]; k++)
        sum = hypot(sum, high[k] - low[k]);
    return fmax(sum + 2 * far, least);
}

// the largest displacement is a part of the model's size, the largest rotation not more than TURNED
static double modes_report_amplitude(const HolModes *m, const HolMode *mode, double size) {
    double moved = 0, turned = 0;
    for (int i = 0; i < m->n_coordinates; i++) {
        const char *key = strrchr(m->coordinates[i], '.');
        const double value = hypot(mode->shape[2 * i], mode->shape[2 * i + 1]);
        if (key && (strcmp(key, ".angle") == 0 || (key[1] == 'r' && key[2])))
            turned = fmax(turned, value);
        else
            moved = fmax(moved, value);
    }
    return fmin(moved > 0 ? LARGEST * size / moved : INFINITY,
                turned > 0 ? TURNED / turned : INFINITY);
}

static HolStatus modes_report_rows(HolReport *r, HolSim *s, const HolModes *m, HolError *err) {
    const int nq = hol_sim_view(s).nq;
    const double size = modes_report_size(r->model, hol_sim_view(s).q, m->length);
    double *row = HOL_NEW(&r->arena, double, nq + 1);
    HolStatus status = row ? HOL_OK : hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    for (int k = 0; !status && k < m->n_modes + m->n_free; k++) {
        const HolMode *mode = k < m->n_modes ? m->modes[k] : m->free_motions[k - m->n_modes];
        const double amplitude = modes_report_amplitude(m, mode, size);
        for (int i = 0; !status && i <= SAMPLES; i++) {
            const double phase = 2 * 3.14159265358979323846 * (i % SAMPLES) / SAMPLES;
            row[0] = k * (TURN + 1) + TURN * i / SAMPLES;
            // (it begins in the middle)
            status = hol_modes_positions(s, m, mode, amplitude,
                                         phase - 0.5 * 3.14159265358979323846, row + 1, err);
            if (!status)
                status = hol_report_row(r, row, row, err);
        }
    }
    return status;
}

// the state as it is, where nothing moves
static HolStatus modes_report_still(HolReport *r, HolSim *s, HolError *err) {
    const HolView x = hol_sim_view(s);
    double *row = HOL_NEW(&r->arena, double, x.nq + 1);
    if (!row)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    memcpy(row + 1, x.q, sizeof *row * (size_t)x.nq);
    return hol_report_row(r, row, row, err);
}

HolStatus hol_modes_write_report(HolSim *s, const HolModel *model, const HolSimOptions *o,
                                 const HolModes *m, const char *path, HolError *err) {
    hol_error_clear(err);
    if (!s || !model || !o || !m || !path)
        return hol_error_set(err, HOL_ERR_INPUT,
                             "a run, its model, options, modes and a path are needed");
    HolArena arena = {0};
    HolReport *r = NULL;
    HolModes shown = *m;
    char label[96];
    const HolColumn *columns = modes_report_columns(model, &arena);
    HolStatus status = columns ? hol_report_begin(model, o, columns, 1, &r, err)
                               : hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    if (!status) {
        if (shown.n_modes > MOST_SHAPES)
            shown.n_modes = MOST_SHAPES;
        if (shown.n_modes + shown.n_free > MOST_SHAPES)
            shown.n_free = MOST_SHAPES - shown.n_modes;
        if (shown.n_modes < m->n_modes || shown.n_free < m->n_free)
            hol_report_remark(r, "Of many modes and free motions the first are shown.");
        if (m->note[0])
            hol_report_remark(r, m->note);
        r->modes = &shown;
        r->mode_time = TURN;
        snprintf(label, sizeof label, "modes at time %.6g", m->time);
        status = shown.n_modes + shown.n_free ? modes_report_rows(r, s, &shown, err)
                                              : modes_report_still(r, s, err);
    }
    if (!status)
        status = hol_report_write(path, &(HolReportRun){.report = r, .label = label}, 1, err);
    hol_report_end(r);
    hol_arena_free(&arena);
    return status;
}
