// SPDX-License-Identifier: Apache-2.0
// Order 6 for hermite with the complex Newton, by one deferred correction of the solved step
// (docs/theory/tangent.md, section 9):
//   y1 += D(z) Q(z)^-1 e,   e = h^2/60 (y0'' - y1'') + h^3/120 (y0''' + y1'''),  z = hA
// e is the difference between hermite and the formula of order 6,
//   y0 + h/2 (y0' + y1') + h^2/10 (y0'' - y1'') + h^3/120 (y0''' + y1'''),
// that is hermite's local error. Q = 1 - z/2 + z^2/12 belongs to hermite's Newton matrix,
// D = (1 - z/2) / Q = 1 - z^2/12 + .. keeps fast components from growing:
//   R(z) = R4(z) + D e(z) / Q,  |R| <= 1 for Re z <= 0,  R(-inf) = -1/5
// where hermite alone has R(-inf) = 1. The norm of the correction is the error estimate.
#include "solve/method/tangent/tangent.h"
#include "solve/run/error_test.h"

#include <math.h>
#include <string.h>

void hol_tangent_sixth(HolSim *s, Tangent *m, const TangentNode *from, double h, TangentNode *to) {
    const HolProblem *p = s->p;
    const int nv = s->nv;
    const double *a0 = from->x.a, *a1 = to->x.a, *j0 = from->j, *j1 = to->j, *s0 = from->s,
                 *s1 = to->s;
    double *e = m->e, *rate = m->dv, *force = m->rhs;
    hol_tangent_snap(s, m, to);
    if (m->f.order != 4 || !from->has_s)
        return;
    for (int i = 0; i < nv; i++) {
        e[i] = h * h / 120 * (2 * (a0[i] - a1[i]) + h * (j0[i] + j1[i]));
        rate[i] = h * h / 60 * (j0[i] - j1[i] + h * (s0[i] + s1[i]));
    }
    hol_tangent_tangential(s, m, e);
    memset(force, 0, sizeof *force * (size_t)nv);
    hol_mul_columns(&p->M, m->M, rate, 1, force);
    hol_tangent_complex_filter(s, m, h, e, force, to->x.a, to->j);
    hol_error_test_candidate(s, &to->x);
    m->pair.error = fmax(hol_norm_q(s, e), 1e-300);
    m->pair.error_v = hol_norm_v(s, m->dv);
    for (int i = 0; i < nv; i++)
        to->x.v[i] += m->dv[i];
    p->retract(p, s->work, to->x.q, e, to->x.q);
}
