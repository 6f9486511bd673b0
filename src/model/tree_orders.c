// SPDX-License-Identifier: Apache-2.0
// Series of a tree of hinges in space, by links, each in the joint frame of its own hinge (z along
// the axis) as it stands at the start of the series. With S the turn by -psi about z, psi = phi -
// phi_0, C the frame of the hinge in that of the parent at psi = 0, y the acceleration of the joint
// (less gravity), F and T force and torque there, W = omega omega^T, B = W - tr W, and delta the
// way from the parent's joint to this one:
//   omega = S C^T omega_p + phi' z,   alpha = omega' (in the turning frame),
//   y = S C^T (y_p + alpha_p x delta + B_p delta),
//   F = m y + alpha x mh + B mh + sum C_c S_c^T F_c,
//   T = I alpha + mh x y + omega x I omega + sum (C_c S_c^T T_c + delta_c x C_c S_c^T F_c)
// c' = -s phi', s' = c phi' for the cosine and sine of psi. Products of series: Cauchy. Coefficient
// n: lower orders give the parts of S C^T (..) and S^T (..) that are known; one walk to the root
// and one back solve for phi''_n with the articulated inertia of order 0,
//   T = A alpha + D y, F = D^T alpha + N y.
// The walk back also finds what the next order knows: a link and all it needs pass by twice an
// order. Of a large tree, the products of all but the newest coefficients, which wait for nothing,
// are summed by a second thread while the first one walks (stage).
// Vectors stand in four lanes, the last one zero or told; matrices by columns.
#include "base/team.h"
#include "model/tree.h"

#include <math.h>
#include <string.h>

typedef struct Record { // order j of a link
    HolLanes turn;      // c_(j+1), s_(j+1), phi'_j
    HolLanes omega;     // omega_j
    HolLanes carried;   // C^T omega_p, order j+1, and C^T (y_p + ..), order j: x, y of both
    HolLanes load;      // F_j, T_j: x, y of both
} Record;

typedef struct Hinge { // both walks
    HolLanes UT;       // column of the articulated inertia; last: 1
    HolLanes UF;       // last: 1/U_z; 0: does not turn
    int up, kind, driven;
    int slot, up_slot; // of Motion
} Hinge;

typedef struct Frame { // the walk to the root
    HolLanes C[3];
} Frame;

typedef struct Symmetric {
    HolLanes diagonal, others; // xx yy zz, xy yz zx
} Symmetric;

typedef struct Inertia { // the walk back
    HolLanes Ct[3];      // columns of C^T
    Symmetric A, N;      // what the parent sees, without the hinge: T by alpha and F by y
    HolLanes D[3];       // T by y; transposed F by alpha
} Inertia;

typedef struct Load { // T and F that the link needs with its children, and the parent with its bias
    HolLanes T; // z: without bias and drive. Last: both; after the walk to the root u of phi''
    HolLanes F;
} Load;

typedef struct Known { // parts of order n that are known
    HolLanes forth;    // S C^T (..) of omega and y, x, y of both
    HolLanes back;     // S^T (..) of F and T, x, y of both
    HolLanes swung;    // C^T B_p delta
} Known;

typedef struct Sums { // the same and W, from all but the newest coefficients
    HolLanes forth, back;
    HolLanes squares, others; // W: xx yy zz, xy yz zx; last: c_(n+1) and the known part of s_(n+1)
} Sums;

typedef struct Motion { // of a parent, until its last child has passed
    HolLanes alpha, y;
    HolLanes squares, others;
} Motion;

typedef struct Arrays { // by links; records by orders, then links
    long stride;        // of an order
    Record *records;
    Hinge *hinges;
    Frame *frames;
    Inertia *inertia;
    Load *loads;
    Known *known;
    Motion *motion; // by slots; the first one is ground
    Sums *sums;     // NULL: summed in passing
    int summed;     // links whose sums of the next order are there
} Arrays;

static int links_of(const HolModel *m) {
    return m->n_bodies - 1;
}

enum { LARGE = 2000 }; // links, for which two threads do better than one

static int is_shared(const HolModel *m, const HolTreeMemory *s) {
    return s->team && links_of(m) >= LARGE;
}

// lays n bytes out at *at, if there is a place
static void *lay_out(char **at, size_t *size, size_t bytes) {
    void *here = *at;
    bytes = (bytes + 63) / 64 * 64;
    *size += bytes;
    if (*at)
        *at += bytes;
    return here;
}

static size_t lay_out_all(const HolModel *m, int order, int shared, char *at, Arrays *a) {
    const size_t n = (size_t)links_of(m);
    size_t size = 0;
    a->stride = hol_tree_stride(m);
    a->records = lay_out(&at, &size, sizeof(Record) * (size_t)a->stride * (size_t)(order + 2));
    a->hinges = lay_out(&at, &size, n * sizeof(Hinge));
    a->frames = lay_out(&at, &size, n * sizeof(Frame));
    a->inertia = lay_out(&at, &size, n * sizeof(Inertia));
    a->loads = lay_out(&at, &size, n * sizeof(Load));
    a->known = lay_out(&at, &size, n * sizeof(Known));
    a->motion = lay_out(&at, &size, (size_t)m->n_tree_slots * sizeof(Motion));
    a->sums = shared ? lay_out(&at, &size, n * sizeof(Sums)) : NULL;
    return size;
}

static size_t head_size(void) {
    return (sizeof(Arrays) + 63) / 64 * 64;
}

size_t hol_tree_orders_size(const HolModel *m, int order) {
    Arrays none;
    return head_size() + lay_out_all(m, order, links_of(m) >= LARGE, NULL, &none);
}

void hol_tree_orders_memory(const HolModel *m, HolTreeMemory *s, void *at) {
    s->arrays = at;
    (void)lay_out_all(m, s->order, is_shared(m, s), (char *)at + head_size(), at);
}

static Arrays *arrays_of(const HolTreeMemory *s) {
    return s->arrays;
}

HOL_INLINE HolLanes load3(const double *a) {
    return (HolLanes){a[0], a[1], a[2], 0};
}

typedef long Places __attribute__((vector_size(32)));

HOL_INLINE HolLanes next3(HolLanes a) { // y z x
    return __builtin_shuffle(a, (Places){1, 2, 0, 3});
}

HOL_INLINE HolLanes last3(HolLanes a) { // z x y
    return __builtin_shuffle(a, (Places){2, 0, 1, 3});
}

HOL_INLINE HolLanes swapped(HolLanes a) { // in pairs
    return __builtin_shuffle(a, (Places){1, 0, 3, 2});
}

HOL_INLINE HolLanes low(HolLanes a) { // the first two
    return __builtin_shuffle(a, (HolLanes){0, 0, 0, 0}, (Places){0, 1, 4, 5});
}

HOL_INLINE HolLanes high(HolLanes a) { // the last two in their place
    return __builtin_shuffle(a, (HolLanes){0, 0, 0, 0}, (Places){2, 3, 4, 5});
}

HOL_INLINE HolLanes cross(HolLanes a, HolLanes b) {
    return next3(a * next3(b) - b * next3(a));
}

HOL_INLINE HolLanes times(const HolLanes *columns, HolLanes a) {
    return columns[0] * a[0] + columns[1] * a[1] + columns[2] * a[2];
}

// x and y of the product with the transposed matrix, in two parts
HOL_INLINE HolLanes transposed_halves(const HolLanes *columns, HolLanes a) {
    const HolLanes x = columns[0] * a, y = columns[1] * a;
    return __builtin_shuffle(x, y, (Places){0, 4, 2, 6}) +
           __builtin_shuffle(x, y, (Places){1, 5, 3, 7});
}

// all of it; last: as the one before
HOL_INLINE HolLanes transposed_times(const HolLanes *columns, HolLanes a) {
    const HolLanes xy = transposed_halves(columns, a);
    const HolLanes z = columns[2] * a, zz = z + swapped(z);
    return __builtin_shuffle(xy, zz, (Places){0, 1, 4, 5}) +
           __builtin_shuffle(xy, zz, (Places){2, 3, 6, 7});
}

HOL_INLINE HolLanes symmetric_times(const Symmetric *s, HolLanes a) {
    return s->diagonal * a + s->others * next3(a) + last3(s->others) * last3(a);
}

// a by c and s: those of S C^T (..) with the sum over c and that over s
HOL_INLINE HolLanes turned(HolLanes by_s) {
    return (HolLanes){1, -1, 1, -1} * swapped(by_s);
}

// B a = W a - (tr W) a
HOL_INLINE HolLanes swing(HolLanes squares, HolLanes others, HolLanes a) {
    return others * next3(a) + last3(others) * last3(a) - (next3(squares) + last3(squares)) * a;
}

// omega x I omega = sum over W: I as xx yy zz and xy yz zx
HOL_INLINE HolLanes gyroscopic(HolLanes squares, HolLanes others, const HolLanes *I) {
    const HolLanes yz = next3(others), zx = last3(others);
    const HolLanes Iyz = next3(I[1]), Izx = last3(I[1]);
    return (last3(I[0]) - next3(I[0])) * yz + Izx * others - I[1] * zx +
           Iyz * (next3(squares) - last3(squares));
}

// ---- order 0 ----

HOL_INLINE void transpose(const HolLanes *a, HolLanes *out) {
    const HolLanes x = a[0], y = a[1], z = a[2];
    const HolLanes first = __builtin_shuffle(x, y, (Places){0, 4, 1, 5}),
                   last = __builtin_shuffle(x, y, (Places){2, 6, 3, 7});
    out[0] = __builtin_shuffle(first, z, (Places){0, 1, 4, 7});
    out[1] = __builtin_shuffle(first, z, (Places){2, 3, 5, 7});
    out[2] = __builtin_shuffle(last, z, (Places){0, 1, 6, 7});
}

// (the joint frame turns with the body: C alone depends on phi_0)
static void own_inertia(const HolTreeKind *kind, double mass, Inertia *f) {
    const HolLanes h = kind->mh;
    f->A = (Symmetric){kind->inertia[0], kind->inertia[1]};
    f->N = (Symmetric){{mass, mass, mass, 0}, {0}};
    f->D[0] = (HolLanes){0, h[2], -h[1], 0};
    f->D[1] = (HolLanes){-h[2], 0, h[0], 0};
    f->D[2] = (HolLanes){h[1], -h[0], 0, 0};
}

typedef struct Start {
    const HolModel *m;
    const HolTreeMemory *s;
    const double *rate;
} Start;

static void turn_links(void *context, int first, int end) {
    const Start *start = context;
    const HolModel *m = start->m;
    const HolTreeMemory *s = start->s;
    const Arrays *a = arrays_of(s);
    for (int i = first; i < end; i++) {
        const HolTreeShape *l = &m->tree_shapes[i];
        Inertia *f = &a->inertia[i];
        const double dphi = l->turn >= 0 ? l->sign * start->rate[l->turn] : 0;
        const double c = cos(s->x[i]), sn = sin(s->x[i]);
        for (int k = 0; k < 3; k++) {
            const double x = l->C[3 * k], y = l->C[3 * k + 1];
            f->Ct[k] = (HolLanes){c * x + sn * y, c * y - sn * x, l->C[3 * k + 2], 0};
        }
        transpose(f->Ct, a->frames[i].C);
        own_inertia(&m->tree_kinds[l->kind], l->mass, f);
        a->hinges[i] = (Hinge){.up = l->up,
                               .kind = l->kind,
                               .driven = l->driven,
                               .slot = l->slot,
                               .up_slot = l->up >= 0 ? m->tree_shapes[l->up].slot : 0};
        s->rates[i] = dphi;
    }
}

// C a C^T
HOL_INLINE void in_parent(const HolLanes *C, const HolLanes *a, HolLanes *out) {
    HolLanes back[3];
    const HolLanes half[3] = {times(C, a[0]), times(C, a[1]), times(C, a[2])};
    transpose(half, back); // (C a)^T; its columns are rows
    const HolLanes both[3] = {times(C, back[0]), times(C, back[1]), times(C, back[2])};
    transpose(both, out);
}

HOL_INLINE void unpack(const Symmetric *s, HolLanes *columns) {
    const HolLanes a = s->diagonal, b = s->others;
    columns[0] = __builtin_shuffle(a, b, (Places){0, 4, 6, 7});
    columns[1] = __builtin_shuffle(a, b, (Places){4, 1, 5, 7});
    columns[2] = __builtin_shuffle(a, b, (Places){6, 5, 2, 7});
}

HOL_INLINE Symmetric pack(const HolLanes *columns) {
    const HolLanes x = columns[0], y = columns[1], z = columns[2];
    const HolLanes diagonal = __builtin_shuffle(x, y, (Places){0, 5, 2, 3}),
                   others = __builtin_shuffle(x, y, (Places){1, 6, 2, 3});
    return (Symmetric){__builtin_shuffle(diagonal, z, (Places){0, 1, 6, 7}),
                       __builtin_shuffle(others, z, (Places){0, 1, 4, 7})};
}

HOL_INLINE void add(Symmetric *to, Symmetric a) {
    to->diagonal += a.diagonal;
    to->others += a.others;
}

typedef struct Columns {
    HolLanes A[3], D[3], N[3];
} Columns;

// the articulated inertia of a link, about its joint, is added to that of its parent: y_c = y -
// arm x alpha, and T + arm x F
HOL_INLINE void add_to_parent(const HolLanes *C, HolLanes arm, const Columns *f, Inertia *up) {
    HolLanes A[3], D[3], N[3], Dt[3];
    in_parent(C, f->A, A);
    in_parent(C, f->D, D);
    in_parent(C, f->N, N);
    transpose(D, Dt);
    for (int k = 0; k < 3; k++) {
        D[k] += cross(arm, N[k]);
        A[k] += cross(arm, Dt[k]);
    }
    const double x = arm[0], y = arm[1], z = arm[2];
    A[0] -= D[1] * z - D[2] * y;
    A[1] -= D[2] * x - D[0] * z;
    A[2] -= D[0] * y - D[1] * x;
    add(&up->A, pack(A));
    add(&up->N, pack(N));
    for (int k = 0; k < 3; k++)
        up->D[k] += D[k];
}

HOL_WIDE static int articulate(const HolModel *m, const Arrays *a) {
    for (int i = links_of(m) - 1; i >= 0; i--) {
        Inertia *f = &a->inertia[i];
        Hinge *h = &a->hinges[i];
        Columns seen;
        unpack(&f->A, seen.A);
        unpack(&f->N, seen.N);
        memcpy(seen.D, f->D, sizeof seen.D);
        if (m->tree_shapes[i].turn >= 0) {
            HolLanes rows[3];
            transpose(seen.D, rows);
            const HolLanes UT = seen.A[2], UF = rows[2];
            if (!(UT[2] > 0))
                return 0;
            const double inverse = 1 / UT[2];
            for (int k = 0; k < 3; k++) {
                seen.A[k] -= UT * (UT[k] * inverse);
                seen.D[k] -= UT * (UF[k] * inverse);
                seen.N[k] -= UF * (UF[k] * inverse);
            }
            h->UT = UT + (HolLanes){0, 0, 0, 1};
            h->UF = UF + inverse * (HolLanes){0, 0, 0, 1};
            f->A = pack(seen.A);
            f->N = pack(seen.N);
            memcpy(f->D, seen.D, sizeof f->D);
        }
        if (h->up >= 0)
            add_to_parent(a->frames[i].C, m->tree_kinds[h->kind].arm, &seen, &a->inertia[h->up]);
    }
    return 1;
}

// ---- order n ----

// Sums over products of coefficients without those that the walk to n finds: omega_n, phi'_n,
// carried_(n-1), load_(n-1).
HOL_INLINE Sums convolve(const Arrays *a, int link, int n) {
    const long stride = a->stride;
    const Record *R = a->records + link, *last = R + (n - 1) * stride;
    if (n == 0)
        return (Sums){{0}, {0}, {0}, {0}};
    HolLanes next = R->turn * last->turn[2];
    HolLanes squares = {0}, others = {0}, pc = {0}, ps = {0}, lc = {0}, ls = {0};
    for (int j = 1; j < n; j++) {
        const Record *x = R + j * stride, *y = last - j * stride;
        const HolLanes omega = y[stride].omega;
        const double c = x->turn[0], sn = x->turn[1];
        squares += x->omega * omega;
        others += x->omega * next3(omega);
        next += x->turn * y->turn[2];
        pc += c * y->carried;
        ps += sn * y->carried;
        lc += c * y->load;
        ls += sn * y->load;
    }
    const double part = 1.0 / (n + 1), c = -next[1] * part, sn = next[0] * part;
    pc += c * low(R->omega);
    return (Sums){pc + turned(ps), lc - turned(ls), squares + c * (HolLanes){0, 0, 0, 1},
                  others + sn * (HolLanes){0, 0, 0, 1}};
}

HOL_WIDE static void sum_up(const Arrays *a, int n, int first, int end) {
    for (int i = first; i < end; i++)
        a->sums[i] = convolve(a, i, n);
}

HOL_WIDE static void to_root(const HolModel *m, const HolTreeMemory *s, int first, int end) {
    const Arrays *a = arrays_of(s);
    for (int i = end - 1; i >= first; i--) {
        const Hinge *h = &a->hinges[i];
        const HolLanes *C = a->frames[i].C;
        Load *t = &a->loads[i];
        const double u = ((h->driven ? s->torque[i] : 0) - t->T[2]) * h->UF[3];
        t->T += t->T[3] * (HolLanes){0, 0, 1, -1} + h->UT * u;
        t->F += h->UF * u;
        if (h->up < 0)
            continue;
        const HolLanes T = times(C, t->T), F = times(C, t->F);
        a->loads[h->up].T += T + cross(m->tree_kinds[h->kind].arm, F);
        a->loads[h->up].F += F;
    }
}

HOL_INLINE void keep(HolLanes *to, HolLanes a, const int large) {
    if (large)
        lanes_stream(to, a);
    else
        *to = a;
}

typedef struct Walk { // what is the same for all links
    const HolModel *m;
    const HolTreeMemory *s;
    const Arrays *a;
    int n;
    double before, part, after, next_part; // n, n + 1 and their inverses
} Walk;

typedef struct Link { // all that belongs to one
    int i;
    const Hinge *hinge;
    const HolTreeKind *kind;
    const Inertia *inertia;
    const Motion *up;
    Motion *own;
    Load *load;
    Known *known;
    Record *first, *now; // orders 0 and n
    double *rate;        // order n
} Link;

typedef struct Newest { // coefficients that are found at a link: omega_n and those of n - 1
    HolLanes omega, carried, load;
} Newest;

HOL_INLINE Link link_at(const Walk *w, int i) {
    const Arrays *a = w->a;
    const Hinge *h = &a->hinges[i];
    const long order = w->n * a->stride;
    return (Link){i,
                  h,
                  &w->m->tree_kinds[h->kind],
                  &a->inertia[i],
                  &a->motion[h->up_slot],
                  &a->motion[h->slot],
                  &a->loads[i],
                  &a->known[i],
                  &a->records[i],
                  &a->records[i + order],
                  &w->s->rates[i + order]};
}

// omega at the start
HOL_INLINE Newest start_link(const Walk *w, const Link *l) {
    const int up = l->hinge->up;
    HolLanes omega = *l->rate * (HolLanes){0, 0, 1, 0};
    if (up >= 0)
        omega += times(l->inertia->Ct, w->a->records[up].omega);
    l->now->omega = omega;
    return (Newest){.omega = omega};
}

// phi'' of order n - 1
HOL_INLINE Newest find_link(const Walk *w, const Link *l, const int large) {
    const Hinge *h = l->hinge;
    const Inertia *f = l->inertia;
    const Load *t = l->load;
    const Known *known = l->known;
    HolLanes alpha = times(f->Ct, l->up->alpha);
    HolLanes y = times(f->Ct, l->up->y + cross(l->up->alpha, l->kind->arm));
    const HolLanes T = t->T + symmetric_times(&f->A, alpha) + times(f->D, y);
    const HolLanes F = t->F + symmetric_times(&f->N, y), halves = transposed_halves(f->D, alpha);
    const HolLanes load = __builtin_shuffle(F + halves + high(halves), T, (Places){0, 1, 4, 5}) -
                          known->back; // x and y are all that turns
    y += known->swung;
    const HolLanes carried = {alpha[0] * w->part, alpha[1] * w->part, y[0], y[1]};
    alpha += w->before * low(known->forth);
    y += high(known->forth);
    const HolLanes pull = h->UT * alpha + h->UF * y;
    const double second = t->T[3] - (pull[0] + pull[1] + pull[2]) * h->UF[3];
    alpha += second * (HolLanes){0, 0, 1, 0};
    const HolLanes omega = alpha * w->part;
    Record *last = l->now - w->a->stride;
    keep(&last->carried, carried, large);
    keep(&last->load, load, large);
    keep(&l->now->omega, omega, large);
    *l->rate = second * w->part;
    l->own->alpha = alpha;
    l->own->y = y;
    return (Newest){omega, carried, load};
}

HOL_INLINE double spring_torque(const Walk *w, const Link *l) {
    const HolTreeShape *shape = &w->m->tree_shapes[l->i];
    const double torque = -shape->c * *l->rate;
    return w->n ? torque - shape->k * l->rate[-w->a->stride] * w->part
                : torque - shape->k * w->s->x[l->i] + shape->free;
}

// what is known of order n
HOL_INLINE void prepare_link(const Walk *w, const Link *l, Newest newest, const int large) {
    const int n = w->n;
    const Inertia *f = l->inertia;
    const Sums sums = large ? w->a->sums[l->i] : convolve(w->a, l->i, n);
    const HolLanes start = l->first->omega, omega = newest.omega, once = start * omega;
    const double rate = *l->rate, first_rate = n ? l->first->turn[2] : rate;
    const double c = sums.squares[3], sn = sums.others[3] + rate * w->next_part;
    keep(&l->now->turn, (HolLanes){c, sn, rate, rate}, large);
    const HolLanes squares = sums.squares + (n ? once + once : once);
    const HolLanes others =
        sums.others + start * next3(omega) + (n ? omega * next3(start) : (HolLanes){0});
    l->own->squares = squares;
    l->own->others = others;
    // (c_1 = 0, s_1 = phi'_0)
    const HolLanes forth = sums.forth + turned(first_rate * newest.carried + sn * low(start));
    const HolLanes back = sums.back - turned(first_rate * newest.load);
    const HolLanes swung = times(f->Ct, swing(l->up->squares, l->up->others, l->kind->arm));
    const HolLanes spin = w->after * low(forth), carry = high(forth) + swung;
    *l->known = (Known){forth, back, swung};
    const double drive = l->hinge->driven ? spring_torque(w, l) : 0;
    const HolLanes bias = high(back) + symmetric_times(&f->A, spin) + times(f->D, carry);
    l->load->T = gyroscopic(squares, others, l->kind->inertia) +
                 (HolLanes){bias[0], bias[1], -drive, drive + bias[2]};
    l->load->F = swing(squares, others, l->kind->mh) + low(back) + transposed_times(f->D, spin) +
                 symmetric_times(&f->N, carry);
}

// order n - 1 found, order n prepared
HOL_INLINE void walk_from_root(const HolModel *m, const HolTreeMemory *s, int n, int first, int end,
                               const int large) {
    const Walk w = {m, s, arrays_of(s), n, n, n ? 1.0 / n : 0, n + 1, 1.0 / (n + 1)};
    for (int i = first; i < end; i++) {
        const Link l = link_at(&w, i);
        const Newest newest = n ? find_link(&w, &l, large) : start_link(&w, &l);
        if (n < s->order)
            prepare_link(&w, &l, newest, large);
    }
    if (large)
        lanes_streamed();
}

HOL_WIDE static void from_root(const HolModel *m, const HolTreeMemory *s, int n, int first,
                               int end) {
    walk_from_root(m, s, n, first, end, 0);
}

HOL_WIDE static void from_root_with_sums(const HolModel *m, const HolTreeMemory *s, int n,
                                         int first, int end) {
    walk_from_root(m, s, n, first, end, 1);
}

int hol_tree_start(const HolModel *m, HolTreeMemory *s, const double *rate) {
    Arrays *a = arrays_of(s);
    hol_team_loop(s->team, links_of(m), turn_links, &(Start){m, s, rate});
    a->motion[0] = (Motion){.y = -load3(m->gravity)};
    if (!articulate(m, a))
        return 0;
    from_root(m, s, 0, 0, links_of(m));
    a->summed = 0;
    return 1;
}

typedef struct Order {
    const HolModel *m;
    HolTreeMemory *s;
    int n;     // that is found
    int stage; // 0, 1, 2
    int cut;   // links before it are the first half: no parent of theirs is in the second
} Order;

// The halves are walked one after the other, second, first, first, second; the sums of the next
// order of the half that waits are due.
static void stage(void *context, int part) {
    const Order *o = context;
    const HolTreeMemory *s = o->s;
    Arrays *a = arrays_of(s);
    const int next = o->n + 1, links = links_of(o->m), goes_on = next < s->order;
    if (o->stage == 0 && part == 0)
        to_root(o->m, s, o->cut, links);
    else if (o->stage == 0 && goes_on)
        sum_up(a, next, a->summed, o->cut);
    else if (o->stage == 1 && part == 0) {
        to_root(o->m, s, 0, o->cut);
        from_root_with_sums(o->m, s, next, 0, o->cut);
    } else if (o->stage == 1 && goes_on)
        sum_up(a, next, o->cut, links);
    else if (o->stage == 2 && part == 0)
        from_root_with_sums(o->m, s, next, o->cut, links);
    else if (o->stage == 2 && next + 1 < s->order)
        sum_up(a, next + 1, 0, a->summed);
}

void hol_tree_order(const HolModel *m, HolTreeMemory *s, int k) {
    Arrays *a = arrays_of(s);
    if (a->sums) {
        Order o = {m, s, k, 0, links_of(m) / 2};
        for (; o.stage < 3; o.stage++) {
            if (o.stage == 2)
                a->summed = o.cut * 3 / 4;
            hol_team_run(s->team, 2, stage, &o);
        }
    } else {
        to_root(m, s, 0, links_of(m));
        from_root(m, s, k + 1, 0, links_of(m));
    }
    a->motion[0].y = (HolLanes){0, 0, 0, 0};
}

// ---- what small turns do ----

HOL_WIDE static void reach(const HolModel *m, const HolTreeMemory *s, const double *x, int first,
                           HolLanes *most) {
    const Arrays *a = arrays_of(s);
    const double *r = s->rates + (first - 1) * a->stride;
    const HolLanes share = {1.0 / first, 1.0 / (first + 1), 1.0 / (first + 2), 1.0 / (first + 3)};
    HolLanes *ground = s->slots;
    memset(ground, 0, 6 * sizeof *ground);
    *most = (HolLanes){0};
    for (int i = 0; i < links_of(m); i++, r++) {
        const HolTreeShape *l = &m->tree_shapes[i];
        const Hinge *hinge = &a->hinges[i];
        const HolTreeKind *kind = &m->tree_kinds[hinge->kind];
        const HolLanes *Ct = a->inertia[i].Ct, arm = kind->arm;
        // turn, way of the joint
        const HolLanes *turn = s->slots + (long)HOL_TREE_LANES * hinge->up_slot, *way = turn + 3;
        HolLanes *mine = s->slots + (long)HOL_TREE_LANES * hinge->slot, to[6];
        const HolLanes by[6] = {turn[0],
                                turn[1],
                                turn[2],
                                way[0] + turn[1] * arm[2] - turn[2] * arm[1],
                                way[1] + turn[2] * arm[0] - turn[0] * arm[2],
                                way[2] + turn[0] * arm[1] - turn[1] * arm[0]};
        for (int k = 0; k < 3; k++) {
            to[k] = Ct[0][k] * by[0] + Ct[1][k] * by[1] + Ct[2][k] * by[2];
            to[3 + k] = Ct[0][k] * by[3] + Ct[1][k] * by[4] + Ct[2][k] * by[5];
        }
        const HolLanes own =
            x ? (l->turn >= 0 ? l->sign * x[l->turn] : 0) * (HolLanes){1, 0, 0, 0}
              : (HolLanes){r[0], r[a->stride], r[2 * a->stride], r[3 * a->stride]} * share;
        to[2] += own;
        memcpy(mine, to, sizeof to);
        const HolLanes h = kind->centre;
        const HolLanes dx = to[3] + to[1] * h[2] - to[2] * h[1],
                       dy = to[4] + to[2] * h[0] - to[0] * h[2],
                       dz = to[5] + to[0] * h[1] - to[1] * h[0];
        *most = lanes_larger(*most, lanes_larger(lanes_abs(dx), lanes_abs(dy)));
        *most = lanes_larger(*most, lanes_larger(lanes_abs(dz), lanes_abs(own)));
    }
}

void hol_tree_sizes(const HolModel *m, const HolTreeMemory *s, int first, double out[HOL_LANES]) {
    HolLanes most;
    reach(m, s, NULL, first, &most);
    memcpy(out, &most, sizeof most);
}

double hol_tree_reach(const HolModel *m, const HolTreeMemory *s, const double *x) {
    HolLanes most;
    reach(m, s, x, 1, &most);
    return most[0];
}
