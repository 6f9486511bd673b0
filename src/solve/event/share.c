// SPDX-License-Identifier: Apache-2.0
// Rows that stick and depend on others (docs/theory/friction.md): a four-bar with several hinges that
// stick, two brakes of one shaft. With K the saddle point of all that is closed but for them, c_i their
// rows, y_i, mu_i = K^-1 c_i the motion and the reactions of a unit force along c_i,
//   W_ij = c_i . y_j
// has the rank of those that are independent, by pivots of Cholesky over the size that W_ii would
// have if bodies were free. A row r that depends on rows I has c_r = sum x_j c_j + a combination of the
// joints: forces z with z_r = 1, z_j = -x_j, and -sum z_i mu_i of the joints change nothing. These z
// span what equilibrium leaves open; share_forces.c chooses. A pivot W_rr that vanishes by itself: the
// joints alone determine the speed of the row; where that takes a drive, it never sticks.
// Rows r of contacts leave the equations of motion, so that their matrices have full rank; the rows I
// hold them. (Rows of joints stay: at dead points they depend on others for an instant only.)
#include "solve/event/share.h"
#include "solve/constraint/project.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double DEPENDS = 1e-11; // pivot over the row's own size
static const double MEMBER = 1e-9;   // of the largest part of a combination: no part
static const double LOOSE = 1e-9;    // of the speeds of a row: others do not hold it any more
static const double JOINT =
    1e-4; // pivot from which on rows of joints come before those of contacts

int hol_share_create(HolSim *s) {
    HolEvents *e = s->events;
    const HolNonsmooth *ns = e->ns;
    HolArena *a = &s->arena;
    if (!ns->n_grips && ns->n_supports < 2)
        return 1;
    HolShare *h = HOL_NEW(a, HolShare, 1);
    if (!h)
        return 0;
    const int n = e->rows + 1, room = 2 * e->rows + ns->n_supports + 400, K = HOL_SHARE_MOST;
    h->kkt = hol_sim_kkt(s, &s->p->M, &s->p->G, 0, 1, s->o.linear_solver);
    h->row = HOL_NEW(a, int, 2 * n);
    h->grip = h->row + n;
    h->inactive = HOL_NEW(a, unsigned char, s->m + 1);
    h->closed = HOL_NEW(a, unsigned char, s->m + 1);
    h->driven = HOL_NEW(a, unsigned char, ns->n_grips + 1);
    h->apart = HOL_NEW(a, unsigned char, 3 * ns->n_grips + 1);
    h->size = HOL_NEW(a, double, n);
    h->pivots = HOL_NEW(a, double, n *n);
    h->order = HOL_NEW(a, int, n);
    h->basis = HOL_NEW(a, double, K *(s->m + 1));
    h->group = HOL_NEW(a, int, 2 * ns->n_grips + 2);
    h->old_group = h->group + ns->n_grips + 1;
    h->room = room;
    h->force = HOL_NEW(a, HolShareForce, room);
    h->capacity = HOL_NEW(a, double, ns->n_grips + 1);
    h->a = HOL_NEW(a, double, room *K);
    h->rows = HOL_NEW(a, double, room *K);
    h->reduce = HOL_NEW(a, double, 3 * K * K);
    h->b = HOL_NEW(a, double, 2 * room);
    h->values = h->b + room;
    h->z = HOL_NEW(a, double, 2 * K);
    h->u = h->z + K;
    h->weight = HOL_NEW(a, double, room);
    h->work = HOL_NEW(a, double, hol_minimax_work(room, K));
    h->lambda = HOL_NEW(a, double, s->m + 1);
    h->hard = HOL_NEW(a, unsigned char, room);
    h->live = HOL_NEW(a, int, room);
    h->columns = HOL_NEW(a, int, K + 1);
    h->asked = HOL_NEW(a, double, (K + 1) * s->m + ns->n_grips + 1);
    h->answer = HOL_NEW(a, double, s->m + 1);
    if (a->failed)
        return 0;
    e->share = h;
    return 1;
}

// ---- rows that others hold ----

// all rows that stick are in the equations (in), or those that others hold are out again
static void share_all_in(HolSim *s, int in) {
    const HolNonsmooth *ns = s->events->ns;
    HolShare *h = s->events->share;
    for (int i = 0; i < ns->n_grips; i++)
        for (int k = 0; k < ns->grips[i].rows; k++) {
            unsigned char *apart = &h->apart[3 * i + k];
            if (in)
                *apart = (unsigned char)ns->is_apart(s->p, s->work, i, k);
            if (*apart)
                ns->set_apart(s->p, s->work, i, k, !in);
        }
}

// ---- the rank ----

// the saddle point at x with the rows flagged `inactive` left out; 0: it is singular
static int share_factor(HolSim *s, const HolState *x) {
    HolShare *h = s->events->share;
    const HolProblem *p = s->p;
    double *M = hol_kkt_S(h->kkt);
    const HolPoint at = {.t = x->t, .q = x->q};
    memset(M, 0, sizeof *M * (size_t)p->M.nnz);
    p->mass(p, s->work, &at, 1.0, 0, M);
    share_all_in(s, 1);
    p->jacobian(p, s->work, &at, hol_kkt_G(h->kkt));
    share_all_in(s, 0);
    hol_kkt_inactive(h->kkt, h->inactive);
    return hol_kkt_factor(h->kkt) == 0;
}

// y = K^-1 of row `row` of G as a force; its size if bodies were free
static double share_answer(HolSim *s, int row, double *y) {
    const HolPattern *G = &s->p->G, *M = &s->p->M;
    HolShare *h = s->events->share;
    const double *g = hol_kkt_G(h->kkt), *mass = hol_kkt_S(h->kkt);
    double size = 0;
    memset(y, 0, sizeof *y * (size_t)(s->nv + s->m));
    for (int i = G->ptr[row]; i < G->ptr[row + 1]; i++) {
        const int j = G->idx[i];
        y[j] = g[i];
        for (int k = M->ptr[j]; k < M->ptr[j + 1]; k++)
            if (M->idx[k] == j && mass[k] > 0)
                size += g[i] * g[i] / mass[k];
    }
    hol_kkt_solve(h->kkt, y);
    return size;
}

int hol_share_answer_at(HolSim *s, const HolState *x, double *y) {
    HolShare *h = s->events->share;
    memset(h->inactive, 0, (size_t)s->m);
    if (!share_factor(s, x))
        return 0;
    hol_kkt_solve(h->kkt, y);
    return 1;
}

static double share_row_times(const HolSim *s, int row, const double *x) {
    const HolPattern *G = &s->p->G;
    const double *g = hol_kkt_G(s->events->share->kkt);
    double sum = 0;
    for (int i = G->ptr[row]; i < G->ptr[row + 1]; i++)
        sum += g[i] * x[G->idx[i]];
    return sum;
}

// rows that stick, flagged as left out
static void share_list_rows(HolSim *s) {
    const HolNonsmooth *ns = s->events->ns;
    HolShare *h = s->events->share;
    memset(h->inactive, 0, (size_t)s->m);
    h->n = 0;
    for (int i = 0; i < ns->n_grips; i++)
        for (int k = 0; k < ns->grips[i].rows; k++)
            if (ns->grip_mode(s->p, s->work, i) == HOL_STICK) {
                h->row[h->n] = ns->grips[i].row + k;
                h->grip[h->n] = i;
                h->inactive[h->row[h->n++]] = 1;
            }
}

// 1: row r is a better pivot than row b
static int share_better(const HolShare *h, const HolNonsmooth *ns, int r, int b) {
    const int n = h->n;
    const double *W = h->pivots, pr = W[r * n + r] * h->size[b], pb = W[b * n + b] * h->size[r];
    if (h->grip[r] < 0)
        return pr > pb;
    const int joint_r = ns->grips[h->grip[r]].support < 0 && pr > JOINT * h->size[r] * h->size[b],
              joint_b = ns->grips[h->grip[b]].support < 0 && pb > JOINT * h->size[r] * h->size[b];
    return joint_r != joint_b ? joint_r : pr > pb;
}

// Cholesky with pivots of W in place, below the diagonal; returns the rank, order[k]: row at place k
static int share_rank(HolShare *h, const HolNonsmooth *ns) {
    const int n = h->n;
    double *W = h->pivots;
    for (int k = 0; k < n; k++)
        h->order[k] = k;
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++) {
            if (share_better(h, ns, h->order[i], h->order[best]))
                best = i;
        }
        const int p = h->order[best];
        h->order[best] = h->order[k];
        h->order[k] = p;
        if (!(W[p * n + p] > DEPENDS * h->size[p]))
            return k;
        const double root = sqrt(W[p * n + p]);
        W[p * n + p] = root;
        for (int i = k + 1; i < n; i++) {
            const int r = h->order[i];
            W[r * n + p] /= root;
        }
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; j < n; j++) {
                const int r = h->order[i], c = h->order[j];
                W[r * n + c] -= W[r * n + p] * W[c * n + p];
            }
    }
    return n;
}

// combination of the row at place `place` with the independent ones: forces of all rows
static void share_combination(HolSim *s, int rank, int place, double *z) {
    HolShare *h = s->events->share;
    const int n = h->n, r = h->order[place], width = s->nv + s->m;
    const double *W = h->pivots;
    double *x = h->weight; // (scratch of at least n numbers)
    memset(z, 0, sizeof *z * (size_t)s->m);
    for (int k = rank - 1; k >= 0; k--) {
        const int c = h->order[k];
        double sum = W[r * n + c];
        for (int i = k + 1; i < rank; i++)
            sum -= W[h->order[i] * n + c] * x[i];
        x[k] = sum / W[c * n + c];
    }
    for (int k = 0; k <= rank; k++) {
        const int i = k < rank ? h->order[k] : r;
        const double force = k < rank ? -x[k] : 1, *mu = s->events->Y + i * width + s->nv;
        for (int j = 0; j < s->m; j++)
            z[j] -= force * mu[j];
    }
    for (int k = 0; k <= rank; k++)
        z[h->row[k < rank ? h->order[k] : r]] = k < rank ? -x[k] : 1;
}

// h->basis at x, in the present modes
static void share_basis(HolSim *s, const HolState *x) {
    HolEvents *e = s->events;
    HolShare *h = e->share;
    const int width = s->nv + s->m;
    h->k = 0;
    share_list_rows(s);
    h->rank = h->n;
    if (!h->n || !share_factor(s, x))
        return;
    for (int i = 0; i < h->n; i++)
        h->size[i] = share_answer(s, h->row[i], e->Y + i * width);
    for (int i = 0; i < h->n; i++)
        for (int j = 0; j < h->n; j++)
            h->pivots[i * h->n + j] = share_row_times(s, h->row[i], e->Y + j * width);
    const int rank = h->rank = share_rank(h, e->ns);
    for (int place = rank; place < h->n && h->k < HOL_SHARE_MOST; place++)
        share_combination(s, rank, place, h->basis + h->k++ * s->m);
}

// parts of combination k by the sizes of the rows; the largest
static double combination_part(const HolShare *h, const double *z, int i) {
    return fabs(z[h->row[i]]) * sqrt(h->size[i]);
}

// grips that stand in one combination are of one group
static void find_groups(HolSim *s) {
    HolShare *h = s->events->share;
    int groups = 0;
    memset(h->group, 0, sizeof *h->group * (size_t)s->events->ns->n_grips);
    for (int k = 0; k < h->k; k++) {
        const double *z = h->basis + k * s->m;
        double most = 0;
        for (int i = 0; i < h->n; i++)
            most = fmax(most, combination_part(h, z, i));
        const int own = ++groups;
        for (int i = 0; i < h->n; i++) {
            const int other = h->group[h->grip[i]];
            if (!(combination_part(h, z, i) > MEMBER * most) || other == own)
                continue;
            h->group[h->grip[i]] = own;
            for (int j = 0; j < s->events->ns->n_grips && other; j++)
                if (h->group[j] == other)
                    h->group[j] = own;
        }
    }
}

double hol_share_size(const HolShare *h, int grip) {
    double size = 0;
    for (int i = 0; i < h->n; i++)
        size = h->grip[i] == grip ? fmax(size, h->size[i]) : size;
    return size;
}

int hol_share_apart(const HolSim *s) {
    const HolNonsmooth *ns = s->events->ns;
    int n = 0;
    for (int i = 0; s->events->share && i < ns->n_grips; i++)
        for (int k = 0; k < ns->grips[i].rows; k++)
            n += ns->is_apart(s->p, s->work, i, k);
    return n;
}

void hol_share_set_apart(HolSim *s) {
    const HolNonsmooth *ns = s->events->ns;
    HolShare *h = s->events->share;
    if (!h)
        return;
    share_all_in(s, 1);
    share_list_rows(s);
    int contacts = 0;
    for (int i = 0; i < h->n; i++)
        contacts += ns->grips[h->grip[i]].support >= 0;
    if (!contacts)
        return;
    share_basis(s, &s->x);
    for (int place = h->rank; place < h->n; place++) {
        const int r = h->order[place], grip = h->grip[r];
        if (ns->grips[grip].support >= 0)
            ns->set_apart(s->p, s->work, grip, h->row[r] - ns->grips[grip].row, 1);
    }
}

void hol_share_watch(HolSim *s) {
    HolEvents *e = s->events;
    if (!e || !hol_share_apart(s))
        return;
    const double part = s->stepper->closes ? LOOSE : fmax(LOOSE, s->o.tolerance);
    for (int i = 0; i < e->ns->n_grips; i++)
        for (int k = 0; k < e->ns->grips[i].rows; k++) {
            HolClosedRow row;
            double speed = 0, size = 0, *c = e->Y;
            if (!e->ns->is_apart(s->p, s->work, i, k))
                continue;
            e->ns->closed_row(s->p, s->work, HOL_AT(&s->x), e->ns->grips[i].row + k, c, &row);
            for (int j = 0; j < s->nv; j++) {
                speed += c[j] * s->x.v[j];
                size += fabs(c[j] * s->x.v[j]);
            }
            e->pending |= fabs(speed) > part * size + e->speed_noise[hol_grip_row(e, i) + k];
        }
}

HolStatus hol_share_hold(HolSim *s, HolError *err) {
    if (!hol_share_apart(s))
        return HOL_OK;
    share_all_in(s, 1);
    HolStatus status = hol_mass_factor(s, s->x.t, s->x.q, err);
    if (status == HOL_OK)
        status = hol_project_velocity(s, s->x.t, s->x.q, s->x.v, err);
    share_all_in(s, 0);
    return status;
}

void hol_share_find(HolSim *s) {
    HolEvents *e = s->events;
    HolShare *h = e->share;
    if (!h)
        return;
    h->k = h->known = 0;
    // (no pivot of all rows vanished: none depends)
    if (hol_share_apart(s) || hol_kkt_is_regularized(s->mass))
        share_basis(s, &s->x);
    find_groups(s);
    h->active = h->k > 0;
    for (int i = 0; i < e->ns->n_grips; i++)
        e->ns->set_share(s->p, s->work, i, h->group[i]);
    if (h->active)
        hol_share_forces(s, &s->x);
}

void hol_share_state(HolSim *s, HolState *x) {
    HolShare *h = s->events ? s->events->share : NULL;
    if (!h || !h->active || x->bare)
        return;
    share_basis(s, x);
    if (h->k)
        hol_share_forces(s, x);
}

// ---- rows of closed contacts ----

// Which rows of closed contacts depend on the others (a box on four corners): h->closed, by the same
// rank, with joints and rows that stick in their place
void hol_share_find_closed(HolSim *s) {
    HolEvents *e = s->events;
    HolShare *h = e->share;
    const HolNonsmooth *ns = e->ns;
    const int width = s->nv + s->m;
    if (!h)
        return;
    memset(h->closed, 0, (size_t)s->m);
    memset(h->inactive, 0, (size_t)s->m);
    h->n = h->n_closed = 0;
    for (int i = 0; i < ns->n_supports; i++)
        if (ns->support_mode(s->p, s->work, i) == HOL_CLOSED) {
            h->grip[h->n] = -1;
            h->row[h->n] = ns->supports[i].row;
            h->inactive[h->row[h->n++]] = 1;
        }
    if (h->n < 2)
        return;
    for (int i = 0; i < ns->n_grips; i++) // (those that others hold are out already)
        for (int k = 0; k < ns->grips[i].rows; k++)
            if (ns->is_apart(s->p, s->work, i, k))
                h->inactive[ns->grips[i].row + k] = 1;
    if (!share_factor(s, &s->x))
        return;
    for (int i = 0; i < h->n; i++)
        h->size[i] = share_answer(s, h->row[i], e->Y + i * width);
    for (int i = 0; i < h->n; i++)
        for (int j = 0; j < h->n; j++)
            h->pivots[i * h->n + j] = share_row_times(s, h->row[i], e->Y + j * width);
    for (int place = share_rank(h, ns); place < h->n; place++) {
        h->closed[h->row[h->order[place]]] = 1;
        h->n_closed++;
    }
}

const unsigned char *hol_event_dependent(const HolSim *s) {
    const HolShare *h = s->events ? s->events->share : NULL;
    return h && h->n_closed ? h->closed : NULL;
}

int hol_events_may_depend(const HolSim *s) {
    return s->events && s->events->share && s->events->ns->n_supports > 1;
}

// all rows open that may be: W of each row with and without the drives
void hol_share_find_driven(HolSim *s) {
    HolEvents *e = s->events;
    HolShare *h = e->share;
    const HolNonsmooth *ns = e->ns;
    double *y = e->Y;
    int drives = 0, held = 0;
    for (int i = 0; h && i < s->m; i++)
        drives += ns->row_driven(s->p, i);
    if (!drives)
        return;
    if (s->check.dof == 0) { // (whatever the position)
        memset(h->driven, 1, (size_t)ns->n_grips);
        return;
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < s->m; i++)
            h->inactive[i] = (unsigned char)(pass && ns->row_driven(s->p, i));
        for (int i = 0; i < ns->n_supports; i++)
            h->inactive[ns->supports[i].row] = 1;
        for (int i = 0; i < ns->n_grips; i++)
            for (int k = 0; k < ns->grips[i].rows; k++)
                h->inactive[ns->grips[i].row + k] = 1;
        if ((pass && !held) || !share_factor(s, &s->x))
            return;
        for (int i = 0; i < ns->n_grips; i++) {
            const int row = ns->grips[i].row;
            if (pass && h->driven[i] != 2)
                continue;
            const double size = share_answer(s, row, y);
            const int given = !(share_row_times(s, row, y) > DEPENDS * size);
            if (pass)
                h->driven[i] = !given;
            else if (given && !h->driven[i])
                h->driven[i] = 2;
            held |= given;
        }
    }
}
