// SPDX-License-Identifier: Apache-2.0
// libmicrohttpd, loaded when the studio starts (base/library/library.h).
#ifndef HOL_STUDIO_HTTP_LIBRARY_H
#define HOL_STUDIO_HTTP_LIBRARY_H

#include "base/library/library.h"

#ifdef HOL_HAVE_MICROHTTPD

#include <microhttpd.h>

// HOL_ERR_UNSUPPORTED when it cannot be loaded; to be asked before anything else
HolStatus hol_microhttpd_ready(HolError *err);

#ifdef HOL_MICROHTTPD_FILE

// clang-format off
#define HOL_MICROHTTPD_FUNCTIONS(F) \
    F(MHD_add_response_header) F(MHD_create_response_from_buffer) \
    F(MHD_create_response_from_fd64) F(MHD_destroy_response) F(MHD_get_connection_info) \
    F(MHD_get_connection_values) F(MHD_get_daemon_info) F(MHD_lookup_connection_value) F(MHD_queue_response) \
    F(MHD_resume_connection) F(MHD_suspend_connection) \
    F(MHD_run_wait) F(MHD_start_daemon) F(MHD_stop_daemon)
// clang-format on

typedef struct HolMicrohttpdLibrary {
    HOL_MICROHTTPD_FUNCTIONS(HOL_LIBRARY_POINTER)
} HolMicrohttpdLibrary;

const HolMicrohttpdLibrary *hol_microhttpd(void);

#define MHD_add_response_header(...) hol_microhttpd()->MHD_add_response_header(__VA_ARGS__)
#define MHD_create_response_from_buffer(...)                                                       \
    hol_microhttpd()->MHD_create_response_from_buffer(__VA_ARGS__)
#define MHD_create_response_from_fd64(...)                                                         \
    hol_microhttpd()->MHD_create_response_from_fd64(__VA_ARGS__)
#define MHD_destroy_response(...) hol_microhttpd()->MHD_destroy_response(__VA_ARGS__)
#define MHD_get_connection_info(...) hol_microhttpd()->MHD_get_connection_info(__VA_ARGS__)
#define MHD_get_connection_values(...) hol_microhttpd()->MHD_get_connection_values(__VA_ARGS__)
#define MHD_get_daemon_info(...) hol_microhttpd()->MHD_get_daemon_info(__VA_ARGS__)
#define MHD_lookup_connection_value(...) hol_microhttpd()->MHD_lookup_connection_value(__VA_ARGS__)
#define MHD_queue_response(...) hol_microhttpd()->MHD_queue_response(__VA_ARGS__)
#define MHD_resume_connection(...) hol_microhttpd()->MHD_resume_connection(__VA_ARGS__)
#define MHD_suspend_connection(...) hol_microhttpd()->MHD_suspend_connection(__VA_ARGS__)
#define MHD_run_wait(...) hol_microhttpd()->MHD_run_wait(__VA_ARGS__)
#define MHD_start_daemon(...) hol_microhttpd()->MHD_start_daemon(__VA_ARGS__)
#define MHD_stop_daemon(...) hol_microhttpd()->MHD_stop_daemon(__VA_ARGS__)

#endif
#endif
#endif
