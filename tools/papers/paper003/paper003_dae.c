// SPDX-License-Identifier: Apache-2.0
// The constrained pendulum of the conditionally explicit paper by bare formulas: ten million steps
// of Tables 9 to 11 in seconds. State x, y, th with x = sin(th), y = -cos(th) and no inertia about
// the mass, so that the multipliers can be eliminated:
//   index 1:  th'' = -g sin(th)
//             x'' = cos(th) th'' - sin(th) th'^2,  y'' = sin(th) th'' + cos(th) th'^2
//   index 3:  cos(th_n) x''_n + sin(th_n) (y''_n + g) = 0 and the two constraints at t_{n+1}, where
//             q_{n+1} = b + r (a - a*), r = h^2 (1/3 + 1/2 + 1/3 + 1/12) = 5 h^2/4: degree 5, all
//             parameters 1, b and a* the Taylor predictions
#define _GNU_SOURCE // sincos
#include "tools/papers/paper003/paper003.h"

#include <math.h>
#include <string.h>

static const double gravity = 9.81;

typedef struct Extremes {
    double energy, drift;
} Extremes;

static inline void paper003_dae_look(Extremes *e, const double *q, const double *v) {
    const double E = fabs(0.5 * (v[0] * v[0] + v[1] * v[1]) + gravity * q[1]);
    const double d = fabs(q[0] * q[0] + q[1] * q[1] - 1);
    e->energy = E > e->energy ? E : e->energy;
    e->drift = d > e->drift ? d : e->drift;
}

// ---- rk3 of index 1 (Tables 9 and 10) ----

// y = q, v
static inline void paper003_dae_rate(const double *y, double *dy) {
    double s, c;
    sincos(y[2], &s, &c);
    const double turn = -gravity * s, w = y[5];
    dy[0] = y[3];
    dy[1] = y[4];
    dy[2] = w;
    dy[3] = c * turn - s * w * w;
    dy[4] = s * turn + c * w * w;
    dy[5] = turn;
}

// Newton steps of least norm onto the constraints
static inline void paper003_dae_project(double *q) {
    for (int i = 0; i < 3; i++) {
        double s, c;
        sincos(q[2], &s, &c);
        const double g0 = q[0] - s, g1 = q[1] + c;
        if (fabs(g0) + fabs(g1) < 4e-16)
            return;
        // G = [1 0 -c; 0 1 -s], G G^T = I + [c s]^T [c s], its inverse I - [c s]^T [c s]/2
        const double k = (c * g0 + s * g1) / 2, l0 = g0 - c * k, l1 = g1 - s * k;
        q[0] -= l0;
        q[1] -= l1;
        q[2] += c * l0 + s * l1;
    }
}

void hol_formula_rk3(int projected, double h, double *energy, double *drift) {
    double y[6] = {1, 0, acos(0), 0, 0, 0}, z[6], k1[6], k2[6], k3[6];
    Extremes e = {0, 0};
    const long steps = lround(10 / h) - 2;
    for (long n = 0; n < steps; n++) {
        paper003_dae_rate(y, k1);
        for (int i = 0; i < 6; i++)
            z[i] = y[i] + h / 2 * k1[i];
        paper003_dae_rate(z, k2);
        for (int i = 0; i < 6; i++)
            z[i] = y[i] + h * (2 * k2[i] - k1[i]);
        paper003_dae_rate(z, k3);
        for (int i = 0; i < 6; i++)
            y[i] += h / 6 * (k1[i] + 4 * k2[i] + k3[i]);
        if (projected)
            paper003_dae_project(y);
        paper003_dae_look(&e, y, y + 3);
    }
    *energy = e.energy;
    *drift = e.drift;
}

// ---- degree 5, all parameters 1, zero start (Table 11) ----

void hol_formula_dae5(double h, double *energy, double *drift) {
    const double r = 1.25 * h * h;
    double x[3] = {1, 0, acos(0)}, v[3] = {0}, j[3] = {0}, s[3] = {0};
    double a[3] = {0, -gravity, -gravity};
    Extremes e = {0, 0};
    for (int i = 0; i < 3; i++)
        x[i] += h * (v[i] + h / 2 * a[i]);
    const long steps = lround(10 / h) - 2;
    for (long n = 0; n < steps; n++) {
        double a_old[3], now[3], base[3], next[3], sn, cn;
        sincos(x[2], &sn, &cn);
        for (int i = 0; i < 3; i++) { // everything as if x''' did not change
            a_old[i] = a[i] + h * (j[i] + h / 2 * s[i]);
            v[i] += h * (a[i] + h / 2 * (j[i] + h / 3 * s[i]));
            j[i] += h * s[i];
            now[i] = a_old[i];
            base[i] = x[i] + h * (v[i] + h / 2 * (a_old[i] + h / 3 * (j[i] + h / 4 * s[i])));
        }
        for (int k = 0; k < 6; k++) {
            double sz, cz;
            for (int i = 0; i < 3; i++)
                next[i] = base[i] + r * (now[i] - a_old[i]);
            sincos(next[2], &sz, &cz);
            const double g0 = (next[0] - sz) / r, g1 = (next[1] + cz) / r;
            const double force = cn * now[0] + sn * (now[1] + gravity);
            const double turn = (cn * g0 + sn * g1 - force) / (cn * cz + sn * sz);
            now[0] += cz * turn - g0;
            now[1] += sz * turn - g1;
            now[2] += turn;
            if (fabs(r * turn) + fabs(r * g0) + fabs(r * g1) < 4e-16)
                break;
        }
        for (int i = 0; i < 3; i++) {
            const double d = now[i] - a_old[i];
            v[i] += h / 3 * d;
            j[i] += 2 * d / h;
            s[i] += 2 * d / (h * h);
            a[i] = now[i];
        }
        if (n) // x from the step before, v now; the first x is a Taylor series, O(h^3) off
            paper003_dae_look(&e, x, v);
        for (int i = 0; i < 3; i++)
            x[i] = base[i] + r * (a[i] - a_old[i]);
    }
    *energy = e.energy;
    *drift = e.drift;
}
