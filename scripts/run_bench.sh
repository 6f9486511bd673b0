#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# `holonom bench` (with the peers that were built), then every benchmark program of a build directory,
# one after another, then the instruction counts where valgrind is installed.
#   scripts/run_bench.sh BUILD [option of holonom bench]...
set -euo pipefail
build=$1
shift
export OPENBLAS_NUM_THREADS=1
"$build/holonom" bench "$@"
for program in "$build"/bench/*; do
    [ -x "$program" ] && [ -f "$program" ] || continue
    echo "== $(basename "$program")"
    "$program"
done
if command -v valgrind >/dev/null; then
    echo "== instructions per step"
    "$(dirname "$0")/../bench/instructions.sh" "$build"
fi
