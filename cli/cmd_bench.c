// SPDX-License-Identifier: Apache-2.0
// `holonom bench [NAME]`: the published benchmark problems at their accuracy limits. For every
// limit the cheapest setting of ours that meets it is searched, and so are those of the peer
// programs where they were built; all in one run on one machine, in CPU time of the integration
// loop.
#include "bench.h"
#include "commands.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_RESULTS = 64, MOST_SCALES = 32 };

// the folder of the peer programs: the option, or bench/peers beside the command
static const char *find_peers(const CliArgs *args, char *path, size_t size) {
    const char *given = cli_value(args, "--peers");
    if (given)
        return strcmp(given, "none") == 0 ? NULL : given;
    ssize_t n = readlink("/proc/self/exe", path, size - 1);
    if (n <= 0)
        return NULL;
    path[n] = 0;
    char *slash = strrchr(path, '/');
    size_t room = slash ? size - (size_t)(slash - path) : 0;
    if (!slash || room <= sizeof "/bench/peers")
        return NULL;
    strcpy(slash, "/bench/peers");
    return access(path, X_OK) == 0 ? path : NULL;
}

// the word is a problem's name, or else the beginning of several: "chain", "A0"
static int chosen(const CliArgs *args, const char *name) {
    if (args->n_words == 0)
        return 1;
    const char *word = args->words[0];
    for (const BenchProblem *p = bench_problems; p->name; p++)
        if (strcmp(p->name, word) == 0)
            return strcmp(name, word) == 0;
    return strncmp(name, word, strlen(word)) == 0;
}

static int unknown_problem(const char *word) {
    const char *names[MOST_RESULTS + 2] = {"scale"};
    int n = 1;
    for (const BenchProblem *p = bench_problems; p->name && n < MOST_RESULTS; p++)
        names[n++] = p->name;
    const char *near = cli_nearest(word, names);
    fprintf(stderr, "holonom bench: unknown problem '%s'", word);
    if (near)
        fprintf(stderr, "; did you mean '%s'?", near);
    fprintf(stderr, "\nThe problems are");
    for (int i = 0; i < n; i++)
        fprintf(stderr, " %s", names[i]);
    fprintf(stderr, ".\n");
    return CLI_USAGE;
}

static int cmd_bench_run(const CliArgs *args) {
    static BenchResult results[MOST_RESULTS];
    static BenchScale scales[MOST_SCALES];
    char path[4096];
    int markdown = cli_value(args, "--markdown") != NULL, json = cli_value(args, "--json") != NULL;
    if (markdown && json) {
        fprintf(stderr, "holonom bench: choose one of --markdown and --json\n");
        return CLI_USAGE;
    }
    BenchEffort effort = {.quick = cli_value(args, "--quick") != NULL,
                          .verbose = cli_value(args, "--verbose") != NULL,
                          .peers = find_peers(args, path, sizeof path)};
    int n = 0, n_scale = 0, asked = 0;
    for (const BenchProblem *p = bench_problems; p->name && n < MOST_RESULTS; p++) {
        if (!chosen(args, p->name) || (effort.quick && args->n_words == 0 && p->n > 100))
            continue;
        asked++;
        BenchProblem judged = *p;
        int ok = bench_reference_make(&judged) && bench_sweep_ours(&judged, &effort, &results[n]);
        if (ok)
            bench_sweep_peers(&judged, &effort, &results[n]);
        bench_reference_free(&judged);
        results[n].problem = p;
        if (ok)
            bench_print_result(&results[n++], markdown || json ? stderr : stdout);
    }
    if (chosen(args, "scale")) {
        asked++;
        n_scale = bench_scale(&effort, scales, MOST_SCALES);
        if (!markdown && !json)
            bench_print_scale(scales, n_scale, 0, stdout);
    }
    if (!asked)
        return unknown_problem(args->words[0]);
    if (json)
        bench_print_json(results, n, scales, n_scale, stdout);
    if (markdown && n > 0)
        bench_print_markdown(results, n, &effort, stdout);
    if (markdown && n_scale > 0) {
        printf(n > 0 ? "\n" : "");
        bench_print_scale(scales, n_scale, 1, stdout);
    }
    return CLI_OK;
}

static const CliOption options[] = {
    {"--quick", NULL, NULL, NULL, "fewer settings and only small mechanisms"},
    {"--peers", NULL, "DIR", "bench/peers beside the command", "peer programs, or none"},
    {"--verbose", NULL, NULL, NULL, "every setting tried, on stderr"},
    {"--markdown", NULL, NULL, NULL, "tables for docs/performance.md"},
    {"--json", NULL, NULL, NULL, "everything found, as JSON"},
    {0},
};

const CliCommand cli_bench = {
    .name = "bench",
    .arguments = "[NAME]",
    .n_optional = 1,
    .help = "the published benchmark problems: accuracy and time",
    .more =
        "NAME is a problem, the beginning of several (A0, chain), or 'scale'. For every accuracy\n"
        "limit the cheapest setting that meets it is searched; times are CPU time of the\n"
        "integration loop, the best of several repeats.",
    .options = options,
    .run = cmd_bench_run,
};
