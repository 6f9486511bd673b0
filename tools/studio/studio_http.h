// SPDX-License-Identifier: Apache-2.0
// The studio's requests, the only code that knows the web server (libmicrohttpd).
#ifndef HOL_IO_STUDIO_HTTP_H
#define HOL_IO_STUDIO_HTTP_H

#include "tools/studio/studio.h"

HolStatus hol_studio_listen(HolStudio *s, int port, HolError *err); // sets s->port
HolStatus hol_studio_wait(HolStudio *s, int milliseconds, HolError *err);
void hol_studio_end(HolStudio *s);

#endif
