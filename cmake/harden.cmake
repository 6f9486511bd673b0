# SPDX-License-Identifier: Apache-2.0
# What makes a fault in memory an end of the program instead of a way in: canaries on the stack, checked
# library calls, tables of addresses that cannot be written, addresses that differ from run to run,
# jumps that land only where they may. scripts/check_hardening.sh looks at what was built.
if(NOT HOLONOM_HARDEN)
  return()
endif()
include(CheckCCompilerFlag)
include(CheckPIESupported)
check_pie_supported(LANGUAGES C)
foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection=full)
  string(MAKE_C_IDENTIFIER "HOL_HAVE${flag}" known)
  check_c_compiler_flag(${flag} ${known})
  if(${known})
    add_compile_options(${flag})
  endif()
endforeach()
# (the sanitizers check more than FORTIFY, and builds without optimization have none of it)
if(NOT HOLONOM_SANITIZE AND NOT HOLONOM_THREAD_SANITIZE AND NOT HOLONOM_FUZZ AND NOT CMAKE_BUILD_TYPE STREQUAL Debug)
  add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif()
if(CMAKE_SYSTEM_NAME STREQUAL Linux)
  add_link_options(-Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
endif()
