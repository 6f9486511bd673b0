/* planar.h - planar multibody model in absolute Cartesian coordinates
 * (x, y, theta of each centre of mass), revolute joints, one distance joint
 * type for a particle, point springs, constant torques.  Used by ida_bench.c. */
#ifndef PLANAR_H
#define PLANAR_H
#include "bench.h"

typedef struct {
    int a, b;
    double ra[2], rb[2];
} revjoint; /* b = -1: ground, rb = ground point */
typedef struct {
    int a;
    double ra[2], c[2], k, l0;
} gspring; /* body point to ground point */
typedef struct {
    int a, b;
    double k, c, a0;
} torsion; /* torque -k(tb-ta-a0) - c(wb-wa) on b; a = -1: ground */

typedef struct {
    int nb, nj, nd, ns; /* bodies, revolutes, distance constraints (particle-ground), springs */
    int nq, nc;         /* coordinates, constraint equations */
    double *m, *J, *q0, *v0; /* per body, initial state; J<=0 marks a particle (2 coords) */
    int *qi;                 /* first coordinate of body */
    revjoint *j;
    int *dbody;
    double *dlen; /* distance to origin */
    gspring *s;
    int nt;
    torsion *t;  /* torsion springs with dampers */
    double *tau; /* constant torque per body */
    double g;
} planar;

static inline planar *planar_new(int nb, int nj, int nd, int ns) {
    planar *p = (planar *)calloc(1, sizeof *p);
    p->nb = nb;
    p->nj = nj;
    p->nd = nd;
    p->ns = ns;
    p->g = GRAV;
    p->m = (double *)calloc(nb, 8);
    p->J = (double *)calloc(nb, 8);
    p->tau = (double *)calloc(nb, 8);
    p->q0 = (double *)calloc(3 * nb, 8);
    p->v0 = (double *)calloc(3 * nb, 8);
    p->qi = (int *)calloc(nb + 1, sizeof(int));
    p->j = (revjoint *)calloc(nj + 1, sizeof(revjoint));
    p->dbody = (int *)calloc(nd + 1, sizeof(int));
    p->dlen = (double *)calloc(nd + 1, 8);
    p->s = (gspring *)calloc(ns + 1, sizeof(gspring));
    return p;
}
static inline void planar_finish(planar *p) {
    int n = 0;
    for (int i = 0; i < p->nb; i++) {
        p->qi[i] = n;
        n += p->J[i] > 0 ? 3 : 2;
    }
    p->qi[p->nb] = n;
    p->nq = n;
    p->nc = 2 * p->nj + p->nd;
}
static inline void setj(revjoint *j, int a, double ax, double ay, int b, double bx, double by) {
    j->a = a;
    j->b = b;
    j->ra[0] = ax;
    j->ra[1] = ay;
    j->rb[0] = bx;
    j->rb[1] = by;
}
static inline void setq(double *q, double x, double y, double t) {
    q[0] = x;
    q[1] = y;
    q[2] = t;
}

static inline planar *planar_build(const bench_args *A) {
    planar *p = NULL;
    if (isprob(A, "A01")) {
        p = planar_new(1, 0, 1, 0);
        p->m[0] = 1;
        p->J[0] = 0;
        planar_finish(p);
        p->q0[0] = 1;
        p->q0[1] = 0;
        p->dbody[0] = 0;
        p->dlen[0] = 1;
    } else if (isprob(A, "A02")) {
        int N = A->N;
        p = planar_new(2 * N + 1, 3 * N + 1, 0, 0);
        for (int i = 0; i < p->nb; i++) {
            p->m[i] = 1;
            p->J[i] = 1.0 / 12;
        }
        planar_finish(p);
        /* bodies are interleaved crank0 coupler0 crank1 coupler1 ... (good for any ordering) */
        for (int i = 0; i <= N; i++) { /* crank: local x along the bar, angle pi/2 */
            int b = 2 * i;
            setq(p->q0 + 3 * b, i, 0.5, M_PI / 2);
            setq(p->v0 + 3 * b, 0.5, 0, -1);
        }
        for (int i = 0; i < N; i++) {
            int b = 2 * i + 1;
            setq(p->q0 + 3 * b, i + 0.5, 1, 0);
            setq(p->v0 + 3 * b, 1, 0, 0);
        }
        int k = 0;
        for (int i = 0; i <= N; i++) {
            setj(&p->j[k++], 2 * i, -0.5, 0, -1, i, 0);
            if (i < N) {
                setj(&p->j[k++], 2 * i, 0.5, 0, 2 * i + 1, -0.5, 0);
                setj(&p->j[k++], 2 * i + 2, 0.5, 0, 2 * i + 1, 0.5, 0);
            }
        }
    } else if (isprob(A, "CHAIN")) {
        int n = A->N;
        p = planar_new(n, n, 0, 0);
        for (int i = 0; i < n; i++) {
            p->m[i] = 1;
            p->J[i] = 1.0 / 12;
        }
        planar_finish(p);
        for (int i = 0; i < n; i++) {
            setq(p->q0 + 3 * i, i + 0.5, 0, 0);
            if (i == 0)
                setj(&p->j[i], 0, -0.5, 0, -1, 0, 0);
            else
                setj(&p->j[i], i - 1, 0.5, 0, i, -0.5, 0);
        }
    } else if (isprob(A, "A03")) {
        p = planar_new(7, 10, 0, 1);
        p->g = 0;
        for (int i = 0; i < 7; i++) {
            p->m[i] = AM[i];
            p->J[i] = AI[i];
        }
        planar_finish(p);
        double be = A_BETA0, th = A_THETA0, ga = A_GAMMA0, ph = A_PHI0, de = A_DELTA0,
               om = A_OMEGA0, ep = A_EPS0;
        double Fx = A_RR * cos(be), Fy = A_RR * sin(be);
        double Gx = A_XA + A_ZT * cos(de), Gy = A_YA + A_ZT * sin(de);
        double Hx = A_XA + A_U * sin(ep), Hy = A_YA - A_U * cos(ep);
        /* body frames: K1 angle beta, K2 beta+theta, K3 gamma, K4 phi+delta, K5 delta, K6
         * omega+eps, K7 eps */
        setq(p->q0 + 0, A_RA * cos(be), A_RA * sin(be), be);
        setq(p->q0 + 3, Fx - A_DA * cos(be + th), Fy - A_DA * sin(be + th), be + th);
        setq(p->q0 + 6, A_XB + A_SA * sin(ga) + A_SB * cos(ga),
             A_YB - A_SA * cos(ga) + A_SB * sin(ga), ga);
        setq(p->q0 + 9, Gx + (A_E - A_EA) * sin(ph + de), Gy - (A_E - A_EA) * cos(ph + de),
             ph + de);
        setq(p->q0 + 12, A_XA + A_TA * cos(de) - A_TB * sin(de),
             A_YA + A_TA * sin(de) + A_TB * cos(de), de);
        setq(p->q0 + 15, Hx + (A_ZF - A_FA) * cos(om + ep), Hy + (A_ZF - A_FA) * sin(om + ep),
             om + ep);
        setq(p->q0 + 18, A_XA + A_UA * sin(ep) - A_UB * cos(ep),
             A_YA - A_UA * cos(ep) - A_UB * sin(ep), ep);
        /* local vectors relative to the mass centre */
        double E2[2] = {-A_D + A_DA, 0}, E3[2] = {-A_SB, -A_SS + A_SA},
               E4[2] = {0, -A_E + (A_E - A_EA)}, E6[2] = {A_ZF - (A_ZF - A_FA), 0};
        int k = 0;
        setj(&p->j[k++], 0, -A_RA, 0, -1, 0, 0);                        /* O */
        setj(&p->j[k++], 0, A_RR - A_RA, 0, 1, A_DA, 0);                /* F */
        setj(&p->j[k++], 2, -A_SB, A_SA, -1, A_XB, A_YB);               /* B */
        setj(&p->j[k++], 4, -A_TA, -A_TB, -1, A_XA, A_YA);              /* A (K5) */
        setj(&p->j[k++], 6, A_UB, A_UA, -1, A_XA, A_YA);                /* A (K7) */
        setj(&p->j[k++], 4, A_ZT - A_TA, -A_TB, 3, 0, A_E - A_EA);      /* G */
        setj(&p->j[k++], 6, A_UB, -(A_U - A_UA), 5, -(A_ZF - A_FA), 0); /* H */
        setj(&p->j[k++], 1, E2[0], E2[1], 2, E3[0], E3[1]);             /* E */
        setj(&p->j[k++], 3, E4[0], E4[1], 2, E3[0], E3[1]);
        setj(&p->j[k++], 5, E6[0], E6[1], 2, E3[0], E3[1]);
        gspring *s = &p->s[0];
        s->a = 2;
        s->ra[0] = A_SD - A_SB;
        s->ra[1] = -A_SC + A_SA;
        s->c[0] = A_XC;
        s->c[1] = A_YC;
        s->k = A_C0;
        s->l0 = A_L0;
        p->tau[0] = A_MOM;
    } else if (isprob(
                   A,
                   "STIFF")) { /* N double pendula, as `holonom generate stiff-row N` writes them */
        int n = A->N, nt = 0;
        p = planar_new(2 * n, 2 * n, 0, 0);
        p->t = (torsion *)calloc(3 * n, sizeof(torsion));
        for (int i = 0; i < n; i++) {
            p->m[2 * i] = 3;
            p->J[2 * i] = 1;
            p->m[2 * i + 1] = 0.3;
            p->J[2 * i + 1] = 0.3 * 2.25 / 3;
        }
        planar_finish(p);
        for (int i = 0; i < n; i++) {
            setq(p->q0 + 6 * i, 1, 0, 0);
            setq(p->q0 + 6 * i + 3, 3.5, 0, 0);
            setj(&p->j[2 * i], 2 * i, -1, 0, -1, 0, 0);
            setj(&p->j[2 * i + 1], 2 * i, 1, 0, 2 * i + 1, -1.5, 0);
            torsion hip = {-1, 2 * i, 400 + 200 * sin(i + 1.0), 15, -M_PI / 2},
                    knee = {2 * i, 2 * i + 1, 3e5, 5e4, 0}, link = {2 * i, 2 * i + 2, 100, 1, 0};
            p->t[nt++] = hip;
            p->t[nt++] = knee;
            if (i + 1 < n)
                p->t[nt++] = link;
        }
        p->nt = nt;
    } else {
        fprintf(stderr, "problem %s is not planar\n", A->problem);
        exit(2);
    }
    return p;
}

static inline void planar_g(const planar *p, const double *q, double *g) {
    int k = 0;
    for (int i = 0; i < p->nj; i++) {
        const revjoint *j = &p->j[i];
        const double *qa = q + p->qi[j->a];
        double c = cos(qa[2]), s = sin(qa[2]);
        double x = qa[0] + c * j->ra[0] - s * j->ra[1], y = qa[1] + s * j->ra[0] + c * j->ra[1];
        if (j->b < 0) {
            x -= j->rb[0];
            y -= j->rb[1];
        } else {
            const double *qb = q + p->qi[j->b];
            double cb = cos(qb[2]), sb = sin(qb[2]);
            x -= qb[0] + cb * j->rb[0] - sb * j->rb[1];
            y -= qb[1] + sb * j->rb[0] + cb * j->rb[1];
        }
        g[k++] = x;
        g[k++] = y;
    }
    for (int i = 0; i < p->nd; i++) {
        const double *qa = q + p->qi[p->dbody[i]];
        g[k++] = (qa[0] * qa[0] + qa[1] * qa[1] - p->dlen[i] * p->dlen[i]) / (2 * p->dlen[i]);
    }
}
/* max distance of joint points */
static inline double planar_viol(const planar *p, const double *q) {
    double mx = 0, *g = (double *)malloc(8 * (p->nc + 1));
    planar_g(p, q, g);
    for (int i = 0; i < p->nj; i++) {
        double d = hypot(g[2 * i], g[2 * i + 1]);
        if (!(d <= mx))
            mx = d;
    }
    for (int i = 0; i < p->nd; i++) {
        const double *qa = q + p->qi[p->dbody[i]];
        double d = fabs(hypot(qa[0], qa[1]) - p->dlen[i]);
        if (!(d <= mx))
            mx = d;
    }
    free(g);
    return mx;
}
/* total energy; for A03 minus the work of the drive torque */
static inline double planar_energy(const planar *p, const double *q, const double *v) {
    double E = 0;
    for (int i = 0; i < p->nb; i++) {
        const double *a = q + p->qi[i], *u = v + p->qi[i];
        E += 0.5 * p->m[i] * (u[0] * u[0] + u[1] * u[1]) + p->m[i] * p->g * a[1];
        if (p->J[i] > 0)
            E += 0.5 * p->J[i] * u[2] * u[2] - p->tau[i] * a[2];
    }
    for (int i = 0; i < p->ns; i++) {
        const gspring *s = &p->s[i];
        const double *a = q + p->qi[s->a];
        double c = cos(a[2]), sn = sin(a[2]);
        double dx = a[0] + c * s->ra[0] - sn * s->ra[1] - s->c[0],
               dy = a[1] + sn * s->ra[0] + c * s->ra[1] - s->c[1];
        double L = hypot(dx, dy);
        E += 0.5 * s->k * (L - s->l0) * (L - s->l0);
    }
    for (int i = 0; i < p->nt; i++) {
        const torsion *s = &p->t[i];
        double d = q[p->qi[s->b] + 2] - (s->a < 0 ? 0 : q[p->qi[s->a] + 2]) - s->a0;
        E += 0.5 * s->k * d * d;
    }
    return E;
}
/* torques of the torsion springs and dampers, added to f */
static inline void planar_torsion(const planar *p, const double *q, const double *v, double *f) {
    for (int i = 0; i < p->nt; i++) {
        const torsion *s = &p->t[i];
        int b = p->qi[s->b] + 2, a = s->a < 0 ? -1 : p->qi[s->a] + 2;
        double T = s->k * (q[b] - (a < 0 ? 0 : q[a]) - s->a0) + s->c * (v[b] - (a < 0 ? 0 : v[a]));
        f[b] -= T;
        if (a >= 0)
            f[a] += T;
    }
}
/* applied forces; also spring stiffness entries dF/dq (3x3) into K if K != NULL (ns blocks) */
static inline void planar_force(const planar *p, const double *q, double *f, double *K) {
    for (int i = 0; i < p->nb; i++) {
        double *F = f + p->qi[i];
        F[0] = 0;
        F[1] = -p->m[i] * p->g;
        if (p->J[i] > 0)
            F[2] = p->tau[i];
    }
    for (int i = 0; i < p->ns; i++) {
        const gspring *s = &p->s[i];
        const double *a = q + p->qi[s->a];
        double c = cos(a[2]), sn = sin(a[2]);
        double rx = c * s->ra[0] - sn * s->ra[1], ry = sn * s->ra[0] + c * s->ra[1];
        double d[2] = {a[0] + rx - s->c[0], a[1] + ry - s->c[1]};
        double L = hypot(d[0], d[1]), al = s->k * (L - s->l0) / L;
        double *F = f + p->qi[s->a];
        F[0] -= al * d[0];
        F[1] -= al * d[1];
        F[2] -= al * (-d[0] * ry + d[1] * rx);
        if (K) { /* dF/dq = -(k(1-l0/L) I + k l0/L^3 d d^T) in point space, chained */
            double H[2][2], be = s->k * s->l0 / (L * L * L);
            H[0][0] = al + be * d[0] * d[0];
            H[0][1] = H[1][0] = be * d[0] * d[1];
            H[1][1] = al + be * d[1] * d[1];
            double P[2][3] = {{1, 0, -ry}, {0, 1, rx}};
            double *B = K + 9 * i;
            for (int r = 0; r < 3; r++)
                for (int t = 0; t < 3; t++) {
                    double w = 0;
                    for (int u = 0; u < 2; u++)
                        for (int z = 0; z < 2; z++)
                            w += P[u][r] * H[u][z] * P[z][t];
                    B[3 * r + t] = -w;
                }
            B[8] -= -al * (d[0] * rx + d[1] * ry); /* second derivative of the point */
        }
    }
}
static inline void planar_point(const bench_args *A, const planar *p, const double *q, double *P) {
    P[2] = 0;
    if (isprob(A, "A01")) {
        P[0] = q[0];
        P[1] = q[1];
    } else if (isprob(A, "A02")) {
        P[0] = q[0] + 0.5 * cos(q[2]);
        P[1] = q[1] + 0.5 * sin(q[2]);
    } else if (isprob(A, "STIFF")) {
        int n = A->N;
        P[0] = q[5];
        P[1] = q[6 * ((n + 2) / 3) - 1];
        P[2] = q[6 * ((2 * n + 2) / 3) - 1];
    } else if (isprob(A, "CHAIN")) { /* end of link 5 */
        const double *a = q + 3 * (p->nb < 5 ? p->nb - 1 : 4);
        P[0] = a[0] + 0.5 * cos(a[2]);
        P[1] = a[1] + 0.5 * sin(a[2]);
    } else {
        P[0] = A_RR * cos(q[2]);
        P[1] = A_RR * sin(q[2]);
        P[2] = q[2];
    }
}
#endif
