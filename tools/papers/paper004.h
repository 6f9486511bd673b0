// SPDX-License-Identifier: Apache-2.0
// What the files of the coordinate-split paper share.
#ifndef HOL_PAPERS_PAPER004_H
#define HOL_PAPERS_PAPER004_H

#include "tools/papers/papers.h"

void hol_paper_004_rates(HolPaper *p); // paper004_rates.c

#endif
