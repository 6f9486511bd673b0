// SPDX-License-Identifier: Apache-2.0
// Free motions along a functional (docs/theory/assembly.md, section 7). Sizes of velocities are taken in the
// scales of positions, u = near v (places in lengths of the mechanism, angles in radians). The largest
// rate c . v over all v with G v = 0, |u| = 1 is along
//   [ W  G^T ] [v     ]   [c]
//   [ G   0  ] [lambda] = [0],   W = diag(near^2),
// the projection of W^-1 c onto the free velocities: c . v = |u|^2 before it is scaled to length 1.
#include "solve/doctor/free_motion.h"
#include "solve/run/error_test.h"

#include <errno.h>
#include <math.h>
#include <string.h>

struct HolFreeMotion {
    HolSim *s;
    HolKkt *kkt;
    double *x; // nv + m
};

HolFreeMotion *hol_free_motion_create(HolSim *s, int *no_memory) {
    HolArena *a = &s->arena;
    HolFreeMotion *f = HOL_NEW(a, HolFreeMotion, 1);
    *no_memory = 1;
    int *diagonal = HOL_NEW(a, int, s->nv + 1);
    if (!f || !diagonal)
        return NULL;
    for (int i = 0; i <= s->nv; i++)
        diagonal[i] = i;
    const HolPattern W = {s->nv, s->nv, s->nv, diagonal, diagonal};
    f->s = s;
    f->x = HOL_NEW(a, double, s->nv + s->m + 1);
    f->kkt = hol_sim_kkt(s, &W, &s->p->G, 0, 1, "auto");
    if (!f->kkt || !f->x)
        return NULL;
    hol_kkt_set_redundant(f->kkt, s->check.redundant > 0);
    for (int i = 0; i < s->nv; i++)
        hol_kkt_S(f->kkt)[i] = s->test->near[i] * s->test->near[i];
    if (s->m)
        s->p->jacobian(s->p, s->work, HOL_AT(&s->x), hol_kkt_G(f->kkt));
    errno = 0;
    const int singular = hol_kkt_factor(f->kkt);
    *no_memory = singular && errno == ENOMEM;
    if (singular) {
        hol_kkt_destroy(f->kkt);
        return NULL;
    }
    return f;
}

double hol_free_motion_along(HolFreeMotion *f, const double *c, double *v) {
    const HolSim *s = f->s;
    const double *near = s->test->near;
    double given = 0, found = 0;
    memcpy(f->x, c, sizeof *c * (size_t)s->nv);
    memset(f->x + s->nv, 0, sizeof *c * (size_t)s->m);
    hol_kkt_solve(f->kkt, f->x);
    for (int i = 0; i < s->nv; i++) {
        given += c[i] * c[i] / (near[i] * near[i]);
        found += f->x[i] * near[i] * (f->x[i] * near[i]);
    }
    const double scale = found > 0 ? 1 / sqrt(found) : 0;
    for (int i = 0; i < s->nv; i++)
        v[i] = f->x[i] * scale;
    return given > 0 ? sqrt(found / given) : 0;
}

void hol_free_motion_destroy(HolFreeMotion *f) {
    if (f)
        hol_kkt_destroy(f->kkt);
}
