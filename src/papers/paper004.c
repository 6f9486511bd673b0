// SPDX-License-Identifier: Apache-2.0
#include "papers/papers.h"
void hol_paper_004(HolPaper *p) {
    (void)p;
}
