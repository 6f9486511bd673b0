// SPDX-License-Identifier: Apache-2.0
#include "solve/linear/modes.h"
HolStatus hol_modes_sparse(HolModesMade *m, const HolModesOptions *o, HolError *err) {
    (void)m;
    (void)o;
    return hol_error_set(err, HOL_ERR_UNSUPPORTED, "too large");
}
