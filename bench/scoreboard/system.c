// SPDX-License-Identifier: Apache-2.0
// A model with the outputs of a problem's signals in place of its own (the text of the file is
// changed before it is read), or a problem in C whose outputs are named q0, v3, a2, lambda1.
#include "system.h"

#include <stdlib.h>
#include <string.h>

static int system_error(HolError *err, const char *text, const char *what) {
    snprintf(err->text, sizeof err->text, "%s: %s", text, what);
    return 0;
}

// ---- texts that grow ----

typedef struct Text {
    char *data;
    size_t length;
    int full; // no memory
} Text;

static void text_put(void *to, const char *data, size_t length) {
    Text *t = to;
    char *grown = realloc(t->data, t->length + length + 1);
    if (!grown) {
        t->full = 1;
        return;
    }
    t->data = grown;
    memcpy(grown + t->length, data, length);
    t->length += length;
    grown[t->length] = 0;
}

static void text_put_string(Text *t, const char *data) {
    text_put(t, data, strlen(data));
}

// the file without its `outputs:` section (that line and the indented ones behind it)
static int text_read_model(Text *t, const char *path) {
    char line[4096];
    int skip = 0;
    FILE *f = fopen(path, "r");
    if (!f)
        return 0;
    while (fgets(line, sizeof line, f)) {
        skip = skip ? line[0] == ' ' : !strncmp(line, "outputs:", 8);
        if (!skip)
            text_put_string(t, line);
    }
    fclose(f);
    return !t->full;
}

static int text_generate(Text *t, const SbProblem *p, HolError *err) {
    HolGenerate o = hol_generate_options();
    o.mechanism = p->generate;
    o.n = p->parts;
    Text raw = {0};
    int ok = hol_generate(&o, text_put, &raw, err) == HOL_OK && raw.data && !raw.full;
    // its outputs stand in one line
    for (char *line = raw.data, *next; ok && line && *line; line = next) {
        next = strchr(line, '\n');
        next = next ? next + 1 : line + strlen(line);
        if (strncmp(line, "outputs:", 8))
            text_put(t, line, (size_t)(next - line));
    }
    free(raw.data);
    return ok && !t->full;
}

// ---- outputs ----

// a column with a minus sign: "-O.fx"; everything else is an expression
static const char *system_output(const char *ours, double *sign) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
    *sign = 1;
    if (ours[0] != '-' || ours[1 + strspn(ours + 1, plain)])
        return ours;
    *sign = -1;
    return ours + 1;
}

static void system_put_outputs(Text *t, const SbProblem *p) {
    const char *separator = "\noutputs: [";
    const char *seen[SB_OUTPUTS];
    int n = 0;
    for (int i = 0; i < p->n_signals; i++)
        for (int k = 0; k < p->signals[i].n; k++) {
            double sign;
            const char *name = system_output(p->signals[i].maps[k].ours, &sign);
            int known = 0;
            for (int j = 0; j < n; j++)
                known |= !strcmp(seen[j], name);
            if (known)
                continue;
            seen[n++] = name;
            text_put_string(t, separator);
            text_put_string(t, "\"");
            text_put_string(t, name);
            text_put_string(t, "\"");
            separator = ", ";
        }
    text_put_string(t, "]\n");
}

static int system_find_outputs(SbSystem *s, const SbProblem *p, HolError *err) {
    const int columns = hol_model_column_count(s->model);
    for (int i = 0; i < p->n_signals; i++)
        for (int k = 0; k < p->signals[i].n; k++) {
            const char *name = system_output(p->signals[i].maps[k].ours, &s->sign[s->n]);
            int c = 0;
            while (c < columns && strcmp(hol_model_column(s->model, c).name, name))
                c++;
            if (c == columns)
                return system_error(err, "no such output", name);
            s->column[s->n++] = c;
        }
    s->row = calloc((size_t)columns, sizeof *s->row);
    return s->row != NULL;
}

static int system_open_model(const char *root, const SbProblem *p, const HolSetting *settings,
                             int n, SbSystem *s, HolError *err) {
    char path[2 * SB_TEXT];
    Text text = {0};
    snprintf(path, sizeof path, "%s/%s", root, *p->model ? p->model : p->generate);
    const int read = *p->model ? text_read_model(&text, path) : text_generate(&text, p, err);
    if (!read) {
        free(text.data);
        return system_error(err, path, "cannot be read");
    }
    system_put_outputs(&text, p);
    const int ok = hol_model_parse(text.data, text.length, path, settings, n, &s->model,
                                   &s->options, err) == HOL_OK;
    free(text.data);
    return ok && system_find_outputs(s, p, err);
}

// ---- problems in C ----

static int system_open_built_in(const SbProblem *p, const char *method, SbSystem *s,
                                HolError *err) {
    if (!sb_built_in(p->built_in, &s->problem, &s->q0, &s->v0))
        return system_error(err, "no such problem", p->built_in);
    s->options = hol_sim_options();
    snprintf(s->options.method.name, sizeof s->options.method.name, "%s", method);
    const int m = s->problem->nh + s->problem->nn;
    for (int i = 0; i < p->n_signals; i++)
        for (int k = 0; k < p->signals[i].n; k++) {
            const char *name = system_output(p->signals[i].maps[k].ours, &s->sign[s->n]);
            const char *digits = name + strcspn(name, "0123456789");
            const int at = atoi(digits), room = *name == 'l' ? m : s->problem->nv;
            if (!*digits || !strchr("qval", *name) || at >= room)
                return system_error(err, "no such output", name);
            s->array[s->n] = *name;
            s->column[s->n++] = at;
        }
    return 1;
}

int sb_system_open(const char *root, const SbProblem *p, const char *method, double tolerance,
                   double end, SbSystem *out, HolError *err) {
    char tolerance_text[32], end_text[32];
    memset(out, 0, sizeof *out);
    snprintf(tolerance_text, sizeof tolerance_text, "%.17g", tolerance);
    snprintf(end_text, sizeof end_text, "%.17g", end);
    const HolSetting settings[] = {
        {"method", method}, {"tolerance", tolerance_text}, {"end", end_text}};
    const int ok = *p->built_in ? system_open_built_in(p, method, out, err)
                                : system_open_model(root, p, settings, 3, out, err);
    out->options.tolerance = tolerance;
    out->options.end = end;
    if (!ok)
        sb_system_close(out);
    return ok;
}

void sb_system_close(SbSystem *s) {
    if (s->model)
        hol_model_destroy(s->model);
    free(s->row);
    s->model = NULL;
    s->row = NULL;
}

// ---- runs ----

int sb_system_start(SbSystem *s, HolSim **out, HolError *err) {
    const HolStatus made =
        s->model ? hol_sim_create(s->model, &s->options, out, err)
                 : hol_sim_create_problem(s->problem, s->q0, s->v0, &s->options, out, err);
    return made == HOL_OK && hol_sim_assemble(*out, err) == HOL_OK;
}

int sb_system_row(SbSystem *s, HolSim *sim, double t, double *out, HolError *err) {
    enum { ROOM = 64 };
    double q[ROOM], v[ROOM], a[ROOM], lambda[ROOM];
    if (s->model) {
        if (hol_sim_row(sim, t, s->row, err) != HOL_OK)
            return 0;
    } else {
        const HolView view = hol_sim_view(sim);
        if (view.nq > ROOM || view.m > ROOM)
            return system_error(err, "too many coordinates", "problem in C");
        if (t >= view.t) { // the last state, also of a run without a step
            memcpy(q, view.q, (size_t)view.nq * sizeof *q);
            memcpy(v, view.v, (size_t)view.nv * sizeof *v);
            memcpy(a, view.a, (size_t)view.nv * sizeof *a);
            memcpy(lambda, view.lambda, (size_t)view.m * sizeof *lambda);
        } else if (hol_sim_interpolate(sim, t, q, v, a, lambda, NULL) != HOL_OK)
            return system_error(err, "no state", "inside the last step");
    }
    for (int i = 0; i < s->n; i++) {
        const double *from = s->model             ? s->row
                             : s->array[i] == 'q' ? q
                             : s->array[i] == 'v' ? v
                             : s->array[i] == 'a' ? a
                                                  : lambda;
        out[i] = s->sign[i] * from[s->column[i]];
    }
    return 1;
}
