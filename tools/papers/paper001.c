// SPDX-License-Identifier: Apache-2.0
// The index-3 Newmark paper (IMECE2005-81770): Tables 1 to 3 with the Newton iterations that the
// printed digits imply, the same converged, and the claims on order, conditioning and round-off;
// paper001_control.c has error estimate and step control. References: closed form (pendulum), Radau
// IIA in multiprecision (double pendulum).
#include "tools/papers/paper001.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PENDULUM HOL_INDEX3_PENDULUM
#define DOUBLE HOL_INDEX3_DOUBLE

static const double pendulum_angle[2] = {0.66693430410680090512, 2.3676698282513798569}; // t = 4
static const double pendulum_lambda = 6.6568953117089;
static const double double_angle[4] = {4.6404781832213311334, 4.6404967016885316789,
                                       -1.6298924540837664674, -1.6302527153802556104}; // t = 2

HolIndex3Errors hol_index3_errors(int is_double, HolPaperRun run) {
    HolIndex3Errors e = {.run = run, .lambda = NAN};
    if (!is_double) {
        const double s = sin(pendulum_angle[0]), c = cos(pendulum_angle[0]), w = pendulum_angle[1];
        const double q[2] = {s, -c}, v[2] = {w * c, w * s};
        e.q = hol_paper_distance(run.q, q, 2);
        e.v = hol_paper_distance(run.v, v, 2);
        e.lambda = fabs(run.lambda[0] - pendulum_lambda);
        return e;
    }
    const double *y = double_angle, c1 = cos(y[0]), s1 = sin(y[0]), c2 = 1.5 * cos(y[1]),
                 s2 = 1.5 * sin(y[1]);
    const double q[6] = {c1, s1, y[0], 2 * c1 + c2, 2 * s1 + s2, y[1]};
    const double v[6] = {
        -s1 * y[2], c1 * y[2], y[2], -2 * s1 * y[2] - s2 * y[3], 2 * c1 * y[2] + c2 * y[3], y[3]};
    e.q = hol_paper_distance(run.q, q, 6);
    e.v = hol_paper_distance(run.v, v, 6);
    return e;
}

// newmark with a fixed step 2^-k
static HolIndex3Errors newmark(HolPaper *p, int is_double, double gamma, int k, int iterations) {
    const double h = ldexp(1, -k);
    return hol_index3_errors(
        is_double, hol_paper_run(p, is_double ? DOUBLE : PENDULUM,
                                 "method=newmark .gamma=%g .newton_iterations=%d step=%.17g end=%d",
                                 gamma, iterations, h, is_double ? 2 : 4));
}

// ---- Tables 1 to 3 ----

typedef struct Table {
    const char *title, *why;
    int is_double, first, n, iterations;
    double gamma;
    const char *dq[8], *rq[8], *dv[8], *rv[8];
} Table;

static const Table tables[3] = {
    {"Table 1: pendulum, trapezoidal rule, errors at 4 s",
     "the paper's Newton makes one iteration a step; corrected: iterated to convergence",
     0,
     4,
     8,
     1,
     0.5,
     {"7.72e-2", "1.49e-2", "4.48e-3", "1.13e-3", "2.82e-4", "7.05e-5", "1.76e-5", "4.41e-6"},
     {"", "5.20", "3.31", "3.97", "4.00", "4.00", "4.00", "4.00"},
     {"7.46e-1", "2.94e-2", "1.10e-2", "3.42e-3", "9.02e-4", "2.29e-4", "5.73e-5", "1.44e-5"},
     {"", "25.4", "2.68", "3.21", "3.79", "3.94", "3.99", "3.99"}},
    {"Table 2: pendulum, gamma = 3/4, errors at 4 s",
     "the paper's Newton makes one iteration a step; corrected: iterated to convergence",
     0,
     4,
     8,
     1,
     0.75,
     {"1.56e-1", "6.21e-2", "2.26e-2", "8.19e-3", "3.15e-3", "1.31e-3", "5.88e-4", "2.77e-4"},
     {"", "2.52", "2.75", "2.76", "2.60", "2.40", "2.23", "2.13"},
     {"1.13", "7.38e-1", "4.27e-1", "2.31e-1", "1.20e-1", "6.12e-2", "3.09e-2", "1.55e-2"},
     {"", "1.53", "1.73", "1.85", "1.92", "1.96", "1.98", "1.99"}},
    {"Table 3: double pendulum, gamma = 3/4, errors at 2 s",
     "the paper's Newton makes three iterations a step, too few in the start layer; corrected: "
     "converged",
     1,
     9,
     6,
     3,
     0.75,
     {"7.76e-2", "1.26e-2", "5.85e-3", "2.82e-3", "1.39e-3", "6.85e-4"},
     {"", "6.17", "2.15", "2.07", "2.04", "2.02"},
     {"1.59e-1", "9.39e-2", "4.82e-2", "2.44e-2", "1.23e-2", "6.16e-3"},
     {"", "1.69", "1.95", "1.98", "1.99", "1.99"}},
};

// the converged value where it differs in the digits printed
static void paper001_entry(HolPaper *p, const Table *t, const char *what, int k,
                           const char *printed, double value, double converged) {
    const int differs = fabs(converged - value) > 0.005 * fabs(value);
    hol_paper_row(p, &(HolPaperRow){.what = hol_paper_text(p, "h = 2^-%d: %s", k, what),
                                    .printed = printed,
                                    .value = value,
                                    .right = differs ? converged : 0,
                                    .why = differs ? t->why : NULL});
}

static void write_table(HolPaper *p, const Table *t) {
    HolIndex3Errors paper[8], converged[8];
    hol_paper_table(p, t->title, t->is_double ? DOUBLE : PENDULUM);
    for (int i = 0; i < t->n; i++) {
        const int k = t->first + i;
        paper[i] = newmark(p, t->is_double, t->gamma, k, t->iterations);
        converged[i] = newmark(p, t->is_double, t->gamma, k, 0);
        paper001_entry(p, t, "position error", k, t->dq[i], paper[i].q, converged[i].q);
        if (i)
            paper001_entry(p, t, "its ratio to 2h", k, t->rq[i], paper[i - 1].q / paper[i].q,
                           converged[i - 1].q / converged[i].q);
        paper001_entry(p, t, "velocity error", k, t->dv[i], paper[i].v, converged[i].v);
        if (i)
            paper001_entry(p, t, "its ratio to 2h", k, t->rv[i], paper[i - 1].v / paper[i].v,
                           converged[i - 1].v / converged[i].v);
    }
}

// ---- order ----

static void paper001_write_orders(HolPaper *p) {
    hol_paper_table(p, "Order of convergence, index-3 pendulum, between h = 2^-9 and 2^-10",
                    PENDULUM);
    static const double betas[] = {0.25, 0.3, 0.5, 1};
    for (int i = 0; i < 4; i++) {
        HolIndex3Errors e[2];
        for (int k = 0; k < 2; k++)
            e[k] =
                hol_index3_errors(0, hol_paper_run(p, PENDULUM,
                                                   "method=newmark .gamma=0.5 .beta=%g .force=true "
                                                   "step=%.17g end=4",
                                                   betas[i], ldexp(1, -9 - k)));
        hol_paper_row(
            p, &(HolPaperRow){
                   .what = hol_paper_text(p, "gamma = 1/2, beta = %g: order in q", betas[i]),
                   .printed = i ? "not 2" : "2",
                   .value = log2(e[0].q / e[1].q),
                   .digits = 3,
                   .verdict = hol_paper_verdict((fabs(log2(e[0].q / e[1].q) - 2) < 0.1) == !i),
                   .why = i ? "\"only beta = 1/4 is second order\": every beta is, at gamma = 1/2"
                            : NULL});
    }
    HolIndex3Errors a = newmark(p, 0, 0.75, 10, 0), b = newmark(p, 0, 0.75, 11, 0);
    hol_paper_row(p, &(HolPaperRow){.what = "gamma = 3/4: order in v",
                                    .printed = "1",
                                    .value = log2(a.v / b.v),
                                    .digits = 3});
}

// what the tables do not show
static void paper001_write_multipliers(HolPaper *p) {
    double error[4];
    hol_paper_table(p, "Multiplier of the trapezoidal rule at 4 s (exact 6.65690)", PENDULUM);
    for (int i = 0; i < 4; i++) {
        const int k = 6 + 2 * i;
        const HolIndex3Errors e = newmark(p, 0, 0.5, k, 0);
        const HolPaperRun full = hol_paper_run(
            p, PENDULUM, "method=newmark .projection=full step=%.17g end=4", ldexp(1, -k));
        error[i] = e.lambda;
        hol_paper_row(
            p,
            &(HolPaperRow){.what = hol_paper_text(p, "h = 2^-%d", k),
                           .value = e.run.lambda[0],
                           .right = full.lambda[0],
                           .why = i == 3 ? "computed: round-off of q over h^2 swings as well"
                                  : i    ? NULL
                                      : "a double root -1 in the constrained directions: what the "
                                        "start leaves there swings from step to step, undamped; "
                                        "corrected: velocities projected each step"});
    }
    hol_paper_row(p, &(HolPaperRow){.what = "order between h = 2^-8 and 2^-10",
                                    .value = log2(error[1] / error[2]) / 2,
                                    .digits = 3,
                                    .why = "wrong at large steps only: it converges as h falls"});
}

// Corollary 2: errors of one step with one Newton iteration, from a consistent start
static void write_local_orders(HolPaper *p) {
    static const char *const names[] = {"q", "v", "a", "lambda"};
    static const char *const printed[] = {"3", "2", "1", "1"};
    double error[2][4];
    for (int k = 0; k < 2; k++) {
        const double h = ldexp(1, -7 - k);
        const char *start = "mass.velocity=[0.5,0.8660254037844386]";
        const HolPaperRun one = hol_paper_run(
            p, PENDULUM, "%s method=newmark .gamma=0.75 .newton_iterations=1 step=%.17g end=%.17g",
            start, h, h);
        const HolPaperRun exact =
            hol_paper_run(p, PENDULUM, "%s method=taylor tolerance=1e-14 end=%.17g", start, h);
        error[k][0] = hol_paper_distance(one.q, exact.q, 2);
        error[k][1] = hol_paper_distance(one.v, exact.v, 2);
        error[k][2] = hol_paper_distance(one.a, exact.a, 2);
        error[k][3] = hol_paper_distance(one.lambda, exact.lambda, 1);
    }
    hol_paper_table(p, "Corollary 2: local order with one Newton iteration, gamma = 3/4", PENDULUM);
    for (int i = 0; i < 4; i++)
        hol_paper_row(p, &(HolPaperRow){.what = hol_paper_text(p, "local order in %s", names[i]),
                                        .printed = printed[i],
                                        .value = log2(error[0][i] / error[1][i]),
                                        .digits = 3});
}

// ---- conditioning and round-off ----

typedef struct Saddle {
    int n, m;
    double M[36], C[36], K[36], G[24]; // columns; G by rows
} Saddle;

static void paper001_spread(const HolPattern *P, const double *value, double *out) {
    for (int j = 0; j < P->cols; j++)
        for (int k = P->ptr[j]; k < P->ptr[j + 1]; k++)
            out[P->rows * j + P->idx[k]] = value[k];
}

// M, C, K, G of the double pendulum at its start
static int saddle_at_start(HolPaper *p, Saddle *s) {
    HolSimOptions o;
    HolSim *sim = NULL;
    HolArena arena = {0};
    HolModel *m = hol_paper_model(p, DOUBLE, "", &o);
    if (m)
        p->status = hol_sim_create(m, &o, &sim, p->err);
    if (sim)
        p->status = hol_sim_assemble(sim, p->err);
    if (p->status == HOL_OK) {
        const HolProblem *P = hol_model_problem(m);
        const HolView x = hol_sim_view(sim);
        double S[36] = {0}, G[24] = {0};
        void *work = hol_arena_alloc(&arena, P->work_size + 1);
        if (P->work_init)
            P->work_init(P, work);
        *s = (Saddle){.n = x.nv, .m = x.m};
        P->mass(P, work, &(HolPoint){.t = x.t, .q = x.q}, 1, 1, S);
        paper001_spread(&P->S, S, s->M);
        memset(S, 0, sizeof S);
        P->tangent(
            P, work,
            &(HolPoint){.t = x.t, .q = x.q, .v = x.v, .a = x.a, .lambda = x.lambda, .w = x.w}, 1, 0,
            S);
        paper001_spread(&P->S, S, s->C);
        memset(S, 0, sizeof S);
        P->tangent(
            P, work,
            &(HolPoint){.t = x.t, .q = x.q, .v = x.v, .a = x.a, .lambda = x.lambda, .w = x.w}, 0, 1,
            S);
        paper001_spread(&P->S, S, s->K);
        P->jacobian(P, work, &(HolPoint){.t = x.t, .q = x.q}, G);
        for (int i = 0; i < x.m; i++)
            for (int k = P->G.ptr[i]; k < P->G.ptr[i + 1]; k++)
                s->G[x.nv * i + P->G.idx[k]] = G[k];
    }
    hol_sim_destroy(sim);
    hol_model_destroy(m);
    hol_arena_free(&arena);
    return p->status == HOL_OK;
}

// condition of the Newton matrix: a: unknown q, b: unknown a, c: unknown a and scaled constraints
static double condition(const Saddle *s, char scaling, double h) {
    const double beta = 0.390625, gamma = 0.75, b = beta * h * h;
    const int N = s->n + s->m;
    double A[144] = {0};
    for (int j = 0; j < s->n; j++) {
        for (int i = 0; i < s->n; i++) {
            const int k = s->n * j + i;
            A[N * j + i] = s->M[k] + gamma * h * s->C[k] + b * s->K[k];
            A[N * j + i] /= scaling == 'a' ? b : 1;
        }
        for (int i = 0; i < s->m; i++) {
            A[N * (s->n + i) + j] = s->G[s->n * i + j];
            A[N * j + s->n + i] = s->G[s->n * i + j] * (scaling == 'b' ? b : 1);
        }
    }
    return hol_paper_condition(N, A);
}

static void write_conditions(HolPaper *p) {
    Saddle s;
    hol_paper_table(p, "Section 3: scaling of the Newton matrix, condition number", DOUBLE);
    if (!saddle_at_start(p, &s))
        return;
    static const struct {
        char scaling;
        const char *what;
    } rows[] = {{'a', "(a) unknown q, constraints as they are"},
                {'b', "(b) unknown a, constraints as they are"},
                {'c', "(c) unknown a, constraints over beta h^2"}};
    for (int i = 0; i < 3; i++)
        for (int k = 3; k <= 5; k += 2)
            hol_paper_row(
                p, &(HolPaperRow){
                       .what = hol_paper_text(p, "%s, h = 1e-%d", rows[i].what, k),
                       .printed = i == 2 ? "well conditioned" : "badly conditioned",
                       .value = condition(&s, rows[i].scaling, pow(10, -k)),
                       .digits = 3,
                       .verdict = hol_paper_verdict(
                           (condition(&s, rows[i].scaling, pow(10, -k)) < 1e4) == (i == 2))});
    for (int k = 6; k <= 8; k++) {
        const double h = pow(10, -k);
        const HolPaperRun r = hol_paper_run(
            p, PENDULUM, "method=newmark .gamma=0.75 step=%.17g end=%.17g", h, 300 * h);
        // exact: lambda = (3/2) g cos(angle) - g cos(60 deg) ... by energy, over 2 (g = x^2+y^2-1)
        const double exact = (-9.81 * r.q[1] + r.v[0] * r.v[0] + r.v[1] * r.v[1]) / 2;
        hol_paper_row(
            p, &(HolPaperRow){
                   .what = hol_paper_text(p, "multiplier's error after 300 steps of 1e-%d", k),
                   .printed = "\"always very reasonable\"",
                   .value = fabs(r.lambda[0] - exact),
                   .digits = 2,
                   .verdict = hol_paper_verdict(fabs(r.lambda[0] - exact) < 1e-3 * exact),
                   .why = "round-off of q over beta h^2 goes into a and lambda"});
    }
}

static void write_other(HolPaper *p) {
    const HolFrequencies f = hol_paper_start_frequencies(p, DOUBLE, "");
    hol_paper_table(p, "Section 6.2: other numbers", DOUBLE);
    hol_paper_row(p, &(HolPaperRow){.what = "dominant eigenvalue at the start [1/s]",
                                    .printed = "-10E5",
                                    .value = f.eigenvalue_re,
                                    .digits = 5,
                                    .corrected = "-1e5",
                                    .verdict = HOL_VERDICT_DIFFERS,
                                    .why = hol_paper_text(p, "imaginary part %.2g; -10E5 is -1e6",
                                                          f.eigenvalue_im)});
    const double drift[4] = {
        3.4488887 - 2 - 1.5 * cos(23 * acos(-1) / 12), -0.388228 - 1.5 * sin(23 * acos(-1) / 12),
        3.8822857 + 15 * sin(23 * acos(-1) / 12), 14.4888887 - 15 * cos(23 * acos(-1) / 12)};
    double most = 0;
    for (int i = 0; i < 2; i++)
        most = fmax(most, fabs(drift[i]));
    hol_paper_row(p, &(HolPaperRow){.what = "constraint violation of the printed start values [m]",
                                    .printed = "consistent",
                                    .value = most,
                                    .digits = 2,
                                    .verdict = hol_paper_verdict(most < 1e-12),
                                    .why = "seven digits: the library projects them before it "
                                           "starts"});
    hol_paper_missing(p, "engine models of 16 000 equations: time over that of BDF", "1/4 to 1/2",
                      "the models are not published");
}

void hol_paper_001(HolPaper *p) {
    hol_paper_chapter(p, "001",
                      "The Newmark integration method for simulation of multibody systems: "
                      "analytical considerations (IMECE 2005)",
                      "Methods `newmark` and `hht`. Not given in the paper and found from the "
                      "printed digits: g = 9.81, theta1(0) = 2 pi, one Newton iteration a step in "
                      "Tables 1 and 2, three in Table 3.");
    for (int i = 0; i < 3; i++)
        write_table(p, &tables[i]);
    paper001_write_orders(p);
    paper001_write_multipliers(p);
    write_local_orders(p);
    write_conditions(p);
    write_other(p);
    hol_paper_001_control(p);
    hol_paper_001_large(p);
}
