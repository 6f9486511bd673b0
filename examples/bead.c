// SPDX-License-Identifier: Apache-2.0
// A problem of one's own: a bead slides without friction on a straight wire that turns about a
// vertical axis with the constant rate Omega. Coordinates: distance r and angle phi, so the mass
// matrix depends on the position and the constraint on time:
//   M(q) = diag(m, m r^2),   g(q, t) = phi - Omega t = 0,
//   m r'' = m r phi'^2,      m r^2 phi'' + 2 m r r' phi' + lambda = 0.
// Solution: r = r0 cosh(Omega t) + (v0/Omega) sinh(Omega t), lambda = -2 m Omega r r'.
// Only the three required functions are given; derivatives are differenced by the library.
// Build: cc bead.c $(pkg-config --cflags --libs holonom) -lm. Prints the motion beside the solution and
// exits with 1 when they differ.
#include <holonom/holonom.h>
#include <math.h>
#include <stdio.h>

typedef struct Bead {
    double mass, rate;
} Bead;

static void mass(const HolProblem *p, void *work, const HolPoint *at, double c, int into_S,
                 double *S) {
    (void)work, (void)at, (void)into_S;
    const Bead *bead = p->user;
    // full 2 x 2 matrix by columns (no pattern was given)
    S[0] += c * bead->mass;
    S[3] += c * bead->mass * at->q[0] * at->q[0];
}

static void force(const HolProblem *p, void *work, const HolPoint *at, double *f) {
    (void)work, (void)at;
    const Bead *bead = p->user;
    f[0] = bead->mass * at->q[0] * at->v[1] * at->v[1];
    f[1] = -2 * bead->mass * at->q[0] * at->v[0] * at->v[1];
}

static void constraint(const HolProblem *p, void *work, const HolPoint *at, double *g) {
    (void)work;
    const Bead *bead = p->user;
    g[0] = at->q[1] - bead->rate * at->t;
}

static void row_name(const HolProblem *p, int row, char *out, size_t size) {
    (void)p, (void)row;
    snprintf(out, size, "wire");
}

int main(void) {
    const Bead bead = {.mass = 0.2, .rate = 1.5};
    const HolProblem problem = {.size = sizeof(HolProblem),
                                .user = &bead,
                                .nq = 2,
                                .nv = 2,
                                .nh = 1,
                                .mass = mass,
                                .force = force,
                                .constraint = constraint,
                                .row_name = row_name};
    const double r0 = 0.3, v0 = -0.1, end = 2;
    const double q0[2] = {r0, 0}, start_v[2] = {v0, bead.rate};

    HolSimOptions options = hol_sim_options();
    options.end = end;
    options.step = 0.01;

    HolError error;
    HolSim *sim;
    if (hol_sim_create_problem(&problem, q0, start_v, &options, &sim, &error) != HOL_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    double worst = 0;
    printf("%6s %14s %14s %14s %14s\n", "time", "r", "exact", "lambda", "exact");
    for (int k = 1; k <= 10; k++) {
        const double t = end * k / 10;
        if (hol_sim_advance(sim, t, &error) != HOL_OK) {
            fprintf(stderr, "%s\n", error.text);
            hol_sim_destroy(sim);
            return 1;
        }
        const HolView view = hol_sim_view(sim);
        const double W = bead.rate, r = r0 * cosh(W * t) + v0 / W * sinh(W * t),
                     rate = r0 * W * sinh(W * t) + v0 * cosh(W * t),
                     lambda = -2 * bead.mass * W * r * rate;
        printf("%6.2f %14.9f %14.9f %14.9f %14.9f\n", t, view.q[0], r, view.lambda[0], lambda);
        worst = fmax(worst, fmax(fabs(view.q[0] - r), fabs(view.lambda[0] - lambda)));
    }
    const HolStats stats = hol_sim_stats(sim);
    printf("largest difference %.2e; constraint: position %.1e, velocity %.1e, acceleration %.1e\n",
           worst, stats.residual_position, stats.residual_velocity, stats.residual_acceleration);
    hol_sim_destroy(sim);
    return worst < 1e-7 ? 0 : 1;
}
