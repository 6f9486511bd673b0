// SPDX-License-Identifier: Apache-2.0
// Beams with `elements: auto`: as many elements as the outputs of the model need.
// refine.c: trials with n, 2n, 4n .. elements; refine_places.c: numbers that have nodes where the
// file names places.
#ifndef HOL_IO_REFINE_H
#define HOL_IO_REFINE_H

#include "io/model/parse_text.h"
#include "io/model/read.h"

// ---- refine_places.c ----
// elements: auto?
int hol_beam_is_auto(const HolNode *beam);
// its number of elements in a trial of r->beam_level: a multiple of the least one that has nodes at
// all fractions of the file
int hol_beam_auto_count(const HolReader *r);
// looks for places in the expanded tree: fractions, and nodes by number, which are refused
void hol_beam_auto_places(HolReader *r, const HolNode *root);

// ---- refine.c ----
// A model with such beams, read for its first trial, is replaced by the one that is accurate enough.
HolStatus hol_refine(const HolModelText *from, HolModel **model, const HolSimOptions *o,
                     HolError *err);

#endif
