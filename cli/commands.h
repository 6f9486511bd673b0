// SPDX-License-Identifier: Apache-2.0
// The verbs of the command and what they share.
#ifndef HOL_CLI_COMMANDS_H
#define HOL_CLI_COMMANDS_H

#include "args.h"

#include <holonom/tools.h>

extern const CliCommand cli_run, cli_check, cli_kinds, cli_generate, cli_bench, cli_reproduce;
extern const CliCommand cli_view, cli_plot, cli_studio, cli_modes, cli_diff, cli_compare;
extern const CliCommand cli_equilibrium, cli_stability, cli_sweep;

// load the model named by the first word, with every --set and the options that stand for one;
// problems are left in err
HolStatus cli_load(const CliArgs *args, HolModel **model, HolSimOptions *options, HolError *err);
// what the command writes (-o, --report) must be no file that it or the model reads, nor one twice
HolStatus cli_files_apart(const CliArgs *args, const HolModel *m, HolError *err);
// text of the tools into the FILE `to`
void cli_put(void *to, const char *text, size_t length);
// the exit code that a status means
// said before an analysis of one state
int cli_exit_code(HolStatus status);
// print the problems on stderr
void cli_report(const HolError *err);
// a warning a line of the text
void cli_remark(const char *text);
// HOL_ERR_MEMORY with its text
HolStatus cli_no_memory(HolError *err);

#endif
