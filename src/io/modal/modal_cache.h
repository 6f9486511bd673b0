// SPDX-License-Identifier: Apache-2.0
// Modes and integrals of modal bodies, kept in a folder that the caller names (`--cache DIR`). A file
// DIR/KEY.modal holds those of one body; KEY is the SHA-256 of all that they depend on: the matrices,
// the nodes, the interfaces, the numbers of modes, this version and the kind of processor. What is read
// back has the bits that were computed. A file that is not whole, or not of its key, is computed anew.
#ifndef HOL_IO_MODAL_CACHE_H
#define HOL_IO_MODAL_CACHE_H

#include "io/modal/read_modal.h"

// the folder, made where it is missing
HOL_TOOLS HolStatus hol_modal_cache_folder(const char *path, HolError *err);
void hol_modal_cache_key(const HolReader *r, const HolModalTarget *t, const HolModalDef *d,
                         char key[65]);
// 1: found; a file that cannot be used leaves a remark
int hol_modal_cache_find(HolReader *r, const char *key, const HolModalDef *d, HolModal *out,
                         HolBodyDef *frame);
// a folder that cannot be written leaves a remark
void hol_modal_cache_keep(HolReader *r, const char *key, const HolModalDef *d, const HolModal *made,
                          const HolBodyDef *frame);

#endif
