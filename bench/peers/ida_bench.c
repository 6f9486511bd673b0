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

typedef struct {
    planar *p;
    natural *nat;
    tree *tree;
    int n, nq, nc;
    double *cs; /* cos, sin per body */
    double *K, *f, *g;
    double reg;
    /* IDA Jacobian */
    int nt, rec, k, *R, *C;
    long *slot;
    double *data;
    sunindextype *ap, *ai;
    long nnz;
    int dense;
    /* KKT */
    int knt, *kR, *kC;
    long *kslot;
    SuiteSparse_long *kp, *ki;
    double *kx;
    long knnz;
    klu_l_common kc;
    klu_l_symbolic *ks;
    klu_l_numeric *kn;
    double *rhs, alpha;
    long nfac;
} ctx;

static void trig(ctx *c, const double *q) {
    const planar *p = c->p;
    for (int i = 0; i < p->nb; i++)
        if (p->J[i] > 0) {
            double t = q[p->qi[i] + 2];
            c->cs[2 * i] = cos(t);
            c->cs[2 * i + 1] = sin(t);
        }
}
#define ROT(i, r, x, y)                                                                            \
    double x = c->cs[2 * (i)] * (r)[0] - c->cs[2 * (i) + 1] * (r)[1],                              \
           y = c->cs[2 * (i) + 1] * (r)[0] + c->cs[2 * (i)] * (r)[1]

/* ---------- IDA residual ---------- */
static void nat_res(ctx *c, const double *y, const double *d, double *r);
static void nat_jac(ctx *c, const double *y, double cj);
static void nat_kkt(ctx *c, const double *q, const double *v, double *gam);
static void nat_gv(ctx *c, const double *q, const double *v, double *o);
static int res(realtype t, N_Vector yy, N_Vector yp, N_Vector rr, void *ud) {
    ctx *c = ud;
    const planar *p = c->p;
    (void)t;
    int nq = c->nq, nc = c->nc;
    if (c->nat) {
        nat_res(c, N_VGetArrayPointer(yy), N_VGetArrayPointer(yp), N_VGetArrayPointer(rr));
        return 0;
    }
    const double *y = N_VGetArrayPointer(yy), *d = N_VGetArrayPointer(yp);
    double *r = N_VGetArrayPointer(rr);
    const double *q = y, *v = y + nq, *la = y + 2 * nq, *mu = la + nc;
    double *r1 = r, *r2 = r + nq, *r3 = r + 2 * nq, *r4 = r3 + nc;
    trig(c, q);
    planar_force(p, q, c->f, NULL);
    if (p->nt)
        planar_torsion(p, q, v, c->f);
    for (int i = 0; i < nq; i++)
        r1[i] = d[i] - v[i];
    for (int i = 0; i < p->nb; i++) {
        int k = p->qi[i];
        r2[k] = p->m[i] * d[nq + k] - c->f[k];
        r2[k + 1] = p->m[i] * d[nq + k + 1] - c->f[k + 1];
        if (p->J[i] > 0)
            r2[k + 2] = p->J[i] * d[nq + k + 2] - c->f[k + 2];
    }
    int k = 0;
    for (int i = 0; i < p->nj; i++, k += 2) {
        const revjoint *j = &p->j[i];
        int a = p->qi[j->a];
        ROT(j->a, j->ra, ax, ay);
        r1[a] += mu[k];
        r1[a + 1] += mu[k + 1];
        r1[a + 2] += -ay * mu[k] + ax * mu[k + 1];
        r2[a] += la[k];
        r2[a + 1] += la[k + 1];
        r2[a + 2] += -ay * la[k] + ax * la[k + 1];
        double gx = q[a] + ax, gy = q[a + 1] + ay;
        double vx = v[a] - ay * v[a + 2], vy = v[a + 1] + ax * v[a + 2];
        if (j->b < 0) {
            gx -= j->rb[0];
            gy -= j->rb[1];
        } else {
            int b = p->qi[j->b];
            ROT(j->b, j->rb, bx, by);
            r1[b] -= mu[k];
            r1[b + 1] -= mu[k + 1];
            r1[b + 2] -= -by * mu[k] + bx * mu[k + 1];
            r2[b] -= la[k];
            r2[b + 1] -= la[k + 1];
            r2[b + 2] -= -by * la[k] + bx * la[k + 1];
            gx -= q[b] + bx;
            gy -= q[b + 1] + by;
            vx -= v[b] - by * v[b + 2];
            vy -= v[b + 1] + bx * v[b + 2];
        }
        r3[k] = gx - c->reg * mu[k];
        r3[k + 1] = gy - c->reg * mu[k + 1];
        r4[k] = vx - c->reg * la[k];
        r4[k + 1] = vy - c->reg * la[k + 1];
    }
    for (int i = 0; i < p->nd; i++, k++) {
        int a = p->qi[p->dbody[i]];
        double L = p->dlen[i];
        r1[a] += q[a] / L * mu[k];
        r1[a + 1] += q[a + 1] / L * mu[k];
        r2[a] += q[a] / L * la[k];
        r2[a + 1] += q[a + 1] / L * la[k];
        r3[k] = (q[a] * q[a] + q[a + 1] * q[a + 1] - L * L) / (2 * L);
        r4[k] = (q[a] * v[a] + q[a + 1] * v[a + 1]) / L;
    }
    return 0;
}
#define EM(r_, c_, v_)                                                                             \
    do {                                                                                           \
        if (c->rec) {                                                                              \
            c->R[c->k] = (r_);                                                                     \
            c->C[c->k] = (c_);                                                                     \
            c->k++;                                                                                \
        } else                                                                                     \
            c->data[c->slot[c->k++]] += (v_);                                                      \
    } while (0)
static void jacfill(ctx *c, const double *y, double cj) {
    if (c->nat) {
        nat_jac(c, y, cj);
        return;
    }
    const planar *p = c->p;
    int nq = c->nq, nc = c->nc;
    const double *q = y, *v = y + nq, *la = y + 2 * nq, *mu = la + nc;
    int V = nq, LA = 2 * nq, MU = LA + nc, R3 = 2 * nq, R4 = R3 + nc;
    c->k = 0;
    trig(c, q);
    if (p->ns)
        planar_force(p, q, c->f, c->K);
    for (int i = 0; i < nq; i++) {
        EM(i, i, cj);
        EM(i, V + i, -1.0);
    }
    for (int i = 0; i < p->nb; i++) {
        int k = p->qi[i];
        EM(V + k, V + k, cj * p->m[i]);
        EM(V + k + 1, V + k + 1, cj * p->m[i]);
        if (p->J[i] > 0)
            EM(V + k + 2, V + k + 2, cj * p->J[i]);
    }
    for (int i = 0; i < p->ns; i++) {
        int a = p->qi[p->s[i].a];
        for (int r = 0; r < 3; r++)
            for (int s = 0; s < 3; s++)
                EM(V + a + r, a + s, -c->K[9 * i + 3 * r + s]);
    }
    for (int i = 0; i < p->nt; i++) {
        const torsion *s = &p->t[i];
        int b = p->qi[s->b] + 2, a = s->a < 0 ? -1 : p->qi[s->a] + 2;
        EM(V + b, b, s->k);
        EM(V + b, V + b, s->c);
        if (a >= 0) {
            EM(V + a, a, s->k);
            EM(V + a, V + a, s->c);
            EM(V + a, b, -s->k);
            EM(V + a, V + b, -s->c);
            EM(V + b, a, -s->k);
            EM(V + b, V + a, -s->c);
        }
    }
    int k = 0;
    for (int i = 0; i < p->nj; i++, k += 2) {
        const revjoint *j = &p->j[i];
        for (int side = 0; side < 2; side++) {
            int bd = side ? j->b : j->a;
            if (bd < 0)
                continue;
            double s = side ? -1 : 1;
            const double *rl = side ? j->rb : j->ra;
            int a = p->qi[bd];
            ROT(bd, rl, x, y_);
            double G[2][3] = {{s, 0, -s * y_}, {0, s, s * x}};
            for (int e = 0; e < 2; e++)
                for (int u = 0; u < 3; u++) {
                    if (u < 2 && u != e)
                        continue;
                    EM(a + u, MU + k + e, G[e][u]);
                    EM(V + a + u, LA + k + e, G[e][u]);
                    EM(R3 + k + e, a + u, G[e][u]);
                    EM(R4 + k + e, V + a + u, G[e][u]);
                }
            EM(a + 2, a + 2, -s * (x * mu[k] + y_ * mu[k + 1]));
            EM(V + a + 2, a + 2, -s * (x * la[k] + y_ * la[k + 1]));
            EM(R4 + k, a + 2, -s * x * v[a + 2]);
            EM(R4 + k + 1, a + 2, -s * y_ * v[a + 2]);
        }
        if (c->reg != 0)
            for (int e = 0; e < 2; e++) {
                EM(R3 + k + e, MU + k + e, -c->reg);
                EM(R4 + k + e, LA + k + e, -c->reg);
            }
    }
    for (int i = 0; i < p->nd; i++, k++) {
        int a = p->qi[p->dbody[i]];
        double L = p->dlen[i];
        for (int u = 0; u < 2; u++) {
            double G = q[a + u] / L;
            EM(a + u, MU + k, G);
            EM(V + a + u, LA + k, G);
            EM(R3 + k, a + u, G);
            EM(R4 + k, V + a + u, G);
            EM(a + u, a + u, mu[k] / L);
            EM(V + a + u, a + u, la[k] / L);
            EM(R4 + k, a + u, v[a + u] / L);
        }
    }
}
static int jac(realtype t, realtype cj, N_Vector yy, N_Vector yp, N_Vector rr, SUNMatrix J,
               void *ud, N_Vector t1, N_Vector t2, N_Vector t3) {
    ctx *c = ud;
    (void)t;
    (void)yp;
    (void)rr;
    (void)t1;
    (void)t2;
    (void)t3;
    if (c->dense)
        c->data = SM_DATA_D(J); /* zeroed by IDA */
    else {
        memcpy(SM_INDEXPTRS_S(J), c->ap, (c->n + 1) * sizeof *c->ap);
        memcpy(SM_INDEXVALS_S(J), c->ai, c->nnz * sizeof *c->ai);
        c->data = SM_DATA_S(J);
        memset(c->data, 0, c->nnz * sizeof(double));
    }
    jacfill(c, N_VGetArrayPointer(yy), cj);
    return 0;
}

/* triplets -> compressed columns with slots */
typedef struct {
    long key;
    int id;
} kid;
static int kcmp(const void *a, const void *b) {
    long x = ((const kid *)a)->key, y = ((const kid *)b)->key;
    return x < y ? -1 : x > y;
}
static long compress(int n, int nt, const int *R, const int *C, long *slot, long **ap, long **ai) {
    kid *s = malloc(nt * sizeof *s);
    for (int i = 0; i < nt; i++) {
        s[i].key = (long)C[i] * n + R[i];
        s[i].id = i;
    }
    qsort(s, nt, sizeof *s, kcmp);
    *ap = calloc(n + 1, sizeof(long));
    *ai = malloc(nt * sizeof(long));
    long m = -1, last = -1;
    for (int i = 0; i < nt; i++) {
        if (s[i].key != last) {
            last = s[i].key;
            m++;
            (*ai)[m] = last % n;
            (*ap)[last / n + 1]++;
        }
        slot[s[i].id] = m;
    }
    for (int i = 0; i < n; i++)
        (*ap)[i + 1] += (*ap)[i];
    free(s);
    return m + 1;
}
static void jac_struct(ctx *c, const double *y) {
    int cap = c->nat ? 20000
                     : 8 * c->nq + 64 * c->p->nj + 32 * c->p->nd + 9 * c->p->ns + 8 * c->p->nt + 16;
    c->R = malloc(cap * sizeof(int));
    c->C = malloc(cap * sizeof(int));
    c->rec = 1;
    jacfill(c, y, 1.0);
    c->rec = 0;
    c->nt = c->k;
    c->slot = malloc(c->nt * sizeof(long));
    if (c->dense)
        for (int i = 0; i < c->nt; i++)
            c->slot[i] = (long)c->C[i] * c->n + c->R[i];
    else
        c->nnz = compress(c->n, c->nt, c->R, c->C, c->slot, (long **)&c->ap, (long **)&c->ai);
}

/* ---------- KKT ---------- */
#define KM(r_, c_, v_)                                                                             \
    do {                                                                                           \
        if (c->rec) {                                                                              \
            c->kR[k_] = (r_);                                                                      \
            c->kC[k_] = (c_);                                                                      \
            k_++;                                                                                  \
        } else                                                                                     \
            c->kx[c->kslot[k_++]] += (v_);                                                         \
    } while (0)
/* fills matrix and, if gam != NULL, gam = -d(Gv)/dq v - 2 alpha G v - alpha^2 g */
static void kktfill(ctx *c, const double *q, const double *v, double *gam) {
    if (c->nat) {
        nat_kkt(c, q, v, gam);
        return;
    }
    const planar *p = c->p;
    int nq = c->nq, k_ = 0, k = 0;
    double al = c->alpha;
    if (!c->rec)
        memset(c->kx, 0, c->knnz * sizeof(double));
    trig(c, q);
    for (int i = 0; i < p->nb; i++) {
        int a = p->qi[i];
        KM(a, a, p->m[i]);
        KM(a + 1, a + 1, p->m[i]);
        if (p->J[i] > 0)
            KM(a + 2, a + 2, p->J[i]);
    }
    for (int i = 0; i < p->nj; i++, k += 2) {
        const revjoint *j = &p->j[i];
        double gx = 0, gy = 0, vx = 0, vy = 0, ax = 0, ay = 0;
        for (int side = 0; side < 2; side++) {
            int bd = side ? j->b : j->a;
            if (bd < 0) {
                gx -= j->rb[0];
                gy -= j->rb[1];
                continue;
            }
            double s = side ? -1 : 1;
            const double *rl = side ? j->rb : j->ra;
            int a = p->qi[bd];
            ROT(bd, rl, x, y);
            KM(nq + k, a, s);
            KM(a, nq + k, s);
            KM(nq + k + 1, a + 1, s);
            KM(a + 1, nq + k + 1, s);
            KM(nq + k, a + 2, -s * y);
            KM(a + 2, nq + k, -s * y);
            KM(nq + k + 1, a + 2, s * x);
            KM(a + 2, nq + k + 1, s * x);
            if (gam) {
                double w = v[a + 2];
                gx += s * (q[a] + x);
                gy += s * (q[a + 1] + y);
                vx += s * (v[a] - y * w);
                vy += s * (v[a + 1] + x * w);
                ax -= s * x * w * w;
                ay -= s * y * w * w;
            }
        }
        KM(nq + k, nq + k, -c->reg);
        KM(nq + k + 1, nq + k + 1, -c->reg);
        if (gam) {
            gam[k] = -ax - 2 * al * vx - al * al * gx;
            gam[k + 1] = -ay - 2 * al * vy - al * al * gy;
        }
    }
    for (int i = 0; i < p->nd; i++, k++) {
        int a = p->qi[p->dbody[i]];
        double L = p->dlen[i];
        for (int u = 0; u < 2; u++) {
            KM(nq + k, a + u, q[a + u] / L);
            KM(a + u, nq + k, q[a + u] / L);
        }
        KM(nq + k, nq + k, -c->reg);
        if (gam) {
            double gv = (q[a] * v[a] + q[a + 1] * v[a + 1]) / L,
                   g = (q[a] * q[a] + q[a + 1] * q[a + 1] - L * L) / (2 * L);
            gam[k] = -(v[a] * v[a] + v[a + 1] * v[a + 1]) / L - 2 * al * gv - al * al * g;
        }
    }
    c->knt = k_;
}
static void gv_(ctx *c, const double *q, const double *v, double *o) {
    if (c->nat) {
        nat_gv(c, q, v, o);
        return;
    }
    const planar *p = c->p;
    int k = 0;
    for (int i = 0; i < p->nj; i++, k += 2) {
        const revjoint *j = &p->j[i];
        int a = p->qi[j->a];
        ROT(j->a, j->ra, x, y);
        o[k] = v[a] - y * v[a + 2];
        o[k + 1] = v[a + 1] + x * v[a + 2];
        if (j->b >= 0) {
            int b = p->qi[j->b];
            ROT(j->b, j->rb, bx, by);
            o[k] -= v[b] - by * v[b + 2];
            o[k + 1] -= v[b + 1] + bx * v[b + 2];
        }
    }
    for (int i = 0; i < p->nd; i++, k++) {
        int a = p->qi[p->dbody[i]];
        o[k] = (q[a] * v[a] + q[a + 1] * v[a + 1]) / p->dlen[i];
    }
}
static int kkt_setup(ctx *c, const double *q, const double *v) {
    int n = c->nq + c->nc, cap = c->nat ? 20000 : 4 * c->nq + 24 * c->p->nj + 8 * c->p->nd + 16;
    c->kR = malloc(cap * sizeof(int));
    c->kC = malloc(cap * sizeof(int));
    c->rec = 1;
    kktfill(c, q, v, NULL);
    c->rec = 0;
    c->kslot = malloc(c->knt * sizeof(long));
    c->knnz = compress(n, c->knt, c->kR, c->kC, c->kslot, (long **)&c->kp, (long **)&c->ki);
    c->kx = malloc(c->knnz * sizeof(double));
    c->rhs = malloc(n * sizeof(double));
    klu_l_defaults(&c->kc);
    c->kc.btf = 0;
    c->ks = klu_l_analyze(n, c->kp, c->ki, &c->kc);
    kktfill(c, q, v, NULL);
    c->kn = klu_l_factor(c->kp, c->ki, c->kx, c->ks, &c->kc);
    return c->kn ? 0 : -1;
}
static int kkt_factor(ctx *c, int fresh) {
    c->nfac++;
    if (fresh || !c->kn) {
        if (c->kn)
            klu_l_free_numeric(&c->kn, &c->kc);
        c->kn = klu_l_factor(c->kp, c->ki, c->kx, c->ks, &c->kc);
        return c->kn ? 0 : -1;
    }
    return klu_l_refactor(c->kp, c->ki, c->kx, c->ks, c->kn, &c->kc) ? 0 : -1;
}
/* accelerations and multipliers into c->rhs */
static int accel(ctx *c, const double *q, const double *v) {
    kktfill(c, q, v, c->rhs + c->nq);
    if (c->nat) {
        for (int i = 0; i < 24; i++)
            c->rhs[i] = i % 3 == 1 ? c->nat->fy[i / 3] : 0;
    } else {
        planar_force(c->p, q, c->rhs, NULL);
        if (c->p->nt)
            planar_torsion(c->p, q, v, c->rhs);
    }
    if (kkt_factor(c, 0))
        return 1;
    klu_l_solve(c->ks, c->kn, c->nq + c->nc, 1, c->rhs, &c->kc);
    return 0;
}
static int rhsf(realtype t, N_Vector y, N_Vector yd, void *ud) {
    ctx *c = ud;
    (void)t;
    double *a = N_VGetArrayPointer(y), *d = N_VGetArrayPointer(yd);
    if (c->tree) {
        memcpy(d, a + c->nq, c->nq * sizeof(double));
        tree_accel(c->tree, a, a + c->nq, d + c->nq);
        return 0;
    }
    int e = accel(c, a, a + c->nq);
    memcpy(d, a + c->nq, c->nq * sizeof(double));
    memcpy(d + c->nq, c->rhs, c->nq * sizeof(double));
    return e;
}
static double projtol = 1e-9;
static int project(realtype t, N_Vector y, void *ud) {
    ctx *c = ud;
    (void)t;
    double *q = N_VGetArrayPointer(y), *v = q + c->nq;
    int n = c->nq + c->nc;
    kktfill(c, q, v, NULL);
    if (kkt_factor(c, 1))
        return 1;
    for (int it = 0; it < 5; it++) {
        double mx = 0;
        if (c->nat)
            nat_g(c->nat, q, c->g);
        else
            planar_g(c->p, q, c->g);
        for (int i = 0; i < c->nc; i++)
            if (fabs(c->g[i]) > mx)
                mx = fabs(c->g[i]);
        if (mx <= projtol)
            break;
        memset(c->rhs, 0, c->nq * sizeof(double));
        for (int i = 0; i < c->nc; i++)
            c->rhs[c->nq + i] = -c->g[i];
        klu_l_solve(c->ks, c->kn, n, 1, c->rhs, &c->kc);
        for (int i = 0; i < c->nq; i++)
            q[i] += c->rhs[i];
    }
    if (!c->nat)
        trig(c, q);
    gv_(c, q, v, c->g);
    memset(c->rhs, 0, c->nq * sizeof(double));
    for (int i = 0; i < c->nc; i++)
        c->rhs[c->nq + i] = -c->g[i];
    klu_l_solve(c->ks, c->kn, n, 1, c->rhs, &c->kc);
    for (int i = 0; i < c->nq; i++)
        v[i] += c->rhs[i];
    return 0;
}

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
