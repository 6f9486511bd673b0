// SPDX-License-Identifier: Apache-2.0
// Saddle-point backend for mass-matrix systems: P [S G^T; G -E] P^T = L D L^T in a fixed order.
//
// S > 0 makes D positive at unknowns and negative at multipliers; no pivoting is needed in the safe
// order (order.h). A factorization is one straight run over positions found by kkt_block_map.c: for
// each block of columns, with u the unscaled rows,
//     l = u D^-1,   d_a -= l_a . u_a,   L(b,a) -= l_b . u_a   for rows a < b below the block.
// Leaves, grouped by their number of rows, run through one unrolled loop a group. In a solve their
// forward part goes by rows, their backward part by columns: sums without waiting for stores. Each
// later pivot is compared with the sum of magnitudes that formed it: a ratio below HOL_KKT_PIVOT
// means that the row depends on the rows before it.
#include "base/team.h"
#include "math/kkt_block.h"
#include "math/order.h"

#include <math.h>
#include <string.h>

static void *ldl_create(HolKkt *k) {
    return hol_block_analyze(k, 0);
}

// values of S, G and -eps into the blocks and D, leaf columns excepted; the share of one thread
static void load_values(const HolKkt *k, HolFactors *f, double eps, int parts, int part) {
#define SHARE(n) i = hol_share_begin(n, parts, part), end = hol_share_begin(n, parts, part + 1)
    int SHARE(k->m), first = k->G.ptr[i], last = k->G.ptr[end];
    memcpy(f->G + first, k->Gv + first, sizeof(double) * (size_t)(last - first));
    for (; k->any_inactive && i < end; i++)
        if (k->inactive[i])
            memset(f->G + k->G.ptr[i], 0, sizeof(double) * (size_t)(k->G.ptr[i + 1] - k->G.ptr[i]));
    SHARE(f->n_values + f->shadow_values);
    memset(f->Lx + i, 0, sizeof(double) * (size_t)(end - i));
    for (SHARE(f->N + f->shadow); i < end; i++)
        f->D[i] = i >= f->N || i < f->leaves ? 0
                  : i >= f->unknowns         ? (f->sign[i] < 0 ? -eps : 0)
                  : f->S_diagonal[i] >= 0    ? k->Sv[f->S_diagonal[i]]
                                             : 0;
#undef SHARE
}

// entries of S and G between columns that are not leaves, once all is loaded
static void scatter_values(const HolKkt *k, HolFactors *f, int parts, int part) {
    // one triangle of S serves when both are there
    int S_count = f->S_count == 2 * f->S_lower ? f->S_lower : f->S_count;
    int end = hol_share_begin(S_count, parts, part + 1);
    for (int e = hol_share_begin(S_count, parts, part); e < end; e++)
        f->Lx[f->S_to[e]] = k->Sv[f->S_from[e]];
    end = hol_share_begin(f->G_count, parts, part + 1);
    for (int e = hol_share_begin(f->G_count, parts, part); e < end; e++)
        f->Lx[f->G_to[e]] = f->G[f->G_from[e]];
    int entries = f->leaf_entries;
    end = hol_share_begin(entries, parts, part + 1);
    for (int e = hol_share_begin(entries, parts, part); e < end; e++)
        f->row_value[e] = f->G[f->row_source[e]];
}

// ---- factorization ----

// one group of leaf columns; returns the first column whose pivot fails, or the end
HOL_INLINE int leaf_columns(const HolKkt *k, HolFactors *f, const HolLeafGroup *g, int entry,
                            const int **targets, int count) {
    const int *restrict row = f->leaf_row + entry, *restrict source = f->leaf_source + entry;
    const int *restrict target = *targets;
    const double *restrict G = f->G;
    double *restrict value = f->leaf_value + entry, *restrict Lx = f->Lx, *restrict D = f->D;
    for (int j = g->first; j < g->end; j++, row += count, source += count, value += count) {
        double d = k->Sv[f->S_diagonal[j]];
        if (!(d > 0))
            return j;
        double inverse = 1.0 / d;
        f->inverse[j] = inverse;
        for (int a = 0; a < count; a++) {
            double u = G[source[a]], l = u * inverse;
            value[a] = l;
            D[row[a]] -= l * u;
            for (int b = a + 1; b < count; b++)
                Lx[*target++] -= l * G[source[b]];
        }
    }
    *targets = target;
    return g->end;
}

// the leaves of a part; returns the first column whose pivot fails, or N
static int eliminate_leaves(const HolKkt *k, HolFactors *f, const HolPart *part) {
    int entry = part->entry;
    const int *target = f->leaf_target + part->target;
    for (const HolLeafGroup *g = f->group + part->group; g < f->group + part->group_end; g++) {
        int done = 0;
#define CALL(constant) done = leaf_columns(k, f, g, entry, &target, constant)
        HOL_WITH_CONSTANT(g->count, CALL)
#undef CALL
        if (done < g->end)
            return done;
        entry += (g->end - g->first) * g->count;
    }
    return f->N;
}

// What pivots are compared with; eps > 0: round-off cannot spoil a multiplier's pivot, it is at
// least eps.
typedef struct Pivots {
    double eps, threshold, worst;
} Pivots;

// The block's own columns and the rows below: unscaled into u, scaled into L. Returns how many
// pivots hold
HOL_INLINE int factor_block(HolFactors *f, const HolBlock *b, double *unscaled, Pivots *pivots,
                            int width) {
    double *restrict L = f->Lx + b->at, *restrict D = f->D + b->first,
                     *restrict size = f->size + b->first, *restrict inverse = f->inverse + b->first,
                     *restrict u = unscaled;
    int all = width + b->rows;
    for (int i = 0; i < all; i++, L += width, u += width) {
        int own = i < width ? i : width;
        for (int c = 0; c < own; c++) { // u_c = a_c - sum_{e<c} l_e u(c, e)
            double sum = L[c];
            const double *other = unscaled + c * width;
            for (int e = 0; e < c; e++)
                sum -= L[e] * other[e];
            u[c] = sum;
            L[c] = sum * inverse[c];
        }
        if (i >= width)
            continue;
        double d = D[i], formed = size[i];
        for (int c = 0; c < i; c++) {
            double square = L[c] * u[c];
            d -= square;
            formed += fabs(square);
        }
        double pivot = d * f->sign[b->first + i];
        if (!(pivot > pivots->threshold * formed)) {
            if (pivots->eps == 0 || f->sign[b->first + i] > 0 || isnan(d))
                return i;
            d = -pivots->eps;
        }
        D[i] = d;
        inverse[i] = 1.0 / d;
        if (formed > pivots->worst * pivot)
            pivots->worst = formed / pivot;
    }
    return width;
}

// what the rows below do to each other's entries
HOL_INLINE void update_below(HolFactors *f, const HolBlock *b, const double *unscaled, int width) {
    const double *restrict L = f->Lx + b->at + width * width, *restrict u =
                                                                  unscaled + width * width;
    const int *restrict row = f->row_index + b->row, *restrict target = f->target + b->target;
    double *restrict Lx = f->Lx, *restrict D = f->D, *restrict size = f->size;
    for (int i = 0; i < b->rows; i++) {
        const double *ui = u + i * width, *li = L + i * width;
        double sum = 0, magnitude = 0;
        for (int c = 0; c < width; c++) {
            sum += li[c] * ui[c];
            magnitude += fabs(li[c] * ui[c]);
        }
        D[row[i]] -= sum;
        size[row[i]] += magnitude;
        for (int j = i + 1; j < b->rows; j++) {
            const double *lj = L + j * width;
            double product = 0;
            for (int c = 0; c < width; c++)
                product += lj[c] * ui[c];
            Lx[*target++] -= product;
        }
    }
}

// a run of blocks; N when all pivots hold, else the place of the first that does not
static int eliminate_blocks(HolFactors *f, double *unscaled, int from, int to, Pivots *pivots) {
    for (const HolBlock *b = f->block + from; b < f->block + to; b++) {
        int done = 0;
#define CALL(width)                                                                                \
    done = factor_block(f, b, unscaled, pivots, width);                                            \
    if (done == (width))                                                                           \
    update_below(f, b, unscaled, width)
        HOL_WITH_CONSTANT(b->width, CALL)
#undef CALL
        if (done < b->width)
            return b->first + done;
    }
    return f->N;
}

// up to here all terms had one sign
static void start_sizes(HolFactors *f, int from, int to) {
    for (int i = from; i < to; i++)
        f->size[i] = fabs(f->D[i]);
}

typedef struct Factoring {
    HolKkt *k;
    HolFactors *f;
    double eps;
    Pivots pivots[3]; // by part
    int done[3];      // N, or the column that failed
} Factoring;

static void share_loading(void *context, int part) {
    const Factoring *c = context;
    load_values(c->k, c->f, c->eps, 2, part);
}

static void share_scatter(void *context, int part) {
    const Factoring *c = context;
    scatter_values(c->k, c->f, 2, part);
}

static void eliminate_half(void *context, int p) {
    Factoring *c = context;
    HolFactors *f = c->f;
    const HolPart *part = &f->part[p];
    int N = f->N, done = eliminate_leaves(c->k, f, part);
    for (int s = 1; s < 3; s++)
        start_sizes(f, part->first[s], part->end[s]);
    if (f->halves) // rows of the top with the leaves of this half
        start_sizes(f, p == 1 ? N : N - f->shadow, p == 1 ? N + f->shadow : N);
    for (int s = 0; s < 2 && done == N; s++)
        done =
            eliminate_blocks(f, f->unscaled[p], part->block[s], part->block_end[s], &c->pivots[p]);
    c->done[p] = done;
}

static int eliminate_top(Factoring *c) {
    HolFactors *f = c->f;
    const HolPart *top = &f->part[HOL_TOP];
    int done = f->N;
    for (int s = 0; s < 2 && done == f->N; s++) {
        if (s == 1 && f->halves) {
            for (int i = f->n_values - f->shadow_values; i < f->n_values; i++)
                f->Lx[i] += f->Lx[i + f->shadow_values];
            hol_shadow_add(f, f->D);
            hol_shadow_add(f, f->size);
        }
        done = eliminate_blocks(f, f->unscaled[HOL_TOP], top->block[s], top->block_end[s],
                                &c->pivots[HOL_TOP]);
    }
    return done;
}

static int ldl_factor(HolKkt *k, void *factors, double eps) {
    HolFactors *f = factors;
    Factoring c = {.k = k, .f = f, .eps = eps};
    const HolPart *top = &f->part[HOL_TOP];
    int done;
    double worst = 0;
    for (int p = 0; p < 3; p++)
        c.pivots[p] = (Pivots){eps, eps > 0 ? 0 : HOL_KKT_PIVOT, 0};
    if (f->halves) {
        hol_team_run(k->team, 2, share_loading, &c);
        hol_team_run(k->team, 2, share_scatter, &c);
    } else {
        load_values(k, f, eps, 1, 0);
        scatter_values(k, f, 1, 0);
    }
    if (k->any_inactive)
        for (int i = 0; i < k->m; i++)
            if (k->inactive[i])
                f->D[f->at[k->n + i]] = -1;
    done = eliminate_leaves(k, f, top);
    for (int s = 1; s < 3; s++)
        start_sizes(f, top->first[s], top->end[s]);
    if (f->halves && done == f->N) {
        hol_team_run(k->team, 2, eliminate_half, &c);
        done = c.done[0] < f->N ? c.done[0] : c.done[1];
    }
    if (done == f->N)
        done = eliminate_top(&c);
    if (done < f->N)
        return f->perm[done] + 1;
    for (int p = 0; p < 3; p++)
        worst = fmax(worst, c.pivots[p].worst);
    if (eps == 0 && worst > k->stats.last_growth)
        k->stats.last_growth = worst;
    if (k->any_inactive)
        for (int i = 0; i < k->m; i++)
            if (k->inactive[i])
                f->inverse[f->at[k->n + i]] = 1;
    return 0;
}

// ---- solve ----

// y_i -= sum G_ij y_j over the leaves j of a group of rows; y_j is already divided by d_j
HOL_INLINE int forward_rows(const HolFactors *f, const HolLeafGroup *g, int entry, int count) {
    double *restrict y = f->y;
    const double *restrict v = f->row_value + entry;
    const int *restrict column = f->row_column + entry;
    for (int r = g->first; r < g->end; r++, column += count, v += count) {
        double sum = 0;
        for (int e = 0; e < count; e++)
            sum += v[e] * y[column[e]];
        y[f->row[r]] -= sum;
    }
    return entry + (g->end - g->first) * count;
}

// x_j = y_j - sum L_ij y_i for a group of leaf columns; *largest: the largest |x_j|
HOL_INLINE int backward_columns(const HolFactors *f, const HolLeafGroup *g, int entry, int count,
                                double *restrict x, double *largest) {
    const double *restrict y = f->y, *restrict value = f->leaf_value + entry;
    const int *restrict row = f->leaf_row + entry;
    double most = *largest;
    for (int j = g->first; j < g->end; j++, row += count, value += count) {
        double sum = y[j];
        for (int e = 0; e < count; e++)
            sum -= value[e] * y[row[e]];
        x[f->perm[j]] = sum;
        most = fabs(sum) > most ? fabs(sum) : most;
    }
    *largest = most;
    return entry + (g->end - g->first) * count;
}

typedef struct Solving {
    const HolFactors *f;
    const double *b;
    double *x;
    double free_size[3], x_size[3]; // by part
} Solving;

// the columns of a part into y
static void take(const HolFactors *f, int p, const double *b, double *free_size) {
    const HolPart *part = &f->part[p];
    const int *restrict perm = f->perm;
    double *restrict y = f->y, most = *free_size;
    for (int i = part->first[0]; i < part->end[0]; i++) {
        y[i] = b[perm[i]] * f->inverse[i];
        most = fabs(y[i]) > most ? fabs(y[i]) : most;
    }
    *free_size = most;
    for (int s = 1; s < 3; s++)
        for (int i = part->first[s]; i < part->end[s]; i++)
            y[i] = b[perm[i]];
}

// the rows that leaves act on, then blocks
static void forward(const HolFactors *f, int p) {
    const HolPart *part = &f->part[p];
    int entry = part->row_entry;
    for (const HolLeafGroup *g = f->row_group + part->row_group,
                            *end = f->row_group + part->row_group_end;
         g < end; g++) {
#define CALL(constant) entry = forward_rows(f, g, entry, constant)
        HOL_WITH_CONSTANT(g->count, CALL)
#undef CALL
    }
    hol_blocks_forward(f, part, 0);
    if (p == HOL_TOP && f->halves)
        hol_shadow_add(f, f->y);
    hol_blocks_forward(f, part, 1);
}

static void backward(const HolFactors *f, int p, double *x, double *free_size, double *x_size) {
    const HolPart *part = &f->part[p];
    for (int s = 1; s >= 0; s--)
        hol_blocks_backward(f, part, s, f->Lx, x, free_size, x_size);
    if (p == HOL_TOP)
        for (int i = 0; i < f->shadow; i++)
            f->y[f->N + i] = f->y[f->N - f->shadow + i];
    int entry = part->entry;
    for (const HolLeafGroup *g = f->group + part->group, *end = f->group + part->group_end; g < end;
         g++) {
#define CALL(constant) entry = backward_columns(f, g, entry, constant, x, x_size)
        HOL_WITH_CONSTANT(g->count, CALL)
#undef CALL
    }
}

static void forward_half(void *context, int p) {
    Solving *c = context;
    if (p == 1)
        memset(c->f->y + c->f->N, 0, sizeof(double) * (size_t)c->f->shadow);
    take(c->f, p, c->b, &c->free_size[p]);
    forward(c->f, p);
}

static void backward_half(void *context, int p) {
    Solving *c = context;
    backward(c->f, p, c->x, &c->free_size[p], &c->x_size[p]);
}

static void ldl_solve(HolKkt *k, void *factors, const double *b, double *x) {
    const HolFactors *f = factors;
    Solving c = {.f = f, .b = b, .x = x};
    take(f, HOL_TOP, b, &c.free_size[HOL_TOP]);
    if (f->halves)
        hol_team_run(k->team, 2, forward_half, &c);
    forward(f, HOL_TOP);
    backward(f, HOL_TOP, x, &c.free_size[HOL_TOP], &c.x_size[HOL_TOP]);
    if (f->halves)
        hol_team_run(k->team, 2, backward_half, &c);
    k->free_size = fmax(c.free_size[HOL_TOP], fmax(c.free_size[0], c.free_size[1]));
    k->x_size = fmax(c.x_size[HOL_TOP], fmax(c.x_size[0], c.x_size[1]));
}

const HolKktBackend hol_kkt_ldl = {"ldl", ldl_create, ldl_factor, ldl_solve, NULL};
