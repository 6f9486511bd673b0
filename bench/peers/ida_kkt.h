/* ida_kkt.h - accelerations and projections by the KKT matrix and KLU, planar coordinates. Included
 * by ida_bench.c alone, after ida_dae.h. */
#ifndef IDA_KKT_H
#define IDA_KKT_H

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

#endif
