// SPDX-License-Identifier: Apache-2.0
// Accelerations of a tree of hinges in space at one instant, without series
// (docs/theory/trees.md, section 8.2). All vectors are in global axes.
// Without phi'' a joint, at the distance d from that of its parent, and its axis z would move by
//   alpha0 = alpha0_p + omega_p x z phi',   y0 = y0_p + alpha0_p x d + omega_p x (omega_p x d),
// with y0 = -g at the ground; phi'' adds alpha = alpha_p + z phi'', y = y_p + alpha_p x d. Without
// any phi'', a link and all links that hang on it need the torque T and the force F at its joint;
// alpha and y change them to
//   T + A alpha + B^T y,   F + B alpha + N y.
// About the joint of the parent these coefficients are
//   A + Z + Z^T,  B - N [d],  N,  T + d x F,  F,      Z = [d] (B - N [d]/2).
// With V = B z, U = A z + d x V, u = z A z and the torque tau of the hinge,
//   phi'' = v - (U alpha_p + V y_p)/u,   v = (tau - z T)/u,
// so that the parent gets U U^T/u, V U^T/u, V V^T/u less, U v and V v more. (In this order, first
// the joint, then the hinge, the recursion does not wait for 1/u.)
// Hinges with little inertia beside the inertia across them, as of a long shaft, lose digits in
// global axes; the series, which have axes of their own, keep them (THIN).
// Three passes: from the root (places, velocities, accelerations without phi''), to it, and back.
// What it pays: with order 0 of the series in its place, rk4 in joint coordinates takes 1.44 times
// the instructions on a spatial chain of 100 links.
#include "math/simd_sincos.h"
#include "model/tree/tree_spatial.h"

static const double THIN = 1e-5; // of all that hangs on a hinge

typedef struct Inertia {
    HolLanes A[3], B[3], N[3]; // columns
    HolLanes T, F;
} Inertia;

typedef struct Turned {
    HolLanes R[3], omega; // axes of the joint, the last one is z
    HolLanes alpha, y;    // alpha0, y0
} Turned;

typedef struct Link {
    Turned at;
    HolLanes d;
    HolLanes U, V; // over u; U's last lane: v
    int kind, turns, driven;
    int up, slot, up_slot;
    int follows; // its parent is the link before it
    int gathers; // 1: some child does not follow it
} Link;

typedef struct NowArrays {
    Link *links;
    Inertia *seen; // by slots: of children that do not follow
} NowArrays;

// ---- memory ----

static size_t lay_out(const HolModel *m, char *at, NowArrays *a) {
    size_t size = 0;
    (void)hol_tree_lay_out(&at, &size, sizeof *a);
    a->links = hol_tree_lay_out(&at, &size, (size_t)hol_tree_links(m) * sizeof(Link));
    a->seen = hol_tree_lay_out(&at, &size, (size_t)m->tree.n_slots * sizeof(Inertia));
    return size;
}

static size_t now_size(const HolModel *m, int order) {
    NowArrays none;
    (void)order;
    return lay_out(m, NULL, &none);
}

static void forget_seen(const HolModel *m, const NowArrays *a) {
    for (int i = 0; i < m->tree.n_slots; i++)
        a->seen[i] = (Inertia){0};
}

static void now_memory(const HolModel *m, HolTreeMemory *s) {
    NowArrays *a = s->arrays;
    (void)lay_out(m, s->arrays, a);
    for (int i = 0; i < hol_tree_links(m); i++) {
        const HolTreeShape *l = &m->tree.shapes[i];
        a->links[i] = (Link){.kind = l->kind,
                             .turns = l->turn >= 0,
                             .driven = l->driven,
                             .up = l->up,
                             .slot = l->slot,
                             .up_slot = l->up_slot,
                             .follows = l->up == i - 1 && i > 0};
        if (l->up >= 0 && l->up != i - 1)
            a->links[l->up].gathers = 1;
    }
    forget_seen(m, a);
}

// ---- places and velocities ----

HOL_WIDE static void tree_acceleration_place_links(const HolModel *m, const HolTreeMemory *s) {
    const NowArrays *a = s->arrays;
    const Turned ground = {.R = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}},
                           .y = -load3(m->gravity)};
    HolLanes cosine = {0}, sine = {0}; // of four links
    Turned up = ground;
    for (int i = 0; i < hol_tree_links(m); i++) {
        Link *l = &a->links[i];
        const HolTreeKind *kind = &m->tree.kinds[l->kind];
        const int lane = i % HOL_LANES;
        if (lane == 0) {
            HolLanes phi;
            memcpy(&phi, s->x + i, sizeof phi); // (there is room behind the last link)
            lanes_turn(phi, &cosine, &sine);
        }
        if (!l->follows)
            up = l->up >= 0 ? a->links[l->up].at : ground;
        const double c = cosine[lane], sn = sine[lane];
        const HolLanes *C = kind->C, x = up.R[0] * C[0][0] + up.R[1] * C[1][0] + up.R[2] * C[2][0],
                       y = up.R[0] * C[0][1] + up.R[1] * C[1][1] + up.R[2] * C[2][1],
                       z = up.R[0] * C[0][2] + up.R[1] * C[1][2] + up.R[2] * C[2][2];
        const HolLanes turn = z * s->rates[i], d = times(up.R, kind->arm);
        up = (Turned){{x * c + y * sn, y * c - x * sn, z},
                      up.omega + turn,
                      up.alpha + cross(up.omega, turn),
                      up.y + (cross(up.alpha, d) + cross(up.omega, cross(up.omega, d)))};
        l->at = up;
        l->d = d;
    }
}

// ---- to the root and back ----

HOL_INLINE double sum3(HolLanes a) {
    return a[0] + a[1] + a[2];
}

HOL_INLINE void tree_acceleration_add(Inertia *to, const Inertia *a) {
    for (int k = 0; k < 3; k++) {
        to->A[k] += a->A[k];
        to->B[k] += a->B[k];
        to->N[k] += a->N[k];
    }
    to->T += a->T;
    to->F += a->F;
}

// without its children: B alpha = alpha x h m
HOL_INLINE Inertia tree_acceleration_own_inertia(const HolTreeKind *kind, const Turned *at) {
    const HolLanes *R = at->R, omega = at->omega, alpha = at->alpha;
    const HolLanes a = kind->inertia[0], b = kind->inertia[1];
    const double mass = kind->mass;
    const HolLanes half[3] = {R[0] * a[0] + R[1] * b[0] + R[2] * b[2],
                              R[0] * b[0] + R[1] * a[1] + R[2] * b[1],
                              R[0] * b[2] + R[1] * b[1] + R[2] * a[2]};
    const HolLanes h = times(R, kind->mh);
    Inertia f = {.B = {__builtin_shufflevector(h, h, 3, 2, 1, 3) * (HolLanes){0, -1, 1, 0},
                       __builtin_shufflevector(h, h, 2, 3, 0, 3) * (HolLanes){1, 0, -1, 0},
                       __builtin_shufflevector(h, h, 1, 0, 3, 3) * (HolLanes){-1, 1, 0, 0}},
                 .N = {{mass, 0, 0, 0}, {0, mass, 0, 0}, {0, 0, mass, 0}}};
    for (int k = 0; k < 3; k++)
        f.A[k] = half[0] * R[0][k] + half[1] * R[1][k] + half[2] * R[2][k];
    f.T = (times(f.A, alpha) + cross(omega, times(f.A, omega))) + cross(h, at->y);
    f.F = at->y * mass + (cross(alpha, h) + cross(omega, cross(omega, h)));
    return f;
}

// about the joint of the parent
HOL_INLINE void shift(Inertia *f, HolLanes d) {
    HolLanes Z[3], Zt[3];
    const HolLanes *N = f->N;
    const HolLanes by[3] = {N[1] * d[2] - N[2] * d[1], N[2] * d[0] - N[0] * d[2],
                            N[0] * d[1] - N[1] * d[0]}; // N [d]
    for (int k = 0; k < 3; k++) {
        Z[k] = cross(d, f->B[k] - 0.5 * by[k]);
        f->B[k] -= by[k];
    }
    transpose3(Z, Zt);
    for (int k = 0; k < 3; k++)
        f->A[k] += Z[k] + Zt[k];
    f->T += cross(d, f->F);
}

// 0: a joint without inertia, -1: one whose inertia is hardly to be seen beside that across it
HOL_WIDE static int tree_acceleration_to_root(const HolModel *m, const HolTreeMemory *s) {
    const NowArrays *a = s->arrays;
    Inertia from = {0};
    for (int i = hol_tree_links(m) - 1; i >= 0; i--) {
        Link *l = &a->links[i];
        const HolLanes z = l->at.R[2];
        Inertia f = tree_acceleration_own_inertia(&m->tree.kinds[l->kind], &l->at);
        tree_acceleration_add(&f, &from);
        if (l->gathers) {
            tree_acceleration_add(&f, &a->seen[l->slot]);
            a->seen[l->slot] = (Inertia){0};
        }
        if (l->turns) {
            const HolLanes Az = times(f.A, z), V = times(f.B, z), U = Az + cross(l->d, V);
            const double u = sum3(Az * z), asked = sum3(f.T * z),
                         across = f.A[0][0] + f.A[1][1] + f.A[2][2];
            shift(&f, l->d);
            if (!(u > THIN * across)) {
                forget_seen(m, a);
                return u > 0 ? -1 : 0;
            }
            const double inverse = 1 / u, tau = l->driven ? hol_tree_drive(m, s, i, 0) : 0,
                         v = (tau - asked) * inverse;
            const HolLanes b = U * inverse, c = V * inverse;
            for (int k = 0; k < 3; k++) {
                f.A[k] -= U * b[k];
                f.B[k] -= V * b[k];
                f.N[k] -= V * c[k];
            }
            f.T += U * v;
            f.F += V * v;
            l->U = b;
            l->U[3] = v;
            l->V = c;
        } else {
            shift(&f, l->d);
        }
        if (l->follows) {
            from = f;
            continue;
        }
        if (l->up >= 0)
            tree_acceleration_add(&a->seen[l->up_slot], &f);
        from = (Inertia){0};
    }
    return 1;
}

HOL_WIDE static void tree_acceleration_from_root(const HolModel *m, const HolTreeMemory *s) {
    const NowArrays *a = s->arrays;
    TreeMotion *motion = (TreeMotion *)s->slots;
    double *second = s->rates + hol_tree_stride(m);
    HolLanes alpha = {0}, y = {0};
    motion[0] = (TreeMotion){alpha, y};
    for (int i = 0; i < hol_tree_links(m); i++) {
        const Link *l = &a->links[i];
        if (!l->follows) {
            alpha = motion[l->up_slot].alpha;
            y = motion[l->up_slot].y;
        }
        const double bend = l->U[3] - sum3(l->U * alpha + l->V * y);
        second[i] = bend;
        y += cross(alpha, l->d);
        alpha += l->at.R[2] * bend;
        if (l->gathers)
            motion[l->slot] = (TreeMotion){alpha, y};
    }
}

static int now_accelerate(const HolModel *m, HolTreeMemory *s) {
    tree_acceleration_place_links(m, s);
    const int found = tree_acceleration_to_root(m, s);
    if (found > 0)
        tree_acceleration_from_root(m, s);
    return found;
}

// ---- effects of small rotations ----

HOL_WIDE static void tree_acceleration_reach(const HolModel *m, const HolTreeMemory *s,
                                             const HolBodyScales *scale, const double *x,
                                             const double *y, HolTreeReach *most) {
    const NowArrays *a = s->arrays;
    HolLanes to[6]; // rotation, displacement of the joint
    memset(s->reach, 0, sizeof to);
    memset(to, 0, sizeof to);
    HolTreeReach all = {0};
    for (int i = 0; i < hol_tree_links(m); i++) {
        const Link *l = &a->links[i];
        const HolLanes own = hol_tree_turns(&m->tree.shapes[i], x, y);
        if (!l->follows)
            memcpy(to, s->reach + (long)HOL_TREE_LANES * l->up_slot, sizeof to);
        add_way(to, to + 3, l->d);
        for (int k = 0; k < 3; k++)
            to[k] += own * l->at.R[2][k];
        if (l->gathers)
            memcpy(s->reach + (long)HOL_TREE_LANES * l->slot, to, sizeof to);
        HolLanes way[3] = {to[3], to[4], to[5]};
        add_way(to, way, times(l->at.R, m->tree.kinds[l->kind].centre));
        hol_tree_widen(&all, scale, m->tree.links[i].body, hol_lanes_largest3(way),
                       lanes_larger(lanes_abs(own), hol_lanes_largest3(to)));
    }
    *most = all;
}

static void now_reach(const HolModel *m, const HolTreeMemory *s, const HolBodyScales *scale,
                      const double *x, const double *y, int first, HolTreeReach *most) {
    (void)first;
    tree_acceleration_reach(m, s, scale, x, y, most);
}

static void now_keep(const HolModel *m, HolTreeMemory *s, HolKeeper *k) {
    hol_tree_keep_arrays(k, s->arrays, sizeof(NowArrays), now_size(m, s->order));
}

const HolTreeForm hol_tree_space_now = {.size = now_size,
                                        .keep = now_keep,
                                        .memory = now_memory,
                                        .accelerate = now_accelerate,
                                        .reach = now_reach,
                                        .sides = hol_tree_sides,
                                        .state = hol_tree_state};
