// SPDX-License-Identifier: Apache-2.0
// How many elements the beams with `elements: auto` need (docs/theory/beams.md, 17.5). The motion of
// the model is computed with n, 2n, 4n .. elements, by error control far below the accuracy asked for,
// and its outputs are compared at ROWS times. With the largest difference d between two numbers, in
// units of the output's own size, and the order p that two differences show,
//     error with n: d 2^p / (2^p - 1),    error with 2n: d / (2^p - 1),    p = log2(d_before / d)
// p is taken from 1 to 4, the order of the elements, and as 2 before there are two differences. The
// first number whose error is within the accuracy for every output is taken. The step, the method and
// the output times of the run play no part: a finer time grid has the same beams.
#include "io/refine/refine.h"

#include "holonom/result.h"
#include "holonom/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 200, MOST_ELEMENTS = 256 };
static const double TIME_PART = 0.02; // of the accuracy: the tolerance of the trials
static const double TINY = 1e-6; // of the largest output of the same unit: an output's least size
static const double MOST_WORK = 4e8; // steps times elements of a trial that is still begun

typedef struct Trial {
    HolModel *m;
    HolArena arena;
    double *rows; // (ROWS + 2) of them
    int n_rows, n_columns, elements;
    long steps;
    double end;
    const HolLoadOptions *how; // who watches; or NULL
} Trial;

static void refine_drop(Trial *t) {
    hol_model_destroy(t->m);
    hol_arena_free(&t->arena);
    *t = (Trial){0};
}

static void refine_tell(const Trial *t, double time) {
    char text[160];
    if (!t->how || !t->how->progress)
        return;
    snprintf(text, sizeof text, "elements: auto, trial with %d elements, time %.4g of %g s",
             t->elements, time, t->end);
    t->how->progress(t->how->user, text);
}

static HolStatus refine_row(void *user, HolSim *s, int what, double time, HolError *err) {
    Trial *t = user;
    if (what == HOL_AT_STEP)
        refine_tell(t, time);
    if (what != HOL_AT_ROW || t->n_rows >= ROWS + 2)
        return HOL_OK;
    return hol_sim_row(s, time, t->rows + (long)t->n_rows++ * t->n_columns, err);
}

// the elements of the beams that are not fixed
static int refine_elements(const HolModel *m) {
    int n = 0;
    for (int i = 0; i < m->beams.n; i++)
        if (m->beams.list[i].accuracy > 0)
            n = m->beams.list[i].n > n ? m->beams.list[i].n : n;
    return n;
}

static HolStatus refine_run(Trial *t, const HolModelText *from, const HolSimOptions *given,
                            double accuracy, HolError *err) {
    HolSimOptions o = *given;
    HolSim *s = NULL;
    o.step = 0;
    o.accuracy = 0;
    o.output_step = (o.end - o.start) / ROWS;
    o.tolerance = fmax(1e-11, fmin(o.tolerance, TIME_PART * accuracy));
    if (!hol_method_adaptive(o.method.name))
        o.method = hol_sim_options().method;
    t->n_columns = hol_model_column_count(t->m);
    t->elements = refine_elements(t->m);
    t->rows = HOL_NEW(&t->arena, double, (ROWS + 2) * (long)(t->n_columns + 1));
    if (!t->rows)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    t->end = o.end;
    t->how = from->how;
    HolStatus status = hol_sim_create(t->m, &o, &s, err);
    if (!status && from->how && from->how->stop)
        hol_sim_stop_flag(s, from->how->stop);
    if (!status)
        status = hol_sim_run(s, o.end, refine_row, t, err);
    if (status > HOL_OK && status != HOL_INTERRUPTED) // stopped by an event of the model
        status = HOL_OK;
    if (s)
        t->steps = hol_sim_stats(s).steps;
    hol_sim_destroy(s);
    return status;
}

// ---- comparison ----

static double refine_size(const Trial *t, int column) {
    double most = 0;
    for (int i = 0; i < t->n_rows; i++)
        most = fmax(most, fabs(t->rows[(long)i * t->n_columns + column]));
    return most;
}

// outputs that are the same quantity with any number of elements
static int refine_compared(const char *name) {
    return strcmp(name, "time") != 0 && strcmp(name, "energy.numerical") != 0 &&
           !strstr(name, ".node");
}

static int refine_column(const Trial *t, const char *name) {
    for (int i = 0; i < t->n_columns; i++)
        if (strcmp(hol_model_column(t->m, i).name, name) == 0)
            return i;
    return -1;
}

// the largest difference of a column of b from the same one of a, as a part of its size; < 0: none
static double refine_difference(const Trial *a, const Trial *b, int column) {
    const HolColumn c = hol_model_column(b->m, column);
    const int other = refine_compared(c.name) ? refine_column(a, c.name) : -1;
    const int rows = a->n_rows < b->n_rows ? a->n_rows : b->n_rows;
    double size = refine_size(b, column), d = 0;
    if (other < 0)
        return -1;
    for (int i = 0; i < b->n_columns; i++) {
        const HolColumn like = hol_model_column(b->m, i);
        if (strcmp(like.unit, c.unit) == 0 && refine_compared(like.name))
            size = fmax(size, TINY * refine_size(b, i));
    }
    for (int i = 0; i < rows; i++)
        d = fmax(d, fabs(b->rows[(long)i * b->n_columns + column] -
                         a->rows[(long)i * a->n_columns + other]));
    return size > 0 ? d / size : 0;
}

typedef struct Verdict {
    double coarse, fine; // largest estimated errors with n and 2n elements
    const char *worst;   // output of the latter
} Verdict;

static Verdict refine_judge(const Trial *before, const Trial *a, const Trial *b) {
    Verdict v = {0, 0, ""};
    for (int i = 0; i < b->n_columns; i++) {
        const double d = refine_difference(a, b, i);
        if (d < 0)
            continue;
        const int there = before->m ? refine_column(before, hol_model_column(b->m, i).name) : -1;
        const int mine = there >= 0 ? refine_column(a, hol_model_column(b->m, i).name) : -1;
        double p = 2;
        if (mine >= 0)
            p = fmin(4, fmax(1, log2(refine_difference(before, a, mine) / fmax(d, 1e-300))));
        const double fine = d / (exp2(p) - 1);
        v.coarse = fmax(v.coarse, fine * exp2(p));
        if (fine >= v.fine) {
            v.fine = fine;
            v.worst = hol_model_column(b->m, i).name;
        }
    }
    return v;
}

// ---- the search ----

static double refine_accuracy(const HolModel *m) {
    double accuracy = INFINITY;
    for (int i = 0; i < m->beams.n; i++)
        if (m->beams.list[i].accuracy > 0)
            accuracy = fmin(accuracy, m->beams.list[i].accuracy);
    return accuracy;
}

static const HolBeam *refine_first(const HolModel *m) {
    for (int i = 0; i < m->beams.n; i++)
        if (m->beams.list[i].accuracy > 0)
            return &m->beams.list[i];
    return NULL;
}

static void refine_say(HolModel *m, const Verdict *v, double error) {
    for (int i = 0; i < m->beams.n; i++) {
        const HolBeam *b = &m->beams.list[i];
        if (!(b->accuracy > 0))
            continue;
        hol_model_add_remark(
            m, "beam", b->name, b->line, b->column,
            "beam '%.64s': %d elements, taken by 'elements: auto': the error of the outputs is "
            "about %.2g of their size, asked for %g; most of all %.100s",
            b->name, b->n, error, b->accuracy, v->worst);
    }
}

static HolStatus refine_fail(const HolModel *m, HolError *err, const char *why) {
    const HolBeam *b = refine_first(m);
    hol_error_clear(err);
    hol_problem_error(
        m, err, b->line, b->column,
        "beam '%.64s': 'elements: auto' found no number: %s; give a number of elements, "
        "a larger 'accuracy', or damping to vibrations that are not meant",
        b->name, why);
    return hol_error_set(err, HOL_ERR_CONVERGE, "%s",
                         hol_arena_text(&((HolModel *)m)->arena, err->text));
}

// where the ends of the beams are: what is compared in a model without outputs
static const char **refine_outputs(HolModel *m, int *n) {
    static const char *const ends[] = {"start", "end"}, *const axes[] = {"x", "y", "z"};
    const int dimensions = m->space == HOL_PLANAR ? 2 : 3;
    const char **list = HOL_NEW(&m->arena, const char *, 6 * (long)m->beams.n + 1);
    *n = 0;
    for (int i = 0; list && i < m->beams.n; i++)
        for (int k = 0; k < 2 * dimensions; k++) {
            char text[HOL_OWNER_LENGTH];
            snprintf(text, sizeof text, "%.200s.%s.%s", m->beams.list[i].name, ends[k / dimensions],
                     axes[k % dimensions]);
            list[(*n)++] = hol_arena_text(&m->arena, text);
        }
    return list;
}

// trials from the first level on; *level := the one to take
static HolStatus refine_search(const HolModelText *from, const HolModel *first,
                               const HolSimOptions *o, int *level, Verdict *found, double *error,
                               char *worst, size_t room, HolError *err) {
    const double accuracy = refine_accuracy(first);
    Trial t[3] = {{0}, {0}, {0}};
    HolModelText text = *from;
    HolStatus status = HOL_OK;
    char why[600] = "no trial ran to its end";
    *level = 0;
    for (int k = 1; !*level && status == HOL_OK; k++) {
        HolSimOptions unused;
        text.beam_level = k;
        refine_drop(&t[0]);
        t[0] = t[1];
        t[1] = t[2];
        t[2] = (Trial){0};
        status = hol_model_parse_text(&text, &t[2].m, &unused, sizeof unused, err);
        if (status)
            break;
        const int n = refine_elements(t[2].m);
        if (n > MOST_ELEMENTS || (t[1].m && 4.0 * (double)t[1].steps * t[1].elements > MOST_WORK)) {
            status = refine_fail(first, err, why);
            break;
        }
        status = refine_run(&t[2], from, o, accuracy, err);
        if (hol_model_text_stopped(from))
            status = hol_error_set(err, HOL_INTERRUPTED,
                                   "interrupted while 'elements: auto' tried %d elements", n);
        if (status == HOL_ERR_MEMORY || status == HOL_ERR_INPUT || status == HOL_INTERRUPTED)
            break;
        if (status) { // a coarse beam may turn too far in an element
            snprintf(why, sizeof why, "with %d elements the run fails (%.400s)", n, err->text);
            hol_error_clear(err);
            status = HOL_OK;
            for (int i = 0; i < 3; i++)
                refine_drop(&t[i]);
            continue;
        }
        if (!t[1].m)
            continue;
        const Verdict v = refine_judge(&t[0], &t[1], &t[2]);
        *found = v;
        snprintf(worst, room, "%s", v.worst);
        *level = v.coarse <= accuracy ? k - 1 : v.fine <= accuracy ? k : 0;
        *error = v.coarse <= accuracy ? v.coarse : v.fine;
        snprintf(
            why, sizeof why,
            "with %d elements the error of '%.100s' is still about %.2g of its size, asked for "
            "%g",
            n, v.worst, v.fine, accuracy);
    }
    for (int i = 0; i < 3; i++)
        refine_drop(&t[i]);
    return status;
}

HolStatus hol_refine(const HolModelText *from, HolModel **model, const HolSimOptions *o,
                     HolError *err) {
    HolModelText text = *from;
    Verdict found = {0};
    double error = 0;
    char worst[128] = "";
    int level = 0;
    if (from->stage || from->beam_level || !refine_first(*model) || !(o->end > o->start))
        return HOL_OK;
    if (!text.outputs && !(*model)->def.n_outputs)
        text.outputs = refine_outputs(*model, &text.n_outputs);
    HolStatus status =
        refine_search(&text, *model, o, &level, &found, &error, worst, sizeof worst, err);
    if (status)
        return status;
    HolModel *taken = NULL;
    HolSimOptions unused;
    text = *from;
    text.beam_level = level;
    status = hol_model_parse_text(&text, &taken, &unused, sizeof unused, err);
    if (status)
        return status;
    found.worst = worst;
    refine_say(taken, &found, error);
    hol_model_destroy(*model);
    *model = taken;
    return HOL_OK;
}
