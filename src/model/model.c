// SPDX-License-Identifier: Apache-2.0
// Building a model: definitions are copied into the model's arena, names are checked at once, all
// else waits for hol_model_compile (compile.c). Body 0 is the ground.
#include "model/model.h"
#include "base/sha256.h"
#include "base/text.h"
#include "math/saddle/kkt.h"
#include "model/expr/function.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

void hol_problem_error(const HolModel *m, HolError *err, int line, int column, const char *format,
                       ...) {
    char text[800];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const char *file = hol_model_line(m, &line);
    hol_error_add(err, HOL_ERR_INPUT, file, line, column, "%s", text);
}

const char *hol_model_line(const HolModel *m, int *line) {
    for (int i = m->n_lines - 1; i >= 0; i--)
        if (*line > m->lines[i].before) {
            *line -= m->lines[i].before;
            return m->lines[i].file;
        }
    return m->file;
}

static int model_count_lines(const char *text, size_t n) {
    int lines = 1;
    const char *end = text + n;
    while ((text = memchr(text, '\n', (size_t)(end - text))))
        text++, lines++;
    return lines + 1; // an error may stand behind the last
}

int hol_model_add_lines(HolModel *m, const char *file, const char *text, size_t n) {
    const HolSourceLines *last = m->n_lines ? &m->lines[m->n_lines - 1] : NULL;
    const int before =
        last ? last->before + last->count : model_count_lines(m->source, strlen(m->source));
    const int count = model_count_lines(text, n);
    if (count > INT_MAX / 2 - before || !HOL_GROW(&m->arena, m->lines, m->n_lines, m->cap_lines))
        return -1;
    m->lines[m->n_lines++] = (HolSourceLines){hol_arena_text(&m->arena, file), before, count};
    return before;
}

// ---- names: open addressing, twice as many places as names ----

static uint32_t hash_name(const char *name) {
    uint32_t h = 2166136261u;
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 16777619u;
    return h;
}

typedef const char *(*NameOf)(const HolModel *m, int i);

static const char *body_name(const HolModel *m, int i) {
    return m->def.bodies[i].def.name;
}

static const char *joint_name(const HolModel *m, int i) {
    return m->def.joints[i].def.name;
}

static const char *parameter_name(const HolModel *m, int i) {
    return m->def.parameters[i].name;
}

static int hash_find(const HolModel *m, const int *table, int size, NameOf name_of,
                     const char *name) {
    if (!size || !name)
        return -1;
    for (uint32_t h = hash_name(name);; h++) {
        int i = table[h % (uint32_t)size] - 1;
        if (i < 0)
            return -1;
        if (strcmp(name_of(m, i), name) == 0)
            return i;
    }
}

static void hash_put(const HolModel *m, int *table, int size, NameOf name_of, int i) {
    uint32_t h = hash_name(name_of(m, i));
    while (table[h % (uint32_t)size])
        h++;
    table[h % (uint32_t)size] = i + 1;
}

// add entry n-1; rebuild when half full
static int hash_add(HolModel *m, int **table, int *size, NameOf name_of, int n) {
    if (2 * n > *size) {
        int fresh_size = *size ? 4 * *size : 64;
        int *fresh = HOL_NEW(&m->arena, int, fresh_size);
        if (!fresh)
            return 0;
        for (int i = 0; i < n - 1; i++)
            hash_put(m, fresh, fresh_size, name_of, i);
        *table = fresh;
        *size = fresh_size;
    }
    hash_put(m, *table, *size, name_of, n - 1);
    return 1;
}

// of the last one of n
static void note_name(HolModel *m, HolNameTable *names, const char *name, int n) {
    if (name)
        hol_name_table_add(names, &m->arena, name, NULL, n - 1);
}

static const char *syntax_text(const HolModel *m, int i) {
    return hol_syntax_text(m->def.syntaxes[i]);
}

const HolSyntax *hol_model_syntax(HolModel *m, const char *text) {
    HolDefinitions *d = &m->def;
    const int known =
        hash_find(m, d->names.syntax_hash, d->names.syntax_hash_size, syntax_text, text);
    if (known >= 0)
        return d->syntaxes[known];
    if (!HOL_GROW(&m->arena, d->syntaxes, d->n_syntaxes, d->cap_syntaxes))
        return NULL;
    const HolSyntax *syntax = hol_syntax_parse(&m->arena, text);
    if (!syntax)
        return NULL;
    d->syntaxes[d->n_syntaxes++] = syntax;
    return hash_add(m, &d->names.syntax_hash, &d->names.syntax_hash_size, syntax_text,
                    d->n_syntaxes)
               ? syntax
               : NULL;
}

int hol_body_find(const HolModel *m, const char *name) {
    if (!name)
        return 0;
    const int body =
        hash_find(m, m->def.names.body_hash, m->def.names.body_hash_size, body_name, name);
    return body < 0 && m->beams.n ? hol_beam_place(m, name) : body;
}

int hol_joint_find(const HolModel *m, const char *name) {
    return hash_find(m, m->def.names.joint_hash, m->def.names.joint_hash_size, joint_name, name);
}

const HolPointDef *hol_point_find(const HolBody *body, const char *name) {
    if (body->point_names.n > 0 && body->point_names.n == body->def.n_points) {
        const int i = hol_name_table_number(&body->point_names, name);
        return i < 0 ? NULL : &body->def.points[i];
    }
    for (int i = 0; i < body->def.n_points; i++)
        if (strcmp(body->def.points[i].name, name) == 0)
            return &body->def.points[i];
    return NULL;
}

double hol_parameter(const HolModel *m, const char *name, int *found) {
    const int i = hash_find(m, m->def.names.parameter_hash, m->def.names.parameter_hash_size,
                            parameter_name, name);
    *found = i >= 0;
    return i >= 0 ? m->def.parameters[i].value : 0;
}

// ---- create, destroy ----

static HolStatus model_out_of_memory(HolError *err) {
    return hol_error_set(err, HOL_ERR_MEMORY, "out of memory while building the model");
}

HolStatus hol_model_create(const char *name, HolSpace space, const double *gravity, HolModel **out,
                           HolError *err) {
    HolArena arena = {0};
    hol_error_clear(err);
    if (!out)
        return hol_error_set(err, HOL_ERR_INPUT, "there is no place for the model: out is NULL");
    *out = NULL;
    if (space != HOL_PLANAR && space != HOL_SPATIAL)
        return hol_error_set(err, HOL_ERR_INPUT, "space %d is neither planar nor spatial",
                             (int)space);
    HolModel *m = HOL_NEW(&arena, HolModel, 1);
    if (!m) {
        hol_arena_free(&arena);
        return model_out_of_memory(err);
    }
    m->arena = arena;
    m->space = space;
    m->name = hol_arena_text(&m->arena, name ? name : "model");
    m->source = "";
    if (gravity)
        memcpy(m->gravity, gravity, sizeof(double) * (space == HOL_PLANAR ? 2 : 3));
    HolBodyDef ground = hol_body_def();
    ground.name = "ground";
    HolStatus status = hol_add_body(m, &ground, err);
    if (status == HOL_OK && m->arena.failed)
        status = model_out_of_memory(err);
    if (status != HOL_OK) {
        hol_model_destroy(m);
        return status;
    }
    *out = m;
    return HOL_OK;
}

void hol_model_destroy(HolModel *m) {
    if (!m)
        return;
    hol_kkt_plans_destroy(m->extras.plans);
    HolArena arena = m->arena; // the model itself lives in it
    hol_arena_free(&arena);
}

HolStatus hol_model_set_source(HolModel *m, const char *file, const char *text, size_t n) {
    m->file = hol_arena_text(&m->arena, file);
    m->source = hol_arena_text_n(&m->arena, text, n);
    return m->arena.failed ? HOL_ERR_MEMORY : HOL_OK;
}

HolStatus hol_model_add_file(HolModel *m, const char *path, const char *text, size_t n) {
    char sha256[65];
    for (int i = 0; i < m->n_files; i++) // several tables of one file
        if (strcmp(m->files[i].path, path) == 0)
            return HOL_OK;
    if (!HOL_GROW(&m->arena, m->files, m->n_files, m->cap_files))
        return HOL_ERR_MEMORY;
    hol_sha256_text(text, n, sha256);
    m->files[m->n_files++] = (HolSourceFile){
        .path = hol_arena_text(&m->arena, path),
        .text = n <= HOL_SOURCE_BYTES ? hol_arena_text_n(&m->arena, text, n) : NULL,
        .length = n,
        .sha256 = hol_arena_text(&m->arena, sha256),
    };
    return m->arena.failed ? HOL_ERR_MEMORY : HOL_OK;
}

HolStatus hol_model_set_settings(HolModel *m, const HolSetting *settings, int n) {
    HolSetting *copy = HOL_NEW(&m->arena, HolSetting, n + 1);
    if (!copy)
        return HOL_ERR_MEMORY;
    for (int i = 0; i < n; i++)
        if (settings[i].key && settings[i].value)
            copy[m->n_settings++] = (HolSetting){hol_arena_text(&m->arena, settings[i].key),
                                                 hol_arena_text(&m->arena, settings[i].value)};
    m->settings = copy;
    return m->arena.failed ? HOL_ERR_MEMORY : HOL_OK;
}

double *hol_model_keep(HolModel *m, const double *x, int n) {
    double *copy = HOL_NEW(&m->arena, double, n ? n : 1);
    if (copy && n)
        memcpy(copy, x, sizeof(double) * (size_t)n);
    return copy;
}

// ---- adding ----

// a name that expressions can use: letter or _, then letters, digits, _; what is in a part has the
// part's name and a dot before it
static int name_ok(const char *name) {
    for (; name; name++) {
        const size_t n = strcspn(name, ".");
        if (!hol_text_is_name(name, n))
            return 0;
        name += n;
        if (!*name)
            return 1;
    }
    return 0;
}

int hol_name_reserved(const char *name) {
    static const char *const reserved[] = {"time", "pi", "energy", "constraint",
                                           "step", "if", "interp"};
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(name, reserved[i]) == 0)
            return 1;
    return 0;
}

int hol_name_allowed(const char *name) {
    return name_ok(name) && !hol_name_reserved(name);
}

const char *hol_default_name(HolArena *arena, const char *word, int i) {
    char text[32];
    snprintf(text, sizeof text, "%.16s%d", word, i + 1);
    const char *kept = hol_arena_text(arena, text);
    return kept ? kept : word;
}

void hol_model_failure(HolModel *m, const char *text) {
    if (HOL_GROW(&m->arena, m->failures, m->n_failures, m->cap_failures))
        m->failures[m->n_failures++] = hol_arena_text(&m->arena, text);
}

// a bad name
static HolStatus check_name(HolModel *m, const char *what, const char *name, int line, int column,
                            HolError *err) {
    if (!name_ok(name)) {
        hol_problem_error(
            m, err, line, column,
            "%s name '%s' is not valid: use letters, digits and _, starting with a letter", what,
            name ? name : "");
        return HOL_ERR_INPUT;
    }
    if (hol_name_reserved(name)) {
        hol_problem_error(m, err, line, column, "%s name '%s' is reserved: choose another", what,
                          name);
        return HOL_ERR_INPUT;
    }
    return HOL_OK;
}

static HolStatus duplicate(HolModel *m, const char *what, const char *name, int line, int column,
                           HolError *err) {
    hol_problem_error(m, err, line, column, "there is already a %s named '%s'", what, name);
    return HOL_ERR_INPUT;
}

static HolStatus finish_add(HolModel *m, HolError *err) {
    return m->arena.failed ? model_out_of_memory(err) : HOL_OK;
}

HolStatus hol_add_parameter(HolModel *m, const char *name, double value, HolError *err) {
    HolStatus status = check_name(m, "parameter", name, 0, 0, err);
    int found;
    if (status != HOL_OK)
        return status;
    hol_parameter(m, name, &found);
    if (found)
        return duplicate(m, "parameter", name, 0, 0, err);
    if (!HOL_GROW(&m->arena, m->def.parameters, m->def.n_parameters, m->def.cap_parameters))
        return model_out_of_memory(err);
    m->def.parameters[m->def.n_parameters++] =
        (struct HolNamed){hol_arena_text(&m->arena, name), value};
    if (m->arena.failed ||
        !hash_add(m, &m->def.names.parameter_hash, &m->def.names.parameter_hash_size,
                  parameter_name, m->def.n_parameters))
        return model_out_of_memory(err);
    return finish_add(m, err);
}

void hol_model_add_remark(HolModel *m, const char *kind, const char *name, int line, int column,
                          const char *format, ...) {
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (HOL_GROW(&m->arena, m->def.remarks, m->def.n_remarks, m->def.cap_remarks))
        m->def.remarks[m->def.n_remarks++] =
            (HolRemark){hol_arena_text(&m->arena, kind), hol_arena_text(&m->arena, name),
                        hol_arena_text(&m->arena, text), line, column};
}

int hol_model_remark_count(const HolModel *m) {
    return m ? m->def.n_remarks : 0;
}

const HolRemark *hol_model_remark(const HolModel *m, int i) {
    return m && i >= 0 && i < m->def.n_remarks ? &m->def.remarks[i] : NULL;
}

// up to round-off of what the last value was computed with
static int ends_meet(const HolTableDef *t) {
    double low = t->y[0], high = t->y[0];
    for (int i = 1; i < t->n; i++) {
        low = fmin(low, t->y[i]);
        high = fmax(high, t->y[i]);
    }
    return fabs(t->y[t->n - 1] - t->y[0]) <= 1e-9 * (high - low);
}

int hol_add_tunable(HolModel *m, const char *name) {
    if (!HOL_GROW(&m->arena, m->def.tunable, m->def.n_tunable, m->def.cap_tunable))
        return 0;
    m->def.tunable[m->def.n_tunable++] = hol_arena_text(&m->arena, name);
    return !m->arena.failed;
}

int hol_function_symbol(const HolModel *m, const char *name, HolSymbol *out) {
    for (int i = 0; i < m->def.n_functions; i++)
        if (!strcmp(m->def.functions[i]->name, name)) {
            *out = (HolSymbol){.type = HOL_SYMBOL_FUNCTION, .expr = m->def.functions[i]};
            return 1;
        }
    return 0;
}

HolStatus hol_add_function(HolModel *m, const HolFunctionDef *def, HolError *err) {
    HolStatus status = check_name(m, "function", def->name, 0, 0, err);
    if (status != HOL_OK)
        return status;
    for (int i = 0; i < m->def.n_functions; i++)
        if (!strcmp(m->def.functions[i]->name, def->name))
            return duplicate(m, "function", def->name, 0, 0, err);
    const char *problem = hol_expr_is_function(def->name)
                              ? "expressions have a function of that name"
                          : !def->value ? "its value is missing: NULL"
                          : def->arguments < 1 || def->arguments > HOL_FUNCTION_ARGUMENTS
                              ? "it must have 1 to 16 arguments"
                              : NULL;
    if (problem) {
        hol_problem_error(m, err, 0, 0, "function '%s': %s", def->name, problem);
        return HOL_ERR_INPUT;
    }
    HolFunctionDef *copy = HOL_NEW(&m->arena, HolFunctionDef, 1);
    if (!copy || !HOL_GROW(&m->arena, m->def.functions, m->def.n_functions, m->def.cap_functions))
        return model_out_of_memory(err);
    *copy = *def;
    copy->name = hol_arena_text(&m->arena, def->name);
    m->def.functions[m->def.n_functions++] = copy;
    return finish_add(m, err);
}

HolStatus hol_add_table(HolModel *m, const HolTableDef *def, HolError *err) {
    HolStatus status = check_name(m, "table", def->name, 0, 0, err);
    if (status != HOL_OK)
        return status;
    if (def->n < 2 || !def->x || !def->y) {
        hol_problem_error(m, err, 0, 0, "table '%s' needs at least two points", def->name);
        return HOL_ERR_INPUT;
    }
    for (int i = 1; i < def->n; i++)
        if (!(def->x[i] > def->x[i - 1])) {
            hol_problem_error(m, err, 0, 0, "table '%s': x must increase (entry %d)", def->name,
                              i + 1);
            return HOL_ERR_INPUT;
        }
    if (!HOL_GROW(&m->arena, m->def.tables, m->def.n_tables, m->def.cap_tables))
        return model_out_of_memory(err);
    HolTableDef copy = *def;
    copy.name = hol_arena_text(&m->arena, def->name);
    copy.x = hol_model_keep(m, def->x, def->n);
    double *y = hol_model_keep(m, def->y, def->n);
    copy.y = y;
    if (y && def->outside == HOL_OUTSIDE_PERIODIC) {
        if (!ends_meet(def)) {
            hol_problem_error(m, err, def->line, def->column,
                              "table '%s': it repeats (outside: periodic) and must end with the y "
                              "it begins with (%g), not %g",
                              def->name, y[0], y[def->n - 1]);
            return HOL_ERR_INPUT;
        }
        y[def->n - 1] = y[0];
    }
    m->def.tables[m->def.n_tables++] = copy;
    note_name(m, &m->def.names.table_names, copy.name, m->def.n_tables);
    if (def->interpolation == HOL_TABLE_UNSAID)
        hol_model_add_remark(m, "table", copy.name, def->line, def->column,
                             "table '%s' does not say how it is interpolated: monotone is used "
                             "(interpolation: monotone, linear or spline)",
                             def->name);
    return finish_add(m, err);
}

static HolPointDef *copy_points(HolModel *m, const HolPointDef *points, int n, int extra) {
    HolPointDef *copy = HOL_NEW(&m->arena, HolPointDef, n + extra);
    for (int i = 0; copy && i < n; i++) {
        copy[i] = points[i];
        copy[i].name = hol_arena_text(&m->arena, points[i].name);
    }
    return copy;
}

// Names of points become a table where there are many; 0: no memory.
static int name_points(HolModel *m, HolBody *body) {
    enum { FEW_POINTS = 16 };
    HolNameTable *names = &body->point_names;
    const int n = body->def.n_points;
    for (int i = names->n; n > FEW_POINTS && i < n; i++)
        if (!hol_name_table_add(names, &m->arena, body->def.points[i].name, NULL, i))
            return 0;
    return 1;
}

static int point_name_ok(HolModel *m, const HolBody *body, const HolPointDef *point,
                         HolError *err) {
    if (name_ok(point->name))
        return 1;
    hol_problem_error(m, err, body->def.line, body->def.column,
                      "'%s': the name '%s' of a point is not valid: use letters, digits and _, "
                      "starting with a letter",
                      body->def.name, point->name ? point->name : "");
    return 0;
}

HolStatus hol_add_ground_point(HolModel *m, const HolPointDef *point, HolError *err) {
    HolBody *ground = &m->def.bodies[0];
    if (!point_name_ok(m, ground, point, err))
        return HOL_ERR_INPUT;
    if (hol_point_find(ground, point->name))
        return duplicate(m, "ground point", point->name, 0, 0, err);
    int n = ground->def.n_points;
    // room for as many again: parts may have thousands
    HolPointDef *points = (HolPointDef *)ground->def.points;
    if (n == 0 || (n & (n - 1)) == 0)
        points = copy_points(m, ground->def.points, n, n + 1);
    if (!points)
        return model_out_of_memory(err);
    points[n] = *point;
    points[n].name = hol_arena_text(&m->arena, point->name);
    ground->def.points = points;
    ground->def.n_points = n + 1;
    if (!m->arena.failed && !name_points(m, ground))
        return model_out_of_memory(err);
    return finish_add(m, err);
}

// 1 when no principal moment is negative, up to a millionth of the largest (rounded digits); zero
// is fine: Sylvester's criterion for J + shift
static int inertia_possible(const double *I) {
    double shift = 1e-6 * fmax(I[0], fmax(I[1], I[2]));
    double x = I[0] + shift, y = I[1] + shift, z = I[2] + shift;
    double minor = x * y - I[3] * I[3];
    double determinant = z * minor - x * I[4] * I[4] - y * I[5] * I[5] + 2 * I[3] * I[4] * I[5];
    if (shift == 0)
        return I[3] == 0 && I[4] == 0 && I[5] == 0;
    return minor > 0 && determinant > 0;
}

static int inertia_ok(HolModel *m, const HolBodyDef *d, HolError *err) {
    for (int i = 0; i < 6; i++)
        if (!isfinite(d->inertia[i]) || (i < 3 && d->inertia[i] < 0)) {
            hol_problem_error(m, err, d->line, d->column, "body '%s': inertia must not be %s",
                              d->name, isfinite(d->inertia[i]) ? "negative" : "infinite or nan");
            return 0;
        }
    if (m->space == HOL_PLANAR || inertia_possible(d->inertia))
        return 1;
    hol_problem_error(m, err, d->line, d->column,
                      "body '%s': no body has this inertia, a principal moment is negative; the "
                      "products Ixy, Iyz, Izx are too large for the moments Ixx, Iyy, Izz",
                      d->name);
    return 0;
}

static int body_values_ok(HolModel *m, const HolBodyDef *d, HolError *err) {
    int before = err ? err->problems : 0, bad = 0;
    if (!(d->mass >= 0) || !isfinite(d->mass)) {
        hol_problem_error(m, err, d->line, d->column,
                          "body '%s': mass %g is not valid; it must be zero or positive", d->name,
                          d->mass);
        bad = 1;
    }
    if (hol_body_turns(d) && !inertia_ok(m, d, err)) // the others have none
        bad = 1;
    const double *q = d->quaternion;
    double norm = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (m->space == HOL_SPATIAL && !(norm > 1e-20 && norm < 1e20)) {
        hol_problem_error(m, err, d->line, d->column, "body '%s': the quaternion has no direction",
                          d->name);
        bad = 1;
    }
    return !bad && (!err || err->problems == before);
}

static void body_sizes(const HolModel *m, HolBody *b) {
    const HolBodySize *size = hol_body_size(m->space, b->def.type);
    b->nq = size->nq;
    b->nv = size->nv;
    const double *I = b->def.inertia;
    double J[9] = {I[0], I[3], I[5], I[3], I[1], I[4], I[5], I[4], I[2]};
    memcpy(b->J, J, sizeof J);
    b->diagonal = I[3] == 0 && I[4] == 0 && I[5] == 0;
    double *q = b->def.quaternion,
           norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; i++)
        q[i] = norm > 0 ? q[i] / norm : q[i];
}

HolStatus hol_add_body(HolModel *m, const HolBodyDef *def, HolError *err) {
    HolStatus status = check_name(m, "body", def->name, def->line, def->column, err);
    if (status != HOL_OK)
        return status;
    if (hol_body_find(m, def->name) >= 0)
        return duplicate(m, "body", def->name, def->line, def->column, err);
    if (!body_values_ok(m, def, err))
        return HOL_ERR_INPUT;
    for (int i = 0; i < def->n_points; i++)
        if (!point_name_ok(m, &(HolBody){.def = *def}, &def->points[i], err))
            return HOL_ERR_INPUT;
    if (!HOL_GROW(&m->arena, m->def.bodies, m->def.n_bodies, m->def.cap_bodies))
        return model_out_of_memory(err);
    HolBody *b = &m->def.bodies[m->def.n_bodies];
    *b = (HolBody){.def = *def};
    b->def.name = hol_arena_text(&m->arena, def->name);
    b->def.points = copy_points(m, def->points, def->n_points, 0);
    b->def.shape.type = hol_arena_text(&m->arena, def->shape.type);
    b->def.shape.color = hol_arena_text(&m->arena, def->shape.color);
    b->def.shape.file = hol_arena_text(&m->arena, def->shape.file);
    body_sizes(m, b);
    if (m->def.n_bodies == 0)
        b->nq = b->nv = 0; // ground
    if (m->arena.failed || !name_points(m, b))
        return model_out_of_memory(err);
    m->def.n_bodies++;
    if (!hash_add(m, &m->def.names.body_hash, &m->def.names.body_hash_size, body_name,
                  m->def.n_bodies))
        return model_out_of_memory(err);
    return HOL_OK;
}

static HolRef copy_ref(HolModel *m, HolRef r) {
    r.body = hol_arena_text(&m->arena, r.body);
    r.point = hol_arena_text(&m->arena, r.point);
    return r;
}

HolStatus hol_add_joint(HolModel *m, const HolJointDef *def, HolError *err) {
    const char *name =
        def->name ? def->name : hol_default_name(&m->arena, "joint", m->def.n_joints);
    HolStatus status = check_name(m, "joint", name, def->line, def->column, err);
    if (status != HOL_OK)
        return status;
    if (hol_joint_find(m, name) >= 0)
        return duplicate(m, "joint", name, def->line, def->column, err);
    if (!HOL_GROW(&m->arena, m->def.joints, m->def.n_joints, m->def.cap_joints))
        return model_out_of_memory(err);
    HolJoint *j = &m->def.joints[m->def.n_joints];
    *j = (HolJoint){.def = *def, .coordinate = -1, .coordinate2 = -1};
    j->def.name = hol_arena_text(&m->arena, name);
    j->def.type = hol_arena_text(&m->arena, def->type);
    j->def.a = copy_ref(m, def->a);
    j->def.b = copy_ref(m, def->b);
    j->def.joint_a = hol_arena_text(&m->arena, def->joint_a);
    j->def.joint_b = hol_arena_text(&m->arena, def->joint_b);
    j->def.curve = hol_arena_text(&m->arena, def->curve);
    HolRef *over = def->over ? HOL_NEW(&m->arena, HolRef, def->n_over + 1) : NULL;
    for (int i = 0; over && i < def->n_over; i++)
        over[i] = copy_ref(m, def->over[i]);
    j->def.over = over;
    if (m->arena.failed)
        return model_out_of_memory(err);
    m->def.n_joints++;
    if (!hash_add(m, &m->def.names.joint_hash, &m->def.names.joint_hash_size, joint_name,
                  m->def.n_joints))
        return model_out_of_memory(err);
    return HOL_OK;
}

static void copy_texts(HolModel *m, const char **texts) {
    for (int i = 0; i < 3; i++)
        texts[i] = hol_arena_text(&m->arena, texts[i]);
}

HolStatus hol_add_force(HolModel *m, const HolForceDef *def, HolError *err) {
    const char *name =
        def->name ? def->name : hol_default_name(&m->arena, "force", m->def.n_forces);
    HolStatus status = check_name(m, "force", name, def->line, def->column, err);
    if (status != HOL_OK)
        return status;
    if (hol_name_table_number(&m->def.names.force_names, name) >= 0)
        return duplicate(m, "force", name, def->line, def->column, err);
    if (!HOL_GROW(&m->arena, m->def.forces, m->def.n_forces, m->def.cap_forces))
        return model_out_of_memory(err);
    HolForce *f = &m->def.forces[m->def.n_forces++];
    *f = (HolForce){.def = *def, .joint = -1, .row = -1};
    f->def.name = hol_arena_text(&m->arena, name);
    f->def.type = hol_arena_text(&m->arena, def->type);
    f->def.on = copy_ref(m, def->on);
    f->def.a = copy_ref(m, def->a);
    f->def.b = copy_ref(m, def->b);
    f->def.joint = hol_arena_text(&m->arena, def->joint);
    f->def.coordinate = hol_arena_text(&m->arena, def->coordinate);
    copy_texts(m, f->def.value);
    copy_texts(m, f->def.stiffness);
    copy_texts(m, f->def.damping);
    copy_texts(m, f->def.rotational_stiffness);
    copy_texts(m, f->def.rotational_damping);
    f->def.length = hol_arena_text(&m->arena, def->length);
    copy_texts(m, f->def.angle);
    if (def->matrix)
        f->def.matrix = hol_model_keep(m, def->matrix, def->n_matrix);
    if (def->damping_matrix)
        f->def.damping_matrix = hol_model_keep(m, def->damping_matrix, def->n_damping_matrix);
    f->def.force = hol_arena_text(&m->arena, def->force);
    note_name(m, &m->def.names.force_names, f->def.name, m->def.n_forces);
    return finish_add(m, err);
}

HolStatus hol_add_motion(HolModel *m, const HolMotionDef *def, HolError *err) {
    const char *name =
        def->name ? def->name : hol_default_name(&m->arena, "motion", m->def.n_motions);
    HolStatus status = check_name(m, "motion", name, def->line, def->column, err);
    if (status != HOL_OK)
        return status;
    if (hol_name_table_number(&m->def.names.motion_names, name) >= 0)
        return duplicate(m, "motion", name, def->line, def->column, err);
    if (!HOL_GROW(&m->arena, m->def.motions, m->def.n_motions, m->def.cap_motions))
        return model_out_of_memory(err);
    HolMotionDef d = *def;
    d.name = hol_arena_text(&m->arena, name);
    d.joint = hol_arena_text(&m->arena, def->joint);
    d.value = hol_arena_text(&m->arena, def->value);
    d.speed = hol_arena_text(&m->arena, def->speed);
    m->def.motions[m->def.n_motions++] = (HolMotion){d, -1, -1};
    note_name(m, &m->def.names.motion_names, d.name, m->def.n_motions);
    return finish_add(m, err);
}

HolStatus hol_add_constraint(HolModel *m, const HolConstraintDef *def, HolError *err) {
    const char *name =
        def->name ? def->name : hol_default_name(&m->arena, "constraint", m->def.n_constraints);
    HolStatus status = check_name(m, "constraint", name, def->line, def->column, err);
    if (status != HOL_OK)
        return status;
    if (hol_name_table_number(&m->def.names.constraint_names, name) >= 0)
        return duplicate(m, "constraint", name, def->line, def->column, err);
    if (!HOL_GROW(&m->arena, m->def.constraints, m->def.n_constraints, m->def.cap_constraints))
        return model_out_of_memory(err);
    HolConstraintDef d = *def;
    d.name = hol_arena_text(&m->arena, name);
    d.equation = hol_arena_text(&m->arena, def->equation);
    d.velocity = hol_arena_text(&m->arena, def->velocity);
    m->def.constraints[m->def.n_constraints++] = (HolConstraint){d, -1};
    note_name(m, &m->def.names.constraint_names, d.name, m->def.n_constraints);
    return finish_add(m, err);
}

HolStatus hol_add_variable(HolModel *m, const HolVariableDef *def, HolError *err) {
    HolStatus status = check_name(m, "variable", def->name, def->line, def->column, err);
    if (status != HOL_OK)
        return status;
    if (hol_name_table_number(&m->def.names.variable_names, def->name) >= 0)
        return duplicate(m, "variable", def->name, def->line, def->column, err);
    if (!HOL_GROW(&m->arena, m->def.variables, m->def.n_variables, m->def.cap_variables))
        return model_out_of_memory(err);
    HolVariableDef d = *def;
    d.name = hol_arena_text(&m->arena, def->name);
    d.value = hol_arena_text(&m->arena, def->value);
    m->def.variables[m->def.n_variables++] = (HolVariable){.def = d, .implicit = -1};
    note_name(m, &m->def.names.variable_names, d.name, m->def.n_variables);
    return finish_add(m, err);
}

HolStatus hol_add_output(HolModel *m, const char *expression, int line, int column, HolError *err) {
    if (!HOL_GROW(&m->arena, m->def.outputs, m->def.n_outputs, m->def.cap_outputs))
        return model_out_of_memory(err);
    m->def.outputs[m->def.n_outputs++] =
        (struct HolOutput){hol_arena_text(&m->arena, expression), line, column};
    return finish_add(m, err);
}

// ---- reading back ----

const char *hol_model_name(const HolModel *m) {
    return m && m->name ? m->name : "";
}

const char *hol_model_source(const HolModel *m) {
    return m && m->source ? m->source : "";
}

HolSpace hol_model_space(const HolModel *m) {
    return m ? m->space : HOL_PLANAR;
}

int hol_model_body_count(const HolModel *m) {
    return m ? hol_visible_bodies(m) - 1 : 0;
}

const char *hol_model_body_name(const HolModel *m, int body) {
    const int known = body >= 0 && body < hol_model_body_count(m);
    return known ? m->def.bodies[body + 1].def.name : NULL;
}

int hol_model_joint_count(const HolModel *m) {
    return m ? m->def.n_joints : 0;
}

const char *hol_model_joint_name(const HolModel *m, int joint) {
    const int known = joint >= 0 && joint < hol_model_joint_count(m);
    return known ? m->def.joints[joint].def.name : NULL;
}
