// SPDX-License-Identifier: Apache-2.0
// What the analysis of a saddle-point pattern found: orders, blocks, places of all entries. It depends
// on the pattern alone and is only read afterwards, so that all runs of a model share it: the second
// run allocates numbers and searches nothing.
#ifndef HOL_MATH_KKT_PLAN_H
#define HOL_MATH_KKT_PLAN_H

#include "math/saddle/kkt_block.h"
#include "math/saddle/kkt_tree.h"

typedef struct HolKktPlan {
    struct HolKktPlan *next;
    HolArena *arena; // of what follows
    HolPattern S, G; // copies
    int nw;
    const int *S_diagonal; // position of each diagonal entry in S.idx, -1 when absent
    // LDL^T and LU: without numbers; NULL: not yet, or the pattern does not suit
    struct {
        int known;
        HolFactors *factors;
    } block[2];
    struct HolKluPlan *klu;           // NULL: not yet
    const int *body;                  // that the tree belongs to
    HolTree *tree;                    // without numbers; NULL with `body`: it is no open tree
    struct HolComplexSaddle *complex; // kkt_complex.c, without numbers
    int complex_known;
} HolKktPlan;

// The plan of a pattern: one of those in `plans`, or (NULL, or there are very many) one of the
// system's own. NULL: no memory
HolKktPlan *hol_kkt_plan(HolKkt *k, const HolPattern *S, const HolPattern *G, int nw);
// While a plan is looked at and completed no other thread may do so; end: what failed for want of
// memory is not remembered, the system's arena tells it
void hol_kkt_plan_begin(HolKkt *k);
void hol_kkt_plan_end(HolKkt *k);
void hol_kkt_plan_destroy(HolKktPlan *p); // what libraries hold
void hol_klu_plan_destroy(struct HolKluPlan *p);

#endif
