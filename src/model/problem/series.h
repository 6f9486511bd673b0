// SPDX-License-Identifier: Apache-2.0
// What the files of the Taylor series share: where the series of rows and bodies lie. series.c:
// memory, evaluation; body_series.c: frames; series_equations.c: right-hand sides; batch_series.c:
// equations four at a time.
#ifndef HOL_MODEL_JETS_H
#define HOL_MODEL_JETS_H

#include "base/thread_pool.h"
#include "model/model.h"

// A pass over all bodies or joints, as the parts of a large mechanism get it.
typedef struct HolPass {
    const HolModel *m;
    HolModelWork *w;
    int k;
    const double *a, *lambda;
    double *rhs;
} HolPass;

// doubles a series, room for q_{order+2}
static inline int stride_of(int order) {
    return (order + 3 + 3) / 4 * 4;
}

// Memory by orders: groups of four from one to the next. Long ones are kept from multiples of 4096 bytes, so
// that the orders of a thing do not meet in the same places of a cache.
static inline long slab_of(long groups, int unit) {
    const long page = 4096 / (long)(HOL_JET_GROUP * sizeof(double));
    return groups < page ? groups : (groups + page - 1 - unit) / page * page + unit;
}

static inline int dim_of(const HolModel *m) {
    return m->space == HOL_PLANAR ? 3 : 6;
}

static inline double *own_series(const HolModelWork *w, const HolRow *r) {
    return w->jet.rows + r->jet * w->jet.jets.stride;
}

static inline long row_series(const HolRow *r) {
    return r->kind->series + r->more;
}

static inline double *value_series(const HolModelWork *w, const HolRow *r) {
    return w->jet.rows + (r->jet + row_series(r)) * w->jet.jets.stride;
}

static inline double *coef_series(const HolModelWork *w, const HolRow *r, int dim, int side,
                                  int i) {
    return w->jet.rows + (r->jet + row_series(r) + 1 + side * dim + i) * w->jet.jets.stride;
}

// velocity coordinate c of a body, order j
static inline double velocity_jet(const HolModel *m, const HolJets *J, int body, int c, int j) {
    if (m->space == HOL_SPATIAL && c >= 3)
        return *hol_jet(J, body, HOL_S_OMEGA + c - 3, j);
    return (j + 1) * *hol_jet(J, body, c, j + 1);
}

// body_series.c
void hol_jet_start(const HolProblem *p, void *work, double t, const double *q, const double *v);
void hol_jet_set(const HolProblem *p, void *work, int k, const double *a, const double *lambda,
                 const double *vars);
// weights, gyroscopic torques, torques of the moments below order k, of order k into rhs; order k+2
// of the frames with v_{k+1} = 0; moments of an order that was not set are cleared
void hol_jet_bodies(const HolModel *m, HolModelWork *w, int k, double *rhs);
// space: torques of the moments of order k as far as known into rhs
void hol_jet_moments(const HolModel *m, HolModelWork *w, double *rhs);

// batch_series.c
size_t hol_jet_moments_size(const HolModel *m); // doubles
void hol_jet_batches_stage(const HolModel *m, HolModelWork *w, int k, double *rhs);
void hol_jet_batches_set(const HolModel *m, HolModelWork *w, int k, const double *lambda);

// series_equations.c
void hol_jet_rhs(const HolProblem *p, void *work, int k, double *rhs);
double hol_jet_velocity_row(const HolModel *m, HolModelWork *w, const HolRow *r, int first, int k);
size_t hol_jet_partial_work(const HolExpr *e, int order);

#endif
