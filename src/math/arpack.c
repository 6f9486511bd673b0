// SPDX-License-Identifier: Apache-2.0
// ARPACK from C, see arpack.h: the loops of reverse communication.
#include "math/arpack.h"

#ifndef HOL_HAVE_ARPACK

int hol_eigen_symmetric(const HolEigenProblem *p, HolArena *arena, double *value, double *vector) {
    (void)p, (void)arena, (void)value, (void)vector;
    return HOL_EIGEN_MISSING;
}

int hol_eigen_general(const HolEigenProblem *p, HolArena *arena, double *re, double *im,
                      double *vector) {
    (void)p, (void)arena, (void)re, (void)im, (void)vector;
    return HOL_EIGEN_MISSING;
}

#else

#include "math/arpack_library.h"

#include <pthread.h>

// ARPACK keeps the state of an iteration in variables of its own: others wait until it ends
static pthread_mutex_t eigen_turn = PTHREAD_MUTEX_INITIALIZER;

typedef struct EigenWork {
    int param[11], pointer[14], room, info, step;
    int *select;
    double *V, *D, *L, *E; // basis, three vectors, small matrices, workev
} EigenWork;

static int eigen_room(const HolEigenProblem *p, int small, HolArena *arena, EigenWork *w) {
    const size_t n = (size_t)p->n, k = (size_t)p->vectors;
    *w = (EigenWork){.room = small, .info = 1}; // info 1: the start vector is given
    w->V = HOL_NEW(arena, double, n *k);
    w->D = HOL_NEW(arena, double, 3 * n);
    w->L = HOL_NEW(arena, double, small);
    w->E = HOL_NEW(arena, double, 3 * k);
    w->select = HOL_NEW(arena, int, k);
    w->param[0] = 1; // exact shifts
    w->param[2] = p->most;
    return !arena->failed;
}

static int eigen_symmetric(const HolEigenProblem *p, HolArena *arena, double *value,
                           double *vector) {
    const int k = p->vectors;
    const char *which = p->size ? "LM" : "LA";
    EigenWork w;
    if (!eigen_room(p, k * (k + 8), arena, &w))
        return HOL_EIGEN_MEMORY;
    w.param[6] = 3; // the operator is applied as it is, products are x^T B y
    for (;;) {
        dsaupd_c(&w.step, "G", p->n, which, p->wanted, p->tolerance, p->start, k, w.V, p->n,
                 w.param, w.pointer, w.D, w.L, w.room, &w.info);
        const double *x = w.D + w.pointer[0] - 1;
        double *y = w.D + w.pointer[1] - 1;
        if (w.step == -1 || w.step == 1)
            p->apply(p->user, x, y);
        else if (w.step == 2)
            p->weigh(p->user, x, y);
        else
            break;
    }
    if (w.info < 0 || w.param[4] <= 0)
        return HOL_EIGEN_FAILED;
    const int found = w.param[4] < p->wanted ? w.param[4] : p->wanted;
    dseupd_c(1, "A", w.select, value, vector, p->n, 0, "G", p->n, which, p->wanted, p->tolerance,
             p->start, k, w.V, p->n, w.param, w.pointer, w.D, w.L, w.room, &w.info);
    if (w.info < 0)
        return HOL_EIGEN_FAILED;
    for (int i = 0; i < found; i++) // (this mode takes them for shifted and inverted ones)
        value[i] = 1 / value[i];
    return found;
}

static int eigen_general(const HolEigenProblem *p, HolArena *arena, double *re, double *im,
                         double *vector) {
    const int k = p->vectors;
    EigenWork w;
    if (!eigen_room(p, 3 * k * (k + 2), arena, &w))
        return HOL_EIGEN_MEMORY;
    w.param[6] = 1;
    for (;;) {
        dnaupd_c(&w.step, "I", p->n, "LM", p->wanted, p->tolerance, p->start, k, w.V, p->n, w.param,
                 w.pointer, w.D, w.L, w.room, &w.info);
        if (w.step != -1 && w.step != 1)
            break;
        p->apply(p->user, w.D + w.pointer[0] - 1, w.D + w.pointer[1] - 1);
    }
    if (w.info < 0 || w.param[4] <= 0)
        return HOL_EIGEN_FAILED;
    dneupd_c(1, "A", w.select, re, im, vector, p->n, 0, 0, w.E, "I", p->n, "LM", p->wanted,
             p->tolerance, p->start, k, w.V, p->n, w.param, w.pointer, w.D, w.L, w.room, &w.info);
    if (w.info < 0)
        return HOL_EIGEN_FAILED;
    return w.param[4] < p->wanted + 1 ? w.param[4] : p->wanted + 1;
}

int hol_eigen_symmetric(const HolEigenProblem *p, HolArena *arena, double *value, double *vector) {
    if (hol_arpack_ready(NULL))
        return HOL_EIGEN_MISSING;
    pthread_mutex_lock(&eigen_turn);
    const int found = eigen_symmetric(p, arena, value, vector);
    pthread_mutex_unlock(&eigen_turn);
    return found;
}

int hol_eigen_general(const HolEigenProblem *p, HolArena *arena, double *re, double *im,
                      double *vector) {
    if (hol_arpack_ready(NULL))
        return HOL_EIGEN_MISSING;
    pthread_mutex_lock(&eigen_turn);
    const int found = eigen_general(p, arena, re, im, vector);
    pthread_mutex_unlock(&eigen_turn);
    return found;
}

#endif
