// SPDX-License-Identifier: Apache-2.0
// Are certificates true? Over the models given (paths) and random mechanisms:
//   claims     runs with --certify at tolerances 1e-4, 1e-6, 1e-8; the true error of every column
//              at every row against its bound. A run is true when all its columns are inside.
//   accuracy   runs with --accuracy 1e-6: the true error of every column, as a part of its size
// The reference is rk853 at 1e-13, and how well taylor at 1e-13 agrees with it (tangent where one
// of them refuses). Where that is worse than a tenth of the bound, a column cannot be judged: such
// runs are counted apart.
//   build/bench/certify [--random N] [--verbose] models/*.yaml ...      (docs/accuracy.md)
#include "../test/support/random_mechanisms.h"

#include <float.h>
#include <holonom/holonom.h>
#include <stdlib.h>

typedef struct Table { // rows of numbers
    double *values;
    long n, capacity; // numbers
} Table;

static void push(Table *t, const double *row, int n) {
    if (t->n + n > t->capacity) {
        t->capacity = 2 * (t->n + n) + 4096;
        t->values = realloc(t->values, (size_t)t->capacity * sizeof *t->values);
        if (!t->values)
            exit(3);
    }
    memcpy(t->values + t->n, row, (size_t)n * sizeof *row);
    t->n += n;
}

typedef struct Certified {
    Table rows, bounds;
    int columns;
    HolCertificate *z;
} Certified;

static HolStatus begin(void *user, HolSim *s, const HolSimOptions *o, HolError *err) {
    Certified *c = user;
    (void)s, (void)o, (void)err;
    c->rows.n = c->bounds.n = 0;
    return HOL_OK;
}

static HolStatus keep(void *user, const double *row, const double *bounds, const double *all,
                      HolError *err) {
    Certified *c = user;
    (void)all, (void)err;
    push(&c->rows, row, c->columns);
    push(&c->bounds, bounds, c->columns);
    return HOL_OK;
}

static void release(Certified *c) {
    free(c->rows.values);
    free(c->bounds.values);
    hol_certificate_destroy(c->z);
    *c = (Certified){0};
}

// rows at the same times by another method; 0: it refuses
static int refer(const HolModel *m, const HolSimOptions *o, const char *method, double tolerance,
                 const Certified *c, Table *out) {
    HolSimOptions p = *o;
    HolSim *s = NULL;
    p.method = hol_sim_options().method;
    snprintf(p.method.name, sizeof p.method.name, "%s", method);
    p.step = 0;
    p.tolerance = tolerance;
    p.max_steps = strcmp(method, "radau") == 0 ? 20000 : 200000;
    double *row = calloc((size_t)c->columns, sizeof *row);
    HolStatus status = hol_sim_create(m, &p, &s, NULL);
    out->n = 0;
    for (long i = 0; !status && i < c->rows.n; i += c->columns) {
        double t = c->rows.values[i];
        while (!status && hol_sim_time(s) < t - 4 * DBL_EPSILON * fabs(p.end))
            status = hol_sim_step(s, p.end, NULL);
        t = fmin(t, hol_sim_time(s));
        if (!status)
            status = hol_sim_row(s, t, row, NULL);
        push(out, row, c->columns);
    }
    hol_sim_destroy(s);
    free(row);
    return status == HOL_OK;
}

typedef struct Counts {
    long runs, true_runs, unjudged, columns, true_columns, none;
    long asked, below, announced, lied;
    long failed;
} Counts;

typedef struct Case {
    const char *name;
    HolModel *m;
    HolSimOptions o;
    int verbose;
    Table ref, second; // rows of two references, first of all their times
    int referred;      // 1: they are there
    int refused;       // 1: there are none
} Case;

// p and -p are one orientation
static double distance(const HolModel *m, int i, const double *a, const double *b) {
    const char *name = hol_model_column(m, i).name, *dot = strrchr(name, '.');
    const double gap = fabs(a[i] - b[i]);
    return dot && dot[1] == 'q' && strchr("wxyz", dot[2]) && !dot[3] ? fmin(gap, fabs(a[i] + b[i]))
                                                                     : gap;
}

typedef struct Judgement {
    double ratio; // largest error by its bound, where the reference is good enough
    double t, error, bound;
    int unjudged; // rows where it is not
} Judgement;

// the errors of a column in all rows that have a bound
static Judgement judge(const Case *k, const Certified *c, int i) {
    const Table *ref = &k->ref, *second = &k->second;
    const double size = c->z->columns[i]->size;
    Judgement j = {0};
    for (long r = 0; r < c->rows.n; r += c->columns) {
        const double bound = c->bounds.values[r + i];
        if (!isfinite(bound))
            break;
        const double error = distance(k->m, i, c->rows.values + r, ref->values + r);
        const double unsure =
            distance(k->m, i, second->values + r, ref->values + r) + 8 * DBL_EPSILON * size;
        if (error <= bound || error <= j.ratio * bound)
            continue;
        if (unsure > 0.2 * error)
            j.unjudged++;
        else
            j = (Judgement){error / bound, c->rows.values[r], error, bound, j.unjudged};
    }
    return j;
}

static void judge_claims(const Case *k, const Certified *c, Counts *n) {
    int inside = 1, judged = 1;
    for (int i = 1; i < c->columns; i++) {
        if (c->z->columns[i]->claim != HOL_CLAIM_BOUND)
            continue;
        const Judgement j = judge(k, c, i);
        n->columns++;
        n->none += isinf(c->z->columns[i]->bound);
        n->true_columns += j.ratio <= 1;
        judged = judged && !j.unjudged;
        inside = inside && j.ratio <= 1;
        if (k->verbose && j.ratio > 1)
            printf("    %s %s: error %.3g of size %.3g at %.3g s, %.3g times its bound, by %s at "
                   "%g\n",
                   k->name, c->z->columns[i]->name, j.error, c->z->columns[i]->size, j.t, j.ratio,
                   c->z->second->method.name, c->z->second->tolerance);
    }
    n->runs++;
    n->unjudged += inside && !judged;
    n->true_runs += inside && judged;
}

static void judge_accuracy(const Case *k, HolStatus status, const Certified *c, Counts *n) {
    const Table *ref = &k->ref, *second = &k->second;
    double worst = 0;
    const char *name = "";
    for (int i = 1; i < c->columns; i++)
        for (long r = 0; c->z->columns[i]->claim == HOL_CLAIM_BOUND && r < c->rows.n;
             r += c->columns) {
            double error = distance(k->m, i, c->rows.values + r, ref->values + r);
            const double unsure = distance(k->m, i, second->values + r, ref->values + r);
            error = error > unsure ? error : 0;
            if (error > worst * c->z->columns[i]->size) {
                worst = error / c->z->columns[i]->size;
                name = c->z->columns[i]->name;
            }
        }
    n->asked++;
    n->announced += status == HOL_INACCURATE;
    n->below += status == HOL_OK && worst <= c->z->accuracy;
    if (status == HOL_OK && worst > c->z->accuracy)
        n->lied++;
    if (k->verbose && !(status == HOL_OK && worst <= c->z->accuracy))
        printf("    %s: %s, true error %.2g (%s); %s\n", k->name, hol_status_text(status), worst,
               name, c->z->text);
}

typedef struct Reference {
    const char *method;
    double tolerance;
} Reference;

// the first of three that does not refuse
static int refer_any(const Case *k, const Reference list[3], const Certified *c, Table *out) {
    for (int i = 0; i < 3; i++)
        if (refer(k->m, &k->o, list[i].method, list[i].tolerance, c, out))
            return 1;
    return 0;
}

// references at the times of these rows, kept while the times stay
static int find_references(Case *k, const Certified *c) {
    int same = k->referred && k->ref.n == c->rows.n;
    for (long i = 0; same && i < c->rows.n; i += c->columns)
        same = fabs(k->ref.values[i] - c->rows.values[i]) <= 1e-13 * fabs(k->o.end);
    if (!same && !k->refused)
        k->referred =
            refer_any(k, (const Reference[]){{"rk853", 1e-13}, {"rk853", 1e-12}, {"radau", 1e-13}},
                      c, &k->ref) &&
            refer_any(
                k, (const Reference[]){{"taylor", 1e-13}, {"tangent", 1e-12}, {"tangent", 1e-11}},
                c, &k->second);
    k->refused = !k->referred;
    return k->referred;
}

// one certified run of the case
static void certify(Case *k, double accuracy, Counts *n) {
    Certified c = {.columns = hol_model_column_count(k->m)};
    HolCertifyObserver observer = hol_certify_observer();
    observer.begin = begin;
    observer.row = keep;
    observer.user = &c;
    HolSimOptions o = k->o;
    HolError err = {0};
    o.accuracy = accuracy;
    HolStatus status = hol_certify(k->m, &o, &observer, &c.z, &err);
    const int ok = c.z && (status == HOL_OK || status == HOL_INACCURATE) && find_references(k, &c);
    if (!ok) {
        n->failed++;
        if (k->verbose)
            printf("    %s at %g: not judged, %s\n", k->name, o.tolerance,
                   status ? err.text : "no reference");
    } else if (accuracy > 0)
        judge_accuracy(k, status, &c, n);
    else
        judge_claims(k, &c, n);
    release(&c);
}

static void run_case(Case *k, Counts *n) {
    static const double tolerances[] = {1e-4, 1e-6, 1e-8};
    const int adaptive = hol_method_adaptive(k->o.method.name);
    for (int i = 0; i < 3; i++) {
        if (adaptive) {
            k->o.step = 0;
            k->o.tolerance = tolerances[i];
        }
        if (adaptive || i == 0)
            certify(k, 0, n);
    }
    certify(k, 1e-6, n);
    free(k->ref.values);
    free(k->second.values);
}

static double percent(long part, long all) {
    return all ? 100.0 * (double)part / (double)all : 100;
}

static void print(const char *title, const Counts *n) {
    printf("%s\n", title);
    printf(
        "  claims    %5.1f %% of %ld runs true in all columns (%ld cannot be judged), %.2f %% of "
        "%ld columns; %.1f %% of columns without a claim\n",
        percent(n->true_runs, n->runs - n->unjudged), n->runs, n->unjudged,
        percent(n->true_columns, n->columns), n->columns, percent(n->none, n->columns));
    printf("  accuracy  %5.1f %% of %ld below 1e-6, %ld announced, %ld above without a word\n",
           percent(n->below, n->asked), n->asked, n->announced, n->lied);
    printf("  %ld without reference\n", n->failed);
}

int main(int argc, char **argv) {
    int random = 60, verbose = 0;
    Counts models = {0}, mechanisms = {0};
    static char text[65536];
    HolError err;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 1; i < argc; i++) {
        Case k = {.name = argv[i], .verbose = verbose};
        if (strcmp(argv[i], "--verbose") == 0)
            verbose = 1;
        else if (strcmp(argv[i], "--random") == 0 && i + 1 < argc)
            random = atoi(argv[++i]);
        else if (hol_model_load(argv[i], NULL, 0, &k.m, &k.o, &err))
            fprintf(stderr, "%s\n", err.text);
        else
            run_case(&k, &models);
        hol_model_destroy(k.m);
    }
    for (int i = 0; i < random; i++) {
        unsigned seed = 77u + 1000u * (unsigned)i;
        char name[32];
        snprintf(name, sizeof name, "random %d", i);
        Case k = {.name = name, .verbose = verbose};
        write_mechanism(text, sizeof text, &seed, i);
        if (hol_model_parse(text, strlen(text), name, NULL, 0, &k.m, &k.o, &err)) {
            fprintf(stderr, "%s\n", err.text);
            continue;
        }
        k.o.output_step = (k.o.end - k.o.start) / 100;
        run_case(&k, &mechanisms);
        hol_model_destroy(k.m);
    }
    if (models.runs + models.failed)
        print("Models", &models);
    if (mechanisms.runs + mechanisms.failed)
        print("Random mechanisms", &mechanisms);
    return 0;
}
