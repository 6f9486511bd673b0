// SPDX-License-Identifier: Apache-2.0
// The conditionally explicit formulas written out as the paper's digits demand: degree 2 (classical
// central differences) as x + ((x - x_p) + h^2 a), degrees 3 and 4 nested, degree 5 from left to
// right. The steppers of the library sum from the inside everywhere, which loses less.
// Characteristic polynomial rho(l) + Omega^2 sigma(l) of degrees 3 to 5, see methods/explicit.md.
#define _GNU_SOURCE // sincos
#include "tools/papers/paper003/paper003.h"

#include <math.h>
#include <string.h>

typedef struct Chain {
    double x, v, a, j, s; // x: the next position; the others: at the last instant
    double back;          // degree 2: the position before x
    double h2, h3;        // h^2/2, h^3/6
} Chain;

static Chain paper003_formula_begin(const HolMultistep *f, double h, double x, double v, double a) {
    Chain c = {.x = x + h * (v + h / 2 * a),
               .v = v,
               .a = a,
               .back = x,
               .h2 = h * h / 2,
               .h3 = h * h * h / 6};
    if (f->degree == 2)
        c.x = x + h * v + 0.5 * h * h * a;
    if (f->degree == 5)
        c.x = x + h * v + c.h2 * a;
    return c;
}

// from the acceleration a at the position c->x to the next position

static inline void advance2(double h, Chain *c, double a) {
    const double next = c->x + ((c->x - c->back) + h * h * a);
    c->v = (next - c->back) / (2 * h);
    c->back = c->x;
    c->x = next;
}

static inline void advance3(const HolMultistep *f, double h, Chain *c, double a) {
    const double e = a - c->a;
    c->v = c->v + h * (c->a + f->beta * e);
    c->x = c->x + h * (c->v + h / 2 * (a - (1 - f->alpha) * e));
    c->a = a;
}

static inline void advance4(const HolMultistep *f, double h, Chain *c, double a) {
    const double al = f->alpha, be = f->beta, ga = f->gamma;
    const double j = (a - c->a) / (ga * h) - (1 - ga) / ga * c->j;
    c->v = c->v + h * (c->a + h / 2 * ((1 - be) * c->j + be * j));
    c->x = c->x + h * (c->v + h / 2 * (a + h / 3 * (al * j + (1 - al) * c->j)));
    c->j = j;
    c->a = a;
}

static inline void advance5(const HolMultistep *f, double h, Chain *c, double a) {
    const double al = f->alpha, be = f->beta, ga = f->gamma, ze = f->zeta;
    const double s = (2 * (a - c->a - h * c->j) / (h * h) - (1 - ga) * c->s) / ga;
    const double j = c->j + h * ((1 - ze) * c->s + ze * s);
    c->v = c->v + h * c->a + c->h2 * c->j + c->h3 * ((1 - be) * c->s + be * s);
    c->x =
        c->x + h * c->v + c->h2 * a + c->h3 * j + h * h * h * h / 24 * ((1 - al) * c->s + al * s);
    c->j = j;
    c->s = s;
    c->a = a;
}

static inline void advance(const HolMultistep *f, double h, Chain *c, double a) {
    if (f->degree == 2)
        advance2(h, c, a);
    else if (f->degree == 3)
        advance3(f, h, c, a);
    else if (f->degree == 4)
        advance4(f, h, c, a);
    else
        advance5(f, h, c, a);
}

void hol_formula_pendulum(int n, const HolMultistep *f, double h, double *error) {
    enum { MOST = 4 };
    const double g = 9.81, pi = acos(-1);
    const long steps = lround(10 / h) - 2;
    Chain c[MOST] = {{0}};
    double most[MOST] = {0};
    HolMultistep F[MOST];
    int degrees = 0; // as decimal digits
    for (int k = 0; k < n; k++) {
        F[k] = f[k];
        degrees = 10 * degrees + f[k].degree;
        c[k] = paper003_formula_begin(&f[k], h, pi, 0, g * cos(pi));
    }
// side by side: the processor works on one while the others wait
#define RUN(N, ADVANCE)                                                                            \
    for (long i = 0; i < steps; i++)                                                               \
        for (int k = 0; k < (N); k++) {                                                            \
            double sine, cosine;                                                                   \
            sincos(c[k].x, &sine, &cosine);                                                        \
            const double a = g * cosine;                                                           \
            ADVANCE;                                                                               \
            const double E = fabs(0.5 * c[k].v * c[k].v - g * sine);                               \
            most[k] = E > most[k] ? E : most[k];                                                   \
        }
    // the long tables without a question in the loop
    if (degrees == 2333) {
        RUN(4, if (k == 0) advance2(h, &c[0], a); else advance3(&F[k], h, &c[k], a))
    } else if (degrees == 444) {
        RUN(3, advance4(&F[k], h, &c[k], a))
    } else {
        RUN(n, advance(&F[k], h, &c[k], a))
    }
#undef RUN
    for (int k = 0; k < n; k++)
        error[k] = most[k];
}

double hol_formula_break(const HolMultistep *f, double h) {
    const double amplitude = 1. / (1 - 100.);
    Chain c = paper003_formula_begin(f, h, 0, 10 * amplitude, 0);
    for (long i = 1; i < 400000000; i++) {
        const double t = (double)i * h, load = sin(10 * t);
        if (!(fabs(c.x - amplitude * load) <= 0.05))
            return t;
        advance(f, h, &c, load - c.x);
    }
    return INFINITY;
}

// rho(l) + Omega^2 sigma(l), coefficients by falling power; returns the degree
static int polynomial(const HolMultistep *f, double W, double *p) {
    const double al = f->alpha, be = f->beta, ga = f->gamma, ze = f->zeta;
    if (f->degree == 3) {
        const double rho[4] = {1, -2, 1, 0};
        const double sigma[4] = {0, (al + 2 * be) / 2, -(2 * al + 2 * be - 3) / 2, (al - 1) / 2};
        for (int i = 0; i < 4; i++)
            p[i] = rho[i] + W * sigma[i];
        return 3;
    }
    if (f->degree == 4) {
        const double r = 1 / ga - 1; // l (l-1)^2 (l + r)
        const double rho[5] = {1, r - 2, 1 - 2 * r, r, 0}, k = 6 * ga;
        const double sigma[5] = {0, (al + 3 * be + 3 * ga) / k, -(3 * al + 6 * be - 7) / k,
                                 (3 * al + 3 * be - 3 * ga - 2) / k, -(al - 1) / k};
        for (int i = 0; i < 5; i++)
            p[i] = rho[i] + W * sigma[i];
        return 4;
    }
    const double b = -(2 - (2 * ze + 1) / ga), c = 1 + (1 - 2 * ze) / ga, k = 12 * ga;
    const double rho[6] = {1, b - 2, c - 2 * b + 1, b - 2 * c, c, 0};
    const double sigma[6] = {0,
                             (al + 4 * be + 6 * ga + 4 * ze) / k,
                             -(4 * al + 12 * be + 6 * ga - 12 * ze - 15) / k,
                             (6 * al + 12 * be - 6 * ga - 12 * ze + 5) / k,
                             -(4 * al + 4 * be - 6 * ga + 4 * ze - 5) / k,
                             (al - 1) / k};
    for (int i = 0; i < 6; i++)
        p[i] = rho[i] + W * sigma[i];
    return 5;
}

double hol_formula_radius(const HolMultistep *f, double Omega) {
    double p[6], A[25] = {0};
    const int n = polynomial(f, Omega * Omega, p);
    for (int i = 0; i < n; i++) {
        A[n * i] = -p[i + 1]; // companion matrix, first row
        if (i + 1 < n)
            A[n * i + i + 1] = 1;
    }
    return hol_paper_radius(n, A);
}

double hol_formula_printed_radius(const HolMultistep *f, double Omega) {
    const double al = f->alpha, be = f->beta, ga = f->gamma, ze = f->zeta, W = Omega * Omega;
    const double k = al + 4 * be + 4 * ze;
    const double rows[5][5] = {
        {1 - (k + 6 * ga) / (12 * ga) * W, 1, 1 - k / (12 * ga), 2. / 3 - k / (12 * ga),
         3. / 4 - k / (24 * ga)}, // 3/8 is right
        {-be / (3 * ga) * W, 1, 1 - be / (3 * ga), 0.5 - be / (3 * ga), (1 - be / ga) / 6},
        {-W, 0, 0, 0, 0}, // not printed
        {-2 * ze / ga * W, 0, -2 * ze / ga, 1 - 2 * ze / ga, 1 - ze / ga},
        {-2 / ga * W, 0, -2 / ga, -2 / ga, 1 - 1 / ga}};
    double A[25];
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            A[5 * j + i] = rows[i][j];
    return hol_paper_radius(5, A);
}

double hol_formula_adams_radius(int k, double Omega) {
    static const double weights[2][5] = {
        {55. / 24, -59. / 24, 37. / 24, -9. / 24, 0},
        {1901. / 720, -2774. / 720, 2616. / 720, -1274. / 720, 251. / 720}};
    const double *b = weights[k - 4];
    const int n = 2 * k; // (x, v/Omega) at k instants
    double A[100] = {0};
    for (int i = 0; i < k; i++) {
        A[n * (2 * i + 1)] = b[i] * Omega;  // x' = Omega v
        A[n * (2 * i) + 1] = -b[i] * Omega; // v' = -Omega x
    }
    A[0] += 1;
    A[n + 1] += 1;
    for (int i = 2; i < n; i++)
        A[n * (i - 2) + i] = 1;
    return hol_paper_radius(n, A);
}
