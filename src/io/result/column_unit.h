// SPDX-License-Identifier: Apache-2.0
// Columns of results with their units. The model knows the units of its default columns; those of
// `outputs:` that are one name (a point's "rod.tip.y", a joint's "O.angle") follow from the name.
#ifndef HOL_IO_COLUMN_UNIT_H
#define HOL_IO_COLUMN_UNIT_H

#include "base/visibility.h"
#include "holonom/holonom.h"

// column i of the results; the unit of an expression that is more than a name is ""
HOL_TOOLS HolColumn hol_column_with_unit(const HolModel *m, int i);

#endif
