# SPDX-License-Identifier: Apache-2.0
# The page of the reports: web/ bundled to one HTML file and embedded as a C array.
#   include(cmake/web.cmake)
#   holonom_report_page(SOURCES DEFINITIONS LIBRARIES)   appends to the three lists
# HOLONOM_REPORT = AUTO: the page when node and npm are there and the bundle succeeds, else a build
# that says what is missing when a report is asked for; ON: a failure is an error; OFF: no page.

set(HOLONOM_REPORT AUTO CACHE STRING "The page of run --report: AUTO, ON or OFF")
set_property(CACHE HOLONOM_REPORT PROPERTY STRINGS AUTO ON OFF)

function(holonom_report_page sources definitions libraries)
  find_package(ZLIB)
  if(ZLIB_FOUND)
    list(APPEND ${definitions} HOL_HAVE_ZLIB)
    list(APPEND ${libraries} z)
  endif()

  set(web ${CMAKE_CURRENT_SOURCE_DIR}/web)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/web/report_template.c)
  set(build ${CMAKE_CURRENT_SOURCE_DIR}/cmake/web_build.cmake)
  find_program(NODE_PROGRAM NAMES node nodejs)
  find_program(NPM_PROGRAM npm)
  set(page ${HOLONOM_REPORT})
  if(page STREQUAL AUTO)
    set(needed OFF)
    if(NOT NODE_PROGRAM OR NOT NPM_PROGRAM)
      set(page OFF)
    endif()
  else()
    set(needed ${page})
    if(page AND (NOT NODE_PROGRAM OR NOT NPM_PROGRAM))
      message(FATAL_ERROR "HOLONOM_REPORT is on, but node or npm was not found (Debian: nodejs, npm)")
    endif()
  endif()
  if(page)
    message(STATUS "report page: on")
  else()
    message(STATUS "report page: off (node and npm build it)")
  endif()

  file(GLOB parts CONFIGURE_DEPENDS ${web}/src/*)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DPAGE=${page} -DNEEDED=${needed} -DWEB=${web} -DOUTPUT=${output}
            -DNODE=${NODE_PROGRAM} -DNPM=${NPM_PROGRAM} -P ${build}
    DEPENDS ${parts} ${web}/build.mjs ${web}/package.json ${web}/package-lock.json ${build}
    COMMENT "Report page"
    VERBATIM)
  list(APPEND ${sources} ${output})
  set(${sources} ${${sources}} PARENT_SCOPE)
  set(${definitions} ${${definitions}} PARENT_SCOPE)
  set(${libraries} ${${libraries}} PARENT_SCOPE)
endfunction()
