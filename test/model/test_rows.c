// SPDX-License-Identifier: Apache-2.0
// Every primitive row, alone, with random constants between two moving bodies: coefficients against
// differences of the value, their derivatives against differences of the coefficients, gamma
// against v^T D v and second differences along a motion, Taylor series of value and coefficients
// against the row on that motion, masks against what really occurs. A kind is covered once it
// stands in row.c.
#include "math/vec.h"
#include "model/curve/curve.h"
#include "model/row/row.h"
#include "probe.h"

enum { ORDER = 18, STRIDE = 20, TRIALS = 25 };

typedef struct Pair {
    HolFrame frame[2];
    double v[2][6];
} Pair;

static int space_of;     // 0: plane, 1: space, for messages
static HolModel *curves; // holds the closed curve that rows follow

static int setup(void **state) {
    (void)state;
    curves = parse_model("holonom: 1\nspace: planar\nbodies: [{name: b, mass: 1, inertia: 1}]\n"
                         "curves: {egg: {x: 0.3*cos(s) + 0.02*cos(2*s), y: 0.2*sin(s), to: 2*pi, "
                         "closed: true}}\n");
    return 0;
}

static int teardown(void **state) {
    (void)state;
    hol_model_destroy(curves);
    return 0;
}

static int follows_curve(const HolRowKind *k) {
    return k == &hol_row_near2 || k == &hol_row_face2 || k == &hol_row_skid2 || k == &hol_row_wipe2;
}

static void check(const HolRow *row, const char *what, double value, double expected,
                  double tolerance) {
    if (!(fabs(value - expected) <= tolerance * (1 + fabs(expected))))
        fail_msg("%s row of %s: %s: %.14g, expected %.14g", row->kind->name,
                 space_of ? "space" : "the plane", what, value, expected);
}

static void set_axes(HolFrame *f) {
    if (space_of) {
        Mat3 A = q_matrix(q_load(f->p));
        memcpy(f->A, A.m, sizeof A.m);
    } else {
        f->c = cos(f->angle);
        f->s = sin(f->angle);
    }
}

static HolFrame random_frame(void) {
    HolFrame f = {.p = {1, 0, 0, 0}};
    fill(f.r, space_of ? 3 : 2, 2);
    if (space_of)
        q_store(f.p, q_normalize(
                         (Quat){uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)}));
    else
        f.angle = uniform(-3, 3);
    set_axes(&f);
    return f;
}

// the frame moved by an increment in velocity coordinates
static HolFrame moved(const HolFrame *f, const double *d, double s) {
    HolFrame out = *f;
    for (int i = 0; i < (space_of ? 3 : 2); i++)
        out.r[i] += s * d[i];
    if (space_of)
        q_store(out.p, q_mul(q_load(f->p), q_exp(v3_scale(v3_load(d + 3), s))));
    else
        out.angle += s * d[2];
    set_axes(&out);
    return out;
}

static void random_unit(double *u) {
    fill(u, 3, 1);
    if (!space_of)
        u[2] = 0;
    v3_store(u, v3_unit(v3_load(u)));
}

// vectors are unit, wa is perpendicular to ua; some trials have vectors along axes, some no arms
static HolRow random_row(const HolRowKind *kind, int fixed_a, int trial) {
    HolRow row = {.kind = kind, .a = fixed_a ? 0 : 1, .b = 2, .fixed_a = fixed_a, .memory = -1};
    fill(row.sa, space_of ? 3 : 2, 1);
    fill(row.sb, space_of ? 3 : 2, 1);
    random_unit(row.ua);
    random_unit(row.ub);
    if (trial % 4 == 1)
        for (int i = 0; i < 3; i++) {
            row.ua[i] = i == trial % 2;
            row.ub[i] = i == (trial / 4) % (space_of ? 3 : 2);
            row.sb[i] = i == (trial / 4 + 1) % (space_of ? 3 : 2) ? 0.7 : 0;
        }
    if (trial % 4 == 2)
        memset(row.sa, 0, sizeof row.sa), memset(row.sb, 0, sizeof row.sb);
    v3_store(row.wa, space_of ? v3_perpendicular(v3_load(row.ua)) : v3(-row.ua[1], row.ua[0], 0));
    row.c = kind == &hol_row_quaternion ? trial % 4 : uniform(0.5, 1.5);
    if (follows_curve(kind)) {
        row.curve = hol_curve_find(curves, "egg");
        row.more = hol_row_curve_series(row.curve);
        row.wa[0] = 1;
        if (kind == &hol_row_wipe2)
            row.c = 0;
    }
    unsigned mask[2], vary[2];
    kind->mask(&row, &mask[0], &mask[1], &vary[0], &vary[1]);
    for (int s = 0; s < 2; s++)
        row.mask[s] = (unsigned char)mask[s], row.vary[s] = (unsigned char)vary[s];
    return row;
}

static Pair random_pair(int fixed_a) {
    Pair p = {{random_frame(), random_frame()}, {{0}, {0}}};
    int n = space_of ? 6 : 3;
    fill(p.v[0], n, 1.5);
    fill(p.v[1], n, 1.5);
    if (fixed_a) {
        p.frame[0] = (HolFrame){.A = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .p = {1, 0, 0, 0}};
        memset(p.v[0], 0, sizeof p.v[0]);
    }
    return p;
}

// ---- first and second derivatives ----

static void coefficients(const HolRow *row, const HolFrame *a, const HolFrame *b, double c[2][6]) {
    memset(c, 0, sizeof(double[2][6]));
    row->kind->coef(row, a, b, c[0], c[1]);
}

static void check_coef(const HolRow *row, const Pair *p, const double c[2][6]) {
    const HolFrame *a = &p->frame[0], *b = &p->frame[1];
    double memory = row->kind->value(row, a, b, NULL), e = 1e-3;
    for (int side = row->fixed_a; side < 2; side++)
        for (int i = 0; i < (space_of ? 6 : 3); i++) {
            static const double weight[4] = {1, -8, 8, -1}, place[4] = {-2, -1, 1, 2};
            double unit[6] = {0}, slope = 0;
            unit[i] = 1;
            for (int k = 0; k < 4; k++) {
                HolFrame f = moved(&p->frame[side], unit, place[k] * e);
                slope += weight[k] * row->kind->value(row, side ? a : &f, side ? &f : b, &memory) /
                         (12 * e);
            }
            check(row, side ? "coefficient of b" : "coefficient of a", c[side][i], slope, 3e-9);
        }
}

static void check_dcoef(const HolRow *row, const Pair *p) {
    const HolFrame *a = &p->frame[0], *b = &p->frame[1];
    HolRowDerivative D = {{{{0}}}};
    double e = 1e-3, s = 1.7;
    row->kind->dcoef(row, a, b, s, D);
    for (int side = row->fixed_a; side < 2; side++)
        for (int j = 0; j < (space_of ? 6 : 3); j++) {
            static const double weight[4] = {1, -8, 8, -1}, place[4] = {-2, -1, 1, 2};
            double unit[6] = {0}, slope[2][6] = {{0}}, c[2][6];
            unit[j] = 1;
            for (int k = 0; k < 4; k++) {
                HolFrame f = moved(&p->frame[side], unit, place[k] * e);
                coefficients(row, side ? a : &f, side ? &f : b, c);
                for (int o = 0; o < 2; o++)
                    for (int i = 0; i < 6; i++)
                        slope[o][i] += weight[k] * c[o][i] / (12 * e);
            }
            for (int o = row->fixed_a; o < 2; o++)
                for (int i = 0; i < 6; i++)
                    check(row, "derivative of a coefficient", D[o][side][i][j], s * slope[o][i],
                          3e-9);
        }
    // gamma = v^T D v
    double gamma = 0;
    for (int o = row->fixed_a; o < 2; o++)
        for (int q = row->fixed_a; q < 2; q++)
            for (int i = 0; i < 6; i++)
                for (int j = 0; j < 6; j++)
                    gamma += p->v[o][i] * D[o][q][i][j] * p->v[q][j] / s;
    check(row, "gamma", row->kind->gamma(row, a, b, p->v[0], p->v[1]), gamma, 1e-12);
}

// sigma'' along the motion with constant velocity coordinates
static void check_gamma(const HolRow *row, const Pair *p) {
    static const double weight[5] = {-1, 16, -30, 16, -1};
    double memory = row->kind->value(row, &p->frame[0], &p->frame[1], NULL), e = 2e-3, second = 0;
    for (int k = 0; k < 5; k++) {
        HolFrame a = moved(&p->frame[0], p->v[0], (k - 2) * e),
                 b = moved(&p->frame[1], p->v[1], (k - 2) * e);
        second += weight[k] * row->kind->value(row, &a, &b, &memory) / (12 * e * e);
    }
    check(row, "second derivative along a motion",
          row->kind->gamma(row, &p->frame[0], &p->frame[1], p->v[0], p->v[1]), second, 1e-7);
}

static void check_masks(const HolRow *row, const double c[2][6], const double d[2][6]) {
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < 6; i++) {
            if (!(row->mask[side] >> i & 1))
                check(row, "coefficient outside the mask", c[side][i], 0, 0);
            if (!(row->vary[side] >> i & 1))
                check(row, "coefficient said to be constant", d[side][i], c[side][i], 0);
        }
    for (int side = 0; side < 2; side++)
        assert_true((row->vary[side] & ~row->mask[side]) == 0);
}

// ---- series: an analytic motion, r(t) a cubic, the turning velocity a quadratic ----

typedef struct Motion {
    double series[3][HOL_SERIES_SPACE][STRIDE];            // by bodies
    double data[HOL_SERIES_SPACE * STRIDE][HOL_JET_GROUP]; // the same side by side, for J
    HolJets J;
} Motion;

static void turn_series(Motion *mo, int body, const HolFrame *f) {
    double *p = mo->series[body][HOL_S_P], *o = mo->series[body][HOL_S_OMEGA];
    for (int c = 0; c < 4; c++)
        p[c * STRIDE] = f->p[c];
    for (int n = 1; n <= ORDER; n++) { // p' = p (0, omega)/2
        Quat sum = {0, 0, 0, 0};
        for (int i = 0; i < n; i++) {
            int k = n - 1 - i;
            Quat d = q_mul((Quat){p[i], p[STRIDE + i], p[2 * STRIDE + i], p[3 * STRIDE + i]},
                           (Quat){0, o[k], o[STRIDE + k], o[2 * STRIDE + k]});
            sum = (Quat){sum.w + d.w, sum.x + d.x, sum.y + d.y, sum.z + d.z};
        }
        double s[4] = {sum.w, sum.x, sum.y, sum.z};
        for (int c = 0; c < 4; c++)
            p[c * STRIDE + n] = s[c] / (2 * n);
    }
    // A is bilinear in p
    for (int n = 0; n <= ORDER; n++)
        for (int i = 0; i <= n; i++) {
            double x[4], y[4];
            for (int c = 0; c < 4; c++)
                x[c] = p[c * STRIDE + i], y[c] = p[c * STRIDE + n - i];
            double w = x[0] * y[0], e = x[1] * y[1] + x[2] * y[2] + x[3] * y[3];
            double wx = x[0] * y[1], wy = x[0] * y[2], wz = x[0] * y[3];
            double skew[9] = {0, -wz, wy, wz, 0, -wx, -wy, wx, 0};
            for (int k = 0; k < 9; k++)
                mo->series[body][HOL_S_A + k][n] +=
                    2 * x[1 + k / 3] * y[1 + k % 3] + 2 * skew[k] + (k % 4 == 0 ? w - e : 0);
        }
}

static void plane_series(Motion *mo, int body) {
    double *th = mo->series[body][HOL_S_THETA], *c = mo->series[body][HOL_S_COS];
    double *s = mo->series[body][HOL_S_SIN];
    c[0] = cos(th[0]);
    s[0] = sin(th[0]);
    for (int n = 1; n <= ORDER; n++)
        for (int k = 1; k <= n; k++) {
            c[n] -= k * th[k] * s[n - k] / n;
            s[n] += k * th[k] * c[n - k] / n;
        }
}

static void make_motion(Motion *mo, const Pair *p, int fixed_a) {
    memset(mo, 0, sizeof *mo);
    mo->J = (HolJets){.leading = (double *)mo->data,
                      .turning = (double *)(mo->data + HOL_LEADING),
                      .slab = HOL_SERIES_SPACE,
                      .series = space_of ? HOL_SERIES_SPACE : HOL_SERIES_PLANE,
                      .stride = STRIDE,
                      .order = ORDER};
    for (int body = 0; body < 3; body++) {
        const HolFrame *f = body ? &p->frame[body - 1] : NULL;
        int moves = body == 2 || (body == 1 && !fixed_a), lines = space_of ? 3 : 2;
        for (int i = 0; f && moves && i < lines; i++) {
            double *r = mo->series[body][HOL_S_R + i];
            r[0] = f->r[i];
            for (int k = 1; k < 4; k++)
                r[k] = uniform(-1, 1);
        }
        if (!moves || !f) { // ground
            for (int k = 0; space_of && k < 9; k += 4)
                mo->series[body][HOL_S_A + k][0] = 1;
            mo->series[body][space_of ? HOL_S_P : HOL_S_COS][0] = 1;
            continue;
        }
        if (space_of) {
            for (int i = 0; i < 3; i++)
                fill(mo->series[body][HOL_S_OMEGA + i], 3, 1);
            turn_series(mo, body, f);
        } else {
            double *th = mo->series[body][HOL_S_THETA];
            fill(th, 4, 1);
            th[0] = f->angle;
            plane_series(mo, body);
        }
    }
    for (int body = 0; body < 3; body++)
        for (int c = 0; c < mo->J.series; c++)
            for (int j = 0; j < STRIDE; j++)
                *hol_jet(&mo->J, body, c, j) = mo->series[body][c][j];
}

static double sum(const double *c, double t) {
    double s = 0;
    for (int k = ORDER; k >= 0; k--)
        s = s * t + c[k];
    return s;
}

static HolFrame frame_at(const Motion *mo, int body, double t) {
    HolFrame f = {.p = {1, 0, 0, 0}};
    for (int i = 0; i < (space_of ? 3 : 2); i++)
        f.r[i] = sum(mo->series[body][HOL_S_R + i], t);
    for (int i = 0; space_of && i < 4; i++)
        f.p[i] = sum(mo->series[body][HOL_S_P + i], t);
    if (!space_of)
        f.angle = sum(mo->series[body][HOL_S_THETA], t);
    set_axes(&f);
    return f;
}

static int settled(const double *series) {
    return fabs(series[ORDER]) * pow(0.1, ORDER) <= 1e-13 &&
           fabs(series[ORDER - 1]) * pow(0.1, ORDER - 1) <= 1e-13;
}

// the series' sums against the row at other instants of the motion; 0 when it has not converged
// there
static int check_series(const HolRow *row, const Pair *p) {
    Motion mo;
    enum { OWN = 600 };
    double own[OWN * STRIDE] = {0}, value[STRIDE] = {0}, coef[2][6][STRIDE] = {{{0}}},
                     times[3] = {-0.08, 0.05, 0.1};
    make_motion(&mo, p, row->fixed_a);
    assert_true(row->kind->series + row->more <= OWN);
    for (int j = 0; j <= ORDER; j++) {
        double c[2][6] = {{0}};
        if (row->kind->holonomic)
            value[j] = row->kind->jet_value(row, &mo.J, own, j);
        row->kind->jet_coef(row, &mo.J, own, j, c[0], c[1]);
        for (int side = row->fixed_a; side < 2; side++)
            for (int i = 0; i < 6; i++) {
                coef[side][i][j] = c[side][i];
                if (j > 0 && !(row->vary[side] >> i & 1))
                    check(row, "series of a constant coefficient", c[side][i], 0, 0);
            }
    }
    if (!settled(value)) // near a singular point of the row
        return 0;
    for (int i = 0; !row->kind->holonomic && i < 12; i++) // which velocity rows show here
        if (!settled(coef[i / 6][i % 6]))
            return 0;
    for (int k = 0; k < 3; k++) {
        HolFrame a = frame_at(&mo, row->a, times[k]), b = frame_at(&mo, row->b, times[k]);
        double c[2][6], memory = value[0];
        if (row->kind->holonomic)
            check(row, "series of the value", sum(value, times[k]),
                  row->kind->value(row, &a, &b, &memory), 1e-12);
        coefficients(row, &a, &b, c);
        for (int side = row->fixed_a; side < 2; side++)
            for (int i = 0; i < 6; i++)
                check(row, "series of a coefficient", sum(coef[side][i], times[k]), c[side][i],
                      1e-11);
    }
    return 1;
}

// ---- all kinds ----

// angle and disc rows have singular positions: stay away from them
static int regular(const HolRow *row, const Pair *p) {
    const HolFrame *a = &p->frame[0], *b = &p->frame[1];
    Vec3 d = v3_sub(v3_load(b->r), v3_load(a->r));
    Mat3 A, B;
    memcpy(A.m, a->A, sizeof A.m);
    memcpy(B.m, b->A, sizeof B.m);
    if (row->kind == &hol_row_angle3)
        return fabs(v3_dot(v3_cross(v3_load(row->ua), v3_load(row->wa)),
                           m3_tmulv(A, m3_mulv(B, v3_load(row->ub))))) < 0.8;
    if (row->kind == &hol_row_touch3 || row->kind == &hol_row_roll3)
        return fabs(v3_dot(v3_load(row->ua), m3_mulv(B, v3_load(row->ub)))) < 0.8;
    d = v3_add(d, v3_sub(m3_mulv(B, v3_load(row->sb)), m3_mulv(A, v3_load(row->sa))));
    return v3_norm(d) > 1;
}

static void check_kind(const HolRowKind *kind, int fixed_a) {
    int done = 0, series = 0;
    for (int trial = 0; trial < 20 * TRIALS && done < TRIALS; trial++) {
        HolRow row = random_row(kind, fixed_a, trial);
        Pair p = random_pair(fixed_a), other = random_pair(fixed_a);
        double c[2][6], d[2][6];
        if (!regular(&row, &p) || !regular(&row, &other))
            continue;
        coefficients(&row, &p.frame[0], &p.frame[1], c);
        coefficients(&row, &other.frame[0], &other.frame[1], d);
        check_masks(&row, c, d);
        assert_int_equal(kind->holonomic, kind->value != NULL);
        if (kind->holonomic) {
            check_coef(&row, &p, c);
            check_gamma(&row, &p);
        }
        check_dcoef(&row, &p);
        series += check_series(&row, &p);
        done++;
    }
    assert_int_equal(done, TRIALS);
    assert_true(series > TRIALS / 2);
}

static void test_plane(void **state) {
    (void)state;
    space_of = 0;
    for (const HolRowKind *const *k = hol_row_kinds_plane; *k; k++) {
        check_kind(*k, 0);
        check_kind(*k, 1);
    }
}

static void test_space(void **state) {
    (void)state;
    space_of = 1;
    for (const HolRowKind *const *k = hol_row_kinds_space; *k; k++) {
        check_kind(*k, 0);
        check_kind(*k, 1);
    }
}

// a quarter turn at a time: the unwrapped angle goes on past half and whole turns, both ways
static void test_unwrapping(void **state) {
    (void)state;
    space_of = 1;
    HolRow row = {
        .kind = &hol_row_angle3, .b = 1, .ua = {1, 0, 0}, .wa = {0, 1, 0}, .ub = {1, 0, 0}};
    HolFrame ground = {.A = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .p = {1, 0, 0, 0}}, f = ground;
    double about_z[6] = {0, 0, 0, 0, 0, 1}, memory = 0;
    for (int i = 1; i <= 40; i++) {
        HolFrame turned = moved(&f, about_z, (i <= 25 ? i : 50 - i) * M_PI / 4);
        double value = hol_row_angle3.value(&row, &ground, &turned, &memory);
        check(&row, "unwrapped angle", value, (i <= 25 ? i : 50 - i) * M_PI / 4, 1e-12);
        memory = value;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plane),
        cmocka_unit_test(test_space),
        cmocka_unit_test(test_unwrapping),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
