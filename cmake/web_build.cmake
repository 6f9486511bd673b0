# SPDX-License-Identifier: Apache-2.0
# Run by the build (cmake -P): OUTPUT becomes the page as a C array, or an empty one.
#   PAGE: wanted; NEEDED: a failure is an error; WEB: its sources; NODE, NPM: programs

function(write_empty)
  file(WRITE ${OUTPUT} "// No report page in this build.
#include <stddef.h>
extern const unsigned char hol_report_template[];
extern const size_t hol_report_template_size;
const unsigned char hol_report_template[1] = {0};
const size_t hol_report_template_size = 0;
extern const unsigned char hol_studio_page[];
extern const size_t hol_studio_page_size;
const unsigned char hol_studio_page[1] = {0};
const size_t hol_studio_page_size = 0;
")
endfunction()

function(give_up text)
  if(NEEDED)
    message(FATAL_ERROR "report page: ${text}")
  endif()
  message(WARNING "report page: ${text}; this build will write no reports")
  write_empty()
endfunction()

if(NOT PAGE)
  write_empty()
  return()
endif()

# the packages, once for all build directories, again when other versions are asked for
file(LOCK ${WEB} DIRECTORY GUARD PROCESS TIMEOUT 300 RESULT_VARIABLE locked)
execute_process(COMMAND ${NODE} ${WEB}/packages.mjs RESULT_VARIABLE missing)
if(NOT missing EQUAL 0)
  execute_process(COMMAND ${NPM} ci --omit=dev --ignore-scripts --no-audit --no-fund
                  WORKING_DIRECTORY ${WEB} RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT code EQUAL 0)
    give_up("npm ci failed (${code})\n${text}")
    return()
  endif()
endif()
get_filename_component(folder ${OUTPUT} DIRECTORY)
execute_process(COMMAND ${NODE} ${WEB}/build.mjs ${folder}/template.html ${OUTPUT}
                RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
if(NOT code EQUAL 0)
  give_up("the bundle failed (${code})\n${text}")
endif()
