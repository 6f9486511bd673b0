// SPDX-License-Identifier: Apache-2.0
// The largest stable step of a map (step_map.h) on x' = A x (docs/theory/stability.md).
//
// Independent parts. Where xi' = zeta and K = -A21 has a basis of real eigenvectors V, zeta' = -K xi - C zeta
// falls apart into groups of modes that V^-1 C V couples: one mode x'' + c x' + k x = 0 each without
// damping or with a proportional one. Everything else is one part. Eigenvalues of a rational map are
// its values at those of hA, whatever couples.
//
// Stable: rho(R) <= (1 + tol) exp(h g) (1 + slack h g), g = max(0, largest Re): a motion that grows
// by itself is not the method's fault. tol = 1e-7 (strict), or ln 30 over the steps of the run. Zero
// eigenvalues are left out where they stand alone; in a coupled part they are defective and
// give rho = 1 + sqrt(round-off), so that tol is 2e-6 at least.
// The first crossing: h goes up by 2 % from 1e-3/|lambda|, then bisection (maps have lobes).
#include "math/dense.h"
#include "math/lapack_library.h"
#include "solve/linear/step_map.h"

#include <math.h>
#include <string.h>

// ---- tuning constants ----
static const double STRICT = 1e-7;        // growth of a step that counts as none
static const double NEUTRAL = 2e-6;       // the same beside zero eigenvalues
static const double AMPLIFIED = 30;       // growth over a run that counts as none
static const double SLACK_GROWTH = 1;     // relative error of a growth that is the motion's own
static const double FIRST_STEP = 1e-3;    // of the search, over 1/|lambda|
static const double LAST_STEP = 50;       // of the search, over 1/omega
static const double RATIO = 1.02;         // of two steps of the search,
static const double COUPLED_RATIO = 1.06; // of coupled modes,
static const double LOOK_RATIO = 1.2;     // of these below a limit that is known already,
static const double SMALL_STEP = 0.15, SMALL_RATIO = 3; // and below this part of 1/|lambda|
enum { BISECTIONS = 34 };
static const double CLOSE = 1e-7,
                    CLOSE_LOOK = 1e-4; // width of a crossing; of coupled modes later on
static const double SAME_RATIO = 1e-9,
                    MOST_RATIO = 100; // damping ratios that have one limit; of a memory
static const double ZERO = 1e-7;      // eigenvalues below this part of the largest are zero
static const double COUPLED = 1e-8;   // part of the largest rate that is none: xi' = zeta
static const double ACTS = 1e-6;      // part of it from which on damping couples modes
static const double COMPLEX = 1e-9;   // part of imaginary above which K has no real eigenvalues
static const double SYMMETRIC = 1e-7; // part of K that may be skew
static const double SKEWED = 1e6;     // condition of V beyond which it is not used
enum { MOST_COUPLED = 12, MOST_WHOLE = 16 }; // modes of a group; beyond, the slowest are left out

static size_t stable_square(int n) {
    return (size_t)n * (size_t)n;
}

// ---- eigenvalues ----

// by falling modulus; pairs stay together
static void stable_sort(int n, double *re, double *im) {
    for (int i = 1; i < n; i++) {
        const double x = re[i], y = im[i], size = hypot(x, y);
        int k = i;
        for (; k > 0 && hypot(re[k - 1], im[k - 1]) < size; k--) {
            re[k] = re[k - 1];
            im[k] = im[k - 1];
        }
        re[k] = x;
        im[k] = y;
    }
}

// Time in units of 1/omega, so that positions and velocities have like sizes: eigenvalues of the
// scaled matrix times omega. re, im: n
static int stable_values(int np, int nz, const double *A, HolArena *arena, double *re, double *im) {
    const int n = np + nz;
    double *scaled = HOL_NEW(arena, double, stable_square(n) + 1), size = 0;
    if (!scaled)
        return 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            const double a = fabs(A[j * n + i]);
            if (i >= np)
                size = fmax(size, j < np ? sqrt(a) : a);
        }
    const double unit = size > 0 && isfinite(size) ? exp2(round(log2(size))) : 1;
    hol_map_scale(np, nz, A, 1 / unit, scaled);
    if (n && hol_dense_eigenvalues(n, scaled, re, im) != 0)
        return 0;
    for (int i = 0; i < n; i++) {
        re[i] *= unit;
        im[i] *= unit;
    }
    stable_sort(n, re, im);
    return 1;
}

// ---- independent parts ----

// xi' = zeta
static int stable_plain(int np, int nz, const double *A) {
    const int n = np + nz;
    double speed = 0, turning = 0;
    if (np != nz)
        return 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            const double a = A[j * n + i];
            if (i < np && j >= np && fabs(a - (i == j - np)) > COUPLED)
                return 0;
            if (i < np && j < np)
                turning = fmax(turning, fabs(a));
            if (i >= np)
                speed = fmax(speed, j < np ? sqrt(fabs(a)) : fabs(a));
        }
    return turning <= COUPLED * speed;
}

typedef struct SpectrumModes {
    int n;
    double *k, *C, *V; // eigenvalues of K, V^-1 C V, V
} SpectrumModes;

// 0: K has no basis of real eigenvectors, -1: no memory
// eigenvectors of K x = k M x, K and M symmetric; 0: K is not
static int stable_symmetric(int n, const double *K, const double *M, HolArena *arena,
                            SpectrumModes *m) {
    double *L = HOL_NEW(arena, double, stable_square(n) + 1), size = 0, skew = 0;
    if (!L)
        return 0;
    for (int j = 0; j < n; j++) // V = M K, which is symmetric where forces have a potential
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int l = 0; l < n; l++)
                sum += M[l * n + i] * K[j * n + l];
            m->V[j * n + i] = sum;
            size = fmax(size, fabs(sum));
        }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < j; i++)
            skew = fmax(skew, fabs(m->V[j * n + i] - m->V[i * n + j]));
    if (skew > SYMMETRIC * size)
        return 0;
    memcpy(L, M, sizeof *L * stable_square(n));
    return hol_dense_symmetric_pair(n, m->V, L, m->k) == 0;
}

static int stable_modes(int n, const double *A, const double *M, HolArena *arena,
                        SpectrumModes *m) {
    const size_t nn = stable_square(n) + 1;
    double *K = HOL_NEW(arena, double, nn), *im = HOL_NEW(arena, double, n + 1),
           *LU = HOL_NEW(arena, double, nn);
    *m = (SpectrumModes){.n = n, .k = HOL_NEW(arena, double, n + 1)};
    m->C = HOL_NEW(arena, double, nn);
    m->V = HOL_NEW(arena, double, nn);
    lapack_int *pivot = HOL_NEW(arena, lapack_int, n + 1);
    if (arena->failed)
        return -1;
    double largest = 0, norm = 0, inverse = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            K[j * n + i] = -A[j * 2 * n + n + i];
    if ((!M || !stable_symmetric(n, K, M, arena, m)) &&
        hol_dense_eigenvectors(n, K, m->k, im, m->V) != 0)
        return 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, hypot(m->k[i], im[i]));
    for (int i = 0; i < n; i++)
        if (fabs(im[i]) > COMPLEX * largest)
            return 0;
    memcpy(LU, m->V, sizeof *LU * stable_square(n));
    norm = LAPACKE_dlange(LAPACK_COL_MAJOR, '1', n, n, LU, n);
    if (LAPACKE_dgetrf(LAPACK_COL_MAJOR, n, n, LU, n, pivot) != 0 ||
        hol_dense_code(LAPACKE_dgecon(LAPACK_COL_MAJOR, '1', n, LU, n, norm, &inverse)) != 0 ||
        !(inverse * SKEWED > 1))
        return 0;
    for (int j = 0; j < n; j++) // C V
        for (int l = 0; l < n; l++)
            for (int i = 0; i < n; i++)
                m->C[j * n + i] -= A[(n + l) * 2 * n + n + i] * m->V[j * n + l];
    LAPACKE_dgetrs(LAPACK_COL_MAJOR, 'N', n, n, LU, n, pivot, m->C, n);
    return 1;
}

// group of each mode: connected by entries of C that matter
static int stable_groups(const SpectrumModes *m, int *group, int *stack) {
    double size = 0;
    int groups = 0;
    for (int i = 0; i < m->n * m->n; i++)
        size = fmax(size, fabs(m->C[i]));
    for (int i = 0; i < m->n; i++)
        size = fmax(size, sqrt(fabs(m->k[i])));
    for (int i = 0; i < m->n; i++)
        group[i] = -1;
    for (int i = 0; i < m->n; i++) {
        int top = 0;
        if (group[i] >= 0)
            continue;
        group[i] = groups;
        stack[top++] = i;
        while (top > 0) {
            const int a = stack[--top];
            for (int b = 0; b < m->n; b++)
                if (group[b] < 0 &&
                    fmax(fabs(m->C[a * m->n + b]), fabs(m->C[b * m->n + a])) > ACTS * size) {
                    group[b] = groups;
                    stack[top++] = b;
                }
        }
        groups++;
    }
    return groups;
}

// frequencies, growth and end of the search of a part
static int stable_describe(HolLinearBlock *b, double least, HolArena *arena) {
    const int n = b->np + b->nz;
    double *re = HOL_NEW(arena, double, n + 1), *im = HOL_NEW(arena, double, n + 1), slow = 0;
    if (!im || !stable_values(b->np, b->nz, b->A, arena, re, im))
        return 0;
    b->largest = n ? hypot(re[0], im[0]) : 0;
    for (int i = 0; i < n; i++) {
        b->growth = fmax(b->growth, re[i]);
        b->zero += hypot(re[i], im[i]) <= least;
    }
    // dampers lift |lambda| above the frequency that limits methods which take them implicitly
    for (int j = 0; j < b->np; j++)
        for (int i = 0; i < b->nz; i++)
            slow = fmax(slow, sqrt(fabs(b->A[j * n + b->np + i])));
    slow = slow > 0 ? fmin(slow, b->largest) : b->largest;
    b->end = LAST_STEP / slow;
    return 1;
}

static int stable_faster(const SpectrumModes *m, int a, int b) {
    const double x = fmax(sqrt(fabs(m->k[a])), fabs(m->C[a * m->n + a])),
                 y = fmax(sqrt(fabs(m->k[b])), fabs(m->C[b * m->n + b]));
    return x > y;
}

// the part of the modes `list`
static int stable_group_block(const SpectrumModes *m, const int *list, int count, double least,
                              HolArena *arena, HolLinearBlock *b) {
    const int N = m->n, n = 2 * count;
    double *A = HOL_NEW(arena, double, stable_square(n)),
           *shape = HOL_NEW(arena, double, N *count + 1);
    if (!shape)
        return 0;
    for (int j = 0; j < count; j++) {
        A[(count + j) * n + j] = 1;
        A[j * n + count + j] = -m->k[list[j]];
        for (int i = 0; i < count; i++)
            A[(count + j) * n + count + i] = -m->C[list[j] * N + list[i]];
        memcpy(shape + (size_t)j * (size_t)N, m->V + (size_t)list[j] * (size_t)N,
               sizeof *shape * (size_t)N);
    }
    *b = (HolLinearBlock){.np = count, .nz = count, .A = A, .shape = shape};
    if (count == 1) {
        b->second = 1;
        b->omega2 = m->k[list[0]];
        b->decay = m->C[list[0] * N + list[0]];
    }
    return stable_describe(b, least, arena);
}

static int stable_split(const SpectrumModes *m, HolArena *arena, HolSpectrum *out) {
    int *group = HOL_NEW(arena, int, m->n + 1), *list = HOL_NEW(arena, int, m->n + 1);
    if (!list)
        return 0;
    const int groups = stable_groups(m, group, list);
    out->block = HOL_NEW(arena, HolLinearBlock, groups + 1);
    if (!out->block)
        return 0;
    for (int g = 0; g < groups; g++) {
        int count = 0;
        for (int i = 0; i < m->n; i++)
            if (group[i] == g) {
                int k = count++;
                for (; k > 0 && stable_faster(m, i, list[k - 1]); k--)
                    list[k] = list[k - 1];
                list[k] = i;
            }
        if (count > MOST_COUPLED) {
            count = MOST_COUPLED;
            out->cut = 1;
        }
        if (!stable_group_block(m, list, count, out->least, arena, &out->block[out->n_block++]))
            return 0;
    }
    return 1;
}

// each eigenvalue as a mode of its own: what is left when the whole is too large
static int stable_apart(HolArena *arena, HolSpectrum *out) {
    out->block = HOL_NEW(arena, HolLinearBlock, out->n + 1);
    out->cut = 1;
    for (int i = 0; i < out->n && out->block; i++) {
        double *A = HOL_NEW(arena, double, 4);
        const double re = out->re[i], im = out->im[i];
        if (im < 0 || hypot(re, im) <= out->least)
            continue;
        if (!A)
            return 0;
        HolLinearBlock *b = &out->block[out->n_block++];
        *b = (HolLinearBlock){.np = 1, .nz = 1, .A = A, .second = 1, .eigenvalue = i + 1};
        b->omega2 = im > 0 ? re * re + im * im : 0;
        b->decay = im > 0 ? -2 * re : -re;
        A[1] = -b->omega2;
        A[2] = 1;
        A[3] = -b->decay;
        if (!stable_describe(b, out->least, arena))
            return 0;
    }
    return out->block != NULL;
}

static int stable_whole(int np, int nz, const double *A, HolArena *arena, HolSpectrum *out) {
    if (np > MOST_WHOLE)
        return stable_apart(arena, out);
    out->block = HOL_NEW(arena, HolLinearBlock, 1);
    if (!out->block)
        return 0;
    out->n_block = 1;
    *out->block = (HolLinearBlock){.np = np, .nz = nz, .A = A};
    return stable_describe(out->block, out->least, arena);
}

HolStatus hol_spectrum(int np, int nz, const double *A, const double *M, double zero,
                       HolArena *arena, HolSpectrum *out, HolError *err) {
    const int n = np + nz;
    *out = (HolSpectrum){.np = np, .nz = nz, .n = n};
    out->re = HOL_NEW(arena, double, n + 1);
    out->im = HOL_NEW(arena, double, n + 1);
    if (arena->failed)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < stable_square(n); i++)
        if (!isfinite(A[i]))
            return hol_error_set(err, HOL_ERR_SINGULAR, "the linearized equations are not finite");
    if (!stable_values(np, nz, A, arena, out->re, out->im))
        return hol_error_set(err, arena->failed ? HOL_ERR_MEMORY : HOL_ERR_CONVERGE,
                             "the eigenvalues could not be computed; memory may be short");
    out->largest = n ? hypot(out->re[0], out->im[0]) : 0;
    out->least = fmax(zero, ZERO * out->largest);
    for (int i = 0; i < n; i++) {
        out->growth = fmax(out->growth, out->re[i]);
        out->zero += hypot(out->re[i], out->im[i]) <= out->least;
    }
    if (n == 0)
        return HOL_OK;
    SpectrumModes modes;
    int apart = stable_plain(np, nz, A) ? stable_modes(np, A, M, arena, &modes) : 0;
    if (apart > 0 ? !stable_split(&modes, arena, out)
                  : apart < 0 || !stable_whole(np, nz, A, arena, out))
        return hol_error_set(err, arena->failed ? HOL_ERR_MEMORY : HOL_ERR_CONVERGE,
                             "the eigenvalues could not be computed; memory may be short");
    return HOL_OK;
}

HolStatus hol_spectrum_of(double re, double im, HolArena *arena, HolSpectrum *out, HolError *err) {
    // x'' + c x' + k x = 0; a real eigenvalue: no spring
    double *A = HOL_NEW(arena, double, 4);
    if (!A)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    A[1] = im != 0 ? -(re * re + im * im) : 0;
    A[2] = 1;
    A[3] = im != 0 ? 2 * re : re;
    return hol_spectrum(1, 1, A, NULL, 0, arena, out, err);
}

// ---- limits ----

typedef struct LimitSearch {
    const HolStepMap *map;
    const HolSpectrum *s;
    const HolLinearBlock *block; // NULL: eigenvalue `mode` of a rational map
    int mode;
    double span, steps; // of the run
    HolLimitMemory *memory;
    double close; // relative width of a crossing that was found
    double *work;
} LimitSearch;

static double limit_radius(const LimitSearch *l, double h) {
    return l->block ? hol_map_radius(l->map, l->block->np, l->block->nz, l->block->A, h, l->work)
                    : hol_map_modulus(l->map, h * l->s->re[l->mode], h * l->s->im[l->mode]);
}

// growth a step may have
static double limit_allowed(const LimitSearch *l, double h, int run) {
    double tol = STRICT, growth = l->block ? l->block->growth : fmax(0, l->s->re[l->mode]);
    if (run && (l->steps > 0 || isfinite(l->span)))
        tol = fmax(tol, expm1(log(AMPLIFIED) * (l->steps > 0 ? 1 / l->steps : h / l->span)));
    if (l->block && l->block->zero)
        tol = fmax(tol, NEUTRAL);
    return (1 + tol) * exp(h * growth) * (1 + SLACK_GROWTH * h * growth);
}

static int limit_bad(const LimitSearch *l, double h, int run) {
    return !(limit_radius(l, h) <= limit_allowed(l, h, run));
}

// where between a good and a bad step it begins
static double limit_bisect(const LimitSearch *l, double low, double high, int run) {
    for (int i = 0; i < BISECTIONS && high - low > l->close * high; i++) {
        const double mid = (low + high) / 2;
        *(limit_bad(l, mid, run) ? &high : &low) = mid;
    }
    return low;
}

// First bad step above `from` (which is good), up to `end`; INFINITY: none
static double limit_crossing(const LimitSearch *l, double from, double end, double ratio, int run) {
    for (double h = from; h < end; h *= ratio) {
        const double next = fmin(h * ratio, end);
        if (!limit_bad(l, next, run))
            continue;
        const double part = ratio > COUPLED_RATIO ? COUPLED_RATIO : RATIO;
        for (double k = h; ratio > part && k < next; k *= part) // the first one between the two
            if (limit_bad(l, fmin(k * part, next), run))
                return limit_bisect(l, k, fmin(k * part, next), run);
        return limit_bisect(l, h, next, run);
    }
    return INFINITY;
}

// the strict limit; parasites of a formula show at the smallest steps, the rest beyond a tenth
static double limit_strict(const LimitSearch *l, double largest, double end, double ratio) {
    double h = FIRST_STEP / largest;
    if (limit_bad(l, h, 0))
        return 0;
    for (; h < fmin(end, SMALL_STEP / largest); h *= SMALL_RATIO)
        if (limit_bad(l, h * SMALL_RATIO, 0))
            return limit_bisect(l, h, h * SMALL_RATIO, 0);
    return limit_crossing(l, h, end, ratio, 0);
}

// the same of one mode x'' + c x' + k x = 0: omega h depends on its damping ratio alone
static double limit_of_mode(const LimitSearch *l, double largest, double end) {
    const HolLinearBlock *b = l->block;
    HolLimitMemory *m = l->memory;
    const double omega = sqrt(fmax(b->omega2, 0)), ratio = b->decay / (2 * omega);
    if (!m || !(omega > 0) || !(fabs(ratio) < MOST_RATIO))
        return limit_strict(l, largest, end, RATIO);
    if (!m->known || fabs(ratio - m->ratio) > SAME_RATIO) {
        m->omega_h = omega * limit_strict(l, largest, b->end, RATIO);
        m->ratio = ratio;
        m->known = 1;
    }
    return m->omega_h / omega;
}

// both limits of a part into *best where they are smaller
static int limit_part(LimitSearch *l, double largest, double end, HolStableStep *best) {
    if (!(largest > 0))
        return 0;
    const int known = isfinite(best->run), alone = !l->block || l->block->second;
    const double from = FIRST_STEP / largest, stop = fmin(end, best->run),
                 ratio = alone   ? RATIO
                         : known ? LOOK_RATIO
                                 : COUPLED_RATIO;
    l->close = alone || !known ? CLOSE : CLOSE_LOOK;
    double strict = l->block && l->block->second ? limit_of_mode(l, largest, stop)
                                                 : limit_strict(l, largest, stop, ratio),
           run = strict;
    if (strict == 0)
        run = limit_bad(l, from, 1) ? 0 : limit_crossing(l, from, stop, ratio, 1);
    else if (isfinite(strict) && strict < stop &&
             limit_allowed(l, strict, 1) > limit_allowed(l, strict, 0))
        run = limit_crossing(l, strict / RATIO, stop, RATIO, 1);
    const int first = run < best->run || strict < best->strict;
    best->strict = fmin(best->strict, strict);
    best->run = fmin(best->run, run);
    return first;
}

// a mode that grows by itself without vibrating is no matter of stability
static int limit_of_interest(const HolSpectrum *s, const HolLinearBlock *b) {
    if (b->second && b->omega2 < 0)
        return 0;
    return b->largest > s->least;
}

HolStableStep hol_stable_step(const HolStepMap *map, const HolSpectrum *s, double span,
                              double steps, double most, HolLimitMemory *memory, double *work) {
    HolStableStep best = {.strict = most, .run = most, .block = -1, .mode = -1};
    LimitSearch l = {
        .map = map, .s = s, .span = span, .steps = steps, .memory = memory, .work = work};
    if (map->kind == HOL_MAP_NONE || map->a_stable)
        return (HolStableStep){INFINITY, INFINITY, -1, -1};
    if (map->kind == HOL_MAP_RATIONAL)
        for (int i = 0; i < s->n; i++) {
            const double size = hypot(s->re[i], s->im[i]);
            l.mode = i;
            if (s->im[i] < 0 || size <= s->least || (s->im[i] == 0 && s->re[i] > 0))
                continue;
            if (limit_part(&l, size, LAST_STEP / size, &best))
                best.mode = i;
        }
    else
        for (int i = 0; i < s->n_block; i++) {
            l.block = &s->block[i];
            if (limit_of_interest(s, l.block) &&
                limit_part(&l, l.block->largest, l.block->end, &best))
                best.block = i;
        }
    return best;
}

size_t hol_stable_step_work(const HolStepMap *map, const HolSpectrum *s) {
    size_t most = 1;
    for (int i = 0; i < s->n_block && map->kind != HOL_MAP_RATIONAL; i++) {
        const size_t need = hol_map_work(map, s->block[i].np, s->block[i].nz);
        most = need > most ? need : most;
    }
    return most;
}

double hol_spectrum_radius(const HolStepMap *map, const HolSpectrum *s, double h, double *work) {
    double largest = 0;
    if (map->kind == HOL_MAP_RATIONAL)
        for (int i = 0; i < s->n; i++)
            largest = fmax(largest, hol_map_modulus(map, h * s->re[i], h * s->im[i]));
    else
        for (int i = 0; i < s->n_block; i++)
            largest = fmax(largest, hol_map_radius(map, s->block[i].np, s->block[i].nz,
                                                   s->block[i].A, h, work));
    return largest;
}
