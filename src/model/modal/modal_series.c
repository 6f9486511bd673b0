// SPDX-License-Identifier: Apache-2.0
// Taylor coefficients of modal bodies. Their equations are rates of momenta, so order k needs order
// k+1 of these without the unknowns v_{k+1}, which the matrix has:
//   space  p = (J - J0) omega + Cr u,  P_k = Cr_k.omega:
//          omega: -(omega x p)_k - (k+1) p_{k+1}
//          mode:  (omega.Jq_k omega/2 + omega.C1_kl u_l)_k - (k+1) P_{k+1} - stiffness, damping
//   plane  S = A s, y = R'' - w:
//          R: -(k+1)(k+2) S_{k+2},   theta: -(Q S.y)_k - (k+1) ((I - I0) o + g.u)_{k+1}
//          mode: -(A C_k.y)_k - (k+1) (g_k o)_{k+1} - (o (B u)_k - o^2 (b_k + m z_k))_k - ..
#include "math/vec.h"
#include "model/modal/modal.h"
#include "model/problem/series.h"

#include <string.h>

// ---- space ----

// own series of a body, each of `stride` coefficients
typedef struct Space {
    double *J; // 6
    double *p; // 3
    double *w; // 3: omega
    double *z; // nf, as u
    double *u;
    double *Jq; // nf x 6
    double *Cr; // nf x 3
    double *D;  // nf x 3: sum_l C1_kl u_l
    double *Jo; // nf x 3: Jq_k omega
} Space;

enum { SPACE_FIXED = 12, SPACE_MODE = 17 };
enum { PLANE_FIXED = 8, PLANE_MODE = 6 };

static Space space_parts(const HolModal *b, double *own, int L) {
    const long nf = b->nf;
    Space s = {.J = own};
    s.p = s.J + 6 * L;
    s.w = s.p + 3 * L;
    s.z = s.w + 3 * L;
    s.u = s.z + nf * L;
    s.Jq = s.u + nf * L;
    s.Cr = s.Jq + 6 * nf * L;
    s.D = s.Cr + 3 * nf * L;
    s.Jo = s.D + 3 * nf * L;
    return s;
}

static const int SYM[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}};

// order j of a symmetric matrix times omega
static void space_times(const double *M, const Space *s, int L, int j, double out[3]) {
    for (int r = 0; r < 3; r++) {
        out[r] = 0;
        for (int c = 0; c < 3; c++)
            out[r] += hol_conv(M + SYM[r][c] * L, s->w + c * L, j);
    }
}

// order j of what depends on z alone
static void space_shape(const HolModal *b, const Space *s, int L, int j) {
    for (int k = 0; k < b->nf; k++) {
        double Jq[6], Cr[3] = {0};
        for (int i = 0; i < 6; i++)
            Jq[i] = j == 0 ? b->J1[6 * k + i] : 0;
        for (int l = 0; l < b->nf; l++) {
            const double z = s->z[l * L + j];
            const double *J2 = b->J2 + 6 * ((long)k * b->nf + l),
                         *C1 = b->C1 + 3 * ((long)l * b->nf + k);
            for (int i = 0; i < 6; i++)
                Jq[i] += 2 * z * J2[i];
            for (int i = 0; i < 3; i++)
                Cr[i] += z * C1[i];
        }
        for (int i = 0; i < 6; i++)
            s->Jq[(6L * k + i) * L + j] = Jq[i];
        for (int i = 0; i < 3; i++)
            s->Cr[(3L * k + i) * L + j] = Cr[i];
    }
    for (int i = 0; i < 6; i++) {
        double sum = 0;
        for (int k = 0; k < b->nf; k++)
            sum += 0.5 * (hol_conv(s->z + (long)k * L, s->Jq + (6L * k + i) * L, j) +
                          b->J1[6 * k + i] * s->z[k * L + j]);
        s->J[i * L + j] = sum;
    }
}

// order j of p, with the rates at hand
static void space_momentum(const HolModal *b, const Space *s, int L, int j) {
    double p[3];
    space_times(s->J, s, L, j, p);
    for (int i = 0; i < 3; i++) {
        for (int l = 0; l < b->nf; l++)
            p[i] += hol_conv(s->Cr + (3L * l + i) * L, s->u + (long)l * L, j);
        s->p[i * L + j] = p[i];
    }
}

// order k of the rates, order k+1 of the amplitudes
static void space_load(const HolModel *m, const HolModal *b, const HolJets *J, const Space *s,
                       int L, int k) {
    for (int i = 0; i < 3; i++) {
        s->w[i * L + k] = *hol_jet(J, b->body, HOL_S_OMEGA + i, k);
        s->w[i * L + k + 1] = 0;
    }
    for (int l = 0; l < b->nf; l++) {
        if (k == 0)
            s->z[l * L] = *hol_jet(J, b->body + 1 + l, 0, 0);
        s->z[l * L + k + 1] = *hol_jet(J, b->body + 1 + l, 0, k + 1);
        s->u[l * L + k] = velocity_jet(m, J, b->body + 1 + l, 0, k);
        s->u[l * L + k + 1] = 0;
    }
}

void hol_modal_series3(const HolModel *m, const void *e, const HolJets *J, double *own, int k,
                       double *rhs) {
    const HolModal *b = e;
    const int L = J->stride;
    const Space s = space_parts(b, own, L);
    double *torque = rhs + b->v;
    space_load(m, b, J, &s, L, k);
    if (k == 0)
        space_shape(b, &s, L, 0);
    space_shape(b, &s, L, k + 1);
    space_momentum(b, &s, L, k);
    space_momentum(b, &s, L, k + 1);
    for (int i = 0; i < 3; i++) {
        const int x = (i + 1) % 3, y = (i + 2) % 3;
        torque[i] -= hol_conv(s.w + x * L, s.p + y * L, k) - hol_conv(s.w + y * L, s.p + x * L, k) +
                     (k + 1) * s.p[i * L + k + 1];
    }
    for (int l = 0; l < b->nf; l++) {
        double Jo[3], sum = 0, P = 0;
        space_times(s.Jq + 6L * l * L, &s, L, k, Jo);
        for (int i = 0; i < 3; i++) {
            double D = 0;
            for (int n = 0; n < b->nf; n++)
                D += b->C1[3 * ((long)l * b->nf + n) + i] * s.u[n * L + k];
            s.D[(3L * l + i) * L + k] = D;
            s.Jo[(3L * l + i) * L + k] = Jo[i];
            sum += 0.5 * hol_conv(s.w + i * L, s.Jo + (3L * l + i) * L, k) +
                   hol_conv(s.w + i * L, s.D + (3L * l + i) * L, k);
            P += hol_conv(s.Cr + (3L * l + i) * L, s.w + i * L, k + 1);
        }
        rhs[b->v + 3 + l] +=
            sum - (k + 1) * P - b->stiffness[l] * s.z[l * L + k] - b->damping[l] * s.u[l * L + k];
    }
}

// ---- plane ----

typedef struct Plane {
    double *s[2], *S[2]; // first moment in axes of the frame and in global ones
    double *y[2];        // acceleration of the frame less gravity
    double *o, *I;       // rate of the angle; I - I0
    double *z, *u, *g;   // nf each: amplitudes, rates, h + B z
    double *swirl;       // nf: B u
    double *C[2];        // nf each: A C_k
} Plane;

static Plane plane_parts(const HolModal *b, double *own, int L) {
    const long nf = b->nf;
    Plane p;
    for (int i = 0; i < 2; i++) {
        p.s[i] = own + i * L;
        p.S[i] = own + (2 + i) * L;
        p.y[i] = own + (4 + i) * L;
    }
    p.o = own + 6 * L;
    p.I = own + 7 * L;
    p.z = own + PLANE_FIXED * L;
    p.u = p.z + nf * L;
    p.g = p.u + nf * L;
    p.swirl = p.g + nf * L;
    p.C[0] = p.swirl + nf * L;
    p.C[1] = p.C[0] + nf * L;
    return p;
}

// order j of a sum over one series a body
static double plane_series(const HolJets *J, int body, int series, const double *x, int j) {
    double s = 0;
    for (int i = 0; i <= j; i++)
        s += *hol_jet(J, body, series, i) * x[j - i];
    return s;
}

// order j of the amplitudes and of what depends on them alone; S and A C_k
static void plane_shape(const HolModal *b, const HolJets *J, const Plane *p, int L, int j, int z) {
    double s[2] = {j == 0 ? b->s0[0] : 0, j == 0 ? b->s0[1] : 0}, I = 0;
    for (int k = 0; k < b->nf; k++) {
        p->z[k * L + j] = z ? *hol_jet(J, b->body + 1 + k, 0, j) : 0;
        s[0] += b->C[2 * k] * p->z[k * L + j];
        s[1] += b->C[2 * k + 1] * p->z[k * L + j];
    }
    for (int k = 0; k < b->nf; k++) {
        double g = j == 0 ? b->h[k] : 0;
        for (int l = 0; l < b->nf; l++)
            g += b->B[(long)k * b->nf + l] * p->z[l * L + j];
        p->g[k * L + j] = g;
        I += 2 * b->b[k] * p->z[k * L + j] +
             b->mass * hol_conv(p->z + (long)k * L, p->z + (long)k * L, j);
        const double c = *hol_jet(J, b->body, HOL_S_COS, j), n = *hol_jet(J, b->body, HOL_S_SIN, j);
        p->C[0][k * L + j] = c * b->C[2 * k] - n * b->C[2 * k + 1];
        p->C[1][k * L + j] = n * b->C[2 * k] + c * b->C[2 * k + 1];
    }
    p->I[j] = I;
    p->s[0][j] = s[0];
    p->s[1][j] = s[1];
    p->S[0][j] = plane_series(J, b->body, HOL_S_COS, p->s[0], j) -
                 plane_series(J, b->body, HOL_S_SIN, p->s[1], j);
    p->S[1][j] = plane_series(J, b->body, HOL_S_SIN, p->s[0], j) +
                 plane_series(J, b->body, HOL_S_COS, p->s[1], j);
}

static void plane_rates(const HolModel *m, const HolModal *b, const HolJets *J, const Plane *p,
                        int L, int k) {
    p->o[k] = velocity_jet(m, J, b->body, 2, k);
    p->o[k + 1] = 0;
    for (int i = 0; i < 2; i++) { // (order k is unknown and in the matrix, but for gravity)
        if (k > 0)
            p->y[i][k - 1] = k * velocity_jet(m, J, b->body, i, k) - (k == 1 ? m->gravity[i] : 0);
        p->y[i][k] = k == 0 ? -m->gravity[i] : 0;
    }
    for (int l = 0; l < b->nf; l++) {
        p->u[l * L + k] = velocity_jet(m, J, b->body + 1 + l, 0, k);
        p->u[l * L + k + 1] = 0;
    }
    for (int l = 0; l < b->nf; l++) {
        double swirl = 0;
        for (int n = 0; n < b->nf; n++)
            swirl += b->B[(long)l * b->nf + n] * p->u[n * L + k];
        p->swirl[l * L + k] = swirl;
    }
}

void hol_modal_series2(const HolModel *m, const void *e, const HolJets *J, double *own, int k,
                       double *rhs) {
    const HolModal *b = e;
    const int L = J->stride;
    const Plane p = plane_parts(b, own, L);
    double oo = 0, turning;
    for (int j = k == 0 ? 0 : k + 1; j <= k + 1; j++)
        plane_shape(b, J, &p, L, j, 1);
    plane_rates(m, b, J, &p, L, k);
    plane_shape(b, J, &p, L, k + 2, 0);
    rhs[b->v] -= (k + 1.0) * (k + 2.0) * p.S[0][k + 2];
    rhs[b->v + 1] -= (k + 1.0) * (k + 2.0) * p.S[1][k + 2];
    turning = hol_conv(p.I, p.o, k + 1);
    for (int l = 0; l < b->nf; l++)
        turning += hol_conv(p.g + (long)l * L, p.u + (long)l * L, k + 1);
    rhs[b->v + 2] -= hol_conv(p.S[0], p.y[1], k) - hol_conv(p.S[1], p.y[0], k) + (k + 1) * turning;
    for (int l = 0; l < b->nf; l++) {
        double sum = 0; // o^2 (b + m z)
        for (int i = 0; i <= k; i++) {
            oo = hol_conv(p.o, p.o, i);
            sum += oo * (b->mass * p.z[l * L + k - i] + (i == k ? b->b[l] : 0));
        }
        rhs[b->v + 3 + l] += sum - hol_conv(p.C[0] + (long)l * L, p.y[0], k) -
                             hol_conv(p.C[1] + (long)l * L, p.y[1], k) -
                             (k + 1) * hol_conv(p.g + (long)l * L, p.o, k + 1) -
                             hol_conv(p.o, p.swirl + (long)l * L, k) -
                             b->stiffness[l] * p.z[l * L + k] - b->damping[l] * p.u[l * L + k];
    }
}

// ---- of a body ----

size_t hol_modal_series_size2(const HolModel *m, const void *e, int stride) {
    (void)m;
    return (PLANE_FIXED + PLANE_MODE * (size_t)((const HolModal *)e)->nf) * (size_t)stride;
}

size_t hol_modal_series_size3(const HolModel *m, const void *e, int stride) {
    (void)m;
    return (SPACE_FIXED + SPACE_MODE * (size_t)((const HolModal *)e)->nf) * (size_t)stride;
}

double hol_modal_series_work(const HolModel *m, const void *e, const HolJets *J, int k, double h) {
    const HolModal *b = e;
    double sum = 0, rate[64];
    for (int l = 0; l < b->nf && b->damping[l] > 0; l++) {
        double power = h;
        for (int j = 0; j <= k; j++)
            rate[j] = velocity_jet(m, J, b->body + 1 + l, 0, j);
        for (int j = 0; j <= k; j++, power *= h)
            sum -= b->damping[l] * hol_conv(rate, rate, j) * power / (j + 1);
    }
    return sum;
}
