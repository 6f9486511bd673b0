// SPDX-License-Identifier: Apache-2.0
// Taylor jets of the frames (jets.c has the whole scheme): order n of positions and rotations from
// the velocities, first with v_{n-1} = 0, then with what the solve gave.
//   plane  c_n = -(1/n) sum_{i=1..n} i theta_i s_{n-i},  s_n likewise
//   space  p' = p (0, omega)/2,  A quadratic in p
#include "math/vec.h"
#include "model/jets.h"

#include <string.h>

static void plane_start(const HolModelWork *w, int i, const HolFrame *f, const double *v,
                        int rigid) {
    const HolJets *J = &w->jet.jets;
    double *th = hol_series(J, i, HOL_S_THETA), *c = hol_series(J, i, HOL_S_COS),
           *s = hol_series(J, i, HOL_S_SIN);
    hol_series(J, i, HOL_S_X)[0] = f->r[0];
    hol_series(J, i, HOL_S_Y)[0] = f->r[1];
    hol_series(J, i, HOL_S_X)[1] = v[0];
    hol_series(J, i, HOL_S_Y)[1] = v[1];
    if (!rigid)
        return;
    th[0] = f->angle;
    th[1] = v[2];
    c[0] = f->A[0];
    s[0] = f->A[3];
    c[1] = -v[2] * s[0];
    s[1] = v[2] * c[0];
}

static void plane_provisional(const HolJets *J, int i, int n) {
    double *th = hol_series(J, i, HOL_S_THETA), *c = hol_series(J, i, HOL_S_COS),
           *s = hol_series(J, i, HOL_S_SIN);
    double cs = 0, sn = 0;
    hol_series(J, i, HOL_S_X)[n] = 0;
    hol_series(J, i, HOL_S_Y)[n] = 0;
    th[n] = 0;
    for (int k = 1; k < n; k++) {
        double u = k * th[k];
        cs += u * s[n - k];
        sn += u * c[n - k];
    }
    c[n] = -cs / n;
    s[n] = sn / n;
}

// order n of p from omega up to n-1 (p' = p (0, omega)/2), and of A from p; the products of one
// order run side by side
static void space_rotation(const HolJets *J, int body, int n) {
    int L = J->stride, k = n - 1;
    const double *ox = hol_series(J, body, HOL_S_OMEGA), *oy = ox + L, *oz = oy + L;
    double *w = hol_series(J, body, HOL_S_P), *x = w + L, *y = x + L, *z = y + L;
    if (n > 0) {
        double s0 = 0, s1 = 0, s2 = 0, s3 = 0, s = 0.5 / n;
        for (int i = 0; i <= k; i++) {
            double a = ox[k - i], b = oy[k - i], c = oz[k - i];
            s0 -= x[i] * a + y[i] * b + z[i] * c;
            s1 += w[i] * a + y[i] * c - z[i] * b;
            s2 += w[i] * b + z[i] * a - x[i] * c;
            s3 += w[i] * c + x[i] * b - y[i] * a;
        }
        w[n] = s * s0;
        x[n] = s * s1;
        y[n] = s * s2;
        z[n] = s * s3;
    }
    // 2 p p^T, pairs (i, n-i) and (n-i, i) at once
    double ww = 0, xx = 0, yy = 0, zz = 0, wx = 0, wy = 0, wz = 0, xy = 0, xz = 0, yz = 0;
    for (int i = 0, j = n; i < j; i++, j--) {
        ww += w[i] * w[j];
        xx += x[i] * x[j];
        yy += y[i] * y[j];
        zz += z[i] * z[j];
        wx += w[i] * x[j] + w[j] * x[i];
        wy += w[i] * y[j] + w[j] * y[i];
        wz += w[i] * z[j] + w[j] * z[i];
        xy += x[i] * y[j] + x[j] * y[i];
        xz += x[i] * z[j] + x[j] * z[i];
        yz += y[i] * z[j] + y[j] * z[i];
    }
    ww *= 2, xx *= 2, yy *= 2, zz *= 2;
    if (n % 2 == 0) {
        int h = n / 2;
        ww += w[h] * w[h], xx += x[h] * x[h], yy += y[h] * y[h], zz += z[h] * z[h];
        wx += w[h] * x[h], wy += w[h] * y[h], wz += w[h] * z[h];
        xy += x[h] * y[h], xz += x[h] * z[h], yz += y[h] * z[h];
    }
    double *A = hol_series(J, body, HOL_S_A) + n;
    A[0] = ww + xx - yy - zz;
    A[L] = 2 * (xy - wz);
    A[2 * L] = 2 * (xz + wy);
    A[3 * L] = 2 * (xy + wz);
    A[4 * L] = ww - xx + yy - zz;
    A[5 * L] = 2 * (yz - wx);
    A[6 * L] = 2 * (xz - wy);
    A[7 * L] = 2 * (yz + wx);
    A[8 * L] = ww - xx - yy + zz;
}

static void space_start(const HolModelWork *w, int i, const HolFrame *f, const double *v,
                        int rigid) {
    const HolJets *J = &w->jet.jets;
    for (int k = 0; k < 3; k++) {
        hol_series(J, i, HOL_S_R + k)[0] = f->r[k];
        hol_series(J, i, HOL_S_R + k)[1] = v[k];
        if (rigid)
            hol_series(J, i, HOL_S_OMEGA + k)[0] = v[3 + k];
    }
    if (!rigid)
        return;
    for (int k = 0; k < 4; k++)
        hol_series(J, i, HOL_S_P + k)[0] = f->p[k];
    space_rotation(J, i, 0);
    space_rotation(J, i, 1);
}

void hol_jet_start(const HolProblem *p, void *work, double t, const double *q, const double *v) {
    const HolModel *m = p->user;
    HolModelWork *w = work;
    int L = w->jet.jets.stride;
    hol_model_position(m, w, t, q);
    hol_model_velocity(m, w, v);
    for (int i = 1; i < m->n_bodies; i++) {
        const HolBody *b = &m->bodies[i];
        int rigid = b->def.type == HOL_RIGID;
        if (b->def.type == HOL_COORDINATE) {
            hol_series(&w->jet.jets, i, 0)[0] = q[b->q];
            hol_series(&w->jet.jets, i, 0)[1] = v[b->v];
        } else if (m->space == HOL_PLANAR)
            plane_start(w, i, &w->frames[i], v + b->v, rigid);
        else
            space_start(w, i, &w->frames[i], v + b->v, rigid);
    }
    if (m->n_active_slots) {
        memset(w->jet.slot, 0, sizeof(double) * (size_t)L);
        w->jet.slot[0] = t;
        w->jet.slot[1] = 1;
    }
}

void hol_jet_provisional(const HolModel *m, HolModelWork *w, int n) {
    const HolJets *J = &w->jet.jets;
    for (int i = 1; i < m->n_bodies; i++) {
        HolBodyType type = m->bodies[i].def.type;
        if (type == HOL_COORDINATE)
            hol_series(J, i, 0)[n] = 0;
        else if (m->space == HOL_PLANAR) {
            if (type == HOL_RIGID)
                plane_provisional(J, i, n);
            else
                hol_series(J, i, HOL_S_X)[n] = hol_series(J, i, HOL_S_Y)[n] = 0;
        } else {
            for (int k = 0; k < 3; k++)
                hol_series(J, i, HOL_S_R + k)[n] = hol_series(J, i, HOL_S_OMEGA + k)[n - 1] = 0;
            if (type == HOL_RIGID)
                space_rotation(J, i, n);
        }
    }
}

void hol_jet_set(const HolProblem *p, void *work, int k, const double *a, const double *lambda,
                 const double *vars) {
    const HolModel *m = p->user;
    HolModelWork *w = work;
    const HolJets *J = &w->jet.jets;
    int L = J->stride, n = k + 2;
    double s1 = 1.0 / (k + 1), s2 = s1 / n;
    for (int i = 1; i < m->n_bodies; i++) {
        const HolBody *b = &m->bodies[i];
        const double *ab = a + b->v;
        if (m->space == HOL_PLANAR || b->nv < 6) {
            for (int c = 0; c < b->nv; c++)
                hol_series(J, i, c)[n] = s2 * ab[c];
            if (m->space == HOL_PLANAR && b->nv == 3) {
                double *c = hol_series(J, i, HOL_S_COS), *s = hol_series(J, i, HOL_S_SIN);
                c[n] -= s2 * ab[2] * s[0];
                s[n] += s2 * ab[2] * c[0];
            }
            continue;
        }
        Vec3 o = v3_scale(v3_load(ab + 3), s1);
        double *pq = hol_series(J, i, HOL_S_P), *A = hol_series(J, i, HOL_S_A),
               *os = hol_series(J, i, HOL_S_OMEGA);
        for (int c = 0; c < 3; c++)
            hol_series(J, i, HOL_S_R + c)[n] = s2 * ab[c];
        os[n - 1] = o.x;
        os[L + n - 1] = o.y;
        os[2 * L + n - 1] = o.z;
        Quat d = q_mul((Quat){pq[0], pq[L], pq[2 * L], pq[3 * L]}, (Quat){0, o.x, o.y, o.z});
        pq[n] += 0.5 * d.w / n;
        pq[L + n] += 0.5 * d.x / n;
        pq[2 * L + n] += 0.5 * d.y / n;
        pq[3 * L + n] += 0.5 * d.z / n;
        for (int r = 0; r < 3; r++) { // row r of A_0 omega~
            Vec3 row = v3(A[3 * r * L], A[(3 * r + 1) * L], A[(3 * r + 2) * L]),
                 x = v3_cross(row, o);
            A[3 * r * L + n] += x.x / n;
            A[(3 * r + 1) * L + n] += x.y / n;
            A[(3 * r + 2) * L + n] += x.z / n;
        }
    }
    for (int i = 0; i < m->n_equations; i++)
        w->jet.lambda[(long)i * L + k] = lambda[i];
    for (int r = 0; r < m->n_runs; r++)
        if (m->runs[r].batch && m->runs[r].batch->set)
            m->runs[r].batch->set(m, w, m->runs[r].first, m->runs[r].count, k, lambda);
    for (int i = 0; i < m->nw; i++)
        w->jet.w[(long)i * L + k] = vars[i];
}
