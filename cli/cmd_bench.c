// SPDX-License-Identifier: Apache-2.0
// `holonom bench [NAME]`: the published benchmark problems at their accuracy limits.
#include "commands.h"

#include <string.h>
#include <unistd.h>

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

// results show at once, also behind a pipe
static void put_now(void *to, const char *text, size_t length) {
    cli_put(to, text, length);
    if (length > 0 && text[length - 1] == '\n')
        fflush(to);
}

static int cmd_bench_run(const CliArgs *args) {
    char path[4096];
    int markdown = cli_value(args, "--markdown") != NULL, json = cli_value(args, "--json") != NULL;
    if (markdown && json) {
        fprintf(stderr, "holonom bench: choose one of --markdown and --json\n");
        return CLI_USAGE;
    }
    HolBenchOptions options = hol_bench_options();
    options.problem = args->n_words ? args->words[0] : NULL;
    options.quick = cli_value(args, "--quick") != NULL;
    options.verbose = cli_value(args, "--verbose") != NULL;
    options.peers = find_peers(args, path, sizeof path);
    options.format = json ? HOL_BENCH_JSON : markdown ? HOL_BENCH_MARKDOWN : HOL_BENCH_TEXT;
    options.put = put_now;
    options.to = stdout;
    options.say = cli_put;
    options.to_say = stderr;
    HolError err;
    HolStatus status = hol_bench(&options, &err);
    if (status)
        cli_report(&err);
    return cli_exit_code(status);
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
    .words_are_names = 1,
    .n_optional = 1,
    .help = "the published benchmark problems: accuracy and time",
    .more =
        "NAME is a problem, the beginning of several (A0, chain), or 'scale'. For every accuracy\n"
        "limit the cheapest setting that meets it is searched; times are CPU time of the\n"
        "integration loop, the best of several repeats.",
    .options = options,
    .run = cmd_bench_run,
};
