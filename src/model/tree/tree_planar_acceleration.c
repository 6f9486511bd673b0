// SPDX-License-Identifier: Apache-2.0
// Accelerations of a plane tree of hinges at one instant, without series (docs/theory/trees.md,
// section 8.2; notation of tree_planar_series.c). With R'' = alpha (R rotated by 90 degrees) -
// omega^2 R, and E and w the two parts of the acceleration that the parent gives to a joint,
// y = y_p + E alpha_p + w, a link and all links that hang on it need
//   F = B alpha + N y + f,   T = A alpha + B y + t.
// Its hinge gives alpha = v - b (y_p + E alpha_p), b = B/A, v = (tau - t - B w)/A. With
// r = B E and g = f + N w, the parent gets
//   N - B b^T,  N E - B r/A,  E N E - r^2/A,  g + B v,  tau + E g + r v
// One pass to the root, one back; sines, E and w of four links at once.
// What it pays: with order 0 of the series in its place, rk4 in joint coordinates takes 1.23 times
// the instructions on a plane chain of 100 links and 1.24 times on one of 10.
#include "math/simd_sincos.h"
#include "model/tree/tree_planar.h"

// sines, E and w
HOL_WIDE static void swing_groups(const Arrays *a, int links) {
    const HolLanes none = {0};
    HolLanes c_up = none, s_up = none, kc_up = none, ks_up = none; // of the group before
    for (int first = 0; first < links; first += HOL_LANES) {
        const int g = first / HOL_LANES;
        Shapes *f = &a->shapes[g];
        Bodies *b = &a->bodies[g];
        const HolLanes omega = a->records[g].omega, square = omega * omega;
        HolLanes c, s;
        lanes_turn(b->theta, &c, &s);
        const HolLanes kc = -square * c, ks = -square * s;
        HolLanes pc = plane_above(c_up, c), ps = plane_above(s_up, s), pkc = plane_above(kc_up, kc),
                 pks = plane_above(ks_up, ks);
        f->c = c_up = c;
        f->s = s_up = s;
        a->known[g] = (Known){kc, ks, kc * f->hx - ks * f->hy, ks * f->hx + kc * f->hy, none};
        kc_up = kc;
        ks_up = ks;
        for (int i = 0; !a->chain[g] && i < HOL_LANES && first + i < links; i++) {
            const int up = a->links[first + i].up;
            pc[i] = *number(a->shapes, SHAPE, up, C);
            ps[i] = *number(a->shapes, SHAPE, up, S);
            pkc[i] = ((double *)a->known)[place_of(up) + KC];
            pks[i] = ((double *)a->known)[place_of(up) + KS];
        }
        b->A = f->inertia;
        b->Bx = -(s * f->hx + c * f->hy);
        b->By = c * f->hx - s * f->hy;
        b->Nxx = b->Nyy = f->mass;
        b->Nxy = none;
        a->hinges[g].Ex = -(ps * f->dx + pc * f->dy);
        a->hinges[g].Ey = pc * f->dx - ps * f->dy;
        a->ways[g] = (Ways){pkc * f->dx - pks * f->dy, pks * f->dx + pkc * f->dy};
    }
}

// hinges: b, bE, and in the place of 1/A what alpha is without the parent; 0: no inertia
HOL_WIDE static int tree_planar_acceleration_to_root(const HolModel *m, const HolTreeMemory *s,
                                                     int links) {
    const Arrays *a = planar_arrays_of(s);
    Seen from = {0};
    for (int i = links - 1; i >= 0; i--) {
        const Link *l = &a->links[i];
        const double *body = number(a->bodies, BODY, i, 0), *way = number(a->ways, WAY, i, 0),
                     *known = (double *)a->known + place_of(i);
        double *hinge = number(a->hinges, HINGE, i, 0);
        const double Ex = hinge[EX * HOL_LANES], Ey = hinge[EY * HOL_LANES], wx = way[0],
                     wy = way[HOL_LANES];
        const double all = body[A * HOL_LANES] + from.A, Bx = body[B_X * HOL_LANES] + from.Bx,
                     By = body[B_Y * HOL_LANES] + from.By, Nxx = body[N_XX * HOL_LANES] + from.Nxx,
                     Nyy = body[N_YY * HOL_LANES] + from.Nyy,
                     Nxy = body[N_XY * HOL_LANES] + from.Nxy;
        const double fx = known[FX] + from.fx, fy = known[FY] + from.fy, t = known[T] + from.t;
        // as if the joint were fixed; then the part of its hinge, as soon as 1/A is there
        const double tau = l->driven ? hol_tree_drive(m, s, i, 0) : 0;
        const double NEx = Nxx * Ex + Nxy * Ey, NEy = Nxy * Ex + Nyy * Ey, r = Bx * Ex + By * Ey,
                     Bw = Bx * wx + By * wy, gx = fx + (Nxx * wx + Nxy * wy),
                     gy = fy + (Nxy * wx + Nyy * wy);
        from = (Seen){NEx * Ex + NEy * Ey, NEx, NEy, Nxx, Nyy, Nxy, gx, gy, Ex * gx + Ey * gy};
        if (l->turns) {
            if (!(all > 0))
                return 0;
            const double inverse = 1 / all, bx = Bx * inverse, by = By * inverse, bE = r * inverse,
                         v = (tau - t - Bw) * inverse;
            from.A -= r * bE;
            from.Bx -= Bx * bE;
            from.By -= By * bE;
            from.Nxx -= Bx * bx;
            from.Nyy -= By * by;
            from.Nxy -= Bx * by;
            from.fx += Bx * v;
            from.fy += By * v;
            from.t += tau + r * v;
            hinge[BX * HOL_LANES] = bx;
            hinge[BY * HOL_LANES] = by;
            hinge[BE * HOL_LANES] = bE;
            hinge[INVERSE * HOL_LANES] = v;
        } else { // alpha is that of the parent
            from.A += all + 2 * r;
            from.Bx += Bx;
            from.By += By;
            from.t += t + Bw;
        }
        if (!l->follows) {
            hol_plane_add_seen(a, l->up, from);
            from = (Seen){0};
        }
    }
    return 1;
}

HOL_WIDE static void tree_planar_acceleration_from_root(const HolModel *m, const HolTreeMemory *s,
                                                        int links) {
    const Arrays *a = planar_arrays_of(s);
    Motion *motion = (Motion *)s->slots;
    double *second = s->rates + hol_tree_stride(m);
    double alpha = 0, x = -m->gravity[0], y = -m->gravity[1];
    motion[0] = (Motion){{x, y}, 0};
    for (int i = 0; i < links; i++) {
        const Link *l = &a->links[i];
        const double *hinge = number(a->hinges, HINGE, i, 0), *way = number(a->ways, WAY, i, 0);
        if (!l->follows) {
            const Motion *up = &motion[l->up_slot];
            x = up->y[0];
            y = up->y[1];
            alpha = up->alpha;
        }
        const double swung = hinge[BX * HOL_LANES] * x + hinge[BY * HOL_LANES] * y,
                     own = l->turns ? (hinge[INVERSE * HOL_LANES] - swung) -
                                          hinge[BE * HOL_LANES] * alpha
                                    : alpha;
        second[i] = own - alpha;
        x = (x + way[0]) + hinge[EX * HOL_LANES] * alpha;
        y = (y + way[HOL_LANES]) + hinge[EY * HOL_LANES] * alpha;
        alpha = own;
        if (l->kept)
            motion[l->slot] = (Motion){{x, y}, alpha};
    }
}

int hol_plane_accelerate(const HolModel *m, HolTreeMemory *s) {
    const int links = hol_tree_links(m);
    hol_plane_sum_angles(m, s);
    swing_groups(planar_arrays_of(s), links);
    if (!tree_planar_acceleration_to_root(m, s, links))
        return 0;
    tree_planar_acceleration_from_root(m, s, links);
    return 1;
}
