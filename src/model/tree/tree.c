// SPDX-License-Identifier: Apache-2.0
// Trees of bodies: positions, velocities and their directions as explicit functions of the joint
// coordinates x (angle, displacement). From the parent a to the body b over a joint with the points
// P_a, P_b, axis z, angle phi and displacement u:
//   A_b     = A_a R_a Rot_z(phi) R_b^T
//   r_b     = r_a + l_a - l_b,                           l_a = A_a s_a + u z,  l_b = A_b s_b
//   omega_b = omega_a + phi' z
//   v_b     = v_a + omega_a x l_a + u' z - omega_b x l_b
// and the accelerations at x'' = 0:
//   alpha_b = alpha_a + omega_a x phi' z
//   a_b     = a_a + alpha_a x l_a + omega_a x (omega_a x l_a) + 2 omega_a x u' z
//                 - alpha_b x l_b - omega_b x (omega_b x l_b)
// A model is a tree when its joints are revolute, prismatic, cylindrical or fixed and close no
// loop, without motions, gears, beams or further constraints; bodies without a joint are free, in space
// point masses and scalar coordinates only.
// What it pays: with local coordinates of the constraints in its place, radau at tolerance 1e-4
// takes 10 times the instructions on the flyball governor.
#include "model/tree/tree.h"

#include <math.h>
#include <string.h>

// ---- building ----

static int find_dots(const HolModel *m, const HolJoint *j, const HolRow *dots[3]) {
    int n = 0;
    for (int i = 0; i < j->n_equations; i++) {
        const HolEquation *e = &m->sys.equations[j->equations[i]];
        const HolRow *row = &m->sys.rows[m->sys.terms[e->first_term].row];
        if (row->kind == &hol_row_dot3 && n < 3)
            dots[n++] = row;
    }
    return n;
}

static void joint_frames(const HolModel *m, const HolJoint *j, Quat *Ra, Quat *Rb) {
    const HolRow *dots[3] = {&m->sys.rows[0], &m->sys.rows[0], &m->sys.rows[0]};
    Vec3 x, y, xb, zb;
    const int n = find_dots(m, j, dots);
    const HolRow *angle = n == 3 ? NULL : &m->sys.rows[j->coordinate];
    x = v3_load(angle ? angle->ua : dots[0]->ua);
    y = v3_load(angle ? angle->wa : dots[1]->ua);
    zb = v3_load(dots[1]->ub);
    xb = v3_load(angle ? angle->ub : dots[2]->ub);
    *Ra = q_from_matrix(m3_columns(x, y, angle ? v3_load(j->a.axis) : v3_cross(x, y)));
    *Rb = q_from_matrix(m3_columns(xb, v3_cross(zb, xb), zb));
}

static double locked_angle(const HolModel *m, const HolJoint *j) {
    for (int i = 0; i < j->n_equations; i++) {
        const HolEquation *e = &m->sys.equations[j->equations[i]];
        if (m->sys.rows[m->sys.terms[e->first_term].row].kind == &hol_row_angle2)
            return e->constant;
    }
    return 0;
}

static int supported(const HolModel *m, const HolJoint *j) {
    const HolBody *a = &m->def.bodies[j->a.body], *b = &m->def.bodies[j->b.body];
    return (j->kind->flags & HOL_KIND_TREE_LINK) && (j->a.body == 0 || hol_body_turns(&a->def)) &&
           (j->b.body == 0 || hol_body_turns(&b->def));
}

static void make_link(const HolModel *m, const HolJoint *j, int reversed, HolTreeLink *l) {
    const HolAttach *from = reversed ? &j->b : &j->a, *to = reversed ? &j->a : &j->b;
    l->parent = from->body;
    l->body = to->body;
    l->sign = reversed ? -1 : 1;
    memcpy(l->sa, from->at, sizeof l->sa);
    memcpy(l->sb, to->at, sizeof l->sb);
    const int angle = hol_joint_angle(j), slide = hol_joint_displacement(j);
    l->row[0] = angle;
    l->row[1] = slide;
    l->turn = angle >= 0 ? l->first : -1;
    l->slide = slide >= 0 ? l->first + (angle >= 0) : -1;
    l->n = (angle >= 0) + (slide >= 0);
    if (m->space == HOL_PLANAR) {
        l->angle = l->sign * (angle >= 0 ? -m->sys.rows[angle].c : locked_angle(m, j));
        const double turned = reversed ? l->angle : 0, c = cos(turned), s = sin(turned);
        l->z[0] = c * j->a.axis[0] - s * j->a.axis[1];
        l->z[1] = s * j->a.axis[0] + c * j->a.axis[1];
        return;
    }
    Quat Ra, Rb;
    joint_frames(m, j, &Ra, &Rb);
    l->Ra = reversed ? Rb : Ra;
    l->Rb = reversed ? Ra : Rb;
    v3_store(l->zb, q_rotate(l->Rb, v3(0, 0, 1)));
    v3_store(l->z, q_rotate(l->Ra, v3(0, 0, 1)));
}

// a body without a joint to those before it: 0 where its coordinates are no plain ones
static int make_free(const HolModel *m, int body, HolTreeLink *l) {
    const HolBody *b = &m->def.bodies[body];
    if (hol_spatial_rigid(m, b))
        return 0;
    l->body = body;
    l->free = 1;
    l->up = l->turn = l->slide = -1;
    l->n = b->nv;
    return 1;
}

// links of all bodies that hang on those in the list already; 0: a loop or an unknown joint
static int grow_tree(const HolModel *m, HolTreeLink *links, int *n, int *link_of, char *used) {
    for (int again = 1; again;) {
        again = 0;
        for (int i = 0; i < m->def.n_joints; i++) {
            const HolJoint *j = &m->def.joints[i];
            const int a = link_of[j->a.body], b = link_of[j->b.body];
            if (used[i] || (a < 0 && b < 0))
                continue;
            if ((a >= 0 && b >= 0) || !supported(m, j))
                return 0;
            HolTreeLink *l = &links[*n];
            l->first = *n ? links[*n - 1].first + links[*n - 1].n : 0;
            make_link(m, j, a < 0, l);
            l->up = l->parent ? link_of[l->parent] : -1;
            l->q = m->def.bodies[l->body].q;
            l->v = m->def.bodies[l->body].v;
            link_of[l->body] = (*n)++;
            used[i] = 1;
            again = 1;
        }
    }
    return 1;
}

static void tree_coordinates(const HolProblem *p, void *work, double t, const double *q, double *x);
static void tree_motion(const HolProblem *p, void *work, const double *x, const double *rate,
                        double *q, double *v, double *E, double *b);

int hol_tree_build(HolModel *m) {
    // (rows with modes hold what the joints of a tree leave free)
    if (m->def.n_motions || m->def.n_constraints || m->sys.nw || m->beams.n || m->modals.n ||
        m->sys.n_modes || m->touch.n_crowds)
        return 1;
    HolTreeLink *links = HOL_NEW(&m->arena, HolTreeLink, m->def.n_bodies);
    int *link_of = HOL_NEW(&m->arena, int, m->def.n_bodies), n = 0;
    char *used = HOL_NEW(&m->arena, char, m->def.n_joints + 1);
    if (m->arena.failed)
        return 0;
    for (int i = 1; i < m->def.n_bodies; i++)
        link_of[i] = -1;
    if (!grow_tree(m, links, &n, link_of, used))
        return 1;
    for (int i = 1; i < m->def.n_bodies; i++) {
        if (link_of[i] >= 0)
            continue;
        links[n].first = n ? links[n - 1].first + links[n - 1].n : 0;
        if (!make_free(m, i, &links[n]))
            return 1;
        link_of[i] = n++;
        if (!grow_tree(m, links, &n, link_of, used))
            return 1;
    }
    m->tree.links = links;
    m->extras.n_tree = links[n - 1].first + links[n - 1].n;
    m->extras.tree_coordinates = tree_coordinates;
    m->extras.tree_motion = tree_motion;
    return hol_tree_series_build(m);
}

// ---- evaluation ----

static void tree_coordinates(const HolProblem *p, void *work, double t, const double *q,
                             double *x) {
    const HolModel *m = p->user;
    HolModelWork *w = work;
    hol_model_position(m, w, t, q);
    for (int i = 0; i < m->def.n_bodies - 1; i++) {
        const HolTreeLink *l = &m->tree.links[i];
        for (int k = 0; l->free && k < l->n; k++)
            x[l->first + k] = q[m->def.bodies[l->body].q + k];
        if (l->turn >= 0)
            x[l->turn] = hol_row_value(m, w, l->row[0]);
        if (l->slide >= 0)
            x[l->slide] = hol_row_value(m, w, l->row[1]);
    }
}

typedef struct {
    const double *x, *rate;
    double *q, *v, *E, *b; // v NULL: positions only
    int nv;
} Motion;

static double given(const double *x, int i) {
    return i >= 0 ? x[i] : 0;
}

static void free_body(const HolBody *body, const HolTreeLink *l, const Motion *to) {
    for (int k = 0; k < l->n; k++) {
        to->q[body->q + k] = to->x[l->first + k];
        if (!to->v)
            continue;
        to->v[body->v + k] = to->rate[l->first + k];
        to->b[body->v + k] = 0;
        to->E[(l->first + k) * to->nv + body->v + k] = 1;
    }
}

static void space_body(const HolModel *m, const HolTreeLink *l, const Motion *to) {
    const HolBody *body = &m->def.bodies[l->body], *parent = &m->def.bodies[l->parent];
    const double phi = l->sign * given(to->x, l->turn), u = l->sign * given(to->x, l->slide);
    double *q = to->q + body->q;
    const double *up = to->q + parent->q;
    const Quat pa = l->parent ? q_load(up + 3) : q_identity();
    const Quat turn = {cos(0.5 * phi), 0, 0, sin(0.5 * phi)};
    Quat pb = q_normalize(q_mul(q_mul(pa, q_mul(l->Ra, turn)), q_conj(l->Rb)));
    if (pb.w * q[3] + pb.x * q[4] + pb.y * q[5] + pb.z * q[6] < 0)
        pb = (Quat){-pb.w, -pb.x, -pb.y, -pb.z};
    const Mat3 Aa = q_matrix(pa), Ab = q_matrix(pb);
    const Vec3 z = m3_mulv(Aa, v3_load(l->z));
    const Vec3 la = v3_add(m3_mulv(Aa, v3_load(l->sa)), v3_scale(z, u));
    const Vec3 lb = m3_mulv(Ab, v3_load(l->sb)), way = v3_sub(la, lb);
    v3_store(q, v3_add(l->parent ? v3_load(up) : v3(0, 0, 0), way));
    q_store(q + 3, pb);
    if (!to->v)
        return;
    // directions: those of the parent, carried over, and its own
    for (int k = l->up; k >= 0; k = m->tree.links[k].up)
        for (int c = m->tree.links[k].first; c < m->tree.links[k].first + m->tree.links[k].n; c++) {
            const double *e = to->E + c * to->nv + parent->v;
            double *mine = to->E + c * to->nv + body->v;
            const Vec3 w = m3_mulv(Aa, v3_load(e + 3));
            v3_store(mine, v3_add(v3_load(e), v3_cross(w, way)));
            v3_store(mine + 3, m3_tmulv(Ab, w));
        }
    if (l->turn >= 0) {
        double *mine = to->E + l->turn * to->nv + body->v;
        const Vec3 w = v3_scale(z, l->sign);
        v3_store(mine, v3_cross(lb, w));
        v3_store(mine + 3, m3_tmulv(Ab, w));
    }
    if (l->slide >= 0)
        v3_store(to->E + l->slide * to->nv + body->v, v3_scale(z, l->sign));
    // velocities and the accelerations at x'' = 0
    const Vec3 none = v3(0, 0, 0);
    const double *va = to->v + parent->v, *ba = to->b + parent->v;
    const Vec3 turned = v3_scale(z, l->sign * given(to->rate, l->turn));
    const Vec3 slid = v3_scale(z, l->sign * given(to->rate, l->slide));
    const Vec3 wa = l->parent ? m3_mulv(Aa, v3_load(va + 3)) : none;
    const Vec3 alpha_a = l->parent ? m3_mulv(Aa, v3_load(ba + 3)) : none;
    const Vec3 wb = v3_add(wa, turned), alpha = v3_add(alpha_a, v3_cross(wa, turned));
    const Vec3 swing = v3_cross(wa, la), counter = v3_cross(wb, lb);
    Vec3 velocity = v3_add(v3_sub(swing, counter), slid);
    Vec3 bias = v3_add(v3_cross(alpha_a, la), v3_cross(wa, v3_add(swing, v3_scale(slid, 2))));
    bias = v3_sub(bias, v3_add(v3_cross(alpha, lb), v3_cross(wb, counter)));
    if (l->parent) {
        velocity = v3_add(velocity, v3_load(va));
        bias = v3_add(bias, v3_load(ba));
    }
    v3_store(to->v + body->v, velocity);
    v3_store(to->v + body->v + 3, m3_tmulv(Ab, wb));
    v3_store(to->b + body->v, bias);
    v3_store(to->b + body->v + 3, m3_tmulv(Ab, alpha));
}

static void plane_body(const HolModel *m, const HolTreeLink *l, const Motion *to) {
    const HolBody *body = &m->def.bodies[l->body], *parent = &m->def.bodies[l->parent];
    static const double still[3] = {0, 0, 0};
    const double *qa = l->parent ? to->q + parent->q : still;
    double *q = to->q + body->q;
    const double u = l->sign * given(to->x, l->slide);
    q[2] = qa[2] + l->angle + l->sign * given(to->x, l->turn);
    const double ca = cos(qa[2]), sa = sin(qa[2]), cb = cos(q[2]), sb = sin(q[2]);
    const double z[2] = {ca * l->z[0] - sa * l->z[1], sa * l->z[0] + ca * l->z[1]};
    const double la[2] = {ca * l->sa[0] - sa * l->sa[1] + u * z[0],
                          sa * l->sa[0] + ca * l->sa[1] + u * z[1]};
    const double lb[2] = {cb * l->sb[0] - sb * l->sb[1], sb * l->sb[0] + cb * l->sb[1]};
    const double way[2] = {la[0] - lb[0], la[1] - lb[1]};
    q[0] = qa[0] + way[0];
    q[1] = qa[1] + way[1];
    if (!to->v)
        return;
    for (int k = l->up; k >= 0; k = m->tree.links[k].up)
        for (int c = m->tree.links[k].first; c < m->tree.links[k].first + m->tree.links[k].n; c++) {
            const double *e = to->E + c * to->nv + parent->v;
            double *mine = to->E + c * to->nv + body->v;
            mine[0] = e[0] - e[2] * way[1];
            mine[1] = e[1] + e[2] * way[0];
            mine[2] = e[2];
        }
    if (l->turn >= 0) {
        double *mine = to->E + l->turn * to->nv + body->v;
        mine[0] = l->sign * lb[1];
        mine[1] = -l->sign * lb[0];
        mine[2] = l->sign;
    }
    if (l->slide >= 0) {
        to->E[l->slide * to->nv + body->v] = l->sign * z[0];
        to->E[l->slide * to->nv + body->v + 1] = l->sign * z[1];
    }
    const double *va = l->parent ? to->v + parent->v : still;
    const double *ba = l->parent ? to->b + parent->v : still;
    double *v = to->v + body->v, *b = to->b + body->v;
    const double w = va[2], slid = l->sign * given(to->rate, l->slide);
    v[2] = w + l->sign * given(to->rate, l->turn);
    b[2] = ba[2];
    v[0] = va[0] - w * la[1] + slid * z[0] + v[2] * lb[1];
    v[1] = va[1] + w * la[0] + slid * z[1] - v[2] * lb[0];
    b[0] = ba[0] - ba[2] * way[1] - w * w * la[0] - 2 * w * slid * z[1] + v[2] * v[2] * lb[0];
    b[1] = ba[1] + ba[2] * way[0] - w * w * la[1] + 2 * w * slid * z[0] + v[2] * v[2] * lb[1];
}

static void tree_motion(const HolProblem *p, void *work, const double *x, const double *rate,
                        double *q, double *v, double *E, double *b) {
    const HolModel *m = p->user;
    const Motion to = {x, rate, q, v, E, b, p->nv};
    (void)work;
    if (v)
        memset(E, 0, sizeof *E * (size_t)(p->nv * p->extras->n_tree));
    for (int i = 0; i < m->def.n_bodies - 1; i++) {
        const HolTreeLink *l = &m->tree.links[i];
        if (l->free)
            free_body(&m->def.bodies[l->body], l, &to);
        else if (m->space == HOL_PLANAR)
            plane_body(m, l, &to);
        else
            space_body(m, l, &to);
    }
}
