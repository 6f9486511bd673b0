#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs the tests of a build directory through CTest; the last line counts them.
#   run_tests.sh BUILD [JOBS [options of ctest ...]]
set -uo pipefail
build=$1
jobs=${2:-2}
shift $(($# < 2 ? $# : 2))
log=$(mktemp)
trap 'rm -f "$log"' EXIT

ctest --test-dir "$build" --output-on-failure --no-tests=error -j "$jobs" "$@" | tee "$log"
code=${PIPESTATUS[0]}

# "100% tests passed, 0 tests failed out of 12"
total=$(sed -n 's/^.*tests passed, .* out of \([0-9]*\).*$/\1/p' "$log")
failed=$(sed -n 's/^.*tests passed, \([0-9]*\) tests failed.*$/\1/p' "$log")
echo "$((${total:-0} - ${failed:-0})) passed, ${failed:-0} failed"
exit "$code"
