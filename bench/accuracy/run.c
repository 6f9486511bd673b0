// SPDX-License-Identifier: Apache-2.0
// One run of a mechanism in a process of its own, so that a method that hangs or crashes is a
// result like any other. The child leaves its numbers in shared memory.
#include "accuracy.h"
#include "solve/sim.h"

#include <float.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

const char *acc_outcome_text(int outcome) {
    static const char *const texts[] = {"done", "refused", "failed", "timeout", "crashed"};
    return texts[outcome];
}

// ---- settings ----

enum { SETTINGS = 12 };

// the model with its end and its method
static HolStatus load(const AccMechanism *m, const AccSetting *s, HolModel **model,
                      HolSimOptions *o, HolError *err) {
    char method[160], keys[SETTINGS][40], tolerance[32];
    HolSetting settings[SETTINGS];
    int n = 0;
    snprintf(method, sizeof method, "%s", s->method);
    snprintf(tolerance, sizeof tolerance, "%.17g", s->tolerance > 0 ? s->tolerance : 1e-6);
    if (m->end[0])
        settings[n++] = (HolSetting){"end", m->end};
    char *rest = strchr(method, '/');
    if (rest)
        *rest++ = 0;
    if (strcmp(method, "default") != 0)
        settings[n++] = (HolSetting){"method", method};
    char *place = NULL;
    for (char *p = rest ? strtok_r(rest, "/", &place) : NULL; p && n < SETTINGS - 1;
         p = strtok_r(NULL, "/", &place)) {
        char *value = strchr(p, '=');
        if (!value)
            continue;
        *value++ = 0;
        snprintf(keys[n], sizeof keys[n], "method.%s", p);
        settings[n] = (HolSetting){keys[n], value};
        n++;
    }
    settings[n++] = (HolSetting){"tolerance", tolerance};
    HolStatus status = hol_model_load(m->path, settings, n, model, o, err);
    if (status)
        return status;
    if (!strcmp(method, "default"))
        o->method = hol_sim_options().method;
    o->output_step = 0;
    o->initial_step = o->max_step = o->min_step = 0;
    o->step = s->steps > 0 ? (o->end - o->start) / s->steps : 0;
    return HOL_OK;
}

// ---- one run ----

typedef struct Task {
    const AccMechanism *m;
    const AccReference *r;
    const AccSetting *setting;
    AccRun *out;
    double *values, *first;
} Task;

// the wanted columns of all columns; 0: one is missing
static int find_columns(const HolModel *model, const AccReference *r, int *place) {
    const int all = hol_model_all_column_count(model);
    for (int c = 0, from = 0; c < r->columns; c++) {
        int i = from;
        while (i < all && strcmp(hol_model_all_column(model, i).name, r->names[c]) != 0)
            i++;
        if (i == all)
            return 0;
        place[c] = i;
        from = i + 1;
    }
    return 1;
}

// sizes of changes: of the velocities |v_i| (largest of a run, at least 1e-3 of the largest of
// all), of the positions |v_i| min(T, |v_i|/|a_i|), the amplitude of a vibration
static HolStatus change_sizes(const HolModel *model, const HolSimOptions *o, double *v_size,
                              double *q_size, HolError *err) {
    HolSim *s = NULL;
    HolStatus status = hol_sim_create(model, o, &s, err);
    double largest = 0, before = -INFINITY;
    while (!status && (hol_sim_time(s) < o->end && hol_sim_time(s) > before)) {
        before = s->stats.steps ? hol_sim_time(s) : -INFINITY;
        status = hol_sim_step(s, o->end, err);
        for (int i = 0; i < s->nv; i++) {
            v_size[i] = fmax(v_size[i], fabs(s->x.v[i]));
            q_size[i] = fmax(q_size[i], fabs(s->x.a[i]));
            largest = fmax(largest, v_size[i]);
        }
    }
    for (int i = 0; s && i < s->nv; i++) {
        const double a = q_size[i], duration = o->end - o->start;
        v_size[i] = fmax(v_size[i], 1e-3 * largest);
        q_size[i] = v_size[i] * (a * duration > v_size[i] ? v_size[i] / a : duration);
    }
    hol_sim_destroy(s);
    return status;
}

// every initial value changed by up to `size` of that; assembly then makes the start consistent
static HolStatus perturb(const HolModel *model, const HolSimOptions *o, HolSim *s,
                         const AccSetting *setting, HolError *err) {
    double *v_size = calloc(2 * (size_t)s->nv + 2, sizeof *v_size), *d = v_size + s->nv;
    HolStatus status = change_sizes(model, o, v_size, d, err);
    unsigned state = 12345u + 7919u * (unsigned)setting->perturb;
    for (int i = 0; i < s->nv; i++) {
        state = state * 1664525u + 1013904223u;
        s->x.v[i] += setting->size * v_size[i] * ((double)(state >> 8) / 8388608.0 - 1);
        state = state * 1664525u + 1013904223u;
        d[i] *= setting->size * ((double)(state >> 8) / 8388608.0 - 1);
        // nothing is exact any more
        s->weight_q[i] = fmin(s->weight_q[i], 1);
        s->weight_v[i] = fmin(s->weight_v[i], 1);
    }
    if (s->p->retract)
        s->p->retract(s->p, s->work, s->x.q, d, s->x.q);
    else
        for (int i = 0; i < s->nv; i++)
            s->x.q[i] += d[i];
    free(v_size);
    return status;
}

static HolStatus take_row(HolSim *s, const Task *k, const int *place, double *all, double t,
                          double *out, HolError *err) {
    HolStatus status = hol_sim_row_all(s, t, all, err);
    for (int c = 0; !status && c < k->r->columns; c++)
        out[c] = all[place[c]];
    return status;
}

// to the end, rows at the reference's times by dense output
static HolStatus integrate(HolSim *s, const HolSimOptions *o, const Task *k, const int *place,
                           double *all, HolError *err) {
    HolStatus status = hol_sim_assemble(s, err);
    const int n = k->r->columns;
    if (!status && k->first)
        status = take_row(s, k, place, all, hol_sim_time(s), k->first, err);
    for (int i = 0; !status && i < k->r->rows; i++) {
        const double t = k->r->time[i];
        const double near = 8 * DBL_EPSILON * fmax(fabs(o->end), fabs(t));
        while (!status && hol_sim_time(s) < t - near) {
            const double before = hol_sim_time(s);
            status = hol_sim_step(s, o->end, err);
            if (!status && !(hol_sim_time(s) > before))
                status = HOL_ERR_STEP;
        }
        if (!status)
            status = take_row(s, k, place, all, fmin(t, hol_sim_time(s)), k->values + i * n, err);
    }
    return status;
}

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void run_here(const Task *k) {
    HolModel *model = NULL;
    HolSim *s = NULL;
    HolSimOptions o;
    static HolError err;
    AccRun *out = k->out;
    out->outcome = ACC_REFUSED;
    HolStatus status = load(k->m, k->setting, &model, &o, &err);
    int *place = calloc((size_t)k->r->columns + 1, sizeof *place);
    double *all = NULL;
    if (!status)
        status = hol_sim_create(model, &o, &s, &err);
    if (!status && !find_columns(model, k->r, place)) {
        snprintf(out->text, sizeof out->text, "columns differ from the reference");
        return;
    }
    if (!status) {
        all = calloc((size_t)hol_model_all_column_count(model), sizeof *all);
        if (k->setting->perturb)
            status = perturb(model, &o, s, k->setting, &err);
        const double began = cpu_seconds();
        if (!status)
            status = integrate(s, &o, k, place, all, &err);
        out->seconds = cpu_seconds() - began;
        const HolStats stats = hol_sim_stats(s);
        out->steps = stats.steps;
        out->rejected = stats.rejected;
        out->reached = hol_sim_time(s);
        out->outcome = !status                         ? ACC_DONE
                       : status == HOL_ERR_UNSUPPORTED ? ACC_REFUSED
                                                       : ACC_FAILED;
    }
    if (status)
        snprintf(out->text, sizeof out->text, "%.*s", (int)strcspn(err.text, "\n"), err.text);
    hol_sim_destroy(s);
    hol_model_destroy(model);
    free(place);
    free(all);
}

// ---- in a child ----

static void limit_time(double seconds) {
    const rlim_t whole = (rlim_t)ceil(seconds);
    setrlimit(RLIMIT_CPU, &(struct rlimit){whole, whole + 1});
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    alarm((unsigned)(6 * whole));
}

AccRun acc_run(const AccMechanism *m, const AccReference *r, const AccSetting *setting,
               double *values, double *first) {
    const size_t numbers = (size_t)r->rows * (size_t)r->columns,
                 bytes = sizeof(AccRun) + (numbers + (size_t)r->columns) * sizeof(double);
    AccRun result = {.outcome = ACC_CRASHED};
    void *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return result;
    AccRun *out = shared;
    double *data = (double *)(out + 1);
    const Task task = {m, r, setting, out, data, first ? data + numbers : NULL};
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        limit_time(setting->limit > 0 ? setting->limit : 10);
        run_here(&task);
        _exit(0);
    }
    int status = 1;
    if (child > 0 && waitpid(child, &status, 0) == child) {
        result = *out;
        if (WIFSIGNALED(status)) {
            const int signal = WTERMSIG(status);
            result.outcome = signal == SIGXCPU || signal == SIGALRM || signal == SIGKILL
                                 ? ACC_TIMEOUT
                                 : ACC_CRASHED;
        }
    }
    memcpy(values, data, numbers * sizeof *data);
    if (first)
        memcpy(first, data + numbers, (size_t)r->columns * sizeof *data);
    munmap(shared, bytes);
    return result;
}

// ---- layout of a new reference ----

int acc_reference_layout(const AccMechanism *m, int rows, AccReference *r) {
    HolModel *model = NULL;
    HolSimOptions o;
    static HolError err;
    const AccSetting setting = {.method = "default", .tolerance = 1e-6};
    memset(r, 0, sizeof *r);
    if (load(m, &setting, &model, &o, &err)) {
        fprintf(stderr, "%s: %s\n", m->name, err.text);
        return 0;
    }
    const int all = hol_model_all_column_count(model);
    r->names = calloc((size_t)all, sizeof *r->names);
    for (int i = 0; i < all; i++)
        if (acc_kind(hol_model_all_column(model, i).name) >= 0)
            snprintf(r->names[r->columns++], ACC_NAME, "%s", hol_model_all_column(model, i).name);
    r->rows = rows;
    r->time = calloc((size_t)rows, sizeof(double));
    r->values = calloc((size_t)(rows * r->columns), sizeof(double));
    // not evenly spaced: a periodic motion shall not be seen at its turning points only
    for (int i = 0; i < rows; i++) {
        const double k = i + 1, golden = 0.6180339887498949 * k,
                     shift = i == rows - 1 ? 0 : 0.7 * (golden - floor(golden));
        r->time[i] = i == rows - 1 ? o.end : o.start + (o.end - o.start) * (k - shift) / rows;
    }
    hol_model_destroy(model);
    return 1;
}

// ---- cost ----

int acc_plain_run(const AccMechanism *m, const AccSetting *setting) {
    HolModel *model = NULL;
    HolSimOptions o;
    HolSim *s = NULL;
    static HolError err;
    return !load(m, setting, &model, &o, &err) && !hol_sim_create(model, &o, &s, &err) &&
           !hol_sim_assemble(s, &err) && !hol_sim_advance(s, o.end, &err);
}

typedef struct Cost {
    double seconds;
    long steps;
    int done;
} Cost;

static void cost_here(const AccMechanism *m, const AccSetting *setting, int repeats, Cost *out) {
    HolModel *model = NULL;
    HolSimOptions o;
    static HolError err;
    if (load(m, setting, &model, &o, &err))
        return;
    for (int i = 0; i < repeats; i++) {
        HolSim *s = NULL;
        if (hol_sim_create(model, &o, &s, &err) || hol_sim_assemble(s, &err))
            return;
        const double began = cpu_seconds();
        if (hol_sim_advance(s, o.end, &err))
            return;
        const double seconds = cpu_seconds() - began;
        out->seconds = i ? fmin(out->seconds, seconds) : seconds;
        out->steps = hol_sim_stats(s).steps;
        hol_sim_destroy(s);
    }
    out->done = 1;
}

double acc_cost(const AccMechanism *m, const AccSetting *setting, int repeats, long *steps) {
    Cost *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return NAN;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        limit_time((setting->limit > 0 ? setting->limit : 10) * repeats);
        cost_here(m, setting, repeats, shared);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    const Cost cost = *shared;
    munmap(shared, sizeof *shared);
    *steps = cost.steps;
    return cost.done ? cost.seconds : NAN;
}
