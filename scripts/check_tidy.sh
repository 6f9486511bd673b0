#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Bugs that clang-tidy sees in src, tools and cli (.clang-tidy says which it looks for). BUILD has
# been configured, so that it knows how each file is compiled.
#   check_tidy.sh BUILD [JOBS] [--fast]     --fast: without clang-analyzer, which takes minutes
set -uo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
jobs=${2:-2}
only=()
[ "${3:-}" != --fast ] || only=(--checks=-clang-analyzer-*)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
[ -f "$build/compile_commands.json" ] || { echo "tidy: configure $build first" >&2; exit 2; }
# a file that the build leaves out has no command; -Wno-..: the flags are those of gcc
git ls-files 'src/*.c' 'tools/*.c' 'cli/*.c' |
    xargs -P "$jobs" -n 8 clang-tidy -p "$build" --quiet "${only[@]}" \
        --extra-arg=-Wno-unknown-warning-option >"$log" 2>&1
code=$?
if [ $code -ne 0 ]; then
    grep -v 'warnings\? generated\|^Suppressed\|^Use -header-filter' "$log"
    echo "tidy: there are findings"
    exit 1
fi
echo "tidy: ok"
