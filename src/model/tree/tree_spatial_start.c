// SPDX-License-Identifier: Apache-2.0
// Series of a tree of hinges: their memory, and order 0 (tree_spatial_series.c has the equations).
// The articulated inertia of a link about its joint, T = A alpha + D y, F = D^T alpha + N y, is its
// own and that of its children, reduced by the motion that their hinges leave free,
//   A - U_T U_T^T / U_z,  D - U_T U_F^T / U_z,  N - U_F U_F^T / U_z,
// with U the column of the hinge.
#include "math/simd_sincos.h"
#include "model/tree/tree_spatial.h"

#include <string.h>

// ---- memory ----

enum { LARGE = 2000 }; // links, for which two threads do better than one

static int is_shared(const HolModel *m, const HolTreeMemory *s) {
    return s->pool && hol_tree_links(m) >= LARGE;
}

static size_t tree_spatial_start_lay_out_all(const HolModel *m, int order, int shared, char *at,
                                             TreeArrays *a) {
    const size_t groups = hol_tree_groups(m), n = groups * HOL_LANES;
    size_t size = 0;
    (void)hol_tree_lay_out(&at, &size, sizeof *a);
    a->groups = (long)groups;
    a->records = hol_tree_lay_out(&at, &size, sizeof(TreeRecord) * groups * (size_t)(order + 2));
    a->shapes = hol_tree_lay_out(&at, &size, groups * sizeof(TreeGroup));
    a->hinges = hol_tree_lay_out(&at, &size, n * sizeof(TreeHinge));
    a->frames = hol_tree_lay_out(&at, &size, n * sizeof(TreeFrame));
    a->inertia = hol_tree_lay_out(&at, &size, n * sizeof(TreeInertia));
    a->loads = hol_tree_lay_out(&at, &size, n * sizeof(TreeLoad));
    a->known = hol_tree_lay_out(&at, &size, groups * sizeof(TreeKnown));
    a->squares = hol_tree_lay_out(&at, &size, groups * sizeof(TreeSquares));
    a->chain = hol_tree_lay_out(&at, &size, groups * sizeof(int));
    a->motion = hol_tree_lay_out(&at, &size, (size_t)(m->tree.n_slots + 1) * sizeof(TreeMotion));
    a->sums = shared ? hol_tree_lay_out(&at, &size, groups * sizeof(TreeSums)) : NULL;
    return size;
}

size_t hol_tree_orders_size(const HolModel *m, int order) {
    TreeArrays none;
    return tree_spatial_start_lay_out_all(m, order, hol_tree_links(m) >= LARGE, NULL, &none);
}

// what is the same in all positions; links without mass fill up the last group
static void set_up_groups(const HolModel *m, const TreeArrays *a) {
    for (int i = hol_tree_links(m); i < (int)a->groups * HOL_LANES; i++)
        a->hinges[i] = (TreeHinge){.up = -1, .slot = m->tree.n_slots};
    for (int i = 0; i < hol_tree_links(m); i++) {
        const HolTreeShape *l = &m->tree.shapes[i];
        const HolTreeKind *kind = &m->tree.kinds[l->kind];
        const int lane = i % HOL_LANES, g = i / HOL_LANES, follows = l->up == i - 1;
        TreeGroup *f = &a->shapes[g];
        a->hinges[i] = (TreeHinge){.up = l->up,
                                   .kind = l->kind,
                                   .driven = l->driven,
                                   .slot = l->slot,
                                   .up_slot = l->up_slot,
                                   .follows = follows};
        for (int k = 0; k < 3; k++) {
            f->arm[k][lane] = kind->arm[k];
            f->mh[k][lane] = kind->mh[k];
            f->inertia[k][lane] = kind->inertia[0][k];
            f->inertia[3 + k][lane] = kind->inertia[1][k];
        }
        a->chain[g] = follows && (lane == 0 || a->chain[g]);
    }
}

void hol_tree_orders_memory(const HolModel *m, HolTreeMemory *s) {
    (void)tree_spatial_start_lay_out_all(m, s->order, is_shared(m, s), s->arrays, s->arrays);
    set_up_groups(m, s->arrays);
}

// ---- order 0 ----

// (the joint frame turns with the body: C alone depends on phi_0)
static void tree_spatial_start_own_inertia(const HolTreeKind *kind, TreeInertia *f) {
    const double mass = kind->mass;
    const HolLanes h = kind->mh;
    f->A = (TreeSymmetric){kind->inertia[0], kind->inertia[1]};
    f->N = (TreeSymmetric){{mass, mass, mass, 0}, {0}};
    f->D[0] = (HolLanes){0, h[2], -h[1], 0};
    f->D[1] = (HolLanes){-h[2], 0, h[0], 0};
    f->D[2] = (HolLanes){h[1], -h[0], 0, 0};
}

HOL_WIDE static void turn_links(const HolModel *m, const HolTreeMemory *s) {
    const TreeArrays *a = spatial_arrays_of(s);
    const int links = hol_tree_links(m);
    HolLanes cosine = {0}, sine = {0}; // of four links
    for (int i = 0; i < links; i++) {
        const HolTreeShape *l = &m->tree.shapes[i];
        const HolTreeKind *kind = &m->tree.kinds[l->kind];
        TreeInertia *f = &a->inertia[i];
        const int lane = i % HOL_LANES;
        if (lane == 0)
            lanes_turn(lanes_some(s->x + i, links - i), &cosine, &sine);
        const HolLanes c = cosine[lane] * (HolLanes){1, 1, 0, 0} + (HolLanes){0, 0, 1, 0},
                       sn = sine[lane] * (HolLanes){1, -1, 0, 0};
        HolLanes Ct[3];
        for (int k = 0; k < 3; k++)
            Ct[k] = a->hinges[i].Ct[k] = c * kind->C[k] + sn * swapped(kind->C[k]);
        transpose3(Ct, a->frames[i].C);
        tree_spatial_start_own_inertia(kind, f);
    }
}

// C a C^T
HOL_INLINE void in_parent(const HolLanes *C, const HolLanes *a, HolLanes *out) {
    HolLanes back[3];
    const HolLanes half[3] = {times(C, a[0]), times(C, a[1]), times(C, a[2])};
    transpose3(half, back); // (C a)^T; its columns are rows
    const HolLanes both[3] = {times(C, back[0]), times(C, back[1]), times(C, back[2])};
    transpose3(both, out);
}

HOL_INLINE void unpack(const TreeSymmetric *s, HolLanes *columns) {
    const HolLanes a = s->diagonal, b = s->others;
    columns[0] = __builtin_shufflevector(a, b, 0, 4, 6, 7);
    columns[1] = __builtin_shufflevector(a, b, 4, 1, 5, 7);
    columns[2] = __builtin_shufflevector(a, b, 6, 5, 2, 7);
}

HOL_INLINE TreeSymmetric pack(const HolLanes *columns) {
    const HolLanes x = columns[0], y = columns[1], z = columns[2];
    const HolLanes diagonal = __builtin_shufflevector(x, y, 0, 5, 2, 3),
                   others = __builtin_shufflevector(x, y, 1, 6, 2, 3);
    return (TreeSymmetric){__builtin_shufflevector(diagonal, z, 0, 1, 6, 7),
                           __builtin_shufflevector(others, z, 0, 1, 4, 7)};
}

HOL_INLINE void tree_spatial_start_add(TreeSymmetric *to, TreeSymmetric a) {
    to->diagonal += a.diagonal;
    to->others += a.others;
}

typedef struct Columns {
    HolLanes A[3], D[3], N[3];
} Columns;

// the articulated inertia of a link, about its joint, as the parent sees it: y_c = y - arm x alpha,
// and T + arm x F
HOL_INLINE Columns seen_above(const HolLanes *C, HolLanes arm, const Columns *f) {
    Columns up;
    HolLanes Dt[3];
    in_parent(C, f->A, up.A);
    in_parent(C, f->D, up.D);
    in_parent(C, f->N, up.N);
    transpose3(up.D, Dt);
    for (int k = 0; k < 3; k++) {
        up.D[k] += cross(arm, up.N[k]);
        up.A[k] += cross(arm, Dt[k]);
    }
    const double x = arm[0], y = arm[1], z = arm[2];
    up.A[0] -= up.D[1] * z - up.D[2] * y;
    up.A[1] -= up.D[2] * x - up.D[0] * z;
    up.A[2] -= up.D[0] * y - up.D[1] * x;
    return up;
}

// of a link among four
HOL_INLINE void put_in_group(const TreeHinge *h, const TreeFrame *frame, const Columns *f,
                             TreeGroup *to, const int lane) {
    for (int k = 0; k < 3; k++) {
        const int next = (k + 1) % 3;
        for (int j = 0; j < 3; j++) {
            to->Ct[3 * k + j][lane] = h->Ct[j][k];
            to->D[3 * k + j][lane] = f->D[j][k];
        }
        to->A[k][lane] = f->A[k][k];
        to->A[3 + k][lane] = f->A[k][next];
        to->N[k][lane] = f->N[k][k];
        to->N[3 + k][lane] = f->N[k][next];
        to->UT[k][lane] = frame->UT[k];
        to->UF[k][lane] = frame->UF[k];
    }
    to->inverse[lane] = frame->UF[3];
}

// (a chain's goes from link to link by registers)
HOL_WIDE static int tree_spatial_start_articulate(const HolModel *m, const TreeArrays *a) {
    const HolLanes none = {0};
    Columns from;
    for (int k = 0; k < 3; k++)
        from.A[k] = from.D[k] = from.N[k] = none;
    for (int i = hol_tree_links(m) - 1; i >= 0; i--) {
        TreeInertia *f = &a->inertia[i];
        TreeHinge *h = &a->hinges[i];
        TreeFrame *frame = &a->frames[i];
        Columns seen;
        unpack(&f->A, seen.A);
        unpack(&f->N, seen.N);
        for (int k = 0; k < 3; k++) {
            seen.A[k] += from.A[k];
            seen.D[k] = f->D[k] + from.D[k];
            seen.N[k] += from.N[k];
        }
        if (m->tree.shapes[i].turn >= 0) {
            HolLanes rows[3];
            transpose3(seen.D, rows);
            const HolLanes UT = seen.A[2], UF = rows[2];
            if (!(UT[2] > 0))
                return 0;
            const double inverse = 1 / UT[2];
            for (int k = 0; k < 3; k++) {
                seen.A[k] -= UT * (UT[k] * inverse);
                seen.D[k] -= UT * (UF[k] * inverse);
                seen.N[k] -= UF * (UF[k] * inverse);
            }
            frame->UT = UT + (HolLanes){0, 0, 0, 1};
            frame->UF = UF + inverse * (HolLanes){0, 0, 0, 1};
            h->PF = times(frame->C, UF);
            h->PT = times(frame->C, UT) + cross(m->tree.kinds[h->kind].arm, h->PF);
        }
        put_in_group(h, frame, &seen, &a->shapes[i / HOL_LANES], i % HOL_LANES);
        const Columns up = seen_above(frame->C, m->tree.kinds[h->kind].arm, &seen);
        if (h->up >= 0 && !h->follows) {
            TreeInertia *to = &a->inertia[h->up];
            tree_spatial_start_add(&to->A, pack(up.A));
            tree_spatial_start_add(&to->N, pack(up.N));
            for (int k = 0; k < 3; k++)
                to->D[k] += up.D[k];
        }
        for (int k = 0; k < 3; k++) {
            from.A[k] = h->follows ? up.A[k] : none;
            from.D[k] = h->follows ? up.D[k] : none;
            from.N[k] = h->follows ? up.N[k] : none;
        }
    }
    return 1;
}

int hol_tree_articulate(const HolModel *m, const HolTreeMemory *s) {
    turn_links(m, s);
    return tree_spatial_start_articulate(m, spatial_arrays_of(s));
}
