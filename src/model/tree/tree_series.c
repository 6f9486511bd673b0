// SPDX-License-Identifier: Apache-2.0
// Taylor series of a tree's motion in its joint coordinates, for trees of hinges and fixed joints
// under gravity, with springs, dampers and torques by expressions of time, angles and rates on the
// hinges. There is nothing to project: bodies follow from the joints. Equations:
// tree_spatial_series.c (space), tree_planar_series.c.
// What they pay: with the series of bodies and joints in their place, taylor at tolerance 1e-6 takes
// 2.0 times the instructions on a plane chain of 10 links and 3.6 times on a spatial one.
#include "model/tree/tree.h"

#include <stddef.h>
#include <string.h>

enum { HOL_SUM_MOST = 64 }; // terms

static const HolModel *tree_series_model_of(const HolProblem *p) {
    return p->user;
}

// ---- memory ----

static size_t laws_size(const HolModel *m, int order) {
    size_t n = 0;
    for (int i = 0; i < m->tree.n_laws; i++)
        n += hol_expr_jet_work(m->tree.laws[i].expr, order);
    return n;
}

static const HolTreeForm *form_of(const HolModel *m, int order) {
    return order == 1 && m->tree.form->now ? m->tree.form->now : m->tree.form;
}

static size_t tree_series_lay_out_all(const HolModel *m, int order, char *at, HolTreeMemory *s) {
    const size_t links = (size_t)hol_tree_links(m) * sizeof(double),
                 series = (size_t)(order + 2) * sizeof(double), laws = (size_t)m->tree.n_laws,
                 slots = (size_t)m->tree.n_slots * HOL_TREE_LANES * sizeof(HolLanes);
    size_t size = 0;
    (void)hol_tree_lay_out(&at, &size, sizeof *s);
    s->x = hol_tree_lay_out(&at, &size, links);
    s->torque = hol_tree_lay_out(&at, &size, links);
    s->side = hol_tree_lay_out(&at, &size, links);
    // (and room for what four lanes read behind the last link)
    s->rates = hol_tree_lay_out(&at, &size, (size_t)hol_tree_stride(m) * series + sizeof(HolLanes));
    s->arrays = s->lanes = hol_tree_lay_out(&at, &size, form_of(m, order)->size(m, order));
    s->series = form_of(m, order) == m->tree.form
                    ? NULL
                    : hol_tree_lay_out(&at, &size, m->tree.form->size(m, order));
    s->slots = hol_tree_lay_out(&at, &size, slots);
    s->reach = hol_tree_lay_out(&at, &size, slots);
    s->given = hol_tree_lay_out(&at, &size, laws ? (size_t)m->sys.n_active_slots * series : 0);
    s->values = hol_tree_lay_out(&at, &size, laws * series);
    s->laws = hol_tree_lay_out(&at, &size, laws_size(m, order) * sizeof(double));
    return size;
}

static size_t series_size(const HolProblem *p, int order) {
    HolTreeMemory none;
    return tree_series_lay_out_all(tree_series_model_of(p), order, NULL, &none);
}

static void series_memory(const HolProblem *p, void *work, void *memory, int order) {
    const HolModel *m = tree_series_model_of(p);
    HolTreeMemory *s = memory;
    (void)tree_series_lay_out_all(m, order, memory, s);
    s->pool = ((HolModelWork *)work)->pool;
    s->order = order;
    s->form = form_of(m, order);
    s->form->memory(m, s);
}

// ---- series ----

static void set_start(const HolModel *m, HolTreeMemory *s, double t, const double *x,
                      const double *rate) {
    if (m->tree.n_laws) {
        s->given[0] = t;
        s->given[1] = 1;
    }
    for (int i = 0; i < hol_tree_links(m); i++) {
        const HolTreeShape *l = &m->tree.shapes[i];
        s->x[i] = l->turn >= 0 ? l->sign * x[l->turn] : 0;
        s->rates[i] = l->turn >= 0 ? l->sign * rate[l->turn] : 0;
    }
}

static int series_start(const HolProblem *p, void *memory, double t, const double *x,
                        const double *rate) {
    const HolModel *m = tree_series_model_of(p);
    HolTreeMemory *s = memory;
    set_start(m, s, t, x, rate);
    return s->form->start(m, s);
}

// coefficient k of the torques of laws, from those of angles and rates
static void laws_order(const HolModel *m, HolTreeMemory *s, int k) {
    const size_t stride = (size_t)s->order + 2;
    double *work = s->laws;
    for (int i = 1; i < m->sys.n_active_slots; i++) {
        const HolSlot *slot = &m->sys.slots[i];
        const int is_rate = slot->type == HOL_SLOT_RATE;
        if (!is_rate && slot->type != HOL_SLOT_VALUE)
            continue;
        const int link = m->tree.of_row[slot->row];
        if (link < 0)
            continue;
        const int order = is_rate ? k : k - 1;
        const double r = order < 0 ? s->x[link] : s->rates[order * hol_tree_stride(m) + link];
        s->given[(size_t)i * stride + (size_t)k] =
            m->tree.shapes[link].sign * (is_rate || !k ? r : r / k);
    }
    memset(s->torque, 0, sizeof *s->torque * (size_t)(hol_tree_links(m)));
    for (int i = 0; i < m->tree.n_laws; i++) {
        const HolTreeLaw *law = &m->tree.laws[i];
        const double value =
            m->tree.shapes[law->link].sign * hol_expr_jet(law->expr, s->given, stride, k, work);
        s->values[(size_t)i * stride + (size_t)k] = value;
        s->torque[law->link] += value;
        work += hol_expr_jet_work(law->expr, s->order);
    }
}

static void series_order(const HolProblem *p, void *memory, int k) {
    const HolModel *m = tree_series_model_of(p);
    HolTreeMemory *s = memory;
    if (m->tree.n_laws)
        laws_order(m, s, k);
    s->form->order(m, s, k);
}

// accelerations by the full series, or by the short way
static void series_use(const HolModel *m, HolTreeMemory *s, int full) {
    s->form = full ? m->tree.form : form_of(m, s->order);
    s->arrays = full && s->series ? s->series : s->lanes;
    s->form->memory(m, s);
}

static int series_accelerate(const HolProblem *p, void *memory, double t, const double *x,
                             const double *rate) {
    const HolModel *m = tree_series_model_of(p);
    HolTreeMemory *s = memory;
    if (s->form->accelerate) {
        set_start(m, s, t, x, rate);
        if (m->tree.n_laws)
            laws_order(m, s, 0);
        const int found = s->form->accelerate(m, s);
        if (found >= 0)
            return found;
        series_use(m, s, 1); // from now on
    }
    const int has_inertia = series_start(p, memory, t, x, rate);
    if (has_inertia)
        series_order(p, memory, 0);
    return has_inertia;
}

static void series_sizes(const HolProblem *p, void *memory, const HolBodyScales *scale, int first,
                         double q[4], double v[4]) {
    const HolTreeMemory *s = memory;
    HolTreeReach most;
    s->form->reach(tree_series_model_of(p), memory, scale, NULL, NULL, first, &most);
    memcpy(q, &most.q, sizeof most.q);
    memcpy(v, &most.v, sizeof most.v);
}

static void series_reach(const HolProblem *p, void *memory, const HolBodyScales *scale,
                         const double *x, const double *y, double q[2], double v[2]) {
    const HolTreeMemory *s = memory;
    HolTreeReach most;
    s->form->reach(tree_series_model_of(p), memory, scale, x, y, 1, &most);
    memcpy(q, &most.q, 2 * sizeof *q);
    memcpy(v, &most.v, 2 * sizeof *v);
}

typedef struct Sum { // what is asked of a series, by weights of its terms
    const double *w; // of phi, phi', phi''
    double share[HOL_SUM_MOST], times[HOL_SUM_MOST];
    int n;
    double h;
    double *x, *rate, *second;
} Sum;

// phi = w_0 x + h (w_1 r_0 + h sum_0), phi' = w_0 r_0 + h sum_1, phi'' = sum_2 with sums of
// w_(k+1) r_k h^(k-1)/(k+1), w_k r_k h^(k-1) and w_(k-1) k r_k h^(k-1), r_k the coefficients of
// phi', w the weights; four links at once. alone: phi only
HOL_INLINE void sum_series(const HolModel *m, const HolTreeMemory *s, const Sum *a,
                           const int alone) {
    const long stride = hol_tree_stride(m);
    const int links = hol_tree_links(m);
    const double h = a->h, *w = a->w;
    for (int i = 0; i < links; i += HOL_LANES) {
        const double *r = s->rates + i;
        HolLanes sum = {0}, sum_rate = {0}, sum_second = {0}, c, x, first;
        for (int k = a->n - 1; k > 0; k--) {
            memcpy(&c, r + k * stride, sizeof c);
            sum = sum * h + a->share[k] * c;
            if (!alone) {
                sum_rate = sum_rate * h + w[k] * c;
                sum_second = sum_second * h + a->times[k] * c;
            }
        }
        memcpy(&first, r, sizeof first);
        memcpy(&x, s->x + i, sizeof x);
        x = w[0] * x + h * (w[1] * first + h * sum);
        sum_rate = w[0] * first + h * sum_rate;
        for (int l = 0; l < HOL_LANES && i + l < links; l++) {
            const HolTreeShape *link = &m->tree.shapes[i + l];
            if (link->turn < 0)
                continue;
            a->x[link->turn] = link->sign * x[l];
            if (!alone) {
                a->rate[link->turn] = link->sign * sum_rate[l];
                a->second[link->turn] = link->sign * sum_second[l];
            }
        }
    }
}

HOL_WIDE static void sum_all(const HolModel *m, const HolTreeMemory *s, const Sum *a) {
    sum_series(m, s, a, 0);
}

HOL_WIDE static void sum_angles(const HolModel *m, const HolTreeMemory *s, const Sum *a) {
    sum_series(m, s, a, 1);
}

static void series_eval(const HolProblem *p, const void *memory, int n, double h,
                        const double *weight, double *x, double *rate, double *second) {
    static const double ones[HOL_SUM_MOST + 1] = {[0 ... HOL_SUM_MOST] = 1};
    Sum a = {.w = weight ? weight : ones, .n = n, .h = h, .x = x, .rate = rate, .second = second};
    for (int k = 0; k < n; k++) {
        a.share[k] = a.w[k + 1] / (k + 1);
        a.times[k] = k ? a.w[k - 1] * k : 0;
    }
    if (rate)
        sum_all(tree_series_model_of(p), memory, &a);
    else
        sum_angles(tree_series_model_of(p), memory, &a);
}

// at the start of a series
static void series_begin(const HolProblem *p, const void *memory, double *x, double *rate,
                         double *second) {
    const HolModel *m = tree_series_model_of(p);
    const HolTreeMemory *s = memory;
    const double *next = s->rates + hol_tree_stride(m);
    for (int i = 0; i < hol_tree_links(m); i++) {
        const HolTreeShape *l = &m->tree.shapes[i];
        if (l->turn < 0)
            continue;
        if (x)
            x[l->turn] = l->sign * s->x[i];
        if (rate)
            rate[l->turn] = l->sign * s->rates[i];
        if (second)
            second[l->turn] = l->sign * next[i];
    }
}

// Torque times rate of a link, integrated: sum of p_k h^(k+1)/(k+1). The whole product, which is
// twice as fast as its factors.
static double work_of(const double *torque, int m, const double *rate, int n, double h) {
    double sum = 0;
    for (int k = m + n - 2; k >= 0; k--) {
        double power = 0;
        for (int i = k < n ? 0 : k - n + 1; i < m && i <= k; i++)
            power += torque[i] * rate[k - i];
        sum = sum * h + power / (k + 1);
    }
    return h * sum;
}

static void rates_of(const HolModel *m, const HolTreeMemory *s, int link, int n, double *out) {
    for (int k = 0; k < n; k++)
        out[k] = s->rates[k * hol_tree_stride(m) + link];
}

static double series_work(const HolProblem *p, const void *memory, int n, double h) {
    const HolModel *m = tree_series_model_of(p);
    const HolTreeMemory *s = memory;
    double rate[HOL_SUM_MOST], sum = 0;
    for (int i = 0; i < hol_tree_links(m); i++)
        if (m->tree.springs[i].c != 0) {
            rates_of(m, s, i, n, rate);
            sum -= m->tree.springs[i].c * work_of(rate, n, rate, n, h);
        }
    for (int i = 0; i < m->tree.n_laws; i++) { // (whose last coefficient is not there)
        rates_of(m, s, m->tree.laws[i].link, n, rate);
        sum += work_of(s->values + (size_t)i * ((size_t)s->order + 2), n - 1, rate, n, h);
    }
    return sum;
}

// ---- bodies ----

static void series_state(const HolProblem *p, void *memory, const double *x, const double *rate,
                         const double *second, double *q, double *v, double *a,
                         double residual[3]) {
    const HolTreeMemory *s = memory;
    s->form->state(tree_series_model_of(p), s,
                   &(HolTreeMotion){x, rate, second, q, v, a, residual});
}

static void series_sides(const HolProblem *p, void *memory, const double *x, const double *q) {
    HolTreeMemory *s = memory;
    s->form->sides(tree_series_model_of(p), s, x, q);
}

static void series_rates(const HolProblem *p, void *work, double t, const double *q,
                         const double *v, double *rate) {
    const HolModel *m = tree_series_model_of(p);
    HolModelWork *w = work;
    hol_model_position(m, w, t, q);
    hol_model_velocity(m, w, v);
    for (int i = 0; i < hol_tree_links(m); i++)
        if (m->tree.links[i].turn >= 0)
            rate[m->tree.links[i].turn] = hol_row_rate(m, w, m->tree.links[i].row[0]);
}

static int series_accept(const HolProblem *p, void *work, double t, const double *x,
                         const double *rate) {
    const HolModel *m = tree_series_model_of(p);
    HolModelWork *w = work;
    for (int i = 0; i < m->sys.n_memory; i++)
        if (m->tree.of_memory[i] < 0)
            return 0;
    for (int i = 0; i < m->sys.n_memory; i++) {
        const int turn = m->tree.links[m->tree.of_memory[i]].turn;
        w->memory[i] = x[turn];
        w->memory_rate[i] = rate[turn];
    }
    w->memory_t = t;
    w->has_rates = 1;
    w->have_slots_q = 0;
    return 1;
}

// ---- building ----

HOL_INLINE HolLanes lanes_of(Vec3 a) {
    return (HolLanes){a.x, a.y, a.z, 0};
}

static HolTreeKind space_kind_of(const HolModel *m, const HolTreeLink *l) {
    const HolTreeLink *up = l->up >= 0 ? &m->tree.links[l->up] : NULL;
    const HolBody *b = &m->def.bodies[l->body];
    const double mass = b->def.mass;
    const Mat3 own = q_matrix(l->Rb), above = up ? q_matrix(up->Rb) : m3_identity();
    const Vec3 h = v3_scale(m3_tmulv(own, v3_load(l->sb)), -1);
    const Vec3 from = up ? v3_load(up->sb) : v3(0, 0, 0);
    Mat3 J;
    memcpy(J.m, b->J, sizeof J.m);
    J = m3_mul(m3_tmul(own, J), own);
    const double hh = mass * v3_dot(h, h), x = h.x, y = h.y, z = h.z;
    HolTreeKind kind = {
        .mass = mass,
        .arm = lanes_of(m3_tmulv(above, v3_sub(v3_load(l->sa), from))),
        .centre = lanes_of(h),
        .mh = lanes_of(v3_scale(h, mass)),
        .inertia = {
            {J.m[0] + hh - mass * x * x, J.m[4] + hh - mass * y * y, J.m[8] + hh - mass * z * z, 0},
            {J.m[1] - mass * x * y, J.m[5] - mass * y * z, J.m[2] - mass * x * z, 0}}};
    const Quat straight = q_mul(l->Ra, q_conj(l->Rb)),
               turned = q_mul(q_mul(l->Ra, (Quat){0, 0, 0, 1}), q_conj(l->Rb));
    kind.turned[0] = (HolLanes){straight.x, straight.y, straight.z, straight.w};
    kind.turned[1] = (HolLanes){turned.x, turned.y, turned.z, turned.w};
    kind.sa = lanes_of(v3_load(l->sa));
    kind.sb = lanes_of(v3_load(l->sb));
    kind.z = lanes_of(v3_load(l->z));
    kind.zb = lanes_of(v3_load(l->zb));
    const Mat3 C = m3_tmul(above, q_matrix(l->Ra));
    for (int k = 0; k < 3; k++)
        kind.C[k] = (HolLanes){C.m[3 * k], C.m[3 * k + 1], C.m[3 * k + 2], 0};
    return kind;
}

static HolTreeKind plane_kind_of(const HolModel *m, const HolTreeLink *l) {
    static const double ground[3] = {0, 0, 0};
    const HolBodyDef *b = &m->def.bodies[l->body].def;
    const double *from = l->up >= 0 ? m->tree.links[l->up].sb : ground, x = -l->sb[0],
                 y = -l->sb[1];
    return (HolTreeKind){.mass = b->mass,
                         .arm = {l->sa[0] - from[0], l->sa[1] - from[1], 0, 0},
                         .centre = {x, y, 0, 0},
                         .mh = {b->mass * x, b->mass * y, 0, 0},
                         .inertia = {{0, 0, b->inertia[0] + b->mass * (x * x + y * y), 0}, {0}}};
}

// the number of a kind among n, which is one of the last few or a new one
static int tree_series_place_of(HolTreeKind *kinds, int *n, const HolTreeKind *kind) {
    enum { FEW = 16, NUMBERS = offsetof(HolTreeKind, mass) + sizeof kind->mass };
    for (int i = *n - 1; i >= 0 && i >= *n - FEW; i--)
        if (memcmp(&kinds[i], kind, NUMBERS) == 0)
            return i;
    kinds[*n] = *kind;
    return (*n)++;
}

static HolTreeShape tree_series_shape_of(const HolTreeLink *l) {
    return (HolTreeShape){
        .up = l->up, .turn = l->turn, .q = l->q, .v = l->v, .sign = l->sign, .angle = l->angle};
}

// A link that turns by the inertia of others alone does not in every position, and one whose own is
// hardly to be seen beside theirs loses its digits there: the saddle point keeps them.
static int have_inertia(const HolTreeShape *shapes, const HolTreeKind *kinds, int n) {
    static const double PART = 1e-7;
    double largest = 0;
    for (int i = 0; i < n; i++) {
        const double own = kinds[shapes[i].kind].inertia[0][2];
        largest = own > largest ? own : largest;
    }
    for (int i = 0; i < n; i++)
        if (shapes[i].turn >= 0 && !(kinds[shapes[i].kind].inertia[0][2] > PART * largest))
            return 0;
    return 1;
}

// does it depend on time and on angles and rates of hinges only?
static int is_law(const HolModel *m, const int *by_row, const HolExpr *e) {
    for (int i = 0; i < hol_expr_slot_count(e); i++) {
        const HolSlot *s = &m->sys.slots[hol_expr_slots(e)[i]];
        if (s->type != HOL_SLOT_TIME && s->type != HOL_SLOT_VALUE && s->type != HOL_SLOT_RATE)
            return 0;
        if (s->type != HOL_SLOT_TIME && by_row[s->row] < 0)
            return 0;
    }
    return 1;
}

// springs, dampers and expressions on hinges; 0: there is another force
static int add_forces(HolModel *m, const int *by_row, HolTreeShape *shapes, HolTreeSpring *springs,
                      HolTreeLaw *laws) {
    for (int i = 0; i < m->sys.n_elements; i++) {
        const HolElement *e = &m->sys.elements[i];
        const int link = e->row >= 0 ? by_row[e->row] : -1;
        if (link < 0 || e->other != e->row || (e->expr && !is_law(m, by_row, e->expr)))
            return 0;
        springs[link].k += e->k;
        springs[link].free += shapes[link].sign * e->k * e->s0;
        springs[link].c += e->c;
        shapes[link].driven = 1;
        if (e->expr)
            laws[m->tree.n_laws++] = (HolTreeLaw){link, e->expr};
    }
    return 1;
}

static void series_keep(const HolProblem *p, void *memory, HolKeeper *k) {
    const HolModel *m = tree_series_model_of(p);
    HolTreeMemory *s = memory;
    // (accelerations may have gone over to the full series, for good)
    const int full = hol_keep_number(k, "full", s->form == m->tree.form, 0, 1);
    if (hol_keep_reads(k) && !k->wrong && full != (s->form == m->tree.form))
        series_use(m, s, full);
    hol_keep(k, "starts", s->x, (size_t)((char *)s->lanes - (char *)s->x));
    s->form->keep(m, s, k);
    hol_keep(k, "laws", s->slots,
             series_size(p, s->order) - (size_t)((char *)s->slots - (char *)s));
}

static const HolTreeSeries series = {.size = series_size,
                                     .keep = series_keep,
                                     .memory = series_memory,
                                     .start = series_start,
                                     .order = series_order,
                                     .accelerate = series_accelerate,
                                     .sizes = series_sizes,
                                     .reach = series_reach,
                                     .begin = series_begin,
                                     .eval = series_eval,
                                     .work = series_work,
                                     .sides = series_sides,
                                     .state = series_state,
                                     .rates = series_rates,
                                     .accept = series_accept};

// A link has a slot until its last child has passed; ground has the first one.
static int give_slots(HolModel *m, HolTreeShape *shapes, int n) {
    int *last = HOL_NEW(&m->arena, int, n + 1), *unused = HOL_NEW(&m->arena, int, n + 1);
    int n_unused = 0;
    if (!last || !unused)
        return 0;
    for (int i = 0; i < n; i++) {
        last[i] = i;
        if (shapes[i].up >= 0)
            last[shapes[i].up] = i;
    }
    m->tree.n_slots = 1;
    for (int i = 0; i < n; i++) {
        const int up = shapes[i].up;
        shapes[i].slot = n_unused ? unused[--n_unused] : m->tree.n_slots++;
        if (last[i] == i)
            unused[n_unused++] = shapes[i].slot;
        shapes[i].up_slot = up >= 0 ? shapes[up].slot : 0;
        if (up >= 0 && last[up] == i)
            unused[n_unused++] = shapes[up].slot;
    }
    return 1;
}

// plane: do two rows measure the same angle?
static int same_angle(const HolRow *x, const HolRow *y) {
    return x->kind == &hol_row_angle2 && y->kind == &hol_row_angle2 && x->a == y->a &&
           x->b == y->b && x->c == y->c;
}

// by rows: the link whose hinge has the row as its angle, -1: none; by_body: scratch
static void find_rows(const HolModel *m, int n, int *by_row, int *by_memory, int *by_body) {
    for (int i = 0; i < m->sys.n_memory; i++)
        by_memory[i] = -1;
    for (int i = 0; i < m->def.n_bodies; i++)
        by_body[i] = -1;
    for (int i = 0; i < n; i++) {
        const HolTreeLink *l = &m->tree.links[i];
        if (l->turn < 0)
            continue;
        by_body[l->body] = i;
        if (m->sys.rows[l->row[0]].memory >= 0)
            by_memory[m->sys.rows[l->row[0]].memory] = i;
    }
    for (int i = 0; i < m->sys.n_rows; i++) {
        const HolRow *r = &m->sys.rows[i];
        by_row[i] = r->memory >= 0 ? by_memory[r->memory] : -1;
        for (int side = 0; side < 2; side++) {
            const int link = by_body[side ? r->a : r->b];
            if (link >= 0 && same_angle(r, &m->sys.rows[m->tree.links[link].row[0]]))
                by_row[i] = link;
        }
    }
}

int hol_tree_series_build(HolModel *m) {
    const int n = hol_tree_links(m), plane = m->space == HOL_PLANAR;
    for (int i = 0; i < n; i++)
        if (m->tree.links[i].free || m->tree.links[i].slide >= 0)
            return 1;
    HolTreeShape *shapes = HOL_NEW(&m->arena, HolTreeShape, n + 1);
    HolTreeKind *kinds = HOL_NEW(&m->arena, HolTreeKind, n + 1);
    HolTreeSpring *springs = HOL_NEW(&m->arena, HolTreeSpring, n + 1);
    HolTreeLaw *laws = HOL_NEW(&m->arena, HolTreeLaw, m->sys.n_elements + 1);
    int *by_memory = HOL_NEW(&m->arena, int, m->sys.n_memory + 1);
    int *by_row = HOL_NEW(&m->arena, int, m->sys.n_rows + 1);
    int *by_body = HOL_NEW(&m->arena, int, m->def.n_bodies);
    int n_kinds = 0;
    if (!shapes || !kinds || !springs || !laws || !by_memory || !by_row || !by_body)
        return 0;
    find_rows(m, n, by_row, by_memory, by_body);
    for (int i = 0; i < n; i++) {
        const HolTreeLink *l = &m->tree.links[i];
        shapes[i] = tree_series_shape_of(l);
        const HolTreeKind kind = plane ? plane_kind_of(m, l) : space_kind_of(m, l);
        shapes[i].kind = tree_series_place_of(kinds, &n_kinds, &kind);
    }
    if (!have_inertia(shapes, kinds, n) || !add_forces(m, by_row, shapes, springs, laws))
        return 1;
    if (!give_slots(m, shapes, n))
        return 0;
    m->tree.shapes = shapes;
    m->tree.kinds = kinds;
    m->tree.springs = springs;
    m->tree.laws = laws;
    m->tree.of_memory = by_memory;
    m->tree.of_row = by_row;
    m->tree.form = plane ? &hol_tree_plane : &hol_tree_space;
    m->extras.tree_series = &series;
    return 1;
}
