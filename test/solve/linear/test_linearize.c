// SPDX-License-Identifier: Apache-2.0
// The linear system A against differences of the true vector field on the manifold: states next to x are
// put onto the constraints, their accelerations come from the equations,
//   xi' = L_h d',  zeta' = L u' + M_R^-1 (N'^T M + N^T M') X xi,  N' = -S G' N  (transport axes)
// for all models, at the start and inside the run, and for problems of C programs.
#include "modes_run.h"

#include "math/dense.h"
#include "solve/linear/linear.h"

#include <dirent.h>

static const double PLACE[4] = {-2, -1, 1, 2};
static const double WEIGHT[4] = {1. / 12, -2. / 3, 2. / 3, -1. / 12};

typedef struct Field {
    HolArena arena;
    HolSim *s;
    HolState x, moved;
    HolLinear l;
    double *J;   // (np + nz) x (np + nz) by differences
    double rate; // fastest, for comparison
} Field;

static double *field_new(Field *f, int rows, int cols) {
    double *out = HOL_NEW(&f->arena, double, (size_t)rows *(size_t)cols + 1);
    assert_non_null(out);
    return out;
}

static void field_state(Field *f, HolState *x) {
    *x = (HolState){.q = field_new(f, f->s->nq, 1), .v = field_new(f, f->s->nv, 1)};
    x->a = field_new(f, f->s->nv, 1);
    x->lambda = field_new(f, f->s->m, 1);
    x->w = field_new(f, f->s->nw, 1);
}

// the manifold's state next to x along (d, u), its accelerations
static void field_at(Field *f, const double *d, const double *u, double e) {
    HolSim *s = f->s;
    HolError err;
    double *step = field_new(f, s->nv, 1);
    hol_state_copy(s, &f->moved, &f->x);
    for (int i = 0; i < s->nv; i++) {
        step[i] = e * d[i];
        f->moved.v[i] += e * u[i];
    }
    s->p->retract(s->p, s->work, f->x.q, step, f->moved.q);
    if (hol_project_position(s, f->x.t, f->moved.q, 1, &err) != HOL_OK ||
        hol_project_velocity(s, f->x.t, f->moved.q, f->moved.v, &err) != HOL_OK ||
        hol_accelerate(s, &f->moved, 0, &err) != HOL_OK)
        fail_msg("%s", err.text);
}

// d' of the increment: two motions, one moved by e d with velocities moved by e u, a time dt later
static void field_rate(Field *f, const double *d, const double *u, double e, double dt,
                       double *out) {
    HolSim *s = f->s;
    double *step = field_new(f, s->nv, 1), *a = field_new(f, s->nq, 1), *b = field_new(f, s->nq, 1);
    memset(out, 0, sizeof *out * (size_t)s->nv);
    for (int corner = 0; corner < 4; corner++) {
        const double side = corner & 1 ? e : -e, t = corner & 2 ? dt : -dt;
        for (int i = 0; i < s->nv; i++)
            step[i] = side * d[i];
        s->p->retract(s->p, s->work, f->x.q, step, a);
        for (int i = 0; i < s->nv; i++)
            step[i] = t * (f->x.v[i] + side * u[i]);
        s->p->retract(s->p, s->work, a, step, a);
        for (int i = 0; i < s->nv; i++)
            step[i] = t * f->x.v[i];
        s->p->retract(s->p, s->work, f->x.q, step, b);
        s->p->minus(s->p, s->work, a, b, step);
        for (int i = 0; i < s->nv; i++)
            out[i] += step[i] / (4 * side * t);
    }
}

// out (n x c) += values of the pattern by columns or by rows
static void field_spread(const HolPattern *P, const double *value, int by_rows, double c,
                         double *out) {
    for (int j = 0; j < (by_rows ? P->rows : P->cols); j++)
        for (int e = P->ptr[j]; e < P->ptr[j + 1]; e++)
            out[by_rows ? P->rows * P->idx[e] + j : P->rows * j + P->idx[e]] += c * value[e];
}

// G' (m x n) and M' (n x n) along the motion
static void field_change(Field *f, double dt, double *Gdot, double *Mdot) {
    HolSim *s = f->s;
    const HolProblem *p = s->p;
    double *q = field_new(f, s->nq, 1), *d = field_new(f, s->nv, 1);
    double *G = field_new(f, p->G.nnz, 1), *M = field_new(f, p->S.nnz, 1);
    for (int k = 0; k < 4; k++) {
        const HolPoint at = {.t = f->x.t + PLACE[k] * dt, .q = q};
        for (int i = 0; i < s->nv; i++)
            d[i] = PLACE[k] * dt * f->x.v[i];
        p->retract(p, s->work, f->x.q, d, q);
        memset(M, 0, sizeof *M * (size_t)p->S.nnz);
        p->mass(p, s->work, &at, 1, 1, M);
        field_spread(&p->S, M, 0, WEIGHT[k] / dt, Mdot);
        if (s->m) {
            p->jacobian(p, s->work, &at, G);
            field_spread(&p->G, G, 1, WEIGHT[k] / dt, Gdot);
        }
    }
}

// out (d x c) = (N^T M N)^-1 N^T M B
static void field_project(Field *f, const double *N, int d, const double *B, int c, double *out) {
    const int n = f->l.n;
    double *MB = field_new(f, n, c), *MN = field_new(f, n, d), *R = field_new(f, d, d);
    hol_dense_multiply(n, n, c, f->l.M, 0, B, MB);
    hol_dense_multiply(n, n, d, f->l.M, 0, N, MN);
    hol_dense_multiply(d, n, d, N, 1, MN, R);
    hol_dense_multiply(d, n, c, N, 1, MB, out);
    assert_int_equal(hol_dense_positive_solve(d, c, R, out), 0);
}

// the term M_R^-1 (N'^T M + N^T M') X
static void field_turning(Field *f, double *out) {
    const HolLinear *l = &f->l;
    const int n = l->n, m = l->m, np = l->np, nz = l->nz, size = n + m;
    double *Gdot = field_new(f, m, n), *Mdot = field_new(f, n, n), *R = field_new(f, m, nz);
    double *Z = field_new(f, size, size), *B = field_new(f, size, nz), *Nd = field_new(f, n, nz);
    double *MX = field_new(f, n, np), *T = field_new(f, nz, np), *MR = field_new(f, nz, nz);
    int *pivot = HOL_NEW(&f->arena, int, size + 1);
    field_change(f, 1e-3 / f->rate, Gdot, Mdot);
    hol_dense_multiply(m, n, nz, Gdot, 0, l->N, R);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            Z[size * j + i] = l->M[n * j + i];
        for (int i = 0; i < m; i++)
            Z[size * j + n + i] = Z[size * (n + i) + j] = l->G[m * j + i];
    }
    for (int k = 0; k < nz; k++)
        for (int i = 0; i < m; i++)
            B[size * k + n + i] = -R[m * k + i];
    assert_int_equal(hol_dense_least_squares(size, size, nz, Z, B, size, 1e-13, pivot), 0);
    for (int k = 0; k < nz; k++)
        memcpy(Nd + n * k, B + size * k, sizeof *Nd * (size_t)n);
    hol_dense_multiply(n, n, np, l->M, 0, l->X, MX);
    hol_dense_multiply(nz, n, np, Nd, 1, MX, out);
    hol_dense_multiply(n, n, np, Mdot, 0, l->X, MX);
    hol_dense_multiply(nz, n, np, l->N, 1, MX, T);
    for (int i = 0; i < nz * np; i++)
        out[i] += T[i];
    memcpy(MR, l->M_R, sizeof *MR * (size_t)(nz * nz));
    assert_int_equal(hol_dense_positive_solve(nz, np, MR, out), 0);
}

static void field_differences(Field *f, double e) {
    const HolLinear *l = &f->l;
    const int n = l->n, np = l->np, nz = l->nz, size = np + nz;
    double *zero = field_new(f, n, 1), *du = field_new(f, n, 1), *dd = field_new(f, n, 1);
    double *turn = field_new(f, nz, np);
    f->J = field_new(f, size, size);
    field_turning(f, turn);
    for (int k = 0; k < size; k++) {
        const double *d = k < np ? l->N_h + n * k : zero;
        const double *u = k < np ? l->X + n * k : l->N + n * (k - np);
        double step = e; // rates of zeta are as large as the fastest
        if (k >= np)
            step *= f->rate;
        memset(du, 0, sizeof *du * (size_t)n);
        for (int j = 0; j < 4; j++) {
            field_at(f, d, u, PLACE[j] * step);
            for (int i = 0; i < n; i++)
                du[i] += WEIGHT[j] / step * f->moved.a[i];
        }
        field_rate(f, d, u, step, 1e-3 / f->rate, dd);
        field_project(f, l->N_h, np, dd, 1, f->J + size * k);
        field_project(f, l->N, nz, du, 1, f->J + size * k + np);
        for (int i = 0; k < np && i < nz; i++)
            f->J[size * k + np + i] += turn[nz * k + i];
    }
}

// largest difference of A and J, each block over its power of the fastest rate
static double field_compare(const Field *f) {
    const int np = f->l.np, size = np + f->l.nz;
    double most = 0;
    for (int j = 0; j < size; j++)
        for (int i = 0; i < size; i++) {
            const int power = (i >= np) - (j >= np) + 1;
            most =
                fmax(most, fabs(f->l.A[size * j + i] - f->J[size * j + i]) / pow(f->rate, power));
        }
    return most;
}

static double field_check(HolSim *s, double step) {
    Field f = {.s = s};
    HolError err;
    field_state(&f, &f.x);
    field_state(&f, &f.moved);
    hol_fill(s, &s->x);
    hol_state_copy(s, &f.x, &s->x);
    if (hol_accelerate(s, &f.x, 0, &err) != HOL_OK ||
        hol_linearize_in(s, &f.x, HOL_AXES_TRANSPORT, NULL, &f.arena, &f.l, &err) != HOL_OK)
        fail_msg("%s", err.text);
    const int size = f.l.np + f.l.nz;
    double found = 0;
    f.rate = 1e-3;
    for (int i = 0; i < s->nv; i++)
        f.rate =
            fmax(f.rate, fmax(fabs(f.x.v[i]) / s->reach[i], sqrt(fabs(f.x.a[i]) / s->reach[i])));
    for (int j = 0; j < size; j++)
        for (int i = f.l.np; i < size; i++)
            f.rate = fmax(f.rate,
                          j < f.l.np ? sqrt(fabs(f.l.A[size * j + i])) : fabs(f.l.A[size * j + i]));
    if (size) {
        field_differences(&f, step);
        found = field_compare(&f);
    }
    hol_arena_free(&f.arena);
    return found;
}

static void check_file(const char *path) {
    HolModel *model;
    HolSim *s;
    HolSimOptions o;
    HolError err;
    // made softer: its steep friction is straight over the steps of the differences
    const HolSetting soft[] = {{"k2", "300"}, {"c2", "5"}, {"ws", "20"}};
    const int n = strstr(path, "double-pendulum-friction") ? 3 : 0;
    if (hol_model_load(path, soft, n, &model, &o, &err) != HOL_OK ||
        hol_sim_create(model, &o, &s, &err) != HOL_OK || hol_sim_assemble(s, &err) != HOL_OK)
        fail_msg("%s", err.text);
    for (int later = 0; later < 2; later++) {
        if (later && hol_sim_advance(s, 0.137 * fmin(o.end, 1), &err) != HOL_OK)
            fail_msg("%s", err.text);
        // not smooth at their starts: a spring of no length, a stiffness with |angle|
        if (!later && strstr(path, "adams/spring-1"))
            continue;
        // (a contact that presses: d^1.5 bends within the steps of the differences)
        if (later && hol_model_problem(model)->extras->n_switches &&
            (strstr(path, "clearance") || strstr(path, "ratchet")))
            continue;
        if (strstr(path, "geneva") || strstr(path, "clock") || strstr(path, "jansen") ||
            strstr(path, "models/car.yaml"))
            continue; // (they press from the start)
        if (strstr(path, "grains"))
            continue; // (refused: hundreds of bodies that touch have no linear equations)
        const double limit = strstr(path, "torsion-spring-2") ? 1e-3 : 1e-6;
        // (a light rod that bends: shorter steps)
        const double found = field_check(s, strstr(path, "modal-slider") ? 1e-4 : 1e-3);
        if (!(found < limit))
            fail_msg("%s at %g: A differs from the vector field by %.1e", path, hol_sim_time(s),
                     found);
    }
    hol_sim_destroy(s);
    hol_model_destroy(model);
}

static int check_folder(const char *folder) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", HOL_SOURCE_DIR, folder);
    DIR *d = opendir(path);
    int n = 0;
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));)
        if (strstr(e->d_name, ".yaml")) {
            snprintf(path, sizeof path, "%s/%s/%s", HOL_SOURCE_DIR, folder, e->d_name);
            check_file(path);
            n++;
        }
    closedir(d);
    return n;
}

static void test_models(void **state) {
    (void)state;
    assert_true(check_folder("models") >= 19);
    assert_true(check_folder("models/adams") >= 14);
    assert_true(check_folder("models/modelica") >= 7);
    assert_true(check_folder("models/papers") >= 16);
    assert_true(check_folder("test/ref/linear") >= 10);
}

// ---- problems of C programs ----

// A bead on the curve r = 1 + 0.3 cos phi in polar coordinates (mass matrix diag(1, r^2)) under gravity.
static void polar_mass(const HolProblem *p, void *work, const HolPoint *at, double c, int into_S,
                       double *S) {
    (void)p, (void)work, (void)into_S;
    S[0] += c;
    S[3] += c * at->q[0] * at->q[0];
}

static void polar_force(const HolProblem *p, void *work, const HolPoint *at, double *f) {
    (void)p, (void)work;
    const double r = at->q[0], s = sin(at->q[1]), c = cos(at->q[1]);
    f[0] = r * at->v[1] * at->v[1] - 9.81 * s - 0.2 * at->v[0];
    f[1] = -2 * r * at->v[0] * at->v[1] - 9.81 * r * c;
}

static void polar_constraint(const HolProblem *p, void *work, const HolPoint *at, double *g) {
    (void)p, (void)work;
    g[0] = at->q[0] - 1 - 0.3 * cos(at->q[1]);
}

static void test_mass_that_changes(void **state) {
    (void)state;
    HolProblem p = hol_problem_def();
    p.nq = p.nv = 2;
    p.nh = 1;
    p.mass = polar_mass;
    p.force = polar_force;
    p.constraint = polar_constraint;
    const double q[2] = {1 + 0.3 * cos(0.7), 0.7}, v[2] = {-0.3 * sin(0.7) * 2.5, 2.5};
    HolSim *s;
    HolError err;
    HolSimOptions o = hol_sim_options();
    o.tolerance = 1e-8;
    o.end = 1;
    if (hol_sim_create_problem(&p, q, v, &o, &s, &err) != HOL_OK ||
        hol_sim_assemble(s, &err) != HOL_OK)
        fail_msg("%s", err.text);
    const double found = field_check(s, 1e-3);
    if (!(found < 1e-5)) // all derivatives are differences
        fail_msg("A differs from the vector field by %.1e", found);
    hol_sim_destroy(s);
}

// A free body in space that turns, with a retraction of its own: quaternions, velocities of the body.
typedef struct Gyro {
    double J[3];
} Gyro;

static void gyro_mass(const HolProblem *p, void *work, const HolPoint *at, double c, int into_S,
                      double *S) {
    (void)work, (void)at, (void)into_S;
    for (int i = 0; i < 3; i++)
        S[4 * i] += c * ((const Gyro *)p->user)->J[i];
}

static void gyro_force(const HolProblem *p, void *work, const HolPoint *at, double *f) {
    (void)work;
    const double *J = ((const Gyro *)p->user)->J, *w = at->v;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        f[i] = -(J[k] - J[j]) * w[j] * w[k];
    }
}

static void gyro_qdot(const HolProblem *p, void *work, const double *q, const double *v,
                      double *qd) {
    (void)p, (void)work;
    qd[0] = -0.5 * (q[1] * v[0] + q[2] * v[1] + q[3] * v[2]);
    qd[1] = 0.5 * (q[0] * v[0] + q[2] * v[2] - q[3] * v[1]);
    qd[2] = 0.5 * (q[0] * v[1] + q[3] * v[0] - q[1] * v[2]);
    qd[3] = 0.5 * (q[0] * v[2] + q[1] * v[1] - q[2] * v[0]);
}

static void gyro_multiply(const double *a, const double *b, double *out) {
    const double c[4] = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
                         a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                         a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3],
                         a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1]};
    memcpy(out, c, sizeof c);
}

static void gyro_retract(const HolProblem *p, void *work, const double *q, const double *d,
                         double *out) {
    (void)p, (void)work;
    const double angle = hypot(hypot(d[0], d[1]), d[2]), half = angle / 2,
                 s = angle > 1e-8 ? sin(half) / angle : 0.5;
    gyro_multiply(q, (double[4]){cos(half), s * d[0], s * d[1], s * d[2]}, out);
}

static void gyro_minus(const HolProblem *p, void *work, const double *q1, const double *q0,
                       double *d) {
    (void)p, (void)work;
    double r[4];
    gyro_multiply((double[4]){q0[0], -q0[1], -q0[2], -q0[3]}, q1, r);
    const double size = hypot(hypot(r[1], r[2]), r[3]),
                 f = size > 1e-12 ? 2 * atan2(size, r[0]) / size : 2;
    for (int i = 0; i < 3; i++)
        d[i] = f * r[1 + i];
}

static void test_own_retraction(void **state) {
    (void)state;
    const Gyro data = {{0.02, 0.03, 0.04}};
    HolProblem p = hol_problem_def();
    p.user = &data;
    p.nq = 4;
    p.nv = 3;
    p.mass = gyro_mass;
    p.force = gyro_force;
    p.qdot = gyro_qdot;
    p.retract = gyro_retract;
    p.minus = gyro_minus;
    const double q[4] = {1, 0, 0, 0}, v[3] = {0, 8, 0};
    HolSim *s;
    HolError err;
    HolModes *modes;
    HolSimOptions o = hol_sim_options();
    o.tolerance = 1e-8;
    o.end = 1;
    if (hol_sim_create_problem(&p, q, v, &o, &s, &err) != HOL_OK ||
        hol_sim_assemble(s, &err) != HOL_OK)
        fail_msg("%s", err.text);
    assert_true(field_check(s, 1e-3) < 1e-6);
    // about the middle axis: it tumbles, growth w sqrt((J3 - J2)(J2 - J1)/(J1 J3))
    if (hol_sim_modes(s, NULL, &modes, &err) != HOL_OK)
        fail_msg("%s", err.text);
    mode_at(modes, 8 * sqrt(0.01 * 0.01 / (0.02 * 0.04)), 0, 1e-6);
    mode_at(modes, -8 * sqrt(0.01 * 0.01 / (0.02 * 0.04)), 0, 1e-6);
    assert_string_equal(modes->coordinates[2], "coordinate 3");
    hol_modes_destroy(modes);
    hol_sim_destroy(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_models),
        cmocka_unit_test(test_mass_that_changes),
        cmocka_unit_test(test_own_retraction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
