// SPDX-License-Identifier: Apache-2.0
// Finite elements -> the integrals of a modal body in mean axes (docs/theory/modal.md). Mass, centre and
// J0 come from the mass matrix; integrals with two displacements from masses m_i of the nodes, the row
// sums of the mass matrix, because int p_k x p_l must be antisymmetric:
//   J1_k = -sum m_i (x_i~ p_ki~ + p_ki~ x_i~),  J2_kl = -sum m_i sym(p_ki~ p_li~),
//   C1_kl = sum m_i p_ki x p_li;   plane: b_k = sum m_i p_ki.x_i,  B_kl = sum m_i p_li cross p_ki
#include "math/dense.h"
#include "math/lapack_library.h"
#include "math/vec.h"
#include "model/modal/modal.h"

#include <math.h>
#include <string.h>

typedef struct Reduction {
    HolModel *m;
    const HolModalDef *d;
    const HolModalParts *parts;
    HolArena scratch;
    int plane, N, nr; // unknowns, rigid motions
    double *R;        // N x nr
    double *P;        // N x nf
    int nf;
    double *mass; // of the nodes
} Reduction;

// translations, then rotations about the origin
static int reduce_motions(Reduction *r) {
    const HolModalParts *p = r->parts;
    r->R = HOL_NEW(&r->scratch, double, (long)r->N * r->nr + 1);
    const int axes = r->plane ? 2 : 3;
    for (int i = 0; r->R && i < p->n_nodes; i++) {
        const Vec3 x = v3_load(p->nodes + 3 * i);
        double *at = r->R + i * p->dof;
        for (int k = 0; k < axes; k++)
            at[(long)r->N * k + k] = 1;
        for (int k = axes; k < r->nr; k++) {
            const int axis = r->plane ? 2 : k - 3;
            double e[3] = {axis == 0, axis == 1, axis == 2}, u[3];
            v3_store(u, v3_cross(v3_load(e), x));
            for (int c = 0; c < axes; c++)
                at[(long)r->N * k + c] = u[c];
            if (p->dof > axes)
                at[(long)r->N * k + axes + (r->plane ? 0 : axis)] = 1;
        }
    }
    return r->R != NULL;
}

// mass, centre of mass (nodes then count from it), inertia
static int reduce_mass(Reduction *r, HolModalParts *p, double com[3], HolBodyDef *frame,
                       HolError *err) {
    const int N = r->N, axes = r->plane ? 2 : 3;
    double *x = HOL_NEW(&r->scratch, double, N + 1),
           *MR = HOL_NEW(&r->scratch, double, (long)N * r->nr + 1);
    double total[36];
    if (!x || !MR || !reduce_motions(r))
        return 0;
    hol_dense_multiply(N, N, r->nr, p->M, 0, r->R, MR);
    hol_dense_multiply(r->nr, N, r->nr, r->R, 1, MR, total);
    frame->mass = total[0];
    if (!(frame->mass > 0) || !isfinite(frame->mass))
        return hol_modal_problem(r->m, r->d, err, "%s: the mass of the part is %g, not positive",
                                 p->M_name, frame->mass);
    for (int k = 1; k < axes; k++)
        if (fabs(total[r->nr * k + k] - frame->mass) > 1e-6 * frame->mass)
            return hol_modal_problem(r->m, r->d, err,
                                     "%s: the mass of the part is %g along x and %g along %c; the "
                                     "unknowns of each node must stand together",
                                     p->M_name, frame->mass, total[r->nr * k + k], "xyz"[k]);
    for (int i = 0; i < p->n_nodes; i++)
        for (int c = 0; c < axes; c++)
            x[i * p->dof + c] = p->nodes[3 * i + c];
    memset(com, 0, sizeof(double) * 3);
    for (int c = 0; c < axes; c++) {
        for (int i = 0; i < N; i++)
            com[c] += MR[(long)N * c + i] * x[i];
        com[c] /= frame->mass;
    }
    for (int i = 0; i < p->n_nodes; i++)
        for (int c = 0; c < 3; c++)
            p->nodes[3 * i + c] -= com[c];
    if (!reduce_motions(r)) // about the centre of mass
        return 0;
    hol_dense_multiply(N, N, r->nr, p->M, 0, r->R, MR);
    hol_dense_multiply(r->nr, N, r->nr, r->R, 1, MR, total);
    memset(frame->inertia, 0, sizeof frame->inertia);
    if (r->plane) {
        frame->inertia[0] = total[8];
        return 1;
    }
    static const int place[6][2] = {{3, 3}, {4, 4}, {5, 5}, {3, 4}, {4, 5}, {5, 3}};
    for (int i = 0; i < 6; i++)
        frame->inertia[i] = total[6 * place[i][0] + place[i][1]];
    return 1;
}

static int reduce_nodal(Reduction *r) {
    const HolModalParts *p = r->parts;
    r->mass = HOL_NEW(&r->scratch, double, p->n_nodes + 1);
    for (int j = 0; r->mass && j < p->n_nodes; j++)
        for (int i = 0; i < p->n_nodes; i++)
            r->mass[i] += p->M[(long)r->N * p->dof * j + (long)p->dof * i];
    return r->mass != NULL;
}

static Vec3 reduce_mode(const Reduction *r, int node, int k) {
    const double *at = r->P + (long)r->N * k + (long)node * r->parts->dof;
    return v3(at[0], at[1], r->plane ? 0 : at[2]);
}

// symmetric part of -a~ b~ = (a.b) 1 - sym(a b^T): xx yy zz xy yz zx
static void reduce_sym(double out[6], double c, Vec3 a, Vec3 b) {
    out[0] += c * (a.y * b.y + a.z * b.z);
    out[1] += c * (a.x * b.x + a.z * b.z);
    out[2] += c * (a.x * b.x + a.y * b.y);
    out[3] -= c * 0.5 * (a.x * b.y + a.y * b.x);
    out[4] -= c * 0.5 * (a.y * b.z + a.z * b.y);
    out[5] -= c * 0.5 * (a.z * b.x + a.x * b.z);
}

static int reduce_space(const Reduction *r, HolModal *out) {
    const int nf = r->nf;
    double *J1 = HOL_NEW(&r->m->arena, double, 6 * nf + 1),
           *J2 = HOL_NEW(&r->m->arena, double, 6L * nf * nf + 1),
           *C1 = HOL_NEW(&r->m->arena, double, 3L * nf * nf + 1);
    if (!J1 || !J2 || !C1)
        return 0;
    for (int i = 0; i < r->parts->n_nodes; i++) {
        const Vec3 x = v3_load(r->parts->nodes + 3 * i);
        for (int k = 0; k < nf; k++) {
            const Vec3 p = reduce_mode(r, i, k);
            reduce_sym(J1 + 6 * k, 2 * r->mass[i], x, p);
            for (int l = 0; l < nf; l++) {
                const Vec3 other = reduce_mode(r, i, l), c = v3_cross(p, other);
                double *to = C1 + 3 * ((long)k * nf + l);
                reduce_sym(J2 + 6 * ((long)k * nf + l), r->mass[i], p, other);
                to[0] += r->mass[i] * c.x;
                to[1] += r->mass[i] * c.y;
                to[2] += r->mass[i] * c.z;
            }
        }
    }
    out->J1 = J1;
    out->J2 = J2;
    out->C1 = C1;
    return 1;
}

static int reduce_plane(const Reduction *r, HolModal *out) {
    const int nf = r->nf;
    double *C = HOL_NEW(&r->m->arena, double, 2 * nf + 1),
           *b = HOL_NEW(&r->m->arena, double, nf + 1), *h = HOL_NEW(&r->m->arena, double, nf + 1),
           *B = HOL_NEW(&r->m->arena, double, (long)nf *nf + 1);
    if (!C || !b || !h || !B)
        return 0;
    for (int i = 0; i < r->parts->n_nodes; i++) {
        const Vec3 x = v3_load(r->parts->nodes + 3 * i);
        for (int k = 0; k < nf; k++) {
            const Vec3 p = reduce_mode(r, i, k);
            b[k] += r->mass[i] * (p.x * x.x + p.y * x.y);
            for (int l = 0; l < nf; l++)
                B[(long)k * nf + l] += r->mass[i] * v3_cross(reduce_mode(r, i, l), p).z;
        }
    }
    out->C = C;
    out->b = b;
    out->h = h;
    out->B = B;
    return 1;
}

// ---- interfaces ----

// the mean of the nodes, and their rotation: that of the node, or of their displacements by least
// squares, sum -y~ y~ theta = sum y x p with y from the mean; none where the nodes lie on a line
static int reduce_interface(const Reduction *r, const HolModalPlace *place,
                            HolModalInterface *out) {
    const HolModalParts *p = r->parts;
    const int nf = r->nf, axes = r->plane ? 2 : 3, turns = r->plane ? 1 : 3;
    double *move = HOL_NEW(&r->m->arena, double, 3 * nf + 1),
           *turn = HOL_NEW(&r->m->arena, double, 3 * nf + 1);
    double mean[3] = {0}, spread[6] = {0};
    if (!move || !turn)
        return 0;
    for (int i = 0; i < place->n; i++)
        for (int c = 0; c < 3; c++)
            mean[c] += p->nodes[3 * place->nodes[i] + c] / place->n;
    for (int i = 0; i < place->n; i++) {
        const Vec3 y = v3_sub(v3_load(p->nodes + 3 * place->nodes[i]), v3_load(mean));
        reduce_sym(spread, 1, y, y);
    }
    for (int k = 0; k < nf; k++) {
        Vec3 moment = v3(0, 0, 0);
        double rotation[3] = {0};
        for (int i = 0; i < place->n; i++) {
            const int node = place->nodes[i];
            const Vec3 y = v3_sub(v3_load(p->nodes + 3 * node), v3_load(mean)),
                       u = reduce_mode(r, node, k);
            double at[3];
            v3_store(at, u);
            moment = v3_add(moment, v3_cross(y, u));
            for (int c = 0; c < axes; c++)
                move[3 * k + c] += at[c] / place->n;
            for (int c = 0; c < turns && p->dof > axes; c++)
                rotation[c] += r->P[(long)r->N * k + (long)node * p->dof + axes + c] / place->n;
        }
        if (p->dof == axes && r->plane && spread[2] > 0)
            rotation[0] = moment.z / spread[2];
        else if (p->dof == axes && !r->plane) {
            double J[9] = {spread[0], spread[3], spread[5], spread[3], spread[1],
                           spread[4], spread[5], spread[4], spread[2]};
            v3_store(rotation, moment);
            if (place->n < 3 || hol_dense_positive_solve(3, 1, J, rotation))
                memset(rotation, 0, sizeof rotation);
        }
        for (int c = 0; c < turns; c++)
            turn[turns * k + c] = rotation[c];
    }
    *out = (HolModalInterface){.name = hol_arena_text(&r->m->arena, place->name),
                               .x = {mean[0], mean[1], mean[2]},
                               .move = move,
                               .turn = turn};
    return out->name != NULL;
}

static int reduce_interfaces(const Reduction *r, HolModal *out) {
    const int n = r->d->n_interfaces;
    HolModalInterface *list = HOL_NEW(&r->m->arena, HolModalInterface, n + 1);
    for (int i = 0; list && i < n; i++)
        if (!reduce_interface(r, &r->d->interfaces[i], &list[i]))
            return 0;
    out->interfaces = list;
    out->n_interfaces = n;
    return list != NULL;
}

// ---- the whole ----

static int reduce_drawing(const Reduction *r, HolModal *out) {
    const HolModalParts *p = r->parts;
    double *shapes = HOL_NEW(&r->m->arena, double, 3L * r->nf * p->n_nodes + 1);
    for (int i = 0; shapes && i < p->n_nodes; i++)
        for (int k = 0; k < r->nf; k++)
            v3_store(shapes + 3 * ((long)r->nf * i + k), reduce_mode(r, i, k));
    out->nodes = hol_model_keep(r->m, p->nodes, 3 * p->n_nodes);
    out->shapes = shapes;
    out->n_nodes = p->n_nodes;
    int(*edges)[2] = hol_arena_alloc(&r->m->arena, sizeof(int[2]) * ((size_t)p->n_edges + 1));
    if (edges && p->n_edges)
        memcpy(edges, p->edges, sizeof(int[2]) * (size_t)p->n_edges);
    out->edges = (const int(*)[2])edges;
    out->n_edges = p->n_edges;
    return shapes && out->nodes && edges;
}

static int reduce_omega(const Reduction *r, const double *omega, HolModal *out) {
    out->nf = r->nf;
    out->omega = hol_model_keep(r->m, omega, r->nf);
    return out->omega != NULL;
}

int hol_modal_stiffness(HolModel *m, const HolModalDef *d, HolModal *out) {
    double *stiffness = HOL_NEW(&m->arena, double, out->nf + 1),
           *damping = HOL_NEW(&m->arena, double, out->nf + 1);
    if (!stiffness || !damping)
        return 0;
    for (int k = 0; k < out->nf; k++) {
        const int at = k < d->n_zeta ? k : d->n_zeta - 1;
        stiffness[k] = out->mass * out->omega[k] * out->omega[k];
        damping[k] = at >= 0 ? 2 * d->zeta[at] * out->mass * out->omega[k] : 0;
    }
    out->stiffness = stiffness;
    out->damping = damping;
    return 1;
}

// the frame stands at the centre of mass
int hol_modal_stand(HolModel *m, const double com[3], HolBodyDef *frame) {
    const int plane = m->space == HOL_PLANAR;
    const double c = cos(frame->angle), s = sin(frame->angle);
    const Vec3 to = plane ? v3(c * com[0] - s * com[1], s * com[0] + c * com[1], 0)
                          : q_rotate(q_normalize(q_load(frame->quaternion)), v3_load(com));
    HolPointDef *origin = HOL_NEW(&m->arena, HolPointDef, 1);
    if (!origin)
        return 0;
    *origin = hol_point_def();
    origin->name = "origin";
    for (int i = 0; i < 3; i++)
        origin->at[i] = -com[i];
    v3_store(frame->position, v3_add(v3_load(frame->position), to));
    frame->points = origin;
    frame->n_points = 1;
    return 1;
}

int hol_modal_reduce(HolModel *m, const HolModalDef *d, HolModalParts *parts, HolModal *out,
                     HolBodyDef *frame, HolError *err) {
    Reduction r = {.m = m, .d = d, .parts = parts, .plane = m->space == HOL_PLANAR};
    const long no_memory = hol_dense_no_memory();
    double com[3];
    int ok;
    if (hol_lapack_ready(err) != HOL_OK) {
        m->arena.failed |= err && err->status == HOL_ERR_MEMORY;
        return 0;
    }
    r.N = parts->n_nodes * parts->dof;
    r.nr = r.plane ? 3 : 6;
    double *omega = HOL_NEW(&r.scratch, double, r.N + 1);
    ok = omega && reduce_mass(&r, parts, com, frame, err);
    if (ok)
        r.P = hol_modal_modes(m, d, parts, r.R, r.nr, frame->mass, &r.scratch, &r.nf, omega, err);
    out->mass = frame->mass;
    for (int i = 0; ok && i < parts->n_nodes; i++)
        out->length = fmax(out->length, 2 * v3_norm(v3_load(parts->nodes + 3 * i)));
    ok = ok && r.P && reduce_nodal(&r) &&
         (r.plane ? reduce_plane(&r, out) : reduce_space(&r, out)) &&
         reduce_omega(&r, omega, out) && hol_modal_stiffness(m, d, out) &&
         reduce_interfaces(&r, out) && reduce_drawing(&r, out) && hol_modal_stand(m, com, frame);
    m->arena.failed |= r.scratch.failed || hol_dense_no_memory() > no_memory;
    hol_arena_free(&r.scratch);
    return ok && !m->arena.failed;
}
