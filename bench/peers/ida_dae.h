/* ida_dae.h - the context of ida_bench.c, and IDA's residual and Jacobian of the stabilised index-2
 * form in planar coordinates. Included by ida_bench.c alone. */
#ifndef IDA_DAE_H
#define IDA_DAE_H

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

#endif
