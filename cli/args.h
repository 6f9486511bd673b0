// SPDX-License-Identifier: Apache-2.0
// The command line as tables: a command is a name, its arguments and its options; parsing, usage
// errors and the help text all come from the same tables.
#ifndef HOL_CLI_ARGS_H
#define HOL_CLI_ARGS_H

#include <stdio.h>

// exit codes, as the manual page lists them
enum {
    CLI_OK = 0,
    CLI_DIFFERENT = 1,     // diff, run --replay: not the same
    CLI_USAGE = 2,         // wrong usage or model
    CLI_FAILED = 3,        // the integration failed
    CLI_FILE = 4,          // a file could not be read or written
    CLI_INACCURATE = 5,    // the accuracy asked for was not reached
    CLI_INTERRUPTED = 130, // stopped by a signal
};

typedef struct CliOption {
    const char *name;     // "--step"
    const char *letter;   // "-o", or NULL
    const char *argument; // "H", or NULL for a flag
    const char *fallback; // the default, as shown in the help, or NULL
    const char *help;
} CliOption;

typedef struct CliGiven {
    const CliOption *option;
    const char *value;
} CliGiven;

typedef struct CliArgs CliArgs;

typedef struct CliCommand {
    const char *name;
    const char *arguments;    // "MODEL", or ""
    int n_arguments;          // how many must stand there
    int n_optional;           // how many more may
    int words_are_names;      // not files that are read
    const char *help;         // one line
    const char *more;         // further lines of the help, or NULL
    const CliOption *options; // ends with name NULL
    int (*run)(const CliArgs *args);
} CliCommand;

struct CliArgs {
    const CliCommand *command;
    const char **words; // the arguments that are no options
    int n_words;
    CliGiven *given; // options in the order they were given
    int n_given;
};

// CLI_OK, or CLI_USAGE after a message on stderr; *help is 1 when --help was asked for
int cli_parse(const CliCommand *command, int argc, char **argv, CliArgs *out, int *help);
// CLI_USAGE after "holonom VERB: PROBLEM 'WORD'" and how it is used
int cli_usage_error(const CliCommand *command, const char *problem, const char *word);
void cli_free(CliArgs *args);
void cli_help(const CliCommand *command, FILE *to);

// the last value given to an option, NULL when it was not given; a flag's value is ""
const char *cli_value(const CliArgs *args, const char *name);

// the word of the list (ending with NULL) that a mistyped word most likely meant, or NULL
const char *cli_nearest(const char *word, const char *const *list);

#endif
