/* ida_bench.c - SUNDIALS 6.4 on the planar benchmark problems.
 *
 * method ida   : IDA (variable order BDF) on the stabilised index-2 form (GGL)
 *                  q' = v - G^T mu,  M v' = f - G^T lam,  0 = g(q),  0 = G v
 *                analytic Jacobian, sparse KLU
 * method idad  : the same with the dense solver
 * method erk3|erk4|erk5|erk6|erk8 : ARKODE/ERKStep on the index-1 form (KKT solve with KLU
 *                for the accelerations), mass-orthogonal projection of q and v after each step
 *                (erk5 = Dormand-Prince 5(4), erk6 = Verner 6(5), erk8 = Fehlberg 8(7))
 * method adams : CVODE Adams, functional iteration, same right side with Baumgarte terms
 * CHAIN3D, and CHAIN with the variant tree, use joint angles and articulated bodies (tree.h) with
 * the explicit methods: no constraints are left.
 * A04 (Bricard, 3D) uses natural coordinates (natural.h), 24 coordinates, 24 constraints, one
 * redundant: needs reg=eps; drop=k leaves constraint k out instead. variant      : ord=k (max
 * order), reg=eps (g - eps mu, Gv - eps lam), aq=, av=, al= (absolute tolerances as factor of tol
 * for q, v, multipliers), hmax=, alpha= (Baumgarte)
 */
#include "natural.h"
#include "planar.h"
#include "tree.h"
#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <suitesparse/klu.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "ida_dae.h"

#include "ida_kkt.h"

/* ---------- natural coordinates (A04): all constraints bilinear ---------- */
/* gradient of constraint k wrt the free nodes at position vector field (pf, with fixed nodes where
 * fix=1) */
static int nat_grad(const natural *n, const qcon *c, const double *q, int isvel, int *node,
                    double (*G)[3]) {
    const double *a, *b, *e, *d;
    if (isvel) {
        a = natv(n, q, c->a);
        b = natv(n, q, c->b);
        e = natv(n, q, c->c);
        d = natv(n, q, c->d);
    } else {
        a = natp(n, q, c->a);
        b = natp(n, q, c->b);
        e = natp(n, q, c->c);
        d = natp(n, q, c->d);
    }
    int m = 0;
    for (int s = 0; s < 4; s++) {
        int i = s == 0 ? c->a : s == 1 ? c->b : s == 2 ? c->c : c->d;
        if (i < 0 || i >= n->nf)
            continue;
        double sg = (s & 1) ? -c->w : c->w;
        node[m] = i;
        for (int k = 0; k < 3; k++)
            G[m][k] = sg * (s < 2 ? e[k] - d[k] : a[k] - b[k]);
        m++;
    }
    return m;
}
static void nat_gv(ctx *c, const double *q, const double *v, double *o) {
    const natural *n = c->nat;
    int node[4];
    double G[4][3];
    for (int k = 0; k < n->nc; k++) {
        int m = nat_grad(n, &n->c[k], q, 0, node, G);
        o[k] = 0;
        for (int j = 0; j < m; j++)
            for (int e = 0; e < 3; e++)
                o[k] += G[j][e] * v[3 * node[j] + e];
    }
}
static void nat_res(ctx *c, const double *y, const double *d, double *r) {
    const natural *n = c->nat;
    int nq = c->nq, nc = c->nc, node[4];
    double G[4][3];
    const double *q = y, *v = y + nq, *la = y + 2 * nq, *mu = la + nc;
    double *r1 = r, *r2 = r + nq, *r3 = r + 2 * nq, *r4 = r3 + nc;
    for (int i = 0; i < nq; i++) {
        r1[i] = d[i] - v[i];
        r2[i] = i % 3 == 1 ? -n->fy[i / 3] : 0;
    }
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            if (n->m[i][j] != 0)
                for (int e = 0; e < 3; e++)
                    r2[3 * i + e] += n->m[i][j] * d[nq + 3 * j + e];
    nat_g(n, q, r3);
    for (int k = 0; k < nc; k++) {
        int m = nat_grad(n, &n->c[k], q, 0, node, G);
        double s = 0;
        for (int j = 0; j < m; j++)
            for (int e = 0; e < 3; e++) {
                int i = 3 * node[j] + e;
                r1[i] += G[j][e] * mu[k];
                r2[i] += G[j][e] * la[k];
                s += G[j][e] * v[i];
            }
        r4[k] = s - c->reg * la[k];
        r3[k] -= c->reg * mu[k];
    }
}
static void nat_jac(ctx *c, const double *y, double cj) {
    const natural *n = c->nat;
    int nq = c->nq, nc = c->nc, node[4];
    double G[4][3];
    const double *q = y, *v = y + nq, *la = y + 2 * nq, *mu = la + nc;
    int V = nq, LA = 2 * nq, MU = LA + nc, R3 = 2 * nq, R4 = R3 + nc;
    c->k = 0;
    for (int i = 0; i < nq; i++) {
        EM(i, i, cj);
        EM(i, V + i, -1.0);
    }
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            if (n->m[i][j] != 0)
                for (int e = 0; e < 3; e++)
                    EM(V + 3 * i + e, V + 3 * j + e, cj * n->m[i][j]);
    for (int k = 0; k < nc; k++) {
        const qcon *z = &n->c[k];
        int m = nat_grad(n, z, q, 0, node, G);
        for (int j = 0; j < m; j++)
            for (int e = 0; e < 3; e++) {
                int i = 3 * node[j] + e;
                EM(i, MU + k, G[j][e]);
                EM(V + i, LA + k, G[j][e]);
                EM(R3 + k, i, G[j][e]);
                EM(R4 + k, V + i, G[j][e]);
            }
        m = nat_grad(n, z, v, 1, node, G);
        for (int j = 0; j < m; j++)
            for (int e = 0; e < 3; e++)
                EM(R4 + k, 3 * node[j] + e, G[j][e]);
        int l[2] = {z->a, z->b},
            r[2] = {z->c, z->d}; /* second derivatives: +-w between {a,b} and {c,d} */
        for (int s = 0; s < 2; s++)
            for (int t = 0; t < 2; t++)
                if (l[s] >= 0 && l[s] < n->nf && r[t] >= 0 && r[t] < n->nf) {
                    double w = (s == t) ? z->w : -z->w;
                    for (int e = 0; e < 3; e++) {
                        int i = 3 * l[s] + e, j = 3 * r[t] + e;
                        EM(i, j, w * mu[k]);
                        EM(j, i, w * mu[k]);
                        EM(V + i, j, w * la[k]);
                        EM(V + j, i, w * la[k]);
                    }
                }
        EM(R3 + k, MU + k, -c->reg);
        EM(R4 + k, LA + k, -c->reg);
    }
}
static void nat_kkt(ctx *c, const double *q, const double *v, double *gam) {
    const natural *n = c->nat;
    int nq = c->nq, k_ = 0, node[4];
    double G[4][3], al = c->alpha;
    if (!c->rec)
        memset(c->kx, 0, c->knnz * sizeof(double));
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            if (n->m[i][j] != 0)
                for (int e = 0; e < 3; e++)
                    KM(3 * i + e, 3 * j + e, n->m[i][j]);
    if (gam)
        nat_g(n, q, c->g);
    for (int k = 0; k < c->nc; k++) {
        int m = nat_grad(n, &n->c[k], q, 0, node, G);
        double gv = 0, ga = 0;
        for (int j = 0; j < m; j++)
            for (int e = 0; e < 3; e++) {
                int i = 3 * node[j] + e;
                KM(nq + k, i, G[j][e]);
                KM(i, nq + k, G[j][e]);
                gv += G[j][e] * v[i];
            }
        KM(nq + k, nq + k, -c->reg);
        if (gam) {
            m = nat_grad(n, &n->c[k], v, 1, node, G);
            for (int j = 0; j < m; j++)
                for (int e = 0; e < 3; e++)
                    ga += G[j][e] * v[3 * node[j] + e];
            gam[k] = -ga - 2 * al * gv - al * al * c->g[k];
        }
    }
    c->knt = k_;
}

static void quiet(int code, const char *m, const char *f, char *msg, void *d) {
    (void)code;
    (void)m;
    (void)f;
    (void)msg;
    (void)d;
}

#define ENERGY(q_, v_)                                                                             \
    (c->tree  ? tree_energy(c->tree, q_, v_)                                                       \
     : c->nat ? nat_energy(c->nat, q_, v_)                                                         \
              : planar_energy(p, q_, v_))
#define POINT(q_, P_)                                                                              \
    do {                                                                                           \
        if (c->tree)                                                                               \
            tree_point(c->tree, q_, P_);                                                           \
        else if (c->nat)                                                                           \
            memcpy(P_, (q_) + 3, 24);                                                              \
        else                                                                                       \
            planar_point(&A, p, q_, P_);                                                           \
    } while (0)
static double nat_viol(ctx *c, const double *q) {
    double mx = 0;
    nat_g(c->nat, q, c->g);
    for (int i = 0; i < c->nc; i++)
        if (!(fabs(c->g[i]) <= mx))
            mx = fabs(c->g[i]);
    return mx;
}

/* largest difference of the bodies' angles from those in a file */
static void angle_error(const planar *p, const char *file, const double *q, double *out) {
    FILE *f = fopen(file, "r");
    double wanted, worst = f ? 0 : NAN;
    for (int i = 0; i < p->nb && f; i++) {
        double d = fscanf(f, "%lf", &wanted) == 1 ? fabs(q[p->qi[i] + 2] - wanted) : NAN;
        if (!(d <= worst))
            worst = d;
    }
    if (f)
        fclose(f);
    out[0] = worst;
    out[1] = out[2] = 0;
}

int main(int argc, char **argv) {
    bench_args A = bench_parse(argc, argv, "ida");
    int is_ida = !strncmp(A.method, "ida", 3), is_erk = !strncmp(A.method, "erk", 3);
    double setup = 1e99, best = 1e99, tot = 0;
    bench_result R = {0};
    int reps = 0, measured = 0, slow = 0;
    int is_tree = isprob(&A, "CHAIN3D") || (isprob(&A, "CHAIN") && hasopt(&A, "tree"));
    if (is_tree && is_ida) {
        printf("no constraints left for IDA\n");
        return 1;
    }
    for (;;) {
        int measure = measured == 0 ? 0 : 1; /* timed runs first, measured run last */
        double t0 = cpu_now();
        SUNContext sc;
        SUNContext_Create(NULL, &sc);
        ctx C = {0}, *c = &C;
        planar *p = NULL;
        double *q0, *v0;
        if (is_tree) {
            c->tree = tree_build(&A);
            c->nq = c->tree->n;
            q0 = c->tree->q0;
            v0 = c->tree->v0;
        } else if (isprob(&A, "A04")) {
            c->nat = natural_build(&A);
            c->nq = c->nat->nq;
            c->nc = c->nat->nc;
            q0 = c->nat->q0;
            v0 = c->nat->v0;
        } else {
            p = c->p = planar_build(&A);
            c->nq = p->nq;
            c->nc = p->nc;
            q0 = p->q0;
            v0 = p->v0;
        }
        int nq = c->nq, nc = c->nc;
        c->cs = calloc(2 * (p ? p->nb : 1), 8);
        c->f = calloc(nq + 1, 8);
        c->K = calloc(9 * ((p ? p->ns : 0) + 1), 8);
        c->g = calloc(nc + 1, 8);
        c->reg = optval(&A, "reg", 0);
        c->alpha = (is_ida || is_erk) ? 0 : optval(&A, "alpha", 10);
        projtol = optval(&A, "ptol", fmin(1e-6, A.tol > 0 ? A.tol : 1e-6));
        if (!is_tree && kkt_setup(c, q0, v0)) {
            printf("KKT singular at start\n");
            return 1;
        }
        double tol = A.tol > 0 ? A.tol : 1e-3;
        int isA03 = isprob(&A, "A03");
        double aq = optval(&A, "aq", isA03 ? 1e-2 : 1), av = optval(&A, "av", isA03 ? 1 : 1),
               al = optval(&A, "al", isA03 ? 1e3 : 1e3);
        double hmax = optval(&A, "hmax", 0);
        void *mem = NULL;
        N_Vector y, yp = NULL, at, id = NULL;
        SUNMatrix J = NULL;
        SUNLinearSolver LS = NULL;
        SUNNonlinearSolver NS = NULL;
        int flag = 0;
        if (is_ida) {
            c->n = 2 * nq + 2 * nc;
            c->dense = !strcmp(A.method, "idad");
            y = N_VNew_Serial(c->n, sc);
            yp = N_VNew_Serial(c->n, sc);
            at = N_VNew_Serial(c->n, sc);
            id = N_VNew_Serial(c->n, sc);
            double *Y = N_VGetArrayPointer(y), *D = N_VGetArrayPointer(yp),
                   *a = N_VGetArrayPointer(at), *I = N_VGetArrayPointer(id);
            N_VConst(0, y);
            N_VConst(0, yp);
            N_VConst(0, id);
            memcpy(Y, q0, nq * 8);
            memcpy(Y + nq, v0, nq * 8);
            accel(c, q0, v0);
            memcpy(D, v0, nq * 8);
            memcpy(D + nq, c->rhs, nq * 8);
            memcpy(Y + 2 * nq, c->rhs + nq, nc * 8);
            for (int i = 0; i < c->n; i++) {
                a[i] = tol * (i < nq ? aq : i < 2 * nq ? av : al);
                I[i] = i < 2 * nq;
            }
            jac_struct(c, Y);
            mem = IDACreate(sc);
            IDASetErrHandlerFn(mem, quiet, NULL);
            flag = IDAInit(mem, res, 0.0, y, yp);
            IDASVtolerances(mem, tol, at);
            IDASetUserData(mem, c);
            IDASetId(mem, id);
            IDASetSuppressAlg(mem, SUNTRUE);
            IDASetMaxNumSteps(mem, 5000L);
            IDASetStopTime(mem, A.T);
            IDASetMaxOrd(mem, (int)optval(&A, "ord", 5));
            IDASetMaxErrTestFails(mem, 30);
            IDASetMaxConvFails(mem, 50);
            if (optval(&A, "nlc", 0) > 0)
                IDASetNonlinConvCoef(mem, optval(&A, "nlc", 0.33));
            if (hmax > 0)
                IDASetMaxStep(mem, hmax);
            if (c->dense) {
                J = SUNDenseMatrix(c->n, c->n, sc);
                LS = SUNLinSol_Dense(y, J, sc);
            } else {
                J = SUNSparseMatrix(c->n, c->n, c->nnz, CSC_MAT, sc);
                LS = SUNLinSol_KLU(y, J, sc);
                if (hasopt(&A, "amd"))
                    SUNLinSol_KLUSetOrdering(LS, 0);
            }
            IDASetLinearSolver(mem, LS, J);
            IDASetJacFn(mem, jac);
            if (isprob(&A, "A01"))
                IDASetInitStep(mem, 1e-6);
        } else {
            y = N_VNew_Serial(2 * nq, sc);
            at = N_VNew_Serial(2 * nq, sc);
            double *Y = N_VGetArrayPointer(y), *a = N_VGetArrayPointer(at);
            memcpy(Y, q0, nq * 8);
            memcpy(Y + nq, v0, nq * 8);
            for (int i = 0; i < 2 * nq; i++)
                a[i] = tol * (i < nq ? aq : av);
            if (is_erk) {
                int o = atoi(A.method + 3);
                mem = ERKStepCreate(rhsf, 0.0, y, sc);
                ERKStepSetErrHandlerFn(mem, quiet, NULL);
                ERKStepSetTableNum(mem, o == 2   ? ARKODE_HEUN_EULER_2_1_2
                                        : o == 3 ? ARKODE_BOGACKI_SHAMPINE_4_2_3
                                        : o == 4 ? ARKODE_ZONNEVELD_5_3_4
                                        : o == 5 ? ARKODE_DORMAND_PRINCE_7_4_5
                                        : o == 6 ? ARKODE_VERNER_8_5_6
                                                 : ARKODE_FEHLBERG_13_7_8);
                ERKStepSVtolerances(mem, tol, at);
                ERKStepSetUserData(mem, c);
                ERKStepSetMaxNumSteps(mem, 5000L);
                ERKStepSetStopTime(mem, A.T);
                if (A.h > 0)
                    ERKStepSetFixedStep(mem, A.h);
                else if (hmax > 0)
                    ERKStepSetMaxStep(mem, hmax);
                ERKStepSetMaxErrTestFails(mem, 30);
                if (!is_tree && !hasopt(&A, "noproj"))
                    ERKStepSetPostprocessStepFn(mem, (ARKPostProcessFn)project);
            } else {
                mem = CVodeCreate(CV_ADAMS, sc);
                CVodeSetErrHandlerFn(mem, quiet, NULL);
                CVodeInit(mem, rhsf, 0.0, y);
                CVodeSVtolerances(mem, tol, at);
                CVodeSetUserData(mem, c);
                CVodeSetMaxNumSteps(mem, 5000L);
                CVodeSetStopTime(mem, A.T);
                NS = SUNNonlinSol_FixedPoint(y, 0, sc);
                CVodeSetNonlinearSolver(mem, NS);
                if (optval(&A, "ord", 0) > 0)
                    CVodeSetMaxOrd(mem, (int)optval(&A, "ord", 12));
            }
        }
        double ts = cpu_now() - t0;
        if (!measure && ts < setup)
            setup = ts;
        double E0 = ENERGY(q0, v0), t = 0;
        double c0 = cpu_now();
        if (!measure) {
            do { /* -1 = step limit of one call reached: go on until the CPU limit */
                if (is_ida)
                    flag = IDASolve(mem, A.T, &t, y, yp, IDA_NORMAL);
                else if (is_erk)
                    flag = ERKStepEvolve(mem, A.T, y, &t, ARK_NORMAL);
                else
                    flag = CVode(mem, A.T, y, &t, CV_NORMAL);
            } while (flag == -1 && cpu_now() - c0 < A.maxcpu);
            slow = flag == -1;
            double cc = cpu_now() - c0;
            if (cc < best)
                best = cc;
            tot += cc;
            reps++;
            if (flag < 0 || !bench_more(reps, tot, cc))
                measured = 1;
        } else {
            while (t < A.T * (1 - 1e-14) && flag >= 0 && !slow) {
                if (is_ida)
                    flag = IDASolve(mem, A.T, &t, y, yp, IDA_ONE_STEP);
                else if (is_erk)
                    flag = ERKStepEvolve(mem, A.T, y, &t, ARK_ONE_STEP);
                else
                    flag = CVode(mem, A.T, y, &t, CV_ONE_STEP);
                double *Y = N_VGetArrayPointer(y);
                double dE = fabs(ENERGY(Y, Y + nq) - E0), vi = is_tree  ? 0
                                                               : c->nat ? nat_viol(c, Y)
                                                                        : planar_viol(p, Y);
                if (!(dE <= R.dE))
                    R.dE = dE;
                if (!(vi <= R.viol))
                    R.viol = vi;
                if (A.trace) {
                    double P[3];
                    POINT(Y, P);
                    printf("# %.9g %.9g %.9g %.9g %.3e %.3e\n", t, P[0], P[1], P[2], dE, vi);
                }
            }
            POINT(N_VGetArrayPointer(y), R.p);
            if (A.ref)
                angle_error(p, A.ref, N_VGetArrayPointer(y), R.p);
            R.ok = flag >= 0 && !slow && t >= A.T * (1 - 1e-12) && R.dE == R.dE;
            static char why[64];
            if (slow)
                snprintf(why, sizeof why, "too slow");
            else
                snprintf(why, sizeof why, "flag=%d@t=%.4g", flag, t);
            R.why = why;
            if (is_ida) {
                IDAGetNumSteps(mem, &R.steps);
                if (A.trace) {
                    long a, b, cf, ef;
                    IDAGetNumResEvals(mem, &a);
                    IDAGetNumJacEvals(mem, &b);
                    IDAGetNumNonlinSolvConvFails(mem, &cf);
                    IDAGetNumErrTestFails(mem, &ef);
                    printf("# res %ld jac %ld convfail %ld errfail %ld\n", a, b, cf, ef);
                }
            } else if (is_erk)
                ERKStepGetNumSteps(mem, &R.steps);
            else
                CVodeGetNumSteps(mem, &R.steps);
        }
        if (is_ida)
            IDAFree(&mem);
        else if (is_erk)
            ERKStepFree(&mem);
        else
            CVodeFree(&mem);
        if (LS)
            SUNLinSolFree(LS);
        if (J)
            SUNMatDestroy(J);
        if (NS)
            SUNNonlinSolFree(NS);
        N_VDestroy(y);
        if (yp)
            N_VDestroy(yp);
        N_VDestroy(at);
        if (id)
            N_VDestroy(id);
        if (c->kn)
            klu_l_free_numeric(&c->kn, &c->kc);
        if (c->ks)
            klu_l_free_symbolic(&c->ks, &c->kc);
        SUNContext_Free(&sc);
        if (measure)
            break;
    }
    bench_print("sundials", &A, best, setup, &R);
    return 0;
}
