// SPDX-License-Identifier: Apache-2.0
// Files that a model names (see also hol_files_apart).
#ifndef HOL_FILE_CLASH_H
#define HOL_FILE_CLASH_H

#include "base/visibility.h"
#include "holonom/model.h"

// the mesh that draws a body, beside the model's file; 0: it has none
HOL_TOOLS int hol_mesh_path(const HolModel *m, int body, char *out, size_t size);

#endif
