// SPDX-License-Identifier: Apache-2.0
// `holonom run --replay RESULT`: a stored result repeated from its manifest.
#ifndef HOL_CLI_RUN_REPLAY_H
#define HOL_CLI_RUN_REPLAY_H

#include "args.h"

int run_replay(const CliArgs *args); // the exit code

#endif
