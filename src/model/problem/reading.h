// SPDX-License-Identifier: Apache-2.0
// Numbers of a state by name, without anything being added to the model: columns of results, rows of
// bodies, points, joints and springs, values that are given.
#ifndef HOL_MODEL_READING_H
#define HOL_MODEL_READING_H

#include "holonom/embed.h"
#include "model/model.h"

// 1: found. Else 0, and the nearest name, "" where there is none
int hol_reading_find(const HolModel *m, const char *name, HolHandle *out, char suggestion[64]);
// 1: positions and velocities of a state are enough to read it
int hol_reading_is_plain(const HolModel *m, const HolHandle *handle);
// `in`: for a plain one t, q and v alone
double hol_reading_value(const HolModel *m, HolModelWork *w, const HolHandle *handle,
                         const HolRowInput *in);
// body and place of "BODY", "BODY.POINT" (names may have dots); 0: there is none
int hol_reading_place(const HolModel *m, const char *name, int *body, double at[3]);

#endif
