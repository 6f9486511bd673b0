#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs every benchmark program of a build directory, one after another.
set -euo pipefail
found=0
for program in "$1"/bench/*; do
    [ -x "$program" ] && [ -f "$program" ] || continue
    found=1
    echo "== $(basename "$program")"
    OPENBLAS_NUM_THREADS=1 "$program"
done
[ $found -eq 1 ] || echo "no benchmark programs in $1/bench"
