// SPDX-License-Identifier: Apache-2.0
// Single values of a model file: text, names, numbers, lists of numbers, expressions. A number is a
// decimal or an expression of the parameters, evaluated here; an expression of the state stays
// text, but it is parsed for the model (which keeps that), and its grammar and names are checked
// here, where the column of each character is known.
#include "io/expand/part.h"
#include "io/model/read.h"
#include "io/place/place.h"

#include "base/error.h"
#include "base/text.h"
#include "model/model.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// names of a part as its file has them: 'leg1.L' that is unknown or offered inside leg1 is 'L' there
static void names_of_part(char *text, const HolNode *at) {
    static const char *const before[] = {"unknown name '", "did you mean '", "there is no body '",
                                         "there is no joint '"};
    const char *part =
        at && at->origin && at->origin->part && at->origin->text ? at->origin->part->name : NULL;
    const size_t n = part ? strlen(part) : 0;
    for (size_t i = 0; n && i < sizeof before / sizeof *before; i++) {
        char *name = strstr(text, before[i]);
        name = name ? name + strlen(before[i]) : NULL;
        if (name && strncmp(name, part, n) == 0 && name[n] == '.')
            memmove(name, name + n + 1, strlen(name + n + 1) + 1);
    }
}

void hol_read_problem(HolReader *r, const HolNode *at, int offset, const char *format, ...) {
    char text[700];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    names_of_part(text, at);
    r->problems++;
    const char *sep = r->what[0] ? ": " : "";
    if (at && at->setting) {
        const int file = strncmp(at->setting, HOL_INPUT_FILE, sizeof HOL_INPUT_FILE - 1) == 0;
        hol_error_add(r->err, HOL_ERR_INPUT, NULL, 0, 0, "--%s %s: %s%s%s", file ? "input" : "set",
                      at->setting + (file ? sizeof HOL_INPUT_FILE - 1 : 0), r->what, sep, text);
        return;
    }
    int line = at ? at->line : 0, column = at ? at->column : 0;
    const char *written = at && at->origin && at->origin->text ? at->origin->text : NULL;
    if (written && offset >= 0 && (size_t)offset <= at->length)
        offset = at->origin->from[offset];
    if (at && at->type == HOL_NODE_SCALAR && at->exact && offset >= 0)
        column += at->quoted + hol_text_characters(written ? written : at->text, (size_t)offset);
    const char *file = r->model ? hol_model_line(r->model, &line) : r->file;
    hol_error_add(r->err, HOL_ERR_INPUT, file, line, column, "%s%s%s", r->what, sep, text);
}

const char *hol_read_line_text(HolReader *r, int line) {
    enum { SIZE = 200 };
    char *out = hol_arena_alloc(r->arena, SIZE);
    const char *file = hol_model_line(r->model, &line);
    if (!out)
        return "";
    if (file && strcmp(file, r->file) != 0)
        snprintf(out, SIZE, "%.160s:%d", file, line);
    else
        snprintf(out, SIZE, "line %d", line);
    return out;
}

// ---- hints --------------------------------------------------------------------------------

// the candidate with the longest common start, at least three letters ("torq": torque), or NULL
static const char *same_start(const char *word, const char *const *candidates, int n) {
    const char *found = NULL;
    size_t most = 2;
    for (int i = 0; i < n; i++) {
        size_t common = 0;
        while (word[common] && word[common] == candidates[i][common])
            common++;
        if (common == most)
            found = NULL; // two are equally near
        if (common <= most)
            continue;
        most = common;
        found = candidates[i];
    }
    return found;
}

const char *hol_read_hint(HolReader *r, const char *word, const char *const *candidates, int n) {
    enum { SIZE = 400, LISTED = 24 };
    char *out = hol_arena_alloc(r->arena, SIZE);
    if (!out)
        return "";
    const char *nearest = n > 0 ? hol_nearest_word(word, candidates, n) : NULL;
    if (!nearest)
        nearest = same_start(word, candidates, n);
    if (nearest) {
        snprintf(out, SIZE, "; did you mean '%.64s'?", nearest);
        return out;
    }
    if (n == 0 || n > LISTED)
        return "";
    size_t used = (size_t)snprintf(out, SIZE, n == 1 ? "; there is " : "; there are ");
    for (int i = 0; i < n && used + 70 < SIZE; i++)
        used += (size_t)snprintf(out + used, SIZE - used, "%s%.64s", i ? ", " : "", candidates[i]);
    return out;
}

const char *hol_read_hint_names(HolReader *r, const char *word, const HolNameTable *names) {
    const char **list = HOL_NEW(r->arena, const char *, names->n + 1);
    if (!list)
        return "";
    for (int i = 0; i < names->n; i++)
        list[i] = names->entries[i].name;
    return hol_read_hint(r, word, list, names->n);
}

// ---- text ---------------------------------------------------------------------------------

int hol_expect(HolReader *r, const HolNode *node, HolNodeType type, const char *key) {
    static const char *const wanted[] = {"", "a single value", "a list", "a map {key: value, ..}"};
    if (node->type == type && !hol_node_is_null(node))
        return 1;
    if (node->type == HOL_NODE_SCALAR && hol_node_is_null(node))
        hol_read_problem(r, node, -1, "'%s' has no value; it must be %s", key, wanted[type]);
    else
        hol_read_problem(r, node, -1, "'%s' must be %s, not %s", key, wanted[type],
                         hol_node_describe(node));
    return 0;
}

const char *hol_read_text(HolReader *r, const HolNode *node, const char *key) {
    if (!hol_expect(r, node, HOL_NODE_SCALAR, key))
        return NULL;
    if (node->length == 0) {
        hol_read_problem(r, node, -1, "'%s' must not be empty", key);
        return NULL;
    }
    for (size_t i = 0; i < node->length; i++)
        if ((unsigned char)node->text[i] < 32) {
            hol_read_problem(r, node, -1, "'%s' must be one line of text", key);
            return NULL;
        }
    return node->text;
}

const char *hol_read_name(HolReader *r, const HolNode *node, const char *key) {
    const char *text = hol_read_text(r, node, key);
    const size_t prefix = node->origin ? (size_t)node->origin->prefix : 0;
    if (text && node->length > HOL_NAME_LENGTH) {
        hol_read_problem(r, node, -1, "the name '%.64s..' is longer than %d characters", text,
                         HOL_NAME_LENGTH);
        return NULL;
    }
    if (!text || hol_text_is_name(text + prefix, node->length - prefix))
        return text;
    hol_read_problem(
        r, node, -1,
        strpbrk(text + prefix, "{}")
            ? "'%.64s' is not a name: no index of a `repeat` stands between these braces"
            : "'%.64s' is not a name: letters, digits and _ are allowed, first no digit",
        text + prefix);
    return NULL;
}

// ---- numbers ------------------------------------------------------------------------------

// names in an expression of the parameters
static void resolve_parameter(void *context, const char *name, HolSymbol *out,
                              char suggestion[64]) {
    HolReader *r = context;
    const HolNameEntry *entry = hol_name_table_find(&r->parameters, name);
    suggestion[0] = 0;
    out->type = HOL_SYMBOL_UNKNOWN;
    if (entry) {
        out->type = HOL_SYMBOL_CONSTANT;
        out->value = entry->value;
        return;
    }
    // names that exist, but cannot be used here
    const char *first = hol_arena_text_n(r->arena, name, hol_read_owner_length(r, name));
    if (hol_name_table_find(&r->tunable, name))
        snprintf(r->reason, sizeof r->reason,
                 "; '%.40s' stands under 'tunable': it may change during a run, and no constant "
                 "can depend on it",
                 name);
    else if (r->parameter_map && hol_node_get(r->parameter_map, name))
        snprintf(r->reason, sizeof r->reason, "; parameter '%.40s' stands further down: move it up",
                 name);
    else if (first &&
             (strcmp(first, "time") == 0 || hol_name_table_find(&r->bodies, first) ||
              hol_name_table_find(&r->joints, first) || hol_name_table_find(&r->variables, first) ||
              hol_name_table_find(&r->states, first)))
        snprintf(r->reason, sizeof r->reason,
                 "; '%.40s' changes with time: only parameters may "
                 "stand here",
                 name);
    enum { MOST = 256 };
    const char *list[MOST];
    int n = 0;
    for (; n < r->parameters.n && n < MOST; n++)
        list[n] = r->parameters.entries[n].name;
    const char *nearest = n && !r->reason[0] ? hol_nearest_word(name, list, n) : NULL;
    if (nearest)
        snprintf(suggestion, 64, "%s", nearest);
}

// .inf, nan and the like: numbers of YAML that no field takes
static int is_not_finite_word(const char *text) {
    if (*text == '+' || *text == '-')
        text++;
    if (*text == '.')
        text++;
    return !strcasecmp(text, "inf") || !strcasecmp(text, "nan") || !strcasecmp(text, "infinity");
}

static int read_value_evaluate(HolReader *r, const HolNode *node, const char *key, double *out) {
    HolExprScope scope = {.context = r,
                          .resolve = resolve_parameter,
                          .tables = r->tables,
                          .n_tables = r->n_tables,
                          .table_names = r->model ? &r->model->def.names.table_names : NULL};
    HolExprError error = {0};
    r->reason[0] = 0;
    HolExpr *e = hol_expr_compile(r->arena, node->text, &scope, &error);
    if (!e) {
        r->no_memory |= strcmp(error.text, "out of memory") == 0;
        hol_read_problem(r, node, error.column,
                         "'%s' must be a number or an expression of the parameters: %s%s%s", key,
                         error.text, r->reason,
                         hol_unit_at(node->text, error.column) ? "; only plain numbers have units"
                                                               : "");
        return 0;
    }
    if (!hol_expr_is_constant(e, out)) {
        hol_read_problem(r, node, 0, "'%s' must not depend on the state", key);
        return 0;
    }
    return 1;
}

int hol_read_number(HolReader *r, const HolNode *node, const char *key, double *out) {
    double value = 0;
    if (node->type != HOL_NODE_SCALAR || hol_node_is_null(node)) {
        const char *given = hol_node_describe(node);
        hol_read_problem(r, node, -1, "'%s' must be a number, not %s", key, given);
        return 0;
    }
    if (is_not_finite_word(node->text)) {
        hol_read_problem(r, node, -1, "'%s' must be a finite number, not %.20s", key, node->text);
        return 0;
    }
    const int unit =
        hol_text_number(node->text, node->length, &value) ? 2 : hol_read_unit(r, node, key, &value);
    if (unit < 0 || (unit == 0 && !read_value_evaluate(r, node, key, &value)))
        return 0;
    if (unit == 2) {
        value *= hol_read_scale(r, node);
        hol_read_unit_remark(r, node, key, value);
    }
    if (!isfinite(value)) {
        hol_read_problem(r, node, -1, "'%s' must be a finite number; '%.60s' gives %s", key,
                         node->text, isnan(value) ? "no number (nan)" : "an infinite one");
        return 0;
    }
    *out = value;
    return 1;
}

// "3", "1 or 3"
static void print_counts(int low, int high, char out[32]) {
    if (low == high)
        snprintf(out, 32, "%d", low);
    else
        snprintf(out, 32, "%d or %d", low, high);
}

int hol_read_numbers(HolReader *r, const HolNode *node, const char *key, int low, int high,
                     double *out, int *n) {
    char counts[32];
    print_counts(low, high, counts);
    if (node->type == HOL_NODE_SCALAR && low == 1 && !hol_node_is_null(node)) {
        if (n)
            *n = 1;
        return hol_read_number(r, node, key, out);
    }
    if (node->type != HOL_NODE_LIST) {
        hol_read_problem(r, node, -1, "'%s' must be %s%s, not %s", key,
                         high == 1 ? "a number" : "a list of ",
                         high == 1 ? "" : strcat(counts, " numbers"), hol_node_describe(node));
        return 0;
    }
    if (node->n != low && node->n != high) {
        hol_read_problem(r, node, -1, "'%s' must hold %s number%s, not %d", key, counts,
                         high == 1 ? "" : "s", node->n);
        return 0;
    }
    int ok = 1;
    double values[16] = {0};
    for (int i = 0; i < node->n && i < 16; i++)
        ok &= hol_read_number(r, &node->values[i], key, &values[i]);
    if (ok)
        memcpy(out, values, sizeof(double) * (size_t)node->n);
    if (n)
        *n = node->n;
    return ok;
}

int hol_read_direction(HolReader *r, const HolNode *node, const char *key, double out[3]) {
    double u[3] = {0};
    if (!hol_read_numbers(r, node, key, r->dimensions, r->dimensions, u, NULL))
        return 0;
    if (!(u[0] * u[0] + u[1] * u[1] + u[2] * u[2] > 0)) {
        hol_read_problem(r, node, -1, "'%s' is a direction and must not be zero", key);
        return 0;
    }
    memcpy(out, u, sizeof u);
    return 1;
}

// ---- expressions of the state -------------------------------------------------------------

const char *hol_read_expression(HolReader *r, const HolNode *node, const char *key) {
    double value;
    if (node->type != HOL_NODE_SCALAR || hol_node_is_null(node)) {
        hol_read_problem(r, node, -1, "'%s' must be an expression or a number, not %s", key,
                         hol_node_describe(node));
        return NULL;
    }
    const int plain = hol_text_number(node->text, node->length, &value);
    const int unit = plain ? 0 : hol_read_unit(r, node, key, &value);
    if (unit < 0)
        return NULL;
    if (unit > 0 || (plain && hol_read_scale(r, node) != 1)) {
        char number[HOL_NUMBER_SIZE];
        hol_text_print_number(plain ? value * hol_read_scale(r, node) : value, number);
        return hol_arena_text(r->arena, number);
    }
    if (plain || is_not_finite_word(node->text))
        return hol_read_number(r, node, key, &value) ? node->text : NULL;
    HolExprScope scope = {.context = r,
                          .resolve = hol_read_resolve,
                          .tables = r->tables,
                          .n_tables = r->n_tables,
                          .table_names = r->model ? &r->model->def.names.table_names : NULL};
    HolExprError error = {0};
    r->reason[0] = 0;
    const HolSyntax *syntax = hol_model_syntax(r->model, node->text);
    if (!syntax || !hol_syntax_compile(r->arena, syntax, &scope, &error)) {
        r->no_memory |= strcmp(error.text, "out of memory") == 0;
        hol_read_problem(r, node, error.column, "'%s': %s%s", key, error.text, r->reason);
        return NULL;
    }
    return node->text;
}
