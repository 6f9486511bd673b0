// SPDX-License-Identifier: Apache-2.0
// `holonom studio`: a page on this machine to edit, run and compare models.
#include "commands.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static volatile int stop_requested;

static void cmd_studio_request_stop(int signal_number) {
    (void)signal_number;
    stop_requested = 1;
}

static int is_folder(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

// the gallery: given, here, beside the build, or where it was installed
static const char *find_models(const CliArgs *args, const char *program, char *out, size_t size) {
    const char *given = cli_value(args, "--models");
    if (given)
        return given;
    if (is_folder("models"))
        return "models";
    static const char *const places[] = {"../models", "../share/holonom/models"};
    const char *slash = strrchr(program, '/');
    for (size_t i = 0; slash && i < sizeof places / sizeof *places; i++) {
        snprintf(out, size, "%.*s/%s", (int)(slash - program), program, places[i]);
        if (is_folder(out))
            return out;
    }
    return NULL;
}

static int wrong_number(const char *option, const char *text) {
    fprintf(stderr, "holonom studio: %s '%s' is not valid\n", option, text);
    return CLI_USAGE;
}

static int cmd_studio_serve(const HolStudioOptions *options) {
    HolError err = {0};
    HolStudio *studio;
    HolStatus status = hol_studio_open(options, &studio, &err);
    if (!status) {
        struct sigaction action = {.sa_handler = cmd_studio_request_stop,
                                   .sa_flags = (int)SA_RESETHAND};
        sigemptyset(&action.sa_mask);
        sigaction(SIGINT, &action, NULL);
        sigaction(SIGTERM, &action, NULL);
        signal(SIGPIPE, SIG_IGN);
        printf("%s\n", hol_studio_address(studio));
        fflush(stdout);
        fprintf(stderr, "Open this address in a browser on this machine; it is the key, keep it to "
                        "yourself. Ctrl-C ends.\n");
        status = hol_studio_serve(studio, &stop_requested, &err);
        hol_studio_close(studio);
    }
    if (status)
        cli_report(&err);
    return cli_exit_code(status);
}

static int cmd_studio_run(const CliArgs *args) {
    char program[PATH_MAX], models[PATH_MAX + 64], *end;
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    if (n <= 0) {
        fprintf(stderr, "holonom studio: the command does not find itself\n");
        return CLI_FAILED;
    }
    program[n] = 0;
    HolStudioOptions options = hol_studio_options();
    options.program = program;
    options.model = args->n_words ? args->words[0] : NULL;
    options.models = find_models(args, program, models, sizeof models);
    const char *port = cli_value(args, "--port"), *limit = cli_value(args, "--limit");
    long number = port ? strtol(port, &end, 10) : 0;
    if (port && (*end || end == port || number < 0 || number > 65535))
        return wrong_number("--port", port);
    options.port = (int)number;
    options.seconds = limit ? strtod(limit, &end) : 0;
    if (limit && (*end || end == limit || !(options.seconds > 0 && options.seconds < 1e6)))
        return wrong_number("--limit", limit);
    return cmd_studio_serve(&options);
}

static const CliOption options[] = {
    {"--port", NULL, "N", "a free one", "where the page is found, on 127.0.0.1 only"},
    {"--limit", NULL, "SECONDS", "60", "longest run"},
    {"--models", NULL, "FOLDER", "models", "models of the gallery"},
    {0},
};

const CliCommand cli_studio = {
    .name = "studio",
    .arguments = "[MODEL]",
    .n_arguments = 0,
    .n_optional = 1,
    .help = "a page on this machine to edit, run and compare models",
    .more = "Prints the address, which holds a random key. Nothing leaves the machine; what the "
            "page ran is\nremoved at the end. Save in the page writes MODEL and no other file, "
            "unless it was changed meanwhile;\nmeshes are read from the folder of the model.",
    .options = options,
    .run = cmd_studio_run,
};
