// SPDX-License-Identifier: Apache-2.0
// The method bdf on SUNDIALS IDA: variable-order, variable-step BDF in fixed-leading-coefficient
// form. IDA is driven one internal step at a time; it and its solvers allocate on their own.
//   norm    |x| = sqrt(sum_i (x_i w_i)^2 / N),  w_i = 1/(tol |y_i| + tol)
//   errors  ggl: q (and v), by IDA's mask of algebraic variables; cs, cm, cmp: the independent
//           coordinates
//   Newton  ggl: all unknowns, multipliers too; ggl-star: q and v (the multipliers' weights are
//           tiny); cs, cm, cmp: q and v
// Linear solver: IDA sees one of its own kind; behind it the wide matrix of bdf_jacobian.c is
// factored by KLU or by dense LU, with columns in units of their unknowns (q: sizes, v: sizes times
// cj, multipliers: so that their largest entry is 1) and rows scaled to 1. Large ones fall apart into
// two saddle points (bdf_saddle.c).
#ifdef HOL_HAVE_SUNDIALS
#include "math/dense.h"
#include "solve/method/bdf/bdf.h"
#include "solve/run/error_test.h"
#include "solve/run/run.h"

#include <ida/ida.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>

// ---- tuning constants ----
enum { DENSE_LIMIT = 60 };               // wide matrices up to here are dense unless the user says
enum { SADDLE_LIMIT = 1000 };            // wider ones are solved by two saddle points
static const double SHARE = 1;           // c of the error test (error_test.c)
static const double FIRST_STEP = 1e-6;   // of the span, before there is a step
static const double TINY_WEIGHT = 1e-20; // of the multipliers of ggl-star
static const double KLU_PIVOT = 0.1;     // saddle points: smallest pivot, relative to its column

#if SUNDIALS_VERSION_MAJOR < 6
#error "SUNDIALS 6 or later is needed"
#endif

typedef struct HolBdfIda {
    SUNContext context;
    void *memory;
    N_Vector y, yp, id, state, wide;
    SUNMatrix matrix;
    SUNLinearSolver solver, klu; // klu NULL: dense
    int by_saddle;               // 1: the present matrix stands in b->saddle
    double *dense, *row_scale, *column_scale;
    double *solution; // n_wide, with b->saddle
    int *pivot;
    double frozen_t, frozen_cj;                                  // cmp: the predictor P belongs to
    long steps, residuals, setups, errors, failures, iterations; // counted so far since the start
    char message[256];
} HolBdfIda;

// ---- callbacks ----

static int bdf_ida_residual(sunrealtype t, N_Vector y, N_Vector yp, N_Vector F, void *user) {
    HolBdf *b = user;
    HolBdfIda *ida = b->ida;
    if (b->formulation == HOL_BDF_CMP) {
        // the first evaluation of a step is at its predictor: P is taken there and stays
        double cj = 0;
        IDAGetCurrentCj(ida->memory, &cj);
        b->frozen = t == ida->frozen_t && cj == ida->frozen_cj;
        ida->frozen_t = t;
        ida->frozen_cj = cj;
    }
    // P belongs to the last matrix, however many steps ago that was; at first there is none
    if (b->formulation == HOL_BDF_CMF)
        b->frozen = !isnan(ida->frozen_t);
    const int bad = hol_bdf_residual(b, t, N_VGetArrayPointer(y), N_VGetArrayPointer(yp),
                                     N_VGetArrayPointer(F));
    if (bad)
        ida->frozen_t = NAN;
    else if (b->formulation == HOL_BDF_CMF && !b->frozen)
        ida->frozen_t = t;
    return bad;
}

static int jacobian(sunrealtype t, sunrealtype cj, N_Vector y, N_Vector yp, N_Vector F, SUNMatrix A,
                    void *user, N_Vector t1, N_Vector t2, N_Vector t3) {
    (void)F, (void)t2, (void)t3;
    HolBdf *b = user;
    if (b->formulation == HOL_BDF_CMF) { // with the matrix a new P
        b->frozen = 0;
        if (hol_bdf_residual(b, t, N_VGetArrayPointer(y), N_VGetArrayPointer(yp),
                             N_VGetArrayPointer(t1)))
            return 1;
        b->frozen = 1;
    }
    if (hol_bdf_jacobian(b, t, cj, N_VGetArrayPointer(y), N_VGetArrayPointer(yp)))
        return 1;
    b->s->stats.jacobians++;
    hol_bdf_saddle_take(b, cj, N_VGetArrayPointer(y));
    sunindextype *ptr = SUNSparseMatrix_IndexPointers(A), *idx = SUNSparseMatrix_IndexValues(A);
    for (int i = 0; i <= b->n_wide; i++)
        ptr[i] = b->ptr[i];
    for (int k = 0; k < b->nnz; k++)
        idx[k] = b->idx[k];
    memcpy(SUNSparseMatrix_Data(A), b->val, sizeof(double) * (size_t)b->nnz);
    return 0;
}

// As published (control: local, position): each unknown by itself and 1, the whole tolerance each
// step
static void published_weights(const HolBdf *b, const double *x, double *out) {
    const double tol = b->s->o.tolerance;
    for (int i = 0; i < b->n; i++)
        out[i] = 1 / (tol * fabs(x[i]) + tol);
}

// Positions and velocities: the scales of the common error test and the step's share of the
// tolerance. Multipliers: the largest of them, each in the scale of its row. Variables: their own
// sizes.
static void common_weights(HolBdf *b, const double *x, double *out) {
    HolSim *s = b->s;
    const double tol = s->o.tolerance, *v = x + b->nq;
    const int motion = b->nq + b->nv, variables = b->n_wide - b->nw;
    const double limit = hol_error_limit(s, b->h_last, SHARE);
    double most = 0;
    hol_error_test_candidate(s, &(HolState){.t = b->t, .q = (double *)x, .v = (double *)v});
    for (int i = 0; i < b->nq; i++) {
        const int at = s->driver->coordinate[i];
        out[i] = (at >= 0 ? s->test->q[at] : 2) / limit; // (half of a quaternion is the angle)
    }
    for (int i = 0; i < b->nv; i++)
        out[b->nq + i] = (b->velocity_test ? s->test->v[i] : s->test->fast[i]) / limit;
    const double *row = s->test->row,
                 h = isfinite(b->h_last) ? b->h_last : FIRST_STEP * s->test->span;
    for (int i = 0; i < b->ma && motion < b->n; i++)
        most = fmax(most, fabs(x[motion + i]) / row[b->row[i]]);
    for (int i = motion; i < b->n; i++) {
        const int k = i - motion, is_force = k < b->ma;
        const double unit = is_force ? most : 1 / h; // (mu over a step are positions)
        const double own = i < variables ? row[b->row[is_force ? k : k - b->ma]] : 1;
        const double least = i < variables && unit > 0 ? unit * own : 1;
        out[i] = 1 / (tol * fmax(fabs(x[i]), least));
    }
}

// IDA compares root mean squares with 1
static int weights(N_Vector y, N_Vector w, void *user) {
    HolBdf *b = user;
    const double *x = N_VGetArrayPointer(y);
    double *out = N_VGetArrayPointer(w);
    const int motion = b->nq + b->nv, variables = b->n_wide - b->nw;
    if (b->published)
        published_weights(b, x, out);
    else
        common_weights(b, x, out);
    if (b->formulation == HOL_BDF_GGL_STAR)
        for (int i = motion; i < b->n && i < variables; i++)
            out[i] *= TINY_WEIGHT;
    return 0;
}

#if SUNDIALS_VERSION_MAJOR < 7
static void keep_message(int code, const char *module, const char *function, char *text,
                         void *user) {
    (void)code, (void)module, (void)function;
    HolBdfIda *ida = user;
    snprintf(ida->message, sizeof ida->message, "%s", text);
}
#else
static void keep_message(int line, const char *function, const char *file, const char *text,
                         SUNErrCode code, void *user, SUNContext context) {
    (void)line, (void)function, (void)file, (void)code, (void)context;
    HolBdfIda *ida = user;
    snprintf(ida->message, sizeof ida->message, "%s", text);
}
#endif

// ---- the linear solver IDA sees ----

static SUNLinearSolver_Type solver_type(SUNLinearSolver S) {
    (void)S;
    return SUNLINEARSOLVER_DIRECT;
}

static SUNLinearSolver_ID solver_id(SUNLinearSolver S) {
    (void)S;
    return SUNLINEARSOLVER_CUSTOM;
}

// Equations of motion of coordinates without mass, such as parameters of curves, may hold round-off
// beside the multipliers: they are scaled as the others, by works over their sizes.
static void bdf_ida_raise_massless(const HolBdf *b, double *row) {
    static const double NOTHING = 1e-10;
    const double *size = b->s->reach;
    double *motion = row + b->nv + b->quaternions, most = 0;
    for (int i = 0; i < b->nv; i++)
        most = fmax(most, motion[i] * size[i]);
    for (int i = 0; i < b->nv; i++)
        if (motion[i] * size[i] < NOTHING * most)
            motion[i] = most / size[i];
}

// Scales of rows and columns: pivots are then chosen among numbers without units.
static void bdf_ida_set_scales(const HolBdf *b, double *row, double *column) {
    const HolSim *s = b->s;
    const int motion = b->nq + b->nv, n = b->n_wide;
    double cj = 1;
    IDAGetCurrentCj(((const HolBdfIda *)b->ida)->memory, &cj);
    for (int i = 0; i < n; i++)
        row[i] = 0;
    for (int c = 0; c < n; c++) {
        const int at = c < b->nq ? s->driver->coordinate[c] : c - b->nq;
        column[c] = c < motion && at >= 0 ? s->reach[at] : 1;
        column[c] *= c >= b->nq && c < motion && cj > 0 ? cj : 1;
        for (int k = b->ptr[c]; k < b->ptr[c + 1] && c < motion; k++)
            row[b->idx[k]] = fmax(row[b->idx[k]], fabs(b->val[k]) * column[c]);
    }
    bdf_ida_raise_massless(b, row);
    for (int i = 0; i < n; i++)
        row[i] = row[i] > 0 ? 1 / row[i] : 1;
    for (int c = motion; c < n - b->nw; c++) {
        double most = 0;
        for (int k = b->ptr[c]; k < b->ptr[c + 1]; k++)
            most = fmax(most, fabs(b->val[k]) * row[b->idx[k]]);
        column[c] = most > 0 ? 1 / most : 1;
    }
}

// the wide matrix, with scaled rows and columns
static int factor_wide(HolBdf *b, SUNMatrix A) {
    HolBdfIda *ida = b->ida;
    const int n = b->n_wide;
    double *sparse = SUNSparseMatrix_Data(A);
    if (!ida->klu)
        memset(ida->dense, 0, sizeof(double) * (size_t)n * (size_t)n);
    for (int c = 0; c < n; c++)
        for (int k = b->ptr[c]; k < b->ptr[c + 1]; k++) {
            const double value = b->val[k] * ida->row_scale[b->idx[k]] * ida->column_scale[c];
            if (ida->klu)
                sparse[k] = value;
            else
                ida->dense[(size_t)c * (size_t)n + (size_t)b->idx[k]] = value;
        }
    if (ida->klu)
        return SUNLinSolSetup(ida->klu, A);
    return hol_dense_lu(n, ida->dense, ida->pivot) ? 1 : 0;
}

static int solver_setup(SUNLinearSolver S, SUNMatrix A) {
    HolBdf *b = S->content;
    HolBdfIda *ida = b->ida;
    b->s->stats.factorizations++;
    bdf_ida_set_scales(b, ida->row_scale, ida->column_scale);
    ida->by_saddle = hol_bdf_saddle_factor(b) == 0;
    return ida->by_saddle ? 0 : factor_wide(b, A);
}

// wide: right-hand side and, in units of the columns, solution
static int solve_wide(HolBdf *b, SUNMatrix A, double *wide, sunrealtype tol) {
    HolBdfIda *ida = b->ida;
    for (int i = 0; i < b->n_wide; i++)
        wide[i] *= ida->row_scale[i];
    if (ida->klu)
        return SUNLinSolSolve(ida->klu, A, ida->wide, ida->wide, tol);
    hol_dense_lu_solve(b->n_wide, ida->dense, ida->pivot, wide);
    return 0;
}

static int solver_solve(SUNLinearSolver S, SUNMatrix A, N_Vector x, N_Vector F, sunrealtype tol) {
    HolBdf *b = S->content;
    HolBdfIda *ida = b->ida;
    double *wide = N_VGetArrayPointer(ida->wide), *y = N_VGetArrayPointer(x);
    hol_bdf_widen(b, N_VGetArrayPointer(F), wide);
    if (ida->by_saddle) {
        if (hol_bdf_saddle_solve(b, wide, ida->column_scale, ida->solution) == 0) {
            memcpy(y, ida->solution, sizeof(double) * (size_t)b->n);
            return 0;
        }
        ida->by_saddle = 0;
        if (factor_wide(b, A))
            return 1;
    }
    const int bad = solve_wide(b, A, wide, tol);
    for (int i = 0; i < b->n && !bad; i++)
        y[i] = wide[i] * ida->column_scale[i];
    return bad;
}

static int solver_free(SUNLinearSolver S) {
    S->content = NULL;
    SUNLinSolFreeEmpty(S);
    return 0;
}

// ---- life ----

static HolStatus bdf_ida_no_memory(HolError *err) {
    return hol_error_set(err, HOL_ERR_MEMORY, "out of memory (SUNDIALS)");
}

static int create_vectors(HolBdf *b, HolBdfIda *ida) {
    ida->y = N_VNew_Serial(b->n, ida->context);
    ida->yp = N_VNew_Serial(b->n, ida->context);
    ida->id = N_VNew_Serial(b->n, ida->context);
    ida->state = N_VNew_Serial(b->n, ida->context);
    ida->wide = N_VNew_Serial(b->n_wide, ida->context);
    ida->matrix = SUNSparseMatrix(b->n_wide, b->n_wide, b->nnz, CSC_MAT, ida->context);
    return ida->y && ida->yp && ida->id && ida->state && ida->wide && ida->matrix;
}

static int create_solver(HolBdf *b, HolBdfIda *ida) {
    const char *kind = b->s->o.linear_solver;
    const int n = b->n_wide, sparse = strcmp(kind, "sparse") == 0;
    HolArena *a = &b->s->arena;
    ida->row_scale = HOL_NEW(a, double, n + 1);
    ida->column_scale = HOL_NEW(a, double, n + 1);
    if (sparse || (n > DENSE_LIMIT && strcmp(kind, "dense") != 0)) {
        ida->klu = SUNLinSol_KLU(ida->wide, ida->matrix, ida->context);
        if (!ida->klu)
            return 0;
        SUNLinSol_KLUGetCommon(ida->klu)->tol = KLU_PIVOT;
        ida->solution = HOL_NEW(a, double, n + 1);
        if (!sparse && n > SADDLE_LIMIT && !b->nw && !hol_bdf_saddle_create(b))
            return 0;
    } else {
        ida->dense = hol_arena_alloc(a, sizeof(double) * ((size_t)n * (size_t)n + 1));
        ida->pivot = HOL_NEW(a, int, n + 1);
    }
    if (a->failed)
        return 0;
    SUNLinearSolver S = SUNLinSolNewEmpty(ida->context);
    if (!S)
        return 0;
    S->ops->gettype = solver_type;
    S->ops->getid = solver_id;
    S->ops->setup = solver_setup;
    S->ops->solve = solver_solve;
    S->ops->free = solver_free;
    S->content = b;
    ida->solver = S;
    return 1;
}

// SUNDIALS does not look whether it got the vectors that it asks for: is there room for all of them?
static int bdf_ida_room(const HolBdf *b) {
    enum { VECTORS = 40, MORE = 1 << 20 };
    HolArena scratch = {0};
    const size_t bytes = VECTORS * sizeof(double) * (size_t)b->n_wide + 64 * (size_t)b->nnz + MORE;
    const int there = hol_arena_alloc(&scratch, bytes) != NULL;
    hol_arena_free(&scratch);
    return there;
}

HolStatus hol_bdf_ida_create(HolBdf *b, int max_order, HolError *err) {
    HolBdfIda *ida = HOL_NEW(&b->s->arena, HolBdfIda, 1);
    const HolSimOptions *o = &b->s->o;
    if (!ida || !bdf_ida_room(b))
        return bdf_ida_no_memory(err);
    b->ida = ida;
#if SUNDIALS_VERSION_MAJOR < 7
    if (SUNContext_Create(NULL, &ida->context))
        return bdf_ida_no_memory(err);
#else
    if (SUNContext_Create(SUN_COMM_NULL, &ida->context))
        return bdf_ida_no_memory(err);
    SUNContext_ClearErrHandlers(ida->context);
    SUNContext_PushErrHandler(ida->context, keep_message, ida);
#endif
    if (!create_vectors(b, ida) || !create_solver(b, ida))
        return bdf_ida_no_memory(err);
    ida->memory = IDACreate(ida->context);
    if (!ida->memory)
        return bdf_ida_no_memory(err);
#if SUNDIALS_VERSION_MAJOR < 7
    IDASetErrHandlerFn(ida->memory, keep_message, ida);
#endif
    int bad = IDAInit(ida->memory, bdf_ida_residual, b->s->x.t, ida->y, ida->yp);
    bad = bad || IDASetUserData(ida->memory, b) || IDAWFtolerances(ida->memory, weights);
    bad = bad || IDASetLinearSolver(ida->memory, ida->solver, ida->matrix);
    bad = bad || IDASetJacFn(ida->memory, jacobian) || IDASetMaxOrd(ida->memory, max_order);
    bad = bad || (o->max_step > 0 && IDASetMaxStep(ida->memory, o->max_step));
    bad = bad || (o->min_step > 0 && IDASetMinStep(ida->memory, o->min_step));
    return bad ? hol_error_set(err, HOL_ERR_UNSUPPORTED, "SUNDIALS: %s", ida->message) : HOL_OK;
}

static int set_mask(HolBdf *b) {
    HolBdfIda *ida = b->ida;
    hol_bdf_mask(b, N_VGetArrayPointer(ida->id));
    return IDASetId(ida->memory, ida->id) || IDASetSuppressAlg(ida->memory, 1);
}

HolStatus hol_bdf_ida_start(HolBdf *b, double h, HolError *err) {
    HolBdfIda *ida = b->ida;
    b->t = b->s->x.t;
    hol_bdf_start_values(b, N_VGetArrayPointer(ida->y), N_VGetArrayPointer(ida->yp));
    ida->frozen_t = NAN;
    b->frozen = 0;
    b->h_last = INFINITY;
    b->h_since = 0;
    if (ida->klu) // (pivots of the matrices before would matter)
        SUNLinSol_KLUReInit(ida->klu, ida->matrix, b->nnz, SUNKLU_REINIT_PARTIAL);
    hol_bdf_saddle_start(b);
    if (IDAReInit(ida->memory, b->t, ida->y, ida->yp) || set_mask(b) ||
        IDASetInitStep(ida->memory, h > 0 ? h : 0))
        return hol_error_set(err, HOL_ERR_UNSUPPORTED, "SUNDIALS: %s", ida->message);
    ida->steps = ida->residuals = ida->setups = ida->errors = ida->failures = ida->iterations = 0;
    return HOL_OK;
}

// ---- steps ----

static void bdf_ida_add(long *total, long *before, long now) {
    *total += now - *before;
    *before = now;
}

static void bdf_ida_count(HolBdf *b) {
    HolBdfIda *ida = b->ida;
    HolStats *stats = &b->s->stats;
    long value = 0, failed = 0;
    IDAGetNumSteps(ida->memory, &value);
    b->done += value - ida->steps;
    ida->steps = value;
    IDAGetNumResEvals(ida->memory, &value);
    bdf_ida_add(&stats->force_evaluations, &ida->residuals, value);
    IDAGetNumNonlinSolvIters(ida->memory, &value);
    bdf_ida_add(&stats->newton_iterations, &ida->iterations, value);
    IDAGetNumErrTestFails(ida->memory, &value);
    bdf_ida_add(&failed, &ida->errors, value);
    stats->error_test_failures += failed;
    stats->rejected += failed;
    failed = 0;
    IDAGetNumStepSolveFails(ida->memory, &value);
    bdf_ida_add(&failed, &ida->failures, value);
    stats->convergence_failures += failed;
    stats->rejected += failed;
}

static HolStatus explain(const HolBdf *b, int flag, HolError *err) {
    const char *text = "the integrator failed";
    switch (flag) {
    case IDA_TOO_MUCH_ACC:
        return hol_error_set(err, HOL_ERR_INPUT,
                             "tolerance = %g is below what double precision "
                             "allows for bdf",
                             b->s->o.tolerance);
    case IDA_MEM_FAIL:
        return bdf_ida_no_memory(err);
    case IDA_ERR_FAIL:
        text = "the estimated error of bdf stays above the tolerance";
        break;
    case IDA_CONV_FAIL:
        text = "Newton's iteration of bdf does not converge (ggl: try ggl-star or cs)";
        break;
    case IDA_LSETUP_FAIL:
    case IDA_LSOLVE_FAIL:
        text = "the equations of bdf are singular";
        break;
    case IDA_RES_FAIL:
    case IDA_REP_RES_ERR:
        text = "a force or constraint is not a finite number, or the coordinate split is singular";
        break;
    default:
        return hol_error_set(err, HOL_ERR_CONVERGE, "SUNDIALS: %s", b->ida->message);
    }
    return hol_error_set(err, HOL_ERR_CONVERGE, "%s", text);
}

HolStatus hol_bdf_ida_step(HolBdf *b, double limit, double towards, HolError *err) {
    HolBdfIda *ida = b->ida;
    double reached = b->t;
    if (isfinite(limit))
        IDASetStopTime(ida->memory, limit);
    const int flag = IDASolve(ida->memory, isfinite(limit) ? limit : towards, &reached, ida->y,
                              ida->yp, IDA_ONE_STEP);
    bdf_ida_count(b);
    if (flag < 0)
        return explain(b, flag, err);
    b->t = reached;
    double h = 0;
    IDAGetLastStep(ida->memory, &h);
    b->h_last = h;
    if (h > b->h_most)
        b->h_most = h;
    if (h > b->h_since)
        b->h_since = h;
    if (b->h_least == 0 || h < b->h_least)
        b->h_least = h;
    if (hol_bdf_renew_split(b, b->t, N_VGetArrayPointer(ida->y)))
        set_mask(b);
    ida->frozen_t = NAN;
    return HOL_OK;
}

const double *hol_bdf_ida_state(HolBdf *b, double t) {
    HolBdfIda *ida = b->ida;
    if (t == b->t)
        return N_VGetArrayPointer(ida->y);
    return IDAGetDky(ida->memory, t, 0, ida->state) ? NULL : N_VGetArrayPointer(ida->state);
}

void hol_bdf_ida_destroy(HolBdf *b) {
    HolBdfIda *ida = b->ida;
    if (!ida)
        return;
    hol_bdf_saddle_destroy(b);
    if (ida->memory)
        IDAFree(&ida->memory);
    if (ida->solver)
        SUNLinSolFree(ida->solver);
    if (ida->klu)
        SUNLinSolFree(ida->klu);
    if (ida->matrix)
        SUNMatDestroy(ida->matrix);
    N_Vector vectors[] = {ida->y, ida->yp, ida->id, ida->state, ida->wide};
    for (int i = 0; i < 5; i++)
        if (vectors[i])
            N_VDestroy(vectors[i]);
    if (ida->context)
        SUNContext_Free(&ida->context);
}
#else
typedef int hol_bdf_without_sundials; // a translation unit must not be empty
#endif
