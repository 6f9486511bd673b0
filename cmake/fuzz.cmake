# SPDX-License-Identifier: Apache-2.0
# Fuzz targets (test/fuzz), with both sanitizers.
#   HOLONOM_FUZZ      build/fuzz/NAME by libFuzzer (scripts/fuzz.sh), and build/fuzz/NAME-plain by the
#                     driver of test/fuzz, for long runs
#   HOLONOM_SANITIZE  tests fuzz_NAME, of a few seconds each: the driver, in the build that is there
file(GLOB FUZZ_SOURCES CONFIGURE_DEPENDS test/fuzz/fuzz_*.c)

function(holonom_fuzz_target name)
  add_executable(${name} ${ARGN})
  target_include_directories(${name} PRIVATE src .)
  target_include_directories(${name} SYSTEM PRIVATE ${HOL_INCLUDES})
  target_compile_definitions(${name} PRIVATE ${HOL_DEFINITIONS} _GNU_SOURCE) # memfd_create
  target_link_libraries(${name} PRIVATE holonom_tools_${HOL_LINK})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
endfunction()

# (the driver looks at every edge after each execution: it takes a fifth of the time otherwise)
if(HOLONOM_FUZZ)
  set_source_files_properties(test/fuzz/driver.c PROPERTIES COMPILE_OPTIONS
    "-O3;-fno-sanitize=all;-fno-sanitize-coverage=inline-8bit-counters,pc-table")
endif()

set(FUZZ_TARGETS "")
foreach(source ${FUZZ_SOURCES})
  get_filename_component(name ${source} NAME_WE)
  string(REPLACE "fuzz_" "" short ${name})
  if(HOLONOM_FUZZ)
    holonom_fuzz_target(${name} ${source})
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    set_target_properties(${name} PROPERTIES OUTPUT_NAME ${short})
    holonom_fuzz_target(${name}_plain ${source} test/fuzz/driver.c)
    set_target_properties(${name}_plain PROPERTIES OUTPUT_NAME ${short}-plain)
    list(APPEND FUZZ_TARGETS ${name} ${name}_plain)
  else()
    holonom_fuzz_target(${name} ${source} test/fuzz/driver.c)
    add_test(NAME ${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/fuzz.sh ${CMAKE_BINARY_DIR} 5 ${short}
             WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES LABELS fuzz TIMEOUT 300
      ENVIRONMENT "OPENBLAS_NUM_THREADS=1")
  endif()
endforeach()
if(HOLONOM_FUZZ)
  add_custom_target(fuzz_targets DEPENDS ${FUZZ_TARGETS})
endif()
