# SPDX-License-Identifier: Apache-2.0
# holonom_late(NAME LIBRARY LIST): where LIBRARY is a shared library with a name for the loader
# ("libhdf5_serial.so.103"), adds NAME="that name" to the definitions of LIST. Without it, it is linked.
function(holonom_late name library list)
  if(NOT HOLONOM_LATE OR NOT CMAKE_OBJDUMP OR NOT EXISTS "${library}")
    return()
  endif()
  execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${library} OUTPUT_VARIABLE head ERROR_QUIET)
  if(head MATCHES "SONAME +([^ \n]+)")
    set(${list} ${${list}} "${name}=\"${CMAKE_MATCH_1}\"" PARENT_SCOPE)
  endif()
endfunction()
