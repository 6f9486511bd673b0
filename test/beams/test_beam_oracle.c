// SPDX-License-Identifier: Apache-2.0
// Rods at rest against boundary value problems (rod_bvp.h): arcs in and out of their plane, natural curvature
// and twist, sections with all couplings, frames with corners, loads that follow, other scales and
// rotated axes. The error must fall by the fourth power of the number of elements, and be as small as that
// of straight rods.
#include "beam_run.h"
#include "rod_bvp.h"

typedef struct Case {
    const char *name;
    const char *rod;                      // keys of the beam; %d: elements
    const char *more;                     // forces and other bodies
    double length, kappa0[3], natural[3]; // along the rod as placed
    double stiffness[6], coupling;        // diagonal; part of sqrt(ii jj) in the couplings
    int mixed;                            // also of forces with moments: then second order, small
    double q[3], P[3], M[3];
    int pressure, follows;
    double error; // allowed with 8 elements, as a part of the length
} Case;

// a rotation that is no axis of anything, and its inverse scale
static const double TILT[3] = {0.7, -0.4, 1.1};

static void fill_matrix(const Case *c, double scale, double K[36]) {
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            const double unit = (i < 3 ? 1 : scale) * (j < 3 ? 1 : scale);
            const int sign = (i < 3) == (j < 3) || c->mixed ? (3 * i + j * i + j) % 3 - 1 : 0;
            K[6 * i + j] =
                unit * (i == j ? c->stiffness[i]
                               : c->coupling * sign * sqrt(c->stiffness[i] * c->stiffness[j]));
        }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++)
            K[6 * i + j] = K[6 * j + i];
}

static void invert(const double K[36], double C[36]) {
    for (int j = 0; j < 6; j++) {
        double A[36], b[6] = {0};
        memcpy(A, K, sizeof A);
        b[j] = 1;
        assert_true(rod_solve6(A, b));
        for (int i = 0; i < 6; i++)
            C[6 * i + j] = b[i];
    }
}

typedef struct Place { // axes of the whole model, and lengths
    Quat turn;
    double scale;
} Place;

static Vec3 placed(const Place *p, const double x[3], double factor) {
    return v3_scale(q_rotate(p->turn, v3_load(x)), factor);
}

static int put3(char *to, const char *key, Vec3 x) {
    return sprintf(to, "%s: [%.17g, %.17g, %.17g]", key, x.x, x.y, x.z);
}

// lengths times `scale`, forces as they are, moments times scale
static void model_text(const Case *c, const Place *p, int n, char *t) {
    static const double O[3] = {0, 0, 0}, X[3] = {1, 0, 0}, Z[3] = {0, 0, 1};
    const double s = p->scale;
    double K[36];
    fill_matrix(c, s, K);
    t += sprintf(t, "holonom: 1\nspace: spatial\nbodies:\n  - {name: rod, type: beam, ");
    t += put3(t, "from", placed(p, O, 1));
    t += sprintf(t, ", elements: %d, ", n);
    t += put3(t, "up", placed(p, Z, 1));
    if (c->kappa0[2] != 0) {
        t += sprintf(t, ", curve: {arc: {radius: %.17g, angle: %.17g, ", s / fabs(c->kappa0[2]),
                     c->length * c->kappa0[2]);
        t += put3(t, "direction", placed(p, X, 1));
        t += sprintf(t, "}}");
    } else {
        t += sprintf(t, ", ");
        t += put3(t, "to", placed(p, X, c->length * s));
    }
    if (c->natural[0] != 0 || c->natural[1] != 0 || c->natural[2] != 0)
        t += sprintf(t, ", natural: [%.17g, %.17g, %.17g]", c->natural[0] / s, c->natural[1] / s,
                     c->natural[2] / s);
    t += sprintf(t, ",\n     stiffness: {matrix: [");
    for (int i = 0; i < 6; i++) {
        t += sprintf(t, "%s[", i ? ", " : "");
        for (int j = 0; j < 6; j++)
            t += sprintf(t, "%s%.17g", j ? ", " : "", K[6 * i + j]);
        t += sprintf(t, "]");
    }
    t += sprintf(t,
                 "]}, mass_per_length: %.17g, rotary: %.17g}\njoints:\n  - {type: fixed, "
                 "between: [ground, rod.start]}\nforces:\n",
                 1 / s, 1e-3 * s);
    const char *axes = c->follows ? "body" : "global";
    t += sprintf(t, "  - {type: force, acts_on: rod.end, frame: %s, ", axes);
    t += put3(t, "value", c->follows ? v3_load(c->P) : placed(p, c->P, 1));
    t += sprintf(t, "}\n  - {type: torque, acts_on: rod.end, frame: %s, ", axes);
    t += put3(t, "value", v3_scale(c->follows ? v3_load(c->M) : placed(p, c->M, 1), s));
    t += sprintf(t, "}\n  - {type: load, acts_on: rod, frame: %s, ",
                 c->pressure ? "body" : "global");
    t += put3(t, "per_length", v3_scale(c->pressure ? v3_load(c->q) : placed(p, c->q, 1), 1 / s));
    sprintf(t, "}\n");
}

// the tip in units of the scale, in the axes of the case
static Vec3 tip(const Case *c, const Place *p, int n) {
    char text[6000];
    double x[3];
    model_text(c, p, n, text);
    beam_rest(text, x);
    return v3_scale(q_rotate(q_conj(p->turn), v3_load(x)), 1 / p->scale);
}

static const Case cases[] = {
    {.name = "quarter circle, load in its plane",
     .length = M_PI / 2,
     .kappa0 = {0, 0, 1},
     .stiffness = {1e5, 5e4, 5e4, 2, 3, 3},
     .P = {1.5, -1, 0},
     .error = 3e-5},
    {.name = "quarter circle, load across",
     .length = M_PI / 2,
     .kappa0 = {0, 0, 1},
     .stiffness = {1e5, 5e4, 5e4, 2, 3, 3},
     .P = {0, 0, 2.5},
     .error = 3e-5},
    {.name = "half circle, weight across it",
     .length = M_PI,
     .kappa0 = {0, 0, 1},
     .stiffness = {1e5, 5e4, 5e4, 1.5, 3, 2},
     .q = {0, 0, -0.25},
     .error = 2e-4},
    {.name = "coupled section, force in space",
     .length = 1,
     .stiffness = {1e5, 5e4, 5e4, 1.3, 2, 3},
     .coupling = 0.2,
     .P = {-1, 4, -3},
     .error = 3e-5},
    {.name = "coupled section, forces with moments",
     .length = 1,
     .stiffness = {1e5, 5e4, 5e4, 1.3, 2, 3},
     .coupling = 0.2,
     .mixed = 1,
     .P = {-1, 4, -3},
     .error = 1e-5},
    {.name = "coupled section, moment",
     .length = 1,
     .stiffness = {1e5, 5e4, 5e4, 1.3, 2, 3},
     .coupling = 0.15,
     .M = {1, 2, -1},
     .error = 3e-5},
    {.name = "natural helix, placed straight",
     .length = 1,
     .natural = {1.5, 0.4, 1.2},
     .stiffness = {1e5, 5e4, 5e4, 1.3, 2, 3},
     .P = {0, 2, 1},
     .error = 1e-4},
    {.name = "twisted strip under a follower",
     .length = 1,
     .natural = {2, 0, 0},
     .stiffness = {1e5, 5e4, 5e4, 0.5, 1, 20},
     .P = {0, 0.8, 0.8},
     .follows = 1,
     .error = 1e-4},
    {.name = "follower with moment",
     .length = 1,
     .stiffness = {1e5, 5e4, 5e4, 1.3, 2, 2},
     .P = {-1, 3, 1},
     .M = {0.5, 0, 0.5},
     .follows = 1,
     .error = 1e-4},
    {.name = "pressure on an arc",
     .length = 1.2,
     .kappa0 = {0, 0, 1},
     .stiffness = {1e5, 5e4, 5e4, 1.3, 2, 2},
     .q = {0, 4, 1},
     .pressure = 1,
     .error = 1e-4},
};

static Vec3 exact(const Case *c) {
    Rod d = {.n = 1, .p = {1, 0, 0, 0}, .pressure = c->pressure, .follows = c->follows};
    double K[36];
    RodState end;
    fill_matrix(c, 1, K);
    invert(K, d.C);
    const int own = c->natural[0] != 0 || c->natural[1] != 0 || c->natural[2] != 0;
    d.piece[0].length = c->length;
    memcpy(d.piece[0].kappa0, own ? c->natural : c->kappa0, sizeof c->natural);
    memcpy(d.q, c->q, sizeof c->q);
    memcpy(d.P, c->P, sizeof c->P);
    memcpy(d.M, c->M, sizeof c->M);
    if (!rod_rest(d, 8, &end))
        fail_msg("%s: the boundary value problem was not solved", c->name);
    return rod_at(end.x);
}

static void test_rods(void **state) {
    (void)state;
    const Place here = {{1, 0, 0, 0}, 1};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const Case *c = &cases[i];
        const Vec3 x = exact(c);
        double e[2];
        for (int k = 0; k < 2; k++)
            e[k] = v3_norm(v3_sub(tip(c, &here, 8 << k), x)) / c->length;
        const double order = log2(e[0] / e[1]);
        if (!(e[0] <= c->error) || !(order >= 3.6 || c->mixed))
            fail_msg("%s: errors %.2e with 8 and %.2e with 16 elements", c->name, e[0], e[1]);
    }
}

// lengths of micrometres and megametres, axes that are turned: the same numbers
static void test_scales(void **state) {
    (void)state;
    const Place here = {{1, 0, 0, 0}, 1};
    static const double scales[] = {1e-6, 1e-3, 1, 1e6};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const Vec3 x = tip(&cases[i], &here, 8);
        for (size_t k = 0; k < 4; k++) {
            const Place p = {q_exp(v3_load(TILT)), scales[k]};
            const double e = v3_norm(v3_sub(tip(&cases[i], &p, 8), x));
            if (!(e <= 1e-10))
                fail_msg("%s, scale %g: %.2e apart", cases[i].name, scales[k], e);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rods), cmocka_unit_test(test_scales)};
    return cmocka_run_group_tests_name("beams against boundary value problems", tests, NULL, NULL);
}
