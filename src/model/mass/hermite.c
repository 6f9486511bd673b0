// SPDX-License-Identifier: Apache-2.0
// Consistent mass of a beam's element (docs/theory/beams.md, section 17.3): the kinetic energy of the
// cubic field r(s) = N1 r_A + N2 L t_A + N3 r_B + N4 L t_B through places and tangents t = A e1 of both
// nodes. With y = (r_A, L t_A, r_B, L t_B) and the constant matrix W of the cubic shapes,
//     y' = B v,   T = y'.W y'/2,   B^T W (y'' - w),   y'' = B a + B' v,   w = (g, 0, g, 0)
//     (L t)' = L A (omega x e1),   (L t)'' = L A s,
//     s = omega' x e1 + omega x (omega x e1) = (-o2^2 - o3^2, o3' + o1 o2, -o2' + o1 o3)
// and a force F at L t gives the torque L e1 x A^T F = L (0, -a3.F, a2.F), a2, a3 the other axes.
// Derivatives along a rotation phi of a node: A s -> A (phi x s), A^T F -> (A^T F) x phi. Damping by
// mass is B^T W y' times `drag`. The nodes themselves, rigid bodies, have half the mass of the element
// each, which W lacks, and the rotary inertia.
// The plane is the same with rotations about the third axis alone.
#include "math/vec.h"
#include "model/model.h"

#include <math.h>

typedef struct Node {
    Mat3 A;
    Vec3 v, o; // velocity, angular velocity in body axes; accelerations
    Vec3 a, turn;
} Node;

typedef struct Hermite {
    const HolHermite *h;
    int dim, nv; // axes; velocities of a node
    Node node[2];
} Hermite;

void hol_hermite_make(HolHermite *h, double L, double mass, double drag) {
    static const double m[4][4] = {
        {156, 22, 54, -13}, {22, 4, 13, -3}, {54, 13, 156, -22}, {-13, -3, -22, 4}};
    h->L = L;
    h->drag = drag;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            h->W[i][j] = mass * (m[i][j] / 420 - (i == j && i % 2 == 0 ? 0.5 : 0));
}

static Vec3 hermite_axes(const double *x, int dim) {
    return x ? v3(x[0], x[1], dim == 3 ? x[2] : 0) : v3(0, 0, 0);
}

static Vec3 hermite_turn(const double *x, int dim) {
    return !x ? v3(0, 0, 0) : dim == 3 ? v3_load(x + 3) : v3(0, 0, x[2]);
}

static Hermite hermite_at(const HolModel *m, const HolHermite *h, const HolMassState *s) {
    const int dim = m->space == HOL_PLANAR ? 2 : 3;
    Hermite x = {.h = h, .dim = dim, .nv = dim == 3 ? 6 : 3};
    for (int i = 0; i < 2; i++) {
        const double *q = s->q + h->q[i], *v = s->v ? s->v + h->v[i] : NULL,
                     *a = s->a ? s->a + h->v[i] : NULL;
        if (dim == 3)
            x.node[i].A = q_matrix(q_load(q + 3));
        else {
            const double cs = cos(q[2]), sn = sin(q[2]);
            x.node[i].A = m3_columns(v3(cs, sn, 0), v3(-sn, cs, 0), v3(0, 0, 1));
        }
        x.node[i].v = hermite_axes(v, dim);
        x.node[i].o = hermite_turn(v, dim);
        x.node[i].a = hermite_axes(a, dim);
        x.node[i].turn = hermite_turn(a, dim);
    }
    return x;
}

// sum_j W_ij y_j
static Vec3 hermite_times(const HolHermite *h, int i, const Vec3 y[4]) {
    Vec3 f = v3(0, 0, 0);
    for (int j = 0; j < 4; j++)
        f = v3_add(f, v3_scale(y[j], h->W[i][j]));
    return f;
}

// s of a node, body axes, plus `drag` omega x e1
static Vec3 hermite_second(const Node *n, double drag) {
    const Vec3 o = n->o;
    return v3(-o.y * o.y - o.z * o.z, n->turn.z + o.x * o.y + drag * o.z,
              -n->turn.y + o.x * o.z - drag * o.y);
}

// y'' - w, plus `drag` y'
static void hermite_y(const HolModel *m, const Hermite *x, Vec3 y[4]) {
    const Vec3 g = hermite_axes(m->gravity, x->dim);
    for (int i = 0; i < 2; i++) {
        const Node *n = &x->node[i];
        y[2 * i] = v3_add(v3_sub(n->a, g), v3_scale(n->v, x->h->drag));
        y[2 * i + 1] = v3_scale(m3_mulv(n->A, hermite_second(n, x->h->drag)), x->h->L);
    }
}

// y'
static void hermite_rates(const Hermite *x, Vec3 y[4]) {
    for (int i = 0; i < 2; i++) {
        const Node *n = &x->node[i];
        y[2 * i] = n->v;
        y[2 * i + 1] = v3_scale(m3_mulv(n->A, v3(0, n->o.z, -n->o.y)), x->h->L);
    }
}

// y'.W y'
static double hermite_square(const HolHermite *h, const Vec3 y[4]) {
    double sum = 0;
    for (int i = 0; i < 4; i++)
        sum += v3_dot(y[i], hermite_times(h, i, y));
    return sum;
}

static void hermite_force(const HolModel *m, const void *e, const HolMassState *s, double *f) {
    const Hermite x = hermite_at(m, e, s);
    Vec3 y[4];
    hermite_y(m, &x, y);
    for (int i = 0; i < 2; i++) {
        const Vec3 F = hermite_times(x.h, 2 * i, y),
                   u = m3_tmulv(x.node[i].A, hermite_times(x.h, 2 * i + 1, y));
        double *to = f + x.h->v[i], part[3];
        v3_store(part, F);
        for (int k = 0; k < x.dim; k++)
            to[k] -= part[k];
        if (x.dim == 3)
            to[4] += x.h->L * u.z;
        to[x.nv - 1] -= x.h->L * u.y;
    }
}

static double hermite_kinetic(const HolModel *m, const void *e, const HolMassState *s) {
    const Hermite x = hermite_at(m, e, s);
    Vec3 y[4];
    hermite_rates(&x, y);
    return 0.5 * hermite_square(e, y);
}

static double hermite_power(const HolModel *m, const void *e, const HolMassState *s) {
    const HolHermite *h = e;
    return h->drag > 0 ? -2 * h->drag * hermite_kinetic(m, e, s) : 0;
}

// -w.W y: what the halves at the nodes lack
static double hermite_potential(const HolModel *m, const void *e, const double *q) {
    const Hermite x = hermite_at(m, e, &(HolMassState){.q = q});
    const Vec3 g = hermite_axes(m->gravity, x.dim);
    double V = 0;
    for (int i = 0; i < 2; i++)
        V -= (x.h->W[2 * i + 1][0] + x.h->W[2 * i + 1][2]) * x.h->L *
             v3_dot(g, m3_column(&x.node[i].A, 0));
    return V;
}

// ---- matrices ----

// axis of rotation of velocity k of a node, 0 .. 2, -1: a translation
static int hermite_axis(const Hermite *x, int k) {
    return k < x->dim ? -1 : x->dim == 3 ? k - 3 : 2;
}

static void hermite_add(const HolMassBlock *B, int r, int c, double x) {
    if (B->to[(long)B->n * c + r] >= 0)
        hol_mass_put(B, r, c, x);
}

// B^T W d for a change d of y_j, into a column
static void hermite_column(const Hermite *x, int j, Vec3 d, const HolMassBlock *B, int column) {
    for (int i = 0; i < 2; i++) {
        const int row = x->nv * i;
        const Vec3 F = v3_scale(d, x->h->W[2 * i][j]),
                   u = m3_tmulv(x->node[i].A, v3_scale(d, x->h->W[2 * i + 1][j] * x->h->L));
        hermite_add(B, row, column, F.x);
        hermite_add(B, row + 1, column, F.y);
        if (x->dim == 3) {
            hermite_add(B, row + 2, column, F.z);
            hermite_add(B, row + 4, column, -u.z);
        }
        hermite_add(B, row + x->nv - 1, column, u.y);
    }
}

static const double UNIT[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static void hermite_mass(const HolModel *m, const void *e, const double *q, const HolMassBlock *M) {
    const Hermite x = hermite_at(m, e, &(HolMassState){.q = q});
    static const double along[3][3] = {{0, 0, 0}, {0, 0, -1}, {0, 1, 0}}; // e_c x e1
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < x.nv; k++) {
            const int axis = hermite_axis(&x, k);
            if (axis < 0)
                hermite_column(&x, 2 * i, v3_load(UNIT[k]), M, x.nv * i + k);
            else if (axis > 0)
                hermite_column(&x, 2 * i + 1,
                               v3_scale(m3_mulv(x.node[i].A, v3_load(along[axis])), x.h->L), M,
                               x.nv * i + k);
        }
}

// by positions: L A (e_c x s), and the torque's own axes
static void hermite_stiffness(const Hermite *x, const Vec3 y[4], int i, int k,
                              const HolMassBlock *K) {
    const int axis = hermite_axis(x, k), column = x->nv * i + k, row = x->nv * i;
    const Node *n = &x->node[i];
    const Vec3 turn = v3_load(UNIT[axis]), s = hermite_second(n, x->h->drag),
               u = v3_cross(m3_tmulv(n->A, hermite_times(x->h, 2 * i + 1, y)), turn);
    hermite_column(x, 2 * i + 1, v3_scale(m3_mulv(n->A, v3_cross(turn, s)), x->h->L), K, column);
    if (x->dim == 3)
        hermite_add(K, row + 4, column, -x->h->L * u.z);
    hermite_add(K, row + x->nv - 1, column, x->h->L * u.y);
}

// by velocities: L A (s_omega_c + drag e_c x e1), drag at the translations
static void hermite_damping(const Hermite *x, int i, int k, const HolMassBlock *C) {
    const int axis = hermite_axis(x, k), column = x->nv * i + k;
    const Vec3 o = x->node[i].o;
    const double drag = x->h->drag;
    if (axis < 0) {
        if (drag > 0)
            hermite_column(x, 2 * i, v3_scale(v3_load(UNIT[k]), drag), C, column);
        return;
    }
    const Vec3 s = axis == 0   ? v3(0, o.y, o.z)
                   : axis == 1 ? v3(-2 * o.y, o.x, -drag)
                               : v3(-2 * o.z, drag, o.x);
    hermite_column(x, 2 * i + 1, v3_scale(m3_mulv(x->node[i].A, s), x->h->L), C, column);
}

static void hermite_tangent(const HolModel *m, const void *e, const HolMassState *s,
                            const HolMassBlock *C, const HolMassBlock *K) {
    const Hermite x = hermite_at(m, e, s);
    Vec3 y[4];
    hermite_y(m, &x, y);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < x.nv; k++) {
            if (C->c != 0)
                hermite_damping(&x, i, k, C);
            if (K->c != 0 && k >= x.dim)
                hermite_stiffness(&x, y, i, k, K);
        }
}

// translations of one axis, and all with rotations across the rod
static int hermite_couples(const HolModel *m, const void *e, int row, int column) {
    const Hermite x = {.dim = m->space == HOL_PLANAR ? 2 : 3, .nv = m->space == HOL_PLANAR ? 3 : 6};
    const int r = row % x.nv, c = column % x.nv;
    (void)e;
    if (r < x.dim && c < x.dim)
        return r == c;
    return hermite_axis(&x, r) != 0 && hermite_axis(&x, c) != 0;
}

const HolMassKind hol_mass_hermite = {
    .name = "consistent beam element",
    .couples = hermite_couples,
    .mass = hermite_mass,
    .force = hermite_force,
    .kinetic = hermite_kinetic,
    .potential = hermite_potential,
    .power = hermite_power,
    .tangent = hermite_tangent,
    .series_size = hol_hermite_series_size,
    .series = hol_hermite_series,
    .series_work = hol_hermite_series_work,
};
