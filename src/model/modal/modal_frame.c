// SPDX-License-Identifier: Apache-2.0
// Frames of straight members as finite elements, for modal bodies: cubic beam elements with the
// consistent mass of their displacements; rotary inertia about the axis consistent, across it halved
// to the nodes. Shear adds to the compliance: f = 12 EI/(GA l^2),
//   K = EI/((1+f) l^3) [12, 6l, -12, 6l; ., (4+f) l^2, -6l, (2-f) l^2; ., ., 12, -6l; ., ., ., (4+f) l^2]
#include "math/vec.h"
#include "model/body/beam.h"
#include "model/modal/modal.h"

#include <math.h>
#include <string.h>

// bending: displacement, slope at both ends; sign: of the slope (-1 about y)
static void frame_bending(double *K, double *M, const int at[4], double l, double EI, double shear,
                          double mass, double sign) {
    const double f = 12 * EI * shear / (l * l), c = EI / ((1 + f) * l * l * l), mm = mass * l / 420;
    const double s[4] = {1, sign * l, 1, sign * l};
    const double k[4][4] = {
        {12, 6, -12, 6}, {6, 4 + f, -6, 2 - f}, {-12, -6, 12, -6}, {6, 2 - f, -6, 4 + f}};
    static const double m[4][4] = {
        {156, 22, 54, -13}, {22, 4, 13, -3}, {54, 13, 156, -22}, {-13, -3, -22, 4}};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            K[12 * at[j] + at[i]] += c * k[i][j] * s[i] * s[j];
            M[12 * at[j] + at[i]] += mm * m[i][j] * s[i] * s[j];
        }
}

static void frame_along(double *K, double *M, int a, int b, double l, double stiffness,
                        double mass) {
    const int at[2] = {a, b};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            K[12 * at[j] + at[i]] += stiffness / l * (i == j ? 1 : -1);
            M[12 * at[j] + at[i]] += mass * l / (i == j ? 3 : 6);
        }
}

// an element along x: unknowns x y z rx ry rz of both nodes
static void frame_element(const HolBeamSection *s, double l, double *K, double *M) {
    memset(K, 0, sizeof(double) * 144);
    memset(M, 0, sizeof(double) * 144);
    frame_along(K, M, 0, 6, l, 1 / s->C[0], s->mass);
    frame_along(K, M, 3, 9, l, s->C[21] > 0 ? 1 / s->C[21] : 0, s->rotary[0]);
    frame_bending(K, M, (int[4]){1, 5, 7, 11}, l, 1 / s->C[35], s->C[7], s->mass, 1);
    frame_bending(K, M, (int[4]){2, 4, 8, 10}, l, s->C[28] > 0 ? 1 / s->C[28] : 0, s->C[14],
                  s->mass, -1);
    for (int node = 0; node < 12; node += 6)
        for (int k = 1; k < 3; k++)
            M[13 * (node + 3 + k)] += 0.5 * s->rotary[k] * l;
}

// global from element axes: x along the member, z towards `up`
static Mat3 frame_axes(Vec3 along, Vec3 up, int plane) {
    const Vec3 x = v3_unit(along);
    if (plane)
        return m3_columns(x, v3(-x.y, x.x, 0), v3(0, 0, 1));
    Vec3 z = v3_sub(up, v3_scale(x, v3_dot(up, x)));
    if (v3_norm(z) < 1e-6 * v3_norm(up)) // (`up` along the member)
        z = v3_sub(v3(1, 0, 0), v3_scale(x, x.x));
    z = v3_unit(z);
    return m3_columns(x, v3_cross(z, x), z);
}

// A^T turned into global axes and added
static void frame_add(double *to, int N, const int place[12], const double *A, Mat3 R) {
    for (int bi = 0; bi < 4; bi++)
        for (int bj = 0; bj < 4; bj++)
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) {
                    double s = 0;
                    for (int a = 0; a < 3; a++)
                        for (int b = 0; b < 3; b++)
                            s +=
                                R.m[3 * i + a] * A[12 * (3 * bj + b) + 3 * bi + a] * R.m[3 * j + b];
                    const int r = place[3 * bi + i], c = place[3 * bj + j];
                    if (r >= 0 && c >= 0)
                        to[(long)N * c + r] += s;
                }
}

// unknowns of two nodes; -1: not in the plane
static void frame_places(const int node[2], int plane, int place[12]) {
    for (int e = 0; e < 2; e++)
        for (int k = 0; k < 6; k++)
            place[6 * e + k] = !plane   ? 6 * node[e] + k
                               : k < 2  ? 3 * node[e] + k
                               : k == 5 ? 3 * node[e] + 2
                                        : -1;
}

int hol_modal_frame(HolModel *m, const HolBeamSection *s, const double up[3], const double *corners,
                    int n_corners, const int (*members)[2], int n_members, int elements,
                    HolArena *arena, HolModalParts *out) {
    const int plane = m->space == HOL_PLANAR;
    out->dof = plane ? 3 : 6;
    out->n_nodes = n_corners + n_members * (elements - 1);
    const long N = (long)out->n_nodes * out->dof;
    int(*edges)[2] = hol_arena_alloc(arena, sizeof(int[2]) * (size_t)(n_members * elements + 1));
    out->nodes = HOL_NEW(arena, double, 3 * out->n_nodes);
    out->M = HOL_NEW(arena, double, N *N);
    out->K = HOL_NEW(arena, double, N *N);
    if (arena->failed)
        return 0;
    memcpy(out->nodes, corners, sizeof(double) * 3 * (size_t)n_corners);
    int next = n_corners;
    for (int i = 0; i < n_members; i++) {
        const Vec3 a = v3_load(corners + 3 * members[i][0]),
                   b = v3_load(corners + 3 * members[i][1]);
        const Mat3 R = frame_axes(v3_sub(b, a), v3_load(up), plane);
        double K[144], M[144];
        frame_element(s, v3_norm(v3_sub(b, a)) / elements, K, M);
        for (int e = 0, node[2] = {members[i][0], 0}; e < elements; e++, node[0] = node[1]) {
            int place[12];
            node[1] = e == elements - 1 ? members[i][1] : next++;
            if (e < elements - 1)
                v3_store(out->nodes + 3 * node[1],
                         v3_add(a, v3_scale(v3_sub(b, a), (e + 1.0) / elements)));
            frame_places(node, plane, place);
            frame_add(out->K, (int)N, place, K, R);
            frame_add(out->M, (int)N, place, M, R);
            edges[out->n_edges][0] = node[0];
            edges[out->n_edges++][1] = node[1];
        }
    }
    out->edges = (const int(*)[2])edges;
    out->M_name = out->K_name = "members";
    return 1;
}
