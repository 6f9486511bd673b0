// SPDX-License-Identifier: Apache-2.0
// Where the nodes of a beam are, as written: on a straight line, an arc or a spline through points,
// at equal lengths along it. Axes of a node: x along the curve, z towards `up`, y = up x x.
//   spline  natural cubic in the chord length, r(t); its length by Gauss' rule with 8 points a
//           piece, the parameter of a length by bisection and Newton steps
//   slack   a rod longer than the distance of its ends starts as the arc of that length,
//           sin(a)/a = distance/length, below its chord (against `up`; in the plane to the right)
#include "math/vec.h"
#include "model/body/beam.h"

#include <math.h>
#include <string.h>

static int beam_curve_problem(const HolModel *m, const HolBeamDef *d, HolError *err,
                              const char *text) {
    hol_problem_error(m, err, d->body.line, d->body.column, "beam '%s': %s", d->body.name, text);
    return 0;
}

// axes from the tangent; up is replaced where it is along the rod and was not given
static int beam_curve_frame(const HolModel *m, const HolBeamDef *d, Vec3 r, Vec3 tangent,
                            HolFrame *f, HolError *err) {
    memset(f, 0, sizeof *f);
    v3_store(f->r, r);
    const Vec3 x = v3_unit(tangent);
    if (m->space == HOL_PLANAR) {
        f->c = x.x;
        f->s = x.y;
        f->angle = atan2(x.y, x.x);
        return 1;
    }
    Vec3 up = v3_load(d->up);
    if (!d->has_up && v3_norm(v3_cross(up, x)) < 0.1)
        up = v3(1, 0, 0);
    const Vec3 side = v3_cross(up, x);
    if (!(v3_norm(side) > 1e-6 * v3_norm(up)))
        return beam_curve_problem(m, d, err, "'up' is along the rod: give another direction");
    const Vec3 y = v3_unit(side);
    q_store(f->p, q_from_matrix(m3_columns(x, y, v3_cross(x, y))));
    return 1;
}

// an arc from `start` along `tangent`, turning about `axis` by `angle`
static int beam_curve_arc(const HolModel *m, const HolBeamDef *d, Vec3 start, Vec3 tangent,
                          Vec3 axis, double length, double angle, int n, HolFrame *nodes,
                          HolError *err) {
    const Vec3 t = v3_unit(tangent), side = v3_cross(axis, t);
    for (int i = 0; i <= n; i++) {
        const double part = (double)i / n, a = angle * part, half = 0.5 * a,
                     chord = length * part * (fabs(half) < 1e-8 ? 1 : sin(half) / half);
        const Vec3 to = v3_add(v3_scale(t, cos(half)), v3_scale(side, sin(half))),
                   now = v3_add(v3_scale(t, cos(a)), v3_scale(side, sin(a)));
        if (!beam_curve_frame(m, d, v3_add(start, v3_scale(to, chord)), now, &nodes[i], err))
            return 0;
        if (m->space == HOL_PLANAR) // not wrapped
            nodes[i].angle = nodes[0].angle + a;
    }
    return 1;
}

// half the angle of an arc: sin(a)/a = ratio
static double beam_curve_half_angle(double ratio) {
    double low = 0, high = M_PI;
    for (int i = 0; i < 200; i++) {
        const double a = 0.5 * (low + high);
        *(sin(a) > ratio * a ? &low : &high) = a;
    }
    return 0.5 * (low + high);
}

static int beam_curve_chord(const HolModel *m, const HolBeamDef *d, int n, HolFrame *nodes,
                            double *length, HolError *err) {
    const Vec3 a = v3_load(d->from), b = v3_load(d->to), way = v3_sub(b, a);
    const double distance = v3_norm(way);
    if (!(distance > 0))
        return beam_curve_problem(m, d, err, "its ends 'from' and 'to' are the same place");
    *length = distance;
    if (isnan(d->length) || d->length <= distance)
        return beam_curve_arc(m, d, a, way, v3(0, 0, 1), distance, 0, n, nodes, err);
    const double half = beam_curve_half_angle(distance / d->length);
    Vec3 axis = v3(0, 0, 1);
    if (m->space == HOL_SPATIAL) {
        HolFrame f;
        if (!beam_curve_frame(m, d, a, way, &f, err))
            return 0;
        axis = q_rotate(q_load(f.p), v3(0, -1, 0)); // turns towards `up`
    }
    const Vec3 t = v3_unit(way),
               tangent = v3_sub(v3_scale(t, cos(half)), v3_scale(v3_cross(axis, t), sin(half)));
    *length = d->length;
    return beam_curve_arc(m, d, a, tangent, axis, d->length, 2 * half, n, nodes, err);
}

// ---- spline ----

typedef struct Spline {
    int n; // points
    double *t;
    Vec3 *r, *second; // second derivatives
} Spline;

static void beam_curve_spline_solve(Spline *s, double *work) {
    const int n = s->n;
    double *c = work;
    s->second[0] = s->second[n - 1] = v3(0, 0, 0);
    c[0] = 0;
    for (int i = 1; i < n - 1; i++) {
        const double h0 = s->t[i] - s->t[i - 1], h1 = s->t[i + 1] - s->t[i],
                     pivot = 2 * (h0 + h1) - h0 * c[i - 1];
        const Vec3 slope = v3_sub(v3_scale(v3_sub(s->r[i + 1], s->r[i]), 1 / h1),
                                  v3_scale(v3_sub(s->r[i], s->r[i - 1]), 1 / h0));
        c[i] = h1 / pivot;
        s->second[i] =
            v3_scale(v3_sub(v3_scale(slope, 6), v3_scale(s->second[i - 1], h0)), 1 / pivot);
    }
    for (int i = n - 2; i > 0; i--)
        s->second[i] = v3_sub(s->second[i], v3_scale(s->second[i + 1], c[i]));
}

static void beam_curve_spline_at(const Spline *s, int i, double x, Vec3 *r, Vec3 *slope) {
    const double h = s->t[i + 1] - s->t[i], b = x / h, a = 1 - b;
    if (r)
        *r = v3_add(v3_add(v3_scale(s->r[i], a), v3_scale(s->r[i + 1], b)),
                    v3_add(v3_scale(s->second[i], (a * a * a - a) * h * h / 6),
                           v3_scale(s->second[i + 1], (b * b * b - b) * h * h / 6)));
    *slope = v3_add(v3_scale(v3_sub(s->r[i + 1], s->r[i]), 1 / h),
                    v3_add(v3_scale(s->second[i], -(3 * a * a - 1) * h / 6),
                           v3_scale(s->second[i + 1], (3 * b * b - 1) * h / 6)));
}

// length of piece i from its start to x
static double beam_curve_spline_length(const Spline *s, int i, double x) {
    static const double at[4] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                 0.9602898564975363},
                        weight[4] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                                     0.1012285362903763};
    double sum = 0;
    for (int k = 0; k < 8; k++) {
        Vec3 slope;
        const double sign = k < 4 ? -1 : 1;
        beam_curve_spline_at(s, i, 0.5 * x * (1 + sign * at[k % 4]), NULL, &slope);
        sum += 0.5 * x * weight[k % 4] * v3_norm(slope);
    }
    return sum;
}

static int beam_curve_spline(HolModel *m, const HolBeamDef *d, int n, HolFrame *nodes,
                             double *length, HolArena *scratch, HolError *err) {
    const int dim = m->space == HOL_PLANAR ? 2 : 3, np = d->n_points;
    Spline s = {np, HOL_NEW(scratch, double, np + 1), HOL_NEW(scratch, Vec3, np + 1),
                HOL_NEW(scratch, Vec3, np + 1)};
    double *work = HOL_NEW(scratch, double, np + 1), *until = HOL_NEW(scratch, double, np + 1);
    if (!s.t || !s.r || !s.second || !work || !until) {
        m->arena.failed = 1;
        return 0;
    }
    for (int i = 0; i < np; i++) {
        const double *p = d->points + (long)dim * i;
        s.r[i] = v3(p[0], p[1], dim == 3 ? p[2] : 0);
        s.t[i] = i ? s.t[i - 1] + v3_norm(v3_sub(s.r[i], s.r[i - 1])) : 0;
        if (i && !(s.t[i] > s.t[i - 1]))
            return beam_curve_problem(m, d, err,
                                      "two neighbouring points of its curve are the same");
    }
    beam_curve_spline_solve(&s, work);
    for (int i = 0; i + 1 < np; i++)
        until[i + 1] = until[i] + beam_curve_spline_length(&s, i, s.t[i + 1] - s.t[i]);
    *length = until[np - 1];
    for (int k = 0, piece = 0; k <= n; k++) {
        const double wanted = *length * k / n;
        while (piece + 2 < np && until[piece + 1] < wanted)
            piece++;
        double low = 0, high = s.t[piece + 1] - s.t[piece];
        for (int i = 0; i < 60 && k < n; i++) {
            const double middle = 0.5 * (low + high);
            *(beam_curve_spline_length(&s, piece, middle) < wanted - until[piece] ? &low : &high) =
                middle;
        }
        Vec3 r, slope;
        beam_curve_spline_at(&s, piece, high, &r, &slope);
        if (!beam_curve_frame(m, d, r, slope, &nodes[k], err))
            return 0;
        if (m->space == HOL_PLANAR && k) // not wrapped
            nodes[k].angle -= 2 * M_PI * round((nodes[k].angle - nodes[k - 1].angle) / (2 * M_PI));
    }
    return 1;
}

int hol_beam_curve(const HolModel *m, const HolBeamDef *d, int n, HolFrame *nodes, double *length,
                   HolError *err) {
    if (d->points) {
        HolArena scratch = {0};
        HolModel *owner = (HolModel *)m; // notes a lack of memory
        const int ok = beam_curve_spline(owner, d, n, nodes, length, &scratch, err);
        hol_arena_free(&scratch);
        return ok;
    }
    if (!d->has_arc)
        return beam_curve_chord(m, d, n, nodes, length, err);
    Vec3 axis = v3(0, 0, 1);
    const Vec3 t = v3_unit(v3_load(d->direction));
    if (m->space == HOL_SPATIAL) { // up, across the rod
        HolFrame f;
        if (!beam_curve_frame(m, d, v3_load(d->from), t, &f, err))
            return 0;
        axis = q_rotate(q_load(f.p), v3(0, 0, 1));
    }
    *length = d->radius * fabs(d->angle);
    return beam_curve_arc(m, d, v3_load(d->from), t, axis, *length, d->angle, n, nodes, err);
}
