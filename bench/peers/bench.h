/* bench.h - shared by all peer benchmark programs: command line, CPU clock,
 * repeat rule, result line, problem constants.
 * Result line (CSV):
 *   engine,method,problem,N,T,parname,par,cpu_s,setup_s,steps,maxdE_J,maxviol_m,px,py,pz,status
 * cpu_s   : CPU time (all threads of the process) of the integration loop only,
 *           best of >=3 repetitions (only one repetition if it took > 30 s)
 * setup_s : CPU time for building the model, topology, assembly, initial conditions
 * The energy and violation come from one further, untimed, identical run. */
#ifndef BENCH_H
#define BENCH_H
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline double cpu_now(void) {
    struct timespec ts;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

typedef struct {
    const char *problem; /* A01 A02 A03 A04 A05 CHAIN CHAIN3D STIFF */
    int N;               /* windows (A02), links (CHAIN, CHAIN3D) or pendula (STIFF) */
    double T;            /* simulated time */
    const char *method;  /* engine specific */
    double h;            /* fixed step, >0 if given */
    double tol;          /* tolerance, >0 if given */
    const char *variant; /* engine specific option string (may be "") */
    int trace;           /* print trajectory of the named point */
    double maxcpu;       /* give up when one run takes longer than this */
    const char *ref;     /* file with the angles of all bodies at the end (STIFF): px is the largest
                            difference from them */
} bench_args;

typedef struct {
    double dE, viol, p[3];
    long steps;
    int ok;          /* 1 reached T */
    const char *why; /* status text */
} bench_result;

static inline bench_args bench_parse(int argc, char **argv, const char *defmethod) {
    bench_args a;
    memset(&a, 0, sizeof a);
    mallopt(M_MMAP_MAX, 0); /* freed memory stays mapped for the next repetition, as in ours */
    mallopt(M_TRIM_THRESHOLD, -1);
    a.problem = "A01";
    a.N = 2;
    a.T = -1;
    a.method = defmethod;
    a.variant = "";
    a.maxcpu = 600;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-p") && i + 1 < argc)
            a.problem = argv[++i];
        else if (!strcmp(argv[i], "-N") && i + 1 < argc)
            a.N = atoi(argv[++i]);
        else if (!strcmp(argv[i], "-T") && i + 1 < argc)
            a.T = atof(argv[++i]);
        else if (!strcmp(argv[i], "-m") && i + 1 < argc)
            a.method = argv[++i];
        else if (!strcmp(argv[i], "-h") && i + 1 < argc)
            a.h = atof(argv[++i]);
        else if (!strcmp(argv[i], "-tol") && i + 1 < argc)
            a.tol = atof(argv[++i]);
        else if (!strcmp(argv[i], "-v") && i + 1 < argc)
            a.variant = argv[++i];
        else if (!strcmp(argv[i], "-maxcpu") && i + 1 < argc)
            a.maxcpu = atof(argv[++i]);
        else if (!strcmp(argv[i], "-ref") && i + 1 < argc)
            a.ref = argv[++i];
        else if (!strcmp(argv[i], "-trace"))
            a.trace = 1;
        else {
            fprintf(stderr,
                    "usage: %s -p A01|A02|A03|A04|A05|CHAIN|CHAIN3D|STIFF [-N n] [-T t] -m method "
                    "(-h step "
                    "| -tol tol) [-v variant]\n",
                    argv[0]);
            exit(2);
        }
    }
    if (a.T < 0)
        a.T = !strcmp(a.problem, "A03") ? 0.05 : !strncmp(a.problem, "CHAIN", 5) ? 1.0 : 10.0;
    if (a.h <= 0 && a.tol <= 0) {
        fprintf(stderr, "give -h or -tol\n");
        exit(2);
    }
    return a;
}

static inline int isprob(const bench_args *a, const char *s) {
    return !strcmp(a->problem, s);
}
static inline int hasopt(const bench_args *a, const char *s) {
    return strstr(a->variant, s) != NULL;
}

/* option value "name=1.5" inside the variant string */
static inline double optval(const bench_args *a, const char *name, double dflt) {
    size_t l = strlen(name);
    for (const char *s = a->variant; (s = strstr(s, name)) != NULL; s += l)
        if (s[l] == '=')
            return atof(s + l + 1);
    return dflt;
}

/* keep repeating? n runs done, best and total CPU so far */
static inline int bench_more(int n, double total, double last) {
    if (last > 30.0)
        return 0;
    if (n < 3)
        return 1;
    return total < 0.1 && n < 200;
}

static inline void bench_print(const char *engine, const bench_args *a, double cpu, double setup,
                               const bench_result *r) {
    printf("%s,%s%s%s,%s,%d,%g,%s,%.6g,%.6g,%.6g,%ld,%.4e,%.4e,%.10g,%.10g,%.10g,%s\n", engine,
           a->method, a->variant[0] ? "+" : "", a->variant, a->problem,
           (isprob(a, "A02") || !strncmp(a->problem, "CHAIN", 5) || isprob(a, "STIFF")) ? a->N : 0,
           a->T, a->h > 0 ? "h" : "tol", a->h > 0 ? a->h : a->tol, cpu, setup, r->steps, r->dE,
           r->viol, r->p[0], r->p[1], r->p[2], r->ok ? "ok" : (r->why ? r->why : "fail"));
    fflush(stdout);
}

/* ---- Andrews squeezer, Schiehlen's data as in Hairer & Wanner / IVP test set ---- */
static const double AM[7] = {.04325, .00365, .02373, .00706, .07050, .00706, .05498};
static const double AI[7] = {2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5};
#define A_XA (-.06934)
#define A_YA (-.00227)
#define A_XB (-.03635)
#define A_YB (.03273)
#define A_XC (.014)
#define A_YC (.072)
#define A_C0 4530.0
#define A_D 28e-3
#define A_DA 115e-4
#define A_E 2e-2
#define A_EA 1421e-5
#define A_RR 7e-3
#define A_RA 92e-5
#define A_L0 7785e-5
#define A_SS 35e-3
#define A_SA 1874e-5
#define A_SB 1043e-5
#define A_SC 18e-3
#define A_SD 2e-2
#define A_TA 2308e-5
#define A_TB 916e-5
#define A_U 4e-2
#define A_UA 1228e-5
#define A_UB 449e-5
#define A_ZF 2e-2
#define A_ZT 4e-2
#define A_FA 1421e-5
#define A_MOM 33e-3
#define A_BETA0 (-0.0617138900142764496358948458001)
#define A_THETA0 0.0
#define A_GAMMA0 0.455279819163070380255912382449
#define A_PHI0 0.222668390165885884674473185609
#define A_DELTA0 0.487364979543842550225598953530
#define A_OMEGA0 (-0.222668390165885884674473185609)
#define A_EPS0 1.23054744454982119249735015568

#define GRAV 9.81

/* ---- A05 flyball governor (IFToMM data), y vertical ---- */
#define F_K 8e5
#define F_C 4e4
#define F_L0 0.5
#define F_S0 0.5
#define F_W0 (2 * M_PI)
#define F_RHO 3000.0
#define F_MB 5.0
#endif
