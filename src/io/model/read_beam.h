// SPDX-License-Identifier: Apache-2.0
// Beams of a model file (read_beam.c).
#ifndef HOL_IO_READ_BEAM_H
#define HOL_IO_READ_BEAM_H

#include "io/model/read.h"
#include "model/body/beam.h"

int hol_node_is_beam(const HolNode *body); // an entry of `bodies:`
// the names of its nodes
void hol_read_beam_names(HolReader *r, const HolNode *beam, const char *name);
int hol_node_beam_whole(const HolNode *beam,
                        const char *name); // the name is that of the beam itself
// "rod.at(0.5)..": with the node's name in its place; as it is when it has none; NULL: it is no node,
// `why` says which there are
const char *hol_read_beam_fraction(HolReader *r, const char *name, char *why, size_t size);
// "rod.deflection(0.5)": 1; 0: it is something else, -1: it is no node
int hol_read_beam_deflection(HolReader *r, const char *name, char *why, size_t size);
// a beam as a whole is no place: 0 and a problem that names its nodes; `point`: what follows its name
int hol_read_beam_place_ok(HolReader *r, const HolNode *node, const char *body, const char *point,
                           const char *key);
// the name of a beam as a whole, which a distributed load acts on
void hol_read_whole_beam(HolReader *r, const HolNode *node, const char *key, HolRef *out);
// a key of a beam that its table does not read by itself; object: HolBeamDef
void hol_read_beam_own(HolReader *r, const HolField *f, const HolNode *node, void *object);
// entry i of `bodies:`; after all other bodies, to which it may be clamped
void hol_read_beam(HolReader *r, const HolNode *node, int i);

#endif
