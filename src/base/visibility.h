// SPDX-License-Identifier: Apache-2.0
// HOL_TOOLS marks what libholonom_tools uses of the library's inside. Such symbols are visible in
// libholonom.so, but no part of the public API.
#ifndef HOL_VISIBILITY_H
#define HOL_VISIBILITY_H

#include "holonom/error.h"

#define HOL_TOOLS HOL_API

#endif
