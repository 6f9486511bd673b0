// SPDX-License-Identifier: Apache-2.0
// Parsing by table. `--name value` and `--name=value` are the same; `--` ends the options; `-` is a
// word (standard input). Options may stand before and after the words.
#include "args.h"

#include <stdlib.h>
#include <string.h>

// edit distance with insertion, deletion, substitution; words longer than the table do not match
static int args_distance(const char *a, const char *b) {
    enum { MAX = 40 };
    size_t n = strlen(a), m = strlen(b);
    if (n >= MAX || m >= MAX)
        return MAX;
    int row[MAX + 1];
    for (size_t j = 0; j <= m; j++)
        row[j] = (int)j;
    for (size_t i = 1; i <= n; i++) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= m; j++) {
            int above = row[j];
            int best = diagonal + (a[i - 1] != b[j - 1]);
            if (above + 1 < best)
                best = above + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
            diagonal = above;
        }
    }
    return row[m];
}

const char *cli_nearest(const char *word, const char *const *list) {
    const char *best = NULL;
    int length = (int)strlen(word), near = length < 5 ? 1 : (length + 1) / 3;
    for (; *list; list++) { // further away is no typing mistake
        int d = args_distance(word, *list);
        if (d <= near && d < length) {
            near = d - 1;
            best = *list;
        }
    }
    return best;
}

static const CliOption *find_option(const CliCommand *c, const char *word, size_t length) {
    for (const CliOption *o = c->options; o->name; o++)
        if ((strlen(o->name) == length && strncmp(o->name, word, length) == 0) ||
            (o->letter && strlen(o->letter) == length && strncmp(o->letter, word, length) == 0))
            return o;
    return NULL;
}

int cli_usage_error(const CliCommand *c, const char *problem, const char *word) {
    fprintf(stderr, "holonom %s: %s '%s'\n", c->name, problem, word);
    fprintf(stderr, "Usage: holonom %s%s%s [OPTION]...  ('holonom %s --help' lists the options)\n",
            c->name, c->arguments[0] ? " " : "", c->arguments, c->name);
    return CLI_USAGE;
}

static int unknown_option(const CliCommand *c, const char *word) {
    const char *names[64];
    int n = 0;
    for (const CliOption *o = c->options; o->name && n < 63; o++)
        names[n++] = o->name;
    names[n] = NULL;
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    const char *near = cli_nearest(name, names);
    int code = cli_usage_error(c, "unknown option", name);
    if (near)
        fprintf(stderr, "Did you mean '%s'?\n", near);
    return code;
}

// one option at argv[*i], which it may leave one further on when the value is a word of its own
static int parse_option(const CliCommand *c, int argc, char **argv, int *i, CliArgs *out) {
    const char *word = argv[*i];
    const char *equal = word[1] == '-' ? strchr(word, '=') : NULL;
    size_t length = equal ? (size_t)(equal - word) : strlen(word);
    const CliOption *o = find_option(c, word, length);
    const char *value = equal ? equal + 1 : NULL;
    // -oFILE
    if (!o && word[1] != '-' && word[1] && (o = find_option(c, word, 2)) && o->argument)
        value = word + 2;
    else if (!o || (word[1] != '-' && strlen(word) > 2))
        return unknown_option(c, word);
    if (!o->argument && value)
        return cli_usage_error(c, "no value belongs to", o->name);
    if (o->argument && !value) {
        if (*i + 1 >= argc)
            return cli_usage_error(c, "a value is missing after", word);
        value = argv[++*i];
    }
    out->given[out->n_given++] = (CliGiven){o, value ? value : ""};
    return CLI_OK;
}

int cli_parse(const CliCommand *c, int argc, char **argv, CliArgs *out, int *help) {
    *out = (CliArgs){.command = c};
    *help = 0;
    out->words = calloc((size_t)argc + 1, sizeof *out->words);
    out->given = calloc((size_t)argc + 1, sizeof *out->given);
    if (!out->words || !out->given) {
        fprintf(stderr, "holonom: out of memory\n");
        return CLI_FAILED;
    }
    int only_words = 0;
    for (int i = 0; i < argc; i++) {
        if (!only_words && strcmp(argv[i], "--") == 0) {
            only_words = 1;
        } else if (!only_words && (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)) {
            *help = 1;
            return CLI_OK;
        } else if (!only_words && argv[i][0] == '-' && argv[i][1]) {
            int code = parse_option(c, argc, argv, &i, out);
            if (code)
                return code;
        } else {
            out->words[out->n_words++] = argv[i];
        }
    }
    if (out->n_words < c->n_arguments)
        return cli_usage_error(c, "missing argument", c->arguments);
    if (out->n_words > c->n_arguments + c->n_optional)
        return cli_usage_error(c, "unexpected argument",
                               out->words[c->n_arguments + c->n_optional]);
    return CLI_OK;
}

void cli_free(CliArgs *args) {
    free(args->words);
    free(args->given);
    *args = (CliArgs){0};
}

const char *cli_value(const CliArgs *args, const char *name) {
    for (int i = args->n_given; i-- > 0;)
        if (strcmp(args->given[i].option->name, name) == 0)
            return args->given[i].value;
    return NULL;
}

void cli_help(const CliCommand *c, FILE *to) {
    fprintf(to, "Usage: holonom %s%s%s [OPTION]...\n\n%s\n", c->name, c->arguments[0] ? " " : "",
            c->arguments, c->help);
    if (c->more)
        fprintf(to, "\n%s\n", c->more);
    fprintf(to, "\nOptions:\n");
    for (const CliOption *o = c->options; o->name; o++) {
        char left[64];
        snprintf(left, sizeof left, "%s%s%s%s%s", o->letter ? o->letter : "", o->letter ? ", " : "",
                 o->name, o->argument ? " " : "", o->argument ? o->argument : "");
        fprintf(to, "  %-26s %s", left, o->help);
        if (o->fallback)
            fprintf(to, " (default: %s)", o->fallback);
        fprintf(to, "\n");
    }
    fprintf(to, "  %-26s %s\n", "-h, --help", "this text");
}
