// SPDX-License-Identifier: Apache-2.0
// The command `holonom`: a table of verbs. Data goes to stdout, talk to stderr.
#include "commands.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const CliCommand *const commands[] = {
    &cli_run,     &cli_check, &cli_modes,    &cli_equilibrium, &cli_stability,
    &cli_compare, &cli_sweep, &cli_view,     &cli_plot,        &cli_diff,
    &cli_studio,  &cli_kinds, &cli_generate, &cli_bench,       &cli_reproduce};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

static void print_help(FILE *to) {
    fprintf(to, "holonom simulates mechanisms: bodies joined by joints, described in one file.\n\n"
                "Usage:\n");
    for (int i = 0; i < N_COMMANDS; i++) {
        char left[64];
        snprintf(left, sizeof left, "holonom %s %s", commands[i]->name, commands[i]->arguments);
        fprintf(to, "  %-26s %s\n", left, commands[i]->help);
    }
    fprintf(to, "  %-26s %s\n", "holonom --version", "the version and what the build contains");
    fprintf(to, "\n'holonom COMMAND --help' lists the options of a command.\n"
                "Exit: 0 done, 1 results differ, 2 wrong usage or model, 3 the integration failed, "
                "4 a file could\n"
                "not be read or written, 130 interrupted.\n");
}

static int unknown_command(const char *word) {
    const char *names[N_COMMANDS + 1] = {0};
    for (int i = 0; i < N_COMMANDS; i++)
        names[i] = commands[i]->name;
    const char *near = cli_nearest(word, names);
    fprintf(stderr, "holonom: unknown command '%s'", word);
    if (near)
        fprintf(stderr, "; did you mean '%s'?", near);
    fprintf(stderr, "\n'holonom --help' lists the commands.\n");
    return CLI_USAGE;
}

// what is printed would be added to a file that is read (>>)
static int printed_into_input(const CliArgs *args) {
    HolError err = {0};
    const char *printed = "-";
    if (args->command->words_are_names ||
        !hol_files_apart(NULL, args->words, args->n_words, &printed, 1, &err))
        return CLI_OK;
    cli_report(&err);
    return cli_exit_code(err.status);
}

// what was printed must have arrived: a full disk behind a redirection is an error
static int printed_all(int code) {
    if ((fflush(stdout) == 0 && !ferror(stdout)) || (code != CLI_OK && code != CLI_DIFFERENT))
        return code;
    fprintf(stderr, "holonom: standard output could not be written\n");
    return CLI_FILE;
}

static int run_command(const CliCommand *command, int argc, char **argv) {
    CliArgs args;
    int help;
    int code = cli_parse(command, argc, argv, &args, &help);
    if (help)
        cli_help(command, stdout);
    else if (code == CLI_OK && !(code = printed_into_input(&args)))
        code = command->run(&args);
    cli_free(&args);
    return printed_all(code);
}

// Linear algebra with one thread: the matrices it gets are small, further threads only wait, and
// the CPU time of a run would count their waiting. (It is loaded when it is needed, and asks then.)
static void use_one_thread(void) {
    void (*set_threads)(int) = NULL;
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    *(void **)&set_threads = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
    if (set_threads)
        set_threads(1);
}

int main(int argc, char **argv) {
    use_one_thread();
    signal(SIGXFSZ, SIG_IGN); // a file that grows beyond the limit is a failed write
    signal(SIGPIPE, SIG_IGN); // so is a pipe that nobody reads
    if (argc < 2) {
        print_help(stderr);
        return CLI_USAGE;
    }
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
        print_help(stdout);
        return printed_all(CLI_OK);
    }
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        printf("%s, %s\n", hol_version(), hol_tools_version());
        return printed_all(CLI_OK);
    }
    for (int i = 0; i < N_COMMANDS; i++)
        if (strcmp(word, commands[i]->name) == 0)
            return run_command(commands[i], argc - 2, argv + 2);
    return unknown_command(word);
}
