// SPDX-License-Identifier: Apache-2.0
// Names of rows. Rows of a joint that hold translations and rotations are replaced by as many others along
// axes of the loop, which say the same: "translation along x", "rotation about y". Other rows have the
// name of their kind: "distance", "roll", "drive".
#include "solve/run/error_test.h"
#include "tools/doctor/doctor.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const double SAME = 1e-9; // 1 - |cosine| of directions that are the same

const char *hol_doctor_say(HolArena *a, const char *format, ...) {
    char text[2000];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const char *kept = hol_arena_text(a, text);
    return kept ? kept : "";
}

void hol_doctor_direction(Vec3 u, char *out, size_t size) {
    const double c[3] = {u.x, u.y, u.z};
    double sign = 1;
    for (int i = 0; i < 3; i++)
        if (fabs(c[i]) > 1 - SAME) {
            snprintf(out, size, "%c", "xyz"[i]);
            return;
        }
    for (int i = 2; i >= 0; i--)
        if (fabs(c[i]) > SAME)
            sign = c[i] < 0 ? -1 : 1;
    double x[3];
    for (int i = 0; i < 3; i++)
        x[i] = fabs(c[i]) < 5e-7 ? 0 : sign * c[i];
    snprintf(out, size, "(%.4g, %.4g, %.4g)", x[0], x[1], x[2]);
}

// n directions that span the same: along E where they can
static void names_directions(Vec3 *u, int n, const Vec3 E[3], int plane) {
    if (n == 3 || (plane && n == 2)) {
        for (int i = 0; i < n; i++)
            u[i] = E[i];
        return;
    }
    if (n != 2)
        return;
    const Vec3 normal = v3_unit(v3_cross(u[0], u[1]));
    int across = 0;
    for (int k = 0; k < 3; k++) {
        if (fabs(v3_dot(normal, E[k])) > 1 - SAME) {
            u[0] = E[(k + 1) % 3];
            u[1] = E[(k + 2) % 3];
            return;
        }
        if (fabs(v3_dot(normal, E[k])) < fabs(v3_dot(normal, E[across])))
            across = k;
    }
    u[0] = v3_unit(v3_sub(E[across], v3_scale(normal, v3_dot(normal, E[across]))));
    u[1] = v3_cross(normal, u[0]);
}

static int names_span(Vec3 *list, int n, Vec3 add) {
    Vec3 left = v3_unit(add);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < n; i++)
            left = v3_sub(left, v3_scale(list[i], v3_dot(list[i], left)));
    if (n == 3 || !(v3_norm(left) > DOCTOR_DEPENDENT))
        return n;
    list[n] = v3_unit(left);
    return n + 1;
}

int hol_doctor_holds(const Doctor *d, const DoctorPose *p, const DoctorEdge *e, Vec3 T[3], int *nT,
                     Vec3 M[3], int *nM) {
    const Vec3 place = hol_doctor_place(d, p, e);
    *nT = *nM = 0;
    if (d->m->def.joints[e->joint].kind->holds[0] == HOL_HOLDS_UNSAID)
        return 0;
    for (int k = 0; k < e->n_own; k++) {
        double w[DOCTOR_D];
        Vec3 f, m;
        hol_doctor_wrench(d, p, e, e->rows[k], place, 1, w);
        hol_doctor_unpack(d, w, 1, &f, &m);
        // (rows of rotations have no force at all; those of places have one of size 1)
        if (v3_norm(f) > 0.5)
            *nT = names_span(T, *nT, f);
        else
            *nM = names_span(M, *nM, m);
    }
    return *nT + *nM == e->n_own;
}

static void names_add(DoctorBasis *b, const Doctor *d, Vec3 f, Vec3 m, double L, const char *owner,
                      const char *what) {
    char direction[40];
    hol_doctor_pack(d, f, m, L, b->w[b->n]);
    hol_doctor_direction(v3_norm(f) > 0 ? f : v3_scale(m, 1 / L), direction, sizeof direction);
    if (d->D == 3 && v3_norm(f) == 0)
        snprintf(b->name[b->n], sizeof b->name[0], "rotation");
    else
        snprintf(b->name[b->n], sizeof b->name[0], "%s %s", what, direction);
    b->owner[b->n++] = owner;
}

void hol_doctor_basis(const Doctor *d, const DoctorPose *p, const DoctorEdge *e, const Vec3 E[3],
                      double L, DoctorBasis *out) {
    const Vec3 place = hol_doctor_place(d, p, e), none = v3(0, 0, 0);
    const char *owner = d->m->def.joints[e->joint].def.name;
    Vec3 T[3], M[3];
    int nT, nM, first = 0;
    out->n = 0;
    if (hol_doctor_holds(d, p, e, T, &nT, M, &nM)) {
        names_directions(T, nT, E, d->D == 3);
        names_directions(M, nM, E, 0);
        for (int i = 0; i < nT; i++)
            names_add(out, d, T[i], none, L, owner, "translation along");
        for (int i = 0; i < nM; i++)
            names_add(out, d, none, v3_scale(M[i], L), L, owner, "rotation about");
        first = e->n_own;
    }
    for (int k = first; k < e->n_rows; k++) {
        hol_doctor_wrench(d, p, e, e->rows[k], place, L, out->w[out->n]);
        hol_doctor_row_name(d, e->rows[k], out->name[out->n], sizeof out->name[0]);
        out->owner[out->n++] = d->m->sys.equations[e->rows[k]].owner;
    }
}

void hol_doctor_row_name(const Doctor *d, int equation, char *out, size_t size) {
    const HolModel *m = d->m;
    const HolEquation *q = &m->sys.equations[equation];
    const int edge = d->edge_of[equation];
    const HolJoint *j = q->joint >= 0 ? &m->def.joints[q->joint] : NULL;
    if (!j) {
        snprintf(out, size, "%s", q->n_terms ? "drive" : "equation");
        return;
    }
    const int said = j->kind->holds[0] != HOL_HOLDS_UNSAID;
    if (edge >= 0 && q->n_terms == 1 && (said || j->n_equations > 1)) {
        const DoctorEdge *e = &d->edges[edge];
        double w[DOCTOR_D];
        char direction[40];
        Vec3 f, t;
        hol_doctor_wrench(d, &d->here, e, equation, hol_doctor_place(d, &d->here, e), 1, w);
        hol_doctor_unpack(d, w, 1, &f, &t);
        const int force = v3_norm(f) > 0.5,
                  pure = !force || v3_norm(t) <= 1e-9 * d->sim->test->length;
        hol_doctor_direction(v3_unit(force ? f : t), direction, sizeof direction);
        if (d->D == 3 && !force)
            snprintf(out, size, "rotation");
        else if (pure)
            snprintf(out, size, "%s %s", force ? "translation along" : "rotation about", direction);
        if (pure)
            return;
    }
    snprintf(out, size, "%s",
             q->n_terms == 1 ? m->sys.rows[m->sys.terms[q->first_term].row].kind->name
                             : j->kind->name);
}

const char *hol_doctor_list(HolArena *a, const char *const *names, int n, int most,
                            const char *others) {
    char text[1500] = "";
    size_t used = 0;
    const int shown = n <= most + 1 ? n : most;
    for (int i = 0; i < shown && used + 1 < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
                                 i == 0                         ? ""
                                 : i == shown - 1 && shown == n ? " and "
                                                                : ", ",
                                 names[i]);
    if (shown < n && used + 1 < sizeof text)
        snprintf(text + used, sizeof text - used, " and %d more %s", n - shown, others);
    return hol_doctor_say(a, "%s", text);
}
